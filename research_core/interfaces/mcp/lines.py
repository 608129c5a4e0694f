"""Repair or refuse lines of an MCP client that the SDK cannot read, so that each is answered.

Bytes that are not UTF-8 and halves of surrogate pairs in the arguments of a tool call reach the
call, which refuses them as it does over HTTP and on the command line.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

import anyio
from mcp import types
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from pydantic import ValidationError

from research_core.text.words import describe_unstorable

#: A pair of escaped surrogates, half of one, or any other escape of JSON.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\.",
    re.DOTALL,
)
#: A byte that is not UTF-8, as `surrogateescape` reads it.
_RAW_BYTE = re.compile("[\udc80-\udcff]")
#: Texts and brackets of JSON, which tell how deep a place is, and the id of a request.
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_ID = re.compile(r'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")(?=\s*[,}])')
NOT_JSON_TEXT = "This is not valid JSON: {why}."
NOT_JSON_RPC_TEXT = "This is not a JSON-RPC message."
NOT_STORABLE_TEXT = "This message contains {what}, which is not allowed. Send it without, as UTF-8."


async def read_messages(reading: Any, read: Any, writing: Any) -> None:
    """Pass messages from `reading` on to `read` until the end of the stream.

    Lines that cannot be read are answered through `writing`.
    """
    async with read:
        async for item in reading:
            # The SDK passes on an unreadable line as the exception it met.
            message = item if isinstance(item, SessionMessage) else repair_or_refuse(item)
            if isinstance(message, SessionMessage):
                await read.send(message)
            elif message is not None:
                await writing.send(SessionMessage(message))


def repair_or_refuse(failure: Exception) -> SessionMessage | types.JSONRPCError | None:
    """Return the message of an unreadable line, its refusal, or None for an empty line.

    What is no character becomes U+FFFD, except in the arguments of a tool call, which refuses it.
    """
    first = failure.errors(include_url=False)[0] if isinstance(failure, ValidationError) else None
    if first is None or first["type"] not in ("json_invalid", "string_unicode"):
        return _error_reply(types.INVALID_REQUEST, NOT_JSON_RPC_TEXT, _find_message_id(failure))
    line = str(first["input"])
    if not line.strip():
        return None
    plain = _RAW_BYTE.sub("\ufffd", line)
    whole = _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], plain)
    try:
        message = jsonrpc_message_adapter.validate_json(whole, by_name=False)
    except ValidationError as error:
        again = error.errors(include_url=False)[0]
        if again["type"] != "json_invalid":
            return _error_reply(types.INVALID_REQUEST, NOT_JSON_RPC_TEXT, _find_message_id(error))
        why = str(again["ctx"]["error"])
        return _error_reply(
            types.PARSE_ERROR, NOT_JSON_TEXT.format(why=why), _find_written_id(whole)
        )

    return _refuse_or_pass_on(line, message)


def _refuse_or_pass_on(
    line: str, message: types.JSONRPCMessage
) -> SessionMessage | types.JSONRPCError:
    """Return a repaired message, with the arguments of a tool call as they were sent.

    Any other request is refused. line: as it was sent.
    """
    if not isinstance(message, types.JSONRPCRequest):
        return SessionMessage(message)
    sent = json.loads(line)
    if message.method == "tools/call" and message.params and "arguments" in message.params:
        message.params["arguments"] = sent["params"]["arguments"]
        return SessionMessage(message)
    what = describe_unstorable(_ESCAPE.sub(lambda found: json.loads(f'"{found[0]}"'), line))
    return _error_reply(types.INVALID_PARAMS, NOT_STORABLE_TEXT.format(what=what), message.id)


def _error_reply(code: int, message: str, number: int | str | None) -> types.JSONRPCError:
    return types.JSONRPCError(
        jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=message)
    )


def _find_message_id(failure: Exception) -> int | str | None:
    """Return the id of a message that is valid JSON but not a known message."""
    if not isinstance(failure, ValidationError):
        return None
    for error in failure.errors(include_url=False):
        # A missing field is reported at (kind of message, field), with the whole message as input.
        if not isinstance(error["input"], dict) or len(error["loc"]) != 2:
            continue
        number = error["input"].get("id")
        if isinstance(number, int | str) and not isinstance(number, bool):
            return number
    return None


def _find_written_id(line: str) -> int | str | None:
    """Return the id written in a line that is not valid JSON: that of the outermost object."""
    depth = 0
    for part in _PART.finditer(line):
        depth += (part[0] in "{[") - (part[0] in "}]")
        found = _ID.match(line, part.start()) if depth == 1 else None
        if found:
            number: int | str = json.loads(found[1])
            return number
    return None


async def serve_repaired(serve: Any, streams: Any) -> None:
    """Serve with repaired input.

    streams: (reading, writing) as the SDK gives them; serve(reading, writing): the server.
    """
    reading, writing = streams
    send, receive = anyio.create_memory_object_stream[Any](0)
    async with anyio.create_task_group() as beside:
        beside.start_soon(read_messages, reading, send, writing)
        await serve(receive, writing)
        beside.cancel_scope.cancel()


@contextmanager
def open_input() -> Iterator[anyio.AsyncFile[str]]:
    """Open standard input as UTF-8 whose invalid bytes become surrogates, so that they are noticed.

    Meanwhile file descriptor 0 is the null device, so that no child process reads the protocol.
    """
    number = sys.stdin.fileno()
    wire = os.dup(number)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, number)
    os.close(nothing)
    try:
        # closefd=False: a worker thread may still block on the descriptor when the server ends.
        reader = os.fdopen(wire, "rb", closefd=False)
        yield anyio.wrap_file(TextIOWrapper(reader, encoding="utf-8", errors="surrogateescape"))
    finally:
        os.dup2(wire, number)
