"""Single operators that others measured: programs of our own, recorded once."""
