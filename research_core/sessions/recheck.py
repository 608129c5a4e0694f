"""Compare the sources of an old report with the web today.

The result shows which sources still contain what was cited, which are gone and which papers were
retracted. Each source is read again as in a run and compared by the hash of its text, then by
passage. If passages were lost, each sentence that cites them is checked against the new text, by
words and numbers. The old session is not changed and nothing read now is kept. Whether a changed
page says something else is for a reader to judge.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Literal

from research_core import urls
from research_core.citations.checks import links
from research_core.citations.marks import format_link
from research_core.context import memory_log
from research_core.errors import FetchError, SearchError
from research_core.i18n import (
    N_,
    _,
    end_with_stop,
    join_clauses,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import (
    CHECK_STATES,
    Passage,
    Principal,
    Report,
    ReportSource,
    Sentence,
    SentenceState,
    StateSign,
)
from research_core.pipeline.page_support import find_support_in_page
from research_core.search.providers.crossref import fetch_notice
from research_core.text.dates import format_rfc3339, format_utc_day
from research_core.text.sentences import find_sentences
from research_core.text.support import check_support, measure_share_held
from research_core.text.support.quotations import fold_text
from research_core.text.words import (
    clean_for_screen,
    to_single_line,
    truncate,
)
from research_core.urls import is_own_document
from research_core.web.failure_texts import describe_failure, translate_failure
from research_core.web.fetch.tiers import read_web
from research_core.wiring import LOCAL_USER, Resources, default_deps

SourceState = Literal["unchanged", "changed", "dead", "refused", "unchecked", "own"]
#: The gravest first.
RECHECK_STATES: dict[SourceState, StateSign] = {
    "dead": StateSign("✕", N_("gone"), "red"),
    "changed": StateSign("≠", N_("changed"), "orange"),
    "refused": StateSign("⊘", N_("refuses programs"), "gray"),
    "unchecked": StateSign("?", N_("could not be checked"), "gray"),
    "own": StateSign("▤", N_("library document"), "gray"),
    "unchanged": StateSign("✓", N_("unchanged"), "green"),
}
NOTICE_LABELS = {
    "retraction": N_("Retracted"),
    "expression_of_concern": N_("An expression of concern was published"),
    "correction": N_("Corrected"),
}
#: Sources read side by side; seconds for all of them.
MAX_PARALLEL = 8
TIME_LIMIT_S = 240.0
#: Sentences of a page of today that are read as one passage.
STRETCH_SENTENCES = 6
OnSource = Callable[["RecheckedSource"], None]


@dataclass(frozen=True)
class RecheckedPassage:
    """A cited passage on today's page.

    held of count: how many of its sentences are there word for word; text: its beginning.
    """

    id: str
    held: int
    count: int
    text: str

    @property
    def stands(self) -> bool:
        return self.held == self.count


@dataclass(frozen=True)
class RecheckedClaim:
    """A sentence of the report and today's page.

    before: the check against the old passages; now: against the new text; note: what is missing
    there.
    """

    text: str
    before: SentenceState
    now: SentenceState
    note: str = ""

    @property
    def holds(self) -> bool:
        """Return True if the page supports it no less than before."""
        return (
            self.now == "could not check" or _SUPPORT_RANKS[self.now] >= _SUPPORT_RANKS[self.before]
        )


#: How far a sentence holds.
_SUPPORT_RANKS: dict[SentenceState, int] = {
    "supported": 2,
    "partly": 1,
    "not found": 0,
    "contradicted": 0,
    "not decided": 0,
    "uncited": 0,
    "could not check": 0,
}


@dataclass(frozen=True)
class RecheckedSource:
    """A source of the report, checked again.

    why: a sentence if it could not be compared; moved: its new address, or ""; passages: the cited
    ones, if the page could be read; claims: sentences that cite passages which a changed page lost;
    archived: the newest copy of a page that is gone; notice: published about the paper ("Retracted
    on 2026-03-01."); grave: more than a correction; unknown: why that could not be asked.
    """

    number: int
    url: str
    title: str
    state: SourceState
    why: str = ""
    moved: str = ""
    passages: tuple[RecheckedPassage, ...] = ()
    claims: tuple[RecheckedClaim, ...] = ()
    archived: str = ""
    notice: str = ""
    grave: bool = False
    unknown: str = ""

    @property
    def lost(self) -> tuple[RecheckedPassage, ...]:
        """The cited passages that are no longer complete on the page."""
        return tuple(passage for passage in self.passages if not passage.stands)

    @property
    def broken(self) -> tuple[RecheckedClaim, ...]:
        """The sentences that the page supports less than before."""
        return tuple(claim for claim in self.claims if not claim.holds)

    @property
    def fails(self) -> bool:
        """Return True if a citation can no longer be followed or the paper was withdrawn."""
        return self.state == "dead" or bool(self.lost) or self.grave


@dataclass(frozen=True)
class Recheck:
    """All sources of a report in order.

    at: time of the check, asked: of the report, in seconds since the epoch.
    """

    session: str
    question: str
    asked: float
    at: float
    sources: tuple[RecheckedSource, ...] = field(default=())

    @property
    def fails(self) -> bool:
        return any(source.fails for source in self.sources)


def recheck_sources(deps: Deps, built: Report, on_source: OnSource | None = None) -> Recheck:
    """Check every kept source of the report again. Raises Stopped, never for a source.

    deps: from `wiring.default_deps`, without a session, asking the web and not a cache; on_source:
    called with every source as soon as it is done.
    """
    limited = replace(deps, http=deps.http.with_deadline(TIME_LIMIT_S))
    citing = []
    for block in built.blocks:
        citing += [sentence for sentence in block.sentences if sentence.citations]

    def recheck(source: ReportSource) -> RecheckedSource:
        found = recheck_source(limited, source, citing)
        if on_source is not None:
            on_source(found)
        return found

    kept = [source for source in built.sources if source.number]
    kept.sort(key=lambda source: source.number)
    with ThreadPoolExecutor(MAX_PARALLEL, thread_name_prefix="assay-recheck") as pool:
        now = deps.clock.now()
        sources = tuple(pool.map(recheck, kept))
    return Recheck(built.session, built.question, built.created, now, sources)


def recheck_report(
    resources: Resources,
    built: Report,
    on_source: OnSource | None = None,
    *,
    who: Principal = LOCAL_USER,
) -> Recheck:
    """Check the sources of a report from this machine, bypassing the cache."""
    deps = default_deps(memory_log("recheck"), resources, who=who, fresh=True)
    return recheck_sources(deps, built, on_source)


def recheck_source(deps: Deps, source: ReportSource, said: Sequence[Sentence]) -> RecheckedSource:
    """Check one source again. said: the sentences of the report that cite anything."""
    about = RecheckedSource(source.number, source.address, source.title, "own")
    if is_own_document(source.address):
        return about
    about = _add_notice(about, source, deps)
    # A copy that others keep does not show that the page still exists.
    without_copies = replace(deps, run=replace(deps.run, fallbacks=()))
    try:
        page = read_web(source.address, without_copies)
    except FetchError as error:
        return _describe_unreadable(about, error, deps)
    cited = {name for sentence in said for name in sentence.citations}
    passages = []
    for passage in source.passages:
        if passage.id in cited:
            passages.append(_recheck_passage(passage, page.text))
    lost = {passage.id for passage in passages if not passage.stands}
    claims = []
    for sentence in said:
        if lost.intersection(sentence.citations):
            claims.append(_recheck_claim(sentence, source.passages, page.text))
    text_hash = hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(
        about,
        state="unchanged" if text_hash == source.page else "changed",
        moved=page.final_url if page.final_url != source.address else "",
        passages=tuple(passages),
        claims=tuple(claims),
    )


def _describe_unreadable(about: RecheckedSource, error: FetchError, deps: Deps) -> RecheckedSource:
    """Record why a page could not be read: gone, closed to programs or unknown."""
    link = links.check_links(deps, [about.url])[about.url]
    if link.state in ("dead", "refused"):
        return replace(about, state=link.state, why=link.reason, archived=link.archived)
    return replace(about, state="unchecked", why=error.message)


def _add_notice(about: RecheckedSource, source: ReportSource, deps: Deps) -> RecheckedSource:
    doi = source.metadata.doi or urls.find_doi(source.address) or urls.find_doi(source.url)
    if not doi:
        return about
    try:
        found = fetch_notice(deps.http, doi)
    except SearchError as error:
        unknown = _("It could not be checked whether the paper was retracted.")
        return replace(about, unknown=join_sentences([unknown, describe_failure(error)]))
    if found is None:
        return about
    notice = _(NOTICE_LABELS[found.kind])
    if found.date:
        notice = _choose_dated_form(found.date, source).format(notice=notice, date=found.date)
    return replace(about, grave=found.kind != "correction", notice=end_with_stop(notice))


def _choose_dated_form(date: str, source: ReportSource) -> str:
    """Return how a notice of this day is told, with whether the source was read before or after."""
    if not source.fetched:
        return _("{notice} on {date}")
    if date > format_utc_day(source.fetched):
        return _("{notice} on {date}, after it was read")
    return _("{notice} on {date}, before it was read")


def _recheck_passage(passage: Passage, text: str) -> RecheckedPassage:
    page = fold_text(text)
    spans = find_sentences(passage.text) or [(0, len(passage.text))]
    parts = [passage.text[start:end] for start, end in spans]
    if fold_text(passage.text) in page:
        held = len(parts)
    else:
        held = sum(fold_text(part) in page for part in parts)
    beginning = truncate(" ".join(passage.text.split()), 200)
    return RecheckedPassage(passage.id, held, len(parts), beginning)


def _recheck_claim(sentence: Sentence, passages: Sequence[Passage], text: str) -> RecheckedClaim:
    """Check a sentence against the passages it cited and against today's text."""
    cited = [passage.text for passage in passages if passage.id in sentence.citations]
    before, _note = check_support(sentence.text, cited)
    if find_support_in_page(replace(sentence, state="not found"), (), text):
        return RecheckedClaim(sentence.text, before, "supported")
    now, note = check_support(sentence.text, [_find_nearest_stretch(sentence.text, text)])
    if now == "supported":
        # Its words are in the text, but not in one place.
        now = "partly"
    return RecheckedClaim(sentence.text, before, now, note)


def _find_nearest_stretch(sentence: str, text: str) -> str:
    """Return the stretch with most of the sentence's words by weight, the first of equals."""
    spans = find_sentences(text) or [(0, len(text))]
    stretches = []
    for first in range(0, len(spans), STRETCH_SENTENCES // 2):
        last = min(first + STRETCH_SENTENCES, len(spans)) - 1
        stretches.append(text[spans[first][0] : spans[last][1]])
    return max(stretches, key=lambda stretch: measure_share_held(sentence, [stretch]))


# ---------------------------------------------------------------- in words


def describe_source(one: RecheckedSource) -> str:
    """Describe what became of a source, as one line of plain text in the current language."""
    parts = [_(RECHECK_STATES[one.state].word)]
    if one.why:
        why = translate_failure(one.why).rstrip(".。")
        parts = [_("{state}: {reason}").format(state=parts[0], reason=why)]
    if one.state == "changed" and one.passages:
        count = len(one.passages)
        held = ngettext(
            "{held} of {count} cited passage still found",
            "{held} of {count} cited passages still found",
            count,
        )
        parts.append(held.format(held=count - len(one.lost), count=count))
    if one.broken:
        claims = ngettext(
            "support changed for {broken} of {count} sentence that cites the other passages",
            "support changed for {broken} of {count} sentences that cite the other passages",
            len(one.claims),
        )
        parts.append(claims.format(broken=len(one.broken), count=len(one.claims)))
    if one.moved:
        parts.append(_("now at {address}").format(address=one.moved))
    if one.archived:
        parts.append(_("a copy is at {address}").format(address=one.archived))
    parts += [one.notice.rstrip(".。"), one.unknown.rstrip(".。")]
    return end_with_stop(join_clauses(filter(None, parts)))


#: What is counted of the sources beside their states: how much of it a source has, and the words.
CHANGES: tuple[tuple[Callable[[RecheckedSource], int], Callable[[int], str]], ...] = (
    (
        lambda source: len(source.lost),
        lambda count: ngettext(
            "{count} cited passage no longer found word for word",
            "{count} cited passages no longer found word for word",
            count,
        ),
    ),
    (
        lambda source: len(source.broken),
        lambda count: ngettext(
            "{count} sentence that the new text supports less",
            "{count} sentences that the new text supports less",
            count,
        ),
    ),
    (
        lambda source: bool(source.notice),
        lambda count: ngettext(
            "{count} with a notice about the paper",
            "{count} with a notice about the paper",
            count,
        ),
    ),
)


def summarize_recheck(found: Recheck) -> str:
    """Return one sentence with the number of sources in each state, in the current language."""
    states = Counter(source.state for source in found.sources)
    parts = []
    for state, sign in reversed(RECHECK_STATES.items()):
        if states[state]:
            text = _("{count} {state}")
            parts.append(text.format(count=states[state], state=_(sign.word)))
    for measure, word in CHANGES:
        count = sum(map(measure, found.sources))
        if count:
            parts.append(word(count).format(count=count))
    if not parts:
        return _("The report has no source to check.")
    total = len(found.sources)
    text = ngettext("{count} source: {states}.", "{count} sources: {states}.", total)
    return text.format(count=total, states=join_list(parts))


def format_markdown(found: Recheck) -> str:
    """Format the recheck as Markdown, with foreign text made inert."""
    text = _format_recheck(found, clean_for_screen, lambda one: format_link(one.title, one.url))
    return f"# {text}"


def format_text(found: Recheck) -> str:
    """Format the recheck for a terminal, unescaped so that addresses can be copied."""
    return _format_recheck(
        found,
        to_single_line,
        lambda one: f"{to_single_line(one.title)} <{to_single_line(one.url)}>",
    )


def _format_recheck(
    found: Recheck, clean: Callable[[str], str], link: Callable[[RecheckedSource], str]
) -> str:
    about = _("Report of {created}; its sources were checked again on {checked}.").format(
        created=format_utc_day(found.asked), checked=format_utc_day(found.at)
    )
    lines = [
        _("Sources checked again: {question}").format(question=clean(found.question)),
        "",
        join_sentences([about, summarize_recheck(found)]),
        "",
    ]
    for one in found.sources:
        lines.append(f"{one.number}. {link(one)}: {clean(describe_source(one))}")
        for passage in one.lost:
            text = ngettext(
                "No longer found word for word ({held} of {count} sentence still there): {passage}",
                "No longer found word for word ({held} of {count} sentences still there):"
                " {passage}",
                passage.count,
            )
            words = put_in_quotes(clean(passage.text))
            lines.append(
                f"   - {text.format(held=passage.held, count=passage.count, passage=words)}"
            )
        for claim in one.broken:
            text = _("Support changed from “{before}” to “{now}”: {claim}").format(
                now=_(CHECK_STATES[claim.now].word),
                before=_(CHECK_STATES[claim.before].word),
                claim=put_in_quotes(clean(claim.text)),
            )
            lines.append(f"   - {text} {clean(claim.note)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def recheck_to_json(found: Recheck) -> Json:
    """Return {"session", "at", "fails", "sources": [{number, url, title, state, claims …}]}."""
    sources = [_source_to_json(source) for source in found.sources]
    at = format_rfc3339(found.at)
    return {"session": found.session, "at": at, "fails": found.fails, "sources": sources}


def _source_to_json(source: RecheckedSource) -> Json:
    passages = [
        {"id": passage.id, "held": passage.held, "sentences": passage.count}
        for passage in source.passages
    ]
    claims = [
        {
            "text": claim.text,
            "before": claim.before,
            "now": claim.now,
            "note": claim.note,
            "changed": not claim.holds,
        }
        for claim in source.claims
    ]
    return {
        "number": source.number,
        "url": source.url,
        "title": source.title,
        "state": source.state,
        "why": source.why,
        "moved": source.moved,
        "archived": source.archived,
        "notice": source.notice,
        "unknown": source.unknown,
        "fails": source.fails,
        "passages": passages,
        "claims": claims,
    }
