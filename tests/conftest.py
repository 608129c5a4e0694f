"""What every test gets: a closed network, a home of its own, and optional programs.

The programs are a browser and an empty PostgreSQL database. A test that needs one which is not
there is skipped with a line that says how to get it; ASSAY_REQUIRE=browser,postgres, as .ci/run
sets it, turns those skips into failures.
"""

from __future__ import annotations

import gc
import importlib
import ipaddress
import itertools
import os
import shutil
import socket
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from playwright._impl._driver import compute_driver_executable
from sqlalchemy.engine import make_url

from research_core.web.documents.sandbox import LIBRARIES
from tests.bullets import find_held_tool
from tests.shared_fixtures import (  # noqa: F401 - fixtures for every test
    canary,
    client,
    database_url,
    database_with_sample,
    db,
    empty_database,
    internet,
    place,
    postgres_schema,
)
from tests.suites import (
    EVERYDAY_EXAMPLES,
    FULL_EXAMPLES,
    UnitScheduling,
    closing_line,
    count_kinds,
    leave_out_full_tests,
    put_long_units_first,
    worker_count,
)

# ---------------------------------------------------------------- the network is closed

# Names that by RFC 2606 and 6761 belong to nobody: looking one up fails as it would anywhere,
# without asking anybody.
RESERVED = (
    "invalid",
    "test",
    "example",
    "example.com",
    "example.net",
    "example.org",
    "example.edu",
)
# What Assay looks up to learn whether there is a network: here there is none.
PROBED = "duckduckgo.com"


def closed_network(event: str, arguments: tuple[Any, ...]) -> None:
    """Let connections and look-ups reach loopback only.

    An audit hook, since it sees what any Python code does and no test can undo it. It does not see
    sockets opened by C or Rust code (libpq, primp): give those loopback addresses.
    """
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = arguments[1]
        if isinstance(address, tuple) and not is_loopback(address[0]):
            refuse(f"a connection to {address[0]!r}")
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        name = as_text(arguments[0])
        if any(name == end or name.endswith("." + end) for end in RESERVED):
            raise socket.gaierror(
                socket.EAI_NONAME, f"{name} is a reserved name and resolves nowhere"
            )
        if name == PROBED:
            raise socket.gaierror(socket.EAI_AGAIN, "There is no network in a test")
        if not (is_literal(name) or is_loopback(name)):
            refuse(f"a look-up of {name!r}")


def refuse(what: str) -> NoReturn:
    # Not an OSError: code that takes a dead host for an ordinary outcome must not make such a test
    # pass.
    pytest.fail(
        f"The test network is closed, and this was {what}. Serve it on loopback, with pytest-httpserver."
    )


def as_text(host: object) -> str:
    return (
        host.decode("ascii", "replace")
        if isinstance(host, bytes)
        else str(host or "localhost").rstrip(".").lower()
    )


def is_literal(host: str) -> bool:
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def is_loopback(host: object) -> bool:
    name = as_text(host)
    return name == "localhost" or (is_literal(name) and ipaddress.ip_address(name).is_loopback)


sys.addaudithook(closed_network)

# ---------------------------------------------------------------- late imports

# They come with the first page that is read: no test that measures its time is to have theirs in
# it.
for _library in LIBRARIES:
    importlib.import_module(_library)

# ---------------------------------------------------------------- fuzzing

# How long a machine takes, for an example or to think one up, is no fault of what is fuzzed. CI
# tries the same examples each time.
IN_CI = bool(os.environ.get("CI"))
ANY_PACE: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile(
    "everyday", max_examples=EVERYDAY_EXAMPLES, derandomize=IN_CI, print_blob=IN_CI, **ANY_PACE
)
settings.register_profile(
    "thorough", max_examples=FULL_EXAMPLES, derandomize=IN_CI, print_blob=IN_CI, **ANY_PACE
)
settings.register_profile(
    "ci", max_examples=FULL_EXAMPLES, derandomize=True, print_blob=True, **ANY_PACE
)
settings.register_profile("full", max_examples=10_000, print_blob=True, **ANY_PACE)

# ---------------------------------------------------------------- the everyday suite and the full one

LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="Run the full suite: the tests marked `full` too, and more examples.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = {}
    by_suite = "thorough" if config.getoption("full") else "everyday"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or by_suite)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Spare the garbage collector what is collected: all of it lives to the end, and going over it
    again and again takes seconds. It also goes over what the tests make less often, which takes a
    sixth off the time of the suite.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("full"):
        left_out = leave_out_full_tests(items, config.args)
        config.hook.pytest_deselected(items=left_out)
        config.stash[LEFT_OUT] = count_kinds(left_out)
    if hasattr(config, "workerinput"):
        put_long_units_first(items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this worker what was left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take what a worker left out; each of them leaves out the same."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[LEFT_OUT] = output.get("left_out", {})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Answer `-n auto`, which pyproject.toml asks for. `-s` shows what a test prints, so it needs
    this process.
    """
    if config.getoption("capture") == "no":
        return 0
    full = bool(config.getoption("--full"))
    return worker_count(config.args, config.invocation_params.dir, full=full)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> UnitScheduling:
    config.option.loadscopereorder = False  # put_long_units_first has sorted them
    return UnitScheduling(config, log)


# ---------------------------------------------------------------- a home of its own

OURS = ("ASSAY_TEST_POSTGRES_URL", "ASSAY_REQUIRE")
OTHERS = (
    "SEARXNG_URL",
    "ALLOWED_DOMAINS",
    "CHROME_PATH",
    "CACHE_ENCRYPTION_KEY",
    "CACHE_ENCRYPTION_KEY_PREV",
)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a path in a folder of this run for each test; nothing is made there until a test does
    it, so it costs nothing.
    """
    folder = tmp_path_factory.mktemp("homes")
    return (folder / f"home-{number}" for number in itertools.count())


@pytest.fixture(autouse=True)
def assay_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty ASSAY_HOME, and none of the person's own settings and keys."""
    for name in list(os.environ):
        if name not in OURS and (
            name.startswith("ASSAY_")
            or name.endswith(("_API_KEY", "_TOKEN", "_SECRET"))
            or name in OTHERS
        ):
            monkeypatch.delenv(name)
    home = next(homes)
    monkeypatch.setenv("ASSAY_HOME", str(home))
    monkeypatch.setenv(
        "ASSAY_SEMANTIC", "0"
    )  # the same with and without the extra; a test of the model asks for it
    return home


# ---------------------------------------------------------------- optional programs


def missing(program: str, advice: str) -> NoReturn:
    """Skip the test, or fail it where the program is required."""
    if program in os.environ.get("ASSAY_REQUIRE", "").split(","):
        pytest.fail(f"{advice} (ASSAY_REQUIRE asks for {program}.)")
    pytest.skip(advice)


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of an empty PostgreSQL database, dropped after the test."""
    server = os.environ.get("ASSAY_TEST_POSTGRES_URL", "")
    if not server:
        missing(
            "postgres",
            "Set ASSAY_TEST_POSTGRES_URL=postgresql+psycopg://… to test on PostgreSQL, or run .ci/run, which starts one.",
        )
    url, name = make_url(server), f"assay_{uuid.uuid4().hex}"
    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield url.set(database=name).render_as_string(hide_password=False)
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the system's Chromium, once it is known that Playwright's driver can run."""
    advice = "Install Chromium to run the browser tests (Debian: sudo apt-get install chromium libatomic1)."
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        missing("browser", advice)
    driver = subprocess.run(
        [compute_driver_executable()[0], "--version"], capture_output=True, text=True, check=False
    )
    if driver.returncode != 0:  # it comes with Playwright, but not with every library it needs
        missing("browser", f"{advice} {driver.stderr.strip()}")
    return path


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], chromium: str
) -> dict[str, Any]:
    """The system's Chromium for pytest-playwright: without its sandbox, as root has none, and
    without calls home of its own. All tabs of a context share a process, and so what it has
    compiled of the screens' scripts.
    """
    quiet = ["background-networking", "component-update", "gpu", "quic", "sync"]
    arguments = ["--no-sandbox", "--no-first-run", "--process-per-site"]
    arguments += [*(f"--disable-{name}" for name in quiet)]
    return {**browser_type_launch_args, "executable_path": chromium, "args": arguments}


# ---------------------------------------------------------------- what a run says at its end


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many bullets of the tools' specification hold, and what `--full` adds."""
    passed, failed = (
        Counter(find_held_tool(test.nodeid) for test in terminalreporter.getreports(name))
        for name in ("passed", "failed")
    )
    for tool in sorted(filter(None, {*passed, *failed})):
        terminalreporter.write_line(
            f"{tool}: {passed[tool]} of {passed[tool] + failed[tool]} bullets of its specification hold"
        )
    left_out = terminalreporter.config.stash[LEFT_OUT]
    if left_out:
        terminalreporter.write_line(closing_line(left_out))
