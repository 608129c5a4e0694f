"""What a question is about, numbers that belong to names, and other names a page declares."""

from __future__ import annotations

import pytest

from research_core.text.question_topic import (
    are_spellings_of_one,
    find_added_names,
    find_missing_names,
    find_missing_things,
    find_numbered_names,
    find_synonyms,
    find_topic,
    find_unquoted_things,
    is_about,
    is_headline,
    keep_titled_words,
    list_asked_titles,
    names_all,
    names_asked_title,
    names_neighbour,
    names_only,
    names_other_number,
    names_part,
    names_synonym,
    names_topic,
)


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("What is trisomy 18?", "Trisomy 7 mosaicism is rare.", True),
        ("What is trisomy 18?", "Trisomy 13 and 18 are rare.", False),
        ("How is type 2 diabetes treated?", "Type 1 diabetes needs insulin.", True),
        ("How is type 2 diabetes treated?", "Type II diabetes needs a diet.", False),
        ("How is type 2 diabetes treated?", "Diabetes affects 10 people of 100.", False),
        ("How do I update Windows 11?", "Windows 10 updates on Tuesdays.", True),
        ("How do I update Windows 11?", "Windows has been sold for 30 years.", False),
        ("What does Section 230 say?", "Section 512 protects hosts.", True),
        ("What does Section 230 say?", "Section 230 protects hosts.", False),
        ("What is Article 5 of the treaty?", "Article 4 calls for talks.", True),
        ("Is vitamin C good for you?", "Vitamin tablets cost 5 euros.", False),
    ],
)
def test_numbers_belong_to_names(question: str, text: str, is_other: bool) -> None:
    assert names_other_number(find_topic(question), text) is is_other


@pytest.mark.parametrize(
    ("question", "page", "synonym"),
    [
        ("What is trisomy 18?", "Edwards syndrome (trisomy 18) is rare.", "edwards syndrome"),
        ("What is trisomy 18?", "Trisomy 18, also called Edwards syndrome, is", "edwards syndrome"),
        ("What is a water boatman?", "The water boatman (Corixa) swims.", "corixa"),
        ("What is a heat pump?", "A heat pump, also known as a reversible chiller, is", "chiller"),
        ("What is value added tax?", "Value added tax (VAT) is charged on sales.", "vat"),
    ],
)
def test_other_names_that_a_page_declares_are_the_topic(
    question: str, page: str, synonym: str
) -> None:
    synonyms = find_synonyms(find_topic(question), [page])
    assert names_topic(find_topic(question), f"{synonym} is rare", synonyms) or any(
        synonym in name for name in synonyms
    )


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("What causes HIV/AIDS?", {}),
        ("Hi I have a leaking roof because I built it.", {}),
        ("What is type I diabetes?", {"type": frozenset({"1"})}),
        ("Who won World War II?", {"war": frozenset({"2"})}),
        ("What is schedule C?", {"schedul": frozenset({"c"})}),
        ("Does plan b cover a rental car?", {"plan": frozenset({"b"})}),
        ("The Kell group K is rare, and vitamin E is not.",
         {"group": frozenset({"k"}), "vitamin": frozenset({"e"})}),
        ("The court H decided in June.", {}),
        ("I rent apartment b of the block.", {}),
        ("I have type I think diabetes.", {}),
        ("We play in group I think.", {}),
        ("She was in class I've heard.", {}),
        ("It is of grade I don't know.", {}),
        ("He drives a car a friend sold.", {}),
        ("What is group I of the league?", {"group": frozenset({"1"})}),
    ],
)  # fmt: skip
def test_a_letter_of_a_word_and_the_first_person_are_no_numbers(
    text: str, numbers: dict[str, frozenset[str]]
) -> None:
    assert find_numbered_names(text) == numbers


def test_a_name_of_another_number_is_no_synonym() -> None:
    topic = find_topic("What is trisomy 18?")
    assert not find_synonyms(topic, ["Patau syndrome (trisomy 13) is rare."])


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("What is zolmitriptan?", "Triptans are drugs for migraine.", ("zolmitriptan",)),
        ("What is zolmitriptan?", "Zolmitriptan is a drug for migraine.", ()),
        ("Does FXTAS affect hips?", "Hips are joints of the leg.", ("FXTAS",)),
        ("What is Wieddeman syndrome?", "Wiedemann syndrome is rare.", ()),
        ("Is naltrexone a drug?", "Naloxone is a drug.", ("naltrexone",)),
        ("Is it ALLERGIC?", "Nothing is sold there.", ()),
        ("Are tabkets sold there?", "Nothing is sold there.", ()),
        ("How much does a house cost?", "Cars are dear.", ()),
    ],
)
def test_names_that_no_text_holds_are_found(
    question: str, text: str, missing: tuple[str, ...]
) -> None:
    assert find_missing_names(find_topic(question), [text]) == missing


