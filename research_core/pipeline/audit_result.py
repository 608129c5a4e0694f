"""Read the result of an audit from the log of its session: each claim, each source, the score card.

Pure: the events alone decide, so a screen, an export and a replay agree.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from research_core.decisions.gate import find_shown_score, map_copies
from research_core.decisions.view import RunView, SourceView, fold_events
from research_core.i18n import N_, _, end_with_stop, join_list, ngettext
from research_core.journal.events import Event, drop_voided
from research_core.model_messages import Json
from research_core.models import ScoreParts
from research_core.policy import searches_sample

if TYPE_CHECKING:
    from research_core.citations.checks.cited_source import SourceState
    from research_core.citations.checks.claim_verdict import FaultKind, Verdict

#: The states and verdicts as a reader sees them, to be translated.
STATE_LABELS: Mapping[SourceState, str] = {
    "live": N_("opened"),
    "dead": N_("dead link"),
    "never existed": N_("never existed"),
    "refused": N_("refused to programs"),
    "paywalled": N_("behind a paywall"),
    "not read": N_("not read"),
}
VERDICT_LABELS: Mapping[Verdict, str] = {
    "supported": N_("supported"),
    "partly": N_("partly supported"),
    "not found": N_("not found"),
    "not decided": N_("not decided"),
    "could not check": N_("could not be checked"),
}
FAULT_LABELS: Mapping[FaultKind, str] = {
    "figure": N_("another figure"),
    "date": N_("another date"),
    "quotation": N_("quotation not in the source"),
    "stronger": N_("stronger than the source"),
    "entity": N_("about something else"),
    "scope": N_("another scope"),
    "not mentioned": N_("not mentioned"),
}
#: The faults of a sentence that says something different from its source, not only more.
CONTRADICTIONS: frozenset[FaultKind] = frozenset(FAULT_LABELS) - {"not mentioned"}

#: The groups of sentences besides the verdicts: those that say something different from their
#: source, those with a mark that leads to no source, and facts without a citation.
CONTRADICTED, DANGLING, UNCITED = "contradicted", "dangling", "uncited"
#: The verdicts as they are shown, in the order in which a reader should see them.
RESULT_LABELS: Mapping[str, str] = {
    CONTRADICTED: N_("different from the source"),
    "not found": VERDICT_LABELS["not found"],
    "partly": VERDICT_LABELS["partly"],
    "could not check": VERDICT_LABELS["could not check"],
    "not decided": VERDICT_LABELS["not decided"],
    "supported": VERDICT_LABELS["supported"],
}


def find_shown_result(verdict: Verdict | Literal[""], fault: FaultKind) -> str:
    """Return the key of RESULT_LABELS for a verdict and what is wrong; "" without a verdict."""
    is_contradicted = fault in CONTRADICTIONS and verdict in ("partly", "not found")
    return CONTRADICTED if is_contradicted else verdict


@dataclass(frozen=True)
class AuditedCitation:
    """One cited work of a claim.

    work: key of the source; verdict, fault, note: of this work alone; start, end: the passage in
    the stored page, 0, 0 if none; passage: its text; likelihood: 0.0-1.0; by_model: a language
    model decided, and quoted the passage.
    """

    work: str
    verdict: Verdict
    fault: FaultKind = ""
    note: str = ""
    start: int = 0
    end: int = 0
    passage: str = ""
    likelihood: float = 0.0
    by_model: bool = False

    @property
    def result(self) -> str:
        """Return the key of RESULT_LABELS that it is shown with."""
        return find_shown_result(self.verdict, self.fault)


@dataclass(frozen=True)
class AuditedClaim:
    """A sentence or table cell of the report that cites something, or states a fact without.

    number: from 0, in the report; line: from 1; unresolved: marks that lead to no source, as
    written; verdict: "" for a fact without a citation; fault: what is wrong, "" if nothing.
    """

    number: int
    text: str
    line: int
    kind: Literal["sentence", "cell"]
    heading: str = ""
    verdict: Verdict | Literal[""] = ""
    fault: FaultKind = ""
    note: str = ""
    citations: tuple[AuditedCitation, ...] = ()
    unresolved: tuple[str, ...] = ()

    @property
    def is_cited(self) -> bool:
        return bool(self.citations or self.unresolved)

    @property
    def result(self) -> str:
        """Return the key of RESULT_LABELS that it is shown with; "" for an uncited fact."""
        return find_shown_result(self.verdict, self.fault)

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups that a reader can choose it by: results, DANGLING, UNCITED."""
        group = self.result or UNCITED
        return (group, DANGLING) if self.unresolved else (group,)


