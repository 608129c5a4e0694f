"""How well copies of one text are told from other texts on real pages: `python benchmarks/copies.py`.

Every page of ../shared/data/extraction is compared with every other (they are different articles, some on the same event), and with
what other sites make of a wire story: a part of it, with paragraphs of another page around it, its words and marks changed.
"""

from __future__ import annotations

import json
import random
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record, shared
from research_core.copies import Print, groups, is_copy, printed
from research_core.errors import FetchError
from research_core.web.html import parse

LEAST_WORDS = 150

Edit = Callable[[list[str], list[str], random.Random], list[str]]
#: What is done to the paragraphs of a page; `other` are those of another one.
EDITS: dict[str, Edit] = {
    "the first half": lambda own, other, chance: own[: (len(own) + 1) // 2],
    "own introduction and end": lambda own, other, chance: [*other[:3], *own, *other[-3:]],
    "a third taken out at random": lambda own, other, chance: [each for each in own if chance.random() > 1 / 3],
    "as much of another text as of itself": lambda own, other, chance: [*own, *_as_long(other, own)],
    "every tenth word replaced": lambda own, other, chance: [_with_words(each, chance, 0.1) for each in own],
    "typography changed": lambda own, other, chance: [
        each.replace('"', "“").replace("'", "’").replace(" - ", " – ").upper() for each in own
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
    prints = [printed(text) for text in texts]
    per_page = (time.process_time() - began) / len(texts)
    began = time.process_time()
    taken = groups({str(n): found for n, found in enumerate(prints)})
    seconds = time.process_time() - began
    for group in taken:
        print(*(texts[int(n)][:90] for n in group), sep="\n   ")
    figures = {
        "pages": len(texts),
        "groups_of_copies_seen": len(taken),
        "ms_per_page": round(1000 * per_page, 2),
        "all_compared_s": round(seconds, 2),
        "copies_found": {name: _found(edit, texts, prints) for name, edit in EDITS.items()},
    }
    print(json.dumps(figures, indent=1))
    record("copies", figures)
    return 0


def _found(edit: Edit, texts: list[str], prints: list[Print]) -> float:
    chance = random.Random(7)
    made = (edit(text.split("\n\n"), texts[n - 1].split("\n\n"), chance) for n, text in enumerate(texts))
    return round(sum(is_copy(own, printed("\n\n".join(copy))) for own, copy in zip(prints, made, strict=True)) / len(texts), 3)


if __name__ == "__main__":
    sys.exit(main())
