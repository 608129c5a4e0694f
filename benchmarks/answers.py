"""Measure the answers that Assay gives without a key, over real pages that people judged.

    python benchmarks/answers.py [--data DIR] [--split share|hold] [--limit N] [--only ID ...]
        [--library] [--words] [--mode MODE] [--languages N] [--workers N] [--keep HOME]
        [--out DIR] [--json] [--record]

Data: a folder laid out like the shared data. The pages of `offline_web` that belong to its judged
questions are a web with a search engine that ranks by words alone; each question runs the whole way
of `assay ask`, without a network. --library asks a library of the same pages instead, which takes
minutes to embed; --keep stores it in a home of Assay for the next run (choose another home after a
change of how pages are read). --limit takes the first N questions by the hash of their id, --only
those with these ids. --words switches the embedding model off. --out writes each report as
Markdown.

Prints for each question: the outcome; how many pages that people graded 3 or 4 there are, were
found by search, blocked by the credibility threshold, kept by the gate and cited; how many quoted
sentences are from such pages, from other graded pages, and from pages nobody graded; whether one of
the first two quoted sentences cites such a page; sources blocked of those found; confidence.
Questions with a short gold answer instead of graded pages show whether the answer holds it, word
for word.

Then, for each language of the sets in `multilingual` (see `benchmarks/languages.py`), how well the
relevance judge ranks passages, beside words alone; --languages sets how many questions each set
gives to a language, 0 for none (by default 10, and none with --limit or --only).

The summary has, all as shares of 0-1:
- wrong_refusals: refused though there is a good page, of all questions;
- quoted_from_good: quoted sentences from good pages, of those from graded pages;
- quoted_from_good_of_all: the same, of all quoted sentences;
- good_in_first_two: questions whose first two quoted sentences cite a good page, of the questions
  that have one; a refusal counts as no.
With --json each question is a line of JSON, and the summary is the last line. --record stores the
summary in results.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import languages
from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.offline_web import LIBRARY, write_pages
from benchmarks.recorded_web import SEARCH_URL, RecordedWeb
from benchmarks.results import record
from benchmarks.stub import StubNetwork
from research_core.modes import MODES
from research_core.pipeline.report import to_json, to_markdown
from research_core.policy import LIBRARY_ENGINE, OFFLINE_MODEL, RunSettings
from research_core.sessions import runner, session_start
from research_core.sessions.run_defaults import SEARXNG
from research_core.sessions.runner import AttemptOutcome
from research_core.settings import Settings
from research_core.urls import canonical_url
from research_core.web.http.client import Client
from research_core.wiring import Resources

#: The sets of pages that belong to the questions; the others are news pages without any.
PAGE_SETS = ("mediqa", "crag")
#: The grade, of 4, from which people judged a page good.
GOOD_GRADE = 3
#: Quoted sentences at the top of a report by which a reader judges it.
FIRST_SENTENCES = 2
#: A question of at most so many words is short.
SHORT_WORDS = 9
#: Gold answers that a text holds by chance, or that say that there is none.
VAGUE_ANSWERS = frozenset({"yes", "no", "nan", "invalid question", "i don t know"})
#: Characters and words of a gold answer that can be looked for word by word.
GOLD_CHARACTERS, GOLD_WORDS = 3, 5
#: Questions of each set of a language when nothing else is asked for.
LANGUAGE_QUESTIONS = 10

Report = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """A question of the data.

    grades: of the pages there are, by canonical address, the highest where there are several.
    gold: the words of its gold answer, "" where there is none that can be looked for.
    """

    id: str
    text: str
    grades: Mapping[str, int] = field(default_factory=dict)
    gold: str = ""

    @property
    def good(self) -> frozenset[str]:
        return frozenset(url for url, grade in self.grades.items() if grade >= GOOD_GRADE)


@dataclass(frozen=True)
class Answer:
    """What came of a question.

    outcome: full_report | short_report | refused | failed; reason: of a refusal or failure.
    good_pages: all there are; good_found, good_blocked, good_kept and good_cited: of these.
    quoted: sentences with a citation; quoted_good, quoted_graded: those that cite a good page, a
    graded page. gold_first, gold_anywhere: whether the first two quoted sentences, or any, hold the
    gold answer; None without one.
    """

    id: str
    words: int
    outcome: str
    reason: str = ""
    good_pages: int = 0
    good_found: int = 0
    good_blocked: int = 0
    good_kept: int = 0
    good_cited: int = 0
    is_graded: bool = False
    quoted: int = 0
    quoted_good: int = 0
    quoted_graded: int = 0
    good_in_first_two: bool = False
    found: int = 0
    blocked: int = 0
    confidence: str = ""
    gold_first: bool | None = None
    gold_anywhere: bool | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0

    @property
    def is_refused(self) -> bool:
        return self.outcome in ("refused", "failed")

    @property
    def is_wrongly_refused(self) -> bool:
        return self.is_refused and self.good_pages > 0


@dataclass(frozen=True)
class Choice:
    """How the questions are asked.

    web: the folder of the data whose pages are the web, None to ask the library of the home. out:
    the folder for the reports, None for nowhere.
    """

    semantic: bool
    mode: str
    web: Path | None = None
    out: Path | None = None


# -- questions -------------------------------------------------------------------------------------


def read_questions(data: Path, split: str, urls: Collection[str]) -> list[Question]:
    """Return the questions of a half in the order of the hash of their id.

    urls: of the pages there are. Questions without a split were shared whole.
    """
    questions = []
    for row in read_json_lines(data / "questions.jsonl"):
        if row.get("split", "share") == split:
            grades = _select_grades(row.get("judged", ()), urls)
            questions.append(
                Question(row["qid"], row["question"], grades, _read_gold(row.get("answer", "")))
            )
    return sorted(questions, key=lambda question: hash_id(question.id))


def hash_id(id: str) -> str:
    """Return what the questions are ordered by."""
    return hashlib.sha256(id.encode()).hexdigest()


def _read_gold(answer: str) -> str:
    """Return the words of a gold answer, "" if no text can be expected to hold them together."""
    answer = normalise(answer)
    is_usable = len(answer) >= GOLD_CHARACTERS and len(answer.split()) <= GOLD_WORDS
    return answer if is_usable and answer not in VAGUE_ANSWERS else ""


def _select_grades(judged: Sequence[tuple[str, int]], urls: Collection[str]) -> dict[str, int]:
    grades: dict[str, int] = {}
    for url, grade in judged:
        address = find_address(url)
        if address in urls:
            grades[address] = max(grade, grades.get(address, 0))
    return grades


def find_address(url: str) -> str:
    """Return the canonical address of a page, or the text itself if it is no address."""
    try:
        return canonical_url(url)
    except ValueError:
        return url


def normalise(text: str) -> str:
    """Return the words of a text in lower case, with single spaces between them."""
    return " ".join(re.findall(r"\w+", text.lower()))


def select_questions(
    questions: Sequence[Question], limit: int | None, only: Sequence[str]
) -> list[Question]:
    """Return the questions with these ids, or the first ones. Exits for an unknown id."""
    if not only:
        return list(questions[:limit])
    by_id = {question.id: question for question in questions}
    if unknown := [id for id in only if id not in by_id]:
        raise SystemExit(f"There is no such question in this half: {', '.join(unknown)}.")
    return [by_id[id] for id in only]


# -- the library -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class OfflineResources(Resources):
    """Resources that reach no network: their client has the pages of `web`, or knows no host."""

    web: Path | None = None

    @cached_property
    def client(self) -> Client:
        if self.web:
            return RecordedWeb(self.web, PAGE_SETS)
        return StubNetwork((), port=0).open_client(self.settings)


def open_resources(home: Path, *, semantic: bool, web: Path | None = None) -> Resources:
    """Open a home of Assay without any setting or key of this machine."""
    environment = {"ASSAY_HOME": str(home), "ASSAY_SEMANTIC": "1" if semantic else "0"}
    if web:
        environment |= {"SEARXNG_URL": SEARCH_URL, "ASSAY_HOST_DELAY": "0"}
    return OfflineResources(Settings.from_env(environment), web)


def prepare_library(data: Path, home: Path, *, semantic: bool) -> frozenset[str]:
    """Add the pages that the home does not have yet; return the addresses of all."""
    resources = open_resources(home, semantic=semantic)
    library = resources.library()
    with tempfile.TemporaryDirectory() as folder:
        write_pages(data, Path(folder), PAGE_SETS)
        # The path of the folder must not matter, or a kept home would read all pages anew.
        library.add(Path(folder), LIBRARY)
    if semantic:
        library.embed_documents(LIBRARY, _print_progress)
        print(file=sys.stderr)
    print(library.read_embedding_state(LIBRARY).sentence(), file=sys.stderr)
    urls = frozenset(find_address(row["url"]) for row in library.list_documents(LIBRARY))
    resources.close()
    return urls


def _print_progress(done: int, total: int, title: str) -> None:
    print(f"\rembedded {done}/{total}", end="", file=sys.stderr)


# -- asking ----------------------------------------------------------------------------------------


class Asker:
    """Asks questions in a copy of the prepared home, so that no run sees the sessions of another.

    close() removes the copy.
    """

    def __init__(self, prepared: Path, choice: Choice) -> None:
        self._folder = tempfile.TemporaryDirectory()
        home = Path(self._folder.name) / "home"
        shutil.copytree(prepared, home)
        self._resources = open_resources(home, semantic=choice.semantic, web=choice.web)
        self._choice = choice

    def ask(self, question: Question) -> Answer:
        """Run a question to its report, and compare the report with the grades."""
        began, cpu = time.perf_counter(), time.process_time()
        run = RunSettings(
            mode=self._choice.mode,
            engines=(SEARXNG if self._choice.web else LIBRARY_ENGINE,),
            library=LIBRARY,
            model=OFFLINE_MODEL,
        )
        session = session_start.new_session(self._resources, question.text, run)
        attempt = runner.resume_or_run(self._resources, session, "benchmark")
        cpu_s = round(time.process_time() - cpu, 2)
        wall_s = round(time.perf_counter() - began, 2)
        if attempt.report is None:
            answer = make_failure(question, attempt)
        else:
            answer = rate_report(question, to_json(attempt.report))
            if self._choice.out:
                path = self._choice.out / f"{question.id}.md"
                path.write_text(to_markdown(attempt.report), encoding="utf-8")
        return replace(answer, cpu_s=cpu_s, wall_s=wall_s)

    def close(self) -> None:
        self._resources.close()
        self._folder.cleanup()


def make_failure(question: Question, attempt: AttemptOutcome) -> Answer:
    """Return the answer of an attempt that ended without a report."""
    return Answer(
        id=question.id,
        words=len(question.text.split()),
        outcome="failed",
        reason=attempt.error.sentence() if attempt.error else attempt.outcome,
        good_pages=len(question.good),
        is_graded=bool(question.grades),
    )


def rate_report(question: Question, report: Report) -> Answer:
    """Compare a report, in the form of its JSON, with the grades of the question's pages."""
    urls_by_status: dict[str, set[str]] = {}
    url_by_number: dict[int, str] = {}
    for source in report["sources"]:
        url = find_address(source["url"])
        urls_by_status.setdefault(source["status"], set()).add(url)
        if source["number"]:
            url_by_number[source["number"]] = url
    quoted = [row for row in report["sentences"] if row["citations"]]
    cited = []
    for sentence in quoted:
        cited.append({url_by_number[each["source"]] for each in sentence["citations"]})
    good = question.good
    found = set().union(*urls_by_status.values())
    texts = [normalise(sentence["text"]) for sentence in quoted]
    is_report = report["decision"] != "insufficient_data"
    return Answer(
        id=question.id,
        words=len(question.text.split()),
        outcome=report["decision"] if is_report else "refused",
        reason=report["reason"],
        good_pages=len(good),
        good_found=len(good & found),
        good_blocked=len(good & urls_by_status.get("blocked", set())),
        good_kept=len(good & urls_by_status.get("kept", set())),
        good_cited=len(good & set().union(*cited)),
        is_graded=bool(question.grades),
        quoted=len(quoted),
        quoted_good=sum(bool(urls & good) for urls in cited),
        quoted_graded=sum(bool(urls & question.grades.keys()) for urls in cited),
        good_in_first_two=any(urls & good for urls in cited[:FIRST_SENTENCES]),
        found=len(report["sources"]),
        blocked=sum(source["blocked"] for source in report["sources"]),
        confidence=report["confidence"]["level"] if report["confidence"] else "",
        gold_first=_holds(texts[:FIRST_SENTENCES], question.gold),
        gold_anywhere=_holds(texts, question.gold),
    )


