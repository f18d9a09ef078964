"""Servers in virtual time: their clock, the load on them, what they did."""

from maya.serving.load import RequestLoad, parse_load
from maya.serving.report import LoadOutcome, outcome
from maya.serving.server import ServeOptions, find_server, serve
from maya.serving.slo import Slo, parse_slo

__all__ = [
    "LoadOutcome",
    "RequestLoad",
    "ServeOptions",
    "Slo",
    "find_server",
    "outcome",
    "parse_load",
    "parse_slo",
    "serve",
]
