"""`ask --plan` and `approve`: what is printed, asked and done, with a terminal and without one."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_core.interfaces.cli.plan import PlanAnswer, ask_about_plan, format_plan
from research_core.pipeline.plan_review import PlanLimits
from research_core.sessions.plan_approval import ProposedPlan
from tests.terminal import QUESTION, ROOT, Said, ask, assay, command, whales

PLAN = ProposedPlan(
    question="How deep do seals dive?",
    strategy="ask around",
    note="",
    queries=("seal dives", "deep seals"),
    sub_questions=("How deep?",),
    limits=PlanLimits(queries=2, sub_questions=2),
)


def answer(*typed: str) -> tuple[PlanAnswer, list[str]]:
    """Return what is decided where these lines are typed, and what was printed."""
    lines: Iterator[str] = iter(typed)
    printed: list[str] = []

    def read_line(prompt: str) -> str:
        printed.append(prompt)
        try:
            return next(lines) + "\n"
        except StopIteration:
            raise EOFError from None

    return ask_about_plan(PLAN, read_line, printed.append), printed


ANSWERS = (
    ("start", ["s"], PlanAnswer(True, PLAN.queries, PLAN.sub_questions)),
    ("in full", [" START "], PlanAnswer(True, PLAN.queries, PLAN.sub_questions)),
    ("cancel", ["c"], PlanAnswer(False)),
    ("something else first", ["yes", "", "s"], PlanAnswer(True, PLAN.queries, PLAN.sub_questions)),
    ("kept", ["e", "", "", "", "", "s"], PlanAnswer(True, PLAN.queries, PLAN.sub_questions)),
    ("replaced", ["e", "Seehunde", "", "Warum?", "", "s"], PlanAnswer(True, ("Seehunde", "deep seals"), ("Warum?",))),
    ("removed", ["e", "-", "-", "", "-", "", "s"], PlanAnswer(True, (), ())),
    ("added", ["e", "-", "", "more seals", "", "Why?", "s"], PlanAnswer(True, ("deep seals", "more seals"), ("How deep?", "Why?"))),
    ("reset", ["e", "-", "-", "", "-", "", "r", "s"], PlanAnswer(True, PLAN.queries, PLAN.sub_questions)),
    ("edited twice", ["e", "海豹", "", "", "", "e", "", "-", "", "", "", "s"], PlanAnswer(True, ("海豹",), PLAN.sub_questions)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "decided"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
def test_plan_is_edited_line_by_line(typed: list[str], decided: PlanAnswer) -> None:
    assert answer(*typed)[0] == decided


def test_end_of_the_input_decides_nothing() -> None:
    with pytest.raises(EOFError):
        answer("e", "")


def test_plan_is_printed_on_one_line_each_without_controls() -> None:
    lines = format_plan(PLAN, ["seals\n\x1b[31mred"], [])
    assert lines[0] == "Strategy: ask around"
    assert "Sub-questions: none" in lines
    assert not any("\n" in line or "\x1b" in line for line in lines)


# ---------------------------------------------------------------- without a terminal


@pytest.fixture
def library(assay_home: Path, tmp_path: Path) -> None:
    assert assay("library", "add", str(whales(tmp_path / "pages")), "--name", "whales").code == 0


@pytest.fixture
def waiting(library: None) -> Said:
    said = ask("--plan")
    assert said.code == 5
    return said


def test_without_a_terminal_the_plan_is_printed_with_the_command_that_approves_it(
    waiting: Said,
) -> None:
    assert f"Question, always searched: {QUESTION}" in waiting.out
    assert "Queries:" in waiting.out
    assert f"`assay approve {waiting.session}` starts the research" in waiting.err
    assert "library: " not in waiting.err  # nothing was searched
    assert f"`assay approve {waiting.session}`" in assay("show", waiting.session).out
    assert f"{waiting.session}  waiting " in assay("sessions").out


def test_approve_goes_on_with_the_proposed_plan(waiting: Said) -> None:
    said = assay("approve", waiting.session)
    assert said.code == 0
    assert "The analyst approved the plan before the run, without changes." in said.out
    assert assay("replay", waiting.session).last == "The replayed report is identical."


def test_approve_takes_other_queries_and_sub_questions(waiting: Said, tmp_path: Path) -> None:
    out = tmp_path / "report.md"
    said = assay(
        "approve", waiting.session, "--query", "squid hunts", "--query", " squid  hunts ",
        "--sub-question", "How long do they dive?", "--out", str(out),
    )  # fmt: skip
    assert said.code == 0
    written = out.read_text(encoding="utf-8")
    assert "“squid hunts” (planned)" in written
    assert "Added to the sub-questions: “How long do they dive?”." in written


def test_approve_without_queries_searches_for_the_question_alone(waiting: Said) -> None:
    said = assay("approve", waiting.session, "--no-queries", "--no-sub-questions")
    assert said.code == 0
    assert "(planned)" not in said.out


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--query", "a", "--query", "b", "--query", "c"], "this mode uses at most 2"),
        (["--query", "squid " * 50], "A query has 299 characters"),
        (["--query", "a", "--no-queries"], "not allowed with argument"),
        (["--sub-question", "a", "--no-sub-questions"], "not allowed with argument"),
        (["--out", "/nowhere/at/all.md"], "cannot be written"),
    ],
)
def test_approve_that_cannot_be_leaves_the_session_waiting(
    waiting: Said, flags: list[str], why: str
) -> None:
    said = assay("approve", waiting.session, *flags)
    assert said.code == 2
    assert why in said.err
    assert f"{waiting.session}  waiting " in assay("sessions").out


def test_approve_twice_and_of_nothing_is_wrong_use(waiting: Said) -> None:
    assert assay("approve", waiting.session).code == 0
    again = assay("approve", waiting.session)
    assert again.code == 2
    assert "is already approved" in again.err
    assert assay("approve", "0123").code == 2


def test_resume_shows_the_plan_again_and_cancel_ends_the_wait(waiting: Said) -> None:
    again = assay("resume", waiting.session)
    assert again.code == 5
    assert again.out == waiting.out
    assert assay("cancel", waiting.session).code == 0
    refused = assay("approve", waiting.session)
    assert refused.code == 2
    assert "it is cancelled" in refused.err


def test_a_follow_up_of_such_a_session_waits_too(waiting: Said) -> None:
    assert assay("approve", waiting.session).code == 0
    said = assay("follow", waiting.session, "How long do they dive?")
    assert said.code == 5
    assert assay("approve", said.session).code in (0, 3)


def test_a_rewrite_keeps_the_plan_and_does_not_wait(waiting: Said) -> None:
    assert assay("approve", waiting.session, "--query", "squid hunts").code == 0
    said = assay("rewrite", waiting.session, "--relevance-cutoff", "2")
    assert said.code == 0
    assert "“squid hunts” (planned)" in said.out


def test_the_agentic_strategy_is_refused(library: None, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ask("--plan", "--strategy", "agentic")
    assert said.code == 2
    assert "makes no plan to approve" in said.err


# ---------------------------------------------------------------- at a terminal


def at_terminal(typed: str, *words: str) -> Said:
    """Run a command in a process of its own whose input is a terminal with these lines typed."""
    near, far = pty.openpty()
    os.write(near, typed.encode())
    try:
        done = subprocess.run(
            command(*words),
            cwd=ROOT,
            stdin=far,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
    finally:
        os.close(near)
        os.close(far)
    return Said(done.returncode, done.stdout, done.stderr)


ASK = ("ask", QUESTION, "--library", "whales", "--no-web", "--plan")


def test_at_a_terminal_the_plan_is_edited_and_started(library: None) -> None:
    said = at_terminal("e\nsquid hunts\n-\n\n\ns\n", *ASK)
    assert said.code == 0
    assert "“squid hunts” (planned)" in said.out
    assert "Start research [s]" in said.err
    assert "Start research" not in said.out


def test_at_a_terminal_a_line_that_is_too_long_is_asked_for_again(library: None) -> None:
    said = at_terminal(f"e\n{'squid ' * 50}\n-\n\n\ns\ne\nsquid hunts\n-\n\n\ns\n", *ASK)
    assert "A query has 299 characters; the limit is 200" in said.err
    assert said.code == 0
    assert "“squid hunts” (planned)" in said.out


def test_at_a_terminal_the_session_is_cancelled_or_left_waiting(library: None) -> None:
    said = at_terminal("c\n", *ASK)
    assert said.code == 1
    assert said.last.endswith("The session was cancelled.")
    said = at_terminal("\x04", *ASK)
    assert said.code == 5
    assert "The plan waits for your approval." in said.err
    assert f"{said.session}  waiting " in assay("sessions").out
