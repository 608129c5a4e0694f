"""Which sentences are dropped, and which are chosen, by words alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

from research_core.model_messages import Json
from research_core.text.embeddings import VECTOR_SIZE
from research_core.text.quotable import Quote
from research_core.text.quote_choice import choose_quotes
from research_core.text.quote_faults import find_introduced_thing, find_narrowing, mark_faults
from research_core.text.quote_ratings import is_of_subtype
from research_core.text.quote_scores import FINALISTS, find_quotes, find_topic_synonyms
from research_core.text.sentence_faults import tells_undated_state
from tests.thesaurus import Thesaurus

if TYPE_CHECKING:
    from research_core.text.embeddings.exact import Vectors


def chosen_texts(question: str, text: str, title: str = "t") -> list[str]:
    """Return the sentences chosen of one page, best first."""
    sources: list[Json] = [{"title": title, "passages": [{"id": "p00000001", "text": text}]}]
    usable = mark_faults(question, find_quotes(question, sources), sources, ())
    return [quote.text for quote in choose_quotes(usable, 5, per_source=5)]


@pytest.mark.parametrize(
    ("question", "kept", "dropped"),
    [
        (
            "How is type 2 diabetes treated?",
            "Type 2 diabetes is treated with a diet at first.",
            "Type 1 diabetes is treated with insulin from the start.",
        ),
        (
            "How do I update Windows 11?",
            "Windows 11 is updated on the second Tuesday.",
            "Windows 10 is no longer updated since October.",
        ),
        (
            "What risks of river dams are known?",
            "River dams block the way of salmon to the sea.",
            "A reader asked which risks of river dams are known.",
        ),
        (
            "What causes tides?",
            "Tides are caused by the pull of the moon.",
            "In the spring they were higher than the tides of autumn.",
        ),
        (
            "What causes rust on a bridge?",
            "Rust on a bridge is caused by salt and water.",
            "Check the bridge for rust after each of the winters.",
        ),
    ],
)
def test_unfit_sentences_are_dropped_if_there_are_others(
    question: str, kept: str, dropped: str
) -> None:
    for text in (f"{kept} {dropped}", f"{dropped} {kept}"):
        assert chosen_texts(question, text) == [kept]


def test_a_direct_answer_is_chosen_first() -> None:
    text = "Tides and the causes of tides fill a great many books. Tides are caused by the moon's pull."
    assert chosen_texts("What causes tides?", text)[0] == "Tides are caused by the moon's pull."


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "Another cause of rust on iron is salt in the air.",
        ),
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "Rust on iron can also be caused by salt of the road.",
        ),
        (
            "What causes a heat wave?",
            "A heat wave is caused by dry air that stays.",
            "A heat wave differs from a dry spell (a time without rain, which occurs when a heat"
            " wave of the sea moves).",
        ),
        (
            "What causes tides?",
            "Tides are caused by the pull of the moon.",
            "In narrow bays, tides are caused by the wind as well.",
        ),
        (
            "What are the symptoms of lead poisoning?",
            "Symptoms of lead poisoning include cramps and a dull headache.",
            "Other symptoms of lead poisoning include pale skin and weak hands.",
        ),
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "Rarely, rust on iron is caused by acids of the soil.",
        ),
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "In a few cases, rust on iron is caused by acids of the soil.",
        ),
        (
            "How is dry rot treated?",
            "Dry rot is treated with heat and with fungicides.",
            "The way dry rot is treated depends on the age of the house.",
        ),
        (
            "How is dry rot treated?",
            "Dry rot is treated with heat and with fungicides.",
            "An owner should always talk to a surveyor on how dry rot is treated.",
        ),
        (
            "Is dry rot dangerous?",
            "Dry rot is dangerous to the beams of a roof.",
            "A specialist can tell whether dry rot is dangerous to a roof.",
        ),
    ],
)
def test_a_whole_answer_is_chosen_before_one_of_a_part(
    question: str, better: str, worse: str
) -> None:
    for text in (f"{better} {worse}", f"{worse} {better}"):
        assert chosen_texts(question, text)[0] == better


def test_of_a_sentence_that_stands_twice_the_better_place_is_quoted() -> None:
    text = "Wet walls without air feed the fungus."
    passages = [{"id": "p1", "text": text}, {"id": "p2", "text": f"Dry rot: {text}"}]
    sources: list[Json] = [{"title": "Dry rot", "passages": passages}]
    found = find_quotes("What causes dry rot?", sources)
    best = max(found, key=lambda quote: quote.score)
    (quote,) = choose_quotes(found, 5, per_source=5)
    assert quote.score == best.score


@dataclass
class CountingEmbedder:
    """Gives every text the same row, and keeps the texts."""

    texts: list[str] = field(default_factory=list)
    name: str = "counting"
    why: str = ""

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.full((len(texts), VECTOR_SIZE), VECTOR_SIZE**-0.5, np.float32)

    def load(self) -> None:
        pass


@pytest.mark.parametrize("count", [1, 5, 20, 40, 80])
def test_few_sentences_are_embedded_without_their_title(count: int) -> None:
    sentences = [f"The bridge of year {1700 + n} has rust on its iron." for n in range(count)]
    sources: list[Json] = [
        {"title": "Rust", "passages": [{"id": "p1", "text": " ".join(sentences)}]}
    ]
    embedder = CountingEmbedder()
    found = find_quotes("What causes rust on a bridge?", sources, embedder)
    alone = [text for text in embedder.texts if text in sentences]
    assert len(alone) == min(count, FINALISTS) == len(found)
    assert all(quote.near is not None for quote in found)


@pytest.mark.parametrize("sources", [1, 2, 3, 5, 8])
def test_no_source_takes_the_places_of_another_by_its_title(sources: int) -> None:
    question = "What are the causes of rust?"
    made: list[Json] = []
    for number in range(sources):
        title = question if number == 0 else f"Logbook {number}"
        told = " ".join(
            f"Rust spreads where the paint of hull {number} is thin at frame {place}."
            for place in range(FINALISTS)
        )
        made.append({"title": title, "passages": [{"id": f"p{number:08x}", "text": told}]})
    found = find_quotes(question, made, Thesaurus())
    assert {quote.source for quote in found} == set(range(sources))


def test_sentences_that_a_page_puts_side_by_side_are_compared_in_any_case() -> None:
    question = "How did the lute develop from the oud, and how do the two differ?"
    told = " ".join(
        f"The lute differs from the oud in the way that lute number {place} developed from it."
        for place in range(FINALISTS)
    )
    listed = (
        "- Frets. The oud has none on its short neck. The lute has eight of gut.\n"
        "- Sound. A plectrum plucks the oud at all times. Fingers pluck the lute since Bach."
    )
    passages = [
        {"id": "p00000001", "text": told},
        {"id": "p00000002", "text": f"## How the two differ\n\n{listed}"},
    ]
    sources: list[Json] = [{"title": "The lute and the oud", "passages": passages}]
    found = find_quotes(question, sources, Thesaurus())
    assert {"Frets", "Sound"} <= {quote.heading for quote in found if quote.near is not None}


@pytest.mark.parametrize(
    ("question", "listing", "other"),
    [
        (
            "What are the symptoms of lead poisoning?",
            "People with lead poisoning have cramps, a dull headache, pale skin and weak hands.",
            "People with lead poisoning have cramps for a very long time of their whole lives.",
        ),
        (
            "What causes rust on a boat?",
            "Rust on a boat is caused by salt, wet sails, old paint, and rain.",
            "Rust on a boat is caused by salt that stays where the sun is weak.",
        ),
        (
            "How is dry rot treated?",
            "Dry rot is treated with heat; with fungicides of the trade; or with new beams.",
            "Dry rot is treated with heat for as long as the beams of the roof need.",
        ),
    ],
)
def test_a_sentence_that_lists_several_answers_is_preferred_by_meaning(
    question: str, listing: str, other: str
) -> None:
    sources: list[Json] = [
        {"title": "Log", "passages": [{"id": "p1", "text": f"{other} {listing}"}]}
    ]
    found = find_quotes(question, sources, CountingEmbedder())
    assert max(found, key=lambda quote: quote.score).text == listing


def texts_on_point(question: str, pages: Sequence[tuple[str, str]]) -> list[str]:
    """Return the sentences of (title, text) pages that have no fault, in order."""
    sources: list[Json] = [
        {"title": title, "passages": [{"id": f"p0000000{number}", "text": text}]}
        for number, (title, text) in enumerate(pages)
    ]
    synonyms = find_topic_synonyms(question, sources)
    marked = mark_faults(question, find_quotes(question, sources), sources, synonyms)
    return [quote.text for quote in marked if not quote.faults]


@pytest.mark.parametrize(
    ("question", "title", "kept", "dropped"),
    [
        (
            "What are the symptoms of lead poisoning?",
            "Lead poisoning",
            "Symptoms of lead poisoning include cramps and headaches.",
            "Lead poisoning was known to the builders of Rome.",
        ),
        (
            "How is a leaking radiator repaired and treated?",
            "Radiator",
            "A leaking radiator is treated with a sealing powder at first.",
            "A leaking radiator was seen on every tenth car of that year.",
        ),
        (
            "How can a tenant prevent mould?",
            "Mould",
            "Airing the flat twice a day keeps mould away from its walls.",
            "Mould grows on walls that the sun of the day does not reach.",
        ),
        (
            "What causes inflation?",
            "Inflation",
            "Inflation is caused by more money for the same goods.",
            "Inflation can usually be controlled.",
        ),
        (
            "How are burns on the skin treated?",
            "Burns",
            "Burns on the skin are treated with cool water for twenty minutes.",
            "Your doctor may recommend other treatments.",
        ),
    ],
)
def test_sentences_on_another_side_are_left_out(
    question: str, title: str, kept: str, dropped: str
) -> None:
    assert texts_on_point(question, [(title, f"{dropped} {kept}")]) == [kept]


@pytest.mark.parametrize(
    ("question", "title", "answer", "other"),
    [
        (
            "What is a credit spread?",
            "Credit spread",
            "A credit spread is the difference in yield between two bonds.",
            "Credit spreads widen as fears of a default spread in the market.",
        ),
        (
            "How are dividends treated for tax?",
            "Dividends and tax",
            "Dividends are taxed at the rate for income above the allowance.",
            "Dividends are treated as a sign of health by most of the funds.",
        ),
        (
            "What is the remedy for breach of contract?",
            "Breach of contract",
            "A breach of contract is made good by damages in most courts.",
            "A breach of contract costs a firm drugs, tablets and medicines.",
        ),
        (
            "How do I manage a remote team?",
            "Managing a remote team",
            "A remote team needs one short call on every working day.",
            "A remote team takes tablets and forms to the houses of its patients.",
        ),
        (
            "Who signs the lease first?",
            "Signing a lease",
            "The tenant signs the lease before the landlord does.",
            "A lease can feel long and often has symptoms of haste.",
        ),
        (
            "What causes inflation?",
            "Inflation",
            "Inflation is a general rise of the prices in a country.",
            "Inflation is caused by more money for the same goods.",
        ),
    ],
)
def test_an_answer_is_kept_whatever_side_it_tells_of(
    question: str, title: str, answer: str, other: str
) -> None:
    assert answer in texts_on_point(question, [(title, f"{other} {answer}")])


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What causes inflation?", "inflation"),
        ("How is woodworm treated?", "woodworm"),
        ("How can a tenant prevent mould?", "mould"),
        ("What are the symptoms of a bad alternator?", "alternator"),
        ("Why do strikers miss penalties?", "penalties"),
    ],
)
def test_the_sentence_nearest_in_meaning_is_kept_beside_those_on_the_side_asked_about(
    question: str, topic: str
) -> None:
    telling = (
        "appears because of salt, is treated with heat, is prevented by air and has two symptoms."
    )
    texts = [
        f"{topic.capitalize()} {telling}",
        *(f"About {topic}, remark {n} holds." for n in range(5)),
    ]
    found = [
        Quote(text, "p00000001", 0, number, True, own=1.0, near=0.6 + number / 100)
        for number, text in enumerate(texts)
    ]
    sources: list[Json] = [{"title": topic, "passages": [{"id": "p00000001", "text": "-"}]}]
    marked = mark_faults(question, found, sources, ())
    assert [quote.order for quote in marked if not quote.faults] == [0, 5]


@pytest.mark.parametrize(
    ("question", "naming", "other"),
    [
        ("What risks do river dams have?", "River dams silt up.", "The valley is wide."),
        ("What rights does a lodger have?", "A lodger may ask for heat.", "A key costs a euro."),
        ("What parts does a drum brake have?", "A drum brake has shoes.", "The shop is shut."),
        ("What uses does stale bread have?", "Stale bread thickens soup.", "The oven is hot."),
        ("What rules does water polo have?", "Water polo has seven players.", "It was a warm day."),
    ],
)
def test_a_sentence_that_names_the_topic_may_be_further_behind_the_nearest(
    question: str, naming: str, other: str
) -> None:
    nearness = [0.7, 0.69, 0.68, 0.53, 0.53]
    texts = ["One.", "Two.", "Three.", naming, other]
    found = [
        Quote(text, "p00000001", 0, number, True, own=1.0, near=near)
        for number, (text, near) in enumerate(zip(texts, nearness, strict=True))
    ]
    sources: list[Json] = [{"title": question, "passages": [{"id": "p00000001", "text": "-"}]}]
    marked = mark_faults(question, found, sources, ())
    assert [quote.order for quote in marked if "of another side" in quote.faults] == [4]


@pytest.mark.parametrize(
    ("question", "page", "neighbour"),
    [
        (
            "How is lung cancer treated?",
            ("Lung cancer", "Lung cancer is treated with surgery in its first stages."),
            ("Skin cancer", "The cancer is treated with a cream in most of the old."),
        ),
        (
            "How is a velvet mite prevented?",
            ("Velvet mite", "A velvet mite is kept away by a strip of tape around the pot."),
            ("Gall mite", "Mites are kept away by cutting the twigs of the pear in March."),
        ),
        (
            "What causes a variable annuity to end?",
            ("Variable annuity", "A variable annuity ends because the owner sells or dies."),
            ("Fixed annuity", "The annuity ends early because of a default of the insurer."),
        ),
    ],
)
def test_a_neighbours_page_is_quoted_only_where_it_names_the_thing(
    question: str, page: tuple[str, str], neighbour: tuple[str, str]
) -> None:
    assert texts_on_point(question, [neighbour, page]) == [page[1]]


#: A question, a sentence that answers, and others with the fault that each has.
FAULTY: list[tuple[str, str, str, str]] = [
    (
        "How do I fix a rusty car door?",
        "A rusty car door is repaired by sanding it and sealing it with paint.",
        "In the spring it was worse than in the winter of that year.",
        "does not say what it is about",
    ),
    (
        "What are the risks of skydiving?",
        "The main risk of skydiving is a hard landing on a windy day.",
        "What many people fear Skydiving can end with a risky jump into water.",
        "begins with a heading",
    ),
    (
        "What are the benefits of a heat pump?",
        "A heat pump saves about half of the energy that a boiler burns.",
        "Many people wonder what the benefits of a heat pump are.",
        "repeats the question",
    ),
    (
        "What is the penalty for driving without insurance?",
        "Driving without insurance leads to a fine of 300 pounds and six points.",
        "Check your driving insurance before the end of the month.",
        "tells the reader what to do",
    ),
    (
        "How is dry rot treated?",
        "Dry rot is treated with a fungicide after the timber is cut out.",
        "There are many treatments for dry rot in houses.",
        "says only that there is something",
    ),
    (
        "What causes rust?",
        "Rust is caused by water and air.",
        "Rust causes holes in the floor of a car.",
        "tells the effect for the cause",
    ),
    (
        "How much does a passport cost?",
        "A passport costs 88.50 pounds for an adult.",
        "A passport has a burgundy cover and a golden crest.",
        "of another side",
    ),
]


@pytest.mark.parametrize(("question", "answer", "faulty", "fault"), FAULTY)
def test_each_fault_is_told_and_a_sentence_with_one_is_quoted_only_if_all_have(
    question: str, answer: str, faulty: str, fault: str
) -> None:
    text = f"{answer} {faulty}"
    sources: list[Json] = [{"title": question, "passages": [{"id": "p00000001", "text": text}]}]
    marked = mark_faults(question, find_quotes(question, sources), sources, ())
    faults = {quote.text: quote.faults for quote in marked}
    assert faults[answer] == ()
    if faulty in faults:  # a sentence that points back is not even usable beside a firm one
        assert fault in faults[faulty]
    assert faulty not in [quote.text for quote in choose_quotes(marked, 5, per_source=5)]


def test_passages_that_overlap_give_a_sentence_once() -> None:
    text = "Rust on iron is caused by water and by air."
    passages = [{"id": f"p0000000{number}", "text": text} for number in range(3)]
    sources: list[Json] = [{"title": "Rust", "passages": passages}]
    assert [quote.passage for quote in find_quotes("What causes rust?", sources)] == ["p00000000"]


def test_if_no_sentence_tells_of_the_side_all_are_kept() -> None:
    text = "Gout was known to the Greeks of old. Gout was called the disease of kings."
    assert len(texts_on_point("How is gout diagnosed?", [("Gout", text)])) == 2


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([1.0, 0.9, 0.75, 0.74, 0.67], 4),
        ([1.0, 0.7, 0.69], 3),
        ([1.0, 0.99, 0.98, 0.81, 0.79], 4),
        ([1.0, 0.6], 2),
        ([1.0, 0.5, 0.4, 0.39], 3),
        ([0.5, 0.49], 2),
    ],
)
def test_beyond_the_first_few_only_sentences_near_the_last_of_them_are_chosen(
    scores: list[float], chosen: int
) -> None:
    words = ("salt", "rust", "paint", "zinc", "steel")
    quotes = [
        Quote(f"{word} is {word}.", "p1", 0, order, True, near=0.6, score=score, own=0.5)
        for order, (word, score) in enumerate(zip(words, scores, strict=False))
    ]
    assert [quote.score for quote in choose_quotes(quotes, 9, per_source=9)] == scores[:chosen]


@pytest.mark.parametrize(
    "texts",
    [
        ("Kalk löst Rost.", "Rost ist braun.", "Farbe hilft lange."),
        ("Le sel attaque le fer.", "La rouille est brune.", "La peinture protège."),
        ("Salt attacks iron.", "Rust is brown.", "Paint protects iron."),
    ],
)
def test_if_all_near_sentences_have_a_fault_the_others_are_quoted(texts: tuple[str, ...]) -> None:
    quotes = [
        Quote(texts[0], "p1", 0, 0, True, near=0.55, score=-1.0, own=0.5, faults=("x",)),
        Quote(texts[1], "p1", 0, 1, True, near=0.45, score=1.1, own=0.5),
        Quote(texts[2], "p1", 0, 2, True, near=0.44, score=1.0, own=0.5),
    ]
    chosen = choose_quotes(quotes, 9, per_source=9)
    assert [quote.text for quote in chosen] == list(texts[1:])


@pytest.mark.parametrize("nearest", [0.55, 0.65, 0.8])
def test_something_is_always_quoted(nearest: float) -> None:
    quotes = [
        Quote("Salt is salt.", "p1", 0, 0, True, near=nearest, score=-1.0, own=0.5, faults=("x",)),
        Quote("Rust is rust.", "p1", 0, 1, True, near=0.3, score=1.1, own=0.5, faults=("x",)),
    ]
    assert choose_quotes(quotes, 9, per_source=9)


def test_a_sentence_with_a_fault_that_is_far_behind_is_not_among_the_first_few() -> None:
    quotes = [
        Quote("Salt is salt.", "p1", 0, 0, True, near=0.6, score=1.0, own=0.5),
        Quote("Rust is rust.", "p1", 0, 1, True, near=0.6, score=0.6, own=0.5, faults=("x",)),
    ]
    assert [quote.order for quote in choose_quotes(quotes, 9, per_source=9)] == [0]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "Brushing, flossing and a sound diet (this is what dentists mean).",
            "is no whole sentence",
        ),
        ("Rust-proof paint on bare iron and good oil.", "is no whole sentence"),
        ("Rust eats the chain of a bike.Iron with oil is safe from it.", "is no whole sentence"),
        ("Rust and time and weatherYou see rust wherever iron is wet.", "is no whole sentence"),
        ("OLD IRON - Old iron has more rust than new iron has.", "is no whole sentence"),
        ("The Iron Society provides expert articles on the rust of ships.", "tells of other texts"),
        ("Rather, rust is caused by salt on the road.", "does not say what it is about"),
        ("Are eaten by rust from below the paint.", "is no whole sentence"),
        ("May be stopped by oil and by paint.", "is no whole sentence"),
        ("There are two ways to stop rust: Paint is not needed.", "is no whole sentence"),
        ("Below is a list of oils that stop rust.", "tells of other texts"),
        ("Here’s how iron and oil against rust compare.", "tells of other texts"),
        (
            "There are surgical ways to do this without cutting the iron.",
            "does not say when it holds",
        ),
        ("Your dealer or insurer may ask you to remove all rust.", "does not say when it holds"),
        ("Your insurer may ask you to remove all rust before a sale.", ""),
        ("There are two ways to stop rust: paint and oil.", ""),
        ("Areas of rust are found on every old iron bridge.", ""),
        ("May and June are the months of rust in the north.", ""),
        ("Rust spreads below the paint.", ""),
        ("Salt and water eat iron.", ""),
        ("Iron (old or new) rusts in rain.", ""),
        ("Mrs Miller of St.Gallen says that rust is iron and air.", ""),
    ],
)
def test_a_text_that_is_no_sentence_of_its_own_has_a_fault(text: str, fault: str) -> None:
    quote = Quote(text, "p00000001", 0, 0, True, own=1.0)
    plain = Quote("Rust is caused by water on iron.", "p00000001", 0, 1, True, own=1.0)
    sources: list[Json] = [{"title": "Rust", "passages": [{"id": "p00000001", "text": "-"}]}]
    marked = mark_faults("What causes rust?", [quote, plain], sources, ())[0]
    told = {
        "is no whole sentence",
        "tells of other texts",
        "does not say what it is about",
        "does not say when it holds",
    }
    assert told.intersection(marked.faults) == ({fault} if fault else set())


@pytest.mark.parametrize(
    ("title", "is_told"),
    [("Rust", True), ("Causes of rust", True), ("Wood rot", False), ("Chalk on slate", False)],
)
def test_this_condition_stands_for_the_thing_of_its_page(title: str, is_told: bool) -> None:
    quote = Quote(
        "Less often, salt from the road can cause this condition.", "p00000001", 0, 0, True, own=1.0
    )
    plain = Quote("Rust is caused by water on iron.", "p00000001", 0, 1, True, own=1.0)
    sources: list[Json] = [{"title": title, "passages": [{"id": "p00000001", "text": "-"}]}]
    marked = mark_faults("What causes rust?", [quote, plain], sources, ())[0]
    assert ("does not say what it is about" not in marked.faults) is is_told


@pytest.mark.parametrize(
    ("question", "point", "answer", "others"),
    [
        (
            "Is a steady cough always a part of hay fever, as my uncle says?",
            "Is a steady cough always a part of",
            "Hay fever comes with sneezing, a cough and red eyes.",
            ("Hay fever is common in June.", "Hay fever was first named in 1828."),
        ),
        (
            "Can a tenant of a flat under a lease keep an automobile in the yard?",
            "Can a tenant keep an automobile in the yard?",
            "A lease may forbid a vehicle in the yard.",
            ("A lease is signed by both.", "A lease of a flat runs for a year."),
        ),
    ],
)
def test_a_sentence_on_the_point_comes_before_those_that_only_name_the_thing(
    question: str, point: str, answer: str, others: tuple[str, ...]
) -> None:
    text = " ".join((*others, answer))
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    found = find_quotes(question, sources, Thesaurus(), points=[point])
    assert max(found, key=lambda quote: quote.score).text == answer
    assert all(quote.on_point is not None for quote in found)
    unpointed = find_quotes(question, sources, Thesaurus())
    assert all(quote.on_point is None for quote in unpointed)


@pytest.mark.parametrize(
    ("question", "title", "general", "other_title", "narrower"),
    [
        (
            "What causes gout?",
            "Gout",
            "Gout is caused by crystals of uric acid.",
            "Saturnine gout",
            "Lead in the blood causes it, as the kidneys fail.",
        ),
        (
            "What is a mortgage?",
            "Mortgage",
            "A mortgage is a loan that is secured on a house.",
            "Reverse mortgage",
            "A reverse mortgage is repaid after the house is sold.",
        ),
        (
            "What is copyright?",
            "Copyright",
            "Copyright is the right of an author to a work.",
            "Copyright",
            "The Saltmarsh Act is a law on deposits in a library.",
        ),
        (
            "How much does a turbine cost?",
            "Turbine",
            "A turbine costs 300 euros a year to run.",
            "Turbine",
            "After a turbine is repaired, its bearings cost 40 euros a year.",
        ),
        (
            "What risks does a ferry have?",
            "Ferry",
            "A ferry has the risk of a fire on its car deck.",
            "Ferry",
            "Tourists on a ferry have a risk of falls.",
        ),
    ],
)
def test_a_narrower_thing_or_a_special_case_does_not_stand_for_the_one_asked_about(
    question: str, title: str, general: str, other_title: str, narrower: str
) -> None:
    sources: list[Json] = [
        {"title": other_title, "passages": [{"id": "p00000001", "text": narrower}]},
        {"title": title, "passages": [{"id": "p00000002", "text": general}]},
    ]
    marked = mark_faults(question, find_quotes(question, sources), sources, ())
    assert marked
    assert [quote.text for quote in marked if not quote.faults] == [general]
    alone = sources[:1]
    assert mark_faults(question, find_quotes(question, alone), alone, ())


def test_a_list_has_the_items_of_the_passage_with_most_of_them() -> None:
    lead_in = "The risks of a ferry include:"
    sources: list[Json] = [
        {
            "title": "Ferry",
            "passages": [
                {"id": "p00000001", "text": f"{lead_in}\n\n- Fire\n- Storms"},
                {"id": "p00000002", "text": f"{lead_in}\n\n- Fire\n- Storms\n- Ice"},
            ],
        }
    ]
    found = find_quotes("What are the risks of a ferry?", sources, Thesaurus())
    assert [(quote.text, quote.passage) for quote in found] == [
        (f"{lead_in} Fire; Storms; Ice.", "p00000002")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Repairs of a ferry may include: The yard may also paint the deck of the ship.",
        "The sauces of the ferry are: Brine (salted) Vinegar (sour) Mustard (hot) Oil for frying.",
    ],
)
def test_a_lead_in_without_its_list_is_no_whole_sentence(text: str) -> None:
    quote = Quote(text, "p00000001", 0, 0, True)
    plain = Quote("The ferry is repaired in a dry dock.", "p00000001", 0, 1, True)
    sources: list[Json] = [{"title": "Ferry", "passages": [{"id": "p00000001", "text": "-"}]}]
    marked = mark_faults("How is a ferry repaired?", [quote, plain], sources, ())
    assert "is no whole sentence" in marked[0].faults


@pytest.mark.parametrize(
    ("question", "text", "is_kind"),
    [
        ("What is glaucoma?", "Closed-angle glaucoma is an emergency.", True),
        ("What causes rust?", "Early rust can be removed with vinegar.", True),
        ("What is a mortgage?", "Fixed-rate mortgages cost more at first.", True),
        ("How is gout treated?", "Untreated gout destroys joints over the years.", True),
        ("What is a heat pump?", "Ground-source heat pumps need a deep hole.", True),
        ("What is glaucoma?", "Glaucoma is a disease of the eye.", False),
        ("What is early rust?", "Early rust is a thin brown film.", False),
        ("What causes rust?", "Most rust begins at a scratch.", False),
        ("What is gout?", "Well-known gout remedies are cherries and rest.", False),
        ("How is gout treated?", "Treatment of gout begins with rest.", False),
    ],
)
def test_a_kind_of_the_thing_is_not_the_thing(question: str, text: str, is_kind: bool) -> None:
    assert is_of_subtype(question, text) is is_kind


def test_a_sentence_on_the_thing_comes_before_one_on_a_kind_of_it() -> None:
    text = (
        "Closed-angle hatch wear is caused by sand in the seal of the hatch."
        " Hatch wear is caused by sand and salt in the seal of a hatch."
    )
    assert chosen_texts("What causes hatch wear?", text, "Hatch wear")[0].startswith("Hatch wear")


@pytest.mark.parametrize(
    "torn",
    [
        "Rust is caused by mutations in the , , , , or part of the paint.",
        "Rust is caused by , or is made worse by, salt and water.",
        "Rust is found in , and on the doors of old cars.",
        "The cause of rust is , , and salt in most cars.",
        "Rust on doors is caused by the , and water on them.",
    ],
)
def test_a_sentence_that_has_lost_its_names_is_no_whole_one(torn: str) -> None:
    sources: list[Json] = [{"title": "Rust", "passages": [{"id": "p00000001", "text": torn}]}]
    marked = mark_faults(
        "What causes rust?", find_quotes("What causes rust?", sources), sources, ()
    )
    assert "is no whole sentence" in marked[0].faults


@pytest.mark.parametrize(
    "spaced",
    [
        "Rust is caused by salt , and by water in the seams.",
        "Rust needs iron , water and air , or a salt that holds water.",
        "Rust is caused by salt on the road , but paint keeps it away.",
        "Rust , which is an oxide of iron , is caused by water , salt , and air.",
        "Rust is caused by salt (winter roads , harbours) , or by acids.",
    ],
)
def test_a_space_before_a_comma_is_no_fault(spaced: str) -> None:
    sources: list[Json] = [{"title": "Rust", "passages": [{"id": "p00000001", "text": spaced}]}]
    found = find_quotes("What causes rust?", sources)
    (marked,) = mark_faults("What causes rust?", found, sources, ())
    assert "is no whole sentence" not in marked.faults


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is glaucoma?", "Schedule eye exams Open-angle glaucoma gives few early signs."),
        ("What is rust?", "Epidemiology Rust is found on most old cars; all rust spreads."),
        ("What is a sonata?", "Terminology Sonata means a piece that is played; a sonata is long."),
        ("What is rust?", "Maintenance Rust is ground off with a wheel; no rust may be left."),
        ("What is a heat pump?", "Book a visit Ground-source heat pumps need a deep hole."),
    ],
)
def test_a_heading_before_a_kind_of_the_thing_is_a_fault(question: str, text: str) -> None:
    plain = "The thing itself, such as rust or glaucoma or a heat pump, is known to many."
    sources: list[Json] = [
        {"title": "t", "passages": [{"id": "p00000001", "text": f"{text} {plain}"}]}
    ]
    marked = mark_faults(question, find_quotes(question, sources), sources, ())
    assert "begins with a heading" in {q.text: q.faults for q in marked}[text]


@pytest.mark.parametrize(
    ("text", "is_undated"),
    [
        ("Currently, seven genes are known to cause it.", True),
        ("So far, engineers have identified twelve faults.", True),
        ("The tunnel is now 57 km long.", True),
        ("Recently approved materials include hemp and cork.", True),
        ("There is currently no cure for the disease.", False),
        ("As of 2019, seven genes are currently known.", False),
        ("The plant is currently grown in Spain.", False),
        ("Seven genes are known to cause it.", False),
    ],
)
def test_a_count_of_an_unstated_time_is_known(text: str, is_undated: bool) -> None:
    assert tells_undated_state(text) == is_undated


@pytest.mark.parametrize(
    ("heading", "text", "narrowing"),
    [
        ("Stage IV", "Options include: surgery; radiation.", "Stage IV"),
        ("Treatment in children", "Options include: surgery; radiation.", "children"),
        ("Commercial buildings", "Limits are: 50 dB by day; 35 dB by night.", "Commercial"),
        ("Treatment in children", "Children get: surgery; radiation.", ""),
        ("How it is treated", "Options include: surgery; radiation.", ""),
    ],
)
def test_a_heading_that_narrows_a_list_is_found(heading: str, text: str, narrowing: str) -> None:
    assert find_narrowing("What are the limits and options?", heading, text) == narrowing
    assert find_narrowing("In children, commercial, stage IV?", heading, text) == ""


@pytest.mark.parametrize(
    ("sentence", "has_heading"),
    [
        ("Outlook Improved coatings have reduced the rust of bridges in the north.", True),
        ("Prevention Regular washing keeps the rust of bridges away for years.", True),
        ("General Motors has studied the rust of bridges and of cars for years.", False),
        ("Improved coatings have reduced the rust of bridges in the north.", False),
    ],
)
def test_a_section_name_before_a_sentence_is_a_heading(sentence: str, has_heading: bool) -> None:
    text = f"{sentence} Some motors, improved paint and regular care keep bridges free of rust."
    source = {"title": "Rust of bridges", "passages": [{"id": "p1", "text": text}]}
    question = "How is rust of bridges prevented?"
    found = find_quotes(question, [source])
    marked = mark_faults(question, found, [source], find_topic_synonyms(question, [source]))
    faults = {quote.text: quote.faults for quote in marked}
    assert ("begins with a heading" in faults[sentence]) == has_heading


FAULTY = [
    (
        "An order of April told its agencies to paint their gates.",
        "does not say what it is about",
    ),
    (
        "Treatment for winter rust (in boats and cars) may include the following steps: Warm oil In"
        " cars that have been treated before it is sprayed.",
        "is no whole sentence",
    ),
]
ON_WINTER_RUST = "Winter rust is caused by salt and treated with oil."


def mark_beside_winter_rust(question: str, title: str, text: str) -> dict[str, tuple[str, ...]]:
    """Return the faults of the sentence of a page, and of one on winter rust of another page."""
    sources: list[Json] = [
        {"title": title, "passages": [{"id": "p00000001", "text": text}]},
        {"title": "Winter rust", "passages": [{"id": "p00000002", "text": ON_WINTER_RUST}]},
    ]
    found = find_quotes(question, sources)
    assert text in [quote.text for quote in found]
    return {quote.text: quote.faults for quote in mark_faults(question, found, sources, ())}


@pytest.mark.parametrize(("text", "fault"), FAULTY)
def test_a_fault_is_named(text: str, fault: str) -> None:
    marked = mark_beside_winter_rust("How is winter rust treated?", "Winter rust", text)
    assert fault in marked[text]
    assert fault not in marked[ON_WINTER_RUST]


@pytest.mark.parametrize(
    ("title", "is_narrower"),
    [
        ("What are the causes of Baltic winter rust?", True),
        ("Who gets Baltic winter rust?", True),
        ("How is Baltic winter rust scraped?", True),
        ("What are the causes of winter rust?", False),
        ("How is winter rust treated?", False),
        ("How is winter rust scraped?", False),
    ],
)
def test_a_title_that_asks_about_a_narrower_thing_leaves_its_page_out(
    title: str, is_narrower: bool
) -> None:
    text = "Rust is caused by salt fog on the gates of a port."
    marked = mark_beside_winter_rust("What causes winter rust?", title, text)
    assert (text not in marked) is is_narrower
    assert ON_WINTER_RUST in marked


MILLS = "What harm do water mills do?"


@pytest.mark.parametrize(
    ("heading", "before", "text", "named"),
    [
        (
            "2. Mill races",
            "Monks dug a ditch.",
            "The ditch may keep eels from the sea.",
            "Mill races",
        ),
        ("Weirs", "A wall of stone crosses it.", "The wall has stopped every trout.", "Weirs"),
        ("Risks", "A water mill needs a pond.", "The pond is warmed by the sun.", "Water mills"),
        ("", "Water mills need oil.", "The oil has spoiled two springs.", "Water mills"),
        ("Overview", "Somebody dug a ditch.", "The ditch may keep eels from the sea.", ""),
    ],
)
def test_the_thing_of_a_noun_is_its_heading_or_the_title(
    heading: str, before: str, text: str, named: str
) -> None:
    title = "Water mills | Example Trust"
    passage = f"## {heading}\n\n{before} {text}" if heading else f"{before} {text}"
    sources: list[Json] = [{"title": title, "passages": [{"id": "p00000001", "text": passage}]}]
    marked = mark_faults(MILLS, find_quotes(MILLS, sources), sources, ())
    quote = next(quote for quote in marked if quote.text == text)
    assert find_introduced_thing(quote, title) == named
    assert ("does not say what it is about" in quote.faults) is not bool(named)


@pytest.mark.parametrize(
    ("question", "title", "kept", "dropped"),
    [
        (
            "How to diagnose asthma?",
            "Asthma",
            "Asthma is diagnosed with a test of the breath.",
            "Asthma can be the first illness of a child, and best care is at home.",
        ),
        (
            "What is a heat pump?",
            "Heat pump",
            "A heat pump is a machine that moves heat into a house.",
            "Heat pumps are linked to an increased risk of noise.",
        ),
        (
            "What is asthma?",
            "Asthma",
            "Asthma is a disease of the airways.",
            "Asthma may be due to dust in the home.",
        ),
        (
            "What causes gonorrhea?",
            "Gonorrhea",
            "Gonorrhea is caused by germs that pass from person to person.",
            "The bacterium that causes gonorrhea can live in the throat.",
        ),
        (
            "What are the symptoms of asthma?",
            "Asthma",
            "Symptoms of asthma include a cough and tightness of the chest.",
            "Asthma has many causes, such as dust, cold air and smoke.",
        ),
    ],
)
def test_a_common_form_does_not_outweigh_the_side(
    question: str, title: str, kept: str, dropped: str
) -> None:
    assert texts_on_point(question, [(title, f"{dropped} {kept}")]) == [kept]


@pytest.mark.parametrize(
    "pointing",
    [
        "The ten best oils against rust are listed by their price below.",
        "Our spreadsheet has every oil that stops rust on iron.",
        "A dealer decides which of the following oils stops rust.",
        "The free checklist helps you to stop rust on iron.",
        "These oils against rust are ranked from best to worst below.",
    ],
)
def test_a_sentence_that_points_at_a_list_is_not_quoted(pointing: str) -> None:
    other = "Rust on iron is stopped by oil and by paint."
    assert texts_on_point("How is rust stopped?", [("Rust", f"{pointing} {other}")]) == [other]


@pytest.mark.parametrize(
    ("question", "on_thing", "on_other"),
    [
        (
            "What is dry rot?",
            "Dry rot is a fungus that eats wood.",
            "White spongy growth that resembles dry rot is often cellar mould.",
        ),
        (
            "How does a heat pump work?",
            "A heat pump works like a fridge that runs backwards.",
            "An air conditioner is similar to a heat pump, and it cools only.",
        ),
        (
            "Wie entsteht Hausschwamm?",
            "Hausschwamm entsteht in feuchtem Holz ohne Luft.",
            "Der Kellerpilz ähnelt dem Hausschwamm und wächst im Keller.",
        ),
        (
            "Comment pousse le cèpe ?",
            "Le cèpe pousse sous les chênes après la pluie.",
            "Le bolet amer ressemble au cèpe et pousse sous les pins.",
        ),
        (
            "¿Dónde vive el lince?",
            "El lince vive en el monte bajo del sur.",
            "El gato montés se parece al lince y vive en el bosque.",
        ),
    ],
)
def test_a_sentence_on_a_thing_like_the_one_asked_about_is_at_fault(
    question: str, on_thing: str, on_other: str
) -> None:
    sources: list[Json] = [
        {"title": "t", "passages": [{"id": "p00000001", "text": f"{on_thing} {on_other}"}]}
    ]
    marked = mark_faults(question, find_quotes(question, sources), sources, ())
    at_fault = {quote.text for quote in marked if "of a thing like it" in quote.faults}
    assert at_fault == {on_other}


def test_likeness_is_no_fault_where_it_is_asked_for() -> None:
    text = "White spongy growth that resembles dry rot is often cellar mould."
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    question = "What can be mistaken for dry rot?"
    marked = mark_faults(question, find_quotes(question, sources), sources, ())
    assert [quote.faults for quote in marked if "of a thing like it" in quote.faults] == []


@pytest.mark.parametrize(
    ("question", "general", "of_study"),
    [
        (
            "How long do tyres last?",
            "Tyres last about 4 years on most cars.",
            "A recent study of 40 drivers found that tyres last 6 years.",
        ),
        (
            "How deep do otters dive?",
            "Otters dive as deep as ten metres.",
            "Another survey in one bay showed that otters dive eighteen metres.",
        ),
        (
            "Wie lange halten Reifen?",
            "Reifen halten bei den meisten Autos 4 Jahre.",
            "Eine Studie mit 40 Fahrern ergab, dass Reifen sechs Jahre halten.",
        ),
        (
            "Combien de temps durent les pneus ?",
            "Les pneus durent en général 4 ans.",
            "Une étude récente a montré que les pneus durent six ans.",
        ),
        (
            "¿Cuánto duran los neumáticos?",
            "Los neumáticos duran unos 4 años en general.",
            "Un estudio de 40 coches encontró que los neumáticos duran 6 años.",
        ),
    ],
)
def test_what_one_study_found_comes_behind_what_holds_in_general(
    question: str, general: str, of_study: str
) -> None:
    assert chosen_texts(question, f"{of_study} {general}")[0] == general
