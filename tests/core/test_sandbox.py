"""Hostile documents are read in a child that holds no keys, is stopped at its limits, and is replaced when it was stopped.

Each in a copy of it, which has seen no other document and outlives none.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from research_core.errors import FetchError
from research_core.web.sandbox import Sandbox
from tests.office_files import core, docx, p

PDF = (Path(__file__).parents[1] / "replies" / "pages" / "report.pdf").read_bytes()
PAGE = b"<p>A page of one paragraph.</p>"
#: Takes seconds and some hundred megabytes to read.
LONG_TABLE = b"<table>" + b"<tr><td>a</td><td>b b b</td></tr>" * 50_000


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(size=1)
    yield sandbox
    sandbox.close()


def failed(sandbox: Sandbox, reader: str, body: bytes) -> FetchError:
    with pytest.raises(FetchError) as raised:
        sandbox.run(reader, body)
    return raised.value


def failure(sandbox: Sandbox, reader: str, body: bytes) -> str:
    return failed(sandbox, reader, body).kind


def children() -> set[str]:
    return {each.name for each in Path("/proc").glob("[0-9]*") if _parent(each) == os.getpid()}


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


on_linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="Needs Linux: it looks into /proc.")


def test_a_child_answers_like_a_call_and_is_kept(sandbox: Sandbox) -> None:
    assert sandbox.run("html", PAGE, url="https://example.org/")["text"] == "A page of one paragraph."
    started = time.monotonic()
    for _ in range(5):
        assert sandbox.run("pdf", PDF)["title"] == "Tide gauges of the north harbour"
    assert time.monotonic() - started < 5


def test_a_reader_s_own_failure_comes_back_as_it_was(sandbox: Sandbox) -> None:
    assert failure(sandbox, "html", b"") == "content_empty"
    assert failure(sandbox, "pdf", b"%PDF-1.7 nothing more") == "unsupported"
    assert sandbox.run("html", PAGE)["text"]


def test_past_its_deadline_a_child_is_stopped_and_the_next_job_has_another() -> None:
    sandbox = Sandbox(size=1, deadline_s=0.5)
    sandbox.warm()
    started = time.monotonic()
    try:
        error = failed(sandbox, "html", LONG_TABLE)
        assert (error.kind, error.message) == ("timeout", "Reading the document took longer than 0.5 seconds and was stopped.")
        assert error.next_step
        assert time.monotonic() - started < 5
    finally:
        sandbox.close()


@on_linux
def test_past_its_memory_a_child_dies_alone_and_the_next_job_has_another() -> None:
    sandbox = Sandbox(size=1, memory=80_000_000)
    try:
        error = failed(sandbox, "html", LONG_TABLE)
        assert (error.kind, "more than 76 MB" in error.message) == ("too_large", True)
        assert error.next_step
        assert sandbox.run("html", PAGE)["text"] == "A page of one paragraph."
    finally:
        sandbox.close()


@on_linux
def test_a_child_that_somebody_killed_is_replaced(sandbox: Sandbox) -> None:
    before = children()
    sandbox.warm()
    (child,) = children() - before
    os.kill(int(child), 9)
    time.sleep(0.2)
    assert sandbox.run("html", PAGE)["text"] == "A page of one paragraph."


@on_linux
def test_a_child_holds_no_environment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SECRET", "a key")
    before = children()
    sandbox.warm()
    (child,) = children() - before
    assert sandbox.run("html", PAGE)["text"]  # it has started for good
    assert Path(f"/proc/{child}/environ").read_bytes() == b""


@on_linux
def test_closing_leaves_no_child(sandbox: Sandbox) -> None:
    before = children()
    sandbox.run("html", PAGE)
    assert len(children() - before) == 1
    sandbox.close()
    assert children() == before


def test_many_threads_share_few_children() -> None:
    sandbox = Sandbox(size=2)
    try:
        with ThreadPoolExecutor(8) as pool:
            read = list(pool.map(lambda n: sandbox.run("html", f"<p>Page {n}.</p>".encode())["text"], range(24)))
        assert read == [f"Page {n}." for n in range(24)]
    finally:
        sandbox.close()


@pytest.mark.parametrize("python", ["/bin/true", "/nowhere/python"])
def test_where_no_child_starts_it_is_said_and_no_document_is_blamed(python: str) -> None:
    sandbox = Sandbox(size=1, python=python)
    for _ in range(3):
        assert failure(sandbox, "html", PAGE) == "upstream_unavailable"


READY = "import os, sys; os.write(2, b'ready\\n')"


def _program(folder: Path, code: str) -> str:
    """A program that stands for the child."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c {shlex.quote(code)}\n")
    program.chmod(0o755)
    return str(program)


