"""Imported by nanotron; only its inference calls it."""
