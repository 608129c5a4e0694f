"""Define `TOOLS`, the table of tools that the agent, the browser and MCP call.

To add a tool, write a typed function whose first parameter is a `Call` and add its row here. Use
`Field(alias=…)` where the name on the wire differs (`sessionId`), or where pydantic reserves the
name (`schema`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from research_core.errors import ResearchError, UsageError
from research_core.search import providers
from research_core.settings import Settings
from research_core.tools.academic_search import academic_search
from research_core.tools.answer import answer
from research_core.tools.archive_source import archive_source
from research_core.tools.audit_bibliography import audit_bibliography
from research_core.tools.audit_report import audit_report
from research_core.tools.brand_research import brand_research
from research_core.tools.citation_graph import citation_graph
from research_core.tools.clinical_search import clinical_search
from research_core.tools.default_tools import (
    MAX_PAGE_CHARS,
    MAX_SEARCH_RESULTS,
    MIN_CREDIBILITY_SCORE,
    REQUEST_TIMEOUT,
    fetch_page,
    fetch_tool,
    score_tool,
    search_tool,
    search_web,
)
from research_core.tools.econ_search import econ_search
from research_core.tools.filing_search import filing_search
from research_core.tools.format_bibliography import format_bibliography
from research_core.tools.get_research_session import get_research_session
from research_core.tools.groups import GROUPS
from research_core.tools.image_search import image_search
from research_core.tools.legal_search import legal_search
from research_core.tools.local_search import local_search
from research_core.tools.news_search import news_search
from research_core.tools.patent_search import patent_search
from research_core.tools.registry import TRUST as TRUST
from research_core.tools.registry import (
    Call,
    Progress,
    Tool,
    build_table,
    call_tool,
    find_tool,
    to_json,
)
from research_core.tools.research_export import research_export
from research_core.tools.scrape_page import scrape_page
from research_core.tools.search_and_scrape import search_and_scrape
from research_core.tools.sequential_search import sequential_search
from research_core.tools.structured_search import structured_search
from research_core.tools.user_data import (
    get_my_analytics,
    memory_recall,
    memory_save,
    workspace_contribute,
    workspace_read,
)
from research_core.tools.verify_citation import verify_citation
from research_core.tools.verify_recommendation import verify_recommendation
from research_core.tools.web_search import web_search
from research_core.trust.credibility import score_source

__all__ = [
    "ALL_TOOLS",
    "CLIENT_TOOLS",
    "DEFAULT_TOOLS",
    "EXTRA_TOOLS",
    "MAX_PAGE_CHARS",
    "MAX_SEARCH_RESULTS",
    "MIN_CREDIBILITY_SCORE",
    "REQUEST_TIMEOUT",
    "TOOLS",
    "fetch_page",
    "get_tool",
    "list_available_tools",
    "list_run_tools",
    "run_tool",
    "score_source",
    "search_web",
]

#: Offered to the model of every run; other tools only if the analyst selects them.
DEFAULT_TOOLS = build_table(
    Tool("search_web", search_tool),
    Tool("fetch_page", fetch_tool),
    Tool("score_source", score_tool, open_world=False),
)
TOOLS = build_table(
    *DEFAULT_TOOLS,
    Tool("scrape_page", scrape_page, joins=True),
    Tool("search_and_scrape", search_and_scrape, joins=True),
    Tool("web_search", web_search, asks="web", always=True, joins=True),
    Tool("academic_search", academic_search, asks="papers", joins=True),
    Tool("citation_graph", citation_graph, asks="citations", joins=True),
    Tool("econ_search", econ_search, asks="series"),
    Tool("filing_search", filing_search, asks="filings", joins=True),
    Tool("image_search", image_search, asks="images"),
    Tool("news_search", news_search, asks="news", joins=True),
    Tool("clinical_search", clinical_search, asks="trials", joins=True),
    Tool("legal_search", legal_search, asks="cases", joins=True),
    Tool("local_search", local_search, asks="places", joins=True),
    Tool(
        "patent_search", patent_search, asks="patents", always=True, joins=True
    ),  # else Google Patents, by the web's engines
    Tool("answer", answer, asks="answers"),
    Tool("structured_search", structured_search, asks="structured"),
    Tool(
        "sequential_search",
        sequential_search,
        idempotent=False,
        open_world=False,
        joins=True,
        keeps=True,
    ),
    Tool("get_research_session", get_research_session, open_world=False, keeps=True),
    Tool("research_export", research_export, open_world=False, keeps=True),
    Tool("format_bibliography", format_bibliography, open_world=False, keeps=True),
    Tool("archive_source", archive_source, read_only=False, open_world=False),
    Tool("verify_citation", verify_citation, visits=True),
    Tool("audit_bibliography", audit_bibliography, keeps=True),
    Tool("verify_recommendation", verify_recommendation, visits=True),
    Tool("brand_research", brand_research, joins=True),
    Tool(
        "memory_save",
        memory_save,
        read_only=False,
        idempotent=False,
        open_world=False,
        keeps=True,
        switch="memory",
    ),
    Tool("memory_recall", memory_recall, open_world=False, keeps=True, switch="memory"),
    Tool(
        "workspace_contribute",
        workspace_contribute,
        read_only=False,
        idempotent=False,
        open_world=False,
        keeps=True,
        switch="workspaces",
    ),
    Tool("workspace_read", workspace_read, open_world=False, keeps=True, switch="workspaces"),
    Tool("get_my_analytics", get_my_analytics, open_world=False, keeps=True, switch="analytics"),
)
#: Offered to people and other programs: the specified tools but those of the model's loop.
CLIENT_TOOLS = tuple(row for row in TOOLS if row not in DEFAULT_TOOLS)
#: Beyond the specified tools: offered only where they are chosen, by group or by name.
EXTRA_TOOLS = build_table(Tool("audit_report", audit_report, visits=True, extra=True))
ALL_TOOLS = build_table(*TOOLS, *EXTRA_TOOLS)


# Offered to the model of every run; the other tools only where the analyst selects them.
def list_available_tools(settings: Settings) -> tuple[Tool, ...]:
    """List the rows of `CLIENT_TOOLS` that this machine can serve.

    A row is served if its switch is on and it asks no provider, an available one, or is marked
    `always`. Extra tools follow if their group is chosen.
    """
    chosen = {name for group in settings.tool_groups for name in GROUPS.get(group, ())}
    extra = (row for row in EXTRA_TOOLS if row.name in chosen)
    return tuple(row for row in (*CLIENT_TOOLS, *extra) if is_available(row, settings))


def is_available(row: Tool, settings: Settings) -> bool:
    """Return whether this machine can serve a row of `CLIENT_TOOLS`."""
    if row.switch and not getattr(settings, row.switch):
        return False
    return bool(row.always or not row.asks or providers.list_available_rows(settings, row.asks))


def list_run_tools(names: Iterable[str]) -> tuple[Tool, ...]:
    """Return a run's default tools, then the named ones. Raises UsageError for an unknown one."""
    selectable = {row.name: row for row in ALL_TOOLS if not row.keeps}
    selected = list(DEFAULT_TOOLS)
    for name in dict.fromkeys(names):
        if name not in selectable:
            raise UsageError(
                f"There is no tool {name!r}.", next_step=f"Choose among: {', '.join(selectable)}."
            )
        if selectable[name] not in DEFAULT_TOOLS:
            selected.append(selectable[name])
    return tuple(selected)


def get_tool(name: str) -> Tool | None:
    """Return the tool of this name, or None."""
    return find_tool(name, ALL_TOOLS)


def run_tool(
    name: str, tool_input: dict[str, Any], context: Any = None, on_progress: Progress | None = None
) -> str:
    """Run a tool by name and return its result, or {"error": …}, as JSON text.

    Never raises for bad input or for a failure of a service.
    """
    try:
        return to_json(call_tool(name, tool_input, Call(context, on_progress), ALL_TOOLS))
    except ResearchError as error:
        return to_json({"error": error.sentence()})
