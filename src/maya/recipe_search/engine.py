"""The search itself: propose, run, record, until the budget or the space is used up."""

import hashlib
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from maya.emulator.launchers import read_launch
from maya.errors import ExitCode, Interrupted, MayaError
from maya.hardware import Cluster, find_cluster
from maya.mistakes import about_option
from maya.recipe_search.choice.doubt import judged
from maya.recipe_search.choice.history import Done, longest_wanted_ms
from maya.recipe_search.choice.pace import paced
from maya.recipe_search.choice.propose import Proposer
from maya.recipe_search.choice.prune import MemoryRules
from maya.recipe_search.choice.study import Record
from maya.recipe_search.names import EDITED, STUDY
from maya.recipe_search.space.file import SearchFile, check, read_search_file
from maya.recipe_search.space.mapping import check_mapping, environment_of, launch_of
from maya.recipe_search.space.space import Point, Space, tokens_per_step
from maya.recipe_search.trials.jobs import TrialJob, TrialOutcome
from maya.recipe_search.trials.pool import LocalPool, Pool, local_size

Progress = Callable[[Done, int], None]

_LAST_TRIALS = 8  # by which the next is judged


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search; None takes what the file says."""

    output: Path | None = None
    storage: str | None = None
    name: str | None = None
    jobs: int | None = None
    backend: str = "local"
    warm: bool = True
    keep_captures: bool = False


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What takes the place of keys of the file; None leaves what it says."""

    trials: int | None = None
    sampler: str | None = None
    seed: int | None = None
    prune: bool | None = None

    def keys(self) -> dict[str, object]:
        """Those that are given, by their names in the file."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(slots=True)
class Search:
    """A search, running or ended."""

    space: Space
    base: Path
    directory: Path
    record: Record
    options: SearchOptions
    history: dict[int, Done] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)  # point -> why
    seconds: float = 0.0

    @property
    def file(self) -> SearchFile:
        """What was asked."""
        return self.space.file

    def done(self) -> list[Done]:
        """Results by number."""
        return [self.history[number] for number in sorted(self.history)]

    def believed(self) -> list[Done]:
        """The same at one pace of the host, with results that contradict others as failures."""
        alike = {one.number: self._surroundings(one.point) for one in self.done()}
        done = paced(self.done(), alike)
        return [judged(one, done) for one in done]

    def _surroundings(self, point: Point) -> tuple[str, frozenset[tuple[str, str]]]:
        """What may change the pace of a whole program, so that it is the recipe's own."""
        return point.cluster, frozenset(environment_of(self.space, point).items())

    def counts(self) -> Counter[str]:
        """How many points were emulated, simulated again, reused, and how they ended."""
        done = self.believed()
        return Counter([d.outcome.how for d in done] + [d.outcome.status for d in done])


def search(
    file: SearchFile | Path | str,
    *,
    options: SearchOptions | None = None,
    changes: FileChanges | None = None,
    progress: Progress = lambda *_: None,
    pool: Pool | None = None,
) -> Search:
    """Search a file until the budget or the space is used up."""
    state = prepare(file, options or SearchOptions(), changes)
    if pool is None:
        _check_program(state)
        pool = _pool(state.options)
    started = time.monotonic()
    try:
        _Loop(state, pool, progress).run()
    except Interrupted as stop:
        kept = f"{len(state.history)} trial(s) are kept in {state.directory}"
        raise Interrupted(stop.number, f"{kept}; the same command continues") from None
    finally:
        pool.close()
        state.seconds = time.monotonic() - started
    return state


def prepare(
    file: SearchFile | Path | str, options: SearchOptions, changes: FileChanges | None = None
) -> Search:
    """Everything that can be wrong is found here, before any work."""
    base, name = Path.cwd(), "search"
    if not isinstance(file, SearchFile):
        name = Path(file).stem
        file, base = read_search_file(file)
    if changes is not None:
        file = _changed(file, changes)
    space = Space(check(file), _clusters(file, base))
    base = (base / file.directory).resolve()
    check_mapping(file, base)
    _check_known_good(space)
    directory = (options.output or Path("maya-searches") / name).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    url = options.storage or f"sqlite:///{directory / STUDY}"
    facts = _facts(space, options)
    record = Record(url, options.name or name, space, facts)
    return Search(space, base, directory, record, options)


def _changed(file: SearchFile, changes: FileChanges) -> SearchFile:
    """The file with what was asked for otherwise."""
    try:
        return SearchFile.model_validate(file.model_dump(by_alias=True) | changes.keys())
    except ValidationError as error:
        raise MayaError(about_option(error.errors()[0])) from error


