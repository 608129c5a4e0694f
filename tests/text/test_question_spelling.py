"""A question is read as the texts spell it, and only where it slips."""

from __future__ import annotations

import pytest

from research_core.text.question_spelling import (
    is_one_slip_away,
    is_slip_of,
    is_spelled_like,
    spell_by_results,
    spell_question,
)


@pytest.mark.parametrize(
    ("question", "text", "read"),
    [
        ("whats gout", "Gout hurts.", "what is gout"),
        ("What’s gout?", "Gout hurts.", "what is gout?"),
        ("is crohns inherited", "Crohn's disease is inherited.", "is crohn's inherited"),
        ("How lnog does a kettle last", "A kettle lasts.", "How long does a kettle last"),
        ("how do ketles work", "Kettles boil water.", "how do kettles work"),
        ("is lupus contagoius", "It is not contagious.", "is lupus contagious"),
        ("what is Kawasaky disease", "Kawasaki disease harms vessels.", "what is kawasaki disease"),
    ],
)
def test_slips_are_mended_by_the_texts(question: str, text: str, read: str) -> None:
    assert spell_question(question, [text], is_english=True).text == read


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is Nowak?", "Novak won."),
        ("What is a bat?", "A cat sleeps."),
        ("Where is Lund?", "The land is flat."),
        ("how many trains run", "Trams run."),
        ("What is COVID?", "Covet nothing."),
        ("its causes", "It's one of the causes."),
        ("Rome in 500 BC", "Rome was founded earlier."),
        ("What is UR?", "Our robots."),
    ],
)
def test_other_words_stay(question: str, text: str) -> None:
    assert spell_question(question, [text], is_english=True).text == question


def test_other_languages_keep_their_words() -> None:
    spelled = spell_question("Was ist die Ursache von l’asthme", ["Ursachen"], is_english=False)
    assert spelled.text == "Was ist die Ursache von l'asthme"


def test_slips_are_listed_and_apostrophes_are_not() -> None:
    spelled = spell_question("whats crohns diseese", ["Crohn's disease"], is_english=True)
    assert spelled.slips == (("diseese", "disease"),)


@pytest.mark.parametrize(
    ("one", "other", "is_slip"),
    [("heat", "heta", True), ("heat", "hat", True), ("heat", "heats", True), ("heat", "heal", True),
     ("heat", "heat", False), ("heat", "tahe", False), ("heat", "health", False)],
)  # fmt: skip
def test_one_slip(one: str, other: str, is_slip: bool) -> None:
    assert is_one_slip_away(one, other) is is_slip
    assert is_one_slip_away(other, one) is is_slip


@pytest.mark.parametrize(
    ("question", "text", "read"),
    [
        ("off-shore drilling", "Offshore drilling", "offshore drilling"),
        ("offshore drilling", "Off-shore drilling", "off-shore drilling"),
        ("offshore drilling", "Drilling off shore", "off-shore drilling"),
        ("off-shore drilling", "Off-shore or offshore drilling", "off-shore drilling"),
        ("off-shore drilling", "Drilling", "off-shore drilling"),
    ],
)
def test_hyphens_are_written_as_in_the_texts(question: str, text: str, read: str) -> None:
    assert spell_question(question, [text], is_english=True).text == read


@pytest.mark.parametrize(
    ("asked", "titled"),
    [
        ("hypernatremia", "Hyponatremia"),
        ("hypocalcemia", "Hypercalcemia"),
        ("nifedipine", "Nimodipine"),
        ("prednisone", "Prednisolone"),
        ("rifaximin", "Rifampin"),
        ("sulfadiazine", "Sulfasalazine"),
        ("macroglia", "Microglia"),
    ],
)
def test_another_name_is_no_slip_however_much_alike(asked: str, titled: str) -> None:
    question = f"what causes {asked}"
    assert spell_question(question, [titled], is_english=True).text == question
    assert spell_question(question, [f"{titled} is rare."], is_english=True).text == question
    assert not is_slip_of(asked, titled.lower())


@pytest.mark.parametrize(
    ("question", "text", "read"),
    [
        ("who gets chicken pox", "Chickenpox is mild.", "who gets chickenpox"),
        ("keep a green house warm", "A greenhouse", "keep a greenhouse warm"),
        ("is the green house old", "Greenhouse of a green house", "is the green house old"),
        ("wash a side walk", "Sidewalks", "wash a side walk"),
        ("a rain bow and a rain coat", "Rainbow, raincoat", "a rainbow and a raincoat"),
        ("water it every day", "Everyday care", "water it every day"),
        ("is any one glue better", "Anyone may glue.", "is any one glue better"),
    ],
)
def test_two_words_are_one_where_the_texts_write_so(question: str, text: str, read: str) -> None:
    assert spell_question(question, [text], is_english=True).text == read


