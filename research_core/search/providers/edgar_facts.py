"""Return a company's figures as filed (XBRL), exactly as stated: key figures or those asked for.

The unit is the one the company reports for the latest day and most often; convenience translations
are ignored. Nothing is computed, rounded or converted, and key figures filed under other concepts
are not found. A year's figure is the one whose period ends in that year.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from research_core.journal.deps import Http
from research_core.model_messages import Json
from research_core.search.providers.edgar_companies import Company, remove_name
from research_core.search.providers.edgar_concepts import (
    ASSETS,
    CASH,
    EARNINGS_PER_SHARE,
    EQUITY,
    LIABILITIES,
    NET_INCOME,
    OPERATING_CASH_FLOW,
    OPERATING_INCOME,
    REVENUE,
    SHARES,
    Concept,
    ConceptMatch,
    FactQuestion,
    find_concepts,
    has_figure_words,
    parse_fact_question,
)
from research_core.search.providers.edgar_files import (
    NAME,
    build_filing_url,
    fetch_json,
    matches_filters,
)
from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    read_each,
    read_number,
    read_rows,
    read_text,
)
from research_core.search.queries import FilingQuery
from research_core.search.records import Filing, NotedRecords
from research_core.text.words import truncate

FACTS = "https://data.sec.gov/api/xbrl/companyfacts"
#: Key figures in order, each with its possible concepts; for equal dates the first one wins.
HEADLINES = (
    REVENUE,
    NET_INCOME,
    EARNINGS_PER_SHARE,
    ASSETS,
    EQUITY,
    LIABILITIES,
    OPERATING_INCOME,
    CASH,
    OPERATING_CASH_FLOW,
    SHARES,
)
#: Annual forms: of two figures ending on the same day they state the longer period, other forms the
#: shorter.
YEARLY = frozenset({"10-K", "10-K/A", "10-KT", "20-F", "20-F/A", "40-F", "40-F/A"})
#: Days that a year's figure covers at least, of 52 weeks or after a change of its end; characters
#: of a label.
FULL_YEAR_DAYS, MAX_LABEL = 300, 120


@dataclass(frozen=True)
class _Value:
    concept: str
    label: str
    unit: str
    value: float | int
    first: str
    last: str
    filed: str
    form: str
    accession: str


def fetch_facts(http: Http, company: Company, query: FilingQuery, words: str) -> NotedRecords:
    """Return the figures that words ask for, from the requested forms and filing dates.

    Words that name no figure, or only the company, ask for the latest value of each key figure.
    Notes say what was not found, or how the words were read. Raises SearchError.
    """
    told = fetch_json(http, f"{FACTS}/CIK{company.padded}.json")
    if told is None:
        return NotedRecords(
            (), [f"{NAME} has no figures of this company: it files none that programs can read."]
        )
    name = read_text(NAME, told if isinstance(told, dict) else {}, "entityName")
    if not name or not isinstance(told.get("facts"), dict):
        raise changed_format_error(NAME, "there is no company with its figures in it")
    question = parse_fact_question(remove_name(words, name, query.ticker))
    if has_figure_words(question.text):
        match = find_concepts(question.text, told["facts"])
        return _answer_question(told, question, match, query, (name, company))
    if question.years[0]:
        match = ConceptMatch(HEADLINES)
        return _answer_question(told, question, match, query, (name, company))
    latest = read_each(HEADLINES, lambda concepts: _find_latest_value(told, concepts, query))
    few = (
        f"{NAME}: {len(latest)} of {len(HEADLINES)} headline figures stand under one of their usual"
        " names; others may stand under another."
    )
    lacks = len(latest) < min(query.count, len(HEADLINES))
    filings = [_build_fact_filing(value, name, company) for value in latest[: query.count]]
    return NotedRecords(filings, [few] if lacks else ())


def _answer_question(
    told: Any,
    question: FactQuestion,
    match: ConceptMatch,
    query: FilingQuery,
    whose: tuple[str, Company],
) -> NotedRecords:
    """Return the values of the concepts that a question means, with notes on its reading."""
    values: list[_Value] = []
    for group in match.groups:
        if question.years[0]:
            values += _list_yearly_values(told, group, query, question.years)
            continue
        latest = _find_latest_value(told, group, query)
        if latest:
            values.append(latest)
    name, company = whose
    filings = [_build_fact_filing(value, name, company) for value in values[: query.count]]
    understood: Json = {
        "company": name,
        "concepts": list(dict.fromkeys(value.concept for value in values)),
        "date_from": question.years[0],
        "date_to": question.years[1],
        "alternatives": [_describe_concept(told, concept) for concept in match.others],
    }
    notes = _note_gaps(question, match, len(values), query.count)
    return NotedRecords(
        filings,
        notes,
        understood={key: value for key, value in understood.items() if value},
    )


def _note_gaps(
    question: FactQuestion, match: ConceptMatch, value_count: int, most: int
) -> list[str]:
    """Say which words, years or values of a question the answer leaves out."""
    notes = []
    way_out = (
        "Ask for one of understood.alternatives by its name, without query for the headline"
        " figures, or without facts for filings with these words."
    )
    if match.groups and match.unmatched:
        notes.append(
            f"{NAME}: these words name no figure of this company and were not used:"
            f" {', '.join(match.unmatched)}."
        )
    if not match.groups:
        notes.append(f"{NAME}: no figure of this company is named {question.text!r}. {way_out}")
    elif not value_count:
        notes.append(
            f"{NAME}: the company filed no such figure within these years, dates and forms."
            f" Ask without them. {way_out}"
        )
    elif value_count > most:
        notes.append(
            f"{NAME}: {most} of {value_count} values are given. Ask with a higher num_results, or"
            " for fewer years."
        )
    return notes


def _describe_concept(told: Any, concept: Concept) -> str:
    """Return the name of a concept, and its label if that says more."""
    label = read_text(NAME, get_value(told, "facts", *concept) or {}, "label")
    name = ":".join(concept)
    return f"{name} ({truncate(label, MAX_LABEL)})" if label and label != concept[1] else name


def _list_yearly_values(
    told: Any, concepts: tuple[Concept, ...], query: FilingQuery, years: tuple[str, str]
) -> list[_Value]:
    """Return a figure's value for each of these years, the oldest first."""
    by_year: dict[str, _Value] = {}
    for taxonomy, concept in concepts:
        values = _list_values_in_main_unit(told, taxonomy, concept, query, years)
        chosen = [value for value in values if value.form in YEARLY] or values
        for year in {value.last[:4] for value in chosen}:
            of_year = [value for value in chosen if value.last[:4] == year]
            by_year.setdefault(year, _select_of_year(of_year))
    return [by_year[year] for year in sorted(by_year)]


