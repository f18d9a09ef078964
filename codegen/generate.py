"""From configuration to the text of all generated files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from codegen import emit, families, layouts
from codegen.config import Config, Library, Parse, matches
from codegen.fetch import fetch_headers
from codegen.parse import Exports, parse


@dataclass
class Generated:
    """File texts by path below native/gen, and how many functions took which form."""

    files: dict[str, str] = field(default_factory=dict)
    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)


def generate(config: Config) -> Generated:
    """Read the headers and write every file's text; touches nothing but the header cache."""
    include_dirs = {name: fetch_headers(pins) for name, pins in config.packages.items()}
    tables = list(_tables(config, include_dirs))
    result = Generated()
    for table in tables:
        bodies = emit.forms(config, table)
        stem = f"{table.set_name}/{table.library}"
        result.files[f"{stem}.h"] = emit.header(table)
        result.files[f"{stem}.cpp"] = emit.source(config, table, bodies)
        result.files[f"{stem}.map"] = emit.version_script(config, table)
        kinds = Counter(form.kind for form in bodies.values())
        result.counts[table.set_name, table.library] = kinds
    sources = {source for table in tables for source in table.sources}
    result.files["abi_structs.h"] = emit.abi_structs(tables, sources)
    result.files["workspace.h"] = emit.banner(["codegen/emit.py"]) + emit.WORKSPACE_H
    result.files |= layouts.files(config.packages)
    result.files |= families.files()
    result.files["libraries.cmake"] = emit.cmake_list(config, ["codegen/libraries.yaml"])
    return result


def _tables(config: Config, include_dirs: dict[str, dict[str, Path]]) -> Iterator[emit.Table]:
    for name, library in sorted(config.libraries.items()):
        for set_name in sorted(library.sets):
            exports, used = Exports(), set[str]()
            for package_set in config.package_sets(set_name):
                directories = include_dirs[package_set]
                for found in _parses(library, package_set, directories):
                    exports.add_older(found)
                used |= _packages_read(exports.files, config.packages[package_set], directories)
            for function in [n for n in exports.functions if matches(library.not_exports, n)]:
                del exports.functions[function]
            yield emit.Table(set_name, name, exports, tuple(sorted(used)))


def _packages_read(files: set[str], pins: dict[str, str], dirs: dict[str, Path]) -> set[str]:
    """Packages that declare at least one of the functions, as requirements."""
    return {
        f"{name}=={pins[name]}"
        for name, directory in dirs.items()
        if any(Path(file).is_relative_to(directory) for file in files)
    }


def _parses(library: Library, package_set: str, directories: dict[str, Path]) -> Iterator[Exports]:
    paths = list(directories.values())
    for spec in library.parses:
        if spec.packages is None or package_set in spec.packages:
            for variant in spec.variants:
                yield _parse(spec, variant, paths)
    if library.extra:
        yield parse([], paths, source=library.extra)


def _parse(spec: Parse, variant: list[str], paths: list[Path]) -> Exports:
    return parse(
        spec.headers,
        paths,
        macros=[*spec.macros, *variant],
        owned=spec.owned,
        cplusplus=spec.cplusplus,
    )
