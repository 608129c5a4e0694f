"""Decide what a page's own style sheets hide.

`rules` parses the sheets, `selectors` matches elements, `cascade` gives each element its style, and
`styles` judges that; `backgrounds` compares the colours of text with what lies behind it.
"""
