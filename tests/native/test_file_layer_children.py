"""Programs that a program starts are under the layer over the user's files, too."""

import subprocess
import sys
from pathlib import Path

from file_layer import run_script, run_under_layer, snapshot, twin

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
