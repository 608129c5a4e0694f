"""Prompt the model for the report's text and clean its answer.

The writer sees the passages of the kept sources and cites their ids. Code adds the title,
disclaimer, sources and methodology; what the writer adds of these is removed here. Citations are
checked later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from research_core.citations.marks import find_cited_ids, keep_known, rename_foreign_marks
from research_core.errors import CallForbidden, CapReached, ModelError, SynthesisError
from research_core.i18n import N_, _, gettext, join_sentences, ngettext
from research_core.journal.deps import CountingModel, Model
from research_core.llm.reply_shapes import find_refusal
from research_core.model_messages import NO_OTHER_MODEL, Json, ModelReply, ModelRequest
from research_core.models import Passage
from research_core.pipeline.prompts import CONTEXT_VERSION, PromptContext, load_prompt
from research_core.pipeline.table_rows import tidy_tables
from research_core.policy import OFFLINE_MODEL
from research_core.text.instructions import fence_untrusted
from research_core.text.sentences import find_sentences
from research_core.text.words import fence_text, format_count, truncate

#: Seconds for the writer.
SYNTHESIS_TIMEOUT = 120.0
RESUME_STEP = "Resume the session: what was gathered is kept."
CUT_OFF_NOTE = N_("*The writer reached its length limit here. The text ends early.*")
REPEATED_NOTE = N_("*The writer repeated itself here. The text ends early.*")
#: For each way in which a text ends early, what is said of it: in the texts of older sessions, and
#: above a report.
NOTES_ON_ENDING = {"length": CUT_OFF_NOTE, "repeated": REPEATED_NOTE}
ENDINGS = {
    "length": N_("The text is incomplete: the language model reached its length limit."),
    "repeated": N_("The text is incomplete: the language model repeated itself."),
}


class SourceKept(Protocol):
    """What writing needs of a summary: its address, its title and its numbered passages."""

    @property
    def url(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def passages(self) -> Sequence[Passage]: ...


@dataclass(frozen=True)
class SourceFacts:
    """What is known of a source beside its text; "" or None if unknown.

    number: as the report shows it. published: a date. kind: of host and document, in words.
    credibility: 0.0-1.0; tier: of the host, in words. relevance: 1-5. copy_of: the number of the
    source whose text it shares, or 0. retracted: the index that lists it as retracted. own: a
    document of the analyst's own, whose credibility is not scored.
    """

    number: int
    host: str = ""
    author: str = ""
    published: str = ""
    kind: str = ""
    credibility: float | None = None
    tier: str = ""
    relevance: int | None = None
    copy_of: int = 0
    retracted: str = ""
    own: bool = False


@dataclass(frozen=True)
class Evidence:
    """What the writer sees beside titles and passages, from version 2 of the prompts on.

    facts: by the URL of the source. conflicts: where passages differ, one text each.
    """

    facts: Mapping[str, SourceFacts] = field(default_factory=dict, hash=False)
    conflicts: tuple[str, ...] = ()


NO_EVIDENCE = Evidence()
#: Characters of a line on a source.
MAX_FACT_LENGTH = 300


# ---------------------------------------------------------------- request


def build_write_request(
    question: str,
    sources: Sequence[SourceKept],
    *,
    limited: bool,
    dropped: Sequence[Mapping[str, Any]],
    sub_questions: Sequence[str],
    instructions: Sequence[str] = (),
    prompting: PromptContext = PromptContext(),
    evidence: Evidence = NO_EVIDENCE,
) -> ModelRequest:
    """Build the request for the report; depends only on its arguments."""
    template = prompting.load("write")
    left_out = []
    for source in dropped:
        title = str(source.get("title", ""))
        left_out.append({"title": title, "explanation": str(source.get("explanation", ""))})
    inputs: Json = {
        "question": question,
        "limited": limited,
        "dropped": left_out,
        "sub_questions": list(sub_questions),
        "sources": [source_to_json(source) for source in sources],
    }
    system = add_shared_inputs(inputs, template, prompting, instructions)
    parts = dict.fromkeys(("sub_questions", "dropped", "left_out"), "")
    parts["instructions"] = fence_instructions(instructions)
    parts["conflicts"] = fence_conflicts(template, evidence)
    if sub_questions:
        parts["sub_questions"] = f"\n{fence_text('sub_questions', format_list(sub_questions))}\n"
    if limited and left_out:
        parts["dropped"] = f"\n{_format_dropped(template['dropped'], left_out)}\n"
        parts["left_out"] = f" {template['left_out']}"
    size = prompting.length or ("short" if limited else "full")
    form = template.get(f"form of {prompting.question_type}", template.get("form", ""))
    prompt = template["prompt"].format(
        context=prompting.describe(),
        question=fence_text("question", question),
        sources=format_sources(sources, prompting, evidence),
        form=form,
        **parts,
        **{name: template[f"{size}_{name}"] for name in ("summary", "themes", "length")},
    )
    return ModelRequest("write", system, prompt, inputs, timeout_s=SYNTHESIS_TIMEOUT)


def add_shared_inputs(
    inputs: Json, template: Mapping[str, str], prompting: PromptContext, instructions: Sequence[str]
) -> str:
    """Add the length and the instructions to the inputs; return the system prompt.

    Without instructions the request is the same as before there were any.
    """
    if prompting.length:
        inputs["length"] = prompting.length
    if not instructions:
        return template["system"]
    inputs["instructions"] = list(instructions)
    return f"{template['system']} {template['instructed']}"


def fence_instructions(instructions: Sequence[str]) -> str:
    """Return the part of a prompt with the instructions, "" without any."""
    if not instructions:
        return ""
    return f"\n{fence_text('instructions', format_list(instructions))}\n"


def fence_conflicts(template: Mapping[str, str], evidence: Evidence) -> str:
    """Return the part of a prompt with the conflicts, "" without any and in older prompts."""
    if not evidence.conflicts or "conflicts" not in template:
        return ""
    fenced = fence_untrusted("passages", "\n\n".join(evidence.conflicts))
    return f"\n{template['conflicts'].format(conflicts=fenced)}\n"


def source_to_json(source: SourceKept) -> Json:
    passages = [{"id": passage.id, "text": passage.text} for passage in source.passages]
    return {"title": source.title, "passages": passages}


def format_sources(
    sources: Sequence[SourceKept], prompting: PromptContext, evidence: Evidence
) -> str:
    formatted = []
    for source in sources:
        head = fence_untrusted("title", source.title)
        if prompting.version >= CONTEXT_VERSION:
            head = describe_source_facts(source.title, evidence.facts.get(source.url))
        formatted.append(_format_source(head, source))
    return "\n\n".join(formatted)


def describe_source_facts(title: str, facts: SourceFacts | None) -> str:
    """Return what a source says of itself, fenced, and above it how it was rated."""
    rows = [("title", title)]
    if facts is not None:
        rows += [
            ("host", facts.host),
            ("author", facts.author),
            ("published", facts.published or "unknown"),
            ("kind", facts.kind),
        ]
    lines = []
    for name, value in rows:
        shown = truncate(" ".join(value.split()), MAX_FACT_LENGTH)
        if shown:
            lines.append(f"{name}: {shown}")
    fenced = fence_untrusted("source", "\n".join(lines))
    return f"{_rate_source(facts)}\n{fenced}" if facts is not None else fenced


def _rate_source(facts: SourceFacts) -> str:
    """Return the ratings of a source as a line: numbers, and words that are the program's own."""
    ratings = ["credibility not scored"]
    if facts.own:
        ratings = ["a document of the analyst's own, credibility not scored"]
    elif facts.credibility is not None:
        ratings = [f"credibility {facts.credibility:.2f} ({facts.tier})"]
    ratings.append("relevance not scored")
    if facts.relevance is not None:
        ratings[-1] = f"relevance {facts.relevance} of 5"
    if facts.copy_of:
        ratings.append(f"shares its text with source {facts.copy_of}")
    if facts.retracted:
        ratings.append(f"retracted, as {facts.retracted} says")
    return f"Source {facts.number}: {'; '.join(ratings)}."


