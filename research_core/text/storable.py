"""Tell text that no database and no wire takes."""

from __future__ import annotations

import re

#: NUL, and halves of surrogate pairs, which Python also uses for bytes that are not UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def describe_unstorable(text: str) -> str:
    """Return what makes a text impossible to store or to send, "" for nothing."""
    unstorable = _UNSTORABLE.search(text)
    if unstorable is None:
        return ""
    character = unstorable[0]
    if character == "\x00":
        return "a NUL character"
    return "bytes that are not UTF-8" if "\udc80" <= character <= "\udcff" else "half a character"
