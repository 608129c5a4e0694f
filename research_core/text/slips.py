"""Find the English words that a slip of spelling or the shorthand of chats stands for."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase

from research_core.text.similarity import is_known_word, rarity

#: What chats write for words of asking and others, in lower case with straight apostrophes.
SHORTHAND = {
    "whats": "what is", "what's": "what is", "wats": "what is", "wat": "what", "hows": "how is",
    "how's": "how is", "whos": "who is", "who's": "who is", "wheres": "where is",
    "where's": "where is", "whens": "when is", "when's": "when is", "whys": "why is",
    "why's": "why is", "thats": "that is", "theres": "there is", "dont": "don't",
    "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't",
    "cant": "can't", "wont": "won't", "couldnt": "couldn't", "shouldnt": "shouldn't",
    "wouldnt": "wouldn't", "wut": "what", "wich": "which", "wen": "when", "plz": "please",
    "pls": "please", "plss": "please", "thx": "thanks", "tnx": "thanks", "u": "you", "ur": "your",
    "b4": "before", "bc": "because", "btw": "by the way", "abt": "about", "w/": "with",
    "w/o": "without", "meds": "medicines",
}  # fmt: skip
#: What follows "dr" where it is no part of a name, as in "the dr martens boots".
_BEHIND_DOCTOR = (
    "is|are|was|were|do|does|did|can|cannot|can't|could|will|would|should|must|may|might|has|have"
    "|had|says?|said|tells?|told|asks?|asked|thinks?|thought|gives?|gave|wants?|wanted|needs?|knows?"
    "|knew"
    "|treats?|treated|prescribe[sd]?|recommend(?:s|ed)?|advise[sd]?|suggest(?:s|ed)?|diagnose[sd]?"
    "|refuse[sd]?|refers?|referred|put|for|about|at|in|on|of|to|from|with|without|by|before|after"
    "|during|near|and|or|but|if|when|because|so|that|who|than|as|not|just|appointments?|visits?"
    "|office|note"
)
#: Patterns of a word written for another of nearly the same sound, as its neighbours show, and the
#: word that is meant.
CONFUSED_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), meant)
    for pattern, meant in (
        (r"\b(?:to|can|can't|cannot|will|i|you|we) (?P<slip>loose)\b(?! (?:ends?|fit))", "lose"),
        (r"\b(?P<slip>loose) (?:(?:my|your|our|some|any|body|belly) )?"
         r"(?:weight|money|sleep|hope|interest|control)\b", "lose"),
        (r"\b(?P<slip>loosing)\b(?! up\b)", "losing"),
        (r"\b(?:to|can|can't|cannot|hardly|barely) (?P<slip>breath)\b", "breathe"),
        (r"\b(?:to|can|i) (?P<slip>quite) (?:\w+ing|my|alcohol|sugar|coffee|work)\b", "quit"),
        (r"\b(?:disc|disk|drum|front|rear|bike|parking|emergency|anti-?lock) (?P<slip>break)s?\b"
         r"(?! (?:down|up|in)\b)", "brake"),
        (r"\b(?:how|why|where) (?P<slip>dose)\b", "does"),
        (r"\b(?<!\bin )(?:the|a|my|your|his|her|our|their|another|any|which|every|to|see)"
         r" (?P<slip>dr\b(?:\.(?= ))?)(?!\.? (?-i:[A-Z]))"
         rf"(?=\W*$|['’]s\b|[?!,;:)]| (?:{_BEHIND_DOCTOR})\b)", "doctor"),
        (r"\b(?:(?:more|less) [\w-]+|cheaper|safer|faster|slower|stronger|weaker|longer|shorter"
         r"|bigger|smaller|higher|lower|healthier|older) (?P<slip>then) (?=\w)", "than"),
    )
)  # fmt: skip
#: The lengths of words whose spelling is corrected, in letters.
CORRECTED_LENGTH = (6, 20)
#: A word rarer than this corrects no other: the unknown word may well be a name.
MAX_RARITY = 5.2
#: The shortest word, in letters, that another may be a slip of.
MIN_KNOWN_LENGTH = 4


def mend_confused_words(text: str) -> str:
    """Correct English words written for others: "to loose weight", "how dose it"."""
    for pattern, meant in CONFUSED_WORDS:
        parts = []
        end = 0
        for match in pattern.finditer(text):
            parts += [text[end : match.start("slip")], meant]
            end = match.end("slip")
        text = "".join((*parts, text[end:]))
    return text


def is_correctable(word: str) -> bool:
    """Return True for a lower-case word that the list of English words does not hold."""
    is_plain = word.isascii() and word.isalpha() and word == word.lower()
    low, high = CORRECTED_LENGTH
    return is_plain and low <= len(word) <= high and not is_known_word(word)


@lru_cache(maxsize=2048)
def correct_word(word: str) -> str:
    """Return the only known word one edit away from an unknown one; else the word itself.

    A last letter replaced or left out is an ending, such as that of another language, and no slip.
    """
    if not is_correctable(word):
        return word
    options = {near for near in list_edits(word) if is_known_word(near, exactly=True)}
    options.discard(word.replace("our", "or"))  # British spelling
    options = {near for near in options if near[0] == word[0] and rarity(near) < MAX_RARITY}
    return options.pop() if len(options) == 1 else word


def list_edits(word: str) -> set[str]:
    """Return what one letter added, replaced, left out or swapped makes of a word."""
    edits: set[str] = set()
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        edits.update(head + letter + tail for letter in ascii_lowercase)
        if len(tail) > 1:
            edits.add(head + tail[1:])
            edits.add(head + tail[1] + tail[0] + tail[2:])
            edits.update(head + letter + tail[1:] for letter in ascii_lowercase)
    return edits


@lru_cache(maxsize=1_000)
def is_slip(word: str) -> bool:
    """Return whether a word is unknown and one letter away from a known word.

    A word longer than `CORRECTED_LENGTH` is none.
    """
    if not word.isascii() or len(word) > CORRECTED_LENGTH[1] or is_known_word(word):
        return False
    edits = list_edits(word) | {word[:-1]} | {word[:-1] + letter for letter in ascii_lowercase}
    return any(
        len(near) >= MIN_KNOWN_LENGTH and is_known_word(near, exactly=True) for near in edits
    )


#: Beginnings of words that are the opposite of each other: "hypernatremia", "hyponatremia".
_OPPOSITE_BEGINNINGS = (("hyper", "hypo"), ("macro", "micro"), ("inter", "intra"), ("ante", "anti"))


def begin_oppositely(word: str, other: str) -> bool:
    """Return whether the beginnings of two words make them opposites, however alike they are."""
    return any(
        (word.startswith(one) and other.startswith(two))
        or (word.startswith(two) and other.startswith(one))
        for one, two in _OPPOSITE_BEGINNINGS
    )
