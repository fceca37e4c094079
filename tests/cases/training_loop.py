import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = self.dropout(x)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=1)


def train(args, model, device, train_loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        data, target = data.to(device), target.to(device)  # expect: HS401
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()  # silent: HS603
        if batch_idx % args.log_interval == 0:  # silent: HS201
            print(
                "Train Epoch: {} [{}/{}]\tLoss: {:.6f}".format(
                    epoch, batch_idx * len(data), len(train_loader.dataset), loss.item()  # expect: HS101
                )
            )
            if args.dry_run:
                break


def test(model, device, test_loader):
    model.eval()
    test_loss = 0
    correct = 0
    with torch.no_grad():
        for data, target in test_loader:
            data, target = data.to(device), target.to(device)  # expect: HS401
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()  # expect: HS101
            pred = output.argmax(dim=1, keepdim=True)
            correct += pred.eq(target.view_as(pred)).sum().item()  # expect: HS101
    test_loss /= len(test_loader.dataset)
    print(f"Average loss: {test_loss:.4f}, Accuracy: {correct}/{len(test_loader.dataset)}")  # silent: HS105
    return correct


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--lr", type=float, default=1.0)
    parser.add_argument("--gamma", type=float, default=0.7)
    parser.add_argument("--log-interval", type=int, default=10)
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(1)
    device = torch.device("cuda")
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
    train_loader = DataLoader(datasets.MNIST("../data", train=True, transform=transform), batch_size=64)
    test_loader = DataLoader(datasets.MNIST("../data", train=False, transform=transform), batch_size=1000)
    model = Net().to(device)  # silent: HS401
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=args.gamma)
    best = 0
    for epoch in range(1, args.epochs + 1):  # silent: HS104
        train(args, model, device, train_loader, optimizer, epoch)
        correct = test(model, device, test_loader)
        best = max(best, correct)  # silent: HS106
        scheduler.step()  # silent: HS603
        print(float(args.lr), scheduler.get_last_lr()[0])  # silent: HS103, HS105
    torch.cuda.synchronize()  # silent: HS501


if __name__ == "__main__":
    main()
