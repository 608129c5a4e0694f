"""Draw the what-if sliders, and keep them and manual decisions in the address.

`whatif` computes the effect, once for each state, whichever part of the screen asks first.
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
from research_core.i18n import N_, _
from research_core.modes import MAX_SOURCES, MIN_SOURCES
from research_core.pipeline.assessment import CORROBORATION_PART, PAGE_PART
from research_core.policy import AUTHORITY_PARTS, Override
from research_core.sessions import session_control
from research_core.sessions import whatif as whatifs
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import Dials, WhatIf
from research_core.wiring import default_resources

#: Fragments that are redrawn when the main slider moves, in the order in which users look at them.
#: The sliders are not among them: drawing them takes the browser as long as all the rest.
EFFECTS = ("turn", "list", "effect")
FRAGMENTS = ("main_slider", "advanced_sliders", *EFFECTS)
#: Pause before the chart, in seconds. Without it Chromium paints table and chart together, and the
#: table appears after 250 ms instead of 170; the chart is not delayed by it.
PAINT_S = 0.1
#: Parts of an assessment of read pages that can be switched off. They affect this screen only and
#: are not settings of a run.
READ_PARTS = (PAGE_PART, CORROBORATION_PART)
#: Labels of the parts of an assessment.
PART_LABELS = {
    "override": N_("Your rating"),
    "ratings": N_("Expert ratings"),
    "institution": N_("Institutions"),
    "outlet": N_("Outlets"),
    "name": N_("Names"),
    "tier": N_("Kind of site"),
    "unknown": N_("Unknown site"),
    PAGE_PART: N_("Page content"),
    CORROBORATION_PART: N_("Corroboration"),
}
#: Switches of parts, each a parameter of the address with the names of the parts that count.
SWITCHES = {"if_parts": AUTHORITY_PARTS, "if_read": READ_PARTS}
#: The value in the address that means "no part".
NO_PARTS = "none"
#: Manual decisions, each with the parameter that lists its sources in the address.
MANUAL_DECISIONS = {"approve": "approved", "strike": "struck", "restore": "restored"}


class Slider(NamedTuple):
    """name: a field of `Dials`; high: 0 if the mode's budget is the end; width in pixels.

    label, help: marked by N_.
    """

    name: str
    label: str
    low: float
    high: float
    width: int
    help: str


SLIDERS = (
    Slider(
        "minimum",
        N_("Minimum credibility"),
        0.0,
        1.0,
        280,
        N_("A source needs more than this to be read. At this or less it is blocked."),
    ),
    Slider("domain", N_("Site weight"), 0.0, 1.0, 280, N_("Weight of the site's authority")),
    Slider(
        "words",
        N_("Keyword weight"),
        0.0,
        1.0,
        280,
        N_("Weight of the question's words found in the snippet"),
    ),
    Slider(
        "date", N_("Date bonus"), 0.0, 1.0, 280, N_("Added when the snippet has a date since 2020")
    ),
    Slider(
        "cutoff",
        N_("Minimum relevance"),
        1,
        5,
        280,
        N_("Sources rated this or higher are kept"),
    ),
    Slider(
        "full", N_("Full report from"), 1, 0, 280, N_("Relevant sources that a full report needs")
    ),
    Slider(
        "short",
        N_("Short report from"),
        1,
        0,
        280,
        N_("Relevant sources that a short report needs. With fewer there is no report."),
    ),
    Slider(
        "sources",
        N_("Page limit"),
        MIN_SOURCES,
        MAX_SOURCES,
        280,
        N_("Pages that a rewrite may read, besides those you include"),
    ),
)
#: The slider that is always shown; the others are under Advanced.
MAIN_SLIDER, *ADVANCED_SLIDERS = SLIDERS


def redraw(*fragments: str) -> None:
    """Redraw only these fragments, by default those that what-if affects. For callbacks.

    Before the first draw is complete, the whole screen is redrawn instead, since a fragment that
    does not exist yet cannot be redrawn.
    """
    if not st.session_state.get("if_drawn"):
        st.rerun()
    st.session_state["if_moved"] = True
    st.rerun(fragments or FRAGMENTS)


def yield_to_table() -> None:
    """Give the browser time to paint figures and table. Call it before drawing the chart."""
    if st.session_state.pop("if_moved", False):
        time.sleep(PAINT_S)


# -- state -----------------------------------------------------------------------------------------


def follow_session(snapshot: Snapshot) -> bool:
    """Set the sliders for a new session. Return True if the session is another than before.

    Values come from the address, else from the session's settings. Call it before anything is
    drawn.
    """
    st.session_state["if_drawn"] = False
    before = st.session_state.get("if_session")
    if before == snapshot.session:
        return False
    st.session_state["if_session"] = snapshot.session
    st.session_state.update(if_hands=_read_manual_decisions(snapshot), if_said={})
    values: dict[str, Any] = {
        "parts": _read_switches("if_parts", whatifs.read_dials(snapshot.run).parts),
        "read": _read_switches("if_read", READ_PARTS),
    }
    # On a first visit the sliders take their values from the address by themselves.
    if before is not None:
        for slider in SLIDERS:
            values[slider.name] = _slider_start(slider, snapshot)
    st.session_state["if_set"] = values
    return True


def _slider_start(slider: Slider, snapshot: Snapshot) -> Any:
    """Return the slider's value from the address, or the session's if missing or invalid."""
    own = getattr(whatifs.read_dials(snapshot.run), slider.name)
    try:
        asked = type(own)(st.query_params.get(f"if_{slider.name}", own))
    except ValueError:
        return own
    if slider.low <= asked <= _slider_end(slider, own, snapshot):
        return asked
    return own


def _read_switches(param: str, own: Sequence[str]) -> list[str]:
    """Return the parts that the address switches on, or the session's own if it names none.

    Addresses of earlier versions name the parts by their English labels.
    """
    asked = st.query_params.get_all(param)
    named = [part for part in SWITCHES[param] if part in asked or PART_LABELS[part] in asked]
    if named or NO_PARTS in asked:
        return named
    return [part for part in SWITCHES[param] if part in own]


def _slider_end(slider: Slider, own: Any, snapshot: Snapshot) -> Any:
    return type(own)(slider.high or max(snapshot.run.mode.max_sources, own, 2))


def mark_drawn() -> None:
    """Record that the screen is complete. Call it once everything is drawn."""
    st.session_state["if_drawn"] = True


def _read_manual_decisions(snapshot: Snapshot) -> dict[str, str]:
    """Return {URL: decision} from the address; names of unknown sources are ignored."""
    urls = {short_source_name(url): url for url in snapshot.run.sources}
    decisions = {}
    for do, param in MANUAL_DECISIONS.items():
        for name in st.query_params.get_all(param):
            if name in urls:
                decisions[urls[name]] = do
    return decisions


@lru_cache(maxsize=4096)
def short_source_name(url: str) -> str:
    """Return a short, stable name of a source for addresses."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _reset(snapshot: Snapshot) -> None:
    st.session_state.update(if_hands={}, if_said={})
    set_sliders(snapshot, **asdict(whatifs.read_dials(snapshot.run)), read=READ_PARTS)


