"""ResNet-50 trained with autocast and a GradScaler, as a script does it."""

import torch
import torch.nn.functional as F  # noqa: N812
import torchvision


def main(steps: int = 8) -> None:
    torch.manual_seed(0)
    model = torchvision.models.resnet50(weights=None).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda")
    total, correct = 0.0, 0
    for _ in range(steps):
        images, labels = torch.rand(8, 3, 128, 128).cuda(), torch.randint(0, 1000, (8,)).cuda()
        with torch.autocast("cuda"):
            logits = model(images)
            loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        total += loss.item()
        correct += (logits.argmax(1) == labels).sum().item()
    print(steps, "steps")


if __name__ == "__main__":
    main()
