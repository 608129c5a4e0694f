"""The commands that start a server and stay: the app with the screens, and a worker."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from research_core.errors import UsageError
from research_core.interfaces.terminal import Commands
from research_core.quiet_exit import import_without_collecting
from research_core.wiring import Resources

PACKAGE = Path(__file__).parents[2]


def find_screens(package: Path = PACKAGE) -> Path:
    """Return the folder of `app.py`: in the installed package, or beside it in a checkout.

    Raises UsageError if there is none.
    """
    for folder in (package / "screens", package.parent):
        if (folder / "app.py").is_file() and (folder / "pages" / "shell.py").is_file():
            return folder
    raise UsageError(
        "This installation of Assay has no screens.",
        next_step="Install the wheel assay-research, or use a checkout.",
    )


def list_streamlit_options(arguments: argparse.Namespace) -> list[str]:
    """Return the options of the app as options of Streamlit's server."""
    options = []
    if arguments.host:
        options.append(f"--server.address={arguments.host}")
    if arguments.port is not None:
        options.append(f"--server.port={arguments.port}")
    if arguments.no_browser:
        options.append("--server.headless=true")
    return [*options, *arguments.options]


def _start_app(arguments: argparse.Namespace, _resources: Resources) -> int:
    """Replace this process by the app; on Windows, wait for it and return its exit code."""
    # -P: a file in the current folder must not shadow a module.
    command = [
        sys.executable,
        "-P",
        str(find_screens() / "app.py"),
        *list_streamlit_options(arguments),
    ]
    sys.stdout.flush()
    if sys.platform == "win32":  # there, exec would return to the shell before the program ends
        return subprocess.call(command)
    return os.execv(command[0], command)


def _start_worker(_arguments: argparse.Namespace, resources: Resources) -> int:
    """Run sessions until a signal ends the process."""
    with import_without_collecting():
        from research_core.interfaces import log_lines
        from research_core.sessions import dbos_queue  # noqa: F401 - imported when it starts
        from research_core.sessions.workers import WorkerEngine, serve_until_signal

    log_lines.set_up_logging("worker", as_json=resources.settings.log_format == "json")
    if resources.settings.metrics_port:
        from research_core.interfaces import program_metrics

        program_metrics.serve_metrics(resources)
    serve_until_signal(WorkerEngine(resources, runs=True))


COMMANDS: Commands = {"app": _start_app, "worker": _start_worker}
