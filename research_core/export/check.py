"""Check an evidence pack offline, without Assay: python3 check.py [FOLDER OR ZIP] [--digest HEX]

Needs only Python 3.9 or newer. It finds what was changed after the pack was made, and passages,
figures or requests that lead nowhere. It compares:

  report.md, report.html   the text with report.json: sentences, headings, citations, what the
                           check found, notices, confidence and contradictions, and nothing beside
                           them; the titles, addresses, scores and reasons of the sources. Their
                           other lines (facts about sources, methodology, the passages shown on
                           hover) with text.json alone
  sources.csv, references  with report.json: addresses, titles, scores, decisions, authors
  all other tables         with the JSON beside them, and that with report.json and the stored pages

README.txt is covered by SHA256SUMS alone. If everything that says the same was changed alike, and
SHA256SUMS too, only the pack's digest shows it: the SHA-256 of SHA256SUMS, received apart from the
pack and given here with --digest. Whether a source is right is not checked. Exit code 0: all holds;
1: something does not; 2: wrong arguments.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.isolated:
    # The script's folder may hold a planted csv.py, which would run instead of Python's own.
    sys.path.pop(0)

import csv
import hashlib
import html
import io
import json
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

# Assay itself fills the tables with the `build_…` functions of this file, so that a table and its
# check cannot differ. All is one file, because whoever receives a pack reads and runs one script:
# in parts it would need an order to read them in, and more that could be exchanged.

#: The files of a pack by name.
Files = dict[str, bytes]
Rows = list[list[str]]

#: Most bytes and most files of a pack; more is no evidence pack but an attack.
MOST_BYTES, MOST_FILES = 2_000_000_000, 20_000
_DIGEST = re.compile(r"[0-9a-f]{64}")


class UnreadablePack(Exception):
    """The given file or folder is no readable pack."""


# -- read a pack -----------------------------------------------------------------------------------


def read_pack(place: Path) -> Files:
    """Return every file of a folder or zip by its name; nothing is unpacked to the disk.

    Raises UnreadablePack.
    """
    return _read_folder(place) if place.is_dir() else _read_zip(place)


def _read_folder(place: Path) -> Files:
    paths = sorted(place.rglob("*"))
    if any(path.is_symlink() for path in paths):
        raise UnreadablePack("it holds a link to another place")
    found = [path for path in paths if path.is_file()]
    _check_size([path.stat().st_size for path in found])
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in found}


def _read_zip(place: Path) -> Files:
    files: Files = {}
    with zipfile.ZipFile(place) as packed:
        entries = packed.infolist()
        # zipfile gives no more bytes than the size that an entry states.
        _check_size([entry.file_size for entry in entries])
        for entry in entries:
            # Some programs put "./" before each name.
            name = re.sub(r"^(\./)+", "", entry.filename)
            if name in files or not _is_safe_name(entry.filename):
                raise UnreadablePack("it holds a name twice, or one that leads out of its folder")
            if not entry.is_dir():
                files[name] = packed.read(entry)
    return _strip_folder(files)


def _check_size(sizes: list[int]) -> None:
    if len(sizes) > MOST_FILES or sum(sizes) > MOST_BYTES:
        raise UnreadablePack("it holds more than an evidence pack can")


def _is_safe_name(name: str) -> bool:
    """Return True if a name stays in its folder."""
    if not name or name.startswith("/") or "\\" in name or ":" in name:
        return False
    return ".." not in name.split("/")


def _strip_folder(files: Files) -> Files:
    """Remove the one folder that holds all files in a zip that was packed again."""
    folders = [name[:-10] for name in files if re.fullmatch(r"[^/]+/SHA256SUMS", name)]
    if not folders or not all(name.startswith((folders[0], "__MACOSX/")) for name in files):
        return files
    return {name.removeprefix(folders[0]): body for name, body in files.items()}


def hash_bytes(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def read_json(files: Files, name: str) -> Any:
    return json.loads(files[name])


def read_report(files: Files) -> Any:
    """Return report.json with "words": the fixed words of its language, {} for English."""
    report = read_json(files, "report.json")
    report["words"] = read_json(files, "words.json") if "words.json" in files else {}
    return report


def read_table(files: Files, name: str) -> list[dict[str, str]]:
    """Return the rows of a table as dictionaries by column."""
    text = io.StringIO(files[name].decode("utf-8-sig"), newline="")
    return list(csv.DictReader(text, restkey="", restval="", strict=True))


def read_page(files: Files, page: str) -> str:
    """Return the text of a page by its hash; "" if it is not in the pack."""
    return files.get(f"pages/{page}.txt", b"").decode("utf-8", "surrogatepass")


# -- the fixed words of a report -------------------------------------------------------------------

#: How report.md marks a check with less than full support.
_CHECK_FLAGS = {
    "partly": "*(partly supported)*",
    "not found": "*(not found in the cited passage)*",
    "could not check": "*(could not be checked)*",
}
#: Further marks after a sentence: a fact without a source, a sentence from a single one.
_NO_SOURCE_MARKDOWN, _NO_SOURCE_HTML = "*(no source)*", "[no source]"
_ONE_SOURCE = "◇"
_ONE_SOURCE_NOTE = "◇ marks sentences that rest on one source: {single} of {count}."
#: The same in reports of earlier versions.
_EARLIER_ONE_SOURCE_NOTE = "◇ The sentence rests on one source."
_QUOTED_NOTE = (
    "Every sentence is quoted word for word, so whether its source supports it needs no check."
)
#: The same in reports of earlier versions.
_EARLIER_QUOTED_NOTE = "Not counted: quoted sentences always agree with the pages they come from."
#: Headings that Assay adds to the text.
_SOURCES_HEADING = "Sources"
_ADDED_HEADINGS = ("Confidence Assessment", "Sentences to Check", _SOURCES_HEADING)
#: The links above the text of report.html, behind that to the sources, and what names them.
_LATER_LINKS = ("Citations", "Not used", "Methodology")
_LINKS_HEADING = "In this file"
#: The first words of a contradiction, and the whole of it.
_CONTRADICTION_STARTS = (
    "Different figures",
    "Different dates",
    "Different names",
    "Opposite statements",
)
_CONTRADICTION = "{title}, {kind}: {about}: {claims}."
#: The overall confidence, and each of its measures.
_CONFIDENCE = "Computed from the sources and the checks of this report: **{level}** confidence."
_HIGH_MEASURE = "{measure}: {value} ({level})."
_LIMITED_MEASURE = "{measure}: {value} ({level}; {limits})."
_LEVELS = ("high", "moderate", "low")
_FUNNEL = (
    "Funnel: {found} found, {eligible} eligible, {fetched} fetched, {judged} judged, {kept} kept."
)
#: How the scores of a source are written, and what replaces a missing title.
_CREDIBILITY, _RELEVANCE = "credibility {score:.2f}", "relevance {score}/5"
_CREDIBILITY_NOTE = " (Credibility Score: {score:.2f})"
_UNTITLED, _OWN_DOCUMENT = "Untitled", "own document"
#: All of them; words.json translates them.
FIXED_WORDS = (
    _ONE_SOURCE_NOTE,
    _EARLIER_ONE_SOURCE_NOTE,
    _QUOTED_NOTE,
    *_CHECK_FLAGS.values(),
    _NO_SOURCE_MARKDOWN,
    _NO_SOURCE_HTML,
    *_ADDED_HEADINGS,
    *_LATER_LINKS,
    _LINKS_HEADING,
    *_CONTRADICTION_STARTS,
    _CONTRADICTION,
    _CONFIDENCE,
    _HIGH_MEASURE,
    _LIMITED_MEASURE,
    *_LEVELS,
    _FUNNEL,
    _CREDIBILITY,
    _RELEVANCE,
    _CREDIBILITY_NOTE,
    _UNTITLED,
    _OWN_DOCUMENT,
)
#: The same for two lines above the text, with the forms for their numbers.
FIXED_LINES = (
    (
        "Asked {moment} · {mode} mode, {model} · {decision} · {count:,} source found: {states}",
        "Asked {moment} · {mode} mode, {model} · {decision} · {count:,} sources found: {states}",
    ),
    # As in reports of earlier versions.
    (
        "Asked {moment} · {mode} mode, {model} · {decision} · {kept} of {judged:,} source kept",
        "Asked {moment} · {mode} mode, {model} · {decision} · {kept} of {judged:,} sources kept",
    ),
    (
        "{count:,} citation compared with the stored passages by words and numbers: {results}",
        "{count:,} citations compared with the stored passages by words and numbers: {results}",
    ),
    ("{count:,} citation: {results}", "{count:,} citations: {results}"),
)


def say(report: Any, message: str) -> str:
    """Return fixed words in the language of the report."""
    return str(report["words"].get(message, message))


# -- compare texts and tables ----------------------------------------------------------------------

#: What a reader cannot see: control characters, and what Unicode calls ignorable.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-"
    "\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def format_shown(text: object) -> str:
    """Return any text as one line without control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))[:200]


