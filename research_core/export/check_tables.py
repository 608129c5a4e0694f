"""Compare the tables and bibliographies of an evidence pack with report.json.

Of a source's row its site, kind of page and unread part are compared with text.json only. Needs
only Python 3.9 or newer; part of the script that goes into each pack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from research_core.export.check_base import (
    compare_table,
    is_same_text,
    keep_letters,
    pair_rows,
    read_json,
    read_report,
    read_table,
    strip_invisible,
)
from research_core.export.check_words import encode_url

_CHECK_WORDS = {
    "supported": "supported",
    "partly": "partly supported",
    "not found": "not found in the passage",
}
#: Columns of sources.csv that report.json does not have.
_UNREPORTED_COLUMNS = ("site", "read", "not read", "kind of page")
_CITATION_COLUMNS = (
    "sentence",
    "check",
    "note",
    "source",
    "url",
    "passage",
    "from",
    "to",
    "page sha256",
    "passage text",
)
_SOURCE_COLUMNS = (
    "number", "decision", "title", "url", "credibility", "tier", "authority", "words", "date",
    "words found", "words missing", "relevance",
    "relevance scored", "why", "approved", "published", "page sha256", "copy of", "read from",
    "hidden texts",
    "speaks to machines", "retracted", "authors", "changed",
)  # fmt: skip


def list_unreported_cells(files: dict[str, bytes]) -> list[str]:
    """List, by row, the cells of sources.csv that only text.json holds."""
    return [
        " | ".join(row[column] for column in _UNREPORTED_COLUMNS)
        for row in read_table(files, "sources.csv")
    ]


def check_sources(files: dict[str, bytes]) -> list[str]:
    """Report rows of sources.csv that differ from report.json."""
    rows = [list(_build_source_row(one)) for one in read_report(files)["sources"]]
    faults = compare_table(files, "sources", _SOURCE_COLUMNS, rows, "report.json")
    if list_unreported_cells(files) != read_json(files, "text.json")["sources.csv"]:
        faults.append(
            "sources.csv: site, kind of page, when it was read or what was not: not as in text.json"
        )
    return faults


def _build_source_row(one: Any) -> Iterator[str]:
    score, judged, metadata = one["credibility"], one["relevance"], one["metadata"]
    yield from (str(one["number"] or ""), one["status"], one["title"], one["landed"] or one["url"])
    if score:
        yield from (
            f"{score['score']:.4f}",
            score["tier"],
            *(f"{score[name]:.4f}" for name in ("domain", "relevance", "recency")),
        )
        yield from (" ".join(score["matched"]), " ".join(score["missing"]))
    yield from [] if score else [""] * 7
    yield from (str(judged["score"]), "yes" if judged["scored"] else "no") if judged else ("", "")
    yield from (
        one["reason"],
        "yes" if one["approved"] else "",
        one["published"],
        one["page"],
        str(one["copy_of"] or ""),
    )
    yield one["archived"]["url"] if one["archived"] else ""
    yield str(sum(each["count"] for each in one["hidden"]) or "")
    yield from (
        str(one["speaks_to_machines"] or ""),
        "yes" if one["signs"].get("retracted") or metadata["retracted"] else "",
    )
    yield from ("; ".join(metadata["authors"]), metadata["modified"])


def check_citation_table(files: dict[str, bytes]) -> list[str]:
    """Report rows of citations.csv that differ from the citations of report.json."""
    report = read_report(files)
    held = {source["number"]: source for source in reversed(report["sources"]) if source["number"]}
    rows: list[list[str]] = []
    for sentence in report["sentences"]:
        for number in dict.fromkeys(each["source"] for each in sentence["citations"]):
            for each in sentence["citations"]:
                if each["source"] == number:
                    rows.append(
                        _build_citation_row(sentence, number, held[number], each["passage"])
                    )
    table = [row for row in read_table(files, "citations.csv") if _is_sentence_row(row, report)]
    faults: list[str] = []
    if len(table) != len(rows):
        faults.append("citations.csv has not as many rows as report.json has citations")
    for _, row, told in pair_rows(table, rows):
        for _, column, text in pair_rows(_CITATION_COLUMNS, told):
            if not is_same_text(row[column], text):
                faults.append(
                    f"citations.csv: citation {row['citation']} does not say what report.json says:"
                    f" {column}"
                )
    if list_heading_rows(files) != read_json(files, "text.json")["citations.csv"]:
        faults.append("citations.csv has rows of no sentence that are not as in text.json")
    return faults + _check_page_places(files)


def _build_citation_row(sentence: Any, number: int, source: Any, name: str) -> list[str]:
    passage = {one["id"]: one for one in source["passages"]}[name]
    return [
        sentence["text"],
        _CHECK_WORDS.get(sentence["state"], "could not be checked"),
        sentence["note"],
        str(number),
        source["landed"] or source["url"],
        name,
        str(passage["start"]),
        str(passage["end"]),
        source["page"],
        passage["text"],
    ]


def list_heading_rows(files: dict[str, bytes]) -> list[str]:
    """List the rows of citations.csv without a sentence in report.json: headings that cite."""
    told = read_report(files)
    return [
        " | ".join(row.values())
        for row in read_table(files, "citations.csv")
        if not _is_sentence_row(row, told)
    ]


def _is_sentence_row(row: dict[str, str], told: Any) -> bool:
    here = (row["source"], row["passage"])
    return any(
        here in {(str(each["source"]), each["passage"]) for each in one["citations"]}
        and is_same_text(row["sentence"], one["text"])
        for one in told["sentences"]
    )


def _check_page_places(files: dict[str, bytes]) -> list[str]:
    """Report rows of citations.csv whose passage or other place is not in the stored page."""
    faults: list[str] = []
    for number, row in enumerate(read_table(files, "citations.csv"), 1):
        body = files.get(f"pages/{row['page sha256']}.txt")
        page = body.decode("utf-8", "surrogatepass") if body is not None else ""
        stands = is_same_text(row["passage text"], page[int(row["from"]) : int(row["to"])])
        told = "yes" if stands else "no"
        if row["in stored page"] != (told if page else "page not stored"):
            faults.append(
                f"citations.csv: row {number}: whether its passage stands in the stored page is not"
                " as it says"
            )
        place = ""
        if row["from there"] and row["to there"]:
            place = page[int(row["from there"]) : int(row["to there"])]
        if keep_letters(row["on the page instead"]).rstrip() != keep_letters(place):
            faults.append(
                f"citations.csv: row {number}: the other words do not stand in the page where it"
                " says"
            )
    return faults


# -- bibliographies --------------------------------------------------------------------------------

_BIBTEX_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$")
_RIS_LINE = re.compile(r"^([A-Z][A-Z0-9])  - ?(.*)$")
#: Fields of a work by their names in BibTeX and in RIS.
_BIBTEX_NAMES = {
    "title": "title",
    "author": "authors",
    "url": "url",
    "doi": "doi",
    "note": "note",
    "urldate": "accessed",
    "date": "issued",
    "journal": "container",
    "howpublished": "container",
}
_RIS_NAMES = {
    "TI": "title",
    "AU": "authors",
    "UR": "url",
    "DO": "doi",
    "N1": "note",
    "Y2": "accessed",
    "DA": "issued",
    "T2": "container",
}
_UNTITLED_WORKS = {"", "Untitled"}


def check_bibliographies(files: dict[str, bytes]) -> list[str]:
    """Report differences between the three bibliographies and the kept sources of report.json."""
    works = [_read_csl_work(one) for one in read_json(files, "references.csl.json")]
    kept = _list_kept_sources(read_report(files)["sources"])
    faults: list[str] = []
    if len(works) != len(kept):
        faults.append(f"references.csl.json has {len(works)} works, and report.json {len(kept)}")
    for number, work, source in pair_rows(works, kept):
        for name in _find_differences(work, source):
            faults.append(
                f"references.csl.json: work {number}: its {name} is not that of report.json"
            )
    faults += _compare_works("references.bib", _read_bibtex_works(files), works)
    faults += _compare_works("references.ris", _read_ris_works(files), works)
    return faults


def _compare_works(
    name: str, found: list[dict[str, str]], works: list[dict[str, str]]
) -> list[str]:
    faults: list[str] = []
    if len(found) != len(works):
        faults.append(f"{name} has {len(found)} works, and references.csl.json {len(works)}")
    for number, one, work in pair_rows(found, works):
        wrong: list[str] = []
        for part, value in work.items():
            if one.get(part, "") != _spell_value(name, part, value):
                wrong.append(part)
        if wrong:
            faults.append(
                f"{name}: work {number}: its {', '.join(wrong)} is not that of references.csl.json"
            )
    return faults


def _list_kept_sources(sources: Any) -> list[Any]:
    """List the kept sources by number, the first of those with the same address."""
    first: dict[str, Any] = {}
    for source in sorted(
        (source for source in sources if source["kept"]), key=lambda source: source["number"]
    ):
        first.setdefault(_get_source_url(source) or source["url"], source)
    return list(first.values())


def _get_source_url(source: Any) -> str:
    return (
        ""
        if source["own"]
        else encode_url(strip_invisible(source["landed"] or source["url"]).strip())
    )


def _find_differences(work: dict[str, str], source: Any) -> Iterator[str]:
    """Yield the parts of a work that differ from its source.

    These are title, address, authors and score. A DOI must be the page's, or stand in its address.
    """
    shown = source["title"] if strip_invisible(source["title"]).strip() else source["url"]
    title = keep_letters(shown)
    shortened = len(work["title"]) > 400 and title.startswith(work["title"])
    if work["title"] != title and not shortened:
        yield "title"
    address = _get_source_url(source)
    url = re.sub(r"(?<=//)[^/?#]*@", "", address)
    if len(work["url"]) > 9_000:
        url = url[: len(work["url"])]
    if work["url"] != url.rstrip("…"):
        yield "address"
    if work["authors"] != _sort_letters(" and ".join(source["metadata"]["authors"])):
        yield "authors"
    score = source["credibility"]
    note = f"Credibility score {score['score']:.2f}" if score else "Own document, not scored"
    if keep_letters(note) not in work["note"]:
        yield "score"
    doi = work["doi"].lower()
    if doi and doi not in f"{source['metadata']['doi']} {address}".lower():
        yield "DOI"


def _read_csl_work(one: Any) -> dict[str, str]:
    days = {
        name: "-".join(str(part) for part in one.get(name, {"date-parts": [[]]})["date-parts"][0])
        for name in ("issued", "accessed")
    }
    return {
        "title": keep_letters(one.get("title", "")),
        "url": one.get("URL", ""),
        "doi": one.get("DOI", ""),
        "authors": _sort_letters(" and ".join(each["literal"] for each in one.get("author", ()))),
        "note": keep_letters(one.get("note", "")),
        "container": keep_letters(one.get("container-title", "")),
        **{name: _normalize_day(day) for name, day in days.items()},
    }


def _sort_letters(names: str) -> str:
    """Return the sorted letters of names, so that the order of their parts is ignored."""
    return "".join(sorted(keep_letters(names)))


def _normalize_day(text: str) -> str:
    return "-".join(str(int(part)) for part in re.findall(r"[0-9]+", text))


def _spell_value(name: str, part: str, value: str) -> str:
    """Return a value as BibTeX has it: an address without what would end the value."""
    if name.endswith(".bib") and part in ("url", "doi"):
        return re.sub(r"[\s{}\\\"^`|<>\x00-\x1f]", lambda found: quote(found[0]), value)
    return value


def _read_bibtex_works(files: dict[str, bytes]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for line in files["references.bib"].decode("utf-8").split("\n"):
        field = _BIBTEX_FIELD.fullmatch(line)
        if line.startswith("@"):
            found.append({})
        elif field and field[1] in _BIBTEX_NAMES:
            value = field[2]
            if field[1] not in ("url", "doi"):
                value = re.sub(r"\\text[a-z]+\{\}", "", value)
            part = _BIBTEX_NAMES[field[1]]
            found[-1][part] = _normalize_value(part, value)
    return found


def _read_ris_works(files: dict[str, bytes]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    people: list[str] = []
    for line in files["references.ris"].decode("utf-8").split("\r\n"):
        field = _RIS_LINE.fullmatch(line)
        tag, value = (field[1], field[2]) if field else ("", "")
        if tag == "TY":
            found.append({})
            people = []
        elif tag == "AU":
            people.append(value)
            found[-1]["authors"] = _normalize_value("authors", " and ".join(people))
        elif tag in _RIS_NAMES:
            found[-1][_RIS_NAMES[tag]] = _normalize_value(_RIS_NAMES[tag], value)
    return found


def _normalize_value(part: str, value: str) -> str:
    if part in ("url", "doi"):
        return value
    if part == "authors":
        return _sort_letters(value)
    if part in ("accessed", "issued"):
        return _normalize_day(value)
    return keep_letters(value)
