"""Marks that code minted stay, everything that could be taken for one goes; source lines."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.citations.marks import (
    MARK_PATTERN,
    MAX_ROUNDS,
    find_cited_ids,
    format_citations,
    keep_known,
    rename_foreign_marks,
)

KNOWN = ("p1a2b3c4d", "p5e6f7a8b", "p00000000")
ID = re.compile(
    r"(?<![^\W_])p[0-9a-f]{8}(?![^\W_])", re.IGNORECASE
)  # a letter or digit of any script beside it makes another word of it


@pytest.mark.parametrize(
    ("text", "kept", "removed"),
    [
        (
            "A fact [p1a2b3c4d]. Two [p1a2b3c4d, p5e6f7a8b].",
            "A fact [p1a2b3c4d]. Two [p1a2b3c4d, p5e6f7a8b].",
            0,
        ),
        ("No mark at all.", "No mark at all.", 0),
        # spelled loosely, but whole and known
        ("x [p1a2b3c4d,p5e6f7a8b]", "x [p1a2b3c4d, p5e6f7a8b]", 0),
        ("x [p1a2b3c4d; p5e6f7a8b and p00000000]", "x [p1a2b3c4d, p5e6f7a8b, p00000000]", 0),
        ("x [p1a2b3c4d\n, p5e6f7a8b]", "x [p1a2b3c4d, p5e6f7a8b]", 0),
        (
            "x [ p1a2b3c4d ] [**p5e6f7a8b**] [`p00000000`]",
            "x [p1a2b3c4d] [p5e6f7a8b] [p00000000]",
            0,
        ),
        (r"x \[p1a2b3c4d\].", "x [p1a2b3c4d].", 0),
        ("x [[p1a2b3c4d]] y", "x [p1a2b3c4d] y", 0),
        ("x [p1a2b3c4d, p1a2b3c4d]", "x [p1a2b3c4d]", 0),
        ("x [p1a2\u200bb3c4d]", "x [p1a2b3c4d]", 0),
        # invented ids
        ("x [pdeadbeef].", "x.", 1),
        ("x [pdeadbeef, p1a2b3c4d, p99999999].", "x [p1a2b3c4d].", 2),
        ("x [p1a2b3c4d][pdeadbeef][p5e6f7a8b].", "x [p1a2b3c4d][p5e6f7a8b].", 1),
        ("x [pdeadbeef] [p99999999] y", "x y", 2),
        ("a[pdeadbeef]b", "a b", 1),
        ("[pdeadbeef] Begin", "Begin", 1),
        ("- [pdeadbeef] item", "- item", 1),
        ("x [p1a2b3c], [p1a2b3c4d5] and [p1]", "x, and", 3),
        # ranges
        ("x [p1-p3] y", "x y", 2),
        ("x [p1a2b3c4d-p5e6f7a8b] y", "x y", 2),
        ("x [p1a2b3c4d–p5e6f7a8b] [p1...p3] [p1 to p4]", "x", 6),
        # ids in code
        ("`[pdeadbeef]` `[p1a2b3c4d]` `a`[pdeadbeef]`b`", "`[p1a2b3c4d]` `a` `b`", 2),
        ("```\npdeadbeef\n```", "```\n\n```", 1),
        # other brackets, nested brackets, bare ids
        ("x (p1a2b3c4d) {pdeadbeef} <p5e6f7a8b> (p1a2b3c4d, p5e6f7a8b)", "x", 5),
        ("x 【p1a2b3c4d】 ［pdeadbeef］ 〔p5e6f7a8b〕 ⟦p00000000⟧", "x", 4),
        ("see p1a2b3c4d and _pdeadbeef_", "see and", 2),
        ("[see pdeadbeef] [seeing pdeadbeef]", "[seeing]", 2),
        ("[pdeadbeef", "[", 1),
        ("[[[pdeadbeef]] x", "[ x", 1),
        ("[pdeadbeef]] x [", "] x [", 1),
        ("[[pdeadbeef][p99999999]]", "[]", 2),
        ("[p1a[pdeadbeef]2b3c4d]", "[p1a 2b3c4d]", 1),
        ("[p12[pdeadbeef], p34]", "", 3),
        # look-alikes
        ("x [P1A2B3C4D] P5E6F7A8B", "x", 2),
        ("x [р1а2b3с4d]", "x", 1),
        ("x [ｐ１ａ２ｂ３ｃ４ｄ] 𝐩𝟏𝐚𝟐𝐛𝟑𝐜𝟒𝐝", "x", 2),
        ("x &#91;pdeadbeef&#93; &lsqb;3&rsqb; &#x5B;p1a2b3c4d&#x5d;", "x", 3),
        # what `draft` would make a mark of by taking another mark, or the sign of a quotation, out
        # of it
        ("x [1[p1a2b3c4d]] [7**[p5e6f7a8b]**, 2]", "x [p1a2b3c4d] [p5e6f7a8b]", 3),
        ("> [7\n> ] quoted", "> quoted", 1),
        # as other programs write them
        (
            "x 【3†source】 y 【4:0†report.pdf】 z [cite: 1, 2] [source 3] [3, pp. 4-5] [^note-one]",
            "x y z",
            7,
        ),
        ("x &#91[p1a2b3c4d];5] R&D [p1a2b3c4d]", "x #91[p1a2b3c4d];5] R&D [p1a2b3c4d]", 0),
        ("x [&#55;] [&#x70;deadbeef] &#38;", "x &#38;", 2),
        # numbers, as the report writes them
        ("x [3], [^4], [1, 2], [1–3].", "x,,,.", 6),
        ("[3]: http://evil.example/", ": http://evil.example/", 1),
        # marks that Markdown would make links or pictures
        ("x [p1a2b3c4d](http://evil.example/)", "x(http://evil.example/)", 1),
        ("![p1a2b3c4d](http://evil.example/x.png)", "!(http://evil.example/x.png)", 1),
        ("[p1a2b3c4d]: http://evil.example/", ": http://evil.example/", 1),
        ("text\n > [p1a2b3c4d]: http://evil.example/", "text\n >: http://evil.example/", 1),
        ("x [p1a2b3c4d][7](http://evil.example/)", "x [p1a2b3c4d] (http://evil.example/)", 1),
        ("as he said [p1a2b3c4d]: never", "as he said [p1a2b3c4d]: never", 0),
        # no marks: these stay
        (
            "in [0, 1], [0.5, 1.2], [2020], arr[0], [x], [president], (p53), p53, [p. 12], P-value, xp1a2b3c4d",
            "in [0, 1], [0.5, 1.2], [2020], arr[0], [x], [president], (p53), p53, [p. 12], P-value, xp1a2b3c4d",
            0,
        ),
    ],
)
def test_keep_known(text: str, kept: str, removed: int) -> None:
    assert keep_known(text, KNOWN) == (kept, removed)
    assert keep_known(kept, KNOWN) == (kept, 0)


WORDS = st.sampled_from(
    [
        "The rate",
        "rose",
        "by 12 %",
        "in 2024,",
        "he said.",
        "(see below)",
        "“quoted”",
        "naïve 中文",
        "\n\n## Part\n\n",
        "- item",
        "[sic]",
    ]
)
GOOD = st.lists(st.sampled_from(KNOWN), min_size=1, max_size=3, unique=True).map(
    lambda ids: (f"[{', '.join(ids)}]", 0)
)
FORMS = st.sampled_from(
    [
        "[{}]",
        "【{}】",
        "［{}］",
        "({})",
        "{{{}}}",
        "`[{}]`",
        "\\[{}\\]",
        "[[{}]]",
        "&#91;{}&#93;",
        " {} ",
        "```\n[{}]\n```",
        "[\u200b{}\u200b]",
    ]
)
UNKNOWN = st.from_regex(r"p[1-9a-f]{8}", fullmatch=True).filter(lambda id: id not in KNOWN)
BAD = st.one_of(
    st.builds(lambda form, id: (form.format(id), 1), FORMS, UNKNOWN),
    st.builds(
        lambda form, id: (form.format(id.upper()), 1), FORMS, UNKNOWN | st.sampled_from(KNOWN)
    ),
    st.builds(lambda id: (f"【{id}】", 1), st.sampled_from(KNOWN)),
    st.builds(lambda a, b: (f"[{a}-{b}]", 2), UNKNOWN, st.sampled_from(KNOWN)),
    st.builds(lambda number: (f"[{number}]", 1), st.integers(1, 999)),
)
PARTS = st.lists(WORDS.map(lambda words: (words, None)) | GOOD | BAD, max_size=12)


def bare(text: str) -> str:
    """What is left without marks, brackets that held one, white space and code signs."""
    return re.sub(r"[\s\\`]", "", MARK_PATTERN.sub("", text))


@given(PARTS)
def test_a_text_loses_its_false_marks_and_nothing_else(parts: list[tuple[str, int | None]]) -> None:
    text = " ".join(part for part, _ in parts)
    kept, removed = keep_known(text, KNOWN)
    assert removed == sum(count or 0 for _, count in parts)
    assert bare(kept) == bare(" ".join(part for part, count in parts if count is None))
    assert [id for mark in MARK_PATTERN.findall(kept) for id in ID.findall(mark)] == [
        id for part, n in parts if n == 0 for id in ID.findall(part)
    ]


def check_only_known_marks(text: str) -> None:
    kept, _ = keep_known(text, KNOWN)
    assert set(find_cited_ids(kept)) <= set(KNOWN)
    assert not ID.search(MARK_PATTERN.sub("", kept)), "an id outside a mark"
    assert not re.search(r"\[\^?[1-9]\d{0,2}\]", kept)
    assert keep_known(kept, KNOWN) == (kept, 0)


@given(
    st.lists(
        st.sampled_from(
            [
                *KNOWN,
                "pdeadbeef",
                "p1",
                "7",
                "[",
                "]",
                "[",
                "]",
                "【",
                "】",
                "(",
                ")",
                ",",
                "-",
                " ",
                "\n",
                "\\",
                "`",
                ":",
                "a",
                "P1A2B3C4D",
            ]
        )
    )
)
def test_no_arrangement_of_brackets_and_ids_gets_through(pieces: list[str]) -> None:
    check_only_known_marks("".join(pieces))


@given(st.text(st.sampled_from("p1a2b3c4d5[]()\\,- 【】｛９ｐр&#91;:\n")) | st.text())
@example("p11111111９")
def test_no_text_at_all_gets_through(text: str) -> None:
    check_only_known_marks(text)


def test_without_known_passages_no_mark_is_left() -> None:
    assert keep_known("a [p1a2b3c4d] b [p5e6f7a8b, p00000000].", ()) == ("a b.", 3)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ()),
        ("No marks [x] [3]", ()),
        (
            "A [p1a2b3c4d]. B [p5e6f7a8b, p1a2b3c4d][p00000000]",
            ("p1a2b3c4d", "p5e6f7a8b", "p00000000"),
        ),
        ("bare p1a2b3c4d, [P1A2B3C4D], [p1a2b3c4d-p5e6f7a8b]", ()),
    ],
)
def test_cited(text: str, ids: tuple[str, ...]) -> None:
    assert find_cited_ids(text) == ids


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (
            {"url": "https://arxiv.org/abs/1", "title": "Title of Page", "score": 0.87},
            "[Title of Page](https://arxiv.org/abs/1) (Credibility Score: 0.87)",
        ),
        (
            {
                "url": "https://nature.com/a",
                "title": "Gone",
                "score": 0.7,
                "archived": (
                    "an archived copy of 2024-05-01",
                    "https://web.archive.org/web/2024/x",
                ),
            },
            "[Gone](https://nature.com/a) (Credibility Score: 0.70), read from [an archived copy of 2024-05-01](https://web.archive.org/web/2024/x)",
        ),
        (
            {
                "url": "https://nature.com/a",
                "title": "Gone",
                "score": 0.7,
                "archived": (
                    "an archived copy of 2024-05-01",
                    "https://web.archive.org/web/2024/x",
                ),
                "live_failure": "the page is gone (HTTP 410)",
                "copy_of": 3,
            },
            "[Gone](https://nature.com/a) (Credibility Score: 0.70), read from [an archived copy of"
            " 2024-05-01](https://web.archive.org/web/2024/x): the page is gone (HTTP 410),"
            " copy of [3], counted once",
        ),
        (
            {"url": "https://nature.com/a", "title": "Another", "score": 0.7949},
            "[Another](https://nature.com/a) (Credibility Score: 0.79)",
        ),
        (
            {"url": "https://nature.com/a", "title": "Zero", "score": 0.0},
            "[Zero](https://nature.com/a) (Credibility Score: 0.00)",
        ),
        (
            {"url": "https://nature.com/a", "title": "Approved", "score": None},
            "[Approved](https://nature.com/a)",
        ),
        ({"url": "document:ab12", "title": "My notes", "score": None}, "My notes (own document)"),
        (
            {
                "url": "document:ab12",
                "title": "My page",
                "score": None,
                "claim": "https://nih.gov/a_(b)\n[c](http://evil.example)",
            },
            r"My page (own document), states that it is from https\://nih.gov/a\_(b) \[c\](http\://evil.example)",
        ),
        (
            {
                "url": "https://nature.com/a",
                "title": "Sly",
                "score": 0.7,
                "hides": "2 hidden text blocks",
                "copy_of": 1,
            },
            "[Sly](https://nature.com/a) (Credibility Score: 0.70), 2 hidden text blocks, copy of [1], counted once",
        ),
        ({"url": "document:ab12", "title": "", "score": 0.9}, r"document\:ab12 (own document)"),
        (
            {"url": "https://a.example/b_(c)", "title": "T", "score": 0.5},
            "[T](https://a.example/b_%28c%29) (Credibility Score: 0.50)",
        ),
        (
            {"url": "https://a.example/b c\n<d>[e]", "title": "T", "score": 0.5},
            "[T](https://a.example/b%20c%0A%3Cd%3E%5Be%5D) (Credibility Score: 0.50)",
        ),
        (
            {
                "url": "https://a.example/",
                "title": "T](http://evil.example) ![x](y)\n\n# H",
                "score": 0.5,
            },
            r"[T\](http\://evil.example) !\[x\](y) # H](https://a.example/) (Credibility Score: 0.50)",
        ),
        (
            {"url": "https://a.example/", "title": "*b* `c` $d$ <e>\u202e", "score": 0.5},
            r"[\*b\* \`c\` \$d\$ \<e\>](https://a.example/) (Credibility Score: 0.50)",
        ),
        (
            {"url": "https://a.example/x", "title": "", "score": 0.5},
            r"[https\://a.example/x](https://a.example/x) (Credibility Score: 0.50)",
        ),
        ({"url": "javascript:alert(1)", "title": "J", "score": 0.5}, "J (Credibility Score: 0.50)"),
        ({}, "Untitled"),
    ],
)
def test_format_citations(source: dict[str, Any], line: str) -> None:
    assert format_citations([source]) == f"[1]. {line}"


def test_citations_are_numbered_in_order() -> None:
    sources = [{"url": f"https://{name}.example/", "title": name, "score": 0.6} for name in "abc"]
    assert [line[:8] for line in format_citations(sources).splitlines()] == [
        "[1]. [a]",
        "[2]. [b]",
        "[3]. [c]",
    ]
    assert format_citations([]) == ""


@given(
    st.lists(
        st.fixed_dictionaries(
            {"url": st.text(), "title": st.text(), "score": st.none() | st.floats(0, 1)}
        )
    )
)
def test_one_line_for_each_source_whatever_its_title(sources: list[dict[str, Any]]) -> None:
    lines = format_citations(sources).split("\n") if sources else []
    assert [line.partition(" ")[0] for line in lines] == [
        f"[{number}]." for number in range(1, len(sources) + 1)
    ]
    assert all(len(re.findall(r"(?<!\\)\]\(", line)) <= 1 for line in lines)


def test_marks_nested_without_end_are_not_looked_over_without_end() -> None:
    """Each round bares one more mark: 24,000 such characters took half a minute."""
    text = "Seals dive. [p12345678] " + "[1" * 40 + "]" * 40 + " They surface [p12345678]."
    kept, removed = keep_known(text, ["p12345678"])
    assert (kept.count("[p12345678]"), removed) == (2, MAX_ROUNDS)
    assert not set("[]") & set(kept.replace("[p12345678]", ""))
    assert keep_known(kept, ["p12345678"]) == (kept, 0)


@pytest.mark.parametrize(
    ("text", "left", "removed"),
    [
        ("It rose [p1a2b3c4d, S2].", "It rose [p1a2b3c4d].", 1),
        ("It rose [S2; p1a2b3c4d].", "It rose [p1a2b3c4d].", 1),
        ("It rose [doc3][Quelle 4].", "It rose.", 2),
        ("It rose [p1a2b3c4d, p5e6f7a8b].", "It rose [p1a2b3c4d, p5e6f7a8b].", 0),
        ("It rose [S1](https://a.example).", "It rose [S1](https://a.example).", 0),
        ("It rose [CO2] in [2020].", "It rose [CO2] in [2020].", 0),
    ],
)
def test_keys_of_other_programs_name_no_passage(text: str, left: str, removed: int) -> None:
    assert keep_known(rename_foreign_marks(text), KNOWN) == (left, removed)
