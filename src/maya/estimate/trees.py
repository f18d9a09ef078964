"""Gradient-boosted trees as plain arrays, evaluated with numpy: no pickle, no scikit-learn."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Trees:
    """All nodes of all trees in one table; a leaf points to itself."""

    roots: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int16]
    threshold: npt.NDArray[np.float32]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]
    baseline: float
    depth: int

    def predict(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The sum over all trees, for rows of features."""
        rows = features.astype(np.float32)
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        index = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            goes_left = rows[index, self.feature[at]] <= self.threshold[at]
            at = np.where(goes_left, self.left[at], self.right[at])
        summed: npt.NDArray[np.float64] = self.value[at].sum(axis=1, dtype=np.float64)
        return summed + self.baseline

    def dump(self) -> bytes:
        """As an npz file; the same bytes for the same trees."""
        target = io.BytesIO()
        np.savez_compressed(
            target,
            roots=self.roots,
            feature=self.feature,
            threshold=self.threshold,
            left=self.left,
            right=self.right,
            value=self.value,
            scalars=np.array([self.baseline, self.depth]),
        )
        return target.getvalue()


def load_trees(data: bytes) -> Trees:
    """From an npz file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        baseline, depth = file["scalars"].tolist()
        return Trees(
            roots=file["roots"],
            feature=file["feature"],
            threshold=file["threshold"],
            left=file["left"],
            right=file["right"],
            value=file["value"],
            baseline=float(baseline),
            depth=int(depth),
        )
