"""The health of engines and models, as past sessions tell it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_core.journal import store
from research_core.journal.events import Draft
from research_core.policy import RunSettings
from research_core.sessions import session_control
from research_core.sessions.engine_health import (
    NEVER_ASKED,
    _find_model_outcome,
    read_engine_health,
    read_model_health,
)
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.past_sessions import BEN, WEB, add_session


@pytest.fixture
def resources(tmp_path: Path, database_with_sample: Path) -> Iterator[Resources]:
    shutil.copy(database_with_sample, tmp_path / "assay.db")
    made = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))
    yield made
    made.db.close()


def said(engine: str, state: str, reason: str = "", order: int = 0) -> Draft:
    kind = "searched" if state in ("answered", "empty") else "search_failed"
    data = {
        "order": order,
        "place": 0,
        "query": "q",
        "engine": engine,
        "state": state,
        "reason": reason,
        "results": 0,
    }
    return Draft(kind, data, f"{order}:{engine}")


def test_engines_are_told_by_their_last_outcome_and_how_often_they_did_what(
    resources: Resources,
) -> None:
    add_session(
        resources, WEB, said("ddgs:brave", "answered"), said("searxng", "timed_out", "Too slow.")
    )
    add_session(
        resources,
        WEB,
        said("ddgs:brave", "empty"),
        said("ddgs:brave", "refused", "Asks for a person.", 1),
    )
    found = read_engine_health(resources)
    assert set(found) == {"ddgs:brave", "searxng"}
    brave = found["ddgs:brave"]
    assert (dict(brave.counts), brave.tries) == ({"answered": 1, "empty": 1, "refused": 1}, 3)
    assert (brave.state, brave.reason) == ("refused", "Asks for a person.")
    assert (found["searxng"].state, found["searxng"].counts["timed_out"]) == ("timed_out", 1)


def test_an_engine_nobody_asked_is_in_a_state_of_its_own(resources: Resources) -> None:
    add_session(resources, RunSettings(), said("library", "answered"))
    assert read_engine_health(resources) == {}
    assert (NEVER_ASKED.state, NEVER_ASKED.tries) == ("", 0)


def test_health_is_each_user_s_own(resources: Resources) -> None:
    add_session(resources, WEB, said("searxng", "answered"), who=BEN)
    assert read_engine_health(resources) == read_model_health(resources) == {}
    assert set(read_engine_health(resources, who=BEN)) == {"searxng"}


def test_a_model_is_told_by_the_sessions_it_ended(resources: Resources) -> None:
    add_session(resources, WEB)
    add_session(resources, WEB, ends="failed")
    add_session(resources, RunSettings(), ends="cancelled")
    (found,) = read_model_health(resources).values()
    assert (dict(found.counts), found.state, found.reason) == (
        {"answered": 1, "failed": 1},
        "failed",
        "The model is resting.",
    )


def gated(unscored: int, total: int) -> Draft:
    return Draft(
        "gated",
        {
            "decision": "full_report",
            "rationale": "Nobody could score.",
            "unscored": unscored,
            "total": total,
        },
        "gated",
    )


@pytest.mark.parametrize(
    ("unscored", "total", "state"),
    [(3, 3, "failed"), (2, 3, "answered"), (0, 3, "answered"), (0, 0, "answered")],
)
def test_a_session_that_is_done_says_whether_its_model_scored_anything(
    resources: Resources, unscored: int, total: int, state: str
) -> None:
    add_session(resources, WEB, gated(unscored, total))
    (found,) = read_model_health(resources).values()
    assert (dict(found.counts), found.reason) == (
        {state: 1},
        "Nobody could score." if state == "failed" else "",
    )


@pytest.mark.parametrize("ends", ["failed", "done"])
def test_a_session_that_went_between_the_list_and_its_log_tells_nothing_false(
    resources: Resources, ends: str
) -> None:
    session = add_session(resources, WEB, gated(3, 3), ends=ends)
    row = store.find_session(resources.db, LOCAL_USER, session)
    session_control.delete(resources, session)
    assert _find_model_outcome(resources, LOCAL_USER, row) is None
