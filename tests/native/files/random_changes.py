"""Changes the files below the current directory at random and prints what each call answered.

SEED COUNT. Run on a directory itself and on the same directory under the layer, it must print the
same.
"""

import errno
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

NAMES = ("a", "b", "c.pt", "d")
Answer = object


def some_path(chance: random.Random) -> str:
    """Up to three levels deep, sometimes by a detour or from the root."""
    parts = [chance.choice(NAMES) for _ in range(chance.randint(1, 3))]
    if len(parts) > 1 and chance.random() < 0.1:
        parts.insert(1, "..")
    path = "/".join(parts)
    return str(Path.cwd() / path) if chance.random() < 0.2 else path


def write(mode: str) -> Callable[[str, random.Random], Answer]:
    def act(path: str, chance: random.Random) -> Answer:
        with open(path, mode) as file:
            return file.write(chance.randbytes(chance.randint(0, 9000)))

    return act


def overwrite(path: str, chance: random.Random) -> Answer:
    with open(path, "r+b") as file:
        file.seek(chance.randint(0, 4000))
        file.write(b"new")
        return file.seek(0), len(file.read())


def touch_times(path: str, chance: random.Random) -> Answer:
    moment = chance.randint(1, 10**9)
    os.utime(path, ns=(moment, moment))
    return os.stat(path).st_mtime_ns


def by_directory(path: str, chance: random.Random) -> Answer:
    """The *at calls, by a descriptor of the directory."""
    directory = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
    name, other = os.path.basename(path), chance.choice(NAMES)
    try:
        if chance.random() < 0.5:
            os.rename(name, other, src_dir_fd=directory, dst_dir_fd=directory)
        else:
            os.unlink(name, dir_fd=directory)
        return sorted(os.listdir(directory))
    finally:
        os.close(directory)


def link(path: str, chance: random.Random) -> Answer:
    return os.link(path, some_path(chance), follow_symlinks=False)


def replace(path: str, chance: random.Random) -> Answer:
    return os.replace(path, some_path(chance))


def copy_tree(path: str, chance: random.Random) -> Answer:
    target = some_path(chance)
    if f"{os.path.realpath(target)}/".startswith(f"{os.path.realpath(path)}/"):
        return "a directory into itself"
    return bool(shutil.copytree(path, target, symlinks=True))


def describe(path: str, _: random.Random) -> Answer:
    about = os.lstat(path)
    content = os.readlink(path) if os.path.islink(path) else None
    if os.path.isfile(path):
        content = Path(path).read_bytes().hex()[:64]
    size = about.st_size if not os.path.isdir(path) else None
    return oct(about.st_mode), size, content, os.access(path, os.W_OK)


ACTIONS: "tuple[Callable[[str, random.Random], Answer], ...]" = (
    write("wb"),
    write("ab"),
    write("xb"),
    overwrite,
    touch_times,
    by_directory,
    link,
    replace,
    replace,
    copy_tree,
    describe,
    describe,
    lambda path, chance: os.truncate(path, chance.randint(0, 5000)),
    lambda path, chance: os.chmod(path, chance.choice((0o600, 0o644, 0o755))),
    lambda path, chance: os.symlink(some_path(chance), path),
    lambda path, _: os.mkdir(path),
    lambda path, _: os.makedirs(path),
    lambda path, _: os.rmdir(path),
    lambda path, _: os.unlink(path),
    lambda path, _: os.unlink(path),
    lambda path, _: shutil.rmtree(path),
    lambda path, _: sorted(os.listdir(path)),
    lambda path, _: sorted((entry.name, entry.is_dir()) for entry in os.scandir(path)),
    lambda path, _: os.path.relpath(os.path.realpath(path)),
)


def act(chance: random.Random) -> Answer:
    index = chance.randrange(len(ACTIONS))
    path = some_path(chance)
    # An action draws as many numbers as it likes without changing what the next one is.
    own = random.Random(chance.random())
    try:
        return index, path, ACTIONS[index](path, own)
    except shutil.Error:
        return index, "shutil.Error"
    except OSError as error:
        return index, errno.errorcode.get(error.errno or 0, str(error))


def say(answer: Answer) -> None:
    print(str(answer).replace(str(Path.cwd()), "~"))


def main(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        say(act(chance))
    for directory, folders, files in os.walk("."):
        folders.sort()
        paths = [os.path.join(directory, name) for name in sorted(files)]
        say((directory, [describe(path, chance) for path in paths]))


main(int(sys.argv[1]), int(sys.argv[2]))
