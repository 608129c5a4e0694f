"""Sentences with a fault are dropped if there are others, and each fault is named."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from research_core.model_messages import Json
from research_core.text.quotable import Quote
from research_core.text.quote_choice import choose_quotes
from research_core.text.quote_faults import find_introduced_thing, find_narrowing, mark_faults
from research_core.text.quote_scores import find_quotes, find_topic_synonyms


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


def test_if_no_sentence_tells_of_the_side_all_are_kept() -> None:
    text = "Gout was known to the Greeks of old. Gout was called the disease of kings."
    assert len(texts_on_point("How is gout diagnosed?", [("Gout", text)])) == 2


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


FAULTY_ON_WINTER_RUST = [
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


@pytest.mark.parametrize(("text", "fault"), FAULTY_ON_WINTER_RUST)
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
    ("question", "fault", "title", "text", "fit"),
    [
        (
            "How is rice paper made?",
            "of a wider thing",
            "Paper",
            "Pulp is pressed and dried on a wire of steel.",
            "Rice paper is pressed and dried on a wire of steel.",
        ),
        (
            "What causes hoar frost?",
            "of a wider thing",
            "Frost (Causes)",
            "Cold nights without wind are the usual causes.",
            "Cold nights without wind are the usual causes of hoar frost.",
        ),
        (
            "How is a student loan repaid?",
            "of other kinds than those before it",
            "Loans",
            "Repayment of other student loans begins with the first wage.",
            "Repayment of student loans begins with the first wage.",
        ),
        (
            "Wie wird Beton repariert?",
            "of other kinds than those before it",
            "Beton",
            "Reparaturen von anderem Beton beginnen mit der Bewehrung.",
            "Kalk und anderer Beton werden mit Mörtel repariert.",
        ),
        (
            "Comment réparer le béton ?",
            "of other kinds than those before it",
            "Béton",
            "La réparation des autres bétons commence par les fers.",
            "Le plâtre et les autres bétons se réparent avec du mortier.",
        ),
        (
            "How is rust treated?",
            "of a kind of the thing",
            "Rust",
            "Mild rust is treated with a brush of steel.",
            "Rust is treated with a brush of steel.",
        ),
        (
            "What causes frost heave?",
            "of a kind of the thing",
            "Frost heave C",
            "Water in silt causes the lift of roads.",
            "Frost heave is caused by water in silt.",
        ),
    ],
)
def test_sentences_on_a_narrower_or_wider_thing_have_a_fault(
    question: str, fault: str, title: str, text: str, fit: str
) -> None:
    whole = question.removesuffix("?").removeprefix("How is ").removeprefix("What causes ")
    titles = [title, " ".join(whole.removesuffix(" made").split())]
    sources: list[Json] = []
    for number, (name, body) in enumerate(zip(titles, (f"{text} {fit}", fit), strict=True)):
        sources.append({"title": name, "passages": [{"id": f"p0000000{number}", "text": body}]})
    marked = mark_faults(question, find_quotes(question, sources), sources, ())
    of_first = {quote.text: quote.faults for quote in marked if quote.source == 0}
    assert fault in of_first[text]
    assert fault not in of_first[fit]


@pytest.mark.parametrize(
    ("question", "of_kind", "weak"),
    [
        (
            "What are the symptoms of rust?",
            "Signs of severe rust are holes and flakes of metal.",
            "Rust was counted on each of the old cars.",
        ),
        (
            "What causes frost heave?",
            "Severe frost heave is caused by water in silt.",
            "Frost heave was measured on the roads of the north.",
        ),
        (
            "How is hearing loss treated?",
            "Mild hearing loss is treated with a small device.",
            "Hearing loss was counted in the towns of the coast.",
        ),
    ],
)
def test_a_kind_is_told_where_no_plain_sentence_answers(
    question: str, of_kind: str, weak: str
) -> None:
    assert chosen_texts(question, f"{weak} {of_kind}")[0] == of_kind


def test_a_kind_is_not_told_where_a_plain_sentence_answers() -> None:
    plain = "Hearing loss is treated with a device in the ear."
    text = f"Mild hearing loss is treated with a small device. {plain}"
    assert chosen_texts("How is hearing loss treated?", text) == [plain]
