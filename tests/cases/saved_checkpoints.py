"""What `torch.save` writes, and where that was moved to before; what is loaded into what was moved."""
import importlib

import torch
from torch import nn


def of_what_is_not_known(args):
    classifier = importlib.import_module(args.model).get_model(3)
    classifier = classifier.cuda()
    torch.save({"model": classifier.state_dict()}, "b.pt")  # expect: HS605
    state = {"epoch": 3, "model": classifier.state_dict()}
    torch.save(state, "c.pt")  # expect: HS605


def on_the_host(net: nn.Module):
    net.cpu()
    torch.save(net.state_dict(), "a.pt")  # silent: HS605


def brought_back(device):
    net = nn.Linear(3, 3).to(device)
    torch.save(net.state_dict(), "a.pt")  # expect: HS605
    net.eval().cpu()
    torch.save(net.state_dict(), "b.pt")  # silent: HS605
    net.to(device).train()
    torch.save(net.state_dict(), "c.pt")  # expect: HS605


def in_training():
    net = nn.Linear(3, 3)
    net.train().cuda()
    torch.save(net.state_dict(), "a.pt")  # expect: HS605


def handed_in(net, x: torch.Tensor):
    net.eval().cpu()  # expect: HS102
    torch.save(net.state_dict(), "a.pt")  # silent: HS605
    x.cpu()  # expect: HS102
    torch.save(x, "b.pt")  # expect: HS605


def of_an_optimizer(make, net, path):
    optimizer, scheduler = make(net)
    torch.save(optimizer.state_dict(), path)  # expect: HS605
    torch.save(scheduler.state_dict(), path)  # silent: HS605


def resumed(path, model, optimizer, scheduler, scaler):
    state = torch.load(path, map_location="cpu")
    weights = {name.replace("module.", ""): value for name, value in state["model"].items()}
    model.load_state_dict(weights, strict=False)  # expect: HS605
    model.module.load_state_dict(state["model"])  # expect: HS605
    optimizer.load_state_dict(state["optimizer"])  # expect: HS605
    scheduler.load_state_dict(state["scheduler"])  # silent: HS605
    scaler.load_state_dict(state["scaler"])  # silent: HS605


def begun(path, model):
    model.load_state_dict(torch.load(path, map_location="cpu"))  # silent: HS605


def moved_before(path, device):
    state = torch.load(path, map_location="cpu")
    net = nn.Linear(3, 3).to(device)
    net.load_state_dict(state)  # expect: HS605
    fresh = nn.Linear(3, 3)
    fresh.load_state_dict(state)  # silent: HS605
    fresh.cuda()
    twin = nn.Linear(3, 3).cuda()
    twin.load_state_dict(net.state_dict())  # silent: HS605
