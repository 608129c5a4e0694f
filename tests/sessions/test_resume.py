"""`kill -9` at random moments, then another process: nothing recorded is asked for again, and the
report is the one the log gives.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.everyday import mark_first_everyday
from tests.kills import kill_once

ROOT = Path(__file__).parents[2]

#: Other moments in every run, the same in all of its processes; the seed is the test's id. Put one
#: here to see its kill again.
SEED = random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID") or time.time_ns()).randrange(10**6)


@pytest.mark.parametrize("seed", mark_first_everyday(range(SEED, SEED + 5)))
def test_a_killed_run_goes_on_where_its_log_ends(seed: int, tmp_path: Path) -> None:
    story = kill_once(tmp_path, random.Random(seed))
    assert story.faults() == [], f"seed {seed}: {story}"


@pytest.mark.full
@pytest.mark.parametrize("seed", range(SEED, SEED + 2))
def test_a_killed_worker_is_replaced_by_the_next_without_a_word(seed: int, tmp_path: Path) -> None:
    story = kill_once(tmp_path, random.Random(seed), way="worker", mode="quick")
    assert story.faults() == [], f"seed {seed}: {story}"


@pytest.mark.full
@pytest.mark.parametrize("seed", range(SEED, SEED + 3))
def test_a_killed_exhaustive_run_goes_on_in_the_round_it_was_in(seed: int, tmp_path: Path) -> None:
    story = kill_once(tmp_path, random.Random(seed), mode="exhaustive")
    assert story.faults() == [], f"seed {seed}: {story}"


def assay(home: Path, *words: str) -> subprocess.Popen[str]:
    env = {**os.environ, "ASSAY_HOME": str(home)}
    command = [sys.executable, "-m", "research_core", *words]
    return subprocess.Popen(
        command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=110)
    assert process.returncode == 0, err
    return out, err


@pytest.mark.full
def test_the_command_line_goes_on_with_a_session_that_was_killed(tmp_path: Path) -> None:
    asked = assay(
        tmp_path,
        "ask",
        "What do most couples dance to first at their wedding?",
        "--library",
        "sample",
        "--no-web",
    )
    assert asked.stderr is not None
    session = next(line for line in asked.stderr if line.startswith("Session ")).split()[1]
    log = open_log(Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)})), LOCAL_USER, session)
    while len(log.read(kinds=("call",))) < 3:
        assert asked.poll() is None
        time.sleep(0.01)
    asked.kill()
    asked.communicate()
    recorded = {event.key for event in log.read(kinds=("call",))}
    report, _ = finished(assay(tmp_path, "resume", session))
    assert report.startswith("# What do most couples")
    assert recorded < {event.key for event in log.read(kinds=("call",))}
    assert log.read(kinds=("report",))
    again, said = finished(assay(tmp_path, "replay", session))
    assert again == report
    assert "The replayed report is identical.\n" in said
