"""The options of launchers that matter, and which of the others take a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from maya.errors import MayaError


@dataclass(frozen=True, slots=True)
class Syntax:
    """How one launcher reads its command line, up to the script."""

    name: str
    values: frozenset[str]  # options that take a value, without dashes, words joined by dashes
    flags: frozenset[str]
    short: dict[str, str] = field(default_factory=dict)  # -m -> module


TORCHRUN = Syntax(
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
LAUNCH = replace(TORCHRUN, flags=TORCHRUN.flags | {"use-env"})
DEEPSPEED = Syntax(
    "deepspeed",
    frozenset(
        [
            "hostfile",
            "include",
            "exclude",
            "num-nodes",
            "min-elastic-nodes",
            "max-elastic-nodes",
            "num-gpus",
            "master-port",
            "node-rank",
            "master-addr",
            "launcher",
            "launcher-args",
            "save-pid",
            "enable-each-rank-log",
            "autotuning",
            "elastic-training",
            "bind-core-list",
            "ssh-port",
            "venv-script",
        ]
    ),
    frozenset(
        [
            "module",
            "no-python",
            "no-local-rank",
            "no-ssh",
            "no-ssh-check",
            "force-multi",
            "bind-cores-to-rank",
            "elastic-training",
        ]
    ),
    {"H": "hostfile", "i": "include", "e": "exclude"},
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A launcher's options, and the script with its arguments."""

    options: dict[str, str]
    rest: list[str]


def parse_options(syntax: Syntax, words: list[str]) -> Parsed:
    """Split a command line as the launcher would."""
    options: dict[str, str] = {}
    position = 0
    while position < len(words) and words[position].startswith("-"):
        word = words[position]
        position += 1
        if word == "--":
            break
        name, equals, value = word.lstrip("-").partition("=")
        name = _whole(syntax, syntax.short.get(name, name.replace("_", "-")))
        if name in syntax.flags:
            options[name] = "1"
        elif name in syntax.values:
            if not equals:
                if position >= len(words):
                    raise MayaError(f"{syntax.name}: {word} needs a value")
                value = words[position]
                position += 1
            options[name] = value
        else:
            raise MayaError(
                f"{syntax.name}: unknown option {word}",
                hint="its options stand before the script, the script's own behind it",
            )
    if position >= len(words):
        raise MayaError(f"{syntax.name}: no script given")
    return Parsed(options, words[position:])


def options_from_environment(syntax: Syntax, environment: Mapping[str, str]) -> dict[str, str]:
    """What torchrun takes from PET_NPROC_PER_NODE and the like where its command says nothing."""
    words = {name: "PET_" + name.upper().replace("-", "_") for name in syntax.values | syntax.flags}
    given = {name: environment[word] for name, word in words.items() if word in environment}
    off = {name for name in syntax.flags if given.get(name) == "0"}
    return {name: value for name, value in given.items() if name not in off}


def _whole(syntax: Syntax, name: str) -> str:
    """An option may be cut short where one alone begins so."""
    known = syntax.values | syntax.flags
    alike = {whole for whole in known if name and whole.startswith(name)}
    return alike.pop() if name not in known and len(alike) == 1 else name
