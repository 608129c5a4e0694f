"""Draw the frame of every screen: page settings, sign-in, current session, navigation."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st

from parts.shared import current_user, failures, session_header, stylesheet, unsaved_fields
from research_core.text.words import clean_for_screen, strip_invisible
from research_core.wiring import default_resources

SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
HERE = Path(__file__).parent
#: Screens by menu; those of "" are in the bar itself, those of "Session" are the tabs of a session.
SCREENS = {
    "": (
        ("ask.py", "Ask", "edit"),
        ("sessions.py", "Sessions", "list"),
        ("library.py", "Library", "local_library"),
        ("tools.py", "Tools", "build"),
        ("citations.py", "Citations", "fact_check"),
        ("settings.py", "Settings", "tune"),
    ),
    "More": (
        ("compare.py", "Compare", "compare_arrows"),
        ("replay.py", "Replay", "history"),
        ("my_data.py", "My data", "person"),
        ("how_far.py", "How far can you trust this?", "verified"),
    ),
    "Session": (
        ("report.py", "Report", "article"),
        ("sources.py", "Sources", "table_rows"),
        ("gate.py", "Gate", "rule"),
        ("live.py", "Activity", "monitoring"),
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
            "The address names no session: its id was cut short or altered. Follow the link again,"
            " or open one from Sessions."
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
        is_tab = menu == "Session"
        pages = offered.setdefault("" if is_tab else menu, [])
        for file, title, icon in rows:
            page = st.Page(
                file,
                title=title,
                icon=f":material/{icon}:",
                default=file == "ask.py",
                visibility="hidden" if is_tab else "visible",
            )
            pages.append(page)
            known[page.url_path] = page
    asked = screen_name_in_address()
    if asked not in known:  # the first screen's name is ""
        names = get_close_matches(asked.lower(), filter(None, known), n=1)
        likely = [known[name] for name in names]
        offered[""].append(
            st.Page(
                partial(draw_no_screen, asked, likely),
                title="No such screen",
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
    st.title("There is no such screen", anchor=False)
    st.markdown(
        f"The address asks for “{clean_for_screen(asked, 60)}”, and no screen has that name."
    )
    for page in likely:
        st.page_link(page, label=f"Did you mean {clean_for_screen(page.title)}?")
    session_header.draw_start_links()


def draw_frame() -> None:
    """Draw the requested screen and everything around it."""
    st.set_page_config(page_title="Assay", page_icon="⚖️", layout="wide")
    st.logo(HERE / "mark.svg", size="large")
    st.html(f"<style>{stylesheet.read_stylesheet()}</style>")
    if current_user.requires_sign_in() and not current_user.is_signed_in():
        current_user.draw_sign_in()
        draw_footer()
        st.stop()
    keep_session()
    page = st.navigation(list_screens(), position="top")
    # A second call changes the title alone, which is known only now.
    st.set_page_config(page_title=f"{strip_invisible(page.title)} · Assay")
    current_user.draw_badge()
    with failures.show_failures():
        for trouble in default_resources().trouble:
            failures.draw_failure(trouble.message, trouble.next_step)
        page.run()
    draw_footer()


def draw_footer() -> None:
    unsaved_fields.draw()
    st.html('<footer data-shell="assay">Assay · every sentence shows what let it in</footer>')


draw_frame()
