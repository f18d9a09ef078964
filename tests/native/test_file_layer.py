"""The layer over the user's files: the program sees its changes, the user's files have none."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from file_layer import run_script, run_under_layer, snapshot, twin, users_directory

from maya.emulator.held_files import layer_environment

CHANGES = Path(__file__).parent / "files/random_changes.py"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return users_directory(tmp_path / "home", hard_links=True)


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    return tmp_path / "layer"


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


CHILDREN = """
import os, subprocess, sys
run = lambda words, **more: subprocess.run(words, capture_output=True, text=True, **more).stdout
open("own.sh", "w").write("#!/bin/sh\\necho from the layer; rm -rf b; mv a moved; ls\\n")
os.chmod("own.sh", 0o755)
print(run(["./own.sh"]).split())
print(run(["/bin/sh", "-c", "ls; echo x > c.pt; cat c.pt"], env={}).split())
print(run(["/bin/sh", "-c", "export LD_PRELOAD=; /bin/rm -r d; unset LD_PRELOAD; /bin/ls"]).split())
moves = "import os; os.mkdir('made'); os.chdir('made'); print(os.getcwd())"
print(run([sys.executable, "-c", moves], env={"PATH": "/bin"}).strip() == os.getcwd() + "/made")
"""


def test_children_are_under_the_layer_whatever_their_environment(home: Path, layer: Path) -> None:
    before = snapshot(home)
    shell, empty, unset, python = run_script(CHILDREN, home, layer).splitlines()
    assert shell == "['from', 'the', 'layer', 'c.pt', 'd', 'moved', 'own.sh']"
    assert empty == "['c.pt', 'd', 'moved', 'own.sh', 'x']"
    assert unset == "['c.pt', 'moved', 'own.sh']"
    assert python == "True"
    assert snapshot(home) == before


NO_ENVIRONMENT = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define CHILD(call) do { if (fork() == 0) { call; _exit(9); } wait(NULL); } while (0)
int main(void) {
  char *words[] = {"sh", "-c", "echo w; echo w >> c.pt", NULL}, *none[] = {NULL};
  clearenv();
  if (system("echo s; echo s > c.pt")) return 1;
  pclose(popen("echo p > /dev/null; echo p >> c.pt", "r"));
  clearenv();
  CHILD(execl("/bin/sh", "sh", "-c", "echo l >> c.pt", NULL));
  CHILD(execlp("sh", "sh", "-c", "echo lp >> c.pt", NULL));
  CHILD(execle("/bin/sh", "sh", "-c", "echo le >> c.pt", NULL, none));
  CHILD(execvp("sh", words));
  CHILD(execvpe("sh", words, none));
  CHILD(fexecve(fileno(fopen("/bin/sh", "r")), words, none));
  return system("cat c.pt");
}
"""


def test_children_without_an_environment_are_under_the_layer(
    home: Path, layer: Path, tmp_path: Path
) -> None:
    before = snapshot(home)
    source = tmp_path / "children.c"
    source.write_text(NO_ENVIRONMENT)
    subprocess.run(["cc", "-w", "-o", str(tmp_path / "children"), str(source)], check=True)
    done = run_under_layer([str(tmp_path / "children")], home, layer)
    assert done.stdout.split() == ["s", "w", "w", "w", *("s", "p", "l", "lp", "le"), *["w"] * 3], (
        done.stderr
    )
    assert done.returncode == 0
    assert snapshot(home) == before


SCRIPTS = r"""
printf '#!/bin/sh -e\necho ran $0 $1\n' > run.sh
printf 'echo plain $0 $1\n' > plain
chmod +x run.sh plain
./run.sh a; ./plain b; env -i ./run.sh c; timeout 9 ./run.sh d; echo e f | xargs -n 1 ./run.sh
PATH=$PWD:$PATH; run.sh g; env -i PATH=$PWD run.sh h; env run.sh i
cp -P $(command -v sh) d/shell; printf '#!%s/d/shell\necho own $0\n' $PWD > own.sh; chmod +x own.sh
./own.sh; python3 -c 'import os; os.posix_spawnp("own.sh", ["x"], os.environ); os.wait()'
chmod -x run.sh; ./run.sh; echo $?
"""


