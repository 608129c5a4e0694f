"""Whether a text speaks for or against a claim: the tables, what is constant without a text, and
two sets judged by people.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.inputs import SHARED_DATA
from benchmarks.stance import measure
from research_core.text.antonyms import (
    DENIAL_ROOTS,
    NEGATIONS,
    REVERSED_BY_NOT,
    SCALE_POSITIONS,
    SCALES,
)
from research_core.text.similarity import word_root
from research_core.text.stance import (
    FEATURES,
    assess_stance,
    compare_claim,
    compute_lean,
    load_weights,
)

CLAIM = "The bridge raised traffic in the harbour district."


def test_every_scale_has_two_ends_of_words_in_lower_case() -> None:
    for name, one, other in SCALES:
        assert all((name.strip(), one.strip(), other.strip()))
        assert (one + other).islower()
        assert not set(one.split()) & set(other.split()), name


def test_a_root_stands_on_one_end_of_a_scale() -> None:
    for word, ends in SCALE_POSITIONS.items():
        assert word
        assert len({scale for scale, _ in ends}) == len(ends)
        assert {end for _, end in ends} <= {1, -1}


def test_what_denies_is_no_plain_word() -> None:
    assert not NEGATIONS & {"yes", "only", "the"}
    assert "myth" in DENIAL_ROOTS
    assert word_root("overlooked") in REVERSED_BY_NOT


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("The bridge did not change traffic in the harbour district.", "one denies"),
        ("We found no evidence that the bridge added traffic to the harbour.", "one denies"),
        ("It is a myth that the bridge filled the harbour with traffic.", "one denies"),
        ("The bridge lowered traffic in the harbour district.", "opposite ways"),
        ("After the bridge, traffic in the harbour fell.", "opposite ways"),
    ],
)
def test_what_speaks_against_a_claim(text: str, feature: str) -> None:
    found, because, _ = compare_claim(CLAIM, text)
    assert found[feature] > 0.0
    assert because
    assert (
        assess_stance(CLAIM, text).lean
        < assess_stance(CLAIM, "The bridge increased traffic in the harbour district.").lean
    )


@pytest.mark.parametrize(
    "text",
    [
        "The bridge not only pleased the harbour district, it raised its traffic.",
        "That the bridge raised traffic in the harbour should not be overlooked.",
        "If you do not live there: the bridge raised traffic in the harbour.",
        "A harbour that was not cleaned got a bridge and traffic.",
        "Respiratory failure aside, the bridge raised traffic in the harbour.",
    ],
)
def test_a_not_that_denies_nothing(text: str) -> None:
    assert compare_claim(CLAIM, text)[0]["one denies"] == 0.0


def test_two_denials_agree() -> None:
    found, because, _ = compare_claim(
        "There is no link between the bridge and traffic.",
        "The bridge was not associated with more traffic.",
    )
    assert (found["both deny"], found["one denies"], because) == (1.0, 0.0, ())


def test_a_turned_word_is_its_opposite() -> None:
    assert (
        compare_claim(CLAIM, "Hardly a harbour: the bridge never raised traffic.")[0][
            "opposite ways"
        ]
        > 0.0
    )


def test_a_warning_needs_a_text_that_mostly_repeats_the_claim() -> None:
    assert (
        assess_stance(CLAIM, "The bridge lowered traffic in the harbour district.").warning
        == "The source may say the opposite: “raised” against “lowered”."
    )
    assert assess_stance(CLAIM, "The bridge raised traffic in the harbour district.").warning == ""
    assert assess_stance(CLAIM, "Elsewhere a bridge lowered traffic.").because
    assert assess_stance(CLAIM, "Elsewhere a bridge lowered traffic.").warning == ""


def test_reasons_quote_both_sides() -> None:
    assert assess_stance(CLAIM, "The bridge lowered traffic in the harbour district.").because == (
        "“raised” against “lowered”",
    )
    assert (
        assess_stance(CLAIM, "The bridge did not raise traffic.").because[0]
        == "“not” in the source only"
    )


@pytest.mark.parametrize("text", ["", " \n", "Cheese ripens slowly.", "… — !", "\ud800\x00"])
def test_without_a_shared_word_a_text_says_nothing(text: str) -> None:
    found, because, _ = compare_claim(CLAIM, text)
    assert set(found.values()) == {0.0}
    assert because == ()
    assert assess_stance(CLAIM, text).lean == 0.0


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read(claim: str, text: str) -> None:
    found = assess_stance(claim, text)
    assert -1.0 <= found.lean <= 1.0
    assert assess_stance(claim, "") == assess_stance("", text) == assess_stance("", "")
    assert all(found.because)


@given(
    st.lists(
        st.sampled_from("bridge traffic raised fell not no evidence 5 8 % , . if never".split()),
        max_size=30,
    )
)
def test_a_claim_word_for_word_is_not_spoken_against(words: list[str]) -> None:
    text = " ".join(words)
    found = compare_claim(text, text)[0]
    assert found["one denies"] == 0.0


def test_every_weight_speaks_for_its_side() -> None:
    assert set(load_weights()) == {"climatefever", "healthver", "both"}
    for weights in load_weights().values():
        assert weights.keys() == {*FEATURES, "bias"}
        assert all(weights[name] * side >= 0 for name, side in FEATURES.items())
    assert compute_lean(dict.fromkeys(FEATURES, 0.0), load_weights()["both"]) == 0.0


@pytest.mark.full
@pytest.mark.skipif(not (SHARED_DATA / "citation").is_dir(), reason="the shared data are not here")
def test_the_judgements_of_people() -> None:
    found = measure(SHARED_DATA, "share")
    for way in ("climatefever to healthver", "healthver to climatefever"):
        assert found[way] >= 0.60
        assert abs(found["without the text"][way] - 0.5) <= 0.03
        assert found["within one claim"][way] >= 0.60
