"""The layer over the user's files: the program sees its changes, the user's files have none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from file_layer import run_script, run_under_layer, snapshot, twin, users_directory

from maya.emulator.held_files import layer_environment

CHANGES = Path(__file__).parent / "files/random_changes.py"


@pytest.mark.parametrize("seed", range(4))
def test_program_sees_what_it_would_see_without_the_layer(tmp_path: Path, seed: int) -> None:
    home = users_directory(tmp_path / "home")
    real, before = twin(home), snapshot(home)
    words = [sys.executable, str(CHANGES), str(seed), "600"]
    held = run_under_layer(words, home, tmp_path / "layer")
    plain = subprocess.run(words, cwd=real, capture_output=True, text=True)
    assert plain.returncode == 0, plain.stderr
    assert held.stderr == plain.stderr
    assert held.stdout.splitlines() == plain.stdout.splitlines()
    assert snapshot(home) == before


def test_functions_of_the_c_library_answer_as_they_do_without_the_layer(tmp_path: Path) -> None:
    home = users_directory(tmp_path / "home")
    real, before = twin(home), snapshot(home)
    program = tmp_path / "libc_calls"
    subprocess.run(["cc", "-o", program, CHANGES.with_name("libc_calls.c")], check=True)
    held = run_under_layer([str(program)], home, tmp_path / "layer")
    plain = subprocess.run([str(program)], cwd=real, capture_output=True, text=True)
    assert held.stdout.splitlines() == plain.stdout.splitlines()
    assert plain.returncode == held.returncode == 0
    assert snapshot(home) == before


OWN_SIGNAL = """
import ctypes, os, signal
def took(number, frame):
    print("took", flush=True)
before = signal.signal(signal.SIGSYS, took)
libc = ctypes.CDLL(None, use_errno=True)
file = libc.syscall(2, b"own", os.O_WRONLY | os.O_CREAT, 0o600)
os.write(file, b"held")
os.kill(os.getpid(), signal.SIGSYS)
print(before == signal.SIG_DFL, open("own").read())
"""


def test_a_program_may_handle_the_signal_of_the_layer_itself(home: Path, layer: Path) -> None:
    before = snapshot(home)
    assert run_script(OWN_SIGNAL, home, layer) == "took\nTrue held\n"
    assert snapshot(home) == before


DATABASE = """
import sqlite3, os
for name in ("runs.db", "wal.db"):
    connection = sqlite3.connect(name)
    connection.execute("pragma journal_mode=" + ("wal" if name == "wal.db" else "delete"))
    connection.execute("create table if not exists runs (loss)")
    with connection:
        connection.executemany("insert into runs values (?)", [(n,) for n in range(1000)])
    other = sqlite3.connect(name)
    print(other.execute("select count(*) from runs").fetchone())
    other.close(), connection.close()
