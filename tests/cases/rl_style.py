import random
from collections import deque, namedtuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory:
    def __init__(self, capacity: int):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, size: int):
        return random.sample(self.memory, size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, observations: int, actions: int):
        super().__init__()
        self.layer1 = nn.Linear(observations, 128)
        self.layer2 = nn.Linear(128, actions)

    def forward(self, x):
        return self.layer2(F.relu(self.layer1(x)))


env = gym.make("CartPole-v1")
policy_net = DQN(4, 2).to(device)
target_net = DQN(4, 2).to(device)
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-4)
memory = ReplayMemory(10000)


def select_action(state: torch.Tensor, epsilon: float):
    if random.random() > epsilon:  # silent: HS201
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[env.action_space.sample()]], device=device, dtype=torch.long)  # expect: HS404


def optimize_model(gamma: float = 0.99):
    if len(memory) < 128:  # silent: HS201
        return
    transitions = memory.sample(128)
    batch = Transition(*zip(*transitions))
    non_final = torch.tensor([s is not None for s in batch.next_state], device=device, dtype=torch.bool)  # expect: HS404
    state_batch = torch.cat(batch.state)
    values = policy_net(state_batch)
    next_values = torch.zeros(128, device=device)
    with torch.no_grad():
        next_values[non_final] = target_net(state_batch).amax(1)  # expect: HS303
    loss = F.smooth_l1_loss(values.mean(1), next_values * gamma)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def act(model: nn.Module, observation: np.ndarray):
    state = torch.from_numpy(observation).float().unsqueeze(0).to(device)  # expect: HS401
    with torch.no_grad():
        q = model(state)
    if random.random() < 0.05:  # silent: HS201
        return random.randrange(2)
    return q.argmax(dim=1).item()  # expect: HS101


def returns(rewards: list, gamma: float):
    total = 0.0
    out = []
    for reward in reversed(rewards):
        total = reward + gamma * total
        out.insert(0, total)
    out = torch.tensor(out)
    out = (out - out.mean()) / (out.std() + 1e-8)
    print(out.mean().item())  # silent: HS101
    return out.to(device)  # expect: HS401


for episode in range(600):
    state, info = env.reset()
    state = torch.tensor(state, dtype=torch.float32, device=device).unsqueeze(0)  # expect: HS404
    for t in range(500):
        action = select_action(state, 0.1)
        observation, reward, terminated, truncated, _ = env.step(action.item())  # expect: HS101
        reward = torch.tensor([reward], device=device)  # expect: HS404
        if terminated or truncated:  # silent: HS201, HS204
            break
        optimize_model()