def _format_source(head: str, source: SourceKept) -> str:
    lines = [head]
    for passage in source.passages:
        lines.append(f"[{passage.id}]\n{fence_untrusted('passage', passage.text)}")
    return "\n".join(lines)


def _format_dropped(template: str, left: Sequence[Json]) -> str:
    count = f"{format_count(len(left), 'source')} {'was' if len(left) == 1 else 'were'}"
    whys = format_list([f"{source['title']}: {source['explanation']}" for source in left])
    return template.format(count=count, reasons=fence_untrusted("dropped_sources", whys))


def format_list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(line.split())}" for line in lines)


# ---------------------------------------------------------------- step

#: A model whose answer cannot be used is asked once more, then the next model of the chain. For
#: each request: whether the models at the head of the chain that were asked are passed over.
SKIPS_TRIED = (False, False, True)
#: Kinds of failure after which the same model may answer the same request.
ASK_AGAIN_KINDS = frozenset({"content_empty", "blocked", "bad_reply"})
#: Kinds of failure that every model of the chain shares.
SHARED_FAILURE_KINDS = frozenset({"auth_required"})


@dataclass(frozen=True)
class WrittenText:
    """The text of a report. writer: the model that wrote it, or the offline model.

    failures: why the answers before it could not be used, in order. parts: what each model wrote of
    a report that several wrote, in words by model. cut_prompt: that of the reply, see `ModelReply`.
    invented: citations of the texts that could not be used as all of theirs named no passage.
    ending: of `ENDINGS`, for a text that ends early; else "".
    """

    text: str
    writer: str
    failures: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict, hash=False)
    cut_prompt: tuple[int, ...] = ()
    invented: int = 0
    ending: str = ""


