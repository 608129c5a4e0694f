"""The Ask screen, without a browser."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from parts.ask import examples, length_counter, prefill, run_form
from parts.shared import health, wording
from research_core.modes import MODES
from research_core.policy import Caps
from research_core.sessions import session_status
from research_core.sessions.engine_health import Health
from research_core.sessions.estimates import (
    Estimate,
    EstimateError,
    EstimateRange,
    format_estimate,
    summarize_estimate,
)
from research_core.sessions.workers import WorkerEngine
from research_core.wiring import LOCAL_USER, Resources, default_resources
from tests.sample_sessions import SampleSessions, links, shown, with_shared_components, words

QUESTION = "What are the effects of microplastics on marine life?"


def folds(at: AppTest) -> list[str]:
    """The one line that says what is set under each fold."""
    return [fold.label for fold in at.expander if fold.label != "Advanced"]


@pytest.mark.full
def test_first_visit_offers_examples_and_says_what_is_in_use(resources: Resources) -> None:
    at = shown("ask.py")
    said = words(at)
    assert [title.value for title in at.title] == [
        "Research you can check: every sentence linked to its source"
    ]
    assert at.text_area(key="question").value == ""
    assert at.segmented_control(key="mode").value == "standard"
    assert at.selectbox(key="library").value == "sample"
    assert at.radio(key="model").value == "offline"
    assert at.slider(key="minimum").value == 0.5
    assert "Web search is unavailable: no internet connection." in said
    assert "GEMINI_API_KEY" in said
    assert "Enough for most questions. Reads up to 7 pages. Free." in said
    assert len([button for button in at.button if button.key.startswith("example_")]) == len(
        examples.EXAMPLES
    )
    assert folds(at) == [
        "Scoring · defaults",
        "Model · No language model, planned",
        "Limits · none",
        "Also cover · nothing more",
    ]


def test_each_mode_says_what_it_means(resources: Resources) -> None:
    at = shown("ask.py")
    assert len(at.segmented_control(key="mode").options) == len(MODES)
    for mode, most in zip(MODES, (3, 7, 10, 40), strict=True):
        at.segmented_control(key="mode").set_value(mode).run()
        assert f"Reads up to {most} pages." in words(at)


def test_the_exhaustive_mode_asks_for_the_number_of_sources(resources: Resources) -> None:
    at = shown("ask.py", q=QUESTION)
    assert "sources" not in [one.key for one in at.number_input]
    at.segmented_control(key="mode").set_value("exhaustive").run()
    at.number_input(key="sources").set_value(60).run()
    assert "Reads up to 60 pages." in words(at)
    assert "mode=exhaustive&sources=60" in at.code[0].value
    at.segmented_control(key="mode").set_value("deep").run()
    assert "sources" not in at.code[0].value


@pytest.mark.parametrize("sources", [5, 101, 0])
def test_a_number_of_sources_that_cannot_be_read_is_refused_and_starts_nothing(
    resources: Resources, sources: int
) -> None:
    at = shown("ask.py", q=QUESTION, mode="exhaustive")
    at.number_input(key="sources").set_value(sources).run()
    assert "reads 10 to 100 sources" in at.error[0].value
    at.button(key="go").click().run()
    assert "reads 10 to 100 sources" in at.error[0].value
    assert session_status.list_sessions(resources) == []


def test_a_link_names_the_number_of_sources(resources: Resources) -> None:
    at = shown("ask.py", q=QUESTION, mode="exhaustive", sources="25")
    assert at.number_input(key="sources").value == 25
    assert shown("ask.py", q=QUESTION, mode="exhaustive", sources="500").warning


@pytest.mark.parametrize(
    ("question", "said", "counted"),
    [
        ("", "The question is empty", ""),
        (
            "  a ",
            "The question is too short: it has 1 character, and at least 3 are needed.",
            "",
        ),
        (
            "hi",
            "The question is too short: it has 2 characters, and at least 3 are needed.",
            "",
        ),
        (
            "why " * 600,
            "too long: it has 2,399 characters, and at most 2,000 can be asked",
            "2399 characters, 399 too many",
        ),
    ],
    ids=["empty", "one", "hi", "too long"],
)
def test_question_that_cannot_be_asked_is_said(
    resources: Resources, question: str, said: str, counted: str
) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(question)
    at.button(key="go").click().run()
    assert not at.exception
    assert said in at.error[0].value
    assert "Next step:" in words(at)
    assert counted in words(at)
    assert session_status.list_sessions(resources) == []


def test_example_fills_the_question_and_chooses_the_sample(resources: Resources) -> None:
    at = shown("ask.py")
    at.button(key="example_1").click().run()
    assert at.text_area(key="question").value == examples.EXAMPLES[0]
    assert at.selectbox(key="library").value == "sample"


def test_starting_stores_the_session_with_every_choice_and_opens_it_live(
    resources: Resources, engine: WorkerEngine
) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(QUESTION)
    at.segmented_control(key="mode").set_value("deep")
    at.segmented_control(key="length").set_value("long")
    at.slider(key="minimum").set_value(0.6)
    at.slider(key="recency_bonus").set_value(0.2)
    at.number_input(key="min_full").set_value(4)
    at.number_input(key="cap_calls").set_value(12)
    at.number_input(key="cap_minutes").set_value(1.5)
    at.text_area(key="instructions").set_value(
        "also cover the deep sea\n\nlook at small islands too"
    )
    at.run()
    assert folds(at) == [
        "Scoring · Date bonus 0.2, Full report from 4", "Model · No language model, planned",
        "Limits · Model calls: 12, Minutes: 1.5", "Also cover · 2 instructions",
    ]  # fmt: skip
    at.button(key="go").click().run()
    assert not at.exception
    (info,) = session_status.list_sessions(resources)
    chosen = info.row.settings
    assert (info.status, info.row.question) == ("queued", QUESTION)
    assert chosen["length"] == "long"
    assert (chosen["mode"], chosen["engines"], chosen["library"], chosen["model"]) == (
        "deep",
        ["library"],
        "sample",
        "offline",
    )
    assert (chosen["credibility"]["minimum"], chosen["credibility"]["recency_bonus"]) == (0.6, 0.2)
    assert (chosen["min_full"], chosen["min_short"], chosen["relevance_cutoff"]) == (4, None, None)
    assert chosen["caps"] == {"calls": 12, "tokens": None, "cost": None, "seconds": 90.0}
    assert chosen["instructions"] == ["also cover the deep sea", "look at small islands too"]
    assert at.query_params["session"] == info.row.id
    assert [title.value for title in at.title] == [QUESTION]


@pytest.mark.parametrize(
    ("model", "known"),
    [("gemini-2.5-flash", True), ("gemini-next", False), ("gemini-2.5-flash,gemini-next", False)],
)
def test_a_limit_on_cost_that_may_not_hold_says_so(
    assay_home: Path, resources: Resources, monkeypatch: pytest.MonkeyPatch, model: str, known: bool
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "key")
    monkeypatch.setenv("ASSAY_GEMINI_MODELS", model)
    default_resources.cache_clear()
    at = shown("ask.py")
    assert at.radio(key="model").value.startswith("gemini:")
    assert (run_form.UNPRICED_NOTE in [caption.value for caption in at.caption]) == (not known)
    at.number_input(key="cap_cost").set_value(0.5).run()
    assert (run_form.UNPRICED_NOTE in [warning.value for warning in at.warning]) == (not known)
    at.radio(key="model").set_value("offline").run()
    assert run_form.UNPRICED_NOTE not in words(at)


@pytest.mark.parametrize(
    ("roles", "known"),
    [
        ({}, True),
        ({"writer": "gemini:gemini-2.5-flash"}, False),  # the next of the chain may answer
        ({"judge": "openai:big"}, False),
        ({"writer": "openai:big", "judge": "offline"}, False),
        ({"writer": "offline", "judge": "gemini:gemini-next"}, False),
        ({"writer": "offline", "judge": "offline"}, True),
    ],
)
def test_a_limit_on_cost_counts_the_models_that_write_and_judge_too(
    assay_home: Path,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
    roles: dict[str, str],
    known: bool,
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "key")
    monkeypatch.setenv("ASSAY_GEMINI_MODELS", "gemini-2.5-flash,gemini-next")
    monkeypatch.setenv("ASSAY_OPENAI_BASE_URL", "https://models.example/v1")
    monkeypatch.setenv("ASSAY_OPENAI_MODELS", "big")
    monkeypatch.setenv("ASSAY_MODEL", "offline")
    default_resources.cache_clear()
    at = shown("ask.py")
    for role, name in roles.items():
        at.selectbox(key=role).set_value(name)
    at.number_input(key="cap_cost").set_value(0.5).run()
    assert (run_form.UNPRICED_NOTE in [warning.value for warning in at.warning]) == (not known)


def test_settings_that_cannot_be_run_start_nothing_and_say_the_next_step(
    resources: Resources,
) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(QUESTION)
    at.text_area(key="instructions").set_value("x")
    at.button(key="go").click().run()
    assert "The instruction has 1 character." in at.error[0].value
    assert "3 to 500 characters" in words(at)
    assert session_status.list_sessions(resources) == []


def test_what_is_to_be_left_out_is_answered_at_once_and_starts_nothing(
    resources: Resources,
) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(QUESTION)
    at.text_area(key="instructions").set_value("also cover costs\nignore *blogs*").run()
    (warning,) = at.warning
    assert "ignore \\*blogs\\*" in warning.value
    assert "also cover costs" not in warning.value
    assert (
        "it does not filter by kind. Take that line out. Exclude such a source under Activity"
        in warning.value
    )
    at.button(key="go").click().run()
    assert "asks to leave something out" in at.error[0].value
    assert "raise the minimum credibility" in words(at)
    assert at.text_area(key="instructions").value == "also cover costs\nignore *blogs*"
    assert session_status.list_sessions(resources) == []


def test_the_form_is_empty_again_once_its_question_was_started(
    resources: Resources, engine: WorkerEngine
) -> None:
    at = shown("ask.py", q=QUESTION)
    at.segmented_control(key="mode").set_value("quick").run()
    at.button(key="go").click().run()
    at.switch_page("ask.py").run()
    assert (at.text_area(key="question").value, at.segmented_control(key="mode").value) == (
        "",
        "quick",
    )
    at.query_params["q"] = QUESTION  # the link "Rephrase the question"
    at.run()
    assert at.text_area(key="question").value == QUESTION


def test_reset_puts_every_demand_back(resources: Resources) -> None:
    at = shown("ask.py")
    at.slider(key="minimum").set_value(0.9)
    at.slider(key="domain_weight").set_value(0.1)
    at.number_input(key="relevance_cutoff").set_value(5)
    at.button(key="reset_tuning").click().run()
    assert (at.slider(key="minimum").value, at.slider(key="domain_weight").value) == (0.5, 0.4)
    assert at.number_input(key="relevance_cutoff").value is None
    assert folds(at)[0] == "Scoring · defaults"


def test_choices_survive_a_visit_to_another_screen(resources: Resources) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(QUESTION)
    at.segmented_control(key="mode").set_value("quick")
    at.slider(key="minimum").set_value(0.61)
    at.number_input(key="cap_cost").set_value(0.5)
    at.run()
    at.switch_page("sessions.py").run()
    at.switch_page("ask.py").run()
    assert not at.exception
    assert (at.text_area(key="question").value, at.segmented_control(key="mode").value) == (
        QUESTION,
        "quick",
    )
    assert (at.slider(key="minimum").value, at.number_input(key="cap_cost").value) == (0.61, 0.5)


# ---------------------------------------------------------------- by address


def test_address_fills_the_form_and_starts_nothing(resources: Resources) -> None:
    at = shown("ask.py", q=QUESTION, mode="deep", minimum="0.62", also="also cover costs")
    assert (at.text_area(key="question").value, at.segmented_control(key="mode").value) == (
        QUESTION,
        "deep",
    )
    assert (at.slider(key="minimum").value, at.text_area(key="instructions").value) == (
        0.62,
        "also cover costs",
    )
    assert session_status.list_sessions(resources) == []
    at.text_area(key="question").set_value("Another question?").run()
    assert at.text_area(key="question").value == "Another question?"


@pytest.mark.parametrize(
    ("name", "value"),
    [("mode", "slow"), ("minimum", "2"), ("minimum", "![x](http://e/)"), ("where", "moon")],
)
def test_address_that_asks_for_what_cannot_be_is_told(
    resources: Resources, name: str, value: str
) -> None:
    at = shown("ask.py", q=QUESTION, **{name: value})
    assert f"The link's value for {name} is invalid" in at.warning[0].value
    assert "![" not in at.warning[0].value
    assert (at.segmented_control(key="mode").value, at.slider(key="minimum").value) == (
        "standard",
        0.5,
    )


def test_link_to_a_form_fills_it_the_same_way(resources: Resources) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value("Why & how?")
    at.segmented_control(key="mode").set_value("quick").run()
    assert "?q=Why+%26+how%3F&mode=quick" in at.code[0].value
    assert (
        prefill.build_link({"question": "", "mode": "deep", "minimum": 0.5, "go": True})
        == "?mode=deep&minimum=0.5"
    )


def test_link_works_again_after_the_form_was_opened_without_it(resources: Resources) -> None:
    at = shown("ask.py", q=QUESTION)
    at.text_area(key="question").set_value("Another question?").run()
    at.query_params.clear()
    at.run()
    assert at.text_area(key="question").value == "Another question?"
    at.query_params["q"] = QUESTION
    at.run()
    assert at.text_area(key="question").value == QUESTION


FINE = {
    "domain_weight": 0.35, "relevance_weight": 0.7, "recency_bonus": 0.0, "relevance_cutoff": 4, "min_full": 6, "min_short": 2,
    "cap_calls": 12, "cap_tokens": 20_000_000, "cap_cost": 0.5, "cap_minutes": 1.5,
}  # fmt: skip


def test_link_carries_the_fine_tuning_the_limits_and_the_model(resources: Resources) -> None:
    link = prefill.build_link({**FINE, "model": "offline"})
    query = dict(parse_qsl(link.removeprefix("?")))
    assert set(query) == {*FINE, "model"}
    at = shown("ask.py", **query)
    assert not at.warning
    assert {name: at.session_state[name] for name in FINE} == FINE
    assert at.slider(key="domain_weight").value == 0.35
    assert at.number_input(key="cap_tokens").value == 20_000_000
    assert at.code[0].value.count("cap_") == 4
    assert "except the engines" in words(at)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cap_calls", "0"), ("cap_cost", "nan"), ("cap_minutes", "inf"), ("cap_tokens", "1.5"), ("min_full", "11"),
        ("domain_weight", "-1"), ("model", "other"),
    ],
)  # fmt: skip
def test_address_that_asks_for_an_odd_limit_is_told(
    resources: Resources, name: str, value: str
) -> None:
    assert (
        f"The link's value for {name} is invalid: “"
        in shown("ask.py", **{name: value}).warning[0].value
    )


# ---------------------------------------------------------------- where to search


def test_own_library_comes_before_the_sample(resources: Resources, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Tides\n\nThe tide turns twice a day.", encoding="utf-8")
    resources.library(LOCAL_USER).add(tmp_path / "note.md", "my")
    library = shown("ask.py").selectbox(key="library")
    assert library.options == ["Your library · 1 document", "Sample library"]
    assert library.value == "my"


@pytest.fixture
def searxng(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search server is configured, which may answer where the web does not. Nobody asks it
    anything here.
    """
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9")


