"""End a run early: at the cap on time or on the analyst's command.

The stop decision names everything that still counts, so that a replay goes exactly as far. At the
cap, pages read and not judged are judged by their words, which costs nothing and needs no call. If
the analyst stops the run, what is not judged by then stays unjudged. Any other cap ends nothing:
searches and pages are free, and the calls it rules out are replaced by rules and words. Sessions of
older rules ended there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, TypeVar

from research_core.errors import CallForbidden, CapReached
from research_core.i18n import N_, gettext, join_sentences
from research_core.journal.deps import Clock, Deps
from research_core.journal.events import Draft, sha256
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import Summary
from research_core.pipeline.relevance import add_details, build_judgement, score_by_words
from research_core.pipeline.unfinished import JUDGED_BY_WORDS_NOTE

T = TypeVar("T")
#: Seconds that judging what is read may take after a stop.
STOP_GRACE_S = 2.0
#: The version of the rules of scoring from which a judgement by words is recorded.
RECORDED_VERSION = 3
#: The version of the rules of scoring from which only the cap on time ends a run early.
FREE_READING_VERSION = 7
#: Why a run ends early, as its decision states it in English; reports and screens translate it.
ANALYST_REASON = N_("the analyst stopped the run")
CAP_REASON_PREFIX = "the cap on "
CAP_REASONS = {
    "calls": N_("the cap on calls was reached"),
    "tokens": N_("the cap on tokens was reached"),
    "cost": N_("the cap on cost was reached"),
    "seconds": N_("the cap on seconds was reached"),
}
#: Why a step goes on by rules although nothing is spent: one call would exceed the cap.
UNSPENT_CAP_REASON = N_("the cap on cost leaves no model call")


def run_within_caps(
    deps: Deps, step: str, ask: Callable[[], T], by_rules: Callable[[str], T], *, of: str = ""
) -> T:
    """Return what a model answers, or what rules give if a cap leaves no call for it.

    Used by the steps that choose what to read and that judge it, so that a run with a small cap
    still ends in a report. step: its name; of: which one of them, so that both are unique in the
    run. by_rules takes the message of the cap. The log records that the cap was reached, because a
    replay keeps no budget. Raises CapReached for the cap on time.
    """
    key = f"limit of {step} {of}".rstrip()
    reached = deps.log.find_choice(key)
    if reached is None:
        try:
            return ask()
        except CapReached as error:
            if error.cap == "seconds":
                raise
            reached = {"do": "go on by rules", "message": error.message}
            if ends_only_at_time_cap(deps):
                why = UNSPENT_CAP_REASON if error.is_unspent else explain_cap(error.cap)
                reached |= {"step": step, "why": why}
    record_cap(deps, key, reached)
    return by_rules(reached["message"])


def record_cap(deps: Deps, key: str, reached: Mapping[str, Any]) -> None:
    """Record the choice of a step that a cap left no call, and the first cap that was reached."""
    drafts = [Draft("decide", reached, key)]
    if "step" in reached:
        first = deps.log.find_choice("reach cap") or {"do": "reach cap", "why": reached["why"]}
        drafts.append(Draft("decide", first, "reach cap"))
    deps.log.append(*drafts)


@dataclass(frozen=True)
class OptionalModel:
    """The model of a step that a report does not need; the log records that a cap left it out.

    step: its name, for the report.
    """

    deps: Deps
    step: str

    @property
    def name(self) -> str:
        return self.deps.model.name

    def open(self) -> None:
        self.deps.model.open()

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Ask the model. Raises CallForbidden at a cap, CapReached at that on time."""
        ask = partial(self.deps.model.run, request, on_text)
        if not ends_only_at_time_cap(self.deps):
            return ask()
        digest = sha256(request.prompt.encode("utf-8", "surrogatepass"))
        return run_within_caps(self.deps, self.step, ask, _forbid_call, of=digest[:16])


def _forbid_call(why: str) -> NoReturn:
    raise CallForbidden(why)


