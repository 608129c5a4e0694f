"""`kill -9` at a random moment of a run, then the resume in another process: what was asked of the world, and what came of it.

`kill_once` is one such story; `Story.faults` says what must not be in it. Five of them are tests, twenty a benchmark.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from research_core.replay import replay
from research_core.wiring import LOCAL, open_log
from tests.served import ServedOffice, Server, attempt, new_session, office, process, serving

#: From the last byte of an answer to its being in the log, in seconds; on a busy machine.
RECORDING_S = 0.25


@dataclass(frozen=True)
class Story:
    """One kill. asked: requests in all, before the kill; recorded: those in the log then; again: what the resume asked for.

    repeated: what was asked twice, with the seconds from its answer to the kill (negative or None: it was not yet answered).
    """

    at: int
    calls: int
    asked: int
    recorded: int
    again: tuple[str, ...]
    repeated: dict[str, float | None]
    resumed_s: float
    finished_s: float
    same_as_replay: bool
    same_as_undisturbed: bool

    def faults(self) -> list[str]:
        twice = [what for what, times in Counter(self.again).items() if times > 1]
        late = {what: seconds for what, seconds in self.repeated.items() if seconds is not None and seconds > RECORDING_S}
        missing = self.calls - self.recorded
        found = {
            "nothing was recorded at the kill": self.recorded == 0,
            "everything was recorded at the kill": missing == 0,
            f"{len(self.again)} calls after the kill, where {missing} were missing": len(self.again) != missing,
            f"made twice after the kill: {twice}": bool(twice),
            f"answered and made again: {late}": bool(late),
            "the replay gives another report": not self.same_as_replay,
            "an undisturbed run writes another text": not self.same_as_undisturbed,
        }
        return [fault for fault, there in found.items() if there]


def undisturbed(home: Path, seed: int, mode: str, database_url: str = "") -> tuple[int, str]:
    """How many calls a run makes that nobody kills, and the text it writes."""
    with serving(seed=seed, low=0.0, high=0.0) as server:
        place = office(home, server.port, database_url)
        session = new_session(place, mode)
        assert attempt(place, session).outcome == "done"
        text = written(place, session)
        place.db.close()
        return len(server.calls), text


def written(place: ServedOffice, session: str) -> str:
    log = open_log(place, LOCAL, session)
    return str(log.open(log.read(kinds=("written",))[-1].data["text"]))


def kill_once(home: Path, chance: random.Random, mode: str = "standard", database_url: str = "") -> Story:
    """Run, kill at a moment that `chance` names, resume in another process, replay."""
    seed = chance.randrange(1000)
    calls, text = undisturbed(home, seed, mode, database_url)
    at, jitter = chance.randint(3, calls - 2), chance.random() * 0.06
    with serving(seed=seed) as server:
        place = office(home, server.port, database_url)
        session = new_session(place, mode)
        killed = _run_until_killed(server, place, session, at, jitter)
        before = list(server.calls)
        recorded = len(open_log(place, LOCAL, session).calls())
        began = time.monotonic()
        resumed = process(attempt, replace(place), session)
        resumed.join(30)
        finished_s = time.monotonic() - began
        assert resumed.exitcode == 0, f"the resumed process ended with {resumed.exitcode}"
        after = server.calls[len(before) :]
        again = tuple(call.what for call in after)
        repeated = {call.what: killed - call.answered if call.answered else None for call in before if call.what in again}
        replayed = replay(place, LOCAL, session)
        same = replayed.same and not replayed.differences
        story = Story(
            at, calls, len(before), recorded, again, repeated, after[0].asked - began, finished_s, same, written(place, session) == text
        )
        place.db.close()
        return story


def _run_until_killed(server: Server, place: ServedOffice, session: str, at: int, jitter: float) -> float:
    """The time of the kill: a moment after the request of that number came in."""
    moment = []

    def kill() -> None:
        time.sleep(jitter)
        moment.append(time.monotonic())
        running.kill()

    server.at[at] = kill
    running = process(attempt, replace(place), session)
    running.join(30)
    assert running.exitcode == -9, f"the process ended with {running.exitcode} before it was killed"
    return float(moment[0])
