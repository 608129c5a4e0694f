"""Which sentences and lists of a passage can be quoted, and which stand alone."""

from __future__ import annotations

import pytest

from research_core.model_messages import Json
from research_core.text.quotable import (
    FIRST_FORMS,
    WRITTEN_FORMS,
    can_be_quoted,
    find_introduction,
    is_imperative,
    list_quotes,
    points_back,
    split_title,
    stands_alone,
    stands_alone_on_page,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("People with this condition typically see little in low light.", True),
        ("Owners of this device often lose the first key.", True),
        ("The fees under this law rose to 40 euros in 2019.", True),
        ("Most children outgrow this disorder by the age of six.", True),
        ("Farmers who spray this product lose less grain.", True),
        ("This condition is rare in adults.", False),
        ("Many pumps with these problems are sold.", False),
        ("Farmers who use such methods lose less soil.", False),
        ("People with this trait live longer.", False),
        ("Because of this, many pipes burst.", False),
    ],
)
def test_this_kind_of_thing_is_known_where_the_page_is_about_it(
    text: str, *, expected: bool
) -> None:
    assert stands_alone_on_page(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "The causes of this condition are not known to anyone.",
        "Because of these storms the harbour was closed for a week.",
        "If you have it, a warm bath can help with the pain.",
        "When they eat bread, people with the condition feel ill.",
        "Doctors call it the kissing disease of young people.",
        "You will not feel any pain because of this medicine.",
        "The effects of such a tax on rents are disputed.",
        "Some of those bridges were built by the Romans.",
        "Most surveyors therefore count from the old stone.",
        "Local writers count it among the songs of the harbour.",
        "Caused by rust, this weakness was found only in the spring.",
        "After the war, they moved the archive to another town.",
        "The symptoms listed below can occur with lead in the water.",
        "Three of the methods described above need no tools at all.",
        "Paint the frame with one of the oils shown here.",
        "The above-mentioned rules hold for boats as well.",
        "A builder can use the table below to find the load of a beam.",
    ],
)
def test_a_sentence_that_points_back_does_not_stand_alone(text: str) -> None:
    assert not stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tides are caused by the pull of the moon and the sun.",
        "People with this year's licence may fish in the lake.",
        "Fruits such as oranges and lemons prevent scurvy.",
        "When it comes to rent, Lisbon is dearer than Porto.",
        "Bleaching kills corals, and the recovery from this loss takes decades.",
        "Those who cycle to work live longer than those who drive.",
        "Steep banks make it hard to land a boat on that shore.",
        "The river floods its banks when the snow melts in May.",
    ],
)
def test_a_sentence_that_names_its_subject_stands_alone(text: str) -> None:
    assert stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Symptoms Symptoms of lead poisoning include cramps and fatigue.",
        "Side Effects The drug may cause dizziness and dry mouth.",
        "The Spirometry Test To confirm asthma, a doctor measures the breath.",
        "SURGERY Bariatric operations can reduce the size of the stomach.",
        "Endocrine disorders Because the thyroid makes hormones, it sets the pace.",
        "By Maria Costa, staff writer of the harbour gazette of Porto.",
        "Figure 3. Mean annual rainfall of the northern provinces.",
        "Photo credit: the harbour museum and its many friends.",
        "Admission is free and the doors open at 7 pm on Thursday.",
        "Tickets for the lecture on tides cost 12 euros, from Friday.",
        "Smith J, Jones K. Tides of the north. J Mar Sci. 2011;12(3):45-51.",
        "Central heating Solar heating Heating with wood When you burn wood, smoke rises.",
        "For more information about the vaccine, see the chapter on prevention.",
        "Add to cart a bag of the best compost for your roses.",
        "When to see a builder Damp rot is usually found in spring.",
        "How to store it Smoked eel keeps for a week in the cellar.",
        "Hard, Soft, and Blue Cheese Storage of hard, soft and blue cheese may differ.",
        "Roofs of Slate Repair of roofs of slate should begin in summer.",
    ],
)
def test_headings_captions_bylines_and_notices_are_not_quoted(text: str) -> None:
    assert not can_be_quoted(text)


