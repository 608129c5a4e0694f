"""`assay audit`: a report checked against a library, its exit codes and its files."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import docx
import pytest

from research_core.interfaces.cli import commands
from research_core.journal import store
from research_core.sessions import audits
from research_core.wiring import LOCAL_USER
from tests.audits import open_resources
from tests.export.test_cli import Terminal
from tests.terminal import assay, whales

REPORT = """# Sperm whales

Sperm whales dive 1,200 metres deep to hunt [1]. They stay below for 95 minutes [2].

## Sources

1. https://abyss.example.edu/dives
2. https://reef.example.org/dives
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ASSAY_SEMANTIC", "0")
    monkeypatch.chdir(tmp_path)
    whales(tmp_path / "whales")
    return tmp_path


def test_a_report_over_a_folder_of_stored_pages(home: Path) -> None:
    (home / "r.md").write_text(REPORT, encoding="utf-8")
    flags = ("--library", str(home / "whales"), "--no-web", "--json", "r.json", "--out", "o.md")
    said = assay("audit", "r.md", *flags)
    assert said.code == 0, said.err
    data = json.loads((home / "r.json").read_text(encoding="utf-8"))
    verdicts = [claim["verdict"] for claim in data["claims"]]
    assert verdicts[0] == "supported"
    assert verdicts[1] != "supported"
    assert [source["state"] for source in data["sources"]] == ["live", "live"]
    assert "1,200 metres deep" in (home / "o.md").read_text(encoding="utf-8")
    strict = assay("audit", "r.md", *flags[:3], "--strict")
    assert strict.code == 4
    assert "# Check of Sperm whales" in strict.out
    again = assay("replay", said.session)
    assert again.code == 0, again.err


def test_the_result_in_each_format(home: Path) -> None:
    (home / "r.md").write_text(REPORT, encoding="utf-8")
    library = ("--library", str(home / "whales"), "--no-web")
    said = assay("audit", "r.md", *library, "--out", "o.docx")
    assert said.code == 0, said.err
    comments = docx.Document(home / "o.docx").comments
    assert next(comment.text.partition("\n")[0] for comment in comments) == "✓ supported"
    printed = assay("audit", "r.md", *library, "--format", "json")
    assert json.loads(printed.out)["score_card"]["claims"] == 2
    forced = assay("audit", "r.md", *library, "--format", "html", "--out", "o.txt")
    assert forced.code == 0, forced.err
    assert (home / "o.txt").read_text(encoding="utf-8").startswith("<!doctype html>")
    again = assay("export", said.session, "--format", "docx", "--out", "again.docx")
    assert again.code == 0, again.err
    assert (home / "again.docx").read_bytes() == (home / "o.docx").read_bytes()
    pack = assay("export", said.session, "--format", "csv")
    assert "abyss.example.edu" in pack.out


def test_a_document_is_not_printed_to_a_terminal(home: Path) -> None:
    (home / "r.md").write_text(REPORT, encoding="utf-8")
    with redirect_stdout(Terminal()) as out, redirect_stderr(StringIO()) as err:
        code = commands.main(["audit", "r.md", "--no-web", "--format", "docx"])
    assert (code, out.getvalue()) == (2, "")
    assert "cannot be shown in a terminal. Add `--out " in err.getvalue()


def test_strict_accepts_a_report_that_holds(home: Path) -> None:
    (home / "r.md").write_text(REPORT.replace("They stay below for 95 minutes [2].", ""), "utf-8")
    flags = ("--library", str(home / "whales"), "--no-web", "--strict")
    assert assay("audit", "r.md", *flags).code == 0


def test_what_cannot_be_checked_is_refused(home: Path) -> None:
    (home / "plain.md").write_text("Nothing is cited.", encoding="utf-8")
    with (home / "huge.md").open("wb") as huge:
        huge.truncate(500_000_000)
    for source, message in (
        ("plain.md", "cites nothing"),
        ("huge.md", "larger than 20 MB"),
        ("none.md", "There is no file"),
        (str(home), "is a folder"),
        ("document:" + "0" * 64, "no such document"),
        ("http://127.0.0.1:9/report", "cannot be read"),
    ):
        said = assay("audit", source)
        assert (said.code, message in said.err) == (2, True), (source, said.err)


def test_the_old_spelling_of_the_log_check_still_works(home: Path) -> None:
    said = assay("audit", "verify")
    assert "audit-log verify" in said.err
    assert said.code == assay("audit-log", "verify").code == 2


