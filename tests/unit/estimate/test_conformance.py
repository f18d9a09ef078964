"""Our own estimators pass the exam that plugins must pass."""

from maya.estimate import Estimator, Source, default_chain
from maya.estimate.gemm.estimator import RooflineGemm
from maya.estimate.gemm.learned import LearnedGemm
from maya.estimate.kernels.estimator import AssumedKernel, KernelEstimator
from maya.estimate.library.estimator import AssumedLibrary, LibraryEstimator
from maya.estimate.transfer import TransferEstimator
from maya.hardware import find_gpu, list_gpus
from maya.testing import EstimatorConformance, works


class TestChain(EstimatorConformance):
    def make(self) -> Estimator:
        return default_chain()

    def test_it_always_answers(self) -> None:
        chain = self.make()
        for device in list_gpus():
            for work in self.works().values():
                assert chain.estimate(work, device) is not None

    def test_guesses_are_flagged(self) -> None:
        chain, h100 = self.make(), find_gpu("h100")
        for name in ("unknown kernel", "unknown library", "nonsense"):
            assert chain.estimate(works.typical()[name], h100).source is Source.ASSUMED

    def test_a_users_estimator_comes_first(self) -> None:
        class Mine:
            def estimate(self, work, device):
                from maya.estimate import Estimate

                return Estimate(7, Source.MEASURED, 0.01) if work.op == "memcpy" else None

        chain, h100 = default_chain([Mine()]), find_gpu("h100")
        assert chain.estimate(works.copy(1), h100).duration_ns == 7
        assert chain.estimate(works.memset(1), h100).source is Source.ANALYTICAL


class TestRooflineGemm(EstimatorConformance):
    def make(self) -> Estimator:
        return RooflineGemm()


class TestLearnedGemm(EstimatorConformance):
    def make(self) -> Estimator:
        return LearnedGemm()


class TestKernels(EstimatorConformance):
    def make(self) -> Estimator:
        return KernelEstimator()


class TestLibrary(EstimatorConformance):
    def make(self) -> Estimator:
        return LibraryEstimator()


class TestTransfer(EstimatorConformance):
    def make(self) -> Estimator:
        return TransferEstimator()


class TestAssumedKernel(EstimatorConformance):
    def make(self) -> Estimator:
        return AssumedKernel()


class TestAssumedLibrary(EstimatorConformance):
    def make(self) -> Estimator:
        return AssumedLibrary()