def _clusters(file: SearchFile, base: Path) -> dict[str, Cluster]:
    """Those that the limits allow, by the name or the absolute path of their file."""
    found = {}
    for name in file.clusters:
        is_file = name.endswith((".yaml", ".yml"))
        key = str((base / name).resolve()) if is_file else name
        found[key] = find_cluster(key)
    limits = file.limits
    kept = {
        name: cluster
        for name, cluster in found.items()
        if (limits.gpus is None or cluster.gpus <= limits.gpus)
        and (limits.usd_per_hour is None or (cluster.usd_per_hour or 0.0) <= limits.usd_per_hour)
    }
    if not kept:
        prices = ", ".join(
            f"{name} ({cluster.gpus} GPUs, ${cluster.usd_per_hour or 0:,.2f} an hour)"
            for name, cluster in found.items()
        )
        hint = "raise limits.gpus or limits.usd_per_hour"
        raise MayaError(f"no cluster keeps the limits: {prices}", hint=hint)
    return kept


def _facts(space: Space, options: SearchOptions) -> dict[str, Any]:
    file = space.file
    shape = file.model_dump(
        mode="json", by_alias=True, exclude={"trials", "sampler", "seed", "hopeless"}
    )
    text = json.dumps(shape, sort_keys=True)
    lag = local_size(options.jobs)
    return {
        "space": hashlib.sha256(text.encode()).hexdigest()[:16],
        "sampler": file.sampler,
        "seed": file.seed,
        "lag": lag,
    }


def _check_known_good(space: Space) -> None:
    for recipe in space.file.known_good:
        if unknown := sorted(recipe.keys() - {"cluster", *space.names}):
            raise MayaError(f"a known-good recipe names {unknown[0]!r}, which is not a knob")
        if not space.find(recipe):
            text = ", ".join(f"{name}={value}" for name, value in recipe.items())
            raise MayaError(
                f"the known-good recipe {text} breaks a constraint or is outside the knobs' values"
            )


def _check_program(state: Search) -> None:
    """One that is not here would fail in every trial; Ray's machines may have it all the same."""
    if state.options.backend != "local":
        return
    command = _command(state, state.space.points[0])
    found = state.base / command[0] if "/" in command[0] else shutil.which(command[0])
    if not (found and Path(found).exists()):
        raise MayaError(
            f"command not found: {command[0]}",
            hint="check the spelling and that the right environment is active",
        )
    launch = read_launch(list(command), dict(os.environ) | state.file.env)
    words = [word for word in (launch.argv if launch else command)[1:] if word != "-u"]
    script = words[0] if words else ""
    if script.endswith(".py") and not (state.base / script).exists():
        raise MayaError(f"script not found: {script}", hint=f"commands run in {state.base}")


def _pool(options: SearchOptions) -> Pool:
    if options.backend == "ray":
        from maya.recipe_search.trials.ray_pool import RayPool

        return RayPool(options.jobs)
    if options.backend != "local":
        raise MayaError(f"unknown backend {options.backend!r}", hint="local or ray")
    return LocalPool(local_size(options.jobs))


