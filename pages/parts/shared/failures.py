"""Show a failure: what happened and what to do next, in the core's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from research_core.errors import ResearchError
from research_core.i18n import N_, _, gettext
from research_core.text.words import clean_for_screen

#: What to do on the screens, by the next step that names a command.
SCREEN_STEPS = {
    N_("`assay sessions` lists those there are."): N_("The screen Sessions lists those there are."),
    N_("`assay sessions` lists the waiting sessions."): N_(
        "The screen Sessions lists the waiting sessions."
    ),
    N_("`assay resume {session}` continues it."): N_("Resume it on the screen Activity."),
    N_("`assay resume {session}` finishes it."): N_("Resume it on the screen Activity."),
    N_("`assay rewrite {session}` researches its question and writes a report."): N_(
        "Ask its question again on the screen Ask."
    ),
    N_("`assay approve {session}` starts the research."): N_(
        "Approve or cancel its plan on the screen Activity."
    ),
    N_("`assay approve {session}` starts the research; `assay cancel {session}` cancels it."): N_(
        "Approve or cancel its plan on the screen Activity."
    ),
    N_("`assay show {session}` shows its status."): N_("The screen Activity shows its status."),
    N_("`assay tools list` shows what it needs."): N_("The screen Tools shows what it needs."),
    N_("`assay library list {library}` names those it has."): N_(
        "The screen Library names those it has."
    ),
    N_("`assay library list` and the app's Library screen show the libraries there are."): N_(
        "The screen Library shows the libraries there are."
    ),
    N_(
        "`assay library add FOLDER --name {library}` creates it; `assay library list` lists the"
        " libraries."
    ): N_("The screen Library shows the libraries there are."),
    N_(
        "`assay library restore` without a name, and the app's Library screen, list those that can"
        " be restored."
    ): N_("The screen Library lists those that can be restored."),
    N_("Give the id of one of them instead, as in `assay library restore {id}`."): N_(
        "Choose one of them on the screen Library."
    ),
    N_(
        "Restore it under another name: type one on the Library screen, or add `--as NAME` to the"
        " command."
    ): N_("Restore it under another name: type one on the screen Library."),
    N_(
        "Give an address, a title or a file name; `assay library list --name {library}` shows them."
    ): N_("Give an address, a title or a file name. The screen Library shows them."),
    N_("The report is stored; `assay export {session}` writes it elsewhere."): N_(
        "The report is stored. The screen Report offers it under Download."
    ),
    N_("Start it with `assay audit FILE`."): N_("Start it on the screen Check a report."),
    N_("`assay ratings list` names those there are."): N_(
        "The screen Settings shows the lists of ratings there are."
    ),
}


@contextmanager
def show_failures() -> Iterator[None]:
    """Draw the core's errors. Other exceptions go to Streamlit, which shows only their type.

    Never use it in a callback: what a callback draws appears above the app and breaks fragments.
    """
    try:
        yield
    except ResearchError as error:
        draw_failure(error.message, error.next_step)


@contextmanager
def keep_failures() -> Iterator[None]:
    """Keep the core's errors for `draw_kept_failure`, until the next one. For callbacks."""
    forget_failure()
    try:
        yield
    except ResearchError as error:
        st.session_state["refused"] = (_current_screen(), error)


def draw_kept_failure() -> None:
    """Draw the error that the last callback kept.

    Call it first in the widget's fragment, or on the page if the widget is in none.
    """
    where, error = st.session_state.get("refused", (None, None))
    if error is not None and where == _current_screen():
        draw_failure(error.message, error.next_step)


def forget_failure() -> None:
    """Drop the kept error. For callbacks."""
    st.session_state.pop("refused", None)


def _current_screen() -> tuple[str, str | None]:
    """Return the screen and its session; an error is shown only where it occurred."""
    return st.context.url or "", st.session_state.get("session")


def describe_step(next_step: str) -> str:
    """Return a next step in the current language, with screens in place of commands."""
    from research_core.web.failure_texts import find_failure_text, translate_failure

    known = find_failure_text(next_step)
    if known is not None and known[0] in SCREEN_STEPS:
        return gettext(SCREEN_STEPS[known[0]])
    return translate_failure(next_step)


def draw_failure(message: str, next_step: str = "") -> None:
    from research_core.web.failure_texts import translate_failure  # late: most screens draw none

    shown = clean_for_screen(translate_failure(message), 600)
    st.error(shown, icon=":material/error:")
    if next_step:
        step = clean_for_screen(describe_step(next_step), 600)
        text = _("**Next step:** {step}").format(step=step)
        st.markdown(text)
