"""Describe how a report came about, one line of Markdown for each fact.

Everything is computed from the report; times are those of the log, in UTC. No model is involved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from research_core.citations.marks import format_link
from research_core.i18n import (
    EARLIER_ENGLISH,
    N_,
    _,
    current_language,
    end_with_stop,
    format_number,
    gettext,
    in_report_language,
    join_clauses,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.journal.rule_versions import runs_under
from research_core.models import (
    DECISION_STATES,
    LinkCounts,
    Report,
    Sentence,
    describe_respelled,
)
from research_core.pipeline import unfinished
from research_core.pipeline.approved_plan import describe_plan_changes
from research_core.policy import (
    LIBRARY_ENGINE,
    OFFLINE_MODEL,
    SAMPLE_LIBRARY,
    SESSION_ENGINE,
    WORDS_ALONE,
    WRITING_KINDS,
    RunSettings,
    checks_report,
    name_model,
    searches_sample,
)
from research_core.text.support import is_less_sure
from research_core.text.words import escape_markdown, format_amount
from research_core.trust import independence, provenance
from research_core.urls import is_own_document

#: The results of checking sentences, with their number.
SENTENCE_STATES = {
    "supported": N_("{count} supported"),
    "partly": N_("{count} partly"),
    "not found": N_("{count} not found"),
    "could not check": N_("{count} could not check"),
    "uncited": N_("{count} uncited"),
}
#: The names of modes and strategies in settings.
RUN_NAMES = (
    N_("quick"),
    N_("standard"),
    N_("deep"),
    N_("exhaustive"),
    N_("planned"),
    N_("agentic"),
)
#: What a query was for.
PURPOSES = {
    "question": N_("question"),
    "planned": N_("planned"),
    "refined": N_("refined"),
    "counter": N_("evidence against"),
    "gap": N_("to fill a gap"),
    "instruction": N_("instruction"),
    "tool": N_("tool"),
}
#: The version of the rules of scoring from which a report says that it cost more than its limit and
#: that the writer's prompt was cut off, and gives each reason for an unusable answer once.
SPENDING_VERSION = 6
#: The version of the rules of scoring from which a report says that it used more tokens than its
#: limit.
TOKENS_VERSION = 7
#: What an engine answered, with the number of queries.
SEARCH_STATES = {
    "answered": N_("{count} with results"),
    "empty": N_("{count} without results"),
    "refused": N_("{count} refused"),
    "timed_out": N_("{count} timed out"),
    "failed": N_("{count} failed"),
}
#: How many searches an engine answered; "": one that is named as it is.
ENGINE_SEARCHES = {
    "": N_("Searches with {engine}: {total} ({counts})."),
    LIBRARY_ENGINE: N_("Searches of the library: {total} ({counts})."),
    SESSION_ENGINE: N_("Searches of the session before: {total} ({counts})."),
}


@in_report_language
def describe_methods(report: Report) -> list[str]:
    """Return how the report came about, one escaped line of Markdown for each fact."""
    return [line for line in _list_methods(report) if line]


def _list_methods(report: Report) -> Iterator[str]:
    yield from _describe_run(report)
    yield from _describe_queries(report)
    yield from _describe_searches(report)
    yield from _describe_funnel(report)
    yield from _describe_manual_decisions(report)
    yield from _describe_kept_sources(report)
    yield _describe_checks(report)
    yield unfinished.format_unchecked_sentences(report)
    yield _describe_uncited(report)
    removed = _("Citations removed because they named no stored passage: {count}.")
    yield removed.format(count=report.removed_citations)
    yield _describe_cost(report)
    yield _describe_overspending(report)
    yield _describe_excess_tokens(report)


def _describe_run(report: Report) -> Iterator[str]:
    settings = report.settings
    asked = _("Asked on {moment} in {mode} mode, {strategy} strategy, with the model {model}.")
    if settings["model"] == OFFLINE_MODEL:
        asked = _(
            "Asked on {moment} in {mode} mode, {strategy} strategy, without a language model."
        )
    if settings["strategy"] == "planned" and current_language() != EARLIER_ENGLISH:
        asked = _("Asked on {moment} in {mode} mode, with the model {model}.")
        if settings["model"] == OFFLINE_MODEL:
            asked = _("Asked on {moment} in {mode} mode, without a language model.")
    yield asked.format(
        moment=format_moment(report.created),
        mode=gettext(settings["mode"]),
        strategy=gettext(settings["strategy"]),
        model=settings["model"],
    )
    yield from _describe_models(report)
    if "library" in settings["engines"]:
        library = settings["library"]
        searched = _("Library searched: {library}.")
        if library == SAMPLE_LIBRARY:
            searched = _(
                "Library searched: {library} (written for trying Assay: its publishers and people"
                " are invented, and its addresses lead nowhere)."
            )
        yield searched.format(library=escape_markdown(library))
    yield _("Decision: {decision}. {reason}.").format(
        decision=name_outcome(report), reason=report.rationale
    )
    yield from _describe_meaning(report)
    if report.stopped:
        stopped = _("Stopped early: {why}. Sources not read or not judged: {count}.")
        yield stopped.format(why=gettext(report.stopped), count=report.funnel["not_read"])
    yield from unfinished.list_unfinished_lines(report)
    if settings.get("follows"):
        yield _("Follows up: “{question}”.").format(question=escape_markdown(settings["follows"]))


#: What stands at the head of a report from the sample library.
SAMPLE_NOTICE = N_(
    "Sample library: its pages were written for trying Assay out; outlets and people are invented."
)


def describe_sample(settings: Mapping[str, Any]) -> str:
    """Say that a report is from the sample library; "" if it is not. settings: of its session."""
    is_sample = searches_sample(settings["engines"], settings["library"])
    return gettext(SAMPLE_NOTICE) if is_sample else ""


def name_outcome(report: Report) -> str:
    """Return the gate's decision in words; the check of a given report has none."""
    if checks_report(report.settings):
        return _("report checked")
    return gettext(DECISION_STATES[report.decision].word)


