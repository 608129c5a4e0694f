"""Compare two runs: settings, sources, decisions, sentences and contradictions.

A pure function of two folded logs; either run may be unfinished or without a report. Sources match
by address. Sentences match by equal words, and are similar if most words match in order. The result
never says which run is better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from research_core.decisions import gate as decide
from research_core.decisions.view import RunView
from research_core.models import Block, Report, ReportSource
from research_core.pipeline import confidence, report
from research_core.pipeline.confidence import Findings
from research_core.pipeline.contradictions import Contradiction
from research_core.pipeline.verify import ABOUT_THE_EVIDENCE, iterate_sections

#: From this share of common words in order on, 0.0-1.0, two sentences are one that was changed.
MIN_LIKENESS = 0.6
_WORDS = re.compile(r"\w+")
_NOTICE = re.compile(r"\*(?!\*)[^*]+\*")
#: The settings as a reader names them; whatever is not here is named by its own name.
SETTING_NAMES = {
    "mode": "Mode",
    "strategy": "Strategy",
    "engines": "Searched",
    "library": "Library",
    "model": "Model",
    "relevance_cutoff": "Relevance cutoff",
    "min_full": "Sources for a full report",
    "min_short": "Sources for a short report",
    "credibility.minimum": "Minimum credibility",
    "credibility.domain_weight": "Weight of the kind of site",
    "credibility.relevance_weight": "Weight of the question's words",
    "credibility.recency_bonus": "Bonus for a recent date",
    "credibility.tiers": "Kinds of site",
    "credibility.parts": "What counts of what is known of a host",
    "credibility.overrides": "Your word on hosts",
    "ratings": "Expert ratings",
    "judging": "Relevance judged",
    "fallbacks": "Models that take over",
    "sites": "Sites",
    "meaning": "Library searched by meaning",
    "tools": "Tools of the model",
    "caps.calls": "Cap on model calls",
    "caps.tokens": "Cap on tokens",
    "caps.cost": "Cap on cost",
    "caps.seconds": "Cap on seconds",
    "instructions": "Instructions",
    "approved": "Approved by hand",
    "struck": "Struck by hand",
    "follows": "Follows up",
    "after": "Follows the session",
}
#: Of what is known of a host, what can be switched off, as a reader names it.
_PART_NAMES = {
    "override": "your word",
    "ratings": "expert ratings",
    "institution": "institutions",
    "outlet": "outlets",
    "name": "names",
}


@dataclass(frozen=True)
class Change:
    """A difference in words. before, after: "" if there is no value."""

    name: str
    before: str
    after: str


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
    judged = source.relevance if source and source.relevance and source.relevance.scored else None
    return (
        source.parts.score if source and source.parts else None,
        judged.score if judged else None,
    )


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
        kinds = [f"source {pair.change}" for pair in self.sources] + [
            f"sentence {pair.change}" for pair in self.sentences
        ]
        return dict(Counter(kinds + [f"contradiction {one.change}" for one in self.disputed]))


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
    gate = decide.decide_gate(view)
    built = report.build(view) if view.written is not None and view.verified is not None else None
    return _Run(
        view,
        gate,
        report.list_sources(view, gate),
        built,
        confidence.examine(built) if built else None,
    )


# -- settings and outcome --------------------------------------------------------------------------------------------------


def _compare_settings(a: RunView, b: RunView) -> Iterator[Change]:
    if a.question != b.question:
        yield Change("Question", a.question, b.question)
    before, after = (dict(_flatten(run.settings.to_json())) for run in (a, b))
    for key in before:
        if before[key] != after[key]:
            yield Change(
                SETTING_NAMES.get(key, key),
                _format_setting(key, before[key]),
                _format_setting(key, after[key]),
            )


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _format_setting(key: str, value: Any) -> str:
    if value is None:
        return "no cap" if key.startswith("caps.") else "as the mode asks"
    if key == "credibility.tiers":
        return "; ".join(f"{tier['name']} {tier['value']:.2f}" for tier in value)
    if key == "credibility.parts":
        return ", ".join(_PART_NAMES.get(part, part) for part in value) or "nothing"
    if key == "credibility.overrides":
        return (
            "; ".join(f"{word['host']} {word['value']:.2f} ({word['reason']})" for word in value)
            or "none"
        )
    if key == "judging":
        return f"by words and meaning ({value})" if value else "by words"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item).removeprefix("ddgs:") for item in value) or "none"
    return (
        f"{value:.2f}"
        if isinstance(value, float) and key.startswith("credibility.")
        else str(value)
    )


def _compare_outcomes(a: _Run, b: _Run) -> Iterator[Change]:
    yield Change("Decision", _format_decision(a.view), _format_decision(b.view))
    yield Change(
        "Because", *(str(run.view.gated["rationale"]) if run.view.gated else "" for run in (a, b))
    )
    before, after = (report.count_funnel(run.view, run.gate) for run in (a, b))
    for step in ("found", "eligible", "fetched", "judged", "kept"):
        yield Change(f"Sources {step}", str(before[step]), str(after[step]))
    yield Change(
        "Sentences with a citation",
        *(str(sum(bool(said.cites) for said in _list_sentences(run.built))) for run in (a, b)),
    )
    yield from _compare_confidence(a.findings, b.findings)


def _compare_confidence(a: Findings | None, b: Findings | None) -> Iterator[Change]:
    """Yield the computed level of both and each measure that differs."""
    before, after = (
        {line.name: f"{line.value} ({line.level})" for line in _list_lines(found)}
        for found in (a, b)
    )
    yield Change("Confidence, computed", _get_level(a), _get_level(b))
    for name in before or after:
        if before.get(name) != after.get(name):
            yield Change(f"{name[:1].upper()}{name[1:]}", before.get(name, ""), after.get(name, ""))


def _list_lines(found: Findings | None) -> tuple[confidence.ConfidenceLine, ...]:
    return found.confidence.lines if found and found.confidence else ()


def _get_level(found: Findings | None) -> str:
    return found.confidence.level if found and found.confidence else "no report to speak of"


def _format_decision(run: RunView) -> str:
    return str(run.gated["decision"]).replace("_", " ") if run.gated else "not decided"


# -- sources ---------------------------------------------------------------------------------------------------------------


def _pair_sources(
    before: Iterable[ReportSource], after: Iterable[ReportSource]
) -> tuple[SourcePair, ...]:
    """Pair the sources of both runs, the different ones first, in the later run's order."""
    old, new = ({source.url: source for source in sources} for sources in (before, after))
    pairs = [
        SourcePair(url, old.get(url), new.get(url))
        for url in (*new, *(url for url in old if url not in new))
    ]
    order = ("decided", "gained", "lost", "scored", "same")
    return tuple(sorted(pairs, key=lambda pair: order.index(pair.change)))


