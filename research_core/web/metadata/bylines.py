"""Parse the names in a byline: "By Jane Doe and John Roe | 3 May 2024" names two people.

What is not a name, or is a placeholder ("admin"), is left out. `authors` finds the bylines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

from research_core.text.names import (
    JOINING_WORDS,
    NAME_JOINER,
    PARTICLES,
    UNSPACED_SCRIPTS,
    has_group_word,
)
from research_core.text.words import strip_invisible

#: Names kept, characters of one, and characters of a text that are read; no regular expression
#: here gets more than that.
MAX_NAMES, MAX_NAME_LENGTH, MAX_BYLINE_LENGTH = 50, 80, 400
MAX_UNSPACED_LENGTH = 16  # of a name in Chinese or Japanese


def _any_of(*patterns: str) -> str:
    """Return a group that matches any of these patterns; each may hold several, with bars."""
    return f"(?:{'|'.join(patterns)})"


def _ignore_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# ---------------------------------------------------------------- words around names

_MONTHS = (
    "jan january januar janvier enero gennaio januari feb february februar février febrero febbraio"
    " mar march märz mars marzo maart apr april avril abril aprile may mai mayo maggio mei jun june"
    " juni juin junio giugno jul july juli juillet julio luglio aug august août agosto augustus sep"
    " sept september septembre septiembre settembre oct october oktober octobre octubre ottobre nov"
    " november novembre noviembre dec december dezember décembre diciembre dicembre"
)
_ENGLISH_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_DAYS = (
    " ".join(day[:3] for day in _ENGLISH_DAYS.split())
    + f" {_ENGLISH_DAYS} montag dienstag mittwoch donnerstag freitag samstag sonntag "
    "mo di mi do fr sa so lundi mardi mercredi jeudi vendredi samedi dimanche"
)
#: Words before a date or a time; and those that end a byline even without one.
_BEFORE_DATES = frozenset(
    f"{_MONTHS} {_DAYS} on am vom den le el il at um in the of posted published updated last"
    " modified publiziert aktualisiert stand veröffentlicht erschienen zuletzt geändert publié"
    " publicado actualizado date datum".split()
)
_LEFTOVER_WORDS = frozenset("on am vom at um in under unter dans le el date datum".split())
_ACTION_WORDS = _any_of(
    r"gespeichert|(?:blog[-"
    r" ]?)?(?:post|beitrag|artikel)|written|posted|published|submitted|created|contributed"
    r"|reported|reporting|words|texts?|"
    r"story|article|geschrieben|verfasst|veröffentlicht|erstellt|eingestellt|gastbeitrag|ein"
    r" beitrag|kommentar|texte|propos recueillis|"
    r"écrit|publié|posté|rédigé|escrito|publicado|scritto|pubblicato|geschreven|zeige alle"
    r" beiträge|all posts|view all posts|more"
)
#: Kinds of texts that a byline may name before its by-word ("Eine Analyse von", "Opinion by").
_TEXT_KINDS = _any_of(
    r"analy(?:sis|se)|opinion|commentary|review|essay|column|editorial|feature|interview|guest post"
    r"|gastbeitrag|gastkommentar|kommentar|kolumne|reportage|bericht|porträt|rezension|entretien"
    r"|enquête|chronique|tribune|critique|entrevista|reportaje|columna|análisis|intervista|testo"
    r"|articolo|a cura|tekst|tekstas|artykuł|artikel|texto|artigo|reportagem"
)
_TEXT_ARTICLES = r"(?:an?|eine?|une?|una?|uma?|um|en|ett?|et)\s+"
#: By-words that need a kind of text before them, as they are particles of names too.
_GENITIVE_LEAD = (
    rf"(?:{_TEXT_ARTICLES})?(?:article|texte|enquête|reportage|entretien|chronique|tribune"
    r"|analyse|artículo|reportaje|crónica|columna|texto|artigo|reportagem)\s+(?:de\s+|d['’])"
)
_BY_WORDS = _any_of("by|von|vom|par|por|di|door|av|af|przez|от")
_AUTHOR_WORDS = _any_of("authors?|autor(?:en|in|e[s]?|i|a)?|auteur(?:e|s)?|autrice")
_PICTURE_WORDS = _any_of(
    "texte?|texto|testo|tekst|foto|bild(?:er)?|fotos?|photos?|fotografie|interview|words"
)
_BYLINE_LABEL = _any_of(
    rf"{_PICTURE_WORDS} ?(?:und|and|et|en|og|och|[ye&+])"
    rf" ?{_PICTURE_WORDS}|{_AUTHOR_WORDS}|author\(s\)|(?:verfasser|redakteur)(?:in)?|reporter"
    rf"|автор(?:ы|ка)?|текст|作者|記者|记者|取材・文|文・写真|写真・文|撰文|글|취재|كتب(?:ت)?|الكاتب|بقلم|מאת"
    r"|kirjoittaja|teksti|yazan|yazar|συντάκτης|κείμενο|szerző|írta|napsala?|autoři|autorzy"
    r"|redactie|forfatter|skribent|journaliste?|periodista|"
    "文|texte?|texto|testo|tekst|words|story|interview|bericht|essay|kolumne(?:"
    " von)?|kommentar|über(?: den autor)?|about(?: the author)?"
)
#: Words before the names that need no colon.
_PLAIN_LEAD = (
    r"(?:napsala?|γράφ(?:ει|ουν) (?:[οη]|οι)|írta|kirjoittanut|بقلم|كتبت?|מאת)\s+"
    r"|(?:本[报報]|特[约約])?(?:記者|记者)\s+|글\s+"
)
#: The words before the names.
_BYLINE_LEAD = _ignore_case(
    rf"(?:(?:{_TEXT_ARTICLES})?{_any_of(_ACTION_WORDS, _TEXT_KINDS)}\s+)?{_BY_WORDS}(?:\s*:\s*|\s+)"
    rf"|{_BYLINE_LABEL}\s*[:：]\s*|{_GENITIVE_LEAD}|{_PLAIN_LEAD}"
    rf"|(?:{_AUTHOR_WORDS}|über|about)\s+(?-i:(?=[A-Z]))",
)
#: Names of those who did something else than write, up to the end ("Photos by John Roe").
_OTHER_CREDIT = re.compile(
    r"(?<!\band)(?<!\bund)(?<!\bet)(?<!\b[yei])(?<!\b[eo][gn])(?<!\boch)(?<![&+/])(?:^|[\s,;(])"
    r"(?:(?:medically|clinically|expert|scientifically)\s+)?"
    r"(?:(?:reviewed|edited|editing|fact[- ]checked|fact[- ]checking|photo(?:s|graph[sy]?|graphed)?"
    r"|pictures?|illustrations?|illustrated|videos?|translated|translation|design|fotos?|bild(?:er)?"
    r"|illustration(?:en)?|übersetzt|übersetzung|photographies|traduit|traduction|fotografías?"
    r"|traducido|ilustraciones|foto(?:grafie)?|tradotto)\s+(?:by|von|par|por|di|door|av|af)\s"
    r"|(?:fotos?|bild(?:er)?|photos?|illustrationen?|videos?)\s*[:：]\s*(?=\S)"
    r"|(?<=\s)(?-i:Fotos?|Bild(?:er)?|Photos?)\s+(?-i:(?=[A-ZÀ-Þ]))).*",
    re.IGNORECASE | re.DOTALL,
)
#: Whoever was interviewed, behind the interviewer.
_INTERVIEWED = _ignore_case(
    r"^((?:\S+\s+)?(?:interview|gespräch|entretien|entrevista|intervista)\s+.*?)"
    r"\s(?:mit|with|avec|con|com)\s.*",
)
_AND_OTHERS = _ignore_case(
    r",?\s+(?:(?:and|&) (?:others|\d+ more)|et al\b\.?|u\.\s?a\.|und andere|et autres"
    r"|y otros|e altri|e outros|и др(?:угие|\.)|en anderen|等)\s*$",
)
_READING_TIME = _ignore_case(
    r"(?:\b(?:reading time|lesezeit|lesedauer|temps de lecture|tiempo de lectura)\s*:?\s*)?"
    r"(?<![^\W_])\d{1,3}\s?[-–]?\s?min\w{0,6}\.?"
    r"(?:\s+(?:read|reading|lesezeit|lesedauer|(?:de |di )?lect?ura|de lecture|di lettura))?(?!\w)",
)
#: Words of a page's controls around a name.
_CONTROL_START = _ignore_case(
    r"^(?:(?:avatar|photo|picture|portrait|image|headshot) of|(?:avatar|profilbild|foto|bild|porträt)"
    r" (?:von|für)|(?:photo|foto|imagen|portrait|avatar) de)\s+",
)
_CONTROL_END = _ignore_case(
    r"(?:['’]s (?:profile|bio|page)|\s+(?:follow(?:ing)?|folgen|suivre|seguir|subscribe|bio|profile"
    r"|profil|(?:view|see|read) (?:all|more)\b.*|(?:alle|mehr) (?:beiträge|artikel)\b.*"
    r"|tous (?:les|ses) articles\b.*|ver (?:todos|más)\b.*))$",
)
_LATER_LEAD = _ignore_case(rf"(?:^|[\s,]){_BY_WORDS}\s+(?=[^\W\d_])")
_BOTH_SEXES = _ignore_case(r"\b(autor|redakteur|verfasser)(?:/-?|\*|:|_)in(?:nen)?\b")
_PLACE_PHRASE = re.compile(
    r"(?<=\w)\s(?:under|in|unter|on|at|for|auf|dans|filed)\s.*?"
    r"(?=\s(?:and|und|et|og|och|en)\s[^\W\d_a-zß-ÿ]\S*\s[^\W\d_a-zß-ÿ]|$)"
)
_DATE_START = re.compile(r"(?<![^\W_])\d")

# ---------------------------------------------------------------- separators and non-names

_NAME_SEPARATOR = re.compile(r"\s*[|·•∙●▪⋅‧»«/\\;\t\n]\s*|\s+[–—-]+\s+|\s\*\s")
_AND = re.compile(
    r",?\s(?:and|und|et|och|og|with|mit|avec|con|And|Und|AND|UND|ET|OG|OCH)\s|\s*&\s*|\s\+\s|、|，"
)
_OR_ONE_NAME = re.compile(
    r"\s(?:[yYeiи]|en|ja|ve|és|și|și|και|та)\s"
)  # "Ana Ruiz y Juan Gil" are two, "Ramón y Cajal" is one
_TAG = re.compile(r"<[^<>]{0,200}>")
_LINK = _ignore_case(
    r"(?:https?:|www\.)\S+|[\w.+-]+(?:@|\[at\]|\(at\))[\w.-]+|(?<!\w)@\w+",
)
_DOMAIN = _ignore_case(
    r"(?:\w[\w-]*\.)+(?:com|org|net|de|at|ch|eu|fr|es|it|nl|uk|info|blog|tv|io)\b\S*",
)
_PARENTHETICAL = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]|[\"“”„«»][^\"“”„«»]*[\"“”„«»]")
_ROLE = _ignore_case(
    r"(?:(?:senior|chief|deputy|managing|guest|staff|special|science|health|political|contributing"
    r"|associate|assistant|freelance|lead) )*"
    r"(?:(?:writer|editor|reporter|correspondent|contributor|columnist|journalist|author"
    r"|photographer|producer|translator)s?|phd|ph\.d\.?|"
    r"m\.?d\.?|mph|m\.?sc\.?|m\.?a\.?|b\.?a\.?|rn|rd|dpa|afp|ap|apa|sid|reuters|epd|kna"
    r"|(?:übersetzer|redakteur|journalist)(?:in)?|"
    r"redaktion|chefredakteur(?:in)?|rédact(?:eur|rice)|journaliste|periodista|ceo|cto|founder)(?:["
    r" -].*)?"
    r"|(?:\S+"
    r" ){1,3}(?:writer|editor|reporter|correspondent|columnist|(?:redakteur|korrespondent)(?:in)?)",
)
#: Degrees behind a name and a comma; and those that are no surname, so that they need no comma.
_SURE_DEGREES = _any_of(
    r"Ph\.?\s?D\.?|M\.?D\.?|D\.?Phil\.?|MBBS|MBChB|MPH|MSc|MBA|RN|RDN?|DVM|DDS|DMD|DNP|BSN|MSN|CPA|CFA"
    r"|CFP|LCSW|LMFT|LPC|CHES|CSCS|Esq\.?|J\.?D\.?|Ed\.?D\.?|Psy\.?D\.?|Pharm\.?D\.?|FA[AC][CPS]|FRC[PS]|MRC[PS]"
    r"|[OMC]BE|CSc\.?|DrSc\.?|LL\.?[MB]\.?"
)
_DEGREE = re.compile(rf"(?:{_SURE_DEGREES}|D\.?O\.?|[MB]\.?[AS]c?\.?|N\.?P\.?|PA(?:-C)?|LD)")
_DEGREE_END = re.compile(rf"(?<=\w)(?:,?\s+{_SURE_DEGREES})+$")
#: Words before the occupation that ends a byline without a comma ("Jane Doe Staff Writer").
_OCCUPATION_WORDS = _any_of(
    r"senior|chief|deputy|managing|guest|staff|special|science|health|medical|political|politics"
    r"|contributing|associate|assistant|freelance|lead|business|sports?|news|national|foreign|world"
    r"|international|features?|culture|arts?|technology|tech|food|travel|executive|digital|online"
    r"|investigative|city|local|environment|climate|education|economics?|diplomatic|europe|legal"
    r"|finance|money|data|night|weekend|religion|transport|security|defence|defense|entertainment"
)
_OCCUPATION_END = _ignore_case(
    rf"(?P<name>\S+\s\S+(?:\s\S+)??)\s(?:{_OCCUPATION_WORDS}(?:\s+(?:and|&)\s+|\s+|-))*"
    r"(?:(?:writer|editor|reporter|correspondent|contributor|columnist|journalist)s?|photographer"
    r"|redakteur(?:in)?|reporterin|korrespondent(?:in)?|journaliste|periodista|giornalista)",
)
_OCCUPATION_WORD = _ignore_case(rf"(?:the|our|{_OCCUPATION_WORDS})")
_AGENCY_END = _ignore_case(
    r"(?<=\w\s\w)(\w*)\s+(?:(?:the )?associated press|reuters|bloomberg news|bbc news|cnn|afp|upi"
    r"|press association|pa media|getty images)$",
)
_EAST_ASIAN_ROLE = re.compile(r"\s*(?:記者|记者|기자|특파원|논설위원|編集委員|編輯|编辑)$")
_TITLE = _ignore_case(
    r"(?:(?:prof|dott)\.ssa\s+|(?:dr|prof|dra|mme|mlle)\s+"
    r"|(?:dra|dott|sra|rev|mgr|mudr|judr|rndr|phdr|bc|lic|hon|univ|priv|doz|д-р|проф)\.(?:\s|-)*"
    r"|(?:prof|dr|mr|mrs|ms|mag|ing|dipl|med|phil|rer|nat|hc|h|c)\.(?:\s|-)*|(?:professor|herr"
    r"|frau|sir|dame)\s+|"
    r"\S*(?:expert|redakteur|korrespondent|mitarbeiter|reporter)(?:e|in)\s+|\S*(?:redakteur"
    r"|autorin|korrespondent|mitarbeiter)\s+)+",
)
_SUFFIX = _ignore_case(r"(?:jr|sr|ii|iii|iv|v)\.?")
_INITIALS = re.compile(r"(?:[A-ZÀ-ÖØ-Þ]\.?[ -]?){1,3}")
_VANCOUVER = re.compile(r"([^\W\d_][\w'’-]+) ([A-Z]{1,3})")
_ABBREVIATED = re.compile(r"\b(?:[^\W\d_]|[JS]r)\.\s*$")
_EDGE_CHARACTERS = " \t\n,.;:!?*#~<>=+_-–—/\\|'\"“”„‘’()[]{}»«©®™"
_LEADING_SIGNS = " -–—*|•·>"
#: One person with the surname first, as in a list whose separator is another than a comma.
_TURNED_PIECE = re.compile(r"[^\W\d_][^\s,]*,\s[^\W\d_][^\s,]*(?:\s[^\W\d_]\.?)?")
_SENTENCE_SIGN = re.compile(r"[?!]|(?i:\b(?:minutes?|min|hace|lesezeit|lectura)\b)")
_PARTICLE = "|".join(sorted(map(re.escape, PARTICLES)))
_NOT_IN_NAME = re.compile(
    r"[?!<>{}=#%$*@:：]"
    rf"|\.\s+(?!(?:{_PARTICLE})\b)[a-zß-ÿ]|(?<!\S)\d|\d{{5}}|(?i:\b(?:edition|edited)\b)"
)

#: Words that are not names by themselves.
NOT_NAMES = frozenset(
    name.strip()
    for name in """
    admin,administrator,author,authors,autor,autorin,autoren,auteur,anonymous,anonym,
    anonyme,anónimo,unknown,unbekannt,none,null,undefined,n/a,na,nan,guest,gast,user,
    benutzer,webmaster,root,editor,editors,editorial,redaktion,redaktionsteam,redakteur,
    redacción,rédaction,redazione,redactie,staff,newsdesk,newsroom,press,presse,
    publisher,verlag,contributor,contributors,name,website,home,blog,team,default,
    system,test,by,von,text,texte,publiziert,veröffentlicht,posted,follow,share,
    comments,kommentare,mehr,more,weiter,details,staff writer,staff writers,
    staff reporter,news desk,news staff,web desk,guest author,guest post,
    gastautor,no author,the editors,editorial team,editorial staff,editorial board,
    die redaktion,la rédaction,la redacción,online redaktion,online-redaktion,
    site admin,super user,see more,read more,various authors,our foreign staff
    """.split(",")
)


def parse_people(raw: str, *, turned: bool = False, listed: bool = False) -> tuple[str, ...]:
    """Return the names in a byline, in order, each once.

    turned: commas stand between last and first name ("Doe, Jane"), as in library data; listed: they
    stand between people, as in the text of a page. With neither, the names on both sides decide.
    """
    text = _TAG.sub(" ", unescape(strip_invisible(raw[: MAX_BYLINE_LENGTH * 4])))[
        :MAX_BYLINE_LENGTH
    ]
    text = _LINK.sub(" ", _BOTH_SEXES.sub(r"\1", text))
    if text[:1] == "(" and text[-1:] == ")":
        text = text[1:-1]
    text = _DOMAIN.sub(" ", _PARENTHETICAL.sub(" ", text))
    pieces = []
    for part in _NAME_SEPARATOR.split(_READING_TIME.sub(" ", text)):
        piece = _OTHER_CREDIT.sub("", " ".join(part.split()))
        piece = _INTERVIEWED.sub(r"\1", piece).lstrip(_LEADING_SIGNS)
        if piece and not _SENTENCE_SIGN.search(piece):
            pieces.append(piece)
    # In library data a first "von" is a part of the surname.
    has_particle = turned and any(piece.split()[0] in PARTICLES for piece in pieces)
    led = [] if has_particle else list(filter(None, map(_cut_before_lead, pieces)))
    if led or listed:
        pieces = [_PLACE_PHRASE.sub("", piece) for piece in led or pieces]
    if len(pieces) > 1 and all(map(_TURNED_PIECE.fullmatch, pieces)):
        turned, listed = True, False
    names: list[str] = []
    for piece in pieces:
        names += map(_clean_name, _split_names(_cut_after_date(piece), turned, listed))
    return drop_repeated_names(filter(None, names))


def drop_repeated_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, in its first spelling; of too many, the first ones and the last."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(make_name_key(name), name)
    kept = tuple(first.values())
    return kept if len(kept) <= MAX_NAMES else (*kept[: MAX_NAMES - 1], kept[-1])


def make_name_key(name: str) -> str:
    """Return the key that two spellings of a name share: letters and digits in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))


