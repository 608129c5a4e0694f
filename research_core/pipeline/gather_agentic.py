"""Gather sources with the agentic strategy: the model chooses what to search and read.

Pages are judged while the model goes on. The coordinator's thread owns the state, as in the planned
strategy. Events that do not follow from the recorded calls (an analyst's command, a reached cap)
are recorded with their round, and a replay applies them in the same round.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from typing import Any

from research_core.context import PROVISIONAL_ORDER, ResearchContext
from research_core.decisions.gate import find_score, is_eligible, redirects_to_blocked_site
from research_core.decisions.view import SourceView
from research_core.errors import CallForbidden, CapReached, ModelError
from research_core.journal.deps import Deps
from research_core.journal.events import MANUAL_DECISIONS, PERMISSION_ANSWERS, Draft
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import Json, ToolCall
from research_core.models import Page, Summary
from research_core.modes import ResearchMode
from research_core.pipeline import batch_judge, early_stop
from research_core.pipeline.admission import INSTRUCTION_SHARE
from research_core.pipeline.early_stop import ANALYST_REASON, STOP_GRACE_S
from research_core.pipeline.gather import POLL_S
from research_core.pipeline.gather import gather as gather_as_planned
from research_core.pipeline.plan import BY_RULES_VERSION, plan_within_caps
from research_core.pipeline.prompts import PromptContext, build_prompt_context
from research_core.pipeline.relevance import score_source
from research_core.pipeline.summarize import summarize
from research_core.pipeline.tool_loop import MAX_ROUNDS, Work, answer_calls, run_tool_use_loop
from research_core.pipeline.unfinished import MODEL_FAILED_NOTE
from research_core.text.question import asks_to_exclude, build_instruction_query, make_standalone
from research_core.text.words import strip_invisible
from research_core.tools import DEFAULT_TOOLS, list_run_tools

#: Tells the model that the analyst refused its call.
REFUSED_BY_ANALYST = "The analyst does not allow this call."
#: The version of the rules of prompting from which the parts of the question are planned first
#: where each has a section, and the round in which they are.
PARTS_VERSION = 5
PARTS_ROUND = 0
#: The version of the rules of prompting from which a run tells of tool calls that failed and of the
#: end at its limit of rounds; how many failures it names one by one, and the characters of each.
MISTAKES_VERSION = 6
MAX_MISTAKES, MAX_MISTAKE_LENGTH = 3, 200
#: The version of the rules of prompting from which a model that calls no tool is said to have
#: chosen nothing: the next one of the chain is asked, then the run is planned.
NO_CHOICE_VERSION = 6
#: Rounds after the model's own: search and read if it did not, then judge the rest. Each later
#: instruction or approval adds three more.
SEARCH_ROUND = MAX_ROUNDS + 1
READ_ROUND = MAX_ROUNDS + 2
JUDGE_ROUND = MAX_ROUNDS + 3


class _RunEnded(Exception):
    """Raised to end gathering, because of the analyst, a cap or the recorded decision."""


def gather(question: str, mode: ResearchMode, deps: Deps) -> None:
    """Do everything a run does before the gate.

    Where the model cannot choose tools, the planned strategy gathers. Raises ModelRefused if no
    call to a model can succeed, Stopped, StoreError and CallForbidden.
    """
    try:
        AgenticGather(question, mode, deps).run()
    except ModelError as error:
        falls_back = runs_under(read_rules(deps.log), "prompting", BY_RULES_VERSION)
        if not falls_back:
            raise
        note = f"The model could not choose tools, so the run was planned: {error.message}"
        gather_as_planned(question, mode, deps, note)


class AgenticGather:
    """The state of one run while the model chooses.

    judging: calls of the judge under way; begun: pages whose judging has begun, ever; round: the
    current one; rounds: how many the model had; why: the reason the run ends, "" while it does not;
    stop: the recorded decision that ended it earlier; recorded: decisions of an earlier attempt on
    commands; questions: how often the analyst was asked to permit a call; answers: by place;
    mistakes: why calls of tools could not be run, with counts; prompting: what all requests share;
    parts: of the question, each with a section of the report; note: what went wrong when they were
    planned.
    """

    def __init__(self, question: str, mode: ResearchMode, deps: Deps) -> None:
        self.question = make_standalone(question, deps.run.follows)
        self.mode = mode
        self.deps = deps
        self.context = ResearchContext(question, deps)
        self.prompting = build_prompt_context(self.question, deps)
        self.judging: dict[str, Future[tuple[Summary, Json]]] = {}
        self.judgements: dict[str, tuple[Summary, Json]] = {}
        self.admitted: set[str] = set()
        self.begun: set[str] = set()
        self.round = 1
        self.rounds = 0
        self.parts: tuple[str, ...] = ()
        self.note = ""
        self.mistakes: Counter[str] = Counter()
        self.why = ""
        self.stop: Mapping[str, Any] | None = None
        # A replay applies each in the round in which it was made.
        self.recorded: list[Mapping[str, Any]] = []
        for event in deps.log.decisions():
            if "round" not in event.data:
                continue  # made after the run went over to the planned strategy
            if event.data["do"] == "stop" and self.stop is None:
                self.stop = event.data
            if "command" in event.data:
                self.recorded.append(event.data)
        self.last_command = max((data["command"] for data in self.recorded), default=0)
        self.questions = 0
        self.answers: dict[str, str] = {}

    def run(self) -> None:
        note = self._let_model_choose()
        self._emit(
            "planned",
            "plan",
            part="plan",
            queries=[],
            type="agentic",
            strategy="agentic",
            sub_questions=list(self.parts),
            note=" ".join(filter(None, (note, *self._list_mistakes(), self.note))),
        )
        self._finish_judging(JUDGE_ROUND)
        self._judge_again()
        self._run_late_commands()
        if self.why or self.stop:
            self._record_stop()

    def _let_model_choose(self) -> str:
        """Let the model choose, and return in words how that went."""
        trouble = ""
        with self._catch_end():
            self._plan_parts()
            trouble = self._run_loop()
            self._finish_reading()
        if self._counts_choices() and not self._has_chosen():
            return f"The model chose nothing to search or read.{trouble}"
        return (
            f"The model chose what to search and read, in {self.rounds}"
            f" round{'' if self.rounds == 1 else 's'}.{trouble}"
        )

    def _counts_choices(self) -> bool:
        return runs_under(read_rules(self.deps.log), "prompting", NO_CHOICE_VERSION)

    def _has_chosen(self) -> bool:
        """Return True if the model searched; it reads only what a search found."""
        queries = self.context.run.queries.values()
        return any(query["purpose"] == "tool" for query in queries)

    def _plan_parts(self) -> None:
        """Have the parts of the question planned, if each is to have a section.

        Their queries are left to the model that chooses what to search.
        """
        if not self.mode.writes_sections or self.prompting.version < PARTS_VERSION:
            return
        task = partial(
            plan_within_caps, self.question, self.mode, self.deps, prompting=self.prompting
        )
        (plan,) = self._run_round(PARTS_ROUND, [task])
        self.parts, self.note = plan.sub_questions, plan.note

    @contextmanager
    def _catch_end(self) -> Iterator[None]:
        """Leave the block where the run ends, because of the analyst, a cap or the record."""
        try:
            yield
        except CapReached as cap:
            self._end(early_stop.explain_cap(cap.cap))
        except _RunEnded:
            pass

    def _run_loop(self) -> str:
        """Return what kept the model from going on, "" if nothing did.

        Raises ModelError if the model cannot be asked at all.
        """
        try:
            loop = run_tool_use_loop(
                self.question, self.context, self.deps, tools=list_run_tools(self.deps.run.tools),
                max_pages=self.mode.max_sources,
                at_once=self._run_round, permitted=self._wait_for_permission,
                on_mistake=self._note_mistake, prompting=self.prompting, parts=self.parts,
                must_choose=self._counts_choices(),
            )  # fmt: skip
        except ModelError as error:
            if self.round == 1:
                raise
            return f" It could not go on: {error.message}"
        self.rounds = loop.rounds
        limit = loop.limit
        if loop.is_cut and runs_under(read_rules(self.deps.log), "prompting", MISTAKES_VERSION):
            limit = f"A run has at most {loop.rounds} rounds."
        return f" It could not go on: {limit}" if limit else ""

    def _note_mistake(self, message: str) -> None:
        """Note why a call of a tool could not be run. The model may have made up its words."""
        line = " ".join(strip_invisible(message).split())
        if len(line) > MAX_MISTAKE_LENGTH:
            line = f"{line[:MAX_MISTAKE_LENGTH]}…"
        self.mistakes[f"{line.rstrip('.')}."] += 1

    def _list_mistakes(self) -> Iterator[str]:
        """Yield how many calls of tools could not be run, and why, a sentence for each reason."""
        if not runs_under(read_rules(self.deps.log), "prompting", MISTAKES_VERSION):
            return
        for message, count in islice(self.mistakes.items(), MAX_MISTAKES):
            calls = "1 tool call" if count == 1 else f"{count} tool calls"
            yield f"{calls} of the model failed: {message}"
        others = sum(islice(self.mistakes.values(), MAX_MISTAKES, None))
        if others:
            calls = "1 more tool call" if others == 1 else f"{others} more tool calls"
            yield f"{calls} of the model failed for other reasons."

    def _finish_reading(self) -> None:
        """Do what the model left undone.

        Search for the question, read what the analyst approved, and read the best results if the
        model read nothing.
        """
        if not self.context.queries_made:
            self._search(SEARCH_ROUND, self.question[:500], "question")
        wanted = self._find_approved()
        if not any(source.read for source in self.context.run.sources.values()):
            best = self._rank_by_score(self._list_unread())[: self.mode.max_sources]
            wanted += [url for url in best if url not in wanted]
        self._fetch(READ_ROUND, wanted)

    def _run_late_commands(self) -> None:
        """Run instructions, then newly approved sources, in their own rounds until none are left.

        Instructions run one after the other, so the result does not depend on when each was given.
        No command is taken between the end of a round and the choice of the next one's work: a
        replay knows a round's commands from its start and must choose the same.
        """
        last = JUDGE_ROUND
        done = 0
        tried: set[str] = set()
        while not self.why and (self.stop is None or self.stop["round"] > last):
            instructions = self.context.run.instructions[done:]
            candidates = (*self._find_approved(), *self._find_redirected())
            approved = [url for url in candidates if url not in tried]
            if not instructions and not approved:
                return
            with self._catch_end():
                if instructions:
                    done += 1
                    self._instruct(instructions[0], last + 1, last + 2)
                else:
                    tried.update(approved)
                    self._fetch(last + 2, [url for url in approved if url in self._list_unread()])
            self._finish_judging(last + 3)
            last += 3

    def _instruct(self, text: str, searching: int, reading: int) -> None:
        """Search once more and read the best unread results; do nothing for an exclusion."""
        if asks_to_exclude(text):
            return
        query = build_instruction_query(self.question, text)[:500]
        self._search(searching, query, "instruction")
        order = self.context.order_of(query)
        listed = {}
        for url, source in self._list_unread().items():
            if any(listing.order == order for listing in source.listings):
                listed[url] = source
        self._fetch(reading, self._rank_by_score(listed)[:INSTRUCTION_SHARE])

    def _list_unread(self) -> dict[str, SourceView]:
        return {
            url: source
            for url, source in self.context.run.sources.items()
            if not source.read and not source.failure
        }

    def _find_approved(self) -> list[str]:
        """Return the URLs the analyst approved that nobody has read."""
        return [url for url, source in self._list_unread().items() if source.approved]

    def _find_redirected(self) -> list[str]:
        """Return the approved URLs that were redirected to a blocked site, judged or not."""
        run = self.context.run
        return [
            url
            for url, source in run.sources.items()
            if source.read and source.approved and redirects_to_blocked_site(source, run)
        ]

    def _rank_by_score(self, sources: Mapping[str, SourceView]) -> list[str]:
        """Return the URLs that were allowed before the run began, by score.

        Later decisions are ignored, because a replay knows them earlier.
        """
        run = self.context.run
        scores = {}
        for url, source in sources.items():
            if url in run.settings.struck or not is_eligible(replace(source, approved=False), run):
                continue
            parts = find_score(source, run)
            scores[url] = parts.score if parts else 0.0
        return sorted(scores, key=lambda url: (-scores[url], url))

    def _search(self, round: int, query: str, purpose: str) -> None:
        """Search for what the model did not choose."""
        if self._counts_choices():
            self.context.add_query(query, purpose=purpose)
        self._call_tools(round, [ToolCall("", "search_web", {"query": query})])

    def _fetch(self, round: int, urls: Sequence[str]) -> None:
        self._call_tools(round, [ToolCall("", "fetch_page", {"url": url}) for url in urls])

    def _call_tools(self, round: int, calls: Sequence[ToolCall]) -> None:
        answer_calls(calls, self.context, DEFAULT_TOOLS, partial(self._run_round, round))

    # -- while others work -----------------------------------------------------

    def _run_round(self, round: int, work: Sequence[Work]) -> list[Any]:
        """Run the work on the pool and listen meanwhile. Raises _RunEnded if the run ends first."""
        self._begin_round(round)
        if self.stop is not None and self.stop["round"] <= round:
            raise _RunEnded
        # A quick round is over before it waits, so commands are taken here too.
        self._poll()
        if self.why:
            raise _RunEnded
        futures = [self.deps.pool.submit(one) for one in work]
        while not self.why and wait(futures, POLL_S).not_done:
            self._poll()
        if self.why:
            raise _RunEnded
        return [future.result() for future in futures]

    def _begin_round(self, round: int) -> None:
        """Begin a round: apply the decisions recorded for it and judge what was read before."""
        self.round = round
        if round <= MAX_ROUNDS:
            self.rounds = max(0, round - 1)
        for data in [data for data in self.recorded if data["round"] <= round]:
            self.recorded.remove(data)
            self._decide(data)
        self._begin_judging()

    def _poll(self) -> None:
        """Take judgements and new commands; commands act only through their recorded decisions."""
        self.deps.http.check_stop()
        self._collect_judgements()
        if self.deps.log.readonly:
            return
        for command in self.deps.log.read(self.last_command, kinds=("command",)):
            self.last_command = command.seq
            do = command.data["do"]
            is_ending = self.stop is not None or bool(self.why)
            if do == "stop" and self.stop is None:
                self._end(ANALYST_REASON)
            elif do in (*MANUAL_DECISIONS, *PERMISSION_ANSWERS) or (
                do == "instruct" and not is_ending
            ):
                self._decide({**command.data, "command": command.seq, "round": self.round})

    def _decide(self, data: Mapping[str, Any]) -> None:
        """Act on a command by recording the decision on it."""
        self._emit("decide", f"command:{data['command']}", **data)
        if data["do"] in PERMISSION_ANSWERS:
            self.answers.setdefault(data["place"], data["do"])

    def _wait_for_permission(self, call: ToolCall) -> str:
        """Wait for the analyst and return why a writing call is refused, "" if it is allowed.

        Raises _RunEnded if the run ends first.
        """
        self.questions += 1
        place = f"{self.round}.{self.questions}"
        self._emit(
            "decide",
            f"ask:{place}",
            do="ask",
            place=place,
            tool=call.name,
            arguments=dict(call.arguments),
        )
        while place not in self.answers and not self.why:
            if self.deps.log.readonly:
                raise CallForbidden(
                    f"The recorded run never answered whether {call.name} may be called."
                )
            time.sleep(POLL_S)
            self._poll()
        if self.why:
            raise _RunEnded
        return "" if self.answers[place] == "allow" else REFUSED_BY_ANALYST

    def _end(self, why: str) -> None:
        self.why = self.why or why

    # -- judging ---------------------------------------------------------------

    def _begin_judging(self) -> None:
        """Start judging every page read since; after a stop, only those that were judged by then.

        A page that was redirected to a blocked site is judged once the analyst approves it.
        """
        for url, source in self.context.run.sources.items():
            if not source.read or url in self.begun:
                continue
            if url not in self.admitted:
                self.admitted.add(url)
                self._emit("admitted", url, url=url)
            if not self._may_count(source):
                continue
            self.begun.add(url)
            if self.stop is None or self._was_judged_by_model(url, self.stop):
                page = self._build_page(url, source)
                self.judging[url] = self.deps.pool.submit(
                    _summarize_and_score,
                    self.question,
                    page,
                    self.deps,
                    self.prompting,
                    self.parts,
                )

    def _was_judged_by_model(self, url: str, stop: Mapping[str, Any]) -> bool:
        by_words = early_stop.list_pages_judged_by_words(stop)
        return url in stop["judged"] and url not in by_words

    def _build_page(self, url: str, source: SourceView) -> Page:
        return Page(url, source.final_url, source.title, self.context.get_fetched_content(url))

    def _may_count(self, source: SourceView) -> bool:
        return source.approved or not redirects_to_blocked_site(source, self.context.run)

    def _collect_judgements(self) -> None:
        for url in [url for url, future in self.judging.items() if future.done()]:
            try:
                summary, judged = self.judging.pop(url).result()
            except CapReached as cap:
                self._end(early_stop.explain_cap(cap.cap))
                continue
            self._on_judged(url, summary, judged)

    def _on_judged(self, url: str, summary: Summary, judged: Json) -> None:
        passages = [asdict(passage) for passage in summary.passages]
        self.judgements[url] = summary, judged
        self.deps.log.append(
            Draft("passages", {"url": url, "passages": passages, "summary": summary.summary}, url),
            Draft("judged", judged, url),
        )

    def _finish_judging(self, round: int) -> None:
        """Wait for the judgements under way, or two seconds if the run was stopped."""
        if not self.why and (self.stop is None or self.stop["round"] >= round):
            self._begin_round(round)
        while self.judging and not self.why:
            wait(self.judging.values(), POLL_S, FIRST_COMPLETED)
            self._poll()
        until = self.deps.clock.monotonic() + STOP_GRACE_S
        while wait(self.judging.values(), POLL_S).not_done and self.deps.clock.monotonic() < until:
            pass
        # Commands that arrived meanwhile must not be lost.
        self._poll()

    def _judge_again(self) -> None:
        """Ask once more about all unscored sources, in one call.

        The answer is left out, here and in every replay, if the run ends before it arrives.
        """
        if self.why or (self.stop is not None and self.stop["round"] <= JUDGE_ROUND):
            return
        judgements = {url: judgement for url, (_, judgement) in self.judgements.items()}
        unscored = batch_judge.find_unscored(judgements, self.judgements)
        summaries = [self.judgements[url][0] for url in unscored]
        model = early_stop.OptionalModel(self.deps, "second judgement")
        reply = self.deps.pool.submit(
            batch_judge.judge_batch, self.question, summaries, model, self.prompting
        )
        while not self.why and wait([reply], POLL_S).not_done:
            self._poll()
        judged_again = [] if self.why else reply.result()
        for judgement in judged_again:
            self._emit("judged", f"again:{judgement['url']}", **judgement)
        self._judge_rest_by_words({judgement["url"] for judgement in judged_again})

    def _judge_rest_by_words(self, judged_again: Collection[str]) -> None:
        """Judge by words what the model gave no score."""
        falls_back = runs_under(read_rules(self.deps.log), "prompting", BY_RULES_VERSION)
        if self.why or not falls_back:
            return
        for url, (summary, judgement) in sorted(self.judgements.items()):
            if not judgement["scored"] and url not in judged_again:
                judgement = early_stop.judge_by_words(
                    self.question, summary, self.deps, MODEL_FAILED_NOTE
                )
                self._emit("judged", f"words:{url}", **judgement)

    def _record_stop(self) -> None:
        """Record what is known now; this run and every replay of it write the report from that."""
        run = self.context.run
        decision = self.stop or self._build_stop_decision()
        for url in early_stop.list_pages_judged_by_words(decision):
            page = self._build_page(url, run.sources[url])
            summary = summarize(self.question, page, self.deps, queries=self.parts)
            judgement = early_stop.judge_by_words(self.question, summary, self.deps)
            self._on_judged(url, summary, judgement)
        self._emit("decide", "stop", **decision)
        self.deps.http.close()

    def _build_stop_decision(self) -> Mapping[str, Any]:
        run = self.context.run
        orders = sorted(run.queries)
        known: dict[str, list[Any]] = {
            "orders": [*orders, PROVISIONAL_ORDER],
            "parts": ["plan", *(f"query:{order}" for order in orders)],
            "admitted": sorted(self.admitted),
            "read": sorted(
                url for url, source in run.sources.items() if source.read or source.failure
            ),
            "judged": sorted(self.judgements),
        }
        decision = early_stop.build_stop_decision(self.why, known, self.begun)
        return {"round": self.round, **decision}

    def _emit(self, kind: str, key: str, **data: Any) -> None:
        self.deps.log.append(Draft(kind, data, key))


def _summarize_and_score(
    question: str, page: Page, deps: Deps, prompting: PromptContext, parts: Sequence[str]
) -> tuple[Summary, Json]:
    summary = summarize(question, page, deps, queries=parts)
    score = partial(score_source, question, summary, deps.model, prompting)
    return summary, early_stop.judge_within_caps(deps, question, summary, score)
