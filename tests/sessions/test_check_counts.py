"""How many cited sentences of stored reports are supported, as the list of sessions says it."""

from __future__ import annotations

from typing import Any

import pytest

from research_core.sessions.check_counts import CheckCounts, count_checks


def block(kind: str, *states: str) -> dict[str, Any]:
    sentences = [{"text": "x", "citations": [], "state": state, "note": ""} for state in states]
    return {"kind": kind, "level": 0, "sentences": sentences}


@pytest.mark.parametrize(
    ("data", "counts"),
    [
        ({"blocks": []}, CheckCounts(0, 0)),
        ({"blocks": [block("paragraph", "uncited", "uncited")]}, CheckCounts(0, 0)),
        (
            {"blocks": [block("heading", "supported"), block("bullet", "supported", "uncited")]},
            CheckCounts(1, 1, 0, True),
        ),
        (
            {"blocks": [block("table", "partly", "not found"), block("quote", "could not check")]},
            CheckCounts(3, 0),
        ),
        (
            {"blocks": [block("paragraph", "supported", "not found")], "contradicted": 1},
            CheckCounts(2, 1, 1),
        ),
        (
            {"blocks": [block("bullet", "supported")], "contradicted": 0, "clean": False},
            CheckCounts(1, 1),
        ),
    ],
)
def test_cited_sentences_are_counted_wherever_they_stand(
    data: dict[str, Any], counts: CheckCounts
) -> None:
    assert count_checks(data) == counts
