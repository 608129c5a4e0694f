"""What a tool says of a page beside its text: what the page hides from its readers, and where its
text speaks to machines.

The same findings a session shows of a source (`open_points`), in one form for every tool that reads
pages. It judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from research_core.model_messages import Json
from research_core.models import Hidden
from research_core.text.words import truncate, visible
from research_core.web.hidden_text import Remark, concealed

#: How many of each are given, the characters of one, and those of a text that are looked at.
SAMPLES, LENGTH, LOOKED_AT = 10, 160, 500_000


def remarks(text: str, title: str = "", hidden: Hidden = Hidden()) -> Json:
    """{"hiddenTexts": {"total", "unusual", "counts", "samples"}, "speaksToMachines": {"total",
    "samples"}}, each only where there is some.

    counts: how many, by the way they are hidden. A sample: {"where", "words", "order"}; where: the
    way it is hidden, or content or title; order: what it asks of a machine, left out where nothing.
    Of the first 500,000 characters of the text.
    """
    it = concealed(hidden, (("title", title), ("content", text[:LOOKED_AT])))
    answer: dict[str, Any] = {}
    if it.total:
        answer["hiddenTexts"] = {
            "total": it.total,
            "unusual": it.unusual,
            "counts": dict(it.counts),
            "samples": _samples(it.hidden),
        }
    if it.shown:
        answer["speaksToMachines"] = {"total": len(it.shown), "samples": _samples(it.shown)}
    return answer


def _samples(all_of: Sequence[Remark]) -> list[Json]:
    return [_sample(each) for each in all_of[:SAMPLES]]


def _sample(remark: Remark) -> Json:
    said = {
        "where": remark.where,
        "words": truncate(" ".join(visible(remark.words).split()), LENGTH),
    }
    return said | ({"order": remark.order} if remark.order else {})
