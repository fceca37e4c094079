"""Classifiers, regressors, pretraining, augmentation, metrics, callbacks and networks of pytorch_tabnet."""

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
import torch
from pytorch_tabnet import augmentations, metrics, sparsemax, tab_network
from pytorch_tabnet.callbacks import Callback
from pytorch_tabnet.multitask import TabNetMultiTaskClassifier
from pytorch_tabnet.pretraining import TabNetPretrainer
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor
from sklearn.metrics import f1_score
from sklearn.model_selection import cross_val_score
from uses import Use, Uses

ROWS, FEATURES, CLASSES = 96, 6, 3
uses = Uses()
chance = np.random.default_rng(0)


def table(rows: int = ROWS) -> np.ndarray:
    found = chance.standard_normal((rows, FEATURES)).astype(np.float32)
    found[:, 4] = chance.integers(0, 4, rows)
    found[:, 5] = chance.integers(0, 3, rows)
    return found


def classes(rows: int = ROWS, count: int = CLASSES) -> np.ndarray:
    return np.arange(rows) % count


def targets(rows: int = ROWS, count: int = 1) -> np.ndarray:
    return chance.random((rows, count)).astype(np.float32)


def settings(device: torch.device, **more: Any) -> dict[str, Any]:
    return {"n_d": 8, "n_a": 8, "n_steps": 3, "verbose": 0, "device_name": device.type, **more}


FIT: dict[str, Any] = {
    "max_epochs": 2,
    "patience": 2,
    "batch_size": 32,
    "virtual_batch_size": 16,
    "num_workers": 0,
    "drop_last": False,
}


def classifier(device: torch.device, **more: Any) -> TabNetClassifier:
    made = TabNetClassifier(**settings(device, **more))
    made.fit(table(), classes(), eval_set=[(table(30), classes(30))], **FIT)
    return made


# Classifiers

CLASSIFIERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "entmax": {"mask_type": "entmax"},
    "categorical": {"cat_idxs": [4, 5], "cat_dims": [4, 3], "cat_emb_dim": 2},
    "categorical sizes": {"cat_idxs": [4, 5], "cat_dims": [4, 3], "cat_emb_dim": [1, 2]},
    "grouped": {"grouped_features": [[0, 1], [2, 3]]},
    "scheduled": {
        "optimizer_fn": torch.optim.AdamW,
        "optimizer_params": {"lr": 2e-2, "weight_decay": 1e-5},
        "scheduler_fn": torch.optim.lr_scheduler.StepLR,
        "scheduler_params": {"step_size": 1, "gamma": 0.9},
    },
    "scheduled by batch": {
        "scheduler_fn": torch.optim.lr_scheduler.OneCycleLR,
        "scheduler_params": {"max_lr": 0.05, "steps_per_epoch": 3, "epochs": 2, "is_batch_level": True},
    },
    "unshared": {"n_shared": 0, "n_independent": 2, "clip_value": None, "lambda_sparse": 1e-4},
    "shared": {"n_shared": 2, "n_independent": 0, "n_steps": 4, "gamma": 1.5},
    "wide": {"n_d": 16, "n_a": 4, "momentum": 0.3, "epsilon": 1e-10},
}


def classifier_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = classifier(device, **CLASSIFIERS[name])
        made.predict(table(20))
        made.predict_proba(table(20))
        made.explain(table(20))

    return use


uses.add_each("classifier", CLASSIFIERS, classifier_use)

METRICS: dict[str, tuple[list[str], int]] = {
    "two classes": (["auc", "accuracy", "balanced_accuracy", "logloss"], 2),
    "several": (["accuracy", "balanced_accuracy", "logloss"], CLASSES),
}


def metrics_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        chosen, count = METRICS[name]
        made = TabNetClassifier(**settings(device))
        sets = [(table(), classes(count=count)), (table(30), classes(30, count))]
        made.fit(*sets[0], eval_set=sets, eval_name=["train", "valid"], eval_metric=chosen, weights=1, **FIT)
        made.history["loss"], made.history["valid_accuracy"], str(made.history)
        made.feature_importances_.sum()

    return use


uses.add_each("metrics of", METRICS, metrics_use)


class F1(metrics.Metric):
    def __init__(self) -> None:
        self._name = "f1"
        self._maximize = True

    def __call__(self, y_true: np.ndarray, y_score: np.ndarray) -> float:
        return f1_score(y_true, y_score.argmax(1), average="macro")


class Watch(Callback):
    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.trainer.history["loss"]


@uses.add
def own_metric_and_callback(device: torch.device) -> None:
    made = TabNetClassifier(**settings(device))
    made.fit(
        table(),
        classes(),
        eval_set=[(table(30), classes(30))],
        eval_metric=[F1, "accuracy"],
        callbacks=[Watch()],
        compute_importance=False,
        **FIT,
    )


