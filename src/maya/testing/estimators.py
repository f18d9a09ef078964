"""What every estimator must get right, whatever it estimates.

class TestMine(EstimatorConformance):
    def make(self):
        return MyEstimator()
"""

from math import inf

from maya.estimate import Estimate, Estimator, Source
from maya.hardware import Gpu, find_gpu
from maya.testing import works
from maya.trace import Definition


class EstimatorConformance:
    """Inherit, and give `make`; `works` and `devices` may be widened."""

    def make(self) -> Estimator:
        """A fresh estimator."""
        raise NotImplementedError

    def works(self) -> dict[str, Definition]:
        """What to ask for, by name."""
        return works.typical()

    def devices(self) -> tuple[Gpu, ...]:
        """What to ask on."""
        return tuple(find_gpu(name) for name in ("h100", "a100-80", "v100-32"))

    def test_answers_are_positive_finite_and_explained(self) -> None:
        """Nothing is free, negative or without a source."""
        for name, answer in self._answers().items():
            assert answer.duration_ns > 0, name
            assert isinstance(answer.duration_ns, int), name
            assert isinstance(answer.source, Source), name
            assert 0 <= answer.uncertainty <= 2, name
            assert 0 <= answer.flops < inf, name
            assert 0 <= answer.bytes < inf, name

    def test_the_same_question_has_the_same_answer(self) -> None:
        """A run is repeatable bit for bit."""
        assert self._answers() == self._answers()

    def test_no_answer_beats_the_data_sheet(self) -> None:
        """Useful operations never run faster than the device's best rate."""
        for device in self.devices():
            best = max(device.flops_per_s.values())
            estimator = self.make()
            for name, work in self.works().items():
                answer = estimator.estimate(work, device)
                if answer is not None:
                    assert answer.flops / (answer.duration_ns * 1e-9) <= best, (name, device.id)

    def test_more_work_takes_no_less_time(self) -> None:
        """Four times the elements, rows or bytes."""
        estimator, device = self.make(), self.devices()[0]
        pairs = (
            (works.gemm(4096, 1024, 4096), works.gemm(4096, 4096, 4096)),
            (works.add(1 << 20), works.add(1 << 22)),
            (works.copy(1 << 20, 1), works.copy(1 << 22, 1)),
        )
        for small, large in pairs:
            less, more = estimator.estimate(small, device), estimator.estimate(large, device)
            if less is not None and more is not None:
                assert less.duration_ns <= more.duration_ns, small.op

    def _answers(self) -> dict[str, Estimate]:
        estimator, found = self.make(), {}
        for device in self.devices():
            for name, work in self.works().items():
                answer = estimator.estimate(work, device)
                if answer is not None:
                    found[f"{name} on {device.id}"] = answer
        return found
