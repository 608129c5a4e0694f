"""Parts of the Live and Replay screens."""
