"""Measure how references are written, against 370 works as citeproc-js writes them with CSL styles.

    python benchmarks/bibliography.py [--data DIR] [--misses] [--json]

Data: `bibliography/formatted_gold.jsonl` in the shared data. Texts are compared as the data's own
scorer does: without markup and numbering, and with quotation marks, dashes and blanks made equal.
Prints and records, by style, the share of identical references, their similarity, and the reasons
of the differences. The reasons are rules over any work; none is made for one.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.results import record
from research_core.citations.formats import csl
from research_core.citations.formats.phrases import MONTHS
from research_core.citations.formats.styles import STYLE_FORMATTERS

#: Our name of each style, and that of the data.
STYLES = {
    "apa": "apa",
    "mla": "mla",
    "chicago": "chicago_author_date",
    "chicago-notes": "chicago_notes",
    "ieee": "ieee",
    "vancouver": "vancouver_nlm",
    "harvard": "harvard_ctr",
}
#: Words that name a part of a reference and belong to no work.
_LABELS = frozenset(
    "in ed eds editor editors edited by directed director p pp vol no and et al internet".split()
)
_MONTHS = frozenset(word for month in MONTHS for word in (month.lower(), month[:3].lower(), "sept"))
_PLAIN_MARKS = str.maketrans("“”‘’–—−", "\"\"''---")


@dataclass(frozen=True)
class ComparedWork:
    """Our reference of a work and the expected one, both normalised."""

    style: str
    item: dict[str, Any]
    ours: str
    theirs: str

    @property
    def words(self) -> set[str]:
        """The words that one of the two texts has more often, in lower case, without labels."""
        ours = Counter(_split_words(self.ours))
        theirs = Counter(_split_words(self.theirs))
        return set((ours - theirs) + (theirs - ours)) - _LABELS

    def get_words_of(self, *fields: str) -> set[str]:
        """Return the words of these fields of the work, in lower case; of people also initials."""
        values = [json.dumps(self.item.get(name, ""), ensure_ascii=False) for name in fields]
        words = _split_words(" ".join(values))
        found = set(words)
        if {"author", "editor", "director"} & set(fields):
            for place, word in enumerate(words):
                found.add(word[0])
                found.add("".join(each[0] for each in words[place : place + 2]))
        return found

    def differs_only_in(self, *fields: str) -> bool:
        """Return True if words differ, and all of them are of these fields."""
        return bool(self.words) and self.words <= self.get_words_of(*fields)


def _split_words(text: str) -> list[str]:
    """Return the words in lower case and without accents."""
    signs = unicodedata.normalize("NFKD", text)
    plain = "".join(sign for sign in signs if not unicodedata.combining(sign))
    return re.findall(r"\w+", plain.lower())


# -- reasons of a difference -----------------------------------------------------------------------


def _is_one_page_as_span(work: ComparedWork) -> bool:
    pages = re.sub(r"[-–—]+", "-", str(work.item.get("page", "")))
    first, _, last = pages.partition("-")
    return bool(last) and first == last and work.words <= {first}


def _is_lettered_page(work: ComparedWork) -> bool:
    if not re.match(r"\d+[a-z]\s*[-–]", str(work.item.get("page", ""))):
        return False
    return work.words <= set(_split_words(work.theirs + work.ours))


def _is_html_escape(work: ComparedWork) -> bool:
    title = work.item["title"]
    return bool(re.search(r"&\w+;", title)) and all(word in title for word in work.words)


def _find_other_capitals(work: ComparedWork) -> str:
    """Return our words that differ in capitals, or "" if anything else differs too."""
    if work.ours.casefold() != work.theirs.casefold():
        return ""
    pairs = zip(work.ours.split(), work.theirs.split(), strict=True)
    return " ".join(ours for ours, theirs in pairs if ours != theirs)


def _is_capital_in_address(work: ComparedWork) -> bool:
    return bool(re.search(r"\w[./(]\w|\.\w|[\[(=]", _find_other_capitals(work)))


def _is_capital_in_other_script(work: ComparedWork) -> bool:
    return bool(re.search("[^\x00-\u024f]", _find_other_capitals(work)))


def _is_other_order(work: ComparedWork) -> bool:
    if work.words:
        return False
    ours = [word for word in _split_words(work.ours) if word not in _LABELS]
    theirs = [word for word in _split_words(work.theirs) if word not in _LABELS]
    return ours != theirs


def _has_same_words(work: ComparedWork) -> bool:
    return re.sub(r"\W+", "", work.ours) == re.sub(r"\W+", "", work.theirs)


def _is_stop_after_own_mark(work: ComparedWork) -> bool:
    if not _has_same_words(work):
        return False
    for name in ("title", "container-title", "publisher", "genre"):
        end = str(work.item.get(name, ""))[-1:]
        if end and not end.isalnum() and end not in ')"”]':
            return True
    return False


def _is_mark_before_online(work: ComparedWork) -> bool:
    return _has_same_words(work) and "[Online]" in work.ours


def _find_date_words(work: ComparedWork) -> set[str]:
    parts: set[str] = set()
    for date in work.item.get("issued", {}).get("date-parts", []):
        parts.update(map(str, date))
    return parts | _MONTHS | {part.zfill(2) for part in parts}


def _is_date(work: ComparedWork) -> bool:
    return bool(work.words) and work.words <= _find_date_words(work)


def _is_several(work: ComparedWork) -> bool:
    fields = ("author", "editor", "publisher", "publisher-place", "page", "volume")
    return work.words <= _find_date_words(work) | work.get_words_of(*fields)


def _is_only_in(*fields: str) -> Callable[[ComparedWork], bool]:
    return lambda work: work.differs_only_in(*fields)


#: A reason of a difference, and its rule; the first that holds is the reason.
MISS_REASONS: tuple[tuple[str, Callable[[ComparedWork], bool]], ...] = (
    ("pages from 380 to 380: the data writes the span, we the page", _is_one_page_as_span),
    ("pages 511a–512: the data fills up a number that has a letter", _is_lettered_page),
    ("an HTML escape in the title: the data prints it, we what it stands for", _is_html_escape),
    ("capitals of an address, a host's name or a formula", _is_capital_in_address),
    ("capitals of a title that is not English", _is_capital_in_other_script),
    (
        "a small word in capitals, or the other way",
        lambda work: bool(_find_other_capitals(work)),
    ),
    ("a stop behind a title that has its own", _is_stop_after_own_mark),
    ("a comma or full stop before [Online]", _is_mark_before_online),
    ("a comma or full stop elsewhere", _has_same_words),
    (
        "an article without volume or pages: the data calls it a preprint",
        lambda work: work.words == {"preprint"},
    ),
    ("a date in full where the data has the year, or the other way", _is_date),
    (
        "where people stand: editors of a work without an author, a particle, a surname first",
        _is_other_order,
    ),
    ("the words around editors and a book that is not named", lambda work: not work.words),
    (
        "a given name of an odd form: short of it, or where its particle stands",
        _is_only_in("author", "editor"),
    ),
    ("the director, whom the data leaves out", _is_only_in("director")),
    ("the place, said or not", _is_only_in("publisher-place", "event-place")),
    ("a publisher who is the author, said once or twice", _is_only_in("publisher")),
    ("how many pages or which, said or not", _is_only_in("page", "editor")),
    ("the volume of a book, said or not", _is_only_in("volume")),
    ("more than one of these", _is_several),
)


def find_reason(work: ComparedWork) -> str:
    """Return the reason of a difference, or "other" if no rule holds."""
    for name, holds in MISS_REASONS:
        if holds(work):
            return name
    return "other"


# -- comparison ------------------------------------------------------------------------------------


def normalise(text: str) -> str:
    """Return a text as the data's own scorer compares it."""
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"(?<!\w)[*_]{1,2}|[*_]{1,2}(?!\w)", "", text)
    text = unicodedata.normalize("NFKC", text).translate(_PLAIN_MARKS)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"^(\[\d+\]|\d+\.)\s*", "", text)


