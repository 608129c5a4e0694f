"""Citations: formats and styles, checks of cited works, citation marks, and the linter."""
