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

import csv
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from research_core.export.check_base import (
    UnreadablePack,
    collapse_spaces,
    compare_table,
    format_shown,
    hash_bytes,
    is_same_text,
    pair_rows,
    read_json,
    read_pack,
    read_report,
    read_table,
)
from research_core.export.check_tables import (
    check_bibliographies,
    check_citation_table,
    check_sources,
)
from research_core.export.check_words import check_words

_SUM_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]+)")
_CITATION_MARK = re.compile(r"(?<![\\\w])\[([1-9]\d{0,2})\](?!\()")
_LISTED_SOURCE = re.compile(r"^\[(\d{1,4})\]\. ", re.MULTILINE)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_HASHED_NAME = re.compile(r"(pages|prompts)/([0-9a-f]{64})\.txt")


def check_sums(files: dict[str, bytes]) -> list[str]:
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
        if name not in listed and name != "SHA256SUMS":
            faults.append(_describe_added_file(name))
    for name, digest in listed.items():
        if name in files and hash_bytes(files[name]) != digest:
            faults.append(f"{name} was changed")
    return faults


def _describe_added_file(name: str) -> str:
    """Describe a file that is no part of the pack; a system's own file is named as such."""
    litter = re.search(
        r"(^|/)(\.DS_Store|__MACOSX/.*|\._[^/]*|__pycache__/.*|Thumbs\.db|desktop\.ini)$", name
    )
    if litter:
        return (
            f"{name} was added and is no part of the pack: the system or a program left it there;"
            " delete it and check again"
        )
    return f"{name} is not listed: it was added and is no part of the pack"


def check_hashes(files: dict[str, bytes]) -> list[str]:
    """Report pages and prompts that are not named by the hash of their bytes."""
    faults: list[str] = []
    for name in files:
        if name.startswith(("pages/", "prompts/")):
            named = _HASHED_NAME.fullmatch(name)
            if named is None or named[2] != hash_bytes(files[name]):
                faults.append(f"{name} is not named by its hash")
    return faults


def check_fetched_pages(files: dict[str, bytes]) -> list[str]:
    """Report errors in pages.csv: a wrong page, file, time or title, and pages it does not list."""
    rows = read_table(files, "pages.csv")
    read = [source for source in read_report(files)["sources"] if source["page"]]
    faults: list[str] = []
    if len(rows) != len(read):
        faults.append("pages.csv lists not as many pages as were read")
    for number, row, source in pair_rows(rows, read):
        faults += _check_page_row(files, number, row, source)
    names = {f"pages/{source['page']}.txt" for source in read}
    for name in sorted(files):
        if name.startswith("pages/") and name not in names:
            faults.append(f"{name} is the page of no source")
    return faults


def _check_page_row(
    files: dict[str, bytes], number: int, row: dict[str, str], source: Any
) -> list[str]:
    faults: list[str] = []
    name, file, holds = f"pages/{source['page']}.txt", "not stored", ""
    if name in files:
        file = name
        holds = "yes" if hash_bytes(files[name]) == source["page"] else "no"
    told = [row["file"], row["sha256 holds"], row["decision"]]
    if told != [file, holds, source["status"]]:
        faults.append(f"pages.csv: row {number} is not what is told of {source['url']}")
    same = is_same_text(row["url"], source["url"]) and is_same_text(row["title"], source["title"])
    if not same or row["source"] != str(source["number"] or ""):
        faults.append(
            f"pages.csv: row {number} has another address, title or number than {source['url']}"
            " in report.json"
        )
    if row["fetched"] and datetime.fromisoformat(row["fetched"]).tzinfo is None:
        faults.append(f"pages.csv: {row['fetched']} names no time zone")
    return faults


def check_passages(files: dict[str, bytes]) -> list[str]:
    """Report passages that are not at their place in the stored page."""
    faults: list[str] = []
    for source in read_report(files)["sources"]:
        body = files.get(f"pages/{source['page']}.txt")
        if body is None:
            continue
        text = body.decode("utf-8", "surrogatepass")
        for one in source["passages"]:
            place = text[one["start"] : one["end"]]
            # Half a surrogate pair is "?" in report.json.
            if place.encode("utf-8", "replace") != one["text"].encode("utf-8", "replace"):
                faults.append(
                    f"passage {one['id']} does not stand in {source['url']} where it should"
                )
    return faults


