"""Every command and flag: what goes to stdout and to stderr, the exit codes, and a run that is
interrupted.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate  # type: ignore[import-untyped]
from pytest_httpserver import HTTPServer

import research_core
from research_core import __version__
from research_core.interfaces.cli import commands, output
from research_core.journal import session_admin, store
from research_core.journal.cache import CacheEntry
from research_core.journal.tables import decompress
from research_core.models import Block
from research_core.pipeline import report
from research_core.policy import RunSettings
from research_core.quiet_exit import INTERRUPTED_CODE, UNREAD_CODE
from research_core.sessions import heartbeats, session_control, session_status, snapshot
from research_core.settings import Settings
from research_core.tools.client_session import store as client_sessions
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.local_web import serving
from tests.terminal import (
    ELSEWHERE,
    PAGES,
    QUESTION,
    ROOT,
    Gemini,
    Said,
    ask,
    assay,
    command,
    interrupted,
    open_resources,
    ran,
    running,
    whales,
)
from tests.timing import LONG_S, check_duration

SCHEMA = json.loads(
    Path(research_core.__file__).with_name("report.schema.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A home with a library and one finished session, made once; and the folder the library came
    from.
    """
    folder = tmp_path_factory.mktemp("cli")
    home, pages = folder / "home", whales(folder / "pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_HOME", str(home))
        patch.setenv("ASSAY_SEMANTIC", "0")
        assert assay("library", "add", str(pages), "--name", "whales").code == 0
        assert (
            ask("--json", str(folder / "first.json"), "--out", str(folder / "first.md")).code == 0
        )
    return home, pages


@pytest.fixture
def home(prepared: tuple[Path, Path], assay_home: Path) -> Path:
    """A copy of it for one test, at ASSAY_HOME."""
    assay_home.mkdir()
    with (
        sqlite3.connect(prepared[0] / "assay.db") as held,
        sqlite3.connect(assay_home / "assay.db") as copy,
    ):
        held.backup(copy)
    held.close()
    copy.close()
    return assay_home


@pytest.fixture
def finished(home: Path) -> str:
    return str(sessions()[0]["id"])


def sessions() -> list[dict[str, Any]]:
    return list(json.loads(assay("sessions", "--json").out))


# ---------------------------------------------------------------- ask


@pytest.mark.full
def test_the_report_goes_to_stdout_and_the_progress_to_stderr(home: Path) -> None:
    said = ask()
    assert said.code == 0
    assert said.out.startswith(f"# {QUESTION}\n\n## Executive Summary\n")
    assert re.search(
        r"- Cost: \d+ steps by rules on this machine \(no language model\), .+ s\.\n$",
        said.out,
    )
    lines = said.err.splitlines()
    assert lines[0] == f"Session {sessions()[0]['id']}"
    assert [line for line in lines if line.startswith("[")] == [
        f"[{n}/6] {name}"
        for n, name in enumerate(("Plan", "Search", "Read", "Judge", "Gate", "Write"), 1)
    ]
    judged = [line for line in lines if line.startswith("  Source 1 ")]
    assert len(judged) == 1
    assert re.fullmatch(r"  Source 1 \(abyss\.example\.edu\): score [345]/5 — KEEP", judged[0])
    assert not any(
        line in said.out for line in lines if line.startswith(("[", "  Source", "Session"))
    )


def test_what_a_run_will_take_is_said_before_it_and_alone_where_only_that_is_asked(
    home: Path,
) -> None:
    alone, before = ask("--estimate"), len(sessions())
    assert (alone.code, alone.err) == (0, "")
    assert re.fullmatch(
        r"Usual: \d+\.\d s, free \(1 past run\)\. Too few runs .+\.\n",
        alone.out,
    )
    assert len(sessions()) == before
    assert ask().err.splitlines()[1] == alone.out.strip()


def test_insufficient_data_is_exit_code_3_and_still_a_report(home: Path) -> None:
    said = ask(question=ELSEWHERE)
    assert said.code == 3
    assert "**No report: " in said.out
    assert sessions()[0]["status"] == "done"


