"""Draw the form that connects a language model, and the choice of the language of the screens.

Both write to the file `.env` and apply at once. Only the user of this machine gets them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from parts.server import addresses
from parts.settings import engines_and_models, model_server
from parts.shared import current_user, failures
from parts.shared.html_text import escape_with_code
from research_core.errors import SettingsError, UsageError
from research_core.i18n import LANGUAGES, N_, _, current_language, join_sentences
from research_core.sessions import diagnostics, settings_change
from research_core.sessions.settings_change import SettingsFile, find_settings_file
from research_core.wiring import default_resources

PROVIDERS = {"gemini": N_("Gemini"), "openai": N_("OpenAI-compatible server")}
#: The variables of each provider.
VARIABLES = {
    "gemini": ("GEMINI_API_KEY",),
    "openai": ("ASSAY_OPENAI_BASE_URL", "ASSAY_OPENAI_MODELS", "ASSAY_OPENAI_API_KEY"),
}
DEFAULT_MODELS = {
    "auto": N_("Automatic: a connected model, else none"),
    **PROVIDERS,
    "offline": N_("None: quotes sentences"),
}
#: Keys of the widgets, by the variables that they set.
FIELDS = {
    "GEMINI_API_KEY": "new_gemini_key",
    "ASSAY_OPENAI_BASE_URL": "new_server_address",
    "ASSAY_OPENAI_MODELS": "new_server_models",
    "ASSAY_OPENAI_API_KEY": "new_server_key",
    "ASSAY_MODEL": "new_default_model",
}
SAVED = "settings_saved"
#: The form's container; an address of Settings with `form=connect_model` opens there.
FORM = "connect_model"
scroll_to_form = st.components.v2.component(
    "assay_scroll_to_form",
    js=(Path(__file__).parents[2] / "scroll_to_form.js").read_text(encoding="utf-8"),
)


def find_obstacle() -> str:
    """Return why settings cannot be changed on the screen, "" if they can."""
    if current_user.requires_sign_in():
        return _("Users sign in to this server, so only its administrator sets models: in `.env`.")
    if not addresses.is_for_this_machine(default_resources()):
        return _("Other machines may reach this server, so models are set in `.env` only.")
    file = find_settings_file()
    if file is None:
        return _("Assay was not started by `run.py`: models are set as environment variables.")
    if not settings_change.is_writable(file.path):
        return _("`{file}` cannot be written, so models cannot be set here.").format(file=file.path)
    return ""


def draw() -> None:
    """Draw the form, or the reason why there is none; in view where the address asks for it."""
    if st.query_params.get("form") == FORM:
        scroll_to_form(key="scroll_to_form", data={"key": FORM})
    with st.container(key=FORM):
        _draw_form_or_obstacle()


def _draw_form_or_obstacle() -> None:
    obstacle, file = find_obstacle(), find_settings_file()
    st.subheader(_("Connect a language model"), anchor=False)
    if obstacle or file is None:
        st.caption(obstacle)
        return
    settings = default_resources().settings
    usual = "openai" if settings.openai_base_url and not settings.gemini_api_key else "gemini"
    st.session_state.setdefault("provider", usual)
    with st.container(key="provider_fields"):
        chosen = st.segmented_control(
            _("Provider"),
            list(PROVIDERS),
            key="provider",
            format_func=lambda name: _(PROVIDERS[name]),
            required=True,
            label_visibility="collapsed",
        )
        provider = chosen or usual
        with st.form("connect", border=False):
            if provider == "gemini":
                _draw_gemini_field(file)
            else:
                _draw_server_fields(file)
            _draw_default_model(file)
            with st.container(horizontal=True):
                st.form_submit_button(
                    _("Save and test"),
                    key="save_model",
                    type="primary",
                    on_click=_save,
                    args=(provider,),
                )
                if _is_connected(provider):
                    st.form_submit_button(
                        _("Remove"), key="remove_model", on_click=_remove, args=(provider,)
                    )
    saved = st.session_state.get(SAVED, "")
    if saved:
        st.html(f'<p class="tried" role="status">{escape_with_code(saved)}</p>')


def _draw_gemini_field(file: SettingsFile) -> None:
    _draw_key("GEMINI_API_KEY", _("API key"), default_resources().settings.gemini_api_key, file)


def _draw_server_fields(file: SettingsFile) -> None:
    settings = default_resources().settings
    known = {
        "ASSAY_OPENAI_BASE_URL": diagnostics.describe_server_address(settings),
        "ASSAY_OPENAI_MODELS": ", ".join(settings.openai_models),
    }
    for name, label, example in (
        ("ASSAY_OPENAI_BASE_URL", _("Address"), "http://localhost:11434/v1"),
        ("ASSAY_OPENAI_MODELS", _("Model"), "gemma3:4b"),
    ):
        st.session_state.setdefault(FIELDS[name], known[name])
        st.text_input(
            label,
            key=FIELDS[name],
            placeholder=example,
            disabled=name in file.overridden,
            help=_explain_override(name, file),
            autocomplete="off",
        )
    _draw_key("ASSAY_OPENAI_API_KEY", _("API key, if it needs one"), settings.openai_api_key, file)


def _draw_key(name: str, label: str, stored: str, file: SettingsFile) -> None:
    """Draw the field of a key. Of a stored key only the end is sent to the browser."""
    held = _("Not set")
    if stored:
        end = settings_change.describe_key(stored)
        held = _("Set, ends in {end}").format(end=end) if end else _("Set")
    st.text_input(
        label,
        key=FIELDS[name],
        type="password",
        placeholder=held,
        disabled=name in file.overridden,
        help=_explain_override(name, file),
        autocomplete="off",
    )


def _explain_override(name: str, file: SettingsFile) -> str | None:
    if name not in file.overridden:
        return None
    return _("The environment in which Assay was started sets `{name}`.").format(name=name)


def _draw_default_model(file: SettingsFile) -> None:
    chosen = default_resources().settings.model
    st.session_state.setdefault(FIELDS["ASSAY_MODEL"], chosen)
    st.selectbox(
        _("Default model"),
        list(dict.fromkeys((*DEFAULT_MODELS, chosen))),
        key=FIELDS["ASSAY_MODEL"],
        format_func=_format_default_model,
        disabled="ASSAY_MODEL" in file.overridden,
        help=_explain_override("ASSAY_MODEL", file),
    )


def _format_default_model(name: str) -> str:
    return _(DEFAULT_MODELS.get(name, name))


def _is_connected(provider: str) -> bool:
    settings = default_resources().settings
    return bool(settings.gemini_api_key if provider == "gemini" else settings.openai_base_url)


def _save(provider: str) -> None:
    """Write what was typed, and test the model. An empty key field keeps the stored key."""
    file = find_settings_file()
    typed: dict[str, str] = {}
    for name in (*VARIABLES[provider], "ASSAY_MODEL"):
        if file is not None and name not in file.overridden:
            typed[name] = str(st.session_state.get(FIELDS[name]) or "").strip()
    kept = [*settings_change.KEYS]
    settings = default_resources().settings
    if settings.openai_base_url and not diagnostics.describe_server_address(settings):
        kept.append("ASSAY_OPENAI_BASE_URL")  # its field is empty, as it has a password
    for name in kept:
        if not typed.get(name):
            typed.pop(name, None)
    with failures.keep_failures():
        _check_typed(provider, typed)
        _change(typed)
        _test_model(provider)


def _check_typed(provider: str, typed: dict[str, str]) -> None:
    settings = default_resources().settings
    if provider == "gemini" and not (typed.get("GEMINI_API_KEY") or settings.gemini_api_key):
        raise UsageError(_("No key was entered."), next_step=_("Paste the key of the Gemini API."))
    if provider == "openai" and typed.get("ASSAY_OPENAI_BASE_URL") == "":
        raise UsageError(
            _("No address was entered."),
            next_step=_("Enter the server's address, such as http://localhost:11434/v1."),
        )


def _remove(provider: str) -> None:
    changes = dict.fromkeys(VARIABLES[provider], "")
    if default_resources().settings.model.partition(":")[0] == provider:
        changes["ASSAY_MODEL"] = ""
    with failures.keep_failures():
        _change(changes)


def _change(changes: dict[str, str]) -> None:
    """Change settings, and empty the fields, so that no key stays in the tab's state."""
    st.session_state.pop(SAVED, None)
    for key in FIELDS.values():
        st.session_state.pop(key, None)
    for name in settings_change.KEYS:
        st.session_state[FIELDS[name]] = ""
    file, obstacle = find_settings_file(), find_obstacle()
    if file is None or obstacle:
        raise SettingsError(obstacle)
    settings_change.change_settings(default_resources(), file, changes)
    st.cache_data.clear()
    st.session_state[SAVED] = _("Saved in {file}. Applies to new questions.").format(file=file.path)
    if default_resources().settings.worker_only:
        st.session_state[SAVED] = _(
            "Saved in {file}. Restart the workers: `python3 run.py worker`."
        ).format(file=file.path)


