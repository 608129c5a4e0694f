"""Show one source: why it was used or not, what can be done, where it is cited, and its scores.

The reason and the sentences that cite it come first; passages and arithmetic are folded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import streamlit as st

from parts.audit import checked_report
from parts.audit.audit_badges import LOW_BADGE, is_from_unknown_site
from parts.session.report.passage import PLAIN, format_pieces
from parts.session.sources import assessment as assessed
from parts.session.sources import host_knowledge, sliders
from parts.session.sources.actions import SourceAction, choose_row_action, list_actions
from parts.session.sources.table import CREDIBILITY_EXPLAINED, SourceNotes
from parts.session.sources.whatif_effect import UNKNOWN_HOST_NOTE
from parts.shared import failures, hidden_text, provenance
from parts.shared.badges import UNKNOWN_HOST
from parts.shared.html_text import escape_line, format_link
from research_core.citations import cited_passages
from research_core.citations.cited_passages import SourceCitation
from research_core.decisions import gate
from research_core.decisions.view import RunView
from research_core.i18n import N_, _, format_number, join_list, join_sentences, ngettext
from research_core.models import Judgement, ReportSource, ScoreParts
from research_core.pipeline import assessment, report
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import WhatIf
from research_core.text.words import clean_for_screen
from research_core.trust.credibility import (
    compute_terms,
    format_beside_minimum,
    name_kind_of_site,
)
from research_core.trust.provenance import describe_same_site, name_date_term

#: Step of the minimum credibility that the button sets.
MINIMUM_STEP = 0.01
TOO_LATE = N_("The gate has decided. Once the report is written, you can include and exclude here.")


def draw_card(snapshot: Snapshot, beside: SourceNotes, source: ReportSource) -> None:
    """Draw the source with its buttons, which act on the running session, else on what-if."""
    whatif = beside.whatif
    _draw_buttons(snapshot, whatif, source)
    label = escape_line(_("The source"))
    same_site = describe_same_site(source, whatif.sources)
    note = f'<p class="about">{escape_line(same_site)}</p>' if same_site else ""
    head = _format_head(source, beside)
    _draw_article(label, head, describe_decision(source, whatif), note)
    _draw_sentences(snapshot, source)
    _draw_article(
        "",
        _format_passages(source),
        _format_snippet(snapshot, source),
        _format_arithmetic(snapshot, source, whatif),
        hidden_text.format_source_detail(source),
    )
    host_knowledge.draw_override_form(snapshot, source, whatif)


def _draw_article(label: str, *parts: str) -> None:
    name = f' aria-label="{label}"' if label else ""
    st.html(f'<article class="opened"{name}>{"".join(parts)}</article>')


# -- what can be done ------------------------------------------------------------------------------


def _draw_buttons(snapshot: Snapshot, whatif: WhatIf, source: ReportSource) -> None:
    can_decide = sliders.can_decide(snapshot)
    with st.container(horizontal=True, key="by_hand"):
        if can_decide:
            for action in list_actions(source):
                _draw_action(snapshot, action, source.url)
        lower = find_minimum_below(source)
        if can_decide and not snapshot.at_work and lower is not None:
            st.button(
                _("Lower minimum to {minimum:.2f}").format(minimum=lower),
                key="lower_minimum",
                icon=":material/south:",
                help=_("The highest minimum credibility that this source passes"),
                on_click=_lower_minimum,
                args=(snapshot, lower),
            )
        keeping = choose_row_action(source, whatif.sources)
        if can_decide and keeping and keeping.do == "lower":
            st.button(
                keeping.label,
                key="lower_cutoff",
                icon=keeping.icon,
                help=keeping.help,
                on_click=_lower_cutoff,
                args=(snapshot, source),
            )
        st.button(
            _("Close"),
            key="close",
            icon=":material/close:",
            on_click=choose_source,
            args=("",),
            shortcut="esc",
        )
    if not can_decide and snapshot.at_work:
        st.caption(_(TOO_LATE))


def _draw_action(snapshot: Snapshot, action: SourceAction, url: str) -> None:
    st.button(
        _(action.label),
        key=action.do,
        icon=action.icon,
        help=_(action.help),
        on_click=sliders.decide,
        args=(snapshot, action.do, url),
    )


def find_minimum_below(source: ReportSource) -> float | None:
    """Return the highest minimum credibility in steps that a blocked source passes, else None."""
    if source.status != "blocked" or source.parts is None:
        return None
    steps = math.ceil(round(source.parts.score / MINIMUM_STEP, 4)) - 1
    return round(steps * MINIMUM_STEP, 2) if steps >= 0 else None


def _lower_minimum(snapshot: Snapshot, minimum: float) -> None:
    sliders.set_sliders(snapshot, minimum=minimum)


def _lower_cutoff(snapshot: Snapshot, source: ReportSource) -> None:
    if source.relevance:
        sliders.set_sliders(snapshot, cutoff=source.relevance.score)


def find_chosen(whatif: WhatIf) -> ReportSource | None:
    """Return the source named in the address, by report number or short name."""
    asked = st.query_params.get("source", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) < 5
    if is_number and int(asked):
        for source in whatif.sources:
            if source.url in whatif.was and whatif.was[source.url].number == int(asked):
                return source
    elif asked:
        for source in whatif.sources:
            if sliders.short_source_name(source.url) == asked:
                return source
    return None


def choose_source(url: str) -> None:
    """Open this source, or close the card for "". Clears kept failures. For callbacks."""
    failures.forget_failure()
    if url:
        st.query_params["source"] = sliders.short_source_name(url)
    else:
        st.query_params.pop("source", None)


# -- why it was used or not ------------------------------------------------------------------------


def _format_head(source: ReportSource, beside: SourceNotes) -> str:
    before = beside.whatif.was.get(source.url)
    number = ""
    states = beside.format_use(source)
    if before and before.number:
        number = f"<b>[{before.number}]</b> "
    checked = beside.audited.get(source.url)
    if checked and checked.is_low and not checked.is_unknown:
        states += f" {LOW_BADGE.html}"
    if is_from_unknown_site(source, beside.audited):
        states += f" {UNKNOWN_HOST.html_with_tooltip(_(UNKNOWN_HOST_NOTE))}"
    original = beside.originals.get(source.url, "")
    return (
        f'<p class="title">{number}{format_link(escape_line(source.title, 300), source.address)}'
        "</p>"
        f'<p class="about">{provenance.format_origin(source)}</p>'
        f"<p>{states}{provenance.format_badges(source, original)}</p>"
        f"{provenance.format_unread(source)}"
    )


def describe_decision(source: ReportSource, whatif: WhatIf) -> str:
    """Return why the source is used or not, each score beside its minimum. HTML."""
    if source.status == "blocked" or not (source.relevance or source.approved):
        return f"<p>{escape_line(source.reason, 800)}</p>"
    policy = whatif.settings.credibility
    reasons = []
    if source.approved:
        reasons.append(_("Included by you, whatever its credibility."))
    elif source.parts is None:
        reasons.append(_("From the library, so its credibility is not scored."))
    else:
        score, minimum = format_beside_minimum(source.parts.score, policy.minimum)
        reasons.append(
            _("Credibility {score}, needs more than {minimum}.").format(
                score=score, minimum=minimum
            )
        )
    judged = source.relevance
    if judged is None:
        reasons.append(_("Not read yet, so not rated for relevance."))
    elif not judged.scored:
        reasons.append(_("Its relevance could not be rated. Unscored sources are kept."))
    else:
        reasons.append(
            _("Relevance {score}/5, needs {minimum} or more.").format(
                score=judged.score, minimum=whatif.view.mode.relevance_cutoff
            )
        )
    said = escape_line(judged.explanation, 800) if judged else ""
    if judged is None or source.reason != judged.explanation:
        said = " ".join(filter(None, (escape_line(source.reason, 800), said)))
    about = f"<p>{said}</p>" if said else ""
    return f'{about}<p class="reasons">{" ".join(reasons)}</p>{_format_grade(judged)}'


def _format_grade(judged: Judgement | None) -> str:
    """Return what the grade of a source goes by, folded. HTML."""
    if judged is None or not judged.details:
        return ""
    title = _("Relevance {score}/5: how it was graded").format(score=judged.score)
    graded = _(
        "Graded from 1 to 5 by your question's words and how close together they are, the page's"
        " title, the kind of answer you ask for, and sentences with a similar meaning."
    )
    return (
        f'<details><summary>{title}</summary><p class="about">{escape_line(graded)}</p>'
        f'<p class="about"><bdi>{escape_line(judged.details, 800)}</bdi></p></details>'
    )


def _draw_sentences(snapshot: Snapshot, source: ReportSource) -> None:
    """Draw the report's sentences that cite the source, as links to their places."""
    if snapshot.run.report is None:
        return
    cited = [one for one in _list_citations(snapshot) if one.source.url == source.url]
    if not cited:
        st.html(f'<p class="about">{_("Not cited in the report.")}</p>')
        return
    head = ngettext("Cited by {count} sentence:", "Cited by {count} sentences:", len(cited)).format(
        count=len(cited)
    )
    st.html(f'<p class="about">{head}</p>')
    with st.container(key="cited_by"):
        for one in cited:
            query = {"session": snapshot.session, "cite": str(one.number)}
            st.page_link(
                "report.py", label=clean_for_screen(one.sentence.text, 160), query_params=query
            )


