"""What was found out about a report, as files of the evidence pack: the check of each sentence, how
each source was assessed, where sources give different figures, and how far the whole can be relied
on.

Each as JSON, which the pack's script checks, and as a table for spreadsheets. JSON holds words as
they stand, tables cleaned. It works nothing out itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from research_core.export.tables import cell, stands, table
from research_core.model_messages import Json
from research_core.models import Report, ReportSource
from research_core.pipeline.assessment import Assessment, assess

Rows = Iterator[tuple[str, ...]]


def files(built: Report, said: Json, page_text: Callable[[str], str]) -> dict[str, str]:
    """By name. said: the report as `report.to_json` gives it; page_text: the stored text of a page
    by its hash, "" where it is not.
    """
    sentences, sources = list(_sentences(built, said, page_text)), list(_sources(built))
    differing, policy = said["contradictions"], built.settings["credibility"]
    judged = {
        "policy": policy,
        "ratings": list(built.settings.get("ratings", ())),
        "sources": sources,
    }
    return {
        "verification.json": text({"sentences": sentences}),
        "verification.csv": table(_SENTENCE, _sentence_rows(sentences, said)),
        "assessments.json": text(judged),
        "assessments.csv": table(_PART, _part_rows(sources)),
        "contradictions.json": text(differing),
        "contradictions.csv": table(_CLAIM, _claim_rows(differing)),
        "confidence.json": text(said["confidence"]),
    }


def text(value: Any) -> str:
    """JSON to be read by people too."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


# -- the check of each sentence --------------------------------------------------------------------------------------------


def _sentences(built: Report, said: Json, page_text: Callable[[str], str]) -> Iterator[Json]:
    """Every sentence of the text in order, also those that cite nothing, each passage with the page
    it stands in.
    """
    held = {source.number: source for source in built.sources if source.number}
    texts = {source.page: page_text(source.page) if source.page else "" for source in held.values()}
    for number, one in enumerate(said["sentences"], 1):
        cited = [_cited(each, held[each["source"]], texts) for each in one["citations"]]
        about = {
            "section": one["section"],
            "text": one["text"],
            "state": one["state"],
            "reason": one["note"],
        }
        yield {"number": number, **about, "one_source": one["one_source"], "citations": cited}


def _cited(citation: Mapping[str, Any], source: ReportSource, texts: Mapping[str, str]) -> Json:
    passage = next(each for each in source.passages if each.id == citation["passage"])
    where = {"page": source.page, "from": passage.start, "to": passage.end}
    return {
        "source": source.number,
        "passage": passage.id,
        **where,
        "in_page": stands(texts[source.page], passage),
    }


_SENTENCE = ("sentence", "section", "text", "state", "reason", "one source", "source", "url",
"passage", "page", "from", "to", "in page",
             "passage text")  # fmt: skip


def _sentence_rows(sentences: Sequence[Json], said: Json) -> Rows:
    """A row for each passage of a sentence; one row for a sentence that cites none."""
    sources = {source["number"]: source for source in said["sources"] if source["number"]}
    for one in sentences:
        about = (
            str(one["number"]),
            cell(one["section"]),
            cell(one["text"]),
            one["state"],
            cell(one["reason"]),
            _yes(one["one_source"]),
        )
        for cited in one["citations"]:
            source = sources[cited["source"]]
            words = next(
                each["text"] for each in source["passages"] if each["id"] == cited["passage"]
            )
            where = (
                cited["passage"],
                cited["page"],
                str(cited["from"]),
                str(cited["to"]),
                cited["in_page"],
                cell(words),
            )
            yield (*about, str(cited["source"]), cell(source["landed"] or source["url"]), *where)
        if not one["citations"]:
            yield (*about, *[""] * 8)


def _yes(said: bool) -> str:
    return "yes" if said else ""


# -- how each source was assessed ------------------------------------------------------------------------------------------


def _sources(built: Report) -> Iterator[Json]:
    """Every source of the web in the report's order: the score that let it in, and, of one that was
    read, the assessment by its parts.
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
            yield {**about, **whole, "assessment": _assessment(assessed.get(source.url))}


def _assessment(found: Assessment | None) -> Json | None:
    return asdict(found) if found else None


_PART = ("source", "url", "decision", "of", "part", "label", "value", "counts", "why")
_TERMS = {
    "domain": "what its host is worth",
    "relevance": "the share of the question's words that the search result has",
    "recency": "a recent date",
}  # fmt: skip


def _part_rows(sources: Sequence[Json]) -> Rows:
    """Under each source its score and what it is made of, then its assessment and the parts of
    that.
    """
    for source in sources:
        about, score = (
            (str(source["number"] or ""), cell(source["url"]), source["decision"]),
            source["score"],
        )
        yield (
            *about,
            "score",
            "score",
            cell(score["kind"] or score["tier"]),
            _figure(score["score"]),
            "",
            cell(score["why"]),
        )
        for name, label in _TERMS.items():
            yield (
                *about,
                "score",
                name,
                label,
                _figure(score[name]),
                "",
                score["basis"] if name == "domain" else "",
            )
        for name, value in sorted(source["ratings"].items()):
            yield (*about, "ratings", cell(name), "expert rating", _figure(value), "", "")
        if found := source["assessment"]:
            yield (
                *about,
                "assessment",
                "assessment",
                found["level"],
                _figure(found["value"]),
                "",
                "",
            )
            for part in found["parts"]:
                counts = "yes" if part["counts"] else "no"
                yield (
                    *about,
                    "assessment",
                    part["name"],
                    cell(part["label"]),
                    _figure(part["value"]),
                    counts,
                    cell(part["why"]),
                )


def _figure(value: float) -> str:
    return f"{value:.6g}"


# -- where sources give different figures ----------------------------------------------------------------------------------

_CLAIM = (
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


def _claim_rows(found: Sequence[Json]) -> Rows:
    for number, one in enumerate(found, 1):
        about = (str(number), cell(one["about"]), cell(one["unit"]), one["kind"], cell(one["why"]))
        for claim in one["claims"]:
            said = (
                cell(claim["value"]),
                str(claim["source"]),
                claim["passage"],
                cell(claim["sentence"]),
                cell(claim["published"]),
            )
            yield (
                *about,
                *said,
                "" if claim["credibility"] is None else _figure(claim["credibility"]),
            )
