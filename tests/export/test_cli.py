"""`assay export` in every format: to a file, into a pipe, and never bytes onto a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from research_core.export import FORMATS, archive
from research_core.interfaces.cli import commands
from tests.export.test_export import inert
from tests.reports import FULL_REPORT
from tests.terminal import ROOT, ask, assay, command, whales

BINARY = [name for name, each in FORMATS.items() if each.binary]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A finished session, and the home it is in."""
    folder = tmp_path_factory.mktemp("export")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_HOME", str(folder / "home"))
        assert assay("library", "add", str(whales(folder / "pages")), "--name", "whales").code == 0
        assert ask().code == 0
        return json.loads(assay("sessions", "--json").out)[0]["id"], folder / "home"


@pytest.fixture
def finished(session: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ASSAY_HOME", str(session[1]))
    return session[0]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_goes_to_a_file(finished: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"report{FORMATS[name].suffix}"
    said = assay("export", finished, "--format", name, "--out", str(path))
    assert (said.code, said.out) == (0, "")
    if name in ("html", "pdf", "docx", "zip", "csv", "json"):
        inert(name, path.read_bytes(), FULL_REPORT)
    assert path.read_bytes()


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - set(BINARY)))
def test_text_goes_to_stdout_as_it_goes_to_a_file(finished: str, name: str, tmp_path: Path) -> None:
    assay("export", finished, "--format", name, "--out", str(tmp_path / "file"))
    assert (
        assay("export", finished, "--format", name).out.encode() == (tmp_path / "file").read_bytes()
    )


@pytest.mark.parametrize("name", BINARY)
def test_bytes_never_go_to_a_terminal(finished: str, name: str) -> None:
    with redirect_stdout(Terminal()) as out, redirect_stderr(StringIO()) as err:
        assert commands.main(["export", finished, "--format", name]) == commands.USAGE
    assert out.getvalue() == ""
    assert "cannot be shown in a terminal. Add `--out " in err.getvalue()


@pytest.mark.full
def test_bytes_go_into_a_pipe(finished: str, tmp_path: Path) -> None:
    piped = subprocess.run(
        command("export", finished, "--format", "zip"),
        cwd=ROOT,
        capture_output=True,
        timeout=110,
        check=True,
    )
    assay("export", finished, "--format", "zip", "--out", str(tmp_path / "file"))
    assert piped.stdout == (tmp_path / "file").read_bytes()


def test_the_digest_of_a_pack_is_told_beside_it_and_its_script_says_the_same(
    finished: str, tmp_path: Path
) -> None:
    said = assay("export", finished, "--format", "zip", "--out", str(tmp_path / "pack.zip"))
    told = said.err.partition("Pack digest ")[2][:64]
    files = archive.unpack((tmp_path / "pack.zip").read_bytes())
    (tmp_path / "check.py").write_bytes(files["check.py"])
    checked = [sys.executable, "-I", "check.py", "pack.zip", "--digest", told]
    ran = subprocess.run(
        checked, cwd=tmp_path, env={}, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert f"Pack digest {told} " in ran.stdout
    assert "note" not in ran.stdout  # nothing is missing in it
