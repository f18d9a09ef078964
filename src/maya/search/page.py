"""The answer as one HTML page: no script, no network, everything escaped."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from maya.report.quantities import duration
from maya.search.answer import Answer, row_of
from maya.search.engine import Search
from maya.search.history import Done
from maya.search.page_plot import plot
from maya.units import GIB

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem;
       color: #1f2937; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
pre { background: #f3f4f6; padding: .7rem 1rem; border-radius: 6px; white-space: pre-wrap;
      overflow-wrap: anywhere; font-size: 13px; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1rem 0; }
.facts b { display: block; font-size: 1.35rem; } .facts span, .small { color: #6b7280; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; }
td, th { padding: .25rem .7rem; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #d1d5db; } td { border-bottom: 1px solid #e5e7eb; }
td.words, th.words { text-align: left; } tr.equal td { background: #ecfdf5; }
td details { white-space: normal; max-width: 34rem; }
summary { cursor: pointer; color: #2563eb; white-space: nowrap; }
svg { max-width: 48rem; width: 100%; } svg text { font-size: 12px; fill: #4b5563; }
svg line { stroke: #e5e7eb; } svg polyline { fill: none; stroke: #6b7280; stroke-dasharray: 4 3; }
circle { opacity: .75; } circle.front { opacity: 1; stroke: #111827; stroke-width: 1.5; }
.bar { display: inline-block; height: .7rem; background: #2563eb; border-radius: 2px; }
"""


def page(answer: Answer, state: Search) -> str:
    """The whole page."""
    title = "No recipe is an answer" if answer.best is None else "The best recipe"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>maya search</title>',
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>",
        _best(answer, state),
        _why(answer),
        _front(answer),
        _table(answer, state),
        _importance(answer.importance),
        _counts(answer),
        _listed("Ruled out without a trial", answer.data["pruned"]),
        _listed("Tried, and no answer", _others(answer)),
        "</body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _best(answer: Answer, state: Search) -> str:
    if answer.best is None:
        return ""
    row, metrics = row_of(answer.best, state), answer.best.outcome.metrics
    facts = {
        "a step": duration(metrics["step_ms"] or 0.0),
        "in this interval": _interval(metrics),
        "MFU": _share(metrics.get("mfu")),
        "of memory at most": _gib(metrics.get("peak_bytes")),
        "for 1B tokens": _usd(row["usd_per_1b_tokens"]),
        "GPUs": row["cluster"],
    }
    shown = "".join(
        f"<div><b>{escape(value)}</b><span>{name}</span></div>"
        for name, value in facts.items()
        if value
    )
    env = "".join(f"{name}={value} " for name, value in row["env"].items())
    note = ""
    if answer.equal_to_best > 1:
        note = (
            f"<p>The first {answer.equal_to_best} are equal within the error: take any of them.</p>"
        )
    return f'<div class="facts">{shown}</div><pre>{escape(env + row["command"])}</pre>{note}'


def _why(answer: Answer) -> str:
    lines = "".join(f"<li>{escape(line)}" for line in answer.why)
    return f"<h2>Why it wins</h2><ul>{lines}</ul>" if lines else ""


def _front(answer: Answer) -> str:
    picture = plot(answer)
    if not picture:
        return ""
    note = "Recipes with a rim are on the front: no other is better in every objective."
    return f'<h2>Time and money</h2>{picture}<p class="small">{note}</p>'


def _table(answer: Answer, state: Search) -> str:
    if not answer.ranked:
        return ""
    names = state.space.names
    heads = ["cluster", *names]
    numbers = ["step", "interval", "MFU", "memory", "exposed", "$/1B tokens"]
    lines = ['<h2>Recipes, best first</h2><div class="scroll"><table><tr><th>']
    lines += [f'<th class="words">{escape(head)}' for head in heads]
    lines += [f"<th>{escape(head)}" for head in numbers]
    lines.append('<th class="words"></tr>')
    front = {done.number for done in answer.front}
    for place, done in enumerate(answer.ranked, start=1):
        mark = f"{place}{'*' if done.number in front else ''}"
        lines.append(_row(mark, done, state, names, equal=place <= answer.equal_to_best))
    note = "* on the front; green: equal to the best within the error"
    return "\n".join([*lines, f'</table></div><p class="small">{note}</p>'])


def _row(mark: str, done: Done, state: Search, names: Iterable[str], *, equal: bool) -> str:
    row, metrics = row_of(done, state), done.outcome.metrics
    words = [done.point.cluster, *(done.point.knobs[name] for name in names)]
    numbers = [
        duration(metrics["step_ms"] or 0.0),
        _interval(metrics),
        _share(metrics.get("mfu")),
        _gib(metrics.get("peak_bytes")),
        duration(metrics.get("exposed_ms") or 0.0),
        _usd(row["usd_per_1b_tokens"]),
    ]
    cells = [f"<td>{mark}"]
    cells += [f'<td class="words">{escape(str(word))}' for word in words]
    cells += [f"<td>{escape(number)}" for number in numbers]
    command = f"<details><summary>command</summary><code>{escape(row['command'])}</code></details>"
    kind = ' class="equal"' if equal else ""
    return f'<tr{kind}>{"".join(cells)}<td class="words">{command}</tr>'


def _importance(shares: Mapping[str, float]) -> str:
    rows = "".join(
        f'<tr><td class="words">{escape(name)}<td>{share:.0%}'
        f'<td class="words"><span class="bar" style="width: {share * 20:.2f}rem"></span></tr>'
        for name, share in shares.items()
    )
    return f"<h2>Which knobs matter</h2><table>{rows}</table>" if rows else ""


def _counts(answer: Answer) -> str:
    counts, space = answer.data["counts"], answer.data["space"]
    told = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in counts.items())
    infeasible = "".join(
        f"<li>{number} combinations excluded by <code>{escape(constraint)}</code>"
        for constraint, number in space["infeasible"].items()
    )
    return (
        f"<h2>What was done</h2><p>{space['feasible']} of {space['combinations']} combinations "
        f"are feasible. {told}. {answer.data['seconds']:.0f} s.</p><ul>{infeasible}</ul>"
    )


def _others(answer: Answer) -> dict[str, str]:
    data = answer.data
    found: dict[str, str] = dict.fromkeys(data["out_of_memory"], "out of memory")
    found |= data["hopeless"]
    return found | {
        label: f"failed: {message}".splitlines()[-1] for label, message in data["failed"].items()
    }


def _listed(title: str, reasons: Mapping[str, str]) -> str:
    lines = "".join(f"<li>{escape(label)}: {escape(why)}" for label, why in reasons.items())
    if not lines:
        return ""
    return f"<details><summary>{title} ({len(reasons)})</summary><ul>{lines}</ul></details>"


def _interval(metrics: Mapping[str, Any]) -> str:
    step, low, high = (metrics.get(name) for name in ("step_ms", "low_ms", "high_ms"))
    if not step or low is None or high is None:
        return ""
    return f"{low / step - 1:+.0%} {high / step - 1:+.0%}".replace("-", "\N{MINUS SIGN}")


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _gib(count: float | None) -> str:
    return "" if count is None else f"{count / GIB:.1f} GiB"


def _usd(value: float | None) -> str:
    return "" if value is None else f"${value:,.2f}"
