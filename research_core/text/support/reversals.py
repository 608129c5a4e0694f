"""Find where a page says the opposite of a claim, or says it of another row, speaker or place.

Opposite verbs are listed with their separate prefixes ("lehnte … ab"). A "not" is read in Japanese,
Korean, Arabic and Hindi, where it is part of the verb or next to it. Each `find_` function compares
a claim with a page, and returns what both say, or None.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.similarity import FILLER_WORDS
from research_core.text.support.contrasts import are_alike, is_negator
from research_core.text.support.page_places import (
    STOP_WEIGHT,
    ReadClaim,
    ReadPage,
    WrittenWord,
    find_nearest_sentences,
    has_form,
    read_roots,
    read_words,
)
from research_core.text.words import find_numbers

#: The sentences of a page that are compared, and the least share of the claim's other words that
#: one of them must hold.
SENTENCES, HELD_SHARE = 5, 0.6


@dataclass(frozen=True)
class Exchange:
    """What the claim says, and what the page says instead, as written."""

    ours: str
    theirs: str


# ---------------------------------------------------------------- opposite verbs

#: By language, rows of two sides that exclude each other, as beginnings of words; "…" is replaced by
#: a pattern for the words between a verb and its prefix.
_OPPOSED_ROWS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "": (
        (
            "approv|accept|adopted|authori[sz]|ratif|endorse|agreed to|consented|green-?lit"
            "|(?:waved|signed)…(?:through|off)",
            "reject|refus|veto|rebuff|spurn|throw…out|threw…out|thrown…out|(?:turn|vot|shot|struck)"
            r"(?:ed)?…down|declin(?:ed|es|ing)? to|dismiss|forbade|forbid|banned|barred",
        ),
    ),
    "de": (
        (
            "n(?:ahm|immt|ahmen|ehmen)…an|angenommen|stimm(?:t|te|ten|en)…zu|zugestimmt"
            "|g(?:ab|ibt|aben|eben)…statt|stattgegeben|sag(?:t|te|ten|en)…zu|zugesagt|billig"
            "|genehmig|bewillig|akzeptier|befürwort|verabschied|l(?:ieß|ässt|ießen)…zu|zugelassen"
            "|gebilligt|erlaub",
            "lehn(?:t|te|ten|en)…ab|abgelehnt|w(?:ies|eist|iesen|eisen)…(?:zurück|ab)"
            "|(?:zurück|ab)gewiesen|sag(?:t|te|ten|en)…ab|abgesagt|verw(?:arf|irft|orfen|arfen)"
            "|verweiger|untersag|verb(?:ot|oten|ietet)|sprach…gegen",
        ),
        (
            "n(?:ahm|immt|ahmen|ehmen)…zu|zugenommen|st(?:ieg|eigt|iegen)|gestiegen|w(?:uchs|ächst)"
            "|gewachsen|erhöh|leg(?:t|te|ten)…zu|zugelegt",
            "n(?:ahm|immt|ahmen|ehmen)…ab|abgenommen|s(?:ank|inkt|anken)|gesunken|f(?:iel|ällt|ielen)"
            "|gefallen|g(?:ing|eht|ingen)…zurück|zurückgegangen|schrumpf|br(?:ach|icht)…ein",
        ),
        ("tr(?:at|itt|aten)…(?:ein|bei)|(?:ein|bei)getreten", "tr(?:at|itt|aten)…aus|ausgetreten"),
    ),
    "fr": (
        (
            "accept|approuv|adopt|autoris|valid|ratifi|donn[eé]…(?:feu vert|accord)|consent",
            "refus|rejet|repouss|écart|retoqu|interdi|débout|oppos",
        ),
    ),
    "es": (
        (
            "acept|aprob|aprueb|adopt|autoriz|ratific|d(?:io|ieron)…visto bueno",
            "rechaz|rehus|neg(?:ó|aron)|deneg|desestim|vet(?:ó|aron|ad)|prohib|opus|opon",
        ),
    ),
    "it": (
        ("accett|approv|adott|autorizz|ratific", "respin|rifiut|bocci|viet|oppos|negat"),
        ("aument|cresc|cresciut|sal(?:ì|it)", "diminu|cal(?:ò|at|ano)|sces|ridott|scend"),
    ),
    "pt": (
        ("aceit|aprov|adot|autoriz|ratific", "rejeit|recus|neg(?:ou|aram)|vet(?:ou|ad)|proib"),
        ("aument|cresc|sub(?:iu|iram)", "diminu|ca(?:iu|íram)|reduz|baix|desc(?:eu|eram)"),
    ),
    "ru": (
        (
            "одобри|принял|утверди|разреши|согласи|поддержа",
            "отклони|отверг|отказа|запрети|выступи…против",
        ),
        (
            "выросл?|вырос|увелич|повыс|подня(?:л|т)|возрос",
            "снизи|сниж|упал|уменьши|сократи|понизи",
        ),
    ),
    "zh": (
        (
            "批准|通过|通過|同意|接受|采纳|採納|赞成|贊成|允许|允許|核准|受理",
            "否决|否決|驳回|駁回|拒绝|拒絕|反对|反對|禁止",
        ),
        (
            "上升|增加|增长|增長|上涨|上漲|提高|升高|扩大|擴大",
            "下降|减少|減少|下跌|降低|缩小|縮小|减弱|減弱",
        ),
    ),
    "ja": (
        ("承認|可決|認め|受け入れ|許可|賛成|採択|容認", "否決|却下|拒否|拒絶|拒ん|反対|禁止|棄却|退け"),
        ("増加|上昇|増え|上が|拡大|伸び", "減少|低下|下落|減っ|減り|下が|縮小|落ち込"),
    ),
    "ko": (
        ("승인|가결|수락|허가|찬성|동의|채택|받아들", "부결|기각|거부|거절|반대|반려|금지|각하"),
        ("증가|상승|늘어|늘었|올랐|확대|커졌", "감소|하락|줄어|줄었|떨어|축소|내렸"),
    ),
    "ar": (
        (
            "وافق|قبل(?:ت|وا)?(?= )|أقر|أجاز|سمح|صادق|اعتمد|يوافق|توافق",
            "رفض|عارض|حظر|منع|ألغى|يرفض|ترفض|رد(?:ت)? ",
        ),
        ("ارتفع|زاد|ازداد|يرتفع|نما|ترتفع", "انخفض|تراجع|هبط|ينخفض|نقص|تنخفض|يتراجع"),
    ),
    "hi": (
        (
            "मंजूरी|मंज़ूरी|मंजूर|मंज़ूर|स्वीकार|स्वीकृत|अनुमति|सहमति|पारित",
            "अस्वीकार|अस्वीकृत|खारिज|ख़ारिज|ठुकरा|इनकार|इंकार|नामंजूर|रोक लगा|विरोध",
        ),
        ("बढ़|वृद्धि|उछाल", "घट|गिरावट|गिर|कमी "),
    ),
}  # fmt: skip
#: Languages whose words are not divided by spaces, or begin with particles.
_UNDIVIDED = frozenset("zh ja".split())
#: A "not" by language; other languages are those of `contrasts.is_negator`.
_NOT = {
    "zh": re.compile("没|沒|不(?!仅|僅|但|只|断|斷|同|久|过|過)|未(?!来|來)|无法|無法|非"),
    "ja": re.compile("ない|なかった|なく|ません|ずに|ず、|ぬ|ではな"),
    "ko": re.compile("않|못|아니|없|(?<!\\w)안 "),
    "ar": re.compile(r"(?<!\w)[وف]?(?:لم|لن|لا|ليس\w*|غير|دون|بدون|ما)(?!\w)"),
    "hi": re.compile("नहीं|बिना|(?<!\\S)(?:न|ना|मत)(?!\\S)"),
}


@lru_cache(maxsize=64)
def _compile_sides(language: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return the patterns of both sides of each row of a language."""
    rows = []
    for one, other in _OPPOSED_ROWS.get(language, ()):
        rows.append((_compile_side(one, language), _compile_side(other, language)))
    return tuple(rows)


