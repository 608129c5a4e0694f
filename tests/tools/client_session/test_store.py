"""Sessions that a client leads: who finds them and for how long, and what a call adds to one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from research_core.context import ResearchContext, memory_log
from research_core.journal.database import Database
from research_core.journal.events import Event
from research_core.journal.log import EventLog
from research_core.journal.store import Store, find_session
from research_core.journal.tables import open_database
from research_core.models import HttpReply, Principal
from research_core.policy import RunSettings
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.tools.call_context import open_page, search_session_engines
from research_core.tools.client_session import store as led
from research_core.tools.client_session.store import ClientSession, SessionGone
from research_core.tools.registry import Call
from research_core.wiring import Resources
from tests.logs import Hands, at_once, stored_context
from tests.tool_session import GOOD, QUESTION, Engine, Web, html, make_context, row

GOAL = "How are quantum errors corrected?"
TTL = 4 * 3_600.0
SEARX = "http://127.0.0.1:8888"
OTHERS = (Principal("acme", "ann"), Principal("local", "bob"), Principal("other", "ann"))


def begun(db: Database, at: float = 1_000.0, who: Principal = Principal()) -> ClientSession:
    return led.begin_session(db, who, Hands(at), GOAL, RunSettings(), TTL)


def test_a_session_lasts_so_long_from_its_last_use() -> None:
    db, who = open_database("sqlite://"), Principal()
    id = begun(db).id
    assert led.join_session(db, who, Hands(1_000 + TTL - 1), id, TTL).goal == GOAL
    assert led.join_session(db, who, Hands(1_000 + 2 * TTL - 2), id, TTL).id == id
    with pytest.raises(
        SessionGone,
        match=r"Session not found or expired\. Sessions last 4 hours from last activity\.",
    ):
        led.join_session(db, who, Hands(1_000 + 4 * TTL), id, TTL)
    assert find_session(db, who, id).question == GOAL  # its log stays for its owner


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_nobody_else_finds_it(other: Principal) -> None:
    db = open_database("sqlite://")
    id = begun(db, who=Principal("acme", "bea")).id
    with pytest.raises(SessionGone):
        led.join_session(db, other, Hands(1_001), id, TTL)


def test_one_too_many_closes_the_one_that_was_left_alone_longest() -> None:
    db, who = open_database("sqlite://"), Principal()
    first, second, *_ = [begun(db, 1_000.0 + n).id for n in range(led.MAX_LIVE_SESSIONS)]
    led.join_session(db, who, Hands(2_000), first, TTL)
    begun(db, 2_001)
    assert led.count_live_sessions(db, who, 2_002) == led.MAX_LIVE_SESSIONS
    with pytest.raises(SessionGone):
        led.join_session(db, who, Hands(2_002), second, TTL)
    assert led.join_session(db, who, Hands(2_002), first, TTL).id == first


def test_a_call_adds_what_it_found_with_its_calls() -> None:
    db = open_database("sqlite://")
    session = begun(db)
    led.adopt_findings(session, _journal("error codes", GOOD), {"tool": "search_and_scrape"})
    led.adopt_findings(
        session, _journal("surface codes", GOOD), {"tool": "search_and_scrape", "step": 2}
    )
    context = stored_context(EventLog(Store(db, Principal(), session.id), Hands(3_000)))
    assert context.queries_made == ["error codes", "surface codes"]
    assert context.sources_fetched[GOOD].startswith("Codes are")
    assert [listing.order for listing in context.run.sources[GOOD].listings] == [1000, 1001]
    assert context.run.queries[1001]["step"] == 2
    assert len(context.log.answers()) == 3  # two searches, and the page once
    assert [event.data["tool"] for event in context.log.read(kinds=("called",))] == [
        "search_and_scrape"
    ] * 2


def test_two_writers_at_once_keep_both_their_queries() -> None:
    db, who = open_database("sqlite://"), Principal()
    one = begun(db)
    two = led.join_session(db, who, Hands(1_001), one.id, TTL)
    contexts = [ResearchContext(GOAL, log=each.log) for each in (one, two)]
    for context, query in zip(contexts, ("this", "that"), strict=True):
        context.add_query(query)
    assert [
        context.order_of(query) for context, query in zip(contexts, ("this", "that"), strict=True)
    ] == [1000, 1001]


#: What a session is told one after the other: a new query, a page more for it, nothing new, another
#: query for the same page.
TOLD = (
    ("error codes", GOOD),
    ("error codes", f"{GOOD}/2"),
    ("error codes", GOOD),
    ("surface codes", GOOD),
)


def test_a_session_that_reads_only_what_it_writes_holds_what_one_that_has_read_all_of_itself_holds(
    db: Database,
) -> None:
    sessions = [begun(db), begun(db)]
    for n, (query, url) in enumerate((*TOLD, *TOLD)):
        for knowing, session in enumerate(sessions):
            now = led.join_session(db, Principal(), Hands(1_001.0 + n), session.id, TTL)
            if n == len(TOLD):
                now.log.void("what failed")  # what was derived before is derived anew
            assert not (knowing and now.log.has_call("nothing"))
            led.adopt_findings(now, _journal(query, url), {"tool": "web_search"})
    one, two = (
        [(event.kind, event.key, _unmarked(event.data)) for event in each.log.read()]
        for each in sessions
    )
    assert one == two
    assert [key for kind, key, _ in one if kind == "planned"] == [
        f"{void}planned:query:{n}" for void in ("", "1~") for n in (1000, 1001)
    ]
    assert sum(kind == "called" for kind, *_ in one) == 2 * len(TOLD)
    assert sum(kind == "call" for kind, *_ in one) == 4  # two searches and two pages, each once


def test_what_is_read_to_add_to_a_session_does_not_grow_with_what_it_found(db: Database) -> None:
    session, late = begun(db), _journal("error codes", f"{GOOD}/late")
    asked: list[str] = []
    sa.event.listen(db.engine, "before_cursor_execute", lambda *about: asked.append(about[2]))

    def added() -> tuple[int, int]:
        """The events that were read, and the statements, to add what a call found."""
        store = Counting(db, Principal(), session.id)
        asked.clear()
        led.adopt_findings(
            ClientSession(session.id, GOAL, EventLog(store, Hands(1_001.0))),
            late,
            {"tool": "web_search"},
        )
        return store.events, len(asked)

    added()
    short = added()
    for n in range(20):
        led.adopt_findings(
            led.join_session(db, Principal(), Hands(1_001.0), session.id, TTL),
            _journal("error codes", f"{GOOD}/{n}"),
            {"tool": "web_search"},
        )
    assert len(session.log.read()) > 80
    assert added() == short
    assert not any("IS NOT NULL" in statement for statement in asked)


class Counting(Store):
    """A store that counts the events that are read from it."""

    events = 0

    def read(self, *about: Any, **more: Any) -> list[Event]:
        found = super().read(*about, **more)
        self.events += len(found)
        return found


def test_calls_of_many_processes_lose_nothing_and_add_nothing_twice(
    db: Database, database_url: str
) -> None:
    session, writers, each = begun(db), 6, 4
    journals = [[_journal(*_asked(writer, n)) for n in range(each)] for writer in range(writers)]

    def write(writer: int) -> None:
        own = open_database(database_url)  # with no lock of the others'
        for journal in journals[writer]:
            led.adopt_findings(
                led.join_session(own, Principal(), Hands(1_001.0), session.id, TTL),
                journal,
                {"tool": "web_search"},
            )
        own.close()

    assert at_once(writers, write) == [None] * writers
    context = stored_context(EventLog(Store(db, Principal(), session.id), Hands(3_000)))
    pairs = {_asked(writer, n) for writer in range(writers) for n in range(each)}
    planned = [
        query for event in context.log.read(kinds=("planned",)) for query in event.data["queries"]
    ]
    assert sorted(query["text"] for query in planned) == sorted({query for query, _ in pairs})
    assert sorted(query["order"] for query in planned) == list(range(1000, 1000 + len(planned)))
    text = {query["order"]: query["text"] for query in planned}
    listed = [
        (text[listing.order], url)
        for url, source in context.run.sources.items()
        for listing in source.listings
    ]
    assert sorted(listed) == sorted(pairs)
    assert context.sources_fetched.keys() == {url for _, url in pairs}
    assert len(context.log.read(kinds=("called",))) == writers * each
    calls = [event.key for event in context.log.calls()]
    assert (
        len(calls)
        == len(set(calls))
        == len({query for query, _ in pairs}) + len({url for _, url in pairs})
    )


def _asked(writer: int, n: int) -> tuple[str, str]:
    """What a writer searches and finds: every other call of theirs is one that all make."""
    return (
        (f"shared {n}", f"{GOOD}/shared/{n}")
        if n % 2
        else (f"query {writer} {n}", f"{GOOD}/{writer}/{n}")
    )


def _unmarked(data: Any) -> Any:
    """Without what differs between two sessions that were told the same."""
    return {name: value for name, value in data.items() if name not in ("session", "seconds")}


def _journal(query: str, url: str) -> EventLog:
    """The log of a call that searched for this and read what it found."""
    log = memory_log(GOAL)
    engine = Engine("one", {query: [row(url)]})
    context = make_context(
        engine,
        web=Web({url: html("Codes are what corrects them, again and again, without looking.")}),
        log=log,
        question=GOAL,
    )

    call = Call(context, alone=True)
    assert context.deps is not None
    search_session_engines(call, query, context, context.deps, 3)
    open_page(call, url, context, context.deps)
    return log


def test_a_tool_caller_adds_to_a_session_what_its_own_searches_found_with_their_step(
    tmp_path: Path,
) -> None:
    """Through the engine that a SearXNG server is, as a client calls it."""
    pages = {"results": [{"title": "Codes", "url": GOOD, "content": QUESTION}]}

    class Answering(Resources):
        clock = Hands(1_000.0)
        client = Web(
            {f"{SEARX}/search": HttpReply(f"{SEARX}/search", 200, {}, json.dumps(pages).encode())}
        )

    resources = Answering(
        Settings(home=tmp_path, database_url="sqlite://", ddgs_engines=(), searxng_url=SEARX)
    )
    at = ToolCaller(resources)
    said = {
        "searchStep": "Look",
        "stepNumber": 1,
        "nextStepNeeded": True,
        "researchGoal": QUESTION + "?",
        "depth": "thorough",
    }
    answer = at.serve("sequential_search", said).answer
    assert answer is not None
    (searched,) = answer["refinementResults"]
    assert (searched["query"], searched["results"][0]["url"]) == (QUESTION + "?", GOOD)
    more = {"query": "surface codes", "sessionId": answer["sessionId"], "num_results": 1}
    assert at.serve("web_search", more).error is None
    told = at.serve("get_research_session", {"sessionId": answer["sessionId"]}).answer
    assert told is not None
    assert told["sources"] == [{"url": GOOD, "title": "Codes", "foundInStep": 1}]
    assert told["providerStats"] == {"searxng": {"attempts": 2, "successes": 2}}
    resources.close()
