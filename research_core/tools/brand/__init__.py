"""Find what a company says of its brand.

It says so on its homepage for machines, and on its own brand pages for people.

Nothing is taken from style sheets and nothing is guessed: what no page states is absent.
"""