@dataclass(frozen=True)
class ReportSentence:
    """Any sentence or cell of the report, in reading order.

    paragraph: the same for all sentences of one paragraph or item.
    """

    text: str
    line: int
    heading: str = ""
    paragraph: int = 0


@dataclass(frozen=True)
class AuditedSource:
    """A work that the report lists or links.

    url: as the report has it, "" if none; entry: its line in the list of sources; reason: why it
    was not read, "" if it was; page: SHA-256 of the stored text, "" if none (see
    `snapshot.read_page_text`); archived_url, archived_day: the copy that was read or found in place
    of the page; retracted: the authority that says that it was, "" if none; parts: of its
    credibility, None for an own document and for a page that was not read; is_low: its credibility
    is at or below the minimum, or nothing is known of its host; is_unknown: the latter, and its
    kind of site has no low authority; copy_of: key of the source whose text it repeats; cited_by:
    number of claims.
    """

    key: str
    url: str
    entry: str = ""
    marks: tuple[str, ...] = ()
    state: SourceState = "not read"
    reason: str = ""
    title: str = ""
    final_url: str = ""
    page: str = ""
    archived_url: str = ""
    archived_day: str = ""
    retracted: str = ""
    parts: ScoreParts | None = None
    is_low: bool = False
    is_unknown: bool = False
    copy_of: str = ""
    cited_by: int = 0
    is_partial: bool = False


def describe_archived_copy(source: AuditedSource) -> str:
    """Say from which day the archived copy of a source is; "" without one."""
    if not source.archived_day:
        return ""
    return _("archived copy of {day}").format(day=source.archived_day)


def describe_retraction(source: AuditedSource) -> str:
    """Say that a source was retracted, and according to whom; "" if it was not."""
    if not source.retracted:
        return ""
    return _("retracted, according to {authority}").format(authority=source.retracted)


@dataclass(frozen=True)
class ScoreCard:
    """The numbers of an audit.

    claims: sentences and cells with a citation; contradicted: those that differ from their
    source (CONTRADICTIONS); contradicted_partly: those of them whose verdict is "partly", the
    verdict of the others is "not found"; single: those that rest on one source, copies counted
    once; low: sources of low or unknown credibility, own documents left out; unknown: those of
    them whose site is unknown, unless its kind has a low authority.
    """

    claims: int = 0
    supported: int = 0
    partly: int = 0
    not_found: int = 0
    not_decided: int = 0
    not_checked: int = 0
    contradicted: int = 0
    contradicted_partly: int = 0
    single: int = 0
    dangling: int = 0
    uncited_facts: int = 0
    sources: int = 0
    live: int = 0
    dead: int = 0
    never_existed: int = 0
    refused: int = 0
    paywalled: int = 0
    not_read: int = 0
    retracted: int = 0
    low: int = 0
    unknown: int = 0
    copies: int = 0
    never_cited: int = 0

    @property
    def other_partly(self) -> int:
        """The partly supported sentences that are not counted as contradicted."""
        return self.partly - self.contradicted_partly

    @property
    def other_not_found(self) -> int:
        """The sentences not found in their sources that are not counted as contradicted."""
        return self.not_found - (self.contradicted - self.contradicted_partly)

    @property
    def is_clean(self) -> bool:
        """Return True if sentences are cited, all are supported, and each mark has a source."""
        return 0 < self.claims == self.supported and not self.dangling

    def describe(self) -> list[str]:
        """Return the score card as sentences that can be quoted."""
        return _describe_card(self)


