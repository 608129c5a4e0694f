"""Choose the sentences of passages that can be quoted.

A sentence is quoted whole: only white space is folded, and an item number before it and footnote
marks behind it are removed. Headings, table rows and code are no sentences. The choice goes by form
and words alone and is deterministic.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from research_core.model_messages import Json
from research_core.text.blocks import parse_blocks
from research_core.text.instructions import find_instructions
from research_core.text.question import QUESTION_WORDS
from research_core.text.sentences import find_sentences
from research_core.text.words import stem, tokenize

#: Sentences more alike than this say the same.
MAX_LIKENESS = 0.8
WORD_LIMITS = (6, 60)
BEST_WORDS = (10, 40)
#: The weight of the words of the passage and the title.
CONTEXT_WEIGHT = 0.3
#: First words that refer to the sentence before.
LEANING_WORDS = frozenset(
    """
        it its it's they them their he him his she her this that these those such here there then
        thus hence so but and or nor yet also however therefore moreover furthermore meanwhile
        instead otherwise similarly likewise additionally consequently nevertheless nonetheless
        still besides both neither we our i my
    """.split()
)
_LEANING_PHRASE = re.compile(
    r"(?:for (?:example|instance)|in (?:addition|contrast|turn|this|that|these|both)"
    r"|as (?:a result|such)|the (?:former|latter|same)"
    r"|on the other hand|at the same time|because of this"
    r"|(?:each|some|most|many|all|none|one|others?|another|several)"
    r" (?:of (?:them|these|those)|has|have|had|is|are|was|were|does|do|did|can|may|will))\b"
)
_ENDS = re.compile(r"[.!…\u3002\uff01\u0964\u06d4][\"'”’»)\]*_]*$")
_NON_STATEMENT_ENDS = ("?", ":", "…", "\uff1f", "\uff1a", "\u061f")
#: What no prose sentence has: navigation, addresses, markup, run-together lists, references.
_NAVIGATION = re.compile(
    r"[|»→•·©\u203a]|https?://|www\.|\S+@\S+\.\w|[{}<>\\]|\.{3,}\s|(?:\w+\s/\s){2}|:\s-\s"
    r"|\s-\s.*\s-\s|\?:|(?:[A-Z][a-z]+ [A-Z]{1,2}, ){2}"
)
_BOILERPLATE = re.compile(
    r"\b(?:cookies?|subscribe|newsletter|log ?in|sign ?(?:in|up)|click here|read more"
    r"|all rights reserved|privacy policy|terms of (?:use|service)|share this|skip to"
    r"|advertisement)\b",
    re.IGNORECASE,
)
#: Words to a machine that reads the page, not to a person.
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}"
    r"\b(?:instructions?|prompts?|rules|guidelines)\b"
    r"|\bsystem prompt\b|\brelevance score\b"
    r"|\b(?:do not|don't|never) (?:mention|reveal|cite)\b"
    r"|\b(?:as|you are) an? (?:ai|language model|assistant)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\d{1,3}[.)]\s")
_FOOTNOTES = re.compile(r"(?:\s?\[(?:\d{1,3}|[a-z]|citation needed)\])+$")
#: Would be read as one of our own citation marks.
_CITATION_MARK = re.compile(r"\[[\s\W]*(?:p[0-9a-z]{1,16}|\d{1,3})\s*[\],;]", re.IGNORECASE)
#: A sentence about its own page, and one in which the author speaks.
_ABOUT_ITSELF = re.compile(
    r"\b(?:this|our) (?:\w+ )?"
    r"(?:guide|article|page|post|report|site|blog|section|chapter|document|paper)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:we|us|our|my)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Quote:
    """One sentence of one passage.

    `source` and `order` are the positions of its source and of itself, from 0. `firm`: it stands by
    itself. `own`: the share of the question's words that it holds, 0 to 1, weighted by rarity.
    `score`: that share and what else speaks for it, 0 to about 1.4.
    """

    text: str
    passage: str
    source: int
    order: int
    firm: bool
    own: float = 0.0
    score: float = 0.0

    @cached_property
    def words(self) -> Counter[str]:
        """Return the counts of its stemmed content words."""
        return Counter(stem(word) for word in tokenize(self.text) if word not in QUESTION_WORDS)

    @cached_property
    def length(self) -> float:
        """Return the Euclidean length of its word counts."""
        return math.sqrt(sum(count * count for count in self.words.values()))


def find_quotes(question: str, sources: Sequence[Json]) -> list[Quote]:
    """Return every quotable sentence, scored; non-firm ones only if a source has no firm one."""
    found: list[Quote] = []
    heads: list[str] = []
    for number, source in enumerate(sources):
        for passage in source["passages"]:
            head = f"{source.get('title', '')} {passage['text']}"
            for text in _quotable_sentences(passage["text"]):
                if not can_be_quoted(text):
                    continue
                quote = Quote(text, passage["id"], number, len(found), stands_alone(text))
                found.append(quote)
                heads.append(head)
    scored = _score_quotes(question, found, heads)
    sources_with_firm = {quote.source for quote in scored if quote.firm}
    return [quote for quote in scored if quote.firm or quote.source not in sources_with_firm]


def _quotable_sentences(passage: str) -> Iterator[str]:
    """Yield the sentences of paragraphs and lists.

    Of a block that addresses a machine, nothing from that place on is yielded.
    """
    layout = parse_blocks(passage)
    orders = find_instructions(passage)
    block = 0
    for start, end in find_sentences(passage):
        while layout[block].end <= start:
            block += 1
        if layout[block].kind not in ("paragraph", "list"):
            continue
        block_start = layout[block].start
        if any(order.start < end and order.end > block_start for order in orders):
            continue
        text = " ".join(passage[start:end].split())
        if layout[block].kind == "list":
            text = _NUMBER.sub("", text)
        yield _FOOTNOTES.sub("", text)


#: "Claim checked: '…'" repeats what somebody else said; the verdict is elsewhere.
_LABELLED_CLAIM = re.compile(r"^[A-Z][\w ]{0,40}: ?[\"“‘'][^\"”’]*[\"”’']\W*$")


def can_be_quoted(text: str) -> bool:
    """Return whether a text is a sentence of usable length that can be quoted.

    Questions, navigation, boilerplate and orders to a machine cannot.
    """
    if not WORD_LIMITS[0] <= len(text.split()) <= WORD_LIMITS[1]:
        return False
    if text.rstrip("\"'”’»)]*_ ").endswith(_NON_STATEMENT_ENDS):
        return False
    for pattern in (_NAVIGATION, _BOILERPLATE, _ORDERS, _CITATION_MARK, _LABELLED_CLAIM):
        if pattern.search(text):
            return False
    return not find_instructions(text)


def stands_alone(text: str) -> bool:
    """Return whether a sentence begins and ends as one and does not point back."""
    opening = text.lstrip("\"'“‘«([*_")
    head = opening[:1]
    if not (head.isupper() or head.isdigit() or not head.isascii()):
        return False
    words = tokenize(opening)
    if words and words[0] in LEANING_WORDS:
        return False
    return bool(_ENDS.search(text)) and not _LEANING_PHRASE.match(opening.lower())


#: "The song" followed by a verb does not say which song.
_BARE_NOUN = re.compile(
    r"The (?P<noun>[a-z][\w'’-]*) (?:also |then |first |later |still |now )?"
    r"(?:was|is|were|are|has|had|have|will|can|could|would|may|might|must|should|did|does|do"
    r"|became|began|came|took|made|went|ran|sold|held|won|lost|rose|fell|grew|gave|\w{2,}ed)\b"
)
#: A short opening and a pronoun ("In 2025 it holds"), and "Written in 1941 by" without a subject.
_THEN_IT = re.compile(
    r"(?:In|By|At|On|For|Since|During|After|Before|Until|From|With|As of)"
    r" (?:[^\s,]+ ){0,2}[^\s,]+,? (?:it|they|he|she)\b"
)
_NO_SUBJECT = re.compile(
    r"(?:[A-Z]\w+(?:ed|en)|Built|Made|Set|Held|Sung|Found|Known|Born|Sold|Told|Shot|Led|Won)"
    r" (?:in|by|for|at|on|as|from|with)\b"
)
_SUBJECT = re.compile(
    r", (?:the|a|an|its|their|his|her|this|these|it|they|he|she|we|[A-Z0-9]\S*)\s"
)


def points_back(text: str, question: str) -> bool:
    """Return whether a sentence that looks complete does not say what it is about.

    Examples: "The song was …", "In 2025 it …", "Written in …". A noun that the question uses is
    known.
    """
    opening = text.lstrip("\"'“‘«([*_")
    bare = _BARE_NOUN.match(opening)
    if bare is not None and bare["noun"] not in tokenize(question):
        return True
    if _THEN_IT.match(opening):
        return True
    return bool(_NO_SUBJECT.match(opening)) and not _SUBJECT.search(opening)


def _score_quotes(question: str, found: list[Quote], heads: list[str]) -> list[Quote]:
    """Return the quotes scored against the question's words.

    Words of the sentence count fully, words of its passage and title in part.
    """
    asked = dict.fromkeys(stem(word) for word in tokenize(question) if word not in QUESTION_WORDS)
    weights: dict[str, float] = {}
    for word in asked:
        count = sum(word in quote.words for quote in found)
        if count:
            weights[word] = 1 + math.log(1 + len(found) / (1 + count))
    total = sum(weights.values()) or 1.0

    def share(held: Collection[str]) -> float:
        return round(sum(weight for word, weight in weights.items() if word in held) / total, 6)

    around: dict[str, float] = {}  # by passage, so that its words are read once
    for head in dict.fromkeys(heads):
        around[head] = share(frozenset(map(stem, tokenize(head))))
    scored = []
    for quote, head in zip(found, heads, strict=True):
        own = share(quote.words)
        score = own + CONTEXT_WEIGHT * around[head] + _form_bonus(quote)
        scored.append(replace(quote, own=own, score=round(score, 6)))
    return scored


def _form_bonus(quote: Quote) -> float:
    """Return a bonus for good length and a figure, less for context, page or author words."""
    is_handy = BEST_WORDS[0] <= len(quote.text.split()) <= BEST_WORDS[1]
    length = 0.05 if is_handy else -0.05
    figure = 0.05 if any(map(str.isdigit, quote.text)) else 0.0
    off = 0.0
    if _ABOUT_ITSELF.search(quote.text):
        off = 0.5
    elif _FIRST_PERSON.search(quote.text):
        off = 0.2
    leaning = 0.0 if quote.firm else 0.1
    return length + figure - off - leaning


def measure_likeness(one: Quote, other: Quote) -> float:
    """Return the cosine of the stemmed word counts, 0.0 to 1.0."""
    if not one.length or not other.length:
        return float(one.text == other.text)
    small, large = sorted((one.words, other.words), key=len)
    product = sum(count * large[word] for word, count in small.items() if word in large)
    return product / (one.length * other.length)


def choose_quotes(
    found: Sequence[Quote], limit: int, *, per_source: int, floor: float = 0.4
) -> list[Quote]:
    """Return the best sentences, best first, varied in content and source.

    Ties are in reading order. `floor` is the share of the best score below which nothing is taken.
    A sentence without a word of the question is taken only if none has one. Near-copies (likeness
    above `MAX_LIKENESS`) are left out.
    """
    left = _find_candidates(found, floor)
    nearest = dict.fromkeys(left, 0.0)
    taken: list[Quote] = []
    counts: Counter[int] = Counter()

    def rank(quote: Quote) -> tuple[float, int]:
        worth = quote.score - 0.4 * nearest[quote.order] - 0.1 * counts[quote.source]
        return worth, -quote.order

    while left and len(taken) < limit:
        best = max(left.values(), key=rank)
        taken.append(best)
        counts[best.source] += 1
        del left[best.order]
        for order, quote in list(left.items()):
            nearest[order] = max(nearest[order], measure_likeness(best, quote))
            if nearest[order] > MAX_LIKENESS or counts[quote.source] >= per_source:
                del left[order]
    return taken


def _find_candidates(found: Sequence[Quote], floor: float) -> dict[int, Quote]:
    """Return the quotes above the floor by their order, identical ones once."""
    best_score = max((quote.score for quote in found), default=0.0)
    least = min(best_score, floor * best_score)  # a best score below 0 is still the best
    none_matches = not any(quote.own for quote in found)
    first_copies: dict[str, Quote] = {}
    for quote in reversed(found):  # the first copy in reading order remains
        first_copies[quote.text.casefold()] = quote
    candidates: dict[int, Quote] = {}
    for quote in first_copies.values():
        if quote.score >= least and (quote.own or none_matches):
            candidates[quote.order] = quote
    return candidates
