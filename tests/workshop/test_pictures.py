"""What a terminal shows in the end, without the lines that went away again."""

import os
import sys
from pathlib import Path

from workshop.pictures.terminal import printed_in_terminal

PROGRAM = r"""
print('first')
print('\r\x1b[2K. reading\r\x1b[2K. analysing', flush=True)
print('\r\x1b[1A\x1b[2K\x1b[1mA step\x1b[0m')
"""


def test_lines_of_progress_are_gone(tmp_path: Path) -> None:
    shown = printed_in_terminal([sys.executable, "-c", PROGRAM], tmp_path, os.environ)
    assert shown == "first\n\x1b[1mA step\x1b[0m\n"
