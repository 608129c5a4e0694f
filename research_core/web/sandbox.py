"""Readers of hostile documents, run in child processes that have a memory limit, an empty environment and a deadline.

A job goes out as one line of JSON and the body; the answer comes back as one line of JSON. Nothing is unpickled, so a reader that
was taken over can lie about a document and do no more in this process. A child stays warm for the next job, and is replaced when
it had to be killed. The memory limit holds on Linux; elsewhere only the deadline does.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from research_core.errors import FetchError
from research_core.models import Json

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

#: What a child can be asked to do: functions of (body, **options) that return JSON values or raise FetchError.
READERS = {"html": "research_core.web.html:parse", "pdf": "research_core.web.documents:parse_pdf"}
MEMORY = 300 * 2**20
DEADLINE_S = 20.0
LONGEST_ANSWER = 64 * 2**20
_ROOT = str(Path(__file__).parents[2])
_SERVE = "import sys; sys.path.insert(0, sys.argv[1]); from research_core.web.sandbox import serve; serve(*map(float, sys.argv[2:]))"

Child = subprocess.Popen[bytes]


class Sandbox:
    """Up to `size` children, started when first needed. Safe for any number of threads; those beyond `size` wait their turn.

    memory: bytes of data a child may hold; deadline_s: seconds one job may take, counted from when a child has it.
    """

    def __init__(self, *, size: int = 2, memory: int = MEMORY, deadline_s: float = DEADLINE_S) -> None:
        self._memory, self._deadline_s = memory, deadline_s
        self._idle: list[Child] = []
        self._turns = threading.BoundedSemaphore(size)

    def run(self, reader: str, body: bytes, **options: Any) -> Json:
        """What the reader answered. Raises its FetchError, or one of kind timeout or too_large when the child had to be stopped."""
        with self._turns:
            child = self._take()
            late = threading.Event()
            timer = threading.Timer(self._deadline_s, _stop, (child, late))
            timer.start()
            answer = None
            try:
                answer = _exchange(child, {"reader": reader, "options": options, "size": len(body)}, body)
            finally:
                timer.cancel()
                if answer is None or late.is_set():
                    _end(child)
                else:
                    self._idle.append(child)
        return self._checked(answer, late.is_set())

    def _checked(self, answer: Json | None, late: bool) -> Json:
        if late:
            raise FetchError(f"Reading the document took longer than {self._deadline_s:g} seconds and was stopped.", kind="timeout")
        if answer is None:
            raise FetchError(f"The document breaks its reader, or takes more than {self._memory // 2**20} MB to read.", kind="too_large")
        if "error" in answer:
            raise FetchError(str(answer["error"]), kind=answer["kind"])
        return answer

    def warm(self) -> None:
        """Start a child now, so that the first job finds one ready."""
        if not self._idle:
            self._idle.append(self._start())

    def close(self) -> None:
        """Stop the idle children. A job under way ends with its own deadline."""
        while self._idle:
            _end(self._idle.pop())

    def _take(self) -> Child:
        with contextlib.suppress(IndexError):
            while child := self._idle.pop():
                if child.poll() is None:
                    return child
                _end(child)
        return self._start()

    def _start(self) -> Child:
        # Empty environment: no key is there to be read. Own session: an interrupt at the terminal must not look like a broken document.
        command = [sys.executable, "-I", "-c", _SERVE, _ROOT, str(self._memory), str(self._deadline_s)]
        quiet = {"stderr": subprocess.DEVNULL, "env": {}, "start_new_session": True}
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **quiet)  # type: ignore[call-overload, no-any-return]


def _stop(child: Child, late: threading.Event) -> None:
    late.set()
    child.kill()


def _end(child: Child) -> None:
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        with contextlib.suppress(OSError):  # what was still to be sent has no reader
            if pipe:
                pipe.close()


def _exchange(child: Child, job: Json, body: bytes) -> Json | None:
    """The child's answer, or None when it died over the job."""
    assert child.stdin
    assert child.stdout
    try:
        child.stdin.write(json.dumps(job).encode() + b"\n" + body)
        child.stdin.flush()
        line = child.stdout.readline(LONGEST_ANSWER)
        answer = json.loads(line) if line.endswith(b"\n") else None
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


# ---------------------------------------------------------------- in the child


def serve(memory: float, deadline_s: float) -> None:
    """Answer jobs until there are no more."""
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a reader prints is not an answer
    logging.disable(logging.CRITICAL)
    readers = {name: _load(place) for name, place in READERS.items()}
    _limit(int(memory))
    while line := jobs.readline():
        job = json.loads(line)
        body = jobs.read(job["size"])
        _alarm(int(deadline_s) + 5)  # nobody is left to stop a child whose parent was killed
        answer = _answer(readers[job["reader"]], body, job["options"])
        _alarm(0)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _answer(reader: Any, body: bytes, options: Json) -> Json:
    try:
        return dict(reader(body, **options))
    except FetchError as error:
        return {"error": error.message, "kind": error.kind}
    except MemoryError:
        raise  # the child is of no more use
    except Exception as error:  # noqa: BLE001 – whatever a hostile document does to its reader is a fact about the document
        return {"error": f"The document is broken: {type(error).__name__}.", "kind": "unsupported"}


def _limit(memory: int) -> None:
    if resource:
        for what, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(what, (most, most))


def _alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


#: The children of this process.
SHARED = Sandbox(size=max(2, min(4, os.cpu_count() or 2)))
atexit.register(SHARED.close)
