"""Decide a stored run again under other settings and show what would change.

Pure, and fast enough for a slider. Nothing is read or asked: blocking, KEEP or DROP and the outcome
are decided again over what was found and read, and compared with the run's own decisions. What a
rewrite would read is only forecast.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from research_core.decisions import gate as decide
from research_core.decisions import report_sources
from research_core.decisions.gate import Gate, Verdict
from research_core.decisions.view import RunView, SourceView
from research_core.i18n import _
from research_core.models import Report, ReportSource, Sentence
from research_core.modes import EXHAUSTIVE, ResearchMode
from research_core.pipeline import admission, confidence, report
from research_core.pipeline.confidence import Confidence
from research_core.policy import AUTHORITY_PARTS, CredibilityPolicy, Override, RunSettings
from research_core.urls import is_own_document


@dataclass(frozen=True)
class Dials:
    """The settings that can be changed.

    Shares are 0-1, as in `CredibilityPolicy`; cutoff: 1-5; full, short: kept sources that each
    report needs; parts: the evidence on hosts that counts, of `policy.AUTHORITY_PARTS`; sources:
    pages the exhaustive mode reads, 0 in a mode whose page limit is fixed.
    """

    minimum: float
    domain: float
    words: float
    date: float
    cutoff: int
    full: int
    short: int
    parts: tuple[str, ...] = ()
    sources: int = 0


@dataclass(frozen=True)
class Flip:
    """A source with a different decision.

    was, now: as `gate.Verdict.status`, now also "readable"; why: what decides it now.
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

    def restore_number(self, source: ReportSource) -> ReportSource:
        """Return the source with its number in the stored report, 0 if it is not cited there."""
        before = self.was.get(source.url)
        return replace(source, number=before.number if before else 0)

    @property
    def outcome_changes(self) -> bool:
        return self.gate.decision != self.stored.decision

    @property
    def is_limited(self) -> bool:
        """Return True if a source that passes only now would not be read: too many others do."""
        return any(flip.was == "blocked" and flip.now == "not_read" for flip in self.flips)


# -- settings ------------------------------------------------------------------


def read_dials(run: RunView) -> Dials:
    """Return the dials of the run's own settings."""
    policy = run.settings.credibility
    mode = run.mode
    return Dials(
        policy.minimum,
        policy.domain_weight,
        policy.relevance_weight,
        policy.recency_bonus,
        mode.relevance_cutoff,
        mode.min_sources_full_report,
        mode.min_sources_short_report,
        policy.parts,
        mode.max_sources if mode.name == EXHAUSTIVE else 0,
    )


def tune_settings(
    run: RunView,
    dials: Dials,
    manual: Mapping[str, str] | None = None,
    overrides: Mapping[str, Override] | None = None,
) -> RunSettings:
    """Return the run's settings changed by dials, manual decisions and overrides.

    manual: {URL: one of `events.MANUAL_DECISIONS`}; overrides: by host, before those of the run. A
    short report never needs more sources than a full one; the smaller number counts for both.
    Raises UsageError for settings no run can have.
    """
    mode = run.mode
    known = run.settings
    short = min(dials.short, dials.full)
    resized = mode.name == EXHAUSTIVE and dials.sources not in (0, mode.max_sources)
    # Raises UsageError for a mode that no run can have.
    ResearchMode.from_name(
        mode.name,
        sources=dials.sources if resized else known.sources,
        relevance_cutoff=dials.cutoff,
        min_full=dials.full,
        min_short=short,
    )
    override_of = {override.host: override for override in known.credibility.overrides}
    override_of.update(overrides or {})
    policy = CredibilityPolicy(
        dials.minimum,
        dials.domain,
        dials.words,
        dials.date,
        known.credibility.tiers,
        tuple(part for part in AUTHORITY_PARTS if part in dials.parts),
        tuple(override_of[host] for host in sorted(override_of)),
    )
    approved, struck = _merge_manual_decisions(run, manual or {})
    tuned = replace(known, credibility=policy, approved=approved, struck=struck).rewriting(known)
    if resized:
        # The thresholds depend on the number of sources, unless they are given.
        tuned = replace(tuned, sources=dials.sources, min_full=dials.full, min_short=short)
    # A dial that was not moved leaves its setting as it is, which may be "as the mode asks".
    if dials.cutoff != mode.relevance_cutoff:
        tuned = replace(tuned, relevance_cutoff=dials.cutoff)
    if dials.full != mode.min_sources_full_report:
        tuned = replace(tuned, min_full=dials.full)
    if short != mode.min_sources_short_report:
        tuned = replace(tuned, min_short=short)
    return tuned


