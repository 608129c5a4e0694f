"""Find the institution that a host belongs to, by its address alone.

A suffix that a country gives to nobody else is proof and a row of the table is knowledge. A name is
only a name, which anybody can register: it is worth less and says so. Names that look like
predatory journals are known too, as a reason to look and no proof. No page is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from research_core.i18n import N_
from research_core.trust.hosts.kinds import HOST_KINDS, HostKind
from research_core.trust.hosts.outlets import iter_domains
from research_core.trust.hosts.suffixes import (
    CLOSED_SUFFIXES,
    INTENDED_SUFFIXES,
    OWNED_DOMAINS,
    PLACE_LABELS,
    STATE_BODIES,
    STATES,
)
from research_core.urls import registered_domain

FOLDER = Path(__file__).parent


class Institution(NamedTuple):
    """An institution.

    `value`: its authority, 0.0 to 1.0. `label`: how a reader names it. `why`: how it is known.
    """

    value: float
    label: str
    why: str


STATE_NAMES = (
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia"
    " hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts"
    " michigan minnesota mississippi missouri montana nebraska nevada newhampshire newjersey"
    " newmexico newyork northcarolina northdakota ohio oklahoma oregon pennsylvania rhodeisland"
    " southcarolina southdakota tennessee texas utah vermont virginia washington westvirginia"
    " wisconsin wyoming"
)
#: How readers name kinds that only a suffix or a name suggests.
LABELS_BY_SUFFIX = {
    "university": N_("university by its suffix"),
    "school": N_("school by its suffix"),
    "library_or_museum": N_("library or museum by its suffix"),
}
LABELS_BY_NAME = {
    "university": N_("university by its name"),
    "local_government": N_("local government by its name"),
}
DOUBTFUL_LABEL, UNKNOWN_LABEL = N_("name of a doubtful journal"), N_("name like a journal's")
#: Why a host is valued as it is: it is in a table, its suffix says so, or its name does.
IN_TABLE = N_("{host}: {why}")
IN_TABLE_OF_COUNTRY = N_("{host} ({country}): {why}")
BELOW_OWN_DOMAIN = N_("under .{ending}, which is its own")
OWN_DOMAIN = N_("its own domain")
BELOW_CLOSED_SUFFIX = N_("under .{ending}, which is for nobody else")
CLOSED_SUFFIX = N_(".{ending} is for nobody else")
#: How such recorded reasons are shown.
SHOWN_REASONS = {
    BELOW_CLOSED_SUFFIX: N_("under .{ending}, which only institutions of this kind can register"),
    CLOSED_SUFFIX: N_("only institutions of this kind can register .{ending}"),
}
BELOW_INTENDED_SUFFIX = N_("under .{ending}, which is meant for it; nobody checks")
BELOW_STATE = N_("under .{ending}, by the names that only such bodies get")
UNIVERSITY_NAME = N_("“{label}” is how a university names itself; anybody can register a name")
COLLEGE_NAME = N_("“{label}” is how a college names itself; anybody can register a name")
LOCAL_NAME = N_("“{label}” is how a local government names itself; anybody can register a name")
OFFICE_NAME = N_("“{label}” is how a public office names itself; anybody can register a name")
PLACE_NAME = N_(
    "“{label}” is how a place in the United States names itself; anybody can register a name"
)
DOUBTFUL_NAME = N_(
    "“{label}” looks like the name of a publisher that prints what is paid for; not proved"
)
#: With a single sign, the name only suggests an unknown journal.
UNKNOWN_NAME = N_("“{label}” calls itself like a journal or a publisher, of which nothing is known")
REASONS = (
    IN_TABLE, IN_TABLE_OF_COUNTRY, BELOW_OWN_DOMAIN, OWN_DOMAIN, BELOW_CLOSED_SUFFIX, CLOSED_SUFFIX,
    BELOW_INTENDED_SUFFIX, BELOW_STATE, UNIVERSITY_NAME, COLLEGE_NAME, LOCAL_NAME, OFFICE_NAME,
    PLACE_NAME, DOUBTFUL_NAME, UNKNOWN_NAME,
)  # fmt: skip
_STATE = "|".join(STATES.split())
#: The longest first, so that "west virginia" is not read as "virginia".
_STATE_NAME = "|".join(sorted(STATE_NAMES.split(), key=len, reverse=True))
#: The share of a kind's value for a suffix that is intended for it and open to everybody.
MEANT_SHARE = 0.9
#: Endings of place names in English-speaking countries.
_PLACE = (
    r"ville|town|ton|burg|burgh|boro|borough|field|ford|port|land|wood|view|lake|springs|falls"
    r"|creek|city|county|heights|hills?|park|grove"
    r"|beach|island|haven|dale|mount|mountain|valley|ridge|rock|river|harbor|bay|point|bridge|brook"
    r"|mills|hampton|chester|stead|worth|wick"
    r"|minster|moor|fort|center|junction|crossing|forest|prairie|plains|spring|mont|polis|township"
    r"|twp|parish|district"
)
#: Endings of the names of towns that no product has, and abbreviations of states that are no word.
_TOWN = (
    "ville|ton|burgh?|boro|borough|ford|field|ham|dale|wood|land|port|haven|falls|springs|heights"
    "|lake|grove|creek|hills?|mont|ridge|brook|beach"
)
_CLEAR_STATE = (
    "wi|mn|nj|ny|ct|nh|vt|ky|tn|tx|fl|ga|nc|sc|va|wv|oh|il|ia|ks|nd|sd|mt|wy|nv|az|ut|wa|ri|nm"
)


class NameRule(NamedTuple):
    """A pattern over the registered label of a host.

    `share`: how much of the kind's value such a name is worth. `why`: one of REASONS. `sold`: it
    applies under .com too, where "smartwater" and "webportal" are product names.
    """

    kind: str
    share: float
    why: str
    pattern: re.Pattern[str]
    sold: bool = True


#: The share of a university's value for a name under no country, because real ones have .edu or a
#: country's suffix.
ANYWHERE_SHARE = 0.7
#: Country suffixes that are sold worldwide.
SOLD_SUFFIXES = frozenset("ai io co me tv cc ws fm to gg ly sh ac tk ml ga cf gq pw".split())


def _name_rule(kind: str, share: float, why: str, pattern: str, *, sold: bool = True) -> NameRule:
    """Compile a name rule."""
    return NameRule(kind, share, why, re.compile(pattern), sold)


#: Words that make a name something else, whatever institution it also names. Real governments have
#: a suffix for "gov".
_OTHER_BUSINESS = re.compile(
    r"gov|press|news|times|games?|shop|store|jobs|career|ranking|review|magazine|guide|essay"
    r"|admission|apply|prep|coach|tutor|book|sport|club"
    r"|blog|journal|publi(?:sh|c[ae])|universal|universe|estate|realty|homes?(?!tead)|tour|visit"
    r"|weather|dating"
    r"|movers|lawyer|attorney|roof|plumb"
)
#: Tried in this order on the registered label.
NAME_RULES = (
    _name_rule("university", 0.94, UNIVERSITY_NAME,
          r"univ(?!ers(?:al|e\b|um))|uniwersytet|wyzsza|hochschul|politecnic|politechni|polytech"
          r"|politehnica|politeknik"
          r"|technikum|egyetem|ulikool"
          r"|faculdade|facultad|fakult|ecolenormale|technion|daigaku"
          r"|akademi[ae]|academi[ae]$|akademija"),
    _name_rule("university", 0.92, UNIVERSITY_NAME,
        r"^(?:uni|u|tu|th|fh|hs|ph|htw|haw|tfh|hft|univ|ku|kh)-[a-z0-9-]{2,}$|-(?:uni|u|univ)$"
        r"|[a-z]{4,}uni$"
        r"|[a-z]{3,}state[uc]$"),
    _name_rule("university", 0.9, COLLEGE_NAME,
        r"college|colegio|collegium|kolleg(?:e|ium)|medschool|lawschool|businessschool|seminary"
        r"|theological|conservator"
          r"|(?:school|academy|academie)of|schoolofmines|nursing$|polyt$"
          r"|^iit|^nit[a-z]{3,}|^iim|^iiit"),
    _name_rule("local_government", 1.0, LOCAL_NAME,
          r"^(?:the)?(?:city|town|village|county|borough|township|parish|hamlet)(?:of|-)|(?:county"
          r"|parish|township|twp|boro"
          r"|borough|cityhall)(?:-?(?:us|usa))?$"
          rf"|(?:county|parish|township|twp|boro|borough|city|town|village)-?(?:{_STATE}"
          rf"|{_STATE_NAME})$|^(?:twp|co|ci)-"
          r"|municipal|^muni(?:cipio|cipalidad)|prefeitura|ayuntamiento"
          r"|gemeente|kommune$|comune"
          rf"|[a-z]{{2,}}(?:{_TOWN})(?:city|town)$"),
    _name_rule("local_government", 0.95, OFFICE_NAME,
          r"^[a-z0-9-]{4,}(?:sheriff|police|policedept|policedepartment|courts?|clerkofcourt|clerk"
          r"|assessor|recorder|treasurer|auditor"
          r"|elections?|votes|firedept|firedepartment|firerescue|firedistrict|fire|housingauthority"
          r"|housing|publiclibrary|library|libraries"
          r"|schools?|isd|usd[0-9]*|transit|waterdistrict|waterworks|water|sewer|sanitation"
          r"|sanitarydistrict|utilities"
          r"|conservationdistrict|swcd|healthdept|healthdepartment|healthdistrict|publichealth"
          r"|parks|parkdistrict|recreation|planning"
          r"|commission|cog|mpo|airport|portauthority|turnpike|lottery)$|^(?:portof|sheriffof"
          r"|districtattorney)",
          sold=False),
    _name_rule("local_government", 0.85, PLACE_NAME,
        rf"(?:{_PLACE})-?(?:{_STATE}|{_STATE_NAME})$|[a-z]{{4,}}-(?:{_STATE})$"
        rf"|[a-z]{{4,}}(?:{_STATE_NAME})$",
        sold=False),
    _name_rule("local_government", 0.85, PLACE_NAME,
        rf"[a-z]{{2,}}(?:{_TOWN}|city|town)-?(?:{_CLEAR_STATE}|{_STATE_NAME})$"
        rf"|^[a-z]{{4,}}-(?:{_CLEAR_STATE})$"),
)  # fmt: skip
#: Short names of universities in countries without a suffix for them: "unibo.it", "unifr.ch".
_SHORT = re.compile(r"uni[a-z]{2,5}|[a-z]{2,6}univ")
_SHORT_IN = frozenset("it ch at hr sk cz ro bg si pt es br cl ca".split())
#: Short names of universities in one country: "uem.es", "msu.ru", "ipg.pt". The patterns are those
#: of the abbreviations in use there, written from public knowledge.
_SHORT_BY_COUNTRY: Mapping[str, re.Pattern[str]] = {
    country: re.compile(pattern)
    for countries, pattern in (
        ("es mx cl cr", r"u[a-z]{2,3}|uni[a-z]{2,6}|tec(?![hn])[a-z]{4,9}"),
        ("pt", r"u[a-z]{1,3}|ip[a-z]{1,8}|isc[a-z]{2}|iseg?l?"),
        ("ro", r"u[a-z]{2,3}|u(?:bb|lb|mf|sam|t)[a-z]{2,6}|snspa|tuiasi"),
        ("ru by kz kg ua uz am", r"[a-z]{1,4}(?:su|tu|gu|pu|mu|gma|gau|gpu)"),
        ("fr", r"ens[a-z]{0,3}|(?:insa|iut|iep|sciencespo|mines|inp|ec|ac|u|esc|ens)-[a-z-]+\d*"
               r"|esi[a-z]{2,6}"),
        ("de", r"(?:ev|k|kath|e)?(?:fh|fhw|hs|hfm|hfk|hfph)-[a-z-]+|[a-z]{1,2}-hs"),
        ("ch", r"ph[a-z]{2}|hes-?so|fh[a-z]{2,3}|usi|supsi"),
        ("hu", r"u-[a-z]+|[b-df-hj-np-tv-z]{1,3}te"),
        ("sk cz", r"vs[a-z]{1,4}|tu[a-z]{2}|u[a-z]{2,3}"),
        ("pl", r"p?wsz?[a-z]{1,3}|awf|asp|pam|u[a-z]{2}"),
        ("bg", r"(?:u|au|tu|uni)-[a-z]+"),
    )
    for country in countries.split()
}  # fmt: skip
#: Names of this form that are no university.
_SHORT_NOT = frozenset(
    "unia unipol unito unicef union uniqlo unilever unison united unico unique unieuro unicredit"
    " unity unibet unisex uber usa ups ubs ufo uno ukr ultra uefa ufc urban usada usps menu tutu"
    " mumu ensemble esim esic site bite elite lite vote kite suite ugt unicaja unidad unipost"
    " uniradio temu wsip ulta registro nic cgi cert ix ptt".split()
)
#: Second-level domains under which anybody may register: "com.mx", "co.cr".
_OPEN_TO_ALL = frozenset("com co net org biz info web store".split())

# -- names like those of predatory journals ------------------------------------------

_OPEN_SUFFIXES = frozenset(
    "com org net info biz co us in science online site pk ng uk ca eu asia me tk cc pw xyz website"
    " press pub pro name tv ws".split()
)
#: Initials typical of journals that accept anything: "international journal of …".
_INITIALS = re.compile(
    r"^(?:ij|irj|ajo|wjp|wjs|gjr|gjs|jgr|ijo|ejo|isrj|iosr|ijar|ujo|rjp|rjs|sjo|wjo|tjp|irj"
    r"|imrj)[a-z-]{0,7}$"
    r"|^ij[a-z-]{1,16}$|[a-z]{2,}(?:imrj|ijar|irj|isrj)$"
)
_JOURNAL = re.compile(r"journals?|^jour-|ejournal|(?:^|-)ojs|revista(?!s\.)|dergi")
_PUBLISHER = re.compile(
    r"publish|publication|pubs?$|publ?$|acad(?:emic)?press|sci(?:ence)?press|pressinc|scipub"
    r"|openaccess|e-?press$|academicj"
)
_SCIENCE = re.compile(
    r"scien|sci(?:$|-|[bcdfghjklmnprtw])|research|scholar|academi|omics|pharm|biomed|medic|engineer"
    r"|techn(?!ion)"
    r"|multidisc|innovat|intellig|edu"
)
_GRAND_WORDS = re.compile(
    r"world|global|international|internat|^int|euro(?!news)|american|asian|^asia|african?|^afr"
    r"|indian|universal|modern"
    r"|advance|current|recent|apex|prime|elite|excellent|noble|open|free|first|best|top|online|web"
    r"|virtual|central"
    r"|society|associat|forum|group|institute|center|centre|foundation|council|academy|union"
    r"|network"
)
#: (number of signs, value). Signs are initials or "journal", a publisher, science, and grand words.
DOUBT_VALUES = ((4, 0.2), (3, 0.25), (2, 0.3), (1, 0.37))


@lru_cache(maxsize=8192)
def find_institution(host: str) -> Institution | None:
    """Return the institution that the table or the suffix of a host proves, or None.

    What only the name suggests is found by `find_named_institution`.
    """
    for name in iter_domains(host):
        found = load_institutions().get(name)
        if found:
            kind, country = HOST_KINDS[found[0]], found[1]
            return Institution(kind.value, kind.label, explain_row(name, country, kind))
    labels = host.split(".")
    return _find_by_suffix(labels) or _find_by_place(labels)


@lru_cache(maxsize=8192)
def find_named_institution(host: str) -> Institution | None:
    """Return the institution that a host's name suggests, else the doubt it raises.

    None if the name suggests neither.
    """
    return _find_by_name(host) or assess_predatory_name(host)


def _find_by_suffix(labels: Sequence[str]) -> Institution | None:
    """Return the institution that the longest telling suffix proves, or None.

    A suffix for governments alone, by itself, is the portal of the country: "gob.mx".
    """
    for count in range(len(labels), 0, -1):
        ending = ".".join(labels[-count:])
        below = count < len(labels)
        kind = OWNED_DOMAINS.get(ending)
        if kind:
            why = BELOW_OWN_DOMAIN if below else OWN_DOMAIN
            return _make_institution(kind, why.format(ending=ending))
        kind = CLOSED_SUFFIXES.get(ending)
        if kind and below:
            return _make_institution(kind, BELOW_CLOSED_SUFFIX.format(ending=ending))
        if kind == "government" and count > 1:
            return _make_institution(kind, CLOSED_SUFFIX.format(ending=ending))
        kind = INTENDED_SUFFIXES.get(ending)
        if kind and below:
            value = round(HOST_KINDS[kind].value * MEANT_SHARE, 3)
            why = BELOW_INTENDED_SUFFIX.format(ending=ending)
            return Institution(value, LABELS_BY_SUFFIX[kind], why)
    return None


def _find_by_place(labels: Sequence[str]) -> Institution | None:
    """Return the institution of a name under a state of the United States, or None.

    Examples: "co.darke.oh.us", "town.broadway.va.us", "bellingham.k12.wa.us".
    """
    if len(labels) < 3 or labels[-1] != "us" or labels[-2] not in STATES.split():
        return None
    kind = STATE_BODIES.get(labels[-3])
    if not kind and len(labels) > 3 and labels[-4] in PLACE_LABELS:
        kind = "local_government"
    if not kind:
        return None
    return _make_institution(kind, BELOW_STATE.format(ending=f"{labels[-2]}.us"))


def _find_by_name(host: str) -> Institution | None:
    """Return the institution whose naming pattern the host follows, or None."""
    label, suffix = _split_registered(host)
    if not label or _OTHER_BUSINESS.search(label):
        return None
    if _is_short_university(label, suffix) and label not in _SHORT_NOT:
        return _make_named("university", 0.9, UNIVERSITY_NAME, label)
    for rule in NAME_RULES:
        if (rule.sold or suffix != "com") and rule.pattern.search(label):
            return _make_named(rule.kind, _rule_share(rule, suffix), rule.why, label)
    return None


def _is_short_university(label: str, suffix: str) -> bool:
    """Return whether a label has the form of a university's short name in its country."""
    # The registry of Brazil gives names directly under .br to universities.
    if suffix == "br":
        return True
    if suffix in _SHORT_IN and len(label) < 9 and _SHORT.fullmatch(label):
        return True
    second_level, _, country = suffix.rpartition(".")
    if second_level in _OPEN_TO_ALL:
        return False
    pattern = _SHORT_BY_COUNTRY.get(country)
    return pattern is not None and pattern.fullmatch(label) is not None