def _compile_side(beginnings: str, language: str) -> re.Pattern[str]:
    """Compile beginnings of words; the words between a verb and its prefix are a group."""
    apart = r"\b(?P<apart{number}>[^.;:!?]{{0,120}}?)\b"
    parts: list[str] = []
    for number, part in enumerate(beginnings.split("…")):
        parts += [apart.format(number=number), part] if number else [part]
    start = "" if language in _UNDIVIDED else r"(?<![^\W\d_])"
    return re.compile(f"{start}(?:{''.join(parts)})", re.IGNORECASE)


def find_opposed_verb(claim: ReadClaim, page: ReadPage) -> Exchange | None:
    """Return the verb of a claim and its opposite in the sentences that hold the rest of it.

    Both must affirm. A sentence with verbs of both sides, and a page that also has the claim's own
    side among the same words, is no contradiction.
    """
    said = _compose(claim.text)
    for one, other in _compile_sides(page.language):
        for ours, theirs in ((one, other), (other, one)):
            verb = ours.search(said)
            if verb is None or theirs.search(said) or _denies(said, page.language):
                continue
            found = _find_opposite(claim, page, verb, ours, theirs)
            if found is not None:
                return Exchange(_show_verb(verb, said), found)
    return None


def _compose(text: str) -> str:
    """Return the text with its letters and accents encoded as in the patterns."""
    return unicodedata.normalize("NFC", text)