@pytest.mark.parametrize(
    "text",
    [
        "By 2030 the port will handle twice as many ships as today.",
        "In 2016 The Hague moved its archive to the new building.",
        "The free tickets were given to schools by the city in spring.",
        "NASA landed a rover on Mars in the winter of 2021.",
        "Vitamin A is stored in the liver for several months.",
        "Doctors in The Netherlands prescribe fewer antibiotics than others.",
        "New York State Police officers in New York were paid more that year.",
        "Queen Anne Stuart was the last queen of her house to rule.",
        "When to plant garlic depends on the frost of the region.",
    ],
)
def test_sentences_that_look_like_these_are_quoted(text: str) -> None:
    assert can_be_quoted(text)


def texts_of(passage: str) -> list[str]:
    """Return what can be quoted of one passage."""
    sources = [{"title": "t", "passages": [{"id": "p00000001", "text": passage}]}]
    return [quote.text for quote in list_quotes(sources)]


@pytest.mark.parametrize(
    ("passage", "quoted"),
    [
        (
            "The signs of lead poisoning include:\n\n- cramps\n- fatigue\n- a pale skin",
            "The signs of lead poisoning include: cramps; fatigue; a pale skin.",
        ),
        (
            "## Ingredients of a good compost\n\n- dry leaves\n- grass\n- egg shells",
            "Ingredients of a good compost: dry leaves; grass; egg shells.",
        ),
        (
            "A permit is needed by:\n\n- bakeries with seats\n- bars and clubs\n- food trucks",
            "A permit is needed by: bakeries with seats; bars and clubs; food trucks.",
        ),
    ],
)
def test_a_list_is_quoted_with_its_lead_in(passage: str, quoted: str) -> None:
    assert quoted in texts_of(passage)


@pytest.mark.parametrize(
    "passage",
    [
        "## By season\n\n- Spring: prune the roses\n- Autumn: rake the leaves\n- Winter: rest",
        "## How the two differ\n\n- Instruments:\n- Rhythm:\n- Dance and dress:",
        "## Care of roses\n\n- The roots are shallow.\n- Water is needed daily.\n- They hate lime.",
        "They are:\n\n- red roses\n- white lilies\n- yellow tulips and more",
        "These include:\n\n- red roses\n- white lilies\n- yellow tulips and more",
        "Types of roses in one garden:\n\n- climbing roses",
        "## Take care of them\n\n- Use gloves\n- Cut the stems\n- Water the roots",
    ],
)
def test_items_that_do_not_continue_a_lead_in_make_no_list(passage: str) -> None:
    assert not any("; " in text for text in texts_of(passage))


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("Talk to your landlord before you paint the walls.", True),
        ("Do not mix bleach with other cleaning products.", True),
        ("Measure the depth of the soil before planting.", True),
        ("Test results show that the bridge is safe for lorries.", False),
        ("Plants need light for several hours of each day.", False),
        ("Use of the old bridge ended in the spring of 1911.", False),
    ],
)
def test_which_sentences_tell_their_reader_what_to_do(text: str, is_order: bool) -> None:
    assert is_imperative(text) is is_order


@pytest.mark.parametrize(
    ("text", "title", "parts"),
    [
        (
            "Dry rot: Dry rot is a fungus that eats timber.",
            "Dry rot",
            ("Dry rot", "Dry rot is a fungus that eats timber."),
        ),
        (
            "Dry rot (Causes): Wet walls feed the fungus.",
            "Dry rot (Treatment) | Example House",
            ("Dry rot (Causes)", "Wet walls feed the fungus."),
        ),
        (
            "Heat pump (How much does it cost?): A pump costs 9,000 euros.",
            "What is a heat pump?",
            ("Heat pump (How much does it cost?)", "A pump costs 9,000 euros."),
        ),
        (
            "Tide (sea) (Causes): The moon pulls at the sea.",
            "Tide (sea)",
            ("Tide (sea) (Causes)", "The moon pulls at the sea."),
        ),
        (
            "Dry rot — Causes: Wet walls feed the fungus.",
            "Dry rot",
            ("Dry rot — Causes", "Wet walls feed the fungus."),
        ),
        (
            "Hausbock – Was tun?: Der Käfer frisst Holz.",
            "Hausbock",
            None,
        ),
        ("Hausbock: Der Käfer frisst Holz.", "Hausbock", ("Hausbock", "Der Käfer frisst Holz.")),
        ("Rouille: 5 pour cent du fer.", "La rouille", ("Rouille", "5 pour cent du fer.")),
        ("Note: Dry rot is a fungus that eats timber.", "Dry rot", None),
        ("Dry rot: a guide for owners of old houses.", "Dry rot", None),
        ("Dry rot is bad: Wet walls feed the fungus.", "Dry rot", None),
    ],
)
def test_the_title_before_a_sentence_is_its_heading(
    text: str, title: str, parts: tuple[str, str] | None
) -> None:
    assert split_title(text, title) == parts


