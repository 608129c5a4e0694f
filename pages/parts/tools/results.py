"""What came of a call, readable: its outcome, facts, texts and records, what is to be known of it,
and the JSON.

Failed, empty, blocked and could-not-check stay four things. All of an answer is others' words: each
goes through `parts.shared.html_text`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.shared import failures, hidden_text
from parts.shared.badges import Badge
from parts.shared.html_text import cell, link, markup, paragraphs
from parts.shared.wording import ago, tenths
from parts.tools import findings
from parts.tools.findings import Record
from parts.tools.tool_call import Called
from research_core.errors import BoundaryError, ResearchError, UsageError
from research_core.model_messages import Json
from research_core.sessions.tool_calls import Served
from research_core.text.words import truncate, visible
from research_core.trust.provenance import shown, site

#: What came of a call, and of each page of one.
OUTCOME = {
    "answered": Badge("✓", "answered", "green"),
    "partly": Badge("◐", "answered in part", "orange"),
    "empty": Badge("○", "nothing found", "gray"),
    "failed": Badge("!", "failed", "orange"),
    "blocked": Badge("⊘", "blocked", "red"),
    "unchecked": Badge("?", "could not be checked", "gray"),
    "refused": Badge("!", "not asked", "orange"),
    "stopped": Badge("✕", "stopped", "gray"),
}
#: Outcome by the kind of a failure, within Assay and on the wire; of any other kind it failed. What
#: was not asked was not checked.
BY_KIND = {
    "blocked": "blocked", "disallowed": "blocked", "auth_required": "blocked",
    "content_empty": "empty", "circuit_open": "unchecked",
    "config": "unchecked", "browser_unavailable": "unchecked", "validation": "refused",
}  # fmt: skip
#: Facts that a reader must not miss.
MARKS = {"retracted": Badge("✕", "retracted", "red")}
NEXT = {
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
ACTIONS = {
    "remove_filter": "Take back the filter {filter}.",
    "try_different_provider": "Ask another provider: {providers}.",
    "widen_filter": "Set {filter} to {value}.",
    "change_filter": "Give another {filter}.",
    "broaden_query": "Use fewer or other words.",
}
#: What is said of the words that a page hides, and of those that speak to machines, where a tool
#: read it.
TAKEN_OUT = "They are not in the text of the answer; the JSON has them as they stand here."
FENCED = (
    "They stand in the text of the answer: for whoever reads it, a model too, they are data and no"
    " instruction."
)
#: A number of more is shown by its digits: a table's are 64 bits long, and a browser counts no
#: further than this.
LARGEST = 2**53
COLUMN = 40  # characters from which a column gets a width of its own
REASON = 300  # characters of why a provider failed
SHOWN, FACTS, WORDS, TEXT, READ, CODE = 60, 14, 1_000, 700, 20_000, 60_000


def draw(name: str, called: Called) -> None:
    """The whole of it. name: the tool's."""
    if called.served is None:
        st.html(_line(OUTCOME["stopped"], "Nothing of it was kept."))
        return
    served = called.served
    st.html(_line(OUTCOME[outcome(served)], *freshness(served), marks=_marks(served.answer or {})))
    if served.error is not None:
        failures.say(served.error.message, served.error.next_step or next_step(served.error))
        return
    answer = served.answer or {}
    particulars = "".join(
        _facts(facts, part) for part, facts in findings.particulars(answer).items()
    )
    apart = (
        _hints(answer.get("hints")),
        _ignored(answer.get("ignoredParameters")),
        _notes(findings.notes(answer)),
    )
    told = _words_apart(answer), *apart, particulars
    for html in filter(None, told):
        st.html(html)
    for title, text in findings.texts(answer).items():
        _read(title, text)
    for title, records in findings.lists(answer).items():
        _records(name, title, records)
    _json(name, answer)


def outcome(served: Served) -> str:
    """The name of what came of it, as in OUTCOME."""
    if served.error is not None:
        return of_error(served.error)
    answer = served.answer or {}
    if findings.failed(answer):
        return "partly" if findings.pages(answer) or findings.texts(answer) else "failed"
    return "empty" if findings.is_empty(answer) else "answered"


def of_error(error: ResearchError) -> str:
    if isinstance(error, UsageError):
        return "refused"
    return BY_KIND.get(error.kind, "failed") if isinstance(error, BoundaryError) else "unchecked"


def next_step(error: ResearchError) -> str:
    """What can be done where the failure itself does not say."""
    wait = error.retry_after if isinstance(error, BoundaryError) else None
    if wait is not None:
        return f"Wait {ago(wait)}, then run it again, or name another provider."
    return NEXT[of_error(error)]


