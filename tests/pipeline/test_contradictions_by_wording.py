"""Contradictions by verbs that deny, and the groups, times and kinds that may explain one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.pipeline.contradictions import Contradiction, _find_added_time, compare_sources
from research_core.text.differing_details import find_difference
from tests.pipeline.test_contradictions import FOUND, NOT_FOUND
from tests.pipeline.test_contradictions import report as make_report

QUESTION = "How do garlic, peat, the mill dam and otters change pressure, losses, levels and fish?"


def compare(one: str, other: str, scoring: int = RULE_VERSIONS["scoring"]) -> list[Contradiction]:
    rules = {**RULE_VERSIONS, "scoring": scoring}
    built = replace(make_report(one, other), question=QUESTION, rules=rules)
    return list(compare_sources(built).contradictions)


GARLIC = "Garlic lowers high blood pressure in older adults."
DAM = "The mill dam raises the water level of the lower lake."
PEAT = "The drained peat lost 41 percent of its carbon to the air."
DENIED = [
    (GARLIC, "The agency rejected the claim that garlic lowers high blood pressure in older adults."),
    (GARLIC, "The agency disputes that garlic lowers high blood pressure in older adults."),
    (GARLIC, "The review refuted the idea that garlic lowers high blood pressure in older adults."),
    (GARLIC, "The trial failed to show that garlic lowers high blood pressure in older adults."),
    (GARLIC, "The review found no evidence that garlic lowers high blood pressure in older adults."),
    (GARLIC, "Two trials could not confirm that garlic lowers high blood pressure in older adults."),
    (DAM, "The engineers ruled out that the mill dam raises the water level of the lower lake."),
    (DAM, "The owner denied that the mill dam raises the water level of the lower lake."),
    (DAM, "The court dismissed the claim that the mill dam raises the water level of the lower lake."),
    (DAM, "The claim that the mill dam raises the water level of the lower lake was disproved."),
]  # fmt: skip
DIFFERING = [
    (PEAT, "The drained peat lost 15 percent of its carbon to the air."),
    ("Otters in the mill dam eat 900 fish a year.", "Otters in the mill dam eat 300 fish a year."),
]
SALT = "Salt in the soaking water toughens dried beans during cooking."
TYRES = "Wide tyres shorten the braking distance of heavy cars."
RENT = "A tenancy at will ends upon the death of the landlord."
BONDS = "Rising interest rates lower the market price of old bonds."
SERVE = "A longer warm up raises the serving speed of tennis players."
TAKEN_BACK = [
    (SALT, "It is wrong to deny that salt in the soaking water toughens dried beans during cooking."),
    (SALT, "Does anybody deny that salt in the soaking water toughens dried beans during cooking?"),
    (SALT, "Cooks who dispute that salt in the soaking water toughens dried beans during cooking have"
     " been refuted."),
    (TYRES, "Nothing refutes that wide tyres shorten the braking distance of heavy cars."),
    (TYRES, "It is impossible to dispute that wide tyres shorten the braking distance of heavy cars."),
    (TYRES, "The maker, without disputing that wide tyres shorten the braking distance of heavy cars,"
     " paid."),
    (RENT, "The judge overturned a ruling that rejected the claim that a tenancy at will ends upon the"
     " death of the landlord."),
    (RENT, "Why would a court deny that a tenancy at will ends upon the death of the landlord?"),
    (RENT, "Those who deny that a tenancy at will ends upon the death of the landlord are mistaken."),
    (BONDS, "You cannot dispute that rising interest rates lower the market price of old bonds."),
    (BONDS, "The bank refuted a study that denied that rising interest rates lower the market price of"
     " old bonds."),
    (SERVE, "It would be a mistake to dismiss the idea that a longer warm up raises the serving speed"
     " of tennis players."),
    (SERVE, "Coaches that still deny that a longer warm up raises the serving speed of tennis players"
     " are few."),
]  # fmt: skip
STILL_DENIED = [
    (SALT, "Cooks dispute that salt in the soaking water toughens dried beans during cooking."),
    (TYRES, "Engineers deny that wide tyres shorten the braking distance of heavy cars."),
    (RENT, "The judge rejected the claim that a tenancy at will ends upon the death of the landlord."),
    (BONDS, "The bank refuted that rising interest rates lower the market price of old bonds."),
    (SERVE, "Coaches dismiss the idea that a longer warm up raises the serving speed of tennis players."),
]  # fmt: skip
NO_CONTRADICTION = [
    (GARLIC, "The agency accepted the claim that garlic lowers high blood pressure in older adults."),
    (GARLIC, "The agency rejected the claim that ginger lowers the body weight of older women."),
    (GARLIC, "The agency denied that it had paid for the trial of garlic in older adults."),
    (DAM, "The owner denied that the mill dam harms the otters of the lower lake."),
    (DAM, "The court rejected the plan for a second mill dam above the lower lake."),
    (DAM, "Nobody disputes that the mill dam raises the water level of the lower lake."),
    ("The agency rejects that garlic lowers high blood pressure in older adults.",
     "The review disputes that garlic lowers high blood pressure in older adults."),
    ("The mill dam was built of oak and stone.", "The court dismissed the owner of the mill dam."),
    (PEAT, "The drained peat lost about 40 percent of its carbon to the air."),
    ("Otters in the mill dam eat 900 fish a year.", "Herons in the mill dam eat 300 fish a year."),
]  # fmt: skip
OTHER_SCOPE = [
    ("Garlic lowers blood pressure by 9 percent in the trial.",
     "Garlic lowers blood pressure by 2 percent in pregnant patients in the trial.", "pregnant"),
    ("Garlic lowers blood pressure by 9 percent in the trial.",
     "Garlic lowers blood pressure by 2 percent in diabetic patients in the trial.", "diabetic"),
    ("Garlic lowers blood pressure by 9 percent in the trial.",
     "Garlic lowers blood pressure by 2 percent in the trial in Norway.", "norway"),
    ("Garlic lowers blood pressure by 9 percent in the trial.",
     "Garlic lowers blood pressure by 2 percent in the trial after six weeks.", "weeks"),
    (PEAT, "The drained peat lost 15 percent of its carbon to the air during the winter.",
     "during the winter"),
    (PEAT, "The drained peat lost 15 percent of its carbon to the air in the first decade.",
     "in the first decade"),
    ("At the mill dam a fence kept 41 percent of the animals from the fish.",
     "At the mill dam a fence kept 15 percent of the dogs from the fish.", "dogs"),
    (DAM, "The mill dam does not raise the water level of the lower lake at night.", "at night"),
    (GARLIC, "Garlic does not lower high blood pressure in healthy older adults.", "healthy"),
    ("The otters of the mill dam eat 41 percent of the fish.",
     "Some of the otters of the mill dam eat 15 percent of the fish.", "some"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), DENIED)
def test_a_verb_that_denies_makes_a_contradiction(one: str, other: str) -> None:
    for pair in ((one, other), (other, one)):
        (found,) = compare(*pair)
        assert found.kind == "one says, another denies"


@pytest.mark.parametrize(("one", "other"), TAKEN_BACK)
def test_a_denial_that_is_taken_back_or_asked_about_contradicts_nothing(
    one: str, other: str
) -> None:
    assert find_difference(one, other) is None
    assert find_difference(other, one) is None


@pytest.mark.parametrize(("one", "other"), STILL_DENIED)
def test_a_denial_of_the_same_words_is_a_difference(one: str, other: str) -> None:
    for pair in ((one, other), (other, one)):
        difference = find_difference(*pair)
        assert difference is not None
        assert difference[0] == "statement"


@pytest.mark.parametrize(("one", "other"), DIFFERING)
def test_figures_in_the_same_words_still_differ(one: str, other: str) -> None:
    (found,) = compare(one, other)
    assert (found.kind, found.why) == ("differs", "")


@pytest.mark.parametrize(("one", "other"), NO_CONTRADICTION)
def test_other_statements_contradict_nothing(one: str, other: str) -> None:
    assert compare(one, other) == []
    assert compare(other, one) == []


@pytest.mark.parametrize(("one", "other", "limit"), OTHER_SCOPE)
def test_a_group_place_time_or_kind_that_only_one_names_may_explain_it(
    one: str, other: str, limit: str
) -> None:
    for pair in ((one, other), (other, one)):
        (found,) = compare(*pair)
        assert found.kind == "may be of another scope"
        assert limit in found.why.lower()


@pytest.mark.parametrize(
    ("one", "other", "limit"),
    [
        # The other sentence names a time as well.
        ("The buyer may return the car within 24 hours of the sale.",
         "The buyer may return the car within one day.", ""),
        ("The bond doubled over 3 decades.", "The bond doubled over thirty years.", ""),
        ("The club has trained there for years.", "The club has trained there since 1990.", ""),
        ("The stock simmers for two hours.", "The stock simmers for 120 minutes.", ""),
        ("The appeal is heard within a fortnight.", "The appeal is heard within 14 days.", ""),
        ("The dough rests at night.", "The dough rests overnight.", ""),
        ("Rents rose in the last twelve months.", "Rents rose in 2023.", ""),
        # No time, but a thing.
        ("The coil in a spring stores 9 joules.", "The coil stores 5 joules.", ""),
        ("The valve in the spring leaks.", "The valve leaks.", ""),
        # A time that only one names.
        ("The dough rests for two hours.", "The dough rests.", "for two hours"),
        ("The toll is due at night.", "The toll is due.", "at night"),
        ("The grass is mown in early spring.", "The grass is mown.", "in early spring"),
        ("Fees doubled over fifteen years.", "Fees doubled.", "over fifteen years"),
    ],
)  # fmt: skip
def test_a_time_explains_only_where_the_other_sentence_names_none(
    one: str, other: str, limit: str
) -> None:
    assert _find_added_time(one, other) == limit
    if not limit:
        assert _find_added_time(other, one) == ""


@pytest.mark.parametrize("told", FOUND)
def test_what_contradicted_before_still_does(told: tuple[str, ...]) -> None:
    built = make_report(*told)
    later = replace(built, rules=RULE_VERSIONS)
    before = compare_sources(built).contradictions
    now = compare_sources(later).contradictions
    assert [one.claims for one in before] == [one.claims for one in now]


@pytest.mark.parametrize("told", NOT_FOUND)
def test_what_contradicted_nothing_still_does_not(told: tuple[str, ...]) -> None:
    assert compare_sources(replace(make_report(*told), rules=RULE_VERSIONS)).contradictions == ()


@pytest.mark.parametrize(("one", "other"), [DENIED[0], DENIED[2], DENIED[8]])
def test_earlier_rules_read_no_such_verbs(one: str, other: str) -> None:
    assert compare(one, other, scoring=2) == []
