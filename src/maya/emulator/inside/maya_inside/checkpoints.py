"""Checkpoints that virtual ranks would have written their parts of."""

from dataclasses import replace
from types import ModuleType
from typing import Any

from maya_inside import ranks


def activate(planner: ModuleType) -> None:
    """Called once, when torch's planner of distributed checkpoints has just been imported.

    Virtual ranks name the parts of their representatives. Left to itself the planner would have
    some of these written by ranks that are no process, and would find that all parts together do
    not make up a tensor. The launched ranks' own parts are written and read as ever.
    """
    names: dict[str, Any] = vars(planner)
    if "_validate_global_plan" not in names or "dedup_save_plans" not in names:
        return
    share_out = names["dedup_save_plans"]

    def dedup_save_plans(plans: "list[Any]", *rest: Any, **options: Any) -> Any:
        if len(plans) == ranks.WORLD_SIZE:
            plans = [
                plan if ranks.is_launched(rank) else replace(plan, items=[])
                for rank, plan in enumerate(plans)
            ]
        return share_out(plans, *rest, **options)

    names["dedup_save_plans"] = dedup_save_plans
    names["_validate_global_plan"] = lambda *_, **__: True
