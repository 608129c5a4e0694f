"""arXiv: an Atom feed."""

from __future__ import annotations

from research_core.search.queries import PaperQuery
from research_core.search.records import Paper
from tests.contracts import Case

FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"
  xmlns="http://www.w3.org/2005/Atom"><title>arXiv Query</title>{}</feed>"""
NOTHING = "<opensearch:totalResults>0</opensearch:totalResults>"
ENTRY = """<entry><id>http://arxiv.org/abs/1901.00001v2</id><title>Tea
  and colds</title><published>2019-01-01T08:18:33Z</published><summary>Tea
helps.</summary><author><name>Ada Moor</name></author><author><name>Bo Reed</name></author>
<arxiv:journal_ref>Annals of Tea 1 (2019)</arxiv:journal_ref><arxiv:doi>10.1038/TEA.1</arxiv:doi></entry>"""
OTHER = "<entry><id>http://arxiv.org/abs/math/0001001v1</id><title>Coffee</title><published>2000-01-01T00:00:00Z</published></entry>"
PAPER = Paper(
    "Tea and colds",
    "https://arxiv.org/abs/1901.00001",
    "arxiv",
    doi="10.1038/tea.1",
    authors=("Ada Moor", "Bo Reed"),
    journal="Annals of Tea 1 (2019)",
    year=2019,
    abstract="Tea helps.",
    open_access=True,
    pdf_url="https://arxiv.org/pdf/1901.00001",
)
CASES = (
    Case(
        "arxiv",
        "papers",
        PaperQuery("tea", year_from=2018, year_to=2020, source="nature", sort_by="date"),
        [("export.arxiv.org/api/query", FEED.format(OTHER + ENTRY))],
        [PAPER],
        [("export.arxiv.org/api/query", FEED.format(NOTHING))],
    ),
)
