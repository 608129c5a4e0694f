"""Build a report as parts of plain text runs, which HTML, PDF and DOCX each draw."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice, repeat
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from research_core.citations.cited_passages import (
    SourceCitation,
    build_excerpt,
    list_citations,
    pair_sentences_with_citations,
)
from research_core.export.cells import MARK_PLACE, clean_line
from research_core.i18n import (
    N_,
    _,
    get_sentence_gap,
    gettext,
    join_clauses,
    join_sentences,
    ngettext,
    use_language,
)
from research_core.journal.rule_versions import runs_under
from research_core.models import (
    Block,
    Passage,
    Report,
    ReportSource,
    Sentence,
    format_state_counts,
)
from research_core.pipeline import methodology, report
from research_core.pipeline.backing import MARKS_VERSION
from research_core.pipeline.confidence import SENTENCES_VERSION, examine
from research_core.pipeline.draft import (
    INLINE,
    SINGLE_SOURCE_SIGN,
    TableRow,
    escape_literal_signs,
    format_row,
    is_whole_row,
    parse_table,
)
from research_core.pipeline.methodology import format_moment, is_unsourced
from research_core.policy import name_model
from research_core.text.layout import plain_lines as characters
from research_core.text.quote_labels import clean_title, is_label
from research_core.text.words import strip_invisible, truncate
from research_core.trust.provenance import (
    describe_claimed_address,
    describe_copy,
    describe_live_failure,
    describe_missing_date,
    describe_searched_as,
    describe_unread,
    find_claimed_address,
    format_byline,
    format_dates,
    is_undated,
    name_page_kind,
    name_site,
)

#: Characters of a heading that are compared with a title: longer titles are cut in the text.
MAX_HEADING_CHARS = 85
#: The version of the rules of scoring from which a heading says that it is the title of a source.
ORIGINS_VERSION = 7
#: Sources named one by one among those not used; the CSV and the JSON list all of them.
MAX_UNUSED_SOURCES = 100
_STOPPED = N_("the session was stopped first")
_OTHERS_CHOSEN = N_("the model chose other pages")
_LIMIT_REACHED = N_("the page limit was reached")
#: Why sources were found and not read, by the reason that the gate recorded.
UNREAD_CAUSES = {
    N_("not read: stopped"): _STOPPED,
    N_("not read: the model chose other pages"): _OTHERS_CHOSEN,
    N_("not read: page limit reached"): _LIMIT_REACHED,
}
#: The version of the rules of scoring from which all sources found are counted, by their state, and
#: the sentences that rest on one source.
COUNTS_VERSION = 7
#: The version of the rules of scoring from which the recorded reason counts.
RECORDED_CAUSE_VERSION = 7


class CheckResult(NamedTuple):
    """The result of checking a cited sentence: sign, word and colour.

    The colour is never the only sign.
    """

    symbol: str
    word: str
    tone: str


CHECK_RESULTS = {
    "quoted": CheckResult("”", N_("quoted word for word"), "gray"),
    "supported": CheckResult("✓", N_("supported"), "green"),
    "partly": CheckResult("◐", N_("partly supported"), "orange"),
    "not found": CheckResult("✕", N_("not found in the passage"), "red"),
    "could not check": CheckResult("?", N_("could not be checked"), "gray"),
}
#: The statuses of sources that were considered and not used.
UNUSED_STATUSES = ("dropped", "blocked", "struck", "failed", "duplicate")
#: What SINGLE_SOURCE_SIGN means, and under earlier rules; `check` knows both sentences too.
SINGLE_SOURCE_NOTE = N_("◇ marks sentences that rest on one source: {single} of {count}.")
EARLIER_SINGLE_SOURCE_NOTE = N_("◇ The sentence rests on one source.")


@dataclass(frozen=True)
class TextRun:
    """Words in one style: "" | strong | em | code | small.

    url, place: the target on the web or in the document, or "". cited: the citation that this run
    marks; it then has no words of its own.
    """

    text: str
    style: str = ""
    url: str = ""
    place: str = ""
    cited: SourceCitation | None = None


TextRuns = tuple[TextRun, ...]


def is_label_run(run: TextRun) -> bool:
    """Return True for the label before a quoted sentence, whose words are not the source's."""
    return run.style == "em" and is_label(f"*{run.text.strip()}*")


