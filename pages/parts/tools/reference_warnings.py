"""Find what speaks against the references of a tool's answer, and their archive copies.

Draws nothing. Knows no particular tool: references and copies are known by the keys of answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parts.tools import findings
from research_core.model_messages import Json
from research_core.trust.provenance import GONE_STATUSES

#: Keys that name a reference, best first.
NAME_KEYS = ("title", "recordTitle", "input", "citation", "doi", "url")
_CAPTURE_DATE = re.compile(r"/web/(\d{4})(\d{2})(\d{2})\d*")


@dataclass(frozen=True)
class ReferenceWarning:
    """kind: as `classify_reference` returns; detail: of the notice, or ""."""

    kind: str
    name: str
    detail: str = ""


@dataclass(frozen=True)
class ArchiveCopy:
    """date: YYYY-MM-DD, or "" if unknown; live_status: of the live page, 0 if unknown."""

    url: str
    date: str
    live_status: int = 0


def find_warnings(answer: Json) -> list[ReferenceWarning]:
    """Return a warning for the answer itself and for each of its records that deserves one."""
    raws = [answer]
    for records in findings.find_lists(answer).values():
        raws += [each.raw for each in records]
    warnings = []
    for raw in raws:
        kind = classify_reference(raw)
        if kind:
            warnings.append(ReferenceWarning(kind, _find_name(raw), _describe_notice(raw, kind)))
    return warnings


def classify_reference(raw: Json) -> str:
    """Return the gravest state that speaks against a reference, "" for none."""
    flags = raw.get("flags")
    named = set(filter(_is_text, flags)) if isinstance(flags, list) else set()
    status = raw.get("verificationStatus")
    is_retracted = raw.get("retracted") is True or _get_notice(raw).get("retracted") is True
    if is_retracted or "retracted" in named or status == "retracted":
        return "retracted"
    is_gone = status is not None and raw.get("httpStatus") in GONE_STATUSES
    is_dead = is_gone or raw.get("linkLive") is False or "dead_link" in named
    # An address that leads nowhere is a dead link; only works have records.
    is_address = raw.get("inputType") == "url"
    if "not_found" in named or (status == "not_found" and not is_address):
        return "not_found"
    if raw.get("titleMatch") == "mismatch":
        return "another"
    if is_dead or status == "not_found":
        return "dead_link"
    if raw.get("claimSupport") == "not_addressed" or "mischaracterized" in named:
        return "mischaracterized"
    return ""


def find_archive_copy(raw: Json) -> ArchiveCopy | None:
    """Return the archive copy that an answer or record names, if any."""
    for name in ("snapshotUrl", "archivedUrl"):
        url = raw.get(name)
        if not isinstance(url, str) or not findings.is_address(url):
            continue
        found = _CAPTURE_DATE.search(url)
        date = "-".join(found.groups()) if found else ""
        stated = raw.get("snapshotDate") or raw.get("archivedAt")
        if isinstance(stated, str) and re.match(r"\d{4}-\d{2}-\d{2}", stated):
            date = stated[:10]
        live = raw.get("liveStatus")
        return ArchiveCopy(url, date, live if isinstance(live, int) else 0)
    return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _get_notice(raw: Json) -> Mapping[str, Any]:
    notice = raw.get("retractionStatus")
    return notice if isinstance(notice, Mapping) else {}


def _describe_notice(raw: Json, kind: str) -> str:
    """Return the date of a retraction in brackets, "" if it has none."""
    date = _get_notice(raw).get("date")
    return f"({date})" if kind == "retracted" and isinstance(date, str) and date else ""


def _find_name(raw: Json) -> str:
    """Return what identifies a reference: its title, or else its first known name."""
    record = raw.get("matchedRecord")
    places = [record, raw.get("metadata"), raw]
    for place in places:
        if not isinstance(place, Mapping):
            continue
        for name in NAME_KEYS:
            value = place.get(name)
            if isinstance(value, str) and value.strip():
                return value
    return ""