class _Loop:
    """Keeps the pool busy, in an order that does not depend on who finishes first."""

    def __init__(self, state: Search, pool: Pool, progress: Progress) -> None:
        self._state, self._pool, self._progress = state, pool, progress
        file, space = state.file, state.space
        known = [point for recipe in file.known_good for point in space.find(recipe)[:1]]
        self._proposer = Proposer(space, file.sampler, file.seed, known)
        self._lag = int(state.record.facts["lag"])
        self._told = 0  # results that the proposer knows
        self._running: dict[int, Point] = {}
        self._next = 0

    def run(self) -> None:
        """Until nothing is left to try."""
        self._resume()
        while self._fill() or self._running:
            number, outcome = self._pool.next()
            self._finish(number, outcome)
            self._give_up_if_hopeless()
        if self._state.file.prune:
            self._tell_skipped()

    def _tell_skipped(self) -> None:
        rules = self._rules(len(self._state.history))
        for point in self._state.space.points:
            if reason := rules.reason(point):
                self._state.skipped[point.identity] = reason
        for done in self._state.history.values():
            self._state.skipped.pop(done.point.identity, None)

    def _resume(self) -> None:
        """Go through what an earlier process did; start what it left running."""
        trials = self._state.record.trials()
        for number, point, outcome in trials:
            if outcome is not None:
                self._state.history[number] = self._done(number, point, outcome)
        for number, point, outcome in trials:
            self._proposer.retake(number, point, self._skip(number))
            self._next = number + 1
            if outcome is None:
                self._start(number, point)

    def _fill(self) -> bool:
        """Start trials while there is a worker and the proposals' history is complete."""
        while self._next < self._state.file.trials and len(self._running) < self._pool.size:
            if any(number <= self._next - self._lag for number in self._running):
                return True
            point = self._proposer.propose(self._next, self._skip(self._next))
            if point is None:
                return bool(self._running)
            self._state.record.begin(self._next, point)
            self._start(self._next, point)
            self._next += 1
        return bool(self._running)

    def _skip(self, number: int) -> Callable[[Point], bool]:
        """What is ruled out by the results that this proposal may know."""
        known = max(0, number - self._lag + 1)
        while self._told < known and self._told in self._state.history:
            peers = [d for d in self._state.done() if d.number < known]
            self._proposer.told(judged(self._state.history[self._told], peers))
            self._told += 1
        if not self._state.file.prune:
            return lambda _: False
        rules = self._rules(known)
        return lambda point: rules.reason(point) is not None

    def _rules(self, known: int) -> MemoryRules:
        return MemoryRules(self._state.space, [d for d in self._state.done() if d.number < known])

    def _start(self, number: int, point: Point) -> None:
        while len(self._running) >= self._pool.size:
            self._finish(*self._pool.next())
        self._running[number] = point
        job = job_of(self._state, number, point, self._limit_ms(number, point))
        self._pool.submit(replace(job, alone_first=self._often_in_vain()))

    def _often_in_vain(self) -> bool:
        """Whether it pays to let one rank show that a trial is; the answer is the same."""
        last = self._state.done()[-_LAST_TRIALS:]
        return 4 * sum(done.outcome.status in ("hopeless", "oom") for done in last) > len(last)

    def _limit_ms(self, number: int, point: Point) -> float | None:
        """A step that nobody wants, by the results that this trial may know."""
        state = self._state
        known = max(0, number - self._lag + 1)
        peers = [done for done in state.done() if done.number < known]
        return longest_wanted_ms(state.space, point, [judged(done, peers) for done in peers])

    def _finish(self, number: int, outcome: TrialOutcome) -> None:
        done = self._done(number, self._running.pop(number), outcome)
        self._state.record.finish(done)
        self._state.history[number] = done
        self._progress(done, min(self._state.file.trials, len(self._state.space.points)))

    def _done(self, number: int, point: Point, outcome: TrialOutcome) -> Done:
        return Done(number, point, outcome, tokens_per_step(self._state.space, point))

    def _give_up_if_hopeless(self) -> None:
        """A command that always fails is the user's to mend; its first words say how."""
        done = self._state.done()
        failed = [d for d in done if d.outcome.status == "failed"]
        if len(failed) < self._state.file.give_up_after or len(failed) < len(done):
            return
        first = failed[0]
        raise MayaError(
            f"the first {len(failed)} recipes all failed; {first.point.label()}: "
            f"{first.outcome.message}",
            hint="run the command by itself: " + " ".join(_command(self._state, first.point)),
            exit_code=ExitCode.SCRIPT_FAILED,
        )


def job_of(
    state: Search, number: int, point: Point, stop_above_ms: float | None = None
) -> TrialJob:
    """The work that a worker does for one point."""
    cluster = state.space.clusters[point.cluster]
    launch = launch_of(state.space, point, state.base)
    # Variants of one model share its id, so a GPU is known by all of its facts.
    gpu = cluster.gpu.model_dump(mode="json")
    shared = (gpu, cluster.per_node, cluster.gpus, state.file.steps, str(state.base))
    key = json.dumps([launch.command, launch.env, launch.files, shared], sort_keys=True)
    capture_key = hashlib.sha256(key.encode()).hexdigest()[:24]
    places = state.space.clusters.values()
    same_gpu = sum(1 for other in places if other.gpu == cluster.gpu)
    return TrialJob(
        number=number,
        command=launch.placed(state.directory / EDITED / capture_key),
        env=launch.env,
        directory=str(state.base),
        cluster=point.cluster,
        capture_key=capture_key,
        store=str(state.directory),
        steps=state.file.steps,
        max_seconds=state.file.max_seconds,
        host_scale=state.file.host_scale,
        tokens_per_step=tokens_per_step(state.space, point),
        keep_captures=state.options.keep_captures or same_gpu > 1,
        warm=state.options.warm,
        stop_above_ms=stop_above_ms,
    )


def _command(state: Search, point: Point) -> tuple[str, ...]:
    return job_of(state, 0, point).command


def iterate_commands(state: Search) -> Iterator[tuple[Point, tuple[str, ...]]]:
    """Every feasible point with its command, for looking at."""
    for point in state.space.points:
        yield point, _command(state, point)
