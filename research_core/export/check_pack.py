"""Checks an evidence pack with no network and without Assay: python3 check.py [FOLDER OR ZIP] [--digest HEX]. Python 3.9 or newer alone.

It finds what was changed after the pack was made, and passages, figures or requests that lead nowhere. Who rewrites every file and
SHA256SUMS too is found only by the pack's digest, the SHA-256 of SHA256SUMS, noted elsewhere and given here. Whether a source is right it
does not say. Exit code 0: all holds; 1: something does not; 2: it was called wrongly.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.isolated:
    sys.path.pop(0)  # of this folder, in which somebody may have put a csv.py to be run instead of Python's own

import csv
import hashlib
import html
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

#: Most bytes of all files together, and most files: more is no evidence pack but a trap.
MOST_BYTES, MOST_FILES = 2_000_000_000, 20_000
_SUM = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]+)")
_MARK = re.compile(r"(?<![\\\w])\[([1-9]\d{0,2})\](?!\()")
_LISTED = re.compile(r"^\[(\d{1,4})\]\. ", re.MULTILINE)
_DIGEST = re.compile(r"[0-9a-f]{64}")
#: Contradictions that the text tells.
FIRST = 5
_HELD = re.compile(r"(pages|prompts)/([0-9a-f]{64})\.txt")


class Unfit(Exception):
    """What was given is no pack that can be read."""


def shown(text: object) -> str:
    """Any text as one line without control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))[:200]


def safe(name: str) -> bool:
    """Whether a name stays in its folder."""
    return bool(name) and not name.startswith("/") and "\\" not in name and ":" not in name and ".." not in name.split("/")


def files_of(place: Path) -> dict[str, bytes]:
    """Every file of the pack by its name. Nothing is unpacked to the disk. Raises Unfit."""
    return _of_folder(place) if place.is_dir() else _of_zip(place)


def _of_zip(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as packed:
        entries = [entry for entry in packed.infolist() if not entry.is_dir()]  # other programs list folders too
        if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise Unfit("it holds more than an evidence pack can")
        if len({entry.filename for entry in entries}) != len(entries) or not all(safe(entry.filename) for entry in entries):
            raise Unfit("it holds a name twice, or one that leads out of its folder")
        return {entry.filename: packed.read(entry) for entry in entries}  # zipfile gives no more bytes than the size it states


def _of_folder(place: Path) -> dict[str, bytes]:
    paths = sorted(place.rglob("*"))
    if any(path.is_symlink() for path in paths):
        raise Unfit("it holds a link to another place")
    found = [path for path in paths if path.is_file()]
    if len(found) > MOST_FILES or sum(path.stat().st_size for path in found) > MOST_BYTES:
        raise Unfit("it holds more than an evidence pack can")
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in found}


def sums(files: dict[str, bytes]) -> list[str]:
    """Each file is the one SHA256SUMS names, no file is missing and none was added."""
    if "SHA256SUMS" not in files:
        return ["SHA256SUMS is missing"]
    lines = files["SHA256SUMS"].decode("utf-8", "replace").split("\n")
    rows = [_SUM.fullmatch(line) for line in lines[:-1]]
    if lines[-1] or not all(rows):
        return ["SHA256SUMS is not as it was written"]
    told = {row[2]: row[1] for row in rows if row}
    faults = [f"{name} is missing" for name in told if name not in files]
    faults += [f"{name} is not listed" for name in files if name not in told and name != "SHA256SUMS"]
    return faults + [f"{name} was changed" for name, sha in told.items() if name in files and _sha(files[name]) != sha]


def hashes(files: dict[str, bytes]) -> list[str]:
    """The name of each page, and of each text given to a model, is the hash of its bytes."""
    held = {name: _HELD.fullmatch(name) for name in files if name.startswith(("pages/", "prompts/"))}
    return [f"{name} is not named by its hash" for name, told in held.items() if told is None or told[2] != _sha(files[name])]


