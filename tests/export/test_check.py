"""The script in an evidence pack: what holds is said to hold, and any change is found, by the
standard library alone.
"""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from research_core.citations.cited_passages import list_citations
from research_core.export import archive, check, evidence, outline
from research_core.i18n import NUMBER_MARKS, use_language
from research_core.journal.events import call_key
from research_core.model_messages import ModelRequest
from research_core.models import Block, Passage, Report, Sentence
from research_core.policy import CredibilityPolicy, Override
from research_core.sessions.model_requests import (
    CHANGED_SINCE,
    VERSION,
    RecordedRequest,
    RecordedRequests,
)
from research_core.trust.credibility import assess
from tests.pipeline.test_contradictions import FOUND, QUESTION
from tests.pipeline.test_report import ABYSS
from tests.reports import FULL_REPORT, telling


def request(prompt: str, **changes: object) -> RecordedRequest:
    """A request as a log has it."""
    params = ModelRequest(
        "write", "You write.", prompt, {"half": "\ud800", "share": 0.1}, {"type": "object"}
    ).params("gemini")
    return replace(
        RecordedRequest(
            call_key("model", VERSION, params),
            "write",
            "gemini",
            1_790_000_000.0,
            "gemini-001",
            params=params,
        ),
        **changes,
    )


#: What goes into each pack as check.py.
SCRIPT = Path(check.__file__).read_text("utf-8")
ASKED = RecordedRequests((
    request("Reefs lose corals.\r\nHow many?"),
    request("The password: swordfish-swordfish."),
    request("", params=None, lack=CHANGED_SINCE),
    request("Reefs.", answered="", failed="The model timed out.", cost=None),
))  # fmt: skip


def stored(built: Report) -> tuple[Report, dict[str, str]]:
    """The report with pages in which the passages stand where they should, two of which contradict
    each other; and these pages.
    """
    texts, sources, more = {}, [], dict(zip((1, 2), FOUND[0], strict=True))
    for source in built.sources:
        added = (
            (Passage(f"p{source.number:08x}", more[source.number], 0, 0),)
            if source.number in more
            else ()
        )
        told = (*source.passages, *added)
        text = "\n\n".join(sorted({one.text for one in told})) or source.title
        sha = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        texts[sha] = text
        at = {one.id: text.index(one.text) for one in told}
        moved = tuple(
            replace(one, start=at[one.id], end=at[one.id] + len(one.text)) for one in told
        )
        sources.append(
            replace(
                source,
                page=sha if source.page else "",
                passages=moved if source.page else source.passages,
            )
        )
    return replace(built, question=QUESTION, sources=tuple(sources)), texts


@cache
def whole() -> bytes:
    """The pack of the full report, made once."""
    return made()


def made() -> bytes:
    built, texts = stored(FULL_REPORT)
    return evidence.build_pack(built, lambda page: texts.get(page, ""), ASKED)


def packed() -> dict[str, bytes]:
    return archive.unpack(whole())