def test_a_sentence_is_quoted_without_the_title_before_it() -> None:
    text = "Dry rot (Causes): Wet walls without air feed the fungus."
    passage: Json = {"id": "p1", "text": text}
    (quote,) = list_quotes([{"title": "Dry rot", "passages": [passage]}])
    assert (quote.heading, quote.text) == (
        "Dry rot (Causes)",
        "Wet walls without air feed the fungus.",
    )
    assert (quote.above, quote.whole) == ("", text)


@pytest.mark.parametrize(
    "text",
    [
        "Treatments for mild gout Signs and symptoms of gout are mild in most of the winters.",
        "Possible causes, without frost Corrosion in such pipes is far less common than leaks.",
        "Complete oil change Often, the first thing that a garage does is drain the oil.",
        "Type 2 Loan Type 2 loans are the most common form in the north of the country.",
        "Heating for old flats Flats built before the war need more heat than newer ones.",
        "Screening A skin cancer that is found early is cut out under local anaesthesia.",
        "Stages of a Civil Lawsuit Costs of a lawsuit rise with each of its stages.",
        "Risk factors The risk of a default rises with the age of the loan.",
        "Maintenance The filter of the engine is changed once in every year.",
        "History The offside rule was written down in the year of the cup.",
        "Costs of a recall People who own the car are not charged for the part.",
        "Warranty If the clutch fails within two years, the maker pays for it.",
        "Care at home Call a plumber if the pressure of the boiler falls again.",
        "To read or download the tax guide, go to: “Taxes for Small Firms” by the agency.",
        "More detailed information about the causes is available through a page of the office.",
    ],
)
def test_a_heading_run_into_its_sentence_and_a_pointer_are_not_quoted(text: str) -> None:
    assert not can_be_quoted(text)


@pytest.mark.parametrize(
    "text",
    [
        "Symptoms of Parkinson disease include a tremor of the hands at rest.",
        "Doctors in Many Farms see more burns than their colleagues in the city.",
        "The cost of an Audi engine is higher than that of most other engines.",
        "Risk factors for a default include a high rate and a low income.",
        "Screening for skin cancer takes half an hour and costs nothing.",
        "Blood tests show whether the liver has been harmed by the drug.",
        "Vitamin D in milk is added by law in several countries of the north.",
        "First Blood was the first film of the series about a soldier.",
        "The magazine People reported in 2019 that the singer had sold the house.",
        "The charity Women without borders works in nine of the provinces.",
        "Warranty Direct insures used cars of any age against engine faults.",
        "Maintenance Loans are paid to students at the start of each term.",
        "Screening Committee members are chosen by lot in the autumn.",
        "History Channel shows the film about the trial in the spring.",
        "Contents Insurance covers what a tenant has brought into the flat.",
        "About 30 percent of drivers have never changed a tyre by themselves.",
        "Key Bank offers a loan for used cars of up to seven years.",
        "Summary Judgment is granted where no fact of the case is in dispute.",
        "Background Checks are made by most landlords before a lease is signed.",
        "Tests using Selenium are slower than tests of a single function.",
        "Signs near Boston warn drivers of the low bridges by the river.",
        "The site Ask a chef answers what cooks want to know of sauces.",
        "Thank You is the second song on the record of the same year.",
    ],
)
def test_sentences_with_names_and_section_words_are_quoted(text: str) -> None:
    assert can_be_quoted(text)


