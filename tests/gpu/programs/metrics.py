"""An evaluation loop with torchmetrics."""

import torch
import torchmetrics


def main(batches: int = 10) -> None:
    torch.manual_seed(0)
    accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=7).cuda()
    f1 = torchmetrics.F1Score(task="multiclass", num_classes=7, average="macro").cuda()
    auroc = torchmetrics.AUROC(task="multiclass", num_classes=7).cuda()
    model = torch.nn.Linear(32, 7).cuda()
    with torch.no_grad():
        for _ in range(batches):
            x, y = torch.rand(64, 32).cuda(), torch.randint(0, 7, (64,)).cuda()
            scores = model(x).softmax(1)
            for metric in (accuracy, f1, auroc):
                metric.update(scores, y)
    values = [float(metric.compute()) for metric in (accuracy, f1, auroc)]
    print(len(values), "metrics")


if __name__ == "__main__":
    main()
