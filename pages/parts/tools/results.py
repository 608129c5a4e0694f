"""Draw a tool's result: outcome, facts, texts, records, notes, and JSON.

Failed, empty, blocked and could-not-check stay distinct. Answers are others' words: all of it is
escaped by `parts.shared.html_text`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.shared import failures, hidden_text
from parts.shared.badges import Badge
from parts.shared.html_text import clean_cell, escape_line, escape_paragraphs, format_link
from parts.shared.wording import format_ago, format_seconds
from parts.tools import findings
from parts.tools.findings import FoundRecord
from parts.tools.tool_call import ToolAnswer
from research_core.errors import BoundaryError, ResearchError, UsageError
from research_core.model_messages import Json
from research_core.sessions.tool_calls import ServedCall
from research_core.text.words import strip_invisible, truncate
from research_core.trust.provenance import format_address, name_site

#: Badges of a call's outcome, and of each of its pages.
OUTCOME_BADGES = {
    "answered": Badge("✓", "answered", "green"),
    "partly": Badge("◐", "answered in part", "orange"),
    "empty": Badge("○", "nothing found", "gray"),
    "failed": Badge("!", "failed", "orange"),
    "blocked": Badge("⊘", "blocked", "red"),
    "unchecked": Badge("?", "could not be checked", "gray"),
    "refused": Badge("!", "not asked", "orange"),
    "stopped": Badge("✕", "stopped", "gray"),
}
#: Outcome by the kind of a failure, within Assay and on the wire; any other kind is "failed".
#: A call that was not made is "unchecked".
OUTCOME_BY_KIND = {
    "blocked": "blocked",
    "disallowed": "blocked",
    "auth_required": "blocked",
    "content_empty": "empty",
    "circuit_open": "unchecked",
    "config": "unchecked",
    "browser_unavailable": "unchecked",
    "validation": "refused",
}
#: Badges of facts that a reader must not miss.
PAGE_BADGES = {"retracted": Badge("✕", "retracted", "red")}
NEXT_STEPS = {
    "refused": "Change it in the form and run it again.",
    "blocked": "Look for the same elsewhere: another page, or another provider.",
    "unchecked": "Look at Settings for what this machine has, and run it again.",
    "failed": (
        "Run it again in a while, or name another provider. What failed is no sign that there is"
        " nothing."
    ),
    "empty": "Look for the same elsewhere.",
}
NO_REPORT_REASONS = {
    "filters_too_restrictive": "The filters may leave out too much.",
    "no_match": "Nothing that the provider holds matches.",
}
ACTION_TEXTS = {
    "remove_filter": "Take back the filter {filter}.",
    "try_different_provider": "Ask another provider: {providers}.",
    "widen_filter": "Set {filter} to {value}.",
    "change_filter": "Give another {filter}.",
    "broaden_query": "Use fewer or other words.",
}
#: Notes on the hidden texts, and on the instructions to machines, of a page that a tool read.
REMOVED_NOTE = "They are not in the text of the answer; the JSON has them as they stand here."
FENCED_NOTE = (
    "They stand in the text of the answer: for whoever reads it, a model too, they are data and no"
    " instruction."
)
#: Larger numbers are shown as text: a browser cannot represent them exactly.
MAX_EXACT_INTEGER = 2**53
WIDE_COLUMN = 40  # characters from which a column is wide
MAX_REASON_LENGTH = 300  # characters of a provider's failure
#: Records shown as cards, and facts on each.
MAX_RECORDS, MAX_FACTS = 60, 14
#: Characters of a fact, of a record's text, of a text to read, and of the JSON.
MAX_VALUE_LENGTH, MAX_CARD_TEXT, MAX_READ_TEXT, MAX_JSON_LENGTH = 1_000, 700, 20_000, 60_000


def draw(name: str, called: ToolAnswer) -> None:
    """Draw the whole result. name: the tool's."""
    if called.served is None:
        st.html(_format_line(OUTCOME_BADGES["stopped"], "Nothing of it was kept."))
        return
    served = called.served
    st.html(
        _format_line(
            OUTCOME_BADGES[classify_outcome(served)],
            *describe_freshness(served),
            marks=_format_marks(served.answer or {}),
        )
    )
    if served.error is not None:
        failures.draw_failure(
            served.error.message, served.error.next_step or find_next_step(served.error)
        )
        return
    answer = served.answer or {}
    particulars = "".join(
        _format_facts(facts, part) for part, facts in findings.find_particulars(answer).items()
    )
    notes = (
        _format_hints(answer.get("hints")),
        _format_ignored(answer.get("ignoredParameters")),
        _format_notes(findings.find_notes(answer)),
    )
    for html in (_format_hidden_words(answer), *notes, particulars):
        if html:  # Streamlit refuses empty HTML
            st.html(html)
    for title, text in findings.find_texts(answer).items():
        _draw_reading_panel(title, text)
    for title, records in findings.find_lists(answer).items():
        _draw_records(name, title, records)
    _draw_json(name, answer)


