"""The picture of a PDF's page beside a citation."""

from __future__ import annotations

import pytest

from parts.session.report import pdf_page
from tests.sample_sessions import SampleSessions, shown


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://a.example/b.pdf", 'href="https://a.example/b.pdf#page=7"'),
        ("https://a.example/b.pdf#x", 'href="https://a.example/b.pdf#page=7"'),
        (
            'https://a.example/"><script>',
            'href="https://a.example/&quot;&gt;&lt;script&gt;#page=7"',
        ),
    ],
)
def test_a_page_leads_to_the_pdf_at_that_page(address: str, link: str) -> None:
    said = pdf_page.format_picture(address, 7, 30, "iVBOR")
    assert link in said
    assert 'alt="Page 7 of 30"' in said
    assert 'src="data:image/png;base64,iVBOR"' in said


@pytest.mark.parametrize("address", ["javascript:alert(1)", "document:a", ""])
def test_an_address_of_no_web_page_is_no_link(address: str) -> None:
    assert "<a" not in pdf_page.format_picture(address, 1, 1, "iVBOR")


def test_sources_that_are_no_pdf_have_none(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.answered)
    assert "PDF page" not in [expander.label for expander in at.expander]
