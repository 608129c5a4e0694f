"""Which sentences answer a question directly, go the wrong way, or only repeat the question."""

from __future__ import annotations

import pytest

from research_core.text.direct_answers import (
    answers_directly,
    defines_other,
    find_answer_kind,
    goes_wrong_way,
    restates_question,
    says_cause_is_unknown,
)
from research_core.text.question_topic import find_topic


@pytest.mark.parametrize(
    ("question", "text", "is_direct"),
    [
        ("What is gluten?", "Gluten is a protein found in wheat, barley and rye.", True),
        ("What is gluten?", "Gluten is the most common cause of bloating.", False),
        ("What is gluten?", "Whether gluten is a risk for all is disputed.", False),
        ("What is a heat pump?", "A heat pump is a device that moves heat.", True),
        ("What is a heat pump?", "A heat pump dryer is a machine for laundry.", False),
        ("What is a heat pump?", "A fridge is a device that moves heat.", False),
        ("What is the Schengen area?", "The Schengen Area is a zone of 29 countries.", True),
        ("What is the Schengen area?", "Each year 400 million people cross its borders.", False),
        ("What causes tides?", "Tides are caused by the pull of the moon.", True),
        ("What causes tides?", "The pull of the moon leads to tides twice a day.", True),
        ("What causes tides?", "Tides cause erosion along sandy coasts.", False),
        ("What causes tides?", "The main cause of tides is the pull of the moon.", True),
        ("What causes tides?", "The moon is the main cause of tides.", True),
        ("What causes tides?", "The causes of tides fill a great many books.", False),
        ("How much does a heat pump cost?", "A heat pump costs 9,000 to 15,000 euros.", True),
        ("How much does a heat pump cost?", "A heat pump lasts 15 to 20 years.", False),
        ("How long is the Danube?", "The Danube is 2,850 km long.", True),
        ("How long is the Danube?", "The Danube flows through ten countries.", False),
        ("When was the bridge opened?", "The bridge was opened on 4 March 1932.", True),
        ("When was the bridge opened?", "The bridge was opened by the mayor.", False),
        ("Who designed the bridge?", "The bridge was designed by John Bradfield.", True),
        ("Who designed the bridge?", "The bridge was designed for trams.", False),
        ("What are the symptoms of lead poisoning?", "Symptoms include cramps and fatigue.", True),
        ("What are the symptoms of lead poisoning?", "Lead is found in old paint.", False),
        ("What is the difference between a frog and a toad?", "A toad is drier than a frog.", True),
        ("What is the difference between a frog and a toad?", "Both frog and toad swim.", False),
    ],
)
def test_which_sentences_answer(question: str, text: str, is_direct: bool) -> None:
    assert answers_directly(question, text) is is_direct


def test_a_synonym_is_the_thing_asked_about() -> None:
    text = "Edwards syndrome is a genetic disorder."
    assert answers_directly("What is trisomy 18?", text, ("edwards syndrome",))
    assert not answers_directly("What is trisomy 18?", text)


@pytest.mark.parametrize(
    ("question", "text", "is_wrong"),
    [
        ("What causes scurvy?", "Scurvy causes bleeding gums.", True),
        ("What causes scurvy?", "Scurvy results from a lack of vitamin C.", False),
        ("Why do bridges fail?", "Rust makes bridges fail after many decades.", False),
        ("What are the effects of caffeine on sleep?", "Poor sleep increases caffeine use.", True),
        ("What are the effects of caffeine on sleep?", "Caffeine reduces sleep.", False),
        ("How does inflation affect wages?", "Wages led to inflation in the 1970s.", True),
        ("How does inflation affect wages?", "Inflation reduces real wages.", False),
        ("What is inflation?", "Inflation reduces real wages.", False),
    ],
)
def test_which_sentences_tell_the_effect_for_the_cause(
    question: str, text: str, is_wrong: bool
) -> None:
    assert goes_wrong_way(question, text) is is_wrong


@pytest.mark.parametrize(
    ("text", "is_repeated"),
    [
        ("A reader asked which risks of river dams are known.", True),
        ("Most talk of the risks of river dams is about floods.", True),
        ("The risks of river dams have been studied for decades.", True),
        ("The guide explains how river dams work and what risks they have.", True),
        ("River dams are known to have many risks.", True),
        ("River dams block the way of salmon to the spawning grounds.", False),
        ("Of 60 river dams, 12 leak.", False),
    ],
)
def test_which_sentences_only_repeat_the_question(text: str, is_repeated: bool) -> None:
    assert restates_question("What risks of river dams are known?", text) is is_repeated


@pytest.mark.parametrize(
    ("question", "text", "is_repeated"),
    [
        ("Does zinc prevent colds?", "Zinc does not prevent colds in adults.", False),
        ("Are heat pumps noisy?", "Heat pumps are rarely noisy.", False),
        ("Can goats swim?", "Goats can swim.", False),
        ("Is granite radioactive?", "Granite is slightly radioactive.", False),
        ("Should dams be removed?", "Dams should be removed.", False),
        ("Can goats swim?", "Many people ask whether goats can swim.", True),
        ("Does zinc prevent colds?", "Studies examined whether zinc prevents colds.", True),
    ],
)
def test_a_yes_or_no_question_is_answered_in_its_own_words(
    question: str, text: str, is_repeated: bool
) -> None:
    assert restates_question(question, text) is is_repeated


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Rust on my boat. Is it safe to paint over rust?", "yes or no"),
        ("I read a page on damp walls. How much does a dehumidifier cost?", "how much"),
        ("We can't agree. Who wrote the first novel about Troy?", "who"),
        ("My cellar is wet and I do not know the reason. When was Lisbon founded?", "when"),
        ("I moved here for the prices. What causes tides in the harbour?", "cause"),
        ("What causes tides?", "cause"),
    ],
)
def test_what_is_told_beside_a_question_does_not_change_its_kind(question: str, kind: str) -> None:
    assert find_answer_kind(question).name == kind


