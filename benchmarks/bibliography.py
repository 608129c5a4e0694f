"""How references are written, against 370 works as citeproc-js writes them with the styles of CSL,
and why where they differ.

    python benchmarks/bibliography.py [--data ../shared/data/bibliography] [--misses] [--json]

Texts are compared as the data's own scorer does: marks of quotation, dashes, blanks and markup are
one, and the number in front is left out. Each text that is not the same is put down to what the
difference is made of, by rules over any work; none knows one.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.results import record, shared
from research_core.citations.formats import csl
from research_core.citations.formats.phrases import MONTHS
from research_core.citations.formats.styles import STYLE_FORMATTERS

#: What the data calls each style.
GOLD = {
    "apa": "apa", "mla": "mla", "chicago": "chicago_author_date", "chicago-notes": "chicago_notes",
    "ieee": "ieee",
    "vancouver": "vancouver_nlm", "harvard": "harvard_ctr",
}  # fmt: skip
#: Words that name a part of a reference and are no part of the work.
_LABELS = frozenset(
    "in ed eds editor editors edited by directed director p pp vol no and et al internet".split()
)
_MONTHS = frozenset(word for month in MONTHS for word in (month.lower(), month[:3].lower(), "sept"))
_MARKS = str.maketrans("“”‘’–—−", "\"\"''---")


@dataclass(frozen=True)
class Miss:
    """A work whose text is not that of the data. words: how often each stands more in one of the
    two texts, in lower case.
    """

    style: str
    item: dict[str, Any]
    ours: str
    theirs: str

    @property
    def words(self) -> set[str]:
        ours, theirs = (Counter(_words(text)) for text in (self.ours, self.theirs))
        return set((ours - theirs) + (theirs - ours)) - _LABELS

    def said(self, *names: str) -> set[str]:
        """The words of these fields of the work, in lower case; of people also their initials."""
        found = _words(
            " ".join(json.dumps(self.item.get(name, ""), ensure_ascii=False) for name in names)
        )
        initials = {word[0] for word in found if word} | {
            "".join(word[0] for word in found[n : n + 2]) for n in range(len(found))
        }
        return {*found, *(initials if {"author", "editor", "director"} & set(names) else ())}

    def made_of(self, *names: str) -> bool:
        return bool(self.words) and self.words <= self.said(*names)


def _words(text: str) -> list[str]:
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign)
    )
    return re.findall(r"\w+", plain.lower())


def _one_page(miss: Miss) -> bool:
    first, _, last = re.sub(r"[-–—]+", "-", str(miss.item.get("page", ""))).partition("-")
    return bool(last) and first == last and miss.words <= {first}


def _lettered(miss: Miss) -> bool:
    return bool(re.match(r"\d+[a-z]\s*[-–]", str(miss.item.get("page", "")))) and miss.words <= set(
        _words(miss.theirs + miss.ours)
    )


def _escaped(miss: Miss) -> bool:
    return bool(re.search(r"&\w+;", miss.item["title"])) and all(
        word in miss.item["title"] for word in miss.words
    )


def _capitals(miss: Miss) -> str:
    """The words that differ by capitals alone, where nothing else does."""
    if miss.ours.casefold() != miss.theirs.casefold():
        return ""
    pairs = zip(miss.ours.split(), miss.theirs.split(), strict=True)
    return " ".join(ours for ours, theirs in pairs if ours != theirs)


def _order(miss: Miss) -> bool:
    ours, theirs = (_words(text) for text in (miss.ours, miss.theirs))
    return not miss.words and [word for word in ours if word not in _LABELS] != [
        word for word in theirs if word not in _LABELS
    ]


def _same_words(miss: Miss) -> bool:
    ours, theirs = (re.sub(r"\W+", "", text) for text in (miss.ours, miss.theirs))
    return ours == theirs


def _own_stop(miss: Miss) -> bool:
    ends = [
        str(miss.item.get(name, ""))[-1:]
        for name in ("title", "container-title", "publisher", "genre")
    ]
    return _same_words(miss) and any(
        end and not end.isalnum() and end not in ')"”]' for end in ends
    )


def _days(miss: Miss) -> set[str]:
    parts = {str(part) for day in miss.item.get("issued", {}).get("date-parts", []) for part in day}
    return parts | _MONTHS | {part.zfill(2) for part in parts}


def _dated(miss: Miss) -> bool:
    return bool(miss.words) and miss.words <= _days(miss)


def _several(miss: Miss) -> bool:
    return miss.words <= _days(miss) | miss.said(
        "author", "editor", "publisher", "publisher-place", "page", "volume"
    )


#: What a difference is put down to: the first that holds.
NO_REPORT_REASONS: tuple[tuple[str, Callable[[Miss], bool]], ...] = (
    ("pages from 380 to 380: the data writes the span, we the page", _one_page),
    ("pages 511a–512: the data fills up a number that has a letter", _lettered),
    ("an HTML escape in the title: the data prints it, we what it stands for", _escaped),
    (
        "capitals of an address, a host's name or a formula",
        lambda miss: bool(re.search(r"\w[./(]\w|\.\w|[\[(=]", _capitals(miss))),
    ),
    (
        "capitals of a title that is not English",
        lambda miss: bool(re.search("[^\x00-\u024f]", _capitals(miss))),
    ),
    ("a small word in capitals, or the other way", lambda miss: bool(_capitals(miss))),
    ("a stop behind a title that has its own", _own_stop),
    (
        "a comma or full stop before [Online]",
        lambda miss: _same_words(miss) and "[Online]" in miss.ours,
    ),
    ("a comma or full stop elsewhere", _same_words),
    (
        "an article without volume or pages: the data calls it a preprint",
        lambda miss: miss.words == {"preprint"},
    ),
    ("a date in full where the data has the year, or the other way", _dated),
    (
        "where people stand: editors of a work without an author, a particle, a surname first",
        _order,
    ),
    ("the words around editors and a book that is not named", lambda miss: not miss.words),
    (
        "a given name of an odd form: short of it, or where its particle stands",
        lambda miss: miss.made_of("author", "editor"),
    ),
    ("the director, whom the data leaves out", lambda miss: miss.made_of("director")),
    ("the place, said or not", lambda miss: miss.made_of("publisher-place", "event-place")),
    ("a publisher who is the author, said once or twice", lambda miss: miss.made_of("publisher")),
    ("how many pages or which, said or not", lambda miss: miss.made_of("page", "editor")),
    ("the volume of a book, said or not", lambda miss: miss.made_of("volume")),
    ("more than one of these", _several),
)


def reason(miss: Miss) -> str:
    """What the difference is made of; "other" where no rule says."""
    return next((name for name, holds in NO_REPORT_REASONS if holds(miss)), "other")


def compared(text: str) -> str:
    """A text as the data's scorer compares it."""
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"(?<!\w)[*_]{1,2}|[*_]{1,2}(?!\w)", "", text)
    text = unicodedata.normalize("NFKC", text).translate(_MARKS)
    return re.sub(r"^(\[\d+\]|\d+\.)\s*", "", re.sub(r"\s+", " ", text).strip())


