"""Parts of the How far screen."""
