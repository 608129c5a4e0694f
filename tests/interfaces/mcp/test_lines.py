"""Lines that the SDK cannot read: each is answered or refused, and the server goes on; and a server
that is full of calls still hears.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.interfaces.mcp.lines import repair_or_refuse
from research_core.interfaces.mcp.server import CALLS_AT_ONCE
from tests.event_loop import run_async
from tests.timing import LONG_S

CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"web_search","arguments":{"query":"%s"}}}'
HALF = r"\ud83c"
DEEP = "[" * 5000 + "]" * 5000


def unread(line: str) -> Any:
    """What is made of a line that the SDK does not read."""
    with pytest.raises(ValidationError) as caught:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    return repair_or_refuse(caught.value)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"cut emoji \ud83c", "cut emoji \ud83c"),
        (r"\uDF4E first", "\udf4e first"),
        (r"\ud83c\ud83c\udf4e", "\ud83c\U0001f34e"),
        (r"\\ud83c is a name, \ud83c is none", "\\ud83c is a name, \ud83c is none"),
        ("bytes \udcff\udcfe", "bytes \udcff\udcfe"),
        ("caf\udce9 au lait", "caf\udce9 au lait"),
        ("\udce6\udca1 桜 \\ud83c", "\udce6\udca1 桜 \ud83c"),
    ],
)
def test_a_tool_call_gets_what_is_no_character_as_it_was_sent(written: str, read: str) -> None:
    made = unread(CALL % (6, written))
    assert isinstance(made, SessionMessage)
    assert isinstance(made.message, JSONRPCRequest)
    assert made.message.params is not None
    assert (made.message.id, made.message.params["arguments"]["query"]) == (6, read)


@pytest.mark.parametrize(
    "line",
    [
        r'{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"x","arguments":{"a":"\ud83c"}}}',
        r'{"jsonrpc":"2.0","id":6,"method":"\udc00"}',
        '{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"x\udcff"}}',
        '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"x\udcc3"}}',
        '{"jsonrpc":"2.0","id":6,"method":"ping","params":{"\udce9":"\udce8"}}',
    ],
)
def test_any_other_request_with_what_is_no_character_is_refused(line: str) -> None:
    made = unread(line)
    assert isinstance(made, JSONRPCError)
    assert (made.error.code, made.id) == (-32602, 6)
    assert "which is not allowed" in made.error.message
    assert made.model_dump_json()


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        ("hello", -32700, None),
        (CALL[:-2] % (6, "tea"), -32700, 6),
        (f'{{"params":{{"id":3,"deep":{DEEP}}},"id":"a","method":"x","jsonrpc":"2.0"}}', -32700, "a"),
        (f'{{"jsonrpc":"2.0","id":"{HALF}","method":"x","params":{DEEP}}}', -32700, "\ufffd"),
        ('[{"jsonrpc":"2.0","id":7,"method":"ping"}]', -32600, None),
        ('{"jsonrpc":"2.0","id":8,"method":"x","params":[1]}', -32600, 8),
        ('{"id":9,"method":"\\ud83c"}', -32600, 9),
        ("7", -32600, None),
    ],
    ids=["no JSON", "cut", "deep", "deep and half a pair", "batch", "a list", "no version", "a number"],
)  # fmt: skip
def test_what_is_no_message_is_refused_with_its_number_where_it_has_one(
    line: str, code: int, number: int | str | None
) -> None:
    made = unread(line)
    assert isinstance(made, JSONRPCError)
    assert (made.error.code, made.id) == (code, number)
    assert made.model_dump_json()


def test_an_empty_line_is_nothing() -> None:
    assert unread(" \n") is None


# ---------------------------------------------------------------- as a program


class Line:
    """The server as a program, spoken to line by line."""

    def __init__(self, home: Path, searxng: str) -> None:
        env = {
            **os.environ,
            "ASSAY_HOME": str(home),
            "SEARXNG_URL": searxng.rstrip("/"),
            "SEARCH_ROUTING": "searxng",
        }
        command = [sys.executable, "-P", "-m", "research_core.mcp_stdio"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        )
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }
        self.say(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}))
        self.until(0)
        self.say('{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def say(self, line: str | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((line if isinstance(line, bytes) else line.encode()) + b"\n")
        self.process.stdin.flush()

    def until(self, number: int | str | None) -> Any:
        """The answer to this number; whatever comes before it is passed over."""
        assert self.process.stdout is not None
        return next(
            told
            for each in self.process.stdout
            if (told := json.loads(each)).get("id", "") == number
        )

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(LONG_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.mark.full
def test_no_line_makes_the_program_deaf_and_neither_do_more_calls_than_there_are_places(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    let, asked = threading.Event(), threading.Event()

    def answer(request: Request) -> Response:
        if "slow" in request.args["q"]:
            asked.set()
            let.wait(LONG_S)
        rows = [{"url": "https://tides.example.org/", "title": "Tides", "content": "High."}]
        return Response(json.dumps({"results": rows}), content_type="application/json")

    async def meet() -> None:
        await asyncio.to_thread(talk)

    def talk() -> None:
        line = Line(tmp_path, httpserver.url_for(""))
        try:
            line.say(CALL % (1, r"half \ud83c"))
            told = line.until(1)["result"]["content"][0]["text"]
            assert "query holds half a character" in told
            assert '"kind": "validation"' in told
            line.say((CALL % (2, "bytes X")).encode().replace(b"X", b"\xff"))
            told = line.until(2)["result"]["content"][0]["text"]
            assert "query holds bytes that are not UTF-8" in told
            line.say(f'{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"x":{DEEP}}}}}')
            assert line.until(3)["error"]["code"] == -32700
            numbers = range(100, 100 + CALLS_AT_ONCE + 15)
            for number in numbers:
                line.say(CALL % (number, f"slow {number}"))
            assert asked.wait(LONG_S)
            line.say('{"jsonrpc":"2.0","id":4,"method":"ping"}')
            assert line.until(4)["result"] == {}
            for number in numbers:
                line.say(
                    f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{number}}}}}'
                )
            line.say('{"jsonrpc":"2.0","id":5,"method":"tools/list"}')
            assert line.until(5)["result"]["tools"]
            assert not let.is_set()
        finally:
            let.set()
            line.end()

    httpserver.expect_request("/search").respond_with_handler(answer)
    run_async(meet(), LONG_S)
