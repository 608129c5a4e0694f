"""Group the tools that an MCP server can offer separately, and describe a tool to its clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from research_core.errors import SettingsError
from research_core.model_messages import Json
from research_core.search import providers
from research_core.settings import Settings, variable_of
from research_core.tools.registry import Tool

#: Kinds of providers whose tools also take an engine of the web by its name.
WEB_NAMED_KINDS = frozenset({"papers", "patents"})
#: The keys of a schema that are written for readers only.
PROSE_KEYS = frozenset({"title", "description"})
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
    "reports": ("audit_report",),
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
    """Return the tools of these groups, or all but the extra ones for no group.

    Raises SettingsError for an unknown group.
    """
    for name in groups:
        if name not in GROUPS:
            raise SettingsError(
                f"There is no group of tools {name!r}.",
                next_step=f"ASSAY_TOOL_GROUPS takes: {', '.join(GROUPS)}.",
            )
    if not groups:
        return [row for row in rows if not row.extra]
    wanted = {name for group in groups for name in GROUPS[group]}
    return [row for row in rows if row.name in wanted]


def find_group(name: str) -> str:
    """Return the group that a tool belongs to, "" for none."""
    for group, names in GROUPS.items():
        if name in names:
            return group
    return ""


def list_required_settings(row: Tool) -> tuple[str, ...]:
    """Return the alternative settings that would make a tool available.

    Settings that only work together are joined by " and ".
    """
    if row.switch:
        return (f"{variable_of(row.switch)}=true",)
    ways = providers.list_ways_to_configure(row.asks)
    return () if row.always or "" in ways else ways


def list_provider_names(row: Tool, settings: Settings) -> list[str]:
    """Return the values of `provider` that can be asked here, in order."""
    kind = row.asks or "web"
    names = providers.list_configured_names(kind, settings)
    if kind in WEB_NAMED_KINDS:
        names += providers.list_configured_names("web", settings)
    return list(dict.fromkeys(names))


def describe_tool(
    row: Tool, compact: bool = False, provider_names: Sequence[str] = ()
) -> tuple[str, Json]:
    """Return the description of a tool and the JSON Schema of its arguments.

    compact: only the first sentence, and parameters without descriptions. provider_names: the
    values listed for `provider`, () to list none.
    """
    schema = row.schema
    schema.pop("title", None)
    schema["properties"] = {
        name: _simplify_parameter(parameter, compact)
        for name, parameter in schema["properties"].items()
    }
    if compact and "$defs" in schema:
        schema["$defs"] = _drop_descriptions(schema["$defs"])
    if provider_names and "provider" in schema["properties"]:
        schema["properties"]["provider"]["enum"] = list(provider_names)
    text = " ".join(row.description.split())
    if compact:
        text = text.split(". ")[0].rstrip(".") + "."
    return text, schema


def _drop_descriptions(definitions: Json) -> Json:
    """Return the definitions of records without the titles and descriptions of their fields."""
    shortened: Json = {}
    for name, record in definitions.items():
        plain = {key: value for key, value in record.items() if key not in PROSE_KEYS}
        if "properties" in record:
            plain["properties"] = {
                field: _simplify_parameter(parameter, compact=True)
                for field, parameter in record["properties"].items()
            }
        shortened[name] = plain
    return shortened


def _simplify_parameter(parameter: Json, compact: bool) -> Json:
    """Return the schema of a parameter without its title, its null option and a null default."""
    simplified: dict[str, Any] = {
        name: value for name, value in parameter.items() if name not in ("title", "anyOf")
    }
    options = [option for option in parameter.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        simplified |= options[0]
    elif options:
        simplified["anyOf"] = options
    if compact:
        simplified.pop("description", None)
    if "default" in simplified and simplified["default"] is None:
        del simplified["default"]
    return simplified
