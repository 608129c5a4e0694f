"""Which lines give an address, a phone number or hours and cannot be quoted."""

from __future__ import annotations

import pytest

from research_core.text.quotable import can_be_quoted


@pytest.mark.parametrize(
    "line",
    [
        "Department of Soil Science, Example University, Seattle, WA.",
        "Office of Roads, 12 Harbour Street, Springfield, IL 62701.",
        "Amt für Straßen, Musterstraße 5, 20095 Hamburg, Deutschland.",
        "The Tide Office, 4 Pier Road, Hull HU1 2AB.",
        "From the Division of Forestry, Department of Botany, Example Institute, Rochester, Minnesota.",
        "Klinik für Pflanzen, Universität Beispiel, Freiburg, Deutschland; Institut für Holz, Bern.",
        "Phone the office of the harbour on (206) 555-0100 for tickets.",
        "Tel. of the botanical garden in Hamburg: +49 40 5550 1234.",
        "Visitor desk and garden shop, main hall, 206-555-0134.",
        "Open Monday to Friday from 9 am to 5 pm, on Sundays from noon.",
        "Opening hours of the library in winter: 10 to 18.",
        "Geöffnet montags bis freitags von 9.00 bis 17.00 Uhr im Sommer.",
        "Copyright 2019 by the Trust for Gardens and Parks.",
        "(c) 2021 The Society for the Study of Soils.",
        "Reproduced with permission from the Society for the Study of Soils.",
    ],
)
def test_a_line_of_contact_or_copyright_is_not_quoted(line: str) -> None:
    assert not can_be_quoted(line)


@pytest.mark.parametrize(
    "sentence",
    [
        "The Department of Soil Science in Seattle, WA, tested the soils of 40 farms.",
        "The museum is open from Monday to Friday, 9 am to 5 pm.",
        "The Golden Gate Bridge, San Francisco, was opened in May 1937.",
        "Copyright lasts for 70 years after the death of the author.",
        "Between 1990 and 2010, the number of farms fell from 4,200 to 1,800.",
        "Die Klinik für Pflanzen in Freiburg, Deutschland, behandelt 300 Bäume im Jahr.",
        "The poison line can be reached at 206-555-0134 at any hour.",
        "Sales rose from 120 000 to 300 000 in the year after.",
        "Iron, zinc and copper are metals, and wood is none of them.",
    ],
)
def test_a_statement_with_a_place_a_number_or_an_hour_is_quoted(sentence: str) -> None:
    assert can_be_quoted(sentence)
