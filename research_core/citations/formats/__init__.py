"""Bibliographies: the cited work in every format and style, and parsers of references."""
