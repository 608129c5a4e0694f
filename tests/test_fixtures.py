"""Open, list, export, replay and resume the sessions that each release wrote.

tests/fixtures/README.md says what they are. Nothing writes them anew: where a test here fails, the
product can no longer show what a user has stored.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from pypdf import PdfReader
from sqlalchemy.engine import make_url

from research_core import export
from research_core.decisions import gate
from research_core.errors import CallForbidden, UsageError
from research_core.export import web_archive
from research_core.export.audit import audit_to_json, audit_to_markdown
from research_core.journal.tables import event
from research_core.pipeline import report
from research_core.sessions import (
    audits,
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
from tests import schemas
from tests.client_sessions import call_tool
from tests.logs import Hands
from tests.thesaurus import Thesaurus
from tests.tool_session import Web

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Release:
    """What one version of Assay stored.

    then: when its last file was exported; the session that a client led is still open to tools
    then. exported, packed: the sessions saved in every format, and as evidence packs.
    """

    folder: str
    then: float
    exported: tuple[str, ...]
    packed: tuple[str, ...]

    @cached_property
    def saved(self) -> dict[str, bytes]:
        with zipfile.ZipFile(FIXTURES / self.folder / "saved.zip") as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    @cached_property
    def sessions(self) -> dict[str, dict[str, Any]]:
        rows: dict[str, dict[str, Any]] = json.loads(self.saved["sessions.json"])
        return rows

    @property
    def reported(self) -> list[str]:
        return [name for name, told in self.sessions.items() if told["decision"]]

    @property
    def resumed(self) -> float:
        """When the session that was cut short was resumed, for the report that was saved of it."""
        return self.then + 3_600.0

    @property
    def database(self) -> bytes:
        return lzma.decompress((FIXTURES / self.folder / "sessions.db.xz").read_bytes())

    def read_pack(self, name: str) -> bytes:
        return self.find_pack(name).read_bytes()

    def find_pack(self, name: str) -> Path:
        return FIXTURES / self.folder / f"pack-{name}.zip"


RELEASES = (
    Release("v0", 1_795_543_200.0, ("standard", "web"), ("no_report", "standard", "web")),
    Release("v0.2.0", 1_795_582_400.0, ("german",), ("audit", "german", "no_report")),
)
each_release = pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.folder)


def each_session(chosen: Callable[[Release], Iterable[str]]) -> pytest.MarkDecorator:
    """Run a test for these sessions of every release."""
    rows = [(release, name) for release in RELEASES for name in chosen(release)]
    ids = [f"{release.folder}-{name}" for release, name in rows]
    return pytest.mark.parametrize(("release", "name"), rows, ids=ids)


def opened(home: Path, database_url: str, at: float) -> Resources:
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


def on_sqlite(release: Release, home: Path, at: float | None = None) -> Resources:
    (home / "assay.db").write_bytes(release.database)
    return opened(home, f"sqlite:///{home / 'assay.db'}", at or release.then)


Stored = Mapping[Release, Resources]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """The stored sessions of each release; a test that writes opens a copy of its own."""
    made = {
        release: on_sqlite(release, tmp_path_factory.mktemp("fixtures")) for release in RELEASES
    }
    yield made
    for resources in made.values():
        resources.close()


# ---------------------------------------------------------------- what holds on either database


def lists_what_was_stored(resources: Resources, release: Release) -> None:
    shown = {info.row.id: info for info in session_status.list_sessions(resources)}
    for name, told in release.sessions.items():
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


def has_the_saved_report(resources: Resources, release: Release, name: str) -> None:
    session = release.sessions[name]["id"]
    built = report.build(snapshot.read_session(resources, session).run)
    assert (
        session_status.read_stored_report(resources, session)
        == release.saved[f"{name}.md"].decode()
    )
    assert report.to_markdown(built) == release.saved[f"{name}.md"].decode()
    assert json.loads(json.dumps(report.to_json(built))) == json.loads(
        release.saved[f"{name}.json"]
    )


def replays_to_the_same_bytes(resources: Resources, release: Release, name: str) -> None:
    again = replay_session(resources, LOCAL_USER, release.sessions[name]["id"])
    assert again.markdown.encode() == release.saved[f"{name}.md"]
    assert (again.same, again.differences) == (True, ())


def resumes_what_was_cut_short(resources: Resources, release: Release) -> None:
    """Resume the session: no recorded call is repeated, and the sources are those of its time.

    How they are judged, numbered and written of is today's.
    """
    session = release.sessions["cut"]["id"]
    before = {event.key for event in open_log(resources, LOCAL_USER, session).calls()}
    with pytest.raises(UsageError, match="no report to replay"):
        replay_session(resources, LOCAL_USER, session)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    calls = open_log(resources, LOCAL_USER, session).calls()
    assert len(before) < len(calls) == len({event.key for event in calls})
    assert before < {event.key for event in calls}
    report_now = session_status.read_stored_report(resources, session)
    assert report_now is not None
    assert list_source_lines(report_now) == list_source_lines(
        release.saved["cut.resumed.md"].decode()
    )


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


@each_release
def test_the_sessions_are_listed_as_they_were_stored(stored: Stored, release: Release) -> None:
    lists_what_was_stored(stored[release], release)


@each_session(lambda release: release.reported)
def test_a_report_is_the_saved_one_byte_for_byte(
    stored: Stored, release: Release, name: str
) -> None:
    has_the_saved_report(stored[release], release, name)


@each_session(lambda release: release.reported)
def test_a_replay_gives_the_same_bytes(stored: Stored, release: Release, name: str) -> None:
    replays_to_the_same_bytes(stored[release], release, name)


@each_release
def test_a_session_that_was_cut_short_is_resumed(tmp_path: Path, release: Release) -> None:
    with closing(on_sqlite(release, tmp_path, release.resumed)) as resources:
        resumes_what_was_cut_short(resources, release)


@each_release
def test_a_replay_of_an_old_session_asks_no_embedding_model(
    tmp_path: Path, release: Release
) -> None:
    class Broken(Thesaurus):
        def load(self) -> None:
            raise AssertionError("It was loaded.")

        def embed(self, texts: Sequence[str]) -> Any:
            raise AssertionError("It was asked.")

    with closing(on_sqlite(release, tmp_path)) as resources:
        vars(resources)["embedder"] = Broken()
        replays_to_the_same_bytes(resources, release, "standard")


@each_release
def test_a_rewrite_of_an_old_session_searches_reads_and_judges_nothing_again(
    tmp_path: Path, release: Release
) -> None:
    """It scores by today's rules, which order the sources differently, so it may write again."""
    session = release.sessions["standard"]["id"]
    with closing(on_sqlite(release, tmp_path)) as resources:
        new = session_start.rewrite(
            resources,
            session,
            gate.merge_manual_decisions(snapshot.read_session(resources, session).run),
        )
        assert runner.resume_or_run(resources, new, "test").outcome == "done"
        made = open_log(resources, LOCAL_USER, new).calls()
        assert {call.data["about"]["what"] for call in made} <= {"write (offline)"}
        assert made or release.folder != "v0"


