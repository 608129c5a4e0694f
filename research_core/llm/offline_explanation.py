"""Explain, without a model, what was searched and found where there is no report.

The cause and the next step stand above this text. Sessions under earlier rules of scoring have five
parts in 150 to 250 words instead, with a guess from the form of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from research_core.i18n import (
    N_,
    _,
    end_with_stop,
    gettext,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.llm.offline_planner import list_topic_words, suggest_searches
from research_core.model_messages import Json
from research_core.models import NO_REPORT_REASONS
from research_core.text.instructions import find_instructions
from research_core.text.question_spelling import spell_question
from research_core.text.question_types import classify_question
from research_core.text.sentence_meaning import knows_language
from research_core.text.sentences import find_sentences
from research_core.text.similarity import parse_question
from research_core.text.words import escape_markdown, strip_invisible, truncate

WORD_RANGE = (150, 250)
MAX_QUERY_LENGTH = 160
MAX_QUERIES = 2
MAX_TITLE_LENGTH = 70
MAX_EXPLANATION_LENGTH = 160
MAX_DROPPED = 4


@dataclass(frozen=True)
class FormHint:
    """Advice for one form of question: why the answer may be hard to find, and where to look."""

    why: str
    where: str


FORM_HINTS = {
    "money": FormHint(
        N_(
            "Prices like these are often agreed one by one and quoted on request, so that few pages"
            " state them."
        ),
        N_(
            "the pages of those who charge it, dated price comparisons, and quotes that you"
            " request yourself"
        ),
    ),
    "quantity": FormHint(
        N_(
            "A figure like this is often kept in a table, a data set or a printed report that search"
            " engines index badly."
        ),
        N_(
            "whoever counts, measures or sets it, and documents that say how and when it was measured"
        ),
    ),
    "time": FormHint(
        N_("A date is often stated once, in an announcement or a record, and repeated nowhere."),
        N_("the announcements of those involved, records kept at the time, and news archives"),
    ),
    "person": FormHint(
        N_(
            "Names are often found only in records, staff pages or local news, which search engines"
            " index badly."
        ),
        N_("the pages of the organisation involved, records kept at the time, and news archives"),
    ),
    "place": FormHint(
        N_(
            "Places are often named only in local sources, maps and listings, which search engines"
            " index badly."
        ),
        N_("maps, pages from the place itself, and those of whoever is responsible for it"),
    ),
    "comparison": FormHint(
        N_("Most pages describe only one of the two. Few compare both under the same conditions."),
        N_("tests or reviews that compare both, and pages on each of them"),
    ),
    "open": FormHint(
        N_(
            "The question may be narrower than most texts. Its answer may also be in"
            " specialist publications, behind a paywall, or in other words."
        ),
        N_(
            "publications written for those who work in the field, and whoever is responsible for it"
        ),
    ),
}
_REVIEWS = N_(
    "reviews that weigh several studies or tests, and publications for those in the field"
)
_GUIDANCE = N_("guidance that weighs the evidence, and those who deal with it in their work")
#: Where to look for kinds of answers (`question_types`) that have no form of their own.
WHERE_BY_KIND = {
    "cause": _REVIEWS,
    "effect": _REVIEWS,
    "yes or no": _REVIEWS,
    "treatment": _GUIDANCE,
    "signs": _GUIDANCE,
    "how to": N_("instructions by those who make it, and forums of people who do this"),
    "latest": N_("the announcements of those involved, the newest first, and news archives"),
    "definition": N_(
        "encyclopedias, glossaries, and introductions to the field the word comes from"
    ),
}


#: Reasons that other queries or places may help, as against another attempt or setting.
_SEARCH_REASONS = ("all off topic", "nothing found", "too few relevant sources")
#: Searches that are named, at most.
MAX_NAMED_SEARCHES = 4
#: Where figures stand, in the place of the earlier wording.
_WHERE_FIGURES = N_(
    "statistics of those who count or measure this, and documents that say how and when it was"
    " measured"
)


def explain_insufficient(inputs: Json) -> str:
    """Write Markdown on what was searched and found and, where it may help, where to look.

    inputs: {question, refined_query, reason, queries, dropped: [{title, score, explanation}]} and,
    from version 6 of the rules of scoring, {searches, found, judged, lacks_topic,
    in_library_alone}. Without these it writes five parts in 150-250 words.
    """
    if "searches" in inputs:
        return "\n\n".join(_write_facts(inputs))
    return _explain_at_length(inputs)


def _write_facts(inputs: Json) -> Iterator[str]:
    yield join_sentences([_("**What was searched.**"), _describe_searches(inputs)])
    if inputs["found"]:
        found = [_("**What was found.**"), _count_found(inputs)]
        if len(inputs["dropped"]) > MAX_DROPPED and not inputs["lacks_topic"]:
            found.append(_("The {count} most relevant pages:").format(count=MAX_DROPPED))
        yield join_sentences(found)
    if inputs["found"] and inputs["dropped"] and not inputs["lacks_topic"]:
        yield "\n".join(f"- {_describe_page(page)}" for page in inputs["dropped"][:MAX_DROPPED])
    if inputs["in_library_alone"] or inputs["reason"] not in _SEARCH_REASONS:
        return
    question = str(inputs["question"])
    tried = [*inputs["queries"], inputs["refined_query"]]
    queries = suggest_queries(_spell_as_found(question, inputs), tried)
    if queries:
        named = join_list([put_in_quotes(query) for query in queries])
        yield join_sentences([_("**Other queries to try.**"), end_with_stop(named)])
    hint = find_hint(question)
    where = _WHERE_FIGURES if hint is FORM_HINTS["quantity"] else hint.where
    words = _("Try {places}.").format(places=gettext(where))
    yield join_sentences([_("**Where better information might exist.**"), words])


def _spell_as_found(question: str, inputs: Json) -> str:
    """Return the question with its slips spelled as the last query and the pages' titles do."""
    titles = [str(page["title"]) for page in inputs["dropped"]]
    found = " ".join([inputs["refined_query"] or "", *titles])
    return spell_question(question, [found], is_english=knows_language(question)).text


