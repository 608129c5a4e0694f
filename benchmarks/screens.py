"""Measure how fast the screens answer.

    python benchmarks/screens.py [--turns N] [--tabs N] [--seconds N]

Needs the extra `dev` and Chromium, and no data. In the browser, on a session of 500 sources: from a
key press on a slider to the changed figures, table, chart and lists, and from a click on a citation
to its passage. Without a browser: the CPU time that tabs on a running session cost the server, and
the time the core takes to open a session of 5,000 events. Prints and records medians in ms.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.results import record
from benchmarks.tabs import Tab, open_tabs, read_cpu_s
from research_core.journal import store
from research_core.journal.events import Draft, json_in_order
from research_core.journal.store import EventRow, Store
from research_core.pipeline import report
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, session_start, snapshot
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.e2e.conftest import process, until_settled
from tests.sample_sessions import ANSWERED, crowded

CHROMIUM = {"executable_path": "/usr/bin/chromium", "args": ["--no-sandbox", "--disable-gpu"]}
#: How long a page is left alone after it was opened, and watched after a key press or click.
SETTLING_MS = 2000
WATCHING_MS = 1500
#: Seconds that opening all tabs takes at most; they are not measured.
TABS_OPENING_S = 4.0
#: How often a session is opened in the core.
OPENINGS = 7
#: From the next key press or click on, notes in ms when the text or children of each target first
#: change.
WATCH_SCRIPT = """
(targets) => {
  const seen = {}; let start = null;
  const begin = () => { start ??= performance.now(); };
  for (const kind of ["keydown", "click"])
    document.addEventListener(kind, begin, {capture: true, once: true});
  const observer = new MutationObserver(records => {
    if (start === null) return;
    for (const record of records) {
      const node = record.target.nodeType === 1 ? record.target : record.target.parentElement;
      const added = [...record.addedNodes].filter(one => one.nodeType === 1);
      for (const [name, selector] of Object.entries(targets)) {
        const shows = one => one.matches(selector) || one.querySelector(selector);
        if (node?.closest(selector) || added.some(shows)) seen[name] ??= performance.now() - start;
      }
    }
  });
  observer.observe(document.body, {childList: true, characterData: true, subtree: true});
  window.watched = async (ms) => {
    await new Promise(done => setTimeout(done, ms));
    observer.disconnect();
    return seen;
  };
}
"""
#: What changes on a screen, by CSS selector.
SOURCES_TARGETS = {
    "figures": ".outcome",
    "table": ".source_table tbody",
    "chart": "[data-testid=stPlotlyChart]",
    "lists": "section.effect",
}
#: Not the bar above the passage, which changes at once.
REPORT_TARGETS = {"passage": "section.evidence"}


# -- in the browser --------------------------------------------------------------------------------


def time_changes(page: Page, targets: dict[str, str], act: Callable[[], None]) -> dict[str, float]:
    """Return the ms from a key press or click to the first change of each target that changed."""
    page.evaluate(WATCH_SCRIPT, targets)
    act()
    return dict(page.evaluate(f"watched({WATCHING_MS})"))


def time_in_browser(address: str, session: str, turns: int) -> dict[str, list[float]]:
    """Move the slider and click citations so many times; return the ms of each change by target."""
    times: dict[str, list[float]] = {}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(**CHROMIUM) as browser,  # type: ignore[arg-type]
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        _open_page(page, f"{address}/sources?session={session}")
        page.get_by_role("slider", name="Minimum credibility").focus()
        for turn in range(turns):
            key = "PageUp" if turn % 4 < 2 else "PageDown"
            changes = time_changes(page, SOURCES_TARGETS, partial(page.keyboard.press, key))
            for name, ms in changes.items():
                times.setdefault(name, []).append(ms)
        _open_page(page, f"{address}/report?session={session}")
        citations = page.locator("a.cite")
        for turn in range(turns):
            changes = time_changes(page, REPORT_TARGETS, citations.nth(2 + turn * 3).click)
            times.setdefault("passage", []).append(changes["passage"])
    return times


def _open_page(page: Page, url: str) -> None:
    page.goto(url)
    until_settled(page)
    page.wait_for_timeout(SETTLING_MS)


# -- tabs on a running session ---------------------------------------------------------------------


@contextmanager
def run_session(resources: Resources, model: str) -> Iterator[str]:
    """Yield a running session: a copy of a session up to its gate that gets an event a second."""
    session = session_start.new_session(resources, ANSWERED, RunSettings(mode="deep"))
    executor = heartbeats.make_executor_id()
    epoch = store.take_session(resources.db, LOCAL_USER, session, executor, resources.clock.now())
    heartbeats.record_beat(resources.db, executor, resources.clock.now())
    rows = []
    urls: dict[str, None] = {}
    for event in Store(resources.db, LOCAL_USER, model).read():
        if event.kind in ("created", "planned", "searched", "found"):
            rows.append(EventRow(event.kind, json_in_order(event.data), event.key))
        if event.kind == "found":
            urls[event.data["url"]] = None
    Store(resources.db, LOCAL_USER, session, epoch).append(rows, {}, resources.clock.now())
    log = open_log(resources, LOCAL_USER, session, epoch=epoch)
    ended = threading.Event()
    new_urls = iter(urls)

    def grow() -> None:
        while not ended.wait(1.0):
            heartbeats.record_beat(resources.db, executor, resources.clock.now())
            url = next(new_urls)
            log.append(Draft("admitted", {"url": url}, url), Draft("fetch", {"url": url}, url))

    thread = threading.Thread(target=grow, daemon=True)
    thread.start()
    try:
        yield session
    finally:
        ended.set()
        thread.join()


def measure_tabs(
    address: str, pid: int, session: str, count: int, seconds: float
) -> dict[str, Any]:
    """Return what tabs on a running session cost the server, as a share of one core."""
    query = f"session={session}"
    # The first tab makes the server compute what it then keeps.
    asyncio.run(open_tabs(1, address, "live", query, 2.0))

    async def watch_cpu() -> tuple[float, list[Tab]]:
        tabs = asyncio.create_task(open_tabs(count, address, "live", query, seconds))
        await asyncio.sleep(TABS_OPENING_S)
        began = time.monotonic()
        cpu_before = read_cpu_s(pid)
        await asyncio.sleep(seconds - TABS_OPENING_S)
        share = (read_cpu_s(pid) - cpu_before) / (time.monotonic() - began)
        return share, await tabs

    share, tabs = asyncio.run(watch_cpu())
    waits = [wait for tab in tabs for wait in tab.waits]
    return {
        "tabs": count,
        "share_of_a_core": round(share, 3),
        "reruns_a_second": round(len(waits) / seconds, 1),
        "round_trip_ms": compute_median_ms(waits),
    }


# -- in the core -----------------------------------------------------------------------------------


def time_opening(resources: Resources) -> dict[str, Any]:
    """Return the ms of opening a session of 5,000 events, without and with its report."""
    session = crowded(resources, 2800, read=330, sentences=120)
    events = len(Store(resources.db, LOCAL_USER, session).read())
    read_times = []
    report_times = []
    for _ in range(OPENINGS):
        began = time.perf_counter()
        opened = snapshot.read_session(resources, session)
        read_times.append(time.perf_counter() - began)
        len(opened.sources)  # computed when it is first read
        report.build(opened.run)
        report_times.append(time.perf_counter() - began)
    return {
        "events": events,
        "read_ms": compute_median_ms(read_times),
        "with_sources_and_report_ms": compute_median_ms(report_times),
    }


def compute_median_ms(seconds: list[float]) -> int | None:
    return round(statistics.median(seconds) * 1000) if seconds else None


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--turns", type=int, default=20, help="key presses, and clicks")
    parser.add_argument("--tabs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=24.0, help="how long the tabs are open")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(Settings.from_env({"ASSAY_HOME": f"{folder}/home"}))
        session = crowded(resources)
        figures["opening"] = time_opening(resources)
        with process(Path(folder), ASSAY_WORKER_ONLY="1") as (address, server):
            for name, times in time_in_browser(address, session, options.turns).items():
                figures[f"{name}_ms"] = {
                    "median": round(statistics.median(times)),
                    "most": round(max(times)),
                    "of": len(times),
                }
            for size in (60, 500):
                with run_session(resources, crowded(resources, size)) as running:
                    figures[f"tabs_{size}_sources"] = measure_tabs(
                        address, server.pid, running, options.tabs, options.seconds
                    )
        resources.close()
    figures["load_of_the_machine"] = round(os.getloadavg()[0], 1)
    for name, figure in figures.items():
        print(f"{name:24} {figure}")
    record("screens", figures)


if __name__ == "__main__":
    main()
