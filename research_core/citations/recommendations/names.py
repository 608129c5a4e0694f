"""Find names in short texts such as the title of a recommendation, by spelling alone.

No dictionary is used, so a headline in capitals is read as one long name that matches nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_core.text.words import strip_invisible

#: Characters of a text that are read.
MAX_CHARS = 5_000
#: Words that begin a heading and no name, and words of many headings that are no name alone.
HEADING_WORDS = frozenset(
    """
        a an the our my your their its his her this that these those and or of for with in on to at
        by from is are was be as not but if it best top why how what which when who choose choosing
        use using try get buy introducing meet review reviews guide new overall winner pick picks
        ultimate complete official alternative alternatives budget value premium free cheap cheapest
        fast fastest easy easiest simple small business businesses enterprise software platform
        platforms tool tools app apps most more great good better number no january february march
        april may june july august september october november december
    """.split()
)
#: Company forms, with or without which a name may be written.
COMPANY_FORMS = frozenset(
    "inc incorporated ltd limited llc llp gmbh ag kg se corp corporation co company plc sa sarl bv"
    " nv oy ab as kk".split()
)
_PART_SEPARATOR = re.compile(
    r"[\n\t:;|,/()\[\]{}\"“”«»<>—–•·!?…：；，。、"
    r"（）【】「」『』《》！？]|\s[-~+=]+\s|\.(?=\s|$)|\s(?:vs|versus|by|from)\b\.?",
    re.IGNORECASE,
)
_RANK = re.compile(r"\s*(?:#|no\.?\s?)?\d{1,3}\s?[.):](?=\s)", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;:|/()\[\]{}\"“”«»<>—–•·!?…：；，。、（）【】「」『』《》！？]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_LETTERS = re.compile(r"[^\W_]+")
#: Words that may stand within a name.
_INNER_WORDS = frozenset({"of", "&", "de", "du", "und", "et"})


#: Words that separate names even if a heading has them in capitals.
_CONNECTIVES = frozenset("at and or for by from with to in on is who".split())


@dataclass(frozen=True)
class Name:
    """A name as written, at text[start:end].

    words: the same without case, signs and company form. is_possessive: it stands in the genitive
    ("Acme's"), so what follows is meant and not the named one.
    """

    text: str
    words: tuple[str, ...]
    start: int
    end: int
    is_possessive: bool = False


def normalize_text(text: str) -> str:
    """Return the visible beginning of a text, with wide letters made narrow."""
    return unicodedata.normalize("NFKC", strip_invisible(text[:MAX_CHARS]))


def split_name_words(text: str) -> tuple[str, ...]:
    """Split a name into words without case and signs; a script without spaces is one word."""
    return tuple(_LETTERS.findall(normalize_text(text).casefold()))


def strip_company_form(words: Sequence[str]) -> tuple[str, ...]:
    """Remove trailing company forms ("Inc") from a name's words, unless nothing else is left."""
    kept = len(words)
    while kept > 1 and words[kept - 1] in COMPANY_FORMS:
        kept -= 1
    return tuple(words[:kept])


def find_names(title: str) -> list[Name]:
    """Find the names in a title, each once and in order.

    Leading heading words ("The best …") are left out.
    """
    text = normalize_text(title)
    found: dict[tuple[str, ...], Name] = {}
    for start, part in _split_parts(text):
        rank = _RANK.match(part)
        skipped = rank.end() if rank else 0
        for name in find_name_runs(part[skipped:], start + skipped):
            if any(word not in HEADING_WORDS and not word.isdigit() for word in name.words):
                found.setdefault(name.words, name)
    return list(found.values())


def find_name_runs(text: str, at: int = 0) -> Iterator[Name]:
    """Yield every run of words written as a name.

    at: offset of the text within a larger one, added to the positions.
    """
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        apart = run and (text[run[-1].end() : word.start()].strip() or word[0][0] in "@#")
        if apart or not (
            _is_name(word[0])
            or (run and (word[0].casefold() in _INNER_WORDS or word[0][0].isdigit()))
        ):
            yield from _make_name(text, run, at)
            run = []
        if _is_name(word[0]) or (run and not apart):
            run.append(word)
            if _POSSESSIVE.search(word[0]) or word[0][-1] == ".":
                yield from _make_name(text, run, at)
                run = []
    yield from _make_name(text, run, at)


def mentions(name: Sequence[str], text: str) -> bool:
    """Return True if a text has these words in sequence as whole words.

    In a script without spaces they may stand within a word.
    """
    wanted = tuple(name)
    if not wanted:
        return False
    if all(_is_unspaced_script(word) for word in wanted):
        return "".join(wanted) in "".join(normalize_text(text).casefold().split())
    there = split_name_words(text)
    return any(there[n : n + len(wanted)] == wanted for n in range(len(there) - len(wanted) + 1))


def _split_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of each part; no name reaches across two parts."""
    start = 0
    for sign in _PART_SEPARATOR.finditer(text):
        yield start, text[start : sign.start()]
        start = sign.end()
    yield start, text[start:]


def _make_name(text: str, run: Sequence[re.Match[str]], at: int) -> Iterator[Name]:
    """Yield the name in a run of words, or nothing.

    Leading heading words and trailing connectives are left out.
    """
    kept = list(run)
    while kept and (
        _strip_marks(kept[0][0]) in HEADING_WORDS
        or kept[0][0].casefold() in _INNER_WORDS
        or not _strip_marks(kept[0][0])
    ):
        kept.pop(0)
    while kept and (kept[-1][0].casefold() in _INNER_WORDS or not _strip_marks(kept[-1][0])):
        kept.pop()
    if not kept:
        return
    is_possessive = bool(_POSSESSIVE.search(kept[-1][0]))
    start, end = kept[0].start(), kept[-1].end()
    start += len(kept[0][0]) - len(kept[0][0].lstrip("@#"))
    shown = _POSSESSIVE.sub("", text[start:end].rstrip("."))
    words = strip_company_form(split_name_words(shown))
    if words:
        yield Name(shown, words, at + start, at + end, is_possessive)


def _strip_marks(word: str) -> str:
    """Return the word's letters and digits in lower case."""
    return "".join(split_name_words(_POSSESSIVE.sub("", word)))


def _is_name(word: str) -> bool:
    """Return True if a word is written as a name.

    It has a capital ("eBay", "1Password") or letters without case; a number is no name.
    """
    bare = word.lstrip("@#'’*_")
    if bare.casefold() in _CONNECTIVES:
        return False
    return (
        any(each.isupper() or each.istitle() for each in bare)
        or unicodedata.category(bare[:1] or " ") == "Lo"
    )


def _is_unspaced_script(word: str) -> bool:
    """Return True if the word's script has no spaces or joins particles (Han, kana, hangul)."""
    return all(unicodedata.category(each) == "Lo" and "\u3040" <= each <= "\ud7a3" for each in word)
