"""The command line's `ratings`: what it says was read, what a word does, and what decides for a
host.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terminal import assay

pytestmark = pytest.mark.usefixtures("assay_home")


def listed(tmp_path: Path, text: str) -> str:
    file = tmp_path / "list.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_the_scale_that_was_taken_is_told_and_can_be_given(tmp_path: Path) -> None:
    file = listed(tmp_path, "domain,grade\na.example,1\nb.example,5\nc.example/x,5\n")
    said = assay("ratings", "add", file)
    assert said.out == "list: 2 hosts, rated from 0 to 5 (columns domain and grade).\n"
    assert said.err.startswith(
        "1 row was left out: row 3: 'c.example/x' is a page, not a host\nThat its scale is 0 to 5 was taken"
    )
    again = assay("ratings", "add", file, "--scale", "1-5")
    assert "rated from 1 to 5" in again.out
    assert "was taken" not in again.err
    assert "0.00  rated by experts: list 0.00" in assay("ratings", "of", "a.example").out
    assert assay("ratings", "add", file, "--scale", "5").code == 2
    one = assay("ratings", "add", listed(tmp_path, "domain,grade\na.example,1\n"))
    assert one.out.startswith("list: 1 host, rated")
    assert " 1 host   added" in assay("ratings", "list").out
    refused = assay(
        "ratings", "add", listed(tmp_path, "domain,grade\na.example,-3\nb.example,250\n")
    )
    assert (
        refused.code,
        "go from -3 to 250" in refused.err,
        "--scale LOW-HIGH" in refused.err,
    ) == (2, True, True)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (
            ("example.org", "0.2", "why"),
            "example.org counts as 0.20 for authority, which is 40% of a score; 0 excludes its pages altogether.",
        ),
        (
            ("www.example.org", "0", "why"),
            "pages of example.org are excluded unless you approve one by hand.",
        ),
        (("www.gov.uk", "0.5", "why"), "www.gov.uk counts as 0.50"),
    ],
)
def test_a_word_says_what_it_does(word: tuple[str, ...], says: str) -> None:
    said = assay("ratings", "say", *word)
    assert (said.code, said.out) == (0, "")
    assert f"In new runs, {says}" in said.err


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (("co.uk", "0.5", "why"), "not a site but a suffix"),
        (("www.github.io", "0.5", "why"), ""),
        (("github.io", "0.5", "why"), "not a site but a suffix"),
        (("example.org", "1.5", "why"), "between 0 and 1"),
        (("example.org", "0.5", " "), "reason is empty"),
        (("example.org", "0.5", "x" * 2001), "2,001 characters"),
    ],
)
def test_a_word_that_cannot_stand_is_refused(word: tuple[str, ...], says: str) -> None:
    said = assay("ratings", "say", *word)
    assert said.code == (2 if says else 0)
    assert says in said.err
    assert bool(assay("ratings", "list").out) != bool(says)


def test_what_decides_is_told_and_why_where_one_would_expect_another() -> None:
    medium = assay("ratings", "of", "medium.com").out
    assert "→ tier         0.80  major source" in medium
    assert (
        "Its tier counts, though it is known here as user-generated (0.32): the specification names it"
        in medium
    )
    assert "though" not in assay("ratings", "of", "x.example.edu", "--without", "institution").out
    assay("ratings", "say", "medium.com", "0", "anybody")
    never = assay("ratings", "of", "medium.com").out
    assert never.startswith("medium.com: 0.00, your word: never\n")
    assert "its pages are excluded unless you approve one by hand." in never
    assert "your rating  medium.com: never, anybody" in assay("ratings", "list").out


def test_a_part_can_be_left_out_of_what_is_told() -> None:
    assert assay("ratings", "of", "dailymail.co.uk").out.startswith(
        "dailymail.co.uk: 0.30, tabloid\n"
    )
    said = assay("ratings", "of", "dailymail.co.uk", "--without", "outlet", "--without", "name").out
    assert said.startswith("dailymail.co.uk: 0.40, general web\n")
    assert "sensation first  (switched off)" in said
    assert "general web, nothing that counts" in said
    assert (
        "general web; nothing is known about it"
        in assay("ratings", "of", "nobody-knows.example").out
    )
    assert assay("ratings", "of", "a.example", "--without", "rumour").code == 2
