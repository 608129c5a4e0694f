"""Which sides of a thing a question asks about, and which sentences tell of them."""

from __future__ import annotations

import pytest

from research_core.text.asked_facets import (
    find_asked_facets,
    names_side,
    tells_facet,
    tells_nothing,
    tells_side,
)


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("What are the symptoms of lead poisoning?", ["Symptoms"]),
        ("How do I know if my brake pads are worn?", ["Symptoms"]),
        ("When and how do you know you have snow blindness?", ["Symptoms"]),
        ("What causes rust on a car?", ["Causes"]),
        ("how is dry rot treated", ["Treatment"]),
        ("How can a landlord prevent mould?", ["Prevention"]),
        ("how common is identity theft", ["Frequency"]),
        ("Side effects of lithium", ["Side effects"]),
        ("Is gluten intolerance inherited?", ["Inheritance"]),
        ("How is a gas leak detected?", ["Diagnosis"]),
        ("treatment of woodworm. My grandmother left me a chest. It has holes.", ["Treatment"]),
        ("What is escrow?", []),
        ("What is the difference between a cold and the flu?", []),
        ("How much does a will cost?", ["Cost"]),
        ("What documents do I need for a visa?", ["Requirements"]),
        ("How long do I have to return a faulty laptop?", ["Time"]),
        ("What is the penalty for driving without insurance?", ["Penalty"]),
        ("What are the risks of day trading?", ["Risks"]),
        ("What are the benefits of a heat pump?", ["Benefits"]),
        ("How do I fix a rusty car door?", ["Treatment"]),
        ("What is a penalty kick?", []),
        ("What is a cost function?", []),
        ("Please send me information on treatments for asthma.", ["Treatment"]),
        ("I was diagnosed with gout and need information about gout.", []),
        ("What are the symtoms of gout?", ["Symptoms"]),
        ("Who is at risk for dengue fever?", ["Who is at risk"]),
        ("Who is at risk of identity theft?", ["Who is at risk"]),
        ("What are the risk factors for rust in cars?", ["Who is at risk"]),
        ("Do children outgrow asthma?", ["Outlook"]),
        ("Will my son grow out of his stutter?", ["Outlook"]),
        ("I was recently diagnosed and want to learn about glaucoma.", []),
        ("How was Mozart's illness diagnosed?", ["Diagnosis"]),
        ("Is water a requirement of life?", []),
        ("What are the requirements for a visa?", ["Requirements"]),
        ("I have knock knees and want treatment", ["Treatment"]),
        ("How serious is a leak in a gas pipe?", ["Severity"]),
        ("Is there a serious offer for the club?", []),
        ("Should I be worried about the exam?", []),
    ],
)
def test_the_sides_asked_about_are_found(question: str, titles: list[str]) -> None:
    assert [facet.title for facet in find_asked_facets(question)] == titles


@pytest.mark.parametrize(
    ("question", "page", "side"),
    [
        ("My cat has a bald spot on one ear. Should I be worried?", "Mange (Symptoms)", "Severity"),
        ("The hen limps since Monday. Is it serious?", "Bumblefoot infection", "Severity"),
        ("My son ate paint off the wall, what should i do now", "Lead poisoning", "Treatment"),
        ("I took two of the wrong pills, what do i do", "Aspirin overdose", "Treatment"),
        ("Is that an emergency, a nose that bleeds for an hour?", "Bleeding", "Severity"),
    ],
)
def test_a_page_of_medicine_tells_what_is_asked(question: str, page: str, side: str) -> None:
    assert [facet.title for facet in find_asked_facets(question, (page,))] == [side]
    assert find_asked_facets(question, ("Paint",)) == ()


@pytest.mark.parametrize(
    "question",
    [
        "What is a credit spread?",
        "How do I use a bull put spread?",
        "How do I catch a pass in football?",
        "Who signs the contract first?",
        "Who signs a power of attorney?",
        "How do I recover deleted mail in Outlook?",
        "How do I pass a driving test?",
        "How do I write a unit test for a function?",
        "How do I screen for a tenant?",
        "How do I manage a remote team?",
        "What is the remedy for breach of contract?",
        "How are dividends treated for tax?",
        "What is the tax treatment of dividends?",
        "How do genetic algorithms work?",
        "What is inheritance tax?",
        "How does inheritance work in Python?",
        "What is a cause of action?",
        "How do I set up a trigger in a database?",
        "What does a balance sheet look like?",
        "How do I rebuild a manual transmission?",
    ],
)
def test_a_word_of_the_topic_is_no_side(question: str) -> None:
    assert find_asked_facets(question) == ()
    assert find_asked_facets(question, ("A guide for beginners",)) == ()


