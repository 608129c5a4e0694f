"""Build the report from the view of a run, and render it as Markdown and JSON.

Numbers and dates are formatted from event times in UTC. The same log gives the same bytes. The
model's text is one part of the report; sources, methodology, funnel and cost are computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, count
from typing import Any, Literal

from research_core.citations.marks import format_citations, format_link
from research_core.decisions import gate as decide
from research_core.decisions import report_sources
from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView, fold_run_so_far
from research_core.i18n import (
    N_,
    _,
    end_with_stop,
    gettext,
    in_report_language,
    join_clauses,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.journal.deps import Deps
from research_core.journal.events import Draft, canonical_json, sha256
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import CUT_PROMPT
from research_core.models import (
    NO_REPORT_REASONS,
    Block,
    Report,
    ReportSource,
    Sentence,
    attempts_to_json,
)
from research_core.pipeline import confidence, draft, unfinished
from research_core.pipeline.backing import MARKS_VERSION
from research_core.pipeline.confidence import LOST_FIRST_VERSION, Confidence, Findings, examine
from research_core.pipeline.contradictions import contradictions_to_json
from research_core.pipeline.draft import STATE_FLAGS
from research_core.pipeline.methodology import (
    SPENDING_VERSION,
    describe_methods,
    describe_sample,
    end_sentence,
    is_unsourced,
    list_sentences,
)
from research_core.pipeline.page_findings import (
    BLOCKED,
    CAUSE_VERSION,
    WRITTEN_LANGUAGE_VERSION,
    describe_other_language,
    describe_text_language,
    describe_unnamed,
    explain_cause,
    format_cause,
    lacks_topic,
    read_refusal,
)
from research_core.pipeline.verify import (
    ABOUT_THE_EVIDENCE,
    ReviewFlags,
    find_flags,
    has_lost_citation,
    iterate_sections,
)
from research_core.policy import OFFLINE_MODEL, checks_report
from research_core.text.words import disarm_markdown, escape_markdown, truncate
from research_core.trust import independence, provenance
from research_core.urls import is_own_document
from research_core.web.hidden_text_remarks import count_machine_instructions, hides_unusually

#: Increase it when the shape of `to_json` changes; `report.schema.json` describes the shape.
SCHEMA_VERSION = 12
#: The shape of sessions that ran under earlier rules of scoring; it lacks the reason of a level.
EARLIER_SCHEMA_VERSION = 11
#: Characters shown of a sentence that must be checked.
MAX_SHOWN_LENGTH = 160
#: Blocked sources named in the Markdown, those nearest to the threshold.
MAX_NAMED_SOURCES = 5
#: The version of the rules of scoring from which a report says how many sources were blocked; the
#: reports of older sessions stay as they were stored.
BLOCKED_SHARE_VERSION = 3
#: The version from which a report says first that it is from the sample library.
SAMPLE_VERSION = 7
#: How what to do is named: with commands, or with the controls of a screen that offers another
#: model to write the report, or none.
Place = Literal["commands", "screen", "screen_without_another"]
#: The version of the rules of scoring from which the list of sources says which are not quoted.
UNQUOTED_VERSION = 7
#: The version of the rules of scoring from which notices on the answer come first.
ANSWER_FIRST_VERSION = 7
#: The version of the rules of scoring from which a report says what to do about failed models.
NEXT_STEP_VERSION = 7
#: What to do in quick mode in place of what advises it.
QUICK_STEPS = {
    "Choose the quick mode, or a model or server with a longer context.": (
        "Choose a model or server with a longer context."
    ),
    "Raise ASSAY_OLLAMA_CONTEXT (the model and the memory must allow it), or choose the quick mode.": (
        "Raise ASSAY_OLLAMA_CONTEXT (the model and the memory must allow it)."
    ),
}
#: What is recorded of a writer and said in a notice.
SAID_ABOVE = frozenset({"cut_prompt", "ending"})
_ESCAPED_CODE = re.compile(r"\\`([\w ./:\\-]+)\\`")


#: The headings that a writer is asked for; a report shows them in its language.
HEADINGS = frozenset(
    {
        N_("Executive Summary"),
        N_("Main Findings"),
        N_("Conflicting Information"),
        N_("Confidence Assessment"),
        N_("Further findings"),
        N_("Speaks for"),
        N_("Speaks against"),
    }
)


def record_report(deps: Deps) -> Report:
    """Record what the run spent, build its report and record that; return it."""
    spent = deps.http.tally()
    if deps.run.models == {OFFLINE_MODEL}:
        del spent["models"]
    if not runs_under(read_rules(deps.log), "scoring", SPENDING_VERSION):
        spent.pop("failures", None)
    if not runs_under(read_rules(deps.log), "scoring", NEXT_STEP_VERSION):
        spent.pop("next_steps", None)
    deps.log.append(Draft("decide", {"do": "tally", **spent}, "tally"))
    built = build(fold_run_so_far(deps))
    markdown = to_markdown(built)
    sha = sha256(canonical_json(to_json(built)).encode("utf-8", "surrogatepass"))
    deps.log.append(
        Draft("report", {"decision": built.decision, "sha": sha, "markdown": markdown}, "report")
    )
    return built


@in_report_language
def build(run: RunView, gate: Gate | None = None) -> Report:
    """Build the report of a run that has been gated, written and verified.

    gate: the decision under other settings (`sessions.whatif`); by default the recorded one.
    """
    if gate is None:
        gate = decide.read_gate(run)
    assert run.written is not None
    assert run.verified is not None
    return Report(
        session=run.session,
        question=run.question,
        created=run.created,
        settings=run.settings.to_json(),
        decision=gate.decision,
        rationale=gate.rationale,
        reason=gate.reason,
        disclaimer=_build_disclaimer(gate),
        blocks=_translate_headings(run.blocks),
        sources=report_sources.list_sources(run, gate),
        funnel=report_sources.count_funnel(run, gate),
        searches=run.outcomes,
        queries=tuple(_describe_query(run, gate, order) for order in sorted(run.queries)),
        plan=run.plan or {},
        spent=_read_spent(run),
        removed_citations=run.written["removed"],
        unscored=gate.unscored,
        domains=gate.domains,
        copies=gate.copies,
        stopped=run.stop["why"] if run.stop else "",
        gaps=run.gaps,
        instructions=run.instructions,
        ties=decide.find_ties(run, gate),
        rules=run.rules,
        page_findings=run.written.get("pages", {}),
        writer=run.written.get("writer", {}),
        language=run.language,
        is_quoted=_is_quoted(run, gate),
    )


def _is_quoted(run: RunView, gate: Gate) -> bool:
    """Return True if every cited sentence is a quotation; False for older sessions.

    That is where the extractive writer wrote all of a report, and where there is none: whichever
    model explains why, the few relevant sources are quoted.
    """
    if run.settings.checks_report or not runs_under(run.rules, "scoring", MARKS_VERSION):
        return False
    if gate.decision == "insufficient_data":
        return True
    writer = (run.written or {}).get("writer", {}).get("model", run.settings.writing_model)
    return bool(writer == OFFLINE_MODEL)


def _read_spent(run: RunView) -> dict[str, Any]:
    """Return what the run spent, and the cap that left the model no call, if one did."""
    spent = {name: value for name, value in (run.tally or {}).items() if name != "do"}
    return {**spent, "limit": dict(run.cap)} if run.cap else spent


def _translate_headings(blocks: Sequence[Block]) -> tuple[Block, ...]:
    translated = []
    for block in blocks:
        if block.kind == "heading" and block.sentences and block.sentences[0].text in HEADINGS:
            heading = replace(block.sentences[0], text=gettext(block.sentences[0].text))
            block = replace(block, sentences=(heading, *block.sentences[1:]))
        translated.append(block)
    return tuple(translated)


def _describe_query(run: RunView, gate: Gate, order: int) -> Mapping[str, Any]:
    """Return a query. That for evidence against has counts of the kept sources that it listed.

    used: all of them; used_alone: those that no other query listed.
    """
    query = run.queries[order]
    if query["purpose"] != "counter":
        return query
    listed = alone = 0
    for url in gate.kept:
        orders = {listing.order for listing in run.sources[url].listings}
        listed += order in orders
        alone += orders == {order}
    return {**query, "used": listed, "used_alone": alone}


def _build_disclaimer(gate: Gate) -> str:
    if gate.decision != "short_report":
        return ""
    kept, total = len(gate.kept), gate.total
    few = ngettext(
        "Only {kept} of {total:,} sources read was relevant to your question.",
        "Only {kept} of {total:,} sources read were relevant to your question.",
        kept,
    ).format(kept=kept, total=total)
    if kept == total:
        few = ngettext(
            "Only {total} source was read. It is relevant to your question.",
            "Only {total} sources were read. All are relevant to your question.",
            total,
        ).format(total=total)
    sentences = [few, _("Consider this a starting point, not a comprehensive answer.")]
    counts = _describe_lost(gate)
    if counts:
        sentences.append(_("Not used: {counts}.").format(counts=join_list(counts)))
    return join_sentences(sentences)


#: Why sources were lost, with their number.
_LOST_COUNTS = {
    "dropped": N_("{count} off topic"),
    "blocked": N_("{count} at or below the minimum credibility"),
    "failed": N_("{count} not readable"),
    "struck": N_("{count} excluded by the analyst"),
    "duplicate": N_("{count} the same page twice"),
}
#: The same of a single source, before what is known of it.
_LOST = {"dropped": N_("off topic"), "failed": N_("could not be read")}


def _describe_lost(gate: Gate) -> list[str]:
    """Return "3 off the question" and the like for each way in which sources were lost."""
    statuses = [verdict.status for verdict in gate.verdicts]
    counts = []
    for status, words in _LOST_COUNTS.items():
        if status in statuses:
            counts.append(gettext(words).format(count=statuses.count(status)))
    return counts


# -- Markdown ------------------------------------------------------------------


@in_report_language
def to_markdown(report: Report) -> str:
    """Return the report as Markdown: title, notices, written sections, Sources, Methodology."""
    return "\n\n".join(part for part in _build_markdown(report) if part) + "\n"


def _build_markdown(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.question)}"
    if report.decision == "insufficient_data":
        yield f"**{format_no_report(report)}** {explain_no_report(report)}"
    flags = list_flagged_sentences(report)
    findings = examine(report)
    for notice in list_notices(report, flags):
        yield f"> {notice}"
    text = draft.render(
        build_exported_text(report, findings),
        _map_passage_numbers(report),
        findings.single,
        partial(is_unsourced, report),
    )
    yield disarm_markdown(text)
    yield _format_flagged_sentences(report, flags)
    yield _format_sources_section(report)
    yield _format_methodology(report)


@in_report_language
def format_no_report(report: Report) -> str:
    """Return that there is no report, with the reason in a few words."""
    if runs_under(report.rules, "scoring", CAUSE_VERSION):
        return format_cause(read_refusal(report))
    return _("No report: {reason}.").format(reason=gettext(report.reason))


@in_report_language
def explain_no_report(report: Report, *, web: bool = True) -> str:
    """Return why there is no report and what to do.

    If none of the sources names the thing asked about, it says that. web: whether to advise a
    search of the web.
    """
    if runs_under(report.rules, "scoring", CAUSE_VERSION):
        return explain_cause(replace(read_refusal(report), web=web))
    unnamed = describe_unnamed(report) if report.reason == "all off topic" else ""
    return unnamed or gettext(NO_REPORT_REASONS[report.reason])


@in_report_language
def list_notices(
    report: Report,
    flags: ReviewFlags | None = None,
    place: Place = "commands",
) -> list[str]:
    """List what a reader must know before the text. flags: the sentences to check, if known.

    place: whether what to do is named by commands or by the controls of a screen.
    """
    found = _find_notices(report, flags, place)
    return [notice for notice in found if notice]


def _find_notices(report: Report, flags: ReviewFlags | None, place: Place) -> Iterator[str]:
    """Yield the notices at the head of a report, "" for one that does not apply."""
    is_audit = checks_report(report.settings)
    sample = describe_sample(report.settings)
    if sample and runs_under(report.rules, "scoring", SAMPLE_VERSION):
        yield sample
    puts_answer_first = runs_under(report.rules, "scoring", ANSWER_FIRST_VERSION)
    if puts_answer_first:
        yield from _find_answer_notices(report)
    yield report.disclaimer
    yield describe_other_writer(report, place)
    if report.writer.get("cut_prompt"):
        read, expected = report.writer["cut_prompt"]
        remedy = _("Raise the context of the server, or choose the quick mode or a brief report.")
        if report.settings["mode"] == "quick":
            remedy = _("Raise the context of the server, or choose a brief report.")
        yield join_sentences(
            [
                _("The sources were too long for the language model: it read only a part of them."),
                gettext(CUT_PROMPT).format(read=read, expected=expected),
                remedy,
            ]
        )
    yield describe_ending(report)
    if runs_under(report.rules, "scoring", WRITTEN_LANGUAGE_VERSION) and not is_audit:
        yield describe_text_language(report)
    yield describe_missing_judge(report, place)
    other_language = describe_other_language(report)
    if other_language and other_language not in _explain_refusal(report):
        yield other_language
    if runs_under(report.rules, "scoring", BLOCKED_SHARE_VERSION) and not _names_cause(report):
        yield describe_blocked_share(report, place)
    if not puts_answer_first:
        yield from _find_answer_notices(report)
    yield describe_lost_citations(report)
    yield unfinished.format_notice(report)
    yield unfinished.format_unchecked_sentences(report)
    yield unfinished.format_failed_checks(report)
    for source in report.sources:
        retraction = provenance.find_retraction(source) if source.number else ""
        if retraction:
            warning = _(
                "Source {number} was retracted, according to {authority}. Do not rely on it."
            )
            yield warning.format(number=source.number, authority=retraction)
    yield _describe_archived_sources(report)
    yield (flags or list_flagged_sentences(report)).notice
    yield _describe_hidden_text(report)


def _find_answer_notices(report: Report) -> Iterator[str]:
    """Yield why the text may be no answer: low confidence, unchecked relevance, no citation."""
    computed = examine(report).confidence
    if computed and computed.level == "low" and computed.caveat:
        yield join_sentences([_("Low confidence."), computed.caveat])
    if report.unscored and report.unscored == count_judged_sources(report):
        yield _("Relevance was not checked: no source could be scored.")
    # The score card of a check tells of citations whose sources could not be read.
    is_audit = checks_report(report.settings)
    cites = any(sentence.citations for sentence in list_sentences(report))
    if not cites and not is_audit and report.decision != "insufficient_data":
        yield _("No sentence of this text cites a source, so none could be checked.")


@in_report_language
def describe_ending(report: Report) -> str:
    """Return that the text ends early, and why; "" if it does not."""
    from research_core.pipeline.synthesize import ENDINGS

    ending = report.writer.get("ending")
    return gettext(ENDINGS[ending]) if ending else ""


@in_report_language
def describe_lost_citations(report: Report) -> str:
    """Return how many sentences lost their citation; "" if none did, and for older sessions."""
    if not runs_under(report.rules, "scoring", LOST_FIRST_VERSION):
        return ""
    lost = sum(map(has_lost_citation, list_sentences(report)))
    if not lost:
        return ""
    return ngettext(
        "{count:,} sentence lost its citation, which named no passage that exists.",
        "{count:,} sentences lost their citations, which named no passage that exists.",
        lost,
    ).format(count=lost)


def _explain_refusal(report: Report) -> str:
    """Return what stands above the notices where there is no report, "" under earlier rules."""
    if report.decision != "insufficient_data":
        return ""
    is_current = runs_under(report.rules, "scoring", CAUSE_VERSION)
    return explain_cause(read_refusal(report)) if is_current else ""


def _names_cause(report: Report) -> bool:
    """Return True if what stands above the notices says all about blocked sources."""
    if not _explain_refusal(report):
        return False
    return report.reason == BLOCKED or lacks_topic(read_refusal(report))


@in_report_language
def describe_other_writer(report: Report, place: Place = "commands") -> str:
    """Return that the extractive writer stepped in, why, and what to do; "" if it did not.

    place: as for `list_notices`.
    """
    failure = _find_writer_failure(report)
    if not failure:
        return ""
    step = _find_next_step(report, failure)
    remedy = _find_remedy(report, failure, step, place)
    quotes, why = describe_quoted_parts(report.writer), _word_failure(report, failure)
    return join_sentences([quotes, why, _escape_step(step), remedy])


@in_report_language
def list_remedies(report: Report) -> list[str]:
    """List what to do where models failed as writer or judge, as plain text."""
    remedies = []
    failure = _find_writer_failure(report)
    step = _find_next_step(report, failure)
    if failure:
        remedies.append(join_sentences([step, _find_remedy(report, failure, step)]))
    if unfinished.list_judged_by_words(report, unfinished.MODEL_FAILED_NOTE):
        of_judge = _find_next_step(report, _find_judge_failure(report))
        if of_judge not in ("", step):
            remedies.append(of_judge)
    return remedies


def _find_writer_failure(report: Report) -> str:
    """Return why sentences are quoted in place of the writer's text; "" if the writer wrote all."""
    failure: str = report.writer["failures"][-1] if describe_quoted_parts(report.writer) else ""
    return failure


