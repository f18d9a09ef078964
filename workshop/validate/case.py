"""A measured step, the command that does the same, and what was predicted for it."""

from dataclasses import dataclass

NOT_RUN = "not run"  # as the reason for which there is no prediction


@dataclass(frozen=True, slots=True)
class Case:
    """One published measurement and how to repeat it under the emulator."""

    source: str
    name: str
    script: str  # a file of examples/validate
    arguments: tuple[str, ...]
    cluster: str
    measured_ms: float
    seen: bool = True  # looked at while the models were formed
    without_optimizer: bool = False  # no weights change: repetition alone tells the steps
    series: str = ""  # cases of one name do the same for each GPU on more or fewer of them
    stand_in: bool = False  # a kernel that takes much of the step is another than was measured
    frameworks: bool = False  # needs the environment that has whole frameworks
    variables: tuple[tuple[str, str], ...] = ()  # of the environment, as it was measured


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction, or why there is none."""

    case: Case
    predicted_ms: float = 0.0
    low_ms: float = 0.0
    high_ms: float = 0.0
    bound: str = ""
    failure: str = ""
    maker: str = ""  # the emulator that made the run

    @property
    def error(self) -> float:
        """Relative; positive where the prediction is too long."""
        return self.predicted_ms / self.case.measured_ms - 1

    @property
    def width(self) -> float:
        """Half of the printed interval, relative."""
        return (self.high_ms - self.low_ms) / 2 / self.predicted_ms

    @property
    def inside(self) -> bool:
        """Whether the measurement lies in the printed interval."""
        return self.low_ms <= self.case.measured_ms <= self.high_ms
