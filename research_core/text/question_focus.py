"""Reduce a letter to short questions about its thing.

A letter says much that no sentence answers. Its thing is the title of a page that the letter names.
Each side of the thing that the letter asks about becomes a short question. A short text stays as it
is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from research_core.text.asked_facets import find_asked_facets, is_medical
from research_core.text.comparison_question import find_compared_sides
from research_core.text.question_parts import (
    condense_question,
    is_long_english,
    split_questions,
)
from research_core.text.question_subject import read_subject_line
from research_core.text.question_topic import are_spellings_of_one, list_asked_titles
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, is_question, word_root
from research_core.text.words import tokenize

#: The question that asks for a side of a thing, by the title of its facet.
SIDE_QUESTIONS = {
    "Side effects": "What are the side effects of {}?",
    "Complications": "What are the complications of {}?",
    "Symptoms": "What are the symptoms of {}?",
    "Spread": "How does {} spread?",
    "Causes": "What causes {}?",
    "Who is at risk": "Who is at risk of {}?",
    "Diagnosis": "How is {} diagnosed?",
    "Prevention": "How can {} be prevented?",
    "Treatment": "What is the treatment for {}?",
    "Outlook": "What is the outlook for {}?",
    "Severity": "How serious is {}?",
    "Frequency": "How common is {}?",
    "Inheritance": "Is {} inherited?",
    "Cost": "How much does {} cost?",
    "Requirements": "What are the requirements for {}?",
    "Penalty": "What is the penalty for {}?",
    "Risks": "What are the risks of {}?",
    "Benefits": "What are the benefits of {}?",
}
#: The question for everything about a thing, and those for the sides that an overview covers.
OVERVIEW_QUESTION = "Information about {}"
OVERVIEW_SIDES = ("What is {}?", "What causes {}?", "How is {} treated?", "What does {} cause?")
_ASKS_OVERVIEW = re.compile(
    r"\b(?:info(?:r?mation)?|articles?|literature|leaflets?|material|details|knowledge)\b"
    r"|(?<!\bhave )(?<!\bhas )(?<!\bhad )(?<!['’]ve )"
    r"\b(?:know|learn|read|hear|find out) (?:more|all|everything|anything|something|a lot)?\b"
    r"[^.?]{0,20}\babout\b|\bunderstand(?:ing)? (?:of|more)\b",
    re.IGNORECASE,
)
#: Words between "know about" and the thing, at most.
MAX_WORDS_BEFORE_THING = 2
#: "I know what causes it, but …".
_KNOWN_ALREADY = re.compile(
    r"\b(?:i|we)(?: already)? (?:know|understand|realise|realize|am aware|have (?:read|heard))\b"
    r"[^.?!]{3,200}?[,;] but\b",
    re.IGNORECASE,
)
#: "I need advice", "what should I do": asks for help, but for no side.
_ASKS_HELP = re.compile(
    r"\bwhat (?:(?:should|can|could|do|must) (?:i|we|he|she|they) do|(?:i|we|he|she|they) (?:need"
    r"|have|ought) to do"
    r"|(?:i|we|he|she|they) (?:should|can|could) do|to do)\b|\b(?:need|want|like|any|some|your)"
    r" (?:\w+ )?(?:advice|help|suggestions?)\b|\bhelp (?:me|us)\b"
    r"|\bask(?:ing)? (?:you )?for (?:\w+ )?(?:advice|help)\b|\bplease help\b"
    r"|\bhow to (?:go|set) about\b"
    r"|\b(?:don['’]?t|do not|no idea) (?:know )?(?:how|what) to (?:do|deal|cope)\b"
    r"|\b(?:can|could|please|pls|plz) (?:\w+ )?guide (?:me|us)\b",
    re.IGNORECASE,
)
HELP_QUESTION = "What can be done about {}?"
#: A letter that asks whether something can be cured, and for no treatment, asks this.
CURE_QUESTION = "Is there a cure for {}?"
_ASKS_CURE = re.compile(r"\bcur(?:e|es|ed|able)\b", re.IGNORECASE)
_ASKS_TREATMENT = re.compile(r"\b(?:treat\w*|therap\w+|medic\w+|drugs?)\b", re.IGNORECASE)
#: A longer question tells a story, whose words say little of what is asked.
MAX_POINT_WORDS, MAX_WISH_WORDS = 25, 14
_WISHES = re.compile(r"\b(?:would like|want|need|looking for|interested in)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Focus:
    """What a text asks.

    question: a short form, from which topic, kind and sides are read; asking: the wordings that
    sentences are compared with, empty to use those of `question`; points: what a longer text asks
    of its thing, without the name of that ("Is elevated temperature associated with"); is_overview:
    it asks for everything about a thing; wider: what to read a plea for help as, where no sentence
    tells what can be done.
    """

    question: str
    asking: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    is_overview: bool = False
    wider: Focus | None = None


def focus_question(question: str, titles: Sequence[str]) -> Focus:
    """Return what a question asks, as short questions if it is a letter. titles: of the pages."""
    condensed = condense_question(question)
    if not is_long_english(question):
        return Focus(condensed)
    points = list_points(question, titles)
    thing = _find_thing(question, titles)
    if not thing or find_asked_facets(thing, ()):
        return Focus(condensed, points=points)
    facets = find_asked_facets(_KNOWN_ALREADY.sub("", question), tuple(titles))
    sides = [_word_side(facet.title, f"{_find_line(question)} {condensed}") for facet in facets]
    own = tuple(part.text for part in split_questions(question))
    if not sides and _asks_overview(condensed, thing):
        return _ask_overview(thing)
    wider = None
    asks_other = any(is_question(text) and not _ASKS_HELP.search(text) for text in own)
    if not sides and not asks_other and _ASKS_HELP.search(question):
        sides = [SIDE_QUESTIONS["Treatment"] if is_medical([question, *titles]) else HELP_QUESTION]
        wider = _ask_overview(thing)
    if not sides or not all(sides):
        return Focus(condensed, points=points)
    asked = [side.format(thing) for side in sides]
    return Focus(" ".join(asked), (*asked, *own), points, wider=wider)


def _asks_overview(condensed: str, thing: str) -> bool:
    """Return whether a letter asks for everything about its thing, and not about something else."""
    match = _ASKS_OVERVIEW.search(condensed)
    if match is None or not match[0].lower().endswith("about"):
        return match is not None
    before, found, _ = condensed[match.end() :].lower().partition(thing.lower())
    is_near = len(content_tokens(before)) <= MAX_WORDS_BEFORE_THING and " and " not in before
    return is_near or not found


def _ask_overview(thing: str) -> Focus:
    asking = tuple(side.format(thing) for side in OVERVIEW_SIDES)
    return Focus(OVERVIEW_QUESTION.format(thing), asking, is_overview=True)


def _find_line(text: str) -> str:
    """Return the first line of a text if it only names its subject, else ""."""
    if not read_subject_line(text):
        return ""
    start, end = find_sentences(text)[0]
    return text[start:end]


def _word_side(title: str, condensed: str) -> str:
    """Return the question for a side, "" without one. condensed: the letter without its story."""
    asks_cure_alone = _ASKS_CURE.search(condensed) and not _ASKS_TREATMENT.search(condensed)
    if title == "Treatment" and asks_cure_alone:
        return CURE_QUESTION
    return SIDE_QUESTIONS.get(title, "")


#: The whole of such a question is its point.
_ASKS_OPENLY = re.compile(r"(?:what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
#: "The most popular songs", "the best": a question that ranks things asks of all that is named.
_RANKS = re.compile(
    r"\b(?:most|least) \w+|\b(?:best|worst|top|leading|popular|common|favou?rite|important)\b"
    r"|\b\w{3,}est\b",
    re.IGNORECASE,
)


def list_points(question: str, titles: Sequence[str]) -> tuple[str, ...]:
    """Return what each question of a text asks of its thing, without the words that name that.

    Those words are the subject of the text, and the ones that at least half of the titles have. A
    part that tells something, or that asks nothing beside the thing, has no point, nor has a
    comparison: its sentences are on one of its things.
    """
    parts = split_questions(question)
    if find_compared_sides(question):
        return ()
    if len(parts) == 1 and _ASKS_OPENLY.match(question.strip()):
        return ()
    subject = frozenset(_list_roots(" ".join(word for part in parts for word in part.subject)))
    titled = [frozenset(_list_roots(title)) for title in titles]

    def names_thing(word: str) -> bool:
        roots = [word_root(token) for token in content_tokens(word)]
        return any(
            root in subject
            or 2 * sum(_holds_spelling(root, others) for others in titled) >= max(1, len(titled))
            for root in roots
        )

    points = []
    for part in parts:
        words = part.text.split()
        most = MAX_POINT_WORDS if is_question(part.text) else MAX_WISH_WORDS
        asks = is_question(part.text) or _WISHES.search(part.text)
        if not asks or len(words) > most:
            continue
        left = [word for word in words if not names_thing(word)]
        if content_tokens(" ".join(left)) and not _RANKS.search(part.text):
            points.append(" ".join(left))
    return tuple(dict.fromkeys(points))


def _holds_spelling(root: str, others: frozenset[str]) -> bool:
    return root in others or any(are_spellings_of_one(root, other) for other in others)


#: What follows the name in a title: "(Causes)", " - treatment".
_AFTER_NAME = re.compile(r"\([^()]*\)|\s[|–—-]\s.*|[?:].*")
#: Generic words at the end of a thing's name.
_KINDS_OF_THING = frozenset(
    "act condition disease diseases disorder disorders illness illnesses law laws syndrome"
    " syndromes".split()
)


def _find_thing(question: str, titles: Sequence[str]) -> str:
    """Return the name of the thing that a letter is about, or "".

    It is the title of a page that the letter names. Titles named in the asking sentences come
    first, then those in the subject line, then those in the story. Without one, it is the subject
    of the letter, if a title contains it.
    """
    parts = split_questions(question)
    asking = _list_roots(" ".join(part.text for part in parts))
    subject = _list_roots(" ".join(word for part in parts for word in part.subject))
    named = {title: roots for title in titles for roots in list_asked_titles(question, [title])}
    best, best_rank = "", (0, 0, 0)
    for title, roots in named.items():
        if any(roots < others for others in named.values()):
            continue
        rank = (1 + _stand_together(roots, asking), roots <= set(subject), len(roots))
        name = _cut_name(title, roots, question)
        if name and rank > best_rank:
            best, best_rank = name, rank
    if best or not parts[0].subject:
        return best
    is_held = any(set(subject) <= set(_list_roots(title)) for title in titles)
    return " ".join(parts[0].subject) if is_held else ""


def _list_roots(text: str) -> list[str]:
    return [word_root(token) for token in tokenize(text)]


def _stand_together(names: frozenset[str], roots: Sequence[str]) -> bool:
    """Return whether words are adjacent in a text, with at most one other word between them."""
    width = len(names) + 1
    return any(names <= set(roots[start : start + width]) for start in range(len(roots)))


def _cut_name(title: str, roots: frozenset[str], question: str) -> str:
    """Return the title from the first to the last of these words, or whole if it is asked."""
    name = _AFTER_NAME.sub(" ", title)
    words = name.split()
    if set(_list_roots(name)) <= set(_list_roots(question)):
        return " ".join(words)
    places = [
        place
        for place, word in enumerate(words)
        if not roots.isdisjoint(map(word_root, tokenize(word)))
    ]
    if not places:
        return ""
    end = places[-1] + 1
    while end < len(words) and words[end].lower() in _KINDS_OF_THING:
        end += 1
    return " ".join(words[places[0] : end]).strip(",;:.\"'")
