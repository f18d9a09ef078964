"""Programs that call the kernel without the C library change none of the user's files."""

import signal
import subprocess
from pathlib import Path

from file_layer import run_script, snapshot

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
