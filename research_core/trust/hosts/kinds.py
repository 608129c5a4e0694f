"""What kinds of outlets there are: each with its authority, and why it has that. One literal table,
written for this project.

A kind says how an outlet comes to what it publishes (who answers for it, whether it is edited and
corrected), never what it stands for. The values are judgements of ours on the scale of the
specified tiers, to be read, switched off or overruled; no list is behind them.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """value: authority, 0.0-1.0; label: as a reader names it; why: a clause that gives the reason
    for the value.
    """

    value: float
    label: str
    why: str


KINDS: dict[str, Kind] = {
    # edited, and answers for what it says
    "news_agency": Kind(0.8, "news agency", "reports for many outlets, corrects in the open"),
    "public_broadcaster": Kind(0.8, "public broadcaster", "independent by law, bound to standards"),
    "quality_daily": Kind(0.8, "quality daily", "edited national newspaper with corrections"),
    "regional_daily": Kind(0.7, "regional newspaper", "edited local newspaper"),
    "news_broadcaster": Kind(0.68, "news broadcaster", "newsroom with editors"),
    "news_magazine": Kind(0.7, "news magazine", "edited magazine of news"),
    "business_press": Kind(0.75, "business press", "edited reporting on business"),
    "trade_press": Kind(0.65, "trade press", "edited for one trade, near to it"),
    "tech_press": Kind(0.68, "technology press", "edited reporting on technology"),
    "science_press": Kind(0.8, "science press", "edited reporting on research"),
    "investigative": Kind(0.78, "investigative newsroom", "newsroom that shows its evidence"),
    "fact_checker": Kind(0.82, "fact checker", "checks claims and shows how"),
    "reference": Kind(0.8, "reference work", "edited to be looked up"),
    "academic_publisher": Kind(0.85, "academic publisher", "peer review before publication"),
    "learned_society": Kind(0.85, "learned society", "speaks for a science"),
    "preprint_server": Kind(0.65, "preprint server", "papers before anybody reviewed them"),
    "repository": Kind(0.75, "repository", "keeps research, does not review it"),
    "university": Kind(0.85, "university", "teaches and researches, answers to its peers"),
    "research_institute": Kind(0.85, "research institute", "research as a public task"),
    "school": Kind(0.6, "school", "an institution, not of research"),
    "local_government": Kind(0.75, "local government", "speaks for a place and its offices"),
    "central_bank": Kind(0.88, "central bank", "official figures on money"),
    "health_authority": Kind(0.85, "health authority", "answers for medical advice"),
    "standards_body": Kind(0.85, "standards body", "its standards are the primary source"),
    "statistics_office": Kind(0.9, "statistics office", "official figures"),
    "intergovernmental": Kind(0.85, "intergovernmental body", "founded by treaty"),
    "government": Kind(0.85, "government", "speaks for a state"),
    "think_tank": Kind(0.62, "think tank", "research with a purpose"),
    "library_or_museum": Kind(0.8, "library or museum", "keeps and describes originals"),
    "ngo": Kind(0.62, "non-governmental organisation", "works for a cause, answers for its reports"),
    # of mixed worth
    "opinion": Kind(0.5, "opinion magazine", "argues more than it reports"),
    "religious_press": Kind(0.5, "religious press", "reports for a community of faith"),
    "entertainment_press": Kind(0.5, "entertainment press", "edited, on lighter matters"),
    "lifestyle": Kind(0.45, "lifestyle magazine", "edited to please and to sell"),
    "advocacy": Kind(0.4, "advocacy", "campaigns for one side"),
    "company": Kind(0.42, "company", "speaks for itself"),
    "aggregator": Kind(0.42, "aggregator", "collects what others wrote"),
    "press_release": Kind(0.4, "press-release service", "publishes what is sent to it"),
    "review_site": Kind(0.4, "review site", "may earn by what it recommends"),
    # weak
    "tabloid": Kind(0.3, "tabloid", "sensation first"),
    "celebrity": Kind(0.25, "gossip", "reports on the famous, often unconfirmed"),
    "clickbait": Kind(0.2, "clickbait", "made to be clicked"),
    "content_farm": Kind(0.2, "content farm", "made in masses, to be found rather than read"),
    "user_generated": Kind(0.32, "user-generated", "anybody writes, nobody edits"),
    "social": Kind(0.3, "social network", "anybody writes, nobody edits"),
    "document_sharing": Kind(0.3, "document sharing", "anybody uploads, origin unclear"),
    "self_publishing": Kind(0.3, "self-publishing", "anybody publishes for a fee"),
    "shop": Kind(0.3, "shop", "describes what it sells"),
    "partisan": Kind(0.2, "partisan news", "puts its line before balance"),
    # against
    "state_controlled": Kind(0.15, "state-controlled", "no editorial independence from a government"),
    "pseudoscience": Kind(0.1, "pseudoscience", "spreads what science has refuted"),
    "conspiracy": Kind(0.08, "conspiracy", "plots without evidence"),
    "extremist": Kind(0.08, "extremist", "hate before facts"),
    "hoax": Kind(0.03, "fabricated news", "invents its news or poses as another"),
    "satire": Kind(0.1, "satire", "invented on purpose, as a joke"),
    "predatory_publisher": Kind(0.15, "predatory publisher", "named by librarians or a court for publishing without proper review"),
}  # fmt: skip
#: Kinds of hosts that carry what others wrote: of two of their pages the site alone does not say
#: that they are one voice. WRITTEN_ON are those that people have accounts on.
WRITTEN_ON = frozenset("user_generated social document_sharing self_publishing".split())
CARRIERS = WRITTEN_ON | frozenset(
    "academic_publisher preprint_server repository press_release".split()
)
