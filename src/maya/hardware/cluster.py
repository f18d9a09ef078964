"""A cluster: GPUs in nodes, links between them, a CPU, a price."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from maya.hardware.model import Gpu, Positive, Rate, Whole

MOST_A_NODE, MOST_NODES = 1 << 10, 1 << 20


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Node(_Data):
    """How the GPUs of one node are joined."""

    id: str = "custom"
    link: Literal["nvswitch", "mesh", "pairs", "pcie"]
    bandwidth_bytes_per_s: Rate  # one direction, per GPU
    pcie_bytes_per_s: Rate = 24e9  # between GPUs that no NVLink joins
    nvls: bool = False  # the switch can reduce
    source: str


class Fabric(_Data):
    """The network between nodes."""

    id: str = "custom"
    kind: Literal["infiniband", "roce", "efa", "ethernet"]
    nic_bytes_per_s: Rate  # one direction, per GPU
    rails: Positive
    latency_ns: Positive
    reduction: bool = False  # switches can reduce (SHARP)
    source: str


class Host(_Data):
    """A CPU, and what the driver and libraries take on it."""

    id: str = "custom"
    speed: Rate = 1.0
    # CPU time where each of eight GPUs has its process
    crowding: Annotated[float, Field(ge=1, le=1e6)] = 1.0
    reference_ns: Positive = 1_530_000  # what the yardstick takes on a CPU of speed 1
    calls_ns: dict[str, Whole]
    launch_latency_ns: Whole
    gap_ns: Whole
    queue_limit: Positive
    source: str


class Price(_Data):
    """What a GPU costs."""

    usd_per_gpu_hour: Annotated[float, Field(ge=0, le=1e9)]
    date: str
    source: str


class Cluster(_Data):
    """Everything that a prediction needs to know of the machine."""

    name: str
    gpu: Gpu
    per_node: Annotated[int, Field(gt=0, le=MOST_A_NODE)]
    nodes: Annotated[int, Field(gt=0, le=MOST_NODES)]
    node: Node
    fabric: Fabric
    host: Host
    price: Price | None = None

    @property
    def gpus(self) -> int:
        """All GPUs."""
        return self.per_node * self.nodes

    @property
    def usd_per_hour(self) -> float | None:
        """Price of the whole cluster."""
        return self.price.usd_per_gpu_hour * self.gpus if self.price else None

    def node_of(self, rank: int) -> int:
        """Ranks fill one node after the other."""
        return rank // self.per_node
