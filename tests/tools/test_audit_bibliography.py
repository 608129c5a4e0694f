"""audit_bibliography, bullet by bullet of its specification (spec/research-tools.md, tool 27)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from research_core.citations.formats.reading import READERS
from research_core.models import HttpReply
from research_core.tools import get_tool
from research_core.tools.audit_bibliography import FORMATS
from tests import cited_works
from tests.bullets import Bullets
from tests.cited_works import (
    CLAIM,
    COPY,
    DOI,
    NO_WORK_EXISTS,
    PAGE,
    TIMEOUT_ERROR,
    TITLE,
    UNRELATED_TEXT,
    WORK_EXISTS,
)
from tests.counter import make_slow_caller
from tests.tool_calls_made import CallOutcome, make_tool_call, replay_call

bullet = Bullets("audit_bibliography")
GONE = HttpReply(
    PAGE, 404, {"content-type": "text/html"}, b"<html><body>Nothing here</body></html>"
)
BIBTEX = (
    f"@article{{one, title={{{TITLE}}}, author={{Kucsko, Georg}}, year={{2013}}, doi={{{DOI}}}}}\n"
)
RIS = f"TY  - JOUR\nTI  - {TITLE}\nAU  - Kucsko, Georg\nPY  - 2013\nDO  - {DOI}\nER  - \n"
CSL = json.dumps([{"type": "article-journal", "title": TITLE, "DOI": DOI}])


def audited(answers: Any = None, **how: Any) -> CallOutcome:
    options = {"fallbacks": ("archive",), **how}
    return make_tool_call("audit_bibliography", {**WORK_EXISTS, **(answers or {})}, **options)


def one(answers: Any = None, how: Any = None, **entry: str) -> Any:
    """What is said of one entry."""
    return audited(answers, entries=[entry], **(how or {})).answer["entries"][0]


# ---------------------------------------------------------------- what is checked


@bullet("a document in BibTeX, RIS or CSL-JSON is told apart by itself")
def _() -> None:
    for text, format in ((BIBTEX, "bibtex"), (RIS, "ris"), (CSL, "csl-json")):
        for asked in ("auto", format):
            answer = audited(bibliography=text, format=asked).answer
            assert answer["source"] == f"bibliography:{format}"
            assert (
                answer["entryCount"],
                answer["entries"][0]["exists"],
                answer["summary"]["ok"],
            ) == (1, True, 1)


@bullet("entries go before a document")
def _() -> None:
    answer = audited(entries=[{"doi": DOI}], bibliography=RIS, sessionId="x").answer
    assert answer["source"] == "entries"
    assert audited(bibliography=RIS, sessionId="x").answer["source"] == "bibliography:ris"


@bullet("a claim holds of an explicit entry")
def _() -> None:
    assert one(url=PAGE, claim=CLAIM)["claimSupport"] == "addressed"
    assert "claimSupport" not in audited(bibliography=RIS).answer["entries"][0]


@bullet("what cannot be read of a document is told with its line, and the rest checked")
def _() -> None:
    answer = audited(bibliography=f"{BIBTEX}\n@article{{two, title={{Broken\n").answer
    assert answer["entryCount"] == 1
    assert answer["notes"][0].startswith("Line 3:")


@bullet("nothing to check is refused with what to give")
def _() -> None:
    for broken in ("[{", "@article{a, title={x", '{"a": 1}'):
        assert "could be read" in audited(bibliography=broken).error
    assert "Give entries" in audited().error
    assert "Choose one of" in audited(bibliography=RIS, format="docx").error


# ---------------------------------------------------------------- flags


@bullet("an entry that nothing speaks against has no flag")
def _() -> None:
    entry = one(doi=DOI, title=TITLE, url=PAGE)
    assert (entry["flags"], entry["exists"], entry["linkLive"], entry["httpStatus"]) == (
        [],
        True,
        True,
        200,
    )
    assert "reason" not in entry


@bullet("retracted is flagged, a concern or a correction is told and not flagged")
def _() -> None:
    entry = one({f"{cited_works.CROSSREF}/": cited_works.make_retraction_answer()}, doi=DOI)
    assert entry["flags"] == ["retracted"]
    assert "retracted" in entry["reason"]
    for kind in ("expression_of_concern", "correction"):
        entry = one(
            {
                f"{cited_works.CROSSREF}/": cited_works.make_crossref_answer(
                    **{"updated-by": [cited_works.make_update(kind)]}
                )
            },
            doi=DOI,
        )
        assert (entry["flags"], entry["retractionStatus"]["retracted"]) == ([], False)


@bullet("a dead link is flagged with its copy")
def _() -> None:
    entry = one({PAGE: GONE, cited_works.ARCHIVE: cited_works.ARCHIVED}, url=PAGE)
    assert (entry["flags"], entry["linkLive"], entry["httpStatus"], entry["archivedUrl"]) == (
        ["dead_link"],
        False,
        404,
        COPY,
    )


@bullet("a server that is silent is dead, with the status 0")
def _() -> None:
    entry = one({PAGE: cited_works.DISCONNECT_ERROR}, url=PAGE)
    assert (entry["flags"], entry["linkLive"], entry["httpStatus"]) == (["dead_link"], False, 0)


@bullet("a server that refuses is live")
def _() -> None:
    for status in (403, 429, 503):
        entry = one(
            {
                PAGE: HttpReply(
                    PAGE, status, {"content-type": "text/html"}, b"<html><body>No.</body></html>"
                )
            },
            url=PAGE,
        )
        assert (entry["flags"], entry["linkLive"], entry["httpStatus"]) == ([], True, status)


@bullet("a DOI that is registered nowhere is not found, whatever its link does")
def _() -> None:
    entry = one({**NO_WORK_EXISTS, PAGE: cited_works.make_page()}, doi="10.9999/made.up", url=PAGE)
    assert (entry["flags"], entry["exists"], entry["linkLive"]) == (["not_found"], False, True)
    assert (
        audited(
            {**NO_WORK_EXISTS, PAGE: cited_works.make_page()},
            entries=[{"doi": "10.9999/made.up", "url": PAGE}],
        ).answer["summary"]["ok"]
        == 0
    )


@bullet("a DOI that could not be looked up is unchecked and never not found")
def _() -> None:
    entry = one({**NO_WORK_EXISTS, f"{cited_works.HANDLE}/": TIMEOUT_ERROR}, doi=DOI)
    assert entry["flags"] == ["unchecked"]
    assert "exists" not in entry
    assert "could not be checked" in entry["reason"]


@bullet("a DOI that could not be looked up is unchecked where its link answers too")
def _() -> None:
    entry = one(
        {**NO_WORK_EXISTS, f"{cited_works.HANDLE}/": TIMEOUT_ERROR, PAGE: cited_works.make_page()},
        doi=DOI,
        url=PAGE,
    )
    assert (entry["flags"], entry["linkLive"]) == (["unchecked"], True)


@bullet("an address of doi.org is its DOI, one of a publisher is not, which might be cut wrongly")
def _() -> None:
    assert one(NO_WORK_EXISTS, url="https://doi.org/10.9999/made.up")["flags"] == ["not_found"]
    url = "https://journal.example.org/doi/10.9999/made.up/full"
    assert one({**NO_WORK_EXISTS, url: cited_works.make_page()}, url=url)["flags"] == []


@bullet("that nobody keeps notices about a work is told")
def _() -> None:
    work = {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{DOI}",
        "display_name": TITLE,
        "authorships": [],
    }
    entry = one(
        {
            **NO_WORK_EXISTS,
            f"{cited_works.CROSSREF}/": TIMEOUT_ERROR,
            f"{cited_works.OPENALEX}/doi:": work,
        },
        doi=DOI,
    )
    assert (entry["flags"], entry["exists"]) == ([], True)
    assert "Whether it was retracted is not known" in entry["reason"]
    assert "reason" not in one(doi=DOI)


@bullet("an entry that nothing corroborates is unchecked, which its reason says is no proof")
def _() -> None:
    entry = one(NO_WORK_EXISTS, title="A book that no index has ever heard of", author="Doe, Jane")
    assert entry["flags"] == ["unchecked"]
    assert "proves nothing" in entry["reason"]


@bullet("a source that says nothing of its claim is mischaracterized")
def _() -> None:
    entry = one({PAGE: cited_works.make_page(UNRELATED_TEXT)}, url=PAGE, claim=CLAIM)
    assert (entry["flags"], entry["claimSupport"]) == (["mischaracterized"], "not_addressed")


@bullet("some overlap is shown and not flagged")
def _() -> None:
    near = cited_works.make_page(
        f"{UNRELATED_TEXT} Quantum sensors are sold in the shop, beside living plants."
    )
    entry = one({PAGE: near}, url=PAGE, claim=CLAIM)
    assert (entry["flags"], entry["claimSupport"]) == ([], "partially_addressed")
    assert "sold in the shop" in entry["claimEvidence"][0]


@bullet("words that are scattered over a long page do not address a claim")
def _() -> None:
    words = "quantum sensors nitrogen vacancy centres measure temperature living cells".split()
    scattered = cited_works.make_page(
        " ".join(f"The word {word} stands alone. {UNRELATED_TEXT}" for word in words)
    )
    assert one({PAGE: scattered}, url=PAGE, claim=CLAIM)["claimSupport"] == "partially_addressed"


@bullet("a denial among the evidence is a cue")
def _() -> None:
    denies = cited_works.make_page(
        f"{cited_works.SUPPORTING_TEXT} There is no evidence that quantum sensors measure temperature inside living cells."
    )
    assert one({PAGE: denies}, url=PAGE, claim=CLAIM)["contrastSignal"] is True
    turn = cited_works.make_page(
        f"{cited_works.SUPPORTING_TEXT} However, quantum sensors measure temperature inside living cells."
    )
    assert "contrastSignal" not in one({PAGE: turn}, url=PAGE, claim=CLAIM)


@bullet("a source that cannot be read is unavailable and not mischaracterized")
def _() -> None:
    entry = one({PAGE: GONE}, url=PAGE, claim=CLAIM)
    assert (entry["flags"], entry["claimSupport"]) == (["dead_link"], "source_unavailable")


# ---------------------------------------------------------------- bounds


@bullet("every address, every DOI and every title is asked for once")
def _() -> None:
    call = audited(entries=[{"doi": DOI, "url": PAGE}] * 3)
    assert len(call.requests(f"{cited_works.CROSSREF}/")) == 1
    assert [method for method, _, _ in call.requests(PAGE)] == ["HEAD", "GET"]


@bullet("200 entries are checked, and those beyond are told")
def _() -> None:
    answer = audited(entries=[{"doi": DOI}] * 203).answer
    assert (answer["entryCount"], answer["skipped"]) == (200, 3)
    assert "200 of 203" in answer["skippedNote"]
    assert not {"skipped", "skippedNote"} & set(audited(entries=[{"doi": DOI}]).answer)


@bullet("a DOI is asked for before a title, and a title where there is none")
def _() -> None:
    assert audited(entries=[{"doi": DOI, "title": TITLE}]).requests(cited_works.OPENALEX) == []
    call = audited(entries=[{"title": TITLE, "author": "Kucsko, Georg"}])
    assert call.answer["entries"][0]["exists"] is True
    assert call.requests(f"{cited_works.CROSSREF}/") == []


@bullet("the summary counts each flag, and what is well")
def _() -> None:
    missing = "10.9999/made.up"
    answers = {
        f"{cited_works.CROSSREF}/{missing}": cited_works.NO_WORK,
        cited_works.CROSSREF: cited_works.make_crossref_list(),
        PAGE: GONE,
    }
    entries = [
        {"doi": DOI},
        {"doi": missing},
        {"url": PAGE},
        {"title": "Of nothing that is known to anybody"},
    ]
    answer = audited(answers, entries=entries).answer
    assert answer["summary"] == {
        "total": 4, "retracted": 0, "deadLink": 1, "notFound": 1, "unchecked": 1, "mischaracterized": 0, "titleMismatch": 0, "ok": 1,
    }  # fmt: skip
    assert [entry["index"] for entry in answer["entries"]] == [0, 1, 2, 3]
    assert answer["checkedAt"] == "2026-11-22T13:30:00Z"


@bullet("it reads only, may be asked again, and asks the world")
def _() -> None:
    row = get_tool("audit_bibliography")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


@bullet("nothing of it is kept for another call")
def _() -> None:
    assert audited(entries=[{"doi": DOI, "url": PAGE}]).kept_s is None


# ---------------------------------------------------------------- better than asked


@bullet("a DOI of another work is told, and is not well")
def _() -> None:
    answer = audited(
        entries=[{"doi": DOI, "title": "The migration of arctic terns over oceans"}]
    ).answer
    assert answer["entries"][0]["titleMatch"] == "mismatch"
    assert TITLE in answer["entries"][0]["reason"]
    assert (answer["summary"]["titleMismatch"], answer["summary"]["ok"]) == (1, 0)


@bullet("where a DOI is made up, the DOI of the work of that title is told")
def _() -> None:
    entry = one(
        {
            **NO_WORK_EXISTS,
            cited_works.CROSSREF: cited_works.make_crossref_list(cited_works.make_crossref_work()),
        },
        doi="10.9999/made.up",
        title=TITLE,
        author="Kucsko, Georg",
    )
    assert entry["flags"] == ["not_found"]
    assert DOI in entry["reason"]


@bullet("cases of a list are looked up in one call")
def _() -> None:
    text = "Miranda v. Arizona, 384 U.S. 436 (1966)\nSmith v. Jones, 999 F.3d 1 (9th Cir. 2021)\n"
    at = text.index("999")
    looked = [
        cited_works.make_case_citation("384 U.S. 436", 20),
        cited_works.make_case_citation("999 F.3d 1", at, 404),
    ]
    call = audited(
        {cited_works.LOOK_UP: looked},
        bibliography=text,
        format="text",
        settings={"courtlistener_api_token": "secret"},
    )
    assert [entry["flags"] for entry in call.answer["entries"]] == [[], ["not_found"]]
    assert "no case at that citation" in call.answer["entries"][1]["reason"]
    assert len(call.requests(cited_works.LOOK_UP)) == 1


@bullet("the world may be down, and nothing is made of it")
def _() -> None:
    down = dict.fromkeys((*NO_WORK_EXISTS, PAGE), TIMEOUT_ERROR)
    answer = audited(
        down,
        entries=[{"doi": DOI, "title": TITLE}, {"title": TITLE}, {"url": PAGE, "claim": CLAIM}],
    ).answer
    assert [entry["flags"] for entry in answer["entries"]] == [["unchecked"]] * 3
    assert "could not be searched for" in answer["entries"][1]["reason"]
    assert "proves nothing" not in answer["entries"][1]["reason"]


def test_every_format_that_is_read_is_told() -> None:
    assert tuple(READERS) == FORMATS


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- the time of one call

COUNT = 60
REFERENCES = [
    {"title": f"On the tides of harbour {n}", "author": "Doe, Jane", "doi": f"10.1000/{n}"}
    for n in range(COUNT)
]
LINES = "\n".join(
    f"Doe, J. (2020). On the tides of harbour {n}. Seas, 4, {n}-{n + 9}. https://doi.org/10.1000/{n}"
    for n in range(COUNT)
)
BIBTEX_LIST = "\n".join(
    f"@article{{k{n}, title={{On tides {n}}}, author={{Doe, Jane}}, year={{2020}}, doi={{10.1000/{n}}}}}"
    for n in range(COUNT)
)
RIS_LIST = "".join(
    f"TY  - JOUR\nTI  - Tides {n}\nDO  - 10.1000/{n}\nER  - \n" for n in range(COUNT)
)
CSL_LIST = json.dumps([{"type": "book", "title": f"Über Gezeiten {n}"} for n in range(COUNT)])
CLAIMED = [{"url": f"{PAGE}/{n}", "claim": CLAIM} for n in range(COUNT)]


@pytest.mark.parametrize(
    ("arguments", "seconds", "next_step"),
    [
        ({"entries": REFERENCES}, 1.0, "the entries from index"),
        ({"entries": CLAIMED}, 1.0, "the entries from index"),
        ({"bibliography": LINES}, 1.0, "the rest of the bibliography, from its entry"),
        ({"bibliography": BIBTEX_LIST}, 0.7, "the rest of the bibliography, from its entry"),
        ({"bibliography": RIS_LIST}, 2.0, "the rest of the bibliography, from its entry"),
        ({"bibliography": CSL_LIST}, 1.5, "the rest of the bibliography, from its entry"),
        ({"entries": REFERENCES}, 30.0, "the entries from index"),
    ],
)
def test_a_long_list_is_answered_in_time_with_what_is_done_and_how_to_go_on(
    tmp_path: Path, arguments: dict[str, Any], seconds: float, next_step: str
) -> None:
    at = make_slow_caller(tmp_path, WORK_EXISTS, seconds)
    served = at.serve("audit_bibliography", arguments)
    answer = served.answer
    assert answer is not None, served.error
    assert served.seconds <= 60.0
    done = answer["continueFrom"]
    assert 0 < done == answer["entryCount"] == len(answer["entries"]) < COUNT
    assert answer["skipped"] == COUNT - done
    assert f"The first {done} of {COUNT} entries" in answer["skippedNote"]
    assert next_step in answer["skippedNote"]
    assert answer["summary"]["total"] == done


@pytest.mark.parametrize("seconds", [0.3, 0.8, 1.5])
def test_a_list_checked_in_parts_is_as_one_checked_at_once(tmp_path: Path, seconds: float) -> None:
    at = make_slow_caller(tmp_path, WORK_EXISTS, seconds)
    left, titles, calls = list(REFERENCES), [], 0
    while left:
        answer = at.serve("audit_bibliography", {"entries": left}).answer
        assert answer is not None
        assert not any(
            "time for this call" in entry.get("reason", "") for entry in answer["entries"]
        )
        titles += [entry["title"] for entry in answer["entries"]]
        left = left[answer.get("continueFrom", len(left)) :]
        calls += 1
    assert titles == [each["title"] for each in REFERENCES]
    assert calls > 1


def test_a_short_list_is_answered_whole_even_if_some_of_it_could_not_be_checked_in_time(
    tmp_path: Path,
) -> None:
    served = make_slow_caller(tmp_path, WORK_EXISTS, 8.0).serve(
        "audit_bibliography", {"entries": REFERENCES[:8]}
    )
    assert served.answer is not None
    assert (served.answer["entryCount"], served.seconds <= 60.0) == (8, True)
    assert "continueFrom" not in served.answer


def test_a_replay_checks_as_many_entries_as_there_was_time_for() -> None:
    said = audited(entries=[{"doi": DOI}] * 30)
    assert replay_call(said, "audit_bibliography", entries=[{"doi": DOI}] * 30)["entryCount"] == 30


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Page not found", "The page you are looking for does not exist."),
        ("Página no encontrada", "La página que busca no existe."),
        ("Страница не найдена", "Запрошенная страница не существует."),
        ("Sayfa bulunamadı", "Aradığınız sayfa mevcut değil."),
        ("الصفحة غير موجودة", "عذرا، لم يتم العثور على الصفحة."),
    ],
)
def test_an_error_page_with_success_is_a_dead_link(title: str, text: str) -> None:
    page = cited_works.make_page(text, title)
    answer = audited({PAGE: page}, entries=[{"url": PAGE, "claim": CLAIM}]).answer
    (entry,) = answer["entries"]
    assert (entry["flags"], entry["linkLive"]) == (["dead_link"], False)
    assert (answer["summary"]["ok"], answer["summary"]["deadLink"]) == (0, 1)


@pytest.mark.parametrize(
    ("given", "unused"),
    [
        ({"entries": [{"doi": DOI}], "bibliography": RIS}, ["bibliography"]),
        ({"entries": [{"doi": DOI}], "sessionId": "s-1"}, ["sessionId"]),
        (
            {"entries": [{"doi": DOI}], "bibliography": BIBTEX, "sessionId": "s"},
            ["bibliography", "sessionId"],
        ),
        ({"bibliography": CSL, "sessionId": "s-1"}, ["sessionId"]),
        ({"bibliography": RIS}, []),
        ({"entries": [{"doi": DOI}], "bibliography": " "}, []),
    ],
)
def test_an_input_that_is_not_checked_is_named(given: dict[str, Any], unused: list[str]) -> None:
    notes = audited(**given).answer.get("notes", [])
    assert [note.partition(" ")[0] for note in notes] == unused


def test_entries_with_authors_in_an_unclear_form_have_a_note() -> None:
    answer = audited(entries=[{"doi": DOI, "author": "John Smith, Ann Doe"}]).answer
    assert answer["notes"][0].startswith("entries[0].author may name several people")
