"""Find what each cited sentence rests on: one source, one origin or several independent sources.

Only words, figures and addresses are compared, so agreement in other words is missed
(`text.restatement`). The analyst's own documents never count as a second publisher, because their
publisher is unknown and may be the same. `independence` decides which sources are independent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_core.citations.assertions import names_fact
from research_core.journal.rule_versions import runs_under
from research_core.models import Report, ReportSource, Sentence, Tie
from research_core.text.restatement import restates
from research_core.trust.independence import SAME_TEXT_TIES, count_voices, is_tied
from research_core.urls import is_own_document

BackingKind = Literal[
    "one source", "one site", "one wording", "one origin", "own documents", "several"
]
#: The version of the rules of scoring from which every sentence that rests on one source is marked
#: and counted, and one that is said again counts once, with the sources of all its places.
MARKS_VERSION = 7
#: What several sources that are one voice rest on, by the kinds of their ties.
_KIND_BY_TIES: tuple[tuple[BackingKind, frozenset[str]], ...] = (
    ("one wording", frozenset(SAME_TEXT_TIES)),
    ("one site", frozenset({"one site", "one publisher"})),
    ("own documents", frozenset({"own documents", *SAME_TEXT_TIES})),
)


def list_kept_sources(report: Report) -> tuple[ReportSource, ...]:
    """Return the sources the text may cite, by number."""
    kept = [source for source in report.sources if source.number]
    return tuple(sorted(kept, key=lambda source: source.number))


def list_distinct_sources(report: Report) -> tuple[ReportSource, ...]:
    """Return the kept sources without copies, so that one text counts once."""
    return tuple(source for source in list_kept_sources(report) if not source.copy_of)


@dataclass(frozen=True)
class Backing:
    """What a cited sentence rests on.

    place: of the sentence in the text, from 0; sources: the cited numbers, in order; rest: the kind
    of backing. also: further independent sources that clearly state the same fact (a number, a date
    or a name). factual: whether the sentence states such a fact.
    """

    place: int
    sentence: Sentence
    sources: tuple[int, ...]
    rest: BackingKind
    also: tuple[int, ...] = ()
    factual: bool = True

    @property
    def alone(self) -> bool:
        """Return True if no source independent of the cited ones states the same."""
        return self.rest != "several" and not self.also

    @property
    def single(self) -> bool:
        """Return True if the sentence states a fact that rests on a single source."""
        return self.factual and self.alone


def get_sentence_key(sentence: Sentence) -> str:
    """Return the words of a sentence, the same wherever the report repeats it."""
    return " ".join(sentence.text.split()).casefold()


def list_distinct_backings(backings: Sequence[Backing]) -> tuple[Backing, ...]:
    """Return the first backing of each sentence, so that a repeated one counts once."""
    first: dict[str, Backing] = {}
    for backing in backings:
        first.setdefault(get_sentence_key(backing.sentence), backing)
    return tuple(first.values())


def count_facts(backings: Sequence[Backing]) -> int:
    """Return how many cited sentences state a fact: what `Backing.single` is counted among."""
    return sum(backing.factual for backing in backings)


def find_backings(report: Report) -> tuple[Backing, ...]:
    """Return a backing for each cited sentence, in reading order."""
    sources = list_kept_sources(report)
    own = {source.number for source in sources if is_own_document(source.address)}
    found = _list_cited_sentences(report, sources, own)
    also: dict[int, list[int]] = {backing.place: [] for backing in found}
    doubted = [backing for backing in found if backing.rest != "several" and backing.factual]
    # Sources are the outer loop so that the passages of each are tokenised only once.
    for source in sources:
        if source.number in own:
            continue
        texts = [passage.text for passage in source.passages]
        for backing in doubted:
            tied = any(is_tied(source.number, n, report.ties) for n in backing.sources)
            if not tied and restates(backing.sentence.text, texts):
                also[backing.place].append(source.number)
    if runs_under(report.rules, "scoring", MARKS_VERSION):
        _add_repeated(found, also, report.ties)
    backings = []
    for backing in found:
        further = _select_independent(backing.sources, also[backing.place], own, report.ties)
        backings.append(replace(backing, also=further))
    return tuple(backings)


def _add_repeated(
    found: Sequence[Backing], also: Mapping[int, list[int]], ties: Sequence[Tie]
) -> None:
    """Add to each sentence the independent sources that it cites where it is said again."""
    cited: dict[str, list[int]] = {}
    for backing in found:
        cited.setdefault(get_sentence_key(backing.sentence), []).extend(backing.sources)
    for backing in found:
        known = also[backing.place]
        for number in cited[get_sentence_key(backing.sentence)]:
            if number in backing.sources or number in known:
                continue
            if not any(is_tied(number, source, ties) for source in backing.sources):
                known.append(number)
        known.sort()


def _list_cited_sentences(
    report: Report, sources: Sequence[ReportSource], own: Collection[int]
) -> list[Backing]:
    """List the cited sentences with the sources they cite, before further support is sought."""
    # The first of two sources with the same passage counts.
    origin = {
        passage.id: source.number for source in reversed(sources) for passage in source.passages
    }
    sentences = [sentence for block in report.blocks for sentence in block.sentences]
    found = []
    for place, sentence in enumerate(sentences):
        cited = tuple(dict.fromkeys(origin[name] for name in sentence.citations if name in origin))
        if cited:
            kind = _classify_backing(cited, own, report.ties)
            factual = names_fact(sentence.text)
            found.append(Backing(place, sentence, cited, kind, factual=factual))
    return found


def _select_independent(
    cited: Sequence[int], also: Sequence[int], own: Collection[int], ties: Sequence[Tie]
) -> tuple[int, ...]:
    """Return `also` if it adds a known second publisher to the cited sources, else ()."""
    published = [number for number in (*cited, *also) if number not in own]
    return tuple(also) if count_voices(published, ties) > 1 else ()


def _classify_backing(
    cited: Sequence[int], own: Collection[int], ties: Sequence[Tie]
) -> BackingKind:
    if len(cited) == 1:
        return "one source"
    if count_voices([n for n in cited if n not in own], ties) > 1:
        return "several"
    if count_voices(cited, ties) > 1:
        return "own documents"
    kinds = {tie.kind for tie in ties if tie.one in cited and tie.other in cited}
    for backing, tie_kinds in _KIND_BY_TIES:
        if kinds <= tie_kinds:
            return backing
    return "one origin"
