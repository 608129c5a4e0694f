"""The app, served for real on a free port, and what a browser said while it was shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.oidc import Provider, provider

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
LONG = 60_000  # ms; the first run of a server makes the sample library and warms up
expect.set_options(timeout=20_000)  # ms; what is slow is measured in benchmarks/, not here
OWN = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
MAX_LOG = 6000  # characters of a server's log that a failed test shows
running_logs: list[Path] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the running servers printed when a test failed: a screen names only the type of an
    error.
    """
    report = yield
    if report.failed:
        report.sections += [(str(log), log.read_text()[-MAX_LOG:]) for log in running_logs]
    return report


@contextmanager
def process(
    folder: Path, *options: str, port: int = 0, **environment: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A fresh server whose data and printed lines lie in `folder`: its address and process. It must
    end soon when told to.
    """
    command = [
        sys.executable,
        "app.py",
        f"--server.port={port}",
        "--server.headless=true",
        *options,
    ]
    environment = {**os.environ, "ASSAY_HOME": str(folder / "home"), **environment}
    log = folder / "server.log"
    with (
        log.open("wb") as lines,
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=lines, stderr=lines) as process,
    ):
        running_logs.append(log)
        try:
            yield announced(log, process), process
        finally:
            running_logs.remove(log)
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                pytest.fail(
                    f"The server did not stop within 10 s of being told to.\n{log.read_text()}"
                )


@contextmanager
def served(folder: Path, *options: str, **environment: str) -> Iterator[str]:
    """The address of a fresh server."""
    with process(folder, *options, **environment) as (address, _):
        yield address


def announced(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Wait for the address the server prints; its socket is bound by then, so no further wait is
    needed.
    """
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if found := ADDRESS.search(log.read_text()):
            return found[0]
        time.sleep(0.05)
    pytest.fail(f"The server did not start.\n{log.read_text()}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server for all tests that may share it. It asks nobody about court cases."""
    with served(tmp_path_factory.mktemp("server"), COURTLISTENER_API_TOKEN="") as address:
        yield address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """The address of a server nobody has visited yet."""
    with served(tmp_path) as address:
        yield address


@pytest.fixture(scope="session")
def shared_context(
    browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[BrowserContext]:
    """One context for all tests that ask for a page: a new one would load and compile the scripts
    of the screens again, which takes as long as the rest of a visit.
    """
    with browser.new_context(**browser_context_args) as context:
        yield context


@pytest.fixture
def context(shared_context: BrowserContext) -> Iterator[BrowserContext]:
    """The shared context without pages, cookies, and what screens have stored."""
    yield shared_context
    for page in shared_context.pages:
        if page.url.startswith(OWN):
            page.evaluate("localStorage.clear()")
        page.close()
    shared_context.clear_cookies()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """What the page tried against the security policy, its script errors, and requests to anywhere
    but a server here; none, in the end.
    """
    seen: list[str] = []
    page.on(
        "console",
        lambda message: (
            seen.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith(OWN) else seen.append(request.url)
    )
    yield seen
    assert seen == []


def until_settled(page: Page) -> None:
    """Wait until a screen is drawn to its end."""
    expect(page.locator("[data-shell=assay]")).to_be_visible(timeout=LONG)
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached(
        timeout=LONG
    )
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0, timeout=LONG)


@pytest.fixture(scope="module")
def identity() -> Iterator[Provider]:
    """A provider of OpenID Connect on this machine."""
    with provider() as running:
        yield running
        assert running.said == []
