"""Bibliographies: read and write cited works in every format and style.

Readers (`read_…`, `plain`) make an `Item` of each work; styles and writers (`apa`, `write_bibtex`)
print it. Names follow CSL: a container is what a work stands in, such as a journal, book or site.
"""
