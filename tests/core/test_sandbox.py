"""Hostile documents are read in a child that holds no keys, is stopped at its limits, and is replaced when it was stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from research_core.errors import FetchError
from research_core.web.sandbox import Sandbox

PDF = (Path(__file__).parents[1] / "replies" / "pages" / "report.pdf").read_bytes()
PAGE = b"<p>A page of one paragraph.</p>"
#: Takes seconds and some hundred megabytes to read.
LONG_TABLE = b"<table>" + b"<tr><td>a</td><td>b b b</td></tr>" * 50_000


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(size=1)
    yield sandbox
    sandbox.close()


def failure(sandbox: Sandbox, reader: str, body: bytes) -> str:
    with pytest.raises(FetchError) as raised:
        sandbox.run(reader, body)
    return raised.value.kind


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
        assert failure(sandbox, "html", LONG_TABLE) == "timeout"
        assert time.monotonic() - started < 5
    finally:
        sandbox.close()


@on_linux
def test_past_its_memory_a_child_dies_alone_and_the_next_job_has_another() -> None:
    sandbox = Sandbox(size=1, memory=80_000_000)
    try:
        assert failure(sandbox, "html", LONG_TABLE) == "too_large"
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
