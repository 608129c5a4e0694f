"""What-if: what flips, what loses support, what would be read, always beside what the run itself
decided.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core import urls
from research_core.decisions import gate as decide
from research_core.decisions.view import RunView, fold_events
from research_core.errors import UsageError
from research_core.journal.tables import open_database
from research_core.modes import MODES, ResearchMode
from research_core.pipeline import confidence, report
from research_core.pipeline import run as pipeline
from research_core.pipeline.admission import INSTRUCTION_SHARE
from research_core.policy import CredibilityPolicy, Override
from research_core.sessions import heartbeats, runner, session_start, snapshot, whatif
from research_core.sessions.whatif import (
    Dials,
    decide_under,
    forecast_reading,
    get_current_settings,
    read_dials,
    recompute_confidence,
    suggest_lower_minimum,
    tune_settings,
)
from research_core.settings import Settings
from research_core.urls import find_host
from research_core.wiring import Resources
from tests.decisions.test_gate import FULL, WEAK, Log, random_run, web
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.sample_sessions import ANSWERED, crowded, research
from tests.timing import measure_slowness
from tests.world import QUESTION as WORLD_QUESTION
from tests.world import Place, World

PARTIAL = "quantum error"  # 0.53 at an .org, 0.41 at a .com
COM = web(9, "com")


def decided(log: Log, *sentences: tuple[str, ...]) -> RunView:
    """The run with its gate stored, and a text of sentences that cite these passages."""
    gate = log.gate()
    verdicts = [vars(verdict) for verdict in gate.verdicts]
    log("gated", **{**vars(gate), "kept": list(gate.kept), "verdicts": verdicts})
    said = [
        {"text": f"Sentence {n}.", "citations": list(cited), "state": "supported", "note": ""}
        for n, cited in enumerate(sentences)
    ]
    log("written", text="", removed=0)(
        "verified", blocks=[{"kind": "paragraph", "level": 0, "sentences": said}]
    )
    return fold_events(log.events)


def read(log: Log, url: str, passage: str, score: int = 4, snippet: str = FULL) -> Log:
    log.found(url, snippet)("admitted", url=url)(
        "fetched", url=url, final_url=url, title=url, published="", page={"$text": url}
    )
    log(
        "passages",
        url=url,
        passages=[{"id": passage, "text": passage, "start": 0, "end": 2}],
        summary="words",
    )
    return log.judged(url, score)


def turned(run: RunView, **changes: Any) -> whatif.WhatIf:
    return decide_under(run, tune_settings(run, replace(read_dials(run), **changes)))


def by_hand(run: RunView, **hands: str) -> whatif.WhatIf:
    return decide_under(
        run, tune_settings(run, read_dials(run), {url: do for do, url in hands.items()})
    )


def flips(what: whatif.WhatIf) -> dict[str, tuple[str, str]]:
    return {flip.url: (flip.was, flip.now) for flip in what.flips}


# ---------------------------------------------------------------- settings


def test_dials_that_nobody_touched_leave_the_settings_as_they_are() -> None:
    for settings in ({}, {"mode": "deep", "relevance_cutoff": 4}, {"min_full": 3, "min_short": 1}):
        run = decided(Log(**settings).source(web(1)))
        assert tune_settings(run, read_dials(run)) == get_current_settings(run) == run.settings


def test_turned_dials_are_the_settings_of_a_re_write() -> None:
    run = decided(Log(instructions=("only 2025",), engines=("north", "south")).source(web(1)))
    settings = tune_settings(run, Dials(0.6, 0.3, 0.4, 0.2, 4, 3, 2))
    policy = settings.credibility
    assert (
        policy.minimum,
        policy.domain_weight,
        policy.relevance_weight,
        policy.recency_bonus,
    ) == (0.6, 0.3, 0.4, 0.2)
    assert (settings.relevance_cutoff, settings.min_full, settings.min_short) == (4, 3, None)
    assert (settings.instructions, settings.engines, settings.mode) == (
        ("only 2025",),
        ("north", "south"),
        "standard",
    )


def test_only_the_exhaustive_mode_has_a_page_limit_to_turn() -> None:
    fixed = decided(Log().source(web(1)))
    assert read_dials(fixed).sources == 0
    assert tune_settings(fixed, replace(read_dials(fixed), sources=50)) == fixed.settings
    run = decided(Log(mode="exhaustive", sources=20).source(web(1)))
    dials = read_dials(run)
    settings = tune_settings(run, replace(dials, sources=60))
    assert (dials.sources, settings.sources) == (20, 60)
    assert read_dials(
        decided(
            Log(
                mode="exhaustive",
                sources=60,
                min_full=settings.min_full,
                min_short=settings.min_short,
            ).source(web(1))
        )
    ) == replace(dials, sources=60), "the thresholds stay as the dials show them"
    with pytest.raises(UsageError):
        tune_settings(run, replace(dials, sources=101))


def test_a_rewrite_that_reads_keeps_and_decides_the_same_would_change_nothing() -> None:
    run = decided(read(Log(), web(1), "one"))
    for minimum, changes in ((0.6, False), (0.99, True)):
        what = turned(run, minimum=minimum)
        told = forecast_reading(run, what)
        assert whatif.would_change_report(what, told) is changes
        assert whatif.would_change_report(what, None)


def test_a_short_report_never_needs_more_than_a_full_one() -> None:
    run = decided(Log().source(web(1)))
    settings = tune_settings(run, replace(read_dials(run), full=2, short=5))
    assert (settings.min_full, settings.min_short) == (2, None)  # standard mode's own 2
    assert decide_under(run, settings).gate.decision == "insufficient_data"


@pytest.mark.parametrize(
    "wrong",
    [
        {"minimum": 1.5},
        {"domain": -0.1},
        {"cutoff": 6},
        {"full": 99},
        {"short": 0},
        {"date": float("nan")},
    ],
)
def test_a_dial_beyond_its_end_is_refused(wrong: dict[str, Any]) -> None:
    run = decided(Log().source(web(1)))
    with pytest.raises(UsageError):
        tune_settings(run, replace(read_dials(run), **wrong))


def test_what_was_decided_by_hand_goes_into_the_settings_with_what_is_decided_now() -> None:
    log = (
        Log()
        .source(web(1))
        .source(web(2))
        .found(web(3), WEAK)
        .said("strike", web(1))
        .said("approve", web(3))
    )
    run = decided(log)
    assert (get_current_settings(run).approved, get_current_settings(run).struck) == (
        (web(3),),
        (web(1),),
    )
    settings = tune_settings(
        run, read_dials(run), {web(1): "restore", web(2): "strike", web(3): "restore"}
    )
    assert (settings.approved, settings.struck) == ((), (web(2),))


# ---------------------------------------------------------------- flips


@given(st.integers(0, 10_000))
def test_nothing_flips_where_nothing_changes(seed: int) -> None:
    run = decided(random_run(seed))
    what = decide_under(run, get_current_settings(run))
    assert (what.flips, what.lost, what.weakened, what.readable, what.outcome_changes) == (
        (),
        (),
        (),
        (),
        False,
    )
    assert [source.url for source in what.sources] == [
        verdict.url for verdict in what.stored.verdicts
    ]


SHARE = st.integers(0, 100).map(lambda n: n / 100)


@given(
    st.integers(0, 10_000),
    st.builds(Dials, SHARE, SHARE, SHARE, SHARE, st.integers(1, 5), st.just(3), st.integers(1, 3)),
)
def test_flips_are_the_differences_between_two_decisions_and_no_page_is_un_read(
    seed: int, changed: Dials
) -> None:
    run = decided(random_run(seed))
    settings = tune_settings(run, changed)
    what, now = decide_under(run, settings), decide.decide_gate(run, settings)
    assert what.gate == now
    stored = {verdict.url: verdict.status for verdict in decide.decide_gate(run).verdicts}
    differ = {v.url for v in now.verdicts if v.status != stored[v.url]}
    assert {flip.url for flip in what.flips} == differ | set(what.readable)
    assert set(what.readable) <= set(forecast_reading(run, what).new)
    assert all(flip.why for flip in what.flips)
    assert {flip.url for flip in what.flips if flip.now == "readable"} == set(what.readable)
    judged = {url for url, source in run.sources.items() if source.judgement}
    assert {source.url for source in what.sources if source.relevance} == judged
    assert not judged & set(what.readable)


def test_a_flip_is_told_against_what_the_run_decided_not_against_a_formula() -> None:
    """The stored decision counts, even where today's code would decide otherwise."""
    run = decided(Log().source(web(1)))
    assert run.gated
    run = replace(
        run, gated={**run.gated, "verdicts": [{**run.gated["verdicts"][0], "status": "dropped"}]}
    )
    assert flips(decide_under(run, get_current_settings(run))) == {web(1): ("dropped", "kept")}


