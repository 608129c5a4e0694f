"""Replies of a hostile model, through what a run makes of them: no false citation, nothing broken,
every removal counted.
"""

from __future__ import annotations

import re

import pytest

from benchmarks.hostile import (
    BASE_REPORT,
    SOURCES,
    find_losses,
    find_violations,
    make_report,
    measure_hostile_replies,
)
from research_core.citations.marks import strip_source_list
from research_core.pipeline import draft, report


def test_no_hostile_reply_gets_a_false_citation_into_a_report() -> None:
    """`python benchmarks/linter.py` does it with 10,000."""
    figures = measure_hostile_replies(400, seed=7)
    assert figures["first"] == {}
    assert figures["removed"] > 2_000
    assert (figures["replies"], figures["wrong"]) == (400, 0)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Seals [9] dive.", "dangling citation"),
        ("Seals `x [1]` dive.", "citation in code"),
        ("Seals p1a2b3c4d dive.", "passage id drawn"),
        ("Seals [3†source] dive.", "another program's mark"),
        ("```python\nSeals dive.", "sources swallowed"),
        ("```\nSeals dive.\n```", "block of code or HTML"),
        ("![x](https://example.org/x.png)", "picture or tag"),
        ("[x](mailto:x@example.org)", "link that leaves the web"),
    ],
)
def test_the_check_sees_what_is_wrong(text: str, wrong: str) -> None:
    whole = report.to_markdown(BASE_REPORT)
    assert find_violations(whole) == []
    assert wrong in find_violations(whole.replace("## Sources", f"{text}\n\n## Sources"))


def test_the_check_sees_a_removal_that_was_not_counted() -> None:
    markdown, removed = make_report("Seals dive [7].")
    assert (find_losses(markdown, removed, []), removed) == (["removals miscounted"], 1)


@pytest.mark.parametrize(
    ("text", "left", "entries"),
    [
        (
            "Seals dive.\n\n## References\n\n1. Smith (2020). Seals.\n2. https://example.org\n\n## After\n\nMore.",
            "Seals dive.\n\n\n\n## After\n\nMore.",
            2,
        ),
        ("Seals dive.\n\n## Sources\n\n- Old paint is one.\n- Dust is another.", "", 0),
        ("Seals dive.\n\n## References\n\n- Smith (2020). Seals. [p1a2b3c4d]", "", 0),
        ("Seals dive [1], [2].", "", 0),
    ],
)
def test_a_list_of_sources_that_the_writer_made_up_goes(text: str, left: str, entries: int) -> None:
    assert strip_source_list(text) == (left or text, entries)


@pytest.mark.parametrize(
    ("reply", "drawn"),
    [
        ("```python\nx = 1\n```\nSeals dive [p1a2b3c4d].", "x = 1\n\nSeals dive. [1]"),
        ("[p1a2b3c4d]~~~sh", "sh [1]"),
        ("> ~~~ two words\n> more", "> two words more"),
        ("Use `a. B` now [p1a2b3c4d]. More.", "Use `a. B` now. [1] More."),
        (
            "Use [a. B](https://example.org/) now [p1a2b3c4d].",
            "Use [a. B](https://example.org/) now. [1]",
        ),
        ("[p1a2b3c4d] # Seals", "# Seals [1]"),
        ("-[p1a2b3c4d] ```python", "\\- ```python [1]"),
        ("7[p1a2b3c4d]. Seals dive", "7. [1] Seals dive"),
        ("#[p1a2b3c4d] Seals", "\\# Seals [1]"),
        (r"A \``b. C` d [p1a2b3c4d].", r"A \``b. C` d. [1]"),
    ],
)
def test_code_and_links_stay_whole(reply: str, drawn: str) -> None:
    text = draft.render(draft.parse(reply), {SOURCES[0].passages[0].id: 1})
    assert re.sub(r"\n+\Z", "", text) == drawn