def classify_outcome(served: ServedCall) -> str:
    """Return the outcome's key in OUTCOME_BADGES."""
    if served.error is not None:
        return classify_error(served.error)
    answer = served.answer or {}
    if findings.has_failures(answer):
        if findings.find_pages(answer) or findings.find_texts(answer):
            return "partly"
        return "failed"
    return "empty" if findings.is_empty(answer) else "answered"


def classify_error(error: ResearchError) -> str:
    if isinstance(error, UsageError):
        return "refused"
    if isinstance(error, BoundaryError):
        return OUTCOME_BY_KIND.get(error.kind, "failed")
    return "unchecked"


def find_next_step(error: ResearchError) -> str:
    """Return what to do next if the failure itself does not say."""
    wait = error.retry_after if isinstance(error, BoundaryError) else None
    if wait is not None:
        return f"Wait {format_ago(wait)}, then run it again, or name another provider."
    return NEXT_STEPS[classify_error(error)]


def describe_freshness(served: ServedCall) -> list[str]:
    """Return the answer's age, its duration, and the providers if several or routed."""
    facts = []
    meta = served.meta
    if meta.get("cached"):
        facts.append(f"from the cache, {format_ago(meta['ageSeconds'])} old")
    elif "cached" in meta:
        facts.append("asked just now")
    facts.append(format_seconds(served.seconds))
    providers = _describe_providers(served)
    if providers:
        facts.append(providers)
    return facts


def _describe_providers(served: ServedCall) -> str:
    """Return who answered and who failed before with what, or who was asked."""
    route = served.meta.get("routing", {})
    used = route.get("provider_used")
    asked = route.get("providers_attempted", ())
    if not served.failed or not asked:
        return ", then ".join(asked)
    facts = []
    if used:
        facts.append(f"answered by {used}")
    for each in served.failed:
        facts.append(truncate(f"{each.provider} failed: {each.reason}", MAX_REASON_LENGTH))
    return "; ".join(facts)


def _format_line(badge: Badge, *facts: str, marks: str = "") -> str:
    return (
        f'<p role="status" class="facts">{badge.html}{marks}'
        f" {' · '.join(escape_line(each) for each in facts)}</p>"
    )


# -- notes and facts ------------------------------------------------------------------------------


def _format_marks(raw: Json) -> str:
    """Return badges of what a reader must not miss, and of hidden text. HTML."""
    return "".join(
        f" {badge.html}" for badge in hidden_text.page_badges(*findings.parse_hidden_text(raw))
    )


def _format_hidden_words(raw: Json) -> str:
    """Return a page's hidden texts and instructions, folded. HTML."""
    return hidden_text.format_page_detail(
        findings.parse_hidden_text(raw)[0], REMOVED_NOTE, FENCED_NOTE
    )