@pytest.mark.parametrize(
    ("question", "titles", "expected"),
    [
        ("Do people catch scabies from a towel?", ("Scabies: symptoms and spread",), ["Spread"]),
        ("How do I manage gout?", ("Gout | Example Clinic",), ["Treatment"]),
        ("Which drugs help against shingles?", ("Shingles, a viral disease",), ["Treatment"]),
        ("What is the outlook for lupus?", ("Lupus, a chronic disease",), ["Outlook"]),
        ("What is the outlook for house prices?", ("House prices in spring",), []),
        ("How does the test for hepatitis work?", (), ["Diagnosis"]),
        ("How does the test for a cracked engine block work?", ("Engines",), []),
    ],
)
def test_wordings_of_medicine_count_beside_another_medical_word(
    question: str, titles: tuple[str, ...], expected: list[str]
) -> None:
    assert [facet.title for facet in find_asked_facets(question, titles)] == expected


@pytest.mark.parametrize(
    ("question", "telling", "other"),
    [
        (
            "What are the symptoms of lead poisoning?",
            "Symptoms of lead poisoning include cramps and headaches.",
            "A drug that binds the metal relieves the symptoms.",
        ),
        (
            "What are the signs of a worn clutch?",
            "A worn clutch can feel soft and may slip in high gear.",
            "A clutch costs between 500 and 900 euros.",
        ),
        (
            "How is gout treated?",
            "Gout is treated with anti-inflammatory medicines.",
            "Untreated gout damages the joints.",
        ),
        (
            "How is a gas leak detected?",
            "A soap test shows where the gas leaves the pipe.",
            "After a leak is detected, the house must be left.",
        ),
        (
            "How is gout diagnosed?",
            "A sample of joint fluid is tested for crystals.",
            "Men are diagnosed with gout more often than women.",
        ),
        (
            "How do people catch measles?",
            "Measles spreads through the air when somebody coughs.",
            "Most people have a fever for a week.",
        ),
        (
            "How can rust be prevented?",
            "Wax keeps water away from the metal and protects it.",
            "Rust is an oxide of iron.",
        ),
        (
            "What causes inflation?",
            "Prices rise because more money chases the same goods.",
            "The index is published every month.",
        ),
        (
            "What causes high water?",
            "The river rises when the snow melts.",
            "The river is measured at the bridge.",
        ),
        (
            "How serious is a gas leak?",
            "A small leak is harmless outdoors.",
            "If the leak is mild, a soap test shows it.",
        ),
        (
            "What is the treatment for zinc poisoning?",
            "If a child has swallowed zinc, call your local poison center.",
            "Zinc is an ingredient in many supplements.",
        ),
        (
            "What is the treatment for a blister?",
            "Rinse the blister with salt water.",
            "A blister is a bubble under the skin.",
        ),
        (
            "How do I get rid of a blister?",
            "Most blisters heal without a plaster.",
            "Shoes that do not fit are often to blame.",
        ),
        (
            "What can be done about woodworm?",
            "Woodworm is killed by heat, and the wood is treated with boron.",
            "Woodworm is the young of a beetle.",
        ),
        (
            "How is a blister treated?",
            "Rest your foot until the blister is dry.",
            "Rest pain occurs at night.",
        ),
        (
            "How is a burn treated?",
            "Call your doctor if the burn is large.",
            "Sailors call the mark a burn.",
        ),
        (
            "How harmful is soot?",
            "Soot is harmful to the lungs of miners.",
            "Soot is black.",
        ),
        (
            "What are the side effects of willow bark?",
            "Willow bark raises the risk of ulcers and can cause bleeding.",
            "Wine raises the risk of serious side effects.",
        ),
        (
            "What is the treatment for scurvy?",
            "Scurvy heals in weeks when people take vitamin C supplements.",
            "Supplements are also sold in small shops.",
        ),
        (
            "What are the side effects of lithium?",
            "Lithium can cause a tremor of the hands.",
            "Salt increases the risk of side effects.",
        ),
    ],
)
def test_a_sentence_tells_of_the_side_asked_about(question: str, telling: str, other: str) -> None:
    facets = find_asked_facets(question, ("A disease",) if "measles" in question else ())
    assert facets
    assert tells_facet(facets, telling)
    assert not tells_facet(facets, other)


