"""What to do about a note: every one on the page has its remedy beside it."""

# Part of the note -> what a person can do. The first that fits.
_REMEDIES = (
    (
        "the recorded steps do not repeat",
        "Record more steps (--steps).",
    ),
    ("recorded on", "Record on the GPU that you ask about: maya run --cluster."),
    ("which experts its tokens go to", "Give the tokens per expert of a real run: --routing FILE."),
    ("decided how to go on", "Look at that line: on a GPU, would the script go the same way?"),
    ("that kernels would have computed", "Ignore this if the script only prints them."),
    ("that depend on a norm", "Ignore this unless the script skips steps because of that value."),
    ("could not be computed here", "Compare with the share of tokens that you really mask."),
    ("whose loops end where data says", "Say how full the mask is: --mask-density."),
    ("were not understood", "Measure that kernel and pass its time: --measurements FILE."),
    ("were cut short", "Run again with more disk space or more time (--max-seconds)."),
    ("the machine was crowded", "Run again when less is running on this machine."),
    ("other process(es) of the program", "Ignore this if they only load or prepare data."),
)
OTHERWISE = "Read it before you rely on the figures."


def remedy(note: str) -> str:
    """For people."""
    return next((text for part, text in _REMEDIES if part in note), OTHERWISE)


def known_parts() -> tuple[str, ...]:
    """The parts of notes that have a remedy of their own."""
    return tuple(part for part, _ in _REMEDIES)
