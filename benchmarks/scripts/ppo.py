"""Proximal policy optimisation: roll-outs in an environment on the CPU, then epochs of updates."""

import numpy as np
import torch
from torch import nn

ENVIRONMENTS, ROLLOUT, EPOCHS, MINIBATCHES = 8, 16, 2, 4
OBSERVED, ACTIONS = 64, 6


class Environments:
    """A linear system for each environment, driven by the chosen actions."""

    def __init__(self) -> None:
        generator = np.random.default_rng(0)
        self.matrix = generator.standard_normal((OBSERVED, OBSERVED)) / OBSERVED
        self.push = generator.standard_normal((ACTIONS, OBSERVED))
        self.state = generator.standard_normal((ENVIRONMENTS, OBSERVED))

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is observed next, and the rewards."""
        self.state = np.tanh(self.state @ self.matrix + self.push[actions])
        return self.state.astype(np.float32), self.state.mean(axis=1).astype(np.float32)


class Agent(nn.Module):
    """Policy and value on shared layers."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Sequential(
            nn.Linear(OBSERVED, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh()
        )
        self.policy, self.value = nn.Linear(256, ACTIONS), nn.Linear(256, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        x = self.shared(x)
        logits = self.policy(x)
        return torch.distributions.Categorical(logits=logits, validate_args=False), self.value(x)


environments, agent = Environments(), Agent().cuda()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
seen = torch.zeros(ENVIRONMENTS, OBSERVED)
while True:
    observed, chosen, likely, rewards, values = [], [], [], [], []
    for _ in range(ROLLOUT):
        with torch.no_grad():
            x = seen.cuda()
            policy, value = agent(x)
            action = policy.sample()
        state, reward = environments.step(action.cpu().numpy() % ACTIONS)
        seen = torch.from_numpy(state)
        observed.append(x)
        chosen.append(action)
        likely.append(policy.log_prob(action))
        rewards.append(torch.from_numpy(reward).cuda())
        values.append(value.flatten())
    returns = torch.stack(rewards).flip(0).cumsum(0).flip(0).flatten()
    x, action, old = torch.cat(observed), torch.cat(chosen), torch.cat(likely)
    gain = returns - torch.cat(values)
    for _ in range(EPOCHS):
        for shuffled in torch.randperm(len(x)).chunk(MINIBATCHES):
            part = shuffled.cuda()
            policy, value = agent(x[part])
            ratio = (policy.log_prob(action[part]) - old[part]).exp()
            clipped = torch.clamp(ratio, 0.8, 1.2)
            loss = -torch.min(ratio * gain[part], clipped * gain[part]).mean()
            loss = loss + 0.5 * (value.flatten() - returns[part]).square().mean()
            loss = loss - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
