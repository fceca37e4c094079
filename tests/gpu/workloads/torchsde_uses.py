"""Stochastic differential equations: solvers, adjoints, latent SDEs, SDE GANs and Brownian motions of torchsde."""

import contextlib
import io
import math
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torchsde
from torch import distributions, nn
from torchsde import BrownianInterval, BrownianPath, BrownianTree, sdeint, sdeint_adjoint
from torchsde._core.base_sde import ForwardSDE
from torchsde._core.methods import select
from uses import Use, Uses

BATCH, STATE, NOISE = 4, 3, 2
DT = 0.05
uses = Uses()


class Problem(nn.Module):
    """A small neural SDE, of any type of noise."""

    def __init__(self, sde_type: str, noise_type: str) -> None:
        super().__init__()
        self.sde_type, self.noise_type = sde_type, noise_type
        self.drift = nn.Sequential(nn.Linear(STATE + 1, 8), nn.Softplus(), nn.Linear(8, STATE))
        self.noises = {"diagonal": 1, "scalar": 1}.get(noise_type, NOISE)
        self.diffusion = nn.Sequential(nn.Linear(STATE + 1, STATE * self.noises), nn.Sigmoid())
        self.additive = nn.Linear(1, STATE * self.noises)

    def f(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.drift(torch.cat([t.expand(len(y), 1), y], 1)) - y

    def g(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        time = t.expand(len(y), 1)
        if self.noise_type == "additive":
            return self.additive(time).view(len(y), STATE, self.noises)
        g = 0.3 * self.diffusion(torch.cat([time, y], 1))
        return g if self.noise_type == "diagonal" else g.view(len(y), STATE, self.noises)

    def h(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return -y


class Products(Problem):
    """One that gives the product of its diffusion with a vector too."""

    def g_prod(self, t: torch.Tensor, y: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        g = self.g(t, y)
        return g * v if self.noise_type == "diagonal" else torch.bmm(g, v.unsqueeze(-1)).squeeze(-1)


class Together(nn.Module):
    """An SDE whose drift and diffusion come from one network."""

    sde_type, noise_type = "stratonovich", "diagonal"

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(STATE, 2 * STATE)

    def f_and_g(self, t: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        f, g = torch.tanh(self.net(y)).chunk(2, dim=1)
        return f, g


class TogetherProduct(Together):
    """One that gives the product as well."""

    def f_and_g_prod(self, t: torch.Tensor, y: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        f, g = self.f_and_g(t, y)
        return f, g * v


def start(device: torch.device) -> torch.Tensor:
    return torch.full((BATCH, STATE), 0.1, device=device)


def times(device: torch.device, count: int = 3) -> torch.Tensor:
    return torch.linspace(0, 0.3, count, device=device)


# Solvers

DIAGONALS = ("diagonal", "additive", "scalar")
NOISES = (*DIAGONALS, "general")
ITO: dict[str, tuple[str, ...]] = {"euler": NOISES, "milstein": DIAGONALS, "srk": DIAGONALS}
STRATONOVICH: dict[str, tuple[str, ...]] = {
    "midpoint": NOISES,
    "heun": NOISES,
    "euler_heun": NOISES,
    "milstein": DIAGONALS,
    "log_ode": NOISES,
    "reversible_heun": NOISES,
}
SOLVED = [
    f"{sde_type} {method} {noise}"
    for sde_type, methods in (("ito", ITO), ("stratonovich", STRATONOVICH))
    for method, noises in methods.items()
    for noise in noises
]


def solved_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        sde_type, method, noise = name.split()
        sde = Problem(sde_type, noise).to(device)
        y0 = start(device).requires_grad_()
        ys = sdeint(sde, y0, times(device), method=method, dt=DT)
        ys[-1].sum().backward()
        with torch.no_grad():
            sdeint(sde, start(device), [0.0, 0.2], method=method, dt=0.1)

    return use


uses.add_each("solved", SOLVED, solved_use)


def adaptive_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        sde_type, method, noise = name.split()
        sde = Problem(sde_type, noise).to(device)
        with torch.no_grad():
            sdeint(sde, start(device), times(device), method=method, dt=0.1, adaptive=True, rtol=0.05, atol=0.05)

    return use


uses.add_each(
    "adaptive",
    ("ito srk diagonal", "ito milstein scalar", "ito euler diagonal", "stratonovich midpoint general"),
    adaptive_use,
)


def default_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        sde_type, noise = name.split()
        sde = Problem(sde_type, noise).to(device)
        ys = sdeint(sde, start(device), times(device), dt=DT)
        ys.mean().backward()

    return use


uses.add_each("default", ("ito diagonal", "ito general", "ito additive", "stratonovich scalar"), default_use)


@uses.add
def without_gradients_of_the_diffusion(device: torch.device) -> None:
    for sde_type in ("ito", "stratonovich"):
        for noise in DIAGONALS:
            sde = Problem(sde_type, noise).to(device)
            sdeint(sde, start(device), times(device), method="milstein", dt=DT, options={"grad_free": True})


@uses.add
def double_precision(device: torch.device) -> None:
    sde = Problem("ito", "diagonal").double().to(device)
    sdeint(sde, start(device).double(), times(device).double(), dt=DT)


def products_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        kind, method = name.split()
        sde = {"g_prod": lambda: Products("stratonovich", "general"), "f_and_g": Together}.get(kind, TogetherProduct)()
        sde.to(device)
        sdeint(sde, start(device), times(device), method=method, dt=DT)
        if method == "midpoint":
            sdeint_adjoint(sde, start(device), times(device), method=method, dt=DT).sum().backward()

    return use


uses.add_each(
    "given",
    ("g_prod midpoint", "g_prod euler_heun", "f_and_g midpoint", "f_and_g reversible_heun", "f_and_g_prod midpoint"),
    products_use,
)


@uses.add
def renamed(device: torch.device) -> None:
    class Named(torchsde.SDEIto):
        def __init__(self) -> None:
            super().__init__(noise_type="diagonal")
            self.net = nn.Linear(STATE, STATE)

        def foo(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return self.net(y)

        def bar(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return 0.1 * y

    names = {"drift": "foo", "diffusion": "bar"}
    sde = Named().to(device)
    sdeint(sde, start(device), times(device), dt=DT, names=names)
    sdeint_adjoint(sde, start(device), times(device), dt=DT, names=names).sum().backward()


@uses.add
def geometric_brownian_motion(device: torch.device) -> None:
    class Geometric(torchsde.SDEStratonovich):
        def __init__(self) -> None:
            super().__init__(noise_type="diagonal")
            self.mu = nn.Parameter(torch.tensor([0.5, 0.1, 0.2]))
            self.sigma = nn.Parameter(torch.tensor([0.3, 0.4, 0.2]))

        def f(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return self.mu * y

        def g(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return self.sigma * y

    sde = Geometric().to(device)
    optimizer = torch.optim.Adam(sde.parameters(), lr=0.01)
    for _ in range(2):
        ys = sdeint(sde, start(device), times(device, 5), dt=DT, method="heun")
        loss = (ys[-1].log().mean(0) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# Adjoints

MILSTEIN = {"method": "milstein", "adjoint_method": "milstein"}
ADJOINTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "ito diagonal": ("ito", "diagonal", {}),
    "ito diagonal euler": ("ito", "diagonal", {"method": "euler", "adjoint_method": "euler"}),
    "ito diagonal milstein": ("ito", "diagonal", MILSTEIN),
    "ito additive": ("ito", "additive", {}),
    "ito scalar": ("ito", "scalar", {}),
    "ito general": ("ito", "general", {"adjoint_method": "euler"}),
    "stratonovich diagonal": ("stratonovich", "diagonal", {}),
    "stratonovich diagonal milstein": (
        "stratonovich",
        "diagonal",
        {"method": "milstein", "adjoint_method": "milstein"},
    ),
    "stratonovich additive": ("stratonovich", "additive", {"method": "heun", "adjoint_method": "heun"}),
    "stratonovich scalar": ("stratonovich", "scalar", {"adjoint_method": "euler_heun"}),
    "stratonovich general": ("stratonovich", "general", {}),
    "stratonovich log ode": ("stratonovich", "general", {"method": "log_ode"}),
    "reversible diagonal": ("stratonovich", "diagonal", {"method": "reversible_heun"}),
    "reversible additive": ("stratonovich", "additive", {"method": "reversible_heun"}),
    "reversible general": (
        "stratonovich",
        "general",
        {"method": "reversible_heun", "adjoint_method": "adjoint_reversible_heun"},
    ),
    "adaptive": (
        "stratonovich",
        "diagonal",
        {
            "adaptive": True,
            "adjoint_adaptive": True,
            "rtol": 0.05,
            "atol": 0.05,
            "adjoint_rtol": 0.1,
            "adjoint_atol": 0.1,
        },
    ),
}


def adjoint_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        sde_type, noise, more = ADJOINTS[name]
        sde = Problem(sde_type, noise).to(device)
        y0 = start(device).requires_grad_()
        ys = sdeint_adjoint(sde, y0, times(device), dt=DT, **more)
        ys.square().sum().backward()

    return use


uses.add_each("adjoint", ADJOINTS, adjoint_use)


@uses.add
def adjoint_of_some_parameters(device: torch.device) -> None:
    sde = Problem("stratonovich", "diagonal").to(device)
    bm = BrownianInterval(0.0, 0.3, size=(BATCH, STATE), device=device, levy_area_approximation="space-time")
    ys = sdeint_adjoint(
        sde, start(device), times(device), bm=bm, dt=DT, adjoint_params=tuple(sde.drift.parameters()), method="midpoint"
    )
    ys[-1].sum().backward()


@uses.add
def adjoint_twice(device: torch.device) -> None:
    sde = Problem("stratonovich", "diagonal").to(device)
    y0 = start(device).requires_grad_()
    ys = sdeint_adjoint(sde, y0, times(device, 2), dt=0.1, method="midpoint")
    (grad,) = torch.autograd.grad(ys[-1].square().sum(), y0, create_graph=True)
    grad.square().sum().backward()


# Log ratios and extra states


def log_ratio_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        sde_type, noise = name.split()
        sde = Problem(sde_type, noise).to(device)
        for solve in (sdeint, sdeint_adjoint):
            ys, log_ratio = solve(sde, start(device), times(device), dt=DT, logqp=True)
            (ys[-1].sum() + log_ratio.sum(0).mean()).backward()
        if sde_type == "stratonovich":
            sdeint(sde, start(device), times(device), dt=DT, logqp=True, method="reversible_heun", extra=True)

    return use


uses.add_each(
    "log ratio",
    ("ito diagonal", "ito general", "ito scalar", "stratonovich diagonal", "stratonovich additive"),
    log_ratio_use,
)


@uses.add
def extra_state(device: torch.device) -> None:
    sde = Problem("stratonovich", "general").to(device)
    for solve in (sdeint, sdeint_adjoint):
        ys, state = solve(sde, start(device), times(device), dt=DT, method="reversible_heun", extra=True)
        more = solve(
            sde, ys[-1], times(device) + 0.3, dt=DT, method="reversible_heun", extra=True, extra_solver_state=state
        )
        more[0].sum().backward()


# Examples


class LatentSDE(torchsde.SDEIto):
    """A posterior against an Ornstein-Uhlenbeck prior, as in the example."""

    def __init__(self, theta: float = 1.0, mu: float = 0.0, sigma: float = 0.5) -> None:
        super().__init__(noise_type="diagonal")
        logvar = math.log(sigma**2 / (2.0 * theta))
        self.register_buffer("theta", torch.tensor([[theta]]))
        self.register_buffer("mu", torch.tensor([[mu]]))
        self.register_buffer("sigma", torch.tensor([[sigma]]))
        self.register_buffer("py0_mean", torch.tensor([[mu]]))
        self.register_buffer("py0_logvar", torch.tensor([[logvar]]))
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
        self.qy0_mean = nn.Parameter(torch.tensor([[mu]]))
        self.qy0_logvar = nn.Parameter(torch.tensor([[logvar]]))

    def f(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if t.dim() == 0:
            t = torch.full_like(y, fill_value=t)
        return self.net(torch.cat((torch.sin(t), torch.cos(t), y), dim=-1))

    def g(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.sigma.repeat(y.size(0), 1)

    def h(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.theta * (self.mu - y)

    def f_aug(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        y = y[:, 0:1]
        f, g, h = self.f(t, y), self.g(t, y), self.h(t, y)
        u = (f - h) / g
        return torch.cat([f, 0.5 * (u**2).sum(dim=1, keepdim=True)], dim=1)

    def g_aug(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        g = self.g(t, y[:, 0:1])
        return torch.cat([g, torch.zeros_like(y[:, 0:1])], dim=1)

    def forward(self, ts: torch.Tensor, batch: int, adjoint: bool) -> tuple[torch.Tensor, torch.Tensor]:
        q = distributions.Normal(self.qy0_mean, torch.exp(0.5 * self.qy0_logvar))
        p = distributions.Normal(self.py0_mean, torch.exp(0.5 * self.py0_logvar))
        y0 = self.qy0_mean + torch.randn(batch, 1, device=ts.device) * torch.exp(0.5 * self.qy0_logvar)
        solve = sdeint_adjoint if adjoint else sdeint
        aug = solve(
            self,
            torch.cat([y0, torch.zeros_like(y0)], dim=1),
            ts,
            method="euler",
            dt=DT,
            names={"drift": "f_aug", "diffusion": "g_aug"},
        )
        kl = distributions.kl_divergence(q, p).sum(1).mean() + aug[-1, :, 1].mean()
        return aug[:, :, 0], kl


def latent_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = LatentSDE().to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        ts, target = times(device, 4), torch.randn(4, 1, device=device)
        for _ in range(2):
            ys, kl = model(ts, 8, name == "adjoint")
            likelihood = distributions.Laplace(ys, 0.1).log_prob(target).sum(0).mean()
            loss = kl - likelihood
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()
        model.eval()
        bm = BrownianInterval(0.0, 0.3, size=(8, 1), device=device, levy_area_approximation="space-time")
        with torch.no_grad():
            sdeint(model, torch.zeros(8, 1, device=device), ts, bm=bm, method="srk", names={"drift": "h"}, dt=DT)

    return use


uses.add_each("latent sde", ("sdeint", "adjoint"), latent_use)


class LatentLorenz(nn.Module):
    """A latent SDE with a context, as in the Lorenz example."""

    sde_type, noise_type = "ito", "diagonal"

    def __init__(self, data: int = 3, latent: int = 2, context: int = 4) -> None:
        super().__init__()
        self.encoder = nn.GRU(data, 8)
        self.to_context = nn.Linear(8, context)
        self.qz0 = nn.Linear(context, 2 * latent)
        self.posterior = nn.Sequential(nn.Linear(latent + context, 8), nn.Softplus(), nn.Linear(8, latent))
        self.prior = nn.Sequential(nn.Linear(latent, 8), nn.Softplus(), nn.Linear(8, latent))
        self.diffusions = nn.ModuleList(
            nn.Sequential(nn.Linear(1, 4), nn.Softplus(), nn.Linear(4, 1), nn.Sigmoid()) for _ in range(latent)
        )
        self.projector = nn.Linear(latent, data)
        self._context: tuple[torch.Tensor, torch.Tensor] | None = None

    def f(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ts, context = self._context  # type: ignore[misc]
        i = min(torch.searchsorted(ts, t, right=True), len(ts) - 1)
        return self.posterior(torch.cat((y, context[i]), dim=1))

    def h(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.prior(y)

    def g(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        parts = [net(part) for net, part in zip(self.diffusions, torch.split(y, 1, dim=1), strict=True)]
        return torch.cat(parts, dim=1)

    def forward(self, xs: torch.Tensor, ts: torch.Tensor, adjoint: bool) -> torch.Tensor:
        hidden, _ = self.encoder(torch.flip(xs, dims=(0,)))
        context = self.to_context(torch.flip(hidden, dims=(0,)))
        self._context = (ts, context)
        mean, logstd = self.qz0(context[0]).chunk(2, dim=1)
        z0 = mean + logstd.exp() * torch.randn_like(mean)
        if adjoint:
            params = (ts, context, *self.posterior.parameters(), *self.diffusions.parameters())
            zs, log_ratio = sdeint_adjoint(
                self, z0, ts, adjoint_params=params, dt=0.1, logqp=True, method="euler", adjoint_method="euler"
            )
        else:
            zs, log_ratio = sdeint(self, z0, ts, dt=0.1, logqp=True, method="euler")
        likelihood = distributions.Normal(self.projector(zs), 0.1).log_prob(xs).sum((0, 2)).mean()
        return log_ratio.sum(0).mean() - likelihood


def lorenz_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = LatentLorenz().to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        ts, xs = torch.linspace(0, 0.4, 4, device=device), torch.randn(4, BATCH, 3, device=device)
        for _ in range(2):
            model.zero_grad()
            loss = model(xs, ts, name == "adjoint")
            loss.backward()
            optimizer.step()
        bm = BrownianInterval(0.0, 0.4, size=(BATCH, 2), device=device)
        with torch.no_grad():
            zs = sdeint(
                model,
                torch.randn(BATCH, 2, device=device),
                ts,
                names={"drift": "h"},
                dt=0.1,
                bm=bm,
                method="euler",
            )
            model.projector(zs).cpu().numpy()

    return use


uses.add_each("latent lorenz", ("sdeint", "adjoint"), lorenz_use)


class Generator(nn.Module):
    """The generator of an SDE GAN, as in the example."""

    def __init__(self) -> None:
        super().__init__()
        self.initial = nn.Linear(2, STATE)
        self.func = Problem("stratonovich", "general")
        self.readout = nn.Linear(STATE, 1)

    def forward(self, ts: torch.Tensor, batch: int) -> torch.Tensor:
        x0 = self.initial(torch.randn(batch, 2, device=ts.device))
        xs = sdeint_adjoint(
            self.func, x0, ts, method="reversible_heun", dt=0.1, adjoint_method="adjoint_reversible_heun"
        )
        return self.readout(xs.transpose(0, 1))


@uses.add
def sde_gan(device: torch.device) -> None:
    generator, critic = Generator().to(device), nn.GRU(1, 4, batch_first=True).to(device)
    one = torch.optim.Adadelta(generator.parameters(), lr=1.0)
    two = torch.optim.Adadelta(critic.parameters(), lr=1.0)
    ts, real = torch.linspace(0, 0.3, 4, device=device), torch.randn(BATCH, 4, 1, device=device)
    for _ in range(2):
        score = critic(generator(ts, BATCH))[0].mean() - critic(real)[0].mean()
        score.backward()
        for parameter in generator.parameters():
            parameter.grad.neg_()
        one.step()
        two.step()
        one.zero_grad()
        two.zero_grad()


@uses.add
def continuous_ddpm(device: torch.device) -> None:
    class Reverse(nn.Module):
        sde_type, noise_type = "stratonovich", "diagonal"

        def __init__(self) -> None:
            super().__init__()
            self.score = nn.Linear(17, 16)

        def f(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            beta = 0.1 + 5 * (1 - t)
            time = (1 - t).expand(len(y), 1)
            return 0.5 * beta * y + beta * self.score(torch.cat([y, time], 1))

        def g(self, t: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return (0.1 + 5 * (1 - t)).sqrt().expand_as(y)

    ts = torch.linspace(0.0, 1.0, 3, device=device)
    with torch.no_grad():
        sdeint_adjoint(Reverse().to(device), torch.randn(2, 16, device=device), ts, dt=0.1, method="midpoint")


# Brownian motions

AREAS = ("none", "space-time", "davie", "foster")


def interval_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        for more in ({}, {"dt": 0.05}, {"cache_size": None}, {"halfway_tree": True, "tol": 1e-4}):
            bm = BrownianInterval(
                0.0, 1.0, size=(BATCH, NOISE), device=device, levy_area_approximation=name, entropy=1, **more
            )
            edges = np.linspace(0, 1, 11)
            for a, b in pairwise(edges):
                bm(a, b)
            for a, b in ((0.35, 0.8), (0.5, 0.5), (0.1, 0.12)):
                bm(a, b, return_U=name != "none", return_A=name in ("davie", "foster"))

    return use


uses.add_each("brownian interval", AREAS, interval_use)


@uses.add
def many_queries(device: torch.device) -> None:
    bm = BrownianInterval(0.0, 1.0, size=(BATCH,), device=device, levy_area_approximation="space-time", cache_size=10)
    edges = torch.linspace(0, 1, 151)
    for a, b in pairwise(edges):
        bm(a, b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bm(0.3), bm(-0.1, 0.5), bm(0.9, 1.2)


@uses.add
def given_increments(device: torch.device) -> None:
    w, h = torch.randn(BATCH, NOISE, device=device), torch.randn(BATCH, NOISE, device=device)
    bm = BrownianInterval(0.0, 1.0, W=w, H=h, levy_area_approximation="space-time", cache_size=0)
    bm(0.0, 1.0, return_U=True), bm(0.2, 0.7)
    scalar = BrownianInterval(0.0, 1.0, size=(), device=device, levy_area_approximation="davie")
    scalar(0.1, 0.6)
    repr(bm), bm.shape, bm.dtype, bm.device, bm.levy_area_approximation, bm.size()
    with contextlib.redirect_stdout(io.StringIO()):
        bm.display_binary_tree()


DERIVED: dict[str, Callable[[torch.device], Any]] = {
    "path": lambda device: BrownianPath(t0=0.0, w0=torch.zeros(BATCH, STATE, device=device)),
    "tree": lambda device: BrownianTree(t0=0.0, w0=torch.zeros(BATCH, STATE, device=device), tol=1e-3, entropy=3),
    "tree to an end": lambda device: BrownianTree(
        t0=0.0,
        w0=torch.zeros(BATCH, STATE, device=device),
        t1=2.0,
        w1=torch.ones(BATCH, STATE, device=device),
        tol=1e-3,
    ),
    "like": lambda device: torchsde.brownian_interval_like(start(device)),
    "reverse": lambda device: torchsde.ReverseBrownian(torchsde.brownian_interval_like(start(device), -1.0, 0.0)),
}


def derived_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        bm = DERIVED[name](device)
        bm(0.0, 0.5), bm(0.2, 0.3), bm(0.7, 0.9)
        if name != "reverse":
            bm(0.5)
        repr(bm), bm.dtype, bm.device, bm.shape, bm.levy_area_approximation
        sde = Problem("ito", "diagonal").to(device)
        with torch.no_grad():
            sdeint(sde, start(device), times(device), bm=bm, method="euler", dt=DT)

    return use


uses.add_each("brownian", DERIVED, derived_use)


@uses.add
def same_noise(device: torch.device) -> None:
    for sde_type, method in (("ito", "srk"), ("ito", "milstein"), ("stratonovich", "log_ode")):
        sde = Problem(sde_type, "diagonal").to(device)
        bm = BrownianInterval(0.0, 0.3, size=(BATCH, STATE), device=device, levy_area_approximation="foster", dt=DT)
        coarse = sdeint(sde, start(device), times(device), bm=bm, method=method, dt=0.1)
        fine = sdeint(sde, start(device), times(device), bm=bm, method=method, dt=DT)
        (coarse - fine).abs().max().item()


@uses.add
def sum_of_jacobian_products(device: torch.device) -> None:
    sde = Problem("stratonovich", "general").to(device)
    area = torch.randn(BATCH, NOISE, NOISE, device=device)
    t, y = torch.tensor(0.1, device=device), start(device)
    slow = ForwardSDE(sde).dg_ga_jvp_column_sum(t, y, area - area.transpose(1, 2))
    fast = ForwardSDE(sde, fast_dg_ga_jvp_column_sum=True).dg_ga_jvp_column_sum(t, y, area - area.transpose(1, 2))
    torch.allclose(slow, fast, rtol=1e-3, atol=1e-4)
    select("euler", "ito")


if __name__ == "__main__":
    uses.main()
