"""Counts agree with their nouns and verbs wherever a sentence can count one thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from research_core.decisions.gate import Gate
from research_core.decisions.gate_rationale import choose_decision, describe_unjudged
from research_core.llm.offline_planner import _describe_gap
from research_core.models import Summary
from research_core.modes import ResearchMode
from research_core.pipeline import methodology
from research_core.pipeline.batch_judge import build_batch_request
from research_core.pipeline.report import _build_disclaimer
from research_core.web.sites.service import format_counts
from tests.reports import telling


@pytest.mark.parametrize(
    ("amounts", "words"),
    [
        ({"point": 1, "comment": 0}, "1 point, 0 comments"),
        ({"reply": 1, "like": 1_200}, "1 reply, 1,200 likes"),
        ({"reply": 2, "like": None}, "2 replies"),
        ({"followed account": 1, "tweet": 1}, "1 followed account, 1 tweet"),
        ({"view": 1}, "1 view"),
    ],
)
def test_amounts_of_a_site(amounts: dict[str, int | None], words: str) -> None:
    assert format_counts(amounts) == words


@pytest.mark.parametrize(
    ("survived", "total", "words"),
    [(0, 1, "0 of 1 source scored"), (1, 1, "1 of 1 source scored"), (1, 2, "1 of 2 sources")],
)
def test_sources_of_a_decision(survived: int, total: int, words: str) -> None:
    assert choose_decision(survived, total, ResearchMode.quick())[1].startswith(words)


@pytest.mark.parametrize(
    ("unjudged", "judged", "words"),
    [
        (1, 0, "; 1 page was read, but none"),
        (2, 0, "; 2 pages were read, but none"),
        (1, 3, "; 1 more page was read"),
        (4, 3, "; 4 more pages were read"),
    ],
)
def test_pages_that_were_not_judged(unjudged: int, judged: int, words: str) -> None:
    assert describe_unjudged(unjudged, judged, "time ran out").startswith(words)


@pytest.mark.parametrize(
    ("count", "total", "words"),
    [(1, 3, "Only 1 of 3 passages mentions"), (2, 3, "Only 2 of 3 passages mention ")],
)
def test_passages_of_a_gap(count: int, total: int, words: str) -> None:
    assert _describe_gap("tide", count, total).startswith(words)


@pytest.mark.parametrize(
    ("kept", "total", "words"),
    [
        (1, 1, "Only 1 source was read. It is relevant"),
        (2, 2, "Only 2 sources were read. All are relevant"),
        (1, 4, "Only 1 of 4 sources read was relevant"),
        (2, 4, "Only 2 of 4 sources read were relevant"),
    ],
)
def test_sources_of_a_short_report(kept: int, total: int, words: str) -> None:
    urls = tuple(str(number) for number in range(kept))
    gate = Gate("short_report", "few", "", urls, (), total, 0, kept)
    assert _build_disclaimer(gate).startswith(words)


@pytest.mark.parametrize(
    ("count", "words"), [(1, "relevance of this source to"), (2, "each of these 2 sources to")]
)
def test_sources_of_a_prompt(count: int, words: str) -> None:
    summaries = [Summary(f"https://{n}.example", "A title", "A summary.") for n in range(count)]
    prompt = build_batch_request("What is it?", summaries).prompt
    assert words in prompt


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        ((1, 1, 1), "Cost: 1 model call, 1 token, $0.0000; 1.0 s."),
        ((2, 0, 0), "Cost: 2 model calls, 0 tokens, $0.0000; 1.0 s."),
        ((0, 1_000, 5), "Cost: 0 model calls, 1,000 tokens, $0.0000; 1.0 s."),
    ],
)
def test_cost_of_a_report(spent: tuple[int, int, int], words: str) -> None:
    calls, tokens, others = spent
    built = telling()
    built = replace(
        built,
        settings={**built.settings, "model": "another"},
        spent={
            "model_calls": calls, "tokens": tokens, "cost": 0.0, "other_calls": others,
            "seconds": 1.0,
        },
    )  # fmt: skip
    assert methodology._describe_cost(built).startswith(words)
