"""The screen Check a report and what Report shows of a check, without a browser."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from parts.audit import audit_form, checked_report
from parts.session.sources import sliders
from research_core import export
from research_core.journal import store
from research_core.pipeline import report
from research_core.pipeline.audit_result import AuditResult
from research_core.pipeline.methodology import SAMPLE_NOTICE
from research_core.policy import OFFLINE_MODEL, SAMPLE_LIBRARY
from research_core.sessions import audits, run_defaults, session_list, session_status, snapshot
from research_core.sessions.audits import AuditRequest
from research_core.sessions.workers import WorkerEngine
from research_core.wiring import Resources
from tests.audits import PAGES, AuditWeb, attempt, audit, open_resources
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
    assert "every cited source" in words(at)
    at.button(key="audit").click().run()
    assert "The report is empty." in at.error[0].value


def test_the_example_is_checked_without_the_web(resources: Resources, engine: WorkerEngine) -> None:
    at = open_form()
    at.button(key="audit_example").click().run()
    assert at.text_area(key=audit_form.TEXT_KEY).value == EXAMPLE
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
    assert "≠ differs from its sources" in shown
    assert SAMPLE_NOTICE in shown
    for chosen in export.AUDIT_FORMATS.values():
        if chosen.name in ("md", "html"):
            assert SAMPLE_NOTICE in chosen.make(result).decode()
    assert "3 of 9 cited sentences say something different from their sources" in shown
    assert f"{result.card.supported} of 9 cited sentences supported" in shown
    assert "≠ 3 different from the source" in shown
    assert "partly supported" not in shown
    assert "4 ∅" in shown
    for claim in result.cited:
        assert claim.text in shown
    for source in result.sources:
        assert source.url in shown
    assert not at.get("chat_input")


GUILD = "https://mobiledjguild.example.org/research/first-dance-survey-2025"


def test_a_check_has_no_gate_and_is_no_full_report(resources: Resources) -> None:
    session, _result = check(resources, EXAMPLE)
    at = open_report(session)
    shown = drawn(at)
    assert "full report" not in shown.casefold()
    assert "✓ kept" not in shown
    offered = [link.proto.label for link in at.get("page_link")]
    assert "Sources" in offered
    assert not {"Gate", "Gate decision"} & set(offered)
    info = session_status.read_session_info(resources, session)
    assert session_list.get_state(info) == "checked"
    at.switch_page("gate.py").run()
    assert "The check of a report has no gate" in at.info[0].value
    assert "full report" not in drawn(at).casefold()
    at.switch_page("sources.py").run()
    assert not at.exception
    assert not at.slider
    assert "Rewrite report" not in [button.label for button in at.button]


def test_a_source_of_a_check_is_shown_as_the_report_counts_it(resources: Resources) -> None:
    session, result = check(resources, EXAMPLE)
    at = open_report(session)
    assert checked_report.SITE_EXPLAINED in words(at)
    read = next(source for source in result.sources if source.state == "live" and source.parts)
    at.query_params["source"] = sliders.short_source_name(read.key)
    at.switch_page("sources.py").run()
    assert not at.exception
    shown = drawn(at)
    assert "✓ opened" in shown
    assert "0.50 or less counts as low" in shown
    for untrue in ("✓ kept", "keyword", "date since 2020 in", "needs more than"):
        assert untrue not in shown
    counted = dict(
        re.fullmatch(r"(.*?) (\d+)(?: of \d+)?", option).groups()
        for option in at.get_by_key("only").options
    )
    opened = {source.key for source in result.sources if source.state == "live"}
    assert counted["✓ opened"] == str(len(opened))
    assert counted.get("? unknown site", "0") == str(result.card.unknown)


def test_a_verdict_has_one_word_and_one_sign_everywhere(resources: Resources) -> None:
    sentence = "Members of the guild think that live bands cost couples more than a DJ [1]."
    session, result = check(resources, f"{sentence}\n\n## Sources\n\n1. {GUILD}\n")
    assert [claim.verdict for claim in result.cited] == ["not decided"]
    at = open_report(session)
    raw = " ".join(element.proto.body for element in at.get("html"))
    assert 'data-state="not decided"' in raw
    shown = drawn(at)
    assert "≈ not decided" in shown
    assert "Words alone do not show whether the page says this." in shown
    assert "could not be checked" not in shown
    assert "““" not in shown


def test_a_check_in_which_all_holds_is_green(resources: Resources) -> None:
    sentence = "The guild's survey covers 412 wedding receptions [1]."
    session, result = check(resources, f"{sentence}\n\n## Sources\n\n1. {GUILD}\n")
    assert result.card.is_clean
    assert "✓ report checked" in drawn(open_report(session))
    assert list_rows() == [("✓ report checked", "1 of 1 cited sentence supported", "")]


@pytest.mark.parametrize(
    ("sentences", "badge", "support"),
    [
        (
            ["The guild's survey covers 412 wedding receptions [1].", "It covers 97 wedding"
             " receptions [1]."],
            "≠ differs from its sources",
            "◐ 1 of 2 cited sentences supported",
        ),
        (
            ["The guild's survey covers 412 wedding receptions [1].", "Violins are made of spruce"
             " and maple [1]."],
            "◐ report checked",
            "◐ 1 of 2 cited sentences supported",
        ),
        (
            ["The survey counts 412 receptions [2]."],
            "◐ report checked",
            "◐ 0 of 1 cited sentence supported",
        ),
        (
            ["The guild's survey covers 412 wedding receptions [1][7]."],
            "◐ report checked",
            "1 of 1 cited sentence supported",
        ),
        (["Live bands cost couples more than a DJ."], "◐ report checked", ""),
    ],
)  # fmt: skip
def test_list_says_that_a_checked_report_differs_from_its_sources(
    resources: Resources, sentences: list[str], badge: str, support: str
) -> None:
    missing = "https://www.missing.example.com/page"
    text = "\n\n".join([*sentences, "## Sources", f"1. {GUILD}", f"2. {missing}"])
    session, _ = check(resources, text)
    color = "orange" if "◐" in support else ""
    assert list_rows() == [(badge, support, color)]
    assert badge in drawn(open_report(session))


def list_rows() -> list[tuple[str, str, str]]:
    """The badge, what is said of the sentences, and its color, for each row of Sessions."""
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    at.switch_page("sessions.py")
    at.run()
    assert not at.exception
    rows = []
    for element in at.get("html"):
        body = element.proto.body
        if 'class="facts columns"' in body:
            (badge,) = re.findall('class="ended"><span[^>]*>([^<]*)<', body)
            support = re.search(
                r'<span>(?:<span class="badge (\w+)">)?([^<]* cited sentences? supported)<', body
            )
            color, words = support.groups(default="") if support else ("", "")
            rows.append((badge, words, color))
    return rows


def test_activity_says_that_the_sources_of_a_check_were_opened(resources: Resources) -> None:
    session, _ = check(resources, EXAMPLE)
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    at.query_params["session"] = session
    at.switch_page("live.py").run()
    assert not at.exception
    states = {state for frame in at.dataframe for row in frame.value["state"] for state in row}
    assert "✓ opened" in states
    assert "✓ kept" not in states


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


TWICE = """# Seals

