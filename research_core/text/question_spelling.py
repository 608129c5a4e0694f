"""Write a question as the texts spell its words, so that a slip costs a source nothing.

"whats parkinsons" is read as "what is parkinson's" where a page writes so. Only words that no list
of English words holds are taken for slips, and only a word of the page or of asking replaces them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from types import MappingProxyType

from research_core.text.similarity import FILLER_WORDS, is_known_word, word_root
from research_core.text.slips import SHORTHAND, begin_oppositely, is_slip, mend_confused_words
from research_core.text.words import keep_letters, tokenize

#: The words by which the form of an answer is known, which a slip must not hide.
_ASKING_WORDS = tuple(
    """
        what which where when who why how much many long does did can could should would is are the
        cost costs price difference between compare better affect effects causes treatment symptoms
    """.split()
)
#: The letters from which an unknown word is taken for a slip: of a word of asking, of a word of the
#: page that English has, of a name or another word that it has not (which may be another name).
MIN_ASKING_LETTERS, MIN_KNOWN_LETTERS, MIN_NAME_LETTERS = 3, 4, 7
#: The letters from which a word is compared without its apostrophe.
MIN_PLAIN_LETTERS = 5
#: From this ratio of equal letters on, an unknown word may be another one with several slips.
MIN_EQUAL_LETTERS = 0.8
#: Search results that must hold the word which a slip is read as, and the share of all of them that
#: must if the slip may be a name.
MIN_RESULTS, MIN_NAME_SHARE = 3, 1 / 3
#: The letters that a slip has in place of others, at most, if one is a consonant.
MAX_REPLACED_LETTERS = 1
_VOWELS = frozenset("aeiouy")
_EDGES = "\"'()[].,;:!?"
_QUOTES = str.maketrans("’‘ʼ`´", "'''''")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
#: A word that no hyphen or apostrophe joins to another.
SEPARATE_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w'’-])")
_HYPHENATED = re.compile(r"\b([^\W\d_]{2,})[-‐‑]([^\W\d_]{2,})\b")
_APART = re.compile(r"\b([^\W\d_]{3,}) (?=([^\W\d_]{3,})\b)")


@dataclass(frozen=True)
class SpelledQuestion:
    """A question as it is read; `slips` holds (as written, as read) for each word respelled."""

    text: str
    slips: tuple[tuple[str, str], ...] = ()


def spell_question(question: str, texts: Sequence[str], *, is_english: bool) -> SpelledQuestion:
    """Return the question with straight apostrophes, shorthand written out and slips mended.

    "Off-shore" becomes "offshore" where the texts write so, and the reverse, and "chicken pox" one
    word where they do not hold both.
    texts: those that the question is compared with, a title first. In other languages only
    apostrophes change.
    """
    plain = question.translate(_QUOTES)
    if not is_english:
        return SpelledQuestion(plain)
    listed = [tokenize(text) for text in texts]
    titled = [token for token in listed[0] if token.isalpha()] if listed else []
    tokens = dict.fromkeys(token for words in listed for token in words)
    pairs = {
        f"{one}{other}": f"{one}-{other}" for words in listed for one, other in pairwise(words)
    }
    mended = mend_confused_words(plain)
    slips: list[tuple[str, str]] = []
    for written, meant in zip(plain.split(), mended.split(), strict=True):
        if written != meant:
            slips.append((written.strip(_EDGES), meant.strip(_EDGES)))

    def respell(match: re.Match[str]) -> str:
        word = match[0].lower()
        is_acronym = match[0].isupper() and len(word) < MIN_NAME_LETTERS  # "500 BC", "a UR code"
        if word in SHORTHAND and not is_acronym:
            return SHORTHAND[word]
        if word in tokens or word in FILLER_WORDS:
            return match[0]
        spelled = (
            pairs.get(word)
            or _find_same_letters(word, tokens)
            or _find_slip(match[0], tokens)
            or _find_alike(match[0], titled)
        )
        if not spelled:
            return match[0]
        if keep_letters(spelled) != keep_letters(word):
            slips.append((match[0], spelled))
        return spelled

    def join(match: re.Match[str]) -> str:
        joined = f"{match[1]}{match[2]}"
        is_joined = joined.lower() in tokens and joined.lower() not in pairs
        return joined if is_joined else match[0]

    def close_up(match: re.Match[str]) -> str:
        one, other = match[1].lower(), match[2].lower()
        if one in FILLER_WORDS or other in FILLER_WORDS:  # "every day", "any one"
            return match[0]
        is_one_word = f"{one}{other}" in tokens and not (one in tokens and other in tokens)
        return match[1] if is_one_word else match[0]

    joined = _APART.sub(close_up, _HYPHENATED.sub(join, mended))
    text = _WORD.sub(respell, joined)
    return SpelledQuestion(text, tuple(slips))


def spell_by_results(
    question: str,
    results: Sequence[str],
    passages: Sequence[str],
    respelled: Mapping[str, str] = MappingProxyType({}),
) -> SpelledQuestion:
    """Return an English question in which slips are read as frequent words of its search results.

    A slip is an unknown word that neither results nor passages hold. results: the title and snippet
    of each; respelled: lower-case word -> as what it was searched for.
    """
    held = {word_root(token) for text in (*results, *passages) for token in tokenize(text)}
    results_with = Counter(token for text in results for token in set(tokenize(text)))
    slips: dict[str, str] = {}
    words = dict.fromkeys(SEPARATE_WORD.findall(question))
    for written in words:
        word = written.lower()
        is_name = written[0].isupper() and not written.isupper() and word not in words
        least = MIN_NAME_LETTERS if is_name else MIN_PLAIN_LETTERS
        if len(word) < least or word_root(word) in held or is_known_word(word, exactly=True):
            continue
        needed = max(MIN_RESULTS, MIN_NAME_SHARE * len(results) if is_name else 0)
        frequent = {one: n for one, n in results_with.items() if n >= needed}
        meant = respelled.get(word) or _find_meant(word, frequent)
        if meant:
            slips[written] = meant
    text = SEPARATE_WORD.sub(lambda match: slips.get(match[0], match[0]), question)
    return SpelledQuestion(text, tuple(slips.items()))


def _find_meant(word: str, frequent: Mapping[str, int]) -> str:
    """Return which frequent word an unknown word is a slip of, the nearest, or ""."""
    near = [
        token
        for token in frequent
        if token.isalpha() and is_spelled_like(word, token) and not _is_other_name(word, token)
    ]
    return max(
        near, key=lambda token: (is_one_slip_away(word, token), frequent[token], token), default=""
    )


def is_slip_of(word: str, other: str) -> bool:
    """Return whether an unknown word is likely another one misspelt, judged by their letters alone.

    Short words may differ in vowels or in letters left out ("lyrica" is not "lyrics"). Long ones
    may not differ by a whole syllable ("prednisone" is not "prednisolone"), nor may each have a
    consonant that the other lacks, unless they are one slip apart.
    """
    if not is_spelled_like(word, other) or _is_other_name(word, other):
        return False
    more, fewer = Counter(word) - Counter(other), Counter(other) - Counter(word)
    if more and fewer and min(len(word), len(other)) < MIN_NAME_LETTERS:
        return not (_count_consonants(more) or _count_consonants(fewer))
    if _has_other_consonants(word, other) and not is_one_slip_away(word, other):
        return False
    added = more or fewer
    has_syllable = 0 < _count_consonants(added) < added.total()
    return is_one_slip_away(word, other) or bool(more and fewer) or not has_syllable


def _is_other_name(one: str, other: str) -> bool:
    """Return whether words differ by more than vowels or one consonant: "nifedipine", "nimodipine".

    People take one vowel for another ("carborator"), and rarely a consonant too.
    """
    more, fewer = Counter(one) - Counter(other), Counter(other) - Counter(one)
    replaced = min(more.total(), fewer.total())
    consonants = max(_count_consonants(more), _count_consonants(fewer))
    return replaced > MAX_REPLACED_LETTERS and consonants > 0


#: Letters that sound alike, in one spelling.
_SOUNDS = (("ph", "f"), ("z", "s"), ("k", "c"))


def _has_other_consonants(word: str, other: str) -> bool:
    """Return whether each word has a consonant that the other lacks: "rifaximin", "rifampin"."""
    for letters, sound in _SOUNDS:
        word, other = word.replace(letters, sound), other.replace(letters, sound)
    one, two = Counter(word), Counter(other)
    return bool(_count_consonants(one - two) and _count_consonants(two - one))


def _count_consonants(letters: Counter[str]) -> int:
    return sum(count for letter, count in letters.items() if letter not in _VOWELS)


def _find_same_letters(word: str, tokens: Iterable[str]) -> str:
    """Return the token that differs by an apostrophe only ("parkinsons", "parkinson's"), or ""."""
    letters = keep_letters(word)
    if len(letters) < MIN_PLAIN_LETTERS:
        return ""
    for token in tokens:
        if ("'" in token or "'" in word) and keep_letters(token) == letters:
            return token
    return ""


def _find_slip(word: str, tokens: Iterable[str]) -> str:
    """Return the word of asking or of the texts that an unknown word is a slip of, or ""."""
    lowered = word.lower()
    if not word.isalpha() or is_known_word(word, exactly=True):
        return ""
    for asking in _ASKING_WORDS:
        if len(asking) >= MIN_ASKING_LETTERS and is_one_slip_away(lowered, asking):
            return asking
    is_name = word[0].isupper() and word[1:].islower()
    for token in tokens:
        is_plain = not is_name and is_known_word(token, exactly=True)
        least = MIN_KNOWN_LETTERS if is_plain else MIN_NAME_LETTERS
        if len(token) >= least and token.isalpha() and is_one_slip_away(lowered, token):
            return token
    return ""


def _find_alike(word: str, titled: Iterable[str]) -> str:
    """Return the word of a title that an unknown word is spelled like, or ""."""
    lowered = word.lower()
    least = MIN_NAME_LETTERS if word != lowered else MIN_PLAIN_LETTERS  # "Nowak" is not "Novak"
    if not lowered.isalpha() or len(lowered) < least:
        return ""
    if is_known_word(lowered, exactly=True):
        return ""
    return next((token for token in titled if is_slip_of(lowered, token)), "")


def is_one_slip_away(one: str, other: str) -> bool:
    """Return whether one letter more, less, another, or two swapped make one word the other.

    No slip makes a word its opposite: "macroglia", "microglia".
    """
    if one == other or abs(len(one) - len(other)) > 1 or begin_oppositely(one, other):
        return False
    place = 0
    while place < min(len(one), len(other)) and one[place] == other[place]:
        place += 1
    first, second = one[place:], other[place:]
    if first[1:] == second[1:] or first[1:] == second or first == second[1:]:
        return True
    return first[:2] == second[:2][::-1] and first[2:] == second[2:]


def is_spelled_like(word: str, other: str) -> bool:
    """Return whether an unknown word is one slip away from another, or mostly the same letters.

    "Periferal" for "peripheral", "gonorrea" for "gonorrhea". Both begin alike. A word that is one
    slip away from a known one ("hypothyrodism") is not taken for another ("hyperthyroidism").
    """
    if word[0] != other[0] or min(len(word), len(other)) < MIN_KNOWN_LETTERS:
        return False
    if begin_oppositely(word, other):
        return False
    if is_one_slip_away(word, other):
        return True
    if min(len(word), len(other)) < MIN_NAME_LETTERS or is_slip(word):
        return False
    return SequenceMatcher(None, word, other, autojunk=False).ratio() >= MIN_EQUAL_LETTERS
