"""The registry: schemas that mean what they say, arguments that are checked, and rows that cannot
take each other's name.
"""

from __future__ import annotations

import inspect
from functools import wraps
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from pydantic import Field

from research_core import tools
from research_core.errors import FetchError, UsageError
from research_core.tools import DEFAULT_TOOLS, TOOLS
from research_core.tools.registry import Call, Tool, build_table, call_tool, find_tool, to_json

CALL = Call(None)


def everything(
    call: Call,
    text: Annotated[str, Field(description="Some text.", min_length=2, max_length=5)],
    count: Annotated[int, Field(ge=1, le=9)] = 3,
    share: float = 0.5,
    deep: bool = False,
    kind: Literal["news", "paper"] = "news",
    names: Annotated[list[str] | None, Field(max_length=2)] = None,
    session_id: Annotated[str, Field(alias="sessionId")] = "none",
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None,
) -> dict[str, Any]:
    """Take one argument of each kind."""
    return {name: value for name, value in locals().items() if name != "call"}


def silent(row: Tool) -> Tool:
    """The row with a function of the same signature that does nothing."""

    @wraps(row.run)
    def run(_call: Call, **_arguments: Any) -> dict[str, Any]:
        return {}

    return Tool(row.name, run)


EVERYTHING = Tool("everything", everything)
ROWS = tuple(silent(row) for row in (*TOOLS, EVERYTHING))


def ask(arguments: Any, rows: tuple[Tool, ...] = (EVERYTHING,)) -> dict[str, Any]:
    return call_tool(rows[0].name, arguments, CALL, rows)


def accepts(row: Tool, arguments: Any) -> bool:
    try:
        return ask(arguments, (row,)) == {}
    except UsageError:
        return False


# ---------------------------------------------------------------- schemas

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.sampled_from(["", "a", "ab", "abcdef", "news", "paper", "潮汐"])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1.0, 5.0, 0.0, -2.0, 5.5]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def inputs(draw: st.DrawFn) -> tuple[Tool, dict[str, Any]]:
    """A row and an object for it: most with its required arguments, so that many are accepted."""
    row = draw(st.sampled_from([*ROWS, *[ROWS[-1]] * 6]))
    required = dict.fromkeys(
        row.schema.get("required", ()) if draw(st.integers(0, 9)) else (), "abc"
    )
    return row, required | draw(
        st.dictionaries(
            st.sampled_from([*row.schema["properties"], "session_id", "x"]), VALUES, max_size=2
        )
    )


