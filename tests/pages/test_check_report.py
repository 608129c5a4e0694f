"""The screen Check a report and what Report shows of a check, without a browser."""

from __future__ import annotations

import html
import re

import pytest
from streamlit.testing.v1 import AppTest

from parts.audit import audit_form, checked_report
from research_core import export
from research_core.pipeline.audit_result import AuditResult
from research_core.policy import SAMPLE_LIBRARY
from research_core.sessions import audits
from research_core.sessions.audits import AuditRequest
from research_core.sessions.workers import WorkerEngine
from research_core.wiring import Resources
from tests.audits import attempt
from tests.sample_sessions import SHELL, with_shared_components, words

EXAMPLE = audit_form.EXAMPLE.read_text(encoding="utf-8")
HOSTILE = """The plume reached 60 kilometres <img src=x onerror=alert(1)> [1]. [x](javascript:alert(1))

## Sources

1. <b>Bold</b> https://www.the-halyard.example.com/environment/2025/mining-plume-60-kilometres
"""


def open_form() -> AppTest:
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    at.switch_page("check_report.py")
    return at.run()


def check(resources: Resources, text: str, name: str = "report.md") -> tuple[str, AuditResult]:
    """Check a report over the pages of the sample library."""
    resources.library(audits.LOCAL_USER).prepare(SAMPLE_LIBRARY)
    request = AuditRequest(name, library=SAMPLE_LIBRARY, library_only=True)
    session = audits.new_audit(resources, text, request)
    assert attempt(resources, session) == "done"
    result = audits.read_audit(resources, session)
    assert result is not None
    return session, result


def open_report(session: str) -> AppTest:
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    at.query_params["session"] = session
    at.switch_page("report.py")
    at.run()
    assert not at.exception
    return at


def drawn(at: AppTest) -> str:
    """All HTML of the screen, as text without tags."""
    pieces = [element.proto.body for element in at.get("html")]
    return html.unescape(re.sub(r"<[^>]+>", " ", " ".join(pieces)))


def test_an_empty_form_checks_nothing(resources: Resources) -> None:
    at = open_form()
    assert not at.exception
    assert at.button(key="audit").disabled
    assert "every cited source" in words(at)


def test_the_example_is_checked_without_the_web(resources: Resources, engine: WorkerEngine) -> None:
    at = open_form()
    at.button(key="audit_example").click().run()
    assert at.text_area(key=audit_form.TEXT_KEY).value == EXAMPLE
    assert not at.button(key="audit").disabled
    at.button(key="audit").click().run()
    assert not at.exception
    session = at.session_state["session"]
    assert session
    assert attempt(resources, session) == "done"
    result = audits.read_audit(resources, session)
    assert result is not None
    assert result.card.claims == 9
    assert result.card.dangling == 1


def test_a_report_without_citations_is_refused_and_stays(resources: Resources) -> None:
    at = open_form()
    at.text_area(key=audit_form.TEXT_KEY).set_value("Rents rose. Wages fell.").run()
    at.button(key="audit").click().run()
    assert "cites nothing" in at.error[0].value
    assert at.text_area(key=audit_form.TEXT_KEY).value == "Rents rose. Wages fell."


def test_a_check_shows_verdicts_sources_and_marks(resources: Resources) -> None:
    session, result = check(resources, EXAMPLE)
    at = open_report(session)
    shown = drawn(at)
    assert "report checked" in shown
    assert f"{result.card.supported} of 9 cited sentences supported" in shown
    assert "[4] ∅" in shown
    for claim in result.cited:
        assert claim.text in shown
    for source in result.sources:
        assert source.url in shown
    assert not at.get("chat_input")


def test_the_result_is_offered_as_files_beside_those_of_the_session(resources: Resources) -> None:
    session, result = check(resources, EXAMPLE)
    at = open_report(session)
    buttons = [button.proto for button in at.get("download_button")]
    labels = [button.label for button in buttons]
    assert labels[:5] == ["Markdown", "Findings (MD)", "HTML", "Word (DOCX)", "JSON"]
    assert {"PDF", "Evidence pack", "Sources (CSV)"} <= set(labels)
    assert len(labels) == len(set(labels))
    assert all(button.deferred_file_id for button in buttons)
    for each in export.AUDIT_FORMATS.values():
        assert result.cited[0].text.encode()[:20] in each.make(result) or each.binary
        assert f"{each.purpose}." in words(at)


@pytest.mark.parametrize("verdict", ["supported", "not found", "could not check"])
def test_a_filter_keeps_the_sentences_of_its_verdict(resources: Resources, verdict: str) -> None:
    _, result = check(resources, EXAMPLE)
    wanted = [claim for claim in result.claims if checked_report.is_wanted(claim, [verdict])]
    assert [claim.verdict for claim in wanted] == [verdict] * len(wanted)
    assert wanted


def test_what_others_wrote_is_only_text(resources: Resources) -> None:
    session, result = check(resources, HOSTILE)
    at = open_report(session)
    raw = " ".join(element.proto.body for element in at.get("html"))
    for tag in ("<img", "<b>Bold", 'javascript:alert(1)"'):
        assert tag not in raw
    table = checked_report.format_sentences(result.claims, result)
    assert "<img" not in table


def test_sources_have_the_numbers_of_the_given_report(resources: Resources) -> None:
    text = EXAMPLE.replace("[2]", "[7]").replace("\n2. Deep", "\n7. Deep")
    session, _ = check(resources, text)
    assert "source 7" in " ".join(
        element.proto.body for element in open_report(session).get("html")
    )
