"""Parts of the Compare screen."""