def _list_citations(snapshot: Snapshot) -> tuple[SourceCitation, ...]:
    """Return the citations of the report with the numbers that the Report screen gives them."""
    built = report.build(snapshot.run)
    if not snapshot.run.settings.checks_report:
        return cited_passages.list_citations(built)
    result = checked_report.read_result(snapshot)
    return checked_report.list_citations(checked_report.keep_checked_text(built, result), result)


def _format_passages(source: ReportSource) -> str:
    if source.relevance is None:
        return ""
    if not source.passages:
        return f'<p class="about">{_("No passage is relevant to the question.")}</p>'
    quoted = "".join(
        f'<blockquote class="passage">{format_pieces([(passage.text, PLAIN)])}</blockquote>'
        for passage in source.passages
    )
    count = len(source.passages)
    title = ngettext("{count} passage read", "{count} passages read", count).format(count=count)
    return f"<details><summary>{title}</summary>{quoted}</details>"


# -- its scores ------------------------------------------------------------------------------------


def _format_arithmetic(snapshot: Snapshot, source: ReportSource, whatif: WhatIf) -> str:
    """Return the sum of the credibility and what is known of site and page, folded. HTML."""
    if source.parts is None:
        return ""
    score = source.parts.score
    title = _("Credibility {score:.2f}: how it was computed").format(score=score)
    found = assessed.assess_source(snapshot, whatif, source)
    if found:
        title = _("Credibility {score:.2f}, after reading {value}: how they were computed").format(
            score=score, value=assessed.format_assessment(found.now)
        )
    known = host_knowledge.format_table(
        found, assessment.list_known_parts(source, whatif.settings.credibility)
    )
    policy = whatif.settings.credibility
    explanation = _(CREDIBILITY_EXPLAINED)
    if snapshot.run.settings.checks_report:
        explanation = checked_report.explain_credibility(policy)
    explained = join_sentences(
        [explanation, *describe_range(source.url, source.parts, whatif.view)]
    )
    words = _format_words(source.parts) if policy.relevance_weight else ""
    return (
        f'<details><summary>{title}</summary><p class="about">{escape_line(explained)}</p>'
        f"{_format_score(source, source.parts, whatif.settings)}{words}{known}</details>"
    )


