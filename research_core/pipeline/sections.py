"""Write a long report in sections: one for each sub-question of the plan, then their frame.

The sections are written at the same time, each from passages of its own. The last request sees the
finished sections and writes the frame: summary, conflicts and confidence. A section that no model
can write is made of quotations; one without a relevant source says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from research_core.citations.marks import find_cited_ids, keep_known, strip_source_list
from research_core.errors import ModelError
from research_core.i18n import _, ngettext
from research_core.journal.deps import Deps
from research_core.llm.offline_writer import write_frame, write_section
from research_core.llm.quote_bullets import clean_heading
from research_core.llm.quote_themes import format_theme_heading
from research_core.model_messages import Json, ModelReply, ModelRequest, estimate_tokens
from research_core.models import Summary
from research_core.pipeline.prompts import PromptContext
from research_core.pipeline.synthesize import (
    NO_FAULT,
    SYNTHESIS_TIMEOUT,
    CallLimit,
    Evidence,
    Fault,
    WrittenText,
    add_shared_inputs,
    ask_writers,
    clean_part,
    describe_source_facts,
    fence_conflicts,
    fence_instructions,
    find_fault,
    format_list,
    format_sources,
    list_passage_ids,
    source_to_json,
)
from research_core.pipeline.table_rows import tidy_tables
from research_core.policy import OFFLINE_MODEL
from research_core.text.instructions import fence_untrusted
from research_core.text.question import QUESTION_WORDS
from research_core.text.sentences import find_sentences
from research_core.text.similarity import word_root
from research_core.text.words import fence_text, strip_invisible, tokenize

#: The version of the rules of prompting from which a report can be written in sections.
SECTIONS_VERSION = 3
#: The version from which sections have titles, and the titles by the beginning of a sub-question.
TITLES_VERSION = 4
#: The version from which a summary of quotations is chosen first, and no section repeats it.
SUMMARY_VERSION = 5
#: The beginning of a sub-question that only sentences on a dispute answer.
DISPUTED_OPENING = "What is disputed about "
SECTION_TITLES = {
    "What are the key facts about ": "Key facts",
    "What do studies and statistics show about ": "Studies and statistics",
    DISPUTED_OPENING: "Points in dispute",
    "What is still open about ": "Open questions",
    "What speaks for and against it: ": "Arguments for and against",
    "What are the strengths and limits of ": "Strengths and limits",
}
#: Sections of a report, at least and at most.
MIN_SECTIONS, MAX_SECTIONS = 2, 12
#: Sub-questions that share at least this much of their words are the same (0 to 1).
MAX_LIKENESS = 0.8
#: Words of all sections together for each source, by the length asked for.
WORDS_PER_SOURCE = {"brief": 35, "": 100, "long": 175}
#: Range of a section around its share of these words, as factors, and its words at least.
LEAST_FACTOR, MOST_FACTOR, MIN_WORDS = 0.75, 1.25, 100
#: A model's answer if no passage is relevant to a sub-question.
NOTHING = "NOTHING"
#: The text of such a section by language; English for any other.
NOTHING_FOUND = {
    "ar": "لم يُعثر على أي مصدر يجيب عن هذا السؤال.",
    "cs": "K této otázce nebyl nalezen žádný zdroj.",
    "de": "Zu dieser Frage wurde keine Quelle gefunden.",
    "el": "Δεν βρέθηκε καμία πηγή για αυτό το ερώτημα.",
    "en": "No source was found for this question.",
    "es": "No se encontró ninguna fuente para esta pregunta.",
    "fa": "هیچ منبعی برای این پرسش پیدا نشد.",
    "fr": "Aucune source n’a été trouvée pour cette question.",
    "he": "לא נמצאו מקורות לשאלה זו.",
    "hi": "इस प्रश्न के लिए कोई स्रोत नहीं मिला।",
    "it": "Non è stata trovata alcuna fonte per questa domanda.",
    "ja": "この質問に答える出典は見つかりませんでした。",
    "ko": "이 질문에 대한 출처를 찾지 못했습니다.",
    "nl": "Voor deze vraag is geen bron gevonden.",
    "pl": "Nie znaleziono żadnego źródła na to pytanie.",
    "pt": "Nenhuma fonte foi encontrada para esta pergunta.",
    "ru": "По этому вопросу не найдено источников.",
    "sv": "Ingen källa hittades för den här frågan.",
    "tr": "Bu soru için kaynak bulunamadı.",
    "uk": "За цим питанням не знайдено джерел.",
    "zh": "没有找到回答该问题的来源。",
}
#: The headings of the frame in order, and the heading of the sections.
FRAME_HEADINGS = ("Executive Summary", "Conflicting Information", "Confidence Assessment")
FINDINGS_HEADING = "Main Findings"
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_BULLET = re.compile(r"^- (?:\*[^*]+:\* )?(?P<text>.+) \[p[0-9a-f]{8}\]$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A section to be written. question: its sub-question; sources: with only its passages.

    title: its heading, "" for the sub-question.
    """

    question: str
    sources: tuple[Summary, ...]
    title: str = ""

    @property
    def heading(self) -> str:
        """The title, or the sub-question as a heading."""
        return self.title or format_theme_heading(self.question) or clean_heading(self.question)


