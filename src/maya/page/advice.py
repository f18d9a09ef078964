"""What to do about a note: every one on the page has its remedy beside it."""

# Part of the note -> what a person can do. The first that fits.
_REMEDIES = (
    (
        "the recorded steps do not repeat",
        "Record more steps (--steps).",
    ),
    ("recorded on", "Record on the GPU that you ask about: maya run --cluster."),
    ("which experts its tokens go to", "Give the tokens per expert of a real run: --routing FILE."),
    ("decided how to go on", "Look at that line: does the script go the way it would go?"),
    ("that kernels would have computed", "Nothing, where the script only prints them."),
    ("that depend on a norm", "Nothing, unless the script skips steps by that value."),
    ("could not be computed here", "Compare with the share of tokens that you really mask."),
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
