"""Every tool of the registry, with every key and switch set, listed and called by the protocol's
own client: over stdio and over HTTP.

A tool that is added is called too, with what it requires (`tests/all_tools.py`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client

from research_core.errors import UsageError
from research_core.models import Principal
from research_core.tools import CLIENT_TOOLS
from research_core.tools.outputs import SCHEMAS
from research_core.wiring import LOCAL_USER
from tests.all_tools import arguments, everything, outside, ready
from tests.counter import Counter, make_tool_caller
from tests.event_loop import run_async
from tests.http_service import JWKS, jwks, signed_in
from tests.logs import ROOT
from tests.timing import LONG_S
from tests.tool_calls_made import check_answer

each_tool = pytest.mark.parametrize("name", [row.name for row in CLIENT_TOOLS])


@dataclass(frozen=True)
class Heard:
    """What a client heard: the tools it was told of, and the answer of each, by name."""

    listed: dict[str, Any]
    answers: dict[str, Any]


@contextmanager
def over_stdio(folder: Path) -> Iterator[AbstractAsyncContextManager[Any]]:
    yield mcp.Client(
        stdio_client(
            StdioServerParameters(
                command=sys.executable, args=["-m", "tests.all_tools", str(folder)], cwd=ROOT
            )
        )
    )


@contextmanager
def over_http(folder: Path) -> Iterator[AbstractAsyncContextManager[Any]]:
    with signed_in(folder, {JWKS: jwks()}, **everything()) as at:
        assert at.service.issuer_keys.get("one") is not None  # before there is nobody to give it
        outside(at.resources)
        ready(at.resources, Principal("acme", "ada"))
        yield at.client(at.token())


@pytest.fixture(
    scope="module",
    params=[pytest.param(over_stdio, marks=pytest.mark.full), over_http],
    ids=["stdio", "http"],
)
def heard(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Heard:
    async def meet(client: AbstractAsyncContextManager[Any]) -> Heard:
        async with client as at:
            listed = {row.name: row for row in (await at.list_tools()).tools}
            begun = await at.call_tool(
                "sequential_search",
                {"searchStep": "Look.", "stepNumber": 1, "nextStepNeeded": True},
            )
            session = begun.structured_content["sessionId"]
            return Heard(
                listed,
                {
                    row.name: await at.call_tool(row.name, arguments(row, session))
                    for row in CLIENT_TOOLS
                },
            )

    with request.param(tmp_path_factory.mktemp("wire")) as client:
        return run_async(meet(client), LONG_S)


def test_all_are_listed(heard: Heard) -> None:
    assert set(heard.listed) == {row.name for row in CLIENT_TOOLS}


@each_tool
def test_a_tool_is_listed_as_the_registry_has_it_and_answers_as_it_says(
    heard: Heard, name: str
) -> None:
    (row,) = [row for row in CLIENT_TOOLS if row.name == name]
    listed, answer = heard.listed[name], heard.answers[name]
    assert listed.description
    assert listed.input_schema["properties"].keys() == row.schema["properties"].keys()
    assert listed.output_schema == SCHEMAS[name]
    assert (listed.annotations.read_only_hint, listed.annotations.open_world_hint) == (
        row.read_only,
        row.open_world,
    )
    assert not answer.is_error, answer.content[0].text
    assert json.loads(answer.content[0].text) == answer.structured_content
    if not answer.structured_content.get("linked"):
        check_answer(name, answer.structured_content)


# ---------------------------------------------------------------- text that no tool can take

BAD_TEXTS = ("tea\x00", "\x00", "\ud800", "чай\udfff", "caf\udce9", "\udc80\udc81")


def place_text(schema: Any, definitions: Any, bad: str) -> Iterator[Any]:
    """Values of a parameter with the text in each place where it takes text."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    for option in schema.get("anyOf", ()):
        yield from place_text(option, definitions, bad)
    if schema.get("type") == "string":
        yield bad
    if schema.get("type") == "array":
        for value in place_text(schema.get("items", {}), definitions, bad):
            yield [value]
    if schema.get("type") == "object":
        yield {bad: 1}
        for name, part in schema.get("properties", {}).items():
            for value in place_text(part, definitions, bad):
                yield {name: value}


def test_text_that_cannot_be_stored_is_a_mistake_of_the_call(
    database_url: str, tmp_path: Path
) -> None:
    at = make_tool_caller(tmp_path, {}, **everything() | {"database_url": database_url})
    assert isinstance(at.resources, Counter)
    outside(at.resources)
    ready(at.resources, LOCAL_USER)
    for row in CLIENT_TOOLS:
        base, schema = arguments(row, "no-such-session"), row.schema
        parameters = {**schema["properties"], "sessionId": {"type": "string"}}
        for parameter, part in parameters.items():
            for bad in BAD_TEXTS:
                for value in place_text(part, schema.get("$defs", {}), bad):
                    served = at.serve(row.name, {**base, parameter: value})
                    assert isinstance(served.error, UsageError), (row.name, parameter, value)
                    assert "which no text may" in served.error.message
                    if value == bad:
                        assert f"{parameter} holds" in served.error.message
    at.resources.__dict__.pop("client", None)
    at.resources.close()
