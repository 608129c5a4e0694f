"""Run the benchmark of answers over a made-up data set: four pages, three questions."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks import languages
from benchmarks.answers import (
    PAGE_SETS,
    Answer,
    Choice,
    Question,
    ask_all,
    format_answer,
    prepare_library,
    rate_report,
    read_questions,
    select_questions,
    summarise,
    summarise_by_length,
)
from benchmarks.recorded_web import RecordedWeb

KILN = "https://kilns.example.edu/firing"
GLAZE = "https://kilns.example.edu/glaze"
CLAY = "https://clay.example.gov/wheel"
LOOM = "https://looms.example.org/shed"
TEXTS = {
    KILN: (
        "Kiln firing",
        "Kiln firing is the heating of clay until it turns into ceramic. A kiln firing of earthenware"
        " reaches about 1,100 degrees Celsius. Kiln firing drives the water out of the clay.",
    ),
    GLAZE: (
        "Kiln firing of glazes",
        "The kiln firing of a glaze melts its minerals into glass. A second kiln firing hardens the"
        " glaze of the ceramic. Cooling after kiln firing takes a whole day.",
    ),
    CLAY: (
        "Clay on the wheel",
        "Kiln firing follows once the clay from the wheel has dried. Kiln firing of damp clay cracks"
        " the pot, because steam bursts its wall.",
    ),
    LOOM: ("The shed of a loom", "A loom parts the warp into two layers, and the weft passes."),
}
QUESTIONS = [
    {
        "qid": "made-1",
        "question": "What is kiln firing?",
        "judged": [[KILN, 4], [GLAZE, 1], [KILN, 2], ["https://absent.example.org/", 4]],
        "split": "share",
    },
    {
        "qid": "made-2",
        "question": "How do I repair the gearbox of a lunar tractor?",
        "judged": [[LOOM, 3]],
        "split": "share",
    },
    {"qid": "made-3", "question": "How hot is kiln firing?", "answer": "1,100 degrees Celsius"},
    {"qid": "made-4", "question": "What is a warp?", "judged": [[LOOM, 4]], "split": "hold"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "shared" / "offline_web"
    folder.mkdir(parents=True)
    rows = []
    with zipfile.ZipFile(folder / "pages.zip", "w") as archive:
        for number, (url, (title, text)) in enumerate(TEXTS.items()):
            body = f"<html><head><title>{title}</title></head><body><p>{text}</p></body></html>"
            archive.writestr(f"{number}.html", body)
            member = {"zip": "offline_web/pages.zip", "member": f"{number}.html"}
            page = {"url": url, "title": title, "snippet": text, "set": "mediqa"}
            rows.append({**page, **member})
    rows.append({**rows[-1], "url": "https://news.example.org/", "set": "trafilatura"})
    write_rows(folder / "index.jsonl", rows)
    write_rows(folder / "questions.jsonl", QUESTIONS)
    return folder


def write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize("by_library", [True, False], ids=["library", "web"])
def test_questions_are_asked_and_rated_by_the_grades(
    data: Path, tmp_path: Path, *, by_library: bool
) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    out.mkdir()
    if by_library:
        urls = prepare_library(data, home, semantic=False)
        choice = Choice(False, "quick", out=out)
    else:
        urls = RecordedWeb(data, PAGE_SETS).urls
        choice = Choice(False, "quick", web=data, out=out)
    questions = read_questions(data, "share", urls)
    answers = {answer.id: answer for answer in ask_all(home, choice, questions, 1)}

    assert urls == {KILN, GLAZE, CLAY, LOOM}
    assert set(answers) == {"made-1", "made-2", "made-3"}
    defined = answers["made-1"]
    assert defined.outcome in ("full_report", "short_report")
    assert (defined.good_pages, defined.good_found, defined.good_kept) == (1, 1, 1)
    assert defined.quoted >= defined.quoted_graded >= defined.quoted_good > 0
    assert "kiln firing" in (out / "made-1.md").read_text(encoding="utf-8").lower()
    assert answers["made-2"].is_wrongly_refused
    assert "WRONG" in format_answer(answers["made-2"])
    assert answers["made-3"].gold_anywhere


def test_questions_can_be_chosen(data: Path) -> None:
    questions = read_questions(data, "share", {KILN})

    assert [each.id for each in read_questions(data, "hold", {LOOM})] == ["made-4"]
    assert {each.id: dict(each.grades) for each in questions}["made-1"] == {KILN: 4}
    assert select_questions(questions, 2, []) == questions[:2]
    assert [each.id for each in select_questions(questions, None, ["made-2"])] == ["made-2"]
    with pytest.raises(SystemExit, match="made-9"):
        select_questions(questions, None, ["made-9"])


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("Universal Pictures", "universal pictures"),
        ("1,100 degrees", "1 100 degrees"),
        ("yes", ""),
        ("No.", ""),
        ("en", ""),
        ("It has never been fired above a thousand degrees.", ""),
        ("", ""),
    ],
)
def test_only_a_short_gold_answer_is_looked_for(data: Path, answer: str, gold: str) -> None:
    write_rows(data / "questions.jsonl", [{"qid": "made", "question": "?", "answer": answer}])

    assert [question.gold for question in read_questions(data, "share", set())] == [gold]


def make_report(decision: str, cited: list[list[int]]) -> dict[str, object]:
    sources = [
        {"number": 1, "url": KILN, "status": "kept", "blocked": False},
        {"number": 2, "url": GLAZE, "status": "kept", "blocked": False},
        {"number": 3, "url": CLAY, "status": "kept", "blocked": False},
        {"number": 0, "url": LOOM, "status": "blocked", "blocked": True},
    ]
    sentences = []
    for numbers in cited:
        citations = [{"source": number, "passage": "p0"} for number in numbers]
        sentences.append({"text": "The kiln is at 1,100 degrees.", "citations": citations})
    return {
        "decision": decision,
        "reason": "",
        "sources": sources,
        "sentences": sentences,
        "confidence": {"level": "low"},
    }


@pytest.mark.parametrize(
    ("cited", "quoted", "graded", "good", "in_first_two"),
    [
        ([], 0, 0, 0, False),
        ([[1]], 1, 1, 1, True),
        ([[], [3], [2], [1]], 3, 2, 1, False),
        ([[], [2], [], [1, 3]], 2, 2, 1, True),
        ([[3], [3], [1], [1]], 4, 2, 2, False),
    ],
)
def test_quoted_sentences_are_counted_by_the_grade_of_their_page(
    cited: list[list[int]], quoted: int, graded: int, good: int, in_first_two: bool
) -> None:
    question = Question("made", "What is kiln firing?", {KILN: 4, GLAZE: 1, LOOM: 3})

    answer = rate_report(question, make_report("short_report", cited))

    assert (answer.quoted, answer.quoted_graded, answer.quoted_good) == (quoted, graded, good)
    assert answer.good_in_first_two is in_first_two
    assert (answer.good_pages, answer.good_found, answer.good_blocked) == (2, 2, 1)
    assert (answer.found, answer.blocked) == (4, 1)


def test_a_gold_answer_is_looked_for_word_by_word() -> None:
    report = make_report("full_report", [[1]])

    assert rate_report(Question("made", "How hot?", gold="1 100 degrees"), report).gold_first
    assert rate_report(Question("made", "How hot?", gold="100 deg"), report).gold_first is False
    assert rate_report(Question("made", "How hot?"), report).gold_first is None


def test_shares_are_of_the_questions_they_are_about() -> None:
    answers = [
        Answer("a", 4, "full_report", good_pages=1, is_graded=True, quoted=8, quoted_graded=4,
               quoted_good=3, good_in_first_two=True),
        Answer("b", 30, "refused", "nothing found", good_pages=2, is_graded=True),
        Answer("c", 30, "refused", "nothing found", is_graded=True),
        Answer("d", 9, "full_report", quoted=5),
    ]  # fmt: skip

    figures = summarise_by_length(answers)

    assert figures["questions"] == 4
    assert figures["wrong_refusals"] == 0.25
    assert figures["quoted_from_good"] == 0.75
    assert figures["quoted_from_good_of_all"] == 0.375
    assert figures["good_in_first_two"] == 0.5
    assert (figures["short"]["questions"], figures["longer"]["questions"]) == (2, 2)
    assert summarise(answers[3:])["good_in_first_two"] is None


def test_the_judge_is_compared_with_words_alone_by_language(tmp_path: Path) -> None:
    question = "What is kiln firing?"
    rows = []
    for number, url in enumerate(TEXTS):
        row = {"set": "xquad", "lang": "en", "question": question, "split": "share"}
        rows.append({**row, "passage": TEXTS[url][1], "relevant": int(url != LOOM), "id": number})
    write_rows(tmp_path / "xquad.jsonl", rows)

    figures = languages.measure(tmp_path, "share", 0, semantic=False)

    assert figures["xquad"]["en"]["words_alone"] == 1.0
    assert figures["xquad"]["en"]["judge_words"] == 1.0
    assert figures["below_words"] == []
    assert languages.measure(tmp_path, "hold", 0, semantic=False) == {"below_words": []}
