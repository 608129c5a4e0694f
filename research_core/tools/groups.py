"""Groups of tools that an MCP server can offer by themselves, and how a tool is described to its
clients, at length or in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from research_core.errors import SettingsError
from research_core.model_messages import Json
from research_core.tools.registry import Tool

GROUPS: Mapping[str, tuple[str, ...]] = {
    "web": (
        "web_search",
        "news_search",
        "image_search",
        "local_search",
        "scrape_page",
        "search_and_scrape",
    ),
    "scholarly": ("academic_search", "citation_graph"),
    "records": ("patent_search", "filing_search", "legal_search", "econ_search", "clinical_search"),
    "sessions": ("sequential_search", "get_research_session", "research_export"),
    "bibliography": ("format_bibliography",),
    "trust": ("verify_citation", "audit_bibliography", "verify_recommendation", "archive_source"),
    "answers": ("answer", "structured_search"),
    "brand": ("brand_research",),
    "memory": (
        "memory_save",
        "memory_recall",
        "workspace_contribute",
        "workspace_read",
        "get_my_analytics",
    ),
}


def select_groups(rows: Sequence[Tool], groups: Sequence[str]) -> list[Tool]:
    """The rows of these groups, all where none is named. Raises SettingsError for a group nobody
    knows.
    """
    for name in groups:
        if name not in GROUPS:
            raise SettingsError(
                f"There is no group of tools {name!r}.",
                next_step=f"ASSAY_TOOL_GROUPS takes: {', '.join(GROUPS)}.",
            )
    wanted = {name for group in groups for name in GROUPS[group]}
    return [row for row in rows if not groups or row.name in wanted]


def find_group(name: str) -> str:
    """The group a tool belongs to, "" for none."""
    return next((group for group, names in GROUPS.items() if name in names), "")


def describe_tool(row: Tool, compact: bool = False) -> tuple[str, Json]:
    """(description, schema of the arguments). compact: the first sentence, and parameters without
    their descriptions.
    """
    schema = {
        **row.schema,
        "properties": {
            name: _simplify_parameter(each, compact)
            for name, each in row.schema["properties"].items()
        },
    }
    text = " ".join(row.description.split())
    return (text.split(". ")[0].rstrip(".") + "." if compact else text), schema


def _simplify_parameter(parameter: Json, compact: bool) -> Json:
    """A parameter as clients read it: that it may be null goes without saying, and so do its title
    and a default of null.
    """
    told: dict[str, Any] = {
        name: value for name, value in parameter.items() if name not in ("title", "anyOf")
    }
    options = [each for each in parameter.get("anyOf", ()) if each.get("type") != "null"]
    told |= options[0] if len(options) == 1 else {"anyOf": options} if options else {}
    without = {"description"} if compact else set()
    return {
        name: value
        for name, value in told.items()
        if name not in without and not (name == "default" and value is None)
    }
