"""Which instructions of this Python branch by a value, for the core to tell what a read is for."""

import dis

_OTHER, _BRANCHES, _ENDS = 0, 1, 2


def instructions() -> bytes:
    """One byte for each opcode."""
    kinds = bytearray(256)
    for name, code in dis.opmap.items():
        if code < len(kinds):
            kinds[code] = _kind(name)
    return bytes(kinds)


def _kind(name: str) -> int:
    if ("JUMP" in name and "_IF_" in name) or name in (
        "TO_BOOL",
        "UNARY_NOT",
        "COMPARE_OP",
        "CONTAINS_OP",
    ):
        return _BRANCHES
    ends = name.startswith(("STORE_", "RETURN_", "CALL", "FORMAT_", "JUMP_", "YIELD_"))
    return _ENDS if ends or name == "POP_TOP" else _OTHER