def strip_invisible(text: str) -> str:
    """Remove what cannot be seen; white space stays."""
    return _INVISIBLE.sub("", text)


def strip_markup(text: str) -> str:
    """Remove white space, invisible characters and Markdown's signs.

    The signs are `*`, `_`, backtick, bar, backslash, and two that Assay keeps for itself.
    """
    return re.sub("[*_`|\\\\\ue000\ue002]", "", strip_invisible("".join(text.split())))


def keep_letters(text: str) -> str:
    """Return the letters and digits of a text; four that cannot be seen count as letters."""
    return "".join(
        sign for sign in text if sign.isalnum() and sign not in "\u115f\u1160\u3164\uffa0"
    )


def collapse_spaces(text: str) -> str:
    return " ".join(text.split())


def is_same_text(cell: str, text: str) -> bool:
    """Return True if a cell holds this text.

    Tables have words cleaned: of these only letters and digits are compared, and a long text as far
    as it was kept.
    """
    if cell == text:
        return True
    wordy = " " in text or not text.isascii() or not text.isprintable() or cell[:1] == "'"
    if not wordy:
        return False
    kept, whole = keep_letters(cell), keep_letters(text)
    shortened = cell.endswith("…") and len(cell) > 1_000
    return kept == whole or (shortened and whole.startswith(kept))


def pair_rows(one: Iterable[Any], other: Iterable[Any]) -> Any:
    """Pair two lists, numbered from 1, up to the end of the shorter one."""
    # Python 3.9 has no `strict`.
    return [(n, *both) for n, both in enumerate(zip(one, other), 1)]  # noqa: B905


def compare_table(
    name: str, table: list[dict[str, str]], columns: Sequence[str], rows: Rows, source: str
) -> list[str]:
    """Report rows of a table that differ from those that the file `source` asks for."""
    faults: list[str] = []
    if len(table) != len(rows):
        faults.append(f"{name} has not as many rows as {source} asks for")
    for number, row, expected in pair_rows(table, rows):
        wrong: list[str] = []
        for _, column, text in pair_rows(columns, expected):
            if not is_same_text(row[column], text):
                wrong.append(column)
        if wrong:
            words = ", ".join(wrong)
            faults.append(f"{name}: row {number} does not say what {source} says: {words}")
    return faults


def compare_with_json(files: Files, name: str, columns: Sequence[str], rows: Rows) -> list[str]:
    """Report rows of NAME.csv that differ from those made of NAME.json."""
    return compare_table(
        f"{name}.csv", read_table(files, f"{name}.csv"), columns, rows, f"{name}.json"
    )


def get_read_url(source: Any) -> str:
    """Return the address of a source after its redirects."""
    url: str = source["landed"] or source["url"]
    return url


def get_state(sentence: Any) -> str:
    """Return the result of a sentence's check; "quoted" if no check was needed."""
    state: str = "quoted" if sentence.get("quoted") else sentence["state"]
    return state


def map_numbered_sources(report: Any) -> dict[int, Any]:
    """Map the sources of report.json that have a number by it."""
    return {source["number"]: source for source in report["sources"] if source["number"]}


# -- sums and hashes -------------------------------------------------------------------------------

_SUM_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]+)")
#: What systems and programs leave in a folder.
_LITTER = re.compile(
    r"(?:.*/)?(\.DS_Store|__MACOSX/.*|\._[^/]*|__pycache__/.*|Thumbs\.db|desktop\.ini)"
)


def check_sums(files: Files) -> list[str]:
    """Report files that SHA256SUMS does not list, or that are missing or changed."""
    if "SHA256SUMS" not in files:
        return ["SHA256SUMS is missing"]
    lines = files["SHA256SUMS"].decode("utf-8", "replace").split("\n")
    rows = [_SUM_LINE.fullmatch(line) for line in lines[:-1]]
    if lines[-1] or not all(rows):
        return ["SHA256SUMS is not as it was written"]
    listed = {row[2]: row[1] for row in rows if row}
    faults = [f"{name} is missing" for name in listed if name not in files]
    for name in files:
        if name in listed or name == "SHA256SUMS":
            continue
        if _LITTER.fullmatch(name):
            faults.append(
                f"{name} was added and is no part of the pack: the system or a program left it"
                " there; delete it and check again"
            )
        else:
            faults.append(f"{name} is not listed: it was added and is no part of the pack")
    for name, digest in listed.items():
        if name in files and hash_bytes(files[name]) != digest:
            faults.append(f"{name} was changed")
    return faults


def check_hashes(files: Files) -> list[str]:
    """Report pages and prompts that are not named by the hash of their bytes."""
    faults: list[str] = []
    for name, body in files.items():
        folder = name.partition("/")[0]
        if folder in ("pages", "prompts") and name != f"{folder}/{hash_bytes(body)}.txt":
            faults.append(f"{name} is not named by its hash")
    return faults


# -- pages and passages ----------------------------------------------------------------------------


PAGE_COLUMNS = ("file", "sha256 holds", "url", "title", "source", "decision")


def build_page_row(source: Any, body: bytes | None) -> list[str]:
    """Build the cells of a source in pages.csv, except when it was fetched.

    body: the stored page, None if it is not stored.
    """
    file, holds = "not stored", ""
    if body is not None:
        file = f"pages/{source['page']}.txt"
        holds = "yes" if hash_bytes(body) == source["page"] else "no"
    number = str(source["number"] or "")
    return [file, holds, source["url"], source["title"], number, source["status"]]


def check_fetched_pages(files: Files) -> list[str]:
    """Report errors in pages.csv: a wrong page, file, time or title, and pages it does not list."""
    table = read_table(files, "pages.csv")
    rows: Rows = []
    names: set[str] = set()
    for source in read_report(files)["sources"]:
        if source["page"]:
            name = f"pages/{source['page']}.txt"
            names.add(name)
            rows.append(build_page_row(source, files.get(name)))
    faults = compare_table("pages.csv", table, PAGE_COLUMNS, rows, "report.json")
    for row in table:
        if row["fetched"] and datetime.fromisoformat(row["fetched"]).tzinfo is None:
            faults.append(f"pages.csv: {row['fetched']} names no time zone")
    for name in sorted(files):
        if name.startswith("pages/") and name not in names:
            faults.append(f"{name} is the page of no source")
    return faults


def is_at_place(page: str, start: int, end: int, text: str) -> bool:
    """Return True if a page has this text from character `start` to character `end`."""
    # Half a surrogate pair is "?" in report.json.
    return page[start:end].encode("utf-8", "replace") == text.encode("utf-8", "replace")


def check_passages(files: Files) -> list[str]:
    """Report passages that are not at their place in the stored page."""
    faults: list[str] = []
    for source in read_report(files)["sources"]:
        if f"pages/{source['page']}.txt" not in files:
            continue
        page = read_page(files, source["page"])
        for one in source["passages"]:
            if not is_at_place(page, one["start"], one["end"], one["text"]):
                faults.append(
                    f"passage {one['id']} does not stand in {source['url']} where it should"
                )
    return faults


def check_citations(files: Files) -> list[str]:
    """Report citations that lead to no passage of a numbered source.

    That report.md and report.html have the same citations is checked with their sentences.
    """
    report = read_report(files)
    held: dict[int, set[str]] = {}
    for number, source in map_numbered_sources(report).items():
        held[number] = {one["id"] for one in source["passages"]}
    faults: list[str] = []
    for sentence in report["sentences"]:
        for one in sentence["citations"]:
            if one["passage"] not in held.get(one["source"], ()):
                faults.append(f"citation [{one['source']}] leads to no passage: {sentence['text']}")
    return faults


def check_counts(files: Files) -> list[str]:
    """Report a number of kept sources that differs from the funnel."""
    report = read_report(files)
    kept = sum(source["kept"] for source in report["sources"])
    told = report["funnel"].get("kept", 0)
    return [] if kept == told else [f"{kept} sources are kept, and the funnel says {told}"]


# -- findings: verification, contradictions, scores ------------------------------------------------