@pytest.mark.parametrize(
    "text",
    [
        "In other tenants, however, the notice is void from the start.",
        "Other times, there may be two or more loans that could be good for you.",
        "In these cases, the court returns the deposit to the tenant.",
        "A second coat of paint is often needed, however.",
        "The engine of a diesel car, on the other hand, lasts twice as long.",
    ],
)
def test_half_of_a_contrast_does_not_stand_alone(text: str) -> None:
    assert not stands_alone(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The problem most often occurs when the belt is wet.", True),
        ("The device pumps water into the tank for an hour.", True),
        ("The actor plays a judge in both of the films.", True),
        ("The law requires a written notice of three months.", False),
        ("The law requires landlords in Ohio to return a deposit within 30 days.", False),
        ("The court takes at least 60 days to grant a divorce in Texas.", False),
        ("The car needs new engine oil every 10,000 miles.", False),
        ("The team plays its matches in a stadium by the river.", False),
        ("The bank needs a proof of income for each of the years.", False),
        ("The recipe needs 200 grams of butter and four eggs.", False),
        ("The app runs on Linux and on most other systems.", False),
        ("The vaccine provides protection for a season.", True),
        ("The policy ends in 2026 unless it is renewed.", True),
        ("The loan costs more than a credit card in most years.", True),
        ("The test results show whether the pipe leaks.", False),
        ("The drug aspirin thins the blood for a week.", False),
        ("The law of torts requires a fault in most cases.", False),
        ("The car loan costs less than a credit card.", False),
    ],
)
def test_a_kind_of_thing_does_not_say_which_one(text: str, expected: bool) -> None:
    assert points_back(text, "What is asked here?") is expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long does a bail bond last?", "The procedure ends when the bail bond is returned."),
        ("What is a clutch cable?", "The device includes a clutch cable and a pedal."),
        ("How is sourdough made?", "The process starts with a sourdough of the day before."),
        ("What is garbage collection?", "The technique allows garbage collection in steps."),
        ("What is a margin call?", "The firm makes a margin call when prices fall."),
    ],
)
def test_a_kind_of_thing_is_known_where_the_topic_is_named(question: str, text: str) -> None:
    assert not points_back(text, question)


@pytest.mark.parametrize(
    "text",
    [
        "Appeals from the county court go to the Court of Appeal within 21 days.",
        "Half of the fee will go to the seller's agent at the end of the sale.",
        "Drivers in Ohio can get more information about their points online for a fee.",
        "Fans of both clubs visit the grave of the keeper in the spring.",
        "A repair log gives buyers further details on the engine of a used car.",
        "Bake the cookies for twelve minutes until their rims are brown.",
        "Profiling tools give developers additional information about memory use.",
    ],
)
def test_words_of_notices_within_a_sentence_are_quoted(text: str) -> None:
    assert can_be_quoted(text)


@pytest.mark.parametrize(
    "text",
    [
        "Go to the page of the county court to pay a fine by card.",
        "For a list of garages, please visit our page with all of the towns.",
        "More information about the recall can be had from each of the dealers.",
        "The rules of the league stand in full on the page: visit www dot league.",
        "This shop uses cookies to remember what was put into the basket.",
        "For further details on the fund, ask for the prospectus of the year.",
    ],
)
def test_notices_are_not_quoted(text: str) -> None:
    assert not can_be_quoted(text)


