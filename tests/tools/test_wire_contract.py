"""The schemas of the tools against the contract of the wire (../shared/reference/tools.json),
property by property.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from research_core.model_messages import Json
from research_core.tools import DEFAULT_TOOLS, TOOLS, get_tool
from research_core.tools.outputs import SCHEMAS

CONTRACT = Path(__file__).parents[3] / "shared" / "reference" / "tools.json"
#: Choices of which there are more here: styles beyond the five are allowed (DECISIONS row 34).
WIDER = {("format_bibliography", "style")}
NAMES = [row.name for row in TOOLS if row not in DEFAULT_TOOLS]

needs_contract = pytest.mark.skipif(
    not CONTRACT.exists(), reason="the contract, ../shared/reference/tools.json, is not here"
)
each_tool = pytest.mark.parametrize("name", NAMES)


@cache
def contract() -> dict[str, Json]:
    return {row["name"]: row for row in json.loads(CONTRACT.read_text())["tools"]}


def kinds(schema: Json) -> set[str]:
    """The JSON types a schema takes."""
    if "anyOf" in schema:
        return set().union(*(kinds(each) for each in schema["anyOf"]))
    told = schema.get("type", [])
    return {told} if isinstance(told, str) else set(told)


def properties(schema: Json, at: str = "") -> Iterator[tuple[str, Json]]:
    """(path, schema) of every property, those of its parts too."""
    for name, each in schema.get("properties", {}).items():
        yield f"{at}{name}", each
        yield from properties(each, f"{at}{name}.")
    if isinstance(schema.get("items"), dict):
        yield from properties(schema["items"], f"{at}[].")


@needs_contract
@each_tool
def test_a_tool_takes_the_parameters_of_the_contract_and_no_others(name: str) -> None:
    row, ours = get_tool(name), contract()[name]["inputSchema"]
    assert row is not None
    mine = row.schema
    assert set(mine["properties"]) == set(ours["properties"])
    assert sorted(mine.get("required", [])) == sorted(ours.get("required", []))
    assert mine["additionalProperties"] is False
    for parameter, wanted in ours["properties"].items():
        assert kinds(wanted) - {"null"} <= kinds(mine["properties"][parameter]), parameter


@needs_contract
@each_tool
def test_a_tool_answers_every_property_of_the_contract(name: str) -> None:
    mine = dict(properties(SCHEMAS[name]))
    for path, wanted in properties(contract()[name]["outputSchema"]):
        assert path in mine, path
        if kinds(wanted):
            assert kinds(wanted) - {"null"} == kinds(mine[path]), path
        if (name, path) in WIDER:
            assert set(wanted["enum"]) < set(mine[path]["enum"])
        else:
            assert wanted.get("enum") == mine[path].get("enum"), path


@needs_contract
@each_tool
def test_a_tool_is_annotated_as_in_the_contract(name: str) -> None:
    row, told = get_tool(name), contract()[name]["annotations"]
    assert row is not None
    mine = {
        "readOnlyHint": row.read_only,
        "idempotentHint": row.idempotent,
        "openWorldHint": row.open_world,
        "destructiveHint": False,
    }
    assert {key: told.get(key, False) for key in mine} == mine


def test_every_tool_says_what_it_answers() -> None:
    assert set(NAMES) <= set(SCHEMAS)
