"""Runs a job of many ranks with few processes: launch, see who differs, launch those too."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from maya.emulator.environment import rank_environment
from maya.emulator.execute import Command, EmulationResult, execute
from maya.emulator.held_files import forget_pass
from maya.emulator.layout import Layout
from maya.emulator.plan import (
    Plan,
    parse_ranks,
    plan_all,
    plan_chosen,
    plan_from_partners,
    plan_one,
    plan_stages,
    with_derived,
    write_representatives,
)
from maya.emulator.rank_server import RankServers
from maya.emulator.stages import RELAY, StageReader, is_chain, worth_it
from maya.emulator.structure import Structure, read_structure
from maya.emulator.virtual_clock import VirtualClock, write_rank_clocks
from maya.errors import MayaError
from maya.rundir import RankFacts, RunDirectory, StageFacts

_MOST_PASSES = 12  # each adds ranks, so a chain that is found piece by piece still ends


class JobOptions(Protocol):
    """What of the emulation's options concerns the job."""

    @property
    def ranks(self) -> str | None: ...
    @property
    def all_ranks(self) -> bool: ...
    @property
    def seconds_left(self) -> float: ...
    @property
    def enough(self) -> Callable[[Path], bool] | None: ...
    @property
    def seen_alone(self) -> Callable[[Path], bool] | None: ...
    @property
    def stages(self) -> StageReader | None: ...
    @property
    def clock(self) -> VirtualClock | None: ...
    def say(self, text: str, /) -> None: ...


@dataclass(frozen=True, slots=True)
class _Pass:
    """One launch of some ranks: what was launched, how it ended, what it showed."""

    plan: Plan
    result: EmulationResult
    structure: Structure


def run_job(
    layout: Layout, program: str, env: dict[str, str], run_dir: RunDirectory, options: JobOptions
) -> tuple[Plan, EmulationResult]:
    """Launch what the plan says; a rank that exchanges messages with a virtual one shows more."""
    with RankServers() as servers:
        job = _Job(layout, program, env, run_dir, options, servers)
        last = job.learn(first_plan(layout, options))
    result = replace(last.result, plain_start=servers.plain_because)
    plan = last.structure.refine(last.plan) if job.learning else last.plan
    if len(plan.recorded) < layout.world_size:
        write_representatives(run_dir, plan)  # for those who simulate every rank
    return plan, result


