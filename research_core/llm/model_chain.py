"""Ask the models of a chain in order, all of them within one deadline.

It never retries a model; the doorway does.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace

from research_core.errors import ModelError
from research_core.model_messages import (
    NO_OTHER_MODEL,
    ModelReply,
    ModelRequest,
    Usage,
    add_usage,
)

#: Failures of one model that another model may not share.
TRY_NEXT_MODEL_KINDS = frozenset({"rate_limited", "upstream_unavailable", "not_found"})

OnText = Callable[[str], None]
#: Asks one model, by name, until a deadline of `time.monotonic`; passes pieces of text on.
AskModel = Callable[[str, float, OnText], ModelReply]
#: Seconds for which a model that is missing is not asked again where another can answer.
MISSING_S = 300.0
#: Failures that are known to last for a time.
LASTING_KINDS = frozenset({"rate_limited", "not_found"})


class UnavailableModels:
    """The models of one server that are known to be missing or rate limited. Thread-safe."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """now: seconds for measuring intervals."""
        self._now = now
        self._failures: dict[str, tuple[float, ModelError]] = {}

    def add(self, model: str, error: ModelError) -> None:
        """Keep a failure that is known to last; any other one is not kept."""
        seconds = MISSING_S if error.kind == "not_found" else error.retry_after
        if seconds and error.kind in LASTING_KINDS:
            # Not the error itself, whose traceback would stay in memory.
            known = ModelError(error.message, kind=error.kind, next_step=error.next_step)
            self._failures[model] = self._now() + seconds, known

    def find_failure(self, model: str) -> ModelError | None:
        """Return why the model cannot answer now, as a failure without a request."""
        if model not in self._failures:
            return None
        until, error = self._failures[model]
        left_s = until - self._now()
        if left_s <= 0:
            return None
        known = _without_request(error)
        known.retry_after = left_s if error.kind == "rate_limited" else None
        return known


def ask_chain(
    models: Sequence[str],
    timeout_s: float,
    on_text: OnText | None,
    ask: AskModel,
    *,
    named: str = "",
    unavailable: UnavailableModels | None = None,
    given_up: Mapping[str, ModelError],
) -> ModelReply:
    """Return the first answer of the chain, within `timeout_s` in all, with the failures before it.

    named: a model that no other replaces if it does not exist. unavailable: remembers the
    others that do not, and those that are rate limited for a known time; they are not asked as long
    as a later one may answer. given_up: failures of earlier attempts that stand, without another
    request. Once a piece was passed on, no other model is asked. Raises ModelError: the failure
    worth waiting for, if there is one, else the last. What the failed answers used is counted too.
    """
    unavailable = unavailable or UnavailableModels()
    deadline = time.monotonic() + timeout_s
    said: list[str] = []

    def say(piece: str) -> None:
        said.append(piece)
        if on_text is not None:
            on_text(piece)

    failures: dict[str, ModelError] = {}
    unasked: list[str] = []
    spent = Usage()
    for model in models:
        known = unavailable.find_failure(model)
        if known is not None and model != models[-1]:
            failures[model] = known
            if model not in given_up:
                unasked.append(known.message)
            continue
        try:
            if model in given_up:
                raise _without_request(given_up[model])
            reply = run_until(deadline, model, say, ask)
            return replace(
                reply,
                usage=add_usage(spent, reply.usage),
                passed_over=tuple(error.message for error in failures.values()),
                unasked=tuple(unasked),
                requests=reply.requests + sum(error.requests for error in failures.values()),
            )
        except ModelError as error:
            failures[model] = error
            spent = add_usage(spent, Usage(**error.usage))
            if error.kind not in TRY_NEXT_MODEL_KINDS or said:
                break
            if error.kind == "not_found" and model == named:
                break
            if model not in given_up:
                unavailable.add(model, error)
    raise _join_failures(failures, spent, given_up)


def _join_failures(
    failures: Mapping[str, ModelError], spent: Usage, given_up: Mapping[str, ModelError]
) -> ModelError:
    """Return the failure of a chain.

    Prefer a failure of this attempt to one of a model given up earlier. spent: what its models used
    together.
    """
    found = list(failures.values())
    new = [error for model, error in failures.items() if model not in given_up]
    failure = next((error for error in (*new, *found) if error.retryable), found[-1])
    # Copies, as a failure that holds itself keeps what its traceback reaches in memory.
    by_model = {model: copy(error) for model, error in failures.items()}
    if any(error.usage for error in found):
        failure.usage = asdict(spent)
    failure.requests = sum(error.requests for error in found)
    failure.models = len(found)
    failure.by_model = by_model
    return failure


def _without_request(error: ModelError) -> ModelError:
    """Return a failure that is known, so that nothing was sent and used."""
    known = copy(error)
    known.requests, known.usage = 0, {}
    return known


def skip_models(models: Sequence[str], request: ModelRequest) -> Sequence[str]:
    """Return the models of a chain that a request may ask. Raises ModelError if there is none."""
    left = models[request.skip_models :]
    if not left:
        raise _without_request(ModelError(NO_OTHER_MODEL, kind="config"))
    return left


def run_until(deadline: float, model: str, on_text: OnText, ask: AskModel) -> ModelReply:
    """Ask on a thread of its own and abandon it at the deadline.

    The calling thread passes its pieces on. A client's timeout is one of silence: an answer that
    drips, or a name that is not resolved, outlasts it.
    """
    inbox: queue.SimpleQueue[str | ModelReply | BaseException] = queue.SimpleQueue()
    left_behind = threading.Event()

    def pass_on(piece: str) -> None:
        if left_behind.is_set():
            # The caller has given up; this only ends the stream.
            raise ModelError(f"{model} answered too late.", kind="timeout")
        inbox.put(piece)

    def body() -> None:
        try:
            inbox.put(ask(model, deadline, pass_on))
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            inbox.put(error)

    threading.Thread(target=body, name=f"ask {model}", daemon=True).start()
    try:
        while True:
            item = inbox.get(timeout=max(0.0, deadline - time.monotonic()))
            if isinstance(item, BaseException):
                raise item
            if isinstance(item, ModelReply):
                return item
            on_text(item)
    except queue.Empty as error:
        raise ModelError(f"{model} did not answer in time.", kind="timeout") from error
    finally:
        left_behind.set()
