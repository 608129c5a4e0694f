"""What `assay audit verify` finds: each byte that is changed, each line that is missing, added or
moved; and what it only tells of.
"""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.journal.audit.chain import ANCHOR, link_event
from research_core.journal.audit.file import AuditRetention, find_rotated
from research_core.journal.audit.verify import (
    LOST_FILE,
    NO_HASH,
    NOT_FOLLOWING,
    WRONG_HASH,
    Stretch,
    read_stretch,
    verify_chain,
)
from research_core.journal.events import canonical_json
from tests.chains import make_chain, make_event
from tests.terminal import assay

BARE_LINE = (
    json.dumps(
        {"timestamp": "2025-06-15T15:06:40.250Z", "event_type": "tool_call", "metadata": {}}
    ).encode()
    + b"\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def of(count: int) -> list[bytes]:
    """Lines of a chain that is whole."""
    links, before = list[bytes](), ANCHOR
    for n in range(count):
        link = link_event(make_event(n), before)
        before = link["hash"]
        links.append(f"{canonical_json(link)}\n".encode())
    return links


LINES = of(5)
PLACE = Path("calls.jsonl")


def found(lines: list[bytes] | bytes) -> tuple[int, str] | None:
    """The first broken line of a file with these lines, and why; None where the chain is whole."""
    body = lines if isinstance(lines, bytes) else b"".join(lines)
    held = read_stretch(PLACE, io.BytesIO(body))
    return None if isinstance(held, Stretch) else (held.line, held.why)


def test_a_chain_that_is_whole_is() -> None:
    held = read_stretch(PLACE, LINES)
    assert isinstance(held, Stretch)
    assert (held.lines, held.follows, held.last) == (5, ANCHOR, json.loads(LINES[-1])["hash"])


def test_every_byte_that_is_flipped_is_found_in_its_line() -> None:
    body, chance = b"".join(LINES[:3]), random.Random(7)
    for at in range(len(body)):
        flipped = bytearray(body)
        flipped[at] ^= 1 << chance.randrange(8)
        assert (found(bytes(flipped)) or (0, ""))[0] == body[:at].count(b"\n") + 1, at


@given(st.integers(0, len(b"".join(LINES)) - 1), st.integers(1, 255))
def test_a_byte_that_becomes_any_other_is_found(at: int, change: int) -> None:
    flipped = bytearray(b"".join(LINES))
    flipped[at] ^= change
    assert found(bytes(flipped)) is not None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([*LINES[:2], *LINES[3:]], (3, NOT_FOLLOWING)),
        ([LINES[1], LINES[0], *LINES[2:]], (2, NOT_FOLLOWING)),
        ([*LINES[:2], LINES[3], LINES[2], LINES[4]], (3, NOT_FOLLOWING)),
        ([*LINES[:3], LINES[2], *LINES[3:]], (4, NOT_FOLLOWING)),
        ([*LINES[:3], BARE_LINE, *LINES[3:]], (4, NO_HASH)),
        ([*LINES[:3], b"\n", *LINES[3:]], (4, "it is no JSON object")),
        ([*LINES[:3], b"[]\n", *LINES[3:]], (4, "it is no JSON object")),
        ([*LINES[:3], LINES[3].replace(b'"r3"', b'"r9"'), LINES[4]], (4, WRONG_HASH)),
        ([*LINES[:3], LINES[3].replace(b":", b": ", 1), LINES[4]], (4, WRONG_HASH)),
        (
            [
                *LINES[:3],
                LINES[3].replace(b'"success":true', b'"success":true,"success":true'),
                LINES[4],
            ],
            (4, WRONG_HASH),
        ),
        (
            [*LINES[:3], LINES[3].replace(b'"duration_ms":12', b'"duration_ms":1e999'), LINES[4]],
            (4, WRONG_HASH),
        ),
        ([*LINES[:3], LINES[3].replace(b'"r3"', b'"\\ud83d"'), LINES[4]], (4, WRONG_HASH)),
        ([*LINES[:3], b"[" * 100_000 + b"\n", LINES[4]], (4, "it is no JSON object")),
        ([BARE_LINE, BARE_LINE, *LINES[1:]], (3, NOT_FOLLOWING)),
        ([BARE_LINE, *LINES[:2], BARE_LINE], (4, NO_HASH)),
        ([*LINES[:4], LINES[4][:-9] + b"\n"], (5, "it is no JSON object")),
    ],
)
def test_what_was_done_to_a_file_is_found_where_it_was_done(
    lines: list[bytes], expected: tuple[int, str]
) -> None:
    assert found(lines) == expected


