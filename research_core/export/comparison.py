"""A comparison of two sessions as Markdown, for notes, as plain text, for a terminal, and as CSV,
for spreadsheets.

What others wrote is escaped in Markdown and CSV, and cleaned in plain text. It compares nothing
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from research_core.export.tables import cell, table
from research_core.models import ReportSource
from research_core.sessions.compare import Change, Comparison, Disputed, Said, SourcePair, scores
from research_core.text.words import escape, line

Drawn = Callable[[str], str]

SOURCE = {
    "decided": "decided otherwise",
    "gained": "gained",
    "lost": "lost",
    "scored": "scored otherwise",
    "same": "the same",
}


def markdown(found: Comparison, before: str, after: str) -> str:
    """before, after: what the two sessions are called."""
    sections = (f"## {heading}\n\n{body}" for heading, body in _sections(found, escape, _table))
    return "\n\n".join([f"# {escape(before)} → {escape(after)}", *sections]) + "\n"


def text(found: Comparison, before: str, after: str) -> str:
    """The same as plain text, for a terminal: nothing is escaped, and nothing unseen is in it."""
    sections = (f"{heading.upper()}\n\n{body}" for heading, body in _sections(found, line, _lines))
    return "\n\n".join([f"{line(before)} → {line(after)}", *sections]) + "\n"


def _sections(
    found: Comparison, drawn: Drawn, listed: Callable[[tuple[Change, ...]], str]
) -> Iterator[tuple[str, str]]:
    """Heading and body of each. drawn: what makes others' words harmless; listed: a list of what
    stood before and after.
    """
    yield "Settings", listed(found.settings) if found.settings else "The same."
    yield "Outcome", listed(found.outcome)
    sources = [
        f"- {SOURCE[pair.change]}: {_source(pair, drawn)}"
        for pair in found.sources
        if pair.change != "same"
    ]
    yield "Sources", "\n".join(sources) or "The same, with the same scores."
    sentences = [
        f"- {pair.change}: {_said(pair.before, drawn)}{_then(pair.before, pair.after, drawn)}"
        for pair in found.sentences
    ]
    yield "Sentences", "\n".join(sentences) or "Neither has a report."
    disputed = [
        f"- {one.change}: {drawn(one.found.about)}: {drawn(_claims(one))}" for one in found.disputed
    ]
    yield "Contradictions between sources", "\n".join(disputed) or "None was found in either."


def _table(changes: tuple[Change, ...]) -> str:
    rows = [
        f"| {escape(change.name)} | {escape(change.before)} | {escape(change.after)} |"
        for change in changes
    ]
    return "\n".join(["| | before | after |", "|---|---|---|", *rows])


def _lines(changes: tuple[Change, ...]) -> str:
    told = [
        (line(change.name), line(change.before) or "–", line(change.after) or "–")
        for change in changes
    ]
    return "\n".join(
        f"- {name}: {before}" if before == after else f"- {name}: {before} → {after}"
        for name, before, after in told
    )


def _source(pair: SourcePair, drawn: Drawn) -> str:
    return (
        f"{drawn(pair.title)} ({drawn(pair.url)}): {_standing(pair.before)} →"
        f" {_standing(pair.after)}"
    )


def _standing(source: ReportSource | None) -> str:
    if source is None:
        return "not found"
    credibility, relevance = scores(source)
    parts = (
        f"credibility {credibility:.2f}" if credibility is not None else "",
        f"relevance {relevance}/5" if relevance else "",
    )
    return ", ".join([source.status.replace("_", " "), *filter(None, parts)])


def _said(said: Said | None, drawn: Drawn) -> str:
    if said is None:
        return ""
    cites = " ".join(drawn(f"[{number}]") for number, _, _ in said.cites)
    return f"{drawn(said.text)} {cites} ({said.state})".replace("  ", " ")


def _then(before: Said | None, after: Said | None, drawn: Drawn) -> str:
    if before is None or after is None or before == after:
        return _said(after, drawn) if before is None else ""
    return f" → {_said(after, drawn)}"


def rows(found: Comparison) -> str:
    """One row for each setting, figure, source, sentence and contradiction of either session."""
    return table(("what", "change", "name", "before", "after", "address"), _rows(found))


def _rows(found: Comparison) -> Iterator[tuple[str, ...]]:
    for what, changes in (("setting", found.settings), ("outcome", found.outcome)):
        for change in changes:
            kind = "changed" if change.before != change.after else "same"
            yield what, kind, cell(change.name), cell(change.before), cell(change.after), ""
    for pair in found.sources:
        yield (
            "source",
            pair.change,
            cell(pair.title),
            cell(_standing(pair.before)),
            cell(_standing(pair.after)),
            cell(pair.url),
        )
    for said in found.sentences:
        yield (
            "sentence",
            said.change,
            "",
            *(cell(_said_plainly(one)) for one in (said.before, said.after)),
            "",
        )
    for one in found.disputed:
        told = cell(_claims(one))
        before, after = (
            ("", told)
            if one.change == "gained"
            else (told, "")
            if one.change == "lost"
            else (told, told)
        )
        yield "contradiction", one.change, cell(one.found.about), before, after, ""


def _said_plainly(said: Said | None) -> str:
    return (
        f"{said.text} {' '.join(f'[{number}]' for number, _, _ in said.cites)} ({said.state})"
        if said
        else ""
    )


def _claims(one: Disputed) -> str:
    """The values, each with the number of its source, and what may explain them."""
    told = "; ".join(f"{claim.value} [{claim.source}]" for claim in one.found.claims)
    return f"{told} ({one.found.kind}{': ' if one.found.why else ''}{one.found.why})"
