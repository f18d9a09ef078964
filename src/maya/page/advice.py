"""What to do about a note: every one on the page has its remedy beside it."""

# Part of the note -> what a person can do. The first that fits.
_REMEDIES = (
    ("no steady steps were found", "Record more steps (--steps), or let the script do one thing."),
    ("recorded on", "Record on the GPU that you ask about: maya run --cluster."),
    ("routing decisions", "Give the tokens per expert of a real run: --routing FILE."),
    ("chose its path by values", "Look at that line: does the script go the way it would go?"),
    ("other value(s) that kernels", "Nothing, where the value is only printed."),
    ("norms that no kernel computed", "Nothing, unless the script skips steps by that value."),
    ("mask(s) that no kernel computed", "Compare with the share of tokens that you really mask."),
    ("whose loops end where data says", "Say how full the mask is: --mask-density."),
    ("were not understood", "Measure that kernel and give its time: --measurements FILE."),
    ("were cut short", "Run again with more disk space or more time (--max-seconds)."),
    ("the machine was crowded", "Run again on a machine with less to do."),
    ("other process(es) of the program", "Nothing, where they only load or prepare data."),
)
OTHERWISE = "Read it before you rely on the figures."


def remedy(note: str) -> str:
    """For people."""
    return next((text for part, text in _REMEDIES if part in note), OTHERWISE)


def known_parts() -> tuple[str, ...]:
    """The parts of notes that have a remedy of their own."""
    return tuple(part for part, _ in _REMEDIES)
