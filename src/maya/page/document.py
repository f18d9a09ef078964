"""One self-contained HTML file: a frame, styles, scripts, and the data that the scripts draw.

Nothing is loaded from anywhere. The data is JSON, deflated and in base64, so no text of a program
can be taken for markup; scripts put texts into the page as text only.
"""

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from maya.rundir import cannot_write, write_whole

_ASSETS = files("maya.page") / "assets"
# In the order in which they need each other; the last one draws.
_COMMON = ("dom.js", "format.js", "bars.js", "table.js", "plot.js")
_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Page:
    """What is on it: scripts of assets/, and the data that they find."""

    title: str
    scripts: tuple[str, ...]
    data: Mapping[str, Any]


def render(page: Page) -> str:
    """The text of the file."""
    scripts = [_asset(name) for name in (*_COMMON, *page.scripts, "start.js")]
    return (
        _asset("frame.html")
        .replace("{{title}}", escape(page.title))
        .replace("{{style}}", _asset("style.css"))
        .replace("{{data}}", packed(page.data))
        .replace("{{script}}", "\n".join(scripts))
    )


def packed(data: Mapping[str, Any]) -> str:
    """As `unpack` of start.js reads it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), _LEVEL)).decode("ascii")


def unpacked(html: str) -> dict[str, Any]:
    """The data of a page that was rendered."""
    text = html.partition('id="data">')[2].partition("<")[0]
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
    return found


def write_page(page: Page, path: Path) -> Path:
    """Whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    return write_whole(path, render(page), durable=False)


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")
