"""Kinds of numbers in files: what is no such number is refused when a file is read."""

from typing import Annotated

from pydantic import Field

_MOST = 2**63 - 1  # a byte count beyond it would not divide to a float

Real = Annotated[float, Field(allow_inf_nan=False)]
Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]  # dollars, FLOPs, rates, factors
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=_MOST)]
Bytes = Annotated[int, Field(ge=0, le=_MOST)]
SignedBytes = Annotated[int, Field(ge=-_MOST, le=_MOST)]
