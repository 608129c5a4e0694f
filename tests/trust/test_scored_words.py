"""The words of a long question that a result's credibility is scored against."""

from __future__ import annotations

from itertools import chain

import pytest

from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.policy import CredibilityPolicy
from research_core.trust.credibility import assess, get_scored_words
from research_core.trust.scored_words import (
    choose_scored_words,
    word_for_snippet,
)

WORDY = (
    "Hello, my father worked in a shipyard for thirty years and coughs a lot these days. Could you"
    " please tell me whether mesothelioma or asbestosis would show on an ordinary chest picture,"
    " and what kind of doctor we should ask for a second opinion?"
)


@pytest.mark.parametrize("question", ["What is CRISPR?", "frost-proof slate tiles", "", "why?"])
def test_a_short_question_of_key_words_is_scored_as_it_is(question: str) -> None:
    for snippet in ("Slate tiles, frost-proof", "CRISPR", ""):
        words = choose_scored_words(question, [snippet])
        wording = word_for_snippet(question, words, snippet)
        assert assess("https://example.org/a", snippet, wording) == assess(
            "https://example.org/a", snippet, question
        )


#: A short question, its key words, and a text of the other words, which only ask.
ASKING_IN_MANY_LANGUAGES = [
    ("How badly would deep-sea mining hurt life on the ocean floor?",
     "deep-sea mining hurt life ocean floor", "How badly, they would say, things could go"),
    ("How long does a heat pump last in a cold climate?", "heat pump last cold climate",
     "How long does it take"),
    ("Which orchards became larger after the subsidy?", "orchards larger subsidy",
     "Which of them became known after that"),
    ("Was kostet eine Wärmepumpe?", "kostet wärmepumpe", "Was ist eine Frage"),
    ("Wie stark würden höhere Zölle den Weinhandel treffen?", "höhere zölle weinhandel treffen",
     "Wie stark würden sie den Wert schätzen"),
    ("À quel point la sécheresse pourrait-elle réduire les récoltes ?",
     "sécheresse réduire récoltes", "À quel point la vie pourrait-elle"),
    ("¿Hasta qué punto deberían las aldeas regular el turismo?", "aldeas regular turismo",
     "Hasta qué punto deberían las"),
    ("إلى أي مدى قد يضر الملح بالطرق؟", "يضر الملح بالطرق", "إلى أي مدى قد"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "keys", "asking"), ASKING_IN_MANY_LANGUAGES)
def test_words_that_only_ask_count_neither_for_nor_against_a_result(
    question: str, keys: str, asking: str
) -> None:
    def score(snippet: str) -> tuple[float, tuple[str, ...]]:
        words = choose_scored_words(question, [snippet, keys])
        parts = assess("https://example.org/a", snippet, word_for_snippet(question, words, snippet))
        return parts.relevance, tuple(sorted((*parts.matched, *parts.missing)))

    assert score(keys) == (1.0, tuple(sorted(keys.split())))
    assert score(asking) == (0.0, tuple(sorted(keys.split())))
    assert score(f"{asking} {keys.split()[-1]}")[0] == score(keys.split()[-1])[0]


@pytest.mark.parametrize(
    ("question", "snippet"),
    [
        ("Which risks do deep-sea mines pose?", "A risk of the deep sea: the mine posed"),
        ("What do hand-blown vases weigh?", "A hand blown vase weighs"),
        ("Welche Hecken haben Dornen?", "Eine Hecke mit Dorn"),
        ("What do long-haired cats eat?", "A long-haired cat eats"),
        ("Quels sont les remèdes contre les limaces ?", "Un remède contre la limace"),
    ],
)
def test_hyphens_and_plurals_count_in_a_short_question(question: str, snippet: str) -> None:
    words = choose_scored_words(question, [snippet])
    parts = assess("https://example.org/a", snippet, word_for_snippet(question, words, snippet))
    assert parts.relevance == 1.0, parts


def test_a_degree_word_elsewhere_says_something() -> None:
    (words,) = choose_scored_words("Which badly worn tyres fail?", ["tyres"])
    assert words == ("badly", "worn", "tyres", "fail")


def test_of_a_long_question_the_rarest_words_that_a_result_holds_count() -> None:
    snippets = ["Asbestosis scars the lung.", "Which doctor to ask for an opinion", "Chest pain"]
    words = choose_scored_words(WORDY, snippets)
    assert len(words) == 2
    assert word_for_snippet(WORDY, words, snippets[0]).split()[0] == "asbestosis"


def test_where_no_result_holds_a_word_the_whole_question_counts() -> None:
    assert choose_scored_words(WORDY, ["Timetable of the ferries", ""]) == ()


