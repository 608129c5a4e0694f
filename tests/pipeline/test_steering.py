"""What the analyst decides: the last word on a source counts, except where a replay would know it
earlier.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from research_core.pipeline.steering import Steering
from research_core.policy import RunSettings


def steered(settings: RunSettings, *decisions: tuple[str, str]) -> Steering:
    made = Steering(settings)
    made.set_aside.add("struck")
    for do, url in decisions:
        made.apply({"do": do, "url": url})
    return made


@pytest.mark.parametrize(
    ("decisions", "wanted"),
    [
        ((), {"before"}),
        ((("approve", "a"),), {"before", "a"}),
        ((("approve", "a"), ("strike", "a")), {"before"}),
        ((("strike", "before"),), set()),
        ((("restore", "struck"),), {"before", "struck"}),
        # A source that no list would have let pass is not read because it is restored.
        ((("restore", "blocked"),), {"before"}),
    ],
)
def test_what_is_read_whatever_the_lists_say(
    decisions: tuple[tuple[str, str], ...], wanted: set[str]
) -> None:
    settings = RunSettings(approved=("before", "both"), struck=("struck", "both"))
    assert steered(settings, *decisions).select_wanted() == wanted


def test_an_approval_that_was_taken_back_still_counts_for_redirects() -> None:
    made = steered(RunSettings(), ("approve", "a"), ("strike", "a"))
    assert (made.approved, made.ever_approved) == (set(), {"a"})


class Commands:
    """A log of commands with these numbers."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = [*numbers]

    def read(self, after: int, **_: Any) -> list[Any]:
        return [SimpleNamespace(seq=number) for number in self.numbers if number > after]


def test_each_command_is_read_once() -> None:
    log: Any = Commands(3, 5)
    made = Steering(RunSettings())
    assert [command.seq for command in made.iterate_new_commands(log)] == [3, 5]
    log.numbers.append(8)
    assert [command.seq for command in made.iterate_new_commands(log)] == [8]
    assert made.last_command == 8
