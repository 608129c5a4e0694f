"""Which model a name means, and what is said when it cannot be had."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import SettingsError
from research_core.llm import choose_judge, choose_model, choose_writer, has_known_price
from tests.gemini_server import FIRST, KEY, SECOND, settings


def test_auto_is_gemini_with_a_key_and_offline_without(httpserver: HTTPServer) -> None:
    assert choose_model(settings(httpserver)).name == f"gemini:{FIRST}"
    assert choose_model(settings(httpserver, key="")).name == "offline"


@pytest.mark.parametrize(("name", "models", "chosen"), [
    ("gemini", (FIRST, SECOND), f"gemini:{FIRST}"),
    (f"gemini:{SECOND}", (FIRST, SECOND), f"gemini:{SECOND}"),
    ("offline", (FIRST,), "offline"),
])  # fmt: skip
def test_a_model_is_chosen_by_the_name_it_gives_itself(
    httpserver: HTTPServer, name: str, models: tuple[str, ...], chosen: str
) -> None:
    model = choose_model(settings(httpserver, *models), name)
    assert model.name == choose_model(settings(httpserver, *models), model.name).name == chosen


@pytest.mark.parametrize(("name", "chosen"), [
    ("writer-m", "openai:writer-m"),
    ("qwen3:8b", "openai:qwen3:8b"),
    ("meta/llama-4:free", "openai:meta/llama-4:free"),
    ("モデル", "openai:モデル"),
    (SECOND, f"gemini:{SECOND}"),
    ("gemini", f"gemini:{FIRST}"),
])  # fmt: skip
def test_a_bare_name_is_the_model_that_one_provider_lists(
    httpserver: HTTPServer, name: str, chosen: str
) -> None:
    listed = ("shared", "writer-m", "qwen3:8b", "meta/llama-4:free", "モデル")
    both = replace(
        settings(httpserver, FIRST, SECOND, "shared"),
        openai_base_url="http://127.0.0.1:9/v1",
        openai_models=listed,
    )
    assert choose_model(both, name).name == chosen
    assert choose_writer(replace(both, writer=name), "offline") == chosen
    for other in ("shared", "judge-m", "QWEN:2"):
        with pytest.raises(SettingsError) as caught:
            choose_model(both, other)
        assert caught.value.next_step.endswith("offline, gemini:NAME, openai:NAME.")


@pytest.mark.parametrize(
    ("name", "key", "advice"),
    [("gemini", "", "GEMINI_API_KEY"), ("clever", KEY, "auto, gemini, openai, offline")],
)
def test_a_model_that_cannot_be_had_says_what_to_set(
    httpserver: HTTPServer, name: str, key: str, advice: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        choose_model(settings(httpserver, key=key), name)
    assert advice in caught.value.next_step


@pytest.mark.parametrize(("name", "models", "known"), [
    ("offline", ("gemini-next",), True),
    ("gemini", ("gemini-2.5-flash", "gemini-2.5-pro"), True),
    ("gemini", ("gemini-2.5-flash", "gemini-next"), False),
    ("gemini:gemini-next", ("gemini-2.5-flash",), False),
])  # fmt: skip
def test_a_price_is_known_where_all_that_may_answer_have_one(
    httpserver: HTTPServer, name: str, models: tuple[str, ...], known: bool
) -> None:
    assert has_known_price(settings(httpserver, *models), name) == known


FLASH, LITE = "gemini-3.8-flash", "gemini-3.5-flash-lite"


@pytest.mark.parametrize(("model", "models", "judge", "writer", "chosen"), [
    ("gemini", (FLASH, LITE), "", "", (f"gemini:{LITE}", "")),
    ("gemini", (LITE, FLASH), "", "", ("", "")),
    ("gemini", ("gemini-next",), "", "", ("", "")),
    ("offline", (FLASH, LITE), "", "", ("", "")),
    ("gemini", (FLASH, LITE), "offline", "", ("offline", "")),
    ("gemini", (FLASH, LITE), "gemini", "", ("", "")),
    ("offline", (FLASH, LITE), "", "gemini", ("", f"gemini:{FLASH}")),
    (f"gemini:{LITE}", (FLASH, LITE), "", f"gemini:{FLASH}", ("", f"gemini:{FLASH}")),
])  # fmt: skip
def test_judge_and_writer_are_named_where_they_are_other_models(
    httpserver: HTTPServer, model: str, models: tuple[str, ...], judge: str, writer: str,
    chosen: tuple[str, str],
) -> None:  # fmt: skip
    configured = replace(settings(httpserver, *models), judge=judge, writer=writer)
    name = choose_model(configured, model).name
    assert (choose_judge(configured, name), choose_writer(configured, name)) == chosen
