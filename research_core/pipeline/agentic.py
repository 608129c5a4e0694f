"""The agentic strategy: the model chooses what to search and read; every page that was read is
judged while it goes on.

The coordinator's thread owns the state, as in the planned strategy. What is no function of the
recorded calls (a command of the analyst, a cap that struck) is recorded with the round it fell
into, and acts in a replay in that round again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from research_core.context import PROVISIONAL_ORDER, ResearchContext
from research_core.decisions.gate import find_score, is_eligible, redirects_to_blocked_site
from research_core.decisions.view import SourceView
from research_core.errors import CallForbidden, CapReached, ModelError
from research_core.journal.deps import Deps
from research_core.journal.events import Draft
from research_core.model_messages import Json, ToolCall
from research_core.models import Page, Summary
from research_core.modes import ResearchMode
from research_core.pipeline import batch_judge, fallback_judge
from research_core.pipeline.admission import INSTRUCTION_SHARE
from research_core.pipeline.agent import MAX_ROUNDS, Work, answer_calls, run_tool_use_loop
from research_core.pipeline.gather import POLL_S, STEERING, STOP_GRACE_S
from research_core.pipeline.relevance import score_source
from research_core.pipeline.summarize import summarize
from research_core.text.question import asks_to_exclude, build_instruction_query, make_standalone
from research_core.tools import DEFAULT_TOOLS, list_run_tools

#: How the analyst answers a call that waits for them, and what the model is told of one that is
#: refused.
ANSWERS, REFUSED_BY_ANALYST = ("allow", "refuse"), "The analyst does not allow this call."
#: What follows the model's own rounds: searching and reading where it did not, and the last
#: judgements. Then three more for each instruction, and for what was approved since.
SEARCH_ROUND, READ_ROUND, JUDGE_ROUND = (MAX_ROUNDS + n for n in (1, 2, 3))


class _Enough(Exception):
    """The gathering ends here: the analyst, a cap, or the recorded decision says so."""


def gather(question: str, mode: ResearchMode, deps: Deps) -> None:
    """Everything a run does before the gate. Raises ModelError if the model cannot be asked at all,
    Stopped, StoreError, CallForbidden.
    """
    Agentic(question, mode, deps).run()


class Agentic:
    """The state of one run while the model chooses.

    round: the one being done; rounds: how many the model had; why: what ends the run, "" while
    nothing does; stop: what ended it before.
    """

    def __init__(self, question: str, mode: ResearchMode, deps: Deps) -> None:
        self.question, self.mode, self.deps = (
            make_standalone(question, deps.run.follows),
            mode,
            deps,
        )
        self.context = ResearchContext(question, deps)
        self.judging: dict[str, Future[tuple[Summary, Json]]] = {}
        self.judgements: dict[str, tuple[Summary, Json]] = {}
        self.admitted: set[str] = set()
        self.taken_up: set[str] = set()
        self.round, self.rounds, self.why = 1, 0, ""
        decided = [event.data for event in deps.log.decisions()]
        self.stop: Mapping[str, Any] | None = next(
            (data for data in decided if data["do"] == "stop"), None
        )
        self.due = [
            data for data in decided if "command" in data
        ]  # of an earlier attempt, each for its round
        self.seen = max((data["command"] for data in self.due), default=0)
        self.asked = 0
        self.answers: dict[str, str] = {}

    def run(self) -> None:
        note = self._choose()
        self._emit(
            "planned",
            "plan",
            part="plan",
            queries=[],
            type="agentic",
            strategy="agentic",
            sub_questions=[],
            note=note,
        )
        self._judge_the_rest(JUDGE_ROUND)
        self._judge_again()
        self._hear_out()
        if self.why or self.stop:
            self._record_stop()

    def _choose(self) -> str:
        """Let the model choose; in words how that went."""
        trouble = ""
        with self._until_the_end():
            trouble = self._loop()
            self._read_on()
        return (
            f"The model chose what to search and read, in {self.rounds}"
            f" round{'' if self.rounds == 1 else 's'}.{trouble}"
        )

    @contextmanager
    def _until_the_end(self) -> Iterator[None]:
        try:
            yield
        except CapReached as cap:
            self._end(fallback_judge.explain_cap(cap.cap))
        except _Enough:
            pass

    def _loop(self) -> str:
        """What kept the model from going on, "" where nothing did. A model that cannot be asked at
        all ends the run.
        """
        try:
            loop = run_tool_use_loop(
                self.question, self.context, self.deps, tools=list_run_tools(self.deps.run.tools),
                max_pages=self.mode.max_sources,
                at_once=self._at_once, permitted=self._permitted,
            )  # fmt: skip
        except ModelError as error:
            if self.round == 1:
                raise
            return f" It could not go on: {error.message}"
        self.rounds = loop.rounds
        return ""

    def _read_on(self) -> None:
        """Do what the model left undone: search for the question, read what the analyst approved,
        read the best if it read nothing.
        """
        if not self.context.queries_made:
            self._do(SEARCH_ROUND, [ToolCall("", "search_web", {"query": self.question[:500]})])
        wanted = self._approved()
        if not any(source.read for source in self.context.run.sources.values()):
            wanted += [
                url
                for url in self._best(self._unread())[: self.mode.max_sources]
                if url not in wanted
            ]
        self._fetch(READ_ROUND, wanted)

    def _hear_out(self) -> None:
        """What was said besides, in rounds of its own, until nothing is left: instructions, then
        what was approved since.

        One instruction after the other, so that it is the same whenever each was given. Nothing is
        heard between the end of a round and the choice of what the next one does, so that a replay,
        which knows a round's commands from its start, chooses the same.
        """
        last, done, tried = JUDGE_ROUND, 0, set[str]()
        while not self.why and (self.stop is None or self.stop["round"] > last):
            instructions = self.context.run.instructions[done:]
            approved = [url for url in (*self._approved(), *self._astray()) if url not in tried]
            if not instructions and not approved:
                return
            with self._until_the_end():
                if instructions:
                    done += 1
                    self._instruct(instructions[0], last + 1, last + 2)
                else:
                    tried.update(approved)
                    self._fetch(last + 2, [url for url in approved if url in self._unread()])
            self._judge_the_rest(last + 3)
            last += 3

    def _instruct(self, text: str, searching: int, reading: int) -> None:
        """One more search, and the best of its pages that nobody has read; none for what is to be
        left out.
        """
        if asks_to_exclude(text):
            return
        query = build_instruction_query(self.question, text)[:500]
        self._do(searching, [ToolCall("", "search_web", {"query": query})])
        order = self.context.order_of(query)
        listed = {
            url: source
            for url, source in self._unread().items()
            if any(item.order == order for item in source.listings)
        }
        self._fetch(reading, self._best(listed)[:INSTRUCTION_SHARE])

    def _unread(self) -> dict[str, SourceView]:
        return {
            url: source
            for url, source in self.context.run.sources.items()
            if not source.read and not source.failure
        }

    def _approved(self) -> list[str]:
        """What the analyst approved and nobody has read."""
        return [url for url, source in self._unread().items() if source.approved]

    def _astray(self) -> list[str]:
        """What the analyst approved and is read, but led to where the threshold blocks it: judged
        or not, as a replay judges it earlier.
        """
        sources = self.context.run.sources
        return [
            url
            for url, source in sources.items()
            if source.read and source.approved and redirects_to_blocked_site(source, self.deps.run)
        ]

    def _best(self, sources: Mapping[str, SourceView]) -> list[str]:
        """Those that were free to be read before the run began, by score: not by what was decided
        since, which a replay knows earlier.
        """
        settings = self.deps.run
        free = [
            url
            for url in sources
            if url not in settings.struck
            and is_eligible(replace(sources[url], approved=False), settings)
        ]
        scores = {
            url: parts.score if (parts := find_score(sources[url], settings)) else 0.0
            for url in free
        }
        return sorted(free, key=lambda url: (-scores[url], url))

    def _fetch(self, round: int, urls: Sequence[str]) -> None:
        self._do(round, [ToolCall("", "fetch_page", {"url": url}) for url in urls])

    def _do(self, round: int, calls: Sequence[ToolCall]) -> None:
        answer_calls(calls, self.context, DEFAULT_TOOLS, partial(self._at_once, round))

    # -- while others work -----------------------------------------------------------------------------------------------

    def _at_once(self, round: int, work: Sequence[Work]) -> list[Any]:
        """Have work done on the pool and meanwhile listen. Raises _Enough when the run is to end
        before this is done.
        """
        self._begin(round)
        if self.stop is not None and self.stop["round"] <= round:
            raise _Enough
        self._listen()  # a quick round is over before it waits
        futures = [] if self.why else [self.deps.pool.submit(one) for one in work]
        while not self.why and wait(futures, POLL_S).not_done:
            self._listen()
        if self.why:
            raise _Enough
        return [future.result() for future in futures]

    def _begin(self, round: int) -> None:
        """Begin a round: what was decided in it stands from its start, and what was read before it
        is judged.
        """
        self.round = round
        self.rounds = round - 1 if round <= MAX_ROUNDS else self.rounds
        for data in [data for data in self.due if data["round"] <= round]:
            self.due.remove(data)
            self._decide(data)
        self._judge()

    def _listen(self) -> None:
        """Take in judgements and new commands. A command acts only through the recorded decision
        about it.
        """
        self.deps.http.check_stop()
        self._collect()
        for command in (
            [] if self.deps.log.readonly else self.deps.log.read(self.seen, kinds=("command",))
        ):
            self.seen = command.seq
            do = command.data["do"]
            if do == "stop" and self.stop is None:
                self._end("the analyst stopped the run")
            elif do in (*STEERING, *ANSWERS) or (
                do == "instruct" and self.stop is None and not self.why
            ):
                self._decide({**command.data, "command": command.seq, "round": self.round})

    def _decide(self, data: Mapping[str, Any]) -> None:
        """Act on a command, through the record of it."""
        self._emit("decide", f"command:{data['command']}", **data)
        if data["do"] in ANSWERS:
            self.answers.setdefault(data["place"], data["do"])

    def _permitted(self, call: ToolCall) -> str:
        """Why the analyst does not let a tool write, "" where they do; waits until they say. Raises
        _Enough when the run ends before.
        """
        self.asked += 1
        place = f"{self.round}.{self.asked}"
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
            self._listen()
        if self.why:
            raise _Enough
        return "" if self.answers[place] == "allow" else REFUSED_BY_ANALYST

    def _end(self, why: str) -> None:
        self.why = self.why or why

    # -- judging ---------------------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        """Start judging every page read since; where the run was stopped, those that were judged
        then.

        One that led to where the threshold blocks it is judged once it is approved.
        """
        for url, source in self.context.run.sources.items():
            if not source.read or url in self.taken_up:
                continue
            if url not in self.admitted:
                self.admitted.add(url)
                self._emit("admitted", url, url=url)
            if not self._may_count(source):
                continue
            self.taken_up.add(url)
            if self.stop is None or url in set(self.stop["judged"]) - set(
                fallback_judge.list_pages_judged_by_words(self.stop)
            ):
                self.judging[url] = self.deps.pool.submit(
                    _summarize_and_score, self.question, self._page(url, source), self.deps
                )

    def _page(self, url: str, source: SourceView) -> Page:
        return Page(url, source.final_url, source.title, self.context.get_fetched_content(url))

    def _may_count(self, source: SourceView) -> bool:
        return source.approved or not redirects_to_blocked_site(source, self.deps.run)

    def _collect(self) -> None:
        for url in [url for url, future in self.judging.items() if future.done()]:
            try:
                summary, judged = self.judging.pop(url).result()
            except CapReached as cap:
                self._end(fallback_judge.explain_cap(cap.cap))
                continue
            self._on_judged(url, summary, judged)

    def _on_judged(self, url: str, summary: Summary, judged: Json) -> None:
        passages = [asdict(passage) for passage in summary.passages]
        self.judgements[url] = summary, judged
        self.deps.log.append(
            Draft("passages", {"url": url, "passages": passages, "summary": summary.summary}, url),
            Draft("judged", judged, url),
        )

    def _judge_the_rest(self, round: int) -> None:
        """Wait for the judgements under way; two seconds where the run was stopped."""
        if not self.why and (self.stop is None or self.stop["round"] >= round):
            self._begin(round)
        while self.judging and not self.why:
            wait(self.judging.values(), POLL_S, FIRST_COMPLETED)
            self._listen()
        until = self.deps.clock.monotonic() + STOP_GRACE_S
        while wait(self.judging.values(), POLL_S).not_done and self.deps.clock.monotonic() < until:
            pass
        self._listen()  # once more: what was said meanwhile is not lost

    def _judge_again(self) -> None:
        """One call more for all that nobody could score; left out, here and in every replay, where
        the run ends before its answer.
        """
        if self.why or (self.stop is not None and self.stop["round"] <= JUDGE_ROUND):
            return
        unheard = batch_judge.find_unscored(
            {url: judged for url, (_, judged) in self.judgements.items()}, self.judgements
        )
        summaries = [self.judgements[url][0] for url in unheard]
        heard = self.deps.pool.submit(
            batch_judge.judge_batch, self.question, summaries, self.deps.model
        )
        while not self.why and wait([heard], POLL_S).not_done:
            self._listen()
        for judged in [] if self.why else heard.result():
            self._emit("judged", f"again:{judged['url']}", **judged)

    def _record_stop(self) -> None:
        """Record what is known now: the report will be written from this, in this run and in every
        replay of it.
        """
        run = self.context.run
        known: dict[str, list[Any]] = {
            "orders": [*sorted(run.queries), PROVISIONAL_ORDER],
            "parts": ["plan", *(f"query:{order}" for order in sorted(run.queries))],
            "admitted": sorted(self.admitted),
            "read": sorted(
                url for url, source in run.sources.items() if source.read or source.failure
            ),
            "judged": sorted(self.judgements),
        }
        decision = self.stop or {
            "round": self.round,
            **fallback_judge.build_stop_decision(self.why, known, self.taken_up),
        }
        for url in fallback_judge.list_pages_judged_by_words(decision):
            summary = summarize(self.question, self._page(url, run.sources[url]))
            self._on_judged(
                url, summary, fallback_judge.score_with_fallback(self.question, summary)
            )
        self._emit("decide", "stop", **decision)
        self.deps.http.close()

    def _emit(self, kind: str, key: str, **data: Any) -> None:
        self.deps.log.append(Draft(kind, data, key))


def _summarize_and_score(question: str, page: Page, deps: Deps) -> tuple[Summary, Json]:
    summary = summarize(question, page)
    return summary, score_source(question, summary, deps.model)
