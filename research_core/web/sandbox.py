"""Readers of hostile documents, run in child processes that have a memory limit, an empty environment and a deadline.

A job goes out as one line of JSON and the body; the answer comes back as one line of JSON. Nothing is unpickled, so a reader that
was taken over can lie about a document and do no more in this process (what it may do in its own: `confine`). A child stays warm for
the next job, and is replaced when it had to be killed. The memory limit holds on Linux; elsewhere only the deadline does.
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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from research_core.errors import ERROR_KINDS, FetchError
from research_core.models import Json, Page
from research_core.web.confine import confine
from research_core.web.wire import packed, unpacked

#: What a child can be asked to do: functions of (body, **options) that return a Page or JSON values, or raise FetchError.
READERS = {
    "html": "research_core.web.html:parse",
    "xhtml": "research_core.web.documents.markup:as_html",
    "xml": "research_core.web.documents.markup:parse_xml",
    "text": "research_core.web.documents:read_text",
    "json": "research_core.web.documents.data:parse_json",
    "separated": "research_core.web.documents.data:parse_separated",
    "pdf": "research_core.web.documents.pdf:parse",
    "office": "research_core.web.documents.office:parse",
    "latexml": "research_core.web.sites.latexml:read",
    "arxiv feed": "research_core.web.sites.arxiv:parse_feed",
    "arxiv abstract": "research_core.web.sites.arxiv:parse_abstract",
    "pubmed": "research_core.web.sites.pubmed:parse_abstract",
    "pmc": "research_core.web.sites.pubmed:parse_article",
    "captions": "research_core.web.sites.captions:parse",
}
#: Bytes of data. A child with its readers loaded holds 30 MB of it and 20 MB of code: with this limit its share of the machine stays
#: below 300 MB (measured by benchmarks/corpora.py).
MEMORY = 240 * 2**20
#: Seconds. No document may hold anything up for more than 5, with the end of its child and the wait for another one. Readers stop by
#: themselves at what they can do in far less (pages, characters), so that the same document reads the same; this is for what never ends.
DEADLINE_S = 4.0
#: Seconds after which a job may well be one that ends its child, and another is started to be ready then.
SUSPECT_S = 0.5
#: Seconds a child may take to load its readers, for which no document is to blame.
START_S = 30.0
LONGEST_ANSWER = 64 * 2**20
INSTEAD = "Look for the same text as a web page, or add a shorter part of the document to a library."
_ROOT = str(Path(__file__).parents[2])
_SERVE = "import sys; sys.path.insert(0, sys.argv[1]); from research_core.web.sandbox import serve; serve(*map(float, sys.argv[2:]))"
_READY = b"ready\n"

Child = subprocess.Popen[bytes]


class Sandbox:
    """Up to `size` children, started when first needed. Safe for any number of threads; those beyond `size` wait their turn.

    memory: bytes of data a child may hold; deadline_s: seconds one job may take, counted from when a child is ready for it; python: the
    program that children are.
    """

    def __init__(self, *, size: int = 2, memory: int = MEMORY, deadline_s: float = DEADLINE_S, python: str = sys.executable) -> None:
        self._memory, self._deadline_s, self._python = memory, deadline_s, python
        self._idle: list[Child] = []
        self._turns = threading.BoundedSemaphore(size)

    def read(self, reader: str, body: bytes, **options: Any) -> Page:
        """The page that a reader makes of the body. Raises as `run`."""
        return unpacked(self.run(reader, body, **options))

    def run(self, reader: str, body: bytes, **options: Any) -> Json:
        """What the reader answered.

        Raises its FetchError, or one of kind timeout or too_large when the child had to be stopped, upstream_unavailable when none starts.
        """
        with self._turns:
            child = self._take()
            late = threading.Event()
            answer = None
            try:
                with _after(SUSPECT_S, self._spare), _after(self._deadline_s, _stop, child, late):
                    answer = _exchange(child, {"reader": reader, "options": options, "size": len(body)}, body)
            finally:
                if answer is None or late.is_set():
                    _end(child)
                    self._spare()
                else:
                    self._idle.append(child)
        return self._checked(answer, late.is_set())

    def _checked(self, answer: Json | None, late: bool) -> Json:
        if late:
            sentence = f"Reading the document took longer than {self._deadline_s:g} seconds and was stopped."
            raise FetchError(sentence, kind="timeout", next_step=INSTEAD)
        if answer is None:
            sentence = f"The document breaks its reader, or takes more than {self._memory // 2**20} MB to read."
            raise FetchError(sentence, kind="too_large", next_step=INSTEAD)
        if "error" in answer:
            kind = answer.get("kind")
            raise FetchError(
                str(answer["error"]), kind=kind if kind in ERROR_KINDS else "unsupported", next_step=str(answer.get("next_step"))
            )
        return answer

    def warm(self) -> None:
        """Start a child now, so that the first job finds one ready."""
        if not self._idle:
            self._idle.append(self._start())

    def _spare(self) -> None:
        """Have one load while nobody waits for it."""
        with contextlib.suppress(OSError):  # which the next job will say
            self.warm()

    def close(self) -> None:
        """Stop the idle children. A job under way ends with its own deadline."""
        while self._idle:
            _end(self._idle.pop())

    def _take(self) -> Child:
        """A child that is ready for a job."""
        with contextlib.suppress(IndexError):
            while child := self._idle.pop():
                if child.poll() is None and _is_ready(child):
                    return child
                _end(child)
        try:
            child = self._start()
        except OSError as error:  # no memory, no processes left
            raise _no_child() from error
        if not _is_ready(child):
            _end(child)
            raise _no_child()
        return child

    def _start(self) -> Child:
        # Empty environment: no key is there to be read. Own session: an interrupt at the terminal must not look like a broken document.
        command = [self._python, "-I", "-c", _SERVE, _ROOT, str(self._memory), str(self._deadline_s)]
        quiet = {"stderr": subprocess.DEVNULL, "env": {}, "start_new_session": True}
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **quiet)  # type: ignore[call-overload, no-any-return]


def _no_child() -> FetchError:
    return FetchError("No process could be started to read the document.", kind="upstream_unavailable", next_step="Try again.")


@contextlib.contextmanager
def _after(seconds: float, act: Callable[..., None], *arguments: Any) -> Iterator[None]:
    """Do this once what is within has taken so long."""
    timer = threading.Timer(seconds, act, arguments)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


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


def _is_ready(child: Child) -> bool:
    """Whether the child asks for a job: it says so once it has loaded, and after each answer."""
    assert child.stdout
    with _after(START_S, child.kill):
        return child.stdout.readline(len(_READY)) == _READY


def _exchange(child: Child, job: Json, body: bytes) -> Json | None:
    """The child's answer, or None when it died over the job."""
    assert child.stdin
    assert child.stdout
    try:
        child.stdin.write(json.dumps(job).encode() + b"\n")
        child.stdin.write(body)
        child.stdin.flush()
        line = child.stdout.readline(LONGEST_ANSWER)
        answer = json.loads(line) if line.endswith(b"\n") else None
    except (OSError, ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


# ---------------------------------------------------------------- in the child


def serve(memory: float, deadline_s: float) -> None:
    """Answer jobs until there are no more."""
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a reader prints is not an answer
    logging.disable(logging.CRITICAL)
    readers = {name: _load(place) for name, place in READERS.items()}
    confine(int(memory))
    while _say(answers, _READY) and (line := jobs.readline()):
        job = json.loads(line)
        body = jobs.read(job["size"])
        _alarm(int(deadline_s) + 5)  # nobody is left to stop a child whose parent was killed
        answer = _answer(readers[job["reader"]], body, job["options"])
        _alarm(0)
        del body
        _say(answers, json.dumps(answer).encode() + b"\n")


def _say(answers: Any, line: bytes) -> bool:
    answers.write(line)
    answers.flush()
    return True


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _answer(reader: Any, body: bytes, options: Json) -> Json:
    try:
        answer = reader(body, **options)
        return packed(answer) if isinstance(answer, Page) else dict(answer)
    except FetchError as error:
        return {"error": error.message, "kind": error.kind, "next_step": error.next_step}
    except MemoryError:
        raise  # the child is of no more use
    except Exception as error:  # noqa: BLE001 – whatever a hostile document does to its reader is a fact about the document
        return {"error": f"The document is broken: {type(error).__name__}.", "kind": "unsupported", "next_step": ""}


def _alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


#: The children of this process.
SHARED = Sandbox(size=max(2, min(4, os.cpu_count() or 2)))
atexit.register(SHARED.close)