@pytest.mark.parametrize(
    ("word", "in_snippet"),
    [
        ("allergy", "Allergies are common."),
        ("vaccines", "One vaccine for all."),
        ("thyroid", "“Thyroid” trouble"),
        ("fractures", "A fracture heals."),
        ("inhaler", "Inhalers are cheap."),
    ],
)
def test_singular_and_plural_match(word: str, in_snippet: str) -> None:
    question = (
        f"My aunt lives in a small village near a lake and her neighbour told her about {word};"
        " does anybody know if that helps elderly patients with trouble sleeping?"
    )
    words = choose_scored_words(question, [in_snippet])
    parts = assess(
        "https://www.nih.gov/a", in_snippet, word_for_snippet(question, words, in_snippet)
    )
    assert parts.relevance == 1.0
    assert not CredibilityPolicy().blocks(parts.score)


def test_a_stored_score_is_reckoned_again_against_the_same_words() -> None:
    snippet = "Mesothelioma is rare."
    words = choose_scored_words(WORDY, [snippet, "asbestosis"])
    parts = assess("https://example.org/a", snippet, word_for_snippet(WORDY, words, snippet))
    again = assess("https://example.org/a", snippet, get_scored_words(parts))
    assert again == parts


POLITE = (
    "Hello everyone, good afternoon, thanks in advance, kind regards, please help, sorry, dear sir or"
    " madam, hope you are well, cheers, asap, guys, hey hi greetings appreciate best wishes, yours"
    " sincerely, grateful, kindly somebody wondered about a silly quick question"
)
LETTERS = [
    ("Good afternoon everyone, I hope you are all well. I was wondering whether somebody could kindly"
     " explain to me how beekeepers stop a colony from swarming in spring, many thanks in advance and"
     " kind regards", "beekeepers"),
    ("Dear Sir or Madam, my name is Paula and I would be very grateful if you could let me know which"
     " permits a small bakery in Lyon needs before it can sell bread on the market. Yours sincerely",
     "bakery"),
    ("hey guys plz help me out, i really need to know asap what size of solar panel can charge a 100"
     " ah battery for my camper van in november, cheers", "camper"),
    ("Hi! Sorry to bother you, quick question please: does anyone happen to know if oak leaves left on"
     " the lawn over winter will damage the grass underneath? Appreciate any help", "oak"),
    ("Greetings from Finland! I'd love to hear your opinion on which sauna stove wood burns cleanest,"
     " birch or alder, since our neighbours have been complaining about the smoke lately. Best wishes",
     "sauna"),
    ("Good evening, sorry if this is a silly question, but I honestly don't understand how a canal"
     " lock lifts a loaded boat uphill without pumps or electric motors. Thank you so much", "canal"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "rare"), LETTERS)
def test_greetings_and_politeness_are_never_scored(question: str, rare: str) -> None:
    assert choose_scored_words(question, [POLITE]) == ()
    words = "beekeepers colony; a bakery in Lyon; camper panel; oak lawn; sauna stove; a canal lock"
    chosen = choose_scored_words(question, [f"{POLITE} {words}"])
    assert rare in chain(*chosen)


#: A letter, a snippet on its subject, and one that only shares words of the story with it.
TOLD_BESIDE = [
    ("Slate roof. My brother-in-law Zbigniew from Gdynia, who is 47, says moss is harmless. Is it"
     " true that moss lifts the tiles?", "Moss on a roof of slate", "Zbigniew moved from Gdynia"),
    ("Rabbit dental abscess. Our neighbour drove us to Uppsala in a snowstorm on Epiphany. Which"
     " antibiotics do vets give?", "An abscess in rabbits", "A snowstorm on Epiphany"),
    ("Concrete slab cracks. I am a 62yr old plumber in Tucson and poured it in a heatwave. Should I"
     " worry?", "Why a slab of concrete cracks", "A plumber from Tucson in the heatwave"),
    ("Kombucha mould. Grandmother Philippa bought the jar at a jumble sale last Michaelmas. Can it"
     " still be drunk?", "Mould on kombucha", "The jumble sale at Michaelmas"),
    ("Violin varnish. It was Ottokar's before the flood in Passau. How do I remove wax from it?",
     "Varnish of a violin", "The flood in Passau; Ottokar"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "on_subject", "beside"), TOLD_BESIDE)
def test_what_is_told_beside_blocks_no_authority_on_the_subject(
    question: str, on_subject: str, beside: str
) -> None:
    policy = CredibilityPolicy()
    words = choose_scored_words(question, [beside, on_subject])
    for snippet, is_blocked in ((on_subject, False), (beside, True)):
        wording = word_for_snippet(question, words, snippet)
        parts = assess("https://www.example.gov/a", snippet, wording)
        assert policy.blocks(parts.score) is is_blocked


