"""Split a tool's answer by its shape into facts, texts, lists of records, and pages.

Draws nothing. Title, address and text of a record are known by the keys that tools use; all other
values are facts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from research_core.errors import UsageError
from research_core.model_messages import Json
from research_core.sessions.runner import check_address
from research_core.urls import strip_user_part
from research_core.web.hidden_text import HiddenTextRemark, HiddenTextSummary

#: Names of a record's parts, the best first.
TITLE_KEYS = ("title", "name", "caseName", "company", "label", "seriesId", "date", "id")
ADDRESS_KEYS = ("url", "contextLink", "link", "website", "noticeUrl")
TEXT_KEYS = (
    "snippet",
    "abstract",
    "tldr",
    "summary",
    "description",
    "content",
    "note",
    "reason",
    "notes",
)
#: What is told of what a page hides, and of what it says to machines.
REMARK_KEYS = {"hiddenTexts", "speaksToMachines"}
#: Parts of an answer that the screen has a place of its own for, or that say what this screen says
#: anyway.
SEPARATE_KEYS = {"hints", "ignoredParameters", "trust"} | REMARK_KEYS
#: Characters from which a text is no fact but something to read.
MIN_LONG_TEXT = 160
#: Characters from which a fact that all records have is said once.
MIN_SHARED_LENGTH = 30
#: By what something is told, which is no word on any record: it is said once for all that have it.
BASIS_NAME = re.compile(r"(?:^|\b)basis$")
#: Texts that are there to be read, however short.
READ_KEYS = {"content", "combinedContent", "answer"}
FAILURE_NAME = re.compile(r"failures?$", re.IGNORECASE)


@dataclass(frozen=True)
class FoundPage:
    """A web page that an answer names."""

    url: str
    title: str
    snippet: str


@dataclass(frozen=True)
class FoundRecord:
    """title, address and text may be ""; facts: all other values as (label, words or address)."""

    title: str
    address: str
    text: str
    facts: tuple[tuple[str, str], ...]
    raw: Json


def is_address(value: Any) -> bool:
    return (
        isinstance(value, str)
        and value.lower().startswith(("http://", "https://"))
        and not re.search(r"\s", value)
    )


def parse_record(raw: Json) -> FoundRecord:
    """Split a record of an answer into its parts."""
    title = next(
        (name for name in TITLE_KEYS if isinstance(raw.get(name), str) and raw[name].strip()), ""
    )
    place = next((name for name in ADDRESS_KEYS if is_address(raw.get(name))), "")
    text = next(
        (name for name in TEXT_KEYS if isinstance(raw.get(name), str) and raw[name].strip()), ""
    )
    rest = {
        name: value
        for name, value in raw.items()
        if name not in (title, place, text) and name not in SEPARATE_KEYS
    }
    return FoundRecord(
        str(raw.get(title, "")),
        strip_user_part(str(raw.get(place, ""))),
        str(raw.get(text, "")),
        tuple(list_facts(rest)),
        raw,
    )


def list_facts(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield every non-empty value as (label, words); nested labels combine both names."""
    for name, value in values.items():
        label = f"{above} {split_name(name)}".strip()
        if isinstance(value, Mapping):
            yield from list_facts(value, label)
        elif value not in (None, "", []):
            yield label, format_value(value)


def split_name(name: str) -> str:
    """Return `citationCount` and `citation_count` as “citation count”."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name)).replace("_", " ").lower()


def format_value(value: Any) -> str:
    """Format a plain value, or a list of them separated by commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (
        isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    ):
        return str(int(value))
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, str):
        return strip_user_part(value)
    if isinstance(value, Sequence) and all(not isinstance(each, Mapping | list) for each in value):
        return ", ".join(format_value(each) for each in value if each not in (None, ""))
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- the parts of an answer


def find_lists(answer: Json) -> dict[str, list[FoundRecord]]:
    """Return the non-empty lists of records by name."""
    return {
        name: [parse_record(each) for each in value]
        for name, value in answer.items()
        if _is_record_list(value)
    }


def find_shared_facts(records: Sequence[FoundRecord]) -> dict[str, str]:
    """Return long facts that all of at least two records share, to show them once.

    A fact of only some records stays with each of them, or it would seem true of all.
    """
    values: dict[str, list[str]] = {}
    for label, value in (fact for each in records for fact in dict(each.facts).items()):
        values.setdefault(label, []).append(value)
    whole = {
        label: told
        for label, told in values.items()
        if len(told) == len(records) or BASIS_NAME.search(label)
    }
    return {
        label: told[0]
        for label, told in whole.items()
        if len(told) > 1 and len(set(told)) == 1 and len(told[0]) > MIN_SHARED_LENGTH
    }


def _is_record_list(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)
    )


