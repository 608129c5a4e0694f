"""Opposites, exclusive words, exchanged names and a one-sided "not", in the same company only."""

from __future__ import annotations

import pytest

from research_core.text.support.contrasts import (
    SAYS_ABSENT,
    find_contrast,
    find_exchanged_name,
    find_one_sided_negation,
)
from research_core.text.support.page_places import read_claim, read_page_text

RIVER = "Engineers of the harbour say that the new barrier raised the river at Brackley by a metre."


@pytest.mark.parametrize(
    ("claim", "page", "kind", "ours", "theirs"),
    [
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            RIVER, "", "lowered", "raised",
        ),
        (
            "The vaccine trial recorded post-treatment headaches of volunteers in Lisbon.",
            "The vaccine trial recorded pre-treatment headaches of volunteers in Lisbon.",
            "", "post", "pre",
        ),
        (
            "The harbour committee of Brackley found the contractor's figures inaccurate.",
            "The harbour committee of Brackley found the contractor's figures accurate.",
            "", "inaccurate", "accurate",
        ),
        (
            "The strike at the Brackley shipyard began on Tuesday and lasted a week.",
            "The strike at the Brackley shipyard began on Thursday and lasted a week.",
            "date", "Tuesday", "Thursday",
        ),
        (
            "The Brackley shipyard reported its fifth annual deficit to investors.",
            "The Brackley shipyard reported its third annual deficit to investors.",
            "figure", "fifth", "third",
        ),
        (
            "Die Zahl der Störche im Havelland ist im Sommer gesunken, sagt der Verband.",
            "Die Zahl der Störche im Havelland ist im Sommer gestiegen, sagt der Verband.",
            "", "gesunken", "gestiegen",
        ),
        (
            "Le prix du blé breton a connu une baisse sensible sur le marché de Rennes.",
            "Le prix du blé breton a connu une hausse sensible sur le marché de Rennes.",
            "", "baisse", "hausse",
        ),
        (
            "El gremio de Sevilla esperaba más demanda de aceite andaluz en verano.",
            "El gremio de Sevilla esperaba menos demanda de aceite andaluz en verano.",
            "", "más", "menos",
        ),
    ],
)  # fmt: skip
def test_an_opposite_in_the_same_company_is_found(
    claim: str, page: str, kind: str, ours: str, theirs: str
) -> None:
    read = read_page_text(page)
    found = find_contrast(read_claim(claim, read.language), read)
    shown = (found.kind, found.ours, found.theirs) if found else ("", "", "")
    assert shown == (kind, ours, theirs)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        # the opposite is said of another matter
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            "Prices of tickets were raised. Engineers of the harbour built a barrier at Brackley.",
        ),
        # the opposite is denied
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            "Engineers of the harbour say the new barrier never raised the river at Brackley.",
        ),
        # both words are there
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            f"{RIVER} Later it lowered the river at Brackley.",
        ),
        ("Frogs sang.", RIVER),
        ("", RIVER),
    ],
)
def test_another_company_a_denial_or_both_words_are_no_contrast(claim: str, page: str) -> None:
    read = read_page_text(page)
    assert find_contrast(read_claim(claim, read.language), read) is None


@pytest.mark.parametrize(
    ("claim", "page", "word"),
    [
        (
            "Doctors in Tromsø will not publish the vaccine trial results.",
            "Doctors in Tromsø will publish the vaccine trial results.",
            "publish",
        ),
        (
            "The treaty of Ambleside obliges shepherds to fence meadows.",
            "The treaty of Ambleside never obliges shepherds to fence meadows.",
            "obliges",
        ),
        ("The treaty obliges shepherds.", "The treaty obliges shepherds.", ""),
        (
            "The treaty does not mention that shepherds of Ambleside fence meadows.",
            "Shepherds of Ambleside fence meadows.",
            "",
        ),
    ],
)
def test_a_one_sided_not_is_found(claim: str, page: str, word: str) -> None:
    read = read_page_text(page)
    assert find_one_sided_negation(read_claim(claim, read.language), read) == word


@pytest.mark.parametrize(
    ("claim", "page", "theirs"),
    [
        (
            "The old viaduct was drawn by engineer Margaret Hollis from the county office.",
            "The old viaduct was drawn by engineer Margaret Aldous from the county office.",
            "Aldous",
        ),
        (
            "The meeting of farmers was in January at the county office in Brackley.",
            "The meeting of farmers was in Jan at the county office in Brackley.",
            "",
        ),
    ],
)
def test_a_name_between_the_same_words_is_exchanged(claim: str, page: str, theirs: str) -> None:
    read = read_page_text(page)
    found = find_exchanged_name(read_claim(claim, read.language), read)
    assert (found.theirs if found else "") == theirs


@pytest.mark.parametrize(
    ("sentence", "is_absent"),
    [
        ("The study does not explicitly mention children.", True),
        ("There is no information on costs.", True),
        ("Es gibt keine genauen Angaben zu den Kosten.", True),
        ("Les auteurs ne précisent pas la durée.", True),
        ("No se menciona la fecha.", True),
        ("इसका उल्लेख नहीं है।", True),
        ("文中没有提到价格。", True),
        ("The minister gave no speech.", False),
        ("Die Angaben sind genau.", False),
    ],
)
def test_a_sentence_on_what_is_missing_is_known(sentence: str, is_absent: bool) -> None:
    assert bool(SAYS_ABSENT.search(sentence)) == is_absent
