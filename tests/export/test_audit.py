"""The result of an audit as Markdown and as JSON."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import jsonschema
import pytest

import research_core
from parts.audit import checked_report
from research_core.citations.checks.cited_source import SourceState
from research_core.citations.checks.claim_verdict import FaultKind, Verdict
from research_core.export.audit import (
    AUDIT_SCHEMA_VERSION,
    audit_to_json,
    audit_to_markdown,
    explain_verdict,
    get_link_address,
)
from research_core.export.audit_docx import render_audit_docx
from research_core.export.audit_html import render_audit_html
from research_core.pipeline.audit_result import (
    CONTRADICTED,
    AuditedCitation,
    AuditedClaim,
    AuditedSource,
    AuditResult,
    ReportSentence,
    ScoreCard,
    count_card,
)
from tests.audits import PAGES, REPORT, AuditWeb, audit, open_resources, page

SCHEMA = json.loads(
    Path(research_core.__file__).with_name("audit.schema.json").read_text(encoding="utf-8")
)


def test_the_json_follows_its_schema(tmp_path: Path) -> None:
    _, result = audit(open_resources(tmp_path))
    data = json.loads(json.dumps(audit_to_json(result)))
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    assert data["schema"] == AUDIT_SCHEMA_VERSION == SCHEMA["properties"]["schema"]["const"]
    assert data["score_card"]["sentences"] == result.card.describe()
    assert [claim["verdict"] for claim in data["claims"]].count("") == 1


def test_the_markdown_says_what_holds_and_what_does_not(tmp_path: Path) -> None:
    _, result = audit(open_resources(tmp_path))
    text = audit_to_markdown(result)
    head, _, supported = text.partition("## Supported sentences")
    assert "1 of 5 cited sentences says something different from its source, " in head
    assert "**different from the source (another figure)**, line" in head
    assert "partly supported" not in text
    assert "Harbour seals dived 30% deeper" in head
    assert "switched off in 2019" in supported
    assert "dead link" in text
    assert "The project cost 12 million pounds" in text


@pytest.mark.parametrize(
    ("verdict", "note", "told"),
    [
        ("not decided", "The page does not mention: Peru.", "Words alone do not show"),
        ("not decided", "", "Words alone do not show"),
        ("not decided", "The page is in another language.", ""),
        ("not decided", "Die Seite ist in einer anderen Sprache.", ""),
        ("not found", "The page does not mention: Peru.", ""),
        ("supported", "", ""),
    ],
)
def test_an_undecided_sentence_says_why(verdict: Verdict, note: str, told: str) -> None:
    found = explain_verdict(AuditedClaim(0, "Rents rose.", 1, "sentence", "", verdict, "", note))
    assert found.startswith(told)
    assert found.endswith(note)
    assert bool(told) == (found != note)


def test_markup_of_reports_and_pages_stays_text(tmp_path: Path) -> None:
    hostile = "![x](http://evil.example/) <script>alert(1)</script> | =1+2 was measured 30 times"
    pages = {**PAGES, "https://data.example.org/telemetry": page("<b>t</b>", hostile, hostile)}
    report = REPORT.replace("Harbour seals dived 30% deeper near the array", hostile)
    _, result = audit(open_resources(tmp_path, AuditWeb(pages)), report)
    text = audit_to_markdown(result)
    assert "](http://evil" not in text
    assert "<script>" not in text


def test_the_score_card_agrees_with_each_number() -> None:
    lines = [ScoreCard(claims=n, supported=1).describe()[0] for n in (1, 2)]
    assert lines == [
        "1 cited sentence: 1 supported, 0 partly supported, 0 not found, 0 not decided,"
        " 0 could not be checked.",
        "2 cited sentences: 1 supported, 0 partly supported, 0 not found, 0 not decided,"
        " 0 could not be checked.",
    ]


FAULTY = """# Tidal power

The Strangford turbine was switched off in 2017 after 11 years [1]. Seals kept 300 metres away from
the turning blades [1]. The turbine in Strangford Lough was switched off in 2019 after 11 years of
operation [1]. Bakers in Ghent sold cinnamon loaves [1]. The lough hides a treasure [9].

## Sources

