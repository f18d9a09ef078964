"""Keras' convolutional network for digits, on PyTorch."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

model = keras.Sequential(
    [
        keras.layers.Input((28, 28, 1)),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.MaxPooling2D(2),
        keras.layers.Flatten(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
pictures = np.random.rand(2048, 28, 28, 1).astype("float32")
model.fit(pictures, np.random.randint(0, 10, 2048), batch_size=128, epochs=2, verbose=2)
