from .models import settings


def count(values):
    held = settings()
    return held, values.item(), values.tolist()  # silent: HS101, HS104
