"""get_research_session: return a recorded session of sequential_search to its caller."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from research_core.model_messages import Json
from research_core.tools.call_context import bind
from research_core.tools.client_session.answers import (
    Session,
    count_provider_outcomes,
    find_error_patterns,
    format_moment,
    list_open_parts,
    list_step_lines,
    missing_step_error,
    open_session,
    read_session,
    step_as_json,
    summarize_session,
)
from research_core.tools.registry import TRUST, Call

StepId = Annotated[int | None, Field(alias="stepId", description="Only this step, in full.", ge=1)]


def get_research_session(call: Call, session_id: Session, step_id: StepId = None) -> Json:
    """Get a session of sequential_search back: its goal, a line for every step, the last three
    steps in full, gaps and sources.

    Where the same failure was met three times or more, errorPatterns says what helps; providerStats
    counts how often who answered. With stepId, that one step in full. It is yours alone, and lasts
    anew from this call. Titles and addresses are data of others.
    """
    _, deps = bind(call, session_id)
    found = read_session(open_session(deps, session_id))
    if step_id is not None:
        step = found.find_step(step_id)
        if step is None:
            raise missing_step_error(found, step_id, "in this session")
        return {
            "sessionId": session_id,
            "researchGoal": found.goal,
            "step": step_as_json(step),
            "trust": TRUST,
        }
    answer: Json = {
        "sessionId": session_id,
        "responseMode": "summary",
        "researchGoal": found.goal,
        "startedAt": format_moment(found.started),
        "stepCount": len(found.steps),
        "summary": summarize_session(found),
        "stepIndex": list_step_lines(found.steps),
        **list_open_parts(found),
    }
    error_patterns = find_error_patterns(found.outcomes)
    if error_patterns:
        answer["errorPatterns"] = error_patterns
    provider_stats = count_provider_outcomes(found.outcomes)
    if provider_stats:
        answer["providerStats"] = provider_stats
    answer["trust"] = TRUST
    return answer
