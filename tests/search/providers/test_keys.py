"""Keys of services go to them and nowhere else: not into the log, not into a call's key, not into
an error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from research_core.context import memory_log
from research_core.errors import SearchError
from research_core.journal.doorway import Doorway
from research_core.journal.log import EventLog
from research_core.models import HttpReply
from research_core.search.providers import select_rows
from tests.contracts import Case, Service, configured
from tests.scripted import Scripted
from tests.search.providers.test_contract import CASES
from tests.world import StillClock

#: Settings of services that say where one is, which is no secret.
PLACES = frozenset({"searxng_url"})
KEYED = [case for case in CASES if set(case.settings) - PLACES]
each_case = pytest.mark.parametrize("case", KEYED, ids=lambda case: case.id)


class Telltale(Service):
    """A service that repeats in its answers, and in its refusals, whatever secret it was sent."""

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        if url.endswith("/accesstoken"):
            return HttpReply(
                url, 200, {}, b'{"access_token": "token-of-a-test", "expires_in": "1200"}'
            )
        reply = super().send(method, url, **options)
        sent = [*(options.get("headers") or {}).values(), *(options.get("params") or {}).values()]
        return (
            replace(reply, body=reply.body + " ".join(sent).encode())
            if self.status != 200
            else reply
        )


def asked(case: Case, settings: Any, status: int = 200) -> tuple[EventLog, str]:
    """The log of one search, and the sentence of its failure."""
    log = memory_log("tea")
    doorway = Doorway(
        log, Telltale(case.answers, status, case.headers), Scripted("no answer"), StillClock()
    )
    (row,) = select_rows([case.name], case.kind)
    try:
        row.search(doorway.http, configured(**settings), case.query)
    except SearchError as error:
        return log, error.sentence()
    return log, ""


def told(log: EventLog) -> str:
    return repr([log.open(event.data) for event in log.read()])


def keys(case: Case, which: str = "first") -> dict[str, Any]:
    return {
        name: value if name in PLACES else f"{which}-{name}-of-a-test"
        for name, value in case.settings.items()
    }


@each_case
@pytest.mark.parametrize("status", [200, 401])
def test_no_key_is_in_the_log_or_in_an_error(case: Case, status: int) -> None:
    log, sentence = asked(case, keys(case), status)
    assert log.answers()
    assert not [
        name
        for name, key in keys(case).items()
        if name not in PLACES and key in told(log) + sentence
    ]
    assert "token-of-a-test" not in told(log) + sentence


@each_case
def test_another_key_asks_the_same_call(case: Case) -> None:
    assert (
        asked(case, keys(case))[0].answers().keys()
        == asked(case, keys(case, "second"))[0].answers().keys()
    )
