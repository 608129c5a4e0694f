"""Compare two runs: settings, sources, decisions, sentences and contradictions.

A pure function of two folded logs; either run may be unfinished or without a report. Sources match
by address. Only sentences that cite a source are compared. They match by equal words, and are
similar if most words match in order. The result never says which run is better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from research_core.decisions import gate as decide
from research_core.decisions import report_sources
from research_core.decisions.view import RunView
from research_core.i18n import N_, _
from research_core.models import DECISION_STATES, VERDICT_STATES, Report, ReportSource
from research_core.pipeline import confidence, report
from research_core.pipeline.confidence import Findings
from research_core.pipeline.contradictions import Contradiction
from research_core.policy import OFFLINE_MODEL, WORDS_ALONE, RunSettings, name_model
from research_core.text.words import capitalize_first

#: From this share of common words in order, 0.0-1.0, two sentences count as one that changed.
MIN_LIKENESS = 0.6
_WORDS = re.compile(r"\w+")
#: The settings by the names readers see; others keep their own names.
SETTING_NAMES = {
    "mode": N_("Mode"),
    "strategy": N_("Strategy"),
    "engines": N_("Searched"),
    "library": N_("Library"),
    "model": N_("Model"),
    "writer": N_("Written by"),
    "judge": N_("Judged by"),
    "length": N_("Report length"),
    "sources": N_("Sources to read"),
    "relevance_cutoff": N_("Minimum relevance"),
    "min_full": N_("Sources for a full report"),
    "min_short": N_("Sources for a short report"),
    "credibility.minimum": N_("Minimum credibility"),
    "credibility.domain_weight": N_("Weight of the site"),
    "credibility.relevance_weight": N_("Weight of keywords"),
    "credibility.recency_bonus": N_("Date bonus"),
    "credibility.tiers": N_("Kinds of site"),
    "credibility.parts": N_("Evidence on sites"),
    "credibility.overrides": N_("Your ratings"),
    "ratings": N_("Expert ratings"),
    "judging": N_("Relevance judged"),
    "passage_model": N_("Passages chosen"),
    "fallbacks": N_("Fallbacks for pages"),
    "sites": N_("Site readers"),
    "meaning": N_("Semantic library search"),
    "tools": N_("Model's tools"),
    "caps.calls": N_("Limit on model calls"),
    "caps.tokens": N_("Limit on tokens"),
    "caps.cost": N_("Limit on cost"),
    "caps.seconds": N_("Limit on seconds"),
    "approved_plan.queries": N_("Approved queries"),
    "approved_plan.sub_questions": N_("Approved sub-questions"),
    "instructions": N_("Instructions"),
    "approved": N_("Included by hand"),
    "struck": N_("Excluded by hand"),
    "follows": N_("Follow-up of"),
    "after": N_("Follow-up of session"),
}
#: What the outcome says first, by the names readers see.
KEY_OUTCOMES = (
    N_("Decision"),
    N_("Sources kept"),
    N_("Cited sentences"),
    N_("Confidence, computed"),
)
FUNNEL_NAMES = {
    "found": N_("Sources found"),
    "eligible": N_("Sources eligible"),
    "fetched": N_("Sources read"),
    "judged": N_("Sources judged"),
    "kept": N_("Sources kept"),
}
#: Settings in which two runs differ without being other runs.
UNCOMPARED_SETTINGS = (
    "asked_on",
    "first_minimum",
    "review_plan",
    "approved_plan.type",
    "approved_plan.strategy",
    "approved_plan.note",
    "approved_plan.proposed_queries",
    "approved_plan.proposed_sub_questions",
)
#: The evidence on hosts that can be switched off, by the names readers see.
_PART_NAMES = {
    "override": N_("your ratings"),
    "ratings": N_("expert ratings"),
    "institution": N_("institutions"),
    "outlet": N_("outlets"),
    "name": N_("names"),
}


@dataclass(frozen=True)
class Change:
    """A value of both runs in words. before, after: "" if there is no value."""

    name: str
    before: str
    after: str

    @property
    def is_difference(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class SourcePair:
    """A source of either run. before, after: None if that run did not find it."""

    url: str
    before: ReportSource | None
    after: ReportSource | None

    @property
    def title(self) -> str:
        return next(source.title for source in (self.after, self.before) if source)

    @property
    def change(self) -> str:
        """gained | lost | decided (another decision) | scored (only another score) | same."""
        if self.before is None or self.after is None:
            return "lost" if self.before else "gained"
        if self.before.status != self.after.status:
            return "decided"
        return "same" if get_scores(self.before) == get_scores(self.after) else "scored"


def get_scores(source: ReportSource | None) -> tuple[float | None, int | None]:
    """Return the credibility (0.0-1.0) and relevance (1-5) of a source; None if missing."""
    if source is None:
        return None, None
    credibility = source.parts.score if source.parts else None
    judgement = source.relevance
    relevance = judgement.score if judgement and judgement.scored else None
    return credibility, relevance


@dataclass(frozen=True)
class ReportSentence:
    """A sentence of a report.

    cites: number, title and URL of each cited source; state: the result of its check.
    """

    text: str
    cites: tuple[tuple[int, str, str], ...]
    state: str


@dataclass(frozen=True)
class SentencePair:
    """A sentence of either report. change: kept | changed | lost | gained.

    why: what happened, in the other run, to the sources that a lost or gained sentence cites; "" if
    they were kept there too.
    """

    change: str
    before: ReportSentence | None
    after: ReportSentence | None
    why: str = ""


@dataclass(frozen=True)
class ContradictionChange:
    """A contradiction of either report, in the later form. change: gained | lost | kept."""

    change: str
    found: Contradiction


@dataclass(frozen=True)
class Comparison:
    """Everything that differs between two runs.

    outcome: decision, rationale, confidence and funnel of both, changed or not.
    """

    settings: tuple[Change, ...]
    outcome: tuple[Change, ...]
    sources: tuple[SourcePair, ...]
    sentences: tuple[SentencePair, ...]
    disputed: tuple[ContradictionChange, ...] = ()

    def counts(self) -> dict[str, int]:
        """The number of changes by kind, keyed "source gained", "sentence kept" and so on."""
        counts = Counter(f"source {pair.change}" for pair in self.sources)
        counts.update(f"sentence {pair.change}" for pair in self.sentences)
        counts.update(f"contradiction {one.change}" for one in self.disputed)
        return dict(counts)


@dataclass(frozen=True)
class _Run:
    """One of the two runs. built, findings: None while it has no report."""

    view: RunView
    gate: decide.Gate
    sources: tuple[ReportSource, ...]
    built: Report | None
    findings: Findings | None


def compare_runs(a: RunView, b: RunView) -> Comparison:
    """Compare two runs and return how b differs from a."""
    before, after = _build_run(a), _build_run(b)
    pairs = _pair_sentences(_list_sentences(before.built), _list_sentences(after.built))
    return Comparison(
        settings=tuple(_compare_settings(a, b)),
        outcome=tuple(_compare_outcomes(before, after)),
        sources=_pair_sources(before.sources, after.sources),
        sentences=tuple(_explain_pair(pair, before.sources, after.sources) for pair in pairs),
        disputed=tuple(_compare_contradictions(before.findings, after.findings)),
    )


def _build_run(view: RunView) -> _Run:
    gate = decide.read_gate(view)
    sources = report_sources.list_sources(view, gate)
    if view.written is None or view.verified is None:
        return _Run(view, gate, sources, None, None)
    built = report.build(view)
    return _Run(view, gate, sources, built, confidence.examine(built))


# -- settings and outcome ------------------------------------------------------


def compare_settings(a: RunSettings, b: RunSettings) -> tuple[Change, ...]:
    """Return the settings that differ, in words."""
    return tuple(_compare_values(_flatten_settings(a), _flatten_settings(b)))


def _compare_settings(a: RunView, b: RunView) -> Iterator[Change]:
    if a.question != b.question:
        yield Change(_("Question"), a.question, b.question)
    yield from _compare_values(_list_settings(a), _list_settings(b))


def _compare_values(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    for key in before:
        if before[key] != after[key] and key not in UNCOMPARED_SETTINGS:
            name = _(SETTING_NAMES[key]) if key in SETTING_NAMES else key
            old = _format_setting(key, before[key])
            yield Change(name, old, _format_setting(key, after[key]))


def _list_settings(run: RunView) -> dict[str, Any]:
    """Return the settings by name, with the plan that was approved in this run or before it."""
    settings = _flatten_settings(run.settings)
    if run.plan and "review" in run.plan:
        planned = [query for query in run.queries.values() if query["purpose"] == "planned"]
        settings["approved_plan.queries"] = tuple(query["text"] for query in planned)
        settings["approved_plan.sub_questions"] = tuple(run.plan["sub_questions"])
    return settings


def _flatten_settings(settings: RunSettings) -> dict[str, Any]:
    return dict(_flatten(asdict(settings)))


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _format_setting(key: str, value: Any) -> str:
    if value is None:
        return _("no limit") if key.startswith("caps.") else _("set by the mode")
    if key == "credibility.tiers":
        return ", ".join(f"{tier['name']} {tier['value']:.2f}" for tier in value)
    if key == "credibility.parts":
        names = [_(_PART_NAMES[part]) if part in _PART_NAMES else part for part in value]
        return ", ".join(names) or _("none")
    if key == "credibility.overrides":
        overrides = [f"{word['host']} {word['value']:.2f} ({word['reason']})" for word in value]
        return ", ".join(overrides) or _("none")
    if key in ("model", "writer", "judge") and value == OFFLINE_MODEL:
        return name_model(value)
    if key in ("judging", "passage_model"):
        if value in ("", WORDS_ALONE):
            return _("by words")
        return _("by words and meaning ({model})").format(model=value)
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item).removeprefix("ddgs:") for item in value) or _("none")
    if isinstance(value, float) and key.startswith("credibility."):
        return f"{value:.2f}"
    return str(value) or _("default")


def _compare_outcomes(a: _Run, b: _Run) -> Iterator[Change]:
    yield Change(_("Decision"), _format_decision(a.view), _format_decision(b.view))
    yield Change(_("Reason"), _get_rationale(a.view), _get_rationale(b.view))
    before = report_sources.count_funnel(a.view, a.gate)
    after = report_sources.count_funnel(b.view, b.gate)
    for step, name in FUNNEL_NAMES.items():
        yield Change(_(name), str(before[step]), str(after[step]))
    cited = (len(_list_sentences(a.built)), len(_list_sentences(b.built)))
    yield Change(_("Cited sentences"), str(cited[0]), str(cited[1]))
    yield from _compare_confidence(a.findings, b.findings)


def _get_rationale(run: RunView) -> str:
    return str(run.gated["rationale"]) if run.gated else ""


def _compare_confidence(a: Findings | None, b: Findings | None) -> Iterator[Change]:
    """Yield the computed level of both and each measure that differs."""
    before = _format_lines(a)
    after = _format_lines(b)
    yield Change(_("Confidence, computed"), _get_level(a), _get_level(b))
    for name in before or after:
        if before.get(name) != after.get(name):
            yield Change(capitalize_first(name), before.get(name, ""), after.get(name, ""))


def _format_lines(found: Findings | None) -> dict[str, str]:
    """Return the value and level of each measure by name, none without a confidence."""
    if found is None or found.confidence is None:
        return {}
    return {line.name: f"{line.value} ({line.level})" for line in found.confidence.lines}


def _get_level(found: Findings | None) -> str:
    return found.confidence.level if found and found.confidence else _("no report")


def _format_decision(run: RunView) -> str:
    if not run.gated:
        return _("not decided")
    if run.settings.checks_report:
        return _("report checked")
    decision = str(run.gated["decision"])
    return _(DECISION_STATES[decision].word) if decision in DECISION_STATES else decision


# -- sources -------------------------------------------------------------------


def _pair_sources(
    before: Iterable[ReportSource], after: Iterable[ReportSource]
) -> tuple[SourcePair, ...]:
    """Pair the sources of both runs, the different ones first, in the later run's order."""
    old = {source.url: source for source in before}
    new = {source.url: source for source in after}
    pairs = [SourcePair(url, old.get(url), new.get(url)) for url in dict.fromkeys((*new, *old))]
    order = ("decided", "gained", "lost", "scored", "same")
    return tuple(sorted(pairs, key=lambda pair: order.index(pair.change)))


