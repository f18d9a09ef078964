"""Constants that only whole training steps can tell."""