def choose_server_model(name: str) -> None:
    """Use this model, which the server lists, and test it. name: as in run settings."""
    with failures.keep_failures():
        _change({"ASSAY_OPENAI_MODELS": name.removeprefix("openai:")})
        model_server.start_listing()
        _test_model("openai")


def _test_model(provider: str) -> None:
    """Test the connected model; of a server without a chosen one, list the models instead."""
    resources = default_resources()
    if provider == "openai" and not resources.settings.openai_models:
        missing = _("No model is chosen, so this server is not used yet: choose one of its models.")
        st.session_state[SAVED] = join_sentences([st.session_state[SAVED], missing])
        model_server.start_listing()
        return
    for item in diagnostics.list_models(resources.settings):
        if item.on and item.name.partition(":")[0] == provider:
            engines_and_models.start_trial(item.name, partial(diagnostics.try_model, resources))
            return


# -- language --------------------------------------------------------------------------------------


def draw_language() -> bool:
    """Draw the choice of the language of the screens. Return False where it cannot be changed."""
    file = find_settings_file()
    if find_obstacle() or file is None or "ASSAY_LANGUAGE" in file.overridden:
        return False
    st.session_state["language"] = current_language()
    st.selectbox(
        _("Interface language"),
        list(LANGUAGES),
        key="language",
        format_func=LANGUAGES.__getitem__,
        on_change=_change_language,
        width=320,
    )
    return True


def _change_language() -> None:
    with failures.keep_failures():
        _change({"ASSAY_LANGUAGE": st.session_state["language"]})
        st.session_state.pop(SAVED, None)
