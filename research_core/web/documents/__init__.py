"""Read documents of every kind as pages, the hostile ones in child processes."""