def check_citations(files: dict[str, bytes]) -> list[str]:
    """Report citations without a passage, and numbers in report.md without a source."""
    report = read_report(files)
    held: dict[int, set[str]] = {}
    for source in report["sources"]:
        if source["number"]:
            held[source["number"]] = {one["id"] for one in source["passages"]}
    faults: list[str] = []
    for sentence in report["sentences"]:
        for one in sentence["citations"]:
            if one["passage"] not in held.get(one["source"], ()):
                faults.append(f"citation [{one['source']}] leads to no passage: {sentence['text']}")
    text = files["report.md"].decode("utf-8")
    body, _, rest = text.partition("\n## Sources\n")
    listed = {int(number) for number in _LISTED_SOURCE.findall(rest)}
    cited = {int(number) for number in _CITATION_MARK.findall(body)}
    faults += [f"[{number}] is no source of report.md" for number in sorted(cited - listed)]
    unknown = sorted(listed - held.keys())
    return faults + [f"[{number}] is no source of report.json" for number in unknown]


def check_counts(files: dict[str, bytes]) -> list[str]:
    """Report a number of kept sources that differs from the funnel."""
    report = read_report(files)
    kept = sum(source["kept"] for source in report["sources"])
    told = report["funnel"].get("kept", 0)
    return [] if kept == told else [f"{kept} sources are kept, and the funnel says {told}"]


def check_verification(files: dict[str, bytes]) -> list[str]:
    """Report sentences of the verification table that differ from the report or their page."""
    listed = read_json(files, "verification.json")["sentences"]
    report = read_report(files)
    held = {source["number"]: source for source in report["sources"] if source["number"]}
    faults: list[str] = []
    if len(listed) != len(report["sentences"]):
        faults.append("verification.json has not as many sentences as the report")
    rows: list[list[str]] = []
    for number, one, told in pair_rows(listed, report["sentences"]):
        if not _is_verified_sentence(number, one, told):
            faults.append(f"verification.json: sentence {number} is not that of the report")
        about = [str(number), *(one[name] for name in ("section", "text", "state", "reason"))]
        about.append("yes" if one["one_source"] else "")
        for each in one["citations"]:
            source = held.get(each["source"])
            fault, text = _find_passage(files, source, each)
            if fault:
                faults.append(f"verification.json: sentence {number}: {fault}")
            url = held[each["source"]]["landed"] or held[each["source"]]["url"]
            names = ("source", "passage", "page", "from", "to", "in_page")
            rows.append([*about, url, *(str(each[name]) for name in names), text])
        if not one["citations"]:
            rows.append([*about, *[""] * 8])
    columns = (
        "sentence", "section", "text", "state", "reason", "one source", "url", "source",
        "passage", "page", "from", "to", "in page", "passage text",
    )  # fmt: skip
    return faults + compare_table(files, "verification", columns, rows)


def _is_verified_sentence(number: int, one: Any, told: Any) -> bool:
    """Return True if a sentence of verification.json is the one of report.json."""
    expected = {name: told[name] for name in ("section", "text", "state", "one_source")}
    expected |= {"number": number, "reason": told["note"]}
    if {name: one[name] for name in one if name != "citations"} != expected:
        return False
    cited = [(each["source"], each["passage"]) for each in one["citations"]]
    return cited == [(each["source"], each["passage"]) for each in told["citations"]]


def _find_passage(files: dict[str, bytes], source: Any, each: Any) -> tuple[str, str]:
    """Return what is wrong with a cited passage ("" if nothing), and its words in the report."""
    texts: list[str] = []
    if source:
        texts = [one["text"] for one in source["passages"] if one["id"] == each["passage"]]
    if not texts or each["page"] != source["page"]:
        return f"{each['passage']} is no passage of source {each['source']}", ""
    words = texts[0]
    body = files.get(f"pages/{source['page']}.txt")
    if body is None:
        if each["in_page"] == "page not stored":
            return "", words
        return f"the page of {each['passage']} is not in this pack", words
    place = body.decode("utf-8", "surrogatepass")[each["from"] : each["to"]]
    same = place.encode("utf-8", "replace") == words.encode("utf-8", "replace")
    if each["in_page"] != "yes" or not same:
        return f"{each['passage']} does not stand in its page where it should", words
    return "", words


