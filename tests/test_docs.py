"""The Markdown files of the project: their links lead somewhere, and they name settings that exist."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.terminal import assay

ROOT = next(folder for folder in Path(__file__).resolve().parents if (folder / "run.py").is_file())
FILES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "benchmarks").rglob("*.md"),
        *(ROOT / "research_core").rglob("README.md"),
    ]
)

FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
#: Settings in the docs that are not in .env.example, as only the tests read them.
OF_TESTS = {"ASSAY_REQUIRE", "ASSAY_TEST_POSTGRES_URL", "ASSAY_UPDATE_GOLDEN", "HYPOTHESIS_PROFILE"}


def prose(text: str) -> str:
    """Drop fenced code, which holds examples of Markdown and not links."""
    return FENCE.sub("", text)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Name the anchors of a file's headings as GitHub does; a repeated heading gets a number."""
    counts: dict[str, int] = {}
    found = set()
    for heading in HEADING.findall(prose(path.read_text(encoding="utf-8"))):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = counts.get(slug, 0)
        counts[slug] = number + 1
        found.add(f"{slug}-{number}" if number else slug)
    return frozenset(found)


def broken(path: Path, text: str) -> list[str]:
    """List the relative links of a file that lead to no file of the project or to no heading."""
    wrong = []
    for target in LINK.findall(CODE.sub("", prose(text))):
        if ELSEWHERE.match(target):
            continue
        place, _, anchor = target.partition("#")
        file = (path.parent / unquote(place)).resolve() if place else path
        there = file.is_relative_to(ROOT) and file.exists()
        if there and anchor:
            there = file.suffix == ".md" and anchor in anchors(file)
        if not there:
            wrong.append(target)
    return wrong


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    wrong = {}
    for path in FILES:
        found = broken(path, path.read_text(encoding="utf-8"))
        if found:
            wrong[str(path.relative_to(ROOT))] = found
    assert wrong == {}


@pytest.mark.parametrize(
    ("link", "right"),
    [
        ("[a](docs/using.md)", True),
        ("[a](docs/using.md#exit-codes)", True),
        ("[a](docs/using.md#no-such-heading)", False),
        ("[a](docs/no-such-page.md)", False),
        ("![a](docs/screens/no-such-picture.png)", False),
        ("[a](#two-commands)", True),
        ("[a](#no-such-heading)", False),
        ("[a](../outside.md)", False),
        ("[a](https://example.org/page#part)", True),
        ("`[a](no-such-page.md)`", True),
        ("```\n[a](no-such-page.md)\n```", True),
    ],
)
def test_a_broken_link_is_found(link: str, right: bool) -> None:
    assert (broken(ROOT / "README.md", link) == []) is right


def test_every_setting_that_the_docs_name_exists() -> None:
    known = set(
        re.findall(r"^#(\w+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for path in FILES:
        if path.name == "CHANGELOG.md":
            continue
        named = set(
            re.findall(r"`([A-Z]+(?:_[A-Z0-9]+)+)(?:=[^`]*)?`", path.read_text(encoding="utf-8"))
        )
        assert named - known - OF_TESTS == set(), path


# ---------------------------------------------------------------- examples

SHOWN = re.compile(
    r"^```console\n\$ python3 run\.py (?P<words>[^\n]+)\n(?P<lines>.*?)^```", re.M | re.S
)
EXAMPLES = {
    f"{path.name}: {found['words'][:40]}": (found["words"], found["lines"])
    for path in FILES
    for found in SHOWN.finditer(path.read_text(encoding="utf-8"))
    if "--library sample" in found["words"]
}


def test_the_readme_has_examples() -> None:
    assert sum(name.startswith("README.md") for name in EXAMPLES) >= 2


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_what_the_command_prints(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line in order; "…" stands for what is left out."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.delenv("ASSAY_SEMANTIC", raising=False)  # a reader has the embedding model
    words, lines = EXAMPLES[name]
    said = assay(*shlex.split(words))
    printed = iter((said.err + said.out).splitlines())
    for line in lines.splitlines():
        beginning = line.partition("…")[0].strip()
        if beginning:
            assert any(each.strip().startswith(beginning) for each in printed), line
