"""What goes wrong for a person, for real: each time one clear sentence with the next step,
the right exit code, nothing lost.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.pipeline.unfinished import MODEL_FAILED_NOTE
from research_core.sessions import heartbeats, runner, snapshot
from research_core.wiring import LOCAL_USER, open_log
from tests.everyday import mark_first_everyday
from tests.logs import beside
from tests.served_world import ServedModel, ServedResources, Server, make_resources, new_session
from tests.terminal import QUESTION, Gemini, Said, ask, assay, open_resources, ran, running, whales
from tests.timing import LONG_S

CONFIGURED = 2
FAILED = 1


def clear(said: Said, code: int, *words: str) -> None:
    """One line that says what happened and what to do, and no traceback."""
    assert said.code == code, said.err
    assert "Traceback" not in said.err
    assert said.last.startswith("assay: ")
    assert said.last.endswith((".", "…"))
    assert len(re.findall(r"[.…](?= |$)", said.last)) >= 2, f"no next step: {said.last}"
    for word in words:
        assert word in said.last


def sessions() -> list[dict[str, Any]]:
    return list(json.loads(assay("sessions", "--json").out))


@pytest.fixture
def home(assay_home: Path, tmp_path: Path) -> Path:
    """A home with the library "whales"."""
    assert assay("library", "add", str(whales(tmp_path / "pages")), "--name", "whales").code == 0
    return assay_home


# ---------------------------------------------------------------- words that cannot be used

WORDS = (
    (["ask", ""], "The question is empty."),
    (["ask", " \n\t "], "The question is empty."),
    (["ask", "hi"], "The question is too short: it has 2 characters, and at least 3 are needed."),
    (
        ["ask", "why " * 1250],
        "The question is too long: it has 4,999 characters, and at most 2,000 can be asked.",
    ),
    (["ask", QUESTION, "--mode", "huge"], "Choose one of: quick, standard, deep, exhaustive."),
    (["ask", QUESTION, "--min-credibility", "1.01"], "must be between 0 and 1"),
    (["ask", QUESTION, "--min-credibility", "-0.1"], "must be between 0 and 1"),
    (["ask", QUESTION, "--min-credibility", "nan"], "must be between 0 and 1"),
    (["ask", QUESTION, "--relevance-cutoff", "0"], "must be between 1 and 5"),
    (["ask", QUESTION, "--relevance-cutoff", "6"], "must be between 1 and 5"),
    (["ask", QUESTION, "--no-web", "--max-calls", "-1"], "must be 0 or more"),
    (["ask", QUESTION, "--no-web", "--max-seconds", "nan"], "cap on seconds"),
    (["ask", QUESTION, "--no-web", "--strategy", "clever"], "Choose one of: planned, agentic."),
    (["ask", QUESTION, "--no-web", "--strategy", "agentic"], "needs a language model"),
    (
        ["ask", QUESTION, "--no-web", "--model", "gpt"],
        "Choose one of: auto, gemini, openai, offline, gemini:NAME, openai:NAME.",
    ),
    (
        ["ask", QUESTION, "--no-web", "--model", "gemini"],
        "Set GEMINI_API_KEY, or choose to use no language model.",
    ),
    (
        ["ask", QUESTION, "--no-web", "--library", "nowhere"],
        "There is no library or folder 'nowhere'.",
    ),
    (
        ["ask", QUESTION, "--no-web", "--out", "/no/such/folder/r.md"],
        "there is no folder /no/such/folder",
    ),
    (["ask", QUESTION, "--no-web", "--json", "/"], "it is a folder"),
    (["library", "add", "/no/such/folder"], "There is no file or folder at /no/such/folder."),
    (["library", "add", "tests", "--name", "sample"], "Choose another name."),
    (["library", "list", "--name", "nowhere"], "library add FOLDER --name nowhere"),
)


@pytest.mark.parametrize(("words", "told"), WORDS)
def test_words_that_cannot_be_used_are_refused_before_anything_begins(
    assay_home: Path, words: list[str], told: str
) -> None:
    said = assay(*words)
    clear(said, CONFIGURED, told)
    assert said.out == ""
    assert sessions() == []


SETTINGS = (
    ("ASSAY_WORKERS", "many"),
    ("ASSAY_BUSY_TIMEOUT", "-1"),
    ("ASSAY_DATABASE_URL", "mysql://user:secret@host/db"),
    ("SEARXNG_URL", "search.example.org"),
    ("ASSAY_DDGS_ENGINES", ","),
    ("ASSAY_DDGS_ENGINES", "brave,yahooo"),
    ("ASSAY_MODEL", "gpt"),
    ("SEARCH_ROUTING", "nonsense"),
)


@pytest.mark.parametrize(("name", "value"), SETTINGS)
def test_a_setting_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    said = assay("ask", QUESTION, "--no-web")
    clear(said, CONFIGURED, name)
    assert "secret" not in said.err


# ---------------------------------------------------------------- the model


@pytest.fixture
def gemini(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Gemini:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key")
    monkeypatch.setenv("ASSAY_GEMINI_URL", httpserver.url_for("").rstrip("/"))
    return Gemini(httpserver)


@pytest.mark.full
def test_a_wrong_key_is_named_and_a_right_one_goes_on_from_there(
    home: Path, gemini: Gemini
) -> None:
    gemini.refuses = 403
    said = ask()
    clear(
        said,
        FAILED,
        "403",
        "Check GEMINI_API_KEY",
        f"`assay resume {said.session}` continues from here, ",
        "or with `--model NAME` with another model.",
    )
    assert said.out == ""
    assert sessions()[0]["status"] == "failed"
    assert "Check GEMINI_API_KEY" in assay("show", said.session).out
    clear(assay("resume", said.session), FAILED, "403")
    gemini.refuses = 0
    again = assay("resume", said.session)
    assert again.code == 0
    assert "Sperm whales dive 900 metres deep. [1]" in again.out
    assert "Relevance was not checked" not in again.out
    asked = gemini.asked
    assert assay("resume", said.session).out == again.out
    assert assay("replay", said.session).out == again.out
    assert gemini.asked == asked


# ---------------------------------------------------------------- the web and the model, all of it failing


class Failing(Server):
    """The made-up world with a part of it out of order. down: search | pages | nonsense | silence,
    or nothing.
    """

    down = ""

    def search(self, query: str) -> tuple[int, Any]:
        return (503, {}) if self.down == "search" else super().search(query)

    def page(self, url: str) -> tuple[int, str]:
        return (503, "busy") if self.down == "pages" else super().page(url)

    def model(self, kind: str, inputs: Any) -> tuple[int, Any]:
        said = {
            "nonsense": 'Colourless green ideas sleep furiously {"score": [',
            "silence": " \n",
        }.get(self.down)
        return super().model(kind, inputs) if said is None else (200, {"text": said})


@pytest.fixture
def world() -> Iterator[Failing]:
    server = Failing(seed=1, low=0.0, high=0.0)
    yield server
    server.close()


@pytest.fixture
def place(assay_home: Path, world: Failing) -> Iterator[ServedResources]:
    place = make_resources(assay_home, world.port)
    yield place
    place.db.close()


def attempt(place: ServedResources, session: str) -> runner.AttemptOutcome:
    return runner.resume_or_run(
        place, session, heartbeats.make_executor_id(), model=ServedModel(place.port)
    )


@pytest.mark.full
@pytest.mark.parametrize(
    ("down", "reason", "step"),
    [
        ("search", "search failed", "then resume the session"),
        ("pages", "every fetch failed", "Resume the session"),
    ],
)
def test_when_everything_outside_fails_the_report_says_what_and_a_resume_asks_again(
    place: ServedResources, world: Failing, down: str, reason: str, step: str
) -> None:
    session, world.down = new_session(place), down
    built = attempt(place, session).report
    assert built is not None
    assert (built.decision, built.reason) == ("insufficient_data", reason)
    shown = assay("export", session)
    assert f"**No report: {reason}.**" in shown.out
    assert step in shown.out
    world.down, before = "", len(world.calls)
    better = attempt(place, session).report
    assert better is not None
    assert better.decision == "full_report"
    assert len(world.calls) > before
    assert assay("export", session).out != shown.out


@pytest.mark.full
def test_a_model_that_answers_nonsense_gives_a_report_that_says_so(
    place: ServedResources, world: Failing
) -> None:
    session, world.down = new_session(place), "nonsense"
    assert attempt(place, session).outcome == "done"
    text = assay("export", session).out
    assert (
        "> Quoted sentences stand in for this report, which the language model could not write. "
        in text
    )
    assert "Plan: The model made no plan, so rules made it" in text
    run = snapshot.read_session(place, session).run
    judgements = [source.judgement for source in run.sources.values() if source.judgement]
    assert all(one.explanation.startswith(MODEL_FAILED_NOTE) for one in judgements)
    assert judgements


@pytest.mark.full
def test_a_model_that_writes_nothing_leaves_the_report_to_quotations(
    place: ServedResources, world: Failing
) -> None:
    session, world.down = new_session(place), "silence"
    report = attempt(place, session).report
    assert report is not None
    assert report.writer["model"] == "offline"
    assert set(report.writer["failures"]) == {"served wrote no report."}
    assert "or with `--writer NAME` to use another model." in assay("show", session).out
    world.down, before = "", len(world.calls)
    assert attempt(place, session).outcome == "done"
    assert not [call.what for call in world.calls[before:] if call.what.startswith("GET")]


# ---------------------------------------------------------------- the disk and the database

FULL_DISK = """
import resource, sys
from research_core.interfaces.cli import commands
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
sys.exit(commands.main(sys.argv[1:]))
"""


def limited(size: int, *words: str) -> Said:
    """A command in a process that may make no file larger than this."""
    with beside(FULL_DISK, str(size), *words) as process:
        out, err = process.communicate(timeout=LONG_S)
    return Said(process.returncode, out, err)


@pytest.mark.full
@pytest.mark.parametrize("share", mark_first_everyday([0.3, 0.7]))
def test_a_full_disk_keeps_what_was_gathered(home: Path, share: float) -> None:
    needed = size_of_a_run(home)
    said = limited(int(share * needed), "ask", QUESTION, "--library", "whales", "--no-web")
    clear(
        said,
        FAILED,
        "disk",
        "Free some space, then try again; nothing recorded is lost.",
    )
    # "failed" where the small event that says so still fitted, and "running" until the last
    # heartbeat of a process that could not remove it is old.
    assert sessions()[0]["status"] in ("running", "interrupted", "failed")
    session = str(sessions()[0]["id"])
    recorded = keys(home, session)
    again = assay("resume", session)
    assert again.code == 0
    assert recorded <= keys(home, session)
    assert assay("replay", session).out == again.out


def size_of_a_run(home: Path) -> int:
    """Bytes that a run writes to the database's log, learnt by making one."""
    with sqlite3.connect(
        home / "assay.db"
    ) as held:  # while it is open, the log is not folded into the database
        held.execute("SELECT count(*) FROM event").fetchall()
        assert ask().code == 0
        size = (home / "assay.db-wal").stat().st_size
    held.close()
    return size


