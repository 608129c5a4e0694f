"""Gather sources with the planned strategy: plan, search, read and judge without stage barriers.

The result does not depend on the order of answers. One thread owns all state and decides; tasks on
the pool make recorded calls and never wait for each other. The coordinator writes events and
returns nothing; fold them to learn what was gathered. It neither decides what is kept nor writes
text.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from research_core.errors import CallForbidden, CapReached, FetchError
from research_core.journal.deps import Deps
from research_core.journal.events import Draft, Event
from research_core.model_messages import Json
from research_core.models import (
    ANSWERED_STATES,
    EngineOutcome,
    Page,
    SearchQuery,
    SearchResult,
    Summary,
)
from research_core.modes import ResearchMode
from research_core.pipeline import admission, batch_judge, fallback_judge
from research_core.pipeline.admission import (
    GAPS,
    INSTRUCTED,
    INSTRUCTION_SHARE,
    LAST,
    PLANNED,
    QUESTION,
    REFINED,
    SPARE,
)
from research_core.pipeline.plan import Gaps, Plan, find_gaps, plan_research, refine_query
from research_core.pipeline.redirects import Redirects
from research_core.pipeline.summarize import summarize
from research_core.search.engines import ask_engine, may_reuse_in_queries, merge_results
from research_core.text.question import asks_to_exclude, build_instruction_query, make_standalone
from research_core.trust import copies, credibility, independence, ratings
from research_core.urls import is_own_document
from research_core.web.fetch.read_page import read_page

POLL_S = 0.2
STOP_GRACE_S = 2.0
STEERING = ("approve", "strike", "restore")
Then = Callable[[Any], None]


def gather(question: str, mode: ResearchMode, deps: Deps) -> None:
    """Do everything a run does before the gate. Raises Stopped, StoreError and CallForbidden."""
    Gather(question, mode, deps).run()


class Gather:
    """The state of one run while sources come in.

    `run` returns when everything wanted is judged, or the run was stopped.
    """

    def __init__(self, question: str, mode: ResearchMode, deps: Deps) -> None:
        self.question = make_standalone(question, deps.run.follows)
        self.mode = mode
        self.deps = deps
        self.done: queue.SimpleQueue[tuple[Then, BaseException | None, Any]] = queue.SimpleQueue()
        self.pending = 0
        # Queries that are asked or certain to be asked, and whose lists are not in yet.
        self.due: set[int] = {QUESTION}
        self.queries = {QUESTION: question}
        self.answers: dict[int, dict[int, EngineOutcome]] = {}
        self.lists: dict[int, list[str]] = {}
        self.scores: dict[str, float] = {}
        self.shares = admission.get_first_wave_shares(mode)
        self.parts: list[str] = []
        self.redirects = Redirects(self.question, deps.run)
        self.started: set[str] = set()
        # Sources that could not be read or were redirected to a blocked site.
        self.dead: set[str] = set()
        self.summaries: dict[str, Summary] = {}
        self.witnesses: dict[str, independence.SourceIdentity] = {}
        self.judging: set[str] = set()
        self.judgements: dict[str, Mapping[str, Any]] = {}
        self.approved: set[str] = set(deps.run.approved) - set(deps.run.struck)
        self.restored: set[str] = set()
        # Sources approved at any time are judged wherever they redirect. A replay knows an approval
        # from its start, so taking it back must not count.
        self.vouched = set(self.approved)
        # Sources struck before the run that would otherwise be allowed. They are in no list, so that
        # restoring one changes no list.
        self.aside: set[str] = set()
        self.instructions = 0
        self.seen_command = 0
        self.listened = 0.0
        self.why = ""
        self.stopping_since: float | None = None
        self.stop: Mapping[str, Any] | None = None

    # -- the run ---------------------------------------------------------------

    def run(self) -> None:
        self._begin_as_decided()
        question = SearchQuery(self.question, QUESTION)
        self._record_plan_part("question", [question], {})
        self._start(
            partial(
                plan_research, self.question, self.mode, self.deps.model, self.deps.run.follows
            ),
            self._on_plan,
        )
        self._search(question)
        self._settle(self._first_wave_read)
        if self.mode.hold_for_gaps:
            self._look_for_gaps()
        self._settle()
        if not self.mode.hold_for_gaps and self._has_too_few():
            self._look_for_gaps()
            self._settle()
        self._fill(LAST)
        self._settle()
        self._judge_again()
        self._consume_late_commands()

    def _settle(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Process answers until nothing is under way, enough is known, or a stop is complete."""
        while (
            self.pending
            and not self._is_stopped()
            and (self.stopping_since is not None or not enough())
        ):
            try:
                then, error, value = self.done.get(timeout=POLL_S)
            except queue.Empty:
                self._listen()
                continue
            self.pending -= 1
            self._take(then, error, value)
            self._listen()
        if self.stopping_since is not None:
            self._record_stop()

    def _take(self, then: Then, error: BaseException | None, value: Any) -> None:
        if isinstance(error, CapReached):
            self._begin_stop(fallback_judge.explain_cap(error.cap))
        elif error is None:
            then(value)
        elif self.stop is None or not isinstance(error, CallForbidden):
            # A forbidden call of a stopped run was abandoned when the run was stopped.
            raise error

    def _start(self, task: Callable[[], Any], then: Then, *, still: bool = False) -> None:
        """Run a task on the pool and pass its value to `then` on the coordinator's thread.

        still: also start it while a stop is being completed.
        """
        if self.stopping_since is not None and not still:
            return
        self.pending += 1

        def work() -> None:
            try:
                answer: tuple[Then, BaseException | None, Any] = (then, None, task())
            except BaseException as error:  # noqa: BLE001 - the coordinator's thread raises it
                answer = (then, error, None)
            self.done.put(answer)

        self.deps.pool.submit(work)

    # -- plan and search -------------------------------------------------------

    def _on_plan(self, plan: Plan) -> None:
        queries = [
            SearchQuery(text, PLANNED + n, "planned")
            for n, text in enumerate(plan.queries[: len(self.mode.planned_shares)])
        ]
        made = {
            "type": plan.type,
            "strategy": plan.strategy,
            "sub_questions": list(plan.sub_questions),
            "note": plan.note,
        }
        self._record_plan_part("plan", queries, made)
        self._ask_all(queries)

    def _on_refined(self, text: str) -> None:
        # Not compared with the plan, which may come before or after; a query that both name is one
        # recorded call.
        queries = [SearchQuery(text, REFINED, "refined")] if text and text != self.question else []
        self._record_plan_part("refined", queries, {})
        self._ask_all(queries)

    def _on_gaps(self, gaps: Gaps) -> None:
        new = [text for text in gaps.queries if text not in self.queries.values()][
            : len(self.mode.gap_shares)
        ]
        queries = [SearchQuery(text, GAPS + n, "gap") for n, text in enumerate(new)]
        self.shares |= admission.compute_gap_shares(self.mode, len(self._find_living()))
        self._record_plan_part("gaps", queries, {"gaps": list(gaps.gaps), "note": gaps.note})
        self._ask_all(queries)

    def _record_plan_part(
        self, part: str, queries: Sequence[SearchQuery], data: Mapping[str, Any]
    ) -> None:
        self.parts.append(part)
        self._emit("planned", part, part=part, queries=[asdict(query) for query in queries], **data)

    def _ask_all(self, queries: Iterable[SearchQuery]) -> None:
        for query in queries:
            self.due.add(query.order)
            self.queries[query.order] = query.text
            self._search(query)
        self._wave()

    def _search(self, query: SearchQuery) -> None:
        self.answers[query.order] = {}
        for place, engine in enumerate(self.deps.engines):
            self._start(
                partial(ask_engine, engine, query, self.deps),
                partial(self._on_engine, query, place),
            )

    def _on_engine(self, query: SearchQuery, place: int, outcome: EngineOutcome) -> None:
        self._emit(
            "searched" if outcome.state in ANSWERED_STATES else "search_failed",
            f"{query.order}:{outcome.engine}",
            order=query.order,
            place=place,
            query=query.text,
            engine=outcome.engine,
            state=outcome.state,
            reason=outcome.reason,
            results=len(outcome.results),
        )
        answers = self.answers[query.order]
        answers[place] = outcome
        if len(answers) == len(self.deps.engines):
            outcomes = [answers[engine] for engine in sorted(answers)]
            self._on_results(query, merge_results(outcomes))

    def _on_results(self, query: SearchQuery, results: Sequence[SearchResult]) -> None:
        if query.order == QUESTION:
            told = [result for result in results if may_reuse_in_queries(result.url, self.deps)]
            self._start(
                partial(refine_query, self.question, told, self.deps.model), self._on_refined
            )
        self.lists[query.order] = self._score(query, results)
        self.due.discard(query.order)
        self._wave()

    def _score(self, query: SearchQuery, results: Sequence[SearchResult]) -> list[str]:
        """Record every result with its score and return the allowed URLs in the engine's order."""
        policy = self.deps.run.credibility
        share = self.shares.get(query.order, 0)
        rated = ratings.look_up_ratings(self.deps, [result.url for result in results])
        drafts: list[Draft] = []
        allowed: list[str] = []
        for rank, result in enumerate(results):
            url = result.url
            key = f"{query.order}:{url}"
            expert_ratings = rated.get(url)
            parts = None
            if not is_own_document(url):
                parts = credibility.assess(
                    url, result.snippet, self.question, policy, ratings=expert_ratings
                )
            data: Json = {
                "url": url,
                "title": result.title,
                "snippet": result.snippet,
                "engine": result.engine,
            }
            if expert_ratings:
                data["ratings"] = expert_ratings
            data["order"] = query.order
            data["rank"] = rank
            data["parts"] = asdict(parts) if parts else None
            drafts.append(Draft("found", data, key))
            self.redirects.add_listing(result, query.order, rank, parts)
            passes = parts is None or not policy.blocks(parts.score)
            if url in self.deps.run.struck:
                if passes:
                    self.aside.add(url)
            elif passes:
                allowed.append(url)
                if query.order < INSTRUCTED:
                    score = parts.score if parts else 0.0
                    self.scores[url] = max(self.scores.get(url, 0.0), score)
            elif parts and len(allowed) < share and url not in self.deps.run.approved:
                # It would have been read, so its refusal is recorded.
                refusal = {"url": url, "score": parts.score, "order": query.order}
                drafts.append(Draft("blocked", refusal, key))
        if drafts:
            self.deps.log.append(*drafts)
        return allowed

    # -- admission -------------------------------------------------------------

    def _wave(self) -> None:
        """Start what is wanted; share out unused places once the first wave's searches are in."""
        if {"plan", "refined"} <= set(self.parts) and not self.due and SPARE not in self.lists:
            self._fill(SPARE)
        self._admit()

    def _fill(self, order: int) -> None:
        """Add a list of the candidates no query has taken, for the places still free."""
        self.lists[order], self.shares[order] = admission.fill_extra_list(
            order, self.lists, self.shares, self.scores, self.dead, self.mode
        )
        self._admit()

    def _admit(self) -> None:
        """Update what redirects decided, then begin everything that is wanted.

        A source redirected to a blocked site gives back its place; one that passes is judged.
        """
        known = dict(
            self.redirects.iterate_decided(
                admission.find_first_pending(self.due | self.answers.keys(), self.lists, self.parts)
            )
        )
        self.dead |= {url for url in known if not known[url]}
        for url in sorted(known.keys() - self.dead | self.vouched):
            self._judge(url)
        wanted = (
            admission.select_wanted(self.lists, self.shares, self.dead)
            | self.approved
            | (self.aside & self.restored)
        )
        self._begin(sorted(wanted - self.started))

    def _begin(self, new: Sequence[str]) -> None:
        if self._is_ending() or not new:
            return
        self.started.update(new)
        self.deps.log.append(
            *(Draft(kind, {"url": url}, url) for url in new for kind in ("admitted", "fetch"))
        )
        for url in new:
            self._start(partial(self._read, url), partial(self._on_read, url))

    def _find_living(self) -> frozenset[str]:
        """Return the living sources that use places of the budget.

        Sources approved or restored by hand use none.
        """
        return admission.select_wanted(
            admission.select_budget_lists(self.lists), self.shares, self.dead
        )

    # -- read and judge --------------------------------------------------------

    def _read(self, url: str) -> tuple[Page, Json, Summary] | FetchError:
        try:
            page = read_page(url, self.deps)
        except FetchError as error:
            return error
        return (
            page,
            {**copies.collect_facts(page), **ratings.rate_redirect(self.deps, url, page.final_url)},
            summarize(self.question, page),
        )

    def _on_read(self, url: str, reading: tuple[Page, Json, Summary] | FetchError) -> None:
        if isinstance(reading, FetchError):
            self.dead.add(url)
            self._emit(
                "fetched", url, url=url, failure=reading.sentence(), attempts=list(reading.tried)
            )
            self._admit()
            return
        page, facts, summary = reading
        self.summaries[url], self.witnesses[url] = summary, independence.identify_page(page, facts)
        passages = [asdict(passage) for passage in summary.passages]
        self.deps.log.append(
            Draft(
                "fetched",
                {"url": url, **facts, "page": page.text, "characters": len(page.text)},
                url,
            ),
            Draft("passages", {"url": url, "passages": passages, "summary": summary.summary}, url),
        )
        if not self.redirects.add(url, page.final_url, facts.get("ratings", {})):
            self._judge(url)
        self._admit()

    def _judge(self, url: str) -> None:
        if url in self.summaries and url not in self.judging:
            self.judging.add(url)
            model = (
                None
                if url in fallback_judge.list_pages_judged_by_words(self.stop)
                else self.deps.model
            )
            self._start(
                partial(
                    fallback_judge.score_with_fallback, self.question, self.summaries[url], model
                ),
                partial(self._on_judged, url),
                still=True,
            )

    def _on_judged(self, url: str, judged: Mapping[str, Any], time: str = "") -> None:
        self.judgements[url] = judged
        self._emit("judged", f"{time}{url}", **judged)

    def _judge_again(self) -> None:
        """Ask once more, in one call, about all unscored sources of the budget.

        The stop decision names this step, so that a replay knows how far the run got.
        """
        if self._is_ending():
            return
        urls = batch_judge.find_unscored(self.judgements, self._find_living())
        unscored = [self.summaries[url] for url in urls]
        self._start(
            partial(batch_judge.judge_batch, self.question, unscored, self.deps.model),
            self._on_judged_again,
        )
        self._settle()

    def _on_judged_again(self, judgements: Sequence[Mapping[str, Any]]) -> None:
        self.parts.append("judged again")
        for judgement in judgements:
            self._on_judged(judgement["url"], judgement, "again:")

    def _first_wave_read(self) -> bool:
        """True if every source of the first wave is read or dead, whether or not it is judged."""
        return SPARE in self.lists and all(
            url in self.summaries or url in self.dead for url in self._first_wave()
        )

    def _first_wave(self) -> frozenset[str]:
        return admission.select_wanted(
            admission.select_first_wave(self.lists), self.shares, self.dead
        )

    def _look_for_gaps(self) -> None:
        if self._is_ending():
            return
        known = [
            self.summaries[url]
            for url in sorted(self._first_wave())
            if url in self.summaries and may_reuse_in_queries(url, self.deps)
        ]
        asked = [self.queries[order] for order in sorted(self.queries)]
        self._start(
            partial(
                find_gaps, self.question, known, asked, self.deps.model, len(self.mode.gap_shares)
            ),
            self._on_gaps,
        )

    def _has_too_few(self) -> bool:
        """True if too few sources for a full report would survive while places are left."""
        living = self._find_living()
        survivors = []
        for url in sorted(living):
            judgement = self.judgements.get(url)
            if judgement is None:
                continue
            if not judgement["scored"] or judgement["score"] >= self.mode.relevance_cutoff:
                survivors.append(url)
        copies = independence.map_shared_texts({url: self.witnesses[url] for url in survivors})
        too_few = len(survivors) - len(copies) < self.mode.min_sources_full_report
        return too_few and len(living) < self.mode.max_sources

    # -- the analyst -----------------------------------------------------------

    def _consume_late_commands(self) -> None:
        """Consume the commands that arrived during the last answers or before the stop."""
        heard = -1
        while self.seen_command != heard:
            heard = self.seen_command
            self._listen(at_once=True)
            self._settle()

    def _listen(self, *, at_once: bool = False) -> None:
        """Consume new commands.

        Each acts only through its recorded decision, so that a replay acts the same.
        """
        now = time.monotonic()
        if at_once or now - self.listened >= POLL_S:
            self.listened = now
            self.deps.http.check_stop()
            if not self.deps.log.readonly:
                for command in self.deps.log.read(self.seen_command, kinds=("command",)):
                    self.seen_command = command.seq
                    self._consume(command)
                if self.deps.http.out_of_time():
                    self._begin_stop(fallback_judge.explain_cap("seconds"))
        since = self.stopping_since
        if since is not None and self.deps.clock.monotonic() - since > STOP_GRACE_S:
            self._record_stop()

    def _consume(self, command: Event) -> None:
        do = command.data["do"]
        if do == "stop":
            self._begin_stop("the analyst stopped the run")
        elif do in STEERING or (
            do == "instruct" and self.stop is None and self.stopping_since is None
        ):
            self._steer({**command.data, "command": command.seq})

    def _steer(self, decision: Mapping[str, Any]) -> None:
        """Record what the analyst decided, and do it."""
        self._emit("decide", f"command:{decision['command']}", **decision)
        self.seen_command = max(self.seen_command, decision["command"])
        do = decision["do"]
        if do == "instruct":
            self._instruct(decision["text"])
            return
        url = decision["url"]
        if do == "approve":
            self.approved.add(url)
            self.vouched.add(url)
        else:
            self.approved.discard(url)
        if do == "restore":
            self.restored.add(url)
        self._admit()

    def _instruct(self, text: str) -> None:
        """Search one more query, or none for an exclusion; no other query depends on it."""
        order = INSTRUCTED + self.instructions
        self.shares[order] = INSTRUCTION_SHARE
        queries = []
        if not asks_to_exclude(text):
            words = build_instruction_query(self.question, text)
            queries.append(SearchQuery(words, order, "instruction"))
        part = f"instruction:{self.instructions}"
        self._record_plan_part(part, queries, {"instruction": text})
        self.instructions += 1
        for query in queries:
            self._search(query)

    def _begin_stop(self, why: str) -> None:
        """Start nothing new except judging what is read, and give that two seconds.

        A stop that an earlier attempt decided is left as it is.
        """
        if self.stop is not None:
            return
        self.why = self.why or why
        if self.stopping_since is None:
            self.stopping_since = self.deps.clock.monotonic()

    def _record_stop(self) -> None:
        """Record what is known now; this run and every replay of it write the report from that."""
        if self.stop is None:
            (event,) = self.deps.log.append(
                Draft(
                    "decide",
                    fallback_judge.build_stop_decision(
                        self.why, self._collect_known(), self.judging
                    ),
                    "stop",
                )
            )
            self._obey(event.data)
            for url in fallback_judge.list_pages_judged_by_words(event.data):
                self._on_judged(
                    url, fallback_judge.score_with_fallback(self.question, self.summaries[url])
                )

    def _obey(self, stop: Mapping[str, Any]) -> None:
        self.stop = stop
        self.deps.http.close()

    def _is_stopped(self) -> bool:
        """True if the run was stopped and everything its stop decision names is known again."""
        return self.stop is not None and all(
            set(self.stop[name]) <= set(known) for name, known in self._collect_known().items()
        )

    def _is_ending(self) -> bool:
        """True if nothing new may begin.

        An earlier attempt's stop counts once this run has got as far as that attempt.
        """
        return self.stopping_since is not None or self._is_stopped()

    def _collect_known(self) -> dict[str, Collection[Any]]:
        """Return everything a stop decision names: all that the fold may still count."""
        read = self.summaries.keys() | self.dead
        return {
            "orders": self.lists.keys(),
            "admitted": self.started,
            "read": read,
            "judged": self.judgements.keys(),
            "parts": self.parts,
        }

    def _begin_as_decided(self) -> None:
        """Apply the decisions made before the run and by its earlier attempts."""
        decided = [event.data for event in self.deps.log.decisions()]
        for data in decided:
            if data["do"] == "stop":
                self._emit("decide", "stop", **data)
                self._obey(data)
        self._admit()
        for text in self.deps.run.instructions:
            self._instruct(text)
        for data in decided:
            if "command" in data:
                self._steer(data)

    def _emit(self, kind: str, key: str, **data: Any) -> None:
        self.deps.log.append(Draft(kind, data, key))
