"""Checks of recommendations: what a text says of a name, and whether its author profits."""
