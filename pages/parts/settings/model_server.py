"""Draw the models found at the OpenAI-compatible address, what they cost, and a test of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from parts.settings.engines_and_models import format_trial
from parts.shared import current_user, failures, health, jobs
from parts.shared.html_text import escape_line
from research_core.errors import ResearchError
from research_core.sessions import diagnostics
from research_core.sessions.diagnostics import ServerModel
from research_core.text.words import clean_for_screen, format_count
from research_core.wiring import default_resources

LISTING, TESTING = "server models", "trial of a server model"


def draw() -> None:
    """Draw the server's models, if an address is configured."""
    address = diagnostics.describe_model_server(default_resources().settings)
    if not address:
        return
    heading = "Models of the server"
    if not current_user.requires_sign_in():
        heading = f"Models at {address}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f"<p><b>{escape_line(heading)}</b></p>", width="stretch")
        st.button(
            "List models", key="list_models", disabled=jobs.is_under_way(LISTING), on_click=_list
        )
    try:
        found: Sequence[ServerModel] | None = jobs.take_result(LISTING)
    except ResearchError as error:
        _draw_failure(error)
        found = None
    if found is not None:
        _draw_models(found)
    jobs.follow_jobs(LISTING, TESTING)


def _list() -> None:
    resources = default_resources()
    jobs.forget_job(TESTING)
    jobs.start_job(
        LISTING,
        "Asking the server for its models",
        lambda _report_progress: diagnostics.find_server_models(resources),
    )


def _draw_models(found: Sequence[ServerModel]) -> None:
    if not found:
        st.caption("The server is running and has no model yet. For Ollama: `ollama pull NAME`.")
        return
    by_name = {model.name: model for model in found}
    chosen = [clean_for_screen(model.name, 80) for model in found if model.chosen]
    in_use = ", ".join(chosen) or "none"
    st.caption(
        f"{format_count(len(found), 'model')}; in use: {in_use}. ASSAY_OPENAI_MODELS chooses them."
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name = st.selectbox(
            "Model", list(by_name), format_func=partial(_format_model, by_name), key="server_model"
        )
        st.button(
            "Test this model",
            key="test_model",
            disabled=jobs.is_under_way(TESTING),
            on_click=_test,
            args=(name,),
        )
    with failures.show_failures():
        tried = jobs.take_result(TESTING)
        if tried and tried.name == name:
            st.html(
                f'<p class="tried" role="status">{health.HEALTH_BADGES[tried.state].html}'
                f" {escape_line(format_trial(tried), 600)}</p>"
            )


def _format_model(by_name: dict[str, ServerModel], name: str) -> str:
    return f"{clean_for_screen(name.partition(':')[2], 80)} · {by_name[name].cost}"


def _test(name: str) -> None:
    resources = default_resources()
    jobs.start_job(
        TESTING,
        f"Asking {clean_for_screen(name.partition(':')[2], 80)}",
        lambda _report_progress: diagnostics.try_model(resources, name),
    )


def _draw_failure(error: ResearchError) -> None:
    badge = health.HEALTH_BADGES["failed"].html
    st.html(f'<p class="tried" role="status">{badge} {escape_line(error.sentence(), 600)}</p>')
