"""A script whose work stands under its guard: what it says of a device there makes it a program like any other."""
import gymnasium
import torch
import torch.nn as nn
from torch.utils.tensorboard import SummaryWriter


class Agent(nn.Module):
    def __init__(self, env):
        super().__init__()
        self.critic = nn.Linear(4, 1)
        self.actor = nn.Linear(4, 2)

    def get_action(self, x):
        probs = torch.distributions.Categorical(logits=self.actor(x))  # expect: HS602
        return probs.sample(), probs.entropy(), self.critic(x)


if __name__ == "__main__":
    envs = gymnasium.make_vec("CartPole-v1")
    writer = SummaryWriter("runs")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = Agent(envs).to(device)
    optimizer = torch.optim.Adam(agent.parameters())
    obs = torch.Tensor(envs.reset()[0]).to(device)  # expect: HS401
    for step in range(100):
        action, entropy, value = agent.get_action(obs)  # expect: HS606
        loss = value.mean() - entropy.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        obs, reward, done, *_ = envs.step(action.cpu().numpy())  # expect: HS102
        obs = torch.Tensor(obs).to(device)  # expect: HS401
        writer.add_scalar("losses/entropy", entropy.mean().item(), step)  # expect: HS101
