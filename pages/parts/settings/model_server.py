"""Draw the models found at the OpenAI-compatible address, what they cost, and a test of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from parts.settings.engines_and_models import draw_trial
from parts.shared import current_user, failures, health, jobs
from parts.shared.html_text import escape_line
from research_core.errors import ResearchError
from research_core.i18n import _, join_list, ngettext
from research_core.sessions import diagnostics
from research_core.sessions.diagnostics import ServerModel
from research_core.text.words import clean_for_screen
from research_core.web.failure_texts import describe_failure
from research_core.wiring import default_resources

LISTING, TESTING = "server_models", "server_model_trial"


def draw(choose: Callable[[str], None] | None = None) -> None:
    """Draw the server's models, if an address is configured.

    choose: makes one of them the model of the server; None where settings cannot be changed.
    """
    address = diagnostics.describe_model_server(default_resources().settings)
    if not address:
        return
    heading = _("Model server")
    if not current_user.requires_sign_in():
        heading = _("Models at {address}").format(address=address)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f"<p><b>{escape_line(heading)}</b></p>", width="stretch")
        st.button(
            _("List models"),
            key="list_models",
            disabled=jobs.is_under_way(LISTING),
            on_click=start_listing,
        )
    try:
        found: Sequence[ServerModel] | None = jobs.take_result(LISTING)
    except ResearchError as error:
        _draw_failure(error)
        found = None
    if found is not None:
        _draw_models(found, choose)
    jobs.follow_jobs(LISTING, TESTING)


def start_listing() -> None:
    """Ask the server for its models; the screen draws them once they arrive."""
    resources = default_resources()
    jobs.forget_job(TESTING)
    jobs.start_job(
        LISTING,
        _("Listing models"),
        lambda _report_progress: diagnostics.find_server_models(resources),
    )


def _draw_models(found: Sequence[ServerModel], choose: Callable[[str], None] | None) -> None:
    if not found:
        st.caption(_("The server has no models yet. For Ollama: `ollama pull NAME`."))
        return
    by_name = {model.name: model for model in found}
    chosen = [clean_for_screen(model.name, 80) for model in found if model.chosen]
    text = ngettext(
        "{count:,} model. In use: {names}. Set by `ASSAY_OPENAI_MODELS`.",
        "{count:,} models. In use: {names}. Set by `ASSAY_OPENAI_MODELS`.",
        len(found),
    )
    st.caption(text.format(count=len(found), names=join_list(chosen) or _("none")))
    unlisted = diagnostics.list_unlisted_models(default_resources(), found)
    if unlisted:
        missing = _("Set, but not listed by the server: {names}.")
        names = [clean_for_screen(name, 80) for name in unlisted]
        st.caption(missing.format(names=join_list(names)))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name = st.selectbox(
            _("Model"),
            list(by_name),
            format_func=partial(_format_model, by_name),
            key="server_model",
        )
        st.button(
            _("Test model"),
            key="test_model",
            disabled=jobs.is_under_way(TESTING),
            on_click=_test,
            args=(name,),
        )
        if choose is not None and not default_resources().settings.openai_models:
            st.button(
                _("Use this model"),
                key="use_server_model",
                type="primary",
                on_click=choose,
                args=(name,),
            )
    with failures.show_failures():
        tried = jobs.take_result(TESTING)
        if tried and tried.name == name:
            draw_trial(tried)


def _format_model(by_name: dict[str, ServerModel], name: str) -> str:
    return f"{clean_for_screen(name.partition(':')[2], 80)} · {by_name[name].cost}"


def _test(name: str) -> None:
    resources = default_resources()
    jobs.start_job(
        TESTING,
        _("Testing {name}").format(name=clean_for_screen(name.partition(":")[2], 80)),
        lambda _report_progress: diagnostics.try_model(resources, name),
    )


def _draw_failure(error: ResearchError) -> None:
    badge = health.HEALTH_BADGES["failed"].html
    st.html(
        f'<p class="tried" role="status">{badge} {escape_line(describe_failure(error), 600)}</p>'
    )
