"""Update, compute and reset of many metrics of torchmetrics."""

from collections.abc import Callable

import torch
import torchmetrics
from torchmetrics import (
    aggregation,
    classification,
    clustering,
    detection,
    image,
    nominal,
    regression,
    retrieval,
    segmentation,
    shape,
    wrappers,
)
from uses import Use, Uses

CLASSES, BATCH = 5, 32
Inputs = Callable[[torch.device], tuple[torch.Tensor, ...]]
uses = Uses()


def metric_use(made: Callable[[], torchmetrics.Metric], inputs: Inputs) -> Use:
    def use(device: torch.device) -> None:
        metric = made().to(device)
        for _ in range(3):
            metric.update(*inputs(device))
        metric.compute()
        metric.reset()
        metric(*inputs(device))

    return use


def binary(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.rand(BATCH, device=device), torch.randint(0, 2, (BATCH,), device=device)


def multiclass(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.randn(BATCH, CLASSES, device=device).softmax(1), torch.randint(0, CLASSES, (BATCH,), device=device)


def multilabel(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.rand(BATCH, CLASSES, device=device), torch.randint(0, 2, (BATCH, CLASSES), device=device)


def real(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.rand(BATCH, device=device) + 0.1, torch.rand(BATCH, device=device) + 0.1


def rows(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.rand(BATCH, 4, device=device) + 0.1, torch.rand(BATCH, 4, device=device) + 0.1


def labels(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.randint(0, 4, (BATCH,), device=device), torch.randint(0, 4, (BATCH,), device=device)


def points(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.rand(BATCH, 3, device=device), torch.arange(BATCH, device=device) % 4


def queries(device: torch.device) -> tuple[torch.Tensor, ...]:
    return (*binary(device), torch.arange(BATCH, device=device) % 4)


def pictures(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.rand(2, 3, 48, 48, device=device), torch.rand(2, 3, 48, 48, device=device)


def sounds(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.randn(2, 2, 400, device=device), torch.randn(2, 2, 400, device=device)


TASKS: dict[str, tuple[Inputs, dict[str, object]]] = {
    "binary": (binary, {}),
    "multiclass": (multiclass, {"num_classes": CLASSES}),
    "multilabel": (multilabel, {"num_labels": CLASSES}),
}
KINDS = (
    "AUROC",
    "Accuracy",
    "AveragePrecision",
    "CalibrationError",
    "CohenKappa",
    "ConfusionMatrix",
    "EER",
    "ExactMatch",
    "F1Score",
    "HammingDistance",
    "HingeLoss",
    "JaccardIndex",
    "LogAUC",
    "MatthewsCorrCoef",
    "NegativePredictiveValue",
    "Precision",
    "PrecisionRecallCurve",
    "ROC",
    "Recall",
    "Specificity",
    "StatScores",
    "CoverageError",
    "RankingAveragePrecision",
    "RankingLoss",
)
FIXED = ("PrecisionAtFixedRecall", "RecallAtFixedPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity")


def minimum_of(kind: str) -> str:
    return "min_" + ("recall" if kind.endswith("Recall") else kind.rpartition("At")[2].removeprefix("Fixed").lower())


def class_of(task: str, kind: str) -> str:
    return f"{task.capitalize()}{kind}"


for task, (inputs, settings) in TASKS.items():
    known = [kind for kind in KINDS if hasattr(classification, class_of(task, kind))]
    uses.add_each(
        task,
        known,
        lambda kind, task=task, inputs=inputs, settings=settings: metric_use(  # type: ignore[misc]
            lambda: getattr(classification, class_of(task, kind))(**settings), inputs
        ),
    )
    uses.add_each(
        f"{task} with thresholds",
        ("AUROC", "AveragePrecision", "PrecisionRecallCurve", "ROC"),
        lambda kind, task=task, inputs=inputs, settings=settings: metric_use(  # type: ignore[misc]
            lambda: getattr(classification, class_of(task, kind))(thresholds=10, **settings), inputs
        ),
    )
    uses.add_each(
        f"{task} at a fixed value",
        FIXED,
        lambda kind, task=task, inputs=inputs, settings=settings: metric_use(  # type: ignore[misc]
            lambda: getattr(classification, class_of(task, kind))(**{minimum_of(kind): 0.5}, **settings), inputs
        ),
    )
    uses.add_each(
        f"{task} without validation",
        ("Accuracy", "F1Score", "ConfusionMatrix"),
        lambda kind, task=task, inputs=inputs, settings=settings: metric_use(  # type: ignore[misc]
            lambda: getattr(classification, class_of(task, kind))(validate_args=False, **settings), inputs
        ),
    )

REGRESSION = {
    "ConcordanceCorrCoef": {},
    "ExplainedVariance": {},
    "KendallRankCorrCoef": {},
    "LogCoshError": {},
    "MeanAbsoluteError": {},
    "MeanAbsolutePercentageError": {},
    "MeanSquaredError": {},
    "MeanSquaredLogError": {},
    "MinkowskiDistance": {"p": 3},
    "NormalizedRootMeanSquaredError": {},
    "PearsonCorrCoef": {},
    "R2Score": {},
    "RelativeSquaredError": {},
    "SpearmanCorrCoef": {},
    "SymmetricMeanAbsolutePercentageError": {},
    "TweedieDevianceScore": {"power": 1.5},
    "WeightedMeanAbsolutePercentageError": {},
}
uses.add_each(
    "regression", REGRESSION, lambda name: metric_use(lambda: getattr(regression, name)(**REGRESSION[name]), real)
)
uses.add_each("regression of rows", ("CosineSimilarity",), lambda n: metric_use(getattr(regression, n), rows))


@uses.add
def divergence(device: torch.device) -> None:
    metric = regression.KLDivergence().to(device)
    first, second = (part.softmax(1) for part in rows(device))
    metric.update(first, second)
    metric.compute()


RETRIEVAL = [name for name in dir(retrieval) if name.startswith("Retrieval")]
uses.add_each("retrieval", RETRIEVAL, lambda name: metric_use(getattr(retrieval, name), queries))
NOMINAL = ("CramersV", "PearsonsContingencyCoefficient", "TheilsU", "TschuprowsT")
uses.add_each("nominal", NOMINAL, lambda name: metric_use(lambda: getattr(nominal, name)(4), labels))
LABELLED = (
    "AdjustedMutualInfoScore",
    "AdjustedRandScore",
    "CompletenessScore",
    "FowlkesMallowsIndex",
    "HomogeneityScore",
    "MutualInfoScore",
    "NormalizedMutualInfoScore",
    "RandScore",
    "VMeasureScore",
)
uses.add_each("clusters", LABELLED, lambda name: metric_use(getattr(clustering, name), labels))
INTRINSIC = ("CalinskiHarabaszScore", "DaviesBouldinScore", "DunnIndex")
uses.add_each("clusters", INTRINSIC, lambda name: metric_use(getattr(clustering, name), points))
IMAGES = {
    "ErrorRelativeGlobalDimensionlessSynthesis": {},
    "PeakSignalNoiseRatio": {"data_range": 1.0},
    "RelativeAverageSpectralError": {},
    "RootMeanSquaredErrorUsingSlidingWindow": {},
    "SpatialCorrelationCoefficient": {},
    "SpectralAngleMapper": {},
    "SpectralDistortionIndex": {},
    "StructuralSimilarityIndexMeasure": {},
    "UniversalImageQualityIndex": {},
    "VisualInformationFidelity": {},
}
uses.add_each("image", IMAGES, lambda name: metric_use(lambda: getattr(image, name)(**IMAGES[name]), pictures))
AUDIO = (
    "ScaleInvariantSignalDistortionRatio",
    "ScaleInvariantSignalNoiseRatio",
    "SignalDistortionRatio",
    "SignalNoiseRatio",
)
uses.add_each("audio", AUDIO, lambda name: metric_use(getattr(torchmetrics.audio, name), sounds))
AGGREGATION = ("CatMetric", "MaxMetric", "MeanMetric", "MinMetric", "RunningMean", "RunningSum", "SumMetric")
uses.add_each(
    "aggregation", AGGREGATION, lambda name: metric_use(getattr(aggregation, name), lambda device: real(device)[:1])
)


@uses.add
def aggregation_of_numbers(device: torch.device) -> None:
    for strategy in ("warn", "ignore", 0.0):
        metric = aggregation.MeanMetric(nan_strategy=strategy).to(device)
        metric.update(1.5)
        metric.update(torch.tensor([1.0, float("nan")], device=device), weight=2.0)
        metric.compute()


@uses.add
def text(device: torch.device) -> None:
    said, wanted = ["the cat sat on the mat"], ["a cat sat on a mat"]
    for name in ("BLEUScore", "CHRFScore", "CharErrorRate", "MatchErrorRate", "TranslationEditRate", "WordErrorRate"):
        metric = getattr(torchmetrics.text, name)().to(device)
        metric.update(said, [wanted] if name in ("BLEUScore", "CHRFScore", "TranslationEditRate") else wanted)
        metric.compute()
    for name in ("WordInfoLost", "WordInfoPreserved", "EditDistance", "ExtendedEditDistance"):
        metric = getattr(torchmetrics.text, name)().to(device)
        metric.update(said, wanted)
        metric.compute()


@uses.add
def perplexity(device: torch.device) -> None:
    metric = torchmetrics.text.Perplexity(ignore_index=-100).to(device)
    metric.update(torch.rand(2, 8, 5, device=device), torch.randint(0, 5, (2, 8), device=device))
    metric.compute()


def boxes_on(device: torch.device) -> list[dict[str, torch.Tensor]]:
    corner = torch.rand(6, 2, device=device) * 40
    boxes = torch.cat([corner, corner + 10], dim=1)
    kinds = torch.arange(6, device=device) % 2
    return [{"boxes": boxes, "scores": torch.rand(6, device=device), "labels": kinds} for _ in range(2)]


@uses.add
def overlaps(device: torch.device) -> None:
    for name in (
        "IntersectionOverUnion",
        "GeneralizedIntersectionOverUnion",
        "DistanceIntersectionOverUnion",
        "CompleteIntersectionOverUnion",
    ):
        metric = getattr(detection, name)(class_metrics=True).to(device)
        metric.update(boxes_on(device), boxes_on(device))
        metric.compute()


@uses.add
def panoptic_quality(device: torch.device) -> None:
    for name in ("PanopticQuality", "ModifiedPanopticQuality"):
        metric = getattr(detection, name)(things={0, 1}, stuffs={6, 7}).to(device)
        maps = torch.tensor([[[[6, 0], [0, 0], [6, 0]], [[7, 0], [0, 0], [7, 0]]]], device=device)
        metric.update(maps, maps.flip(1))
        metric.compute()


@uses.add
def segmentation_scores(device: torch.device) -> None:
    maps = torch.randint(0, 2, (2, 3, 16, 16), device=device)
    for made in (
        lambda: segmentation.MeanIoU(3),
        lambda: segmentation.GeneralizedDiceScore(3),
        lambda: segmentation.DiceScore(3),
        lambda: segmentation.HausdorffDistance(3),
    ):
        metric = made().to(device)
        metric.update(maps, maps.flip(3))
        metric.compute()


@uses.add
def shapes(device: torch.device) -> None:
    metric = shape.ProcrustesDisparity().to(device)
    metric.update(torch.rand(2, 10, 3, device=device), torch.rand(2, 10, 3, device=device))
    metric.compute()


@uses.add
def fairness(device: torch.device) -> None:
    scores, truth = binary(device)
    groups = torch.arange(BATCH, device=device) % 2
    for metric in (classification.BinaryFairness(2), classification.BinaryGroupStatRates(2)):
        metric.to(device).update(scores, truth, groups)
        metric.compute()


@uses.add
def collections(device: torch.device) -> None:
    made = torchmetrics.MetricCollection(
        {
            "accuracy": classification.MulticlassAccuracy(CLASSES),
            "f1": classification.MulticlassF1Score(CLASSES),
            "confusion": classification.MulticlassConfusionMatrix(CLASSES),
            "auroc": classification.MulticlassAUROC(CLASSES),
        }
    ).to(device)
    for _ in range(3):
        made(*multiclass(device))
    made.compute()
    made.clone(prefix="val_").reset()


@uses.add
def wrapped_metrics(device: torch.device) -> None:
    accuracy = classification.MulticlassAccuracy(CLASSES, average=None)
    for metric, inputs in (
        (wrappers.ClasswiseWrapper(accuracy), multiclass),
        (wrappers.BootStrapper(classification.MulticlassAccuracy(CLASSES), num_bootstraps=3), multiclass),
        (wrappers.MinMaxMetric(classification.MulticlassAccuracy(CLASSES)), multiclass),
        (wrappers.MultioutputWrapper(regression.R2Score(), 4), rows),
        (wrappers.Running(aggregation.SumMetric(), 2), lambda device: real(device)[:1]),
    ):
        metric.to(device)
        for _ in range(3):
            metric.update(*inputs(device))
        metric.compute()


@uses.add
def tracker(device: torch.device) -> None:
    made = wrappers.MetricTracker(classification.MulticlassAccuracy(CLASSES)).to(device)
    for _ in range(3):
        made.increment()
        made.update(*multiclass(device))
        made.compute()
    made.compute_all()
    made.best_metric(return_step=True)


@uses.add
def distances(device: torch.device) -> None:
    data = torch.rand(8, 4, device=device)
    for name in (
        "cosine_similarity",
        "euclidean_distance",
        "linear_similarity",
        "manhattan_distance",
        "minkowski_distance",
    ):
        function = getattr(torchmetrics.functional, f"pairwise_{name}")
        function(data, *((data, 3) if name.startswith("mink") else ()), zero_diagonal=True)


@uses.add
def training_log(device: torch.device) -> None:
    accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=CLASSES).to(device)
    for _ in range(4):
        step = accuracy(*multiclass(device))
        float(step)
    accuracy.compute().item()
    accuracy.state_dict()


if __name__ == "__main__":
    uses.main()
