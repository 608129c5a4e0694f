"""Texts of tools are cut to bytes, at the best place, and never within a character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.tools.wire_values import TRUNCATION_MARKER, count_bytes, estimate_size, fit_text

PARAGRAPHS = "First paragraph here.\n\n" + "word " * 30 + "\n\nLast one. And more"


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("short", 100, "short"),
        ("a" * 60 + "\n\n" + "b" * 200, 130, "a" * 60),
        (
            "One sentence is here and it is long. " * 10,
            150,
            ("One sentence is here and it is long. " * 3).rstrip(),
        ),
        ("word " * 100, 120, ("word " * 19).rstrip()),
        ("x" * 500, 121, "x" * 100),
        ("é" * 300, 121, "é" * 50),
    ],
)
def test_a_text_is_cut_at_the_best_place_beyond_half(text: str, limit: int, kept: str) -> None:
    found = fit_text(text, limit)
    assert found.text == kept + TRUNCATION_MARKER * found.truncated
    assert found.truncated == (kept != text)


@pytest.mark.parametrize(
    ("size", "category"),
    [
        (0, "small"),
        (4999, "small"),
        (5000, "medium"),
        (19999, "medium"),
        (20000, "large"),
        (49999, "large"),
        (50000, "very_large"),
    ],
)
def test_sizes_and_tokens(size: int, category: str) -> None:
    assert estimate_size("x" * size) == {"estimatedTokens": size // 4, "sizeCategory": category}
    assert estimate_size("é" * 2500)["sizeCategory"] == "medium"


@given(st.text(max_size=300), st.integers(0, 400))
def test_no_text_is_longer_than_allowed_and_none_is_broken(text: str, limit: int) -> None:
    found = fit_text(text, limit)
    assert count_bytes(found.text) <= limit
    assert found.truncated == (count_bytes(text) > limit)
    assert (
        text.encode("utf-8", "replace")
        .decode()
        .startswith(found.text.removesuffix(TRUNCATION_MARKER))
    )
