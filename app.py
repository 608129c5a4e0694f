"""Serve the screens behind the guards of `parts.server`, and start and stop the engine.

`python app.py [OPTION …]` runs Streamlit's server with its options. Ctrl-C ends it with exit
code 0.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

import sqlalchemy.orm  # noqa: F401 - statements fail while another thread (DBOS) imports it
import streamlit as st
from starlette.middleware import Middleware
from streamlit.web.server.server_util import get_display_address

from research_core.errors import ResearchError, SettingsError, StoreError
from research_core.i18n import set_interface_language
from research_core.journal.database import find_set_aside, find_sqlite_path
from research_core.policy import SAMPLE_LIBRARY
from research_core.quiet_exit import settle_collector
from research_core.wiring import LOCAL_USER, default_resources

# Streamlit puts pages/ on the path only while a screen runs. Last, so that no screen's name
# (`tools`, `settings`) hides a package of that name.
sys.path.append(str(Path(__file__).parent / "pages"))

from parts.server import addresses, guards, shared_sessions, sign_in

_log = logging.getLogger("research_core.app")
#: What the first screen imports of the core.
FIRST_SCREEN_MODULES = (
    "research_core.sessions.run_defaults",
    "research_core.sessions.estimates",
    "research_core.sessions.session_list",
    "research_core.sessions.snapshot",
    "research_core.sessions.workers",
)
#: Seconds from the start of the server to that of the engine, and from there until the sample
#: library is made and the embedding model loaded.
ENGINE_AFTER_S, WARM_UP_AFTER_S = 3.0, 2.0
DATABASE_SET_ASIDE = (
    "A new one is in use. `assay data salvage` recovers what can be read of the old one. If you have"
    " a backup: end Assay, put it in the place of the new one, and start again."
)


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any] | None]:
    """Start the engine with the server, so interrupted sessions resume, and stop it at the end.

    The server answers meanwhile: a browser needs about as long to load the first screen's scripts.
    """
    exposure = addresses.find_exposure_error(default_resources())
    if exposure:  # before any request is answered, and with the exit code of a wrong setting
        _log.error(f"assay: {exposure.sentence()}")
        os._exit(2)
    sign_in.required_sign_in_at_start()
    addresses.allow_sign_in_host()
    trouble = sign_in.find_sign_in_error()
    if trouble:
        announce_line(f"· Sign-in is not configured. {trouble.sentence()}")
    set_interface_language(default_resources().settings.language)
    from research_core.interfaces import log_lines

    log_lines.take_over_loggers()
    try:
        serve_metrics()
    except SettingsError as error:
        _log.error(f"assay: {error.sentence()}")
        os._exit(2)
    await asyncio.to_thread(open_store)
    ending = asyncio.Event()
    starting = asyncio.create_task(start_engine_later(ending))
    announce(own_address())
    try:
        yield None
    finally:
        ending.set()
        await starting
        await asyncio.to_thread(stop_engine)


def serve_metrics() -> None:
    """Serve metrics if a port is set; the library is imported only then."""
    if default_resources().settings.metrics_port:
        from research_core.interfaces import program_metrics

        program_metrics.serve_metrics(default_resources())


async def start_engine_later(ending: asyncio.Event) -> None:
    """Import the first screen's modules, and start the engine once that screen has had its time.

    The browser loads its own scripts during the import. A screen that needs the engine earlier
    starts it; a server that ends before starts none.
    """
    await asyncio.to_thread(import_first_screen)
    with suppress(TimeoutError):
        await asyncio.wait_for(ending.wait(), ENGINE_AFTER_S)
        return
    await asyncio.to_thread(start_engine)


def import_first_screen() -> None:
    for name in FIRST_SCREEN_MODULES:
        import_module(name)


def stop_engine() -> None:
    from research_core.sessions import workers

    engine = workers.find_running_engine()
    if engine is not None:
        engine.stop()


def open_store() -> None:
    """Open the database before a screen does; after a damaged one was set aside, say so and go on.

    `start_engine` and every screen report any other error.
    """
    resources = default_resources()
    try:
        _ = resources.db
    except StoreError as error:  # raised once, after the damaged file was moved away
        with suppress(ResearchError):
            _ = resources.db
            announce_line(f"· {error.message} A new one is in use.")
    except ResearchError:
        return
    for file in find_set_aside(find_sqlite_path(resources.settings.database_url)):
        message = f"A damaged database was set aside as {file}. Its sessions are not shown."
        resources.note_trouble(StoreError(message, next_step=DATABASE_SET_ASIDE))


def start_engine() -> None:
    """Start this process's engine, or print why it cannot start.

    The screens open either way and show the same error.
    """
    from research_core.sessions import workers

    try:
        workers.get_engine(default_resources())
    except ResearchError as error:
        announce_line(f"· No research can run: {error.sentence()}")
        return
    except Exception:
        # The task that this is in is awaited only when the server stops.
        _log.exception("The engine did not start.")
        raise
    Thread(target=warm_up, name="assay-sample", daemon=True).start()


def warm_up() -> None:
    """Make the sample library and load the embedding model, once the first screen has had its time.

    Errors are reported by whoever needs it.
    """
    time.sleep(WARM_UP_AFTER_S)
    with suppress(ResearchError):
        default_resources().library(LOCAL_USER).prepare(SAMPLE_LIBRARY)
    with suppress(ResearchError):
        default_resources().embedder.load()
    # Imported modules stay in memory; scanning them again delayed a screen by 200 ms now and then.
    settle_collector()


def own_address() -> str:
    """Return the URL of the first screen, as a browser on this machine opens it."""
    host = get_display_address(st.get_option("server.address") or "127.0.0.1")
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{st.get_option('server.port')}{sign_in.home_path()}"


def announce_line(line: str) -> None:
    """Print a line about the server to stdout, or log it where lines of JSON are asked for."""
    from research_core.interfaces import log_lines

    if not log_lines.log_line(line):
        print(line, flush=True)


def announce(address: str) -> None:
    """Print the app's address, and open it in a browser unless headless."""
    announce_line(f"· Assay is at {address} (Ctrl-C ends it)")
    if not st.get_option("server.headless"):
        webbrowser.open(address)


app = st.App(
    "pages/shell.py",
    middleware=[
        Middleware(guards.add_security_headers),
        Middleware(addresses.refuse_foreign_hosts),
        Middleware(shared_sessions.serve_shared),
        Middleware(guards.guard_requests),
        Middleware(guards.keep_sign_ins),
        Middleware(guards.return_after_sign_in),
    ],
    lifespan=lifespan,
)


def serve(options: list[str]) -> None:
    """Run Streamlit's server for this file with these options of `streamlit run`.

    A setting that cannot be used ends the program with one line and exit code 2.
    """
    from streamlit.web.cli import main as run_streamlit

    from research_core.interfaces import log_lines
    from research_core.settings import Settings

    try:
        settings = Settings.from_env()
    except SettingsError as error:
        print(f"assay: {error.sentence()}", file=sys.stderr, flush=True)
        sys.exit(2)
    log_lines.set_up_logging("app", as_json=settings.log_format == "json")
    # The server handles Ctrl-C itself, stops, and then calls the handler that it replaced. A shell
    # ignores Ctrl-C for background processes; then it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_on_interrupt)
    run_streamlit(["run", __file__, *options], prog_name="streamlit")


def end_on_interrupt(_signal: int, _frame: object) -> NoReturn:
    """Say that Assay has ended, and end the process with exit code 0."""
    print("\n· Assay has ended.", flush=True)
    sys.exit(0)


if __name__ == "__main__":
    serve(sys.argv[1:])