@pytest.mark.parametrize(
    "text",
    [
        "A tenant may, however, sublet one room with written consent of the landlord.",
        "A car older than ten years is, however, tested each year in most states.",
        "Fresh yeast can, though, be kept in the freezer for three months.",
        "A credit card debt does, however, lapse after six years in England.",
        "The keeper of a five-a-side team may, however, not leave the area.",
        "A static method can, however, be hidden by one of a subclass.",
    ],
)
def test_however_within_a_sentence_that_names_its_subject_stands_alone(text: str) -> None:
    assert stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Landlords, however, return the deposit within a month.",
        "Most cars, however, are sold within a week of the offer.",
        "This rule of the league is, however, not kept by all clubs.",
        "Such loans are, however, dear in the first of the years.",
        "Some cooks use butter, though.",
    ],
)
def test_a_contrast_at_the_beginning_does_not_stand_alone(text: str) -> None:
    assert not stands_alone(text)


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("There is no known way to prevent dry rot.", True),
        ("There are three kinds of licence for a boat.", True),
        ("There is currently no charge for a library card.", True),
        ("There are also other reasons for this.", False),
        ("There is no cure.", False),
        ("There were those who left before the vote.", False),
        ("The water then returns to the boiler and is heated again.", False),
        ("If rust is seen, the panel is then cut out and replaced.", True),
        ("When sold within a year, however, shares are taxed as income.", False),
        ("A tenant may, however, sublet one room with consent.", True),
    ],
)
def test_what_there_is_stands_alone_and_what_comes_later_does_not(text: str, alone: bool) -> None:
    assert stands_alone(text) == alone
    is_new = text.startswith(("There is no known", "There are three", "There is currently", "The"))
    if is_new and not text.startswith(("There are also", "There is no cure", "There were")):
        assert stands_alone(text, FIRST_FORMS) != alone


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "Travellers are vaccinated against hepatitis A. Bring the card to the gate of the airport.",
            "Travellers are vaccinated against hepatitis A.",
        ),
        (
            "Employers pay the whole of plan B. Members choose a fund of their own each January.",
            "Members choose a fund of their own each January.",
        ),
        (
            "A timing belt lasts for about seven years.17 Owners who tow should change it earlier.",
            "A timing belt lasts for about seven years.",
        ),
        (
            "Oily fish is a good source of vitamin D. Eggs and red meat hold a little of it as well.",
            "Eggs and red meat hold a little of it as well.",
        ),
        (
            "Small boats are moored at the quay of zone C. Larger ships anchor outside of the harbour.",
            "Larger ships anchor outside of the harbour.",
        ),
    ],
)
def test_a_letter_or_footnote_mark_may_end_a_sentence(text: str, quoted: str) -> None:
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    assert quoted in [quote.text for quote in list_quotes(sources)]
    assert quoted not in [quote.text for quote in list_quotes(sources, FIRST_FORMS)]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "The grid carries power from wind and sun.Batteries store what nobody needs at noon.",
            (
                "The grid carries power from wind and sun.",
                "Batteries store what nobody needs at noon.",
            ),
        ),
        (
            "More trains are late in winter than in summer.3,4 Some operators blame wet leaves for it.",
            (
                "More trains are late in winter than in summer.",
                "Some operators blame wet leaves for it.",
            ),
        ),
        (
            "Many of the older members disliked the new rules of the EU. Farmers blocked the roads.",
            ("Many of the older members disliked the new rules of the EU.",),
        ),
        ("Most of the pages of the shop are made with ASP.Net and a little script.", ()),
        ("The hull was painted red by DR. Example of the yard in the spring of 1912.", ()),
        ("Read the notes of java.util.List before a list is shared between threads.", ()),
    ],
)
def test_sentences_that_run_together_are_split_where_they_are_written(
    text: str, quoted: tuple[str, ...]
) -> None:
    """quoted: some of its sentences; () if it is one."""
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    found = [quote.text for quote in list_quotes(sources, WRITTEN_FORMS)]
    assert set(quoted or (text,)) <= set(found)


@pytest.mark.parametrize("item", ["Replace the seal with one of the same width", "Drain the oil"])
def test_longer_items_of_a_list_are_quoted_with_their_lead_in(item: str) -> None:
    long = f"{item} and let the engine cool for an hour before you open the cap of the radiator"
    text = f"To stop the leak, a mechanic may:\n\n- {long}\n- Flush the radiator\n"
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    listed = [quote.text for quote in list_quotes(sources) if quote.is_list]
    assert listed == [f"To stop the leak, a mechanic may: {long}; Flush the radiator."]


@pytest.mark.parametrize(
    ("lead_in", "items", "after"),
    [
        ("Signs of damp include:", ["A wet floor", "Paint that has come off"], "Call a builder."),
        ("The costs of a ferry are:", ["Fuel", "A crew", "Repairs"], "They rise each year."),
        ("Duties of a tenant include:", ["Payment of rent"], "A tenant must pay on time."),
        ("Ways to save a file are:", ["A copy on a disk", "A printed page"], "Is it enough?"),
        ("Zu den Kosten zählen including:", ["Miete", "Strom"], "Das ist teuer, you know."),
    ],
)
def test_a_list_whose_items_are_sentences_is_quoted_with_all_of_them(
    lead_in: str, items: list[str], after: str
) -> None:
    text = f"{lead_in} {'. '.join(items)}. {after}"
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    found = [quote.text for quote in list_quotes(sources, WRITTEN_FORMS) if quote.is_list]
    assert found == ([f"{lead_in} {'; '.join(items)}."] if len(items) > 1 else [])
    assert not [quote for quote in list_quotes(sources) if quote.is_list]


