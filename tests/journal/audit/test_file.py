"""The audit's file across threads, processes, kills, full disks, rotation and retention: nothing
whole is lost, and it verifies.
"""

from __future__ import annotations

import hashlib
import json
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import ResearchError
from research_core.journal.audit import file as audit_file
from research_core.journal.audit.chain import ANCHOR, FILES_REMOVED, LINE_CUT, is_cut
from research_core.journal.audit.file import AuditRetention, append, find_rotated, lock_file
from research_core.journal.audit.verify import verify_chain
from research_core.journal.events import canonical_json
from tests.chains import kill_while_writing, make_chain, make_event, write_chain, write_endlessly
from tests.everyday import mark_first_everyday
from tests.served_world import start_process
from tests.timing import LONG_S, wait_until

#: A limit that a few lines reach.
SMALL = AuditRetention(max_bytes=2_000)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def lines(*files: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for each in files for line in each.read_text(encoding="utf-8").splitlines()
    ]


def all_lines(file: Path) -> list[dict[str, Any]]:
    return lines(*find_rotated(file), *([file] if file.exists() else []))


def holds(file: Path, count: int) -> None:
    verdict = verify_chain([file])
    assert (verdict.broken, verdict.lines, verdict.cut) == (None, count, 0)


def test_a_hash_is_of_the_one_before_and_of_the_line_without_its_own(file: Path) -> None:
    first, second = lines(make_chain(file, 2))
    assert (first["prev_hash"], second["prev_hash"]) == (ANCHOR, first["hash"])
    for each in (first, second):
        spelled = json.dumps(
            {**each, "hash": ""}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        assert each["hash"] == hashlib.sha256(f"{each['prev_hash']}{spelled}".encode()).hexdigest()
    assert file.read_text() == f"{canonical_json(first)}\n{canonical_json(second)}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_chain_goes_on_after_a_restart_and_from_a_line_that_is_longer_than_a_block(
    file: Path,
) -> None:
    append(make_chain(file, 1), make_event(1, query="ü" * 3 * audit_file.BLOCK_BYTES), pytest.fail)
    make_chain(file, 1, start=2)
    assert [each["request_id"] for each in lines(file)] == ["r0", "r1", "r2"]
    holds(file, 3)


def test_half_a_character_is_written_as_a_question_mark(file: Path) -> None:
    append(file, make_event(0, query="tea \ud83d"), pytest.fail)
    assert lines(file)[0]["metadata"]["query"] == "tea ?"
    holds(file, 1)


def test_a_link_to_a_file_is_as_the_file(tmp_path: Path, file: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (link := tmp_path / "elsewhere" / "link.jsonl").symlink_to(file)
    for n in range(12):
        make_chain((file, link)[n % 2], 1, SMALL, start=n)
    assert link.is_symlink()
    assert len(find_rotated(file)) >= 2
    holds(link, 12)


# ---------------------------------------------------------------- many at once


def test_many_threads_append_to_one_chain(file: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: make_chain(file, 25, start=25 * n), range(8)))
    assert sorted(each["metadata"]["query_length"] for each in lines(file)) == list(range(200))
    holds(file, 200)


@pytest.mark.parametrize(
    "max_bytes",
    mark_first_everyday([40_000, AuditRetention().max_bytes]),
    ids=["rotated", "one file"],
)
def test_four_processes_append_to_one_chain(file: Path, max_bytes: int) -> None:
    writers = [start_process(write_chain, file, name, 250, max_bytes) for name in "abcd"]
    for each in writers:
        each.join(LONG_S)
    assert [each.exitcode for each in writers] == [0, 0, 0, 0]
    requests = [each["request_id"] for each in all_lines(file)]
    assert sorted(requests) == sorted(f"{name}{n}" for name in "abcd" for n in range(250))
    for name in "abcd":  # each one's own in the order in which it wrote them
        assert [each for each in requests if each[0] == name] == [f"{name}{n}" for n in range(250)]
    assert (max_bytes == 40_000) == (len(find_rotated(file)) > 5)
    assert all(each.stat().st_size <= max_bytes for each in (*find_rotated(file), file))
    holds(file, 1000)


def test_a_lock_that_is_not_given_back_is_not_waited_for_for_ever(file: Path) -> None:
    with (
        lock_file(file),
        pytest.raises(OSError, match="another process holds its lock"),
        lock_file(file, tries=2),
    ):
        pass
    make_chain(file, 1)
    holds(file, 1)


# ---------------------------------------------------------------- a line cut short


