"""Windows that move over one to three dimensions."""

from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator

_WINDOW = ("kernel_size", "stride", "padding", "dilation")


@operator
def pooling(sizes: Parameters) -> Operator:
    """Maximum or average, as `function` says."""
    function = getattr(functional, sizes["function"])
    window = {name: sizes[name] for name in _WINDOW if name in sizes}

    def run(x: Tensor) -> Tensor:
        pooled: Tensor = function(x, **window)
        return pooled

    return Operator(run, (numbers(sizes, *sizes["shape"]),))