#: What a model is asked for, by kind of request, in the order of a run.
MODEL_TASKS = {
    "plan": N_("plan"),
    "refine": N_("refined query"),
    "choose_tools": N_("choice of tools"),
    "gaps": N_("gaps"),
    "judge_relevance": N_("relevance"),
    "judge_again": N_("relevance, asked again"),
    "write": N_("report"),
    "write_section": N_("sections"),
    "write_frame": N_("summary"),
    "explain_insufficient": N_("explanation"),
    "verify_sentence": N_("checks of sentences"),
}


def _describe_models(report: Report) -> Iterator[str]:
    """Yield which models answered, and why answers of the writer could not be used."""
    answers = dict(report.spent.get("models", {}))
    if report.writer:
        for kind in ("write_section", "write_frame"):
            answers.pop(kind, None)
        answers["write"] = [report.writer["model"]]
    tasks = []
    for kind, task in MODEL_TASKS.items():
        if kind in answers:
            names = join_list([_name_answering(name) for name in answers[kind]])
            tasks.append(f"{gettext(task)}: {names}")
    if tasks:
        yield _("Models that answered, by task: {tasks}.").format(tasks=join_clauses(tasks))
    failed = list(_list_failures(report))
    if failed:
        yield _("Models that failed, and at what: {failures}.").format(
            failures=join_clauses(failed)
        )
    if report.writer.get("failures"):
        failures = " ".join(_count_repeated(report))
        label = _("Unusable answers of the writer: {failures}")
        if runs_under(report.rules, "scoring", SPENDING_VERSION):
            label = _("Problems while writing: {failures}")  # a cap is among them, too
        yield label.format(failures=failures)


def _name_answering(model: str) -> str:
    if model == OFFLINE_MODEL and current_language() != EARLIER_ENGLISH:
        return name_model(model)
    return escape_markdown(model)


def _list_failures(report: Report) -> Iterator[str]:
    """Yield why models did not answer and at which tasks, without what is said of the writer."""
    failures = report.spent.get("failures", {})
    tasks_by_reason: dict[str, list[str]] = {}
    for kind, task in MODEL_TASKS.items():
        for text in failures.get(kind, {}):
            if kind not in WRITING_KINDS or text not in report.writer.get("failures", ()):
                tasks_by_reason.setdefault(text, []).append(gettext(task))
    for text, tasks in tasks_by_reason.items():
        reason = escape_markdown(text).rstrip(".。")
        yield _("{reason} ({tasks})").format(reason=reason, tasks=join_list(tasks))