VERIFICATION_COLUMNS = (
    "sentence", "section", "text", "state", "reason", "one source", "source", "url", "passage",
    "page", "from", "to", "in page", "passage text",
)  # fmt: skip


def build_verification(report: Any, read_text: Callable[[str], str]) -> list[Any]:
    """Build the sentences of verification.json, each cited passage with its place in its page.

    read_text: returns the stored text of a page by its hash, "" if it is not stored.
    """
    sources = map_numbered_sources(report)
    pages = {source["page"]: "" for source in sources.values()}
    for page in filter(None, pages):
        pages[page] = read_text(page)
    listed: list[Any] = []
    for number, sentence in enumerate(report["sentences"], 1):
        listed.append(
            {
                "number": number,
                "section": sentence["section"],
                "text": sentence["text"],
                "state": get_state(sentence),
                "reason": sentence["note"],
                "one_source": sentence["one_source"],
                "citations": [
                    _build_cited_passage(sources[each["source"]], each["passage"], pages)
                    for each in sentence["citations"]
                ],
            }
        )
    return listed


def _build_cited_passage(source: Any, name: str, pages: dict[str, str]) -> Any:
    passage = _get_passage(source, name)
    start, end = passage["start"], passage["end"]
    return {
        "source": source["number"],
        "passage": name,
        "page": source["page"],
        "from": start,
        "to": end,
        "in_page": describe_place(pages[source["page"]], start, end, passage["text"]),
    }


def _get_passage(source: Any, name: str) -> Any:
    """Return a passage of a source by its name. Raises KeyError."""
    return {one["id"]: one for one in reversed(source["passages"])}[name]


def describe_place(page: str, start: int, end: int, text: str) -> str:
    """Return "yes" or "no": the text is at its place in the page; or "page not stored"."""
    if not page:
        return "page not stored"
    return "yes" if is_at_place(page, start, end, text) else "no"


def build_verification_rows(sentences: Iterable[Any], report: Any) -> Rows:
    """Build a row per cited passage of a sentence, or one row if it cites none."""
    sources = map_numbered_sources(report)
    rows: Rows = []
    for one in sentences:
        about = [str(one["number"]), one["section"], one["text"], one["state"], one["reason"]]
        about.append("yes" if one["one_source"] else "")
        for cited in one["citations"]:
            source = sources[cited["source"]]
            place = [str(cited[name]) for name in ("passage", "page", "from", "to", "in_page")]
            text = _get_passage(source, cited["passage"])["text"]
            rows.append([*about, str(cited["source"]), get_read_url(source), *place, text])
        if not one["citations"]:
            rows.append([*about, *[""] * 8])
    return rows


def check_verification(files: Files) -> list[str]:
    """Report sentences of the verification table that differ from the report or their page."""
    listed = read_json(files, "verification.json")["sentences"]
    report = read_report(files)
    faults: list[str] = []
    if len(listed) != len(report["sentences"]):
        faults.append("verification.json has not as many sentences as the report")
    expected = build_verification(report, lambda page: read_page(files, page))
    for number, one, sentence in pair_rows(listed, expected):
        if one != sentence:
            faults.append(
                f"verification.json: sentence {number} is not that of the report, or its passages"
                " do not stand in their pages as it says"
            )
    rows = build_verification_rows(expected, report)
    return faults + compare_with_json(files, "verification", VERIFICATION_COLUMNS, rows)


CONTRADICTION_COLUMNS = (
    "contradiction", "about", "unit", "kind", "why", "value", "source", "passage", "sentence",
    "published", "credibility",
)  # fmt: skip


def build_contradiction_rows(found: Sequence[Any]) -> Rows:
    """Build a row per claim of each contradiction."""
    rows: Rows = []
    for number, one in enumerate(found, 1):
        about = [str(number), *(one[name] for name in ("about", "unit", "kind", "why"))]
        for claim in one["claims"]:
            score = claim["credibility"]
            rows.append(
                [
                    *about,
                    claim["value"],
                    str(claim["source"]),
                    claim["passage"],
                    claim["sentence"],
                    claim["published"],
                    "" if score is None else _format_figure(score),
                ]
            )
    return rows


def _format_figure(value: float) -> str:
    return f"{value:.6g}"


def check_contradictions(files: Files) -> list[str]:
    """Report contradictions that do not stand in their sources, and a changed confidence."""
    found, report = read_json(files, "contradictions.json"), read_report(files)
    faults: list[str] = []
    if found != report["contradictions"]:
        faults.append("contradictions.json does not say what report.json says")
    if read_json(files, "confidence.json") != report["confidence"]:
        faults.append("confidence.json does not say what report.json says")
    sources = map_numbered_sources(report)
    for number, one in enumerate(found, 1):
        for claim in one["claims"]:
            source = sources.get(claim["source"], {"passages": ()})
            texts = [one["text"] for one in source["passages"] if one["id"] == claim["passage"]]
            if not texts or collapse_spaces(claim["sentence"]) not in collapse_spaces(texts[0]):
                faults.append(
                    f"contradiction {number}: {claim['value']} does not stand in source"
                    f" {claim['source']}"
                )
            elif claim["credibility"] != (source["credibility"] or {"score": None})["score"]:
                faults.append(
                    f"contradiction {number}: source {claim['source']} has another credibility"
                )
    rows = build_contradiction_rows(found)
    return faults + compare_with_json(files, "contradictions", CONTRADICTION_COLUMNS, rows)


ASSESSMENT_COLUMNS = ("source", "url", "decision", "of", "part", "label", "value", "counts", "why")
#: The labels of a score's terms in assessments.csv.
_SCORE_TERMS = {
    "domain": "what its host is worth",
    "relevance": "the share of the question's words that the search result has",
    "recency": "a recent date",
}


def build_assessment_rows(sources: Iterable[Any]) -> Rows:
    """Build, for each source, its score and the parts of it, then its assessment and its parts."""
    rows: Rows = []
    for source in sources:
        about = [str(source["number"] or ""), source["url"], source["decision"]]
        rows += [[*about, *row] for row in _build_part_rows(source)]
    return rows


def _build_part_rows(source: Any) -> Iterator[list[str]]:
    score = source["score"]
    total = _format_figure(score["score"])
    yield ["score", "score", score["kind"] or score["tier"], total, "", score["why"]]
    for name, label in _SCORE_TERMS.items():
        basis = score["basis"] if name == "domain" else ""
        yield ["score", name, label, _format_figure(score[name]), "", basis]
    for name, rating in sorted(source["ratings"].items()):
        yield ["ratings", name, "expert rating", _format_figure(rating), "", ""]
    whole = source["assessment"]
    if not whole:
        return
    total = _format_figure(whole["value"])
    yield ["assessment", "assessment", whole["level"], total, "", ""]
    for part in whole["parts"]:
        value, counts = _format_figure(part["value"]), "yes" if part["counts"] else "no"
        yield ["assessment", part["name"], part["label"], value, counts, part["why"]]


def check_scores(files: Files) -> list[str]:
    """Report scores that their parts do not add up to or that differ from the report."""
    told = read_json(files, "assessments.json")
    sources = [source for source in read_report(files)["sources"] if source["credibility"]]
    faults: list[str] = []
    if len(sources) != len(told["sources"]):
        faults.append("assessments.json has not as many sources as report.json")
    for number, one, source in pair_rows(told["sources"], sources):
        faults += _check_score(number, one, source, told["policy"])
    rows = build_assessment_rows(told["sources"])
    return faults + compare_with_json(files, "assessments", ASSESSMENT_COLUMNS, rows)


def _check_score(number: int, one: Any, source: Any, policy: Any) -> list[str]:
    faults: list[str] = []
    score, name = one["score"], format_shown(one["url"])
    domain = score["domain"] * policy["domain_weight"]
    relevance = score["relevance"] * policy["relevance_weight"]
    total = min(1.0, domain + relevance + score["recency"])
    # The analyst's own word of 0 keeps a host out, whatever else it has.
    if score["basis"] == "override" and score["domain"] == 0:
        total = 0.0
    if abs(total - score["score"]) > 1e-5:
        faults.append(f"assessments.json: the parts of {name} do not come to its score")
    told = (one["number"], one["url"], one["decision"], score)
    if told != (source["number"], source["url"], source["status"], source["credibility"]):
        faults.append(f"assessments.json: source {number}, {name}, is not that of report.json")
    passes = one["approved"] or source["own"] or score["score"] > policy["minimum"]
    if one["decision"] == "kept" and not passes:
        faults.append(f"assessments.json: {name} was kept though its score is too low")
    return faults


