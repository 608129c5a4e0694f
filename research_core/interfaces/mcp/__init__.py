"""The research tools for other programs, over the Model Context Protocol."""
