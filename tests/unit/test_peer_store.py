"""Keys of virtual ranks in the rendezvous store, and keys that only look like theirs."""

import contextlib
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

INSIDE = Path(__file__).resolve().parents[2] / "src/maya/emulator/inside"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module as rank 1 sees it in a job of four with ranks 0 and 1 launched."""
    table = tmp_path / "representatives.txt"
    table.write_text("0 1 0 1\n", encoding="ascii")
    monkeypatch.setenv("MAYA_REPRESENTATIVES", str(table))
    monkeypatch.setenv("RANK", "1")
    monkeypatch.delenv("MAYA_RUN_DIR", raising=False)
    monkeypatch.syspath_prepend(str(INSIDE))
    loaded = set(sys.modules)
    from maya_inside import store as module

    yield module
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


class Inner:
    """As much of torch's store as is needed."""

    timeout = None

    def __init__(self, **values: bytes) -> None:
        self.values = {key.replace("_", "/"): value for key, value in values.items()}

    def check(self, keys: list[str]) -> bool:
        return all(key in self.values for key in keys)

    def get(self, key: str) -> bytes:
        return self.values[key]


def test_a_virtual_rank_has_written_what_its_representative_wrote(store: Any) -> None:
    peer = store.make_class(object)(Inner(address_1=b"here"))
    assert peer.get("address/3") == b"here"
    assert peer.check(["address/3"])
    assert not peer.check(["address/2"])


def test_symmetric_memory_of_a_virtual_rank_is_on_a_device_of_its_own(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    group = "symmetric_memory-0_1_2_3/CUDASymmetricMemory/7"
    inner, record = Inner(), struct.pack("<ii3q", 1, 4711, 1 << 20, 1 << 20, 0)
    inner.values = {f"{group}/1": record, f"{group[:-1]}8/1": b"\0" * 4}
    peer = store.make_class(object)(inner)
    assert peer.get(f"{group}/1") == record
    assert peer.get(f"{group}/3") == struct.pack("<i", 3) + record[4:]
    assert peer.get(f"{group[:-1]}8/3") == b"\0" * 4  # a barrier


def test_numbers_that_name_a_group_are_no_ranks(store: Any) -> None:
    assert store.stand_ins("default_pg/3//cuda//barrier") == []
    assert store.stand_ins("default_pg/3//cuda//rank2") == ["default_pg/3//cuda//rank0"]


def test_the_id_of_a_communicator_is_never_that_of_another(store: Any) -> None:
    from maya_inside import groups

    with groups.being_made("3", (0, 1)), groups.being_made("1", (0, 1)):
        pass
    # Rank 0 has made the communicator of group 1, and not yet that of group 3.
    peer = store.make_class(object)(Inner())
    peer.inner.values = {"default_pg/1//cuda//0": b"other"}
    with pytest.raises(KeyError):
        peer.get("default_pg/3//cuda//0")


def test_a_wait_for_a_key_is_told_to_the_core_until_somebody_writes_it(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    @contextlib.contextmanager
    def waiting_for_rank(what: str) -> Iterator[None]:
        told.append(what)
        inner.values["address/1"] = b"here"
        yield
        told.append("over")

    inner = Inner()
    monkeypatch.setattr(store, "_SOON_S", 0.01)
    monkeypatch.setattr(store, "waiting_for_rank", waiting_for_rank)
    assert store.make_class(object)(inner).get("address/1") == b"here"
    assert told == ["the rendezvous store, for 'address/1'", "over"]
