"""The Sources screen, without a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from parts.session.sources import actions, charts, filters, sliders, source_details, whatif_effect
from parts.session.sources import table as sources
from parts.shared import report_use
from parts.shared.badges import SOURCE_BADGES
from research_core.decisions import gate
from research_core.decisions.view import Listing, RunView, SourceView
from research_core.journal import store
from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.journal.store import Store
from research_core.models import Block, Judgement, Report, ReportSource, ScoreParts, Sentence
from research_core.pipeline import assessment, report
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.sessions import (
    heartbeats,
    runner,
    session_start,
    session_status,
    snapshot,
    whatif,
)
from research_core.sessions.workers import WorkerEngine
from research_core.wiring import LOCAL_USER, Resources
from tests.sample_sessions import SampleSessions, keys, research, shown, words


def grid(at: AppTest) -> dict[str, Any]:
    """What the table of sources is drawn from, as the browser gets it."""
    (one,) = (
        one for one in at.get("bidi_component") if "assay_sources" in one.proto.component_name
    )
    data: dict[str, Any] = json.loads(one.proto.json or one.proto.mixed.json)
    return data


def table(at: AppTest) -> Any:
    """The columns and cells of the table of sources, as text where they are drawn in parts."""
    data = grid(at)
    rows = []
    for row in data["rows"]:
        cells = {}
        for column in data["columns"]:
            cell = row["cells"].get(column["name"])
            if column["kind"] == "badge":
                cell = [data["badges"][cell][0]]
            elif column["kind"] == "source":
                cell = "\n".join(cell)
            elif column["kind"] == "action":
                assert cell is None or data["actions"][cell]  # its explanation
            elif column["kind"] == "text":
                cell = cell or ""
            cells[column["name"]] = cell
        rows.append(cells)
    return pd.DataFrame(rows, columns=[column["name"] for column in data["columns"]])


def test_without_a_session_it_says_what_it_is_for(samples: SampleSessions) -> None:
    assert "Every source found, including the ones not used" in words(shown("sources.py"))


def test_before_the_first_answer_it_says_so(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.cut("queued"))
    assert "No sources yet" in at.info[0].value
    assert not at.pills


def test_every_source_stands_there_decision_first_kept_ones_first(samples: SampleSessions) -> None:
    found = table(shown("sources.py", session=samples.answered))
    assert list(found.columns) == ["state", "score", "relevance", "source", "action", "why"]
    states = [state for (state,) in found["state"]]
    kept = states.count("✓ kept")
    assert states[:kept] == ["✓ kept"] * kept
    assert all("\n" in source for source in found["source"]), "the title, and the site beneath it"
    assert {"⊘ blocked", "○ not read"} <= set(states)
    of_blocked = found.loc[[state == "⊘ blocked" for state in states], "why"]
    assert all("0.50" in why for why in of_blocked)


def test_score_is_shown_with_its_parts(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    at.get_by_key("whole").set_value(True).run()
    found = table(at)
    kept = [state for (state,) in found["state"]].count("✓ kept")
    assert list(found["number"][:kept]) == list(range(1, kept + 1))
    scored = found[found["score"].notna()]
    again = scored["domain"] * 0.4 + scored["words"] * 0.5 + scored["date"]
    assert (again - scored["score"]).abs().max() < 0.001


def test_one_decision_at_a_time(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    at.get_by_key("only").set_value(["blocked"]).run()
    assert not at.exception
    states = [state for (state,) in table(at)["state"]]
    assert set(states) == {"⊘ blocked"}
    assert f"{SOURCE_BADGES['blocked'].label} {len(states)}" in at.get_by_key("only").options


def test_a_row_stays_in_sight_under_the_filter_of_its_decision_when_that_changes(
    samples: SampleSessions,
) -> None:
    at = shown("sources.py", session=samples.answered)
    at.get_by_key("only").set_value(["blocked"]).run()
    before = list(table(at)["source"])
    turn(at, minimum=0.1)
    assert list(table(at)["source"]) == before
    assert "⊘ blocked" not in states(at)
    assert "Rows stay where they were" in words(at)
    assert f"Also listed: {len(before)} sources that your settings move out" in words(at)


@pytest.mark.full
def test_sources_without_a_score_have_words_instead_of_a_chart(samples: SampleSessions) -> None:
    """A session over own documents alone: none of them is scored."""
    own = ("library",)
    session = session_start.new_session(
        samples.resources, "What is written here?", RunSettings(engines=own, library="my")
    )
    samples.resources.library(LOCAL_USER).add_uploads(
        [("a.md", b"# What is written\n\nWhat is written here is that herons eat frogs.")], "my"
    )
    assert (
        runner.resume_or_run(samples.resources, session, heartbeats.make_executor_id()).outcome
        == "done"
    )
    at = shown("sources.py", session=session)
    assert not at.get("plotly_chart")
    assert "No source has a credibility score" in words(at)


@pytest.mark.parametrize("status", ["running", "failed", "interrupted", "cancelled"])
def test_it_shows_what_there_is_of_a_session_without_a_report(
    samples: SampleSessions, status: str
) -> None:
    assert len(table(shown("sources.py", session=samples.cut(status)))) > 7


def test_row_of_a_hostile_source_is_words_only() -> None:
    parts = ScoreParts(0.9, "organisation", 0.7, 1.0, 0.1)
    judged = Judgement("x", "x", 3, "x", scored=False)
    hostile = ReportSource(
        "javascript:alert(1)",
        '=HYPERLINK("http://evil.example")\u202e',
        0,
        "kept",
        "@why\nnot",
        parts,
        judged,
    )
    row = sources._build_cells(hostile)
    assert row["source"][0] == '\'=HYPERLINK("http://evil.example")'
    assert row["why"] == "'@why not"
    assert row["url"] is None
    assert row["relevance"] is None


def test_every_state_of_a_source_has_its_own_sign_and_word() -> None:
    assert len({badge.symbol + badge.word for badge in SOURCE_BADGES.values()}) == len(
        SOURCE_BADGES
    )


# ---------------------------------------------------------------- what-if


def states(at: AppTest) -> list[str]:
    return [state for (state,) in table(at)["state"]]


def outcome(at: AppTest) -> str:
    (said,) = (html.proto.body for html in at.get("html") if 'class="outcome"' in html.proto.body)
    return str(said)


def effects(at: AppTest) -> str:
    (said,) = (html.proto.body for html in at.get("html") if 'class="effect"' in html.proto.body)
    return str(said)


def turn(at: AppTest, **values: float) -> AppTest:
    for name, value in values.items():
        at.get_by_key(f"if_{name}").set_value(value)
    at.run()
    assert not at.exception
    return at


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click().run()
    assert not at.exception
    return at


def blocked(samples: SampleSessions) -> str:
    """A source that the answered session blocked and never read."""
    run = snapshot.read_session(samples.resources, samples.answered).run
    return next(
        verdict.url for verdict in gate.decide_gate(run).verdicts if verdict.status == "blocked"
    )


def test_as_it_ran_nothing_changes_and_there_is_nothing_to_re_write(
    samples: SampleSessions,
) -> None:
    at = shown("sources.py", session=samples.answered)
    assert "Nothing would change" in effects(at)
    assert "would become" not in outcome(at)
    assert "was" not in table(at)
    assert at.button(key="rewrite").disabled
    assert at.button(key="if_back").disabled
    assert "Move the slider" in words(at)


def test_a_slider_decides_at_once_beside_what_the_run_decided(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    before = states(at)
    turn(at, minimum=0.8)
    assert "0.80" in " ".join(table(at)["why"])
    changed = [(was, now) for was, now in zip(before, states(at), strict=True) if was != now]
    assert {now for _, now in changed} == {"⊘ blocked"}
    assert [was for was in table(at)["was"] if was] == [was for was, _ in changed]
    assert "✓ cited" in {was for was, _ in changed}
    assert "Sentences without support" in effects(at)
    assert "Decision changed" in effects(at)
    assert "could no longer be used" in outcome(at)
    assert any(" (−" in option for option in at.get_by_key("only").options)
    assert not at.button(key="rewrite").disabled
    assert press(at, "if_back").get_by_key("if_minimum").value == 0.5
    assert "Nothing would change" in effects(at)


def test_rows_keep_their_places_and_numbers_while_sliders_move(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    at.get_by_key("whole").set_value(True).run()
    titles, numbers = list(table(at)["source"]), list(table(at)["number"].dropna())
    turn(at, cutoff=5, minimum=0.7)
    assert list(table(at)["source"]) == titles
    assert list(table(at)["number"].dropna()) == numbers


def test_the_outcome_that_would_change_is_said(samples: SampleSessions) -> None:
    at = turn(shown("sources.py", session=samples.answered), minimum=0.95)
    assert "full report</span> <b>would become</b>" in outcome(at)
    assert re.search("short report|no report", outcome(at))


def test_a_what_if_is_shared_by_its_address(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered, if_minimum="0.8", if_cutoff="4")
    assert (at.get_by_key("if_minimum").value, at.get_by_key("if_cutoff").value) == (0.8, 4)
    assert "0.80" in " ".join(table(at)["why"])


@pytest.mark.parametrize("bad", ["9", "-1", "abc", "nan", "", "0.5;drop"])
def test_an_address_nobody_can_mean_falls_back(samples: SampleSessions, bad: str) -> None:
    at = shown(
        "sources.py",
        session=samples.answered,
        if_minimum=bad,
        if_cutoff=bad,
        struck=bad,
        approved=bad,
        source=bad,
    )
    assert (at.get_by_key("if_minimum").value, at.get_by_key("if_cutoff").value) == (0.5, 3)
    assert "Nothing would change" in effects(at)


def test_a_short_report_that_needs_more_than_a_full_one_is_put_right_and_said(
    samples: SampleSessions,
) -> None:
    at = turn(shown("sources.py", session=samples.answered), full=3, short=5)
    assert "3 is used for both" in words(at)
    assert not at.error


def test_another_session_starts_with_its_own_settings(samples: SampleSessions) -> None:
    at = turn(shown("sources.py", session=samples.answered), minimum=0.8)
    at.query_params.clear()
    at.query_params["session"] = samples.unanswered
    at.run()
    assert at.get_by_key("if_minimum").value == 0.5
    assert "Nothing would change" in effects(at)


def test_a_lower_minimum_does_not_promise_a_report_on_what_no_source_names(
    samples: SampleSessions,
) -> None:
    strict = RunSettings(credibility=CredibilityPolicy(minimum=0.9))
    session = research(samples.resources, "How long do heat pumps last on average?", strict)
    at = shown("sources.py", session=session)
    assert "names “heat pumps”" not in words(at)
    said = words(turn(at, minimum=0.5))
    assert re.search(r"\d+ new pages? would be read\. None of the \d+ documents", said)
    assert "names “heat pumps”. Only the sample library was searched." in said


@pytest.mark.parametrize(
    ("asked", "stands"), [("0.8", 0.8), ("9", 0.5), ("abc", 0.5), ("nan", 0.5)]
)
def test_the_way_back_to_the_what_if_of_another_session_keeps_it(
    samples: SampleSessions, asked: str, stands: float
) -> None:
    name = sliders.short_source_name(blocked(samples))
    at = shown("sources.py", session=samples.unanswered)
    at.query_params.update({"session": samples.answered, "if_minimum": asked, "struck": name})
    at.run()
    assert not at.exception
    assert (at.get_by_key("if_minimum").value, at.get_by_key("if_cutoff").value) == (stands, 3)
    assert "✕ excluded" in states(at)


@pytest.mark.full
def test_a_selection_in_the_chart_stays_with_its_session(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.cut("cancelled"))
    at.session_state["picked"] = [blocked(samples)]
    assert states(at.run()) == ["⊘ blocked"]
    at.query_params["session"] = samples.answered
    assert len(states(at.run())) > 7


# ---------------------------------------------------------------- one source, and what is done by hand


def test_a_source_opens_by_its_number_in_the_report_and_by_its_name(
    samples: SampleSessions,
) -> None:
    said = words(shown("sources.py", session=samples.answered, source="1"))
    assert '<p class="title"><b>[1]</b>' in said
    assert "0.90 × weight 0.40" in said
    assert re.search(r"\d\.\d\d × weight 0\.50", said)
    assert "✓ mining" in said
    assert "passages read" in said
    assert "needs more than 0.50. Relevance 5/5, needs 3 or more." in said
    assert said.index("needs 3 or more") < said.index("0.90 × weight 0.40"), (
        "the reason, then the sums"
    )
    assert said.index("On the subject (") < said.index("needs more than 0.50."), "the reason first"
    assert "Relevance 5/5: how it was graded" in said
    assert "Mentions " in said
    assert "Half of the score counts your question&#x27;s words in the snippet" in said
    assert "in the search result&#x27;s snippet:" in said
    assert "Credibility only decides which search results are read." in said
    by_name = words(
        shown(
            "sources.py",
            session=samples.answered,
            source=sliders.short_source_name(blocked(samples)),
        )
    )
    assert re.search(r"✕ <s>\w+</s>", by_name)
    assert "Not cited in the report" in by_name


def test_a_score_at_its_cap_says_so_and_its_bar_ends_there(samples: SampleSessions) -> None:
    at = shown(
        "sources.py",
        session=samples.answered,
        source="1",
        if_domain="1.0",
        if_words="1.0",
        if_date="1.0",
    )
    (bar,) = re.findall(r'<div class="sum".*?</div>', words(at))
    assert "1.00, needs more than 0.50, capped at 1.00" in words(at)
    assert 99 < sum(float(width) for width in re.findall(r"width:([\d.]+)%", bar)) < 100.5


def test_the_sentences_that_cite_it_lead_into_the_report(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered, source="1")
    cited = [link for link in at.get("page_link") if "cite=" in str(link.proto)]
    assert cited
    assert {link.proto.page for link in cited} == {"report"}


def test_a_struck_source_takes_its_sentences_along(samples: SampleSessions) -> None:
    run = snapshot.read_session(samples.resources, samples.answered).run
    assert run.gated
    at = shown(
        "sources.py",
        session=samples.answered,
        struck=sliders.short_source_name(run.gated["kept"][0]),
    )
    assert "✕ excluded" in states(at)
    assert "cites only [1] ✕ excluded" in effects(at)


def test_striking_is_done_on_the_card_and_taken_back_there(samples: SampleSessions) -> None:
    name = sliders.short_source_name(blocked(samples))
    at = press(shown("sources.py", session=samples.answered, source=name), "strike")
    assert "✕ excluded" in states(at)
    assert name in at.query_params["struck"]
    assert keys(at) >= {"restore", "close"}
    assert "Nothing would change" in effects(press(at, "restore"))
    assert "struck" not in at.query_params


@pytest.mark.full
def test_approving_a_blocked_source_says_it_would_be_read(samples: SampleSessions) -> None:
    name = sliders.short_source_name(blocked(samples))
    before = shown("sources.py", session=samples.answered, source=name)
    count_blocked = states(before).count("⊘ blocked")
    at = press(before, "approve")
    assert "◇ would be read" in states(at)
    assert "1 new page would be read." in words(at)
    assert "included by you, not read yet" in effects(at)
    again = shown("sources.py", session=samples.answered, approved=name)
    assert states(again) == states(at)
    assert states(press(again, "if_back")).count("⊘ blocked") == count_blocked


def test_a_re_write_runs_under_the_sliders_and_the_hands(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    url = blocked(samples)
    at = shown(
        "sources.py",
        session=samples.answered,
        approved=sliders.short_source_name(url),
        struck=sliders.short_source_name("nobody"),
    )
    press(turn(at, minimum=0.6, cutoff=4), "rewrite")
    (new,) = {info.row.id for info in session_status.list_sessions(samples.resources)} - {
        samples.answered,
        samples.unanswered,
    }
    row = session_status.read_session_info(samples.resources, new).row
    settings = RunSettings.from_json(row.settings)
    assert (
        settings.credibility.minimum,
        settings.relevance_cutoff,
        settings.approved,
        settings.struck,
    ) == (0.6, 4, (url,), ())
    assert row.parent == samples.answered
    assert session_status.read_session_info(samples.resources, new).status == "queued"


@pytest.mark.full
def test_at_work_a_strike_is_a_command_to_the_run(samples: SampleSessions) -> None:
    session = samples.cut("running")
    at = shown("sources.py", session=session)
    assert {"✓ kept", "⊘ blocked"} <= set(states(at))
    url = next(
        source.url
        for source in snapshot.read_session(samples.resources, session).sources
        if source.status == "kept"
    )
    press(shown("sources.py", session=session, source=sliders.short_source_name(url)), "strike")
    (command,) = Store(samples.resources.db, LOCAL_USER, session).read(kinds=("command",))
    assert command.data == {"do": "strike", "url": url}
    assert {"◑ being judged", "⊘ blocked"} <= set(
        states(shown("sources.py", session=samples.cut("running", before="judged")))
    )


def test_while_it_is_written_nothing_is_offered_that_the_run_would_refuse(
    samples: SampleSessions,
) -> None:
    at = shown("sources.py", session=samples.cut("running", before="written"), source="1")
    assert keys(at) & {"approve", "strike", "restore", "close"} == {"close"}
    assert "The gate has decided" in words(at)
    assert "action" not in table(at)


@pytest.mark.full
def test_what_comes_too_late_is_said_beside_the_table_until_something_else_is_done(
    samples: SampleSessions,
) -> None:
    session = samples.cut("running")
    url = next(
        source.url
        for source in snapshot.read_session(samples.resources, session).sources
        if source.status == "kept"
    )
    at = shown("sources.py", session=session, source=sliders.short_source_name(url))
    samples.end(
        session, "cancelled", store.find_session(samples.resources.db, LOCAL_USER, session).epoch
    )
    (refused,) = press(at, "strike").error
    assert "is no longer running" in refused.value
    assert [error.value for error in at.run().error] == [refused.value], (
        "no look at the log takes it away"
    )
    drawn = [node.type for node in at.main]
    assert drawn.index("title") < drawn.index("error"), (
        "what a callback draws stands above the app, and breaks the page"
    )
    assert not press(at, "close").run().error


# ---------------------------------------------------------------- filters and ledger


@pytest.mark.full
def test_words_and_flips_narrow_the_table(samples: SampleSessions) -> None:
    at = turn(shown("sources.py", session=samples.answered), minimum=0.7)
    at.get_by_key("only").set_value(["flips"]).run()
    assert all(was for was in table(at)["was"])
    at.get_by_key("only").set_value([])
    at.get_by_key("find").set_value("Plume HALYARD").run()
    assert [("halyard" in source, "plume" in source) for source in table(at)["source"]] == [
        (True, True)
    ]


def test_what_was_selected_in_the_chart_narrows_the_table(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    at.session_state["picked"] = [blocked(samples), "of another session"]
    at.run()
    assert states(at) == ["⊘ blocked"]
    assert len(states(press(at, "unpick"))) > 7


def test_a_filter_by_one_decision_names_the_rule_and_the_way_back(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    for status in ("blocked", "not_read"):
        at.get_by_key("only").set_value([status]).run()
        assert not at.exception
        assert filters.RULES[status] in words(at)
        assert set(table(at)["action"]) == {"Include"}


def test_every_row_offers_what_can_be_done_with_it(samples: SampleSessions) -> None:
    at = turn(shown("sources.py", session=samples.answered), cutoff=5)
    offered = set(zip(states(at), table(at)["action"], strict=True))
    assert ("✓ cited", "Exclude") in offered
    assert ("⊘ blocked", "Include") in offered
    assert ("– dropped", "Keep 3 more (relevance 4/5 or more)") in offered


@pytest.mark.parametrize(
    ("status", "approved", "score", "label"),
    [
        ("kept", False, 5, "Exclude"),
        ("kept", True, 5, "Undo include"),
        ("blocked", False, 0, "Include"),
        ("readable", True, 0, "Undo include"),
        ("dropped", False, 2, "Keep 2 more (relevance 2/5 or more)"),
        ("dropped", False, 5, "Keep this one (relevance 5/5)"),
        ("struck", False, 4, "Restore"),
        ("failed", False, 0, None),
        ("duplicate", False, 0, None),
    ],
)
def test_the_action_of_a_row_follows_its_state(
    status: str, approved: bool, score: int, label: str | None
) -> None:
    judged = Judgement("x", "x", score, "x") if score else None
    source = ReportSource(
        "https://a.example", "A", 0, status, "why", None, judged, approved=approved
    )
    others = [
        replace(source, url=f"https://{n}.example", relevance=Judgement("x", "x", n, "x"))
        for n in (1, 3)
    ]
    action = actions.choose_row_action(source, [source, *others])
    assert (action.label if action else None) == label


def test_every_state_a_source_can_end_in_has_a_rule_or_is_kept() -> None:
    assert set(filters.RULES) | {"kept", "waiting", "reading", "judging"} == set(SOURCE_BADGES)


@pytest.mark.parametrize("minimum", [0.3, 0.45, 0.62, 0.7])
def test_the_table_and_the_preview_count_the_same_pages_to_be_read(
    samples: SampleSessions, minimum: float
) -> None:
    at = turn(shown("sources.py", session=samples.answered), minimum=minimum)
    would_be_read = states(at).count("◇ would be read")
    said = re.search(r"(\d+) new pages? would be read\.", outcome(at))
    assert (int(said[1]) if said else 0) == would_be_read


# ---------------------------------------------------------------- drawing


def test_every_state_has_a_sign_of_its_own_in_the_chart() -> None:
    assert set(charts.POINT_SYMBOLS) == set(SOURCE_BADGES)
    at_the_end = [
        charts.POINT_SYMBOLS[status] for status in filters.RULES if status != "not_read"
    ] + [
        charts.POINT_SYMBOLS["kept"],
        charts.POINT_SYMBOLS["not_read"],
    ]
    assert len(set(at_the_end)) == len(at_the_end)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chart_keeps_its_strips_in_the_policy_s_order_and_names_no_black(
    samples: SampleSessions, theme: str
) -> None:
    run = snapshot.read_session(samples.resources, samples.answered).run
    what = whatif.decide_under(run, whatif.get_current_settings(run))
    tiers = [tier.name for tier in run.settings.credibility.tiers]
    drawn = charts.build_figure(what.sources, tiers, 0.5, theme)
    assert drawn["layout"]["yaxis"]["ticktext"] == [
        "academic or government",
        "organisation",
        "general web",
    ]
    assert drawn["layout"]["shapes"][0]["line"]["color"] == charts.NEUTRAL_COLOR
    assert drawn["layout"]["xaxis"]["title"]["text"] == "Credibility"
    # The legend draws each symbol before the name.
    assert all(trace["name"].replace(" ", "").isalpha() for trace in drawn["data"])
    points = {
        url: score
        for trace in drawn["data"]
        for (url,), score in zip(trace["customdata"], trace["x"], strict=True)
    }
    assert points == {source.url: source.parts.score for source in what.sources if source.parts}
    assert {trace["marker"]["color"] for trace in drawn["data"]} <= set(
        charts.TONE_COLORS[theme].values()
    )


def test_blocked_rows_are_tinted_and_no_others(samples: SampleSessions) -> None:
    at = turn(shown("sources.py", session=samples.answered), minimum=0.7)
    tinted = [row["cells"]["state"] for row in grid(at)["rows"] if row.get("tint")]
    assert tinted
    assert set(tinted) == {"blocked"}
    assert states(at).count("⊘ blocked") == len(tinted)


def notes(row: dict[str, Any], column: str) -> list[str]:
    """Return the small print of a cell."""
    return [text for text, _help in row["notes"].get(column, ())]


@pytest.mark.parametrize("whole", [False, True])
def test_a_used_source_that_is_low_after_reading_says_so_beside_its_credibility(
    samples: SampleSessions, *, whole: bool
) -> None:
    at = shown("sources.py", session=samples.answered)
    if whole:
        at.get_by_key("whole").set_value(True).run()
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    assessed = assessment.assess(built)
    low = {}
    for source in built.sources:
        found = assessed.get(source.url)
        if source.status == "kept" and found and found.level in ("low", "very low"):
            name = sliders.short_source_name(source.url)
            low[name] = f"after reading: {found.value:.2f} {found.level}"
    marked = {}
    for row in grid(at)["rows"]:
        for text in notes(row, "score"):
            if text.startswith("after reading"):
                marked[row["id"]] = text
    assert low
    assert marked == low


def test_all_columns_stay_when_another_screen_was_open(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    at.get_by_key("whole").set_value(True).run()
    for screen in ("report.py", "sources.py"):
        at.switch_page(screen).run()
    assert not at.exception
    assert at.get_by_key("whole").value
    assert "assessed" in table(at).columns


def test_the_weakest_source_that_the_report_cites_is_marked(samples: SampleSessions) -> None:
    rows = grid(shown("sources.py", session=samples.answered))["rows"]
    (marked,) = (row for row in rows if "lowest of those cited" in notes(row, "score"))
    cited = [row["cells"] for row in rows if row["cells"]["state"] == "cited"]
    assert marked["cells"]["score"] == min(cells["score"] for cells in cited if "score" in cells)


@pytest.mark.parametrize(
    ("scores", "marked"),
    [
        ([0.9, 0.76, 0.76], 2),
        ([0.9, 0.762, 0.758], 2),
        ([0.9, 0.8], 1),
        ([0.7, 0.7], 0),
        ([0.7], 0),
    ],
)
def test_all_sources_with_the_lowest_score_are_marked(scores: list[float], marked: int) -> None:
    found = [
        ReportSource(
            f"https://{n}.example", "A", n, "kept", "", ScoreParts(score, "x", 0, 0, 0), None
        )
        for n, score in enumerate(scores, 1)
    ]
    beside: Any = SimpleNamespace(
        whatif=SimpleNamespace(sources=found), find_use=lambda source: source.status
    )
    assert len(sources.find_weakest(beside)) == marked


def test_a_kept_source_that_no_sentence_cites_says_so(samples: SampleSessions) -> None:
    run = snapshot.read_session(samples.resources, samples.answered).run
    built = report.build(run)
    cited = {name for block in built.blocks for one in block.sentences for name in one.citations}
    expected = {
        sliders.short_source_name(source.url)
        for source in built.sources
        if source.number and not cited & {passage.id for passage in source.passages}
    }
    rows = grid(shown("sources.py", session=samples.answered))["rows"]
    marked = {row["id"] for row in rows if row["cells"]["state"] == "uncited"}
    assert expected
    assert marked == expected


def test_a_rewrite_marks_the_pages_it_read_anew_until_the_next_one(
    samples: SampleSessions,
) -> None:
    url = blocked(samples)
    run = snapshot.read_session(samples.resources, samples.answered).run
    asked = replace(run.settings, approved=(*run.settings.approved, url))
    first = rewrite(samples.resources, samples.answered, asked)
    second = rewrite(samples.resources, first, asked)
    for session, new in ((samples.answered, []), (first, [url]), (second, [])):
        at = shown("sources.py", session=session)
        rows = grid(at)["rows"]
        marked = [row["id"] for row in rows if "read in this version" in notes(row, "state")]
        assert marked == [sliders.short_source_name(one) for one in new]
        said = words(at)
        assert ("1 page newly read" in said) == bool(new)
        # The page is read, but no sentence quotes it.
        same = "The report does not quote the new page, so its text is the same as before."
        assert (same in said) == bool(new)
        reason = "(not quoted: dropped, relevance 2/5)"
        assert (reason in said) == bool(new)
        as_before = re.search(r"As before: \d+ cited sentences?, \d+ sources kept, ", said)
        assert bool(as_before) == (session != samples.answered)
        assert ("Included by hand" in said) == bool(new)
        assert "Now: " not in said


@pytest.mark.parametrize(
    ("heading", "cites", "answered"),
    [
        ("How long does the seabed need to recover?", True, True),
        ("Wie lange braucht der Meeresboden?", True, True),
        ("海底需要多久恢复？", True, True),
        ("كم يحتاج قاع البحر؟", True, True),
        ("How long does the seabed need to recover?", False, False),
        ("The recovery of the seabed", True, False),
        ("Does the sea floor recover?", True, False),  # the title of a source
    ],
)
def test_a_question_is_answered_where_a_cited_sentence_is_below_it(
    heading: str, cites: bool, answered: bool
) -> None:
    source = ReportSource(
        "https://a.example.org/", "Does the sea floor recover?", 1, "kept", "", None
    )
    blocks = (
        Block("heading", (Sentence(heading),), 3),
        Block("bullet", (Sentence("It takes 50 years.", ("p00000001",) if cites else ()),)),
    )
    built = Report(
        "s", "?", 0.0, {}, "full_report", "", "", "", blocks, (source,), {}, (), (), {}, {}
    )
    assert report_use.list_answered_questions(built) == ([heading] if answered else [])


def test_a_rewrite_says_what_it_came_to_if_that_is_not_as_before(samples: SampleSessions) -> None:
    run = snapshot.read_session(samples.resources, samples.answered).run
    strict = replace(run.settings, credibility=CredibilityPolicy(minimum=0.99))
    said = words(shown("sources.py", session=rewrite(samples.resources, samples.answered, strict)))
    assert re.search(
        r"Minimum credibility 0\.50 → 0\.99\."
        r" Before: \d+ cited sentences?, .+\. Now: no report, \d+ sources? kept\.",
        said,
    )
    assert "As before" not in said


def rewrite(resources: Resources, session: str, run: RunSettings) -> str:
    """Rewrite a session here and now; the new session."""
    new = session_start.rewrite(resources, session, run)
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(resources, executor):
        assert runner.resume_or_run(resources, new, executor).outcome == "done"
    return new


@pytest.mark.parametrize(
    ("score", "minimum"),
    [
        (0.36, 0.35),
        (0.365, 0.36),
        (0.5, 0.49),
        (0.301, 0.3),
        (0.01, 0.0),
        (0.004, 0.0),
        (0.0, None),
    ],
)
def test_the_minimum_that_a_blocked_source_passes_is_the_highest_one(
    score: float, minimum: float | None
) -> None:
    parts = ScoreParts(score, "general web", 0.4, 0.0, 0.0)
    source = ReportSource("https://a.example", "A", 0, "blocked", "why", parts)
    assert source_details.find_minimum_below(source) == minimum
    if minimum is not None:
        assert not CredibilityPolicy(minimum=minimum).blocks(score)
        assert CredibilityPolicy(minimum=minimum + 0.01).blocks(score)


@pytest.mark.parametrize(
    ("scores", "final_url", "said"),
    [
        ([0.4], "", ""),
        ([0.4, 0.4, 0.404], "", ""),
        (
            [0.4, 0.65, 0.5],
            "https://www.example.org/b",
            "3 searches found it, with scores from 0.40 to 0.65. The highest score counts.",
        ),
        (
            [0.4, 0.65],
            "https://else.example/",
            "2 searches found it, with scores from 0.40 to 0.65."
            " It redirects to another site, so the score of the first search counts.",
        ),
    ],
)
def test_a_source_with_several_scores_says_which_one_counts(
    scores: list[float], final_url: str, said: str
) -> None:
    listings = []
    for order, score in enumerate(scores):
        parts = ScoreParts(score, "general web", score, 0.0, 0.0)
        listings.append(Listing(order, 0, "A", "", "north", parts, parts if final_url else None))
    source = SourceView("https://a.example.org/", tuple(listings), final_url=final_url)
    run = RunView(rules=RULE_VERSIONS, sources={source.url: source})
    shown = gate.find_score(source, run)
    assert shown is not None
    assert " ".join(source_details.describe_range(source.url, shown, run)) == said


def test_a_query_that_is_planned_and_refined_is_one_search() -> None:
    parts = [ScoreParts(score, "general web", score, 0.0, 0.0) for score in (0.4, 0.5, 0.5, 0.6)]
    listings = [Listing(order, 0, "A", "", "north", each) for order, each in enumerate(parts)]
    listings.append(Listing(2, 0, "A", "", "south", parts[2]))
    texts = ("price of salt", "salt price", "salt price", "salt")
    run = RunView(queries={order: {"text": text} for order, text in enumerate(texts)})
    scores = gate.list_scores(SourceView("https://a.example.org/", tuple(listings)), run)
    assert [each.score for each in scores] == [0.4, 0.5, 0.6, 0.5]


def test_a_dropped_source_leads_to_the_minimum_relevance_that_keeps_it(
    samples: SampleSessions,
) -> None:
    at = shown("sources.py", session=samples.answered, if_cutoff="5")
    dropped = next(row["id"] for row in grid(at)["rows"] if row["cells"]["state"] == "dropped")
    at = shown("sources.py", session=samples.answered, if_cutoff="5", source=dropped)
    score = int(at.button(key="lower_cutoff").label.partition("/")[0][-1])
    press(at, "lower_cutoff")
    assert at.get_by_key("if_cutoff").value == score < 5
    assert "lower_cutoff" not in keys(at)


def test_one_press_lowers_the_minimum_so_that_a_blocked_source_is_read(
    samples: SampleSessions,
) -> None:
    name = sliders.short_source_name(blocked(samples))
    at = shown("sources.py", session=samples.answered, source=name)
    lower = float(at.button(key="lower_minimum").label.split()[-1])
    press(at, "lower_minimum")
    assert at.get_by_key("if_minimum").value == lower < 0.5
    assert "lower_minimum" not in keys(at)
    assert "1 new page would be read. Only pages that newly pass are read beyond" in outcome(at)
    assert not at.button(key="rewrite").disabled


def test_switches_stand_in_the_address_by_names_that_no_language_changes(
    samples: SampleSessions,
) -> None:
    at = shown("sources.py", session=samples.answered)
    assert "if_parts" not in at.query_params
    at.get_by_key("if_parts").set_value(["override", "name"]).run()
    assert at.query_params["if_parts"] == ["override", "name"]
    at.get_by_key("if_parts").set_value([]).run()
    assert at.query_params["if_parts"] == "none"
    again = shown("sources.py", session=samples.answered, if_parts="none")
    assert again.get_by_key("if_parts").value == []
    press(again, "if_back")
    assert "if_parts" not in again.query_params


@pytest.mark.parametrize("words", ["<b>bold</b>", "<img src=x onerror=alert(1)>", "a & b <script>"])
def test_what_others_wrote_draws_no_tag_in_lists_and_labels(words: str) -> None:
    source = ReportSource(
        "javascript:alert(1)",
        words,
        0,
        "blocked",
        words,
        ScoreParts(0.2, "general web", 0.4, 0.0, 0.0),
    )
    flip = whatif.Flip(source.url, "kept", "blocked", words)
    assert words not in whatif_effect._format_flip(flip, source)
    assert "href" not in whatif_effect._format_flip(flip, source)
    assert "<" not in charts._format_hover(source)
