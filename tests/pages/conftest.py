"""The resources behind the screens, with two real sessions in them.

The sessions are researched once, on the sample library.
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
from tests.sample_sessions import ANSWERED, UNANSWERED, SampleSessions, research


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
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home), "ASSAY_SEMANTIC": "0"}))
    resources.library(LOCAL_USER).prepare(SAMPLE_LIBRARY)
    resources.close()
    return home


@pytest.fixture(scope="session")
def researched(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A home with the answered and the unanswered session, which tests copy."""
    home = tmp_path_factory.mktemp("researched")
    shutil.copytree(prepared, home, dirs_exist_ok=True)
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home), "ASSAY_SEMANTIC": "0"}))
    sessions = (research(resources, ANSWERED), research(resources, UNANSWERED))
    resources.close()
    return home, *sessions


@pytest.fixture
def resources(
    prepared: Path, assay_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Resources]:
    """The resources the screens use, over a home without sessions. No engine does research."""
    monkeypatch.setenv("ASSAY_WORKER_ONLY", "1")
    shutil.copytree(prepared, assay_home)
    default_resources.cache_clear()
    st.cache_data.clear()
    yield default_resources()
    default_resources().db.engine.dispose()
    default_resources.cache_clear()


@pytest.fixture
def engine(resources: Resources) -> Iterator[WorkerEngine]:
    """The engine of this process, which only puts sessions into the queue."""
    running = workers.get_engine(resources)
    yield running
    running.stop()


@pytest.fixture
def samples(
    researched: tuple[Path, str, str], assay_home: Path, resources: Resources
) -> SampleSessions:
    """The resources the screens use, with the two sessions in them."""
    home, answered, unanswered = researched
    shutil.copytree(home, assay_home, dirs_exist_ok=True)
    return SampleSessions(resources, answered, unanswered)