def test_every_kind_of_flip_says_what_decides_it() -> None:
    log = (
        Log()
        .source(web(1), 5)
        .source(web(2), 3)
        .found(web(3), WEAK)
        .source(web(4), 2)
        .found(COM, PARTIAL)
    )
    run = decided(log)
    stricter = turned(run, cutoff=4)
    assert {flip.url: flip.why for flip in stricter.flips} == {
        web(2): "credibility 0.88, relevance 3/5, needs 4 or more"
    }
    looser = turned(run, cutoff=2, minimum=0.4)
    assert flips(looser) == {web(4): ("dropped", "kept"), COM: ("blocked", "readable")}
    assert {flip.url: flip.why for flip in looser.flips}[COM] == "credibility 0.41, not read yet"
    higher = turned(run, minimum=0.9)
    assert set(flips(higher).values()) == {("kept", "blocked"), ("dropped", "blocked")}
    assert all(flip.why.startswith("needs more than 0.90, has 0.88") for flip in higher.flips)


def test_a_source_keeps_the_number_by_which_the_stored_report_cites_it() -> None:
    run = decided(Log().source(web(1)).source(web(2)).source(web(3)))
    what = by_hand(run, strike=web(1))
    assert {source.url: source.number for source in what.sources if source.number} == {
        web(2): 1,
        web(3): 2,
    }
    assert {source.url: what.restore_number(source).number for source in what.sources} == {
        web(1): 1,
        web(2): 2,
        web(3): 3,
    }