#: How to get a report that the writer failed to write, by whether something is to be done first or
#: a limit is the cause, and by place.
_REMEDIES: dict[str, dict[Place, str]] = {
    "again": {
        "commands": N_(
            "To have it written, run `assay rewrite {session}` to ask the model again, or with"
            " `--writer NAME` to use another model."
        ),
        "screen": N_(
            "To have it written, choose “Rewrite report” below, or another model beside it."
        ),
        "screen_without_another": N_(
            "To have it written, choose “Rewrite report” below, or connect another model in"
            " Settings."
        ),
    },
    "then": {
        "commands": N_(
            "Then run `assay rewrite {session}`, or add `--writer NAME` to use another model."
        ),
        "screen": N_("Then choose “Rewrite report” below, or another model beside it."),
        "screen_without_another": N_(
            "Then choose “Rewrite report” below, or connect another model in Settings."
        ),
    },
    "limited": {
        "commands": N_(
            "To have it written, run `assay rewrite {session}` with higher limits, or with `--writer"
            " NAME` to use another model."
        ),
        "screen": N_(
            "To have it written, choose another model below, or ask again with higher limits."
        ),
        "screen_without_another": N_(
            "To have it written, connect another model in Settings, or ask again with higher"
            " limits."
        ),
    },
}


def _find_remedy(report: Report, failure: str, step: str, place: Place = "commands") -> str:
    """Return how to get a report that the writer failed to write.

    step: what to do about this failure first, "" if nothing is known. place: as for `list_notices`.
    """
    case = "again"
    if step:
        case = "then"
    elif _has_limited_writer(report, failure):
        case = "limited"
    return gettext(_REMEDIES[case][place]).format(session=report.session)