@pytest.mark.parametrize(
    ("passage", "quoted"),
    [
        (
            "- Pumps need care.\n- The usual parts of a pump are:\n- A motor\n- A seal\n"
            "- New parts are sold by their makers.\n",
            "The usual parts of a pump are: A motor; A seal.",
        ),
        (
            "- There are ways to clean marble. - Four usual means are in use: - Soap - Steam"
            " - Chalk - Sand - Wax is sold in shops. - Test it first.",
            "Four usual means are in use: Soap; Steam; Chalk; Sand.",
        ),
        (
            "* Die Heizung ist alt.\n* Zu einer Heizung gehören diese Teile:\n* Kessel\n* Pumpe\n",
            "Zu einer Heizung gehören diese Teile: Kessel; Pumpe.",
        ),
        (
            "- La pompe est neuve.\n- Les pièces de la pompe sont les suivantes :\n- Moteur\n- Joint\n",
            "Les pièces de la pompe sont les suivantes : Moteur; Joint.",
        ),
        (
            "- La bomba es nueva.\n- Las partes de una bomba son las siguientes:\n- Motor\n- Junta\n",
            "Las partes de una bomba son las siguientes: Motor; Junta.",
        ),
    ],
)
def test_an_item_may_be_the_lead_in_of_a_list_of_its_own(passage: str, quoted: str) -> None:
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": passage}]}]
    lists = [quote.text for quote in list_quotes(sources, WRITTEN_FORMS) if quote.is_list]
    assert lists == [quoted]
    assert quoted not in [quote.text for quote in list_quotes(sources)]


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("It is not clear what causes rust on new cars.", True),
        ("It's still unknown why bees leave their hives.", True),
        ("It is possible that rust spreads under paint.", True),
        ("It is not known whether moss harms roofs.", True),
        ("It is thought that mould needs damp walls.", True),
        ("It is a kind of fungus on damp walls.", False),
        ("It is clear and bitter in taste at first.", False),
        ("It is not known by many people in town.", False),
    ],
)
def test_it_may_stand_for_what_follows(text: str, alone: bool) -> None:
    assert stands_alone(text, WRITTEN_FORMS) is alone
    assert not stands_alone(text)


@pytest.mark.parametrize(
    "whole",
    [
        "You may get a headache after the block but this is rare.",
        "Water can run into the cellar after a storm.",
        "The old tenants may keep the keys for a week.",
        "Members can lose their seat after three months.",
        "A wet belt may slip at high speed.",
    ],
)
def test_a_sentence_below_such_an_item_is_quoted_where_no_list_is_made(whole: str) -> None:
    text = (
        f"- It may even go faster. Other rare effects are:\n- {whole}\n- One part breaks. It hurts."
    )
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    assert whole in [quote.text for quote in list_quotes(sources, WRITTEN_FORMS)]


@pytest.mark.parametrize(
    ("item", "heading"),
    [
        ("- Rhythm. The lute keeps four beats to the bar.", "Rhythm"),
        ("* Strings and frets. The lute keeps six courses of gut.", "Strings and frets"),
        ("1. Song. The lute keeps four beats to the bar.", "Song"),
        ("- Étude. The lute keeps four beats to the bar.", "Étude"),
        ("- The strings of a lute are made of gut. The lute keeps six of them.", "The lute"),
        ("- Rhythm is counted. The lute keeps four beats to the bar.", "The lute"),
    ],
)
def test_the_first_words_of_an_item_are_the_heading_of_its_sentences(
    item: str, heading: str
) -> None:
    text = f"## The lute\n\n{item}\n- The oud has no frets. Its neck is short."
    sources = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    found = {quote.text: quote.heading for quote in list_quotes(sources, WRITTEN_FORMS)}
    [own] = [under for sentence, under in found.items() if sentence.startswith("The lute keeps")]
    assert own == heading


@pytest.mark.parametrize(
    ("heading", "is_joined"),
    [
        ("How the lute and the oud differ", False),
        ("Lute versus oud", False),
        ("Differences between them", False),
        ("Parts of a lute", True),
        ("Main qualities of the lute", True),
    ],
)
def test_a_heading_that_compares_is_not_joined_with_what_it_compares_in(
    heading: str, *, is_joined: bool
) -> None:
    items = "- Rhythm. The lute keeps four beats to the bar.\n- Strings. Its six courses are made of gut."
    text = f"## {heading}\n\n{items}"
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    found = [quote.text for quote in list_quotes(sources, WRITTEN_FORMS)]
    assert any("Rhythm; Strings" in sentence for sentence in found) is is_joined
    assert "The lute keeps four beats to the bar." in found


