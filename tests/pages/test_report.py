"""The Report screen, without a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape

import pytest
from streamlit.testing.v1 import AppTest

from parts.session.report import end_matter, no_report, source_recheck
from parts.shared import jobs
from research_core.citations import cited_passages
from research_core.journal import store
from research_core.journal.events import json_in_order
from research_core.journal.store import EventRow, Store
from research_core.model_messages import Json
from research_core.models import NO_REPORT_REASONS
from research_core.pipeline import assessment, report
from research_core.pipeline import backing as backing_module
from research_core.pipeline.confidence import EVERY_SENTENCE
from research_core.policy import Caps, CredibilityPolicy, RunSettings
from research_core.sessions import heartbeats, runner, session_start, session_status, snapshot
from research_core.sessions.recheck import Recheck, RecheckedPassage, RecheckedSource
from research_core.sessions.workers import WorkerEngine
from research_core.text.words import format_count
from research_core.wiring import LOCAL_USER
from tests.sample_sessions import ANSWERED, SampleSessions, keys, links, shown, words


def test_without_a_session_it_says_what_it_is_for(samples: SampleSessions) -> None:
    assert "The answer, with the passage behind every sentence." in words(shown("report.py"))


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ASSAY_OPENAI_MODELS", "small,big")


def make_unwritten(samples: SampleSessions, writer: Json) -> str:
    """Return a copy of the answered session whose text has this writer."""
    db, now = samples.resources.db, samples.resources.clock.now()
    session = session_start.new_session(samples.resources, ANSWERED, RunSettings())
    epoch = store.take_session(db, LOCAL_USER, session, "one", now)
    copy = Store(db, LOCAL_USER, session, epoch)
    for event in Store(db, LOCAL_USER, samples.answered).read():
        data = {**event.data, "writer": writer} if event.kind == "written" else event.data
        key = event.key if event.kind != "finished" else str(epoch)
        copy.append([EventRow(event.kind, json_in_order(data), key)], {}, now)
    return session


@pytest.mark.parametrize(
    ("button", "writer"), [("write_again", None), ("write-openai:big", "openai:big")]
)
def test_a_report_that_no_model_could_write_is_written_by_the_next_click(
    own_server: None,
    samples: SampleSessions,
    engine: WorkerEngine,
    button: str,
    writer: str | None,
) -> None:
    failed = {"model": "offline", "failures": ["big could not be reached."]}
    session = make_unwritten(samples, failed)
    at = shown("report.py", session=session)
    said = words(at)
    assert "Quoted sentences stand in for this report" in said
    head = said[: said.index("Quoted sentences stand in")]
    assert "no model wrote it, its sources are quoted" in head
    offers = {key for key in keys(at) if key.startswith("write")}
    assert offers == {"write_again", "write-openai:small", "write-openai:big"}
    assert "or another model beside it." in words(at)
    at.button(key=button).click().run()
    assert not at.exception
    (new,) = [row for row in session_status.list_sessions(samples.resources) if row.row.parent]
    assert (new.row.parent, new.row.settings.get("writer") or None) == (session, writer)


def test_without_another_model_a_report_says_to_connect_one(samples: SampleSessions) -> None:
    failed = {"model": "offline", "failures": ["big could not be reached."]}
    at = shown("report.py", session=make_unwritten(samples, failed))
    assert "or connect another model in Settings." in words(at)
    assert "another model beside it" not in words(at)
    assert {key for key in keys(at) if key.startswith("write")} == {"write_again"}


def test_a_report_that_its_model_wrote_offers_no_other_writer(
    own_server: None, samples: SampleSessions
) -> None:
    session = make_unwritten(samples, {"model": "big", "failures": ["small wrote no report."]})
    at = shown("report.py", session=session)
    assert not any(key.startswith("write") for key in keys(at))
    assert "no model wrote it" not in words(at)


def opened(said: str) -> str:
    """The number of the citation whose passage is shown."""
    return str(re.search(r'<section class="evidence" data-cite="(\d+)"', said)[1])


def test_the_pane_says_which_cited_source_is_low_after_reading(samples: SampleSessions) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    assessed = assessment.assess(built)
    seen = set()
    for cited in cited_passages.list_citations(built):
        said = words(shown("report.py", session=samples.answered, cite=str(cited.number)))
        trust = re.search('<p class="trust">.*?</p>', said)
        assert trust
        assert "✓ cited" in trust[0]
        found = assessed.get(cited.source.url)
        is_low = found is not None and found.level in ("low", "very low")
        assert ("after reading" in trust[0]) == is_low
        if found and is_low:
            assert f"<b>{found.value:.2f} {found.level}</b>" in trust[0]
        seen.add(is_low)
    assert seen == {True, False}


def test_more_context_can_be_taken_back(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.answered)
    assert 'data-around="400"' in words(at)
    assert "less" not in keys(at)
    at.button(key="more").click().run()
    assert 'data-around="2000"' in words(at)
    at.button(key="less").click().run()
    assert 'data-around="400"' in words(at)
    assert "less" not in keys(at)


def test_text_citations_passage_sources_and_methodology(samples: SampleSessions) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    citations = cited_passages.list_citations(built)
    at = shown("report.py", session=samples.answered)
    said = words(at)
    assert [title.value for title in at.title] == [ANSWERED]
    assert re.findall(r'href="#cite-(\d+)"', said) == [
        str(number) for number in range(1, len(citations) + 1)
    ]
    assert opened(said) == "1"
    assert "<mark>" in said
    assert said.count("<li>") > built.funnel["kept"]
    assert "Funnel: " in said


def test_what_passed_and_was_not_read_is_counted_below_the_sources(samples: SampleSessions) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    left = built.funnel["not_read"]
    assert left
    more = "1 more source was" if left == 1 else f"{left} more sources were"
    assert f'<p class="facts">{more} found, but not read: ' in words(
        shown("report.py", session=samples.answered)
    )


@pytest.mark.full
def test_words_of_others_in_the_methodology_are_characters(samples: SampleSessions) -> None:
    hostile = (
        "http://evil.example/x :material/delete: :streamlit: me@evil.example <b>and</b> *that*"
    )
    session = session_start.new_session(
        samples.resources, ANSWERED, RunSettings(mode="quick", instructions=(hostile,))
    )
    assert (
        runner.resume_or_run(samples.resources, session, heartbeats.make_executor_id()).outcome
        == "done"
    )
    at = shown("report.py", session=session)
    (listed,) = (
        element.proto.body for element in at.get("html") if "<li>Funnel: " in element.proto.body
    )
    said = "http://evil.example/x :material/delete: :streamlit: me@evil.example &lt;b&gt;and&lt;/b&gt; *that*"
    assert f"<li>Added by the analyst: “{said}”.</li>" in listed
    assert not re.search(r"<(?!/?(?:ul|li)>)", listed)
    assert not [element.value for element in at.markdown if "evil.example" in element.value]


def test_addresses_in_the_methodology_lead_to_their_pages(samples: SampleSessions) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    web = replace(
        built.sources[0],
        url="https://tides.example.org/a?b=1&c",
        title="Tides & <more>",
        approved=True,
    )
    html = end_matter.format_methodology(replace(built, sources=(web,)))
    link = '<a href="https://tides.example.org/a?b=1&amp;c" target="_blank" rel="noopener noreferrer">Tides &amp; &lt;more&gt;</a>'
    assert f"Included by the analyst despite their credibility: {link}." in html


def test_citation_of_the_address_is_opened(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.answered, cite="3")
    assert opened(words(at)) == "3"


def test_citation_is_still_open_after_a_look_at_another_screen_and_each_session_has_its_own(
    samples: SampleSessions,
) -> None:
    at = shown("report.py", session=samples.answered, cite="3")
    del at.query_params["cite"]
    at.switch_page("sources.py").run()
    at.switch_page("report.py").run()
    assert opened(words(at)) == "3"
    assert at.query_params["cite"] == "3"
    assert at.session_state["cites_left"] == {samples.answered: 3}


@pytest.mark.parametrize("cite", ["0", "-1", "x", "", "²", "999999"])
def test_address_of_no_citation_opens_one_that_there_is_and_comes_to_name_it(
    samples: SampleSessions, cite: str
) -> None:
    at = shown("report.py", session=samples.answered, cite=cite)
    assert 1 <= int(opened(words(at))) <= words(at).count('href="#cite-')
    assert at.query_params["cite"] == opened(words(at))


def test_source_s_scores_and_the_passage_s_place_stand_beside_the_citation(
    samples: SampleSessions,
) -> None:
    citations = cited_passages.list_citations(
        report.build(snapshot.read_session(samples.resources, samples.answered).run)
    )
    first, last = citations[0], max(citations, key=lambda cited: cited.passages[0].start)
    at = shown("report.py", session=samples.answered)
    said = words(at)
    parts, judged = first.source.parts, first.source.relevance
    card = said[said.index('<section class="evidence"') :]
    assert f"credibility <b>{parts.score:.2f}</b>" in card
    assert f"site {0.4 * parts.domain:.2f}" in card
    assert f"keywords {0.5 * parts.relevance:.2f}" in card
    assert f"relevance <b>{judged.score}/5</b>" in card
    assert judged.explanation in card
    assert first.passages[0].start < 10 < last.passages[0].start
    assert "Start of the page" in card
    later = words(shown("report.py", session=samples.answered, cite=str(last.number)))
    assert re.search(r"[1-9]\d?% into the page", later)
    assert "read 20" in card
    number = str(first.source.number)
    assert {("sources", "Source"), ("gate", "Gate decision")} <= set(links(at))
    assert all(
        f"source={number}" in link.proto.query_string
        for link in at.get("page_link")
        if link.proto.label in ("Source", "Gate decision")
    )


def test_gate_shows_the_source_it_was_asked_for_first(samples: SampleSessions) -> None:
    heads = re.findall(
        r'<p class="title"><b>\[(\d+)\]</b>',
        words(shown("gate.py", session=samples.answered, source="3")),
    )
    assert heads[0] == "3"
    assert sorted(heads) == sorted(
        re.findall(
            r'<p class="title"><b>\[(\d+)\]</b>', words(shown("gate.py", session=samples.answered))
        )
    )


def test_more_of_the_page_is_shown_on_demand_and_only_there(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.answered)
    assert 'data-cite="1" data-around="400"' in words(at)
    at.button(key="more").click().run()
    assert 'data-cite="1" data-around="2000"' in words(at)
    at.query_params["cite"] = "2"
    at.run()
    assert 'data-cite="2" data-around="400"' in words(at)


def test_table_of_all_citations_and_its_filter(samples: SampleSessions) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    citations, backings = cited_passages.list_citations(built), backing_module.find_backings(built)
    at = shown("report.py", session=samples.answered)
    assert table_rows(words(at)) == [cited.number for cited in citations]
    assert f'<a href="#goto-1" dir="auto">{escape(citations[0].sentence.text)}</a>' in words(at)
    at.pills(key="only_citations").select("alone").run()
    alone = {backing.place for backing in backings if backing.alone}
    assert table_rows(words(at)) == [cited.number for cited in citations if cited.place in alone]


def table_rows(said: str) -> list[int]:
    """The citations in the table, in its order."""
    return [int(number) for number in re.findall(r'<tr id="cite-(\d+)"', said)]


def back_first_sentence(samples: SampleSessions) -> None:
    """Let the first cited sentence of the answered session cite every source that was kept."""
    run = snapshot.read_session(samples.resources, samples.answered).run
    assert run.verified is not None
    passages = [one.passages[0].id for one in report.build(run).sources if one.number]
    blocks = json.loads(json.dumps(run.verified["blocks"]))
    cited = next(one for block in blocks for one in block["sentences"] if one["citations"])
    cited["citations"] = list(dict.fromkeys([*cited["citations"], *passages]))
    rows = [EventRow("verified", json_in_order({"blocks": blocks}), "verified:verified:again")]
    db, now = samples.resources.db, samples.resources.clock.now()
    Store(db, LOCAL_USER, samples.answered).append(rows, {}, now)


def test_what_holds_of_every_sentence_is_said_once_with_the_confidence(
    samples: SampleSessions,
) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    assert all(backing.alone for backing in backing_module.find_backings(built))
    at = shown("report.py", session=samples.answered)
    assert words(at).count(EVERY_SENTENCE) == 1
    assert "only one source" not in words(at)
    assert "alone" not in keys(at)
    assert not [one for one in at.expander if "source" in one.label and " of " in one.label]
    assert not [notice for notice in report.list_notices(built) if "one source" in notice]
    assert report.to_markdown(built).count(EVERY_SENTENCE) == 1
    at.pills(key="only_citations").select("alone").run()
    assert table_rows(words(at))


def test_what_rests_on_one_source_is_listed_and_contradictions_are_looked_for(
    samples: SampleSessions,
) -> None:
    back_first_sentence(samples)
    at = shown("report.py", session=samples.answered)
    assert EVERY_SENTENCE not in words(at)
    backings = backing_module.find_backings(
        report.build(snapshot.read_session(samples.resources, samples.answered).run)
    )
    alone = sum(backing.alone for backing in backings)
    assert alone > sum(backing.single for backing in backings) > 0
    sentences = format_count(len(backings), "sentence")
    label = f"Highlight sentences with only one source ({alone} of {len(backings)})"
    assert at.toggle(key="alone").label == label
    caveat = f"{alone} of {sentences} have only one source each"
    assert caveat in [expander.label for expander in at.expander]
    said = words(at)
    assert caveat in said
    assert said.count('<span class="alone') == alone
    assert f"◇ one source {alone} of {len(backings)}" in at.pills(key="only_citations").options
    assert 'data-show="alone_list"' in said
    # No chapter of its own where none was found: the text says what could be compared.
    assert "Contradictions" not in [header.value for header in at.header]
    assert "Conflicts worded differently may be missed." in said or "worded alike enough" in said


def test_the_sources_that_no_sentence_quotes_say_so(samples: SampleSessions) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    cited = {cited.source.number for cited in cited_passages.list_citations(built)}
    said = words(shown("report.py", session=samples.answered))
    kept = said[said.index('<ol class="sources">') :]
    items = kept[: kept.index("</ol>")].split("<li>")[1:]
    marked = {number for number, item in enumerate(items, 1) if "not quoted" in item}
    numbers = {source.number for source in built.sources if source.number}
    assert marked == numbers - cited
    assert marked


def test_no_report_is_shown_with_its_reason_the_next_steps_and_what_was_searched(
    samples: SampleSessions,
) -> None:
    at = shown("report.py", session=samples.unanswered)
    said = words(at)
    said_first = "**No report: no relevant page.** 7 pages were judged and none is relevant enough."
    assert said_first in at.warning[0].value
    ways = dict(reversed(way) for way in links(at))
    assert ways["Rephrase the question"] == ""
    assert ways["Review dropped sources"] == "gate"
    assert "flamenco guitarists charge" in ways
    assert re.search(r"<td>library</td><td>\d+ results</td>", said)
    assert "No source kept." in said
    assert "cite-1" not in said
    assert "no source</span>" not in said  # it speaks of the run, which needs none


def test_where_most_sources_were_blocked_a_link_leads_to_the_threshold(
    samples: SampleSessions,
) -> None:
    label = "Review sources"
    at = shown("report.py", session=samples.answered)
    assert label not in dict(reversed(way) for way in links(at))
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    scores = sorted((source.parts.score for source in built.sources if source.parts), reverse=True)
    policy = CredibilityPolicy(minimum=scores[2])
    strict = session_start.new_session(
        samples.resources, ANSWERED, RunSettings(credibility=policy, min_full=7, min_short=1)
    )
    runner.resume_or_run(samples.resources, strict, heartbeats.make_executor_id())
    at = shown("report.py", session=strict)
    assert '<details class="caveat">' in words(at) or '<p class="caveat">' in words(at)
    assert "below your minimum credibility of" in words(at)
    assert dict(reversed(way) for way in links(at))[label] == "sources"


def test_a_minimum_that_blocked_every_source_leads_to_one_that_reads_some(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    strict = session_start.new_session(
        samples.resources, ANSWERED, RunSettings(credibility=CredibilityPolicy(minimum=0.99))
    )
    runner.resume_or_run(samples.resources, strict, heartbeats.make_executor_id())
    at = shown("report.py", session=strict)
    said = at.warning[0].value
    counts = re.search(
        r"(\d+) of \1 sources were below your minimum credibility of 0.99. Review them or lower it"
        r" to (0.\d\d): (\d) more would be read.",
        said,
    )
    assert counts, said
    assert dict(reversed(way) for way in links(at))["Review blocked sources"] == "sources"
    at.button(key="lower_minimum").click().run()
    newest = session_status.list_sessions(samples.resources)[0].row
    assert newest.parent == strict
    assert newest.settings["credibility"]["minimum"] == float(counts[2])
    assert at.query_params["session"] == newest.id


def test_follow_up_starts_from_this_session_and_leads_to_live(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    at = shown("report.py", session=samples.answered)
    at.chat_input(key="follow_up").set_value("  Who licenses deep-sea mining?\u200b ").run()
    assert not at.exception
    newest = session_status.list_sessions(samples.resources)[0].row
    assert newest.question == "Who licenses deep-sea mining?"
    assert newest.settings["follows"] == ANSWERED
    assert at.query_params["session"] == newest.id
    assert at.title[0].value == newest.question


@pytest.mark.parametrize("page", ["report.py", "sources.py", "gate.py", "live.py"])
def test_a_follow_up_that_is_refused_says_so_on_every_tab(
    samples: SampleSessions, page: str
) -> None:
    at = shown(page, session=samples.answered)
    at.chat_input(key="follow_up").set_value(" \u200b ").run()
    assert not at.exception
    assert "The question is empty." in [error.value for error in at.error]
    assert len(session_status.list_sessions(samples.resources)) == 2


@pytest.mark.parametrize("page", ["report.py", "sources.py", "gate.py", "live.py"])
def test_the_markdown_is_one_click_away_on_every_tab(samples: SampleSessions, page: str) -> None:
    at = shown(page, session=samples.answered)
    labels = [button.proto.label for button in at.get("download_button")]
    assert labels.count("Markdown") == 1
    no_report = shown(page, session=samples.unanswered)
    assert "Markdown" in [button.proto.label for button in no_report.get("download_button")]
    assert not no_report.chat_input


def test_a_session_that_runs_offers_neither_download_nor_follow_up(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.cut("running"))
    assert not at.chat_input
    assert "Markdown" not in [button.proto.label for button in at.get("download_button")]


@pytest.mark.full
def test_too_few_sources_can_be_written_up_in_quick_mode(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    strict = session_start.new_session(
        samples.resources, ANSWERED, RunSettings(relevance_cutoff=5, min_full=7, min_short=7)
    )
    assert (
        runner.resume_or_run(samples.resources, strict, heartbeats.make_executor_id()).outcome
        == "done"
    )
    at = shown("report.py", session=strict)
    assert re.search(r"\d sources? (is|are) about the question, but", at.warning[0].value)
    assert "standard mode needs 7." in at.warning[0].value
    assert "Add documents" in dict(reversed(way) for way in links(at))
    at.button(key="quick").click().run()
    newest = session_status.list_sessions(samples.resources)[0].row
    assert (newest.question, newest.settings["mode"], newest.settings["min_short"]) == (
        ANSWERED,
        "quick",
        None,
    )
    assert at.query_params["session"] == newest.id


@pytest.mark.full
def test_run_whose_limit_struck_before_any_judging_is_judged_by_words_and_goes_on_with_twice_the_room(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    the_plan_and_one_summary = Caps(calls=2, cost=1.5)
    capped = session_start.new_session(
        samples.resources, ANSWERED, RunSettings(caps=the_plan_and_one_summary)
    )
    assert (
        runner.resume_or_run(samples.resources, capped, heartbeats.make_executor_id()).outcome
        == "done"
    )
    at = shown("report.py", session=capped)
    notices = words(at)
    assert re.search(
        r"Because of a limit, some model calls were left out \(the cap on calls was reached\)\."
        r" \d pages? (was|were) judged by words alone\.",
        notices,
    )
    at.button(key="go_on").click().run()
    newest = session_status.list_sessions(samples.resources)[0].row
    assert (newest.question, newest.settings["caps"]) == (
        ANSWERED,
        {"calls": 4, "tokens": None, "cost": 3.0, "seconds": None},
    )
    assert at.query_params["session"] == newest.id


def test_every_reason_has_its_next_steps() -> None:
    assert set(no_report.NEXT_STEPS) == set(NO_REPORT_REASONS)
    assert all(no_report.NEXT_STEPS.values())


@pytest.mark.parametrize(
    ("status", "said", "way"),
    [
        ("running", "The session is running.", "View progress"),
        ("queued", "The session is running.", "View progress"),
        ("interrupted", "The session did not finish.", "Resume session"),
        ("cancelled", "The session did not finish.", "Resume session"),
    ],
)
def test_without_a_report_it_says_why_and_leads_on(
    samples: SampleSessions, status: str, said: str, way: str
) -> None:
    at = shown("report.py", session=samples.cut(status))
    assert said in at.info[0].value
    assert ("live", way) in links(at)
    assert not at.get("download_button")


def test_failed_session_says_why(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.cut("failed"))
    assert "The model answers" in at.error[0].value
    assert ("live", "Resume session") in links(at)


def job(at: AppTest, result: Recheck) -> None:
    done = jobs.Job("Looking at its sources again")
    done.result.set_result(result)
    done.seen = True
    at.session_state[f"recheck {result.session}"] = done


def test_a_report_s_sources_can_be_looked_at_again(samples: SampleSessions) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    at = shown("report.py", session=samples.answered)
    assert source_recheck.EXPLANATION in words(at)
    kept = [source for source in built.sources if source.number]
    lost = RecheckedPassage(kept[1].passages[0].id, 0, 2, "<b>It was said</b> here.")
    rows = (
        RecheckedSource(1, kept[0].address, kept[0].title, "unchanged"),
        RecheckedSource(
            2,
            kept[1].address,
            kept[1].title,
            "changed",
            passages=(lost,),
            notice="Retracted on 2026-03-01, since.",
            grave=True,
        ),
        RecheckedSource(
            3,
            kept[2].address,
            kept[2].title,
            "dead",
            why="It answered 404.",
            archived="https://web.archive.org/web/2024/x",
        ),
    )
    job(at, Recheck(built.session, built.question, built.created, built.created + 1, rows))
    at.run()
    assert not at.exception
    said = words(at)
    assert "1 unchanged, 1 changed, 1 gone, 1 cited passage no longer found word for word" in said
    assert "&lt;b&gt;It was said&lt;/b&gt; here." in said, "the first that fails is shown"
    table = next(
        frame.value
        for frame in at.dataframe
        if list(frame.value.columns) == list(source_recheck.FIELDS)
    )
    assert table["state"].tolist() == ["✓ unchanged", "≠ changed", "✕ gone"]
    assert table["stand"].tolist() == ["", "0 of 1", ""]
    assert table["notice"].tolist()[2] == "It answered 404."
