"""Check with a language model the sentences that the first check leaves in doubt.

These are sentences whose words are not found, or are found while something speaks against them
(`text.stance`). Whole sentences of a cited passage, quoted word for word, need no model. A verdict
counts only if its quotation is in the cited passages, which code checks. A missing figure or
quotation stays missing. If the model fails, or at a cap, the first check stands, and the head of
the report says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from research_core.errors import CallForbidden, CapReached, ModelError
from research_core.i18n import _, gettext, join_sentences, put_in_quotes
from research_core.journal.deps import Model
from research_core.llm.json_replies import iterate_objects
from research_core.model_messages import Json, ModelRequest
from research_core.models import Block, Passage, Sentence, SentenceState
from research_core.pipeline import draft
from research_core.pipeline.prompts import CONTEXT_VERSION, PromptContext
from research_core.pipeline.unfinished import NO_VERDICT, NO_VERDICT_NOTE, TOO_MANY_NOTE
from research_core.text.instructions import fence_untrusted
from research_core.text.similarity import content_tokens
from research_core.text.stance import assess_stance
from research_core.text.support import lacks_facts
from research_core.text.support.figures import find_reversed_figures
from research_core.text.support.quotations import contains_literally, contains_sentences
from research_core.text.words import strip_invisible, truncate

TIMEOUT = 30.0
#: Sentences in one request, and asked about in all: of more, the first.
SENTENCES_PER_CALL = 8
MAX_SENTENCES = 40
#: Words a verdict has to quote at least, so many of them no mere "of the", and characters of them
#: that a note shows.
MIN_QUOTED_WORDS = 3
MIN_CONTENT_WORDS = 2
MAX_SHOWN_LENGTH = 160
#: What may stand around a quoted sentence.
QUOTATION_MARKS = " \"'“”„‟‘’‚«»‹›「」『』"
#: The version of the rules of prompting from which no model is asked about quoted sentences, and
#: those beyond MAX_SENTENCES are noted.
QUOTATION_VERSION = 6
VERDICTS = ("supported", "partly", "not_found", "contradicted")

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "verdict": {"type": "string", "enum": list(VERDICTS)},
                    "quote": {"type": "string"},
                },
                "required": ["number", "verdict", "quote"],
            },
        }
    },
    "required": ["verdicts"],
}


@dataclass(frozen=True)
class ModelVerdict:
    """A verdict of the model. verdict: one of VERDICTS; quote: the words it is based on."""

    verdict: str
    quote: str = ""


@dataclass(frozen=True)
class SentenceAnswer:
    """What a model answered on a sentence.

    sentence: with the state and note that follow; quote: the words that the model quoted, "" for
    none. Where the state changed, the words of a quote are in the passages.
    """

    sentence: Sentence
    quote: str = ""


def verify_doubtful(
    blocks: Sequence[Block],
    passages: Mapping[str, Passage],
    model: Model,
    prompting: PromptContext = PromptContext(),
) -> tuple[Block, ...]:
    """Return the blocks with the states the model gives doubtful sentences. Raises Stopped."""
    claims = list(map(_replace_by_claims, blocks))
    doubtful = _list_doubtful(claims, passages)
    if prompting.version >= QUOTATION_VERSION:
        doubtful = [sentence for sentence in doubtful if not is_quoted(sentence, passages)]
    found = ask_about(doubtful, passages, model, prompting)
    for sentence in list_unasked(doubtful, prompting):
        found[sentence] = SentenceAnswer(add_note(sentence, gettext(TOO_MANY_NOTE)))
    verified = []
    for block, claimed in zip(blocks, claims, strict=True):
        sentences = []
        for sentence, claim in zip(block.sentences, claimed.sentences, strict=True):
            answer = found.get(claim)
            judged = answer.sentence if answer is not None else claim
            sentences.append(replace(judged, text=sentence.text))
        verified.append(replace(block, sentences=tuple(sentences)))
    return tuple(verified)


def list_unasked(sentences: Sequence[Sentence], prompting: PromptContext) -> Sequence[Sentence]:
    """List the doubtful sentences that are too many to ask a model about."""
    return sentences[MAX_SENTENCES:] if prompting.version >= QUOTATION_VERSION else ()


def ask_about(
    sentences: Sequence[Sentence],
    passages: Mapping[str, Passage],
    model: Model,
    prompting: PromptContext = PromptContext(),
) -> dict[Sentence, SentenceAnswer]:
    """Ask a model about the first `MAX_SENTENCES`; return its answers on these. Raises Stopped."""
    found: dict[Sentence, SentenceAnswer] = {}
    doubtful = sentences[:MAX_SENTENCES]
    for first in range(0, len(doubtful), SENTENCES_PER_CALL):
        some = doubtful[first : first + SENTENCES_PER_CALL]
        try:
            reply = model.run(build_verdict_request(some, passages, prompting))
        except (CallForbidden, CapReached):
            # A replay of a run that reached a cap, or had no such check, also ends here.
            break
        except ModelError as error:
            for sentence in some:
                found[sentence] = SentenceAnswer(_note_no_verdict(sentence, error.message))
            continue
        # Older sessions read only a reply that is JSON and nothing else.
        text = reply.text
        if prompting.version >= CONTEXT_VERSION:
            text = find_json(text)
        verdicts = parse_verdicts(text, len(some))
        for number, sentence in enumerate(some, 1):
            cited = list_cited_texts(sentence, passages)
            verdict = verdicts.get(number)
            judged = apply_verdict(sentence, verdict, cited)
            quote = ""
            if verdict is not None and verdict.verdict != "not_found":
                quote = trim_quote(verdict.quote)
            found[sentence] = SentenceAnswer(judged, quote)
    return found


def _replace_by_claims(block: Block) -> Block:
    """Return the block with what each sentence claims as its text."""
    sentences = []
    for sentence, claim in zip(block.sentences, draft.state_claims(block), strict=True):
        sentences.append(replace(sentence, text=claim))
    return replace(block, sentences=tuple(sentences))


def _list_doubtful(blocks: Sequence[Block], passages: Mapping[str, Passage]) -> list[Sentence]:
    """List each doubtful sentence once, in reading order."""
    found: dict[Sentence, None] = {}
    for block in blocks:
        for sentence in block.sentences:
            if is_doubtful(sentence, passages):
                found[sentence] = None
    return list(found)


def is_doubtful(sentence: Sentence, passages: Mapping[str, Passage]) -> bool:
    """Return True if words leave the sentence open, or the passages may contradict it."""
    if sentence.state in ("partly", "not found"):
        return bool(sentence.citations)
    if sentence.state != "supported":
        return False
    cited = "\n\n".join(list_cited_texts(sentence, passages))
    return bool(assess_stance(sentence.text, cited).warning)


def is_quoted(sentence: Sentence, passages: Mapping[str, Passage]) -> bool:
    """Return True if it is word for word one or several whole sentences of a cited passage."""
    quoted = sentence.text.strip(QUOTATION_MARKS)
    return any(contains_sentences(quoted, text) for text in list_cited_texts(sentence, passages))


def list_cited_texts(sentence: Sentence, passages: Mapping[str, Passage]) -> list[str]:
    return [passages[name].text for name in sentence.citations if name in passages]


def build_verdict_request(
    some: Iterable[Sentence],
    passages: Mapping[str, Passage],
    prompting: PromptContext = PromptContext(),
) -> ModelRequest:
    """Build the request about a few sentences; depends only on its arguments."""
    template = prompting.load("verify_sentence")
    pairs = [(sentence.text, list_cited_texts(sentence, passages)) for sentence in some]
    fenced = "\n\n".join(
        "\n".join(
            (
                f"{number}.",
                fence_untrusted("sentence", text),
                fence_untrusted("passages", "\n\n".join(cited)),
            )
        )
        for number, (text, cited) in enumerate(pairs, 1)
    )
    inputs = {"sentences": [{"sentence": text, "passages": cited} for text, cited in pairs]}
    return ModelRequest(
        "verify_sentence",
        template["system"],
        template["prompt"].format(context=prompting.describe("check"), sentences=fenced),
        inputs,
        SCHEMA,
        timeout_s=TIMEOUT,
    )


def find_json(reply: str) -> str:
    """Return the JSON object with verdicts in a reply, also in a code fence or after words.

    The reply itself if there is none.
    """
    objects = iterate_objects(reply, ("verdicts",))
    return next((text for _value, text in objects), reply)


def parse_verdicts(reply: str, count: int) -> dict[int, ModelVerdict]:
    """Return the verdicts by number, 1..count; invalid and repeated ones are left out."""
    try:
        answer = json.loads(reply)
    except (ValueError, RecursionError):
        return {}
    rows = answer.get("verdicts") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        return {}
    found: dict[int, ModelVerdict] = {}
    for row in rows:
        if not isinstance(row, dict):
            continue
        number = row.get("number")
        verdict = row.get("verdict")
        # A bool is an int in Python, but no number of a sentence.
        if type(number) is int and 1 <= number <= count and verdict in VERDICTS:
            found.setdefault(number, ModelVerdict(verdict, str(row.get("quote") or "")))
    return found


def trim_quote(quote: str) -> str:
    """Return what a model quoted on one line, without the marks around it."""
    return " ".join(strip_invisible(quote).split()).strip(" \"'“”.…")


def apply_verdict(
    sentence: Sentence, verdict: ModelVerdict | None, cited: Sequence[str]
) -> Sentence:
    """Return the sentence with the state that follows from the verdict.

    If the verdict cannot be relied on, only a note is added.
    """
    if verdict is None:
        return _note_no_verdict(sentence, gettext(NO_VERDICT))
    quote = trim_quote(verdict.quote)
    enough = (
        len(quote.split()) >= MIN_QUOTED_WORDS and len(content_tokens(quote)) >= MIN_CONTENT_WORDS
    )
    stands = enough and any(contains_literally(quote, text) for text in cited)
    shown_quote = put_in_quotes(truncate(quote, MAX_SHOWN_LENGTH))
    if verdict.verdict != "not_found" and not stands:
        return add_note(
            sentence,
            _(
                "A language model quoted words that are not in the passage, so its answer does not"
                " count."
            ),
        )
    if verdict.verdict == "contradicted":
        state: SentenceState = "partly" if sentence.state == "supported" else "not found"
        return add_note(
            replace(sentence, state=state),
            _("According to a language model, the passage says the opposite: {quote}.").format(
                quote=shown_quote
            ),
        )
    if verdict.verdict == "not_found" and sentence.state == "partly":
        return add_note(
            replace(sentence, state="not found"),
            _("A language model did not find it either."),
        )
    if (
        sentence.state == "supported"
        or lacks_facts(sentence.text, cited)
        or find_reversed_figures(sentence.text, "\n".join(cited))
    ):
        # No verdict makes up for a figure that is missing or points the other way.
        return sentence
    if verdict.verdict == "supported":
        return replace(
            sentence,
            state="supported",
            note=_(
                "According to a language model, the passage says it in other words: {quote}. These"
                " words are in the passage."
            ).format(quote=shown_quote),
        )
    if verdict.verdict == "partly" and sentence.state == "not found":
        return add_note(
            replace(sentence, state="partly"),
            _("A language model found part of it: {quote}.").format(quote=shown_quote),
        )
    return sentence


def _note_no_verdict(sentence: Sentence, why: str) -> Sentence:
    note = gettext(NO_VERDICT_NOTE).format(why=why.rstrip("."))
    return add_note(sentence, note)


def add_note(sentence: Sentence, note: str) -> Sentence:
    """Return the sentence with one more note behind its own."""
    return replace(sentence, note=join_sentences([sentence.note, note]))
