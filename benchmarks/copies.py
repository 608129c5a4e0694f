"""How well copies of one text are told from other texts on real pages: `python
benchmarks/copies.py`.

Every page of ../shared/data/extraction is compared with every other (they are different articles,
some on the same event), and with what other sites make of a wire story: a part of it, with
paragraphs of another page around it, its words and marks changed. Then sets of pages are counted:
one story in all its forms, which is one text; and several stories, alone or with copies, with
roundups made of them, which have to stay as many as they were.
"""

from __future__ import annotations

import json
import random
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record, shared
from research_core.errors import FetchError
from research_core.trust.copies import (
    Fingerprint,
    fingerprint_text,
    group_copies,
    is_copy,
    map_copies,
    measure_containment,
)
from research_core.web.html import parse

LEAST_WORDS = 150
#: How many stories a roundup quotes, and how many such sets of each size are counted.
QUOTED, SETS = (2, 3, 4, 6, 8), 60

Edit = Callable[[list[str], list[str], random.Random], list[str]]
#: What is done to the paragraphs of a page; `other` are those of another one.
EDITS: dict[str, Edit] = {
    "the first half": lambda own, other, chance: own[: (len(own) + 1) // 2],
    "own introduction and end": lambda own, other, chance: [*other[:3], *own, *other[-3:]],
    "a third taken out at random": lambda own, other, chance: [
        each for each in own if chance.random() > 1 / 3
    ],
    "as much of another text as of itself": lambda own, other, chance: [
        *own,
        *_as_long(other, own),
    ],
    "every tenth word replaced": lambda own, other, chance: [
        _with_words(each, chance, 0.1) for each in own
    ],
    "typography changed": lambda own, other, chance: [
        each.replace('"', "“").replace("'", "’").replace(" - ", " – ").upper() for each in own
    ],
}
#: How papers print a story that they were sent; the other edits are those of somebody who
#: re-writes.
PRINTED = ("the first half", "own introduction and end", "typography changed")

#: What a roundup makes of a story: its paragraphs, and what stands around all of them; `own` are
#: those of a page that is no story of it.
ROUNDUPS: dict[str, Callable[[list[list[str]], list[str]], list[str]]] = {
    "stories whole": lambda stories, own: [each for story in stories for each in story],
    "stories whole, as much of its own": lambda stories, own: [
        *(all_of := [each for story in stories for each in story]),
        *_as_long(own, all_of),
    ],
    "the first half of each": lambda stories, own: [
        each for story in stories for each in story[: (len(story) + 1) // 2]
    ],
    "the beginning of each": lambda stories, own: [
        *own[:2],
        *(each for story in stories for each in story[: len(story) // 5 + 1]),
    ],
}


def _as_long(other: list[str], own: list[str]) -> list[str]:
    kept, size = [], 0
    for each in other * 20:
        if size >= sum(map(len, own)):
            break
        kept.append(each)
        size += len(each)
    return kept


def _with_words(text: str, chance: random.Random, share: float) -> str:
    return " ".join("changed" if chance.random() < share else word for word in text.split())


def pages() -> Iterator[str]:
    data = shared("extraction")
    for name in ("scrapinghub", "trafilatura"):
        truth = json.loads((data / f"{name}_truth.json").read_text())
        with zipfile.ZipFile(data / f"{name}_pages.zip") as files:
            there = set(files.namelist())
            for key in truth:
                file = truth[key].get("file", f"{key}.html")
                if file in there:
                    try:
                        text = parse(files.read(file), truth[key].get("url", key))["text"]
                    except FetchError:
                        continue
                    if len(text.split()) >= LEAST_WORDS:
                        yield text


def main() -> int:
    texts = list(dict.fromkeys(pages()))
    began = time.process_time()
    prints = [fingerprint_text(text) for text in texts]
    per_page = (time.process_time() - began) / len(texts)
    began = time.process_time()
    taken = group_copies({str(n): found for n, found in enumerate(prints)})
    seconds = time.process_time() - began
    for group in taken:
        print(*(texts[int(n)][:90] for n in group), sep="\n   ")
    figures = {
        "pages": len(texts),
        "groups_of_copies_seen": len(taken),
        "ms_per_page": round(1000 * per_page, 2),
        "all_compared_s": round(seconds, 2),
        "pairs_compared": len(texts) * (len(texts) - 1) // 2,
        "highest_share_of_two_pages": round(
            max(measure_containment(one, other) for one, other in combinations(prints, 2)), 3
        ),
        "copies_found": {name: _found(edit, texts, prints) for name, edit in EDITS.items()},
        "one_story_as_printed": _in_forms(PRINTED, texts, prints),
        "one_story_in_all_forms": _in_forms(EDITS, texts, prints),
        "roundups": {name: _rounded_up(make, texts, prints) for name, make in ROUNDUPS.items()},
    }
    print(json.dumps(figures, indent=1))
    record("copies", figures)
    return 0


def _found(edit: Edit, texts: list[str], prints: list[Fingerprint]) -> float:
    chance = random.Random(7)
    made = (
        edit(text.split("\n\n"), texts[n - 1].split("\n\n"), chance) for n, text in enumerate(texts)
    )
    return round(
        sum(
            is_copy(own, fingerprint_text("\n\n".join(copy)))
            for own, copy in zip(prints, made, strict=True)
        )
        / len(texts),
        3,
    )


def _in_forms(
    edits: Iterable[str], texts: list[str], prints: list[Fingerprint]
) -> dict[str, float]:
    """How often a page and what these edits make of it, all together, count as one text, and how
    many they count as on average.
    """
    chance, counts = random.Random(7), []
    for n, text in enumerate(texts):
        forms = [
            fingerprint_text(
                "\n\n".join(edit(text.split("\n\n"), texts[n - 1].split("\n\n"), chance))
            )
            for edit in map(EDITS.__getitem__, edits)
        ]
        counts.append(_count([prints[n], *(form for form in forms if form.size)]))
    return {
        "counted_as_one": round(counts.count(1) / len(counts), 3),
        "texts_on_average": round(sum(counts) / len(counts), 2),
    }


def _rounded_up(
    make: Callable[[list[list[str]], list[str]], list[str]],
    texts: list[str],
    prints: list[Fingerprint],
) -> dict[str, int]:
    """Of sets of stories with a roundup of them: how many lost a story, joined two, counted the
    roundup too, or hung on the order.

    Every other set holds the first half of each story besides, which is no text of its own.
    """
    chance = random.Random(11)
    tally = dict.fromkeys(
        (
            "sets",
            "stories",
            "stories_lost",
            "stories_joined",
            "roundup_counted",
            "other_in_another_order",
        ),
        0,
    )
    for size in QUOTED:
        for turn in range(SETS):
            own, *chosen = chance.sample(range(len(texts)), size + 1)
            stories = [texts[n].split("\n\n") for n in chosen]
            halves = (
                [fingerprint_text("\n\n".join(story[: (len(story) + 1) // 2])) for story in stories]
                if turn % 2
                else []
            )
            roundup = fingerprint_text("\n\n".join(make(stories, texts[own].split("\n\n"))))
            pages = [roundup, *(prints[n] for n in chosen), *halves]
            whole, without = _grouped(pages), _count(pages[1:])
            count = _count(pages)
            tally["sets"] += 1
            tally["stories"] += size
            tally["stories_lost"] += max(0, size - count)
            tally["stories_joined"] += sum(
                len(group & set(range(1, size + 1))) > 1 for group in whole
            )
            tally["roundup_counted"] += count > without
            tally["other_in_another_order"] += any(
                _grouped(pages, order) != whole for order in _orders(len(pages), chance)
            )
    return tally


def _orders(size: int, chance: random.Random) -> Iterator[list[int]]:
    yield list(range(size))[::-1]
    for _ in range(3):
        yield chance.sample(range(size), size)


def _grouped(prints: list[Fingerprint], order: list[int] | None = None) -> set[frozenset[int]]:
    chosen = range(len(prints)) if order is None else order
    return {
        frozenset(map(int, group)) for group in group_copies({str(n): prints[n] for n in chosen})
    }


def _count(prints: list[Fingerprint]) -> int:
    return len(prints) - len(
        map_copies(group_copies({str(n): found for n, found in enumerate(prints)}))
    )


if __name__ == "__main__":
    sys.exit(main())