def _rule_share(rule: NameRule, suffix: str) -> float:
    """Return the share of a rule, lower for a university under no country."""
    last = suffix.rpartition(".")[2]
    if rule.kind == "university" and (len(last) != 2 or last in SOLD_SUFFIXES):
        return min(rule.share, ANYWHERE_SHARE)
    return rule.share


@lru_cache(maxsize=8192)
def assess_predatory_name(host: str) -> Institution | None:
    """Return the low value of a name that looks like a predatory publisher, or None.

    This is a suspicion and no proof.
    """
    label, suffix = _split_registered(host)
    if not label or suffix.rpartition(".")[2] not in _OPEN_SUFFIXES:
        return None
    if _find_by_suffix(host.split(".")):
        return None
    signs = bool(_JOURNAL.search(host)) + bool(_PUBLISHER.search(label))
    if _INITIALS.search(label):
        signs += 2
    if signs:
        signs += bool(_SCIENCE.search(label)) + bool(_GRAND_WORDS.search(label))
    value = _doubt_value(signs)
    if value is None:
        return None
    if signs > 1:
        return Institution(value, DOUBTFUL_LABEL, DOUBTFUL_NAME.format(label=label))
    return Institution(value, UNKNOWN_LABEL, UNKNOWN_NAME.format(label=label))


