"""The page on how far Assay can be trusted: every figure with its set and what was promised, none
made up, weak points beside them.
"""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from parts.how_far import content
from parts.how_far import figures as measured
from parts.how_far.figures import MeasuredFigure
from research_core.wiring import Resources
from tests.sample_sessions import shown, with_shared_components, words

FIGURES: Any = {"credibility": {"auc": {"A": {"way": 0.75}}}, "linter": {"replies": 10000}}


@pytest.fixture
def kept() -> Any:
    """Figures in the place of those that were recorded."""

    def put(figures: Any) -> None:
        said = (
            {"figures": figures, "date": "2026-11-23", "commit": "abc", "machine": "m"}
            if figures
            else {}
        )
        measured.__dict__["read_trust_results"] = lambda: measured.normalize_names(said)

    before = measured.read_trust_results
    yield put
    measured.__dict__["read_trust_results"] = before


def test_every_part_says_where_it_is_weak(resources: Resources) -> None:
    said = words(shown("how_far.py"))
    for part in ("Credibility", "Relevance", "Support", "Citations", "Contradictions"):
        assert part in said
    for weak in (
        "unknown",
        "never a verdict",
        "understands nothing",
        "by words",
        "0.5 is guessing",
        "are missed",
    ):
        assert weak in said


def test_a_figure_stands_with_its_set_and_its_promise(resources: Resources, kept: Any) -> None:
    kept(FIGURES)

    def page() -> None:
        from parts.how_far import figures as measured
        from parts.how_far.figures import MeasuredFigure

        path = ("credibility", "auc", "A", "way")
        measured.draw_areas(
            {
                "": (
                    MeasuredFigure("good <b>", "a set", path, 0.7),
                    MeasuredFigure("missing", "a set", ("nowhere",), 0.7),
                )
            },
            "one",
        )
        measured.draw_areas({"": (MeasuredFigure("short", "a set", path, 0.8),)}, "two")

    at = with_shared_components(AppTest.from_function(page)).run()
    assert not at.exception
    said = words(at)
    assert "0.750" in said
    assert 'data-column="Target"><div>0.70</div>' in said
    assert '<div>0.80 <span class="badge red">✕ target missed</span></div>' in said
    assert "not measured here" in said
    assert "good &lt;b&gt;" in said


def test_without_any_figure_it_says_how_to_measure(resources: Resources, kept: Any) -> None:
    kept({})
    assert "benchmarks/trust.py --record" in words(shown("how_far.py"))


@pytest.mark.parametrize(
    ("path", "found"),
    [(("linter", "replies"), 10000.0), (("linter",), None), (("a", "b"), None), ((), None)],
)
def test_only_numbers_are_figures(kept: Any, path: tuple[str, ...], found: float | None) -> None:
    kept(FIGURES)
    assert measured.find_value(path) == found


def test_the_figures_of_the_page_are_those_the_benchmark_has_to_reach() -> None:
    from benchmarks.trust import BOUNDS

    groups = (*content.HEADLINES.values(), content.CREDIBILITY_FIGURES)
    shown_paths = {figure.path for group in groups for figure in group}
    for bound in BOUNDS:
        if bound.low > 0.55 and bound.path[0] in ("credibility", "relevance", "support", "stance"):
            path = tuple(name.replace(" ", "_") for name in bound.path)
            assert path in shown_paths
    assert MeasuredFigure("a", "b", ("c",)).least is None


# ---------------------------------------------------------------- what was fitted, and all the rest

PATH = ("relevance", "auc", "noveleval")


def test_what_was_fitted_leads_with_the_cross_validated_figure(
    resources: Resources, kept: Any
) -> None:
    kept(
        {"split": "share", "relevance": {"auc": {"noveleval": 0.827}, "pairs": {"noveleval": 351}}}
    )

    def page() -> None:
        from parts.how_far import figures as measured
        from parts.how_far.figures import MeasuredFigure

        measured.draw_areas(
            {"": (MeasuredFigure("pages", "NovelEval", ("relevance", "auc", "noveleval"), 0.8),)},
            "one",
        )

    said = words(with_shared_components(AppTest.from_function(page)).run())
    assert "<strong>0.719</strong>" in said
    assert "0.827 on the data it was fitted on" in said
    assert '0.80 <span class="badge red">✕ target missed' in said, (
        "the fitted figure would reach it"
    )
    assert "351 pairs" in said


def test_a_recorded_cross_validated_figure_counts_before_the_printed_one(kept: Any) -> None:
    kept(
        {
            "relevance": {"auc": {"noveleval": 0.8}},
            "cross-validated": {"relevance": {"auc": {"noveleval": 0.5}}},
        }
    )
    assert measured.find_cross_validated(PATH) == 0.5
    kept({"relevance": {"auc": {"noveleval": 0.8}}})
    assert measured.find_cross_validated(PATH) == 0.719
    kept({"split": "hold", "relevance": {"auc": {"noveleval": 0.8}}})
    assert measured.find_cross_validated(PATH) is None, (
        "what was kept apart was fitted on by nothing"
    )
    assert measured.find_cross_validated(("credibility", "auc", "A", "way")) is None


