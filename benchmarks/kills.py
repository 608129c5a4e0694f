"""What a `kill -9` costs: `python benchmarks/kills.py [--kills N] [--seed N]`.

Runs are killed at random moments and gone on with in another process, once as `assay ask` and
`assay resume` do it and once by workers that take sessions from the queue. Every call is counted at
a local server; each answers after 50 to 100 ms. The processes start with everything imported, which
takes another two seconds from cold. One line per kill, then medians; a recorded call that is made
again, or a report that is not the replay's, ends the program with exit code 1.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record
from tests.kills import Story, kill_once

MODES = ("quick", "standard", "deep")


def told(way: str, mode: str, story: Story) -> str:
    return (
        f"{way:8} {mode:9} {story.at:4d} {story.recorded:9d} {story.calls:6d} {len(story.again):6d}"
        f" {len(story.repeated):9d} {story.resumed_s:10.2f} {story.finished_s:9.2f} "
        f" {'; '.join(story.faults()) or 'same report'}"
    )


def figures(stories: list[Story]) -> dict[str, Any]:
    repeats = [len(story.repeated) for story in stories]
    return {
        "kills": len(stories),
        "recorded_calls_made_again": sum(
            len(story.again) - (story.calls - story.recorded) for story in stories
        ),
        "repeats_mean": round(statistics.mean(repeats), 1),
        "repeats_most": max(repeats),
        "same_reports": sum(
            story.same_as_replay and story.same_as_undisturbed for story in stories
        ),
        "resumed_s": round(statistics.median(story.resumed_s for story in stories), 2),
        "finished_s": round(statistics.median(story.finished_s for story in stories), 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    print(
        f"{'way':8} {'mode':9} {'kill':>4} {'recorded':>9} {'calls':>6} {'again':>6}"
        f" {'repeated':>9} {'resumed s':>10} {'report s':>9}"
    )
    found: dict[str, Any] = {}
    faults = 0
    for way in ("command", "worker"):
        chance, stories = random.Random(asked.seed), []
        for number in range(asked.kills):
            with tempfile.TemporaryDirectory() as folder:
                story = kill_once(Path(folder), chance, way, MODES[number % 3])
            print(told(way, MODES[number % 3], story), flush=True)
            stories.append(story)
        faults += sum(len(story.faults()) for story in stories)
        found[way] = figures(stories)
        print(f"{way}: {found[way]}")
    record("kills", found)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
