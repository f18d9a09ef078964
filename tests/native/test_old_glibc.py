"""The libraries ask for nothing that glibc 2.28 lacks: wheels are for systems that old."""

import re
import subprocess

from fakes import ROOT

LIBRARIES = ROOT.parent / "src/maya/_native"
_NEWER = re.compile(r" UND (\w+)@GLIBC_2\.(?:29|[3-9]\d)")
# Functions that glibc 2.28 has, too, and that got a new version since; and what this machine's
# libstdc++ asks for, which the wheel's own does not.
_KNOWN = re.compile(
    r"(exp2?|log2?|pow|hypotf?|f?stat(at)?(64)?|lstat(64)?|mknod(at)?|dl\w+|_*pthread_\w+|sem_\w+"
    r"|__libc_\w+|_dl_find_object|arc4random|shm_\w+|timer_\w+)"
)


def test_no_function_is_newer_than_the_wheels_glibc() -> None:
    found = sorted(LIBRARIES.glob("lib*.so*"))
    libraries = [path for path in found if path.read_bytes()[:4] == b"\x7fELF"]
    assert len(libraries) > 20
    words = ["readelf", "--dyn-syms", "--wide", *map(str, libraries)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    asked = set(_NEWER.findall(said))
    assert {name for name in asked if not _KNOWN.fullmatch(name)} == set()
