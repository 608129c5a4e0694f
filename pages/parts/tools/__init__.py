"""Parts of the Tools screen."""
