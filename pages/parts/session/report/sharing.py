"""Offer the session's address, and links that let others read the session without an account."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import streamlit as st

from parts.server.addresses import is_loopback
from parts.server.shared_sessions import build_shared_address
from parts.server.sign_in import home_path
from parts.shared import current_user, failures
from parts.shared.wording import format_moment
from research_core.i18n import N_, _, ngettext
from research_core.sessions.snapshot import Snapshot
from research_core.userdata import shares
from research_core.userdata.shares import Share
from research_core.wiring import default_resources

#: State of the tab: the new link's address by session, shown until the screen is left.
NEW_LINK = "new_link"
READ_ONLY = N_("Read-only link: no account needed, this session only.")


def draw_menu(snapshot: Snapshot) -> None:
    """Draw the menu with the session's address and its read-only links."""
    with st.popover(_("Share"), icon=":material/share:", key="share_menu"):
        _draw_links(snapshot.session)


@st.fragment
def _draw_links(session: str) -> None:
    st.caption(_("Copy link to this session:"))
    st.code(build_session_address(session), language=None, wrap_lines=True)
    if is_loopback(urlsplit(_find_origin()).hostname or ""):
        st.caption(_("Links work on this computer only. For others, use Download."))
    st.caption(_(READ_ONLY))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Expires after"),
            shares.LIFETIMES_DAYS,
            key="share_days",
            format_func=_format_days,
            width=140,
        )
        st.button(
            _("Create link"),
            key="create_share",
            icon=":material/add_link:",
            on_click=_create_link,
            args=(session,),
        )
    with failures.show_failures():
        failures.draw_kept_failure()
        made_for, address = st.session_state.get(NEW_LINK, ("", ""))
        if made_for == session:
            st.code(address, language=None, wrap_lines=True)
            st.caption(_("Copy it now. It is not shown again."))
        _draw_existing(session)


def _draw_existing(session: str) -> None:
    resources = default_resources()
    who = current_user.current_principal()
    for share in shares.list_shares(resources.db, who, session, resources.clock.now()):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            st.caption(_describe_link(share))
            st.button(
                _("Revoke"),
                key=f"revoke_{share.key[:16]}",
                help=_("The link stops working at once"),
                on_click=_revoke_link,
                args=(share.key,),
            )


def _describe_link(share: Share) -> str:
    return _("Created {created}, expires {expires}").format(
        created=format_moment(share.created), expires=format_moment(share.expires)
    )


def _format_days(days: int) -> str:
    return ngettext("{count} day", "{count} days", days).format(count=days)


def _create_link(session: str) -> None:
    days = st.session_state["share_days"]
    resources = default_resources()
    who = current_user.current_principal()
    with failures.keep_failures():
        token = shares.create_share(resources.db, who, session, resources.clock.now(), days)
        st.session_state[NEW_LINK] = (session, build_shared_address(_find_origin(), token))


def _revoke_link(key: str) -> None:
    resources = default_resources()
    who = current_user.current_principal()
    with failures.keep_failures():
        shares.revoke_share(resources.db, who, key, resources.clock.now())
    st.session_state.pop(NEW_LINK, None)


def build_session_address(session: str) -> str:
    """Return the address of a session's report, for its owner."""
    return f"{_find_origin()}{home_path()}report?{urlencode({'session': session})}"


def _find_origin() -> str:
    """Return scheme and host by which this browser reaches the app."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