def _has_limited_writer(report: Report, failure: str) -> bool:
    """Return True if a limit left the writer no call; under earlier rules, if one may have."""
    if not runs_under(report.rules, "scoring", CAUSE_VERSION):
        return True
    has_limits = any(limit is not None for limit in report.settings.get("caps", {}).values())
    if not runs_under(report.rules, "scoring", NEXT_STEP_VERSION):
        return has_limits
    # Every other failure of the writer is one of a model.
    of_models = report.spent.get("failures", {}).values()
    return has_limits and not any(failure in failures for failures in of_models)


def _find_next_step(report: Report, failure: str) -> str:
    """Return what to do about a failure of a model, "" if nothing is known."""
    step: str = report.spent.get("next_steps", {}).get(failure, "")
    if report.settings["mode"] == "quick":
        step = QUICK_STEPS.get(step, step)
    return _translate(step) if step else ""


def _word_failure(report: Report, failure: str) -> str:
    """Return a failure of a model for a notice, in Markdown."""
    if runs_under(report.rules, "scoring", NEXT_STEP_VERSION):
        failure = _translate(failure)
    return escape_markdown(failure)


def _translate(failure: str) -> str:
    from research_core.web.failure_texts import translate_failure

    return translate_failure(failure)


def _escape_step(step: str) -> str:
    """Escape a next step, which may name models of a server, but keep commands in it as code."""
    return _ESCAPED_CODE.sub(
        lambda code: f"`{code[1].replace(chr(92), '')}`", escape_markdown(step)
    )


