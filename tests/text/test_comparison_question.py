"""The two sides of a comparison, in the forms that questions give it, and a source that speaks of
one of them alone.
"""

from __future__ import annotations

import pytest

from research_core.llm.offline_judge import judge_source
from research_core.text.comparison_question import find_compared_sides


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Compare solar and wind power for remote villages.", ("solar", "wind power")),
        ("What is the difference between a harp and a lyre?", ("a harp", "a lyre")),
        ("Which is safer, nuclear or coal?", ("nuclear", "coal")),
        ("Heat pumps versus gas boilers: running costs", ("Heat pumps", "gas boilers")),
        ("Is tea healthier than coffee in the evening?", ("tea", "coffee")),
        ("How does Norway compare with Sweden in maths?", ("Norway", "Sweden")),
        (
            "How did Old Norse evolve out of Proto-Germanic, and how do the two differ in grammar?",
            ("Old Norse", "Proto-Germanic"),
        ),
        ("How is butter made from cream? How do they differ in fat?", ("butter", "cream")),
        ("What are solar and wind power, and how do they compare?", ("solar", "wind power")),
        ("Explain TCP and UDP and how both are different.", ("TCP", "UDP")),
        ("What is a stock or a bond? In what way do the two differ?", ("stock", "bond")),
        ("How do sorbet and gelato differ?", ("sorbet", "gelato")),
        ("How is a crow different from a raven?", ("crow", "raven")),
        ("In what ways do crows differ from ravens?", ("crows", "ravens")),
        ("What distinguishes a fugue from a canon?", ("fugue", "canon")),
        ("What sets Old Norse apart from Gothic?", ("Old Norse", "Gothic")),
        ("What is oak and what is pine, and how do they differ?", ("oak", "pine")),
        ("How is sleep different with age?", None),
        ("How is steel different today?", None),
        ("Who sets prices from year to year?", None),
        ("How do salt and water affect iron?", None),
        ("How do bees and wasps live together?", None),
        ("How is butter made from cream, and how long does it keep?", None),
        ("How do you compare prices?", None),
        ("What is wind power?", None),
        ("Tea or coffee?", ("Tea", "coffee")),
        ("Is it better than before?", None),
    ],
)
def test_the_two_sides(question: str, names: tuple[str, str] | None) -> None:
    found = find_compared_sides(question)
    assert (found.names if found else None) == names


def test_a_source_on_one_side_alone_is_partly_relevant_at_most_and_says_so() -> None:
    question = "Compare solar and wind power for remote villages."
    one = (
        "Solar power for remote villages is cheap compared with diesel. Solar power serves remote"
        " villages well, while diesel does not."
    )
    both = one.replace("diesel", "wind")
    first, second = (
        judge_source({"question": question, "title": "Notes", "passages": [text]}).split("\n")
        for text in (one, both)
    )
    assert int(first[0][-1]) <= 3 < int(second[0][-1])
    assert "Does not name the other side, “wind power”." in "\n".join(first)
    assert "other side" not in "\n".join(second)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("heat pump or gas boiler", ("heat pump", "gas boiler")),
        ("Python or Java for beginners?", ("Python", "Java")),
        ("butter or margarine in a cake", ("butter", "margarine")),
        ("a Roth IRA or a traditional IRA?", ("Roth IRA", "traditional IRA")),
        ("renting or buying a house", ("renting", "buying a house")),
        ("symptoms or signs of gout", None),
        ("can dogs eat grapes or raisins", None),
        ("to be or not to be", None),
        ("sooner or later", None),
        ("What is a tax or levy?", None),
    ],
)
def test_two_things_joined_by_or_are_compared(question: str, names: tuple[str, str] | None) -> None:
    sides = find_compared_sides(question)
    assert (sides and sides.names) == names