@given(inputs())
def test_a_schema_accepts_exactly_what_the_tool_takes(given: tuple[Tool, dict[str, Any]]) -> None:
    row, arguments = given
    assert accepts(row, arguments) == Draft202012Validator(row.schema).is_valid(arguments), (
        arguments
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_schema_is_one_and_refuses_what_it_does_not_name(row: Tool) -> None:
    Draft202012Validator.check_schema(row.schema)
    assert row.schema["type"] == "object"
    assert row.schema["additionalProperties"] is False
    some = {"integer": 1, "boolean": True, "array": []}
    least = {
        name: some.get(row.schema["properties"][name].get("type"), "abc")
        for name in row.schema.get("required", ())
    }
    assert accepts(row, least)
    assert not accepts(row, {**least, "surprise": 1})
    assert not any(
        accepts(row, {name: value for name, value in least.items() if name != left_out})
        for left_out in least
    )


def test_the_three_tools_take_what_the_specification_says() -> None:
    taken = {
        row.name: (list(row.schema["properties"]), row.schema["required"]) for row in DEFAULT_TOOLS
    }
    assert taken == {
        "search_web": (["query"], ["query"]),
        "fetch_page": (["url"], ["url"]),
        "score_source": (["url", "snippet", "question"], ["url", "snippet"]),
    }


def test_name_and_description_come_from_the_function() -> None:
    for row in TOOLS:
        told = row.declaration()
        paragraphs = (inspect.getdoc(row.run) or "").split("\n\n")
        assert told == {
            "name": row.name,
            "description": "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs),
            "parameters": row.schema,
        }
        assert all(
            argument["description"] for argument in told["parameters"]["properties"].values()
        )


def test_what_a_tool_does_to_the_world_is_annotated() -> None:
    """As the specification's table has it; all but these only look things up in the open web."""
    others = {row.name: (row.read_only, row.idempotent, row.open_world) for row in TOOLS}
    assert {name: marks for name, marks in others.items() if marks != (True, True, True)} == {
        "score_source": (True, True, False),
        "sequential_search": (True, False, False),
        "get_research_session": (True, True, False),
        "research_export": (True, True, False),
        "format_bibliography": (True, True, False),
        "archive_source": (False, True, False),
        "memory_save": (False, False, False),
        "memory_recall": (True, True, False),
        "workspace_contribute": (False, False, False),
        "workspace_read": (True, True, False),
        "get_my_analytics": (True, True, False),
    }


def test_a_model_is_offered_the_tools_that_heed_credibility_and_no_others() -> None:
    assert [row.name for row in DEFAULT_TOOLS] == ["search_web", "fetch_page", "score_source"]
    assert set(DEFAULT_TOOLS) < set(TOOLS)


# ---------------------------------------------------------------- arguments


def test_arguments_arrive_by_their_names_in_the_code_and_defaults_are_the_function_s() -> None:
    assert ask({"text": "abc", "sessionId": "s1", "schema": {"a": 1}, "count": 4}) == {
        "text": "abc",
        "count": 4,
        "share": 0.5,
        "deep": False,
        "kind": "news",
        "names": None,
        "session_id": "s1",
        "schema_": {"a": 1},
    }


def test_a_whole_number_may_be_written_as_a_fraction() -> None:
    assert ask({"text": "abc", "count": 5.0, "share": 1.0})["count"] == 5


def test_every_wrong_argument_is_named_with_what_is_wrong() -> None:
    with pytest.raises(UsageError) as caught:
        ask({"text": "a", "count": "4", "kind": "book", "y": 1})
    said = caught.value.message
    assert said.startswith(
        "everything cannot run: text: String should have at least 2 characters; count: Input should be a valid integer;"
    )
    assert "kind: Input should be 'news' or 'paper'; y: Extra inputs are not permitted." in said


def test_what_a_tool_raises_passes_through() -> None:
    def failing(call: Call) -> dict[str, Any]:
        raise FetchError("No.", kind="blocked")

    with pytest.raises(FetchError):
        ask({}, (Tool("failing", failing),))


# ---------------------------------------------------------------- rows


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(ValueError, match="two tools are called 'search_web'"):
        build_table(*TOOLS, Tool("search_web", everything))


def test_rows_are_found_by_their_name_and_stay_in_order() -> None:
    rows = build_table(*TOOLS, EVERYTHING)
    assert [row.name for row in rows] == [*(row.name for row in TOOLS), "everything"]
    assert find_tool("everything", rows) is EVERYTHING
    assert tools.get_tool("fetch_page") is TOOLS[1]
    assert tools.get_tool("everything") is find_tool(None, rows) is None


def test_a_value_of_a_call_is_made_once() -> None:
    made: list[int] = []
    call = Call(None)
    for _ in range(2):
        assert call.once("key", lambda: made.append(1) or "value") == "value"  # type: ignore[func-returns-value]
    assert made == [1]
    with pytest.raises(ZeroDivisionError):
        call.once("other", lambda: 1 // 0)
    assert "other" not in call.memo


def test_a_result_keeps_its_characters_and_can_always_be_written() -> None:
    assert (
        to_json({"title": "Ålesund 潮汐", "half": "a\udc80b"})
        == '{"title": "Ålesund 潮汐", "half": "a?b"}'
    )
