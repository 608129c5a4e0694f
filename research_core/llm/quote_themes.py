"""Group the quotations of a report under headings: its main findings."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from research_core.i18n import _
from research_core.llm.opposing_sides import group_opposing
from research_core.llm.quote_bullets import clean_heading, format_bullets, format_source_heading
from research_core.model_messages import Json
from research_core.text.asked_facets import find_asked_facets
from research_core.text.comparison_question import find_compared_sides
from research_core.text.figures import parse_figures
from research_core.text.filled_quotes import fills_question
from research_core.text.question import QUESTION_WORDS
from research_core.text.question_topic import find_topic, names_topic
from research_core.text.question_types import classify_question
from research_core.text.quotable import Quote
from research_core.text.similarity import word_root
from research_core.text.words import stem, tokenize

#: Sentences from which a sub-question has a heading of its own.
MIN_THEME_SIZE = 2
#: What the form that a sub-question asks for adds to a sentence's share of its words, 0 to 1.
CUE_WEIGHT = 0.6
#: Words of a sub-question that ask for figures (`text.figures` finds them), and pairs of what a
#: sub-question asks for and the words of a sentence that answers it.
ASKS_FIGURES = re.compile(
    r"\bfigures?\b|how (?:much|many|often|long|far|large)"
    r"|\b(?:costs?|prices?|rates?|numbers?|amounts?)\b"
)
ANSWER_CUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"\b(?:depend|cause|explain|reason|why|factor|affect|influence)"),
        re.compile(
            r"\b(?:because|due to|depend|caus|result|leads?\b|led to"
            r"|driv|factor|affect|influenc|since|owing to|explain|therefore)"
        ),
    ),
    (
        re.compile(r"\b(?:differ|compar|versus|vs\b)"),
        re.compile(
            r"\b(?:than|whereas|while|unlike|differ|compared|contrast|both|neither|instead of)\b"
        ),
    ),
    (
        re.compile(r"\b(?:rules?|limits?|law|legal|allow|permit|require|regulat)"),
        re.compile(
            r"\b(?:must|shall|may not|requir|prohibit|permit|allow|limits?\b|limited"
            r"|illegal|unlawful|banned|forbid|exceed)"
        ),
    ),
    (
        re.compile(r"\b(?:recommend|should|advice|advise|tips?|how to)\b"),
        re.compile(
            r"\b(?:should|recommend\w*|advis\w*|best|better|avoid|consider|choose|try|use|ask)\b"
        ),
    ),
    (
        re.compile(r"\b(?:when|dates?|year|timeline|history)\b"),
        re.compile(r"\b(?:1[5-9]|20)\d\d\b|\bcentury\b"),
    ),
)
#: Words that do not make a sub-question specific.
NAMELESS_WORDS = QUESTION_WORDS | frozenset(
    "source sources say says said state give else main point points follow figure figures rule"
    " rules".split()
)


def group_quotes(
    body: Sequence[Quote],
    inputs: Json,
    sources: Sequence[Json],
    synonyms: Collection[str],
) -> list[tuple[str, list[Quote]]]:
    """Group the sentences by what they speak for, by the side they speak of, or by theme."""
    question = inputs["question"]
    groups: list[tuple[str, list[Quote]]] = []
    if classify_question(question).name == "yes or no":
        groups = list(group_opposing(question, body).items())
    elif find_compared_sides(question):
        groups = _group_by_side(question, body)
    placed = [quote for _, group in groups for quote in group]
    rest = [quote for quote in body if quote not in placed]
    topic = find_topic(question)
    named = {
        quote.order for quote in rest if names_topic(topic, f"{quote.label} {quote.text}", synonyms)
    }
    for heading, group in _group_by_theme(rest, inputs["sub_questions"], sources, named):
        for quote in group:
            _add_to_theme(groups, heading, quote)
    return groups


def _group_by_side(question: str, body: Sequence[Quote]) -> list[tuple[str, list[Quote]]]:
    """Group the sentences that speak of both sides of a comparison, and of each side."""
    sides = find_compared_sides(question)
    if sides is None:
        return []
    both = _("{one} and {other}").format(one=sides.names[0], other=sides.names[1])
    groups: dict[str, list[Quote]] = {both: [], sides.names[0]: [], sides.names[1]: []}
    for quote in body:
        roots = frozenset(map(word_root, tokenize(f"{quote.label} {quote.text}")))
        side = sides.alone(roots)
        if side:
            groups[side].append(quote)
        elif all(word in roots for word in sides.words):
            groups[both].append(quote)
    return [
        (clean_heading(f"{name[:1].upper()}{name[1:]}"), group)
        for name, group in groups.items()
        if group
    ]


def _group_by_theme(
    body: Sequence[Quote],
    sub_questions: Sequence[str],
    sources: Sequence[Json],
    named: Collection[int],
) -> list[tuple[str, list[Quote]]]:
    """Group sentences under the sub-question they answer. named: the orders that name the topic.

    The others go under the sub-question that asks for everything else, or under their source's
    title.
    """
    words = _specific_words(sub_questions)
    groups: dict[str, list[Quote]] = {question: [] for question in sub_questions}
    rest: list[Quote] = []
    for quote in body:
        fits = [
            _score_fit(quote, question, own, is_named=quote.order in named)
            for question, own in zip(sub_questions, words, strict=True)
        ]
        if any(fits):
            best = fits.index(max(fits))
            groups[sub_questions[best]].append(quote)
        else:
            rest.append(quote)

    themes: list[tuple[str, list[Quote]]] = []
    for question, group in groups.items():
        heading = format_theme_heading(question)
        if len(group) < MIN_THEME_SIZE or not heading:
            rest += group
        else:
            themes.append((heading, group))
    everything_else = ""
    for question in sub_questions:
        if asks_all(question):
            everything_else = clean_heading(question)
    for quote in sorted(rest, key=lambda quote: quote.order):
        heading = everything_else or format_source_heading(sources[quote.source])
        _add_to_theme(themes, heading, quote)
    return [(heading, sorted(group, key=lambda quote: quote.order)) for heading, group in themes]


#: A heading that is only a piece of what somebody wrote.
_FRAGMENT = re.compile(
    r"^(?!(?:what|how|why|when|where|who|which|is|are|was|were|do|does|did|can|could|should|would|will"
    r"|has|have|may|might|must|whether)\b)[a-z]|\b(?:i|i['’]m|i['’]ve|my|we|our|us|me)\b|\b[Ii]t['’]s it\b"
    r"|^how to (?:\w+ )?(?:what|how|why|i)\b",
    re.MULTILINE,
)
_FIRST_PERSON = re.compile(r"\bI\b|\bI['’]")


def format_theme_heading(question: str) -> str:
    """Return a sub-question as a heading; of a fragment, the side that it asks about, or ""."""
    if not _FRAGMENT.search(question) and not _FIRST_PERSON.search(question):
        return clean_heading(question)
    facets = find_asked_facets(question)
    return facets[0].title if facets else ""


def _add_to_theme(themes: list[tuple[str, list[Quote]]], heading: str, quote: Quote) -> None:
    """Add a sentence to the first theme of this heading, or as a new theme."""
    for theme, group in themes:
        if theme == heading:
            group.append(quote)
            return
    themes.append((heading, [quote]))


def _specific_words(sub_questions: Sequence[str]) -> list[frozenset[str]]:
    """Return the stems of each sub-question that not all of them share."""
    own: list[frozenset[str]] = []
    for question in sub_questions:
        words = [word for word in tokenize(question) if word not in NAMELESS_WORDS]
        own.append(frozenset(stem(word) for word in words))
    shared = frozenset.intersection(*own) if len(own) > 1 else frozenset()
    return [words - shared for words in own]


def asks_all(question: str) -> bool:
    """Return True if a sub-question names nothing and asks for no form of answer.

    Example: "What else do the sources say?".
    """
    lowered = question.lower()
    cued = ASKS_FIGURES.search(lowered) or any(asked.search(lowered) for asked, _ in ANSWER_CUES)
    return not cued and set(tokenize(question)) <= NAMELESS_WORDS


def _score_fit(quote: Quote, question: str, words: frozenset[str], *, is_named: bool) -> float:
    """Return how well a sentence fits a sub-question; a form alone fits only if the topic is named.

    One without the duration, amount or date that is asked for does not fit.
    """
    if not fills_question(question, quote.text):
        return 0.0
    lowered, text = question.lower(), quote.text.lower()
    counted = bool(ASKS_FIGURES.search(lowered) and parse_figures(quote.text))
    cued = counted or any(
        asked.search(lowered) and given.search(text) for asked, given in ANSWER_CUES
    )
    share = len(words & quote.words.keys()) / (len(words) or 1)
    return share + CUE_WEIGHT * (cued and (is_named or bool(share)))


def format_findings(themes: Sequence[tuple[str, list[Quote]]]) -> str:
    """Format the main findings: each theme as a heading over its bullets."""
    if not themes:
        return _("The passages contain nothing beyond the summary above.")
    return "\n\n".join(f"### {title}\n\n{format_bullets(group, title)}" for title, group in themes)