def is_all_quoted(report: Report) -> bool:
    """Return True if the whole text is quoted because no model could write it."""
    return report.writer.get("model") == OFFLINE_MODEL and bool(_find_writer_failure(report))


def describe_quoted_parts(writer: Mapping[str, Any]) -> str:
    """Say in one sentence which parts are quoted because the model failed; "" if none.

    writer: as the event `written` has it.
    """
    quoted = _("this report")
    if writer.get("model") != OFFLINE_MODEL:
        quoted = writer.get("parts", {}).get(OFFLINE_MODEL, "")
    if not quoted or not writer["failures"]:
        return ""
    is_several = " and " in quoted or quoted.endswith("s")
    return ngettext(
        "Quoted sentences stand in for {part}, which the language model could not write.",
        "Quoted sentences stand in for {part}, which the language model could not write.",
        2 if is_several else 1,
    ).format(part=quoted)


@in_report_language
def describe_missing_judge(report: Report, place: Place = "commands") -> str:
    """Return how many pages words judged as the model failed, why and what to do; "" if none.

    place: as for `list_notices`.
    """
    by_words = unfinished.list_judged_by_words(report, unfinished.MODEL_FAILED_NOTE)
    if not by_words:
        return ""
    failure = _find_judge_failure(report)
    why, step = _word_failure(report, failure), _find_next_step(report, failure)
    of_writer = _find_writer_failure(report)
    is_repeated = bool(failure) and failure == of_writer
    if is_repeated or not why:
        why = _("The language model gave no score.")
    if is_repeated and runs_under(report.rules, "scoring", NEXT_STEP_VERSION):
        why = _("The language model gave no score, for the same reason.")
    remedy = _(
        "To have a model judge relevance, run `assay rewrite {session}` to ask the model again, or"
        " with `--judge NAME` to use another model."
    ).format(session=report.session)
    if place != "commands":
        remedy = _("To have a model judge relevance, ask again with another judge.")
    judged = unfinished.format_judged_by_words(len(by_words))
    is_new = step != _find_next_step(report, of_writer)
    return join_sentences([judged, why, _escape_step(step) if is_new else "", remedy])


