"""Record a session: its event log, budget, cache and limits, and encryption of stored data."""
