"""Check a whole bibliography: existence, retractions, dead links and unsupported claims.

Each entry is checked by what it has: a DOI at the registries, a case at CourtListener, words at the
indexes, a web address, a claim on the cited page. Adverse findings and failed checks are never
mixed. What to do with them is the reader's decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any

from research_core.citations.checks import cases, links, works
from research_core.citations.checks.checked_work import (
    CheckedWork,
    CitedWork,
    get_web_host,
    is_ok,
    list_readable_urls,
)
from research_core.citations.checks.claim_support import ClaimSupport, find_claim_support
from research_core.citations.checks.links import RefuseCallback
from research_core.journal.deps import Deps
from research_core.settings import TIMEOUTS_S

#: Called after each finished step with its name ("links", "works", "claims"), the number done and
#: the total.
ProgressCallback = Callable[[str, int, int], None]

#: Works that are looked up in parallel, besides the links.
MAX_PARALLEL_WORKS = 8
#: Seconds for one call, which leaves it time to answer within the limit of a tool; checks still
#: open then count as unchecked.
TIME_LIMIT_S = TIMEOUTS_S["tool"] - 10.0
#: Entries that are checked together before the time left is considered.
BATCH_SIZE = 8
#: The names of the counts on the wire, and the flag that each counts.
COUNTED_FLAGS = {
    "retracted": "retracted",
    "deadLink": "dead_link",
    "notFound": "not_found",
    "unchecked": "unchecked",
    "mischaracterized": "mischaracterized",
}


class FailFastPool(ThreadPoolExecutor):
    """A thread pool that starts no further task once one of its tasks has raised.

    Tasks that had not begun raise the same error.
    """

    _raised: BaseException | None = None

    def submit(self, do: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        return super().submit(self._do_unless_raised, do, *args, **named)

    def _do_unless_raised(self, do: Callable[..., Any], *args: Any, **named: Any) -> Any:
        if self._raised is not None:
            raise self._raised
        try:
            return do(*args, **named)
        except BaseException as error:
            self._raised = error
            raise


def audit(
    deps: Deps,
    entries: Sequence[CitedWork],
    on_step: ProgressCallback = lambda _step, _done, _of: None,
    refuse: RefuseCallback = lambda _url: None,
) -> list[CheckedWork]:
    """Check each entry; return the results in the order of the entries.

    on_step: called after each step, from several threads. refuse: raises FetchError for an address
    that must not be read. After `TIME_LIMIT_S` seconds the remaining checks fail, and their entries
    count as unchecked.
    Network errors are never raised.
    """
    # The pool is separate, because registries are asked at their own pace.
    with FailFastPool(MAX_PARALLEL_WORKS, thread_name_prefix="assay-audit") as pool:
        limited = replace(deps, http=deps.http.with_deadline(TIME_LIMIT_S), pool=pool)
        try:
            checked = _check_works(limited, entries, on_step, refuse)
            checked = _search_unregistered_dois(limited, checked)
            return _check_claims(limited, checked, on_step, refuse)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def audit_in_batches(
    deps: Deps,
    entries: Sequence[CitedWork],
    on_batch: Callable[[int, int], None] = lambda _done, _of: None,
    refuse: RefuseCallback = lambda _url: None,
) -> list[CheckedWork]:
    """Check the first entries, as many as `TIME_LIMIT_S` seconds allow; return them in order.

    The first `BATCH_SIZE` entries are always returned. A batch that might not end in time is not
    started, and a batch that ended late is left out: the next call checks it whole. on_batch:
    called with the number of checked entries and of all. Whether there was time is recorded, so
    that a replay agrees.
    """
    limited = replace(deps, http=deps.http.with_deadline(TIME_LIMIT_S))
    until = deps.clock.monotonic() + TIME_LIMIT_S
    longest_s = 0.0
    checked: list[CheckedWork] = []
    while len(checked) < len(entries):
        batch = entries[len(checked) : len(checked) + BATCH_SIZE]
        started = deps.clock.monotonic()
        results = audit(limited, batch, refuse=refuse)
        ended = deps.clock.monotonic()
        longest_s = max(longest_s, ended - started)
        outcome = "in time"
        if len(entries) > BATCH_SIZE:
            outcome = _record_outcome(deps, entries, len(checked), until - ended, longest_s)
        if outcome == "late" and checked:
            break
        checked += results
        on_batch(len(checked), len(entries))
        if outcome != "in time":
            break
    return checked


def _record_outcome(
    deps: Deps, entries: Sequence[CitedWork], begin: int, left_s: float, longest_s: float
) -> str:
    """Return whether a batch ended "in time", was the "last" one or "late", as recorded first.

    begin: the number of its first entry; left_s: seconds left; longest_s: of the longest batch.
    """
    names = [entry.doi or entry.item.address or entry.item.title for entry in entries]
    outcome = "in time" if left_s >= longest_s else "last"
    if left_s <= 0:
        outcome = "late"
    params = {"asked": "whether there was time for a batch", "first": begin, "entries": names}
    return str(deps.http.record_fact(params, lambda: outcome))


def count_flags(checked: Iterable[CheckedWork]) -> dict[str, int]:
    """Count the entries per flag, by the names on the wire.

    ok: entries without a flag whose title does not contradict their DOI.
    """
    listed = list(checked)
    flagged = Counter(flag for each in listed for flag in each.flags)
    counts = {"total": len(listed)}
    for name, flag in COUNTED_FLAGS.items():
        counts[name] = flagged[flag]
    counts["titleMismatch"] = sum(each.title == "mismatch" for each in listed)
    counts["ok"] = sum(map(is_ok, listed))
    return counts


def _check_works(
    deps: Deps, entries: Sequence[CitedWork], on_step: ProgressCallback, refuse: RefuseCallback
) -> list[CheckedWork]:
    """Check links and look up works, both in parallel."""
    dois = list(dict.fromkeys(entry.doi.lower() for entry in entries if entry.doi))
    case_numbers: list[int] = []
    searched: list[int] = []
    for number, entry in enumerate(entries):
        if entry.doi:
            continue
        if cases.is_case(entry.item):
            case_numbers.append(number)
        elif entry.item.title:
            searched.append(number)

    def look_up_doi(doi: str) -> works.Work:
        return works.look_up_doi(deps, doi)

    def search(number: int) -> works.Match:
        return works.search_work(deps, entries[number].item, entries[number].text)

    def look_up_cases(numbers: Sequence[int]) -> list[cases.Ruling]:
        return cases.look_up_cases(deps, [entries[number].item for number in numbers])

    step = _report_progress(on_step, "works", len(dois) + len(searched) + bool(case_numbers))
    by_doi = deps.pool.map(step(look_up_doi), dois)
    by_words = deps.pool.map(step(search), searched)
    # All cases are one request, so they are one step.
    by_court = deps.pool.map(step(look_up_cases), [case_numbers] if case_numbers else [])
    linked = _check_all_links(deps, entries, on_step, refuse)
    known = dict(zip(dois, by_doi, strict=True))
    matched = dict(zip(searched, by_words, strict=True))
    rulings = dict(zip(case_numbers, next(by_court, []), strict=True))
    return [
        CheckedWork(
            entry,
            linked.get(entry.item.address),
            known.get(entry.doi.lower()),
            matched.get(number),
            rulings.get(number),
        )
        for number, entry in enumerate(entries)
    ]


def _check_all_links(
    deps: Deps, entries: Sequence[CitedWork], on_step: ProgressCallback, refuse: RefuseCallback
) -> dict[str, links.Link]:
    addresses = [entry.item.address for entry in entries]
    on_web = list(dict.fromkeys(address for address in addresses if get_web_host(address)))
    step = _report_progress(on_step, "links", len(on_web))
    return links.check_links(deps, on_web, step(lambda _link: None), refuse)


def _search_unregistered_dois(deps: Deps, checked: Sequence[CheckedWork]) -> list[CheckedWork]:
    """For each DOI that no registry has, search a work of the same title."""
    lost = [number for number, each in enumerate(checked) if _has_unregistered_doi(each)]

    def search(number: int) -> works.Match:
        entry = checked[number].entry
        return works.search_work(deps, entry.item, entry.text)

    results = list(checked)
    for number, match in zip(lost, deps.pool.map(search, lost), strict=True):
        results[number] = replace(checked[number], match=match)
    return results


def _has_unregistered_doi(checked: CheckedWork) -> bool:
    work = checked.work
    return work is not None and work.exists is False and bool(checked.entry.item.title)


def _check_claims(
    deps: Deps, checked: Sequence[CheckedWork], on_step: ProgressCallback, refuse: RefuseCallback
) -> list[CheckedWork]:
    """Read the cited page of each entry with a claim."""
    claimed = [number for number, each in enumerate(checked) if each.entry.claim]
    step = _report_progress(on_step, "claims", len(claimed))

    def check(number: int) -> ClaimSupport:
        each = checked[number]
        return find_claim_support(deps, each.entry.claim, list_readable_urls(each), refuse)

    supports = dict(zip(claimed, deps.pool.map(step(check), claimed), strict=True))
    return [replace(each, support=supports.get(number)) for number, each in enumerate(checked)]


def _report_progress(
    on_step: ProgressCallback, step: str, of: int
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Return a decorator that reports each finished call of a function."""
    numbers = count(1)

    def report_each(do: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def do_and_report(what: Any) -> Any:
            result = do(what)
            on_step(step, next(numbers), of)
            return result

        return do_and_report

    return report_each