def _cut_before_lead(piece: str) -> str:
    """Return what follows "By", "Author:" and the like, or "" if there is no such lead."""
    rest = piece
    while found := _BYLINE_LEAD.match(rest):
        rest = rest[found.end() :]
    if rest != piece:
        return rest
    later = _LATER_LEAD.search(piece)
    if later and _begins_with_date(piece[: later.start()]):
        return piece[later.end() :]
    return ""


def _begins_with_date(text: str) -> bool:
    first = (text.split() or [""])[0].strip(_EDGE_CHARACTERS).lower()
    return first in _BEFORE_DATES or first[:1].isdigit()


def _cut_after_date(piece: str) -> str:
    """Return the piece up to a date or time, without the words that lead to one."""
    dated = _DATE_START.search(piece)
    if dated:
        words = piece[: dated.start()].split(" ")
        droppable = _BEFORE_DATES | {""}
    else:
        words = piece.split(" ")
        droppable = _LEFTOVER_WORDS
    while words and words[-1].strip(_EDGE_CHARACTERS).lower() in droppable:
        words.pop()
    return " ".join(words)


def _split_names(piece: str, turned: bool, listed: bool) -> Iterator[str]:
    piece = _AND_OTHERS.sub("", piece)
    is_group_name = has_group_word(piece.partition(",")[0])
    for group in [piece] if is_group_name else _AND.split(piece):
        two = _OR_ONE_NAME.split(group, maxsplit=1)
        are_two_names = len(two) == 2 and all(" " in each for each in two)
        for one in two if are_two_names else [group]:
            parts = list(filter(None, (part.strip() for part in one.split(","))))
            yield from _split_at_commas(parts, turned, listed)