@pytest.mark.parametrize(
    ("before", "order"),
    [
        ("Varnish can harm the lungs.", "Call a doctor if you notice any of these signs:"),
        ("A worn belt is loud.", "Check the engine for the following sounds:"),
    ],
)
def test_an_order_with_a_list_takes_the_statement_before_it(before: str, order: str) -> None:
    text = f"{before} {order}\n- a dry cough\n- whistling\n- short breath\n"
    source = {"title": "Repairs", "passages": [{"id": "p1", "text": text}]}
    lists = [quote for quote in list_quotes([source], WRITTEN_FORMS) if quote.is_list]
    assert [quote.text for quote in lists] == [
        f"{before} {order} a dry cough; whistling; short breath."
    ]
    assert lists[0].firm


def test_an_order_behind_no_statement_stays_without_one() -> None:
    text = "Is it loud? Check the engine for the following sounds:\n- hissing\n- whistling\n"
    source = {"title": "Repairs", "passages": [{"id": "p1", "text": text}]}
    found = list_quotes([source], WRITTEN_FORMS)
    assert not any("Is it loud" in quote.text for quote in found if quote.is_list)


@pytest.mark.parametrize(
    ("before", "text", "is_introduced"),
    [
        ("Each mill has a race beside it.", "The race can carry water past the wheel.", True),
        ("Bakers feed flour to a live starter.", "The starter is kept in a jar.", True),
        ("A dam holds back old, soft silt.", "The silt has filled half of it.", True),
        ("Frost lifts stones out of fields.", "The stones will break a plough.", True),
        ("Doctors use another drug.", "The drug usually works within a week.", True),
        ("The race was dug by monks.", "The race can carry water past the wheel.", False),
        ("Its old starter was thrown away.", "The starter is kept in a jar.", False),
        ("A dam holds back the water.", "The silt has filled half of it.", False),
        ("A mill has a race.", "A race carries the water past the wheel.", False),
        ("Eine Mühle hat einen Graben.", "Der Graben ist tief und wird im Mai geputzt.", False),
    ],
)
def test_a_noun_is_introduced_by_a_sentence_before(
    before: str, text: str, is_introduced: bool
) -> None:
    assert find_introduction(text, [before, "It was so."]) == (before if is_introduced else "")


def test_a_noun_is_introduced_under_the_same_heading_only() -> None:
    passage = "## Races\n\nA mill has a race.\n\n## Wheels\n\nThe race was dug by the monks of old."
    sources: list[Json] = [{"title": "Mills", "passages": [{"id": "p00000001", "text": passage}]}]
    assert [quote.introduced for quote in list_quotes(sources)][-1] == ""


@pytest.mark.parametrize(
    "text",
    [
        "They’re also made of oak in the north of the country.",
        "They've been sold in every town since the war.",
        "He’d built three more of them by the next spring.",
        "We're fitting the last of the valves in the summer.",
        "That's the cheapest way to seal a window frame.",
    ],
)
def test_a_pronoun_with_a_shortened_verb_does_not_stand_alone(text: str) -> None:
    assert not stands_alone(text, WRITTEN_FORMS)


@pytest.mark.parametrize(
    "sentence",
    [
        "Rust is an oxide that forms on wet iron.",
        "Signs of dry rot include a smell of mushrooms.",
        "Der Hausschwamm ist ein Pilz, der Holz zerstört.",
        "La mérule est un champignon qui détruit le bois.",
        "El moho es un hongo que crece en paredes húmedas.",
        "La ruggine è un ossido che si forma sul ferro.",
    ],
)
def test_a_sentence_of_a_list_in_one_line_is_quoted_without_its_sign(sentence: str) -> None:
    before = "Houses were counted in the spring of that year."
    sources: list[Json] = [
        {
            "title": "t",
            "passages": [{"id": "p00000001", "text": f"{before} - {sentence} - {sentence}"}],
        }
    ]
    texts = [quote.text for quote in list_quotes(sources, WRITTEN_FORMS) if quote.firm]
    assert texts == [before, sentence, sentence]
