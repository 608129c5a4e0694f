"""Read a page in the ways that are tried in order: direct, browser, archive, Exa."""
