"""Collectives on host tensors, answered for virtual members too.

Methods of torch's ProcessGroup, with its two ways of calling: lists of tensors and an options
object, or single tensors and plain arguments.
"""

from collections.abc import Callable
from typing import Any

from maya_inside import exchange, groups, partners, ranks, work
from maya_inside.reductions import combine


def _torch() -> Any:
    import torch

    return torch


def _bytes(tensor: Any) -> bytes:
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return bytes(flat.view(_torch().uint8).numpy().tobytes()) if flat.numel() else b""


def _like(tensor: Any, payload: bytes) -> Any:
    torch = _torch()
    if not payload:
        return torch.empty_like(tensor)
    flat = torch.frombuffer(bytearray(payload), dtype=torch.uint8)
    return flat.view(tensor.dtype).reshape(tensor.shape).to(tensor.device)


def _gather(group: Any, tensor: Any) -> "list[Any]":
    """What each member of the group gives, as tensors like this one."""
    letters = exchange.exchange(group, _bytes(tensor))
    given = {rank: _like(tensor, payload) for rank, payload in letters.items()}
    return [given[rank] for rank in exchange.voices(group)]


def _reduced(group: Any, tensor: Any, op: Any) -> Any:
    letters = exchange.exchange(group, _bytes(tensor))
    given = {rank: _like(tensor, payload) for rank, payload in letters.items()}
    return combine(_torch(), op, given, exchange.voices(group)).to(tensor.dtype)


def _op(opts: Any) -> Any:
    return getattr(
        opts, "reduceOp", opts if opts is not None else _torch().distributed.ReduceOp.SUM
    )


def _one(tensors: Any) -> Any:
    return tensors[0] if isinstance(tensors, (list, tuple)) else tensors


def _many(tensors: Any) -> "list[Any]":
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _nested(tensors: Any) -> "list[Any]":
    """[[a, b]] or [a, b] as [a, b]."""
    inner = tensors[0] if tensors and isinstance(tensors[0], (list, tuple)) else tensors
    return list(inner or [])


def allreduce(group: Any, tensors: Any, opts: Any = None, *_: Any, **__: Any) -> Any:
    for tensor in _many(tensors):
        tensor.copy_(_reduced(group, tensor, _op(opts)))
    return work.done(_many(tensors))


def broadcast(group: Any, tensors: Any, opts: Any = 0, *_: Any, **__: Any) -> Any:
    root = getattr(opts, "rootRank", opts)
    for tensor in _many(tensors):
        tensor.copy_(_gather(group, tensor)[int(root)])
    return work.done(_many(tensors))


def reduce(group: Any, tensors: Any, opts: Any = None, *_: Any, **__: Any) -> Any:
    for tensor in _many(tensors):
        result = _reduced(group, tensor, _op(opts))
        if group.rank() == getattr(opts, "rootRank", 0):
            tensor.copy_(result)
    return work.done(_many(tensors))


def allgather(group: Any, outputs: Any, inputs: Any, *_: Any, **__: Any) -> Any:
    if not _uniform(outputs, inputs):
        return _ragged(group, _nested(outputs), _one(inputs))
    for output, value in zip(_nested(outputs), _gather(group, _one(inputs)), strict=True):
        output.copy_(value)
    return work.done(_nested(outputs))


def _uniform(outputs: Any, inputs: Any) -> bool:
    return all(tensor.shape == _one(inputs).shape for tensor in _nested(outputs))


def _ragged(group: Any, outputs: "list[Any]", tensor: Any) -> Any:
    """Members with tensors of different sizes: each gives as much as there is room for."""
    letters = exchange.exchange(group, _bytes(tensor))
    for output, rank in zip(outputs, exchange.voices(group), strict=True):
        room = output.numel() * output.element_size()
        payload = letters[rank][:room].ljust(room, b"\0")
        output.copy_(_like(output, payload))
    return work.done(outputs)


def allgather_base(group: Any, output: Any, tensor: Any, *_: Any, **__: Any) -> Any:
    values = _gather(group, tensor)
    output.copy_(_torch().cat([value.reshape(-1) for value in values]).view_as(output))
    return work.done([output])


def allgather_into_tensor_coalesced(
    group: Any, outputs: Any, tensors: Any, *_: Any, **__: Any
) -> Any:
    for output, tensor in zip(outputs, tensors, strict=True):
        allgather_base(group, output, tensor)
    return work.done(list(outputs))


def allgather_coalesced(group: Any, outputs: Any, tensors: Any, *_: Any, **__: Any) -> Any:
    for index, tensor in enumerate(tensors):
        for member, value in enumerate(_gather(group, tensor)):
            outputs[member][index].copy_(value)
    return work.done([])


