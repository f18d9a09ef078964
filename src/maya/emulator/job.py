"""Runs a job of many ranks with few processes: launch, see who differs, launch those too."""

from collections.abc import Callable
from dataclasses import replace
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
    write_representatives,
)
from maya.emulator.rank_server import RankServers
from maya.emulator.structure import Structure, read_structure
from maya.errors import MayaError
from maya.rundir import RankFacts, RunDirectory

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
    def say(self, text: str, /) -> None: ...


def run_job(
    layout: Layout, program: str, env: dict[str, str], run_dir: RunDirectory, options: JobOptions
) -> tuple[Plan, EmulationResult]:
    """Launch what the plan says; a rank that exchanges messages with a virtual one shows more."""
    plan = first_plan(layout, options)
    learning = not (options.all_ranks or options.ranks)
    with RankServers() as servers:
        launch = partial(_launch, layout, program, env, run_dir, options, learning, servers)
        for _ in range(_MOST_PASSES):
            options.say(plan.text)
            result = launch(plan)
            if servers.lost(result.exit_code):
                forget_pass(run_dir)
                result = launch(plan)
            structure = read_structure(run_dir)
            cut_off = options.enough is not None and options.enough(run_dir.path)
            if not learning or not structure.partners or result.ended_by == "signal" or cut_off:
                break
            _check_time(plan, options)
            plan = plan_from_partners(layout.world_size, plan.launched, structure.partners)
            forget_pass(run_dir)
    result = replace(result, plain_start=servers.plain_because)
    plan = _with_groups(plan, structure, learning)
    if len(plan.launched) < layout.world_size:
        write_representatives(run_dir, plan)  # for those who simulate every rank
    return plan, result


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
    )


def _launch(
    layout: Layout,
    program: str,
    env: dict[str, str],
    run_dir: RunDirectory,
    options: JobOptions,
    learning: bool,
    servers: RankServers,
    plan: Plan,
) -> EmulationResult:
    everybody = len(plan.launched) == layout.world_size
    table = None if everybody else write_representatives(run_dir, plan)
    commands = [
        Command(
            (program, *layout.argv(rank)[1:]),
            rank_environment(env, layout.environment(rank), table),
            rank,
        )
        for rank in plan.launched
    ]
    forking = servers.variables(commands[0].argv, commands[0].env, options.seconds_left)
    commands = [replace(command, env=command.env | forking) for command in commands]
    asked = [partial(_may_go_on, run_dir, plan, options)] if learning and not everybody else []
    if options.enough is not None:
        asked.append(partial(options.enough, run_dir.path))
    return execute(commands, run_dir, options.seconds_left, lambda: any(ask() for ask in asked))


def _may_go_on(run_dir: RunDirectory, plan: Plan, options: JobOptions) -> bool:
    """Whether this pass has shown which ranks the next shall launch."""
    if not run_dir.partner_files():
        return False
    seen = options.seen_alone if len(plan.launched) == 1 else None
    return seen is None or seen(run_dir.path)


def _with_groups(plan: Plan, structure: Structure, learning: bool) -> Plan:
    """The same launched ranks, with what the program's groups say about the others."""
    return structure.refine(plan) if learning else plan
