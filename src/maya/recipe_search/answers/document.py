"""answer.json: what a search found, as typed data."""

from dataclasses import dataclass

from maya.recipe_search.space.expressions import Scalar
from maya.recipe_search.trials.jobs import How, Metrics
from maya.typed_json import encode

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """One that worked."""

    trial: int
    cluster: str
    knobs: dict[str, Scalar]
    metrics: Metrics
    tokens_per_step: float | None
    usd_per_1b_tokens: float | None
    objectives: dict[str, float | None]
    command: str
    env: dict[str, str]
    how: How


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """How many combinations of knobs there are."""

    combinations: int
    feasible: int
    infeasible: dict[str, int]  # by the rule that removed them


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """What became of the feasible ones."""

    evaluated: int
    emulated: int
    resimulated: int
    reused: int
    ok: int
    oom: int
    hopeless: int
    failed: int
    pruned: int
    not_tried: int


@dataclass(frozen=True, slots=True)
class AnswerDocument:
    """The whole file; recipes that are no answer are told by their labels."""

    schema_version: int
    objectives: tuple[str, ...]
    ranked: tuple[Recipe, ...]
    front: tuple[int, ...]  # trials
    equal_to_best: int
    why: tuple[str, ...]
    importance: dict[str, float]
    space: SpaceSize
    counts: TrialCounts
    out_of_memory: tuple[str, ...]
    hopeless: dict[str, str]
    failed: dict[str, str]
    pruned: dict[str, str]
    seconds: float


def answer_json(document: AnswerDocument) -> str:
    """The text of the file."""
    return encode(AnswerDocument, document)
