"""Measure a check of a report on the command line, the whole way, and what a `kill -9` costs it.

    python benchmarks/audit_run.py [--runs N] [--kills N] [--seed N] [--record]

Needs no data. `assay audit` reads a report of 300 cited sentences over 120 pages of 11 kB on 30
hosts, from a stub web on loopback: a page and each robots.txt take 200 ms. Half of the sentences are
those of their page, the others have another year. Each process has a database file of its own.

Prints, as medians of N runs (3): seconds of a process that is started for the check; the longest
chain of waits (the critical path); seconds as a multiple of it; the same without the start of an
interpreter with its imports, which `--help` takes too; CPU seconds. Then one line per kill: the
requests before and after it, pages asked for twice, and those of them that had been answered more
than 0.1 s before the kill. Exits with 1 if there is any of these, or if the result differs from that
of an undisturbed check.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.latency import find_critical_path
from benchmarks.paced_web import HOSTS, Pace, Request, make_page, open_paced_web
from benchmarks.results import record
from benchmarks.stub import run_command

CLAIMS, PAGES = 300, 120
PACED = Pace(page_s=0.2, model_s=0.0)
#: Seconds after its answer within which a request may be made again: it was not yet recorded.
RECORDING_S = 0.1
_SENTENCE = re.compile(r"[A-Z][^.<>]{40,}, which was \d+ feet in \d{4}\.")


def make_report() -> str:
    """Return a report whose sentences are those of its pages, every other one with another year."""
    lines = ["# Tides of the bay", ""]
    for number in range(CLAIMS):
        page = number % PAGES
        sentences = _SENTENCE.findall(make_page(f"/{page}").decode())
        sentence = sentences[number // PAGES]
        if number % 2:
            sentence = f"{sentence[:-5]}{int(sentence[-5:-1]) + 31}."
        lines.append(f"{sentence[:-1]} [{page + 1}].\n")
    lines += ["## Sources", ""]
    for page in range(PAGES):
        lines.append(f"{page + 1}. http://{HOSTS[page % len(HOSTS)]}/{page}")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- the measurement


@dataclass(frozen=True)
class Web:
    """The stub, and the folder for databases and results. port: of the stub."""

    port: int
    folder: Path

    def get(self, path: str) -> bytes:
        with urlopen(f"http://127.0.0.1:{self.port}/{path}") as reply:
            return bytes(reply.read())

    def read_requests(self) -> list[Request]:
        return [Request(**row) for row in json.loads(self.get("log"))]

    def start(self, home: Path, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-P", str(Path(__file__).resolve()), "--serve", str(self.port)]
        return subprocess.Popen(
            [*command, "--", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "ASSAY_HOME": str(home), "SEARCH_ROUTING": ""},
        )


@contextmanager
def open_web() -> Iterator[Web]:
    """Start the stub, and write the report into the folder."""
    with open_paced_web(PACED) as port, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "report.md").write_text(make_report(), encoding="utf-8")
        yield Web(port, Path(folder))


def read_result(path: Path) -> list[Any]:
    """Return the verdicts, and the state of each source, of a result in JSON."""
    found = json.loads(path.read_text(encoding="utf-8"))
    claims = [(row["number"], row["verdict"], row["fault"]) for row in found["claims"]]
    return [claims, sorted((row["key"], row["state"]) for row in found["sources"])]


def measure_run(web: Web, number: int) -> tuple[dict[str, float], list[Any]]:
    """Return the figures of one undisturbed check, and its result."""
    web.get("reset")
    home = web.folder / f"home{number}"
    result = web.folder / f"result{number}.json"
    began = time.perf_counter()
    cpu = _read_child_cpu_s()
    process = web.start(home, "audit", str(web.folder / "report.md"), "--out", str(result))
    _, said = process.communicate()
    wall_s = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"assay audit ended with {process.returncode}:\n{said[-2000:]}")
    requests = web.read_requests()
    figures = {
        "wall_s": wall_s,
        "cpu_s": _read_child_cpu_s() - cpu,
        "waits_s": find_critical_path(requests),
        "pages": sum(request.kind == "page" for request in requests),
        "requests": len(requests),
    }
    return figures, read_result(result)


def measure_start(web: Web) -> float:
    """Return the seconds of a process that only prints the help of the command."""
    began = time.perf_counter()
    web.start(web.folder / "none", "audit", "--help").communicate()
    return time.perf_counter() - began


def _read_child_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def kill_once(web: Web, number: int, at: int) -> tuple[dict[str, Any], list[Any]]:
    """Kill a check after so many requests, resume it, and return what was asked and its result."""
    web.get("reset")
    home = web.folder / f"killed{number}"
    result = web.folder / f"killed{number}.json"
    process = web.start(home, "audit", str(web.folder / "report.md"))
    assert process.stderr
    session = ""
    while not session:
        line = process.stderr.readline()
        if not line:
            raise SystemExit("The check ended before it was killed.")
        session = line.removeprefix("Session ").strip() if line.startswith("Session ") else ""
    while len(web.read_requests()) < at and process.poll() is None:
        time.sleep(0.01)
    killed = time.monotonic()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    time.sleep(2 * PACED.page_s)  # what it had asked is answered, and logged
    before = web.read_requests()
    resumed = web.start(home, "resume", session, "--out", str(result))
    _, said = resumed.communicate()
    if resumed.returncode:
        raise SystemExit(f"assay resume ended with {resumed.returncode}:\n{said[-2000:]}")
    after = web.read_requests()[len(before) :]
    asked = Counter(request.address for request in after)
    twice = [each for each in before if asked[each.address] and each.kind == "page"]
    late = [each for each in twice if each.end < killed - RECORDING_S]
    figures = {
        "at": at,
        "before": len(before),
        "after": len(after),
        "pages_twice": len(twice),
        "recorded_twice": len(late) + sum(times > 1 for times in asked.values()),
    }
    return figures, read_result(result)


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    parser.add_argument("--serve", type=int, default=0, help="used by the benchmark itself")
    parser.add_argument("command", nargs="*", help="used by the benchmark itself")
    options = parser.parse_args()
    if options.serve:
        return run_command(HOSTS, options.serve, options.command)
    print(f"seed {options.seed}")
    faults = 0
    with open_web() as web:
        measured, results = zip(*(measure_run(web, n) for n in range(options.runs)), strict=True)
        start_s = statistics.median(measure_start(web) for _ in range(options.runs))
        median = {name: statistics.median(run[name] for run in measured) for name in measured[0]}
        figures: dict[str, Any] = {name: round(value, 2) for name, value in median.items()}
        figures["by_waits"] = round(median["wall_s"] / median["waits_s"], 2)
        figures["start_s"] = round(start_s, 2)
        figures["by_waits_after_start"] = round((median["wall_s"] - start_s) / median["waits_s"], 2)
        print(" · ".join(f"{name} {value}" for name, value in figures.items()), flush=True)
        chance = random.Random(options.seed)
        for number in range(options.kills):
            at = chance.randint(1, int(median["requests"]) - 5)
            kill, result = kill_once(web, number, at)
            same = result == results[0]
            faults += bool(kill["recorded_twice"]) or not same
            shown = " · ".join(f"{name} {value}" for name, value in kill.items())
            print(f"{shown} · {'same result' if same else 'ANOTHER RESULT'}", flush=True)
    if options.record:
        record("audit_run", figures)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