# -- requests to models ----------------------------------------------------------------------------

REQUEST_COLUMNS = (
    "call", "kind", "asked of", "answered by", "answered at", "failed", "tokens in", "tokens out",
    "US dollars", "request", "why", "system", "prompt", "sha256",
)  # fmt: skip
#: Fields of a request that was made again because an answer could not be used; others lack them.
RETRY_FIELDS = ("attempt", "skip_models")


def build_request_row(call: Any) -> list[str]:
    """Build the row of a call in prompts.csv."""
    return [
        str(call["number"]),
        call["kind"],
        call["model"],
        call["answered_by"],
        call["answered_at"],
        call["failed"],
        str(call["input_tokens"]),
        str(call["output_tokens"]),
        "not known" if call["cost"] is None else _format_figure(call["cost"]),
        call["request"],
        call["why"],
        call.get("system", ""),
        call.get("prompt", ""),
        call["sha256"],
    ]


def check_requests(files: Files) -> list[str]:
    """Report requests to models that differ from the logged hash, and missing or added texts."""
    told = read_json(files, "prompts.json")
    faults: list[str] = []
    if not isinstance(told["unread"], str) or (told["unread"] and told["calls"]):
        faults.append("prompts.json says that it has no calls, and has some")
    used: set[str] = set()
    for number, call in enumerate(told["calls"], 1):
        names = [call[name] for name in ("system", "prompt") if call.get(name, "")]
        used.update(names)
        if call["number"] != number or not _DIGEST.fullmatch(call["sha256"]):
            faults.append(f"prompts.json: call {number} has no number or hash")
        lost = [name for name in names if name not in files]
        if lost:
            faults.append(f"prompts.json: call {number}: {lost[0]} is missing")
        elif call["request"] == "as sent":
            if _hash_request(files, told["version"], call) != call["sha256"]:
                faults.append(f"prompts.json: call {number} is not the request that was recorded")
        elif call["request"] not in ("masked", "could not be made again"):
            faults.append(f"prompts.json: call {number} has no state that is known")
    for name in sorted(files):
        if name.startswith("prompts/") and name not in used:
            faults.append(f"{name} belongs to no request")
    rows = [build_request_row(call) for call in told["calls"]]
    return faults + compare_with_json(files, "prompts", REQUEST_COLUMNS, rows)


def _hash_request(files: Files, version: int, call: Any) -> str:
    """Compute the hash under which the log records a request, of all its answer depends on."""
    params = {
        name: call[name] for name in ("model", "kind", "inputs", "schema", "tools", "history")
    }
    params |= {name: call[name] for name in RETRY_FIELDS if name in call}
    for name in ("system", "prompt"):
        params[name] = files[call[name]].decode("utf-8", "surrogatepass") if call[name] else ""
    spelt = json.dumps(
        ["model", version, params],
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )
    return hash_bytes(spelt.encode("utf-8", "surrogatepass"))


# -- the lines of report.md and report.html --------------------------------------------------------

#: The files that people read.
READ_FILES = ("report.md", "report.html")
_LIST_LEAD = re.compile(r"\s*(#{1,6}\s|[-*+•]\s|\d{1,9}[.)]\s|>\s?)(.*)", re.DOTALL)
#: A line that only separates: of a Markdown table, or a rule.
_RULE_LINE = re.compile(r"[-:]*")
_HEADING_TAGS = frozenset("h1 h2 h3 h4".split())
_BLOCK_TAGS = _HEADING_TAGS | frozenset(
    "p li blockquote tr div table nav header footer main ol ul details summary title style"
    " body".split()
)
_KNOWN_TAGS = _BLOCK_TAGS | frozenset(
    "html head a b i em strong code q bdi span th td small meter".split()
)
_VOID_TAGS = frozenset("meta img br hr input link base wbr source".split())
_KNOWN_ATTRIBUTES = frozenset(
    "class id dir lang rel href value min max open aria-label aria-hidden".split()
)


class ReadLine(NamedTuple):
    """A line as it is read, without markup.

    kind: heading | text | note (hover, labels); lead: the number in a list, or "".
    """

    kind: str
    text: str
    lead: str = ""


class _OpenTag(NamedTuple):
    """A tag that was not closed yet.

    closing: what its end adds to the text; part: heading | text | pop (a hover text) | style.
    """

    name: str
    closing: str
    part: str


def read_lines(name: str, body: bytes) -> list[ReadLine]:
    """Return the readable lines of report.md or report.html."""
    text = body.decode("utf-8")
    lines = read_markdown_lines(text) if name == "report.md" else read_page_lines(text)
    return [line for line in lines if not _RULE_LINE.fullmatch(strip_markup(line.text))]


def read_markdown_lines(text: str) -> Iterator[ReadLine]:
    """Yield the lines of a Markdown text."""
    for line in text.split("\n"):
        found = _LIST_LEAD.fullmatch(line)
        if not found:
            yield ReadLine("text", line)
        elif found[1].startswith("#"):
            yield ReadLine("heading", found[2])
        else:
            yield ReadLine("text", found[2], found[1].strip() if found[1][0].isdigit() else "")


def read_page_lines(text: str) -> list[ReadLine]:
    """Return the lines of an HTML page."""
    page = _PageParser()
    page.feed(text)
    page.close()
    page.end_line()
    return page.lines


