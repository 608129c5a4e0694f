"""Write a report without a model, of sentences quoted whole from the passages, each with its mark.

It chooses, orders and groups sentences and never rewords a source. The sentence that answers most
directly comes first. Its own sentences are only about the method, the counts and what no source
names; a label before a sentence is the heading or title that it stands under.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from research_core.errors import ModelError
from research_core.i18n import (
    N_,
    _,
    gettext,
    join_clauses,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.llm.comparison_table import (
    ComparedRow,
    find_compared_rows,
    format_comparison_table,
)
from research_core.llm.offline_judge import find_unnamed_side
from research_core.llm.offline_planner import find_uncovered_words
from research_core.llm.opposing_sides import choose_opposing, group_opposing
from research_core.model_messages import Json
from research_core.text.asked_facets import ALL_FACETS, Facet, find_asked_facets
from research_core.text.asked_fillers import find_asked_fillers
from research_core.text.comparison_question import find_compared_sides
from research_core.text.direct_answers import (
    answers_directly,
    find_answer_kind,
    restates_question,
)
from research_core.text.disagreements import Disagreement, compare_quotes
from research_core.text.figures import parse_figures
from research_core.text.filled_quotes import asks_plain_filler, fills_question
from research_core.text.instructions import find_instructions
from research_core.text.key_words import add_key_quotes, find_key_words, find_unquoted
from research_core.text.named_things import find_named_thing
from research_core.text.question import QUESTION_WORDS
from research_core.text.question_focus import Focus, focus_question
from research_core.text.question_parts import spell_text, split_questions
from research_core.text.question_spelling import spell_question
from research_core.text.question_topic import (
    MIN_SHARE_NAMED,
    find_added_names,
    find_missing_names,
    find_missing_things,
    find_topic,
    find_unknown_things,
    list_asked_titles,
    measure_named,
    names_any,
    names_other_thing,
    names_part,
    names_topic,
)
from research_core.text.question_types import classify_question
from research_core.text.quotable import Quote, points_back
from research_core.text.quote_labels import NUMBER_LEAD, clean_title, describe_section
from research_core.text.quote_scores import (
    BEHIND_FILLER,
    MAX_LIKENESS,
    NARROWER,
    choose_quotes,
    find_compared_quotes,
    find_introduced_thing,
    find_narrowing,
    find_quotes,
    find_topic_synonyms,
    mark_faults,
    measure_likeness,
    stands_in_asked_section,
)
from research_core.text.sentence_meaning import (
    compares,
    knows_language,
    list_asking_sentences,
    measure_nearness,
)
from research_core.text.sentence_relevance import rate_by_meaning
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, parse_question, rarity, word_root
from research_core.text.topic_naming import find_label
from research_core.text.words import stem, strip_invisible, tokenize, truncate
from research_core.trust import copies

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: Characters of a heading.
MAX_HEADING_LENGTH = 90
#: Characters of the reason for which a source was left out: what it has, and what it lacks.
MAX_DROPPED_REASON_LENGTH = 240
#: What a text without a model says of itself, by the part of a report that it is.
_NOTICES = {
    "report": N_(
        "*No language model wrote this report. It consists of whole sentences quoted from its"
        " sources, each followed by the number of its source. Only spacing and footnote marks"
        " were changed.*"
    ),
    "section": N_(
        "*No language model wrote this section. It consists of whole sentences quoted from its"
        " sources, each followed by the number of its source. Only spacing and footnote marks"
        " were changed.*"
    ),
    "summary": N_(
        "*No language model wrote this summary. It consists of whole sentences quoted from its"
        " sources, each followed by the number of its source. Only spacing and footnote marks"
        " were changed.*"
    ),
}
EXTRACTIVE_NOTICE = _NOTICES["report"]
#: The beginning of a citation.
_MARK = re.compile(r"\[p[0-9a-f]{8}\b")
#: What the notice says beside, where a list is quoted.
LISTS_NOTICE = N_("List items are joined with semicolons.")
#: Sentences per source on average, at most from one source, and in the summary.
FULL_REPORT_SIZES = (4, 6, 5)
LIMITED_REPORT_SIZES = (2, 3, 2)
#: The same by the length that was asked for.
SIZES_BY_LENGTH = {"brief": (1, 2, 3), "long": (8, 12, 6)}
#: Sentences of a section by the length asked for, and at most from one source. SIZES_BY_LENGTH has
#: those of the summary.
SECTION_SIZES, SECTION_SIZE_OF_SOURCE = {"brief": 4, "": 10, "long": 16}, 2
#: Sentences from which a sub-question has a heading of its own, and conflicts shown.
MIN_THEME_SIZE, MAX_CONFLICTS = 2, 3
#: Sentences on a long question that asks for no side of its thing: few come near what it asks.
MAX_ON_POINT = 5
#: Sentences where none is on the side asked about, or gives the duration or amount asked for.
MAX_OFF_SIDE = 2
#: From so many sentences that answer on, others are left out.
MIN_ANSWERING = 2
#: The least nearness of one of the others, which does not answer.
MIN_NEAR_WEAK = 0.45
#: Sentences where none names one of the things asked about.
MAX_WITHOUT_THING = 2
#: The least items of a list whose items other sentences may be on, the most words of one, and the
#: first words of a sentence, among which its subject stands.
MIN_LISTED, MAX_ITEM_WORDS, MAX_SUBJECT_WORDS = 3, 8, 5
#: The faults that a sentence on an item may have: its section need not be on the side asked about.
ON_ITEM_FAULTS = frozenset({"of another side"})
#: Sentences of an overview on one side of its thing.
MAX_OF_SIDE = 2
#: How much worse than the best sentence one of the summary may be, where meaning is compared.
MAX_BEHIND_FIRST = 0.2
#: How far below the best sentence's score a direct answer may be and still come first.
MAX_BEHIND_DIRECT = 0.1
#: A question that names so few words is about one thing: nothing answers it if no source names it.
MAX_SHORT_TOPIC = 4
#: No sentence names half of the words of a longer topic, which tells a story.
MAX_TOPIC_NAMED_WHOLE = 8
#: What the form that a sub-question asks for adds to a sentence's share of its words, 0 to 1.
CUE_WEIGHT = 0.6

#: Words of a sub-question that ask for figures (`text.figures` finds them), and pairs of what a
#: sub-question asks for and the words of a sentence that answers it.
ASKS_FIGURES = re.compile(
    r"\bfigures?\b|how (?:much|many|often|long|far|large)"
    r"|\b(?:costs?|prices?|rates?|numbers?|amounts?)\b"
)
ANSWER_CUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"\b(?:depend|cause|explain|reason|why|factor|affect|influence)"),
        re.compile(
            r"\b(?:because|due to|depend|caus|result|leads?\b|led to"
            r"|driv|factor|affect|influenc|since|owing to|explain|therefore)"
        ),
    ),
    (
        re.compile(r"\b(?:differ|compar|versus|vs\b)"),
        re.compile(
            r"\b(?:than|whereas|while|unlike|differ|compared|contrast|both|neither|instead of)\b"
        ),
    ),
    (
        re.compile(r"\b(?:rules?|limits?|law|legal|allow|permit|require|regulat)"),
        re.compile(
            r"\b(?:must|shall|may not|requir|prohibit|permit|allow|limits?\b|limited"
            r"|illegal|unlawful|banned|forbid|exceed)"
        ),
    ),
    (
        re.compile(r"\b(?:recommend|should|advice|advise|tips?|how to)\b"),
        re.compile(
            r"\b(?:should|recommend\w*|advis\w*|best|better|avoid|consider|choose|try|use|ask)\b"
        ),
    ),
    (
        re.compile(r"\b(?:when|dates?|year|timeline|history)\b"),
        re.compile(r"\b(?:1[5-9]|20)\d\d\b|\bcentury\b"),
    ),
)
#: Words that do not make a sub-question specific.
NAMELESS_WORDS = QUESTION_WORDS | frozenset(
    "source sources say says said state give else main point points follow figure figures rule"
    " rules".split()
)


def write_report(inputs: Json, embedder: Embedder | None = None) -> str:
    """Write the four sections of a report as Markdown. Raises ModelError (content_empty).

    inputs: {question, limited, dropped, sub_questions, sources}. {instructions}, if any, are asked
    for like the question and grouped like sub-questions.
    """
    sources, instructions = inputs["sources"], inputs.get("instructions", [])
    each, most, shown = _find_sizes(inputs)
    inputs = {**inputs, "sub_questions": [*inputs["sub_questions"], *instructions]}
    asked = " ".join([inputs["question"], *instructions])
    focus = _find_focus(inputs["question"], sources)
    point = " ".join([focus.question, *instructions])
    synonyms = find_topic_synonyms(point, sources)
    key_words = _find_key_words(inputs["question"], focus, sources)
    asking = (*focus.asking, *instructions)
    found = find_quotes(point, sources, embedder, asking, points=focus.points, key_words=key_words)
    if not found:
        raise ModelError("The passages hold no sentence that can be quoted.", kind="content_empty")
    usable = mark_faults(point, _drop_other_things(asked, found, sources), sources, synonyms)
    chosen = _choose_body(usable, point, focus, sources, (each * len(sources), most))
    chosen = add_key_quotes(key_words, find_topic(point), chosen, usable, _list_titles(sources))
    labelled = [_add_label(quote, point, sources, synonyms) for quote in chosen]
    body = _drop_weak(labelled, inputs, embedder, focus)
    missing, is_elsewhere = _find_unnamed(asked, sources, body)
    unnamed_side = _find_missing_side(inputs["question"], sources)
    unquoted = find_unquoted(key_words, body, _list_titles(sources))
    body = body[:MAX_WITHOUT_THING] if unquoted else body
    summary: list[Quote] = []
    rows: list[ComparedRow] = []
    opposing: dict[str, list[Quote]] = {}
    if not is_elsewhere:
        sides = ALL_FACETS if focus.is_overview else find_asked_facets(point, _list_titles(sources))
        summary = _choose_summary(body, shown, point, synonyms, sides, _label_by_heading(usable))
        summary = _begin_with_first_part(summary, body, inputs["question"])
        opposing = choose_opposing(inputs["question"], body, max(1, shown // 2))
        rows = _compare(inputs["question"], usable, point, sources, synonyms)
    arranged = [*chain.from_iterable(row.cells for row in rows), *chain(*opposing.values())]
    body += [quote for quote in summary if quote not in body]
    # Beside the sides, only the best sentence is shown.
    summary = [quote for quote in summary[: 1 if opposing else None] if quote not in arranged]
    rest = [quote for quote in body if quote not in summary and quote not in arranged]
    themes = _group(rest, inputs, sources, synonyms)
    opening = [
        _format_missing_side(unnamed_side)
        or _format_missing(_find_shown_names(asked, sources, missing, is_elsewhere=is_elsewhere))
        or _format_unquoted(unquoted, _list_texts(sources)),
        _format_notice([*body, *arranged]),
        _format_bullets(summary),
        format_comparison_table(inputs["question"], rows),
        *(f"{gettext(side)}:\n\n{_format_bullets(group)}" for side, group in opposing.items()),
    ]
    body += [quote for quote in arranged if quote not in body]
    same = _find_same_text(sources)
    count = _count_quotes(len(body), [quote.source for quote in body], sources, body, same)
    parts = (
        "## Executive Summary\n\n" + "\n\n".join(filter(None, opening)),
        f"## Main Findings\n\n{_format_findings(themes)}",
        f"## Conflicting Information\n\n{_format_conflicts(inputs, found, usable)}",
        f"## Confidence Assessment\n\n{_format_confidence(inputs, count, themes, same, unnamed_side)}",
    )
    return "\n\n".join(parts) + "\n"


def _find_sizes(inputs: Json) -> tuple[int, int, int]:
    """Return the sentences of each source, of the report, and of its summary, at most."""
    usual = LIMITED_REPORT_SIZES if inputs["limited"] else FULL_REPORT_SIZES
    return SIZES_BY_LENGTH.get(inputs.get("length", ""), usual)


def _compare(
    question: str,
    usable: Sequence[Quote],
    point: str,
    sources: Sequence[Json],
    synonyms: Collection[str],
) -> list[ComparedRow]:
    """Return the rows of a table of the things that a question compares, if it does."""
    if not find_compared_sides(question):
        return []
    faultless = [quote for quote in usable if not quote.faults]
    labelled = [_add_label(quote, point, sources, synonyms) for quote in faultless]
    return find_compared_rows(question, labelled)


def _choose_body(
    usable: Sequence[Quote],
    point: str,
    focus: Focus,
    sources: Sequence[Json],
    limits: tuple[int, int],
) -> list[Quote]:
    """Return the sentences of a report. limits: how many in all, and from one source."""
    limit, per_source = limits
    sides = find_asked_facets(point, _list_titles(sources))
    if focus.points and not sides:
        limit = min(limit, MAX_ON_POINT)
    by_meaning = any(quote.near is not None for quote in usable)
    chosen = choose_quotes(usable, limit, per_source=per_source)
    chosen = _add_filling(chosen, usable)
    if asks_plain_filler(point) and not any(quote.fills for quote in chosen):
        chosen = chosen[:MAX_OFF_SIDE]
    if by_meaning and sides and not any(quote.is_on_side for quote in chosen):
        chosen = chosen[:MAX_OFF_SIDE]
    return _limit_sides(chosen) if focus.is_overview else list(chosen)


def _drop_weak(
    body: Sequence[Quote], inputs: Json, embedder: Embedder | None, focus: Focus
) -> list[Quote]:
    """Return the sentences that answer, as the report rates them.

    Beside fewer than MIN_ANSWERING, the nearest of the others are kept. All are kept where the
    model does not compare the question, and where no form of answer is asked for.
    """
    question = inputs["question"]
    if not body or _asks_openly(question, focus):
        return list(body)
    if embedder is None or not compares(embedder, question):
        return list(body)
    asked = [*list_asking_sentences(question), *inputs.get("instructions", ())]
    texts = [f"{quote.label} {quote.text_with_subject}".strip() for quote in body]
    answering: list[Quote] = []
    others: list[tuple[float, Quote]] = []
    alone = measure_nearness(embedder, asked, texts)
    for quote, text, near in zip(body, texts, alone, strict=True):
        # A title lifts also what is far from the question.
        if near >= MIN_NEAR_WEAK:
            near = max(near, quote.near or 0.0)
        if quote.fills or rate_by_meaning(asked, text, near) == "answers":
            answering.append(quote)
        elif near >= MIN_NEAR_WEAK:
            others.append((near, quote))
    others.sort(key=lambda other: -other[0])
    lacking = max(0, MIN_ANSWERING - len(answering))
    return [*answering, *(quote for _, quote in others[:lacking])] or list(body[:1])


def _asks_openly(question: str, focus: Focus) -> bool:
    """Return whether a question asks for no form of answer and for no side of its subject."""
    if focus.is_overview:
        return True
    return find_answer_kind(question).name == "overview" and not find_asked_facets(question)


def _add_filling(chosen: Sequence[Quote], usable: Sequence[Quote]) -> list[Quote]:
    """Return the quotes with the best that fills each part that none here does, of each source.

    A source that none here is from adds its best one, where some fill the question.
    """
    added = list(chosen)
    filling = [quote for quote in usable if quote.fills and not quote.faults]
    for quote in sorted(filling, key=lambda quote: (-quote.score, quote.order)):
        is_unfilled = any(all(part not in other.fills for other in added) for part in quote.fills)
        is_unquoted = all(other.source != quote.source for other in added)
        is_copy = any(measure_likeness(quote, other) > MAX_LIKENESS for other in added)
        if (is_unfilled or is_unquoted) and not is_copy:
            added.append(quote)
    return added


def _find_focus(question: str, sources: Sequence[Json]) -> Focus:
    return focus_question(question, _list_titles(sources))


def _limit_sides(chosen: Sequence[Quote]) -> list[Quote]:
    """Return the sentences of an overview, the best MAX_OF_SIDE on each side of its thing."""
    counts: Counter[str] = Counter()
    kept = []
    for quote in chosen:
        side = _find_first_side(quote, ALL_FACETS)
        counts[side] += 1
        if not side or counts[side] <= MAX_OF_SIDE:
            kept.append(quote)
    return kept


def _find_first_side(quote: Quote, sides: Sequence[Facet]) -> str:
    return next((side.title for side in sides if side.is_told(quote.text)), "")


def _begin_with_sides(ranked: Sequence[Quote], sides: Sequence[Facet]) -> list[Quote]:
    """Return the sentences, behind the first, with the best one on each other side first."""
    told = {side.title for quote in ranked[:1] for side in sides if side.is_told(quote.text)}
    first = list(ranked[:1])
    rest: list[Quote] = []
    for quote in ranked[1:]:
        side = _find_first_side(quote, [each for each in sides if each.title not in told])
        (first if side else rest).append(quote)
        told.add(side)
    return [*first, *rest]


def _list_titles(sources: Sequence[Json]) -> tuple[str, ...]:
    return tuple(str(source.get("title", "")) for source in sources)


def write_section(inputs: Json, embedder: Embedder | None = None) -> str:
    """Quote the sentences that answer one sub-question, as bullets.

    inputs: {question, section, sources, length}; taken: texts quoted in other sections, left out
    here; notice: what is extractive ("section"), named above the bullets; disputed: only sentences that
    tell of a dispute. Raises ModelError (content_empty) if no sentence can be quoted.
    """
    sources = inputs["sources"]
    asked = _complete_sub_question(inputs["question"], inputs["section"])
    synonyms = find_topic_synonyms(asked, sources)
    quoted_elsewhere = set(inputs.get("taken", ()))
    quotes = []
    for quote in find_quotes(asked, sources, embedder):
        if quote.text not in quoted_elsewhere:
            quotes.append(quote)
    informative = [q for q in quotes if not restates_question(asked, q.text_with_subject)]
    on_thing = _drop_other_things(asked, informative or quotes, sources)
    usable = mark_faults(asked, on_thing, sources, synonyms)
    own_words = _list_own_words(inputs["section"], inputs["question"])
    answering = [quote for quote in usable if not own_words.isdisjoint(quote.words)] or usable
    if inputs.get("disputed"):
        answering = [quote for quote in usable if _TELLS_DISPUTE.search(quote.text)]
    most = SECTION_SIZES[inputs.get("length", "")]
    chosen = choose_quotes(answering, most, per_source=SECTION_SIZE_OF_SOURCE)
    if not chosen:
        raise ModelError("The passages hold no sentence that can be quoted.", kind="content_empty")
    body = [_add_label(quote, asked, sources, synonyms) for quote in chosen]
    notice = gettext(_NOTICES[inputs["notice"]]) if inputs.get("notice") else ""
    heading = format_theme_heading(inputs["section"])
    return "\n\n".join(filter(None, (notice, _format_bullets(body, heading))))


def _list_own_words(sub_question: str, question: str) -> frozenset[str]:
    """Return the stems of the words that are only in the sub-question."""
    words = [word for word in tokenize(sub_question) if word not in NAMELESS_WORDS]
    return frozenset(map(stem, words)) - frozenset(map(stem, tokenize(question)))


def _complete_sub_question(question: str, sub_question: str) -> str:
    """Return the sub-question, followed by the question unless it has all names of that."""
    topic = find_topic(question)
    if topic.names and not find_missing_names(topic, [sub_question]):
        return sub_question
    return f"{sub_question} {question}"


def write_frame(inputs: Json, embedder: Embedder | None = None) -> str:
    """Write the summary, the conflicts and the confidence for finished sections.

    inputs: {question, sub_questions, sections: [{heading, text}], dropped, sources, length}; taken:
    texts quoted in the sections, left out of the summary; summary: texts that it quotes, by default
    the best; notice: what is extractive. Raises ModelError (content_empty) if no sentence can be quoted.
    """
    sources = inputs["sources"]
    focus = _find_focus(inputs["question"], sources)
    question = focus.question
    found = find_quotes(question, sources, embedder, focus.asking, points=focus.points)
    if not found:
        raise ModelError("The passages hold no sentence that can be quoted.", kind="content_empty")
    synonyms = find_topic_synonyms(question, sources)
    shown = SIZES_BY_LENGTH.get(inputs.get("length", ""), FULL_REPORT_SIZES)[-1]
    usable = _drop_other_things(inputs["question"], found, sources)
    marked = mark_faults(question, usable, sources, synonyms)
    quoted_in_sections = set(inputs.get("taken", ()))
    chosen = set(inputs.get("summary", ())) - quoted_in_sections
    free = [quote for quote in marked if quote.text not in quoted_in_sections]
    best = choose_quotes(free, 4 * shown, per_source=SECTION_SIZE_OF_SOURCE)
    labelled = [_add_label(quote, question, sources, synonyms) for quote in best]
    if chosen:
        body = [quote for quote in labelled if quote.text in chosen]
        summary = _sort_as(body, inputs["summary"])
    else:
        summary = _choose_summary(labelled, shown, question, synonyms)
    opening = (gettext(_NOTICES[inputs["notice"]]), _format_bullets(summary))
    parts = (
        "## Executive Summary\n\n" + "\n\n".join(filter(None, opening)),
        f"## Conflicting Information\n\n{_format_conflicts(inputs, found, marked)}",
        f"## Confidence Assessment\n\n{_format_sections_confidence(inputs, summary, found)}",
    )
    return "\n\n".join(parts) + "\n"


def _sort_as(quotes: Sequence[Quote], texts: Sequence[str]) -> list[Quote]:
    """Return the quotes in the order of these texts, each text once."""
    by_text: dict[str, Quote] = {}
    for quote in quotes:
        by_text.setdefault(quote.text, quote)
    return [by_text[text] for text in texts if text in by_text]


def _format_sections_confidence(
    inputs: Json, summary: Sequence[Quote], found: Sequence[Quote]
) -> str:
    """Format the confidence assessment of a report in sections."""
    sources = inputs["sources"]
    text = "\n".join(section["text"] for section in inputs["sections"])
    cited = [
        number
        for number, source in enumerate(sources)
        if any(passage["id"] in text for passage in source["passages"])
    ]
    if inputs["notice"] != "report":
        words = _("The sections cite {cited} of the {sources}.")
        return f"- {words.format(cited=len(cited), sources=_count_sources(len(sources)))}"
    lines = [*text.splitlines(), *_format_bullets(summary).splitlines()]
    sentences = {line for line in lines if _MARK.search(line)}
    cited += [quote.source for quote in summary]
    themes = []
    for question, section in zip(inputs["sub_questions"], inputs["sections"], strict=True):
        if _MARK.search(section["text"]):
            themes.append((format_theme_heading(question), list(found)))
    same = _find_same_text(sources)
    count = _count_quotes(len(sentences), cited, sources, found, same)
    return _format_confidence(inputs, count, themes, same, "")


def _count_quotes(
    sentences: int,
    cited: Iterable[int],
    sources: Sequence[Json],
    found: Sequence[Quote],
    same: Mapping[int, int],
) -> str:
    """Say how many sentences are quoted, from how many sources and how they were chosen.

    cited: numbers of the sources, from 0; those of one text count once. same: of `_find_same_text`.
    """
    quoted = {same.get(number, number) for number in cited}
    by_meaning = any(quote.near is not None for quote in found)
    return ngettext(
        "{count:,} sentence is quoted from {quoted} of the {sources}: the one that fits the"
        " question best.",
        "{count:,} sentences are quoted from {quoted} of the {sources}: those that fit the"
        " question best.",
        sentences,
    ).format(
        count=sentences,
        quoted=len(quoted),
        sources=_count_sources(len(sources) - len(same)),
        # The wording of older reports has it.
        how=_("meaning, words and form") if by_meaning else _("words and form"),
    )


def _count_sources(count: int) -> str:
    return ngettext("{count:,} source", "{count:,} sources", count).format(count=count)


def quote_few_sources(
    asked: str, sources: Sequence[Json], most: int, embedder: Embedder | None = None
) -> list[str]:
    """Return up to `most` sentences as bullets with marks, chosen as for a limited report.

    Without a report around it, a sentence must name what is asked about, itself or by its label,
    tell of a side asked about, and where a figure is asked for, give one.
    sources: [{title, passages: [{id, text}]}].
    """
    if find_compared_sides(asked):  # one sentence compares nothing
        return []
    focus = _find_focus(asked, sources)
    point = focus.question
    synonyms = find_topic_synonyms(point, sources)
    form = parse_question(asked).form
    near, titled = [], []
    found = find_quotes(point, sources, embedder, focus.asking, points=focus.points)
    usable = _drop_other_things(asked, found, sources)
    facets = find_asked_facets(point, _list_titles(sources))
    for marked in mark_faults(point, usable, sources, synonyms):
        if facets and not marked.is_on_side:
            continue
        quote = _add_label(marked, point, sources, synonyms)
        if form.exact and not form.given.search(quote.text):
            continue
        title = str(sources[quote.source].get("title", ""))
        if _names_asked_thing(asked, quote, synonyms):
            near.append(quote)
            continue
        quote = replace(quote, label=quote.label or clean_title(title))
        if _names_titled_thing(asked, title, quote):
            titled.append(quote)
    each, per_source, _ = LIMITED_REPORT_SIZES
    limit = max(each * len(sources), most)
    body = choose_quotes(near, limit, per_source=per_source)
    body = body or choose_quotes(titled, limit, per_source=per_source)
    if not body or (near and _find_unnamed(asked, sources, body)[1]):
        return []
    first = _choose_summary(body, most, point, synonyms)
    ordered = [*first, *(quote for quote in body if quote not in first)]
    return [_format_bullets([quote]) for quote in ordered[:most]]


def _names_asked_thing(asked: str, quote: Quote, synonyms: Collection[str]) -> bool:
    """Return whether a quote with its label names the topic; any word of one told at length."""
    topic = find_topic(asked)
    text = f"{quote.label} {quote.text}"
    if topic.names and not find_missing_names(topic, [text]):
        return True
    if len(topic.weights) <= MAX_TOPIC_NAMED_WHOLE:
        return names_topic(topic, text, synonyms)
    return bool(quote.own) or measure_named(topic, text) > 0


def _names_titled_thing(asked: str, title: str, quote: Quote) -> bool:
    """Return whether a quote with its label names the thing of its title, and a question asks it.

    The first question of a letter must ask of it; the others may be on a circumstance.
    """
    spelled = spell_question(spell_text(asked), [title], is_english=knows_language(asked)).text
    thing = find_named_thing(spelled, title)
    first = split_questions(spelled)[0]
    if thing is None or not thing.is_whole:
        return False
    if not thing.is_asked_in(" ".join((first.text, *first.context))):
        return False
    roots = frozenset(map(word_root, tokenize(f"{quote.label} {quote.text}")))
    return names_any(max(thing.words, key=rarity), roots)


def _drop_other_things(asked: str, found: Sequence[Quote], sources: Sequence[Json]) -> list[Quote]:
    """Drop quotes about another named thing, if no source names the one asked about."""
    if not find_unknown_things(find_topic(asked), _list_texts(sources)):
        return list(found)
    return [quote for quote in found if not _is_of_other_thing(asked, quote, sources)]


def _add_label(
    quote: Quote, asked: str, sources: Sequence[Json], synonyms: Collection[str]
) -> Quote:
    """Return the quote with what says what it is about, unless it does so itself."""
    title = str(sources[quote.source].get("title", ""))
    label = describe_section(quote.heading)
    if not label and (quote.subject or stands_in_asked_section(asked, quote)):
        label = clean_title(quote.heading) or quote.subject
    if not label and points_back(quote.text, asked):
        label = find_introduced_thing(quote, title)
    if not label:
        label = find_label(find_topic(asked), quote.text, quote.heading, title, synonyms)
    titles = [str(source.get("title", "")) for source in sources]
    if NARROWER in quote.faults and find_added_names(asked, title, synonyms):
        label = clean_title(title)
    if not label and names_part(quote.text, title, list_asked_titles(asked, titles)):
        label = clean_title(title)
    narrowing = find_narrowing(asked, quote.heading, quote.text)
    if narrowing and narrowing.lower() not in label.lower():
        label = join_clauses(filter(None, [label, clean_title(quote.heading) or narrowing]))
    return replace(quote, label=clean_label(_drop_other_section(label, asked, titles)))


#: "Breast cancer (Symptoms)": a title with the name of a section.
_SECTION_IN_LABEL = re.compile(r"(?P<name>.{2,}?) \((?P<section>[^()]+)\)$")


def _drop_other_section(label: str, asked: str, titles: Sequence[str]) -> str:
    """Return a label without the side of its thing in brackets, if another side is asked about."""
    match = _SECTION_IN_LABEL.fullmatch(label)
    facets = find_asked_facets(asked, tuple(titles))
    if match is None or not facets:
        return label
    is_other = any(facet.named.search(match["section"]) for facet in ALL_FACETS)
    if any(facet.named.search(match["section"]) for facet in facets) or not is_other:
        return label
    return match["name"]


def _list_texts(sources: Sequence[Json]) -> list[str]:
    """Return every title and passage."""
    texts: list[str] = []
    for source in sources:
        texts.append(str(source.get("title", "")))
        texts += [passage["text"] for passage in source["passages"]]
    return texts


#: What stands behind the subject of a title: "Aspirin: uses and dosage | Example Clinic".
_AFTER_SUBJECT = re.compile(r"\s*[|:·»(].*|\s[–—-]\s.*")


def _is_of_other_thing(asked: str, quote: Quote, sources: Sequence[Json]) -> bool:
    """Return whether a quote, its heading or the subject of its page names another rare thing."""
    title = _AFTER_SUBJECT.sub("", str(sources[quote.source].get("title", "")))
    return any(names_other_thing(asked, text) for text in (quote.text, quote.heading, title))


def _find_unnamed(
    asked: str, sources: Sequence[Json], body: Sequence[Quote]
) -> tuple[tuple[str, ...], bool]:
    """Return the names of the question that no source holds, and whether none is held at all."""
    topic = find_topic(asked)
    texts = _list_texts(sources)
    missing = find_missing_names(topic, texts)
    if not body:
        return missing or (" ".join(topic.names) or asked.strip("? "),), True
    named = max(measure_named(topic, text) for text in texts)
    is_short = len(topic.weights) <= MAX_SHORT_TOPIC
    is_unnamed = bool(missing) and set(missing) == set(topic.names) and named < MIN_SHARE_NAMED
    return missing, is_short and is_unnamed


def _find_shown_names(
    asked: str, sources: Sequence[Json], missing: tuple[str, ...], *, is_elsewhere: bool
) -> tuple[str, ...]:
    """Return the missing names to tell of: all if the report is about nothing else, else things."""
    if is_elsewhere:
        return missing
    return find_missing_things(find_topic(asked), _list_texts(sources))


def _find_key_words(question: str, focus: Focus, sources: Sequence[Json]) -> tuple[str, ...]:
    """Return the words of a question without which no sentence answers it."""
    if find_compared_sides(question):
        return ()
    return find_key_words(question, focus, _list_titles(sources))


def _format_missing(names: Sequence[str]) -> str:
    if not names:
        return ""
    return _("No source names {names}.").format(names=_join_names(names))


def _format_unquoted(names: Sequence[str], texts: Sequence[str]) -> str:
    """Say which key words no quoted sentence has. texts: every title and passage."""
    if not names:
        return ""
    roots = frozenset(map(word_root, tokenize(" ".join(texts))))
    if not any(names_any(name, roots) for name in names):
        return _("No source found mentions {names}.").format(names=_join_names(names))
    told = _("None of the sentences quoted here names {names}.")
    return told.format(names=_join_names(names))


def _join_names(names: Sequence[str]) -> str:
    quoted = [put_in_quotes(clean_heading(name)) for name in names[:3]]
    joined = quoted[0]
    for name in quoted[1:]:
        joined = _("{one} or {other}").format(one=joined, other=name)
    return joined


def _find_missing_side(question: str, sources: Sequence[Json]) -> str:
    """Return the compared thing that no source names, or "".

    A page whose title names neither thing may be about that one under another name.
    """
    sides = find_compared_sides(question)
    if sides is None:
        return ""
    for source in sources:
        roots = set(map(word_root, tokenize(str(source.get("title", "")))))
        if roots.isdisjoint(sides.words):
            return ""
    return find_unnamed_side(question, _list_texts(sources))


def _format_missing_side(name: str) -> str:
    return _("No source used names “{name}”.").format(name=clean_heading(name)) if name else ""


def _format_notice(quoted: Sequence[Quote]) -> str:
    """Return what kind of report this is, and how its lists are written if it quotes one."""
    if not any(quote.is_list for quote in quoted):
        return gettext(EXTRACTIVE_NOTICE)
    notice = gettext(EXTRACTIVE_NOTICE).removesuffix("*")
    return f"{join_sentences([notice, gettext(LISTS_NOTICE)])}*"


def _choose_summary(
    body: Sequence[Quote],
    shown: int,
    asked: str,
    synonyms: Collection[str],
    sides: Sequence[Facet] = (),
    others: Sequence[Quote] = (),
) -> list[Quote]:
    """Choose the best sentences, at most half of the body, a direct answer first.

    A first sentence that ends with a list is followed by sentences on its items, also by some of
    the others, which are not in the body.

    Those on the side asked about come before others; where several sides are, the best on each of
    them comes before a second one on any.

    Only sentences near the best count: in meaning, or in question words; by words a source gives
    more than one only to reach three.
    """
    if not body:
        return []
    by_meaning = any(quote.near is not None for quote in body)
    if by_meaning:
        least = max(quote.score for quote in body) - MAX_BEHIND_FIRST
        if any(quote.fills for quote in body):
            least -= BEHIND_FILLER
        ranked = [quote for quote in body if quote.score >= least]
        most = min(shown, (len(body) + 1) // 2)
    else:
        best = max(quote.own for quote in body)
        near = [quote for quote in body if quote.own >= 0.5 * best]
        first_of_source: dict[int, Quote] = {}
        for quote in near:
            first_of_source.setdefault(quote.source, quote)
        firsts = list(first_of_source.values())
        ranked = sorted(near, key=lambda quote: (quote not in firsts, body.index(quote)))
        most = min(shown, max(3, len(firsts)), (len(body) + 1) // 2)
    said_anew = [quote for quote in ranked if not restates_question(asked, quote.text_with_subject)]
    ranked = sorted(said_anew or ranked, key=lambda quote: not quote.is_on_side)
    first_score = max((quote.score for quote in ranked), default=0.0)
    direct = [
        quote
        for quote in ranked
        if quote.score >= first_score - MAX_BEHIND_DIRECT
        and answers_directly(asked, quote.text_with_subject, synonyms)
    ]
    filling = _find_first_filling(ranked)
    if direct and not filling:
        ranked = [direct[0], *(quote for quote in ranked if quote != direct[0])]
    if len(sides) > 1 and not filling:
        ranked = _begin_with_sides(ranked, sides)
    if filling:
        ranked = [*filling, *(quote for quote in ranked if quote not in filling)]
        most = max(most, len(filling))
    first = ranked[0]
    beside = [quote for quote in (*body, *others) if quote.order != first.order]
    if by_meaning and (items := _find_on_items(first, beside)):
        ranked = [first, *items, *(quote for quote in ranked[1:] if quote not in items)]
        most = max(most, min(shown, 1 + len(items)))
    return ranked[: max(1, most)]


def _begin_with_first_part(
    summary: Sequence[Quote], body: Sequence[Quote], question: str
) -> list[Quote]:
    """Return the summary behind the best sentence on the first part, if that asks for no filler.

    "What causes it, and how long does it last?" is answered in this order.
    """
    parts = find_asked_fillers(question)
    if not parts or parts[0].name:
        return list(summary)
    others = [quote for quote in body if not quote.fills]
    if not others or not summary or not summary[0].fills:
        return list(summary)
    first = min(others, key=lambda quote: (-quote.score, quote.order))
    return [first, *(quote for quote in summary if quote != first)]


def _find_first_filling(ranked: Sequence[Quote]) -> list[Quote]:
    """Return the best sentence for each part of the question that some fill, in their order."""
    filling: list[Quote] = []
    for part in sorted({number for quote in ranked for number in quote.fills}):
        if not any(part in quote.fills for quote in filling):
            filling.append(next(quote for quote in ranked if part in quote.fills))
    return filling


#: "The three options are surgery, chemotherapy and radiation": the items of a list at the end of a
#: sentence.
_LIST_AT_END = re.compile(
    r"(?:\b(?:are|is|include|includes|including|namely)\b:?|:) (?P<items>[^.:]{8,300})\.?$",
    re.IGNORECASE,
)
#: Between the items of a list, and of one with "and" in the place of its last comma.
_BETWEEN_ITEMS = re.compile(r"[,;] (?:and |or )?")
_BETWEEN_WORDS = re.compile(r"[,;] (?:and |or )?| (?:and|or) ")


def _find_on_items(first: Quote, body: Sequence[Quote]) -> list[Quote]:
    """Return the best sentence on each item of a list that a sentence ends with, in its order.

    Its subject must be the item: one that names several of them lists them again.
    """
    items = _list_items(first.text)
    roots = [frozenset(map(word_root, content_tokens(item))) for item in items]
    found: list[Quote] = []
    for item in filter(None, roots):
        others = [other for other in roots if other and other != item]
        named = [
            quote
            for quote in body
            if quote not in (first, *found) and _is_on_item(quote, item, others)
        ]
        if named:
            found.append(min(named, key=lambda quote: (-quote.score, quote.order)))
    return found


def _label_by_heading(usable: Sequence[Quote]) -> list[Quote]:
    """Return the sentences that may be on an item of a list, each labelled with its heading."""
    return [
        replace(quote, label=NUMBER_LEAD.sub("", _remove_signs(quote.heading)))
        for quote in usable
        if ON_ITEM_FAULTS.issuperset(quote.faults)
    ]


def _list_items(sentence: str) -> list[str]:
    """Return the items of the list that a sentence ends with; [] for few or long ones."""
    match = _LIST_AT_END.search(sentence)
    if match is None:
        return []
    items = _BETWEEN_ITEMS.split(match["items"])
    if len(items) < MIN_LISTED:
        items = _BETWEEN_WORDS.split(match["items"])
    if len(items) < MIN_LISTED or any(len(item.split()) > MAX_ITEM_WORDS for item in items):
        return []
    return items


def _is_on_item(quote: Quote, item: frozenset[str], others: Sequence[frozenset[str]]) -> bool:
    """Return True if the subject of a sentence, or its heading, is the item and no other one."""
    opening = " ".join(quote.text.split()[:MAX_SUBJECT_WORDS])
    for text in (opening, quote.heading):
        held = frozenset(map(word_root, content_tokens(text)))
        if item <= held and not any(other <= held for other in others):
            return True
    return False


def _format_bullets(chosen_quotes: Sequence[Quote], heading: str = "") -> str:
    """Format quotes as bullets; a label that the heading above them says already is left out."""
    lines = []
    for quote in chosen_quotes:
        is_said = quote.label.casefold() in heading.casefold()
        label = f"*{quote.label}:* " if quote.label and not is_said else ""
        lines.append(f"- {label}{quote.text} [{quote.passage}]")
    return "\n".join(lines)


# ---------------------------------------------------------------- themes


def _group(
    body: Sequence[Quote],
    inputs: Json,
    sources: Sequence[Json],
    synonyms: Collection[str],
) -> list[tuple[str, list[Quote]]]:
    """Group the sentences by what they speak for, by the side they speak of, or by theme."""
    question = inputs["question"]
    groups: list[tuple[str, list[Quote]]] = []
    if classify_question(question).name == "yes or no":
        groups = list(group_opposing(question, body).items())
    elif find_compared_sides(question):
        groups = _group_by_side(question, body)
    placed = [quote for _, group in groups for quote in group]
    rest = [quote for quote in body if quote not in placed]
    topic = find_topic(question)
    named = {
        quote.order for quote in rest if names_topic(topic, f"{quote.label} {quote.text}", synonyms)
    }
    for heading, group in _group_by_theme(rest, inputs["sub_questions"], sources, named):
        for quote in group:
            _add_to_theme(groups, heading, quote)
    return groups


def _group_by_side(question: str, body: Sequence[Quote]) -> list[tuple[str, list[Quote]]]:
    """Group the sentences that speak of both sides of a comparison, and of each side."""
    sides = find_compared_sides(question)
    if sides is None:
        return []
    both = _("{one} and {other}").format(one=sides.names[0], other=sides.names[1])
    groups: dict[str, list[Quote]] = {both: [], sides.names[0]: [], sides.names[1]: []}
    for quote in body:
        roots = frozenset(map(word_root, tokenize(f"{quote.label} {quote.text}")))
        side = sides.alone(roots)
        if side:
            groups[side].append(quote)
        elif all(word in roots for word in sides.words):
            groups[both].append(quote)
    return [
        (clean_heading(f"{name[:1].upper()}{name[1:]}"), group)
        for name, group in groups.items()
        if group
    ]


def _group_by_theme(
    body: Sequence[Quote],
    sub_questions: Sequence[str],
    sources: Sequence[Json],
    named: Collection[int],
) -> list[tuple[str, list[Quote]]]:
    """Group sentences under the sub-question they answer. named: the orders that name the topic.

    The others go under the sub-question that asks for everything else, or under their source's
    title.
    """
    words = _specific_words(sub_questions)
    groups: dict[str, list[Quote]] = {question: [] for question in sub_questions}
    rest: list[Quote] = []
    for quote in body:
        fits = [
            _score_fit(quote, question, own, is_named=quote.order in named)
            for question, own in zip(sub_questions, words, strict=True)
        ]
        if any(fits):
            best = fits.index(max(fits))
            groups[sub_questions[best]].append(quote)
        else:
            rest.append(quote)

    themes: list[tuple[str, list[Quote]]] = []
    for question, group in groups.items():
        heading = format_theme_heading(question)
        if len(group) < MIN_THEME_SIZE or not heading:
            rest += group
        else:
            themes.append((heading, group))
    everything_else = ""
    for question in sub_questions:
        if _asks_all(question):
            everything_else = clean_heading(question)
    for quote in sorted(rest, key=lambda quote: quote.order):
        heading = everything_else or _format_source_heading(sources[quote.source])
        _add_to_theme(themes, heading, quote)
    return [(heading, sorted(group, key=lambda quote: quote.order)) for heading, group in themes]


#: A heading that is only a piece of what somebody wrote.
_FRAGMENT = re.compile(
    r"^(?!(?:what|how|why|when|where|who|which|is|are|was|were|do|does|did|can|could|should|would|will"
    r"|has|have|may|might|must|whether)\b)[a-z]|\b(?:i|i['’]m|i['’]ve|my|we|our|us|me)\b|\b[Ii]t['’]s it\b"
    r"|^how to (?:\w+ )?(?:what|how|why|i)\b",
    re.MULTILINE,
)
_FIRST_PERSON = re.compile(r"\bI\b|\bI['’]")


def format_theme_heading(question: str) -> str:
    """Return a sub-question as a heading; of a fragment, the side that it asks about, or ""."""
    if not _FRAGMENT.search(question) and not _FIRST_PERSON.search(question):
        return clean_heading(question)
    facets = find_asked_facets(question)
    return facets[0].title if facets else ""


def _add_to_theme(themes: list[tuple[str, list[Quote]]], heading: str, quote: Quote) -> None:
    """Add a sentence to the first theme of this heading, or as a new theme."""
    for theme, group in themes:
        if theme == heading:
            group.append(quote)
            return
    themes.append((heading, [quote]))


def _specific_words(sub_questions: Sequence[str]) -> list[frozenset[str]]:
    """Return the stems of each sub-question that not all of them share."""
    own: list[frozenset[str]] = []
    for question in sub_questions:
        words = [word for word in tokenize(question) if word not in NAMELESS_WORDS]
        own.append(frozenset(stem(word) for word in words))
    shared = frozenset.intersection(*own) if len(own) > 1 else frozenset()
    return [words - shared for words in own]


def _asks_all(question: str) -> bool:
    """Return True if a sub-question names nothing and asks for no form of answer.

    Example: "What else do the sources say?".
    """
    lowered = question.lower()
    cued = ASKS_FIGURES.search(lowered) or any(asked.search(lowered) for asked, _ in ANSWER_CUES)
    return not cued and set(tokenize(question)) <= NAMELESS_WORDS


def _score_fit(quote: Quote, question: str, words: frozenset[str], *, is_named: bool) -> float:
    """Return how well a sentence fits a sub-question; a form alone fits only if the topic is named.

    One without the duration, amount or date that is asked for does not fit.
    """
    if not fills_question(question, quote.text):
        return 0.0
    lowered, text = question.lower(), quote.text.lower()
    counted = bool(ASKS_FIGURES.search(lowered) and parse_figures(quote.text))
    cued = counted or any(
        asked.search(lowered) and given.search(text) for asked, given in ANSWER_CUES
    )
    share = len(words & quote.words.keys()) / (len(words) or 1)
    return share + CUE_WEIGHT * (cued and (is_named or bool(share)))


def clean_label(text: str) -> str:
    """Return one line for a label; "" if it addresses a machine."""
    if not text or find_instructions(strip_invisible(text)):
        return ""
    return _remove_signs(text).rstrip(" .:")


def clean_heading(text: str) -> str:
    """Return one line for a heading, without the signs that Markdown or a citation mark reads."""
    return _remove_signs(text) or _("Further findings")


def _remove_signs(text: str) -> str:
    return truncate(_flatten(text), MAX_HEADING_LENGTH)


def _flatten(text: str) -> str:
    """Return one line without the signs that Markdown or a citation mark reads."""
    return " ".join(re.sub(r"[\[\]<>#*_`|\\]", " ", strip_invisible(text)).split())


def _format_source_heading(source: Json) -> str:
    """Return the title of a source as a heading; a neutral one if it addresses a machine."""
    title = str(source.get("title", ""))
    if find_instructions(strip_invisible(title)):
        return clean_heading("")
    return clean_heading(clean_title(title) or title)


def _format_findings(themes: Sequence[tuple[str, list[Quote]]]) -> str:
    if not themes:
        return _("The passages contain nothing beyond the summary above.")
    return "\n\n".join(f"### {title}\n\n{_format_bullets(group, title)}" for title, group in themes)


# ---------------------------------------------------------------- conflicts


def find_conflicts(pairs: Iterable[Disagreement]) -> list[tuple[Quote, Quote]]:
    """Return the most similar of the pairs that disagree, each sentence at most once.

    Statements about different years are no conflict.
    """
    conflicts: list[tuple[Quote, Quote]] = []
    used: list[Quote] = []
    for pair in pairs:
        if pair.of_other_years or pair.one in used or pair.other in used:
            continue
        conflicts.append((pair.one, pair.other))
        used += (pair.one, pair.other)
    return conflicts[:MAX_CONFLICTS]


#: "This contradicts earlier findings", "Experts disagree": a sentence that itself tells of
#: opposing findings or views.
_TELLS_CONFLICT = re.compile(
    r"(?<!\bnot )(?<!n['’]t )(?<!\bnever )\b(?:contradict(?:s|ed|ing|ory)?"
    r"|(?:conflicting|contradictory|inconsistent) (?:\w+ )?(?:evidence|results?|findings|reports?"
    r"|studies|data|views|opinions|advice|recommendations|claims)"
    r"|mixed (?:\w+ )?(?:evidence|results|findings)"
    r"|(?:experts|studies|researchers|scientists|scholars|historians|economists|doctors|sources"
    r"|authorities|authors|critics|courts|findings|results|opinions|views|recommendations)"
    r" (?:\w+ ){0,2}(?:disagree(?:d|s)?\b|diverged?\b|conflict\b(?= (?:on|about|over|with)\b|[.,;]|$))"
    r"|(?:is|are|was|were|remains?) (?:\w+ ){0,2}(?:disputed|controversial|hotly debated)"
    r"|contrary to (?:what|earlier|previous|prior|popular|common|most|the (?:claim|belief|finding|view)))"
    r"\b|\bno (?:scientific |clear |general )?consensus\b",
    re.IGNORECASE,
)
#: The same, or a sentence that names a dispute or one of its sides.
_TELLS_DISPUTE = re.compile(
    rf"{_TELLS_CONFLICT.pattern}|\b(?:disput\w*|controvers\w*|contested|contentious|debate[ds]?"
    r"|disagree\w*|critics|opponents|s[ck]eptics|objections?)\b",
    re.IGNORECASE,
)
#: Faults of a sentence that tells of a conflict all the same: "A study contradicts what … say".
TELLING_FAULTS = frozenset({"repeats the question"})
_TOLD_CONFLICTS = N_("These sentences themselves say that findings or views oppose each other.")


def find_told_conflicts(usable: Sequence[Quote]) -> list[Quote]:
    """Return the best sentences about the point that themselves tell of opposing findings or views."""
    told = [
        quote
        for quote in usable
        if TELLING_FAULTS.issuperset(quote.faults) and _TELLS_CONFLICT.search(quote.text)
    ]
    told.sort(key=lambda quote: (-quote.score, quote.order))
    first: dict[str, Quote] = {}
    for quote in told:
        first.setdefault(quote.text.casefold(), quote)
    return list(first.values())[:MAX_CONFLICTS]


_NO_CONFLICT = N_(
    "No conflicting figures, dates, names or denials were found in similar sentences. Conflicts"
    " worded differently may be missed."
)
_NOTHING_COMPARED = N_("Sources could not be compared: no two of them make similar statements.")


def _format_conflicts(inputs: Json, found: Sequence[Quote], usable: Sequence[Quote]) -> str:
    """Format the conflicts of all sentences, and those that usable ones tell of.

    Nothing was compared where the confidence, which compares by the whole question, counts nothing.
    """
    told = find_told_conflicts(usable)
    pairs = compare_quotes(found).pairs
    compared = _format_pairs(find_conflicts(pairs))
    if not pairs and not _are_comparable(inputs["question"], inputs["sources"]):
        compared = gettext(_NOTHING_COMPARED)
    if not told:
        return compared
    return f"{gettext(_TOLD_CONFLICTS)}\n\n{_format_bullets(told)}\n\n{compared}"


def _are_comparable(question: str, sources: Sequence[Json]) -> bool:
    """Return whether any two sentences of different sources are similar enough to be compared."""
    compared = compare_quotes(find_compared_quotes(question, sources))
    return bool(compared.pairs or compared.met)


def _format_pairs(pairs: Sequence[tuple[Quote, Quote]]) -> str:
    if not pairs:
        return gettext(_NO_CONFLICT)
    told = "\n\n".join(_format_bullets(pair) for pair in pairs)
    lead = _(
        "These sentences have the same subject but differ in a figure, a date, a name or a denial. A"
        " different scope may explain it."
    )
    return f"{lead}\n\n{told}"


# ---------------------------------------------------------------- confidence


def _format_confidence(
    inputs: Json,
    count: str,
    themes: Sequence[tuple[str, list[Quote]]],
    same: Mapping[int, int],
    unnamed_side: str,
) -> str:
    """Format the bullets of the confidence assessment.

    count: of `_count_quotes`. same: of `_find_same_text`. unnamed_side: what the summary names.
    """
    sources = inputs["sources"]
    lines = [count]
    if same:
        not_counted = ngettext(
            "{count:,} source was not counted: same text as another source.",
            "{count:,} sources were not counted: same text as another source.",
            len(same),
        )
        lines.append(not_counted.format(count=len(same)))
    passages = []
    for source in sources:
        title = source.get("title", "")
        passages += [f"{title} {passage['text']}" for passage in source["passages"]]
    missing = find_uncovered_words(inputs["question"], passages)
    others = [word for word in missing if word.lower() not in tokenize(unnamed_side)]
    if others:
        quoted = join_list([put_in_quotes(word) for word in others])
        lines.append(_("No source has these words of the question: {words}.").format(words=quoted))
    elif not missing:
        lines.append(_("Every keyword of the question occurs in the sources."))
    titles = {title for title, _ in themes}
    silent = []
    for question in inputs["sub_questions"]:
        heading = format_theme_heading(question)
        if heading and heading not in titles and not _asks_all(question):
            silent.append(heading)
    if silent:
        nothing_more = _("Nothing more was found on: {questions}")
        lines.append(nothing_more.format(questions=" ".join(silent)))
    if inputs["dropped"]:
        lines.append(_format_dropped(inputs["dropped"]))
    return "\n".join(f"- {line}" for line in lines)


def _find_same_text(sources: Sequence[Json]) -> dict[int, int]:
    """Return {index of a source: index of an earlier source with the same passages}."""
    prints = {}
    for number, source in enumerate(sources):
        text = "\n".join(passage["text"] for passage in source["passages"])
        prints[str(number)] = copies.fingerprint_text(text)
    titles = {str(number): title for number, title in enumerate(_list_titles(sources))}
    same = copies.map_copies(copies.group_copies(prints, titles=titles))
    return {int(copy): int(first) for copy, first in same.items()}


def _shorten_explanation(text: str) -> str:
    """Return the whole sentences of an explanation that fit, without the last stop.

    A first sentence that is too long is cut between words.
    """
    plain = _flatten(text)
    ends = [end for _start, end in find_sentences(plain) if end <= MAX_DROPPED_REASON_LENGTH]
    if ends:
        return plain[: ends[-1]].rstrip(".。 ")
    shown = truncate(plain, MAX_DROPPED_REASON_LENGTH)
    return re.sub(r"[\s.,;:、，；：]+…$", "…", shown)


def _format_dropped(dropped: Sequence[Json]) -> str:
    shown = []
    for source in dropped[:5]:
        explanation = _shorten_explanation(str(source["explanation"]))
        why = f" ({explanation})" if explanation else ""
        shown.append(f"{put_in_quotes(_format_source_heading(source))}{why}")
    if len(dropped) > 5:
        shown.append(_("and {count} more").format(count=len(dropped) - 5))
    return ngettext(
        "{count:,} source was left out: {sources}.",
        "{count:,} sources were left out: {sources}.",
        len(dropped),
    ).format(count=len(dropped), sources=join_clauses(shown))
