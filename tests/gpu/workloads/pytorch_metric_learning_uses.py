"""Losses, miners, distances, reducers, inference and evaluation of pytorch-metric-learning."""

import inspect
from types import ModuleType

import torch
from pytorch_metric_learning import distances, losses, miners, reducers, regularizers, samplers, testers, trainers
from pytorch_metric_learning.utils import accuracy_calculator, common_functions, inference
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from uses import Use, Uses

CLASSES, DIMENSION, BATCH = 6, 16, 24
KNOWN = {
    "num_classes": CLASSES,
    "num_categories": CLASSES,
    "embedding_size": DIMENSION,
    "margin": 0.2,
    "epsilon": 0.1,
    "filter_percentage": 0.5,
}
WITH_CLASSES = {"num_classes": CLASSES, "embedding_size": DIMENSION}
GIVEN = {
    "CosFaceLoss": WITH_CLASSES,
    "SubCenterArcFaceLoss": WITH_CLASSES,
    "P2SGradLoss": {"descriptors_dim": DIMENSION, "num_classes": CLASSES},
    "RankedListLoss": {"margin": 0.4, "Tn": 1.0, "Tp": 0.0, "alpha": 1.2},
    "BatchedDistance": {"distance": distances.CosineSimilarity(), "iter_fn": lambda *_: True, "batch_size": 8},
}
"""Arguments that the signature does not tell."""
WRAPPERS = {"SelfSupervisedLoss", "VICRegLoss", "ManifoldLoss"}
WEIGHTS = {"RegularFaceRegularizer", "CenterInvariantRegularizer"}
uses = Uses()


def batch(device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(BATCH, DIMENSION, device=device, requires_grad=True), (
        torch.arange(BATCH, device=device) % CLASSES
    )


def public(module: ModuleType, suffix: str, leave: set[str]) -> list[str]:
    """Names of the classes of a module that can be used as they are."""
    found = [name for name, value in vars(module).items() if inspect.isclass(value) and name.endswith(suffix)]
    return sorted(name for name in found if not name.startswith(("Base", "Generic", "WeightReg")) and name not in leave)


def made(module: ModuleType, name: str) -> nn.Module:
    kind = getattr(module, name)
    if name in GIVEN:
        return kind(**GIVEN[name])
    wanted = inspect.signature(kind.__init__).parameters
    needed = {key for key, value in wanted.items() if value.default is inspect.Parameter.empty}
    return kind(**{key: KNOWN[key] for key in wanted if key in KNOWN and key in needed})


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        loss = made(losses, name).to(device)
        embeddings, labels = batch(device)
        value = loss(embeddings, labels)
        if value.requires_grad:
            value.backward()

    return use


def mined_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        miner = made(miners, name).to(device)
        embeddings, labels = batch(device)
        pairs = miner(embeddings, labels)
        loss = losses.ContrastiveLoss() if len(pairs) == 4 else losses.TripletMarginLoss()
        loss(embeddings, labels, pairs).backward()

    return use


def distance_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        distance = made(distances, name)
        embeddings, labels = batch(device)
        distance(embeddings)
        if name == "BatchedDistance":
            return
        if name != "SNRDistance":
            distance.pairwise_distance(embeddings, embeddings.flip(0))
        losses.TripletMarginLoss(distance=distance)(embeddings, labels).backward()

    return use


def reducer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        reducer = {
            "ThresholdReducer": lambda: reducers.ThresholdReducer(low=0, high=1),
            "ClassWeightedReducer": lambda: reducers.ClassWeightedReducer(torch.rand(CLASSES)),
            "DivisorReducer": reducers.MeanReducer,
            "MultipleReducers": lambda: reducers.MultipleReducers({"loss": reducers.MeanReducer()}),
        }.get(name, lambda: getattr(reducers, name)())()
        embeddings, labels = batch(device)
        if name == "PerAnchorReducer":
            loss: nn.Module = losses.ContrastiveLoss(reducer=reducer)
        else:
            loss = losses.TripletMarginLoss(reducer=reducer)
        value = loss(embeddings, labels)
        if isinstance(value, torch.Tensor) and value.requires_grad:
            value.backward()

    return use


def regularizer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        sparse = name == "SparseCentersRegularizer"
        regularizer = getattr(regularizers, name)(*([CLASSES, 2] if sparse else []))
        embeddings, labels = batch(device)
        if name in WEIGHTS:
            loss: nn.Module = losses.NormalizedSoftmaxLoss(CLASSES, DIMENSION, weight_regularizer=regularizer)
        elif sparse:
            loss = losses.SoftTripleLoss(CLASSES, DIMENSION, centers_per_class=2, weight_regularizer=regularizer)
        else:
            loss = losses.ContrastiveLoss(embedding_regularizer=regularizer)
        loss.to(device)(embeddings, labels).backward()

    return use


uses.add_each("loss", public(losses, "Loss", WRAPPERS), loss_use)
uses.add_each("miner", public(miners, "Miner", {"EmbeddingsAlreadyPackagedAsTriplets"}), mined_use)
uses.add_each("distance", [*public(distances, "", {"CosineSimilarity"}), "CosineSimilarity"], distance_use)
uses.add_each("reducer", public(reducers, "Reducer", set()), reducer_use)
uses.add_each("regularizer", public(regularizers, "Regularizer", set()), regularizer_use)


@uses.add
def training_with_a_miner(device: torch.device) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, DIMENSION)).to(device)
    loss_function = losses.ArcFaceLoss(CLASSES, DIMENSION).to(device)
    miner = miners.MultiSimilarityMiner()
    optimizer = torch.optim.Adam([*model.parameters(), *loss_function.parameters()], lr=1e-3)
    data = TensorDataset(torch.randn(96, 8), torch.arange(96) % CLASSES)
    sampler = samplers.MPerClassSampler(data.tensors[1], m=4, batch_size=24, length_before_new_iter=96)
    for images, labels in DataLoader(data, batch_size=24, sampler=sampler):
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        embeddings = model(images)
        loss_function(embeddings, labels, miner(embeddings, labels)).backward()
        optimizer.step()


