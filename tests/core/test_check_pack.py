"""The script in an evidence pack: what holds is said to hold, and any change is found, by the standard library alone."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from research_core.export import archive, check_pack, evidence
from tests.reports import FULL_REPORT

PASSAGE = next(source for source in FULL_REPORT.sources if source.passages)


def packed() -> dict[str, bytes]:
    """A pack in which each page is stored and holds the passages where they should stand."""
    texts, sources = {}, []
    for source in FULL_REPORT.sources:
        text = "".join(sorted({one.text for one in source.passages})) or source.title
        sha = sha256(text.encode()).hexdigest()
        texts[sha] = text
        at = {one.id: text.index(one.text) for one in source.passages}
        moved = tuple(replace(one, start=at[one.id], end=at[one.id] + len(one.text)) for one in source.passages)
        sources.append(replace(source, page=sha if source.page else "", passages=moved))
    return archive.unpack(evidence.pack(replace(FULL_REPORT, sources=tuple(sources)), lambda page: texts.get(page, "")))


def ran(place: Path) -> subprocess.CompletedProcess[str]:
    script = [sys.executable, "-I", check_pack.__file__, str(place)]
    return subprocess.run(script, capture_output=True, text=True, timeout=60, check=False)


def test_it_takes_the_zip_and_the_folder(tmp_path: Path) -> None:
    files = packed()
    whole = tmp_path / "pack.zip"
    whole.write_bytes(archive.pack(files, 0.0))
    with zipfile.ZipFile(whole) as opened:
        opened.extractall(tmp_path / "folder")
    for place in (whole, tmp_path / "folder"):
        said = ran(place)
        assert (said.returncode, said.stderr) == (0, ""), said.stdout
        assert sha256(files["SHA256SUMS"]).hexdigest() in said.stdout
    assert files["check.py"] == Path(check_pack.__file__).read_bytes()


@pytest.mark.parametrize("name", sorted(packed()))
def test_a_changed_byte_of_any_file_is_found(name: str) -> None:
    files = packed()
    for at in {0, len(files[name]) // 2, len(files[name]) - 1}:
        body = bytearray(files[name])
        body[at] ^= 1
        assert check_pack.sums({**files, name: bytes(body)})
    assert check_pack.sums({other: body for other, body in files.items() if other != name})


def test_an_added_file_is_found() -> None:
    assert check_pack.sums({**packed(), "pages/more.txt": b"x"}) == ["pages/more.txt is not listed"]


@pytest.mark.parametrize(
    ("check", "name", "old", "new"),
    [
        (check_pack.passages, "report.json", b'"start": 0', b'"start": 1'),
        (check_pack.citations, "report.md", b" [1]", b" [99]"),
        (check_pack.citations, "report.json", b'"passage": "', b'"passage": "x'),
        (check_pack.counts, "report.json", b'"kept": 5', b'"kept": 6'),
    ],
)
def test_new_sums_do_not_hide_what_leads_nowhere(check, name: str, old: bytes, new: bytes) -> None:
    files = packed()
    assert old in files[name]
    assert check_pack.faults_of(check, files) == []
    assert check_pack.faults_of(check, {**files, name: files[name].replace(old, new)})


@pytest.mark.parametrize("name", ["../out", "/out", "a\\b", "c:out"])
def test_a_name_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr(name, "x")
    (tmp_path / "pack.zip").write_bytes(out.getvalue())
    said = ran(tmp_path / "pack.zip")
    assert said.returncode == 1
    assert "cannot be read" in said.stdout


def test_no_control_character_reaches_the_terminal() -> None:
    assert check_pack.shown("a\x1b[2J\u202eb\n") == "a?[2J?b?"
