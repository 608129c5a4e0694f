"""Run readers of hostile documents in child processes with limits on memory and time.

A job is sent as one line of JSON and the body; the answer returns as one line of JSON. Nothing is
unpickled, so a reader that was taken over can only lie about its document (see `confine` for what
it may do in its own process). A child with its readers loaded forks a copy for each document, so
that no document shares a process with another. Where processes cannot fork, a child ends after one
document. The environment is empty; the memory limit holds on Linux, elsewhere only the deadline
does.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import logging
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE
from typing import Any

from research_core.errors import ERROR_KINDS, FetchError
from research_core.model_messages import Json
from research_core.models import Page
from research_core.web.documents.confine import confine_process
from research_core.web.documents.wire import pack_page, unpack_page

#: Readers a child can run: functions of (body, **options) that return a Page or JSON values, or
#: raise FetchError.
READERS = {
    "html": "research_core.web.html:parse",
    "brand": "research_core.tools.brand.markup:parse",
    "linked_html": "research_core.web.html.linked:read_linked_html",
    "xhtml": "research_core.web.documents.markup:convert_to_html",
    "xml": "research_core.web.documents.markup:parse_xml",
    "text": "research_core.web.documents.plain_text:read_text",
    "json": "research_core.web.documents.data:parse_json",
    "separated": "research_core.web.documents.data:parse_separated",
    "pdf": "research_core.web.documents.pdf:parse",
    "pdf_passage": "research_core.web.documents.pdf_picture:draw_passage",
    "office": "research_core.web.documents.office:parse",
    "latexml": "research_core.web.sites.latexml:read",
    "arxiv feed": "research_core.web.sites.arxiv:parse_feed",
    "arxiv abstract": "research_core.web.sites.arxiv:parse_abstract",
    "pubmed": "research_core.web.sites.pubmed:parse_abstract",
    "pmc": "research_core.web.sites.pubmed:parse_article",
    "captions": "research_core.web.sites.captions:parse",
}
#: Imported lazily by readers; a child loads them before it forks, so that the copies need not.
LIBRARIES = ("trafilatura", "htmldate", "markdown_it")
#: Bytes of data. A child with its readers loaded holds 30 MB of it and 20 MB of code: with this
#: limit its share of the machine stays below 300 MB (measured by benchmarks/corpora.py).
MEMORY_BYTES = 240 * 2**20
#: Seconds. No document may delay anything for more than 5, including ending its child and
#: getting another. Readers stop by themselves at fixed limits (pages, characters) in far less
#: time, so that the same document reads the same; this is for what never ends.
DEADLINE_S = 4.0
#: Seconds after which a job is suspected to end its child, so that a spare one is started.
SUSPECT_S = 0.5
#: Seconds a child may take to load its readers, which no document is charged for; and to see its
#: copy end after the answer.
START_TIMEOUT_S, END_TIMEOUT_S = 30.0, 1.0
MAX_ANSWER_BYTES = 64 * 2**20
INSTEAD_NEXT_STEP = (
    "Look for the same text as a web page, or add a shorter part of the document to a library."
)
_ROOT = str(Path(__file__).parents[3])
_SERVE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from research_core.web.documents.sandbox import"
    " serve; serve(*map(float, sys.argv[2:]))"
)
_READY = b"ready\n"

Child = subprocess.Popen[bytes]


class Sandbox:
    """Up to `size` child processes, started on demand. Thread-safe.

    Threads beyond `size` wait their turn. memory: bytes of data a child may hold; deadline_s:
    seconds one job may take, counted from when a child is ready for it; python: the interpreter of
    the children.
    """

    def __init__(
        self,
        *,
        size: int = 2,
        memory: int = MEMORY_BYTES,
        deadline_s: float = DEADLINE_S,
        python: str = sys.executable,
    ) -> None:
        self._memory, self._deadline_s, self._python = memory, deadline_s, python
        self._idle: list[Child] = []  # ready for a job
        self._loading: list[Child] = []
        self._turns = threading.BoundedSemaphore(size)

    def read(self, reader: str, body: bytes, **options: Any) -> Page:
        """Return the page a reader makes of the body. Raises as `run`."""
        return unpack_page(self.run(reader, body, **options))

    def run(self, reader: str, body: bytes, **options: Any) -> Json:
        """Run a reader in a child and return its answer.

        Raises the reader's FetchError, or one of kind timeout or too_large if the child had to be
        stopped, upstream_unavailable if none starts.
        """
        with self._turns:
            child = self._take_child()
            late = threading.Event()
            answer = None
            try:
                with (
                    _call_after(SUSPECT_S, self._start_spare),
                    _call_after(self._deadline_s, _stop_child, child, late),
                ):
                    answer = _exchange_with_child(
                        child, {"reader": reader, "options": options, "size": len(body)}, body
                    )
            finally:
                if answer is None or late.is_set() or not _is_clean(child):
                    _close_child(child)
                    self._start_spare()
                else:
                    self._idle.append(child)
        return self._check_answer(answer, late.is_set())

    def _check_answer(self, answer: Json | None, late: bool) -> Json:
        if late:
            sentence = (
                f"Reading the document took longer than {self._deadline_s:g} seconds and was"
                " stopped."
            )
            raise FetchError(sentence, kind="timeout", next_step=INSTEAD_NEXT_STEP)
        if answer is None:
            sentence = (
                "The document could not be read: its reader failed or needed more than"
                f" {self._memory // 2**20} MB."
            )
            raise FetchError(sentence, kind="too_large", next_step=INSTEAD_NEXT_STEP)
        if "error" in answer:
            kind = answer.get("kind")
            raise FetchError(
                str(answer["error"]),
                kind=kind if kind in ERROR_KINDS else "unsupported",
                next_step=str(answer.get("next_step")),
            )
        return answer

    def warm(self) -> None:
        """Start a child now, so that the first job finds one ready."""
        if not self._idle and not self._loading:
            self._loading.append(self._start())

    def _start_spare(self) -> None:
        """Start loading another child in the background."""
        with contextlib.suppress(OSError):  # which the next job will say
            self.warm()

    def close(self) -> None:
        """Stop the idle children. A running job ends with its own deadline."""
        for children in (self._idle, self._loading):
            while children:
                _close_child(children.pop())

    def _take_child(self) -> Child:
        """Return a child that is ready for a job. Raises FetchError if none starts."""
        for children, ready in ((self._idle, _is_alive), (self._loading, _is_ready)):
            with contextlib.suppress(IndexError):
                while child := children.pop():
                    if ready(child):
                        return child
                    _close_child(child)
        try:
            child = self._start()
        except OSError as error:  # no memory, no processes left
            raise _make_no_child_error() from error
        if not _is_ready(child):
            _close_child(child)
            raise _make_no_child_error()
        return child

    def _start(self) -> Child:
        # Empty environment: no key is there to be read. Own session: an interrupt at the terminal
        # must not look like a broken document.
        command = [
            self._python,
            "-I",
            "-c",
            _SERVE,
            _ROOT,
            str(self._memory),
            str(self._deadline_s),
        ]
        return subprocess.Popen(
            command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env={}, start_new_session=True
        )


def _make_no_child_error() -> FetchError:
    return FetchError(
        "No process could be started to read the document.",
        kind="upstream_unavailable",
        next_step="Try again.",
    )


@contextlib.contextmanager
def _call_after(seconds: float, act: Callable[..., None], *arguments: Any) -> Iterator[None]:
    """Call a function if the block is still running after so many seconds."""
    timer = threading.Timer(seconds, act, arguments)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _stop_child(child: Child, late: threading.Event) -> None:
    late.set()
    _kill_group(child)


def _kill_group(child: Child) -> None:
    """Kill a child and its copy, which form a process group they cannot leave."""
    if child.poll() is not None:
        return  # and its number may be another's by now
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (AttributeError, OSError):  # no Unix; or it has ended this moment
        child.kill()


def _close_child(child: Child) -> None:
    _kill_group(child)
    child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        with contextlib.suppress(OSError):  # what was still to be sent has no reader
            if pipe:
                pipe.close()


def _is_alive(child: Child) -> bool:
    return child.poll() is None


def _is_ready(child: Child, within_s: float = START_TIMEOUT_S) -> bool:
    """Return whether the child asks for a job.

    It does so once it has loaded, and once the copy that did the last job is gone. It says so on
    the third pipe, which a copy cannot write to.
    """
    assert child.stderr
    with _call_after(within_s, _kill_group, child):
        return child.stderr.readline(len(_READY)) == _READY and _is_alive(child)


def _is_clean(child: Child) -> bool:
    """Return whether the child is ready again and wrote nothing beyond its answer."""
    assert child.stdout
    if not hasattr(os, "fork") or not _is_ready(child, END_TIMEOUT_S):
        return False
    os.set_blocking(child.stdout.fileno(), False)
    more = child.stdout.peek(1)  # type: ignore[attr-defined]
    os.set_blocking(child.stdout.fileno(), True)
    return not more


def _exchange_with_child(child: Child, job: Json, body: bytes) -> Json | None:
    """Send a job and return the child's answer, or None if it died over it."""
    assert child.stdin
    assert child.stdout
    try:
        child.stdin.write(json.dumps(job).encode() + b"\n")
        child.stdin.write(body)
        child.stdin.flush()
        line = child.stdout.readline(MAX_ANSWER_BYTES)
        answer = json.loads(line) if line.endswith(b"\n") else None
    except (OSError, ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


# ---------------------------------------------------------------- in the child


def serve(memory: float, deadline_s: float) -> None:
    """Answer jobs until there are no more, each in a copy of this process.

    Without fork, answer one.
    """
    ready, silent = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
    logging.disable(logging.CRITICAL)
    readers = load_readers()
    gc.freeze()  # what is loaded is shared by all copies, as long as nobody touches it
    while os.write(ready, _READY):
        if not hasattr(os, "fork"):
            os.close(ready)
            return _serve_one(readers, int(memory), int(deadline_s))
        select.select([0], [], [])  # not a byte of a job is read here
        if not (copy := os.fork()):
            os.close(ready)
            _serve_one(readers, int(memory), int(deadline_s))
            os._exit(0)
        if os.waitpid(copy, 0)[1]:
            return None  # which tells the parent that there is no answer
    return None


def load_readers() -> dict[str, Any]:
    """Load all readers and return them by name."""
    for library in LIBRARIES:
        importlib.import_module(library)
    return {name: _load_reader(place) for name, place in READERS.items()}


def _serve_one(readers: dict[str, Any], memory: int, deadline_s: int) -> None:
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a reader prints is not an answer
    confine_process(memory)
    _set_alarm(deadline_s + 5)  # nobody is left to stop a child whose parent was killed
    job = json.loads(jobs.readline())
    answer = _encode_answer(readers[job["reader"]], jobs.read(job["size"]), job["options"])
    answers.write(json.dumps(answer).encode() + b"\n")
    answers.flush()


def _load_reader(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _encode_answer(reader: Any, body: bytes, options: Json) -> Json:
    try:
        answer = reader(body, **options)
        return pack_page(answer) if isinstance(answer, Page) else dict(answer)
    except FetchError as error:
        return {"error": error.message, "kind": error.kind, "next_step": error.next_step}
    except MemoryError:
        raise  # the child is of no more use
    except Exception:  # noqa: BLE001 – what breaks a reader is a fact about its document
        return {
            "error": "The document is damaged and cannot be read.",
            "kind": "unsupported",
            "next_step": "",
        }


def _set_alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


#: The sandbox shared by this process.
SHARED_SANDBOX = Sandbox(size=max(2, min(4, os.cpu_count() or 2)))
atexit.register(SHARED_SANDBOX.close)
