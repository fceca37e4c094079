from .models import build_model


def evaluate(loader, criterion):
    model = build_model()
    total, right = 0, 0
    for images, targets in loader:
        out = model(images)
        total += criterion(out, targets).item()  # expect: HS101
        right += (out.argmax(1) == targets).sum().item()  # expect: HS101
    return total, right
