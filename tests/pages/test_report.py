"""The Report screen, without a browser."""

from __future__ import annotations

import re

import pytest

from research_core import reading, report
from tests.desks import ANSWERED, Desk, links, shown, words


def test_without_a_session_it_says_what_it_is_for(desk: Desk) -> None:
    assert "Here stands the answer" in words(shown("report.py"))


def test_text_citations_passage_sources_and_methodology(desk: Desk) -> None:
    built = report.build(reading.read(desk.office, desk.answered).run)
    citations = reading.citations(built)
    at = shown("report.py", session=desk.answered)
    said = words(at)
    assert [title.value for title in at.title] == [ANSWERED]
    assert re.findall(r'href="#cite-(\d+)"', said) == [str(number) for number in range(1, len(citations) + 1)]
    assert f"Citation 1 of {len(citations)}" in said
    assert '<section class="evidence"' in said
    assert "<mark>" in said
    assert said.count("<li>") > built.funnel["kept"]
    assert "Funnel: " in said


def test_citation_of_the_address_is_opened(desk: Desk) -> None:
    at = shown("report.py", session=desk.answered, cite="3")
    assert "Citation 3 of" in words(at)


@pytest.mark.parametrize("cite", ["0", "-1", "x", "", "²", "999999"])
def test_address_of_no_citation_opens_one_that_there_is(desk: Desk, cite: str) -> None:
    at = shown("report.py", session=desk.answered, cite=cite)
    number, count = map(int, re.search(r"Citation (\d+) of (\d+)", words(at)).groups())
    assert 1 <= number <= count


def test_next_and_previous_go_through_the_citations(desk: Desk) -> None:
    at = shown("report.py", session=desk.answered)
    assert at.button(key="previous").disabled
    at.button(key="next").click().run()
    assert "Citation 2 of" in words(at)
    assert at.query_params["cite"] == "2"
    at.button(key="previous").click().run()
    assert "Citation 1 of" in words(at)


def test_no_report_is_shown_as_such_with_its_reason(desk: Desk) -> None:
    at = shown("report.py", session=desk.unanswered)
    said = words(at)
    assert "**No report: all off topic.** Sources were read, but none bears on the question." in at.warning[0].value
    assert "No source was kept." in said
    assert "cite-1" not in said
    assert "no source</span>" not in said  # it speaks of the run, which needs none
    assert at.get("download_button")


@pytest.mark.parametrize(
    ("status", "said", "way"),
    [
        ("running", "this session is at work", "See how far it is"),
        ("queued", "this session is at work", "See how far it is"),
        ("interrupted", "did not reach its end", "Resume it from Live"),
        ("cancelled", "did not reach its end", "Resume it from Live"),
    ],
)
def test_without_a_report_it_says_why_and_leads_on(desk: Desk, status: str, said: str, way: str) -> None:
    at = shown("report.py", session=desk.cut(status))
    assert said in at.info[0].value
    assert ("live", way) in links(at)
    assert not at.get("download_button")


def test_failed_session_says_why(desk: Desk) -> None:
    at = shown("report.py", session=desk.cut("failed"))
    assert "The model answers" in at.error[0].value
    assert ("live", "Resume it from Live") in links(at)
