"""Format a comparison of two sessions as Markdown, plain text and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from research_core.export.cells import clean_cell
from research_core.export.tables import format_csv
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
    sources: list[str] = []
    for pair in found.sources:
        if pair.change != "same":
            sources.append(f"- {SOURCE_CHANGES[pair.change]}: {_format_source(pair, drawn)}")
    yield "Sources", "\n".join(sources) or "The same, with the same scores."
    sentences: list[str] = []
    for change in found.sentences:
        before = _format_sentence(change.before, drawn)
        after = _format_later_sentence(change.before, change.after, drawn)
        sentences.append(f"- {change.change}: {before}{after}")
    yield "Sentences", "\n".join(sentences) or "Neither has a report."
    disputed: list[str] = []
    for one in found.disputed:
        disputed.append(f"- {one.change}: {drawn(one.found.about)}: {drawn(_format_claims(one))}")
    yield "Contradictions between sources", "\n".join(disputed) or "None was found in either."


def _format_table(changes: tuple[Change, ...]) -> str:
    rows = [
        f"| {escape_markdown(change.name)} | {escape_markdown(change.before)} "
        f"| {escape_markdown(change.after)} |"
        for change in changes
    ]
    return "\n".join(["| | before | after |", "|---|---|---|", *rows])


def _format_lines(changes: tuple[Change, ...]) -> str:
    lines: list[str] = []
    for change in changes:
        before = to_single_line(change.before) or "–"
        after = to_single_line(change.after) or "–"
        values = before if before == after else f"{before} → {after}"
        lines.append(f"- {to_single_line(change.name)}: {values}")
    return "\n".join(lines)


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
    if before is None:
        return _format_sentence(after, drawn)
    if after is None or before == after:
        return ""
    return f" → {_format_sentence(after, drawn)}"


def format_comparison_csv(found: Comparison) -> str:
    """Format one row per setting, figure, source, sentence and contradiction of either session."""
    return format_csv(("what", "change", "name", "before", "after", "address"), _build_rows(found))


def _build_rows(found: Comparison) -> Iterator[tuple[str, ...]]:
    for what, changes in (("setting", found.settings), ("outcome", found.outcome)):
        for change in changes:
            kind = "changed" if change.before != change.after else "same"
            before, after = clean_cell(change.before), clean_cell(change.after)
            yield what, kind, clean_cell(change.name), before, after, ""
    for pair in found.sources:
        before = clean_cell(_format_standing(pair.before))
        after = clean_cell(_format_standing(pair.after))
        yield "source", pair.change, clean_cell(pair.title), before, after, clean_cell(pair.url)
    for sentence in found.sentences:
        before = clean_cell(_format_plain_sentence(sentence.before))
        after = clean_cell(_format_plain_sentence(sentence.after))
        yield "sentence", sentence.change, "", before, after, ""
    for one in found.disputed:
        claims = clean_cell(_format_claims(one))
        before = "" if one.change == "gained" else claims
        after = "" if one.change == "lost" else claims
        yield "contradiction", one.change, clean_cell(one.found.about), before, after, ""


def _format_plain_sentence(said: ReportSentence | None) -> str:
    if not said:
        return ""
    cites = " ".join(f"[{number}]" for number, _, _ in said.cites)
    return f"{said.text} {cites} ({said.state})"


def _format_claims(one: ContradictionChange) -> str:
    """Format the values with the numbers of their sources, and what may explain them."""
    values = "; ".join(f"{claim.value} [{claim.source}]" for claim in one.found.claims)
    why = f": {one.found.why}" if one.found.why else ""
    return f"{values} ({one.found.kind}{why})"
