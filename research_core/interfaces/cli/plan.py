"""Show the plan of a session that waits for approval, and ask the analyst at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from research_core.text.words import to_single_line

if TYPE_CHECKING:
    from research_core.sessions.plan_approval import ProposedPlan

#: Reads a line that the analyst types after a prompt. Raises EOFError at the end of the input.
ReadLine = Callable[[str], str]
#: Prints a line.
PrintLine = Callable[[str], None]
#: Typed instead of a line to remove it.
REMOVE = "-"


@dataclass(frozen=True)
class PlanAnswer:
    """What the analyst decided. start: False cancels the session."""

    start: bool
    queries: tuple[str, ...] = ()
    sub_questions: tuple[str, ...] = ()


def ask_about_plan(plan: ProposedPlan, read_line: ReadLine, print_line: PrintLine) -> PlanAnswer:
    """Show the plan, let the analyst edit it any number of times, and return the decision.

    Raises EOFError at the end of the input.
    """
    queries, sub_questions = plan.queries, plan.sub_questions
    while True:
        for line in format_plan(plan, queries, sub_questions):
            print_line(line)
        answer = read_line("Start research [s], edit [e], reset [r] or cancel [c]? ")
        match answer.strip().lower():
            case "s" | "start":
                return PlanAnswer(True, queries, sub_questions)
            case "c" | "cancel":
                return PlanAnswer(False)
            case "r" | "reset":
                queries, sub_questions = plan.queries, plan.sub_questions
            case "e" | "edit":
                print_line(
                    f"Press Enter to keep a line, type {REMOVE} to remove it, or type a new line."
                )
                limits = plan.limits
                queries = _edit_lines("Query", queries, limits.queries, read_line)
                sub_questions = _edit_lines(
                    "Sub-question", sub_questions, limits.sub_questions, read_line
                )
            case _:
                print_line("Type s, e, r or c.")


def format_plan(
    plan: ProposedPlan, queries: Sequence[str], sub_questions: Sequence[str]
) -> list[str]:
    """Format the plan with these queries and sub-questions, one string a line."""
    lines = [f"Strategy: {plan.strategy}"]
    if plan.note:
        lines.append(plan.note)
    lines.append(f"Question, always searched: {plan.question}")
    for title, texts in (("Queries", queries), ("Sub-questions", sub_questions)):
        lines.append(f"{title}:" if texts else f"{title}: none")
        lines += [f"  {number}. {text}" for number, text in enumerate(texts, 1)]
    return [to_single_line(line) for line in lines]


def _edit_lines(what: str, texts: Sequence[str], most: int, read_line: ReadLine) -> tuple[str, ...]:
    """Let the analyst replace, remove and add lines. most: lines at most."""
    kept = []
    for number, text in enumerate(texts, 1):
        typed = read_line(f"{what} {number} [{to_single_line(text)}]: ").strip()
        if typed != REMOVE:
            kept.append(typed or text)
    while len(kept) < most:
        typed = read_line(f"Another {what.lower()} (Enter to finish): ").strip()
        if typed in ("", REMOVE):
            break
        kept.append(typed)
    return tuple(kept)
