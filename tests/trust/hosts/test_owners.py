"""Whose a page is, by its address alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.trust.hosts import owners
from research_core.trust.hosts.kinds import CARRIER_KINDS, HOST_KINDS, USER_WRITTEN_KINDS

KEPT = "https://web.archive.org/web/20240102030405id_"


@pytest.mark.parametrize(
    ("address", "whose", "carries", "account"),
    [
        ("https://www.daily.example/1", "daily.example", False, ""),
        ("https://daily.example.org/1", "daily.example.org", False, ""),
        ("document:01", "", False, ""),
        ("no address", "", False, None),
        ("https://arxiv.org/abs/2401.00001", "arxiv.org", True, ""),
        ("https://papers.ssrn.com/sol3/1", "ssrn.com", True, ""),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC1", "nih.gov", True, ""),
        ("https://www.nih.gov/1", "nih.gov", False, ""),
        ("https://hdl.handle.net/1/2", "handle.net", True, ""),
        ("https://github.com/jane/tool", "github.com", True, "github.com/jane"),
        ("https://github.com/", "github.com", True, ""),
        ("https://jane.github.io/tool", "jane.github.io", False, ""),
        ("https://medium.com/@jane/1", "medium.com", True, "medium.com/@jane"),
        ("https://jane.medium.com/1", "medium.com", True, "jane.medium.com"),
        ("https://old.reddit.com/r/a/1", "reddit.com", True, ""),
        ("https://www.youtube.com/watch?v=1", "youtube.com", True, ""),
        ("https://en.wikipedia.org/wiki/A", "wikipedia.org", False, ""),
        (f"{KEPT}/https://www.daily.example/1", "daily.example", False, ""),
        (f"{KEPT}/https://github.com/jane/tool", "github.com", True, "github.com/jane"),
        (f"{KEPT}/https://[/1", "archive.org", True, ""),
        ("https://archive.org/details/1", "archive.org", True, ""),
        ("https://daily.example/share/https://other.example/1", "daily.example", False, ""),
    ],
)
def test_whose_a_page_is(address: str, whose: str, carries: bool, account: str | None) -> None:
    assert (owners.find_owner(address), owners.carries_others(address)) == (whose, carries)
    if account is not None:
        assert owners.find_account(address) == account


def test_the_kinds_that_carry_others_are_kinds() -> None:
    assert USER_WRITTEN_KINDS < CARRIER_KINDS < set(HOST_KINDS)


@given(
    st.text(max_size=60)
    | st.from_regex(r"https?://(github\.com|web\.archive\.org)/[ -~]{0,40}", fullmatch=True)
)
def test_no_address_is_too_odd(address: str) -> None:
    assert owners.find_owner(address) or not owners.carries_others(address)