def check_contradictions(files: dict[str, bytes]) -> list[str]:
    """Report contradictions that do not stand in their sources, and a changed confidence."""
    told, report = read_json(files, "contradictions.json"), read_report(files)
    faults: list[str] = []
    if told != report["contradictions"]:
        faults.append("contradictions.json does not say what report.json says")
    if read_json(files, "confidence.json") != report["confidence"]:
        faults.append("confidence.json does not say what report.json says")
    held: dict[tuple[Any, Any], tuple[Any, Any]] = {}
    for source in report["sources"]:
        for passage in source["passages"] if source["number"] else ():
            held[source["number"], passage["id"]] = (source, passage)
    rows = []
    for number, one in enumerate(told, 1):
        about = [str(number), *(one[name] for name in ("about", "unit", "kind", "why"))]
        for claim in one["claims"]:
            faults += _check_claim(number, claim, held)
            rows.append([*about, *_build_claim_cells(claim)])
    columns = (
        "contradiction",
        "about",
        "unit",
        "kind",
        "why",
        "value",
        "source",
        "passage",
        "sentence",
        "published",
        "credibility",
    )
    return faults + compare_table(files, "contradictions", columns, rows)


def _check_claim(number: int, claim: Any, held: Any) -> list[str]:
    source, passage = held.get((claim["source"], claim["passage"]), (None, {"text": ""}))
    if source is None or collapse_spaces(claim["sentence"]) not in collapse_spaces(passage["text"]):
        return [
            f"contradiction {number}: {claim['value']} does not stand in source {claim['source']}"
        ]
    if claim["credibility"] != (source["credibility"] or {"score": None})["score"]:
        return [f"contradiction {number}: source {claim['source']} has another credibility"]
    return []


def _build_claim_cells(claim: Any) -> list[str]:
    return [
        claim["value"],
        str(claim["source"]),
        claim["passage"],
        claim["sentence"],
        claim["published"],
        "" if claim["credibility"] is None else f"{claim['credibility']:.6g}",
    ]


def check_scores(files: dict[str, bytes]) -> list[str]:
    """Report scores that their parts do not add up to or that differ from the report."""
    told = read_json(files, "assessments.json")
    sources = [source for source in read_report(files)["sources"] if source["credibility"]]
    faults: list[str] = []
    if len(sources) != len(told["sources"]):
        faults.append("assessments.json has not as many sources as report.json")
    rows: list[list[str]] = []
    for number, one, source in pair_rows(told["sources"], sources):
        faults += _check_score(number, one, source, told["policy"])
        about = [str(one["number"] or ""), one["url"], one["decision"]]
        rows += [[*about, *row] for row in _build_assessment_rows(one)]
    columns = ("source", "url", "decision", "of", "part", "label", "value", "counts", "why")
    return faults + compare_table(files, "assessments", columns, rows)


def _check_score(number: int, one: Any, source: Any, policy: Any) -> list[str]:
    faults: list[str] = []
    score, name = one["score"], format_shown(one["url"])
    total = min(
        1.0,
        score["domain"] * policy["domain_weight"]
        + score["relevance"] * policy["relevance_weight"]
        + score["recency"],
    )
    # The analyst's own word of 0 keeps a host out, whatever else it has.
    if score["basis"] == "override" and score["domain"] == 0:
        total = 0.0
    if abs(total - score["score"]) > 1e-5:
        faults.append(f"assessments.json: the parts of {name} do not come to its score")
    told = (one["number"], one["url"], one["decision"], score)
    if told != (source["number"], source["url"], source["status"], source["credibility"]):
        faults.append(f"assessments.json: source {number}, {name}, is not that of report.json")
    if one["decision"] == "kept" and not (
        one["approved"] or source["own"] or score["score"] > policy["minimum"]
    ):
        faults.append(f"assessments.json: {name} was kept though its score is too low")
    return faults


#: The labels of a score's terms in assessments.csv.
_SCORE_TERMS = {
    "domain": "what its host is worth",
    "relevance": "the share of the question's words that the search result has",
    "recency": "a recent date",
}  # fmt: skip


