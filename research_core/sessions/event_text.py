"""What an event of the log says: one table from kind to sentences, for the screens and the terminal
alike. Pure.

Which events are told, where and in which order, is each reading's own choice. Nothing here is
cleaned for a screen or a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from research_core.text.words import truncate

#: From an event's data and the name of its source, "" where it has none, to what it says.
Telling = Callable[[Mapping[str, Any], str], Iterator[str]]


def said(kind: str, data: Mapping[str, Any], name: str) -> Iterator[str]:
    """What is new with an event: a sentence, several, or nothing."""
    return _NEWS.get(kind, _nothing)(data, name)


def in_full(kind: str, data: Mapping[str, Any], name: str) -> str:
    """An event in words, also where it is no news; a kind that this version does not know, by its
    name.
    """
    return " · ".join(said(kind, data, name)) or next(_REST.get(kind, _nothing)(data, name), kind)


def named(url: str, title: str, site: str) -> str:
    """A source as a reader knows it: its title and where it is from; without a title, its address."""
    return f"“{truncate(title, 80)}” ({site})" if title else url


def _nothing(_data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield from ()


def _line(sentence: str) -> Telling:
    """One sentence, with fields of the event in it."""
    return lambda data, name: iter([sentence.format_map({**data, "name": name})])


def _by(field: str, sentences: Mapping[str, str]) -> Telling:
    """The sentence for what this field says; nothing for what has none."""
    lines = {value: _line(sentence) for value, sentence in sentences.items()}
    return lambda data, name: lines.get(data[field], _nothing)(data, name)


def _planned(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    if data.get("note"):
        yield str(data["note"])
    for query in data["queries"]:
        yield (
            f"{_PURPOSES.get(query['purpose'], query['purpose'])}: “{truncate(query['text'], 120)}”"
        )


_PURPOSES = {
    "question": "Searches for the question itself",
    "planned": "Planned to search for",
    "refined": "Reworded the search",
    "gap": "Searches for what is missing",
    "instruction": "Searches as you asked",
    "tool": "The model searches for",
}


def _searched(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    count = data["results"]
    results = f"{count or 'no'} result{'' if count == 1 else 's'}"
    if data["engine"] == "session":
        results = f"{count or 'none'} of the pages read before"
    yield f"{data['engine']}: {results} for “{truncate(data['query'], 80)}”"


def _search_failed(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield f"{data['engine']} {data['state'].replace('_', ' ')}: {data['reason']}"


def _not_read(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if failure := data.get("failure"):
        yield f"Could not read {name}: {failure}"


def _called(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield (
        f"{data['tool']} failed: {data['error']}"
        if data.get("error")
        else f"{data['tool']} was called"
    )


def _judged(data: Mapping[str, Any], name: str) -> Iterator[str]:
    score = f"{data['score']} of 5" if data["scored"] else "Not scored, and kept"
    yield f"{score}: {name}. {data['explanation']}"


def _gated(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield f"The gate: {data['decision'].replace('_', ' ')}. {data['rationale']}"


def _written(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    removed = f"; unknown citations removed: {data['removed']}" if data["removed"] else ""
    yield f"The text is written: {len(data['text'].split()):,} words{removed}"


def _verified(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    states = [
        sentence["state"]
        for block in data["blocks"]
        for sentence in block["sentences"]
        if sentence["citations"]
    ]
    yield (
        f"Checked {len(states)} cited sentences: {states.count('supported')} stand in the passages"
        " they cite"
    )


_ASKED = {
    "stop": "You asked to stop and write",
    "approve": "You approved {name}",
    "strike": "You struck {name}",
    "restore": "You took back your decision on {name}",
    "instruct": "You asked: {text}",
    "allow": "You allowed the call {place}",
    "refuse": "You refused the call {place}",
}
_DECIDED = {
    "stop": "Stopped gathering: {why}",
    "approve": "Approved {name}",
    "strike": "Struck {name}",
    "restore": "As before your decision: {name}",
    "instruct": "Took up your instruction: {text}",
    "ask": "Waits for your word: may it call {tool} ({place})?",
    "allow": "The call {place} is made, as you allowed",
    "refuse": "The call {place} is not made, as you refused",
    "unread": "Took too long to be read: {name}",
}

_NEWS: dict[str, Telling] = {
    "command": _by("do", _ASKED),
    "decide": _by("do", _DECIDED),
    "planned": _planned,
    "searched": _searched,
    "search_failed": _search_failed,
    "fetch": _line("Reads {name}"),
    "blocked": _line("Not read, too little credibility ({score:.2f}): {name}"),
    "fetched": _not_read,
    "fact": _line("Noted: {text}"),
    "step": _line("Step {number}: {text}"),
    "called": _called,
    "judged": _judged,
    "gated": _gated,
    "written": _written,
    "verified": _verified,
    "report": _line("The report is stored"),
    "failed": _line("Failed: {error}"),
    "finished": _by("outcome", {"done": "Finished", "cancelled": "Cancelled"}),
}


def _found(data: Mapping[str, Any], name: str) -> Iterator[str]:
    parts = data["parts"]
    score = f"credibility {parts['score']:.2f}" if parts else "credibility not scored"
    yield f"Found by {data['engine']}: {name}, {score}"


#: What there is to say of an event that is no news, for a reading that leaves none out.
_REST: dict[str, Telling] = {
    "created": _line("Asked: {question}"),
    "decide": _line(
        "What the run used was counted: {model_calls} model calls, {other_calls} searches and pages"
    ),
    "voided": _line(
        "A call that had failed may be made again; what was made of it is derived anew"
    ),
    "planned": _line("Planned ({part}): no query"),
    "found": _found,
    "admitted": _line("To be read: {name}"),
    "fetched": lambda data, name: iter([f"Read {name}: {data.get('characters', 0):,} characters"]),
    "passages": lambda data, name: iter(
        [f"{len(data['passages'])} passages bear on the question: {name}"]
    ),
    "delta": lambda data, _name: iter([f"The writer wrote {len(data.get('text', ''))} characters"]),
}
