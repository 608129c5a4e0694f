"""Reports over real pages that nobody here wrote: `python benchmarks/offline_web.py [--questions N]
[--semantic]`.

Writes the shared offline web out in the library's import format, adds it with the command line as a
user would, asks N of its questions (chosen by a hash, not by hand; by words alone, or with
--semantic by meaning too), and holds every cited sentence of every report against the page the log
has stored: a sentence of the extractive writer must stand in its page word for word. Also printed:
how many cited addresses people judged to answer the question.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record, shared
from research_core.models import Principal
from research_core.settings import Settings
from research_core.wiring import Resources, open_log

_LETTERS = re.compile(r"\w+")


def write_out(data: Path, folder: Path) -> int:
    """The pages as files beside a manifest; how many. Two pages of one address: the first stands."""
    zips: dict[str, zipfile.ZipFile] = {}
    seen: set[str] = set()
    with (folder / "manifest.jsonl").open("w", encoding="utf-8") as manifest:
        for number, line in enumerate(
            (data / "index.jsonl").read_text(encoding="utf-8").splitlines()
        ):
            row = json.loads(line)
            if row["url"] in seen:
                continue
            seen.add(row["url"])
            archive = zips.setdefault(row["zip"], zipfile.ZipFile(data.parent / row["zip"]))
            (folder / f"{number:05d}.html").write_bytes(archive.read(row["member"]))
            manifest.write(
                json.dumps({"file": f"{number:05d}.html", "url": row["url"], "title": row["title"]})
                + "\n"
            )
    return len(seen)


def questions(data: Path, count: int) -> list[dict[str, Any]]:
    """The first so many questions by the hash of their id."""
    rows = [
        json.loads(line)
        for line in (data / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return sorted(rows, key=lambda row: hashlib.sha256(row["qid"].encode()).hexdigest())[:count]


def assay(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {
        "ASSAY_HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "ASSAY_SEMANTIC": "1" if "--semantic" in sys.argv else "0",
    }
    command = [sys.executable, "-m", "research_core", *words]
    return subprocess.run(
        command, capture_output=True, text=True, env=env, cwd=Path(__file__).parents[1], check=False
    )


def stored_words(home: Path, built: dict[str, Any]) -> dict[str, str]:
    """The words of each kept source's stored page, by its number."""
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))
    log = open_log(resources, Principal(), built["session"])
    pages = {
        event.data["url"]: log.open(event.data["page"])
        for event in log.read(kinds=("fetched",))
        if "page" in event.data
    }
    return {
        str(source["number"]): words(pages[source["url"]])
        for source in built["sources"]
        if source["kept"]
    }


def words(text: str) -> str:
    return " ".join(_LETTERS.findall(text.lower()))


def missing(built: dict[str, Any], pages: dict[str, str]) -> Iterator[str]:
    """The cited sentences that do not stand in the page of any source they cite."""
    for sentence in built["sentences"]:
        cited = [pages[str(citation["source"])] for citation in sentence["citations"]]
        if cited and not any(words(sentence["text"]) in page for page in cited):
            yield sentence["text"]


def judged_good(row: dict[str, Any], built: dict[str, Any]) -> tuple[int, int]:
    """Of the cited addresses that people judged for this question: how many they judged at least 3
    of 4, and how many in all.
    """
    grades = dict(row.get("judged", ()))
    kept = [
        source["url"] for source in built["sources"] if source["kept"] and source["url"] in grades
    ]
    return sum(grades[url] >= 3 for url in kept), len(kept)


def ask(home: Path, row: dict[str, Any]) -> dict[str, Any]:
    out = home / "report.json"
    began = time.perf_counter()
    done = assay(
        home,
        "ask",
        row["question"],
        "--library",
        "offline-web",
        "--no-web",
        "--json",
        str(out),
        "--out",
        str(home / "report.md"),
    )
    seconds = time.perf_counter() - began
    if done.returncode not in (0, 3):
        raise SystemExit(f"{row['question']}: exit {done.returncode}\n{done.stderr}")
    built = json.loads(out.read_text(encoding="utf-8"))
    lost = list(missing(built, stored_words(home, built)))
    cited = sum(bool(sentence["citations"]) for sentence in built["sentences"])
    good, judged = judged_good(row, built)
    return {
        "question": row["question"], "decision": built["decision"], "kept": built["funnel"]["kept"],
        "cited": cited,
        "not_in_page": lost, "judged_good": good, "judged": judged, "seconds": round(seconds, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument(
        "--semantic",
        action="store_true",
        help="work out the meaning of all pages first, and search by it too",
    )
    arguments = parser.parse_args()
    data = shared("offline_web")
    with tempfile.TemporaryDirectory() as temporary:
        home, folder = Path(temporary) / "home", Path(temporary) / "pages"
        folder.mkdir()
        pages = write_out(data, folder)
        began = time.perf_counter()
        added = assay(home, "library", "add", str(folder), "--name", "offline-web")
        adding = time.perf_counter() - began
        while (
            arguments.semantic and "by words and by meaning." not in added.stderr
        ):  # a go works out what it can in ten minutes
            added = assay(home, "library", "add", str(folder), "--name", "offline-web")
        print(
            f"{pages} pages written; added in {adding:.0f} s:"
            f" {(added.stdout or added.stderr).strip().splitlines()[0]}"
        )
        answers = [ask(home, row) for row in questions(data, arguments.questions)]
    for answer in answers:
        counts = (
            f"kept {answer['kept']} cited {answer['cited']:3d} not in page"
            f" {len(answer['not_in_page'])}"
        )
        print(f"{answer['decision']:18} {counts}  {answer['question'][:80]}")
        for text in answer["not_in_page"]:
            print(f"    NOT IN PAGE: {text[:120]}")
    cited, lost = (
        sum(answer["cited"] for answer in answers),
        sum(len(answer["not_in_page"]) for answer in answers),
    )
    print(f"cited sentences {cited}, not in their page {lost}")
    reports = sum(answer["decision"] != "insufficient_data" for answer in answers)
    seconds = sorted(answer["seconds"] for answer in answers)[len(answers) // 2]
    added_in = {"pages": pages, "adding_s": round(adding)}
    name = "offline_web_semantic" if arguments.semantic else "offline_web"
    record(name,
    added_in | {"questions": len(answers), "reports": reports, "cited_sentences": cited,
    "not_in_page": lost,
                                      "median_seconds": seconds})  # fmt: skip


if __name__ == "__main__":
    main()