@dataclass(frozen=True)
class DocumentPart:
    """A heading, paragraph, bullet, quotation or table, or one of the kinds of `outline`.

    level: of a heading, the number of a bullet, or 1 for a table whose first row is its head; rows:
    of a table, all of one length; widths: of its columns, in parts of the whole; place: its name
    for links to it; origin: which source a heading is the title of.
    """

    kind: str
    runs: TextRuns = ()
    level: int = 0
    rows: tuple[tuple[TextRuns, ...], ...] = ()
    widths: tuple[int, ...] = ()
    place: str = ""
    origin: str = ""

    @property
    def runs_with_origin(self) -> TextRuns:
        """Return the runs behind what says which source a heading is the title of."""
        return (TextRun(f"{self.origin} ", "em"), *self.runs) if self.origin else self.runs


# -- words -----------------------------------------------------------------------------------------

_WITH_LINKS = re.compile(
    rf"\[(?P<words>(?:\\.|[^\[\]\\])*)\]\((?P<url>https?://[^()\s]*)\)|{INLINE.pattern}"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def parse_inline(text: str, *, links: bool = False) -> TextRuns:
    """Parse a line of Markdown into runs.

    links: only for lines of our own, in which all foreign text is escaped.
    """
    return tuple(
        _merge_runs(_split_inline(clean_line(text, 100_000), _WITH_LINKS if links else INLINE))
    )


def _split_inline(text: str, pattern: re.Pattern[str]) -> Iterator[TextRun]:
    done = 0
    for found in pattern.finditer(text):
        yield TextRun(text[done : found.start()])
        done = found.end()
        if found.lastgroup == "itself":
            yield TextRun(found["itself"])
        elif found.lastgroup == "url":
            yield TextRun(_ESCAPED.sub(r"\1", found["words"]), url=found["url"])
        else:
            yield TextRun(found[found.lastgroup or 0], style=found.lastgroup or "")
    yield TextRun(text[done:])


def _merge_runs(runs: Iterator[TextRun]) -> Iterator[TextRun]:
    for (style, url), group in groupby(runs, key=lambda run: (run.style, run.url)):
        if text := "".join(run.text for run in group):
            yield TextRun(text, style, url)


def build_sentence_runs(cited: SourceCitation) -> TextRuns:
    """Build the runs of a cited sentence by itself."""
    (sentence,) = escape_literal_signs(
        (cited.sentence,), {passage.id: passage.text for passage in cited.passages}
    )
    return parse_inline(sentence.text)


def join_run_text(runs: Sequence[TextRun]) -> str:
    """Join the words of runs, with citations as "[3✓]"."""
    return "".join(format_mark(run.cited) if run.cited else run.text for run in runs)


def format_mark(cited: SourceCitation) -> str:
    """Format a citation in characters: the source's number and the sign of its check."""
    return f"[{cited.source.number}{get_check(cited).symbol}]"


def get_check(cited: SourceCitation) -> CheckResult:
    found = CHECK_RESULTS.get(cited.state, CHECK_RESULTS["could not check"])
    return found._replace(word=gettext(found.word))


def build_passage_context(cited: SourceCitation, limit: int) -> TextRuns:
    """Build the cited passages, cut around the sentence, which is strong where it stands literally.

    limit: characters of each passage.
    """
    runs: list[TextRun] = []
    for passage in cited.passages:
        before, sentence, after = (
            clean_line(" ".join(characters(text)), 100_000)
            for text in _split_passage(cited, passage)
        )
        room = max(limit - len(sentence), 80)
        if before and after:
            room //= 2
        if len(before) > room:
            before = f"…{before[-room:].partition(' ')[2]}"
        pieces = [
            TextRun(before),
            TextRun(truncate(sentence, 1500), "strong"),
            TextRun(truncate(after, room)),
        ]
        gap = " … "
        for piece in pieces:
            if piece.text:
                runs += [TextRun(gap), piece]
                gap = " "
    return tuple(runs[1:])


def _split_passage(cited: SourceCitation, passage: Passage) -> tuple[str, str, str]:
    """Split a passage into the text before the sentence, the sentence, and the rest.

    The first two are empty if the sentence does not stand there literally.
    """
    pieces = build_excerpt("", passage, cited.sentence.text).pieces
    texts = [text for text, _, _ in pieces]
    for index, (text, _place, of_sentence) in enumerate(pieces):
        if of_sentence:
            return "".join(texts[:index]), text, "".join(texts[index + 1 :])
    return "", "", passage.text


# -- the text --------------------------------------------------------------------------------------


def build_text_parts(built: Report) -> tuple[DocumentPart, ...]:
    """Build the written text, each sentence with the marks of its citations.

    A sentence that should have citations and has none is marked as unsourced.
    """
    # The computed text at the end cites nothing.
    marks = chain(_build_marks(built), repeat(()))
    parts: list[DocumentPart] = []
    names_origins = runs_under(built.rules, "scoring", ORIGINS_VERSION)
    titles = find_title_headings(built) if names_origins else {}
    blocks = report.build_exported_text(built)
    for is_table, group in groupby(blocks, key=lambda block: block.kind == "table"):
        marked = [(block, list(islice(marks, len(block.sentences)))) for block in group]
        if is_table:
            parts.append(_build_table(marked))
        else:
            parts += [_build_part(block, own_marks, titles) for block, own_marks in marked]
    return tuple(parts)


def _build_marks(built: Report) -> Iterator[TextRuns]:
    """Yield the marks of each sentence, with a space before each mark."""
    single = _find_single_source_places(built)
    for place, (sentence, found) in enumerate(_pair_citations(built)):
        runs = [TextRun("", cited=cited) for cited in found]
        if runs and place in single:
            runs.append(TextRun(SINGLE_SOURCE_SIGN))
        if not runs and is_unsourced(built, sentence):
            runs = [TextRun(_("[no source]"), "em")]
        marks: list[TextRun] = []
        for run in runs:
            marks += [TextRun(" "), run]
        yield tuple(marks)


def find_title_headings(built: Report) -> dict[str, int]:
    """Return the headings that are the title of a source, simplified, with the source's number.

    A text without a language model groups quotes under the title of their page. A heading above
    sentences of another source too is a subject, whatever the title.
    """
    titles: dict[str, int] = {}
    numbers: dict[str, int] = {}
    for source in reversed(built.sources):
        if source.number:
            titles[_simplify_heading(source.title)] = source.number
            titles[_simplify_heading(clean_title(source.title))] = source.number
            numbers.update((passage.id, source.number) for passage in source.passages)
    cited: dict[str, set[int]] = {}
    heading = ""
    for block in built.blocks:
        if block.kind == "heading":
            heading = _simplify_heading(block.sentences[0].text)
        for sentence in block.sentences:
            found = cited.setdefault(heading, set())
            found.update(numbers[passage] for passage in sentence.citations if passage in numbers)
    return {
        name: titles[name] for name, found in cited.items() if name and found == {titles.get(name)}
    }


def _simplify_heading(text: str) -> str:
    """Return the letters and digits by which a heading is compared with a title."""
    return "".join(filter(str.isalnum, text[:MAX_HEADING_CHARS].casefold()))


def name_origin(heading: str, titles: Mapping[str, int]) -> str:
    """Return which source a heading is the title of, "" for any other. titles: as found above."""
    number = titles.get(_simplify_heading(heading))
    return _("From source {number}:").format(number=number) if number is not None else ""


def _build_part(block: Block, marks: Sequence[TextRuns], titles: Mapping[str, int]) -> DocumentPart:
    if block.kind == "heading":
        return DocumentPart(
            "heading",
            parse_inline(_join_sentences(block.sentences[:1])),
            min(max(block.level, 2), 4),
            origin=name_origin(block.sentences[0].text, titles),
        )
    whole = ""
    for index, sentence in enumerate(block.sentences):
        text = clean_line(sentence.text, 100_000)
        if whole:
            before = block.sentences[index - 1].text
            whole += " " if marks[index - 1] else get_sentence_gap(before)
        whole += f"{text}{MARK_PLACE}"
    return DocumentPart(
        block.kind, tuple(_insert_marks(whole, marks)), block.level if block.kind == "bullet" else 0
    )


def _join_sentences(sentences: Sequence[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def _insert_marks(whole: str, marks: Iterable[TextRuns]) -> Iterator[TextRun]:
    """Build the runs of a block, with the marks where their sentences end."""
    left = iter(marks)
    for run in _merge_runs(_split_inline(whole, INLINE)):
        first, *rest = run.text.split(MARK_PLACE)
        if first:
            yield replace(run, text=first)
        for piece in rest:
            yield from next(left, ())
            if piece:
                yield replace(run, text=piece)


def _build_table(rows: Sequence[tuple[Block, Sequence[TextRuns]]]) -> DocumentPart:
    """Build a table from its rows, with the marks of each cell in it.

    If a row is a single sentence, its marks are in its last cell.
    """
    found = parse_table([_format_row(block, marks) for block, marks in rows])
    drawn: list[tuple[TextRuns, ...]] = []
    for row in found:
        block, marks = rows[row.line]
        drawn.append(_build_row(row, marks, is_whole=is_whole_row(block)))
    by_cell = not any(is_whole_row(rows[row.line][0]) for row in found)
    return DocumentPart(
        "table",
        rows=tuple(drawn),
        level=int(any(row.is_head for row in found)),
        widths=_choose_widths(drawn) if by_cell else (),
    )


#: Characters of a cell that only names its row.
MAX_NAME_LENGTH = 24


def _choose_widths(rows: Sequence[tuple[TextRuns, ...]]) -> tuple[int, ...]:
    """Return a narrow first column if it only names the rows of sentences, () for equal ones."""
    lengths = [[len(join_run_text(cell)) for cell in column] for column in zip(*rows, strict=True)]
    if len(lengths) < 3 or max(lengths[0]) > MAX_NAME_LENGTH:
        return ()
    if min(max(column) for column in lengths[1:]) <= 2 * MAX_NAME_LENGTH:
        return ()
    return (1, *(2,) * (len(lengths) - 1))


def _format_row(block: Block, marks: Sequence[TextRuns]) -> str:
    """Return a row as a line, with MARK_PLACE in each cell that has marks of its own."""
    if is_whole_row(block):
        return _join_sentences(block.sentences)
    texts = []
    for sentence, own_marks in zip(block.sentences, marks, strict=True):
        place = MARK_PLACE if own_marks else ""
        texts.append(f"{clean_line(sentence.text, 100_000)}{place}")
    return format_row(block, texts)


def _build_row(row: TableRow, marks: Sequence[TextRuns], *, is_whole: bool) -> tuple[TextRuns, ...]:
    if is_whole:
        *cells, last = map(parse_inline, row.cells)
        return (*cells, (*last, *chain.from_iterable(marks)))
    left = iter([own_marks for own_marks in marks if own_marks])
    return tuple(tuple(_insert_marks(cell, left)) for cell in row.cells)


# -- what stands around it -------------------------------------------------------------------------


def format_title(built: Report) -> str:
    return clean_line(built.question)


def list_notices(built: Report) -> tuple[TextRuns, ...]:
    """List what a reader must know before the text."""
    found: list[TextRuns] = []
    if built.decision == "insufficient_data":
        headline = TextRun(f"{report.format_no_report(built)} ", "strong")
        found.append((headline, *parse_inline(report.explain_no_report(built))))
    found += [parse_inline(notice) for notice in report.list_notices(built)]
    return tuple(found)


def format_facts(built: Report) -> str:
    """Format when, how and with what result the report was made, in one line.

    It counts the sources as the screens do; under earlier rules, those kept and judged.
    """
    counts = Counter(source.status for source in built.sources)
    counts["kept"] += 0
    count = len(built.sources)
    judged = report.count_judged_sources(built)
    words = ngettext(
        "Asked {moment} · {mode} mode, {model} · {decision} · {count:,} source found: {states}",
        "Asked {moment} · {mode} mode, {model} · {decision} · {count:,} sources found: {states}",
        count,
    )
    if not runs_under(built.rules, "scoring", COUNTS_VERSION):
        words = ngettext(
            "Asked {moment} · {mode} mode, {model} · {decision} · {kept} of {judged:,} source kept",
            "Asked {moment} · {mode} mode, {model} · {decision} · {kept} of {judged:,} sources kept",
            judged,
        )
    facts = words.format(
        moment=format_moment(built.created),
        mode=gettext(built.settings["mode"]),
        model=name_model(built.settings["model"]),
        decision=methodology.name_outcome(built),
        count=count,
        states=format_state_counts(counts),
        kept=built.funnel["kept"],
        judged=judged,
    )
    return clean_line(facts)


def explain_single_source(built: Report) -> str:
    """Explain the sign of sentences that rest on one source; "" if no sentence has it."""
    single = _find_single_source_places(built)
    if not single:
        return ""
    if not runs_under(built.rules, "scoring", COUNTS_VERSION):
        return gettext(EARLIER_SINGLE_SOURCE_NOTE)
    cited = sum(bool(found) for _sentence, found in _pair_citations(built))
    return gettext(SINGLE_SOURCE_NOTE).format(single=len(single), count=cited)


def _pair_citations(
    built: Report,
) -> Iterator[tuple[Sentence, Sequence[SourceCitation]]]:
    """Yield each sentence of the text with its citations."""
    yield from pair_sentences_with_citations(built, list_citations(built))


def _find_single_source_places(built: Report) -> frozenset[int]:
    """Return the places of the sentences that get the sign: in older sessions none."""
    if not runs_under(built.rules, "scoring", SENTENCES_VERSION):
        return frozenset()
    return frozenset(examine(built).single)


def list_methods(built: Report) -> tuple[TextRuns, ...]:
    return tuple(parse_inline(one, links=True) for one in methodology.describe_methods(built))


def list_kept_sources(built: Report) -> list[ReportSource]:
    """List the numbered sources, in the order of their numbers."""
    return [source for source in built.sources if source.status == "kept"]


def list_unused_sources(built: Report) -> list[ReportSource]:
    """List the sources refused, dropped or unreadable.

    Sources that were never reached are counted by `describe_passed_over`.
    """
    return [source for source in built.sources if source.status in UNUSED_STATUSES]


def describe_passed_over(built: Report) -> str:
    """Say how many accepted sources were not read, or not judged; "" if none.

    They stand nowhere else in the text; the CSV and the JSON list them.
    """
    passed_over = [source for source in built.sources if source.status == "not_read"]
    unjudged = sum(bool(source.fetched) for source in passed_over)
    causes = Counter(_find_cause(built, source) for source in passed_over if not source.fetched)
    sentences = []
    for cause, count in causes.most_common():
        words = ngettext(
            "{count:,} more source was found, but not read: {cause}.",
            "{count:,} more sources were found, but not read: {cause}.",
            count,
        )
        sentences.append(words.format(count=count, cause=gettext(cause)))
    if unjudged:
        words = ngettext(
            "{count:,} more source was read, but not rated for relevance before the session"
            " stopped.",
            "{count:,} more sources were read, but not rated for relevance before the session"
            " stopped.",
            unjudged,
        )
        sentences.append(words.format(count=unjudged))
    return join_sentences(sentences)


def _find_cause(built: Report, source: ReportSource) -> str:
    """Return why a source was not read, by the gate's reason, which is in the report's language.

    Without a reason that is known, and under earlier rules, by how the session ended.
    """
    if runs_under(built.rules, "scoring", RECORDED_CAUSE_VERSION):
        with use_language(built.language):
            for reason, cause in UNREAD_CAUSES.items():
                if source.reason in (reason, gettext(reason)):
                    return cause
    if built.stopped or built.settings["strategy"] not in ("agentic", "planned"):
        return _STOPPED
    return _OTHERS_CHOSEN if built.settings["strategy"] == "agentic" else _LIMIT_REACHED


def describe_omitted(built: Report) -> str:
    """Say how many unused sources are not named; "" if all are."""
    more = len(list_unused_sources(built)) - MAX_UNUSED_SOURCES
    if more <= 0:
        return ""
    words = _("And {count} more, listed with their reasons in the CSV and JSON exports.")
    return words.format(count=more)


def describe_source(source: ReportSource, built: Report) -> str:
    """Describe in one line where a source is from, how it was scored, and remarks on it."""
    score = _("not scored")
    if source.parts:
        score = _("credibility {score:.2f} ({tier})").format(
            score=source.parts.score, tier=gettext(source.parts.tier)
        )
    facts = [
        *_describe_origin(source),
        clean_line(format_byline(source), 200),
        name_page_kind(source),
        score,
        _describe_relevance(source),
        clean_line(format_dates(source), 100),
        _("read {moment}").format(moment=format_moment(source.fetched)) if source.fetched else "",
        _describe_archived(source),
        describe_copy(f"[{source.copy_of}]") if source.copy_of else "",
        report.describe_marks(source, unused=report.describe_unused(source, built)),
        clean_line(describe_unread(source), 300),
    ]
    return " · ".join(filter(None, facts))


def _describe_origin(source: ReportSource) -> Iterator[str]:
    yield clean_line(name_site(source.address))
    claimed = find_claimed_address(source)
    if claimed:
        yield describe_claimed_address(clean_line(claimed, 300))
    if source.redirected_to:
        yield describe_searched_as(clean_line(source.url, 300))


def _describe_archived(source: ReportSource) -> str:
    if not source.archived:
        return ""
    reason = describe_live_failure(source.attempts)
    words = _("from {copy}: {address}")
    if reason:
        words = _("from {copy}: {address} ({reason})")
    copy = _("an archived copy of {day}").format(day=source.archived.day)
    address = clean_line(source.archived.url)
    return words.format(copy=clean_line(copy), address=address, reason=reason)


def format_relevance(source: ReportSource) -> str:
    """Format the relevance score as "4/5"; "" if there is none."""
    if not source.relevance or not source.relevance.scored:
        return ""
    return f"{source.relevance.score}/5"


def _describe_relevance(source: ReportSource) -> str:
    if not source.relevance or not source.relevance.scored:
        return ""
    return _("relevance {score}/5").format(score=source.relevance.score)


def explain_score(source: ReportSource, built: Report) -> str:
    """Explain the credibility score as a sum of weighted parts; "" if there is no score."""
    parts = source.parts
    if parts is None:
        return ""
    policy = built.settings["credibility"]
    text = _(
        "site {authority:.2f} × weight {authority_weight:.2f} + keywords {words:.2f} × weight"
        " {words_weight:.2f} + date since 2020 in the snippet {recency:.2f}"
    ).format(
        authority=parts.domain,
        authority_weight=policy["domain_weight"],
        words=parts.relevance,
        words_weight=policy["relevance_weight"],
        recency=parts.recency,
    )
    clauses = [text]
    if runs_under(built.rules, "scoring", MARKS_VERSION) and is_undated(source):
        clauses.append(describe_missing_date(source))
    if parts.matched:
        words = clean_line(", ".join(parts.matched), 300)
        clauses.append(_("keywords found: {words}").format(words=words))
    return join_clauses(clauses)


def get_source_name(source: ReportSource) -> str:
    return clean_line(source.title, 500) or clean_line(source.url, 500) or _("Untitled")


def format_cited_source(source: ReportSource) -> str:
    """Format the number and the name of a cited source, and whether it was included by hand."""
    name = f"[{source.number}] {get_source_name(source)}"
    return f"{name} ({_('included by hand')})" if source.approved else name


def get_source_url(source: ReportSource) -> str:
    """Return the source's web address, or ""."""
    return encode_web_url(source.address)


def encode_web_url(url: str) -> str:
    """Percent-encode a web address for every format; "" for any other address."""
    clean = strip_invisible(url).strip()
    try:
        parts = urlsplit(clean)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return ""
    return quote(clean, safe="%/:?#[]@!$&'()*+,;=-._~") if usable else ""


def is_right_to_left(text: str) -> bool:
    """Return True if the paragraph's first letter is written from right to left."""
    for sign in text:
        direction = unicodedata.bidirectional(sign)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
