"""How bibliographies of others are read: `python benchmarks/references.py [--data
../shared/data/bibliography] [--json]`.

Files of other programs: read, or refused by what they are or by the line. Plain references: the
DOIs that stand in 945 real ones, and what is read back of 370 works as each style writes them, of
the fields that stand in the reference. Works written by us as BibTeX, RIS and CSL-JSON: what is not
the same when it is read again.
"""

from __future__ import annotations

import argparse
import difflib
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

from benchmarks.bibliography import GOLD
from benchmarks.results import record, shared
from research_core.citations.formats import csl, plain, reading
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.phrases import format_pages
from research_core.citations.formats.styles import FORMATS, format_reference_list
from research_core.errors import UsageError

#: From here on a title counts as the same.
ALIKE = 0.95
Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


# -- files of other programs -----------------------------------------------------------------------------------------------


def files(data: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(data / "jabref_resources.zip") as archive:
        for name in archive.namelist():
            if not name.endswith("/"):
                yield name, archive.read(name).decode("utf-8", "replace")
    for row in rows(data / "zotero_import.jsonl"):
        yield (
            row["translator"],
            row["input"] if isinstance(row["input"], str) else json.dumps(row["input"]),
        )
    for row in rows(data / "crossref_content_negotiation.jsonl"):
        yield (
            row["doi"],
            row["content"] if isinstance(row["content"], str) else json.dumps(row["content"]),
        )


def imported(data: Path) -> Row:
    """How each file ended. no_line: refusals that say nowhere what they refuse."""
    counts: Counter[str] = Counter(no_line=0, works=0, entries_refused=0)
    kinds: Counter[str] = Counter()
    for _, text in files(data):
        try:
            found = reading.read_bibliography(text)
        except UsageError as error:
            counts["refused"] += 1
            counts["no_line"] += not re.match(r"Line \d+: ", error.message) and bool(text.strip())
            kinds[re.sub(r"^Line \d+: ", "", error.message)] += 1
            continue
        counts["read" if found.entries else "only_refusals"] += 1
        counts["works"] += len(found.entries)
        counts["entries_refused"] += len(found.refused)
        counts["no_line"] += sum(each.line < 1 or not each.reason for each in found.refused)
    return {
        "files": counts["read"] + counts["only_refusals"] + counts["refused"],
        **dict(counts),
        "refused_as": dict(kinds.most_common()),
    }


# -- plain references ------------------------------------------------------------------------------------------------------


def dois(data: Path) -> Row:
    """Of the references that name their DOI, how many are read with it; of the others, how many are
    given one that is not in them.
    """
    named = wrong = found = other = 0
    for row in rows(data / "reference_strings_to_doi.jsonl"):
        doi = plain.parse_reference(row["raw"]).doi.lower()
        if row["doi"].lower() in row["raw"].lower():
            named, found = named + 1, found + (doi == row["doi"].lower())
        else:
            given = doi.removeprefix("10.48550/arxiv.")  # which the number of a preprint stands for
            other, wrong = other + 1, wrong + (given not in row["raw"].lower())
    return {"named": named, "found": found, "not_named": other, "made_up": wrong}


def letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", re.sub(r"<[^>]+>", "", text))
    return re.sub(r"[\W_]+", "", plain).lower()


def _first(people: Iterable[Person]) -> str:
    return next((letters(each.family or each.literal) for each in people), "")


def _starts(text: str) -> str:
    return re.split(r"[-–]", text)[0].lower()


#: What is asked of a reference, of the work and of what was read of it.
FIELDS: dict[str, Callable[[Item], str]] = {
    "author": lambda work: _first(work.authors or work.editors),
    "year": lambda work: work.issued[:4],
    "title": lambda work: letters(work.title),
    "container": lambda work: letters(work.container),
    "volume": lambda work: letters(work.volume),
    "first_page": lambda work: _starts(work.pages),
    "doi": lambda work: re.sub(r"[^a-z0-9]", "", work.doi.lower()),
}


def read_back(data: Path) -> Row:
    """By style and field, the share that is right of the works whose field stands in the reference;
    titles also by how alike they are.
    """
    works = rows(data / "formatted_gold.jsonl")
    figures: Row = {}
    for style, name in GOLD.items():
        right, asked, alike = Counter[str](), Counter[str](), list[float]()
        for row in works:
            if not (text := row["expected"].get(name)):
                continue
            wanted, found = csl.read_item(row["item"]), plain.parse_reference(text)
            for field, of in FIELDS.items():
                want, got = of(wanted), of(found)
                if want and want in letters(text):
                    asked[field] += 1
                    ratio = (
                        1.0
                        if want == got
                        else difflib.SequenceMatcher(None, want, got, autojunk=False).ratio()
                    )
                    right[field] += ratio >= ALIKE if field == "title" else want == got
                    alike += [ratio] if field == "title" else []
        shares = {field: round(right[field] / asked[field], 3) for field in FIELDS}
        figures[style] = {**shares, "title_similarity": round(sum(alike) / len(alike), 3)}
    return figures


# -- there and back --------------------------------------------------------------------------------------------------------


def _names(people: Iterable[Person]) -> str:
    return "; ".join(each.whole for each in people)


#: What a work is compared by when it was written and read again; pages from 3 to 3 are page 3.
KEPT: dict[str, Callable[[Item], str]] = {
    "type": lambda work: work.kind,
    "authors": lambda work: _names(work.authors),
    "editors": lambda work: _names(work.editors),
    "pages": lambda work: format_pages(work.pages),
    "url": lambda work: unquote(work.address),
    "container": lambda work: work.container or work.more.get("collection-title", ""),
    **{
        name: lambda work, name=name: getattr(work, name)  # type: ignore[misc]
        for name in (
            "title publisher place issued volume issue edition number genre language doi".split()
        )
    },
}
#: What a format has no word for.
WITHOUT = {("ris", "type", "article"): "RIS has no type for a preprint"}


def there_and_back(data: Path) -> Row:
    """By format, how many fields were written, and which were not the same when they were read."""
    works = [csl.read_item(row["item"]) for row in rows(data / "formatted_gold.jsonl")]
    figures: Row = {}
    for name in FORMATS:
        written, lost, apart = 0, list[str](), Counter[str]()
        for work in works:
            back = (
                reading.read_bibliography(format_reference_list(name, [work]), name).entries[0].item
            )
            for field, of in KEPT.items():
                written += bool(of(work))
                if of(work) and of(work) != of(back):
                    if why := WITHOUT.get((name, field, work.type)):
                        apart[why] += 1
                    else:
                        lost.append(f"{field}: {of(work)[:80]!r} came back as {of(back)[:80]!r}")
        figures[name] = {
            "works": len(works),
            "fields": written,
            "lost": len(lost),
            "which": lost,
            "without_a_word_for_it": dict(apart),
        }
    return figures


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--data", type=Path, help="the folder with the files named above")
    asked.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    given = asked.parse_args()
    data = given.data or shared("bibliography")
    figures = {
        "files": imported(data),
        "dois": dois(data),
        "read_back": read_back(data),
        "there_and_back": there_and_back(data),
    }
    if given.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        for name, found in figures.items():
            print(name, *(f"  {key}: {value}" for key, value in found.items()), sep="\n")
    record("references", figures)


if __name__ == "__main__":
    main()