class _PageParser(HTMLParser):
    """Parse a page into lines.

    A link is followed by its address. Hover texts, labels and markup that Assay does not write are
    lines of their own.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[ReadLine] = []
        self._open: list[_OpenTag] = []
        # The text of the line, and of each hover text within it.
        self._texts: list[str] = [""]
        self._lead = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag in _BLOCK_TAGS:
            self.end_line()
            self._lead = f"{said['value']}." if tag == "li" and "value" in said else ""
        if tag not in _KNOWN_TAGS or not _KNOWN_ATTRIBUTES.issuperset(said):
            shown = " ".join(f"{name}={value}" for name, value in attrs)
            self._add_note(f"<{tag} {shown}>")
        if "aria-label" in said:
            self._add_note(f"{said['aria-label']} {said.get('href', '')}")
        if tag == "meter":
            self._texts[-1] += f"{said.get('value', '')} "
        if said.get("class") == "pop":
            self._texts.append("")
        if tag not in _VOID_TAGS:
            self._open.append(self._make_open_tag(tag, said))
            if self._open[-1].closing == "]":
                self._texts[-1] += "["

    def _make_open_tag(self, tag: str, said: dict[str, str]) -> _OpenTag:
        part = self._open[-1].part if self._open else "text"
        if tag == "a":
            return _OpenTag(tag, _close_link(said.get("href", "")), part)
        if tag == "style":
            return _OpenTag(tag, "", "style")
        if said.get("class") == "pop":
            return _OpenTag(tag, "", "pop")
        closing = " " if tag in ("th", "td", "span") else ""
        return _OpenTag(tag, closing, "heading" if tag in _HEADING_TAGS else part)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCK_TAGS:
            self.end_line()
        while self._open:
            closed = self._open.pop()
            self._texts[-1] += closed.closing
            outer = self._open[-1].part if self._open else "text"
            if closed.part == "pop" and outer != "pop" and len(self._texts) > 1:
                self._add_note(self._texts.pop().strip())
            if closed.name == tag:
                break

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1].part == "style":
            data = f"style {hash_bytes(data.encode('utf-8', 'replace'))}"
        self._texts[-1] += data

    def handle_comment(self, data: str) -> None:
        self._add_note(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._add_note(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self._add_note(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self._add_note(f"<![{data}]>")

    def _add_note(self, text: str) -> None:
        self.lines.append(ReadLine("note", text))

    def end_line(self) -> None:
        """Add the text so far as a line, unless it is within a hover text or empty."""
        if len(self._texts) > 1 or not self._texts[0].strip():
            return
        heading = any(tag.part == "heading" for tag in self._open)
        kind = "heading" if heading else "text"
        self.lines.append(ReadLine(kind, self._texts[0].strip(), self._lead))
        self._texts[0], self._lead = "", ""


def _close_link(href: str) -> str:
    """Return what follows the text of a link: the bracket of a citation mark, or the address."""
    if href.startswith("#cite-"):
        return "]"
    return "" if href.startswith("#") else f" <{href}>"


# -- their sentences -------------------------------------------------------------------------------

_CHECK_SIGNS = {"quoted": "”", "supported": "✓", "partly": "◐", "not found": "✕"}
_TRAILING_MARKS = re.compile(r"(?:\[\d{1,4}\])+$")
#: What report.html has above the text, without white space; and a quoted sentence to check with the
#: note on it.
_PAGE_HEAD = re.compile(
    r"Asked\d{4}-.*|[\d,]+citations?(?:compared|:).*|Inthisfile|Sources(?:Citations.*|Notused)?"
    r"Methodology|style[0-9a-f]{64}"
)
#: Quotation marks by language, as `i18n.put_in_quotes` sets them; those of English are “…”.
_QUOTES = {"de": "„{}“", "fr": "«{}»", "es": "«{}»", "pt": "«{}»", "ja": "「{}」", "ar": "«{}»"}
#: Contradictions that the text names.
MAX_CONTRADICTIONS = 5


class ExpectedSentence(NamedTuple):
    """A sentence of report.json as it must stand in a file.

    whole: with its citations and marks, without white space.
    """

    section: str
    whole: str
    words: str


def build_expected_sentences(
    report: Any, name: str, lines: Sequence[ReadLine]
) -> list[ExpectedSentence]:
    """Build the sentences of report.json as report.md or report.html must have them.

    A page has the sign of sentences from a single source only where one of its lines explains it:
    those of sessions that ran under earlier rules of scoring have neither.
    """
    explained = set(map(strip_markup, _list_single_source_notes(report)))
    has_sign = any(strip_markup(line.text) in explained for line in lines)
    expected: list[ExpectedSentence] = []
    for one in report["sentences"]:
        unsourced = one["state"] == "uncited" and bool(one["note"])
        if report["decision"] == "insufficient_data":
            unsourced = False
        numbers = list(dict.fromkeys(each["source"] for each in one["citations"]))
        if name == "report.md":
            marks = _format_markdown_marks(report, one, numbers, unsourced)
        else:
            marks = _format_page_marks(report, one, numbers, unsourced)
            marks += _ONE_SOURCE if has_sign and numbers and one["one_source"] else ""
        whole = strip_markup(one["text"]) + marks
        if not _RULE_LINE.fullmatch(whole):
            expected.append(ExpectedSentence(_strip_heading(one["section"]), whole, one["text"]))
    return expected


def _list_single_source_notes(report: Any) -> list[str]:
    """List the lines that may explain the sign of sentences from a single source."""
    cited = [one for one in report["sentences"] if one["citations"]]
    single = sum(bool(one["one_source"]) for one in cited)
    note = say(report, _ONE_SOURCE_NOTE).format(single=single, count=len(cited))
    return [note, say(report, _EARLIER_ONE_SOURCE_NOTE)]


def _strip_heading(text: str) -> str:
    return _TRAILING_MARKS.sub("", strip_markup(text))


def _format_markdown_marks(report: Any, one: Any, numbers: list[int], unsourced: bool) -> str:
    marks = "".join(f"[{number}]" for number in numbers)
    if one["one_source"]:
        marks += _ONE_SOURCE
    if numbers:
        marks += strip_markup(say(report, _CHECK_FLAGS.get(one["state"], "")))
    return marks + strip_markup(say(report, _NO_SOURCE_MARKDOWN)) if unsourced else marks


def _format_page_marks(report: Any, one: Any, numbers: list[int], unsourced: bool) -> str:
    if unsourced and not numbers:
        return strip_markup(say(report, _NO_SOURCE_HTML))
    sign = _CHECK_SIGNS.get(get_state(one), "?")
    return "".join(f"[{number}{sign}]" for number in numbers)


def compare_sentences(name: str, body: bytes, report: Any) -> tuple[list[str], list[str]]:
    """Return the lines without a sentence of report.json, and the faults of sentences and text."""
    lines = read_lines(name, body)
    queue = build_expected_sentences(report, name, lines)
    known = _list_known_lines(report)
    notices = set(map(strip_markup, report["notices"]))
    own: list[str] = []
    faults: list[str] = []
    done, heading = 0, ""
    in_sources = False  # the text ends at the heading of the sources
    for line in lines:
        rest = strip_markup(line.text)
        end = done
        is_notice = done == 0 and rest in notices
        if line.kind == "text" and not is_notice:
            end = _skip_sentences(rest, queue, done)
        if end > done:
            for one in queue[done:end]:
                if one.section and one.section != heading:
                    faults.append(f"{name}: not under its heading: {one.words}")
            if line.lead:
                own.append(line.lead)
            done = end
            continue
        if line.kind == "heading":
            heading = _TRAILING_MARKS.sub("", rest)
            in_sources = in_sources or (
                rest == strip_markup(say(report, _SOURCES_HEADING)) and done == len(queue)
            )
        own.append(strip_invisible(collapse_spaces(f"{line.lead} {line.text}")))
        between = 0 < done < len(queue)
        if not in_sources and not _is_known_line(line.kind, rest, report, known, between):
            faults.append(f"{name}: not in report.json, or not there: {line.text}")
    if done < len(queue):
        faults.append(f"{name}: missing, or not as in report.json: {queue[done].words}")
    return own, faults


def _skip_sentences(rest: str, queue: list[ExpectedSentence], at: int) -> int:
    """Return the index after the whole sentences that make up a line; `at` if it has others."""
    index = at
    while rest:
        if index == len(queue) or not rest.startswith(queue[index].whole):
            return at
        rest = rest[len(queue[index].whole) :]
        index += 1
    return index


def _list_known_lines(report: Any) -> set[str]:
    """Return the lines of report.json that may stand in the text beside its sentences."""
    fixed = (*_ADDED_HEADINGS, _QUOTED_NOTE, _EARLIER_QUOTED_NOTE)
    added = [say(report, line) for line in fixed] + _list_single_source_notes(report)
    known = [report["question"], *report["notices"], *added, *_list_measures(report)]
    return {*map(strip_markup, known), *map(_strip_heading, report["headings"])}


def _list_measures(report: Any) -> list[str]:
    """List the lines on the overall confidence."""
    confidence = report["confidence"]
    if not confidence:
        return []
    head = say(report, _CONFIDENCE).format(level=say(report, confidence["level"]))
    reason = confidence.get("reason", "")
    lines = [f"{head} {reason}" if reason else head]
    for one in confidence["lines"]:
        words = _HIGH_MEASURE if one["level"] == "high" else _LIMITED_MEASURE
        line = say(report, words).format(
            measure=one["name"][:1].upper() + one["name"][1:],
            value=one["value"],
            level=say(report, one["level"]),
            limits=one["why"],
        )
        lines.append(line)
    return lines


#: The languages that write 0,50 for 0.50.
_DECIMAL_COMMA = frozenset({"de", "fr", "es", "pt"})
_CLAUSE_SEPARATORS = {"fr": " ; ", "zh": "；", "ja": "；", "ar": "؛ "}


def _quote(report: Any, text: str) -> str:
    """Put a text into the quotation marks of the report's language."""
    return _QUOTES.get(report["words"].get("language", "en"), "“{}”").format(text)


def _list_differing_values(report: Any) -> list[str]:
    """List the values of each contradiction in the text, as they follow its kind."""
    listed: list[str] = []
    for one in report["contradictions"][:MAX_CONTRADICTIONS]:
        separator = _CLAUSE_SEPARATORS.get(report["words"].get("language", "en"), "; ")
        values = separator.join(
            f"{_quote(report, claim['value'])} [{claim['source']}]" for claim in one["claims"]
        )
        ending = say(report, _CONTRADICTION).partition("{kind}")[2]
        listed.append(ending.format(about=one["about"], claims=values))
    return listed


def _is_known_line(kind: str, rest: str, report: Any, known: set[str], between: bool) -> bool:
    """Return True if a line without sentences may stand in the text.

    rest: its text without white space and markup; between: it stands between two sentences, where
    only a heading may.
    """
    if kind == "note":
        return True
    if kind == "heading":
        return _TRAILING_MARKS.sub("", rest) in known
    if between:
        return False
    if rest in known or _PAGE_HEAD.fullmatch(rest) or _is_page_head(rest, report):
        return True
    if rest.startswith(tuple(strip_markup(say(report, each)) for each in _CONTRADICTION_STARTS)):
        ends = tuple(map(strip_markup, _list_differing_values(report)))
        return rest.endswith(ends)
    quoted = re.fullmatch(rf"{_quote(report, '(.*)')}(?:\[\d{{1,4}}\])*:(.*)", rest)
    if not quoted:
        return False
    start, note = quoted[1].rstrip("…"), quoted[2]
    for one in report["sentences"]:
        flag = strip_markup(say(report, _CHECK_FLAGS.get(one["state"], "")))
        if note not in (strip_markup(one["note"]), flag):
            continue
        if strip_markup(one["text"]).startswith(start):
            return True
    return False


