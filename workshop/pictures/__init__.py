"""Pictures of real answers for the documentation.

    python -m workshop.pictures

records the examples (some minutes), draws their pages with Chromium and what `maya run` prints with
rich, and writes docs/*.png and docs/terminal.svg. It needs Chromium and npm.
"""
