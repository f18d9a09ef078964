"""Runs inside the user's Python: answers for ranks that are no process. Imports nothing of maya."""
