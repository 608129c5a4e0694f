"""Tell lines that give an address, a phone number, hours or a copyright and state nothing."""

from __future__ import annotations

import re

#: Words of a line that states something.
STATING_WORDS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|may|might|will|would|should|must|does|do|did|cannot"
    r"|isn['’]t|aren['’]t|don['’]t|doesn['’]t|won['’]t|you|we|they|it)\b",
    re.IGNORECASE,
)
#: A line of names only, with commas: "Department of Neurology, Example Hospital, Seattle, WA."
_NAME = (
    r"(?:[^\W_a-z][\w.'’&/-]*|of|for|the|and|at|in|on|de|del|des|di|da|du|la|le|der|die|das|für|und|et"
    r"|e|y|von|van|zu|an|am)"
)
_NAMES_ONLY = re.compile(rf"{_NAME}(?:[,;]? {_NAME})*\.?$")
#: What an address or an affiliation has: an institution or its part, a street, a state or a code.
_PLACE_PART = re.compile(
    r"\b(?:Dep(?:artmen)?t|Division|School|Faculty|Institut\w*|Cent(?:er|re)|Laborator\w+|Section|Unit"
    r"|College|Hospital|Clinic|Universi\w+|Foundation|Fakultät|Klinik\w*|Abteilung|Lehrstuhl|Faculté"
    r"|Hôpital|Facultad|Departamento|Dipartimento|Street|St|Road|Rd|Avenue|Ave|Boulevard|Blvd|Lane"
    r"|Drive|Square|Suite|Floor|Building|P\.?O\.? Box|Rue|Calle|Via|Platz)\b|stra(?:ß|ss)e\b|\bStr\."
    r"|, [A-Z]{2}(?: \d{5}(?:-\d{4})?)?(?:, USA)?\.?$|\b\d{5}(?:-\d{4})?\b"
    r"|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b",
)
_PHONE_NUMBER = re.compile(
    r"(?:\+\d{1,3}|\(\d{2,5}\)|\b\d{3,5})[ ./-]*\(?\d{2,4}\)?[ ./-]\d{2,4}(?:[ ./-]?\d{2,4})?\b"
)
_PHONE_LINE = re.compile(
    r"(?:tel(?:ephone|efon|éfono|efono)?|tél(?:éphone)?|phone|fax|mobile|hotline|toll[- ]free|call"
    r"|contact|ring|rufen|appelez|llame)\b",
    re.IGNORECASE,
)
_DAY = (
    r"(?:mon|tues?|we(?:dnes|d)|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|montags?|dienstags?|freitags?"
    r"|samstags?|sonntags?|lundi|vendredi|samedi|dimanche|lunes|viernes|sábado|domingo|daily"
)
_HOURS = re.compile(
    rf"\b(?:{_DAY}).*(?:\d ?[ap]\.?m\b|\d[:.h]\d\d|\d (?:uhr|h)\b)"
    rf"|^(?:opening |office |business )?hours\b.*\d",
    re.IGNORECASE,
)
#: Words of a line of hours, and how many others it may have ("Closed on the second Monday").
_HOURS_WORDS = frozenset(
    """
        monday tuesday wednesday thursday friday saturday sunday mon tue tues thu thurs fri sat sun
        mondays tuesdays wednesdays thursdays fridays saturdays sundays daily weekdays weekends days
        open opening closed closing office business hours holidays public bank noon midnight and from
        until till through except the only uhr montag dienstag mittwoch donnerstag freitag samstag
        sonntag montags dienstags freitags samstags sonntags geöffnet geschlossen bis und von lundi
        mardi mercredi jeudi vendredi samedi dimanche ouvert fermé lunes martes viernes sábado domingo
        abierto cerrado
    """.split()
)
MAX_OTHER_WORDS = 2
COPYRIGHT = re.compile(
    r"\bcopyright (?:\(c\) ?|by |of |held by |\d{4}\b|.{0,60}\b(?:19|20)\d\d\b)|\(c\) ?(?:19|20)\d\d\b"
    r"|^(?:re(?:printed|produced)|used) (?:here )?(?:with|by) (?:\w+ )?permission\b"
    r"|\b(?:licensed|distributed) under (?:the terms of )?(?:the |a )?creative commons\b",
    re.IGNORECASE,
)


def is_contact_line(text: str) -> bool:
    """Return whether a line gives an address, a phone number or hours and states nothing."""
    plain = text.strip("\"'“”‘’ ")
    if re.search(r"[,;]", plain) and _NAMES_ONLY.match(plain) and _PLACE_PART.search(plain):
        return True
    number = _PHONE_NUMBER.search(plain)
    if number and (_PHONE_LINE.match(plain) or not STATING_WORDS.search(plain)):
        return True
    if not _HOURS.search(plain) or STATING_WORDS.search(plain):
        return False
    others = [
        word for word in re.findall(r"[^\W\d_]{3,}", plain.lower()) if word not in _HOURS_WORDS
    ]
    return len(others) <= MAX_OTHER_WORDS
