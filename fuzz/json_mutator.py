"""Changes a value inside a JSON document, which changed bytes mostly leave unreadable."""

import copy
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

_HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 1e-320, 1e308, -1e308, 2**31, 2**63, -(2**63), 2**64),
    *(float("nan"), float("inf"), "", "0", "nan", "\x1b]0;title\x07", "[red]", "<b>", "x" * 5000),
    *("../../etc/passwd", "\ud800", [], {}, [[]], {"": None}, [0] * 300),
)


def mutate(
    data: bytes,
    most: int,
    seed: int,
    by_bytes: Callable[[bytes, int], bytes],
    seeds: Sequence[bytes] = (),
) -> bytes:
    """One to three values of the document changed, or its bytes as libFuzzer does.

    Half the time the document is one of `seeds`. libFuzzer keeps the shortest input of those that
    reach the same code; most fields are read by pydantic, in which it sees no code at all.
    """
    chance = random.Random(seed)
    if seeds and chance.random() < 0.5:
        data = chance.choice(seeds)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return by_bytes(data, most)
    if chance.random() < 0.3:
        return by_bytes(data, most)
    for _ in range(chance.randint(1, 3)):
        document = _changed(document, chance)
    made = json.dumps(document).encode()
    return made if len(made) <= most else by_bytes(data, most)


def _changed(node: Any, chance: random.Random) -> Any:
    """The same with one value below it replaced, removed or given again."""
    if not isinstance(node, dict | list) or not node or chance.random() < 0.1:
        return _other(node, chance)
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key = chance.choice(keys)
    what = chance.random()
    if what < 0.05:
        del node[key]
    elif what < 0.1:
        extra = copy.deepcopy(node[chance.choice(keys)])
        node.append(extra) if isinstance(node, list) else node.update({f"{key}_": extra})
    else:
        node[key] = _changed(node[key], chance)
    return node


def _other(value: Any, chance: random.Random) -> Any:
    if type(value) in (int, float) and chance.random() < 0.5:
        return chance.choice((value * 1e9, -value, value + 1, value * 2**40, 1 / (value or 1e-9)))
    return copy.deepcopy(chance.choice(_HOSTILE))
