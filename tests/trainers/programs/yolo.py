"""Ultralytics' quick start, from the model's description instead of a checkpoint."""

import sys

from ultralytics import YOLO

YOLO("yolo11n.yaml").train(
    data=f"{sys.argv[1]}/boxes/data.yaml",
    epochs=3,
    imgsz=320,
    batch=16,
    nbs=16,  # an update after each batch
    workers=2,
    amp=False,
    val=False,
)
