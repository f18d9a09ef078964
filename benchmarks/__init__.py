"""What the project claims about its own speed, as commands that print it."""