@dataclass(frozen=True)
class AuditResult:
    """The result of an audit, as far as it got.

    name: of the report; text: of the report, as Markdown; claims: those that cite, and facts
    without a citation, in reading order; sources: in order of first mention; complete: every claim
    was judged; read_claims: all sentences, by `AuditedClaim.number`; created: when the check was
    asked for, in seconds since the epoch; is_sample: the sample library was searched.
    """

    session: str
    name: str
    text: str
    claims: tuple[AuditedClaim, ...] = ()
    sources: tuple[AuditedSource, ...] = ()
    card: ScoreCard = ScoreCard()
    complete: bool = False
    language: str = "en"
    question: str = ""
    read_claims: tuple[ReportSentence, ...] = ()
    created: float = 0.0
    is_sample: bool = False

    @property
    def cited(self) -> tuple[AuditedClaim, ...]:
        return tuple(claim for claim in self.claims if claim.is_cited)

    @property
    def uncited_facts(self) -> tuple[AuditedClaim, ...]:
        return tuple(claim for claim in self.claims if not claim.is_cited)

    @property
    def never_cited(self) -> tuple[AuditedSource, ...]:
        return tuple(source for source in self.sources if not source.cited_by)

    def count_groups(self) -> dict[str, int]:
        """Count the claims of each group: by result, then DANGLING, UNCITED; no group is empty."""
        counts = Counter(group for claim in self.claims for group in claim.groups)
        order = (*RESULT_LABELS, DANGLING, UNCITED)
        return {group: counts[group] for group in order if counts[group]}

    def locate_claims(self) -> dict[int, str]:
        """Return the line of each claim by its number, and which of the line's sentences it is."""
        numbers: dict[int, list[int]] = {}
        for number, sentence in enumerate(self.read_claims):
            numbers.setdefault(sentence.line, []).append(number)
        places = {}
        for claim in self.claims:
            text = _("line {line}")
            beside = numbers.get(claim.line, [])
            place = beside.index(claim.number) + 1 if claim.number in beside else 0
            if place and len(beside) > 1 and claim.kind == "sentence":
                text = _("line {line}, sentence {place}")
            places[claim.number] = text.format(line=claim.line, place=place)
        return places

    def number_sources(self) -> dict[str, str]:
        """Return the mark of each source by its key: that of the report, else a further number."""
        marks: dict[str, str] = {}
        taken: set[str] = set()
        for source in self.sources:
            if source.marks and source.marks[0] not in taken:
                marks[source.key] = source.marks[0]
                taken.add(source.marks[0])
        number = max((int(mark) for mark in taken if mark.isdecimal()), default=0)
        for source in self.sources:
            if source.key not in marks:
                number += 1
                marks[source.key] = str(number)
        return marks


# ---------------------------------------------------------------- the fold


def fold_audit(events: Iterable[Event], open_value: Callable[[Any], Any]) -> AuditResult | None:
    """Return the audit that these events tell of; None if they are of another kind of run.

    open_value: resolves the references of stored texts (`EventLog.open`).
    """
    in_force = drop_voided(events)
    stored = next((event.data for event in in_force if event.kind == "given"), None)
    if stored is None:
        return None
    report = open_value(stored)
    run = fold_events(in_force)
    checks = {e.data["key"]: e.data for e in in_force if e.kind == "source_checked"}
    verdicts = {e.data["number"]: e.data for e in in_force if e.kind == "claim_checked"}
    read = _apply_found_addresses(json.loads(report["read"]), in_force)
    claims = _build_claims(read, verdicts, run, open_value)
    sources = _build_sources(read, claims, checks, run)
    expected = sum(1 for row in read["claims"] if row["works"] or row["unresolved"])
    return AuditResult(
        session=run.session,
        name=report["name"],
        text=report["text"],
        claims=claims,
        sources=sources,
        card=count_card(claims, sources),
        complete=len(verdicts) >= expected,
        language=run.language,
        question=run.question,
        read_claims=tuple(
            ReportSentence(row["text"], row["line"], row["heading"], row["paragraph"])
            for row in read["claims"]
        ),
        created=run.created,
        is_sample=searches_sample(run.settings.engines, run.settings.library),
    )


def _apply_found_addresses(read: Json, events: Iterable[Event]) -> Json:
    """Return what was read in the report with the addresses that registries have for its titles."""
    found: dict[str, str] = {}
    for event in events:
        if event.kind == "found" and "cited_as" in event.data:
            found[event.data["cited_as"]] = event.data["url"]
    if not found:
        return read
    claims = []
    for row in read["claims"]:
        claims.append({**row, "works": [found.get(key, key) for key in row["works"]]})
    works = []
    for row in read["works"]:
        if row["key"] in found:
            row = {**row, "key": found[row["key"]], "url": found[row["key"]]}
        works.append(row)
    return {**read, "claims": claims, "works": works}


def _map_copies(run: RunView) -> dict[str, str]:
    return map_copies(run, [url for url, source in run.sources.items() if source.read])