def test_a_hash_that_fits_does_not_help_a_line_that_does_not_follow() -> None:
    forged = f"{canonical_json(link_event(make_event(9), '1' * 64))}\n".encode()
    assert found([*LINES[:2], forged]) == (3, NOT_FOLLOWING)


@pytest.mark.parametrize("left", [1, 2, 40, 300])
def test_a_last_line_that_is_cut_off_is_told_and_is_no_broken_chain(file: Path, left: int) -> None:
    file.write_bytes(b"".join(LINES[:3]) + LINES[3][:left])
    verdict = verify_chain([file])
    assert (verdict.broken, verdict.lines, verdict.cut) == (None, 3, left)


# ---------------------------------------------------------------- several files


@pytest.fixture
def files(file: Path) -> list[Path]:
    make_chain(file, 10, AuditRetention(max_bytes=1_500))
    assert len(find_rotated(file)) >= 3
    return [*find_rotated(file), file]


def test_files_beside_each_other_are_one_chain_and_so_are_files_given_in_any_order(
    files: list[Path],
) -> None:
    whole = verify_chain([files[-1]])
    assert (whole.broken, whole.lines) == (None, 10)
    assert (
        verify_chain(files[::-1])
        == verify_chain([files[1], files[0], files[0], *files[2:]])
        == whole
    )


def test_all_the_files_of_a_folder_can_be_given_at_once(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files[0].parent)
    names = sorted(each.name for each in files[0].parent.iterdir())  # the lock among them
    assert len(names) == len(files) + 1
    shown = assay("audit-log", "verify", *names)
    assert (shown.code, shown.out.partition(",")[0]) == (0, "10 lines")


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_file_that_is_missing_is_found(files: list[Path], missing: int) -> None:
    files[missing].unlink()
    broken = verify_chain([files[-1]]).broken
    assert broken is not None
    assert (broken.file, broken.line, broken.why) == (files[missing + 1], 1, LOST_FILE)


def test_a_file_that_is_there_twice_is_found(files: list[Path]) -> None:
    twice = files[1].with_name(files[1].name.replace("000002", "000009"))
    twice.write_bytes(files[1].read_bytes())
    broken = verify_chain([files[-1]]).broken
    assert broken is not None
    assert broken.why == LOST_FILE


def strip(file: Path) -> str:
    """Take the hashes out of its lines; the last of them."""
    told = [json.loads(line) for line in file.read_text().splitlines()]
    stripped = [
        {name: each[name] for name in each if name not in ("hash", "prev_hash")} for each in told
    ]
    file.write_text("".join(f"{canonical_json(each)}\n" for each in stripped))
    return str(told[-1]["hash"])


@pytest.mark.parametrize("which", [0, 1, -1])
def test_a_file_whose_lines_lost_their_hashes_is_found(files: list[Path], which: int) -> None:
    strip(files[which])
    assert verify_chain([files[-1]]).broken is not None


def test_a_hash_that_is_known_makes_no_lines_whole_that_have_none(files: list[Path]) -> None:
    broken = verify_chain([files[-1]], strip(files[0])).broken
    assert broken is not None
    assert (broken.file, broken.line, broken.why) == (files[0], 1, NO_HASH)


def test_a_rotated_file_that_is_cut_off_is_found(files: list[Path]) -> None:
    files[1].write_bytes(files[1].read_bytes() + b'{"durat')
    broken = verify_chain([files[-1]]).broken
    assert broken is not None
    assert (broken.file, broken.why) == (files[1], "it is cut short, where another file follows")