def explain_row(host: str, country: str, kind: HostKind) -> str:
    """Return why a host of a table has the value of its kind. country: "INT" for none."""
    text = IN_TABLE if country == "INT" else IN_TABLE_OF_COUNTRY
    return text.format(host=host, country=country, why=kind.why)


def _doubt_value(signs: int) -> float | None:
    """Return the value of a name with this many signs, or None without any."""
    for least, value in DOUBT_VALUES:
        if signs >= least:
            return value
    return None


def _make_institution(kind: str, why: str) -> Institution:
    """Return an institution with the full value of its kind."""
    return Institution(HOST_KINDS[kind].value, HOST_KINDS[kind].label, why)


def _make_named(kind: str, share: float, why: str, label: str) -> Institution:
    """Return an institution known by its name only, with a share of the kind's value."""
    value = round(HOST_KINDS[kind].value * share, 3)
    return Institution(value, LABELS_BY_NAME[kind], why.format(label=label))


@lru_cache(maxsize=8192)
def _split_registered(host: str) -> tuple[str, str]:
    """Return (registered label, suffix), or ("", "") for a reserved name or none."""
    try:
        domain = registered_domain(f"https://{host}/")
    except ValueError:
        return "", ""
    label, _, suffix = domain.partition(".")
    if not suffix or "example" in (label, suffix):
        return "", ""
    return label, suffix


@lru_cache(maxsize=1)
def load_institutions() -> Mapping[str, tuple[str, str]]:
    """Return (kind, country) by host, read once."""
    rows = _read_rows("institutions.tsv")
    return {host: (kind, country) for host, (kind, country) in rows.items()}


# -- publishers by DOI ---------------------------------------------------------------


def find_publisher(doi: str) -> str:
    """Return the publisher that registered a DOI, or "" if its prefix is unknown."""
    found = _load_publishers().get(doi.partition("/")[0])
    return found[0] if found else ""


@lru_cache(maxsize=1)
def _load_publishers() -> Mapping[str, tuple[str, ...]]:
    """Return the publishers by DOI prefix, read once."""
    return _read_rows("publishers.tsv")


def _read_rows(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the rows of a tab-separated file by their first column, without comments."""
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {first: tuple(rest) for first, *rest in rows}
