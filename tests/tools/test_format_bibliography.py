"""format_bibliography, bullet by bullet of its specification (spec/research-tools.md, tool 19)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bibtexparser
import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.formats.author_field import parse_author_field
from research_core.citations.formats.sources import build_source_item
from research_core.citations.formats.styles import STYLE_FORMATTERS, STYLES, format_reference_list
from research_core.errors import UsageError
from research_core.models import Principal
from research_core.sessions.run_defaults import check_tools, list_offered_tools
from research_core.sessions.tool_calls import ToolCaller
from research_core.tools import get_tool
from research_core.tools.client_session.store import SessionGone
from tests import client_sessions
from tests.bullets import Bullets, Check
from tests.tool_calls_made import CallOutcome, make_tool_call

PAPER = {
    "url": "https://www.nature.com/articles/nature14539", "title": "Deep learning", "site": "Nature", "date": "2015-05-27",
    "author": "Yann LeCun; Yoshua Bengio and Geoffrey Hinton", "doi": "https://doi.org/10.1038/nature14539",
}  # fmt: skip
PAGE = {
    "url": "https://reef.example.org/log",
    "title": "The reef log",
    "author": "Ana Müller",
    "site": "Reef Notes",
    "date": "2020-03-01",
}
TWIN = {**PAGE, "url": "https://reef.example.org/log-2"}
bullet = Bullets("format_bibliography")


@contextmanager
def open_tool_caller() -> Iterator[ToolCaller]:
    with TemporaryDirectory() as home:
        tool_caller = client_sessions.make_tool_caller(Path(home))
        yield tool_caller
        tool_caller.resources.close()


def listed(*sources: dict[str, str], style: str = "", **more: Any) -> CallOutcome:
    return make_tool_call(
        "format_bibliography",
        {},
        engines=(),
        sources=list(sources),
        **({"style": style} if style else {}),
        **more,
    )


def text(*sources: dict[str, str], style: str = "apa") -> str:
    return str(listed(*sources, style=style).answer["bibliography"])


@bullet("apa is the default")
def default() -> None:
    assert listed(PAGE).answer == {
        "style": "apa", "entryCount": 1, "trust": "untrusted-external-content",
        "bibliography": "Müller, A. (2020, March 1). The reef log. Reef Notes. https://reef.example.org/log",
    }  # fmt: skip


@bullet("the date is written out, the DOI shown, and nothing retrieved from")
def paper() -> None:
    assert text(PAPER) == (
        "LeCun, Y., Bengio, Y., & Hinton, G. (2015, May 27). Deep learning. Nature. https://doi.org/10.1038/nature14539"
    )
    assert (
        text(PAPER, style="mla")
        == "LeCun, Yann, et al. “Deep Learning.” Nature, 27 May 2015, https://doi.org/10.1038/nature14539."
    )


@bullet("sources are de-duplicated by url, the first stays")
def once() -> None:
    said = listed(PAGE, {**PAGE, "title": "Another"}, PAPER).answer
    assert said["entryCount"] == 2
    assert "Another" not in said["bibliography"]


@bullet("apa and mla are in alphabetical order of their lines")
def alphabetical() -> None:
    for style in ("apa", "mla"):
        assert text(PAGE, PAPER, style=style) == text(PAPER, PAGE, style=style)
        assert text(PAGE, PAPER, style=style).startswith("LeCun")


@bullet("formats are in the order of their keys")
def by_key() -> None:
    assert [item["id"] for item in json.loads(text(PAGE, PAPER, style="csl-json"))] == [
        "lecun2015deep",
        "muller2020reef",
    ]
    assert text(PAGE, PAPER, style="bibtex") == text(PAPER, PAGE, style="bibtex")
    assert text(PAGE, PAPER, style="ris") == text(PAPER, PAGE, style="ris")


@bullet("the same sources give the same bytes, and formats tell no day of reading")
def same() -> None:
    for style in STYLES:
        first = text(PAGE, PAPER, style=style)
        assert first == str(
            make_tool_call(
                "format_bibliography", {}, now=2e9, engines=(), style=style, sources=[PAGE, PAPER]
            ).answer["bibliography"]
        )
        assert not any(word in first for word in ("urldate", "Y2  -", "accessed", "Accessed"))


@bullet("cite keys are surname, year, first telling word, without collisions")
def keys() -> None:
    entries = bibtexparser.parse_string(text(PAPER, PAGE, TWIN, style="bibtex")).entries
    assert [entry.key for entry in entries] == [
        "lecun2015deep",
        "muller2020reef",
        "muller2020reefa",
    ]


@bullet("what BibTeX would read as more is escaped")
def escaped() -> None:
    hostile = {**PAGE, "title": "50% of {Curly} & $x_1$ \\input{y}"}
    assert (
        "title = {{50\\% of \\textbraceleft{}Curly\\textbraceright{} \\& \\$x\\_1\\$ "
        "\\textbackslash{}input\\textbraceleft{}y\\textbraceright{}}}"
        in text(hostile, style="bibtex")
    )


@bullet("RIS is JOUR with a DOI and ELEC without")
def types() -> None:
    assert [
        record["type_of_reference"] for record in rispy.loads(text(PAPER, PAGE, style="ris") + "\n")
    ] == ["JOUR", "ELEC"]


@bullet("RIS has a line for each author, the bare DOI and the url")
def ris() -> None:
    (record,) = rispy.loads(text(PAPER, style="ris") + "\n")
    assert (record["authors"], record["doi"], record["urls"]) == (
        ["LeCun, Yann", "Bengio, Yoshua", "Hinton, Geoffrey"], "10.1038/nature14539", [PAPER["url"]],
    )  # fmt: skip


@bullet("no title injects tags into RIS")
def injected() -> None:
    for breaking in ("\r\n", "\n", "\r", "\u2028", "\x85", "\x0b"):
        hostile = {
            **PAGE,
            "title": f"One{breaking}ER  - {breaking}TY  - BOOK",
            "author": f"Eve{breaking}UR  - x",
            "site": f"S{breaking}DO  - y",
        }
        assert len(rispy.loads(text(hostile, style="ris") + "\n")) == 1


@bullet("CSL-JSON is an array of articles and webpages, names as they are read")
def csl() -> None:
    paper, page = json.loads(text(PAPER, PAGE, style="csl-json"))
    assert paper == {
        "id": "lecun2015deep", "type": "article-journal", "title": "Deep learning", "container-title": "Nature", "URL": PAPER["url"],
        "author": [{"literal": "Yann LeCun"}, {"literal": "Yoshua Bengio"}, {"literal": "Geoffrey Hinton"}],
        "issued": {"date-parts": [[2015, 5, 27]]}, "DOI": "10.1038/nature14539",
    }  # fmt: skip
    assert page["type"] == "webpage"


@bullet("a DOI is made bare")
def doi() -> None:
    for written in (
        "doi:10.1000/182",
        "https://doi.org/10.1000/182",
        "10.1000/182",
        "https://dx.doi.org/10.1000/182",
    ):
        assert "doi = {10.1000/182}" in text({**PAGE, "doi": written}, style="bibtex")


@bullet("an unknown style is refused with the styles there are")
def unknown() -> None:
    said = listed(PAGE, style="turabian").error
    assert all(style in said for style in STYLES)


@bullet("sources without a url are left out")
def without() -> None:
    assert listed({**PAGE, "url": " "}, PAPER).answer["entryCount"] == 1


NO_DAY = "sources[0].date is no day of the calendar as YYYY, YYYY-MM or YYYY-MM-DD"


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ({"doi": "no doi"}, "sources[0].doi is no DOI, and is left out: 'no doi'."),
        ({"date": "soon"}, f"{NO_DAY}, and is left out: 'soon'."),
        ({"date": "2024-02-31"}, f"{NO_DAY}; 2024-02 of it is kept: '2024-02-31'."),
        ({"url": " "}, "sources[0] has neither url nor doi, and is left out."),
        ({"date": "2024-05-03T10:00:00Z", "doi": "10.1000/182"}, ""),
        ({"date": "2024"}, ""),
        ({}, ""),
    ],
)
def test_what_of_a_source_could_not_be_read_is_told(said: dict[str, str], note: str) -> None:
    assert listed({**PAGE, **said}, PAPER).answer.get("notes") == ([note] if note else None)


@bullet("sources are required")
def required() -> None:
    assert (
        "needs sources" in make_tool_call("format_bibliography", {}, engines=(), style="apa").error
    )
    assert "needs sources" in listed().error


@bullet("a session or sources, not both; without either it says what it needs")
def either() -> None:
    assert "not both" in listed(PAGE, sessionId="s-1").error
    assert "sessionId" in listed().error
    assert listed(PAGE, sessionId="").answer["entryCount"] == 1


@bullet("the sources of a session, with what their pages said of themselves, and its id echoed")
def of_a_session() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        assert client_sessions.call_tool(at, "format_bibliography", sessionId=session) == {
            "style": "apa", "entryCount": 2, "sessionId": session, "trust": "untrusted-external-content",
            "bibliography": "Attention. (n.d.). https://doi.org/10.48550/arXiv.1706.03762\n\n"
            "Müller, A., & Iqbal, S. (2020, March 1). Reefs at night. Reef Notes. https://doi.org/10.1000/reef.7",
        }  # fmt: skip
        articles = json.loads(
            client_sessions.call_tool(
                at, "format_bibliography", sessionId=session, style="csl-json"
            )["bibliography"]
        )
        assert [(each["DOI"], each["URL"]) for each in articles] == [
            ("10.48550/arXiv.1706.03762", client_sessions.PREPRINT), ("10.1000/reef.7", client_sessions.PAPER),
        ]  # fmt: skip


@bullet("the same session gives the same bytes, also later, in every style")
def same_session() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        for style in STYLES:
            first = client_sessions.call_tool(
                at, "format_bibliography", sessionId=session, style=style
            )
            client_sessions.pass_time(at, 600.0)
            assert (
                client_sessions.call_tool(at, "format_bibliography", sessionId=session, style=style)
                == first
            )


@bullet("a session without sources has an empty bibliography, which is no failure")
def empty_session() -> None:
    with open_tool_caller() as at:
        session = client_sessions.take_step(at)
        for style in STYLES:
            said = client_sessions.call_tool(
                at, "format_bibliography", sessionId=session, style=style
            )
            assert (said["entryCount"], said["bibliography"]) == (
                0,
                "[]" if style == "csl-json" else "",
            )


@bullet("a session is its owner's alone, and gone when its time is over")
def owner() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        for who in (Principal("acme", "ann"), Principal("default", "bob")):
            assert isinstance(
                client_sessions.make_caller_for(at, who)
                .serve("format_bibliography", {"sessionId": session})
                .error,
                SessionGone,
            )
        assert isinstance(
            at.serve("format_bibliography", {"sessionId": "nobody's"}).error, SessionGone
        )
        client_sessions.pass_time(at, 4.1 * 3_600)
        error = at.serve("format_bibliography", {"sessionId": session}).error
        assert error is not None
        assert (
            error.message
            == "Session not found or expired. Sessions last 4 hours from last activity."
        )


@bullet("no run's model is offered it, as sessions are kept from call to call")
def not_in_a_run() -> None:
    with open_tool_caller() as at:
        assert "format_bibliography" not in [row.name for row in list_offered_tools(at.resources)]
        with pytest.raises(UsageError, match="There is no tool 'format_bibliography'"):
            check_tools(at.resources, ["format_bibliography"], "agentic")


@bullet("nobody is asked, and nothing kept")
def nobody() -> None:
    said = listed(PAGE, PAPER)
    assert (said.services.asked, said.shelf.put_s) == ([], [])


@bullet("read-only, idempotent, of a closed world")
def annotations() -> None:
    row = get_tool("format_bibliography")
    assert row
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, False)


@bullet("records stand apart by a blank line")
def apart() -> None:
    for style in (*STYLE_FORMATTERS, "bibtex"):
        assert len(text(PAPER, PAGE, style=style).split("\n\n")) == 2
    assert len(text(PAPER, PAGE, style="ris").split("\r\n\r\n")) == 2


@bullet("numbered styles keep the order given")
def numbered() -> None:
    assert [line[:3] for line in text(PAGE, PAPER, style="ieee").split("\n\n")] == ["[1]", "[2]"]
    assert text(PAGE, PAPER, style="vancouver").startswith("1. Müller A.")


@pytest.mark.full
@given(st.lists(st.builds(dict, url=st.text(max_size=9), title=st.text(max_size=30), author=st.text(max_size=30), date=st.text(max_size=12),
                          doi=st.text(max_size=12), site=st.text(max_size=9)), min_size=1, max_size=4))  # fmt: skip
def test_no_source_breaks_a_format(sources: list[dict[str, str]]) -> None:
    works = [
        build_source_item(
            each["url"],
            each["title"],
            parse_author_field(each["author"]).people,
            each["site"],
            each["date"],
            each["doi"],
        )
        for each in sources
    ]
    said = {style: format_reference_list(style, works) for style in STYLES}
    count = len(json.loads(said["csl-json"]))
    library = bibtexparser.parse_string(said["bibtex"])
    assert (len(library.entries), library.failed_blocks) == (count, [])
    assert said["ris"].count("ER  -") >= count


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Check) -> None:
    check()


# ---------------------------------------------------------------- authors in one field


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("A. Smith, B. Jones, C. de la Cruz", ["Smith, A.", "Jones, B.", "de la Cruz, C."]),
        ("J.-P. Ward, K. L. Lund", ["Ward, J.-P.", "Lund, K. L."]),
        ("Smith J, Doe A", ["Smith, J.", "Doe, A."]),
        ("van der Berg DJ, García Márquez G", ["van der Berg, D. J.", "García Márquez, G."]),
        ("Doe J", ["Doe, J."]),
        ("King ML Jr", ["King, M. L., Jr"]),
        ("Иванов И. И., Петров П. П.", ["Иванов, И. И.", "Петров, П. П."]),
        ("Smith, John, Doe, Ann", ["Smith, John", "Doe, Ann"]),
        ("Ward, Ada B., Lund, Bo C.", ["Ward, Ada B.", "Lund, Bo C."]),
        ("Smith, J., King, M. L., Jr., & Doe, A.", ["Smith, J.", "King, M. L., Jr.", "Doe, A."]),
        ("Ada Ward, Bo Lund, Cy Ho", ["Ward, Ada", "Lund, Bo", "Ho, Cy"]),
        ("Ada Ward, Bo Lund and Cy Ho", ["Ward, Ada", "Lund, Bo", "Ho, Cy"]),
        ("Smith, John, Ann Doe, and Bo Lund", ["Smith, John", "Doe, Ann", "Lund, Bo"]),
        ("A. Smith & B. Jones", ["Smith, A.", "Jones, B."]),
        ("山田太郎、鈴木花子", ["山田太郎", "鈴木花子"]),
        # one name, or a group
        ("García Márquez, Gabriel", ["García Márquez, Gabriel"]),
        ("Le Guin, Ursula K.", ["Le Guin, Ursula K."]),
        ("King, Martin Luther, Jr.", ["King, Martin Luther, Jr."]),
        ("García Márquez, Gabriel José; Doe, Ann", ["García Márquez, Gabriel José", "Doe, Ann"]),
        ("University of California, Berkeley", ["University of California, Berkeley"]),
        ("Ernst & Young", ["Ernst & Young"]),
    ],
)
def test_authors_with_commas_are_split_where_the_form_is_clear(
    author: str, names: list[str]
) -> None:
    field = parse_author_field(author)
    assert [each.inverted for each in field.people] == names
    assert not field.unclear
    assert "notes" not in listed({**PAGE, "author": author}).answer


@pytest.mark.parametrize(
    "author",
    [
        "John Smith, Ann Doe",
        "García Márquez, Gabriel José",
        "Smith, Doe, Lund",
        "Smith, John, Doe",
        "Smith J, Doe Ann, Lund",
        "Ada Ward, World Health Organization, UNICEF",
    ],
)
def test_authors_in_an_unclear_form_are_kept_with_a_note(author: str) -> None:
    answer = listed({**PAGE, "author": author}, style="csl-json").answer
    assert json.loads(answer["bibliography"])[0]["author"] == [{"literal": author}]
    (note,) = answer["notes"]
    assert note.startswith("sources[0].author may name several people, and is kept as given: ")
    assert author in note


@pytest.mark.parametrize(
    "author", ["Smith J, Doe A, et al.", "Smith J; Doe A; et al", "Smith J et al."]
)
def test_et_al_is_no_author(author: str) -> None:
    answer = listed({**PAGE, "author": author}).answer
    assert "et al" not in answer["bibliography"]
    assert "“et al.”" in answer["notes"][0]


# ---------------------------------------------------------------- results of academic_search

RESULT = {
    "title": "Gauges of the north",
    "url": "https://journal.example.org/gauges",
    "source": "openalex",
    "doi": "10.5555/gauges",
    "authors": ["Ada B. Ward", "Lund B"],
    "journal": "Journal of Gauges",
    "year": 2019,
    "abstract": "It rose.",
    "citationCount": 3,
    "openAccess": True,
    "pdfUrl": "https://journal.example.org/gauges.pdf",
}


@pytest.mark.parametrize("style", STYLES)
def test_a_result_of_academic_search_is_a_source(style: str) -> None:
    given = {
        "url": RESULT["url"], "title": RESULT["title"], "site": "Journal of Gauges", "date": "2019",
        "doi": RESULT["doi"], "author": "Ada B. Ward; Lund B",
    }  # fmt: skip
    answer = listed(RESULT, style=style).answer
    assert answer["bibliography"].replace(" ", "") == text(given, style=style).replace(" ", "")
    assert "notes" not in answer


@pytest.mark.parametrize(
    ("without", "printed"),
    [
        (("url",), "https://doi.org/10.5555/gauges"),
        (("url", "journal"), "https://doi.org/10.5555/gauges"),
        (("doi",), "https://journal.example.org/gauges"),
        (("authors",), "Gauges of the north"),
        (("year",), "n.d."),
    ],
)
def test_a_result_without_some_fields_is_a_source(without: tuple[str, ...], printed: str) -> None:
    answer = listed({name: value for name, value in RESULT.items() if name not in without}).answer
    assert answer["entryCount"] == 1
    assert printed in answer["bibliography"]


def test_a_field_given_twice_is_told_and_an_unknown_one_refused() -> None:
    answer = listed({**RESULT, "author": "Cy Ho", "site": "Gauges", "date": "2018"}).answer
    assert answer["bibliography"].startswith("Ho, C. (2018). Gauges of the north. Gauges.")
    assert answer["notes"] == [
        f"sources[0].{alias} is left out, because {name} is given too."
        for alias, name in (("authors", "author"), ("journal", "site"), ("year", "date"))
    ]
    assert "sources.0.titel" in listed({**PAGE, "titel": "x"}).error


# ---------------------------------------------------------------- texts, dates, types


@pytest.mark.parametrize(
    ("title", "printed"),
    [
        ("Eﬃcient ﬂow of ﬁles", "Efficient Flow of Files"),
        ("the ﬁnal oﬀer", "The Final Offer"),
        ("a ﬀord in spring", "A Fford in Spring"),
        ("ﬅ and ﬆ", "St and St"),
        ("muﬄed ﬁres", "Muffled Fires"),
    ],
)
def test_ligatures_are_printed_as_letters(title: str, printed: str) -> None:
    for style in ("mla", "chicago", "chicago-notes"):
        assert printed in text({**PAGE, "title": title}, style=style)
    assert printed.lower() in text({**PAGE, "title": title}, style="bibtex").lower()


@pytest.mark.parametrize(
    ("date", "kept"),
    [
        ("2015 Jan-Feb", "2015, January"),
        ("Summer/Fall 2014", "Summer 2014"),
        ("mars–avril 2012", "2012, March"),
        ("12–14 March 2018", "2018, March 12"),
        ("2014-2015", "2014"),
        ("2014 Dec-2015 Jan", "2014, December"),
    ],
)
def test_the_second_half_of_a_span_of_time_is_named_in_a_note(date: str, kept: str) -> None:
    answer = listed({**PAGE, "date": date}).answer
    assert answer["notes"] == [f"sources[0].date is a span of time; its start is kept: {date!r}."]
    assert "2014" in answer["bibliography"] if "2014" in kept else kept in answer["bibliography"]


@pytest.mark.parametrize(
    "date", ["2015-03", "2014-21", "March 4, 2015", "2021年3月4日", "Spring 2014"]
)
def test_a_single_date_has_no_note(date: str) -> None:
    assert "notes" not in listed({**PAGE, "date": date}).answer


@pytest.mark.parametrize(
    "site", ["Nature", "Lancet", "Acta Chem. Scand.", "日本の雑誌", "Die Zeit"]
)
def test_a_page_with_a_doi_and_a_journal_is_an_article(site: str) -> None:
    source = {**PAPER, "site": site}
    vancouver = text(source, style="vancouver")
    assert vancouver.index("Deep learning") < vancouver.index(site.replace(".", ""))
    assert f"{site}, May 2015, doi: 10.1038/nature14539." in text(source, style="ieee")
    assert text(source, style="bibtex").startswith("@article{")


@pytest.mark.parametrize("doi", ["10.5281/zenodo.1", "10.5061/dryad.2", "10.1000/182"])
def test_bibtex_calls_no_page_without_a_journal_an_article(doi: str) -> None:
    assert text({**PAGE, "site": "", "doi": doi}, style="bibtex").startswith("@misc{")


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("García Márquez, Gabriel", {"family": "García Márquez", "given": "Gabriel"}),
        ("King, Martin Luther, Jr.", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}),
        ("Doe J", {"family": "Doe", "given": "J."}),
        ("van Gogh, Vincent", {"family": "van Gogh", "given": "Vincent"}),
        ("Nguyễn, Văn An", {"family": "Nguyễn", "given": "Văn An"}),
        ("Ana Müller", {"literal": "Ana Müller"}),
        ("World Health Organization", {"literal": "World Health Organization"}),
    ],
)
def test_a_name_given_in_parts_is_written_in_parts(author: str, name: dict[str, str]) -> None:
    (item,) = json.loads(text({**PAGE, "author": author}, style="csl-json"))
    assert item["author"] == [name]