@dataclass(frozen=True)
class SectionedReport:
    """What all requests of a report in sections share.

    tokens: of sections in one request at most, by the context of the writing model; 0 for no limit.
    """

    question: str
    sections: tuple[Section, ...]
    prompting: PromptContext
    evidence: Evidence
    instructions: tuple[str, ...] = ()
    tokens: int = 0

    @property
    def sub_questions(self) -> list[str]:
        return [section.question for section in self.sections]


def plan_outline(question: str, sub_questions: Sequence[str]) -> tuple[str, ...]:
    """Return the sub-questions that get a section, () if there are too few.

    Sub-questions that repeat the question or an earlier one are left out.
    """
    outline: list[str] = []
    for sub_question in sub_questions:
        plain = " ".join(strip_invisible(sub_question).split())
        if plain and not any(_ask_alike(plain, other) for other in (question, *outline)):
            outline.append(plain)
    return tuple(outline[:MAX_SECTIONS]) if len(outline) >= MIN_SECTIONS else ()


def choose_titles(sub_questions: Sequence[str], version: int) -> list[str]:
    """Return a short title for each sub-question with a usual beginning, "" for the others.

    Sub-questions with the same beginning get none. version: of the rules of prompting.
    """
    if version < TITLES_VERSION:
        return [""] * len(sub_questions)
    titles = []
    for text in sub_questions:
        named = [title for opening, title in SECTION_TITLES.items() if text.startswith(opening)]
        titles.append(named[0] if named else "")
    return [title if titles.count(title) == 1 else "" for title in titles]


def _ask_alike(one: str, other: str) -> bool:
    """Return True if two questions have nearly the same words."""
    roots, others = _find_roots(one), _find_roots(other)
    if not roots or not others:
        return one.casefold() == other.casefold()
    return len(roots & others) / len(roots | others) >= MAX_LIKENESS


def _find_roots(text: str) -> frozenset[str]:
    words = [word for word in tokenize(text) if word not in QUESTION_WORDS]
    return frozenset(map(word_root, words))


# ---------------------------------------------------------------- requests


def build_section_request(report: SectionedReport, section: Section) -> ModelRequest:
    """Build the request for one section; depends only on its arguments."""
    template = report.prompting.load("write_section")
    inputs: Json = {
        "question": report.question,
        "section": section.question,
        "sources": [source_to_json(source) for source in section.sources],
    }
    system = add_shared_inputs(inputs, template, report.prompting, report.instructions)
    least, most = find_word_range(report)
    prompt = template["prompt"].format(
        context=report.prompting.describe(),
        question=fence_text("question", report.question),
        instructions=fence_instructions(report.instructions),
        sub_questions=fence_text("sub_questions", format_list(report.sub_questions)),
        section=fence_text("sub_question", section.question),
        sources=format_sources(section.sources, report.prompting, report.evidence),
        least=f"{least:,}",
        most=f"{most:,}",
        nothing=NOTHING,
    )
    return ModelRequest("write_section", system, prompt, inputs, timeout_s=SYNTHESIS_TIMEOUT)


