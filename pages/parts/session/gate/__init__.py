"""Parts of the Gate screen."""
