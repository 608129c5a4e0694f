"""Measure how much of what a question asks for a text holds.

Counts words, their rarity, their nearness and the form of answer asked for. It knows the forms of
English questions and no subjects; of questions in other languages it takes the key words, which all
weigh the same. Each text is measured by itself, so that the result does not
depend on what else was found.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import groupby

from research_core.text.answer_forms import FIGURE, LENGTH_UNITS, MONEY
from research_core.text.languages import guess_language
from research_core.text.question import QUESTION_WORDS, find_degree_words, find_keywords
from research_core.text.sentences import find_sentences
from research_core.text.word_forms import find_relation_words, fold_forms
from research_core.text.words import cut_site_name, stem, tokenize

#: Words of asking, telling and politeness, which say nothing about the subject.
FILLER_WORDS = QUESTION_WORDS | frozenset(
    """
        not no nor so too very just also only more most less least few fewer fewest little other
        another out up down off again once ever both each every same such all own one he him his she
        her hers ours yours theirs am because during while within without onto after before until
        made make makes making get gets got getting let lets use used uses using look looking looks
        ask asks asked asking say says said tell told question answer answers information info thank
        thanks hello hi dear way ways kind kinds sort thing things someone anyone something anything
        become becomes became becoming it's i'm i've i'd don't doesn't didn't isn't aren't what's
        there's can't won't albeit almost along although already amid anyhow anyway besides
        concerning considering despite else except furthermore given hence however indeed instead
        maybe merely moreover nearly nevertheless nonetheless notwithstanding otherwise perhaps
        rather regarding regardless simply since somehow somewhat soon therefore though throughout
        thus toward towards unless upon whatever whenever whereas wherever whichever whoever yet
        you're you've they're they've she's he's we're we've
    """.split()
)


@lru_cache(maxsize=50_000)
def word_root(word: str, language: str = "") -> str:
    """Return the stem of a token; "American" and "Latina" are as "America" and "Latino".

    language: that of `Question.language`, "" for English.
    """
    if language:
        return fold_forms(word, language)
    shorter = stem(word)
    if len(shorter) >= 5 and shorter.endswith("an"):
        shorter = shorter[:-1]
    return shorter[:-1] if len(shorter) >= 6 and shorter[-1] in "ao" else shorter


#: Words that ask for a relation rather than name a thing. Any other word of the same row will do.
CUE_ROWS: tuple[frozenset[str], ...] = tuple(
    frozenset(word_root(word) for word in row.split())
    for row in (
        "cost price charge fee rate pay paid quote expense spend money salary wage income"
        " earn earning",
        "cheap cheaper cheapest inexpensive affordable bargain discount deal save saving",
        "cause because reason due result why",
        "effect affect impact influence consequence",
        "risk danger hazard threat harm",
        "develop origin originate evolve emerge history grow grew begin began",
        "differ difference different unlike whereas contrast distinguish",
        "popular favorite favourite common frequent top",
        "rule law regulation legal illegal allow permit prohibit ban",
        "advice tip strategy recommend recommendation method",
    )
)
CUE_ROW_OF = {word: number for number, row in enumerate(CUE_ROWS) for word in row}

#: "May" is left out, because it is a common verb too.
_TIME = (
    r"\b(?:1\d|20)\d\ds?\b|\d(?:st|nd|rd|th)\b|\d:\d\d|\b\d+ [ap]\.?m\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december"
    r"|century|(?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|today|ago)\b"
)
_NAME = r"(?-i:[a-z,;:()–—|\"“”]\s+[\"“]?[A-Z]\w)"
#: How a question compares two things, and how a text does.
_COMPARED = (
    r"\b(?:compar(?:e[ds]?|ing|isons?)|versus|vs|differences? between|differs? from"
    r"|(?:better|worse|safer|superior|preferable) (?:than|to))\b"
)
_CONTRAST = (
    r"\b(?:compar\w+|versus|vs|differ\w*|than|whereas|while|unlike|likewise|similar(?:ly)?"
    r"|contrast\w*|respectively|neither|both|on the other hand|by comparison|as \w+ as)\b"
)


@dataclass(frozen=True)
class AnswerForm:
    """A form of answer.

    `asked` matches a question that asks for it, `given` a text that gives it. With `exact`, it must
    stand beside what it measures.
    """

    name: str
    asked: re.Pattern[str]
    given: re.Pattern[str]
    exact: bool = False


def _answer_form(name: str, asked: str, given: str, *, exact: bool = False) -> AnswerForm:
    """Compile an answer form."""
    return AnswerForm(
        name, re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE), exact
    )


_PAYING = (
    r"\b(?:budget\w*|cost\w*|charg\w+|pay\w*|paid|pric\w+|fees?|rates?|"
    r"worth|spen[dt]\w*|salar\w+|incomes?|earn\w*|money|wages?|quoted?)\b"
)
# "A better price for …" asks for advice, not for a sum.
_PRICE = (
    r"(?<!better )(?<!best )(?<!good )(?<!great )(?<!lower )(?<!lowest )"
    r"(?:costs?|pric(?:es?|ing)|fees?|salar(?:y|ies)|wages?|(?:going|hourly|usual) rates?)"
)
_DEARER = r"(?:cheaper|dearer|pricier|costlier|more expensive|less expensive)"
_FIRST = r"^\W*(?:(?:and|but|so|in|at|on|since|until|from|to|by|with|for|of)\W+)?"
#: "How long" asks for a duration or length, and "how old" or "how far" for a figure: the word
#: itself need not stand in the text.
_HOW = re.compile(
    r"\bhow (?:long|old|tall|far|big|large|fast|high|deep|often|heavy|wide)\b", re.IGNORECASE
)
_LENGTH = rf"(?:{FIGURE})[\w.,]*\W+(?:\w+\W+){{0,4}}?{LENGTH_UNITS}\b|\d['’:]\d\d"
#: The first that an asking sentence matches counts.
ANSWER_FORMS = (
    _answer_form(
        "money",
        rf"\bhow (?:much\b.*{_PAYING}|expensive\b)"
        rf"|\bwhat (?:do|does|did|will|would|should)\b(?!.*\b(?:know|say|think|mean)\b).*{_PAYING}"
        rf"|^\W*(?:[\w'’-]+\W+){{0,4}}{_PRICE}\b|\b{_PRICE} (?:of|for|to)\b"
        rf"|{_DEARER}\b(?! (?:alternative|option|version|way)s?)",
        MONEY,
        exact=True,
    ),
    _answer_form("quantity", r"\bhow long\b", _LENGTH, exact=True),
    _answer_form(
        "quantity",
        r"\bhow (?:much|many|old|tall|far|big|large|fast|high|deep|often|heavy|hot|cold|wide)\b"
        r"|\b(?:percentage|number) of\b",
        FIGURE,
        exact=True,
    ),
    _answer_form(
        "time",
        rf"{_FIRST}when\b|\b(?:what|which) (?:year|date|day|month|time|century)\b|\bdate of\b",
        _TIME,
    ),
    _answer_form("person", rf"{_FIRST}who(?:se|m)?\b", _NAME),
    _answer_form(
        "place", rf"{_FIRST}where\b|\b(?:what|which) (?:city|country|state|town|place)\b", _NAME
    ),
    _answer_form("comparison", _COMPARED, _CONTRAST),
)
OPEN_FORM = _answer_form("open", "", "")


# ---------------------------------------------------------------- the question


@dataclass(frozen=True)
class QuestionPart:
    """One sentence of a question; `words` maps stems to weights, in the question's order."""

    words: Mapping[str, float]
    asks: bool

    @property
    def weight(self) -> float:
        """Return the sum of the weights."""
        return sum(self.words.values())


