"""Choose the quotations of a report's summary, a direct answer first."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from research_core.llm.quote_bullets import remove_signs
from research_core.text.asked_facets import Facet
from research_core.text.asked_fillers import find_asked_fillers
from research_core.text.direct_answers import answers_directly, restates_question
from research_core.text.quotable import Quote
from research_core.text.quote_choice import BEHIND_FILLER
from research_core.text.quote_labels import NUMBER_LEAD
from research_core.text.similarity import content_tokens, word_root

#: The least items of a list whose items other sentences may be on, the most words of one, and the
#: first words of a sentence, among which its subject stands.
MIN_LISTED, MAX_ITEM_WORDS, MAX_SUBJECT_WORDS = 3, 8, 5
#: The faults that a sentence on an item may have: its section need not be on the side asked about.
ON_ITEM_FAULTS = frozenset({"of another side"})
#: How much worse than the best sentence one of the summary may be, where meaning is compared.
MAX_BEHIND_FIRST = 0.2
#: How far below the best sentence's score a direct answer may be and still come first.
MAX_BEHIND_DIRECT = 0.1


def find_first_side(quote: Quote, sides: Sequence[Facet]) -> str:
    """Return the title of the first of these sides that a sentence tells of, or ""."""
    return next((side.title for side in sides if side.is_told(quote.text)), "")


def _begin_with_sides(ranked: Sequence[Quote], sides: Sequence[Facet]) -> list[Quote]:
    """Return the sentences, behind the first, with the best one on each other side first."""
    told = {side.title for quote in ranked[:1] for side in sides if side.is_told(quote.text)}
    first = list(ranked[:1])
    rest: list[Quote] = []
    for quote in ranked[1:]:
        side = find_first_side(quote, [each for each in sides if each.title not in told])
        (first if side else rest).append(quote)
        told.add(side)
    return [*first, *rest]


def choose_summary(
    body: Sequence[Quote],
    shown: int,
    asked: str,
    synonyms: Collection[str],
    sides: Sequence[Facet] = (),
    others: Sequence[Quote] = (),
) -> list[Quote]:
    """Choose the best sentences, a direct answer first: at most half of the body, or two.

    A first sentence that ends with a list is followed by sentences on its items, also by some of
    the others, which are not in the body.

    Those on the side asked about come before others; where several sides are, the best on each of
    them comes before a second one on any.

    Only sentences near the best count: in meaning, or in question words; by words a source gives
    more than one only to reach three.
    """
    if not body:
        return []
    by_meaning = any(quote.near is not None for quote in body)
    if by_meaning:
        least = max(quote.score for quote in body) - MAX_BEHIND_FIRST
        if any(quote.fills for quote in body):
            least -= BEHIND_FILLER
        ranked = [quote for quote in body if quote.score >= least]
        most = min(shown, max(2, (len(body) + 1) // 2))
    else:
        best = max(quote.own for quote in body)
        near = [quote for quote in body if quote.own >= 0.5 * best]
        first_of_source: dict[int, Quote] = {}
        for quote in near:
            first_of_source.setdefault(quote.source, quote)
        firsts = list(first_of_source.values())
        ranked = sorted(near, key=lambda quote: (quote not in firsts, body.index(quote)))
        most = min(shown, max(3, len(firsts)), (len(body) + 1) // 2)
    said_anew = [quote for quote in ranked if not restates_question(asked, quote.text_with_subject)]
    ranked = sorted(said_anew or ranked, key=lambda quote: not quote.is_on_side)
    first_score = max((quote.score for quote in ranked), default=0.0)
    direct = [
        quote
        for quote in ranked
        if quote.score >= first_score - MAX_BEHIND_DIRECT
        and answers_directly(asked, quote.text_with_subject, synonyms)
    ]
    filling = _find_first_filling(ranked)
    if direct and not filling:
        ranked = [direct[0], *(quote for quote in ranked if quote != direct[0])]
    if len(sides) > 1 and not filling:
        ranked = _begin_with_sides(ranked, sides)
    if filling:
        ranked = [*filling, *(quote for quote in ranked if quote not in filling)]
        most = max(most, len(filling))
    first = ranked[0]
    beside = [quote for quote in (*body, *others) if quote.order != first.order]
    if by_meaning and (items := _find_on_items(first, beside)):
        ranked = [first, *items, *(quote for quote in ranked[1:] if quote not in items)]
        most = max(most, min(shown, 1 + len(items)))
    return ranked[: max(1, most)]


def begin_with_first_part(
    summary: Sequence[Quote], body: Sequence[Quote], question: str
) -> list[Quote]:
    """Return the summary behind the best sentence on the first part, if that asks for no filler.

    "What causes it, and how long does it last?" is answered in this order.
    """
    parts = find_asked_fillers(question)
    if not parts or parts[0].name:
        return list(summary)
    others = [quote for quote in body if not quote.fills]
    if not others or not summary or not summary[0].fills:
        return list(summary)
    first = min(others, key=lambda quote: (-quote.score, quote.order))
    return [first, *(quote for quote in summary if quote != first)]


def _find_first_filling(ranked: Sequence[Quote]) -> list[Quote]:
    """Return the best sentence for each part of the question that some fill, in their order."""
    filling: list[Quote] = []
    for part in sorted({number for quote in ranked for number in quote.fills}):
        if not any(part in quote.fills for quote in filling):
            filling.append(next(quote for quote in ranked if part in quote.fills))
    return filling


#: "The three options are surgery, chemotherapy and radiation": the items of a list at the end of a
#: sentence.
_LIST_AT_END = re.compile(
    r"(?:\b(?:are|is|include|includes|including|namely)\b:?|:) (?P<items>[^.:]{8,300})\.?$",
    re.IGNORECASE,
)
#: Between the items of a list, and of one with "and" in the place of its last comma.
_BETWEEN_ITEMS = re.compile(r"[,;] (?:and |or )?")
_BETWEEN_WORDS = re.compile(r"[,;] (?:and |or )?| (?:and|or) ")


def _find_on_items(first: Quote, body: Sequence[Quote]) -> list[Quote]:
    """Return the best sentence on each item of a list that a sentence ends with, in its order.

    Its subject must be the item: one that names several of them lists them again.
    """
    items = _list_items(first.text)
    roots = [frozenset(map(word_root, content_tokens(item))) for item in items]
    found: list[Quote] = []
    for item in filter(None, roots):
        others = [other for other in roots if other and other != item]
        named = [
            quote
            for quote in body
            if quote not in (first, *found) and _is_on_item(quote, item, others)
        ]
        if named:
            found.append(min(named, key=lambda quote: (-quote.score, quote.order)))
    return found


def label_by_heading(usable: Sequence[Quote]) -> list[Quote]:
    """Return the sentences that may be on an item of a list, each labelled with its heading."""
    return [
        replace(quote, label=NUMBER_LEAD.sub("", remove_signs(quote.heading)))
        for quote in usable
        if ON_ITEM_FAULTS.issuperset(quote.faults)
    ]


def _list_items(sentence: str) -> list[str]:
    """Return the items of the list that a sentence ends with; [] for few or long ones."""
    match = _LIST_AT_END.search(sentence)
    if match is None:
        return []
    items = _BETWEEN_ITEMS.split(match["items"])
    if len(items) < MIN_LISTED:
        items = _BETWEEN_WORDS.split(match["items"])
    if len(items) < MIN_LISTED or any(len(item.split()) > MAX_ITEM_WORDS for item in items):
        return []
    return items


def _is_on_item(quote: Quote, item: frozenset[str], others: Sequence[frozenset[str]]) -> bool:
    """Return True if the subject of a sentence, or its heading, is the item and no other one."""
    opening = " ".join(quote.text.split()[:MAX_SUBJECT_WORDS])
    for text in (opening, quote.heading):
        held = frozenset(map(word_root, content_tokens(text)))
        if item <= held and not any(other <= held for other in others):
            return True
    return False
