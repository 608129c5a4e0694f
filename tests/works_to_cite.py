"""Works made up to be cited, one for each thing that a style has a rule for.

`tests/golden/bibliography-*` is made of them.
"""

from __future__ import annotations

from dataclasses import replace

from research_core.citations.formats import csl
from research_core.citations.formats.item import Item, Person

ADA, BO = Person("Ward", "Ada B."), Person("Lund", "Bo")
#: As many people as a rule needs.
MANY = tuple(
    Person(family, given)
    for family, given in zip(
        """
        Abel Berg Cohn Dahl Eade Falk Gray Hart Ives Jung Katz Lowe Marsh North Olsen Pike Quill Rook Stone Thorn Upton Vale Webb Young
        Zorn
        """.split(),
        "Ann Ben Cy Dee Eve Flo Gus Hal Ida Jan Kim Lou Max Ned Ola Pam Quin Ray Sue Tom Una Val Wim Yan Zoe".split(),
        strict=True,
    )
)  # fmt: skip
PAPER = Item(
    type="article-journal", title="The reef at night", authors=(ADA,), container="Journal of Tides", issued="2019-05-07", volume="12",
    issue="3", pages="101-118", doi="10.1000/reef.1", url="https://journals.example.org/reef",
)  # fmt: skip
BOOK = Item(
    type="book",
    title="A history of tides",
    authors=(ADA,),
    publisher="Harbour Press",
    place="Oslo",
    issued="2011",
    language="en",
)
PAGE = Item(
    type="webpage", title="Tide tables", authors=(ADA,), container="Harbour Office", issued="2021-03-09", accessed="2024-11-02",
    url="https://harbour.example.org/tables",
)  # fmt: skip


def _other(work: Item, **more: object) -> Item:
    """The same without what is a paper's own."""
    return replace(work, **{"issue": "", "volume": "", "doi": "", **more})  # type: ignore[arg-type]


