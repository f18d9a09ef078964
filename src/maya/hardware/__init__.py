"""The catalogue of GPUs, and clusters of them."""

from maya.hardware.catalogue import find_gpu, list_gpus
from maya.hardware.cluster import Cluster, Fabric, Host, Node, Price
from maya.hardware.clusters import default_cluster, find_cluster, find_fabric, find_host, find_node
from maya.hardware.device_file import device_file_text
from maya.hardware.model import Gpu

__all__ = [
    "Cluster",
    "Fabric",
    "Gpu",
    "Host",
    "Node",
    "Price",
    "default_cluster",
    "device_file_text",
    "find_cluster",
    "find_fabric",
    "find_gpu",
    "find_host",
    "find_node",
    "list_gpus",
]
