"""The commands that run a session: `ask`, `approve`, `rewrite`, `follow`, `resume`, `replay`."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from research_core.errors import (
    CapReached,
    ModelError,
    ModelRefused,
    ResearchError,
    Stopped,
    UsageError,
)
from research_core.interfaces.cli.output import (
    check_output_paths,
    deliver_report,
    finish_command,
)
from research_core.interfaces.cli.progress import ProgressPrinter
from research_core.interfaces.terminal import (
    DONE,
    FAILED,
    WAITING,
    Commands,
    say,
    say_error,
    say_progress,
)
from research_core.journal.doorway import Control
from research_core.journal.store import WAITING_OUTCOME, find_session
from research_core.modes import ResearchMode
from research_core.policy import LIBRARY_ENGINE, SAMPLE_LIBRARY, RunSettings, checks_report
from research_core.sessions import (
    estimates,
    heartbeats,
    runner,
    session_control,
    session_start,
    session_status,
)
from research_core.sessions.run_defaults import (
    can_call_tools,
    change_models,
    check_tools,
    choose_engines,
    choose_models,
)
from research_core.text.question import clean_question
from research_core.text.words import to_single_line
from research_core.wiring import LOCAL_USER, Resources

if TYPE_CHECKING:
    from research_core.interfaces.cli.plan import PlanAnswer


def _ask(arguments: argparse.Namespace, resources: Resources) -> int:
    question = clean_question(arguments.question)
    check_output_paths(arguments)
    run = _choose_settings(arguments, resources)
    if LIBRARY_ENGINE in run.engines and run.library != SAMPLE_LIBRARY and not arguments.library:
        say(f"Searching your library {run.library!r}.")
    expected = estimates.format_estimate(estimates.estimate_run(resources, run), run.caps)
    if arguments.estimate:
        print(expected)
        return DONE
    return _start_session(
        arguments, resources, session_start.new_session(resources, question, run), expected
    )


def _rewrite(arguments: argparse.Namespace, resources: Resources) -> int:
    check_output_paths(arguments)
    from research_core.decisions import gate
    from research_core.sessions import snapshot as snapshots

    snapshot = snapshots.read_session(resources, arguments.session)
    if snapshot.run.question:
        run = gate.merge_manual_decisions(snapshot.run)
    else:
        run = RunSettings.from_json(snapshot.info.row.settings)
    run = change_models(run, resources.settings, arguments.model, arguments.writer, arguments.judge)
    settings = _apply_source_flags(run, arguments)
    return _start_session(
        arguments, resources, session_start.rewrite(resources, arguments.session, settings)
    )


def _follow(arguments: argparse.Namespace, resources: Resources) -> int:
    check_output_paths(arguments)
    return _start_session(
        arguments,
        resources,
        session_start.follow_up(resources, arguments.session, arguments.question),
    )


def _start_session(
    arguments: argparse.Namespace, resources: Resources, session: str, expected: str = ""
) -> int:
    say("\n".join(filter(None, (f"Session {session}", expected))))
    return _run_session(arguments, resources, session)


def _choose_settings(arguments: argparse.Namespace, resources: Resources) -> RunSettings:
    ResearchMode.from_name(
        arguments.mode, sources=arguments.sources, relevance_cutoff=arguments.relevance_cutoff
    )
    given = check_tools(resources, arguments.tool, arguments.strategy)
    tuned = _apply_flags(
        RunSettings(
            mode=arguments.mode,
            strategy=arguments.strategy,
            tools=given,
            review_plan=arguments.plan,
        ),
        arguments,
    )
    if arguments.library is not None and not arguments.library.strip():
        raise UsageError(
            "The library name is empty.",
            next_step="Give a name or a path after --library, or omit it.",
        )
    tuned = choose_models(
        tuned, resources.settings, arguments.model, arguments.writer, arguments.judge
    )
    if arguments.strategy == "agentic" and not can_call_tools(tuned.model):
        raise UsageError(
            "The agentic strategy needs a language model.",
            next_step="Set GEMINI_API_KEY or ASSAY_OPENAI_BASE_URL, or choose the planned"
            " strategy.",
        )
    if arguments.engine and arguments.no_web:
        raise UsageError("--engine and --no-web cannot be combined.", next_step="Omit one of them.")
    choice = choose_engines(
        resources,
        library=arguments.library,
        web=not arguments.no_web,
        named=arguments.engine,
        say=say,
    )
    return replace(tuned, engines=choice.engines, library=choice.library)


def _apply_flags(run: RunSettings, arguments: argparse.Namespace) -> RunSettings:
    """Return the settings with the flags that were given."""
    given_caps = {
        "calls": arguments.max_calls,
        "tokens": arguments.max_tokens,
        "cost": arguments.max_cost,
        "seconds": arguments.max_seconds,
    }
    caps = {name: cap for name, cap in given_caps.items() if cap is not None}
    credibility = run.credibility
    if arguments.min_credibility is not None:
        credibility = replace(credibility, minimum=arguments.min_credibility)
    relevance_cutoff = run.relevance_cutoff
    if arguments.relevance_cutoff is not None:
        relevance_cutoff = arguments.relevance_cutoff
    mode = arguments.mode or run.mode
    # Another mode of a rewrite has its own number of sources.
    usual = run.sources if mode == run.mode else None
    return replace(
        run,
        mode=mode,
        sources=usual if arguments.sources is None else arguments.sources,
        relevance_cutoff=relevance_cutoff,
        credibility=credibility,
        length=_read_length(arguments.length, run.length),
        caps=replace(run.caps, **caps),
        instructions=(*run.instructions, *arguments.instruct),
    )


def _read_length(given: str | None, usual: str) -> str:
    """Return the length as settings keep it."""
    if given is None:
        return usual
    return "" if given == "normal" else given


def _apply_source_flags(run: RunSettings, arguments: argparse.Namespace) -> RunSettings:
    """Return the settings of a rewrite, with the decisions on single sources."""
    approve = {session_control.check_address(address) for address in arguments.approve}
    strike = {session_control.check_address(address) for address in arguments.strike}
    restore = {session_control.check_address(address) for address in arguments.restore}
    approved = (set(run.approved) | approve) - restore - (strike - approve)
    struck = (set(run.struck) | strike) - restore - (approve - strike)
    return replace(
        _apply_flags(run, arguments), approved=tuple(sorted(approved)), struck=tuple(sorted(struck))
    )


def _run_session(arguments: argparse.Namespace, resources: Resources, session: str) -> int:
    """Run a session here and print its report; Ctrl-C leaves it resumable.

    A plan that waits for approval is shown; without a terminal the session goes on waiting.
    """
    outcome = _run_attempt(resources, session)
    if outcome.outcome == WAITING_OUTCOME:
        code = _settle_plan(resources, session)
        if code is not None:
            return code
        outcome = _run_attempt(resources, session)
    if outcome.report is None:
        error = outcome.error
        if error is None:
            say("The session was cancelled.")
            return FAILED
        hint = "" if isinstance(error, CapReached) else _suggest_resume(session, error)
        say_error(error, hint)
        return FAILED
    if checks_report(outcome.report.settings):
        from research_core.interfaces.cli.audits import deliver_stored_audit

        return deliver_stored_audit(arguments, resources, session)
    deliver_report(arguments, outcome.report)
    return finish_command(arguments, outcome.report)


def _run_attempt(resources: Resources, session: str) -> runner.AttemptOutcome:
    executor, control = heartbeats.make_executor_id(), Control()
    mode = find_session(resources.db, LOCAL_USER, session).settings["mode"]
    with heartbeats.keep_heartbeat(resources, executor), _cancel_on_interrupt(control, session):
        return runner.resume_or_run(
            resources,
            session,
            executor,
            control=control,
            listener=ProgressPrinter(mode, say_progress),
        )


def _settle_plan(resources: Resources, session: str) -> int | None:
    """Have the plan approved. Return None, or the exit code if it is not approved.

    Raises UsageError if somebody else decided meanwhile.
    """
    from research_core.sessions import plan_approval

    while True:
        answer = _ask_about_plan(resources, session)
        if answer is None:
            return WAITING
        if not answer.start:
            session_control.cancel(resources, session)
            say("The session was cancelled.")
            return FAILED
        try:
            plan_approval.approve_plan(resources, session, answer.queries, answer.sub_questions)
        except UsageError as error:
            # A line may be too long, so the analyst is asked again while the session waits.
            say_error(error, begin="")
        else:
            return None


def _ask_about_plan(resources: Resources, session: str) -> PlanAnswer | None:
    """Return the analyst's decision on the plan, or None and say how to approve it later."""
    from research_core.interfaces.cli.plan import ask_about_plan, format_plan
    from research_core.sessions import plan_approval

    plan = plan_approval.read_proposed_plan(resources, session)
    if sys.stdin.isatty():
        try:
            return ask_about_plan(plan, _read_line, say)
        except (EOFError, KeyboardInterrupt):
            say("")
    else:
        print("\n".join(format_plan(plan, plan.queries, plan.sub_questions)))
    say(
        f"The plan waits for your approval. `assay approve {session}` starts the research; --query"
        f" TEXT and --sub-question TEXT change the plan. `assay cancel {session}` cancels it."
    )
    return None


