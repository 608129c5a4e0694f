"""Dates of works, as catalogues and people write them, and as each style prints them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from research_core.citations.formats import reading
from research_core.citations.formats.dates import parse_work_date
from research_core.citations.formats.sources import build_source_item
from research_core.citations.formats.styles import STYLES, format_reference_list


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("June 2011", "2011-06"), ("Sept. 2011", "2011-09"), ("2 April 2019", "2019-04-02"),
        ("April 2nd, 2019", "2019-04-02"), ("2nd of April 2019", "2019-04-02"),
        ("2015-11", "2015-11"), ("2015.11.07", "2015-11-07"), ("11/2015", "2015-11"),
        ("14/03/2018", "2018-03-14"), ("01/02/2020", "2020"),
        ("Summer 2009", "2009-22"), ("2009, Winter", "2009-24"), ("Autumn 2009", "2009-23"),
        ("Fall 2009", "2009-27"), ("Herbst 2016", "2016-23"), ("été 2015", "2015-22"),
        ("Primavera de 2013", "2013-21"), ("весна 2017", "2017-21"), ("2014-21", "2014-21"),
        ("mars 2015", "2015-03"), ("1er juillet 2019", "2019-07-01"), ("3. Januar 2019", "2019-01-03"),
        ("5 de mayo de 2020", "2020-05-05"), ("dezembro de 2019", "2019-12"),
        ("12 marca 2020", "2020-03-12"), ("července 2018", "2018-07"), ("červen 2018", "2018-06"),
        ("8 Mayıs 2021", "2021-05-08"), ("marraskuu 2017", "2017-11"), ("15 марта 2018", "2018-03-15"),
        ("2020年3月1日", "2020-03-01"), ("2020년 3월", "2020-03"),
        ("May–June 2015", "2015-05"), ("2006 May-Jun", "2006-05"), ("12–14 March 2018", "2018-03-12"),
        ("March 3–5, 2020", "2020-03-03"), ("30 April – 2 May 2019", "2019-04-30"),
        ("Dec 2014–Jan 2015", "2014-12"), ("Winter 2014/15", "2014-24"), ("2014/2015", "2014"),
        ("2014-05/2014-06", "2014-05"), ("3. bis 5. März 2020", "2020-03-03"),
        ("15 aout 2015", "2015-08-15"), ("Jänner 2015", "2015-01"), ("7. Jaenner 2015", "2015-01-07"),
        ("5. srpnja 2015", "2015-07-05"), ("5. srpna 2015", "2015-08-05"), ("kolovoz 2015", "2015-08"),
        ("siječanj 2012", "2012-01"), ("2. lipnja 2012", "2012-06-02"), ("studeni 2012", "2012-11"),
        ("c1999", "1999"), ("2024-02-31", "2024-02"), ("n.d.", ""), ("soon", ""), ("Summer", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_date_is_read_as_it_is_written(text: str, date: str) -> None:
    assert parse_work_date(text) == date
    assert build_source_item("https://a.example/", "On tides", date=text).issued == date


@pytest.mark.parametrize(
    ("fields", "date"),
    [
        ("year=2014, month={spring}", "2014-21"),
        ("year=2014, month={May--June}", "2014-05"),
        ('year=2014, month=may # "--" # jun', "2014-05"),
        ("year={Fall 2014}", "2014-27"),
        ("year=2014, month={października}", "2014-10"),
        ("date={2014-22}", "2014-22"),
    ],
)
def test_a_date_of_bibtex_is_read(fields: str, date: str) -> None:
    found = reading.read_bibliography(f"@article{{a, title={{On tides}}, {fields}}}")
    assert found.entries[0].item.issued == date


PRINTED_SEASONS = {
    "apa": "(2012, Fall)",
    "mla": "fall 2012",
    "chicago": "Fall 2012",
    "chicago-notes": "Fall 2012",
    "ieee": "Fall 2012",
    "vancouver": "2012 Fall",
    "harvard": "Fall",
    "bibtex": "date = {2012-23}",
    "ris": "DA  - 2012///Fall",
    "csl-json": '"season": 3',
}
PRINTED_MONTHS = {
    "apa": "(2012, September)",
    "mla": "Sept. 2012",
    "chicago": "September 2012",
    "chicago-notes": "September 2012",
    "ieee": "Sep. 2012",
    "vancouver": "2012 Sep",
    "harvard": "September",
    "bibtex": "date = {2012-09}",
    "ris": "DA  - 2012/09",
    "csl-json": "9",
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("date", "printed"), [("Fall 2012", PRINTED_SEASONS), ("settembre 2012", PRINTED_MONTHS)]
)
def test_each_style_prints_the_month_or_season(
    style: str, date: str, printed: dict[str, str]
) -> None:
    page = build_source_item("https://a.example/", "On tides", ["Ada Ward"], "Reef Notes", date)
    line = format_reference_list(style, [replace(page, type="article-magazine")])
    assert printed[style] in line
    assert "n.d." not in line


@pytest.mark.parametrize("season", ["2012-21", "2012-22", "2012-23", "2012-24"])
@pytest.mark.parametrize("style", ["bibtex", "ris", "csl-json"])
def test_a_season_is_read_again(style: str, season: str) -> None:
    work = build_source_item("https://a.example/", "On tides", date=season)
    (entry,) = reading.read_bibliography(format_reference_list(style, [work])).entries
    assert entry.item.issued == season
