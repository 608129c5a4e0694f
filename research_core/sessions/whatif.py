"""Decide a stored run again under other settings and show what would change.

Pure, and fast enough for a slider. Nothing is read or asked: blocking, KEEP or DROP and the outcome
are decided again over what was found and read, and compared with the run's own decisions. What a
re-write would read is only forecast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from research_core.decisions import gate as decide
from research_core.decisions.gate import Gate, Verdict
from research_core.decisions.view import RunView, SourceView
from research_core.models import Block, Report, ReportSource, Sentence
from research_core.modes import ResearchMode
from research_core.pipeline import admission, confidence, report
from research_core.pipeline.confidence import Confidence
from research_core.policy import AUTHORITY_PARTS, CredibilityPolicy, Override, RunSettings

#: What an analyst can do to a source by hand.
MANUAL_DECISIONS = ("approve", "strike", "restore")


@dataclass(frozen=True)
class Dials:
    """The settings that can be changed.

    Shares are 0-1, as in `CredibilityPolicy`; cutoff: 1-5; full, short: kept sources that each
    report needs; parts: the evidence on hosts that counts, of `policy.PARTS`.
    """

    minimum: float
    domain: float
    words: float
    date: float
    cutoff: int
    full: int
    short: int
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Flip:
    """A source with a different decision.

    was, now: as `decide.Verdict.status`, now also "readable"; why: what decides it now.
    """

    url: str
    was: str
    now: str
    why: str


@dataclass(frozen=True)
class Shift:
    """A source with a different credibility, whatever its decision. was, now: 0.0-1.0."""

    url: str
    was: float
    now: float

    @property
    def by(self) -> float:
        return self.now - self.was


@dataclass(frozen=True)
class Loss:
    """A sentence that would lose support. place: in the text, from 0; gone, left: cited URLs."""

    place: int
    sentence: Sentence
    gone: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True)
class WhatIf:
    """A run under other settings beside its own decision.

    view, gate: the run and the decision now; stored: the run's own decision, or a preliminary one.
    sources: in the order of the stored decision, so that lists keep still, with their status and
    reason now ("readable" if a source passes that was never read). lost: sentences without any
    support left; weakened: with some; readable: the best first; shifts: the largest first.
    """

    settings: RunSettings
    view: RunView
    gate: Gate
    stored: Gate
    sources: tuple[ReportSource, ...]
    flips: tuple[Flip, ...]
    lost: tuple[Loss, ...]
    weakened: tuple[Loss, ...]
    readable: tuple[str, ...]
    was: Mapping[str, Verdict] = field(default_factory=dict)
    shifts: tuple[Shift, ...] = ()

    def as_written(self, source: ReportSource) -> ReportSource:
        """Return the source with its number in the stored report, 0 if it is not cited there."""
        before = self.was.get(source.url)
        return replace(source, number=before.number if before else 0)

    @property
    def outcome_changes(self) -> bool:
        return self.gate.decision != self.stored.decision


# -- settings ----------------------------------------------------------------------------------------------------------------


def read_dials(run: RunView) -> Dials:
    """Return the dials of the run's own settings."""
    policy, mode = run.settings.credibility, run.mode
    return Dials(
        policy.minimum, policy.domain_weight, policy.relevance_weight, policy.recency_bonus,
        mode.relevance_cutoff, mode.min_sources_full_report, mode.min_sources_short_report,
        policy.parts,
    )  # fmt: skip


