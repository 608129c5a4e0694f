"""Add a next step to the error of a failed call that does not name one itself.

Advice is added outside of runs only, and not where the error is raised: a model in a run gets the
plain error, and a replay, which recreates the error from the log, must produce the same words.
Provider-specific advice is kept in the provider's own table and takes precedence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import ValidationError

from research_core.errors import BoundaryError, FetchError, ResearchError, SearchError, UsageError
from research_core.tools.arguments import describe_mistakes, suggest_name
from research_core.tools.registry import Tool

_ASK_ANOTHER = "Ask another provider; .env.example lists what each needs."
#: The next step by the kind of a provider's failure.
PROVIDER_STEPS = {
    "rate_limited": "Wait a minute, then try again.",
    "network": "Check that this machine reaches the internet, then try again.",
    "timeout": "Try again in a moment, or ask for less at once.",
    "upstream_unavailable": "The trouble is the service's own: try again in a few minutes.",
    "circuit_open": "Try again then, or ask another provider.",
    "auth_required": "Check its key in .env; .env.example lists every variable.",
    "blocked": f"The service turns this machine away. {_ASK_ANOTHER}",
    "disallowed": _ASK_ANOTHER,
    "validation": "Ask in other words, or for something else.",
    "content_empty": "Ask in other words, or for something else.",
    "not_found": "Check the name or number that was asked for.",
    "unsupported": _ASK_ANOTHER,
    "too_large": "Ask for less at once: fewer results, or a narrower query.",
    "browser_unavailable": "Install Chromium, and `python3 run.py extras browser`.",
    "bad_reply": (
        "Try again later; if it stays so, the service has changed, and Assay has to follow."
    ),
    "config": (
        "Check what .env says of the service; if that is right, it has moved, and Assay has to"
        " follow."
    ),
}
#: The next step if no other provider can be asked.
SOLE_PROVIDER_STEPS = {
    "circuit_open": "Try again then.",
    "blocked": "The service turns this machine away, and no other has what it has.",
    "disallowed": "Nobody else can be asked.",
    "unsupported": "Nobody else can be asked.",
}
#: The next step by the kind of a page's failure, where its sentence names none (`tools.failures`).
PAGE_STEPS = {
    "content_empty": "Read another page that says the same.",
    "unsupported": (
        "Read a page that says the same as text; of files, PDF, Word and PowerPoint are read."
    ),
    "too_large": (
        "max_length changes nothing in that: read a part that has an address of its own, or another"
        " page that says the same."
    ),
    "upstream_unavailable": "Try again in a few minutes, or read another page that says the same.",
    "circuit_open": "Try again then, or read another page that says the same.",
    "bad_reply": "Read another page that says the same.",
}
#: Shorter foreign words are not quoted, since they may also occur in Assay's own words.
MIN_QUOTED_CHARACTERS = 4
#: Quotation marks within a quotation, which would end it.
_MARKS = str.maketrans("“”", "''")
_WITHIN = re.compile(r"within [\d.]+ seconds(?=\.)")
#: A full stop inside a sentence that was joined from several.
_STOP = re.compile(r"\.(?=[;)])")


def add_advice(
    error: ResearchError,
    name: str,
    rows: tuple[Tool, ...],
    others: Sequence[str] | None = None,
    times: int = 1,
) -> ResearchError:
    """Return the error of a call to the tool `name`, with foreign words quoted and a next step.

    rows: the available tools; others: alternative providers, None if unknown; times: the number of
    attempts, each limited by the time that the message states.
    """
    if isinstance(error, BoundaryError):
        message = quote_foreign_words(error)
        if times > 1:
            message = _WITHIN.sub(rf"\g<0>, each of {times} times", message)
        error.message = message
    if isinstance(error, SearchError):
        steps = PROVIDER_STEPS | SOLE_PROVIDER_STEPS if others == () else PROVIDER_STEPS
        error.next_step = error.next_step or steps[error.kind]
    if isinstance(error, FetchError):
        error.next_step = error.next_step or PAGE_STEPS.get(error.kind, "")
    if isinstance(error, UsageError) and not error.next_step:
        return _suggest_correction(error, name, rows)
    return error


def quote_foreign_words(error: BoundaryError) -> str:
    """Return the error's message with words of other services in quotation marks."""
    message = error.message
    for words in dict.fromkeys(error.quotes):
        if len(words) >= MIN_QUOTED_CHARACTERS:
            message = message.replace(words, f"“{words.translate(_MARKS)}”")
    return _STOP.sub("", message)


def _suggest_correction(error: UsageError, name: str, rows: tuple[Tool, ...]) -> UsageError:
    """Return the error of a wrong call with what the tool accepts, or which tools exist."""
    tool = next((row for row in rows if row.name == name), None)
    if tool is None:
        names = [row.name for row in rows]
        return UsageError(
            f"{error.message}{suggest_name(str(name), names)}.",
            next_step=f"There are: {', '.join(names)}.",
        )
    if isinstance(error.__cause__, ValidationError):
        wrong, step = describe_mistakes(tool.schema, error.__cause__.errors())
        return UsageError(f"{tool.name} cannot run: {wrong}.", next_step=step)
    return UsageError(error.message, next_step=f"It takes: {', '.join(tool.schema['properties'])}.")