ANSWERS = {
    "no JSON": ("print('what?')", "too_large"),
    "no object": ("print('[]')", "too_large"),
    "very deep": ("print('[' * 100_000)", "too_large"),
    "nothing": ("pass", "too_large"),
    "an error of no known kind": ("""print('{"error": "x", "kind": "nonsense"}')""", "unsupported"),
    "no page": ("""print('{"text": 7}')""", "unsupported"),
}


@pytest.mark.parametrize(("said", "kind"), ANSWERS.values(), ids=ANSWERS)
def test_a_reader_that_was_taken_over_can_lie_about_its_document_and_no_more(said: str, kind: str, tmp_path: Path) -> None:
    sandbox = Sandbox(size=1, python=_program(tmp_path, f"{READY}; sys.stdin.readline(); {said}; sys.stdout.flush()"))
    try:
        with pytest.raises(FetchError) as raised:
            sandbox.read("pdf", PDF)
        assert raised.value.kind == kind
    finally:
        sandbox.close()


# ---------------------------------------------------------------- a process for each document


def copies(child: str) -> list[str]:
    """The copies of a child that are at work."""
    return Path(f"/proc/{child}/task/{child}/children").read_text().split()


def started(sandbox: Sandbox) -> str:
    """The child of a sandbox that has read one document."""
    before = children()
    sandbox.run("html", PAGE)
    (child,) = children() - before
    return child


def at_work(sandbox: Sandbox, child: str, look: Callable[[str, str], None], *, body: bytes = LONG_TABLE[:150_000]) -> None:
    """Look at a child and its copy while that reads a long document."""
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(sandbox.run, "html", body)
        while not (found := copies(child)):
            assert not job.done()
        look(child, found[0])
        job.result()
        assert copies(child) == []


@on_linux
def test_a_document_has_no_way_to_the_outside(sandbox: Sandbox) -> None:
    """The filter of system calls is on (mode 2) before a byte is read, and nothing it starts can be more than it is."""
    found: dict[str, str] = {}

    def look(child: str, copy: str) -> None:
        until = time.monotonic() + 5
        while found.get("Seccomp") != "2" and time.monotonic() < until:
            lines = Path(f"/proc/{copy}/status").read_text().splitlines()
            found.update((name, value.strip()) for name, _, value in (line.partition(":") for line in lines))

    at_work(sandbox, started(sandbox), look)
    assert (found["Seccomp"], found["NoNewPrivs"]) == ("2", "1")


@on_linux
def test_no_two_documents_are_read_by_one_process(sandbox: Sandbox) -> None:
    seen: list[tuple[str, str]] = []
    child = started(sandbox)
    for _ in range(2):
        at_work(sandbox, child, lambda *them: seen.append(them))
    assert len({each for them in seen for each in them}) == 3


@on_linux
def test_when_a_document_is_stopped_nothing_of_it_goes_on() -> None:
    sandbox = Sandbox(size=1, deadline_s=1)
    gone: list[str] = []
    try:
        with pytest.raises(FetchError, match="was stopped"):
            at_work(sandbox, started(sandbox), lambda *them: gone.extend(them), body=LONG_TABLE)
        assert [each for each in gone if Path(f"/proc/{each}/exe").exists()] == []
    finally:
        sandbox.close()


PAGE_OF_ONE = '{"text": "its own"}'
FORGERS = {
    "says more than its answer": f"print({PAGE_OF_ONE!r}); print('a second one'); sys.stdout.flush(); os.write(2, b'ready\\n')",
    "says no more, and stays": f"print({PAGE_OF_ONE!r}, flush=True)",
}


@pytest.mark.parametrize("does", FORGERS.values(), ids=FORGERS)
def test_what_may_answer_for_the_next_document_is_not_asked(does: str, tmp_path: Path) -> None:
    """Such a child is ended: each document starts one of its own, so that nothing it says later counts."""
    noted = tmp_path / "started"
    note = f"import os; open({str(noted)!r}, 'a').write('x')"
    sandbox = Sandbox(size=1, python=_program(tmp_path, f"{note}; {READY}; sys.stdin.readline(); {does}; sys.stdin.read()"))
    try:
        for count in (1, 2, 3):
            assert sandbox.run("pdf", PDF) == {"text": "its own"}
            assert noted.read_text().count("x") >= count
    finally:
        sandbox.close()


def test_a_page_comes_whole_from_a_child(sandbox: Sandbox) -> None:
    page = sandbox.read(
        "office", docx(p("Shown.") + p("These words were left where nobody reads.", run="<w:vanish/>"), said=core("Of the tides"))
    )
    assert (page.kind, page.title, page.text, page.hidden.total) == ("docx", "Of the tides", "Shown.", 1)