WORKS: dict[str, Item] = {
    "article": PAPER,
    "article, 2 authors": replace(PAPER, authors=(ADA, BO)),
    "article, 3 authors": replace(PAPER, authors=MANY[:3]),
    "article, 7 authors": replace(PAPER, authors=MANY[:7]),
    "article, 21 authors": replace(PAPER, authors=MANY[:21]),
    "article, 25 authors": replace(PAPER, authors=MANY),
    "article, a group": replace(PAPER, authors=(Person(literal="Reef Watch Consortium"),)),
    "article, nobody": replace(PAPER, authors=()),
    "article, no date": replace(PAPER, issued=""),
    "article, online first": replace(PAPER, volume="", issue="", pages="", issued="2023-08-14"),
    "article, its number for a page": replace(PAPER, pages="e0217"),
    "article, no DOI": replace(PAPER, doi=""),
    "article, the first page of a hundred": replace(PAPER, pages="1100-1113"),
    "chapter": _other(
        PAPER, type="chapter", title="Tides and trade", container="The sea in history", editors=(BO, MANY[0]), publisher="Harbour Press",
        place="Oslo", edition="2", url="https://books.example.org/9",
    ),
    "book": replace(BOOK, url="https://books.example.org/1"),
    "book, edited": replace(BOOK, authors=(), editors=(BO, MANY[0]), url="https://books.example.org/2"),
    "book, third edition, volume": replace(BOOK, edition="3rd", volume="2", url="https://books.example.org/3"),
    "book, translated": replace(BOOK, others={"translator": (Person("Ives", "Ida"),)}, url="https://books.example.org/4"),
    "thesis": replace(BOOK, type="thesis", title="Tidal flats of the north", publisher="University of Oslo", genre="Doctoral dissertation",
                      place="", url="https://theses.example.org/1"),
    "report": replace(BOOK, type="report", title="State of the reef", authors=(Person(literal="Harbour Office"),), genre="Technical report",
                      number="12", publisher="Ministry of the Sea", url="https://reports.example.org/1"),
    "conference paper": _other(PAPER, type="paper-conference", title="Tides in code", container="Proceedings of the Sea Conference",
                               publisher="ACM", issued="2018-06", doi="10.1000/sea.9"),
    "preprint": Item(type="article", title="Tides by learning", authors=(ADA, BO), publisher="arXiv", issued="2022-02-03",
                     number="arXiv:2202.01234", url="https://arxiv.org/abs/2202.01234"),
    "page": PAGE,
    "page, no date": replace(PAGE, issued=""),
    "page, nobody, no date": replace(PAGE, issued="", authors=()),
    "page, its site wrote it": replace(PAGE, authors=(Person(literal="Harbour Office"),)),
    "post": replace(PAGE, type="post-weblog", title="My week by the sea", container="Reef Notes", url="https://notes.example.org/1"),
    "newspaper": Item(type="article-newspaper", title="Storm takes the pier", authors=(BO,), container="The Harbour Times",
                      issued="2020-12-01", pages="4", url="https://times.example.org/pier"),
    "newspaper, nobody": Item(type="article-newspaper", title="Storm takes the pier", container="The Harbour Times", issued="2020-12-01",
                              url="https://times.example.org/pier2"),
    "magazine": Item(type="article-magazine", title="What whales want", authors=(BO,), container="Sea Monthly", issued="2020-06",
                     volume="8", issue="6", pages="33-39", url="https://monthly.example.org/8"),
    "dataset": Item(type="dataset", title="Tide heights 1900–2000", authors=(ADA,), publisher="Sea Archive", issued="2020",
                    doi="10.1000/data.3", url="https://archive.example.org/3"),
    "software": Item(type="software", title="tidecalc", authors=(BO,), publisher="Zenodo", issued="2021", doi="10.1000/soft.4",
                     url="https://soft.example.org/4"),
    "film": Item(type="motion_picture", title="The long wave", others={"director": (Person("Jung", "Jan"),)}, publisher="Sea Pictures",
                 issued="1999", url="https://films.example.org/1"),
    "encyclopedia": Item(type="entry-encyclopedia", title="Tide", authors=(ADA,), container="Encyclopedia of the Sea",
                         publisher="Harbour Press", place="Oslo", issued="2005", pages="12-13", url="https://ency.example.org/tide"),
    "case": Item(type="legal_case", title="Ward v. Harbour Office", container="U.S.", volume="410", pages="113", issued="1973",
                 url="https://law.example.org/410"),
    "case, its court": Item(type="legal_case", title="In re Reef", container="F.3d", volume="12", pages="34", issued="1994",
                            more={"authority": "9th Cir."}),
    "names with particles and suffixes": replace(
        PAPER, authors=(Person("van der Berg", "Anna Maria"), Person("King", "Martin Luther", "Jr."), Person("Humboldt", "Alexander von"),
                        Person("García Márquez", "Gabriel"), Person("Sartre", "Jean-Paul"))),
    "names of two scripts": replace(PAPER,
                                    authors=(Person("王", "伟"), Person("Иванов", "Иван"), Person("Kim", "Min-jun", "", "", True))),
    "title in Cyrillic": replace(PAPER, title="Приливы и отливы", container="Журнал моря", authors=(Person("Иванов", "Иван Петрович"),),
                                 language="ru"),
    "title in Chinese": replace(PAPER, title="潮汐的历史", container="海洋学报", authors=(Person("王", "伟"),), language="zh"),
    "title with quotations": replace(PAPER, title='"Who goes there?" and other cries of the \'night watch\''),
    "title that asks": replace(PAPER, title="Why do tides rise?"),
    "title that asks within": replace(PAPER, title="Why tides? A reply to Lund: the moon's part"),
    "title with signs": replace(PAPER, title=csl.read_line("Salt &amp; <i>sea</i>: 50% of H<sub>2</sub>O_x costs $5 {now} #1"),
                                container="Science & Sea"),
    "title that ends with an abbreviation": replace(PAPER, title="Tides of the U.S."),
    "no title": replace(PAGE, title=""),
}  # fmt: skip