def test_a_struck_source_leaves_and_a_restored_one_comes_back() -> None:
    run = decided(Log().source(web(1)).source(web(2)).said("strike", web(2)))
    assert flips(by_hand(run, strike=web(1))) == {web(1): ("kept", "struck")}
    assert flips(by_hand(run, restore=web(2))) == {web(2): ("struck", "kept")}


def test_an_approved_source_passes_the_threshold_and_not_the_gate() -> None:
    log = Log().source(web(1), 4, snippet=WEAK).source(web(2), 1, snippet=WEAK).found(web(3), WEAK)
    run = decided(log)
    assert flips(by_hand(run, approve=web(1))) == {web(1): ("blocked", "kept")}
    assert flips(by_hand(run, approve=web(2))) == {web(2): ("blocked", "dropped")}
    never_read = by_hand(run, approve=web(3))
    assert (flips(never_read), never_read.readable) == (
        {web(3): ("blocked", "readable")},
        (web(3),),
    )
    assert never_read.flips[0].why == "included by you, not read yet"


def test_what_would_be_read_stands_apart_best_first_approved_ones_before_all() -> None:
    log = (
        Log()
        .source(web(1))
        .found(web(2, "com"), PARTIAL)
        .found(web(3, "com"), "quantum")
        .found(web(4), WEAK)
        .found(web(5))
    )
    run = decided(log)
    what = decide_under(
        run, tune_settings(run, replace(read_dials(run), minimum=0.2), {web(4): "approve"})
    )
    assert what.readable == (web(4), web(2, "com"), web(3, "com"))
    assert web(5) not in what.readable, (
        "it passed before: its place was taken, and that is no change"
    )
    assert {source.url: source.status for source in what.sources}[web(5)] == "not_read"
    assert what.gate.kept == (web(1),)
    assert by_hand(run, approve=web(5)).readable == (web(5),), "approved by hand, it takes no place"