WEIGHTS: dict[str, Callable[[], Any]] = {
    "balanced": lambda: 1,
    "by class": lambda: {0: 1.0, 1: 2.0, 2: 0.5},
    "by row": lambda: chance.random(ROWS),
}


def weights_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = TabNetClassifier(**settings(device))
        made.fit(table(), classes(), weights=WEIGHTS[name](), **FIT)

    return use


uses.add_each("weights", WEIGHTS, weights_use)


@uses.add
def own_loss(device: torch.device) -> None:
    made = TabNetClassifier(**settings(device))
    made.fit(table(), classes(), loss_fn=torch.nn.CrossEntropyLoss(label_smoothing=0.1), **FIT)
    weighted = TabNetClassifier(**settings(device))
    weight = torch.tensor([1.0, 2.0, 1.0], device=device)
    weighted.fit(table(), classes(), loss_fn=torch.nn.CrossEntropyLoss(weight=weight), **FIT)


@uses.add
def named_classes(device: torch.device) -> None:
    made = TabNetClassifier(**settings(device, verbose=1))
    labels = np.array(["low", "middle", "high"])
    made.fit(table(), labels[classes()], eval_set=[(table(30), labels[classes(30)])], **FIT)
    made.predict(table(10))


@uses.add
def early_stopping(device: torch.device) -> None:
    made = TabNetClassifier(**settings(device, optimizer_params={"lr": 1e-7}))
    made.fit(table(), classes(), eval_set=[(table(30), classes(30))], **{**FIT, "max_epochs": 6, "patience": 1})
    float(made.best_cost)


@uses.add
def warm_start(device: torch.device) -> None:
    made = classifier(device)
    made.fit(table(), classes(), warm_start=True, **FIT)


@uses.add
def sparse_rows(device: torch.device) -> None:
    rows = scipy.sparse.csr_matrix(table() * (chance.random((ROWS, FEATURES)) > 0.5))
    made = TabNetClassifier(**settings(device))
    made.fit(rows, classes(), eval_set=[(rows, classes())], **FIT)
    made.predict(rows)
    made.explain(rows, normalize=True)


@uses.add
def explanations(device: torch.device) -> None:
    made = classifier(device, cat_idxs=[4], cat_dims=[4], cat_emb_dim=3)
    explained, masks = made.explain(table(20), normalize=True)
    explained.sum(), masks[0].sum()


@uses.add
def saved_classifier(device: torch.device) -> None:
    made = classifier(device)
    with tempfile.TemporaryDirectory() as folder:
        path = made.save_model(f"{folder}/classifier")
        again = TabNetClassifier(device_name=device.type)
        again.load_model(path)
    again.predict_proba(table(10))


@uses.add
def cross_validation(device: torch.device) -> None:
    cross_val_score(
        TabNetClassifier(**settings(device)), table(60), classes(60), scoring="accuracy", cv=2, params=dict(FIT)
    )


@uses.add
def frames(device: torch.device) -> None:
    frame = pd.DataFrame(table(), columns=[f"column{i}" for i in range(FEATURES)])
    made = TabNetClassifier(**settings(device))
    made.fit(frame.values, pd.Series(classes()).values, **FIT)
    made.predict(frame.values)


# Regressors and several targets

REGRESSION: dict[str, tuple[int, dict[str, Any]]] = {
    "one target": (1, {}),
    "several targets": (3, {}),
    "with entmax": (1, {"mask_type": "entmax", "cat_idxs": [4], "cat_dims": [4]}),
}


def regression_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        count, more = REGRESSION[name]
        made = TabNetRegressor(**settings(device, **more))
        made.fit(
            table(),
            targets(count=count),
            eval_set=[(table(30), targets(30, count))],
            eval_metric=["rmse", "mae", "mse", "rmsle"] if name == "one target" else ["rmse", "mae"],
            **FIT,
        )
        np.abs(made.predict(table(10)))
        made.explain(table(10))

    return use


uses.add_each("regression with", REGRESSION, regression_use)


@uses.add
def robust_regression(device: torch.device) -> None:
    made = TabNetRegressor(**settings(device))
    made.fit(table(), targets(), loss_fn=torch.nn.SmoothL1Loss(), **FIT)
    with tempfile.TemporaryDirectory() as folder:
        path = made.save_model(f"{folder}/regressor")
        again = TabNetRegressor(device_name=device.type)
        again.load_model(path)
    again.predict(table(10))


@uses.add
def several_tasks(device: torch.device) -> None:
    labels = np.stack([classes(), classes(count=2)], axis=1)
    made = TabNetMultiTaskClassifier(**settings(device))
    made.fit(table(), labels, eval_set=[(table(), labels)], eval_metric=["accuracy", "logloss"], **FIT)
    made.predict(table(10))
    made.predict_proba(table(10))