def tune_settings(
    run: RunView,
    turned: Dials,
    hands: Mapping[str, str] | None = None,
    words: Mapping[str, Override] | None = None,
) -> RunSettings:
    """Return the run's settings changed by dials, manual decisions and overrides.

    hands: {URL: one of MANUAL_DECISIONS}; words: overrides by host, before those of the run. A
    short report never needs more sources than a full one; the smaller number counts for both.
    Raises UsageError for settings no run can have.
    """
    mode, known, short = run.mode, run.settings, min(turned.short, turned.full)
    ResearchMode.named(
        mode.name, relevance_cutoff=turned.cutoff, min_full=turned.full, min_short=short
    )
    said = {word.host: word for word in known.credibility.overrides} | dict(words or {})
    parts = tuple(part for part in AUTHORITY_PARTS if part in turned.parts)
    overrides = tuple(said[host] for host in sorted(said))
    policy = CredibilityPolicy(
        turned.minimum,
        turned.domain,
        turned.words,
        turned.date,
        known.credibility.tiers,
        parts,
        overrides,
    )
    approved, struck = _merge_manual_decisions(run, hands or {})
    return replace(
        known,
        credibility=policy,
        relevance_cutoff=(
            known.relevance_cutoff if turned.cutoff == mode.relevance_cutoff else turned.cutoff
        ),
        min_full=known.min_full if turned.full == mode.min_sources_full_report else turned.full,
        min_short=known.min_short if short == mode.min_sources_short_report else short,
        approved=approved,
        struck=struck,
    )


def get_current_settings(run: RunView) -> RunSettings:
    """Return the run's settings with all later approvals and strikes; nothing flips."""
    return tune_settings(run, read_dials(run))


