"""Runs under the emulator: every program of a plan, each inside a range that carries its key."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from workshop.operators.case import BACKWARD, FORWARD, Program
from workshop.operators.programs import Operator, find_operator

# A range for each program; one that fails is told on standard error and has no range.
_WARM_UPS = 1
Tensors = tuple[torch.Tensor, ...]


def main(plan: Path) -> None:
    """Record all programs of the plan."""
    for line in plan.read_text("utf-8").splitlines():
        program = Program(**json.loads(line))
        try:
            record(program)
        except Exception as error:
            print(f"{program.key}: {type(error).__name__}: {error}", file=sys.stderr)
        torch.cuda.empty_cache()
        torch._dynamo.reset()


def record(program: Program) -> None:
    """Run it once to warm up, then inside its range."""
    with_gradient = program.direction != FORWARD
    sizes = {**program.parameters, "gradient": with_gradient or program.parameters.get("gradient")}
    operator = find_operator(program.name)(sizes)
    run = torch.compile(_own(operator.run)) if program.compiled else operator.run
    step = _step(program, operator, run)
    with torch.set_grad_enabled(bool(sizes["gradient"])):
        for _ in range(_WARM_UPS):
            step(lambda call: call())
        step(lambda call: _inside_range(program.key, call))


def _own(run: Callable[..., Any]) -> Callable[..., Any]:
    """torch.compile leaves functions of PyTorch's own modules alone, unless others call them."""

    def called(*inputs: Any) -> Any:
        return run(*inputs)

    return called


def _inside_range(key: str, call: Callable[[], Any]) -> Any:
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_push(key)
    result = call()
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()
    return result


Timed = Callable[[Callable[[], Any]], Any]


def _step(program: Program, operator: Operator, run: Callable[..., Any]) -> Callable[[Timed], None]:
    """A pass, of which the given function times what counts."""

    def forward() -> Any:
        return run(*operator.inputs)

    def step(timed: Timed) -> None:
        for tensor in operator.inputs:
            if tensor.is_leaf:
                tensor.grad = None
        if program.direction == FORWARD:
            timed(forward)
        elif program.direction == BACKWARD:
            results = _tuple(forward())
            gradients = _gradients(operator, results)
            timed(lambda: _backward(operator, results, gradients))
        else:
            gradients = _gradients(operator, _tuple(forward()))
            timed(lambda: _both(operator, forward, gradients))

    return step


def _gradients(operator: Operator, results: Tensors) -> list[torch.Tensor]:
    return [torch.empty_like(like) for like in operator.given or results]


def _both(operator: Operator, forward: Callable[[], Any], gradients: list[torch.Tensor]) -> None:
    results = _tuple(forward())
    if operator.drawn:
        gradients = [torch.randn_like(result) for result in results]
    _backward(operator, results, gradients)


def _backward(operator: Operator, results: Tensors, gradients: list[torch.Tensor]) -> None:
    """What made the inputs stays, as in a benchmark that repeats the pass."""
    if operator.summed:
        results[0].sum().backward(retain_graph=True)
    elif operator.asked:
        torch.autograd.grad(results, operator.asked, gradients, retain_graph=True)
    else:
        torch.autograd.backward(results, gradients, retain_graph=True)


def _tuple(results: Any) -> Tensors:
    return results if isinstance(results, tuple) else (results,)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
