"""Lists that were folded into one line are put on lines of their own."""

from __future__ import annotations

import pytest

from research_core.model_messages import Json
from research_core.text.inline_lists import unfold_lists
from research_core.text.quotable import list_quotes


def quoted_texts(text: str, title: str = "t") -> list[str]:
    sources: list[Json] = [{"title": title, "passages": [{"id": "p00000001", "text": text}]}]
    return [quote.text for quote in list_quotes(sources)]


@pytest.mark.parametrize(
    ("line", "unfolded"),
    [
        (
            "A tenant may ask for: - Repairs - Heating - A receipt",
            "A tenant may ask for:\n- Repairs\n- Heating\n- A receipt",
        ),
        (
            "Signs of a worn clutch include: - Slipping - A burnt smell Most clutches last long.",
            "Signs of a worn clutch include:\n- Slipping\n- A burnt smell\n\nMost clutches last long.",
        ),
        (
            "Fees include: - Postage - Storage Costs of the sale may include: - Tax - Stamps",
            "Fees include:\n- Postage\n- Storage\n\nCosts of the sale may include:\n- Tax\n- Stamps",
        ),
        (
            "Scurvy shows as: - Bleeding. The gums swell. - Pain. The legs ache.",
            "Scurvy shows as:\n- Bleeding. The gums swell.\n- Pain.\n\nThe legs ache.",
        ),
        (
            "Repairs include: - Brakes - worn or bent - are changed - Tyres - Lamps",
            "Repairs include:\n- Brakes - worn or bent - are changed\n- Tyres\n- Lamps",
        ),
        ("The ratio is 3: 1 - as in most doughs.", "The ratio is 3: 1 - as in most doughs."),
        ("No list - only a remark - stands here.", "No list - only a remark - stands here."),
    ],
)
def test_a_list_in_one_line_gets_its_lines_back(line: str, unfolded: str) -> None:
    assert unfold_lists(line) == unfolded


@pytest.mark.parametrize(
    "line",
    [
        # A name in the last item, or a sentence run into it.
        "Bring: - a passport - proof of his National Insurance number. The fee is $30.",
        "Fit: - new pads - a disc that an original Brembo supplier has made.",
        "Stir in: - brown sugar - two spoons of warm Lyle’s Golden Syrup at the end.",
        "Apportez : les papiers: - une facture - une lettre du premier Bureau de poste",
        "Ask: - the neighbours - the guests who Mr Jones knew well",
        "Install: - the driver - the latest Visual Studio runtime of the maker",
        "He has won: - two medals - the first Premier League title of the club",
        "Check for: - rust - low vitamin A levels in the feed",
        # Dashes between figures, around a parenthesis, and signs of a formula.
        "The results were: - Arsenal 2 - 1 Chelsea",
        "Open: - 9 - 5",
        "It costs: - 2 - 3 dollars",
        "A director owes: – care – in law",
        "The duty: – in law – is owed to all",
        "A contract: - in most states - is binding once signed",
        "The volume is: * a * b * c",
        "The rate is: - x = 3 - y",
    ],
)
def test_a_line_in_which_items_are_unclear_stays_as_it_is(line: str) -> None:
    assert unfold_lists(line) == line or unfold_lists(line).count("\n- ") == 1


