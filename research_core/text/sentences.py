"""Find the sentences of a text.

Made for text from web pages and PDFs: headings, bullets, tables, code and wrapped lines. It goes by
form only and changes nothing. Abbreviations and numbers with a point are those of the text's
language, which is guessed from the text where the caller does not know it.

Libraries compared: pysbd 0.3.4 is from 2021 and 50 times slower, nupunkt knows English only, and
the rules of ICU split "am 4. März" and "z. B.".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Protocol

from research_core.text.abbreviations import (
    GERMAN_DETERMINERS,
    MONTHS,
    POINTED_NUMBER_LANGUAGES,
    find_abbreviations,
)
from research_core.text.languages import find_stop_words, guess_language

Span = tuple[int, int]

#: No sentence is longer. Text without punctuation (subtitles, tables) is cut at a semicolon, comma
#: or space.
MAX_LENGTH = 600

_LINE = re.compile(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_LEAD = re.compile(
    r"(?:\s|#{1,6}(?=\s)|>|[-*+•‣◦▪●·–—](?=\s))*"
)  # markup before the words of a line; it stays outside
_NEW_BLOCK = re.compile(
    r"#{1,6}\s|[-*+•‣◦▪●·–—]\s|>|\||\(?\d{1,3}[.)]\s|\(?[A-Za-z]\)\s|\[\d{1,3}\]\s"
)
_FENCE = re.compile(r"`{3,}(?=[^`]*$)")
_DANGLING = re.compile(
    r"(?<=\s)(?:an?|the|and|or|of|in|on|at|to|by|for|from|with|that|is|are|was|were)$"
)
#: The longest word before a point that may be an abbreviation, in characters.
MAX_ABBREVIATION = 8
_WORD_CHARACTER = re.compile(r"[^\W_]")

#: Signs that end a sentence wherever they stand.
FULL_STOPS = "。！？｡।॥؟۔։።፧།။។៕"
_OPENERS = "\"'“‘«‹„([（「『【¿¡*_"
#: Signs that may stand between the end of a sentence and white space, for a character class.
CLOSERS = "\"'”’»›“)\\]）」』】*_"
#: A Greek question mark looks like a semicolon.
GREEK_QUESTION_MARK = r"(?<=[\u0370-\u03ff\u1f00-\u1fff»])[;\u037e]"
_UNSPACED = "\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_END = re.compile(
    rf"""
    (?=[.!?…;\u037e．{FULL_STOPS}])  # all that follows begins with one of these; this is quick
    (?: (?<![.!?…]) [.!?…]++ [{CLOSERS}]*+ (?:[ \u00a0\u202f][»›](?=\s|\Z))?
        (?:[ ]?\[(?:\d{{1,3}}|[a-z]|citation\ needed)\] | [⁰¹²³⁴-⁹])*+  # citation marks
        (?=\s|\Z)
      | (?<=[a-z]{{3}}) [.!?] (?=[A-Z][a-z]+[ ,])  # a page that lost the space between sentences
      | [{FULL_STOPS}]++ [{CLOSERS}]*+
      | (?<=[{_UNSPACED}]) (?:[!?]++|．) [{CLOSERS}]*+ (?=[{_UNSPACED}「『（])
      | {GREEK_QUESTION_MARK} [{CLOSERS}]*+ (?=\s)
    )
    """,
    re.VERBOSE,
)
#: Japanese puts speech and its verb into one sentence: 「はい。」と言った。
_SPEECH_GOES_ON = re.compile(r"(?<=[」』”])(?:と|って|など|という)")
_NO_WORD = r"\s(\[\"“'‘„«—–/*_"
_WORD_BEFORE = re.compile(rf"[^{_NO_WORD}]*$")
_PARTS_BEFORE = re.compile(
    rf"(?:(?<![^{_NO_WORD}])[^.{_NO_WORD}]{{1,5}}\.[ \u00a0\u202f]?){{0,3}}[^.{_NO_WORD}]+$"
)
_NEXT_PART = re.compile(r"([^\W\d_]{1,5})\.")
_THAI_LETTER = re.compile("[\u0e01-\u0e3a]$")  # Thai has points in abbreviations only
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_POINTED_NUMBER = re.compile(r"\d{1,4}|[IVXLC]+")
_DATE_GOES_ON = re.compile(r"\d{1,2}\. ?\d{2,4}|\d{4}\b")
_LAST_WORD = re.compile(r"([^\W\d_]+)\s+\S*$")
#: Arabic writes "and" with the word after it: "وكان".
_ARABIC_AND = re.compile("و[^\\W\\d_]{3}")
#: "L'homme" begins with a function word.
_ELIDED = re.compile(r"[^\W\d_]{1,2}['’](?=[^\W\d_])")
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5}|§+)")
_NEXT_WORD = re.compile(r"[^\W\d_]+(?![.\w])")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)*[A-Z]|[a-z](?:\.[a-z])+")


def _word_set(words: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(words.split())


#: A point after one of these never ends a sentence.
_TITLES = _word_set(
    "Dr Mr Mrs Ms Mx Prof Rev Hon Sen Rep Gov Gen Lt Col Capt Cmdr Sgt Cpl Maj Pres Supt Amb Messrs"
    " Mme Mlle Dra Sra Mt Ft Fig Figs Eq Eqs"
)
_NEVER_ENDING = _word_set(
    "dr mr mrs ms prof e.g i.e eg ie viz vs v cf resp incl approx ca c.f figs eq eqs bzw z.b d.h"
    " ggf vgl evtl u.a"
)
#: A point after one of these ends a sentence only if no number follows.
_BEFORE_NUMBER = _word_set(
    "no nos nr vol vols p pp pg ch chap fig sec secs sect art arts para par app ver ref ed est abs"
    " max min jan feb mar apr jun jul aug sep sept oct nov dec"
)
#: A point after one of these, or after initials, ends a sentence only if the next word often begins
#: one.
_SOMETIMES_ENDING = _word_set(
    "inc ltd co corp llc plc bros etc al jr sr st ave blvd rd ft ph.d dept univ assn intl eds trans"
)
_STATES = _word_set(
    "Ala Ariz Ark Calif Colo Conn Fla Ga Ill Ind Kan Mass Md Mich Minn Mo Neb Nev Okla Ore Pa Tenn"
    " Tex Va Vt Wash Wis"
)
_STARTERS = _word_set(
    "A According After All Although Among An And Another As At Because Before Both But By Despite"
    " During Each Even Every Few For From Further Furthermore He Hence Her Here His How However I"
    " If In Instead It Its Later Like Many Meanwhile More Moreover Most Much My Nevertheless No"
    " None Not Now Of On Once One Only Or Other Others Our Over Overall Recently She Similarly"
    " Since So Some Still Such That The Their Then There Therefore These They This Those Though"
    " Three Through Thus To Today Two Under Unlike Until We What When Where Whether Which While Who"
    " Why With Without Yet You Your"
)


class GivesLanguage(Protocol):
    """Return the language of a text, which most texts are never asked for."""

    def __call__(self) -> str: ...


def find_sentences(text: str, language: str = "") -> list[Span]:
    """Return the (start, end) spans of the sentences, in order and without overlaps.

    language: its code where it is known; "" to guess it from the text.

    No span begins or ends with white space. Headings, list items, table rows and code without an
    empty line are spans of their own. Every letter and digit is in a span; bullets, heading marks,
    rules and other signs that stand alone are in none. A span may hold line breaks of wrapped text.
    None is longer than `MAX_LENGTH`.
    """
    return list(_find_spans(text, language))


@lru_cache(maxsize=64)
def _find_spans(text: str, language: str) -> tuple[Span, ...]:
    """Return the spans. Cached, because every comparison with a page asks for its sentences."""
    find_language = partial(str, language) if language else partial(guess_language, text)
    found: list[Span] = []
    for start, end, is_whole in _find_blocks(text):
        spans = [(start, end)] if is_whole else _split_block(text, start, end, find_language)
        cuts = _WHOLE_CUTS if is_whole else _CUTS
        for span in spans:
            for piece in _cut_long(text, *span, cuts):
                if _WORD_CHARACTER.search(text, *piece):
                    found.append(piece)
    return tuple(found)


# ---------------------------------------------------------------- lines to blocks


def _find_blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whole) of the stretches that no sentence leaves.

    These are paragraphs joined from their lines, headings and list items. A table row, and code up
    to an empty line, is `whole`: one span whatever it says.
    """
    lines = list(_number_fences(text))
    prose_lines = [line for line, code in lines if not code and text[line[0]] != "|"]
    width = _wrap_width(text, prose_lines)
    block: list[Span] = []
    block_code = 0
    for line, code in lines:
        if block:
            if code != block_code:
                goes_on = False
            elif code:
                goes_on = _are_adjacent(text, block[-1], line)
            else:
                goes_on = _continues(text, block[-1], line, width)
            if not goes_on:
                yield _make_block(text, block, is_code=block_code > 0)
                block = []
        block.append(line)
        block_code = code
    if block:
        yield _make_block(text, block, is_code=block_code > 0)