@pytest.mark.parametrize("words", [0, 9, 40, 400])
def test_other_names_are_found_anywhere_in_a_long_text(words: int) -> None:
    padding = "word " * words
    topic = find_topic("What is trisomy 18?")
    for declared in ("Edwards syndrome (trisomy 18)", "trisomy 18, also called Edwards syndrome"):
        found = find_synonyms(topic, [f"{padding}. {declared}, is rare. {padding}"])
        assert any("edwards syndrome" in name for name in found)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How is gout treated?", "Gout (Treatment)"),
        ("How is gout treated?", "Gout (Exams and Tests)"),
        ("What causes rust?", "Rust (Causes)"),
        ("What is a mortgage?", "Mortgage (Summary)"),
        ("What is escrow?", "The money stays with a third party (escrow) until then."),
        ("What is a stroke?", "It blocks an artery of the brain (stroke)."),
    ],
)
def test_a_section_or_a_common_word_beside_a_name_is_no_other_name(
    question: str, title: str
) -> None:
    assert not find_synonyms(find_topic(question), [title])


@pytest.mark.parametrize(
    ("question", "title", "is_neighbour"),
    [
        ("What is a velvet spider?", "Wolf spider", True),
        ("What is a velvet spider?", "Velvet spider (Habitat)", False),
        ("Which songs do couples choose?", "Songs that dancers of 12 towns liked best", False),
        ("How does a diesel engine work?", "Petrol engine", True),
        ("How does a diesel engine work?", "Diesel engine | Example Motors", False),
        ("How is a sponge cake baked?", "Carrot cake", True),
        ("How is lung cancer treated?", "Skin cancer (Treatment)", True),
        ("How is lung cancer treated?", "Small cell lung cancer (Treatment)", False),
        ("What is a variable annuity?", "Fixed annuity", True),
        (
            "Is polycystic ovary syndrome inherited?",
            "Fragile X-Associated Primary Ovarian Insufficiency (FXPOI)",
            True,
        ),
        ("What is gout?", "Pseudogout", False),
        ("What is an easement by necessity?", "Contract law", False),
        ("What is hydraulic fracturing?", "Hydraulic fracking", False),
        ("How does capital gains tax work?", "Capital gains taxation", False),
        ("How do turbocharged engines work?", "Turbocharger engines", False),
        ("How is a caramelised onion made?", "Caramelizing onions", False),
        ("What is penalty arbitration in hockey?", "Hockey penalty arbitrators", False),
        ("What is a mortgage amortisation?", "Mortgage amortizing", False),
    ],
)
def test_a_title_that_names_another_thing_of_the_kind_is_told(
    question: str, title: str, is_neighbour: bool
) -> None:
    assert names_neighbour(find_topic(question), title) is is_neighbour


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How is lung cancer treated?", "Most men are diagnosed with skin cancer.", False),
        ("How is lung cancer treated?", "A tumour of the lung is cut out.", True),
        ("What is a reverse mortgage?", "A reverse mortgage is repaid after a sale.", True),
        ("What is a sponge cake?", "A cake needs an hour.", False),
        ("Which tyres fit a snow plough of the year 1960 with a wooden cab?", "A cab.", True),
    ],
)
def test_a_text_is_about_a_thing_by_the_word_that_tells_it_apart(
    question: str, text: str, expected: bool
) -> None:
    assert is_about(find_topic(question), text) is expected


def test_a_word_that_no_title_holds_tells_no_page_apart() -> None:
    topic = find_topic("Unanswered query. What exactly is a velvet spider?")
    kept = keep_titled_words(topic, ["Velvet spiders", "Wolf spider"])
    assert not names_neighbour(kept, "Velvet spiders")
    assert names_neighbour(kept, "Wolf spider")
    assert keep_titled_words(topic, ["Bees"]) == topic


