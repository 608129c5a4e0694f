"""The blocks of a text, whatever it is; its lines without marks; lines joined that were broken to
fit.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.text.blocks import parse_blocks, strip_line_marks, unwrap_lines
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time


def found(text: str) -> list[tuple[str, str]]:
    return [
        (f"{block.kind}{block.level or ''}", text[block.start : block.end])
        for block in parse_blocks(text)
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One.\nTwo.\n\nThree.", [("paragraph", "One.\nTwo."), ("paragraph", "Three.")]),
        (
            "# A\nText\n### B\n\n#hashtag",
            [
                ("heading1", "# A"),
                ("paragraph", "Text"),
                ("heading3", "### B"),
                ("paragraph", "#hashtag"),
            ],
        ),
        ("Title\n=====\nText", [("heading1", "Title\n====="), ("paragraph", "Text")]),
        ("Title\n---\nText", [("heading2", "Title\n---"), ("paragraph", "Text")]),
        ("It is a sentence.\n---\nText", [("paragraph", "It is a sentence.\n---\nText")]),
        (
            "- a\n- b\n  more\n\n- c\n\nText",
            [("list", "- a\n- b\n  more\n\n- c"), ("paragraph", "Text")],
        ),
        ("Text\n- a\n* b\n• c", [("paragraph", "Text"), ("list", "- a\n* b\n• c")]),
        ("1. a\n2) b", [("list", "1. a\n2) b")]),
        ("5. Mai 1945 war ein Dienstag.", [("paragraph", "5. Mai 1945 war ein Dienstag.")]),
        ("It opened on May\n12. It closed.", [("paragraph", "It opened on May\n12. It closed.")]),
        ("7. a\n8. b", [("list", "7. a\n8. b")]),
        (
            "| a | b |\n|---|---|\n| 1 | 2 |\nText",
            [("table", "| a | b |\n|---|---|\n| 1 | 2 |"), ("paragraph", "Text")],
        ),
        ("a | b\n--|--\n1 | 2\n\nText", [("table", "a | b\n--|--\n1 | 2"), ("paragraph", "Text")]),
        ("| 1 | 2 |\n| 3 | 4 |", [("table", "| 1 | 2 |\n| 3 | 4 |")]),
        ("this or | that\nit is", [("paragraph", "this or | that\nit is")]),
        (
            "```py\n# no heading\n\n- no item\n```\nText",
            [("code", "```py\n# no heading\n\n- no item\n```"), ("paragraph", "Text")],
        ),
        ("````\n```\n````\nx", [("code", "````\n```\n````"), ("paragraph", "x")]),
        (
            "Text\n```\nnever closed\n\n# a",
            [("paragraph", "Text"), ("code", "```\nnever closed\n\n# a")],
        ),
        ("```inline``` text", [("paragraph", "```inline``` text")]),
        ("Title\n~~~~~\nText", [("paragraph", "Title\n~~~~~\nText")]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_blocks(text: str, parts: list[tuple[str, str]]) -> None:
    assert found(text) == parts


SIGNS = (
    "# a,text,text.,- a,  - b,1. a,7. b,| a | b |,|---|---|,a | b,-|-,|,```,````py,===,---,  ,\t,>"
    " q,* * *,    indented,\u00a0,[1] x,#,"
)
LINES = st.sampled_from(SIGNS.split(","))
ANY_TEXT = (
    st.text() | st.lists(LINES).map("\n".join) | st.text(st.sampled_from(" \n\t#-=|`>*1.a\r\u2028"))
)


@given(ANY_TEXT)
def test_blocks_are_in_order_and_leave_nothing_out(text: str) -> None:
    layout = parse_blocks(text)
    at = 0
    for block in layout:
        assert at <= block.start < block.end <= len(text)
        assert text[block.start : block.end].strip() == text[block.start : block.end]
        assert not text[at : block.start].strip(), "something outside"
        assert (block.kind == "heading") == (1 <= block.level <= 6)
        at = block.end
    assert not text[at:].strip()


@given(ANY_TEXT, ANY_TEXT)
@example("0. ", "- ")
@example("5. Mai 1945", "  und danach")
def test_an_empty_line_ends_every_block_but_lists_and_code(above: str, below: str) -> None:
    gap = len(above) + 1
    over = [
        block
        for block in parse_blocks(f"{above}\n\n{below}")
        if block.start < len(above) and block.end > gap
    ]
    assert all(block.kind in ("list", "code") for block in over)


HOSTILE = {
    "fences": "\n".join("`" * n for n in range(1_000, 2, -1)),
    "underlines": "ab\n---\n" * 50_000,
    "rules below a long line": "a b " * 200_000 + "\n" + "-|-\n" * 50_000,
    "items": "- a\n\n" * 60_000,
    "numbers": "7. a\n\n" * 60_000,
    "strokes": "|" * 1_000_000,
    "blanks": " " * 500_000 + "\n" + " \n" * 200_000,
    "signs": "#" * 500_000 + "\n" + "# " * 200_000,
}


@pytest.mark.parametrize("name", mark_nth_everyday(HOSTILE, 4))
def test_hostile_text_takes_time_as_it_is_long(name: str) -> None:
    with check_cpu_time(3):
        parse_blocks(HOSTILE[name])


# ---------------------------------------------------------------- without marks


def test_lines_without_marks() -> None:
    text = (
        "## Where\n\n> - It *is* here\n1. One\n\n| a | b \\| c |\n|---|---|\n|  | 2 |\n\n```\n"
        "x = 1 | 2\n```\n- \n#hashtag"
    )
    assert list(strip_line_marks(text)) == [
        "Where",
        "It *is* here",
        "1. One",
        "a | b | c",
        "2",
        "x = 1 | 2",
        "#hashtag",
    ]


@given(ANY_TEXT.map(lambda text: text.replace("`", "")))
def test_lines_without_marks_hold_every_letter_and_digit(text: str) -> None:
    assert [c for line in strip_line_marks(text) for c in line if c.isalnum()] == [
        c for c in text if c.isalnum()
    ]


# ---------------------------------------------------------------- wrapped lines


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (
            "The gauge on the pier was read on four\nmornings in May.",
            "The gauge on the pier was read on four mornings in May.",
        ),
        (
            "The gauge was levelled and the read-\nings were kept as taken.",
            "The gauge was levelled and the readings were kept as taken.",
        ),
        (
            "A well-known gauge is a well-\nknown gauge on the shore.",
            "A well-known gauge is a well-known gauge on the shore.",
        ),
        (
            "- one item of a list\n- another item of it",
            "- one item of a list\n- another item of it",
        ),
        ("| a | b |\n|---|---|\n| c | d |", "| a | b |\n|---|---|\n| c | d |"),
        (
            "Title\nThe gauge on the pier was read on four mornings.",
            "Title\nThe gauge on the pier was read on four mornings.",
        ),
        ("a\n\n\n\nb", "a\n\nb"),
        (
            "[1] Smith J. The gauge on the pier.\n[2] Jones K. The harbour.",
            "[1] Smith J. The gauge on the pier.\n[2] Jones K. The harbour.",
        ),
        (
            "It was said of the gauge on the pier in\n[12] and by others.",
            "It was said of the gauge on the pier in [12] and by others.",
        ),
        (
            "```\nfirst line of the code\nsecond line of the code\n```",
            "```\nfirst line of the code\nsecond line of the code\n```",
        ),
        ("", ""),
    ],
)
def test_lines_broken_to_fit_are_joined(lines: str, text: str) -> None:
    assert unwrap_lines(lines) == text


@given(st.text(alphabet="ab .-\n|#1", max_size=200), st.booleans())
def test_joining_lines_loses_no_word_and_is_done_once(text: str, paragraphs: bool) -> None:
    joined = unwrap_lines(text, paragraphs=paragraphs)
    assert [c for c in joined if c in "ab1|#."] == [c for c in text if c in "ab1|#."]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("**Bridge lead.** The bridge", "**Bridge lead.** The bridge"),
        ("*Ein Wort* und * noch eines", "*Ein Wort* und * noch eines"),
        ("-5 °C - and falling", "-5 °C - and falling"),
        ("+49 30 + 1", "+49 30 + 1"),
        ("#tag # and another", "#tag # and another"),
        (">quoted > twice", ">quoted > twice"),
        ("* **Пункт** * два", "**Пункт** * два"),
        ("> - ## 見出し # 1", "見出し # 1"),
    ],
)
def test_only_the_marks_that_begin_a_line_are_taken_off(line: str, shown: str) -> None:
    assert list(strip_line_marks(line)) == [shown]