def _find_judge_failure(report: Report) -> str:
    """Return why the model gave no score, by what failed most often; "" if nothing is known."""
    failures: Mapping[str, int] = report.spent.get("failures", {}).get("judge_relevance", {})
    return max(failures, key=lambda reason: (failures[reason], reason), default="")


@in_report_language
def describe_blocked_share(report: Report, place: Place = "commands") -> str:
    """Return how many sources the threshold blocked and what to do, or "".

    Said where it blocked most of the sources that were found and scored, and the report is limited
    or there is none. Own documents are not scored; what the analyst left out does not count.
    place: as for `list_notices`.
    """
    if report.decision not in ("short_report", "insufficient_data"):
        return ""
    scored = [source for source in report.sources if source.parts and source.status != "struck"]
    blocked = sum(source.status == "blocked" for source in scored)
    if 2 * blocked <= len(scored):
        return ""
    minimum = report.settings["credibility"]["minimum"]
    words = ngettext(
        "{blocked} of {sources} was below your minimum credibility of {minimum:.2f}. Lower the"
        " minimum or include single sources: under Sources, or with `assay rewrite"
        " --min-credibility X` or `--approve URL`.",
        "{blocked} of {sources} were below your minimum credibility of {minimum:.2f}. Lower the"
        " minimum or include single sources: under Sources, or with `assay rewrite"
        " --min-credibility X` or `--approve URL`.",
        blocked,
    )
    if place != "commands":
        words = ngettext(
            "{blocked} of {sources} was below your minimum credibility of {minimum:.2f}. Lower the"
            " minimum or include single sources under Sources.",
            "{blocked} of {sources} were below your minimum credibility of {minimum:.2f}. Lower the"
            " minimum or include single sources under Sources.",
            blocked,
        )
    return words.format(blocked=blocked, sources=count_sources(len(scored)), minimum=minimum)


