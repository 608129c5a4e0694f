"""Many runs: runner, workers, history, live view, replay, what-if, comparison, retention, tool
calls.
"""