@pytest.mark.parametrize(
    ("question", "snippet"),
    [
        ("What helps patients who live with Fabry's?", "Fabry disease is treated by enzymes."),
        ("How common is Darier's among young adults?", "Darier disease is rare."),
        ("Which drugs slow Huntington’s in old patients?", "Drugs in Huntington disease"),
        ("Where can hikers see Halley's next time?", "Comet Halley returns in 2061."),
        ("Who proved Fermat's after so many years?", "The theorem of Fermat was proved."),
    ],
)
def test_a_name_in_the_possessive_matches_its_plain_form(question: str, snippet: str) -> None:
    words = choose_scored_words(question, [snippet])
    parts = assess("https://www.nih.gov/a", snippet, word_for_snippet(question, words, snippet))
    assert not CredibilityPolicy().blocks(parts.score)


#: A short question that mostly asks, a snippet on its thing, and one that shares other words.
MOSTLY_ASKING = [
    ("how do i stop using varenicline", "Varenicline: stopping it", "Stop signs"),
    ("why does my clutch slip when i accelerate", "A slipping clutch", "Sales accelerate again"),
    ("can i freeze it if i made too much risotto", "How risotto freezes", "Cats, dogs"),
    ("can they evict me if i have no tenancy", "Tenancy and evictions", "Have they got me"),
    ("what do i do if my polytunnel gets wet", "A wet polytunnel", "Wet weather"),
    ("how do i get myself to run a marathon", "A marathon for beginners", "How to run a meeting"),
    ("can i use docker to do it without sudo", "Docker without sudo", "Trips for more people"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "on_thing", "beside"), MOSTLY_ASKING)
def test_words_of_asking_block_no_authority_on_a_short_question(
    question: str, on_thing: str, beside: str
) -> None:
    policy = CredibilityPolicy()
    words = choose_scored_words(question, [on_thing, beside])
    for snippet, host, is_blocked in (
        (on_thing, "www.example.gov", False),
        (beside, "example.com", True),
    ):
        wording = word_for_snippet(question, words, snippet)
        parts = assess(f"https://{host}/a", snippet, wording)
        assert policy.blocks(parts.score) is is_blocked, parts


@pytest.mark.parametrize(
    "question",
    [
        "how do i stop using varenicline",
        "can i",
        "Comment puis-je arrêter de fumer ?",
        "Was kostet eine Wärmepumpe?",
        "Why do leaves turn red in autumn?",
    ],
)
@pytest.mark.parametrize("version", [3, 6])
def test_sessions_of_before_score_short_questions_by_the_rules_of_their_time(
    question: str, version: int
) -> None:
    older = {"scoring": version}
    words = choose_scored_words(question, ["Varenicline: stopping it"], older)
    assert bool(words) is (version == 6 and "varenicline" in question)
    assert word_for_snippet(question, words, "leaves", older) == question


@pytest.mark.parametrize("question", ["can i", "do i?", "ist das so", "¿cómo es?"])
def test_a_question_without_key_words_is_scored_as_it_is(question: str) -> None:
    assert choose_scored_words(question, ["Varenicline: stopping it"]) == ()


def test_a_word_that_no_result_holds_does_not_count_in_a_short_question() -> None:
    question = "can i take zyloxine to cure gout"
    assert choose_scored_words(question, ["Gout: a cure", "Take care"]) == (
        ("take", "cure", "gout"),
    )


#: Texts of two questions, a snippet about one of them and one about neither.
SEVERAL = [
    (
        "Which deep-sea animals are harmed by mining, and how long does the seabed need to recover?",
        "The risks of deep-sea mining: what lives there",
        "Woven carpets for luxury hotels",
    ),
    (
        "Which alloys resist seawater on lighthouses? How often do keepers inspect the lanterns?",
        "Lanterns of the coast, and how keepers look after them",
        "Timetable of the island ferries",
    ),
    (
        "How do glassblowers cool a vase without cracks? And what does a kiln of that size cost?",
        "Kiln prices: what a small kiln costs",
        "Roses for each room",
    ),
]


@pytest.mark.parametrize(("question", "on_one", "on_none"), SEVERAL)
def test_a_page_on_one_of_several_questions_need_not_name_the_others(
    question: str, on_one: str, on_none: str
) -> None:
    snippets = [on_one, on_none, question]
    words = choose_scored_words(question, snippets)
    assert len(words) == 2
    one, none = (
        assess("https://example.org/a", snippet, word_for_snippet(question, words, snippet))
        for snippet in (on_one, on_none)
    )
    assert one.relevance >= 0.5 > none.relevance
    assert one.score > 0.5 >= none.score