def where_the_web_answers() -> None:
    import streamlit as st

    from parts.shared import search_places

    st.text(str(search_places.draw_places(look=lambda: True)))


def test_web_comes_first_where_it_answers_with_a_tick_and_its_health_for_each_engine(
    searxng: None, resources: Resources
) -> None:
    at = with_shared_components(AppTest.from_function(where_the_web_answers)).run()
    where = at.segmented_control(key="where")
    assert (where.options, where.value) == (["Web", "Library", "Both"], "web")
    assert folds(at)[0] == "Engines · SearXNG, duckduckgo, brave, mojeek, wikipedia"
    assert [box.label for box in at.checkbox] == [
        "SearXNG",
        "duckduckgo",
        "brave",
        "mojeek",
        "wikipedia",
    ]
    assert words(at).count("not used yet") == 5
    assert "not offered" not in words(at)
    assert "does not answer" not in words(at)


def test_only_the_engines_that_are_ticked_are_meant_and_the_library_with_them(
    searxng: None, resources: Resources
) -> None:
    at = with_shared_components(AppTest.from_function(where_the_web_answers)).run()
    at.segmented_control(key="where").set_value("both")
    at.run()
    for box in at.checkbox:
        box.set_value(box.label == "mojeek")
    at.run()
    assert folds(at)[0] == "Engines · mojeek"
    assert at.text[0].value == "SearchPlaces(engines=('ddgs:mojeek',), library='sample')"