def describe_range(url: str, shown: ScoreParts, run: RunView) -> Iterator[str]:
    """Yield how the scores of a source in its searches differ, and which of them is shown."""
    source = run.sources[url]
    scores = [score.score for score in gate.list_scores(source, run)]
    if len({round(score, 2) for score in scores}) < 2:
        return
    yield ngettext(
        "{count} search found it, with scores from {low} to {high}.",
        "{count} searches found it, with scores from {low} to {high}.",
        len(scores),
    ).format(
        count=len(scores),
        low=format_number(min(scores), ".2f"),
        high=format_number(max(scores), ".2f"),
    )
    if shown.score == max(scores):
        yield _("The highest score counts.")
    elif source.redirected_to and shown.score == scores[0]:
        yield _("It redirects to another site, so the score of the first search counts.")


def _format_score(source: ReportSource, parts: ScoreParts, settings: RunSettings) -> str:
    """Return the terms of the score as figures and as a bar with the minimum. HTML."""
    policy = settings.credibility
    terms = compute_terms(parts, policy.domain_weight, policy.relevance_weight)
    cells = ""
    for (name, product, counts), term in zip(
        _list_terms(source, parts, policy), terms, strict=True
    ):
        if not counts:
            continue
        cells += (
            f"<tr><th scope=row>{escape_line(name)}</th><td>{escape_line(product)}</td>"
            f"<td>{format_number(term, '.3f')}</td></tr>"
        )
    bar = ""
    for number, width in enumerate(terms.widths):
        bar += f'<i class="share{number}" style="width:{100 * width:.1f}%"></i>'
    score, minimum = format_beside_minimum(parts.score, policy.minimum)
    caption = _("{score}, needs more than {minimum}")
    if settings.checks_report:
        caption = _("{score}, where {minimum} or less counts as low")
    caption = caption.format(score=score, minimum=minimum)
    notes = [terms.capped] if terms.capped else []
    if parts.provisional:
        notes.append(_("provisional"))
    caption = join_list((caption, *notes))
    return (
        f'<div class="sum" aria-hidden="true">{bar}<b'
        f' style="left:{100 * policy.minimum:.1f}%"></b></div><table'
        f' class="plain"><caption>{escape_line(caption)}</caption>{cells}</table>'
    )