def _split_at_commas(parts: list[str], turned: bool, listed: bool) -> Iterator[str]:
    if turned and len(parts) == 1:
        short = _VANCOUVER.fullmatch(parts[0])
        if short:
            parts = [short[1], short[2]]
    suffixes: list[str] = []
    names: list[str] = []
    for part in [*map(_cut_occupation, parts[:1]), *parts[1:]]:
        if _SUFFIX.fullmatch(part):
            suffixes.append(part)
        elif not (_ROLE.fullmatch(part) or (names and _DEGREE.fullmatch(part))):
            names.append(part)
    if len(names) > 1 and all(map(_VANCOUVER.fullmatch, names)):
        names = [part for name in names for part in name.rsplit(" ", 1)]
    pairs = list(zip(names[::2], names[1::2], strict=False))
    single = turned and not any(" " in name for name in names)
    are_turned = len(names) % 2 == 0 and all(
        (single and len(names) > 2) or _is_turned(last, first, turned, listed, len(names))
        for last, first in pairs
    )
    if pairs and are_turned:
        for last, first in pairs:
            yield " ".join((first, last.replace(" ", NAME_JOINER), *suffixes[:1]))
    elif suffixes and len(names) == 1:
        yield f"{names[0]} {suffixes[0]}"
    else:
        yield from names