def _build_claims(
    read: Mapping[str, Any],
    verdicts: Mapping[int, Mapping[str, Any]],
    run: RunView,
    open_value: Callable[[Any], Any],
) -> tuple[AuditedClaim, ...]:
    pages: dict[str, str] = {}
    claims: list[AuditedClaim] = []
    for number, row in enumerate(read["claims"]):
        cited = bool(row["works"] or row["unresolved"])
        if not cited and not row["fact"]:
            continue
        found = verdicts.get(number)
        if cited and found is None:
            continue  # the run has not got there
        citations = []
        for each in (found or {}).get("citations", ()):
            if each["end"] and each["work"] not in pages:
                source = run.sources.get(each["work"], SourceView(""))
                pages[each["work"]] = open_value(source.page) or ""
            page = pages.get(each["work"], "")
            citations.append(AuditedCitation(**each, passage=page[each["start"] : each["end"]]))
        claims.append(
            AuditedClaim(
                number=number,
                text=row["text"],
                line=row["line"],
                kind=row["kind"],
                heading=row["heading"],
                verdict=found["verdict"] if found else "",
                fault=found["fault"] if found else "",
                note=found["note"] if found else "",
                citations=tuple(citations),
                unresolved=tuple(row["unresolved"]),
            )
        )
    return tuple(claims)


def _build_sources(
    read: Mapping[str, Any],
    claims: Sequence[AuditedClaim],
    checks: Mapping[str, Mapping[str, Any]],
    run: RunView,
) -> tuple[AuditedSource, ...]:
    copies = _map_copies(run)
    cited_by: dict[str, int] = {}
    for claim in claims:
        for key in dict.fromkeys(citation.work for citation in claim.citations):
            cited_by[key] = cited_by.get(key, 0) + 1
    sources: list[AuditedSource] = []
    for work in read["works"]:
        key = work["key"]
        source = run.sources.get(key, SourceView(key))
        check = checks.get(key, {})
        parts = find_shown_score(source, run)
        page = source.page if isinstance(source.page, dict) else {}
        archived = source.archived
        sources.append(
            AuditedSource(
                key=key,
                url=work["url"],
                entry=work["entry"],
                marks=tuple(work["marks"]),
                state=check.get("state", "not read"),
                reason=check.get("reason", source.failure),
                title=source.title,
                final_url=source.final_url,
                page=next(iter(page.values()), ""),
                archived_url=archived.url if archived else check.get("archived", ""),
                archived_day=archived.day if archived else check.get("archived_day", ""),
                retracted=check.get("retracted", "") or source.metadata.retracted,
                parts=parts,
                is_low=parts is not None and _is_low(parts, run),
                is_unknown=parts is not None and _is_unknown(parts, run),
                copy_of=copies.get(key, ""),
                cited_by=cited_by.get(key, 0),
                is_partial=source.partial,
            )
        )
    return tuple(sources)


def _is_low(parts: ScoreParts, run: RunView) -> bool:
    """Return True if nothing is known of the host, or its authority is at or below the minimum."""
    return parts.basis == "unknown" or parts.domain <= run.settings.credibility.minimum


def _is_unknown(parts: ScoreParts, run: RunView) -> bool:
    """Return True if nothing is known of the host, and its kind has no low authority."""
    return parts.basis == "unknown" and parts.domain > run.settings.credibility.minimum


# ---------------------------------------------------------------- the score card


def count_card(claims: Sequence[AuditedClaim], sources: Sequence[AuditedSource]) -> ScoreCard:
    """Count the verdicts and the states."""
    cited = [claim for claim in claims if claim.is_cited]
    verdicts = [claim.verdict for claim in cited]
    contradicted = [claim.verdict for claim in cited if claim.result == CONTRADICTED]
    states = [source.state for source in sources]
    original = {source.key: source.copy_of or source.key for source in sources}
    single = 0
    for claim in cited:
        works = {original.get(citation.work, citation.work) for citation in claim.citations}
        single += len(works) == 1
    return ScoreCard(
        claims=len(cited),
        supported=verdicts.count("supported"),
        partly=verdicts.count("partly"),
        not_found=verdicts.count("not found"),
        not_decided=verdicts.count("not decided"),
        not_checked=verdicts.count("could not check"),
        contradicted=len(contradicted),
        contradicted_partly=contradicted.count("partly"),
        single=single,
        dangling=sum(len(claim.unresolved) for claim in cited),
        uncited_facts=len(claims) - len(cited),
        sources=len(sources),
        live=states.count("live"),
        dead=states.count("dead"),
        never_existed=states.count("never existed"),
        refused=states.count("refused"),
        paywalled=states.count("paywalled"),
        not_read=states.count("not read"),
        retracted=sum(bool(source.retracted) for source in sources),
        low=sum(source.is_low for source in sources),
        unknown=sum(source.is_unknown for source in sources),
        copies=sum(bool(source.copy_of) for source in sources),
        never_cited=sum(not source.cited_by for source in sources),
    )


