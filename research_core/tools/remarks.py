"""Report what a page hides from its readers, and where its text addresses machines.

The findings are those that a session shows for a source (`web.hidden_text`). Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from research_core.model_messages import Json
from research_core.models import HiddenText
from research_core.text.words import strip_invisible, truncate
from research_core.web.hidden_text import HiddenTextRemark, summarize_hidden_text

#: Samples of each kind; characters of a sample; characters of a text that are looked at.
MAX_SAMPLES, MAX_SAMPLE_CHARACTERS, MAX_TEXT_CHARACTERS = 10, 160, 500_000


def find_remarks(text: str, title: str = "", hidden: HiddenText = HiddenText()) -> Json:
    """Return "hiddenTexts" and "speaksToMachines" of a page, each only if there is any.

    Both hold total and samples; the former also unusual and counts (by the way they are hidden). A
    sample is {"where", "words", "order"}; where: the way it is hidden, or content or title; order:
    what it asks of a machine, if anything. Only the first 500,000 characters are looked at.
    """
    texts = (("title", title), ("content", text[:MAX_TEXT_CHARACTERS]))
    found = summarize_hidden_text(hidden, texts)
    answer: dict[str, Any] = {}
    if found.total:
        answer["hiddenTexts"] = {
            "total": found.total,
            "unusual": found.unusual,
            "counts": dict(found.counts),
            "samples": _list_samples(found.hidden),
        }
    if found.shown:
        answer["speaksToMachines"] = {
            "total": len(found.shown),
            "samples": _list_samples(found.shown),
        }
    return answer


def _list_samples(remarks: Sequence[HiddenTextRemark]) -> list[Json]:
    return [_sample_as_json(remark) for remark in remarks[:MAX_SAMPLES]]


def _sample_as_json(remark: HiddenTextRemark) -> Json:
    words = " ".join(strip_invisible(remark.words).split())
    sample = {"where": remark.where, "words": truncate(words, MAX_SAMPLE_CHARACTERS)}
    if remark.order:
        sample["order"] = remark.order
    return sample
