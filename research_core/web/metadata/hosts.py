"""List well-known hosts: what kind of source each is, its subject, and its weight.

An editorial choice, not a survey: each row says why its hosts stand together; other hosts are
unknown. Hosts match themselves and their subdomains, by whole labels; the most specific match
counts.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Weights: reviewed before publication; edited, or a publisher on its own subject; unknown; open
#: to anyone without review.
REVIEWED_WEIGHT, EDITED_WEIGHT, ORDINARY_WEIGHT, ANYONE_WEIGHT = 0.9, 0.7, 0.6, 0.5


@dataclass(frozen=True)
class HostGroup:
    """Hosts of one kind.

    type: as `models.Metadata.type`, "" if none of these; category: as in `classify.CATEGORIES`.
    """

    type: str
    category: str
    weight: float
    reason: str
    names: str


HOST_GROUPS = (
    HostGroup(
        "peer_reviewed", "academic", REVIEWED_WEIGHT,
        "journals, publishers and indexes of the scholarly record; preprint servers are of it "
        "too, and no other type is nearer",
        "nature.com science.org sciencemag.org cell.com pnas.org plos.org elifesciences.org "
        "frontiersin.org mdpi.com springer.com "
        "link.springer.com biomedcentral.com springeropen.com sciencedirect.com "
        "onlinelibrary.wiley.com tandfonline.com sagepub.com "
        "academic.oup.com cambridge.org royalsocietypublishing.org rsc.org pubs.acs.org aps.org "
        "iop.org iopscience.iop.org aip.org "
        "ieeexplore.ieee.org dl.acm.org jstor.org muse.jhu.edu annualreviews.org hindawi.com "
        "degruyter.com karger.com emerald.com aaai.org "
        "jmlr.org aclanthology.org openreview.net arxiv.org biorxiv.org medrxiv.org chemrxiv.org "
        "ssrn.com zenodo.org hal.science "
        "scielo.org scielo.br doi.org semanticscholar.org europepmc.org distill.pub "
        "copernicus.org ams.org siam.org psycnet.apa.org",
    ),
    HostGroup(
        "peer_reviewed", "medical", REVIEWED_WEIGHT, "journals and indexes of medicine",
        "nejm.org thelancet.com bmj.com jamanetwork.com cochranelibrary.com cochrane.org "
        "ahajournals.org ascopubs.org "
        "pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov acpjournals.org",
    ),
    HostGroup(
        "government", "medical", REVIEWED_WEIGHT, "health authorities and public health services",
        "nih.gov cdc.gov fda.gov who.int ema.europa.eu ecdc.europa.eu nhs.uk nice.org.uk rki.de "
        "pei.de medlineplus.gov clinicaltrials.gov "
        "has-sante.fr tga.gov.au swissmedic.ch",
    ),
    HostGroup(
        "government", "legal", REVIEWED_WEIGHT,
        "laws and judgements in their own words, and the collections courts and parliaments "
        "point to",
        "supremecourt.gov uscourts.gov congress.gov govinfo.gov federalregister.gov ecfr.gov "
        "law.cornell.edu courtlistener.com justia.com "
        "eur-lex.europa.eu curia.europa.eu legislation.gov.uk bailii.org canlii.org "
        "gesetze-im-internet.de bundesverfassungsgericht.de "
        "legifrance.gouv.fr ris.bka.gv.at fedlex.admin.ch austlii.edu.au echr.coe.int icj-cij.org",
    ),
    HostGroup(
        "government", "financial", REVIEWED_WEIGHT, "central banks, supervisors and statistics of money",
        "sec.gov federalreserve.gov treasury.gov fdic.gov bls.gov bea.gov ecb.europa.eu "
        "bundesbank.de bankofengland.co.uk imf.org "
        "worldbank.org bis.org snb.ch boj.or.jp",
    ),
    HostGroup(
        "government", "general", REVIEWED_WEIGHT,
        "governments and unions of states whose domain does not say so by its ending",
        "europa.eu bund.de bundestag.de bundesregierung.de admin.ch gv.at gouv.fr gob.es gob.mx "
        "gob.ar gob.cl go.jp go.kr go.id go.th "
        "gc.ca canada.ca govt.nz parliament.uk un.org oecd.org destatis.de insee.fr",
    ),
    HostGroup(
        "official_docs", "technical", 0.8,
        "documentation and standards from those who make or decide them",
        "developer.mozilla.org docs.python.org readthedocs.io docs.rs doc.rust-lang.org "
        "pkg.go.dev go.dev learn.microsoft.com "
        "docs.microsoft.com developer.apple.com developers.google.com cloud.google.com "
        "docs.aws.amazon.com docs.github.com kubernetes.io "
        "postgresql.org sqlite.org nodejs.org react.dev man7.org rfc-editor.org ietf.org w3.org "
        "whatwg.org ecma-international.org "
        "nvd.nist.gov cve.org owasp.org docs.oracle.com",
    ),
    HostGroup(
        "news_publication", "general", EDITED_WEIGHT,
        "news agencies, newspapers and broadcasters with an editor who answers for them",
        "reuters.com apnews.com afp.com bbc.com bbc.co.uk nytimes.com washingtonpost.com "
        "theguardian.com latimes.com usatoday.com npr.org "
        "cnn.com cbsnews.com nbcnews.com abcnews.go.com pbs.org politico.com politico.eu "
        "axios.com theatlantic.com newyorker.com time.com "
        "aljazeera.com dw.com spiegel.de zeit.de faz.net sueddeutsche.de tagesschau.de welt.de "
        "handelsblatt.com nzz.ch srf.ch "
        "derstandard.at orf.at lemonde.fr lefigaro.fr liberation.fr elpais.com corriere.it "
        "repubblica.it nrc.nl independent.co.uk "
        "telegraph.co.uk thetimes.com irishtimes.com cbc.ca abc.net.au smh.com.au scmp.com "
        "japantimes.co.jp asahi.com nikkei.com "
        "thehindu.com timesofindia.indiatimes.com propublica.org",
    ),
    HostGroup(
        "news_publication", "financial", EDITED_WEIGHT, "newspapers and agencies of business and markets",
        "bloomberg.com ft.com wsj.com economist.com cnbc.com forbes.com marketwatch.com "
        "barrons.com fortune.com businessinsider.com",
    ),
    HostGroup(
        "news_publication", "technical", EDITED_WEIGHT, "the technical press",
        "techcrunch.com wired.com arstechnica.com theverge.com theregister.com heise.de golem.de "
        "zdnet.com technologyreview.com "
        "spectrum.ieee.org",
    ),
    HostGroup(
        "news_publication", "academic", EDITED_WEIGHT, "news about research",
        "scientificamerican.com newscientist.com quantamagazine.org theconversation.com phys.org "
        "eurekalert.org spektrum.de statnews.com",
    ),
    HostGroup(
        "", "financial", EDITED_WEIGHT, "data on markets and what is said of them",
        "investopedia.com morningstar.com nasdaq.com nyse.com",
    ),
    HostGroup(
        "", "medical", EDITED_WEIGHT, "medical advice with a named board",
        "mayoclinic.org clevelandclinic.org webmd.com msdmanuals.com",
    ),
    HostGroup(
        "", "legal", EDITED_WEIGHT, "reference on law",
        "oyez.org findlaw.com lawfaremedia.org scotusblog.com",
    ),
    HostGroup(
        "", "academic", REVIEWED_WEIGHT, "reference works with an editor",
        "britannica.com plato.stanford.edu",
    ),
    HostGroup(
        "", "technical", EDITED_WEIGHT, "code, open to all, with its history",
        "github.com gitlab.com codeberg.org sourceforge.net",
    ),
    HostGroup(
        "", "general", ANYONE_WEIGHT, "pages anyone puts up under another's name",
        "docs.google.com drive.google.com sites.google.com github.io gitlab.io notion.site "
        "pages.dev netlify.app vercel.app web.app "
        "herokuapp.com neocities.org wixsite.com weebly.com",
    ),
    HostGroup(
        "wiki", "general", 0.8, "encyclopaedias and data anyone may edit, under the eyes of many",
        "wikipedia.org wikidata.org wiktionary.org wikimedia.org wikibooks.org wikiquote.org "
        "wikinews.org wikiversity.org wikivoyage.org",
    ),
    HostGroup(
        "wiki", "general", ANYONE_WEIGHT, "wikis of fans",
        "fandom.com wikia.com wikihow.com miraheze.org tvtropes.org",
    ),
    HostGroup(
        "forum", "technical", EDITED_WEIGHT, "questions about programming, answers voted on",
        "stackoverflow.com stackexchange.com serverfault.com superuser.com askubuntu.com "
        "mathoverflow.net news.ycombinator.com lobste.rs",
    ),
    HostGroup(
        "forum", "general", ANYONE_WEIGHT, "anyone's word, under any name",
        "reddit.com quora.com answers.yahoo.com 4chan.org gutefrage.net",
    ),
    HostGroup(
        "blog", "general", ANYONE_WEIGHT, "platforms that publish for anyone who signs up",
        "medium.com substack.com wordpress.com blogspot.com blogger.com tumblr.com ghost.io "
        "livejournal.com over-blog.com note.com",
    ),
    HostGroup(
        "blog", "technical", ANYONE_WEIGHT, "the same for programmers",
        "dev.to hashnode.dev hashnode.com qiita.com",
    ),
    HostGroup(
        "social_media", "general", ANYONE_WEIGHT, "anyone's word, spread by how well it spreads",
        "twitter.com x.com facebook.com instagram.com linkedin.com tiktok.com youtube.com "
        "youtu.be threads.net bsky.app mastodon.social "
        "pinterest.com snapchat.com t.me telegram.org vk.com weibo.com",
    ),
)  # fmt: skip

GROUPS_BY_HOST = {name: row for row in HOST_GROUPS for name in row.names.split()}