@pytest.mark.parametrize(
    ("line", "items"),
    [
        (
            "Bring: - a passport - proof of his National Insurance number The fee is $30.",
            ["a passport", "proof of his National Insurance number"],
        ),
        (
            "Scores: - Ajax 2 - 1 PSV - Feyenoord 0 - 0 Utrecht",
            ["Ajax 2 - 1 PSV", "Feyenoord 0 - 0 Utrecht"],
        ),
        (
            "Open: - Monday 9 am - 5 pm - Tuesday 9 am - 4 pm",
            ["Monday 9 am - 5 pm", "Tuesday 9 am - 4 pm"],
        ),
        ("You need: - 2 eggs - 3 apples - a pan", ["2 eggs", "3 apples", "a pan"]),
        (
            "An owner pays for: – the roof – the stairs – the lift",
            ["the roof", "the stairs", "the lift"],
        ),
        (
            "A tenant pays for: - light – in the flat – and gas - water",
            ["light – in the flat – and gas", "water"],
        ),
        ("Pick a coat that: - is warm - is dry - has a hood", ["is warm", "is dry", "has a hood"]),
    ],
)
def test_items_are_split_at_the_sign_of_the_first_one(line: str, items: list[str]) -> None:
    made = [part[2:] for part in unfold_lists(line).split("\n") if part.startswith("- ")]
    assert made == items


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "Signs of a worn clutch include: - Slipping in high gear - A burnt smell - A soft pedal",
            "Signs of a worn clutch include: Slipping in high gear; A burnt smell; A soft pedal.",
        ),
        (
            "Costs of a house sale include: - Stamp duty. It is 3 percent. - Notary. He is paid last."
            " - Survey. It takes a day.",
            "Costs of a house sale include: Stamp duty; Notary; Survey.",
        ),
        (
            "A sponge cake fails because of: - cold eggs; or - stale flour; or - an open oven door.",
            "A sponge cake fails because of: cold eggs; stale flour; an open oven door.",
        ),
        (
            "A notice to quit must state: - The name of the tenant - The day of leaving - The reason"
            " Some notices by phone are void in most courts.",
            "A notice to quit must state: The name of the tenant; The day of leaving; The reason.",
        ),
        (
            "Symptoms of lead poisoning include: - Cramps - Headache - Pale skin Most adults recover slowly.",
            "Symptoms of lead poisoning include: Cramps; Headache; Pale skin.",
        ),
    ],
)
def test_a_list_in_one_line_is_quoted_with_its_lead_in(text: str, quoted: str) -> None:
    assert quoted in quoted_texts(text)


def test_a_heading_before_a_lead_in_in_the_same_words_is_left_out() -> None:
    text = "Repairs of a cracked sill Repairs of a cracked sill may include: - Welding - A new sill"
    assert quoted_texts(text) == ["Repairs of a cracked sill may include: Welding; A new sill."]


def test_sentences_that_end_an_open_lead_in_are_quoted_with_it() -> None:
    text = (
        "Iron can rust if: - The paint is cracked. Paint keeps air away. - Salt water reaches the"
        " iron. - The hall is not heated in winter."
    )
    listed = (
        "Iron can rust if: The paint is cracked; Salt water reaches the iron; The hall is not heated"
        " in winter."
    )
    assert listed in quoted_texts(text)
    assert "Salt water reaches the iron." not in quoted_texts(text)


def test_what_explains_an_item_is_a_sentence_of_its_own() -> None:
    text = (
        "A lender may ask for: - A deposit. Large banks often require a deposit of a fifth. - A job"
    )
    assert "Large banks often require a deposit of a fifth." in quoted_texts(text)


def test_what_follows_a_list_in_one_line_is_a_sentence_of_its_own() -> None:
    text = "A will needs: - A date - Two witnesses The notary keeps the wills of most people."
    assert "The notary keeps the wills of most people." in quoted_texts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Call the garage if:\n- The engine does not start after two days.\n- The brakes are soft.",
        "The bank may:\n- The loan is called in by the bank at once.\n- Fees are added to the loan.",
        "Stop cooking when:\n- The sauce does not stick to the spoon.\n- The rice has burst open.",
        "A lease ends if: - The tenant has not paid for two months - The house is sold",
        "See a doctor when: - A cough does not go away after 3 weeks - The fever is high",
    ],
)
def test_an_item_that_continues_its_lead_in_is_not_quoted_alone(text: str) -> None:
    assert all(":" in quoted for quoted in quoted_texts(text))


def test_a_long_list_is_quoted_as_far_as_a_sentence_may_be_long() -> None:
    item = "a plank of old oak that came from the hull of a ship"
    text = "The cabin is made of: " + " ".join(f"- {item} number {n}" for n in range(8))
    (quoted,) = quoted_texts(text)
    assert quoted.endswith("; and more.")
    assert len(quoted.split()) <= 60