def test_a_sentence_on_a_neighbours_page_names_the_whole_thing() -> None:
    topic = find_topic("How is lung cancer treated?")
    assert names_all(topic, "Radiation is used for lung cancer too.")
    assert not names_all(topic, "Radiation is used for most kinds of cancer.")


def test_the_titles_of_the_pages_show_what_a_long_question_is_about() -> None:
    question = (
        "My neighbour built a fence on my side of the boundary last winter while I was in Spain, and"
        " the fence is too high. Can I have the fence removed?"
    )
    titles = ["Boundary fence (Rules)", "Garden wall", "Fence"]
    names = list_asked_titles(question, titles)
    assert len(names) == 2
    assert names_asked_title(question, "It is removed at his cost.", "Fence", names)
    assert names_asked_title(question, "A fence may be 2 metres high.", "Garden wall", names)
    assert not names_asked_title(question, "A wall may be 2 metres high.", "Garden wall", names)


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("The joint is rested for a week.", "Recurrent gout (Treatment)", True),
        ("Recurrent attacks of gout are treated daily.", "Recurrent gout (Treatment)", False),
        ("The joint is rested for a week.", "Gout (Treatment)", False),
        ("The joint is rested for a week.", "Sprains", False),
    ],
)
def test_a_page_on_a_part_of_the_thing_is_told(text: str, title: str, expected: bool) -> None:
    names = list_asked_titles("How is gout treated?", ["Gout (Summary)", title])
    assert names_part(text, title, names) is expected


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("how do you catch hepatitis c", "Hepatitis A is found in food and in water.", True),
        ("how do you catch hepatitis c", "Hepatitis B and C are found in blood.", False),
        ("What is schedule C for?", "Schedule D lists the sale of shares.", True),
        ("How much vitamin D is safe?", "Vitamin C is safe up to 2 grams.", True),
        ("How much vitamin D is safe?", "Vitamin D is safe up to 100 micrograms.", False),
        ("what are the risks of type ii diabetes", "Type 1 diabetes begins early.", True),
        ("what are the risks of type ii diabetes", "Type 2 diabetes begins late.", False),
    ],
)
def test_letters_and_small_roman_numerals_belong_to_names(
    question: str, text: str, is_other: bool
) -> None:
    assert names_other_number(find_topic(question), text) is is_other


@pytest.mark.parametrize(
    ("question", "text", "things"),
    [
        ("What is zolmitriptan?", "Triptans are drugs for migraine.", ("zolmitriptan",)),
        ("Does FXTAS affect hips?", "Hips are joints of the leg.", ("FXTAS",)),
        ("Does the consistancy of dough matter?", "Dough rises.", ()),
        ("Is an aggravation of gout likely?", "Gout hurts.", ()),
        ("Can the risk be minimized by tenants?", "A lease has risks.", ()),
        ("Is there lymphocytice leukemia?", "Lymphocytic leukemia is one.", ()),
    ],
)
def test_only_names_of_things_are_told_as_missing(
    question: str, text: str, things: tuple[str, ...]
) -> None:
    assert find_missing_things(find_topic(question), [text]) == things