def _holds(texts: Sequence[str], gold: str) -> bool | None:
    """Return whether a text holds the words of the gold answer together; None without one."""
    if not gold:
        return None
    return any(f" {gold} " in f" {text} " for text in texts)


#: The asker of a worker process.
_of_worker: list[Asker] = []


def _open_worker(prepared: Path, choice: Choice) -> None:
    _of_worker.append(Asker(prepared, choice))


def _ask_in_worker(question: Question) -> Answer:
    return _of_worker[0].ask(question)


def ask_all(
    prepared: Path, choice: Choice, questions: Sequence[Question], workers: int
) -> Iterator[Answer]:
    """Yield the answers in the order of the questions."""
    if workers > 1:
        with _open_pool(workers, _open_worker, prepared, choice) as pool:
            yield from pool.map(_ask_in_worker, questions)
        return
    asker = Asker(prepared, choice)
    try:
        yield from map(asker.ask, questions)
    finally:
        asker.close()


@contextmanager
def _open_pool(
    workers: int, begin: Callable[..., None], *arguments: Any
) -> Iterator[ProcessPoolExecutor]:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, begin, arguments) as pool:
        yield pool


# -- figures ---------------------------------------------------------------------------------------


def format_answer(answer: Answer) -> str:
    """Return one line on an answer."""
    outcome = answer.outcome
    if answer.reason:
        outcome = f"{outcome}: {answer.reason}"
    if answer.is_wrongly_refused:
        outcome += " (WRONG)"
    parts = [
        f"{answer.id:18} {outcome:42}",
        f"good pages {answer.good_pages}, found {answer.good_found},"
        f" blocked {answer.good_blocked}, kept {answer.good_kept}, cited {answer.good_cited}",
        f"quoted {answer.quoted}: {answer.quoted_good} good,"
        f" {answer.quoted_graded - answer.quoted_good} other grades,"
        f" {answer.quoted - answer.quoted_graded} ungraded",
        f"good in first two: {'yes' if answer.good_in_first_two else 'no'}",
        f"blocked {answer.blocked} of {answer.found}",
        f"confidence {answer.confidence or '–'}",
    ]
    if answer.gold_anywhere is not None:
        place = "first two" if answer.gold_first else "later" if answer.gold_anywhere else "absent"
        parts.append(f"gold answer {place}")
    parts.append(f"{answer.cpu_s:.1f} s CPU")
    return " | ".join(parts)