def _cut_occupation(text: str) -> str:
    """Return a name without the occupation that follows it without a comma."""
    occupied = _OCCUPATION_END.fullmatch(text)
    if occupied and not any(map(_OCCUPATION_WORD.fullmatch, occupied["name"].split())):
        return occupied["name"]
    return text


def _is_turned(last: str, first: str, turned: bool, listed: bool, count: int) -> bool:
    """Return whether a comma separates surname and given name, not two people or things."""
    if (
        _INITIALS.fullmatch(first)
        and not _INITIALS.fullmatch(last)
        and ("." in first or " " not in last)
    ):
        return True
    if (
        count > 2
        or listed
        or last.isupper()
        or first.isupper()
        or has_group_word(f"{last} {first}")
    ):
        return False
    if last.split()[0] in PARTICLES and " " in last and first[:1].isupper() and " " not in first:
        return True
    return turned or (
        " " not in last and len(first.split()) <= 2 and last[:1].isupper() and first[:1].isupper()
    )


def _clean_name(name: str) -> str:
    """Return a name without titles and stray signs; "" if it is not a name."""
    name = _CONTROL_END.sub("", _CONTROL_START.sub("", name.strip()))
    name = _DEGREE_END.sub("", _AGENCY_END.sub(r"\1", _EAST_ASIAN_ROLE.sub("", name)))
    if _TITLE.match(name.strip()):
        name = re.sub(r"[ \t\n]+", " ", name).strip(" ,;:|")
        name = _TITLE.sub("", name, count=1)
    is_abbreviated = _ABBREVIATED.search(name)
    name = name.strip(_EDGE_CHARACTERS)
    if is_abbreviated:
        name += "."
    words = name.replace(NAME_JOINER, " ").split()
    if not 1 < len(name) <= MAX_NAME_LENGTH or not any(map(str.isalpha, name)):
        return ""
    if _NOT_IN_NAME.search(name) or _is_phrase(name, words):
        return ""
    if " ".join(words).casefold() in NOT_NAMES or _ROLE.fullmatch(name):
        return ""
    if _BEFORE_DATES.issuperset(name.casefold().split()):
        return ""
    return _fix_capitals(name, words)


def _is_phrase(name: str, words: list[str]) -> bool:
    """Return whether the text is more than a name.

    It has too many words, too many in lower case, or too many characters of a script without
    spaces.
    """
    small = sum(word[:1].islower() and word not in PARTICLES | JOINING_WORDS for word in words)
    return (
        len(words) > 6
        or (len(words) > 3 and small > 1)
        or (
            len(words) == 1
            and len(name) > MAX_UNSPACED_LENGTH
            and bool(UNSPACED_SCRIPTS.search(name))
        )
    )


def _fix_capitals(name: str, words: list[str]) -> str:
    """Return a name in capitals with normal capitalisation; abbreviations stay."""
    if (
        len(words) < 2
        or not name.isupper()
        or any(len(word.strip(".")) < 3 and "." not in word for word in words)
    ):
        return name
    return re.sub(r"[^\W\d_]+", lambda word: word[0].capitalize(), name)
