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

from parts.tools.tool_labels import split_name
from research_core.errors import UsageError
from research_core.i18n import _, join_list
from research_core.model_messages import Json
from research_core.sessions.session_control import check_address
from research_core.urls import strip_user_part
from research_core.web.hidden_text_remarks import HiddenTextRemark, HiddenTextSummary

#: Keys of a record's parts, best first.
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
#: Keys of a page's hidden texts and of its instructions to machines.
REMARK_KEYS = {"hiddenTexts", "speaksToMachines"}
#: Keys of an answer that the screen shows elsewhere or says anyway.
SEPARATE_KEYS = {
    "hints",
    "ignoredParameters",
    "trust",
    "snapshotUrl",
    "snapshotDate",
    "archivedUrl",
    "archivedAt",
    "liveStatus",
} | REMARK_KEYS
#: Characters from which a text is shown as a text instead of a fact.
MIN_LONG_TEXT = 160
#: Characters from which a fact that all records share is shown once.
MIN_SHARED_LENGTH = 30
#: The basis of a fact says nothing about a single record: it is shown once for all that have it.
BASIS_NAME = re.compile(r"(?:^|\b)basis$")
#: Keys that are always shown as texts, however short.
READ_KEYS = {"content", "combinedContent", "answer"}
COUNT_NAME = re.compile(r"Count$")
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
    title = _find_text_key(raw, TITLE_KEYS)
    address = _find_address_key(raw)
    text = _find_text_key(raw, TEXT_KEYS)
    rest = {
        name: value
        for name, value in raw.items()
        if name not in (title, address, text)
        and name not in SEPARATE_KEYS
        and not _is_missing_status(name, value)
    }
    return FoundRecord(
        str(raw.get(title, "")),
        strip_user_part(str(raw.get(address, ""))),
        str(raw.get(text, "")),
        tuple(list_facts(rest)),
        raw,
    )


def _find_text_key(raw: Json, keys: Sequence[str]) -> str:
    """Return the first of these keys that has a text, "" if none has."""
    for name in keys:
        value = raw.get(name)
        if isinstance(value, str) and value.strip():
            return name
    return ""


def _find_address_key(raw: Json) -> str:
    """Return the first key that has an address, "" if none has."""
    for name in ADDRESS_KEYS:
        if is_address(raw.get(name)):
            return name
    return ""


def list_facts(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield every non-empty value as (label, words); nested labels combine both names."""
    for name, value in values.items():
        label = f"{above} {split_name(name)}".strip()
        if isinstance(value, Mapping):
            yield from list_facts(value, label)
        elif value not in (None, "", []):
            yield label, format_value(value)


def format_value(value: Any) -> str:
    """Format a plain value, or a list of them separated by commas."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int) or (
        isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    ):
        return str(int(value))
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, str):
        return strip_user_part(value)
    if isinstance(value, Sequence) and all(not isinstance(each, Mapping | list) for each in value):
        return join_list([format_value(each) for each in value if each not in (None, "")])
    return json.dumps(value, ensure_ascii=False)


# -- parts of an answer ----------------------------------------------------------------------------


def find_lists(answer: Json) -> dict[str, list[FoundRecord]]:
    """Return the non-empty lists of records by name."""
    lists = {}
    for name, value in answer.items():
        if _is_record_list(value):
            lists[name] = [parse_record(each) for each in value]
    return lists


def find_shared_facts(records: Sequence[FoundRecord]) -> dict[str, str]:
    """Return long facts that all of at least two records share, to show them once.

    A fact of only some records stays with each of them, or it would seem true of all.
    """
    values: dict[str, list[str]] = {}
    for record in records:
        for label, value in dict(record.facts).items():
            values.setdefault(label, []).append(value)
    shared = {}
    for label, facts in values.items():
        in_all = len(facts) == len(records) or BASIS_NAME.search(label)
        is_same = len(facts) > 1 and len(set(facts)) == 1
        if in_all and is_same and len(facts[0]) > MIN_SHARED_LENGTH:
            shared[label] = facts[0]
    return shared


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
    notes = answer.get("notes")
    if isinstance(notes, list) and all(isinstance(each, str) for each in notes):
        return notes
    return []


def find_particulars(answer: Json) -> dict[str, list[tuple[str, str]]]:
    """Return all other facts: under "" the top-level ones, else by the name of their object.

    Values that only repeat addresses are left out.
    """
    addresses = set()
    for members in find_lists(answer).values():
        for each in members:
            addresses |= {str(each.raw.get(name)) for name in ADDRESS_KEYS}
    top_level = {}
    objects = {}
    for name, value in answer.items():
        if _is_shown_elsewhere(name, value, answer):
            continue
        if isinstance(value, Mapping):
            objects[split_name(name)] = list(list_facts(value))
        elif not _repeats_addresses(value, addresses):
            top_level[name] = value
    parts = {"": list(list_facts(top_level))} | objects
    return {name: facts for name, facts in parts.items() if facts}