def gather(group: Any, outputs: Any, inputs: Any, opts: Any = 0, *_: Any, **__: Any) -> Any:
    values = _gather(group, _one(inputs))
    if group.rank() == getattr(opts, "rootRank", opts):
        for output, value in zip(_nested(outputs), values, strict=True):
            output.copy_(value)
    return work.done(_nested(outputs))


def scatter(group: Any, outputs: Any, inputs: Any, opts: Any = 0, *_: Any, **__: Any) -> Any:
    """A virtual root scatters what the receiver holds already."""
    root = int(getattr(opts, "rootRank", opts))
    output, parts = _one(outputs), _nested(inputs)
    blank = [output] * group.size()
    stacked = _torch().stack([part.reshape(output.shape) for part in parts or blank])
    output.copy_(_gather(group, stacked)[root][group.rank()])
    return work.done([output])


def reduce_scatter(
    group: Any, outputs: Any, inputs: Any, opts: Any = None, *_: Any, **__: Any
) -> Any:
    output = _one(outputs)
    stacked = _torch().stack([part.reshape(output.shape) for part in _nested(inputs)])
    output.copy_(_reduced(group, stacked, _op(opts))[group.rank()])
    return work.done([output])


def reduce_scatter_base(
    group: Any, output: Any, tensor: Any, opts: Any = None, *_: Any, **__: Any
) -> Any:
    whole = _reduced(group, tensor, _op(opts)).reshape(group.size(), -1)
    output.copy_(whole[group.rank()].view_as(output))
    return work.done([output])


def alltoall(group: Any, outputs: Any, inputs: Any, *_: Any, **__: Any) -> Any:
    """Members give each other different parts, so each posts all of its own."""
    torch = _torch()
    sizes = [part.numel() * part.element_size() for part in inputs]
    head = torch.tensor(sizes, dtype=torch.int64)
    letters = exchange.exchange(group, _bytes(head) + b"".join(map(_bytes, inputs)))
    for output, rank in zip(outputs, exchange.voices(group), strict=True):
        payload = _part(letters[rank], group.size(), group.rank())
        room = output.numel() * output.element_size()
        output.copy_(_like(output, payload[:room].ljust(room, b"\0")))
    return work.done(list(outputs))


def _part(letter: bytes, members: int, wanted: int) -> bytes:
    torch = _torch()
    sizes = torch.frombuffer(bytearray(letter[: 8 * members]), dtype=torch.int64).tolist()
    begin = 8 * members + sum(sizes[:wanted])
    return letter[begin : begin + sizes[wanted]]


def alltoall_base(
    group: Any,
    output: Any,
    tensor: Any,
    output_sizes: list[int] | None = None,
    input_sizes: list[int] | None = None,
    *_: Any,
    **__: Any,
) -> Any:
    outputs = output.split(output_sizes or output.shape[0] // group.size())
    inputs = tensor.split(input_sizes or tensor.shape[0] // group.size())
    alltoall(group, list(outputs), list(inputs))
    return work.done([output])


def barrier(group: Any, *_: Any, **__: Any) -> Any:
    exchange.exchange(group, b"here")
    return work.done([])


def send(group: Any, tensors: Any, target: int, tag: int = 0, *_: Any, **__: Any) -> Any:
    _note(group, target)
    exchange.post(group, target, tag, _bytes(_one(tensors)))
    return work.done([])


def recv(group: Any, tensors: Any, source: int, tag: int = 0, *_: Any, **__: Any) -> Any:
    """Fetched when it is waited for: a ring of receives is posted before its sends."""
    tensor = _one(tensors)
    _note(group, source)
    if not ranks.is_launched(groups.members_of(group)[source]):
        return work.done([tensor])
    fetch = exchange.collector(group, source, tag)
    return work.later(lambda: tensor.copy_(_like(tensor, fetch())))


def _note(group: Any, peer: int) -> None:
    members = groups.members_of(group)
    partners.note((ranks.RANK, members[peer]), members)


ANSWERS: "dict[str, Callable[..., Any]]" = {
    "allreduce": allreduce,
    "allreduce_coalesced": allreduce,
    "broadcast": broadcast,
    "reduce": reduce,
    "allgather": allgather,
    "_allgather_base": allgather_base,
    "allgather_into_tensor_coalesced": allgather_into_tensor_coalesced,
    "allgather_coalesced": allgather_coalesced,
    "gather": gather,
    "scatter": scatter,
    "reduce_scatter": reduce_scatter,
    "_reduce_scatter_base": reduce_scatter_base,
    "alltoall": alltoall,
    "alltoall_base": alltoall_base,
    "barrier": barrier,
    "monitored_barrier": barrier,
    "send": send,
    "recv": recv,
}