def _find_opposite(
    claim: ReadClaim,
    page: ReadPage,
    verb: re.Match[str],
    ours: re.Pattern[str],
    theirs: re.Pattern[str],
) -> str | None:
    """Return the opposite verb, as written, None without one."""
    dropped = read_roots(_join_verb(verb), page.language)
    found: str | None = None
    for text in _list_holding(claim, page, dropped):
        if _denies(text, page.language):
            return None
        same, opposite = ours.search(text), theirs.search(text)
        if same is not None:
            return None
        if opposite is not None and found is None:
            found = _show_verb(opposite, text)
    return found


def _join_verb(verb: re.Match[str]) -> str:
    """Return the words of a verb without those between it and its prefix."""
    written = verb[0]
    for between in filter(None, verb.groupdict().values()):
        written = written.replace(between, " ", 1)
    return written


def _show_verb(verb: re.Match[str], text: str) -> str:
    """Return a verb in full as written, "lehnte … ab"."""
    end = re.compile(r"[^\W\d_\u3040-\u9fff]*").match(text, verb.end())
    written = verb[0] + (end[0] if end is not None else "")
    for between in filter(None, verb.groupdict().values()):
        if between.strip():
            written = written.replace(between, " … ", 1)
    return written.strip()


def _list_holding(claim: ReadClaim, page: ReadPage, dropped: set[str]) -> list[str]:
    """Return the nearest sentences that hold much of the claim without the dropped roots."""
    texts: list[str] = []
    kept = {
        root: weight
        for root, weight in claim.weights.items()
        if weight > STOP_WEIGHT and root not in dropped
    }
    total = sum(kept.values())
    for number in find_nearest_sentences(claim, page, SENTENCES):
        there = page.roots[number]
        held = sum(weight for root, weight in kept.items() if has_form(root, there))
        if total and held >= HELD_SHARE * total:
            texts.append(_compose(page.get_text(number, number)))
    return texts


def _denies(text: str, language: str) -> bool:
    pattern = _NOT.get(language)
    if pattern is not None:
        return pattern.search(text) is not None
    sides = [side for row in _compile_sides(language) for side in row]
    for word in read_words(text, language):
        # A verb of refusal is compared as a verb.
        if is_negator(word.written, language) and not any(
            side.match(word.written) for side in sides
        ):
            return True
    return False


