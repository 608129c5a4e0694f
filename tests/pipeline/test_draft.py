"""The written Markdown taken apart and put together: no word is lost, and every mark stays with its
sentence.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Block, Sentence
from research_core.pipeline.draft import (
    STATE_FLAGS,
    TableRow,
    escape_literal_signs,
    is_whole_row,
    parse,
    parse_table,
    render,
    state_claims,
)

A, B, C = "[p0000000a]", "[p0000000b]", "[p0000000c]"
NUMBERS = {"p0000000a": 1, "p0000000b": 2, "p0000000c": 3}
Shape = list[tuple[str, int, list[tuple[str, str]]]]


def shape(markdown: str) -> Shape:
    """(kind, level, [(text, last letters of the cited ids)]) of each block."""
    return [
        (block.kind, block.level, [_plain(sentence) for sentence in block.sentences])
        for block in parse(markdown)
    ]


def _plain(sentence: Sentence) -> tuple[str, str]:
    return sentence.text, "".join(id[-1] for id in sentence.citations)


def sentences(markdown: str) -> list[tuple[str, str]]:
    return [sentence for _, _, found in shape(markdown) for sentence in found]


# ---------------------------------------------------------------- marks


MARKED: list[tuple[str, list[tuple[str, str]]]] = [
    (f"Seals left {A}. Birds came {B}.", [("Seals left.", "a"), ("Birds came.", "b")]),
    (f"Seals left. {A} Birds came. {B}", [("Seals left.", "a"), ("Birds came.", "b")]),
    (f"Seals left.{A} Birds came.{B}", [("Seals left.", "a"), ("Birds came.", "b")]),
    (f"Seals left {A}. {B} Birds came.", [("Seals left.", "ab"), ("Birds came.", "")]),
    (f"Seals left {A}{B}. Birds came {B}{B}.", [("Seals left.", "ab"), ("Birds came.", "b")]),
    (f"Seals left. {A} {B}\n{C} Birds came.", [("Seals left.", "abc"), ("Birds came.", "")]),
    (
        "Seals left [p0000000a, p0000000b]. Birds came.",
        [("Seals left.", "ab"), ("Birds came.", "")],
    ),
    (f"Seals {A} left, birds {B} came.", [("Seals left, birds came.", "ab")]),
    (f"Seals left {A}, birds came {B}; all well.", [("Seals left, birds came; all well.", "ab")]),
    (
        f"Did seals leave? {A} They did! {B} Really… {C}",
        [("Did seals leave?", "a"), ("They did!", "b"), ("Really…", "c")],
    ),
    (
        f'He said "it left." {A} Then “no.” {B} Done.',
        [('He said "it left."', "a"), ("Then “no.”", "b"), ("Done.", "")],
    ),
    (f"**Seals left.** {A} *Birds came.* {B}", [("**Seals left.**", "a"), ("*Birds came.*", "b")]),
    (f"(Seals left.) {A} Birds came {B}", [("(Seals left.)", "a"), ("Birds came", "b")]),
    (f"In 2024. {A} The birds came.", [("In 2024.", "a"), ("The birds came.", "")]),
    (f"It grew by 3.5 {A} percent.", [("It grew by 3.5 percent.", "a")]),
    (f"Some, e.g. {A} seals, left.", [("Some, e.g. seals, left.", "a")]),
    (f"{A} Seals left.", [("Seals left.", "a")]),
    (f"Seals{A}left{B}birds", [("Seals left birds", "ab")]),
    (f"Seals {A}(and birds) left", [("Seals (and birds) left", "a")]),
    (f"(seals {A})", [("(seals)", "a")]),
    (f"海豹离开。{A}鸟留下。{B}", [("海豹离开。", "a"), ("鸟留下。", "b")]),
    (f"海豹离开{A}。鸟留下{B}。", [("海豹离开。", "a"), ("鸟留下。", "b")]),
    (f"सील चले गए। {A} पक्षी आए। {B}", [("सील चले गए।", "a"), ("पक्षी आए।", "b")]),
    (f"Seals left.\n{A}", [("Seals left.", "a")]),
    (f"Seals left.\n\n- {A}\n\n{B}", [("Seals left.", "ab")]),
    (A, []),
]


@pytest.mark.parametrize(("markdown", "expected"), MARKED)
def test_a_mark_belongs_to_the_sentence_it_follows(
    markdown: str, expected: list[tuple[str, str]]
) -> None:
    assert sentences(markdown) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It grew by .5 percent.",
        "Well ... then.",
        "Quoi ? Rien !",
        "a : b",
        "see :) there",
        "[a] and [12]",
    ],
)
def test_what_is_no_mark_stays_as_it_is(text: str) -> None:
    assert " ".join(sentence for sentence, _ in sentences(text)) == text


def test_a_long_sentence_is_one_and_has_its_marks() -> None:
    long = "; ".join(f"in bay {n} the seals left when the turbines turned" for n in range(40))
    assert sentences(f"Then {long} {A}. Birds came {B}.") == [
        (f"Then {long}.", "a"),
        ("Birds came.", "b"),
    ]


# ---------------------------------------------------------------- blocks

BLOCKS: list[tuple[str, Shape]] = [
    ("", []),
    ("\n \n\t\n", []),
    ("One. Two.", [("paragraph", 0, [("One.", ""), ("Two.", "")])]),
    (f"Wrapped\nover {A}\nlines.", [("paragraph", 0, [("Wrapped over lines.", "a")])]),
    ("One.\n\nTwo.", [("paragraph", 0, [("One.", "")]), ("paragraph", 0, [("Two.", "")])]),
    (
        f"# Title\n## Part {A}\n###### Deep ##",
        [
            ("heading", 1, [("Title", "")]),
            ("heading", 2, [("Part", "a")]),
            ("heading", 6, [("Deep", "")]),
        ],
    ),
    ("## What? Why. Where", [("heading", 2, [("What? Why. Where", "")])]),
    (
        "## C#\n#hashtag\n####### seven",
        [("heading", 2, [("C#", "")]), ("paragraph", 0, [("#hashtag ####### seven", "")])],
    ),
    (
        f"- One {A}.\n* Two.\n+ Three\n• Four",
        [
            ("bullet", 0, [("One.", "a")]),
            ("bullet", 0, [("Two.", "")]),
            ("bullet", 0, [("Three", "")]),
            ("bullet", 0, [("Four", "")]),
        ],
    ),
    (
        f"- One goes\n  on {A}.\n  - Nested",
        [("bullet", 0, [("One goes on.", "a")]), ("bullet", 0, [("Nested", "")])],
    ),
    (
        f"1. One {A}.\n2) Two.\n10. Ten",
        [
            ("bullet", 1, [("One.", "a")]),
            ("bullet", 2, [("Two.", "")]),
            ("bullet", 10, [("Ten", "")]),
        ],
    ),
    (
        "It ended in\n2025. Then\n1. One",
        [("paragraph", 0, [("It ended in 2025.", ""), ("Then", "")]), ("bullet", 1, [("One", "")])],
    ),
    (
        "0. Zero\n\n-5 degrees",
        [("paragraph", 0, [("0. Zero", "")]), ("paragraph", 0, [("-5 degrees", "")])],
    ),
    (
        f"> Quoted over\n> lines. {A}\nAnd on",
        [("quote", 0, [("Quoted over lines.", "a"), ("And on", "")])],
    ),
    ("> One\n>\n> Two", [("quote", 0, [("One", "")]), ("quote", 0, [("Two", "")])]),
    (
        f"| a | b |\n|---|:-:|\n| 1 {A} | 2. Two |\nAfter",
        [
            ("table", 0, [("a", ""), ("b", "")]),
            ("table", 0, [("|---|:-:|", "")]),
            ("table", 0, [("1", "a"), ("2. Two", "")]),
            ("paragraph", 0, [("After", "")]),
        ],
    ),
    (
        "One\n---\n***\n* * *\n- \n##\n>\nTwo",
        [("paragraph", 0, [("One", "")]), ("paragraph", 0, [("Two", "")])],
    ),
    (
        "Text\n- One\n\nText",
        [
            ("paragraph", 0, [("Text", "")]),
            ("bullet", 0, [("One", "")]),
            ("paragraph", 0, [("Text", "")]),
        ],
    ),
    (
        "# A\r\nB\x0b\r\n- C\u2028D",
        [("heading", 1, [("A", "")]), ("paragraph", 0, [("B", "")]), ("bullet", 0, [("C D", "")])],
    ),
]


@pytest.mark.parametrize(("markdown", "expected"), BLOCKS)
def test_lines_become_blocks(markdown: str, expected: Shape) -> None:
    assert shape(markdown) == expected


# ---------------------------------------------------------------- together again

GOLDEN = f"""\
# Seals and *turbines*

