"""Ask a question: what, how thoroughly, where, and how credible a source must be. Starting one leads to Live."""

from __future__ import annotations

import streamlit as st

from parts import failures
from parts.examples import EXAMPLES
from parts.places import SAMPLE, Place, look, offered
from research_core import choices, runner, workers
from research_core.errors import UsageError
from research_core.modes import MODES, ResearchMode
from research_core.policy import CredibilityPolicy, checked_question
from research_core.wiring import default_office

ABOUT = {
    "quick": "A first look, in seconds.",
    "standard": "Enough for most questions.",
    "deep": "Also looks for gaps and follows them up; the report is saved as a file too.",
}
MODELS = {
    "offline": "quotes the best sentences of its sources word for word; needs no key and no network",
    "gemini": "judges the sources and writes the report",
}


def draw() -> None:
    st.title("Ask", anchor=False)
    st.text_area("Your question", key="question", placeholder="Ask one thing, in a full sentence", height=90, persist_state="session")
    go = st.button("Research", type="primary", key="go", icon=":material/arrow_forward:", shortcut="Ctrl+Enter")
    message = st.container()
    places = offered(look())
    mode, where, demands = st.columns(3, gap="medium")
    with mode:
        _mode()
    with where:
        place = _where(places)
    with demands:
        _demands()
    _examples()
    if go:
        with message, failures.shown():
            _start(place)


def _mode() -> None:
    captions = [_meaning(name) for name in MODES]
    st.radio("How thorough", MODES, index=1, key="mode", format_func=str.capitalize, captions=captions, persist_state="session")


def _meaning(name: str) -> str:
    mode: ResearchMode = ResearchMode.named(name)
    report = f"a full report needs {mode.min_sources_full_report} that bear on it, a short one {mode.min_sources_short_report}"
    return f"{ABOUT[name]} Reads up to {mode.max_sources} sources; {report}."


def _where(places: dict[str, Place]) -> Place:
    names = list(places)
    if st.session_state.get("where") not in names:
        st.session_state["where"] = names[0]
    labels, captions = {name: place.label for name, place in places.items()}, [place.about for place in places.values()]
    chosen = st.radio("Where to search", names, key="where", format_func=labels.get, captions=captions, persist_state="session")
    if look().offline:
        st.caption("The web is not offered: it does not answer from this machine.")
        st.button("Look again", key="look_again", type="tertiary", icon=":material/refresh:", on_click=look.clear)
    return places[chosen]


def _demands() -> None:
    st.slider(
        "Minimum credibility", 0.0, 1.0, CredibilityPolicy().minimum, 0.01, key="minimum", persist_state="session",
        help="Every search result is scored from 0 to 1 by its site, the question's words in its snippet, and its date. "
        "One that scores no more than this is shown, but not read.",
    )  # fmt: skip
    models = choices.models(default_office())
    captions = [MODELS[_family(name)] for name in models]
    st.radio("Model", models, key="model", format_func=lambda name: _family(name).capitalize(), captions=captions, persist_state="session")
    if len(models) == 1:
        st.caption("For Gemini, put `GEMINI_API_KEY=…` into the file `.env` beside `run.py` and start Assay again.")


def _family(model: str) -> str:
    """A model's name without the version that stands behind it."""
    return model.partition(":")[0]


def _examples() -> None:
    st.subheader("Or try one of these", anchor=False)
    st.caption("They run on the sample library that comes with Assay: no network, no key.")
    with st.container(key="examples", gap=None):
        for number, example in enumerate(EXAMPLES, 1):
            st.button(example, key=f"example_{number}", type="tertiary", wrap=True, on_click=_take, args=(example,))


def _take(example: str) -> None:
    st.session_state["question"], st.session_state["where"] = example, SAMPLE


def _start(place: Place) -> None:
    office, chosen, notes = default_office(), st.session_state, list[str]()
    question = checked_question(chosen["question"])
    run = choices.run_settings(
        office,
        mode=chosen["mode"],
        library=place.library,
        web=place.web,
        model=chosen["model"],
        minimum=chosen["minimum"],
        say=notes.append,
    )
    if notes:  # it would search elsewhere than was chosen
        raise UsageError(" ".join(notes), next_step="Look again, and choose where to search.")
    session = runner.new_session(office, question, run)
    workers.engine(office).enqueue(session)
    st.switch_page("live.py", query_params={"session": session})


draw()