@pytest.mark.parametrize("ranks", [(0, 1), (1, 0)])
@pytest.mark.parametrize("mode", ["quick", "standard"])
def test_pages_that_pass_only_now_have_as_many_places_of_their_own_as_the_mode(
    mode: str, ranks: tuple[int, int]
) -> None:
    places = ResearchMode.from_name(mode).max_sources
    weak, fair = web(90, "com"), web(91, "com")
    log = Log(mode=mode).found(weak, "quantum", rank=ranks[0]).found(fair, PARTIAL, rank=ranks[1])
    for number in range(places):
        log.source(web(number))
    run = decided(log)
    what = turned(run, minimum=0.2)
    told = forecast_reading(run, what)
    assert told
    assert (told.new, told.left) == ((weak, fair), ())
    assert what.readable == (fair, weak)
    # The most credible have the places where there are too few.
    for number in range(places - 1):
        log.found(web(number + 50, "com"), PARTIAL, rank=number + 2)
    run = decided(log)
    what = turned(run, minimum=0.2)
    told = forecast_reading(run, what)
    assert told
    assert (len(told.new), told.left) == (places, ())
    assert weak not in told.new
    assert what.is_limited
    assert what.settings.first_minimum == run.settings.credibility.minimum
    # Lowered again, the first minimum stays; raised to it, nothing passes only now.
    assert turned(replace(run, settings=what.settings), minimum=0.1).settings.first_minimum == 0.5
    assert turned(replace(run, settings=what.settings), minimum=0.5).settings == run.settings


# ---------------------------------------------------------------- sentences and outcome


def test_sentences_that_lose_their_last_support_and_those_that_lose_some() -> None:
    log = read(read(read(Log(), web(1), "pa", 5), web(2), "pb", 3), web(3), "pc", 3)
    run = decided(log, ("pa",), ("pb",), ("pa", "pb"), ("pb", "pc"), (), ("pb",))
    what = turned(run, cutoff=4)
    assert [(loss.place, loss.gone, loss.left) for loss in what.lost] == [
        (1, (web(2),), ()),
        (3, (web(2), web(3)), ()),
        (5, (web(2),), ()),
    ]
    assert [(loss.place, loss.gone, loss.left) for loss in what.weakened] == [
        (2, (web(2),), (web(1),))
    ]
    assert by_hand(run, strike=web(1)).lost[0].sentence.text == "Sentence 0."


def test_a_passage_that_another_kept_page_holds_too_still_supports() -> None:
    log = read(read(read(Log(), web(1), "pa", 5), web(2), "pa", 5), web(3), "pb", 5)
    run = decided(log, ("pa",))
    assert by_hand(run, strike=web(1)).lost == ()
    both = decide_under(
        run, tune_settings(run, read_dials(run), {web(1): "strike", web(2): "strike"})
    )
    assert [loss.place for loss in both.lost] == [0]


@pytest.mark.parametrize(
    ("changes", "decision"),
    [
        ({}, "short_report"),
        ({"full": 3}, "full_report"),
        ({"cutoff": 5}, "insufficient_data"),
        ({"minimum": 0.95}, "insufficient_data"),
        ({"short": 4}, "insufficient_data"),
    ],
)
def test_the_outcome_changes_with_the_thresholds(changes: dict[str, Any], decision: str) -> None:
    run = decided(Log().source(web(1), 5).source(web(2), 4).source(web(3), 3))
    what = turned(run, **changes)
    assert what.gate.decision == decision
    assert what.outcome_changes == (decision != "short_report")


def test_while_a_run_is_at_work_it_is_held_against_how_it_stands() -> None:
    run = fold_events(Log().source(web(1), 4).source(web(2), 3).found(web(3)).events)
    what = turned(run, cutoff=4)
    assert (flips(what), what.lost) == ({web(2): ("kept", "dropped")}, ())


# ---------------------------------------------------------------- what a rewrite would read