@each_release
def test_a_replay_that_lacks_a_call_names_the_release_and_the_call(
    tmp_path: Path, release: Release
) -> None:
    """As a later version does that asks the writer another question."""
    session = release.sessions["standard"]["id"]
    with closing(on_sqlite(release, tmp_path)) as resources:
        writing = [
            call.seq
            for call in open_log(resources, LOCAL_USER, session).read(kinds=("call",))
            if call.data["about"]["what"] == "write (offline)"
        ]
        with resources.db.writing() as conn:
            conn.execute(
                sa.delete(event).where(event.c.session == session, event.c.seq.in_(writing))
            )
            mine = (event.c.session == session, event.c.kind == "created")
            data = json.loads(conn.execute(sa.select(event.c.data).where(*mine)).scalar_one())
            expected = "0.1.0"
            if "version" in data:  # may be this version, which would not say so
                data["version"] = expected = "0.1.9"
            conn.execute(sa.update(event).where(*mine).values(data=json.dumps(data).encode()))
        with pytest.raises(CallForbidden) as caught:
            replay_session(resources, LOCAL_USER, session)
    expected_start = (
        f"Recorded by version {expected}; this version asks other questions: write (offline)."
    )
    assert caught.value.message.startswith(expected_start)
    assert (expected == "0.1.0") == (release.folder == "v0")


@each_release
def test_the_session_that_a_client_led_is_exported_as_it_was(
    stored: Stored, release: Release
) -> None:
    asked_for = {"sessionId": release.sessions["client_led"]["id"]}
    documents = {
        name: call_tool(ToolCaller(stored[release]), "research_export", format=name, **asked_for)[
            "document"
        ]
        for name in ("markdown", "json")
    }
    assert documents["markdown"].encode() == release.saved["client_led.md"]
    assert documents["json"] == json.loads(release.saved["client_led.json"])


def test_the_result_of_an_audit_is_the_saved_one(stored: Stored) -> None:
    release = RELEASES[-1]
    result = audits.read_audit(stored[release], release.sessions["audit"]["id"])
    assert result is not None
    assert audit_to_markdown(result).encode() == release.saved["audit.result.md"]
    again = json.loads(json.dumps(audit_to_json(result)))
    assert again == json.loads(release.saved["audit.result.json"])