def _select_of_year(values: list[_Value]) -> _Value:
    """Return the value of the longest period, of several the last, as it was filed last."""

    def rank(value: _Value) -> tuple[bool, str, str, int]:
        days = _count_days(value)
        return days >= FULL_YEAR_DAYS, value.last, value.filed, days

    return max(values, key=rank)


def _count_days(value: _Value) -> int:
    """Return the days of a value's period, 0 if it is a value of one day."""
    if not value.first:
        return 0
    try:
        return (date.fromisoformat(value.last) - date.fromisoformat(value.first)).days
    except ValueError:
        raise changed_format_error(
            NAME, f"a period of {value.concept!r} has no day as its start or end"
        ) from None


def _find_latest_value(
    told: Any, concepts: tuple[Concept, ...], query: FilingQuery
) -> _Value | None:
    found = read_each(concepts, lambda concept: _find_latest_of_concept(told, *concept, query))
    return max(found, key=lambda value: value.last, default=None)


def _find_latest_of_concept(
    told: Any, taxonomy: str, concept: str, query: FilingQuery
) -> _Value | None:
    """Return the latest value of a concept.

    For equal end dates the one filed last wins, for equal filings the period the form is about.
    """
    values = _list_values_in_main_unit(told, taxonomy, concept, query)
    if not values:
        return None
    newest = max((value.last, value.filed) for value in values)
    times = [value for value in values if (value.last, value.filed) == newest]
    if times[0].form in YEARLY:
        return min(times, key=lambda value: value.first)
    return max(times, key=lambda value: value.first)


def _list_values_in_main_unit(
    told: Any,
    taxonomy: str,
    concept: str,
    query: FilingQuery,
    years: tuple[str, str] = ("", ""),
) -> list[_Value]:
    """Return the values of a concept in the unit the company reports in.

    That is the unit of the latest day, and of several the one used most often.
    """
    fact = get_value(told, "facts", taxonomy, concept)
    if fact is None:
        return []
    units = get_value(fact, "units")
    if not isinstance(units, dict):
        raise changed_format_error(NAME, f"there are no units of {concept!r} in it")
    by_unit: list[list[_Value]] = []
    for unit in units:
        fitting = []
        for value in _read_values(fact, concept, unit):
            if matches_filters(query, value.form, value.filed) and _ends_within(value, years):
                fitting.append(value)
        if fitting:
            by_unit.append(fitting)
    if not by_unit:
        return []
    return max(by_unit, key=lambda each: (max(value.last for value in each), len(each)))


def _ends_within(value: _Value, years: tuple[str, str]) -> bool:
    """Return whether a value's period ends in one of these years; "" is no limit."""
    first, last = years
    year = value.last[:4]
    return year >= first and (not last or year <= last)


def _read_values(fact: Any, concept: str, unit: str) -> Iterator[_Value]:
    for row in read_rows(NAME, fact, "units", unit):
        value = read_number(NAME, row, "val")
        last = read_text(NAME, row, "end")
        filed = read_text(NAME, row, "filed")
        if value is None or not (last and filed):
            raise changed_format_error(
                NAME, f"a value of {concept!r} has no number, no end or no day of filing"
            )
        yield _Value(
            concept=concept,
            label=read_text(NAME, fact, "label"),
            unit=unit,
            value=value,
            first=read_text(NAME, row, "start"),
            last=last,
            filed=filed,
            form=read_text(NAME, row, "form"),
            accession=read_text(NAME, row, "accn"),
        )


def _build_fact_filing(value: _Value, company: str, whose: Company) -> Filing:
    return Filing(
        company=company,
        cik=whose.padded,
        form_type=value.form,
        filing_date=value.filed,
        url=build_filing_url(whose.cik, value.accession, ""),
        source="edgar",
        period_of_report=value.last,
        period_start=value.first,
        accession=value.accession,
        description=value.label,
        concept=value.concept,
        unit=value.unit,
        value=value.value,
    )