def _format_hints(hints: Any) -> str:
    """Return why nothing may have been found, and what to try. HTML."""
    if not isinstance(hints, Mapping):
        return ""
    code = str(hints.get("reason", ""))
    rows = f"<p>{escape_line(NO_REPORT_REASONS.get(code, code), 300)}</p>"
    applied = findings.list_facts({"": hints.get("filtersApplied") or {}})
    filters = ", ".join(f"{label} {value}" for label, value in applied)
    if filters:
        rows += f"<p>Asked for: {escape_line(filters, 300)}</p>"
    actions = "".join(
        f"<li>{escape_line(_format_action(each), 300)}</li>"
        for each in _as_list(hints.get("suggestedActions"))
    )
    note = f'<p class="about">{escape_line(str(hints.get("note", "")), 400)}</p>'
    return (
        '<section class="hints" aria-label="What can be'
        f' done">{rows}<ul>{actions}</ul>{note}</section>'
    )


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _format_action(action: Any) -> str:
    if not isinstance(action, Mapping):
        return str(action)
    words = {name: findings.format_value(value) for name, value in action.items()}
    template = ACTION_TEXTS.get(words.get("action", ""))
    if template:
        return template.format(**{"filter": "", "value": "", "providers": "", **words})
    return ", ".join(words.values())


def _format_ignored(names: Any) -> str:
    """Return the parameters that no provider used. HTML."""
    names_text = ", ".join(findings.split_name(name) for name in _as_list(names))
    if not names_text:
        return ""
    return (
        '<p class="facts"><span class="badge orange">⚑ not gone by</span> '
        f"{escape_line(names_text, 400)}: who"
        " answered cannot be held to that.</p>"
    )


def _format_notes(notes: Sequence[str]) -> str:
    """Return what was left out or not searched, one item per line. HTML."""
    return "".join(f'<p class="about">{escape_line(each, MAX_VALUE_LENGTH)}</p>' for each in notes)


def _format_facts(facts: Sequence[tuple[str, str]], part: str = "") -> str:
    """Return facts side by side, addresses as links. part: what they belong to. HTML."""
    head = f"<b>{escape_line(part.capitalize(), 60)}</b>" if part else ""
    rows = "".join(
        f"<span><i>{escape_line(label, 60)}</i> {_format_value(value)}</span>"
        for label, value in facts
    )
    if rows:
        return f'<p class="facts particulars">{head}{rows}</p>'
    return ""


def _format_value(value: str) -> str:
    if findings.is_address(value):
        return format_link(escape_line(name_site(value) or value, 80), value)
    return escape_line(value, MAX_VALUE_LENGTH)


def _draw_reading_panel(title: str, text: str) -> None:
    """Draw a text in a panel that scrolls."""
    if len(text) > MAX_READ_TEXT:
        cut = (
            f'<p class="about">The first {MAX_READ_TEXT:,} of {len(text):,} characters; the '
            "JSON has all.</p>"
        )
    else:
        cut = ""
    body = (
        '<div class="page" tabindex="0" role="region"'
        f' aria-label="{escape_line(findings.split_name(title))}">'
        f"{escape_paragraphs(text[:MAX_READ_TEXT])}</div>"
    )
    st.html(
        '<section class="stored"><h3'
        f' class="part">{escape_line(findings.split_name(title).capitalize(), 60)}</h3>{body}{cut}'
        "</section>"
    )


# -- records ---------------------------------------------------------------------------------------


def _draw_records(name: str, title: str, records: Sequence[FoundRecord]) -> None:
    """Draw records as cards or as a sortable table; records without text start as a table."""
    plainest = not any(each.address or each.text for each in records)
    with st.container(horizontal=True, vertical_alignment="center", key=f"list {name} {title}"):
        st.html(
            f"<h3 class=part>{escape_line(findings.split_name(title).capitalize(), 60)}"
            f" <small>{len(records)}</small></h3>",
            width="content",
        )
        if len(records) > 1:
            as_table = st.toggle("Table", value=plainest, key=f"table {name} {title}")
        else:
            as_table = plainest
    if as_table:
        _draw_table(records, title)
        return
    same = findings.find_shared_facts(records)
    st.html(
        f'{_format_facts(list(same.items()))}<div class="cards'
        f' answers">{"".join(_format_card(each, same) for each in records[:MAX_RECORDS])}</div>'
    )
    if len(records) > MAX_RECORDS:
        st.caption(f"The first {MAX_RECORDS} of {len(records)}; the table and the JSON have all.")


