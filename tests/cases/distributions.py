from typing import Optional

import torch
import torch.distributions as D
from torch import Tensor, nn
from torch.distributions import Categorical, Distribution, Normal, constraints


def policy(logits: Tensor, mean: Tensor, std: Tensor):
    discrete = Categorical(logits=logits)  # expect: HS602
    continuous = Normal(mean, std)  # expect: HS602
    trusted = Normal(mean, std, validate_args=False)  # silent: HS602
    other = D.Bernoulli(probs=logits.sigmoid())  # expect: HS602
    action = discrete.sample()
    drawn = trusted.rsample()  # silent: HS602
    return continuous, drawn, other, action


def likelihood(logits: Tensor, actions: Tensor):
    distribution = Categorical(logits=logits)  # expect: HS602
    log_prob = distribution.log_prob(actions)  # expect: HS602
    entropy = distribution.entropy()  # silent: HS602
    quiet = Categorical(logits=logits, validate_args=False)  # silent: HS602
    return log_prob, entropy, quiet.log_prob(actions)  # silent: HS602


def priors(latent: int):
    unit = Normal(0.0, 1.0)  # silent: HS602
    host = Normal(torch.zeros(latent), torch.ones(latent))  # silent: HS602
    device = Normal(torch.zeros(latent, device="cuda"), torch.ones(latent, device="cuda"))  # expect: HS602
    return unit, host, device


class Actor(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.net = nn.Linear(size, 2)
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, state: Tensor):
        mean = self.net(state)
        return Normal(mean, self.log_std.exp())  # expect: HS602


def by_hand(mean: Tensor, std: Tensor):
    noise = torch.randn_like(mean)
    sample = mean + std * noise
    picked = torch.multinomial(mean.softmax(-1), 1)  # silent: HS602
    return sample, picked


def on_the_host(low: float, high: float):
    mix = D.Beta(0.4, 0.4).sample().item()  # silent: HS101
    drawn = Normal(torch.tensor(low), torch.tensor(high))  # silent: HS602
    if drawn.sample() > 0:  # silent: HS201
        return mix
    return drawn.mean.item()  # silent: HS101


def on_the_device(mean: Tensor, std: Tensor):
    drawn = Normal(mean, std, validate_args=False)
    if drawn.rsample().max() > 0:  # expect: HS201
        return drawn.entropy().sum().item()  # expect: HS101
    return drawn.stddev.tolist()  # expect: HS101


class Drops(torch.nn.Module):
    """What draws by numbers draws on the CPU: those of a tuple, and those that are numbers by default."""

    def __init__(self, p=0.5, scale=(0.1, 0.9), *, probs):
        super().__init__()
        self.drops = torch.distributions.Bernoulli(p)  # silent: HS602
        self.scales = torch.distributions.Uniform(*scale)
        self.given = torch.distributions.Bernoulli(probs)  # expect: HS602

    def forward(self, x):
        dropped = self.drops.sample((len(x),)).bool()
        if dropped.sum() == 0:  # silent: HS201
            return x
        if self.scales.rsample((3,)).max() > 0.8:  # silent: HS201, HS203
            return -x
        if self.given.sample().any():  # expect: HS201
            return x + 1
        return x


class MaskedCategorical(Categorical):
    """A distribution of one's own checks what its base checks."""

    def __init__(self, logits: Tensor, mask: Tensor, validate_args=None):
        logits = logits.masked_fill(~mask, -1e9)
        super().__init__(logits=logits, validate_args=validate_args)  # expect: HS602

    def best(self):
        if self.logits.max() > 0:  # expect: HS201
            return self.log_prob(self.probs.argmax(-1))  # expect: HS602
        return None


class Unchecked(Categorical):
    def __init__(self, logits: Tensor):
        super().__init__(logits=logits, validate_args=False)  # silent: HS602


class Squashed(Distribution):
    arg_constraints = {"loc": constraints.real}

    def __init__(self, loc: Tensor, validate_args=None):
        self.loc = loc
        super().__init__(loc.shape, validate_args=validate_args)  # expect: HS602

    def log_prob(self, value):
        self._validate_sample(value)  # expect: HS602
        return value - self.loc


class Unconstrained(Distribution):
    arg_constraints = {}

    def __init__(self, loc: Tensor):
        super().__init__(loc.shape)  # silent: HS602


def handed_on(mean: Tensor, std: Tensor, validate_args: Optional[bool] = None):
    return Normal(mean, std, validate_args=validate_args)  # expect: HS602


def of_numbers(z: Tensor):
    normal = Normal(0.0, 1.0)  # silent: HS602
    return normal.log_prob(z), normal.log_prob(torch.tensor(0.5)), normal.sample()  # expect: HS602


def of_whatever(params, options: dict):
    first = Normal(*params)  # expect: HS602
    second = Normal(**options)  # expect: HS602
    third = Normal(*params, validate_args=False)  # silent: HS602
    return first, second, third


def sampler(device):
    return D.Uniform(torch.zeros(3, device=device), torch.ones(3, device=device), validate_args=False)


