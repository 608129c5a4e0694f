"""The log of a server: a line for each record, and no traceback for a client that left."""

from __future__ import annotations

import json
import logging
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.requests import ClientDisconnect

from research_core.errors import StoreError
from research_core.interfaces import log_lines
from research_core.journal import tables
from research_core.journal.tables import open_database
from tests.logs import ROOT
from tests.timing import LONG_S

HANG_UPS = [
    BrokenPipeError(32, "Broken pipe"),
    ConnectionResetError(104, "Connection reset by peer"),
    ClientDisconnect(),
    ExceptionGroup("two", [BrokenPipeError(), ExceptionGroup("one", [ConnectionAbortedError()])]),
]
FAULTS = [
    ValueError("wrong"),
    StoreError("The disk is full."),
    ConnectionRefusedError(111, "Connection refused"),
    ExceptionGroup("two", [BrokenPipeError(), ValueError("wrong")]),
]


def format_error(error: BaseException, *, as_json: bool) -> str:
    """The line of an error that a library logged with its traceback."""
    with pytest.raises(type(error)) as raised:
        raise error
    told = (raised.type, raised.value, raised.tb)
    record = logging.LogRecord("library", logging.ERROR, "", 1, "Bad\n news: %s", ("x",), told)
    return log_lines.LineFormatter("mcp", as_json=as_json).format(record)


@pytest.mark.parametrize("error", HANG_UPS, ids=lambda error: type(error).__name__)
def test_a_client_that_left_is_one_line_and_no_error(error: BaseException) -> None:
    line = format_error(error, as_json=False)
    assert line == f"The client closed the connection ({type(error).__name__}): Bad news: x"
    row = json.loads(format_error(error, as_json=True))
    assert (row["level"], row["message"]) == ("info", line)
    assert "traceback" not in row


@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
def test_any_other_error_keeps_its_traceback(error: BaseException) -> None:
    text = format_error(error, as_json=False)
    assert text.startswith("Bad news: x\n")
    assert "Traceback (most recent call last)" in text
    line = format_error(error, as_json=True)
    assert "\n" not in line
    row = json.loads(line)
    assert (row["level"], row["program"], row["logger"]) == ("error", "mcp", "library")
    assert "Traceback (most recent call last)" in row["traceback"]
    assert row["traceback"].splitlines()[-1] == text.splitlines()[-1]


#: What is logged, with what else the record has, and the fields of its line beside "at".
RECORDS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any], dict[str, Any]]] = {
    "plain": ("Worker %s takes sessions.", ("w1",), {}, {"message": "Worker w1 takes sessions."}),
    "a line of a program": ("· Assay is at x", (), {}, {"message": "Assay is at x"}),
    "several lines": ("one\r\ntwo\n\n three", (), {}, {"message": "one two three"}),
    "other breaks of lines": ("one\u2028two\x0bthree\x85", (), {}, {"message": "one two three"}),
    "quotes and letters": ('"ß" \\ 窑 \x00', (), {}, {"message": '"ß" \\ 窑 \x00'}),
    "the end of a session": (
        "Session %s ended: %s.",
        ("s", "done"),
        {"session": "s", "outcome": "done", "seconds": 1.25},
        {
            "message": "Session s ended: done.",
            "session": "s",
            "outcome": "done",
            "seconds": 1.25,
        },
    ),
    "what nobody documents": (
        "Asked.",
        (),
        {"question": "Am I ill?", "api_key": "k", "args_of": {}},
        {"message": "Asked."},
    ),
    "no text": ("", (), {}, {"message": ""}),
}


@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING, logging.ERROR])
@pytest.mark.parametrize("name", RECORDS)
def test_a_line_is_one_object_with_the_documented_fields(name: str, level: int) -> None:
    message, arguments, more, expected = RECORDS[name]
    record = logging.LogRecord("a.library", level, "", 1, message, arguments, None)
    record.__dict__.update(more)
    line = log_lines.LineFormatter("worker", as_json=True).format(record)
    assert len(line.splitlines()) == 1
    row = json.loads(line)
    at = datetime.fromisoformat(row.pop("at"))
    assert at.tzinfo == UTC
    assert abs(at.timestamp() - record.created) < 0.001
    level_name = {logging.INFO: "info", logging.WARNING: "warning", logging.ERROR: "error"}[level]
    assert row == {"level": level_name, "program": "worker", "logger": "a.library", **expected}


def test_the_documentation_names_the_fields_of_a_line() -> None:
    documented = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    for field in ("at", "level", "program", "logger", "message", "traceback", *log_lines.FIELDS):
        assert f"`{field}`" in documented