@dataclass(frozen=True)
class Question:
    """What a question asks for.

    `parts` are its sentences, `words` what the asking ones name (stem to weight), `order` their
    words as (stem, as written). `language` is "" for English and where it is unknown.
    """

    parts: tuple[QuestionPart, ...]
    words: Mapping[str, float]
    order: tuple[tuple[str, str], ...]
    form: AnswerForm
    language: str = ""

    @cached_property
    def stems(self) -> frozenset[str]:
        """Return the stems of all parts."""
        return frozenset(self.words).union(*(part.words for part in self.parts))

    def phrases(self, stems: Collection[str]) -> list[str]:
        """Return these stems as the question writes them, neighbours joined ("New York")."""
        found: list[str] = []
        for among_stems, run in groupby(self.order, key=lambda pair: pair[0] in stems):
            phrase = " ".join(written for _, written in run)
            if among_stems and phrase not in found:
                found.append(phrase)
        return [one for one in found if not _is_part_of_another(one, found)]


def _is_part_of_another(phrase: str, phrases: Sequence[str]) -> bool:
    """Return whether one of the other phrases holds this one as whole words."""
    return any(phrase != other and f" {phrase} " in f" {other} " for other in phrases)


_HYPHENATED = re.compile(r"[^\W\d_]{2,}(?:[-‐‑][^\W\d_]{2,})+")
_QUESTION_START = re.compile(
    r"\W*(?:what|who|whom|whose|how|when|where|why|which|is|are|can|could|does|do|did|should|would"
    r"|will|has|have)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def parse_question(question: str) -> Question:
    """Parse a question into sentences and weighted words.

    Sentences that only tell something count if no sentence asks.
    """
    guessed = guess_language(question)
    language = "" if guessed == "en" else guessed
    texts = [question[start:end] for start, end in find_sentences(question, guessed)]
    parts = [part for text in texts if (part := _parse_part(text, language)).words]
    asking = [part for part in parts if part.asks] or parts
    words: dict[str, float] = {}
    for part in asking:
        for word, weight in part.words.items():
            words[word] = max(weight, words.get(word, 0.0))
    asking_texts = [text for text in texts if is_question(text)] or [question]
    order = _pair_stems(" ".join(asking_texts), language)
    return Question(tuple(parts), words, order, _find_form(asking_texts), language)


def _find_form(sentences: Sequence[str]) -> AnswerForm:
    """Return the form of answer that the first of these sentences with one asks for."""
    for sentence in sentences:
        for form in ANSWER_FORMS:
            if form.asked.search(sentence):
                return form
    return OPEN_FORM


def _parse_part(sentence: str, language: str) -> QuestionPart:
    """Return the words and weights of one sentence of a question."""
    if language:
        return QuestionPart(_weigh_keywords(sentence, language), is_question(sentence))
    named = _strip_form_words(sentence)
    degrees = find_degree_words(named, language)
    words = {word_root(word): rarity(word) for word in content_tokens(named) if word not in degrees}
    for compound in _HYPHENATED.findall(named):
        # "open-air" names one thing: its words share one weight. A root may be missing from
        # `words`, because "0AA-AB" begins within a longer word.
        roots = [root for root in map(word_root, content_tokens(compound)) if root in words]
        words |= {root: words[root] / len(roots) for root in roots}
    for root in list_examples(named) & words.keys():
        words[root] *= EXAMPLE_SHARE
    return QuestionPart(words, is_question(sentence))


def list_examples(sentence: str) -> frozenset[str]:
    """Return the roots of the words that a sentence only gives as examples of a kind."""
    roots: set[str] = set()
    for match in _EXAMPLE.finditer(sentence):
        if match["kind"].lower() not in FILLER_WORDS and not _NO_KIND.fullmatch(match["kind"]):
            roots.update(map(word_root, content_tokens(match["example"])))
    return frozenset(roots)


def _weigh_keywords(sentence: str, language: str) -> dict[str, float]:
    """Return the stems of the key words, with their weights.

    The tokens of one key word ("糖尿", "尿病") share its weight. A number weighs less, and a word that
    asks for a relation.
    """
    light = find_relation_words(language)
    words: dict[str, float] = {}
    for keyword in find_keywords(sentence, language):
        roots = dict.fromkeys(word_root(token, language) for token in tokenize(keyword))
        for root in roots:
            is_light = root[0].isdigit() or keyword.lower() in light
            weight = NUMBER_WEIGHT if is_light else HEAVIEST
            words[root] = max(weight / len(roots), words.get(root, 0.0))
    return words


def _strip_form_words(sentence: str) -> str:
    """Return the sentence without what asks for a time, person, place or length.

    An answer gives one of these and need not repeat the word.
    """
    for form in ANSWER_FORMS:
        if form.exact:
            continue
        found = form.asked.search(sentence)
        if found:
            sentence = sentence[: found.start()] + " " + sentence[found.end() :]
            break
    return _HOW.sub(" ", sentence)


_QUESTION_MARKS = frozenset("?？؟\u037e")


def is_question(sentence: str) -> bool:
    """Return whether a sentence has a question mark or begins like a question."""
    return not _QUESTION_MARKS.isdisjoint(sentence) or bool(_QUESTION_START.match(sentence))


def _pair_stems(question: str, language: str) -> tuple[tuple[str, str], ...]:
    """Return (stem, as written) of each token of the question, or of each key word's first one."""
    pairs: list[tuple[str, str]] = []
    if language:
        for keyword in find_keywords(question, language):
            pairs += [(word_root(token, language), keyword) for token in tokenize(keyword)[:1]]
        return tuple(pairs)
    for word in question.split():
        bare = _strip_edges(word)
        found = tokenize(bare)
        for token in found:
            pairs.append((word_root(token), bare if len(found) == 1 else token))
    return tuple(pairs)


def _strip_edges(word: str) -> str:
    """Return a word without punctuation around it and without a possessive ending."""
    return word.strip(".,;:!?\"'“”‘’()[]").removesuffix("'s").removesuffix("’s")


def content_tokens(text: str) -> list[str]:
    """Return the tokens that name something, in order."""
    return [
        word
        for word in tokenize(text)
        if word not in FILLER_WORDS and (len(word) > 1 or word.isdigit())
    ]


# ---------------------------------------------------------------- the weight of a word

LIGHTEST, HEAVIEST, NUMBER_WEIGHT = 1.0, 5.5, 2.5
#: Words of time that end compounds, the least letters of both parts, and how often the
#: list of English words must count the other.
COMPOUND_ENDS = frozenset(
    "time times hour hours week weeks weekend month months season seasons year years".split()
)
MIN_COMPOUND_PART, MIN_COMPOUND_COUNT = 4, 1_000
#: An example of what a question asks about weighs so much of its weight.
EXAMPLE_SHARE = 0.5
#: "An invasive disease like Wegener's", "foods such as kale or chard".
_EXAMPLE = re.compile(
    r"\b(?P<kind>[^\W\d_]{4,}),? (?:like|such as|for example|for instance|e\.g\.),? "
    r"(?P<example>[\w'’-]+(?:(?:, | or | and )[\w'’-]+)*)",
    re.IGNORECASE,
)
#: Behind these words, "like" is no example: "look like", "something like".
_NO_KIND = re.compile(
    r"(?:look|feel|felt|sound|seem|taste|smell|act|behav|would|should|anything|something|nothing"
    r"|someone|most|also|just|more|much|best|really)\w*",
    re.IGNORECASE,
)


@lru_cache(maxsize=50_000)
def rarity(word: str) -> float:
    """Return how rare an English word is, from 1.0 (commonest) to 5.5 (rare or unknown).

    It is the orders of magnitude by which the word is rarer than 10 in 1,000.
    """
    if word[0].isdigit():
        return NUMBER_WEIGHT
    counts, total = _load_frequencies()
    count = max(counts.get(word, 0), counts.get(word_root(word), 0))
    count = max(count, _count_compound(word, counts))
    return min(HEAVIEST, max(LIGHTEST, -1.0 - math.log10((count + 1) / total)))


def _count_compound(word: str, counts: Mapping[str, int]) -> int:
    """Return the count of the first part of a compound that ends with a word of time, else 0.

    "Dinnertime" is no rare name, though few texts write it; "blockchain" may be one.
    """
    for place in range(MIN_COMPOUND_PART, len(word) - MIN_COMPOUND_PART + 1):
        if word[place:] in COMPOUND_ENDS and counts.get(word[:place], 0) >= MIN_COMPOUND_COUNT:
            return counts[word[:place]]
    return 0


def is_known_word(word: str, *, exactly: bool = False) -> bool:
    """Return whether the list of English words holds a word; unless `exactly`, or its stem."""
    counts, _ = _load_frequencies()
    lowered = word.lower()
    return lowered in counts or (not exactly and word_root(lowered) in counts)


@lru_cache(maxsize=1)
def _load_frequencies() -> tuple[Mapping[str, int], int]:
    """Return the counts of English words and their total.

    Read from the file, because the spelling checker takes twice as long for what it adds.
    """
    table = files("spellchecker").joinpath("resources", "en.json.gz")
    counts: dict[str, int] = json.loads(gzip.decompress(table.read_bytes()))
    return counts, sum(counts.values())


# ---------------------------------------------------------------- the text

WINDOW_WORDS = 45
#: Keeps a question of one common word from being met by that word alone.
LEAST_WEIGHT = 11.0


@dataclass(frozen=True)
class QuestionFit:
    """How a text meets a question; all shares are 0.0 to 1.0.

    `held`: the share of the question found. `aimed`: the share of the title that the question
    names, 0.5 without a title. `given`: whether the form of answer asked for is there. `exact`:
    whether it must stand beside what it measures. `found`, `missing`: stems in the order of the
    question.
    """

    held: float
    aimed: float
    given: bool
    exact: bool
    found: tuple[str, ...]
    missing: tuple[str, ...]


def measure_fit(question: Question, title: str, passages: Sequence[str]) -> QuestionFit:
    """Measure title and passages against the question."""
    windows: list[tuple[frozenset[str], bool]] = []
    for passage in passages:
        windows += _find_windows(passage, question)
    exact = question.form.exact
    above = match_stems(content_tokens(title), question)
    everywhere = above.union(*(known for known, _ in windows))
    near = [known for known, given in windows if given or not exact]
    near = near or [known for known, _ in windows]
    if exact:
        near = [known | above for known in near]

    def share_held(words: Mapping[str, float]) -> float:
        least = 0.0 if question.language else LEAST_WEIGHT
        whole = max(sum(words.values()), least) or LEAST_WEIGHT
        best = max((_sum_weights(words, known) for known in near), default=0.0)
        if exact:
            return best / whole
        return (best + _sum_weights(words, everywhere)) / 2 / whole

    best_part = max((share_held(part.words) for part in question.parts), default=0.0)
    return QuestionFit(
        held=(best_part + share_held(question.words)) / 2,
        aimed=measure_title(question, title),
        given=question.form is OPEN_FORM or any(given for _, given in windows),
        exact=exact,
        found=tuple(word for word in question.words if word in everywhere),
        missing=tuple(word for word in question.words if word not in everywhere),
    )


def holds_all_in_one_place(question: Question, passages: Sequence[str]) -> bool:
    """Return whether about `WINDOW_WORDS` words of a passage hold every word of the question."""
    wanted = frozenset(question.words)
    windows = [window for passage in passages for window in _find_windows(passage, question)]
    return any(wanted <= known for known, _ in windows)


def _sum_weights(words: Mapping[str, float], known: frozenset[str]) -> float:
    """Return the sum of the weights of the known words."""
    return sum(weight for word, weight in words.items() if word in known)


def match_stems(words: Sequence[str], question: Question) -> frozenset[str]:
    """Return the question's stems that these words hold; a cue matches its whole row."""
    stems = {word_root(word, question.language) for word in words}
    stems |= {word for word in question.stems if is_in_pair(word, words)}
    rows = {CUE_ROW_OF[word] for word in stems if word in CUE_ROW_OF}
    return frozenset(
        word for word in question.stems if word in stems or CUE_ROW_OF.get(word) in rows
    )


def is_in_pair(word: str, pairs: Sequence[str]) -> bool:
    """Return whether a word of one Han character stands in a pair of them: "雨" in "雨は"."""
    return len(word) == 1 and word > "\u2e7f" and any(word in pair for pair in pairs)


def _find_windows(passage: str, question: Question) -> list[tuple[frozenset[str], bool]]:
    """Return (matched stems, answer form given) of each run of about `WINDOW_WORDS` words."""
    parts: list[tuple[frozenset[str], bool, int]] = []
    for start, end in find_sentences(passage):
        words = tokenize(passage[start:end])
        given = question.form.given.search(passage, start, end) is not None
        parts.append((match_stems(words, question), given, len(words)))
    windows: list[tuple[frozenset[str], bool]] = []
    for first in range(len(parts)):
        known, given, length = parts[first]
        for more_known, more_given, more_length in parts[first + 1 :]:
            if length + more_length > WINDOW_WORDS:
                break
            known |= more_known
            given = given or more_given
            length += more_length
        windows.append((known, given))
    return windows


def measure_title(question: Question, title: str) -> float:
    """Return the weighted share of the title's words that the question names, 0 to 1.

    The site's name at the end of the title is left out.
    """
    bare = cut_site_name(title)
    words = content_tokens(bare)
    if not words:
        return 0.5
    weights = {word_root(word, question.language): rarity(word) for word in words}
    known = match_stems(words, question)
    rows = {CUE_ROW_OF[word] for word in known if word in CUE_ROW_OF}
    named = sum(
        weight for word, weight in weights.items() if word in known or CUE_ROW_OF.get(word) in rows
    )
    return named / sum(weights.values())
