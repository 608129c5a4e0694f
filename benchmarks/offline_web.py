"""Check reports over real pages: each cited sentence must be in its stored page word for word.

    python benchmarks/offline_web.py [--questions N] [--semantic]

Data: `offline_web` in the shared data. Writes its pages in the library's import format, adds them
with the command line as a user would, and asks N of its questions, chosen by a hash; by words
alone, or with --semantic by meaning too. Prints a line for each report and each sentence that is
not in the pages it cites; records the counts and the median seconds of a report.
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import ROOT, find_shared_folder, make_parser, read_json_lines
from benchmarks.results import record
from research_core.models import Principal
from research_core.settings import Settings
from research_core.wiring import Resources, open_log

LIBRARY = "offline-web"
#: The grade, of 4, from which people judged a page good.
GOOD_GRADE = 3
#: Exit codes of `ask` with a report: full or short, and insufficient.
REPORT_EXITS = (0, 3)

Report = dict[str, Any]


@dataclass(frozen=True)
class CommandLine:
    """The command line of Assay with a home of its own."""

    home: Path
    semantic: bool

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "ASSAY_HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "ASSAY_SEMANTIC": "1" if self.semantic else "0",
        }
        return subprocess.run(
            [sys.executable, "-m", "research_core", *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=ROOT,
            check=False,
        )


@dataclass(frozen=True)
class Answer:
    """What came of a question. judged_good: of the kept sources that people judged for it."""

    question: str
    decision: str
    kept: int
    cited_sentences: int
    not_in_page: list[str]
    judged_good: int
    judged: int
    seconds: float


# -- pages and questions ---------------------------------------------------------------------------


def write_pages(data: Path, folder: Path, sets: Collection[str] = ()) -> int:
    """Write the pages and a manifest, the first page of each address; return how many.

    sets: of the pages that are written, () for all.
    """
    archives: dict[str, zipfile.ZipFile] = {}
    urls: set[str] = set()
    with (folder / "manifest.jsonl").open("w", encoding="utf-8") as manifest:
        for number, row in enumerate(read_json_lines(data / "index.jsonl")):
            if row["url"] in urls or (sets and row["set"] not in sets):
                continue
            urls.add(row["url"])
            if row["zip"] not in archives:
                archives[row["zip"]] = zipfile.ZipFile(data.parent / row["zip"])
            name = f"{number:05d}.html"
            (folder / name).write_bytes(archives[row["zip"]].read(row["member"]))
            entry = {"file": name, "url": row["url"], "title": row["title"]}
            manifest.write(json.dumps(entry) + "\n")
    return len(urls)


def choose_questions(data: Path, count: int) -> list[dict[str, Any]]:
    """Return the first questions by the hash of their id."""
    rows = list(read_json_lines(data / "questions.jsonl"))
    rows.sort(key=lambda row: hashlib.sha256(row["qid"].encode()).hexdigest())
    return rows[:count]


def add_pages(assay: CommandLine, folder: Path) -> tuple[float, str]:
    """Add the pages to the library; return the seconds and the first line that was printed.

    With meaning, adding is repeated until all of it is computed; the seconds are of the first time.
    """
    arguments = ("library", "add", str(folder), "--name", LIBRARY)
    began = time.perf_counter()
    added = assay.run(*arguments)
    seconds = time.perf_counter() - began
    # One call computes what it can in ten minutes.
    while assay.semantic and "by words and by meaning." not in added.stderr:
        added = assay.run(*arguments)
    return seconds, (added.stdout or added.stderr).strip().splitlines()[0]


# -- reports ---------------------------------------------------------------------------------------


def ask(assay: CommandLine, row: dict[str, Any]) -> Answer:
    """Ask a question over the library, and check the cited sentences of the report."""
    out = assay.home / "report.json"
    began = time.perf_counter()
    done = assay.run(
        "ask",
        row["question"],
        "--library",
        LIBRARY,
        "--no-web",
        "--json",
        str(out),
        "--out",
        str(assay.home / "report.md"),
    )
    seconds = time.perf_counter() - began
    if done.returncode not in REPORT_EXITS:
        raise SystemExit(f"{row['question']}: exit {done.returncode}\n{done.stderr}")
    report = json.loads(out.read_text(encoding="utf-8"))
    grades = dict(row.get("judged", ()))
    judged = []
    for source in report["sources"]:
        if source["kept"] and source["url"] in grades:
            judged.append(grades[source["url"]])
    return Answer(
        question=row["question"],
        decision=report["decision"],
        kept=report["funnel"]["kept"],
        cited_sentences=sum(bool(sentence["citations"]) for sentence in report["sentences"]),
        not_in_page=list(find_missing(report, read_stored_pages(assay.home, report))),
        judged_good=sum(grade >= GOOD_GRADE for grade in judged),
        judged=len(judged),
        seconds=round(seconds, 1),
    )


def read_stored_pages(home: Path, report: Report) -> dict[str, str]:
    """Return the normalised text of each kept source's stored page, by its number."""
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))
    log = open_log(resources, Principal(), report["session"])
    pages = {}
    for event in log.read(kinds=("fetched",)):
        if "page" in event.data:
            pages[event.data["url"]] = log.open(event.data["page"])
    by_number = {}
    for source in report["sources"]:
        if source["kept"]:
            by_number[str(source["number"])] = normalise(pages[source["url"]])
    return by_number


def normalise(text: str) -> str:
    """Return the words of a text in lower case, with single spaces between them."""
    return " ".join(re.findall(r"\w+", text.lower()))


def find_missing(report: Report, pages: dict[str, str]) -> Iterator[str]:
    """Yield the cited sentences that are not in the page of any source they cite."""
    for sentence in report["sentences"]:
        cited = [pages[str(citation["source"])] for citation in sentence["citations"]]
        text = normalise(sentence["text"])
        if cited and not any(text in page for page in cited):
            yield sentence["text"]


def print_answer(answer: Answer) -> None:
    print(
        f"{answer.decision:18} kept {answer.kept} cited {answer.cited_sentences:3d} not in page"
        f" {len(answer.not_in_page)}  {answer.question[:80]}"
    )
    for text in answer.not_in_page:
        print(f"    NOT IN PAGE: {text[:120]}")


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument(
        "--semantic",
        action="store_true",
        help="compute the meaning of all pages first, and search by it too",
    )
    options = parser.parse_args()
    data = find_shared_folder("offline_web")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "pages"
        folder.mkdir()
        assay = CommandLine(Path(temporary) / "home", options.semantic)
        pages = write_pages(data, folder)
        adding_s, first_line = add_pages(assay, folder)
        print(f"{pages} pages written; added in {adding_s:.0f} s: {first_line}")
        answers = [ask(assay, row) for row in choose_questions(data, options.questions)]
    for answer in answers:
        print_answer(answer)
    cited = sum(answer.cited_sentences for answer in answers)
    missing = sum(len(answer.not_in_page) for answer in answers)
    print(f"cited sentences {cited}, not in their page {missing}")
    figures = {
        "pages": pages,
        "adding_s": round(adding_s),
        "questions": len(answers),
        "reports": sum(answer.decision != "insufficient_data" for answer in answers),
        "cited_sentences": cited,
        "not_in_page": missing,
        "median_seconds": statistics.median_high(answer.seconds for answer in answers),
    }
    record("offline_web_semantic" if options.semantic else "offline_web", figures)


if __name__ == "__main__":
    main()
