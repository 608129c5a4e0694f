"""Parts of the Ask screen."""
