"""The threads of an audit: after a cancel nothing that waits is begun."""

from __future__ import annotations

from concurrent.futures import wait

import pytest

from research_core.citations.checks import audit
from research_core.citations.checks.checked_work import CitedWork
from research_core.citations.formats.item import Item
from research_core.errors import Stopped
from tests.citations.checks.test_claim_support import read


def test_where_one_task_was_stopped_none_that_waits_is_begun() -> None:
    begun: list[int] = []

    def stop() -> None:
        raise Stopped("cancel")

    with audit.FailFastPool(1) as pool:
        waiting = [pool.submit(stop), *(pool.submit(begun.append, n) for n in range(3))]
        wait(waiting)
    assert begun == []
    assert [str(each.exception()) for each in waiting] == ["cancel"] * 4


def test_after_a_cancel_no_look_up_that_waits_is_begun() -> None:
    deps, _ = read({})
    told: list[int] = []

    def cancelled(_step: str, done: int, _of: int) -> None:
        told.append(done)
        raise Stopped("cancel")

    with pytest.raises(Stopped):
        audit.audit(
            deps,
            [CitedWork(Item(type="article", doi=f"10.1000/{n}")) for n in range(60)],
            cancelled,
        )
    assert 0 < len(told) <= audit.MAX_PARALLEL_WORKS
