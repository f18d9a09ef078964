"""Calls us once torch.distributed has been imported, before anybody could use it."""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_WATCHED = "torch.distributed"


class _Loader(Loader):
    def __init__(self, real: Any) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._real.exec_module(module)
        from maya_inside import distributed

        distributed.activate(module)

    def __getattr__(self, name: str) -> Any:  # resources, source lines
        return getattr(self._real, name)


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != _WATCHED:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader)
                return spec
        return None


def install() -> None:
    """Watch imports from now on."""
    sys.meta_path.insert(0, _Finder())
    from maya_inside import hosts

    hosts.activate()
