"""Sparse mappings, their bisection forms, and their losses of entmax."""

from collections.abc import Callable

import entmax
import torch
from torch import nn
from uses import Use, Uses

BATCH, CLASSES = 8, 12
uses = Uses()


def scores(device: torch.device, *shape: int) -> torch.Tensor:
    return torch.randn(*(shape or (BATCH, CLASSES)), device=device, requires_grad=True)


def labels(device: torch.device, count: int = BATCH) -> torch.Tensor:
    return torch.arange(count, device=device) % CLASSES


# Mappings

MAPPINGS: dict[str, Callable[..., torch.Tensor]] = {
    "sparsemax": entmax.sparsemax,
    "entmax15": entmax.entmax15,
    "sparsemax_bisect": entmax.sparsemax_bisect,
    "entmax_bisect": entmax.entmax_bisect,
    "normmax_bisect": entmax.normmax_bisect,
    "budget_bisect": entmax.budget_bisect,
}


def mapping_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        mapping = MAPPINGS[name]
        for dim, shape in ((-1, (BATCH, CLASSES)), (0, (BATCH, CLASSES)), (1, (2, 5, CLASSES))):
            x = scores(device, *shape)
            (mapping(x, dim=dim) ** 2).sum().backward()
        with torch.no_grad():
            mapping(scores(device).double())

    return use


MODULES: dict[str, Callable[[], nn.Module]] = {
    "Sparsemax": lambda: entmax.Sparsemax(dim=-1),
    "Sparsemax of some": lambda: entmax.Sparsemax(dim=-1, k=4),
    "Entmax15": lambda: entmax.Entmax15(dim=-1),
    "Entmax15 of some": lambda: entmax.Entmax15(dim=-1, k=4),
    "SparsemaxBisect": lambda: entmax.SparsemaxBisect(n_iter=30),
    "EntmaxBisect": lambda: entmax.EntmaxBisect(alpha=1.3, n_iter=30),
    "NormmaxBisect": lambda: entmax.NormmaxBisect(alpha=2, n_iter=30),
    "BudgetBisect": lambda: entmax.BudgetBisect(budget=2, n_iter=30),
}


def module_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = nn.Sequential(nn.Linear(6, CLASSES), MODULES[name](), nn.Linear(CLASSES, 1)).to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.randn(BATCH, 6, device=device)).mean().backward()
            optimizer.step()
        with torch.no_grad():
            MODULES[name]()(torch.randn(2, 3, CLASSES, device=device))

    return use


uses.add_each("mapping", MAPPINGS, mapping_use)
uses.add_each("module", MODULES, module_use)


@uses.add
def partial_sorts(device: torch.device) -> None:
    for mapping in (entmax.sparsemax, entmax.entmax15):
        for k in (2, 5, 100):
            x = (0.1 * torch.randn(BATCH, CLASSES, device=device)).requires_grad_()
            (mapping(x, k=k) ** 2).sum().backward()
            mapping(torch.randn(3, CLASSES, 4, device=device), dim=1, k=k)


@uses.add
def masked_scores(device: torch.device) -> None:
    x = torch.randn(BATCH, CLASSES, device=device)
    x = x.masked_fill(torch.arange(CLASSES, device=device) > 6, float("-inf"))
    entmax.sparsemax(x), entmax.entmax15(x), entmax.sparsemax_bisect(x), entmax.entmax_bisect(x, 1.25)


@uses.add
def several_alphas(device: torch.device) -> None:
    for alpha in (1.1, 1.25, 1.5, 1.75, 2.0, 2.5):
        entmax.entmax_bisect(scores(device), alpha).sum().backward()
    for alpha in (1.5, 2, 5):
        entmax.normmax_bisect(scores(device), alpha).sum().backward()


@uses.add
def alpha_of_each_row(device: torch.device) -> None:
    alpha = 1.1 + torch.rand(BATCH, 1, device=device)
    entmax.entmax_bisect(scores(device), alpha).sum().backward()
    entmax.normmax_bisect(scores(device), 1 + alpha).sum().backward()
    budget = torch.randint(1, 5, (BATCH, 1), device=device).float()
    entmax.budget_bisect(scores(device), budget).sum().backward()


