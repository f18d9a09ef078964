"""From what a person gives, on the command line or in Python, to a target and options."""

from collections.abc import Mapping
from pathlib import Path

from maya.hardware import Cluster, find_cluster, find_host
from maya.simulator.variation import Variation
from maya.summary import MeasurementsFile, PredictionOptions
from maya.typed_json import build


def find_target(cluster: str | Path | Cluster, host: str | None = None) -> Cluster:
    """The cluster of a name or a YAML file, with another CPU where one is named."""
    target = cluster if isinstance(cluster, Cluster) else find_cluster(str(cluster))
    return target.model_copy(update={"host": find_host(host)}) if host else target


def prediction_options(
    *,
    host_scale: float = 1.0,
    tokens_per_step: float | None = None,
    samples_per_step: float | None = None,
    share_links: bool = True,
    overlap_slowdown: bool = True,
    ideal: bool = False,
    measurements: Path | str | None = None,
    mask_density: float | None = None,
    every_rank: bool = False,
    jitter: float = 0.0,
    slow_node: Mapping[int, float] | None = None,
    seed: int = 0,
    trials: int = 10,
) -> PredictionOptions:
    """Checked: a value that makes no sense is a MayaError that names its option."""
    slow = tuple((slow_node or {}).items())
    variation = build(Variation, jitter=jitter, slow_nodes=slow, seed=seed, trials=trials)
    return build(
        PredictionOptions,
        host_scale=host_scale,
        share_links=share_links,
        overlap_slowdown=overlap_slowdown,
        ideal=ideal,
        variation=variation if every_rank or jitter or slow else None,
        tokens_per_step=tokens_per_step,
        samples_per_step=samples_per_step,
        measurements=MeasurementsFile.read(Path(measurements)) if measurements else None,
        mask_density=mask_density,
    )
