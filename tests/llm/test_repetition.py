"""Where a text that repeats itself is cut, and that ordinary lists and tables are not."""

from __future__ import annotations

import random

import pytest

from research_core.llm.repetition import RepetitionGuard, find_repetition

SENTENCE = "high water at the quay is at six in the morning and low water follows at noon says the almanac of the harbour today. "
LOOPS = {
    "a sentence": ("It begins. ", SENTENCE),
    "a paragraph with marks": ("## Summary\n\n", f"- {SENTENCE}\n- It is so, [p1a2b3c4d] and it is not otherwise.\n"),
    "three words": ("So. ", "and so on "),
    "one word": ("", "tide "),
    "Chinese": ("开始。", "早上六点是高潮，中午是低潮，正如港口年鉴今天所说的那样。"),
    "Japanese": ("始め。", "満潮は朝の六時で、干潮は正午だと港の年鑑に書いてあります。"),
    "Russian": ("Начало. ", "полная вода у причала в шесть утра, а малая вода следует в полдень, как сообщает портовый альманах города. "),
    "cells": ("| a | b |\n", "| n/a | none |\n"),
}  # fmt: skip
PLAIN = {
    "a numbered list": "".join(f"{n}. The tide at station {n} is measured by a gauge of the harbour.\n" for n in range(200)),
    "a table": "| Year | Height |\n|---|---|\n" + "".join(f"| {1900 + n} | 3.{n % 10} m | measured | ok |\n" for n in range(300)),
    "rules of tables": "|---|---|---|\n" * 200,
    "three times": SENTENCE * 3,
    "four times with something between": "".join(f"{SENTENCE} {n} " for n in range(50)),
    "a refrain": "".join(f"Verse {n}.\nAnd the sea goes out, and the sea comes in.\n" for n in range(60)),
    "JSON rows": "".join(f'{{"number": {n}, "verdict": "supported", "quote": "as it says"}},\n' for n in range(60)),
    "nineteen words": ("same words " * 9 + "end. ") * 4,
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_kept_once(name: str) -> None:
    before, loop = LOOPS[name]
    text = before + loop * 120
    cut = find_repetition(text)
    assert cut is not None
    kept = text[:cut]
    assert kept.startswith(before)
    assert len(before) < len(kept) <= len(before + loop)


@pytest.mark.parametrize("name", PLAIN)
def test_ordinary_texts_are_left_alone(name: str) -> None:
    assert find_repetition(PLAIN[name]) is None


@pytest.mark.parametrize("name", LOOPS)
def test_pieces_of_any_size_are_cut_where_the_whole_is(name: str) -> None:
    text = "".join((LOOPS[name][0], LOOPS[name][1] * 120))
    pieces = random.Random(name)
    guard = RepetitionGuard()
    rest = text
    while rest and guard.cut is None:
        size = pieces.randint(1, 30)
        guard.add(rest[:size])
        rest = rest[size:]
    assert guard.cut == find_repetition(text)
    assert rest