@uses.add
def learned_alpha(device: torch.device) -> None:
    alpha = torch.tensor(1.33, device=device, requires_grad=True)
    optimizer = torch.optim.SGD([alpha], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        (entmax.entmax_bisect(scores(device), alpha) ** 2).sum().backward()
        optimizer.step()


class AlphaChooser(nn.Module):
    """An alpha for each head, as in adaptively sparse transformers."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.pre_alpha = nn.Parameter(torch.randn(heads))

    def forward(self) -> torch.Tensor:
        return torch.clamp(1 + torch.sigmoid(self.pre_alpha), min=1.01, max=2)


class Attention(nn.Module):
    """Attention with a sparse mapping in place of softmax."""

    def __init__(self, mapping: nn.Module | None, heads: int = 2, width: int = 8) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mapping = mapping
        self.alpha = AlphaChooser(heads) if mapping is None else None

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        query, key, value = (
            part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.project(x).chunk(3, -1)
        )
        found = (query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5).masked_fill(mask, -1e9)
        if self.mapping is not None:
            weights = self.mapping(found)
        else:
            alpha = self.alpha().view(1, -1, 1, 1).expand(batch, -1, length, 1)
            weights = entmax.EntmaxBisect(alpha, n_iter=25)(found)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, length, width))


ATTENTIONS: dict[str, Callable[[], nn.Module | None]] = {
    "sparsemax": lambda: entmax.Sparsemax(dim=-1),
    "entmax15": lambda: entmax.Entmax15(dim=-1, k=3),
    "bisection": lambda: entmax.EntmaxBisect(alpha=1.5),
    "learned alpha": lambda: None,
}


def attention_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = Attention(ATTENTIONS[name]()).to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        mask = torch.ones(5, 5, dtype=torch.bool, device=device).triu(1)
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.randn(3, 5, 8, device=device), mask).pow(2).mean().backward()
            optimizer.step()
        with torch.no_grad():
            model.eval()(torch.randn(3, 5, 8, device=device), mask)

    return use


uses.add_each("attention", ATTENTIONS, attention_use)


# Losses

LOSSES: dict[str, Callable[..., nn.Module]] = {
    "SparsemaxLoss": entmax.SparsemaxLoss,
    "SparsemaxLoss of some": lambda **more: entmax.SparsemaxLoss(k=4, **more),
    "SparsemaxBisectLoss": entmax.SparsemaxBisectLoss,
    "Entmax15Loss": entmax.Entmax15Loss,
    "Entmax15Loss of some": lambda **more: entmax.Entmax15Loss(k=4, **more),
    "EntmaxBisectLoss": lambda **more: entmax.EntmaxBisectLoss(alpha=1.3, **more),
    "NormmaxBisectLoss": entmax.NormmaxBisectLoss,
}


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for reduction in ("elementwise_mean", "sum", "none"):
            LOSSES[name](reduction=reduction)(scores(device), labels(device)).sum().backward()

    return use


def ignoring_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for reduction in ("elementwise_mean", "sum"):
            LOSSES[name](ignore_index=0, reduction=reduction)(scores(device), labels(device)).backward()

    return use


def training_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, CLASSES)).to(device)
        criterion = LOSSES[name]()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            loss = criterion(model(torch.randn(BATCH, 6, device=device)), labels(device))
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            criterion(model(torch.randn(BATCH, 6, device=device)), labels(device))

    return use


uses.add_each("loss", LOSSES, loss_use)
uses.add_each("loss with padding", LOSSES, ignoring_use)
uses.add_each("training with", LOSSES, training_use)


@uses.add
def loss_functions(device: torch.device) -> None:
    target = labels(device)
    entmax.sparsemax_loss(scores(device), target, k=5).mean().backward()
    entmax.sparsemax_bisect_loss(scores(device), target, n_iter=20).mean().backward()
    entmax.entmax15_loss(scores(device), target).mean().backward()
    entmax.entmax_bisect_loss(scores(device), target, alpha=1.7).mean().backward()
    entmax.normmax_bisect_loss(scores(device), target, alpha=3).mean().backward()


@uses.add
def sequence_loss(device: torch.device) -> None:
    out = scores(device, 2, 5, CLASSES)
    target = torch.randint(0, CLASSES, (2, 5), device=device)
    entmax.Entmax15Loss(k=64, ignore_index=0)(out.view(-1, CLASSES), target.view(-1)).backward()


if __name__ == "__main__":
    uses.main()