@uses.add
def cross_batch_memory(device: torch.device) -> None:
    loss = losses.CrossBatchMemory(
        losses.NTXentLoss(temperature=0.1), DIMENSION, memory_size=40, miner=miners.MultiSimilarityMiner()
    )
    for _ in range(3):
        embeddings, labels = batch(device)
        loss(embeddings, labels).backward()
    enqueue = torch.arange(BATCH, device=device) >= BATCH // 2
    loss(embeddings.detach().requires_grad_(), labels, enqueue_mask=enqueue)


@uses.add
def self_supervised(device: torch.device) -> None:
    loss = losses.SelfSupervisedLoss(losses.NTXentLoss())
    embeddings, _ = batch(device)
    loss(embeddings, embeddings + 0.1).backward()
    losses.SelfSupervisedLoss(losses.TripletMarginLoss(), symmetric=False)(embeddings, embeddings * 2).backward()


@uses.add
def reference_embeddings(device: torch.device) -> None:
    embeddings, labels = batch(device)
    others, their_labels = batch(device)
    for loss in (losses.TripletMarginLoss(), losses.NTXentLoss(), losses.SupConLoss(), losses.CircleLoss()):
        loss(embeddings, labels, ref_emb=others, ref_labels=their_labels).backward()


@uses.add
def multiple_losses(device: torch.device) -> None:
    loss = losses.MultipleLosses(
        [losses.TripletMarginLoss(), losses.ContrastiveLoss()],
        miners=[miners.TripletMarginMiner(), None],
        weights=[1.0, 0.5],
    )
    loss(*batch(device)).backward()


@uses.add
def vicreg(device: torch.device) -> None:
    embeddings, _ = batch(device)
    losses.VICRegLoss()(embeddings, ref_emb=embeddings + 0.1).backward()


@uses.add
def manifold(device: torch.device) -> None:
    embeddings, _ = batch(device)
    losses.ManifoldLoss(l=DIMENSION, K=8).to(device)(embeddings).backward()


@uses.add
def classifier_logits(device: torch.device) -> None:
    embeddings, _ = batch(device)
    for loss in (losses.ArcFaceLoss, losses.CosFaceLoss, losses.NormalizedSoftmaxLoss, losses.ProxyAnchorLoss):
        module = loss(CLASSES, DIMENSION).to(device)
        if hasattr(module, "get_logits"):
            module.get_logits(embeddings)


@uses.add
def accuracy_without_an_index(device: torch.device) -> None:
    calculator = accuracy_calculator.AccuracyCalculator(
        include=("precision_at_1", "r_precision", "mean_average_precision_at_r", "mean_reciprocal_rank"),
        k="max_bin_count",
        device=device,
        knn_func=inference.CustomKNN(distances.LpDistance()),
    )
    queries, labels = batch(device)
    references, their_labels = batch(device)
    calculator.get_accuracy(queries.detach(), labels, references.detach(), their_labels)
    calculator.get_accuracy(queries.detach(), labels)


