"""What a person, or a client's model, can do about a call that failed, where the failure does not say so itself.

It is added where no run is, and not where the error is raised: a model in a run is told an error's own words, and a replay, which has the
error made anew from what was recorded, has to meet them. What a service knows better stands in its provider's own table, and goes before.
"""

from __future__ import annotations

from pydantic import ValidationError

from research_core.errors import ResearchError, SearchError, UsageError
from research_core.tools.arguments import mistakes, nearest
from research_core.tools.registry import Tool

_ANOTHER = "Ask another provider; .env.example lists what each needs."
#: By the kind of a provider's failure.
STEPS = {
    "rate_limited": "Wait a minute, then try again.",
    "network": "Check that this machine reaches the internet, then try again.",
    "timeout": "Try again in a moment, or ask for less at once.",
    "upstream_unavailable": "The trouble is the service's own: try again in a few minutes.",
    "circuit_open": "Try again then, or ask another provider.",
    "auth_required": "Check its key in .env; .env.example lists every variable.",
    "blocked": f"The service turns this machine away. {_ANOTHER}",
    "disallowed": _ANOTHER,
    "validation": "Ask in other words, or for something else.",
    "content_empty": "Ask in other words, or for something else.",
    "not_found": "Check the name or number that was asked for.",
    "unsupported": _ANOTHER,
    "too_large": "Ask for less at once: fewer results, or a narrower query.",
    "browser_unavailable": "Install Chromium, and `python3 run.py extras browser`.",
    "bad_reply": "Try again later; if it stays so, the service has changed, and Assay has to follow.",
    "config": "Check what .env says of the service; if that is right, it has moved, and Assay has to follow.",
}


def advised(error: ResearchError, name: str, rows: tuple[Tool, ...]) -> ResearchError:
    """The error of a call of this name, with what to do about it where it is one of a provider, or of how it was called.

    rows: the tools there are.
    """
    if isinstance(error, SearchError):
        error.next_step = error.next_step or STEPS[error.kind]
    return error if error.next_step or not isinstance(error, UsageError) else _put_right(error, name, rows)


def _put_right(error: UsageError, name: str, rows: tuple[Tool, ...]) -> UsageError:
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        names = [each.name for each in rows]
        return UsageError(f"{error.message}{nearest(str(name), names)}.", next_step=f"There are: {', '.join(names)}.")
    if isinstance(error.__cause__, ValidationError):
        wrong, step = mistakes(row.schema, error.__cause__.errors())
        return UsageError(f"{row.name} cannot run: {wrong}.", next_step=step)
    return UsageError(error.message, next_step=f"It takes: {', '.join(row.schema['properties'])}.")
