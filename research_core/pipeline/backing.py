"""What the sentences of a report rest on: one source, one origin, or several that are independent
of each other.

It compares words, figures and addresses: sources that agree in other words are not seen to agree
(`llm.restated`). A document of one's own is nobody's second publisher: who published it is not
known, and it may be who published the other. Which sources are independent is said in
`independence`; whether a passage supports its sentence is another check.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_core.citations.assertions import names_fact
from research_core.models import Report, ReportSource, Sentence, Tie
from research_core.text.restatement import restates
from research_core.trust.independence import SAME_TEXT_TIES, count_voices, is_tied
from research_core.urls import is_own_document

BackingKind = Literal[
    "one source", "one site", "one wording", "one origin", "own documents", "several"
]
#: What several sources that are one voice rest on, by the kinds of their ties.
_KIND_BY_TIES: tuple[tuple[BackingKind, frozenset[str]], ...] = (
    ("one wording", frozenset(SAME_TEXT_TIES)),
    ("one site", frozenset({"one site", "one publisher"})),
    ("own documents", frozenset({"own documents", *SAME_TEXT_TIES})),
)


def list_kept_sources(report: Report) -> tuple[ReportSource, ...]:
    """The sources the text may cite, by number."""
    return tuple(
        sorted(
            (source for source in report.sources if source.number), key=lambda source: source.number
        )
    )


def list_distinct_sources(report: Report) -> tuple[ReportSource, ...]:
    """The same without those that share their text with another of them: wherever sources are
    counted, one text counts once.
    """
    return tuple(source for source in list_kept_sources(report) if not source.copy_of)


@dataclass(frozen=True)
class Backing:
    """What a cited sentence rests on. place: of the sentence, 0.. in the text; sources: the numbers
    it cites, in order.

    rest: one source; several of one site or publisher; several in one wording; several that are one
    voice for another reason; several of which all but one voice are the analyst's own documents; or
    several. also: further sources, independent of those, that clearly say it again; looked for
    where it states a fact that can be compared so: a number, a date or a name. factual: whether it
    states such a fact.
    """

    place: int
    sentence: Sentence
    sources: tuple[int, ...]
    rest: BackingKind
    also: tuple[int, ...] = ()
    factual: bool = True

    @property
    def alone(self) -> bool:
        """Whether nothing independent of what it cites was seen to say the same."""
        return self.rest != "several" and not self.also

    @property
    def single(self) -> bool:
        """Whether it states a fact that rests on one source: what a reader is told of."""
        return self.factual and self.alone


def find_backings(report: Report) -> tuple[Backing, ...]:
    """One for each cited sentence, in reading order."""
    sources = list_kept_sources(report)
    own = {source.number for source in sources if is_own_document(source.address)}
    origin = {
        passage.id: source.number for source in reversed(sources) for passage in source.passages
    }
    found = []
    for place, sentence in enumerate(
        sentence for block in report.blocks for sentence in block.sentences
    ):
        cited = tuple(dict.fromkeys(origin[name] for name in sentence.citations if name in origin))
        if cited:
            found.append(
                Backing(
                    place,
                    sentence,
                    cited,
                    _classify_backing(cited, own, report.ties),
                    factual=names_fact(sentence.text),
                )
            )
    also: dict[int, list[int]] = {backing.place: [] for backing in found}
    doubted = [backing for backing in found if backing.rest != "several" and backing.factual]
    for source in sources:  # in this order each source's passages are taken apart once
        texts = [passage.text for passage in source.passages]
        for backing in doubted:
            independent = source.number not in own and not any(
                is_tied(source.number, n, report.ties) for n in backing.sources
            )
            if independent and restates(backing.sentence.text, texts):
                also[backing.place].append(source.number)
    return tuple(
        replace(
            backing,
            also=_select_independent(backing.sources, also[backing.place], own, report.ties),
        )
        for backing in found
    )


def _select_independent(
    cited: Sequence[int], also: Sequence[int], own: Collection[int], ties: Sequence[Tie]
) -> tuple[int, ...]:
    """Of the sources that say it again those that count: () where with them too no two voices are
    known to be of different publishers.
    """
    return (
        tuple(also) if count_voices([n for n in (*cited, *also) if n not in own], ties) > 1 else ()
    )


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
    return next((rest for rest, of in _KIND_BY_TIES if kinds <= of), "one origin")
