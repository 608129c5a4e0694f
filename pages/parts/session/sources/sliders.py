"""The sliders of what-if and what was decided by hand; both stand in the address, so that a what-if
can be shared.

What they come to is the core's business (`whatif`); it is worked out once for each state, whichever
part of the screen asks first.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from parts.shared import current_user, failures
from research_core.pipeline.assessment import CORROBORATION, PAGE
from research_core.policy import PARTS, Override
from research_core.sessions import runner, whatif
from research_core.sessions.reading import Reading
from research_core.sessions.whatif import Dials, WhatIf
from research_core.wiring import default_office

#: The parts of the screen that are drawn anew when a slider moves, what is looked at first before
#: the rest.
FRAGMENTS = ("turn", "list", "effect", "ledger")
#: Without it Chromium takes table and chart in one go, and the table is there after 250 ms instead
#: of 170; the chart is no later for it.
PAINT_S = 0.1
#: What of an assessment can be switched off beside what is known of hosts. It is shown here and is
#: no setting of a run.
READ = (PAGE, CORROBORATION)
#: What the parts of an assessment are called, in the address too.
NAMES = {
    "override": "Your word",
    "ratings": "Expert ratings",
    "institution": "Institutions",
    "outlet": "Outlets",
    "name": "Names",
    "tier": "Kind of address",
    "unknown": "Not known",
    PAGE: "The page",
    CORROBORATION: "Others",
}
#: What can be done by hand, and the name under which the address holds the sources it was done to.
HANDS = {"approve": "approved", "strike": "struck", "restore": "restored"}


class Slider(NamedTuple):
    """name: of `Dials`; high: 0 where the budget of the mode is the end; width in pixels."""

    name: str
    label: str
    low: float
    high: float
    width: int
    help: str


SLIDERS = (
    Slider(
        "minimum",
        "Minimum credibility",
        0.0,
        1.0,
        200,
        "A source that scores this or less is blocked: it is not fetched and not used.",
    ),
    Slider(
        "domain",
        "Site ×",
        0.0,
        1.0,
        120,
        "Weight of the authority of the site: academic 0.9, general web 0.4 and so on.",
    ),
    Slider(
        "words",
        "Words ×",
        0.0,
        1.0,
        120,
        "Weight of the share of the question's words that stand in the snippet.",
    ),
    Slider("date", "Date +", 0.0, 1.0, 120, "Added where the snippet holds a recent date."),
    Slider("cutoff", "Relevance from", 1, 5, 120, "A source judged this or higher, of 5, is kept."),
    Slider("full", "Full report from", 1, 0, 120, "So many kept sources make a full report."),
    Slider(
        "short",
        "Short report from",
        1,
        0,
        120,
        "So many make a short one with a disclaimer, and fewer make none.",
    ),
)


def redraw(*fragments: str) -> None:
    """From a callback: draw these parts of the screen and nothing else, without any those that
    what-if touches.

    Somebody quick moves a slider before the screen is drawn to its end; then all of it is drawn
    anew, as a part that is not there yet cannot be asked for.
    """
    if not st.session_state.get("if_drawn"):
        st.rerun()
    st.session_state["if_moved"] = True
    st.rerun(fragments or FRAGMENTS)


def table_first() -> None:
    """Call before the chart is drawn: after a slider moved, the browser gets time to paint figures
    and table before it is busy again.
    """
    if st.session_state.pop("if_moved", False):
        time.sleep(PAINT_S)


# -- the state ---------------------------------------------------------------------------------------------------------------


def follow(shown: Reading) -> bool:
    """Call before anything is drawn: whether this is another session than before.

    Then it starts with what the address says, and where that says nothing with its own settings.
    """
    st.session_state["if_drawn"] = False
    before = st.session_state.get("if_session")
    if before == shown.session:
        return False
    st.session_state["if_session"] = shown.session
    st.session_state.update(if_hands=_of_address(shown), if_said={})
    if before is not None:  # on a fresh visit the sliders take it from the address by themselves
        st.session_state["if_set"] = {slider.name: _asked(slider, shown) for slider in SLIDERS} | {
            "parts": _switched("if_parts", PARTS, whatif.dials(shown.run).parts),
            "read": _switched("if_read", READ, READ),
        }
    return True


def _asked(slider: Slider, shown: Reading) -> Any:
    """Where the address wants a slider; the session's own setting where it names none that the
    slider can show.
    """
    own = getattr(whatif.dials(shown.run), slider.name)
    try:
        asked = type(own)(st.query_params.get(f"if_{slider.name}", own))
    except ValueError:
        return own
    return asked if slider.low <= asked <= _end(slider, own, shown) else own


def _switched(name: str, options: Sequence[str], own: Sequence[str]) -> list[str]:
    """Which of these the address wants to count, by their names as it holds them; the session's own
    where it says nothing.
    """
    asked = st.query_params.get_all(name)
    return [part for part in options if (NAMES[part] in asked if asked else part in own)]


def _end(slider: Slider, own: Any, shown: Reading) -> Any:
    return type(own)(slider.high or max(shown.run.mode.max_sources, own, 2))


def drawn() -> None:
    """Call once all is drawn."""
    st.session_state["if_drawn"] = True


def _of_address(shown: Reading) -> dict[str, str]:
    """What the address says was done by hand, {URL: what}; names of no source of this session are
    passed over.
    """
    urls = {name_of(url): url for url in shown.run.sources}
    asked = {name: do for do, param in HANDS.items() for name in st.query_params.get_all(param)}
    return {urls[name]: do for name, do in asked.items() if name in urls}


@lru_cache(maxsize=4096)
def name_of(url: str) -> str:
    """A source in an address: short, and the same for ever."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _reset(shown: Reading) -> None:
    st.session_state.update(if_hands={}, if_said={})
    turn(shown, **asdict(whatif.dials(shown.run)), read=READ)