@pytest.mark.parametrize(
    ("question", "read", "slips"),
    [
        ("how to loose weight", "how to lose weight", (("loose", "lose"),)),
        ("how dose a modem work", "how does a modem work", (("dose", "does"),)),
        ("is it loosing money?", "is it losing money?", (("loosing", "losing"),)),
        ("can i quite my lease", "can i quit my lease", (("quite", "quit"),)),
        ("why do rear breaks lock", "why do rear brakes lock", (("breaks", "brakes"),)),
    ],
)
def test_a_word_written_for_another_is_a_slip(
    question: str, read: str, slips: tuple[tuple[str, str], ...]
) -> None:
    spelled = spell_question(question, ["A text."], is_english=True)
    assert (spelled.text, spelled.slips) == (read, slips)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("periferal", "peripheral"),
        ("carborator", "carburetor"),
        ("gonorrea", "gonorrhea"),
        ("lewey", "lewy"),
        ("rododendron", "rhododendron"),
    ],
)
def test_a_word_with_several_slips_is_spelled_like_another(word: str, other: str) -> None:
    assert is_spelled_like(word, other)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("hypothyrodism", "hyperthyroidism"),  # it is one slip away from "hypothyroidism"
        ("zoloft", "molotov"),
        ("kia", "kiwa"),
        ("oslobrua", "osloengen"),
    ],
)
def test_other_words_are_not_spelled_alike(word: str, other: str) -> None:
    assert not is_spelled_like(word, other)


def test_a_title_mends_a_word_with_several_slips() -> None:
    asked = "how do i clean a carborator"
    assert "carburetor" in spell_question(asked, ["Carburetor"], is_english=True).text
    assert spell_question(asked, ["Brakes", "A carburetor"], is_english=True).text == asked


RESULTS = (
    "Gabapentin: uses and side effects",
    "Gabapentin and opioids",
    "Rust on a carburetor",
    "The carburetor of a mower",
    "Carburetor and gabapentin",
    "Macular holes",
    "A macular hole is treated",
    "Macular degeneration",
    "Nimodipine for adults",
    "What nimodipine does",
    "Nimodipine, a tablet",
    "A dahlia in a pot",
)


@pytest.mark.parametrize(
    ("question", "slips"),
    [
        ("Can I take Gabamentine with codeine?", {}),  # a name, and too few results have the other
        ("can i take gabamentine with codeine", {"gabamentine": "gabapentin"}),
        ("I AM ALLERGIC TO GABAMENTINE", {"GABAMENTINE": "gabapentin"}),
        ("how do i clean the carborator", {"carborator": "carburetor"}),
        ("is a maculer hole dangerous", {"maculer": "macular"}),
        ("what does nifedipine do", {}),  # two letters are replaced: another drug
        ("where do dalhias grow", {}),  # one result alone has the word
        ("gabapentin for a carburetor2000", {}),
        ("wie wirkt gabapentin", {}),
    ],
)
def test_slips_are_read_as_frequent_words_of_the_results(
    question: str, slips: dict[str, str]
) -> None:
    spelled = spell_by_results(question, RESULTS, [])
    assert dict(spelled.slips) == slips
    for written, read in slips.items():
        assert written not in spelled.text
        assert read in spelled.text


def test_a_name_is_read_as_a_word_that_a_third_of_the_results_hold() -> None:
    spelled = spell_by_results("Can I take Gabamentine?", RESULTS[:2] + RESULTS[4:9], [])
    assert spelled.text == "Can I take gabapentin?"


@pytest.mark.parametrize(
    "question",
    [
        "Maculer hole. Is a maculer hole dangerous?",
        "Is a maculer hole dangerous? Maculer holes run in my family.",
    ],
)
def test_a_word_that_stands_in_small_letters_too_is_no_name(question: str) -> None:
    results = [*RESULTS, *("A dahlia in a pot" for _ in RESULTS)]
    assert "aculer hole" not in spell_by_results(question, results, []).text


def test_a_word_that_a_passage_holds_is_no_slip() -> None:
    asked = "can i take gabamentine with codeine"
    assert spell_by_results(asked, RESULTS, ["Gabamentine is a brand of nothing."]).slips == ()
