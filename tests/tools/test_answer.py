"""answer, bullet by bullet of its specification (spec/research-tools.md, tool 15); Exa's own
answers are in test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core import tools
from research_core.tools import list_available_tools
from tests.bullets import Bullets
from tests.contracts import configured
from tests.contracts.exa import ANSWER, KEY
from tests.tool_calls_made import CallOutcome, make_tool_call

ANSWERS = "https://api.exa.ai/answer"
QUESTION = "How much tea helps?"
bullet = Bullets("answer")


def ask(
    answer: Any = None, http_status: int = 200, settings: Any = None, **arguments: Any
) -> CallOutcome:
    body = ANSWER if answer is None else answer
    return make_tool_call(
        "answer",
        {ANSWERS: (http_status, body)},
        settings=KEY if settings is None else settings,
        **({"query": QUESTION} | arguments),
    )


@bullet("it is listed only where a provider of answers is configured")
def _() -> None:
    assert "answer" in [row.name for row in list_available_tools(configured(**KEY))]
    assert "answer" not in [row.name for row in list_available_tools(configured())]


@bullet("without a provider it says which setting lacks")
def _() -> None:
    assert "Set EXA_API_KEY" in ask(settings={}).error


@bullet("query is required and is what the provider is asked, with the key in a header of its own")
def _() -> None:
    ((method, _, options),) = ask().requests(ANSWERS)
    assert (method, options["json"]) == ("POST", {"query": QUESTION, "text": False})
    assert options["headers"]["x-api-key"] == KEY["exa_api_key"]
    assert "authorization" not in options["headers"]
    assert "query" in make_tool_call("answer", {}, settings=KEY).error
    ((_, _, padded),) = ask(query=f" {QUESTION} \n").requests(ANSWERS)
    assert padded["json"]["query"] == QUESTION


@bullet("blanks are no question, and are not paid for")
def _() -> None:
    said = ask(query=" \n")
    assert "a question to answer" in said.error
    assert not said.requests()


@bullet("the answer has its citations, each with url, title and date")
def _() -> None:
    said = ask().answer
    assert said["answer"] == "Two cups."
    assert said["citations"] == [
        {
            "url": "https://tea.example/cold",
            "title": "Tea and colds",
            "publishedDate": "2024-03-09T00:00:00Z",
        }
    ]


@bullet("provider and costUsd are in the answer, from where the audit takes them")
def _() -> None:
    said = ask().answer
    assert (said["provider"], said["costUsd"]) == ("exa", 0.005)
    assert "costUsd" not in ask({**ANSWER, "costDollars": None}).answer


@bullet("an explicit provider is used exclusively; an unknown one lists those there are")
def _() -> None:
    assert ask(provider="exa").answer["provider"] == "exa"
    assert "Choose among: exa." in ask(provider="oracle").error


@bullet("an empty provider is none")
def _() -> None:
    assert ask(provider="").answer["provider"] == "exa"


@bullet("a provider that is not configured is named with its setting")
def _() -> None:
    assert "The provider exa needs EXA_API_KEY." in ask(settings={}, provider="exa").error


@bullet("trust is always untrusted-external-content")
def _() -> None:
    assert (
        ask().answer["trust"]
        == ask({"answer": "", "citations": []}).answer["trust"]
        == "untrusted-external-content"
    )


@bullet("no answer is an empty one with hints, and no failure")
def _() -> None:
    for citations in ([], ANSWER["citations"]):  # pages that no answer rests on are none of it
        said = ask({"answer": " ", "citations": citations}).answer
        assert (said["answer"], said["citations"]) == ("", [])
        assert said["hints"]["reason"] == "no_match"
    assert "hints" not in ask().answer


@bullet("no credits is said as such, with what can be done")
def _() -> None:
    error = ask(
        {
            "requestId": "r",
            "error": "You have exceeded your credits limit.",
            "tag": "NO_MORE_CREDITS",
        },
        402,
    ).error
    assert "Exa answered 402 (You have exceeded your credits limit.)." in error
    assert "the credits left at dashboard.exa.ai" in error


@bullet("answers are kept for an hour")
def _() -> None:
    assert ask().kept_s == 3600


@bullet("the key of an answer knows query and provider")
def _() -> None:
    """What is asked is the body; another provider is another address."""
    first, second = (
        ask(query=text).requests(ANSWERS)[0][2]["json"]
        for text in ("How much tea?", "How much coffee?")
    )
    assert first != second


@bullet("it only reads, may be repeated, and looks outside")
def _() -> None:
    row = tools.get_tool("answer")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


@bullet("what it cites is a source of the session")
def _() -> None:
    assert list(ask().context.source_metadata) == ["https://tea.example/cold"]


@bullet("what it costs counts for the session")
def _() -> None:
    deps = ask().context.deps
    assert deps is not None
    assert deps.http.tally()["cost"] == 0.005


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()