def find_texts(answer: Json) -> dict[str, str]:
    """Return the long texts by name."""
    return {
        name: value
        for name, value in answer.items()
        if name not in SEPARATE_KEYS and _is_long_text(name, value)
    }


def _is_long_text(name: str, value: Any) -> bool:
    if not isinstance(value, str) or is_address(value) or not value.strip():
        return False
    return name in READ_KEYS or len(value) > MIN_LONG_TEXT or "\n" in value.strip()


def find_notes(answer: Json) -> list[str]:
    """Return notes about how the answer was found, as sentences."""
    told = answer.get("notes")
    if isinstance(told, list) and all(isinstance(each, str) for each in told):
        return told
    return []


def find_particulars(answer: Json) -> dict[str, list[tuple[str, str]]]:
    """Return all other facts: under "" the top-level ones, else by the name of their object.

    Values that only repeat addresses are left out.
    """
    addresses = {
        str(each.raw.get(name))
        for members in find_lists(answer).values()
        for each in members
        for name in ADDRESS_KEYS
    }
    rest = {
        name: value
        for name, value in answer.items()
        if name not in SEPARATE_KEYS
        and not _is_record_list(value)
        and not _is_long_text(name, value)
    }
    rest = {
        name: value
        for name, value in rest.items()
        if not _is_list_count(name, value, answer) and not (name == "notes" and find_notes(answer))
    }
    alone = {
        name: value
        for name, value in rest.items()
        if not isinstance(value, Mapping) and not _repeats_addresses(value, addresses)
    }
    parts = {"": list(list_facts(alone))}
    parts |= {
        split_name(name): list(list_facts(value))
        for name, value in rest.items()
        if isinstance(value, Mapping)
    }
    return {name: told for name, told in parts.items() if told}


def _is_list_count(name: str, value: Any, answer: Json) -> bool:
    """Return True if it is the length of a list, which the heading shows already.

    "cited by count 3" would be taken for the number of citations of a paper.
    """
    listed = answer.get(name.removesuffix("Count"))
    return (
        name.endswith("Count")
        and isinstance(listed, list)
        and bool(listed)
        and len(listed) == value
    )


def _repeats_addresses(value: Any, addresses: Set[str]) -> bool:
    return isinstance(value, list) and set(map(str, value)) <= addresses


def parse_hidden_text(raw: Json) -> tuple[HiddenTextSummary, int]:
    """Return an answer's (or record's) hidden text, and its number of instructions to machines."""
    hides = _as_object(raw.get("hiddenTexts"))
    speaks = _as_object(raw.get("speaksToMachines"))
    counts = tuple(
        (str(way), _as_count(many))
        for way, many in _as_object(hides.get("counts")).items()
        if _as_count(many)
    )
    shown = _parse_remarks(speaks.get("samples"))
    return HiddenTextSummary(counts, _parse_remarks(hides.get("samples")), shown), max(
        _as_count(speaks.get("total")), len(shown)
    )


def count_remarks(raw: Json) -> Json:
    """Return the record with its hidden texts and instructions replaced by their counts."""
    return {
        name: _as_count(_as_object(value).get("total")) or None if name in REMARK_KEYS else value
        for name, value in raw.items()
    }


def _parse_remarks(told: Any) -> tuple[HiddenTextRemark, ...]:
    rows = [_as_object(each) for each in told] if isinstance(told, list) else []
    return tuple(
        HiddenTextRemark(*(str(row.get(name, "")) for name in ("where", "words", "order")))
        for row in rows
    )


def _as_object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _as_count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def is_empty(answer: Json) -> bool:
    """Return True if the answer says that nothing was found."""
    return answer.get("resultCount") == 0 or (
        "hints" in answer and not find_lists(answer) and not find_texts(answer)
    )


def has_failures(answer: Json) -> bool:
    """Return True if the answer lists failures."""
    return any(FAILURE_NAME.search(name) for name in find_lists(answer))


def find_pages(answer: Json) -> list[FoundPage]:
    """Return the found pages without duplicates (by session address) or failed ones."""
    found: dict[str, FoundPage] = {}
    own = [{"title": _find_title(answer), **answer}] if is_address(answer.get("url")) else []
    for raw in (
        *own,
        *(
            each.raw
            for name, members in find_lists(answer).items()
            if not FAILURE_NAME.search(name)
            for each in members
        ),
    ):
        told = parse_record(raw)
        try:
            url = check_address(told.address)
        except UsageError:
            continue
        if is_address(url):
            found.setdefault(url, FoundPage(url, told.title, told.text))
    return list(found.values())


def _find_title(answer: Json) -> str:
    """Return the title of an answer that is itself a page."""
    about = answer.get("metadata")
    if isinstance(about, Mapping):
        return str(about.get("title", ""))
    return ""
