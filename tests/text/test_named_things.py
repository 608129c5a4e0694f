"""The thing that a letter is about, and whether a title names it."""

from __future__ import annotations

import pytest

from research_core.text.named_things import (
    find_heaviest_run,
    find_named_thing,
    find_titled_thing,
    list_runs,
    may_name,
    name_action,
    names_place_or_person,
)

TENANT = (
    "Mould. I rent a flat in Leeds and my landlord was told about the black mould in March. He says"
    " it is condensation from my washing. May I withhold rent until he repairs it?"
)
GEARBOX = (
    "My brother bought a used hatchback and after two weeks the dual clutch gearbox is jerky when"
    " it is cold. The dealer insisted that it was fine. Who pays for this?"
)
PRESSURE = (
    "I was given a pressure canner by my aunt. The jars did not seal and I worry about botulism. Is it"
    " still safe to eat what is in them?"
)
PENSION = (
    "Deferred annuity. I turned sixty in June and my adviser wants me to surrender it before the term"
    " ends. What would I lose?"
)
GOUT = (
    "Gout. My uncle picked up his tablets of allopurinol last week but noted that they had been left in"
    " the sun. Will they still be as effective?"
)


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("What are the treatments for gout?", ("gout",)),
        ("How should allopurinol be used and what is the dosage?", ("allopurinol",)),
        ("Deferred annuity - overview", ("deferred", "annuity")),
        ("Dual clutch gearbox (Repair)", ("dual", "clutch", "gearbox")),
        ("Botulism: causes and prevention | Kitchen Lab", ("botulism",)),
        ("Council » Mould (Your rights)", ("mould",)),
        ("Do you have information about pressure canners", ("pressure", "canners")),
        ("Botulism in home canning", ("botulism",)),
        ("Signs and symptoms", ()),
        ("", ()),
        ("Brand law", ("brand", "law")),
        ("Home insurance", ("home", "insurance")),
        ("Site plan - overview", ("site", "plan")),
        ("Guide dog (Training)", ("guide", "dog")),
        ("Self defence for beginners", ("self", "defence", "beginners")),
        ("Page rank | Example Search", ("page", "rank")),
        ("Manual gearbox", ("manual", "gearbox")),
        ("Complete guide to lemon law", ("lemon", "law")),
        ("Profile of a striker", ("striker",)),
        ("Checklist for tenants", ("tenants",)),
        ("Information", ()),
    ],
)
def test_the_thing_of_a_title_has_no_frame(title: str, words: tuple[str, ...]) -> None:
    assert find_titled_thing(title).words == words


@pytest.mark.parametrize(
    ("letter", "title", "words"),
    [
        (TENANT, "Mould (Your rights)", ("mould",)),
        (GEARBOX, "Dual-clutch gearbox - overview", ("dual", "clutch", "gearbox")),
        (PRESSURE, "Botulism: what to know", ("botulism",)),
        (PRESSURE, "Pressure canner", ("pressure", "canner")),
        (PENSION, "What is a deferred annuity?", ("deferred", "annuity")),
        (GOUT, "How should allopurinol be stored?", ("allopurinol", "stored")),
        (GOUT, "How should allopurinol be used?", ("allopurinol",)),
        (GOUT, "Gout (Treatment)", ("gout",)),
        # A word of the thing is missing, or the title is about another thing.
        (GEARBOX, "Automatic gearbox", None),
        (PENSION, "Variable annuity", None),
        (TENANT, "Rent control", None),
        (PRESSURE, "Blood pressure", None),
        (TENANT, "Overview", None),
        (TENANT, "", None),
    ],
)
def test_a_letter_names_the_thing_of_a_title(
    letter: str, title: str, words: tuple[str, ...] | None
) -> None:
    thing = find_named_thing(letter, title)
    assert (thing.words if thing else None) == words


@pytest.mark.parametrize(
    ("letter", "title", "is_named"),
    [
        ("My dog ate a tube of vitamin D cream at noon. Should we go to a vet?", "Vitamin D", True),
        (
            "My dog ate a tube of vitamin D cream at noon. Should we go to a vet?",
            "Vitamin K",
            False,
        ),
        ("I was fined under section 21 while abroad. Can I appeal?", "Section 21", True),
        ("I was fined under section 21 while abroad. Can I appeal?", "Section 8", False),
        ("My boiler shows error F on the panel since May. Can I reset it?", "Error E", False),
    ],
)
def test_another_letter_or_number_is_another_thing(letter: str, title: str, is_named: bool) -> None:
    assert (find_named_thing(letter, title) is not None) is is_named


@pytest.mark.parametrize(
    ("letter", "title", "passages", "is_named"),
    [
        (
            "My car has a dpf that is full. I drive in town. Help?",
            "Diesel particulate filter",
            (),
            True,
        ),
        (
            "They sold us ppi with the loan. May we claim?",
            "Payment cover",
            ["Payment cover (PPI) was sold with loans."],
            True,
        ),
        ("They sold us ppi with the loan. May we claim?", "Payment cover", (), False),
        ("I have ear ache since noon. Should I wait?", "Earache (Causes)", (), True),
        ("The wieddeman engine smokes. Should I sell?", "Wiedemann engine", (), True),
    ],
)
def test_other_names_and_spellings_count(
    letter: str, title: str, passages: list[str], is_named: bool
) -> None:
    assert (find_named_thing(letter, title, passages) is not None) is is_named