def ran(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the script says, by a Python that sees nothing but its own library."""
    command = [sys.executable, "-I", script.name, *arguments]
    return subprocess.run(
        command, cwd=script.parent, env={}, capture_output=True, text=True, timeout=60, check=False
    )


def unpacked(body: bytes, folder: Path) -> Path:
    """The script in an unpacked pack."""
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        opened.extractall(folder)
    return folder / "check.py"


@pytest.mark.full
def test_the_script_checks_its_folder_and_the_zip_with_python_alone(tmp_path: Path) -> None:
    body = whole()
    (tmp_path / "pack.zip").write_bytes(body)
    script = unpacked(body, tmp_path / "folder")
    for arguments in (
        (),
        (str(tmp_path / "pack.zip"),),
        ("--digest", evidence.compute_digest(body).upper()),
        (".", "--digest", evidence.compute_digest(body)),
    ):
        said = ran(script, *arguments)
        assert (said.returncode, said.stderr) == (0, ""), said.stdout
        assert f"Pack digest {evidence.compute_digest(body)} " in said.stdout
        assert "All checks hold." in said.stdout
    assert "note   1 requests to models are masked" in said.stdout
    assert "note   1 requests to models are not in this pack" in said.stdout
    assert script.read_text("utf-8") == SCRIPT


def test_a_pack_that_other_programs_packed_again_holds(tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    with zipfile.ZipFile(again, "w") as packing:
        for folder in ("pages/", "prompts/"):
            packing.writestr(folder, b"")
        for name, body in packed().items():
            packing.writestr(name, body)
    assert check.main([str(again)]) == 0


def test_the_script_is_written_for_old_pythons_and_their_own_library() -> None:
    tree = ast.parse(SCRIPT, feature_version=(3, 9))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
    defined = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    defined += [name.id for node in tree.body if isinstance(node, ast.Assign) for name in ast.walk(node) if isinstance(name, ast.Name)
                and isinstance(name.ctx, ast.Store)]  # fmt: skip
    assert len(defined) == len(set(defined))


def test_another_digest_is_told_and_no_digest_is_no_call(tmp_path: Path) -> None:
    script = unpacked(whole(), tmp_path)
    said = ran(script, "--digest", "0" * 64)
    assert (said.returncode, "1 of 15 checks do not hold." in said.stdout) == (1, True)
    for wrong in (("--digest",), ("--digest", "no digest"), ("--help",), ("a", "b")):
        assert ran(script, *wrong).returncode == 2


def test_the_same_session_gives_the_same_bytes() -> None:
    assert made() == whole()


@pytest.mark.parametrize("name", sorted(packed()))
def test_a_changed_byte_of_any_file_is_found(name: str) -> None:
    files = packed()
    for at in {0, len(files[name]) // 2, len(files[name]) - 1}:
        body = bytearray(files[name])
        body[at] ^= 1
        assert check.check_sums({**files, name: bytes(body)})
    assert check.check_sums({other: body for other, body in files.items() if other != name})


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja", "ar"])
@pytest.mark.parametrize(
    ("states", "is_quoted"),
    [
        (["partly"], False),
        (["not found"], False),
        (["could not check"], False),
        (["supported"], True),
        (["partly", "supported"], True),
    ],
)
def test_a_pack_holds_however_many_citations_it_has(
    states: list[str], is_quoted: bool, language: str
) -> None:
    cited = [(f"Coral number {n} is lost.", (ABYSS,), state, "") for n, state in enumerate(states)]
    with use_language(language):
        built = replace(telling(("paragraph", 0, cited)), language=language, is_quoted=is_quoted)
    told, texts = stored(built)
    files = archive.unpack(evidence.build_pack(told, lambda page: texts.get(page, ""), ASKED))
    assert [check.run_check(each, files) for _, each in check.CHECKS] == [[]] * len(check.CHECKS)


@pytest.mark.parametrize("count", [1, 2, 999, 1_000, 12_345])
def test_the_script_knows_the_count_of_citations_in_the_head_of_a_page(count: int) -> None:
    cited = list_citations(telling(("paragraph", 0, [("So.", (ABYSS,), "partly", "")])))
    line = outline.format_checked_count([*cited] * count, "1 ◐ partly supported")
    assert check._PAGE_HEAD.fullmatch(check.strip_markup(line))
    assert not check._PAGE_HEAD.fullmatch(check.strip_markup(f"Also {line}"))


def test_a_score_that_the_analyst_s_own_word_made_0_is_no_fault() -> None:
    built, texts = stored(FULL_REPORT)
    policy = CredibilityPolicy(overrides=(Override("example.org", 0.0, "They invent."),))
    parts = assess("https://example.org/", "bread prices 2025", "bread prices", policy)
    barred = [
        replace(one, parts=parts) if one.status == "blocked" else one for one in built.sources
    ]
    assert [one for one in barred if one.parts == parts]
    files = archive.unpack(
        evidence.build_pack(
            replace(built, sources=tuple(barred)), lambda page: texts.get(page, ""), ASKED
        )
    )
    assert check.check_scores(files) == []
    changed = files["assessments.json"].replace(b'"basis": "override"', b'"basis": "tier"')
    assert any(
        "do not come to its score" in fault
        for fault in check.check_scores({**files, "assessments.json": changed})
    )


def test_an_added_file_is_found() -> None:
    (fault,) = check.check_sums({**packed(), "pages/more.txt": b"x"})
    assert fault == "pages/more.txt is not listed: it was added and is no part of the pack"


@pytest.mark.parametrize(
    "name",
    [
        ".DS_Store",
        "pages/.DS_Store",
        "__MACOSX/._report.md",
        "__pycache__/check.cpython-312.pyc",
        "Thumbs.db",
    ],
)
def test_what_a_system_leaves_behind_is_told_so(name: str) -> None:
    (fault,) = check.check_sums({**packed(), name: b"x"})
    assert fault.startswith(f"{name} was added and is no part of the pack")
    assert fault.endswith("delete it and check again")


@pytest.mark.parametrize("lead", ["", "./", "evidence/", "./evidence/"])
def test_a_pack_zipped_again_by_other_tools_holds(lead: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "again.zip", "w") as again:
        for folder in ("", "pages/", "prompts/"):
            if lead + folder:
                again.writestr(lead + folder, "")
        for name, body in packed().items():
            again.writestr(lead + name, body)
    (tmp_path / "check.py").write_text(SCRIPT, "utf-8")
    said = ran(
        tmp_path / "check.py",
        str(tmp_path / "again.zip"),
        "--digest",
        evidence.compute_digest(whole()),
    )
    assert (said.returncode, said.stdout.splitlines()[-1]) == (0, "All checks hold.")


CHANGES = [
    (check.check_passages, "report.json", b'"start": 0', b'"start": 1'),
    (check.check_words, "report.md", b" [1]", b" [99]"),
    (check.check_citations, "report.json", b'"passage": "', b'"passage": "x'),
    (check.check_counts, "report.json", b'"kept": 5', b'"kept": 6'),
    (check.check_fetched_pages, "pages.csv", b'"pages/', b'"pages/0'),
    (check.check_fetched_pages, "pages.csv", b"+00:00", b""),
    (check.check_fetched_pages, "pages.csv", b'"kept"', b'"dropped"'),
    (
        check.check_verification,
        "verification.json",
        b'"state": "not found"',
        b'"state": "supported"',
    ),
    (check.check_verification, "verification.json", b'"passage": "', b'"passage": "x'),
    (check.check_verification, "verification.json", b'"page": "', b'"page": "0'),
    (check.check_verification, "verification.json", b'"from": 0', b'"from": 1'),
    (check.check_verification, "verification.json", b'"source": 1', b'"source": 2'),
    (check.check_verification, "verification.json", b'"reason": "', b'"reason": "No: '),
    (check.check_verification, "verification.csv", b'"not found"', b'"supported"'),
    (check.check_verification, "verification.csv", b"We saw one dive.", b"We saw two dives."),
    (check.check_contradictions, "contradictions.json", b'"value": "', b'"value": "1'),
    (check.check_contradictions, "contradictions.json", b'"passage": "', b'"passage": "x'),
    (check.check_contradictions, "contradictions.csv", b"15 percent", b"51 percent"),
    (check.check_contradictions, "confidence.json", b'"level": "low"', b'"level": "high"'),
    (check.check_scores, "assessments.json", b'"domain": 0.', b'"domain": 0.0'),
    (check.check_scores, "assessments.json", b'"minimum": 0.5', b'"minimum": 0.95'),
    (
        check.check_scores,
        "assessments.json",
        b'"decision": "blocked"',
        b'"decision": "dropped"',
    ),
    (check.check_scores, "assessments.csv", b'"0.', b'"1.'),
    (check.check_requests, "prompts.json", b'"model": "gemini"', b'"model": "other"'),
    (check.check_requests, "prompts.json", b'"share": 0.1', b'"share": 0.2'),
    (check.check_requests, "prompts.json", b'"prompt": "prompts/', b'"prompt": "prompts/0'),
    (check.check_requests, "prompts.json", b'"request": "masked"', b'"request": "as sent"'),
    (check.check_requests, "prompts.json", b'"unread": ""', b'"unread": "It is gone."'),
    (check.check_requests, "prompts.csv", b"gemini-001", b"gemini-002"),
    (check.check_words, "report.md", b"2,035", b"2,036"),
    (check.check_words, "report.md", b"**low** confidence", b"**high** confidence"),
    (check.check_words, "report.md", b"Credibility Score: 0.86", b"Credibility Score: 0.96"),
    (check.check_words, "report.md", b"abyss.example.edu/dives", b"abyss.example.edu/other"),
    (
        check.check_words,
        "report.md",
        b"\n## Sources",
        b"\nVaccines kill everybody.\n\n## Sources",
    ),
    (
        check.check_words,
        "report.md",
        b"## Executive Summary",
        b"## Executive Summary\n\nAll of it is proved.",
    ),
    (check.check_words, "report.md", "◇".encode(), b""),
    (check.check_words, "report.md", b"Different figures", b"Other figures"),
    (check.check_words, "report.md", b"1 of 7", b"0 of 7"),
    (check.check_words, "report.html", b"2,035", b"2,036"),
    (check.check_sources, "sources.csv", b'"0.8600"', b'"0.9600"'),
    (check.check_bibliographies, "references.bib", b"abyss.example.edu", b"other.example.edu"),
    (check.check_bibliographies, "references.ris", b"abyss.example.edu", b"other.example.edu"),
    (
        check.check_bibliographies,
        "references.csl.json",
        b"abyss.example.edu",
        b"other.example.edu",
    ),
    (check.check_bibliographies, "references.bib", b"@", b"%"),
    (check.check_bibliographies, "references.ris", b"TY  - ", b"XX  - "),
    (check.check_bibliographies, "references.csl.json", b"[", b"[{},"),
]


@pytest.mark.parametrize(("caught_by", "name", "old", "new"), CHANGES)
def test_new_sums_do_not_hide_what_leads_nowhere(
    caught_by, name: str, old: bytes, new: bytes
) -> None:
    files = packed()
    assert old in files[name]
    assert check.run_check(caught_by, files) == []
    assert check.run_check(caught_by, {**files, name: files[name].replace(old, new)})


@pytest.mark.parametrize("folder", ["pages/", "prompts/"])
def test_a_text_is_held_to_its_name_and_to_what_needs_it(folder: str) -> None:
    files = packed()
    name = next(name for name in files if name.startswith(folder))
    caught_by = check.check_fetched_pages if folder == "pages/" else check.check_requests
    assert check.check_hashes({**files, name: files[name] + b"."})
    assert check.run_check(
        caught_by, {other: body for other, body in files.items() if other != name}
    )
    assert check.run_check(caught_by, {**files, f"{folder}{'0' * 64}.txt": b""})


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in packed() if name.endswith((".json", ".csv"))])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[" * 100_000,
        b"null",
        b'{"calls": [1e999]}',
        b'"' + b"x" * 200_000,
        b'\xef\xbb\xbf"a"b\r\n',
    ],
)
def test_a_broken_file_is_a_fault_and_no_crash(name: str, body: bytes) -> None:
    files = {**packed(), name: body}
    found = [
        fault
        for _, one in check.CHECKS
        if one is not check.check_sums
        for fault in check.run_check(one, files)
    ]
    assert found
    assert check.print_result(files, "") == 1


def test_what_looks_like_a_key_is_in_no_file() -> None:
    files = packed()
    assert not [name for name, body in files.items() if b"swordfish" in body]
    states = [call["request"] for call in json.loads(files["prompts.json"])["calls"]]
    assert states == ["as sent", "masked", "could not be made again", "as sent"]


def test_the_texts_are_as_they_were_sent() -> None:
    files = packed()
    first, *_ = json.loads(files["prompts.json"])["calls"]
    assert (files[first["system"]], files[first["prompt"]]) == (
        b"You write.",
        b"Reefs lose corals.\r\nHow many?",
    )
    assert (first["answered_by"], first["answered_at"]) == (
        "gemini-001",
        "2026-09-21T14:13:20+00:00",
    )


def test_the_readme_says_what_is_missing() -> None:
    said = archive.unpack(evidence.build_pack(FULL_REPORT, lambda _: "", ASKED))[
        "README.txt"
    ].decode()
    assert "Not in this pack: the text of 1 page that is no longer stored." in said
    assert "Not in this pack: the words of 1 request to models; prompts.csv says why." in said
    assert (
        "Not in this pack: what models were asked."
        in archive.unpack(evidence.build_pack(FULL_REPORT, str))["README.txt"].decode()
    )


@pytest.mark.parametrize("name", ["../out", "/out", "a\\b", "c:out"])
def test_a_name_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr(name, "x")
    (tmp_path / "pack.zip").write_bytes(out.getvalue())
    (tmp_path / "check.py").write_text(SCRIPT, "utf-8")
    said = ran(tmp_path / "check.py", str(tmp_path / "pack.zip"))
    assert said.returncode == 1
    assert "cannot be read" in said.stdout


def test_a_terminal_without_a_letter_is_no_crash(tmp_path: Path) -> None:
    script = unpacked(whole(), tmp_path)
    (tmp_path / "鯨.txt").write_bytes(b"")
    code = "import io, runpy, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, 'ascii'); runpy.run_path('check.py', None, '__main__')"
    command = [sys.executable, "-I", "-c", code, "."]
    ran = subprocess.run(
        command, cwd=script.parent, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "?.txt is not listed" in ran.stdout


def test_no_control_character_reaches_the_terminal() -> None:
    assert check.format_shown("a\x1b[2J\u202eb\n") == "a?[2J?b?"


def test_a_module_that_somebody_put_beside_the_script_is_not_run(tmp_path: Path) -> None:
    script = unpacked(whole(), tmp_path)
    (script.parent / "csv.py").write_text('print("All checks hold."); raise SystemExit(0)')
    said = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert "csv.py is not listed" in said.stdout


@pytest.mark.parametrize(
    "text",
    [
        "In [2020] it was so.",
        "The array a[0] is empty.",
        "See [0].",
        "Выше [99] не было.",
        "图 [3] 如下。",
    ],
)
def test_what_only_looks_like_a_mark_is_no_fault(text: str) -> None:
    built, texts = stored(FULL_REPORT)
    opening = Block("paragraph", (Sentence(text, ()),))
    built = replace(built, blocks=(opening, *built.blocks))
    pack = evidence.build_pack(built, lambda page: texts.get(page, ""), ASKED)
    files = archive.unpack(pack)
    assert [fault for _, one in check.CHECKS for fault in check.run_check(one, files)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"\n## Sources\n", b"\n## Sources\n\n[77] Another source. https://other.example/\n"),
        (b"\n## Sources\n", b"\nIt holds. [77]\n\n## Sources\n"),
        (b" [1]", b""),
        (b" [1]", b" [1] [77]"),
        (b" [1]", b" [2]"),
    ],
)
def test_a_citation_or_source_changed_in_the_report_alone_is_a_fault(
    old: bytes, new: bytes
) -> None:
    files = packed()
    assert old in files["report.md"]
    changed = {**files, "report.md": files["report.md"].replace(old, new, 1)}
    assert [
        fault
        for _, one in check.CHECKS
        if one is not check.check_sums
        for fault in check.run_check(one, changed)
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("sources"), "it lacks an entry ('sources')"),
        (TypeError("'NoneType' object is not iterable"), "a value has the wrong type"),
        (AttributeError("'list' object has no attribute 'get'"), "a value has the wrong type"),
        (ValueError("not a number"), "a value cannot be read (not a number)"),
        (RecursionError("maximum recursion depth"), "it is nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_fault_in_words(error: Exception, said: str) -> None:
    def broken(_files: check.Files) -> list[str]:
        raise error

    (fault,) = check.run_check(broken, {})
    assert fault.startswith(f"could not be checked: {said}")


def test_the_checker_knows_the_languages_that_write_a_decimal_comma() -> None:
    with_comma = {code for code, (_group, decimal) in NUMBER_MARKS.items() if decimal == ","}
    assert with_comma == check._DECIMAL_COMMA
