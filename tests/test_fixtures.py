"""Open, list, export, replay and resume the sessions that version 0.1.0 wrote.

tests/fixtures/README.md says what they are. Nothing writes them anew: where a test here fails, the
product can no longer show what a user has stored.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pypdf import PdfReader
from sqlalchemy.engine import make_url

from research_core import export
from research_core.decisions import gate
from research_core.errors import UsageError
from research_core.export import web_archive
from research_core.pipeline import report
from research_core.sessions import (
    captures,
    model_requests,
    runner,
    session_start,
    session_status,
    snapshot,
)
from research_core.sessions.replay import replay_session
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.client_sessions import call_tool
from tests.logs import Hands
from tests.thesaurus import Thesaurus
from tests.tool_session import Web

FOLDER = Path(__file__).parent / "fixtures" / "v0"
with zipfile.ZipFile(FOLDER / "saved.zip") as _archive:
    SAVED = {name: _archive.read(name) for name in _archive.namelist()}
SESSIONS: dict[str, dict[str, Any]] = json.loads(SAVED["sessions.json"])
REPORTED = [name for name, told in SESSIONS.items() if told["decision"]]
EXPORTED = ("standard", "web")
PACKED = ("no_report", "standard", "web")
#: When the last file was exported; the session that a client led is still open to tools then.
THEN = 1_795_543_200.0
#: When the session that was cut short was resumed, for the report that was saved of it.
RESUMED = THEN + 3_600.0


def opened(home: Path, database_url: str, at: float = THEN) -> Resources:
    """Resources at the time of the fixtures, before a web that answers nothing."""

    class Past(Resources):
        clock = Hands(at)
        client = Web()

    return Past(
        Settings(
            home=home,
            database_url=database_url,
            ddgs_engines=(),
            searxng_url="http://127.0.0.1:8888",
            semantic=False,
        )
    )


def on_sqlite(home: Path, at: float = THEN) -> Resources:
    (home / "assay.db").write_bytes(lzma.decompress((FOLDER / "sessions.db.xz").read_bytes()))
    return opened(home, f"sqlite:///{home / 'assay.db'}", at)


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    """The stored sessions; a test that writes opens a copy of its own."""
    made = on_sqlite(tmp_path_factory.mktemp("fixtures"))
    yield made
    made.close()


# ---------------------------------------------------------------- what holds on either database


def lists_what_was_stored(resources: Resources) -> None:
    shown = {info.row.id: info for info in session_status.list_sessions(resources)}
    for name, told in SESSIONS.items():
        row = shown[told["id"]].row
        found = (
            row.question,
            shown[row.id].status,
            shown[row.id].decision,
            row.title,
            list(row.tags),
            row.parent,
        )
        assert found == tuple(
            told[field] for field in ("question", "status", "decision", "title", "tags", "parent")
        ), name
        assert len(open_log(resources, LOCAL_USER, row.id).read()) == told["events"], name


def has_the_saved_report(resources: Resources, name: str) -> None:
    session = SESSIONS[name]["id"]
    built = report.build(snapshot.read_session(resources, session).run)
    assert session_status.read_stored_report(resources, session) == SAVED[f"{name}.md"].decode()
    assert report.to_markdown(built) == SAVED[f"{name}.md"].decode()
    assert json.loads(json.dumps(report.to_json(built))) == json.loads(SAVED[f"{name}.json"])


def replays_to_the_same_bytes(resources: Resources, name: str) -> None:
    again = replay_session(resources, LOCAL_USER, SESSIONS[name]["id"])
    assert again.markdown.encode() == SAVED[f"{name}.md"]
    assert (again.same, again.differences) == (True, ())


def resumes_what_was_cut_short(resources: Resources) -> None:
    """Resume the session: no recorded call is repeated, and the sources are those of 0.1.0.

    How they are judged, numbered and written of is today's.
    """
    session = SESSIONS["cut"]["id"]
    before = {event.key for event in open_log(resources, LOCAL_USER, session).calls()}
    with pytest.raises(UsageError, match="no report to replay"):
        replay_session(resources, LOCAL_USER, session)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    calls = open_log(resources, LOCAL_USER, session).calls()
    assert len(before) < len(calls) == len({event.key for event in calls})
    assert before < {event.key for event in calls}
    report_now = session_status.read_stored_report(resources, session)
    assert report_now is not None
    assert list_source_lines(report_now) == list_source_lines(SAVED["cut.resumed.md"].decode())


def list_source_lines(markdown: str) -> list[str]:
    """Return the lines on the sources, without their numbers, sorted.

    How many sentences were cited follows today's writer.
    """
    written, heading, rest = markdown.partition("## Sources")
    assert written
    assert heading
    return sorted(
        re.sub(r"(?:\[\d+\](?:, )?)+", "[n]", line.rstrip())
        for line in rest.splitlines()
        if not line.startswith("- Cited sentences compared")
    )


# ---------------------------------------------------------------- SQLite


def test_the_sessions_are_listed_as_they_were_stored(resources: Resources) -> None:
    lists_what_was_stored(resources)


@pytest.mark.parametrize("name", REPORTED)
def test_a_report_is_the_saved_one_byte_for_byte(resources: Resources, name: str) -> None:
    has_the_saved_report(resources, name)


@pytest.mark.parametrize("name", REPORTED)
def test_a_replay_gives_the_same_bytes(resources: Resources, name: str) -> None:
    replays_to_the_same_bytes(resources, name)


def test_a_session_that_was_cut_short_is_resumed(tmp_path: Path) -> None:
    with closing(on_sqlite(tmp_path, RESUMED)) as resources:
        resumes_what_was_cut_short(resources)


def test_a_replay_of_an_old_session_asks_no_embedding_model(tmp_path: Path) -> None:
    class Broken(Thesaurus):
        def load(self) -> None:
            raise AssertionError("It was loaded.")

        def embed(self, texts: Sequence[str]) -> Any:
            raise AssertionError("It was asked.")

    with closing(on_sqlite(tmp_path)) as resources:
        vars(resources)["embedder"] = Broken()
        replays_to_the_same_bytes(resources, "standard")


def test_a_rewrite_of_an_old_session_searches_reads_and_judges_nothing_again(
    tmp_path: Path,
) -> None:
    """It scores by today's rules, which order the sources differently, so it writes again."""
    session = SESSIONS["standard"]["id"]
    with closing(on_sqlite(tmp_path)) as resources:
        new = session_start.rewrite(
            resources,
            session,
            gate.merge_manual_decisions(snapshot.read_session(resources, session).run),
        )
        assert runner.resume_or_run(resources, new, "test").outcome == "done"
        made = open_log(resources, LOCAL_USER, new).calls()
        assert [call.data["about"]["what"] for call in made] == ["write (offline)"]


