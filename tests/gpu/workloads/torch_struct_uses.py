"""Chains, segments, trees, grammars, semirings and autoregressive search of torch_struct."""

from collections.abc import Callable

import torch
import torch_struct
from torch import nn
from torch_struct import (
    CKY,
    CKY_CRF,
    HMM,
    Autoregressive,
    AutoregressiveModel,
    CheckpointSemiring,
    CheckpointShardSemiring,
    CrossEntropySemiring,
    DependencyCRF,
    DepTree,
    EntropySemiring,
    GumbelCRFSemiring,
    GumbelMaxSemiring,
    KLDivergenceSemiring,
    KMaxSemiring,
    LinearChain,
    LinearChainCRF,
    LogSemiring,
    MaxSemiring,
    MultiSampledSemiring,
    NonProjectiveDependencyCRF,
    SampledSemiring,
    SemiMarkov,
    SemiMarkovCRF,
    SentCFG,
    SparseMaxSemiring,
    StdSemiring,
    TreeCRF,
)
from torch_struct.distributions import StructDistribution
from uses import Use, Uses

BATCH, LENGTH, STATES, WIDTH, TERMINALS = 3, 6, 4, 3, 5
uses = Uses()


def chain(device: torch.device) -> torch.Tensor:
    return torch.randn(BATCH, LENGTH - 1, STATES, STATES, device=device)


def segments(device: torch.device) -> torch.Tensor:
    return torch.randn(BATCH, LENGTH - 1, WIDTH, STATES, STATES, device=device)


def arcs(device: torch.device) -> torch.Tensor:
    return torch.randn(BATCH, LENGTH, LENGTH, device=device, requires_grad=True)


def labeled_arcs(device: torch.device) -> torch.Tensor:
    return torch.randn(BATCH, LENGTH, LENGTH, STATES, device=device, requires_grad=True)


def spans(device: torch.device) -> torch.Tensor:
    return torch.randn(BATCH, LENGTH, LENGTH, STATES, device=device)


def grammar(device: torch.device) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    both = STATES + TERMINALS
    return (
        torch.randn(BATCH, LENGTH, TERMINALS, device=device),
        torch.randn(BATCH, STATES, both, both, device=device),
        torch.randn(BATCH, STATES, device=device),
    )


def lengths_on(device: torch.device) -> torch.Tensor:
    return torch.tensor([LENGTH, LENGTH - 1, LENGTH - 2], device=device)


Make = Callable[..., StructDistribution]
CRFS: dict[str, tuple[Make, Callable[[torch.device], torch.Tensor]]] = {
    "chain": (LinearChainCRF, chain),
    "segments": (SemiMarkovCRF, segments),
    "dependencies": (DependencyCRF, arcs),
    "single root": (lambda scores, **more: DependencyCRF(scores, multiroot=False, **more), arcs),
    "labeled dependencies": (DependencyCRF, labeled_arcs),
    "tree": (TreeCRF, spans),
}


def crf_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, data = CRFS[name]
        crf = made(data(device))
        _ = crf.partition, crf.marginals, crf.entropy, crf.max
        if name in ("chain", "segments", "tree"):
            _ = crf.count
        crf.log_prob(crf.mode.contiguous())
        _ = made(data(device), lengths=lengths_on(device)).argmax

    return use