def test_scripts_that_the_layer_holds_are_started_by_their_own_names(
    home: Path, layer: Path
) -> None:
    real, before = twin(home), snapshot(home)
    plain = subprocess.run(["bash", "-c", SCRIPTS], cwd=real, capture_output=True, text=True)
    held = run_under_layer(["bash", "-c", SCRIPTS], home, layer)
    assert "ran ./run.sh e" in plain.stdout
    assert held.stdout == plain.stdout.replace(str(real), str(home)), held.stderr
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


SPAWNED = """
import os
actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
           (os.POSIX_SPAWN_OPEN, 1, "c.pt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)]
child = os.posix_spawn("/bin/echo", ["echo", "spawned"], os.environ, file_actions=actions)
print(os.waitpid(child, 0)[1], open("c.pt").read().strip())
"""


def test_files_that_a_spawned_child_shall_find_open_are_the_layers(home: Path, layer: Path) -> None:
    before = snapshot(home)
    done = run_under_layer([sys.executable, "-c", SPAWNED], home, layer, confine=True)
    assert done.stdout == "0 spawned\n", done.stderr
    assert snapshot(home) == before


DIRECT = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  long file = syscall(SYS_openat, AT_FDCWD, "new", O_WRONLY | O_CREAT, 0644);
  long wrote = syscall(SYS_write, file, "new", 3);
  long renamed = syscall(SYS_rename, "new", "c.pt");
  long removed = syscall(SYS_unlinkat, AT_FDCWD, "a/a", 0);
  printf("%ld %ld %ld\n", wrote, renamed, removed);
  return 0;
}
"""


# Without any library: not every machine has one to link programs statically with.
STATIC = r"""
#include <sys/syscall.h>
static long call(long number, long a, long b) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}
void _start(void) {
  call(SYS_unlink, (long)"c.pt", 0);
  call(SYS_exit_group, 0, 0);
}
"""


# As programs of 32 bits call the kernel: creat is number 8. Its path lies where they can point to.
OTHER_NUMBERS = r"""
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
int main(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT;
  char* path = mmap(0, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
  strcpy(path, "c.pt");
  int file;
  __asm__ volatile("int $0x80" : "=a"(file) : "a"(8), "b"(path), "c"(0644) : "memory");
  return file < 0;
}
"""


def build(directory: Path, text: str, *options: str) -> Path:
    source = directory / "direct.c"
    source.write_text(text)
    words = ["cc", *options, "-o", str(directory / "direct"), str(source)]
    subprocess.run(words, check=True)
    return directory / "direct"


def start(program: Path) -> str:
    return f"""
import os, subprocess
code = subprocess.run([{str(program)!r}]).returncode
print(code, open("c.pt", "rb").read(3), os.path.exists("a/a"))
"""


def test_calls_to_the_kernel_itself_are_answered_from_the_layer(
    home: Path, layer: Path, tmp_path: Path
) -> None:
    before = snapshot(home)
    seen = run_script(start(build(tmp_path, DIRECT)), home, layer)
    assert seen == "3 0 0\n0 b'new' False\n"
    assert snapshot(home) == before


def test_static_program_is_ended_before_it_changes_a_file(
    home: Path, layer: Path, tmp_path: Path
) -> None:
    """Nothing can be preloaded into it."""
    before = snapshot(home)
    program = build(tmp_path, STATIC, "-static", "-nostdlib", "-ffreestanding")
    seen = run_script(start(program), home, layer)
    assert seen == f"{-signal.SIGSYS} b'\\x04\\x04\\x04' True\n"
    assert snapshot(home) == before


def test_calls_by_the_numbers_of_32_bits_are_ended_before_they_change_a_file(
    home: Path, layer: Path, tmp_path: Path
) -> None:
    before = snapshot(home)
    program = build(tmp_path, OTHER_NUMBERS)
    knows_them = subprocess.run([program], cwd=tmp_path).returncode == 0
    seen = run_script(start(program), home, layer)
    if knows_them:  # a kernel without 32-bit programs refuses the call itself
        assert seen.startswith(f"{-signal.SIGSYS} b'\\x04")
    assert snapshot(home) == before