@each_session(lambda release: release.reported)
def test_the_json_of_a_stored_session_follows_its_schema(
    stored: Stored, release: Release, name: str
) -> None:
    session = release.sessions[name]["id"]
    schemas.assert_report_follows_schema(
        report.build(snapshot.read_session(stored[release], session).run)
    )
    result = audits.read_audit(stored[release], session)
    assert (result is not None) == (name == "audit")
    if result is not None:
        schemas.assert_audit_follows_schema(result)


# ---------------------------------------------------------------- PostgreSQL


def fill_postgres(release: Release, url: str, folder: Path) -> None:
    """Put what the release stored into an empty database, without any code of today's.

    v0 kept a dump of its rows. Later ones keep the statements that made their tables: the rows are
    those of their SQLite file, as both databases store the same bytes.
    """
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        dump = FIXTURES / release.folder / "sessions.sql.xz"
        if dump.is_file():
            connection.execute(lzma.decompress(dump.read_bytes()))
            return
        connection.execute((FIXTURES / release.folder / "postgres.sql").read_bytes())
        connection.execute("SET search_path TO public")
        connection.execute("SET session_replication_role = replica")  # rows in any order
        (folder / "rows.db").write_bytes(release.database)
        with closing(sqlite3.connect(folder / "rows.db")) as rows:
            for table in list_tables(connection):
                copy_table(rows, connection, table)


def list_tables(connection: psycopg.Connection[Any]) -> list[str]:
    found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return sorted(name for (name,) in found)


def copy_table(rows: sqlite3.Connection, connection: psycopg.Connection[Any], table: str) -> None:
    """Copy the rows of a table. SQLite has 0 and 1 where PostgreSQL has booleans."""
    kinds = connection.execute(
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = %s",
        (table,),
    ).fetchall()
    names = ", ".join(f'"{name}"' for name, _ in kinds)
    found = rows.execute(f'SELECT {names} FROM "{table}"').fetchall()
    flags = [kind == "boolean" for _, kind in kinds]
    values = [
        [bool(value) if flag else value for flag, value in zip(flags, row, strict=True)]
        for row in found
    ]
    places = ", ".join(["%s"] * len(kinds))
    statement = f'INSERT INTO "{table}" ({names}) VALUES ({places})'
    with connection.cursor() as cursor:
        cursor.executemany(statement.encode(), values)


@each_release
def test_the_same_holds_on_postgresql(tmp_path: Path, postgres_url: str, release: Release) -> None:
    fill_postgres(release, postgres_url, tmp_path)
    with closing(opened(tmp_path, postgres_url, release.then)) as resources:
        lists_what_was_stored(resources, release)
        for name in release.reported:
            has_the_saved_report(resources, release, name)
            replays_to_the_same_bytes(resources, release, name)
    with closing(opened(tmp_path, postgres_url, release.resumed)) as resources:
        resumes_what_was_cut_short(resources, release)


# ---------------------------------------------------------------- exports


@pytest.mark.parametrize(
    "format", [name for name in export.FORMATS if name not in ("zip", "session")]
)
@each_session(lambda release: release.exported)
def test_an_export_is_the_saved_one(
    stored: Stored, release: Release, name: str, format: str
) -> None:
    suffix = export.FORMATS[format].suffix
    now, then = made(stored[release], release, name, format), release.saved[f"{name}{suffix}"]
    comparable = READ_AS.get(format, bytes)
    assert comparable(now) == comparable(then)


@each_session(lambda release: release.packed)
def test_an_evidence_pack_holds_what_the_saved_one_holds(
    stored: Stored, release: Release, name: str
) -> None:
    now, then = (
        members(made(stored[release], release, name, "zip")),
        members(release.read_pack(name)),
    )
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
@each_session(lambda release: release.packed)
def test_a_saved_evidence_pack_passes_the_checker(
    stored: Stored, tmp_path: Path, release: Release, name: str, checker: str
) -> None:
    packed = (
        release.read_pack(name)
        if checker == "its own"
        else made(stored[release], release, name, "zip")
    )
    (tmp_path / "check.py").write_bytes(members(packed)["check.py"])
    command = [sys.executable, str(tmp_path / "check.py"), str(release.find_pack(name))]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@each_release
def test_the_web_archive_is_the_saved_one(stored: Stored, release: Release) -> None:
    session = release.sessions["web"]["id"]
    now = web_archive.pack_captures(
        report.build(snapshot.read_session(stored[release], session).run),
        captures.iterate_captures(stored[release], session),
    )
    assert archived(now) == archived(release.saved["web.warc.gz"])


def made(resources: Resources, release: Release, name: str, format: str) -> bytes:
    session = release.sessions[name]["id"]
    built = report.build(snapshot.read_session(resources, session).run)
    requests = lambda: model_requests.list_requests(resources, session)  # noqa: E731
    return export.build_file(
        export.FORMATS[format],
        built,
        lambda page: snapshot.read_page_text(resources, page),
        requests,
    )


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
