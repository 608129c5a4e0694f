"""Parts of the screens of one session."""
