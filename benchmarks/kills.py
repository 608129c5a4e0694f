"""Measure what a `kill -9` costs.

    python benchmarks/kills.py [--kills N] [--seed N]
    python benchmarks/kills.py --every SECONDS [--postgres] [--kills N] [--seed N]

Needs the extra `dev` and no data. Runs are killed at random moments and resumed in another process:
by `assay ask` and `assay resume`, and by workers that take sessions from the queue. A local server
counts every call and answers after 50 to 100 ms. The processes start with everything imported,
which otherwise takes another two seconds. Prints one line per kill, then records medians. Exits
with 1 if a recorded call is made again or a report differs from its replay.

With --every, two workers run a stream of sessions, and so often one of them, by chance, is killed
and another started, on SQLite or, with --postgres, on a PostgreSQL server of its own. Prints one
line per kill. Exits with 1 if a session is lost, if a call to the model is made again that had been
recorded, or if a report differs from its replay.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Lock
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.load import STALL_S, count_outcomes, serve_postgres
from benchmarks.results import record
from research_core.policy import RunSettings
from research_core.sessions import session_start, workers
from research_core.sessions.replay import replay_session
from research_core.wiring import LOCAL_USER, open_log
from tests.kills import Story, close_database_after, kill_once
from tests.served_world import (
    ServedModel,
    ServedResources,
    Server,
    make_resources,
    run_worker,
    start_process,
)
from tests.world import QUESTION

MODES = ("quick", "standard", "deep", "exhaustive")
HEADINGS = (
    f"{'way':8} {'mode':9} {'kill':>4} {'recorded':>9} {'calls':>6} {'again':>6}"
    f" {'repeated':>9} {'resumed s':>10} {'report s':>9}"
)


def format_kill(way: str, mode: str, story: Story) -> str:
    """Return the line of one kill below `HEADINGS`."""
    verdict = "; ".join(story.faults()) or "same report"
    return (
        f"{way:8} {mode:9} {story.at:4d} {story.recorded:9d} {story.calls:6d} {len(story.again):6d}"
        f" {len(story.repeated):9d} {story.resumed_s:10.2f} {story.finished_s:9.2f}  {verdict}"
    )


def summarise(stories: list[Story]) -> dict[str, Any]:
    """Return counts, and medians of the seconds to the first new call and to the report."""
    repeats = [len(story.repeated) for story in stories]
    made_again = 0
    same_reports = 0
    for story in stories:
        made_again += len(story.again) - (story.calls - story.recorded)
        same_reports += story.same_as_replay and story.same_as_undisturbed
    return {
        "kills": len(stories),
        "recorded_calls_made_again": made_again,
        "repeats_mean": round(statistics.mean(repeats), 1),
        "repeats_most": max(repeats),
        "same_reports": same_reports,
        "resumed_s": round(statistics.median(story.resumed_s for story in stories), 2),
        "finished_s": round(statistics.median(story.finished_s for story in stories), 2),
    }


# -- a stream of sessions --------------------------------------------------------------------------

WORKERS, UNFINISHED = 2, 6
#: Seconds of each answer in the stream, so that sessions last as long as the time between kills.
ANSWERS_S = (0.2, 0.6)
#: The cost of a call is its number times so much, so that the log says which calls it recorded.
COST_STEP = 1e-6


class NumberedServer(Server):
    """The world, with a number for each model call: its place in `asked_of_model`, from 1."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.asked_of_model: list[str] = []
        self._numbering = Lock()

    def model(self, kind: str, inputs: Mapping[str, Any]) -> tuple[int, Any]:
        status, answer = super().model(kind, inputs)
        with self._numbering:
            self.asked_of_model.append(json.dumps([kind, inputs], sort_keys=True))
            return status, {**answer, "cost": len(self.asked_of_model) * COST_STEP}


def find_paid_twice(asked: list[str], recorded: set[int]) -> list[int]:
    """Return the numbers of the calls that were made although the same one had been recorded.

    The log keeps the first of two, so the second is not recorded and no later one is. A few calls
    are the same in several sessions: one that is lost with its worker is recorded later.
    """
    known: set[str] = set()
    again: dict[str, list[int]] = {}
    for number, what in enumerate(asked, 1):
        if number in recorded:
            known.add(what)
            again.pop(what, None)
        elif what in known:
            again.setdefault(what, []).append(number)
    return sorted(number for numbers in again.values() for number in numbers)


