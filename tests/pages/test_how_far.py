"""The page on how far Assay can be trusted: every figure with its set and what was promised, none made up, weak points beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from parts import measured
from parts.measured import Figure
from research_core.wiring import Office
from tests.desks import shown, words

PAGE = Path(__file__).parents[2] / "pages" / "how_far.py"
FIGURES: Any = {"credibility": {"auc": {"A": {"way": 0.75}}}, "linter": {"replies": 10000}}


@pytest.fixture
def kept() -> Any:
    """Figures in the place of those that were recorded."""

    def put(figures: Any) -> None:
        said = {"figures": figures, "date": "2026-11-23", "commit": "abc", "machine": "m"} if figures else {}
        measured.__dict__["trust"] = lambda: said

    before = measured.trust
    yield put
    measured.__dict__["trust"] = before


def test_every_part_says_where_it_is_weak(office: Office) -> None:
    said = words(shown("how_far.py"))
    for part in ("Credibility", "Relevance", "Support", "Citations", "Contradictions"):
        assert part in said
    for weak in ("unknown", "never a verdict", "understands nothing", "by words", "0.5 is guessing", "are not seen"):
        assert weak in said


def test_a_figure_stands_with_its_set_and_its_promise(office: Office, kept: Any) -> None:
    kept(FIGURES)

    def page() -> None:
        from parts import measured
        from parts.measured import Figure

        path = ("credibility", "auc", "A", "way")
        measured.areas((Figure("good <b>", "a set", path, 0.7), Figure("missing", "a set", ("nowhere",), 0.7)), "one")
        measured.areas((Figure("short", "a set", path, 0.8),), "two")

    at = AppTest.from_function(page).run()
    assert not at.exception
    said = words(at)
    assert "0.750" in said
    assert "≥ 0.70 promised" in said
    assert "&lt; 0.80 promised" in said
    assert "not measured here" in said
    assert "good &lt;b&gt;" in said


def test_without_any_figure_it_says_how_to_measure(office: Office, kept: Any) -> None:
    kept({})
    assert "benchmarks/trust.py --record" in words(shown("how_far.py"))


@pytest.mark.parametrize(("path", "found"), [(("linter", "replies"), 10000.0), (("linter",), None), (("a", "b"), None), ((), None)])
def test_only_numbers_are_figures(kept: Any, path: tuple[str, ...], found: float | None) -> None:
    kept(FIGURES)
    assert measured.value(path) == found


def test_the_figures_of_the_page_are_those_the_benchmark_has_to_reach() -> None:
    from benchmarks.trust import BOUNDS

    source = PAGE.read_text(encoding="utf-8")
    for bound in BOUNDS:
        if bound.low > 0.55 and bound.path[0] in ("credibility", "relevance", "support", "stance"):
            assert ", ".join(f'"{name}"' for name in bound.path) in source, bound.path
    assert Figure("a", "b", ("c",)).least is None
