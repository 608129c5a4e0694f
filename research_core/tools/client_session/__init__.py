"""Research sessions that a client of the tools leads step by step."""
