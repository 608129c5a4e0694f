"""Set Assay up and run it. Needs Python 3.11 or newer and nothing else.

    python3 run.py                the app, in your browser, at http://127.0.0.1:8501
    python3 run.py --server.port=8600 --server.headless=true
                                  the app at another port, and without opening a browser
    python3 run.py test [...]     the everyday tests; with --full all tests
    python3 run.py extras NAME …  install optional parts: browser
    python3 run.py worker         a process that runs research sessions for the app
    python3 run.py mcp            the research tools for other programs, over MCP (--http: HTTP)
    python3 run.py ask "..."      any other words go to the command line tool: ask, sessions, show,
                                  export, library, tools and more (see docs/using.md); add
                                  --help to a command for its options
    python3 run.py help           this text

The first start creates .venv beside this file and installs the versions pinned in constraints.txt.
Later starts find the stamp of a finished installation and begin at once. If several start at the
same time, one sets up and the others wait. Nothing is installed outside .venv. KEY=VALUE lines in
.env are added to the environment, except for the tests, and never override it. Arguments after
`test` go to pytest. More options of the app are those of `streamlit run`.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "assay-stamp"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

# Locked during a set-up, and names the extras of a set-up that has not finished. It lies beside
# .venv because a set-up empties .venv.
LOCK = ROOT / ".venv.lock"

# Optional parts in pyproject.toml, besides "dev" for the tests.
EXTRAS = ("browser",)

# What was an extra once and is a dependency now: old instructions still name it.
FORMER_EXTRAS = ("semantic",)

# KEY=VALUE, where VALUE is "quoted", 'quoted' or bare. A comment needs white space before it.
ENV_LINE = re.compile(
    r"""(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'#].*?)?)(?:\s+\#.*)?""",
    re.ASCII,
)

# A Streamlit option such as --server.headless. No option of Assay has a full stop in its name.
STREAMLIT_OPTION = re.compile(r"--[A-Za-z]+\.\w")


# Variables that would make pip or Python install outside .venv.
REDIRECTING_VARIABLES = (
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_USER",
    "PIP_PYTHON",
    "PYTHONHOME",
)

WORKER_HELP = """usage: python3 run.py worker

Run research sessions for the app until Ctrl-C or SIGTERM. It takes no options: the database is
that of ASSAY_DATABASE_URL, which all workers and the app share. Start the app with
ASSAY_WORKER_ONLY=1 to leave all research to workers. See docs/settings.md, "Database and workers"."""

# Exit code of a program whose output was closed (128 + SIGPIPE), as shells report it.
CLOSED_OUTPUT_CODE = 141


def say(text: str) -> None:
    print(f"· {text}", flush=True)