def _number_fences(text: str) -> Iterator[tuple[Span, int]]:
    """Yield each line with content and the number of its fenced code, 0 outside.

    The fences belong to their code.
    """
    fence = ""
    number = 0
    for line in _find_lines(text):
        bare = text[slice(*line)]
        opening = None if fence else _FENCE.match(bare)
        if opening:
            fence = opening[0]
            number += 1
        yield line, number if fence else 0
        if fence and not opening and bare.startswith(fence) and not bare.strip("`"):
            fence = ""


def _find_lines(text: str) -> Iterator[Span]:
    """Yield the spans of the lines with content, without surrounding white space."""
    for line in _LINE.finditer(text):
        bare = line[0].strip()
        if bare:
            start = line.start() + line[0].index(bare[0])
            yield start, start + len(bare)


def _make_block(text: str, block: list[Span], *, is_code: bool) -> tuple[int, int, bool]:
    """Return (start past the line's marks, end, whole) of a block of lines."""
    start, end = block[0][0], block[-1][1]
    if is_code or text[start] == "|":
        return start, end, True
    lead = _LEAD.match(text, start, end)
    return (lead.end() if lead else start), end, False


def _are_adjacent(text: str, above: Span, line: Span) -> bool:
    """Return whether no empty line stands between two spans."""
    return text.count("\n", above[1], line[0]) <= 1