def _count_repeated(report: Report) -> list[str]:
    """Return why answers of the writer could not be used: each reason once, with its count."""
    failures: list[str] = report.writer["failures"]
    if not runs_under(report.rules, "scoring", SPENDING_VERSION):
        return [escape_markdown(text) for text in failures]
    reasons = []
    for text, count in Counter(failures).items():
        reason = escape_markdown(text)
        if count > 1:
            again = _("{reason} ({count} times).")
            reason = again.format(reason=reason.rstrip(".。"), count=count)
        reasons.append(reason)
    return reasons


def _describe_meaning(report: Report) -> Iterator[str]:
    """Yield by what passages were chosen and relevance judged, if the session recorded it."""
    chosen_by, judged_by = report.settings.get("passage_model"), report.settings.get("judging")
    if not chosen_by:
        if judged_by:
            judged = _("Relevance was judged by words and by meaning ({model}).")
            yield judged.format(model=_name_embedding(judged_by))
        return
    from research_core.text.sentence_meaning import knows_language

    by_offline_model = RunSettings.from_json(report.settings).judging_model == OFFLINE_MODEL
    words, english_only, meaning = _BASES[by_offline_model]
    basis = meaning
    if chosen_by == WORDS_ALONE:
        basis = words
    elif not knows_language(report.question):
        basis = english_only
    yield gettext(basis).format(model=_name_embedding(chosen_by))


def _name_embedding(model: str) -> str:
    """Name the model that compares meanings; the settings in the JSON have its exact name."""
    from research_core.text.embeddings import MODEL_NAME

    if model == MODEL_NAME and current_language() != EARLIER_ENGLISH:
        return _("a small model on this machine")
    return model


#: By what passages were chosen, by whether the offline model judged relevance by the same: by words
#: alone, by words as the model knows English only, and by words and meaning.
_BASES = {
    False: (
        N_("Passages were chosen by words alone: no embedding model could be used."),
        N_(
            "Passages were chosen by words alone: the embedding model ({model}) knows only English."
        ),
        N_("Passages were chosen by words and by meaning ({model})."),
    ),
    True: (
        N_(
            "Passages were chosen and relevance was judged by words alone: no embedding model could"
            " be used."
        ),
        N_(
            "Passages were chosen and relevance was judged by words alone: the embedding model"
            " ({model}) knows only English."
        ),
        N_("Passages were chosen and relevance was judged by words and by meaning ({model})."),
    ),
}


def _describe_queries(report: Report) -> Iterator[str]:
    if report.instructions:
        instructions = join_clauses(
            [put_in_quotes(escape_markdown(text)) for text in report.instructions]
        )
        yield _("Added by the analyst: {instructions}.").format(instructions=instructions)
    if report.queries:
        yield _("Queries: {queries}.").format(queries=join_clauses(_list_queries(report)))
    yield from _describe_counter_search(report)
    if report.plan.get("note"):
        from research_core.web.failure_texts import translate_failure

        note = translate_failure(report.plan["note"])
        yield _("Plan: {note}").format(note=escape_markdown(note))
    if report.plan.get("review"):
        yield escape_markdown(describe_plan_changes(report.plan["review"]))
    if report.gaps:
        gaps = join_clauses([escape_markdown(gap).rstrip(".") for gap in report.gaps])
        yield end_sentence(_("Gaps looked for: {gaps}").format(gaps=gaps))


def _list_queries(report: Report) -> list[str]:
    """List the queries with their purposes; one with several is listed once, as it is one search.

    Reports of earlier rules list each by itself.
    """
    purposes: dict[Any, list[str]] = {}
    for place, query in enumerate(report.queries):
        key = place if current_language() == EARLIER_ENGLISH else query["text"]
        purpose = gettext(PURPOSES.get(query["purpose"], query["purpose"]))
        purposes.setdefault((query["text"], key), []).append(purpose)
    queries = []
    for (text, _key), found in purposes.items():
        named = join_list(list(dict.fromkeys(found)))
        queries.append(f"{put_in_quotes(escape_markdown(text))} ({named})")
    return queries