def test_a_search_server_alone_is_offered_where_the_web_does_not_answer_and_is_asked(
    searxng: None, resources: Resources, engine: WorkerEngine
) -> None:
    at = shown("ask.py")
    assert [(box.label, box.value) for box in at.checkbox] == [
        ("SearXNG", True),
        ("Review the plan first", False),
    ]
    assert "Web search is unavailable: no internet connection. Only SearXNG can be used." in words(
        at
    )
    assert at.button(key="look_again")
    at.text_area(key="question").set_value(QUESTION)
    at.segmented_control(key="where").set_value("both")
    at.run()
    at.button(key="go").click().run()
    assert not at.exception
    (info,) = session_status.list_sessions(resources)
    assert (info.row.settings["engines"], info.row.settings["library"]) == (
        ["searxng", "library"],
        "sample",
    )


def test_no_engine_ticked_is_said(searxng: None, resources: Resources) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(QUESTION)
    for box in at.checkbox:
        box.uncheck()
    at.button(key="go").click().run()
    assert "Nothing to search is selected" in at.error[0].value


# ---------------------------------------------------------------- which model


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-real-key-0123")
    return "not-a-real-key-0123"


def test_gemini_is_used_where_it_has_a_key_which_is_never_shown(
    key: str, resources: Resources
) -> None:
    at = shown("ask.py")
    assert at.radio(key="model").options == ["Gemini (gemini-3.8-flash)", "No language model"]
    assert at.radio(key="model").value.startswith("gemini")
    assert key not in words(at)
    assert "GEMINI_API_KEY" not in words(at)


