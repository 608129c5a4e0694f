"""Texts that are no whole sentences, or hold at a time that they do not state."""

from __future__ import annotations

import pytest

from research_core.model_messages import Json
from research_core.text.quotable import Quote
from research_core.text.quote_faults import mark_faults
from research_core.text.quote_scores import find_quotes
from research_core.text.sentence_faults import tells_former_belief, tells_undated_state


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
        ("Oils that you rub into the iron against rust.", "is no whole sentence"),
        ("Tools to remove rust from a gate (sometimes).", "is no whole sentence"),
        ("Plants that lack iron wilt.", ""),
        ("Owners who oil iron sleep better.", ""),
        ("Oils that you rub into the iron stop rust for years.", ""),
        ("Paints to slow down rust are sold in tins.", ""),
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
    ("question", "text", "is_former"),
    [
        ("What causes rust?", "Rust was commonly thought to be caused by the moon.", True),
        ("What causes rust?", "Rust was once believed to come from iron worms.", True),
        ("Was ist Rost?", "Rost galt lange als eine Krankheit des Eisens.", True),
        ("Qu'est-ce que la rouille ?", "On croyait longtemps que la rouille venait du bois.", True),
        ("¿Qué es el óxido?", "Se creía que el óxido era una planta.", True),
        (
            "What causes rust?",
            "Rust was once thought to come from worms, but it is an oxide.",
            False,
        ),
        ("What was rust thought to be?", "Rust was once thought to be a plant.", False),
        ("What causes rust?", "Rust is thought to need water and air.", False),
        ("What causes rust?", "Salt is believed to speed rust up.", False),
        ("Was Byron poisoned?", "Byron was believed to have been bled to death.", False),
        ("Who invented the lens?", "The lens was thought to be of glass.", False),
        ("What dose of iron is safe?", "A dose of 9 mg was considered to be safe.", False),
    ],
)
def test_a_former_belief_is_no_answer(question: str, text: str, is_former: bool) -> None:
    assert tells_former_belief(question, text) == is_former