def ends_only_at_time_cap(deps: Deps) -> bool:
    """Return True if no other cap ends a run early, as in sessions of today's rules."""
    return runs_under(read_rules(deps.log), "scoring", FREE_READING_VERSION)


def judge_within_caps(
    deps: Deps, question: str, summary: Summary, score: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return the model's judgement, or one by words if a cap leaves no call for it.

    Raises CapReached for the cap on time, and for any in sessions of older rules.
    """
    if not ends_only_at_time_cap(deps):
        return score()
    by_words = partial(judge_by_words, question, summary, deps)
    return run_within_caps(deps, "judgement", score, lambda _why: by_words(), of=summary.url)


class EarlyStop:
    """Whether and how a run ends early.

    why: the reason, "" while there is none; since: when this attempt began to stop, None before;
    decision: the recorded decision, perhaps of an earlier attempt, None before.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.why = ""
        self.since: float | None = None
        self.decision: Mapping[str, Any] | None = None

    def begin(self, why: str) -> None:
        """Begin to stop. A stop that an earlier attempt decided is left as it is."""
        if self.decision is not None:
            return
        self.why = self.why or why
        if self.since is None:
            self.since = self._clock.monotonic()

    @property
    def is_begun(self) -> bool:
        """Return True if this attempt is ending, whether or not that is recorded yet."""
        return self.since is not None

    def is_overdue(self) -> bool:
        """Return True if what is under way has had its time."""
        return self.since is not None and self._clock.monotonic() - self.since > STOP_GRACE_S

    def is_reached(self, known: Mapping[str, Collection[Any]]) -> bool:
        """Return True if the run was stopped and everything its decision names is known (again)."""
        if self.decision is None:
            return False
        return all(set(self.decision[name]) <= set(values) for name, values in known.items())

    def is_judged_by_words(self, url: str) -> bool:
        """Return True if the decision leaves this page to be judged by its words."""
        return url in list_pages_judged_by_words(self.decision)


def explain_cap(cap: str) -> str:
    """Return the reason a run ends at this cap, as its stop decision states it."""
    return CAP_REASONS[cap]


def build_stop_decision(
    why: str, known: Mapping[str, Collection[Any]], begun: Collection[str]
) -> dict[str, Any]:
    """Build the decision that ends a run early.

    known: what the fold may count, by name; begun: the pages whose judging has begun. If a cap
    ended the run, the unjudged ones are listed as judged, and again under `by_words`.
    """
    decision: dict[str, Any] = {"do": "stop", "why": why}
    decision |= {name: sorted(values) for name, values in known.items()}
    if not why.startswith(CAP_REASON_PREFIX):
        return decision
    unjudged = sorted(set(begun) - set(known["judged"]))
    if not unjudged:
        return decision
    judged = sorted({*known["judged"], *unjudged})
    return {**decision, "judged": judged, "by_words": unjudged}


def list_pages_judged_by_words(decision: Mapping[str, Any] | None) -> Collection[str]:
    """Return the pages a stop decision leaves to be judged by words."""
    return decision.get("by_words", ()) if decision else ()


def judge_by_words(
    question: str, summary: Summary, deps: Deps, note: str = JUDGED_BY_WORDS_NOTE
) -> dict[str, Any]:
    """Return what `relevance.score_source` does, by the words of question and source alone.

    note: begins the explanation. The score is recorded, so that a replay under later rules of
    scoring has the same one.
    """

    def judge() -> list[Any]:
        judged = score_by_words(question, summary)
        assert judged is not None
        return list(judged)

    if runs_under(read_rules(deps.log), "scoring", RECORDED_VERSION):
        asked = {"asked": "relevance by words", "url": summary.url}
        score, explanation, *details = deps.http.record_fact(asked, judge)
    else:
        score, explanation, *details = judge()
    judgement = build_judgement(summary, score, join_sentences([gettext(note), explanation]))
    return add_details(judgement, *details)