#: Flags, and what then stands in the settings that are stored.
FLAGS = (
    (
        "",
        {
            "mode": "standard",
            "strategy": "planned",
            "library": "whales",
            "engines": ["library"],
            "model": "offline",
        },
    ),
    (
        "--mode quick --model offline --strategy planned --relevance-cutoff 4",
        {"mode": "quick", "relevance_cutoff": 4},
    ),
    ("--mode exhaustive --sources 60", {"mode": "exhaustive", "sources": 60}),
    ("--mode deep --min-credibility 0.3", {"mode": "deep", "credibility": {"minimum": 0.3}}),
    (
        "--max-calls 40 --max-tokens 9000",
        {"caps": {"calls": 40, "tokens": 9000, "cost": None, "seconds": None}},
    ),
    ("--instruct Calves --instruct Only-adults", {"instructions": ["Calves", "Only-adults"]}),
    (
        "--max-cost 0 --max-tokens 0",
        {"caps": {"calls": None, "tokens": 0, "cost": 0.0, "seconds": None}},
    ),
    (
        "--max-cost 0.5 --max-seconds 30",
        {"caps": {"calls": None, "tokens": None, "cost": 0.5, "seconds": 30.0}},
    ),
)


@pytest.mark.parametrize(("flags", "stored"), FLAGS)
def test_a_flag_is_a_setting_of_the_session(home: Path, flags: str, stored: dict[str, Any]) -> None:
    said = ask(*flags.split())
    assert said.code == 0
    settings = stored_settings(home, said.session)
    settings["credibility"] = {"minimum": settings["credibility"]["minimum"]}
    assert settings | stored == settings


def stored_settings(home: Path, session: str) -> dict[str, Any]:
    place = open_resources(home)
    settings = dict(store.find_session(place.db, LOCAL_USER, session).settings)
    place.db.close()
    return settings


def shown(session: str) -> dict[str, Any]:
    return dict(json.loads(assay("show", session).out.split("\n}\n")[0] + "}"))


def test_a_stricter_cutoff_and_a_lower_threshold_change_what_is_kept(
    home: Path, tmp_path: Path
) -> None:
    kept = {}
    for flags in (
        ["--relevance-cutoff", "1", "--min-credibility", "0"],
        ["--relevance-cutoff", "5", "--min-credibility", "0.99"],
    ):
        said = ask(*flags, "--json", str(tmp_path / "r.json"))
        built = json.loads((tmp_path / "r.json").read_text())
        kept[flags[1]] = [source["url"] for source in built["sources"] if source["kept"]]
    assert set(kept["1"]) == set(PAGES)
    assert kept["5"] == []
    assert re.search(
        r"^  🚫 Blocked https://abyss\.example\.edu/dives \(score: 0\.\d\d\)$",
        said.err,
        re.MULTILINE,
    )


def test_out_and_json_write_files_and_leave_stdout_empty(home: Path, tmp_path: Path) -> None:
    said = ask("--out", str(tmp_path / "r.md"), "--json", str(tmp_path / "r.json"))
    assert (said.code, said.out) == (0, "")
    assert said.last == f"Report written to {tmp_path / 'r.md'}"
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == assay("export", said.session).out
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == assay(
        "export", said.session, "--format", "json"
    ).out
    validate(json.loads((tmp_path / "r.json").read_bytes()), SCHEMA)


def test_json_alone_leaves_the_markdown_on_stdout(home: Path, tmp_path: Path) -> None:
    assert ask("--json", str(tmp_path / "r.json")).out.startswith("# ")


def test_a_path_is_added_to_the_library_and_searched(
    home: Path, prepared: tuple[Path, Path]
) -> None:
    said = assay("ask", QUESTION, "--library", str(prepared[1]), "--no-web")
    assert said.code == 0
    assert "Documents: 5 added." in said.err
    assert shown(said.session)["settings"]["library"] == str(prepared[1].resolve())


def test_without_a_network_the_web_is_left_out_and_this_is_said(home: Path) -> None:
    said = assay("ask", QUESTION, "--library", "whales")
    assert said.code == 0
    assert said.err.startswith("No network here: searching local documents only.\n")


@pytest.mark.parametrize("mode", ["deep", "exhaustive"])
def test_thorough_modes_save_their_markdown_too(home: Path, mode: str) -> None:
    said = ask("--mode", mode)
    assert (home / "reports" / f"{said.session}.md").read_text(encoding="utf-8") == said.out
    assert "[7/7] Write" in said.err


# ---------------------------------------------------------------- sessions, show, export, replay


def test_sessions_are_listed_newest_first(home: Path, finished: str) -> None:
    later = interrupted(home)
    assert [(row["id"], row["status"]) for row in sessions()] == [
        (later, "interrupted"),
        (finished, "done"),
    ]
    assert set(sessions()[0]) == {
        "id",
        "question",
        "title",
        "tags",
        "status",
        "decision",
        "created",
        "updated",
        "parent",
    }
    first, second = assay("sessions").out.splitlines()
    assert first.startswith(f"{later}  interrupted  ")
    assert second.startswith(f"{finished}  {sessions()[1]['decision'].replace('_', ' ')}  ")
    assert second.endswith(QUESTION)