def _read_line(prompt: str) -> str:
    """Read a line from the terminal. The prompt goes to stderr, as stdout is for the report."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _approve(arguments: argparse.Namespace, resources: Resources) -> int:
    check_output_paths(arguments)
    from research_core.sessions import plan_approval

    plan_approval.approve_plan(
        resources,
        arguments.session,
        [] if arguments.no_queries else arguments.query,
        [] if arguments.no_sub_questions else arguments.sub_question,
    )
    return _run_session(arguments, resources, arguments.session)


def _suggest_resume(session: str, error: ResearchError | None) -> str:
    """Return how a failed session goes on: with another model if the model failed."""
    suggestion = f"`assay resume {session}` continues from here"
    if isinstance(error, ModelError | ModelRefused):
        role = error.role if isinstance(error, ModelRefused) else "model"
        suggestion += f", or with `--{role} NAME` with another {role}"
    return f"{suggestion}."


@contextmanager
def _cancel_on_interrupt(control: Control, session: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        control.shutdown.set()
        say(f"Interrupted; nothing is lost. `assay resume {session}` continues.")
        raise Stopped("shutdown") from None


def _wait_for_executor(resources: Resources, session: str) -> str:
    """Return the status of a session once its process has beat again or counts as dead."""
    seen: set[float | None] = set()
    while True:
        info = session_status.read_session_info(resources, session)
        seen.add(heartbeats.list_executors(resources.db).get(info.row.executor or ""))
        if info.status != "running" or len(seen) > 1:
            return info.status
        resources.clock.wait(threading.Event(), heartbeats.BEAT_S / 4)


def _resume(arguments: argparse.Namespace, resources: Resources) -> int:
    if _wait_for_executor(resources, arguments.session) == "running":
        raise UsageError(
            f"Session {arguments.session} is still running in another process.",
            next_step=f"To stop it, use `assay cancel {arguments.session}`.",
        )
    check_output_paths(arguments)
    models = (arguments.model, arguments.writer, arguments.judge)
    if not any(models):
        return _run_session(arguments, resources, arguments.session)
    row = find_session(resources.db, LOCAL_USER, arguments.session)
    run = change_models(RunSettings.from_json(row.settings), resources.settings, *models)
    return _start_session(
        arguments, resources, session_start.rewrite(resources, arguments.session, run)
    )


def _replay(arguments: argparse.Namespace, resources: Resources) -> int:
    check_output_paths(arguments)
    from research_core.sessions.replay import list_differences, replay_session

    again = replay_session(resources, LOCAL_USER, arguments.session)
    deliver_report(arguments, again.report)
    for one in list_differences(again):
        say(
            to_single_line(
                f"differs: {one.kind} {one.key}, {one.where}: {one.stored} → {one.derived}"
            )
        )
    if again.same:
        say("The replayed report is identical.")
        return DONE
    why = (
        f". {again.origin}"
        if again.origin
        else ": Assay has changed since, or the log was altered."
    )
    say(f"The replayed report differs from the stored one{why}")
    return FAILED


COMMANDS: Commands = {
    "ask": _ask,
    "approve": _approve,
    "rewrite": _rewrite,
    "follow": _follow,
    "resume": _resume,
    "replay": _replay,
}
