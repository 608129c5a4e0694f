"""What a page says of where its text comes from, held to pages made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Metadata, Page
from research_core.trust.attribution import (
    MAX_NAME_LENGTH,
    MAX_NAMED,
    PRESS_RELEASE,
    Attribution,
    find_attribution,
)

BODY = "The harbour at Low Hope was closed for two days after a storm tore its outer wall. " * 4


def left(text: str, *authors: str) -> Attribution:
    return Attribution.from_json(
        find_attribution(
            Page(
                "https://a.example/",
                "https://a.example/",
                "",
                text,
                metadata=Metadata(authors=authors),
            )
        )
    )


@pytest.mark.parametrize(
    ("text", "authors", "agency"),
    [
        (f"LOW HOPE, May 3 (Reuters) - {BODY}", (), "Reuters"),
        (f"LOW HOPE (AP) — {BODY}", (), "AP"),
        (f"Low Hope (dpa) – {BODY}", (), "dpa"),
        (f"LOW HOPE, May 3, 2024 /PRNewswire/ -- {BODY}", (), PRESS_RELEASE),
        (f"LOW HOPE--(BUSINESS WIRE)--{BODY}", (), PRESS_RELEASE),
        (f"Press release\n\n{BODY}", (), PRESS_RELEASE),
        (BODY, ("Reuters",), "Reuters"),
        (BODY, ("The Associated Press",), "AP"),
        (BODY, ("Agence France-Presse",), "AFP"),
        (f"{BODY}\n\n© 2024 The Associated Press. All rights reserved.", (), "AP"),
        (f"{BODY}\n\n(Reporting by Ann Lee in Low Hope; Editing by Bo Ray)", (), "Reuters"),
        (f"By Reuters\n\n{BODY}", (), "Reuters"),
        # mentions that are no credits
        (f"Reuters reported that the harbour was closed. {BODY}", (), ""),
        (f"The agency (Reuters) was asked. {BODY}", (), ""),
        (f"An ap on the phone (ap) - tells the tide. {BODY}", (), ""),
        (BODY, ("Ann Reuters",), ""),
        (f"The press release was late. {BODY}", (), ""),
        (BODY, (), ""),
    ],
)
def test_whose_story_a_page_is_credited_to(
    text: str, authors: tuple[str, ...], agency: str
) -> None:
    assert left(text, *authors).agency == agency


@pytest.mark.parametrize(
    ("text", "named", "times"),
    [
        ("According to the Harbour Gazette, the wall fell.", ("Harbour Gazette",), 1),
        ("The wall fell, according to a report by the Harbour Gazette.", ("Harbour Gazette",), 1),
        ("This article was originally published on gazette.example.", ("gazette.example",), 1),
        ("Republished with permission from The Harbour Gazette.", ("The Harbour Gazette",), 1),
        ("Source: Harbour Gazette", ("Harbour Gazette",), 1),
        ("According to Ann Lee it fell. According to Ann Lee it will fall again.", ("Ann Lee",), 2),
        (
            "As reported by Tide Notes. According to Reef Notes, no.",
            ("Tide Notes", "Reef Notes"),
            2,
        ),
        ("According to plan, the wall fell.", (), 0),
        ("The source: a spring in the hills.", (), 0),
        ("They rode in on time.", (), 0),
    ],
)
def test_whom_a_page_names_as_its_source(text: str, named: tuple[str, ...], times: int) -> None:
    found = left(text)
    assert (found.named, found.times) == (named, times)


def test_a_page_that_names_nobody_leaves_no_trace() -> None:
    assert find_attribution(Page("https://a.example/", "https://a.example/", "", BODY)) == {}


@given(
    st.lists(
        st.sampled_from(
            [
                "according to ",
                "A.B",
                "Source: ",
                "\n",
                " ",
                "x.y.",
                "(Reuters)",
                " - ",
                "Word",
                "©",
                "  \n",
            ]
        ),
        max_size=60,
    )
)
def test_any_text_leaves_bounded_traces(parts: list[str]) -> None:
    found = left("".join(parts))
    assert len(found.named) <= MAX_NAMED
    assert all(2 < len(name) <= MAX_NAME_LENGTH for name in found.named)
    assert found.times >= len(found.named)
