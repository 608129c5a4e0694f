"""A session that a client led over a search engine and a page that are written here.

What its tools found is in its log, as in life.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from research_core.model_messages import Json
from research_core.models import HttpReply, Principal
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.logs import Hands
from tests.tool_session import HTML, Web

SEARX = "http://127.0.0.1:8888"
GOAL = "What do corals eat?"
PAPER = "https://journals.example.org/reef"
PREPRINT = "https://arxiv.org/abs/1706.03762"
PAGE = """<!doctype html><html lang="en"><head><title>Reefs at night</title>
<meta name="citation_author" content="Müller, Ana"><meta name="citation_author" content="Iqbal, Sara">
<meta name="citation_publication_date" content="2020/03/01"><meta name="citation_doi" content="10.1000/reef.7">
<meta property="og:site_name" content="Reef Notes"></head><body><main><article><h1>Reefs at night</h1>
<p>Corals feed at night, when the plankton rises, and most of what is known of it was seen by lamp light in shallow water.</p>
<p>The polyps open an hour after sunset and close before dawn, which the log of four hundred dives describes in detail.</p>
</article></main></body></html>"""
SEARCH_RESULTS = {
    "results": [
        {"title": "Reefs at night - Reef Notes", "url": PAPER, "content": "Corals feed at night."},
        {"title": "Attention", "url": PREPRINT, "content": "A preprint."},
    ]
}


def make_tool_caller(
    home: Path,
    *,
    pages: Mapping[str, str | HttpReply | Exception] | None = None,
    at: float = 1_000.0,
    file: str = "",
) -> ToolCaller:
    """Return a tool caller before that engine and that page.

    pages: further ones; at: seconds of its clock; file: of its database, "" for memory.
    """
    robots = HttpReply("https://journals.example.org/robots.txt", 404, {}, b"")
    served = {
        f"{SEARX}/search": HttpReply(
            f"{SEARX}/search", 200, {}, json.dumps(SEARCH_RESULTS).encode()
        ),
        PAPER: HttpReply(PAPER, 200, HTML, PAGE.encode()),
        robots.url: robots,
    }

    class Answering(Resources):
        clock = Hands(at)
        client = Web({**served, **(pages or {})})

    database = f"sqlite:///{home / file}" if file else "sqlite://"
    return ToolCaller(
        Answering(Settings(home=home, database_url=database, ddgs_engines=(), searxng_url=SEARX))
    )


def pass_time(tool_caller: ToolCaller, seconds: float) -> None:
    """Let so much time pass on its clock."""
    clock = tool_caller.resources.clock
    assert isinstance(clock, Hands)
    clock.at += seconds


def make_caller_for(tool_caller: ToolCaller, who: Principal) -> ToolCaller:
    """Return a tool caller of the same resources for somebody else."""
    return ToolCaller(tool_caller.resources, who)


def call_tool(tool_caller: ToolCaller, tool: str, **said: object) -> Json:
    """Return the answer of a tool; fail the test if there is none."""
    served = tool_caller.serve(tool, said)
    assert served.answer is not None, served.error
    return served.answer


def take_step(
    tool_caller: ToolCaller,
    number: int = 1,
    session: str = "",
    text: str = "Look",
    *,
    more: bool = True,
    **said: object,
) -> str:
    """Take a step of a session, a new one by default. Return the session's ID."""
    told = {"researchGoal": GOAL} if not session else {"sessionId": session}
    return str(
        call_tool(
            tool_caller,
            "sequential_search",
            searchStep=text,
            stepNumber=number,
            nextStepNeeded=more,
            **{**told, **said},
        )["sessionId"]
    )


def research(tool_caller: ToolCaller) -> str:
    """Search once, find a paper and a preprint, and read the paper. Return the session ID."""
    session = take_step(tool_caller)
    call_tool(tool_caller, "web_search", query="corals at night", sessionId=session, num_results=2)
    call_tool(tool_caller, "scrape_page", url=PAPER, sessionId=session)
    return session