def test_writing_and_judging_can_be_given_to_other_models(key: str, engine: WorkerEngine) -> None:
    at = shown("ask.py")
    names = ["Gemini (gemini-3.8-flash)", "Gemini (gemini-3.5-flash-lite)", "No language model"]
    assert at.selectbox(key="writer").options == ["Default: Gemini (gemini-3.8-flash)", *names]
    assert at.selectbox(key="judge").options[0] == "Default: Gemini (gemini-3.5-flash-lite)"
    at.selectbox(key="judge").set_value("offline")
    at.text_area(key="question").set_value(QUESTION)
    at.button(key="go").click().run()
    assert not at.exception
    (info,) = session_status.list_sessions(default_resources())
    run = info.row.settings
    assert (run["model"], run.get("writer", ""), run["judge"]) == (
        "gemini:gemini-3.8-flash", "", "offline",
    )  # fmt: skip


def test_without_another_model_no_task_can_be_given_away(resources: Resources) -> None:
    at = shown("ask.py")
    assert not {"writer", "judge"} & {box.key for box in at.selectbox}


def test_only_a_language_model_may_drive(key: str, resources: Resources) -> None:
    at = shown("ask.py")
    at.radio(key="strategy").set_value("agentic").run()
    assert folds(at)[1] == "Model · Gemini, agentic"
    at.radio(key="model").set_value("offline").run()
    assert (at.radio(key="strategy").value, at.radio(key="strategy").disabled) == ("planned", True)
    assert "needs a model that can call tools" in words(at)


