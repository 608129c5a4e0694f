"""One line of JSON for every call of a tool, in a file of the machine's owner: no answer, and no
secret that can be told by its form.

What a line says stands here; how it is chained to the line before and added to the file is
`chain`'s and `file`'s.
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
_SECRETS = re.compile(
    r"AIza[\w-]{10,}|\bAKIA[A-Z0-9]{12,}|\b(?:sk|pk|rk|tvly|glpat|xox[a-z])-[\w-]{8,}|\b(?:gh[a-z]|github_pat)_\w{20,}|\bBSA[\w-]{10,}"
    rf"|{JWT_PATTERN}|(?<=://)[^/\s@:]*:[^/\s@]+(?=@)"
    r"|(?<=B(?:earer|EARER) )\s*\S+|(?<=bearer )(?=\S*\d)\S{8,}|(?<=Basic )\S+|(?i:(?<=token"
    r" )\w{16,})"
)
#: What carries one by its name: a parameter, a header, a member of JSON; the name, and the value
#: with its quotes.
_NAMED = re.compile(
    r"(?i)((?:(?:key|token|secret|password|passwd|pwd)(?:[\"']\s?:\s?|\s?=\s?|%3D)"
    r"|(?:(?<![\w-])[\w-]+[-_]key|apikey|token|secret|password)\s?:\s?)(?:\[(?=[\"']))?)"
    r"(\"[^\"]*\"|'[^']*'|[^\s&\"',;]+)"
)
HIDDEN = "[hidden]"
#: How much is told of what a client calls its session, in characters.
SESSION = 100


def masked(text: str) -> str:
    """The text without what looks like a key, a token or a password."""
    return _SECRETS.sub(HIDDEN, _NAMED.sub(_unnamed, text))


def _unnamed(found: re.Match[str]) -> str:
    quote = found[2][0] if found[2][0] in "\"'" else ""
    return f"{found[1]}{quote}{HIDDEN}{quote}"


def line(
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
    """One event, without its hashes. error: the kind of the failure, "" for none; about: what else
    is told of the call, its texts masked.

    session: the one it was added to; source: the client's address, "" where there is none; pod:
    HOST:PID, by default this process.
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
        "metadata": _masked(about),
    }


def session_of(arguments: object, answer: Json | None) -> str:
    """The session that a call names, or that it began; "" for neither. Whether there is one by that
    name is not looked at.
    """
    named = (told.get("sessionId") for told in (arguments, answer) if isinstance(told, Mapping))
    return next((masked(each)[:SESSION] for each in named if isinstance(each, str) and each), "")


def _masked(value: object) -> object:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {name: _masked(each) for name, each in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no number for it
    return [_masked(each) for each in value] if isinstance(value, (list, tuple)) else value
