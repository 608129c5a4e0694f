"""audit_report: off unless its group or the tool itself is chosen, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from research_core import tools
from research_core.context import ResearchContext
from research_core.interfaces.mcp.resources import list_shown_tools
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.tools.audit_report import (
    MAX_SOURCES,
    MAX_TITLES,
    NOT_JUDGED_NOTE,
    TIME_LIMIT_S,
    audit_report,
)
from research_core.tools.registry import Call
from research_core.wiring import default_deps
from tests.audits import (
    PAGES,
    REPORT,
    AuditResources,
    AuditWeb,
    audit,
    open_resources,
    page,
)
from tests.pipeline import test_audit_titles as titles
from tests.world import StillClock

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


def call(resources: AuditResources, report: str) -> dict[str, Any]:
    served = ToolCaller(resources).serve(NAME, {"report": report})
    assert served.answer is not None, served.error
    return dict(served.answer)


@pytest.mark.parametrize(
    "items",
    [
        "1. {}\n2. {}\n",
        "1) Review: {}\n2) Dives: {}\n",
        "  1. Überblick {}\r\n\r\n  2. 潜水 {}\r\n",
    ],
)
def test_a_list_without_a_heading_is_read_as_in_a_session(tmp_path: Path, items: str) -> None:
    first, second = list(PAGES)[:2]
    report = (
        "The Strangford turbine was switched off in 2019 after 11 years [1]. Tagged harbour seals"
        " passed the narrows less often while the turbine was running [2].\n\n"
    ) + items.format(first, second)
    answer = call(open_resources(tmp_path / "tool", ASSAY_TOOL_GROUPS="reports"), report)
    _, result = audit(open_resources(tmp_path / "session"), report)
    said = [claim["verdict"] for claim in answer["claims"]]
    assert said == [claim.verdict for claim in result.cited] == ["supported", "supported"]
    assert [row["line"] for row in answer["claims"]] == [claim.line for claim in result.cited]


def list_states(rows: Any) -> list[tuple[str, str, str]]:
    return [(row["source"], row["state"], row["reason"]) for row in rows]


@pytest.mark.parametrize(
    "listed",
    [
        titles.REPORT,
        titles.REPORT.replace("3. Interview.", f"3. {titles.TITLE}. {titles.ADDRESS}"),
        titles.REPORT.replace("3. Interview.", f"3. Sparling, C. (1999). {titles.TITLE}. Notes."),
        # The title is listed first, and cited last.
        titles.REPORT.replace("[1]", "[3]").replace("They swam [3]", "They swam [1]"),
    ],
)
def test_works_without_an_address_are_found_as_in_a_session(tmp_path: Path, listed: str) -> None:
    web = AuditWeb(titles.PAGES)
    resources = open_resources(tmp_path / "tool", web, ASSAY_TOOL_GROUPS="reports")
    answer = call(resources, listed)
    command = AuditWeb(titles.PAGES)
    _, result = audit(open_resources(tmp_path / "session", command), listed)
    assert list_states(answer["sources"]) == [
        (source.key, source.state, source.reason) for source in result.sources
    ]
    assert [claim["verdict"] for claim in answer["claims"]] == [
        claim.verdict.replace(" ", "_") for claim in result.cited
    ]
    assert titles.ADDRESS in {source["source"] for source in answer["sources"]}
    assert sorted(web.calls) == sorted(command.calls)  # the same cost
    assert not [each for each in web.calls if "passwd" in each]


def test_a_call_searches_some_titles_and_says_how_many_it_left(tmp_path: Path) -> None:
    marks = range(1, MAX_TITLES + 4)
    body = " ".join(f"Seals dived {n} times [{n}]." for n in marks)
    entries = "".join(f"{n}. Number {n} of the lost seal letters. Press.\n" for n in marks)
    web = AuditWeb(titles.PAGES)
    resources = open_resources(tmp_path, web, ASSAY_TOOL_GROUPS="reports")
    answer = call(resources, f"{body}\n\n## Sources\n\n{entries}")
    searched = [each for each in web.calls if "crossref.org/works {" in each]
    assert len(searched) == MAX_TITLES
    assert answer["skippedNote"] == f"3 titles beyond the first {MAX_TITLES} were not searched."
    reasons = [source["reason"] for source in answer["sources"]]
    assert all("no registry has a work" in reason for reason in reasons[:MAX_TITLES])
    assert set(reasons[MAX_TITLES:]) == {"It was not read."}


def test_the_note_counts_sources_that_have_an_address(tmp_path: Path) -> None:
    address = "https://data.example.org/page-{}"
    marks = range(1, MAX_SOURCES + 4)
    pages = {address.format(n): page(f"Page {n}", f"Seals dived {n} times.") for n in marks}
    body = " ".join(f"Seals dived {n} times [{n}]." for n in [*marks, 99])
    unnamed = "99. Smith, J. (1999). A book. Publisher.\n98. Doe, A. (2001). Another book.\n"

    def check(count: int) -> dict[str, Any]:
        listed = "".join(f"{n}. {address.format(n)}\n" for n in marks[:count])
        report = f"{body}\n\n## Sources\n\n{listed}{unnamed}"
        home = tmp_path / str(count)
        return call(open_resources(home, AuditWeb(pages), ASSAY_TOOL_GROUPS="reports"), report)

    all_read = check(MAX_SOURCES)
    assert len(all_read["sources"]) == MAX_SOURCES + 2
    assert "skippedNote" not in all_read
    assert all_read["sources"][-1]["reason"] == "The report gives no address of it."
    assert all_read["claims"][-1]["note"] == "The report gives no address of it."
    assert check(MAX_SOURCES + 1)["skippedNote"] == (
        f"1 source beyond the first {MAX_SOURCES} was not read."
    )
    three = check(MAX_SOURCES + 3)["skippedNote"]
    assert three == f"3 sources beyond the first {MAX_SOURCES} were not read."


@dataclass
class PassingClock(StillClock):
    """A clock that stands still while sources are read, and then for some more looks.

    looks: after which the time of a call has passed.
    """

    looks: int
    is_reading: bool = True

    def monotonic(self) -> float:
        if self.is_reading:
            return 0.0
        self.looks -= 1
        return 0.0 if self.looks >= 0 else TIME_LIMIT_S + 1

    def follow(self, _event: str, detail: str) -> None:
        done, _, total = detail.removeprefix("sources: ").partition(" of ")
        self.is_reading = done != total


@pytest.mark.parametrize(
    ("judged", "note"),
    [
        (0, "5 sentences were not judged: no time was left."),
        (2, "3 sentences were not judged: no time was left."),
        (4, "1 sentence was not judged: no time was left."),
        (5, ""),
    ],
)
def test_judging_ends_with_the_time(tmp_path: Path, judged: int, note: str) -> None:
    report = REPORT.replace("away from\nthe", "away from the")
    context = ResearchContext("a report")
    deps = default_deps(context.log, open_resources(tmp_path))

    def ask(looks: int) -> dict[str, Any]:
        clock = PassingClock(looks)
        context.deps = replace(deps, clock=clock)
        return audit_report(Call(context, on_progress=clock.follow), report)

    answer = ask(judged)
    assert answer.get("skippedNote", "") == note
    claims = answer["claims"]
    assert len(claims) == answer["summary"]["claims"] == 5
    left = [claim for claim in claims if claim["note"] == NOT_JUDGED_NOTE]
    assert left == claims[judged:]
    assert {claim["verdict"] for claim in left} <= {"could_not_check"}
    assert answer["summary"]["could_not_check"] >= len(left)
    # A replay has the same answer, however fast it is.
    assert ask(1_000) == answer
