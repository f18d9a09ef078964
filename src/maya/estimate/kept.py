"""Estimates that earlier predictions of a run made, kept beside it by content.

Walking a compiled kernel's code takes milliseconds, and the answer depends on nothing but the work,
the GPU and Maya's own code and parameters. Other code starts anew.
"""

import contextlib
import hashlib
import json
from dataclasses import astuple
from functools import cache
from pathlib import Path

from maya.errors import MayaError
from maya.estimate.chain import Chain
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.rundir.files import read_text, write_whole
from maya.trace import Definition
from maya.version import maya_version

_PARTS = ("estimate", "families", "hardware", "trace")  # of the package, that estimates depend on


class KeptEstimates:
    """Asks the estimators only about work that no earlier prediction had estimated."""

    def __init__(self, chain: Chain, place: Path, settings: str = "") -> None:
        """`settings`: what else the estimators were told."""
        self.chain, self.place, self.settings = chain, place, settings
        self.found = _read(place)
        self.asked = 0  # of the estimators themselves
        self._devices: dict[int, tuple[Gpu, bytes]] = {}  # the GPU is held, so its id stays its own

    def estimate(self, work: Definition, device: Gpu) -> Estimate:
        """As the estimators would answer."""
        key = self._key(work, device)
        if key not in self.found:
            self.found[key] = self.chain.estimate(work, device)
            self.asked += 1
        return self.found[key]

    def keep(self) -> None:
        """For the next prediction; a directory that cannot be written to only costs time."""
        if not self.asked:
            return
        rows = {key: astuple(estimate) for key, estimate in self.found.items()}
        with contextlib.suppress(MayaError, OSError):
            self.place.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"code": _code(), "estimates": rows}, separators=(",", ":"))
            write_whole(self.place, text, durable=False)

    def _key(self, work: Definition, device: Gpu) -> str:
        if id(device) not in self._devices:
            facts = f"{device.model_dump_json()} {self.settings}".encode()
            self._devices[id(device)] = (device, facts)
        content = (work.op, int(work.kind), tuple(work.fields.items()), work.extra)
        told = hashlib.blake2b(self._devices[id(device)][1], digest_size=16)
        told.update(repr(content).encode())
        told.update(work.blob)
        return told.hexdigest()


def _read(place: Path) -> dict[str, Estimate]:
    """Nothing where other code wrote it, and where it is damaged."""
    try:
        content = json.loads(read_text(place) or "{}")
        if content.get("code") != _code():
            return {}
        return {
            key: Estimate(row[0], Source(row[1]), *row[2:])
            for key, row in content["estimates"].items()
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}


@cache
def _code() -> str:
    """Version, and every file of code and parameters by size and time of change."""
    root = Path(__file__).parents[1]
    files = sorted(path for part in _PARTS for path in (root / part).rglob("*") if path.is_file())
    told = hashlib.blake2b(maya_version().encode(), digest_size=16)
    for path in files:
        if path.suffix != ".pyc":
            facts = path.stat()
            told.update(f"{path.relative_to(root)} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return told.hexdigest()
