"""Measure what a `kill -9` costs.

    python benchmarks/kills.py [--kills N] [--seed N]

Needs the extra `dev` and no data. Runs are killed at random moments and resumed in another process:
by `assay ask` and `assay resume`, and by workers that take sessions from the queue. A local server
counts every call and answers after 50 to 100 ms. The processes start with everything imported,
which otherwise takes another two seconds. Prints one line per kill, then records medians. Exits
with 1 if a recorded call is made again or a report differs from its replay.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.results import record
from tests.kills import Story, kill_once

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


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--kills", type=int, default=20, help="kills in each of the two ways")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}")
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
