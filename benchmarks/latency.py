"""Measure how long a question takes on the command line, the whole way.

    python benchmarks/latency.py [--runs N] [--mode MODE ...] [--record]

Needs no data. `assay ask` runs from its `main()` to the printed report: real HTTP to a stub web on
loopback, the real SDK of the model, robots.txt of hosts never met, distinct pages of 11 kB on 30
hosts, a database file of its own for each run. A page takes 200 ms, the model 500 ms, a search no
time.

Prints for each mode, as medians of N runs (5):
- cold: seconds of a process that is started for the question, from its start to its end;
- warm: seconds of `main()` in a process that has answered another question before;
- waits: the longest chain of waits of a warm run, each begun after the one before it had ended (the
  critical path), in seconds; and cold and warm as multiples of it;
- own: seconds of a cold and a warm run where nothing outside takes any time;
- CPU: seconds of a warm run where nothing takes any time, child processes included, in all and by
  page;
- requests to the model, pages read, and the largest memory of a cold process in MB.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.paced_web import HOSTS, Pace, Request, open_paced_web
from benchmarks.results import record
from benchmarks.stub import run_command

MODES = ("quick", "standard", "deep", "exhaustive")
PACED = Pace(page_s=0.2, model_s=0.5)
AT_ONCE = Pace(page_s=0.0, model_s=0.0)
#: A request that begins within so many seconds after another has ended may have waited for it.
SLACK_S = 0.001
QUESTION = "How high do the tides of the bay rise at station {number}?"


@dataclass(frozen=True)
class Run:
    """What one question took. wall_s, cpu_s: seconds, child processes included in cpu_s.
    peak_mb: largest memory of the process so far. requests: what the stub was asked.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float
    requests: tuple[Request, ...]

    def count(self, kind: str) -> int:
        return sum(request.kind == kind for request in self.requests)


# ---------------------------------------------------------------- the process that is measured


def ask(port: int, mode: str, number: int, home: Path) -> None:
    """Ask one question on the command line, with the stub for all the web."""
    os.environ["ASSAY_HOME"] = str(home)
    question = QUESTION.format(number=number)
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        code = run_command(HOSTS, port, ["ask", question, "--mode", mode])
    if code != 0:
        raise SystemExit(f"assay ask ended with {code}:\n{output.getvalue()[:2000]}")


def serve_questions(port: int) -> None:
    """Answer one line of JSON {"mode", "number", "home"} after the other; print what each took."""
    for line in sys.stdin:
        asked = json.loads(line)
        began, cpu = time.perf_counter(), _read_cpu_s()
        ask(port, asked["mode"], asked["number"], Path(asked["home"]))
        took = {"wall_s": time.perf_counter() - began, "cpu_s": _read_cpu_s() - cpu}
        print(json.dumps({**took, "peak_mb": _read_peak_mb()}), flush=True)


def _read_cpu_s() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    seconds = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        seconds += usage.ru_utime + usage.ru_stime
    return seconds


def _read_peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---------------------------------------------------------------- the measurement