def count_sources(count: int) -> str:
    """Return "1 source" and the like."""
    return ngettext("{count:,} source", "{count:,} sources", count).format(count=count)


def _describe_archived_sources(report: Report) -> str:
    """Return which used sources were read from archived copies and why, or ""."""
    described = []
    for source in report.sources:
        if source.number and source.archived:
            reason = provenance.describe_live_failure(source.attempts)
            words = _("source {number}, copy of {day}")
            if reason:
                words = _("source {number}, copy of {day}: {reason}")
            day = escape_markdown(source.archived.day)
            described.append(words.format(number=source.number, day=day, reason=reason))
    if not described:
        return ""
    notice = _("Read from archived copies, not from the live pages: {copies}.")
    return notice.format(copies=join_clauses(described))


def _describe_hidden_text(report: Report) -> str:
    """Return which cited sources hide text in unusual ways, or ""."""
    if not runs_under(report.rules, "scoring", MARKS_VERSION):
        return ""
    number_of = _map_passage_numbers(report)
    cited: set[int | None] = set()
    for sentence in list_sentences(report):
        cited.update(number_of.get(passage) for passage in sentence.citations)
    named = []
    for source in report.sources:
        if source.number and source.number in cited and hides_unusually(source.hidden):
            name = escape_markdown(source.title or source.address)
            named.append(f"[{source.number}] {name}")
    if not named:
        return ""
    return ngettext(
        "{count} cited source has text that its page hides from readers. It was removed before the"
        " page was read: {sources}.",
        "{count} cited sources have text that their pages hide from readers. It was removed before"
        " the pages were read: {sources}.",
        len(named),
    ).format(count=len(named), sources=join_list(named))


@in_report_language
def list_flagged_sentences(report: Report) -> ReviewFlags:
    """Return the sentences that must be checked before the report is used."""
    return find_flags(report.blocks, _map_passage_texts(report))


def _map_passage_texts(report: Report) -> dict[str, str]:
    return {passage.id: passage.text for source in report.sources for passage in source.passages}


def count_judged_sources(report: Report) -> int:
    """Count the sources the gate kept or dropped, the total that kept sources are compared with."""
    return report.funnel["kept"] + report.funnel["dropped"]


def _map_passage_numbers(report: Report) -> dict[str, int]:
    """Map each passage id to its source number; of two equal texts, to the first."""
    numbers: dict[str, int] = {}
    for source in report.sources:
        if source.number:
            for passage in source.passages:
                numbers.setdefault(passage.id, source.number)
    return numbers


def escape_text(report: Report) -> tuple[Block, ...]:
    """Return the text for display, with Markdown signs of cited pages escaped."""
    passages = _map_passage_texts(report)
    blocks = []
    for block in report.blocks:
        sentences = draft.escape_literal_signs(block.sentences, passages)
        blocks.append(replace(block, sentences=sentences))
    return tuple(blocks)


@in_report_language
def build_exported_text(report: Report, found: Findings | None = None) -> tuple[Block, ...]:
    """Return the text for export, with the computed part under Confidence Assessment.

    found: the findings of the report, if known.
    """
    blocks = escape_text(report)
    computed = confidence.build_confidence_blocks(found or examine(report))
    if not computed:
        return blocks
    last_section = ""
    for section, _block in iterate_sections(blocks):
        last_section = section
    if last_section == gettext(ABOUT_THE_EVIDENCE):
        return (*blocks, *computed)
    heading = Block("heading", (Sentence(gettext(ABOUT_THE_EVIDENCE)),), 2)
    return (*blocks, heading, *computed)


def _format_flagged_sentences(report: Report, found: ReviewFlags) -> str:
    """List the sentences to check, each with its source numbers and the reason."""
    if not found:
        return ""
    number_of = _map_passage_numbers(report)
    lines = []
    for sentence in (*found.lacking, *found.doubtful, *found.unchecked):
        numbers = [number_of[name] for name in sentence.citations if name in number_of]
        marks = "".join(f"[{number}]" for number in dict.fromkeys(numbers))
        text = escape_markdown(truncate(sentence.text, MAX_SHOWN_LENGTH))
        why = escape_markdown(sentence.note) or gettext(STATE_FLAGS[sentence.state])
        lines.append(f"- {put_in_quotes(text)} {marks}: {why}")
    heading = _("Sentences to Check")
    return f"## {heading}\n\n" + "\n".join(lines)


def _format_sources_section(report: Report) -> str:
    by_hand = runs_under(report.rules, "scoring", MARKS_VERSION)
    kept = [
        _format_citation(source, report, by_hand=by_hand)
        for source in report.sources
        if source.status == "kept"
    ]
    # Without two spaces before a line break Markdown joins the lines.
    cited = format_citations(kept).replace("\n", "  \n")
    parts = [f"## {_('Sources')}", cited or _("No source was kept.")]
    unused = [f"- {line}" for line in _format_unused_sources(report)]
    if unused:
        parts += [f"### {_('Not used')}", "\n".join(unused)]
    return "\n\n".join(parts)