def test_an_empty_home_has_no_sessions_and_says_how_to_start_one(assay_home: Path) -> None:
    assert assay("sessions", "--json").out == "[]\n"
    said = assay("sessions")
    assert (said.code, said.out) == (0, "")
    assert 'assay ask "…"' in said.err


def test_sessions_are_searched_deleted_and_restored(home: Path, finished: str) -> None:
    interrupted(home)
    word = QUESTION.split()[-1].rstrip("?").upper()
    assert assay("sessions", "--search", word).out.count(finished) == 1
    assert assay("sessions", "--search", "zebra crossings").out == ""
    assert assay("delete", finished).code == 0
    assert finished not in assay("sessions").out
    assert finished in assay("sessions", "--deleted").out
    assert assay("show", finished).code == 2
    assert assay("restore", finished).code == 0
    assert (finished in assay("sessions").out, assay("sessions", "--deleted").out) == (True, "")


def test_a_deletion_is_done_and_what_was_deleted_long_ago_is_removed_or_named(
    home: Path, finished: str
) -> None:
    old, place = interrupted(home), open_resources(home)
    session_admin.delete_session(
        place.db, LOCAL_USER, old, place.clock.now() - session_control.KEPT_DELETED_S - 60.0
    )
    place.close()
    (home / "reports" / f"{old}.md").mkdir(parents=True)
    said = assay("delete", finished)
    assert said.code == 1
    assert said.err.index(f"Session {finished} was deleted") < said.err.index(
        f"{old}.md is of a session deleted long ago"
    )
    listed = assay("sessions", "--deleted").out
    assert (finished in listed, old in listed) == (True, False)


def test_two_sessions_are_compared(home: Path, finished: str) -> None:
    later = interrupted(home)
    said = assay("compare", finished, later)
    assert said.code == 0
    assert said.out.startswith(f"{QUESTION} → {QUESTION}\n")
    assert "- Decision: full report → not decided\n" in said.out
    assert "\\" not in said.out
    assert "No language model wrote this report" not in said.out
    assert assay("compare", finished, "0" * 32).code == 2


def test_show_prints_the_session_and_its_report(home: Path, finished: str) -> None:
    said = assay("show", finished)
    assert shown(finished)["question"] == QUESTION
    assert said.out.endswith("}\n\n" + assay("export", finished).out + "\n")


def test_show_names_the_places_and_the_settings_that_were_changed(
    home: Path, finished: str
) -> None:
    places = {"mode": "standard", "engines": ["library"], "library": "whales", "model": "offline"}
    assert shown(finished)["settings"] == places
    changed = ask("--min-credibility", "0.4", "--max-calls", "90").session
    assert shown(changed)["settings"] == {
        **places,
        "credibility": {"minimum": 0.4},
        "caps": {"calls": 90},
    }


def test_show_says_how_to_go_on_without_a_report(home: Path) -> None:
    session = interrupted(home)
    assert assay("show", session).out.endswith(
        f"\nNo report yet. `assay resume {session}` continues.\n"
    )


def test_export_gives_the_stored_bytes(
    home: Path, finished: str, prepared: tuple[Path, Path], tmp_path: Path
) -> None:
    for form, name in (("md", "first.md"), ("json", "first.json")):
        stored = (prepared[0].parent / name).read_text(encoding="utf-8")
        assert assay("export", finished, "--format", form).out == stored
        said = assay("export", finished, "--format", form, "--out", str(tmp_path / name))
        assert (said.code, said.out) == (0, "")
        assert (tmp_path / name).read_text(encoding="utf-8") == stored


def test_replay_gives_the_same_bytes_and_writes_nothing(
    home: Path, finished: str, tmp_path: Path
) -> None:
    before = sessions()
    said = assay("replay", finished, "--json", str(tmp_path / "again.json"))
    assert (said.code, said.out, said.last) == (
        0,
        assay("export", finished).out,
        "The replayed report is identical.",
    )
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == assay(
        "export", finished, "--format", "json"
    ).out
    assert sessions() == before


def test_replay_tells_a_changed_report_from_the_stored_one(home: Path, finished: str) -> None:
    spoilt(home, "report", "squid", "krill")
    said = assay("replay", finished)
    assert said.code == 1
    assert (
        said.last
        == "The replayed report differs from the stored one: Assay has changed since, or the log was altered."
    )
    assert "differs: report " in said.err


