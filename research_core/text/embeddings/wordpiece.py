"""Split a text into the numbers of its word pieces, as BERT's uncased tokeniser does.

`vocab.txt` is the vocabulary of BERT uncased and of all-MiniLM-L6-v2 (Google and
sentence-transformers, Apache License 2.0), unchanged: sha256
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3. The place of a piece in it is its
number.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

VOCABULARY = Path(__file__).with_name("vocab.txt")
UNKNOWN, START, END = 100, 101, 102
#: Longer words are unknown, as in the original tokeniser.
LONGEST_WORD = 100
#: Each Chinese character is a word.
_HAN = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def encode(text: str, most: int) -> list[int]:
    """Return the numbers of the pieces of a text between start and end mark, at most `most`."""
    numbers: list[int] = []
    for word in _split_words(text):
        numbers += _split_word(word)
        if len(numbers) >= most - 2:
            break
    return [START, *numbers[: most - 2], END]


@cache
def _load_vocabulary() -> dict[str, int]:
    """Return the number of each piece, read at first use."""
    pieces = VOCABULARY.read_text(encoding="utf-8").split("\n")[:-1]
    return {piece: number for number, piece in enumerate(pieces)}


def _split_words(text: str) -> list[str]:
    """Split a text into lower-case words without accents and control characters.

    Each punctuation mark and each Chinese character is a word of its own.
    """
    bare = unicodedata.normalize("NFD", text.translate(_CLEAN_CHARACTERS).lower())
    return bare.translate(_SPACED_CHARACTERS).split()


class _CharacterMap(dict[int, str]):
    """What each character becomes, computed when it is first met, for `str.translate`."""

    def __init__(self, change: Callable[[str], str]) -> None:
        self._change = change

    def __missing__(self, code: int) -> str:
        changed = self[code] = self._change(chr(code))
        return changed


def _clean_character(char: str) -> str:
    """Return the character, a space for white space, or "" for a control character."""
    category = unicodedata.category(char)
    if char in "\t\n\r" or category == "Zs":
        return " "
    if char == "\ufffd" or category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    return char


def _space_character(char: str) -> str:
    """Put spaces around punctuation and Chinese characters; drop combining marks."""
    code, category = ord(char), unicodedata.category(char)
    if category == "Mn":
        return ""
    is_mark = category[0] == "P" or (char.isascii() and category[0] == "S")
    if is_mark or any(low <= code <= high for low, high in _HAN):
        return f" {char} "
    return char


_CLEAN_CHARACTERS = _CharacterMap(_clean_character)
_SPACED_CHARACTERS = _CharacterMap(_space_character)


@lru_cache(maxsize=100_000)
def _split_word(word: str) -> list[int]:
    """Split a word greedily into its longest known pieces; unknown if one is missing."""
    vocabulary = _load_vocabulary()
    numbers: list[int] = []
    start = 0
    while start < len(word) <= LONGEST_WORD:
        head = "##" if start else ""
        end = len(word)
        while end > start and head + word[start:end] not in vocabulary:
            end -= 1
        if end == start:
            return [UNKNOWN]
        numbers.append(vocabulary[head + word[start:end]])
        start = end
    return numbers or [UNKNOWN]
