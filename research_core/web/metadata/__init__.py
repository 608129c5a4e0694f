"""Find what is known of a page beside its text: its own metadata and its kind of source."""
