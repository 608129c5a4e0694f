"""Sets Assay up and runs it. Needs Python 3.11 or newer and nothing else.

    python3 run.py                the app, in your browser
    python3 run.py test [...]     the everyday tests; with --full all tests
    python3 run.py extras NAME …  installs what not everybody needs: semantic, browser
    python3 run.py worker         a process that takes sessions off the app
    python3 run.py mcp            the research tools for other programs, over MCP (--http: over HTTP)
    python3 run.py ask "..."      any other words go to the command line tool
    python3 run.py --server.port=8600   the app, with options of Streamlit's

The first start makes .venv beside this file and installs what constraints.txt pins; a stamp left by
a finished installation makes later starts immediate. Of several starts at once one sets up, and the
others wait for it. Nothing is installed outside .venv. Lines KEY=VALUE in .env are added to the
environment, except for the tests, and never override it. Further words of `test` go to pytest.
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

# Locked while somebody sets up. Beside .venv, which is emptied. It names the extras of a set-up
# that has not finished.
LOCK = ROOT / ".venv.lock"

# What pyproject.toml offers besides the app and its tests.
EXTRAS = ("semantic", "browser")

# KEY=VALUE, where VALUE is "quoted", 'quoted' or bare; a comment stands after white space.
ENV_LINE = re.compile(
    r"""(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'#].*?)?)(?:\s+\#.*)?""",
    re.ASCII,
)

# --server.headless and its like; none of Assay's own options has a full stop in its name.
STREAMLIT_OPTION = re.compile(r"--[A-Za-z]+\.\w")


# Settings of pip and Python that would have it install somewhere else than where it runs.
ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_PYTHON", "PYTHONHOME")

# The status of a program whose output nobody reads any more, as a shell gives it.
UNREAD = 141


def say(text: str) -> None:
    print(f"· {text}", flush=True)


