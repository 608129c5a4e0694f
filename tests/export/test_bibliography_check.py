"""A bibliography on its way through its check: what is asked of it, what came of each entry, and
what is left to take along.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from research_core.citations.formats.item import Item
from research_core.errors import UsageError
from research_core.export import bibliography_check
from research_core.model_messages import Json
from research_core.sessions.tool_calls import ToolCaller
from tests import client_sessions

TEXT = "Doe, J. (2020). On tides. Seas, 4, 12-19. https://doi.org/10.1000/a\nMiranda v. Arizona, 384 U.S. 436 (1966)\n"


@pytest.fixture
def tool_caller(tmp_path: Path) -> Iterator[ToolCaller]:
    made = client_sessions.make_tool_caller(tmp_path)
    yield made
    made.resources.close()


def test_a_pasted_list_is_asked_about_as_it_was_pasted() -> None:
    asked = bibliography_check.request_from_text(TEXT)
    assert [work.title for work in asked.works] == ["On tides", "Miranda v. Arizona"]
    assert asked.arguments == {"bibliography": TEXT, "format": "text"}


def test_what_cannot_be_read_is_named_by_its_line() -> None:
    asked = bibliography_check.request_from_text(
        "@article{one, title={On tides}}\n\n@article{two, title={Broken\n"
    )
    assert len(asked.works) == 1
    assert asked.refused[0].startswith("Line 3:")


@pytest.mark.parametrize("text", ["", "   "])
def test_a_list_without_a_work_is_refused_with_what_to_give(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        bibliography_check.request_from_text(text)
    assert refused.value.next_step


def test_the_sources_of_a_session_that_a_client_leads_are_asked_about(
    tool_caller: ToolCaller,
) -> None:
    session = client_sessions.research(tool_caller)
    asked = bibliography_check.request_from_session(tool_caller.resources, session)
    assert [entry["url"] for entry in asked.arguments["entries"]] == [
        client_sessions.PAPER,
        client_sessions.PREPRINT,
    ]
    assert asked.arguments["entries"][0]["author"] == "Müller, Ana; Iqbal, Sara"
    assert len(asked.works) == 2
    assert asked.name == client_sessions.GOAL


def test_a_session_without_sources_is_refused(tool_caller: ToolCaller) -> None:
    session = client_sessions.take_step(tool_caller)
    with pytest.raises(UsageError, match="lists no source"):
        bibliography_check.request_from_session(tool_caller.resources, session)


STATES: dict[str, tuple[Json, str]] = {
    "nothing speaks against it": ({"flags": []}, "ok"),
    "it was retracted": (
        {"flags": ["retracted", "dead_link"], "retractionStatus": {"retracted": True}},
        "retracted",
    ),
    "it was corrected": (
        {"flags": [], "retractionStatus": {"retracted": False, "kind": "correction"}},
        "noted",
    ),
    "nobody has it": ({"flags": ["not_found"], "titleMatch": "mismatch"}, "not_found"),
    "its DOI is another's": ({"flags": [], "titleMatch": "mismatch"}, "another"),
    "its link is dead": ({"flags": ["dead_link"]}, "dead_link"),
    "it says nothing of the claim": ({"flags": ["mischaracterized"]}, "mischaracterized"),
    "nobody could say": ({"flags": ["unchecked"]}, "unchecked"),
    "only its link answers": ({"flags": [], "linkLive": True, "doi": ""}, "linked"),
    "it is registered and its link answers": (
        {"flags": [], "linkLive": True, "recordTitle": "On tides"},
        "ok",
    ),
    "the case stands there": ({"flags": [], "titleMatch": "match"}, "ok"),
}


@pytest.mark.parametrize(("entry", "state"), STATES.values(), ids=STATES)
def test_an_entry_stands_as_its_gravest_flag_says(entry: Json, state: str) -> None:
    assert bibliography_check.get_entry_state(entry) == state


def test_the_list_is_taken_along_without_what_something_speaks_against() -> None:
    works = bibliography_check.request_from_text(TEXT).works
    entries = [{"flags": ["retracted"]}, {"flags": ["unchecked"]}]
    assert bibliography_check.format_cleaned(
        works, entries, "apa", bibliography_check.ADVERSE_STATES
    ) == bibliography_check.format_cleaned(works[1:], entries[1:], "apa")
    assert "On tides" in bibliography_check.format_cleaned(works, entries, "apa")
    assert "Miranda" in bibliography_check.format_cleaned(
        works, entries[:1], "bibtex", bibliography_check.ADVERSE_STATES
    )  # what was not checked stays


def test_a_line_of_the_table_is_text_whatever_it_says() -> None:
    entry = {
        "index": 0,
        "title": "=cmd()",
        "doi": "10.1000/a",
        "url": "",
        "flags": ["unchecked"],
        "reason": "It\nis so",
    }
    (head, line) = csv.reader(io.StringIO(bibliography_check.format_csv([entry])))
    told = dict(zip(head, line, strict=True))
    assert (told["index"], told["state"], told["title"], told["reason"]) == (
        "1",
        "unchecked",
        "'=cmd()",
        "It is so",
    )


@pytest.mark.parametrize(
    "line",
    [
        "Doe, J. (2020). On tides. Seas, 4, 12-19. https://doi.org/10.1000/a",
        "Roe v. Wade, 410 U.S. 113 (1973)",
        "Smith, J. & Doe, A. (2001). The book. Oxford: OUP.",
        "Müller, K. (2011). Über Gezeiten. Meere, 3, 1-9.",
        "Doe, J. (2021). A page. https://tides.example.org/a",
    ],
)
def test_the_rest_of_a_list_is_what_was_not_checked_in_its_order(line: str) -> None:
    asked = bibliography_check.request_from_text(f"{TEXT}\n{line}\n{line}")
    rest = bibliography_check.request_rest(asked, len(asked.works) - 2)
    assert rest.works == asked.works
    again = bibliography_check.request_from_text(rest.arguments["bibliography"]).works
    told = [(work.type, work.title, work.doi, work.address) for work in again]
    last = asked.works[-1]
    assert told == [(last.type, last.title, last.doi, last.address)] * 2


def answer_of(states: Sequence[bool], source: str, **more: Any) -> dict[str, Any]:
    """An answer of the tool. states: of each entry, whether it is retracted."""
    return {
        "source": source,
        "entryCount": len(states),
        "summary": {"total": len(states), "retracted": sum(states), "ok": states.count(False)},
        "entries": [{"index": index} for index in range(len(states))],
        "checkedAt": f"of {source}",
        **more,
    }


LEFT = {"skipped": 3, "skippedNote": "The first 2 of 5 were checked.", "continueFrom": 2}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([True, False], [False], answer_of([True, False, False], "a")),
        ([False], [True, True], answer_of([False, True, True], "a")),
        ([True], [], answer_of([True], "a")),
        ([], [True], answer_of([True], "a")),
        ([True] * 3, [True] * 2, answer_of([True] * 5, "a")),
    ],
)
def test_two_answers_are_joined_with_their_entries_and_counts(
    first: list[bool], second: list[bool], expected: dict[str, Any]
) -> None:
    parts = answer_of(first, "a", **LEFT), answer_of(second, "b")
    joined = bibliography_check.join_answers(*parts)
    assert joined == {**expected, "checkedAt": "of b"}


def test_two_joined_answers_say_where_to_go_on_and_keep_their_notes() -> None:
    parts = answer_of([True] * 2, "a", notes=["x", "y"]), answer_of([True] * 2, "b", notes=["y"])
    parts[1].update(LEFT)
    joined = bibliography_check.join_answers(*parts)
    assert (joined["skipped"], joined["continueFrom"]) == (3, 4)
    assert joined["notes"] == ["x", "y"]
    assert "skippedNote" not in joined


def test_the_rest_of_the_entries_of_a_session_are_its_last_ones() -> None:
    works = (Item(title="A"), Item(title="B"), Item(title="C"))
    asked = bibliography_check.BibliographyRequest(
        "it", works, {"entries": [{"title": work.title} for work in works]}
    )
    rest = bibliography_check.request_rest(asked, 1)
    assert rest.arguments == {"entries": [{"title": "B"}, {"title": "C"}]}
    assert bibliography_check.request_rest(rest, 2).arguments == {"entries": [{"title": "C"}]}
