"""What speaks for and what against the supposition of a yes-or-no question."""

from __future__ import annotations

import pytest

from research_core.llm.opposing_sides import choose_opposing, find_opposing_side
from research_core.text.quotable import Quote
from tests.llm.test_offline_writer import section, write_about

FOR, AGAINST = "Speaks for", "Speaks against"
SIDES = [
    ("Does zinc prevent colds?", "Zinc prevents colds if it is taken early.", "", ""),
    ("Does zinc prevent colds?", "In a trial of 2019 zinc prevented colds.", "", FOR),
    ("Does zinc prevent colds?", "Zinc does not prevent colds in most people.", "", AGAINST),
    (
        "Does zinc prevent colds?",
        "A review found no evidence that zinc prevents colds.",
        "",
        AGAINST,
    ),
    ("Does zinc prevent colds?", "Many people believe that zinc prevents colds.", "", ""),
    ("Does zinc prevent colds?", "It is unclear whether zinc prevents colds.", "", ""),
    ("Does zinc prevent colds?", "Zinc is a metal that galvanises steel.", "", ""),
    ("Does zinc prevent colds?", "Zinc shortens colds by a day.", "", ""),
    ("Is cork good for floors?", "Cork is bad for the floors of wet rooms.", "", AGAINST),
    ("Is cork good for floors?", "Cork dents under heavy feet.", "Disadvantages", AGAINST),
    ("Is cork good for floors?", "Cork is good for floors in every room.", "Kritik", AGAINST),
    ("Is cork good for floors?", "Cork is good for floors in every room.", "Myths", ""),
    ("Is a toll a tax?", "A toll is a tax on poor drivers.", "Criticism", ""),
    ("Can hens eat rhubarb?", "Hens should never eat rhubarb.", "", AGAINST),
    ("Can hens eat rhubarb?", "Some hens eat rhubarb without any sign of illness.", "", ""),
    ("Should towns ban mopeds?", "Two towns banned mopeds and became quiet.", "", ""),
    ("Should towns ban mopeds?", "Towns should ban mopeds, says the mayor.", "", FOR),
    ("Should towns ban mopeds?", "Towns should not ban mopeds.", "", AGAINST),
]


def quote(text: str, heading: str = "", order: int = 0) -> Quote:
    return Quote(text, f"p{order:08x}", order, order, firm=True, heading=heading)


@pytest.mark.parametrize(("question", "text", "heading", "side"), SIDES)
def test_what_a_sentence_speaks_for(question: str, text: str, heading: str, side: str) -> None:
    assert find_opposing_side(question, quote(text, heading)) == side


def test_both_sides_are_shown_or_none_and_the_side_of_the_best_sentence_is_first() -> None:
    texts = [text for question, text, _, _ in SIDES if question == "Does zinc prevent colds?"]
    body = [quote(text, order=order) for order, text in enumerate(texts)]
    shown = choose_opposing("Does zinc prevent colds?", body, 1)
    assert {side: [each.order for each in group] for side, group in shown.items()} == {
        FOR: [1],
        AGAINST: [2],
    }
    assert list(choose_opposing("Does zinc prevent colds?", body[::-1], 1)) == [AGAINST, FOR]
    assert choose_opposing("Does zinc prevent colds?", body[:2], 1) == {}
    assert choose_opposing("What does zinc prevent?", body, 1) == {}


def test_the_summary_shows_what_speaks_for_and_what_against_under_lines_of_their_own() -> None:
    text = write_about(
        "Does zinc prevent colds?",
        ("Zinc", "A trial of 2019 found that zinc prevents colds in children of school age."),
        (
            "Zinc and colds",
            "## Criticism\n\nZinc did not prevent the colds of 400 soldiers in the winter of 1998.",
        ),
        ("Review", "A review of 2022 found no evidence that zinc prevents colds."),
    )
    summary = section(text, "Executive Summary")
    before, _, after = summary.partition("Speaks against:\n\n")
    assert "Speaks for:\n\n- A trial of 2019" in (before if "Speaks for:" in before else after)
    assert (
        "- *Argument against, under “Criticism”:* Zinc did not prevent the colds of 400"
        " soldiers" in after
    )
    assert "- A review of 2022 found no evidence" in after
    assert text.count("A trial of 2019") == 1


def test_what_speaks_on_one_side_only_has_no_line_in_the_summary() -> None:
    text = write_about(
        "Does zinc prevent colds?",
        ("Zinc", "A trial of 2019 found that zinc prevents colds in children of school age."),
        ("Colds", "A cold lasts seven days, and zinc is sold against it in every town."),
    )
    assert "Speaks" not in section(text, "Executive Summary")
