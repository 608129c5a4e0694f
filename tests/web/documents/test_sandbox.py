"""Hostile documents are read in a child that holds no keys, is stopped at its limits, and is
replaced when it was stopped.

Each in a copy of it, which has seen no other document and outlives none.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from research_core.errors import FetchError
from research_core.web.documents.sandbox import Sandbox
from tests.everyday import mark_first_everyday
from tests.office_files import core, docx, p
from tests.timing import check_duration, try_at_slower_paces, wait_until

PDF = (Path(__file__).parents[2] / "replies" / "pages" / "report.pdf").read_bytes()
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
    return int((*_facts(process), "0", "0")[1])


def _state(process: Path) -> str:
    """R and S while it runs, Z once it is dead and nobody has asked how it died, "" when it is
    gone.
    """
    return (*_facts(process), "")[0]


def _facts(process: Path) -> list[str]:
    """What the system says of a process, from its state on."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


on_linux = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="Needs Linux: it looks into /proc."
)


@pytest.mark.full
def test_a_child_answers_like_a_call_and_is_kept(sandbox: Sandbox) -> None:
    before, used = children(), set[str]()
    assert (
        sandbox.run("html", PAGE, url="https://example.org/")["text"] == "A page of one paragraph."
    )
    for _ in range(5):
        assert sandbox.run("pdf", PDF)["title"] == "Tide gauges of the north harbour"
        used |= children() - before
    assert (
        len(used) <= 2
    )  # one, and another where a machine that is busy kept the first from saying in a second that it is ready


@pytest.mark.full
def test_a_reader_s_own_failure_comes_back_as_it_was(sandbox: Sandbox) -> None:
    assert failure(sandbox, "html", b"") == "content_empty"
    assert failure(sandbox, "pdf", b"%PDF-1.7 nothing more") == "unsupported"
    assert sandbox.run("html", PAGE)["text"]


def test_past_its_deadline_a_child_is_stopped_and_the_next_job_has_another() -> None:
    sandbox = Sandbox(size=1, deadline_s=0.5)
    sandbox.warm()
    try:
        with check_duration(0.5, 5):
            error = failed(sandbox, "html", LONG_TABLE)
        assert (error.kind, error.message) == (
            "timeout",
            "Reading the document took longer than 0.5 seconds and was stopped.",
        )
        assert error.next_step
    finally:
        sandbox.close()


@pytest.mark.full
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


@pytest.mark.full
@on_linux
def test_a_child_that_somebody_killed_is_replaced(sandbox: Sandbox) -> None:
    before = children()
    sandbox.warm()
    (child,) = children() - before
    os.kill(int(child), 9)
    wait_until(lambda: _state(Path("/proc") / child) in ("Z", ""))
    assert sandbox.run("html", PAGE)["text"] == "A page of one paragraph."


@pytest.mark.full
@on_linux
def test_a_child_holds_no_environment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SECRET", "a key")
    before = children()
    sandbox.warm()
    (child,) = children() - before
    assert sandbox.run("html", PAGE)["text"]  # it has started for good
    assert Path(f"/proc/{child}/environ").read_bytes() == b""


@pytest.mark.full
@on_linux
def test_closing_leaves_no_child(sandbox: Sandbox) -> None:
    before = children()
    sandbox.run("html", PAGE)
    assert len(children() - before) in (
        1,
        2,
    )  # a spare one is begun where a document takes half a second
    sandbox.close()
    assert children() == before


@pytest.mark.full
def test_many_threads_share_few_children() -> None:
    sandbox = Sandbox(size=2)
    try:
        with ThreadPoolExecutor(8) as pool:
            read = list(
                pool.map(
                    lambda n: sandbox.run("html", f"<p>Page {n}.</p>".encode())["text"], range(24)
                )
            )
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
def test_a_reader_that_was_taken_over_can_lie_about_its_document_and_no_more(
    said: str, kind: str, tmp_path: Path
) -> None:
    sandbox = Sandbox(
        size=1,
        python=_program(tmp_path, f"{READY}; sys.stdin.readline(); {said}; sys.stdout.flush()"),
    )
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
    sandbox.warm()
    (child,) = children() - before
    sandbox.run("html", PAGE)
    return child


#: The first takes a fifth of a second: who is kept for longer sees nothing of its copy, and looks
#: at the next.
LONGER_AND_LONGER = (LONG_TABLE[:150_000], LONG_TABLE[:600_000], LONG_TABLE)


