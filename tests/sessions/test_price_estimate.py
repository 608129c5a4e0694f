"""What a first run costs by list prices."""

from __future__ import annotations

import pytest

from research_core.modes import ResearchMode
from research_core.policy import RunSettings
from research_core.sessions.estimates import estimate_price

FLASH, LITE = "gemini:gemini-3.8-flash", "gemini:gemini-3.1-flash-lite"


def price(mode: str = "standard", **settings: object) -> tuple[float, float, float] | None:
    run = RunSettings(mode=mode, **{"model": FLASH, **settings})  # type: ignore[arg-type]
    return estimate_price(run, ResearchMode.from_name(mode, sources=run.sources))


@pytest.mark.parametrize(
    ("cheaper", "dearer"),
    [
        ({"mode": "quick"}, {"mode": "standard"}),
        ({"mode": "standard"}, {"mode": "deep"}),
        ({"mode": "deep"}, {"mode": "exhaustive"}),
        ({"mode": "exhaustive", "sources": 10}, {"mode": "exhaustive", "sources": 100}),
        ({"judge": LITE}, {}),
        ({"writer": LITE}, {}),
        ({"length": "brief"}, {"length": "long"}),
    ],
)
def test_what_asks_for_less_costs_less(
    cheaper: dict[str, object], dearer: dict[str, object]
) -> None:
    less, more = price(**cheaper), price(**dearer)  # type: ignore[arg-type]
    assert less
    assert more
    assert all(one < other for one, other in zip(less, more, strict=True))
    assert less[0] < less[1] < less[2]


@pytest.mark.parametrize("role", ["model", "writer", "judge"])
def test_one_unknown_price_makes_the_cost_unknown(role: str) -> None:
    assert price(**{role: "openai:somebody-s"}) is None  # type: ignore[arg-type]


def test_a_standard_run_with_the_usual_model_costs_cents() -> None:
    costs = price(judge=LITE)
    assert costs
    assert 0.01 < costs[1] < 0.1
