"""Measure how well different figures, and denials, of the same thing are found in source texts.

    python benchmarks/contradictions.py [--data DIR] [--split share|hold] [--record]

Data: the sets in `citation` and `relevance` of the shared data. Reports are made of their texts and
read as a run reads its own. Three measures:

- Copies of real sentences that a program changes. A copy with another figure must be found; one
  that says the same in another unit, rounded or as a range must not; one of another year, place or
  group may be found only with an explanation; one with an added "not" must be found as a denial.
- All pairs of sentences on different questions, where a finding is mostly a false alarm.
- The texts on one question. They have no labels, so a person must judge what is printed.

Prints JSON; findings go to standard error. --record stores the figures in results.json.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.results import record
from research_core.models import Passage, Report, ReportSource, ScoreParts
from research_core.pipeline.contradictions import Contradiction, compare_sources
from research_core.text.disagreements import find_disagreements, find_years
from research_core.text.figures import parse_figures
from research_core.text.quotable import Quote, can_be_quoted, stands_alone
from research_core.text.sentences import find_sentences
from research_core.text.stance import find_denial

CITED_SETS = ("attributionbench", "wice", "healthver", "climatefever")
#: Sets with several texts on one question. TREC-QA is left out: it prints every number as `<num>`.
QUESTION_SETS = (
    "relevance/noveleval",
    "relevance/mediqa2019",
    "relevance/medquad_liveqa",
    "citation/attributionbench",
    "citation/healthver",
    "citation/climatefever",
)
#: Sentences that copies are made of, at most.
MAX_COPIED = 300
#: Findings that are printed of each measure, at most.
MAX_PRINTED = 40
SEED = 7
_NUMBER = re.compile(
    r"(?<![\w.,/:-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,.]*\d)|(?<![\w.,/:-])\d+(?:\.\d+)?(?![\w.,:/-]*\d)"
)
_RANGE_AFTER = re.compile(r"\s?(?:[-–—]|to|and|or|of|out of|in)\s?[$€£]?\d|[-–/:]")
_RANGE_START_BEFORE = re.compile(r"\d\s?%?\s?(?:[-–—/]|to|and|or|in)\s?[$€£]?$")
_THING_AFTER = re.compile(
    r"\s?%|\s(?!am\b|pm\b|a\.m|p\.m)[a-z]{4,}(?<! from)(?<! when)(?<! with)(?<! that)(?<! were)(?<!"
    r" which)\b"
)
_POSITIVE_VERB = re.compile(r" (?:is|are|was|were|can|could|will|would|should)\b(?! not\b)")
_UNIT = re.compile(
    r"\s?(?P<unit>%|percent|per"
    r" cent|million|billion|km|kg|hours|years|weeks|metres|meters)(?![\w-])"
)
#: The same amount in another unit: what follows a number, by what the number is multiplied, and
#: what follows it then.
UNITS = {
    "%": (1.0, " percent"), "percent": (1.0, "%"), "per cent": (1.0, "%"), "million": (1e6, ""),
    "billion": (1e3, " million"),
    "km": (1e3, " metres"), "kg": (1e3, " grams"), "hours": (60.0, " minutes"),
    "years": (12.0, " months"), "weeks": (7.0, " days"),
    "metres": (1e-3, " km"), "meters": (1e-3, " km"),
}  # fmt: skip

Pair = tuple[str, str]
#: Makes the two sentences to compare of a sentence, or None if it does not fit this change.
Change = Callable[[str, re.Match[str]], Pair | None]


# -- real sentences --------------------------------------------------------------------------------


def read_rows(data: Path, name: str, split: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a set, "folder/name", that belong to a split."""
    for row in read_json_lines(data / f"{name}.jsonl"):
        if row["split"] == split:
            yield row


def get_text(row: Mapping[str, Any]) -> str:
    """Return the text of a row, whichever field its set stores it in."""
    if row.get("text"):
        return str(row["text"])
    return " ".join(row.get("evidence") or row.get("evidence_sentences") or [])