def _format_unused_sources(report: Report) -> Iterator[str]:
    """Yield a line for each lost source, and one line for all blocked ones, as they can be many."""
    for source in report.sources:
        if source.status in ("dropped", "failed", "struck", "duplicate"):
            yield _format_lost_source(source)
    blocked = [source for source in report.sources if source.status == "blocked"]
    if not blocked:
        return
    names = []
    for source in blocked[:MAX_NAMED_SOURCES]:
        name = format_link(source.title, source.url)
        names.append(f"{name} {source.parts.score:.2f}" if source.parts else name)
    minimum = report.settings["credibility"]["minimum"]
    words = _("At or below the minimum credibility of {minimum:.2f}: {sources}.")
    if len(blocked) > MAX_NAMED_SOURCES:
        words = _(
            "At or below the minimum credibility of {minimum:.2f}: {sources}, and {count} more,"
            " listed with their reasons in the JSON export."
        )
    rest = len(blocked) - MAX_NAMED_SOURCES
    yield words.format(minimum=minimum, sources=join_list(names), count=rest)


def _format_citation(source: ReportSource, report: Report, *, by_hand: bool) -> dict[str, Any]:
    return {
        "url": source.address,
        "listed": source.url if source.redirected_to else "",
        "title": source.title,
        "copy_of": source.copy_of,
        "hides": describe_marks(source, by_hand=by_hand, unused=describe_unused(source, report)),
        "claim": provenance.find_claimed_address(source),
        "score": source.parts.score if source.parts else None,
        "archived": (source.archived.named, source.archived.url) if source.archived else None,
        "live_failure": provenance.describe_live_failure(source.attempts),
    }


def find_quoted(report: Report) -> frozenset[str]:
    """Return the URLs of the sources that a sentence of the text cites."""
    cited = _list_cited(report)
    return frozenset(source.url for source in report.sources if _is_among(source, cited))


def _list_cited(report: Report) -> frozenset[str]:
    """Return the ids of the passages that the text cites."""
    return frozenset(chain.from_iterable(each.citations for each in list_sentences(report)))


def _is_among(source: ReportSource, cited: Set[str]) -> bool:
    return not cited.isdisjoint(passage.id for passage in source.passages)


def find_unquoted(report: Report) -> frozenset[str]:
    """Return the URLs of the kept sources that no sentence of the text cites."""
    return frozenset(one.url for one in report.sources if one.number) - find_quoted(report)


def describe_unused(source: ReportSource, report: Report) -> str:
    """Say that a report cites none of a source that it kept, or ""; older reports do not say so."""
    if source.status != "kept" or report.decision == "insufficient_data":
        return ""
    if checks_report(report.settings) or not runs_under(report.rules, "scoring", UNQUOTED_VERSION):
        return ""
    if _is_among(source, _list_cited(report)):
        return ""
    return _("not quoted") if report.is_quoted else _("not cited")


def describe_marks(source: ReportSource, *, by_hand: bool = True, unused: str = "") -> str:
    """Describe in a few words what to know of a used source besides its scores, or "".

    by_hand: also that the analyst included it, which the reports of older sessions do not say.
    unused: what `describe_unused` says of it.
    """
    instructions = count_machine_instructions(source)
    marks = [
        provenance.describe_hidden_texts(source),
        provenance.describe_machine_instructions(instructions),
    ]
    retraction = provenance.find_retraction(source)
    if retraction:
        marks.append(_("retracted, according to {authority}").format(authority=retraction))
    if source.approved and by_hand:
        marks.insert(0, _("included by hand"))
    if provenance.is_unknown_host(source):
        marks.append(_("unknown site"))
    marks.append(unused)
    return join_list([mark for mark in marks if mark])


def _format_lost_source(source: ReportSource) -> str:
    details = []
    if source.parts:
        details.append(_("credibility {score:.2f}").format(score=source.parts.score))
    if source.relevance and source.relevance.scored:
        details.append(_("relevance {score}/5").format(score=source.relevance.score))
    why = escape_markdown(source.reason)
    if source.status in _LOST:
        details.append(end_with_stop(gettext(_LOST[source.status])))
        told = join_sentences([join_list(details), end_sentence(why)])
    else:
        told = end_with_stop(join_list([*details, why]))
    return f"{format_link(source.title, source.url)}: {told}"


def _format_methodology(report: Report) -> str:
    return f"## {_('Methodology')}\n\n" + "\n".join(
        f"- {line}" for line in describe_methods(report)
    )


# -- JSON ----------------------------------------------------------------------