@pytest.mark.parametrize(
    ("letter", "asked", "title", "is_asked", "may_be_asked"),
    [
        (PENSION, "What would I lose (Deferred annuity)?", "Deferred annuity", True, True),
        (TENANT, "May I withhold rent (Mould)?", "Washing", False, False),
        (PRESSURE, "Is it still safe to eat (pressure canner)?", "Botulism", False, True),
    ],
)
def test_a_circumstance_of_the_story_is_not_asked_about(
    letter: str, asked: str, title: str, is_asked: bool, may_be_asked: bool
) -> None:
    thing = find_named_thing(letter, title)
    assert (thing is not None and thing.is_asked_in(asked)) is is_asked
    assert (thing is not None and thing.may_be_asked_in(asked)) is may_be_asked


@pytest.mark.parametrize(
    ("text", "title", "is_story"),
    [
        ("We bought the van in Denver. Who pays?", "Denver", True),
        ("My aunt from Toledo left me shares.", "Toledo", True),
        ("Our coach Wilson counts three steps.", "Wilson", True),
        ("It was glazed by Mrs. Baxter last week.", "Baxter", True),
        ("We raced near Silverstone. Is a licence needed?", "Silverstone", True),
        ("My uncle in New Orleans cans okra.", "New Orleans", True),
        ("Does she recover from Lyme?", "Lyme", False),
        ("The Subaru leaks in Denver.", "Subaru", False),
        ("I made kimchi in a jar.", "Kimchi", False),
        ("We bought the van in Denver.", "Denver law", False),
        ("We bought the van in Denver.", "", False),
    ],
)
def test_a_title_may_be_a_place_or_a_person_of_the_story(
    text: str, title: str, is_story: bool
) -> None:
    assert names_place_or_person(text, title) is is_story


@pytest.mark.parametrize(
    ("letter", "run"),
    [
        (GEARBOX, ("dual", "clutch", "gearbox")),
        ("I was prescribed allopurinol by my cardiologist. Is it ok?", ("allopurinol",)),
        ("My son has burning mouth syndrome. Is that rare?", ("burning", "mouth", "syndrome")),
        ("My aunt from Toledo left me an inherited IRA. What now?", ("IRA",)),
        ("The sourdough is for Mrs Baxter at Ludlow. Is it stale?", ("sourdough",)),
        ("The Wimshurst machine sparked. Is the Wimshurst's theory old?", ("Wimshurst", "theory")),
        ("We want it to be good. Is it?", ()),
        ("", ()),
    ],
)
def test_the_heaviest_run_of_a_letter_is_its_thing(letter: str, run: tuple[str, ...]) -> None:
    assert find_heaviest_run(letter) == run


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("A scar test was done on the car.", ("car",)),
        ("The chess process began before the hess.", ("hess",)),
        ("A strike theory came before the bike and the rike.", ("rike",)),
        ("Their upstart method is no art.", ("art",)),
        ("A dishonour condition came after the honour.", ("honour",)),
    ],
)
def test_a_noun_behind_another_word_does_not_belong_to_a_run(
    text: str, run: tuple[str, ...]
) -> None:
    assert list_runs(text)[-1] == run


@pytest.mark.parametrize(
    ("word", "is_name"),
    [
        ("gearbox", True), ("ISA", True), ("daughter", False), ("urologist", False), ("im", False),
        ("magicians", True), ("musician", True), ("Phoenicians", True), ("politician", True),
        ("geologist", True), ("technicians", False), ("mg", False), ("thanks", False), ("12", False), ("website", False), ("the", False),
    ],
)  # fmt: skip
def test_words_of_talk_name_nothing(word: str, is_name: bool) -> None:
    assert may_name(word) is is_name


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("How to lose weight?", "weight loss"),
        ("How do I sell my house?", "house sale"),
        ("How can people stop losing hair?", "hair loss"),
        ("How do dogs lose weight?", "weight loss"),
        ("How to choose between a cat and a dog?", ""),
        ("How to find a lost phone?", ""),
        ("How to sell more online?", ""),
        ("How to calm growing children?", ""),
        ("How to trace a stolen bike?", ""),
        ("How to grow without soil?", ""),
        ("How to sell used cars?", ""),
        ("How to grow red tomatoes?", ""),
        ("How to lose belly fat?", ""),
        ("How to publish best selling books?", ""),
        ("How to choose running shoes?", ""),
        ("How to avoid losing hair?", "hair loss"),
        ("How to lose weight fast?", "weight loss"),
        ("How to grow tomatoes indoors from seed?", "tomatoes growth"),
        ("How to sell a house without an agent?", "house sale"),
    ],
)
def test_an_action_is_named_with_its_thing_only(question: str, action: str) -> None:
    assert name_action(question) == action
