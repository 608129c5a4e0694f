"""List the sentences and lists of passages that can be quoted.

A sentence is quoted whole: only white space is folded, and an item number before it and footnote
marks behind it are removed. A list is quoted as its lead-in with its first items. Headings, table
rows and code are no sentences. Only the form decides; `quote_scores` chooses among them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from research_core.model_messages import Json
from research_core.text.blocks import parse_blocks
from research_core.text.instructions import find_instructions
from research_core.text.question import QUESTION_WORDS
from research_core.text.sentences import find_sentences
from research_core.text.words import stem, tokenize

WORD_LIMITS = (6, 60)
#: Items of a list that are quoted, and the words of a longer item, which is no list of names.
MAX_ITEMS, MAX_ITEM_WORDS = 8, 16
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
#: "Of these people", "because of such attacks": what is meant was said before.
_POINTS_BACK = re.compile(
    r"(?:\S+ ){1,5}?(?:this|these|those|such)\b"
    r"(?! (?:as|an?|year|month|week|day|century|is|are|was|were)\b)",
    re.IGNORECASE,
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
    r"|updated by|reviewed by|written by|last (?:updated|reviewed)"
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


#: First words of a sentence that tells its reader what to do.
_IMPERATIVE = re.compile(
    r"(?:please |always |never |do not |don['’]t )?"
    r"(?:talk|ask|call|see|tell|keep|take|try|use|avoid|make sure|check|visit|contact|learn|find"
    r"|read|get|remember|consider|start|stop|follow|choose|click|watch|wash|let|store|seek|go|come"
    r"|give|put|look|be|apply|eat|drink|wear|limit|report|discuss|print|view|share|enter|select"
    r"|download|add|save|return|note|bring|write|speak|work|plan|join|listen|think)\b"
    r"(?! (?:is|are|was|were|of|has|can|may)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Quote:
    """One sentence of one passage.

    `source` and `order` are the positions of its source and of itself, from 0. `firm`: it stands by
    itself. `heading`: what it stands under in its passage. `own`: the share of the question's words
    that it holds, 0 to 1, weighted by rarity. `near`: its cosine with the question, None if meaning
    was not compared. `score`: how well it answers, by either and by its form, 0 to about 1.4.
    """

    text: str
    passage: str
    source: int
    order: int
    firm: bool
    heading: str = ""
    own: float = 0.0
    near: float | None = None
    score: float = 0.0

    @cached_property
    def words(self) -> Counter[str]:
        """Return the counts of its stemmed content words."""
        return Counter(stem(word) for word in tokenize(self.text) if word not in QUESTION_WORDS)

    @cached_property
    def length(self) -> float:
        """Return the Euclidean length of its word counts."""
        return math.sqrt(sum(count * count for count in self.words.values()))


def list_quotes(sources: Sequence[Json]) -> list[Quote]:
    """Return every sentence and list of the sources' passages that can be quoted, in order."""
    found: list[Quote] = []
    for number, source in enumerate(sources):
        for passage in source["passages"]:
            for text, heading, is_list in _quotable_texts(passage["text"]):
                if not can_be_quoted(text):
                    continue
                firm = is_list or stands_alone(text)
                found.append(Quote(text, passage["id"], number, len(found), firm, heading))
    return found


def _quotable_texts(passage: str) -> Iterator[tuple[str, str, bool]]:
    """Yield (text, heading above it, whether it is a list) of sentences and of whole lists.

    A list is its lead-in ("Symptoms include:") with its items. Of a block that addresses a machine,
    nothing from that place on is yielded.
    """
    heading, lead_in = "", ""
    items: list[str] = []
    for kind, text in _quotable_parts(passage):
        if kind != "list" and items:
            yield _join_list(lead_in, items), heading, True
            items = []
        if kind == "heading":
            heading, lead_in = text, f"{text.rstrip(':.')}:"
            continue
        if kind == "list" and lead_in and len(text.split()) <= MAX_ITEM_WORDS:
            items.append(text)
        elif kind == "paragraph":
            lead_in = text if text.endswith(":") else ""
        yield text, heading, False
    if items:
        yield _join_list(lead_in, items), heading, True


def _quotable_parts(passage: str) -> Iterator[tuple[str, str]]:
    """Yield (kind of block, text) of headings, and of the sentences of paragraphs and lists."""
    layout = parse_blocks(passage)
    orders = find_instructions(passage)
    block = 0
    for start, end in find_sentences(passage):
        while layout[block].end <= start:
            block += 1
        kind = layout[block].kind
        if kind not in ("heading", "paragraph", "list"):
            continue
        block_start = layout[block].start
        if any(order.start < end and order.end > block_start for order in orders):
            continue
        text = " ".join(passage[start:end].split())
        if kind == "list":
            text = _NUMBER.sub("", text)
        yield kind, _FOOTNOTES.sub("", text)


def _join_list(lead_in: str, items: Sequence[str]) -> str:
    """Return a list as one line: its lead-in and its first items."""
    shown = "; ".join(item.rstrip(".;,") for item in items[:MAX_ITEMS])
    return f"{lead_in} {shown}{'; and more.' if len(items) > MAX_ITEMS else '.'}"


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
    if _POINTS_BACK.match(opening):
        return False
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


def is_imperative(text: str) -> bool:
    """Return whether a sentence tells its reader what to do: "Talk to your doctor."."""
    opening = text.lstrip("\"'“‘«([*_")
    return bool(re.match(r"(?:do not|don['’]t|never|please)\b", opening, re.IGNORECASE)) or bool(
        _IMPERATIVE.match(opening)
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
