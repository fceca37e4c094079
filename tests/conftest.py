"""What holds of all tests: hypothesis takes the time that it needs, also on a machine that does something else."""

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
