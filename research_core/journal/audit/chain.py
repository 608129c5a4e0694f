"""Link audit events in a hash chain. Values only; `file` writes them and `verify` checks them.

A line's `hash` is the SHA-256 of its `prev_hash`, followed by the line itself in its one spelling
(`events.canonical_json`) with an empty `hash`. `prev_hash` is the hash of the line before, across
rotated files too; the very first one is `ANCHOR`. Lines of an older Assay have neither: the chain
begins after them.

No key is involved. Whoever may write to the file can write a whole chain anew or take lines from
its end, and the file alone cannot show that: keep the last hash elsewhere, and verify with it.
"""

from __future__ import annotations

import json
import re

from research_core.journal.events import canonical_json, sha256
from research_core.model_messages import Json

#: What the first line of a chain follows.
ANCHOR = "0" * 64
#: Kinds of the file's own lines: what was left of a line that a killed writer began; which files
#: were removed for their age.
LINE_CUT, FILES_REMOVED = "audit_line_cut", "audit_files_removed"


def link_event(event: Json, before: str) -> Json:
    """Return the event as a link that follows this hash.

    Raises ValueError or TypeError for what JSON cannot hold.
    """
    link = {**event, "prev_hash": before, "hash": ""}
    return {**link, "hash": sha256((before + canonical_json(link)).encode())}


def format_line(link: Json) -> bytes:
    """Return the line of a link."""
    return f"{canonical_json(link)}\n".encode()


def parse_object(line: bytes) -> Json | None:
    """Return the JSON object in these bytes, or None."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def find_claimed_hash(event: Json | None) -> str:
    """Return the hash a line claims to have, or ""."""
    claimed = (event or {}).get("hash")
    return claimed if isinstance(claimed, str) and re.fullmatch(r"[0-9a-f]{64}", claimed) else ""


def is_cut(tail: bytes) -> bool:
    """Return True if the bytes after the last line feed are an unfinished line."""
    if not b'{"'.startswith(tail[:2]):
        return False
    try:
        json.JSONDecoder().raw_decode(tail.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return True
    # an object, whole, and perhaps more: whatever that is, no writer that was killed leaves it
    return False


def build_own_event(kind: str, event: Json, about: Json) -> Json:
    """Return an event about the file itself, with the time and process of this event."""
    blank = dict.fromkeys(
        ("tenant_id", "user_id", "session_id", "tool_name", "request_id", "source_ip"), ""
    )
    who = {"timestamp": event["timestamp"], "event_type": kind, "pod_id": event.get("pod_id", "")}
    return {**who, **blank, "duration_ms": 0, "success": True, "metadata": about}
