"""Repair or refuse lines of an MCP client that the SDK cannot read, so that each is answered."""

from __future__ import annotations

import json
import re
from typing import Any

import anyio
from mcp import types
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from pydantic import ValidationError

#: A pair of escaped surrogates, half of one, or any other escape of JSON.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\.",
    re.DOTALL,
)
#: Texts and brackets of JSON, which tell how deep a place is, and the id of a request.
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_ID = re.compile(r'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")(?=\s*[,}])')
NOT_JSON_TEXT = "This is not JSON that can be read: {why}."
NOT_JSON_RPC_TEXT = "This is no message of JSON-RPC."


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

    Half a surrogate pair becomes U+FFFD.
    """
    first = failure.errors(include_url=False)[0] if isinstance(failure, ValidationError) else None
    if first is None or first["type"] != "json_invalid":
        return _error_reply(types.INVALID_REQUEST, NOT_JSON_RPC_TEXT, _find_message_id(failure))
    line = str(first["input"])
    if not line.strip():
        return None
    whole = _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], line)
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except ValidationError as error:
        again = error.errors(include_url=False)[0]
        if again["type"] != "json_invalid":
            return _error_reply(types.INVALID_REQUEST, NOT_JSON_RPC_TEXT, _find_message_id(error))
        why = str(again["ctx"]["error"])
        return _error_reply(
            types.PARSE_ERROR, NOT_JSON_TEXT.format(why=why), _find_written_id(whole)
        )


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
