"""Sentence spans on text as pages and PDF files give it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text import sentences as sentences_module
from research_core.text.sentences import MAX_LENGTH, find_sentences

PIECES = [
    "Dr. Smith ",
    "ran. ",
    "It ",
    "e.g. ",
    "U.S. ",
    "3.5 ",
    "- ",
    "# ",
    "| a | ",
    "```",
    "\n",
    "\n\n",
    "\r\n",
    "“No.” ",
    "[12] ",
    "word ",
    "。",
    "…",
    "\t",
    "No. 5 ",
]
ANY_TEXT = (
    st.text()
    | st.lists(st.sampled_from(PIECES)).map("".join)
    | st.text(st.sampled_from(" \n\r\t.!?…。-*#>|`1aA\"')]\u2028"))
)


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        # abbreviations, titles, initials
        ["Dr. Smith met Mrs. Jones at St. Mary's Hospital.", "They spoke."],
        ["Gov. Lee, Sgt. Ray and Capt. Fox met Rep. Omar near Mt. Hood.", "All agreed."],
        ["J. K. Rowling and George W. Bush met Ryan S. Hollman.", "It rained."],
        ["Smith et al. (2020) found it, e.g. in Fig. 3, cf. Table 2.", "Others did not."],
        ["The U.S. Department of Energy said so.", "So did the U.K. government."],
        ["They left the U.S.", "The rest stayed."],
        ["It opened at 9 a.m. on Monday and closed at 5 p.m.", "However, few came."],
        ["See No. 5 on p. 12, vol. 3, Sec. 4 of the act of Jan. 5.", "No.", "It is not there."],
        ["Acme Inc. reported it.", "So did Foo Ltd.", "The price fell."],
        ["She has a Ph.D. in physics.", "Vitamin C.", "It helps."],
        [
            "The Dekalb, Ill. Police Department wrote to Boston, Mass. in May.",
            "A critical mass.",
            "Scientists agree.",
        ],
        ["Das ist z.B. ein Satz, d.h. nicht zwei.", "Vgl. Abs. 3."],
        # numbers
        ["It rose 2.5 percent to $3.15 million in 2.05 hours.", "It fell by 1,200."],
        ["That was in 1990.", "5 of them remain."],
        # other ends, quotes, brackets, notes
        ["Really?!", "Yes!", "Well… maybe not.", "Who knows?"],
        ['"Really?" he asked.', '"Yes."', "“No.”", "(See the note.)", "Then he left."],
        ["“We agree!” she said.", "He nodded."],
        [
            "It sold 3,150 copies.[12][3]",
            "It was loved.¹",
            "Critics agreed. [4]",
            "Others did not.[citation needed]",
            "Done.",
        ],
        ["Use Node.js, www.example.com or System.Collections.Generic for it.", "Good."],
        ["He said: “It is over.” and left.", "Nobody stayed."],
        # scripts without our full stop
        ["第一句。", "第二句！", "「第三句？」"],
        ["यह पहला वाक्य है।", "यह दूसरा है।"],
        ["هل هذا سؤال؟", "نعم هو كذلك."],
    ],
)
def test_one_paragraph(parts: list[str]) -> None:
    assert found(" ".join(parts)) == parts


def test_a_lost_space_between_sentences_is_seen() -> None:
    assert found("The policy has ended.The next one started.") == [
        "The policy has ended.",
        "The next one started.",
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "# Title\nText here. More.\n\n## Part\nEnd",
            ["Title", "Text here.", "More.", "Part", "End"],
        ),
        ("- one\n- two. Three\n* four\n• five", ["one", "two.", "Three", "four", "five"]),
        ("> quoted text\n> goes on", ["quoted text", "goes on"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        (
            "| Dr. A. Of it | b. Next c |\n| 1. One | Yes. No. |\nIt is.",
            ["| Dr. A. Of it | b. Next c |", "| 1. One | Yes. No. |", "It is."],
        ),
        (
            "It is.\n```py\n# No. Head\n\nx = 1; y = 2\n```\nIt was.",
            ["It is.", "```py\n# No. Head", "x = 1; y = 2\n```", "It was."],
        ),
        ("Title\n~~~~\nIt is. It was.", ["Title", "It is.", "It was."]),
        (
            "cell one\tcell two\tcell three\nNext one",
            ["cell one\tcell two\tcell three", "Next one"],
        ),
        (
            "A heading without a stop\nThe paragraph begins.",
            ["A heading without a stop", "The paragraph begins."],
        ),
        ("It is a part\nof the sentence,\nIndeed.", ["It is a part\nof the sentence,\nIndeed."]),
        (
            "He went to the\nUniversity of\nYork today.",
            ["He went to the\nUniversity of\nYork today."],
        ),
        ("It is a part \n  of the sentence.\r\n", ["It is a part \n  of the sentence."]),
        ("One para\n\nanother para", ["One para", "another para"]),
        ("First;\nsecond;\nthird.", ["First;", "second;", "third."]),
        (
            "1. Introduction\n2.1. Methods and 3 more\na) first\nIV. Results",
            ["1. Introduction", "2.1. Methods and 3 more", "a) first", "IV. Results"],
        ),
        ("----\n***\n…\n!!", []),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_lines(text: str, parts: list[str]) -> None:
    assert found(text) == parts


def test_wrapped_lines_are_put_together() -> None:
    wrapped = (
        "The report was prepared by the office of Dr.\n"
        "Adams, who has led the survey of the coast of\n"
        "Norway since it was founded. Samples were taken\n"
        "at Bergen and at four other places, and micro-\n"
        "plastics in them were counted by two people.\n"
        "3.2 Results\n"
        "We found that the counts differed by season."
    )
    assert [" ".join(sentence.split()) for sentence in found(wrapped)] == [
        "The report was prepared by the office of Dr. Adams, who has led the survey of the coast"
        " of Norway since it was founded.",
        "Samples were taken at Bergen and at four other places, and micro- plastics in them were"
        " counted by two people.",
        "3.2 Results",
        "We found that the counts differed by season.",
    ]


def test_headlines_of_like_length_stay_apart() -> None:
    lines = [
        "Where to file a noise complaint in the city",
        "How the ordinance is enforced at night now",
        "What the fines are for a second violation",
    ]
    assert found("\n".join(lines)) == lines


def test_text_without_punctuation_is_cut_at_spaces() -> None:
    words = "so and then we said that " * 100
    pieces = found(words)
    assert all(len(piece) <= MAX_LENGTH for piece in pieces)
    assert " ".join(pieces) == words.strip()


def test_a_long_row_is_cut_between_cells_and_long_code_between_lines() -> None:
    row = "| " + " | ".join(f"Cell {n}. And, more; of it" for n in range(40)) + " |"
    assert all(piece.startswith(("|", "Cell ")) for piece in found(row))
    code = "```\n" + "\n".join(f"call(a, {n}); and so on" for n in range(40)) + "\n```"
    assert [line for piece in found(code) for line in piece.split("\n")] == code.split("\n")


def test_a_long_sentence_is_cut_at_its_semicolon() -> None:
    first, second = "word " * 90 + "end;", "other " * 60 + "end."
    assert found(f"{first} {second}") == [first, second]


@given(ANY_TEXT)
def test_spans_are_in_order_and_leave_nothing_out(text: str) -> None:
    spans = find_sentences(text)
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert end - start <= MAX_LENGTH
        assert text[start:end].strip() == text[start:end]
        assert re.search(r"[^\W_]", text[start:end])
        assert not re.search(r"[^\W_]", text[at:start]), "a letter or digit outside"
        at = end
    assert not re.search(r"[^\W_]", text[at:])


@given(ANY_TEXT, ANY_TEXT)
def test_an_empty_line_parts_whatever_stands_there(above: str, below: str) -> None:
    gap = len(above) + 2
    assert not [
        span
        for span in find_sentences(f"{above}\n\n{below}")
        if span[0] < len(above) and span[1] > gap
    ]


def test_text_offers_it_too() -> None:
    assert sentences_module.find_sentences is find_sentences
