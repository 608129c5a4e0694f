"""The fold and the gate: what events say depends on which there are, never on when they came; and
what the gate makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.decisions.gate import (
    Gate,
    Verdict,
    choose_listing,
    decide_gate,
    find_passing_listing,
    find_read_pages,
    find_score,
    merge_manual_decisions,
    passes_cutoff,
)
from research_core.decisions.gate import rescore_under as seen_under
from research_core.decisions.gate_rationale import choose_decision
from research_core.decisions.view import fold_events
from research_core.journal.events import Event
from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.models import NO_REPORT_REASONS, Judgement
from research_core.modes import MODES, ResearchMode
from research_core.policy import DEFAULT_TIERS, CredibilityPolicy, Override, RunSettings, Tier
from research_core.trust import credibility
from research_core.trust.copies import fingerprint_text
from research_core.urls import find_host

QUESTION = "quantum error correction codes"
FULL = "quantum error correction codes explained 2024"  # clears the threshold anywhere
WEAK = "unrelated words here"  # is blocked everywhere
OWN = "document:abc"


class Log:
    """Events, written down as a run would."""

    def __init__(self, **settings: Any) -> None:
        self.events: list[Event] = []
        self.run = RunSettings(**settings)
        self("created", question=QUESTION, settings=self.run.to_json(), session="s")

    def __call__(self, kind: str, /, **data: Any) -> Log:
        self.events.append(Event(len(self.events) + 1, 1000.0 + len(self.events), kind, data))
        return self

    def planned(self, part: str, *orders: int, **data: Any) -> Log:
        queries = [{"text": f"query {order}", "order": order, "purpose": part} for order in orders]
        return self("planned", part=part, queries=queries, **data)

    def searched(
        self, order: int, state: str = "answered", engine: str = "north", place: int = 0
    ) -> Log:
        kind = "searched" if state in ("answered", "empty") else "search_failed"
        return self(
            kind,
            order=order,
            place=place,
            engine=engine,
            state=state,
            reason="",
            query="q",
            results=0,
        )

    def found(
        self, url: str, snippet: str = FULL, order: int = 0, rank: int = 0, **parts: Any
    ) -> Log:
        scored = (
            None
            if url.startswith("document:")
            else asdict(credibility.assess(url, snippet, QUESTION, self.run.credibility, **parts))
        )
        return self(
            "found",
            url=url,
            title=f"{url} for {order}",
            snippet=snippet,
            engine="north",
            order=order,
            rank=rank,
            parts=scored,
        )

    def read(self, url: str, final: str = "") -> Log:
        self("admitted", url=url)("fetch", url=url)
        self(
            "fetched",
            url=url,
            final_url=final or url,
            title=f"title of {url}",
            published="",
            page={"$text": "sha"},
        )
        return self(
            "passages",
            url=url,
            passages=[{"id": "p1", "text": "words", "start": 0, "end": 5}],
            summary="words",
        )

    def unread(self, url: str, failure: str = "Nobody answers.") -> Log:
        return self("admitted", url=url)("fetch", url=url)("fetched", url=url, failure=failure)

    def judged(self, url: str, score: int = 4, scored: bool = True) -> Log:
        return self(
            "judged", url=url, title=url, score=score, explanation=f"score {score}", scored=scored
        )

    def source(
        self, url: str, score: int = 4, *, final: str = "", scored: bool = True, snippet: str = FULL
    ) -> Log:
        return self.found(url, snippet).read(url, final).judged(url, score, scored)

    def said(self, do: str, url: str) -> Log:
        return self("decide", do=do, url=url, command=len(self.events))

    def stop(self) -> Log:
        """What a run decides that is stopped now: all it knows at this moment."""

        def known(field: str, *kinds: str) -> list[Any]:
            return sorted({event.data[field] for event in self.events if event.kind in kinds})

        what = {
            "read": known("url", "fetched"),
            "judged": known("url", "judged"),
            "admitted": known("url", "admitted"),
        }
        lists = {
            "orders": known("order", "found", "searched", "search_failed"),
            "parts": known("part", "planned"),
        }
        return self("decide", do="stop", why="the analyst stopped the run", **what, **lists)

    def gate(self, **settings: Any) -> Gate:
        return decide_gate(fold_events(self.events), RunSettings(**settings) if settings else None)

    def statuses(self) -> dict[str, str]:
        return {verdict.url: verdict.status for verdict in self.gate().verdicts}


def web(n: int, tld: str = "org") -> str:
    return f"https://site{n}.example.{tld}/"


# ---------------------------------------------------------------- the view


def test_a_run_is_seen_as_its_log_tells_it() -> None:
    log = (
        Log(mode="quick")
        .planned("plan", 1, 2, type="overview")
        .planned("refined", 10)
        .planned("gaps", 20, gaps=["numbers"])
    )
    log.searched(1).searched(0, "timed_out", "south", 1).searched(0, "empty").found(web(1)).read(
        web(1), web(2)
    ).judged(web(1), 5)
    log("blocked", url=web(3), score=0.1, order=0).found(web(3), WEAK, rank=1)(
        "fact", text="a fact"
    )("decide", do="tally", tokens=3)
    log("gated", n=1)("written", text="t")("verified", blocks=[])("report", sha="x")(
        "finished", outcome="done"
    )
    run = fold_events(log.events)
    assert (run.question, run.settings, run.session, run.created, run.mode) == (
        QUESTION,
        log.run,
        "s",
        1000.0,
        ResearchMode.quick(),
    )
    assert run.plan is not None
    assert (run.plan["type"], run.gaps, run.facts) == ("overview", ("numbers",), ("a fact",))
    assert sorted(run.queries) == [1, 2, 10, 20]
    assert [(data["order"], data["engine"], data["state"]) for data in run.outcomes] == [
        (0, "north", "empty"),
        (0, "south", "timed_out"),
        (1, "north", "answered"),
    ]
    assert (run.gated, run.written, run.verified, run.report, run.ended) == (
        {"n": 1},
        {"text": "t"},
        {"blocks": []},
        {"sha": "x"},
        {"outcome": "done"},
    )
    assert run.tally == {"do": "tally", "tokens": 3}
    source = run.sources[web(1)]
    assert (source.admitted, source.read, source.final_url, source.title, source.summary) == (
        True,
        True,
        web(2),
        f"title of {web(1)}",
        "words",
    )
    assert [passage.id for passage in source.passages] == ["p1"]
    assert source.judgement == Judgement(web(1), web(1), 5, "score 5")
    assert (run.sources[web(3)].refused, run.sources[web(3)].read) == (True, False)


def test_an_empty_log_is_an_empty_view() -> None:
    assert fold_events([]) == fold_events(iter(()))
    assert fold_events([]).sources == {}


def test_settings_of_another_version_can_still_be_read() -> None:
    log = Log()
    old = {
        "mode": "deep",
        "colour": "red",
        "caps": {"calls": 3, "steps": 1},
        "credibility": {"minimum": 0.6, "font": "x", "tiers": []},
    }
    del old["credibility"]["tiers"]  # type: ignore[attr-defined]
    log.events[0].data["settings"] = old
    settings = fold_events(log.events).settings
    assert (settings.mode, settings.caps.calls, settings.credibility.minimum) == ("deep", 3, 0.6)
    assert (settings.engines, settings.credibility.tiers) == (
        RunSettings().engines,
        CredibilityPolicy().tiers,
    )


def test_how_it_ended_is_what_the_last_attempt_says() -> None:
    log = Log()("finished", outcome="cancelled")("failed", error="full disk")
    assert fold_events(log.events).ended == {"error": "full disk"}
    assert fold_events(log("finished", outcome="done").events).ended == {"outcome": "done"}


# ---------------------------------------------------------------- order


def random_run(seed: int, finals: Sequence[str] = ("https://same.example.org/",)) -> Log:
    """Return a run of random results. finals: where some of its pages redirected."""
    chance = Random(seed)
    log = (
        Log(mode=chance.choice(MODES))
        .planned("plan", 1, 2)
        .planned("refined", 10)
        .planned("gaps", 20, gaps=["a", "b"])
    )
    urls = [*(web(n, chance.choice(["org", "com"])) for n in range(12)), OWN]
    for order in (0, 1, 2, 10, 20):
        log.searched(order, chance.choice(["answered", "timed_out"]))
        for rank, url in enumerate(chance.sample(urls, chance.randint(0, 8))):
            log.found(url, chance.choice([FULL, WEAK, "quantum error", ""]), order, rank)
            if chance.random() < 0.1:
                log("blocked", url=url, score=0.1, order=order)
    listed = list(dict.fromkeys(event.data["url"] for event in log.events if event.kind == "found"))
    for url in listed:
        if chance.random() < 0.2:
            log.unread(url)
        elif chance.random() < 0.8:
            log.read(url, chance.choice([url, url, *finals])).judged(
                url, chance.randint(1, 5), chance.random() < 0.9
            )
    return log


def renumbered(events: Sequence[Event], chance: Random) -> list[Event]:
    """The same events as another timing would have numbered them; the analyst's words keep their
    order.
    """
    created, rest = events[0], list(events[1:])
    said = iter([event for event in rest if "command" in event.data])
    chance.shuffle(rest)
    ordered = [next(said) if "command" in event.data else event for event in rest]
    return [created, *(replace(event, seq=n, at=2000.0 + n) for n, event in enumerate(ordered, 2))]


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_in_which_events_are_given_or_came_changes_nothing(
    seed: int, chance: Random
) -> None:
    log = random_run(seed)
    listed = sorted({event.data["url"] for event in log.events if event.kind == "found"})
    for url in chance.choices(listed, k=4) if listed else ():
        log.said(chance.choice(["approve", "strike", "restore"]), url)
    shuffled = list(log.events)
    chance.shuffle(shuffled)
    assert (
        fold_events(log.events)
        == fold_events(shuffled)
        == fold_events(renumbered(log.events, chance))
    )  # and so their gates, which see nothing else


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_what_a_stop_left_out_stays_out_even_if_it_was_recorded_a_moment_later(
    seed: int, share: float
) -> None:
    log = random_run(seed)
    cut = 1 + int(share * (len(log.events) - 1))
    early, late = log.events[:cut], log.events[cut:]
    log.events = early
    stopped = log.stop().events
    known = stopped[-1].data

    def torn(event: Event) -> bool:
        """A list comes whole or not at all, and so does a page with its passages: one batch, one
        transaction.
        """
        lists = ("found", "searched", "search_failed", "blocked")
        return (event.kind in lists and event.data["order"] in known["orders"]) or (
            event.kind == "passages" and event.data["url"] in known["read"]
        )

    after = [replace(event, seq=event.seq + 1) for event in late if not torn(event)]
    assert fold_events([*stopped, *after]) == fold_events(stopped)


# ---------------------------------------------------------------- which listing speaks for a source


@pytest.mark.parametrize(
    ("listings", "minimum", "speaks"),
    [
        (
            [(1, 0, FULL), (0, 5, FULL)],
            0.5,
            (0, 5),
        ),  # the plan's order, not the rank and not the arrival
        ([(0, 3, FULL), (0, 1, FULL)], 0.5, (0, 1)),
        (
            [(0, 0, WEAK), (2, 0, FULL), (1, 0, FULL)],
            0.5,
            (1, 0),
        ),  # the first that clears the threshold
        ([(2, 0, WEAK), (1, 0, WEAK)], 0.5, (1, 0)),  # else the first
        ([(0, 0, WEAK), (1, 0, FULL)], 0.0, (0, 0)),  # under another threshold another speaks
        ([(0, 0, WEAK), (1, 0, FULL)], 1.0, (0, 0)),
    ],
)
def test_in_older_sessions_the_first_listing_that_clears_the_threshold_speaks(
    listings: list[tuple[int, int, str]], minimum: float, speaks: tuple[int, int]
) -> None:
    log = Log()
    for order, rank, snippet in listings:
        log.found(web(1), snippet, order, rank)
    settings = RunSettings(credibility=CredibilityPolicy(minimum=minimum))
    run = replace(fold_events(log.events), settings=settings, rules={"scoring": 6})
    source = run.sources[web(1)]
    chosen = choose_listing(source, run)
    assert chosen is not None
    assert (chosen.order, chosen.rank) == speaks
    parts = find_score(source, run)
    assert parts is not None
    assert parts.score == credibility.score_source(web(1), chosen.snippet, QUESTION)


HALF = "quantum error chips"  # clears the threshold on an official site, and nowhere else


@pytest.mark.parametrize(
    ("listings", "final", "speaks"),
    [
        # Of equal ones the first in the plan's order, neither by rank nor by arrival.
        ([(1, 0, FULL), (0, 5, FULL)], "", (0, 5)),
        ([(2, 0, WEAK), (1, 0, WEAK)], "", (1, 0)),
        ([(0, 0, WEAK), (2, 0, FULL), (1, 0, FULL)], "", (1, 0)),
        ([(0, 0, HALF), (1, 0, WEAK), (2, 0, FULL)], "", (2, 0)),
        ([(1, 0, HALF), (0, 0, WEAK)], "https://www.example.org/moved", (1, 0)),
        # Where a page redirected to another site, the first listing.
        ([(1, 0, FULL), (0, 0, WEAK)], "https://else.example.com/", (0, 0)),
    ],
)
def test_one_listing_represents_a_source_under_any_threshold(
    listings: list[tuple[int, int, str]], final: str, speaks: tuple[int, int]
) -> None:
    log = Log()
    log.events[0].data["rules"] = RULE_VERSIONS
    for order, rank, snippet in listings:
        log.found(web(1), snippet, order, rank)
    run = fold_events((log.read(web(1), final) if final else log).events)
    for minimum in (0.0, 0.3, 0.5, 0.7, 1.0):
        settings = RunSettings(credibility=CredibilityPolicy(minimum=minimum))
        chosen = choose_listing(run.sources[web(1)], replace(run, settings=settings))
        assert chosen is not None
        assert (chosen.order, chosen.rank) == speaks


@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0, 1))
def test_no_threshold_changes_a_score_and_a_source_passes_if_any_result_of_it_does(
    seed: int, low: float, high: float
) -> None:
    log = random_run(seed, finals=("https://same.example.org/", "https://else.example.com/"))
    log.events[0].data["rules"] = RULE_VERSIONS
    run = fold_events(log.events)
    scores = []
    for minimum in (low, high):
        policy = CredibilityPolicy(minimum=minimum)
        view = seen_under(run, replace(run.settings, credibility=policy))
        gate = decide_gate(view)
        scores.append({url: find_score(source, view) for url, source in view.sources.items()})
        blocked = {verdict.url for verdict in gate.verdicts if verdict.status == "blocked"}
        for url, source in view.sources.items():
            if url != OWN and not source.redirected_to:
                assert (url in blocked) == (find_passing_listing(source, policy) is None)
    assert scores[0] == scores[1]


def test_a_provisional_score_gives_way_to_a_lower_one_of_a_search() -> None:
    log = Log().found(web(1), FULL, 1_000_000, provisional=True).found(web(1), WEAK, 20)
    log.events[0].data["rules"] = RULE_VERSIONS
    assert log.statuses() == {web(1): "blocked"}


def test_a_provisional_score_gives_way_to_the_first_search_result() -> None:
    log = Log().found(web(1), "", 1_000_000, provisional=True)
    assert log.statuses() == {web(1): "blocked"}
    assert log.found(web(1), FULL, 20).statuses() == {web(1): "not_read"}


# ---------------------------------------------------------------- outcomes


@pytest.mark.parametrize("mode", [ResearchMode.from_name(name) for name in MODES], ids=MODES)
def test_the_outcome_at_every_number_of_survivors(mode: ResearchMode) -> None:
    for survived in range(mode.max_sources + 1):
        decision, rationale = choose_decision(survived, 10, mode)
        expected = (
            "full_report"
            if survived >= mode.min_sources_full_report
            else "short_report"
            if survived >= mode.min_sources_short_report
            else "insufficient_data"
        )
        assert decision == expected
        assert rationale.startswith(f"{survived} of 10 sources scored ≥ 3")
        assert f"{mode.name} mode" in rationale
    assert choose_decision(mode.min_sources_full_report, 9, mode)[1] == (
        f"{mode.min_sources_full_report} of 9 sources scored ≥ 3: "
        f"enough for a full report in {mode.name} mode, which needs {mode.min_sources_full_report}"
    )


@pytest.mark.parametrize(
    ("mode", "kept", "decision"),
    [
        ("quick", 3, "full_report"), ("quick", 2, "short_report"),
        ("quick", 1, "short_report"), ("quick", 0, "insufficient_data"),
        ("standard", 4, "full_report"), ("standard", 3, "short_report"),
        ("standard", 2, "short_report"), ("standard", 1, "insufficient_data"),
        ("deep", 5, "full_report"), ("deep", 4, "short_report"), ("deep", 2, "short_report"), ("deep", 1, "insufficient_data"),
    ],
)  # fmt: skip
def test_a_whole_run_at_the_boundaries_of_each_mode(mode: str, kept: int, decision: str) -> None:
    log = Log(mode=mode)
    for n in range(kept):
        log.source(web(n), 3)
    log.source(web(90), 2).source(web(91), 1)
    decided = log.gate()
    assert (decided.decision, len(decided.kept), decided.total) == (decision, kept, kept + 2)
    assert decided.reason == (
        ""
        if decision != "insufficient_data"
        else "too few relevant sources"
        if kept
        else "all off topic"
    )


@pytest.mark.parametrize("cutoff", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("relevance", [1, 2, 3, 4, 5])
def test_a_source_is_kept_at_or_above_the_cutoff_and_one_nobody_could_score_always(
    cutoff: int, relevance: int
) -> None:
    mode = ResearchMode.from_name("standard", relevance_cutoff=cutoff)
    assert passes_cutoff(Judgement("u", "t", relevance, "", scored=True), mode) == (
        relevance >= cutoff
    )
    assert passes_cutoff(Judgement("u", "t", relevance, "", scored=False), mode)


# ---------------------------------------------------------------- reasons


NO_REPORT: dict[str, list[Callable[[Log], Log]]] = {
    "search failed": [
        lambda log: log,
        lambda log: log.searched(0, "timed_out"),
        lambda log: log.searched(0, "refused").searched(1, "failed"),
    ],
    "nothing found": [
        lambda log: log.searched(0, "empty"),
        lambda log: log.searched(0, "empty").searched(1, "timed_out"),
    ],
    "every fetch failed": [
        lambda log: log.found(web(1)).unread(web(1)),
        lambda log: log.found(web(1)).unread(web(1)).found(web(2), WEAK),
        lambda log: log.found(web(1)).unread(web(1)).source(web(2)).said("strike", web(2)),
    ],
    "all blocked by credibility": [
        lambda log: log.found(web(1), WEAK).found(web(2), WEAK),
        lambda log: log.found(web(1), WEAK).source(web(2)).said("strike", web(2)),
    ],
    "all off topic": [
        lambda log: log.source(web(1), 2),
        lambda log: log.source(web(1), 1).found(web(2)).unread(web(2)),
        lambda log: log.source(web(1), 1).stop(),
    ],
    "relevance could not be scored": [
        lambda log: log.source(web(1), 3, scored=False),
    ],
    "too few relevant sources": [
        lambda log: log.source(web(1), 5),
        lambda log: log.source(web(1), 5).source(web(2), 1),
        lambda log: log.source(web(1), 5).source(web(2)).said("strike", web(2)),
    ],
    "stopped": [
        lambda log: log.stop(),
        lambda log: log.source(web(1), 5).found(web(2)).stop(),
        lambda log: log.source(web(1), 5).found(web(2)).read(web(2)).stop(),
    ],
    "read but not judged": [
        lambda log: log.found(web(1)).read(web(1)).stop(),
        lambda log: log.found(web(1)).read(web(1)).found(web(2)).unread(web(2)).stop(),
    ],
    "all struck by hand": [
        lambda log: log.source(web(1)).source(web(2)).said("strike", web(1)).said("strike", web(2)),
    ],
}


@pytest.mark.parametrize(
    ("reason", "way"), [(reason, n) for reason, ways in NO_REPORT.items() for n in range(len(ways))]
)
def test_no_report_names_its_reason(reason: str, way: int) -> None:
    decided = NO_REPORT[reason][way](Log()).gate()
    assert (decided.decision, decided.reason) == ("insufficient_data", reason)


def test_each_reason_can_be_reached_and_says_what_to_do() -> None:
    assert NO_REPORT.keys() == NO_REPORT_REASONS.keys()
    for text in NO_REPORT_REASONS.values():
        what, _, next_step = text.partition(". ")
        assert what
        assert next_step.endswith(".")


# ---------------------------------------------------------------- verdicts


def test_what_became_of_each_source() -> None:
    log = (
        Log()
        .source(web(1))
        .source(web(2), 2)
        .found(web(3), WEAK)
        .found(web(4))
        .unread(web(4))
        .found(web(5))
        .source(web(6))
        .said("strike", web(6))
    )
    log.source(web(7), final=web(1)).said("approve", "https://unlisted.example.com/")
    assert log.statuses() == {
        web(1): "kept",
        web(2): "dropped",
        web(3): "blocked",
        web(4): "failed",
        web(5): "not_read",
        web(6): "struck",
        web(7): "duplicate",
        "https://unlisted.example.com/": "not_read",
    }
    reasons = {verdict.url: verdict.reason for verdict in log.gate().verdicts}
    assert (reasons[web(1)], reasons[web(2)], reasons[web(4)]) == (
        "score 4",
        "score 2",
        "Nobody answers.",
    )
    assert reasons[web(3)].startswith("needs more than 0.50, has 0.28")
    assert reasons[web(5)] == "not read: the places were taken"
    assert reasons[web(7)] == f"the same page as {web(1)}"


def test_a_source_that_was_begun_when_the_run_was_stopped_says_so() -> None:
    log = Log().found(web(1)).found(web(2), rank=1)("admitted", url=web(1)).stop()
    assert [verdict.reason for verdict in log.gate().verdicts] == [
        "not read: stopped",
        "not read: the places were taken",
    ]


CHOSEN = "not read: the model chose other pages"
FULL_UP = "not read: the places were taken"


@pytest.mark.parametrize(
    ("strategy", "pages", "stopped", "reason"),
    [
        ("planned", 1, True, "not read: stopped"),
        ("agentic", 1, True, "not read: stopped"),
        ("agentic", 0, True, "not read: stopped"),
        ("agentic", 2, False, CHOSEN),
        ("agentic", 3, True, FULL_UP),
        ("planned", 3, True, FULL_UP),
        ("planned", 3, False, FULL_UP),
    ],
)
@pytest.mark.parametrize("redirected", [0, 1])
def test_what_is_not_read_says_whether_a_stop_the_model_or_the_limit_left_it(
    strategy: str, pages: int, stopped: bool, reason: str, redirected: int
) -> None:
    log = Log(mode="quick")("planned", part="plan", queries=[], strategy=strategy).found(web(9))
    for number in range(pages):
        log.source(web(number))
    for number in range(20, 20 + redirected):
        # A page that leads to a site with too little credibility takes no place.
        log.found(web(number, "gov"), HALF).read(web(number, "gov"), CASINO)
    if stopped:
        log.stop()
    run = replace(fold_events(log.events), rules=RULE_VERSIONS)
    assert len(find_read_pages(run)) == pages
    assert {verdict.url: verdict.reason for verdict in decide_gate(run).verdicts}[web(9)] == reason


UNJUDGED: list[tuple[Callable[[Log], Log], str]] = [
    (lambda log: log.stop(), ""),
    (lambda log: log.found(web(1)).stop(), ""),
    (lambda log: log.found(web(1)).read(web(1)), ""),
    (
        lambda log: log.found(web(1)).read(web(1)).stop(),
        "1 page was read, but none could be judged before the analyst stopped the run",
    ),
    (
        lambda log: log.found(web(1)).read(web(1)).found(web(2)).read(web(2)).stop(),
        "2 pages were read, but none could be judged before the analyst stopped the run",
    ),
    (
        lambda log: log.source(web(3)).found(web(1)).read(web(1)).found(web(2)).read(web(2)).stop(),
        "2 more pages were read, but could not be judged before the analyst stopped the run",
    ),
    (lambda log: log.source(web(3)).found(web(1)).read(web(1)).said("strike", web(1)).stop(), ""),
]


@pytest.mark.parametrize(("way", "said"), UNJUDGED)
def test_the_gate_counts_the_pages_that_were_read_and_not_judged(
    way: Callable[[Log], Log], said: str
) -> None:
    assert way(Log()).gate().rationale.partition("; ")[2] == said


def test_a_source_that_was_allowed_by_hand_too_late_says_so() -> None:
    unlisted = "https://unlisted.example.com/"
    log = (
        Log(struck=(web(2),))
        .found(web(1))
        .found(web(2), rank=1)
        .said("approve", unlisted)
        .said("restore", web(2))
    )
    reasons = {verdict.url: verdict.reason for verdict in log.gate().verdicts}
    assert reasons == {
        web(1): "not read: the places were taken",
        web(2): "not read: restored too late",
        unlisted: "not read: approved too late",
    }
    assert {verdict.url: verdict.reason for verdict in log.stop().gate().verdicts}[
        unlisted
    ] == "not read: stopped"


def test_sources_are_numbered_by_relevance_then_credibility_then_address_and_own_documents_come_last() -> (
    None
):
    log = (
        Log(mode="quick")
        .source(OWN, 5)
        .source(web(2, "com"), 4)
        .source(web(1), 4)
        .source(web(3), 4)
        .source(web(4, "com"), 5)
        .source(web(5), 2)
    )
    decided = log.gate()
    assert decided.kept == (web(4, "com"), web(1), web(3), web(2, "com"), OWN)
    assert [(verdict.url, verdict.number) for verdict in decided.verdicts] == [
        *((url, n) for n, url in enumerate(decided.kept, 1)),
        (web(5), 0),
    ]
    assert (
        decided.domains == 5
    )  # four names kept for examples, each of its own, and a document of one's own


@pytest.mark.parametrize("minimum", [0.0, 0.5, 1.0])
def test_an_own_document_is_never_blocked_and_still_judged(minimum: float) -> None:
    log = (
        Log(mode="quick", credibility=CredibilityPolicy(minimum=minimum))
        .source(OWN, 4)
        .source("document:def", 1)
    )
    assert log.statuses() == {OWN: "kept", "document:def": "dropped"}


@pytest.mark.parametrize(("relevance", "status"), [(4, "kept"), (1, "dropped")])
def test_an_approved_source_passes_the_threshold_and_not_the_gate(
    relevance: int, status: str
) -> None:
    log = Log().source(web(1), relevance, snippet=WEAK)
    assert log.statuses() == {web(1): "blocked"}
    assert log.said("approve", web(1)).statuses() == {web(1): status}
    assert fold_events(log.events).sources[web(1)].approved


def test_the_analyst_s_last_word_on_a_source_counts() -> None:
    log, seen = Log().source(web(1), snippet=WEAK).source(web(2)), []
    for do in ("approve", "strike", "approve", "restore"):
        seen.append(log.said(do, web(1)).statuses()[web(1)])
    assert seen == ["kept", "struck", "kept", "blocked"]
    assert log.said("strike", web(2)).said("restore", web(2)).statuses()[web(2)] == "kept"


def test_what_was_decided_before_the_run_stands_from_the_start_and_gives_way_to_what_is_said_during_it() -> (
    None
):
    a, b, c, unread, unmet = (web(n) for n in range(5))
    log = Log(approved=(a, b, unread), struck=(c, unmet), instructions=("Say when.",))
    log.found(a, WEAK).source(b, snippet=WEAK).source(c)
    view = fold_events(log.events)
    assert [(view.sources[url].approved, view.sources[url].struck) for url in (a, b, c)] == [
        (True, False),
        (True, False),
        (False, True),
    ]
    assert view.sources[unread].approved
    assert unmet not in view.sources
    log.said("strike", b).said("approve", c).said("restore", a)(
        "decide", do="instruct", text="And where.", command=99
    )
    view = fold_events(log.events)
    assert [(view.sources[url].approved, view.sources[url].struck) for url in (a, b, c)] == [
        (False, False),
        (False, True),
        (True, False),
    ]
    assert view.instructions == ("Say when.", "And where.")
    assert merge_manual_decisions(view) == replace(
        view.settings,
        approved=tuple(sorted((c, unread))),
        struck=tuple(sorted((b, unmet))),
        instructions=view.instructions,
    )


def test_a_follow_up_is_scored_with_what_it_leans_on_under_any_policy() -> None:
    log = Log(follows="What are quantum error correction codes?")
    log.events[0].data["question"] = "What do they cost?"
    view = fold_events(log.events)
    assert view.asked == "What do they cost (about: quantum error correction codes)?"
    parts = credibility.assess(web(1), FULL, view.asked)
    log(
        "found", url=web(1), title="", snippet=FULL, engine="", order=0, rank=0, parts=asdict(parts)
    )
    other = replace(view.settings, credibility=CredibilityPolicy(domain_weight=0.1))
    rescored = seen_under(fold_events(log.events), other)
    again = find_score(rescored.sources[web(1)], rescored)
    assert again == credibility.assess(web(1), FULL, view.asked, other.credibility)


def test_two_addresses_of_one_page_are_one_source_and_the_better_ranked_stands() -> None:
    same = "https://same.example.org/"
    log = (
        Log(mode="quick")
        .source(web(1, "com"), 3, final=same)
        .source(web(2), 4, final=same)
        .source(same, 2)
        .source(web(3), 4)
    )
    decided = log.gate()
    assert decided.kept == (web(2), web(3))
    assert log.statuses() == {
        web(1, "com"): "duplicate",
        web(2): "kept",
        same: "duplicate",
        web(3): "kept",
    }
    assert decided.total == 2


NASA, CASINO = "https://www.nasa.example.gov/r3", "https://casino.example.com/win"


def test_an_address_that_leads_to_somebody_else_is_scored_by_where_it_led() -> None:
    log = Log(mode="quick").source(NASA, 5, final=CASINO, snippet=HALF)
    run = fold_events(log.events)
    assert find_score(run.sources[NASA], run) == credibility.assess(
        CASINO, HALF, QUESTION, CredibilityPolicy()
    )
    (verdict,) = log.gate().verdicts
    needs = "needs more than 0.50, has 0.41: general web: nothing known of it, 50 % of the question's words, no date"
    assert (verdict.status, verdict.reason) == ("blocked", f"it led to {CASINO}: {needs}")
    assert (
        log.gate(mode="quick", credibility=CredibilityPolicy(minimum=0.3)).verdicts[0].status
        == "kept"
    )
    assert log.said("approve", NASA).gate().verdicts[0].status == "kept"


@pytest.mark.parametrize(
    "final", [NASA, "https://nasa.example.gov/r3", "http://www.nasa.example.gov/else", ""]
)
def test_what_stays_with_one_owner_is_scored_as_it_was_listed(final: str) -> None:
    log = Log(mode="quick").found(NASA, HALF).read(NASA, final).judged(NASA)
    assert fold_events(log.events).sources[NASA].redirected_to == ""
    assert log.statuses() == {NASA: "kept"}


def test_an_address_that_leads_to_a_better_place_is_worth_what_that_is_worth() -> None:
    log = Log(mode="quick").source(CASINO, final=NASA)
    run = fold_events(log.events)
    assert find_score(run.sources[CASINO], run) == credibility.assess(
        NASA, FULL, QUESTION, CredibilityPolicy()
    )
    policy = CredibilityPolicy(tiers=(Tier("everybody", 0.6),))
    rescored = seen_under(run, replace(run.settings, credibility=policy))
    assert find_score(rescored.sources[CASINO], rescored) == credibility.assess(
        NASA, FULL, QUESTION, policy
    )


def test_sources_of_which_no_address_is_known_are_not_taken_for_one() -> None:
    log = Log().found(web(1)).judged(web(1)).found(web(2)).judged(web(2))
    assert log.statuses() == {web(1): "kept", web(2): "kept"}


def test_domains_are_counted_where_the_pages_were_found_to_be() -> None:
    log = (
        Log(mode="quick")
        .source("https://short.example.net/a", final="https://a.example.org/")
        .source("https://short.example.net/b", final="https://b.example.com/")
    )
    assert log.gate().domains == 2
    assert (
        Log()
        .source("https://a.tides.example.org/", 4)
        .source("https://b.tides.example.org/", 4)
        .gate()
        .domains
        == 1
    )


def test_documents_of_one_s_own_are_one_site_however_many() -> None:
    log = (
        Log(mode="quick").source("document:01", 5).source("document:02", 4).source("document:03", 4)
    )
    assert log.gate().domains == 1
    assert (
        log.source("https://saved.example.net/from/a/page", 4).gate().domains == 2
    )  # what has an address of its own is of that


def test_those_nobody_could_score_are_kept_and_counted() -> None:
    decided = (
        Log(mode="quick", relevance_cutoff=5)
        .source(web(1), 3, scored=False)
        .source(web(2), 4)
        .source(web(3), 5)
        .gate()
    )
    assert (decided.kept, decided.unscored, decided.total, decided.decision) == (
        (web(3), web(1)),
        1,
        3,
        "short_report",
    )


# ---------------------------------------------------------------- void


def test_what_was_derived_before_a_void_no_longer_counts() -> None:
    log = Log().searched(0, "timed_out").found(web(1)).unread(web(1)).said("approve", web(2))
    log("gated", n=1)("written", text="no report")("decide", do="tally", tokens=1)(
        "finished", outcome="done"
    )
    log("voided", key="k")
    run = fold_events(log.events)
    assert (run.question, run.outcomes, run.gated, run.written, run.tally) == (
        QUESTION,
        (),
        None,
        None,
        None,
    )
    assert log.statuses() == {web(2): "not_read"}  # the analyst's word stands
    log.searched(0).source(web(1)).source(web(2), snippet=WEAK)
    assert log.statuses() == {web(1): "kept", web(2): "kept"}
    assert [data["state"] for data in fold_events(log.events).outcomes] == ["answered"]


def test_a_stop_outlives_a_void() -> None:
    """It was the analyst's word or a cap's; else the run would be stopped anew, before anything is
    read.
    """
    log = Log().source(web(1)).stop()("voided", key="k").source(web(1)).source(web(2))
    assert log.statuses() == {web(1): "kept", web(2): "not_read"}


@pytest.mark.parametrize("refused", [CASINO, NASA])
def test_what_the_analyst_never_wants_is_blocked_where_it_was_listed_and_where_it_led_and_passes_by_hand_alone(
    refused: str,
) -> None:
    never = CredibilityPolicy(
        minimum=0.0, overrides=(Override(find_host(refused), 0.0, "They invent."),)
    )
    log = Log(mode="quick").source(CASINO, final=NASA)
    assert log.gate().verdicts[0].status == "kept"
    (verdict,) = log.gate(mode="quick", credibility=never).verdicts
    assert (verdict.status, "your word: never" in verdict.reason) == ("blocked", True)
    assert (
        log.said("approve", CASINO).gate(mode="quick", credibility=never).verdicts[0].status
        == "kept"
    )


# ---------------------------------------------------------------- what if

SHARE = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
MOVED = (
    Tier("ours", 1.0, hosts=("site1.example.org",)),
    Tier("organisation", 0.2, suffixes=("org",)),
    Tier("rest", 0.5),
)
POLICIES = st.builds(
    CredibilityPolicy,
    minimum=SHARE,
    domain_weight=SHARE,
    relevance_weight=SHARE,
    recency_bonus=st.sampled_from([0.0, 0.05, 0.1, 0.2]),
    tiers=st.sampled_from([DEFAULT_TIERS, MOVED]),
    overrides=st.sampled_from(
        [
            (),
            (Override("example.org", 0.0, "never"),),
            (Override("site1.example.org", 0.3, "doubtful"),),
        ]
    ),
)
SETTINGS = st.builds(
    RunSettings,
    mode=st.sampled_from(MODES),
    credibility=POLICIES,
    relevance_cutoff=st.none() | st.integers(1, 5),
    min_full=st.none() | st.just(3),
    min_short=st.none() | st.just(2),
)


def under(log: Log, settings: RunSettings) -> Log:
    """The same pages found, read and judged by a run under these settings."""
    fresh = Log()
    fresh.run = settings
    fresh.events = [
        replace(log.events[0], data={**log.events[0].data, "settings": settings.to_json()})
    ]
    for event in log.events[1:]:
        if event.kind == "found":
            fresh.found(
                event.data["url"], event.data["snippet"], event.data["order"], event.data["rank"]
            )
        else:
            fresh(event.kind, **event.data)
    return fresh


@given(st.integers(0, 10_000), SETTINGS, SETTINGS)
def test_what_if_under_other_settings_equals_a_run_under_them(
    seed: int, before: RunSettings, after: RunSettings
) -> None:
    """Exact whatever the run's own policy was, also where it gave no bonus for a date or put hosts
    into other tiers.
    """
    log = random_run(seed)
    assert decide_gate(fold_events(under(log, before).events), after) == decide_gate(
        fold_events(under(log, after).events)
    )


def test_what_if_reads_no_page_and_says_so() -> None:
    log = Log().source(web(1)).found(web(2), "quantum error")
    blocked, lower = log.gate(), log.gate(credibility=CredibilityPolicy(minimum=0.4))
    assert {verdict.url: verdict.status for verdict in blocked.verdicts} == {
        web(1): "kept",
        web(2): "not_read",
    }
    higher = log.gate(credibility=CredibilityPolicy(minimum=0.95))
    assert {verdict.url: verdict.status for verdict in higher.verdicts} == {
        web(1): "blocked",
        web(2): "blocked",
    }
    assert lower.kept == blocked.kept == (web(1),)
    assert higher.kept == ()
    assert log.gate() == blocked  # nothing was changed by asking


def test_a_verdict_has_a_number_only_where_it_is_kept() -> None:
    for seed in range(50):
        decided = random_run(seed).gate()
        numbers = [verdict.number for verdict in decided.verdicts if verdict.status == "kept"]
        assert numbers == list(range(1, len(decided.kept) + 1))
        assert all(verdict.number == 0 for verdict in decided.verdicts if verdict.status != "kept")
        assert isinstance(decided.verdicts, tuple)
        assert all(isinstance(verdict, Verdict) for verdict in decided.verdicts)


# ---------------------------------------------------------------- copies


def told(log: Log, url: str, text: str, score: int = 4) -> Log:
    """A source whose page says this."""
    log.found(url)("admitted", url=url)("fetch", url=url)
    kept = {"print": fingerprint_text(text).as_json(), "page": {"$text": "sha"}}
    log("fetched", url=url, final_url=url, title=url, published="", **kept)
    log(
        "passages",
        url=url,
        passages=[{"id": "p1", "text": "words", "start": 0, "end": 5}],
        summary="words",
    )
    return log.judged(url, score)


ONE, OTHER, THIRD = (
    " ".join(f"{word}{n}" for n in range(300)) for word in ("seal", "reef", "tide")
)


@pytest.mark.parametrize(
    ("texts", "decision", "copies", "domains"),
    [
        ([ONE, OTHER, THIRD], "full_report", 0, 3),
        ([ONE, OTHER, OTHER], "short_report", 1, 2),
        ([ONE, ONE, ONE], "short_report", 2, 1),
        ([ONE, ONE, OTHER, THIRD], "full_report", 1, 3),
    ],
)
def test_copies_of_one_text_count_once(
    texts: list[str], decision: str, copies: int, domains: int
) -> None:
    log = Log(mode="standard", min_full=3, min_short=1)
    for n, text in enumerate(texts):
        told(log, f"https://site{n}.test/", text)
    made = log.gate()
    assert (made.decision, made.copies, made.domains) == (decision, copies, domains)
    assert len(made.kept) == len(texts)  # both are shown, and both may be cited
    assert ("not counted" in made.rationale) == bool(copies)


@pytest.mark.parametrize(
    ("version", "reason"), [(3, "all off topic"), (4, "too few relevant sources")]
)
def test_copies_that_leave_too_few_are_not_called_off_topic(version: int, reason: str) -> None:
    log = Log(mode="standard")
    log.events[0].data["rules"] = {"scoring": version}
    for n in range(3):
        told(log, f"https://site{n}.test/", ONE)
    made = log.gate()
    assert (made.decision, made.copies) == ("insufficient_data", 2)
    assert made.reason == reason


@pytest.mark.parametrize(("version", "copies"), [(5, 1), (6, 0)])
def test_short_pages_on_different_things_share_a_template(version: int, copies: int) -> None:
    shared = " ".join(ONE.split()[:60])
    log = Log(mode="standard")
    log.events[0].data["rules"] = {"scoring": version}
    for title, own in (("Warfarin", OTHER), ("What is the dosage of ibuprofen?", THIRD)):
        told(log, f"https://site{len(log.events)}.test/", f"{shared} {' '.join(own.split()[:40])}")
        for event in log.events[-3:]:
            if event.kind == "fetched":
                event.data["title"] = title
    assert log.gate().copies == copies


STORIES = [" ".join(f"{word}{n}" for n in range(200)) for word in ("kelp", "gull", "crab", "squid")]


@pytest.mark.parametrize("score", [5, 3], ids=["above its stories", "below them"])
@pytest.mark.parametrize(
    "roundup",
    [" ".join(STORIES), " ".join([*STORIES, ONE]), " ".join(STORIES[:2])],
    ids=["all", "and its own", "two"],
)
def test_a_roundup_takes_no_report_away(roundup: str, score: int) -> None:
    log = Log(mode="standard", min_full=4, min_short=2)
    for n, text in enumerate(STORIES):
        told(log, f"https://site{n}.test/", text)
    before = log.gate()
    after = told(log, "https://roundup.test/", roundup, score).gate()
    assert (before.decision, after.decision) == ("full_report", "full_report")
    assert (after.copies, after.domains, len(after.kept)) == (1, 4, 5)
    assert len({verdict.copy_of or verdict.url for verdict in after.verdicts}) == 4


def test_a_roundup_is_no_further_source_of_what_it_only_quotes() -> None:
    log = Log(mode="standard", min_full=3, min_short=1)
    for n, text in enumerate([*STORIES[:2], " ".join(STORIES[:2])]):
        told(log, f"https://site{n}.test/", text)
    assert log.gate().decision == "short_report"


def test_pages_that_name_one_original_are_told_alike_whether_it_is_there_or_not() -> None:
    """They share a third, which is a copy only for pages that say where they come from."""
    shared, canonical = " ".join(ONE.split()[:100]), "https://wire.test/story"
    log = Log()
    for n, own in enumerate((OTHER, THIRD)):
        told(log, web(n), f"{shared} {' '.join(own.split()[:200])}")
    assert log.gate().copies == 0
    for event in log.events:
        if event.kind == "fetched":
            event.data["metadata"] = {"canonical": canonical}
    assert log.gate().copies == 1


def test_of_copies_the_one_that_ranks_first_stands_and_a_struck_one_hands_its_place_on() -> None:
    log = told(told(told(Log(), web(1), ONE, 3), web(2), ONE, 5), web(3), OTHER)
    assert {verdict.url: verdict.copy_of for verdict in log.gate().verdicts} == {
        web(2): "",
        web(3): "",
        web(1): web(2),
    }
    log.said("strike", web(2))
    assert log.gate().copies == 0


def test_pages_read_before_prints_were_kept_are_nobody_s_copies() -> None:
    assert Log().source(web(1)).source(web(2)).gate().copies == 0


def test_a_page_that_a_client_asked_for_by_itself_and_that_nobody_gave_failed_and_was_not_blocked() -> (
    None
):
    log = Log().unread(web(1))
    assert [(verdict.status, verdict.reason) for verdict in log.gate().verdicts] == [
        ("failed", "Nobody answers.")
    ]
    assert Log().read(web(1)).statuses() == {web(1): "blocked"}
