"""Write a report without a model, of sentences quoted whole from the passages, each with its mark.

It chooses, orders and groups sentences and never rewords a source. The sentence that answers most
directly comes first. Its own sentences are only about the method, the counts and what no source
names; a label before a sentence is the heading or title that it stands under.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from research_core.errors import ModelError
from research_core.i18n import N_, gettext, join_sentences
from research_core.llm.comparison_table import (
    ComparedRow,
    find_compared_rows,
    format_comparison_table,
)
from research_core.llm.opposing_sides import choose_opposing
from research_core.llm.quote_bullets import add_label, format_bullets
from research_core.llm.quote_confidence import (
    count_quotes,
    find_same_text,
    format_confidence,
    format_sections_confidence,
)
from research_core.llm.quote_summary import (
    begin_with_first_part,
    choose_summary,
    find_first_side,
    label_by_heading,
)
from research_core.llm.quote_themes import (
    NAMELESS_WORDS,
    format_findings,
    format_theme_heading,
    group_quotes,
)
from research_core.llm.quoted_conflicts import TELLS_DISPUTE, format_conflicts
from research_core.llm.unnamed_things import (
    drop_other_things,
    find_missing_side,
    find_shown_names,
    find_unnamed,
    format_missing,
    format_missing_side,
    format_unquoted,
    list_texts,
    list_titles,
)
from research_core.model_messages import Json
from research_core.text.asked_facets import FACETS, OVERVIEW_FACETS, Facet, find_asked_facets
from research_core.text.comparison_question import find_compared_sides
from research_core.text.direct_answers import find_answer_kind, restates_question
from research_core.text.filled_quotes import asks_plain_filler
from research_core.text.key_words import add_key_quotes, find_key_words, find_unquoted
from research_core.text.named_things import find_named_thing
from research_core.text.question_focus import Focus, focus_question
from research_core.text.question_parts import spell_text, split_questions
from research_core.text.question_spelling import spell_question
from research_core.text.question_topic import (
    find_missing_names,
    find_topic,
    measure_named,
    names_any,
    names_topic,
)
from research_core.text.quotable import Quote
from research_core.text.quote_choice import MAX_LIKENESS, choose_quotes, measure_likeness
from research_core.text.quote_faults import mark_faults
from research_core.text.quote_labels import clean_title
from research_core.text.quote_scores import find_quotes, find_topic_synonyms
from research_core.text.sentence_meaning import (
    compares,
    knows_language,
    list_asking_sentences,
    measure_nearness,
)
from research_core.text.sentence_relevance import rate_without_point
from research_core.text.similarity import parse_question, rarity, word_root
from research_core.text.words import stem, tokenize

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

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
#: Sentences on a long question that asks for no side of its thing: few come near what it asks.
MAX_ON_POINT = 5
#: Sentences where none is on the side asked about, or gives the duration or amount asked for.
MAX_OFF_SIDE = 2
#: From so many sentences that answer on, others are left out.
MIN_ANSWERING = 2
#: The least nearness of one of the others, which does not answer.
MIN_NEAR_WEAK = 0.45
#: How far behind the nearest a sentence that names another side than those asked about may be.
MAX_BEHIND_ON_OTHER_SIDE = 0.2
#: Sentences where none names one of the things asked about.
MAX_WITHOUT_THING = 2
#: Sentences of an overview on one side of its thing.
MAX_OF_SIDE = 2
#: No sentence names half of the words of a longer topic, which tells a story.
MAX_TOPIC_NAMED_WHOLE = 8


def write_report(inputs: Json, embedder: Embedder | None = None) -> str:
    """Write the four sections of a report as Markdown. Raises ModelError (content_empty).

    inputs: {question, limited, dropped, sub_questions, sources}. {instructions}, if any, are asked
    for like the question and grouped like sub-questions.
    """
    sources, instructions = inputs["sources"], inputs.get("instructions", [])
    each, most, shown = _find_sizes(inputs)
    question = _spell_question(inputs["question"], sources)
    sub_questions = [*inputs["sub_questions"], *instructions]
    inputs = {**inputs, "question": question, "sub_questions": sub_questions}
    asked = " ".join([question, *instructions])
    focus = _find_focus(inputs["question"], sources)
    candidates = _find_candidates(asked, inputs, focus, embedder)
    if focus.wider and not any(quote.is_on_side for quote in candidates.usable):
        focus = focus.wider
        candidates = _find_candidates(asked, inputs, focus, embedder)
    point, synonyms, key_words = candidates.point, candidates.synonyms, candidates.key_words
    found, usable = candidates.found, candidates.usable
    chosen = _choose_body(usable, point, focus, sources, (each * len(sources), most))
    chosen = add_key_quotes(key_words, find_topic(point), chosen, usable, list_titles(sources))
    labelled = [add_label(quote, point, sources, synonyms) for quote in chosen]
    body = _drop_weak(labelled, inputs, embedder, focus)
    missing, is_elsewhere = find_unnamed(asked, sources, body)
    unnamed = find_shown_names(asked, sources, missing, is_elsewhere=is_elsewhere)
    unnamed_side = find_missing_side(inputs["question"], sources)
    unquoted = find_unquoted(key_words, body, list_titles(sources))
    body = body[:MAX_WITHOUT_THING] if unquoted or unnamed else body
    summary: list[Quote] = []
    rows: list[ComparedRow] = []
    opposing: dict[str, list[Quote]] = {}
    if not is_elsewhere:
        sides = (
            OVERVIEW_FACETS if focus.is_overview else find_asked_facets(point, list_titles(sources))
        )
        summary = choose_summary(body, shown, point, synonyms, sides, label_by_heading(usable))
        summary = begin_with_first_part(summary, body, inputs["question"])
        opposing = choose_opposing(inputs["question"], body, max(1, shown // 2))
        rows = _compare(inputs["question"], usable, point, sources, synonyms)
    arranged = [*chain.from_iterable(row.cells for row in rows), *chain(*opposing.values())]
    body += [quote for quote in summary if quote not in body]
    # Beside the sides, only the best sentence is shown.
    summary = [quote for quote in summary[: 1 if opposing else None] if quote not in arranged]
    rest = [quote for quote in body if quote not in summary and quote not in arranged]
    themes = group_quotes(rest, inputs, sources, synonyms)
    lack = format_missing_side(unnamed_side) or format_missing(unnamed)
    lack = lack or format_unquoted(unquoted, list_texts(sources))
    opening = [lack, _format_notice([*body, *arranged]), format_bullets(summary)]
    opening += _format_sides(inputs["question"], rows, opposing)
    body += [quote for quote in arranged if quote not in body]
    same = find_same_text(sources)
    count = count_quotes(len(body), [quote.source for quote in body], sources, body, same)
    parts = (
        "## Executive Summary\n\n" + "\n\n".join(filter(None, opening)),
        f"## Main Findings\n\n{format_findings(themes)}",
        f"## Conflicting Information\n\n{format_conflicts(inputs, found, usable)}",
        f"## Confidence Assessment\n\n{format_confidence(inputs, count, themes, same, unnamed_side)}",
    )
    return "\n\n".join(parts) + "\n"


@dataclass(frozen=True)
class _Candidates:
    """The sentences that a report may quote.

    point: what they are compared with; found: all, usable: those on what is asked about, with their
    faults.
    """

    point: str
    synonyms: Collection[str]
    key_words: tuple[str, ...]
    found: Sequence[Quote]
    usable: Sequence[Quote]


def _find_candidates(
    asked: str, inputs: Json, focus: Focus, embedder: Embedder | None
) -> _Candidates:
    """Return the sentences to choose from. Raises ModelError (content_empty) if there is none."""
    sources, instructions = inputs["sources"], inputs.get("instructions", [])
    point = " ".join([focus.question, *instructions])
    synonyms = find_topic_synonyms(point, sources)
    key_words = _find_key_words(inputs["question"], focus, sources)
    asking = (*focus.asking, *instructions)
    found = find_quotes(point, sources, embedder, asking, points=focus.points, key_words=key_words)
    if not found:
        raise ModelError("The passages hold no sentence that can be quoted.", kind="content_empty")
    on_thing = drop_other_things(asked, found, sources)
    usable = mark_faults(point, on_thing, sources, synonyms, told=asked)
    return _Candidates(point, synonyms, key_words, found, usable)


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
    labelled = [add_label(quote, point, sources, synonyms) for quote in faultless]
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
    sides = find_asked_facets(point, list_titles(sources))
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

    Beside fewer than MIN_ANSWERING, the nearest of the others are kept, first those on the side
    asked about, beside one only those. Sentences on another side that are far behind the nearest
    are dropped. All are kept where the model does not compare the question, and where no form of
    answer is asked for.
    """
    question = inputs["question"]
    if not body or _asks_openly(question, focus):
        return list(body)
    if embedder is None or not compares(embedder, question):
        return list(body)
    asked = [*list_asking_sentences(question), *inputs.get("instructions", ())]
    texts = [f"{quote.label} {quote.text_with_subject}".strip() for quote in body]
    answering: list[tuple[float, Quote]] = []
    others: list[tuple[float, Quote]] = []
    alone = measure_nearness(embedder, asked, texts)
    sides = find_asked_facets(focus.question, list_titles(inputs["sources"]))
    for quote, text, near in zip(body, texts, alone, strict=True):
        # A title lifts also what is far from the question.
        if near >= MIN_NEAR_WEAK:
            near = max(near, quote.near or 0.0)
        if quote.fills or rate_without_point(asked, text, near) == "answers":
            answering.append((near, quote))
        elif near >= MIN_NEAR_WEAK:
            others.append((near, quote))
    kept = _drop_far_sides(answering, sides)
    if kept and sides:
        others = [(near, quote) for near, quote in others if quote.is_on_side]
    others.sort(key=lambda other: (not other[1].is_on_side, -other[0]))
    lacking = max(0, MIN_ANSWERING - len(kept))
    return [*kept, *(quote for _, quote in others[:lacking])] or list(body[:1])


