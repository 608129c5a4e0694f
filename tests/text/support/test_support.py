"""How likely a text supports a sentence: states and measures, weights that fit their measures, and
human labels where they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.inputs import SHARED_DATA
from benchmarks.support import measure, read_rows
from research_core.text.support import check_support, estimate_support
from research_core.text.support.features import measure_support
from research_core.text.support.weights import MEASURE_SIGNS, load_weights

PAGE = (
    "Sperm whales dive to about 1,000 meters and stay down for an hour."
    " A tagged whale reached 2.05 km in 2019."
    " The survey counted 1.5 million seals, and twenty ships took part."
    " Half of the crews were paid 40 percent more."
)


ENTRY = (
    "Drake, C., & Roth, T. (2013). Caffeine effects on sleep taken before going to bed. J. of Clin."
    " Sleep Medicine, 9(11), 1195–1200."
)


@pytest.mark.parametrize(
    "passage",
    [
        ENTRY,
        f"[3] {ENTRY}",
        f"{ENTRY}\nMeyer, A. (2014). Coffee and sleep. Oxford University Press.",
    ],
)
def test_a_reference_by_itself_supports_nothing(passage: str) -> None:
    sentence = "Caffeine taken before going to bed has effects on sleep."
    assert check_support(sentence, [passage]) == (
        "not found",
        "The cited passage is a list of references.",
    )
    assert (
        check_support(
            sentence,
            [f"{passage}\nCaffeine taken before going to bed has strong effects on sleep."],
        )[0]
        == "supported"
    )


def test_a_study_that_is_told_of_is_no_reference() -> None:
    told = (
        "Drake, C. et al. (2013) found in the Journal of Clinical Sleep Medicine 9(11), 1195 that"
        " caffeine before bed disturbs sleep."
    )
    assert check_support("Caffeine before bed disturbs sleep.", [told])[0] == "supported"


@pytest.mark.parametrize("sentence", [each.strip() + "." for each in PAGE.split(". ")])
def test_a_sentence_of_the_page_is_supported_and_with_another_figure_it_is_not(
    sentence: str,
) -> None:
    assert estimate_support(sentence, [PAGE]) == 1.0
    assert check_support(sentence, [PAGE]) == ("supported", "")
    changed = (
        sentence.replace("1,000", "3,000")
        .replace("2019", "2017")
        .replace("1.5", "1.7")
        .replace("40", "45")
    )
    assert changed != sentence
    assert check_support(changed, [PAGE])[0] != "supported"


@pytest.mark.parametrize(
    ("sentence", "passage", "state"),
    [
        ("Sales rose to 12", "Sales rose to 12 in May.", "supported"),
        ("Sales rose to 12", "Sales rose to 12,000 in May.", "partly"),
        ("Sales rose to 12", "Sales rose to 12.5 in May.", "partly"),
        ("The earth is flat.", "It is a myth that the earth is flat.", "partly"),
        ("The earth is flat.", "Some falsely claim that the earth is flat.", "partly"),
        (
            "It is a myth that the earth is flat.",
            "It is a myth that the earth is flat.",
            "supported",
        ),
        ("The earth is round.", "It is a fact that the earth is round.", "supported"),
        (
            "The earth is round. It turns.",
            "We know. The earth is round. It turns. That is all.",
            "supported",
        ),
        ("Aspirin cures cancer.", "Aspirin cures cancer (a myth).", "partly"),
        (
            "Vaccines cause autism.",
            "Vaccines cause autism? Studies show that they do not.",
            "partly",
        ),
        ("Vaccines cause autism.", "The claim that vaccines cause autism is false.", "partly"),
        ("Vaccines cause autism.", "Vaccines cause autism in children is a myth.", "partly"),
        (
            "The filter removes false alarms in wards.",
            "The filter removes false alarms that occur in wards.",
            "supported",
        ),
        (
            "The climate is warming.",
            "No scientist denies that the climate is warming.",
            "supported",
        ),
        ("He called it a “cat”.", "He called it a catalogue.", "partly"),
        ("他说“地球是圆的”。", "他说地球是圆的吗？他说“地球是圆的”。", "supported"),
    ],
)
def test_words_are_held_as_whole_words_in_whole_sentences(
    sentence: str, passage: str, state: str
) -> None:
    assert check_support(sentence, [passage])[0] == state


def test_a_text_that_says_it_is_likelier_to_support_than_one_that_does_not() -> None:
    said, other = (
        "Diving sperm whales stay down an hour.",
        "Bakers in Lisbon rise at four to light their ovens.",
    )
    assert estimate_support(said, [PAGE]) > 0.6 > 0.2 > estimate_support(other, [PAGE])
    assert (
        estimate_support(said, [])
        == estimate_support(said, ["  "])
        == estimate_support("", [PAGE])
        == 0.0
    )


@pytest.mark.parametrize(
    ("sentence", "name", "value"),
    [
        ("Did they dive?", "asks", 1.0),
        ("They dived!", "calls", 1.0),
        ("They dived.", "asks", 0.0),
        ("i think so too", "speaking", 0.25),
        ("The US counted seals.", "speaking", 0.0),
        ("Seals sleep. Whales dive.", "said", 2.0),
        ("Sperm whales dive. Bakers light ovens.", "leastsaid", 0.0),
        ("Sperm whales dive.", "leastsaid", 1.0),
        ("Sperm whales dive.", "capitals", 1 / 3),
        ("The whale of the survey", "common", 3 / 5),
    ],
)
def test_the_manner_of_a_sentence_is_measured(sentence: str, name: str, value: float) -> None:
    assert dict(zip(MEASURE_SIGNS, measure_support(sentence, PAGE), strict=True))[
        name
    ] == pytest.approx(value)


def test_a_place_that_says_little_else_is_worth_more() -> None:
    told = [
        dict(zip(MEASURE_SIGNS, measure_support("Sperm whales dive.", text), strict=True))["worth3"]
        for text in ("Sperm whales dive.", PAGE)
    ]
    assert told[0] == pytest.approx(1.0)
    assert 1.0 > told[1] > 0.0


def test_the_weights_are_those_of_the_measures() -> None:
    assert list(load_weights()["linear"]) == list(MEASURE_SIGNS)


@given(st.text(max_size=150), st.lists(st.text(max_size=200), max_size=3))
def test_any_sentence_and_any_texts_have_a_likelihood(sentence: str, texts: list[str]) -> None:
    assert 0.0 <= estimate_support(sentence, texts) <= 1.0
    assert len(measure_support(sentence, "\n".join(texts))) == len(MEASURE_SIGNS)


@pytest.mark.full
@pytest.mark.skipif(not (SHARED_DATA / "citation").is_dir(), reason="the shared data are not there")
def test_on_human_labels_supported_sentences_come_first(tmp_path: Path) -> None:
    folder = tmp_path / "citation"
    folder.mkdir()
    for name in ("attributionbench", "wice"):
        lines = (
            (SHARED_DATA / "citation" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        )
        (folder / f"{name}.jsonl").write_text("\n".join(lines[::6]), encoding="utf-8")
    found = measure(tmp_path, "share")
    assert found["attributionbench"]["n"] == len(read_rows(folder, "attributionbench", "share"))
    assert found["attributionbench"]["auc"] > 0.8
    assert found["wice"]["auc"] > 0.65
    assert (
        found["attributionbench"]["supported"]["false_accept"]
        < found["attributionbench"]["partly"]["false_accept"]
    )
