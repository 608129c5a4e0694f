"""Which texts no database and no wire takes."""

from __future__ import annotations

import pytest

from research_core.text.storable import describe_unstorable


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", ""), ("Gezeiten\tund\nRobben", ""), ("海豹 🦭", ""), ("\u202e\ufffe\x01", ""),
        ("a\x00b", "a NUL character"), ("\x00", "a NUL character"),
        ("\ud800", "half a character"), ("тюлень\udfff", "half a character"),
        ("caf\udce9", "bytes that are not UTF-8"), ("\udc80\x00", "bytes that are not UTF-8"),
    ],
)  # fmt: skip
def test_what_no_text_may_hold_is_named(text: str, what: str) -> None:
    assert describe_unstorable(text) == what