def _is_page_head(rest: str, report: Any) -> bool:
    """Return True for the lines above the text of report.html in the language of the report."""
    for lines in report["words"].get("lines", ()):
        for line in lines:
            pattern = ".*".join(map(re.escape, re.split(r"\{[^}]*\}", line)))
            if re.fullmatch(pattern, rest):
                return True
    names = (_SOURCES_HEADING, *_LATER_LINKS)
    sources, citations, unused, last = (
        re.escape(strip_markup(say(report, name))) for name in names
    )
    if re.fullmatch(f"{sources}(?:{citations})?(?:{unused})?{last}", rest):
        return True
    return rest == strip_markup(say(report, _LINKS_HEADING))


# -- their other lines -----------------------------------------------------------------------------

_SOURCE_ENTRY = re.compile(r"\[(\d{1,4})\]\. ")
_UNSAFE_IN_LINK = re.compile(r"[\s()<>\[\]\\\"`|*]")
#: Sources below the threshold that report.md names, and unused ones that report.html names.
MAX_NAMED_SOURCES, MAX_UNUSED_SOURCES = 5, 100
#: Characters of a title or a reason that every format has in full.
MAX_WHOLE_CHARS = 300


def list_own_lines(files: Files) -> dict[str, list[str]]:
    """List, by file, the lines that no sentence of report.json accounts for, in order."""
    report = read_report(files)
    return {name: compare_sentences(name, files[name], report)[0] for name in READ_FILES}


def check_words(files: Files) -> list[str]:
    """Report differences of report.md and report.html from report.json and text.json."""
    report = read_report(files)
    faults: list[str] = []
    for name in READ_FILES:
        own, wrong = compare_sentences(name, files[name], report)
        told = read_json(files, "text.json")[name]
        faults += [*wrong, *_compare_own_lines(name, own, told)]
        faults += _find_missing_facts(name, own, report)
    return faults


def _compare_own_lines(name: str, own: list[str], told: list[str]) -> list[str]:
    if own == told:
        return []
    faults = [f"{name}: in no file beside it: {line}" for line in own if line not in told]
    faults += [f"{name}: missing, or changed: {line}" for line in told if line not in own]
    return faults or [f"{name}: its lines are in another order than in text.json"]


def _find_missing_facts(name: str, own: list[str], report: Any) -> list[str]:
    """Report facts of report.json that no line holds with all their pieces."""
    lines = list(map(strip_markup, own))
    in_markdown = name == "report.md"
    list_source_facts = _list_markdown_facts if in_markdown else _list_page_facts
    faults: list[str] = []
    for fact in (*_list_shared_facts(report), *list_source_facts(report)):
        pieces = list(map(strip_markup, fact))
        if not any(_has_pieces(line, pieces) for line in lines):
            faults.append(f"{name}: does not say: {' '.join(fact)}")
    question = strip_markup(report["question"])
    short = [line for line in lines if len(line) <= len(question)]
    titles = sum(_has_pieces(line, [question]) for line in short)
    if question and titles < (1 if in_markdown else 2):
        faults.append(f"{name}: its title is not the question of report.json")
    entries = [_SOURCE_ENTRY.match(line) for line in own]
    listed = [int(entry[1]) for entry in entries if entry]
    numbers = [source["number"] for source in report["sources"] if source["number"]]
    if in_markdown and listed != sorted(numbers):
        faults.append("report.md: lists other sources than report.json")
    return faults


def _has_pieces(line: str, pieces: list[str]) -> bool:
    """Return True if a line holds all the pieces.

    Half a surrogate pair is "?" in report.json, and nothing in the line.
    """
    plain = line.replace("?", "")
    missing = [piece for piece in pieces if piece not in line]
    return all("?" in piece and piece.replace("?", "") in plain for piece in missing)


def _list_shared_facts(report: Any) -> Iterator[list[str]]:
    """Yield the facts in both files: decision, funnel, confidence, contradictions."""
    for notice in report["notices"]:
        yield [notice]
    yield [*([] if report["words"] else ["Decision:"]), report["rationale"].rstrip(".")]
    steps = ("found", "eligible", "fetched", "judged", "kept")
    counts = {step: f"{report['funnel'].get(step, 0):,}" for step in steps}
    yield [say(report, _FUNNEL).format(**counts)]
    if report["confidence"]:
        for line in (*_list_measures(report), *_list_differing_values(report)):
            yield [line]


def _list_markdown_facts(report: Any) -> Iterator[list[str]]:
    """Yield the facts of the source lists in report.md."""
    for source in report["sources"]:
        score = _format_score(source)
        if source["number"]:
            link = _format_link(report, source, get_read_url(source))
            scored = ""
            if score and not source["own"]:
                scored = _say_score(report, _CREDIBILITY_NOTE, score)
            yield [f"[{source['number']}]. {link} {scored}"]
        elif source["status"] in ("dropped", "failed", "struck", "duplicate"):
            why = source["reason"].rstrip(".。")[1:]  # its first letter may be a capital there
            scores = _list_named_scores(report, source)
            yield [f"{_format_link(report, source, source['url'])}:", *scores, why]
    blocked = [source for source in report["sources"] if source["blocked"]]
    for source in blocked[:MAX_NAMED_SOURCES]:
        yield [f"{_format_link(report, source, source['url'])} {_format_score(source)}"]


def _list_page_facts(report: Any) -> Iterator[list[str]]:
    """Yield the facts of the source lists in report.html."""
    unused: list[Any] = []
    for source in report["sources"]:
        if source["number"]:
            why = source["relevance"]["explanation"] if source["relevance"] else ""
            name = _list_name_and_url(source)
            yield [*name, *_list_named_scores(report, source), why[:MAX_WHOLE_CHARS]]
        if source["status"] in ("dropped", "blocked", "struck", "failed", "duplicate"):
            unused.append(source)
    for source in unused[:MAX_UNUSED_SOURCES]:
        scores = [_format_score(source), _format_relevance(source)]
        yield [*_list_name_and_url(source), *scores, source["reason"][:MAX_WHOLE_CHARS]]


def _format_score(source: Any) -> str:
    return f"{source['credibility']['score']:.2f}" if source["credibility"] else ""


def _say_score(report: Any, message: str, score: str) -> str:
    """Return fixed words with a credibility, with the decimal mark of the language."""
    if report["words"].get("language", "en") in _DECIMAL_COMMA:
        score = score.replace(".", ",")
    return say(report, message).replace("{score:.2f}", score)


def _format_relevance(source: Any) -> str:
    judged = source["relevance"]
    return f"{judged['score']}/5" if judged and judged["scored"] else ""


def _list_named_scores(report: Any, source: Any) -> list[str]:
    """Return both scores of a source with their names, if it has them."""
    named = []
    if _format_score(source):
        named.append(_say_score(report, _CREDIBILITY, _format_score(source)))
    if _format_relevance(source):
        relevance = _format_relevance(source).partition("/")[0]
        named.append(say(report, _RELEVANCE).format(score=relevance))
    return named


def _format_link(report: Any, source: Any, url: str) -> str:
    """Format a source as a Markdown link."""
    url = strip_invisible(url).strip()
    title = source["title"] or url
    if not strip_invisible(title).strip():
        title = say(report, _UNTITLED)
    if source["own"] and url == source["url"]:
        own = say(report, _OWN_DOCUMENT)
        return f"{title} ({own})"
    if not _is_web_address(url):
        return title
    return f"[{title}]({_UNSAFE_IN_LINK.sub(_encode_match, url)})"


