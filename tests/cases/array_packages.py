"""Packages whose functions give arrays and numbers, and those that take what they are given for arrays."""

import cv2
import matplotlib.pyplot as plt
import torch
from sklearn.metrics import accuracy_score, confusion_matrix, roc_curve
from sklearn.model_selection import train_test_split


def grey(picture):
    found = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    edges = cv2.Canny(found, 10, 20)
    if found.mean() < 10 and edges.any():  # silent: HS201, HS204
        print(found.std())  # silent: HS105
    return float(edges.max())  # silent: HS103


def scores(labels, predicted):
    matrix = confusion_matrix(labels, predicted)
    print(matrix.diagonal().sum() / matrix.sum())  # silent: HS105
    if accuracy_score(labels, predicted) > 0.5:  # silent: HS201
        rates, _, _ = roc_curve(labels, predicted)
        return rates.max().item()  # silent: HS101
    return None


def shown(points):
    plt.scatter(points[:, 0], points[:, 1])
    return torch.sum(points).item()  # silent: HS101


def parts(x):
    first, second = train_test_split(torch.sigmoid(x).cuda())  # silent: HS101
    return first, second.relu().sum().item()  # expect: HS101
