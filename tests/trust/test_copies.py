"""Copies of one text are found whatever was cut, added or re-typed around it, and nothing else is
taken for one.

However many pages there are and in whatever order, they are as many texts as there are pages of
which no two are copies.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Page
from research_core.text.words import tokenize
from research_core.trust.copies import (
    MAX_HASHES,
    SHORT_RUNS,
    Fingerprint,
    collect_facts,
    fingerprint_text,
    group_copies,
    is_copy,
    map_copies,
    measure_containment,
)

VERBS = (
    "measured counted found described reported doubted compared followed tagged recorded".split()
)
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
    "every fourth sentence taken out": lambda lines: [
        line for n, line in enumerate(lines) if n % 4
    ],
    "other case, quotes and line breaks": lambda lines: [
        line.upper().replace(" ", "\n", 3).replace(".", "…") for line in lines
    ],
    "some words changed": lambda lines: [
        line.replace("before any", "until some") if n % 3 == 0 else line
        for n, line in enumerate(lines)
    ],
    "short, in a long page": lambda lines: [*story(4, 60), *lines, *story(5, 60)],
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_copy_is_seen_whatever_was_done_to_it(edit) -> None:
    assert is_copy(fingerprint_text(text(WIRE)), fingerprint_text(text(edit(WIRE))))


@pytest.mark.parametrize(
    "other",
    [
        text(story(9)),
        "",
        "Access denied.",
        text(WIRE[:3] + story(8, 27)),
        text([*WIRE[:15], *story(8, 150)]),
    ],
    ids=["other", "none", "short", "quotes", "half of it, in a long page"],
)
def test_another_text_is_no_copy(other: str) -> None:
    assert not is_copy(fingerprint_text(text(WIRE)), fingerprint_text(other))


def test_texts_too_short_to_tell_must_be_the_same() -> None:
    short = "The page was moved. Please go to the front page and search for what you were looking for there."
    assert fingerprint_text(short).size < SHORT_RUNS
    assert is_copy(fingerprint_text(short), fingerprint_text(short.upper()))
    assert not is_copy(fingerprint_text(short), fingerprint_text(f"{short} Thank you."))
    assert not is_copy(fingerprint_text(""), fingerprint_text(""))


FOOTER = (
    "This site uses cookies to offer you a better browsing experience. Find out more on how we use cookies and how you can change your "
    "settings. Subscribe to our newsletter to get the best stories of the week in your inbox each Sunday morning. All rights reserved by "
    "the publisher of this site and its partners in other countries of the union."
)


def test_two_notices_are_no_copies_for_the_footer_that_they_share() -> None:
    one, other = (fingerprint_text(f"{text(story(n, 3))}\n\n{FOOTER}") for n in (80, 81))
    assert one.size >= SHORT_RUNS
    assert not is_copy(one, other)
    assert is_copy(fingerprint_text(f"{text(WIRE[:4])} {FOOTER}"), fingerprint_text(text(WIRE[:4])))
    assert is_copy(
        fingerprint_text(FOOTER), fingerprint_text(FOOTER.upper())
    )  # which is all there is


def test_short_pages_of_one_site_share_its_template_and_other_sites_share_a_text() -> None:
    template, own = story(82, 5), [text([*story(82, 5), *story(n, 3)]) for n in (83, 84)]
    prints = [fingerprint_text(page) for page in own]
    sites = ["https://www.harbour.example.org/a", "https://harbour.example.org/b"]
    assert group_copies(dict(zip(sites, prints, strict=True))) == ()
    elsewhere = [sites[0], "https://other.example.com/b"]
    assert group_copies(dict(zip(elsewhere, prints, strict=True))) == (tuple(elsewhere),)
    assert group_copies(
        dict(zip(sites, [prints[0], fingerprint_text(own[0].upper())], strict=True))
    ) == (tuple(sites),)
    assert group_copies(
        dict(zip(sites, [prints[0], fingerprint_text(text(template))], strict=True))
    ) == (tuple(sites),)  # a part of it
    long = [fingerprint_text(text([*WIRE, *story(n, 3)])) for n in (85, 86)]
    assert group_copies(dict(zip(sites, long, strict=True))) == (tuple(sites),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Warfarin", "What is the dosage of ibuprofen?"),
        ("Larch rust | Forest Service", "Oak wilt | Forest Service"),
        ("Heizungsgesetz", "Wohngeld"),
        ("Ипотека", "Автокредит"),
        ("Dégât des eaux", "Assurance scolaire"),
        ("糖尿病", "高血压"),
    ],
)
def test_short_pages_on_different_things_share_a_template_wherever_they_stand(
    one: str, other: str
) -> None:
    pages = [text([*story(82, 5), *story(n, 3)]) for n in (83, 84)]
    sites = ["https://leaflets.example.org/a", "https://other.example.com/b"]
    prints = dict(zip(sites, map(fingerprint_text, pages), strict=True))
    titles = dict(zip(sites, (one, other), strict=True))
    assert group_copies(prints, titles=titles) == ()
    assert group_copies(prints, titles=dict.fromkeys(sites, one)) == (tuple(sites),)
    assert group_copies(prints, {sites[1]: sites[0]}, titles) == (tuple(sites),)
    same = dict(zip(sites, [prints[sites[0]], fingerprint_text(pages[0].upper())], strict=True))
    assert group_copies(same, titles=titles) == (tuple(sites),)
    long = [fingerprint_text(text([*WIRE, *story(n, 3)])) for n in (85, 86)]
    assert group_copies(dict(zip(sites, long, strict=True)), titles=titles) == (tuple(sites),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Skull fracture", "What to do for a skull fracture?"),
        ("Mayor is to resign", "Councillor leaves office"),
        ("Gout", "Gout - treatment"),
        ("Grippe", "Grippe (traitement)"),
        ("Resources", "Related pages"),
        (
            "Dow plunges 800 points amid fears over the virus",
            "Stocks plummet in worst day since 1987",
        ),
        ("", "Oak wilt"),
    ],
)
def test_titles_of_one_thing_and_headlines_name_no_different_things(one: str, other: str) -> None:
    pages = [text([*story(82, 5), *story(n, 3)]) for n in (83, 84)]
    sites = ["https://leaflets.example.org/a", "https://other.example.com/b"]
    prints = dict(zip(sites, map(fingerprint_text, pages), strict=True))
    titles = dict(zip(sites, (one, other), strict=True))
    assert group_copies(prints, titles=titles) == (tuple(sites),)


def test_a_page_that_names_its_original_is_believed_as_far_as_the_texts_bear_it_out() -> None:
    part = text(WIRE[:10] + story(6, 20))
    prints = {
        "https://a.example.org/": fingerprint_text(text(WIRE)),
        "https://b.example.com/": fingerprint_text(part),
        "https://c.example.com/": fingerprint_text(text(story(7))),
    }
    a, b, c = prints
    assert group_copies(prints) == ()
    assert group_copies(prints, {b: a}) == ((a, b),)
    assert group_copies(prints, {a: b}) == ((a, b),)
    assert group_copies(prints, {c: a}) == ()
    assert (
        group_copies(prints, dict.fromkeys(prints, "")) == ()
    )  # pages that name nothing do not name the same
    assert group_copies(
        {a: prints[a], b: prints[b]}, dict.fromkeys((a, b), "https://third.example.org/")
    ) == ((a, b),)


def test_the_same_quotations_make_one_origin_of_texts_that_share_less() -> None:
    said = [f"“{line}”" for line in WIRE[:10]]
    one, other = text(said + story(10, 20)), text(said + story(11, 20))
    unquoted = other.replace("“", "").replace("”", "")
    assert is_copy(fingerprint_text(one), fingerprint_text(other))
    assert not is_copy(fingerprint_text(one), fingerprint_text(unquoted))


STORIES = {name: story(n, 24) for n, name in enumerate("abcd", 40)}
#: What quotes several stories: name, its lines, and how many texts it is together with the four.
ROUNDUPS = {
    "all four, whole": ([line for lines in STORIES.values() for line in lines], 4),
    "all four, and as much of its own": (
        [line for lines in STORIES.values() for line in [*lines, *story(50, 24)]],
        4,
    ),
    "the first half of each": ([line for lines in STORIES.values() for line in lines[:12]], 4),
    "two, whole": ([*STORIES["b"], *STORIES["c"]], 4),
    "a sentence or two of each": (
        [*story(51, 20), *(line for lines in STORIES.values() for line in lines[:2])],
        5,
    ),
}


@pytest.mark.parametrize("place", [0, 2, 4], ids=["first", "in the middle", "last"])
@pytest.mark.parametrize(("lines", "counted"), ROUNDUPS.values(), ids=ROUNDUPS)
def test_a_roundup_neither_joins_the_stories_it_quotes_nor_takes_their_place(
    lines: list[str], counted: int, place: int
) -> None:
    pages = [(name, fingerprint_text(text(lines))) for name, lines in STORIES.items()]
    prints = dict([*pages[:place], ("roundup", fingerprint_text(text(lines))), *pages[place:]])
    found = group_copies(prints)
    assert len(prints) - len(map_copies(found)) == counted
    assert all(len(set(group) & set(STORIES)) <= 1 for group in found)


def test_a_roundup_changes_nothing_for_the_copies_of_its_stories() -> None:
    kinds = ("as it is", "the end cut off", "own paragraphs around it", "some words changed")
    pages = {
        f"{name} {kind}": fingerprint_text(text(EDITS[kind](lines)))
        for name, lines in STORIES.items()
        for kind in kinds
    }
    alone = group_copies(pages)
    assert [len(group) for group in alone] == [4, 4, 4, 4]
    with_it = group_copies(
        {"roundup": fingerprint_text(text(ROUNDUPS["all four, whole"][0])), **pages}
    )
    assert {frozenset(group) - {"roundup"} for group in with_it} == {
        frozenset(group) for group in alone
    }


def test_two_parts_of_a_page_that_share_nothing_are_not_joined_by_it() -> None:
    prints = {
        "whole": fingerprint_text(text(WIRE)),
        "start": fingerprint_text(text(WIRE[:15])),
        "end": fingerprint_text(text(WIRE[15:])),
    }
    (group,) = group_copies(prints)
    assert group[0] == "whole"
    assert len(group) == 2


def test_an_excerpt_counts_once_with_its_page_whichever_is_first() -> None:
    page, excerpt = (
        fingerprint_text(text(story(60, 120))),
        fingerprint_text(text(story(60, 120)[:12])),
    )
    assert group_copies({"page": page, "excerpt": excerpt}) == (("page", "excerpt"),)
    assert group_copies({"excerpt": excerpt, "page": page}) == (("excerpt", "page"),)


def test_what_the_prints_are_too_small_to_say_is_not_said() -> None:
    manual = story(61, 900)
    assert not is_copy(fingerprint_text(text(manual)), fingerprint_text(text(manual[:12])))
    assert is_copy(fingerprint_text(text(manual)), fingerprint_text(text(manual[:90])))


def test_the_first_of_a_group_is_the_earliest_and_of_all_of_them_a_copy() -> None:
    forms = {
        name: fingerprint_text(text(edit(WIRE)))
        for name, edit in EDITS.items()
        if name != "the beginning cut off"
    }
    for names in (list(forms), list(forms)[::-1]):
        assert group_copies({name: forms[name] for name in names}) == (tuple(names),)
    shared, first, second = (
        STORIES["a"],
        [*STORIES["a"], *STORIES["b"]],
        [*STORIES["a"], *STORIES["c"]],
    )
    both = {
        "one": fingerprint_text(text(first)),
        "two": fingerprint_text(text(second)),
        "a": fingerprint_text(text(shared)),
    }
    others = {"b": fingerprint_text(text(STORIES["b"])), "c": fingerprint_text(text(STORIES["c"]))}
    for group in group_copies({**both, **others}):
        assert all(is_copy({**both, **others}[group[0]], {**both, **others}[url]) for url in group)


PARAGRAPHS = [" ".join(story(70 + n, 3)) for n in range(9)]
PAGES = st.lists(
    st.lists(st.integers(0, 8), min_size=1, max_size=6, unique=True).map(tuple),
    min_size=1,
    max_size=9,
)


@cache
def made(numbers: tuple[int, ...]) -> Fingerprint:
    """A page of these paragraphs: pages of it share any part of each other, in any chain."""
    return fingerprint_text(text([PARAGRAPHS[n] for n in numbers]))


def count(prints: Mapping[str, Fingerprint]) -> int:
    return len(prints) - len(map_copies(group_copies(prints)))


@given(PAGES, st.randoms(use_true_random=False))
def test_any_pages_are_as_many_texts_as_there_are_pages_of_which_no_two_are_copies(
    pages: list[tuple[int, ...]], chance: random.Random
) -> None:
    prints = {str(n): made(numbers) for n, numbers in enumerate(pages)}
    found = group_copies(prints)
    apart = (
        some
        for size in range(len(prints), 0, -1)
        for some in combinations(prints.values(), size)
        if not _any_copy(some)
    )
    assert count(prints) == len(next(apart))
    for group in found:
        assert all(is_copy(prints[group[0]], prints[url]) for url in group)
        assert list(group[1:]) == sorted(group[1:], key=int)
    shuffled = dict(chance.sample(list(prints.items()), len(prints)))
    assert {frozenset(group) for group in group_copies(shuffled)} == {
        frozenset(group) for group in found
    }
    assert group_copies(dict(prints)) == found


def _any_copy(prints: Sequence[Fingerprint]) -> bool:
    return any(is_copy(one, other) for one, other in combinations(prints, 2))


@given(PAGES, st.data())
def test_one_page_more_never_makes_fewer_texts_and_at_most_one_more(
    pages: list[tuple[int, ...]], data: st.DataObject
) -> None:
    prints = {str(n): made(numbers) for n, numbers in enumerate(pages)}
    left_out = data.draw(st.sampled_from(sorted(prints)))
    fewer = count({url: found for url, found in prints.items() if url != left_out})
    assert fewer <= count(prints) <= fewer + 1


def test_a_page_leaves_its_print_in_what_the_log_keeps() -> None:
    page = Page("https://a.example.org/", "https://a.example.org/", "A", text(WIRE))
    assert Fingerprint.from_json(collect_facts(page)["print"]) == fingerprint_text(text(WIRE))
    assert collect_facts(page)["title"] == "A"


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_the_share_of_long_texts_is_estimated_closely(share: float) -> None:
    words = [str(n) for n in range(3000)]
    other = words[: int(3000 * share)] + [f"x{n}" for n in range(3000 - int(3000 * share))]
    one, two = fingerprint_text(" ".join(words)), fingerprint_text(" ".join(other))
    assert one.size > MAX_HASHES * 10
    assert measure_containment(one, two) == pytest.approx(share, abs=0.1)


@given(st.text(max_size=400), st.text(max_size=400))
def test_prints_of_any_texts_can_be_kept_and_compared(one: str, other: str) -> None:
    a, b = fingerprint_text(one), fingerprint_text(other)
    assert Fingerprint.from_json(a.as_json()) == a
    assert a.runs == tuple(sorted(set(a.runs)))
    assert len(a.runs) <= min(MAX_HASHES, a.size)
    assert 0.0 <= measure_containment(a, b) <= 1.0
    assert measure_containment(a, b) == measure_containment(b, a)
    assert is_copy(a, b) == is_copy(b, a)
    assert is_copy(a, a) == bool(tokenize(one))
