"""Count text left out of a page because it is invisible: how often, why, and samples.

Only text meant to be read counts: no scripts, scraps of code or single words. The readers find it.
"""

from __future__ import annotations

import re
from collections import Counter

from research_core.models import HiddenText
from research_core.text.instructions import find_instructions
from research_core.text.words import strip_invisible, truncate

SAMPLES, SAMPLE_LENGTH = 20, 200
#: Samples kept for one reason, so that it does not crowd out the others.
SAMPLES_PER_REASON = 8
#: Fewest letters and words of a line that is text; a character that writes a word by itself
#: counts threefold. Below this share of letters and white space a line is code.
LEAST_LETTERS, LEAST_WORDS, MIN_PROSE_SHARE = 20, 4, 0.8
LONG_LINE = 80
_SENTENCE_END = re.compile(r"[.!?…。！？।۔][\"'”’»)\]]*\Z")
#: Characters examined of one text, and texts kept and searched for instructions to a machine.
LOOKED_AT, MAX_SEARCHED = 2_000, 100

#: Reasons, as shown to analysts.
NOT_DISPLAYED = "not displayed until the page is used"
TRANSPARENT = "transparent"
SAME_COLOUR = "in the colour of its background"
TOO_SMALL = "too small to read"
OFF_SCREEN = "placed off the screen"
NO_ROOM = "cut down to nothing"
NEVER_DRAWN = "in an element that no browser draws"
UNPAINTED = "written without any ink"
COVERED = "under something drawn over it"
OFF_PAGE = "placed off the page"
NO_SCRIPTS = "shown only where scripts do not run"
COMMENT = "in a comment of the source"
IN_LINK_TITLE = "in a link's title, a definition or a picture's text"
SPELLED_INVISIBLY = "spelled in invisible characters"
INVISIBLE_CHARACTERS = "invisible characters between the letters"
DIRECTION_CHARACTERS = "characters that turn the direction of reading"

#: Ways in which ordinary pages hide menus, banners, notes for screen readers and the like.
ORDINARY_WAYS = frozenset(
    {
        NOT_DISPLAYED,
        TRANSPARENT,
        OFF_SCREEN,
        NO_ROOM,
        NEVER_DRAWN,
        NO_SCRIPTS,
        COMMENT,
        IN_LINK_TITLE,
    }
)


class HiddenTextTally:
    """Counts of text that was left out, with samples."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        # Whether it addresses a machine, the reason, the words.
        self._samples: list[tuple[bool, str, str]] = []
        self._searched = 0

    def add(self, reason: str, text: str) -> None:
        """Count a text that was left out, if it was meant to be read by a person or a machine.

        Each line of it is judged by itself.
        """
        lines = [" ".join(line.split()) for line in strip_invisible(text[:LOOKED_AT]).split("\n")]
        words = " ".join(filter(None, lines))
        start = self._speaks(words)
        if start is not None or any(
            is_readable(line, sentence=reason in ORDINARY_WAYS) for line in lines
        ):
            self.note(reason, words[max(0, (start or 0) - 20) :], to_machine=start is not None)

    def note(self, reason: str, words: str, count: int = 1, *, to_machine: bool = False) -> None:
        """Count a text that is known to matter."""
        self._counts[reason] += count
        if to_machine or len(self._samples) < MAX_SEARCHED:
            self._samples.append((to_machine, reason, truncate(words, SAMPLE_LENGTH)))

    def fork(self) -> HiddenTextTally:
        """Return a tally for a part that may not be used after all; merge it with `merge`."""
        other = HiddenTextTally()
        other._searched = self._searched
        return other

    def merge(self, other: HiddenTextTally) -> None:
        self._counts.update(other._counts)
        self._samples += other._samples
        self._searched = other._searched

    def _speaks(self, words: str) -> int | None:
        """Return where the words begin to address a machine, or None."""
        self._searched += 1
        found = find_instructions(words) if self._searched <= MAX_SEARCHED else ()
        return found[0].start if found else None

    @property
    def hidden(self) -> HiddenText:
        """All counts by reason, and samples.

        Reasons in order of name; samples that address a machine come first, then the others in the
        order found.
        """
        taken: Counter[str] = Counter()
        samples = []
        for to_machine, reason, words in sorted(self._samples, key=lambda sample: not sample[0]):
            taken[reason] += not to_machine
            if to_machine or taken[reason] <= SAMPLES_PER_REASON:
                samples.append((reason, words))
        return HiddenText(dict(sorted(self._counts.items())), tuple(samples[:SAMPLES]))


def is_readable(words: str, *, sentence: bool) -> bool:
    """Return whether a line reads like text for readers, and not like a label or code.

    sentence: it must also look like a sentence.
    """
    if sentence and len(words) < LONG_LINE and not _SENTENCE_END.search(words):
        return False
    letters = sum(3 if character >= "\u2e80" else 1 for character in words if character.isalpha())
    spaces = words.count(" ")
    return (
        letters >= LEAST_LETTERS
        and letters + spaces >= MIN_PROSE_SHARE * len(words)
        and (spaces + 1 >= LEAST_WORDS or letters > 2 * len(words))
    )


# ---------------------------------------------------------------- characters

_INVISIBLE_CHARACTERS = re.compile(
    "[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff]"
)
_TAGS = re.compile(
    "(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]{2,}"
)  # after a black flag they name a country
_SELECTORS = re.compile(
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}"
)  # one chooses the look of the character before it
#: Zero-width characters: a row of them spells something; between two Latin letters they keep a
#: word from being found.
_INVISIBLE_ROW = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u034f]{4,}")
_BETWEEN_LETTERS = re.compile(
    "(?<=[A-Za-z])[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u034f](?=[A-Za-z])"
)
_DIRECTION_MARKS = re.compile("[\u202d\u202e]")
#: Number between letters from which they are no longer mere break hints.
MANY_CHARACTERS = 10


def count_characters(text: str, tally: HiddenTextTally) -> None:
    """Count invisible characters in a text and decode what is spelled in them.

    What typesetting uses is ignored: soft hyphens, joiners, direction marks, a few break hints,
    flags.
    """
    if text.isascii() or not _INVISIBLE_CHARACTERS.search(text):
        return
    for row in _TAGS.findall(text):
        tally.note(SPELLED_INVISIBLY, _decode_tags(row), to_machine=True)
    for row in _SELECTORS.findall(text):
        tally.note(SPELLED_INVISIBLY, _decode_selectors(row), to_machine=True)
    for row in _INVISIBLE_ROW.findall(text):
        tally.note(INVISIBLE_CHARACTERS, f"{len(row)} of them in a row")
    places = [found.start() for found in _BETWEEN_LETTERS.finditer(text)]
    if len(places) >= MANY_CHARACTERS:
        tally.note(INVISIBLE_CHARACTERS, excerpt_around(text, places[0]), len(places))
    for found in _DIRECTION_MARKS.finditer(text):
        tally.note(DIRECTION_CHARACTERS, excerpt_around(text, found.start()))


def _decode_tags(row: str) -> str:
    codes = map(ord, row)
    return "".join(chr(code - 0xE0000) for code in codes if 0xE0020 <= code < 0xE007F)


def _decode_selectors(row: str) -> str:
    """Decode a row of variation selectors, one byte each."""
    spelled = bytearray()
    for code in map(ord, row):
        spelled.append(code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16)
    return strip_invisible(spelled.decode("utf-8", "replace"))


def excerpt_around(text: str, place: int) -> str:
    """Return the words on either side of a position."""
    return " ".join(strip_invisible(text[max(0, place - 60) : place + 60]).split())