def keys(home: Path, session: str) -> set[str | None]:
    place = open_resources(home)
    found = {event.key for event in open_log(place, LOCAL_USER, session).read(kinds=("call",))}
    place.db.close()
    return found


HOLDING = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_database_that_another_process_holds_is_waited_for_and_then_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_BUSY_TIMEOUT", "0.5")
    with beside(HOLDING, str(home / "assay.db")) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        began = time.monotonic()
        said = ask()
        assert time.monotonic() - began >= 0.5
        clear(said, FAILED, "The database is locked by another process.", "Close the other program")
        other.communicate()
    assert sessions() == []
    assert ask().code == 0


@pytest.mark.full
def test_a_run_that_is_locked_out_half_way_can_be_resumed(home: Path, gemini: Gemini) -> None:
    gemini.wait = LONG_S
    with running(
        "ask", QUESTION, "--library", "whales", "--no-web", ASSAY_BUSY_TIMEOUT="0.5"
    ) as asked:
        assert asked.stderr is not None
        lines = []
        for line in asked.stderr:
            lines.append(line)
            if line.startswith("  fetch "):
                break
        with beside(HOLDING, str(home / "assay.db")) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            gemini.free.set()
            out, rest = asked.communicate(timeout=LONG_S)
            other.communicate()
    said = Said(asked.returncode, out, "".join(lines) + rest)
    clear(
        said,
        FAILED,
        "The database is locked by another process.",
        "then try again; nothing recorded is lost.",
    )
    # It could not remove its heartbeat, so it counts as running until that is old.
    assert sessions()[0]["status"] in ("running", "interrupted")
    gemini.wait = 0.0
    assert assay("resume", said.session).code == 0