def find_word_range(report: SectionedReport) -> tuple[int, int]:
    """Return how many words a section should have, at least and at most."""
    urls = {source.url for section in report.sections for source in section.sources}
    words = WORDS_PER_SOURCE[report.prompting.length] * len(urls) / len(report.sections)
    least = max(MIN_WORDS, 50 * round(LEAST_FACTOR * words / 50))
    return least, max(least + 50, 50 * round(MOST_FACTOR * words / 50))


def build_frame_request(report: SectionedReport, texts: Sequence[str]) -> ModelRequest:
    """Build the request for the frame. texts: of the sections, in order."""
    template = report.prompting.load("write_frame")
    written = []
    for section, text in zip(report.sections, texts, strict=True):
        written.append({"heading": section.heading, "text": text})
    shown_texts = _shorten(texts, report.tokens)
    cited = find_cited_ids("\n".join(shown_texts))
    inputs: Json = {
        "question": report.question,
        "sub_questions": report.sub_questions,
        "sections": written,
        "sources": [source_to_json(source) for source in join_sources(report.sections)],
        "dropped": [],
        "notice": "report",
    }
    system = add_shared_inputs(inputs, template, report.prompting, report.instructions)
    fenced = []
    for section, text in zip(report.sections, shown_texts, strict=True):
        fenced.append(fence_untrusted("section", f"{section.heading}\n\n{text}"))
    size = f"{report.prompting.length}_" if report.prompting.length else ""
    prompt = template["prompt"].format(
        context=report.prompting.describe(),
        question=fence_text("question", report.question),
        instructions=fence_instructions(report.instructions),
        sections="\n\n".join(fenced),
        sources="\n\n".join(_format_cited_sources(report, cited)),
        conflicts=fence_conflicts(template, report.evidence),
        summary=template[f"{size}summary"],
        length=template[f"{size}length"],
    )
    return ModelRequest("write_frame", system, prompt, inputs, timeout_s=SYNTHESIS_TIMEOUT)


def _shorten(texts: Sequence[str], tokens: int) -> list[str]:
    """Cut each text at the end of a sentence if together they exceed this many tokens.

    The end is cut because a section begins with its conclusion.
    """
    if not tokens or sum(map(estimate_tokens, texts)) <= tokens:
        return list(texts)
    share = tokens // len(texts)
    shortened = []
    for text in texts:
        end = 0
        for _start, stop in find_sentences(text):
            if estimate_tokens(text[:stop]) > share:
                break
            end = stop
        shortened.append(text if end == len(text) else f"{text[:end]} …".strip())
    return shortened


def join_sources(sections: Sequence[Section]) -> list[Summary]:
    """Merge the sources of all sections: each once, with its passages in page order."""
    joined: dict[str, Summary] = {}
    for section in sections:
        for source in section.sources:
            known = joined.setdefault(source.url, replace(source, passages=()))
            passages = dict.fromkeys((*known.passages, *source.passages))
            in_order = sorted(passages, key=lambda passage: passage.start)
            joined[source.url] = replace(known, passages=tuple(in_order))
    return list(joined.values())


def _format_cited_sources(report: SectionedReport, cited: Collection[str]) -> Iterator[str]:
    """Yield the facts about each cited source, with the ids of its cited passages."""
    for source in join_sources(report.sections):
        ids = [f"[{passage.id}]" for passage in source.passages if passage.id in cited]
        if ids:
            head = describe_source_facts(source.title, report.evidence.facts.get(source.url))
            yield f"{head}\nPassages: {' '.join(ids)}"


# ---------------------------------------------------------------- replies


def read_section(request: ModelRequest, reply: ModelReply) -> tuple[str, Fault]:
    """Return the text of a section, and why it cannot be used.

    A list of sources is removed, and headings move below that of the section. A text that cites no
    passage it was shown cannot be used.
    """
    text = clean_part(reply.text, finish=reply.finish)
    if text.strip(" .*_`\"'").upper() == NOTHING:
        return NOTHING, NO_FAULT
    known = list_passage_ids(request)
    text = tidy_tables(_lower_headings(strip_source_list(text)[0], request.inputs["section"]))
    return text, find_fault(text, reply, known, "section")


