import cv2
import numpy as np
import torch
import torchvision
from torch import Tensor


def best_boxes(boxes: Tensor, scores: Tensor, threshold: float):
    keep = torch.where(scores > threshold)[0]  # expect: HS301
    boxes, scores = boxes[keep], scores[keep]  # silent: HS302, HS405
    order = scores.argsort(descending=True)
    return boxes[order], scores[order]  # silent: HS405


def draw(image: np.ndarray, boxes: Tensor, scores: Tensor, names: list[str]):
    for box, score in zip(boxes, scores):
        if score < 0.5:  # expect: HS201
            continue
        x1, y1, x2, y2 = map(int, box)  # expect: HS103
        cv2.rectangle(image, (x1, y1), (x2, y2), (0, 255, 0), 2)
        cv2.putText(image, f"{score:.2f}", (x1, y1), 0, 1, (255, 255, 255))  # expect: HS105
    return image


def draw_from_the_host(image: np.ndarray, output: dict[str, Tensor], names: list[str]):
    boxes = output["boxes"].round().int().tolist()  # expect: HS101
    labels = [names[i] for i in output["labels"].tolist()]  # expect: HS101
    for (x1, y1, x2, y2), label in zip(boxes, labels):
        cv2.rectangle(image, (int(x1), int(y1)), (int(x2), int(y2)), 0)  # silent: HS103
        print(label)  # silent: HS105
    return image


def names_of(labels: Tensor, names: list[str]):
    return [names[label] for label in labels]  # expect: HS104


def summary(prediction: list[Tensor], names: list[str]):
    text = ""
    for det in prediction:
        if len(det):  # silent: HS201
            for c in det[:, 5].unique():  # expect: HS304
                n = (det[:, 5] == c).sum()
                text += f"{n} {names[int(c)]}, "  # expect: HS103, HS105
            for *xyxy, conf, cls in reversed(det):
                label = f"{names[int(cls)]} {conf:.2f}"  # expect: HS103, HS105
                text += label
    return text


def suppress(prediction: Tensor, conf_thres: float, max_det: int):
    candidates = prediction[..., 4] > conf_thres
    output = [torch.zeros((0, 6), device=prediction.device)] * prediction.shape[0]
    for xi, x in enumerate(prediction):
        x = x[candidates[xi]]  # expect: HS302
        if not x.shape[0]:  # silent: HS201
            continue
        conf, j = x[:, 5:].max(1, keepdim=True)
        x = torch.cat((x[:, :4], conf, j.float()), 1)[conf.view(-1) > conf_thres]  # expect: HS302
        n = x.shape[0]
        if n == 0:  # silent: HS201
            continue
        elif n > max_det:  # silent: HS201
            x = x[x[:, 4].argsort(descending=True)[:max_det]]  # silent: HS405, HS308
        output[xi] = x[torch.arange(3, device=x.device)]  # silent: HS405
    return output


def small(boxes: Tensor, minimum: float):
    ws, hs = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    keep = (ws >= minimum) & (hs >= minimum)
    return torch.where(keep)[0]  # expect: HS301


def assign(quality: Tensor, high: float, low: float):
    values, matches = quality.max(dim=0)
    below = values < low
    between = (values >= low) & (values < high)
    matches[below] = -1  # silent: HS303, HS406
    matches[between] = -2  # silent: HS303, HS406
    return matches


def grid_with_strides(strides, level, rows, columns, device):
    """A name that is bound anew to a tensor full of what it stood for was a number before."""
    stride = strides[level]
    x = torch.arange(columns, device=device) * stride
    stride = x.new_full((rows,), stride)  # silent: HS605
    return torch.stack([x, stride], -1)