def test_what_another_process_is_adding_is_not_waited_for(file: Path) -> None:
    make_chain(file, 2)
    (file.with_name("calls.jsonl.lock")).unlink()  # a copy elsewhere has none
    assert verify_chain([file]).lines == 2
    assert not file.with_name("calls.jsonl.lock").exists()


# ---------------------------------------------------------------- a hash that was kept elsewhere


def test_with_a_hash_kept_elsewhere_lines_that_were_taken_from_the_end_are_found(
    file: Path,
) -> None:
    file.write_bytes(b"".join(LINES))
    last = verify_chain([file]).last
    assert verify_chain([file], last).since == 0
    make_chain(file, 3)
    assert verify_chain([file], last).since == 3
    file.write_bytes(b"".join(LINES[:4]))
    assert (verify_chain([file]).broken, verify_chain([file], last).since) == (None, None)


def test_a_beginning_that_is_kept_elsewhere_is_known_by_its_last_hash(files: list[Path]) -> None:
    last = json.loads(files[0].read_bytes().splitlines()[-1])["hash"]
    count = files[0].read_bytes().count(b"\n")
    assert verify_chain([files[-1]], last).since == 10 - count
    files[0].unlink()
    verdict = verify_chain([files[-1]], last)
    assert (verdict.broken, verdict.lines, verdict.shortened, verdict.since) == (
        None,
        10 - count,
        True,
        10 - count,
    )


# ---------------------------------------------------------------- the command


def test_the_command_says_in_a_line_how_many_there_are_and_the_last_hash(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(b"".join(LINES))
    last = json.loads(LINES[-1])["hash"]
    monkeypatch.setenv("AUDIT_LOG_PATH", str(file))
    for words in ((), (str(file),), (str(file), "--expect", last)):
        shown = assay("audit-log", "verify", *words)
        assert (shown.code, shown.out, shown.err) == (
            0,
            f"5 lines, chain whole, last hash {last}\n",
            "",
        )


def test_the_command_says_which_line_is_broken_and_why(file: Path) -> None:
    file.write_bytes(b"".join([*LINES[:2], *LINES[3:]]))
    shown = assay("audit-log", "verify", str(file))
    assert (shown.code, shown.out) == (
        1,
        f"{file}, line 3: it does not follow the line before it.\n",
    )


@pytest.mark.parametrize(
    ("body", "words", "code", "said"),
    [
        (
            b"".join(LINES),
            ("--expect", "1" * 64),
            1,
            "5 lines, none with the expected hash: lines were removed from the end, or",
        ),
        (
            b"".join(LINES),
            ("--expect", json.loads(LINES[1])["hash"]),
            0,
            "3 lines came after the expected hash.",
        ),
        (
            BARE_LINE + b"".join(LINES),
            (),
            0,
            "1 line from an older version, without a hash: not checked.",
        ),
        (b"".join(LINES) + b'{"dur', (), 0, "The last 5 bytes are an incomplete line"),
        (BARE_LINE, (), 1, "No line has a hash, so nothing can be checked."),
        (b"", (), 1, "No line has a hash"),
        (b"".join(LINES), ("--expect", "12"), 2, "--expect is not a hash."),
    ],
)
def test_the_command_tells_what_else_is_to_be_known(
    file: Path, body: bytes, words: tuple[str, ...], code: int, said: str
) -> None:
    file.write_bytes(body)
    shown = assay("audit-log", "verify", str(file), *words)
    assert shown.code == code
    assert said in shown.out + shown.err
    assert "Traceback" not in shown.err


def test_a_file_in_use_that_is_gone_is_told(files: list[Path]) -> None:
    files[-1].unlink()
    shown = assay("audit-log", "verify", str(files[-1]))
    assert shown.code == 0
    assert (
        shown.out.splitlines()[-1] == f"{files[-1]} does not exist; only files rotated from it do."
    )


@pytest.mark.parametrize("words", [(), ("/no/such/file.jsonl",)])
def test_without_a_file_it_says_what_to_name(words: tuple[str, ...]) -> None:
    shown = assay("audit-log", "verify", *words)
    assert shown.code == 2
    assert "AUDIT_LOG_PATH" in shown.err