def drawn(x: Tensor):
    host = sampler("cpu").sample()
    if host.sum() > 1:  # silent: HS201
        return x
    there = sampler(x.device).sample()
    if there.sum() > 1:  # expect: HS201
        return x
    return host.to(x.device)  # expect: HS401


class Head:
    """Gives one of several distributions."""

    def __init__(self, kind: str):
        self.kind = kind

    def output(self, mean: Tensor, scale: Tensor):
        if self.kind == "normal":
            return Normal(mean, scale)  # expect: HS602
        if self.kind == "quiet":
            return D.Laplace(mean, scale, validate_args=False)  # silent: HS602
        return D.StudentT(4.0, mean, scale)  # expect: HS602

    def loss(self, mean: Tensor, scale: Tensor, target: Tensor):
        return -self.output(mean, scale).log_prob(target)  # expect: HS602

    def point(self, mean: Tensor, scale: Tensor):
        return self.output(mean, scale).mean  # silent: HS602


class Range(torch.distributions.Uniform):
    def rsample(self, sample_shape=()):
        drawn = torch.rand(self._extended_shape(sample_shape), device=self.low.device)
        return self.low + drawn * (self.high - self.low)


def between(x: Tensor, low: Tensor):
    on_host = Range(torch.zeros(()), torch.ones(()), validate_args=False)
    there = Range(low, low + 1.0, validate_args=False)
    moved = on_host.rsample().to(x.device)  # expect: HS401
    return moved + there.rsample().to(x.device)  # silent: HS401


def draw(shape: tuple[int, ...], dist, same: bool) -> torch.Tensor:
    if same:
        return dist.rsample(shape[:1]) if dist.has_rsample else dist.sample(shape[:1])
    return dist.rsample(shape) if dist.has_rsample else dist.sample(shape)


class Applied:
    def __init__(self, p: float, device: torch.device):
        self.chance = D.Bernoulli(p)
        self.amount = Normal(torch.zeros(1, device=device), torch.ones(1, device=device))  # expect: HS602

    def on_the_cpu(self, size: int) -> bool:
        chosen = draw((size,), self.chance, False)
        return bool(chosen.sum() > 0)

    def on_the_device(self, size: int) -> float:
        return draw((size,), self.amount, True).sum().item()  # expect: HS101


def by_the_file_that_defines_it(loc: torch.Tensor, scale: torch.Tensor) -> object:
    return torch.distributions.normal.Normal(loc, scale)  # expect: HS602


class Gaussian:
    """To draw from a normal distribution asks whether its deviation is negative, whether it validates or not."""

    def __init__(self, mean: Tensor, std: Tensor):
        self.base = Normal(mean, std, validate_args=False)

    def sample(self):
        return self.base.sample()  # expect: HS602

    def likelihood(self, value):
        return self.base.rsample(), self.base.log_prob(value)  # silent: HS602


class Prior(Normal):
    """Checks nothing unless it is asked to."""

    def __init__(self, loc: Tensor, scale: Tensor, validate_args: bool = False):
        super().__init__(loc, scale, validate_args=validate_args)  # silent: HS602

    def shifted(self, value: Tensor):
        return self.log_prob(value - 1)  # silent: HS602


class Bounded(Distribution):
    arg_constraints = {"low": constraints.real}

    def __init__(self, low: Tensor, validate_args=False):
        self.low = low
        Distribution.__init__(self, low.shape, validate_args=validate_args)  # silent: HS602

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)  # silent: HS602
        return value - self.low


class Asking(Prior):
    def __init__(self, loc: Tensor, scale: Tensor, validate_args=None):
        super().__init__(loc, scale, validate_args=validate_args)


def of_unchecked_priors(loc: Tensor, scale: Tensor, value: Tensor):
    quiet = Prior(loc, scale)
    asked = Prior(loc, scale, validate_args=True)
    asking = Asking(loc, scale)
    return (
        quiet.log_prob(value),  # silent: HS602
        asked.log_prob(value),  # expect: HS602
        asking.log_prob(value),  # expect: HS602
        quiet.sample(),  # expect: HS602
    )


class Drawn:
    def __init__(self, array):
        self.noise = Normal(0.0, 1.0)

    def draw(self):
        # On the CPU by default only.
        drawn = self.noise.sample((4,)).cuda()  # expect: HS401  # likely: HS401
        return drawn, self.noise.mean.cuda()  # expect: HS401  # likely: HS401


def explore(actor, actions: torch.Tensor, noise):
    actions = actions + torch.normal(0, actor.scale * noise)  # expect: HS605
    return actions + torch.normal(0.0, noise, size=(3,))  # silent: HS605


class AnyFamily:
    """Whatever distribution it is, the value is checked: by it, or by the one that it is made of."""

    def __init__(self, family):
        self.family = family

    def made(self, x: Tensor) -> Distribution:
        return self.family(x)

    def loss(self, x: Tensor, target: Tensor, prior: D.Distribution):
        made = self.made(x)
        return made.log_prob(target) + prior.log_prob(x)  # expect: HS602, HS602


