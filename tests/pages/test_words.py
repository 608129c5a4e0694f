"""Times and sums in the words a reader uses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from parts.shared import wording


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0.0 s"),
        (0, "0.0 s"),
        (0.004, "0.1 s"),
        (0.42, "0.4 s"),
        (1, "0:01"),
        (7.9, "0:07"),
        (750, "12:30"),
        (3723, "1:02:03"),
    ],
)
def test_a_lapse_is_told_as_a_clock_tells_it_and_a_part_of_a_second_is_not_none(
    seconds: float, said: str
) -> None:
    assert wording.format_duration(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0.0 s"), (0.01, "0.1 s"), (0.26, "0.3 s"), (12.34, "12.3 s")]
)
def test_tenths_of_a_second(seconds: float, said: str) -> None:
    assert wording.format_seconds(seconds) == said


@pytest.mark.parametrize(
    ("spent", "said"), [(None, "cost unknown"), (0.0, "free"), (0.00123, "$0.0012")]
)
def test_a_price_that_is_not_known_is_never_shown_as_nothing(
    spent: float | None, said: str
) -> None:
    assert wording.format_cost(spent) == said


@pytest.mark.parametrize(
    ("until", "engines", "shown"),
    [
        (5.0, ("ddgs:duckduckgo", "ddgs:brave"), "led by an MCP client"),
        (5.0, ("library",), "led by an MCP client"),
        (0.0, (), "led by an MCP client"),
        (None, ("ddgs:brave", "ddgs:mojeek"), "brave, mojeek"),
        (None, ("library",), "library “Öfen”"),
    ],
)
def test_a_client_that_leads_a_session_names_no_engines(
    until: float | None, engines: tuple[str, ...], shown: str
) -> None:
    row = SimpleNamespace(until=until, settings={"engines": engines, "library": "Öfen"})
    info: Any = SimpleNamespace(row=row)
    assert wording.describe_session_places(info) == shown
