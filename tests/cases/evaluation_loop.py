import torch
from torch import Tensor
import torch.nn.functional as F
from torch.utils.data import DataLoader
from tqdm import tqdm


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.val = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)  # silent: HS106
        batch_size = target.size(0)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
            res.append(correct_k.mul_(100.0 / batch_size))
        return res


@torch.no_grad()
def validate(val_loader, model, criterion):
    losses = AverageMeter()
    top1 = AverageMeter()
    model.eval()
    for images, target in tqdm(val_loader):
        images = images.cuda(non_blocking=True)
        target = target.cuda(non_blocking=True)
        output = model(images)
        loss = criterion(output, target)
        acc1, acc5 = accuracy(output, target, topk=(1, 5))
        losses.update(loss.item(), images.size(0))  # expect: HS101
        top1.update(acc1[0].item(), images.size(0))  # expect: HS101
    print("Acc@1 {top1.avg:.3f} Loss {loss.avg:.4f}".format(top1=top1, loss=losses))
    return losses.avg


@torch.inference_mode()
def confusion(model, loader, classes: int, device: torch.device):
    matrix = torch.zeros(classes, classes, device=device)
    for images, labels in loader:
        logits = model(images.to(device))  # expect: HS401
        predicted = logits.argmax(1)
        labels = labels.to(device)  # expect: HS401
        for label, guess in zip(labels, predicted):
            matrix[label.long(), guess.long()] += 1  # expect: HS308, HS308
    return matrix.cpu().numpy()  # expect: HS102


@torch.no_grad()
def collect(model, dataset):
    loader = DataLoader(dataset, batch_size=64)
    outputs, labels = [], []
    for x, y in loader:
        logits = model(x.cuda())  # expect: HS401
        outputs.append(F.softmax(logits, dim=-1))
        labels.append(y)
    probabilities = torch.cat(outputs).cpu()  # expect: HS102
    truth = torch.cat(labels)
    right = (probabilities.argmax(1) == truth).float().mean().item()  # silent: HS101
    return right, truth.tolist()  # silent: HS101


@torch.no_grad()
def on_the_device(model, loader, device="cuda"):
    hits = torch.zeros((), device=device)
    seen = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)  # expect: HS401
        hits += (model(x).argmax(-1) == y).sum()  # silent: HS101
        seen += y.numel()
    return hits.item() / seen  # expect: HS101


def result_of_a_model(model, x: Tensor):
    out = model(x.cuda())  # expect: HS401
    if out.mean() > 0:  # expect: HS201
        print(float(out.max()))  # expect: HS103
    return out.tolist()  # expect: HS101


def with_labels_on_the_host(model, val_loader):
    outputs, labels = [], []
    for x, y in val_loader:
        outputs.append(model(x.cuda()).softmax(-1))  # expect: HS401
        labels.append(y)
    probabilities = torch.cat(outputs).cpu()  # expect: HS102
    right = (probabilities.argmax(1) == torch.cat(labels)).float()
    return right.mean().item()  # silent: HS101
