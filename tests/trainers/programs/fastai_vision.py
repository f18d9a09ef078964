"""fastai's quick start of vision."""

import sys

from fastai.vision.all import ImageDataLoaders, Resize, error_rate, resnet18, vision_learner

loaders = ImageDataLoaders.from_folder(
    f"{sys.argv[1]}/pictures", valid="val", item_tfms=Resize(96), bs=16, num_workers=0
)
vision_learner(loaders, resnet18, pretrained=False, metrics=error_rate).fine_tune(2)
