"""Assay's core: a question becomes a report whose every sentence can be checked.

A program researches a question and prints the report like this:

    from research_core import RunSettings, default_resources, memory_log
    from research_core import open_session_deps, research, to_markdown

    question = "What is deep-sea mining?"
    resources = default_resources()  # settings from the environment
    resources.library().prepare("sample")  # or name your own library in RunSettings
    run = RunSettings(mode="quick", engines=("library",))
    with open_session_deps(resources, memory_log(question), run) as deps:
        report = research(question, deps)
    print(to_markdown(report))

The names in `__all__`, the environment variables, the command line, the tools' wire contract and
`report.schema.json` are stable: a change to them is announced in CHANGELOG.md one release before.
Everything else may change in any release. Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from research_core.context import ResearchContext, memory_log
    from research_core.models import Report
    from research_core.pipeline.report import to_json, to_markdown
    from research_core.pipeline.run import research
    from research_core.policy import RunSettings
    from research_core.settings import Settings
    from research_core.tools import TOOLS, fetch_page, run_tool, score_source, search_web
    from research_core.wiring import Resources, default_resources, open_session_deps

__version__ = "0.2.0"

__all__ = [
    "TOOLS",
    "Report",
    "ResearchContext",
    "Resources",
    "RunSettings",
    "Settings",
    "default_resources",
    "fetch_page",
    "memory_log",
    "open_session_deps",
    "research",
    "run_tool",
    "score_source",
    "search_web",
    "to_json",
    "to_markdown",
]

#: The module that defines each public name.
_HOMES = {
    "ResearchContext": "context",
    "memory_log": "context",
    "Report": "models",
    "to_json": "pipeline.report",
    "to_markdown": "pipeline.report",
    "research": "pipeline.run",
    "RunSettings": "policy",
    "Settings": "settings",
    "TOOLS": "tools",
    "fetch_page": "tools",
    "run_tool": "tools",
    "score_source": "tools",
    "search_web": "tools",
    "Resources": "wiring",
    "default_resources": "wiring",
    "open_session_deps": "wiring",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