def main(words: list[str]) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - this is the Python the user happened to start
        sys.exit(f"Assay needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if words[:1] in (["-h"], ["--help"], ["help"]):
        print(__doc__, flush=True)
        return
    if words[:1] == ["worker"] and len(words) > 1:
        describe_worker(words[1:])
        return
    if words[:1] == ["extras"]:
        install_extras(words[1:])
        return
    testing = words[:1] == ["test"]
    with redirect_stdout_to_stderr(
        bool(words) and not testing and not STREAMLIT_OPTION.match(words[0])
    ):
        set_up_venv(*["dev"] * testing)
    if testing:
        # The tests start many processes; without bytecode files each would compile every import.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        replace_process("-m", "pytest", *words[1:], folder=ROOT)
    load_env(ROOT / ".env")
    # -P: a file in the current folder must not shadow a module.
    if words == ["worker"]:
        replace_process("-P", "-m", "research_core.workers")
    if words == ["mcp"]:
        replace_process("-P", "-m", "research_core.mcp_stdio")
    options = words if words and STREAMLIT_OPTION.match(words[0]) else []
    if words and not options:
        replace_process("-P", "-m", "research_core", *words)
    if os.environ.get("CI"):
        os.environ.setdefault("STREAMLIT_SERVER_HEADLESS", "true")
    replace_process("app.py", *options, folder=ROOT)


def describe_worker(options: list[str]) -> None:
    """Print what the worker is. End the program with exit code 2 for anything but -h or --help."""
    if options[0] in ("-h", "--help"):
        print(WORKER_HELP, flush=True)
        return
    print(f"run.py worker takes no options; got: {' '.join(options)}", file=sys.stderr)
    sys.exit(2)


@contextlib.contextmanager
def redirect_stdout_to_stderr(wanted: bool) -> Iterator[None]:
    """Send what this process and its children print to standard error. Nothing unless `wanted`.

    Standard output then carries only what the program itself writes.
    """
    if not wanted:
        yield
        return
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(own, 1)
        os.close(own)


# ---------------------------------------------------------------- setting up


def install_extras(names: list[str]) -> None:
    """Install these extras. They are installed again whenever .venv is rebuilt.

    A former extra needs no installation, which is said.
    """
    for name in {}.fromkeys(name for name in names if name in FORMER_EXTRAS):
        say(f"{name} is part of Assay now; there is nothing to install for it")
    if names and {*names} <= {*FORMER_EXTRAS}:
        return
    names = [name for name in names if name not in FORMER_EXTRAS]
    if not names or not {*names} <= {*EXTRAS}:
        sys.exit(
            f"Name one or more of: {', '.join(EXTRAS)}. For example: python3 run.py extras"
            f" {EXTRAS[0]}"
        )
    set_up_venv(*names)
    say(f"{' and '.join(names)}: installed; an Assay that runs has to be started again to use it")


def set_up_venv(*wanted: str) -> None:
    """Bring .venv to the pinned versions, with these extras added; "dev" is for the tests.

    .venv is rebuilt when the pins, its interpreter or the folder change, and after an interrupted
    set-up.
    """
    if is_ready(wanted):
        return
    with hold_setup_lock() as unfinished:
        if not is_ready(wanted):  # another start may have finished it meanwhile
            rebuild_venv(wanted, unfinished)


def rebuild_venv(wanted: tuple[str, ...], unfinished: TextIO) -> None:
    """Install everything, and leave a stamp when done.

    `unfinished` lists the extras from before the stamp is removed until it is written again, so
    that they survive an interrupted set-up. New extras that cannot be installed are dropped, so
    that Assay still starts without them.
    """
    started = time.monotonic()
    have = read_stamp()
    stands = is_ready(())
    known = {
        *list_extras_to_keep(have, stands),
        *(name for name in unfinished.read().split() if name in EXTRAS),
    }
    names = sorted({*wanted, *known})
    write_pending_extras(unfinished, names)
    say("setting up; the first time takes a minute or so")
    STAMP.unlink(missing_ok=True)
    if not stands:
        create_venv()
    want = compute_fingerprint()
    done = install_project(f".[{','.join(names)}]" if names else ".")
    if done or (stands and run_in_venv("research_core", "--version")):
        STAMP.write_text(
            " ".join([want, "app", *(names if done else have[2:])]) + "\n", encoding="ascii"
        )
    write_pending_extras(unfinished, [] if done else sorted(known))
    if not done:
        sys.exit(
            "The installation failed; the lines above say why. Check the network and the disk, then"
            " run the same command again."
        )
    say(f"ready after {time.monotonic() - started:.0f} s")


def list_extras_to_keep(have: list[str], stands: bool) -> list[str]:
    """Return the extras to keep: all of a working installation, else those the user asked for."""
    return have[2:] if stands else [name for name in have[2:] if name in EXTRAS]


def is_ready(wanted: tuple[str, ...]) -> bool:
    """Return True if a finished installation matches today's pins and has these extras."""
    have = read_stamp()
    return is_venv_complete() and have[:1] == [compute_fingerprint()] and {*wanted} <= {*have}


def read_stamp() -> list[str]:
    """Return the fingerprint, "app" and the extras of the last installation; empty if none."""
    return STAMP.read_text(encoding="ascii").split() if STAMP.is_file() else []


def compute_fingerprint() -> str:
    """Return the SHA-256 of what an installation depends on: pins, .venv's interpreter, folder.

    The interpreter that runs this file does not count: another program may start Assay with its
    own, and must not rebuild a .venv that is in use.
    """
    pins = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256(
        b"\0".join([*pins, os.fsencode(os.path.realpath(PYTHON)), os.fsencode(ROOT)])
    ).hexdigest()


def is_venv_complete() -> bool:
    """Return True if .venv has its own interpreter.

    Without pyvenv.cfg it would be the machine's, and packages would be installed there.
    """
    return PYTHON.exists() and (VENV / "pyvenv.cfg").is_file()


@contextlib.contextmanager
def hold_setup_lock() -> Iterator[TextIO]:
    """Wait until no other process sets up, then yield the locked file, open to read and write.

    The system releases the lock when the process ends, however it ends. The installer inherits the
    open file, so that one left behind by a killed set-up still holds the lock. Not on Windows:
    there a running installer makes the next set-up fail.
    """
    with LOCK.open("a+", encoding="ascii") as file:
        os.set_inheritable(file.fileno(), True)
        if not try_lock(file):
            print(
                "· another start is setting Assay up; waiting for it", file=sys.stderr, flush=True
            )
            while not try_lock(file):
                time.sleep(0.2)
        file.seek(0)
        yield file


def try_lock(file: TextIO) -> bool:
    """Lock the file if it is free. Return False if another process holds it."""
    try:
        if sys.platform == "win32":
            # A byte after everything written: Windows cannot read a locked byte.
            os.lseek(file.fileno(), 1 << 20, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def write_pending_extras(file: TextIO, names: list[str]) -> None:
    file.seek(0)
    file.truncate()
    file.write(" ".join(names))
    file.flush()


def create_venv() -> None:
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        package = f"python3.{sys.version_info.minor}-venv"
        sys.exit(
            f"This Python has no venv module. On Debian or Ubuntu: sudo apt-get install {package}."
            " Then run the same command again."
        )
    if VENV.is_symlink():
        sys.exit(
            f"{VENV} is a link. To set Assay up would empty {VENV.resolve()}, which may belong to"
            " something else. Remove the link, then run the same command again."
        )
    say(f"making {VENV}")
    if not run_command([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        windows = ", or does an Assay still run" if os.name == "nt" else ""
        sys.exit(f"{VENV} could not be made. Is the disk full, or the folder read-only{windows}?")


def install_project(project: str) -> bool:
    """Install the project in editable mode at the pinned versions. Return True if it then starts.

    uv installs it; pip if uv cannot be had.
    """
    wanted = ["-c", "constraints.txt", "-e", project]
    say("installing uv, the installer")
    done = run_in_venv("pip", "install", "--quiet", "-c", "constraints.txt", "uv")
    if done:
        say("installing Assay and the packages it needs")
        # --prefix: uv would otherwise follow its own settings on where to install.
        done = run_in_venv(
            "uv", "pip", "install", "--python", str(PYTHON), "--prefix", str(VENV), *wanted
        )
    if not done:
        say("that did not work; trying pip, which takes longer")
        done = run_in_venv("pip", "install", *wanted)
    return done and run_in_venv("research_core", "--version")


def run_in_venv(*words: str) -> bool:
    """Run a module of .venv in the project's folder. Return True if it succeeded."""
    if not is_venv_complete():
        sys.exit(
            f"{VENV} has gone while it was set up; nothing is installed elsewhere. Run the same"
            " command again."
        )
    # The machine's own certificates: behind a company's proxy, uv's built-in ones are not enough.
    environment = {
        "UV_SYSTEM_CERTS": "1",
        **{name: value for name, value in os.environ.items() if name not in REDIRECTING_VARIABLES},
    }
    return run_command(
        [str(PYTHON), "-P", "-m", *words],
        environment | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_REQUIRE_VIRTUALENV": "1"},
    )


def run_command(command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Run a command that inherits the set-up lock. Return True if it succeeded."""
    return subprocess.call(command, cwd=ROOT, env=environment, close_fds=False) == 0


# ---------------------------------------------------------------- running


def load_env(path: Path) -> None:
    """Add the file's values to the environment, unless they are set already. The file is optional.

    The program that starts learns the file, and which values came from it. A line that is not
    KEY=VALUE ends the program.
    """
    try:
        values = read_env(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        sys.exit(f"{path}: {error}")
    added = [key for key in values if key not in os.environ]
    for key in added:
        os.environ[key] = values[key]
    os.environ["ASSAY_ENV_FILE"] = str(path)
    os.environ["ASSAY_ENV_FILE_NAMES"] = ",".join(added)


def read_env(text: str) -> dict[str, str]:
    """Return the values of `.env` text.

    Raises ValueError with the number of a line that is not KEY=VALUE, never with its content: it
    may be a key.
    """
    values: dict[str, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = ENV_LINE.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f"line {number} is not KEY=VALUE (a value with quotes, # or outer spaces needs"
                " quotes around it)"
            )
        key, *forms = match.groups()
        values[key] = next((form for form in forms if form is not None), "")
    return values


def replace_process(*words: str, folder: Path | None = None) -> None:
    """Replace this process by .venv's interpreter, which then gets signals and gives exit codes."""
    if folder is not None:
        os.chdir(folder)
    command = [str(PYTHON), *words]
    if os.name == "nt":  # exec would return to the shell before the program ends
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def open_standard_streams() -> None:
    """Open closed standard streams on the null device.

    Otherwise the next file opened would take their place.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - open as long as the program runs
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    open_standard_streams()
    try:
        main(sys.argv[1:])
    except BrokenPipeError:
        # The reader has closed our output. What is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(CLOSED_OUTPUT_CODE)
    except OSError as error:
        sys.exit(
            f"The operating system reported an error: {error.filename or 'a file'}:"
            f" {error.strerror or error}."
        )
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        sys.exit(130)
