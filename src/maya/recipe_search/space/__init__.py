"""What may be tried: the search file, its knobs, and how a recipe becomes a command."""
