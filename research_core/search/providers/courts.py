"""Find the ids by which CourtListener knows US courts from their names and abbreviations."""

from __future__ import annotations

import re

#: Circuits of the federal courts of appeals, by their number in words.
CIRCUITS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh",
)  # fmt: skip
#: Each state with its postal code, which the ids of district courts begin with, and the id of its
#: highest court.
STATES = {
    "alabama": ("al", "ala"), "alaska": ("ak", "alaska"), "arizona": ("az", "ariz"),
    "arkansas": ("ar", "ark"), "california": ("ca", "cal"), "colorado": ("co", "colo"),
    "connecticut": ("ct", "conn"), "delaware": ("de", "del"), "florida": ("fl", "fla"),
    "georgia": ("ga", "ga"), "hawaii": ("hi", "haw"), "idaho": ("id", "idaho"),
    "illinois": ("il", "ill"), "indiana": ("in", "ind"), "iowa": ("ia", "iowa"),
    "kansas": ("ks", "kan"), "kentucky": ("ky", "ky"), "louisiana": ("la", "la"),
    "maine": ("me", "me"), "maryland": ("md", "md"), "massachusetts": ("ma", "mass"),
    "michigan": ("mi", "mich"), "minnesota": ("mn", "minn"), "mississippi": ("ms", "miss"),
    "missouri": ("mo", "mo"), "montana": ("mt", "mont"), "nebraska": ("ne", "neb"),
    "nevada": ("nv", "nev"), "new hampshire": ("nh", "nh"), "new jersey": ("nj", "nj"),
    "new mexico": ("nm", "nm"), "new york": ("ny", "ny"), "north carolina": ("nc", "nc"),
    "north dakota": ("nd", "nd"), "ohio": ("oh", "ohio"), "oklahoma": ("ok", "okla"),
    "oregon": ("or", "or"), "pennsylvania": ("pa", "pa"), "rhode island": ("ri", "ri"),
    "south carolina": ("sc", "sc"), "south dakota": ("sd", "sd"), "tennessee": ("tn", "tenn"),
    "texas": ("tx", "tex"), "utah": ("ut", "utah"), "vermont": ("vt", "vt"),
    "virginia": ("va", "va"), "washington": ("wa", "wash"), "west virginia": ("wv", "wva"),
    "wisconsin": ("wi", "wis"), "wyoming": ("wy", "wyo"), "columbia": ("dc", "dc"),
}  # fmt: skip
#: Names that follow no rule, without dots and "the".
NAMES = {
    "supreme court": "scotus",
    "us supreme court": "scotus",
    "united states supreme court": "scotus",
    "supreme court of united states": "scotus",
    "supreme court of us": "scotus",
    "federal circuit": "cafc",
    "fed cir": "cafc",
    "dc circuit": "cadc",
    "dc cir": "cadc",
    "district of columbia circuit": "cadc",
    "new york court of appeals": "ny",
    "court of appeals of new york": "ny",
    "maryland court of appeals": "md",
    "new york supreme court": "nysupct",
    "court of federal claims": "uscfc",
    "court of international trade": "cit",
    "tax court": "tax",
    "us tax court": "tax",
    "delaware court of chancery": "delch",
    "delaware chancery": "delch",
}
#: A word that a name of a court has, and an id has not.
_COURT_WORD = re.compile(r"\b(?:courts?|circuit|cir|district|supreme|appeals)\b")
_ID = re.compile(r"[a-z0-9]+")
_CIRCUIT = re.compile(
    r"(?:(?:us )?court of appeals (?:for )?)?(\w+) (?:circuit|cir)(?: court of appeals)?"
)
_DISTRICT = re.compile(
    r"(?:us )?(?:district court (?:for )?)?(?:(northern|southern|eastern|western|middle|central)"
    r" )?district of ([a-z ]+)"
)
_DISTRICT_INITIALS = re.compile(r"([nsewmc]?)d ?([a-z]{2,5})")


def parse_courts(words: str) -> tuple[list[str], list[str]]:
    """Return the ids of the courts in a list of ids and names, and the names that are unknown.

    Names are separated by commas or semicolons, ids by spaces too.
    """
    ids: list[str] = []
    unknown: list[str] = []
    for part in re.split(r"[,;]", words):
        name = _normalize_name(part)
        if not name:
            continue
        court = find_court(name)
        if court:
            ids.append(court)
        elif _COURT_WORD.search(name) or not all(map(_ID.fullmatch, name.split())):
            unknown.append(part.strip())
        else:
            ids += name.split()
    return ids, unknown


def find_court(name: str) -> str:
    """Return the id of a court by its normalized name, "" if it is not known by a name."""
    if name in NAMES:
        return NAMES[name]
    circuit = _CIRCUIT.fullmatch(name)
    if circuit:
        return _find_circuit(circuit[1])
    district = _DISTRICT.fullmatch(name)
    if district and district[2].strip() in STATES:
        direction = (district[1] or "")[:1]
        return f"{STATES[district[2].strip()][0]}{direction}d"
    initials = _DISTRICT_INITIALS.fullmatch(name)
    if initials and (initials[1] or " " in name):
        return _find_district(initials[1], initials[2])
    state = re.fullmatch(r"supreme court of ([a-z ]+)|([a-z ]+) supreme court", name)
    if state:
        return STATES.get(state[1] or state[2], ("", ""))[1]
    return ""


def _find_circuit(number_text: str) -> str:
    if number_text in CIRCUITS:
        return f"ca{CIRCUITS.index(number_text) + 1}"
    number = re.fullmatch(r"([0-9]{1,2})(?:st|nd|rd|th|d)?", number_text)
    if number and 1 <= int(number[1]) <= len(CIRCUITS):
        return f"ca{int(number[1])}"
    return ""


def _find_district(direction: str, state: str) -> str:
    """Return the id of a district court by its initials, as in S.D.N.Y. or D. Mass."""
    for postal, highest in STATES.values():
        if state in (postal, highest):
            return f"{postal}{direction}d"
    return ""


def _normalize_name(name: str) -> str:
    """Return a name in lower case without dots and "the", with initials joined."""
    joined = re.sub(r"\.(?=\s?[A-Za-z]\.)\s?", "", name.strip())
    words = joined.lower().replace(".", "").replace("united states district", "us district")
    return " ".join(word for word in words.split() if word != "the")