def summarise(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the figures of all answers, as the module's docstring names them."""
    graded = [answer for answer in answers if answer.is_graded]
    with_good = [answer for answer in answers if answer.good_pages]
    with_gold = [answer for answer in answers if answer.gold_anywhere is not None]
    quoted_good = sum(answer.quoted_good for answer in graded)
    return {
        "questions": len(answers),
        "wrong_refusals": _share_true([answer.is_wrongly_refused for answer in answers]),
        "quoted_from_good": _divide(quoted_good, sum(answer.quoted_graded for answer in graded)),
        "quoted_from_good_of_all": _divide(quoted_good, sum(answer.quoted for answer in graded)),
        "good_in_first_two": _share_true([answer.good_in_first_two for answer in with_good]),
        "with_good_page": len(with_good),
        "refused": _share_true([answer.is_refused for answer in answers]),
        "outcomes": dict(Counter(answer.reason or answer.outcome for answer in answers)),
        "good_found": _share_true([answer.good_found > 0 for answer in with_good]),
        "all_good_found_blocked": _share_true(
            [0 < answer.good_found == answer.good_blocked for answer in with_good]
        ),
        "good_kept": _share_true([answer.good_kept > 0 for answer in with_good]),
        "good_cited": _share_true([answer.good_cited > 0 for answer in with_good]),
        "quoted": sum(answer.quoted for answer in answers),
        "sources_blocked": _divide(
            sum(answer.blocked for answer in answers), sum(answer.found for answer in answers)
        ),
        "confidence": dict(Counter(answer.confidence for answer in answers if answer.confidence)),
        "gold_questions": len(with_gold),
        "gold_in_first_two": _share_true([bool(answer.gold_first) for answer in with_gold]),
        "gold_anywhere": _share_true([bool(answer.gold_anywhere) for answer in with_gold]),
        "mean_cpu_s": round(statistics.fmean(answer.cpu_s for answer in answers), 2),
        "median_cpu_s": round(statistics.median(answer.cpu_s for answer in answers), 2),
    }


def summarise_by_length(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the figures of all answers, with those of short and longer questions beside them."""
    figures = summarise(answers)
    short = [answer for answer in answers if answer.words <= SHORT_WORDS]
    longer = [answer for answer in answers if answer.words > SHORT_WORDS]
    for name, some in (("short", short), ("longer", longer)):
        if some:
            figures[name] = {
                key: value
                for key, value in summarise(some).items()
                if isinstance(value, (int, float)) or value is None
            }
    return figures


def _share_true(values: Sequence[bool]) -> float | None:
    return _divide(sum(values), len(values))


def _divide(part: int, whole: int) -> float | None:
    """Return a share, or None of nothing."""
    return round(part / whole, 3) if whole else None


def print_summary(figures: Mapping[str, Any]) -> None:
    for name, value in figures.items():
        if not isinstance(value, Mapping):
            print(f"{name}: {value}")
            continue
        print(f"{name}: " + " · ".join(f"{key} {each}" for key, each in value.items()))


# -- the command -----------------------------------------------------------------------------------


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--only", nargs="+", default=[], metavar="ID")
    parser.add_argument("--library", action="store_true", help="ask a library, not a web")
    parser.add_argument("--words", action="store_true", help="without the embedding model")
    parser.add_argument("--mode", choices=tuple(MODES), default="standard")
    parser.add_argument("--languages", type=int, metavar="N")
    parser.add_argument("--workers", type=int, default=1, help="processes that ask questions")
    parser.add_argument("--keep", type=Path, metavar="HOME")
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    if options.languages is None:
        options.languages = 0 if options.only or options.limit else LANGUAGE_QUESTIONS
    return options


def main() -> None:
    options = _parse_arguments()
    data = require_folder(options.data)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    web = None if options.library else data / "offline_web"
    choice = Choice(not options.words, options.mode, web, options.out)
    with tempfile.TemporaryDirectory() as temporary:
        home = options.keep or Path(temporary) / "home"
        home.mkdir(parents=True, exist_ok=True)
        if choice.web:
            urls = RecordedWeb(choice.web, PAGE_SETS).urls
        else:
            urls = prepare_library(data / "offline_web", home, semantic=choice.semantic)
        questions = select_questions(
            read_questions(data / "offline_web", options.split, urls), options.limit, options.only
        )
        answers = []
        for answer in ask_all(home, choice, questions, options.workers):
            answers.append(answer)
            print(json.dumps(asdict(answer)) if options.json else format_answer(answer), flush=True)
    figures = {"split": options.split, **summarise_by_length(answers)}
    if options.languages and (data / "multilingual").is_dir():
        figures["languages"] = languages.measure(
            data / "multilingual",
            options.split,
            options.languages,
            semantic=choice.semantic,
            workers=options.workers,
        )
    if options.record:
        name = "answers" + "_library" * options.library + "_words" * options.words
        record(name, figures)
    if options.json:
        print(json.dumps(figures, ensure_ascii=False))
        return
    print_summary(figures)


if __name__ == "__main__":
    main()