# ---------------------------------------------------------------- "not" within or beside a verb

_KANJI = "\u3400-\u9fff々ァ-ヶー"
#: By language: a "not" with the word that it negates.
_NEGATED = {
    "ja": re.compile(
        rf"(?<![{_KANJI}])(?P<word>[{_KANJI}]{{1,20}})[ぁ-ん]{{0,5}}?"
        r"(?:ない|なかった|なく(?!て?は)|ません|ておらず|ずに|ではな)"
    ),
    "ko": re.compile(
        r"(?<![가-힣])(?P<word>[가-힣]{1,15}?)(?:지|진|지는|지도)\s?(?:않|못|아니)"
        r"|(?<!\S)(?:안|못)\s(?P<after>[가-힣]+)"
        r"|(?<![가-힣])(?P<noun>[가-힣]{2,15}?)(?:이|가|은|는|도)?\s(?:아니|없)"
    ),
    "ar": re.compile(r"(?<!\w)[وف]?(?:لم|لن|لا|ما)\s+(?P<word>\w{3,})"),
    "hi": re.compile(r"(?<!\S)(?P<word>\S{1,30})\s+(?:नहीं|न|ना)(?=\s)"),
}  # fmt: skip
#: "Nothing but", "not only", and "must", which have a "not" and deny nothing.
_NO_DENIAL = {
    "ja": re.compile("だけで(?:は)?なく|のみならず|なければならない|なくてはならない|に(?:ほか|他)ならない|かもしれない"),
    "ko": re.compile("뿐만 아니라|뿐 아니라|하지 않으면 안|에 지나지 않|만이 아니라"),
    "ar": re.compile(r"لا سيما|لا يزال|لا تزال|ما زال|ما زالت|لا بد|ليس فقط|إلا"),
    "hi": re.compile("न केवल|नहीं तो|केवल नहीं|ही नहीं"),
}  # fmt: skip
_ARABIC_BEGINNING = re.compile("^[وفسل]?[اأإيتن]?")


def find_negated_verb(claim: ReadClaim, page: ReadPage) -> str:
    """Return a word that only one of the two negates, in Japanese, Korean, Arabic or Hindi, or ""."""
    language = page.language
    if language not in _NEGATED:
        return ""
    said = _drop_phrases(_compose(claim.text), language)
    dropped: set[str] = set()
    for match in _NEGATED[language].finditer(said):
        end = re.compile(r"\w*").match(said, match.end())
        negated = said[match.start() : end.end() if end is not None else match.end()]
        dropped |= read_roots(negated, language)
    holding = [_drop_phrases(text, language) for text in _list_holding(claim, page, dropped)]
    ours = _list_negated(said, language)
    for core in ours:
        with_core = [text for text in holding if _count_core(core, text, language)]
        denied = any(_denies(text, language) or _refuses(text, language) for text in with_core)
        if with_core and not denied:
            return core
    if ours or _denies(said, language) or _refuses(said, language):
        return ""
    for text in holding:
        for core in _list_negated(text, language):
            if not _count_core(core, said, language):
                continue
            if all(_is_always_negated(core, other, language) for other in holding):
                return core
    return ""


def _refuses(text: str, language: str) -> bool:
    """Return whether a text has a verb of refusal, which denies without a "not"."""
    return any(other.search(text) for _one, other in _compile_sides(language)[:1])


def _drop_phrases(text: str, language: str) -> str:
    return _NO_DENIAL[language].sub(" ", text)


def _list_negated(text: str, language: str) -> list[str]:
    """Return the words that a text negates, without their endings."""
    cores: list[str] = []
    for match in _NEGATED[language].finditer(text):
        word = next(filter(None, match.groups()), "")
        core = _strip_endings(word, language)
        if core:
            cores.append(core)
    return cores


