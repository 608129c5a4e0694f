"""Draw the frame of every screen: page settings, sign-in, current session, navigation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st

from parts.shared import (
    connection,
    current_user,
    failures,
    follow_up,
    menu_roles,
    session_header,
    session_state,
    stylesheet,
    unsaved_fields,
)
from research_core.i18n import N_, _, is_right_to_left
from research_core.journal.rule_versions import RELEASE
from research_core.text.words import clean_for_screen, strip_invisible
from research_core.wiring import default_resources

SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
HERE = Path(__file__).parent
#: Screens by menu; those of "" are in the bar itself, those of "session" are the tabs of a session.
SCREENS = {
    "": (
        ("ask.py", N_("Ask"), "edit"),
        ("sessions.py", N_("Sessions"), "list"),
        ("check_report.py", N_("Check a report"), "rule_settings"),
        ("library.py", N_("Library"), "local_library"),
        ("tools.py", N_("Tools"), "build"),
        ("citations.py", N_("Citations"), "fact_check"),
        ("settings.py", N_("Settings"), "tune"),
    ),
    N_("More"): (
        ("compare.py", N_("Compare"), "compare_arrows"),
        ("replay.py", N_("Replay"), "history"),
        ("my_data.py", N_("My data"), "person"),
        ("how_far.py", N_("How far can you trust this?"), "verified"),
    ),
    "session": (
        ("report.py", N_("Report"), "article"),
        ("sources.py", N_("Sources"), "table_rows"),
        ("gate.py", N_("Gate"), "rule"),
        ("live.py", N_("Activity"), "monitoring"),
    ),
}


def keep_session() -> None:
    """Keep the session ID both in the address and in st.session_state["session"].

    The address serves links and reloads; the state survives navigation, which drops it. The address
    wins. Anything that is not an ID is dropped there too, so that no page sees it.
    """
    asked = st.query_params.get("session", st.session_state.get("session"))
    if asked is not None and not SESSION_ID.fullmatch(asked):
        st.warning(
            _("The session's ID in this link is damaged. Follow the link again, or use Sessions.")
        )
        del st.query_params["session"]
        asked = None
    st.session_state["session"] = asked
    if asked is not None and st.query_params.get("session") != asked:
        st.query_params["session"] = asked


def list_screens() -> dict[str, list[st.Page]]:
    """Return the navigation's pages, and a "no such screen" page if the address names none.

    Streamlit would silently open the first screen.
    """
    offered: dict[str, list[st.Page]] = {}
    known: dict[str, st.Page] = {}
    for menu, rows in SCREENS.items():
        is_tab = menu == "session"
        pages = offered.setdefault("" if is_tab or not menu else _(menu), [])
        for file, title, icon in rows:
            page = st.Page(
                file,
                title=_(title),
                icon=f":material/{icon}:",
                default=file == "ask.py",
                visibility="hidden" if is_tab else "visible",
            )
            pages.append(page)
            known[page.url_path] = known[file.removesuffix(".py")] = page
    asked = screen_name_in_address()
    if asked not in known:  # the first screen has "" and the name of its file
        names = get_close_matches(asked.lower(), filter(None, known), n=1)
        likely = [known[name] for name in names]
        offered[""].append(
            st.Page(
                partial(draw_no_screen, asked, likely),
                title=_("No such screen"),
                url_path=asked,
                visibility="hidden",
            )
        )
    return offered


def screen_name_in_address() -> str:
    """Return the part of the address that names the screen, "" for the first."""
    path = unquote(urlsplit(st.context.url or "").path).strip("/")
    return path.removeprefix(st.get_option("server.baseUrlPath").strip("/")).rpartition("/")[2]


def draw_no_screen(asked: str, likely: list[st.Page]) -> None:
    st.title(_("There is no such screen"), anchor=False)
    st.markdown(_("No screen has the name “{name}”.").format(name=clean_for_screen(asked, 60)))
    for page in likely:
        st.page_link(
            page, label=_("Did you mean {screen}?").format(screen=clean_for_screen(page.title))
        )
    session_header.draw_start_links()


def draw_frame() -> None:
    """Draw the requested screen and everything around it."""
    st.set_page_config(page_title=_("Assay"), page_icon="⚖️", layout="wide")
    st.logo(HERE / "mark.svg", size="large")
    st.html(f"<style>{_format_labels()}{stylesheet.read_stylesheet()}</style>")
    if current_user.requires_sign_in() and not current_user.is_signed_in():
        current_user.draw_sign_in()
        draw_footer("", [])
        st.stop()
    keep_session()
    screens = list_screens()
    page = st.navigation(screens, position="top")
    # A second call changes the title alone, which is known only now.
    st.set_page_config(page_title=f"{strip_invisible(page.title)} · Assay")
    if st.session_state.get("screen") != page.url_path:
        st.session_state["screen"] = page.url_path
        follow_up.forget_refusal()
    if page.url_path != "live":
        session_state.stop_watching()
    current_user.draw_badge()
    with failures.show_failures():
        for trouble in default_resources().trouble:
            failures.draw_failure(trouble.message, trouble.next_step)
        page.run()
    paths = [each.url_path for pages in screens.values() for each in pages]
    draw_footer(next((menu for menu, pages in screens.items() if page in pages), ""), paths)


def _format_labels() -> str:
    """Return the words that the style sheets show, as properties."""
    menu = json.dumps(_("Menu"), ensure_ascii=False)
    direction, start = "", "left"
    if is_right_to_left():
        start = "right"
        direction = (
            "[data-testid='stApp'] { direction: rtl }"
            " [data-testid='stHeading'] :is(h1, h2, h3) { text-align: right !important }"
            " .stMarkdown, [data-testid='stElementContainer'] { text-align: start }"
            # Streamlit moves it out to the left, which shows it over the page.
            " [data-testid='stSidebar'][data-collapsed='true'] { visibility: hidden }"
        )
    return f":root {{ --menu-label: {menu}; --start: {start} }} {direction}"


def draw_footer(menu_section: str, paths: Sequence[str]) -> None:
    """Draw the end of the screen, and install the scripts of every screen.

    paths: the last parts of the addresses of the screens.
    """
    unsaved_fields.draw()
    connection.draw()
    menu_roles.draw(menu_section, paths)
    st.html(f'<footer data-shell="assay">{_("Assay")} {RELEASE}</footer>')


draw_frame()
