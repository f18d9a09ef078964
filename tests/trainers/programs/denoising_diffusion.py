"""The README of denoising-diffusion-pytorch: its Trainer on a directory of pictures."""

import sys

from denoising_diffusion_pytorch import GaussianDiffusion, Trainer, Unet

network = Unet(dim=32, dim_mults=(1, 2, 4), flash_attn=True)
diffusion = GaussianDiffusion(network, image_size=64, timesteps=100, sampling_timesteps=10)
trainer = Trainer(
    diffusion,
    sys.argv[1],
    train_batch_size=16,
    train_num_steps=2000,
    gradient_accumulate_every=2,
    num_samples=4,
    amp=True,
    calculate_fid=False,
)
trainer.train()
