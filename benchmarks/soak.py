"""Measure whether the app and a worker grow while they serve a light load for an hour.

    python benchmarks/soak.py [--minutes N] [--a-minute N] [--record]

Needs the extra `dev` and Chromium, and no data. The app, which runs sessions too, and one worker
share a database on SQLite, with the settings of a fresh install, and get so many sessions a minute
(5) for so many minutes (60): offline, on the sample library, quick and standard in turn. A browser
opens the list and a report each minute. Prints, each minute, memory, open files and threads of
both, with their children. Exits with 1 if a session is lost, if memory grows by more than a tenth
after the first ten minutes, or if there are more open files or threads in the last ten minutes than
in the ten after the first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import ROOT, make_parser
from benchmarks.load import LOOK_S, QUESTIONS, STALL_S, count_outcomes
from benchmarks.results import record
from benchmarks.screens import CHROMIUM
from research_core.policy import SAMPLE_LIBRARY, RunSettings
from research_core.sessions import session_start
from research_core.sessions.workers import WorkerEngine
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.e2e.conftest import LONG, process, until_settled

PROCESSES = ("app", "worker")
#: Minutes after which memory must stay as it is, and of each span that is compared.
WARM_MINUTES = 10
MEMORY_GROWTH = 1.1


@dataclass(frozen=True)
class Sample:
    """What a process and its descendants take: resident memory, open files and threads."""

    processes: int
    mb: float
    files: int
    threads: int

    def format(self) -> str:
        return f"{self.processes:4}{self.mb:9.1f}{self.files:6}{self.threads:8}"


def list_descendants(pid: int) -> list[int]:
    """Return a process and all that its threads have started, and so on."""
    found = [pid]
    for parent in found:
        for thread in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, thread.read_text().split())
    return found


def read_sample(pid: int) -> Sample:
    """Read what a process takes, again if one of its children or threads ends meanwhile."""
    while Path(f"/proc/{pid}").exists():
        with suppress(FileNotFoundError, ProcessLookupError):
            return _read_family(list_descendants(pid))
    raise SystemExit(f"Process {pid} ended.")


def _read_family(pids: list[int]) -> Sample:
    kb = files = threads = 0
    for each in pids:
        lines = Path(f"/proc/{each}/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        kb += int(fields["VmRSS"].split()[0])
        threads += int(fields["Threads"])
        files += len(list(Path(f"/proc/{each}/fd").iterdir()))
    return Sample(len(pids), round(kb / 1000, 1), files, threads)


def judge_growth(samples: list[Sample]) -> dict[str, Any]:
    """Return how a process grew after the first ten minutes; samples: one a minute."""
    warm = samples[WARM_MINUTES - 1]
    later = samples[WARM_MINUTES:]
    early, late = later[:WARM_MINUTES], later[-WARM_MINUTES:]
    highest = max(sample.mb for sample in later)
    figures: dict[str, Any] = {
        "mb_after_ten_minutes": warm.mb,
        "mb_highest_later": highest,
        "mb_at_the_end": later[-1].mb,
    }
    grows = highest > warm.mb * MEMORY_GROWTH
    for name in ("files", "threads"):
        before = median(getattr(sample, name) for sample in early)
        after = median(getattr(sample, name) for sample in late)
        figures[name] = [before, after]
        grows = grows or after > before
    return {**figures, "grows": grows}


def visit_screens(browser: Browser, address: str, id: str) -> None:
    """Open the list of sessions and a report in a tab of their own, and close it."""
    with browser.new_page(viewport={"width": 1440, "height": 900}) as page:
        page.set_default_timeout(LONG)
        page.goto(f"{address}/sessions")
        page.locator("[class*=st-key-session_]").first.wait_for()
        until_settled(page)
        page.goto(f"{address}/report?session={id}")
        page.get_by_role("heading").first.wait_for()
        until_settled(page)


def send_sessions(
    engine: WorkerEngine,
    browser: Browser,
    address: str,
    pids: dict[str, int],
    minutes: int,
    rate: int,
) -> tuple[dict[str, list[Sample]], int]:
    """Queue sessions for so many minutes. Return a sample a minute, and how many were lost."""
    resources = engine.resources
    samples: dict[str, list[Sample]] = {name: [] for name in pids}
    began, asked = time.monotonic(), 0
    while asked < minutes * rate:
        run = RunSettings(
            mode=("quick", "standard")[asked % 2], engines=("library",), library=SAMPLE_LIBRARY
        )
        question = QUESTIONS[asked // 2 % len(QUESTIONS)]
        id = session_start.new_session(resources, question, run)
        engine.enqueue(id)
        asked += 1
        time.sleep(max(0.0, began + asked * 60 / rate - time.monotonic()))
        if asked % rate:
            continue
        ended = sum(count_outcomes(resources).values())
        line = f"{asked // rate:6}{ended:9}"
        for name, pid in pids.items():
            samples[name].append(read_sample(pid))
            line += f"  {samples[name][-1].format()}"
        print(f"{line}{os.getloadavg()[0]:7.1f}", flush=True)
        visit_screens(browser, address, id)
    until = time.monotonic() + STALL_S
    while sum(count_outcomes(resources).values()) < asked and time.monotonic() < until:
        time.sleep(LOOK_S)
    return samples, asked - count_outcomes(resources).get("done", 0)


def run_soak(minutes: int, rate: int) -> dict[str, Any]:
    """Serve the app and a worker, let sessions come, print the table and return the figures."""
    titles = "".join(f"  {name:>4}{'MB':>9}{'files':>6}{'threads':>8}" for name in PROCESSES)
    print(f"{'minute':6}{'ended':>9}{titles}{'load':>7}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ASSAY_HOME": f"{folder}/home"}
        env.pop("GEMINI_API_KEY", None)
        resources = Resources(Settings.from_env(env))
        resources.library(LOCAL_USER).prepare(SAMPLE_LIBRARY)
        engine = WorkerEngine(resources, runs=False)
        engine.start()
        command = [sys.executable, "-m", "research_core.workers"]
        with (
            process(Path(folder), GEMINI_API_KEY="") as (address, app),
            subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.DEVNULL) as worker,
            sync_playwright() as playwright,
            playwright.chromium.launch(**CHROMIUM) as browser,  # type: ignore[arg-type]
        ):
            pids = {"app": app.pid, "worker": worker.pid}
            try:
                samples, lost = send_sessions(engine, browser, address, pids, minutes, rate)
            finally:
                worker.terminate()
        engine.stop()
        resources.db.close()
    figures: dict[str, Any] = {"minutes": minutes, "a_minute": rate, "lost": lost}
    for name in PROCESSES:
        figures[name] = judge_growth(samples[name])
        print(f"{name}: {figures[name]}")
    print(f"lost: {lost}")
    return figures


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--a-minute", type=int, default=5, help="sessions")
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    options = parser.parse_args()
    if options.minutes < 2 * WARM_MINUTES:
        parser.error(f"it takes at least {2 * WARM_MINUTES} minutes")
    figures = run_soak(options.minutes, options.a_minute)
    if options.record:
        record("soak", figures)
    return 1 if figures["lost"] or any(figures[name]["grows"] for name in PROCESSES) else 0


if __name__ == "__main__":
    sys.exit(main())