def set_sliders(snapshot: Snapshot, **values: Any) -> None:
    """Set sliders, by the names of `Dials`. For callbacks."""
    # All values are set again, since a widget's own value would not outlive this rerun.
    current = asdict(read_dials(snapshot)) | {"read": list_counted_parts()}
    st.session_state["if_set"] = current | values
    redraw()


def manual_decisions() -> Mapping[str, str]:
    """Return {URL: decision} of the manual decisions that the session does not have yet."""
    by_hand: dict[str, str] = st.session_state.get("if_hands", {})
    return by_hand


def can_decide(snapshot: Snapshot) -> bool:
    """Return True if manual decisions are accepted: before the gate, or after the run ended.

    Never in the check of a report, which reads every cited source.
    """
    if snapshot.run.settings.checks_report:
        return False
    return not snapshot.at_work or snapshot.run.gated is None


def decide(snapshot: Snapshot, do: str, url: str) -> None:
    """Include, exclude or restore a source, in the running session or in what-if. For callbacks.

    do: a key of MANUAL_DECISIONS.
    """
    if snapshot.at_work:
        with failures.keep_failures():
            session_control.send_command(
                default_resources(),
                snapshot.session,
                do,
                url=url,
                who=current_user.current_principal(),
            )
        redraw()
        return
    source = snapshot.run.sources[url]
    if source.approved:
        stands = "approve"
    elif source.struck:
        stands = "strike"
    else:
        stands = "restore"
    decisions = dict(manual_decisions())
    decisions.pop(url, None)
    if do != stands:
        decisions[url] = do
    st.session_state["if_hands"] = decisions
    redraw()


def read_dials(snapshot: Snapshot) -> Dials:
    """Return the sliders' values, or the session's settings if they are not drawn yet."""
    own = whatifs.read_dials(snapshot.run)
    values: dict[str, Any] = {}
    for slider in SLIDERS:
        values[slider.name] = st.session_state.get(f"if_{slider.name}", getattr(own, slider.name))
    if not own.sources:
        values["sources"] = 0  # whatever an address says
    counted = st.session_state.get("if_parts", own.parts)
    return Dials(**values, parts=tuple(part for part in AUTHORITY_PARTS if part in counted))


def list_counted_parts() -> list[str]:
    """Return the parts of READ_PARTS that count."""
    return [part for part in READ_PARTS if part in st.session_state.get("if_read", READ_PARTS)]


def list_parts_off() -> tuple[str, ...]:
    """Return the parts of READ_PARTS that are switched off."""
    return tuple(part for part in READ_PARTS if part not in list_counted_parts())


def is_as_run(snapshot: Snapshot) -> bool:
    """Return True if all settings but READ_PARTS are those of the run."""
    return (
        read_dials(snapshot) == whatifs.read_dials(snapshot.run)
        and not manual_decisions()
        and not tried_overrides()
    )


