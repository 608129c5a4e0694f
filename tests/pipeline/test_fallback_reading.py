"""Whole runs in a world where many pages come from the archive, a browser or Exa.

They give the same bytes in a replay on a machine with none of them, and after a crash, with no call
made twice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest

from research_core.errors import FetchError, Stopped
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.pipeline import report
from research_core.pipeline.run import research
from research_core.policy import RunSettings
from research_core.web.fetch.archive import AVAILABILITY_API
from tests.everyday import mark_first_everyday
from tests.readers import SHELL
from tests.world import QUESTION, Place, World

RUN = RunSettings(
    mode="deep", engines=("north", "south"), model="world", fallbacks=("archive", "exa")
)
HTML = {"content-type": "text/html"}


class Elsewhere(World):
    """A world in which a page answers, is gone and archived, is drawn by its scripts, refuses and
    is sold by Exa, or is lost.
    """

    crash_at = 0

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        asked = (
            options["params"]["url"]
            if url == AVAILABILITY_API
            else options["json"]["urls"][0]
            if method == "POST"
            else url
        )
        self.answer(f"{method} {url} {asked}")
        if 0 < self.crash_at <= len(self.made):
            raise Stopped("shutdown")
        if url == AVAILABILITY_API:
            kept = {
                "closest": {
                    "available": True,
                    "status": "200",
                    "timestamp": "20240501120000",
                    "url": asked,
                }
            }
            return HttpReply(
                url,
                200,
                {},
                json.dumps(
                    {"archived_snapshots": kept if self.fate(asked) == "archived" else {}}
                ).encode(),
            )
        if method == "POST":
            sold = {
                "id": asked,
                "url": asked,
                "title": "Sold",
                "text": "\n\n".join(self.sentence(asked, n) for n in range(8)),
            }
            told = {
                "results": [sold],
                "statuses": [{"id": asked, "status": "success", "source": "crawled"}],
                "costDollars": {"total": 0.001},
            }
            return HttpReply(url, 200, {}, json.dumps(told).encode())
        if url.startswith("https://web.archive.org/"):
            return HttpReply(url, 200, HTML, self.page(unquote(url)).encode())
        return FATES[self.fate(url)](self, url)

    def fate(self, url: str) -> str:
        return list(FATES)[int(self.chance("fate", url) * len(FATES))]

    def render(
        self, url: str, *, stable_s: float, timeout_s: float, go_on: Callable[[], None]
    ) -> Json:
        self.answer(f"draw {url}")
        return {
            "url": url,
            "status": 200,
            "headers": HTML,
            "html": self.page(url),
            "requests": {"sent": 1, "refused": 0},
        }


def unreachable(_world: World, _url: str) -> HttpReply:
    raise FetchError("No connection.", kind="bad_reply", public=True)


FATES: dict[str, Callable[[Elsewhere, str], HttpReply]] = {
    "read": lambda world, url: HttpReply(url, 200, HTML, world.page(url).encode()),
    "archived": lambda _, url: HttpReply(url, 404, HTML, b"gone"),
    "drawn": lambda _, url: HttpReply(url, 200, HTML, SHELL.encode()),
    "sold": lambda _, url: HttpReply(url, 403, HTML, b"no"),
    "lost": unreachable,
}


def run(
    place: Place,
    world: Elsewhere,
    settings: RunSettings,
    *,
    browser: bool = True,
    readonly: bool = False,
) -> str:
    log = place.log("s", readonly=readonly)
    with place.deps(world, log, settings) as deps:
        text = report.to_markdown(
            research(QUESTION, replace(deps, browser=world if browser else None))
        )
    assert log.differences == []
    return text


def tiers(place: Place) -> set[str]:
    """The tiers that gave a page, and those that were tried in vain."""
    fetched = [event.data for event in place.log("s").read(kinds=("fetched",))]
    return {
        f"{row['tier']}{':' if row['outcome'] else ''}{row['outcome']}"
        for data in fetched
        for row in data.get("attempts", ())
    }


@pytest.mark.full
@pytest.mark.parametrize("strategy", ["planned", "agentic"])
@pytest.mark.parametrize("seed", mark_first_everyday([1, 2]))
def test_a_run_that_read_elsewhere_is_replayed_where_there_is_nothing(
    place: Place, strategy: str, seed: int
) -> None:
    settings = replace(RUN, strategy=strategy)
    place.session("s", settings)
    text = run(place, Elsewhere(seed, 0.02, random.Random(1)), settings)
    met = {
        "archive",
        "browser",
        "exa:crawled",
        "html:HTTP 404",
        "html:no text",
        "html:HTTP 403",
    } & tiers(place)
    assert len(met) >= (6 if strategy == "planned" else 3), (
        met
    )  # the model that drives reads fewer pages
    idle = Elsewhere(seed, 0.01, random.Random(2))
    assert run(place, idle, settings, browser=False, readonly=True) == text
    assert idle.made == []


@pytest.mark.full
def test_a_run_without_a_browser_is_replayed_where_there_is_one(place: Place) -> None:
    place.session("s", RUN)
    text = run(place, Elsewhere(1, 0.02, random.Random(1)), RUN, browser=False)
    assert {"browser:not installed", "exa:crawled"} <= tiers(
        place
    )  # what cannot be drawn is bought
    idle = Elsewhere(1, 0.01, random.Random(2))
    assert run(place, idle, RUN, browser=True, readonly=True) == text
    assert idle.made == []


def count_outside_calls(place: Place) -> int:
    """Count the recorded calls, without facts about this machine."""
    calls = place.log("s").read(kinds=("call",))
    return sum(call.data["kind"] != "fact" for call in calls)


@pytest.mark.full
@pytest.mark.parametrize("crash_at", mark_first_everyday([20, 12, 30]))
def test_a_run_that_crashed_goes_on_without_asking_twice(place: Place, crash_at: int) -> None:
    first, second = Elsewhere(1, 0.02, random.Random(1)), Elsewhere(1, 0.02, random.Random(2))
    first.crash_at = crash_at
    place.session("s", RUN)
    with pytest.raises(Stopped):
        run(place, first, RUN)
    before = count_outside_calls(place)
    text = run(place, second, RUN)
    assert len(second.made) == count_outside_calls(place) - before > 0
    assert run(place, Elsewhere(1), RUN, readonly=True) == text


def test_pages_are_counted_and_labelled_in_the_report(place: Place) -> None:
    place.session("s", RUN)
    text = run(place, Elsewhere(1, 0.02, random.Random(1)), RUN)
    assert (
        ", read from [an archived copy of 2024-05-01](https://web.archive.org/web/20240501120000/https://site"
        in text
    )
    assert " of it for pages read by Exa; " in text