def spoilt(home: Path, kind: str, was: str, now: str) -> None:
    """Alter what is stored of one kind; it is stored in clear then, as before compression."""

    def alter(data: bytes) -> bytes:
        return decompress(data).replace(was.encode(), now.encode())

    with sqlite3.connect(home / "assay.db") as database:
        database.create_function("altered", 1, alter)
        database.execute("UPDATE event SET data = altered(data) WHERE kind = ?", (kind,))
    database.close()


def test_what_differs_is_one_line_that_a_terminal_only_shows(home: Path, finished: str) -> None:
    spoilt(home, "report", "squid", r"\u001b]0;mine\u0007\u202esquid\nassay: All is well.\nkrill")
    said = assay("replay", finished)
    assert said.code == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", said.err)
    assert "assay: All is well." not in said.err.splitlines()
    assert "squid assay: All is well. krill" in said.err


def test_half_a_character_is_written_as_a_substitute(
    home: Path, finished: str, tmp_path: Path
) -> None:
    out, place = tmp_path / "r.json", open_resources(home)
    built = report.build(snapshot.read_session(place, finished).run)
    place.db.close()
    output.deliver_report(
        Namespace(json=str(out), out=str(tmp_path / "r.md")),
        replace(built, question="Half \ud800 a character"),
    )
    assert json.loads(out.read_bytes())["question"] == "Half ? a character"
    assert (tmp_path / "r.md").read_text(encoding="utf-8")
    spoilt(home, "report", "squid", r"\ud800 squid")
    assert "? squid" in assay("export", finished).out


def test_a_report_that_is_being_made_anew_is_not_exported(home: Path, finished: str) -> None:
    place = open_resources(home)
    open_log(place, LOCAL_USER, finished).void("k")  # as a resume does that was killed then
    place.db.close()
    for words in (["export", finished, "--format", form] for form in ("md", "json", "html")):
        said = assay(*words)
        assert (said.code, said.out) == (2, "")
        assert (
            said.last
            == f"assay: Session {finished} has no report yet. `assay resume {finished}` finishes it."
        )
    assert "No report yet." in assay("show", finished).out


@pytest.mark.parametrize("words", [["export"], ["replay"], ["recheck"], ["show"]])
def test_resume_is_not_advised_for_a_session_that_a_client_leads(
    home: Path, words: list[str]
) -> None:
    place = open_resources(home)
    led = client_sessions.begin_session(
        place.db, LOCAL_USER, place.clock, QUESTION, RunSettings(), 1e9
    ).id
    place.db.close()
    said = assay(*words, led)
    shown = said.out + said.last
    assert f"`assay rewrite {led}` researches its question and writes a report." in shown
    assert "resume" not in shown
    assert assay("resume", led).code == 2


@pytest.mark.parametrize(
    "words", [["export"], ["replay"], ["recheck"], ["show"], ["resume"], ["rewrite"], ["cancel"]]
)
def test_nothing_is_advised_about_a_session_that_does_not_exist(
    home: Path, words: list[str]
) -> None:
    said = assay(*words, "0" * 32)
    assert said.code == 2
    assert "There is no session" in said.last
    assert "assay resume" not in said.last


# ---------------------------------------------------------------- resume, cancel


def test_resume_finishes_an_interrupted_session(home: Path, tmp_path: Path) -> None:
    session = interrupted(home)
    said = assay("resume", session, "--out", str(tmp_path / "r.md"))
    assert said.code == 0
    assert (tmp_path / "r.md").read_text().startswith(f"# {QUESTION}")
    assert sessions()[0]["status"] == "done"
    assert assay("replay", session).code == 0


def test_resume_of_a_finished_session_gives_its_report_again(home: Path, finished: str) -> None:
    assert assay("resume", finished).out == assay("export", finished).out


def test_a_running_session_is_left_to_its_process(home: Path) -> None:
    place, session = open_resources(home), interrupted(home)
    executor = f"{socket.gethostname()}:{os.getpid()}:alive"
    store.take_session(place.db, LOCAL_USER, session, executor, place.clock.now())
    with heartbeats.keep_heartbeat(place, executor, every_s=0.2):
        assert sessions()[0]["status"] == "running"
        said = assay("resume", session)
    assert (said.code, said.last) == (
        2,
        f"assay: Session {session} is still running in another process. To stop it, use"
        f" `assay cancel {session}`.",
    )
    assert assay("cancel", session).code == 0
    assert store.find_session(place.db, LOCAL_USER, session).stop == "cancel"
    place.db.close()