def _describe_counter_search(report: Report) -> Iterator[str]:
    """Yield how many of the used sources the search for evidence against listed."""
    kept = sum(source.number > 0 for source in report.sources)
    for query in report.queries:
        if query["purpose"] == "counter":
            words = ngettext(
                "One query looked for evidence against. Of the {kept:,} source used, it found"
                " {used}, and {alone} that no other query found.",
                "One query looked for evidence against. Of the {kept:,} sources used, it found"
                " {used}, and {alone} that no other query found.",
                kept,
            )
            yield words.format(kept=kept, used=query["used"], alone=query["used_alone"])


def _describe_funnel(report: Report) -> Iterator[str]:
    count = report.funnel
    yield _(
        "Funnel: {found} found, {eligible} eligible, {fetched} fetched, {judged} judged, {kept} kept."
    ).format(**{step: count[step] for step in ("found", "eligible", "fetched", "judged", "kept")})
    blocked = count["blocked_when_asked"] + count["blocked_never_asked"]
    if blocked or current_language() == EARLIER_ENGLISH:
        # The wording of older reports tells two kinds of blocked sources apart.
        yield _(
            "Sources not read because their credibility is not above the minimum of {minimum:.2f}:"
            " {count}."
        ).format(
            count=blocked,
            asked=count["blocked_when_asked"],
            never=count["blocked_never_asked"],
            minimum=report.settings["credibility"]["minimum"],
        )


def _describe_manual_decisions(report: Report) -> Iterator[str]:
    approved = [source for source in report.sources if source.approved]
    if approved:
        links = join_list([format_link(source.title, source.address) for source in approved])
        included = _("Included by the analyst despite their credibility: {sources}.")
        yield included.format(sources=links)
    struck = [source for source in report.sources if source.status == "struck"]
    if struck:
        links = join_list([format_link(source.title, source.url) for source in struck])
        yield _("Excluded by the analyst: {sources}.").format(sources=links)


def _describe_kept_sources(report: Report) -> Iterator[str]:
    kept = [source for source in report.sources if source.number]
    sites = ngettext(
        "The sources kept come from {count} site.",
        "The sources kept come from {count} different sites.",
        report.domains,
    )
    if any(is_own_document(source.address) for source in kept):
        sites = ngettext(
            "The sources kept come from {count} site. Your own documents count as one site.",
            "The sources kept come from {count} different sites. Your own documents count as one"
            " site.",
            report.domains,
        )
    if kept or current_language() == EARLIER_ENGLISH:
        yield sites.format(count=report.domains)
    yield _describe_copies(report)
    yield _describe_independence(report)
    yield _describe_unknown_hosts(report)
    yield _describe_partial_pages(report)
    yield _describe_reading_notes(report)
    if report.unscored:
        unscored = _("Sources kept without a relevance score: {count}.")
        yield unscored.format(count=report.unscored)


def _describe_cost(report: Report) -> str:
    spent = report.spent
    cost = _("cost unknown") if spent["cost"] is None else f"${format_number(spent['cost'], '.4f')}"
    calls = spent["model_calls"]
    called = ngettext("{count:,} model call", "{count:,} model calls", calls)
    uses_no_model = RunSettings.from_json(report.settings).models == {OFFLINE_MODEL}
    if uses_no_model:
        called = ngettext(
            "{count:,} step by rules on this machine (no language model)",
            "{count:,} steps by rules on this machine (no language model)",
            calls,
        )
    called = called.format(count=calls)
    requests = spent.get("requests", calls)
    if requests != calls:
        sent = ngettext("{calls} ({count:,} request)", "{calls} ({count:,} requests)", requests)
        called = sent.format(calls=called, count=requests)
    tokens = ngettext("{count:,} token", "{count:,} tokens", spent["tokens"])
    if spent.get("estimated"):
        tokens = ngettext(
            "about {count:,} token (estimated)",
            "about {count:,} tokens (estimated)",
            spent["tokens"],
        )
    paid = sum(source.cost for source in report.sources)
    text = _("Cost: {calls}, {tokens}, {cost}; {seconds:.1f} s.")
    if current_language() == EARLIER_ENGLISH:
        text = _("Cost: {calls}, {tokens}, {cost}; {pages}; {seconds:.1f} s.")
    elif uses_no_model and not spent["tokens"] and not paid:
        text = _("Cost: {calls}, {cost}; {seconds:.1f} s.")
    elif paid:
        text = _(
            "Cost: {calls}, {tokens}, {cost}, ${paid:.4f} of it for pages read by Exa;"
            " {seconds:.1f} s."
        )
    line = text.format(
        calls=called,
        tokens=tokens.format(count=spent["tokens"]),
        cost=cost,
        pages=_count_other_calls(spent["other_calls"], paid),
        paid=paid,
        seconds=spent["seconds"],
    )
    is_written = RunSettings.from_json(report.settings).writing_model != OFFLINE_MODEL
    cut_off = spent.get("cut_off", 0) if is_written else 0
    return join_sentences([line, _describe_cut_texts(cut_off)])


