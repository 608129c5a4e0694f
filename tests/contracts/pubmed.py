"""PubMed: the numbers that match, and their records."""

from __future__ import annotations

from research_core.search.queries import PaperQuery
from research_core.search.records import Paper
from tests.contracts import Case

NUMBERS = {"header": {"type": "esearch"}, "esearchresult": {"count": "2", "idlist": ["22", "11"]}}
RECORDS = """<?xml version="1.0" ?>
<PubmedArticleSet>
<PubmedArticle><MedlineCitation><PMID>11</PMID><Article><Journal><JournalIssue><PubDate><Year>2001</Year></PubDate></JournalIssue>
<Title>Coffee</Title></Journal><ArticleTitle>Coffee</ArticleTitle></Article></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>22</PMID><Article><Journal><JournalIssue><PubDate><Year>2019</Year><Month>Mar</Month></PubDate>
</JournalIssue><Title>Annals of Tea</Title></Journal><ArticleTitle>Tea and <i>colds</i></ArticleTitle><Abstract>
<AbstractText Label="AIM">To know.</AbstractText><AbstractText Label="RESULT">It helps.</AbstractText></Abstract>
<AuthorList><Author><LastName>Moor</LastName><ForeName>Ada</ForeName></Author></AuthorList><PublicationTypeList>
<PublicationType>Retracted Publication</PublicationType></PublicationTypeList></Article></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="doi">10.1038/TEA.1</ArticleId></ArticleIdList></PubmedData></PubmedArticle>
</PubmedArticleSet>"""
PAPER = Paper(
    "Tea and colds",
    "https://doi.org/10.1038/tea.1",
    "pubmed",
    doi="10.1038/tea.1",
    authors=("Ada Moor",),
    journal="Annals of Tea",
    year=2019,
    abstract="AIM: To know.\n\nRESULT: It helps.",
    open_access=True,
    retracted=True,
)
CASES = (
    Case(
        "pubmed",
        "papers",
        PaperQuery(
            "tea", year_from=2018, year_to=2020, source="nature", sort_by="date", open_access=True
        ),
        [("esearch.fcgi", NUMBERS), ("efetch.fcgi", RECORDS)],
        [PAPER],
        [
            (
                "esearch.fcgi",
                {
                    "esearchresult": {
                        "count": "0",
                        "idlist": [],
                        "errorlist": {"phrasesnotfound": ["zzqx"]},
                    }
                },
            )
        ],
        {"pubmed_api_key": "a-pubmed-key"},
    ),
)
