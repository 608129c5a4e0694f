"""Figures that a sentence derives: which are accepted, and only where a model finds support."""

from __future__ import annotations

import pytest

from research_core.models import Passage, Sentence
from research_core.pipeline.derived_figures import has_only_derived_figures
from research_core.pipeline.prompts import PromptContext
from research_core.pipeline.verify_with_model import DERIVED_NOTE, verify_doubtful
from tests.pipeline.test_verify_with_model import block, verdict
from tests.scripted import Scripted

TEXT = (
    "The fare rose from 40 to 60 euros between 2020 and 2024. The path is 10 miles long. Of the"
    " budget of 3.2 million, 800,000 went to roads. In March 31 ships came, in April 45."
)
DERIVED = [
    "The fare rose from 40 to 60 euros, a rise of half.",
    "The fare rose from 40 to 60 euros, a rise of 50%.",
    "The path is 10 miles long, at 1.609 km each 16.1 km.",
    "Between 2020 and 2024, in four years, the fare rose from 40 to 60 euros.",
    "Der Preis stieg von 40 auf 60 Euro, also um 20 Euro.",
    "Of 3.2 million, 800,000 went to roads, which is 25%.",
    "Of 3.2 million, 2.4 million are left without the 800,000 for roads.",
    "31 ships in March and 45 in April make 76.",
    "31 navires en mars et 45 en avril, soit 38 par mois en moyenne.",
]
NOT_DERIVED = [
    "The fare rose from 40 to 60 euros.",  # lacks nothing
    "The fare rose from 40 to 60 euros, a rise of 55%.",
    "The fare rose by 50%.",  # shows no inputs
    "The path is 16.1 km long.",
    "The path is 10 miles long, at 1.852 km each 18.5 km.",
    "Of 3.2 million, 800,000 went to roads, and 400,000 to schools in 17 towns.",
    "31 ships in March and 45 in April make 77.",
    "The fare rose from 40 to 60 euros, a rise of half, on 3 May 2021.",
    'The fare rose from 40 to 60 euros, or 50%, "a shameless increase by any measure".',
]


@pytest.mark.parametrize("sentence", DERIVED)
def test_a_derived_figure_shows_its_inputs(sentence: str) -> None:
    assert has_only_derived_figures(sentence, [TEXT])


@pytest.mark.parametrize("sentence", NOT_DERIVED)
def test_other_figures_stay_missing(sentence: str) -> None:
    assert not has_only_derived_figures(sentence, [TEXT])


@pytest.mark.parametrize(
    ("version", "said", "state"),
    [
        (1, "supported", "partly"),
        (2, "supported", "supported"),
        (2, "partly", "partly"),
        (2, "not_found", "not found"),
    ],
)
def test_a_derived_figure_counts_where_a_model_finds_support(
    version: int, said: str, state: str
) -> None:
    passages = {"p1": Passage("p1", TEXT, 0, len(TEXT))}
    sentence = Sentence(DERIVED[1], ("p1",), "partly", "Not in the passage: 50.")
    model = Scripted(verdict(said, "The fare rose from 40 to 60 euros"))
    ((checked,),) = (
        each.sentences
        for each in verify_doubtful(block(sentence), passages, model, PromptContext(version))
    )
    assert checked.state == state
    assert (DERIVED_NOTE in checked.note) == (state == "supported")
