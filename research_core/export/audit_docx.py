"""Export the result of an audit as DOCX: the report, with a comment on each sentence.

All of it is text: no field code, no macro, nothing linked in. Foreign text is cleaned here of what
XML cannot hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from research_core.export.audit import (
    RESULT_SIGNS,
    STATE_SIGNS,
    UNCITED_SIGN,
    Sign,
    explain_verdict,
    get_claim_sign,
    get_link_address,
    list_remarks,
    name_source,
    name_verdict,
)
from research_core.export.cells import clean_line
from research_core.export.document import encode_web_url, is_right_to_left
from research_core.export.docx import (
    LINK_COLOUR,
    TONE_COLOURS,
    add_link,
    save_document,
    set_properties,
    set_right_to_left,
)
from research_core.i18n import (
    _,
    gettext,
    in_report_language,
    join_clauses,
    ngettext,
    put_in_quotes,
)
from research_core.i18n import is_right_to_left as speaks_right_to_left
from research_core.pipeline.audit_result import (
    RESULT_LABELS,
    STATE_LABELS,
    AuditedClaim,
    AuditedSource,
    AuditResult,
    ReportSentence,
)
from research_core.pipeline.methodology import SAMPLE_NOTICE

if TYPE_CHECKING:
    from docx.comments import Comment
    from docx.document import Document
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run

AUTHOR, INITIALS = "Assay", "A"
#: Characters of a sentence, of a passage, of the name of a source and of a note.
MAX_SENTENCE_CHARS, MAX_PASSAGE_CHARS, MAX_NAME_CHARS, MAX_NOTE_CHARS = 5_000, 1_500, 300, 1_000
#: The most comments of one document: with more, word processors open it slowly or not at all.
MAX_COMMENTS = 3_000


@in_report_language
def render_audit_docx(result: AuditResult) -> bytes:
    """Return the document: score card, the report with its comments, the sources."""
    from docx import Document as new

    paper = new()
    title = _("Check of {title}").format(title=clean_line(result.question, MAX_NAME_CHARS))
    set_properties(paper, title, result.created)
    _add_text(paper, title, "Title")
    if result.is_sample:
        _add_text(paper, gettext(SAMPLE_NOTICE), "Intense Quote")
    if not result.complete:
        _add_text(paper, _("The check is not complete."), "Intense Quote")
    _add_heading(paper, _("Score card"), 1)
    for line in result.card.describe():
        _add_text(paper, line, "List Bullet")
    commented = _choose_commented(result)
    if len(commented) < len(result.claims):
        left = len(result.claims) - len(commented)
        about = ngettext(
            "{count} sentence has no comment; the HTML and the JSON have all of them.",
            "{count} sentences have no comment; the HTML and the JSON have all of them.",
            left,
        )
        _add_text(paper, about.format(count=left), "Normal")
    _add_heading(paper, _("The checked report"), 1)
    _add_report(paper, result, commented)
    _add_sources(paper, result)
    return save_document(paper, result.created)


def _choose_commented(result: AuditResult) -> frozenset[int]:
    """Return the numbers of the claims with a comment; those that hold are the first left out."""
    if len(result.claims) <= MAX_COMMENTS:
        return frozenset(claim.number for claim in result.claims)
    order = sorted(result.claims, key=lambda claim: claim.verdict in ("supported", ""))
    return frozenset(claim.number for claim in order[:MAX_COMMENTS])


# -- the report ------------------------------------------------------------------------------------


def _add_report(paper: Document, result: AuditResult, commented: frozenset[int]) -> None:
    """Add the paragraphs of the report, with its headings."""
    claims = {claim.number: claim for claim in result.claims}
    numbers = result.number_sources()
    sources = {source.key: source for source in result.sources}
    moment = datetime.fromtimestamp(result.created, UTC)
    heading = ""
    for (_number, title), rows in groupby(enumerate(result.read_claims), key=_get_paragraph):
        if title != heading:
            heading = title
            if clean_line(title):
                _add_heading(paper, clean_line(title, MAX_NAME_CHARS), 2)
        paragraph = paper.add_paragraph()
        for number, row in rows:
            claim = claims.get(number)
            drawn = _add_run(paragraph, clean_line(row.text, MAX_SENTENCE_CHARS))
            last = drawn
            if claim is not None:
                last = _add_mark(paragraph, claim, numbers)
            _add_run(paragraph, " ")
            if claim is not None and number in commented:
                comment = _add_comment(paper, number, moment)
                drawn.mark_comment_range(last, number)
                _write_comment(comment, claim, sources, numbers)
        _set_direction(paragraph)


def _add_comment(paper: Document, number: int, moment: datetime) -> Comment:
    """Add an empty comment; `Document.add_comment` looks at all others to find a free number."""
    from docx.comments import Comment
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    comments = paper.comments
    element = OxmlElement("w:comment")
    element.set(qn("w:id"), str(number))
    element.author, element.initials, element.date = AUTHOR, INITIALS, moment
    comments._comments_elm.append(element)
    comment = Comment(element, comments._comments_part)
    reference = OxmlElement("w:annotationRef")
    comment.add_paragraph().add_run()._r.append(reference)
    return comment


def _get_paragraph(row: tuple[int, ReportSentence]) -> tuple[int, str]:
    return row[1].paragraph, row[1].heading


def _add_mark(paragraph: Paragraph, claim: AuditedClaim, numbers: Mapping[str, str]) -> Run:
    """Add the citations of a claim with the signs of their verdicts; return the last run."""
    drawn: Run | None = None
    for text, sign in _list_marks(claim, numbers):
        drawn = _add_run(paragraph, f" [{text}{sign.symbol}]", sign.tone)
        drawn.bold = drawn.font.superscript = True
    assert drawn is not None
    return drawn


def _list_marks(claim: AuditedClaim, numbers: Mapping[str, str]) -> Iterator[tuple[str, Sign]]:
    if not claim.is_cited:
        yield "", UNCITED_SIGN
    for citation in claim.citations:
        yield clean_line(numbers[citation.work], 60), RESULT_SIGNS[citation.result]
    for mark in claim.unresolved:
        yield clean_line(mark, 60).strip("[]"), UNCITED_SIGN


# -- a comment -------------------------------------------------------------------------------------


def _write_comment(
    comment: Comment,
    claim: AuditedClaim,
    sources: Mapping[str, AuditedSource],
    numbers: Mapping[str, str],
) -> None:
    """Write the verdict, what differs, and of each source the passage and the address."""
    sign = get_claim_sign(claim)
    verdict = _add_run(comment.paragraphs[0], f"{sign.symbol} {name_verdict(claim)}", sign.tone)
    verdict.bold = True
    _set_direction(comment.paragraphs[0])
    told = explain_verdict(claim)
    if told:
        _add_comment_line(comment, clean_line(told, MAX_NOTE_CHARS))
    for citation in claim.citations:
        source = sources[citation.work]
        number = clean_line(numbers[citation.work], 60)
        line = comment.add_paragraph()
        _add_run(line, f"[{number}] ").bold = True
        name = clean_line(name_source(source), MAX_NAME_CHARS)
        _add_named_link(line, name, get_link_address(source))
        words = [gettext(RESULT_LABELS[citation.result])] if len(claim.citations) > 1 else []
        if source.state != "live":
            words.append(gettext(STATE_LABELS[source.state]))
        words += list_remarks(source, numbers)
        if words:
            _add_run(line, f" – {clean_line(join_clauses(words), MAX_NOTE_CHARS)}")
        _set_direction(line)
        if citation.passage:
            passage = clean_line(citation.passage, MAX_PASSAGE_CHARS)
            _add_comment_line(comment, put_in_quotes(passage)).italic = True
        elif citation.note and citation.note != claim.note:
            _add_comment_line(comment, clean_line(citation.note, MAX_NOTE_CHARS))
    for mark in claim.unresolved:
        leads_nowhere = _("{mark}: no matching source in the report").format(
            mark=clean_line(mark, 200)
        )
        _add_comment_line(comment, leads_nowhere)


def _add_comment_line(comment: Comment, text: str) -> Run:
    line = comment.add_paragraph()
    run = _add_run(line, text)
    _set_direction(line)
    return run


# -- the sources -----------------------------------------------------------------------------------


def _add_sources(paper: Document, result: AuditResult) -> None:
    """Add a paragraph for each source, with its state and what is remarkable about it."""
    from docx.shared import Mm

    if not result.sources:
        return
    _add_heading(paper, _("Sources"), 1)
    numbers = result.number_sources()
    for source in result.sources:
        paragraph = paper.add_paragraph()
        paragraph.paragraph_format.left_indent = Mm(10)
        paragraph.paragraph_format.first_line_indent = Mm(-8)
        _add_run(paragraph, f"[{clean_line(numbers[source.key], 60)}] ")
        name = clean_line(name_source(source), MAX_NAME_CHARS)
        _add_named_link(paragraph, name, get_link_address(source))
        if source.url and clean_line(source.url, MAX_NAME_CHARS) != name:
            _add_run(paragraph, f" {clean_line(source.url, MAX_NAME_CHARS)}")
        sign = STATE_SIGNS[source.state]
        state = f" – {sign.symbol} {gettext(STATE_LABELS[source.state])}"
        _add_run(paragraph, state, sign.tone)
        remarks = list_remarks(source, numbers)
        if not source.cited_by:
            remarks.append(_("never cited"))
        if remarks:
            _add_run(paragraph, f" · {clean_line(join_clauses(remarks), MAX_NOTE_CHARS)}")
        if source.reason:
            _add_run(paragraph, f" · {clean_line(source.reason, MAX_NOTE_CHARS)}")
        _set_direction(paragraph)


# -- words -----------------------------------------------------------------------------------------


def _add_heading(paper: Document, text: str, level: int) -> None:
    _set_direction(paper.add_heading(text, level))


def _add_text(paper: Document, text: str, style: str) -> None:
    _set_direction(paper.add_paragraph(clean_line(text), style=style))


def _add_run(paragraph: Paragraph, text: str, tone: str = "") -> Run:
    from docx.shared import RGBColor

    run = paragraph.add_run(text)
    if tone:
        run.font.color.rgb = RGBColor.from_string(TONE_COLOURS[tone])
    return run


def _add_named_link(paragraph: Paragraph, name: str, address: str) -> None:
    """Add the name of a source as a link to the web, or as text for the address ""."""
    from docx.shared import RGBColor

    run = _add_run(paragraph, name)
    url = encode_web_url(address)
    if url:
        run.font.color.rgb = RGBColor.from_string(LINK_COLOUR)
        add_link(paragraph, run._r, url, "")


def _set_direction(paragraph: Paragraph) -> None:
    if speaks_right_to_left() or is_right_to_left(paragraph.text):
        set_right_to_left(paragraph)
