"""What a program wrote, in a line for people."""

from rich.markup import escape

from maya.report.quantities import duration, size
from maya.rundir import HeldFiles
from maya.summary.figures import Saving


def held_files_text(held: HeldFiles | None) -> str:
    """Empty where the program left nothing changed, or was let write."""
    if held is None:
        return ""
    parts = []
    if held.files > held.removed_again:
        parts.append(_written(held))
    if held.removed:
        parts.append(f"{held.removed:,} of yours that it removed or renamed")
    if not parts:
        return ""
    where = f"kept in {escape(held.kept)}" if held.kept else "discarded; --keep-files keeps them"
    open_door = "" if held.confined else "; static programs are not held back on this machine"
    return f"{' and '.join(parts)}: held back from your disk ({where}){open_door}"


def _written(held: HeldFiles) -> str:
    files = "1 file" if held.files == 1 else f"{held.files:,} files"
    gone = f", {held.removed_again:,} of them removed again" if held.removed_again else ""
    return f"{files} ({size(held.bytes)}) written by the program{gone}"


def saving_text(saving: Saving | None) -> str:
    """Checkpoints that the program wrote."""
    if saving is None:
        return ""
    many = f"{saving.count:,} saves of" if saving.count > 1 else "one save of"
    return f"{many} {duration(saving.mean_ms)} on this machine: not part of the step"
