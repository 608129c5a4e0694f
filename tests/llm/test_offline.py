"""The model that needs no key: what it can be asked, its plans, its queries, its gaps."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import research_core.llm
from research_core.errors import ModelError
from research_core.llm.offline import OfflineModel
from research_core.llm.offline_planner import (
    PLAN_FORMS,
    STRATEGIES,
    answer_gaps,
    answer_plan,
    answer_refine,
    classify_for_plan,
    find_companion_words,
    find_uncovered_words,
    split_comparison,
)
from research_core.model_messages import Json, ModelRequest, Usage
from research_core.pipeline.plan import QUESTION_TYPES as PLAN_TYPES
from research_core.text.question import find_keywords
from research_core.text.question_parts import split_questions
from research_core.text.question_types import QUESTION_TYPES
from research_core.text.words import tokenize

# ---------------------------------------------------------------- the model


def ask(kind: str, inputs: Json) -> ModelRequest:
    return ModelRequest(kind, "", "", inputs)


def test_it_costs_nothing_and_says_who_it_is() -> None:
    reply = OfflineModel().run(ask("plan", {"question": "Why is the sea salt?", "max_queries": 1}))
    assert (reply.model, reply.usage, reply.finish) == ("offline", Usage(0, 0, 0.0), "stop")


@pytest.mark.parametrize("kind", ["choose_tools", "sing"])
def test_what_it_cannot_do_it_says_with_the_next_step(kind: str) -> None:
    with pytest.raises(ModelError) as caught:
        OfflineModel().run(ask(kind, {}))
    assert caught.value.kind == "config"
    assert "GEMINI_API_KEY" in caught.value.next_step


WRITE: Json = {
    "question": "Why is the sea salt?",
    "limited": False,
    "dropped": [],
    "sub_questions": [],
    "sources": [
        {
            "title": "Salt",
            "passages": [
                {"id": "p0a1b2c3d", "text": "Rivers carry salt from the rocks into the sea."}
            ],
        }
    ],
}


def test_a_report_is_passed_on_in_pieces_that_make_the_whole() -> None:
    pieces: list[str] = []
    reply = OfflineModel().run(ask("write", WRITE), pieces.append)
    assert "".join(pieces) == reply.text
    assert len(pieces) >= 4


#: Words of the sample library's questions, names of its hosts; no rule may know them.
SAMPLE_WORDS = """flamenco guitar ordinance decibel dance wedding rumba cuban hotel luxury booking microplastic plastic seabed mining nodule
    fusion tokamak diego"""


def test_no_rule_knows_the_sample_library() -> None:
    for path in Path(research_core.llm.__path__[0]).glob("*.py"):
        known = {
            word
            for word in SAMPLE_WORDS.split()
            if re.search(rf"\b{word}", path.read_text(), re.IGNORECASE)
        }
        assert not known, path.name


# ---------------------------------------------------------------- plan

QUESTIONS = {
    "How does tea differ from coffee for the heart?": ("comparison", (["tea", "heart"], ["coffee", "heart"])),
    "Postgres vs MySQL for analytics": ("comparison", (["Postgres", "analytics"], ["MySQL", "analytics"])),
    "What is the difference between sleet and hail?": ("comparison", (["sleet"], ["hail"])),
    "Is copper a better conductor than silver?": ("comparison", (["copper"], ["silver"])),
    "Which is cheaper, buying or leasing a car?": ("comparison", (["buying", "car"], ["leasing", "car"])),
    "How do alpine and valley glaciers differ?": ("comparison", (["alpine", "glaciers"], ["valley", "glaciers"])),
    "How much does a heat pump cost to install?": ("quantity", None),
    "What do plumbers charge and what are their prices?": ("quantity", None),
    "How to prune an apple tree?": ("guidance", None),
    "Best ways to learn Basque": ("guidance", None),
    "Why do leaves turn red?": ("explanation", None),
    "How does sleep affect memory?": ("explanation", None),
    "Who invented the zip?": ("fact", None),
    "In which year was Lisbon rebuilt?": ("fact", None),
    "CRISPR": ("overview", None),
    "What are the symptoms of scurvy?": ("overview", None),
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_type_of_a_question_and_its_sides_come_from_its_form(question: str) -> None:
    kind, sides = QUESTIONS[question]
    assert classify_for_plan(split_questions(question)[0]) == kind
    if kind == "comparison":
        assert split_comparison(question) == sides


def test_every_type_is_one_a_plan_knows() -> None:
    assert {kind.name for kind in QUESTION_TYPES} == set(PLAN_FORMS)
    assert {form.plan_type for form in PLAN_FORMS.values()} == set(PLAN_TYPES) == set(STRATEGIES)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_planned_queries_differ_from_the_question_and_from_each_other(
    question: str, most: int
) -> None:
    planned = json.loads(answer_plan({"question": question, "max_queries": most}))
    said = [tokenize(text) for text in (question, *planned["queries"])]
    assert len({tuple(words) for words in said}) == len(said)
    assert len(planned["queries"]) == most or len(find_keywords(question)) < 2


def test_a_query_has_the_key_words_without_the_frame_of_the_question() -> None:
    (query,) = json.loads(
        answer_plan(
            {
                "question": "Can you tell me what the symptoms of scurvy are in dogs?",
                "max_queries": 1,
            }
        )
    )["queries"]
    assert query == "symptoms scurvy dogs"


def test_each_side_of_a_comparison_is_searched_with_what_it_is_compared_by() -> None:
    planned = json.loads(
        answer_plan({"question": "Which is cheaper, buying or leasing a car?", "max_queries": 2})
    )
    assert planned["queries"] == ["buying car", "leasing car"]


# ---------------------------------------------------------------- refine and gaps


def make_results(*texts: tuple[str, str]) -> list[Json]:
    return [{"title": title, "snippet": snippet} for title, snippet in texts]


def test_a_refined_query_takes_over_what_results_say_beside_the_topic() -> None:
    snippets = make_results(
        ("Scurvy", "Scurvy is a lack of ascorbic acid. Sailors feared the sea."),
        ("Vitamins", "Ascorbic acid heals scurvy. Sailors feared the wind."),
        ("Gums", "Gums bleed."),
    )
    assert json.loads(
        answer_refine({"question": "What are the symptoms of scurvy?", "snippets": snippets})
    ) == {"query": "symptoms scurvy ascorbic acid"}


@pytest.mark.parametrize(
    ("results", "topic"),
    [
        # in one result only
        ((("", "Scurvy lacks ascorbic acid."), ("", "Bleeding gums.")), "scurvy"),
        # never in the topic's sentence
        ((("", "Tides rise. The harbour has kiosks."), ("", "Tides fall. See the kiosks.")), "tides"),
        # beside one word of the topic alone
        ((("", "Oslo winters bring skating."), ("", "Oslo summers and skating.")), "Oslo ferries"),
        # the same text twice
        ((("A", "Tides have neap ranges."), ("B", "Tides have neap ranges.")), "tides"),
        # the name of a site, and very common words
        ((("Tides | Mudflat", "Tides first come back."), ("Tide tables | Mudflat", "First the tide.")), "tides"),
        ((), "tides"),
        ((("Tides", "Tides have neap ranges."), ("", "Neap tides.")), ""),
    ],
)  # fmt: skip
def test_other_words_of_the_results_are_not_taken_over(
    results: tuple[tuple[str, str], ...], topic: str
) -> None:
    assert find_companion_words(make_results(*results), topic.split(), topic) == []


@pytest.mark.parametrize(
    ("question", "topic", "beside_measure", "beside_another", "expected"),
    [
        ("How much do salmon farms earn?", "salmon farms", "Salmon farms earn by caviar.",
         "Risks of salmon farms: parasites.", ["caviar"]),
        ("How much does a violin repair cost?", "violin repair", "A violin repair costs more for varnish.",
         "The history of violin repair in Cremona", ["varnish"]),
        ("What do glaziers charge for stained glass?", "stained glass", "Stained glass: the price of solder",
         "Stained glass affects pigeons", ["price", "solder"]),
        ("What are the risks of salmon farms?", "salmon farms", "Salmon farms earn by caviar.",
         "Risks of salmon farms: parasites.", ["caviar", "parasites"]),
        ("Where does kite flying thrive?", "kite flying", "Kite flying on windy dunes",
         "Kite flying on windy dunes in spring", ["dunes", "windy"]),
    ],
)  # fmt: skip
def test_of_a_question_for_a_figure_only_words_beside_what_it_measures_are_taken_over(
    question: str, topic: str, beside_measure: str, beside_another: str, expected: list[str]
) -> None:
    texts = [
        ("", f"{text} {more}") for text in (beside_measure, beside_another) for more in ("A.", "B.")
    ]
    found = find_companion_words(make_results(*texts), topic.split(), question)
    assert sorted(found) == expected


@pytest.mark.parametrize("question", ["scurvy", "What is scurvy?", "symptoms of scurvy in dogs"])
def test_a_refined_query_is_never_the_question(question: str) -> None:
    query = json.loads(answer_refine({"question": question, "snippets": []}))["query"]
    assert tokenize(query)
    assert tokenize(query) != tokenize(question)


def test_gaps_are_words_of_the_question_that_few_passages_hold() -> None:
    passages = [
        {"title": "Scurvy", "text": f"The symptoms of scurvy number {n}."} for n in range(5)
    ] + [{"title": "Dogs", "text": "Dogs rarely get scurvy."}]
    found = json.loads(
        answer_gaps(
            {
                "question": "symptoms and treatment of scurvy in dogs",
                "passages": passages,
                "queries": [],
                "max_queries": 2,
            }
        )
    )
    assert found["gaps"] == [
        "No passage mentions “treatment”.",
        "Only 1 of 6 passages mentions “dogs”.",
    ]
    assert found["queries"] == ["treatment scurvy dogs", "scurvy dogs"]


def test_a_question_of_quantity_misses_figures() -> None:
    passages = [{"title": "Pumps", "text": "What a heat pump will cost depends on the house."}]
    found = json.loads(
        answer_gaps(
            {
                "question": "How much does a heat pump cost?",
                "passages": passages,
                "queries": [],
                "max_queries": 2,
            }
        )
    )
    assert found == {"gaps": ["No passage gives a figure."], "queries": ["heat pump cost average"]}


@pytest.mark.parametrize(
    "question",
    [
        "What is kombucha?",
        "Does garlic lower blood pressure?",
        "How do leeches harm fish?",
        "What are the symptoms of anemia?",
        "How do heat pumps work?",
        "Is tea or coffee better for sleep?",
        "What are the effects of noise on whales?",
        "What is the latest on sodium batteries?",
    ],
)
def test_words_that_every_plan_asks_with_are_no_gaps(question: str) -> None:
    planned = {"question": question, "max_queries": 12, "by_part": True}
    parts = [part["question"] for part in json.loads(answer_plan(planned))["parts"]]
    inputs = {
        "question": question,
        "passages": [{"title": question, "text": question}],
        "queries": [],
        "max_queries": 3,
        "parts": parts,
    }
    assert parts
    assert json.loads(answer_gaps(inputs)) == {"gaps": [], "queries": []}


def test_a_gap_of_several_parts_is_told_once() -> None:
    cost = "What does the cost of a heat pump depend on?"
    inputs = {
        "question": "How much does a heat pump cost?",
        "passages": [{"title": "Pumps", "text": "What a heat pump will cost."}],
        "queries": [],
        "max_queries": 3,
        "parts": ["How much does a heat pump cost?", cost, "How long does a boiler last?"],
    }
    assert json.loads(answer_gaps(inputs))["gaps"] == [
        "No passage gives a figure.",
        "No passage mentions “boiler”.",
    ]


def test_there_need_not_be_a_gap() -> None:
    passages = [{"title": "", "text": "Scurvy has symptoms."}]
    inputs = {
        "question": "symptoms of scurvy",
        "passages": passages,
        "queries": [],
        "max_queries": 2,
    }
    assert json.loads(answer_gaps(inputs)) == {"gaps": [], "queries": []}


@pytest.mark.parametrize(
    ("question", "texts", "missing"),
    [
        ("Hi, could you please tell me how gout is treated? Thanks!", ["Gout."], ["treated"]),
        ("Hi, could you please tell me how gout is treated? Thanks!", ["Treatment of gout"], []),
        ("whats the captal of Peru plz", ["Lima is the capital of Peru."], []),
        ("How does a lute differ from an oud?", ["A lute has frets."], ["oud"]),
        ("Was kostet eine Wärmepumpe?", ["Eine Wärmepumpe"], ["kostet"]),
        ("What is a fjord? And where are the deepest?", ["A fjord is deep."], ["deepest"]),
    ],
)
def test_words_that_no_source_mentions_are_words_of_the_topic(
    question: str, texts: list[str], missing: list[str]
) -> None:
    assert find_uncovered_words(question, texts) == missing


#: Question → all its sub-questions.
SUB_QUESTIONS = {
    "How does a heat pump work?": [
        "How does a heat pump work?",
        "What are the strengths and limits of a heat pump?",
    ],
    "How is woodworm treated?": [
        "How is woodworm treated?",
        "How well do treatments of woodworm work?",
        "What are the risks or side effects of treating woodworm?",
    ],
    "What are the signs of a failing clutch?": [
        "What are the signs of a failing clutch?",
        "What causes a failing clutch?",
        "What can be done about a failing clutch?",
    ],
    "how do i sharpen my chisels": [
        "How do i sharpen my chisels?",
        "What do you need to sharpen your chisels?",
        "What mistakes are common when you sharpen your chisels?",
    ],
    "My goat has foot rot and I want to know how to go about. Thanks": [],
    "Is it safe to eat raw eggs?": [
        "What speaks for and against it: is it safe to eat raw eggs?",
    ],
    "Does anyone know if foxes hibernate?": ["What shows whether foxes hibernate?"],
    "Which is cheaper, renting or buying a kayak?": [
        "What is known about renting a kayak?",
        "What is known about buying a kayak?",
        "Which is cheaper, renting or buying a kayak?",
    ],
    "How much does a canal boat cost?": [
        "How much does a canal boat cost?",
        "What does the cost of a canal boat depend on?",
    ],
    "How long is the Danube?": [],
    "Who wrote the Kalevala?": [],
    "Was kostet eine Wärmepumpe?": [],
}


@pytest.mark.parametrize("question", SUB_QUESTIONS)
def test_sub_questions_fit_the_kind_and_name_the_topic(question: str) -> None:
    planned = json.loads(answer_plan({"question": question, "max_queries": 1}))
    assert planned["sub_questions"] == SUB_QUESTIONS[question]


@pytest.mark.parametrize("question", [*QUESTIONS, *SUB_QUESTIONS])
def test_no_query_only_turns_the_words_round(question: str) -> None:
    planned = json.loads(answer_plan({"question": question, "max_queries": 3}))
    as_sets = [frozenset(tokenize(query)) for query in planned["queries"]]
    assert len(set(as_sets)) == len(as_sets)
    assert all(1 <= len(query.split()) <= 7 for query in planned["queries"])


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        ("What are the benefits of beekeeping?", ["benefits beekeeping", "advantages beekeeping"]),
        ("disadvantages of thatched roofs",
         ["disadvantages thatched roofs", "drawbacks thatched roofs"]),
        ("Which rules apply to drones in parks?", ["rules apply drones parks", "regulations apply drones parks"]),
        ("What are the types of clouds?", ["types clouds", "kinds clouds"]),
        ("What are the stages of glass blowing?", ["stages glass blowing", "phases glass blowing"]),
    ],
)  # fmt: skip
def test_another_query_has_another_word_for_the_facet(question: str, queries: list[str]) -> None:
    planned = json.loads(answer_plan({"question": question, "max_queries": 2}))["queries"]
    assert planned == queries


# ---------------------------------------------------------------- letters

#: A letter, a word of each query, words that none has, and titles with the refined query for them.
LETTERS = [
    ("Deferred annuity. I turned sixty in June and my adviser picked up the papers and noted that I"
     " should surrender it. I have a question for your website. What would I lose?",
     "annuity", {"website", "picked", "noted", "question", "adviser", "june"},
     ["Losing weight", "Deferred annuity (Basics)"], "deferred annuity"),
    ("cant use site.. I want to find a lawyer who knows adverse possession law and I cannot understand"
     " how to do this on your website.",
     "possession", {"site", "website", "lawyer", "cannot"},
     ["Adverse possession: what it is | Law Desk", "Site law"], "adverse possession"),
    ("My brother bought a used hatchback and the dealer insisted that it was fine. The dual clutch"
     " gearbox of the hatchback is jerky when it is cold. Is that normal?",
     "gearbox", {"brother", "dealer", "insisted", "bought", "normal"},
     ["Normal weather", "Dual-clutch gearbox - overview"], "dual clutch gearbox"),
    ("pressure canner.. my aunt gave me hers and i worry because the jars did not seal. is it ok to eat"
     " what is in them?",
     "canner", {"aunt", "worry", "hers"},
     ["Aunts", "How should a pressure canner be used?"], "pressure canner"),
    ("Gout. My uncle is worried and was told by his doctor to drink cherry juice, 30 ml, twice a day."
     " Can he be helped?",
     "gout", {"uncle", "worried", "doctor", "ml"},
     ["Twice a day", "What are the treatments for gout?"], "gout"),
]  # fmt: skip


@pytest.mark.parametrize(("letter", "thing", "beside", "titles", "refined"), LETTERS)
def test_queries_of_a_letter_name_its_thing_and_not_its_story(
    letter: str, thing: str, beside: set[str], titles: list[str], refined: str
) -> None:
    planned = json.loads(answer_plan({"question": letter, "max_queries": 2}))["queries"]
    assert planned
    for query in planned:
        assert thing in query.lower().split()
        assert beside.isdisjoint(query.lower().split())
    snippets = make_results(*((title, "") for title in titles))
    query = json.loads(answer_refine({"question": letter, "snippets": snippets}))["query"]
    assert query.lower().startswith(refined)
    assert beside.isdisjoint(query.lower().split())


@pytest.mark.parametrize(
    ("letter", "own"),
    [
        ("I bought a used Subaru in May and the head gasket leaks coolant. The dealer refuses to pay."
         " Can I return the car to the dealer under the law?", "return car dealer law"),
        ("Our derailleur jammed on the velodrome banking and the tandem crashed. May the club keep the"
         " fee of the race?", "club keep fee race"),
        ("My convertible debentures of a brewery were called and the trustee resigned. Can the"
         " bank seize the deposit?", "bank seize deposit"),
        ("The pectin never set although the quince marmalade boiled over twice. Can I boil the fruit"
         " with more sugar?", "boil fruit sugar"),
        ("My leasehold maisonette has subsidence and the freeholder went bankrupt. Should we sell the"
         " house to the council?", "sell house council"),
    ],
)  # fmt: skip
def test_one_query_of_a_letter_has_the_words_that_it_asks_with(letter: str, own: str) -> None:
    planned = json.loads(answer_plan({"question": letter, "max_queries": 2}))["queries"]
    assert any(set(own.split()) <= set(query.split()) for query in planned)


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("My band plays in plan B. Is a tenancy at will binding?", {"tenancy", "binding"}),
        ("He drives in class C. Does the tyre warranty expire?", {"tyre", "warranty", "expire"}),
        ("We cook on hob A. How long should chickpeas simmer?", {"chickpeas", "simmer"}),
        ("My money is in fund D. Are municipal bonds taxed?", {"municipal", "bonds", "taxed"}),
        ("Our team is in group F. When was offside introduced?", {"offside", "introduced"}),
    ],
)
def test_a_sentence_that_ends_with_a_letter_is_not_asked_about(
    text: str, queries: set[str]
) -> None:
    planned = json.loads(answer_plan({"question": text, "max_queries": 1}))["queries"]
    words = {word.lower() for query in planned for word in query.split()}
    assert words & queries
    assert words.isdisjoint(text.split(".")[0].lower().split())


@pytest.mark.parametrize(("letter", "thing", "beside", "titles", "refined"), LETTERS)
def test_gaps_of_a_letter_are_not_words_of_its_story(
    letter: str, thing: str, beside: set[str], titles: list[str], refined: str
) -> None:
    inputs = {"question": letter, "passages": [], "queries": [], "max_queries": 4}
    for query in json.loads(answer_gaps(inputs))["queries"]:
        assert thing in query.lower().split()
        assert beside.isdisjoint(query.lower().split())


@pytest.mark.parametrize(
    ("letter", "name"),
    [
        ("Vitamin D intake. My aunt takes a lot of vitamin D since May. Is that safe?", "Vitamin D"),
        ("Hepatitis B infection. Our lodger was told that he has it since 2019. May he cook for us?",
         "Hepatitis B"),
        ("Class C shares. My adviser sold me class C shares last year. Is that wise?", "Class C"),
        ("Schedule E help. I let a flat and the form is new to me. Is a repair on Schedule E?",
         "Schedule E"),
        ("Error F on boiler. It shows Error F since we came home. Can we reset it?", "Error F"),
    ],
)  # fmt: skip
def test_a_name_keeps_its_letter(letter: str, name: str) -> None:
    planned = json.loads(answer_plan({"question": letter, "max_queries": 2}))["queries"]
    assert any(name.lower() in query.lower() for query in planned)
