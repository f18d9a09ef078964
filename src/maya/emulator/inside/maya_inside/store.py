"""A rendezvous store in which virtual peers have written what their representatives wrote."""

import datetime
import re
import time
from typing import Any

from maya_inside import groups, ranks, symmetric_memory
from maya_inside.rank_waits import waiting_for_rank

# Not what stands before two slashes: there torch puts the name of a group, which may be a number.
_NUMBER = re.compile(r"\d+(?!\d|//)")
_POLL_S = 0.002
_SOON_S = 1.0  # from then on a wait is told, and looks seldom enough to be no sign of life
_SLOW_POLL_S = 0.05
_DEFAULT_S = 300.0
_KEPT: "list[Any]" = []  # torch holds stores from C++, which does not keep Python objects alive


def _seconds(timeout: Any) -> float:
    return timeout.total_seconds() if isinstance(timeout, datetime.timedelta) else _DEFAULT_S


def stand_ins(key: str) -> "list[str]":
    """Keys that representatives would use where this one names a virtual rank."""
    found = []
    for match in _NUMBER.finditer(key):
        rank = int(match.group())
        if not ranks.is_launched(rank):
            who = str(ranks.REPRESENTATIVE[rank])
            found.append(key[: match.start()] + who + key[match.end() :])
    return found


class Answers:
    """Wraps a real store that the launched ranks share; mixed into torch's Store."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner
        self._patience_s = _seconds(inner.timeout)
        _KEPT.append(self)

    @property
    def timeout(self) -> Any:
        return datetime.timedelta(seconds=self._patience_s)

    def __getattr__(self, name: str) -> Any:  # host, port
        return getattr(self.inner, name)

    def set(self, key: str, value: Any) -> None:
        found = groups.unique_id(key)
        if found and isinstance(value, bytes):
            found.declare(value)
        self.inner.set(key, value)

    def get(self, key: str) -> bytes:
        found = groups.unique_id(key)
        if found and not ranks.is_launched(found.root):
            value: bytes = groups.derived_id(key)
        elif found and not found.one_of_many:
            # Numbers in this key are no ranks: what stands under a similar one is another's id.
            value = bytes(self.inner.get(key))
        else:
            where = self._find(key, self._patience_s)
            value = bytes(self.inner.get(where))
            if where != key:
                value = symmetric_memory.on_own_device(key, value)
        if found:
            found.declare(value)
        return value

    def multi_get(self, keys: list[str]) -> list[bytes]:
        return [self.get(key) for key in keys]

    def multi_set(self, keys: list[str], values: list[Any]) -> None:
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def add(self, key: str, amount: int) -> int:
        return int(self.inner.add(key, amount * ranks.WEIGHT[ranks.RANK]))

    def append(self, key: str, value: Any) -> None:
        self.inner.append(key, value)

    def check(self, keys: list[str]) -> bool:
        return all(self._present(key) is not None for key in keys)

    def wait(self, keys: list[str], timeout: Any = None) -> None:
        patience = self._patience_s if timeout is None else _seconds(timeout)
        for key in keys:
            self._find(key, patience)

    def compare_set(self, key: str, expected: Any, desired: Any) -> Any:
        return self.inner.compare_set(key, expected, desired)

    def delete_key(self, key: str) -> bool:
        return bool(self.inner.delete_key(key))

    def num_keys(self) -> int:
        return int(self.inner.num_keys())

    def set_timeout(self, timeout: Any) -> None:
        self._patience_s = _seconds(timeout)
        self.inner.set_timeout(timeout)

    def clone(self) -> Any:
        return type(self)(self.inner.clone())

    def has_extended_api(self) -> bool:
        return False

    def _present(self, key: str) -> str | None:
        for candidate in [key, *stand_ins(key)]:
            if self.inner.check([candidate]):
                return candidate
        return None

    def _find(self, key: str, patience_s: float) -> str:
        found = self._look_for(key, min(patience_s, _SOON_S), _POLL_S)
        if found is None:
            with waiting_for_rank(f"the rendezvous store, for {key!r}"):
                found = self._look_for(key, patience_s - _SOON_S, _SLOW_POLL_S)
        if found is None:
            raise RuntimeError(
                f"maya: wait timeout: nobody wrote {key!r} to the rendezvous store; ranks "
                f"{', '.join(map(str, ranks.LAUNCHED[:16]))} are processes"
            )
        return found

    def _look_for(self, key: str, patience_s: float, poll_s: float) -> str | None:
        deadline = time.monotonic() + patience_s
        while (found := self._present(key)) is None and time.monotonic() < deadline:
            time.sleep(poll_s)
        return found


def make_class(base: Any) -> Any:
    """The class, derived from torch's Store."""
    return type("PeerStore", (Answers, base), {"__doc__": Answers.__doc__})


def shared() -> Any:
    """The real store that the launched ranks of this job share."""
    if not _KEPT:
        raise RuntimeError("maya: no rendezvous store was made yet")
    return _KEPT[0].inner
