"""The citations of any report: what is a mark, what a list, and what is wrong with them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.inputs import SHARED_DATA
from benchmarks.linter import measure_reports
from research_core.citations import linter
from research_core.interfaces.cli import commands
from tests.everyday import mark_first_everyday
from tests.timing import check_cpu_time

LIST = "\n\n## Sources\n\n[1] A https://a.example/1\n[2] B https://b.example/2\n[3] C https://c.example/3\n"


def ids(text: str) -> list[str]:
    return [id for mark in linter.lint_report(text).marks for id in mark.ids]


def found(text: str) -> list[tuple[str, str, int]]:
    return [(one.kind, one.what, one.line) for one in linter.lint_report(text).findings]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("x [1]. y[2][3]", ["1", "2", "3"]),
        ("x [1, 3] y [1-3] z [2–3]", ["1", "3", "1", "2", "3", "2", "3"]),
        ("x 【1】 y ［2］ z 【3†source】", ["1", "2", "3"]),
        ("x [^1] [[2]](#2) \\[3\\]", ["1", "2", "3"]),
        ("x [1](https://a.example/1)", ["1"]),
        ("x [7]", ["7"]),
        ("x [^1,,3] y [^2,-]", ["1", "3", "2"]),
        (
            "bread<sup>1</sup>. milk.<sup>2, 3</sup> “eggs”<sup><a href='#s1'>1</a></sup>",
            ["1", "2", "3", "1"],
        ),
        ("bread.² milk¹˒³ eggs¹⁻³ bread.⁹", ["2", "1", "3", "1", "2", "3", "9"]),
        ("bread.¹²", ["1", "2"]),
        (
            "5 m², 3 km<sup>2</sup>, 10<sup>3</sup>, 9 feet², 2 square meters², x = (a+b)², CO², FL³.²",
            [],
        ),
        ("2³ bread.⁹", []),
        # no citations
        ("in [2020], [0, 1], arr[0], [x], [1.5], [007], in [5, 9], x ∈ [4, 8]", []),
        ("`a [1]` ``b ` [2]`` $x[3]$ <!-- [1] -->", []),
        ("```\nx [1]\n```\n", []),
        ("[7](https://a.example/1)", []),
    ],
)
def test_what_is_a_mark(text: str, cited: list[str]) -> None:
    assert ids(text + LIST) == cited


@pytest.mark.parametrize(
    "code",
    [
        "- item\n\n  ```python\n  x = a[7]\n  ```\n",
        "- item\n\n\t```\n\tx = a[7]\n\t```\n",
        "- ```python\n  x = a[7]\n  ```\n",
        "1. step\n\n   ~~~sh\n   x = a[7]\n  ~~~~\n",
        "12) ```\n    x = a[7]\n```\n",
        "> ```r\n> x <- a[7]\n> ```\n",
        "> - ```r\n>   x <- a[7]\n>   ```\n",
        "```\nx = a[7]\n`````\n",
        "````md\n```\nx = a[7]\n```\nx = a[8]\n````\n",
        "```\n~~~\nx = a[7]\n```\n",
        "- item\n\n  ```python\n  x = a[7]\n\n",
        "> ```\n> x = a[7]\n\n",
        "- item\n  ```py\n  x = a[7]\n\nText.\n\n- item\n  ```py\n  x = a[8]\n  ```\n",
        "<!--\n```\n-->\n\n```\nx = a[7]\n```\n",
    ],
)
def test_fenced_code_ends_where_its_fence_closes(code: str) -> None:
    assert ids(f"x [1].\n\n{code}\ny [2].{LIST}") == ["1", "2"]


def test_code_that_is_not_closed_goes_on_to_the_end() -> None:
    assert ids("x [1].\n\n```\ny [2].\n") == ["1"]


def test_a_row_of_ticks_within_a_line_opens_no_code() -> None:
    assert ids(f"Write ```x``` [1].\n```a``` [2]{LIST}") == ["1", "2"]


@pytest.mark.parametrize(
    "code",
    [
        "    x = a[7]\n",
        "\tx = a[7]\n\n\ty = a[8]\n",
        "## Heading\n    x = a[7]\n",
        "- item\n\n      x = a[7]\n",
        "1. step\n\n       x = a[7]\n",
        "> quoted\n>\n>     x = a[7]\n",
        "    <!--\n\n    x = a[7]\n",
        "Write <code>a[7]</code> and <kbd>b[8]</kbd>.\n",
        "<pre>\nx = a[7]\n\ny = a[8]\n</pre>\n",
        '<PRE class="r"><code>x[7]</code></PRE>\n',
        "<samp>\n[7] 3.14</samp> <script>x[8]</script>\n",
    ],
)
def test_indented_code_and_code_in_html_hold_no_marks(code: str) -> None:
    assert ids(f"x [1].\n\n{code}\ny [2].{LIST}") == ["1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "Wrapped\n    text [3]\n",
        "- item\n\n    Its second paragraph [3]\n",
        "1. step\n    - below it [3]\n",
        "- a\n  - b\n\n    - c [3]\n",
        "Note.[^3]\n\n    code\n\n<!--\n\n    -->\n",
        "`a` and `<code>` mean [3] what `</code>` ends.\n",
        "An unclosed <code> element [3]\n",
    ],
)
def test_indented_text_is_no_code(text: str) -> None:
    assert ids(f"x [1].\n\n{text}\ny [2].{LIST}") == ["1", "3", "2"]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (
            "x[^a] [1]\n\n## Sources\n\n1. A https://a.example\n\n[^a]: https://b.example\n",
            ["1", "a"],
        ),
        ("x[^a] [1]\n\n## Sources\n\n[1] A https://a.example\n[^a]: Smith (2014).\n", ["1", "a"]),
        (
            "x[^a] y[^b]\n\n## Notes\n\n[^a]: https://a.example\n[^b]: https://b.example\n",
            ["a", "b"],
        ),
        ("x[^1]\n\n## Fußnoten\n\n[^1]: Meier, A.: Pegel. 2014.\n", ["1"]),
        ("x[^é]\n\n## Références\n\n- A https://a.example\n\n[^é]: https://b.example\n", ["", "é"]),
        ("x[^a] [1] [2]\n\n# 参考文献\n\n[1] 甲\n[^a]: 丙\n[2] 乙\n", ["1", "2", "a"]),
        ("## Sources\n\n    1. A https://a.example\n    2. B https://b.example\n", ["1", "2"]),
    ],
)
def test_footnotes_and_indented_entries_are_sources(text: str, entries: list[str]) -> None:
    checked = linter.lint_report(text)
    assert [entry.id for entry in checked.entries] == entries
    assert not [one for one in checked.findings if one.kind == "dangling"]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Range [12–14].", ["12", "13", "14"]),
        ("shown in [12–14]", ["12", "13", "14"]),
        ("cited from [12-13]", ["12", "13"]),
        ("between [7—8]", ["7", "8"]),
        ("listed within [2–4]", ["2", "3", "4"]),
        # intervals
        ("in the range [0-9], the interval [5–8], x = [4-6]", []),
        ("between [5, 9]", []),
    ],
)
def test_a_range_of_sources_is_a_mark_after_any_word(text: str, cited: list[str]) -> None:
    assert ids(text + LIST) == cited


@pytest.mark.parametrize(
    ("count", "cited", "dangling"),
    [
        (1_500, "[1501]", ["1501"]),
        (1_500, "[1499–1502]", ["1501", "1502"]),
        (1_000, "[1100]", ["1100"]),
        (3_000, "[3010, 12]", ["3010"]),
        (1_500, "[2020]", []),
        (3, "[1501]", []),
    ],
)
def test_numbers_of_a_long_list_are_no_years(count: int, cited: str, dangling: list[str]) -> None:
    entries = "\n".join(f"[{number}] https://a.example/{number}" for number in range(1, count + 1))
    report = f"x {cited}\n\n## Sources\n\n{entries}\n"
    assert [what for kind, what, _ in found(report) if kind == "dangling"] == dangling


def test_a_year_is_a_mark_where_a_list_has_it() -> None:
    assert ids(
        "x [2020]\n\n## References\n\n[2020] A https://a.example\n[2021] B https://b.example"
    ) == ["2020"]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (LIST, ["1", "2", "3"]),
        ("### Works cited\n\n1. A\n2. B https://b.example\n", ["1", "2"]),
        ("**References**\n\n- [1] A\n- [2] B", ["1", "2"]),
        ("# 参考文献\n[1] 甲\n[2] 乙", ["1", "2"]),
        ("Sources:\n1) A https://a.example\n2) B https://b.example", ["1", "2"]),
        (
            "## Sources\n\n### Books\n\n1. A https://a.example\n\n### Pages\n\n2. B https://b.example\n",
            ["1", "2"],
        ),
        ("## Sources\n\n1. A https://a.example\n\n## After\n\n2. no source\n", ["1"]),
        ("## Sources\n\n- A https://a.example\n- B https://b.example\n", ["", ""]),
        ("x[^1] y[^note]\n\n[^1]: A https://a.example\n[^note]: B\n", ["1", "note"]),
        ("x [1]\n\n[1] A https://a.example\n[2] B https://b.example\n", ["1", "2"]),
        ("## Sources of lead\n\n1. Paint\n", []),
        ("Notes:\n- Prices in USD.\n\n1) A monitor\n2) Another one\n", []),
        (
            "## Sources\n\n| # | A | B |\n|---|---|---|\n| 1 | A | https://a.example |\n| **[2]** | B | https://b.example |\n",
            ["1", "2"],
        ),
        (
            "## Sources\n\nNr | A\n---|---\n1 | https://a.example\n2 | https://b.example\n",
            ["1", "2"],
        ),
        ("## Sources\n\n| A | B |\n|---|---|\n| A | https://a.example |\n", [""]),
        (
            "## Sources\n\n1. A https://a.example\n\n| Year | Price |\n|---|---|\n| 2020 | 3 |\n| 2021 | 4 |\n",
            ["1"],
        ),
        ('x [1]\n\n[1]: https://a.example "A"\n', ["1"]),
        ("x [1] y\n\n[1]: <https://a.example>\n\nmore [2]\n\n[2]: https://b.example\n", ["1", "2"]),
        ("## Sources\n\n¹ A https://a.example\n<sup>2</sup> B https://b.example\n", ["1", "2"]),
        ("Notes:\n\n1. A https://a.example\n2. B\n", ["1", "2"]),
        ("## Sources\n\n- Paint is one.\n", []),
    ],
)
def test_what_is_a_list(text: str, entries: list[str]) -> None:
    assert [entry.id for entry in linter.lint_report(text).entries] == entries


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("x [1] [2] [3]" + LIST, []),
        ("x [1] [2] [3] [9]" + LIST, [("dangling", "9", 1)]),
        ("x [2-4]\n\ny [1]" + LIST, [("dangling", "4", 1)]),
        ("x [1] [2]" + LIST, [("uncited", "3", 7)]),
        ("x [1] [2] [C](https://c.example/3)" + LIST, []),
        ("x [1] [3]\n\n## Sources\n\n1. A\n3. C\n", [("gap", "2", 6)]),
        ("x [1]\n\n## Sources\n\n1. A\n1. B\n", [("duplicate number", "1", 6)]),
        (
            "x [1] [2]\n\n## Sources\n\n1. A https://a.example/x\n2. B https://A.example/x?utm_source=y\n",
            [("duplicate address", "https://A.example/x?utm_source=y", 6)],
        ),
        ("x [1]\n\n## Sources\n\n1. A https://a\n", [("malformed address", "https://a", 5)]),
        ("x [1]\n\n## Sources\n\n1. A http://\n", [("malformed address", "http://", 5)]),
        ("x [1]\n\n## Sources\n\n1. A htp://bad.example/x\n", [("malformed address", "htp://bad.example/x", 5)]),
        ("x [1]\n\n## Sources\n\n1. A https:/a.example\n", [("malformed address", "https:/a.example", 5)]),
        ("x [1] [2]\n\n## Sources\n\n1. A ftp://a.example\n2. B: http://b.example\n", []),
        ("htp://bad is how not to write one", []),
        ("x<sup>1</sup>\n\nbread.<sup>1</sup> milk.<sup>9</sup>\n\n## Sources\n\n1. A https://a.example\n", [("dangling", "9", 3)]),
        ("see https://ui.adsabs.harvard.edu/abs/1998AJ....116.1009R/abstract, "
         "http://adsabs.harvard.edu/cgi-bin/nph-bib_query?bibcode=2001Natur.410...63P and "
         "https://ui.adsabs.harvard.edu/abs/2018A%26A...616A...1G", []),
        ("see https://github.com/o/r/compare/v1.0...v2.0 and https://en.wikipedia.org/wiki/Lights..._Action!_(song)", []),
        ("see https://a.example/.../report and https://www.a.example/news/2019-10-a-long...title",
         [("malformed address", "https://a.example/.../report", 1),
          ("malformed address", "https://www.a.example/news/2019-10-a-long...title", 1)]),
        ("see https://a.example/wiki/.../x", [("malformed address", "https://a.example/wiki/.../x", 1)]),
        ("see [a](example.org/x) [b]()", [("malformed address", "example.org/x", 1), ("malformed address", "()", 1)]),
        ("see [a](docs/x.md) [b](README.md) [c](#d) ![e](/f.png) [g](mailto:h@i.example)", []),
        ("x [^a] y [^b]\n\n[^a]: A\n", [("dangling", "b", 1)]),
        ("x [1] y [5]\n\n#### Sources:\n- [1] A https://a.example\n\nmore\n\n#### Sources:\n- [2] B https://b.example\n- [5] C https://c.example\n",
         [("uncited", "2", 9), ("gap", "3-4", 10)]),
        ("", []),
    ],
)  # fmt: skip
def test_what_is_wrong(text: str, wrong: list[tuple[str, str, int]]) -> None:
    assert found(text) == wrong


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://a.example/x.", ["https://a.example/x"]),
        (
            "(https://a.example/x_(y)) [b](https://b.example/z_(q)).",
            ["https://a.example/x_(y)", "https://b.example/z_(q)"],
        ),
        ("<https://a.example/x> https://a.example/x;", ["https://a.example/x"]),
        (
            "**https://a.example/x** [https://b.example](https://c.example)",
            ["https://a.example/x", "https://b.example", "https://c.example"],
        ),
    ],
)
def test_addresses(text: str, urls: list[str]) -> None:
    assert list(linter.lint_report(text).urls) == urls


PIECES = st.sampled_from(
    [
        "[1]",
        "[",
        "]",
        "[^n]",
        "[2-9]",
        "\n",
        "\n\n",
        "## Sources\n",
        "1. ",
        "[3] ",
        "https://a.example/",
        "(",
        ")",
        "`",
        "```",
        "$",
        "x",
        " ",
        "[^n]: ",
        "| 1 | ",
        "<sup>1</sup>",
        "word.²",
        "http://",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
def test_nothing_is_told_that_does_not_stand_there(text: str) -> None:
    for one in linter.lint_report(text).findings:
        if one.kind == "dangling":
            assert one.what in text or int(one.what) in range(2, 10)
        assert 1 <= one.line <= text.count("\n") + 1


@pytest.mark.full
def test_a_hostile_report_takes_no_time() -> None:
    for text in (
        "[1" * 30_000,
        "`" * 60_000,
        "$x" * 30_000,
        "https://a(" * 6_000,
        "](" * 30_000,
        "<!--\n" * 20_000,
        "<!--\n-->\n" * 10_000,
        "- ```a\n" * 20_000,
        "- ```\n" * 20_000,
        "- ~~~\n" * 20_000 + "~~~~x\n",
        "> ```\nx\n" * 20_000,
        "1. ````\n" * 20_000 + "```py\n" * 10,
        "- ```\n- ~~~\n" * 10_000 + "> ```\n",
        "https://a.example/..." + "1234-" * 20_000,
        "https://a.example/..." + "2010-" * 20_000 + "/wiki/" + "." * 20_000,
        "> " * 30_000 + "```",
        "```a\n~~~\n" * 10_000,
        " ```a\n" * 20_000,
        "https://a.example/<" * 5_000,
        "<!--" * 20_000,
        "\\(" * 30_000,
        "[1] https://a.example/\n" * 3_000,
        "<sup>" * 20_000,
        "<sup>1" * 20_000,
        "bread.¹," * 20_000,
        "## Sources\n" + "| 1 " * 20_000,
        "## Sources\n" + "| 1 | https://a.example |\n" * 3_000,
        "## Sources\n1. " + "htp://" * 20_000,
        "<code>" * 20_000,
        "<code><pre>" * 10_000 + "</code>",
        "<code " * 20_000,
        "- " * 30_000 + "x",
        "    a[1]\n\n" * 10_000,
        "".join(" " * width + "- a\n\n" for width in range(0, 1_000, 2)),
        "> " * 30_000 + "\n    x",
    ):
        with check_cpu_time(2):
            linter.lint_report(text)


@pytest.mark.parametrize("opening", mark_first_everyday(["【1†", "[1†", "\\[1†", "[^a†"]))
def test_a_row_of_openings_hides_no_mark_behind_it(opening: str) -> None:
    """Read to the end from each of them it would take minutes."""
    said = linter.lint_report(
        f"{opening * 30_000}\nSeals dive 【3†source】 deep [4†a report [final].pdf]."
    )
    assert [mark.ids for mark in said.marks][-2:] == [("3",), ("4",)]


@pytest.mark.full
@pytest.mark.skipif(not (SHARED_DATA / "questions").is_dir(), reason="needs the shared data")
def test_published_reports_pass_with_every_dangling_id_found_and_none_invented() -> None:
    figures = measure_reports(SHARED_DATA)
    assert figures["reports"] > 100
    assert figures["marks"] > 10_000
    assert (figures["invented"], figures["missed"]) == (0, 0)


def test_the_command_line_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.md"
    report.write_text("x [1] [9]" + LIST, encoding="utf-8")
    assert commands.main(["lint", str(report)]) == 1
    assert "- line 1: `9`" in capsys.readouterr().out
    assert commands.main(["lint", "--json", str(report)]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0] == {
        "kind": "dangling",
        "what": "9",
        "line": 1,
    }
    report.write_text("Rents rose [1].\n\nIn 2020 wages fell by 4%." + LIST, encoding="utf-8")
    commands.main(["lint", "--claims", str(report)])
    told = capsys.readouterr().out
    assert "- line 1: Rents rose. (https://a.example/1)" in told
    assert "- line 3: In 2020 wages fell by 4%." in told.partition("without a source")[2]
    commands.main(["lint", "--claims", "--json", str(report)])
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert [claim["works"] for claim in claims] == [["https://a.example/1"], []]
    report.write_text("x [1]\n\n## Sources\n\n1. A https://a.example/1\n", encoding="utf-8")
    assert commands.main(["lint", str(report)]) == 0
    assert "Nothing is wrong" in capsys.readouterr().out
    for text in ("", "No citation.\n", "See [A](https://a.example/1).\n"):
        report.write_text(text, encoding="utf-8")
        assert commands.main(["lint", str(report)]) == 0
        assert "There is no citation in it." in capsys.readouterr().out
    assert commands.main(["lint", str(tmp_path / "none.md")]) == 2
    assert commands.main(["lint", str(tmp_path)]) == 2
    assert "is a folder. Give one report in it." in capsys.readouterr().err
    report.write_bytes(b"\x00\x01\x02")
    assert commands.main(["lint", str(report)]) == 2


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("utf-16-le", ""),
        ("latin-1", "concluded from its characters"),
        ("koi8-r", "concluded from its characters"),
        ("shift_jis", "concluded from its characters"),
    ],
)
def test_a_report_in_another_encoding_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str, note: str
) -> None:
    text = {
        "koi8-r": "Население города составляло тринадцать миллионов человек",
        "shift_jis": "東京の人口は試験の文書である",
    }.get(encoding, "Das Café Müller öffnete in Zürich für die Gäste aus Köln")
    report = tmp_path / "report.md"
    report.write_bytes(f"{text} [1] [9].{LIST}".encode(encoding))
    assert commands.main(["lint", str(report)]) == 1
    printed = capsys.readouterr()
    assert "- line 1: `9`" in printed.out
    assert note in printed.err
    assert bool(printed.err) == bool(note)


@pytest.mark.parametrize(
    "encoding", mark_first_everyday(["utf-16", "utf-8", "utf-16-le", "latin-1", "utf-8-sig"])
)
def test_a_report_on_standard_input_is_read_in_any_encoding(encoding: str) -> None:
    body = f"Das Café Müller öffnete in Zürich für Gäste aus Köln [1] [9].{LIST}".encode(encoding)
    command = [sys.executable, "-m", "research_core", "lint", "-"]
    answer = subprocess.run(command, input=body, capture_output=True, timeout=60)
    assert answer.returncode == 1
    assert b"- line 1: `9`" in answer.stdout


@pytest.mark.parametrize("body", [b"\x89PNG\r\n\x1a\n\x00\x00", b"x [1]\x00\n", b"\x7fELF\x02\x01"])
def test_what_is_no_text_is_to_be_saved_as_utf_8(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: bytes
) -> None:
    report = tmp_path / "report.md"
    report.write_bytes(body)
    assert commands.main(["lint", str(report)]) == 2
    assert "Save the report as Markdown in UTF-8." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x [1]\n\n```py\na\n" + LIST, 3),
        ("x [1]\n\n~~~~\na\n~~~\n" + LIST, 3),
        ("```\na\n```\n\n```\nx [1]\n\n# Quellen\n\n1. A https://a.example\n", 5),
        ("```\nx\n\n**Références**\n\n1. A\n", 1),
        ("x\r\n\r\n```\r\n\r\n参考文献\r\n\r\n[1] 甲\r\n", 3),
    ],
)
def test_code_without_an_end_that_hides_the_sources_is_named(text: str, line: int) -> None:
    findings = [row for row in found(text) if row[0] == "unclosed code"]
    assert [row[2] for row in findings] == [line]


@pytest.mark.parametrize(
    "text",
    ["```\nx\n\n## Sources\n```\n", "x\n\n```\ny\n", "```\nx [1]\n```\n" + LIST],
)
def test_other_code_is_not_named(text: str) -> None:
    assert not [row for row in found(text) if row[0] == "unclosed code"]