def pairs(data: Path) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Style, work, our text and that of the data, of each work that the data has in a style."""
    rows = [
        json.loads(line)
        for line in (data / "formatted_gold.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for style, name in GOLD.items():
        for row in rows:
            if wanted := row["expected"].get(name):
                yield (
                    style,
                    row["item"],
                    compared(STYLE_FORMATTERS[style](csl.read_item(row["item"]))),
                    compared(wanted),
                )


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--data", type=Path, help="the folder with formatted_gold.jsonl")
    asked.add_argument(
        "--misses", action="store_true", help="print both texts of each work that differs"
    )
    asked.add_argument("--json", action="store_true", help="print the figures alone, as JSON")
    given = asked.parse_args()
    alike: dict[str, list[float]] = defaultdict(list)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for style, item, ours, theirs in pairs(given.data or shared("bibliography")):
        alike[style].append(
            1.0
            if ours == theirs
            else difflib.SequenceMatcher(None, ours, theirs, autojunk=False).ratio()
        )
        if ours != theirs:
            why = reason(Miss(style, item, ours, theirs))
            reasons[style][why] += 1
            if given.misses and not given.json:
                print(
                    f"{style}, {item['type']}, {item['id']}: {why}\n  ours   {ours}\n  theirs"
                    f" {theirs}"
                )
    figures = {
        style: {
            "works": len(found),
            "exact": round(found.count(1.0) / len(found), 4),
            "similarity": round(sum(found) / len(found), 4),
            "misses": dict(reasons[style].most_common()),
        }
        for style, found in alike.items()
    }
    print(json.dumps(figures, indent=2, ensure_ascii=False) if given.json else table(figures))
    record("bibliography", figures)


def table(figures: dict[str, Any]) -> str:
    lines = [
        f"{style:14} {each['works']} works, exact {each['exact']:.3f}, alike"
        f" {each['similarity']:.4f}"
        for style, each in figures.items()
    ]
    counts: Counter[str] = Counter()
    for each in figures.values():
        counts.update(each["misses"])
    return "\n".join([*lines, "", *(f"{count:4} {why}" for why, count in counts.most_common())])


if __name__ == "__main__":
    main()