def _lower_headings(text: str, question: str) -> str:
    """Remove the report's own headings from a section, and lower the others to level 4 or more."""
    known = {heading.casefold() for heading in (*FRAME_HEADINGS, FINDINGS_HEADING)}
    lines = []
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        title = heading[2].strip("*_: ")
        if title.casefold() not in known and not _ask_alike(title, question):
            lines.append(f"{'#' * max(4, len(heading[1]))} {heading[2]}")
    return "\n".join(lines).strip()


def read_frame(request: ModelRequest, reply: ModelReply) -> tuple[str, Fault]:
    """Return the text of a frame, and why it cannot be used."""
    text = clean_part(reply.text, finish=reply.finish)
    cited = find_cited_ids("\n".join(section["text"] for section in request.inputs["sections"]))
    parts = split_frame(tidy_tables(strip_source_list(text)[0]))
    summary = parts.get(FRAME_HEADINGS[0], "")
    return join_frame(parts), find_fault(summary, reply, cited, "summary")


def split_frame(text: str) -> dict[str, str]:
    """Return the parts of a frame by FRAME_HEADINGS; text before the first is the summary.

    Headings in other words, as in another language, are recognised by their order if there are as
    many as were asked for. Other headings of level 1 or 2 become level 3. Findings are left out:
    the sections have them.
    """
    titles = _name_frame_headings(text)
    lines: dict[str, list[str]] = {}
    part = FRAME_HEADINGS[0]
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        title = _read_title(heading) if heading else ""
        if title in titles:
            part = titles[title]
        elif heading and len(heading[1]) < 3:
            lines.setdefault(part, []).append(f"### {heading[2]}")
        else:
            lines.setdefault(part, []).append(line)
    parts = {name: "\n".join(lines.get(name, ())).strip() for name in FRAME_HEADINGS}
    return {name: body for name, body in parts.items() if body}


def _name_frame_headings(text: str) -> dict[str, str]:
    """Return the part that each heading of a frame begins, "" for findings."""
    usual = {heading.casefold(): heading for heading in FRAME_HEADINGS}
    usual[FINDINGS_HEADING.casefold()] = ""
    titles = []
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading and len(heading[1]) == 2:
            titles.append(_read_title(heading))
    first, *others = FRAME_HEADINGS
    for order in (FRAME_HEADINGS, (first, "", *others)):
        in_order = dict(zip(titles, order, strict=False))
        fits = all(usual.get(title, part) == part for title, part in in_order.items())
        if len(titles) == len(in_order) == len(order) and fits:
            return usual | in_order
    return usual


def _read_title(heading: re.Match[str]) -> str:
    return heading[2].strip("*_: ").casefold()


def join_frame(parts: Mapping[str, str]) -> str:
    return "\n\n".join(f"## {name}\n\n{body}" for name, body in parts.items() if body)


# ---------------------------------------------------------------- step

#: Waits for a call of the pool and returns its result. Raises Stopped if the run is to stop.
Wait = Callable[[Future[Any]], Any]
FindLimit = Callable[[str], CallLimit]