def _strip_endings(word: str, language: str) -> str:
    if language == "ko":
        if re.match("[것수줄](?:은|이|을|도)?$|있$", word):
            return ""  # "cannot", "is not": the negated word comes before it
        return re.sub("(?:하|되|시키|받)$", "", word) or word
    if language == "ar":
        bare = _ARABIC_BEGINNING.sub("", word)
        return bare if len(bare) >= 3 else ""
    if language == "ja":
        loan = re.search("[ァ-ヶー]+$", word)
        return loan[0] if loan is not None else word[-2:]
    return word


def _count_core(core: str, text: str, language: str) -> int:
    """Count the words of a text that begin with a core; in Japanese also within others."""
    if language == "ja":
        return text.count(core)
    wanted = unicodedata.normalize("NFD", core)
    found = 0
    for word in text.split():
        forms = {word, _ARABIC_BEGINNING.sub("", word)} if language == "ar" else {word}
        found += any(unicodedata.normalize("NFD", form).startswith(wanted) for form in forms)
    return found


def _is_always_negated(core: str, text: str, language: str) -> bool:
    """Return whether a text negates each occurrence of a word."""
    count = _count_core(core, text, language)
    return _list_negated(text, language).count(core) >= count


# ---------------------------------------------------------------- who says so

_CAPITALISED = r"(?<![\w'’-])[^\W\d_a-zà-ÿа-я][\w'’-]{1,30}"
_NAME = rf"{_CAPITALISED}(?:\s(?:(?:von|van|de|der|la|al|bin)\s)?{_CAPITALISED}){{0,3}}"
#: Forms that say whose words a sentence reports; those of one form are compared.
_SPEAKERS = tuple(
    re.compile(pattern.replace("NAME", f"(?P<name>{_NAME})"))
    for pattern in (
        r"\b(?:[Aa]ccording to|[Ll]aut|[Nn]ach Angaben von|[Ss]elon|[Dd]['’]après|[Ss]egún"
        r"|[Ss]econdo|[Ss]egundo|[Dd]e acordo com|[Vv]olgens|[Пп]о словам|[Пп]о мнению)\s"
        r"(?:the\s|der\s|die\s|le\s|la\s|el\s)?NAME",
        r"NAME,?\s(?:said|says|told|argue[sd]|warn(?:s|ed)|claim(?:s|ed)|stated|explain(?:s|ed)|wrote"
        r"|sagt(?:e|en)?|erklärte|betonte|warnte|schrieb|meinte|a déclaré|a dit|a affirmé|affirme"
        r"|dijo|afirmó|declaró|señaló|explicó|ha detto|disse|afirmou|сказал|сказала|заявил|заявила)\b",
        r"\b(?:said|sagte|dijo|disse)\sNAME",
        r"(?:据|根据|根據)(?P<name>[^，。、\s]{2,10}?)(?:说|說|称|稱|介绍|介紹|透露|表示|的说法)",
        r"(?:^|[。、])\s*(?P<name>[^。、]{2,14}?)によ(?:ると|れば)",
        r"(?<![가-힣])(?P<name>[가-힣]{1,10}(?: [가-힣]{1,10})?)에 따르면",
        r"(?:وفقا? ?ل|وفقًا ل|بحسب |حسب )(?P<name>\w{1,30}(?: \w{1,30})?)",
        r"(?<![\u0900-\u097f])(?P<name>[\u0900-\u097f]{1,30}(?: [\u0900-\u097f]{1,30})?) के अनुसार",
    )
)  # fmt: skip
#: Words before "said" that name nobody, besides the English ones.
_PRONOUNS = frozenset("er sie man il elle on él ella ele ela lui lei он она они the this".split())


