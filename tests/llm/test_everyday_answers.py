"""Questions of every day, beside health: the first two sentences of the report answer."""

from __future__ import annotations

import pytest

from research_core.llm.offline_writer import write_report
from research_core.model_messages import Json

#: A question, (title, text) of pages, and how a sentence that answers begins.
EVERYDAY: list[tuple[str, list[tuple[str, str]], str]] = [
    (
        "What is the penalty for driving without insurance in Ohio?",
        [
            (
                "Driving without insurance in Ohio | Auto Law Desk",
                "Driving without insurance in Ohio: Ohio requires every driver to carry"
                " liability insurance. Insurance rates rose in Ohio last year. The "
                "penalty for a first offense is a suspended license for up to one year "
                "and a fee of $100 to get it back. A second offense within five years "
                "leads to a suspension of one year and a fee of $300. Ask an attorney "
                "before you answer the notice.",
            ),
            (
                "Car insurance basics",
                "Car insurance pays for damage to other people and their cars. Drivers "
                "caught without insurance may also have their plates taken by the "
                "state. Our guide explains how to choose a policy.",
            ),
        ],
        "The penalty for a first offense is a suspended license",
    ),
    (
        "I bought a new truck in March and the transmission has been in the shop four "
        "times, the dealer keeps telling me that it is normal. My cousin says there is "
        "a lemon law. What do I need to do to qualify for the lemon law?",
        [
            (
                "Transmission problems",
                "A slipping transmission often needs new fluid. The transmission sends "
                "the power of the engine to the wheels. Repairs of a transmission cost "
                "$1,500 to $4,000.",
            ),
            (
                "Lemon law",
                "A lemon law is a state law that lets the buyer of a defective car get "
                "a refund or another car. To qualify for a refund under a lemon law, "
                "the defect must have been "
                "repaired at least three or four times without success within the first"
                " year. The car must be under warranty when the defect is first "
                "reported. Lemon laws were named after a used car of the sixties. "
                "Dealers dislike them.",
            ),
        ],
        "To qualify for a refund under a lemon law",
    ),
    (
        "how do I get rust off a cast iron pan",
        [
            (
                "Cast iron pan care",
                "Cast iron pans have been made for centuries. Rust on a cast iron pan "
                "can be removed by scrubbing it with steel wool and a little soap. Dry "
                "the pan and rub it with oil at once. Cast iron is heavy. Rust forms "
                "when a wet pan is left in the air.",
            ),
            (
                "Removing rust",
                "Soaking a rusty pan in equal parts of vinegar and water for an hour "
                "loosens the rust. Rust is the red coating of iron oxide on iron.",
            ),
        ],
        "Rust on a cast iron pan can be removed by",
    ),
    (
        "Why does my sourdough bread not rise?",
        [
            (
                "Sourdough bread",
                "Sourdough bread is bread that is raised by wild yeast. The most common"
                " reason why sourdough bread does not rise is a weak starter. Sourdough"
                " bread also fails to rise if the kitchen is too cold, below 20 °C. "
                "Sourdough was baked in Egypt. Sourdough bread is popular in San "
                "Francisco.",
            ),
        ],
        "The most common reason why sourdough bread does not rise",
    ),
    (
        "What are the benefits of a Roth IRA?",
        [
            (
                "Roth IRA",
                "A Roth IRA is a retirement account that is paid into with taxed "
                "income. The main benefit of a Roth IRA is that withdrawals in "
                "retirement are free of tax. Roth IRA savers can take out what they "
                "paid in at any time without a penalty. Roth IRA accounts were created "
                "by a law of 1997. The income limit for a Roth IRA changes every year.",
            ),
            ("IRA limits", "The limit of what may be paid into an IRA was $7,000 in 2024."),
        ],
        "The main benefit of a Roth IRA is",
    ),
    (
        "What is the offside rule in soccer?",
        [
            (
                "Offside",
                "Offside is a rule of soccer that forbids a player to receive the ball "
                "nearer to the goal line than both the ball and the second-last "
                "opponent. Offside decisions are often disputed. Offside was changed in"
                " 1925. Video referees check offside in big leagues.",
            ),
        ],
        "Offside is a rule of soccer that forbids",
    ),
    (
        "What are the requirements for a Schengen visa?",
        [
            (
                "Schengen visa",
                "A Schengen visa lets its holder travel in 29 countries for up to 90 "
                "days. Applicants must show a passport that is valid for three months "
                "after the trip, travel insurance of 30,000 euros and proof of enough "
                "money. A Schengen visa costs 90 euros. The Schengen area is named "
                "after a village in Luxembourg. Applicants for a Schengen visa must "
                "give their fingerprints.",
            ),
        ],
        "Applicants",
    ),
    (
        "How long do I have to return a laptop bought online in the EU?",
        [
            (
                "Returning goods bought online",
                "Shops like to sell online. Buyers in the EU may return a laptop bought"
                " online within 14 days of delivery without giving a reason. The seller"
                " must pay the money back within 14 days of the notice. Laptops are "
                "among the goods most often bought online. Returns cost sellers a lot.",
            ),
        ],
        "Buyers in the EU may return a laptop",
    ),
    (
        "What causes a memory leak in a Python program?",
        [
            (
                "Memory leaks",
                "A memory leak is memory that a program no longer needs and does not "
                "give back. A memory leak in a Python program is caused by references "
                "that are kept in global lists or caches. Python was written by Guido "
                "van Rossum. A memory leak makes a program slow in the end. Reference "
                "cycles with objects that define finalizers can also leak memory.",
            ),
        ],
        "A memory leak in a Python program is caused by",
    ),
    (
        "Is it safe to eat raw cookie dough?",
        [
            (
                "Raw cookie dough",
                "Cookie dough is loved by children. Raw cookie dough can make you sick "
                "because raw eggs may hold salmonella and raw flour may hold E. coli. "
                "Some shops sell cookie dough that is safe to eat raw because its flour"
                " is heated and it has no eggs. Cookie dough ice cream was invented in "
                "Vermont.",
            ),
        ],
        "Raw cookie dough can make you sick",
    ),
    (
        "heat pump or gas boiler",
        [
            (
                "Heat pump",
                "A heat pump gives three to four units of heat for each unit of "
                "electricity. The cost of installing a heat pump is about 10,000 "
                "pounds. A heat pump lasts for 20 years.",
            ),
            (
                "Gas boiler",
                "A gas boiler gives about 0.9 units of heat for each unit of gas. The "
                "cost of installing a gas boiler is about 2,500 pounds. A gas boiler "
                "lasts for 10 to 15 years.",
            ),
        ],
        "| Cost of installing |",
    ),
    (
        "My laptop is three years old and the battery is empty after an hour, I use it "
        "on the train every day and carry a charger. How much does a new laptop battery"
        " cost?",
        [
            (
                "Laptop battery",
                "A laptop battery holds its charge for about 500 cycles. A new laptop "
                "battery costs between $40 and $130. Laptop batteries are made of "
                "lithium cells. Trains often have sockets.",
            ),
            (
                "Laptop chargers",
                "A laptop charger turns the current of the mains into that of the laptop.",
            ),
        ],
        "A new laptop battery costs between",
    ),
    (
        "What is the treatment for woodworm?",
        [
            (
                "Woodworm",
                "Woodworm is the larva of beetles that eat wood. Woodworm is treated "
                "with an insecticide that is brushed or sprayed on the bare wood. There"
                " is no need to treat old holes without fresh dust. Many people ask how"
                " woodworm is treated. Woodworm was found in a ship of the king.",
            ),
        ],
        "Woodworm is treated with an insecticide",
    ),
]


def find_first_lines(report: str) -> list[str]:
    """Return the first two quoted sentences, or the rows of a table."""
    lines = report.split("## Conflicting")[0].splitlines()
    rows = [line for line in lines if line.startswith("| ") and "[p" in line]
    return rows or [line for line in lines if line.startswith("- ")][:2]


@pytest.mark.parametrize(("question", "pages", "answer"), EVERYDAY)
def test_one_of_the_first_two_sentences_answers(
    question: str, pages: list[tuple[str, str]], answer: str
) -> None:
    sources = [
        {"title": title, "passages": [{"id": f"p{number:08x}", "text": text}]}
        for number, (title, text) in enumerate(pages)
    ]
    inputs: Json = {
        "question": question,
        "limited": True,
        "dropped": [],
        "sub_questions": [],
        "sources": sources,
    }
    first = find_first_lines(write_report(inputs))
    assert any(answer in line for line in first), first