def test_the_error_of_a_statement_quotes_no_value(tmp_path: Path) -> None:
    """Values are questions, pages and keys; the text of a statement is ours."""
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    row = {"id": "s", "tenant": "t", "user": "u", "question": b"Am I ill?", "settings": b"{}"}
    row |= {"created": 1.0, "updated": 1.0, "next": 0, "epoch": 0}
    with db.writing() as conn:
        conn.execute(sa.insert(tables.session).values(**row))
    with pytest.raises(sa.exc.IntegrityError) as raised, db.writing() as conn:
        conn.execute(sa.insert(tables.session).values(**row))
    db.close()
    line = format_error(raised.value, as_json=True)
    assert "INSERT INTO session" in line
    assert "Am I ill?" not in line


# ---------------------------------------------------------------- whole programs


@contextmanager
def running(home: Path, *words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A server of this checkout; what it logged can be read after its end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "research_core", *words],
        cwd=ROOT,
        env={
            "PATH": "/usr/bin:/bin",
            "ASSAY_HOME": str(home),
            "ASSAY_SEMANTIC": "0",
            **environment,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def connect(port: int) -> socket.socket:
    """A connection to a server that may still be starting."""
    end = time.monotonic() + LONG_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), LONG_S)
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)


def reset(connection: socket.socket) -> None:
    """Close a connection as a program that was killed does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def request(body: str, path: str = "/mcp") -> bytes:
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body)}",
        "",
        body,
    )
    return "\r\n".join(lines).encode()


CALL = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "web_search", "arguments": {"query": "tides"}},
    }
)


@pytest.mark.parametrize("form", ["text", "json"])
def test_http_clients_that_hang_up_anywhere_are_lines_and_the_server_goes_on(
    tmp_path: Path, form: str
) -> None:
    """Within the head, within the body, before the answer; once reset, once closed."""
    port = free_port()
    with running(tmp_path, "mcp", "--http", "--port", str(port), ASSAY_LOG_FORMAT=form) as server:
        whole = request(CALL)
        for sent in (whole[:10], whole[:80], whole[:-30], whole[:-1], whole):
            for leave in (reset, socket.socket.close):
                connection = connect(port)
                connection.sendall(sent)
                time.sleep(0.2)
                leave(connection)
        with connect(port) as connection:
            connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
        server.terminate()
        _, logged = server.communicate(timeout=LONG_S)
    assert "Traceback" not in logged
    lines = [line for line in logged.splitlines() if "closed the connection" in line]
    assert 1 <= len(lines) <= 10
    if form == "json":
        rows = [json.loads(line) for line in logged.splitlines()]
        assert {row["program"] for row in rows} == {"mcp"}
        assert any("MCP is at" in row["message"] for row in rows)


@pytest.mark.parametrize("program", [("mcp",), ("-m", "research_core.mcp_stdio")])
def test_a_client_that_reads_no_answer_ends_the_server_with_one_line(
    tmp_path: Path, program: tuple[str, ...]
) -> None:
    words: list[Any] = ["-m", "research_core", *program] if program == ("mcp",) else [*program]
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "ASSAY_HOME": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        assert '"result"' in server.stdout.readline()
        server.stdout.close()
        server.stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n')
        server.stdin.flush()
        time.sleep(0.5)
        server.stdin.close()
        assert server.wait(LONG_S) == 0
        assert server.stderr.read() == "The client closed the connection.\n"


#: Values of settings that no line may have, and what a program is asked to do with them.
SECRETS = {
    "ASSAY_DATABASE_URL": "postgresql+psycopg://assay:dontlogthis1@127.0.0.1:1/assay",
    "GEMINI_API_KEY": "dontlogthis2",
    "CACHE_ENCRYPTION_KEY": "d0" * 32,
    "SEARXNG_URL": "https://someone:dontlogthis3@searx.example.org",
}


@pytest.mark.parametrize("words", [("worker",), ("app", "--no-browser", "--port", "0")])
def test_a_program_without_its_database_logs_objects_without_secrets(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    port = free_port()
    metrics = {"ASSAY_METRICS_PORT": str(port), "ASSAY_LOG_FORMAT": "json"}
    with running(tmp_path, *words, **SECRETS, **metrics) as program:
        if words[0] == "app":
            lines = [program.stderr.readline() for _ in range(2)]  # type: ignore[union-attr]
            program.terminate()
        else:
            lines = []
        printed, logged = program.communicate(timeout=LONG_S)
    everything = "".join([*lines, logged])
    rows = [json.loads(line) for line in everything.splitlines()]
    assert {row["program"] for row in rows} == {words[0]}
    assert any("The database server does not answer." in row["message"] for row in rows)
    for value in ("dontlogthis", "d0" * 32):
        assert value not in everything + printed


@pytest.mark.parametrize("words", [("worker",), ("app", "--no-browser", "--port", "0")])
def test_a_port_that_is_taken_is_an_object_and_an_exit_code(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        with running(tmp_path, *words, ASSAY_METRICS_PORT=port, ASSAY_LOG_FORMAT="json") as program:
            _, logged = program.communicate(timeout=LONG_S)
            assert program.returncode == 2
    rows = [json.loads(line) for line in logged.splitlines()]
    assert [row["message"] for row in rows if f":{port}: " in row["message"]]