def find_other_speaker(claim: ReadClaim, page: ReadPage) -> Exchange | None:
    """Return the person or body that a claim cites, and the one whose words the page reports."""
    said = next(_iterate_speakers(_compose(claim.text)), None)
    if said is None:
        return None
    form, ours = said
    dropped = read_roots(ours, page.language)
    others: dict[str, None] = {}
    for text in _list_holding(claim, page, dropped):
        if _share_word(ours, text, page.language):
            return None
        for other_form, theirs in _iterate_speakers(text):
            if ours.isupper() != theirs.isupper():
                continue  # one may be the initials of the other
            if other_form == form or (" " in ours and " " in theirs):
                others[theirs] = None
    return Exchange(ours, next(iter(others))) if len(others) == 1 else None


def _iterate_speakers(text: str) -> Iterator[tuple[int, str]]:
    """Yield the form and the name of each attribution."""
    for form, pattern in enumerate(_SPEAKERS):
        for match in pattern.finditer(text):
            name = match["name"].strip()
            if name.casefold() not in FILLER_WORDS | _PRONOUNS:
                yield form, name


def _share_word(name: str, text: str, language: str) -> bool:
    """Return whether a text has a word of a name."""
    if name in text:
        return True
    return not read_roots(name, language).isdisjoint(read_roots(text, language))


# ---------------------------------------------------------------- the country, or one place in it

#: Words for the world or a country, and for a smaller place, in several languages.
_WIDE = re.compile(
    r"\b(?:in|across|throughout) the (?:whole |entire )?(?:country|nation|world|globe)\b"
    r"|\b(?:nation|country|world)-?wide\b|\bglobally\b"
    r"|\b(?:im (?:ganzen )?Land|(?:landes|bundes|welt)weit|in der (?:ganzen )?Welt)\b"
    r"|\bdans (?:tout )?le (?:pays|monde)\b|\bà l['’]échelle (?:nationale|mondiale)\b"
    r"|\ben (?:todo )?el (?:país|mundo)\b|\ba nivel (?:nacional|mundial)\b"
    r"|\bnel (?:paese|mondo)\b|\bno (?:país|mundo)\b|\bв (?:стране|мире)\b"
    r"|全国|全國|全世界|全球|世界中|국내에|전국|세계에|في (?:البلاد|العالم)|देश भर|देशभर|देश में|दुनिया में",
    re.IGNORECASE,
)
_NARROW = re.compile(
    r"\b(?:at|on|in|within) (?:the|this|our|their|its) (?:site|village|town|city|region|district"
    r"|province|county|valley|park|reserve|farm|plant|factory|hospital|school|clinic|campus|island"
    r"|neighbou?rhood|parish|study area|area)\b"
    r"|\b(?:am|vor) Ort\b|\b(?:am|an dem|im|auf dem|in dieser|in der|auf der|an der) (?:Standort"
    r"|Gelände|Dorf|Stadt|Region|Bezirk|Kreis|Tal|Park|Werk|Fabrik|Schule|Klinik|Insel|Gemeinde)\b"
    r"|\bsur (?:le|ce) site\b|\bdans (?:la|le|cette|ce) (?:ville|village|région|district|usine"
    r"|vallée|parc|commune|quartier|école)\b"
    r"|\ben (?:el|este|la|esta) (?:sitio|lugar|pueblo|ciudad|región|distrito|valle|parque|fábrica"
    r"|escuela|isla|barrio|provincia)\b"
    r"|\bn(?:el|ella) (?:sito|città|villaggio|regione)\b|\bn[oa] (?:local|cidade|aldeia|região)\b"
    r"|\bв (?:городе|деревне|районе|области|парке)\b"
    r"|该地|當地|当地|该市|本市|全市|该遗址|该村|同市|同町|現地|敷地内|현장에|이 지역|이 마을"
    r"|في (?:الموقع|القرية|المدينة|المنطقة)|इस (?:गाँव|गांव|शहर|स्थल|क्षेत्र)|स्थल पर",
    re.IGNORECASE,
)  # fmt: skip