# -- sentences -------------------------------------------------------------------------------------------------------------


def _list_sentences(built: Report | None) -> list[ReportSentence]:
    """Return the sentences of a report in order, none while there is no report.

    Headings and the program's own statements are left out: notices, and uncited sentences under
    ABOUT_THE_EVIDENCE.
    """
    if built is None:
        return []
    cited = _map_cited_sources(built)
    return [
        ReportSentence(
            sentence.text,
            tuple(dict.fromkeys(cited[id] for id in sentence.citations if id in cited)),
            sentence.state,
        )
        for section, block in iterate_sections(built.blocks)
        if block.kind != "heading" and not _is_notice(block)
        for sentence in block.sentences
        if sentence.citations or section != ABOUT_THE_EVIDENCE
    ]


def _is_notice(block: Block) -> bool:
    """True if a paragraph is a notice of the program: all in italics and without citations."""
    whole = " ".join(sentence.text for sentence in block.sentences)
    return (
        block.kind == "paragraph"
        and not any(one.citations for one in block.sentences)
        and bool(_NOTICE.fullmatch(whole))
    )


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
    old, new = ([_split_words(said.text) for said in sentences] for sentences in (before, after))
    partner = _match_equal(old, new)
    near = _match_similar(old, new, partner)
    pairs = [
        (
            SentencePair("kept", before[partner[n]], said)
            if n in partner
            else (
                SentencePair("changed", before[near[n]], said)
                if n in near
                else SentencePair("gained", None, said)
            )
        )
        for n, said in enumerate(after)
    ]
    matched = {*partner.values(), *near.values()}
    return (
        *pairs,
        *(SentencePair("lost", said, None) for n, said in enumerate(before) if n not in matched),
    )


def _explain_pair(
    pair: SentencePair, before: Iterable[ReportSource], after: Iterable[ReportSource]
) -> SentencePair:
    """Add what happened to the sources of a sentence that only one report has."""
    if pair.before and pair.after:
        return pair
    said, there = (pair.before, after) if pair.before else (pair.after, before)
    statuses = {source.url: source.status for source in there}
    lost = [
        (number, statuses.get(url, "not found"))
        for number, _, url in (said.cites if said else ())
        if statuses.get(url) != "kept"
    ]
    return replace(
        pair, why=", ".join(f"[{number}] {status.replace('_', ' ')}" for number, status in lost)
    )


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
    likeness = []
    for n, words in enumerate(new):
        if n not in partner:
            bag = Counter(words)
            likeness += [
                (share, n, place)
                for place in left
                if (share := _compute_likeness(words, bag, old[place], bags[place])) >= MIN_LIKENESS
            ]
    matched: dict[int, int] = {}
    for _, n, place in sorted(likeness, key=lambda item: (-item[0], item[1], item[2])):
        if n not in matched and place not in matched.values():
            matched[n] = place
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


# -- contradictions ----------------------------------------------------------------------------------------------------------


def _compare_contradictions(
    before: Findings | None, after: Findings | None
) -> Iterator[ContradictionChange]:
    """Yield the contradictions of the later report in order, then the lost ones.

    Two contradictions are the same if they share two sentences.
    """
    old, new = (found.contradictions if found else () for found in (before, after))
    for one in new:
        yield ContradictionChange(
            "kept" if any(_is_same_contradiction(one, other) for other in old) else "gained", one
        )
    yield from (
        ContradictionChange("lost", one)
        for one in old
        if not any(_is_same_contradiction(one, other) for other in new)
    )


def _is_same_contradiction(a: Contradiction, b: Contradiction) -> bool:
    return len({claim.sentence for claim in a.claims} & {claim.sentence for claim in b.claims}) >= 2
