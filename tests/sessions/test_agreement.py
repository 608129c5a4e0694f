"""How far two judges agree: the figures, what a run's log gives, and the words for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.decisions.view import fold_events
from research_core.sessions.agreement import (
    SCORES,
    Agreement,
    ScorePair,
    build_confusion_table,
    compare_scores,
    compute_weighted_kappa,
    describe_strength,
    format_markdown,
    measure_agreement,
    summarize_agreement,
)
from tests.decisions.test_gate import QUESTION, Log
from tests.sample_sessions import crowded
from tests.terminal import assay, open_resources

MODEL = "gemini:gemini-3.5-flash"
A, B, C = (f"https://{name}.example.org/p" for name in "abc")
Scores = list[tuple[int, int]]
some_scores = st.lists(st.tuples(st.sampled_from(SCORES), st.sampled_from(SCORES)), max_size=40)


def pairs(scores: Scores) -> list[ScorePair]:
    return [
        ScorePair(f"https://s{n:03}.example.org/", f"T{n}", *both) for n, both in enumerate(scores)
    ]


def kappa(scores: Scores) -> float | None:
    return compute_weighted_kappa(build_confusion_table(pairs(scores)))


# ---------------------------------------------------------------- kappa


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], None),
        ([(3, 3)] * 4, None),  # chance alone would agree always
        ([(1, 1), (5, 5)], 1.0),
        ([(1, 5), (5, 1)], -1.0),
        ([(3, 4)] * 4, 0.0),  # always one apart, as by chance
        (list(product(SCORES, SCORES)), 0.0),
        ([(1, 1), (2, 2), (3, 3), (4, 5), (5, 4)], 0.9),
        ([(1, 2), (2, 2), (3, 3), (4, 4)], 0.875),
    ],
)
def test_weighted_kappa_of_known_tables(scores: Scores, expected: float | None) -> None:
    assert kappa(scores) == (None if expected is None else pytest.approx(expected))


@given(some_scores)
def test_kappa_is_bounded_and_the_same_whoever_is_named_first(scores: Scores) -> None:
    found, turned = kappa(scores), kappa([(b, a) for a, b in scores])
    assert found == turned
    assert found is None or -1.0 - 1e-12 <= found <= 1.0


@given(st.lists(st.sampled_from(SCORES), min_size=2).filter(lambda scores: len(set(scores)) > 1))
def test_kappa_of_equal_judges_is_one(scores: list[int]) -> None:
    assert kappa([(score, score) for score in scores]) == 1.0


@given(
    some_scores.filter(lambda scores: kappa(scores) is not None and any(a != b for a, b in scores))
)
def test_kappa_is_below_one_where_they_part(scores: Scores) -> None:
    found = kappa(scores)
    assert found is not None
    assert found < 1.0


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (1.0, "almost perfect"),
        (0.61, "substantial"),
        (0.609, "substantial"),
        (0.5, "moderate"),
        (0.0, "slight"),
        (-0.3, "worse than chance"),
    ],
)
def test_kappa_has_a_word(value: float, word: str) -> None:
    assert describe_strength(value) == word


# ---------------------------------------------------------------- what is said of pairs


@given(some_scores)
def test_figures_are_those_of_the_table(scores: Scores) -> None:
    found = compare_scores(pairs(scores), 3)
    assert sum(map(sum, found.table)) == found.n == len(scores)
    if scores:
        assert found.exact == sum(found.table[n][n] for n in range(5)) / found.n
        assert found.within_one is not None
        assert found.exact <= found.within_one <= 1.0
    assert len(found.parted) == sum(a != b for a, b in scores)
    assert [pair.distance for pair in found.parted] == sorted(
        (abs(a - b) for a, b in scores if a != b), reverse=True
    )


@pytest.mark.parametrize(("cutoff", "alike"), [(1, 1.0), (2, 0.75), (3, 0.75), (4, 1.0)])
def test_both_keep_or_both_drop_at_the_cutoff(cutoff: int, alike: float) -> None:
    assert compare_scores(pairs([(1, 2), (2, 3), (4, 4), (3, 3)]), cutoff).alike == alike


def test_those_furthest_apart_stand_first_then_by_address() -> None:
    found = compare_scores(pairs([(3, 4), (1, 5), (2, 2), (2, 3)]))
    assert [pair.title for pair in found.parted] == ["T1", "T0", "T3"]


# ---------------------------------------------------------------- a run


def log(**settings: str) -> Log:
    return Log(**{"model": MODEL, **settings})


def source(run: Log, url: str, text: str, score: int, *, scored: bool = True) -> Log:
    run.found(url)(
        "fetched", url=url, final_url=url, title=text[:20], published="", page={"$text": "sha"}
    )
    run(
        "passages",
        url=url,
        passages=[{"id": "p1", "text": text, "start": 0, "end": len(text)}],
        summary=text,
    )
    return run("judged", url=url, title=text[:20], score=score, explanation="", scored=scored)


def of(run: Log) -> Agreement:
    return measure_agreement(fold_events(run.events))


def test_the_second_judge_reads_the_same_passages() -> None:
    run = source(source(log(), A, QUESTION, 5), B, "Nothing of the kind stands here.", 1)
    found = of(run)
    assert found.n == 2
    assert found.table[0][0] == 1  # neither sees anything in the second
    assert sum(found.table[4][2:]) == 1  # the question's own words are relevant to both


def test_a_judge_of_its_own_is_compared_whichever_model_writes() -> None:
    found = of(source(log(model="offline", judge=MODEL), A, QUESTION, 5))
    assert (found.model, found.n) == (MODEL, 1)


def test_a_source_the_model_could_not_score_makes_no_pair_and_is_counted() -> None:
    found = of(source(source(log(), A, QUESTION, 5), B, QUESTION, 3, scored=False))
    assert (found.n, found.unscored) == (1, 1)
    assert "1 could not be scored by the model and is left out" in summarize_agreement(found)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (lambda: source(log(model="offline"), A, QUESTION, 5), "No model judged this run"),
        (lambda: source(log(judge="offline"), A, QUESTION, 5), "No model judged this run"),
        (lambda: log(), "No source has been judged yet"),
        (lambda: source(log(), A, QUESTION, 3, scored=False), "did not score the only source"),
    ],
)
def test_without_a_pair_it_says_why(run: Callable[[], Log], why: str) -> None:
    found = of(run())
    assert (found.n, found.exact, found.kappa) == (0, None, None)
    assert why in summarize_agreement(found)
    assert format_markdown(found) == found.why + "\n"


def test_one_score_for_all_says_that_kappa_is_silent() -> None:
    assert "of which kappa can say nothing" in summarize_agreement(
        compare_scores(pairs([(4, 4), (4, 4)]), model=MODEL)
    )


def test_few_sources_are_said_to_be_few() -> None:
    assert "So few sources" in summarize_agreement(
        compare_scores(pairs([(1, 1), (5, 4)]), model=MODEL)
    )
    assert "So few sources" not in summarize_agreement(
        compare_scores(pairs([(1, 1), (5, 4)] * 5), model=MODEL)
    )


def test_markdown_has_the_table_and_draws_nothing_of_a_hostile_title() -> None:
    bad = "![x](http://evil.example/)\n# <b>big</b>"
    told = format_markdown(
        compare_scores([ScorePair(A, bad, 1, 5), ScorePair(B, "B", 4, 4)], model=MODEL)
    )
    assert "| 1 | 0 | 0 | 0 | 0 | 1 |" in told
    assert "![" not in told
    assert "\n# " not in told
    assert "- 1 by the model, 5 by words: " in told


# ---------------------------------------------------------------- the command line


def test_command_prints_markdown_and_json(assay_home: Path) -> None:
    with closing(open_resources(assay_home)) as held:
        session = crowded(held, 40, read=20, sentences=4, model=MODEL)
    said, told = assay("agreement", session), assay("agreement", session, "--json")
    assert (said.code, told.code) == (0, 0)
    found = json.loads(told.out)
    assert found["n"] == sum(map(sum, found["table"])) > 5
    assert f"{found['n']} sources judged by both" in said.out
    assert said.out == assay("agreement", session).out


def test_command_on_an_unknown_session_is_a_usage_error(assay_home: Path) -> None:
    assert assay("agreement", "nothing").code == 2
