"""One line of JSON for every call of a tool, in a file of the machine's owner: no answer, and no secret that can be told by its form.

Lines are appended whole, also by several processes. A file that cannot be written fails no call: that is said once.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from research_core.errors import ResearchError
from research_core.models import Json, Principal

#: Forms of keys and tokens.
_SECRETS = re.compile(
    r"AIza[\w-]{10,}|\bAKIA[A-Z0-9]{12,}|\b(?:sk|pk|rk|tvly|glpat|xox[a-z])-[\w-]{8,}|\b(?:gh[a-z]|github_pat)_\w{20,}|\bBSA[\w-]{10,}"
    r"|\beyJ[\w-]{6,}\.[\w-]{4,}\.[\w-]+|(?<=://)[^/\s@]*:[^/\s@]+(?=@)"
    r"|(?<=Bearer )\S+|(?<=bearer )(?=\S*\d)\S{8,}|(?<=Basic )\S+|(?i:(?<=token )\w{16,})"
)
#: What carries one by its name: a parameter, a header, a member of JSON; the name, and the value with its quotes.
_NAMED = re.compile(
    r"(?i)((?:(?:key|token|secret|password)(?:[\"']\s?:\s?|\s?=\s?|%3D)|(?:[\w-]+[-_]key|apikey|token|secret|password)\s?:\s?))"
    r"(\"[^\"]*\"|'[^']*'|[^\s&\"',;]+)"
)
HIDDEN = "[hidden]"


def masked(text: str) -> str:
    """The text without what looks like a key, a token or a password."""
    return _SECRETS.sub(HIDDEN, _NAMED.sub(_unnamed, text))


def _unnamed(found: re.Match[str]) -> str:
    quote = found[2][0] if found[2][0] in "\"'" else ""
    return f"{found[1]}{quote}{HIDDEN}{quote}"


def line(now: float, who: Principal, tool: str, request: str, seconds: float, error: str, about: Json) -> Json:
    """One event. error: the kind of the failure, "" for none; about: what else is told of the call; its texts are masked."""
    return {
        "timestamp": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "event_type": "tool_call",
        "tenant_id": who.tenant,
        "user_id": who.user,
        "request_id": request,
        "tool_name": tool,
        "duration_ms": round(1000 * seconds),
        "success": not error,
        **({"error_code": error} if error else {}),
        "metadata": _masked(about),
    }


def append(path: Path, event: Json, on_trouble: Callable[[ResearchError], None]) -> None:
    """Add the line to the file, which only its owner may read."""
    text = json.dumps(event, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, text.encode("utf-8", "replace"))
        finally:
            os.close(file)
    except OSError as error:
        step = "Set AUDIT_LOG_PATH to a file that can be written."
        on_trouble(ResearchError(f"The audit file {path} could not be written: {error.strerror}.", next_step=step))


def _masked(value: object) -> object:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {name: _masked(each) for name, each in value.items()}
    return [_masked(each) for each in value] if isinstance(value, list) else value
