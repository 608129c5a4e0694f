"""Measure how well copies of a text are distinguished from other texts, on real pages.

    python benchmarks/copies.py

Data: `extraction` in the shared data, whose pages are different articles, some on the same event.
Every page is compared with every other one and with what other sites make of a wire story: a part
of it, paragraphs of another page around it, changed words and marks. Then sets of pages are
counted: one story in all its forms, which is one text; and several stories with a roundup made of
them, which must stay as many as they were. Prints and records shares, counts and times.
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

from benchmarks.inputs import find_shared_folder, make_parser
from benchmarks.results import record
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

#: Pages with fewer words are left out.
MIN_WORDS = 150
#: How many stories a roundup quotes, and how many such sets of each size are counted.
ROUNDUP_SIZES = (2, 3, 4, 6, 8)
SETS_PER_SIZE = 60

Paragraphs = list[str]
Edit = Callable[[Paragraphs, Paragraphs, random.Random], Paragraphs]
MakeRoundup = Callable[[list[Paragraphs], Paragraphs], Paragraphs]


# -- what other sites make of a page ---------------------------------------------------------------


def take_first_half(paragraphs: Paragraphs) -> Paragraphs:
    return paragraphs[: (len(paragraphs) + 1) // 2]


def add_frame(own: Paragraphs, other: Paragraphs, chance: random.Random) -> Paragraphs:
    return [*other[:3], *own, *other[-3:]]


def drop_third(own: Paragraphs, other: Paragraphs, chance: random.Random) -> Paragraphs:
    return [paragraph for paragraph in own if chance.random() > 1 / 3]


def add_equal_length(own: Paragraphs, other: Paragraphs, chance: random.Random) -> Paragraphs:
    return [*own, *_repeat_to_length(other, own)]


def replace_words(own: Paragraphs, other: Paragraphs, chance: random.Random) -> Paragraphs:
    """Replace every tenth word, chosen at random."""
    edited = []
    for paragraph in own:
        words = []
        for word in paragraph.split():
            words.append("changed" if chance.random() < 0.1 else word)
        edited.append(" ".join(words))
    return edited


def change_typography(own: Paragraphs, other: Paragraphs, chance: random.Random) -> Paragraphs:
    edited = []
    for paragraph in own:
        text = paragraph.replace('"', "“").replace("'", "’").replace(" - ", " – ")
        edited.append(text.upper())
    return edited


def _repeat_to_length(paragraphs: Paragraphs, model: Paragraphs) -> Paragraphs:
    """Return paragraphs, repeated if needed, until they have as many characters as the model."""
    wanted = sum(map(len, model))
    size = 0
    repeated = []
    for paragraph in paragraphs * 20:
        if size >= wanted:
            break
        repeated.append(paragraph)
        size += len(paragraph)
    return repeated


#: What is done to the paragraphs of a page; the second argument are those of another page.
EDITS: dict[str, Edit] = {
    "the first half": lambda own, other, chance: take_first_half(own),
    "own introduction and end": add_frame,
    "a third taken out at random": drop_third,
    "as much of another text as of itself": add_equal_length,
    "every tenth word replaced": replace_words,
    "typography changed": change_typography,
}
#: How papers print a story that an agency sent them. The other edits are those of a rewriter.
PRINTED_FORMS = ("the first half", "own introduction and end", "typography changed")


def join_stories(stories: list[Paragraphs], own: Paragraphs) -> Paragraphs:
    return [paragraph for story in stories for paragraph in story]


def join_stories_and_own(stories: list[Paragraphs], own: Paragraphs) -> Paragraphs:
    quoted = join_stories(stories, own)
    return [*quoted, *_repeat_to_length(own, quoted)]


def join_first_halves(stories: list[Paragraphs], own: Paragraphs) -> Paragraphs:
    return join_stories([take_first_half(story) for story in stories], own)


def join_beginnings(stories: list[Paragraphs], own: Paragraphs) -> Paragraphs:
    beginnings = [story[: len(story) // 5 + 1] for story in stories]
    return [*own[:2], *join_stories(beginnings, own)]


#: What a roundup makes of stories; the second argument are paragraphs of a page on something else.
ROUNDUPS: dict[str, MakeRoundup] = {
    "stories whole": join_stories,
    "stories whole, as much of its own": join_stories_and_own,
    "the first half of each": join_first_halves,
    "the beginning of each": join_beginnings,
}


# -- measures --------------------------------------------------------------------------------------


def iter_texts(data: Path) -> Iterator[str]:
    """Yield the main texts of the pages that have `MIN_WORDS` words or more."""
    for name in ("scrapinghub", "trafilatura"):
        truth = json.loads((data / f"{name}_truth.json").read_text(encoding="utf-8"))
        with zipfile.ZipFile(data / f"{name}_pages.zip") as archive:
            members = set(archive.namelist())
            for key, known in truth.items():
                member = known.get("file", f"{key}.html")
                if member not in members:
                    continue
                try:
                    text = parse(archive.read(member), known.get("url", key))["text"]
                except FetchError:
                    continue
                if len(text.split()) >= MIN_WORDS:
                    yield text


def apply_edit(edit: Edit, texts: list[str], number: int, chance: random.Random) -> Fingerprint:
    """Return the fingerprint of an edited text; the text before it lends its paragraphs."""
    own = texts[number].split("\n\n")
    other = texts[number - 1].split("\n\n")
    return _fingerprint_paragraphs(edit(own, other, chance))


def _fingerprint_paragraphs(paragraphs: Paragraphs) -> Fingerprint:
    return fingerprint_text("\n\n".join(paragraphs))


def measure_edit(edit: Edit, texts: list[str], prints: list[Fingerprint]) -> float:
    """Return the share of texts whose edited form is recognised as a copy."""
    chance = random.Random(7)
    copies = 0
    for number, own in enumerate(prints):
        copies += is_copy(own, apply_edit(edit, texts, number, chance))
    return round(copies / len(texts), 3)


def measure_forms(
    names: Iterable[str], texts: list[str], prints: list[Fingerprint]
) -> dict[str, float]:
    """Return how often a page and all its edited forms count as one text, and the mean count."""
    chance = random.Random(7)
    counts = []
    for number, own in enumerate(prints):
        forms = [own]
        for name in names:
            form = apply_edit(EDITS[name], texts, number, chance)
            if form.size:
                forms.append(form)
        counts.append(count_texts(forms))
    return {
        "counted_as_one": round(counts.count(1) / len(counts), 3),
        "texts_on_average": round(sum(counts) / len(counts), 2),
    }


def measure_roundups(
    make_roundup: MakeRoundup, texts: list[str], prints: list[Fingerprint]
) -> dict[str, int]:
    """Count errors in sets of stories with a roundup of them.

    Stories lost or joined, the roundup counted as a text, and groups that depend on the order.
    Every other set also holds the first half of each story, which is no text of its own.
    """
    chance = random.Random(11)
    counts = {
        "sets": 0,
        "stories": 0,
        "stories_lost": 0,
        "stories_joined": 0,
        "roundup_counted": 0,
        "other_in_another_order": 0,
    }
    for size in ROUNDUP_SIZES:
        for turn in range(SETS_PER_SIZE):
            own, *chosen = chance.sample(range(len(texts)), size + 1)
            stories = [texts[number].split("\n\n") for number in chosen]
            roundup = make_roundup(stories, texts[own].split("\n\n"))
            pages = [_fingerprint_paragraphs(roundup)]
            pages += [prints[number] for number in chosen]
            if turn % 2:
                pages += [_fingerprint_paragraphs(take_first_half(story)) for story in stories]
            groups = find_groups(pages)
            count = count_texts(pages)
            story_places = set(range(1, size + 1))
            counts["sets"] += 1
            counts["stories"] += size
            counts["stories_lost"] += max(0, size - count)
            counts["stories_joined"] += sum(len(group & story_places) > 1 for group in groups)
            counts["roundup_counted"] += count > count_texts(pages[1:])
            counts["other_in_another_order"] += _depends_on_order(pages, groups, chance)
    return counts


def _depends_on_order(
    prints: list[Fingerprint], groups: set[frozenset[int]], chance: random.Random
) -> bool:
    """Return True if the groups differ backwards or in one of three random orders."""
    if find_groups(prints, range(len(prints))[::-1]) != groups:
        return True
    for _ in range(3):
        order = chance.sample(range(len(prints)), len(prints))
        if find_groups(prints, order) != groups:
            return True
    return False


def find_groups(
    prints: list[Fingerprint], order: Iterable[int] | None = None
) -> set[frozenset[int]]:
    """Return the groups of copies as places in the list, read in an order."""
    places = range(len(prints)) if order is None else order
    by_name = {str(place): prints[place] for place in places}
    return {frozenset(map(int, group)) for group in group_copies(by_name)}


def count_texts(prints: list[Fingerprint]) -> int:
    """Return how many texts are left when each copy is counted with its original."""
    by_name = {str(place): one for place, one in enumerate(prints)}
    return len(prints) - len(map_copies(group_copies(by_name)))


def main() -> None:
    make_parser(__doc__).parse_args()
    texts = list(dict.fromkeys(iter_texts(find_shared_folder("extraction"))))
    began = time.process_time()
    prints = [fingerprint_text(text) for text in texts]
    seconds_per_page = (time.process_time() - began) / len(texts)
    began = time.process_time()
    groups = group_copies({str(number): one for number, one in enumerate(prints)})
    seconds = time.process_time() - began
    for group in groups:
        print(*(texts[int(number)][:90] for number in group), sep="\n   ")
    highest = max(measure_containment(one, other) for one, other in combinations(prints, 2))
    figures = {
        "pages": len(texts),
        "groups_of_copies_seen": len(groups),
        "ms_per_page": round(1000 * seconds_per_page, 2),
        "all_compared_s": round(seconds, 2),
        "pairs_compared": len(texts) * (len(texts) - 1) // 2,
        "highest_share_of_two_pages": round(highest, 3),
        "copies_found": {name: measure_edit(edit, texts, prints) for name, edit in EDITS.items()},
        "one_story_as_printed": measure_forms(PRINTED_FORMS, texts, prints),
        "one_story_in_all_forms": measure_forms(EDITS, texts, prints),
        "roundups": {
            name: measure_roundups(make_roundup, texts, prints)
            for name, make_roundup in ROUNDUPS.items()
        },
    }
    print(json.dumps(figures, indent=1))
    record("copies", figures)


if __name__ == "__main__":
    main()
