"""Detectors, losses, metrics, models, hyperparameter search, benchmarks and data sets of pytorch_ood."""

import copy
import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from pytorch_ood import detector as detectors
from pytorch_ood import loss as losses
from pytorch_ood import metrics
from pytorch_ood import model as models
from pytorch_ood import utils as ood_utils
from pytorch_ood.augment.img import PixMixDataset
from pytorch_ood.benchmark.base import Benchmark
from pytorch_ood.dataset.img import GaussianNoise, ImageListDataset, UniformNoise
from pytorch_ood.dataset.ossim import DynamicOSS
from pytorch_ood.detector.ash import ash_b, ash_p, ash_s
from pytorch_ood.detector.openmax.numpy import OpenMax as NumpyOpenMax
from pytorch_ood.metrics import functional
from pytorch_ood.model.centers import ClassCenters, RunningCenters
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision import transforms
from uses import Use, Uses

CLASSES, TRAIN, TEST, WIDTH = 3, 60, 16, 8
uses = Uses()


class Net(nn.Module):
    """A convolutional classifier with the methods that the package's models have."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, WIDTH, 3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(WIDTH, WIDTH, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(WIDTH)
        self.relu2 = nn.ReLU()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(WIDTH, CLASSES)

    def feature_maps(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu2(self.norm(self.conv2(self.relu1(self.conv1(x)))))

    def forward_feature_maps(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.dropout(self.pool(x).flatten(1)))

    def features(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(self.feature_maps(x)).flatten(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.dropout(self.features(x)))


def known_images(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Images whose brightest channel is the class."""
    y = torch.arange(count) % CLASSES
    x = 0.3 * torch.rand(count, 3, 8, 8)
    x[torch.arange(count), y] += 0.7
    return x, y


@functools.lru_cache(maxsize=1)
def trained() -> Net:
    model = Net().train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    x, y = known_images(TRAIN)
    for _ in range(30):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model.eval()


def net(device: torch.device) -> Net:
    return copy.deepcopy(trained()).to(device).eval()


def train_loader(shuffle: bool = True) -> DataLoader:
    return DataLoader(TensorDataset(*known_images(TRAIN)), batch_size=20, shuffle=shuffle)


def test_data() -> TensorDataset:
    x, y = known_images(TEST)
    return TensorDataset(torch.cat([x, torch.rand(TEST, 3, 8, 8)]), torch.cat([y, torch.full((TEST,), -1)]))


def test_loader() -> DataLoader:
    return DataLoader(test_data(), batch_size=16)


def some(device: torch.device) -> torch.Tensor:
    return torch.rand(8, 3, 8, 8, device=device)


def mixed_labels(device: torch.device, count: int = 12) -> torch.Tensor:
    return torch.arange(count, device=device) % (CLASSES + 1) - 1


# Detectors