1. Strangford Lough review. https://seals.example.org/strangford
"""


def test_the_score_card_says_how_many_sentences_say_something_else(tmp_path: Path) -> None:
    _, result = audit(open_resources(tmp_path), FAULTY)
    faults = [(claim.verdict, claim.fault) for claim in result.cited]
    assert [fault for _, fault in faults[:3]] == ["date", "figure", ""]
    assert faults[3][1] in ("", "not mentioned")
    said = (
        "2 of 5 cited sentences say something different from their sources,"
        " 1 was not found in its source, 1 could not be checked, 1 is supported."
    )
    assert (result.card.contradicted, result.card.contradicted_partly) == (2, 2)
    assert result.card.describe()[0] == said
    assert f"- {said}" in audit_to_markdown(result)
    assert f"<li>{said}</li>" in render_audit_html(result)
    card = audit_to_json(result)["score_card"]
    assert (card["contradicted"], card["sentences"][0]) == (2, said)
    with zipfile.ZipFile(io.BytesIO(render_audit_docx(result))) as archive:
        assert said in archive.read("word/document.xml").decode()


def test_only_sure_differences_count_as_saying_something_else() -> None:
    faults: list[tuple[Verdict, FaultKind, int]] = [
        ("partly", "figure", 1),
        ("partly", "quotation", 1),
        ("not found", "scope", 1),
        ("not found", "not mentioned", 0),
        ("not decided", "date", 0),
        ("partly", "", 0),
        ("supported", "", 0),
    ]
    for number, (verdict, fault, count) in enumerate(faults):
        claim = AuditedClaim(
            number, "x", 1, "sentence", verdict=verdict, fault=fault, unresolved=("[1]",)
        )
        assert count_card([claim], []).contradicted == count, (verdict, fault)
        assert (claim.result == CONTRADICTED) is bool(count)
    card = ScoreCard(claims=3, partly=2, contradicted=1, contradicted_partly=1, supported=1)
    assert card.describe()[0] == (
        "1 of 3 cited sentences says something different from its source,"
        " 1 is partly supported, 1 is supported."
    )


def test_control_characters_are_not_in_the_json(tmp_path: Path) -> None:
    report = REPORT.replace("Nobody measured", "Nobody\u202e \x07measured\u200b")
    _, result = audit(open_resources(tmp_path), report)
    text = json.dumps(audit_to_json(result), ensure_ascii=False)
    assert "measured the noise" in text
    assert not {"\u202e", "\u200b"} & set(text)
    assert "\\u0007" not in text


def test_a_report_that_only_lists_sources_says_what_is_wrong_with_them(tmp_path: Path) -> None:
    listed = "## Sources" + REPORT.partition("## Sources")[2]
    report = f"# Tidal power\n\nThe project cost 12 million pounds.\n\n{listed}"
    _, result = audit(open_resources(tmp_path), report)
    assert not result.card.claims
    assert result.card.describe() == [
        "No sentence of this report cites a source.",
        "1 of 4 sources is a dead link.",
        "3 of 4 sources are from unknown sites.",
        "4 of 4 sources are listed and never cited.",
        "1 sentence states a figure, a date or a name without a source.",
    ]
    assert "1 of 4 sources is a dead link." in audit_to_markdown(result)
    card = ScoreCard(sources=3, never_existed=1, retracted=2)
    assert card.describe()[1:] == [
        "1 of 3 sources never existed.",
        "2 of 3 sources were retracted.",
    ]


@pytest.mark.parametrize(
    ("card", "clean"),
    [
        (ScoreCard(), False),
        (ScoreCard(sources=2, dead=1), False),
        (ScoreCard(claims=2, supported=1, partly=1), False),
        (ScoreCard(claims=1, supported=1, dangling=1), False),
        (ScoreCard(claims=2, supported=2, sources=2, never_cited=1, uncited_facts=3), True),
    ],
)
def test_only_cited_sentences_that_all_hold_are_clean(card: ScoreCard, clean: bool) -> None:
    assert card.is_clean is clean


def test_only_sources_that_opened_are_links_and_to_the_address_of_the_report() -> None:
    """In every format, and on the screen: an address that never existed can be registered."""
    for state, linked in (
        ("live", True),
        ("dead", False),
        ("never existed", False),
        ("refused", False),
        ("paywalled", False),
        ("not read", False),
    ):
        result = make_result(state)
        (source,) = result.sources
        assert get_link_address(source) == (source.url if linked else "")
        files = zipfile.ZipFile(io.BytesIO(render_audit_docx(result)))
        written = {
            "md": audit_to_markdown(result),
            "html": render_audit_html(result),
            "docx": "".join(
                files.read(name).decode() for name in files.namelist() if name.endswith(".rels")
            ),
            "sentences": checked_report.format_sentences(result.claims, result),
            "sources": checked_report.format_sources(result),
        }
        for name, text in written.items():
            found = re.findall(r'(?:href="|Target="|\]\()(https?://[^")]+example\.org[^")]*)', text)
            assert set(found) == ({source.url} if linked else set()), (name, state)
        shown = {name: text for name, text in written.items() if name not in ("docx", "sentences")}
        assert all("never" in text for text in shown.values())


def make_result(state: SourceState) -> AuditResult:
    """A check of one sentence whose source is in this state; it redirects if it opens."""
    url, final = "https://a.example.org/never", "https://b.example.org/elsewhere"
    source = AuditedSource(url, url, marks=("1",), state=state, final_url=final, cited_by=1)
    citation = AuditedCitation(url, "supported" if state == "live" else "could not check")
    claim = AuditedClaim(
        0, "Seals are many.", 1, "sentence", verdict=citation.verdict, citations=(citation,)
    )
    return AuditResult(
        "a" * 32,
        "report.md",
        "",
        (claim,),
        (source,),
        count_card([claim], [source]),
        complete=True,
        question="Seals",
        read_claims=(ReportSentence(claim.text, 1),),
    )
