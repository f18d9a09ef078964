"""Stable-Baselines3's quick start."""

from stable_baselines3 import PPO

PPO("MlpPolicy", "CartPole-v1", device="cuda", verbose=1).learn(total_timesteps=20_000)