def _drop_far_sides(
    near_quotes: Sequence[tuple[float, Quote]], sides: Sequence[Facet]
) -> list[Quote]:
    """Return the quotes without those that are far behind the nearest and tell of another side."""
    nearest = max((near for near, _ in near_quotes), default=0.0)
    kept = []
    for near, quote in near_quotes:
        is_far = bool(sides) and not quote.fills and near < nearest - MAX_BEHIND_ON_OTHER_SIDE
        if not is_far or not any(
            side.named.search(quote.text) for side in FACETS if side not in sides
        ):
            kept.append(quote)
    return kept


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


def _spell_question(question: str, sources: Sequence[Json]) -> str:
    """Return the question as the pages spell its words, so that they are not missed there."""
    passages = [passage["text"] for source in sources for passage in source["passages"]]
    texts = [" ".join(list_titles(sources)), *passages]
    return spell_question(question, texts, is_english=knows_language(question)).text


def _find_focus(question: str, sources: Sequence[Json]) -> Focus:
    return focus_question(question, list_titles(sources))


def _limit_sides(chosen: Sequence[Quote]) -> list[Quote]:
    """Return the sentences of an overview, the best MAX_OF_SIDE on each side of its thing."""
    counts: Counter[str] = Counter()
    kept = []
    for quote in chosen:
        side = find_first_side(quote, OVERVIEW_FACETS)
        counts[side] += 1
        if not side or counts[side] <= MAX_OF_SIDE:
            kept.append(quote)
    return kept


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
    on_thing = drop_other_things(asked, informative or quotes, sources)
    usable = mark_faults(asked, on_thing, sources, synonyms)
    own_words = _list_own_words(inputs["section"], inputs["question"])
    answering = [quote for quote in usable if not own_words.isdisjoint(quote.words)] or usable
    if inputs.get("disputed"):
        answering = [quote for quote in usable if TELLS_DISPUTE.search(quote.text)]
    most = SECTION_SIZES[inputs.get("length", "")]
    chosen = choose_quotes(answering, most, per_source=SECTION_SIZE_OF_SOURCE)
    if not chosen:
        raise ModelError("The passages hold no sentence that can be quoted.", kind="content_empty")
    body = [add_label(quote, asked, sources, synonyms) for quote in chosen]
    notice = gettext(_NOTICES[inputs["notice"]]) if inputs.get("notice") else ""
    heading = format_theme_heading(inputs["section"])
    return "\n\n".join(filter(None, (notice, format_bullets(body, heading))))


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
    usable = drop_other_things(inputs["question"], found, sources)
    marked = mark_faults(question, usable, sources, synonyms)
    quoted_in_sections = set(inputs.get("taken", ()))
    chosen = set(inputs.get("summary", ())) - quoted_in_sections
    free = [quote for quote in marked if quote.text not in quoted_in_sections]
    best = choose_quotes(free, 4 * shown, per_source=SECTION_SIZE_OF_SOURCE)
    labelled = [add_label(quote, question, sources, synonyms) for quote in best]
    if chosen:
        body = [quote for quote in labelled if quote.text in chosen]
        summary = _sort_as(body, inputs["summary"])
    else:
        summary = choose_summary(labelled, shown, question, synonyms)
    opening = (gettext(_NOTICES[inputs["notice"]]), format_bullets(summary))
    parts = (
        "## Executive Summary\n\n" + "\n\n".join(filter(None, opening)),
        f"## Conflicting Information\n\n{format_conflicts(inputs, found, marked)}",
        f"## Confidence Assessment\n\n{format_sections_confidence(inputs, summary, found)}",
    )
    return "\n\n".join(parts) + "\n"


