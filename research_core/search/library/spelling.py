"""Find the word of a library that an unknown word of a query is a slip of: "diahrrea", "diarrhea".

The terms of the index are stems without accents, so a term that is near leads to the passages that
hold it, and a word of theirs is what is read. Only a word that no document holds and English does
not know is a slip. Words with its first two letters come before others, then the nearest wins, then
the one in more passages, then the alphabet.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher

from research_core.text.languages import guess_language
from research_core.text.question_spelling import (
    MIN_NAME_LETTERS,
    MIN_PLAIN_LETTERS,
    MIN_RESULTS,
    SEPARATE_WORD,
    is_one_slip_away,
    is_slip_of,
)
from research_core.text.similarity import is_known_word
from research_core.text.words import stem, strip_accents, tokenize

#: Unknown words of a query that are looked up, at most, so that a long text costs little.
MAX_UNKNOWN_WORDS = 8
#: Terms whose words are compared, and passages of each that are read for them.
MAX_TERMS, MAX_PASSAGES = 5, 8
#: The least ratio of equal letters of a term and the beginning of a word, and how much lower it may
#: be than that of the term most like it.
MIN_TERM_LIKENESS, MAX_TERM_DISTANCE = 0.7, 0.12
#: A term is a stem: it has at least this share of the word's letters, and at most so many more.
MIN_TERM_SHARE, MAX_LONGER = 0.55, 2
#: Letters that only one of two compared words has, at most.
MAX_OTHER_LETTERS = 4
#: The last letters of a stem may differ from its words': "therapi", "therapy".
STEM_END = 2


def find_slips(
    db: sqlite3.Connection, name: str, query: str, words: Sequence[str]
) -> dict[str, str]:
    """Return each word of a query that the library lacks -> the word of the library it is read as.

    name: what the names of the tables of the index begin with; words: those searched for.
    """
    language = guess_language(query)
    unknown = []
    separate = dict.fromkeys(SEPARATE_WORD.findall(query))
    for written in separate:
        word = written.lower()
        is_repeated = word != written and word in separate
        if word not in words or is_repeated or len(word) < _count_least_letters(written):
            continue
        if _is_held(db, name, {word, stem(word, language)}) or is_known_word(word, exactly=True):
            continue
        unknown.append(written)
    if not unknown:
        return {}
    slips = {}
    with _open_vocabulary(db, name):
        for written in unknown[:MAX_UNKNOWN_WORDS]:
            read = _find_nearest_word(db, name, written)
            if read:
                slips[written] = read
    return slips


def _is_name(written: str) -> bool:
    return written[0].isupper() and not written.isupper()


def _count_least_letters(written: str) -> int:
    return MIN_NAME_LETTERS if _is_name(written) else MIN_PLAIN_LETTERS


def _is_held(db: sqlite3.Connection, name: str, words: set[str]) -> bool:
    expression = " OR ".join(f'"{word}"' for word in sorted(words))
    one = f"SELECT 1 FROM {name}_passage WHERE {name}_passage MATCH ? LIMIT 1"
    return db.execute(one, (expression,)).fetchone() is not None


@contextmanager
def _open_vocabulary(db: sqlite3.Connection, name: str) -> Iterator[None]:
    """Make views of the terms and of where they stand, which a reader may: they are temporary."""
    kinds = ("row", "instance")
    for kind in kinds:
        db.execute(
            f"CREATE VIRTUAL TABLE temp.{name}_{kind}"
            f" USING fts5vocab('main', '{name}_passage', '{kind}')"
        )
    try:
        yield
    finally:
        for kind in kinds:
            db.execute(f"DROP TABLE temp.{name}_{kind}")


def _find_nearest_word(db: sqlite3.Connection, name: str, written: str) -> str:
    """Return the word of the library that an unknown word is a slip of, or ""."""
    plain = strip_accents(written.lower())
    for beginning in (plain[:2], plain[:1]):
        found: list[tuple[float, int, str]] = []
        for term, passages in _find_near_terms(db, name, plain, beginning):
            for word in _list_words(db, name, term):
                likeness = _measure_likeness(plain, strip_accents(word))
                is_sure = likeness == 1.0 or passages >= MIN_RESULTS or not _is_name(written)
                if likeness and is_sure:
                    found.append((-likeness, -passages, word))
        if found:
            return min(found)[2]
    return ""


def _measure_likeness(word: str, other: str) -> float:
    """Return 1.0 for a word one slip away, less for several slips, 0.0 for another word."""
    if not is_slip_of(word, other):
        return 0.0
    if is_one_slip_away(word, other):
        return 1.0
    return round(SequenceMatcher(None, word, other, autojunk=False).ratio(), 6)


def _find_near_terms(
    db: sqlite3.Connection, name: str, word: str, beginning: str
) -> list[tuple[str, int]]:
    """Return (term, number of passages) of the terms with this beginning that are most like a word.

    SQLite reads where each of them stands to count its passages, so a longer beginning costs less.
    """
    terms = db.execute(
        f"SELECT term, doc FROM temp.{name}_row WHERE term >= ? AND term < ?"
        " AND length(term) BETWEEN ? AND ?",
        (
            beginning,
            beginning[:-1] + chr(ord(beginning[-1]) + 1),
            math.ceil(len(word) * MIN_TERM_SHARE),
            len(word) + MAX_LONGER,
        ),
    ).fetchall()
    near = []
    for term, passages in terms:
        part = word[: len(term)]
        if len(set(part) ^ set(term)) > MAX_OTHER_LETTERS:
            continue
        likeness = SequenceMatcher(None, part, term, autojunk=False).ratio()
        if likeness >= MIN_TERM_LIKENESS:
            near.append((-round(likeness, 6), -passages, term))
    near.sort()
    return [
        (term, -passages)
        for less, passages, term in near[:MAX_TERMS]
        if less <= near[0][0] + MAX_TERM_DISTANCE
    ]


def _list_words(db: sqlite3.Connection, name: str, term: str) -> list[str]:
    """Return the words whose stem a term may be, as the first passages with the term write them."""
    rows = db.execute(
        f"SELECT title, body FROM {name}_passage WHERE rowid IN"
        f" (SELECT DISTINCT doc FROM temp.{name}_instance WHERE term = ? LIMIT {MAX_PASSAGES})",
        (term,),
    ).fetchall()
    beginning = term[: max(1, len(term) - STEM_END)]
    words = {word for row in rows for text in row for word in tokenize(text)}
    return sorted(
        word for word in words if word.isalpha() and strip_accents(word).startswith(beginning)
    )
