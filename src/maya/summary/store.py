"""Predictions of one run, side by side in its directory.

Each has a directory of its own, `predictions/<cluster>-<hash of all that was asked>`; the one that
was made last is also the run's own summary.json, where people look for it.
"""

import hashlib
import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.hardware import Cluster, find_cluster
from maya.rundir import WHERE_RUNS_ARE, RunDirectory, cannot_write, names, write_whole
from maya.summary.document import Summary
from maya.summary.kernels import KernelRow, KernelTable
from maya.summary.options import PredictionOptions
from maya.typed_json import decode, encode


@dataclass(frozen=True, slots=True)
class KeptPrediction:
    """What an earlier command left, as it was printed."""

    directory: Path
    summary: Summary

    def kernels(self) -> tuple[KernelRow, ...]:
        """Its table; a run without a step has none."""
        if self.summary.step is None:
            return ()
        path = self.directory / names.KERNELS
        return decode(KernelTable, _read(path), path, hint="predict it again").rows


def prediction_name(cluster: Cluster, options: PredictionOptions) -> str:
    """The same for the same question, and only for that."""
    asked = encode(Cluster, cluster) + encode(PredictionOptions, options)
    return f"{_readable(cluster.name)}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"


def _readable(cluster: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", cluster).strip("-.") or "cluster"


def keep_prediction(directory: Path, summary: Summary, kernels: tuple[KernelRow, ...]) -> Path:
    """Beside the others of the run, and as its newest. Returns where."""
    name = prediction_name(summary.cluster, summary.options)
    own = directory / names.PREDICTIONS / name
    write_prediction(own, summary, kernels)
    write_whole(directory / names.SUMMARY, summary.to_json(), durable=False)
    return own


def write_prediction(place: Path, summary: Summary, kernels: tuple[KernelRow, ...]) -> None:
    """The summary last: where it is, the table is too. What a power cut takes can be made again."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(place, error) from error
    write_whole(place / names.KERNELS, encode(KernelTable, KernelTable(kernels)), durable=False)
    write_whole(place / names.SUMMARY, summary.to_json(), durable=False)


def kept_names(directory: Path) -> list[str]:
    """Of all predictions that the run has."""
    return sorted(
        path.parent.name for path in directory.glob(f"{names.PREDICTIONS}/*/{names.SUMMARY}")
    )


def describe_kept(directory: Path) -> dict[str, str]:
    """Name -> how it was asked for, so that a person can tell one from the other."""
    told = {}
    for name in kept_names(directory):
        with suppress(MayaError):  # one that is damaged keeps none of the others from being named
            told[name] = read_prediction(directory, name).summary.options.unusual()
    return told


def read_prediction(directory: Path, name: str | None = None) -> KeptPrediction:
    """The one that was made last, or the one of a name or a cluster."""
    place = directory if name is None else directory / names.PREDICTIONS / _find(directory, name)
    path = place / names.SUMMARY
    summary = Summary.from_json(_read(path), path)
    own = directory / names.PREDICTIONS / prediction_name(summary.cluster, summary.options)
    return KeptPrediction(own if own.exists() else place, summary)


def _find(directory: Path, wanted: str) -> str:
    """By its whole name, or by its cluster where there is one of it: h100:8 finds h100-8-..."""
    known = kept_names(directory)
    if wanted in known:
        return wanted
    cluster = _readable(_cluster_name(wanted))
    found = [name for name in known if name.rpartition("-")[0] == cluster]
    if len(found) == 1:
        return found[0]
    several = "several predictions" if found else "no prediction"
    listed = _listed(describe_kept(directory), found or known)
    raise MayaError(
        f"{directory} holds {several} of the name {wanted!r}", hint=f"there are: {listed or 'none'}"
    )


def _cluster_name(wanted: str) -> str:
    """As the cluster calls itself: a100:8 is a100-80:8, a file has a name of its own."""
    try:
        return find_cluster(wanted).name
    except MayaError:
        return wanted


def _listed(described: dict[str, str], chosen: list[str]) -> str:
    marks = {name: f" ({how})" if (how := described.get(name)) else "" for name in chosen}
    return ", ".join(f"{name}{mark}" for name, mark in marks.items())


def _read(path: Path) -> bytes:
    if not path.parent.exists():
        raise MayaError(
            f"there is no directory {path.parent}",
            hint=WHERE_RUNS_ARE,
        )
    if path.parent.is_file():
        raise MayaError(f"{path.parent} is a file, not the directory of a run", hint=WHERE_RUNS_ARE)
    try:
        return path.read_bytes()
    except OSError as error:
        run = RunDirectory(path.parent)
        if not run.has(names.RUN) and not run.capture_files():
            raise MayaError(
                f"{path.parent} is not the directory of a run: it holds no recording",
                hint=WHERE_RUNS_ARE,
            ) from error
        raise MayaError(
            f"{path.parent} holds no {path.name} that can be read: {error.strerror}",
            hint=f"predict first: maya simulate {shlex.quote(str(path.parent))} --cluster h100:8",
        ) from error