def _merge_manual_decisions(
    run: RunView, hands: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the approved and the struck URLs after these manual decisions."""
    done = {
        url: "approve" if source.approved else "strike" if source.struck else ""
        for url, source in run.sources.items()
    }
    unseen = dict.fromkeys(run.settings.approved, "approve") | dict.fromkeys(
        run.settings.struck, "strike"
    )
    done = {**unseen, **done, **hands}
    return tuple(sorted(url for url in done if done[url] == "approve")), tuple(
        sorted(url for url in done if done[url] == "strike")
    )


# -- the run under other settings --------------------------------------------------------------------------------------------


def decide_under(run: RunView, settings: RunSettings) -> WhatIf:
    """Decide the run under these settings, whose approved and struck URLs are the only ones."""
    view = _apply_settings(run, settings)
    gate, stored = decide.decide_gate(view), _get_stored_gate(run)
    was = {verdict.url: verdict for verdict in stored.verdicts}
    readable = _find_readable(view, gate, was)
    flips = tuple(_find_flips(view, gate, was, readable))
    losses = tuple(_find_losses(run, view, gate, stored))
    return WhatIf(
        settings=settings,
        view=view,
        gate=gate,
        stored=stored,
        sources=_list_sources(view, gate, was, readable),
        flips=flips,
        lost=tuple(loss for loss in losses if not loss.left),
        weakened=tuple(loss for loss in losses if loss.left),
        readable=readable,
        was=was,
        shifts=_find_shifts(run, view),
    )


def _apply_settings(run: RunView, settings: RunSettings) -> RunView:
    view = decide.rescore_under(run, settings)
    approved, struck = set(settings.approved), set(settings.struck)
    changed = {
        url: s
        for url, s in view.sources.items()
        if (s.approved, s.struck) != (url in approved, url in struck)
    }
    by_hand = {
        url: replace(source, approved=url in approved, struck=url in struck)
        for url, source in changed.items()
    }
    return replace(view, sources={**view.sources, **by_hand})


def _get_stored_gate(run: RunView) -> Gate:
    """Return the run's own decision, or a preliminary one before its gate."""
    if run.gated is None:
        return decide.decide_gate(run)
    known = {name: run.gated[name] for name in Gate.__dataclass_fields__}
    return Gate(
        **{
            **known,
            "kept": tuple(known["kept"]),
            "verdicts": tuple(Verdict(**data) for data in known["verdicts"]),
        }
    )


def _find_readable(view: RunView, gate: Gate, was: Mapping[str, Verdict]) -> tuple[str, ...]:
    """Return sources that only now pass and were never read: approved ones first, then by score."""

    def newly(verdict: Verdict) -> bool:
        before = was.get(verdict.url)
        return verdict.status == "not_read" and (
            before is None or before.status != "not_read" or view.sources[verdict.url].approved
        )

    def best(url: str) -> tuple[bool, float, str]:
        parts = decide.find_score(view.sources[url], view.settings)
        return not view.sources[url].approved, -(parts.score if parts else 0.0), url

    return tuple(sorted((verdict.url for verdict in gate.verdicts if newly(verdict)), key=best))


def _list_sources(
    view: RunView, gate: Gate, was: Mapping[str, Verdict], readable: tuple[str, ...]
) -> tuple[ReportSource, ...]:
    now = {source.url: source for source in report.list_sources(view, gate)}
    pass_now = {
        url: replace(now[url], status="readable", reason=_explain_readable(view.sources[url]))
        for url in readable
    }
    return tuple(
        (now | pass_now)[url] for url in dict.fromkeys((*(url for url in was if url in now), *now))
    )


def _explain_readable(source: SourceView) -> str:
    if source.read:
        return (
            "passes now and was never judged, as the threshold blocked where it led,"
            f" {source.landed}: a re-write may judge it"
        )
    return "passes now and was never read: a re-write may read it"


def _find_flips(
    view: RunView, gate: Gate, was: Mapping[str, Verdict], readable: tuple[str, ...]
) -> Iterator[Flip]:
    for verdict in gate.verdicts:
        before = was[verdict.url].status if verdict.url in was else "not_read"
        now = "readable" if verdict.url in readable else verdict.status
        if now != before:
            yield Flip(
                verdict.url, before, now, _explain_verdict(view.sources[verdict.url], verdict, view)
            )


def _find_shifts(run: RunView, view: RunView) -> tuple[Shift, ...]:
    pairs = (
        (
            url,
            decide.find_score(run.sources[url], run.settings),
            decide.find_score(now, view.settings),
        )
        for url, now in view.sources.items()
    )
    moved = [
        Shift(url, was.score, now.score)
        for url, was, now in pairs
        if was and now and was.score != now.score
    ]
    return tuple(sorted(moved, key=lambda shift: (-abs(shift.by), shift.url)))


def _explain_verdict(source: SourceView, verdict: Verdict, view: RunView) -> str:
    """Explain in words what decides a source now."""
    judged, parts = source.judgement, decide.find_score(source, view.settings)
    passes = (
        "approved by hand"
        if source.approved
        else f"credibility {parts.score:.2f}"
        if parts
        else "own document"
    )
    if verdict.status in ("kept", "dropped") and judged:
        if not judged.scored:
            return f"{passes}; nobody could score its relevance"
        return (
            f"{passes}; relevance {judged.score}, and {view.mode.relevance_cutoff} or more is kept"
        )
    if verdict.status == "not_read":
        return f"{passes}; it was never {'judged' if source.read else 'read'}"
    return verdict.reason


# -- the sentences of the stored report --------------------------------------------------------------------------------------


def _find_losses(run: RunView, view: RunView, gate: Gate, stored: Gate) -> Iterator[Loss]:
    """Yield every sentence that cites a source which is no longer kept."""
    origin = {
        passage.id: url
        for url in reversed(stored.kept)
        if url in run.sources
        for passage in run.sources[url].passages
    }
    held = {passage.id for url in gate.kept for passage in view.sources[url].passages}
    if set(stored.kept) <= set(gate.kept):
        return
    for place, sentence in enumerate(_iterate_sentences(run)):
        cited = [name for name in sentence.citations if name in origin]
        gone = dict.fromkeys(origin[name] for name in cited if name not in held)
        if gone:
            left = dict.fromkeys(origin[name] for name in cited if name in held)
            yield Loss(place, sentence, tuple(gone), tuple(left))


def _iterate_sentences(run: RunView) -> Iterator[Sentence]:
    for block in run.verified["blocks"] if run.verified else ():
        for data in block["sentences"]:
            yield Sentence(data["text"], tuple(data["citations"]), data["state"], data["note"])


@dataclass(frozen=True)
class ConfidenceChange:
    """The confidence of the stored report and under the new settings, None without a report."""

    was: Confidence
    now: Confidence | None


#: More pairs of a sentence and a kept source than this take longer than a slider may.
MAX_PAIRS = 2_500


def recompute_confidence(run: RunView, what: WhatIf) -> ConfidenceChange | None:
    """Compute the confidence without the sentences that lose all support.

    Returns None without a report, with the same sources, or if it would take too long. The checks
    of sentences stay as they were.
    """
    kept = max(len(what.gate.kept), len(what.stored.kept))
    if (
        run.report is None
        or set(what.gate.kept) == set(what.stored.kept)
        or kept * len(list(_iterate_sentences(run))) > MAX_PAIRS
    ):
        return None
    was = confidence.compute_confidence(report.build(run))
    return (
        ConfidenceChange(
            was, confidence.compute_confidence(_drop_lost_citations(report.build(what.view)))
        )
        if was
        else None
    )


def _drop_lost_citations(built: Report) -> Report:
    """Drop citations of lost sources, and sentences that cited nothing else."""
    held = {passage.id for source in built.sources if source.number for passage in source.passages}

    def of(block: Block) -> Block:
        cited = (
            (sentence, tuple(name for name in sentence.citations if name in held))
            for sentence in block.sentences
        )
        return replace(
            block,
            sentences=tuple(
                replace(one, citations=left) for one, left in cited if left or not one.citations
            ),
        )

    return replace(built, blocks=tuple(block for block in map(of, built.blocks) if block.sentences))


# -- what a re-write would read ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReadingForecast:
    """What a re-write would read.

    new: never read before; again: from the record; left: read before and no longer.
    """

    new: tuple[str, ...]
    again: tuple[str, ...]
    left: tuple[str, ...]


def forecast_reading(run: RunView, what: WhatIf) -> ReadingForecast | None:
    """Forecast what the mode's budget would be spent on, None if a model chooses.

    It knows only the searches that were made. New pages may be unreadable and be replaced, and the
    gap queries may change with what is read.
    """
    if what.settings.strategy != "planned":
        return None
    wanted = _find_wanted(what.view)
    read = {url for url, source in run.sources.items() if source.read}
    tried = {url for url, source in run.sources.items() if source.failure}
    return ReadingForecast(
        tuple(sorted(wanted - read - tried)),
        tuple(sorted(wanted & read)),
        tuple(sorted(read - wanted)),
    )


def _find_wanted(view: RunView) -> frozenset[str]:
    """Return the sources `gather` would admit from these lists once all answers are in."""
    lost = {
        url
        for url, source in view.sources.items()
        if source.failure or decide.redirects_to_blocked_site(source, view.settings)
    }
    dead = {url for url in lost if not view.sources[url].struck}
    by_hand = {url for url, source in view.sources.items() if source.approved}
    return admission.select_wanted_in_the_end(*_build_lists(view), dead, view.mode) | by_hand


def _build_lists(view: RunView) -> tuple[dict[int, list[str]], dict[str, float]]:
    """Return the allowed URLs of each query and the scores of those in the budget."""
    policy = view.settings.credibility
    lists: dict[int, list[str]] = {order: [] for order in view.queries}
    scores: dict[str, float] = {}
    usable = [
        (url, item)
        for url, source in view.sources.items()
        if not source.struck
        for item in source.listings
    ]
    for url, item in sorted(usable, key=lambda pair: (pair[1].order, pair[1].rank)):
        if item.parts is None or not policy.blocks(item.parts.score):
            lists.setdefault(item.order, []).append(url)
            if item.order < admission.INSTRUCTED:
                scores[url] = max(scores.get(url, 0.0), item.parts.score if item.parts else 0.0)
    return lists, scores