@dataclass(frozen=True, slots=True)
class _Job:
    layout: Layout
    program: str
    env: dict[str, str]
    run_dir: RunDirectory
    options: JobOptions
    servers: RankServers

    @property
    def learning(self) -> bool:
        """Whether what is launched follows from what ranks do, not from what was asked."""
        return not (self.options.all_ranks or self.options.ranks)

    def learn(self, plan: Plan) -> _Pass:
        """Launch until nobody is missing."""
        last = self._launch(plan)
        for _ in range(_MOST_PASSES - 1):
            if not self._shows_more(last):
                break
            _check_time(last.plan, self.options)
            partners = last.structure.partners
            plan = plan_from_partners(self.layout.world_size, last.plan.launched, partners)
            chain = is_chain(plan.launched, last.structure, self.env)
            forget_pass(self.run_dir)
            last = (self._few_stages(plan) if chain else None) or self._launch(plan)
        return last

    def _shows_more(self, last: _Pass) -> bool:
        return self.learning and bool(last.structure.partners) and not self._is_over(last)

    def _is_over(self, last: _Pass) -> bool:
        """Whether somebody has ended the run: no more is launched."""
        enough = self.options.enough
        cut_off = enough is not None and enough(self.run_dir.path)
        return last.result.ended_by == "signal" or cut_off

    def _few_stages(self, plan: Plan) -> _Pass | None:
        """Launch the stages of a pipeline for a moment, then those of which the others follow.

        None where they do not, and all of them have to be launched.
        """
        reader, chain = self.options.stages, plan.launched
        if reader is None or self.options.clock:  # nobody can wait for a stage that is not there
            return None
        first = self._launch(plan, until=lambda path: reader.have_begun(path, chain))
        if first.result.ended_by != "enough" or first.structure.partners or self._is_over(first):
            return first  # it has come to an end of its own
        stages = StageFacts(chain, reader.alike(self.run_dir.path, chain))
        forget_pass(self.run_dir)
        _check_time(plan, self.options)
        if not worth_it(stages):
            return None
        last = self._launch(plan_stages(plan, stages), expected=chain)
        if self._is_over(last):
            return last
        whole = last.result.status == 0 and not last.structure.partners
        if whole and reader.confirmed(self.run_dir.path, stages):
            return replace(last, plan=with_derived(last.plan, stages))
        self.options.say("other stages do not follow from these")
        forget_pass(self.run_dir)
        _check_time(plan, self.options)
        return None

    def _launch(
        self,
        plan: Plan,
        until: Callable[[Path], bool] | None = None,
        expected: tuple[int, ...] = (),
    ) -> _Pass:
        """Run the plan's ranks; `until` cuts them off, messages to `expected` ranks do not."""
        self.options.say(plan.text)
        result = self._run(plan, until, expected)
        if self.servers.lost(result.exit_code):
            forget_pass(self.run_dir)
            result = self._run(plan, until, expected)
        return _Pass(plan, result, read_structure(self.run_dir).without(expected))

    def _run(
        self, plan: Plan, until: Callable[[Path], bool] | None, expected: tuple[int, ...]
    ) -> EmulationResult:
        options, run_dir, layout = self.options, self.run_dir, self.layout.anew()
        everybody = len(plan.launched) == layout.world_size
        table = None if everybody else write_representatives(run_dir, plan)
        clocks = write_rank_clocks(run_dir, plan.launched) if options.clock else {}
        commands = [
            Command(
                (self.program, *layout.argv(rank)[1:]),
                rank_environment(self.env, layout.environment(rank), table) | clocks.get(rank, {}),
                rank,
            )
            for rank in plan.launched
        ]
        # A fork keeps the clock of the process that it was forked from.
        forking = {} if clocks else self._forking(commands[0])
        relaying = {RELAY: "1"} if expected else {}
        commands = [replace(command, env=command.env | forking | relaying) for command in commands]
        asked = [
            partial(_may_go_on, plan, options, expected)
            if self.learning and not everybody
            else None,
            options.enough,
            until,
        ]
        ask = [question for question in asked if question is not None]
        return execute(
            commands, run_dir, options.seconds_left, lambda: any(q(run_dir.path) for q in ask)
        )

    def _forking(self, first: Command) -> dict[str, str]:
        return self.servers.variables(first.argv, first.env, self.options.seconds_left)


def _may_go_on(plan: Plan, options: JobOptions, expected: tuple[int, ...], path: Path) -> bool:
    """Whether this pass has shown which ranks the next shall launch."""
    run_dir = RunDirectory(path)
    if not run_dir.partner_files() or not read_structure(run_dir).without(expected).partners:
        return False
    seen = options.seen_alone if len(plan.launched) == 1 else None
    return seen is None or seen(run_dir.path)


def first_plan(layout: Layout, options: JobOptions) -> Plan:
    """Before anything is known of the program."""
    if options.all_ranks:
        return plan_all(layout.world_size)
    if options.ranks:
        return plan_chosen(layout.world_size, parse_ranks(options.ranks), "as asked")
    return plan_one(layout.world_size)


def _check_time(plan: Plan, options: JobOptions) -> None:
    if options.seconds_left <= 0:
        raise MayaError(
            f"--max-seconds was over when {len(plan.launched):,} ranks had shown that more differ",
            hint="give it more time, or name the ranks that differ with --ranks",
        )


def describe(layout: Layout | None, plan: Plan | None, result: EmulationResult) -> RankFacts | None:
    """For run.json."""
    if layout is None or plan is None:
        return None
    return RankFacts(
        world_size=layout.world_size,
        nodes=layout.nodes,
        per_node=layout.per_node,
        launcher=layout.launch.launcher,
        launched=plan.launched,
        represents=plan.weights,
        reason=plan.reason,
        plain_start=result.plain_start,
        stages=plan.stages,
    )
