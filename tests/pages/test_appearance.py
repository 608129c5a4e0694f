"""What the style sheet and the tables of states must keep to."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from parts.shared import badges, stylesheet
from parts.tools import results
from research_core.models import DECISION_STATES
from research_core.policy import CHECKED
from research_core.sessions import session_status

ROOT = Path(__file__).parents[2]
STYLE = stylesheet.read_stylesheet()
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
COLOURS = {
    "ink": "textColor", "ground": "backgroundColor", "panel": "secondaryBackgroundColor", "rule": "borderColor", "link": "linkColor",
    "green": "greenColor", "orange": "orangeColor", "red": "redColor", "blue": "blueColor", "gray": "grayColor",
}  # fmt: skip


@pytest.mark.parametrize(("name", "setting"), COLOURS.items())
def test_colour_of_the_style_sheet_is_the_theme_s(name: str, setting: str) -> None:
    (pair,) = re.findall(rf"--{name}: light-dark\((#\w+), (#\w+)\);", STYLE)
    assert pair == (THEME["light"][setting], THEME["dark"][setting])


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.2, 1 to 21."""

    def light(colour: str) -> float:
        parts = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def tinted(tone: str, ground: str) -> str:
    """The ground of a badge: a tenth of its tone, as words.css has it."""
    return "#" + "".join(
        f"{round(0.1 * int(tone[n : n + 2], 16) + 0.9 * int(ground[n : n + 2], 16)):02x}"
        for n in (1, 3, 5)
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["green", "orange", "red", "blue", "gray"])
def test_the_small_words_of_a_badge_can_be_read(theme: str, name: str) -> None:
    tone, ground = THEME[theme][f"{name}Color"], THEME[theme]["backgroundColor"]
    assert contrast(tone, tinted(tone, ground)) >= 4.5
    assert contrast(tone, THEME[theme]["secondaryBackgroundColor"]) >= 4.5
    assert "color-mix(in srgb, var(--tone) 10%, transparent)" in STYLE


def test_every_file_of_the_style_sheet_is_loaded_once() -> None:
    assert sorted(stylesheet.FILES) == sorted(
        path.stem for path in (ROOT / "pages" / "style").iterdir()
    )


def test_the_colours_come_first_and_paper_after_the_report_whose_rules_it_takes_back() -> None:
    assert STYLE.index("--ink: light-dark(") < STYLE.index("var(--ink)")
    assert STYLE.index(".report {") < STYLE.index("@media print")


def test_style_sheet_loads_nothing() -> None:
    assert "url(" not in STYLE
    assert "@import" not in STYLE


@pytest.mark.parametrize(
    "table",
    [
        badges.SESSION_BADGES,
        badges.SOURCE_BADGES,
        badges.DECISION_BADGES,
        badges.CHECK_BADGES,
        results.OUTCOME_BADGES,
    ],
    ids=lambda table: next(iter(table)),
)
def test_every_state_has_a_word_and_a_tone_of_the_style_sheet(
    table: dict[str, badges.Badge],
) -> None:
    assert all(badge.symbol and badge.word for badge in table.values())
    assert {badge.tone for badge in table.values()} <= {"green", "orange", "red", "blue", "gray"}


def test_every_state_of_the_core_has_a_badge() -> None:
    assert {
        *session_status.TERMINAL_STATUSES,
        "queued",
        "running",
        "interrupted",
        "waiting",
        "open",
        "closed",
        *DECISION_STATES,
        CHECKED,
    } == set(badges.SESSION_BADGES)