# -- sentences -----------------------------------------------------------------


def _list_sentences(built: Report | None) -> list[ReportSentence]:
    """Return the sentences of evidence of a report in order: those that cite a source.

    Headings, notices and what a report says about itself cite none.
    """
    if built is None:
        return []
    source_of = _map_cited_sources(built)
    found = []
    for block in built.blocks:
        if block.kind == "heading":
            continue
        for sentence in block.sentences:
            cited = [source_of[name] for name in sentence.citations if name in source_of]
            sources = tuple(dict.fromkeys(cited))
            if sentence.text and sources:
                found.append(ReportSentence(sentence.text, sources, sentence.state))
    return found


def _map_cited_sources(built: Report) -> dict[str, tuple[int, str, str]]:
    """Map each passage id that can be cited to its source."""
    kept = [source for source in built.sources if source.number]
    return {
        passage.id: (source.number, source.title, source.url)
        for source in reversed(kept)
        for passage in source.passages
    }


def _pair_sentences(
    before: list[ReportSentence], after: list[ReportSentence]
) -> tuple[SentencePair, ...]:
    """Pair the sentences of both reports, in the later report's order, then the lost ones."""
    old = [_split_words(sentence.text) for sentence in before]
    new = [_split_words(sentence.text) for sentence in after]
    equal = _match_equal(old, new)
    similar = _match_similar(old, new, equal)
    pairs = []
    for place, sentence in enumerate(after):
        if place in equal:
            pairs.append(SentencePair("kept", before[equal[place]], sentence))
        elif place in similar:
            pairs.append(SentencePair("changed", before[similar[place]], sentence))
        else:
            pairs.append(SentencePair("gained", None, sentence))
    matched = {*equal.values(), *similar.values()}
    for place, sentence in enumerate(before):
        if place not in matched:
            pairs.append(SentencePair("lost", sentence, None))
    return tuple(pairs)


