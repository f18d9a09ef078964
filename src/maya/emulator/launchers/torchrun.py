"""torchrun, and torch.distributed.launch before it."""

from dataclasses import replace

from maya.emulator.launchers.launch import (
    LOCAL_RANK,
    Launch,
    Launcher,
    LauncherCall,
    count,
    port_of,
)
from maya.emulator.launchers.options import (
    Parsed,
    Syntax,
    options_from_environment,
    parse_options,
)
from maya.emulator.launchers.script import script_argv, with_local_rank

_FORERUNNER = "torch.distributed.launch"
_SYNTAX = Syntax(
    "torchrun",
    frozenset(
        [
            "nnodes",
            "nproc-per-node",
            "rdzv-backend",
            "rdzv-endpoint",
            "rdzv-id",
            "rdzv-conf",
            "max-restarts",
            "monitor-interval",
            "start-method",
            "role",
            "log-dir",
            "redirects",
            "tee",
            "local-ranks-filter",
            "node-rank",
            "master-addr",
            "master-port",
            "local-addr",
            "logs-specs",
            "numa-binding",
            "event-log-handler",
            "signals-to-handle",
            "duplicate-stdout-filters",
            "duplicate-stderr-filters",
        ]
    ),
    frozenset(
        ["standalone", "module", "no-python", "run-path", "virtual-local-rank", "shutdown-on-error"]
    ),
    {"m": "module", "r": "redirects", "t": "tee"},
)
_OLD_SYNTAX = replace(_SYNTAX, flags=_SYNTAX.flags | {"use-env"})
_VARIABLES = {
    "role": "ROLE_NAME",
    "rdzv-id": "TORCHELASTIC_RUN_ID",
    "max-restarts": "TORCHELASTIC_MAX_RESTARTS",
}


def _read(call: LauncherCall) -> Launch:
    syntax = _OLD_SYNTAX if call.name == _FORERUNNER else _SYNTAX
    parsed = parse_options(syntax, call.words)
    options = options_from_environment(syntax, call.environment) | parsed.options
    script = [word.replace("${local_rank}", LOCAL_RANK) for word in parsed.rest]
    port = options.get("master-port") or options.get("rdzv-endpoint", "").rpartition(":")[2]
    return Launch(
        "torchrun",
        _argv(call, Parsed(options, script)),
        _per_node(options.get("nproc-per-node", "1")),
        _nodes(options),
        port_of(port),
        own={_VARIABLES[name]: options[name] for name in _VARIABLES if name in options},
    )


def _argv(call: LauncherCall, parsed: Parsed) -> tuple[str, ...]:
    argv = script_argv(call.python, parsed)
    if call.name != _FORERUNNER or "use-env" in parsed.options:
        return argv
    return with_local_rank(argv, parsed, "--local-rank")


def _per_node(text: str) -> int | None:
    return None if text in ("gpu", "auto", "cuda") else count(text, "--nproc-per-node")


def _nodes(options: dict[str, str]) -> int | None:
    if "nnodes" in options:
        return count(options["nnodes"].rpartition(":")[2], "--nnodes")
    return 1 if "standalone" in options else None


TORCHRUN = Launcher(("torchrun", "torch.distributed.run", _FORERUNNER), _read)
