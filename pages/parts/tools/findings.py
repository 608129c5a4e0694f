"""What a tool answered, taken apart by its shape and not by its tool: facts, texts, lists of
records, and the pages it names.

Draws nothing. A record's title, address and text are known by the names that records of tools have;
the rest of it are facts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from research_core.errors import UsageError
from research_core.model_messages import Json
from research_core.sessions.runner import address
from research_core.urls import without_user
from research_core.web.hidden_text import Concealment, Remark

#: Names of a record's parts, the best first.
TITLES = ("title", "name", "caseName", "company", "label", "seriesId", "date", "id")
ADDRESSES = ("url", "contextLink", "link", "website", "noticeUrl")
TEXTS = (
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
REMARKS = {"hiddenTexts", "speaksToMachines"}
#: Parts of an answer that the screen has a place of its own for, or that say what this screen says
#: anyway.
APART = {"hints", "ignoredParameters", "trust"} | REMARKS
#: Characters from which a text is no fact but something to read.
LONG = 160
#: Characters from which a fact that all records have is said once.
SAID_ONCE = 30
#: By what something is told, which is no word on any record: it is said once for all that have it.
BASIS = re.compile(r"(?:^|\b)basis$")
#: Texts that are there to be read, however short.
READ = {"content", "combinedContent", "answer"}
FAILURES = re.compile(r"failures?$", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """A page of the web that an answer names."""

    url: str
    title: str
    snippet: str


@dataclass(frozen=True)
class Record:
    """title, address and text may be ""; facts: the rest, each as (label, words or address)."""

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


def record(raw: Json) -> Record:
    """A record of an answer by its parts."""
    title = next(
        (name for name in TITLES if isinstance(raw.get(name), str) and raw[name].strip()), ""
    )
    place = next((name for name in ADDRESSES if is_address(raw.get(name))), "")
    text = next(
        (name for name in TEXTS if isinstance(raw.get(name), str) and raw[name].strip()), ""
    )
    rest = {
        name: value
        for name, value in raw.items()
        if name not in (title, place, text) and name not in APART
    }
    return Record(
        str(raw.get(title, "")),
        without_user(str(raw.get(place, ""))),
        str(raw.get(text, "")),
        tuple(facts(rest)),
        raw,
    )


def facts(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Every value that says something, as (label, words); those of an object by the names of both."""
    for name, value in values.items():
        label = f"{above} {words(name)}".strip()
        if isinstance(value, Mapping):
            yield from facts(value, label)
        elif value not in (None, "", []):
            yield label, said(value)


def words(name: str) -> str:
    """`citationCount` and `citation_count` as “citation count”."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name)).replace("_", " ").lower()


def said(value: Any) -> str:
    """A plain value in words; a list of them with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (
        isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    ):
        return str(int(value))
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, str):
        return without_user(value)
    if isinstance(value, Sequence) and all(not isinstance(each, Mapping | list) for each in value):
        return ", ".join(said(each) for each in value if each not in (None, ""))
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- the parts of an answer


def lists(answer: Json) -> dict[str, list[Record]]:
    """The lists of records, by name; empty ones are left out."""
    return {
        name: [record(each) for each in value]
        for name, value in answer.items()
        if _is_records(value)
    }


def shared(records: Sequence[Record]) -> dict[str, str]:
    """Facts in many words that are said once: what every record has, and has the same, of two at
    least.

    What only some of them have is said of each of those, or it would seem to be true of the others.
    """
    values: dict[str, list[str]] = {}
    for label, value in (fact for each in records for fact in dict(each.facts).items()):
        values.setdefault(label, []).append(value)
    whole = {
        label: told
        for label, told in values.items()
        if len(told) == len(records) or BASIS.search(label)
    }
    return {
        label: told[0]
        for label, told in whole.items()
        if len(told) > 1 and len(set(told)) == 1 and len(told[0]) > SAID_ONCE
    }


def _is_records(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)
    )


def texts(answer: Json) -> dict[str, str]:
    """What is there to be read: the long texts, by name."""
    return {
        name: value for name, value in answer.items() if name not in APART and _is_long(name, value)
    }


