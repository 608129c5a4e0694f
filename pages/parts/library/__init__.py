"""Parts of the Library screen."""