@pytest.fixture(scope="module")
def researched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with one finished session, made once."""
    home = tmp_path_factory.mktemp("researched")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))
    session = research(resources, ANSWERED)
    resources.db.close()
    return home, session


@pytest.fixture
def answered(researched: tuple[Path, str], tmp_path: Path) -> Iterator[tuple[Resources, str]]:
    """A copy of that home for one test, and its session."""
    home, session = researched
    shutil.copytree(home, tmp_path / "home")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path / "home")}))
    yield resources, session
    resources.db.close()


@pytest.fixture(scope="module")
def many_sources(tmp_path_factory: pytest.TempPathFactory) -> RunView:
    """A run with five hundred sources."""
    resources = Resources(
        Settings.from_env({"ASSAY_HOME": str(tmp_path_factory.mktemp("crowded"))})
    )
    run = snapshot.read_session(resources, crowded(resources)).run
    resources.db.close()
    return run


@pytest.mark.full
@pytest.mark.parametrize("mode", mark_first_everyday(MODES))
def test_without_a_change_a_re_write_reads_what_was_read(tmp_path: Any, mode: str) -> None:
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))
    session = session_start.new_session(resources, ANSWERED, decide.RunSettings(mode=mode))
    with heartbeats.keep_heartbeat(resources, executor := heartbeats.make_executor_id()):
        runner.resume_or_run(resources, session, executor)
    run = snapshot.read_session(resources, session).run
    told = forecast_reading(run, decide_under(run, get_current_settings(run)))
    assert told
    assert (told.new, told.left) == ((), ())
    assert set(told.again) == {url for url, source in run.sources.items() if source.read}


@pytest.mark.full
@pytest.mark.parametrize(
    "changes",
    [
        {"minimum": 0.45},
        {"minimum": 0.3},
        {"minimum": 0.65},
        {"minimum": 0.2, "words": 0.2},
        {"domain": 1.0, "words": 0.1},
    ],
)
def test_a_re_write_reads_what_was_foretold(
    answered: tuple[Resources, str], changes: dict[str, float]
) -> None:
    resources, session = answered
    run = snapshot.read_session(resources, session).run
    settings = tune_settings(run, replace(read_dials(run), **changes))
    told = forecast_reading(run, decide_under(run, settings))
    new = session_start.rewrite(resources, session, settings)
    with heartbeats.keep_heartbeat(resources, executor := heartbeats.make_executor_id()):
        runner.resume_or_run(resources, new, executor)
    again = snapshot.read_session(resources, new).run
    assert told
    assert {*told.new, *told.again} == {url for url, source in again.sources.items() if source.read}
    if set(changes) == {"minimum"} and changes["minimum"] < run.settings.credibility.minimum:
        assert told.new
        assert told.left == (), "what is recorded costs nothing"
    assert again.gated
    kept = {verdict["url"]: verdict["status"] for verdict in again.gated["verdicts"]}
    what = {verdict.url: verdict.status for verdict in decide_under(run, settings).gate.verdicts}
    assert all(what[url] == kept[url] for url in told.again)


def test_a_lower_minimum_is_the_nearest_that_reads_what_the_report_lacks() -> None:
    run = decided(Log().found(web(1), WEAK).found(web(2), WEAK).source(web(3), 1))
    score = decide.find_score(run.sources[web(1)], run)
    assert score
    lower = suggest_lower_minimum(run)
    assert lower
    assert run.mode.min_sources_short_report == len(lower.titles) == 2
    assert all(lower.titles)
    assert score.score > lower.minimum >= score.score - whatif.MINIMUM_STEP
    assert lower.settings == tune_settings(run, replace(read_dials(run), minimum=lower.minimum))
    assert lower.is_likely == (score.relevance >= whatif.LIKELY_KEYWORDS)
    told = forecast_reading(run, decide_under(run, lower.settings))
    assert told
    assert set(told.new) == {web(1), web(2)}


@pytest.mark.parametrize(
    "log",
    [Log().source(web(1), 1), Log(), Log().found(web(1), WEAK)],
    ids=["dropped", "nothing found", "one blocked where two are needed"],
)
def test_no_lower_minimum_is_named_where_none_reads_a_page(log: Log) -> None:
    assert suggest_lower_minimum(decided(log)) is None


@pytest.mark.full
def test_a_word_of_0_drops_in_what_if_what_a_re_write_then_does_not_read(
    answered: tuple[Resources, str],
) -> None:
    resources, session = answered
    run = snapshot.read_session(resources, session).run
    refused = next(
        source
        for url, source in sorted(run.sources.items())
        if source.read and source.passages and find_host(url)
    )
    word = Override(find_host(refused.url), 0.0, "They invent.")
    settings = tune_settings(run, read_dials(run), overrides={word.host: word})
    what = decide_under(run, settings)
    told = forecast_reading(run, what)
    assert told
    new = session_start.rewrite(resources, session, settings)
    with heartbeats.keep_heartbeat(resources, executor := heartbeats.make_executor_id()):
        runner.resume_or_run(resources, new, executor)
    again = snapshot.read_session(resources, new).run
    assert {*told.new, *told.again} == {url for url, source in again.sources.items() if source.read}
    assert again.gated
    kept = {verdict["url"]: verdict["status"] for verdict in again.gated["verdicts"]}
    there = {verdict.url: verdict.status for verdict in what.gate.verdicts}
    assert refused.url in told.left
    assert kept[refused.url] == there[refused.url] == "blocked"


FED = ("Say where the seals feed", "What of storms in winter?")


#: Mode, instructions and seed. The first three rows run every day.
WORLDS = [("quick", FED, 0), ("standard", (), 0), ("deep", FED, 0)]
WORLDS += [
    row
    for mode in MODES
    for told in ((), FED)
    for seed in range(6)
    if (row := (mode, told, seed)) not in WORLDS
]


@pytest.mark.full
@pytest.mark.parametrize(("mode", "told", "seed"), mark_first_rows_everyday(WORLDS, 3))
def test_under_its_own_settings_is_foretold_exactly_what_was_admitted(
    tmp_path: Any, mode: str, told: tuple[str, ...], seed: int
) -> None:
    """In made-up worlds of dead pages and failing engines; then with sources struck and approved
    before the run.
    """
    db = open_database(f"sqlite:///{tmp_path / 'world.db'}")
    place, settings = (
        Place(db, tmp_path),
        decide.RunSettings(mode=mode, engines=("north", "south"), model="world", instructions=told),
    )
    for name in ("plain", "by hand"):
        place.session(name, settings)
        with place.deps(World(seed), place.log(name), settings) as deps:
            pipeline.research(WORLD_QUESTION, deps)
        run = fold_events(place.log(name).read())
        admitted = {url for url, source in run.sources.items() if source.admitted}
        failed = {url for url, source in run.sources.items() if source.failure}
        foretold = forecast_reading(run, decide_under(run, run.settings))
        assert foretold == forecast_reading(run, decide_under(run, get_current_settings(run)))
        assert foretold
        assert (foretold.new, foretold.left) == ((), ())
        assert set(foretold.again) == admitted - failed
        statuses = {source.url: source.status for source in decide_under(run, run.settings).sources}
        struck = [url for url in sorted(admitted) if statuses[url] in ("kept", "dropped")][:2]
        blocked = [url for url in sorted(statuses) if statuses[url] == "blocked"][:2]
        settings = replace(
            settings, struck=tuple(struck), approved=(*blocked, "https://nobody.example.net/listed")
        )
    db.close()


@pytest.mark.full
@pytest.mark.parametrize(("mode", "told", "seed"), mark_first_rows_everyday(WORLDS, 3))
def test_a_rewrite_under_a_lower_minimum_reads_all_of_before_and_what_was_foretold(
    tmp_path: Any, mode: str, told: tuple[str, ...], seed: int
) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'world.db'}")
    place = Place(db, tmp_path)
    settings = decide.RunSettings(
        mode=mode,
        engines=("north", "south"),
        model="world",
        instructions=told,
        credibility=CredibilityPolicy(minimum=0.6),
    )
    place.session("first", settings)
    with place.deps(World(seed), place.log("first"), settings) as deps:
        pipeline.research(WORLD_QUESTION, deps)
    run = fold_events(place.log("first").read())
    lower = tune_settings(run, replace(read_dials(run), minimum=0.3))
    foretold = forecast_reading(run, decide_under(run, lower))
    assert foretold
    assert foretold.left == ()
    most = run.mode.max_sources + INSTRUCTION_SHARE * len(told)
    assert len(foretold.new) <= most
    place.log("first").fork("lower", lower.to_json())
    with place.deps(World(seed), place.log("lower"), lower) as deps:
        pipeline.research(WORLD_QUESTION, deps)
    again = fold_events(place.log("lower").read())
    read = {url for url, source in again.sources.items() if source.read}
    assert set(foretold.again) <= read
    new = {url for url in read if url not in foretold.again}
    unreadable = {url for url in foretold.new if again.sources[url].failure}
    assert set(foretold.new) - unreadable <= new
    assert len(new) <= most
    db.close()


def test_struck_sources_are_not_read_and_approved_ones_take_no_place() -> None:
    log = (
        Log(mode="quick")
        .found(web(1), rank=0)
        .found(web(2), rank=1)
        .found(web(3), rank=2)
        .found(web(4), rank=3)
        .found(web(5), WEAK)
    )
    log = (
        log.planned("question", 0)
        .read(web(1))
        .judged(web(1))
        .read(web(2))
        .judged(web(2))
        .read(web(3))
        .judged(web(3))
    )
    run = decided(log)
    told = forecast_reading(
        run,
        decide_under(
            run, tune_settings(run, read_dials(run), {web(1): "strike", web(5): "approve"})
        ),
    )
    assert told
    assert (told.new, told.again, told.left) == ((web(4), web(5)), (web(2), web(3)), (web(1),))


def test_where_a_model_chooses_nothing_is_foretold() -> None:
    run = decided(Log(strategy="agentic").source(web(1)))
    assert forecast_reading(run, decide_under(run, run.settings)) is None


# ---------------------------------------------------------------- speed


@pytest.mark.full
def test_five_hundred_sources_are_decided_while_a_slider_moves(many_sources: RunView) -> None:
    """Measured: 14 ms. In time of the processor, and the bound leaves room for one that does other
    things too.
    """
    took = []
    for n in range(7):
        began = time.thread_time()
        turned(many_sources, minimum=0.4 + n / 50, domain=0.3 + n / 50)
        took.append(time.thread_time() - began)
    assert sorted(took)[2] < 0.1 * measure_slowness()


# ---------------------------------------------------------------- scores and confidence


def test_a_score_that_moves_is_told_though_nothing_flips() -> None:
    run = decided(Log().source(web(1)).source(web(2)).found(COM, PARTIAL))
    host = urls.find_host(web(1))
    what = decide_under(
        run, tune_settings(run, read_dials(run), overrides={host: Override(host, 1.0, "mine")})
    )
    (shift,) = what.shifts
    assert what.flips == ()
    assert (shift.url, round(shift.by, 2)) == (web(1), round(0.4 * (1.0 - 0.7), 2))
    assert (
        shift.now
        == {source.url: source.parts.score for source in what.sources if source.parts}[web(1)]
    )


@given(
    st.integers(0, 10_000),
    st.builds(Dials, SHARE, SHARE, SHARE, SHARE, st.integers(1, 5), st.just(3), st.integers(1, 3)),
)
def test_shifts_are_all_scores_that_differ_the_furthest_first(seed: int, changed: Dials) -> None:
    run = decided(random_run(seed))
    what, before = (
        decide_under(run, tune_settings(run, changed)),
        decide_under(run, get_current_settings(run)),
    )
    was = {source.url: source.parts.score for source in before.sources if source.parts}
    now = {source.url: source.parts.score for source in what.sources if source.parts}
    assert {shift.url: (shift.was, shift.now) for shift in what.shifts} == {
        url: (was[url], now[url]) for url in now if now[url] != was[url]
    }
    assert before.shifts == ()
    assert [abs(shift.by) for shift in what.shifts] == sorted(
        (abs(shift.by) for shift in what.shifts), reverse=True
    )


def count_citations(value: str) -> int:
    """Return how many citations a line counts: 7 of "5 of 7", 0 of "there are none"."""
    return 0 if value == "there are none" else int(value.partition(" of ")[2])


def test_the_confidence_of_what_would_be_left_stands_beside_that_of_the_report(
    answered: tuple[Resources, str],
) -> None:
    resources, session = answered
    run = snapshot.read_session(resources, session).run
    assert run.gated
    as_it_ran = decide_under(run, get_current_settings(run))
    assert recompute_confidence(run, as_it_ran) is None
    cited = next(url for url in run.gated["kept"] if by_hand(run, strike=url).lost)
    what = by_hand(run, strike=cited)
    weighed = recompute_confidence(run, what)
    assert weighed
    assert weighed.now
    assert weighed.was == confidence.compute_confidence(report.build(run))
    before, after = (
        count_citations(
            {line.name: line.value for line in each.lines}["cited sentences about the question"]
        )
        for each in (weighed.was, weighed.now)
    )
    assert before - after == len(what.lost) > 0
    nothing = recompute_confidence(run, turned(run, minimum=0.99))
    assert nothing
    assert nothing.now is None


def test_what_takes_longer_than_a_slider_may_is_not_weighed(many_sources: RunView) -> None:
    assert many_sources.gated
    assert (
        recompute_confidence(
            many_sources, by_hand(many_sources, strike=many_sources.gated["kept"][0])
        )
        is None
    )