def _is_shown_elsewhere(name: str, value: Any, answer: Json) -> bool:
    """Return True if a value of an answer has a place of its own on the screen."""
    if name in SEPARATE_KEYS or _is_record_list(value) or _is_long_text(name, value):
        return True
    if _is_list_count(name, value, answer) or _is_check_detail(name, value, answer):
        return True
    return name == "notes" and bool(find_notes(answer))


def _is_check_detail(name: str, value: Any, answer: Json) -> bool:
    """Return True for the steps and the reason of a check, and for a status that none gave."""
    if name == "provenance":
        return isinstance(value, list)
    if name == "reason":
        return "provenance" in answer
    return name == "verificationStatus" or _is_missing_status(name, value)


def _is_missing_status(name: str, value: Any) -> bool:
    """Return True for the HTTP status of a page that gave none."""
    return name == "httpStatus" and value == 0


def is_unchecked(raw: Json) -> bool:
    """Return True if it is unknown whether a reference exists."""
    flags = raw.get("flags")
    return isinstance(flags, list) and "unchecked" in flags


def list_unchecked(answer: Json) -> list[bool]:
    """Return for each reference of a checked list whether it is unchecked; [] if none is."""
    entries = answer.get("entries")
    if not isinstance(entries, list) or not _is_record_list(entries):
        return []
    unchecked = [is_unchecked(each) for each in entries]
    return unchecked if any(unchecked) else []


def split_reasons(message: str, providers: Sequence[str]) -> list[tuple[str, str]]:
    """Split the message of a failure into (provider, reason), where it names several providers.

    Text before the first name is left out. A message without names is one reason of "".
    """
    names = "|".join(re.escape(each) for each in sorted(providers, key=len, reverse=True))
    parts = re.split(rf"(?:^|(?<=[\s(]))({names}): ", message) if names else [message]
    if len(parts) < 3:
        return [("", message)]
    reasons: dict[tuple[str, str], None] = {}
    for name, reason in zip(parts[1::2], parts[2::2], strict=True):
        reasons[name, reason.strip().rstrip(";)").strip()] = None
    return list(reasons)


def _is_list_count(name: str, value: Any, answer: Json) -> bool:
    """Return True if it is the length of a list, which the heading shows already.

    "cited by count 3" would be taken for the number of citations of a paper.
    """
    listed = answer.get(COUNT_NAME.sub("", name))
    return (
        COUNT_NAME.search(name) is not None
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
    counts = []
    for way, count in _as_object(hides.get("counts")).items():
        if _as_count(count):
            counts.append((str(way), _as_count(count)))
    instructions = _parse_remarks(speaks.get("samples"))
    hidden = HiddenTextSummary(tuple(counts), _parse_remarks(hides.get("samples")), instructions)
    return hidden, max(_as_count(speaks.get("total")), len(instructions))


def replace_remarks_by_counts(raw: Json) -> Json:
    """Return the record with its hidden texts and instructions replaced by their counts."""
    counted = dict(raw)
    for name in REMARK_KEYS:
        if name in raw:
            counted[name] = _as_count(_as_object(raw[name]).get("total")) or None
    return counted


def _parse_remarks(samples: Any) -> tuple[HiddenTextRemark, ...]:
    remarks = []
    for each in samples if isinstance(samples, list) else ():
        row = _as_object(each)
        where, words, order = (str(row.get(name, "")) for name in ("where", "words", "order"))
        remarks.append(HiddenTextRemark(where, words, order))
    return tuple(remarks)


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
    for raw in _list_page_records(answer):
        record = parse_record(raw)
        try:
            url = check_address(record.address)
        except UsageError:
            continue
        if is_address(url):
            found.setdefault(url, FoundPage(url, record.title, record.text))
    return list(found.values())


def _list_page_records(answer: Json) -> list[Json]:
    """Return the answer itself if it is a page, and its records that are not failures."""
    records: list[Json] = []
    if is_address(answer.get("url")):
        records.append({"title": _find_title(answer), **answer})
    for name, members in find_lists(answer).items():
        if not FAILURE_NAME.search(name):
            records += [each.raw for each in members]
    return records


def _find_title(answer: Json) -> str:
    """Return the title of an answer that is itself a page."""
    about = answer.get("metadata")
    if isinstance(about, Mapping):
        return str(about.get("title", ""))
    return ""