def tried_overrides() -> Mapping[str, Override]:
    """Return the host overrides that are tried here: {host: override}."""
    said: dict[str, Override] = st.session_state.get("if_said", {})
    return said


def try_override(override: Override) -> None:
    """Try an override of a host. For callbacks."""
    st.session_state["if_said"] = {**tried_overrides(), override.host: override}
    redraw()


def current_whatif(snapshot: Snapshot) -> WhatIf:
    """Return the session under the sliders and manual decisions.

    Raises UsageError for settings that no run can have.
    """
    settings = whatifs.tune_settings(
        snapshot.run, read_dials(snapshot), manual_decisions(), tried_overrides()
    )
    known: tuple[Snapshot, WhatIf] | None = st.session_state.get("if_known")
    if known and known[0] is snapshot and known[1].settings == settings:
        return known[1]
    whatif = whatifs.decide_under(snapshot.run, settings)
    st.session_state["if_known"] = (snapshot, whatif)
    return whatif


# -- drawing ---------------------------------------------------------------------------------------


def apply_values() -> None:
    """Set the sliders to the values that `set_sliders` keeps. Call it before any is drawn."""
    for name, value in st.session_state.pop("if_set", {}).items():
        st.session_state[f"if_{name}"] = list(value) if name in ("parts", "read") else value


def draw_main_slider(snapshot: Snapshot) -> None:
    own = whatifs.read_dials(snapshot.run)
    _draw_slider(MAIN_SLIDER, own.minimum, snapshot, *EFFECTS)


def draw_advanced(snapshot: Snapshot, switches: Mapping[str, Callable[[], None]]) -> None:
    """Draw the other sliders in a popover. switches: by the slider below which each is drawn."""
    own = whatifs.read_dials(snapshot.run)
    with st.popover(_label_advanced(snapshot), icon=":material/tune:", key="advanced"):
        for slider in ADVANCED_SLIDERS:
            if slider.name == "sources" and not own.sources:
                continue  # the mode has a fixed page limit
            _draw_slider(slider, getattr(own, slider.name), snapshot)
            if slider.name in switches:
                switches[slider.name]()
        dials = read_dials(snapshot)
        if dials.short > dials.full:
            st.caption(
                _(
                    "A short report cannot need more sources than a full one. {count} is used"
                    " for both."
                ).format(count=dials.full)
            )


def draw_reset(snapshot: Snapshot) -> None:
    st.button(
        _("Reset"),
        key="if_back",
        icon=":material/undo:",
        help=_("Back to the settings of this session"),
        on_click=_reset,
        args=(snapshot,),
        disabled=is_as_run(snapshot) and not list_parts_off(),
    )


def _label_advanced(snapshot: Snapshot) -> str:
    """Return the label of the popover, with the number of settings changed in it."""
    own = asdict(whatifs.read_dials(snapshot.run))
    current = asdict(read_dials(snapshot))
    changed = len(list_parts_off())
    for name in own:
        if name != MAIN_SLIDER.name and own[name] != current[name]:
            changed += 1
    return _("Advanced ({count})").format(count=changed) if changed else _("Advanced")


def _draw_slider(slider: Slider, value: Any, snapshot: Snapshot, *fragments: str) -> None:
    """Draw a slider. fragments: those to redraw when it moves, by default all."""
    step: Any = 0.01 if isinstance(value, float) else 1
    st.slider(
        _(slider.label),
        type(value)(slider.low),
        _slider_end(slider, value, snapshot),
        value,
        step,
        key=f"if_{slider.name}",
        help=_(slider.help),
        width=slider.width,
        bind="query-params",
        on_change=redraw,
        args=fragments,
    )


def draw_switch(label: str, param: str, own: Sequence[str], note: str, *fragments: str) -> None:
    """Draw a switch for each part of `SWITCHES[param]`. own: the session's parts.

    fragments: those to redraw, by default all.
    """
    st.pills(
        label,
        SWITCHES[param],
        selection_mode="multi",
        default=list(own),
        key=param,
        help=note,
        format_func=lambda part: _(PART_LABELS[part]),
        persist_state="session",
        on_change=redraw,
        args=fragments,
    )


def keep_in_address(snapshot: Snapshot) -> None:
    """Keep manual decisions and switches in the address; the sliders keep themselves."""
    own_parts = whatifs.read_dials(snapshot.run).parts
    for do, param in MANUAL_DECISIONS.items():
        _set_parameter(
            param,
            sorted(
                short_source_name(url) for url, done in manual_decisions().items() if done == do
            ),
        )
    for param, own in (("if_parts", own_parts), ("if_read", READ_PARTS)):
        counted = [part for part in SWITCHES[param] if part in st.session_state[param]]
        if counted == [part for part in SWITCHES[param] if part in own]:
            _set_parameter(param, [])
        else:
            _set_parameter(param, counted or [NO_PARTS])


def _set_parameter(param: str, values: list[str]) -> None:
    """Set a parameter of the address, or remove it without values."""
    if values == st.query_params.get_all(param):
        return
    if values:
        st.query_params[param] = values
    else:
        del st.query_params[param]
