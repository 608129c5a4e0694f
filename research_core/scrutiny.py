"""What a critical reader asks of a finished report: what sentences rest on, where figures differ, what stays open, what pages hide.

Pure functions over a report. They compare words, figures and addresses, and say no more than that can show: sources that agree in other
words are not seen to agree, and a disagreement in words is not seen at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_core.llm import extractive, insufficient
from research_core.llm.quotable import SAME, Quote, likeness, quotes
from research_core.llm.similarity import understand
from research_core.llm.support import support
from research_core.models import Hidden, Report, ReportSource, Sentence
from research_core.text import numbers
from research_core.urls import registered_domain
from research_core.verify import states_fact
from research_core.web.instructions import addressed
from research_core.web.tally import ORDINARY

#: How many pairs of sources with different figures are looked for at most.
MOST_DISAGREEMENTS = extractive.MOST_CONFLICTS
MOST_OPEN = 4
#: Characters shown on either side of words that speak to a machine.
AROUND = 60


def kept(report: Report) -> tuple[ReportSource, ...]:
    """The sources the text may cite, by number."""
    return tuple(sorted((source for source in report.sources if source.number), key=lambda source: source.number))


# -- what a sentence rests on ----------------------------------------------------------------------------------------------

Rest = Literal["one source", "one site", "one wording", "several"]


@dataclass(frozen=True)
class Backing:
    """What a cited sentence rests on. place: of the sentence, 0.. in the text; sources: the numbers it cites, in order.

    rest: one source; several of one registered domain; several in one wording, near-copies of each other; or several.
    also: further sources, independent of those, of which a passage holds its words and figures; looked for where it states a fact that
    can be compared so: a number, a date or a name.
    """

    place: int
    sentence: Sentence
    sources: tuple[int, ...]
    rest: Rest
    also: tuple[int, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether nothing independent of what it cites was seen to say the same."""
        return self.rest != "several" and not self.also


def backings(report: Report) -> tuple[Backing, ...]:
    """One for each cited sentence, in reading order."""
    sources = kept(report)
    origin = {passage.id: source.number for source in reversed(sources) for passage in source.passages}
    publishers = _publishers(sources)
    found = []
    for place, sentence in enumerate(sentence for block in report.blocks for sentence in block.sentences):
        cited = tuple(dict.fromkeys(origin[name] for name in sentence.citations if name in origin))
        if cited:
            found.append(Backing(place, sentence, cited, _rest([publishers[number] for number in cited])))
    also: dict[int, list[int]] = {backing.place: [] for backing in found}
    doubted = [(b, set(numbers(b.sentence.text))) for b in found if b.rest != "several" and states_fact(b.sentence.text)]
    for source in sources:  # in this order each source's passages are taken apart once
        texts = [passage.text for passage in source.passages]
        figures = set(numbers("\n".join(texts)))
        for backing, stated in doubted:
            other = _independent(publishers[source.number], [publishers[number] for number in backing.sources])
            if other and stated <= figures and support(backing.sentence.text, texts)[0] == "supported":
                also[backing.place].append(source.number)
    return tuple(replace(backing, also=tuple(also[backing.place])) for backing in found)


@dataclass(frozen=True)
class _Publisher:
    """Whose a source is. site: its registered domain; wording: the number of the first source that it is a near-copy of, or its own."""

    site: str
    wording: int


def _publishers(sources: Iterable[ReportSource]) -> dict[int, _Publisher]:
    firsts: list[Quote] = []
    found: dict[int, _Publisher] = {}
    for source in sources:
        whole = Quote(" ".join(passage.text for passage in source.passages), "", source.number, source.number, firm=True)
        alike = (other.source for other in firsts if likeness(whole, other) > SAME)
        first = found[source.copy_of].wording if source.copy_of in found else source.copy_of or next(alike, source.number)
        found[source.number] = _Publisher(_site(source), first)
        firsts += [whole] if first == source.number else []
    return found


def _site(source: ReportSource) -> str:
    """Who publishes it: its registered domain; an own document, or what has no web address, stands for itself."""
    try:
        return registered_domain(source.address) or source.address
    except ValueError:
        return source.address