def _describe_cut_texts(count: int) -> str:
    """Return how many answers were lost when the run was interrupted; "" if none were."""
    if not count:
        return ""
    return ngettext(
        "{count:,} answer of a model was cut off when the run was interrupted; it is not counted,"
        " and may have been billed.",
        "{count:,} answers of models were cut off when the run was interrupted; they are not"
        " counted, and may have been billed.",
        count,
    ).format(count=count)


def _count_other_calls(count: int, paid: float) -> str:
    """Return how many searches and pages there were, for older reports."""
    if paid:
        return _("{count:,} searches and pages, ${paid:.4f} of it for pages read by Exa").format(
            count=count, paid=paid
        )
    return _("{count:,} searches and pages").format(count=count)


def _describe_overspending(report: Report) -> str:
    """Return that the cost passed its limit, and why; "" if it did not."""
    limit = report.settings["caps"].get("cost")
    cost = report.spent["cost"]
    if limit is None or cost is None or cost <= limit:
        return ""
    if not runs_under(report.rules, "scoring", SPENDING_VERSION):
        return ""
    passed = _(
        "The cost passed the limit of {limit}: the cost of a call is known only when it ends."
    )
    return passed.format(limit=f"${format_amount(limit)}")


def _describe_excess_tokens(report: Report) -> str:
    """Return by how much the tokens passed their limit, and whose answer did it; "" if none did."""
    limit = report.settings["caps"].get("tokens")
    used = report.spent["tokens"]
    if limit is None or used <= limit or not runs_under(report.rules, "scoring", TOKENS_VERSION):
        return ""
    excess = used - limit
    writes_last = report.writer.get("model", OFFLINE_MODEL) != OFFLINE_MODEL
    if writes_last and "verify_sentence" not in report.spent.get("models", {}):
        words = ngettext(
            "The limit on tokens ({limit:,}) was passed by {excess:,} token, with the writer's last"
            " answer: the length of an answer is known only when it ends.",
            "The limit on tokens ({limit:,}) was passed by {excess:,} tokens, with the writer's last"
            " answer: the length of an answer is known only when it ends.",
            excess,
        )
    else:
        words = ngettext(
            "The limit on tokens ({limit:,}) was passed by {excess:,} token, with the model's last"
            " answer: the length of an answer is known only when it ends.",
            "The limit on tokens ({limit:,}) was passed by {excess:,} tokens, with the model's last"
            " answer: the length of an answer is known only when it ends.",
            excess,
        )
    return words.format(limit=limit, excess=excess)


def _describe_independence(report: Report) -> str:
    """State how many sources are independent of each other, and what ties the others."""
    numbers = [source.number for source in report.sources if source.number]
    groups = independence.group_voices(numbers, report.ties)
    if len(groups) == len(numbers):
        return ""
    reasons = []
    for group in groups:
        for tie in group.ties:
            words = _("[{one}] and [{other}]: {why}")
            why = escape_markdown(tie.words)
            reasons.append(words.format(one=tie.one, other=tie.other, why=why))
    independent = _("Independent of each other: {count} of the {total} sources kept.").format(
        count=len(groups), total=len(numbers)
    )
    return join_sentences([independent, end_with_stop(join_clauses(reasons))])


def _describe_unknown_hosts(report: Report) -> str:
    """State how many sources are from hosts of which nothing is known."""
    kept = [source for source in report.sources if source.number]
    unknown = [f"[{source.number}]" for source in kept if provenance.is_unknown_host(source)]
    if not unknown:
        return ""
    sites = _("Sources kept from unknown sites: {count} of {total}, {numbers}.")
    return sites.format(count=len(unknown), total=len(kept), numbers=join_list(unknown))


