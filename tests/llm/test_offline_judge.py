"""The judge without a model, on subjects that no sample page has."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.i18n import EARLIER_ENGLISH, use_language
from research_core.llm.offline import OfflineModel
from research_core.llm.offline_judge import judge, judge_source, list_asked_sides
from research_core.model_messages import Json, ModelRequest
from research_core.pipeline.relevance import find_details, parse_score
from research_core.text.embeddings import find_embedder
from research_core.text.named_things import names_action
from research_core.text.question_parts import condense_question
from research_core.text.similarity import ANSWER_FORMS, measure_fit, parse_question, rarity
from research_core.text.topic_match import measure_closeness, score_chance
from tests.thesaurus import Thesaurus

DEPTH = "How deep can sperm whales dive in the Southern Ocean?"
RENT = "How much do harpists charge for playing at funerals in Dublin?"


def judged(question: str, title: str, *passages: str) -> tuple[int, str]:
    parsed = parse_score(
        judge_source({"question": question, "title": title, "passages": list(passages)})
    )
    assert parsed is not None
    return parsed


@pytest.mark.parametrize(
    ("question", "title", "passage", "low", "high"),
    [
        (
            DEPTH,
            "Sperm whales",
            "Sperm whales in the Southern Ocean dive deep: tags recorded 2,035 meters.",
            4,
            5,
        ),
        (
            DEPTH,
            "Diving records",
            "In the Southern Ocean a tagged sperm whale dived to 2,035 meters, deeper than any seal.",
            3,
            5,
        ),
        (
            DEPTH,
            "Candle making",
            "Candles of sperm oil burned bright. A whale was worth 200 dollars in 1850.",
            1,
            2,
        ),
        (DEPTH, "Dive bars", "A dive bar is cheap and dark.", 1, 1),
        (DEPTH, "Bread", "Bakers rise at four.", 1, 1),
        (
            RENT,
            "Harpist for funerals: what it costs in Dublin",
            "Dublin harpists charge €180 to €250 for playing at funerals.",
            4,
            5,
        ),
        (
            RENT,
            "Harp prices",
            "A lever harp costs €2,900 in Dublin and a pedal harp €14,000. Playing lessons are extra.",
            1,
            2,
        ),
        (
            RENT,
            "Funerals in Dublin",
            "Harpists have been playing at funerals in Dublin for centuries, and mourners like old airs.",
            1,
            3,
        ),
        (
            "Who discovered the Xanadu comet?",
            "Xanadu comet",
            "The Xanadu comet was discovered by Ida Novak in a cold week.",
            4,
            5,
        ),
        (
            "Why do bees dance?",
            "Bees",
            "Bees dance because the angle of the dance tells the others where food is.",
            3,
            5,
        ),
    ],
)
def test_answers_are_told_from_shared_words(
    question: str, title: str, passage: str, low: int, high: int
) -> None:
    assert low <= judged(question, title, passage)[0] <= high


def test_a_figure_must_stand_beside_what_it_measures() -> None:
    together = "Dublin harpists charge €200 for playing at funerals."
    apart = (
        "Harpists are playing at funerals in Dublin. "
        + "The weather was mild and the river was calm that morning. " * 12
        + "Parking is €3."
    )
    assert judged(RENT, "Notes", together)[0] > judged(RENT, "Notes", apart)[0]


def test_how_long_is_met_by_a_length_and_not_by_the_word() -> None:
    question, told = "How long is a school bell?", "The school bell lasts two and a half minutes."
    assert (
        judged(question, "Notes", told)[0]
        > judged(question, "Notes", "The school bell is long, and seven boys rang it.")[0]
    )
    assert (
        judged(
            "How long is a school bell test?",
            "School bell tests",
            "A school bell test takes three minutes.",
        )[0]
        >= 3
    )
    assert "long" not in judged(question, "Notes", told)[1]


def test_a_question_for_a_price_is_not_met_without_one() -> None:
    free, priced = (
        "Harpists charge for playing at funerals in Dublin.",
        "Harpists charge €90 for playing at funerals in Dublin.",
    )
    assert judged(RENT, "Notes", free)[0] < 3 < judged(RENT, "Notes", priced)[0]


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("How much do harpists charge?", "money"),
        ("What does a harpist cost?", "money"),
        ("What is the going rate for a harpist?", "money"),
        ("Is a harpist cheaper than a cellist?", "money"),
        ("Harp versus cello: fees for a day", "money"),
        ("How many harpists live in Dublin?", "quantity"),
        ("I play the harp. In which year was it invented?", "time"),
        ("Who built the first harp?", "person"),
        ("Where are harps built?", "place"),
        ("How does a harp compare with a lyre?", "comparison"),
        ("Is a harp better than a lyre for beginners?", "comparison"),
        ("Harp vs. lyre", "comparison"),
        ("What is the difference between a harp and a lyre?", "comparison"),
        ("How much more does a harp cost compared with a lyre?", "money"),
        ("What did harpists do rather than play for longer than an hour?", "open"),
        ("What is a harp?", "open"),
        ("What are the best ways to buy a harp at a lower price?", "open"),
        ("Do people who play harps know when to stop?", "open"),
        ("What is a cheaper alternative to a harp?", "open"),
    ],
)
def test_the_form_of_answer_asked_for(question: str, form: str) -> None:
    assert parse_question(question).form.name == form


def test_the_explanation_names_what_is_there_and_what_is_missing() -> None:
    reason = (
        "Names “harpists”, “Dublin”, but not “playing”, “funerals”. It gives no amount of money."
    )
    details = (
        "Mentions harpists, Dublin. Missing: charge, playing, funerals. No price."
        " Compared by words alone."
    )
    verdict = judge(RENT, "Harps", ["Dublin harpists live by the canal."])
    assert (verdict.reason, verdict.explanation) == (reason, details)
    verdict = judge(DEPTH, "Bread", ["Bakers rise at four."])
    assert verdict.explanation.startswith("Missing: sperm whales dive, Southern Ocean.")
    assert verdict.reason.startswith("Not about the subject: it does not name “")
    assert judged("What is it?", "Bread", "Bakers rise.")[1]


MINING = "How badly would deep-sea mining hurt life on the ocean floor?"
#: A question, a title, a passage, and the reason.
REASONS = [
    (MINING, "Mining", "Deep-sea mining harms life at the sea floor.",
     "On the subject (deep-sea mining, life)."),
    (MINING, "Mining", "Deep-sea mining is done by robots.",
     "Names “deep-sea mining”, but not “hurt”, “ocean floor”."),
    (MINING, "Fishing", "Boats fish near the coast.",
     "Not about the subject: it does not name “deep-sea mining”."),
    ("How much money did deep-sea mining companies earn in 2024?", "Fusion",
     "Companies raised money in 2024.",
     "Not about the subject: it does not name “deep-sea mining”."),
    ("What does a garden pump cost?", "Garden pumps", "A garden pump moves water.",
     "On the subject (garden pump). It gives no amount of money."),
    ("Which animals became fewer after the mining tests?", "Tests", "Animals: 37% fewer after"
     " mining tests.", "On the subject (animals, mining tests)."),
    ("¿Cuánto cuesta una bomba de calor?", "Bombas", "Una bomba de calor cuesta 9000 euros.",
     "On the subject (cuesta, bomba de calor)."),
    ("Welche Umweltrisiken birgt der Tiefseebergbau?", "Tiefsee", "Der Tiefseebergbau schadet dem"
     " Meer.", "Names “Tiefseebergbau”, but not “Umweltrisiken”, “birgt”."),
    ("Is a harp better than a lyre?", "Harps", "A harp has strings.",
     "Names “harp”, but not “lyre”. It compares nothing."),
]  # fmt: skip


@pytest.mark.parametrize(("question", "title", "passage", "reason"), REASONS)
def test_a_reason_is_one_plain_sentence_on_the_phrases_of_the_question(
    question: str, title: str, passage: str, reason: str
) -> None:
    assert judge(question, title, [passage]).reason == reason


def test_words_that_only_say_how_much_are_never_called_missing() -> None:
    verdict = judge(MINING, "Mining", ["Deep-sea mining is disputed."])
    assert "hurt" in verdict.reason
    assert "badly" not in verdict.explanation + verdict.reason


def test_sessions_of_before_have_what_was_found_as_their_explanation() -> None:
    inputs: Json = {"question": MINING, "title": "Mining", "passages": ["Deep-sea mining."]}
    reply = judge_source(inputs)
    assert find_details(reply) == judge(MINING, "Mining", ["Deep-sea mining."]).explanation
    with use_language(EARLIER_ENGLISH):
        earlier = judge_source(inputs)
        said = judge(MINING, "Mining", ["Deep-sea mining."]).explanation
    assert earlier.endswith(f"EXPLANATION: {said}")
    assert not find_details(earlier)


def test_a_question_that_compares_is_told_where_nothing_is_compared() -> None:
    alone, beside = (
        "A harp has 47 strings. A lyre has seven strings.",
        "A harp has 47 strings, whereas a lyre has seven strings.",
    )
    question = "How do the strings of a harp and a lyre compare?"
    assert judged(question, "Notes", alone)[1].endswith(" It compares nothing.")
    assert "compares" not in judged(question, "Notes", beside)[1]
    assert judged(question, "Notes", alone)[0] <= judged(question, "Notes", beside)[0]
    assert measure_closeness(
        measure_fit(parse_question(question), "", [alone])
    ) < measure_closeness(measure_fit(parse_question(question), "", [beside]))


def test_a_title_about_something_else_counts_against_a_page() -> None:
    text = "Gout is treated with rest."
    question = parse_question("What are the treatments of gout?")
    near, far = (
        measure_closeness(measure_fit(question, title, [text]))
        for title in ("Gout (treatment)", "Rare kidney syndromes with gout")
    )
    assert near > far


def test_only_what_asks_counts_fully() -> None:
    question = parse_question(
        "I am moving to Lisbon with two dogs. Which parks allow dogs off the leash?"
    )
    assert "lisbon" not in question.words
    assert "leash" in question.words


def test_rare_words_weigh_more() -> None:
    assert rarity("the") == 1.0 < rarity("music") < rarity("trombone") < rarity("zyxomma") == 5.5


@given(st.text(max_size=200), st.text(max_size=80), st.lists(st.text(max_size=200), max_size=4))
@example("0AA-AB", "", [])
def test_any_input_gets_a_readable_verdict(question: str, title: str, passages: list[str]) -> None:
    number, explanation = judged(question, title, *passages)
    assert 1 <= number <= 5
    assert explanation


WORDS = "sperm whales dive deep southern ocean harpists funerals dublin 2035 meters bread at four".split()


@given(st.lists(st.sampled_from(WORDS), max_size=25), st.integers(0, 2**32))
def test_every_part_is_a_share_and_more_text_never_takes_away(words: list[str], seed: int) -> None:
    question = parse_question(DEPTH)
    passages = [" ".join(words), "Bakers rise at four."]
    found = measure_fit(question, "", passages)
    assert 0.0 <= found.held <= 1.0
    assert 0.0 <= found.aimed <= 1.0
    assert set(found.found) | set(found.missing) == set(question.words)
    assert set(found.found).isdisjoint(found.missing)
    random.Random(seed).shuffle(passages)
    assert measure_fit(question, "", passages) == found
    assert (
        measure_fit(question, "", [*passages, "Sperm whales dive 9 meters deep."]).held
        >= found.held
    )


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_scores_rise_with_the_chance(one: float, other: float, by_meaning: bool) -> None:
    assert (
        score_chance(one, by_meaning=by_meaning) <= score_chance(other, by_meaning=by_meaning)
    ) or one > other


EELS: Json = {
    "question": "Where do eels spawn?",
    "title": "Notes",
    "passages": ["Anguilla.", "It rained."],
}


def test_with_a_model_of_meaning_the_judge_weighs_and_tells_it() -> None:
    near, far = (
        parse_score(judge_source({**EELS, "question": asked}, Thesaurus()))
        for asked in ("What is an eel?", "What is a sofa?")
    )
    assert near is not None
    assert far is not None
    assert near[0] > far[0]
    percents = []
    for asked in ("What is an eel?", "What is a sofa?"):
        details = find_details(judge_source({**EELS, "question": asked}, Thesaurus()))
        said = re.search(r"closest sentence is (\d+)% similar", details)
        assert said
        percents.append(int(said[1]))
    assert 100 >= percents[0] > percents[1] >= 0
    assert judge_source(EELS).endswith(". Compared by words alone.")


def test_where_the_model_of_meaning_is_gone_the_judge_says_so() -> None:
    gone, words = judge_source(EELS, Thesaurus(why="It is not installed.")), judge_source(EELS)
    assert gone.splitlines()[0] == words.splitlines()[0]
    assert gone.endswith("Compared by words alone: the embedding model is not available.")


def test_the_offline_model_hands_its_model_of_meaning_to_the_judge() -> None:
    sense, request = Thesaurus(), ModelRequest("judge_relevance", "", "", EELS)
    assert "meaning" in OfflineModel(sense).run(request).text
    assert {*sense.asked} == {
        EELS["question"],
        *(f"{EELS['title']}. {passage}" for passage in EELS["passages"]),
    }
    assert "meaning" not in OfflineModel().run(request).text


def test_every_form_has_its_words_for_what_is_missing() -> None:
    from research_core.llm.judge_reasons import MISSING_FORM_TEXTS
    from research_core.llm.offline_explanation import FORM_HINTS

    names = {form.name for form in ANSWER_FORMS}
    assert names == set(MISSING_FORM_TEXTS) == set(FORM_HINTS) - {"open"}


#: A letter that tells a story, and title and text of a page that answers it and of one that does
#: not, though it shares more words with the story.
LETTERS = [
    ("Frozen pipe. We came home from Oslo on Sunday, the kitchen was cold and my neighbour said that"
     " his dishwasher had the same trouble last winter. He lent us a hair dryer, which we gave back."
     " How do you thaw it first?",
     ("How to thaw a frozen pipe", "A frozen pipe is thawed by warming it slowly from the tap towards"
      " the ice. First open the tap, then warm the frozen pipe with a towel soaked in hot water."),
     ("Hair dryers compared", "We lent a hair dryer to neighbours in Oslo. In winter it dried hair in"
      " a cold kitchen on a Sunday.")),
    ("Kestrel nest box. My uncle built one four years ago and hung it on our old barn beside the"
     " orchard, facing the road, and my children watch it every morning. Could cats be the reason"
     " that no kestrel breeds there?",
     ("Nest boxes for kestrels", "A kestrel nest box stays empty where it hangs too low. No kestrel"
      " breeds in a nest box that cats can reach."),
     ("An orchard in the morning", "My uncle built a barn four years ago. The children watch the road"
      " from the orchard every morning.")),
    ("Violin varnish. It was my grandfather's before the flood, when the whole house stood under water"
     " and we carried his books to the attic. How do I remove wax from it?",
     ("Care of violin varnish", "Wax is removed from violin varnish with a soft cloth. Never use"
      " alcohol to remove wax from the varnish of a violin."),
     ("After the flood", "The whole house stood under water. We carried our grandfather's books to"
      " the attic before the flood came.")),
    ("Sourdough starter. My sister feeds it twice a day since Tuesday while we paint the hall and the"
     " windows are open all night because of the smell. Can a sourdough starter that smells of"
     " acetone be saved?",
     ("Sourdough starter that smells of acetone", "A sourdough starter smells of acetone when it is"
      " hungry. It can be saved by feeding the starter more often."),
     ("Painting a hall", "Keep the windows open all night because of the smell of paint. My sister"
      " painted our hall on a Tuesday, twice.")),
    ("Late rent deposit. I moved to Leeds with two cats and a friend who works at night in a hospital"
     " near the station, and we like the garden. May the landlord keep the deposit for late rent?",
     ("Deposits and late rent", "A landlord may keep part of the deposit for late rent. The landlord"
      " must say how much of the deposit is kept."),
     ("Night work in a hospital", "Friends who work at night in a hospital near the station like cats"
      " and a garden.")),
]  # fmt: skip


@pytest.mark.parametrize(("letter", "answer", "beside"), LETTERS)
def test_a_letter_is_judged_by_what_it_asks_and_not_by_its_story(
    letter: str, answer: tuple[str, str], beside: tuple[str, str]
) -> None:
    assert judge(letter, answer[0], [answer[1]]).score >= 3
    assert judge(letter, beside[0], [beside[1]]).score <= 2


#: A letter, and titles with a passage of pages on its thing and of others. No page answers it.
TOUCHED = [
    ("Deferred annuity. I turned sixty in June and my adviser, whom I have known for years, picked up"
     " the papers and noted that I should surrender it before the term ends. What would I lose?",
     ("What is a deferred annuity?", "A deferred annuity pays an income from a later date on."),
     ("Losing weight after sixty", "Advisers noted that papers and terms end in June.")),
    ("Dual clutch gearbox. My brother bought a used hatchback and was told by the dealer that all is"
     " fine, but it shakes in cold weather. Is that normal?",
     ("Dual-clutch gearbox - overview", "A dual-clutch gearbox has a clutch for odd gears."),
     ("Cold weather", "It is normal that cold weather shakes dealers in the north.")),
    ("Pressure canner. My aunt gave me hers and I noted that the jars had been left on the porch since"
     " May. Can I still serve them to guests?",
     ("How should a pressure canner be used?", "Vent the pressure canner for ten minutes."),
     ("Guests on the porch", "Guests can still be served on the porch in May.")),
    ("Squatter in the barn. I inherited a farm in Wales last year and the man says that he has lived"
     " there since 2009, with two dogs. Can he stay for good?",
     ("Squatters (Law)", "A squatter occupies land without leave of its owner."),
     ("Two dogs for good", "A man with two dogs stays on a farm in Wales.")),
    ("Allopurinol tablets. My uncle picked up a bottle last week and noted that it had been left in"
     " the sun at the counter for three days. Will it be as effective as it should be?",
     ("Allopurinol tablets", "Allopurinol tablets lower uric acid."),
     ("Vitamin C (How effective is it?)", "It may be effective for three days of sun.")),
]  # fmt: skip


@pytest.mark.parametrize(("letter", "about", "beside"), TOUCHED)
def test_a_page_whose_title_names_the_thing_of_a_letter_touches_on_its_topic(
    letter: str, about: tuple[str, str], beside: tuple[str, str]
) -> None:
    verdict = judge(letter, about[0], [about[1]])
    assert verdict.score >= 3
    if "which the question mentions" in verdict.explanation:
        assert verdict.exact < 4
    assert judge(letter, beside[0], [beside[1]]).score <= 2


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("What is a deferred annuity?", "deferred annuity"),
        ("Deferred Annuity (Law)", "Deferred Annuity"),
        ("DEFERRED ANNUITY - overview", "DEFERRED ANNUITY"),
        ("Deferred annuities", "Deferred annuities"),
        ("Bonds » Deferred annuity", "Deferred annuity"),
    ],
)
def test_the_explanation_spells_the_thing_as_the_title_does(title: str, named: str) -> None:
    explanation = judge(TOUCHED[0][0], title, ["It pays an income."]).explanation
    assert explanation.startswith(f"The title names “{named}”, which the question mentions. ")


#: A letter, the title of a page on what it asks about, and titles of pages on its circumstances.
CIRCUMSTANCES = [
    ("I bought a used Subaru from a dealer in Denver three weeks ago and the head gasket leaks"
     " coolant. The dealer refuses to pay. Can I return the car under the lemon law?",
     "Lemon law", ("Denver", "Subaru")),
    ("My late aunt from Toledo left me an inherited IRA last spring, and my brother in Ontario says"
     " that I must empty it at once. How long do I have to withdraw the money?",
     "Inherited IRA", ("Toledo", "Ontario")),
    ("Our team plays handball on Sundays in a hall in Kassel and our coach Wilson says that three"
     " steps are allowed with the ball. How many steps may a handball player take?",
     "Handball", ("Wilson", "Kassel")),
    ("I was baking bread for Mrs Baxter at Ludlow when the sourdough went flat after two hours on"
     " Friday. Can I still save it?",
     "Sourdough", ("Baxter", "Ludlow")),
    ("My landlord Mr Higgins near Durham kept the tenancy deposit because of a stain on the carpet."
     " He does not answer. How do I get the tenancy deposit back?",
     "Tenancy deposit", ("Higgins", "Durham")),
]  # fmt: skip


@pytest.mark.parametrize(("letter", "thing", "circumstances"), CIRCUMSTANCES)
def test_a_place_or_a_person_of_a_letter_is_not_its_topic(
    letter: str, thing: str, circumstances: tuple[str, ...]
) -> None:
    assert judge(letter, thing, [f"{thing} is explained on this page."]).score >= 3
    for title in circumstances:
        for sense in (None, Thesaurus()):
            assert judge(letter, title, [f"{title} is well known."], sense).score <= 2


@pytest.mark.parametrize(
    "title", ["Variable annuity", "Deferred tax", "Deferred shares", "", "Overview"]
)
def test_a_page_on_another_thing_does_not_touch_on_the_topic(title: str) -> None:
    verdict = judge(TOUCHED[0][0], title, ["It pays an income from a later date on."])
    assert verdict.score <= 2


def test_a_short_question_is_judged_by_its_words_and_not_by_a_title() -> None:
    verdict = judge("What would I lose with a deferred annuity?", "Deferred annuity", ["Tulips."])
    assert "which the question mentions" not in verdict.explanation


#: Short questions, titles of pages on their thing, and what these pages say.
TOUCHED_SHORTLY = [
    ("what papers are needed for a probate", "Probate (Overview)",
     "Probate is the process by which a court confirms a will. The executor files the will and a list"
     " of the estate with the court."),
    ("which documents are requested for a mortgage", "What is a mortgage?",
     "A mortgage is a loan to buy a house. Banks ask for payslips and an identity card."),
    ("what rights are given by a lease", "Lease",
     "A lease lets a tenant use a flat for a time. The tenant can stay and have repairs made."),
    ("what equipment is required for fencing", "Fencing (sport)",
     "Fencing is a sport with swords. Fencers wear a mask, a jacket and a glove."),
    ("what hazards are posed by a chainsaw", "Chainsaw",
     "A chainsaw cuts wood with a moving chain. It can kick back and injure the user."),
]  # fmt: skip
#: The same questions or others, and pages that do not touch on them.
BESIDE_SHORTLY = [
    ("what papers are needed for a probate", "Where to find support in a probate",
     "Support groups meet weekly."),
    ("when was probate introduced", "Probate",
     "Probate is the process by which a court confirms a will."),
    ("how much does a gearbox cost", "Gearbox",
     "A gearbox passes the power of an engine to the wheels."),
    ("what spices are put in a biryani", "Saffron", "Saffron is a spice from the crocus."),
    ("what hazards are posed by a chainsaw", "Chain", "A chain is made of links."),
    ("what rights are given by a lease", "Lease rates of aircraft in 2019",
     "Rates of aircraft rose."),
]  # fmt: skip
needs_model = pytest.mark.skipif(bool(find_embedder().why), reason="needs the embedding model")


@needs_model
@pytest.mark.parametrize(("question", "title", "passage"), TOUCHED_SHORTLY)
def test_a_page_whose_title_names_the_thing_of_a_short_question_touches_on_it(
    question: str, title: str, passage: str
) -> None:
    verdict = judge(question, title, [passage], find_embedder())
    assert verdict.score == 3
    assert "which the question mentions" in verdict.explanation


@needs_model
@pytest.mark.parametrize(("question", "title", "passage"), BESIDE_SHORTLY)
def test_a_figure_another_side_or_another_thing_is_not_touched_on(
    question: str, title: str, passage: str
) -> None:
    assert judge(question, title, [passage], find_embedder()).score <= 2


#: Questions for one kind of risk or effect, and pages that name the risk or effect without its kind.
WITHOUT_THE_KIND = [
    ("What are the environmental risks of offshore wind farms?",
     "Cables of a wind farm hum, and little more",
     "Of all the worries about offshore wind farms, the cables have frightened anglers most. Crabs near"
     " a cable of an offshore wind farm walked on as before. The harm was smaller than the fear."),
    ("What are the main health benefits of cold-water swimming?", "Why winter swimming lifts the mood",
     "People who took up cold-water swimming said that they slept longer. The benefit lasted for two"
     " weeks after the last swim. A coach of cold-water swimming measured fewer colds in her group."),
    ("What are the long-term effects of night-shift work?", "Late shift work and the clock of the body",
     "Nurses in night-shift work eat at four in the morning. The clock of the body never settles, which"
     " affects sugar in the blood. After years of night-shift work their hearts were older."),
    ("What are the financial dangers of peer-to-peer lending?", "When lending to strangers goes wrong",
     "Two platforms for peer-to-peer lending closed in one year. Savers who tried peer-to-peer lending"
     " ran the risk of losing all they had lent."),
    ("What are the economic consequences of open-pit quarries?", "A quarry and the houses beside it",
     "Houses near open-pit quarries sell for a tenth less. An effect was seen as far as two miles"
     " away. Open-pit quarries pay most of the taxes of the village."),
]  # fmt: skip
#: The same questions, and pages on something else or on another side.
ON_ANOTHER_SIDE = [
    (WITHOUT_THE_KIND[0][0], "How a wind farm is financed",
     "A bank lends for offshore wind farms against the price of power. Lenders of offshore wind farms"
     " ask for a fixed price for fifteen years."),
    (WITHOUT_THE_KIND[1][0], "Swimming pools in Leeds",
     "The pool opens at six. Lessons for children cost four pounds, a benefit of the members' card."),
    (WITHOUT_THE_KIND[2][0], "Shift keys on typewriters",
     "The shift key had an effect on the carriage, which moved."),
    (WITHOUT_THE_KIND[3][0], "Lending books to a neighbour",
     "A book that is lent runs the risk of a stain. Lending takes trust."),
    (WITHOUT_THE_KIND[4][0], "Quarry, a tool for software",
     "Quarry loads data. The effect of a cache is large."),
]  # fmt: skip


@needs_model
@pytest.mark.parametrize(("question", "title", "passage"), WITHOUT_THE_KIND)
def test_a_page_on_the_topic_need_not_name_the_kind_of_risk_or_effect(
    question: str, title: str, passage: str
) -> None:
    verdict = judge(question, title, [passage], find_embedder())
    assert verdict.score >= 3
    assert verdict.reason.startswith("On the subject (")


@needs_model
@pytest.mark.parametrize(("question", "title", "passage"), ON_ANOTHER_SIDE)
def test_a_page_on_another_side_or_thing_does_not_treat_the_topic(
    question: str, title: str, passage: str
) -> None:
    assert judge(question, title, [passage], find_embedder()).score <= 2


@pytest.mark.parametrize(
    ("question", "asking"),
    [
        ("How badly would a frost hurt the vines of Chablis?", "badly"),
        ("How severely did the flood damage the mills of Passau?", "severely"),
        ("Which birds became fewer after the dam on the Ebro?", "fewer"),
        ("To what extent did the tax shrink the fleets of Vigo?", "extent"),
        ("How quickly does oak moss cover a roof of slate?", "quickly"),
    ],
)
def test_words_of_degree_and_change_are_not_missing(question: str, asking: str) -> None:
    _, explanation = judged(question, "Bread", "Bakers rise at four.")
    assert explanation.startswith("Not about the subject: ")
    assert asking not in explanation


LETTERS_AND_SIDES = [
    ("A boy in my daughter's nursery has measels and our baby is too young for the shot. How"
     " dangerous can it get, what complications are there?",
     "Measles", ("What are the complications of Measles?", "How serious is Measles?")),
    ("We adopted a dog from a shelter in Porto, now my son who plays in the yard has a rash. The vet"
     " says hookworms. How would a hookworm infection be treated?",
     "Hookworm infection", ("What is the treatment for Hookworm infection?",)),
    ("Our lorry was stopped near Lyon last week. The officer spoke of the tachograph rules. What is"
     " the penalty if we break the tachograph rules again?",
     "Tachograph rules", ("What is the penalty for Tachograph rules?",)),
    ("My uncle has diabetes and lives in Leeds with his cat. My hands hurt since I fell from the"
     " ladder in May. What are the symptoms of a broken wrist?", "Diabetes", ()),
    ("What is rust?", "Rust", ()),
]  # fmt: skip


@pytest.mark.parametrize(("letter", "title", "sides"), LETTERS_AND_SIDES)
def test_a_letter_asks_short_questions_of_the_thing_of_a_title(
    letter: str, title: str, sides: tuple[str, ...]
) -> None:
    assert list_asked_sides(letter, condense_question(letter), title, ()) == sides


@pytest.mark.parametrize(
    ("letter", "title", "passage"),
    [
        ("I am writing an essay on lighthouses for school. Which alloys resist seawater best? How"
         " often do keepers inspect the lanterns? Who paid for the Fastnet tower?",
         "Lantern inspection",
         "Keepers inspect the lanterns of a lighthouse every night, and a fitter once a month."),
        ("Two things for our club please. Do moles hibernate in winter? How much does a licence for"
         " ferrets cost in Norway?", "Moles in winter",
         "Moles do not hibernate in winter. They dig deeper where the soil is not frozen."),
        ("What is the price of a sea kayak in Malmo? Does a kayak need a licence in Bavaria? How is"
         " a torn spray deck glued?", "Spray decks",
         "A torn spray deck is glued with neoprene cement: clean the tear and glue both edges."),
        ("How is parchment made from goatskin? Which glue binds vellum to oak boards? Who invented"
         " the dandy roll for paper?", "Dandy roll",
         "The dandy roll was invented by John Marshall in 1826. It marks wet paper."),
        ("Why do tomatoes crack after rain? What eats the roots of leeks in May? Can basil survive"
         " frost in a cold frame?", "Basil and frost",
         "Basil cannot survive frost. Even in a cold frame the leaves of basil turn black."),
    ],
)  # fmt: skip
def test_a_page_on_one_of_several_questions_is_relevant(
    letter: str, title: str, passage: str
) -> None:
    assert judged(letter, title, passage)[0] >= 3
    assert judged(letter, "Bread rolls", "Bakers rise at four and bake rolls of rye.")[0] <= 2


@pytest.mark.parametrize(
    ("question", "title", "is_named"),
    [
        ("how to lose weight", "Diet for rapid weight loss", True),
        ("How do I sell a house?", "House sale: the steps", True),
        ("How can I grow hair?", "What helps hair growth", True),
        ("How to lose weight?", "Losing weight after a holiday", True),
        ("How to choose a career?", "Career choice at sixteen", True),
        ("How to lose weight?", "The weight of a lost parcel", False),
        ("How to sell a house?", "House plants on sale", False),
        ("How to grow hair?", "Hair colours", False),
        ("How to stop?", "Stop signs", False),
    ],
)
def test_a_title_names_an_action_by_its_verb_or_noun(
    question: str, title: str, is_named: bool
) -> None:
    assert names_action(question, title) is is_named
