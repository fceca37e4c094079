"""Tensors that are handed to trackers of experiments, and to what writes files."""

import pickle

import mlflow
import torch
import wandb
from safetensors.torch import save_file


def tracked(loss: torch.Tensor, image: torch.Tensor, given):
    run = wandb.init(project="x")
    wandb.log({"loss": loss, "rate": 0.1}, step=3)  # expect: HS105
    run.log({"loss": loss.detach()})  # expect: HS105
    wandb.run.log({"loss": loss})  # expect: HS105
    wandb.log({"image": wandb.Image(image.cuda())})  # expect: HS105, HS401
    wandb.log({"image": wandb.Image(image)})  # silent: HS105
    mlflow.log_metric("loss", loss)  # expect: HS105
    mlflow.log_metrics({"loss": loss}, step=3)  # expect: HS105
    wandb.log({"rate": 0.1, "given": given})  # silent: HS105
    wandb.log({"loss": loss.item()})  # expect: HS101
    wandb.log({"loss": loss.cpu()})  # expect: HS102
    mlflow.log_metric("given", given)  # silent: HS105


class Tracker:
    def __init__(self, name):
        self.run = wandb.init(name=name)
        self.other = name

    def step(self, loss: torch.Tensor):
        self.run.log({"loss": loss})  # expect: HS105
        self.other.log({"loss": loss})  # silent: HS105


def written(model: torch.nn.Module, path, file, given):
    torch.save({"model": model.state_dict(), "random": torch.get_rng_state()}, path)  # expect: HS605
    torch.save({"step": 3, "random": torch.get_rng_state()}, path)  # silent: HS605
    states = {"host": torch.get_rng_state(), "all": torch.cuda.get_rng_state_all(), "one": torch.cuda.get_rng_state()}
    torch.save(states, path)  # silent: HS605
    save_file(model.state_dict(), path)  # expect: HS605
    pickle.dump({"model": model.state_dict()}, file)  # expect: HS605
    pickle.dump({"step": 3}, file)  # silent: HS605
    pickle.dump(given, file)  # silent: HS605
    return pickle.dumps({name: value.cpu() for name, value in model.state_dict().items()})  # expect: HS102


def of_what_was_moved(model, writer, step):
    model = model.to("cuda")
    for name, weight in model.named_parameters():
        writer.add_histogram(name, weight, step)  # expect: HS105
    for weight in model.parameters():
        print(weight.norm().item())  # expect: HS101
