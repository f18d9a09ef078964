"""A knob: the values it may take, and where in the program it is turned."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from maya.recipe_search.space.expressions import Scalar

_LARGEST_POWER = 1 << 40


class FileEdit(BaseModel):
    """A key of a JSON, YAML or TOML file that the command names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field(description="The file, as the command names it.")
    key: str = Field(description="Path of the key, as in zero_optimization.stage.")
    create: bool = Field(False, description="Whether the key may be new.")


def _two(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Bounds = Annotated[tuple[int, int], BeforeValidator(_two)]


class Knob(BaseModel):
    """One thing that may be turned."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    choices: list[Scalar] | None = Field(None, description="The values, in a sensible order.")
    range_: Bounds | None = Field(None, alias="range", description="First and last integer.")
    step: int = Field(1, ge=1, description="Distance between the integers of a range.")
    powers_of_two: Bounds | None = Field(None, description="Least and largest power of two.")
    when: str | None = Field(None, description="The knob is turned only where this holds.")
    otherwise: Scalar | None = Field(None, description="Its value in expressions elsewhere.")
    flag: str | None = Field(None, description="Flag of the command whose value is replaced.")
    add_flag: str | None = Field(None, description="Flag added to the command, with the value.")
    switch: str | None = Field(None, description="Flag added where the value is true.")
    env: str | None = Field(None, description="Environment variable.")
    file: FileEdit | None = Field(None, description="Key of a configuration file.")
    memory: Literal["rises", "falls"] | None = Field(
        None, description="How the memory of a GPU goes along the values, all else equal."
    )

    @model_validator(mode="after")
    def _check(self) -> "Knob":
        given = [v for v in (self.choices, self.range_, self.powers_of_two) if v is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of choices, range, powers_of_two")
        if not self.values():
            raise ValueError("has no value")
        if len(set(map(repr, self.values()))) != len(self.values()):
            raise ValueError("a value stands twice")
        if self.when and self.otherwise is None:
            raise ValueError("a knob with `when` needs `otherwise`: its value where it is not set")
        return self

    def values(self) -> tuple[Scalar, ...]:
        """Everything it may be, in order."""
        if self.choices is not None:
            return tuple(self.choices)
        if self.range_ is not None:
            return tuple(range(self.range_[0], self.range_[1] + 1, self.step))
        assert self.powers_of_two is not None
        least, largest = self.powers_of_two
        if least < 1 or largest > _LARGEST_POWER:
            raise ValueError("powers_of_two lie between 1 and 2**40")
        return tuple(p for e in range(41) if least <= (p := 1 << e) <= largest)

    @property
    def mapped(self) -> bool:
        """Whether it says itself where it is turned (placeholders aside)."""
        return any((self.flag, self.add_flag, self.switch, self.env, self.file))