def fetched(files: dict[str, bytes]) -> list[str]:
    """Each page that was read is listed with its file and the moment it was fetched, and each file of a page is listed."""
    rows, read = _table(files, "pages.csv"), [source for source in _report(files)["sources"] if source["page"]]
    faults = [] if len(rows) == len(read) else ["pages.csv lists not as many pages as were read"]
    for number, row, source in _pairs(rows, read):
        name = f"pages/{source['page']}.txt"
        holds = ("yes" if _sha(files[name]) == source["page"] else "no") if name in files else ""
        if [row["file"], row["sha256 holds"], row["decision"]] != [name if name in files else "not stored", holds, source["status"]]:
            faults.append(f"pages.csv: row {number} is not what is told of {source['url']}")
        if row["fetched"] and datetime.fromisoformat(row["fetched"]).tzinfo is None:
            faults.append(f"pages.csv: {row['fetched']} names no time zone")
    names = {f"pages/{source['page']}.txt" for source in read}
    return faults + [f"{name} is the page of no source" for name in sorted(files) if name.startswith("pages/") and name not in names]


def passages(files: dict[str, bytes]) -> list[str]:
    """Each passage is the stretch of its stored page that the report says."""
    faults = []
    for source in _report(files)["sources"]:
        body = files.get(f"pages/{source['page']}.txt")
        text = body.decode("utf-8", "surrogatepass") if body is not None else ""
        for one in source["passages"] if body is not None else ():
            if text[one["start"] : one["end"]].encode("utf-8", "replace") != one["text"].encode("utf-8", "replace"):
                faults.append(f"passage {one['id']} does not stand in {source['url']} where it should")
    return faults


def citations(files: dict[str, bytes]) -> list[str]:
    """Each citation leads to a passage of the source it numbers; each number in report.md is a source listed there and in report.json."""
    told = _report(files)
    held = {source["number"]: {one["id"] for one in source["passages"]} for source in told["sources"] if source["number"]}
    faults = [
        f"citation [{one['source']}] leads to no passage: {sentence['text']}"
        for sentence in told["sentences"]
        for one in sentence["citations"]
        if one["passage"] not in held.get(one["source"], ())
    ]
    text = files["report.md"].decode("utf-8")
    body, _, rest = text.partition("\n## Sources\n")
    listed = {int(number) for number in _LISTED.findall(rest)}
    faults += [f"[{number}] is no source of report.md" for number in sorted(set(map(int, _MARK.findall(body))) - listed)]
    return faults + [f"[{number}] is no source of report.json" for number in sorted(listed - held.keys())]


def counts(files: dict[str, bytes]) -> list[str]:
    """The number of sources kept is the one the funnel says."""
    told = _report(files)
    kept, said = sum(source["kept"] for source in told["sources"]), told["funnel"].get("kept", 0)
    return [] if kept == said else [f"{kept} sources are kept, and the funnel says {said}"]


def verification(files: dict[str, bytes]) -> list[str]:
    """Each sentence of the verification table is one of the report, and leads to a passage, and to the page in which that stands."""
    listed, report = _json(files, "verification.json")["sentences"], _report(files)
    held = {source["number"]: source for source in report["sources"] if source["number"]}
    faults = [] if len(listed) == len(report["sentences"]) else ["verification.json has not as many sentences as the report"]
    rows = []
    for n, one, said in _pairs(listed, report["sentences"]):
        about = {name: said[name] for name in ("section", "text", "state", "one_source")}
        cited = [(each["source"], each["passage"]) for each in said["citations"]]
        again = {name: one[name] for name in one if name != "citations"}
        if again != {"number": n, **about, "reason": said["note"]} or [(c["source"], c["passage"]) for c in one["citations"]] != cited:
            faults.append(f"verification.json: sentence {n} is not that of the report")
        found = [_stands(files, held.get(each["source"]), each) for each in one["citations"]]
        faults += [f"verification.json: sentence {n}: {fault}" for fault, _ in found if fault]
        start = [str(n), one["section"], one["text"], one["state"], one["reason"]]
        for each, (_, text) in zip(one["citations"], found):  # noqa: B905 - as in _pairs
            rows.append([*start, *(str(each[name]) for name in ("source", "passage", "page", "from", "to", "in_page")), text])
        rows += [] if one["citations"] else [[*start, *[""] * 7]]
    columns = ("sentence", "section", "text", "state", "reason", "source", "passage", "page", "from", "to", "in page", "passage text")
    return faults + _tabled(files, "verification", columns, rows)


def _stands(files: dict[str, bytes], source: Any, each: Any) -> tuple[str, str]:
    """What is wrong with a passage that is said to stand in the page of a source, "" for nothing; and its words in the report."""
    words = [one["text"] for one in source["passages"] if one["id"] == each["passage"]] if source else []
    if not words or each["page"] != source["page"]:
        return f"{each['passage']} is no passage of source {each['source']}", ""
    body = files.get(f"pages/{source['page']}.txt")
    if body is None:
        return ("" if each["in_page"] == "page not stored" else f"the page of {each['passage']} is not in this pack"), words[0]
    text = body.decode("utf-8", "surrogatepass")[each["from"] : each["to"]]
    holds = each["in_page"] == "yes" and text.encode("utf-8", "replace") == words[0].encode("utf-8", "replace")
    return ("" if holds else f"{each['passage']} does not stand in its page where it should"), words[0]


