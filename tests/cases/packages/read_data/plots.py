"""What is read from JSON, YAML or a table of text is no tensor, whatever others have put under such a key."""

import csv
import json

import torch
import yaml


def plotted(path, others):
    rows = [json.loads(line) for line in open(path)]
    for row in rows:
        if row["loss_of_step"] > 10:  # silent: HS201
            print("spike", row["loss_of_step"])  # silent: HS105
    best = min(row["loss_of_step"] for row in rows)  # silent: HS106
    for row in csv.DictReader(open(path)):
        if float(row["loss_of_step"]) > 3:  # silent: HS103, HS201
            best = 0
    for key, value in yaml.safe_load("a: 1").items():
        if value > 3 or value["loss_of_step"] > 4:  # silent: HS201
            print(key, value[1:])  # silent: HS105
    if others["loss_of_step"] > 10:  # expect: HS201
        # A dictionary that nobody knows may be another one.
        best = others["loss_of_step"].item()  # expect: HS101
    if others.get("loss_of_step", 0.0) > 10:  # silent: HS201
        best = float(others.get("loss_of_step"))  # expect: HS103
    return best