def test_resume_waits_until_a_killed_process_counts_as_dead(home: Path) -> None:
    place, session = open_resources(home), interrupted(home)
    store.take_session(place.db, LOCAL_USER, session, "killed", place.clock.now())
    last_beat = place.clock.now() - heartbeats.DEAD_AFTER_S + 0.7
    heartbeats.record_beat(place.db, "killed", last_beat)
    assert sessions()[0]["status"] == "running"
    assert assay("resume", session).code == 0
    assert sessions()[0]["status"] == "done"
    place.db.close()


def test_cancel_ends_an_interrupted_session_and_resume_takes_it_up_again(home: Path) -> None:
    session = interrupted(home)
    assert assay("cancel", session).code == 0
    assert sessions()[0]["status"] == "cancelled"
    assert assay("cancel", session).last == f"assay: Session {session} is already cancelled."
    assert assay("resume", session).code == 0


# ---------------------------------------------------------------- library


def test_library_add_list_and_search(assay_home: Path, tmp_path: Path) -> None:
    folder = whales(tmp_path / "pages")
    said = assay("library", "add", str(folder))
    assert (said.code, said.out) == (0, "Documents: 5 added.\n")
    assert "[5/5] 4.md" in said.err
    assert assay("library", "add", str(folder)).out == "Documents: 5 unchanged.\n"
    listed = assay("library", "list", "my").out.splitlines()
    assert sorted(line.split("  ")[0] for line in listed) == sorted(PAGES)
    found = assay("library", "search", "kiln").out
    assert found.splitlines()[:2] == ["How deep a kiln is", "  https://pots.example.org/kilns"]
    assert assay("library", "list", "--name", "other").code == 2