class MeasuredWeb:
    """The stub's process and the folder for the databases of the runs that use it."""

    def __init__(self, port: int, pace: Pace, folder: Path) -> None:
        self._port = port
        self._folder = folder
        self._number = 0
        self._env = {
            **os.environ,
            "SEARXNG_URL": f"http://127.0.0.1:{port}",
            "SEARCH_ROUTING": "",
            "ASSAY_DDGS_ENGINES": "",
            "ASSAY_GEMINI_URL": f"http://127.0.0.1:{port}",
            "GEMINI_API_KEY": "key-of-the-stub",
            "ASSAY_MODEL": "gemini",
        }
        if pace == AT_ONCE:
            self._env["ASSAY_HOST_DELAY"] = "0"

    def run_cold(self, mode: str) -> Run:
        """Measure a process that is started for one question."""
        return self._measure(lambda: self._run_process([self._next_question(mode)])[0])

    def run_warm(self, mode: str, runs: int) -> list[Run]:
        """Measure questions in one process, after one that is not counted."""
        with self._open_process() as process:
            measured = []
            for _ in range(runs + 1):
                question = self._next_question(mode)
                measured.append(self._measure(partial(self._ask_process, process, question)))
        return measured[1:]

    def _next_question(self, mode: str) -> dict[str, Any]:
        self._number += 1
        home = self._folder / f"home{self._number}"
        return {"mode": mode, "number": self._number, "home": str(home)}

    def _measure(self, ask_one: Callable[[], dict[str, float]]) -> Run:
        self._get("reset")
        took = ask_one()
        rows = json.loads(self._get("log"))
        requests = tuple(Request(**row) for row in rows)
        return Run(took["wall_s"], took["cpu_s"], took["peak_mb"], requests)

    def _get(self, path: str) -> bytes:
        with urlopen(f"http://127.0.0.1:{self._port}/{path}") as reply:
            return bytes(reply.read())

    @contextmanager
    def _open_process(self) -> Iterator[subprocess.Popen[str]]:
        command = [sys.executable, "-P", str(Path(__file__).resolve()), "--serve", str(self._port)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self._env
        )
        try:
            yield process
        finally:
            assert process.stdin
            process.stdin.close()
            process.wait()

    def _ask_process(
        self, process: subprocess.Popen[str], question: dict[str, Any]
    ) -> dict[str, float]:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise SystemExit("The measured process has ended; the lines above say why.")
        return dict(json.loads(line))

    def _run_process(self, questions: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
        """Return what the questions took; the first from the start of its process to its end."""
        began = time.perf_counter()
        cpu = _read_cpu_s()
        with self._open_process() as process:
            took = [self._ask_process(process, question) for question in questions]
        took[0]["wall_s"] = time.perf_counter() - began
        took[0]["cpu_s"] = _read_cpu_s() - cpu
        return took


@contextmanager
def open_web(pace: Pace) -> Iterator[MeasuredWeb]:
    """Start the stub with this pace."""
    with open_paced_web(pace) as port, tempfile.TemporaryDirectory() as folder:
        yield MeasuredWeb(port, pace, Path(folder))


def find_critical_path(requests: Sequence[Request]) -> float:
    """Return the seconds of the longest chain of requests, each begun after the one before ended.

    The chain is followed backwards from the request that ended last, always to the latest end.
    """
    seconds = 0.0
    left = sorted(requests, key=lambda request: request.end)
    while left:
        last = left.pop()
        seconds += last.end - last.begin
        left = [request for request in left if request.end <= last.begin + SLACK_S]
    return seconds


# ---------------------------------------------------------------- the table


def measure_mode(paced: MeasuredWeb, at_once: MeasuredWeb, mode: str, runs: int) -> dict[str, Any]:
    """Return the figures of a mode, as the module's docstring names them."""
    cold = [paced.run_cold(mode) for _ in range(runs)]
    warm = paced.run_warm(mode, runs)
    own_cold = [at_once.run_cold(mode) for _ in range(runs)]
    own_warm = at_once.run_warm(mode, runs)
    waits = statistics.median(find_critical_path(run.requests) for run in warm)
    cold_s = statistics.median(run.wall_s for run in cold)
    warm_s = statistics.median(run.wall_s for run in warm)
    cpu_s = statistics.median(run.cpu_s for run in own_warm)
    pages = statistics.median(run.count("page") for run in own_warm)
    return {
        "cold_s": round(cold_s, 2),
        "warm_s": round(warm_s, 2),
        "waits_s": round(waits, 2),
        "cold_by_waits": round(cold_s / waits, 2),
        "warm_by_waits": round(warm_s / waits, 2),
        "own_cold_s": round(statistics.median(run.wall_s for run in own_cold), 2),
        "own_warm_s": round(statistics.median(run.wall_s for run in own_warm), 2),
        "cpu_s": round(cpu_s, 2),
        "cpu_s_by_page": round(cpu_s / pages, 3),
        "model_requests": max(run.count("model") for run in warm),
        "pages": max(run.count("page") for run in warm),
        "peak_mb": round(max(run.peak_mb for run in cold)),
    }


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mode", choices=MODES, nargs="+", default=MODES)
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    parser.add_argument("--serve", type=int, default=0, help="used by the benchmark itself")
    options = parser.parse_args()
    if options.serve:
        serve_questions(options.serve)
        return
    figures = {}
    with open_web(PACED) as paced, open_web(AT_ONCE) as at_once:
        for mode in options.mode:
            figures[mode] = measure_mode(paced, at_once, mode, options.runs)
            shown = " · ".join(f"{name} {value}" for name, value in figures[mode].items())
            print(f"{mode}: {shown}", flush=True)
    if options.record:
        record("latency", figures)


if __name__ == "__main__":
    main()
