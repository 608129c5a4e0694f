"""One run, in its order: plan, gather, judge, write, verify, report."""
