"""What holds of all tests: hypothesis takes the time that it needs, also on a machine that does something else, and
Ctrl-C can be tried out, also where a shell in the background has switched it off."""

import signal
from importlib.util import find_spec

if find_spec("hypothesis") is not None:  # Tests that are marked gpu do without it.
    from hypothesis import HealthCheck, settings

    settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("patient")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
