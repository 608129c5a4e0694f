"""How well different figures and denials of one thing are told: `python
benchmarks/contradictions.py [--split share|hold] [--record]`.

Three measures, all on real sentences. Copies of them that a program makes: one with another figure
has to be found; one that says the same in another unit, rounded or as a range has not; one of
another year, place or group at most with what may explain it; and one with a "not" put into it has
to be told as a denial. Then all pairs of sentences on different questions, where a finding is
mostly a false alarm. Then what is found among the several texts on one question, which is printed
for a person to judge: nobody has labelled it. Whole reports are made of the texts, and read as a
run reads its own.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.results import record
from research_core.models import Passage, Report, ReportSource, ScoreParts
from research_core.pipeline.contradictions import Contradiction, find_contradictions
from research_core.text.disagreements import find_disagreements, find_years
from research_core.text.figures import parse_figures as read
from research_core.text.quotable import Quote, can_be_quoted, stands_alone
from research_core.text.sentences import find_sentences
from research_core.text.stance import find_denial

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CITED = ("attributionbench", "wice", "healthver", "climatefever")
#: Sets with several texts on one question. TREC-QA is none: it prints every number as `<num>`.
ASKED = (
    "relevance/noveleval",
    "relevance/mediqa2019",
    "relevance/medquad_liveqa",
    *(f"citation/{name}" for name in CITED if name != "wice"),
)
#: Sentences that copies are made of, at most; findings that are printed.
MOST, PRINTED = 300, 40
_NUMBER = re.compile(
    r"(?<![\w.,/:-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,.]*\d)|(?<![\w.,/:-])\d+(?:\.\d+)?(?![\w.,:/-]*\d)"
)
_RANGE = re.compile(r"\s?(?:[-–—]|to|and|or|of|out of|in)\s?[$€£]?\d|[-–/:]")
_RANGE_BEFORE = re.compile(r"\d\s?%?\s?(?:[-–—/]|to|and|or|in)\s?[$€£]?$")
_OF_SOMETHING = re.compile(
    r"\s?%|\s(?!am\b|pm\b|a\.m|p\.m)[a-z]{4,}(?<! from)(?<! when)(?<! with)(?<! that)(?<! were)(?<!"
    r" which)\b"
)
_NOT_PUT = re.compile(r" (?:is|are|was|were|can|could|will|would|should)\b(?! not\b)")
_UNIT = re.compile(
    r"\s?(?P<unit>%|percent|per"
    r" cent|million|billion|km|kg|hours|years|weeks|metres|meters)(?![\w-])"
)
#: The same amount in other words: what stands behind a number, by what it is multiplied and what
#: follows then.
UNITS = {
    "%": (1.0, " percent"), "percent": (1.0, "%"), "per cent": (1.0, "%"), "million": (1e6, ""),
    "billion": (1e3, " million"),
    "km": (1e3, " metres"), "kg": (1e3, " grams"), "hours": (60.0, " minutes"),
    "years": (12.0, " months"), "weeks": (7.0, " days"),
    "metres": (1e-3, " km"), "meters": (1e-3, " km"),
}  # fmt: skip

Made = tuple[str, str]
Make = Callable[[str, re.Match[str], random.Random], Made | None]


# -- real sentences --------------------------------------------------------------------------------------------------------


def rows(data: Path, name: str, split: str) -> Iterator[Mapping[str, Any]]:
    lines = (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return (row for row in map(json.loads, lines) if row["split"] == split)


def text_of(row: Mapping[str, Any]) -> str:
    return str(
        row.get("text") or " ".join(row.get("evidence") or row.get("evidence_sentences") or [])
    )


def told(data: Path, split: str) -> list[tuple[str, str]]:
    """(question, sentence) of the cited texts, each sentence once: those that can be quoted, stand
    by themselves and hold a digit.
    """
    found: dict[str, str] = {}
    for name in CITED:
        for row in rows(data / "citation", name, split):
            text = text_of(row)
            for start, end in find_sentences(text):
                sentence = " ".join(text[start:end].split())
                if (
                    any(map(str.isdigit, sentence))
                    and stands_alone(sentence)
                    and can_be_quoted(sentence)
                ):
                    found.setdefault(sentence, row.get("question") or row["claim"])
    return [(question, sentence) for sentence, question in found.items()]


def amounts(sentence: str) -> list[re.Match[str]]:
    """Its numbers of something: before a percent sign or a word that is no month and no
    preposition, or behind a currency.

    Years, parts of ranges and what is below 2 are left out. Found without the reader that is
    measured.
    """
    numbers = _NUMBER.finditer(sentence)
    return [
        each
        for each in numbers
        if not find_years(each[0]) and _value(each[0]) >= 2 and _is_amount(sentence, each)
    ]


def _is_amount(sentence: str, found: re.Match[str]) -> bool:
    before, after = sentence[: found.start()], sentence[found.end() :]
    ranged = _RANGE.match(after) or _RANGE_BEFORE.search(before)
    return (
        not ranged
        and not before.endswith(("-", "−"))
        and bool(before.endswith(("$", "€", "£")) or _OF_SOMETHING.match(after))
    )


def _value(number: str) -> float:
    return float(number.replace(",", ""))


# -- copies that are made of them ------------------------------------------------------------------------------------------


def _times(number: str, factor: float) -> str:
    """The number times this, with as many decimals as it has."""
    decimals = len(number.partition(".")[2])
    value = f"{_value(number) * factor:,.{decimals}f}"
    return value if "," in number else value.replace(",", "")


def _put(sentence: str, found: re.Match[str], number: str) -> str:
    return sentence[: found.start()] + number + sentence[found.end() :]


def _low(sentence: str) -> str:
    """As it stands within another sentence: a first word that is no name begins small."""
    first = sentence.partition(" ")[0]
    return (
        sentence[0].lower() + sentence[1:]
        if first in ("The", "A", "An", "In", "There", "About", "Most", "More", "By", "On")
        else sentence
    )


def _framed(sentence: str) -> str:
    return f"According to a recent report, {_low(sentence)}"


def _turned(sentence: str) -> str:
    """What stands before the first comma, put behind the rest; as it is where that is no short
    opening.
    """
    found = re.match(
        r"((?:In|By|On|At|For|During|After|Since|With) [^,;]{3,50}), (\w.*[^.])\.$", sentence
    )
    return f"{found[2][0].upper()}{found[2][1:]} {_low(found[1])}." if found else sentence


def _thinned(sentence: str) -> str:
    """Every seventh word of five letters or more left out, as far as it is no name and has no
    figure beside it.
    """
    words = sentence.split()
    long = [
        n
        for n, word in enumerate(words[1:-1], 1)
        if re.fullmatch("[a-z]{5,}", word) and not _beside(words, n)
    ]
    left = set(long[3::7])
    return " ".join(word for n, word in enumerate(words) if n not in left)


def _beside(words: list[str], n: int) -> bool:
    return any(any(map(str.isdigit, word)) for word in words[n - 1 : n + 2])


def _other(factor: float, way: Callable[[str], str] = str) -> Make:
    """A copy with another figure, told in a way."""
    return lambda sentence, found, _: (
        sentence,
        way(_put(sentence, found, _times(found[0], factor))),
    )


def _less(sentence: str, found: re.Match[str], chance: random.Random) -> Made | None:
    return (
        None
        if "%" in sentence[found.end() : found.end() + 2]
        else (sentence, _put(sentence, found, _times(found[0], 0.5)))
    )


def _converted(sentence: str, found: re.Match[str], chance: random.Random) -> Made | None:
    unit = _UNIT.match(sentence, found.end())
    if not unit:
        return None
    factor, name = UNITS[unit["unit"]]
    value = f"{round(_value(found[0]) * factor, 6):,.10f}".rstrip("0").rstrip(".")
    return sentence, f"{sentence[: found.start()]}{value}{name}{sentence[unit.end() :]}"


def _rounded(sentence: str, found: re.Match[str], chance: random.Random) -> Made | None:
    value = _value(found[0])
    near = float(f"{value:.2g}")
    return (
        (sentence, _put(sentence, found, f"about {near:,.10f}".rstrip("0").rstrip(".")))
        if near != value and value > 20
        else None
    )


def _at_least(sentence: str, found: re.Match[str], chance: random.Random) -> Made | None:
    return sentence, _put(sentence, found, f"at least {_times(found[0], 0.8)}")


def _ranged(sentence: str, found: re.Match[str], chance: random.Random) -> Made | None:
    return sentence, _put(sentence, found, f"{_times(found[0], 0.7)} to {_times(found[0], 1.4)}")


def _of_another_year(sentence: str, found: re.Match[str], chance: random.Random) -> Made | None:
    named = find_years(sentence)
    if len(named) != 1:
        return None
    year = next(iter(named))
    return sentence, _put(sentence, found, _times(found[0], 3)).replace(
        year, str(int(year.rstrip("s")) - 8) + "s" * year.endswith("s")
    )


def _of_one_year(sentence: str, found: re.Match[str], chance: random.Random) -> Made | None:
    return (
        None
        if find_years(sentence)
        else (sentence, f"In 2014, {_low(_put(sentence, found, _times(found[0], 3)))}")
    )


def _before(one: str, other: str) -> Make:
    """Each with an opening of its own, the figures differing."""

    def make(sentence: str, found: re.Match[str], chance: random.Random) -> Made:
        changed = _put(sentence, found, _times(found[0], 3))
        return (f"{one} {_low(sentence)}" if one else sentence), f"{other} {_low(changed)}"

    return lambda sentence, found, chance: (
        make(sentence, found, chance) if other.split()[1][:-1] not in sentence else None
    )


#: What has to be found, what must not be, and what at most with an explanation.
WRONG: dict[str, Make] = {
    "three times as much": _other(3), "half as much again": _other(1.5), "half of it": _less,
    "three times, as somebody's word": _other(3, _framed),
    "three times, the opening put last": _other(3, _turned),
    "three times, in fewer words": _other(3, _thinned),
}  # fmt: skip
SAME: dict[str, Make] = {
    "another unit": _converted, "rounded": _rounded, "at least a little less": _at_least,
    "a range that holds it": _ranged,
    "unchanged, in fewer words": _other(1, _thinned),
}  # fmt: skip
EXPLAINED: dict[str, Make] = {
    "another year": _of_another_year, "only one names a year": _of_one_year,
    "another place": _before("In Norway,", "In Peru,"),
    "only one names a place": _before("", "In Peru,"),
    "another group": _before("Among women,", "Among men,"),
    "only one names a group": _before("", "Among children,"),
}  # fmt: skip


def report(question: str, texts: list[str]) -> Report:
    """A report that kept one source for each text."""
    score = ScoreParts(0.7, "general", 0.7, 0.5, 0.0)
    kept = tuple(
        ReportSource(
            f"https://s{n}.example/",
            "",
            n + 1,
            "kept",
            "",
            score,
            passages=(Passage(f"p{n:08x}", text, 0, len(text)),),
            published="",
        )
        for n, text in enumerate(texts)
    )
    return Report("s", question, 0.0, {}, "full_report", "", "", "", (), kept, {}, (), (), {}, {})


def made(found: list[str], make: Make) -> Iterator[tuple[str, str, str]]:
    """(how it was told, one, other) of each sentence that this copy can be made of."""
    chance = random.Random(7)
    for sentence in found:
        for number in amounts(sentence)[:1]:
            if pair := make(sentence, number, chance):
                one, other = pair
                seen = find_contradictions(report(sentence, [one, other])) if one != other else ()
                yield (seen[0].kind if seen else "none"), one, other


def constructed(found: list[str]) -> dict[str, Any]:
    """By kind of copy: how many, the share told as differing, and the share told with what may
    explain it; and recall and precision.
    """
    shown: dict[str, Any] = {}
    right = wrong = pairs = 0
    for group, table in (
        ("differs", WRONG),
        ("says the same", SAME),
        ("of another date or scope", EXPLAINED),
    ):
        shown[group] = {}
        for name, make in table.items():
            count = Counter(kind for kind, *_ in made(found, make))
            size = sum(count.values()) or 1
            bare = count["differs"]
            explained = size - bare - count["none"]
            shown[group][name] = {
                "pairs": sum(count.values()),
                "differs": round(bare / size, 3),
                "explained": round(explained / size, 3),
            }
            right, wrong = (right + bare, wrong) if table is WRONG else (right, wrong + bare)
            pairs += size if table is WRONG else 0
    return {
        **shown,
        "recall": round(right / (pairs or 1), 3),
        "precision": round(right / (right + wrong or 1), 3),
    }


def _sentence(claim: str) -> str:
    """A claim as a sentence: without its citation marks, and with an end."""
    bare = " ".join(re.sub(r"\[[\d,\s]+\]", "", claim).split()).rstrip(" -*.")
    return f"{bare[:1].upper()}{bare[1:]}."


def paraphrased(data: Path, split: str) -> dict[str, Any]:
    """Claims that a text supports, by people's word, against that text: as they are, which is no
    contradiction, and three times the figure.

    Only claims with a number that stands in the text too, and no other one: so the text has it in
    words of its own.
    """
    count = Counter[str]()
    for name in CITED:
        for row in rows(data / "citation", name, split):
            claim, text = _sentence(row["claim"]), text_of(row)
            numbers = amounts(claim)
            if (
                row["label"] != "supported"
                or len(numbers) != 1
                or not re.search(rf"(?<![\d.,]){re.escape(numbers[0][0])}(?![\d.,]*\d)", text)
            ):
                continue
            count["claims"] += 1
            for way, factor in (("false alarms", 1.0), ("found", 3.0)):
                changed = (
                    _put(claim, numbers[0], _times(numbers[0][0], factor)) if factor > 1 else claim
                )
                seen = find_contradictions(report(claim, [changed, text]))
                count[way] += bool(seen)
                count[f"{way}, nothing explains it"] += bool(seen and seen[0].kind == "differs")
    size = count["claims"] or 1
    return {
        "claims": count["claims"],
        **{name: round(count[name] / size, 3) for name in sorted(count) if name != "claims"},
    }


# -- real pairs ------------------------------------------------------------------------------------------------------------


def denied(found: list[str]) -> dict[str, Any]:
    """Of sentences with a "not" put behind their first verb of being or helping, against
    themselves: the share told as a denial.
    """
    pairs = [
        (text, _NOT_PUT.sub(r"\g<0> not", text, count=1))
        for text in found
        if _NOT_PUT.search(text) and not find_denial(text)
    ]
    told = Counter(
        seen[0].kind if (seen := find_contradictions(report(one, [one, other]))) else "none"
        for one, other in pairs
    )
    return {
        "pairs": len(pairs),
        **{kind: round(count / (len(pairs) or 1), 3) for kind, count in sorted(told.items())},
    }


def unrelated(found: list[tuple[str, str]]) -> dict[str, Any]:
    """Findings in all pairs of sentences with a digit that were told on different questions, by
    what is said to differ.
    """
    asked = Counter(question for question, _ in found)
    quotes = [Quote(text, str(n), n, n, firm=True, own=1.0) for n, (_, text) in enumerate(found)]
    seen = [
        pair
        for pair in find_disagreements(quotes)
        if found[pair.one.order][0] != found[pair.other.order][0]
    ]
    pairs = (len(found) ** 2 - sum(count**2 for count in asked.values())) // 2
    for pair in seen[:PRINTED]:
        print(
            f"unrelated: {pair.a.text} / {pair.b.text}",
            f"  {pair.one.text}",
            f"  {pair.other.text}",
            sep="\n",
            file=sys.stderr,
        )
    return {
        "pairs": pairs,
        "found": len(seen),
        "of words": sum(pair.a.unit in ("date", "name", "statement") for pair in seen),
        "per million pairs": round(1e6 * len(seen) / (pairs or 1), 2),
    }


def questions(data: Path, split: str) -> Iterator[tuple[str, str, list[str]]]:
    """(set, question, the texts on it, each once), of those with two at least."""
    for name in ASKED:
        if not (data / f"{name}.jsonl").is_file():
            continue
        texts: dict[str, dict[str, None]] = {}
        for row in rows(data, name, split):
            texts.setdefault(row.get("question") or row["claim"], {})[text_of(row)] = None
        yield from (
            (name, question, list(each)) for question, each in texts.items() if len(each) > 1
        )


def within(data: Path, split: str) -> dict[str, Any]:
    """What is found among the texts on one question, which is printed."""
    counts: dict[str, Counter[str]] = {}
    printed = 0
    for name, question, texts in questions(data, split):
        count = counts.setdefault(name, Counter())
        count["questions"] += 1
        for one in find_contradictions(report(question, texts)):
            count[one.kind] += 1
            printed += 1
            if printed <= PRINTED:
                _print(question, one)
    return {name: dict(count) for name, count in counts.items()}


def _print(question: str, one: Contradiction) -> None:
    print(f"{one.kind}: {one.why or 'nothing explains it'} | {question[:100]}", file=sys.stderr)
    print(
        *(f"  {claim.value}: {claim.sentence}" for claim in one.claims), sep="\n", file=sys.stderr
    )


def figures(data: Path, split: str) -> dict[str, Any]:
    """All figures. data: a folder laid out like `../shared/data`. Findings go to standard error, to
    be judged.
    """
    found = told(data, split)
    numbered = sorted(sentence for _, sentence in found if amounts(sentence))
    chosen = random.Random(7).sample(numbered, min(MOST, len(numbered)))
    readable = [sentence for sentence in chosen if read(sentence)]
    return {
        "sentences with a number": len(numbered),
        "copied": len(chosen),
        "of the copied, with a figure that is read": round(len(readable) / (len(chosen) or 1), 3),
        "copies": constructed(chosen),
        "copies that deny": denied(chosen),
        "claims in other words than their source": paraphrased(data, split),
        "unrelated": unrelated(found),
        "on one question": within(data, split),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    parser.add_argument("--record", action="store_true", help="keep the figures in results.json")
    given = parser.parse_args()
    found = figures(given.data, given.split)
    print(json.dumps(found, indent=2))
    if given.record:
        record("contradictions", {"split": given.split, **found})


if __name__ == "__main__":
    main()
