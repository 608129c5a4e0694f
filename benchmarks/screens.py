"""How fast the screens answer: `python benchmarks/screens.py [--turns N] [--tabs N] [--seconds N]`.

In Chromium, on a session of 500 sources: from a key press on a slider to the changed figures and
table, and to the changed chart and lists; from a click on a citation to its passage. Without a
browser: what 20 tabs on a running session cost the server, and how long the core takes to open a
session of 5,000 events. Prints medians with the slowest, and keeps them (`results.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record
from benchmarks.tabs import opened, processor_s
from research_core.journal import store
from research_core.journal.events import Draft, json_in_order
from research_core.journal.store import EventRow, Store
from research_core.pipeline import report
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, runner, snapshot
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.e2e.conftest import process, until_settled
from tests.sample_sessions import ANSWERED, crowded

CHROMIUM = {"executable_path": "/usr/bin/chromium", "args": ["--no-sandbox", "--disable-gpu"]}
#: Starts at the next key press or click; says when the words or children of each target changed
#: first, in ms.
WATCH = """
(targets) => {
  const seen = {}; let start = null;
  window.painted = () => { if (start !== null) seen.table ??= performance.now() - start; };
  const begin = () => { start ??= performance.now(); };
  for (const kind of ["keydown", "click"]) document.addEventListener(kind, begin, {capture: true, once: true});
  const observer = new MutationObserver(records => {
    if (start === null) return;
    for (const record of records) {
      const node = record.target.nodeType === 1 ? record.target : record.target.parentElement;
      const added = [...record.addedNodes].filter(one => one.nodeType === 1);
      for (const [name, selector] of Object.entries(targets))
        if (node?.closest(selector) || added.some(one => one.matches(selector) || one.querySelector(selector)))
          seen[name] ??= performance.now() - start;
    }
  });
  observer.observe(document.body, {childList: true, characterData: true, subtree: true});
  window.watched = async (ms) => { await new Promise(done => setTimeout(done, ms)); observer.disconnect(); return seen; };
}
"""
#: The table is painted on a canvas, and what it says to screen readers follows later; so its
#: painting is listened to.
PAINTS = """
const paint = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (...all) { window.painted?.(); return paint.apply(this, all); };
"""
ON_SOURCES = {
    "figures": ".outcome",
    "chart": "[data-testid=stPlotlyChart]",
    "lists": "section.effect",
}
ON_REPORT = {"passage": "section.evidence"}  # not the bar above it, which answers at once


def watched(page: Page, targets: dict[str, str], act: Any) -> dict[str, float]:
    page.evaluate(WATCH, targets)
    act()
    return dict(page.evaluate("watched(1500)"))


def in_browser(address: str, session: str, turns: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    with sync_playwright() as playwright, playwright.chromium.launch(**CHROMIUM) as browser:  # type: ignore[arg-type]
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(PAINTS)
        page.goto(f"{address}/sources?session={session}")
        until_settled(page)
        page.wait_for_timeout(2000)
        slider = page.get_by_role("slider", name="Minimum credibility")
        slider.focus()
        for turn in range(turns):
            key = "PageUp" if turn % 4 < 2 else "PageDown"
            found = watched(page, ON_SOURCES, partial(page.keyboard.press, key))
            for name, ms in found.items():
                times.setdefault(name, []).append(ms)
        page.goto(f"{address}/report?session={session}")
        until_settled(page)
        page.wait_for_timeout(2000)
        citations = page.locator("a.cite")
        for turn in range(turns):
            found = watched(page, ON_REPORT, citations.nth(2 + turn * 3).click)
            times.setdefault("passage", []).append(found["passage"])
    return times


@contextmanager
def running(resources: Resources, model: str) -> Iterator[str]:
    """A session that runs: a copy of a session up to its gate, whose log grows by an event a
    second.
    """
    session, executor = (
        runner.new_session(resources, ANSWERED, RunSettings(mode="deep")),
        heartbeats.make_executor_id(),
    )
    epoch = store.take_session(resources.db, LOCAL_USER, session, executor, resources.clock.now())
    heartbeats.record_beat(resources.db, executor, resources.clock.now())
    events = [
        event
        for event in Store(resources.db, LOCAL_USER, model).read()
        if event.kind in ("created", "planned", "searched", "found")
    ]
    copy = Store(resources.db, LOCAL_USER, session, epoch)
    copy.append(
        [EventRow(event.kind, json_in_order(event.data), event.key) for event in events],
        {},
        resources.clock.now(),
    )
    log, ended = open_log(resources, LOCAL_USER, session, epoch=epoch), threading.Event()
    urls = iter(dict.fromkeys(event.data["url"] for event in events if event.kind == "found"))

    def grow() -> None:
        while not ended.wait(1.0):
            heartbeats.record_beat(resources.db, executor, resources.clock.now())
            url = next(urls)
            log.append(Draft("admitted", {"url": url}, url), Draft("fetch", {"url": url}, url))

    thread = threading.Thread(target=grow, daemon=True)
    thread.start()
    try:
        yield session
    finally:
        ended.set()
        thread.join()


def under_tabs(address: str, pid: int, session: str, count: int, seconds: float) -> dict[str, Any]:
    asyncio.run(opened(1, address, "live", f"session={session}", 2.0))  # what is worked out once

    async def measured() -> Any:
        tabs = asyncio.create_task(opened(count, address, "live", f"session={session}", seconds))
        await asyncio.sleep(4.0)  # opening them is another matter
        before = (time.monotonic(), processor_s(pid))
        await asyncio.sleep(seconds - 4.0)
        share = (processor_s(pid) - before[1]) / (time.monotonic() - before[0])
        return share, await tabs

    share, tabs = asyncio.run(measured())
    waited = [wait for tab in tabs for wait in tab.waited]
    return {
        "tabs": count,
        "share_of_a_core": round(share, 3),
        "reruns_a_second": round(len(waited) / seconds, 1),
        "round_trip_ms": median(waited),
    }


def opening(resources: Resources) -> dict[str, Any]:
    session = crowded(resources, 2800, read=330, sentences=120)
    log = Store(resources.db, LOCAL_USER, session)
    count, times, whole = len(log.read()), [], []
    for _ in range(7):
        begun = time.perf_counter()
        shown = snapshot.read_session(resources, session)
        times.append(time.perf_counter() - begun)
        len(shown.sources)
        report.build(shown.run)
        whole.append(time.perf_counter() - begun)
    return {"events": count, "read_ms": median(times), "with_sources_and_report_ms": median(whole)}


def median(seconds: list[float]) -> int | None:
    return round(statistics.median(seconds) * 1000) if seconds else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--tabs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=24.0)
    asked = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(Settings.from_env({"ASSAY_HOME": f"{folder}/home"}))
        session = crowded(resources)
        figures["opening"] = opening(resources)
        with process(Path(folder), ASSAY_WORKER_ONLY="1") as (address, server):
            for name, times in in_browser(address, session, asked.turns).items():
                figures[f"{name}_ms"] = {
                    "median": round(statistics.median(times)),
                    "most": round(max(times)),
                    "of": len(times),
                }
            for size in (60, 500):
                with running(resources, crowded(resources, size)) as under_way:
                    figures[f"tabs_{size}_sources"] = under_tabs(
                        address, server.pid, under_way, asked.tabs, asked.seconds
                    )
        resources.close()
    figures["load_of_the_machine"] = round(os.getloadavg()[0], 1)
    for name, figure in figures.items():
        print(f"{name:24} {figure}")
    record("screens", figures)


if __name__ == "__main__":
    main()
