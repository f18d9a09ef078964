"""What to try next: the history of trials, proposals, pruning and doubt."""