@dataclass(frozen=True)
class CallLimit:
    """What is known of a limit of the run that leaves the writer no call.

    Recorded by a run and read by its replays. reached: {"attempt", "cap", "message"}: the attempt
    that could not be made, the limit, and the limit in words; None if none is known. record: keeps
    such a finding.
    """

    reached: Mapping[str, Any] | None = None
    record: Callable[[Json], object] = lambda _reached: None


NO_LIMIT = CallLimit()


@dataclass(frozen=True)
class Fault:
    """Why a text cannot be used; false if it can. invented: how many citations name no passage."""

    problem: str = ""
    invented: int = 0

    def __bool__(self) -> bool:
        return bool(self.problem)


NO_FAULT = Fault()
#: Returns the cleaned text of a reply, and why it cannot be used.
ReadReply = Callable[[ModelReply], tuple[str, Fault]]


def synthesize_report(
    query: str,
    summaries: Sequence[SourceKept],
    client: Model,
    *,
    limited_sources: bool = False,
    **options: Any,
) -> str:
    """Return the text of `write_report`, with the same options.

    It is specified; the pipeline calls `write_report`, which also says who wrote the text.
    """
    return write_report(query, summaries, client, limited_sources=limited_sources, **options).text


def write_report(
    query: str,
    summaries: Sequence[SourceKept],
    client: Model,
    *,
    limited_sources: bool = False,
    dropped_sources: Sequence[Mapping[str, Any]] = (),
    sub_questions: Sequence[str] = (),
    instructions: Sequence[str] = (),
    on_text: Callable[[str], None] | None = None,
    falls_back: bool = True,
    prompting: PromptContext = PromptContext(),
    evidence: Evidence = NO_EVIDENCE,
    limit: CallLimit = NO_LIMIT,
) -> WrittenText:
    """Write the report's Markdown, Executive Summary to Confidence Assessment, citing passage ids.

    Where no model gives a usable text, the extractive writer does. dropped_sources: {"title",
    "explanation"} of what the gate dropped, for the writer of a short report; instructions: the
    analyst's wishes beside the question; on_text: receives the raw text as it arrives; falls_back:
    False for a session that began under rules without other writers: the model is asked once, and
    SynthesisError is raised if it fails or writes nothing. Raises SynthesisError if nothing can be
    cited.
    """
    sources = [summary for summary in summaries if summary.passages]
    if not sources:
        raise SynthesisError(
            "No source has a passage that could be cited.",
            next_step="Widen the search, or lower the thresholds.",
        )
    request = build_write_request(
        query,
        sources,
        limited=limited_sources,
        dropped=dropped_sources,
        sub_questions=sub_questions,
        instructions=instructions,
        prompting=prompting,
        evidence=evidence,
    )
    if not falls_back:
        return _ask_once(request, client, on_text)
    return _ask_writers(request, client, on_text, limit)


