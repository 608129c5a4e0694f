"""How long a run takes when the outside answers at a fixed pace: `python benchmarks/latency.py`.

A made-up world answers searches at once, pages in 200 ms and the model in 500 ms; the process is
warm, the strategy planned. Printed are medians of five runs beside the budget of the design, then
the same with nothing to wait for, which is Assay's own time, and last the paced runs where no host
was met before, so that the robots.txt of each is asked for first. Hosts are asked at the default
pace; the 24 pages of the world are of 9 hosts. Parsing of real pages is in these figures (small
pages), the network is not.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record
from research_core.journal.tables import open_database
from research_core.models import HttpReply
from research_core.pipeline.run import research
from research_core.policy import RunSettings
from research_core.web.http.guard import read_target
from research_core.web.http.pacing import DELAY_S, Politeness
from tests.world import QUESTION, Place, World

RUNS = 5
BUDGET_S = {"quick": 1.9, "standard": 2.2, "deep": 3.5}
MOST_CALLS = {"quick": 8, "standard": 14, "deep": 24}
OWN_BUDGET_S = {"quick": 0.25}


class Paced(World):
    """A world that answers each kind of call after a fixed time, and never fails."""

    pace: dict[str, float]
    manners: Politeness

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.manners.wait_for_page(url, read_target(url).origin, self.robots, options["wait"])
        return super().send(method, url, **options)

    def robots(self, url: str) -> HttpReply:
        time.sleep(self.pace.get("GET", 0.0))
        return HttpReply(url, 404, {}, b"")

    def answer(self, name: str) -> None:
        self.made.append(name)
        time.sleep(self.pace.get(name.split()[0], 0.0))

    def chance(self, *about: object) -> float:
        failing = about[0] in ("engine fails", "dead", "alias", "model fails", "mumbles")
        return 1.0 if failing else super().chance(*about)


def polite(pace: dict[str, float], *, strangers: bool) -> Politeness:
    """strangers: no host was met before."""
    manners = Politeness(delay_s=DELAY_S if pace else 0.0, robots=bool(pace))
    for url in (
        ()
        if strangers
        else (f"https://site{n}.example.{'org' if n % 3 else 'com'}/" for n in range(9))
    ):
        manners.wait_for_page(
            url,
            read_target(url).origin,
            lambda asked: HttpReply(asked, 404, {}, b""),
            lambda _: None,
        )
    return manners


def timed(
    place: Place, mode: str, pace: dict[str, float], name: str, seed: int, strangers: bool
) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds and model calls of one run."""
    run = RunSettings(mode=mode, engines=("north",), model="world")
    world = Paced(seed)
    world.pace, world.manners = pace, polite(pace, strangers=strangers)
    place.session(name, run)
    with place.deps(world, place.log(name), run) as deps:
        wall, cpu = time.perf_counter(), time.process_time()
        research(QUESTION, deps)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall, cpu, sum(call.startswith("model") for call in world.made)


def medians(
    place: Place, mode: str, pace: dict[str, float], label: str, *, strangers: bool = False
) -> dict[str, Any]:
    runs = [timed(place, mode, pace, f"{label}{mode}{n}", n, strangers) for n in range(RUNS + 1)][
        1:
    ]  # the first warms up
    return {
        "wall_s": round(statistics.median(run[0] for run in runs), 3),
        "cpu_s": round(statistics.median(run[1] for run in runs), 3),
        "model_calls": max(run[2] for run in runs),
    }


def main() -> None:
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Place(open_database(f"sqlite:///{folder}/latency.db"), Path(folder))
        heads = {
            "wall s": 7,
            "budget": 7,
            "cpu s": 6,
            "model calls": 12,
            "most": 5,
            "own s": 7,
            "own budget": 11,
            "new hosts s": 12,
        }
        print(f"{'mode':9} {' '.join(f'{head:>{width}}' for head, width in heads.items())}")
        for mode, budget in BUDGET_S.items():
            paced = medians(place, mode, {"GET": 0.2, "model": 0.5}, "paced")
            own = medians(place, mode, {}, "own")
            new = medians(place, mode, {"GET": 0.2, "model": 0.5}, "new", strangers=True)["wall_s"]
            figures[mode] = {
                **paced,
                "budget_s": budget,
                "own_s": own["wall_s"],
                "own_cpu_s": own["cpu_s"],
                "new_hosts_s": new,
            }
            limit = f"{OWN_BUDGET_S[mode]:.2f}" if mode in OWN_BUDGET_S else "-"
            print(
                f"{mode:9} {paced['wall_s']:7.2f} {budget:7.2f} {paced['cpu_s']:6.2f}"
                f" {paced['model_calls']:12d} {MOST_CALLS[mode]:5d} {own['wall_s']:7.2f}"
                f" {limit:>11} {new:12.2f}"
            )
    record("latency", figures)


if __name__ == "__main__":
    main()