def measure_similarity(one: str, other: str) -> float:
    """Return how much of two texts is the same, 0.0-1.0."""
    if one == other:
        return 1.0
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def format_works(data: Path, style: str) -> Iterator[ComparedWork]:
    """Yield both references of each work that the data has in a style, equal or not."""
    for row in read_json_lines(data / "formatted_gold.jsonl"):
        expected = row["expected"].get(STYLES[style])
        if expected:
            ours = STYLE_FORMATTERS[style](csl.read_item(row["item"]))
            yield ComparedWork(style, row["item"], normalise(ours), normalise(expected))


def measure_style(works: Iterable[ComparedWork], *, print_misses: bool) -> dict[str, Any]:
    """Return the shares of a style, and the reasons of its differences with their counts."""
    similarities = []
    reasons: Counter[str] = Counter()
    for work in works:
        similarities.append(measure_similarity(work.ours, work.theirs))
        if work.ours == work.theirs:
            continue
        reason = find_reason(work)
        reasons[reason] += 1
        if print_misses:
            print(f"{work.style}, {work.item['type']}, {work.item['id']}: {reason}")
            print(f"  ours   {work.ours}\n  theirs {work.theirs}")
    return {
        "works": len(similarities),
        "exact": round(similarities.count(1.0) / len(similarities), 4),
        "similarity": round(sum(similarities) / len(similarities), 4),
        "misses": dict(reasons.most_common()),
    }


def format_table(figures: dict[str, Any]) -> str:
    """Return a line for each style, then the reasons of all styles with their counts."""
    lines = []
    reasons: Counter[str] = Counter()
    for style, row in figures.items():
        lines.append(
            f"{style:14} {row['works']} works, exact {row['exact']:.3f}, alike"
            f" {row['similarity']:.4f}"
        )
        reasons.update(row["misses"])
    lines.append("")
    for reason, count in reasons.most_common():
        lines.append(f"{count:4} {reason}")
    return "\n".join(lines)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument(
        "--data",
        type=Path,
        default=SHARED_DATA / "bibliography",
        help="the folder with formatted_gold.jsonl",
    )
    parser.add_argument(
        "--misses", action="store_true", help="print both references of each work that differs"
    )
    parser.add_argument("--json", action="store_true", help="print the figures alone, as JSON")
    options = parser.parse_args()
    data = require_folder(options.data)
    print_misses = options.misses and not options.json
    figures = {}
    for style in STYLES:
        figures[style] = measure_style(format_works(data, style), print_misses=print_misses)
    if options.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        print(format_table(figures))
    record("bibliography", figures)


if __name__ == "__main__":
    main()