def run_stream(
    server: Server, place: ServedResources, kills: int, every_s: float, chance: random.Random
) -> tuple[list[str], list[float]]:
    """Keep some sessions unfinished and kill workers; return the sessions and the kills' times."""
    sessions: list[str] = []
    moments: list[float] = []
    modes = ("quick", "standard")
    asking = workers.WorkerEngine(place, runs=False)
    asking.start()

    def ask(count: int) -> None:
        for _ in range(count):
            run = RunSettings(
                mode=modes[len(sessions) % 2], engines=("searxng",), model=ServedModel.name
            )
            question = f"{QUESTION} In case {len(sessions)}?"
            sessions.append(session_start.new_session(place, question, run))
            asking.enqueue(sessions[-1])

    def start() -> ForkServerProcess:
        return start_process(run_worker, replace(place), workers.WorkerPace())

    running = [start() for _ in range(WORKERS)]
    began = time.monotonic()
    while len(moments) < kills:
        ended = sum(count_outcomes(place).values())
        ask(UNFINISHED - (len(sessions) - ended))
        time.sleep(0.25)
        if time.monotonic() < began + every_s * (len(moments) + 1):
            continue
        number = chance.randrange(WORKERS)
        running[number].kill()
        running[number].join()
        moments.append(time.monotonic())
        running[number] = start()
        under_way = sum(not call.over for call in list(server.calls))
        print(
            f"{len(moments):4}{len(sessions):9}{ended:7}{len(server.calls):7}{under_way:10}"
            f"{os.getloadavg()[0]:6.1f}",
            flush=True,
        )
    until = time.monotonic() + STALL_S
    while sum(count_outcomes(place).values()) < len(sessions) and time.monotonic() < until:
        time.sleep(0.25)
    for process in running:
        process.terminate()
        process.join()
    asking.stop()
    return sessions, moments


def measure_stream(kills: int, every_s: float, seed: int, postgres: bool) -> dict[str, Any]:
    """Run the stream and return what came of it."""
    print(f"{'kill':4}{'sessions':>9}{'ended':>7}{'calls':>7}{'under way':>10}{'load':>6}")
    low, high = ANSWERS_S
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(serve_postgres(folder))[0] if postgres else ""
        server = NumberedServer(seed=seed % 1000, low=low, high=high)
        stack.callback(server.close)
        place = stack.enter_context(
            close_database_after(make_resources(folder / "home", server.port, url))
        )
        sessions, moments = run_stream(server, place, kills, every_s, random.Random(seed))
        done = count_outcomes(place).get("done", 0)
        different = 0
        recorded: set[int] = set()
        for session in sessions:
            replayed = replay_session(place, LOCAL_USER, session)
            different += not replayed.same or bool(replayed.differences)
            log = open_log(place, LOCAL_USER, session)
            for call in log.calls():
                if call.data["kind"] == "model":
                    recorded.add(round(call.data["value"]["usage"]["cost"] / COST_STEP))
        asked = server.asked_of_model
        twice = find_paid_twice(asked, recorded)
    return {
        "database": "PostgreSQL" if postgres else "SQLite",
        "kills": len(moments),
        "seconds_between": every_s,
        "sessions": len(sessions),
        "lost": len(sessions) - done,
        "model_calls": len(asked),
        "model_calls_recorded": len(recorded),
        "recorded_calls_made_again": len(twice),
        "replays_that_differ": different,
    }


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--kills", type=int, default=20, help="kills in each of the two ways")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--every", type=float, metavar="SECONDS", help="kill workers of a stream")
    parser.add_argument("--postgres", action="store_true", help="with --every: not on SQLite")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    if options.every:
        stream = measure_stream(options.kills, options.every, options.seed, options.postgres)
        print(stream)
        record(f"kills_{stream['database'].lower()}", stream)
        wrong = ("lost", "recorded_calls_made_again", "replays_that_differ")
        return 1 if any(stream[name] for name in wrong) else 0
    print(HEADINGS)
    figures: dict[str, Any] = {}
    faults = 0
    for way in ("command", "worker"):
        chance = random.Random(options.seed)
        stories = []
        for number in range(options.kills):
            mode = MODES[number % len(MODES)]
            with tempfile.TemporaryDirectory() as folder:
                story = kill_once(Path(folder), chance, way, mode)
            print(format_kill(way, mode, story), flush=True)
            stories.append(story)
            faults += len(story.faults())
        figures[way] = summarise(stories)
        print(f"{way}: {figures[way]}")
    record("kills", figures)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