def contradictions(files: dict[str, bytes]) -> list[str]:
    """Each figure that another source gives otherwise stands in a sentence of a passage of its source; so does the confidence told."""
    told, report = _json(files, "contradictions.json"), _report(files)
    faults = [] if told == report["contradictions"] else ["contradictions.json does not say what report.json says"]
    faults += [] if _json(files, "confidence.json") == report["confidence"] else ["confidence.json does not say what report.json says"]
    held = {(s["number"], p["id"]): (s, p) for s in report["sources"] if s["number"] for p in s["passages"]}
    for number, claim in [(number, claim) for number, one in enumerate(told, 1) for claim in one["claims"]]:
        source, passage = held.get((claim["source"], claim["passage"]), (None, {"text": ""}))
        if source is None or _folded(claim["sentence"]) not in _folded(passage["text"]):
            faults.append(f"contradiction {number}: {claim['value']} does not stand in source {claim['source']}")
        elif claim["credibility"] != (source["credibility"] or {"score": None})["score"]:
            faults.append(f"contradiction {number}: source {claim['source']} has another credibility")
    rows = [
        [str(n), one["about"], one["kind"], one["why"], claim["value"], str(claim["source"]), claim["passage"], claim["sentence"]]
        for n, one in enumerate(told, 1)
        for claim in one["claims"]
    ]
    columns = ("contradiction", "about", "kind", "why", "value", "source", "passage", "sentence")
    return faults + _tabled(files, "contradictions", columns, rows)


def scores(files: dict[str, bytes]) -> list[str]:
    """Each score is what its parts come to under the policy, is that of the report, and let in what it let in."""
    told = _json(files, "assessments.json")
    policy, sources = told["policy"], [source for source in _report(files)["sources"] if source["credibility"]]
    faults = [] if len(sources) == len(told["sources"]) else ["assessments.json has not as many sources as report.json"]
    rows = []
    for n, one, said in _pairs(told["sources"], sources):
        score, name = one["score"], shown(one["url"])
        total = score["domain"] * policy["domain_weight"] + score["relevance"] * policy["relevance_weight"] + score["recency"]
        never = score["basis"] == "override" and score["domain"] == 0  # the analyst's own word of 0 keeps a host out, whatever else it has
        if abs((0 if never else min(1.0, total)) - score["score"]) > 1e-5:
            faults.append(f"assessments.json: the parts of {name} do not come to its score")
        if (one["number"], one["url"], one["decision"], score) != (said["number"], said["url"], said["status"], said["credibility"]):
            faults.append(f"assessments.json: source {n}, {name}, is not that of report.json")
        if one["decision"] == "kept" and not (one["approved"] or said["own"] or score["score"] > policy["minimum"]):
            faults.append(f"assessments.json: {name} was kept though its score is too low")
        rows += [["score", part, f"{score[part]:.6g}"] for part in ("score", "domain", "relevance", "recency")]
        rows += [["ratings", name, f"{one['ratings'][name]:.6g}"] for name in sorted(one["ratings"])]
        for whole in [one["assessment"]] if one["assessment"] else []:
            parts = [("assessment", whole["value"]), *((part["name"], part["value"]) for part in whole["parts"])]
            rows += [["assessment", name, f"{value:.6g}"] for name, value in parts]
    return faults + _tabled(files, "assessments", ("of", "part", "value"), rows)


