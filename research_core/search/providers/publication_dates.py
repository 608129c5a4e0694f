"""Convert a provider's publication date, in any of its forms, to RFC 3339 in UTC.

An age such as "3 days ago" counts from a moment the caller gives, that of the answer
(`get_reply_time`), so that a replay gives the same date. An unreadable date is "".
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime

from research_core.models import HttpReply
from research_core.text import dates

#: A longer text is not a date.
MAX_DATE_LENGTH = 100
#: Seconds or milliseconds since 1970; not the digits of a day with hours ("2026112210",
#: "202611221030").
_EPOCH = re.compile(r"(1?\d{9})(?:\.\d{1,9})?|(1\d{12})", re.ASCII)
_ISO = re.compile(r"\d{4}-?\d\d-?\d\d(?:[t ]\d\d:?\d\d.*)?", re.ASCII | re.IGNORECASE)
_MAIL = re.compile(
    r"(?:[a-z]{3,9},\s*)?\d{1,2}[ -][a-z]{3}[ -]\d{2,4} \d\d:\d\d.*", re.ASCII | re.IGNORECASE
)
#: Space before the offset of a zone, and the names of UTC: `datetime.fromisoformat` takes neither.
_GAP = re.compile(r"\s+(?=[+-]\d\d:?\d\d$)")
_UTC = re.compile(r"\s*(?:z|utc|gmt)$", re.IGNORECASE)
#: Words for the units of an age, in the languages search engines are asked in most.
_UNIT_WORDS = {
    "second": (
        "s sec secs second seconds sekunde sekunden seconde secondes seconden segundo segundos"
        " secondo secondi"
    ),
    "minute": "m min mins minute minutes minuten minuut minuto minutos minuti",
    "hour": "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur",
    "day": "d day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen",
    "week": (
        "w wk wks week weeks woche wochen semaine semaines semana semanas settimana settimane weken"
    ),
    "month": (
        "mo mos month months monat monate monaten mois mes meses mês mese mesi maand maanden"
    ),
    "year": (
        "y yr yrs year years jahr jahre jahren an ans année années año años ano anos anno anni jaar"
    ),
}
_LENGTHS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
}
_DAYS, _MONTHS = {"day": 1, "week": 7}, {"month": 1, "year": 12}
_AGE = re.compile(
    r"(?:(?:about|vor|il y"
    r" a|hace|há)\s+)?(?:(\d{1,4})\s*|(?:an?|einem|einer|une?|una|um|uma|een)\s+)"
    r"([^\W\d_]{1,10})\.?"
    r"(?:\s+(?:ago|fa|atrás|geleden))?"
)
_DAYS_AGO = {
    **dict.fromkeys(
        ("today", "heute", "aujourd'hui", "aujourd’hui", "hoy", "oggi", "hoje", "vandaag"), 0
    ),
    **dict.fromkeys(("yesterday", "gestern", "hier", "ayer", "ieri", "ontem", "gisteren"), 1),
}
_NOW = frozenset({"now", "just now", "moments ago"})


def parse_published(text: str, today: date | None) -> str:
    """Return the moment as "2026-11-22T09:00:00Z", or "" if unreadable.

    A time without a zone is taken as UTC, a day alone as its beginning. today: when the answer was
    given, from which ages count, truncated to their unit: a datetime (naive means UTC), a day (its
    beginning), or None, which makes an age "".
    """
    text = " ".join(text.split()) if len(text) <= MAX_DATE_LENGTH else ""
    try:
        found = _parse_epoch(text) or _parse_absolute(text)
        if found is None and today is not None:
            found = _parse_age(text.casefold(), _parse_now(today))
        if found is None:
            return ""
        found = found.astimezone(UTC)
    except (ValueError, OverflowError):  # not a calendar date, or out of range
        return ""
    if found.year < 1000 or found.timestamp() >= dates.MAX_TIMESTAMP:
        return ""
    return found.isoformat(timespec="seconds").replace("+00:00", "Z")


def get_reply_time(reply: HttpReply) -> datetime | None:
    """Return the moment stated in the reply's headers, or None."""
    try:
        return parsedate_to_datetime(reply.headers["date"]).replace(tzinfo=UTC)  # always GMT
    except (KeyError, ValueError, TypeError, IndexError, OverflowError):
        return None


def _parse_epoch(text: str) -> datetime | None:
    found = _EPOCH.fullmatch(text)
    if not found:
        return None
    seconds = int(found[1]) if found[1] else int(found[2]) // 1000
    return datetime.fromtimestamp(seconds, UTC)


def _parse_absolute(text: str) -> datetime | None:
    """Parse a full date; keep the day alone if the rest is unreadable."""
    try:
        if _ISO.fullmatch(text):
            return _to_utc(datetime.fromisoformat(_UTC.sub("Z", _GAP.sub("", text.upper()))))
        if _MAIL.fullmatch(text):
            found = parsedate_to_datetime(text)
            if found.tzinfo or not text[-1].isalpha():
                return _to_utc(found)
            # The time zone's name is unknown, so only the day is certain.
            return _to_utc(datetime.combine(found.date(), time()))
    except (ValueError, TypeError, IndexError, OverflowError):
        pass
    day = dates.parse_full_day(dates.find_day(text))
    return datetime.combine(day, time(), UTC) if day else None


def _parse_age(text: str, now: datetime) -> datetime | None:
    """Parse an age and count it back from now."""
    if text in _NOW:
        return now
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in _DAYS_AGO:
        return midnight - timedelta(days=_DAYS_AGO[text])
    found = _AGE.fullmatch(text)
    unit = _find_unit(found[2]) if found else ""
    if found is None or not unit:
        return None
    count = int(found[1] or 1)
    if unit in _LENGTHS:
        return _floor_to_unit(now - count * _LENGTHS[unit], unit)
    if unit in _DAYS:
        return midnight - timedelta(days=count * _DAYS[unit])
    return _subtract_months(midnight, count * _MONTHS[unit])


def _find_unit(word: str) -> str:
    """Return the unit that a word names; "" if it names none."""
    for unit, words in _UNIT_WORDS.items():
        if word in words.split():
            return unit
    return ""


def _floor_to_unit(moment: datetime, unit: str) -> datetime:
    if unit == "second":
        return moment.replace(microsecond=0)
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    return moment.replace(second=0, microsecond=0)


def _subtract_months(day: datetime, months: int) -> datetime:
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1]))


def _parse_now(today: date) -> datetime:
    return _to_utc(today) if isinstance(today, datetime) else datetime.combine(today, time(), UTC)


def _to_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
