"""What is known of a page beside its text: what it says of itself, what kind of source it is, and
how it is cited.
"""
