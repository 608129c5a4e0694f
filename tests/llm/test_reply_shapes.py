"""What is made of the words of a model's server."""

from __future__ import annotations

import pytest

from research_core.llm.reply_shapes import MAX_QUOTE_LENGTH, shorten_quote

#: What stands before a number, the number, and what follows.
CUTS = [
    ("Please retry in", " ", "37.3", " s"),
    ("请在", "", "37.3", "秒后重试"),
    ("attendez", " ", "12 000", " ms"),
    ("Bitte warten:", " ", "1.234,5", " s"),
    ("あと", "", "90", "秒"),
]


@pytest.mark.parametrize(("before", "space", "number", "after"), CUTS)
@pytest.mark.parametrize("shown", range(1, 10))
def test_a_quotation_never_ends_inside_a_number(
    before: str, space: str, number: str, after: str, shown: int
) -> None:
    filler = "x" * (MAX_QUOTE_LENGTH - len(before) - shown - 1)
    quote = shorten_quote(f"{filler}{before}{space}{number}{after} {'and so on ' * 5}")
    assert len(quote) <= MAX_QUOTE_LENGTH
    rest = quote.removeprefix(filler).removesuffix("…")
    assert before.startswith(rest) or rest.startswith(f"{before}{space}{number}")


@pytest.mark.parametrize(
    "text", ["", "retry in 37.3 s", "  retry\n in  37.3 s ", "请在37.3秒后重试"]
)
def test_a_short_quotation_stays_whole(text: str) -> None:
    assert shorten_quote(text) == " ".join(text.split())


def test_a_long_quotation_may_end_with_a_whole_number() -> None:
    filler = "x" * (MAX_QUOTE_LENGTH - 20)
    assert shorten_quote(f"{filler} waited 37 seconds and more") == f"{filler} waited 37 seconds…"
    assert shorten_quote(f"{filler} waited for 1234 xxxxxxxxxxx") == f"{filler} waited for 1234…"
