"""Whether the kernel keeps programs from changing files behind the layer's back."""

import ctypes

_LANDLOCK_CREATE_RULESET, _ASK_VERSION = 444, 1  # a system call, its flag
_LEAST_VERSION = 2  # native/files/confine.cpp: the first forbids every move between directories
_SECCOMP, _ASK_ACTION, _TRAP = 317, 2, 0x00030000  # a system call, its operation, an action


def can_confine() -> bool:
    """Landlock or a filter of system calls is there, and no container forbids both."""
    return _has_landlock() or _has_filters()


def _has_landlock() -> bool:
    ask = ctypes.CDLL(None).syscall
    version = ask(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    return bool(version >= _LEAST_VERSION)


def _has_filters() -> bool:
    action = ctypes.c_uint32(_TRAP)
    return bool(ctypes.CDLL(None).syscall(_SECCOMP, _ASK_ACTION, 0, ctypes.byref(action)) == 0)