"""


def test_databases_are_read_back_and_left_as_they_were(home: Path, layer: Path) -> None:
    subprocess.run([sys.executable, "-c", DATABASE], cwd=home, check=True, capture_output=True)
    before = snapshot(home)
    assert run_script(DATABASE, home, layer) == "(2000,)\n(2000,)\n"
    assert snapshot(home) == before


MAPPED = """
import mmap, os
with open("c.pt", "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
    memory[:4] = b"zero"
    memory.flush()
print(open("c.pt", "rb").read(4))
"""


def test_memory_map_that_is_written_to_is_a_copy(home: Path, layer: Path) -> None:
    before = snapshot(home)
    assert run_script(MAPPED, home, layer) == "b'zero'\n"
    assert snapshot(home) == before


DATAGRAMS = """
import os, socket
asked, answers = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
asked.bind("asked"), answers.bind("answers")
answers.sendto(b"one", "asked")
answers.sendmsg([b"two"], [], 0, "asked")
print(asked.recv(9))
data, sender = asked.recvfrom(9)
print(data, os.path.basename(sender), asked.sendto(b"back", sender), answers.recv(9))
"""


def test_datagrams_reach_a_socket_by_its_name(home: Path, layer: Path) -> None:
    before = snapshot(home)
    assert run_script(DATAGRAMS, home, layer) == "b'one'\nb'two' answers 4 b'back'\n"
    assert snapshot(home) == before


UNNAMED = """
import ctypes, os
link = ctypes.CDLL(None).linkat
for flags, name in ((0x1000, b"by_descriptor"), (0x400, b"by_link")):
    file = os.open("a", os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(file, name)
    path = b"" if flags == 0x1000 else b"/proc/self/fd/%d" % file
    print(link(file, path, -100, name, flags), open(name).read())
"""


def test_a_file_without_a_name_can_be_given_one(home: Path, layer: Path) -> None:
    before = snapshot(home)
    assert run_script(UNNAMED, home, layer) == "0 by_descriptor\n0 by_link\n"
    assert snapshot(home) == before


KERNELS_LINKS = """
import os
for name in ("/proc/self/cwd/c.pt", "/proc/self/root" + os.getcwd() + "/a/a"):
    open(name, "w").write("new")
for name, link in (("b/b", "/proc/self/fd/%d"), ("d/a", "/dev/fd/%d")):
    with open(name) as read:
        os.truncate(link % read.fileno(), 3)
        os.write(os.open(link % read.fileno(), os.O_WRONLY), b"new")
open("/proc/thread-self/cwd/made", "w").write("new")
print([open(name).read() for name in ("c.pt", "a/a", "b/b", "d/a", "made")])
"""


def test_holes_of_a_large_file_are_not_copied(home: Path, layer: Path) -> None:
    size = 1 << 30
    with (home / "array.bin").open("wb") as file:
        file.write(b"first")
        file.seek(size // 2)
        file.write(b"middle")
        file.truncate(size)
    run_script(
        f"""
import os
with open("array.bin", "r+b") as file:
    file.seek({size} - 4)
    file.write(b"last")
with open("array.bin", "rb") as file:
    assert file.read(5) == b"first"
    file.seek({size // 2})
    assert file.read(6) == b"middle" and os.fstat(file.fileno()).st_size == {size}
    file.seek(-4, 2)
    assert file.read() == b"last"
    assert os.fstat(file.fileno()).st_blocks < 1000
""",
        home,
        layer,
    )


@pytest.mark.parametrize("confine", [True, False])
def test_links_of_the_kernel_lead_to_the_layer(home: Path, layer: Path, confine: bool) -> None:
    before = snapshot(home)
    words = [sys.executable, "-c", KERNELS_LINKS]
    done = run_under_layer(words, home, layer, confine=confine)
    assert done.stdout == f"{['new'] * 5}\n", done.stderr
    assert snapshot(home) == before


REOPENED = "echo one; echo two > /dev/stdout; echo three | tee /dev/stderr; echo four >> /dev/fd/1"


def test_output_that_the_user_sent_to_a_file_can_be_opened_again(home: Path, layer: Path) -> None:
    log = home / "log.txt"
    layer.mkdir()
    with log.open("w") as out:
        env = layer_environment(layer, os.environ) | {"MAYA_RUN_DIR": str(layer)}
        subprocess.run(["/bin/sh", "-c", REOPENED], cwd=home, env=env, stdout=out, stderr=out)
    assert sorted(log.read_text().split()) == ["four", "one", "three", "three", "two"]


CHECKPOINTS = """
import os, shutil, tempfile
for step in range(20):
    with tempfile.NamedTemporaryFile(dir=".", delete=False) as file:
        file.write(b"%d" % step)
    os.replace(file.name, "c.pt")
    os.makedirs(f"a/step-{step}")
    shutil.copy("c.pt", f"a/step-{step}/model.pt")
    if step > 1:
        shutil.rmtree(f"a/step-{step - 2}")
    if step == 3:
        shutil.rmtree("b")
latest = max((e for e in os.scandir("a") if e.name.startswith("step")), key=lambda e: e.name)
print(sorted(os.listdir("a")), os.path.exists("b"), open(latest.path + "/model.pt").read())
"""


def test_checkpoints_are_replaced_and_pruned_and_resumed_from(home: Path, layer: Path) -> None:
    before = snapshot(home)
    seen = "['a', 'b', 'c.pt', 'd', 'step-18', 'step-19'] False 19\n"
    assert run_script(CHECKPOINTS, home, layer) == seen
    assert snapshot(home) == before


HARD_LINKS = """
import os
with open("c.pt", "r+b") as file:
    file.write(b"changed")
print(open("d/hard", "rb").read(7), os.path.samefile("c.pt", "d/hard"))
open("d/hard", "wb").write(b"by the other name")
print(open("c.pt", "rb").read())
os.replace("d/a", "c.pt")
print(open("d/hard", "rb").read())
os.rename("d/hard", "d/moved")
open("d/moved", "ab").write(b" again")
print(open("d/moved", "rb").read())
"""


def test_all_names_of_a_file_show_what_was_written_to_one(home: Path, layer: Path) -> None:
    before = snapshot(home)
    changed, other, kept, moved = run_script(HARD_LINKS, home, layer).splitlines()
    assert changed == "b'changed' True"
    assert other == kept == "b'by the other name'"
    assert moved == "b'by the other name again'"
    assert snapshot(home) == before