def _describe_card(card: ScoreCard) -> list[str]:
    return [
        _describe_verdicts(card),
        *_describe_sources(card),
        *_describe_uncited(card),
    ]


def _describe_verdicts(card: ScoreCard) -> str:
    if not card.claims:
        return _("No sentence of this report cites a source.")
    if card.contradicted:
        return end_with_stop(join_list(_list_results(card)))
    return (
        # Without a verb: it would have to agree with two of the numbers.
        ngettext(
            "{claims} cited sentence: {supported} supported, {partly} partly supported, {not_found}"
            " not found, {not_decided} not decided, {not_checked} could not be checked.",
            "{claims} cited sentences: {supported} supported, {partly} partly supported,"
            " {not_found} not found, {not_decided} not decided, {not_checked} could not be checked.",
            card.claims,
        ).format(
            claims=card.claims,
            supported=card.supported,
            partly=card.partly,
            not_found=card.not_found,
            not_decided=card.not_decided,
            not_checked=card.not_checked,
        )
    )


def describe_contradicted(count: int, total: int) -> str:
    """Say how many of all cited sentences say something different from their sources."""
    text = ngettext(
        "{count} of {total} cited sentences says something different from its source",
        "{count} of {total} cited sentences say something different from their sources",
        count,
    )
    return text.format(count=count, total=total)


def _list_results(card: ScoreCard) -> list[str]:
    """List the counts of sentences, those that say something different from their sources first."""
    not_found, partly = card.other_not_found, card.other_partly
    counted = (
        (
            not_found,
            ngettext(
                "{count} was not found in its source",
                "{count} were not found in their sources",
                not_found,
            ),
        ),
        (
            card.not_checked,
            ngettext(
                "{count} could not be checked", "{count} could not be checked", card.not_checked
            ),
        ),
        (
            card.not_decided,
            ngettext("{count} is not decided", "{count} are not decided", card.not_decided),
        ),
        (partly, ngettext("{count} is partly supported", "{count} are partly supported", partly)),
    )
    clauses = [describe_contradicted(card.contradicted, card.claims)]
    clauses += [text.format(count=count) for count, text in counted if count]
    supported = ngettext("{count} is supported", "{count} are supported", card.supported)
    return [*clauses, supported.format(count=card.supported)]


def _describe_sources(card: ScoreCard) -> list[str]:
    """Return a sentence for each defect that any source has."""
    counted = (
        (
            card.never_existed,
            ngettext(
                "{count} of {total} sources never existed.",
                "{count} of {total} sources never existed.",
                card.never_existed,
            ),
        ),
        (
            card.dead,
            ngettext(
                "{count} of {total} sources is a dead link.",
                "{count} of {total} sources are dead links.",
                card.dead,
            ),
        ),
        (
            card.retracted,
            ngettext(
                "{count} of {total} sources was retracted.",
                "{count} of {total} sources were retracted.",
                card.retracted,
            ),
        ),
        (
            card.low - card.unknown,
            ngettext(
                "{count} of {total} sources has low credibility.",
                "{count} of {total} sources have low credibility.",
                card.low - card.unknown,
            ),
        ),
        (
            card.unknown,
            ngettext(
                "{count} of {total} sources is from an unknown site.",
                "{count} of {total} sources are from unknown sites.",
                card.unknown,
            ),
        ),
        (
            card.never_cited,
            ngettext(
                "{count} of {total} sources is listed and never cited.",
                "{count} of {total} sources are listed and never cited.",
                card.never_cited,
            ),
        ),
    )
    return [text.format(count=count, total=card.sources) for count, text in counted if count]


def _describe_uncited(card: ScoreCard) -> list[str]:
    """Return a sentence for each way in which sentences lack a source."""
    counted = (
        (
            card.single,
            ngettext(
                "{count} of {total} cited sentences rests on a single source.",
                "{count} of {total} cited sentences rest on a single source.",
                card.single,
            ),
        ),
        (
            card.dangling,
            ngettext(
                "{count} citation has no matching source in the report.",
                "{count} citations have no matching source in the report.",
                card.dangling,
            ),
        ),
        (
            card.uncited_facts,
            ngettext(
                "{count} sentence states a figure, a date or a name without a source.",
                "{count} sentences state a figure, a date or a name without a source.",
                card.uncited_facts,
            ),
        ),
    )
    return [text.format(count=count, total=card.claims) for count, text in counted if count]