def get_question(row: Mapping[str, Any]) -> str:
    """Return the question of a row, or its claim."""
    return str(row.get("question") or row["claim"])


def collect_sentences(data: Path, split: str) -> list[tuple[str, str]]:
    """Return (question, sentence) of the cited texts, each sentence once.

    Only sentences that can be quoted, are clear without their context and hold a digit.
    """
    questions: dict[str, str] = {}
    for name in CITED_SETS:
        for row in read_rows(data, f"citation/{name}", split):
            text = get_text(row)
            for start, end in find_sentences(text):
                sentence = " ".join(text[start:end].split())
                if not _has_digit(sentence):
                    continue
                if stands_alone(sentence) and can_be_quoted(sentence):
                    questions.setdefault(sentence, get_question(row))
    return [(question, sentence) for sentence, question in questions.items()]


def find_amounts(sentence: str) -> list[re.Match[str]]:
    """Return the numbers that count or measure something.

    They precede a percent sign or a word that is no month and no preposition, or follow a currency.
    Years, ends of ranges and numbers below 2 are left out. This does not use the parser that is
    measured.
    """
    amounts = []
    for number in _NUMBER.finditer(sentence):
        if find_years(number[0]) or _parse_number(number[0]) < 2:
            continue
        if _is_amount(sentence, number):
            amounts.append(number)
    return amounts


def _is_amount(sentence: str, number: re.Match[str]) -> bool:
    before = sentence[: number.start()]
    after = sentence[number.end() :]
    if _RANGE_AFTER.match(after) or _RANGE_START_BEFORE.search(before):
        return False
    if before.endswith(("-", "−")):
        return False
    return before.endswith(("$", "€", "£")) or bool(_THING_AFTER.match(after))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _parse_number(number: str) -> float:
    return float(number.replace(",", ""))


# -- edits of a sentence ---------------------------------------------------------------------------


def _multiply(number: str, factor: float) -> str:
    """Return the number times the factor, with as many decimals as it has."""
    decimals = len(number.partition(".")[2])
    value = f"{_parse_number(number) * factor:,.{decimals}f}"
    return value if "," in number else value.replace(",", "")


def _replace_number(sentence: str, number: re.Match[str], new: str) -> str:
    return sentence[: number.start()] + new + sentence[number.end() :]


def _scale_number(sentence: str, number: re.Match[str], factor: float) -> str:
    return _replace_number(sentence, number, _multiply(number[0], factor))


def _lower_first_word(sentence: str) -> str:
    """Return the sentence as it reads inside another one; a name keeps its capital."""
    first = sentence.partition(" ")[0]
    if first in ("The", "A", "An", "In", "There", "About", "Most", "More", "By", "On"):
        return sentence[0].lower() + sentence[1:]
    return sentence


def _attribute_to_report(sentence: str) -> str:
    return f"According to a recent report, {_lower_first_word(sentence)}"


def _move_opening_to_end(sentence: str) -> str:
    """Move a short opening before the first comma to the end; without one, change nothing."""
    found = re.match(
        r"((?:In|By|On|At|For|During|After|Since|With) [^,;]{3,50}), (\w.*[^.])\.$", sentence
    )
    if not found:
        return sentence
    opening, rest = found.groups()
    return f"{rest[0].upper()}{rest[1:]} {_lower_first_word(opening)}."


def _drop_words(sentence: str) -> str:
    """Drop every seventh long word in small letters that has no figure beside it."""
    words = sentence.split()
    candidates = []
    for place in range(1, len(words) - 1):
        neighbours = words[place - 1 : place + 2]
        if re.fullmatch("[a-z]{5,}", words[place]) and not any(map(_has_digit, neighbours)):
            candidates.append(place)
    dropped = set(candidates[3::7])
    return " ".join(word for place, word in enumerate(words) if place not in dropped)


# -- pairs of a sentence and its changed copy ------------------------------------------------------


def _scale(factor: float, reword: Callable[[str], str] = str) -> Change:
    """Pair a sentence with a copy that has another figure and other words."""

    def change(sentence: str, number: re.Match[str]) -> Pair:
        return sentence, reword(_scale_number(sentence, number, factor))

    return change


