import torch
from tqdm import tqdm

from .heads import anchor


class Trainer:
    def __init__(self, model, loss, optimizer, loader, device="cuda", log_every=10):
        self.model = model.to(device)
        self.loss = loss
        self.optimizer = optimizer
        self.loader = loader
        self.device = device
        self.log_every = log_every
        self.best = 0
        self.history = {"loss": [], "acc": []}

    def get_batch(self):
        x, y = next(iter(self.loader))
        return x.to(self.device), y.to(self.device)  # expect: HS401, HS401

    def forward_and_backward(self):
        x, y = self.get_batch()
        emb = self.model(x)
        self.losses = {"metric": self.loss(emb, y)}
        total = sum(self.losses.values())
        total.backward()
        self.history["loss"].append(total.item())  # expect: HS101
        return total

    def step(self):
        loss = self.forward_and_backward()
        for v in self.losses.values():
            if torch.isnan(v):  # expect: HS201
                raise RuntimeError
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss

    def train(self, epochs):
        for e in range(epochs):
            bar = tqdm(self.loader)
            for i, _ in enumerate(bar):
                loss = self.step()
                if i % self.log_every == 0:
                    bar.set_description("loss %.4f" % loss)  # expect: HS105
            acc = self.evaluate()
            if acc > self.best:
                self.best = acc

    @torch.no_grad()
    def evaluate(self):
        feats, labels = [], []
        for x, y in self.loader:
            feats.append(self.model(x.to(self.device)))  # expect: HS401
            labels.append(y)
        feats = torch.cat(feats)
        labels = torch.cat(labels).to(self.device)  # expect: HS401
        pred = feats.argmax(1)
        return (pred == labels).float().mean().item()  # expect: HS101
