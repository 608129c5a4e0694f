"""Describe every tool call in one audit event: no answer, and no secret recognizable by its form.

`chain` links each event to the previous line, and `file` adds it to the owner's file.
"""

from __future__ import annotations

import math
import os
import re
import socket
from collections.abc import Mapping
from datetime import UTC, datetime

from research_core.journal.redaction import JWT_PATTERN
from research_core.model_messages import Json
from research_core.models import Principal

#: Forms of keys and tokens.
_SECRET_PATTERN = re.compile(
    r"AIza[\w-]{10,}|\bAKIA[A-Z0-9]{12,}|\b(?:sk|pk|rk|tvly|glpat|xox[a-z])-[\w-]{8,}"
    r"|\b(?:gh[a-z]|github_pat)_\w{20,}|\bBSA[\w-]{10,}"
    rf"|{JWT_PATTERN}|(?<=://)[^/\s@:]*:[^/\s@]+(?=@)"
    r"|(?<=B(?:earer|EARER) )\s*\S+|(?<=bearer )(?=\S*\d)\S{8,}|(?<=Basic )\S+|(?i:(?<=token"
    r" )\w{16,})"
)
#: What carries one by its name: a parameter, a header, a member of JSON; the name, and the value
#: with its quotes.
_NAMED_SECRET_PATTERN = re.compile(
    r"(?i)((?:(?:key|token|secret|password|passwd|pwd)(?:[\"']\s?:\s?|\s?=\s?|%3D)"
    r"|(?:(?<![\w-])[\w-]+[-_]key|apikey|token|secret|password)\s?:\s?)(?:\[(?=[\"']))?)"
    r"(\"[^\"]*\"|'[^']*'|[^\s&\"',;]+)"
)
HIDDEN_MARK = "[hidden]"
#: How much is told of what a client calls its session, in characters.
MAX_SESSION_LENGTH = 100


def mask_secrets(text: str) -> str:
    """Return the text without what looks like a key, a token or a password."""
    return _SECRET_PATTERN.sub(HIDDEN_MARK, _NAMED_SECRET_PATTERN.sub(_mask_named, text))


def _mask_named(found: re.Match[str]) -> str:
    quote = found[2][0] if found[2][0] in "\"'" else ""
    return f"{found[1]}{quote}{HIDDEN_MARK}{quote}"


def build_event(
    now: float,
    who: Principal,
    tool: str,
    request: str,
    seconds: float,
    error: str,
    about: Json,
    *,
    session: str = "",
    source: str = "",
    pod: str = "",
) -> Json:
    """Return one event, without its hashes.

    error: the kind of the failure, "" for none. about: other facts of the call; its texts are
    masked. session: the one it was added to. source: the client's address, or "". pod: HOST:PID, by
    default this process.
    """
    return {
        "timestamp": (
            datetime.fromtimestamp(now, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z")
        ),
        "event_type": "tool_call",
        "tenant_id": who.tenant,
        "user_id": who.user,
        "session_id": session,
        "tool_name": tool,
        "request_id": request,
        "pod_id": pod or f"{socket.gethostname()}:{os.getpid()}",
        "source_ip": source,
        "duration_ms": round(1000 * seconds),
        "success": not error,
        **({"error_code": error} if error else {}),
        "metadata": _mask_values(about),
    }


def find_session_id(arguments: object, answer: Json | None) -> str:
    """Return the session id a call names or began, or ""; it is not checked that it exists."""
    for told in (arguments, answer):
        if isinstance(told, Mapping):
            named = told.get("sessionId")
            if isinstance(named, str) and named:
                return mask_secrets(named)[:MAX_SESSION_LENGTH]
    return ""


def _mask_values(value: object) -> object:
    """Mask every text within a JSON value."""
    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, dict):
        return {name: _mask_values(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mask_values(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no number for it
    return value
