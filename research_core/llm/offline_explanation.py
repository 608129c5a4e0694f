"""Explain, without a model, why there is no report and what to try next.

Five parts in 150 to 250 words. Where better information may be is guessed from the form of the
question alone, and the text says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_core.model_messages import Json
from research_core.models import NO_REPORT_REASONS
from research_core.text.instructions import find_instructions
from research_core.text.similarity import Question, parse_question, rarity
from research_core.text.words import escape_markdown, strip_invisible, truncate

WORD_RANGE = (150, 250)
MAX_QUERY_LENGTH = 160
MAX_TITLE_LENGTH = 70
MAX_EXPLANATION_LENGTH = 160
MAX_DROPPED = 4


@dataclass(frozen=True)
class FormHint:
    """Advice for one form of question.

    why: why the answer may be hard to find. turns: two additions to a query. where: where to look.
    """

    why: str
    turns: tuple[str, str]
    where: str


FORM_HINTS = {
    "money": FormHint(
        "Prices like these are often agreed one by one and quoted on request, so that few pages"
        " state them.",
        ("price list", "average rates survey"),
        "marketplaces where providers state their rates, professional associations with fee"
        " surveys, and a few quotations asked for directly",
    ),
    "quantity": FormHint(
        "A figure like this is often kept in a statistical table, a data set or a printed report"
        " that search engines index badly.",
        ("statistics", "annual report figures"),
        "national statistics offices, the organisation that keeps the count, and open data portals",
    ),
    "time": FormHint(
        "A date is often stated once, in an announcement or a record, and repeated nowhere.",
        ("date announced", "timeline"),
        "the organisation's own announcements, newspaper archives and official registers",
    ),
    "person": FormHint(
        "Names are often found only in records, staff pages or local news, which search engines"
        " index badly.",
        ("name", "official record"),
        "official registers, the organisation's own pages and newspaper archives",
    ),
    "place": FormHint(
        "Places are often named only in local sources, maps and listings, which search engines"
        " index badly.",
        ("location", "address map"),
        "maps and local directories, the organisation's own pages and local news",
    ),
    "comparison": FormHint(
        "Pages usually describe one of the things compared, and few set both beside each other"
        " under the same conditions.",
        ("comparison review", "head-to-head study"),
        "systematic reviews, independent test organisations, trade publications that compare, and"
        " pages on each of them read side by side",
    ),
    "open": FormHint(
        "The question may be narrower than what is usually written about, or its answer may stand"
        " in specialist publications, behind a subscription, or under other words than these.",
        ("guide", "study report"),
        "scholarly search engines, the bodies responsible for the matter, trade and specialist"
        " publications, and forums of people who do this",
    ),
}


def explain_insufficient(inputs: Json) -> str:
    """Write 150-250 words of Markdown in five parts.

    inputs: {question, refined_query, reason, queries, dropped: [{title, score, explanation}]}.
    """
    question = parse_question(str(inputs["question"]))
    hint = FORM_HINTS[question.form.name]
    dropped = list(inputs["dropped"])
    fewest, most = WORD_RANGE
    # Show as many dropped sources as fit.
    for shown in range(min(len(dropped), MAX_DROPPED), -1, -1):
        text = "\n\n".join(_write_parts(inputs, question, hint, dropped[:shown]))
        if len(text.split()) <= most:
            break
    return text if len(text.split()) >= fewest else f"{text}\n\n{_MORE_STEPS}"


_MORE_STEPS = (
    "**What else you can do.** Add documents of your own to the library and ask again: they need no"
    " network. If sources were dropped that you find useful, lower the relevance cutoff: what was"
    " read is kept, and only what changes is done again."
)


def _write_parts(
    inputs: Json, question: Question, hint: FormHint, dropped: Sequence[Json]
) -> Iterator[str]:
    yield f"**What was searched.** {_describe_search(inputs)}"
    yield f"**What was found.** {_describe_findings(inputs, dropped)}"
    yield (
        f"**Why it may be hard to find.** {hint.why} This is a guess from the form of the question,"
        " not something a source says."
    )
    queries = " or ".join(f"“{query}”" for query in suggest_queries(question, hint.turns))
    yield (
        f"**More specific queries to try.** {queries}. Adding a place, a year or the name of an"
        " organisation usually helps most."
    )
    yield f"**Where better information might exist.** Try {hint.where}."


def quote_question(question: str) -> str:
    """Return the question as the text quotes it: one line, its Markdown signs escaped."""
    return escape_markdown(truncate(" ".join(question.split()), MAX_QUERY_LENGTH))


def _describe_search(inputs: Json) -> str:
    text = f"We searched for “{quote_question(str(inputs['question']))}”"
    refined = inputs.get("refined_query")
    if refined:
        text += f", then refined the search to “{_clean_line(refined, MAX_QUERY_LENGTH // 2)}”"
    others = len(set(inputs.get("queries", ())) - {inputs["question"], refined})
    if not others:
        return f"{text}."
    return f"{text}, with {others} further {'query' if others == 1 else 'queries'}."


def _describe_findings(inputs: Json, dropped: Sequence[Json]) -> str:
    read = len(inputs["dropped"])
    lines = [NO_REPORT_REASONS[inputs["reason"]].split(". ")[0].rstrip(".") + "."]
    if read:
        lines.append(
            f"{read} {'source was' if read == 1 else 'sources were'} read and dropped as not"
            " answering the question."
        )
    return " ".join([*lines, *map(_describe_dropped, dropped)])


def _describe_dropped(source: Json) -> str:
    explanation = _clean_line(source["explanation"], MAX_EXPLANATION_LENGTH)
    title = f"“{_clean_line(source['title'], MAX_TITLE_LENGTH)}”"
    if find_instructions(strip_invisible(str(source["title"]))):
        title = "A source"
    return f"{title} scored {int(source['score'])} of 5: {explanation.rstrip('.')}."


def _clean_line(text: object, limit: int) -> str:
    """Return outside text as one line that Markdown shows as it is, without citation marks."""
    plain = re.sub(r"[\[\]<>#*_`|\\]", " ", strip_invisible(str(text)))
    # What is left may still be a link: a bare address.
    return escape_markdown(truncate(" ".join(plain.split()), limit))


def suggest_queries(question: Question, turns: Sequence[str]) -> list[str]:
    """Return up to two queries in the question's words: all its words, then the rarest.

    Each ends with an addition for the form of the answer; those in another language than English
    have none.
    """
    words = [written for token, written in question.order if token in question.words]
    distinct = list(dict.fromkeys(words))
    by_rarity = sorted(distinct, key=lambda word: (-rarity(word.lower()), words.index(word)))
    rarest = [word for word in distinct if word in by_rarity[:3]]
    if question.language:
        turns = ("", "")
    wide = " ".join([*dict.fromkeys(words[:8]), turns[0]])
    narrow = " ".join([*rarest, turns[1]])
    return list(dict.fromkeys(_clean_line(query, MAX_QUERY_LENGTH) for query in (wide, narrow)))
