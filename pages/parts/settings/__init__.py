"""Parts of the Settings screen."""
