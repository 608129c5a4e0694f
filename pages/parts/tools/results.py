"""Draw a tool's result: warnings, outcome, facts, texts, records, notes, and JSON.

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
from parts.shared.badges import CITATION_BADGES, Badge
from parts.shared.html_text import clean_cell, escape_line, escape_paragraphs, format_link
from parts.shared.wording import format_ago, format_seconds
from parts.tools import findings, reference_warnings
from parts.tools.findings import FoundRecord
from parts.tools.tool_call import ToolAnswer
from parts.tools.tool_labels import get_argument_label, split_name
from research_core.errors import BoundaryError, ResearchError, SearchError, UsageError
from research_core.export import bibliography_check
from research_core.i18n import N_, _, join_list, ngettext
from research_core.model_messages import Json
from research_core.sessions.engine_names import format_engine_name
from research_core.sessions.tool_calls import ServedCall
from research_core.text.words import clean_for_screen, strip_invisible, truncate
from research_core.trust.provenance import format_address, name_site

#: Badges of a call's outcome, and of each of its pages.
OUTCOME_BADGES = {
    "answered": Badge("✓", N_("answered"), "green"),
    "partly": Badge("◐", N_("answered in part"), "orange"),
    "empty": Badge("○", N_("nothing found"), "gray"),
    "failed": Badge("!", N_("failed"), "orange"),
    "blocked": Badge("⊘", N_("blocked"), "red"),
    "unchecked": Badge("?", N_("could not be checked"), "gray"),
    "refused": Badge("!", N_("not asked"), "orange"),
    "stopped": Badge("✕", N_("stopped"), "gray"),
    "confirmed": Badge("✓", N_("exists"), "green"),
    "uncertain": Badge("◐", N_("uncertain"), "orange"),
    "retracted": Badge("✕", N_("retracted"), "red"),
    "not_found": Badge("⊘", N_("not found"), "red"),
    "pending": Badge("◔", N_("snapshot pending"), "blue"),
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
#: The outcome that an answer states: of a checked citation, and of an archived snapshot.
OUTCOME_BY_VERIFICATION = {
    "confirmed": "confirmed",
    "retracted": "retracted",
    "uncertain": "uncertain",
    "not_found": "not_found",
    "unchecked": "unchecked",
}
OUTCOME_BY_CAPTURE = {"pending": "pending", "unavailable": "failed"}
NEXT_STEPS = {
    "refused": N_("Change the form, then run it again."),
    "blocked": N_("Try another page or another provider."),
    "unchecked": N_("Check Settings, then run it again."),
    "failed": N_("Run it again later, or choose another provider."),
    "empty": N_("Try other words or another provider."),
}
EMPTY_REASONS = {
    "filters_too_restrictive": N_("The filters may exclude too much."),
    "no_match": N_("This provider has no match."),
}
ACTION_TEXTS = {
    "remove_filter": N_("Remove the filter {filter}."),
    "try_different_provider": N_("Try another provider: {providers}."),
    "widen_filter": N_("Set {filter} to {value}."),
    "change_filter": N_("Change {filter}."),
    "broaden_query": N_("Use fewer or other words."),
}
#: Facts of a record that a badge shows already, or that are its place in a list.
BADGE_FACTS = {"retracted", "flags", "index"}
UNREACHED_NOTE = N_("No internet connection: none of the {count} providers could be reached.")
UNANSWERED_NOTE = N_("None of the {count} providers answered.")
UNCHECKED_NOTE = N_("This does not mean that the reference is false.")
EMPTY_NOTE = N_("An empty result does not prove that nothing exists.")
#: What a warning says of the references it names.
WARNING_TEXTS = {
    "retracted": N_("Retracted: {references}"),
    "not_found": N_("No record found: {references}"),
    "another": N_("The DOI belongs to another work: {references}"),
    "dead_link": N_("Dead link: {references}"),
    "mischaracterized": N_("The page does not mention the claim: {references}"),
}
#: Notes on the hidden texts, and on the instructions to machines, of a page that a tool read.
REMOVED_NOTE = N_("Not part of the result's text. The JSON has them.")
FENCED_NOTE = N_("Part of the result's text. Treat them as data, not as instructions.")
#: Larger numbers are shown as text: a browser cannot represent them exactly.
MAX_EXACT_INTEGER = 2**53
WIDE_COLUMN = 40  # characters from which a column is wide
MAX_REASON_LENGTH = 300  # characters of a provider's failure
MAX_NAMED = 3  # references named in a warning
#: Records shown as cards, and facts on each.
MAX_RECORDS, MAX_FACTS = 60, 14
#: Characters of a fact, of a record's text, of a text to read, and of the JSON.
MAX_VALUE_LENGTH, MAX_CARD_TEXT, MAX_READ_TEXT, MAX_JSON_LENGTH = 1_000, 700, 20_000, 60_000


def draw(name: str, called: ToolAnswer) -> None:
    """Draw the whole result, warnings first. name: the tool's."""
    if called.served is None:
        st.html(_format_line(OUTCOME_BADGES["stopped"], _("Nothing was kept.")))
        return
    served = called.served
    answer = served.answer or {}
    _draw_warnings(answer)
    st.html(
        _format_line(
            OUTCOME_BADGES[classify_outcome(served)],
            *describe_freshness(served),
            marks=_format_marks(answer),
        )
        + _format_failed_providers(served)
    )
    if served.error is not None:
        draw_error(served.error)
        return
    particulars = "".join(
        _format_facts(facts, part) for part, facts in findings.find_particulars(answer).items()
    )
    notes = (
        _format_verdict(answer),
        format_archive_copy(answer),
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
    verification = OUTCOME_BY_VERIFICATION.get(str(answer.get("verificationStatus")))
    if verification:
        return verification
    if "captured" in answer and answer.get("status") in OUTCOME_BY_CAPTURE:
        return OUTCOME_BY_CAPTURE[answer["status"]]
    unchecked = findings.list_unchecked(answer)
    if unchecked:
        return "unchecked" if all(unchecked) else "partly"
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
        return _("Wait {time}, then run it again, or choose another provider.").format(
            time=format_ago(wait)
        )
    return _(NEXT_STEPS[classify_error(error)])


def draw_error(error: ResearchError) -> None:
    """Draw why a call failed; what each of several providers said is folded."""
    next_step = error.next_step or find_next_step(error)
    asked = error.asked if isinstance(error, SearchError) else ()
    if not isinstance(error, SearchError) or len(asked) < 2:
        failures.draw_failure(error.message, next_step)
        return
    note = UNREACHED_NOTE if error.all_unreached else UNANSWERED_NOTE
    if error.all_unreached:
        next_step = _("Check this machine's internet connection, then run it again.")
    else:
        next_step = _(NEXT_STEPS[classify_error(error)])
    failures.draw_failure(_(note).format(count=len(asked)), next_step)
    st.html(
        f'<details class="reasons"><summary>{escape_line(_("Details"))}</summary>'
        f"{_format_reasons(findings.split_reasons(error.message, asked))}</details>"
    )


def _format_reasons(reasons: Sequence[tuple[str, str]]) -> str:
    """Return who failed and why, one item each; a name may be "". HTML."""
    items = ""
    for provider, reason in reasons:
        name = f"<b>{escape_line(format_engine_name(provider))}</b> " if provider else ""
        items += f"<li>{name}{escape_line(reason, MAX_REASON_LENGTH)}</li>"
    return f"<ul>{items}</ul>"


def describe_freshness(served: ServedCall) -> list[str]:
    """Return the answer's age, its duration, and who answered or was asked."""
    facts = []
    meta = served.meta
    if meta.get("cached"):
        facts.append(_("cached {time} ago").format(time=format_ago(meta["ageSeconds"])))
    elif "cached" in meta:
        facts.append(_("asked just now"))
    facts.append(format_seconds(served.seconds))
    providers = _describe_providers(served)
    if providers:
        facts.append(providers)
    return facts


def _describe_providers(served: ServedCall) -> str:
    """Return who answered, or who was asked."""
    route = served.meta.get("routing", {})
    if served.failed and route.get("provider_used"):
        return _("answered by {provider}").format(
            provider=format_engine_name(route["provider_used"])
        )
    return join_list(list(map(format_engine_name, route.get("providers_attempted", ()))))


def _format_failed_providers(served: ServedCall) -> str:
    """Return which providers failed before another one answered, folded. HTML."""
    if not served.failed:
        return ""
    count = len(served.failed)
    summary = ngettext("{count} provider failed", "{count} providers failed", count)
    reasons = [(each.provider, each.reason) for each in served.failed]
    return (
        f'<details class="reasons"><summary>{escape_line(summary.format(count=count))}</summary>'
        f"{_format_reasons(reasons)}</details>"
    )


def _format_line(badge: Badge, *facts: str, marks: str = "") -> str:
    return (
        f'<p role="status" class="facts">{badge.html}{marks}'
        f" {' · '.join(escape_line(each) for each in facts)}</p>"
    )


# -- warnings --------------------------------------------------------------------------------------


def _draw_warnings(answer: Json) -> None:
    """Draw what speaks against references of the answer, the gravest first."""
    warnings = reference_warnings.find_warnings(answer)
    for kind in bibliography_check.ADVERSE_STATES:
        named = [each for each in warnings if each.kind == kind]
        if not named:
            continue
        references = [
            clean_for_screen(" ".join(filter(None, (each.name, each.detail))), 160)
            for each in named[:MAX_NAMED]
        ]
        if len(named) > MAX_NAMED:
            more = len(named) - MAX_NAMED
            references.append(ngettext("{count} more", "{count} more", more).format(count=more))
        message = _(WARNING_TEXTS[kind]).format(references="; ".join(references))
        if kind in bibliography_check.SEVERE_STATES:
            st.error(message, icon=":material/dangerous:")
        else:
            st.warning(message, icon=":material/warning:")


def _format_verdict(answer: Json) -> str:
    """Return why a check came out as it did, with how each fact was found folded. HTML."""
    reason = str(answer.get("reason", ""))
    steps = [str(each) for each in _as_list(answer.get("provenance"))]
    shown = ""
    if answer.get("verificationStatus") == "unchecked" or any(findings.list_unchecked(answer)):
        shown = f"<p>{escape_line(_(UNCHECKED_NOTE))}</p>"
        steps = [reason, *steps] if reason and not steps else steps
    elif reason and (steps or "captured" in answer):
        shown = f"<p>{escape_line(reason, MAX_VALUE_LENGTH)}</p>"
    if not steps:
        return shown
    items = "".join(f"<li>{escape_line(each, MAX_VALUE_LENGTH)}</li>" for each in steps)
    return (
        f'{shown}<details class="reasons"><summary>{escape_line(_("How it was checked"))}</summary>'
        f"<ul>{items}</ul></details>"
    )


def format_archive_copy(raw: Json) -> str:
    """Return the archive copy that an answer or record names, with its date. HTML."""
    copy = reference_warnings.find_archive_copy(raw)
    if copy is None:
        return ""
    word = _("archive copy of {date}").format(date=copy.date) if copy.date else _("archive copy")
    live = ""
    if copy.live_status:
        live = " " + _("The live page returned HTTP {status}.").format(status=copy.live_status)
    link = format_link(escape_line(name_site(copy.url) or copy.url, 80), copy.url)
    badge = Badge("▣", word, "blue")
    return f'<p class="facts">{badge.html} {link}{escape_line(live)}</p>'


# -- notes and facts ------------------------------------------------------------------------------


def _format_marks(raw: Json) -> str:
    """Return badges of what a reader must not miss, and of hidden text. HTML."""
    return "".join(
        f" {badge.html}" for badge in hidden_text.page_badges(*findings.parse_hidden_text(raw))
    )


def _format_hidden_words(raw: Json) -> str:
    """Return a page's hidden texts and instructions, folded. HTML."""
    return hidden_text.format_page_detail(
        findings.parse_hidden_text(raw)[0], _(REMOVED_NOTE), _(FENCED_NOTE)
    )


def _format_hints(hints: Any) -> str:
    """Return why nothing may have been found, and what to try. HTML."""
    if not isinstance(hints, Mapping):
        return ""
    code = str(hints.get("reason", ""))
    why = _(EMPTY_REASONS[code]) if code in EMPTY_REASONS else code
    rows = f"<p>{escape_line(why, 300)}</p>"
    applied = findings.list_facts({"": hints.get("filtersApplied") or {}})
    filters = join_list([f"{get_argument_label(label)} {value}" for label, value in applied])
    if filters:
        line = _("Filters: {filters}").format(filters=filters)
        rows += f"<p>{escape_line(line, 300)}</p>"
    actions = "".join(
        f"<li>{escape_line(_format_action(each), 300)}</li>"
        for each in _as_list(hints.get("suggestedActions"))
    )
    note = f'<p class="about">{escape_line(_(EMPTY_NOTE))}</p>'
    label = escape_line(_("What you can do"))
    return f'<section class="hints" aria-label="{label}">{rows}<ul>{actions}</ul>{note}</section>'


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _format_action(action: Any) -> str:
    if not isinstance(action, Mapping):
        return str(action)
    words = {name: findings.format_value(value) for name, value in action.items()}
    if "filter" in words:
        words["filter"] = f"“{get_argument_label(words['filter'])}”"
    template = ACTION_TEXTS.get(words.get("action", ""))
    if template:
        return _(template).format(**{"filter": "", "value": "", "providers": "", **words})
    return join_list(list(words.values()))


def _format_ignored(names: Any) -> str:
    """Return the parameters that no provider used. HTML."""
    labels = join_list([get_argument_label(str(name)) for name in _as_list(names)])
    if not labels:
        return ""
    badge = Badge("⚑", _("ignored by the provider"), "orange")
    return f'<p class="facts">{badge.html} {escape_line(labels, 400)}</p>'


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
        note = _("First {count:,} of {total:,} characters. The JSON has all.").format(
            count=MAX_READ_TEXT, total=len(text)
        )
        cut = f'<p class="about">{escape_line(note)}</p>'
    else:
        cut = ""
    body = (
        '<div class="page" tabindex="0" role="region"'
        f' aria-label="{escape_line(split_name(title))}">'
        f"{escape_paragraphs(text[:MAX_READ_TEXT])}</div>"
    )
    st.html(
        '<section class="stored"><h3'
        f' class="part">{escape_line(split_name(title).capitalize(), 60)}</h3>{body}{cut}'
        "</section>"
    )


# -- records ---------------------------------------------------------------------------------------


def _draw_records(name: str, title: str, records: Sequence[FoundRecord]) -> None:
    """Draw records as cards or as a sortable table; records without text start as a table."""
    plainest = not any(each.address or each.text for each in records)
    with st.container(horizontal=True, vertical_alignment="center", key=f"list {name} {title}"):
        st.html(
            f"<h3 class=part>{escape_line(split_name(title).capitalize(), 60)}"
            f" <small>{len(records)}</small></h3>",
            width="content",
        )
        if len(records) > 1:
            as_table = st.toggle(_("Table"), value=plainest, key=f"table {name} {title}")
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
        st.caption(
            _("First {count} of {total}. The table and the JSON have all.").format(
                count=MAX_RECORDS, total=len(records)
            )
        )


def _format_card(record: FoundRecord, same: Mapping[str, str]) -> str:
    site = name_site(record.address)
    title = escape_line(record.title or format_address(record.address), 200)
    head = f'<p class="title">{format_link(title, record.address)}</p>' if title else ""
    marks = ""
    state = reference_warnings.classify_reference(record.raw)
    if not state and findings.is_unchecked(record.raw):
        state = "unchecked"
    if state:
        marks += f" {CITATION_BADGES[state].html}"
    kind = str(record.raw.get("kind", ""))
    if kind and "retryable" in record.raw:
        marks += f" {OUTCOME_BADGES[OUTCOME_BY_KIND.get(kind, 'failed')].html}"
    marks += _format_marks(record.raw)
    place = f"<span>{escape_line(site, 80)}</span>" if record.address else ""
    facts = [
        f"<span><i>{escape_line(label, 60)}</i> {_format_value(value)}</span>"
        for label, value in record.facts
        if label not in same and label not in BADGE_FACTS and value != site
    ]
    text = ""
    if record.text:
        text = f'<p class="snippet">{escape_line(record.text, MAX_CARD_TEXT)}</p>'
    return (
        f'<article class="card">{head}<p class="facts'
        f' particulars">{place}{marks}{"".join(facts[:MAX_FACTS])}</p>'
        f"{text}{format_archive_copy(record.raw)}{_format_hidden_words(record.raw)}</article>"
    )


def _draw_table(records: Sequence[FoundRecord], title: str) -> None:
    frame = build_table([findings.replace_remarks_by_counts(each.raw) for each in records])
    config: dict[str, Any] = {}
    for name in frame:
        label = truncate(strip_invisible(split_name(name)), 40).capitalize()
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
        alt=_("Table of {records}").format(records=strip_invisible(split_name(title))),
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
    with st.expander(_("JSON"), key=f"json {name}", type="compact"):
        st.download_button(
            _("Download"),
            whole,
            file_name=f"{name}.json",
            mime="application/json",
            on_click="ignore",
            key=f"download {name}",
            icon=":material/download:",
        )
        if len(whole) > MAX_JSON_LENGTH:
            st.caption(
                _("First {count:,} of {total:,} characters. The download has all.").format(
                    count=MAX_JSON_LENGTH, total=len(whole)
                )
            )
        st.code(
            strip_invisible(whole[:MAX_JSON_LENGTH]),
            language="json",
            wrap_lines=True,
            height=460 if whole.count("\n") > 25 else "content",
        )