LOGITS: dict[str, Callable[[Net], Any]] = {
    "MaxSoftmax": lambda model: detectors.MaxSoftmax(model),
    "MaxLogit": lambda model: detectors.MaxLogit(model),
    "EnergyBased": lambda model: detectors.EnergyBased(model),
    "Entropy": lambda model: detectors.Entropy(model),
    "GEN": lambda model: detectors.GEN(model, gamma=0.1, M=2),
    "WeightedEBO": lambda model: detectors.WeightedEBO(model, torch.ones(1, CLASSES, device=model.fc.weight.device)),
    "KLMatching": lambda model: detectors.KLMatching(model),
    "OpenMax": lambda model: detectors.OpenMax(model, tailsize=5, alpha=2),
    "TemperatureScaling": lambda model: detectors.TemperatureScaling(model),
}
FEATURES: dict[str, Callable[[Net], Any]] = {
    "Mahalanobis": lambda model: detectors.Mahalanobis(model.features),
    "RMD": lambda model: detectors.RMD(model.features),
    "ViM": lambda model: detectors.ViM(model.features, d=4, w=model.fc.weight, b=model.fc.bias),
    "KNN": lambda model: detectors.KNN(model.features, k=5),
    "KNN plain": lambda model: detectors.KNN(model.features, k=3, normalize=False),
    "SHE": lambda model: detectors.SHE(model.features, model.fc),
    "DICE": lambda model: detectors.DICE(model.features, w=model.fc.weight, b=model.fc.bias, p=0.65),
    "fDBD": lambda model: detectors.fDBD(model.features, model.fc),
    "GMM": lambda model: detectors.GMM(model.features, reg=1e-3),
    "NCI": lambda model: detectors.NCI(model.features, model.fc, alpha=0.1),
    "NNGuide": lambda model: detectors.NNGuide(model.features, model.fc, k=5),
    "PNML": lambda model: detectors.PNML(model.features, model.fc),
    "LTS": lambda model: detectors.LTS(model.features, model.fc, p=0.2),
    "MCM": lambda model: detectors.MCM(model.features, torch.randn(CLASSES, WIDTH, device=model.fc.weight.device)),
}
MAPS: dict[str, Callable[[Net], Any]] = {
    "ASH s": lambda model: detectors.ASH(model.feature_maps, model.forward_feature_maps, variant="ash-s"),
    "ASH b": lambda model: detectors.ASH(model.feature_maps, model.forward_feature_maps, variant="ash-b"),
    "ASH p": lambda model: detectors.ASH(
        model.feature_maps, model.forward_feature_maps, variant="ash-p", detector=detectors.MaxSoftmax.score
    ),
    "ReAct": lambda model: detectors.ReAct(model.feature_maps, model.forward_feature_maps),
    "VRA": lambda model: detectors.VRA(model.feature_maps, model.forward_feature_maps),
    "SCALE": lambda model: detectors.SCALE(model.feature_maps, model.forward_feature_maps, percentile=0.7),
    "RankFeat": lambda model: detectors.RankFeat(model.feature_maps, model.forward_feature_maps),
}
OTHERS: dict[str, Callable[[Net], Any]] = {
    "ODIN": lambda model: detectors.ODIN(model, eps=0.002, norm_std=[0.2, 0.2, 0.2]),
    "MahalanobisODIN": lambda model: detectors.MahalanobisODIN(model.features, eps=0.002, norm_std=[0.2, 0.2, 0.2]),
    "MCD": lambda model: detectors.MCD(model, samples=4),
    "MCD mean": lambda model: detectors.MCD(model, samples=4, mode="mean", batch_norm=False),
    "GradNorm": lambda model: detectors.GradNorm(model, param_filter=lambda name: name.startswith("fc")),
    "GradUncertainty": lambda model: detectors.GradUncertainty(model),
    "NACUE": lambda model: detectors.NACUE(model, [model.conv2, model.fc], m_bins=10, o_star=5),
    "Gram": lambda model: detectors.Gram(
        nn.Sequential(model.pool, nn.Flatten(), model.fc),
        [
            nn.Sequential(model.conv1, model.relu1),
            nn.Sequential(model.conv2, model.norm, model.relu2),
        ],
        CLASSES,
        [1, 2, 3],
    ),
    "MultiMahalanobis": lambda model: detectors.MultiMahalanobis(
        [nn.Sequential(model.conv1, model.relu1), nn.Sequential(model.conv2, model.norm, model.relu2)]
    ),
    "MultiMahalanobis weighted": lambda model: detectors.MultiMahalanobis(
        [nn.Sequential(model.conv1, model.relu1), nn.Sequential(model.conv2, model.norm, model.relu2)], alpha=[0.3, 0.7]
    ),
}
ALL = {**LOGITS, **FEATURES, **MAPS, **OTHERS}