def _ask_once(
    request: ModelRequest, client: Model, on_text: Callable[[str], None] | None
) -> WrittenText:
    try:
        reply = client.run(request, on_text)
    except ModelError as error:
        raise SynthesisError(
            f"The report could not be written: {error.message}",
            next_step=error.next_step or RESUME_STEP,
        ) from error
    text = clean_body(reply.text, finish=reply.finish, with_note=True)
    if not has_words(text):
        raise SynthesisError("The model wrote no report.", next_step=RESUME_STEP)
    return WrittenText(text, "")


def has_words(text: str) -> bool:
    """Return True if there is anything beside headings."""
    return bool(re.search(r"\w", re.sub(r"(?m)^#.*$", "", text)))


def _ask_writers(
    request: ModelRequest, client: Model, on_text: Callable[[str], None] | None, limit: CallLimit
) -> WrittenText:
    """Return the first text that can be used; the extractive writer's if no model gives one."""
    known = list_passage_ids(request)

    def read(reply: ModelReply) -> tuple[str, Fault]:
        text = tidy_tables(clean_body(reply.text, finish=reply.finish))
        return text, find_fault(text, reply, known)

    written = ask_writers(request, client, on_text, limit, read)
    if written.writer:
        return written
    from research_core.llm.offline_writer import write_report as write_extractive_report

    return replace(written, text=write_extractive_report(request.inputs), writer=OFFLINE_MODEL)


def list_passage_ids(request: ModelRequest) -> frozenset[str]:
    """Return the ids of the passages that a request shows."""
    ids: set[str] = set()
    for source in request.inputs["sources"]:
        ids.update(passage["id"] for passage in source["passages"])
    return frozenset(ids)


def ask_writers(
    request: ModelRequest,
    client: Model,
    on_text: Callable[[str], None] | None,
    limit: CallLimit,
    read: ReadReply,
) -> WrittenText:
    """Return the first usable text, or one with empty text and writer if no model gives any.

    In the end the models of the chain are asked that have neither answered nor failed before.
    """
    failures: list[str] = []
    may_ask_again = True
    invented = 0
    tried = 1
    for attempt, skip_tried in enumerate(SKIPS_TRIED, start=1):
        if not skip_tried and not may_ask_again:
            continue
        if limit.reached and attempt >= limit.reached["attempt"]:
            failures.append(limit.reached["message"])
            break
        asked = replace(request, attempt=attempt, skip_models=tried if skip_tried else 0)
        try:
            reply = _ask_to_the_end(asked, client, on_text)
        except CapReached as error:
            limit.record({"attempt": attempt, "cap": error.cap, "message": error.message})
            failures.append(error.message)
            break
        except ModelError as error:
            if error.message != NO_OTHER_MODEL:
                failures += [message for message, _ in error.list_failures()]
            if error.kind in SHARED_FAILURE_KINDS:
                break
            may_ask_again = error.kind in ASK_AGAIN_KINDS
            tried = max(tried, error.models)
            continue
        text, fault = read(reply)
        if not fault or reply.model == OFFLINE_MODEL:
            return WrittenText(
                text,
                reply.model,
                tuple(failures),
                cut_prompt=reply.cut_prompt,
                invented=invented,
                ending=reply.finish if reply.finish in ENDINGS else "",
            )
        failures.append(fault.problem)
        invented += fault.invented
        tried = max(tried, 1 + len(reply.passed_over))
        if isinstance(client, CountingModel):
            client.count_unusable(asked, fault.problem)
    return WrittenText("", "", tuple(failures), invented=invented)


def _ask_to_the_end(
    request: ModelRequest, client: Model, on_text: Callable[[str], None] | None
) -> ModelReply:
    """Return the reply; a text that reached its length limit is continued once.

    Without the rest, the reply stands: also in the replay of a run whose cap left no call for it.
    """
    from research_core.pipeline.continuation import join_texts

    reply = client.run(request, on_text)
    if reply.finish != "length" or not reply.text.strip():
        return reply
    begun = reply.text.rstrip()
    template = load_prompt("continue", CONTEXT_VERSION)["prompt"]
    prompt = template.format(prompt=request.prompt, begun=fence_untrusted("draft", begun))
    try:
        rest = client.run(replace(request, prompt=prompt), on_text)
    except (CallForbidden, CapReached, ModelError):
        return reply
    text = join_texts(reply.text, rest.text)
    if rest.finish != "stop" and len(text) < len(begun):
        return reply  # it began anew, and came less far
    cut_prompt = reply.cut_prompt or rest.cut_prompt
    return replace(rest, text=text, model=reply.model, cut_prompt=cut_prompt)