def of_several(mean: Tensor, std: Tensor, action: Tensor):
    joint = D.Independent(Normal(mean, std), 1)  # expect: HS602
    trusted = D.Independent(Normal(mean, std, validate_args=False), 1)  # silent: HS602
    quiet = trusted.log_prob(action)  # silent: HS602
    return joint.log_prob(action) - quiet, joint.entropy()  # expect: HS602


def by_name(policy, batch, flow, prior, x: Tensor, actions):
    dist = policy(batch).dist
    ratio = (dist.log_prob(batch.actions) - batch.logp_old).exp()  # expect: HS602
    entropy = policy(batch).distribution.log_prob(actions)  # expect: HS602
    return ratio + entropy + flow.log_prob(x) + prior.log_prob(x)  # silent: HS602


def by_short_names(policy, batch, actions):
    action_distrib = policy(batch)
    next_dists = policy(batch.next)
    total = action_distrib.log_prob(actions)  # expect: HS602
    return total + next_dists.log_prob(actions)  # expect: HS602


def of_what_a_module_gives(net: torch.nn.Module, x):
    return torch.distributions.Categorical(logits=net(x))  # expect: HS602


class Shapes:
    """What comes after the library's class in the list of bases gives way to it."""

    def log_prob(self, value):
        raise NotImplementedError


class Gamma(torch.distributions.Gamma, Shapes):
    pass


class Beta(torch.distributions.Beta, Shapes):
    def log_prob(self, value):
        return super().log_prob(value)  # expect: HS602


class Own(Shapes, torch.distributions.Beta):
    def log_prob(self, value):
        return super().log_prob(value)  # silent: HS602


def gamma(a: torch.Tensor, x: torch.Tensor):
    return Gamma(a, a).log_prob(x)  # expect: HS602


def dimensions(mean: Tensor, std: Tensor):
    joint = D.Independent(Normal(mean, std), 1)  # expect: HS602
    scale = joint.base_dist.scale
    if joint.reinterpreted_batch_ndims == 0:  # silent: HS201
        return scale
    if Normal(mean, std, validate_args=False).loc.sum() > 0:  # expect: HS201
        return scale
    return joint


def drawn_in_a_shape(mean: Tensor, scale: Tensor, given: Normal):
    made = Normal(mean, scale, validate_args=False)
    several = made.sample((3,)), given.sample(torch.Size([2]))  # expect: HS602
    numbers = Normal(0.0, 1.0).sample((3,)), Normal(torch.zeros(2), torch.ones(2)).sample((3,))  # silent: HS602
    return several, numbers, made.rsample((3,))  # silent: HS602


class Autoencoder(nn.Module):
    def generate(self, z: Tensor):
        return {"pz": Normal(torch.zeros_like(z), torch.ones_like(z), validate_args=False)}

    def infer(self, z: Tensor):
        return {"z": z, "posterior": Normal(z, z.exp())}  # expect: HS602

    def loss(self, inferred, generated):
        prior = generated["pz"]
        return inferred["posterior"].log_prob(inferred["z"]) - prior.log_prob(inferred["z"])  # expect: HS602

    def switched_off(self, z: Tensor, generated):
        return generated["pz"].log_prob(z)  # silent: HS602

    def divergence(self, z: Tensor, prior):
        return prior.log_prob(z)  # expect: HS602

    def forward(self, z: Tensor):
        generated = self.generate(z)
        self.switched_off(z, generated)
        self.divergence(z, Normal(z, 1.0))  # expect: HS602
        return self.loss(self.infer(z), generated)


def by_what_they_are_called(outputs: dict[str, Tensor | Distribution], z: Tensor, qz, mixture_dist_s, flow):
    likelihoods = qz.log_prob(z), outputs["px"].log_prob(z), mixture_dist_s.log_prob(z)  # expect: HS602
    return likelihoods, flow.log_prob(z), outputs["z"].log()  # silent: HS602


class Noise(nn.Module):
    def __init__(self, config, std):
        super().__init__()
        self.of_numbers = Normal(loc=0.0, scale=config.std, validate_args=False)
        self.of_tensors = Normal(std, std, validate_args=False)  # silent: HS602

    def forward(self, x: Tensor):
        noise = self.of_numbers.sample(x.shape)  # silent: HS602
        more = self.of_tensors.sample(x.shape)  # expect: HS602
        return x + noise.to(x.device) + more  # expect: HS401


class Discrete(Categorical):
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)


class Mixin:
    def __new__(cls, *args):
        return object.__new__(cls)


class Made(Mixin, Normal):
    pass


class Choosing(nn.Module):
    """What has no constructor of its own checks what it is given in that of the class that it is derived from."""

    def __init__(self, init):
        super().__init__()
        self.linear = init(nn.Linear(3, 3))

    def forward(self, x):
        x = self.linear(x)
        return Discrete(logits=x)  # expect: HS602

    def trusting(self, x: Tensor):
        return Discrete(logits=x, validate_args=False)  # silent: HS602

    def otherwise(self, x: Tensor):
        return Made(x, x.exp())  # silent: HS602
