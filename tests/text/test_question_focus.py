"""A letter is reduced to questions about its thing: the title of a page that it names."""

from __future__ import annotations

import pytest

from research_core.text.question_focus import focus_question, list_points

LETTERS: list[tuple[str, list[str], str]] = [
    (
        "School paper. Hi, I write about the nervous system for my class in Ohio. Will there ever be"
        " a real cure for multiple sclerosis, what do you think?",
        ["Multiple sclerosis", "Nervous system"],
        "Is there a cure for Multiple sclerosis?",
    ),
    (
        "My daughter wants to be a mother. Is it possible for us to pass this on in the genes, as we"
        " both have polycystic kidneys?",
        ["Polycystic kidneys", "Kidney stones"],
        "Is Polycystic kidneys inherited?",
    ),
    (
        "Gout in the foot. My father is 70 and was told that he has gout, he likes beer and meat and"
        " walks with a stick. What are the early symptoms of it?",
        ["Gout (Treatment)", "Foot pain"],
        "What are the symptoms of Gout?",
    ),
    (
        "Hello, I bought a used car last spring and the head gasket blew twice, the dealer says it is"
        " not his problem. Is the lemon law only for new cars, and what are the requirements?",
        ["Head gasket", "Lemon law", "Car dealer"],
        "What are the requirements for Lemon law?",
    ),
    (
        "I am writing because my aunt in Leeds was asked about a Roth IRA by her bank and she does not"
        " know more about it. Please send me some information about the Roth IRA.",
        ["Roth IRA", "What is a bank?"],
        "Information about Roth IRA",
    ),
    (
        "My landlord says mould is my own fault. I know what causes mould, but how can I prevent mould"
        " in a flat without a window in the bathroom?",
        ["Mould", "Landlord"],
        "How can Mould be prevented?",
    ),
    (
        "My sourdough bread was flat for three weeks in a row and my family laughs at me, so I need"
        " some advice about sourdough bread please.",
        ["Sourdough bread", "Flour"],
        "What can be done about Sourdough bread?",
    ),
    (
        "We were out with the team when the keeper got a red card in the first half, everybody was"
        " angry. What is the penalty for a red card in the cup?",
        ["Red card", "Football"],
        "What is the penalty for Red card?",
    ),
    (
        "Potato blight cure heard on the radio. My uncle grows potatoes and cannot remember"
        " the name"
        " of it. Is there any treatment of this kind, or was he dreaming?",
        ["Potato blight (Treatment)", "Potato"],
        "What is the treatment for Potato blight?",
    ),
    (
        "Cure for canker seen on tv. My uncle has an orchard with canker, and he has forgotten the"
        " name of it. Please let me know if you have heard of it.",
        ["Canker", "Orchard"],
        "Is there a cure for Canker?",
    ),
    (
        "Laminitis. Our pony was dianosed with laminitis in May and the vet is on leave, so I am"
        " asking for help from you.",
        ["Laminitis (Treatment)", "Pony"],
        "What is the treatment for Laminitis?",
    ),
    (
        "Foot rot. We are sorry to bother you. Please tell me how to treat foot rot and ease the"
        " symptoms in old sheep on wet land.",
        ["Foot rot", "Sheep"],
        "What is the treatment for Foot rot?",
    ),
    (
        "I drove home at night without insurance after the old one had run out and was stopped by the"
        " police. How much does car insurance cost for a young driver?",
        ["Car insurance", "Police"],
        "How much does Car insurance cost?",
    ),
]


@pytest.mark.parametrize(("letter", "titles", "question"), LETTERS)
def test_a_letter_becomes_a_short_question(letter: str, titles: list[str], question: str) -> None:
    focus = focus_question(letter, titles)
    assert focus.question == question
    assert focus.asking


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("What causes rust?", ["Rust"]),
        ("how is gout treated in old dogs", ["Gout"]),
        (
            "Was kostet ein Reisepass für Kinder, die noch keine zwölf Jahre alt sind?",
            ["Reisepass"],
        ),
        ("Rust or lacquer?", []),
        ("penalty for late tax return", ["Tax return"]),
    ],
)
def test_a_short_question_and_one_in_another_language_stay(
    question: str, titles: list[str]
) -> None:
    assert focus_question(question, titles).question == question


@pytest.mark.parametrize(
    "letter",
    [
        "Our pony has laminitis since last week and the whole family would like to know how to go"
        " about it. Thanks",
        "My aunt keeps two ponies and one of them has laminitis now, please help us, we are lost.",
    ],
)
def test_a_plea_for_help_has_an_overview_behind_it(letter: str) -> None:
    focus = focus_question(letter, ["Laminitis", "Pony"])
    assert focus.question == "What is the treatment for Laminitis?"
    assert focus.wider is not None
    assert focus.wider.question == "Information about Laminitis"
    assert focus.wider.is_overview