@uses.add
def match_finder(device: torch.device) -> None:
    finder = inference.MatchFinder(distances.CosineSimilarity(), threshold=0.5)
    embeddings, _ = batch(device)
    finder.get_matching_pairs(embeddings.detach())
    finder.get_matching_pairs(embeddings.detach(), embeddings.detach()[:5], return_tuples=True)
    finder.is_match(embeddings.detach()[:4], embeddings.detach()[4:8])


@uses.add
def custom_knn_in_batches(device: torch.device) -> None:
    embeddings, _ = batch(device)
    knn = inference.CustomKNN(distances.SNRDistance(), batch_size=8)
    knn(embeddings.detach(), 3, embeddings.detach(), True)


@uses.add
def global_tester(device: torch.device) -> None:
    torch.manual_seed(0)
    model = nn.Linear(8, DIMENSION).to(device)
    data = TensorDataset(torch.randn(48, 8), torch.arange(48) % CLASSES)
    calculator = accuracy_calculator.AccuracyCalculator(
        include=("precision_at_1", "r_precision"),
        k=5,
        device=device,
        knn_func=inference.CustomKNN(distances.LpDistance()),
    )
    tester = testers.GlobalEmbeddingSpaceTester(
        data_device=device, dataloader_num_workers=0, batch_size=16, accuracy_calculator=calculator
    )
    tester.test({"val": data}, 0, model)
    tester.get_all_embeddings(data, model)


@uses.add
def hierarchical_tester(device: torch.device) -> None:
    torch.manual_seed(0)
    model = nn.Linear(8, DIMENSION).to(device)
    labels = torch.stack([torch.arange(48) % CLASSES, torch.arange(48) % 2], dim=1)
    calculator = accuracy_calculator.AccuracyCalculator(
        include=("precision_at_1",), k=3, device=device, knn_func=inference.CustomKNN(distances.LpDistance())
    )
    tester = testers.WithSameParentLabelTester(
        data_device=device, dataloader_num_workers=0, batch_size=16, accuracy_calculator=calculator
    )
    tester.test({"val": TensorDataset(torch.randn(48, 8), labels)}, 0, model)


@uses.add
def metric_loss_trainer(device: torch.device) -> None:
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(64, 8), torch.arange(64) % CLASSES)
    models = {"trunk": nn.Linear(8, DIMENSION).to(device)}
    trainer = trainers.MetricLossOnly(
        models=models,
        optimizers={"trunk_optimizer": torch.optim.Adam(models["trunk"].parameters(), lr=1e-3)},
        batch_size=16,
        loss_funcs={"metric_loss": losses.TripletMarginLoss()},
        mining_funcs={"tuple_miner": miners.TripletMarginMiner()},
        dataset=data,
        data_device=device,
        dataloader_num_workers=0,
        iterations_per_epoch=3,
        sampler=samplers.MPerClassSampler(data.tensors[1], m=4, batch_size=16, length_before_new_iter=64),
    )
    trainer.train(num_epochs=1)


@uses.add
def classifier_trainer(device: torch.device) -> None:
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(64, 8), torch.arange(64) % CLASSES)
    models = {"trunk": nn.Linear(8, DIMENSION).to(device), "classifier": nn.Linear(DIMENSION, CLASSES).to(device)}
    trainer = trainers.TrainWithClassifier(
        models=models,
        optimizers={f"{name}_optimizer": torch.optim.Adam(m.parameters(), lr=1e-3) for name, m in models.items()},
        batch_size=16,
        loss_funcs={"metric_loss": losses.TripletMarginLoss(), "classifier_loss": nn.CrossEntropyLoss()},
        dataset=data,
        data_device=device,
        dataloader_num_workers=0,
        iterations_per_epoch=3,
    )
    trainer.train(num_epochs=1)


@uses.add
def hierarchical_sampler(device: torch.device) -> None:
    labels = torch.stack([torch.arange(64) % 8, torch.arange(64) % 2], dim=1)
    for indices in samplers.HierarchicalSampler(labels, batch_size=16, samples_per_class=4):
        torch.as_tensor(indices).to(device)


@uses.add
def logging_of_statistics(device: torch.device) -> None:
    common_functions.COLLECT_STATS = True
    try:
        embeddings, labels = batch(device)
        miner = miners.TripletMarginMiner(collect_stats=True)
        losses.TripletMarginLoss(collect_stats=True)(embeddings, labels, miner(embeddings, labels)).backward()
        losses.ContrastiveLoss(collect_stats=True)(embeddings, labels).backward()
        miners.PairMarginMiner(collect_stats=True)(embeddings, labels)
    finally:
        common_functions.COLLECT_STATS = False


if __name__ == "__main__":
    uses.main()
