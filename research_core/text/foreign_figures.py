"""Parse the figures of a sentence in German, French, Spanish, Portuguese, Italian or Dutch.

The sentence is read as `figures` reads English: its numbers, scales, units and the words around
them ("rund", "mindestens") are put into English, and each figure keeps its text as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from research_core.text.figures import Figure, parse_figures
from research_core.text.languages import guess_language

#: English words and those of each language that mean the same beside a figure, separated by "/".
_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "thousand": "tausend",
        "million": "millionen/million/mio.",
        "billion": "milliarden/milliarde/mrd.",
        "trillion": "billionen/billion",
        "percent": "prozent",
        "seconds": "sekunden/sekunde",
        "minutes": "minuten/minute",
        "hours": "stunden/stunde",
        "days": "tagen/tage/tag",
        "weeks": "wochen/woche",
        "months": "monaten/monate/monat",
        "years": "jahren/jahre",
        "tonnes": "tonnen",
        "grams": "gramm",
        "at least": "mindestens/wenigstens",
        "at most": "höchstens/maximal",
        "up to": "bis zu",
        "more than": "mehr als",
        "less than": "weniger als",
        "over": "über",
        "under": "unter",
        "about": "rund/etwa/ungefähr/circa/ca./zirka",
        "nearly": "fast/knapp/beinahe",
        "by": "um",
        "and": "und",
        "to": "bis",
        "table": "tabelle/abschnitt/kapitel/seite/artikel/nummer/nr./stufe/typ/abbildung",
        # A noun before a number, which would be a name in English.
        "average": "durchschnitt/mittel/schnitt",
        "year": "jahr",
    },
    "fr": {
        "thousand": "mille",
        "million": "millions de/millions d'/millions d’/millions/million",
        "billion": "milliards de/milliards d'/milliards d’/milliards/milliard",
        "percent": "pour cent",
        "seconds": "secondes/seconde",
        "hours": "heures/heure",
        "days": "jours/jour",
        "weeks": "semaines/semaine",
        "months": "mois",
        "years": "années/ans/an",
        "metres": "mètres/mètre",
        "at least": "au moins",
        "at most": "au plus/au maximum",
        "up to": "jusqu'à/jusqu’à",
        "more than": "plus de/plus d'/plus d’",
        "less than": "moins de/moins d'/moins d’",
        "about": "environ",
        "nearly": "près de/presque",
        "and": "et",
        "to": "à",
    },
    "es": {
        "billion": "mil millones de/mil millones",
        "thousand": "mil",
        "million": "millones de/millones/millón de/millón",
        "percent": "por ciento",
        "seconds": "segundos/segundo",
        "minutes": "minutos/minuto",
        "hours": "horas/hora",
        "days": "días/día",
        "weeks": "semanas/semana",
        "months": "meses/mes",
        "years": "años/año",
        "metres": "metros/metro",
        "kilometres": "kilómetros",
        "at least": "al menos/por lo menos/como mínimo",
        "at most": "como máximo",
        "up to": "hasta",
        "more than": "más de",
        "less than": "menos de",
        "about": "unos/unas/alrededor de/aproximadamente/cerca de",
        "nearly": "casi",
        "and": "y",
        "to": "a",
    },
    "pt": {
        "thousand": "mil",
        "million": "milhões de/milhões/milhão de/milhão",
        "billion": "bilhões de/bilhões/bilhão",
        "percent": "por cento",
        "seconds": "segundos/segundo",
        "minutes": "minutos/minuto",
        "hours": "horas/hora",
        "days": "dias/dia",
        "weeks": "semanas/semana",
        "months": "meses/mês",
        "years": "anos/ano",
        "metres": "metros/metro",
        "kilometres": "quilômetros/quilómetros",
        "at least": "pelo menos/no mínimo",
        "at most": "no máximo",
        "up to": "até",
        "more than": "mais de",
        "less than": "menos de",
        "about": "cerca de/aproximadamente",
        "nearly": "quase",
        "and": "e",
        "to": "a",
    },
    "it": {
        "thousand": "mila/mille",
        "million": "milioni di/milioni/milione di/milione",
        "billion": "miliardi di/miliardi/miliardo",
        "percent": "per cento",
        "seconds": "secondi/secondo",
        "minutes": "minuti/minuto",
        "hours": "ore/ora",
        "days": "giorni/giorno",
        "weeks": "settimane/settimana",
        "months": "mesi/mese",
        "years": "anni/anno",
        "metres": "metri/metro",
        "kilometres": "chilometri",
        "at least": "almeno",
        "at most": "al massimo",
        "up to": "fino a",
        "more than": "più di",
        "over": "oltre",
        "less than": "meno di",
        "about": "circa",
        "nearly": "quasi",
        "and": "e",
        "to": "a",
    },
    "nl": {
        "thousand": "duizend",
        "million": "miljoen",
        "billion": "miljard",
        "percent": "procent",
        "seconds": "seconden",
        "minutes": "minuten",
        "hours": "uur/uren",
        "days": "dagen/dag",
        "weeks": "weken",
        "months": "maanden/maand",
        "years": "jaar/jaren",
        "at least": "minstens/ten minste/minimaal",
        "at most": "hoogstens/maximaal",
        "more than": "meer dan",
        "less than": "minder dan",
        "about": "ongeveer/circa/rond",
        "nearly": "bijna",
        "and": "en",
        "to": "tot",
    },
}
#: "25.000", "520 000" and "1.250.000,50"; "1,09". Of "1,500" it is unknown what the comma means.
_GROUPS = r"(?<![\d.,])\d{1,3}(?:[. \u00a0\u202f]\d{3})+(?:,\d+)?(?![\d.,]*\d)"
_DECIMAL = r"(?<![\d.,])\d+,\d+(?![\d.,]*\d)"
_SWAP = str.maketrans({".": ",", ",": ".", " ": ",", "\u00a0": ",", "\u202f": ","})


def parse_figures_in_language(sentence: str, around: str = "") -> tuple[Figure, ...]:
    """Return the figures of a sentence in its language, in order, with their text as written.

    around: the language of the text around it, for a sentence too short to tell its own.
    """
    words = _list_words(guess_language(sentence) or around)
    if not words:
        return parse_figures(sentence)
    english, starts = _put_into_english(sentence, words)
    found = []
    place = 0
    for figure in parse_figures(english):
        start = english.find(figure.text, place)
        place = start + len(figure.text)
        written = sentence[starts[start] : starts[place]].strip()
        found.append(replace(figure, text=written))
    return tuple(found)


@cache
def _list_words(language: str) -> Mapping[str, str]:
    """Return {word of the language in lower case: English}, the longest first; {} for others."""
    pairs = []
    for english, words in _WORDS.get(language, {}).items():
        pairs += [(word, english) for word in words.split("/")]
    return dict(sorted(pairs, key=lambda pair: -len(pair[0])))


@cache
def _compile(words: tuple[str, ...]) -> re.Pattern[str]:
    alternatives = "|".join(map(re.escape, words))
    return re.compile(
        rf"(?P<number>{_GROUPS}|{_DECIMAL})|(?<![^\W\d_])(?:{alternatives})(?![^\W_])",
        re.IGNORECASE,
    )


def _put_into_english(sentence: str, words: Mapping[str, str]) -> tuple[str, list[int]]:
    """Return the sentence as English writes its figures, and where each character comes from.

    The list has one more entry, for the end.
    """
    pieces: list[str] = []
    starts: list[int] = []
    place = 0
    for start, end, english in _find_replacements(sentence, words):
        pieces += [sentence[place:start], english]
        starts += range(place, start)
        starts += [start] * len(english)
        place = end
    pieces.append(sentence[place:])
    starts += range(place, len(sentence) + 1)
    return "".join(pieces), starts


def _find_replacements(sentence: str, words: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    for match in _compile(tuple(words)).finditer(sentence):
        if match["number"]:
            yield *match.span(), match[0].translate(_SWAP)
            continue
        english = words[match[0].lower()]
        # "25mila" is one word.
        joined = match.start() > 0 and sentence[match.start() - 1].isdigit()
        yield *match.span(), f" {english}" if joined else english
