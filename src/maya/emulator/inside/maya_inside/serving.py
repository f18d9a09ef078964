"""Notes what a vLLM server does, in virtual time, and says how long its answers are.

What is sampled here means nothing, so a text never ends by itself: MAYA_SERVED_LENGTHS says when.
"""

import ctypes
import json
import os
import random
import time
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from maya_inside import run_files

SCHEDULER = "vllm.v1.core.sched.scheduler"
_ENTER, _LEAVE = 1, 2  # native/clock/clock.h


def activate(module: ModuleType) -> None:
    """Called once the scheduler's module has been imported."""
    if os.environ.get("MAYA_CLOCK") and os.environ.get("MAYA_RECORD") == "1":
        Notes(module.Scheduler)


def _calls_of_the_clock() -> "tuple[Callable[[], None], Callable[[], None]]":
    """What is done between the two takes no virtual time."""
    find = getattr(ctypes.CDLL(None), "maya_clock", None)
    if find is None:
        return (lambda: None), (lambda: None)
    find.restype = ctypes.POINTER(ctypes.c_void_p)
    call = ctypes.CFUNCTYPE(None)
    table = find()
    return call(table[_ENTER]), call(table[_LEAVE])


class Notes:
    """Stands around the methods of the scheduler's class."""

    def __init__(self, scheduler: Any) -> None:
        self._file: Any = None
        self._lengths = _lengths(os.environ.get("MAYA_SERVED_LENGTHS", "from-request"))
        self._requests: dict[str, list[Any]] = {}
        self._enter, self._leave = _calls_of_the_clock()
        self._around(scheduler, "add_request", self._added)
        self._around(scheduler, "schedule", self._scheduled)
        self._around(scheduler, "update_from_output", self._updated)
        self._around(scheduler, "finish_requests", self._ended)

    def _around(self, owner: Any, method: str, note: Callable[..., None]) -> None:
        call = getattr(owner, method)

        @wraps(call)
        def noted(scheduler: Any, *arguments: Any, **named: Any) -> Any:
            result = call(scheduler, *arguments, **named)
            self._enter()
            try:
                note(time.monotonic(), scheduler, result, *arguments, **named)
            finally:
                self._leave()
            return result

        setattr(owner, method, noted)

    def _added(self, now: float, _scheduler: Any, _result: Any, request: Any) -> None:
        if request.sampling_params is not None:
            request.sampling_params.ignore_eos = True
            wanted = self._lengths()
            if wanted is not None:
                request.max_tokens = request.sampling_params.max_tokens = wanted
        self._requests[request.request_id] = [now, None, request.num_prompt_tokens, 0]

    def _scheduled(self, now: float, scheduler: Any, output: Any) -> None:
        tokens = output.num_scheduled_tokens
        if not tokens:
            return
        longer = [count for count in tokens.values() if count > 1]
        self._write(
            {
                "scheduled_s": round(now, 7),
                "requests": len(tokens),
                "tokens": output.total_num_scheduled_tokens,
                "prefill_requests": len(longer),
                "prefill_tokens": sum(longer),
                "waiting": len(scheduler.waiting),
                "kv_used": round(scheduler.kv_cache_manager.usage, 6),
                "preempted": len(output.preempted_req_ids or ()),
            }
        )

    def _updated(self, now: float, _scheduler: Any, result: Any, *_: Any, **__: Any) -> None:
        for outputs in result.values():
            for output in outputs.outputs:
                request = self._requests.get(output.request_id)
                if request is None or not output.new_token_ids:
                    continue
                request[3] += len(output.new_token_ids)
                if request[1] is None:
                    request[1] = now
                if output.finish_reason is not None:
                    self._finish(now, output.request_id)
        self._write({"updated_s": round(now, 7)})

    def _ended(self, _now: float, _scheduler: Any, _result: Any, ids: Any, *_: Any) -> None:
        for name in [ids] if isinstance(ids, str) else ids:  # given up by their clients
            self._requests.pop(name, None)

    def _finish(self, now: float, name: str) -> None:
        arrived, first, prompt, output = self._requests.pop(name)
        self._write(
            {
                "arrived_s": round(arrived, 7),
                "first_s": round(first, 7),
                "finished_s": round(now, 7),
                "prompt_tokens": prompt,
                "output_tokens": output,
            }
        )

    def _write(self, row: dict[str, Any]) -> None:
        if self._file is None:
            name = run_files.SERVED.format(process=os.getpid())
            path = os.path.join(os.environ["MAYA_RUN_DIR"], name)
            self._file = open(path, "w", encoding="utf-8", buffering=1)  # noqa: SIM115
        self._file.write(json.dumps(row, separators=(",", ":")) + "\n")


def _lengths(policy: str) -> Callable[[], "int | None"]:
    """A function that gives each request its number of tokens; None: what it asked for."""
    kind, _, value = policy.partition(":")
    if kind == "fixed":
        return lambda: int(value)
    if kind == "file":
        with open(value, encoding="utf-8") as file:
            rows = [line.replace(",", " ").split() for line in file if line.strip()]
        weights = [float(row[1]) if len(row) > 1 else 1.0 for row in rows]
        draw = random.Random(0)
        return lambda: draw.choices([int(row[0]) for row in rows], weights)[0]
    return lambda: None
