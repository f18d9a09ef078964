"""maya serve: an inference server in virtual time."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer

from maya.cli import options as opt
from maya.cli.render import print_json, stderr, stdout
from maya.cli.serving_text import capacity_line, outcome_lines, trial_line
from maya.errors import ExitCode, MayaError
from maya.prediction import CLUSTER_VARIABLE, find_target
from maya.serving import LoadOutcome, ServeOptions, parse_load, parse_slo, serve
from maya.serving.capacity import find_capacity
from maya.serving.server import RunningServer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve", context_settings={"allow_interspersed_args": False})(command)


def command(
    words: list[str] = typer.Argument(
        None, metavar="-- COMMAND...", help="The server, as you would start it: vllm serve MODEL."
    ),
    cluster: str = typer.Option(
        "h100:1",
        envvar=CLUSTER_VARIABLE,
        metavar="CLUSTER",
        help="GPU and GPUs per node (h100:8), with nodes (h100:8x4), or a YAML file.",
    ),
    host: opt.Host = None,
    host_scale: opt.HostScale = 1.0,
    load: str | None = typer.Option(
        None,
        metavar="SPEC",
        help="Send requests in virtual time, report on them and end: "
        "requests=200,rate=10,input=512,output=128, arrivals=poisson|constant|burst, "
        "lengths=FILE, trace=FILE, seed=N.",
    ),
    slo: str | None = typer.Option(
        None,
        metavar="LIMITS",
        help="With --load: find the largest rate of requests that keeps these limits, for example "
        "ttft=500ms,tpot:p90=40ms.",
    ),
    output_lengths: str = typer.Option(
        "from-request",
        metavar="KIND",
        help="Tokens of an answer: from-request, fixed:N, or file:LENGTHS.",
    ),
    ready_seconds: float = typer.Option(
        900.0, min=1, metavar="SECONDS", help="Real time that the server may take to start."
    ),
    max_seconds: float = typer.Option(
        86400.0, min=1, metavar="SECONDS", help="Real time that all of it may take."
    ),
    spin_seconds: float = typer.Option(
        120.0,
        min=1,
        metavar="SECONDS",
        help="CPU time that a thread of the server may spend in one function.",
    ),
    measurements: opt.Measurements = None,
    output: opt.Output = None,
    force: opt.Force = False,
    json: opt.Json = None,
    quiet: opt.Quiet = False,
) -> None:
    """Run an inference server without GPUs, in virtual time."""
    if not words:
        raise MayaError("there is no command", hint="maya serve -- vllm serve MODEL")
    if slo and not load:
        raise MayaError("--slo needs a --load", hint="--load requests=200,input=512,output=128")
    options = ServeOptions(
        output=output,
        force=force,
        host_scale=host_scale,
        measurements=measurements,
        output_lengths=_checked(output_lengths),
        ready_seconds=ready_seconds,
        max_seconds=max_seconds,
        spin_seconds=spin_seconds,
        say=(lambda _: None) if quiet else _say,
    )
    use = _Use(load, slo, quiet, json) if load else None
    result = serve(words, find_target(cluster, host), options, use)
    if use is None or not use.done:
        failed = result.ended_by == "script" and result.exit_code != 0
        raise typer.Exit(ExitCode.SCRIPT_FAILED if failed or use else result.status)


class _Use:
    """What is done with the server once it answers."""

    def __init__(self, load: str, slo: str | None, quiet: bool, json: Path | None) -> None:
        self.load, self.slo = parse_load(load), parse_slo(slo) if slo else None
        self.quiet, self.json, self.done = quiet, json, False

    def __call__(self, server: RunningServer) -> None:
        found: dict[str, Any] = {}
        if self.slo is None:
            found["outcome"] = self._told(server.send(self.load))
        else:
            capacity = find_capacity(
                self.load.rate,
                self.slo,
                lambda rate: server.send(self.load.at_rate(rate)),
                lambda trial: None if self.quiet else _say(trial_line(trial)),
            )
            found["capacity"] = asdict(capacity)
            kept = [trial for trial in capacity.trials if trial.good]
            if kept:
                self._told(kept[-1].outcome)
            if not self.json or str(self.json) != "-":
                stdout.print(capacity_line(capacity))
        if self.json:
            print_json(found, self.json)
        self.done = True

    def _told(self, outcome: LoadOutcome) -> dict[str, Any]:
        require_answers(outcome)
        if not self.json or str(self.json) != "-":
            print_outcome(outcome)
        return outcome_as_json(outcome)


def outcome_as_json(outcome: LoadOutcome) -> dict[str, Any]:
    """Without the times of single requests."""
    bare = {
        name: replace(value, values=())
        for name in ("ttft_ms", "tpot_ms", "itl_ms", "e2e_ms", "server_ttft_ms", "server_tpot_ms")
        if (value := getattr(outcome, name)) is not None
    }
    own = outcome.iterations
    if own is not None:
        bare["iterations"] = replace(own, interval_ms=replace(own.interval_ms, values=()))
    return asdict(replace(outcome, **bare)) | {
        "requests_per_s": outcome.requests_per_s,
        "output_tokens_per_s": outcome.output_tokens_per_s,
    }


def require_answers(outcome: LoadOutcome) -> None:
    """Nothing can be said of a server that answered nobody."""
    if outcome.failed and not outcome.requests:
        raise MayaError(
            f"none of {outcome.failed} requests was answered: {outcome.errors[0]}",
            hint="does the server still run, and can it ever answer?",
        )


def print_outcome(outcome: LoadOutcome) -> None:
    """As lines."""
    for line in outcome_lines(outcome):
        stdout.print(line, markup=False, soft_wrap=True)


def _checked(policy: str) -> str:
    kind, _, value = policy.partition(":")
    if kind == "from-request" and not value:
        return policy
    if kind == "fixed" and value.isdigit() and int(value) > 0:
        return policy
    if kind == "file" and Path(value).is_file():
        return f"file:{Path(value).resolve()}"
    raise MayaError(
        f"--output-lengths {policy} is no policy",
        hint="from-request, fixed:128, or file:LENGTHS with a length and a weight in each line",
    )


def _say(text: str) -> None:
    stderr.print(f"[bold]maya:[/] {text}", soft_wrap=True)
