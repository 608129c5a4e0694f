"""One test for each bullet of a tool's specification.

Each is named `tool::bullet`, so that a run can say how many hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Check = Callable[[], None]


class Bullets:
    """The checks of one tool.

    Decorate each with the bullet it holds, then parametrise one test over `params` at the file's
    end.
    """

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.checks: dict[str, Check] = {}

    def __call__(self, bullet: str) -> Callable[[Check], Check]:
        if bullet in self.checks:
            raise ValueError(f"{self.tool} has two checks of {bullet!r}")

        def keep(check: Check) -> Check:
            self.checks[bullet] = check
            return check

        return keep

    @property
    def params(self) -> list[Any]:
        return [
            pytest.param(check, id=f"{self.tool}::{bullet}")
            for bullet, check in self.checks.items()
        ]


def find_held_tool(nodeid: str) -> str:
    """Return the tool that a test is about, "" for a test of no bullet.

    It is "scrape_page" for "…::test_bullet[scrape_page::url is required]".
    """
    return nodeid.partition("::test_bullet[")[2].partition("::")[0]