@pytest.mark.parametrize(
    "part",
    [
        b"{",
        b'{"',
        b'{"duration_ms":12,"event_ty',
        '{"duration_ms":12,"metadata":{"query":"tea ü'.encode()[:-1],
    ],
)
def test_what_a_writer_left_that_was_killed_within_a_line_is_told_in_a_line_of_its_own(
    file: Path, part: bytes
) -> None:
    make_chain(file, 2)
    killed = start_process(kill_while_writing, file, part)
    killed.join(LONG_S)
    assert killed.exitcode == -signal.SIGKILL
    verdict = verify_chain([file])
    assert (verdict.broken, verdict.lines, verdict.cut) == (None, 2, len(part))
    make_chain(file, 2, start=2)  # the lock went with the process
    written = lines(file)
    assert [each["request_id"] for each in written] == ["r0", "r1", "", "r2", "r3"]
    assert written[2]["event_type"] == LINE_CUT
    assert written[2]["metadata"] == {
        "bytes": len(part),
        "text": part.decode("utf-8", "backslashreplace"),
    }
    assert (verify_chain([file]).mended, verify_chain([file]).cut) == (1, 0)
    holds(file, 5)


def test_a_whole_line_that_only_lacks_its_line_feed_is_kept(file: Path) -> None:
    make_chain(file, 2)
    file.write_bytes(file.read_bytes()[:-1])
    holds(file, 2)
    make_chain(file, 1, start=2)
    assert [each["request_id"] for each in lines(file)] == ["r0", "r1", "r2"]
    holds(file, 3)


def test_what_no_killed_writer_leaves_is_not_taken_out(file: Path) -> None:
    make_chain(file, 2)
    with file.open("ab") as more:
        more.write(b"\0\0 something else")
    make_chain(file, 1, start=2)
    assert b"\n\0\0 something else\n" in file.read_bytes()
    broken = verify_chain([file]).broken
    assert broken is not None
    assert broken.line == 3


@pytest.mark.parametrize(
    "max_bytes",
    mark_first_everyday([3_000, AuditRetention().max_bytes]),
    ids=["rotated", "one file"],
)
def test_killed_at_any_moment_it_is_whole_after_the_next_line(file: Path, max_bytes: int) -> None:
    for n in range(2):
        before = verify_chain([file]).lines if file.exists() else 0
        running = start_process(write_endlessly, file, max_bytes)
        wait_until(
            lambda before=before: (
                (file.exists() or find_rotated(file)) and verify_chain([file]).lines > before + 20
            )
        )
        running.kill()
        running.join(LONG_S)
        assert verify_chain([file]).broken is None
        make_chain(file, 1, AuditRetention(max_bytes), start=n)
        verdict = verify_chain([file])
        assert (verdict.broken, verdict.cut) == (None, 0)
        assert verdict.lines > before + 20


@pytest.mark.parametrize(
    ("tail", "cut"),
    [
        (b"{", True),
        (b'{"a":1,"b', True),
        (b'{"a":{"b":"c"}', True),
        (b'{"a":1}', False),
        (b'{"a":1}J', False),
        (b'{"a":1}\xff', False),
        (b"\0\0\0", False),
        (b"tea", False),
    ],
)
def test_a_line_cut_short_is_told_from_anything_else(tail: bytes, cut: bool) -> None:
    assert is_cut(tail) == cut


# ---------------------------------------------------------------- what cannot be written


def refused(file: Path, keep: AuditRetention = AuditRetention()) -> list[str]:
    told = list[ResearchError]()
    append(file, make_event(9), told.append, keep)
    assert all("AUDIT_LOG_PATH" in each.next_step for each in told)
    return [each.message for each in told]


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("")
    file = tmp_path / "here" / "calls.jsonl"
    assert refused(file) == [f"The audit file {file} could not be written: File exists."]


def test_where_the_disk_is_full_a_line_is_written_whole_or_not_at_all(file: Path) -> None:
    make_chain(file, 2)
    size = file.stat().st_size
    full = start_process(fill, file, size + 100)
    full.join(LONG_S)
    assert full.exitcode == 0
    assert file.stat().st_size == size
    make_chain(file, 1, start=2)
    holds(file, 3)


def fill(file: Path, limit: int) -> None:
    """What a process of its own does whose files may not grow beyond this: one line of which a part
    finds room.
    """
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    (told,) = refused(file)
    assert told.endswith("could not be written: No space left on device.")


def test_where_a_file_cannot_be_renamed_that_is_told_and_it_grows(
    tmp_path: Path, file: Path
) -> None:
    make_chain(file, 3)
    (tmp_path / "calls.000001.20250615T150640Z.jsonl").mkdir()  # the name it would get
    assert refused(file, AuditRetention(max_bytes=1)) == [
        f"The audit file {file} could not be rotated: Is a directory."
    ]
    assert [each["request_id"] for each in lines(file)] == ["r0", "r1", "r2", "r9"]
    holds(file, 4)