def _build_assessment_rows(one: Any) -> Iterator[list[str]]:
    """Yield the rows of a source in assessments.csv, without their common columns."""
    score = one["score"]
    yield [
        "score",
        "score",
        score["kind"] or score["tier"],
        f"{score['score']:.6g}",
        "",
        score["why"],
    ]
    for part, label in _SCORE_TERMS.items():
        yield [
            "score",
            part,
            label,
            f"{score[part]:.6g}",
            "",
            score["basis"] if part == "domain" else "",
        ]
    yield from (
        ["ratings", name, "expert rating", f"{one['ratings'][name]:.6g}", "", ""]
        for name in sorted(one["ratings"])
    )
    for whole in [one["assessment"]] if one["assessment"] else []:
        yield ["assessment", "assessment", whole["level"], f"{whole['value']:.6g}", "", ""]
        for part in whole["parts"]:
            yield [
                "assessment",
                part["name"],
                part["label"],
                f"{part['value']:.6g}",
                "yes" if part["counts"] else "no",
                part["why"],
            ]


def check_requests(files: dict[str, bytes]) -> list[str]:
    """Report requests to models that differ from the logged hash, and missing or added texts."""
    told = read_json(files, "prompts.json")
    faults: list[str] = []
    if not isinstance(told["unread"], str) or (told["unread"] and told["calls"]):
        faults.append("prompts.json says that it has no calls, and has some")
    used: set[str] = set()
    rows: list[list[str]] = []
    for number, one in enumerate(told["calls"], 1):
        names = [one[name] for name in ("system", "prompt") if one.get(name, "")]
        used.update(names)
        faults += _check_call(files, number, one, names, told["version"])
    for name in sorted(files):
        if name.startswith("prompts/") and name not in used:
            faults.append(f"{name} belongs to no request")
    for one in told["calls"]:
        cells = [one.get(name, "") for name in _CALL_COLUMNS]
        rows.append([str(one["number"]), one["request"], *cells, *_format_usage(one)])
    usage = ("tokens in", "tokens out", "US dollars")
    columns = ("call", "request", *_CALL_COLUMNS.values(), *usage)
    return faults + compare_table(files, "prompts", columns, rows)


def _check_call(
    files: dict[str, bytes], number: int, one: Any, names: list[str], version: int
) -> list[str]:
    faults: list[str] = []
    if one["number"] != number or not _DIGEST.fullmatch(one["sha256"]):
        faults.append(f"prompts.json: call {number} has no number or hash")
    lost = [name for name in names if name not in files]
    if lost:
        faults.append(f"prompts.json: call {number}: {lost[0]} is missing")
    elif one["request"] == "as sent":
        if _hash_request(files, version, one) != one["sha256"]:
            faults.append(f"prompts.json: call {number} is not the request that was recorded")
    elif one["request"] not in ("masked", "could not be made again"):
        faults.append(f"prompts.json: call {number} has no state that is known")
    return faults


def _format_usage(call: Any) -> list[str]:
    cost = "not known" if call["cost"] is None else f"{call['cost']:.6g}"
    return [str(call["input_tokens"]), str(call["output_tokens"]), cost]


#: Members of a call, and the columns with the same content.
_CALL_COLUMNS = {
    "kind": "kind",
    "model": "asked of",
    "answered_by": "answered by",
    "answered_at": "answered at",
    "system": "system",
    "prompt": "prompt",
    "sha256": "sha256",
    "failed": "failed",
    "why": "why",
}


def _hash_request(files: dict[str, bytes], version: int, call: Any) -> str:
    """Compute the hash under which the log records a request, of all its answer depends on."""
    params = {}
    for name in ("model", "kind", "inputs", "schema", "tools", "history"):
        params[name] = call[name]
    for name in ("system", "prompt"):
        text = files[call[name]].decode("utf-8", "surrogatepass") if call[name] else ""
        params[name] = text
    spelt = json.dumps(
        ["model", version, params],
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )
    return hash_bytes(spelt.encode("utf-8", "surrogatepass"))


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


def run_check(check: Callable[[dict[str, bytes]], list[str]], files: dict[str, bytes]) -> list[str]:
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
        return [f"could not be checked: {type(error).__name__} {error}"]


def list_unchecked(files: dict[str, bytes]) -> list[str]:
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


def print_result(files: dict[str, bytes], digest: str) -> int:
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
