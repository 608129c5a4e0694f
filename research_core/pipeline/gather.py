"""Gather sources with the planned strategy: plan, search, read and judge without stage barriers.

The result does not depend on the order of answers. One thread owns all state and decides; tasks on
the pool make recorded calls and never wait for each other. The coordinator writes events and
returns nothing; fold them to learn what was gathered. It neither decides what is kept nor writes
text.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from research_core.decisions.view import SPELLING_PART, RunView, fold_run_so_far
from research_core.errors import CallForbidden, CapReached, FetchError, SettingsError
from research_core.journal.deps import Deps
from research_core.journal.events import APPROVE_PLAN, MANUAL_DECISIONS, Draft, Event
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import Json
from research_core.models import (
    ANSWERED_STATES,
    EngineOutcome,
    Page,
    ScoreParts,
    SearchQuery,
    SearchResult,
    Summary,
)
from research_core.modes import ResearchMode
from research_core.pipeline import batch_judge, early_stop, later_modules
from research_core.pipeline.admission import (
    COUNTER,
    INSTRUCTED,
    INSTRUCTION_SHARE,
    LAST,
    NEWLY_PASSING_STEP,
    QUESTION,
    REFINED,
    SPARE,
    Admission,
    choose_list,
    get_gap_order,
    get_planned_order,
    name_gap_part,
)
from research_core.pipeline.early_stop import EarlyStop
from research_core.pipeline.further_passages import embed_for_sections, read_pages
from research_core.pipeline.plan import (
    BY_RULES_VERSION,
    Gaps,
    Plan,
    find_gaps,
    plan_within_caps,
    refine_by_rules,
    refine_query,
    skip_gaps,
)
from research_core.pipeline.plan_review import take_approved_plan
from research_core.pipeline.prompts import build_prompt_context
from research_core.pipeline.read_sources import ReadSources
from research_core.pipeline.redirects import Redirects
from research_core.pipeline.relevance import score_source
from research_core.pipeline.sections import plan_outline
from research_core.pipeline.steering import Steering
from research_core.pipeline.unfinished import MODEL_FAILED_NOTE
from research_core.search.engines import ask_engine, may_reuse_in_queries, merge_results
from research_core.text.counter_query import build_counter_query
from research_core.text.question import asks_to_exclude, build_instruction_query, make_standalone
from research_core.trust import copies, credibility, ratings
from research_core.trust.scored_words import choose_scored_words, word_for_snippet
from research_core.urls import is_own_document
from research_core.web.failure_texts import describe_failure

POLL_S = 0.2
#: The version of the rules of prompting from which evidence against a contested claim is searched.
COUNTER_VERSION = 3
#: The version of the scoring rules from which failures are translated into the report's language.
TRANSLATED_FAILURES_VERSION = 6
#: A task that is done: the function that takes its value, its error or None, its value.
Answer = tuple[Callable[[Any], None], BaseException | None, Any]
#: How the question was read again, and the judgements of the pages that pass for it.
SpellingJudgements = tuple[Json, Sequence[Mapping[str, Any]]]


def gather(question: str, mode: ResearchMode, deps: Deps, note: str = "") -> None:
    """Do everything a run does before the gate.

    note: what the plan says of how it came about. Raises ModelRefused if no call to a model
    can succeed, Stopped, StoreError and CallForbidden.
    """
    Gather(question, mode, deps, note).run()


class Gather:
    """The coordinator of one run while sources come in.

    admission: what the searches listed and what the budget wants; redirects: where sources led;
    sources: what was read and judged; steering: what the analyst decided; stop: whether the run
    ends early; falls_back_on_rules: whether the offline planner and judge step in where the model
    fails; translates_failures: whether the report's language is used to say why a page was not
    read; prompting: what all requests share; counter_query: searches for evidence against, "" if
    the claim is not contested; parts: of the question, as planned; open_parts: whether the last
    search for gaps named gaps and new queries; answers: of the tasks that are done; pending: how
    many tasks are under way; note: added to the plan's.
    """

    def __init__(self, question: str, mode: ResearchMode, deps: Deps, note: str = "") -> None:
        self.question = make_standalone(question, deps.run.follows)
        self.deps = deps
        self.prompting = build_prompt_context(self.question, deps)
        self.counter_query = self._find_counter_query() if mode.contested_share else ""
        self.mode = mode.with_counter_search() if self.counter_query else mode
        self.admission = Admission(question, self.mode)
        self.redirects = Redirects(RunView(settings=deps.run, rules=read_rules(deps.log)))
        self.sources = ReadSources(read_rules(deps.log))
        self.steering = Steering(deps.run)
        self.stop = EarlyStop(deps.clock)
        self.note = note
        self.falls_back_on_rules = runs_under(read_rules(deps.log), "prompting", BY_RULES_VERSION)
        self.translates_failures = runs_under(
            read_rules(deps.log), "scoring", TRANSLATED_FAILURES_VERSION
        )
        self.parts: tuple[str, ...] = ()
        self.open_parts = False
        self.answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self.pending = 0
        self.prepares = self.mode.writes_sections and not deps.log.read(kinds=("admitted",))
        self.preparing = 0
        self.prepared: list[str] = []
        self.is_gathered = threading.Event()
        self.polled_at = 0.0

    def run(self) -> None:
        """Gather until everything wanted is judged or the run is stopped.

        Raises Stopped first if the analyst has yet to approve the plan.
        """
        approved = take_approved_plan(self._make_plan, self.mode, self.deps)
        self._begin_as_decided()
        self._ask_question(approved)
        self._settle(self._is_first_wave_read)
        if self.mode.hold_for_gaps:
            self._follow_up_in_rounds()
        self._settle()
        if not self.mode.hold_for_gaps and self._has_too_few():
            self._look_for_gaps(1)
            self._settle()
        self.admission.fill(LAST)
        self.admission.fill_newly_passing()
        self._admit()
        self._settle()
        self._judge_again()
        self._judge_rest_by_words()
        self._judge_dropped_again()
        self._end_preparations()
        self._take_late_commands()

    # -- the loop --------------------------------------------------------------

    def _settle(
        self, enough: Callable[[], bool] = lambda: False, *, for_preparations: bool = False
    ) -> None:
        """Take answers until nothing is under way, enough is known, or a stop is complete.

        for_preparations: wait for those of the sections too, on which nothing else depends.
        """
        while self.pending > (0 if for_preparations else self.preparing):
            if self._is_stopped():
                break
            if not self.stop.is_begun and enough():
                break
            try:
                answer = self.answers.get(timeout=POLL_S)
            except queue.Empty:
                self._poll()
                continue
            self.pending -= 1
            self._take(answer)
            self._start_wanted()
            self._poll()
        if self.stop.is_begun:
            self._record_stop()

    def _take(self, answer: Answer) -> None:
        """Update the state by one answer."""
        update, error, value = answer
        if isinstance(error, CapReached):
            self.stop.begin(early_stop.explain_cap(error.cap))
        elif error is None:
            update(value)
        elif self.stop.decision is None or not isinstance(error, CallForbidden):
            # A forbidden call of a stopped run was abandoned when the run was stopped.
            raise error

    def _start_wanted(self) -> None:
        """Share out what the first wave left unused, and begin everything that is wanted."""
        if self.admission.is_ready_for_spare():
            self.admission.fill(SPARE)
        self._admit()

    def _admit(self) -> None:
        """Update what redirects decided, then begin everything that is wanted.

        A source redirected to a blocked site gives back its place; one that passes is judged.
        """
        decided = dict(self.redirects.iterate_decided(self.admission.find_first_pending()))
        blocked = {url for url, passes in decided.items() if not passes}
        self.admission.dead |= blocked
        # Sources that were approved at any time count wherever they lead.
        for url in sorted(decided.keys() - self.admission.dead | self.steering.ever_approved):
            self._judge(url)
        wanted = self.admission.select_wanted() | self.steering.select_wanted()
        self._begin_reading(sorted(wanted - self.admission.admitted))

    def _start(
        self, task: Callable[[], Any], update: Callable[[Any], None], *, after_stop: bool = False
    ) -> None:
        """Run a task on the pool and pass its value to `update` on the coordinator's thread.

        after_stop: also start it while a stop is being completed.
        """
        if self.stop.is_begun and not after_stop:
            return
        self.pending += 1

        def work() -> None:
            try:
                answer: Answer = (update, None, task())
            except BaseException as error:  # noqa: BLE001 - the coordinator's thread raises it
                answer = (update, error, None)
            self.answers.put(answer)

        self.deps.pool.submit(work)

    def _emit(self, kind: str, key: str, **data: Any) -> None:
        self.deps.log.append(Draft(kind, data, key))

    # -- plan ------------------------------------------------------------------

    def _ask_question(self, approved: Plan | None) -> None:
        """Search for the question itself while the plan is made, if none is approved yet."""
        query = SearchQuery(self.question, QUESTION)
        self._record_part("question", [query], {})
        if approved is None:
            self._start(self._make_plan, self._on_plan)
        self._search([query])
        if self.counter_query:
            against = SearchQuery(self.counter_query, COUNTER, "counter")
            self._record_part("counter", [against], {})
            self._search([against])
        if approved is not None:
            self._on_plan(approved)

    def _make_plan(self) -> Plan:
        return plan_within_caps(
            self.question,
            self.mode,
            self.deps,
            by_rules=self.falls_back_on_rules,
            prompting=self.prompting,
        )

    def _find_counter_query(self) -> str:
        """Return the query that searches for evidence against, "" for none.

        It is recorded, so that a replay by later rules searches the same.
        """
        if self.prompting.version < COUNTER_VERSION:
            return ""
        asked = {"asked": "a search for evidence against", "question": self.question}
        return str(self.deps.http.record_fact(asked, partial(build_counter_query, self.question)))

    def _on_plan(self, plan: Plan) -> None:
        texts = plan.queries[: len(self.mode.planned_shares)]
        queries = [
            SearchQuery(text, get_planned_order(n), "planned") for n, text in enumerate(texts)
        ]
        self.parts = plan.sub_questions
        data: Json = {
            "type": plan.type,
            "strategy": plan.strategy,
            "sub_questions": list(plan.sub_questions),
            "note": " ".join(filter(None, (self.note, plan.note))),
        }
        if plan.review:
            data["review"] = dict(plan.review)
        self._record_part("plan", queries, data)
        self._search(queries)

    def _on_refined(self, text: str) -> None:
        # Not compared with the plan, which may come before or after; a query that both name is one
        # recorded call.
        queries = []
        if text and text != self.question:
            queries.append(SearchQuery(text, REFINED, "refined"))
        self._record_part("refined", queries, {})
        self._search(queries)

    def _follow_up_in_rounds(self) -> None:
        """Look for gaps and follow them up, until a round finds nothing new."""
        for round in range(1, len(self.mode.list_gap_shares()) + 1):
            self._look_for_gaps(round)
            self._prepare_sections()
            self._settle()
            if self._is_ending() or not self._has_found_more(round):
                return

    def _prepare_sections(self) -> None:
        """Embed the pages that are read for the sections, while others are waited for.

        The embedder keeps the result, so no state of the run changes.
        """
        outline = plan_outline(self.question, self.parts) if self.prepares else ()
        urls = self.sources.list_promising(self.admission.select_living(), self.mode)
        if self.preparing or self._is_ending() or not outline or urls == self.prepared:
            return
        self.prepared = urls

        def embed() -> None:
            run = fold_run_so_far(self.deps)
            pages = read_pages(run, urls, self.deps, with_texts=True)
            # A model that cannot be used fails where the passages are chosen.
            with suppress(SettingsError):
                embed_for_sections(run.asked, outline, pages, self.deps, self.is_gathered.is_set)

        self.preparing = 1
        self._start(embed, self._on_prepared)

    def _on_prepared(self, _: None) -> None:
        self.preparing = 0
        self._prepare_when_read()

    def _prepare_when_read(self) -> None:
        """Prepare the sections if every source that was begun is read, while it is judged."""
        if self.admission.admitted <= self.sources.summaries.keys() | self.admission.dead:
            self._prepare_sections()

    def _end_preparations(self) -> None:
        self.prepares = False
        self.is_gathered.set()
        self._settle(for_preparations=True)

    def _has_found_more(self, round: int) -> bool:
        """Return True if the round searched for gaps and a source it added scored well enough."""
        if not self.open_parts:
            return False
        added = self.admission.select_living() - self.admission.select_before(round)
        return self.sources.has_relevant(added, self.mode)

    def _look_for_gaps(self, round: int) -> None:
        """Ask what is missing. round: from 1; in the first, pages may not be judged yet."""
        if self._is_ending():
            return
        summaries = []
        for url in sorted(self._select_compared(round)):
            if url in self.sources.summaries and may_reuse_in_queries(url, self.deps):
                summaries.append(self.sources.summaries[url])
        queries = [text for _, text in sorted(self.admission.queries.items())]
        task = partial(
            find_gaps,
            self.question,
            summaries,
            queries,
            self.deps.model,
            len(self.mode.list_gap_shares()[round - 1]),
            self.prompting,
            self.parts if self.mode.plans_by_part else None,
        )
        if early_stop.ends_only_at_time_cap(self.deps):
            task = partial(
                early_stop.run_within_caps, self.deps, "gaps", task, skip_gaps, of=str(round)
            )
        self._start(task, partial(self._on_gaps, round))

    def _select_compared(self, round: int) -> Collection[str]:
        """Return the sources in which gaps are looked for: from round 2 on, only those kept."""
        if round == 1:
            return self.admission.select_first_wave()
        return self.sources.select_kept(self.admission.select_living(), self.mode)

    def _on_gaps(self, round: int, gaps: Gaps) -> None:
        known = self.admission.queries.values()
        most = len(self.mode.list_gap_shares()[round - 1])
        texts = [text for text in gaps.queries if text not in known][:most]
        queries = [
            SearchQuery(text, get_gap_order(round, n), "gap") for n, text in enumerate(texts)
        ]
        self.open_parts = bool(queries and gaps.gaps)
        self.admission.add_gap_places()
        data = {"gaps": list(gaps.gaps), "note": gaps.note}
        self._record_part(name_gap_part(round), queries, data)
        self._search(queries)

    def _record_part(
        self, part: str, queries: Sequence[SearchQuery], data: Mapping[str, Any]
    ) -> None:
        self.admission.parts.append(part)
        self._emit("planned", part, part=part, queries=[asdict(query) for query in queries], **data)

    def _has_too_few(self) -> bool:
        """Return True if too few sources for a full report would survive while places are left."""
        living = self.admission.select_living()
        survivors = self.sources.count_survivors(living, self.mode)
        too_few = survivors < self.mode.min_sources_full_report
        return too_few and len(living) < self.mode.max_sources

    # -- search ----------------------------------------------------------------

    def _search(self, queries: Iterable[SearchQuery]) -> None:
        for query in queries:
            self.admission.add_query(query)
            outcomes: dict[int, EngineOutcome] = {}
            for place, engine in enumerate(self.deps.engines):
                self._start(
                    partial(ask_engine, engine, query, self.deps),
                    partial(self._on_engine, query, outcomes, place),
                )

    def _on_engine(
        self,
        query: SearchQuery,
        outcomes: dict[int, EngineOutcome],
        place: int,
        outcome: EngineOutcome,
    ) -> None:
        """Record an engine's answer. outcomes: those to the same query, by place of the engine."""
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
            **outcome.list_remarks(),
        )
        outcomes[place] = outcome
        if len(outcomes) == len(self.deps.engines):
            self._on_results(query, merge_results([outcomes[n] for n in sorted(outcomes)]))

    def _on_results(self, query: SearchQuery, results: Sequence[SearchResult]) -> None:
        if query.order == QUESTION:
            reusable = [result for result in results if may_reuse_in_queries(result.url, self.deps)]
            self._start(partial(self._refine, reusable), self._on_refined)
        allowed = self._score_results(query, results)
        self.admission.lists[query.order] = allowed
        if query.order == QUESTION:
            self._prepare_sites(allowed, results)

    def _refine(self, results: Sequence[SearchResult]) -> str:
        """Return a better query, made by rules if a cap leaves no call for it."""
        ask = partial(
            refine_query,
            self.question,
            results,
            self.deps.model,
            by_rules=self.falls_back_on_rules,
            prompting=self.prompting,
        )

        def by_rules(_why: str) -> str:
            return refine_by_rules(self.question, results, self.prompting)

        return early_stop.run_within_caps(self.deps, "refined query", ask, by_rules)

    def _prepare_sites(self, urls: Sequence[str], results: Sequence[SearchResult]) -> None:
        """Have the robots.txt of these pages' sites fetched while the plan is made.

        What a library or an earlier session found is read from there, and its site is not asked.
        """
        web_engines = {engine.name for engine in self.deps.engines if engine.kind == "web"}
        on_web = {result.url for result in results if result.engine in web_engines}
        first_by_site = {urlsplit(url).netloc: url for url in reversed(urls) if url in on_web}
        for url in first_by_site.values():
            self.deps.pool.submit(self.deps.prepare_page, url)

    def _score_results(self, query: SearchQuery, results: Sequence[SearchResult]) -> list[str]:
        """Record every result with its score and return the allowed URLs in the engine's order."""
        run = self.deps.run
        share = self.admission.shares.get(query.order, 0)
        rated = ratings.look_up_ratings(self.deps, [result.url for result in results])
        snippets = [result.snippet for result in results]
        rules = read_rules(self.deps.log)
        words = choose_scored_words(self.question, snippets, rules)
        drafts: list[Draft] = []
        allowed: list[str] = []
        for rank, result in enumerate(results):
            url = result.url
            key = f"{query.order}:{url}"
            expert_ratings = rated.get(url)
            wording = word_for_snippet(self.question, words, result.snippet, rules)
            parts = self._score_result(result, wording, expert_ratings)
            self.redirects.add_listing(result, query.order, rank, parts)
            data = _describe_result(result, query.order, rank, parts, expert_ratings)
            drafts.append(Draft("found", data, key))
            passes = parts is None or not run.credibility.blocks(parts.score)
            if url in run.struck:
                if passes:
                    self.steering.set_aside.add(url)
            elif passes:
                score = parts.score if parts else None
                if choose_list(query.order, score, run) == query.order:
                    allowed.append(url)
                self.admission.add_candidate(query.order, url, score, run)
            elif parts and len(allowed) < share and url not in run.approved:
                # It would have been read, so its refusal is recorded.
                refusal = {"url": url, "score": parts.score, "order": query.order}
                drafts.append(Draft("blocked", refusal, key))
        if drafts:
            self.deps.log.append(*drafts)
        return allowed

    def _score_result(
        self, result: SearchResult, wording: str, expert_ratings: Mapping[str, float] | None
    ) -> ScoreParts | None:
        """Return the credibility of a result; None for an own document, which is not scored.

        wording: the question, or the words of it that count.
        """
        if is_own_document(result.url):
            return None
        policy = self.deps.run.credibility
        return credibility.assess(
            result.url, result.snippet, wording, policy, ratings=expert_ratings
        )

    # -- read and judge --------------------------------------------------------

    def _begin_reading(self, urls: Sequence[str]) -> None:
        if self._is_ending() or not urls:
            return
        if self.mode.plans_by_part and "plan" not in self.admission.parts:
            # Passages are chosen for each part of the question, whichever answer came first.
            return
        self.admission.admitted.update(urls)
        drafts = [Draft(kind, {"url": url}, url) for url in urls for kind in ("admitted", "fetch")]
        self.deps.log.append(*drafts)
        for url in urls:
            self._start(partial(self._read, url), partial(self._on_read, url))

    def _read(self, url: str) -> tuple[Page, Json, Summary] | FetchError:
        later_modules.wait_until_opened()
        from research_core.pipeline.summarize import summarize
        from research_core.web.fetch.read_page import read_page

        try:
            page = read_page(url, self.deps)
        except FetchError as error:
            return error
        facts = {
            **copies.collect_facts(page),
            **ratings.rate_redirect(self.deps, url, page.final_url),
        }
        parts = self.parts if self.mode.plans_by_part else ()
        return page, facts, summarize(self.question, page, self.deps, queries=parts)

    def _on_read(self, url: str, reading: tuple[Page, Json, Summary] | FetchError) -> None:
        if isinstance(reading, FetchError):
            self.admission.dead.add(url)
            tell = describe_failure if self.translates_failures else FetchError.sentence
            attempts = list(reading.tried)
            self._emit("fetched", url, url=url, failure=tell(reading), attempts=attempts)
            return
        page, facts, summary = reading
        self.sources.add(url, page, facts, summary)
        fetched = {"url": url, **facts, "page": page.text, "characters": len(page.text)}
        passages = [asdict(passage) for passage in summary.passages]
        self.deps.log.append(
            Draft("fetched", fetched, url),
            Draft("passages", {"url": url, "passages": passages, "summary": summary.summary}, url),
        )
        if not self.redirects.add(url, page.final_url, facts.get("ratings", {})):
            self._judge(url)
        self._prepare_when_read()

    def _is_first_wave_read(self) -> bool:
        """Return True if every source of the first wave is read or dead, judged or not."""
        if SPARE not in self.admission.lists:
            return False
        # Dead sources are not in the wave.
        return self.admission.select_first_wave() <= self.sources.summaries.keys()

    def _judge(self, url: str) -> None:
        """Begin to judge a page, once, if it was read."""
        if not self.sources.may_begin_judging(url):
            return
        self.sources.begun.add(url)
        summary = self.sources.summaries[url]
        if self.stop.is_judged_by_words(url):
            task = partial(early_stop.judge_by_words, self.question, summary, self.deps)
        else:
            model = self.deps.model
            score = partial(score_source, self.question, summary, model, self.prompting)
            task = partial(early_stop.judge_within_caps, self.deps, self.question, summary, score)
        self._start(task, partial(self._on_judged, url), after_stop=True)

    def _on_judged(self, url: str, judgement: Mapping[str, Any], key_prefix: str = "") -> None:
        self.sources.judgements[url] = judgement
        self._emit("judged", f"{key_prefix}{url}", **judgement)

    def _judge_again(self) -> None:
        """Ask once more, in one call, about all unscored sources of the budget.

        The stop decision names this step, so that a replay knows how far the run got.
        """
        if self._is_ending():
            return
        unscored = self.sources.list_unscored(self.admission.select_rated())
        model = early_stop.OptionalModel(self.deps, "second judgement")
        self._start(
            partial(batch_judge.judge_batch, self.question, unscored, model, self.prompting),
            self._on_judged_again,
        )
        self._settle()

    def _on_judged_again(self, judgements: Sequence[Mapping[str, Any]]) -> None:
        self.admission.parts.append("judged again")
        for judgement in judgements:
            self._on_judged(judgement["url"], judgement, "again:")

    def _judge_rest_by_words(self) -> None:
        """Judge by words what the model gave no score.

        The step is recorded for a stop that comes after it.
        """
        if self._is_ending() or not self.falls_back_on_rules:
            return
        self.admission.parts.append("judged by words")
        note = MODEL_FAILED_NOTE
        for summary in self.sources.list_without_score(self.admission.select_rated()):
            judgement = early_stop.judge_by_words(self.question, summary, self.deps, note)
            self._on_judged(summary.url, judgement, "words:")

    def _judge_dropped_again(self) -> None:
        """Judge dropped pages by the question as the search results spell its words."""
        if self._is_ending():
            return
        dropped = self.sources.list_dropped(self.admission.select_rated(), self.mode)

        def judge() -> SpellingJudgements:
            from research_core.pipeline.spelled_question import judge_dropped

            return judge_dropped(self.question, dropped, self.mode, self.deps, self.prompting)

        self._start(judge, self._on_judged_by_spelling)
        self._settle()

    def _on_judged_by_spelling(self, found: SpellingJudgements) -> None:
        reading, judgements = found
        if reading:
            self._record_part(SPELLING_PART, [], reading)
        for judgement in judgements:
            self._on_judged(judgement["url"], judgement, "reread:")

    # -- the analyst -----------------------------------------------------------

    def _begin_as_decided(self) -> None:
        """Apply the decisions made before the run and by its earlier attempts."""
        decisions = [event.data for event in self.deps.log.decisions()]
        for decision in decisions:
            if decision["do"] == "stop":
                self._emit("decide", "stop", **decision)
                self._obey_stop(decision)
        self._admit()
        for text in self.deps.run.instructions:
            self._instruct(text)
        for decision in decisions:
            if "command" in decision and decision["do"] != APPROVE_PLAN:
                self._steer(decision)

    def _take_late_commands(self) -> None:
        """Take the commands that arrived during the last answers or before the stop."""
        before = -1
        while self.steering.last_command != before:
            before = self.steering.last_command
            self._poll(at_once=True)
            self._settle()

    def _poll(self, *, at_once: bool = False) -> None:
        """Take new commands and see whether the time is up, at most every POLL_S seconds.

        Each command acts only through its recorded decision, so that a replay acts the same.
        """
        now = time.monotonic()
        if at_once or now - self.polled_at >= POLL_S:
            self.polled_at = now
            self.deps.http.check_stop()
            if not self.deps.log.readonly:
                for command in self.steering.iterate_new_commands(self.deps.log):
                    self._take_command(command)
                if self.deps.http.out_of_time():
                    self.stop.begin(early_stop.explain_cap("seconds"))
        if self.stop.is_overdue():
            self._record_stop()

    def _take_command(self, command: Event) -> None:
        do = command.data["do"]
        is_stopping = self.stop.is_begun or self.stop.decision is not None
        if do == "stop":
            self.stop.begin(early_stop.ANALYST_REASON)
        elif do in MANUAL_DECISIONS or (do == "instruct" and not is_stopping):
            self._steer({**command.data, "command": command.seq})

    def _steer(self, decision: Mapping[str, Any]) -> None:
        """Record what the analyst decided, and do it."""
        command = decision["command"]
        self._emit("decide", f"command:{command}", **decision)
        self.steering.last_command = max(self.steering.last_command, command)
        if decision["do"] == "instruct":
            self._instruct(decision["text"])
        else:
            self.steering.apply(decision)
            self._admit()

    def _instruct(self, text: str) -> None:
        """Search one more query, or none for an exclusion; no other query depends on it."""
        number = self.steering.instructions
        self.steering.instructions += 1
        order = INSTRUCTED + number
        for own in (order, order + NEWLY_PASSING_STEP):
            self.admission.shares[own] = INSTRUCTION_SHARE
        queries = []
        if not asks_to_exclude(text):
            words = build_instruction_query(self.question, text)
            queries.append(SearchQuery(words, order, "instruction"))
        self._record_part(f"instruction:{number}", queries, {"instruction": text})
        self._search(queries)

    # -- the end ---------------------------------------------------------------

    def _record_stop(self) -> None:
        """Record what is known now; this run and every replay of it write the report from that."""
        if self.stop.decision is not None:
            return
        decision = early_stop.build_stop_decision(
            self.stop.why, self._collect_known(), self.sources.begun
        )
        (event,) = self.deps.log.append(Draft("decide", decision, "stop"))
        self._obey_stop(event.data)
        for url in early_stop.list_pages_judged_by_words(event.data):
            summary = self.sources.summaries[url]
            self._on_judged(url, early_stop.judge_by_words(self.question, summary, self.deps))

    def _obey_stop(self, decision: Mapping[str, Any]) -> None:
        self.stop.decision = decision
        self.deps.http.close()

    def _is_stopped(self) -> bool:
        """Return True if the run was stopped and all its stop decision names is known again."""
        return self.stop.is_reached(self._collect_known())

    def _is_ending(self) -> bool:
        """Return True if nothing new may begin.

        An earlier attempt's stop counts once this run has got as far as that attempt.
        """
        return self.stop.is_begun or self._is_stopped()

    def _collect_known(self) -> dict[str, Collection[Any]]:
        """Return everything a stop decision names: all that the fold may still count."""
        return {
            "orders": self.admission.lists.keys(),
            "admitted": self.admission.admitted,
            "read": self.sources.summaries.keys() | self.admission.dead,
            "judged": self.sources.judgements.keys(),
            "parts": self.admission.parts,
        }


def _describe_result(
    result: SearchResult,
    order: int,
    rank: int,
    parts: ScoreParts | None,
    expert_ratings: Mapping[str, float] | None,
) -> Json:
    """Build the data of a `found` event."""
    data: Json = {
        "url": result.url,
        "title": result.title,
        "snippet": result.snippet,
        "engine": result.engine,
    }
    if expert_ratings:
        data["ratings"] = expert_ratings
    data["order"] = order
    data["rank"] = rank
    data["parts"] = asdict(parts) if parts else None
    return data
