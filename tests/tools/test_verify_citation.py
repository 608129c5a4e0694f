"""verify_citation, bullet by bullet of its specification (spec/research-tools.md, tool 23)."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.checks import cases
from research_core.errors import UsageError
from research_core.models import HttpReply
from research_core.tools import get_tool
from research_core.tools.verify_citation import parse_citation
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
from tests.contracts import cases as opinions
from tests.tool_calls_made import CallOutcome, make_tool_call, replay_call

bullet = Bullets("verify_citation")
REFERENCE = f"Kucsko, G. (2013). {TITLE}. Nature, 500, 54-58."
GONE = HttpReply(
    PAGE, 404, {"content-type": "text/html"}, b"<html><body>Nothing here</body></html>"
)


def verified(citation: str = DOI, answers: Any = None, **how: Any) -> CallOutcome:
    options = {"fallbacks": ("archive",), **how}
    return make_tool_call(
        "verify_citation", {**WORK_EXISTS, **(answers or {})}, citation=citation, **options
    )


def said(citation: str = DOI, answers: Any = None, **how: Any) -> Any:
    return verified(citation, answers, **how).answer


# ---------------------------------------------------------------- input


@pytest.mark.parametrize(
    ("citation", "kind"),
    [
        ("10.1038/nature12373", "doi"),
        ("doi:10.1038/nature12373", "doi"),
        ("https://doi.org/10.1038/nature12373", "doi"),
        ("http://dx.doi.org/10.1038/nature12373", "doi"),
        (f"{TITLE}. 10.1038/nature12373", "doi"),
        ("https://journal.example.org/doi/full/10.1038/nature12373", "url"),
        ("https://journal.example.org/thermometry", "url"),
        ("www.example.org/a", "url"),
        ("example.org/a?b=c", "url"),
        (REFERENCE, "reference"),
        ("Attention is all you need", "reference"),
        ("Miranda v. Arizona, 384 U.S. 436 (1966)", "reference"),
    ],
)
def test_it_is_told_apart_what_a_citation_is(citation: str, kind: str) -> None:
    assert parse_citation(citation).type == kind


@given(st.text(min_size=1, max_size=200))
def test_any_text_is_one_of_three(text: str) -> None:
    with suppress(UsageError):  # an address that is none
        assert parse_citation(" ".join(text.split())).type in ("doi", "url", "reference")


# ---------------------------------------------------------------- behavior


@bullet("it reports what it found and gives no verdict")
def _() -> None:
    answer = said(DOI, claim=CLAIM)
    assert not {"verdict", "supports", "refutes", "isTrue"} & set(answer)
    assert answer["provenance"]


@bullet("the existence of a DOI is asked for at Crossref")
def _() -> None:
    call = verified()
    assert call.answer["exists"] is True
    assert [url for _, url, _ in call.services.asked] == [f"{cited_works.CROSSREF}/{DOI}"]


@bullet("the matched record is exactly the cited work or nothing")
def _() -> None:
    assert said()["matchedRecord"]["doi"] == DOI
    other = said(
        answers={
            f"{cited_works.CROSSREF}/": cited_works.make_crossref_answer(doi="10.1038/other"),
            f"{cited_works.HANDLE}/": cited_works.make_handle(1),
        }
    )
    assert other["exists"] is True
    assert "matchedRecord" not in other


@bullet(
    "the matched record and its confidence are left out where no exact record is found or the DOI does not exist"
)
def _() -> None:
    for answers in (
        NO_WORK_EXISTS,
        {**NO_WORK_EXISTS, f"{cited_works.HANDLE}/": cited_works.make_handle(1)},
    ):
        answer = said(answers=answers)
        assert "matchedRecord" not in answer
        assert "matchConfidence" not in answer


@bullet("OpenAlex's exact look-up stands in, never a search")
def _() -> None:
    work = {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{DOI}",
        "display_name": TITLE,
        "is_retracted": False,
        "authorships": [],
    }
    call = verified(answers={**NO_WORK_EXISTS, f"{cited_works.OPENALEX}/doi:": work})
    assert call.answer["matchedRecord"]["title"] == TITLE
    assert not any("search" in params for params in call.params(cited_works.OPENALEX))


@bullet("a title beside a DOI is compared with the record's")
def _() -> None:
    assert said(f"{TITLE}. {DOI}")["titleMatch"] == "match"
    wrong = said(f"The migration of arctic terns over oceans. {DOI}")
    assert (wrong["titleMatch"], wrong["verificationStatus"]) == ("mismatch", "uncertain")


@bullet("a mismatch needs two words that the record lacks")
def _() -> None:
    assert said(f"Thermometry of penguins. {DOI}")["titleMatch"] != "mismatch"


@bullet("of a bare DOI the title is not checked")
def _() -> None:
    assert said()["titleMatch"] == "not_checked"


@bullet("a retraction is told, and nothing where the work is clean")
def _() -> None:
    answer = said(answers={f"{cited_works.CROSSREF}/": cited_works.make_retraction_answer()})
    assert answer["retractionStatus"] == {
        "retracted": True, "kind": "retraction", "date": "2014-05-01", "noticeDoi": "10.1038/notice", "source": "retraction-watch",
    }  # fmt: skip
    assert "retractionStatus" not in said()


@bullet("a correction is told and is no retraction")
def _() -> None:
    answer = said(
        answers={
            f"{cited_works.CROSSREF}/": cited_works.make_crossref_answer(
                **{"updated-by": [cited_works.make_update("correction")]}
            )
        }
    )
    assert (answer["retractionStatus"]["retracted"], answer["verificationStatus"]) == (
        False,
        "confirmed",
    )


@bullet("an address is visited")
def _() -> None:
    answer = said(PAGE)
    assert (
        answer["inputType"],
        answer["exists"],
        answer["httpStatus"],
        answer["verificationStatus"],
    ) == ("url", True, 200, "confirmed")


@bullet("a dead address has its copy in the archive")
def _() -> None:
    answer = said(PAGE, {PAGE: GONE, cited_works.ARCHIVE: cited_works.ARCHIVED})
    assert (answer["exists"], answer["httpStatus"], answer["archivedUrl"]) == (False, 404, COPY)


@bullet("a reference in words whose link is dead may exist all the same")
def _() -> None:
    answer = said(
        f"Moe, M. (2011). The harbour log. {PAGE}",
        {PAGE: GONE, cited_works.CROSSREF: cited_works.make_crossref_list()},
    )
    assert "exists" not in answer
    assert answer["verificationStatus"] == "unchecked"


@bullet("a link that answers confirms no work that is told of in words")
def _() -> None:
    for answers in (
        {cited_works.CROSSREF: cited_works.make_crossref_list()},
        {
            cited_works.CROSSREF: TIMEOUT_ERROR,
            cited_works.OPENALEX: TIMEOUT_ERROR,
            cited_works.DATACITE: TIMEOUT_ERROR,
        },
    ):
        answer = said(f"Moe, M. (2011). A wholly invented treatise on harbours. {PAGE}", answers)
        assert (answer["exists"], answer["verificationStatus"]) == (True, "unchecked")
        assert answer["reason"]


@bullet("a case under another name of one common word is another case")
def _() -> None:
    text = "Varghese v. China Southern Airlines Co., 925 F.3d 1339 (11th Cir. 2019)"
    for name, exists in (
        ("Southern Pacific Co. v. Jones", False),
        ("Varghese v. Smith", True),
        ("Varghese v. China S. Airlines", True),
        ("China Southern Airlines v. Smith", True),
    ):
        looked = [cited_works.make_case_citation("925 F.3d 1339", text.index("925"), name=name)]
        assert (
            said(text, {cited_works.LOOK_UP: looked}, settings={"courtlistener_api_token": "x"})[
                "exists"
            ]
            is exists
        )


@bullet("a server that refuses is there: 403, 429 and 503 are no dead link")
def _() -> None:
    for status in (403, 429, 503):
        answer = said(
            PAGE,
            {
                PAGE: HttpReply(
                    PAGE, status, {"content-type": "text/html"}, b"<html><body>No.</body></html>"
                )
            },
        )
        assert (answer["exists"], answer["httpStatus"]) == (True, status)
        assert "archivedUrl" not in answer


@bullet("the DOI that a scholarly page declares is looked up like a DOI")
def _() -> None:
    answer = said(
        PAGE,
        {
            PAGE: cited_works.make_scholarly_page(),
            f"{cited_works.CROSSREF}/": cited_works.make_retraction_answer(),
        },
    )
    assert (answer["detectedDoi"], answer["titleMatch"], answer["matchConfidence"]) == (
        DOI,
        "match",
        "high",
    )
    assert answer["retractionStatus"]["retracted"]
    wrong = said(
        PAGE,
        {PAGE: cited_works.make_scholarly_page(title="The migration of arctic terns over oceans")},
    )
    assert wrong["titleMatch"] == "mismatch"


@bullet("a page that is not scholarly stays at whether it answers, whatever stands in its prose")
def _() -> None:
    call = verified(
        PAGE,
        {PAGE: cited_works.make_page(f"In {DOI} we read of cells. {cited_works.UNRELATED_TEXT}")},
    )
    assert "detectedDoi" not in call.answer
    assert call.requests(cited_works.CROSSREF) == []


@bullet("a reference in words is matched with the nearest work, and how sure that is")
def _() -> None:
    answer = said(REFERENCE)
    assert (answer["inputType"], answer["exists"], answer["matchConfidence"]) == (
        "reference",
        True,
        "high",
    )
    assert answer["matchedRecord"]["doi"] == DOI
    near = said(
        REFERENCE,
        {
            cited_works.CROSSREF: cited_works.make_crossref_list(
                cited_works.make_crossref_work(
                    "Thermometry in a cell of the body of arctic terns and penguins"
                )
            )
        },
    )
    assert "matchedRecord" not in near
    assert "exists" not in near
    assert near["possibleMatch"]["title"].startswith("Thermometry")


@bullet("the retraction of a matched reference is told")
def _() -> None:
    answer = said(
        REFERENCE,
        {
            cited_works.CROSSREF: cited_works.make_crossref_list(
                cited_works.make_crossref_work(
                    **{"updated-by": [cited_works.make_update("retraction")]}
                )
            )
        },
    )
    assert (answer["verificationStatus"], answer["retractionStatus"]["retracted"]) == (
        "retracted",
        True,
    )


@bullet("with a claim the source is read, and what it says of it told")
def _() -> None:
    answer = said(PAGE, claim=CLAIM)
    assert (answer["claim"], answer["claimSupport"], answer["claimSourceUrl"]) == (
        CLAIM,
        "addressed",
        PAGE,
    )
    assert "nitrogen-vacancy" in answer["claimEvidence"][0]


@bullet("a source that says nothing of the claim does not address it")
def _() -> None:
    answer = said(PAGE, {PAGE: cited_works.make_page(UNRELATED_TEXT)}, claim=CLAIM)
    assert answer["claimSupport"] == "not_addressed"
    assert "claimEvidence" not in answer


@bullet("a denial is a cue to read the evidence")
def _() -> None:
    denies = cited_works.make_page(
        f"{cited_works.SUPPORTING_TEXT} There is no evidence that quantum sensors measure temperature inside living cells."
    )
    assert said(PAGE, {PAGE: denies}, claim=CLAIM)["contrastSignal"] is True
    assert "contrastSignal" not in said(PAGE, claim=CLAIM)


@bullet("the copy of a dead source is read for the claim")
def _() -> None:
    kept = HttpReply(
        f"{cited_works.COPY[:46]}id_/{PAGE}",
        200,
        {"content-type": "text/html"},
        cited_works.make_page().body,
    )
    answers = {
        PAGE: GONE,
        cited_works.ARCHIVE: cited_works.ARCHIVED,
        "https://web.archive.org/web/": kept,
        COPY: cited_works.make_page(),
    }
    assert said(PAGE, answers, claim=CLAIM)["claimSupport"] == "addressed"


@pytest.mark.parametrize(
    ("live", "reason"),
    [
        (HttpReply(PAGE, 403, {}, b""), "the site did not deliver the page (HTTP 403)"),
        (HttpReply(PAGE, 403, {}, b"Zugriff verweigert"), "(HTTP 403)"),
        (HttpReply(PAGE, 451, {}, b""), "the site did not deliver the page (HTTP 451)"),
        (HttpReply(PAGE, 500, {}, b""), ""),  # read for the claim only
        (HttpReply(PAGE, 503, {}, "保守中".encode()), "the site's server failed (HTTP 503)"),
    ],
)
def test_a_copy_read_for_an_address_that_answers_is_named_as_one(
    live: HttpReply, reason: str
) -> None:
    stamp = cited_works.COPY.partition("/web/")[2][:14]
    snapshot = f"https://web.archive.org/web/{stamp}/{PAGE}"
    kept = replace(cited_works.make_page(), url=f"https://web.archive.org/web/{stamp}id_/{PAGE}")
    answers = {
        PAGE: live,
        cited_works.ARCHIVE: cited_works.ARCHIVED,
        "https://web.archive.org/web/": kept,
    }
    answer = said(PAGE, answers, claim=CLAIM)
    assert answer["claimSupport"] == "addressed"
    assert answer["claimSourceUrl"] == snapshot
    sentences = " ".join(answer["provenance"])
    assert f"The source was read for the claim: {snapshot}" in sentences
    assert (f"({snapshot}), not the live page" in sentences) is bool(reason)
    assert reason in sentences


@bullet("a source that cannot be read is unavailable, and no mischaracterisation")
def _() -> None:
    answer = said(PAGE, {PAGE: GONE}, claim=CLAIM)
    assert answer["claimSupport"] == "source_unavailable"
    assert (
        said(PAGE, {PAGE: cited_works.make_page("Log in to read.")}, claim=CLAIM)["claimSupport"]
        == "source_unavailable"
    )


@bullet("nothing is read where no claim is given")
def _() -> None:
    assert not {"claim", "claimSupport", "claimEvidence"} & set(said())


@bullet("a registry that cannot be asked is told, and is no answer")
def _() -> None:
    answer = said(
        answers={
            **NO_WORK_EXISTS,
            f"{cited_works.CROSSREF}/": TIMEOUT_ERROR,
            f"{cited_works.HANDLE}/": TIMEOUT_ERROR,
        }
    )
    assert "exists" not in answer
    assert answer["verificationStatus"] == "unchecked"
    assert any(each.startswith("Could not be asked: Crossref") for each in answer["provenance"])


@bullet("it reads only, may be asked again, and asks the world")
def _() -> None:
    row = get_tool("verify_citation")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


@bullet("nothing of it is kept for another call")
def _() -> None:
    assert verified().kept_s is None
    assert verified(REFERENCE).kept_s is None


# ---------------------------------------------------------------- better than asked


@bullet("a retracted work is never confirmed")
def _() -> None:
    assert (
        said(answers={f"{cited_works.CROSSREF}/": cited_works.make_retraction_answer()})[
            "verificationStatus"
        ]
        == "retracted"
    )


@bullet("no registry has it, and the registry of all says so: not found")
def _() -> None:
    answer = said(answers=NO_WORK_EXISTS)
    assert (answer["exists"], answer["verificationStatus"]) == (False, "not_found")


@bullet("a DOI of another agency exists by the registry of all DOIs")
def _() -> None:
    assert (
        said(answers={**NO_WORK_EXISTS, f"{cited_works.HANDLE}/": cited_works.make_handle(1)})[
            "exists"
        ]
        is True
    )


@bullet("a case is looked up where it is cited")
def _() -> None:
    text = "Miranda v. Arizona, 384 U.S. 436 (1966)"
    token = {"courtlistener_api_token": "secret"}
    answer = said(
        text,
        {cited_works.LOOK_UP: [cited_works.make_case_citation("384 U.S. 436", 20)]},
        settings=token,
    )
    assert (answer["exists"], answer["titleMatch"], answer["cases"][0]["caseName"]) == (
        True,
        "match",
        "Miranda v. Arizona",
    )
    other = said(
        text,
        {
            cited_works.LOOK_UP: [
                cited_works.make_case_citation("384 U.S. 436", 20, name="Smith v. Jones")
            ]
        },
        settings=token,
    )
    assert (other["exists"], other["titleMatch"], other["verificationStatus"]) == (
        False,
        "mismatch",
        "not_found",
    )
    made_up = said(
        text,
        {cited_works.LOOK_UP: [cited_works.make_case_citation("384 U.S. 436", 20, 404)]},
        settings=token,
    )
    assert (made_up["exists"], made_up["verificationStatus"]) == (False, "not_found")
    unasked = said(text)
    assert "exists" not in unasked
    assert unasked["verificationStatus"] == "unchecked"


@bullet("a session is replayed without asking anybody")
def _() -> None:
    call = verified(f"{TITLE}. {DOI}", claim=CLAIM)
    assert (
        replay_call(call, "verify_citation", citation=f"{TITLE}. {DOI}", claim=CLAIM) == call.answer
    )


@bullet("a user name and a password in an address are told to nobody")
def _() -> None:
    call = verified(f"https://ann:s3cret@{PAGE.removeprefix('https://')}")
    assert "s3cret" not in json.dumps(call.answer)
    assert not any("s3cret" in url for _, url, _ in call.services.asked)


@bullet("a citation that is empty is refused with what to give")
def _() -> None:
    assert "Give a DOI" in verified("   ").error


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- a case without a token

OPINIONS = "https://www.courtlistener.com/api/rest/v4/search/"


def opinion(name: str, *citations: str, day: str = "1966-06-13") -> dict[str, Any]:
    """A row of the search of opinions."""
    row = {"caseName": name, "citation": list(citations), "dateFiled": day}
    return {**opinions.ROW, "neutralCite": "", "lexisCite": "", **row}


def searched(citation: str, *rows: dict[str, Any], **how: Any) -> CallOutcome:
    return verified(citation, {OPINIONS: opinions.page(*rows)}, **how)


@pytest.mark.parametrize(
    ("citation", "row"),
    [
        (
            "Miranda v. Arizona, 384 U.S. 436 (1966)",
            opinion("Miranda v. Arizona", "384 U.S. 436", "86 S. Ct. 1602"),
        ),
        (
            "Miranda v. Arizona, 384 U. S. 436, 86 S.Ct. 1602 (1966)",
            opinion("Miranda v. State of Arizona", "384 U.S. 436"),
        ),
        ("In re Gault, 387 U.S. 1 (1967)", opinion("In Re Gault", "387 U.S. 1")),
        ("387 U.S. 1", opinion("In Re Gault", "387 U.S. 1")),
        ("Peña v. Lobos, 12 F.3d 34 (9th Cir. 1993)", opinion("Peña v. Lobos", "12 F.3d 34")),
        ("Miranda v. Arizona", opinion("Miranda v. Arizona", "384 U.S. 436")),
        ("Miranda v. Arizona (1966)", opinion("Miranda v. Arizona", "384 U.S. 436")),
        ("Ávila v. Holder", opinion("Ávila v. Holder", "12 F.3d 40")),
        ("Holder v. Éditions Marais", opinion("Holder v. Éditions Marais", "12 F.3d 41")),
        ("Ørsted v. Łukasz", opinion("Ørsted v. Łukasz", "12 F.3d 42")),
        ("In re Íñiguez", opinion("In re Íñiguez", "12 F.3d 43")),
        ("In re Gault", opinion("In Re Gault", "387 U.S. 1")),
        ("In the Matter of Harbour", opinion("In the Matter of Harbour", "12 F.3d 45")),
        ("Matter of Özdemir", opinion("Matter of Özdemir", "12 F.3d 44")),
        ("Ex parte Milligan", opinion("Ex Parte Milligan", "71 U.S. 2", day="1866-04-03")),
    ],
)
def test_a_case_is_found_by_a_search_without_a_token(citation: str, row: Any) -> None:
    made = searched(citation, row)
    answer = made.answer
    assert (answer["exists"], answer["verificationStatus"]) == (True, "confirmed")
    assert (answer["titleMatch"], answer["cases"][0]["caseName"]) == ("match", row["caseName"])
    assert "A search of CourtListener has it" in " ".join(answer["provenance"])
    assert made.requests(OPINIONS)
    assert not made.requests(cited_works.LOOK_UP)
    assert replay_call(made, "verify_citation", citation=citation) == answer


@pytest.mark.parametrize(
    ("citation", "rows", "reason"),
    [
        ("Varghese v. China Airlines, 925 F.3d 1339 (11th Cir. 2019)", (), "has no such case"),
        ("Donoghue v Stevenson [1932] AC 562", (), "has no such case"),
        ("Doe v. Harbour Board", (), "has no such case"),
        (
            "Miranda v. Arizona, 999 U.S. 1 (1966)",
            (opinion("Miranda v. Arizona", "384 U.S. 436"),),
            "has a case of that name, Miranda v. Arizona, 384 U.S. 436 (1966-06-13)",
        ),
        (
            "Miranda v. Arizona (2011)",
            (opinion("Miranda v. Arizona", "384 U.S. 436"),),
            "has a case of that name",
        ),
        (
            "Miranda v. Arizona",
            (opinion("Arizona v. Evans", "514 U.S. 1"),),
            "has no such case",
        ),
    ],
)
def test_a_case_that_a_search_does_not_show_is_unchecked_and_the_next_step_named(
    citation: str, rows: Any, reason: str
) -> None:
    answer = searched(citation, *rows).answer
    assert "exists" not in answer
    assert (answer["verificationStatus"], answer["titleMatch"]) == ("unchecked", "not_checked")
    assert reason in answer["reason"]
    assert "may exist all the same" in answer["reason"]
    assert "COURTLISTENER_API_TOKEN" in answer["reason"]
    assert "legal_search" in answer["reason"]


def test_a_reference_with_many_citations_makes_few_requests() -> None:
    parallel = ", ".join(f"{volume} U.S. {volume + 7}" for volume in range(400, 408))
    made = searched(f"Miranda v. Arizona, {parallel} (1966)")
    assert 1 < len(made.requests(OPINIONS)) <= cases.MAX_CITATIONS + 1


def test_another_case_at_the_cited_place_is_told_without_a_token() -> None:
    answer = searched(
        "Varghese v. China Airlines, 925 F.3d 1339 (11th Cir. 2019)",
        opinion("J.D. v. Azar", "925 F.3d 1339", day="2019-06-14"),
    ).answer
    assert (answer["exists"], answer["titleMatch"]) == (False, "mismatch")
    assert "Another case stands at that citation: J.D. v. Azar" in answer["reason"]


@pytest.mark.parametrize("failure", [(429, ""), (503, ""), TIMEOUT_ERROR])
def test_a_search_that_fails_is_no_sign_against_a_case(failure: Any) -> None:
    answer = verified("Roe v. Wade, 410 U.S. 113 (1973)", {OPINIONS: failure}).answer
    assert "exists" not in answer
    assert answer["reason"].startswith("Could not be asked")


@pytest.mark.parametrize(
    "citation",
    [
        "Cats vs. dogs",
        "Attention is all you need",
        "Nature v nurture: a review",
        "Doe, J. (2020). Harbour v. Tide. Seas, 4, 1-9.",
    ],
)
def test_a_work_of_another_kind_is_searched_for_as_such(citation: str) -> None:
    assert not searched(citation).requests(OPINIONS)


# ---------------------------------------------------------------- error pages with success


#: (title, text) of pages that say that they do not exist.
ERROR_PAGES = {
    "en": ("Page not found", "The page you are looking for does not exist."),
    "it": ("Pagina non trovata", "La pagina richiesta non è stata trovata."),
    "cs": ("Stránka nenalezena", "Požadovaná stránka neexistuje."),
    "id": ("Halaman tidak ditemukan", "Halaman yang Anda cari tidak tersedia."),
    "zh": ("页面不存在", "抱歉，您访问的页面不存在。"),
}


@pytest.mark.parametrize("claim", ["", CLAIM], ids=["alone", "with a claim"])
@pytest.mark.parametrize("language", ERROR_PAGES)
def test_an_error_page_with_success_is_no_source(language: str, claim: str) -> None:
    title, text = ERROR_PAGES[language]
    page = cited_works.make_page(text, title)
    answer = said(PAGE, {PAGE: page}, claim=claim)
    assert (answer["verificationStatus"], answer["exists"]) == ("not_found", False)
    assert answer["httpStatus"] == 200
    assert "HTTP 200" in answer["reason"]
    assert "404/410" not in str(answer)