def _list_terms(
    source: ReportSource, parts: ScoreParts, policy: CredibilityPolicy
) -> Sequence[tuple[str, str, bool]]:
    """Return each term of the score in words and as a product, and whether it can count."""
    asked = len(parts.matched) + len(parts.missing)
    words = ngettext("{matched} of {count} keyword", "{matched} of {count} keywords", asked).format(
        matched=len(parts.matched), count=asked
    )
    site = f"{_('Kind of site')}: {name_kind_of_site(parts)}"
    return (
        (site, _format_product(parts.domain, policy.domain_weight), True),
        (
            words,
            _format_product(parts.relevance, policy.relevance_weight),
            policy.relevance_weight > 0,
        ),
        (name_date_term(source), "", policy.recency_bonus > 0),
    )


def _format_product(value: float, weight: float) -> str:
    """Return a value from 0 to 1 and the share that it has in the score."""
    product = _("{value} × weight {weight}")
    return product.format(value=format_number(value, ".2f"), weight=format_number(weight, ".2f"))


def _format_words(parts: ScoreParts) -> str:
    """Return the question's words, ticked if the snippet has them, else struck through. HTML."""
    if not (parts.matched or parts.missing):
        return ""
    matched = " ".join(
        f'<span class="badge green">✓ {escape_line(word, 60)}</span>' for word in parts.matched
    )
    missing = " ".join(
        f'<span class="badge gray">✕ <s>{escape_line(word, 60)}</s></span>'
        for word in parts.missing
    )
    label = escape_line(_("Keywords of the question in the search result's snippet:"))
    rule = _(
        "Keywords say what the question is about. Of some questions, only the two rarest count."
    )
    return (
        f'<p class="about">{label}</p><p class="words">{matched} {missing}</p>'
        f'<p class="about">{escape_line(rule)}</p>'
    )


def _format_snippet(snapshot: Snapshot, source: ReportSource) -> str:
    view = snapshot.run.sources[source.url]
    listing = gate.choose_listing(view, snapshot.run)
    if listing is None or not listing.snippet:
        return ""
    title = _("Snippet from {engine}").format(engine=escape_line(listing.engine, 60))
    return (
        f"<details><summary>{title}</summary>"
        f'<p class="passage">{escape_line(listing.snippet, 600)}</p></details>'
    )
