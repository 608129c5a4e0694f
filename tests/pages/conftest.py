"""The office behind the screens, and two real sessions in it, researched once on the sample
library.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from research_core.policy import SAMPLE_LIBRARY
from research_core.sessions import workers
from research_core.sessions.workers import WorkerEngine
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, default_resources
from tests.desks import ANSWERED, UNANSWERED, Desk, research


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """AppTest leaves the page it ran as this process's main module, which every process started
    later would then run first.
    """
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home without sessions, which tests copy: to make its database and sample library takes
    longer than most of them.
    """
    home = tmp_path_factory.mktemp("prepared")
    office = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))
    office.library(LOCAL_USER).prepare(SAMPLE_LIBRARY)
    office.close()
    return home


@pytest.fixture(scope="session")
def researched(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A home with the answered and the unanswered session, which tests copy."""
    home = tmp_path_factory.mktemp("researched")
    shutil.copytree(prepared, home, dirs_exist_ok=True)
    office = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))
    sessions = (research(office, ANSWERED), research(office, UNANSWERED))
    office.close()
    return home, *sessions


@pytest.fixture
def office(
    prepared: Path, assay_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Resources]:
    """The office the screens use, over a home without sessions. No engine of it does research."""
    monkeypatch.setenv("ASSAY_WORKER_ONLY", "1")
    shutil.copytree(prepared, assay_home)
    default_resources.cache_clear()
    st.cache_data.clear()
    yield default_resources()
    default_resources().db.engine.dispose()
    default_resources.cache_clear()


@pytest.fixture
def engine(office: Resources) -> Iterator[WorkerEngine]:
    """The engine of this process, which only puts sessions into the queue."""
    running = workers.get_engine(office)
    yield running
    running.stop()


@pytest.fixture
def desk(researched: tuple[Path, str, str], assay_home: Path, office: Resources) -> Desk:
    """The office the screens use, with the two sessions in it."""
    home, answered, unanswered = researched
    shutil.copytree(home, assay_home, dirs_exist_ok=True)
    return Desk(office, answered, unanswered)
