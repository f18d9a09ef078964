"""What the devices did between two moments of a simulation, as columns: the page's raw material."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.analyze.intervals import I64
from maya.analyze.predicting import Prediction
from maya.analyze.world import rank_of
from maya.simulator.program import Op


@dataclass(frozen=True, slots=True)
class RankWork:
    """Kernels, copies and collectives of one launched rank, in the order of their start."""

    index: int  # among the launched ranks
    rank: int
    call: I64
    number: I64  # of the definition
    stream: I64
    start_ns: I64
    end_ns: I64
    moving_ns: I64  # when the data of a collective began to move; the start of everything else
    collective: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.call)

    def take(self, which: npt.NDArray[np.generic]) -> "RankWork":
        """Some of it."""
        columns = [getattr(self, name)[which] for name in self.__slots__[2:]]
        return RankWork(self.index, self.rank, *columns)


def work_between(prediction: Prediction, low_ns: int, high_ns: int) -> Iterator[RankWork]:
    """Of every launched rank: what ran at any time between low and high, as it ran."""
    for index in range(len(prediction.job.ranks)):
        yield _work(prediction, index, low_ns, high_ns)


def _work(prediction: Prediction, index: int, low_ns: int, high_ns: int) -> RankWork:
    job, timeline = prediction.job, prediction.timeline
    begin, end = (int(x) for x in job.program.rank_begin[index : index + 2])
    op = job.program.calls.op[begin:end]
    number = job.ranks[index].rows.definition
    start, stop = timeline.start_ns[begin:end], timeline.end_ns[begin:end]
    ran = np.isin(op, (Op.WORK, Op.COLLECTIVE)) & (number > 0)
    call = np.flatnonzero(ran & (stop > low_ns) & (start < high_ns) & (stop > start))
    call = call[np.argsort(start[call], kind="stable")]
    collective = op[call] == Op.COLLECTIVE
    return RankWork(
        index=index,
        rank=rank_of(job.captures[index], index),
        call=call + begin,
        number=number[call],
        stream=job.program.calls.stream[begin:end][call].astype(np.int64),
        start_ns=start[call],
        end_ns=stop[call],
        moving_ns=_moving(prediction, call + begin, collective),
        collective=collective,
    )


def _moving(prediction: Prediction, calls: I64, collective: npt.NDArray[np.bool_]) -> I64:
    """A collective waits for its last participant before its data moves."""
    program, timeline = prediction.job.program, prediction.timeline
    moving: I64 = timeline.start_ns[calls].copy()
    for place in np.flatnonzero(collective).tolist():
        call = calls[place]
        first, count = int(program.calls.operand[call]), int(program.calls.count[call])
        begun = timeline.transfer_start_ns[program.transfers.members[first : first + count]]
        known = begun[begun >= 0]
        if len(known):
            latest = int(timeline.end_ns[call])
            moving[place] = min(max(int(known.min()), int(moving[place])), latest)
    return moving
