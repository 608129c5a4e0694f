"""What the log says under a policy: the folded view, the gate, and its rationale."""
