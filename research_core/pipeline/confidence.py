"""Compute how far a report can be relied on: a level for each measure and for all of them.

This is a pure function of the report. It judges no sentence; it counts what the checks, the gate
and the comparison of sources found. The writer's own statement on confidence does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from research_core.i18n import (
    EARLIER_ENGLISH,
    N_,
    _,
    current_language,
    gettext,
    in_report_language,
    join_clauses,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.journal.rule_versions import runs_under
from research_core.models import Block, Report, ReportSource, Sentence, SentenceRelevance
from research_core.pipeline.backing import (
    MARKS_VERSION,
    Backing,
    count_facts,
    find_backings,
    list_distinct_backings,
    list_distinct_sources,
    list_kept_sources,
)
from research_core.pipeline.contradictions import (
    UNEXPLAINED_KINDS,
    Contradiction,
    ContradictionKind,
    SourceComparison,
    compare_sources,
)
from research_core.pipeline.verify import has_lost_citation
from research_core.policy import checks_report
from research_core.text.words import escape_markdown
from research_core.trust.independence import count_voices, group_voices
from research_core.urls import is_own_document

ConfidenceLevel = Literal["high", "moderate", "low"]


class Measure(NamedTuple):
    """A measure with its limits.

    A figure of at least `high` is high, of at least `moderate` moderate, else low. falling: the
    limits are upper limits instead.
    """

    name: str
    high: float
    moderate: float
    falling: bool
    means: str  # like the name, to be translated


_CITED_ON_QUESTION = Measure(
    N_("independent sources cited on the question"),
    3,
    2,
    falling=False,
    means=N_("high confidence at 3 or more, moderate at 2"),
)
_CITATIONS_HOLD = Measure(
    N_("supported citations"),
    0.9,
    0.7,
    falling=False,
    means=N_("high confidence at 90% or more, moderate at 70% or more"),
)
_ON_QUESTION = Measure(
    N_("cited sentences about the question"),
    0.8,
    0.5,
    falling=False,
    means=N_("high confidence at 80% or more, moderate at 50% or more"),
)
#: Figures: 1 if it answers, 0.5 if it is only about the question, 0 if it is not.
_FIRST_SENTENCE = Measure(
    N_("first cited sentence"),
    1,
    0.5,
    falling=False,
    means=N_(
        "high confidence if it answers the question, moderate if it is only about its subject"
    ),
)
#: The same for quotations: one that is only about the question makes the confidence low.
_FIRST_QUOTATION = _FIRST_SENTENCE._replace(
    moderate=1, means=N_("high confidence if it answers the question, otherwise low")
)
_ONE_SOURCE = Measure(
    N_("sentences that rest on one source"),
    0.3,
    0.7,
    falling=True,
    means=N_("high confidence at 30% or less, moderate at 70% or less"),
)
_NO_SOURCE = Measure(
    N_("facts without a source"),
    0.0,
    0.1,
    falling=True,
    means=N_("high confidence with none, moderate at 10% or less"),
)
_CONTRADICTED = Measure(
    N_("unexplained contradictions"),
    0,
    0,
    falling=True,
    means=N_(
        "low confidence if there is any; with none, high if 4 or more statements could be compared,"
        " otherwise moderate"
    ),
)
_CREDIBILITY = Measure(
    N_("credibility of the sources kept"),
    0.7,
    0.5,
    falling=False,
    means=N_("high confidence at an average of 0.70 or more, moderate at 0.50 or more"),
)
_UNSCORED = Measure(
    N_("sources without a relevance score"),
    0.0,
    0.5,
    falling=True,
    means=N_("high confidence with none, moderate at half or less"),
)
_UNCHECKED = Measure(
    N_("citations that could not be checked"),
    0.0,
    0.1,
    falling=True,
    means=N_("high confidence with none, moderate at 10% or less"),
)
#: The literal table. The first DECIDING_MEASURES decide; see `combine_levels`.
MEASURES = (
    _FIRST_SENTENCE,
    _ON_QUESTION,
    _CITED_ON_QUESTION,
    _CITATIONS_HOLD,
    _ONE_SOURCE,
    _NO_SOURCE,
    _CONTRADICTED,
    _CREDIBILITY,
    _UNSCORED,
    _UNCHECKED,
)
DECIDING_MEASURES = 4
#: The version of the rules of scoring from which the confidence follows the answer; the reports of
#: older sessions stay as they were stored, by the table below.
ANSWER_VERSION = 3
#: The version from which exports have the sign of sentences that rest on one source.
SENTENCES_VERSION = 6
#: The version from which a lost citation of the first sentence is named.
LOST_FIRST_VERSION = 7
EARLIER_MEASURES = (
    Measure(
        "independent sources", 4, 2, falling=False, means="4 or more are high, 2 or 3 moderate"
    ),
    _CITATIONS_HOLD,
    _ONE_SOURCE._replace(name=N_("facts from a single source")),
    _NO_SOURCE,
    Measure(
        "contradictions that nothing explains",
        0,
        2,
        falling=True,
        means=(
            "none among 4 or more comparable statements is high; none among fewer, and 1 or 2,"
            " moderate"
        ),
    ),
    _CREDIBILITY,
    _UNSCORED,
    _UNCHECKED,
)
EARLIER_DECIDING_MEASURES = 2
#: This many low lines make the report low.
LOW_MEASURES_FOR_LOW = 3
#: If fewer statements of different sources could be compared, finding none shows nothing.
MIN_COMPARED = 4
#: Measures that say nothing of quotations, which are compared with the text that they are from.
MET_BY_QUOTATIONS = (_CITATIONS_HOLD, _NO_SOURCE, _UNCHECKED)
#: Measures of what is missing: the line of one that finds nothing missing is not shown.
SHOWN_IF_ANY = (_NO_SOURCE, _UNSCORED, _UNCHECKED)
#: Said of a report that is made of quotations; `export.check` knows the sentence too.
QUOTED_NOTE = N_(
    "Every sentence is quoted word for word, so whether its source supports it needs no check."
)
#: Said under Confidence of a report in which it holds of every cited sentence. It tells no
#: sentences apart, so nothing else says it.
EVERY_SENTENCE = N_("No independent source confirms any cited sentence.")
#: Reasons named for a level.
MAX_REASONS = 4
#: Contradictions listed in the text of a report.
MAX_SHOWN_CONTRADICTIONS = 5


@dataclass(frozen=True)
class ConfidenceLine:
    """One measure of a report. value: the count in words; why: what its levels mean."""

    name: str
    value: str
    level: ConfidenceLevel
    why: str


@dataclass(frozen=True)
class Confidence:
    """The confidence of a report.

    level: of all lines together (`combine_levels`). deciding: how many of the lines, from the
    first, decide. reason: one sentence on what makes the level what it is, None in older
    sessions. hidden: the names of lines that count and are not shown; see SHOWN_IF_ANY. caveat:
    the reason without EVERY_SENTENCE.
    """

    level: ConfidenceLevel
    lines: tuple[ConfidenceLine, ...]
    deciding: int
    reason: str | None = None
    hidden: frozenset[str] = frozenset()
    caveat: str = ""

    @property
    def visible_lines(self) -> tuple[ConfidenceLine, ...]:
        """The lines that a report lists."""
        return tuple(line for line in self.lines if line.name not in self.hidden)


@dataclass(frozen=True)
class Findings:
    """What comparing a report's sources and sentences shows, computed once.

    marks_all: every sentence that rests on one source is marked, and not only those with a fact.
    is_quoted: all cited sentences are quotations, so the confidence does not count their checks.
    """

    backings: tuple[Backing, ...]
    contradictions: tuple[Contradiction, ...]
    confidence: Confidence | None
    marks_all: bool = True
    is_quoted: bool = False

    @property
    def single(self) -> frozenset[int]:
        """The places of the sentences that are marked, as they rest on one source."""
        places = set()
        for backing in self.backings:
            if backing.alone if self.marks_all else backing.single:
                places.add(backing.place)
        return frozenset(places)


@lru_cache(maxsize=8)
@in_report_language
def examine(report: Report) -> Findings:
    """Compute all findings of a report; the confidence is None if there is no report.

    A checked report has no findings: its score card says what holds, and comparing all its sources
    with each other takes time that grows with the square of their number.

    Those of the last reports are kept, as each form of a report needs them.
    """
    if checks_report(report.settings):
        return Findings((), (), None)
    found = find_backings(report)
    compared = compare_sources(report)
    marks_all = runs_under(report.rules, "scoring", MARKS_VERSION)
    if report.decision == "insufficient_data":
        return Findings(found, compared.contradictions, None, marks_all)
    is_quoted = bool(found) and all(report.is_quotation(each.sentence) for each in found)
    rated = _rate_report(report, found, compared, is_quoted=is_quoted)
    return Findings(found, compared.contradictions, rated, marks_all, is_quoted)


def _rate_report(
    report: Report, found: Sequence[Backing], compared: SourceComparison, *, is_quoted: bool
) -> Confidence:
    """Return the confidence by the table that was in force when the session began.

    is_quoted: all cited sentences are quotations, so MET_BY_QUOTATIONS are left out.
    """
    if not runs_under(report.rules, "scoring", ANSWER_VERSION):
        figures = list(_measure_earlier_figures(report, found, compared))
        lines = _build_lines(EARLIER_MEASURES, figures)
        level = combine_levels(lines, EARLIER_DECIDING_MEASURES)
        return Confidence(level, lines, EARLIER_DECIDING_MEASURES)
    measures = []
    figures = []
    for measure, figure in zip(MEASURES, _measure_figures(report, found, compared), strict=True):
        if not is_quoted or measure not in MET_BY_QUOTATIONS:
            measures.append(measure)
            figures.append(figure)
    deciding = sum(measure in measures for measure in MEASURES[:DECIDING_MEASURES])
    limits = list(measures)
    if is_quoted:
        limits[measures.index(_FIRST_SENTENCE)] = _FIRST_QUOTATION
    lines = _build_lines(limits, figures)
    level = combine_levels(lines, deciding)
    reasons = _list_reasons(level, measures, lines, figures)
    caveats = [reason for reason in reasons if reason != gettext(EVERY_SENTENCE)]
    return Confidence(
        level,
        lines,
        deciding,
        _join_reasons(reasons[:MAX_REASONS]),
        _find_hidden(measures, lines, figures),
        _join_reasons(caveats[:MAX_REASONS]),
    )


def _find_hidden(
    measures: Sequence[Measure], lines: Sequence[ConfidenceLine], figures: Sequence[Figure]
) -> frozenset[str]:
    """Return the names of the lines of SHOWN_IF_ANY that find nothing missing."""
    hidden = set()
    for measure, line, figure in zip(measures, lines, figures, strict=True):
        if measure in SHOWN_IF_ANY and figure.value == 0:
            hidden.add(line.name)
    return frozenset(hidden)


def compute_confidence(report: Report) -> Confidence | None:
    """Return the computed confidence of a report, None if it has none."""
    return examine(report).confidence


def combine_levels(lines: Sequence[ConfidenceLine], deciding: int) -> ConfidenceLevel:
    """Combine the levels of all lines, the first of which decide.

    High: the deciding lines are high and none is low. Low: a deciding line is low, or at least
    LOW_MEASURES_FOR_LOW lines are. Otherwise moderate.
    """
    levels = [line.level for line in lines]
    decisive = set(levels[:deciding])
    if "low" in decisive or levels.count("low") >= LOW_MEASURES_FOR_LOW:
        return "low"
    if decisive == {"high"} and "low" not in levels:
        return "high"
    return "moderate"


@dataclass(frozen=True)
class Figure:
    """One measured value. value: None if it could not be measured; words: the count in words.

    reason: the same as a sentence ("One source says it.").
    """

    value: float | None
    words: str
    reason: str = ""


def _build_lines(
    measures: Sequence[Measure], figures: Sequence[Figure]
) -> tuple[ConfidenceLine, ...]:
    lines = []
    for measure, figure in zip(measures, figures, strict=True):
        level = _rate_figure(measure, figure.value)
        name, means = gettext(measure.name), gettext(measure.means)
        lines.append(ConfidenceLine(name, figure.words, level, means))
    return tuple(lines)


def _list_reasons(
    level: ConfidenceLevel,
    measures: Sequence[Measure],
    lines: Sequence[ConfidenceLine],
    figures: Sequence[Figure],
) -> list[str]:
    """List in sentences what makes the level what it is.

    Of a high level, what the deciding lines say; else the deciding lines that are not high and the
    others that are low. One source for all is not named again as the one source of its facts.
    """
    clauses = []
    for measure, line, figure in zip(measures, lines, figures, strict=True):
        if measure in MEASURES[:DECIDING_MEASURES]:
            counts = (line.level == "high") == (level == "high")
        else:
            counts = line.level == "low"
        repeats = measure == _ONE_SOURCE and _describe_voices(1) in clauses
        if counts and figure.reason and not repeats:
            clauses.append(figure.reason)
    return clauses


def _join_reasons(clauses: Sequence[str]) -> str:
    if current_language() == EARLIER_ENGLISH:
        return _join_earlier_reasons(clauses)
    return join_sentences(clauses)


def _join_earlier_reasons(clauses: Sequence[str]) -> str:
    """Join the reasons of older sessions, which were clauses of one sentence."""
    if not clauses:
        return ""
    sentence = clauses[0]
    if len(clauses) > 1:
        sentence = f"{', '.join(clauses[:-1])}, and {clauses[-1]}"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _rate_figure(measure: Measure, figure: float | None) -> ConfidenceLevel:
    """Return the level of a figure; moderate if it could not be measured."""
    if figure is None:
        return "moderate"
    sign = -1 if measure.falling else 1
    if sign * figure >= sign * measure.high:
        return "high"
    if sign * figure >= sign * measure.moderate:
        return "moderate"
    return "low"


def _measure_figures(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Iterator[Figure]:
    """Yield the figures of MEASURES, in its order."""
    rated = [backing for backing in found if backing.sentence.relevance]
    citing = _count_citing(report, rated or found)
    rated = list(list_distinct_backings(rated))
    yield _measure_first(report, rated)
    yield _measure_on_question(rated)
    yield citing
    yield from _measure_shared_figures(report, found, compared)


def _measure_first(report: Report, rated: Sequence[Backing]) -> Figure:
    if not rated:
        return Figure(None, _("was not compared with the question"))
    first = rated[0]
    figure = _FIRST_FIGURES[first.sentence.relevance]
    if first.sentence.relevance != "answers" and _has_lost_before(report, first.place):
        figure = _FIRST_LOST
    return Figure(figure.value, gettext(figure.words), gettext(figure.reason))


#: The figure of the first cited sentence, by its relevance, to be translated.
_FIRST_FIGURES: dict[SentenceRelevance, Figure] = {
    "answers": Figure(
        1, N_("answers the question"), N_("The first sentence answers the question.")
    ),
    "on topic": Figure(
        0.5,
        N_("does not answer the question"),
        N_("The first sentence does not answer the question."),
    ),
    "off topic": Figure(
        0, N_("is not about the question"), N_("The first sentence is not about the question.")
    ),
}


#: The same where the sentence that cited first names no passage that exists.
_FIRST_LOST = Figure(
    0,
    N_("its citation was removed"),
    N_("The first citation was removed: it named no passage that exists."),
)


def _has_lost_before(report: Report, place: int) -> bool:
    """Return True if a sentence before this place lost its citation; False for older sessions."""
    if not runs_under(report.rules, "scoring", LOST_FIRST_VERSION):
        return False
    sentences = [sentence for block in report.blocks for sentence in block.sentences]
    return any(map(has_lost_citation, sentences[:place]))


def _measure_on_question(rated: Sequence[Backing]) -> Figure:
    if not rated:
        return Figure(None, _("were not compared with the question"))
    whole = len(rated)
    about = sum(backing.sentence.relevance != "off topic" for backing in rated)
    reason = ngettext(
        "{part} of {whole:,} cited sentence is about the question.",
        "{part} of {whole:,} cited sentences are about the question.",
        whole,
    )
    if not about:
        reason = _("No cited sentence is about the question.")
    if about == whole:
        reason = ""
    return _format_share(about, whole, reason)


def _count_citing(report: Report, found: Sequence[Backing]) -> Figure:
    """Count the independent voices of the published sources that say what is on the question.

    Those are the sources that its sentences cite, and those that clearly state the same. Own
    documents are not counted, but a single one is a single source.
    """
    own = {source.number for source in list_kept_sources(report) if is_own_document(source.address)}
    numbers: set[int] = set()
    for backing in found:
        if backing.sentence.relevance != "off topic":
            numbers.update(backing.sources)
            numbers.update(backing.also)
    published = sorted(numbers - own)
    is_single = len(numbers) == 1 and runs_under(report.rules, "scoring", MARKS_VERSION)
    if is_single and not published:
        return Figure(
            1,
            _("1, your own document"),
            _("The only source cited on the question is your own document."),
        )
    if numbers and not published:
        return Figure(
            None,
            _("not counted: they are your own documents"),
            _("The sources are your own documents."),
        )
    independent = count_voices(published, report.ties)
    words = str(independent)
    if len(published) > independent:
        shared = [
            join_list([f"[{number}]" for number in group.sources])
            for group in group_voices(published, report.ties)
            if len(group.sources) > 1
        ]
        copied = _("{count}; not independent of each other: {groups}")
        words = copied.format(count=independent, groups=join_clauses(shared))
    if numbers & own:
        words = join_clauses([words, _("your own documents are not counted")])
    return Figure(independent, words, _describe_voices(independent))


def _describe_voices(independent: int) -> str:
    if not independent:
        return _("No source is cited on the question.")
    return ngettext(
        "Only {count} independent source is cited on the question.",
        "{count} independent sources are cited on the question.",
        independent,
    ).format(count=independent)


def _measure_earlier_figures(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Iterator[Figure]:
    """Yield the figures of EARLIER_MEASURES, in its order."""
    yield _count_independent(report, list_distinct_sources(report))
    yield from _measure_shared_figures(report, found, compared)


def _measure_shared_figures(
    report: Report, found: Sequence[Backing], compared: SourceComparison
) -> Iterator[Figure]:
    """Yield the figures that both tables end with, without their reasons."""
    sources = list_distinct_sources(report)
    sentences: list[Sentence] = []
    for block in report.blocks:
        if block.kind != "heading":
            sentences.extend(block.sentences)
    cited = [sentence for sentence in sentences if sentence.citations]
    states = [sentence.state for sentence in cited]
    facts = [backing for backing in found if backing.factual]
    open_facts = sum(bool(sentence.note) for sentence in sentences if not sentence.citations)
    unscored = sum(not (source.relevance and source.relevance.scored) for source in sources)
    yield _measure_supported(states.count("supported"), len(cited))
    yield _measure_single_source(report, found)
    yield _format_share(
        open_facts,
        open_facts + len(facts),
        ngettext(
            "{part} of {whole:,} fact has no source.",
            "{part} of {whole:,} facts have no source.",
            open_facts + len(facts),
        ),
    )
    yield _count_contradicted(report, compared)
    yield _average_credibility(report)
    yield _format_share(
        unscored,
        len(sources),
        ngettext(
            "{part} of {whole:,} source has no relevance score.",
            "{part} of {whole:,} sources have no relevance score.",
            len(sources),
        ),
    )
    yield _format_share(
        states.count("could not check"),
        len(cited),
        ngettext(
            "{part} of {whole:,} citation could not be checked.",
            "{part} of {whole:,} citations could not be checked.",
            len(cited),
        ),
    )


def _measure_single_source(report: Report, found: Sequence[Backing]) -> Figure:
    """Measure the share of cited sentences that rest on one source; older sessions: of facts."""
    if not runs_under(report.rules, "scoring", ANSWER_VERSION):
        return _format_share(sum(backing.single for backing in found), count_facts(found), "")
    distinct = list_distinct_backings(found)
    single, whole = sum(backing.alone for backing in distinct), len(distinct)
    if whole and single == whole and runs_under(report.rules, "scoring", MARKS_VERSION):
        return Figure(1.0, _("all of them"), gettext(EVERY_SENTENCE))
    reason = ngettext(
        "Only one source for {part} of {whole:,} cited sentence.",
        "Only one source for {part} of {whole:,} cited sentences.",
        whole,
    )
    return _format_share(single, whole, reason)


def _measure_supported(supported: int, cited: int) -> Figure:
    if not cited:
        return Figure(0.0, _("there are none"), _("No sentence cites a source."))
    reason = ngettext(
        "The sources support {part} of {whole:,} cited sentence.",
        "The sources support {part} of {whole:,} cited sentences.",
        cited,
    )
    if not supported:
        reason = _("The sources support no cited sentence.")
    return _format_share(supported, cited, reason)


def _average_credibility(report: Report) -> Figure:
    """Average the credibility of the independent voices; each counts by its lowest source."""
    kept = list_kept_sources(report)
    by_number = {source.number: source.parts.score for source in kept if source.parts}
    lowest = []
    for group in group_voices([source.number for source in kept], report.ties):
        scores = [by_number[number] for number in group.sources if number in by_number]
        if scores:
            lowest.append(min(scores))
    if not lowest:
        return Figure(None, _("not scored: they are your own documents"))
    mean = round(sum(lowest) / len(lowest), 2)
    reason = _("The average credibility of the sources is {mean:.2f}.")
    return Figure(mean, _("{mean:.2f} on average").format(mean=mean), reason.format(mean=mean))


def _count_independent(report: Report, sources: Sequence[ReportSource]) -> Figure:
    """Count the independent voices of published sources; None with only own documents."""
    published = [source.number for source in sources if not is_own_document(source.address)]
    if sources and not published:
        return Figure(None, "cannot be told: they are your own documents")
    independent = count_voices(published, report.ties)
    words = f"{independent} of {len(published)} kept"
    own = len(sources) - len(published)
    if own:
        are = "is your own document" if own == 1 else "are your own documents"
        words += f"; {own} more {are}, not counted"
    return Figure(independent, words)


def _count_contradicted(report: Report, compared: SourceComparison) -> Figure:
    """Count unexplained contradictions; None if none was found and too little could be compared."""
    differing, among = compared.contradictions, compared.comparable
    is_current = runs_under(report.rules, "scoring", MARKS_VERSION)
    if is_current and len(list_kept_sources(report)) == 1:
        return Figure(None, _("nothing to compare: there is only one source"))
    if not among:
        nothing = _(
            "nothing could be compared: no two sentences of different sources are worded alike"
            " enough"
        )
        return Figure(None, nothing)
    unexplained = sum(one.kind in UNEXPLAINED_KINDS for one in differing)
    if unexplained:
        words = ngettext(
            "{count} found among {among} comparable statement",
            "{count} found among {among} comparable statements",
            among,
        )
    else:
        words = ngettext(
            "none found among {among} comparable statement",
            "none found among {among} comparable statements",
            among,
        )
    words = words.format(count=unexplained, among=among)
    explained = len(differing) - unexplained
    if explained:
        more = _("{found}, plus {count} that date or scope may explain")
        words = more.format(found=words, count=explained)
    if not unexplained and among < MIN_COMPARED:
        return Figure(None, words)
    return Figure(unexplained, words, _("The sources contradict each other."))


def _format_share(part: int, whole: int, reason: str) -> Figure:
    """Return the share with its words. reason: a sentence with the fields part and whole."""
    if not whole:
        return Figure(None, _("there are none"))
    words = _("{part} of {whole}").format(part=part, whole=whole)
    return Figure(part / whole, words, reason.format(part=part, whole=whole))


# -- for the text of a report --------------------------------------------------


def build_confidence_blocks(found: Findings) -> tuple[Block, ...]:
    """Build the computed part of the confidence section, without citations.

    It has the level, a bullet for each line that is shown and the first contradictions.
    """
    if found.confidence is None:
        return ()
    head = _("Computed from the sources and the checks of this report: **{level}** confidence.")
    head = head.format(level=name_level(found.confidence.level))
    if found.confidence.reason:
        head = join_sentences([head, found.confidence.reason])
    blocks = [Block("paragraph", (Sentence(head),))]
    if found.is_quoted:
        blocks.append(Block("bullet", (Sentence(gettext(QUOTED_NOTE)),)))
    for line in found.confidence.visible_lines:
        # Below high, the line also says what the levels mean.
        words = _("{measure}: {value} ({level}; {limits}).")
        if line.level == "high":
            words = _("{measure}: {value} ({level}).")
        text = words.format(
            measure=f"{line.name[:1].upper()}{line.name[1:]}",
            value=line.value,
            level=name_level(line.level),
            limits=line.why,
        )
        blocks.append(Block("bullet", (Sentence(text),)))
    for contradiction in found.contradictions[:MAX_SHOWN_CONTRADICTIONS]:
        blocks.append(Block("bullet", (Sentence(format_contradiction(contradiction)),)))
    return tuple(blocks)


_LEVELS: dict[ConfidenceLevel, str] = {
    "high": N_("high"),
    "moderate": N_("moderate"),
    "low": N_("low"),
}


def name_level(level: ConfidenceLevel) -> str:
    """Return a level in words."""
    return gettext(_LEVELS[level])


def format_contradiction(one: Contradiction) -> str:
    """Format a contradiction as one line of Markdown, with quoted text escaped."""
    claims = [
        f"{put_in_quotes(escape_markdown(claim.value))} [{claim.source}]" for claim in one.claims
    ]
    title = gettext(_KIND_TITLES.get(one.unit, _FIGURES_TITLE))
    kind = gettext(_KIND_WORDS[one.kind])
    if one.why:
        kind = f"{kind} ({escape_markdown(one.why)})"
    return _("{title}, {kind}: {about}: {claims}.").format(
        title=title, kind=kind, about=escape_markdown(one.about), claims=join_clauses(claims)
    )


#: The title of a contradiction by its unit, if that is no unit of figures.
_KIND_TITLES = {
    "date": N_("Different dates"),
    "name": N_("Different names"),
    "statement": N_("Opposite statements"),
}
_FIGURES_TITLE = N_("Different figures")
_KIND_WORDS: dict[ContradictionKind, str] = {
    "differs": N_("unexplained"),
    "one says, another denies": N_("one says, another denies"),
    "may be of another date": N_("may be of another date"),
    "may be of another scope": N_("may be of another scope"),
}
