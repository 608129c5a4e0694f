"""Check a report that another program wrote: the form, and what the check found."""
