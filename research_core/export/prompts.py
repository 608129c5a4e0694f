"""Export the requests to models for the evidence pack: each text by its hash, and a list.

For a request given in full, the script in the pack computes the hash under which the session's log
recorded it. Anything like a key or a password is masked; such a request is marked and no longer has
that hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from research_core.export import check
from research_core.export.tables import format_clean_csv
from research_core.journal.audit import mask_secrets
from research_core.model_messages import Json
from research_core.sessions.model_requests import VERSION, RecordedRequest, RecordedRequests

#: The states of a request, in words.
SENT, MASKED, NOT_REMADE = "as sent", "masked", "could not be made again"
#: Fields of a request that are data and stand in the list itself.
_DATA_FIELDS = ("inputs", "schema", "tools", "history")


def build_files(asked: RecordedRequests) -> dict[str, bytes]:
    """Build prompts.json, prompts.csv and prompts/<SHA-256>.txt for each text, sorted, by name."""
    texts: dict[str, bytes] = {}
    calls = [_build_call(number, request, texts) for number, request in enumerate(asked.made, 1)]
    listed = (
        json.dumps({"version": VERSION, "unread": asked.unread, "calls": calls}, indent=2) + "\n"
    )  # in ASCII: no sign of it is lost
    table = format_clean_csv(check.REQUEST_COLUMNS, map(check.build_request_row, calls))
    return {
        "prompts.json": listed.encode(),
        "prompts.csv": table.encode("utf-8", "replace"),
        **dict(sorted(texts.items())),
    }


def _build_call(number: int, request: RecordedRequest, texts: dict[str, bytes]) -> Json:
    """Build a call as plain values, and add its texts to `texts`."""
    at = datetime.fromtimestamp(request.at, UTC).isoformat(timespec="seconds")
    spent: Json = {
        "input_tokens": request.input_tokens,
        "output_tokens": request.output_tokens,
        "cost": request.cost,
    }
    # Left out where there is nothing to say, as in earlier packs.
    if request.estimated:
        spent["estimated"] = True
    if request.notes:
        spent["notes"] = [mask_secrets(note) for note in request.notes]
    about = {
        "number": number,
        "sha256": request.call,
        "kind": request.kind,
        "model": request.model,
        "answered_by": request.answered,
    }
    about |= {"answered_at": at, "failed": mask_secrets(request.failed), **spent}
    if request.params is None:
        return {**about, "request": NOT_REMADE, "why": mask_secrets(request.lack)}
    shown = _mask_value(request.params)
    names = {name: _store_text(shown[name], texts) for name in ("system", "prompt")}
    state = SENT if shown == request.params else MASKED
    return {
        **about,
        "request": state,
        "why": "",
        **names,
        **{name: shown[name] for name in _DATA_FIELDS},
        **{name: shown[name] for name in check.RETRY_FIELDS if name in shown},
    }


def _store_text(text: str, texts: dict[str, bytes]) -> str:
    """Store a text and return its file name; "" for an empty text."""
    body = text.encode("utf-8", "surrogatepass")
    if not body:
        return ""
    name = f"prompts/{hashlib.sha256(body).hexdigest()}.txt"
    texts[name] = body
    return name


def _mask_value(value: Any) -> Any:
    """Mask all texts in a value, also the names of members."""
    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, Mapping):
        return {mask_secrets(name): _mask_value(item) for name, item in value.items()}
    return [_mask_value(item) for item in value] if isinstance(value, (list, tuple)) else value