def main(words: list[str]) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - it is the person's Python that is asked here
        sys.exit(f"Assay needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if words[:1] in (["-h"], ["--help"]):
        print(__doc__, flush=True)
        return
    if words[:1] == ["extras"]:
        add(words[1:])
        return
    testing = words[:1] == ["test"]
    with spared(bool(words) and not testing and not STREAMLIT_OPTION.match(words[0])):
        set_up(*["dev"] * testing)
    if testing:
        # The tests start hundreds of processes; each would compile all it imports anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        hand_over("-m", "pytest", *words[1:], folder=ROOT)
    load_env(ROOT / ".env")
    # -P: a file in the folder one happens to stand in must not shadow a module.
    if words == ["worker"]:
        hand_over("-P", "-m", "research_core.workers")
    if words == ["mcp"]:
        hand_over("-P", "-m", "research_core.mcp_stdio")
    options = words if words and STREAMLIT_OPTION.match(words[0]) else []
    if words and not options:
        hand_over("-P", "-m", "research_core", *words)
    if os.environ.get("CI"):
        os.environ.setdefault("STREAMLIT_SERVER_HEADLESS", "true")
    hand_over("-m", "streamlit", "run", "app.py", *options, folder=ROOT)


@contextlib.contextmanager
def spared(standard_output: bool) -> Iterator[None]:
    """Where standard output is a program's, whatever is printed meanwhile, by processes too, goes
    to standard error.
    """
    if not standard_output:
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


def add(names: list[str]) -> None:
    """Install these extras; whenever .venv is made afresh from then on, they are installed again."""
    if not names or not {*names} <= {*EXTRAS}:
        sys.exit(
            f"Name one or more of: {', '.join(EXTRAS)}. For example: python3 run.py extras"
            f" {EXTRAS[0]}"
        )
    set_up(*names)
    say(f"{' and '.join(names)}: installed; an Assay that runs has to be started again to use it")


def set_up(*wanted: str) -> None:
    """Bring .venv to what the pins say, with these extras besides those it has; "dev" is what the
    tests need.

    Any change of the pins, its interpreter or the place starts afresh, and so does a set-up that
    was cut short.
    """
    if ready(wanted):
        return
    with alone() as unfinished:
        if not ready(wanted):  # whoever was waited for may have done it
            make_ready(wanted, unfinished)


def make_ready(wanted: tuple[str, ...], unfinished: TextIO) -> None:
    """The extras are written down in `unfinished` before the stamp goes and until it stands again:
    they outlive a set-up cut short.

    Extras that are new and cannot be installed are forgotten, so that they keep nobody from
    starting without them; what stood goes on to stand then, where it still starts.
    """
    have, stands, started = stamped(), ready(()), time.monotonic()
    known = {*kept(have, stands), *(name for name in unfinished.read().split() if name in EXTRAS)}
    names = sorted({*wanted, *known})
    note(unfinished, names)
    say("setting up; the first time takes a minute or so")
    STAMP.unlink(missing_ok=True)
    if not stands:
        make_venv()
    want = fingerprint()
    done = install(f".[{','.join(names)}]" if names else ".")
    if done or (stands and in_venv("research_core", "--version")):
        STAMP.write_text(
            " ".join([want, "app", *(names if done else have[2:])]) + "\n", encoding="ascii"
        )
    note(unfinished, [] if done else sorted(known))
    if not done:
        sys.exit(
            "The installation failed; the lines above say why. Check the network and the disk, then"
            " run the same command again."
        )
    say(f"ready after {time.monotonic() - started:.0f} s")


def kept(have: list[str], stands: bool) -> list[str]:
    """The extras that an installation with this stamp goes on to have: all where it stands, else
    those that were asked for by name.
    """
    return have[2:] if stands else [name for name in have[2:] if name in EXTRAS]


def ready(wanted: tuple[str, ...]) -> bool:
    """Whether a finished installation stands that is today's and has these extras."""
    have = stamped()
    return whole() and have[:1] == [fingerprint()] and {*wanted} <= {*have}


def stamped() -> list[str]:
    """Fingerprint, "app" and extras of the last finished installation; empty when there is none."""
    return STAMP.read_text(encoding="ascii").split() if STAMP.is_file() else []


def fingerprint() -> str:
    """SHA-256 over all that an installation depends on: the pins, .venv's interpreter, where the
    checkout lies.

    Not the interpreter that this runs in: a program that starts Assay with another one must not
    have .venv made anew under one that runs.
    """
    pins = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256(
        b"\0".join([*pins, os.fsencode(os.path.realpath(PYTHON)), os.fsencode(ROOT)])
    ).hexdigest()


def whole() -> bool:
    """Whether .venv's interpreter is there and .venv's own: without pyvenv.cfg it would be the
    machine's, and install into that.
    """
    return PYTHON.exists() and (VENV / "pyvenv.cfg").is_file()


@contextlib.contextmanager
def alone() -> Iterator[TextIO]:
    """While nobody else sets up: LOCK, locked and open for reading and writing. Waits, and says so
    on standard error.

    The system ends the lock with the process that holds it, however that ends. An installer that a
    killed set-up leaves behind holds it too until it is done, since it inherits the open file; not
    on Windows, where an installer that still runs makes the next set-up fail.
    """
    with LOCK.open("a+", encoding="ascii") as file:
        os.set_inheritable(file.fileno(), True)
        if not locked(file):
            print(
                "· another start is setting Assay up; waiting for it", file=sys.stderr, flush=True
            )
            while not locked(file):
                time.sleep(0.2)
        file.seek(0)
        yield file


def locked(file: TextIO) -> bool:
    """Whether the lock could be had at once."""
    try:
        if sys.platform == "win32":
            os.lseek(
                file.fileno(), 1 << 20, os.SEEK_SET
            )  # a byte behind all that is written: one that is locked cannot be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def note(file: TextIO, names: list[str]) -> None:
    file.seek(0)
    file.truncate()
    file.write(" ".join(names))
    file.flush()


def make_venv() -> None:
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        package = f"python3.{sys.version_info.minor}-venv"
        sys.exit(
            f"This Python has no venv module. On Debian or Ubuntu: sudo apt-get install {package}."
            " Then run the same command again."
        )
    say(f"making {VENV}")
    if not succeeds([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        windows = ", or does an Assay still run" if os.name == "nt" else ""
        sys.exit(f"{VENV} could not be made. Is the disk full, or the folder read-only{windows}?")


def install(project: str) -> bool:
    """Install the project, editable, at the pinned versions: with uv, or with pip where uv cannot
    be had. Whether it then starts.
    """
    wanted = ["-c", "constraints.txt", "-e", project]
    say("installing uv, the installer")
    done = in_venv("pip", "install", "--quiet", "-c", "constraints.txt", "uv")
    if done:
        say("installing Assay and the packages it needs")
        # --prefix: uv takes any interpreter for the place to install into; what it is told in its
        # settings, and where, does not count then.
        done = in_venv(
            "uv", "pip", "install", "--python", str(PYTHON), "--prefix", str(VENV), *wanted
        )
    if not done:
        say("that did not work; trying pip, which takes longer")
        done = in_venv("pip", "install", *wanted)
    return done and in_venv("research_core", "--version")


def in_venv(*words: str) -> bool:
    """Run a module of .venv in the project's folder; whether it succeeded."""
    if not whole():
        sys.exit(
            f"{VENV} has gone while it was set up; nothing is installed elsewhere. Run the same"
            " command again."
        )
    # The machine's own certificates: behind a company's proxy, uv's built-in ones are not enough.
    environment = {
        "UV_SYSTEM_CERTS": "1",
        **{name: value for name, value in os.environ.items() if name not in ELSEWHERE},
    }
    return succeeds(
        [str(PYTHON), "-P", "-m", *words],
        environment | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_REQUIRE_VIRTUALENV": "1"},
    )


def succeeds(command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Run a part of the set-up, which inherits the lock; whether it succeeded."""
    return subprocess.call(command, cwd=ROOT, env=environment, close_fds=False) == 0


# ---------------------------------------------------------------- running


def load_env(path: Path) -> None:
    """Add the file's values to the environment, where they are not set already. No file is fine; a
    bad line ends the program.
    """
    try:
        values = read_env(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        sys.exit(f"{path}: {error}")
    for key, value in values.items():
        os.environ.setdefault(key, value)


def read_env(text: str) -> dict[str, str]:
    """The values of `.env` text. Raises ValueError with the number of a line that is not KEY=VALUE
    (never its content: it may be a key).
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


def hand_over(*words: str, folder: Path | None = None) -> None:
    """Become .venv's interpreter with these words, so that exit codes, signals and Ctrl-C are the
    program's own.
    """
    if folder is not None:
        os.chdir(folder)
    command = [str(PYTHON), *words]
    if os.name == "nt":  # there, exec returns to the shell before the program has ended
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def open_ends() -> None:
    """Where standard input, output or error was closed, it leads nowhere. Else the next file to be
    opened would take its place.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - open as long as the program runs
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    open_ends()
    try:
        main(sys.argv[1:])
    except (
        BrokenPipeError
    ):  # nobody reads our output any more; nor can what is still buffered be written at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(UNREAD)
    except OSError as error:
        sys.exit(
            f"The system refuses something that this needs: {error.filename or 'a file'}:"
            f" {error.strerror or error}."
        )
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        sys.exit(130)