def _halve(sentence: str, number: re.Match[str]) -> Pair | None:
    if "%" in sentence[number.end() : number.end() + 2]:
        return None
    return sentence, _scale_number(sentence, number, 0.5)


def _convert_unit(sentence: str, number: re.Match[str]) -> Pair | None:
    unit = _UNIT.match(sentence, number.end())
    if not unit:
        return None
    factor, name = UNITS[unit["unit"]]
    value = f"{round(_parse_number(number[0]) * factor, 6):,.10f}".rstrip("0").rstrip(".")
    return sentence, f"{sentence[: number.start()]}{value}{name}{sentence[unit.end() :]}"


def _round_number(sentence: str, number: re.Match[str]) -> Pair | None:
    value = _parse_number(number[0])
    rounded = float(f"{value:.2g}")
    if rounded == value or value <= 20:
        return None
    text = f"about {rounded:,.10f}".rstrip("0").rstrip(".")
    return sentence, _replace_number(sentence, number, text)


def _state_minimum(sentence: str, number: re.Match[str]) -> Pair | None:
    minimum = _multiply(number[0], 0.8)
    return sentence, _replace_number(sentence, number, f"at least {minimum}")


def _state_range(sentence: str, number: re.Match[str]) -> Pair | None:
    low = _multiply(number[0], 0.7)
    high = _multiply(number[0], 1.4)
    return sentence, _replace_number(sentence, number, f"{low} to {high}")


def _change_year(sentence: str, number: re.Match[str]) -> Pair | None:
    years = find_years(sentence)
    if len(years) != 1:
        return None
    year = next(iter(years))
    other_year = str(int(year.rstrip("s")) - 8)
    if year.endswith("s"):
        other_year += "s"
    return sentence, _scale_number(sentence, number, 3).replace(year, other_year)


def _add_year(sentence: str, number: re.Match[str]) -> Pair | None:
    if find_years(sentence):
        return None
    return sentence, f"In 2014, {_lower_first_word(_scale_number(sentence, number, 3))}"


def _add_openings(opening: str, other_opening: str) -> Change:
    """Pair a sentence with one of three times the figure, each with an opening of its own."""
    other_name = other_opening.split()[1][:-1]

    def change(sentence: str, number: re.Match[str]) -> Pair | None:
        if other_name in sentence:
            return None
        other = f"{other_opening} {_lower_first_word(_scale_number(sentence, number, 3))}"
        if not opening:
            return sentence, other
        return f"{opening} {_lower_first_word(sentence)}", other

    return change


#: Must be found.
DIFFERENT: dict[str, Change] = {
    "three times as much": _scale(3),
    "half as much again": _scale(1.5),
    "half of it": _halve,
    "three times, as somebody's word": _scale(3, _attribute_to_report),
    "three times, the opening put last": _scale(3, _move_opening_to_end),
    "three times, in fewer words": _scale(3, _drop_words),
}
#: Must not be found.
SAME: dict[str, Change] = {
    "another unit": _convert_unit,
    "rounded": _round_number,
    "at least a little less": _state_minimum,
    "a range that holds it": _state_range,
    "unchanged, in fewer words": _scale(1, _drop_words),
}
#: May be found only together with what explains the difference.
EXPLAINED: dict[str, Change] = {
    "another year": _change_year,
    "only one names a year": _add_year,
    "another place": _add_openings("In Norway,", "In Peru,"),
    "only one names a place": _add_openings("", "In Peru,"),
    "another group": _add_openings("Among women,", "Among men,"),
    "only one names a group": _add_openings("", "Among children,"),
}


# -- findings in made-up reports -------------------------------------------------------------------


def make_report(question: str, texts: list[str]) -> Report:
    """Return a report that kept one source for each text."""
    score = ScoreParts(0.7, "general", 0.7, 0.5, 0.0)
    sources = []
    for number, text in enumerate(texts):
        passage = Passage(f"p{number:08x}", text, 0, len(text))
        sources.append(
            ReportSource(
                f"https://s{number}.example/",
                "",
                number + 1,
                "kept",
                "",
                score,
                passages=(passage,),
                published="",
            )
        )
    return Report(
        "s", question, 0.0, {}, "full_report", "", "", "", (), tuple(sources), {}, (), (), {}, {}
    )


