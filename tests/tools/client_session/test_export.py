"""A led session as Markdown and JSON, byte for byte, and what texts of others cannot do in it.

The files in `tests/golden` are what an export is promised to be; ASSAY_UPDATE_GOLDEN=1 writes them
anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.citations.checks.links import Link
from research_core.text.words import strip_invisible
from research_core.tools.client_session.export import (
    Export,
    export_json,
    export_markdown,
    list_addresses,
)
from research_core.tools.client_session.view import (
    ClientResearch,
    ClientSource,
    ProviderOutcome,
    Step,
)
from research_core.web.fetch import archive
from tests.client_sessions import GOAL, PAPER, PREPRINT
from tests.hostile import ours
from tests.markdown_read import headings, numbered, parsed

GOLDEN = Path(__file__).parents[2] / "golden"
UPDATE = os.environ.get("ASSAY_UPDATE_GOLDEN") == "1"
COPY = "20240501000000"

# ---------------------------------------------------------------- what is promised byte for byte

COMPLETE = ClientResearch(
    GOAL,
    1_795_354_200.0,
    (
        Step(1, "Look for what is known.", 1_795_354_260.0, True, "Papers come first.", "medium", ("blogs", "a survey"), estimate=4),
        Step(2, "Read two of them.\n\nThe first is a log of dives.", 1_795_354_320.0, True, gap="what they eat by day", branch="dives",
             branch_from=1),
        Step(3, "# The second _was_ [retracted](https://evil.example.org).", 1_795_354_380.0, True, revision=True, revises=2),
        Step(4, "Sum up.", 1_795_354_440.0, False, confidence="high", summary="They eat plankton at night.\n* By day: unknown."),
    ),
    (
        ClientSource(PAPER, "Reefs at night", 1, ("Müller, Ana", "Iqbal, Sara"), "Reef Notes", "2020-03-01", "10.1000/reef.7"),
        ClientSource(PREPRINT, "Attention [v1]", 2),
        ClientSource("https://short.example.net/x", "", None, redirected_to="https://reefs.example.com/a_(b)"),
        ClientSource("https://gone.example.org/", "Gone <b>reefs</b>", 2),
        ClientSource("document:notes.txt", "My notes", None),
    ),
    (
        *(ProviderOutcome("", "auth_required", f"https://journals.example.org/{n}", 1_795_354_300.0) for n in range(3)),
        ProviderOutcome("searxng", "", "", 1_795_354_270.0),
    ),
)  # fmt: skip
LINKS = {
    PAPER: Link(PAPER, "live", 200),
    PREPRINT: Link(PREPRINT, "refused", 403, "The server answered 403."),
    "https://reefs.example.com/a_(b)": Link(
        "https://reefs.example.com/a_(b)", "unchecked", 0, "It took too long."
    ),
    "https://gone.example.org/": Link(
        "https://gone.example.org/",
        "dead",
        404,
        "The server answered 404.",
        f"{archive.ARCHIVE_ROOT}/{COPY}/https://gone.example.org/",
    ),
}


def of(
    steps: Sequence[Step] = (), sources: Sequence[ClientSource] = (), goal: str = GOAL
) -> ClientResearch:
    return ClientResearch(goal, 0.0, tuple(steps), tuple(sources), ())


def export(found: ClientResearch, links: dict[str, Link] | None = None) -> Export:
    return Export("5a1c", "acme", found, "2026-11-23T09:00:00Z", links)


@pytest.mark.parametrize("links", [None, LINKS], ids=["plain", "verified"])
def test_the_exports_are_the_golden_ones(links: dict[str, Link] | None) -> None:
    made = export(COMPLETE, links)
    texts = {
        "md": export_markdown(made),
        "json": json.dumps(export_json(made), indent=2, ensure_ascii=False) + "\n",
    }
    for ending, text in texts.items():
        path = GOLDEN / f"led-{'verified' if links else 'plain'}.{ending}"
        if UPDATE:
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, (
            "Run this test with ASSAY_UPDATE_GOLDEN=1 where it changed on purpose."
        )


# ---------------------------------------------------------------- texts of others

TEXT = st.one_of(
    st.text(max_size=40),
    st.sampled_from(ours("https://beacon.example.org")),
    st.text("#=-*_`~>|[]()!<\\&1. \n\t:", max_size=20),
)
STEPS = st.lists(
    st.builds(
        Step,
        number=st.integers(1, 300),
        text=TEXT,
        at=st.just(0.0),
        next=st.booleans(),
        reasoning=TEXT,
        rejected=st.lists(TEXT, max_size=2).map(tuple),
        summary=TEXT,
        gap=TEXT,
        branch=TEXT,
        branch_from=st.none() | st.integers(1, 300),
        revises=st.none() | st.integers(1, 300),
    ),
    min_size=1,
    max_size=3,
)
ADDRESS = st.one_of(
    st.sampled_from((PAPER, PREPRINT, "document:x", "javascript:alert(1)", "")),
    TEXT.map(lambda text: f"https://a.example.org/{text}"),
)
SOURCES = st.lists(
    st.builds(ClientSource, url=ADDRESS, title=TEXT, step=st.none() | st.integers(1, 9),
              authors=st.lists(TEXT, max_size=2).map(tuple), site=TEXT, published=TEXT, doi=TEXT, redirected_to=st.just("") | ADDRESS),
    max_size=4,
)  # fmt: skip


def _shown(text: str) -> str:
    """What is to be seen of a text in one line."""
    return " ".join(strip_invisible(text).split())


@example([Step(1, "Look.", 0.0, True)], [], "#", None)
@example([Step(1, "Look.", 0.0, True)], [], "What is C \\\\ ##", None)
@example([Step(1, "Look.", 0.0, True)], [], "What is C #", None)
@given(STEPS, SOURCES, TEXT, st.sampled_from(("live", "refused", "dead", "unchecked", None)))
def test_no_text_is_a_heading_an_item_a_tag_or_an_image(
    steps: list[Step], sources: list[ClientSource], goal: str, state: Any
) -> None:
    found = of(steps, sources, goal.strip() or GOAL)
    links = (
        None
        if state is None
        else {url: Link(url, state, 0, goal, goal) for url in list_addresses(found)}
    )
    text = export_markdown(export(found, links))
    tokens = parsed(text)
    said = [(tag, words if tag != "h3" else words.split(" (")[0]) for tag, words in headings(text)]
    summary = [("h2", "Summary")] if found.summary else []
    steps_ = [("h3", f"Step {each.number}") for each in steps]
    assert said[1:] == [
        *summary,
        ("h2", "Steps"),
        *steps_,
        ("h2", "Open questions"),
        ("h2", "Sources"),
    ]
    assert said[0] == ("h1", _shown(found.goal))
    assert len(numbered(text)) == len(sources)
    assert not {each.type for each in tokens} & {
        "html_block",
        "fence",
        "code_block",
        "blockquote_open",
        "table_open",
    }
    inside = [child for each in tokens for child in each.children or ()]
    assert not {child.type for child in inside} & {
        "image",
        "html_inline",
        "code_inline",
        "em_open",
        "strong_open",
        "s_open",
    }
    leads = [str(child.attrs["href"]) for child in inside if child.type == "link_open"]
    assert all(href.startswith(("http://", "https://")) for href in leads)
    assert sum(each.type == "hr" for each in tokens) == 1


@given(STEPS, SOURCES)
def test_the_json_holds_every_step_and_source_and_nothing_that_cannot_be_seen(
    steps: list[Step], sources: list[ClientSource]
) -> None:
    document = export_json(export(of(steps, sources)))
    assert [each["stepNumber"] for each in document["steps"]] == [each.number for each in steps]
    assert len(document["sources"]) == len(sources)
    text = json.dumps(document, ensure_ascii=False)
    assert text.encode()
    assert not set(text) & set("\u200b\u202e\ufeff\U000e0041\x07")
