"""Find figures, sums of money, dates, names and comparisons in a text.

Two uses: patterns of what answers a question, and `lacks_form`, which says that a text certainly
has none. In doubt, as in another language than English, it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set

from research_core.text.languages import find_stop_words, guess_language
from research_core.text.words import stem, tokenize

# ---------------------------------------------------------------- patterns for English questions

_SMALL_NUMBERS = "two three four five six seven eight nine ten eleven twelve"
_LARGER_NUMBERS = (
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty"
    " seventy eighty ninety dozens? hundreds? thousands? [mb]illions? trillions? half halves twice"
    " thrice thirds? quarters? percent per\\scent double triple"
)
#: A figure, in digits or words.
FIGURE = r"\d|[½¼¾⅓⅔]|\b(?:" + "|".join(f"{_SMALL_NUMBERS} {_LARGER_NUMBERS}".split()) + r")\b"
_SIGNS = "$€£¥₹₽₩₺₴₪฿₫₦₱₡₲₵₸₼₾¢"
_CODES = (
    r"(?:usd|eur|gbp|chf|cad|aud|nzd|jpy|cny|rmb|inr|sek|nok|dkk|isk|pln|czk|huf|ron|bgn|rub|uah"
    r"|try|ils|aed|sar|egp|zar|ngn|kes|brl|mxn|ars|clp|cop|sgd|hkd|krw|thb|idr|php|vnd|pkr|fr|rs"
    r"|kr|zł|kč|ft|lei)\b\.?"
)
_COINS = (
    r"(?:dollars?|euros?|pounds?|cents?|pence|quid|bucks?|grand|francs?|francos?|franken|yen|yuan"
    r"|renminbi|won|rupees?|pesos?|reais|real|rand|roubles?|rubles?|rubel|hryvnias?|lira|liras?|shekels?"
    r"|zloty\w*|złot\w+|koruna?|korun\w*|crowns?|kronor|kroner?|kronen?|dirhams?|dinars?|riyals?|baht"
    r"|forints?|руб\w*|грн|евро|євро|ευρώ|元|円|원)"
)
_SCALE = r"(?:k|m|bn|mn|thousand|million|billion|mio\.?|mrd\.?|mille|mil|tausend)?"
#: A sum of money, or that nothing is to pay. The groups of a number are bounded, so that the time
#: does not grow with the square of a text of digits.
MONEY = (
    rf"[{_SIGNS}]\s?\d|\b(?:us|r|a|c|nz|hk|s)?\$\s?\d|\b{_CODES}\s?\d"
    rf"|\d(?:[.,'’\s]{{0,3}}\d){{0,18}}+[.,'’\s]{{0,3}}+{_SCALE}[\s-]?(?:[{_SIGNS}]|{_CODES}|{_COINS})|\d\s?k\b"
    rf"|\b(?:dollars|euros|pounds|francs|rupees|pesos|roubles|rubles|crowns|kronor|kroner)\b"
    r"|\b(?:free of charge|at no cost|for free)\b"
)
#: What stands behind a number that says how long something is or lasts.
LENGTH_UNITS = (
    r"(?:(?:milli)?seconds?|secs?|min(?:ute)?s?|h(?:ou)?rs?|days?|nights?|weeks?|months?|years?"
    r"|decades?|centur(?:y|ies)|[ckm]?m|(?:centi|milli|kilo)?met(?:re|er)s?|inch(?:es)?|f(?:oo|ee)t"
    r"|yards?|miles?|cycles|charges|recharges|uses|washes|rounds|laps|episodes|seasons|sessions"
    r"|pages|words|verses|generations|semesters|lifetimes|cups|loads|km|hours?|h)"
)

# ---------------------------------------------------------------- what a text certainly lacks

#: The last letter of the Latin script in a row with the others.
LAST_LATIN_LETTER = 0x24F
#: Numbers and words for amounts. Those of other languages are for single words and short texts,
#: whose language cannot be guessed; a text that is certainly in another language is in doubt anyway.
_NUMBER_WORDS = frozenset(
    """
        one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
        once twice thrice first second third fourth fifth single both pair couple half halves quarter
        quarters double triple dozen dozens score percent percentage none zero nil
        zwei drei vier fünf sechs sieben acht neun zehn elf zwölf halb hälfte viertel dutzend prozent
        deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt
        trente quarante cinquante soixante cent cents mille demi moitié quart douzaine pourcent
        dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta
        cuarenta cincuenta sesenta setenta ochenta noventa cien ciento cientos mil mitad tercio
        cuarto docena millón millones
        due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta quaranta cinquanta
        sessanta settanta ottanta novanta cento mila metà mezzo terzo dozzina milione milioni
        dois duas três quatro sete oito dez onze doze vinte trinta quarenta cinquenta sessenta setenta
        oitenta noventa cem cento metade terço dúzia milhão milhões
        twee drie vijf zes zeven negen tien twaalf half helft kwart procent dozijn
        två tre fyra fem sex sju åtta nio tio elva tolv tjugo hälften halv dussin
        to tre fire fem seks syv sju otte åtte ni ti elleve tolv tyve tjue halvparten halvdelen
        dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwanaście dwadzieścia sto
        tysiąc tysięcy połowa pół procent milion
        dva dvě tři čtyři pět šest sedm osm devět deset dvanáct dvacet tisíc polovina půl
        iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli yüz bin yarım yarısı milyon
    """.split()
)
_NUMBER_WITHIN = re.compile(
    r"hundr|hundert|honderd|hundra|tausend|thousand|duizend|tusen|[mb]il[jl]i|zwanzig|dreißig|vierzig"
    r"|fünfzig|sechzig|siebzig|achtzig|neunzig|twintig|dertig|veertig|vijftig|fach\b|cent[oi]|cientos"
)
_ANY_MONEY = re.compile(
    rf"[{_SIGNS}]|\b{_CODES}|{_COINS}|\b(?:free|gratis|gratuit\w*|kostenlos\w*|umsonst|gratuito\w*"
    r"|darmow\w+|zdarma|ücretsiz|unpaid|penn(?:y|ies)|money|no (?:charge|cost|fee)s?|costs? nothing)\b",
    re.IGNORECASE,
)
_TIME_WORDS = re.compile(
    r"\b(?:jan|feb|fév|fev|mar|mär|mrz|maa|apr|abr|avr|may|mai|maj|mei|jun|jui|giu|jul|lug|aug|ago"
    r"|aoû|ağu|sep|set|eyl|oct|okt|ott|out|eki|nov|kas|dec|dez|dic|déc|ara|oca|şub|nis|haz|tem)\w*"
    r"|\b\w*(?:days?|nights?|weeks?|months?|years?|century|centuries|decades?)\b"
    r"|\b(?:(?:spring|summer|autumn|fall|winter)(?:time)?s?|dawn|dusk|noon|midnight|mornings?|evenings?|afternoons?"
    r"|easter|christmas|ramadan|now|soon|later|earlier|recently|formerly|annually|always|never|once"
    r"|ever|hours?|minutes?|o'clock|age|ages|era|eras|period|epoch|antiquity|while|during|since|until"
    r"|till|before|after|when|whenever|already|yet|still)\b"
    r"|\b\w*(?:jahr|monat|woche|tag|stunde|minute|siècle|année|mois|semaine|jour|heure|siglo|año|mes"
    r"|semana|día|hora|secolo|anno|anni|mese|settiman|giorn|ora|século|ano|mês|eeuw|jaar|maand|week"
    r"|dag|uur|år|månad|måned|uke|vecka|wiek|rok|lat|miesiąc|tydzień|dzień|godzin|století|měsíc"
    r"|týden|den|yıl|ay|hafta|gün|saat)\w*",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[^\W\D]|\d|[½¼¾⅐-⅞²³¹⁰-⁹①-⑳Ⅰ-ⅿ]|[%‰]")
_COMPARES = re.compile(
    r"\b(?:compar\w+|versus|vs|differ\w*|than|whereas|while|whilst|unlike|like|likewise|alike|similar\w*"
    r"|same|equal\w*|contrast\w*|respectively|neither|both|either|instead|rather|other|others|another"
    r"|but|however|though|although|yet|more|most|less|least|fewer|fewest|better|best|worse|worst"
    r"|superior|inferior|prefer\w*|outperform\w*|exceed\w*|beat\w*|rival\w*|equivalent|match\w*"
    r"|advantage\w*|disadvantage\w*|\w{2,}(?:er|est)|as \w+ as|on the one hand|also|too)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END = frozenset('.!?:;\n"“”„»«•*|–—')


def lacks_form(form: str, texts: Sequence[str], asked: str = "") -> bool:
    """Return whether no text has what a form of answer asks for; False in doubt.

    form: the name of an `AnswerForm`; asked: the question, whose own words are no name it asks for.
    """
    detect = _MAY_HOLD.get(form)
    if detect is None or not texts:
        return False
    if any(map(_is_in_doubt, texts)):
        return False
    if form in ("person", "place"):
        known = frozenset(map(stem, tokenize(asked)))
        return not any(_may_hold_name(text, known) for text in texts)
    return not any(map(detect, texts))


def _is_in_doubt(text: str) -> bool:
    """Return whether a text is not in English, so that the words here do not tell enough."""
    if any(ord(letter) > LAST_LATIN_LETTER and letter.isalpha() for letter in text):
        return True
    return guess_language(text) not in ("en", "")


def _may_hold_figure(text: str) -> bool:
    lowered = text.casefold()
    if _DIGIT.search(lowered) or _NUMBER_WITHIN.search(lowered):
        return True
    return not _NUMBER_WORDS.isdisjoint(_WORD.findall(lowered.replace("-", " ")))


def _may_hold_money(text: str) -> bool:
    return bool(_ANY_MONEY.search(text))


def _may_hold_time(text: str) -> bool:
    return _may_hold_figure(text) or bool(_TIME_WORDS.search(text))


def _may_hold_name(text: str, known: Set[str] = frozenset()) -> bool:
    """Return whether a text may have a name: a capital, but not of a first word that is common.

    known: stems that are no name asked for.

    A text without small letters, or in a script without capitals, may have one.
    """
    if not any(map(str.isupper, text)) or text.isupper():
        return bool(_WORD.search(text))
    common = find_stop_words("en")
    for match in _WORD.finditer(text):
        word = match[0]
        if not any(map(str.isupper, word)):
            if not any(map(str.islower, word)):
                return True
            continue
        if stem(word.casefold()) in known:
            continue
        before = text[: match.start()].rstrip(" (['‘")
        begins = not before or before[-1] in _SENTENCE_END
        if not begins or word.casefold().replace("’", "'") not in common:
            return True
    return False


def _may_hold_comparison(text: str) -> bool:
    return bool(_COMPARES.search(text))


_MAY_HOLD: dict[str, Callable[[str], bool]] = {
    "money": _may_hold_money,
    "quantity": _may_hold_figure,
    "time": _may_hold_time,
    "person": _may_hold_name,
    "place": _may_hold_name,
    "comparison": _may_hold_comparison,
}