def turn(shown: Reading, **values: Any) -> None:
    """From a callback: set sliders, by the names of `Dials`."""
    st.session_state["if_set"] = (
        asdict(turned(shown)) | {"read": counted()} | values
    )  # a widget's own value would not outlive this rerun
    redraw()


def hands() -> Mapping[str, str]:
    """What was decided by hand here and is not yet the session's: {URL: what}."""
    by_hand: dict[str, str] = st.session_state.get("if_hands", {})
    return by_hand


def can_decide(shown: Reading) -> bool:
    """Whether approve, strike and restore would be taken: by the run before its gate, by what-if
    once nothing runs.
    """
    return not shown.at_work or shown.run.gated is None


def decide(shown: Reading, do: str, url: str) -> None:
    """From a callback: approve, strike or restore a source: at once where the session is at work,
    else in what-if, for the re-write.
    """
    if shown.at_work:
        with failures.kept():
            runner.command(default_office(), shown.session, do, url=url, who=current_user.who())
    else:
        source = shown.run.sources[url]
        stands = "approve" if source.approved else "strike" if source.struck else "restore"
        others = {other: done for other, done in hands().items() if other != url}
        st.session_state["if_hands"] = others if do == stands else {**others, url: do}
    redraw()


def turned(shown: Reading) -> Dials:
    """Where the sliders stand; the session's own settings where they are not drawn yet."""
    own = whatif.dials(shown.run)
    stand = {
        slider.name: st.session_state.get(f"if_{slider.name}", getattr(own, slider.name))
        for slider in SLIDERS
    }
    return Dials(
        **stand,
        parts=tuple(part for part in PARTS if part in st.session_state.get("if_parts", own.parts)),
    )


def counted() -> list[str]:
    """Which of READ count."""
    return [part for part in READ if part in st.session_state.get("if_read", READ)]


def off() -> tuple[str, ...]:
    """Which of READ do not."""
    return tuple(part for part in READ if part not in counted())


def as_ran(shown: Reading) -> bool:
    """Whether all stands as the session ran, but for READ."""
    return turned(shown) == whatif.dials(shown.run) and not hands() and not words()


def words() -> Mapping[str, Override]:
    """The analyst's own on hosts, as far as they are tried here: {host: word}."""
    said: dict[str, Override] = st.session_state.get("if_said", {})
    return said


def say(word: Override) -> None:
    """From a callback: try a word on a host."""
    st.session_state["if_said"] = {**words(), word.host: word}
    redraw()


def now(shown: Reading) -> WhatIf:
    """The session under the sliders and hands. Raises UsageError for settings that no run can have."""
    settings = whatif.tuned(shown.run, turned(shown), hands(), words())
    known: tuple[Reading, WhatIf] | None = st.session_state.get("if_known")
    if known and known[0] is shown and known[1].settings == settings:
        return known[1]
    what = whatif.under(shown.run, settings)
    st.session_state["if_known"] = (shown, what)
    return what


# -- drawing -----------------------------------------------------------------------------------------------------------------


def row(shown: Reading, switches: Callable[[list[str]], None]) -> None:
    """The sliders side by side, the switches of what is known of hosts, and the way back to what
    the session ran under.
    """
    own = whatif.dials(shown.run)
    for name, value in st.session_state.pop("if_set", {}).items():
        st.session_state[f"if_{name}"] = list(value) if name in ("parts", "read") else value
    with st.container(horizontal=True, key="sliders", vertical_alignment="bottom"):
        for slider in SLIDERS:
            _slider(slider, getattr(own, slider.name), shown)
        switches(list(own.parts))
        still = as_ran(shown) and not off()
        st.button(
            "Reset",
            key="if_back",
            icon=":material/undo:",
            on_click=_reset,
            args=(shown,),
            disabled=still,
        )
    _keep_in_address()
    if turned(shown).short > turned(shown).full:
        st.caption(
            f"A short report cannot need more sources than a full one: {turned(shown).full} counts"
            " for both."
        )


def _slider(slider: Slider, value: Any, shown: Reading) -> None:
    step: Any = 0.01 if isinstance(value, float) else 1
    st.slider(
        slider.label, type(value)(slider.low), _end(slider, value, shown), value, step,
        key=f"if_{slider.name}", help=slider.help,
        width=slider.width, bind="query-params", on_change=redraw,
    )  # fmt: skip


def _keep_in_address() -> None:
    for do, param in HANDS.items():
        names = sorted(name_of(url) for url, done in hands().items() if done == do)
        if names != st.query_params.get_all(param):
            st.query_params[param] = names
            if not names:
                del st.query_params[param]