def find_kind(question: str, one: str, other: str) -> str:
    """Return the kind of the first contradiction between two texts, or "none"."""
    if one == other:
        return "none"
    contradictions = compare_sources(make_report(question, [one, other])).contradictions
    return contradictions[0].kind if contradictions else "none"


def count_kinds(sentences: list[str], change: Change) -> Counter[str]:
    """Count what is found between each sentence and its copy, changed at its first amount."""
    kinds: Counter[str] = Counter()
    for sentence in sentences:
        amounts = find_amounts(sentence)
        pair = change(sentence, amounts[0]) if amounts else None
        if pair:
            kinds[find_kind(sentence, *pair)] += 1
    return kinds


def measure_copies(sentences: list[str]) -> dict[str, Any]:
    """Return, by kind of copy, the pairs and the shares found without and with an explanation.

    Recall is over the pairs that must be found; precision counts findings without an explanation
    among all others as wrong.
    """
    figures: dict[str, Any] = {}
    right = wrong = wanted = 0
    for group, changes in (
        ("differs", DIFFERENT),
        ("says the same", SAME),
        ("of another date or scope", EXPLAINED),
    ):
        figures[group] = {}
        for name, change in changes.items():
            kinds = count_kinds(sentences, change)
            pairs = kinds.total()
            unexplained = kinds["differs"]
            explained = pairs - unexplained - kinds["none"]
            figures[group][name] = {
                "pairs": pairs,
                "differs": round(unexplained / (pairs or 1), 3),
                "explained": round(explained / (pairs or 1), 3),
            }
            if changes is DIFFERENT:
                wanted += pairs
                right += unexplained
            else:
                wrong += unexplained
    figures["recall"] = round(right / (wanted or 1), 3)
    figures["precision"] = round(right / (right + wrong or 1), 3)
    return figures


def measure_denials(sentences: list[str]) -> dict[str, Any]:
    """Return the kinds found between sentences and their copies with "not" after the first verb."""
    kinds: Counter[str] = Counter()
    for sentence in sentences:
        if _POSITIVE_VERB.search(sentence) and not find_denial(sentence):
            negated = _POSITIVE_VERB.sub(r"\g<0> not", sentence, count=1)
            kinds[find_kind(sentence, sentence, negated)] += 1
    pairs = kinds.total()
    shares = {kind: round(count / pairs, 3) for kind, count in sorted(kinds.items())}
    return {"pairs": pairs, **shares}


def measure_paraphrases(data: Path, split: str) -> dict[str, Any]:
    """Compare supported claims with their texts: as they are, then with three times the figure.

    A finding in the first comparison is a false alarm, in the second it is right. Only claims with
    exactly one number, which the text has too in words of its own.
    """
    counts = Counter[str]()
    for name in CITED_SETS:
        for row in read_rows(data, f"citation/{name}", split):
            claim = _make_sentence(row["claim"])
            text = get_text(row)
            amounts = find_amounts(claim)
            if row["label"] != "supported" or len(amounts) != 1:
                continue
            if not re.search(rf"(?<![\d.,]){re.escape(amounts[0][0])}(?![\d.,]*\d)", text):
                continue
            counts["claims"] += 1
            tripled = _scale_number(claim, amounts[0], 3.0)
            for kind, changed in (("false alarms", claim), ("found", tripled)):
                found = compare_sources(make_report(claim, [changed, text])).contradictions
                counts[kind] += bool(found)
                is_unexplained = bool(found) and found[0].kind == "differs"
                counts[f"{kind}, nothing explains it"] += is_unexplained
    claims = counts.pop("claims", 0)
    shares = {name: round(counts[name] / (claims or 1), 3) for name in sorted(counts)}
    return {"claims": claims, **shares}