def train_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, data = CRFS[name]
        gold = made(data(device)).argmax.detach().contiguous()
        scores = data(device).requires_grad_()
        optimizer = torch.optim.SGD([scores], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            loss = -made(scores, lengths=lengths_on(device)).log_prob(gold).mean()
            loss.backward()
            optimizer.step()

    return use


def top_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, data = CRFS[name]
        crf = made(data(device))
        crf.topk(3)
        crf.kmax(3)

    return use


def sample_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, data = CRFS[name]
        crf = made(data(device))
        crf.log_prob(crf.sample((4,)))
        crf.sample((11,))

    return use


def divergence_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, data = CRFS[name]
        one, other = made(data(device).requires_grad_()), made(data(device))
        one.cross_entropy(other)
        one.kl(other).sum().backward()

    return use


uses.add_each("distribution of", CRFS, crf_use)
uses.add_each("training of", CRFS, train_use)
uses.add_each("top of", CRFS, top_use)
uses.add_each("samples of", CRFS, sample_use)
uses.add_each("divergence of", ("chain", "tree"), divergence_use)


@uses.add
def hidden_markov_model(device: torch.device) -> None:
    transition = torch.randn(STATES, STATES, device=device).log_softmax(0)
    emission = torch.randn(20, STATES, device=device).log_softmax(0)
    init = torch.randn(STATES, device=device).log_softmax(0)
    model = HMM(transition, emission, init, torch.randint(0, 20, (BATCH, LENGTH), device=device))
    _ = model.partition, model.marginals, model.entropy
    model.from_event(model.argmax)


@uses.add
def tagging_with_lstm(device: torch.device) -> None:
    embedding = nn.Embedding(30, 8).to(device)
    lstm = nn.LSTM(8, 8, batch_first=True, bidirectional=True).to(device)
    emit = nn.Linear(16, STATES).to(device)
    transition = nn.Linear(STATES, STATES).to(device)
    parts = nn.ModuleList([embedding, lstm, emit, transition])
    optimizer = torch.optim.Adam(parts.parameters(), lr=0.01)
    words = torch.randint(0, 30, (BATCH, LENGTH), device=device)
    tags = torch.randint(0, STATES, (BATCH, LENGTH))
    lengths = torch.tensor([LENGTH, LENGTH - 1, LENGTH - 2])
    for _ in range(2):
        optimizer.zero_grad()
        out, _ = lstm(embedding(words))
        final = transition.weight.transpose(0, 1)
        scores = emit(out).view(BATCH, LENGTH, STATES, 1)[:, 1:] + final.view(1, 1, STATES, STATES)
        scores[:, 0] += emit(out)[:, 0].unsqueeze(1)
        crf = LinearChainCRF(scores.contiguous(), lengths=lengths.to(device))
        event = LinearChain.to_parts(tags, STATES, lengths=lengths).type_as(scores)
        loss = -crf.log_prob(event).mean()
        loss.backward()
        optimizer.step()
    crf.from_event(crf.argmax)


@uses.add
def events_of_chain(device: torch.device) -> None:
    crf = LinearChainCRF(chain(device))
    crf.from_event(crf.argmax)
    sequence = torch.randint(0, STATES, (BATCH, LENGTH))
    crf.log_prob(crf.to_event(sequence, STATES).to(device))


@uses.add
def events_of_segments(device: torch.device) -> None:
    crf = SemiMarkovCRF(segments(device))
    sequence, extra = crf.from_event(crf.argmax)
    crf.log_prob(crf.to_event(sequence, extra).to(device))


@uses.add
def events_of_dependencies(device: torch.device) -> None:
    crf = DependencyCRF(arcs(device))
    heads, _ = crf.from_event(crf.argmax)
    crf.log_prob(crf.to_event(heads, None).to(device))


@uses.add
def gradients_of_marginals(device: torch.device) -> None:
    scores = chain(device).requires_grad_()
    marginals = LinearChainCRF(scores).marginals
    (marginals**2).sum().backward()
    entropy = LinearChainCRF(scores).entropy
    entropy.sum().backward()


@uses.add
def non_projective(device: torch.device) -> None:
    for multiroot in (False, True):
        scores = arcs(device).requires_grad_()
        crf = NonProjectiveDependencyCRF(scores, multiroot=multiroot)
        crf.partition.sum().backward()
        _ = crf.marginals
        _ = NonProjectiveDependencyCRF(arcs(device), lengths=lengths_on(device), multiroot=multiroot).partition


@uses.add
def non_projective_with_lengths(device: torch.device) -> None:
    crf = NonProjectiveDependencyCRF(arcs(device), lengths=lengths_on(device), multiroot=True)
    _ = crf.partition, crf.marginals
    torch_struct.deptree_part(arcs(device), False, lengths=[LENGTH] * BATCH)


# Grammars


@uses.add
def sentence_grammar(device: torch.device) -> None:
    cfg = SentCFG(grammar(device))
    _ = cfg.partition, cfg.marginals, cfg.argmax, cfg.max, cfg.entropy
    _ = SentCFG(grammar(device), lengths=lengths_on(device)).argmax


@uses.add
def train_grammar(device: torch.device) -> None:
    parts = [part.requires_grad_() for part in grammar(device)]
    optimizer = torch.optim.Adam(parts, lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        terms, rules, roots = (parts[0].log_softmax(-1), parts[1].flatten(2).log_softmax(-1), parts[2].log_softmax(-1))
        cfg = SentCFG((terms, rules.view_as(parts[1]), roots), lengths=lengths_on(device))
        loss = -cfg.partition.mean()
        loss.backward()
        optimizer.step()


@uses.add
def grammar_scores(device: torch.device) -> None:
    struct = CKY(MaxSemiring)
    scores = grammar(device)
    struct.score(scores, struct.marginals(scores))
    CKY(KMaxSemiring(2)).marginals(grammar(device), _raw=True)
    CKY(SampledSemiring).marginals(grammar(device))


def small_tree(device: torch.device) -> torch.Tensor:
    """Two sentences of three words, each ((0 1) 2)."""
    tree = torch.zeros(2, 3, 3, STATES + TERMINALS, device=device)
    for word in range(3):
        tree[:, word, word, STATES + word] = 1
    tree[:, 0, 1, 1] = 1
    tree[:, 0, 2, 0] = 1
    return tree


@uses.add
def grammar_parts(device: torch.device) -> None:
    CKY.to_networkx(small_tree(device))
    terms, rules, roots = CKY.to_parts(small_tree(torch.device("cpu")), (STATES, TERMINALS), lengths=[3, 3])
    scores = [torch.randn(part.shape, device=device) for part in (terms, rules, roots)]
    CKY().score(scores, [part.to(device) for part in (terms, rules, roots)])


# Semirings

SEMIRINGS = {
    "Log": LogSemiring,
    "Max": MaxSemiring,
    "Std": StdSemiring,
    "Sampled": SampledSemiring,
    "MultiSampled": MultiSampledSemiring,
    "Entropy": EntropySemiring,
    "KMax": KMaxSemiring(3),
    "checkpointed": CheckpointSemiring(LogSemiring, 1),
    "sharded": CheckpointShardSemiring(LogSemiring, 1),
    "sharded large": CheckpointShardSemiring(LogSemiring, 10000),
}


def semiring_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        semiring = SEMIRINGS[name]
        LinearChain(semiring).sum(chain(device))
        if name != "Entropy":
            LinearChain(semiring).marginals(chain(device))
        if name not in ("Std", "checkpointed", "sharded", "sharded large"):
            SemiMarkov(semiring).sum(segments(device), lengths=lengths_on(device))
            DepTree(semiring).sum(arcs(device))
            CKY_CRF(semiring).sum(spans(device))

    return use


uses.add_each("semiring", SEMIRINGS, semiring_use)


@uses.add
def sparse_max(device: torch.device) -> None:
    scores = chain(device).requires_grad_()
    LinearChain(SparseMaxSemiring).sum(scores)
    LinearChain(SparseMaxSemiring).marginals(scores).sum().backward()


@uses.add
def semirings_of_pairs(device: torch.device) -> None:
    LinearChain(KLDivergenceSemiring).sum([chain(device), chain(device)], lengths=lengths_on(device))
    LinearChain(CrossEntropySemiring).sum([chain(device), chain(device)])


@uses.add
def discrete_samples(device: torch.device) -> None:
    marginals = LinearChain(MultiSampledSemiring).marginals(chain(device))
    for one in range(1, 4):
        LinearChain.from_parts(MultiSampledSemiring.to_discrete(marginals, one))
    SemiMarkov.from_parts(SemiMarkov(SampledSemiring).marginals(segments(device)))


@uses.add
def gumbel_chain(_: torch.device) -> None:
    # It draws the noise on the CPU.
    scores = chain(torch.device("cpu")).requires_grad_()
    (LinearChainCRF(scores).gumbel_crf(temperature=0.5) ** 2).sum().backward()
    LinearChain(GumbelCRFSemiring(1.0)).marginals(chain(torch.device("cpu")))
    LinearChain(GumbelMaxSemiring(1.0)).marginals(chain(torch.device("cpu")))


# Autoregressive models

CLASSES, STEPS = 6, 4


class Recurrent(AutoregressiveModel):
    """Reads tokens, hard or soft, with a GRU."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(CLASSES, 8)
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, CLASSES)

    def forward(
        self, inputs: torch.Tensor, state: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        inputs = inputs.to(self.out.weight.device)
        words = inputs @ self.embedding.weight if inputs.is_floating_point() else self.embedding(inputs)
        out, hidden = self.rnn(words, state[0].transpose(0, 1).contiguous())
        return self.out(out), (hidden.transpose(0, 1),)


def autoregressive(device: torch.device, **more: bool) -> Autoregressive:
    model = Recurrent().to(device)
    return Autoregressive(model, (torch.zeros(BATCH, 1, 8, device=device),), CLASSES, STEPS, **more)


@uses.add
def beam_search(device: torch.device) -> None:
    model = autoregressive(device)
    model.beam_topk(3)
    autoregressive(device, normalize=False).beam_topk(2)


@uses.add
def autoregressive_samples(device: torch.device) -> None:
    model = autoregressive(device)
    sample = model.sample((5,))
    model.log_prob(sample.argmax(-1), sparse=True).sum().backward()


@uses.add
def autoregressive_on_cpu(_: torch.device) -> None:
    # It makes its indices and its noise on the CPU.
    model = autoregressive(torch.device("cpu"))
    model.greedy_max()
    model.greedy_tempmax(1.0)
    model.log_prob(model.sample((5,)))
    model.sample_without_replacement((3,))


if __name__ == "__main__":
    uses.main()