@pytest.mark.parametrize(
    ("question", "title", "added"),
    [
        ("What are the symptoms of obesity?", "Obesity Hypoventilation Syndrome", {"hypoventil"}),
        ("What are the symptoms of obesity?", "Overweight and Obesity", set()),
        ("What is copyright law?", "Copyright law of Ruritania", {"ruritani"}),
        ("What is copyright law?", "Copyright Law (Overview)", set()),
        ("What is a mortgage?", "Reverse mortgage", {"revers"}),
        ("What is a reverse mortgage?", "Reverse mortgages", set()),
        ("How do I maintain a heat pump?", "Heat pump maintenance", set()),
        ("How old is London Bridge?", "Lake Havasu London Bridge", {"lake", "havasu"}),
        ("How is cervical cancer treated?", "Cervical dysplasia (Exams and Tests)", {"dysplasi"}),
        ("Was ist eine Wärmepumpe?", "Geothermische Wärmepumpe", {"geothermisch"}),
        ("Was ist eine Wärmepumpe?", "Wärmepumpe und Heizkessel", set()),
        ("Quelles sont les causes de la rouille ?", "La rouille", set()),
        ("What do bark beetles eat?", "Spruce bark beetle", {"spruce"}),
        ("What is a dove?", "Mourning dove", {"mourn"}),  # where Italian asks with "dove"
        ("Was frisst der Borkenkäfer?", "Borkenkäfer der Fichte", {"ficht"}),
    ],
)
def test_a_title_with_a_name_beside_the_thing_is_of_a_narrower_or_another_one(
    question: str, title: str, added: set[str]
) -> None:
    assert find_added_names(question, title) == added


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is a dance song?", "The first dance songs our wedding couples asked for in 2025"),
        ("What is a mortgage?", "Mortgage brokers we interviewed"),
        ("Was kostet eine Wärmepumpe?", "Was Wärmepumpen wirklich kosten"),
        ("Pourquoi les loyers montent-ils ?", "Pourquoi les loyers augmentent"),
        ("¿Qué es una hipoteca?", "Nuestras hipotecas inversas"),
        ("O que é uma hipoteca?", "Quando a hipoteca dispara"),
        ("Che cosa è la ruggine?", "Dove la ruggine attacca il ponte"),
        ("Wat is een warmtepomp?", "Hoe warmtepompen stroom besparen"),
        ("Vad är en värmepump?", "Därför är värmepumpar billiga"),
        ("Co to jest pompa ciepła?", "Dlaczego pompa ciepła drożeje"),
    ],
)
def test_a_headline_is_no_name_of_a_narrower_thing(question: str, title: str) -> None:
    assert is_headline(title, question)
    assert find_added_names(question, title) == set()


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What do bark beetles eat?", "Spruce bark beetle"),
        ("What is obesity?", "Obesity hypoventilation syndrome"),
        ("What is a dove?", "Mourning dove"),
        ("Was frisst der Borkenkäfer?", "Borkenkäfer der Fichte"),
        ("Quelles sont les causes de la rouille ?", "Rouille grillagée du poirier"),
        ("¿Qué es una hipoteca?", "Hipoteca con garantía de vivienda"),
        ("O que é uma hipoteca?", "Hipoteca do Estado"),
        ("O que é uma hipoteca?", "O crédito e a hipoteca"),
        ("Wat is een warmtepomp?", "Warmtepomp met bodemwarmte"),
    ],
)
def test_the_name_of_a_thing_is_no_headline(question: str, title: str) -> None:
    assert not is_headline(title, question)


def test_a_sentence_names_only_the_thing_without_the_name_added() -> None:
    question, added = "What is a mortgage?", {"revers"}
    assert names_only(question, "A mortgage is a loan on a house.", added)
    assert not names_only(question, "A reverse mortgage is repaid after a sale.", added)
    assert not names_only(question, "A loan is repaid after a sale.", added)


@pytest.mark.parametrize(
    ("question", "text", "things"),
    [
        ("Can I take grapefruit with felodipine?", "Felodipine is a tablet.", ("grapefruit",)),
        ("Can I take grapefruit with felodipine?", "Grapefruit raises felodipine.", ()),
        ("Is a mortgage safe in a bankruptcy?", "A mortgage is a loan.", ()),
        ("Does a carburetor need antifreeze?", "A carburetor has jets.", ("antifreeze",)),
        ("Kann ich Felodipin nehmen?", "Felodipin ist ein Mittel.", ()),
        ("What is the use of a WXZ with a carburetor?", "A carburetor has jets.", ()),
    ],
)
def test_a_thing_that_the_sentences_leave_out_is_found(
    question: str, text: str, things: tuple[str, ...]
) -> None:
    assert find_unquoted_things(find_topic(question), [text]) == things


@pytest.mark.parametrize(
    ("text", "synonyms", "expected"),
    [
        ("RA is rare.", ("ra",), True),
        ("It is rare.", ("ra",), False),
        ("Heart attacks are common.", ("heart attack",), True),
        ("Die Kur hilft (DBS).", ("DBS",), True),
        ("Erdbeben sind selten.", ("beben",), False),
        ("L'infarctus est grave.", ("infarctus",), True),
        ("Nothing is said.", (), False),
    ],
)
def test_another_name_counts_as_whole_words(
    text: str, synonyms: tuple[str, ...], expected: bool
) -> None:
    assert names_synonym(text, synonyms) is expected


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("wieddemann", "wiedemann", True),
        ("macroglia", "microglia", False),
        ("intranet", "internet", False),
        ("antemortem", "antimortem", False),
    ],
)
def test_opposite_beginnings_are_no_slip(one: str, other: str, is_one: bool) -> None:
    assert are_spellings_of_one(one, other) == is_one