def _is_long(name: str, value: Any) -> bool:
    if not isinstance(value, str) or is_address(value) or not value.strip():
        return False
    return name in READ or len(value) > LONG or "\n" in value.strip()


def notes(answer: Json) -> list[str]:
    """What is to be known of how it was found: whole sentences."""
    told = answer.get("notes")
    return told if isinstance(told, list) and all(isinstance(each, str) for each in told) else []


def particulars(answer: Json) -> dict[str, list[tuple[str, str]]]:
    """All else, as facts: under "" what stands by itself, under its name what is of an object.
    Nothing that only repeats addresses.
    """
    addresses = {
        str(each.raw.get(name))
        for members in lists(answer).values()
        for each in members
        for name in ADDRESSES
    }
    rest = {
        name: value
        for name, value in answer.items()
        if name not in APART and not _is_records(value) and not _is_long(name, value)
    }
    rest = {
        name: value
        for name, value in rest.items()
        if not _counts(name, value, answer) and not (name == "notes" and notes(answer))
    }
    alone = {
        name: value
        for name, value in rest.items()
        if not isinstance(value, Mapping) and not _repeats(value, addresses)
    }
    parts = {"": list(facts(alone))}
    parts |= {
        words(name): list(facts(value))
        for name, value in rest.items()
        if isinstance(value, Mapping)
    }
    return {name: told for name, told in parts.items() if told}


def _counts(name: str, value: Any, answer: Json) -> bool:
    """Whether it says how long a list is, which its heading says: "cited by count 3" would be taken
    for how often a paper is cited.
    """
    listed = answer.get(name.removesuffix("Count"))
    return (
        name.endswith("Count")
        and isinstance(listed, list)
        and bool(listed)
        and len(listed) == value
    )


def _repeats(value: Any, addresses: Set[str]) -> bool:
    return isinstance(value, list) and set(map(str, value)) <= addresses


def concealment(raw: Json) -> tuple[Concealment, int]:
    """What an answer, or a record of one, tells of what its page hides; and how often that speaks
    to machines.
    """
    hides, speaks = _object(raw.get("hiddenTexts")), _object(raw.get("speaksToMachines"))
    counts = tuple(
        (str(way), _count(many))
        for way, many in _object(hides.get("counts")).items()
        if _count(many)
    )
    shown = _remarks(speaks.get("samples"))
    return Concealment(counts, _remarks(hides.get("samples")), shown), max(
        _count(speaks.get("total")), len(shown)
    )


def counted(raw: Json) -> Json:
    """A record with, in place of what its page hides and says to machines, how often."""
    return {
        name: _count(_object(value).get("total")) or None if name in REMARKS else value
        for name, value in raw.items()
    }


def _remarks(told: Any) -> tuple[Remark, ...]:
    rows = [_object(each) for each in told] if isinstance(told, list) else []
    return tuple(
        Remark(*(str(row.get(name, "")) for name in ("where", "words", "order"))) for row in rows
    )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def is_empty(answer: Json) -> bool:
    """Whether it says that nothing was found."""
    return answer.get("resultCount") == 0 or (
        "hints" in answer and not lists(answer) and not texts(answer)
    )


def failed(answer: Json) -> bool:
    """Whether it lists something that failed."""
    return any(FAILURES.search(name) for name in lists(answer))


def pages(answer: Json) -> list[Page]:
    """The pages that were found, each once by its address as sessions have it; those that failed
    are not found.
    """
    found: dict[str, Page] = {}
    own = [{"title": _title(answer), **answer}] if is_address(answer.get("url")) else []
    for raw in (
        *own,
        *(
            each.raw
            for name, members in lists(answer).items()
            if not FAILURES.search(name)
            for each in members
        ),
    ):
        told = record(raw)
        try:
            url = address(told.address)
        except UsageError:
            continue
        if is_address(url):
            found.setdefault(url, Page(url, told.title, told.text))
    return list(found.values())


def _title(answer: Json) -> str:
    """Of an answer that is itself a page."""
    about = answer.get("metadata")
    return str(about.get("title", "")) if isinstance(about, Mapping) else ""