def test_a_truncated_database_is_set_aside_and_never_overwritten(home: Path) -> None:
    database = home / "assay.db"
    for left in home.glob("assay.db-*"):
        left.unlink()
    os.truncate(database, database.stat().st_size // 2)
    body = database.read_bytes()
    clear(
        assay("sessions"),
        FAILED,
        "is damaged. It has been set aside as assay.db.damaged-1.",
        "Start again: a new one will be made.",
    )
    assert sessions() == []
    assert (home / "assay.db.damaged-1").read_bytes() == body


# ---------------------------------------------------------------- folders

AS_SOMEBODY = """
import os, sys
import research_core.wiring
from research_core.interfaces.cli import commands, library, sessions
from research_core.search.library.library import Library
commands.build_parser().parse_args(["sessions"])
if os.geteuid() == 0:
    os.seteuid(65534)  # root may read everything; nobody else may read this Python's modules
sys.exit(commands.main(sys.argv[1:]))
"""


def as_somebody(*words: str, **env: str) -> Said:
    with beside(f"import os\nos.environ |= {env!r}\n{AS_SOMEBODY}", *words) as process:
        out, err = process.communicate(timeout=LONG_S)
    return Said(process.returncode, out, err)


def test_a_home_that_may_not_be_entered_is_named(assay_home: Path) -> None:
    assay_home.mkdir(mode=0o700)
    assay_home.chmod(0)
    clear(as_somebody("sessions"), FAILED, "ASSAY_HOME")
    assay_home.chmod(0o700)


@pytest.mark.full
def test_a_folder_that_may_not_be_entered_is_not_an_empty_one(
    assay_home: Path, tmp_path: Path
) -> None:
    open_to_all, shut = (
        Path(tempfile.mkdtemp()),
        Path(tempfile.mkdtemp()),
    )  # pytest's own folders are closed to others
    open_to_all.chmod(0o777)
    shut.chmod(0)
    said = as_somebody("library", "add", str(shut), ASSAY_HOME=str(open_to_all / "home"))
    assert said.code == FAILED
    told = [f"  {shut.name}: The folder cannot be opened: Permission denied."]
    assert said.out.splitlines() == ["Documents: 1 not added.", *told]
    shutil.rmtree(open_to_all)
    shut.rmdir()


def test_a_home_that_is_a_file_is_named(assay_home: Path) -> None:
    assay_home.write_text("not a folder")
    clear(assay("sessions"), FAILED, "Set ASSAY_HOME to a folder you may write to.")


def test_a_full_device_loses_no_report(home: Path) -> None:
    said = ask("--out", "/dev/full")
    clear(
        said,
        FAILED,
        "/dev/full cannot be written: No space left on device.",
        f"`assay export {said.session}` writes it to another file.",
    )
    assert assay("export", said.session).out.startswith(f"# {QUESTION}")


@pytest.mark.full
def test_the_program_itself_ends_in_words(home: Path) -> None:
    said = ran("ask", QUESTION, "--library", "nowhere", "--no-web")
    clear(said, CONFIGURED, "There is no library")
