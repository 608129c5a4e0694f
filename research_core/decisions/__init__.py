"""Decide over a recorded run: fold its events into a view, and apply the gate to the view."""
