"""Many runs.

Start, resume, list, replay, what-if, compare, recheck, retention and tool calls.
"""
