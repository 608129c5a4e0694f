"""The subject of a text that tells a story before it asks."""

from __future__ import annotations

import pytest

from research_core.text.question_parts import condense_question, list_gists, split_questions
from research_core.text.question_subject import find_subject

#: A text, the words that name its subject, and a word of its story that its queries leave out.
STORIES = [
    ("Frozen pipe. We came home from Oslo last Sunday and there was no water in the kitchen. My"
     " neighbour told me to wait. What can I do?", ("Frozen", "pipe"), "neighbour"),
    ("Kestrel nest box. My uncle built one four years ago and hung it on the barn. No bird has come"
     " so far. Is the height wrong?", ("Kestrel", "nest", "box"), "uncle"),
    ("Hip dysplasia in puppies. Hello, our breeder says that all is well, but the vet took a picture"
     " in March. When should we decide on surgery?", ("Hip", "dysplasia", "puppies"), "breeder"),
    ("Late rent. I moved to Leeds in 2019 with two cats and a friend who works at night. May the"
     " landlord keep my deposit?", ("Late", "rent"), "cats"),
    ("Sourdough starter. It smells of paint since Tuesday, although my sister feeds it twice a day."
     " Can it be saved?", ("Sourdough", "starter"), "sister"),
    ("My cousin bought a theodolite at a market. The theodolite came without a tripod. How should he"
     " clean it?", ("theodolite",), "market"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subject", "beside"), STORIES)
def test_a_question_after_a_story_is_about_the_subject(
    text: str, subject: tuple[str, ...], beside: str
) -> None:
    assert find_subject(text) == subject
    for part in split_questions(text):
        assert set(subject) <= set(part.topic)
        assert beside not in part.words
    condensed = condense_question(text)
    assert len(condensed) < len(text)
    assert subject[-1] in condensed
    assert beside not in condensed


@pytest.mark.parametrize(
    "text",
    [
        "Why do leaves turn red?",
        "General advice. Does a copper roof attract lightning in a storm?",
        "Request from forum.example.org - legal. Does a copper roof attract lightning?",
        "I bought a boat. Does a copper roof attract lightning in a storm?",
        "Good morning everyone. Does a copper roof attract lightning in a storm?",
        "Urgent help needed. Does a copper roof attract lightning in a storm?",
        "",
    ],
)
def test_a_label_or_a_greeting_is_no_subject(text: str) -> None:
    assert find_subject(text) == ()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Wasp sting. It swelled in the night. We want advice on ointments.", "ointments"),
        ("Old piano. It was my aunt's. I would like suggestions on where to sell it.", "sell"),
        ("Broken heel. The shoe is red. I am looking for a glue that holds leather.", "glue"),
        ("Damp cellar. We painted it in May. I need a method to dry the walls.", "dry"),
        ("Lost parcel. It left Porto on Monday. Any suggestions about a claim?", "claim"),
    ],
)
def test_where_nothing_asks_a_wish_does(text: str, asked: str) -> None:
    (part,) = split_questions(text)
    assert asked in part.text
    assert text.split()[0] in part.topic


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("hello sir,my roof leaks at the chimney. What sealant do you advise for slate?", "sir,my"),
        ("The mower stalls.then it smokes from the carburettor. How do I clean it?", "stalls.then"),
        ("I am a 43yr old man with a squeaky knee. Which bicycle saddle height is right?", "43yr"),
        ("My 7 year old daughter collects beetles. How do I preserve a stag beetle?", "7"),
        ("The vet was kind .she gave us drops for the parrot. How often do parrots moult?", ".she"),
    ],
)
def test_joined_words_and_ages_are_no_key_words(text: str, absent: str) -> None:
    for part in split_questions(text):
        assert absent not in part.words


@pytest.mark.parametrize(
    ("text", "gists"),
    [
        (STORIES[1][0], ["Kestrel nest box"]),
        ("Does regular oiling of a cast iron pan prevent rust when it is kept in a damp boathouse"
         " over winter?", ["prevent rust damp boathouse"]),
        ("Why do leaves turn red?", []),
        ("Warum werden die Blätter der Bäume im Herbst rot, bevor sie auf den Boden fallen?", []),
    ],
)  # fmt: skip
def test_the_gist_of_a_longer_text_is_its_topic(text: str, gists: list[str]) -> None:
    assert list(list_gists(text)) == gists


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Winter problem. Our diesel heater smokes when it is cold. My brother has the same diesel"
         " heater and says that a diesel heater needs air. What can I do about this?",
         ("diesel", "heater", "Winter")),
        ("Home safety. There is a wasp nest under the roof. My neighbour says the wasp nest is old. Do"
         " I have to remove the wasp nest?",
         ("wasp", "nest", "Home")),
        ("Price question. We want to rent a narrowboat for a week in June. The narrowboat of my aunt"
         " is sold, and no other narrowboat is free. Where can we look?",
         ("narrowboat",)),
        ("Sourdough starter. The rye flour is new, and the rye flour smells, and rye flour is dear."
         " Can it be saved?",
         ("Sourdough", "starter")),
        ("Winter problem. Our diesel heater smokes when it is cold and damp. What can I do about it?",
         ("Winter", "problem")),
    ],
)  # fmt: skip
def test_a_line_of_common_words_comes_behind_what_the_text_repeats(
    text: str, subject: tuple[str, ...]
) -> None:
    assert split_questions(text)[0].subject == subject