def _explain_pair(
    pair: SentencePair, before: Iterable[ReportSource], after: Iterable[ReportSource]
) -> SentencePair:
    """Add what happened to the sources of a sentence that only one report has."""
    if pair.before and pair.after:
        return pair
    sentence = pair.before or pair.after
    # The run without the sentence tells what became of its sources.
    statuses = {source.url: source.status for source in (after if pair.before else before)}
    reasons = []
    for number, _title, url in sentence.cites if sentence else ():
        if statuses.get(url) != "kept":
            state = VERDICT_STATES.get(statuses.get(url, ""))
            reasons.append(f"[{number}] {_(state.word) if state else _('not found')}")
    return replace(pair, why=", ".join(reasons))


def _split_words(text: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(text.casefold()))


def _match_equal(old: list[tuple[str, ...]], new: list[tuple[str, ...]]) -> dict[int, int]:
    """Map each new sentence to an unused old one of the same words, in order."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, words in enumerate(old):
        places.setdefault(words, []).append(place)
    return {n: places[words].pop(0) for n, words in enumerate(new) if places.get(words)}


def _match_similar(
    old: list[tuple[str, ...]], new: list[tuple[str, ...]], partner: Mapping[int, int]
) -> dict[int, int]:
    """Map each remaining new sentence to the most similar old one, the most similar pairs first."""
    left = [place for place in range(len(old)) if place not in partner.values()]
    bags = {place: Counter(old[place]) for place in left}
    candidates: list[tuple[float, int, int]] = []
    for number, words in enumerate(new):
        if number in partner:
            continue
        bag = Counter(words)
        for place in left:
            likeness = _compute_likeness(words, bag, old[place], bags[place])
            if likeness >= MIN_LIKENESS:
                candidates.append((-likeness, number, place))
    matched: dict[int, int] = {}
    for _likeness, number, place in sorted(candidates):
        if number not in matched and place not in matched.values():
            matched[number] = place
    return matched


def _compute_likeness(
    a: tuple[str, ...], bag_a: Counter[str], b: tuple[str, ...], bag_b: Counter[str]
) -> float:
    """Return the share of words two sentences have in common in order.

    Returns 0.0 if too few words are shared even without order.
    """
    length = len(a) + len(b)
    if not length or 2 * (bag_a & bag_b).total() < MIN_LIKENESS * length:
        return 0.0
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


# -- contradictions ------------------------------------------------------------


def _compare_contradictions(
    before: Findings | None, after: Findings | None
) -> Iterator[ContradictionChange]:
    """Yield the contradictions of the later report in order, then the lost ones.

    Two contradictions are the same if they share two sentences.
    """
    old = before.contradictions if before else ()
    new = after.contradictions if after else ()
    for one in new:
        known = any(_is_same_contradiction(one, other) for other in old)
        yield ContradictionChange("kept" if known else "gained", one)
    for one in old:
        if not any(_is_same_contradiction(one, other) for other in new):
            yield ContradictionChange("lost", one)


def _is_same_contradiction(a: Contradiction, b: Contradiction) -> bool:
    return len({claim.sentence for claim in a.claims} & {claim.sentence for claim in b.claims}) >= 2
