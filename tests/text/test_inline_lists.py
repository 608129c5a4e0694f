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
            " Notices by phone are void in most courts.",
            "A notice to quit must state: The name of the tenant; The day of leaving; The reason.",
        ),
        (
            "Symptoms of lead poisoning include: - Cramps - Headache - Pale skin Adults recover slowly.",
            "Symptoms of lead poisoning include: Cramps; Headache; Pale skin.",
        ),
    ],
)
def test_a_list_in_one_line_is_quoted_with_its_lead_in(text: str, quoted: str) -> None:
    assert quoted in quoted_texts(text)


def test_a_heading_before_a_lead_in_in_the_same_words_is_left_out() -> None:
    text = "Repairs of a cracked sill Repairs of a cracked sill may include: - Welding - A new sill"
    assert quoted_texts(text) == ["Repairs of a cracked sill may include: Welding; A new sill."]


def test_what_explains_an_item_is_a_sentence_of_its_own() -> None:
    text = (
        "A lender may ask for: - A deposit. Large banks often require a deposit of a fifth. - A job"
    )
    assert "Large banks often require a deposit of a fifth." in quoted_texts(text)


def test_what_follows_a_list_in_one_line_is_a_sentence_of_its_own() -> None:
    text = "A will needs: - A date - Two witnesses Notaries keep the wills of most people."
    assert "Notaries keep the wills of most people." in quoted_texts(text)


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