def test_library_remove_takes_documents_or_the_whole_library(
    assay_home: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(
            f"# Notes {name}\n\nThe kiln was warm.\n", encoding="utf-8"
        )
        assay("library", "add", str(tmp_path / f"{name}.md"), "--name", "w")
    first, second = (
        line.split()[0] for line in assay("library", "list", "--name", "w").out.splitlines()
    )
    assert assay("library", "remove", "w", first).code == 0
    assert assay("library", "remove", "w", first).code == 2
    assert assay("library", "list", "--name", "w").out.split()[0] == second
    assert assay("library", "remove", "w").code == 0
    assert (assay("library", "remove", "w").code, assay("library", "remove", "sample").code) == (
        2,
        2,
    )


def test_a_search_that_finds_nothing_says_so(home: Path) -> None:
    said = assay("library", "search", "raku", "--name", "whales")
    assert (said.code, said.out) == (0, "")
    assert said.last == "No document in the library 'whales' contains any of these words."


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_added(
    assay_home: Path, tmp_path: Path
) -> None:
    folder = whales(tmp_path / "pages")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing follows")
    said = assay("library", "add", str(folder), "--name", "w")
    assert said.code == 1
    assert "5 added, 1 not added" in said.out
    assert "broken.pdf: " in said.out


# ---------------------------------------------------------------- rewrite and follow up


@pytest.mark.full
def test_a_rewrite_makes_no_call_again_and_keeps_what_was_decided(
    home: Path, finished: str, tmp_path: Path
) -> None:
    url = next(iter(PAGES))
    flags = [
        "--relevance-cutoff",
        "2",
        "--strike",
        f"{url}#top",
        "--instruct",
        "Say how long",
        "--max-calls",
        "50",
    ]
    said = assay("rewrite", finished, *flags)
    assert said.code == 0
    settings = stored_settings(home, said.session)
    assert (settings["relevance_cutoff"], settings["struck"], settings["instructions"]) == (
        2,
        [url],
        ["Say how long"],
    )
    assert settings["caps"]["calls"] == 50
    assert "- Excluded by the analyst: [" in said.out
    again = assay("rewrite", said.session, "--restore", url, "--json", str(tmp_path / "r.json"))
    assert again.code == 0
    assert json.loads((tmp_path / "r.json").read_bytes())["spent"]["other_calls"] == 0
    newest = sessions()[0]
    assert newest["parent"] == said.session
    assert (
        stored_settings(home, newest["id"])["struck"],
        stored_settings(home, newest["id"])["relevance_cutoff"],
    ) == ([], 2)


def test_a_source_can_be_approved_in_a_rewrite(home: Path) -> None:
    strict = ask("--min-credibility", "0.99")
    assert strict.code == 3
    approved = [word for url in PAGES for word in ("--approve", url)]
    said = assay("rewrite", strict.session, *approved)
    assert said.code == 0
    assert "Included by the analyst despite their credibility: " in said.out


def test_a_follow_up_starts_from_the_pages_of_the_session(home: Path, finished: str) -> None:
    said = assay("follow", finished, "And how long do they stay down?")
    assert said.code in (0, 3)
    assert "  follows up: How deep" in said.err
    assert re.search(r"(?m)^  \d pages read before match “", said.err)
    assert "- Follows up: “How deep" in said.out


WRONG = (
    (
        ["rewrite", "ID", "--strike", "nonsense"],
        "'nonsense' is not the address of a source: not a web address",
    ),
    (["rewrite", "ID", "--relevance-cutoff", "9"], "relevance_cutoff must be between 1 and 5"),
    (
        ["rewrite", "ID", "--approve", "https://a.example/", "--strike", "https://a.example/"],
        "is both included and excluded",
    ),
    (["rewrite", "ID", "--instruct", "x"], "The instruction has 1 character."),
    (
        ["follow", "ID", "x"],
        "The question is too short: it has 1 character, and at least 3 are needed",
    ),
)


@pytest.mark.parametrize(("words", "why"), WRONG)
def test_what_cannot_be_rewritten_is_said_before_anything_is_stored(
    home: Path, finished: str, words: list[str], why: str
) -> None:
    said = assay(*[finished if word == "ID" else word for word in words])
    assert (said.code, said.out) == (2, "")
    assert why in said.last
    assert len(sessions()) == 1


# ---------------------------------------------------------------- usage

UNKNOWN = (["rewrite", "none"], ["follow", "none", "And why?"],
           ["show", "none"], ["resume", "none"], ["replay", "none"], ["export", "none"], ["cancel", "none"])  # fmt: skip


@pytest.mark.parametrize("words", UNKNOWN)
def test_an_unknown_session_is_a_usage_error(assay_home: Path, words: list[str]) -> None:
    said = assay(*words)
    assert (said.code, said.out, said.err) == (
        2,
        "",
        "assay: There is no session none. `assay sessions` lists those there are.\n",
    )


@pytest.mark.parametrize("words", [["replay"], ["export"], ["export", "--format", "json"]])
def test_a_session_without_a_report_says_how_to_finish_it(home: Path, words: list[str]) -> None:
    session = interrupted(home)
    said = assay(*words, session)
    assert (said.code, said.out) == (2, "")
    assert said.last.endswith(f"`assay resume {session}` finishes it.")


def test_the_page_cache_is_told_and_emptied(assay_home: Path) -> None:
    assert (assay("cache").out, assay("sessions").err) == (
        "Page cache: empty\n",
        'No sessions yet. `assay ask "…"` starts one.\n',
    )
    with closing(Resources(Settings.from_env())) as resources:
        kept, now = resources.open_page_cache(LOCAL_USER), resources.clock.now()
        assert kept is not None
        kept.put(
            "key",
            CacheEntry(
                {"url": "u", "status": 200, "headers": {}, "hops": [], "body": bytes(1_500_000)},
                None,
                now,
                60.0,
            ),
            now,
        )
    assert assay("cache").out == "Page cache: 1 answer, 1.5 MB\n"
    assert assay("sessions").err.endswith(
        "Page cache: 1 answer, 1.5 MB; `assay cache --empty` empties it.\n"
    )
    assert assay("cache", "--empty").err == "The page cache was emptied (1 answer, 1.5 MB).\n"
    assert assay("cache").out == "Page cache: empty\n"


COMMANDS = (
    "ask", "approve", "rewrite", "follow", "resume", "replay", "sessions", "show", "cancel", "delete", "restore", "compare", "export",
    "cache", "lint", "agreement", "recheck", "library", "library add", "library list", "library search", "library remove", "mcp",
    "tools", "tools list", "tools call",
    "audit", "audit-log", "audit-log verify", "allow", "refuse",
    "data", "data show", "data export", "data consent", "data withdraw", "data join",
    "data leave", "data erase", "data rotate", "data salvage", "data compact", "doctor", "app", "worker",
    "ratings", "ratings add", "ratings list", "ratings remove", "ratings of", "ratings say", "ratings unsay",
)  # fmt: skip
#: Those that only have commands below them.
GROUPS = ("library", "tools", "audit-log", "data", "ratings")


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_tells_what_each_command_is_for(name: str) -> None:
    said = assay(*name.split(), "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"usage: assay {name}".rstrip())
    if not name:
        assert all(command.split()[0] in said.out for command in COMMANDS)
        named = {word for words in commands.MODULES.values() for word in words}
        assert named == {command.split()[0] for command in COMMANDS}
    elif name not in GROUPS:
        assert callable(commands.find_command(name))


def test_the_version_is_the_package_s() -> None:
    assert assay("--version").out == f"assay {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["dance"],
        ["ask"],
        ["ask", "why?", "--colour"],
        ["library"],
        ["export", "x", "--format", "odt"],
    ],
)
def test_words_that_make_no_command_are_exit_code_2(words: list[str]) -> None:
    said = assay(*words)
    assert (said.code, said.out) == (2, "")
    assert "usage: assay" in said.err


