"""Format a comparison of two sessions as Markdown, plain text and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from research_core.export.tables import clean_cell, format_csv
from research_core.models import ReportSource
from research_core.sessions.compare import (
    Change,
    Comparison,
    ContradictionChange,
    ReportSentence,
    SourcePair,
    get_scores,
)
from research_core.text.words import escape_markdown, to_single_line

TextEscaper = Callable[[str], str]

SOURCE_CHANGES = {
    "decided": "decided otherwise",
    "gained": "gained",
    "lost": "lost",
    "scored": "scored otherwise",
    "same": "the same",
}


def format_markdown(found: Comparison, before: str, after: str) -> str:
    """Format the comparison as Markdown. before, after: names of the two sessions."""
    sections = (
        f"## {heading}\n\n{body}"
        for heading, body in _build_sections(found, escape_markdown, _format_table)
    )
    return (
        "\n\n".join([f"# {escape_markdown(before)} → {escape_markdown(after)}", *sections]) + "\n"
    )


def format_text(found: Comparison, before: str, after: str) -> str:
    """Format the comparison as plain text for a terminal.

    Nothing is escaped; invisible characters are removed.
    """
    sections = (
        f"{heading.upper()}\n\n{body}"
        for heading, body in _build_sections(found, to_single_line, _format_lines)
    )
    return "\n\n".join([f"{to_single_line(before)} → {to_single_line(after)}", *sections]) + "\n"


def _build_sections(
    found: Comparison, drawn: TextEscaper, listed: Callable[[tuple[Change, ...]], str]
) -> Iterator[tuple[str, str]]:
    """Yield heading and body of each section.

    drawn: escapes text that others wrote; listed: formats a list of changes.
    """
    yield "Settings", listed(found.settings) if found.settings else "The same."
    yield "Outcome", listed(found.outcome)
    sources = [
        f"- {SOURCE_CHANGES[pair.change]}: {_format_source(pair, drawn)}"
        for pair in found.sources
        if pair.change != "same"
    ]
    yield "Sources", "\n".join(sources) or "The same, with the same scores."
    sentences = [
        f"- {pair.change}: {_format_sentence(pair.before, drawn)}{_format_later_sentence(pair.before, pair.after, drawn)}"
        for pair in found.sentences
    ]
    yield "Sentences", "\n".join(sentences) or "Neither has a report."
    disputed = [
        f"- {one.change}: {drawn(one.found.about)}: {drawn(_format_claims(one))}"
        for one in found.disputed
    ]
    yield "Contradictions between sources", "\n".join(disputed) or "None was found in either."


def _format_table(changes: tuple[Change, ...]) -> str:
    rows = [
        f"| {escape_markdown(change.name)} | {escape_markdown(change.before)} | {escape_markdown(change.after)} |"
        for change in changes
    ]
    return "\n".join(["| | before | after |", "|---|---|---|", *rows])


def _format_lines(changes: tuple[Change, ...]) -> str:
    told = [
        (
            to_single_line(change.name),
            to_single_line(change.before) or "–",
            to_single_line(change.after) or "–",
        )
        for change in changes
    ]
    return "\n".join(
        f"- {name}: {before}" if before == after else f"- {name}: {before} → {after}"
        for name, before, after in told
    )


def _format_source(pair: SourcePair, drawn: TextEscaper) -> str:
    return (
        f"{drawn(pair.title)} ({drawn(pair.url)}): {_format_standing(pair.before)} →"
        f" {_format_standing(pair.after)}"
    )


def _format_standing(source: ReportSource | None) -> str:
    if source is None:
        return "not found"
    credibility, relevance = get_scores(source)
    parts = (
        f"credibility {credibility:.2f}" if credibility is not None else "",
        f"relevance {relevance}/5" if relevance else "",
    )
    return ", ".join([source.status.replace("_", " "), *filter(None, parts)])


def _format_sentence(said: ReportSentence | None, drawn: TextEscaper) -> str:
    if said is None:
        return ""
    cites = " ".join(drawn(f"[{number}]") for number, _, _ in said.cites)
    return f"{drawn(said.text)} {cites} ({said.state})".replace("  ", " ")


def _format_later_sentence(
    before: ReportSentence | None, after: ReportSentence | None, drawn: TextEscaper
) -> str:
    if before is None or after is None or before == after:
        return _format_sentence(after, drawn) if before is None else ""
    return f" → {_format_sentence(after, drawn)}"


def format_comparison_csv(found: Comparison) -> str:
    """Format one row per setting, figure, source, sentence and contradiction of either session."""
    return format_csv(("what", "change", "name", "before", "after", "address"), _build_rows(found))


def _build_rows(found: Comparison) -> Iterator[tuple[str, ...]]:
    for what, changes in (("setting", found.settings), ("outcome", found.outcome)):
        for change in changes:
            kind = "changed" if change.before != change.after else "same"
            yield (
                what,
                kind,
                clean_cell(change.name),
                clean_cell(change.before),
                clean_cell(change.after),
                "",
            )
    for pair in found.sources:
        yield (
            "source",
            pair.change,
            clean_cell(pair.title),
            clean_cell(_format_standing(pair.before)),
            clean_cell(_format_standing(pair.after)),
            clean_cell(pair.url),
        )
    for said in found.sentences:
        yield (
            "sentence",
            said.change,
            "",
            *(clean_cell(_format_plain_sentence(one)) for one in (said.before, said.after)),
            "",
        )
    for one in found.disputed:
        told = clean_cell(_format_claims(one))
        before, after = (
            ("", told)
            if one.change == "gained"
            else (told, "")
            if one.change == "lost"
            else (told, told)
        )
        yield "contradiction", one.change, clean_cell(one.found.about), before, after, ""


def _format_plain_sentence(said: ReportSentence | None) -> str:
    return (
        f"{said.text} {' '.join(f'[{number}]' for number, _, _ in said.cites)} ({said.state})"
        if said
        else ""
    )


def _format_claims(one: ContradictionChange) -> str:
    """Format the values with the numbers of their sources, and what may explain them."""
    told = "; ".join(f"{claim.value} [{claim.source}]" for claim in one.found.claims)
    return f"{told} ({one.found.kind}{': ' if one.found.why else ''}{one.found.why})"
