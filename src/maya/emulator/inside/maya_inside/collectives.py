"""Collectives that the device has finished and torch does not know of yet."""

import threading
from typing import Any

_PATIENCE_S = 3.0


def finish(torch: Any) -> None:
    """Wait until torch has let go of what collectives used.

    Its watchdog looks ten times a second. DistributedDataParallel makes new buckets after its first
    step, and the old ones stay until then: through the next step where that is quicker than the
    watchdog, as an emulated one may be and a real one is not.
    """
    dist = torch.distributed
    if not dist.is_available() or not dist.is_initialized():
        return
    for group in list(dist.distributed_c10d._world.pg_map):
        if "nccl" in dist.get_backend(group):
            # In a thread: a program may have switched the watchdog off.
            waiting = threading.Thread(target=group._wait_for_pending_works, daemon=True)
            waiting.start()
            waiting.join(_PATIENCE_S)
