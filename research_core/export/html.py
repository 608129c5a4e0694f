"""Export a report as one self-contained HTML file: own style, no script, nothing loaded."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from research_core.citations.cited_passages import SourceCitation, list_citations
from research_core.export import document
from research_core.export.cells import clean_line
from research_core.export.document import (
    DocumentPart,
    TextRun,
    describe_source,
    explain_score,
    get_check,
    get_source_name,
    get_source_url,
    list_kept_sources,
    list_unused_sources,
)
from research_core.export.outline import format_checked_count, format_result
from research_core.i18n import (
    _,
    get_language_tag,
    gettext,
    in_report_language,
    is_right_to_left,
    join_list,
    ngettext,
)
from research_core.models import VERDICT_STATES, Report, ReportSource
from research_core.text import layout
from research_core.text.words import strip_invisible

STYLE_SHEET = Path(__file__).with_name("web.css").read_text(encoding="utf-8")
CONTENT_POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"
#: Characters of a passage that the hover shows; the list of citations has all of it.
_HOVER_CHARS = 700


class Section(NamedTuple):
    """A further section of the file. place: the target of its link; title: text; body: HTML."""

    place: str
    title: str
    body: str


@in_report_language
def render_html(built: Report, sections: Sequence[Section] = (), style: str = "") -> str:
    """Render the whole file.

    sections: put before the methodology; style: CSS added to that of the file.
    """
    title = escape(document.format_title(built))
    style_sheet = STYLE_SHEET + style
    direction = ' dir="rtl"' if is_right_to_left() else ""
    policy = CONTENT_POLICY.format(
        base64.b64encode(hashlib.sha256(style_sheet.encode()).digest()).decode()
    )
    return (
        f'<!doctype html>\n<html lang="{get_language_tag()}"{direction}>\n<head>\n<meta charset="utf-8">\n<meta'
        f' http-equiv="Content-Security-Policy" content="{policy}">\n<meta name="referrer"'
        ' content="no-referrer">\n<meta name="viewport" content="width=device-width,'
        ' initial-scale=1">\n<meta name="color-scheme" content="light'
        f' dark">\n<title>{title}</title>\n<style>{style_sheet}</style>\n</head>\n<body>\n'
        + "\n".join(_render_body(built, title, sections))
        + "\n</body>\n</html>\n"
    )


def _render_body(built: Report, title: str, sections: Sequence[Section]) -> Iterator[str]:
    cited = list_citations(built)
    used = list_kept_sources(built)
    unused = list_unused_sources(built)
    passed_over = document.describe_passed_over(built)
    yield (
        f'<header>\n<h1 dir="auto">{title}</h1>\n<p'
        f' class="facts">{escape(document.format_facts(built))}</p>'
    )
    if cited:
        yield f'<p class="facts">{_render_checks(cited)}</p>'
        if explained := document.explain_single_source(built):
            yield f'<p class="facts">{escape(explained)}</p>'
    yield f"</header>\n{_render_contents(bool(cited), bool(unused or passed_over), sections)}\n<main>"
    for notice in document.list_notices(built):
        yield f'<p class="notice">{_render_runs(notice)}</p>'
    yield from _render_parts(document.build_text_parts(built))
    yield f'<h2 id="sources">{_("Sources")}</h2>'
    if used:
        yield _render_list("ol", "sources", (_render_source(source, built) for source in used))
    else:
        yield f"<p>{_('No source was kept.')}</p>"
    if cited:
        yield f'<h2 id="citations">{_("Citations and their passages")}</h2>'
        yield _render_list("ol", "cited", map(_render_citation, cited))
    if unused or passed_over:
        yield f'<h2 id="unused">{_("Not used")}</h2>'
    if unused:
        listed = ngettext(
            "{count:,} source with the reason", "{count:,} sources with the reason", len(unused)
        ).format(count=len(unused))
        yield f"<details open><summary>{listed}</summary>{_render_unused(built)}</details>"
    if passed_over:
        yield f'<p class="small">{passed_over}</p>'
    for section in sections:
        yield f'<h2 id="{section.place}">{escape(section.title)}</h2>\n{section.body}'
    yield f'<h2 id="methodology">{_("Methodology")}</h2>'
    methods = [f"<li>{_render_runs(runs)}</li>" for runs in document.list_methods(built)]
    yield _render_list("ul", "small", methods)
    note = _("Session {session}. This file loads nothing and works without a network.")
    session = escape(clean_line(built.session))
    yield f"</main>\n<footer><p>{note.format(session=session)}</p></footer>"


def _render_contents(cited: bool, unused: bool, sections: Sequence[Section]) -> str:
    places = [("sources", _("Sources"))]
    if cited:
        places.append(("citations", _("Citations")))
    if unused:
        places.append(("unused", _("Not used")))
    places += [(section.place, escape(section.title)) for section in sections]
    places.append(("methodology", _("Methodology")))
    anchors = "".join(f'<a href="#{id}">{words}</a>' for id, words in places)
    label = escape(_("In this file"))
    return f'<nav aria-label="{label}">{anchors}</nav>'


def _render_checks(cited: Sequence[SourceCitation]) -> str:
    states = [get_check(one) for one in cited]
    results = join_list(
        [
            f'<span class="checked tone-{c.tone}">{format_result(states.count(c), c)}</span>'
            for c in dict.fromkeys(states)
        ]
    )
    return format_checked_count(cited, results)


def _render_list(tag: str, style: str, items: Iterable[str]) -> str:
    return f'<{tag} class="{style}">\n' + "\n".join(items) + f"\n</{tag}>"


# -- the text --------------------------------------------------------------------------------------


def _render_parts(parts: Sequence[DocumentPart]) -> Iterator[str]:
    def get_kind(part: DocumentPart) -> tuple[str, bool]:
        return part.kind, part.kind == "bullet" and part.level > 0

    for (kind, numbered), group in groupby(parts, key=get_kind):
        if kind == "bullet":
            yield _render_list("ol" if numbered else "ul", "text", map(_render_item, group))
        elif kind == "quote":
            quotes = "".join(_render_directed("p", part.runs) for part in group)
            yield f"<blockquote>{quotes}</blockquote>"
        elif kind == "table":
            yield from map(_render_table, group)
        else:
            yield from map(_render_block, group)


def _render_block(part: DocumentPart) -> str:
    tag = f"h{part.level}" if part.kind == "heading" else "p"
    return _render_directed(tag, part.runs)


def _render_directed(tag: str, runs: Iterable[TextRun], attributes: str = "") -> str:
    """Render an element whose text has its own direction.

    In a report written from right to left the element itself stays at the right, with its bullet.
    """
    words = _render_runs(runs)
    if is_right_to_left():
        return f'<{tag}{attributes}><bdi dir="auto">{words}</bdi></{tag}>'
    return f'<{tag} dir="auto"{attributes}>{words}</{tag}>'


def _render_item(part: DocumentPart) -> str:
    number = f' value="{part.level}"' if part.level else ""
    return _render_directed("li", part.runs, number)


def _render_table(part: DocumentPart) -> str:
    rows: list[str] = []
    for number, row in enumerate(part.rows):
        tag = "th" if part.level and number == 0 else "td"
        cells = "".join(_render_directed(tag, cell) for cell in row)
        rows.append(f"<tr>{cells}</tr>")
    return f'<div class="wide"><table>{"".join(rows)}</table></div>'


def _render_runs(runs: Iterable[TextRun]) -> str:
    return "".join(map(_render_run, runs))


def _render_run(run: TextRun) -> str:
    if run.cited:
        return _render_mark(run.cited)
    words = escape(run.text)
    if run.url:
        return render_link(words, document.encode_web_url(run.url))
    return f"<{run.style}>{words}</{run.style}>" if run.style else words


def render_link(words: str, url: str, style: str = "") -> str:
    if not url:
        return words
    name = f' class="{style}"' if style else ""
    return f'<a{name} href="{escape(url)}" rel="noopener noreferrer nofollow">{words}</a>'


def _render_mark(cited: SourceCitation) -> str:
    """Render a citation: a link to its passage, which hover and focus show below."""
    found, source = get_check(cited), cited.source
    words = _("Source {number}, {check}: {title}").format(
        number=source.number, check=found.word, title=get_source_name(source)
    )
    passage = _render_runs(document.build_passage_context(cited, _HOVER_CHARS))
    return (
        f'<span class="cite tone-{found.tone}" id="at-{cited.number}"><a'
        f' href="#cite-{cited.number}"'
        f' aria-label="{escape(words)}">{source.number}{found.symbol}</a><span class="pop"'
        f' aria-hidden="true"><b>{source.number}. {escape(get_source_name(source))}</b><i'
        f' class="checked">{found.symbol} {found.word}</i><q dir="auto">{passage}</q></span></span>'
    )


# -- sources and citations -------------------------------------------------------------------------


def _render_source(source: ReportSource, built: Report) -> str:
    meter = how = why = ""
    if source.parts:
        score = f"{source.parts.score:.2f}"
        meter = f'<meter min="0" max="1" value="{score}" aria-label="{escape(_("Credibility"))}"></meter> '
        how = f'<span class="about">{escape(explain_score(source, built))}</span>'
    if source.relevance:
        explanation = clean_line(source.relevance.explanation)
        why = f'<span class="about">{escape(explanation)}</span>'
    name = f'<bdi dir="auto">{escape(get_source_name(source))}</bdi>'
    title = render_link(name, get_source_url(source), "name")
    facts = f'<span class="about">{meter}{escape(describe_source(source, built))}</span>{how}{why}'
    return f'<li id="source-{source.number}" value="{source.number}">{title}{facts}</li>'


def _render_citation(cited: SourceCitation) -> str:
    found = get_check(cited)
    note = f" {escape(clean_line(cited.sentence.note))}" if cited.sentence.note else ""
    passages = "".join(
        f"<blockquote>{render_passage(passage.text)}</blockquote>" for passage in cited.passages
    )
    source = (
        f'<a href="#source-{cited.source.number}">'
        f"{escape(document.format_cited_source(cited.source))}</a>"
    )
    sentence = f'<span dir="auto">{_render_runs(document.build_sentence_runs(cited))}</span>'
    label = escape(_("Back to the text"))
    back = f'<a href="#at-{cited.number}" aria-label="{label}">↩</a>'
    checked = f'<span class="checked tone-{found.tone}">{found.symbol} {found.word}</span>{note}'
    facts = f'<span class="about">{checked} {source}</span>'
    return (
        f'<li id="cite-{cited.number}" value="{cited.number}">{sentence}'
        f" {back}{facts}{passages}</li>"
    )


def render_passage(passage: str) -> str:
    """Render a whole passage with its line breaks, without empty lines and block marks."""
    return (
        f'<q class="passage" dir="auto">'
        f"{escape(chr(10).join(layout.plain_lines(strip_invisible(passage))))}</q>"
    )


def _render_unused(built: Report) -> str:
    columns = (_("Source"), _("Decision"), _("Credibility"), _("Relevance"), _("Why"))
    head = "".join(f"<th>{words}</th>" for words in columns)
    shown = list_unused_sources(built)[: document.MAX_UNUSED_SOURCES]
    rows = "".join(f"<tr>{_render_unused_row(source)}</tr>" for source in shown)
    table = f'<div class="wide"><table><tr>{head}</tr>{rows}</table></div>'
    omitted = document.describe_omitted(built)
    return f'{table}<p class="small">{omitted}</p>' if omitted else table


def _render_unused_row(source: ReportSource) -> str:
    score = f"{source.parts.score:.2f}" if source.parts else ""
    name = f'<bdi dir="auto">{escape(get_source_name(source))}</bdi>'
    return (
        f"<td>{render_link(name, get_source_url(source))}</td>"
        f"<td>{gettext(VERDICT_STATES[source.status].word)}</td>"
        f'<td class="number">{score}</td>'
        f'<td class="number">{document.format_relevance(source)}</td>'
        f"<td>{escape(clean_line(source.reason))}</td>"
    )
