"""Parts of the Sources screen."""
