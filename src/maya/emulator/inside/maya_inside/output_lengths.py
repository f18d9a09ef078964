"""Ends generate() of transformers after so many tokens, where the user says how long answers are.

Which token ends a sequence is a value that only kernels could make.
"""

import os
from functools import wraps
from types import ModuleType
from typing import Any


def activate(module: ModuleType) -> None:
    """Called once transformers.generation.utils has been imported."""
    wanted = os.environ.get("MAYA_OUTPUT_LENGTHS")
    if wanted:
        mixin = module.GenerationMixin
        mixin._get_stopping_criteria = _ending(mixin._get_stopping_criteria, int(wanted))


def _ending(criteria_of: Any, tokens: int) -> Any:
    """The program's own criteria, and one that ends all sequences at this length."""

    @wraps(criteria_of)
    def criteria(*arguments: Any, **options: Any) -> Any:
        found = criteria_of(*arguments, **options)
        found.append(_after(tokens))
        return found

    return criteria


def _after(tokens: int) -> Any:
    """Asked once for each token; sequences differ only in what they hold, not in their length."""
    import torch

    made = 0

    def ended(ids: Any, _scores: Any, **_: Any) -> Any:
        nonlocal made
        made += 1
        return torch.full((ids.shape[0],), made >= tokens, dtype=torch.bool, device=ids.device)

    return ended
