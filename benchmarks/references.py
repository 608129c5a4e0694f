"""Measure how bibliographies and references that others wrote are parsed.

    python benchmarks/references.py [--data DIR] [--json]

Data: `bibliography` in the shared data. Prints and records four parts:

- files: files of other programs, read or refused, and whether a refusal names its line.
- dois: the DOIs found in 945 real references, and those made up.
- read_back: the fields parsed from 370 works as each style prints them, if the text has the field.
- there_and_back: fields that differ after a work is written as BibTeX, RIS or CSL-JSON and read.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bibliography import STYLES, measure_similarity
from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.results import record
from research_core.citations.formats import csl, plain, reading
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.phrases import format_pages
from research_core.citations.formats.styles import FORMATS, format_reference_list
from research_core.errors import UsageError

#: The similarity from which two titles count as the same.
SAME_TITLE = 0.95
Row = dict[str, Any]
GetField = Callable[[Item], str]


# -- files of other programs -----------------------------------------------------------------------


def iter_files(data: Path) -> Iterator[str]:
    """Yield the texts of the files."""
    with zipfile.ZipFile(data / "jabref_resources.zip") as archive:
        for name in archive.namelist():
            if not name.endswith("/"):
                yield archive.read(name).decode("utf-8", "replace")
    for row in read_json_lines(data / "zotero_import.jsonl"):
        yield _get_text(row["input"])
    for row in read_json_lines(data / "crossref_content_negotiation.jsonl"):
        yield _get_text(row["content"])


def _get_text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def count_files(data: Path) -> Row:
    """Count how the files ended. no_line: refusals that do not name what they refuse."""
    counts: Counter[str] = Counter(no_line=0, works=0, entries_refused=0)
    refusals: Counter[str] = Counter()
    for text in iter_files(data):
        try:
            found = reading.read_bibliography(text)
        except UsageError as error:
            has_line = bool(re.match(r"Line \d+: ", error.message))
            counts["refused"] += 1
            counts["no_line"] += not has_line and bool(text.strip())
            refusals[re.sub(r"^Line \d+: ", "", error.message)] += 1
            continue
        counts["read" if found.entries else "only_refusals"] += 1
        counts["works"] += len(found.entries)
        counts["entries_refused"] += len(found.refused)
        counts["no_line"] += sum(each.line < 1 or not each.reason for each in found.refused)
    return {
        "files": counts["read"] + counts["only_refusals"] + counts["refused"],
        **dict(counts),
        "refused_as": dict(refusals.most_common()),
    }


# -- plain references ------------------------------------------------------------------------------


def count_dois(data: Path) -> Row:
    """Count the references that name their DOI and are parsed with it, and DOIs made up."""
    counts = {"named": 0, "found": 0, "not_named": 0, "made_up": 0}
    for row in read_json_lines(data / "reference_strings_to_doi.jsonl"):
        text = row["raw"].lower()
        expected = row["doi"].lower()
        parsed = plain.parse_reference(row["raw"]).doi.lower()
        if expected in text:
            counts["named"] += 1
            counts["found"] += parsed == expected
        else:
            # The DOI of a preprint at arXiv is made of its number, which the text may name.
            number = parsed.removeprefix("10.48550/arxiv.")
            counts["not_named"] += 1
            counts["made_up"] += number not in text
    return counts


def normalise(text: str) -> str:
    """Return the letters and digits of a text in lower case, without markup and accents."""
    decomposed = unicodedata.normalize("NFKD", re.sub(r"<[^>]+>", "", text))
    return re.sub(r"[\W_]+", "", decomposed).lower()


def _get_first_name(work: Item) -> str:
    people = work.authors or work.editors
    return normalise(people[0].family or people[0].literal) if people else ""


def _get_first_page(work: Item) -> str:
    return re.split(r"[-–]", work.pages)[0].lower()


#: The fields that are compared between a work and what was parsed of its reference.
PARSED_FIELDS: dict[str, GetField] = {
    "author": _get_first_name,
    "year": lambda work: work.issued[:4],
    "title": lambda work: normalise(work.title),
    "container": lambda work: normalise(work.container),
    "volume": lambda work: normalise(work.volume),
    "first_page": _get_first_page,
    "doi": lambda work: re.sub(r"[^a-z0-9]", "", work.doi.lower()),
}


def measure_parsing(data: Path) -> Row:
    """Return, by style and field, the share parsed right, and the mean similarity of titles.

    A field counts only in works whose reference has it.
    """
    works = list(read_json_lines(data / "formatted_gold.jsonl"))
    figures: Row = {}
    for style, name in STYLES.items():
        right = Counter[str]()
        present = Counter[str]()
        similarities = []
        for row in works:
            text = row["expected"].get(name)
            if not text:
                continue
            expected = csl.read_item(row["item"])
            parsed = plain.parse_reference(text)
            for field, get_field in PARSED_FIELDS.items():
                wanted = get_field(expected)
                found = get_field(parsed)
                if not wanted or wanted not in normalise(text):
                    continue
                present[field] += 1
                if field == "title":
                    similarity = measure_similarity(wanted, found)
                    similarities.append(similarity)
                    right[field] += similarity >= SAME_TITLE
                else:
                    right[field] += wanted == found
        shares = {field: round(right[field] / present[field], 3) for field in PARSED_FIELDS}
        mean = round(sum(similarities) / len(similarities), 3)
        figures[style] = {**shares, "title_similarity": mean}
    return figures


# -- there and back --------------------------------------------------------------------------------


def _join_names(people: Iterable[Person]) -> str:
    return "; ".join(each.full_name for each in people)


def _get_container(work: Item) -> str:
    return work.container or work.more.get("collection-title", "")


#: The fields that are compared after writing and reading; pages from 3 to 3 are page 3.
KEPT_FIELDS: dict[str, GetField] = {
    "type": lambda work: work.kind,
    "authors": lambda work: _join_names(work.authors),
    "editors": lambda work: _join_names(work.editors),
    "pages": lambda work: format_pages(work.pages),
    "url": lambda work: unquote(work.address),
    "container": _get_container,
    "title": lambda work: work.title,
    "publisher": lambda work: work.publisher,
    "place": lambda work: work.place,
    "issued": lambda work: work.issued,
    "volume": lambda work: work.volume,
    "issue": lambda work: work.issue,
    "edition": lambda work: work.edition,
    "number": lambda work: work.number,
    "genre": lambda work: work.genre,
    "language": lambda work: work.language,
    "doi": lambda work: work.doi,
}
#: (format, field, type of work) that a format cannot express.
INEXPRESSIBLE = {("ris", "type", "article"): "RIS has no type for a preprint"}


def count_lost_fields(data: Path) -> Row:
    """Count, by format, the fields that were written and those that differ when read again."""
    works = []
    for row in read_json_lines(data / "formatted_gold.jsonl"):
        works.append(csl.read_item(row["item"]))
    figures: Row = {}
    for name in FORMATS:
        written = 0
        lost = []
        inexpressible = Counter[str]()
        for work in works:
            text = format_reference_list(name, [work])
            back = reading.read_bibliography(text, name).entries[0].item
            for field, get_field in KEPT_FIELDS.items():
                before = get_field(work)
                after = get_field(back)
                written += bool(before)
                if not before or before == after:
                    continue
                reason = INEXPRESSIBLE.get((name, field, work.type))
                if reason:
                    inexpressible[reason] += 1
                else:
                    lost.append(f"{field}: {before[:80]!r} came back as {after[:80]!r}")
        figures[name] = {
            "works": len(works),
            "fields": written,
            "lost": len(lost),
            "which": lost,
            "without_a_word_for_it": dict(inexpressible),
        }
    return figures


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA / "bibliography")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    data = require_folder(options.data)
    figures = {
        "files": count_files(data),
        "dois": count_dois(data),
        "read_back": measure_parsing(data),
        "there_and_back": count_lost_fields(data),
    }
    if options.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        for name, row in figures.items():
            print(name)
            for key, value in row.items():
                print(f"  {key}: {value}")
    record("references", figures)


if __name__ == "__main__":
    main()
