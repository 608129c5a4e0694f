"""The session log: events, the log, the doorway for outside calls, budget, cache, store,
encryption, audit, limits.
"""
