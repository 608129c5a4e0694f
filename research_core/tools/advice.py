"""What a person, or a client's model, can do about a call that failed, where the failure does not
say so itself.

It is added where no run is, and not where the error is raised: a model in a run is told an error's
own words, and a replay, which has the error made anew from what was recorded, has to meet them.
What a service knows better stands in its provider's own table, and goes before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import ValidationError

from research_core.errors import BoundaryError, FetchError, ResearchError, SearchError, UsageError
from research_core.tools.arguments import describe_mistakes, suggest_name
from research_core.tools.registry import Tool

_ASK_ANOTHER = "Ask another provider; .env.example lists what each needs."
#: By the kind of a provider's failure.
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
#: Where nobody else can be asked.
SOLE_PROVIDER_STEPS = {
    "circuit_open": "Try again then.",
    "blocked": "The service turns this machine away, and no other has what it has.",
    "disallowed": "Nobody else can be asked.",
    "unsupported": "Nobody else can be asked.",
}
#: By the kind of a page's failure, where the sentence does not say it (`tools.failures`).
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
#: Characters from which words of others are told apart from ours; a shorter word may stand in ours
#: as well.
MIN_QUOTED_CHARACTERS = 4
#: Marks that end a quotation.
_MARKS = str.maketrans("“”", "''")
_WITHIN = re.compile(r"within [\d.]+ seconds(?=\.)")
#: A full stop within a sentence that was put together of sentences.
_STOP = re.compile(r"\.(?=[;)])")


def add_advice(
    error: ResearchError,
    name: str,
    rows: tuple[Tool, ...],
    others: Sequence[str] | None = None,
    times: int = 1,
) -> ResearchError:
    """The error of a call of this name, with what to do about it where it is one of a provider or a
    page, or of how it was called.

    Words of others stand in quotation marks. rows: the tools there are; others: who else could be
    asked, None where that is not known; times: how often it was tried, each time for as long as it
    says.
    """
    if isinstance(error, BoundaryError):
        error.message = (
            _WITHIN.sub(rf"\g<0>, each of {times} times", quote_foreign_words(error))
            if times > 1
            else quote_foreign_words(error)
        )
    if isinstance(error, SearchError):
        usual = PROVIDER_STEPS | SOLE_PROVIDER_STEPS if others == () else PROVIDER_STEPS
        error.next_step = error.next_step or usual[error.kind]
    if isinstance(error, FetchError):
        error.next_step = error.next_step or PAGE_STEPS.get(error.kind, "")
    return (
        error
        if error.next_step or not isinstance(error, UsageError)
        else _suggest_correction(error, name, rows)
    )


def quote_foreign_words(error: BoundaryError) -> str:
    """The message, with what is not ours in quotation marks, which no mark within it ends."""
    said = error.message
    for words in dict.fromkeys(each for each in error.quotes if len(each) >= MIN_QUOTED_CHARACTERS):
        said = said.replace(words, f"“{words.translate(_MARKS)}”")
    return _STOP.sub("", said)


def _suggest_correction(error: UsageError, name: str, rows: tuple[Tool, ...]) -> UsageError:
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        names = [each.name for each in rows]
        return UsageError(
            f"{error.message}{suggest_name(str(name), names)}.",
            next_step=f"There are: {', '.join(names)}.",
        )
    if isinstance(error.__cause__, ValidationError):
        wrong, step = describe_mistakes(row.schema, error.__cause__.errors())
        return UsageError(f"{row.name} cannot run: {wrong}.", next_step=step)
    return UsageError(error.message, next_step=f"It takes: {', '.join(row.schema['properties'])}.")
