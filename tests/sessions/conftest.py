"""Fixtures of the tests of sessions: a served world without waits, and resources that use it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.served_world import ServedResources, Server, make_resources, serve_world


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_world(low=0.0, high=0.01) as server:
        yield server


@pytest.fixture
def served_place(
    tmp_path: Path, server: Server, database_with_sample: Path
) -> Iterator[ServedResources]:
    (tmp_path / "home").mkdir()
    shutil.copy(database_with_sample, tmp_path / "home" / "assay.db")
    place = make_resources(tmp_path / "home", server.port)
    yield place
    place.db.close()