def detector_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        one = ALL[name](net(device)).to(device)
        one.fit(train_loader())
        evaluated = metrics.OODMetrics()
        for x, y in test_loader():
            evaluated.update(one(x.to(device)), y)
        evaluated.compute()
        repr(one), one.get_hyperparameters()

    return use


uses.add_each("detector", ALL, detector_use)


def logits_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = net(device)
        one = LOGITS[name](model)
        z, y = ood_utils.extract_features(train_loader(), model, device)
        one.fit_logits(z.to(device), y.to(device))
        with torch.no_grad():
            one.predict_logits(model(some(device)))

    return use


def features_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = net(device)
        one = FEATURES[name](model)
        z, y = ood_utils.extract_features(train_loader(), model.features, device)
        if "KNN" not in name:
            z, y = z.to(device), y.to(device)
        one.fit_features(z, y)
        with torch.no_grad():
            one.predict_features(model.features(some(device)))

    return use


def maps_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = net(device)
        one = MAPS[name](model)
        x, y = known_images(TRAIN)
        with torch.no_grad():
            one.fit_feature_maps(model.feature_maps(x.to(device)), y.to(device))
            one.predict_feature_maps(model.feature_maps(some(device)))

    return use


def all_of(use_of: Callable[[str], Use], *names: str) -> Callable[[str], Use]:
    def use(device: torch.device) -> None:
        for name in names:
            use_of(name)(device)

    return lambda _: use


DISTANCES = ("Mahalanobis", "RMD", "GMM", "KNN", "MCM")
SUBSPACES = ("ViM", "PNML", "DICE", "LTS")
WITH_HEADS = ("SHE", "fDBD", "NCI", "NNGuide")
uses.add_each("features of", ("distances",), all_of(features_use, *DISTANCES))
uses.add_each("features of", ("subspaces",), all_of(features_use, *SUBSPACES))
uses.add_each("features of", ("heads",), all_of(features_use, *WITH_HEADS))
uses.add_each("logits of", ("some",), all_of(logits_use, "WeightedEBO", "GEN", "KLMatching"))
uses.add_each("logits of", ("calibrated",), all_of(logits_use, "OpenMax", "TemperatureScaling"))
uses.add_each("maps of", ("all",), all_of(maps_use, "ReAct", "VRA", "SCALE", "ASH s"))


@uses.add
def segmentation_scores(device: torch.device) -> None:
    logits = torch.randn(2, CLASSES, 6, 6, device=device)
    for score in (
        detectors.MaxSoftmax.score,
        detectors.MaxLogit.score,
        detectors.EnergyBased.score,
        detectors.Entropy.score,
        detectors.GEN.score,
    ):
        score(logits)
    model = nn.Conv2d(3, CLASSES, 1).to(device)
    detectors.EnergyBased(model).predict(some(device))
    detectors.MaxSoftmax(model).predict(some(device))


@uses.add
def odin_preprocessing(device: torch.device) -> None:
    x, y = known_images(8)
    detectors.odin_preprocessing(net(device), x.to(device), y.to(device), nn.CrossEntropyLoss(), eps=0.01)
    detectors.odin_preprocessing(net(device), x.to(device), norm_std=[0.2, 0.2, 0.2])


@uses.add
def activation_shaping(device: torch.device) -> None:
    x = torch.rand(4, WIDTH, 4, 4, device=device)
    for shape in (ash_b, ash_p, ash_s):
        shape(x, 0.8)
    detectors.LTS.scaling_factor(x.mean((2, 3)), 0.1)


@uses.add
def monte_carlo_dropout(device: torch.device) -> None:
    model = net(device)
    detectors.MCD.run(model, some(device), samples=3)
    detectors.MCD.run_mean(model, some(device), samples=3)


@uses.add
def structured_detectors(device: torch.device) -> None:
    model = net(device)
    x, y = (tensor.to(device) for tensor in known_images(TRAIN))
    first = nn.Sequential(model.conv1, model.relu1)
    multi = detectors.MultiMahalanobis([first, nn.Sequential(model.conv2, model.norm, model.relu2)])
    with torch.no_grad():
        zs = [first(x).mean((2, 3)), model.features(x)]
        multi.fit_structured(zs, y)
        multi.predict_structured(zs)