# ---------------------------------------------------------------- rotation and retention


def test_a_file_that_would_grow_too_large_is_renamed_with_the_time_and_the_next_one_goes_on_from_it(
    file: Path,
) -> None:
    make_chain(file, 10, SMALL)
    old = find_rotated(file)
    assert [each.name for each in old] == [
        f"calls.{n:06}.20250615T150640Z.jsonl" for n in range(1, len(old) + 1)
    ]
    assert len(old) >= 2
    firsts, lasts = [lines(each)[0] for each in (*old[1:], file)], [lines(each)[-1] for each in old]
    assert [each["prev_hash"] for each in firsts] == [each["hash"] for each in lasts]
    assert [each["request_id"] for each in all_lines(file)] == [f"r{n}" for n in range(10)]
    holds(file, 10)


def test_a_line_that_is_too_large_by_itself_is_written_all_the_same(file: Path) -> None:
    make_chain(file, 3, AuditRetention(max_bytes=1))
    assert len(find_rotated(file)) == 2
    holds(file, 3)


def test_a_line_cut_short_is_told_before_the_file_is_renamed(file: Path) -> None:
    make_chain(file, 2)
    with file.open("ab") as more:
        more.write(b'{"durat')
    make_chain(file, 2, AuditRetention(max_bytes=1), start=2)
    assert [each["event_type"] for each in lines(*find_rotated(file))] == [
        "tool_call",
        "tool_call",
        LINE_CUT,
        "tool_call",
    ]
    assert [each["request_id"] for each in lines(file)] == ["r3"]
    holds(file, 5)


def test_a_process_that_was_killed_between_two_files_loses_nothing(file: Path) -> None:
    make_chain(file, 3)
    file.rename(file.with_name("calls.000001.20250615T150640Z.jsonl"))
    make_chain(file, 1, start=3)
    holds(file, 4)


def test_renamed_files_are_removed_when_they_are_old_and_that_is_told_in_the_chain(
    file: Path,
) -> None:
    keep = AuditRetention(max_bytes=1, days=180)
    for day in (0, 1, 100, 181):
        make_chain(file, 1, keep, start=day, day=day)  # each renames the one before, at its own day
    assert [each["request_id"] for each in all_lines(file)] == [
        "r0",
        "r1",
        "r100",
        "r181",
    ]  # renamed on day 1, 100, 181
    last = all_lines(file)[0]["hash"]
    make_chain(file, 1, keep, start=182, day=182)
    written = all_lines(file)
    assert [each["request_id"] for each in written] == ["r1", "r100", "r181", "", "r182"]
    assert (written[3]["event_type"], written[3]["metadata"]) == (
        FILES_REMOVED,
        {"files": 1, "last_hash": last},
    )
    verdict = verify_chain([file])
    assert (verdict.broken, verdict.lines, verdict.shortened) == (None, 5, True)


def test_until_the_next_file_is_begun_nothing_is_removed(file: Path) -> None:
    for day in (0, 1):
        make_chain(file, 1, AuditRetention(max_bytes=1), day=day)
    make_chain(file, 1, day=400)
    assert len(find_rotated(file)) == 1
    holds(file, 3)


def test_without_a_number_of_days_nothing_is_removed(file: Path) -> None:
    for day in (0, 1, 9_000):
        make_chain(file, 1, AuditRetention(max_bytes=1, days=0), day=day)
    assert len(find_rotated(file)) == 2
    assert not verify_chain([file]).shortened


def test_a_process_that_was_killed_before_it_removed_what_it_told_leaves_a_whole_chain(
    file: Path,
) -> None:
    keep = AuditRetention(max_bytes=1, days=180)
    for day in (0, 1):
        make_chain(file, 1, keep, day=day)
    kept = find_rotated(file)[0].read_bytes()
    make_chain(file, 1, keep, day=400)
    (file.with_name("calls.000001.20250616T150640Z.jsonl")).write_bytes(kept)
    verdict = verify_chain([file])
    assert (verdict.broken, verdict.shortened) == (None, False)


# ---------------------------------------------------------------- lines of an older Assay


def test_the_chain_begins_after_the_lines_of_an_older_assay(file: Path) -> None:
    bare = json.dumps(
        {"timestamp": "2025-06-15T15:06:40.250Z", "event_type": "tool_call", "metadata": {}}
    )
    file.write_text(f"{bare}\n{bare}\n")
    make_chain(file, 2)
    assert [each.get("prev_hash") for each in lines(file)][:3] == [None, None, ANCHOR]
    verdict = verify_chain([file])
    assert (verdict.broken, verdict.lines, verdict.bare) == (None, 2, 2)
