"""Start audits of given reports, and read their results."""

from __future__ import annotations

import re
import uuid
from dataclasses import asdict, dataclass, replace
from functools import partial

from research_core.citations.cited_report import find_uncited_facts, read_cited_report
from research_core.citations.linter import is_source_heading
from research_core.citations.report_text import (
    MAX_REPORT_BYTES,
    make_too_large_error,
    read_report,
)
from research_core.context import memory_log
from research_core.errors import FetchError, UsageError
from research_core.journal import store
from research_core.journal.doorway import CALL_VERSIONS, MACHINE_FACT
from research_core.journal.events import VISIBLE_KINDS, call_key, canonical_json
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.pipeline.audit_result import AuditResult, fold_audit
from research_core.pipeline.audit_run import GIVEN_PARAMS
from research_core.policy import AUDIT_STRATEGY, LIBRARY_ENGINE, QUESTION_LENGTH, RunSettings
from research_core.sessions.session_start import fix_surroundings
from research_core.text.question import clean_question
from research_core.text.words import truncate
from research_core.urls import is_own_document
from research_core.web.fetch.responses import raise_for_status
from research_core.wiring import LOCAL_USER, Resources, default_deps, open_log

#: Names of a report without a heading or a file name.
UNNAMED = "Pasted report"
#: Characters of the title of an audit, and of the first words of a report without a heading, which
#: are used as its title.
MAX_TITLE_LENGTH, MAX_WORDS_LENGTH = 200, 80
#: Characters of the sentences from which the language of the result is guessed.
SAMPLE_LENGTH = 2_000
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\](?:\([^()\n]{0,2000}\))?")
#: Pictures, marks, addresses, emphasis, code and tags.
_MARKUP = re.compile(
    r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,2000}\)|\[\^?\d[\d,;\s–-]{0,40}\](?:\([^()\n]{0,2000}\))?"
    r"|(?<!\()https?://\S+|[*`]+|</?[a-z][^<>]{0,200}>|[¹²³⁰⁴-⁹]+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AuditRequest:
    """What to check, and how.

    name: of the file or address, "" for pasted text; library: in which cited pages are looked for
    first, "" for none; library_only: ask nobody on the web; run: settings that the user chose
    (model, judge, caps, credibility).
    """

    name: str = ""
    library: str = ""
    library_only: bool = False
    run: RunSettings = RunSettings()


def new_audit(
    resources: Resources,
    text: str,
    request: AuditRequest = AuditRequest(),
    *,
    who: Principal = LOCAL_USER,
) -> str:
    """Read the claims of a report in Markdown, store a session that checks it, and return its id.

    Raises UsageError for a report that is too long, has too many sources, or cites nothing.
    """
    given = _read_given(text, request.name)
    run = replace(
        request.run,
        strategy=AUDIT_STRATEGY,
        engines=(LIBRARY_ENGINE,) if request.library else (),
        library=request.library or request.run.library,
        library_only=request.library_only,
        review_plan=False,
        # Nothing is asked, so that only the site counts: a page has one score in every check.
        credibility=replace(
            request.run.credibility, domain_weight=1.0, relevance_weight=0.0, recency_bonus=0.0
        ),
    )
    if run.library_only and not request.library:
        raise UsageError("No library is named.", next_step="Name the one that has the cited pages.")
    run = fix_surroundings(resources, run, who)
    session = uuid.uuid4().hex
    question = clean_question(given["title"])
    store.create_session(resources.db, who, session, question, run.to_json(), resources.clock.now())
    # A recorded fact: a rewrite of the session inherits it, and a replay reads it.
    key = call_key(MACHINE_FACT, CALL_VERSIONS[MACHINE_FACT], GIVEN_PARAMS)
    log = open_log(resources, who, session)
    log.record_call(MACHINE_FACT, key, partial(dict, given), about=GIVEN_PARAMS)
    return session


def read_report_at(
    resources: Resources, address: str, library: str, *, who: Principal = LOCAL_USER
) -> str:
    """Return the report at a web address, or `document:<sha>` of a library, as Markdown.

    Raises UsageError if it cannot be read.
    """
    if is_own_document(address):
        found = resources.library(who).read(library, address)
        if found is None:
            raise UsageError(
                f"Library {library!r} has no such document.",
                next_step=f"`assay library list {library}` names those it has.",
            )
        return str(found["text"])
    deps = default_deps(memory_log(address), resources, who=who)
    try:
        reply = deps.http.send("GET", address, page=True, max_bytes=MAX_REPORT_BYTES + 1)
        raise_for_status(reply)
    except FetchError as error:
        if error.kind == "too_large":
            raise make_too_large_error(address) from error
        raise UsageError(
            f"{address} cannot be read: {error.message}",
            next_step="Save the report as a file and check that.",
        ) from error
    return read_report(reply.body, address, reply.headers.get("content-type", ""))


def _read_given(text: str, name: str) -> Json:
    report = read_cited_report(text)
    facts = {id(claim) for claim in find_uncited_facts(report)}
    claims = []
    for claim in report.claims:
        claims.append({**asdict(claim), "fact": id(claim) in facts})
    if not any(claim.works or claim.unresolved for claim in report.claims) and not report.works:
        raise UsageError(
            "The report cites nothing that could be checked.",
            next_step="Copy it with its links, footnotes or list of sources.",
        )
    sample = " ".join(claim.text for claim in report.claims)[:SAMPLE_LENGTH]
    read = {"claims": claims, "works": [asdict(work) for work in report.works]}
    return {
        "name": name or UNNAMED,
        "title": _choose_title(text, name),
        "text": text,
        "sample": sample,
        "read": canonical_json(read),
    }


def _choose_title(text: str, name: str) -> str:
    """Return the first heading of the report, else its first words, else its name."""
    first = ""
    for line in text.splitlines():
        words = _strip_markup(line)
        if not any(character.isalnum() for character in words):
            continue
        if line.lstrip().startswith("#") and not is_source_heading(line):
            return _complete_title(words, name)
        first = first or words
    return _complete_title(truncate(first, MAX_WORDS_LENGTH) or name or UNNAMED, name)


def _strip_markup(line: str) -> str:
    """Return the words of a line of Markdown without links, marks and addresses."""
    words = _LINK.sub(r"\1", _MARKUP.sub("", line)).replace("|", " ")
    return " ".join(re.sub(r"\s+(?=[.,;:!?])", "", words).strip("#>-+ \t").split())


def _complete_title(words: str, name: str) -> str:
    title = truncate(words, MAX_TITLE_LENGTH)
    return title if len(title) >= QUESTION_LENGTH[0] else f"{title} – {name or UNNAMED}"


def read_audit(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> AuditResult | None:
    """Return the result of an audit as far as it got; None if the session is none.

    Raises UsageError if there is no such session.
    """
    store.find_session(resources.db, who, session)
    log = open_log(resources, who, session, readonly=True)
    return fold_audit(log.read(kinds=VISIBLE_KINDS), log.open)