Seals are many [9]. Rents rose by 4%.

## Again

Seals are many [8]. Seals are many. Las focas son muchas [7].

- Las focas son muchas [6].

## Sources

1. https://www.the-halyard.example.com/environment/2025/mining-plume-60-kilometres
"""


def test_the_same_sentence_has_its_own_marks_at_each_place(resources: Resources) -> None:
    session, result = check(resources, TWICE)
    assert [claim.unresolved for claim in result.cited] == [("[9]",), ("[8]",), ("[7]",), ("[6]",)]
    raw = " ".join(element.proto.body for element in open_report(session).get("html"))
    article = html.unescape(re.search(r'<article class="report".*?</article>', raw, re.S)[0])
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", article))
    for said in (
        "Seals are many. 9∅ Rents rose",
        "AgainSeals are many. 8∅ Seals are many. Las focas son muchas. 7∅",
        "∅Las focas son muchas. 6∅",
    ):
        assert said in words
    assert words.count("∅") == 4


def test_a_report_without_a_cited_sentence_shows_its_sources(resources: Resources) -> None:
    listed = "https://www.the-halyard.example.com/environment/2025/mining-plume-60-kilometres"
    lost = "https://www.the-halyard.example.com/never-was"
    session, _ = check(resources, f"# Plumes\n\nWords.\n\n## Sources\n\n1. {listed}\n2. {lost}\n")
    shown = drawn(open_report(session))
    assert "No sentence of this report cites a source." in shown
    assert "2 of 2 sources are listed and never cited." in shown
    assert "0 cited sentences" not in shown


@pytest.mark.parametrize("place", ["web", "library", "both"])
def test_a_document_is_read_from_the_own_library(
    resources: Resources, engine: WorkerEngine, place: str
) -> None:
    library = resources.library(audits.LOCAL_USER)
    library.prepare(SAMPLE_LIBRARY)
    library.add_uploads([("findings.md", EXAMPLE.encode())], run_defaults.OWN)
    at = open_form()
    at.segmented_control(key="audit_place").set_value(place).run()
    if place != "web":
        at.selectbox(key="audit_library").set_value(SAMPLE_LIBRARY).run()
    at.selectbox(key="report_document").select_index(0).run()
    at.button(key="audit").click().run()
    assert not at.exception
    assert not at.error
    row = store.find_session(resources.db, audits.LOCAL_USER, at.session_state["session"])
    assert row.question == "What is at stake in deep-sea mining?"


def test_the_form_says_what_a_model_gets(assay_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "x" * 20)
    at = open_form()
    silent = "Nothing is sent to a language model."
    assert silent in words(at)
    models = at.selectbox(key="audit_model")
    chosen = next(name for name in models.options if name != "No language model")
    models.set_value(chosen).run()
    assert silent not in words(at)
    shown = words(at).replace("\\", "")
    assert f"Doubtful sentences and their passages are sent to {chosen}." in shown
    at.selectbox(key="audit_model").set_value(OFFLINE_MODEL).run()
    assert silent in words(at)


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


def test_a_source_has_one_number_in_the_text_and_the_table(resources: Resources) -> None:
    first = "https://absent.example.org/plume"
    second = re.findall(r"https?://\S+", EXAMPLE)[1]
    given = f"The plume would reach 60 km ({second}).\n\n## Sources\n\n- {first}\n- {second}\n"
    session, result = check(resources, given)
    assert result.number_sources() == {first: "1", second: "2"}
    shown = " ".join(element.proto.body for element in open_report(session).get("html"))
    assert 'class="title"><b>[2]</b>' in shown


def test_links_to_a_source_have_its_number_on_sources(resources: Resources) -> None:
    text = EXAMPLE.replace("[1]", "[7]").replace("\n1. Counting", "\n7. Counting")
    session, _ = check(resources, text)
    at = open_report(session)
    pane = " ".join(element.proto.body for element in at.get("html"))
    assert 'class="title"><b>[7]</b>' in pane
    linked = [
        link.proto.query_string for link in at.get("page_link") if link.proto.label == "Source"
    ]
    assert len(linked) == 1
    assert linked[0].endswith("source=1")


READ = "https://www.the-halyard.example.com/environment/2025/mining-plume-60-kilometres"
LOST = "https://www.the-halyard.example.com/never-was"
#: Reports with the marks of their citations in reading order: those in round brackets were not read,
#: and those in angle brackets lead to no source.
CITING = {
    "lost in the middle": (
        "The plume reached 60 kilometres [1]. Rents rose by 9% [2]. It reached the coast [1][2].",
        f"1. {READ}\n2. {LOST}\n",
        ["1", "(2)", "1", "(2)"],
    ),
    "all lost": ("Rents rose by 9% [4].", f"4. {LOST}\n", ["(4)"]),
    "without an address": (
        "Rents rose by 9% [1]. The plume reached 60 kilometres [2].",
        f"1. An interview.\n2. {READ}\n",
        ["(1)", "2"],
    ),
    "names": (
        "Mieten stiegen um 9 % [^lost]. The plume reached 60 kilometres [^halyard][^lost].",
        f"[^lost]: {LOST}\n[^halyard]: {READ}\n",
        ["(lost)", "halyard", "(lost)"],
    ),
    "dangling": (
        "The plume reached 60 kilometres [1][8]. Rents rose by 9% [7]. Wages fell turn0search4.",
        f"1. {READ}\n",
        ["1", "<8>", "<7>", "<turn0search4>"],
    ),
    "only dangling": ("Los alquileres subieron un 9 % [3].", f"1. {LOST}\n", ["<3>"]),
    "two links with one number": (
        f"La plume a atteint 60 kilomètres [1]({READ}). Les loyers ont augmenté de 9 % [1]({LOST}).",
        "",
        ["1", "(2)"],
    ),
    "links": (
        f"羽流达到60公里 ([报告]({READ}))。租金上涨了9% ([统计]({LOST}))。",
        "",
        ["1", "(2)"],
    ),
}


@pytest.mark.parametrize("name", CITING)
def test_next_reaches_every_citation(resources: Resources, name: str) -> None:
    text, entries, expected = CITING[name]
    given = f"# Check\n\n{text}\n" + (f"\n## Sources\n\n{entries}" if entries else "")
    session, result = check(resources, given)
    at = open_report(session)
    raw = " ".join(element.proto.body for element in at.get("html"))
    article = re.search(r'<article class="report".*?</article>', raw, re.S)
    assert article is not None
    marks = re.findall(r'href="#cite-(\d+)" data-state="([^"]+)"[^>]*>([^<]+)<i>', article[0])
    assert [int(number) for number, _, _ in marks] == list(range(1, len(expected) + 1))
    lost = {one.key for one in result.sources if not one.page}
    numbers = result.number_sources()
    shown = []
    for claim in result.cited:
        for one in claim.citations:
            mark = numbers[one.work]
            shown.append(f"({mark})" if one.work in lost else mark)
        shown += [f"<{mark.strip('[]')}>" for mark in claim.unresolved]
    assert [mark.strip("()<>") for mark in shown] == [mark for _, _, mark in marks]
    assert shown == expected
    for number, mark in enumerate(expected, 1):
        at.query_params["cite"] = str(number)
        at.run()
        assert not at.exception
        card = next(
            element.proto.body
            for element in at.get("html")
            if f'data-cite="{number}"' in element.proto.body
        )
        assert f"<b>[{mark.strip('()<>')}]</b>" in card
        is_unread, is_dangling = mark.startswith("("), mark.startswith("<")
        assert ("<blockquote" in card) != (is_unread or is_dangling)
        if is_dangling:
            assert "The report lists no source for this citation." in card
            assert "no matching source" in card
            assert "href=" not in card
        if is_unread:
            assert "could not be checked" in card
            assert "href=" not in card  # nobody saw the page
            assert "not read" in card


def test_a_copy_behind_an_unread_source_keeps_the_verdict_of_its_sentence(tmp_path: Path) -> None:
    strangford = "https://seals.example.org/strangford"
    copy, lost = "https://copy.example.org/strangford", "https://seals.example.org/never-was"
    web = AuditWeb({**PAGES, copy: PAGES[strangford]})
    text = (
        "The Strangford turbine was switched off in 2019 after 11 years [1][2][3].\n\n"
        f"## Sources\n\n1. {lost}\n2. {strangford}\n3. {copy}\n"
    )
    resources = open_resources(tmp_path, web)
    session, result = audit(resources, text)
    built = report.build(snapshot.read_session(resources, session).run)
    checked = checked_report.keep_checked_text(built, result)
    found = checked_report.list_citations(checked, result)
    assert [(one.number, one.label, one.source.url) for one in found] == [
        (1, "1", lost),
        (2, "2", strangford),
        (3, "3", copy),
    ]
    assert [one.sentence.state for one in found] == ["could not check", "supported", "supported"]
    assert [bool(one.passages) for one in found] == [False, True, True]


def test_the_first_sentence_that_does_not_hold_is_shown_beside_the_report(
    resources: Resources,
) -> None:
    session, _result = check(resources, EXAMPLE)
    at = open_report(session)
    (card,) = (
        element.proto.body
        for element in at.get("html")
        if '<section class="evidence"' in element.proto.body
    )
    assert "different from the source" in card