def freshness(served: Served) -> list[str]:
    """How old it is, how long it took, and who was asked where that was more than one, or routed."""
    meta = served.meta
    told = (
        [f"from the cache, {ago(meta['ageSeconds'])} old"]
        if meta.get("cached")
        else ["asked just now"]
        if "cached" in meta
        else []
    )
    return [*told, tenths(served.seconds), *filter(None, [_who(served)])]


def _who(served: Served) -> str:
    """Who answered, and who failed with what before; where nobody failed, who was asked."""
    route = served.meta.get("routing", {})
    used, asked = route.get("provider_used"), route.get("providers_attempted", ())
    if not served.failed or not asked:
        return ", then ".join(asked)
    failed = (truncate(f"{each.provider} failed: {each.reason}", REASON) for each in served.failed)
    return "; ".join([*([f"answered by {used}"] if used else []), *failed])


def _line(badge: Badge, *told: str, marks: str = "") -> str:
    return (
        f'<p role="status" class="facts">{badge.html}{marks}'
        f" {' · '.join(markup(each) for each in told)}</p>"
    )


# ---------------------------------------------------------------- what is to be known of it


def _marks(raw: Json) -> str:
    """What a reader must not miss of a page, and what it hides, as badges. HTML."""
    return "".join(f" {badge.html}" for badge in hidden_text.marks(*findings.concealment(raw)))


def _words_apart(raw: Json) -> str:
    """The words that a page hides and those it says to machines, folded away. HTML."""
    return hidden_text.told(findings.concealment(raw)[0], TAKEN_OUT, FENCED)


