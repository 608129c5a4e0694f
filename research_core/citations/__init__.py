"""What is cited: formats and styles, checks of existence and retraction, citation marks, the
linter.
"""
