"""What an error says to do next on a screen."""

from __future__ import annotations

import pytest

from parts.shared.failures import SCREEN_STEPS, describe_step
from research_core.web.failure_texts import find_failure_text


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        ("`assay sessions` lists those there are.", "The screen Sessions lists those there are."),
        ("`assay resume 0198-ab` continues it.", "Resume it on the screen Activity."),
        (
            "`assay approve 7f` starts the research; `assay cancel 7f` cancels it.",
            "Approve or cancel its plan on the screen Activity.",
        ),
        ("`assay library list 論文` names those it has.", "The screen Library names those it has."),
        ("`assay tools list` shows what it needs.", "The screen Tools shows what it needs."),
        ("Check GEMINI_API_KEY.", "Check GEMINI_API_KEY."),
        ("", ""),
    ],
)
def test_a_next_step_names_the_screen_in_place_of_a_command(step: str, shown: str) -> None:
    assert describe_step(step) == shown


@pytest.mark.parametrize("text", SCREEN_STEPS)
def test_every_command_that_is_replaced_is_one_that_errors_name(text: str) -> None:
    step = text.replace("{session}", "s1").replace("{library}", "papers")
    assert find_failure_text(step) is not None
    assert "`" not in describe_step(step)