@uses.add
def structured_gram(device: torch.device) -> None:
    model = net(device)
    one = OTHERS["Gram"](model).to(device)
    one.fit(train_loader())
    with torch.no_grad():
        x = some(device)
        first = model.relu1(model.conv1(x))
        one.predict_structured(model(x), [first, model.feature_maps(x)])


@uses.add
def numpy_openmax(device: torch.device) -> None:
    logits, y = ood_utils.extract_features(train_loader(), net(device), device)
    for weight in (1.0, 0.5, 0.0):
        one = NumpyOpenMax(tailsize=5, alpha=2, euclid_weight=weight)
        one.fit(logits.numpy(), y.numpy())
        one.predict(logits.numpy()[:6])


@uses.add
def temperature_of_a_classifier(device: torch.device) -> None:
    logits, y = ood_utils.extract_features(train_loader(), net(device), device)
    detectors.MaxSoftmax.score(logits, t=ood_utils.temperature_calibration(logits, y, eps=0.01))


# Losses

Loss = Callable[[torch.device, torch.Tensor, torch.Tensor], torch.Tensor]
LOGIT_LOSSES: dict[str, Callable[[], nn.Module]] = {
    "OutlierExposure": lambda: losses.OutlierExposureLoss(alpha=0.5),
    "EnergyRegularized": lambda: losses.EnergyRegularizedLoss(alpha=0.1, margin_in=-5.0, margin_out=-1.0),
    "EntropicOpenSet": lambda: losses.EntropicOpenSetLoss(),
    "LogitNorm": lambda: losses.LogitNorm(t=0.5),
    "CrossEntropy": lambda: losses.CrossEntropyLoss(),
    "VOSReg": lambda: losses.VOSRegLoss(nn.Linear(1, 2), nn.Linear(CLASSES, 1)),
}


