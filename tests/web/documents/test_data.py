"""JSON as lines with their paths, separated values as pipe tables; what is neither is text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.text.words import strip_invisible
from research_core.web.documents.data import SAMPLE_ROWS, parse_json, parse_separated


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            '{"gauge": 14.20, "on": true, "off": null, "big": 1e400, "n": NaN}',
            "gauge: 14.20\non: true\noff: null\nbig: 1e400\nn: NaN",
        ),
        ('{"a": {"b": {"c": "d"}}, "e": 1}', "a.b.c: d\n\ne: 1"),
        ('[{"id": 1, "t": "x"}, {"id": 2}]', "[0].id: 1\n[0].t: x\n\n[1].id: 2"),
        ('{"tags": ["a", "b"], "none": [], "no": {}}', "tags: a, b"),
        ('{"m": [[1, 2], [3]]}', "m[0]: 1, 2\n\nm[1]: 3"),
        ('["a", 7]', "values: a, 7"),
        ('{"text": "One line.\\nTwo lines."}', "text:\n\nOne line.\nTwo lines."),
        ('{"text": "One.\\n\\nTwo.", "after": 1}', "text:\n\nOne.\n\nTwo.\n\nafter: 1"),
        ('{"html": "<p>One <b>bold</b></p><ul><li>a<li>b</ul>"}', "html:\n\nOne bold\n\n- a\n- b"),
        ('{"a": 1}\n{"a": 2}\n', "[0].a: 1\n\n[1].a: 2"),
        (')]}\'\n{"a": 1}', "a: 1"),
        ('{"a": "x\\u200by", "b c": "p\\tq"}', "a: xy\nb c: p q"),
        (
            json.dumps({f"k{n}": n for n in range(50)}),
            "\n".join(f"k{n}: {n}" + "\n" * (n == 39) for n in range(50)),
        ),
        ('{"a": "' + "x" * 400 + '"}', "a: " + "x" * 400),
        (
            '{"long": [' + ", ".join(['"' + "y" * 100 + '"'] * 4) + "]}",
            "\n".join(f"long[{n}]: " + "y" * 100 for n in range(4)),
        ),
    ],
)
def test_json_is_lines_that_say_where_they_stand(value: str, text: str) -> None:
    page = parse_json(value.encode())
    assert (page.text, page.kind) == (text, "json")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("<script>", "<script>"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("Write <script> with care", "Write <script> with care"),
        ("<style>p{}</style>", "<style>p{}</style>"),
        ("List<string> of <T>", "List<string> of <T>"),
        (
            "<p hidden>Only this, where nobody looks.</p>",
            "<p hidden>Only this, where nobody looks.</p>",
        ),
        ("<p></p>", "<p></p>"),
        ("a<br>b", "a\nb"),
    ],
)
def test_no_value_vanishes_for_looking_like_markup(value: str, said: str) -> None:
    page = parse_json(json.dumps({"a": 1, "b": value, "c": 2}).encode())
    assert page.text == f"a: 1\n\nb:\n\n{said}\n\nc: 2"
    assert page.hidden.total == 0  # nothing of it was taken out


def test_json_says_what_it_is_about() -> None:
    value = {
        "data": {"name": "Gauge <b>7</b>"}, "title": "Tides of the north", "date": "2024-03-05T10:00:00Z", "updated_at": "2025-01-02",
        "authors": [{"name": "Jane Doe"}, "John Roe", 7, {"id": 1}],
    }  # fmt: skip
    page = parse_json(json.dumps(value).encode(), "https://api.example.org/tides")
    assert (page.title, page.published, page.final_url) == (
        "Tides of the north",
        "2024-03-05",
        "https://api.example.org/tides",
    )
    assert (page.metadata.authors, page.metadata.modified) == (
        ("Jane Doe", "John Roe"),
        "2025-01-02",
    )
    assert (
        parse_json(b'{"data": {"name": "Gauge 7"}}').title
        == parse_json(b'[{"label": "Gauge 7"}]').title
        == "Gauge 7"
    )
    assert parse_json(b'{"a": {"b": {"name": "too deep"}}}').title == ""


def test_what_the_html_in_a_value_hides_is_left_out_and_counted() -> None:
    page = parse_json(
        b'{"body": "<p>Shown.</p><p hidden>These words were left where nobody reads.</p>"}'
    )
    assert page.text == "body:\n\nShown."
    assert page.hidden.total == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"results": [{"title": "a"},',
        "[1] A reference, no list",
        "{curly} words [and] {others}",
        "[" * 50 + "a",
    ],
)
def test_what_only_looks_like_json_is_text(text: str) -> None:
    page = parse_json(text.encode())
    assert (page.kind, page.text) == ("text", text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[" * 200_000 + "]" * 200_000, "unsupported"),
        ('{"a":' * 70 + "1" + "}" * 70, "unsupported"),
        ("{}", "content_empty"),
        ("[[], []]", "content_empty"),
    ],
    ids=["deep", "rather deep", "nothing", "empty lists"],
)
def test_json_that_cannot_be_shown_says_why(text: str, kind: str) -> None:
    with pytest.raises(FetchError) as failure:
        parse_json(text.encode())
    assert failure.value.kind == kind


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_lines(value: object) -> None:
    body = json.dumps(value).encode()
    try:
        page = parse_json(body)
    except FetchError as error:
        assert error.kind == "content_empty"  # noqa: PT017 – a value may say nothing, and then it is
    else:
        assert page.text == strip_invisible(page.text) != ""
        assert page == parse_json(body)


# ---------------------------------------------------------------- separated values


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("mark,offset\nA,14.2", "| mark | offset |\n|---|---|\n| A | 14.2 |"),
        ("mark;offset\nA;14,2\nB;3,5", "| mark | offset |\n|---|---|\n| A | 14,2 |\n| B | 3,5 |"),
        ("mark\toffset\nA\t14.2, about", "| mark | offset |\n|---|---|\n| A | 14.2, about |"),
        (
            'a,b\n"x, y","z ""q"""\n"two\nlines",c',
            '| a | b |\n|---|---|\n| x, y | z "q" |\n| two lines | c |',
        ),
        ("a,b\n\n,\nc,d\n", "| a | b |\n|---|---|\n| c | d |"),
        ("\ufeffa,b\n1,2", "| a | b |\n|---|---|\n| 1 | 2 |"),
        *(
            (
                f"{told}\na{mark}b{nl}1,5{mark}2",
                f"| a | b |\n|---|---|\n| {'1 | 5 | 2 |' if mark == ',' else '1,5 | 2 |'}",
            )
            for told, mark, nl in (
                ("sep=;", ";", "\n"),
                ('"sep=|"', "|", "\r\n"),
                ("\ufeffSEP=\t", "\t", "\n"),
                ("sep=:", ":", "\n"),
            )
        ),
        (
            "# of the harbour\n# read in 2020\na,b\n1,2",
            "of the harbour\nread in 2020\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        ),
        (
            "# of the harbour, north\n#\n# a, b, c\n1,2,3",
            "of the harbour, north\n\n| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |",
        ),
        ("#id,name\n1,x", "| id | name |\n|---|---|\n| 1 | x |"),
        ("sep=;\n# note\na;b\n#1;2", "note\n\n| a | b |\n|---|---|\n| #1 | 2 |"),
        ("sepia,b\n1,2", "| sepia | b |\n|---|---|\n| 1 | 2 |"),
    ],
)
def test_separated_values_are_a_table(text: str, table: str) -> None:
    page = parse_separated(text.encode())
    assert (page.text, page.kind) == (table, "csv")


