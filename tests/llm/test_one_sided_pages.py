"""Pages about one side of a comparison: kept where they answer, and the report names the other."""

from __future__ import annotations

import pytest

from research_core.citations.assertions import is_assertion
from research_core.llm.offline_judge import judge
from research_core.llm.offline_writer import write_report

PUMPS = "What is the difference between a heat pump and a gas boiler in running costs?"
CHEAPER = "Which is cheaper to run, a heat pump or a gas boiler?"
TEACHERS = "How much do harp teachers charge compared with flute teachers?"
REEDS = "What is the difference between an oboe and a clarinet?"
ROOFS = "Which lasts longer, a slate roof or a tile roof?"
COSTS = (
    "A heat pump costs about 900 euros a year to run in a well insulated house. The running costs"
    " of a heat pump depend on the price of electricity."
)
ANSWERING = [
    (PUMPS, "Running costs of heat pumps", COSTS, "gas boiler"),
    (CHEAPER, "Running costs of heat pumps", COSTS, "gas boiler"),
    (
        REEDS,
        "The oboe",
        "The oboe is a woodwind instrument with a double reed. It has a conical bore.",
        "clarinet",
    ),
    (
        "How do sheep compare with goats for milk?",
        "Sheep milk on small farms",
        "Sheep milk has about 7 percent fat. A dairy sheep gives about one litre of milk a day.",
        "goats",
    ),
    (
        ROOFS,
        "Slate roofs",
        "A slate roof lasts 75 to 150 years if the nails do not rust.",
        "tile roof",
    ),
    (
        "Is rye bread healthier than wheat bread?",
        "Rye bread and health",
        "Rye bread is healthy because it has more fibre and keeps blood sugar low.",
        "wheat bread",
    ),
    (
        TEACHERS,
        "What harp teachers charge",
        "Harp teachers charge 40 to 70 euros an hour in most cities.",
        "flute teachers",
    ),
]


@pytest.mark.parametrize(("question", "title", "text", "other"), ANSWERING)
def test_a_page_that_answers_for_one_side_is_kept_and_scores_three(
    question: str, title: str, text: str, other: str
) -> None:
    verdict = judge(question, title, [text])
    assert verdict.score == 3
    assert f"“{other}”" in verdict.explanation


@pytest.mark.parametrize(
    ("question", "title", "text"),
    [
        (TEACHERS, "Harp teachers of the past", "Harp teachers came with the court to the town."),
        (TEACHERS, "Harp prices", "A small harp costs about 900 euros, a large one 20,000."),
        (REEDS, "Weather in May", "An oboe was heard in the park. The rain came later in the day."),
        (PUMPS, "Noise of heat pumps", "The fan of a heat pump is heard at night in the garden."),
        (ROOFS, "Slate quarries", "Slate was shipped to the coast and sold for many a roof."),
        (CHEAPER, "Making heat pumps", "The heat pump is put together by robots in two halls."),
    ],
)
def test_a_page_that_does_not_answer_for_the_side_it_names_is_dropped(
    question: str, title: str, text: str
) -> None:
    assert judge(question, title, [text]).score <= 2


def report(question: str, *pages: tuple[str, str]) -> str:
    sources = []
    for number, (title, text) in enumerate(pages):
        sources.append({"title": title, "passages": [{"id": f"p{number:08x}", "text": text}]})
    inputs = {"question": question, "limited": True, "dropped": [], "sub_questions": []}
    return write_report({**inputs, "sources": sources})


@pytest.mark.parametrize(("question", "title", "text", "other"), ANSWERING)
def test_a_report_of_pages_on_one_side_says_that_none_is_on_the_other(
    question: str, title: str, text: str, other: str
) -> None:
    sentence = f"No source used names “{other}”."
    assert sentence in report(question, (title, text))
    assert not is_assertion(sentence)


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        (
            "Is leasing a car cheaper than buying a car?",
            [
                ("Leasing a car", "Leasing a car costs about 300 euros a month for three years."),
                ("Purchase of a car", "Whoever purchases a car owns it, and may sell it."),
            ],
        ),
        (
            "Which is better for the eyes, radio or TV?",
            [
                ("Radio at night", "A radio does not strain the eyes of those who hear it."),
                ("Televisions and eyes", "Televisions do not harm the eyes at three metres."),
            ],
        ),
        (
            "Which is better for a deed, a lawyer or a notary?",
            [
                ("What a lawyer does", "A lawyer speaks for one of the parties in court."),
                ("Deeds and seals", "Whoever seals a deed for both parties is neutral."),
            ],
        ),
        (
            "Which is faster, Python or JS?",
            [
                ("Python speed", "Python is slow in loops, and fast where it calls C."),
                ("JavaScript engines", "JavaScript is compiled while it runs in a browser."),
            ],
        ),
        (
            "Which is better paid in football, a striker or a keeper?",
            [
                ("What a striker earns", "A striker earns the most of all players in football."),
                ("Pay of goalies", "Goalies earn less, as they are seldom sold in football."),
            ],
        ),
    ],
)
def test_a_page_that_may_be_on_the_other_side_under_another_name_counts(
    question: str, pages: list[tuple[str, str]]
) -> None:
    made = report(question, *pages)
    assert "No source used names" not in made
    assert "No source was found" not in made


def test_the_side_that_no_source_names_is_told_once() -> None:
    made = report(REEDS, ANSWERING[2][1:3])
    assert made.count("clarinet") == 1


def test_a_report_with_pages_on_each_side_does_not_say_so() -> None:
    boilers = "A gas boiler costs about 1,400 euros a year to run in the same house."
    made = report(PUMPS, ("Running costs of heat pumps", COSTS), ("Gas boilers", boilers))
    assert "No source used names" not in made