def logit_loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, criterion = net(device).train(), LOGIT_LOSSES[name]().to(device)
        optimizer = torch.optim.SGD([*model.parameters(), *criterion.parameters()], lr=0.01)
        for _ in range(2):
            x = torch.rand(12, 3, 8, 8, device=device)
            loss = criterion(model(x), mixed_labels(device)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return use


uses.add_each("loss", LOGIT_LOSSES, logit_loss_use)


@uses.add
def segmentation_losses(device: torch.device) -> None:
    logits = torch.randn(2, CLASSES, 6, 6, device=device, requires_grad=True)
    target = torch.randint(-1, CLASSES, (2, 6, 6), device=device)
    for criterion in (
        losses.OutlierExposureLoss(),
        losses.EnergyRegularizedLoss(),
        losses.EntropicOpenSetLoss(),
        losses.CrossEntropyLoss(),
    ):
        criterion(logits, target).mean().backward()


@uses.add
def background_class(device: torch.device) -> None:
    logits = torch.randn(12, CLASSES + 1, device=device, requires_grad=True)
    losses.BackgroundClassLoss(n_classes=CLASSES)(logits, mixed_labels(device)).backward()


@uses.add
def objectosphere(device: torch.device) -> None:
    model, criterion = net(device), losses.ObjectosphereLoss(alpha=0.1, xi=5.0)
    features = model.features(torch.rand(12, 3, 8, 8, device=device))
    logits = model.fc(features)
    criterion(logits, features, mixed_labels(device)).backward()
    criterion.score(logits)


@uses.add
def confidence(device: torch.device) -> None:
    model, head = net(device), nn.Linear(WIDTH, 1).to(device)
    features = model.features(torch.rand(12, 3, 8, 8, device=device))
    criterion = losses.ConfidenceLoss(alpha=0.5).to(device)
    criterion(model.fc(features), torch.sigmoid(head(features)), mixed_labels(device)).backward()


CENTERED: dict[str, Callable[[], nn.Module]] = {
    "CAC": lambda: losses.CACLoss(n_classes=CLASSES, magnitude=2.0, alpha=0.5),
    "Center": lambda: losses.CenterLoss(n_classes=CLASSES, n_dim=CLASSES, radius=0.1),
    "Center fixed": lambda: losses.CenterLoss(n_classes=CLASSES, n_dim=CLASSES, magnitude=2.0, fixed=True),
    "MCHAD": lambda: losses.MCHADLoss(n_classes=CLASSES, n_dim=CLASSES, radius=0.5, margin=1.0),
}


def centered_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model, criterion = net(device).train(), CENTERED[name]().to(device)
        optimizer = torch.optim.SGD([*model.parameters(), *criterion.parameters()], lr=0.01)
        for _ in range(2):
            distances = criterion.distance(model(torch.rand(12, 3, 8, 8, device=device)))
            loss = criterion(distances, mixed_labels(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if name == "CAC":
            criterion.score(distances)
        centers = criterion.centers
        centers.predict(model(some(device)))
        _ = centers.num_classes, centers.n_features, centers.params

    return use


uses.add_each("loss with centers", CENTERED, centered_use)


@uses.add
def intra_and_inter(device: torch.device) -> None:
    model, criterion = net(device).train(), losses.IILoss(n_classes=CLASSES, n_embedding=CLASSES).to(device)
    for _ in range(2):
        z = model(torch.rand(12, 3, 8, 8, device=device))
        criterion(z, mixed_labels(device)).backward()
    model.eval()
    criterion.eval()
    criterion.distance(model(some(device)))
    criterion.predict(model(some(device)))
    _ = criterion.centers


@uses.add
def one_class(device: torch.device) -> None:
    x, y = (tensor.to(device) for tensor in known_images(12))
    model = net(device)
    z, _ = ood_utils.extract_feature_avg(train_loader(), model.feature_maps, device)
    center = z.mean(0)
    for criterion in (
        losses.DeepSVDDLoss(n_dim=WIDTH, center=center),
        losses.DeepSVDDLoss(n_dim=WIDTH, radius=0.5, reduction="sum"),
    ):
        criterion.to(device)
        criterion(model.features(x), y).backward()
        criterion(model.features(x)).backward()
        criterion.distance(model.features(x))
        _ = criterion.center
    sad = losses.DeepSADLoss(n_dim=WIDTH, center=center).to(device)
    sad(model.features(x), mixed_labels(device)).backward()
    sad.distance(model.features(x))


@uses.add
def virtual_outliers(device: torch.device) -> None:
    model = net(device).train()
    phi, weights = nn.Linear(1, 2).to(device), nn.Linear(CLASSES, 1).to(device)
    criterion = losses.VirtualOutlierSynthesizingRegLoss(phi, weights, model.fc, sample_number=5, sample_from=50)
    criterion.to(device)
    optimizer = torch.optim.SGD([*model.parameters(), *phi.parameters(), *weights.parameters()], lr=0.01)
    for _ in range(2):
        for x, y in train_loader():
            x, y = x.to(device), y.to(device)
            features = model.features(x)
            loss = criterion(model.fc(features), features, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


@uses.add
def scone(device: torch.device) -> None:
    model, phi = net(device).train(), nn.Linear(1, 1).to(device)
    criterion = losses.EnergyMarginLoss(full_train_loss=0.05, eta=1.0).to(device)
    optimizer = torch.optim.SGD([*model.parameters(), *phi.parameters()], lr=0.01)
    for _ in range(2):
        loss = criterion(model(torch.rand(12, 3, 8, 8, device=device)), mixed_labels(device), phi)
        optimizer.zero_grad()
        loss.mean().backward()
        optimizer.step()
        criterion.update_hyperparameters(model, train_loader(), phi)
        model.train()


# Metrics

METRICS: dict[str, Callable[[], Any]] = {
    "AUROC": lambda: metrics.AUROC(),
    "AUPR": lambda: metrics.AUPR(),
    "FPRAtTPR": lambda: metrics.FPRAtTPR(tpr=0.9),
    "AUTC": lambda: metrics.AUTC(),
    "OODMetrics": lambda: metrics.OODMetrics(),
    "OODMetrics with voids": lambda: metrics.OODMetrics(void_label=2),
    "collection": lambda: metrics.MetricCollection([metrics.AUROC(), metrics.AUTC(), metrics.FPRAtTPR()]),
}


def metric_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        one = METRICS[name]()
        for _ in range(3):
            labels = torch.randint(-1, CLASSES, (40,), device=device)
            one.update(scores=torch.rand(40, device=device) + (labels < 0), labels=labels)
        one.compute()
        one.reset()
        _ = one.keys

    return use


uses.add_each("metric", METRICS, metric_use)


@uses.add
def accuracy_metrics(device: torch.device) -> None:
    predictions = torch.randint(0, CLASSES, (40,), device=device)
    labels = torch.randint(-1, CLASSES, (40,), device=device)
    one = metrics.Accuracy()
    one.update(predictions, labels)
    one.compute()
    both = metrics.OODMetrics()
    both.update(torch.rand(40, device=device), labels, predictions)
    both.update(torch.rand(40, device=device), labels, predictions)
    both.compute()


@uses.add
def segmentation_metrics(device: torch.device) -> None:
    for one in (
        metrics.OODSegmentationMetrics(void_label=2),
        metrics.OODPerImageSegmentationMetrics(void_label=2),
        metrics.PerImage(metrics.AUROC()),
        metrics.OODSegmentationMetrics(device="cpu"),
    ):
        for _ in range(2):
            labels = torch.randint(-1, CLASSES, (2, 8, 8), device=device)
            one.update(torch.rand(2, 8, 8, device=device), labels)
        one.compute()
        one.reset()


@uses.add
def metric_functions(device: torch.device) -> None:
    labels = torch.randint(-1, CLASSES, (60,), device=device)
    scores, predictions = torch.rand(60, device=device), torch.randint(0, CLASSES, (60,), device=device)
    functional.auroc(scores, labels), functional.autc(scores, labels), functional.fpr_at_tpr(scores, labels, 0.9)
    for positive in ("ood", "id"):
        functional.aupr(scores, labels, positive=positive), functional.pr_curve(scores, labels, positive=positive)
    functional.roc_curve(scores, labels)
    functional.accuracy(predictions, labels)
    metrics.oscr_score(scores, predictions, labels)
    metrics.calc_openness(6, 10, 6)


@uses.add
def calibration(device: torch.device) -> None:
    confidences, correct = torch.rand(120, device=device), torch.rand(120, device=device) > 0.4
    for p in ("1", "2", "max"):
        metrics.calibration_error(confidences, correct, p=p, beta=20)
    metrics.aurra(confidences, correct)


# Models


@uses.add
def wide_resnet(device: torch.device) -> None:
    model = models.WideResNet(num_classes=CLASSES, depth=10, widen_factor=1).to(device)
    x = torch.rand(2, 3, 32, 32, device=device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True)
    losses.OutlierExposureLoss()(model(x), torch.tensor([1, -1], device=device)).backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        model.forward_feature_maps(model.feature_maps(x))
        model.features(x), model.feature_list(x)
        detectors.ASH(model.feature_maps, model.forward_feature_maps)(x)


@uses.add
def resnets(device: torch.device) -> None:
    x = torch.rand(2, 3, 32, 32, device=device)
    for kind in (models.ResNet18, models.ResNet50):
        model = kind(num_classes=CLASSES).to(device).eval()
        with torch.no_grad():
            model(x), model.features(x), model.forward_feature_maps(model.feature_maps(x))


@uses.add
def recurrent_classifier(device: torch.device) -> None:
    model = models.GRUClassifier(num_classes=CLASSES, n_vocab=30, embedding_dim=8).to(device)
    tokens = torch.randint(0, 30, (4, 7), device=device)
    losses.OutlierExposureLoss()(model(tokens), torch.tensor([0, 1, -1, 2], device=device)).backward()
    model.eval()
    model.features(tokens)
    detectors.MaxSoftmax(model)(tokens)


@uses.add
def centers(device: torch.device) -> None:
    z, y = torch.randn(12, 4, device=device), torch.arange(12, device=device) % CLASSES
    one = ClassCenters(CLASSES, 4, fixed=False).to(device)
    nn.init.normal_(one.params)
    one(z).sum().backward()
    one.predict(z)
    running = RunningCenters(CLASSES, 4).to(device)
    running.update(z, y), running.update(z, y)
    running(z)
    _ = running.centers
    running.reset()


@uses.add
def model_registry(device: torch.device) -> None:
    for identifier in models.list_models()[:3]:
        name = identifier if isinstance(identifier, str) else identifier.identifier
        models.get_model_info(name)
        models.load_transform(name)


@uses.add
def outlier_exposure_training(device: torch.device) -> None:
    model, criterion = Net().to(device), losses.OutlierExposureLoss(alpha=0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loader = DataLoader(test_data(), batch_size=8, shuffle=True)
    for _ in range(2):
        for x, y in loader:
            loss = criterion(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    found, one = metrics.OODMetrics(), detectors.EnergyBased(model)
    with torch.no_grad():
        for x, y in test_loader():
            x, y = x.to(device), y.to(device)
            found.update(one(x), y, model(x).argmax(1))
    found.compute()


# Searches and benchmarks

SEARCHED: dict[str, tuple[Callable[[Net], Any], dict[str, list[Any]] | None]] = {
    "ASH": (MAPS["ASH s"], None),
    "KNN": (FEATURES["KNN"], {"k": [1, 3]}),
    "EnergyBased": (LOGITS["EnergyBased"], {"t": [0.5, 1.0, 2.0]}),
    "ViM": (FEATURES["ViM"], {"d": [2, 4]}),
    "ODIN": (OTHERS["ODIN"], {"temperature": [1.0, 1000.0], "eps": [0.001, 0.002]}),
}


def search_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made, space = SEARCHED[name]
        one = made(net(device))
        search = ood_utils.GridSearch(
            one, train_loader(), test_loader(), hyperparameter_space=space, device=str(device)
        )
        search.run()

    return use


uses.add_each("search", SEARCHED, search_use)


class Small(Benchmark):
    """A benchmark of made-up data."""

    ood_names = ("uniform", "gaussian")

    def train_set(self) -> TensorDataset:
        return TensorDataset(*known_images(TRAIN))

    def test_sets(self, known: bool = True, unknown: bool = True) -> list[Any]:
        return [test_data(), test_data()]


@uses.add
def benchmark(device: torch.device) -> None:
    model = net(device)
    made = [
        detectors.MaxSoftmax(model),
        detectors.EnergyBased(model),
        detectors.Mahalanobis(model.features),
        detectors.ReAct(model.feature_maps, model.forward_feature_maps),
    ]
    small, options = Small(), {"batch_size": 16}
    loader = DataLoader(small.train_set(), batch_size=20)
    for one in made:
        one.to(device)
        one.fit(loader)
    small.evaluate(made, loader_kwargs=options, device=str(device))
    small.evaluate(made[0], loader_kwargs=options, device=str(device), cache=True)
    with tempfile.TemporaryDirectory() as folder:
        for again in (small, Small()):
            again.evaluate(
                made[:3], loader_kwargs=options, device=str(device), cache=True, cache_dir=folder, cache_key="net"
            )


# Utilities and data


@uses.add
def tensor_buffer(device: torch.device) -> None:
    buffer = ood_utils.TensorBuffer(device=device)
    for _ in range(3):
        buffer.append("logits", torch.randn(4, CLASSES, device=device))
        buffer.append("label", torch.arange(4, device=device))
    buffer.get("logits"), buffer["label"], buffer.sample("logits"), buffer.keys(), "label" in buffer
    with tempfile.TemporaryDirectory() as folder:
        buffer.save(Path(folder) / "buffer.pt")
    buffer.clear()
    buffer.is_empty()


@uses.add
def utilities(device: torch.device) -> None:
    labels, z = mixed_labels(device), torch.randn(12, 4, device=device)
    ood_utils.is_known(labels), ood_utils.is_unknown(labels), ood_utils.contains_known_and_unknown(labels)
    ood_utils.contains_known(labels), ood_utils.contains_unknown(labels), ood_utils.is_known(3)
    known = ood_utils.is_known(labels)
    found = ood_utils.estimate_class_centers(z[known], labels[known])
    ood_utils.pairwise_distances(z, found), ood_utils.pairwise_distances(z)
    ood_utils.apply_reduction(z, "sum"), ood_utils.apply_reduction(z, "none")
    ood_utils.fix_random_seed(1)
    target = ood_utils.TargetMapping(known={3, 4, 5}, unknown={0, 1})
    target(4), target(0), target[3], target.items(), repr(target), ood_utils.ToUnknown()(3)


@uses.add
def data_sets(device: torch.device) -> None:
    to_tensor = transforms.Compose([ood_utils.ToRGB(), transforms.Resize(8), transforms.ToTensor()])
    model = net(device)
    one = detectors.MaxLogit(model)
    noise = [
        UniformNoise(8, size=(8, 8, 3), transform=to_tensor, seed=1),
        GaussianNoise(8, size=(8, 8, 1), transform=to_tensor, target_transform=ood_utils.ToUnknown()),
    ]
    for data in noise:
        found = metrics.OODMetrics()
        for x, y in DataLoader(TensorDataset(*known_images(8)) + data, batch_size=4):
            found.update(one(x.to(device)), y)
        found.compute()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(3):
            Image.fromarray(np.full((8, 8, 3), 40 * i, np.uint8)).save(Path(folder) / f"{i}.png")
        lines = Path(folder) / "list.txt"
        lines.write_text("".join(f"{i}.png {i}\n" for i in range(3)))
        for x, _ in DataLoader(ImageListDataset(folder, str(lines), transform=to_tensor), batch_size=3):
            one(x.to(device))


@uses.add
def mixed_pictures(device: torch.device) -> None:
    pictures = UniformNoise(6, size=(32, 32, 3), target_transform=lambda y: 1)
    mixed = PixMixDataset(pictures, GaussianNoise(4, size=(32, 32, 3)), std=[0.5] * 3, mean=[0.5] * 3)
    for x, _ in DataLoader(mixed, batch_size=3):
        net(device)(x.to(device))


@uses.add
def open_set_simulation(device: torch.device) -> None:
    y = torch.arange(80) % 8
    simulated = DynamicOSS(TensorDataset(torch.rand(80, 3, 8, 8), y), kuc=1, uuc_val=1, uuc_test=2, seed=3)
    one = detectors.EnergyBased(net(device))
    mapping = ood_utils.TargetMapping(simulated.kkc, simulated.kuc | simulated.uuc)
    found = metrics.OODMetrics()
    for x, labels in DataLoader(simulated.test_dataset(), batch_size=8):
        found.update(one(x.to(device)), torch.tensor([mapping(int(label)) for label in labels]))
    len(simulated.train_dataset(out_dist=False)), len(simulated.val_dataset()), simulated.unique_targets
    found.compute()


if __name__ == "__main__":
    uses.main()
