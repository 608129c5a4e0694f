"""Parts of the Activity and Replay screens."""
