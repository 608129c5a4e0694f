"""Measure how soon a long list of sessions is shown.

    python benchmarks/session_list.py [--sessions N] [--turns N] [--record]

Needs the extra `dev` and Chromium, and no data. Makes so many stored sessions (5,000) and serves the
app. Prints the seconds, as medians of so many turns (5): in the browser, from the address of the
Sessions screen to its first row, from a word typed into Search to the only row that has it, and
from a click on page 2 to its first row; of `assay sessions`, and the CPU seconds it takes.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.results import record
from benchmarks.screens import CHROMIUM
from benchmarks.starts import measure_command
from research_core.journal import store
from research_core.journal.events import Draft
from research_core.policy import RunSettings
from research_core.sessions import session_control
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.e2e.conftest import process, until_settled

OUTCOMES = ("full_report", "short_report", "insufficient_data", "failed", "cancelled")
#: One session in so many has a tag, and so many ask each question.
TAGGED, REPEATED = 25, 3
ROW = "[class*=st-key-session_]"


def make_sessions(resources: Resources, count: int) -> None:
    """Store ended sessions, a minute apart, the last one just now. Number 1 is the newest."""
    run, now = RunSettings(mode="quick").to_json(), resources.clock.now()
    for number in range(count, 0, -1):
        id = f"{number:032x}"
        question = f"What did measure {number // REPEATED} cost, and case{number} in particular?"
        store.create_session(resources.db, LOCAL_USER, id, question, run, now - number * 60)
        epoch = store.take_session(resources.db, LOCAL_USER, id, "ended", now - number * 60)
        end = {"outcome": OUTCOMES[number % len(OUTCOMES)]}
        if end["outcome"] not in ("failed", "cancelled"):
            end = {"outcome": "done", "decision": end["outcome"]}
        log = open_log(resources, LOCAL_USER, id, epoch=epoch)
        log.append(Draft("finished", end, str(epoch)))
        if number % TAGGED == 0:
            session_control.tag(resources, id, [f"tag{number % 7}"])


def time_until(page: Page, selector: str, act: Callable[[], object]) -> float:
    """Return the seconds from an action until the page shows an element."""
    began = time.perf_counter()
    act()
    page.locator(selector).first.wait_for()
    return time.perf_counter() - began


def select_row(number: int) -> str:
    """Return the selector of a session's row."""
    return f".st-key-session_{number:032x}"


def time_in_browser(address: str, count: int, turns: int) -> dict[str, list[float]]:
    """Return the seconds of each turn by what was done; the first visit is not counted."""
    times: dict[str, list[float]] = {"open": [], "search": [], "page_2": []}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(**CHROMIUM) as browser,  # type: ignore[arg-type]
    ):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        for turn in range(turns + 1):
            opened = time_until(page, ROW, lambda: page.goto(f"{address}/sessions"))
            until_settled(page)
            turned = time_until(
                page, select_row(26), page.get_by_role("button", name="Page 2", exact=True).click
            )
            until_settled(page)
            wanted = count // 2 + turn
            box = page.get_by_placeholder("Question, title or tag")
            box.fill(f"case{wanted}")
            found = time_until(page, select_row(wanted), partial(box.press, "Enter"))
            if turn:
                times["open"].append(opened)
                times["page_2"].append(turned)
                times["search"].append(found)
    return times


def time_command(home: str, turns: int) -> dict[str, list[float]]:
    """Return the seconds of `assay sessions`, and the CPU seconds."""
    times: dict[str, list[float]] = {"command": [], "command_cpu": []}
    for _ in range(turns):
        began = time.perf_counter()
        times["command_cpu"].append(measure_command("sessions", home))
        times["command"].append(time.perf_counter() - began)
    return times


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = f"{folder}/home"
        resources = Resources(Settings.from_env({"ASSAY_HOME": home}))
        make_sessions(resources, options.sessions)
        resources.close()
        with process(Path(folder), ASSAY_WORKER_ONLY="1") as (address, _):
            times = time_in_browser(address, options.sessions, options.turns)
        times |= time_command(home, options.turns)
    figures = {f"{name}_s": round(statistics.median(each), 2) for name, each in times.items()}
    figures |= {"sessions": options.sessions, "load_of_the_machine": round(os.getloadavg()[0], 1)}
    for name, figure in figures.items():
        print(f"{name:20} {figure}")
    if options.record:
        record("session_list", figures)


if __name__ == "__main__":
    main()