def _sort_as(quotes: Sequence[Quote], texts: Sequence[str]) -> list[Quote]:
    """Return the quotes in the order of these texts, each text once."""
    by_text: dict[str, Quote] = {}
    for quote in quotes:
        by_text.setdefault(quote.text, quote)
    return [by_text[text] for text in texts if text in by_text]


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
    usable = drop_other_things(asked, found, sources)
    facets = find_asked_facets(point, list_titles(sources))
    for marked in mark_faults(point, usable, sources, synonyms, told=asked):
        if facets and not marked.is_on_side:
            continue
        quote = add_label(marked, point, sources, synonyms)
        if form.exact and not form.given.search(quote.text):
            continue
        title = str(sources[quote.source].get("title", ""))
        if _names_asked_thing(asked, quote, synonyms):
            near.append(quote)
            continue
        if not quote.label:
            quote = replace(quote, label=clean_title(title), is_titled=True)
        if _names_titled_thing(asked, title, quote):
            titled.append(quote)
    each, per_source, _ = LIMITED_REPORT_SIZES
    limit = max(each * len(sources), most)
    body = choose_quotes(near, limit, per_source=per_source)
    body = body or choose_quotes(titled, limit, per_source=per_source)
    if not body or (near and find_unnamed(asked, sources, body)[1]):
        return []
    first = choose_summary(body, most, point, synonyms)
    ordered = [*first, *(quote for quote in body if quote not in first)]
    return [format_bullets([quote]) for quote in ordered[:most]]


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


def _find_key_words(question: str, focus: Focus, sources: Sequence[Json]) -> tuple[str, ...]:
    """Return the words of a question without which no sentence answers it."""
    if find_compared_sides(question):
        return ()
    return find_key_words(question, focus, list_titles(sources))


def _format_sides(
    question: str, rows: Sequence[ComparedRow], opposing: Mapping[str, Sequence[Quote]]
) -> list[str]:
    """Return the table of compared things, and the sentences on each side of a dispute."""
    table = format_comparison_table(question, rows)
    groups = [f"{gettext(side)}:\n\n{format_bullets(each)}" for side, each in opposing.items()]
    return [table, *groups]


def _format_notice(quoted: Sequence[Quote]) -> str:
    """Return what kind of report this is, and how its lists are written if it quotes one."""
    if not any(quote.is_list for quote in quoted):
        return gettext(EXTRACTIVE_NOTICE)
    notice = gettext(EXTRACTIVE_NOTICE).removesuffix("*")
    return f"{join_sentences([notice, gettext(LISTS_NOTICE)])}*"