def test_a_long_table_repeats_its_heading() -> None:
    text = "mark,offset\n" + "".join(f"{n},{n * n}\n" for n in range(SAMPLE_ROWS + 1))
    tables = parse_separated(text.encode()).text.split("\n\n")
    assert [table.count("\n") for table in tables] == [SAMPLE_ROWS + 1, 2]
    assert (
        tables[1]
        == f"| mark | offset |\n|---|---|\n| {SAMPLE_ROWS} | {SAMPLE_ROWS * SAMPLE_ROWS} |"
    )


def test_one_column_is_no_table() -> None:
    assert parse_separated(b"one\ntwo").kind == "text"
    assert parse_separated(b"# a,b\n# c,d").text == "# a,b\n# c,d"


def test_a_quotation_that_never_ends_loses_nothing() -> None:
    text = 'a,b\n"' + "c,d\n" * 60_000
    assert parse_separated(text.encode()).text.count("d |") == 60_000


@given(
    st.lists(st.lists(st.text(alphabet='ab,;"\n\t|', max_size=6), max_size=4), max_size=6),
    st.sampled_from(",;\t"),
)
def test_any_rows_are_a_table_or_text(rows: list[list[str]], mark: str) -> None:
    body = "\n".join(mark.join(row) for row in rows).encode()
    try:
        page = parse_separated(body)
    except FetchError as error:
        assert error.kind == "content_empty"  # noqa: PT017 – cells may be empty, and then it is
    else:
        assert page.text.strip("\n") == page.text
        assert page.text.strip() != ""
