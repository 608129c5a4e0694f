"""Format quotations as bullets, each behind the label that says what it is about.

Labels and headings are cleaned of the signs that Markdown or a citation mark reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from research_core.i18n import _, join_clauses
from research_core.model_messages import Json
from research_core.text.asked_facets import ALL_FACETS, find_asked_facets
from research_core.text.instructions import find_instructions
from research_core.text.question_topic import (
    find_added_names,
    find_topic,
    list_asked_titles,
    names_part,
)
from research_core.text.quotable import Quote, points_back
from research_core.text.quote_faults import NARROWER, find_introduced_thing, find_narrowing
from research_core.text.quote_labels import clean_title, describe_section
from research_core.text.quote_ratings import stands_in_asked_section
from research_core.text.sentences import find_sentences
from research_core.text.topic_naming import find_label
from research_core.text.words import strip_invisible, truncate

#: Characters of a heading.
MAX_HEADING_LENGTH = 90


def add_label(
    quote: Quote, asked: str, sources: Sequence[Json], synonyms: Collection[str]
) -> Quote:
    """Return the quote with what says what it is about, unless it does so itself."""
    title = str(sources[quote.source].get("title", ""))
    label = describe_section(quote.heading)
    if not label and (quote.subject or stands_in_asked_section(asked, quote)):
        label = clean_title(quote.heading) or quote.subject
    if not label and points_back(quote.text, asked):
        label = find_introduced_thing(quote, title)
    if not label:
        label = find_label(find_topic(asked), quote.text, quote.heading, title, synonyms)
    titles = [str(source.get("title", "")) for source in sources]
    if NARROWER in quote.faults and find_added_names(asked, title, synonyms):
        label = clean_title(title)
    if not label and names_part(quote.text, title, list_asked_titles(asked, titles)):
        label = clean_title(title)
    narrowing = find_narrowing(asked, quote.heading, quote.text)
    if narrowing and narrowing.lower() not in label.lower():
        named = clean_title(quote.heading)
        # A heading cut to what the label says has lost the words that narrow the text.
        named = narrowing if named in ("", label) else named
        label = join_clauses(filter(None, [label, named]))
    shown = clean_label(_drop_other_section(label, asked, titles))
    # A quote with a subject has it as its label, in place of the pronoun it begins with.
    is_titled = not quote.subject and shown == clean_label(clean_title(title))
    return replace(quote, label=shown, is_titled=is_titled)


#: "Breast cancer (Symptoms)": a title with the name of a section.
_SECTION_IN_LABEL = re.compile(r"(?P<name>.{2,}?) \((?P<section>[^()]+)\)$")


def _drop_other_section(label: str, asked: str, titles: Sequence[str]) -> str:
    """Return a label without the side of its thing in brackets, if another side is asked about."""
    match = _SECTION_IN_LABEL.fullmatch(label)
    facets = find_asked_facets(asked, tuple(titles))
    if match is None or not facets:
        return label
    is_other = any(facet.named.search(match["section"]) for facet in ALL_FACETS)
    if any(facet.named.search(match["section"]) for facet in facets) or not is_other:
        return label
    return match["name"]


def format_bullets(chosen_quotes: Sequence[Quote], heading: str = "") -> str:
    """Format quotes as bullets; a label that the heading above them says already is left out.

    A page's title says that it is one: it must not read like a finding of the report.
    """
    lines = []
    for quote in chosen_quotes:
        is_said = quote.label.casefold() in heading.casefold()
        name = _("From “{title}”").format(title=quote.label) if quote.is_titled else quote.label
        label = f"*{name}:* " if quote.label and not is_said else ""
        lines.append(f"- {label}{_cite(quote)}")
    return "\n".join(lines)


def _cite(quote: Quote) -> str:
    """Return a quote with its mark; the lead-in of a list may be two sentences, each with one."""
    spans = find_sentences(quote.text) if quote.is_list else [(0, len(quote.text))]
    return " ".join(f"{quote.text[start:end]} [{quote.passage}]" for start, end in spans)


def clean_label(text: str) -> str:
    """Return one line for a label; "" if it addresses a machine."""
    if not text or find_instructions(strip_invisible(text)):
        return ""
    return remove_signs(text).rstrip(" .:")


def clean_heading(text: str) -> str:
    """Return one line for a heading, without the signs that Markdown or a citation mark reads."""
    return remove_signs(text) or _("Further findings")


def remove_signs(text: str) -> str:
    """Return a heading or a label on one line, without the signs of Markdown, cut to its length."""
    return truncate(flatten_text(text), MAX_HEADING_LENGTH)


def flatten_text(text: str) -> str:
    """Return one line without the signs that Markdown or a citation mark reads."""
    return " ".join(re.sub(r"[\[\]<>#*_`|\\]", " ", strip_invisible(text)).split())


def format_source_heading(source: Json) -> str:
    """Return the title of a source as a heading; a neutral one if it addresses a machine."""
    title = str(source.get("title", ""))
    if find_instructions(strip_invisible(title)):
        return clean_heading("")
    return clean_heading(clean_title(title) or title)