@pytest.mark.parametrize(
    ("question", "text", "is_wrong"),
    [
        (
            "What causes late payment?",
            "Late payment can increase your risk of many troubles, including: a fine; a late fee;"
            " a payment ban; a lawsuit.",
            True,
        ),
        (
            "What causes rust on brake discs?",
            "Rust on brake discs may cause problems such as: noise; brake judder; rust marks.",
            True,
        ),
        ("What causes gout?", "Gout may cause problems such as kidney stones.", True),
        ("What causes gout?", "A diet rich in meat may cause gout and kidney stones.", False),
        ("What causes HIV/AIDS?", "HIV is the virus that causes AIDS.", False),
        ("What causes a flat cake?", "Cold eggs lead to a flat cake.", False),
        ("What are the effects of a rate rise?", "A rate rise is caused by inflation.", True),
        ("What are the effects of a rate rise?", "A rate rise leads to dearer loans.", False),
    ],
)
def test_a_list_that_holds_a_word_of_either_side_does_not_turn_the_direction(
    question: str, text: str, is_wrong: bool
) -> None:
    assert goes_wrong_way(question, text) is is_wrong


@pytest.mark.parametrize(
    ("text", "is_unknown"),
    [
        ("Doctors do not know what causes rust fever.", True),
        ("Scientists don't fully understand why cats purr.", True),
        ("It's not clear what causes blight.", True),
        ("The exact cause of blight is unknown.", True),
        ("Nobody knows why bees leave.", True),
        ("The causes of dry rot are not well understood.", True),
        ("Blight is caused by a fungus.", False),
        ("Doctors know what causes blight.", False),
        ("It is unknown why blight spreads so fast.", True),
        ("Nobody is quite sure why blight spreads.", True),
        ("What causes blight remains a mystery.", True),
        ("The exact cause of blight isn't known.", True),
        ("The effects of blight are unknown to many farmers.", False),
        ("What is unknown is the date of the first blight.", False),
    ],
)
def test_that_a_cause_is_unknown_answers_what_causes_it(text: str, is_unknown: bool) -> None:
    assert says_cause_is_unknown(text) is is_unknown
    if is_unknown:
        assert not restates_question("What causes blight?", text)


@pytest.mark.parametrize(
    ("question", "text", "is_wrong"),
    [
        (
            "What causes rust?",
            "Rust can weaken old beams, but these faults can also be caused by frost.",
            False,
        ),
        (
            "What causes rust?",
            "Rust can cause leaks, but these faults can also be caused by frost.",
            True,
        ),
        ("What causes rust?", "Rust is a decay of iron, which is caused by salt.", False),
        ("What causes mould?", "Mould causes stains, and some stains are due to smoke.", True),
        (
            "What causes inflation?",
            "Inflation harms savers, while the losses come from fees.",
            True,
        ),
        ("What causes mould?", "Mould is common, and it is caused by damp walls.", False),
    ],
)
def test_a_clause_with_its_own_subject_does_not_turn_the_direction(
    question: str, text: str, is_wrong: bool
) -> None:
    assert goes_wrong_way(question, text) is is_wrong


@pytest.mark.parametrize(
    ("text", "is_direct"),
    [
        ("Cars with rust have leaks, which can result from frost.", False),
        ("Owners of cars with rust report noise, which is caused by loose bolts.", False),
        (
            "Many ships that have rust also have damp air in the holds, which results from heat.",
            False,
        ),
        ("Many garages repair rust, which is caused by salt.", True),
        ("Rust, which is caused by salt, is common in ports.", True),
    ],
)
def test_which_refers_to_the_noun_before_it(text: str, is_direct: bool) -> None:
    assert answers_directly("What causes rust?", text) is is_direct


@pytest.mark.parametrize(
    ("question", "text", "is_wrong"),
    [
        ("Is dry rot dangerous and what causes it?", "Dry rot causes wood to crumble.", True),
        ("Is dry rot dangerous and what causes it?", "Damp causes dry rot in old beams.", False),
        ("Tell me about potholes. What causes them?", "Potholes damage the wheels of cars.", True),
        ("Tell me about potholes. What causes them?", "Frost causes potholes in roads.", False),
        ("What is inflation and what leads to it?", "Inflation leads to higher wages.", True),
    ],
)
def test_a_pronoun_stands_for_the_thing_whose_cause_is_asked_for(
    question: str, text: str, is_wrong: bool
) -> None:
    assert goes_wrong_way(question, text) is is_wrong


@pytest.mark.parametrize(
    ("thing", "text", "is_of_other"),
    [
        ("a mortgage", "A reverse mortgage is a loan that pays the owner of a house.", True),
        ("a mortgage", "A mortgage is a loan that a house secures.", False),
        ("erosion", "Coastal erosion is a loss of land that waves cause.", True),
        ("erosion", "Erosion is a major problem for farmers.", True),
        ("chess", "Speed chess is a form that is played in minutes.", True),
    ],
)
def test_a_definition_of_a_narrower_thing_is_told_from_that_of_the_thing(
    thing: str, text: str, is_of_other: bool
) -> None:
    assert defines_other(text, find_topic(f"What is {thing}?")) is is_of_other