## Executive Summary

Seals left the bay {A}. Birds, as “Smith et al.” say, came. {B} {C}

## Main Findings

### Numbers

- About 12.5 percent left [p0000000a, p0000000b].
- The rest
  stayed.

1. First, count {C}.
2. Then compare.

> They kept their distance.
> Always. {B}

| Bay | Share |
|-----|------:|
| North {A} | 12 |
| South | 3 {B} |

Nothing else is known.
"""
RENDERED = """\
# Seals and *turbines*

## Executive Summary

Seals left the bay. [1] Birds, as “Smith et al.” say, came. [2] [3]

## Main Findings

### Numbers

- About 12.5 percent left. [1] [2]
- The rest stayed.

1. First, count. [3]
2. Then compare.

> They kept their distance. Always. [2]

| Bay | Share |
|-----|------:|
| North [1] | 12 |
| South | 3 [2] |

Nothing else is known."""


def test_a_whole_report_comes_out_with_its_sources_numbers() -> None:
    assert render(parse(GOLDEN), NUMBERS) == RENDERED


def test_what_came_out_reads_the_same_again() -> None:
    assert [block.kind for block in parse(RENDERED)] == [block.kind for block in parse(GOLDEN)]
    assert render(parse(RENDERED), {}) == RENDERED


FLAGGED = [
    ("supported", "Seals left. [1]"),
    ("uncited", "Seals left. [1]"),
    ("partly", "Seals left. [1] *(partly supported)*"),
    ("not found", "Seals left. [1] *(not found in the cited passage)*"),
    ("could not check", "Seals left. [1] *(could not be checked)*"),
]


@pytest.mark.parametrize(("state", "expected"), FLAGGED)
def test_a_sentence_shows_what_its_check_found(state: str, expected: str) -> None:
    sentence = Sentence("Seals left.", ("p0000000a",), state)  # type: ignore[arg-type]
    assert render([Block("paragraph", (sentence,))], NUMBERS) == expected


def test_only_less_than_support_is_flagged_and_only_where_something_is_cited() -> None:
    assert set(STATE_FLAGS) == {"partly", "not found", "could not check"}
    assert (
        render([Block("paragraph", (Sentence("Seals left.", (), "not found"),))], NUMBERS)
        == "Seals left."
    )


def test_one_source_cited_twice_is_named_once_and_an_unknown_one_not() -> None:
    sentence = Sentence("Seals left.", ("p0000000a", "pffffffff", "p0000000b"))
    assert (
        render([Block("bullet", (sentence,))], {"p0000000a": 4, "p0000000b": 4})
        == "- Seals left. [4]"
    )


@pytest.mark.parametrize(
    ("page", "texts", "drawn"),
    [
        (
            "It costs 5 **per\nmonth** here.",
            ["It costs 5 **per month**."],
            [r"It costs 5 \*\*per month\*\*."],
        ),
        ("It costs 5 per month.", ["It costs **5 per month**."], ["It costs **5 per month**."]),
        ("Set `x` to *y*.", ["Set `x`.", "Now *y*."], [r"Set \`x\`.", r"Now \*y\*."]),
        ("*One. Two.* Three.", ["*One.", "Two.* Three."], [r"\*One.", r"Two.\* Three."]),
        (r"A \* star.", [r"A \* star."], [r"A \\\* star."]),
    ],
)
def test_signs_that_stand_so_in_a_cited_passage_are_the_page_s_own(
    page: str, texts: list[str], drawn: list[str]
) -> None:
    found = escape_literal_signs(
        [Sentence(text, ("p0000000a",)) for text in texts], {"p0000000a": page}
    )
    assert [sentence.text for sentence in found] == drawn


@given(
    st.lists(st.text("*`\\a. \ue002|", max_size=12), max_size=4), st.text("*`\\a. ", max_size=30)
)
def test_a_backslash_is_all_that_is_added(texts: list[str], page: str) -> None:
    found = escape_literal_signs(
        [Sentence(text, ("p0000000a",)) for text in texts], {"p0000000a": page}
    )
    assert len(found) == len(texts)
    assert [one.text.replace("\\", "") for one in found] == [
        text.replace("\ue002", "").replace("\\", "") for text in texts
    ]


P, Q = "[p0000000a]", "[p0000000b]"
#: A row of a table, and the same row rendered with the numbers of its sources.
ROWS_WITH_MARKS = [
    (f"| Cost | 5 EUR {P} | 7 EUR {Q} |", "| Cost | 5 EUR [1] | 7 EUR [2] |"),
    (f"| Kosten | Sie kostet 5 €. {P} | |", "| Kosten | Sie kostet 5 €. [1] |  |"),
    (f"|Prix {P}|5 €|", "| Prix [1] | 5 € |"),
    (f"| a {P} {Q} | b {Q} |", "| a [1] [2] | b [2] |"),
    (f"| One. {P} Two. {Q} | b |", "| One. Two. [1] [2] | b |"),
    (rf"| a \| b {P} | c \| {Q} |", r"| a \| b [1] | c \| [2] |"),
    (f"| 费用 | 五元。{P} | 七元。{Q} |", "| 费用 | 五元。 [1] | 七元。 [2] |"),
    (f"| السعر | خمسة {P} | سبعة {Q} |", "| السعر | خمسة [1] | سبعة [2] |"),
    (f"| Cost | 5 | {P} |", "| Cost | 5 | [1] |"),
]


@pytest.mark.parametrize(("row", "rendered"), ROWS_WITH_MARKS)
def test_a_mark_stays_in_its_cell(row: str, rendered: str) -> None:
    assert render(parse(row), NUMBERS) == rendered


@pytest.mark.parametrize(("row", "_"), ROWS_WITH_MARKS)
def test_a_row_of_an_older_session_is_one_sentence(row: str, _: str) -> None:
    for rules in ({}, {"scoring": "unknown"}, {"scoring": 2}):
        (block,) = parse(row, rules)  # type: ignore[arg-type]
        (whole,) = block.sentences
        assert is_whole_row(block)
        assert (whole.text[0], whole.text[-1]) == ("|", "|")
        assert state_claims(block) == (whole.text,)


@pytest.mark.parametrize(
    ("row", "claims"),
    [
        (f"| Life | 15 years {P} | 20 years {Q} |", ("Life", "Life: 15 years", "Life: 20 years")),
        (f"| Life | It lasts 15 years. {P} | |", ("Life", "It lasts 15 years.", "")),
        (
            f"| Life | 15 years | 20 years {P} |",
            ("Life", "15 years", "| Life | 15 years | 20 years |"),
        ),
        (f"| North {P} | 12 |", ("| North | 12 |", "12")),
        (f"| It costs 5 {P} | It costs 7 {Q} |", ("It costs 5", "It costs 7")),
        (f"| 寿命 | 十五年。{P} | 二十年{Q} |", ("寿命", "十五年。", "寿命: 二十年")),
        ("| a | b |", ("a", "b")),
        (f"| a | {P} |", ("| a | |",)),
    ],
)
def test_what_the_cells_of_a_row_claim(row: str, claims: tuple[str, ...]) -> None:
    (block,) = parse(row)
    assert state_claims(block) == claims


def test_a_flag_stays_inside_its_cell() -> None:
    cells = (Sentence("North"), Sentence("12", ("p0000000a",), "partly"), Sentence("13"))
    drawn = "| North | 12 [1] *(partly supported)* | 13 |"
    assert render([Block("table", cells)], NUMBERS) == drawn


def test_a_flag_stays_inside_its_row() -> None:
    row = Sentence("| North | 12 |", ("p0000000a",), "partly")
    assert render([Block("table", (row,))], NUMBERS) == "| North | 12 [1] *(partly supported)* |"


def test_lists_of_two_kinds_are_parted() -> None:
    assert render(parse("- a\n3. c\n4. d\n- e"), {}) == "- a\n\n3. c\n4. d\n\n- e"


# ---------------------------------------------------------------- nothing is lost

LEADS = [
    "",
    "# ",
    "### ",
    "- ",
    "* ",
    "1. ",
    "2. ",
    "12) ",
    "2024. ",
    "> ",
    ">> ",
    "  ",
    "| ",
    "+ ",
    "#",
    "---",
    "**",
    "0. ",
    "\t",
]
PIECES = [
    "Seals", "left", "Dr. Smith", "3.5", "U.S.", "e.g.", ".5", "…", "!", "?", ".", ". ", "。", "海豹", "“x.”", '"y"', "(z)", "|", " | ",
    "[a]", "[12]", "*b*", "`c`", "\n", "\n\n", "\r\n", "\u2028", "-", "—", ":", ";", ",", "  ", A, f" {A}", f"{B} ", f" {A} {B}", C,
]  # fmt: skip
TEXTS = st.lists(
    st.tuples(st.sampled_from(LEADS), st.lists(st.sampled_from(PIECES), max_size=8)), max_size=6
).map(lambda lines: "\n".join(lead + "".join(pieces) for lead, pieces in lines))


def words(markdown: str) -> list[str]:
    return re.findall(r"[^\W_]+", re.sub(r"\[p[0-9a-f]{8}(?:, p[0-9a-f]{8})*\]", " ", markdown))


@given(TEXTS | st.text(max_size=60))
def test_words_in_are_words_out(markdown: str) -> None:
    assert words(render(parse(markdown), {})) == words(markdown)


@given(TEXTS)
def test_every_mark_is_kept_where_there_is_a_sentence_it_can_follow(markdown: str) -> None:
    markdown = f"Above.\n{markdown}"
    cited = {
        id for block in parse(markdown) for sentence in block.sentences for id in sentence.citations
    }
    assert cited == {id for id in NUMBERS if f"[{id}]" in markdown}
    assert not re.search(r"\[p0000000", render(parse(markdown), NUMBERS))


@given(st.text(max_size=300))
def test_any_text_can_be_taken_apart(markdown: str) -> None:
    for block in parse(markdown):
        assert block.sentences
        assert block.kind in ("heading", "table") or all(
            sentence.text == " ".join(sentence.text.split()) for sentence in block.sentences
        )


@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        (
            ["| a | b |", "|---|:-:|", "| 1 | 2 |"],
            [TableRow(("a", "b"), 0, is_head=True), TableRow(("1", "2"), 2)],
        ),
        (["| a | b |", "| 1 | 2 |"], [TableRow(("a", "b"), 0), TableRow(("1", "2"), 1)]),
        (["|---|", "| a |"], [TableRow(("a",), 1)]),
        ([r"| a \| b | c |"], [TableRow((r"a \| b", "c"), 0)]),
        ([r"| a \|"], [TableRow((r"a \|",), 0)]),
        (
            ["| a | b | c |", "| 1 |", "| | |"],
            [TableRow(("a", "b", "c"), 0), TableRow(("1", "", ""), 1)],
        ),
        (["  | a\u200b |", "|-\u200b--| "], [TableRow(("a",), 0, is_head=True)]),
        (["|-|", "| |"], []),
        ([], []),
    ],
)
def test_rows_of_a_table(lines: list[str], rows: list[TableRow]) -> None:
    assert parse_table(lines) == tuple(rows)


def test_a_hostile_text_takes_no_time() -> None:
    for hostile in (
        f"{A} " * 20_000,
        "." * 100_000,
        "> " * 20_000,
        f". {A}" * 5_000,
        "| " * 20_000,
        " \t" * 50_000 + "x",
        "# " + " #" * 20_000,
    ):
        parse(hostile)


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("- *Lead:* It is a metal. [p00000001]", ["*Lead:*", "It is a metal."]),
        ("*Trisomy 18:* It is rare. [p00000001]", ["*Trisomy 18:*", "It is rare."]),
        ("- *Under “Myths”:* It is 1. [p00000001]", ["*Under “Myths”:*", "It is 1."]),
        ("- *Lead is safe:* It is a metal. [p00000001]", ["*Lead is safe:* It is a metal."]),
        ("- **Lead:** It is a metal. [p00000001]", ["**Lead:** It is a metal."]),
    ],
)
def test_a_label_is_a_sentence_of_its_own_and_a_claim_is_not(line: str, texts: list[str]) -> None:
    (block,) = parse(line)
    assert [sentence.text for sentence in block.sentences] == texts
    assert block.sentences[-1].citations == ("p00000001",)
    assert parse(render([block], {"p00000001": 1}).replace("[1]", "[p00000001]")) == (block,)