def test_the_session_that_a_client_led_is_exported_as_it_was(resources: Resources) -> None:
    asked_for = {"sessionId": SESSIONS["client_led"]["id"]}
    documents = {
        name: call_tool(ToolCaller(resources), "research_export", format=name, **asked_for)[
            "document"
        ]
        for name in ("markdown", "json")
    }
    assert documents["markdown"].encode() == SAVED["client_led.md"]
    assert documents["json"] == json.loads(SAVED["client_led.json"])


# ---------------------------------------------------------------- PostgreSQL


def test_the_same_holds_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    plain = (
        make_url(postgres_url).set(drivername="postgresql").render_as_string(hide_password=False)
    )
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(lzma.decompress((FOLDER / "sessions.sql.xz").read_bytes()))
    with closing(opened(tmp_path, postgres_url)) as resources:
        lists_what_was_stored(resources)
        for name in REPORTED:
            has_the_saved_report(resources, name)
            replays_to_the_same_bytes(resources, name)
    with closing(opened(tmp_path, postgres_url, RESUMED)) as resources:
        resumes_what_was_cut_short(resources)


# ---------------------------------------------------------------- exports


@pytest.mark.parametrize(
    "format", [name for name in export.FORMATS if name not in ("zip", "session")]
)
@pytest.mark.parametrize("name", EXPORTED)
def test_an_export_is_the_saved_one(resources: Resources, name: str, format: str) -> None:
    suffix = export.FORMATS[format].suffix
    now, then = made(resources, name, format), SAVED[f"{name}{suffix}"]
    comparable = READ_AS.get(format, bytes)
    assert comparable(now) == comparable(then)


@pytest.mark.parametrize("name", PACKED)
def test_an_evidence_pack_holds_what_the_saved_one_holds(resources: Resources, name: str) -> None:
    now, then = members(made(resources, name, "zip")), members(pack_of(name).read_bytes())
    own = {
        "check.py",
        "README.txt",
        "SHA256SUMS",
    }  # the checker is the exporting version's, the others tell of it
    assert {part: body for part, body in now.items() if part not in own} == {
        part: body for part, body in then.items() if part not in own
    }
    assert own <= now.keys() & then.keys()


@pytest.mark.parametrize("checker", ["its own", "today's"])
@pytest.mark.parametrize("name", PACKED)
def test_a_saved_evidence_pack_passes_the_checker(
    resources: Resources, tmp_path: Path, name: str, checker: str
) -> None:
    packed = pack_of(name).read_bytes() if checker == "its own" else made(resources, name, "zip")
    (tmp_path / "check.py").write_bytes(members(packed)["check.py"])
    command = [sys.executable, str(tmp_path / "check.py"), str(pack_of(name))]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_web_archive_is_the_saved_one(resources: Resources) -> None:
    session = SESSIONS["web"]["id"]
    now = web_archive.pack_captures(
        report.build(snapshot.read_session(resources, session).run),
        captures.iterate_captures(resources, session),
    )
    assert archived(now) == archived(SAVED["web.warc.gz"])


def made(resources: Resources, name: str, format: str) -> bytes:
    session = SESSIONS[name]["id"]
    built = report.build(snapshot.read_session(resources, session).run)
    requests = lambda: model_requests.list_requests(resources, session)  # noqa: E731
    return export.build_file(
        export.FORMATS[format],
        built,
        lambda page: snapshot.read_page_text(resources, page),
        requests,
    )


def pack_of(name: str) -> Path:
    return FOLDER / f"pack-{name}.zip"


def members(packed: bytes) -> Mapping[str, bytes]:
    """The files of a zip: how they are compressed depends on the machine's zlib."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def printed(pdf: bytes) -> list[str]:
    """The text of each page. How fonts are embedded depends on the machine and on fpdf2."""
    return [page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages]


def archived(warc: bytes) -> bytes:
    """The records from the first response on. The record before it names the version of Assay."""
    return b"WARC-Type: response" + gzip.decompress(warc).partition(b"WARC-Type: response")[2]


#: How two exports are compared where more than what was exported decides about their bytes.
READ_AS = {"pdf": printed, "docx": members, "json": json.loads}