def test_link_carries_the_tools_a_model_is_given(key: str, resources: Resources) -> None:
    at = shown("ask.py")
    at.radio(key="strategy").set_value("agentic").run()
    assert "tools=" not in at.code[0].value
    at.multiselect(key="tools").set_value(["patent_search", "scrape_page"]).run()
    query = dict(parse_qsl(at.code[0].value.partition("?")[2]))
    assert (query["strategy"], query["tools"]) == ("agentic", "patent_search,scrape_page")
    again = shown("ask.py", **query)
    assert not again.warning
    assert again.multiselect(key="tools").value == ["patent_search", "scrape_page"]


@pytest.mark.parametrize(
    "name",
    ["no_such_tool", "answer", "search_web", "![x](http://e/)"],
    ids=["unknown", "without its key", "usual", "hostile"],
)
def test_tools_of_an_address_that_are_not_offered_are_left_out_with_a_word(
    key: str, resources: Resources, name: str
) -> None:
    at = shown("ask.py", strategy="agentic", tools=f"{name}, patent_search,,patent_search")
    assert not at.exception
    assert at.multiselect(key="tools").value == ["patent_search"]
    assert "The link names unknown tools, which are left out: “" in at.warning[0].value
    assert "![" not in at.warning[0].value
    at.multiselect(key="tools").set_value([]).run()
    assert not at.warning
    assert at.multiselect(key="tools").value == []


