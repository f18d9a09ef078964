"""What was found: the answer, its front, the reasons, and its page."""
