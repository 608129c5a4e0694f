"""Reading what a user typed: its questions, without noise, with kind, topic and facet."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.llm.offline_planner import answer_plan, answer_refine
from research_core.text.question_parts import (
    is_english,
    list_key_words,
    list_own_questions,
    split_questions,
    widen_side,
)

#: Question → its kind and the first query planned for it, at least five of a kind.
ASKED = {
    "Lager versus ale": ("comparison", "Lager ale difference"),
    "What is the difference between a viola and a violin?": ("comparison", "viola violin difference"),
    "Are wool socks warmer than cotton socks?": ("comparison", "wool socks warmer"),
    "hi all, can anyone explain how granite differs from basalt? thanks": ("comparison", "granite basalt difference"),
    "Which is quieter, a ferry or a hovercraft?": ("comparison", "ferry quieter"),
    "I'm about to choose a floor for our new kitchen. Is cork better than linoleum for a family with two dogs?":
        ("comparison", "cork family two dogs"),
    "Should we repair or replace a slate roof?": ("comparison", "repair slate roof"),
    "is it better to rent or buy skis": ("comparison", "rent skis"),
    "How much does a piano weigh?": ("how much", "piano weight"),
    "How long do goldfish eggs take to hatch?": ("how much", "goldfish eggs hatch duration"),
    "how long did the Bronze Age last": ("how much", "Bronze Age duration"),
    "how many bones does a giraffe have": ("how much", "bones giraffe number"),
    "How high is the Matterhorn?": ("how much", "Matterhorn height"),
    "Dear team, I would like to know how much a plumber charges in Leeds. Kind regards":
        ("how much", "plumber charges Leeds"),
    "How long is the Danube?": ("how much", "Danube length"),
    "plz how old is the oldest oak in Poland": ("how much", "oldest oak Poland age"),
    "What is the price of saffron?": ("how much", "price saffron"),
    "When was the printing press invented?": ("when", "printing press invented date"),
    "Could you please tell me when the Suez Canal was opened?": ("when", "Suez Canal opened date"),
    "In what year did Iceland join NATO?": ("when", "year Iceland join NATO date"),
    "when do swallows leave sweden": ("when", "swallows leave sweden date"),
    "Hello! What date is the feast of Saint Lucy?": ("when", "date feast Saint Lucy"),
    "Why do cats purr?": ("cause", "cats purr causes"),
    "What causes landslides?": ("cause", "causes landslides"),
    "whats the reason for the seasons": ("cause", "reason seasons"),
    "I was wondering why bread goes stale.": ("cause", "bread goes stale causes"),
    "Good evening, could someone explain what causes rust on stainless steel? Many thanks in advance":
        ("cause", "causes rust stainless steel"),
    "What are the effects of noise on whales?": ("effect", "effects noise whales"),
    "How does altitude affect baking?": ("effect", "altitude baking effects"),
    "Tell me about the impact of tourism on Venice please": ("effect", "impact tourism Venice"),
    "What happens to glass when it is heated?": ("effect", "glass heated effects"),
    "caffeine side effects": ("effect", "caffeine effects"),
    "My grandmother has started to drink two cups of licorice tea each evening. What does licorice do to blood pressure?":
        ("effect", "licorice blood pressure effects"),
    "How is woodworm treated?": ("treatment", "woodworm treatment"),
    "treatment of gout": ("treatment", "treatment gout"),
    "hi, how can i get rid of limescale in a kettle?": ("treatment", "limescale kettle treatment"),
    "What is the best therapy for tinnitus?": ("treatment", "therapy tinnitus"),
    "how do you cure athletes foot plz": ("treatment", "cure athletes foot"),
    "What are the symptoms of anemia?": ("signs", "symptoms anemia"),
    "signs of a failing clutch": ("signs", "signs failing clutch"),
    "What does poison ivy look like?": ("signs", "poison ivy signs"),
    "How can I tell if an egg is rotten?": ("signs", "egg rotten signs"),
    "Hello there, I wanted to ask what the early signs of frostbite are. Thanks!":
        ("signs", "early signs frostbite"),
    "How do I prune a fig tree?": ("how to", "prune fig tree guide"),
    "how to tie a bowline": ("how to", "tie bowline guide"),
    "What is the best way to store potatoes?": ("how to", "store potatoes guide"),
    "tips for night photography": ("how to", "tips night photography"),
    "Hi! My allotment is on a windy slope. Can you tell me how to protect young trees from the wind?":
        ("how to", "protect young trees wind guide"),
    "Who designed the Sydney Opera House?": ("who", "designed Sydney Opera House history"),
    "who discovered oxygen": ("who", "discovered oxygen history"),
    "Who won the 1966 World Cup?": ("who", "won 1966 World Cup history"),
    "Please tell me who wrote the Kalevala": ("who", "wrote Kalevala history"),
    "hey, whos the inventor of velcro": ("who", "inventor velcro history"),
    "Where do eels breed?": ("where", "eels breed location"),
    "Which country produces the most cork?": ("where", "country produces cork location"),
    "where is the Atacama desert": ("where", "Atacama desert location"),
    "Do you know where amber is found?": ("where", "amber found location"),
    "Dear Sir or Madam, I need to know where the Rosetta Stone is kept. Many thanks":
        ("where", "Rosetta Stone kept location"),
    "latest news on perovskite solar cells": ("latest", "latest news perovskite solar cells"),
    "What is the most recent discovery about Stonehenge?": ("latest", "recent discovery Stonehenge"),
    "What are current theories of dark matter?": ("latest", "current theories dark matter"),
    "hi, any info on recent floods in Slovenia? thx": ("latest", "recent floods Slovenia"),
    "newest railway lines in Spain": ("latest", "newest railway lines Spain"),
    "Good day, I hope you do not mind this, but what is a fjord": ("definition", "fjord definition"),
    "I have read two books on it, but why do geysers erupt?": ("cause", "geysers erupt causes"),
    "What is a fjord?": ("definition", "fjord definition"),
    "whats osmosis": ("definition", "osmosis definition"),
    "Define entropy": ("definition", "entropy definition"),
    "What does \"habeas corpus\" mean?": ("definition", "habeas corpus definition"),
    "hi there, could you please explain to me what a quasar is? Thank you very much":
        ("definition", "quasar definition"),
    "Is it legal to collect seashells in Sardinia?": ("yes or no", "legal collect seashells Sardinia"),
    "Should I varnish the deck or not?": ("yes or no", "varnish deck evidence"),
    "Can horses vomit?": ("yes or no", "horses vomit evidence"),
    "does green tea stain teeth": ("yes or no", "green tea stain teeth evidence"),
    "Hello, we are thinking of a holiday in May. Should we rent a car on Crete?":
        ("yes or no", "rent car Crete evidence"),
    "Do wind turbines kill many birds?": ("yes or no", "wind turbines kill birds evidence"),
    "What are the moons of Mars?": ("list", "moons Mars list"),
    "Which rivers flow through Budapest?": ("list", "rivers flow Budapest list"),
    "types of roof tiles": ("list", "types roof tiles"),
    "What are the ingredients of pesto?": ("list", "ingredients pesto list"),
    "What are examples of loanwords in Finnish?": ("list", "examples loanwords Finnish"),
    "How does a sundial work?": ("explanation", "sundial explained"),
    "how are diamonds formed": ("explanation", "diamonds formed explained"),
    "Explain photosynthesis": ("explanation", "photosynthesis explained"),
    "How do bats navigate in the dark?": ("explanation", "bats navigate dark explained"),
    "Good morning, I am trying to understand how a heat exchanger works. Cheers":
        ("explanation", "heat exchanger explained"),
    "Baltic herring": ("overview", "Baltic herring overview"),
    "the Great Emu War": ("overview", "Great Emu War"),
    "Tell me about Byzantine mosaics": ("overview", "Byzantine mosaics overview"),
    "I want to know more about tardigrades please": ("overview", "tardigrades overview"),
    "beekeeping on flat roofs": ("overview", "beekeeping flat roofs"),
}  # fmt: skip


@pytest.mark.parametrize("question", ASKED)
def test_a_question_has_a_kind_and_its_query_is_topic_plus_facet(question: str) -> None:
    kind, query = ASKED[question]
    (part,) = split_questions(question)
    assert part.english
    assert part.kind.name == kind
    planned = json.loads(answer_plan({"question": question, "max_queries": 1}))["queries"]
    assert planned == [query]
    assert len(query.split()) <= 6


# ---------------------------------------------------------------- several questions

SEVERAL = {
    "hi, whats scurvy and how is it treated plz": ["What is scurvy?", "How is scurvy treated?"],
    "What is photosynthesis, what does it need, and where does it happen?": [
        "What is photosynthesis?",
        "What does photosynthesis need?",
        "Where does photosynthesis happen?",
    ],
    "What causes tides? How high do they get in Harwich?": [
        "What causes tides?",
        "How high do tides get in Harwich?",
    ],
    "Could you tell me who Ada Lovelace was and when she died?": [
        "Who was Ada Lovelace?",
        "When Ada Lovelace died",
    ],
    "how much does a kiln cost & how long does it last": [
        "How much does a kiln cost?",
        "How long does a kiln last?",
    ],
    "I'd like to know what a comet is, where comets come from, and how they get their tails": [
        "What is a comet?",
        "Where comets come from",
        "How they get their tails",
    ],
}


@pytest.mark.parametrize("question", SEVERAL)
def test_several_questions_are_told_apart_and_name_their_topic(question: str) -> None:
    assert [part.text for part in split_questions(question)] == SEVERAL[question]


@pytest.mark.parametrize("question", SEVERAL)
def test_several_questions_are_their_own_sub_questions(question: str) -> None:
    planned = json.loads(answer_plan({"question": question, "max_queries": 2}))
    assert planned["sub_questions"] == SEVERAL[question]


@pytest.mark.parametrize(
    "question",
    [
        "Which is better and why?",
        "Who invented the zip and when?",
        "What is the difference between sleet and hail?",
        "Is it safe to swim and dive in the Rhine?",
        "How do I wash and dry wool?",
        "Do hens and ducks get along?",
        "CRISPR",
    ],
)
def test_one_question_stays_one(question: str) -> None:
    assert [part.text for part in split_questions(question)] == [question]


def test_a_question_that_names_no_topic_takes_it_from_the_sentences_before() -> None:
    (part,) = split_questions("My sourdough never rises. What can I do?")
    assert part.text == "What can I do?"
    assert part.topic == ("sourdough", "rises")


@pytest.mark.parametrize(
    ("typed", "asked", "words"),
    [
        ("My aunt's neighbour swears by valerian; does anybody know if that helps with sleep?",
         "Whether that helps with sleep", {"valerian", "sleep"}),
        ("Dear Sir, I am Paula and would be grateful if you could let me know which permits a bakery"
         " needs before it can sell bread. Yours sincerely",
         "Which permits a bakery needs before it can sell bread", {"permits", "bakery", "bread"}),
        ("Sorry, a silly question: do moles hibernate?", "Do moles hibernate?", {"moles"}),
        ("i really need to know asap what glue sticks to slate", "What glue sticks to slate",
         {"glue", "slate"}),
        ("I was wondering whether somebody could kindly explain to me how tides are predicted",
         "How are tides predicted?", {"tides", "predicted"}),
    ],
)  # fmt: skip
def test_a_long_way_to_a_question_is_left_out_and_its_topic_is_not(
    typed: str, asked: str, words: set[str]
) -> None:
    (part,) = split_questions(typed)
    assert part.text == asked
    assert words <= set(part.words)
    assert not {"Sir", "Paula", "asap", "kindly", "Sorry"} & set(part.words)


@pytest.mark.parametrize(
    ("letter", "asked"),
    [
        ("Dry rot in the attic How can I stop it before the winter, the beams are already soft?",
         ["How can I stop it before the winter, the beams are already soft?"]),
        ("Lathe chuck Is there a way to open it without a key, my father lost the only one?",
         ["Is there a way to open it without a key, my father lost the only one?"]),
        ("Damp cellar. The dehumidifier runs but does not help, the wall is wet. Have tried sealing"
         " it. How is rising damp treated?",
         ["How is rising damp treated?"]),
        ("Does not start in the cold. Has been to two garages. Which battery suits a diesel van?",
         ["Which battery suits a diesel van?"]),
        ("My tenant hints that he will leave but do not say when. Is his deposit mine after that?",
         ["Is his deposit mine after that?"]),
        ("I took the car to a garage and paid but is still loud. What are the costs of an exhaust?",
         ["What are the costs of an exhaust?"]),
        ("I heard about it on the radio but can a landlord keep the deposit for normal wear",
         ["Can a landlord keep the deposit for normal wear?"]),
    ],
)  # fmt: skip
def test_the_questions_of_a_letter_are_told_from_its_statements(
    letter: str, asked: list[str]
) -> None:
    assert [part.text for part in split_questions(letter)] == asked


@pytest.mark.parametrize(
    "question",
    [
        "I like the book What Is Life and the film Do the Right Thing, are they still in print?",
        "Does not the law of the sea cover islands that vanish in the next hundred years or so?",
        "I looked for the answer, but does not every harbour need a light?",
        "Ich mag das Buch Was Is Es, aber darf ich es meinem Kind von fünf Jahren vorlesen?",
        "J'aime le livre How Is It, mais peut-on le lire à un enfant de cinq ans sans danger ?",
        "¿Es Does It Better una marca registrada que puedo usar para mi tienda de bicicletas?",
    ],
)
def test_capitals_and_negations_within_a_question_split_nothing(question: str) -> None:
    assert len(split_questions(question)) == 1


@pytest.mark.parametrize(
    "question",
    [
        "How do bees know where to go?",
        "How do you know whether an egg is rotten?",
        "Who can tell me what a quark is?",
        "Why do people wonder how magnets work?",
        "What should I ask when I rent a flat?",
    ],
)
def test_a_question_about_knowing_is_no_long_way_to_another(question: str) -> None:
    assert [part.text for part in split_questions(question)] == [question]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (" ".join(f"What is item {number}?" for number in range(7)),
         ("What is item 5?", "What is item 6?")),
        ("I want to keep bees. What does a hive cost? When do bees swarm? Do bees sting?"
         " How is honey harvested? What kills a colony? Where should a hive stand? Thanks!",
         ("Where should a hive stand?",)),
        ("A project on volcanoes. 1. What is lava? 2. How hot is lava? 3. Why do volcanoes erupt?"
         " 4. Where are volcanoes? 5. Who studies volcanoes? 6. When did Vesuvius erupt?",
         ("When did Vesuvius erupt?",)),
        ("What is a quark? Who found it? Is it small?", ()),
        ("My roof leaks. I called a roofer. He came twice. He was late. It drips. I am tired. Rain"
         " is coming.", ()),
    ],
)  # fmt: skip
def test_of_very_many_questions_the_first_are_read_and_the_others_named(
    text: str, left: tuple[str, ...]
) -> None:
    plan = json.loads(answer_plan({"question": text, "max_queries": 3}))
    note = plan.get("note", "")
    assert not set(left) & set(plan["sub_questions"])
    assert {*left, *plan["sub_questions"]} >= {part.text for part in split_questions(text)}
    assert all(f"“{question}”" in note for question in left)
    assert bool(note) == bool(left)


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("I am writing an essay on lighthouses. Which alloys resist seawater best? How often do"
         " keepers inspect lanterns?",
         ("Which alloys resist seawater best?", "How often do keepers inspect lanterns?")),
        ("Two things please. Do moles hibernate in winter? Is it true?",
         ("Do moles hibernate in winter?",)),
        ("What is the price of a kayak? Does a kayak need a licence in Bavaria? If so, where is it"
         " issued?",
         ("What is the price of a kayak?", "Does a kayak need a licence in Bavaria?")),
        ("How is parchment made from goatskin? Can parchment be recycled? Would this damage the"
         " paper mill?",
         ("How is parchment made from goatskin?", "Can parchment be recycled?")),
        ("Is rust harmful to horses that live in a stable by the sea?", ()),
        ("Wie oft wird ein Klavier gestimmt? Was kostet das Stimmen eines Klaviers in Wien?", ()),
    ],
)  # fmt: skip
def test_of_several_questions_those_that_name_their_topic_stand_alone(
    text: str, questions: tuple[str, ...]
) -> None:
    assert list_own_questions(text) == questions


# ---------------------------------------------------------------- noise


@pytest.mark.parametrize(
    "text",
    [
        "Hello World program",
        "Dear Evan Hansen songs",
        "Thanksgiving recipes",
        "The Kindly Ones plot",
        "What is the Good Morning Britain budget?",
        "Please Please Me recording dates",
    ],
)
def test_words_of_politeness_within_a_question_stay(text: str) -> None:
    assert list_key_words(text)


# ---------------------------------------------------------------- other languages


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet eine Wärmepumpe im Altbau?",
        "Welche Pilze wachsen im Herbst?",
        "Quels sont les effets du café sur le sommeil ?",
        "Comment fabriquer du savon ?",
        "¿Cuánto cuesta un coche eléctrico?",
        "Que es la gota",
        "cuanto cuesta un coche electrico",
        "什么是光合作用？",
        "ما هي عاصمة المغرب؟",
    ],
)
def test_a_question_in_another_language_keeps_its_words(question: str) -> None:
    assert not is_english(question)
    (part,) = split_questions(question)
    assert part.text == question
    assert not part.english
    planned = json.loads(answer_plan({"question": question, "max_queries": 3}))
    assert planned["sub_questions"] == []
    typed = question.casefold()
    assert all(word.casefold() in typed for query in planned["queries"] for word in query.split())


@pytest.mark.parametrize(
    "question",
    ["How do I remove rust?", "My sourdough never rises.", "symtoms of arthritus", "CRISPR",
     "Who was Björk's father?", "What does a crème brûlée need?"],
)  # fmt: skip
def test_an_english_question_is_known_as_one(question: str) -> None:
    assert is_english(question)


WORDS = (
    "what is how why the a it they that whether if and or , ; ? ! . : hi please tell me know cost my"
    " symptoms of cats Lisbon 2024 é 什么 ' \" - vs than better I \u200b"
).split(" ")


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join))
def test_any_words_are_split_into_questions_with_queries(question: str) -> None:
    assert 1 <= len(split_questions(question)) <= 5
    planned = json.loads(answer_plan({"question": question, "max_queries": 2}))
    assert all(text.strip() for text in (*planned["queries"], *planned["sub_questions"]))
    snippets = [{"title": question, "snippet": question}]
    answer_refine({"question": question, "snippets": snippets})


@pytest.mark.parametrize(
    "text", ["x" * 2000, "," * 2000, "and " * 500, "i know " * 285, "how do you know if " * 100]
)
def test_an_endless_question_is_read(text: str) -> None:
    assert len(split_questions(text)) <= 5


@pytest.mark.parametrize(
    ("question", "wider"),
    [
        ("What are the environmental risks of wind farms?", "What are the risks of wind farms?"),
        ("What are the main long-term benefits of rowing?", "What are the benefits of rowing?"),
        (
            "Which social and economic effects did the canal have?",
            "Which effects did the canal have?",
        ),
        ("What are the side effects of lithium?", ""),
        ("What is the rental price of a flat in Rome?", ""),
        ("What are the environmental risks?", ""),
        ("Quels sont les effets principaux du café ?", ""),
    ],
)
def test_the_kind_of_a_side_is_left_out(question: str, wider: str) -> None:
    assert widen_side(question) == wider


def test_a_year_takes_no_place_of_a_word_of_the_topic_s_phrase() -> None:
    (part,) = split_questions("How much did cold-water salmon farms earn in 2023?")
    assert part.list_heaviest(3) == ["cold-water", "salmon", "farms", "2023"]
    assert len(part.list_heaviest(3, counts_year=True)) == 3


@pytest.mark.parametrize(
    ("question", "unasked"),
    [
        ("Why do cacti bloom despite little water?", "despite"),
        ("Does rust spread although a hinge is painted?", "although"),
        ("Can whales sleep whereas fish never close their eyes?", "whereas"),
        ("Should I repot an orchid unless its roots are brown?", "unless"),
        ("Is cork warm regardless of the season?", "regardless"),
    ],
)
def test_a_joining_word_is_no_key_word(question: str, unasked: str) -> None:
    assert unasked not in map(str.lower, list_key_words(question))


@pytest.mark.parametrize(
    ("question", "unasked"),
    [
        ("im asking whether a heron eats frogs in winter, what do you think?", "im i'm"),
        (
            "My uncle has hives - ive read that youre not safe near them. Do bees sting?",
            "ive - youre",
        ),
        ("Can a parrot talk - or whistle - when theyre two years old?", "- theyre they're"),
        ("Shes got a piano. How often is a piano tuned?", "shes she's"),
        ("Is a kiln hot - im new to pottery - at the start?", "im i'm -"),
        ("Ive got a kiln. How hot is it when Im away?", "ive i've im i'm"),
    ],
)
def test_a_dash_or_a_contraction_without_apostrophe_is_no_key_word(
    question: str, unasked: str
) -> None:
    words = {word.lower() for word in list_key_words(question)}
    assert not words & set(unasked.split())


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Is an IM injection painful?", "IM"),
        ("What did Jony Ive design?", "Ive"),
        ("Who taught Im Yoon-ah to act?", "Im"),
        ("How does an IM app store messages?", "IM"),
        ("Which museums show works by Ive?", "Ive"),
    ],
)
def test_a_name_spelled_as_a_contraction_stays(question: str, name: str) -> None:
    assert name in list_key_words(question)
