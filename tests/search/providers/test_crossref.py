"""What Crossref says against a work, from written and, where they are, recorded replies; a changed
shape is an error, never "clean".
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.models import HttpReply
from research_core.search.providers.crossref import IntegrityNotice, fetch_notice

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "api_fixtures"
RETRACTION = {
    "DOI": "10.1/notice",
    "type": "retraction",
    "source": "retraction-watch",
    "updated": {"date-parts": [[2010, 2, 6]]},
}
CORRECTION = {
    "DOI": "10.1/erratum",
    "type": "erratum",
    "source": "publisher",
    "updated": {"date-parts": [[2009, 5]]},
}
CONCERN = {"DOI": "10.1/concern", "type": "expression_of_concern", "updated": {}}
VERSION = {
    "DOI": "10.1/v2",
    "type": "new_version",
    "source": "publisher",
    "updated": {"date-parts": [[2024, 12, 9]]},
}


@dataclass
class Answers:
    """An http that answers one body."""

    body: Any
    status: int = 200
    asked: list[str] = field(default_factory=list)

    def send(self, _method: str, url: str, **_options: Any) -> HttpReply:
        self.asked.append(url)
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return HttpReply(url, self.status, {"content-type": "application/json"}, body)


def told(*notices: Any) -> IntegrityNotice | None:
    return fetch_notice(
        Answers({"message": {"DOI": "10.1/x", "updated-by": list(notices)}}), "10.1/x"
    )


@pytest.mark.parametrize(
    ("notices", "found"),
    [
        ([], None),
        ([VERSION], None),
        (
            [RETRACTION],
            IntegrityNotice("retraction", "2010-02-06", "10.1/notice", "retraction-watch"),
        ),
        ([CORRECTION, CONCERN], IntegrityNotice("expression_of_concern", "", "10.1/concern", "")),
        (
            [CORRECTION, RETRACTION, CONCERN],
            IntegrityNotice("retraction", "2010-02-06", "10.1/notice", "retraction-watch"),
        ),
        ([CORRECTION], IntegrityNotice("correction", "2009-05", "10.1/erratum", "publisher")),
        ([{"type": "Partial Retraction"}], IntegrityNotice("retraction")),
        (
            [{"type": "withdrawal", "updated": {"date-parts": [[None]]}, "source": 7}],
            IntegrityNotice("retraction"),
        ),
    ],
)
def test_the_gravest_notice_counts(notices: list[Any], found: IntegrityNotice | None) -> None:
    assert told(*notices) == found


def test_only_a_retraction_says_retracted() -> None:
    said = [each and each.as_json() for each in (told(RETRACTION), told(CONCERN), told(CORRECTION))]
    assert [each and each["retracted"] for each in said] == [True, False, False]
    assert said[0] == {
        "retracted": True, "kind": "retraction", "date": "2010-02-06", "noticeDoi": "10.1/notice", "source": "retraction-watch"
    }  # fmt: skip
    assert said[1] == {
        "retracted": False,
        "kind": "expression_of_concern",
        "noticeDoi": "10.1/concern",
    }


def test_a_work_without_notices_and_one_that_is_not_crossref_s_have_none() -> None:
    assert fetch_notice(Answers({"message": {"DOI": "10.1/x"}}), "10.1/x") is None
    assert fetch_notice(Answers(b"Resource not found.", 404), "10.48550/arXiv.1") is None


def test_the_doi_is_asked_for_with_its_slash_and_no_other_sign_left_open() -> None:
    http = Answers({"message": {}})
    fetch_notice(http, "10.1002/(SICI)1<1::AID?#>3")
    assert http.asked == [
        "https://api.crossref.org/works/10.1002/%28sici%291%3C1%3A%3Aaid%3F%23%3E3"
    ]


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({}, 200, "bad_reply"),
        ([], 200, "bad_reply"),
        (b"<html>", 200, "bad_reply"),
        (b'{"message": {"upd', 200, "bad_reply"),
        ({"message": []}, 200, "bad_reply"),
        ({"message": {"updated-by": {}}}, 200, "bad_reply"),
        ({"message": {"updated-by": [1]}}, 200, "bad_reply"),
        ({}, 429, "rate_limited"),
        ({}, 500, "upstream_unavailable"),
    ],
)
def test_an_answer_that_cannot_be_read_is_never_a_clean_record(
    body: Any, status: int, kind: str
) -> None:
    with pytest.raises(SearchError) as caught:
        fetch_notice(Answers(body, status), "10.1/x")
    assert caught.value.kind == kind


def test_real_records_are_read_and_none_is_falsely_retracted() -> None:
    files = sorted(RECORDED.glob("crossref_work_by_doi_*.json")) + sorted(
        RECORDED.glob("crossref_updates_1.json")
    )
    if not files:
        pytest.skip("The recorded replies are not here.")
    good = [path for path in files if "_http" not in path.stem]
    found = {path.stem: fetch_notice(Answers(path.read_bytes()), "10.1/x") for path in good}
    assert found["crossref_updates_1"] == IntegrityNotice(
        "correction", "2015-05-04", "10.1073/pnas.1507001112", "publisher"
    )
    assert not [name for name, each in found.items() if each and each.kind == "retraction"]


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(["retraction", "erratum", "other"]),
                "updated": JSON,
                "DOI": JSON,
                "source": JSON,
            }
        ),
        max_size=5,
    )
)
def test_notices_of_any_shape_are_read_or_refused(notices: list[Any]) -> None:
    found = told(*notices)
    assert (found is not None) == any(notice["type"] != "other" for notice in notices)
