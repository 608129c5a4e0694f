"""Parts of the Sessions screen."""
