"""List what a run left undone because it ended early or a cap left it no model calls.

Everything is read from the report, without the log. What more time would have found is unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from research_core.citations.marks import format_link
from research_core.i18n import (
    N_,
    _,
    compile_message,
    gettext,
    in_report_language,
    join_clauses,
    join_list,
    join_sentences,
    list_translations,
    ngettext,
    put_in_quotes,
)
from research_core.journal.rule_versions import runs_under
from research_core.models import Report, ReportSource
from research_core.modes import THOROUGH_MODES
from research_core.text.words import escape_markdown

#: So many pages are named of each kind; the rest are counted.
MAX_NAMED_PAGES = 5
#: Why a source was not read that the run had begun with when it was stopped; to be translated.
STOPPED_REASON = N_("not read: stopped")
#: The name in the log of the step that checks doubtful sentences with a model.
CHECKING = "checks of sentences"
#: How the explanation of a judgement by words begins, by why no model gave it; to be translated.
JUDGED_BY_WORDS_NOTE = N_("Judged by words alone: the limit left no model call.")
MODEL_FAILED_NOTE = N_("Judged by words alone: the model gave no score.")
#: What a report says where a cap left no model call for doubtful sentences.
UNCHECKED_NOTICE = N_("Not all doubtful sentences were checked by the language model.")
#: The note on a doubtful sentence beyond those that a model is asked about; to be translated.
TOO_MANY_NOTE = N_("No language model was asked about it: too many sentences were in doubt.")

#: What an answer lacks, and the note on a doubtful sentence that a model failed to check; to be
#: translated.
NO_VERDICT = N_("its answer held no verdict on this sentence")
NO_VERDICT_NOTE = N_("A language model could not check it: {why}.")
#: The version of the rules of scoring from which a report says above the text that checks failed.
FAILED_CHECKS_VERSION = 7


@dataclass(frozen=True)
class UnfinishedWork:
    """What a run left undone.

    planned: whether a plan was made, if the run makes one; followed: whether a thorough run asked
    for gaps; queries: planned and not searched, or not by every engine; unread: begun and not read;
    unjudged: read and not judged; unbegun: how many more passed the threshold; by_words: judged
    without the model, because a cap left no call; checked: whether a cap left the calls for all
    doubtful sentences.
    """

    planned: bool
    followed: bool
    queries: tuple[str, ...]
    unread: tuple[ReportSource, ...]
    unjudged: tuple[ReportSource, ...]
    unbegun: int
    by_words: tuple[ReportSource, ...]
    checked: bool = True


@in_report_language
def find_unfinished_work(report: Report) -> UnfinishedWork | None:
    """Return what the run left undone, None if nothing stopped it and no cap left a call out."""
    by_words = list_judged_by_words(report, JUDGED_BY_WORDS_NOTE)
    limit = report.spent.get("limit", {})
    left_out = limit.get("by_rules", ())
    checked = CHECKING not in left_out
    if not report.stopped:
        if not limit:
            return None
        return UnfinishedWork(True, "gaps" not in left_out, (), (), (), 0, by_words, checked)
    by_plan = report.settings["strategy"] == "planned"
    looks_for_gaps = by_plan and report.settings["mode"] in THOROUGH_MODES
    asked_for_gaps = any(query["purpose"] == "gap" for query in report.queries)
    searched = {search["order"] for search in report.searches}
    not_read = [source for source in report.sources if source.status == "not_read"]
    without_page = [source for source in not_read if not source.page]
    unread = [source for source in without_page if source.reason == gettext(STOPPED_REASON)]
    return UnfinishedWork(
        planned=bool(report.plan) or not by_plan,
        followed=not looks_for_gaps or bool(report.gaps) or asked_for_gaps,
        queries=tuple(query["text"] for query in report.queries if query["order"] not in searched),
        unread=tuple(unread),
        unjudged=tuple(source for source in not_read if source.page),
        unbegun=len(without_page) - len(unread),
        by_words=by_words,
        checked=checked,
    )


def list_judged_by_words(report: Report, note: str) -> tuple[ReportSource, ...]:
    """Return the sources judged by words whose explanations begin with this note."""
    start = gettext(note)
    found = []
    for source in report.sources:
        if source.relevance and source.relevance.explanation.startswith(start):
            found.append(source)
    return tuple(found)


@in_report_language
def format_unchecked_sentences(report: Report) -> str:
    """Return how many doubtful sentences were too many to ask a model about, "" if none were."""
    notes = tuple(list_translations(TOO_MANY_NOTE))
    count = sum(note.endswith(notes) for note in _list_notes(report))
    if not count:
        return ""
    return ngettext(
        "{count:,} doubtful sentence was not checked by the language model: there were too many.",
        "{count:,} doubtful sentences were not checked by the language model: there were too many.",
        count,
    ).format(count=count)


@in_report_language
def format_failed_checks(report: Report) -> str:
    """Return how many doubtful sentences the model failed to check, and why; "" if none."""
    if not runs_under(report.rules, "scoring", FAILED_CHECKS_VERSION):
        return ""
    from research_core.web.failure_texts import translate_failure

    reasons = Counter(filter(None, map(_find_no_verdict_reason, _list_notes(report))))
    if not reasons:
        return ""
    count = sum(reasons.values())
    reason = reasons.most_common(1)[0][0]
    why = translate_failure(f"{reason}.").rstrip(".。")
    if count > 1 and reason in list_translations(NO_VERDICT):
        why = _("its answer held no verdict on them")
    return ngettext(
        "{count:,} doubtful sentence was not checked by the language model: {why}.",
        "{count:,} doubtful sentences were not checked by the language model: {why}.",
        count,
    ).format(count=count, why=escape_markdown(why))


def _list_notes(report: Report) -> list[str]:
    return [sentence.note for block in report.blocks for sentence in block.sentences]


def _find_no_verdict_reason(note: str) -> str:
    """Return why a model failed to check a sentence, by its note; "" if it did not fail."""
    for pattern in _compile_no_verdict_notes():
        found = pattern.search(note)
        if found:
            return found["why"]
    return ""


@cache
def _compile_no_verdict_notes() -> tuple[re.Pattern[str], ...]:
    """Compile the note on a sentence that a model failed to check, in every language."""
    texts = list_translations(NO_VERDICT_NOTE)
    return tuple(compile_message(text, lambda _name: ".+") for text in texts)


def format_judged_by_words(count: int) -> str:
    """Return how many pages were judged by words."""
    judged = ngettext(
        "{count} page was judged by words alone.",
        "{count} pages were judged by words alone.",
        count,
    )
    return judged.format(count=count)


def format_notice(report: Report) -> str:
    """Return one sentence for the head of a report, "" if nothing was left."""
    left = find_unfinished_work(report)
    if left is None:
        return ""
    counts = list(_count_unfinished(left))
    if report.stopped:
        left_out = join_list(counts) if counts else _("nothing that was begun")
        stopped = _("Stopped early ({why}). Left out: {counts}.")
        sentences = [stopped.format(why=escape_markdown(gettext(report.stopped)), counts=left_out)]
    else:
        limited = _("Because of a limit, some model calls were left out ({why}).")
        reached = gettext(report.spent["limit"]["reached"])
        sentences = [limited.format(why=escape_markdown(reached))]
        if not left.followed:
            sentences.append(_("Open points were not searched for any more."))
    if left.by_words:
        sentences.append(format_judged_by_words(len(left.by_words)))
    if not left.checked:
        sentences.append(gettext(UNCHECKED_NOTICE))
    if report.stopped and report.decision != "insufficient_data":
        sentences.append(_("The report uses only what was read until then."))
    return join_sentences(sentences)


def _count_unfinished(left: UnfinishedWork) -> Iterator[str]:
    """Yield what was left out, with its number."""
    queries, unread, unjudged = len(left.queries), len(left.unread), len(left.unjudged)
    if queries:
        words = ngettext("{count} query not searched", "{count} queries not searched", queries)
        yield words.format(count=queries)
    if unread:
        words = ngettext("{count} page not read", "{count} pages not read", unread)
        yield words.format(count=unread)
    if unjudged:
        words = ngettext(
            "{count} page read and not judged", "{count} pages read and not judged", unjudged
        )
        yield words.format(count=unjudged)
    if left.unbegun:
        words = ngettext(
            "{count} more result not begun", "{count} more results not begun", left.unbegun
        )
        yield words.format(count=left.unbegun)
    if not left.planned:
        yield _("no plan made")
    if not left.followed:
        yield _("no query for open points")


def list_unfinished_lines(report: Report) -> list[str]:
    """Return one sentence of Markdown for each kind of unfinished work."""
    left = find_unfinished_work(report)
    if left is None:
        return []
    lines = []
    if not left.planned:
        lines.append(_("No plan was made before the run stopped: only the question was searched."))
    if not left.followed:
        lines.append(_("Open points were not searched for any more."))
    if left.queries:
        queries = join_clauses([put_in_quotes(escape_markdown(text)) for text in left.queries])
        lines.append(_("Queries not searched for this reason: {queries}.").format(queries=queries))
    if left.unread:
        pages = _format_sources(left.unread)
        lines.append(_("Pages not read for this reason: {pages}.").format(pages=pages))
    if left.unjudged:
        pages = _format_sources(left.unjudged)
        unjudged = _("Pages read, but not judged and not used for this reason: {pages}.")
        lines.append(unjudged.format(pages=pages))
    if left.by_words:
        pages = _format_sources(left.by_words)
        judged = _("Pages judged by words alone, because the limit left no model call: {pages}.")
        lines.append(judged.format(pages=pages))
    if not left.checked:
        lines.append(gettext(UNCHECKED_NOTICE))
    if left.unbegun:
        unbegun = _("Further results above the minimum credibility that were not opened: {count}.")
        lines.append(unbegun.format(count=left.unbegun))
    return lines


def _format_sources(sources: tuple[ReportSource, ...]) -> str:
    links = [format_link(source.title, source.address) for source in sources[:MAX_NAMED_PAGES]]
    text = join_list(links)
    if len(sources) > MAX_NAMED_PAGES:
        more = _("{pages} and {count} more")
        return more.format(pages=text, count=len(sources) - MAX_NAMED_PAGES)
    return text
