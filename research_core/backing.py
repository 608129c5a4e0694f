"""What the sentences of a report rest on: one source, one origin, or several that are independent of each other.

It compares words, figures and addresses: sources that agree in other words are not seen to agree (`llm.restated`). Which sources are
independent is said in `independence`; whether a passage supports its sentence is another check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_core.assertions import names_fact
from research_core.independence import SAME_TEXT, is_tied, voices
from research_core.llm.restated import restates
from research_core.models import Report, ReportSource, Sentence, Tie

Rest = Literal["one source", "one site", "one wording", "one origin", "several"]
#: What several sources that are one voice rest on, by the kinds of their ties.
_RESTS: tuple[tuple[Rest, frozenset[str]], ...] = (
    ("one wording", frozenset(SAME_TEXT)),
    ("one site", frozenset({"one site", "one publisher"})),
)


def kept(report: Report) -> tuple[ReportSource, ...]:
    """The sources the text may cite, by number."""
    return tuple(sorted((source for source in report.sources if source.number), key=lambda source: source.number))


def counted(report: Report) -> tuple[ReportSource, ...]:
    """The same without those that share their text with another of them: wherever sources are counted, one text counts once."""
    return tuple(source for source in kept(report) if not source.copy_of)


@dataclass(frozen=True)
class Backing:
    """What a cited sentence rests on. place: of the sentence, 0.. in the text; sources: the numbers it cites, in order.

    rest: one source; several of one site or publisher; several in one wording; several that are one voice for another reason; or several.
    also: further sources, independent of those, that clearly say it again; looked for where it states a fact that can be compared so: a
    number, a date or a name. factual: whether it states such a fact.
    """

    place: int
    sentence: Sentence
    sources: tuple[int, ...]
    rest: Rest
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


def backings(report: Report) -> tuple[Backing, ...]:
    """One for each cited sentence, in reading order."""
    sources = kept(report)
    origin = {passage.id: source.number for source in reversed(sources) for passage in source.passages}
    found = []
    for place, sentence in enumerate(sentence for block in report.blocks for sentence in block.sentences):
        cited = tuple(dict.fromkeys(origin[name] for name in sentence.citations if name in origin))
        if cited:
            found.append(Backing(place, sentence, cited, _rest(cited, report.ties), factual=names_fact(sentence.text)))
    also: dict[int, list[int]] = {backing.place: [] for backing in found}
    doubted = [backing for backing in found if backing.rest != "several" and backing.factual]
    for source in sources:  # in this order each source's passages are taken apart once
        texts = [passage.text for passage in source.passages]
        for backing in doubted:
            independent = not any(is_tied(source.number, number, report.ties) for number in backing.sources)
            if independent and restates(backing.sentence.text, texts):
                also[backing.place].append(source.number)
    return tuple(replace(backing, also=tuple(also[backing.place])) for backing in found)


def _rest(cited: Sequence[int], ties: Sequence[Tie]) -> Rest:
    if len(cited) == 1:
        return "one source"
    if voices(cited, ties) > 1:
        return "several"
    kinds = {tie.kind for tie in ties if tie.one in cited and tie.other in cited}
    return next((rest for rest, of in _RESTS if kinds <= of), "one origin")
