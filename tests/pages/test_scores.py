"""Scores that move on the Sources screen: what is said of them, the chart, the switches of an
assessment, and hosts nobody knows.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from parts.session.sources import charts, sliders, whatif_effect
from research_core import urls
from research_core.models import ReportSource, ScoreParts
from research_core.policy import Override
from research_core.sessions import snapshot, whatif
from research_core.sessions.whatif import Flip, Shift
from research_core.trust import provenance
from tests.pages.test_sources import effects, states, table, turn
from tests.sample_sessions import SampleSessions, crowded, shown, words


def first(samples: SampleSessions, session: str = "") -> ReportSource:
    """The best source of the web that the session kept."""
    found = snapshot.read_session(samples.resources, session or samples.answered).sources
    return next(source for source in found if source.status == "kept" and source.parts)


def tried(samples: SampleSessions, value: float) -> AppTest:
    """The screen with a word on the host of that source tried on it."""
    at, host = shown("sources.py", session=samples.answered), urls.find_host(first(samples).url)
    at.session_state["if_said"] = {host: Override(host, value, "mine")}
    at.run()
    assert not at.exception
    return at


def test_scores_that_change_are_said_though_no_decision_does(samples: SampleSessions) -> None:
    source = first(samples)
    assert source.parts
    at = tried(samples, 0.5)
    assert "1 score changes by −0.16." in effects(at)
    assert f"{source.parts.score:.2f} → {source.parts.score - 0.16:.2f}" in effects(at)
    assert "Nothing would change" not in effects(at)
    assert not at.button(key="rewrite").disabled
    options = at.get_by_key("only").options
    assert any(option.startswith("≠ score changed 1 of ") for option in options)
    assert "Rows stay where they were" in words(at)
    assert list(table(at)["scored"].dropna()) == [source.parts.score]


@pytest.mark.parametrize(
    ("flips", "shifts", "said"),
    [
        (0, [], "No decision and no score changes."),
        (1, [], "1 decision changes."),
        (0, [0.1], "1 score changes by +0.10."),
        (2, [0.1, -0.2], "2 decisions change. 2 scores change by −0.20 to +0.10."),
        (0, [0.1, 0.1001], "2 scores change by +0.10."),
    ],
)
def test_what_changes_in_a_sentence(flips: int, shifts: list[float], said: str) -> None:
    what: Any = SimpleNamespace(
        flips=[Flip("u", "kept", "blocked", "")] * flips,
        shifts=[Shift("u", 0.5, 0.5 + by) for by in shifts],
    )
    assert whatif_effect.format_changes(what) == said
    assert whatif_effect.format_changes(what, as_ran=True).startswith(
        "Nothing would change" if not (flips or shifts) else said[:5]
    )


def test_the_chart_moves_and_shows_from_where(samples: SampleSessions) -> None:
    run = snapshot.read_session(samples.resources, samples.answered).run
    url = first(samples).url
    host = urls.find_host(url)
    what = whatif.decide_under(
        run,
        whatif.tune_settings(
            run, whatif.read_dials(run), overrides={host: Override(host, 0.2, "x")}
        ),
    )
    (shift,) = what.shifts
    drawn = charts.build_figure(what.sources, [], 0.5, "light", {shift.url: shift.was})
    points = {
        one: x
        for trace in drawn["data"]
        if trace["mode"] == "markers"
        for (one,), x in zip(trace["customdata"], trace["x"], strict=True)
    }
    assert points[url] == shift.now != shift.was
    (path,) = (trace for trace in drawn["data"] if trace["mode"] == "lines")
    assert path["x"] == [shift.was, shift.now, None]
    assert "customdata" not in path
    many = {source.url: 0.1 for source in what.sources} | {
        f"https://{n}.example": 0.1 for n in range(charts.SMALL_SET)
    }
    assert all(
        trace["mode"] == "markers"
        for trace in charts.build_figure(what.sources, [], 0.5, "light", many)["data"]
    )


def test_the_slider_of_a_word_opens_at_what_the_host_counts(samples: SampleSessions) -> None:
    source = first(samples)
    assert source.parts
    at = shown("sources.py", session=samples.answered, source=sliders.short_source_name(source.url))
    assert (
        at.get_by_key(f"word_value_{urls.find_host(source.url)}").value
        == source.parts.domain
        == 0.9
    )


# ---------------------------------------------------------------- the assessment once a page is read


@pytest.mark.full
def test_what_a_page_shows_can_be_switched_off_and_the_card_and_the_table_say_what_changes(
    samples: SampleSessions,
) -> None:
    at = shown("sources.py", session=samples.answered)
    at.toggle(key="whole").set_value(True).run()
    before = table(at).set_index("source")["assessed"]
    assert "assessed_was" not in table(at)
    at.get_by_key("if_read").set_value(["corroboration"]).run()
    assert not at.exception
    now = table(at).set_index("source")
    assert (now["assessed"] != before).sum() == (now["assessed_was"] != "").sum() > 0
    title = now.index[0]
    value, level = before[title].split(" ", 1)
    changed, then = now["assessed"][title].split(" ", 1)
    assert float(changed) < float(value)
    card = words(shown("sources.py", session=samples.answered, source="1", if_read="Corroboration"))
    assert f"Quality after reading: {value}, {level} → {changed}, {then}" in card
    assert 'names its author <span class="about">(not counted)</span>' in card
    at.run()
    assert at.button(key="rewrite").disabled, "it is no setting of a run"
    assert "Nothing would change" in effects(at)
    at.button(key="if_back").click().run()
    assert list(table(at)["assessed"]) == list(before)


@pytest.mark.full
def test_who_says_the_same_can_be_switched_off(samples: SampleSessions) -> None:
    session = crowded(samples.resources, 60, read=20, sentences=30)
    at = shown("sources.py", session=session)
    at.toggle(key="whole").set_value(True).run()
    at.get_by_key("if_read").set_value(["page"]).run()
    assert not at.exception
    rows = table(at)
    if "assessed_was" in rows:
        lost = rows[rows["assessed_was"] != ""]
        assert all(
            float(now.split()[0]) < float(was.split()[0])
            for now, was in zip(lost["assessed"], lost["assessed_was"], strict=True)
        )


def test_the_address_keeps_what_counts_once_read(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered, if_read="Corroboration")
    assert at.get_by_key("if_read").value == ["corroboration"]
    at.query_params.clear()
    at.query_params["session"] = samples.unanswered
    at.run()
    assert at.get_by_key("if_read").value == ["page", "corroboration"]


def test_the_way_back_to_another_session_keeps_what_was_switched_off(
    samples: SampleSessions,
) -> None:
    at = shown("sources.py", session=samples.unanswered)
    at.query_params.update(
        {
            "session": samples.answered,
            "if_parts": ["Your rating", "Names"],
            "if_read": "Page content",
        }
    )
    at.run()
    assert not at.exception
    assert (at.get_by_key("if_parts").value, at.get_by_key("if_read").value) == (
        ["override", "name"],
        ["page"],
    )


# ---------------------------------------------------------------- hosts nobody knows


def test_unknown_hosts_are_counted_marked_and_can_be_picked_out(samples: SampleSessions) -> None:
    at = shown("sources.py", session=samples.answered)
    found = snapshot.read_session(samples.resources, samples.answered).sources
    unknown = [source for source in found if source.parts and source.parts.basis == "unknown"]
    assert unknown
    assert f"? unknown site {len(unknown)} of {len(found)}" in at.get_by_key("only").options
    at.toggle(key="whole").set_value(True).run()
    assert list(table(at)["host"]).count("? unknown site") == len(unknown)
    at.get_by_key("only").set_value(["unknown"]).run()
    assert len(states(at)) == len(unknown)
    card = words(
        shown(
            "sources.py", session=samples.answered, source=sliders.short_source_name(unknown[0].url)
        )
    )
    assert "? unknown site" in card


def test_a_host_that_something_is_known_of_is_not_unknown() -> None:
    for basis, unknown in (("unknown", True), ("tier", False), ("outlet", False), ("", False)):
        parts = ScoreParts(0.5, "general web", 0.4, 0.5, 0.0, basis=basis)
        assert (
            provenance.is_unknown_host(ReportSource("https://a.example", "A", 0, "kept", "", parts))
            is unknown
        )
    assert not provenance.is_unknown_host(ReportSource("own:1", "A", 0, "kept", "", None))


# ---------------------------------------------------------------- confidence and rows


def test_the_computed_confidence_before_and_after_stands_with_what_changes(
    samples: SampleSessions,
) -> None:
    at = turn(shown("sources.py", session=samples.answered), minimum=0.7)
    assert "<h2>Confidence: " in effects(at)
    assert "Independent sources cited on the question: " in effects(at)
    # Anew, since AppTest forgets the slider, which a turn of it does not draw again.
    strict = turn(shown("sources.py", session=samples.answered), minimum=0.99)
    assert "→ no report" in effects(strict)


def test_beside_an_opened_source_the_reason_comes_before_what_its_card_says(
    samples: SampleSessions,
) -> None:
    name = sliders.short_source_name(first(samples).url)
    columns = list(table(shown("sources.py", session=samples.answered, source=name)).columns)
    assert columns == ["state", "score", "source", "why"]
