"""Measure whether the tests notice faults.

    python benchmarks/mutations.py [WORD ...]

Needs the extra `dev` and no data. Each row of TABLE puts one fault into a copy of the checkout and
runs the tests that must fail then. Words choose the rows whose subject has one of them. Prints each
row with its seconds and the first failure. Exits with 1 if a fault is not caught, with 2 if a row
does not fit the checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.inputs import ROOT, make_parser

#: In place of a test: the layers of pyproject.toml, which import-linter checks.
LAYERS = "lint-imports"


@dataclass(frozen=True)
class Mutation:
    """A fault, and the tests that must fail with it.

    find: a text that is in the product exactly once. replace: what takes its place. Rows name
    neither modules nor folders of tests, so that both may move. A test has its file before it if
    two tests have its name.
    """

    subject: str
    find: str
    replace: str
    tests: tuple[str, ...]


TABLE = (
    Mutation(
        "doorway: a cap stops the call that would pass it",
        "if round(used, 6) >= round(limit - kept_back, 6):",
        "if round(used, 6) > round(limit - kept_back, 6):",
        ("test_a_cap_leaves_the_writer_its_reserve",),
    ),
    Mutation(
        "doorway: a call that was voided is made again, whatever the cache holds",
        "is_retry=self.log.is_voided(key)",
        "is_retry=False",
        ("test_a_call_that_the_analyst_has_tried_again_goes_out_whatever_failed_lately",),
    ),
    Mutation(
        "cache: what one tenant read answers no other",
        "cache.c.tenant == self._who.tenant, cache.c.key == key, cache.c.shape == self._shape",
        "cache.c.key == key, cache.c.shape == self._shape",
        ("test_a_tenant_s_users_share_what_was_read_and_nobody_else_sees_it",),
    ),
    Mutation(
        "log: a worker that lost its session writes no more",
        'conditions.append(session.c.epoch == sa.bindparam("my_epoch"))',
        'conditions.append(session.c.epoch <= sa.bindparam("my_epoch") + 9)',
        ("test_an_attempt_fences_the_one_before_it",),
    ),
    Mutation(
        "log: numbers of events are given once",
        'next=session.c.next + sa.bindparam("count"), updated',
        'next=sa.bindparam("count"), updated',
        ("test_numbers_start_at_one_and_go_on",),
    ),
    Mutation(
        "gate: a score at the cutoff is kept",
        "judgement.score >= mode.relevance_cutoff",
        "judgement.score > mode.relevance_cutoff",
        ("test_a_source_is_kept_at_or_above_the_cutoff_and_one_nobody_could_score_always",),
    ),
    Mutation(
        "credibility: what a tier is worth",
        'Tier("organisation", 0.7, suffixes=("org",), open=True)',
        'Tier("organisation", 0.72, suffixes=("org",), open=True)',
        ("test_the_table_of_decisions",),
    ),
    Mutation(
        "credibility: a score at the minimum is blocked",
        "return round(score, 6) <= round(self.minimum, 6)",
        "return round(score, 6) < round(self.minimum, 6)",
        ("test_blocked_is_at_or_below_the_threshold_at_six_places",),
    ),
    Mutation(
        "fetch: no address of a private network is read",
        "169.254.0.0/16 172.16.0.0/12 192.0.0.0/24",
        "169.254.0.0/16 192.0.0.0/24",
        ("test_not_public",),
    ),
    Mutation(
        "fetch: each hop of a redirect is judged anew",
        "self._check_target(target.origin, exchange)",
        "hops or self._check_target(target.origin, exchange)",
        (
            "test_every_hop_of_a_redirect_must_be_allowed",
            "test_a_page_may_not_redirect_to_a_service",
        ),
    ),
    Mutation(
        "hidden text: the attribute hidden",
        'if element.get("hidden") is not None or element.get("popover") is not None:',
        'if element.get("popover") is not None:',
        ("test_hidden_text_goes",),
    ),
    Mutation(
        "redirects: a page of a site below the threshold is not used",
        "return bool(source.redirected_to) and not is_eligible(replace(source, approved=False), settings)",
        "return False",
        ("test_what_led_to_where_it_is_blocked_costs_no_judging",),
    ),
    Mutation(
        "admission: queries take their places in the order of the plan",
        "    for order in sorted(lists):\n        free = ",
        "    for order in lists:\n        free = ",
        ("test_every_timing_reads_the_same_pages",),
    ),
    Mutation(
        "budget: queries for gaps take only places that are free",
        "free = mode.max_sources - taken",
        "free = mode.max_sources - taken + 1",
        ("test_gaps_get_no_more_than_the_places_still_free",),
    ),
    Mutation(
        "replay: an event derived otherwise is named",
        "elif stored and stored.data != derived.data:",
        "elif stored and stored.kind != derived.kind:",
        ("test_a_replay_writes_nothing_lists_what_differs_and_keeps_the_rest_in_memory",),
    ),
    Mutation(
        "resume: what the analyst decided outlives a retry",
        "if event.seq > voided or survives_void(event)]",
        "if event.seq > voided or event.kind in CALL_KINDS]",
        ("test_a_void_leaves_what_the_outside_and_the_analyst_said_and_what_was_chosen",),
    ),
    Mutation(
        "resume: the writer alone is asked again for a text of no use",
        "is_unwritten and call.seq > gate and call.data",
        "is_unwritten and call.data",
        ("test_a_resume_asks_the_writer_again_and_who_checks_it_and_nobody_else",),
    ),
    Mutation(
        "support: a figure stands in the passage with its unit",
        'met = not match["scale"] and number in loose',
        'met = not match["scale"]',
        ("test_a_sentence_of_the_page_is_supported_and_with_another_figure_it_is_not",),
    ),
    Mutation(
        "support: a quotation stands in the passage word for word",
        "if any(len(tokenize(quote)) > 1 for quote in quotes):",
        "if any(len(tokenize(quote)) > 9 for quote in quotes):",
        ("test_states_and_notes",),
    ),
    Mutation(
        "support: a negation on one side only",
        "differs = nearest.denies != text_denies(bare, tokens)",
        "differs = False",
        ("test_states_and_notes",),
    ),
    Mutation(
        "citations: sources are numbered from 1",
        "for number, url in enumerate(kept, 1):",
        "for number, url in enumerate(kept):",
        (
            "test_sources_are_numbered_by_relevance_then_credibility_then_address_and_own_documents_come_last",
            "test_a_verdict_has_a_number_only_where_it_is_kept",
        ),
    ),
    Mutation(
        "exports: no cell of a table is a formula",
        'return f"\'{words}" if words.startswith(_FORMULA_SIGNS) else words',
        "return words",
        ("test_formula_gets_a_quote",),
    ),
    Mutation(
        "exports: the question is text in HTML",
        "title = escape(document.format_title(built))",
        "title = document.format_title(built)",
        ("test_export.py::test_hostile_words_stay_words",),
    ),
    Mutation(
        "MCP: a call that failed is an error",
        "return types.CallToolResult(content=[content], is_error=True, _meta=meta)",
        "return types.CallToolResult(content=[content], is_error=False, _meta=meta)",
        ("test_wrong_arguments_are_an_error_like_any_and_an_unknown_tool_is_the_protocol_s",),
    ),
    Mutation(
        "tools: an unknown parameter is refused",
        '"Arguments", __config__=ConfigDict(extra="forbid", title=None, strict=True)',
        '"Arguments", __config__=ConfigDict(extra="ignore", title=None, strict=True)',
        ("test_a_mistake_is_said_with_what_was_given_and_what_is_taken",),
    ),
    Mutation(
        "sandbox: a reader of documents has so much memory",
        "(resource.RLIMIT_DATA, memory)",
        "(resource.RLIMIT_DATA, resource.RLIM_INFINITY)",
        ("test_past_its_memory_a_child_dies_alone_and_the_next_job_has_another",),
    ),
    Mutation(
        "encryption: a sealed body opens in its own place only",
        'return "".join(f"{len(part)}:{part}" for part in place)',
        'return "".join(f"{len(part)}:{part}" for part in place[:1])',
        ("test_a_body_opens_in_its_own_place_alone",),
    ),
    Mutation(
        "tenants: a session belongs to one user of one tenant",
        "return sa.and_(session.c.tenant == who.tenant, session.c.user == who.user)",
        "return sa.and_(session.c.tenant == who.tenant, sa.true())",
        ("test_nobody_sees_or_touches_the_session_of_another",),
    ),
    Mutation(
        "screens: text from outside is no markup",
        'return html.escape(truncate(" ".join(strip_invisible(text).split()), limit))',
        'return truncate(" ".join(strip_invisible(text).split()), limit)',
        ("test_what_is_typed_stands_as_code_and_nothing_else_is_markup",),
    ),
    Mutation(
        "rules: a prompt changes with its version only",
        "3 = Partially relevant, touches on the topic but missing key specifics",
        "3 = Partially relevant, touches on the topic but is missing key specifics",
        ("test_a_rule_does_not_change_without_its_version",),
    ),
    Mutation(
        "house: imports follow the layers",
        'MODES = ("quick", "standard", "deep", EXHAUSTIVE)',
        'MODES = ("quick", "standard", "deep", EXHAUSTIVE)\n'
        "import research_core.sessions.runner  # noqa: E402",
        (LAYERS,),
    ),
    Mutation(
        "house: only the settings read the environment",
        "KEPT_DELETED_S = 30 * 86_400.0",
        'KEPT_DELETED_S = float(os.environ.get("ASSAY_KEPT_DAYS", "30")) * 86_400.0',
        ("test_only_settings_reads_the_environment",),
    ),
    Mutation(
        "house: nothing catches everything and goes on",
        "except StoreError as error:\n            self._note_cache_trouble(error)",
        "except Exception as error:\n            self._note_cache_trouble(error)",
        ("test_nothing_catches_everything_and_goes_on",),
    ),
)


class Misfit(Exception):
    """The text or a test of a row is not in the checkout exactly once."""


def find_file(row: Mutation, root: Path) -> Path:
    """Return the one file of the product that holds the row's text. Raises Misfit."""
    places = []
    for folder in ("research_core", "pages"):
        for path in (root / folder).rglob("*.py"):
            places += [path] * path.read_text(encoding="utf-8").count(row.find)
    if len(places) != 1:
        found = ", ".join(str(path.relative_to(root)) for path in places) or "nowhere"
        raise Misfit(f"{row.subject}: {row.find!r} must stand once in the product, found {found}")
    return places[0]


