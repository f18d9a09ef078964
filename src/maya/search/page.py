"""The answer as one HTML page: no script, no network, everything escaped."""

from collections.abc import Sequence
from html import escape
from typing import Any

from maya.search.answer import Answer, row_of
from maya.search.engine import Search
from maya.search.front import places
from maya.units import GIB

_WIDTH, _HEIGHT, _MARGIN = 720, 360, 60
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .2rem .7rem; text-align: left; }
tr:nth-child(even) { background: #f3f4f6; } code { font-size: 13px; overflow-wrap: anywhere; }
circle { fill: #9ca3af; } circle.front { fill: #b91c1c; } text { font-size: 12px; }
"""


def page(answer: Answer, state: Search) -> str:
    """The whole page."""
    head = f"<!doctype html><meta charset=utf-8><title>maya search</title><style>{_STYLE}</style>"
    parts = [head, "<h1>Recipes, best first</h1>", _best(answer, state), _plot(answer)]
    parts += [_table(answer, state), _why(answer), _counts(answer), _others(answer)]
    return "\n".join(parts) + "\n"


def _best(answer: Answer, state: Search) -> str:
    if answer.best is None:
        return "<p>No recipe is an answer.</p>"
    row = row_of(answer.best, state)
    env = "".join(f"{name}={value} " for name, value in row["env"].items())
    note = ""
    if answer.equal_to_best > 1:
        note = f"<p>The first {answer.equal_to_best} are equal within the error.</p>"
    where = f"<p>On {escape(row['cluster'])}:</p>" if len(state.space.clusters) > 1 else ""
    return f"{where}<p><code>{escape(env + row['command'])}</code></p>{note}"


def _plot(answer: Answer) -> str:
    """Time against money; the front is red."""
    found = places(answer.ranked)
    placed = [(done, found.of[done.number]) for done in answer.ranked if done.number in found.of]
    if len(placed) < 2:
        return ""
    front = {done.number for done in answer.front}
    xs, ys = [at[0] for _, at in placed], [at[1] for _, at in placed]
    dots = []
    for done, (x, y) in placed:
        kind = "front" if done.number in front else "other"
        title = escape(f"{done.point.cluster}: {done.point.label()}: {x:.4g} ms, ${y:.4g}")
        dots.append(
            f'<circle class={kind} r=4 cx="{_scaled(x, xs, _WIDTH):.1f}" '
            f'cy="{_HEIGHT - _scaled(y, ys, _HEIGHT):.1f}"><title>{title}</title></circle>'
        )
    axes = (
        f'<text x="{_MARGIN}" y="{_HEIGHT - 8}">ms a {found.unit}, {min(xs):.4g} to {max(xs):.4g}'
        f'</text><text x="4" y="16">$ a {found.unit}, {min(ys):.3g} to {max(ys):.3g}</text>'
    )
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img">{axes}{"".join(dots)}</svg>'


def _scaled(value: float, values: Sequence[float], size: int) -> float:
    spread = max(values) - min(values) or 1.0
    return _MARGIN + (value - min(values)) / spread * (size - 2 * _MARGIN)


def _table(answer: Answer, state: Search) -> str:
    names = state.space.names
    heads = ["", "cluster", *names, "step ms", "low", "high", "MFU", "peak GiB", "$/1B tokens"]
    lines = ["<table><tr>", *(f"<th>{escape(head)}" for head in heads), "<th>command</tr>"]
    for place, done in enumerate(answer.ranked, start=1):
        row, metrics = row_of(done, state), done.outcome.metrics
        usd = row["usd_per_1b_tokens"]
        cells: list[Any] = [place, done.point.cluster, *(done.point.knobs[n] for n in names)]
        cells += [f"{metrics.get(key) or 0:.4g}" for key in ("step_ms", "low_ms", "high_ms")]
        cells += [
            f"{metrics.get('mfu') or 0:.1%}",
            f"{(metrics.get('peak_bytes') or 0) / GIB:.1f}",
        ]
        cells += ["" if usd is None else f"{usd:,.2f}"]
        lines.append("<tr>" + "".join(f"<td>{escape(str(cell))}" for cell in cells))
        lines.append(f"<td><code>{escape(row['command'])}</code></tr>")
    return "\n".join([*lines, "</table>"])


def _why(answer: Answer) -> str:
    lines = [f"<li>{escape(line)}" for line in answer.why]
    lines += [
        f"<li>{escape(name)} matters {share:.0%}" for name, share in answer.importance.items()
    ]
    return f"<h2>Why</h2><ul>{''.join(lines)}</ul>" if lines else ""


def _counts(answer: Answer) -> str:
    counts = ", ".join(f"{value} {escape(name)}" for name, value in answer.data["counts"].items())
    pruned = "".join(
        f"<li>{escape(label)}: {escape(reason)}" for label, reason in answer.data["pruned"].items()
    )
    return f"<h2>What was done</h2><p>{counts}</p><ul>{pruned}</ul>"


def _others(answer: Answer) -> str:
    """Recipes that were tried and are no answer."""
    data = answer.data
    found = dict.fromkeys(data["out_of_memory"], "out of memory") | data["hopeless"]
    found |= {
        label: f"failed: {message}".splitlines()[-1] for label, message in data["failed"].items()
    }
    lines = "".join(f"<li>{escape(label)}: {escape(why)}" for label, why in found.items())
    return f"<h2>No answers</h2><ul>{lines}</ul>" if lines else ""