def test_of_very_many_tools_of_an_address_a_few_are_named(key: str, resources: Resources) -> None:
    at = shown("ask.py", strategy="agentic", tools=",".join(f"tool{n}" for n in range(600)))
    assert "“tool4”, …." in at.warning[0].value
    assert "tool5" not in at.warning[0].value


# ---------------------------------------------------------------- what past sessions say


@pytest.mark.full
def test_recent_sessions_are_one_click_away_and_the_estimate_rests_on_them(
    samples: SampleSessions,
) -> None:
    at = shown("ask.py")
    addresses = [address for address, _ in links(at) if address != "settings"]
    assert addresses[:2] == ["report", "report"]
    assert ("sessions", "All sessions") in links(at)
    assert re.search(r"Reads up to 7 pages, about \d+ s\. Free\.", words(at))
    assert "full report" in words(at)
    assert "no report" in words(at)


@pytest.mark.parametrize(
    ("age", "said"),
    [(0, "0 s ago"), (59, "59 s ago"), (360, "6 min ago"), (86_399, "24 h ago")],
)
def test_up_to_a_day_ago_a_time_is_its_age(age: float, said: str) -> None:
    assert wording.format_when(1_800_000_000 - age, 1_800_000_000) == said


@pytest.mark.parametrize("age", [86_400, 5_000_000])
def test_a_time_longer_ago_is_a_date(age: float) -> None:
    at = 1_800_000_000 - age
    assert wording.format_when(at, 1_800_000_000) == wording.format_moment(at)
    assert re.fullmatch(r"202\d-\d\d-\d\d \d\d:\d\d( UTC)?", wording.format_moment(at))


ONE = EstimateRange(1, 1, 1)


