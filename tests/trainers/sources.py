"""Public repositories, fetched by whoever runs the gallery; nothing of them is committed."""

import subprocess
from pathlib import Path

_HOST = "https://github.com"


def fetch_source(directory: Path, name: str, revision: str) -> Path:
    """Where the repository lies; a directory that is there already is taken as it is."""
    target = directory / name.split("/")[1]
    if target.exists():
        return target
    command = ["git", "clone", "--quiet", "--depth", "1"]
    if revision:
        command += ["--branch", revision]
    subprocess.run([*command, f"{_HOST}/{name}", target], check=True)
    return target
