"""What is named in a few words of others, such as a recommendation's title: runs of words written
as names. No dictionary is asked.

It takes a word for a part of a name by its spelling alone, so that a headline in capitals is a long
name that nothing else is called.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_core.text.words import strip_invisible

#: Characters of a text that are read.
MAX_CHARS = 5_000
#: Words that begin a heading and no name, and words that many headings hold and nobody is called by
#: alone.
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
#: Forms of companies, which a name is given with or without.
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
#: What stands within a name between words that are written as names.
_INNER_WORDS = frozenset({"of", "&", "de", "du", "und", "et"})


#: What parts names even where a heading has it in capitals.
_CONNECTIVES = frozenset("at and or for by from with to in on is who".split())


@dataclass(frozen=True)
class Name:
    """A run of words as it is written, at text[start:end]; words: the same, without case, signs and
    the form of a company.

    owns: whether it stands in the genitive ("Acme's"), so that what follows is meant, not whom it
    names.
    """

    text: str
    words: tuple[str, ...]
    start: int
    end: int
    owns: bool = False


def normalize_text(text: str) -> str:
    """What is read of a text: what can be seen of its beginning, wide letters as narrow ones."""
    return unicodedata.normalize("NFKC", strip_invisible(text[:MAX_CHARS]))


def split_name_words(text: str) -> tuple[str, ...]:
    """The words of a name, without case and signs; a script without spaces is one word."""
    return tuple(_LETTERS.findall(normalize_text(text).casefold()))


def strip_company_form(words: Sequence[str]) -> tuple[str, ...]:
    """A name's words without the forms of a company behind it; all of them where nothing else is
    there.
    """
    kept = len(words)
    while kept > 1 and words[kept - 1] in COMPANY_FORMS:
        kept -= 1
    return tuple(words[:kept])


def find_names(title: str) -> list[Name]:
    """The names in a title, each once, in order; without the words that begin a heading ("The best
    …").
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
    """Every run of words that are written as names. at: where the text stands in another one, for
    the places of its names.
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
    """Whether a text has these words one after the other, as words of their own; in a script
    without spaces also within others.
    """
    wanted = tuple(name)
    if not wanted:
        return False
    if all(_is_unspaced_script(word) for word in wanted):
        return "".join(wanted) in "".join(normalize_text(text).casefold().split())
    there = split_name_words(text)
    return any(there[n : n + len(wanted)] == wanted for n in range(len(there) - len(wanted) + 1))


def _split_parts(text: str) -> Iterator[tuple[int, str]]:
    """(where it begins, a part of a text that no name goes beyond)."""
    start = 0
    for sign in _PART_SEPARATOR.finditer(text):
        yield start, text[start : sign.start()]
        start = sign.end()
    yield start, text[start:]


def _make_name(text: str, run: Sequence[re.Match[str]], at: int) -> Iterator[Name]:
    """The name that a run is, if it is one: no heading's words before it, nothing loose behind it."""
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
    owns = bool(_POSSESSIVE.search(kept[-1][0]))
    start, end = kept[0].start(), kept[-1].end()
    start += len(kept[0][0]) - len(kept[0][0].lstrip("@#"))
    shown = _POSSESSIVE.sub("", text[start:end].rstrip("."))
    told = strip_company_form(split_name_words(shown))
    if told:
        yield Name(shown, told, at + start, at + end, owns)


def _strip_marks(word: str) -> str:
    return "".join(split_name_words(_POSSESSIVE.sub("", word)))


def _is_name(word: str) -> bool:
    """Whether a word is written as a name: a capital in it, as in "eBay", or letters that have no
    case; "1Password" is one, "9" is none.
    """
    bare = word.lstrip("@#'’*_")
    if bare.casefold() in _CONNECTIVES:
        return False
    return (
        any(each.isupper() or each.istitle() for each in bare)
        or unicodedata.category(bare[:1] or " ") == "Lo"
    )


def _is_unspaced_script(word: str) -> bool:
    """Whether a word is of a script that has no spaces between words (Han, kana) or joins its
    particles to them (hangul).
    """
    return all(unicodedata.category(each) == "Lo" and "\u3040" <= each <= "\ud7a3" for each in word)
