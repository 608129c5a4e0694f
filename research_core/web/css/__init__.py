"""Style sheets: parsing, matching, and whether a style hides text."""
