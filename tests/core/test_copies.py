"""Copies of one text are found whatever was cut, added or re-typed around it, and nothing else is taken for one."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.copies import KEPT, SHORT, Print, copy_of, facts, groups, held, is_copy, printed
from research_core.models import Page
from research_core.text import tokens

VERBS = "measured counted found described reported doubted compared followed tagged recorded".split()
THINGS = "seals turbines currents divers boats sensors harbours storms samples reefs islands nets engineers owners schools".split()


def story(seed: int, sentences: int = 30) -> list[str]:
    chance = random.Random(seed)
    return [
        f"In {chance.randint(1900, 2025)} the {chance.choice(THINGS)} near {chance.choice(THINGS)} {seed % 97} {chance.choice(VERBS)} "
        f"{chance.randint(2, 999)} {chance.choice(THINGS)} before any {chance.choice(THINGS)} {chance.choice(VERBS)} the "
        f"{chance.choice(THINGS)} again."
        for _ in range(sentences)
    ]


def text(lines: list[str]) -> str:
    return "\n\n".join(lines)


WIRE = story(1)
EDITS = {
    "as it is": lambda lines: lines,
    "the end cut off": lambda lines: lines[:15],
    "the beginning cut off": lambda lines: lines[10:],
    "own paragraphs around it": lambda lines: [*story(2, 12), *lines, *story(3, 12)],
    "every fourth sentence taken out": lambda lines: [line for n, line in enumerate(lines) if n % 4],
    "other case, quotes and line breaks": lambda lines: [line.upper().replace(" ", "\n", 3).replace(".", "…") for line in lines],
    "some words changed": lambda lines: [line.replace("before any", "until some") if n % 3 == 0 else line for n, line in enumerate(lines)],
    "short, in a long page": lambda lines: [*story(4, 60), *lines, *story(5, 60)],
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_copy_is_seen_whatever_was_done_to_it(edit) -> None:
    assert is_copy(printed(text(WIRE)), printed(text(edit(WIRE))))


@pytest.mark.parametrize(
    "other", [text(story(9)), "", "Access denied.", text(WIRE[:3] + story(8, 27))], ids=["other", "none", "short", "quotes"]
)
def test_another_text_is_no_copy(other: str) -> None:
    assert not is_copy(printed(text(WIRE)), printed(other))


def test_texts_too_short_to_tell_must_be_the_same() -> None:
    short = "The page was moved. Please go to the front page and search for what you were looking for there."
    assert printed(short).size < SHORT
    assert is_copy(printed(short), printed(short.upper()))
    assert not is_copy(printed(short), printed(f"{short} Thank you."))
    assert not is_copy(printed(""), printed(""))


def test_a_page_that_names_its_original_is_believed_as_far_as_the_texts_bear_it_out() -> None:
    part = text(WIRE[:12] + story(6, 18))
    prints = {
        "https://a.example.org/": printed(text(WIRE)),
        "https://b.example.com/": printed(part),
        "https://c.example.com/": printed(text(story(7))),
    }
    a, b, c = prints
    assert groups(prints) == ()
    assert groups(prints, {b: a}) == ((a, b),)
    assert groups(prints, {a: b}) == ((a, b),)
    assert groups(prints, {c: a}) == ()


def test_the_same_quotations_make_one_origin_of_texts_that_share_less() -> None:
    said = [f"“{line}”" for line in WIRE[:12]]
    one, other = text(said + story(10, 18)), text(said + story(11, 18))
    unquoted = other.replace("“", "").replace("”", "")
    assert is_copy(printed(one), printed(other))
    assert not is_copy(printed(one), printed(unquoted))


def test_groups_stand_by_their_first_and_join_across_a_third() -> None:
    prints = {"x": printed(text(WIRE[:20])), "alone": printed(text(story(12))), "y": printed(text(WIRE[10:])), "z": printed(text(WIRE))}
    assert groups(prints) == (("x", "y", "z"),)
    assert copy_of(groups(prints)) == {"y": "x", "z": "x"}


def test_a_page_leaves_its_print_in_what_the_log_keeps() -> None:
    page = Page("https://a.example.org/", "https://a.example.org/", "A", text(WIRE))
    assert Print.from_json(facts(page)["print"]) == printed(text(WIRE))
    assert facts(page)["title"] == "A"


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_the_share_of_long_texts_is_estimated_closely(share: float) -> None:
    words = [str(n) for n in range(3000)]
    other = words[: int(3000 * share)] + [f"x{n}" for n in range(3000 - int(3000 * share))]
    one, two = printed(" ".join(words)), printed(" ".join(other))
    assert one.size > KEPT * 10
    assert held(one, two) == pytest.approx(share, abs=0.1)


@given(st.text(max_size=400), st.text(max_size=400))
def test_prints_of_any_texts_can_be_kept_and_compared(one: str, other: str) -> None:
    a, b = printed(one), printed(other)
    assert Print.from_json(a.as_json()) == a
    assert a.runs == tuple(sorted(set(a.runs)))
    assert len(a.runs) <= min(KEPT, a.size)
    assert 0.0 <= held(a, b) <= 1.0
    assert held(a, b) == held(b, a)
    assert is_copy(a, b) == is_copy(b, a)
    assert is_copy(a, a) == bool(tokens(one))