def test_the_title_of_a_section_tells_what_its_sentences_are_about() -> None:
    facets = find_asked_facets("What causes rust on a car?")
    assert tells_facet(facets, "Salt and water reach the bare metal.", "Causes")
    assert not tells_facet(facets, "Salt and water reach the bare metal.", "Symptoms and causes")
    assert not tells_facet(facets, "The symptoms are brown spots.", "Causes")


@pytest.mark.parametrize(
    ("question", "empty", "full"),
    [
        (
            "What are the symptoms of heat stroke?",
            "The signs and symptoms of heat stroke also may differ by age.",
            "The symptoms differ by age and include a dry skin and confusion.",
        ),
        (
            "How is a cracked engine block repaired?",
            "Several methods of repair are available to owners of old cars.",
            "Several methods of repair are available, such as welding and cold stitching.",
        ),
        (
            "How is potato blight treated?",
            "University-funded investigators are conducting a wealth of research on treatments.",
            "Investigators found that copper slows potato blight down, with two sprays in May.",
        ),
        (
            "How is a cracked dam repaired?",
            "The repair should be planned by an engineer of dams.",
            "The repair should be planned in summer, with cement and steel bars.",
        ),
        (
            "What supplies a leaf with energy?",
            "The energy of a leaf is managed by a specialist of leaves.",
            "The energy of a leaf is provided by the sun.",
        ),
        (
            "How is dry rot treated?",
            "Referral to a timber specialist is helpful for an old house.",
            "A timber specialist cuts out the rot and sprays boron salts.",
        ),
        (
            "How is gout treated?",
            "Early treatment improves the outcome in most people.",
            "Early treatment with colchicine improves the outcome in most people.",
        ),
        (
            "How is gout treated?",
            "Your doctor may recommend other treatments.",
            "Your doctor may recommend colchicine.",
        ),
        (
            "What causes bankruptcy?",
            "Many factors play a role in a bankruptcy.",
            "Most bankruptcies follow the loss of a job.",
        ),
        (
            "How is a lease ended?",
            "The rules for ending a lease are discussed in the next chapter.",
            "A lease is ended by a written notice of three months.",
        ),
        (
            "How is woodworm treated?",
            "Woodworm can usually be treated.",
            "Woodworm can be treated with heat.",
        ),
        (
            "What is the treatment of a burn?",
            "Treatment depends on how deep the burn is.",
            "A burn is cooled under water for twenty minutes.",
        ),
        (
            "What are the side effects of lithium?",
            "Lithium may cause other side effects.",
            "Lithium may cause thirst and trembling hands.",
        ),
    ],
)
def test_a_sentence_that_only_says_that_there_is_something_tells_nothing(
    question: str, empty: str, full: str
) -> None:
    assert tells_nothing(question, empty)
    assert not tells_nothing(question, full)


def test_what_something_depends_on_is_an_answer_where_that_is_asked() -> None:
    text = "The price of a used car depends on its age."
    assert tells_nothing("How is a used car treated against rust?", text)
    assert not tells_nothing("What does the price of a used car depend on?", text)


@pytest.mark.parametrize(
    "text",
    [
        "A credit spread is the difference in yield between two bonds.",
        "Gross profit is the difference between sales and the cost of goods.",
        "Offside is a matter of the difference of one foot.",
        "A diff is a list of differences of two files.",
        "Torque steer is felt as a difference of pull.",
    ],
)
def test_a_difference_is_something_told(text: str) -> None:
    assert not tells_nothing("What is it?", text)


@pytest.mark.parametrize(
    ("question", "empty", "full"),
    [
        (
            "How is a water leak found?",
            "It can be difficult for a plumber to detect a leak because pipes are in the wall.",
            "A plumber finds a leak with a camera, a meter and a dye.",
        ),
        (
            "What are the treatments of dry rot?",
            "Treatment for dry rot may include medicines and other procedures.",
            "Treatment for dry rot may include heat and the removal of wood.",
        ),
        (
            "What are the treatments of alcohol use disorder?",
            "Programs typically include licensed counselors, nurses, doctors and others.",
            "Programs typically include group therapy, support groups and lectures.",
        ),
        (
            "What are the treatments of rust?",
            "Engineers are now testing other treatments, such as lasers and cold spray.",
            "Rust is treated with phosphoric acid, such as in a gel.",
        ),
        (
            "How is a sprained ankle treated?",
            "The goal of treatment after a sprain is to walk without pain, with full use.",
            "A sprain is treated with rest, ice and a bandage.",
        ),
    ],
)
def test_a_sentence_that_only_announces_an_answer_tells_nothing(
    question: str, empty: str, full: str
) -> None:
    assert tells_nothing(question, empty)
    assert not tells_nothing(question, full)


