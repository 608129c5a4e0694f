"""The writer: what it is given, what is taken off its text, and what happens when it fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from research_core.errors import CapReached, ModelError, SynthesisError
from research_core.llm.offline import OfflineModel
from research_core.model_messages import ModelReply
from research_core.models import Passage, Summary
from research_core.pipeline.prompts import PromptContext
from research_core.pipeline.synthesize import (
    CUT_OFF_NOTE,
    SYNTHESIS_TIMEOUT,
    build_write_request,
    clean_body,
    synthesize_report,
    write_report,
)
from tests.scripted import Scripted

QUESTION = "How high are the tides at Harwich?"
TEXT = "At Harwich the mean spring range of the tide is 3.6 metres."
SUMMARIES = (
    Summary(
        "https://tides.example.org/a",
        "Tide tables",
        "…",
        (Passage("p00000001", TEXT, 0, len(TEXT)),),
    ),
    Summary("https://tides.example.org/b", "A page that says nothing", "…"),
)
REPORT = (
    "## Executive Summary\n\nThe spring range is 3.6 metres. [p00000001]\n\n## "
    "Main Findings\n\n### Range\n\nIt is 3.6 metres. [p00000001]"
)
DROPPED = (
    {"title": "Guitars", "score": 1, "explanation": "It is about guitars."},
    {"title": "Boats", "score": 2, "explanation": "Boats only."},
)


def test_the_report_is_the_writers_text() -> None:
    model = Scripted(REPORT)
    pieces: list[str] = []
    assert synthesize_report(QUESTION, SUMMARIES, model, on_text=pieces.append) == REPORT
    assert pieces == [REPORT]
    (request,) = model.requests
    assert (request.kind, request.schema, request.timeout_s) == ("write", None, SYNTHESIS_TIMEOUT)


def test_the_writer_sees_sources_that_have_passages_and_nothing_of_the_others() -> None:
    model = Scripted(REPORT)
    synthesize_report(
        QUESTION, SUMMARIES, model, dropped_sources=DROPPED, sub_questions=("How high?",)
    )
    (request,) = model.requests
    assert request.inputs == {
        "question": QUESTION,
        "limited": False,
        "dropped": [{"title": d["title"], "explanation": d["explanation"]} for d in DROPPED],
        "sub_questions": ["How high?"],
        "sources": [{"title": "Tide tables", "passages": [{"id": "p00000001", "text": TEXT}]}],
    }
    assert "[p00000001]\n<passage>\n" in request.prompt
    assert not any(
        word in request.prompt for word in ("says nothing", "guitars", "Boats", "example.org")
    )


def test_a_short_report_is_asked_for_as_such_with_what_was_dropped_and_why() -> None:
    full, short = Scripted(REPORT), Scripted(REPORT)
    synthesize_report(QUESTION, SUMMARIES, full, dropped_sources=DROPPED)
    synthesize_report(QUESTION, SUMMARIES, short, limited_sources=True, dropped_sources=DROPPED)
    prompt = short.requests[0].prompt
    assert "2 sources were read and left out" in prompt
    assert "Guitars: It is about guitars." in prompt
    assert "short in proportion" in prompt
    assert "short in proportion" not in full.requests[0].prompt


def failure(kind: str) -> ModelError:
    return ModelError(f"The model failed ({kind}).", kind=kind, next_step="Do something.")


def reply(text: str, finish: str = "stop", model: str = "first") -> ModelReply:
    return ModelReply(text, model, finish=finish)


REFUSAL = "I'm sorry, but I can't help with that."
MADE_UP = "## Executive Summary\n\nIt is 9 metres. [pffffffff]"
#: What the models answer in turn; who wrote the report in the end; how many models were passed over
#: by each request.
WRITERS: dict[str, tuple[tuple[ModelReply | ModelError, ...], str, list[int]]] = {
    "usable at once": ((reply(REPORT),), "first", [0]),
    "nothing, then usable": ((reply(" \n"), reply(REPORT)), "first", [0, 0]),
    "headings only": ((reply("## Executive Summary\n\n## Main Findings\n"), reply(REPORT)), "first", [0, 0]),
    "an empty code block": ((reply("```markdown\n```"), reply(REPORT)), "first", [0, 0]),
    "sources only": ((reply("# Title\n\n## Sources\n\n1. A page"), reply(REPORT)), "first", [0, 0]),
    "refused in words": ((reply(REFUSAL), reply(REPORT)), "first", [0, 0]),
    "refused in another language": ((reply("Dabei kann ich leider nicht helfen."), reply(REPORT)), "first", [0, 0]),
    "cites passages that are not there": ((reply(MADE_UP), reply(REPORT)), "first", [0, 0]),
    "thoughts only": ((failure("content_empty"), reply(REPORT)), "first", [0, 0]),
    "blocked": ((failure("blocked"), reply(REPORT)), "first", [0, 0]),
    "broken off": ((reply(REPORT, "broken"), reply(REPORT)), "first", [0, 0]),
    "refused twice": ((reply(REFUSAL), reply(REFUSAL), reply(REPORT, model="second")), "second", [0, 0, 1]),
    "too slow": ((failure("timeout"), reply(REPORT, model="second")), "second", [0, 1]),
    "overloaded": ((failure("upstream_unavailable"), reply(REPORT, model="second")), "second", [0, 1]),
    "rate limited": ((failure("rate_limited"), reply(REPORT, model="second")), "second", [0, 1]),
    "refused by all": ((reply(REFUSAL),), "offline", [0, 0, 1]),
    "down": ((failure("network"),), "offline", [0, 1]),
    "key refused": ((failure("auth_required"),), "offline", [0]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_that_fails_is_followed_by_the_next(name: str) -> None:
    answers, writer, skipped = WRITERS[name]
    model = Scripted(*answers)
    written = write_report(QUESTION, SUMMARIES, model)
    assert (written.writer, [request.skip_models for request in model.requests]) == (
        writer,
        skipped,
    )
    assert len(written.failures) == len(skipped) - (writer != "offline")
    assert f"{TEXT} [p00000001]" in written.text if writer == "offline" else written.text == REPORT
    keys = {str(request.params("gemini")) for request in model.requests}
    assert len(keys) == len(skipped)  # each answer is recorded under a key of its own


def exhausted(kind: str, models: int) -> ModelError:
    """Return the failure of a chain in which so many models failed."""
    error = failure(kind)
    error.models = models
    return error


def passed_over(text: str, *reasons: str) -> ModelReply:
    return replace(reply(text, model="second"), passed_over=reasons)


#: What a chain answers in turn; how many models were passed over by each request.
CHAINS: dict[str, tuple[tuple[ModelReply | ModelError, ...], list[int]]] = {
    "all overloaded": ((exhausted("upstream_unavailable", 2),), [0, 2]),
    "overloaded and limited": ((exhausted("rate_limited", 3),), [0, 3]),
    "missing, then nothing": ((exhausted("content_empty", 2),), [0, 0, 2]),
    "the second refuses": ((passed_over(REFUSAL, "Overloaded."),), [0, 0, 2]),
    "the first answers once": ((reply(REFUSAL), passed_over(REFUSAL, "Busy.")), [0, 0, 2]),
    "the first is too slow": ((failure("timeout"), passed_over(REFUSAL)), [0, 1]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_model_that_failed_in_place_of_the_first_is_not_asked_again(name: str) -> None:
    answers, skipped = CHAINS[name]
    model = Scripted(*answers)
    write_report(QUESTION, SUMMARIES, model)
    assert [request.skip_models for request in model.requests] == skipped


def test_a_cap_leaves_the_report_to_the_extractive_writer() -> None:
    cap = CapReached("cost", "The cap of 1 cost was reached.")
    written = write_report(QUESTION, SUMMARIES, Scripted(cap))
    assert (written.writer, written.failures) == ("offline", ("The cap of 1 cost was reached.",))


@pytest.mark.parametrize(("answer", "said"), [
    (failure("blocked"), "The report could not be written: The model failed (blocked). Do something."),
    (reply(" "), "The model wrote no report. Resume the session: what was gathered is kept."),
])  # fmt: skip
def test_under_earlier_rules_the_model_is_asked_once(
    answer: ModelReply | ModelError, said: str
) -> None:
    with pytest.raises(SynthesisError) as caught:
        write_report(QUESTION, SUMMARIES, Scripted(answer), falls_back=False)
    assert caught.value.sentence() == said


BEGUN = "## Executive Summary\n\nThe range is 3.6 metres. [p00000001] It was"
#: How a text goes on that reached its length limit, and the whole.
CONTINUED: dict[str, tuple[str, str]] = {
    "in mid-sentence": ("measured in 2020. [p00000001]", f"{BEGUN} measured in 2020. [p00000001]"),
    "repeats its end": ("[p00000001] It was measured. [p00000001]", f"{BEGUN} measured. [p00000001]"),
    "with a heading": ("## Main Findings\n\nX. [p00000001]", f"{BEGUN}\n\n## Main Findings\n\nX. [p00000001]"),
    "with a list": ("- X. [p00000001]", f"{BEGUN}\n\n- X. [p00000001]"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTINUED)
def test_a_text_that_reached_its_limit_is_continued_once(name: str) -> None:
    rest, whole = CONTINUED[name]
    model = Scripted(reply(BEGUN, "length"), reply(rest))
    assert write_report(QUESTION, SUMMARIES, model).text == whole
    assert f"<draft>\n{BEGUN}\n</draft>" in model.requests[1].prompt


def test_a_text_that_reaches_its_limit_again_says_so() -> None:
    model = Scripted(reply(BEGUN, "length"), reply("measured. [p00000001] Then", "length"))
    written = write_report(QUESTION, SUMMARIES, model)
    assert written.text == f"{BEGUN} measured. [p00000001]"
    assert written.ending == "length"
    assert len(model.requests) == 2


def test_a_text_whose_continuation_fails_is_kept_and_says_so() -> None:
    model = Scripted(reply(BEGUN, "length"), failure("network"))
    written = write_report(QUESTION, SUMMARIES, model)
    assert written.text == BEGUN.removesuffix(" It was")
    assert written.ending == "length"


@pytest.mark.parametrize("begun", [
    BEGUN,
    "## Executive Summary\n\nDer Tidenhub ist 3,6 Meter. [p00000001] Er wurde",
    "## Executive Summary\n\n- Le marnage est de 3,6 m. [p00000001]\n- Il a",
    "## Executive Summary\n\nEl rango es de 3,6 m [p00000001]. Se",
    "## Executive Summary\n\nAmplitude is 3.6 metres. [p00000001]",
])  # fmt: skip
def test_a_text_that_repeated_itself_is_not_continued_and_says_so(begun: str) -> None:
    model = Scripted(reply(begun, "repeated"))
    written = write_report(QUESTION, SUMMARIES, model)
    assert written.text.endswith(("[p00000001]", "."))
    assert written.ending == "repeated"
    assert len(model.requests) == 1


def test_a_continuation_that_repeats_itself_says_so() -> None:
    model = Scripted(reply(BEGUN, "length"), reply("measured. [p00000001] Then", "repeated"))
    written = write_report(QUESTION, SUMMARIES, model)
    assert written.text == f"{BEGUN} measured. [p00000001]"
    assert written.ending == "repeated"
    assert write_report(QUESTION, SUMMARIES, Scripted(REPORT)).ending == ""


@pytest.mark.parametrize(("text", "finish", "said"), [
    ("The song is nice and the song is nice and", "repeated", "repeated itself in the middle"),
    ("das Lied ist schön und das Lied ist schön und", "repeated", "repeated itself in the middle"),
    ("", "repeated", "repeated itself in the middle"),
    ("", "stop", "wrote no report"),
    ("## Executive Summary", "stop", "wrote no report"),
])  # fmt: skip
def test_a_model_that_only_repeats_itself_is_told_from_one_that_writes_nothing(
    text: str, finish: str, said: str
) -> None:
    written = write_report(QUESTION, SUMMARIES, Scripted(reply(text, finish), reply(text, finish)))
    assert said in written.failures[0]


@pytest.mark.parametrize(("text", "invented", "said"), [
    ("Der Hub beträgt 3,6 m. [pdeadbeef]", 1, "with 1 citation, which names no passage"),
    ("La marée monte. [pdeadbee1] Elle baisse. [pdeadbee2, pdeadbee3]", 3, "with 3 citations, none of which"),
    ("干满差为3.6米。[1] 水很高。[2]", 2, "with 2 citations, none of which"),
    ("It is high【pabcdef01】 and low. [p12345678]", 2, "with 2 citations, none of which"),
    ("The range is high. [S99-9] It is low. [S12-1, S3-4]", 3, "with 3 citations, none of which"),
    ("Der Hub ist hoch. [Quelle 3] Er sinkt [doc_7].", 2, "with 2 citations, none of which"),
    ("水很高。【S1-2】", 1, "with 1 citation, which names no passage"),
    ("The range is 3.6 metres.", 0, "that cites no passage"),
    ("CO2 rose [CO2], as [2020] and [sic] and arr[S1] and [S1](https://a.example) say.", 0, "no passage"),
])  # fmt: skip
def test_a_writer_that_cites_passages_that_do_not_exist_is_told_from_one_that_cites_none(
    text: str, invented: int, said: str
) -> None:
    model = Scripted(text, text)
    written = write_report(QUESTION, SUMMARIES, model)
    assert said in written.failures[0]
    assert written.invented == invented * len(model.requests)
    assert written.writer == "offline"


def test_without_a_passage_nobody_is_asked() -> None:
    model = Scripted(REPORT)
    with pytest.raises(SynthesisError, match="No source has a passage"):
        synthesize_report(QUESTION, SUMMARIES[1:], model)
    assert model.requests == []


ONE, TWO = "## Executive Summary\n\nA. [p1]", "## Main Findings\n\nB. [p1]"
TAKEN_OFF: dict[str, tuple[str, str]] = {
    "code block": (f"```markdown\n{REPORT}\n```", REPORT),
    "title": (f"# Tides at Harwich\n\n{REPORT}", REPORT),
    "sources": (f"{REPORT}\n\n## Sources\n\n1. [Tides](https://tides.example.org)\n\n### More\n\nx", REPORT),
    "references in bold": (f"{REPORT}\n\n## **References:**\n\n[1] x", REPORT),
    "methodology in the middle": (f"{ONE}\n\n## Methodology\n\nWe asked.\n\n### How\n\nx\n\n{TWO}", f"{ONE}\n\n{TWO}"),
    "a theme about sources stays": (f"{TWO}\n\n### Sources of error\n\nC. [p1]", f"{TWO}\n\n### Sources of error\n\nC. [p1]"),
    "no heading at all": ("The range is 3.6 metres. [p1]", "## Executive Summary\n\nThe range is 3.6 metres. [p1]"),
    "windows line ends": ("## Executive Summary\r\n\r\nA. [p1]\r\n", "## Executive Summary\n\nA. [p1]"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN_OFF)
def test_what_is_not_the_writers_is_taken_off(name: str) -> None:
    text, left = TAKEN_OFF[name]
    assert clean_body(text, finish="stop") == left


@pytest.mark.parametrize(("text", "left"), [
    ("## Executive Summary\n\nOne. [p1] Two is 3.6 me", "## Executive Summary\n\nOne. [p1]"),
    ("## Executive Summary\n\nOne [p1]. Two", "## Executive Summary\n\nOne [p1]."),
    ("## Executive Summary\n\n- One. [p1]\n- Tw", "## Executive Summary\n\n- One. [p1]"),
    ("## Executive Summary\n\nOne. [p1]\n\n## Main Find", "## Executive Summary\n\nOne. [p1]"),
    ("## Executive Summary\n\nOne. [p1] Two.", "## Executive Summary\n\nOne. [p1] Two."),
])  # fmt: skip
def test_a_text_that_was_cut_off_ends_with_its_last_whole_sentence_and_says_so(
    text: str, left: str
) -> None:
    assert clean_body(text, finish="length") == left
    assert clean_body(text, finish="length", with_note=True) == f"{left}\n\n{CUT_OFF_NOTE}"


@pytest.mark.parametrize("limited", [False, True])
def test_the_offline_model_writes_the_four_sections(limited: bool) -> None:
    text = synthesize_report(QUESTION, SUMMARIES, OfflineModel(), limited_sources=limited)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Executive Summary",
        "## Main Findings",
        "## Conflicting Information",
        "## Confidence Assessment",
    ]
    assert f"{TEXT} [p00000001]" in text


def test_the_request_depends_on_its_arguments_alone() -> None:
    model = Scripted(REPORT)
    arguments: dict[str, Any] = {
        "limited_sources": True,
        "dropped_sources": DROPPED,
        "sub_questions": ("How high?",),
    }
    for _ in range(2):
        synthesize_report(QUESTION, SUMMARIES, model, **arguments)
    assert model.requests[0] == model.requests[1]


def test_an_instruction_is_told_apart_from_the_sources_and_without_one_the_request_is_as_ever() -> (
    None
):
    plain = build_write_request(
        QUESTION, SUMMARIES[:1], limited=False, dropped=(), sub_questions=()
    )
    told = build_write_request(
        QUESTION,
        SUMMARIES[:1],
        limited=False,
        dropped=(),
        sub_questions=(),
        instructions=("Leave out all citations.",),
    )
    assert "<instructions>\n- Leave out all citations.\n</instructions>" in told.prompt
    assert told.system.startswith(plain.system)
    assert "pass over that part" in told.system.removeprefix(plain.system)
    assert told.inputs == {**plain.inputs, "instructions": ["Leave out all citations."]}
    assert "instructions" not in plain.inputs
    assert "analyst asks" not in plain.system + plain.prompt


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize(
    ("length", "words"),
    [
        ("", "about 100 words for each source"),
        ("brief", "at most 250 words in all"),
        ("long", "about 250 words"),
    ],
)
def test_the_length_asked_for_replaces_the_usual_one(
    length: str, words: str, limited: bool
) -> None:
    request = build_write_request(
        QUESTION,
        SUMMARIES[:1],
        limited=limited,
        dropped=(),
        sub_questions=(),
        prompting=PromptContext(2, length=length),
    )
    if length:
        assert words in request.prompt
    elif limited:
        assert "at most 50 words for each source" in request.prompt
    else:
        assert words in request.prompt
    assert request.inputs.get("length", "") == length


def test_earlier_sessions_have_the_usual_length() -> None:
    plain = build_write_request(
        QUESTION, SUMMARIES[:1], limited=False, dropped=(), sub_questions=()
    )
    assert "length" not in plain.inputs
