"""Parts of the My data screen."""
