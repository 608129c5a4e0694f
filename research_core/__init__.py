"""Assay's core: a question becomes a report whose every sentence can be checked. It never imports
the screens.
"""

__version__ = "0.1.0"
