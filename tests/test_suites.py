"""The rules of `tests/suites.py`: what runs every day, what is said about the rest, and how two
workers share the tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.suites import (
    closing_line,
    is_named,
    kind,
    leave_out_full_tests,
    put_long_units_first,
    unit_of,
    worker_count,
)

ROOT = Path(__file__).parents[1]


class Item:
    """What the rules ask of a collected test."""

    def __init__(self, nodeid: str, full: bool = False) -> None:
        self.nodeid = nodeid
        self.full = full

    def get_closest_marker(self, name: str) -> object:
        return pytest.mark.full if name == "full" and self.full else None


def nodeids(items: Iterable[Item]) -> list[str]:
    return [item.nodeid for item in items]


def test_full_tests_are_left_out_unless_they_are_named() -> None:
    path = "tests/core/test_x.py"
    items = [
        Item(f"{path}::test_a"),
        Item(f"{path}::test_b[1]", full=True),
        Item(f"{path}::test_c", full=True),
    ]
    left_out = leave_out_full_tests(items, [path, f"./{path}::test_b"])
    assert nodeids(items) == [f"{path}::test_a", f"{path}::test_b[1]"]
    assert nodeids(left_out) == [f"{path}::test_c"]


@pytest.mark.parametrize(
    ("argument", "named"),
    [
        ("tests/a.py::test_x", True),
        ("tests/a.py::test_x[1]", True),
        ("tests/a.py::test_x[10]", False),
        ("tests/a.py::test", False),
        ("tests/a.py", False),
        ("tests", False),
    ],
)
def test_a_test_is_named_by_its_own_name_only(argument: str, named: bool) -> None:
    assert is_named("tests/a.py::test_x[1]", [argument]) is named


def test_the_kind_is_the_marker_s_word_or_the_file_s_subject() -> None:
    assert kind("tests/e2e/test_path.py::test_a") == "browser journeys"
    assert kind("tests/sessions/test_hammer.py::test_a") == "load"
    assert kind("tests/test_urls.py::test_a") == "further cases"
    assert kind("tests/test_urls.py::test_a", "kill loops") == "kill loops"


def test_the_closing_line_counts_the_most_frequent_kind_first() -> None:
    line = closing_line({"load": 1, "browser journeys": 1234})
    assert line.startswith(
        "everyday suite; --full adds 1,235 tests (browser journeys 1,234, load 1) and tries 200 examples"
    )
    assert "--full adds 1 test (load 1)" in closing_line({"load": 1})


def test_workers_are_started_for_folders_only() -> None:
    assert worker_count(["tests"], ROOT, full=False) == 3
    assert worker_count(["tests"], ROOT, full=True) == 2
    assert worker_count(["tests/test_urls.py", "tests/pages"], ROOT, full=False) == 3
    assert worker_count(["tests/test_urls.py"], ROOT, full=True) == 0
    assert worker_count(["tests/test_urls.py::test_a"], ROOT, full=False) == 0


def test_browser_tests_are_one_unit_and_come_first_then_files_with_slow_tests_then_large_files() -> (
    None
):
    small, large, slow, browser = (
        "tests/core/test_s.py",
        "tests/core/test_l.py",
        "tests/core/test_h.py",
        "tests/e2e/test_p.py",
    )
    items = [
        Item(f"{small}::a"),
        Item(f"{large}::a"),
        Item(f"{large}::b"),
        Item(f"{slow}::a", full=True),
        Item(f"{browser}::a"),
    ]
    put_long_units_first(items)
    assert nodeids(items) == [
        f"{browser}::a",
        f"{slow}::a",
        f"{large}::a",
        f"{large}::b",
        f"{small}::a",
    ]
    assert unit_of("tests/e2e/test_p.py::a") == unit_of("tests/e2e/test_q.py::b")
    assert unit_of(f"{large}::a[x::y]") == large


PROCESSES = pytest.mark.full("processes")
FULL_TEST = "tests/test_suites.py::test_that_runs_with_full_only"


@pytest.mark.full("examples of the suite")
def test_that_runs_with_full_only() -> None:
    """Be what the next test looks for."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "chosen", "said"),
    [
        (
            ["tests/test_suites.py", "-n", "1"],
            False,
            "--full adds 1 test (examples of the suite 1)",
        ),
        pytest.param(
            ["tests/test_suites.py"],
            False,
            "--full adds 1 test (examples of the suite 1)",
            marks=PROCESSES,
        ),
        pytest.param(["tests/test_suites.py", "--full"], True, None, marks=PROCESSES),
        pytest.param([FULL_TEST], True, None, marks=PROCESSES),
    ],
    ids=["everyday in a worker", "everyday", "full", "named"],
)
def test_pytest_chooses_by_the_marker_and_says_what_it_left_out(
    words: list[str], chosen: bool, said: str | None
) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        "-k",
        "full_only or closing_line",
        *words,
    ]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert (
        bool(
            re.search(
                "test_that_runs_with_full_only.*PASSED|PASSED.*test_that_runs_with_full_only",
                result.stdout,
            )
        )
        is chosen
    )
    assert ("everyday suite" in result.stdout) is (said is not None)
    assert (said or "") in result.stdout