_MISSING_TEXTS = {
    "report": N_("{model} wrote no report."),
    "section": N_("{model} wrote no section."),
    "summary": N_("{model} wrote no summary."),
}


def find_fault(text: str, reply: ModelReply, known: Collection[str], what: str = "report") -> Fault:
    """Find why a text of a language model is no report.

    known: the ids of the passages that it may cite. what: what was to be written.
    """
    if not has_words(text):
        if reply.finish == "repeated":
            repeated = _("{model} repeated itself in the middle of its answer.")
            return Fault(repeated.format(model=reply.model))
        return Fault(gettext(_MISSING_TEXTS[what]).format(model=reply.model))
    if reply.finish == "broken":
        broken = _("The answer of {model} broke off in the middle, before its end arrived.")
        step = _("Try again, or choose another model.")
        return Fault(join_sentences([broken.format(model=reply.model), step]))
    kept, invented = keep_known(rename_foreign_marks(text), known)
    if find_cited_ids(kept):
        return NO_FAULT
    refusal = find_refusal(reply.text)
    if refusal:
        refused = _("{model} refused to answer ({reason}).")
        step = _("Ask in other words, or choose another model.")
        return Fault(join_sentences([refused.format(model=reply.model, reason=refusal), step]))
    problem = _("{model} wrote a text that cites no passage.")
    if invented:
        problem = ngettext(
            "{model} wrote a text with {count:,} citation, which names no passage that exists.",
            "{model} wrote a text with {count:,} citations, none of which names a passage that"
            " exists.",
            invented,
        )
    return Fault(problem.format(model=reply.model, count=invented), invented)


_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_NOT_THE_WRITERS = re.compile(
    r"(?:(?:list of )?sources?|references?|bibliography|citations?|works"
    r" cited|methodology|methods?|disclaimer)\b[^a-z]*",
    re.IGNORECASE,
)


def clean_body(text: str, *, finish: str, with_note: bool = False) -> str:
    """Remove the code block, the title and the sections that code adds.

    finish: as in `ModelReply`. with_note: whether a text that ends early says so, as older ones do.
    """
    text = clean_part(text, finish=finish)
    if not text:
        return ""
    if not re.search(r"(?m)^## ", text):
        text = f"## Executive Summary\n\n{text}"
    if with_note and finish in NOTES_ON_ENDING:
        text = f"{text}\n\n{gettext(NOTES_ON_ENDING[finish])}"
    return text


def clean_part(text: str, *, finish: str) -> str:
    """Return a text as `clean_body` does, without a heading of its own.

    From a text that ends early the unfinished sentence is removed.
    """
    text = re.sub(r"\A\s*```\w*\n(.*?)(?:\n```\s*)?\Z", r"\1", text, flags=re.DOTALL).strip()
    if finish in ENDINGS:
        text = _trim_unfinished_sentence(text)
    return "\n".join(_list_writer_lines(text)).strip()


def _trim_unfinished_sentence(text: str) -> str:
    """Remove an unfinished last sentence. A mark ends a sentence, with or without a full stop."""
    before, _, last = text.rpartition("\n")
    if re.search(r"[.!?…\]][\"'”’)*_]*$", last):
        return text
    marked = 0
    for mark in re.finditer(r"\[p[^\]]*\][.!?…]*", last):
        marked = mark.end()
    begun = 0
    for start, _ in find_sentences(last[marked:]):
        begun = start
    return f"{before}\n{last[: marked + begun].rstrip(' #>*+-')}".rstrip()


def _list_writer_lines(text: str) -> list[str]:
    kept: list[str] = []
    # The level of the heading that begins the section being left out, 0 outside such a section.
    leaving_out = 0
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            level = len(heading[1])
            title = heading[2].strip("*_: ")
            if not leaving_out or level <= leaving_out:
                leaving_out = level if _NOT_THE_WRITERS.fullmatch(title) else 0
            if level == 1 and not leaving_out:
                continue
        if not leaving_out:
            kept.append(line)
    return kept
