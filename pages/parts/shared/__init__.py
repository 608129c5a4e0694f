"""Parts that several screens draw."""
