"""Where a page goes: to its file, and into a browser where that is wanted."""

import webbrowser
from pathlib import Path

from maya.cli.render import stderr
from maya.page import Page, write_page


def deliver(page: Page, path: Path, open_page: bool) -> None:
    """Write it and say where it is."""
    written = write_page(page, path)
    stderr.print(f"wrote {written} ({written.stat().st_size / 1e6:.1f} MB)", soft_wrap=True)
    if open_page and not webbrowser.open(written.resolve().as_uri()):
        stderr.print("no browser was found here: copy the file to where there is one")
