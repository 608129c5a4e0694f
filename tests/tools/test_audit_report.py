"""audit_report: off unless its group or the tool itself is chosen, and what it answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_core import tools
from research_core.interfaces.mcp.resources import list_shown_tools
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from tests.audits import PAGES, REPORT, AuditWeb, open_resources

NAME = "audit_report"


@pytest.mark.parametrize(
    ("groups", "offered"),
    [("", False), ("web,trust", False), ("reports", True), ("web,reports", True)],
)
def test_it_is_off_unless_its_group_is_chosen(groups: str, offered: bool) -> None:
    settings = Settings.from_env({"ASSAY_TOOL_GROUPS": groups})
    assert (NAME in {row.name for row in list_shown_tools(settings)}) is offered


def test_the_specified_tools_stay_the_default() -> None:
    assert len(tools.CLIENT_TOOLS) == 29
    assert [row.name for row in tools.EXTRA_TOOLS] == [NAME]
    assert NAME in {row.name for row in tools.list_run_tools([NAME])}


def test_it_answers_sentence_by_sentence(tmp_path: Path) -> None:
    web = AuditWeb(PAGES)
    caller = ToolCaller(open_resources(tmp_path, web, ASSAY_TOOL_GROUPS="reports"))
    served = caller.serve(NAME, {"report": REPORT.replace("away from\nthe", "away from the")})
    answer = served.answer
    assert answer is not None, served.error
    verdicts = {claim["text"][:12]: claim["verdict"] for claim in answer["claims"]}
    assert verdicts["The Strangfo"] == "supported"
    assert verdicts["Harbour seal"] == "partly"
    assert verdicts["Nobody measu"] == "could_not_check"
    assert "2019" in answer["claims"][0]["citations"][0]["passage"]
    assert answer["summary"]["claims"] == len(answer["claims"])
    assert [source["state"] for source in answer["sources"]] == ["live", "live", "dead", "live"]
    pages = [call for call in web.calls if "example.org" in call.split()[1]]
    assert len(pages) == len(set(pages))
