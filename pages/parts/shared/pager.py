"""Split a long list into pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

T = TypeVar("T")


def draw_page(found: Sequence[T], size: int, *, key: str) -> Sequence[T]:
    """Draw the page numbers if there are several. Return the current page's items.

    A list that became shorter opens on page 1.
    """
    pages = -(-len(found) // size)
    number = st.pagination(pages, key=key) if pages > 1 else 1
    return found[(number - 1) * size : number * size]
