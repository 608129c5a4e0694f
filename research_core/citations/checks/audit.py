"""Check a whole bibliography: existence, retractions, dead links and unsupported claims.

Each entry is checked by what it has: a DOI at the registries, a case at CourtListener, words at the
indexes, a web address, a claim on the cited page. Adverse findings and failed checks are never
mixed. What to do with them is the reader's decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any

from research_core.citations.checks import cases, links, works
from research_core.citations.checks.checked import (
    CheckedWork,
    CitedWork,
    get_web_host,
    is_ok,
    list_readable_urls,
)
from research_core.citations.checks.claimed import find_claim_support
from research_core.citations.checks.links import RefuseCallback
from research_core.journal.deps import Deps

#: Called after each finished step with its name ("links", "works", "claims"), the number done and
#: the total.
ProgressCallback = Callable[[str, int, int], None]

#: Works that are looked up in parallel, besides the links.
MAX_PARALLEL_WORKS = 8
#: Seconds for a whole audit; entries still open then count as unchecked.
TIME_LIMIT_S = 300.0
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
        return super().submit(self._begun, do, *args, **named)

    def _begun(self, do: Callable[..., Any], *args: Any, **named: Any) -> Any:
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
    told: ProgressCallback = lambda _step, _done, _of: None,
    refuse: RefuseCallback = lambda _url: None,
) -> list[CheckedWork]:
    """Check each entry; return the results in the order of the entries.

    told: called after each step, from several threads. refuse: raises FetchError for an address
    that must not be read. After `TIME_LIMIT_S` seconds the remaining entries count as unchecked.
    Network errors are never raised.
    """
    with FailFastPool(
        MAX_PARALLEL_WORKS, thread_name_prefix="assay-audit"
    ) as pool:  # its own: registries are asked at their pace
        timed = replace(deps, http=deps.http.within(TIME_LIMIT_S), pool=pool)
        try:
            checked = _search_unregistered_dois(timed, _check_works(timed, entries, told, refuse))
            return _check_claims(timed, checked, told, refuse)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def count_flags(checked: Iterable[CheckedWork]) -> dict[str, int]:
    """Count the entries per flag, by the names on the wire.

    ok: entries without a flag whose title does not contradict their DOI.
    """
    listed = list(checked)
    counts = {
        name: sum(flag in each.flags for each in listed) for name, flag in COUNTED_FLAGS.items()
    }
    mismatched = sum(each.title == "mismatch" for each in listed)
    return {
        "total": len(listed),
        **counts,
        "titleMismatch": mismatched,
        "ok": sum(map(is_ok, listed)),
    }


def _check_works(
    deps: Deps, entries: Sequence[CitedWork], told: ProgressCallback, refuse: RefuseCallback
) -> list[CheckedWork]:
    """Check links and look up works, both in parallel."""
    named = list(dict.fromkeys(entry.doi.lower() for entry in entries if entry.doi))
    ruled = [n for n, entry in enumerate(entries) if not entry.doi and cases.is_case(entry.item)]
    worded = [
        n
        for n, entry in enumerate(entries)
        if not entry.doi and n not in ruled and entry.item.title
    ]
    step = _report_progress(told, "works", len(named) + len(worded) + bool(ruled))
    by_doi = deps.pool.map(step(lambda doi: works.look_up_doi(deps, doi)), named)
    by_words = deps.pool.map(
        step(lambda n: works.search_work(deps, entries[n].item, entries[n].text)), worded
    )
    by_court = deps.pool.map(
        step(lambda all_of: cases.look_up_cases(deps, [entries[n].item for n in all_of])),
        [ruled] if ruled else [],
    )
    addresses = list(
        dict.fromkeys(entry.item.address for entry in entries if get_web_host(entry.item.address))
    )
    linked = links.check_links(
        deps, addresses, _report_progress(told, "links", len(addresses))(lambda _link: None), refuse
    )
    known, matched = dict(zip(named, by_doi, strict=True)), dict(zip(worded, by_words, strict=True))
    rulings = dict(zip(ruled, next(by_court, []), strict=True))
    return [
        CheckedWork(
            entry,
            linked.get(entry.item.address),
            known.get(entry.doi.lower()),
            matched.get(n),
            rulings.get(n),
        )
        for n, entry in enumerate(entries)
    ]


def _search_unregistered_dois(deps: Deps, checked: Sequence[CheckedWork]) -> list[CheckedWork]:
    """For each DOI that no registry has, search a work of the same title."""
    lost = [
        n
        for n, each in enumerate(checked)
        if each.work and each.work.exists is False and each.entry.item.title
    ]
    found = dict(
        zip(
            lost,
            deps.pool.map(
                lambda n: works.search_work(deps, checked[n].entry.item, checked[n].entry.text),
                lost,
            ),
            strict=True,
        )
    )
    return [replace(each, match=found[n]) if n in found else each for n, each in enumerate(checked)]


def _check_claims(
    deps: Deps, checked: Sequence[CheckedWork], told: ProgressCallback, refuse: RefuseCallback
) -> list[CheckedWork]:
    claimed = [n for n, each in enumerate(checked) if each.entry.claim]
    step = _report_progress(told, "claims", len(claimed))
    held = deps.pool.map(
        step(
            lambda n: find_claim_support(
                deps, checked[n].entry.claim, list_readable_urls(checked[n]), refuse
            )
        ),
        claimed,
    )
    found = dict(zip(claimed, held, strict=True))
    return [replace(each, support=found.get(n)) for n, each in enumerate(checked)]


def _report_progress(
    told: ProgressCallback, step: str, of: int
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Return a decorator that reports each finished call of a function."""
    numbers = count(1)

    def counted(do: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def done(what: Any) -> Any:
            result = do(what)
            told(step, next(numbers), of)
            return result

        return done

    return counted
