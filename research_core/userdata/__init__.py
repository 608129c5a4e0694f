"""Keep what a user agreed to: consents, notes, workspaces, overrides and counts of calls."""
