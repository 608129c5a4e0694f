"""Bibliographies: what a work is, in every format and style, and what a reference says. Nothing
here asks the outside.
"""