def _make_sentence(claim: str) -> str:
    """Return a claim as a sentence, without citation marks and with a full stop."""
    bare = " ".join(re.sub(r"\[[\d,\s]+\]", "", claim).split()).rstrip(" -*.")
    return f"{bare[:1].upper()}{bare[1:]}."


# -- real pairs ------------------------------------------------------------------------------------


def measure_unrelated(sentences: list[tuple[str, str]]) -> dict[str, Any]:
    """Count the findings in all pairs of (question, sentence) on different questions."""
    quotes = []
    for number, (_, text) in enumerate(sentences):
        quotes.append(Quote(text, str(number), number, number, firm=True, own=1.0))
    found = []
    for disagreement in find_disagreements(quotes):
        question = sentences[disagreement.one.order][0]
        if question != sentences[disagreement.other.order][0]:
            found.append(disagreement)
    sizes = Counter(question for question, _ in sentences)
    same_question = sum(size**2 for size in sizes.values())
    pairs = (len(sentences) ** 2 - same_question) // 2
    for one in found[:MAX_PRINTED]:
        print(f"unrelated: {one.a.text} / {one.b.text}", file=sys.stderr)
        print(f"  {one.one.text}\n  {one.other.text}", file=sys.stderr)
    return {
        "pairs": pairs,
        "found": len(found),
        "of words": sum(one.a.unit in ("date", "name", "statement") for one in found),
        "per million pairs": round(1e6 * len(found) / (pairs or 1), 2),
    }


def group_by_question(data: Path, split: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (set, question, texts on it, each once) of the questions with two texts or more."""
    for name in QUESTION_SETS:
        if not (data / f"{name}.jsonl").is_file():
            continue
        by_question: dict[str, list[str]] = {}
        for row in read_rows(data, name, split):
            texts = by_question.setdefault(get_question(row), [])
            text = get_text(row)
            if text not in texts:
                texts.append(text)
        for question, texts in by_question.items():
            if len(texts) > 1:
                yield name, question, texts


def count_within_questions(data: Path, split: str) -> dict[str, Any]:
    """Count by set what is found among the texts on one question, and print the first findings."""
    counts: dict[str, Counter[str]] = {}
    printed = 0
    for name, question, texts in group_by_question(data, split):
        count = counts.setdefault(name, Counter())
        count["questions"] += 1
        for contradiction in compare_sources(make_report(question, texts)).contradictions:
            count[contradiction.kind] += 1
            if printed < MAX_PRINTED:
                _print_contradiction(question, contradiction)
                printed += 1
    return {name: dict(count) for name, count in counts.items()}


def _print_contradiction(question: str, found: Contradiction) -> None:
    explanation = found.why or "nothing explains it"
    print(f"{found.kind}: {explanation} | {question[:100]}", file=sys.stderr)
    for claim in found.claims:
        print(f"  {claim.value}: {claim.sentence}", file=sys.stderr)


def measure(data: Path, split: str) -> dict[str, Any]:
    """Return all figures. data: a folder laid out like the shared data."""
    sentences = collect_sentences(data, split)
    with_amount = sorted(sentence for _, sentence in sentences if find_amounts(sentence))
    size = min(MAX_COPIED, len(with_amount))
    copied = random.Random(SEED).sample(with_amount, size)
    parsed = [sentence for sentence in copied if parse_figures(sentence)]
    return {
        "sentences with a number": len(with_amount),
        "copied": len(copied),
        "of the copied, with a figure that is read": round(len(parsed) / (len(copied) or 1), 3),
        "copies": measure_copies(copied),
        "copies that deny": measure_denials(copied),
        "claims in other words than their source": measure_paraphrases(data, split),
        "unrelated": measure_unrelated(sentences),
        "on one question": count_within_questions(data, split),
    }


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    options = parser.parse_args()
    require_folder(options.data / "citation")
    figures = measure(options.data, options.split)
    print(json.dumps(figures, indent=2))
    if options.record:
        record("contradictions", {"split": options.split, **figures})


if __name__ == "__main__":
    main()
