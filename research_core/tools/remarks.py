"""What a tool says of a page beside its text: what the page hides from its readers, and where its
text speaks to machines.

The same findings a session shows of a source (`open_points`), in one form for every tool that reads
pages. It judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from research_core.model_messages import Json
from research_core.models import HiddenText
from research_core.text.words import strip_invisible, truncate
from research_core.web.hidden_text import HiddenTextRemark, summarize_hidden_text

#: How many of each are given, the characters of one, and those of a text that are looked at.
MAX_SAMPLES, MAX_SAMPLE_CHARACTERS, MAX_TEXT_CHARACTERS = 10, 160, 500_000


def find_remarks(text: str, title: str = "", hidden: HiddenText = HiddenText()) -> Json:
    """{"hiddenTexts": {"total", "unusual", "counts", "samples"}, "speaksToMachines": {"total",
    "samples"}}, each only where there is some.

    counts: how many, by the way they are hidden. A sample: {"where", "words", "order"}; where: the
    way it is hidden, or content or title; order: what it asks of a machine, left out where nothing.
    Of the first 500,000 characters of the text.
    """
    it = summarize_hidden_text(hidden, (("title", title), ("content", text[:MAX_TEXT_CHARACTERS])))
    answer: dict[str, Any] = {}
    if it.total:
        answer["hiddenTexts"] = {
            "total": it.total,
            "unusual": it.unusual,
            "counts": dict(it.counts),
            "samples": _list_samples(it.hidden),
        }
    if it.shown:
        answer["speaksToMachines"] = {"total": len(it.shown), "samples": _list_samples(it.shown)}
    return answer


def _list_samples(all_of: Sequence[HiddenTextRemark]) -> list[Json]:
    return [_sample_as_json(each) for each in all_of[:MAX_SAMPLES]]


def _sample_as_json(remark: HiddenTextRemark) -> Json:
    said = {
        "where": remark.where,
        "words": truncate(" ".join(strip_invisible(remark.words).split()), MAX_SAMPLE_CHARACTERS),
    }
    return said | ({"order": remark.order} if remark.order else {})
