"""Export the findings about a report for the evidence pack, as JSON and as tables.

These are the check of each sentence, the assessment of each source, contradictions between sources,
and the overall confidence. JSON holds words as they stand, tables cleaned.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from research_core.export.tables import check_passage_place, clean_cell, format_csv
from research_core.model_messages import Json
from research_core.models import Report, ReportSource
from research_core.pipeline.assessment import Assessment, assess

Rows = Iterator[tuple[str, ...]]


def build_files(built: Report, said: Json, page_text: Callable[[str], str]) -> dict[str, str]:
    """Build the files by name.

    said: the report as `report.to_json` returns it; page_text: returns the stored text of a page by
    its hash, "" if it is not stored.
    """
    sentences, sources = list(_build_sentences(built, said, page_text)), list(_build_sources(built))
    differing, policy = said["contradictions"], built.settings["credibility"]
    judged = {
        "policy": policy,
        "ratings": list(built.settings.get("ratings", ())),
        "sources": sources,
    }
    return {
        "verification.json": format_json({"sentences": sentences}),
        "verification.csv": format_csv(_SENTENCE_COLUMNS, _build_sentence_rows(sentences, said)),
        "assessments.json": format_json(judged),
        "assessments.csv": format_csv(_PART_COLUMNS, _build_part_rows(sources)),
        "contradictions.json": format_json(differing),
        "contradictions.csv": format_csv(_CLAIM_COLUMNS, _build_claim_rows(differing)),
        "confidence.json": format_json(said["confidence"]),
    }


def format_json(value: Any) -> str:
    """Format a value as readable JSON."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


# -- the check of each sentence --------------------------------------------------------------------


def _build_sentences(built: Report, said: Json, page_text: Callable[[str], str]) -> Iterator[Json]:
    """Yield every sentence in order, each passage with the page where it stands."""
    held = {source.number: source for source in built.sources if source.number}
    texts = {source.page: page_text(source.page) if source.page else "" for source in held.values()}
    for number, one in enumerate(said["sentences"], 1):
        cited = [_build_citation(each, held[each["source"]], texts) for each in one["citations"]]
        about = {
            "section": one["section"],
            "text": one["text"],
            "state": one["state"],
            "reason": one["note"],
        }
        yield {"number": number, **about, "one_source": one["one_source"], "citations": cited}


def _build_citation(
    citation: Mapping[str, Any], source: ReportSource, texts: Mapping[str, str]
) -> Json:
    passage = next(each for each in source.passages if each.id == citation["passage"])
    where = {"page": source.page, "from": passage.start, "to": passage.end}
    return {
        "source": source.number,
        "passage": passage.id,
        **where,
        "in_page": check_passage_place(texts[source.page], passage),
    }


_SENTENCE_COLUMNS = (
    "sentence",
    "section",
    "text",
    "state",
    "reason",
    "one source",
    "source",
    "url",
    "passage",
    "page",
    "from",
    "to",
    "in page",
    "passage text",
)


def _build_sentence_rows(sentences: Sequence[Json], said: Json) -> Rows:
    """Yield a row per cited passage of a sentence, or one row if it cites none."""
    sources = {source["number"]: source for source in said["sources"] if source["number"]}
    for one in sentences:
        about = (
            str(one["number"]),
            clean_cell(one["section"]),
            clean_cell(one["text"]),
            one["state"],
            clean_cell(one["reason"]),
            _format_yes(one["one_source"]),
        )
        for cited in one["citations"]:
            yield (*about, *_list_citation_cells(cited, sources[cited["source"]]))
        if not one["citations"]:
            yield (*about, *[""] * 8)


def _list_citation_cells(cited: Json, source: Json) -> tuple[str, ...]:
    texts = {passage["id"]: passage["text"] for passage in reversed(source["passages"])}
    return (
        str(cited["source"]),
        clean_cell(source["landed"] or source["url"]),
        cited["passage"],
        cited["page"],
        str(cited["from"]),
        str(cited["to"]),
        cited["in_page"],
        clean_cell(texts[cited["passage"]]),
    )


def _format_yes(said: bool) -> str:
    return "yes" if said else ""


# -- how each source was assessed ------------------------------------------------------------------


def _build_sources(built: Report) -> Iterator[Json]:
    """Yield every web source in the report's order, with its score.

    A source that was read has its assessment too.
    """
    assessed = assess(built)
    for source in built.sources:
        if source.parts:
            whole = {
                "score": asdict(source.parts),
                "ratings": dict(source.ratings),
                "signs": dict(source.signs),
            }
            about = {
                "number": source.number,
                "url": source.url,
                "decision": source.status,
                "approved": source.approved,
            }
            yield {**about, **whole, "assessment": _build_assessment(assessed.get(source.url))}


def _build_assessment(found: Assessment | None) -> Json | None:
    return asdict(found) if found else None


_PART_COLUMNS = ("source", "url", "decision", "of", "part", "label", "value", "counts", "why")
_SCORE_TERMS = {
    "domain": "what its host is worth",
    "relevance": "the share of the question's words that the search result has",
    "recency": "a recent date",
}  # fmt: skip


def _build_part_rows(sources: Sequence[Json]) -> Rows:
    """Yield, for each source, its score and the parts of it, then its assessment and its parts."""
    for source in sources:
        about = (str(source["number"] or ""), clean_cell(source["url"]), source["decision"])
        for row in (*_build_score_rows(source), *_build_assessment_rows(source["assessment"])):
            yield (*about, *row)


def _build_score_rows(source: Json) -> Rows:
    score = source["score"]
    label = clean_cell(score["kind"] or score["tier"])
    value = _format_figure(score["score"])
    yield "score", "score", label, value, "", clean_cell(score["why"])
    for name, term in _SCORE_TERMS.items():
        basis = score["basis"] if name == "domain" else ""
        yield "score", name, term, _format_figure(score[name]), "", basis
    for name, rating in sorted(source["ratings"].items()):
        yield "ratings", clean_cell(name), "expert rating", _format_figure(rating), "", ""


def _build_assessment_rows(found: Json | None) -> Rows:
    if not found:
        return
    value = _format_figure(found["value"])
    yield "assessment", "assessment", found["level"], value, "", ""
    for part in found["parts"]:
        yield (
            "assessment",
            part["name"],
            clean_cell(part["label"]),
            _format_figure(part["value"]),
            "yes" if part["counts"] else "no",
            clean_cell(part["why"]),
        )


def _format_figure(value: float) -> str:
    return f"{value:.6g}"


# -- where sources give different figures ----------------------------------------------------------

_CLAIM_COLUMNS = (
    "contradiction",
    "about",
    "unit",
    "kind",
    "why",
    "value",
    "source",
    "passage",
    "sentence",
    "published",
    "credibility",
)


def _build_claim_rows(found: Sequence[Json]) -> Rows:
    for number, one in enumerate(found, 1):
        about = (
            str(number),
            clean_cell(one["about"]),
            clean_cell(one["unit"]),
            one["kind"],
            clean_cell(one["why"]),
        )
        for claim in one["claims"]:
            said = (
                clean_cell(claim["value"]),
                str(claim["source"]),
                claim["passage"],
                clean_cell(claim["sentence"]),
                clean_cell(claim["published"]),
            )
            yield (
                *about,
                *said,
                "" if claim["credibility"] is None else _format_figure(claim["credibility"]),
            )
