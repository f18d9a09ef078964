"""Outcomes that a page already shows, for cases whose runs are not at hand.

Runs live on the machine that made them, and making them all takes hours. A case that was not run
here keeps the row that the page has of it, as it was predicted then.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from workshop.validate.case import NOT_RUN, Case, Outcome

EARLIER = "kept from an earlier version of this page"  # in the place of the emulator that ran it
_ROW = re.compile(
    r"^\| (?P<name>.+?) \| (?P<cluster>\S+) \| (?P<measured>[\d.]+) \| (?P<predicted>[\d.]+) "
    r"\| (?P<low>[\d.]+) to (?P<high>[\d.]+) \| [+-][\d.]+% \| (?P<bound>\w+) \| (?:un)?seen"
    r"(?:, earlier)? \|$"
)
Key = tuple[str, str, str, str]


def published(page: Path) -> dict[Key, Mapping[str, str]]:
    """The rows of a page that have a prediction, by source, case, cluster and measured time."""
    return dict(_rows(page.read_text("utf-8"))) if page.exists() else {}


def _rows(text: str) -> Iterator[tuple[Key, Mapping[str, str]]]:
    source = ""
    for line in text.splitlines():
        if line.startswith("## "):
            source = line.removeprefix("## ")
        elif found := _ROW.match(line):
            values = found.groupdict()
            yield (source, values["name"], values["cluster"], values["measured"]), values


def as_published(outcome: Outcome, rows: Mapping[Key, Mapping[str, str]]) -> Outcome:
    """What the page says of a case that was not run here; any other outcome as it is."""
    found = rows.get(_key(outcome.case)) if outcome.failure == NOT_RUN else None
    if found is None:
        return outcome
    return replace(
        outcome,
        predicted_ms=float(found["predicted"]),
        low_ms=float(found["low"]),
        high_ms=float(found["high"]),
        bound=found["bound"],
        failure="",
        maker=EARLIER,
    )


def _key(case: Case) -> Key:
    return case.source, case.name, case.cluster, f"{case.measured_ms:.1f}"
