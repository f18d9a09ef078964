"""What is known of a GPU model. Values are plain; `sources` says where each came from."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

_MOST = 2**53  # beyond it whole numbers are no longer exact as floats
Positive = Annotated[int, Field(gt=0, le=_MOST)]
Whole = Annotated[int, Field(ge=0, le=_MOST)]
Rate = Annotated[float, Field(gt=0, le=1e24)]  # a million of the fastest machines there are


class Gpu(BaseModel):
    """One GPU model as its driver reports it and its data sheet describes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    architecture: str
    sources: dict[str, str] = Field(repr=False)

    major: Positive
    minor: Whole
    sm_count: Positive
    clock_mhz: Positive
    memory_clock_mhz: Positive
    memory_bus_bits: Positive
    total_memory_bytes: Positive
    context_bytes: Positive
    l2_bytes: Positive
    memory_bandwidth_bytes_per_s: Rate

    l1_bytes_per_sm: Positive
    shared_bytes_per_sm: Positive
    shared_bytes_per_block: Positive
    shared_bytes_per_block_optin: Positive
    registers_per_sm: Positive
    registers_per_block: Positive
    max_threads_per_sm: Positive
    max_blocks_per_sm: Positive
    warp_size: Positive

    flops_per_s: dict[str, Rate]
    pcie_generation: Positive
    nvlinks: Whole
    ecc: bool
    power_limit_w: Positive

    @model_validator(mode="after")
    def _every_number_has_a_source(self) -> Self:
        missing = sorted(self.facts().keys() - self.sources.keys())
        if missing:
            raise ValueError(f"no source for {', '.join(missing)}")
        return self

    def facts(self) -> dict[str, Any]:
        """Every number, by field name."""
        described = {"id", "name", "aliases", "architecture", "sources"}
        return self.model_dump(exclude=described)

    @property
    def usable_memory_bytes(self) -> int:
        """What a process can allocate: all that the driver reports minus its own context."""
        return self.total_memory_bytes - self.context_bytes
