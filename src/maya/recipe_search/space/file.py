"""The search file: what people write, as a model with a JSON Schema."""

import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from maya.errors import MayaError
from maya.hardware.yaml_file import load, validate
from maya.recipe_search.space.expressions import Scalar
from maya.recipe_search.space.knobs import Knob
from maya.user_files import read_user_text

Sampler = Literal["tpe", "cmaes", "nsga2", "grid", "random"]
Objective = Literal[
    "step_time",
    "usd_per_step",
    "usd_per_1b_tokens",
    "usd_to_budget",
    "hours_to_budget",
    "memory_headroom",
]
NEED_TOKENS = ("usd_per_1b_tokens", "usd_to_budget", "hours_to_budget")


def _words(value: object) -> object:
    return shlex.split(value) if isinstance(value, str) else value


def _list(value: object) -> object:
    return value if isinstance(value, list) else [value]


class RecipeLimits(BaseModel):
    """What a recipe must keep to be an answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    usd_per_hour: float | None = Field(default=None, gt=0, description="Of the whole cluster.")
    gpus: int | None = Field(default=None, ge=1)
    hours: float | None = Field(default=None, gt=0, description="Deadline for the token budget.")
    usd: float | None = Field(default=None, gt=0, description="Money for the token budget.")
    memory_headroom_gib: float | None = Field(default=None, ge=0)


class SearchFile(BaseModel):
    """A search: the command, its knobs, where it may run, and what is wanted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: Annotated[list[str], BeforeValidator(_words)] = Field(
        min_length=1, description="The training command; {name} stands for a value."
    )
    directory: str = Field(".", description="Where it runs, relative to this file.")
    env: dict[str, str] = Field(default_factory=dict)
    clusters: Annotated[list[str], BeforeValidator(_list)] = Field(min_length=1)
    knobs: dict[str, Knob] = Field(min_length=1)
    constants: dict[str, Scalar] = Field(default_factory=dict)
    derived: dict[str, Scalar] = Field(
        default_factory=dict, description="Values computed from others, in order."
    )
    constraints: list[str] = Field(default_factory=list)
    known_good: list[dict[str, Scalar]] = Field(
        default_factory=list, description="Recipes to try first."
    )
    objectives: Annotated[list[Objective], BeforeValidator(_list)] = Field(
        default=["step_time"], min_length=1
    )
    limits: RecipeLimits = RecipeLimits()
    tokens_per_step: Scalar | None = Field(None, description="An expression.")
    budget_tokens: float | None = Field(None, gt=0)
    sampler: Sampler = "tpe"
    trials: int = Field(100, ge=1, description="Recipes to evaluate at most.")
    seed: int = 0
    steps: int = Field(1, ge=1, description="Steady steps that a trial records.")
    max_seconds: float = Field(300.0, gt=0, description="Longest emulation of a trial.")
    host_scale: float = Field(1.0, ge=0, description="Multiplies CPU time.")
    prune: bool = Field(True, description="Whether to skip what must run out of memory.")
    hopeless: float | None = Field(
        1.5, ge=1, description="End a trial whose step takes so many times the best; null: never."
    )
    give_up_after: int = Field(3, ge=1, description="Failures before the first success.")


def read_search_file(path: Path | str) -> tuple[SearchFile, Path]:
    """The file, checked, and the directory that its paths are relative to."""
    path = Path(path)
    text = read_user_text(path, hint="`maya examples copy search` brings ready-made files")
    data, lines = load(text, path.name)
    return check(validate(SearchFile, data, lines, path.name)), path.resolve().parent


def check(file: SearchFile) -> SearchFile:
    """What no single field can tell."""
    wanted = [name for name in file.objectives if name in NEED_TOKENS]
    if wanted and file.tokens_per_step is None:
        raise MayaError(
            f"{wanted[0]} needs to know how many tokens a step trains on",
            hint="tokens_per_step: global_batch * sequence_length",
        )
    budget = [name for name in ("usd_to_budget", "hours_to_budget") if name in file.objectives]
    if (budget or file.limits.hours or file.limits.usd) and not (
        file.budget_tokens and file.tokens_per_step is not None
    ):
        what = budget[0] if budget else "a limit of hours or usd"
        raise MayaError(f"{what} needs budget_tokens and tokens_per_step")
    return file


def schema() -> dict[str, Any]:
    """JSON Schema of the file, for editors."""
    return SearchFile.model_json_schema(by_alias=True) | {"title": "maya search file"}