def find_other_reach(claim: ReadClaim, page: ReadPage) -> Exchange | None:
    """Return the places that both speak of where only one is wide: "in the country", "at the site"."""
    said = _compose(claim.text)
    for ours, theirs in ((_WIDE, _NARROW), (_NARROW, _WIDE)):
        own = ours.search(said)
        if own is None or theirs.search(said):
            continue
        dropped = read_roots(own[0], page.language)
        found: str | None = None
        for text in _list_holding(claim, page, dropped):
            other = theirs.search(text)
            if ours.search(text) or other is None:
                return None
            found = found or other[0]
        if found is not None:
            return Exchange(own[0], found)
    return None


# ---------------------------------------------------------------- rows of tables, and pairs

_YEAR = re.compile(r"(?<![\w.,$€£-])(?:1[5-9]|20)\d\d(?![\w%€]|[.,]\d)")
_FIGURE = re.compile(r"(?<![^\W_])\d[\d.,'’\u00a0\u202f]{0,20}(?<=\d)")
#: A figure followed by its year: "6,100 in 2014", "6.100 im Jahr 2014".
_FIGURE_OF_YEAR = re.compile(
    r"(?<![^\W_])(?P<figure>\d[\d.,\u00a0\u202f]{0,20}(?<=\d))(?:\s?[^\W\d_]{1,30}|\s?%){0,2}"
    r"\s\(?(?:in|im|im Jahr|en|em|nel|в|i|en el año|for|during)?\s?(?P<year>(?:1[5-9]|20)\d\d)(?![\w%]|[.,]\d)"
)


def find_other_row(claim: ReadClaim, page: ReadPage) -> Exchange | None:
    """Return a figure of a claim that a table has in another row or column than the claim names.

    The second is the figure of the row and column that it names.
    """
    figures: dict[str, str] = {}
    for match in _FIGURE.finditer(claim.text):
        numbers = find_numbers(match[0])
        if len(numbers) == 1 and not _YEAR.fullmatch(numbers[0]):
            figures[numbers[0]] = match[0]
    words = {root for word in claim.words for root in word.roots}
    for table in _read_tables(page.text):
        for figure, written in figures.items():
            found = _find_in_table(figure, table, words, page)
            if found is not None:
                return Exchange(written, found)
    return None


