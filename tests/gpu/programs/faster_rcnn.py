"""torchvision's Faster R-CNN in training."""

import torch
import torchvision


def main(steps: int = 4) -> None:
    torch.manual_seed(0)
    model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=5)
    model.cuda().train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    boxes = torch.tensor([[10.0, 10.0, 100.0, 120.0], [30.0, 40.0, 90.0, 150.0]])
    for _ in range(steps):
        images = [torch.rand(3, 200, 200).cuda() for _ in range(2)]
        targets = [{"boxes": boxes.cuda(), "labels": torch.tensor([1, 2]).cuda()} for _ in range(2)]
        losses = model(images, targets)
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(steps, "steps")


if __name__ == "__main__":
    main()