def write_in_sections(
    report: SectionedReport,
    deps: Deps,
    *,
    begin_comparing: Callable[[], Future[Evidence]],
    wait: Wait,
    find_limit: FindLimit,
) -> WrittenText:
    """Write a report from its sections.

    Call it on the run's own thread: the sections are written on its pool. begin_comparing: called
    once they are asked for, starts to collect the evidence with the conflicts for the frame, which
    takes as long as a section; find_limit: returns the recorded limit on the calls of the writer of
    that name. Raises Stopped.
    """
    requests = [build_section_request(report, section) for section in report.sections]
    is_offline = deps.run.writing_model == OFFLINE_MODEL
    calls: list[Future[WrittenText] | None] = [None for _ in requests]
    if not is_offline:
        calls = _ask_for_sections(requests, deps, find_limit)
    conflicts = begin_comparing()
    written = [WrittenText("", "") if call is None else wait(call) for call in calls]
    reserved: list[str] = []
    if report.prompting.version >= SUMMARY_VERSION and not any(text.writer for text in written):
        reserved = _choose_for_summary(report, deps, wait, is_offline=is_offline)
    finished: dict[int, WrittenText] = {}
    taken: list[str] = []
    for place in _order_sections(report, requests):
        request, text = requests[place], written[place]
        inputs = {**request.inputs, "taken": [*reserved, *taken]}
        if _is_disputed(report, request):
            inputs["disputed"] = True
        asked = replace(request, inputs=inputs)
        section = _finish_section(asked, text, report, deps, wait, is_offline=is_offline)
        if reserved and not _list_quoted(section):
            # The section has only what the summary was to quote, and keeps it.
            asked = replace(request, inputs={**inputs, "taken": list(taken)})
            section = _finish_section(asked, text, report, deps, wait, is_offline=is_offline)
        finished[place] = section
        taken += _list_quoted(section)
    sections = [finished[place] for place in range(len(requests))]
    quoted: Json = {}
    if taken and report.prompting.version >= SUMMARY_VERSION:
        quoted = {"taken": taken, "summary": [text for text in reserved if text not in taken]}
    whole = replace(report, evidence=wait(conflicts))
    frame = _write_frame(whole, sections, quoted, deps, wait, find_limit)
    return _join_texts(report, sections, frame)


def _is_disputed(report: SectionedReport, request: ModelRequest) -> bool:
    """Return True for a section that only sentences on a dispute answer."""
    is_current = report.prompting.version >= SUMMARY_VERSION
    return is_current and str(request.inputs["section"]).startswith(DISPUTED_OPENING)


def _order_sections(report: SectionedReport, requests: Sequence[ModelRequest]) -> list[int]:
    """Return the places of the sections; those on disputes choose their sentences first."""
    places = range(len(requests))
    return sorted(places, key=lambda place: not _is_disputed(report, requests[place]))


def _list_quoted(written: WrittenText) -> list[str]:
    """Return the sentences that a part made of quotations quotes."""
    if written.writer != OFFLINE_MODEL:
        return []
    return [bullet["text"] for bullet in _BULLET.finditer(written.text)]


def _choose_for_summary(
    report: SectionedReport, deps: Deps, wait: Wait, *, is_offline: bool
) -> list[str]:
    """Return the sentences that the summary of a report of quotations is to quote."""
    request = build_frame_request(report, [""] * len(report.sections))
    try:
        if is_offline:
            text = wait(deps.pool.submit(deps.model.run, request)).text
        else:
            text = wait(deps.pool.submit(write_frame, request.inputs))
    except ModelError:
        return []
    summary = split_frame(text).get(FRAME_HEADINGS[0], "")
    return _list_quoted(WrittenText(summary, OFFLINE_MODEL))


def _ask_for_sections(
    requests: Sequence[ModelRequest], deps: Deps, find_limit: FindLimit
) -> list[Future[WrittenText] | None]:
    """Request the sections that have passages, all at the same time."""
    calls: list[Future[WrittenText] | None] = []
    for number, request in enumerate(requests, 1):
        if not request.inputs["sources"]:
            calls.append(None)
            continue
        limit = find_limit(f"section {number}")
        calls.append(_submit_to_writers(request, deps, limit, read_section))
    return calls


def _submit_to_writers(
    request: ModelRequest,
    deps: Deps,
    limit: CallLimit,
    read: Callable[[ModelRequest, ModelReply], tuple[str, Fault]],
) -> Future[WrittenText]:
    """Submit a request to the pool. Its pieces are not shown to a listener.

    read: returns the text of a reply, and why it cannot be used.
    """
    return deps.pool.submit(
        ask_writers, request, deps.model, lambda _piece: None, limit, partial(read, request)
    )


