"""Gather the sources of a given report: read each once, and judge its claims while others load.

One thread owns all state; tasks on the pool make recorded calls. A claim is judged as soon as the
last of its sources is known. Nothing is searched and nothing is planned: the sources are those that
the report names, whatever their credibility.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from research_core.citations.checks.cited_source import (
    SAME_WORK_NOTE,
    SourceReading,
    combine_sources,
    find_registered_work,
    has_searchable_title,
    judge_source,
    leave_unread,
    read_source,
)
from research_core.citations.checks.claim_verdict import (
    OLDER_RULES,
    RULES,
    RULES_VERSION,
    ClaimVerdict,
    VerdictRules,
    judge_claim,
)
from research_core.errors import CallForbidden, CapReached, UsageError
from research_core.i18n import _, gettext
from research_core.journal.deps import Deps
from research_core.journal.events import STOP_AUDIT, Draft, sha256
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import Json
from research_core.modes import ResearchMode
from research_core.pipeline import early_stop, later_modules
from research_core.text.passages import make_passages
from research_core.trust import credibility, ratings
from research_core.urls import canonical_url, is_own_document

POLL_S = 0.2
MODELS_PARAMS: Json = {"asked": "whether models of this machine help to judge claims"}
#: The answer where models only choose the passage that is shown, of pages with few of the words.
MODELS_CHOOSE = "passages"
#: The parameters of the recorded fact that holds the report (see `sessions.audits`).
GIVEN_PARAMS: Json = {"asked": "the report to check"}
#: Decimals of a recorded likelihood.
LIKELIHOOD_DECIMALS = 4
#: Works without an address whose titles are searched, in one report.
MAX_TITLE_SEARCHES = 200
#: A task that is done: the source, its error or None, its reading, or the address that registries
#: have for its title with a sentence if they have none.
Answer = tuple[str, BaseException | None, SourceReading | tuple[str, str] | None]


def gather(_question: str, _mode: ResearchMode, deps: Deps) -> None:
    """Read the cited sources and judge the claims. Raises Stopped and StoreError."""
    AuditRun(read_given(deps), deps).run()


def read_given(deps: Deps) -> Json:
    """Return the report to check: name, text, and what was read in it as JSON ("read")."""

    def refuse() -> Json:
        raise UsageError(
            "This session holds no report to check.", next_step="Start it with `assay audit FILE`."
        )

    given: Json = deps.http.record_fact(GIVEN_PARAMS, refuse)
    return given


@dataclass
class AuditRun:
    """The coordinator of one audit.

    given: the report; claims, works: as read in it; waiting: the numbers of the claims that a
    source belongs to; ranks: places of the works in the report; searched: works whose titles are
    searched and whose answers are not taken yet, in order; found: answers to those that came before
    the answer to an earlier one; pages: texts of the sources that were read; settled: sources whose
    reading has ended; verdicts: by claim, then source; models: which verdicts models of the machine
    that began the run help to find, so that they are recorded: MODELS_CHOOSE, True for all, False
    for none; rules: those of the session, under whose older versions no title is searched, and no
    error page told from a page.
    """

    given: Json
    deps: Deps
    claims: list[Json] = field(default_factory=list)
    works: dict[str, Json] = field(default_factory=dict)
    waiting: dict[str, list[int]] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    searched: list[str] = field(default_factory=list)
    found: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    verdicts: dict[int, dict[str, ClaimVerdict]] = field(default_factory=dict)
    answers: queue.SimpleQueue[Answer] = field(default_factory=queue.SimpleQueue)
    pending: set[str] = field(default_factory=set)
    models: bool | str = False
    rules: VerdictRules = RULES
    last_command: int = 0
    polled_at: float = 0.0
    judged_at: float = 0.0

    def __post_init__(self) -> None:
        if not runs_under(read_rules(self.deps.log), "scoring", RULES_VERSION):
            self.rules = OLDER_RULES
        read = json.loads(self.given["read"])
        self.claims = read["claims"]
        self.works = {work["key"]: work for work in read["works"]}
        for number, claim in enumerate(self.claims):
            for key in claim["works"]:
                self.waiting.setdefault(key, []).append(number)

    def run(self) -> None:
        """Read and judge until every source is known or the run is stopped."""
        self.deps.log.append(
            Draft("given", self.given, "given"),
            Draft("planned", {"part": "plan", "type": "audit", "queries": []}, "plan"),
        )
        # A machine with other models, which resumes or replays the run, has to judge as this one.
        self.models = self.deps.http.record_fact(MODELS_PARAMS, self._find_models)
        addressed = [key for key, work in self.works.items() if work["url"]]
        ranked = addressed if self.rules is OLDER_RULES else self.works
        self.ranks = {key: rank for rank, key in enumerate(ranked)}
        self._record_sources(addressed)
        titled = self._choose_searched()
        self.searched = list(titled)
        stopped = self.deps.log.find_choice(STOP_AUDIT)
        # Sources that claims wait for come first.
        wanted = sorted(addressed, key=lambda key: key not in self.waiting)
        if stopped is not None:
            self.deps.http.close()
            wanted = [key for key in wanted if key in set(stopped["read"])]
            taken = {*stopped["read"], *stopped.get("found", titled)}
            self.searched = [key for key in titled if key in taken]
        self._begin_reading(wanted)
        for number, claim in enumerate(self.claims):
            if claim["unresolved"] and not claim["works"]:
                self.deps.log.append(self._draft_claim(number))
        for key in self.searched:
            self._submit(key, partial(self._find, key))
        for key, work in list(self.works.items()):
            if not work["url"] and key not in titled:
                self._settle_unread(key, _("The report gives no address of it."))
        why = self._take_answers() if stopped is None else self._take_stopped(stopped)
        for key in list(self.works):
            if key not in self.settled:
                self._settle_unread(key, _("Not read: {why}.").format(why=why))
        self._record_passages()

    # -- reading -------------------------------------------------------------------

    def _record_sources(self, keys: Sequence[str]) -> None:
        """Record each source with its credibility, and that it is to be read."""
        rated = ratings.look_up_ratings(self.deps, keys)
        drafts: list[Draft] = []
        for key in keys:
            work = self.works[key]
            # What it is cited for stands in for the snippet of a search.
            cited_for = work["entry"]
            for number in self.waiting.get(key, ())[:1]:
                cited_for = self.claims[number]["text"]
            parts = None
            if not is_own_document(key):
                policy = self.deps.run.credibility
                parts = credibility.assess(
                    key, cited_for, cited_for, policy, ratings=rated.get(key)
                )
            data: Json = {
                "url": key,
                "title": "",
                "snippet": cited_for,
                "engine": "report",
                "order": 0,
                "rank": self.ranks[key],
                "parts": asdict(parts) if parts else None,
            }
            if "cited_as" in work:
                data["cited_as"] = work["cited_as"]
            if rated.get(key):
                data["ratings"] = dict(rated[key])
            drafts.append(Draft("found", data, f"0:{key}"))
            drafts.append(Draft("admitted", {"url": work["key"]}, key))
        if drafts:
            self.deps.log.append(*drafts)

    def _choose_searched(self) -> list[str]:
        """Return the works without an address whose titles are searched, cited ones first."""
        if self.deps.run.library_only or self.rules is OLDER_RULES:
            return []
        titled = [key for key, work in self.works.items() if has_searchable_title(work)]
        titled.sort(key=lambda key: key not in self.waiting)
        return titled[:MAX_TITLE_SEARCHES]

    def _begin_reading(self, keys: Sequence[str]) -> None:
        if keys:
            self.deps.log.append(*(Draft("fetch", {"url": key}, key) for key in keys))
        checks = self.rules is not OLDER_RULES
        for key in keys:
            read = partial(read_source, self.works[key], self.deps, checks_content=checks)
            self._submit(key, read)

    def _find(self, key: str) -> tuple[str, str]:
        return find_registered_work(self.works[key], self.deps)

    def _submit(self, key: str, task: Callable[[], SourceReading | tuple[str, str]]) -> None:
        """Run a task on the pool, and queue its result for the coordinator's thread."""

        def run() -> None:
            try:
                later_modules.wait_until_opened()
                answer: Answer = (key, None, task())
            except BaseException as error:  # noqa: BLE001 - the coordinator's thread raises it
                answer = (key, error, None)
            self.answers.put(answer)

        self.pending.add(key)
        self.deps.pool.submit(run)

    def _take_answers(self) -> str:
        """Take readings until none is under way; return why the run ended early, or ""."""
        while self.pending:
            try:
                key, error, reading = self.answers.get(timeout=POLL_S)
            except queue.Empty:
                key, error, reading = "", None, None
            self.pending.discard(key)
            if isinstance(error, CapReached):
                return self._stop(early_stop.explain_cap(error.cap))
            if error is not None:
                raise error
            if reading is not None:
                self._on_answer(key, reading)
            why = self._poll()
            if why:
                return self._stop(why)
        return ""

    def _take_stopped(self, decision: Mapping[str, Any]) -> str:
        """Take the readings that the decision of an earlier attempt counts; the log answers them.

        A reading that an earlier attempt did not finish is answered from the log as far as it got.
        """
        while self.pending:
            key, error, reading = self.answers.get()
            self.pending.discard(key)
            if error is not None and not isinstance(error, (CallForbidden, CapReached)):
                raise error
            if reading is not None or key in self.searched:
                self._on_answer(key, reading, counted=decision["read"])
        return str(decision["why"])

    def _poll(self) -> str:
        """Check for a cancel; return why the run has to stop, or ""."""
        now = time.monotonic()
        if now - self.polled_at < POLL_S:
            return ""
        self.polled_at = now
        self.deps.http.check_stop()
        if self.deps.log.readonly:
            return ""
        for command in self.deps.log.read(self.last_command, kinds=("command",)):
            self.last_command = command.seq
            if command.data["do"] == "stop":
                return early_stop.ANALYST_REASON
        return early_stop.explain_cap("seconds") if self.deps.http.out_of_time() else ""

    def _stop(self, why: str) -> str:
        """Record that nothing more is read, and what counts."""
        found = [work["cited_as"] for work in self.works.values() if "cited_as" in work]
        decision = {
            "do": STOP_AUDIT,
            "why": why,
            "read": sorted(self.settled),
            # An answer that comes now was not taken by this run, and a replay must not take it.
            "found": sorted(found),
        }
        (event,) = self.deps.log.append(Draft("decide", decision, STOP_AUDIT))
        self.deps.http.close()
        return str(event.data["why"])

    def _on_answer(
        self,
        key: str,
        answer: SourceReading | tuple[str, str] | None,
        *,
        counted: Collection[str] | None = None,
    ) -> None:
        """Take the reading of a source, or read works at the addresses found for their titles.

        answer: None for a title that a stopped run could not search. counted: the sources that a
        stopped run read, None if it goes on.
        """
        if isinstance(answer, SourceReading):
            self._on_read(key, answer)
            return
        self.found[key] = answer
        # In the order of the report: of two titles with one address, the first is read there.
        while self.searched and self.searched[0] in self.found:
            first = self.searched.pop(0)
            known = self.found.pop(first)
            if known is not None:
                self._on_found(first, *known, counted)

    def _on_found(self, key: str, url: str, note: str, counted: Collection[str] | None) -> None:
        """Read a work at the address found for its title, or settle why it cannot be read."""
        new = canonical_url(url) if url else ""
        if not url or new in self.works:
            if url:
                note = gettext(SAME_WORK_NOTE)
            if counted is None or key in counted:
                self._settle_unread(key, note)
            return
        rename_work(self.works, self.claims, key, new)
        self.waiting[new] = self.waiting.pop(key, [])
        self.ranks[new] = self.ranks[key]
        self._record_sources([new])
        if counted is None or new in counted:
            self._begin_reading([new])

    def _on_read(self, key: str, reading: SourceReading) -> None:
        page = reading.page
        if page is None:
            fetched: Json = {"url": key, "failure": reading.failure}
        else:
            fetched = {
                "url": key,
                **reading.facts,
                "page": page.text,
                "characters": len(page.text),
            }
            self.pages[key] = page.text
        self.deps.log.append(
            Draft("fetched", fetched, key), Draft("source_checked", reading.check, key)
        )
        self._settle(key, reading)

    def _settle_unread(self, key: str, reason: str) -> None:
        reading = leave_unread(key, reason)
        self.deps.log.append(Draft("source_checked", reading.check, key))
        self._settle(key, reading)

    # -- judging -------------------------------------------------------------------

    def _settle(self, key: str, reading: SourceReading) -> None:
        """Judge the claims that cite a source, and record those whose sources are all known."""
        self.settled.add(key)
        drafts: list[Draft] = []
        for number in self.waiting.get(key, ()):
            verdict = judge_source(reading, partial(self._judge_text, self.claims[number]))
            if reading.page is not None and self._poll_cancel():
                self._record_claims(drafts)
            self.verdicts.setdefault(number, {})[key] = verdict
            if self.settled.issuperset(self.claims[number]["works"]):
                drafts.append(self._draft_claim(number))
        self._record_claims(drafts)

    def _record_claims(self, drafts: list[Draft]) -> None:
        """Record verdicts in one transaction, and empty the list."""
        if drafts:
            self.deps.log.append(*drafts)
            drafts.clear()

    def _poll_cancel(self) -> bool:
        """Check for a cancel between verdicts, which take a while on long pages.

        Return whether it was time to.
        """
        now = time.monotonic()
        if now - max(self.polled_at, self.judged_at) < POLL_S:
            return False
        self.judged_at = now
        self.deps.http.check_stop()
        return True

    def _find_models(self) -> bool | str:
        if self.deps.entailment is not None:
            return True
        embeds = self.deps.embedder is not None and not self.deps.embedder.why
        return MODELS_CHOOSE if embeds and self.deps.run.chooses_by_meaning else False

    def _judge_text(self, claim: Json, text: str, *, is_excerpt: bool = False) -> ClaimVerdict:
        """Judge a claim against a page, or against joined passages of several.

        What is decided with models of this machine is recorded.
        """
        judge = partial(
            judge_claim,
            claim["text"],
            text,
            context=claim["heading"],
            is_excerpt=is_excerpt,
            rules=self.rules,
        )
        if not self.models:
            return judge()
        chooses = self.deps.run.chooses_by_meaning
        judge = partial(
            judge,
            embedder=self.deps.embedder if chooses else None,
            entailment=None if self.models == MODELS_CHOOSE else self.deps.entailment,
        )

        def keep(decide: Callable[[], ClaimVerdict]) -> ClaimVerdict:
            params: Json = {
                "asked": "a verdict on a claim",
                "claim": claim["text"],
                "context": claim["heading"],
                "page": sha256(text.encode("utf-8", "surrogatepass")),
            }
            if is_excerpt:
                params["excerpt"] = True
            recorded = self.deps.http.record_fact(
                params, lambda: asdict(_round_likelihood(decide()))
            )
            return ClaimVerdict(**recorded)

        if self.models == MODELS_CHOOSE:
            return _round_likelihood(judge(keep=keep))
        return keep(judge)

    def _draft_claim(self, number: int) -> Draft:
        """Return the event of the verdict on a claim whose sources are all known."""
        claim = self.claims[number]
        by_work = self.verdicts.pop(number, {})
        citations = [(key, by_work[key]) for key in claim["works"]]
        whole = combine_sources(
            claim["text"],
            citations,
            self.pages,
            context=claim["heading"],
            judge=partial(self._judge_text, claim, is_excerpt=True),
        )
        data: Json = {
            "number": number,
            "verdict": whole.verdict,
            "fault": whole.kind,
            "note": whole.note,
            "citations": [describe_citation(key, verdict) for key, verdict in citations],
        }
        return Draft("claim_checked", data, str(number))

    # -- passages ------------------------------------------------------------------

    def _record_passages(self) -> None:
        """Record the passages that verdicts name, by source."""
        spans: dict[str, dict[int, int]] = {key: {} for key in self.pages}
        for data in self._iterate_verdicts():
            for citation in data["citations"]:
                if citation["end"]:
                    ends = spans[citation["work"]]
                    start = citation["start"]
                    ends[start] = max(citation["end"], ends.get(start, 0))
        drafts = []
        for key, page in self.pages.items():
            found = make_passages(page, sorted(spans[key].items()))
            data = {"url": key, "passages": [asdict(each) for each in found], "summary": ""}
            drafts.append(Draft("passages", data, key))
        if drafts:
            self.deps.log.append(*drafts)

    def _iterate_verdicts(self) -> Iterator[Json]:
        for event in list(self.deps.log.emitted):
            if event.kind == "claim_checked":
                yield event.data


def rename_work(works: dict[str, Json], claims: Sequence[Json], key: str, new: str) -> None:
    """Give a work without an address the one that was found for it, also in the claims."""
    works[new] = {**works.pop(key), "key": new, "url": new, "cited_as": key}
    for claim in claims:
        if key in claim["works"]:
            claim["works"] = [new if each == key else each for each in claim["works"]]


def describe_citation(key: str, verdict: ClaimVerdict) -> Json:
    """Return one citation of a `claim_checked` event."""
    return {
        "work": key,
        "verdict": verdict.verdict,
        "fault": verdict.kind,
        "note": verdict.note,
        "start": verdict.start,
        "end": verdict.end,
        "likelihood": round(verdict.likelihood, LIKELIHOOD_DECIMALS),
    }


def _round_likelihood(verdict: ClaimVerdict) -> ClaimVerdict:
    return replace(verdict, likelihood=round(verdict.likelihood, LIKELIHOOD_DECIMALS))
