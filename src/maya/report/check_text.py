"""What `maya check` found, for pull requests (Markdown) and for CI servers (JUnit)."""

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from maya.analyze.diff import Change, Difference, KernelChange
from maya.analyze.limits import Verdict
from maya.units import GIB

_CAUSES = 10
_LARGE = 1e4
_STEPS = 1_000_000  # one costs too little to be read
LEAST_MS = 1e-6  # a nanosecond: below lies only how sums were rounded


def check_markdown(answer: str, verdicts: Sequence[Verdict], base: Difference | None) -> str:
    """The answer, its limits, and what differs from the base, as tables."""
    good = all(verdict.good for verdict in verdicts)
    parts = [f"### Maya: {'all limits are kept' if good else 'a limit is missed'}", answer]
    parts.append(_table(("figure", "predicted", "limit", ""), [_verdict(v) for v in verdicts]))
    if base is not None:
        parts.append(f"#### Against the base ({' -> '.join(base.clusters)})")
        parts.append(_changes("figure", [readable(one) for one in base.totals if _known(one)]))
        causes = [one for one in base.kernels if abs(one.difference) >= LEAST_MS][:_CAUSES]
        parts.append(_causes(causes) if causes else "No kernel takes longer or shorter.")
    return "\n\n".join(parts) + "\n"


def check_junit(answer: str, verdicts: Sequence[Verdict]) -> str:
    """A test case for each limit."""
    missed = [verdict for verdict in verdicts if not verdict.good]
    suite = Xml.Element(
        "testsuite", name="maya check", tests=str(len(verdicts)), failures=str(len(missed))
    )
    for verdict in verdicts:
        case = Xml.SubElement(suite, "testcase", classname="maya.check", name=verdict.name)
        if verdict in missed:
            told = f"{figure(verdict)}, limit {verdict.limit:,.4g}"
            Xml.SubElement(case, "failure", message=f"{verdict.name}: {told}").text = answer
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def figure(verdict: Verdict) -> str:
    """What was predicted, with its unit."""
    if verdict.found is None:
        return "not known"
    return f"{verdict.found:,.4g} {verdict.unit}".strip()


def _verdict(verdict: Verdict) -> tuple[str, ...]:
    kept = "ok" if verdict.good else "**missed**"
    return verdict.name, figure(verdict), f"{verdict.limit:,.4g}", kept


def _causes(causes: Sequence[KernelChange]) -> str:
    rows = [(f"`{_cell(one.name)}`", f"{one.difference:+,.4g}", _cell(one.cause)) for one in causes]
    return _table(("kernel", "ms per step", "because"), rows)


def _changes(title: str, changes: Sequence[Change]) -> str:
    rows = [
        (one.name, number_text(one.before), number_text(one.after), _share(one)) for one in changes
    ]
    return _table((title, "base", "now", "change"), rows)


def _known(change: Change) -> bool:
    return bool(change.before or change.after)


def readable(change: Change) -> Change:
    """Bytes as GiB, and the price of many steps: scientific notation says nothing."""
    if change.name.endswith("bytes"):
        return _scaled(change, change.name.replace("bytes", "GiB"), 1 / GIB)
    if change.name == "dollars a step":
        return _scaled(change, f"dollars for {_STEPS:,} steps", _STEPS)
    return change


def _scaled(change: Change, name: str, factor: float) -> Change:
    before, after = (None if n is None else n * factor for n in (change.before, change.after))
    return Change(name, before, after)


def _share(change: Change) -> str:
    return f"{change.difference / change.before:+.1%}" if change.before else ""


def number_text(number: float | None) -> str:
    """Four digits, but all of a large number."""
    if number is None:
        return "-"
    return f"{number:,.0f}" if abs(number) >= _LARGE else f"{number:,.4g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'").replace("\n", " ")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
