"""Sessions written straight into the store, as if they had run."""

from __future__ import annotations

from research_core.journal import store
from research_core.journal.events import Draft
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.sessions import session_start
from research_core.wiring import LOCAL_USER, Resources, open_log

BEN = Principal("local", "ben")
WEB = RunSettings(engines=("ddgs:brave", "searxng"), model="gemini:gemini-x")


def add_session(
    resources: Resources,
    run: RunSettings,
    *drafts: Draft,
    who: Principal = LOCAL_USER,
    ends: str = "done",
    attempts: int = 1,
) -> str:
    """A session that said this, then ended so."""
    session = session_start.new_session(resources, "What is asked?", run, who=who)
    for _ in range(attempts):
        epoch = store.take_session(resources.db, who, session, "machine:1:x", resources.clock.now())
    log = open_log(resources, who, session, epoch=epoch)
    log.append(*drafts)
    if ends == "failed":
        log.append(
            Draft(
                "failed",
                {"error": "The model is resting.", "next_step": "", "type": "ModelError"},
                "1",
            )
        )
    elif ends:
        log.append(Draft("finished", {"outcome": ends}, "1"))
    return session


def tally(calls: int, seconds: float, tokens: int = 0, cost: float | None = 0.0) -> Draft:
    data = {
        "do": "tally",
        "model_calls": calls,
        "other_calls": 3,
        "tokens": tokens,
        "cost": cost,
        "seconds": seconds,
    }
    return Draft("decide", data, "tally")