def at_work(
    sandbox: Sandbox,
    child: str,
    look: Callable[[str, str], None],
    *,
    bodies: Sequence[bytes] = LONGER_AND_LONGER,
) -> None:
    """Look at a child and its copy while that reads a long document."""
    with ThreadPoolExecutor(1) as pool:
        for body in bodies:
            job = pool.submit(sandbox.run, "html", body)
            while not (found := copies(child)) and not job.done():
                pass
            with contextlib.suppress(
                FileNotFoundError, ProcessLookupError, IndexError
            ):  # it came to its end
                look(child, found[0])
                job.result()
                assert copies(child) == []
                return
            job.result()
    pytest.fail("No copy was seen at work.")


@pytest.mark.full
@on_linux
def test_a_document_has_no_way_to_the_outside(sandbox: Sandbox) -> None:
    """The filter of system calls is on (mode 2) before a byte is read, and nothing it starts can be
    more than it is.
    """
    found: dict[str, str] = {}

    def look(child: str, copy: str) -> None:
        while found.get("Seccomp") != "2":  # the file is gone when the copy is
            lines = Path(f"/proc/{copy}/status").read_text().splitlines()
            found.update(
                (name, value.strip()) for name, _, value in (line.partition(":") for line in lines)
            )

    at_work(sandbox, started(sandbox), look)
    assert (found["Seccomp"], found["NoNewPrivs"]) == ("2", "1")


@pytest.mark.full
@on_linux
def test_no_two_documents_are_read_by_one_process(sandbox: Sandbox) -> None:
    seen: list[tuple[str, str]] = []
    child = started(sandbox)
    for _ in range(2):
        at_work(sandbox, child, lambda *them: seen.append(them))
    assert len({each for them in seen for each in them}) == 3


@pytest.mark.full
@on_linux
def test_when_a_document_is_stopped_nothing_of_it_goes_on() -> None:

    def once(pace: float) -> None:
        sandbox, gone = Sandbox(size=1, deadline_s=pace), list[str]()
        try:
            child = started(sandbox)
            with pytest.raises(FetchError, match="was stopped"):
                at_work(sandbox, child, lambda *them: gone.extend(them), bodies=[LONG_TABLE])
            assert len(gone) == 2
            assert [each for each in gone if Path(f"/proc/{each}/exe").exists()] == []
        finally:
            sandbox.close()

    try_at_slower_paces(once)


PAGE_OF_ONE = '{"text": "its own"}'
FORGERS = {
    "says more than its answer": f"print({PAGE_OF_ONE!r}); print('a second one'); sys.stdout.flush(); os.write(2, b'ready\\n')",
    "says no more, and stays": f"print({PAGE_OF_ONE!r}, flush=True)",
}


@pytest.mark.parametrize("does", mark_first_everyday(FORGERS.values()))
def test_what_may_answer_for_the_next_document_is_not_asked(does: str, tmp_path: Path) -> None:
    """Such a child is ended: each document starts one of its own, so that nothing it says later
    counts.
    """
    noted = tmp_path / "started"
    note = f"import os; open({str(noted)!r}, 'a').write('x')"
    sandbox = Sandbox(
        size=1,
        python=_program(
            tmp_path, f"{note}; {READY}; sys.stdin.readline(); {does}; sys.stdin.read()"
        ),
    )
    try:
        for count in (1, 2, 3):
            assert sandbox.run("pdf", PDF) == {"text": "its own"}
            assert noted.read_text().count("x") >= count
    finally:
        sandbox.close()


@pytest.mark.full
def test_a_page_comes_whole_from_a_child(sandbox: Sandbox) -> None:
    page = sandbox.read(
        "office",
        docx(
            p("Shown.") + p("These words were left where nobody reads.", run="<w:vanish/>"),
            said=core("Of the tides"),
        ),
    )
    assert (page.kind, page.title, page.text, page.hidden.total) == (
        "docx",
        "Of the tides",
        "Shown.",
        1,
    )


@pytest.mark.full
def test_a_copy_of_a_child_imports_nothing_for_its_document() -> None:
    """What it imported would be imported anew for every document."""
    page = f"<html><body><article><h1>Tides</h1><p>{'Rising water. ' * 50}</p><p>Published on 3 May 2024</p></article></body></html>"
    markdown = "# Tides\n\n<b>Rising</b> water <!-- a --> ![p](q) [a](b 'c')\n\n- one\n"
    script = (
        "import sys; from research_core.web.documents import sandbox; page, markdown = map(str.encode, sys.argv[1:]); readers = sandbox.load_readers();"  # noqa: E501
        "before = set(sys.modules); said = readers['html'](page)['published']; readers['text'](markdown, kind='markdown');"
        "print(said, *{name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, page, markdown], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2024-05-03"]
