"""A page crosses from a child as JSON, whole; what is no page is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_core.errors import FetchError
from research_core.models import HiddenText, Metadata, Page
from research_core.web.documents.wire import pack_page, unpack_page

PAGE = Page(
    "https://example.org/a", "https://example.org/b", "Title", "Text\n\nmore", "docx", "2024-03-05",
    metadata=Metadata(("Jane Doe", "John Roe"), "Site", "2025-01-02", "en", "10.1/x", "", "", "Pages 1 to 2 of 3 were read."),
    hidden=HiddenText({"hidden": 2}, (("hidden", "words"),)), structured={"jsonLd": [1]}, signals={"a": 1},
)  # fmt: skip


def test_a_page_comes_back_as_it_went() -> None:
    assert unpack_page(json.loads(json.dumps(pack_page(PAGE)))) == PAGE


def said(**changes: Any) -> dict[str, Any]:
    return pack_page(PAGE) | changes


@pytest.mark.parametrize(
    "answer",
    [
        {},
        said(text=None),
        said(title=["a"]),
        said(metadata=[]),
        said(metadata={}),
        said(metadata=pack_page(PAGE)["metadata"] | {"authors": 7}),
        said(metadata=pack_page(PAGE)["metadata"] | {"authors": [7]}),
        said(hidden=None),
        said(hidden={"counts": {"a": "many"}, "samples": []}),
        said(hidden={"counts": {}, "samples": [["a"]]}),
        said(signals=7),
        {"text": "no page"},
    ],
)
def test_what_is_no_page_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(FetchError) as raised:
        unpack_page(answer)
    assert raised.value.kind == "unsupported"


@pytest.mark.parametrize(
    ("claimed", "day"),
    [
        ("2023-02-31", "2023-02"),
        ("2024-13-01", "2024"),
        ("lately", ""),
        ("1999-12-31T23:59", "1999-12-31"),
    ],
)
def test_a_day_that_no_calendar_has_does_not_come_back(claimed: str, day: str) -> None:
    page = unpack_page(
        said(published=claimed, metadata=pack_page(PAGE)["metadata"] | {"modified": claimed})
    )
    assert (page.published, page.metadata.modified) == (day, day)
