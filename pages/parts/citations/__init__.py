"""Parts of the Citations screen."""
