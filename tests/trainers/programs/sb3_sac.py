"""Stable-Baselines3, off policy."""

from stable_baselines3 import SAC

SAC("MlpPolicy", "Pendulum-v1", device="cuda", verbose=1).learn(total_timesteps=5_000)