@uses.add
def several_tasks_with_losses(device: torch.device) -> None:
    labels = np.stack([classes(), classes(count=2)], axis=1)
    made = TabNetMultiTaskClassifier(**settings(device))
    losses = [torch.nn.CrossEntropyLoss(), torch.nn.CrossEntropyLoss(label_smoothing=0.1)]
    made.fit(table(), labels, loss_fn=losses, **FIT)


# Pretraining


def pretrainer(device: torch.device, **more: Any) -> TabNetPretrainer:
    made = TabNetPretrainer(**settings(device, **more))
    made.fit(table(), eval_set=[table(30)], pretraining_ratio=0.8, **FIT)
    return made


PRETRAINING: dict[str, dict[str, Any]] = {
    "plain": {},
    "entmax": {"mask_type": "entmax", "n_shared_decoder": 2, "n_indep_decoder": 2},
    "categorical": {"cat_idxs": [4, 5], "cat_dims": [4, 3], "cat_emb_dim": 2},
    "grouped": {"grouped_features": [[0, 1], [2, 3]]},
    "shared decoder": {"n_shared_decoder": 1, "n_indep_decoder": 0},
}


def pretraining_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = pretrainer(device, **PRETRAINING[name])
        made.predict(table(20))
        made.explain(table(20))

    return use


uses.add_each("pretraining", PRETRAINING, pretraining_use)


@uses.add
def classifier_from_pretraining(device: torch.device) -> None:
    first = pretrainer(device)
    made = TabNetClassifier(**settings(device))
    made.fit(table(), classes(), eval_set=[(table(30), classes(30))], from_unsupervised=first, **FIT)


@uses.add
def regressor_from_saved_pretraining(device: torch.device) -> None:
    first = pretrainer(device)
    with tempfile.TemporaryDirectory() as folder:
        path = first.save_model(f"{folder}/pretrained")
        again = TabNetPretrainer(device_name=device.type)
        again.load_model(path)
    made = TabNetRegressor(**settings(device))
    made.fit(table(), targets(), from_unsupervised=again, **FIT)


@uses.add
def sparse_pretraining(device: torch.device) -> None:
    rows = scipy.sparse.csr_matrix(table() * (chance.random((ROWS, FEATURES)) > 0.5))
    made = TabNetPretrainer(**settings(device))
    made.fit(rows, eval_set=[rows], pretraining_ratio=0.5, **FIT)
    made.predict(rows)


# Augmentation


@uses.add
def classification_augmentation(device: torch.device) -> None:
    made = TabNetClassifier(**settings(device))
    smote = augmentations.ClassificationSMOTE(device_name=device.type, p=0.4)
    made.fit(table(), classes(), augmentations=smote, **FIT)


@uses.add
def regression_augmentation(device: torch.device) -> None:
    made = TabNetRegressor(**settings(device))
    smote = augmentations.RegressionSMOTE(device_name=device.type, p=0.4)
    made.fit(table(), targets(), augmentations=smote, **FIT)


# Networks and functions


def on_device(device: torch.device, rows: int = 16) -> torch.Tensor:
    return torch.as_tensor(table(rows), device=device)


NETWORKS: dict[str, dict[str, Any]] = {
    "plain": {},
    "entmax": {"mask_type": "entmax", "n_independent": 1, "n_shared": 1},
    "categorical": {"cat_idxs": [4, 5], "cat_dims": [4, 3], "cat_emb_dim": [2, 2]},
    "several outputs": {"output_dim": [3, 2]},
}


def network_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        more = {"output_dim": CLASSES, "virtual_batch_size": 8, **NETWORKS[name]}
        groups = torch.eye(FEATURES, device=device)
        net = tab_network.TabNet(FEATURES, group_attention_matrix=groups, **more).to(device)
        optimizer = torch.optim.Adam(net.parameters(), lr=2e-2)
        output, sparsity = net(on_device(device))
        parts = output if isinstance(output, list) else [output]
        loss = sum(part.sum() for part in parts) - 1e-3 * sparsity
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1)
        optimizer.step()
        net.eval().forward_masks(on_device(device))

    return use


uses.add_each("network", NETWORKS, network_use)


@uses.add
def pretraining_network(device: torch.device) -> None:
    groups = torch.eye(FEATURES, device=device)
    net = tab_network.TabNetPretraining(
        FEATURES, pretraining_ratio=0.5, virtual_batch_size=8, group_attention_matrix=groups
    ).to(device)
    output, embedded, obfuscated = net(on_device(device))
    metrics.UnsupervisedLoss(output, embedded, obfuscated).backward()


@uses.add
def activations(device: torch.device) -> None:
    x = torch.randn(8, FEATURES, device=device, requires_grad=True)
    (sparsemax.Sparsemax(dim=-1)(x) ** 2).sum().backward()
    (sparsemax.Entmax15(dim=-1)(x) ** 2).sum().backward()
    sparsemax.entmoid15(x).sum().backward()
    tab_network.GBN(FEATURES, virtual_batch_size=4).to(device)(x)


if __name__ == "__main__":
    uses.main()
