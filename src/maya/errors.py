"""The one exception that users see, and the exit codes of the command line."""

import signal
from enum import IntEnum


class ExitCode(IntEnum):
    """What `maya` returns to the shell."""

    OK = 0
    ERROR = 1
    SCRIPT_FAILED = 2
    OUT_OF_MEMORY = 3
    CHECK_FAILED = 4
    UNSUPPORTED = 5
    NO_STEP = 6


class MayaError(Exception):
    """A failure with a message for a person; raised anywhere, printed in cli only."""

    def __init__(
        self, message: str, *, hint: str | None = None, exit_code: int = ExitCode.ERROR
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = int(exit_code)


class Interrupted(BaseException):
    """A signal asked the command to end. Not an Exception: nothing that goes on may catch it."""

    def __init__(self, number: int, kept: str = "nothing was kept") -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}; {kept}")
        self.number = number

    @property
    def exit_code(self) -> int:
        """As shells give it."""
        return 128 + self.number