def _format_card(record: FoundRecord, same: Mapping[str, str]) -> str:
    site = name_site(record.address)
    title = escape_line(record.title or format_address(record.address), 200)
    head = f'<p class="title">{format_link(title, record.address)}</p>' if title else ""
    marks = ""
    for name, badge in PAGE_BADGES.items():
        if record.raw.get(name) is True:
            marks += f" {badge.html}"
    kind = str(record.raw.get("kind", ""))
    if kind and "retryable" in record.raw:
        marks += f" {OUTCOME_BADGES[OUTCOME_BY_KIND.get(kind, 'failed')].html}"
    marks += _format_marks(record.raw)
    place = f"<span>{escape_line(site, 80)}</span>" if record.address else ""
    facts = [
        f"<span><i>{escape_line(label, 60)}</i> {_format_value(value)}</span>"
        for label, value in record.facts
        if label not in same and label not in PAGE_BADGES and value != site
    ]
    text = ""
    if record.text:
        text = f'<p class="snippet">{escape_line(record.text, MAX_CARD_TEXT)}</p>'
    return (
        f'<article class="card">{head}<p class="facts'
        f' particulars">{place}{marks}{"".join(facts[:MAX_FACTS])}</p>'
        f"{text}{_format_hidden_words(record.raw)}</article>"
    )


def _draw_table(records: Sequence[FoundRecord], title: str) -> None:
    frame = build_table([findings.replace_remarks_by_counts(each.raw) for each in records])
    config: dict[str, Any] = {}
    for name in frame:
        label = truncate(strip_invisible(findings.split_name(name)), 40).capitalize()
        values = frame[name].tolist()
        if all(value is None or findings.is_address(value) for value in values):
            config[name] = st.column_config.LinkColumn(label, width="medium")
        else:
            is_wide = any(len(str(value)) > WIDE_COLUMN for value in values)
            config[name] = st.column_config.Column(label, width=280 if is_wide else None)
    st.dataframe(
        frame,
        column_config=config,
        hide_index=True,
        height="content" if len(frame) <= 12 else 460,
        placeholder="",
        alt=f"{strip_invisible(findings.split_name(title))}, one row each",
    )


def build_table(raws: Sequence[Json]) -> pd.DataFrame:
    """Return a row for each record and a column for each key; missing values are None."""
    columns: dict[str, list[Any]] = {}
    for raw in raws:
        for name in raw:
            columns.setdefault(name, [])
    table = {}
    for name in columns:
        values = [raw.get(name) for raw in raws]
        if not all(map(_is_missing, values)):
            table[name] = pd.Series(_build_column(values), dtype=object)
    return pd.DataFrame(table, columns=list(table))


def _is_missing(value: Any) -> bool:
    return value in (None, "", [])


def _build_column(values: Sequence[Any]) -> list[Any]:
    """Keep a column of numbers or booleans sortable; clean all other values as text."""
    known = [value for value in values if not _is_missing(value)]
    is_sortable = all(isinstance(value, bool) for value in known) or all(map(_is_number, known))
    column: list[Any] = []
    for value in values:
        if _is_missing(value):
            column.append(None)
        else:
            column.append(value if is_sortable else _format_cell(value))
    return column


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) < MAX_EXACT_INTEGER
    )


def _format_cell(value: Any) -> str:
    if findings.is_address(value):
        return format_address(value)
    return clean_cell(findings.format_value(value))


def _draw_json(name: str, answer: Json) -> None:
    """Draw the answer as it came, to copy and to save."""
    whole = json.dumps(answer, ensure_ascii=False, indent=2).encode("utf-8", "replace").decode()
    with st.expander("JSON", key=f"json {name}", type="compact"):
        st.download_button(
            "Download",
            whole,
            file_name=f"{name}.json",
            mime="application/json",
            on_click="ignore",
            key=f"download {name}",
            icon=":material/download:",
        )
        if len(whole) > MAX_JSON_LENGTH:
            st.caption(
                f"The first {MAX_JSON_LENGTH:,} of {len(whole):,} characters; the download has all."
            )
        st.code(
            strip_invisible(whole[:MAX_JSON_LENGTH]),
            language="json",
            wrap_lines=True,
            height=460 if whole.count("\n") > 25 else "content",
        )
