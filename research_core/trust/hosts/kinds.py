"""Define the kinds of hosts, each with its authority and the reason for it.

A kind says how an outlet comes to what it publishes (who answers for it, whether it is edited and
corrected), never what it stands for. The values are our judgements on the scale of the specified
tiers, to be read, switched off or overridden; no list is behind them.
"""

from __future__ import annotations

from typing import NamedTuple


class HostKind(NamedTuple):
    """A kind of host.

    `value`: its authority, 0.0 to 1.0. `label`: how a reader names it. `why`: a clause that gives
    the reason for the value.
    """

    value: float
    label: str
    why: str


HOST_KINDS: dict[str, HostKind] = {
    # edited and accountable
    "news_agency": HostKind(0.8, "news agency", "reports for many outlets, corrects in the open"),
    "public_broadcaster": HostKind(0.8, "public broadcaster", "independent by law, bound to"
    " standards"),
    "quality_daily": HostKind(0.8, "quality daily", "edited national newspaper with corrections"),
    "regional_daily": HostKind(0.7, "regional newspaper", "edited local newspaper"),
    "news_broadcaster": HostKind(0.68, "news broadcaster", "newsroom with editors"),
    "news_magazine": HostKind(0.7, "news magazine", "edited magazine of news"),
    "business_press": HostKind(0.75, "business press", "edited reporting on business"),
    "trade_press": HostKind(0.65, "trade press", "edited for one trade, near to it"),
    "tech_press": HostKind(0.68, "technology press", "edited reporting on technology"),
    "science_press": HostKind(0.8, "science press", "edited reporting on research"),
    "investigative": HostKind(0.78, "investigative newsroom", "newsroom that shows its evidence"),
    "fact_checker": HostKind(0.82, "fact checker", "checks claims and shows how"),
    "reference": HostKind(0.8, "reference work", "edited to be looked up"),
    "academic_publisher": HostKind(0.85, "academic publisher", "peer review before publication"),
    "learned_society": HostKind(0.85, "learned society", "speaks for a science"),
    "preprint_server": HostKind(0.65, "preprint server", "papers before anybody reviewed them"),
    "repository": HostKind(0.75, "repository", "keeps research, does not review it"),
    "university": HostKind(0.85, "university", "teaches and researches, answers to its peers"),
    "research_institute": HostKind(0.85, "research institute", "research as a public task"),
    "school": HostKind(0.6, "school", "an institution, not of research"),
    "local_government": HostKind(0.75, "local government", "speaks for a place and its offices"),
    "central_bank": HostKind(0.88, "central bank", "official figures on money"),
    "health_authority": HostKind(0.85, "health authority", "answers for medical advice"),
    "standards_body": HostKind(0.85, "standards body", "its standards are the primary source"),
    "statistics_office": HostKind(0.9, "statistics office", "official figures"),
    "intergovernmental": HostKind(0.85, "intergovernmental body", "founded by treaty"),
    "government": HostKind(0.85, "government", "speaks for a state"),
    "think_tank": HostKind(0.62, "think tank", "research with a purpose"),
    "library_or_museum": HostKind(0.8, "library or museum", "keeps and describes originals"),
    "ngo": HostKind(0.62, "non-governmental organisation", "works for a cause, answers for its"
    " reports"),
    # of mixed quality
    "opinion": HostKind(0.5, "opinion magazine", "argues more than it reports"),
    "religious_press": HostKind(0.5, "religious press", "reports for a community of faith"),
    "entertainment_press": HostKind(0.5, "entertainment press", "edited, on lighter matters"),
    "lifestyle": HostKind(0.45, "lifestyle magazine", "edited to please and to sell"),
    "advocacy": HostKind(0.4, "advocacy", "campaigns for one side"),
    "company": HostKind(0.42, "company", "speaks for itself"),
    "aggregator": HostKind(0.42, "aggregator", "collects what others wrote"),
    "press_release": HostKind(0.4, "press-release service", "publishes what is sent to it"),
    "review_site": HostKind(0.4, "review site", "may earn by what it recommends"),
    # low quality
    "tabloid": HostKind(0.3, "tabloid", "sensation first"),
    "celebrity": HostKind(0.25, "gossip", "reports on the famous, often unconfirmed"),
    "clickbait": HostKind(0.2, "clickbait", "made to be clicked"),
    "content_farm": HostKind(0.2, "content farm", "made in masses, to be found rather than read"),
    "user_generated": HostKind(0.32, "user-generated", "anybody writes, nobody edits"),
    "social": HostKind(0.3, "social network", "anybody writes, nobody edits"),
    "document_sharing": HostKind(0.3, "document sharing", "anybody uploads, origin unclear"),
    "self_publishing": HostKind(0.3, "self-publishing", "anybody publishes for a fee"),
    "shop": HostKind(0.3, "shop", "describes what it sells"),
    "partisan": HostKind(0.2, "partisan news", "puts its line before balance"),
    # misleading
    "state_controlled": HostKind(0.15, "state-controlled", "no editorial independence from a"
    " government"),
    "pseudoscience": HostKind(0.1, "pseudoscience", "spreads what science has refuted"),
    "conspiracy": HostKind(0.08, "conspiracy", "plots without evidence"),
    "extremist": HostKind(0.08, "extremist", "hate before facts"),
    "hoax": HostKind(0.03, "fabricated news", "invents its news or poses as another"),
    "satire": HostKind(0.1, "satire", "invented on purpose, as a joke"),
    "predatory_publisher": HostKind(0.15, "predatory publisher", "named by librarians or a court"
    " for publishing without proper review"),
}  # fmt: skip
#: Kinds of hosts that carry the work of others, so that the site alone does not make two of their
#: pages one voice. People have accounts on those in USER_WRITTEN_KINDS.
USER_WRITTEN_KINDS = frozenset("user_generated social document_sharing self_publishing".split())
CARRIER_KINDS = USER_WRITTEN_KINDS | frozenset(
    "academic_publisher preprint_server repository press_release".split()
)
