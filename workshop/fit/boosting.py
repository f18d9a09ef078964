"""Fits boosted trees with scikit-learn and turns them into plain arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from maya.estimate.trees import Trees

Array = npt.NDArray[np.float64]


def fit_trees(features: Array, target: Array, *, trees: int = 500, leaves: int = 31) -> Trees:
    """Squared error, no early stopping: the same result for the same rows."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        max_iter=trees,
        max_leaf_nodes=leaves,
        learning_rate=0.08,
        min_samples_leaf=6,
        early_stopping=False,
        random_state=0,
    )
    model.fit(features.astype(np.float32), target)
    return _flatten(model)


def _flatten(model: Any) -> Trees:
    nodes = [stage[0].nodes for stage in model._predictors]
    sizes = np.array([len(tree) for tree in nodes])
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    joined = np.concatenate(nodes)
    base = np.repeat(roots, sizes)
    own = np.arange(len(joined), dtype=np.int32)
    leaf = joined["is_leaf"].astype(bool)
    return Trees(
        roots=roots,
        feature=np.where(leaf, 0, joined["feature_idx"]).astype(np.int16),
        threshold=np.where(leaf, 0, joined["num_threshold"]).astype(np.float32),
        left=np.where(leaf, own, base + joined["left"]).astype(np.int32),
        right=np.where(leaf, own, base + joined["right"]).astype(np.int32),
        value=np.where(leaf, joined["value"], 0).astype(np.float32),
        baseline=float(np.ravel(model._baseline_prediction)[0]),
        depth=int(joined["depth"].max()),
    )