@pytest.mark.parametrize(
    ("letter", "is_overview"),
    [
        ("My sister rents a flat in Porto. We need to know about the deposit and the gas bill of a"
         " tenant under a lease, thanks to all of you.", False),
        ("My sister rents a flat in Porto. We need to know more about the lease, thanks to all of"
         " you who read and answer this.", True),
        ("My sister rents a flat in Porto. She would like to learn everything about a lease, thanks"
         " to all of you.", True),
    ],
)  # fmt: skip
def test_only_what_follows_about_is_asked_for_as_a_whole(letter: str, is_overview: bool) -> None:
    assert focus_question(letter, ["Lease", "Porto"]).is_overview == is_overview


def test_a_letter_that_asks_something_of_its_own_is_no_plea_for_help() -> None:
    letter = (
        "Our pony has laminitis since last week and the whole family is sad, please help us. When"
        " may it graze on the wet meadow again?"
    )
    assert focus_question(letter, ["Laminitis", "Pony"]).wider is None


def test_a_letter_about_no_page_is_only_freed_of_its_story() -> None:
    letter = (
        "My brother lives abroad and his phone was stolen on the train in May. He has no receipt."
        " Can an insurer refuse to pay for a stolen phone?"
    )
    focus = focus_question(letter, ["Trains", "Abroad"])
    assert focus.question.startswith("Can an insurer refuse to pay for a stolen phone")
    assert focus.asking == ()


@pytest.mark.parametrize(
    ("letter", "titles", "points"),
    [
        (
            "general health. Is there always elevated temperature associated with appendicitis?",
            ["Appendicitis", "Appendicitis (Causes)"],
            ("Is there always elevated temperature associated with",),
        ),
        (
            "Our lease ends in May and we have two cats. Can the landlord of a lease forbid pets?",
            ["Lease", "Lease (Costs)", "Pets"],
            ("Can the landlord of a forbid pets?",),
        ),
        (
            "Is a solar panel louder at night? And does a solar panel attract lightning, you think?",
            ["Solar panel", "Solar panel: costs"],
            ("Is a louder at night?", "Does a attract lightning, you think?"),
        ),
        # Nothing is asked beside the thing.
        (
            "I have a question that I must put to you now. What is a solar panel?",
            ["Solar panel"],
            (),
        ),
        # Its sentences are on one of the two things that it compares.
        (
            "How did the lute develop from the oud, and how do the two differ?",
            ["How the lute developed", "The oud and the lute", "Old strings"],
            (),
        ),
        # The whole of an open question is its point.
        ("Which filters are owners of small ponds choosing for their koi?", ["Ponds"], ()),
        ("How much water does a heated garden pond lose in a dry week?", ["Garden pond"], ()),
        # Ranks what is named.
        (
            "We built a pond in March and the fish are well. Is the most popular filter loud?",
            ["Pond"],
            (),
        ),
        # Tells a story and asks nothing.
        ("We bought an old boat last year and it rusts wherever the paint is off.", ["Boat"], ()),
    ],
)
def test_a_point_is_what_is_asked_without_the_name_of_the_thing(
    letter: str, titles: list[str], points: tuple[str, ...]
) -> None:
    assert list_points(letter, titles) == points


@pytest.mark.parametrize(
    ("letter", "is_overview"),
    [
        ("Could you please send me some more information about woodworm in old chairs?", True),
        ("Where can I learn more about woodworm in old chairs and beds?", True),
        ("I have read a lot about woodworm, and my chair has it. Can it spread to a bed?", False),
    ],
)
def test_who_has_read_about_a_thing_asks_for_no_overview(letter: str, is_overview: bool) -> None:
    assert focus_question(letter, ["Woodworm"]).is_overview is is_overview


@pytest.mark.parametrize(
    "letter",
    [
        "Greenhouse glazing. Two panes broke in the storm. What can I do to reduce the costs of"
        " greenhouse glazing?",
        "Our church is cold and the roof leaks in two places. How can we lower the costs of"
        " heating a"
        " church in winter?",
        "Airport lounges. I fly twice a year for my firm. How do people deal with the high fees of"
        " airport lounges?",
    ],
)
def test_how_to_act_on_a_side_is_not_what_the_side_is(letter: str) -> None:
    focus = focus_question(letter, ["Greenhouse glazing", "Heating a church", "Airport lounges"])
    assert "How much does" not in focus.question
    assert focus.question.endswith("?")