@pytest.mark.parametrize(
    ("estimate", "caps", "said"),
    [
        (
            Estimate(0, 8, 3),
            Caps(),
            "No run like this yet. At most: 8 model calls, 3 pages. Cost unknown.",
        ),
        (
            Estimate(1, 8, 3, ONE, ONE, ONE, None),
            Caps(),
            "Usual: 1 model call, 1.0 s, cost unknown (1 past run). "
            "Too few runs to say how far off this may be.",
        ),
        (
            Estimate(
                2,
                8,
                3,
                EstimateRange(7, 8, 9),
                ONE,
                EstimateRange(1, 2, 3),
                EstimateRange(0.01, 0.02, 0.03),
            ),
            Caps(calls=5),
            "Usual: 8 (7 to 9) model calls, 2.0 (1.0 to 3.0) s, US$ 0.0200 (0.0100 to 0.0300) (2 past runs). "
            "Too few runs to say how far off this may be. A limit will probably end it early: model calls.",
        ),
        (
            Estimate(
                9,
                8,
                3,
                ONE,
                ONE,
                ONE,
                ONE,
                errors={"seconds": EstimateError(0.184, 7, 9), "cost": EstimateError(0.25, 8, 9)},
            ),
            Caps(),
            "Usual: 1 model call, 1.0 s, US$ 1.0000 (9 past runs). "
            "Past estimates of time: off by 18% (median), 7 of 9 in range. "
            "Past estimates of cost: off by 25% (median), 8 of 9 in range.",
        ),
        (
            Estimate(
                3,
                8,
                3,
                ONE,
                ONE,
                ONE,
                EstimateRange(0, 0, 0),
                scaled=True,
                errors={"seconds": EstimateError(0.5, 1, 3), "cost": EstimateError(0, 3, 3)},
            ),
            Caps(),
            "Usual: 1 model call, 1.0 s, free (3 past runs, of another mode, scaled to this one). "
            "Past estimates of time: off by 50% (median), 1 of 3 in range.",
        ),
    ],
)
def test_an_estimate_says_what_it_rests_on(estimate: Estimate, caps: Caps, said: str) -> None:
    assert format_estimate(estimate, caps) == said


@pytest.mark.parametrize(
    ("estimate", "caps", "line"),
    [
        (Estimate(0, 8, 3), Caps(), "Reads up to 3 pages. Cost unknown."),
        (Estimate(0, 8, 1, cost=EstimateRange(0, 0, 0)), Caps(), "Reads up to 1 page. Free."),
        (
            Estimate(0, 8, 3, cost=EstimateRange(0.01, 0.032, 0.1)),
            Caps(),
            "Reads up to 3 pages. About US$ 0.03, at most 0.10.",
        ),
        (
            Estimate(0, 8, 3, cost=EstimateRange(0.001, 0.002, 0.004)),
            Caps(),
            "Reads up to 3 pages. Less than US$ 0.01.",
        ),
        (
            Estimate(2, 8, 3, ONE, ONE, EstimateRange(9, 10, 18), EstimateRange(0, 0, 0)),
            Caps(),
            "Reads up to 3 pages, about 10 s. Free.",
        ),
        (
            Estimate(3, 8, 3, ONE, ONE, EstimateRange(2, 3, 130), EstimateRange(0, 0, 0)),
            Caps(),
            "Reads up to 3 pages, about 2 s to 2 min. Free.",
        ),
        (
            Estimate(1, 8, 3, ONE, ONE, EstimateRange(200, 240, 300), None),
            Caps(seconds=60),
            "Reads up to 3 pages, about 4 min. Cost unknown."
            " A limit will probably end it early: minutes.",
        ),
    ],
)
def test_the_line_on_a_run_says_what_it_reads_takes_and_costs(
    estimate: Estimate, caps: Caps, line: str
) -> None:
    assert summarize_estimate(estimate, caps) == line


def test_health_says_the_last_outcome_and_never_tried_is_one_of_its_own() -> None:
    assert health.format_health(now=5.0) == "· not used yet"
    refused = Health({"refused": 1, "answered": 3}, 5.0, "refused", "Too many.")
    assert (
        health.format_health(refused, now=65.0)
        == "⊘ refused 1 min ago · answered 3 of the last 4 searches"
    )


def test_the_count_is_of_the_question_as_the_core_takes_it() -> None:
    assert length_counter.HIGH == 2000
