"""Measure how long a run takes when the outside answers at a fixed pace.

    python benchmarks/latency.py

Needs the extra `dev` and no data. A made-up world answers searches at once, pages in 200 ms and the
model in 500 ms; the process is warm and the strategy planned. Prints and records, by mode, medians
of five runs in seconds: paced, beside the budget; with nothing to wait for, which is Assay's own
time; and paced with new hosts only, whose robots.txt is requested first. Hosts are asked at the
default pace; the 24 pages of the world are of 9 hosts. Parsing of small real pages is included, the
network is not.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.results import record
from research_core.journal.tables import open_database
from research_core.models import HttpReply
from research_core.pipeline.run import research
from research_core.policy import RunSettings
from research_core.web.http.guard import read_target
from research_core.web.http.pacing import DELAY_S, HostPacing
from tests.world import QUESTION, Place, World

#: Measured runs of each kind; one more before them warms up.
RUNS = 5
#: Targets by mode: seconds of a paced run, model calls, and seconds of Assay's own time.
BUDGET_S = {"quick": 1.9, "standard": 2.2, "deep": 3.5}
MAX_MODEL_CALLS = {"quick": 8, "standard": 14, "deep": 24}
OWN_BUDGET_S = {"quick": 0.25}
#: Seconds until a page or the model answers.
PACE = {"GET": 0.2, "model": 0.5}


class PacedWorld(World):
    """A world that answers each kind of call after a fixed time, and never fails.

    pace: seconds by kind of call. pacing: what waits before each page.
    """

    pace: dict[str, float]
    pacing: HostPacing

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.pacing.wait_for_page(url, read_target(url).origin, self.robots, options["wait"])
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


def make_pacing(pace: dict[str, float], *, new_hosts: bool) -> HostPacing:
    """Return the pace per host. new_hosts: no robots.txt was read before."""
    pacing = HostPacing(delay_s=DELAY_S if pace else 0.0, robots=bool(pace))
    if new_hosts:
        return pacing
    for number in range(9):
        url = f"https://site{number}.example.{'org' if number % 3 else 'com'}/"
        pacing.wait_for_page(
            url,
            read_target(url).origin,
            lambda asked: HttpReply(asked, 404, {}, b""),
            lambda _: None,
        )
    return pacing


def time_run(
    place: Place, mode: str, pace: dict[str, float], name: str, seed: int, new_hosts: bool
) -> tuple[float, float, int]:
    """Return wall seconds, CPU seconds and model calls of one run."""
    run = RunSettings(mode=mode, engines=("north",), model="world")
    world = PacedWorld(seed)
    world.pace, world.pacing = pace, make_pacing(pace, new_hosts=new_hosts)
    place.session(name, run)
    with place.deps(world, place.log(name), run) as deps:
        wall, cpu = time.perf_counter(), time.process_time()
        research(QUESTION, deps)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall, cpu, sum(call.startswith("model") for call in world.made)


def measure_medians(
    place: Place, mode: str, pace: dict[str, float], label: str, *, new_hosts: bool = False
) -> dict[str, Any]:
    """Return median wall and CPU seconds, and the most model calls, of the measured runs."""
    runs = []
    for number in range(RUNS + 1):
        runs.append(time_run(place, mode, pace, f"{label}{mode}{number}", number, new_hosts))
    del runs[0]  # it warms up
    return {
        "wall_s": round(statistics.median(run[0] for run in runs), 3),
        "cpu_s": round(statistics.median(run[1] for run in runs), 3),
        "model_calls": max(run[2] for run in runs),
    }


def main() -> None:
    make_parser(__doc__).parse_args()
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
            paced = measure_medians(place, mode, PACE, "paced")
            own = measure_medians(place, mode, {}, "own")
            new = measure_medians(place, mode, PACE, "new", new_hosts=True)["wall_s"]
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
                f" {paced['model_calls']:12d} {MAX_MODEL_CALLS[mode]:5d} {own['wall_s']:7.2f}"
                f" {limit:>11} {new:12.2f}"
            )
    record("latency", figures)


if __name__ == "__main__":
    main()
