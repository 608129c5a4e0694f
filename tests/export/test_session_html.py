"""The session as one file: what it holds, that it needs nothing else, in either direction of text.

That hostile words stay words is tested for all formats in test_export.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html import escape

import pytest

from research_core.export.session_html import render_session
from research_core.i18n import use_language
from research_core.models import VERDICT_STATES, Report
from tests.reports import COPIED, FULL_REPORT, NO_REPORT, OWN_DOCUMENTS, saying

REPORTS = {"full": FULL_REPORT, "none": NO_REPORT, "own": OWN_DOCUMENTS, "copied": COPIED}


@pytest.mark.parametrize("built", REPORTS.values(), ids=REPORTS)
def test_every_source_is_in_it_with_its_decision_and_passages(built: Report) -> None:
    said = render_session(built)
    folded = re.findall(r'<details class="source">.*?</details>', said, re.DOTALL)
    assert len(folded) == len(built.sources)
    for source, text in zip(built.sources, folded, strict=True):
        assert f'<span class="decision">{VERDICT_STATES[source.status].word}</span>' in text
        assert text.count("<blockquote>") == len(source.passages)
    judged = [source for source in built.sources if source.relevance]
    gate = said[said.index('<h2 id="gate">') : said.index('<h2 id="all-sources">')]
    assert gate.count("<tr>") == (len(judged) + 1 if judged else 0)
    assert escape(built.rationale.rstrip(".")) in gate


def test_each_link_within_the_file_has_its_place() -> None:
    said = render_session(FULL_REPORT)
    places = re.findall(r'\bid="([^"]+)"', said)
    assert len(places) == len(set(places))
    assert set(re.findall(r'href="#([^"]+)"', said)) <= set(places)
    assert {"gate", "all-sources", "searches", "sources", "citations", "methodology"} <= set(places)


def test_it_opens_offline_without_a_script_under_a_policy_that_allows_its_own_style_alone() -> None:
    said = render_session(FULL_REPORT)
    (style,) = re.findall(r"<style>(.*?)</style>", said, re.DOTALL)
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'"
    assert f'http-equiv="Content-Security-Policy" content="{policy}' in said
    assert not re.findall(r"<(?:script|link|img|iframe|form|button|input)\b| src=|@import", said)
    assert "light-dark(" in style
    assert "@media print" in style


@pytest.mark.parametrize(
    "text",
    [
        "مخاطر التعدين في أعماق البحار؟",
        "מהם הסיכונים של כרייה בים עמוק?",
        "\u202eevil\u202c title",
        "</title><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "深海採掘の危険は？",
    ],
)
def test_words_of_others_keep_their_direction_and_are_words(text: str) -> None:
    said = render_session(saying(text))
    assert "<script" not in said
    assert "<img" not in said
    assert "\u202e" not in said
    shown = escape(text.replace("\u202e", "").replace("\u202c", ""))
    assert f'<h1 dir="auto">{shown}</h1>' in said
    assert f'<bdi dir="auto">{shown}</bdi>' in said


def test_a_session_that_searched_nothing_has_no_searches() -> None:
    assert 'id="searches"' not in render_session(replace(FULL_REPORT, searches=()))


@pytest.mark.parametrize(
    ("language", "gate"), [("en", "Gate"), ("de", "Auswahl"), ("ar", "القرار")]
)
def test_it_is_in_the_language_of_the_report_whatever_that_of_the_screens(
    language: str, gate: str
) -> None:
    with use_language("fr"):
        said = render_session(replace(FULL_REPORT, language=language))
    assert f'<h2 id="gate">{gate}</h2>' in said
    assert f'<html lang="{language}"' in said


def test_a_failed_search_is_told_in_the_language_of_the_report() -> None:
    search = {"query": "q", "engine": "web", "state": "timed_out", "results": 0, "reason": ""}
    said = render_session(replace(FULL_REPORT, searches=(search,), language="de"))
    assert "Zeitüberschreitung" in said
    assert "timed" not in said[said.index('<h2 id="searches">') :]


def test_a_report_from_right_to_left_keeps_its_headings_and_bullets_at_the_right() -> None:
    said = render_session(replace(FULL_REPORT, language="ar"))
    assert '<bdi dir="auto">They follow squid.' in said
    assert not re.search(r'<(?:h2|li|p) dir="auto">', said.partition('<h2 id="sources">')[0])


def test_sentences_that_rest_on_one_source_are_marked_and_explained() -> None:
    said = render_session(FULL_REPORT)
    assert said.count("◇") == 6  # five sentences and the explanation
    assert "◇ marks sentences that rest on one source: 5 of 7." in said
