"""Tell a parser that ran out of memory from a document that is malformed.

lxml reports both as a syntax error, so that a page too large for its reader would pass for an
empty one.
"""

from __future__ import annotations

from lxml import etree


def raise_if_out_of_memory(error: Exception) -> None:
    """Raise MemoryError if lxml failed for want of memory; return for any other error."""
    log = getattr(error, "error_log", None) or ()
    if any(entry.type == etree.ErrorTypes.ERR_NO_MEMORY for entry in log):
        raise MemoryError(str(error)) from error
