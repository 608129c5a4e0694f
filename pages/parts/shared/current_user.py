"""Identify the current user, and draw sign-in and sign-out where the server requires them.

A server requires sign-in if its secrets have an [auth] section (OpenID Connect). Without it,
everybody at this machine is one user.
"""

from __future__ import annotations

import streamlit as st
from streamlit.errors import StreamlitAuthError

from parts.shared import failures
from research_core.errors import UsageError
from research_core.i18n import N_, _
from research_core.models import Principal
from research_core.text.words import clean_for_screen
from research_core.userdata.sign_ins import build_principal
from research_core.wiring import LOCAL_USER

SECRETS_HINT = N_(
    "Check the [auth] section of .streamlit/secrets.toml against docs/settings.md#sign-in."
)


def current_principal() -> Principal:
    """Return the user of this browser. Raises UsageError if a required sign-in is missing."""
    if not requires_sign_in():
        return LOCAL_USER
    who = build_principal(st.user.to_dict())
    if who is None:
        raise UsageError(
            _("You are not signed in."), next_step=_("Open Assay's first page and sign in.")
        )
    return who


def requires_sign_in() -> bool:
    """Return True if this server requires sign-in; once True, it stays True for the tab."""
    if "is_logged_in" in st.user:
        st.session_state["asked_to_sign_in"] = True
    return bool(st.session_state.get("asked_to_sign_in"))


def is_signed_in() -> bool:
    """Return True if somebody is; `server.guards` lets no message of an ended sign-in through."""
    return build_principal(st.user.to_dict()) is not None


def draw_sign_in() -> None:
    """Draw the sign-in screen. `server.guards` keeps the address to return to."""
    if st.session_state.get("signing_out"):
        st.title(_("Signing out"), anchor=False)
        st.markdown(
            _(
                "You are signed out when this screen says “Sign in”. If nothing happens, reload and"
                " sign out again."
            )
        )
        return
    with st.container(key="sign_in"):
        st.title(_("Sign in"), anchor=False)
        st.markdown(
            _(
                "Your questions, sources and reports are yours alone. Sign in to see them, or to"
                " follow your link."
            )
        )
        if st.button(_("Sign in"), key="login", type="primary", icon=":material/login:"):
            _go_to_sign_in()


def _go_to_sign_in() -> None:
    try:
        st.login()
    except StreamlitAuthError as error:
        failures.draw_failure(
            _("Sign-in is not set up correctly: {reason}").format(
                reason=" ".join(str(error).split())
            ),
            _(SECRETS_HINT),
        )


def draw_badge() -> None:
    """Draw the signed-in user and the sign-out button, if sign-in is required."""
    if not requires_sign_in():
        return
    name = st.user.get("name")
    mail = st.user.get("email")
    with st.container(
        key="me", horizontal=True, horizontal_alignment="right", vertical_alignment="center"
    ):
        st.caption(
            clean_for_screen(str(name or mail or st.user["sub"]), 60),
            width="content",
            help=clean_for_screen(str(mail), 100) if name and mail else None,
        )
        st.button(_("Sign out"), key="logout", type="tertiary", on_click=sign_out)


def sign_out() -> None:
    """Sign out: drop the user from this tab, then open the address that ends the sign-in.

    `server.guards` ends it on the server there, which closes the other tabs of this browser.
    """
    st.session_state["signing_out"] = True
    st.logout()