def requests(files: dict[str, bytes]) -> list[str]:
    """Each request to a model that is given in full is the one whose hash the log recorded; no text is missing, none was added."""
    told = _json(files, "prompts.json")
    fits = isinstance(told["unread"], str) and not (told["unread"] and told["calls"])
    faults = [] if fits else ["prompts.json says that it has no calls, and has some"]
    used: set[str] = set()
    for number, one in enumerate(told["calls"], 1):
        if one["number"] != number or not _DIGEST.fullmatch(one["sha256"]):
            faults.append(f"prompts.json: call {number} has no number or hash")
        names = [one.get(name, "") for name in ("system", "prompt")]
        used.update(name for name in names if name)
        if lost := [name for name in names if name and name not in files]:
            faults.append(f"prompts.json: call {number}: {lost[0]} is missing")
        elif one["request"] == "as sent" and _key(files, told["version"], one) != one["sha256"]:
            faults.append(f"prompts.json: call {number} is not the request that was recorded")
        elif one["request"] not in ("as sent", "masked", "could not be made again"):
            faults.append(f"prompts.json: call {number} has no state that is known")
    faults += [f"{name} belongs to no request" for name in sorted(files) if name.startswith("prompts/") and name not in used]
    rows = [[str(c["number"]), c["request"], *(c.get(n, "") for n in _ASKED)] for c in told["calls"]]
    return faults + _tabled(files, "prompts", ("call", "request", *_ASKED.values()), rows)


#: Members of a call, and the columns that say the same.
_ASKED = {"kind": "kind", "model": "asked of", "answered_by": "answered by", "answered_at": "answered at", "system": "system",
          "prompt": "prompt", "sha256": "sha256"}  # fmt: skip