@lru_cache(maxsize=64)
def _read_tables(text: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the cells of each table by row; the first row is its header."""
    tables: list[tuple[tuple[str, ...], ...]] = []
    rows: list[tuple[str, ...]] = []
    for line in (*text.split("\n"), ""):
        if line.count("|") >= 2:
            cells = tuple(cell.strip(" *") for cell in line.strip().strip("|").split("|"))
            if not re.fullmatch(r"[\s|:-]*", line):
                rows.append(cells)
        elif rows:
            if len(rows) > 1:
                tables.append(tuple(rows))
            rows = []
    return tuple(tables)


def _find_in_table(
    figure: str, table: Sequence[Sequence[str]], words: set[str], page: ReadPage
) -> str | None:
    """Return the figure of the named row or column, where this figure is only in another."""
    places = [
        (row, column)
        for row, cells in enumerate(table)
        for column, cell in enumerate(cells)
        if row and column and find_numbers(cell) == (figure,)
    ]
    if len(places) != 1 or _is_outside_tables(figure, page.text):
        return None
    row, column = places[0]
    rows = [n for n, cells in enumerate(table) if n and _is_named(cells[0], words, page.language)]
    columns = [n for n, cell in enumerate(table[0]) if n and _is_named(cell, words, page.language)]
    if len(rows) == 1 and row not in rows and (not columns or column in columns):
        return _read_figure(table[rows[0]], column)
    if len(columns) == 1 and column not in columns and (not rows or row in rows):
        return _read_figure(table[row], columns[0])
    return None


def _read_figure(cells: Sequence[str], column: int) -> str | None:
    """Return what a row has in a column, None unless it is a figure."""
    cell = cells[column] if column < len(cells) else ""
    return cell if len(find_numbers(cell)) == 1 else None


def _is_named(cell: str, words: set[str], language: str) -> bool:
    """Return whether all words of a cell are among these."""
    roots = read_roots(cell, language)
    return bool(roots) and roots <= words


def _is_outside_tables(figure: str, text: str) -> bool:
    lines = "\n".join(line for line in text.split("\n") if line.count("|") < 2)
    return figure in find_numbers(lines)


def find_other_pair(claim: ReadClaim, page: ReadPage) -> Exchange | None:
    """Return a figure that the page gives for another year than the claim, and the right figure.

    The page must give one figure for the year of the claim, so that it is of the same thing.
    """
    ours = _list_pairs(claim.text)
    if not ours:
        return None
    theirs: dict[str, dict[str, str]] = defaultdict(dict)
    for number in find_nearest_sentences(claim, page, SENTENCES):
        for year, value, written in _list_pairs(page.get_text(number, number)):
            theirs[year][value] = written
    for year, value, written in ours:
        right = theirs.get(year, {})
        is_of_other_year = any(value in figures for figures in theirs.values())
        if is_of_other_year and len(right) == 1 and value not in right:
            return Exchange(written, *right.values())
    return None


def _list_pairs(text: str) -> list[tuple[str, str, str]]:
    """Return (year, value, figure as written) of the figures that a text gives with their year."""
    pairs: list[tuple[str, str, str]] = []
    for match in _FIGURE_OF_YEAR.finditer(text):
        values = find_numbers(match["figure"])
        if len(values) == 1 and not _YEAR.fullmatch(values[0]):
            pairs.append((match["year"], values[0], match["figure"]))
    return pairs


# ---------------------------------------------------------------- a part of a name


def find_other_surname(claim: ReadClaim, page: ReadPage) -> Exchange | None:
    """Return a word of a name that the page lacks, and the one beside the name's other word there."""
    words = claim.words
    for number in range(1, len(words)):
        first, last = words[number - 1], words[number]
        if not _are_one_name(claim.text, words, number):
            continue
        for ours, kept, offset in ((last, first, 1), (first, last, -1)):
            if page.holds(ours.roots[0]):
                continue
            others = {
                one.written
                for one in _list_beside(kept, offset, page)
                if one.roots[0] not in claim.weights
            }
            if len(others) == 1 and not _is_variant(ours.written, *others):
                return Exchange(ours.written, *others)
    return None


def _list_beside(kept: WrittenWord, offset: int, page: ReadPage) -> list[WrittenWord]:
    """Return the words after (offset 1) or before (-1) each occurrence of a word of a name.

    The list is empty if an occurrence has no other part of a name there.
    """
    others: list[WrittenWord] = []
    for number in page.index.get(kept.roots[0], ()):
        text = page.get_text(number, number)
        words = read_words(text, page.language)
        for at, word in enumerate(words):
            if word.roots != kept.roots:
                continue
            later = max(at, at + offset)
            if not 0 < later < len(words) or not _are_one_name(text, words, later):
                return []
            others.append(words[at + offset])
    return others


def _is_variant(ours: str, theirs: str) -> bool:
    """Return whether a word may be another form of a name: "Zach", "Zack"; "the" is no name."""
    if theirs.casefold() in FILLER_WORDS or ours.casefold() in FILLER_WORDS:
        return True
    is_near = abs(len(ours) - len(theirs)) <= 1 and ours[:2] == theirs[:2]
    return is_near or are_alike(ours, theirs)


def _are_one_name(text: str, words: Sequence[WrittenWord], number: int) -> bool:
    """Return whether two neighbouring words are capitalised, with a space between them."""
    one, other = words[number - 1], words[number]
    for word in (one, other):
        written = word.written
        if not word.is_capitalised or len(written) < 3 or written.isupper():
            return False
    between = text[one.start + len(one.written) : other.start]
    return between == " "
