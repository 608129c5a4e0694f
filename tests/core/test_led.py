"""Sessions that a client leads: who finds them and for how long, and what a call adds to one."""

from __future__ import annotations

import pytest

from research_core import led
from research_core.context import ResearchContext, memory_log
from research_core.database import Database
from research_core.led import Gone, Led
from research_core.log import EventLog
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.store import Store, session_row
from research_core.tables import memory_database
from research_core.tools.registry import Call
from research_core.tools.session import open_page, search
from tests.logs import Hands
from tests.tool_session import GOOD, Engine, Web, desk, html, row

GOAL = "How are quantum errors corrected?"
TTL = 4 * 3_600.0
OTHERS = (Principal("acme", "ann"), Principal("local", "bob"), Principal("other", "ann"))


def begun(db: Database, at: float = 1_000.0, who: Principal = Principal()) -> Led:
    return led.begin(db, who, Hands(at), GOAL, RunSettings(), TTL)


def test_a_session_lasts_so_long_from_its_last_use() -> None:
    db, who = memory_database(), Principal()
    id = begun(db).id
    assert led.join(db, who, Hands(1_000 + TTL - 1), id, TTL).goal == GOAL
    assert led.join(db, who, Hands(1_000 + 2 * TTL - 2), id, TTL).id == id
    with pytest.raises(Gone, match=r"Session not found or expired\. Sessions last 4 hours from last activity\."):
        led.join(db, who, Hands(1_000 + 4 * TTL), id, TTL)
    assert session_row(db, who, id).question == GOAL  # its log stays for its owner


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_nobody_else_finds_it(other: Principal) -> None:
    db = memory_database()
    id = begun(db, who=Principal("acme", "bea")).id
    with pytest.raises(Gone):
        led.join(db, other, Hands(1_001), id, TTL)


def test_one_too_many_closes_the_one_that_was_left_alone_longest() -> None:
    db, who = memory_database(), Principal()
    first, second, *_ = [begun(db, 1_000.0 + n).id for n in range(led.MOST)]
    led.join(db, who, Hands(2_000), first, TTL)
    begun(db, 2_001)
    assert led.live(db, who, 2_002) == led.MOST
    with pytest.raises(Gone):
        led.join(db, who, Hands(2_002), second, TTL)
    assert led.join(db, who, Hands(2_002), first, TTL).id == first


def test_a_call_adds_what_it_found_with_its_calls() -> None:
    db = memory_database()
    session = begun(db)
    led.adopt(session, _journal("error codes", GOOD), {"tool": "search_and_scrape"})
    led.adopt(session, _journal("surface codes", GOOD), {"tool": "search_and_scrape", "step": 2})
    context = ResearchContext.stored(EventLog(Store(db, Principal(), session.id), Hands(3_000)))
    assert context.queries_made == ["error codes", "surface codes"]
    assert context.sources_fetched[GOOD].startswith("Codes are")
    assert [listing.order for listing in context.run.sources[GOOD].listings] == [1000, 1001]
    assert context.run.queries[1001]["step"] == 2
    assert len(context.log.answers()) == 3  # two searches, and the page once
    assert [event.data["tool"] for event in context.log.read(kinds=("called",))] == ["search_and_scrape"] * 2


def test_two_writers_at_once_keep_both_their_queries() -> None:
    db, who = memory_database(), Principal()
    one = begun(db)
    two = led.join(db, who, Hands(1_001), one.id, TTL)
    contexts = [ResearchContext(GOAL, log=each.log) for each in (one, two)]
    for context, query in zip(contexts, ("this", "that"), strict=True):
        context.add_query(query)
    assert [context.order_of(query) for context, query in zip(contexts, ("this", "that"), strict=True)] == [1000, 1001]


def _journal(query: str, url: str) -> EventLog:
    """The log of a call that searched for this and read what it found."""
    log = memory_log(GOAL)
    engine = Engine("one", {query: [row(url)]})
    context = desk(engine, web=Web({url: html("Codes are what corrects them, again and again, without looking.")}), log=log, question=GOAL)

    call = Call(context, alone=True)
    assert context.deps is not None
    search(call, query, context, context.deps, 3)
    open_page(call, url, context, context.deps)
    return log