def _describe_copies(report: Report) -> str:
    copies = [source for source in report.sources if source.copy_of]
    if not copies:
        return ""
    pairs = [
        _("[{copy}] of [{original}]").format(copy=source.number, original=source.copy_of)
        for source in copies
    ]
    return _("Copies of one text, counted once: {pairs}.").format(pairs=join_clauses(pairs))


def _describe_partial_pages(report: Report) -> str:
    reasons = []
    for source in report.sources:
        why = provenance.describe_unread(source) if source.number else ""
        if why:
            reasons.append(f"[{source.number}]: {escape_markdown(why)}")
    if not reasons:
        return ""
    return _("Sources read in part: {reasons}").format(reasons=" ".join(reasons))


def _describe_reading_notes(report: Report) -> str:
    notes = []
    for source in report.sources:
        if source.number and source.metadata.note:
            notes.append(f"[{source.number}]: {escape_markdown(source.metadata.note)}")
    if not notes:
        return ""
    return _("How sources were read: {notes}").format(notes=" ".join(notes))


def _describe_searches(report: Report) -> Iterator[str]:
    by_engine: dict[str, dict[Any, Mapping[str, Any]]] = {}
    for place, search in enumerate(report.searches):
        # A planned query may be the refined one, which is one search; older reports count both.
        key = place if current_language() == EARLIER_ENGLISH else search["query"]
        by_engine.setdefault(search["engine"], {})[key] = search
    for engine, found in sorted(by_engine.items()):
        searches = found.values()
        states = Counter(search["state"] for search in searches)
        counts = []
        for state in sorted(states):
            words = SEARCH_STATES.get(state, f"{{count}} {state.replace('_', ' ')}")
            counts.append(gettext(words).format(count=states[state]))
        said = gettext(ENGINE_SEARCHES.get(engine, ENGINE_SEARCHES[""]))
        text = said.format(engine=engine, total=len(searches), counts=join_list(counts))
        for reason in dict.fromkeys(search["reason"] for search in searches):
            if reason:
                text += f" {escape_markdown(reason)}"
        respelled = describe_respelled(
            slip for search in searches for slip in search.get("spelled", ())
        )
        if respelled:
            text += f" {respelled}"
        unwrapped = sum(search.get("unwrapped", 0) for search in searches)
        advertisements = sum(search.get("advertisements", 0) for search in searches)
        links = LinkCounts(unwrapped, advertisements).describe()
        yield f"{text} {links}" if links else text


def _describe_checks(report: Report) -> str:
    cited = [sentence for sentence in list_sentences(report) if sentence.citations]
    states = [sentence.state for sentence in cited if not report.is_quotation(sentence)]
    if not cited:
        return ""
    if not states:
        quoted = _("Cited sentences, all quoted word for word from the stored passages: {count}.")
        return quoted.format(count=len(cited))
    counts = []
    for state, words in SENTENCE_STATES.items():
        if state in states:
            counts.append(gettext(words).format(count=states.count(state)))
    return _(
        "Cited sentences compared with the stored passages by words and numbers: {total} ({counts})."
    ).format(total=len(states), counts=join_list(counts))


def _describe_uncited(report: Report) -> str:
    count = sum(is_unsourced(report, sentence) for sentence in list_sentences(report))
    if not count:
        return ""
    marked = _("Sentences that state a fact without a citation (marked “no source”): {count}.")
    return marked.format(count=count)


def is_unsourced(report: Report, sentence: Sentence) -> bool:
    """Return True if the sentence states a fact and cites nothing, and there is a report.

    Without a report the text speaks of the run itself.
    """
    return (
        report.decision != "insufficient_data"
        and sentence.state == "uncited"
        and bool(sentence.note)
    )


def is_overstated(sentence: Sentence) -> bool:
    """Return True if the passage states it with more caution than the sentence."""
    return sentence.state == "supported" and is_less_sure(sentence.note)


def list_sentences(report: Report) -> Iterator[Sentence]:
    """Yield every sentence of the text except headings."""
    for block in report.blocks:
        if block.kind != "heading":
            yield from block.sentences


def end_sentence(sentence: str) -> str:
    """Return the sentence with a capital at its start and a full stop."""
    return end_with_stop(sentence[:1].upper() + sentence[1:])


def format_moment(at: float) -> str:
    """Format a time (seconds since the epoch) in UTC to the minute."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
