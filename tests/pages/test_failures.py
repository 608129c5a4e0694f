"""What an error says to do next on a screen."""

from __future__ import annotations

import pytest

from parts.server.guards import draw_refusal
from parts.shared.failures import SCREEN_STEPS, describe_step
from research_core.errors import ResearchError
from research_core.web.failure_texts import COMMAND_FAILURES, FAILURES, find_failure_text

#: Next steps for which the screens have no control.
COMMANDS_ONLY = {
    "Start again: a new one will be made. `assay data salvage` then recovers what can be read.",
}
#: Next steps that screens can raise and that name a command.
OF_COMMANDS = {
    text for text in {*FAILURES} - {*COMMAND_FAILURES} if "`assay" in text or "`--" in text
}


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
        (
            "Give an address, a title or a file name; `assay library list --name 'Книги'`"
            " shows them.",
            "Give an address, a title or a file name. The screen Library shows them.",
        ),
        (
            "`assay library add FOLDER --name Bücher` creates it; `assay library list` lists the"
            " libraries.",
            "The screen Library shows the libraries there are.",
        ),
        (
            "Give the id of one of them instead, as in `assay library restore 0198`.",
            "Choose one of them on the screen Library.",
        ),
        ("Start it with `assay audit FILE`.", "Start it on the screen Check a report."),
        ("Check GEMINI_API_KEY.", "Check GEMINI_API_KEY."),
        ("", ""),
    ],
)
def test_a_next_step_names_the_screen_in_place_of_a_command(step: str, shown: str) -> None:
    assert describe_step(step) == shown


@pytest.mark.parametrize("text", SCREEN_STEPS)
def test_every_command_that_is_replaced_is_one_that_errors_name(text: str) -> None:
    step = text.format(session="s1", library="papers", id="0198")
    assert find_failure_text(step) is not None
    assert "`" not in describe_step(step)


def test_every_command_that_a_screen_could_name_is_replaced() -> None:
    assert OF_COMMANDS - {*SCREEN_STEPS} == COMMANDS_ONLY


def test_the_page_of_a_refused_request_names_screens_too() -> None:
    step = "`assay sessions` lists those there are."
    body = bytes(draw_refusal(ResearchError("It failed.", next_step=step)).body).decode()
    assert "The screen Sessions lists those there are." in body
    assert "assay sessions" not in body