def test_the_page_says_of_which_day_and_half_the_figures_are(
    resources: Resources, kept: Any
) -> None:
    kept({"split": "share", **FIGURES})
    said = words(shown("how_far.py"))
    assert "Measured 2026-11-23 at commit abc (m)." in said
    assert "The other half was never looked at." in said
    kept({"split": "hold", **FIGURES})
    assert "the half that was never looked at before" in words(shown("how_far.py"))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (("credibility", "auc", "A", "way"), "2,126 good and 613 bad sites"),
        (("relevance", "by_meaning", "auc", "q"), "1,515 pairs"),
        (("support", "wice", "auc"), "351 pairs"),
        (("stance", "b_to_a"), "1,450 claims"),
        (("stance", "without_the_text", "b_to_c"), ""),
        (("linter", "replies"), ""),
    ],
)
def test_the_size_of_a_set_stands_with_its_figure(
    kept: Any, path: tuple[str, ...], said: str
) -> None:
    kept(
        {
            "credibility": {"sizes": {"A": {"good": 2126, "bad": 613}}}, "relevance": {"by meaning": {"pairs": {"q": 1515}}},
            "support": {"wice": {"n": 351}}, "stance": {"rows": {"a": 1450}},
        }
    )  # fmt: skip
    assert measured.format_size(path) == said


DETAILS = {
    "split": "share",
    "credibility": {
        "500 sources, ms": 23.1,
        "auc": {"MBFC": {"all that comes with Assay": 0.7111, "without outlet": 0.5222, "another way": 0.6333}},
        "known": {"MBFC": 0.3169},
        "recorded results": {"by": {"tier": 750, "unknown": 250}, "results": 1000, "unknown": 0.25},
        "sizes": {"MBFC": {"bad": 613, "good": 2126}},
    },
    "linter": {"hostile replies": {"lost": 3, "seed": 1}, "reports": {"missed": 4, "invented": 0, "findings": {"gap": 33}}},
    "relevance": {
        "auc": {"trecqa_wang": 0.8666}, "pairs": {"trecqa_wang": 1208}, "kept": {"trecqa_wang": {"good": 0.516, "others": 0.089}},
        "by meaning": {"auc": {"trecqa_wang": 0.8812}, "kept": {"trecqa_wang": {"good": 0.601, "others": 0.076}}},
        "semantic gain": 0.0608,
    },
    "stance": {
        "a to b": 0.6512, "rows": {"b": 1111}, "warnings": {"b": {"of refuted": 0.031, "right": 0.625, "warned": 24}},
        "with the text of another row": {"a to b": 0.494}, "within one claim": {"a to b": 0.6759}, "without the text": {"a to b": 0.5},
    },
    "support": {
        "60 citations, s": 0.607,
        "attributionbench/HAGRID": {"auc": 0.9176, "n": 573, "partly": {"false_accept": 0.4, "false_reject": 0.02, "least": 0.25}},
        "wice": {
            "auc": 0.8271, "n": 351, "partly": {"false_accept": 0.416, "false_reject": 0.115, "least": 0.25},
            "supported": {"false_accept": 0.021, "false_reject": 0.77, "least": 0.6},
        },
    },
    "contradictions": {
        "copies": {"differs": {"half of it": {"pairs": 254, "differs": 0.835, "explained": 0.0}}, "recall": 0.834},
        "on one question": {"citation/wice": {"questions": 818, "may be of another date": 2}},
    },
}  # fmt: skip


def test_every_figure_of_the_benchmark_is_on_the_page(resources: Resources, kept: Any) -> None:
    kept(DETAILS)
    said = words(shown("how_far.py"))
    for figure in (
        "0.711", "0.522", "0.633", "another way", "2,126", "32%", "75%", "23.1 ms", "0.867", "0.881", "0.853", "0.875", "52%", "9%", "60%",
        "8%", "+0.061", "0.918", "AttributionBench: HAGRID", "40%", "42%", "12%", "2%", "77%", "0.607 s", "0.651", "0.494", "0.676",
        "0.500", "1,111", "62%", "3%", "83.5%", "lost: good citations removed", "missed: broken citations not found",
        "818",
    ):  # fmt: skip
        assert figure in said, figure


def test_the_recorded_figures_have_the_shape_the_page_reads() -> None:
    """Those that the benchmark left: no table of the first page but that of contradictions may be
    empty.
    """
    from parts.how_far import breakdown

    for path in (
        ("credibility", "auc"),
        ("credibility", "recorded_results", "by"),
        ("relevance", "kept"),
        ("stance", "warnings"),
    ):
        assert measured.find_figures(*path), path
    assert {"attributionbench", "wice"} <= set(breakdown._support_sets())
    assert set(measured.CROSS_VALIDATED) <= {
        path for path in measured.CROSS_VALIDATED if measured.find_value(path) is not None
    }