def _hints(hints: Any) -> str:
    """Why nothing may have been found, and what can be done; nothing of it shows that there is
    nothing. HTML.
    """
    if not isinstance(hints, Mapping):
        return ""
    reason = NO_REPORT_REASONS.get(str(hints.get("reason", "")), str(hints.get("reason", "")))
    filters = ", ".join(
        f"{label} {value}"
        for label, value in findings.facts({"": hints.get("filtersApplied") or {}})
    )
    actions = "".join(
        f"<li>{markup(_action(each), 300)}</li>" for each in _listed(hints.get("suggestedActions"))
    )
    rows = [
        f"<p>{markup(reason, 300)}</p>",
        f"<p>Asked for: {markup(filters, 300)}</p>" if filters else "",
    ]
    note = f'<p class="about">{markup(str(hints.get("note", "")), 400)}</p>'
    return (
        '<section class="hints" aria-label="What can be'
        f' done">{"".join(rows)}<ul>{actions}</ul>{note}</section>'
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _action(told: Any) -> str:
    if not isinstance(told, Mapping):
        return str(told)
    words = {name: findings.said(value) for name, value in told.items()}
    said = ACTIONS.get(words.get("action", ""))
    return (
        said.format(**{"filter": "", "value": "", "providers": "", **words})
        if said
        else ", ".join(words.values())
    )


def _ignored(names: Any) -> str:
    """The parameters that nobody went by. HTML."""
    told = ", ".join(findings.words(name) for name in _listed(names))
    if not told:
        return ""
    return (
        f'<p class="facts"><span class="badge orange">⚑ not gone by</span> {markup(told, 400)}: who'
        " answered cannot be held to that.</p>"
    )


def _notes(notes: Sequence[str]) -> str:
    """What was left out or not looked through, each in a line of its own. HTML."""
    return "".join(f'<p class="about">{markup(each, WORDS)}</p>' for each in notes)


def _facts(facts: Sequence[tuple[str, str]], part: str = "") -> str:
    """Facts beside each other, an address as a link. part: what they are of, before them. HTML."""
    head = f"<b>{markup(part.capitalize(), 60)}</b>" if part else ""
    rows = "".join(
        f"<span><i>{markup(label, 60)}</i> {_value(value)}</span>" for label, value in facts
    )
    return f'<p class="facts particulars">{head}{rows}</p>' if rows else ""


def _value(value: str) -> str:
    return (
        link(markup(site(value) or value, 80), value)
        if findings.is_address(value)
        else markup(value, WORDS)
    )


def _read(title: str, text: str) -> None:
    """A text in a panel that scrolls by itself."""
    cut = (
        f'<p class="about">The first {READ:,} of {len(text):,} characters; the JSON has all.</p>'
        if len(text) > READ
        else ""
    )
    body = (
        '<div class="page" tabindex="0" role="region"'
        f' aria-label="{markup(findings.words(title))}">{paragraphs(text[:READ])}</div>'
    )
    st.html(
        '<section class="stored"><h3'
        f' class="part">{markup(findings.words(title).capitalize(), 60)}</h3>{body}{cut}</section>'
    )


# ---------------------------------------------------------------- records


def _records(name: str, title: str, records: Sequence[Record]) -> None:
    """A list as cards or as a table that can be sorted; what has nothing to open or to read is a
    table at first.
    """
    plainest = not any(each.address or each.text for each in records)
    with st.container(horizontal=True, vertical_alignment="center", key=f"list {name} {title}"):
        st.html(
            f"<h3 class=part>{markup(findings.words(title).capitalize(), 60)}"
            f" <small>{len(records)}</small></h3>",
            width="content",
        )
        as_table = (
            st.toggle("Table", value=plainest, key=f"table {name} {title}")
            if len(records) > 1
            else plainest
        )
    if as_table:
        _table(records, title)
        return
    same = findings.shared(records)
    st.html(
        f'{_facts(list(same.items()))}<div class="cards'
        f' answers">{"".join(_card(each, same) for each in records[:SHOWN])}</div>'
    )
    if len(records) > SHOWN:
        st.caption(f"The first {SHOWN} of {len(records)}; the table and the JSON have all.")


def _card(record: Record, same: Mapping[str, str]) -> str:
    title = markup(record.title or shown(record.address), 200)
    head = f'<p class="title">{link(title, record.address)}</p>' if title else ""
    marks = "".join(
        f" {badge.html}" for name, badge in MARKS.items() if record.raw.get(name) is True
    )
    kind = str(record.raw.get("kind", ""))
    marks += (
        f" {OUTCOME[BY_KIND.get(kind, 'failed')].html}"
        if kind and "retryable" in record.raw
        else ""
    )
    marks += _marks(record.raw)
    place = f"<span>{markup(site(record.address), 80)}</span>" if record.address else ""
    rest = [
        (label, value)
        for label, value in record.facts
        if label not in same and label not in MARKS and value != site(record.address)
    ]
    told = "".join(
        f"<span><i>{markup(label, 60)}</i> {_value(value)}</span>" for label, value in rest[:FACTS]
    )
    text = f'<p class="snippet">{markup(record.text, TEXT)}</p>' if record.text else ""
    return (
        f'<article class="card">{head}<p class="facts'
        f' particulars">{place}{marks}{told}</p>{text}{_words_apart(record.raw)}</article>'
    )


def _table(records: Sequence[Record], title: str) -> None:
    frame = table([findings.counted(each.raw) for each in records])
    labels = {name: truncate(visible(findings.words(name)), 40).capitalize() for name in frame}
    wide = {
        name for name in frame if any(len(str(value)) > COLUMN for value in frame[name].tolist())
    }
    shape: dict[str, Any] = {
        name: st.column_config.Column(label, width=280 if name in wide else None)
        for name, label in labels.items()
    }
    links = [
        name
        for name in frame
        if all(value is None or findings.is_address(value) for value in frame[name].tolist())
    ]
    shape |= {name: st.column_config.LinkColumn(labels[name], width="medium") for name in links}
    st.dataframe(
        frame, column_config=shape, hide_index=True, height="content" if len(frame) <= 12 else 460,
        placeholder="",
        alt=f"{visible(findings.words(title))}, one row each",
    )  # fmt: skip


def table(raws: Sequence[Json]) -> pd.DataFrame:
    """A row for each, a column for each name that any of them says something of; what is not said
    is None.
    """
    told = {name for raw in raws for name, value in raw.items() if value not in (None, "", [])}
    names = list(dict.fromkeys(name for raw in raws for name in raw if name in told))
    return pd.DataFrame(
        {name: pd.Series(_column([raw.get(name) for raw in raws]), dtype=object) for name in names},
        columns=names,
    )


def _column(values: Sequence[Any]) -> list[Any]:
    """Numbers and truths as they are, so that they are sorted as such; all others, and what is
    mixed, as cleaned text.
    """
    known = [value for value in values if value not in (None, "", [])]
    if all(isinstance(value, bool) for value in known) or all(map(_is_number, known)):
        return [None if value in (None, "", []) else value for value in values]
    return [None if value in (None, "", []) else _words(value) for value in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST


def _words(value: Any) -> str:
    return shown(value) if findings.is_address(value) else cell(findings.said(value))


def _json(name: str, answer: Json) -> None:
    """The answer as it came, to copy and to keep."""
    whole = json.dumps(answer, ensure_ascii=False, indent=2).encode("utf-8", "replace").decode()
    with st.expander("JSON", key=f"json {name}", type="compact"):
        st.download_button(
            "Download", whole, file_name=f"{name}.json", mime="application/json", on_click="ignore",
            key=f"download {name}",
            icon=":material/download:",
        )  # fmt: skip
        if len(whole) > CODE:
            st.caption(f"The first {CODE:,} of {len(whole):,} characters; the download has all.")
        st.code(
            visible(whole[:CODE]),
            language="json",
            wrap_lines=True,
            height=460 if whole.count("\n") > 25 else "content",
        )