@pytest.mark.parametrize("question", [question for question, *_ in SEVERAL])
def test_sessions_of_before_share_one_pair_of_words_among_all_questions(question: str) -> None:
    older = {**RULE_VERSIONS, "scoring": 6}
    (words,) = choose_scored_words(question, [question], older)
    assert len(words) == 2


@pytest.mark.parametrize(
    ("asked", "snippet", "meant"),
    [
        ("My neighbour lent me his saw. The carborator is wet. How is it cleaned?",
         "A carburetor mixes air and fuel", "carburetor"),
        ("Our garden in Porto is in shade all day. Why do rododendrons curl their leaves?",
         "Rhododendrons like shade", "rhododendrons"),
        ("My aunt in Leeds had measels as a child. Could she have it again at her age?",
         "Measles is a disease of children", "measles"),
        ("I burnt my hand on the stove. They say it is a gonorrea test I need. Is it so?",
         "Gonorrhea is found by a test", "gonorrhea"),
        ("The landlord wants a garantor for the flat in Lyon. Who may be one for me?",
         "A guarantor pays if the tenant does not", "guarantor"),
    ],
)  # fmt: skip
def test_a_misspelt_name_is_scored_as_the_results_spell_it(
    asked: str, snippet: str, meant: str
) -> None:
    words = choose_scored_words(asked, [snippet, "A page on something else"])
    assert meant in chain(*words)
    scored = word_for_snippet(asked, words, snippet)
    assert meant in assess("https://www.nih.gov/a", snippet, scored).matched


#: Letters whose question tells a story, and a snippet on their subject.
STORIES = [
    ("Sourdough bread. Please can you tell me why mine smells of acetone and collapses like a"
     " pancake in the oven, with hooch seeping over the worktop and the crust splintering",
     "Sourdough bread: baking at home"),
    ("Flat roof. What should we do about the moss now that the gutters overflow, the downpipe is"
     " clogged by magpies and a thatcher quoted us a preposterous sum for scaffolding the gable",
     "A flat roof and its care"),
    ("Clarinet reed. How am I to keep mine from squeaking since we moved to Anchorage, where the"
     " humidifier rattles, my tutor sneezes and the varnish on the bassoon flakes off as well",
     "Clarinets and how to store a reed"),
    ("Stolen bicycle. What can be done now that the insurer dithers, the padlock was sawn through"
     " by a burglar with an angle grinder and the porter swears that he was napping all along",
     "If your bicycle was stolen"),
    ("Honey bees. How do I calm mine when it drizzles, the smoker sputters, my veil tears on the"
     " brambles and the neighbours clamour about stings on their trampoline every single Sunday",
     "Honey bees in a garden"),
]  # fmt: skip


@pytest.mark.parametrize(("letter", "on_subject"), STORIES)
def test_a_page_on_the_subject_of_a_letter_need_not_hold_the_words_of_its_story(
    letter: str, on_subject: str
) -> None:
    beside = "A page on something else"
    words = choose_scored_words(letter, [on_subject, beside, letter])
    on_it, off_it = (
        assess("https://example.org/a", snippet, word_for_snippet(letter, words, snippet))
        for snippet in (on_subject, beside)
    )
    assert (on_it.relevance, off_it.relevance) == (1.0, 0.0)
    older = {**RULE_VERSIONS, "scoring": 6}
    (pair,) = choose_scored_words(letter, [on_subject, beside, letter], older)
    assert set(pair) != set(words[-1])


@pytest.mark.parametrize(
    ("question", "snippet", "scored"),
    [
        ("My neighbour asks a lot about his roses. Can black spot and green fly on the rose garden"
         " be stopped by a chicken pox vaccine?", "Chickenpox vaccine", "chickenpox vaccine"),
        ("We moved to a house by the sea last year with our two children. How is a water proof coat"
         " washed without spoiling it?", "Waterproof coats: washing", "coats waterproof"),
        ("We came home late and the heating had stopped working again, as it did last winter. Is a"
         " thunderstorm able to damage a boiler?", "Thunder storm damage at home",
         "thunder storm damage"),
        ("My old teacher told me many things about the sky, of which I forgot most. When does a"
         " moonbow appear above a river?", "Moon bow above rivers", "moon bow rivers"),
        ("I bought a used car from a dealer last week, and it makes odd noises at night. Can a wind"
         " screen crack grow in the cold?", "Windscreen cracks and cold", "windscreen cracks"),
    ],
)  # fmt: skip
def test_two_words_that_others_write_as_one_are_held(
    question: str, snippet: str, scored: str
) -> None:
    words = choose_scored_words(question, [snippet, "A page on something else"])
    assert word_for_snippet(question, words, snippet) == scored