def _rest(cited: Sequence[_Publisher]) -> Rest:
    if len(cited) == 1:
        return "one source"
    if len({publisher.site for publisher in cited}) == 1:
        return "one site"
    return "one wording" if len({publisher.wording for publisher in cited}) == 1 else "several"


def _independent(one: _Publisher, cited: Iterable[_Publisher]) -> bool:
    return all(one.site != other.site and one.wording != other.wording for other in cited)


# -- where sources disagree ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A sentence of a passage, white space folded. source: the number of its source; passage: its id."""

    text: str
    source: int
    passage: str


@dataclass(frozen=True)
class Disagreement:
    """Two sources that agree in subject and unit but not in figure."""

    one: Claim
    other: Claim


def disagreements(report: Report) -> tuple[Disagreement, ...]:
    """At most `MOST_DISAGREEMENTS` pairs from the passages of the kept sources, whoever wrote the text; the most alike in subject first."""
    sources = kept(report)
    told = [{"title": s.title, "passages": [{"id": p.id, "text": p.text} for p in s.passages]} for s in sources]

    def claim(quote: Quote) -> Claim:
        return Claim(quote.text, sources[quote.source].number, quote.passage)

    return tuple(Disagreement(claim(one), claim(other)) for one, other in extractive.conflicting(quotes(report.question, told)))


# -- what stays open -------------------------------------------------------------------------------------------------------


def open_questions(report: Report) -> tuple[str, ...]:
    """What to ask next: the gaps the run named, or, where there is no report, narrower queries in the question's own words."""
    if report.decision != "insufficient_data":
        return tuple(dict.fromkeys(report.gaps))[:MOST_OPEN]
    asked = understand(report.question)
    return tuple(insufficient.narrower(asked, insufficient.HINTS[asked.form.name].turns))


# -- what a page hides, and what it says to machines -------------------------------------------------------------------------


@dataclass(frozen=True)
class Remark:
    """Words not meant for a page's readers. where: how they are hidden, or "passage" or "title"; order: what they ask of a machine."""

    where: str
    words: str
    order: str = ""


@dataclass(frozen=True)
class Concealment:
    """What there is to say of one source. counts: how many hidden texts, by the way they are hidden, the unusual ways first.

    hidden: the first of these texts, each once; shown: what the passages and the title, for everybody to read, say to machines.
    unusual: whether something is hidden in a way that ordinary pages have no use for, or hidden and said to a machine.
    """

    counts: tuple[tuple[str, int], ...]
    hidden: tuple[Remark, ...]
    shown: tuple[Remark, ...]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def unusual(self) -> bool:
        return any(way not in ORDINARY for way, _ in self.counts) or any(remark.order for remark in self.hidden)


def concealment(source: ReportSource) -> Concealment:
    """What the page of a source hid when it was read, and where its passages and its title speak to machines."""
    return concealed(source.hidden, [("title", source.title), *(("passage", passage.text) for passage in source.passages)])


def concealed(hidden: Hidden, texts: Iterable[tuple[str, str]]) -> Concealment:
    """The same of any page. texts: what of it is for everybody to read, each as (where, text)."""
    counts = sorted(hidden.counts.items(), key=lambda item: (item[0] in ORDINARY, item[0]))
    samples = (Remark(way, words, _order(words)) for way, words in hidden.samples)
    shown = (Remark(where, _around(text, span.start, span.end), span.reason) for where, text in texts for span in addressed(text))
    return Concealment(tuple(counts), tuple(dict.fromkeys(samples)), tuple(dict.fromkeys(shown)))


def _order(words: str) -> str:
    return next((span.reason for span in addressed(words)), "")


def _around(text: str, start: int, end: int) -> str:
    """The words of a span with a few before and after it."""
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    if start > AROUND:  # not with a part of a word
        before = f"…{before.partition(' ')[2] or before}"
    if end + AROUND < len(text):
        after = f"{after.rpartition(' ')[0] or after}…"
    return f"{before}{text[start:end]}{after}"