def _finish_section(
    request: ModelRequest,
    written: WrittenText,
    report: SectionedReport,
    deps: Deps,
    wait: Wait,
    *,
    is_offline: bool,
) -> WrittenText:
    """Return the section as written, or made of quotations if no model wrote it.

    request: its inputs name in `taken` what is quoted elsewhere and must not be here. Marks of
    unknown passages stay: they are removed and counted in the whole report.
    """
    if written.writer and written.text != NOTHING:
        return written
    nothing = NOTHING_FOUND.get(report.prompting.language, NOTHING_FOUND["en"])
    if written.text == NOTHING or not request.inputs["sources"]:
        return replace(written, text=nothing)
    try:
        if is_offline:
            text = wait(deps.pool.submit(deps.model.run, request)).text
        else:
            inputs = {**request.inputs, "notice": "section"}
            text = wait(deps.pool.submit(write_section, inputs))
    except ModelError:
        # No sentence of its passages can be quoted.
        text = nothing
    return replace(written, text=text, writer=OFFLINE_MODEL)


def _write_frame(
    report: SectionedReport,
    sections: Sequence[WrittenText],
    quoted: Json,
    deps: Deps,
    wait: Wait,
    find_limit: FindLimit,
) -> WrittenText:
    """Return the frame; parts that no model wrote are made of quotations and counts.

    quoted: inputs that name the sentences of the sections, which a summary of quotations does not
    repeat, and those chosen for the summary.
    """
    known = {p.id for source in join_sources(report.sections) for p in source.passages}
    texts = [keep_known(section.text, known)[0] for section in sections]
    request = build_frame_request(report, texts)
    frame = WrittenText("", "")
    if deps.run.writing_model == OFFLINE_MODEL:
        asked = replace(request, inputs={**request.inputs, **quoted})
        reply = wait(deps.pool.submit(deps.model.run, asked))
        return WrittenText(reply.text, OFFLINE_MODEL)
    if find_cited_ids("\n".join(texts)):
        frame = wait(_submit_to_writers(request, deps, find_limit("summary"), read_frame))
    parts = split_frame(frame.text)
    if set(parts) == set(FRAME_HEADINGS):
        return frame
    is_quoted = all(section.writer == OFFLINE_MODEL for section in sections if section.writer)
    notice = "report" if is_quoted else "summary"
    inputs = {**request.inputs, **quoted, "notice": notice}
    try:
        quoted = split_frame(wait(deps.pool.submit(write_frame, inputs)))
    except ModelError:
        if not parts:
            raise
        return frame
    whole = {name: parts.get(name) or quoted.get(name, "") for name in FRAME_HEADINGS}
    return replace(frame, text=join_frame(whole), writer=frame.writer or OFFLINE_MODEL)


def _join_texts(
    report: SectionedReport, sections: Sequence[WrittenText], frame: WrittenText
) -> WrittenText:
    """Join the sections and the frame, with the share of each writer."""
    parts = split_frame(frame.text)
    findings = []
    for section, written in zip(report.sections, sections, strict=True):
        findings.append(f"### {section.heading}\n\n{written.text}")
    whole = {FRAME_HEADINGS[0]: parts.pop(FRAME_HEADINGS[0], "")}
    whole |= {FINDINGS_HEADING: "\n\n".join(findings), **parts}
    failures = [failure for part in (*sections, frame) for failure in part.failures]
    cut_prompt = next((part.cut_prompt for part in (*sections, frame) if part.cut_prompt), ())
    shares = describe_shares(sections, frame)
    writer = next(iter(shares))
    if len(shares) > 1:
        writer = ", ".join(f"{name} ({share})" for name, share in shares.items())
    return WrittenText(
        join_frame(whole),
        writer,
        tuple(dict.fromkeys(failures)),
        shares if len(shares) > 1 else {},
        cut_prompt,
        sum(part.invented for part in (*sections, frame)),
        next((part.ending for part in (*sections, frame) if part.ending), ""),
    )


def describe_shares(sections: Sequence[WrittenText], frame: WrittenText) -> dict[str, str]:
    """Describe by model what it wrote: "5 sections and the summary"."""
    counts = Counter(section.writer for section in sections if section.writer)
    shares = {}
    for name, count in counts.most_common():
        words = ngettext("{count:,} section", "{count:,} sections", count)
        shares[name] = words.format(count=count)
    if frame.writer in shares:
        both = _("{sections} and the summary")
        shares[frame.writer] = both.format(sections=shares[frame.writer])
    else:
        shares[frame.writer] = _("the summary")
    return shares
