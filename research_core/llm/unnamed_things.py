"""Find the things that a question names and no source does, and say so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from research_core.i18n import _, put_in_quotes
from research_core.llm.offline_judge import find_unnamed_side
from research_core.llm.quote_bullets import clean_heading
from research_core.model_messages import Json
from research_core.text.comparison_question import find_compared_sides
from research_core.text.question_topic import (
    MIN_SHARE_NAMED,
    find_missing_names,
    find_missing_things,
    find_topic,
    find_unknown_things,
    measure_named,
    names_any,
    names_other_thing,
)
from research_core.text.quotable import Quote
from research_core.text.similarity import word_root
from research_core.text.words import tokenize

#: A question that names so few words is about one thing: nothing answers it if no source names it.
MAX_SHORT_TOPIC = 4


def list_titles(sources: Sequence[Json]) -> tuple[str, ...]:
    """Return the title of each source."""
    return tuple(str(source.get("title", "")) for source in sources)


def drop_other_things(asked: str, found: Sequence[Quote], sources: Sequence[Json]) -> list[Quote]:
    """Drop quotes about another named thing, if no source names the one asked about."""
    if not find_unknown_things(find_topic(asked), list_texts(sources)):
        return list(found)
    return [quote for quote in found if not _is_of_other_thing(asked, quote, sources)]


def list_texts(sources: Sequence[Json]) -> list[str]:
    """Return every title and passage."""
    texts: list[str] = []
    for source in sources:
        texts.append(str(source.get("title", "")))
        texts += [passage["text"] for passage in source["passages"]]
    return texts


#: What stands behind the subject of a title: "Aspirin: uses and dosage | Example Clinic".
_AFTER_SUBJECT = re.compile(r"\s*[|:·»(].*|\s[–—-]\s.*")


def _is_of_other_thing(asked: str, quote: Quote, sources: Sequence[Json]) -> bool:
    """Return whether a quote, its heading or the subject of its page names another rare thing."""
    title = _AFTER_SUBJECT.sub("", str(sources[quote.source].get("title", "")))
    return any(names_other_thing(asked, text) for text in (quote.text, quote.heading, title))


def find_unnamed(
    asked: str, sources: Sequence[Json], body: Sequence[Quote]
) -> tuple[tuple[str, ...], bool]:
    """Return the names of the question that no source holds, and whether none is held at all."""
    topic = find_topic(asked)
    texts = list_texts(sources)
    missing = find_missing_names(topic, texts)
    if not body:
        return missing or (" ".join(topic.names) or asked.strip("? "),), True
    named = max(measure_named(topic, text) for text in texts)
    is_short = len(topic.weights) <= MAX_SHORT_TOPIC
    is_unnamed = bool(missing) and set(missing) == set(topic.names) and named < MIN_SHARE_NAMED
    return missing, is_short and is_unnamed


def find_shown_names(
    asked: str, sources: Sequence[Json], missing: tuple[str, ...], *, is_elsewhere: bool
) -> tuple[str, ...]:
    """Return the missing names to tell of: all if the report is about nothing else, else things."""
    if is_elsewhere:
        return missing
    return find_missing_things(find_topic(asked), list_texts(sources))


def format_missing(names: Sequence[str]) -> str:
    """Say which names no source holds; "" if there are none."""
    if not names:
        return ""
    return _("No source names {names}.").format(names=_join_names(names))


def format_unquoted(names: Sequence[str], texts: Sequence[str]) -> str:
    """Say which key words no quoted sentence has. texts: every title and passage."""
    if not names:
        return ""
    roots = frozenset(map(word_root, tokenize(" ".join(texts))))
    if not any(names_any(name, roots) for name in names):
        return _("No source found mentions {names}.").format(names=_join_names(names))
    told = _("None of the sentences quoted here names {names}.")
    return told.format(names=_join_names(names))


def _join_names(names: Sequence[str]) -> str:
    quoted = [put_in_quotes(clean_heading(name)) for name in names[:3]]
    joined = quoted[0]
    for name in quoted[1:]:
        joined = _("{one} or {other}").format(one=joined, other=name)
    return joined


def find_missing_side(question: str, sources: Sequence[Json]) -> str:
    """Return the compared thing that no source names, or "".

    A page whose title names neither thing may be about that one under another name.
    """
    sides = find_compared_sides(question)
    if sides is None:
        return ""
    for source in sources:
        roots = set(map(word_root, tokenize(str(source.get("title", "")))))
        if roots.isdisjoint(sides.words):
            return ""
    return find_unnamed_side(question, list_texts(sources))


def format_missing_side(name: str) -> str:
    """Say which compared thing no source names; "" if there is none."""
    return _("No source used names “{name}”.").format(name=clean_heading(name)) if name else ""
