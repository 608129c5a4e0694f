"""A comparison of two sessions as Markdown, for notes, and as CSV, for spreadsheets. What others wrote is escaped in both."""

from __future__ import annotations

from collections.abc import Iterator

from research_core.compare import Change, Comparison, Disputed, Said, SourcePair, scores
from research_core.export.tables import cell, table
from research_core.models import ReportSource
from research_core.text import escape

SOURCE = {"decided": "decided otherwise", "gained": "gained", "lost": "lost", "scored": "scored otherwise", "same": "the same"}


def markdown(found: Comparison, before: str, after: str) -> str:
    """before, after: what the two sessions are called."""
    return "\n\n".join([f"# {escape(before)} → {escape(after)}", *_sections(found)]) + "\n"


def _sections(found: Comparison) -> Iterator[str]:
    yield f"## Settings\n\n{_changes(found.settings) if found.settings else 'The same.'}"
    yield f"## Outcome\n\n{_changes(found.outcome)}"
    sources = [f"- {SOURCE[pair.change]}: {_source(pair)}" for pair in found.sources if pair.change != "same"]
    yield "## Sources\n\n" + ("\n".join(sources) or "The same, with the same scores.")
    sentences = [f"- {pair.change}: {_said(pair.before)}{_then(pair.before, pair.after)}" for pair in found.sentences]
    yield "## Sentences\n\n" + ("\n".join(sentences) or "Neither has a report.")
    disputed = [f"- {one.change}: {escape(one.found.about)}: {escape(_claims(one))}" for one in found.disputed]
    yield "## Contradictions between sources\n\n" + ("\n".join(disputed) or "None was found in either.")


def _changes(changes: tuple[Change, ...]) -> str:
    rows = [f"| {escape(change.name)} | {escape(change.before)} | {escape(change.after)} |" for change in changes]
    return "\n".join(["| | before | after |", "|---|---|---|", *rows])


def _source(pair: SourcePair) -> str:
    return f"{escape(pair.title)} ({escape(pair.url)}): {_standing(pair.before)} → {_standing(pair.after)}"


def _standing(source: ReportSource | None) -> str:
    if source is None:
        return "not found"
    credibility, relevance = scores(source)
    parts = (f"credibility {credibility:.2f}" if credibility is not None else "", f"relevance {relevance}/5" if relevance else "")
    return ", ".join([source.status.replace("_", " "), *filter(None, parts)])


def _said(said: Said | None) -> str:
    if said is None:
        return ""
    cites = " ".join(f"\\[{number}\\]" for number, _, _ in said.cites)
    return f"{escape(said.text)} {cites} ({said.state})".replace("  ", " ")


def _then(before: Said | None, after: Said | None) -> str:
    if before is None or after is None or before == after:
        return _said(after) if before is None else ""
    return f" → {_said(after)}"


def rows(found: Comparison) -> str:
    """One row for each setting, figure, source, sentence and contradiction of either session."""
    return table(("what", "change", "name", "before", "after", "address"), _rows(found))


def _rows(found: Comparison) -> Iterator[tuple[str, ...]]:
    for what, changes in (("setting", found.settings), ("outcome", found.outcome)):
        for change in changes:
            kind = "changed" if change.before != change.after else "same"
            yield what, kind, cell(change.name), cell(change.before), cell(change.after), ""
    for pair in found.sources:
        yield "source", pair.change, cell(pair.title), cell(_standing(pair.before)), cell(_standing(pair.after)), cell(pair.url)
    for said in found.sentences:
        yield "sentence", said.change, "", *(cell(_said_plainly(one)) for one in (said.before, said.after)), ""
    for one in found.disputed:
        told = cell(_claims(one))
        before, after = ("", told) if one.change == "gained" else (told, "") if one.change == "lost" else (told, told)
        yield "contradiction", one.change, cell(one.found.about), before, after, ""


def _said_plainly(said: Said | None) -> str:
    return f"{said.text} {' '.join(f'[{number}]' for number, _, _ in said.cites)} ({said.state})" if said else ""


def _claims(one: Disputed) -> str:
    """The values, each with the number of its source, and what may explain them."""
    told = "; ".join(f"{claim.value} [{claim.source}]" for claim in one.found.claims)
    return f"{told} ({one.found.kind}{': ' if one.found.why else ''}{one.found.why})"
