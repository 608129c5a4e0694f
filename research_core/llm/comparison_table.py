"""Put the sentences of a comparison side by side: a column for each side, a row for each attribute.

An attribute is named by the heading that two sentences share, or by words that both hold; a row of
two definitions is named so. Sentences are quoted whole, each with its mark in its own cell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.comparison_question import (
    COMPARING_ROOTS,
    ComparedSides,
    find_compared_sides,
)
from research_core.text.direct_answers import defines
from research_core.text.figures import parse_figures
from research_core.text.instructions import find_instructions
from research_core.text.question_topic import find_topic
from research_core.text.quotable import Quote
from research_core.text.quote_choice import choose_quotes
from research_core.text.similarity import content_tokens, rarity, word_root
from research_core.text.words import strip_invisible, tokenize

#: Sentences of a side that are compared, in all and of one source.
MAX_QUOTES, MAX_QUOTES_OF_SOURCE = 12, 6
#: The same if the question asks for no certain attribute, so that any that both share answers it.
MAX_RANKED_QUOTES = 24
#: Rows with a name, and rows without one if no attribute is shared.
MAX_NAMED_ROWS, MAX_NAMELESS_ROWS = 6, 3
#: The rarity of a word from which it can be an attribute (`similarity.rarity`), and what two
#: figures in the same unit add to it.
MIN_ATTRIBUTE_RARITY, SAME_UNIT_WEIGHT = 2.8, 1.0
#: What a shared heading, and two definitions, weigh more than a shared word.
HEADING_WEIGHT, DEFINITION_WEIGHT = 5.0, 10.0
MAX_NAME_WORDS = 4
#: The name of a row of two definitions.
DEFINITION = "Definition"
#: Headings that name no attribute.
_GENERAL_HEADINGS = frozenset(
    map(
        word_root,
        "overview introduction summary background definition description about facts conclusion"
        " contents abstract details history note notes general information advantages disadvantages"
        " pros cons benefits".split(),
    )
)
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True)
class ComparedRow:
    """A sentence about each side, on what `attribute` names; "" if they share no attribute."""

    attribute: str
    cells: tuple[Quote, Quote]


@dataclass(frozen=True)
class _Pair:
    """Two sentences that share an attribute. shared: the roots that name it if `name` is "".

    weight: the rarity of what they share, the larger the more telling.
    """

    weight: float
    one: Quote
    other: Quote
    name: str = ""
    shared: frozenset[str] = frozenset()


def find_compared_rows(question: str, usable: Sequence[Quote]) -> list[ComparedRow]:
    """Return the rows in which both sides of a comparison have a sentence, the best first.

    Rows have no name only if no attribute is shared. Empty if nothing is compared.
    """
    sides = find_compared_sides(question)
    if sides is None:
        return []
    of_sides = []
    for name in sides.names:
        of_sides.append([quote for quote in usable if _find_side(quote, sides) == name])
    is_open = _list_roots(question) <= _list_side_roots(sides) | COMPARING_ROOTS
    ones, others = map(_rank_quotes if is_open else _choose_best, of_sides)
    rows = _choose_rows(_list_pairs(ones, others, sides))
    if not rows:
        nameless = zip(*map(_choose_best, of_sides), strict=False)
        return [ComparedRow("", cells) for cells in nameless][:MAX_NAMELESS_ROWS]
    return sorted(rows, key=_rank_row)


def _choose_best(quotes: Sequence[Quote]) -> list[Quote]:
    """Return the best sentences of one side.

    They are chosen among themselves, as those about both sides fit the question better than any.
    """
    return choose_quotes(quotes, MAX_QUOTES, per_source=MAX_QUOTES_OF_SOURCE)


def _rank_row(row: ComparedRow) -> tuple[float, int]:
    one, other = row.cells
    return -one.score - other.score, one.order


def _rank_quotes(quotes: Sequence[Quote]) -> list[Quote]:
    """Return the best of the quotes, each wording once, best first."""
    first_copies: dict[str, Quote] = {}
    for quote in sorted(quotes, key=lambda quote: (-quote.score, quote.order)):
        first_copies.setdefault(quote.text.casefold(), quote)
    return list(first_copies.values())[:MAX_RANKED_QUOTES]


def format_comparison_table(question: str, rows: Sequence[ComparedRow]) -> str:
    """Return the rows as a Markdown table; "" if there are none."""
    sides = find_compared_sides(question)
    if sides is None or not rows:
        return ""
    heads = [_format_name(name) for name in sides.names]
    lines = [heads, ["---"] * len(heads)]
    for row in rows:
        lines.append([f"{_escape(quote.text)} [{quote.passage}]" for quote in row.cells])
    if any(row.attribute for row in rows):
        names = ["", "---", *(_format_name(row.attribute) for row in rows)]
        lines = [[name, *cells] for name, cells in zip(names, lines, strict=True)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _escape(text: str) -> str:
    return text.replace("|", r"\|")


def _format_name(text: str) -> str:
    """Return a name for a cell, with a capital and without the signs that Markdown reads."""
    plain = " ".join(re.sub(r"[\[\]<>#*_`|\\]", " ", text).split())
    return plain[:1].upper() + plain[1:]


# ---------------------------------------------------------------- sides


def _find_side(quote: Quote, sides: ComparedSides) -> str:
    """Return the side whose column a quote belongs in, or "".

    It must be a whole sentence, and its label may say no more than the column does.
    """
    if not quote.firm:
        return ""
    label = _list_roots(quote.label)
    if not label <= _list_side_roots(sides):
        return ""
    roots = _list_roots(quote.text)
    return sides.alone(roots) or ("" if _names_any(roots, sides) else sides.alone(label))


def _names_any(roots: Collection[str], sides: ComparedSides) -> bool:
    return any(word in roots for word in sides.words)


def _list_side_roots(sides: ComparedSides) -> frozenset[str]:
    return _list_roots(" ".join(sides.names))


@lru_cache(maxsize=1_000)
def _list_roots(text: str) -> frozenset[str]:
    return frozenset(map(word_root, content_tokens(text)))


# ---------------------------------------------------------------- attributes


def _list_pairs(
    ones: Sequence[Quote], others: Sequence[Quote], sides: ComparedSides
) -> list[_Pair]:
    """List the pairs of sentences that share an attribute, the most telling first."""
    ignored = _list_side_roots(sides)
    pairs = []
    for one in ones:
        for other in others:
            pair = (
                _pair_definitions(one, other, sides)
                or _pair_by_heading(one, other, ignored)
                or _pair_by_words(one, other, ignored)
            )
            if pair:
                pairs.append(pair)
    return sorted(pairs, key=lambda pair: (-pair.weight, pair.one.order, pair.other.order))


def _choose_rows(pairs: Sequence[_Pair]) -> list[ComparedRow]:
    """Choose pairs in order, each sentence and each attribute once.

    Where pages themselves put two attributes side by side, only those and definitions are rows.
    """
    if len({pair.name for pair in pairs} - {"", DEFINITION}) > 1:
        pairs = [pair for pair in pairs if pair.name]
    chosen: list[ComparedRow] = []
    used: list[Quote | str] = []
    for pair in pairs:
        if pair.one in used or pair.other in used:
            continue
        name = pair.name or _find_common_phrase(pair.one.text, pair.other.text, pair.shared)
        if name.lower() not in used:
            chosen.append(ComparedRow(name, (pair.one, pair.other)))
            used += (pair.one, pair.other, name.lower())
        if len(chosen) == MAX_NAMED_ROWS:
            break
    return chosen


def _pair_definitions(one: Quote, other: Quote, sides: ComparedSides) -> _Pair | None:
    """Return the pair if each sentence says what its side is."""
    for quote, name in zip((one, other), sides.names, strict=True):
        if not _defines_side(quote.text, name):
            return None
    weight = DEFINITION_WEIGHT + _weigh_shared(one, other, _list_side_roots(sides))
    return _Pair(weight, one, other, DEFINITION)


@lru_cache(maxsize=1_000)
def _defines_side(text: str, name: str) -> bool:
    return defines(text, find_topic(f"What is {name}?"))


def _pair_by_heading(one: Quote, other: Quote, ignored: frozenset[str]) -> _Pair | None:
    """Return the pair if both stand under a heading of the same words.

    The sides' names, and words that only compare ("How the two differ"), do not count.
    """
    names = []
    ignored = ignored | COMPARING_ROOTS
    for quote in (one, other):
        own = [word for word in content_tokens(quote.heading) if word_root(word) not in ignored]
        names.append(own)
    roots = [frozenset(map(word_root, own)) for own in names]
    if not roots[0] or roots[0] != roots[1] or roots[0] <= _GENERAL_HEADINGS:
        return None
    attribute = strip_invisible(" ".join(names[0][:MAX_NAME_WORDS]))
    if find_instructions(strip_invisible(one.heading)) or find_instructions(attribute):
        return None
    return _Pair(HEADING_WEIGHT + _weigh_shared(one, other, ignored), one, other, attribute)


def _pair_by_words(one: Quote, other: Quote, ignored: frozenset[str]) -> _Pair | None:
    """Return the pair if both sentences hold a word that can be an attribute."""
    shared = _list_attributes(one.text, ignored) & _list_attributes(other.text, ignored)
    if not shared:
        return None
    rarest = max(map(rarity, shared)) + SAME_UNIT_WEIGHT * _share_unit(one, other)
    if rarest < MIN_ATTRIBUTE_RARITY:
        return None
    return _Pair(_weigh_shared(one, other, ignored), one, other, shared=shared)


def _weigh_shared(one: Quote, other: Quote, ignored: frozenset[str]) -> float:
    """Return the weight of the words that two sentences share."""
    shared = _list_attributes(one.text, ignored) & _list_attributes(other.text, ignored)
    weight = sum(rarity(root) for root in sorted(shared))
    return round(weight + SAME_UNIT_WEIGHT * _share_unit(one, other), 6)


@lru_cache(maxsize=1_000)
def _list_attributes(text: str, ignored: frozenset[str]) -> frozenset[str]:
    """List the roots that can name an attribute: neither sides nor figures with their units."""
    content = set(content_tokens(text))
    roots = []
    before = ""
    for token in tokenize(text):
        is_figure = bool(_NUMBER.search(token) or _NUMBER.search(before))
        if token in content and not is_figure and word_root(token) not in ignored:
            roots.append(word_root(token))
        before = token
    return frozenset(roots)


def _share_unit(one: Quote, other: Quote) -> bool:
    return not _list_units(one.text).isdisjoint(_list_units(other.text))


@lru_cache(maxsize=1_000)
def _list_units(text: str) -> frozenset[str]:
    return frozenset(figure.unit for figure in parse_figures(text) if figure.unit)


def _find_common_phrase(one: str, other: str, shared: frozenset[str]) -> str:
    """Return the words of `one` that say what both are about: a phrase of both, or the rarest word.

    shared: the roots that can name it.
    """
    tokens = tokenize(one)
    roots = [word_root(token) for token in tokens]
    other_roots = [word_root(token) for token in tokenize(other)]
    best, best_weight = range(0), 0.0
    for start, root in enumerate(roots):
        for place, other_root in enumerate(other_roots):
            if root != other_root or root not in shared:
                continue
            run = _extend_run(roots[start:], other_roots[place:], shared)
            named = shared.intersection(roots[start : start + run])
            weight = round(sum(map(rarity, sorted(named))), 6)
            if weight > best_weight:
                best, best_weight = range(start, start + run), weight
    words = [re.escape(tokens[index]) for index in best]
    match = re.search(r"\W+".join(words), one, re.IGNORECASE)
    return match[0] if match else ""


def _extend_run(one: Sequence[str], other: Sequence[str], shared: Collection[str]) -> int:
    """Return how many words two texts begin with in common, up to the last shared one."""
    length = 0
    for count, (root, other_root) in enumerate(zip(one, other, strict=False), 1):
        if root != other_root or count > MAX_NAME_WORDS:
            break
        if root in shared:
            length = count
    return length