# ---------------------------------------------------------------- as a process of its own


@pytest.mark.full
def test_as_a_program_it_keeps_its_streams_and_exit_codes(home: Path) -> None:
    said = ran("ask", QUESTION, "--library", "whales", "--no-web", PYTHONIOENCODING="ascii")
    assert (said.code, said.out) == (0, assay("export", said.session).out)


@pytest.mark.full
def test_as_a_program_it_ends_with_a_sentence_and_its_code(home: Path) -> None:
    assert ran("ask", QUESTION, "--mode", "huge") == Said(
        2, "", "assay: Unknown mode 'huge'. Choose one of: quick, standard, deep, exhaustive.\n"
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--mode exhaustive --sources 5", "reads 10 to 100 sources, not 5. Choose a number"),
        ("--mode exhaustive --sources 0", "reads 10 to 100 sources, not 0. Choose a number"),
        ("--mode exhaustive --sources 101", "reads 10 to 100 sources, not 101. Choose a number"),
        ("--sources 20", "The standard mode has a fixed number of sources. Choose the exhaustive"),
        ("--mode deep --sources 10", "The deep mode has a fixed number of sources."),
    ],
)
def test_a_number_of_sources_that_cannot_be_says_what_can(
    home: Path, flags: str, message: str
) -> None:
    said = ask(*flags.split())
    assert said.code == 2
    assert message in said.err


def test_a_rewrite_in_another_mode_has_that_mode_s_number_of_sources(home: Path) -> None:
    first = ask("--mode", "exhaustive", "--sources", "12")
    again = assay("rewrite", first.session, "--relevance-cutoff", "2")
    assert stored_settings(home, again.session)["sources"] == 12
    other = assay("rewrite", first.session, "--mode", "quick")
    assert "sources" not in stored_settings(home, other.session)


