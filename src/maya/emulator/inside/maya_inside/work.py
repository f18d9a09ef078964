"""What a collective on the host returns: it is done, or is done when waited for."""

from collections.abc import Callable
from typing import Any


class FinishedWork:
    """Stands for torch's Work; only Python code ever sees it."""

    def __init__(self, tensors: "list[Any]", finish: Callable[[], Any] | None = None) -> None:
        self._tensors = tensors
        self._finish = finish

    def wait(self, timeout: Any = None) -> bool:
        """As torch's: True."""
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()
        return True

    synchronize = wait

    def is_completed(self) -> bool:
        """Nothing is left to be done here."""
        self.wait()
        return True

    def is_success(self) -> bool:
        """Never fails later."""
        return True

    def exception(self) -> None:
        """None, always."""

    def result(self) -> "list[Any]":
        """The output tensors."""
        self.wait()
        return self._tensors

    def get_future(self) -> Any:
        """A future that has its value."""
        import torch

        self.wait()
        future: Any = torch.futures.Future()
        future.set_result(self._tensors)
        return future


def done(tensors: "list[Any]") -> FinishedWork:
    """The outputs are there."""
    return FinishedWork(tensors)


def later(finish: Callable[[], Any]) -> FinishedWork:
    """The outputs come with wait()."""
    return FinishedWork([], finish)
