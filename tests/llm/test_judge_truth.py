"""What the judge says of a source is true of it, and a slip of spelling costs it little."""

from __future__ import annotations

import re

import pytest

from research_core.llm.offline_judge import judge
from research_core.text.embeddings import find_embedder
from research_core.text.topic_match import scale_chance, score_chance
from research_core.text.words import tokenize
from tests.thesaurus import Thesaurus

CYCLES = "How many charge cycles does a lithium cell last?"
PUMP = "What does a garden pump cost?"
OFF_SHORE = "What are the environmental risks of off-shore drilling?"
TRISOMY = "What is trisomy 13?"

#: A question, a title, a passage, and what the judge must not say of them.
FALSEHOODS = [
    (CYCLES, "Cells", "A lithium cell was retired after 820 charge cycles.", "No figure."),
    (CYCLES, "Cells", "A lithium cell lasts eight hundred charge cycles.", "No figure."),
    ("How long does a lithium cell last?", "Cells", "It lasts 820 cycles.", "No figure."),
    ("How much power is saved?", "Lamps", "Power use fell by twenty-nine percent.",
     "No figure."),
    ("How many people came?", "Fair", "Dozens of people came.", "No figure."),
    (PUMP, "Garden pumps", "Expect to pay £9,500 for one.", "No price."),
    (PUMP, "Garden pumps", "They are sold from CHF 300.", "No price."),
    (PUMP, "Garden pumps", "Eine Pumpe kostet 300 Euro.", "No price."),
    (PUMP, "Garden pumps", "A few hundred quid.", "No price."),
    (PUMP, "Garden pumps", "The council gives them away free of charge.", "No price."),
    ("When was the gate built?", "Gate", "Built under Trajan, in the second century.",
     "No date."),
    ("When was the gate built?", "Gate", "Erbaut am 4. März.", "No date."),
    ("When was the gate built?", "Gate", "The gate was built last spring.", "No date."),
    ("When was the gate built?", "Gate", "Inaugurée en septembre.", "No date."),
    ("Who built the gate?", "Gate", "Grace built it.", "No person named."),
    ("Who built the gate?", "Gate", "it was built by ines falk.", "No person named."),
    ("Where is the gate?", "Gate", "Rome has it.", "No place named."),
    ("Is a harp better than a lyre?", "Harps", "Unlike a lyre, a harp is big.",
     "No comparison."),
    (OFF_SHORE, "Drilling", "Drilling in walls is a risk. The off switch. The shore.",
     "Mentions environmental risks, off-shore drilling"),
    (OFF_SHORE, "Drilling", "Off-shore drilling harms the environment.", "only apart"),
    (OFF_SHORE, "Drilling", "Drilling off the shore harms the environment.", "does not name"),
    ("What is a heat exchanger?", "Money", "A currency exchanger. Heat is forecast.",
     "Mentions heat exchanger"),
    (TRISOMY, "Patau syndrome", "Patau syndrome (trisomy 13) is rarer than trisomy 21.", "not"),
    ("How much do harpists charge?", "Harpists", "The fee of harpists is €90.", "lacks the word"),
    ("How much do harpists charge?", "Harpists", "The fee of harpists is €90.",
     "charge, "),
    ("Which is better, a harp or a lyre?", "Lyres", "Lyres and harps are old.", "other side"),
    ("Is it true that more tea is better than less?", "Tea", "More tea is drunk.", "other side"),
    ("What is gout?", "Gout", "Gout is a disease. " * 9, "not have all in one place"),
    ("鮎は冬にどこで過ごすか", "川の魚", "鮎は冬を海で過ごす。", "acks"),
    ("鯨の歯は何に使うか", "鯨", "鯨の歯は餌を捕るために使う。", "acks"),
    ("梅什么时候开花？", "梅", "梅在早春开花。", "acks"),
    ("桥是谁建的？", "石桥", "这座桥由李春建造。", "acks"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "title", "passage", "falsehood"), FALSEHOODS)
@pytest.mark.parametrize("by_meaning", [False, True])
def test_nothing_false_is_said_of_a_source(
    question: str, title: str, passage: str, falsehood: str, by_meaning: bool
) -> None:
    verdict = judge(question, title, [passage], Thesaurus() if by_meaning else None)
    assert falsehood not in verdict.explanation


#: The same, and what the judge has to say.
TRUTHS = [
    (CYCLES, "Cells", "A lithium cell ages with heat.", "No figure."),
    (PUMP, "Garden pumps", "A garden pump moves water.", "No price."),
    ("When was the gate built?", "Gate", "The gate was built of iron.", "No date."),
    ("Who built the gate?", "Gate", "It was built of iron.", "No person named."),
    ("Where is the gate?", "Gates", "It is made of iron.", "No place named."),
    ("Is a harp better than a lyre?", "Notes", "A harp has strings. A lyre has strings.",
     "No comparison."),
    ("Is a harp better than a lyre?", "Harps", "A harp has strings.",
     "Does not name the other side, “lyre”."),
    (TRISOMY, "Trisomy 21", "Trisomy 21 is common.", "Names trisomy 21, not trisomy 13."),
    (OFF_SHORE, "Drilling", "Drilling in walls is a risk. The off switch. The shore.",
     "The words of “off-shore drilling” are not together."),
    (OFF_SHORE, "Drilling", "Drilling in walls is an environmental risk.",
     "Does not name “off-shore drilling”."),
    ("How much do harpists charge?", "Harpists", "The fee of harpists is €90.",
     "Related term for “charge”: fee."),
    ("What is gout?", "Bread", "Bakers rise.", "missing: gout."),
    ("What is it?", "Bread", "Bakers rise.", "has no words to search for"),
    ("waht is a kettel", "Kettles", "A kettle boils water.", "“kettel” was read as “kettle”."),
]  # fmt: skip