@pytest.mark.full
def test_a_reader_that_leaves_early_is_no_traceback(home: Path, finished: str) -> None:
    with subprocess.Popen(
        command("show", finished),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(LONG_S) == UNREAD_CODE


@pytest.mark.full
def test_a_run_whose_reader_leaves_is_interrupted_and_can_be_resumed(home: Path) -> None:
    words = command("ask", QUESTION, "--library", "whales", "--no-web")
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        session = process.stdout.readline().split()[1]
        process.stdout.close()
        assert process.wait(LONG_S) == INTERRUPTED_CODE
    assert sessions()[0] | {"id": session, "status": "interrupted"} == sessions()[0]
    assert assay("resume", session).code == 0


@pytest.fixture
def silent_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Gemini that takes a request and never answers."""
    with serving(lambda connection: time.sleep(600)) as server:
        monkeypatch.setenv("GEMINI_API_KEY", "key")
        monkeypatch.setenv("ASSAY_GEMINI_URL", server.origin)
        yield


def until_reading(process: subprocess.Popen[str]) -> str:
    """Wait until the run waits for its model; its session."""
    assert process.stderr is not None
    session = ""
    for line in process.stderr:
        session = line.split()[1] if line.startswith("Session ") else session
        if line.startswith("  fetch "):
            return session
    raise AssertionError("it ended before it read a page")


@pytest.mark.full
@pytest.mark.usefixtures("silent_model")
def test_ctrl_c_ends_at_once_and_leaves_a_session_that_can_be_resumed(home: Path) -> None:
    with running("ask", QUESTION, "--library", "whales", "--no-web") as process:
        session = until_reading(process)
        process.send_signal(signal.SIGINT)
        with check_duration(0, 10):
            out, err = process.communicate(timeout=LONG_S)
    assert (process.returncode, out) == (130, "")
    assert err.endswith(
        f"Interrupted; nothing is lost. `python3 run.py resume {session}` continues.\n"
    )
    assert "Traceback" not in err
    assert sessions()[0] | {"id": session, "status": "interrupted"} == sessions()[0]


@pytest.mark.full
def test_cancel_is_heard_while_the_report_is_being_written(
    home: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    gemini = Gemini(httpserver)
    gemini.slow, gemini.wait = "Executive Summary", LONG_S
    monkeypatch.setenv("GEMINI_API_KEY", "key")
    monkeypatch.setenv("ASSAY_GEMINI_URL", httpserver.url_for("").rstrip("/"))
    with running("ask", QUESTION, "--library", "whales", "--no-web") as process:
        assert process.stderr is not None
        lines = list(iter(process.stderr.readline, "[5/6] Gate\n"))
        assert assay("cancel", lines[0].split()[1]).code == 0
        with check_duration(0, 8):
            _, err = process.communicate(timeout=LONG_S)
    gemini.free.set()
    assert (process.returncode, err.splitlines()[-1]) == (1, "The session was cancelled.")


@pytest.mark.full
@pytest.mark.usefixtures("silent_model")
def test_cancel_stops_a_run_of_another_process(home: Path) -> None:
    with running("ask", QUESTION, "--library", "whales", "--no-web") as process:
        session = until_reading(process)
        said = assay("cancel", session)
        assert (said.code, said.last) == (0, f"Session {session} is being cancelled.")
        with check_duration(0, 10):
            out, err = process.communicate(timeout=LONG_S)
    assert (process.returncode, out) == (1, "")
    assert err.endswith("The session was cancelled.\n")
    assert session_status.read_session_info(open_resources(home), session).status == "cancelled"


# ---------------------------------------------------------------- what is to be checked before a report goes anywhere


def test_what_is_not_in_its_source_is_told_and_fails_where_that_is_asked_for(
    home: Path, finished: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = open_resources(home)
    built = report.build(snapshot.read_session(place, finished).run)
    place.db.close()
    assert not report.list_flagged_sentences(built)
    said = assay("export", finished, "--strict", "--out", str(tmp_path / "r.md"))
    assert (said.code, said.err) == (0, "")
    cited = next(
        sentence for block in built.blocks for sentence in block.sentences if sentence.citations
    )
    wrong = replace(cited, text="It weighed 987,654 tons in 1066.", state="partly")
    spoilt_report = replace(built, blocks=(Block("paragraph", (wrong,)),))
    assert output.finish_command(Namespace(strict=True), spoilt_report) == 4
    assert (
        "1 sentence with a figure, unit, date or quotation that is not in the source"
        in capsys.readouterr().err
    )
    assert output.finish_command(Namespace(strict=False), spoilt_report) == 0


BAD_WORDS = ("a\x00b", "\ud800", "Wale\udfff", "caf\udce9", "киты\udc80")


@pytest.mark.parametrize("bad", BAD_WORDS, ids=ascii)
@pytest.mark.parametrize(
    "words",
    [
        ("ask", "{}"), ("ask", "Whales?", "--library", "{}"), ("ask", "Whales?", "--out={}"),
        ("ask", "Whales?", "--instruct", "{}"), ("show", "{}"), ("compare", "1", "{}"),
        ("rewrite", "1", "--approve", "{}"), ("follow", "1", "{}"), ("sessions", "--search", "{}"),
        ("export", "1", "--out", "{}"), ("lint", "{}"), ("library", "add", "{}"),
        ("library", "search", "{}"), ("library", "remove", "my", "{}"), ("tools", "call", "{}"),
        ("tools", "call", "web_search", "--json", '{{"query": "{}"}}'), ("data", "join", "{}"),
        ("ratings", "add", "{}"), ("ratings", "say", "{}", "0.5"), ("audit", "verify", "{}"),
        ("{}",), ("show", "--{}"), ("mcp", "--http", "--host", "{}"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_argument_that_is_no_text_is_a_mistake_of_the_call(
    assay_home: Path, words: tuple[str, ...], bad: str
) -> None:
    answer = assay(*(word.format(bad) for word in words))
    assert answer.code == 2
    assert "which is not allowed" in answer.err
    assert "Argument" in answer.err
    assert "Traceback" not in answer.err
    assert not assay_home.exists()


def test_bytes_that_are_not_utf_8_reach_no_command(assay_home: Path) -> None:
    words = [*command("show"), b"caf\xe9"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)  # type: ignore[arg-type]
    assert done.returncode == 2
    assert "bytes that are not UTF-8" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ['"\\u0000"', '"\\ud800"', '["x\\udcff"]', '{"a": "\\u0000"}'])
def test_escapes_in_a_tool_s_json_are_a_mistake_of_the_call(assay_home: Path, text: str) -> None:
    answer = assay(
        "tools", "call", "web_search", "--json", f'{{"query": "tea", "sessionId": {text}}}'
    )
    assert answer.code == 2
    assert "which no text may" in answer.err
