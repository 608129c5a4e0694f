"""Find where a text began to repeat itself, as small models do when they are caught in a loop."""

from __future__ import annotations

import re

#: A run of at least this many words, so many times in a row, is a loop. Longer runs are looked for
#: up to MAX_RUN words.
MIN_RUN = 20
MAX_RUN = 200
TIMES = 4
#: Words, and the signs of scripts that put no spaces between words. Marks alone (the rules of a
#: table) are none.
_UNIT = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W\u0e00-\u0e7f\u3040-\u9fff]+")


class RepetitionGuard:
    """Watches a text as it grows.

    cut: how many characters of the text to keep once it repeats itself: all before the loop, and
    the loop once; None while it does not.
    """

    def __init__(self) -> None:
        self.cut: int | None = None
        self._text = ""
        self._searched = 0
        self._words: list[str] = []
        self._ends: list[int] = []

    def add(self, piece: str) -> None:
        """Add a piece of the text. Nothing is looked for once `cut` is set."""
        if self.cut is not None:
            return
        self._text += piece
        for match in _UNIT.finditer(self._text, self._searched):
            if match.end() == len(self._text):
                return  # the word may go on in the next piece
            self._searched = match.end()
            self._words.append(match.group())
            self._ends.append(match.end())
            if len(self._words) % MIN_RUN == 0 and self._find_loop():
                return

    def _find_loop(self) -> bool:
        """Set `cut` and return True if the last words are one run, TIMES times."""
        words = self._words
        for length in range(MIN_RUN, min(MAX_RUN, len(words) // TIMES) + 1):
            if words[-1] != words[-1 - length]:
                continue
            if words[-length * (TIMES - 1) :] == words[-length * TIMES : -length]:
                self.cut = self._ends[self._find_first_end(length)]
                return True
        return False

    def _find_first_end(self, length: int) -> int:
        """Return the index of the last word to keep, where the last words repeat `length`."""
        words = self._words
        start = len(words) - length * TIMES
        while start > 0 and words[start - 1] == words[start - 1 + length]:
            start -= 1
        # A run of twenty words may itself be a shorter one, many times.
        for period in range(1, length + 1):
            if words[start + period :] == words[start : len(words) - period]:
                return start + period - 1
        raise AssertionError("unreachable: `length` is such a period")


def find_repetition(text: str) -> int | None:
    """Return how many characters to keep of a text that repeats itself, None for any other."""
    guard = RepetitionGuard()
    guard.add(text + " \n")
    return guard.cut