def test_strict_refuses_a_report_without_a_cited_sentence_or_with_a_lost_mark(home: Path) -> None:
    flags = ("--library", str(home / "whales"), "--no-web", "--strict")
    listed = "## Sources" + REPORT.partition("## Sources")[2]
    held = "Sperm whales dive 1,200 metres deep to hunt [1]"
    for number, (body, code, shown) in enumerate(
        (
            (f"{held}.", 0, "1 cited sentence: 1 supported"),
            ("Whales are large.", 4, "No sentence of this report cites a source."),
            ("", 4, "2 of 2 sources are listed and never cited."),
            (f"{held}[9].", 4, "1 citation has no matching source in the report."),
            (f"{held}. Whales sing [7].", 4, "1 citation has no matching source in the report."),
        )
    ):
        name = f"{number}.md"
        (home / name).write_text(f"# Sperm whales\n\n{body}\n\n{listed}", encoding="utf-8")
        said = assay("audit", name, *flags)
        assert (said.code, shown in said.out) == (code, True), (body, said.out, said.err)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--out", "r.md"), "The result would replace r.md, which is read."),
        (("--out", "./x/../r.md"), "The result would replace r.md, which is read."),
        (("--json", "r.md"), "The result would replace r.md, which is read."),
        (("--out", "a.md", "--json", "a.md"), "--out and --json both name a.md."),
        (("--out", "a.pdf"), "A check has no format for files that end in .pdf."),
        (("--out", "a.xlsx"), "A check has no format for files that end in .xlsx."),
    ],
)
def test_no_file_is_replaced_by_accident(home: Path, flags: tuple[str, ...], told: str) -> None:
    (home / "r.md").write_text(REPORT, encoding="utf-8")
    (home / "x").mkdir()
    said = assay("audit", "r.md", "--library", str(home / "whales"), "--no-web", *flags)
    assert said.code == 2
    assert told in said.err
    assert (home / "r.md").read_text(encoding="utf-8") == REPORT
    assert not {path.name for path in home.iterdir()} & {"a.md", "a.pdf", "a.xlsx"}


def test_resume_and_export_write_the_same_result(home: Path) -> None:
    (home / "r.md").write_text(REPORT, encoding="utf-8")
    said = assay("audit", "r.md", "--library", str(home / "whales"), "--no-web")
    assert said.out.startswith("# Check of Sperm whales")
    assert assay("resume", said.session).out == said.out
    assert assay("export", said.session).out == said.out
    assert assay("resume", said.session, "--out", "o.html").code == 0
    assert (home / "o.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert assay("resume", said.session, "--strict").code == 4


def test_a_check_of_sources_that_could_not_be_read_does_not_deny_its_citations(home: Path) -> None:
    (home / "r.md").write_text("It dives [1].\n\n## Sources\n\n1. https://no.example.org/x\n")
    said = assay("audit", "r.md", "--library", str(home / "whales"), "--no-web")
    assert "1 could not be checked" in said.out
    pack = assay("export", said.session, "--format", "session").out
    assert "1 could not be checked" in pack
    assert "No sentence of this text cites a source" not in pack


def test_what_is_wrong_with_the_request_is_said_before_the_library_is_read(home: Path) -> None:
    (home / "r.md").write_text(REPORT, encoding="utf-8")
    library = ("--library", str(home / "whales"))
    for arguments, message in (
        (("r.md", *library, "--model", "unknown-model"), "unknown-model"),
        (("r.md", *library, "--max-seconds", "-1"), "cap on seconds"),
        (("none.md", *library), "There is no file"),
        (("https://www.example.org/r.md", *library, "--no-web"), "--no-web asks nothing"),
    ):
        said = assay("audit", *arguments)
        assert (said.code, message in said.err) == (2, True), (arguments, said.err)
        assert "whales" not in said.err
    assert "whales" not in assay("library", "list").out


def test_a_report_is_listed_by_its_heading_or_its_first_words_without_markup(home: Path) -> None:
    resources = open_resources(home / "other")
    listed = REPORT.replace("# Sperm whales\n\n", "")
    linked = listed.replace("[1].", "([Abyss](https://abyss.example.edu/dives)).", 1)
    headed = "# **Dives** of [whales](https://a.example.org) [1]\n" + listed
    for name, text, title in (
        ("notes.md", headed, "Dives of whales"),
        ("notes.md", listed, "Sperm whales dive 1,200 metres deep to hunt. They stay below"),
        ("", linked, "Sperm whales dive 1,200 metres deep to hunt (Abyss)."),
    ):
        session = audits.new_audit(resources, text, audits.AuditRequest(name))
        stored = store.find_session(resources.db, LOCAL_USER, session)
        assert stored.question.startswith(title)