def _key(files: dict[str, bytes], version: int, call: Any) -> str:
    """The hash under which a log records a request: of all that its answer depends on, in one spelling."""
    params = {name: call[name] for name in ("model", "kind", "inputs", "schema", "tools", "history")}
    params.update({n: files[call[n]].decode("utf-8", "surrogatepass") if call[n] else "" for n in ("system", "prompt")})
    spelt = json.dumps(["model", version, params], sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _sha(spelt.encode("utf-8", "surrogatepass"))


def reading(files: dict[str, bytes]) -> list[str]:
    """What people read says what report.json says: report.md and report.html each sentence in its order, report.md nothing beside them;

    and the confidence, the scores and addresses of the sources. The methodology and the words around them are not compared.
    """
    told, text = _report(files), files["report.md"].decode("utf-8")
    faults = [fault for name in ("report.md", "report.html") for fault in _in_order(name, _words(files[name]), told)]
    faults += _beside(text.partition("\n## Sources\n")[0], told)
    rows = {row["number"]: row for row in _table(files, "sources.csv") if row["number"]}
    for source in (source for source in told["sources"] if source["number"]):
        listed = re.search(rf"^\[{source['number']}\]\. (.*)$", text, re.MULTILINE)
        score = f"{source['credibility']['score']:.2f}" if source["credibility"] else ""
        line, row = listed[1] if listed else "", rows.get(str(source["number"]), {})
        if not any(_letters(url) in _letters(line) for url in (source["landed"], source["url"]) if url) and not source["own"]:
            faults.append(f"report.md: source {source['number']} has another address")
        if score and f"Credibility Score: {score}" not in line:
            faults.append(f"report.md: source {source['number']} has another score")
        if not row or (score and round(float(row["credibility"] or 0), 2) != float(score)):
            faults.append(f"sources.csv: source {source['number']} has another score, or is missing")
    return faults


def _words(body: bytes) -> str:
    """The letters and figures of a text or a web page, without its signs."""
    bare = re.sub(r"(?s)<(style|script|head)\b.*?</\1>|<[^<>]*>", " ", body.decode("utf-8")) if body[:1] == b"<" else body.decode("utf-8")
    return _letters(html.unescape(bare) if body[:1] == b"<" else bare)


def _in_order(name: str, text: str, told: Any) -> list[str]:
    """The sentences and the level of confidence that a text does not hold where they should stand."""
    at, faults = text.find(_letters(told["question"])), []
    for sentence in [{"text": told["question"]}, *told["sentences"]]:
        found = text.find(_letters(sentence["text"]), max(at, 0))
        faults += [] if found >= 0 else [f"{name} does not say: {sentence['text']}"]
        at = found + len(_letters(sentence["text"])) if found >= 0 else at
    computed = told["confidence"]
    if computed and not re.search(rf"{computed['level']}confidence|Confidence{computed['level']}", text[max(at, 0) :], re.IGNORECASE):
        faults.append(f"{name} tells another confidence")
    for line in computed["lines"] if computed else ():
        if _letters(f"{line['name']}{line['value']}").lower() not in text[max(at, 0) :].lower():
            faults.append(f"{name} tells something else of: {line['name']}")
    faults += [
        f"{name} leaves out: {one['about']}" for one in told["contradictions"][:FIRST] if _letters(one["about"]).lower() not in text.lower()
    ]
    return faults


#: What report.md says by itself between what report.json holds.
_AROUND = ("Computed from the sources and the checks of this report", "Confidence Assessment", "partly supported",
           "not found in the cited passage", "could not be checked", "no source", "confidence", "No report", "Different figures",
           "Different dates", "Different names", "Opposite statements", "which nothing seen explains")  # fmt: skip


#: What stands in Markdown and in a bibliography in other signs: words with such are not looked for there.
_MARKED = re.compile(r"[<>&]|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\uffff\U00010000-\U0010ffff]")
_WRITTEN_OTHERWISE = re.compile(r"[<>&{}\\$%#_~^`*\[\]|\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\uffff\U00010000-\U0010ffff]")


def _beside(body: str, told: Any) -> list[str]:
    """The lines of the text, up to its sources, in which something stands that report.json does not hold."""
    computed = told["confidence"] or {"level": "", "lines": ()}
    known = [told["question"], *told["notices"], *told["headings"], *_AROUND, computed["level"]]
    known += [each for sentence in told["sentences"] for each in (sentence["section"], sentence["text"])]
    known += [line[name] for line in computed["lines"] for name in ("name", "value", "level", "why")]
    known += [claim["value"] for one in told["contradictions"] for claim in one["claims"]]
    known += [one[name] for one in told["contradictions"] for name in ("about", "kind", "why")]
    pieces = sorted({_letters(each).lower() for each in known if _letters(each)}, key=len, reverse=True)
    numbers = {str(source["number"]) for source in told["sources"] if source["number"]}
    signs = sum(sentence["one_source"] for sentence in told["sentences"]) + sum("◇" in line["name"] for line in computed["lines"])
    faults = [] if body.count("◇") == signs else ["report.md marks other facts as resting on one source"]
    text, _, listed = body.partition("\n## Sentences to Check\n")
    faults += [
        f"report.md says what report.json does not hold: {line}" for line in listed.split("\n") if line and not _is_listed(line, told)
    ]
    left = _letters(html.unescape(re.sub(r"\[(\d{1,4})\]", lambda mark: "" if mark[1] in numbers else mark[1], text))).lower()
    for piece in pieces:
        left = left.replace(piece, "") if len(piece) > 2 or left == piece else left
    plain = not any(_MARKED.search(each) for each in (told["question"], *(sentence["text"] for sentence in told["sentences"])))
    return faults + [f"report.md says what report.json does not hold: {left}"] * bool(left and plain)


def _is_listed(line: str, told: Any) -> bool:
    """Whether a line quotes a sentence of the report, as far as a long one is shown, and gives the note on it or its state."""
    found = re.fullmatch(r"- “(.*)” (?:\[\d+\])*: (.*)", line)
    if found is None:
        return False
    quote, note = _letters(found[1]), _letters(found[2])
    return any(_letters(each["text"]).startswith(quote) and note in (_letters(each["note"]), *map(_letters, _AROUND))
               for each in told["sentences"])  # fmt: skip


def bibliography(files: dict[str, bytes]) -> list[str]:
    """The three bibliographies list the same works, with the same titles and addresses, and none where no source was kept."""
    works = len(_json(files, "references.csl.json"))
    found = [
        len(re.findall(rb"^@\w+\{", files["references.bib"], re.MULTILINE)),
        len(re.findall(rb"^TY  - ", files["references.ris"], re.M)),
    ]
    kept = sum(source["kept"] for source in _report(files)["sources"])
    if found != [works, works] or works > kept or bool(works) != bool(kept):
        return ["the bibliographies do not list the same works"]
    others = {name: files[name].decode("utf-8").replace("\\", "") for name in ("references.bib", "references.ris")}
    told = [
        (_letters(work[part]), work[part])
        for work in _json(files, "references.csl.json")
        for part in ("title", "URL")
        if part in work and not _WRITTEN_OTHERWISE.search(work[part])
    ]
    faults = [f"{name} does not name {text}" for name, body in others.items() for bare, text in told if bare not in _letters(body)]
    addresses = {_letters(url) for source in _report(files)["sources"] for url in (source["url"], source["landed"])}
    return faults + [f"{work['URL']} is no source of report.json" for work in _json(files, "references.csl.json")
                     if "URL" in work and _letters(work["URL"]) not in addresses]  # fmt: skip


CHECKS = (
    ("files are as SHA256SUMS lists them", sums),
    ("pages and prompts are named by their hash", hashes),
    ("pages are listed, each with when it was fetched", fetched),
    ("passages stand in their pages", passages),
    ("citations lead to passages and sources", citations),
    ("sentences of the verification table lead to passages and pages", verification),
    ("contradictions and confidence are those of the report", contradictions),
    ("scores are what their parts come to", scores),
    ("requests to models are those that were recorded", requests),
    ("what is read says what report.json says", reading),
    ("bibliographies name the same works", bibliography),
    ("counts match", counts),
)


def _sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _json(files: dict[str, bytes], name: str) -> Any:
    return json.loads(files[name])


def _report(files: dict[str, bytes]) -> Any:
    return _json(files, "report.json")


def _table(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    """The rows of a table, by its columns."""
    return list(csv.DictReader(io.StringIO(files[name].decode("utf-8-sig"), newline=""), restkey="", restval="", strict=True))


def _tabled(files: dict[str, bytes], name: str, columns: Sequence[str], rows: list[list[str]]) -> list[str]:
    """Whether a table says in these columns what the JSON of the same name says."""
    table = [[row[column] for column in columns] for row in _table(files, f"{name}.csv")]
    alike = len(table) == len(rows) and all(_alike(cell, said) for one, other in zip(table, rows) for cell, said in zip(one, other))  # noqa: B905
    return [] if alike else [f"{name}.csv does not say what {name}.json says"]


def _alike(cell: str, text: str) -> bool:
    """Whether a cell holds this text. Tables have words cleaned: then letters and figures are compared, as far as a long text was kept."""
    kept, whole = _letters(cell), _letters(text)
    wordy = " " in text or not text.isascii() or not text.isprintable() or cell[:1] == "'"
    return cell == text or (wordy and (kept == whole or (cell.endswith("…") and len(cell) > 1_000 and whole.startswith(kept))))


def _letters(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum() and sign not in "\u115f\u1160\u3164\uffa0")


def _pairs(one: Any, other: Any) -> Any:
    """Two lists side by side, numbered, as far as the shorter reaches."""
    return [(n, *both) for n, both in enumerate(zip(one, other), 1)]  # noqa: B905 - Python 3.9 has no strict


def _folded(text: str) -> str:
    return " ".join(text.split())


def faults_of(check: Callable[[dict[str, bytes]], list[str]], files: dict[str, bytes]) -> list[str]:
    """What a check finds; a file that it cannot read is a fault too."""
    try:
        return list(check(files))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, csv.Error) as error:
        return [f"could not be checked: {type(error).__name__} {error}"]


def notes(files: dict[str, bytes]) -> list[str]:
    """What could not be checked as it is not there, in a pack whose checks hold."""
    gone = {s["page"] for s in _report(files)["sources"] if s["page"] and f"pages/{s['page']}.txt" not in files}
    asked = _json(files, "prompts.json")
    states = [call["request"] for call in asked["calls"]]
    told = [
        (len(gone), "pages are not in this pack: their passages could not be checked"),
        (states.count("masked"), "requests to models are masked: their hashes could not be checked"),
        (states.count("could not be made again"), "requests to models are not in this pack: prompts.csv says why"),
        (int(bool(asked["unread"])), f"pack without the requests to models: {asked['unread']}"),
    ]
    return [f"{count} {words}" for count, words in told if count]


def main(arguments: list[str]) -> int:
    """digest: what the pack is to have, as it was noted elsewhere."""
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
        files = files_of(place)
    except (Unfit, OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        print(f"FAULT  {shown(place)} cannot be read: {shown(error)}")
        return 1
    return told(files, digest)


def told(files: dict[str, bytes], digest: str) -> int:
    """Says what holds and what does not; the exit code."""
    found = [(label, faults_of(check, files)) for label, check in CHECKS]
    made = _sha(files.get("SHA256SUMS", b""))
    if digest:
        found.append(("the pack's digest is the one given", [] if made == digest else [f"it is {made}, not {digest}"]))
    for label, faults in found:
        print(f"{'FAULT' if faults else 'ok   '}  {label}")
        for fault in faults[:20]:
            print(f"         {shown(fault)}")
    bad = sum(bool(faults) for _, faults in found)
    for note in [] if bad else notes(files):
        print(f"note   {shown(note)}")
    print(f"Pack digest {made} (the SHA-256 of SHA256SUMS)")
    print("All checks hold." if not bad else f"{bad} of {len(found)} checks do not hold.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal that lacks a letter shows "?"
    sys.exit(main(sys.argv[1:]))
