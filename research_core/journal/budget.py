"""Count what one session spends in calls, tokens, dollars and seconds, and enforce its caps.

A call is counted before it is made, so that calls in flight count: by the list price of the model
or, if it has none, by the tokens it is shown and what the session has paid per token so far. The
writer has a reserve; the sections of a report leave a part of it to the summary.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.errors import CapReached, FetchError
from research_core.journal.cache import FullAnswer
from research_core.journal.deps import Price
from research_core.journal.events import Event
from research_core.policy import Caps, Tally
from research_core.text.words import format_amount, format_count

WRITER_RESERVE = {
    "calls": 1.0,
    "tokens": 0.25,
    "cost": 0.25,
    "seconds": 0.25,
}  # calls: a number; the rest: a share of the cap
#: Share of the cap on costs that the sections of a report leave to its summary.
SUMMARY_RESERVE = 0.05
ASK_WITH_HIGHER_LIMIT = "Ask again with a higher limit; what was gathered stays in the log."


def format_cap(cap: str, limit: float) -> str:
    """Return a cap in words, e.g. "20,000 tokens"."""
    match cap:
        case "calls":
            return format_count(int(limit), "model call")
        case "tokens":
            return format_count(int(limit), "token")
        case "cost":
            return f"{format_amount(limit)} US dollars"
    return f"{limit:,.10g} seconds"


def was_sent(call: Mapping[str, Any]) -> bool:
    """Return False for a recorded model call for which nothing was sent, which is no call.

    So it is where no other model is left, or where the only one is still rate limited.
    """
    if call["kind"] != "model":
        return True
    outcome = call.get("value") or call.get("error") or {}
    return bool(outcome.get("requests", 1))


@dataclass
class Spending:
    """What this session used or reserved so far, earlier attempts included.

    requests: sent for the calls to models that have ended.
    cost: in US dollars, as far as known. priced: True if all costs are known. estimated: True if
    some tokens were not counted by the server.
    """

    calls: int = 0
    requests: int = 0
    tokens: int = 0
    cost: float = 0.0
    priced: bool = True
    estimated: bool = False


class Budget:
    """The budget of one session.

    now: seconds for measuring intervals; writing_calls: kept back for the writer, but at most a
    quarter of the cap on calls and at least one.
    """

    def __init__(
        self,
        caps: Caps,
        now: Callable[[], float],
        calls: Sequence[Event],
        writing_calls: int = 1,
    ) -> None:
        self._caps, self._now = caps, now
        self._reserve: dict[str, float] = dict(WRITER_RESERVE)
        if caps.calls is not None:
            self._reserve["calls"] = max(1, min(writing_calls, caps.calls // 4))
        self._lock = threading.Lock()
        self._began = now()
        self._tokens_in_flight = 0
        self._unpriced_in_flight = 0
        self._cost_in_flight = 0.0
        self.spent = Spending()
        for event in calls:
            self.spent.cost += event.data.get("about", {}).get("cost", 0.0)
            if event.data["kind"] == "model":
                self.spent.calls += 1
                self.count_usage(event.data.get("value") or event.data.get("error"))

    def tally(self, kinds: Sequence[str]) -> Tally:
        """Return what the session has used. kinds: the kind of each call it made."""
        model_calls = kinds.count("model")
        with self._lock:
            spent = self.spent
            return Tally(
                model_calls,
                len(kinds) - model_calls,
                spent.tokens,
                round(spent.cost, 6) if spent.priced else None,
                round(self._now() - self._began, 3),
                estimated=spent.estimated,
                requests=spent.requests,
                free=spent.priced and spent.tokens > 0 and not spent.cost,
            )

    def out_of_time(self) -> bool:
        """Return True if only the writer may still start work."""
        limit = self._caps.seconds
        if limit is None:
            return False
        return self._now() - self._began >= limit * (1 - WRITER_RESERVE["seconds"])

    def limit_wait(self, seconds: float) -> float:
        """Return at most the seconds that the cap on time leaves."""
        if self._caps.seconds is None:
            return seconds
        return max(0.0, min(seconds, self._caps.seconds - (self._now() - self._began)))

    def reserve_call(
        self,
        kind: str,
        reserve: bool,
        *,
        is_free: bool = False,
        tokens: int = 0,
        cost: float | None = None,
        kept_back: float = 0.0,
    ) -> None:
        """Reserve a call of this kind. Raises CapReached.

        is_free: it uses no tokens. tokens: about how many a model is shown; cost: about what it
        costs, None if its price is unknown. Both count until `end_call`. A call of unknown price
        may exceed the cap on costs, and so may one that uses the reserve, unless it alone costs
        more than the cap. kept_back: the share of this cap that a call with the reserve leaves to
        later ones.
        """
        with self._lock:
            if not reserve:  # when the time is up the writer still writes, from what there is
                self._check_cap("seconds", self._now() - self._began, reserve)
            if kind != "model":
                return
            # A cap of 0 on tokens or cost allows the offline model, which is free.
            own = cost or 0.0
            if reserve:
                self._check_alone(own)
                own = 0.0
            used = {
                "calls": self.spent.calls,
                "tokens": self.spent.tokens + self._tokens_in_flight,
                "cost": self.spent.cost + self._estimate_cost_in_flight(),
            }
            for cap in ("calls",) if is_free else ("calls", "tokens", "cost"):
                of_call = (kept_back, own) if cap == "cost" else ()
                self._check_cap(cap, used[cap], reserve, *of_call)
            self.spent.calls += 1
            self._reserve_in_flight(tokens, cost, 1)

    def end_call(self, tokens: int, cost: float | None = None) -> None:
        """Release what was reserved for a call that has ended."""
        with self._lock:
            self._reserve_in_flight(tokens, cost, -1)

    def _reserve_in_flight(self, tokens: int, cost: float | None, sign: int) -> None:
        """Reserve (sign 1) or release (sign -1) a call, by its cost if that is known."""
        self._tokens_in_flight += sign * tokens
        if cost is None:
            self._unpriced_in_flight += sign * tokens
        else:
            self._cost_in_flight += sign * cost

    def _estimate_cost_in_flight(self) -> float:
        if not self.spent.tokens:
            return self._cost_in_flight
        rate = self.spent.cost / self.spent.tokens
        return self._cost_in_flight + self._unpriced_in_flight * rate

    def _check_alone(self, cost: float) -> None:
        """Raise CapReached if one call costs more than the cap allows for the whole session."""
        limit = self._caps.cost
        if limit is not None and cost > limit:
            about = format_cap("cost", round(cost, 4) or cost)
            raise CapReached(
                "cost",
                f"One call would cost about {about}, more than the cap of"
                f" {format_cap('cost', limit)}.",
                next_step=ASK_WITH_HIGHER_LIMIT,
            )

    def _check_cap(
        self, cap: str, used: float, reserve: bool, kept_back: float = 0.0, own: float = 0.0
    ) -> None:
        """Raise CapReached if a call would reach the cap, less what is kept for later calls.

        kept_back: with the reserve, a share of the cap; without it, all of the reserve is kept.
        own: what the call itself will use, if that is known.
        """
        limit = getattr(self._caps, cap)
        if limit is None:
            return
        for_later = kept_back * limit
        if not reserve:
            # The reserve is a number of calls, or a share of any other cap.
            for_later = self._reserve[cap] * (1 if cap == "calls" else limit)
        left = limit - for_later
        if round(used + own, 6) < round(left, 6):
            return
        message = f"The cap of {format_cap(cap, limit)} was reached."
        is_unspent = bool(own and limit and not used)
        if is_unspent:
            about = format_cap(cap, round(own, 4) or own)
            message = (
                f"One call would cost about {about}; the cap of {format_cap(cap, limit)} leaves"
                f" {format_amount(left)}."
            )
        raise CapReached(cap, message, next_step=ASK_WITH_HIGHER_LIMIT, is_unspent=is_unspent)

    def count_usage(self, outcome: Mapping[str, Any] | None) -> None:
        """Count what a model call used; one for which nothing was sent is no call.

        outcome: its answer, or its failure, as recorded.
        """
        requests = (outcome or {}).get("requests", 1)
        with self._lock:
            self.spent.requests += requests
            self.spent.calls -= not requests
        usage = (outcome or {}).get("usage")
        if not usage:
            return
        with self._lock:
            self.spent.tokens += usage["input_tokens"] + usage["output_tokens"]
            self.spent.cost += usage["cost"] or 0.0
            self.spent.priced &= usage["cost"] is not None
            self.spent.estimated |= usage.get("estimated", False)

    def pay_for(
        self, price: Price, notes: dict[str, Any], call: Callable[[], FullAnswer]
    ) -> FullAnswer:
        """Make a call that costs money itself, and count its cost.

        A call that failed, or does not say its cost, counts for the most it may have cost. If that
        is more than the caps leave, it fails with FetchError; the failure is recorded, because a
        replay keeps no budget.
        """
        self._reserve_cost(price.max_cost)
        notes["cost"] = price.max_cost
        try:
            answer = call()
            cost = price.read_cost(answer.value)
            if cost is not None:
                notes["cost"] = cost
            return answer
        finally:
            with self._lock:
                self.spent.cost += notes["cost"] - price.max_cost

    def _reserve_cost(self, most: float) -> None:
        """Count the most a call may cost. Raises FetchError if the cap leaves less."""
        with self._lock:
            limit = self._caps.cost
            if limit is not None:
                allowed = limit * (1 - WRITER_RESERVE["cost"])
                if round(self.spent.cost + most, 6) > round(allowed, 6):
                    raise FetchError(
                        f"It may cost {most:g} US dollars, more than the limit of"
                        f" {format_amount(limit)} leaves.",
                        kind="config",
                        next_step="Ask again with a higher limit.",
                    )
            self.spent.cost += most