@pytest.mark.parametrize(("question", "title", "passage", "truth"), TRUTHS)
def test_what_is_missing_is_said(question: str, title: str, passage: str, truth: str) -> None:
    explanation = judge(question, title, [passage]).explanation
    assert truth in f"{explanation[0].lower()}{explanation[1:]}"


@pytest.mark.parametrize(("question", "title", "passage", "_said"), [*FALSEHOODS, *TRUTHS])
def test_mentioned_words_are_there_and_lacked_ones_are_not(
    question: str, title: str, passage: str, _said: str
) -> None:
    explanation = judge(question, title, [passage]).explanation
    there = {token[:4] for token in tokenize(f"{title} {passage}")}
    there |= {character for character in f"{title}{passage}" if character > "\u2e7f"}
    for mentioned in re.findall(r"[Mm]entions ([^;…]+?)[;.]", explanation):
        assert {token[:4] for token in tokenize(mentioned)} <= there
    for lacked in re.findall(r"[Ll]acks the words? ([^;…]+?)[;.]", explanation):
        assert set(tokenize(lacked)).isdisjoint(tokenize(f"{title} {passage}"))


@pytest.mark.parametrize(
    ("question", "title", "passage", "low", "high"),
    [
        (CYCLES, "Cell life", "In the test the cell was retired after 820 charge cycles. Lithium"
         " cells age with heat.", 3, 5),
        (PUMP, "Garden pumps", "Typical price with fitting: £9,500.", 3, 5),
        (PUMP, "Garden pumps", "They move water.", 1, 2),
        (TRISOMY, "Patau syndrome", "Patau syndrome (trisomy 13) is a rare condition.", 3, 5),
        (TRISOMY, "Trisomy 21", "Trisomy 21 is a common condition.", 1, 2),
        ("Is type 1 diabetes inherited?", "Type 2 diabetes", "Type 2 diabetes is inherited.", 1, 2),
        ("What did article 17 of the act say?", "The act", "Article 13 of the act says this.", 1, 2),
        (OFF_SHORE, "Environmental risks of drilling in walls", "The environmental risks of"
         " drilling in walls are dust and noise.", 1, 2),
        (OFF_SHORE, "Environmental risks", "The environmental risks of drilling grow. Switch the"
         " drill off. We walked on the shore.", 1, 2),
        (OFF_SHORE, "Offshore drilling", "Offshore drilling has environmental risks: spills.", 3, 5),
    ],
)  # fmt: skip
def test_the_thing_asked_about_decides(
    question: str, title: str, passage: str, low: int, high: int
) -> None:
    assert low <= judge(question, title, [passage]).score <= high


#: A question, and the same with one slip, apostrophe or capital.
SLIPS = [
    ("What does a garden pump cost?", "what does a garden pump cost?"),
    ("What does a garden pump cost?", "Waht does a garden pump cost?"),
    ("What does a garden pump cost?", "What does a gadren pump cost?"),
    ("What does a garden pump cost?", "WHAT DOES A GARDEN PUMP COST?"),
    ("What does a garden pump cost?", "What does a garden pump csot?"),
    ("What is Crohn's disease?", "What is Crohn’s disease?"),
    ("What is Crohn's disease?", "whats crohns disease"),
    ("What is Crohn's disease?", "What's Crohn's diseese?"),
    ("How is diabetes treated?", "how is diabete treated"),
    ("How is diabetes treated?", "hows diabetes treated?"),
    ("How long does a lithium battery last?", "how lnog does a lithium battery last"),
    ("How long does a lithium battery last?", "How long does a lithium batery last?"),
]
PAGES = [
    ("Garden pumps", "A garden pump costs £95 to £300. It moves water from a well."),
    ("Crohn's disease", "Crohn's disease is a disorder of the bowel. It often begins in youth."),
    ("Treating diabetes", "Diabetes is treated with insulin, diet and exercise."),
    ("Batteries", "A lithium battery lasts ten years or 800 cycles, less if it is hot."),
    ("Bread", "Bakers rise at four."),
]


@pytest.mark.parametrize(("question", "slipped"), SLIPS)
@pytest.mark.parametrize("page", PAGES)
def test_a_slip_changes_no_score_by_more_than_half_a_point(
    question: str, slipped: str, page: tuple[str, str]
) -> None:
    """Half a point of the unrounded score, 1.0 to 5.99, whose whole part is the score."""
    right, wrong = (judge(text, page[0], [page[1]]) for text in (question, slipped))
    assert abs(right.exact - wrong.exact) <= 0.5
    assert abs(right.score - wrong.score) <= 1


@pytest.mark.full
@pytest.mark.skipif(bool(find_embedder().why), reason="needs the embedding model")
@pytest.mark.parametrize(("question", "slipped"), SLIPS)
def test_nor_does_it_by_meaning(question: str, slipped: str) -> None:
    for title, passage in PAGES:
        right, wrong = (
            judge(text, title, [passage], find_embedder()) for text in (question, slipped)
        )
        assert abs(right.exact - wrong.exact) <= 0.5


@pytest.mark.parametrize("by_meaning", [False, True])
def test_the_score_is_the_whole_part_of_the_unrounded_score(by_meaning: bool) -> None:
    for step in range(1001):
        exact = scale_chance(step / 1000, by_meaning=by_meaning)
        assert int(exact) == score_chance(step / 1000, by_meaning=by_meaning)
        assert 1.0 <= exact < 6.0