@in_report_language
def to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values; `report.schema.json` describes the shape."""
    found = examine(report)
    return {
        "schema": _find_schema_version(report),
        "session": report.session,
        "question": report.question,
        "asked": datetime.fromtimestamp(report.created, UTC).isoformat(timespec="seconds"),
        "settings": dict(report.settings),
        "decision": report.decision,
        "rationale": report.rationale,
        "reason": report.reason,
        "disclaimer": report.disclaimer,
        "notices": [*_list_no_report_notices(report), *list_notices(report)],
        "sources": [_source_to_json(source) for source in report.sources],
        "headings": [
            sentence.text
            for block in report.blocks
            if block.kind == "heading"
            for sentence in block.sentences
        ],
        "sentences": list(_sentences_to_json(report, found)),
        **_findings_to_json(report, found),
        "funnel": dict(report.funnel),
        "searches": [dict(search) for search in report.searches],
        "queries": [dict(query) for query in report.queries],
        "instructions": list(report.instructions),
        "spent": dict(report.spent),
        "removed_citations": report.removed_citations,
        "stopped": report.stopped,
        **({"writer": _describe_writer(report)} if report.writer else {}),
        **({"plan_review": dict(report.plan["review"])} if report.plan.get("review") else {}),
    }


def _describe_writer(report: Report) -> dict[str, Any]:
    """Return the writer as the JSON has it, without what is said above the text."""
    return {name: report.writer[name] for name in report.writer if name not in SAID_ABOVE}


def _find_schema_version(report: Report) -> int:
    """Return the version of the JSON, so that that of an older session stays as it was stored."""
    if runs_under(report.rules, "scoring", confidence.ANSWER_VERSION):
        return SCHEMA_VERSION
    return EARLIER_SCHEMA_VERSION


def _list_no_report_notices(report: Report) -> list[str]:
    if report.decision != "insufficient_data":
        return []
    return [f"{format_no_report(report)} {explain_no_report(report)}"]


def _source_to_json(source: ReportSource) -> dict[str, Any]:
    metadata = {**asdict(source.metadata), "authors": list(source.metadata.authors)}
    if not source.metadata.note:
        del metadata["note"]  # as in reports of earlier versions
    return {
        "number": source.number,
        "url": source.url,
        "title": source.title,
        "status": source.status,
        "reason": source.reason,
        "kept": source.status == "kept",
        "blocked": source.status == "blocked",
        "approved": source.approved,
        "own": is_own_document(source.url),
        "published": source.published,
        "credibility": asdict(source.parts) if source.parts else None,
        "relevance": _relevance_to_json(source),
        "kind": source.kind,
        "metadata": metadata,
        "hidden": [
            {"reason": reason, "count": count}
            for reason, count in sorted(source.hidden.counts.items())
        ],
        "speaks_to_machines": count_machine_instructions(source),
        "attempts": attempts_to_json(source.attempts),
        "page": source.page,
        "archived": asdict(source.archived) if source.archived else None,
        "partial": source.partial,
        "copy_of": source.copy_of,
        "landed": source.redirected_to,
        "cost": source.cost,
        "ratings": dict(source.ratings),
        "signs": dict(source.page_signals),
        "passages": [asdict(passage) for passage in source.passages],
    }


def _findings_to_json(report: Report, found: Findings) -> dict[str, Any]:
    """Return what comparing sources and sentences shows, as plain values."""
    numbers = [source.number for source in report.sources if source.number]
    groups = independence.group_voices(numbers, report.ties)
    return {
        "independence": [
            {"sources": list(group.sources), "ties": [asdict(tie) for tie in group.ties]}
            for group in groups
        ],
        "contradictions": contradictions_to_json(found.contradictions),
        "confidence": _confidence_to_json(found.confidence) if found.confidence else None,
    }


def _confidence_to_json(computed: Confidence) -> dict[str, Any]:
    """Return the confidence as plain values; older sessions have no reason."""
    value: dict[str, Any] = {"level": computed.level}
    if computed.reason is not None:
        value["reason"] = computed.reason
    value["lines"] = [asdict(line) for line in computed.visible_lines]
    return value


def _relevance_to_json(source: ReportSource) -> dict[str, Any] | None:
    judgement = source.relevance
    if judgement is None:
        return None
    return {
        "score": judgement.score,
        "explanation": judgement.explanation,
        "scored": judgement.scored,
    }


def _sentences_to_json(report: Report, found: Findings) -> Iterator[dict[str, Any]]:
    number_of = _map_passage_numbers(report)
    single = found.single
    heading = ""
    places = count()
    for block in report.blocks:
        if block.kind == "heading":
            heading = block.sentences[0].text if block.sentences else ""
        for sentence in block.sentences:
            one_source = next(places) in single
            is_empty_cell = block.kind == "table" and not sentence.text
            if block.kind == "heading" or is_empty_cell:
                continue
            citations = []
            for passage in sentence.citations:
                if passage in number_of:
                    citations.append({"passage": passage, "source": number_of[passage]})
            yield {
                "section": heading,
                "text": sentence.text,
                "citations": citations,
                "state": sentence.state,
                "note": sentence.note,
                "one_source": one_source,
                **({"quoted": True} if report.is_quotation(sentence) else {}),
            }
