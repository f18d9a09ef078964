"""Hostile input for everything that reads files: coverage-guided runs, and a corpus for CI."""
