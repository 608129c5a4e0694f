"""The download buttons, without a browser: which there are, what they say, and that nothing is made
before a click.
"""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
import sqlalchemy as sa

from parts.session.report import downloads
from parts.shared import badges
from research_core import export
from research_core.export import archive, check, document
from research_core.export.document import CHECK_RESULTS
from research_core.journal import tables
from research_core.journal.events import json_in_order
from research_core.pipeline import report
from research_core.sessions import model_requests, session_control, snapshot
from research_core.wiring import LOCAL_USER
from tests.pipeline.test_report import ABYSS, told
from tests.reports import FULL_REPORT, telling
from tests.sample_sessions import SampleSessions, keys, shown, words


def names(samples: SampleSessions, session: str) -> list[str]:
    return [
        button.proto.label for button in shown("report.py", session=session).get("download_button")
    ]


def test_markdown_is_in_the_header_and_each_other_format_says_what_it_is_for(
    samples: SampleSessions,
) -> None:
    at = shown("report.py", session=samples.answered)
    buttons = [button.proto for button in at.get("download_button")]
    others = [each for each in export.FORMATS.values() if each.name != "md"]
    ours = [
        button
        for button in buttons
        if button.label == "Markdown" or button.label in {each.label for each in others}
    ]
    assert [button.label for button in ours] == [
        "Markdown",
        *(each.label for each in others),
    ]
    assert all(f"{each.purpose}." in words(at) for each in others)


def test_nothing_is_made_before_a_click_and_a_click_reruns_nothing(samples: SampleSessions) -> None:
    for button in shown("report.py", session=samples.answered).get("download_button"):
        assert button.proto.deferred_file_id
        assert not button.proto.url
        assert button.proto.ignore_rerun


def test_line_below_the_title_of_an_export_counts_what_the_screen_counts(
    samples: SampleSessions,
) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    kept, weighed = built.funnel["kept"], report.count_judged_sources(built)
    assert built.funnel["found"] > weighed
    counted = document.format_facts(built).rpartition(" · ")[2]
    assert counted.startswith(f"{len(built.sources)} sources found: {kept} kept, ")
    assert counted in words(shown("report.py", session=samples.answered))
    live = words(shown("live.py", session=samples.answered))
    assert f"{kept} of {weighed} pages have a relevance of 3/5 or more" in live


def test_without_a_source_kept_no_bibliography_is_offered(samples: SampleSessions) -> None:
    assert not {"BibTeX", "RIS", "CSL-JSON"} & set(names(samples, samples.unanswered))
    assert "PDF" in names(samples, samples.unanswered)


@pytest.mark.parametrize("name", ["md", "html", "zip"])
def test_maker_gives_the_format_s_bytes_and_the_stored_markdown(
    samples: SampleSessions, name: str
) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    each = export.FORMATS[name]
    make = downloads._make_export(samples.resources, samples.answered, built, LOCAL_USER)
    pages = partial(snapshot.read_page_text, samples.resources)
    assert make(each) == export.build_file(
        each,
        built,
        pages,
        lambda: model_requests.list_requests(samples.resources, samples.answered),
    )


@pytest.mark.full
def test_the_pack_s_digest_waits_to_be_asked_for_and_is_that_of_the_download(
    samples: SampleSessions,
) -> None:
    at = shown("report.py", session=samples.answered)
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    body = downloads._make_export(samples.resources, samples.answered, built, LOCAL_USER)(
        export.FORMATS["zip"]
    )
    assert export.compute_pack_digest(body) not in words(at)
    at.button(key="pack_digest").click().run()
    assert not at.exception
    assert export.compute_pack_digest(body) in [element.value for element in at.code]
    assert "pack_digest" not in keys(at)
    files = archive.unpack(body)
    assert [fault for _, one in check.CHECKS for fault in check.run_check(one, files)] == []


def test_digest_of_one_session_is_not_shown_on_another(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.answered)
    at.button(key="pack_digest").click().run()
    at.query_params["session"] = samples.unanswered
    at.run()
    assert not [element for element in at.code if re.fullmatch("[0-9a-f]{64}", element.value)]
    assert "pack_digest" in keys(at)


@pytest.mark.parametrize("name", export.FORMATS)
def test_report_of_a_session_deleted_since_it_was_drawn_can_still_be_saved(
    samples: SampleSessions, name: str
) -> None:
    built = report.build(snapshot.read_session(samples.resources, samples.answered).run)
    make = downloads._make_export(samples.resources, samples.answered, built, LOCAL_USER)
    session_control.delete(samples.resources, samples.answered)
    assert make(export.FORMATS[name])


def test_what_the_pdf_cannot_print_is_said_beside_its_button() -> None:
    assert (
        downloads._describe_format(export.FORMATS["pdf"], FULL_REPORT) == "To print, send and file."
    )
    said = downloads._describe_format(
        export.FORMATS["pdf"], telling(told("For private use: \ue005", ABYSS))
    )
    assert (
        "No installed font has 2 characters, which are shown as ▯: 2 unassigned or private characters."
        in said
    )


def test_what_the_pdf_cannot_print_is_looked_for_once(samples: SampleSessions) -> None:
    shown("report.py", session=samples.answered)
    stands, nothing = (
        snapshot.read_session(samples.resources, samples.answered),
        None,
    )  # it is at hand, so nobody looks at the report again
    purposes = downloads._describe_formats(stands.session, stands.seq, nothing)
    assert purposes == {
        name: downloads._describe_format(each, report.build(stands.run))
        for name, each in export.FORMATS.items()
    }
    with pytest.raises(AttributeError):
        downloads._describe_formats(stands.session, stands.seq + 1, nothing)


def test_signs_of_the_check_are_the_screens_own() -> None:
    signs = {state: badge.symbol for state, badge in badges.CHECK_BADGES.items()}
    own = {state: check.symbol for state, check in CHECK_RESULTS.items()}
    assert own == {state: sign for state, sign in signs.items() if state in own}
    # Only a check of another's report has these results: its files have their own tables.
    assert signs.keys() - own.keys() == {"contradicted", "not decided"}
    assert {check.tone for check in CHECK_RESULTS.values()} <= {
        badge.tone for badge in badges.CHECK_BADGES.values()
    }


def test_the_web_archive_is_offered_where_the_web_gave_a_page(samples: SampleSessions) -> None:
    assert "Web archive" not in names(
        samples, samples.unanswered
    )  # from the sample library, as the other was
    fetched = (tables.event.c.session == samples.answered, tables.event.c.kind == "fetched")
    with samples.resources.db.writing() as conn:
        row = conn.execute(
            sa.select(tables.event.c.seq, tables.event.c.data).where(*fetched)
        ).first()
        assert row is not None
        data = json_in_order(
            {**json.loads(row.data), "attempts": [{"tier": "html", "outcome": ""}]}
        ).encode()
        conn.execute(
            sa.update(tables.event).where(*fetched, tables.event.c.seq == row.seq).values(data=data)
        )
    at = shown("report.py", session=samples.answered)
    assert "Web archive" in [button.proto.label for button in at.get("download_button")]
    assert "Pages as received (WARC)." in words(at)
