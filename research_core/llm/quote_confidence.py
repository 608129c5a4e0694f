"""Format the confidence assessment of an extractive report: what was quoted and what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from research_core.i18n import (
    EARLIER_ENGLISH,
    _,
    current_language,
    join_clauses,
    join_list,
    ngettext,
    put_in_quotes,
)
from research_core.llm.offline_planner import find_uncovered_words
from research_core.llm.quote_bullets import (
    clean_label,
    flatten_text,
    format_bullets,
    format_source_heading,
)
from research_core.llm.quote_themes import asks_all, format_theme_heading
from research_core.llm.unnamed_things import list_titles
from research_core.model_messages import Json
from research_core.text.quotable import Quote
from research_core.text.sentences import find_sentences
from research_core.text.words import tokenize, truncate
from research_core.trust import copies

#: Characters of the reason for which a source was left out: what it has, and what it lacks.
MAX_DROPPED_REASON_LENGTH = 240
#: The beginning of a citation.
_MARK = re.compile(r"\[p[0-9a-f]{8}\b")


def format_sections_confidence(
    inputs: Json, summary: Sequence[Quote], found: Sequence[Quote]
) -> str:
    """Format the confidence assessment of a report in sections."""
    sources = inputs["sources"]
    text = "\n".join(section["text"] for section in inputs["sections"])
    cited = [
        number
        for number, source in enumerate(sources)
        if any(passage["id"] in text for passage in source["passages"])
    ]
    if inputs["notice"] != "report":
        if len(cited) == len(sources) > 1:
            words = _("The sections cite all {sources}.")
        else:
            words = _("The sections cite {cited} of the {sources}.")
        return f"- {words.format(cited=len(cited), sources=_count_sources(len(sources)))}"
    lines = [*text.splitlines(), *format_bullets(summary).splitlines()]
    sentences = {line for line in lines if _MARK.search(line)}
    cited += [quote.source for quote in summary]
    themes = []
    for question, section in zip(inputs["sub_questions"], inputs["sections"], strict=True):
        if _MARK.search(section["text"]):
            themes.append((format_theme_heading(question), list(found)))
    same = find_same_text(sources)
    count = count_quotes(len(sentences), cited, sources, found, same)
    return format_confidence(inputs, count, themes, same, "")


def count_quotes(
    sentences: int,
    cited: Iterable[int],
    sources: Sequence[Json],
    found: Sequence[Quote],
    same: Mapping[int, int],
) -> str:
    """Say how many sentences are quoted, from how many sources and how they were chosen.

    cited: numbers of the sources, from 0; those of one text count once. same: of `find_same_text`.
    """
    quoted = {same.get(number, number) for number in cited}
    by_meaning = any(quote.near is not None for quote in found)
    total = len(sources) - len(same)
    if len(quoted) == total:
        words = ngettext(
            "{count:,} sentence is quoted from the {sources} kept.",
            "{count:,} sentences are quoted from the {sources} kept.",
            sentences,
        )
    else:
        words = ngettext(
            "{count:,} sentence is quoted from {quoted} of the {sources} kept.",
            "{count:,} sentences are quoted from {quoted} of the {sources} kept.",
            sentences,
        )
    return words.format(
        count=sentences,
        quoted=len(quoted),
        sources=_count_sources(total),
        # The wording of older reports has it.
        how=_("meaning, words and form") if by_meaning else _("words and form"),
    )


def _count_sources(count: int) -> str:
    return ngettext("{count:,} source", "{count:,} sources", count).format(count=count)


def format_confidence(
    inputs: Json,
    count: str,
    themes: Sequence[tuple[str, list[Quote]]],
    same: Mapping[int, int],
    unnamed_side: str,
) -> str:
    """Format the bullets of the confidence assessment.

    count: of `count_quotes`. same: of `find_same_text`. unnamed_side: what the summary names.
    """
    sources = inputs["sources"]
    lines = [count]
    if same:
        not_counted = ngettext(
            "{count:,} source was not counted: same text as another source.",
            "{count:,} sources were not counted: same text as another source.",
            len(same),
        )
        lines.append(not_counted.format(count=len(same)))
    passages = []
    for source in sources:
        title = source.get("title", "")
        passages += [f"{title} {passage['text']}" for passage in source["passages"]]
    missing = find_uncovered_words(inputs["question"], passages)
    others = [word for word in missing if word.lower() not in tokenize(unnamed_side)]
    if others:
        quoted = join_list([put_in_quotes(word) for word in others])
        lines.append(_("No source has these words of the question: {words}.").format(words=quoted))
    elif not missing:
        lines.append(_("Every keyword of the question occurs in the sources."))
    titles = {title for title, _ in themes}
    silent = []
    for question in inputs["sub_questions"]:
        heading = format_theme_heading(question)
        if heading and heading not in titles and not asks_all(question):
            silent.append(heading)
    if silent:
        nothing_more = _(
            "These parts of the question have no section of their own; the summary may answer"
            " them: {questions}"
        )
        lines.append(nothing_more.format(questions=" ".join(silent)))
    if inputs["dropped"]:
        lines.append(_format_dropped(inputs["dropped"]))
    return "\n".join(f"- {line}" for line in lines)


def find_same_text(sources: Sequence[Json]) -> dict[int, int]:
    """Return {index of a source: index of an earlier source with the same passages}."""
    prints = {}
    for number, source in enumerate(sources):
        text = "\n".join(passage["text"] for passage in source["passages"])
        prints[str(number)] = copies.fingerprint_text(text)
    titles = {str(number): title for number, title in enumerate(list_titles(sources))}
    same = copies.map_copies(copies.group_copies(prints, titles=titles))
    return {int(copy): int(first) for copy, first in same.items()}


def _shorten_explanation(text: str) -> str:
    """Return the whole sentences of an explanation that fit, without the last stop.

    A first sentence that is too long is cut between words.
    """
    plain = flatten_text(text)
    ends = [end for _start, end in find_sentences(plain) if end <= MAX_DROPPED_REASON_LENGTH]
    if ends:
        return plain[: ends[-1]].rstrip(".。 ")
    shown = truncate(plain, MAX_DROPPED_REASON_LENGTH)
    return re.sub(r"[\s.,;:、，；：]+…$", "…", shown)


def _name_source(source: Json) -> str:
    """Return the title of a source as the list of sources has it, if it addresses no machine."""
    title = clean_label(str(source.get("title", "")))
    if not title or current_language() == EARLIER_ENGLISH:
        return format_source_heading(source)
    return title


def _format_dropped(dropped: Sequence[Json]) -> str:
    shown = []
    for source in dropped[:5]:
        explanation = _shorten_explanation(str(source["explanation"]))
        why = f" ({explanation})" if explanation else ""
        shown.append(f"{put_in_quotes(_name_source(source))}{why}")
    if len(dropped) > 5:
        shown.append(_("and {count} more").format(count=len(dropped) - 5))
    return ngettext(
        "{count:,} source was left out: {sources}.",
        "{count:,} sources were left out: {sources}.",
        len(dropped),
    ).format(count=len(dropped), sources=join_clauses(shown))