def _encode_match(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _list_name_and_url(source: Any) -> list[str]:
    """Return title and address of a source as report.html has them."""
    url = strip_invisible(get_read_url(source)).strip()
    name = _get_name(source)[:MAX_WHOLE_CHARS]
    return [name, f"<{encode_url(url)}>" if _is_web_address(url) else ""]


def _get_name(source: Any) -> str:
    """Return the title of a source, or its address if nothing of its title can be seen."""
    title: str = source["title"]
    address: str = source["url"]
    return title if strip_invisible(title).strip() else address


def _is_web_address(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def encode_url(url: str) -> str:
    """Percent-encode what may not stand in an address, as every format does."""
    return quote(url, safe="%/:?#[]@!$&'()*+,;=-._~")


# -- sources.csv and citations.csv -----------------------------------------------------------------

#: Columns of sources.csv that report.json does not have, and those that it has.
_UNREPORTED_COLUMNS = ("site", "read", "not read", "kind of page")
SOURCE_COLUMNS = (
    "number", "decision", "title", "url", "credibility", "tier", "authority", "words", "date",
    "words found", "words missing", "relevance", "relevance scored", "why", "approved",
    "published", "page sha256", "copy of", "read from", "hidden texts", "speaks to machines",
    "retracted", "authors", "changed",
)  # fmt: skip


def list_unreported_cells(files: Files) -> list[str]:
    """List, by row, the cells of sources.csv that only text.json holds."""
    table = read_table(files, "sources.csv")
    return [" | ".join(row[column] for column in _UNREPORTED_COLUMNS) for row in table]


def check_sources(files: Files) -> list[str]:
    """Report rows of sources.csv that differ from report.json."""
    rows = [build_source_row(source) for source in read_report(files)["sources"]]
    table = read_table(files, "sources.csv")
    faults = compare_table("sources.csv", table, SOURCE_COLUMNS, rows, "report.json")
    if list_unreported_cells(files) != read_json(files, "text.json")["sources.csv"]:
        faults.append(
            "sources.csv: site, kind of page, when it was read or what was not: not as in text.json"
        )
    return faults


def build_source_row(source: Any) -> list[str]:
    """Build the cells of a source of report.json in sources.csv."""
    score, judged, metadata = source["credibility"], source["relevance"], source["metadata"]
    scores = [""] * 7
    if score:
        parts = (score[name] for name in ("domain", "relevance", "recency"))
        scores = [f"{score['score']:.4f}", score["tier"], *(f"{part:.4f}" for part in parts)]
        scores += [" ".join(score["matched"]), " ".join(score["missing"])]
    relevance = ["", ""]
    if judged:
        relevance = [str(judged["score"]), "yes" if judged["scored"] else "no"]
    retracted = source["signs"].get("retracted") or metadata["retracted"]
    return [
        str(source["number"] or ""),
        source["status"],
        source["title"],
        get_read_url(source),
        *scores,
        *relevance,
        source["reason"],
        "yes" if source["approved"] else "",
        source["published"],
        source["page"],
        str(source["copy_of"] or ""),
        source["archived"]["url"] if source["archived"] else "",
        str(sum(each["count"] for each in source["hidden"]) or ""),
        str(source["speaks_to_machines"] or ""),
        "yes" if retracted else "",
        "; ".join(metadata["authors"]),
        metadata["modified"],
    ]


_CHECK_WORDS = {
    "quoted": "quoted word for word",
    "supported": "supported",
    "partly": "partly supported",
    "not found": "not found in the passage",
}
_CITATION_COLUMNS = (
    "sentence", "check", "note", "source", "url", "passage", "from", "to", "page sha256",
    "passage text",
)  # fmt: skip


def check_citation_table(files: Files) -> list[str]:
    """Report rows of citations.csv that differ from report.json or the stored pages."""
    report = read_report(files)
    sources = map_numbered_sources(report)
    rows: Rows = []
    for sentence in report["sentences"]:
        numbers = list(dict.fromkeys(each["source"] for each in sentence["citations"]))
        # Stable: by source in the order of their first citation.
        cited = sorted(sentence["citations"], key=lambda each: numbers.index(each["source"]))
        for each in cited:
            rows.append(_build_citation_row(sentence, sources[each["source"]], each["passage"]))
    table = read_table(files, "citations.csv")
    of_sentences = [row for row in table if _is_sentence_row(row, report)]
    faults = compare_table("citations.csv", of_sentences, _CITATION_COLUMNS, rows, "report.json")
    if list_heading_rows(files) != read_json(files, "text.json")["citations.csv"]:
        faults.append("citations.csv has rows of no sentence that are not as in text.json")
    for number, row in enumerate(table, 1):
        wrong = _find_wrong_place(row, read_page(files, row["page sha256"]))
        faults += [f"citations.csv: row {number}: {fault}" for fault in wrong]
    return faults


def _build_citation_row(sentence: Any, source: Any, name: str) -> list[str]:
    passage = _get_passage(source, name)
    return [
        sentence["text"],
        _CHECK_WORDS.get(get_state(sentence), "could not be checked"),
        sentence["note"],
        str(source["number"]),
        get_read_url(source),
        name,
        str(passage["start"]),
        str(passage["end"]),
        source["page"],
        passage["text"],
    ]


def list_heading_rows(files: Files) -> list[str]:
    """List the rows of citations.csv without a sentence in report.json: headings that cite."""
    report = read_report(files)
    table = read_table(files, "citations.csv")
    return [" | ".join(row.values()) for row in table if not _is_sentence_row(row, report)]


def _is_sentence_row(row: dict[str, str], report: Any) -> bool:
    place = (row["source"], row["passage"])
    for one in report["sentences"]:
        cited = {(str(each["source"]), each["passage"]) for each in one["citations"]}
        if place in cited and is_same_text(row["sentence"], one["text"]):
            return True
    return False


def _find_wrong_place(row: dict[str, str], page: str) -> Iterator[str]:
    """Yield what a row of citations.csv says wrongly of places in its page."""
    there = is_same_text(row["passage text"], page[int(row["from"]) : int(row["to"])])
    expected = "page not stored"
    if page:
        expected = "yes" if there else "no"
    if row["in stored page"] != expected:
        yield "whether its passage stands in the stored page is not as it says"
    other = ""
    if row["from there"] and row["to there"]:
        other = page[int(row["from there"]) : int(row["to there"])]
    if keep_letters(row["on the page instead"]).rstrip() != keep_letters(other):
        yield "the other words do not stand in the page where it says"


# -- bibliographies --------------------------------------------------------------------------------

_BIBTEX_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$")
_RIS_LINE = re.compile(r"^([A-Z][A-Z0-9])  - ?(.*)$")
#: Fields of a work by their names in BibTeX, RIS and CSL.
_BIBTEX_NAMES = {
    "title": "title", "author": "authors", "url": "url", "doi": "doi", "note": "note",
    "urldate": "accessed", "date": "issued", "journal": "container", "howpublished": "container",
}  # fmt: skip
_RIS_NAMES = {
    "TI": "title", "AU": "authors", "UR": "url", "DO": "doi", "N1": "note", "Y2": "accessed",
    "DA": "issued", "T2": "container",
}  # fmt: skip
_CSL_NAMES = {
    "title": "title", "URL": "url", "DOI": "doi", "note": "note", "container-title": "container",
}  # fmt: skip


def check_bibliographies(files: Files) -> list[str]:
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
    spelt = [{part: _spell_for_bibtex(part, work[part]) for part in work} for work in works]
    faults += _compare_works("references.bib", _read_bibtex_works(files), spelt)
    return faults + _compare_works("references.ris", _read_ris_works(files), works)


def _compare_works(
    name: str, found: list[dict[str, str]], works: list[dict[str, str]]
) -> list[str]:
    faults: list[str] = []
    if len(found) != len(works):
        faults.append(f"{name} has {len(found)} works, and references.csl.json {len(works)}")
    for number, one, work in pair_rows(found, works):
        wrong = ", ".join(part for part, value in work.items() if one.get(part, "") != value)
        if wrong:
            faults.append(f"{name}: work {number}: its {wrong} is not that of references.csl.json")
    return faults


def _list_kept_sources(sources: Any) -> list[Any]:
    """List the kept sources by number, the first of those with the same address."""
    first: dict[str, Any] = {}
    kept = [source for source in sources if source["kept"]]
    for source in sorted(kept, key=lambda source: source["number"]):
        first.setdefault(_get_source_url(source) or source["url"], source)
    return list(first.values())


def _get_source_url(source: Any) -> str:
    if source["own"]:
        return ""
    return encode_url(strip_invisible(get_read_url(source)).strip())


def _find_differences(work: dict[str, str], source: Any) -> Iterator[str]:
    """Yield the parts of a work that differ from its source.

    These are title, address, authors and score. A DOI must be the page's, or stand in its address.
    """
    name = _get_name(source)
    title = keep_letters(name)
    shortened = len(work["title"]) > 400 and title.startswith(work["title"])
    if work["title"] != title and not shortened and not _is_rendered(work["title"], name):
        yield "title"
    address = _get_source_url(source)
    url = re.sub(r"(?<=//)[^/?#]*@", "", address)
    if len(work["url"]) > 9_000:
        url = url[: len(work["url"])]
    if work["url"] != url.rstrip("…"):
        yield "address"
    if work["authors"] != _normalize_value("authors", " and ".join(source["metadata"]["authors"])):
        yield "authors"
    score = _format_score(source)
    note = f"Credibility score {score}" if score else "Own document, not scored"
    if keep_letters(note) not in work["note"]:
        yield "score"
    doi = work["doi"].lower()
    if doi and doi not in f"{source['metadata']['doi']} {unquote(address)}".lower():
        yield "DOI"


#: Characters of a title that are compared where its markup was rendered.
MAX_TITLE_LENGTH = 2_000
#: A piece of a title: a tag or an HTML escape, a formula, or other text.
_TITLE_PIECE = re.compile(
    r"(?P<mark><[^<>]*>|&#?\w*;)|(?P<formula>\$+[^$]*\\[^$]*\$+)|(?P<text>[^<&$]+|.)", re.DOTALL
)


def _is_rendered(letters: str, name: str) -> bool:
    """Return True if these are the letters of a title without its markup, or some of it."""
    letters = unicodedata.normalize("NFKC", letters)
    for _ in range(4):
        if _fits_pieces(letters, unicodedata.normalize("NFKC", name)):
            return True
        name = html.unescape(name)
    return False


def _fits_pieces(letters: str, name: str) -> bool:
    """Return True if the pieces of a title give these letters, with or without each mark.

    How a formula was written out is not compared.
    """
    ends = {0}
    for piece in _TITLE_PIECE.finditer(name[:MAX_TITLE_LENGTH]):
        if piece["formula"]:
            ends = set(range(min(ends), len(letters) + 1))
            continue
        part = keep_letters(piece[0])
        after = {end + len(part) for end in ends if letters.startswith(part, end)}
        ends = ends | after if piece["mark"] else after
        if not ends:
            return False
    return len(letters) in ends


def _read_csl_work(one: Any) -> dict[str, str]:
    work = {part: one.get(name, "") for name, part in _CSL_NAMES.items()}
    work["authors"] = " and ".join(each["literal"] for each in one.get("author", ()))
    for name in ("issued", "accessed"):
        day = one.get(name, {"date-parts": [[]]})["date-parts"][0]
        work[name] = "-".join(str(part) for part in day)
    return {part: _normalize_value(part, value) for part, value in work.items()}


def _spell_for_bibtex(part: str, value: str) -> str:
    """Encode what would end the value of an address in BibTeX."""
    if part not in ("url", "doi"):
        return value
    kept = "<>" if part == "doi" else ""
    return re.sub(r"[\s{}\\\"^`|<>\x00-\x1f]", lambda found: quote(found[0], safe=kept), value)


def _read_bibtex_works(files: Files) -> list[dict[str, str]]:
    works: list[dict[str, str]] = []
    for line in files["references.bib"].decode("utf-8").split("\n"):
        if line.startswith("@"):
            works.append({})
        field = _BIBTEX_FIELD.fullmatch(line)
        part = _BIBTEX_NAMES.get(field[1]) if field else None
        if field and part:
            value = field[2]
            if part not in ("url", "doi"):
                value = re.sub(r"\\text[a-z]+\{\}", "", value)
            works[-1][part] = _normalize_value(part, value)
    return works


def _read_ris_works(files: Files) -> list[dict[str, str]]:
    works: list[dict[str, str]] = []
    people: list[str] = []
    for line in files["references.ris"].decode("utf-8").split("\r\n"):
        field = _RIS_LINE.fullmatch(line)
        if not field:
            continue
        tag, value = field[1], field[2]
        if tag == "TY":
            works.append({})
            people = []
        elif tag in _RIS_NAMES:
            if tag == "AU":
                people.append(value)
                value = " and ".join(people)
            works[-1][_RIS_NAMES[tag]] = _normalize_value(_RIS_NAMES[tag], value)
    return works


def _normalize_value(part: str, value: str) -> str:
    """Return what of a value every format has: letters, days as figures, addresses as they are."""
    if part in ("url", "doi"):
        return value
    if part in ("accessed", "issued"):
        return "-".join(str(int(figure)) for figure in re.findall(r"[0-9]+", value))
    # The order of the parts of names is ignored.
    return "".join(sorted(keep_letters(value))) if part == "authors" else keep_letters(value)


# -- run the checks --------------------------------------------------------------------------------

CHECKS = (
    ("files are as SHA256SUMS lists them", check_sums),
    ("pages and prompts are named by their hash", check_hashes),
    ("pages are listed, each with when it was fetched", check_fetched_pages),
    ("passages stand in their pages", check_passages),
    ("citations lead to passages and sources", check_citations),
    ("sentences of the verification table lead to passages and pages", check_verification),
    ("contradictions and confidence are those of the report", check_contradictions),
    ("scores are what their parts come to", check_scores),
    ("requests to models are those that were recorded", check_requests),
    ("report.md and report.html say what report.json and text.json say", check_words),
    ("sources.csv says what report.json says", check_sources),
    ("citations.csv says what report.json says", check_citation_table),
    (
        "bibliographies hold the sources of report.json: addresses, titles, authors, scores",
        check_bibliographies,
    ),
    ("counts match", check_counts),
)


def run_check(check: Callable[[Files], list[str]], files: Files) -> list[str]:
    """Return what a check finds; a file that it cannot read is a fault too."""
    try:
        return list(check(files))
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        csv.Error,
    ) as error:
        return [f"could not be checked: {describe_fault(error)}"]


def describe_fault(error: Exception) -> str:
    """Return why a file could not be read, in words instead of Python's names."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, LookupError):
        return f"it lacks an entry ({error})"
    if isinstance(error, (ValueError, csv.Error)):
        return f"a value cannot be read ({error})"
    return "a value has the wrong type"


def list_unchecked(files: Files) -> list[str]:
    """List what could not be checked because it is not in the pack."""
    gone: set[str] = set()
    for source in read_report(files)["sources"]:
        if source["page"] and f"pages/{source['page']}.txt" not in files:
            gone.add(source["page"])
    asked = read_json(files, "prompts.json")
    states = [call["request"] for call in asked["calls"]]
    masked, lost = states.count("masked"), states.count("could not be made again")
    counted = [
        (len(gone), "pages are not in this pack: their passages could not be checked"),
        (masked, "requests to models are masked: their hashes could not be checked"),
        (lost, "requests to models are not in this pack: prompts.csv says why"),
        (int(bool(asked["unread"])), f"pack without the requests to models: {asked['unread']}"),
    ]
    return [f"{count} {words}" for count, words in counted if count]


def main(arguments: list[str]) -> int:
    """Check the pack at the given place; return the exit code.

    arguments: a folder or zip, and --digest with the digest that was noted elsewhere.
    """
    digest = ""
    if "--digest" in arguments:
        at = arguments.index("--digest")
        digest = "".join(arguments[at + 1 : at + 2]).strip().lower()
        arguments = arguments[:at] + arguments[at + 2 :]
        if not _DIGEST.fullmatch(digest):
            arguments = ["--digest"]
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print("python3 check.py [FOLDER OR ZIP] [--digest 64 HEXADECIMAL DIGITS]")
        return 2
    place = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    try:
        files = read_pack(place)
    except (
        UnreadablePack,
        OSError,
        zipfile.BadZipFile,
        zlib.error,
        RuntimeError,
        NotImplementedError,
        EOFError,
        ValueError,
    ) as error:
        print(f"FAULT  {format_shown(place)} cannot be read: {format_shown(error)}")
        return 1
    return print_result(files, digest)


def print_result(files: Files, digest: str) -> int:
    """Print what holds and what does not; return the exit code."""
    found = [(label, run_check(check, files)) for label, check in CHECKS]
    actual = hash_bytes(files.get("SHA256SUMS", b""))
    if digest:
        faults = [] if actual == digest else [f"it is {actual}, not {digest}"]
        found.append(("the pack's digest is the one given", faults))
    for label, faults in found:
        print(f"{'FAULT' if faults else 'ok   '}  {label}")
        for fault in faults[:20]:
            print(f"         {format_shown(fault)}")
    bad = sum(bool(faults) for _, faults in found)
    if not bad:
        for note in list_unchecked(files):
            print(f"note   {format_shown(note)}")
    print(f"Pack digest {actual} (the SHA-256 of SHA256SUMS)")
    print(f"{bad} of {len(found)} checks do not hold." if bad else "All checks hold.")
    return 1 if bad else 0


if __name__ == "__main__":
    # A terminal that lacks a letter shows "?".
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