def test_who_asks_whether_it_is_hard_or_new_is_told_so() -> None:
    hard = "It is hard to detect a leak because pipes are in the wall."
    assert not tells_nothing("Why is a leak hard to find?", hard)
    new = "Engineers are testing other treatments, such as lasers."
    assert not tells_nothing("What new treatments of rust are there?", new)


@pytest.mark.parametrize(
    ("filler", "told"),
    [
        ("Follow your treatment exactly as your doctor prescribes.", "Rest and iron treat it."),
        ("Use the pump only as directed.", "Use the pump for two hours a day."),
        ("Take all your tablets as instructed by the team.", "Take the tablets with milk."),
        ("Keep using the oil as your mechanic recommends.", "Keep the oil below 90 degrees."),
        ("You can talk to your dentist.", "Your dentist can close the gap with resin."),
        ("Serious causes of rust are rare.", "Rust on the inside of a pipe is rare."),
        ("A number of factors can cause rust.", "Salt and water can cause rust."),
        ("Side effects of chalk are uncommon.", "Dust in the lungs is a side effect of chalk."),
    ],
)
def test_orders_to_follow_and_sentences_that_name_nothing_tell_nothing(
    filler: str, told: str
) -> None:
    assert tells_nothing("How is it treated?", filler)
    assert not tells_nothing("How is it treated?", told)


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("How is dementia diagnosed?", "Doctors have identified other conditions that imitate it."),
        ("How is dementia diagnosed?", "The gene of some forms has been identified."),
        ("How is an ear infection diagnosed?", "A mild one cannot be diagnosed in infants."),
        ("How is gonorrhea diagnosed?", "Tests will be done to see that the infection is gone."),
        ("How is asthma diagnosed?", "The diagnosis of asthma is shorthand for several illnesses."),
        ("What are the symptoms of asthma?", "Your doctor may take a sample, a scan and notes."),
        ("What are the symptoms of asthma?", "A nurse checks the blood for signs of an allergy."),
        ("What are the symptoms of obesity?", "Obesity can cause serious complications."),
        ("What are the symptoms of dehydration?", "You may have other tests, such as of urine."),
        ("What are the symptoms of asthma?", "Untreated asthma may cause scars in the lungs."),
        ("What causes scabies?", "The mite that causes scabies can live for three days."),
        ("What causes malaria?", "The parasites which cause malaria are carried by mosquitoes."),
    ],
)
def test_a_sentence_that_names_a_side_in_passing_does_not_tell_it(
    question: str, other: str
) -> None:
    facets = find_asked_facets(question)
    assert facets
    assert not tells_facet(facets, other)


@pytest.mark.parametrize(
    ("text", "names", "tells"),
    [
        ("Rust is a coat of iron and air.", False, False),
        ("Most boats are associated with an increased risk of rust.", False, True),
        ("Rust may be due to salt in the air.", False, True),
        ("About 3 in 100 boats have rust.", False, True),
        ("Rust is treated with oil.", True, True),
        ("Rust forms a brown coat.", False, False),
    ],
)
def test_a_side_is_named_or_told(text: str, names: bool, tells: bool) -> None:
    assert (names_side(text), tells_side(text)) == (names, tells)


@pytest.mark.parametrize(
    "text",
    [
        "The earlier a leak is found and repaired, the better the outcome.",
        "The sooner treatment is started, the greater the benefits.",
        "Your care team may include a nurse, a dentist and a pharmacist.",
        "If you have gout, your health care team includes a doctor and a nurse.",
        "A repair team usually consists of a plumber and a helper.",
    ],
)
def test_that_sooner_is_better_and_who_is_in_a_team_tells_nothing(text: str) -> None:
    assert tells_nothing("How is it treated?", text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How is engine wear diagnosed?", "Most engine wear is diagnosed among older vans."),
        ("What causes dry rot?", "Complications occur when the beams have lost their strength."),
        ("What causes potholes?", "Most causes of potholes cannot be prevented."),
        ("What causes mould?", "Leaks that lead to mould can be repaired within a day."),
        ("How is rust treated?", "Treatment can help relieve the strain on the frame."),
    ],
)
def test_a_word_of_a_side_that_is_told_of_something_else_does_not_tell_it(
    question: str, text: str
) -> None:
    facets = find_asked_facets(question)
    assert facets
    assert not tells_facet(facets, text)