def get_current_settings(run: RunView) -> RunSettings:
    """Return the run's settings with all later approvals and strikes; nothing flips."""
    return tune_settings(run, read_dials(run))


def _merge_manual_decisions(
    run: RunView, manual: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the approved and the struck URLs after these manual decisions."""
    decisions = dict.fromkeys(run.settings.approved, "approve")
    decisions |= dict.fromkeys(run.settings.struck, "strike")
    for url, source in run.sources.items():
        if source.approved:
            decisions[url] = "approve"
        else:
            decisions[url] = "strike" if source.struck else ""
    decisions.update(manual)
    approved = sorted(url for url in decisions if decisions[url] == "approve")
    struck = sorted(url for url in decisions if decisions[url] == "strike")
    return tuple(approved), tuple(struck)


# -- the run under other settings ----------------------------------------------


def decide_under(run: RunView, settings: RunSettings) -> WhatIf:
    """Decide the run under these settings, whose approved and struck URLs are the only ones."""
    view = _apply_settings(run, settings)
    gate = decide.decide_gate(view)
    stored = decide.read_gate(run)
    was = {verdict.url: verdict for verdict in stored.verdicts}
    readable = _find_readable(run, view, gate, was)
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
    all_approved = set(settings.approved)
    all_struck = set(settings.struck)
    sources = dict(view.sources)
    for url, source in view.sources.items():
        approved = url in all_approved
        struck = url in all_struck
        if (source.approved, source.struck) != (approved, struck):
            sources[url] = replace(source, approved=approved, struck=struck)
    return replace(view, sources=sources)


def _find_readable(
    run: RunView, view: RunView, gate: Gate, was: Mapping[str, Verdict]
) -> tuple[str, ...]:
    """Return sources that only a rewrite would read or judge: approved ones, then by score.

    In the planned strategy they are those of `forecast_reading`; if a model chooses, all that pass
    only now.
    """

    def rank(url: str) -> tuple[bool, float, str]:
        source = view.sources[url]
        parts = decide.find_score(source, view)
        return not source.approved, -(parts.score if parts else 0.0), url

    wanted: Collection[str] = view.sources
    newly_wanted: Collection[str] = ()
    if view.settings.strategy == "planned":
        wanted = _find_wanted(view)
        newly_wanted = wanted - _find_wanted(run)
    urls = []
    for verdict in gate.verdicts:
        url = verdict.url
        source = view.sources[url]
        if verdict.status != "not_read" or not (url in wanted or source.read):
            continue
        before = was.get(url)
        passes_only_now = before is None or before.status != "not_read"
        if passes_only_now or source.approved or url in newly_wanted:
            urls.append(url)
    return tuple(sorted(urls, key=rank))


def _list_sources(
    view: RunView, gate: Gate, was: Mapping[str, Verdict], readable: tuple[str, ...]
) -> tuple[ReportSource, ...]:
    now = {source.url: source for source in report_sources.list_sources(view, gate)}
    in_stored_order = [url for url in was if url in now]
    for url in readable:
        reason = _explain_readable(view.sources[url])
        now[url] = replace(now[url], status="readable", reason=reason)
    return tuple(now[url] for url in dict.fromkeys((*in_stored_order, *now)))


def _explain_readable(source: SourceView) -> str:
    if source.read:
        return _("Eligible now. A rewrite may judge it. It redirects to {address}.").format(
            address=source.redirected_to
        )
    return _("Eligible now. A rewrite would read it.")


def _find_flips(
    view: RunView, gate: Gate, was: Mapping[str, Verdict], readable: tuple[str, ...]
) -> Iterator[Flip]:
    for verdict in gate.verdicts:
        url = verdict.url
        before = was[url].status if url in was else "not_read"
        now = "readable" if url in readable else verdict.status
        if now != before:
            yield Flip(url, before, now, _explain_verdict(view.sources[url], verdict, view))


def _find_shifts(run: RunView, view: RunView) -> tuple[Shift, ...]:
    shifts = []
    for url, source in view.sources.items():
        was = decide.find_shown_score(run.sources[url], run)
        now = decide.find_shown_score(source, view)
        if was and now and was.score != now.score:
            shifts.append(Shift(url, was.score, now.score))
    return tuple(sorted(shifts, key=lambda shift: (-abs(shift.by), shift.url)))


def _explain_verdict(source: SourceView, verdict: Verdict, view: RunView) -> str:
    """Explain in words what decides a source now."""
    if verdict.status not in ("kept", "dropped", "not_read"):
        return verdict.reason
    parts = decide.find_shown_score(source, view)
    if source.approved:
        passes = _("included by you")
    elif parts:
        passes = _("credibility {score:.2f}").format(score=parts.score)
    elif not is_own_document(source.url):
        passes = _("not scored")
    else:
        passes = _("library document")
    judgement = source.judgement
    if verdict.status == "not_read":
        if source.read:
            return _("{passes}, not judged yet").format(passes=passes)
        return _("{passes}, not read yet").format(passes=passes)
    if judgement is None:
        return verdict.reason
    if not judgement.scored:
        return _("{passes}, relevance not scored").format(passes=passes)
    return _("{passes}, relevance {score}/5, needs {cutoff} or more").format(
        passes=passes, score=judgement.score, cutoff=view.mode.relevance_cutoff
    )


# -- the sentences of the stored report ----------------------------------------


def _find_losses(run: RunView, view: RunView, gate: Gate, stored: Gate) -> Iterator[Loss]:
    """Yield every sentence that cites a source which is no longer kept."""
    if set(stored.kept) <= set(gate.kept):
        return
    source_of: dict[str, str] = {}
    for url in stored.kept:
        if url in run.sources:
            for passage in run.sources[url].passages:
                source_of.setdefault(passage.id, url)
    held = {passage.id for url in gate.kept for passage in view.sources[url].passages}
    for place, sentence in enumerate(_list_sentences(run)):
        cited = [name for name in sentence.citations if name in source_of]
        gone = dict.fromkeys(source_of[name] for name in cited if name not in held)
        if gone:
            left = dict.fromkeys(source_of[name] for name in cited if name in held)
            yield Loss(place, sentence, tuple(gone), tuple(left))


def _list_sentences(run: RunView) -> list[Sentence]:
    return [sentence for block in run.blocks for sentence in block.sentences]


@dataclass(frozen=True)
class ConfidenceChange:
    """The confidence of the stored report and under the new settings, None without a report."""

    was: Confidence
    now: Confidence | None


#: Comparing more pairs of a sentence and a kept source would be too slow for a slider.
MAX_PAIRS = 2_500


def recompute_confidence(run: RunView, whatif: WhatIf) -> ConfidenceChange | None:
    """Compute the confidence without the sentences that lose all support.

    Returns None without a report, with the same sources, or if it would take too long. The checks
    of sentences stay as they were.
    """
    if run.report is None or set(whatif.gate.kept) == set(whatif.stored.kept):
        return None
    kept = max(len(whatif.gate.kept), len(whatif.stored.kept))
    if kept * len(_list_sentences(run)) > MAX_PAIRS:
        return None
    was = confidence.compute_confidence(report.build(run))
    if was is None:
        return None
    built = report.build(whatif.view, whatif.gate)
    now = confidence.compute_confidence(_drop_lost_citations(built))
    return ConfidenceChange(was, now)


def _drop_lost_citations(built: Report) -> Report:
    """Drop citations of lost sources, and sentences that cited nothing else."""
    held = {passage.id for source in built.sources if source.number for passage in source.passages}
    blocks = []
    for block in built.blocks:
        sentences = []
        for sentence in block.sentences:
            left = tuple(name for name in sentence.citations if name in held)
            if left or not sentence.citations:
                sentences.append(replace(sentence, citations=left))
        if sentences:
            blocks.append(replace(block, sentences=tuple(sentences)))
    return replace(built, blocks=tuple(blocks))


# -- what a rewrite would read ------------------------------------------------


@dataclass(frozen=True)
class ReadingForecast:
    """What a rewrite would read.

    new: never read before; again: from the record; left: read before and no longer.
    """

    new: tuple[str, ...]
    again: tuple[str, ...]
    left: tuple[str, ...]


def forecast_reading(run: RunView, whatif: WhatIf) -> ReadingForecast | None:
    """Forecast what the mode's budget would be spent on, None if a model chooses.

    It knows only the searches that were made. New pages may be unreadable and be replaced, and the
    gap queries may change with what is read.
    """
    if whatif.settings.strategy != "planned":
        return None
    wanted = _find_wanted(whatif.view)
    read = {url for url, source in run.sources.items() if source.read}
    tried = {url for url, source in run.sources.items() if source.failure}
    return ReadingForecast(
        tuple(sorted(wanted - read - tried)),
        tuple(sorted(wanted & read)),
        tuple(sorted(read - wanted)),
    )


def would_change_report(whatif: WhatIf, forecast: ReadingForecast | None) -> bool:
    """Return True if a rewrite may differ: in what it reads, keeps or decides, or in a score.

    True without a forecast: what a model would choose to read is unknown until it is asked.
    """
    if forecast is None or forecast.new or forecast.left or whatif.shifts:
        return True
    return whatif.outcome_changes or set(whatif.gate.kept) != set(whatif.stored.kept)


@dataclass(frozen=True)
class LowerMinimum:
    """A lower minimum credibility, the settings with it, and the pages it would read.

    titles: of these pages; is_likely: the listing of one has LIKELY_KEYWORDS of the question.
    """

    minimum: float
    settings: RunSettings
    titles: tuple[str, ...]
    is_likely: bool


#: Share of the question's words in a listing from which its page is likely to be on the question.
LIKELY_KEYWORDS = 0.5
#: Step of the search for a lower minimum, and the lowest one suggested.
MINIMUM_STEP = 0.05
LOWEST_MINIMUM = 0.2


def suggest_lower_minimum(run: RunView) -> LowerMinimum | None:
    """Return the nearest lower minimum that would read as many pages as the report lacks.

    None if no minimum down to LOWEST_MINIMUM would, or if a model chooses what to read.
    """
    lacking = max(1, run.mode.min_sources_short_report - len(decide.read_gate(run).kept))
    dials = read_dials(run)
    steps = int(round(dials.minimum / MINIMUM_STEP, 6))
    for step in range(steps, 0, -1):
        minimum = round(step * MINIMUM_STEP, 2)
        if not LOWEST_MINIMUM <= minimum < dials.minimum:
            continue
        settings = tune_settings(run, replace(dials, minimum=minimum))
        forecast = forecast_reading(run, decide_under(run, settings))
        if forecast is None:
            return None
        if len(forecast.new) >= lacking:
            return _describe_new_pages(run, minimum, settings, forecast.new)
    return None


def _describe_new_pages(
    run: RunView, minimum: float, settings: RunSettings, urls: Collection[str]
) -> LowerMinimum:
    view = replace(run, settings=settings)
    titles = []
    for url in urls:
        listing = decide.choose_listing(run.sources[url], view)
        titles.append(listing.title if listing else url)
    return LowerMinimum(minimum, settings, tuple(titles), is_any_likely(view, urls))


def is_any_likely(run: RunView, urls: Collection[str]) -> bool:
    """Return whether the listing of one of these sources has LIKELY_KEYWORDS of the question."""
    scores = [decide.find_score(run.sources[url], run) for url in urls]
    return any(score is None or score.relevance >= LIKELY_KEYWORDS for score in scores)


def _find_wanted(view: RunView) -> frozenset[str]:
    """Return the sources `gather` would admit from these lists once all answers are in."""
    dead = set()
    by_hand = set()
    for url, source in view.sources.items():
        unusable = source.failure or decide.redirects_to_blocked_site(source, view)
        if unusable and not source.struck:
            dead.add(url)
        if source.approved:
            by_hand.add(url)
    lists, scores = _build_lists(view)
    mode = view.mode
    if any(query["purpose"] == "counter" for query in view.queries.values()):
        mode = mode.with_counter_search()
    return admission.select_wanted_in_the_end(lists, scores, dead, mode) | by_hand


def _build_lists(view: RunView) -> tuple[dict[int, list[str]], dict[str, float]]:
    """Return the allowed URLs of each query and the scores of those in the budget."""
    policy = view.settings.credibility
    listings = []
    for url, source in view.sources.items():
        if not source.struck:
            listings += [(url, listing) for listing in source.listings]
    listings.sort(key=lambda pair: (pair[1].order, pair[1].rank))
    lists: dict[int, list[str]] = {order: [] for order in view.queries}
    scores: dict[str, float] = {}
    for url, listing in listings:
        if listing.parts is not None and policy.blocks(listing.parts.score):
            continue
        score = listing.parts.score if listing.parts else None
        order = admission.choose_list(listing.order, score, view.settings)
        lists.setdefault(order, []).append(url)
        if listing.order < admission.INSTRUCTED:
            score = listing.parts.score if listing.parts else 0.0
            scores[url] = max(scores.get(url, 0.0), score)
    return lists, scores