def make_command(tests: Sequence[str], root: Path) -> list[str]:
    """Return the command that runs these tests in the copy. Raises Misfit."""
    if LAYERS in tests:
        return [str(Path(sys.executable).with_name(LAYERS)), "--no-cache"]
    files = {path: path.read_text(encoding="utf-8") for path in (root / "tests").rglob("test_*.py")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header"]
    for test in tests:
        file, _, name = test.rpartition("::")
        found = []
        for path, text in files.items():
            if f"def {name}(" in text and file in ("", path.name):
                found.append(path)
        if len(found) != 1:
            raise Misfit(f"{test}: there must be one test of that name, not {len(found)}")
        command.append(f"{found[0].relative_to(root)}::{name}")
    return command


def run_tests(tests: Sequence[str], root: Path) -> tuple[bool, str]:
    """Return whether they pass, and the last failure or line they print."""
    done = subprocess.run(
        make_command(tests, root), cwd=root, capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, (failures or lines or [done.stderr])[-1]


def run_with_fault(row: Mutation, root: Path, number: int) -> tuple[bool, str]:
    """Return whether the tests fail while the fault is in the copy, and the failure."""
    path = find_file(row, root)
    sound, stamp = path.read_text(encoding="utf-8"), path.stat().st_mtime
    try:
        write(path, sound.replace(row.find, row.replace), stamp + 2 * number)
        passed, last_line = run_tests(row.tests, root)
    finally:
        write(path, sound, stamp + 2 * number + 1)
    return not passed, last_line


def write(path: Path, text: str, stamp: float) -> None:
    """Write the file with a time of its own.

    Python recognises stale compiled code by whole seconds and length, which a fault may not change.
    """
    path.write_text(text, encoding="utf-8")
    os.utime(path, (stamp, stamp))


def check_without_faults(rows: Sequence[Mutation], root: Path) -> str:
    """Run the tests of all rows in the sound copy; return the first failure, or ""."""
    tests = {test for row in rows for test in row.tests}
    for group in (tests - {LAYERS}, tests & {LAYERS}):
        if group:
            passed, last_line = run_tests(sorted(group), root)
            if not passed:
                return last_line
    return ""


def count_survivors(rows: Sequence[Mutation], root: Path) -> int:
    """Put each fault into the copy, print what came of it, and count those not caught."""
    survivors = 0
    for number, row in enumerate(rows, 1):
        began = time.perf_counter()
        caught, last_line = run_with_fault(row, root, number)
        seconds = time.perf_counter() - began
        survivors += not caught
        verdict = "caught" if caught else "NOT CAUGHT"
        print(f"{verdict:10}  {seconds:5.1f} s  {row.subject}", flush=True)
        print(f"            {last_line[:160]}", flush=True)
    return survivors


def copy_checkout(folder: Path) -> Path:
    """Copy the checkout without what is generated; return the copy's root."""
    root = folder / "checkout"
    left_out = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, root, ignore=left_out)
    return root


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="part of a row's subject")
    words = parser.parse_args().words
    rows = [row for row in TABLE if not words or any(word in row.subject for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        root = copy_checkout(Path(folder))
        try:
            for row in rows:
                find_file(row, root)
            failure = check_without_faults(rows, root)
            if failure:
                print(f"These must pass without a fault first: {failure}")
                return 2
            survivors = count_survivors(rows, root)
        except Misfit as error:
            print(error)
            return 2
    print(f"{len(rows) - survivors} of {len(rows)} faults caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
