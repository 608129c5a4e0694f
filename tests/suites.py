"""Which tests run every day, which with `--full` only, and how several workers share them.

`tests/conftest.py` calls this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

#: Examples that hypothesis tries of each property.
EVERYDAY_EXAMPLES = 30
FULL_EXAMPLES = 200

#: Worker processes if whole folders are run. Every day one more than a small machine has
#: processors, because tests wait for a third of their time. With `--full` two, because its many
#: browser tests keep two processors busy: one for the browser, one for the server.
EVERYDAY_WORKERS = 3
FULL_WORKERS = 2

#: What the tests of a file are that run with `--full` only, by the start of its path; the first
#: start that fits counts.
KINDS = {
    "tests/e2e/": "browser journeys",
    "tests/pages/": "pages",
    "tests/sessions/test_hammer": "load",
    "tests/test_quiet_exit": "kill loops",
    "tests/sessions/test_resume": "kill loops",
    "tests/sessions/test_workers": "kill loops",
    "tests/pipeline/test_redirects": "slow pages",
    "tests/web/fetch/test_browser": "slow pages",
    "tests/interfaces/cli/test_commands": "processes",
    "tests/test_optional_programs": "processes",
    "tests/interfaces/mcp/test_server": "processes",
}
OTHER_KIND = "further cases"


def kind(path: str, given: str = "") -> str:
    """Return what a test of the full suite is: what its marker says, else what its file is about."""
    if given:
        return given
    for start, name in KINDS.items():
        if path.startswith(start):
            return name
    return OTHER_KIND


def is_named(nodeid: str, arguments: Iterable[str]) -> bool:
    """Tell whether the command line names this very test, alone or with all its parameters."""
    names = [argument.removeprefix("./") for argument in arguments if "::" in argument]
    return any(nodeid == name or nodeid.startswith((f"{name}[", f"{name}::")) for name in names)


def leave_out_full_tests(items: list[pytest.Item], arguments: Iterable[str]) -> list[pytest.Item]:
    """Take the tests marked `full` out of the list, but for those named on the command line. Return
    what was taken out.
    """
    arguments = list(arguments)
    left_out = []
    kept = []
    for item in items:
        full = item.get_closest_marker("full") is not None
        if full and not is_named(item.nodeid, arguments):
            left_out.append(item)
        else:
            kept.append(item)
    items[:] = kept
    return left_out


def count_kinds(items: Iterable[pytest.Item]) -> dict[str, int]:
    """Return how many tests there are of each kind."""
    counts: Counter[str] = Counter()
    for item in items:
        marker = item.get_closest_marker("full")
        given = str(marker.args[0]) if marker and marker.args else ""
        counts[kind(item.nodeid, given)] += 1
    return dict(counts)


def closing_line(counts: Mapping[str, int]) -> str:
    """Say what `--full` would have added to this run."""
    total = sum(counts.values())
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    kinds = ", ".join(f"{name} {count:,}" for name, count in ordered)
    noun = "test" if total == 1 else "tests"
    examples = f"{FULL_EXAMPLES} examples of each property instead of {EVERYDAY_EXAMPLES}"
    return f"everyday suite; --full adds {total:,} {noun} ({kinds}) and tries {examples}"


# ---------------------------------------------------------------- workers


def worker_count(arguments: Iterable[str], root: Path, *, full: bool) -> int:
    """Return how many workers to start: none where only files or single tests are named, as each
    worker collects all of them.
    """
    folders = [argument for argument in arguments if (root / argument).is_dir()]
    if not folders:
        return 0
    return FULL_WORKERS if full else EVERYDAY_WORKERS


def unit_of(nodeid: str) -> str:
    """Return the unit of work a test belongs to: its file, or all browser tests together."""
    if nodeid.startswith("tests/e2e/"):
        return "tests/e2e/"
    return nodeid.partition("::")[0]


def put_long_units_first(items: list[pytest.Item]) -> None:
    """Sort the tests so that no long unit is left for the end: the browser tests, files with slow
    tests, files with many tests.
    """
    sizes = Counter(unit_of(item.nodeid) for item in items)
    slow = Counter(unit_of(item.nodeid) for item in items if item.get_closest_marker("full"))

    def rank(item: pytest.Item) -> tuple[bool, bool, int, str]:
        unit = unit_of(item.nodeid)
        return unit != "tests/e2e/", slow[unit] == 0, -sizes[unit], unit

    items.sort(key=rank)


class UnitScheduling(LoadScopeScheduling):
    """Hands out whole units, in the order in which they were collected.

    The tests of a file share its fixtures, and browser tests run one at a time: a browser and its
    server want a processor each.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
