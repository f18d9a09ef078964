"""Predictions beside published measurements of whole training steps."""
