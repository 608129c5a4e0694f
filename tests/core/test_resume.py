"""`kill -9` at random moments, then another process: nothing recorded is asked for again, and the report is the one the log gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.kills import kill_once

#: Other moments in every run; the seed is the test's id. Put one here to see its kill again.
SEED = random.SystemRandom().randrange(10**6)


@pytest.mark.parametrize("seed", range(SEED, SEED + 5))
def test_a_killed_run_goes_on_where_its_log_ends(seed: int, tmp_path: Path) -> None:
    story = kill_once(tmp_path, random.Random(seed))
    assert story.faults() == [], f"seed {seed}: {story}"


@pytest.mark.parametrize("seed", range(SEED, SEED + 2))
def test_a_killed_worker_is_replaced_by_the_next_without_a_word(seed: int, tmp_path: Path) -> None:
    story = kill_once(tmp_path, random.Random(seed), way="worker")
    assert story.faults() == [], f"seed {seed}: {story}"