def _describe_searches(inputs: Json) -> str:
    """Return how many searches were made, and for what: all of them, or the first ones."""
    searches = inputs["searches"]
    if not searches:
        return _("No search was finished.")
    question = quote_question(str(inputs["question"]))
    others = [query for query in (*inputs["queries"], inputs["refined_query"]) if query]
    cleaned = [_clean_line(query, MAX_QUERY_LENGTH // 2) for query in others]
    texts = list(dict.fromkeys([question, *cleaned]))[: min(searches, MAX_NAMED_SEARCHES)]
    named = join_list([put_in_quotes(text) for text in texts])
    if len(texts) < searches:
        words = _("{count} searches were made, among them for {queries}.")
    else:
        words = ngettext(
            "{count} search was made, for {queries}.",
            "{count} searches were made, for {queries}.",
            searches,
        )
    return words.format(count=searches, queries=named)


def _count_found(inputs: Json) -> str:
    """Return how many sources were found and judged."""
    found, judged = inputs["found"], inputs["judged"]
    counts = ngettext("{count:,} source was found", "{count:,} sources were found", found)
    if judged:
        words = ngettext(
            "{found}, and {count} page was judged.",
            "{found}, and {count} pages were judged.",
            judged,
        )
    else:
        words = _("{found}, and no page was judged.")
    return words.format(found=counts.format(count=found), count=judged)


def _describe_page(source: Json) -> str:
    """Return the score of a dropped page and the first sentence of its reason, whole."""
    explanation = str(source["explanation"])
    start, end = next(iter(find_sentences(explanation)), (0, len(explanation)))
    return _describe_dropped({**source, "explanation": explanation[start:end]}, limit=end)


def _explain_at_length(inputs: Json) -> str:
    """Write 150-250 words of Markdown in five parts."""
    hint = find_hint(str(inputs["question"]))
    dropped = list(inputs["dropped"])
    fewest, most = WORD_RANGE
    # Show as many dropped sources as fit.
    for shown in range(min(len(dropped), MAX_DROPPED), -1, -1):
        text = "\n\n".join(_write_parts(inputs, hint, dropped[:shown]))
        if len(text.split()) <= most:
            break
    for step in _MORE_STEPS:
        if len(text.split()) < fewest:
            text = f"{text}\n\n{gettext(step)}"
    return text


def find_hint(question: str) -> FormHint:
    """Return the advice for the form of a question, or for its kind if its form is open."""
    form = parse_question(question).form.name
    if form != "open":
        return FORM_HINTS[form]
    kind = classify_question(question).name
    if kind in FORM_HINTS:
        return FORM_HINTS[kind]
    where = WHERE_BY_KIND.get(kind)
    return replace(FORM_HINTS["open"], where=where) if where else FORM_HINTS["open"]


#: Added one after the other while the text is too short.
_MORE_STEPS = (
    N_(
        "**What else you can do.** Add documents of your own to the library and ask again."
        " They need no network. If useful sources were dropped, lower the minimum relevance."
        " Pages already read are not read again."
    ),
    N_(
        "The page Sources lists every page found and why it was not used. You can include it by hand."
    ),
)


def _write_parts(inputs: Json, hint: FormHint, dropped: Sequence[Json]) -> Iterator[str]:
    yield join_sentences([_("**What was searched.**"), _describe_search(inputs)])
    yield join_sentences([_("**What was found.**"), _describe_findings(inputs, dropped)])
    guess = _("This is a guess from the form of the question, not something a source says.")
    yield join_sentences([_("**Why it may be hard to find.**"), gettext(hint.why), guess])
    yield join_sentences([_("**More specific queries to try.**"), _advise_queries(inputs)])
    where = _("Try {places}.").format(places=gettext(hint.where))
    yield join_sentences([_("**Where better information might exist.**"), where])


def _advise_queries(inputs: Json) -> str:
    """Return queries to try or, where the question has no clear topic, how to ask."""
    question = str(inputs["question"])
    tried = [*inputs.get("queries", ()), inputs.get("refined_query")]
    queries = suggest_queries(question, tried, with_general=True)
    if queries:
        named = put_in_quotes(queries[0])
        for query in queries[1:]:
            named = _("{one} or {other}").format(one=named, other=put_in_quotes(query))
        helps = _("{queries}. Adding a place, a year or the name of an organisation helps most.")
        return helps.format(queries=named)
    topic = [
        put_in_quotes(_clean_line(word, MAX_TITLE_LENGTH)) for word in list_topic_words(question)
    ]
    advice = _(
        "Name the thing first, then the one point you want to know about it. Leave out the story"
        " around it."
    )
    if not topic:
        return advice
    read = _("The search used these words: {words}.").format(words=join_list(topic))
    return join_sentences([advice, read])


def quote_question(question: str) -> str:
    """Return the question for quoting: one line, shortened, its Markdown signs escaped."""
    return escape_markdown(truncate(" ".join(question.split()), MAX_QUERY_LENGTH))


def _describe_search(inputs: Json) -> str:
    question = quote_question(str(inputs["question"]))
    refined = inputs.get("refined_query")
    others = len(set(inputs.get("queries", ())) - {inputs["question"], refined})
    if refined and others:
        words = ngettext(
            "We searched for “{question}”, then refined the search to “{refined}”, with {others}"
            " further query.",
            "We searched for “{question}”, then refined the search to “{refined}”, with {others}"
            " further queries.",
            others,
        )
    elif refined:
        words = _("We searched for “{question}”, then refined the search to “{refined}”.")
    elif others:
        words = ngettext(
            "We searched for “{question}”, with {others} further query.",
            "We searched for “{question}”, with {others} further queries.",
            others,
        )
    else:
        words = _("We searched for “{question}”.")
    shown = _clean_line(refined, MAX_QUERY_LENGTH // 2) if refined else ""
    return words.format(question=question, refined=shown, others=others)


def _describe_findings(inputs: Json, dropped: Sequence[Json]) -> str:
    read = len(inputs["dropped"])
    reason = gettext(NO_REPORT_REASONS[inputs["reason"]])
    # Only the first sentence: what to do stands above.
    lines = [end_with_stop(re.split(r"\. |。", reason)[0])]
    if read:
        words = ngettext(
            "{count} source was read and dropped because it does not answer the question.",
            "{count} sources were read and dropped because they do not answer the question.",
            read,
        )
        lines.append(words.format(count=read))
    return join_sentences([*lines, *map(_describe_dropped, dropped)])


def _describe_dropped(source: Json, limit: int = MAX_EXPLANATION_LENGTH) -> str:
    """Return the score of a page and its reason. limit: of its characters."""
    explanation = _clean_line(source["explanation"], limit)
    title = put_in_quotes(_clean_line(source["title"], MAX_TITLE_LENGTH))
    if find_instructions(strip_invisible(str(source["title"]))):
        title = _("A source")
    words = _("{title} scored {score} of 5: {explanation}.")
    return words.format(
        title=title, score=int(source["score"]), explanation=explanation.rstrip(".。")
    )


def _clean_line(text: object, limit: int) -> str:
    """Return outside text as one line that Markdown shows as it is, without citation marks."""
    plain = re.sub(r"[\[\]<>#*_`|\\]", " ", strip_invisible(str(text)))
    # What is left may still be a link: a bare address.
    return escape_markdown(truncate(" ".join(plain.split()), limit))


def suggest_queries(
    question: str, tried: Iterable[str | None], *, with_general: bool = False
) -> list[str]:
    """Return up to two untried queries, the topic with a facet; none if it is unclear.

    with_general: also with words that suit few topics, as under earlier rules of scoring.
    """
    known = [query for query in tried if query]
    queries = suggest_searches(question, known, MAX_QUERIES, with_general=with_general)
    return [_clean_line(query, MAX_QUERY_LENGTH) for query in queries]