def _wrap_width(text: str, lines: list[Span]) -> int:
    """Return the width at which the text is wrapped, or 0 if it is not.

    Wrapped lines are of similar length and often go on in lower case.
    """
    if len(lines) < 2:
        return 0
    continued = sum(text[start].islower() for start, _ in lines)
    if continued < 0.2 * len(lines):
        return 0
    widths = sorted(end - start for start, end in lines)
    width = widths[len(lines) * 9 // 10]
    return width if 30 <= width <= 140 else 0


def _continues(text: str, above: Span, line: Span, width: int) -> bool:
    """Return whether a line continues the sentence above it.

    A comma, "of the" or lower case says so, or a lack of room above for its first word.
    """
    if not _are_adjacent(text, above, line) or _NEW_BLOCK.match(text, *line):
        return False
    if _is_whole_line(text[slice(*above)]):
        return False
    last = text[above[1] - 1]
    if last == "," or _DANGLING.search(text, *above):
        return True
    if text[line[0]].islower() and last not in ".!?…:;" + FULL_STOPS:
        return True
    first_word = text[line[0] : line[1]].split(None, 1)[0]
    return above[1] - above[0] + 1 + len(first_word) > 0.75 * width > 0


def _is_whole_line(line: str) -> bool:
    """Return whether a line is a heading or a table row, which end with their line."""
    return line.startswith(("#", "|")) or line.count("\t") > 1 or line.count(" | ") > 1


# ---------------------------------------------------------------- blocks to sentences


def _split_block(text: str, start: int, end: int, find_language: GivesLanguage) -> Iterator[Span]:
    """Yield the spans of the sentences of a block."""
    for mark in _END.finditer(text, start, end):
        if mark.end() < end and _ends_sentence(text, start, mark, end, find_language):
            yield start, mark.end()
            start = mark.end()
            while start < end and text[start].isspace():
                start += 1
    if start < end:
        yield start, end


def _ends_sentence(
    text: str, start: int, mark: re.Match[str], end: int, find_language: GivesLanguage
) -> bool:
    """Return whether the sentence that begins at `start` ends at this mark."""
    if mark[0][0] in FULL_STOPS:
        return not _SPEECH_GOES_ON.match(text, mark.end(), end)
    after = text[mark.end() : mark.end() + 40].lstrip().lstrip(_OPENERS)
    if after[:1].islower():
        return False
    if mark[0] != ".":
        return True
    before = text[max(start, mark.start() - 20) : mark.start()]
    if mark.start() - start <= 8 and _ENUMERATOR.fullmatch(before):
        return False
    found = _WORD_BEFORE.search(before)
    word = found[0] if found else ""
    name = word.lower()
    if mark.end() < end and not text[mark.end()].isspace() and "." in word:
        # System.Collections.Generic, not two sentences that lost the space between them
        return False
    if word in _TITLES or name in _NEVER_ENDING:
        return False
    if name in _SOMETIMES_ENDING or word in _STATES or _INITIALS.fullmatch(word):
        return _begins_with_starter(after, find_language)
    if name in _BEFORE_NUMBER and after[:1].isdigit():
        return False
    if _THAI_LETTER.search(word):
        return False
    if _POINTED_NUMBER.fullmatch(word):
        return not _is_pointed_number(word, before, after, find_language)
    if len(word) > MAX_ABBREVIATION:
        return True
    return not _is_abbreviation(before, word, after, find_language)


def _begins_with_starter(after: str, find_language: GivesLanguage) -> bool:
    """Return whether the next word often begins a sentence."""
    following = _NEXT_WORD.match(after)
    if following is not None and following[0] in _STARTERS:
        return True
    language = find_language()
    if language in ("", "en"):
        return False
    if following is None:
        return _ELIDED.match(after) is not None
    if language == "ar":  # most of its short words go on with the sentence
        return _ARABIC_AND.match(following[0]) is not None
    return following[0].lower() in find_stop_words(language)


def _is_pointed_number(word: str, before: str, after: str, find_language: GivesLanguage) -> bool:
    """Return whether a point belongs to its number: "am 4. März", "die 3. Welle"."""
    following = _FIRST_WORD.match(after)
    language = find_language()
    if language == "ko":
        return word.isdigit()  # a date, "2024. 3. 4."; sentences end with a verb
    if len(word) > 3 and word.isdigit():
        return False
    if language and language not in POINTED_NUMBER_LANGUAGES:
        return False
    if following is None:
        return bool(language and len(word) <= 2 and _DATE_GOES_ON.match(after))
    if following[0].lower() in MONTHS:
        return len(word) <= 2 and word.isdigit()
    if not language or following[0].lower() in find_stop_words(language):
        return False
    if not word.isdigit():
        return True
    if language != "de":
        return False
    leading = _LAST_WORD.search(before)
    return leading is not None and leading[1].lower() in GERMAN_DETERMINERS


def _is_abbreviation(before: str, word: str, after: str, find_language: GivesLanguage) -> bool:
    """Return whether the point belongs to an abbreviation of the language, inside a sentence."""
    language = find_language()
    if language == "en":
        return False
    known = find_abbreviations(language)
    parts_before = _PARTS_BEFORE.search(before)
    parts = "".join((parts_before[0] if parts_before else word).lower().split()).split(".")
    following = _NEXT_PART.match(after)
    for first in range(len(parts)):
        key = ".".join(parts[first:])
        if key in known.inside:
            return True
        if key in known.beginnings and following is not None:
            longer = f"{key}.{following[1].lower()}"
            if longer in known.beginnings or longer in known.inside or longer in known.open:
                return True
        if key in known.before_number and after[:1].isdigit():
            return True
        if key in known.open:
            return not _begins_with_starter(after, find_language)
    is_initial = len(word) == 1 and (word.isupper() or language in ("ar", "he", "fa", "hi"))
    return is_initial and not _begins_with_starter(after, find_language)


#: Where an overlong sentence is cut, and where an overlong row or code is.
_CUTS = ("; ", "；", "؛ ", ", ", "，", "، ", "、", " ", "\n")
_WHOLE_CUTS = ("\n", " | ", " ")


def _cut_long(text: str, start: int, end: int, cuts: tuple[str, ...]) -> Iterator[Span]:
    """Yield the sentence, cut if it is longer than `MAX_LENGTH`.

    It is cut in its second half, at the last of the first kind of cut that is found there.
    """
    while end - start > MAX_LENGTH:
        cut = _find_cut(text, start, cuts)
        stop = cut
        while text[stop - 1].isspace():
            stop -= 1
        yield start, stop
        start = cut
        while text[start].isspace():
            start += 1
    yield start, end


def _find_cut(text: str, start: int, cuts: tuple[str, ...]) -> int:
    """Return where the piece that begins at `start` is cut."""
    half, limit = start + MAX_LENGTH // 2, start + MAX_LENGTH
    for sign in cuts:
        place = text.rfind(sign, half, limit)
        if place > 0:
            return place + len(sign)
    return limit
