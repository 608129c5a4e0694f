"""Read amounts with their units and currencies, so that two texts can be compared by them.

Units are known in English, German, French, Spanish, Portuguese, Russian, Chinese, Japanese, Korean,
Arabic and Hindi. Amounts of one dimension are converted; currencies are not, because a rate
depends on the day. A word that names several units ("pounds", "dollars") may mean each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.words import find_numbers

#: How far a rounded amount may be from its conversion, as a share.
ROUNDING = 0.05

#: Units by name: dimension, size in the base unit, and patterns of their names in all languages.
#: Latin, Cyrillic, Arabic and Devanagari names are whole words.
_UNIT_ROWS: tuple[tuple[str, str, float, str], ...] = (
    ("km/h", "speed", 1.0,
     r"km/h|kmh|kph|kilomet(?:er|re)s? (?:per|an) hour|Stundenkilometern?|"
     r"км/ч|キロ毎時|公里每小时|公里/小时"),
    ("mph", "speed", 1.609344, r"mph|mi/h|miles? (?:per|an) hour|Meilen pro Stunde|英里每小时|英里/小时"),
    ("m/s", "speed", 3.6, r"m/s|met(?:er|re)s per second|м/с"),
    ("mm", "length", 1e-3,
     r"mm|millim[eèé]t(?:er|re)[sn]?|mil[ií]metros?|миллиметр\w*|мм|"
     r"毫米|公厘|ミリメートル|밀리미터|مليمتر\w*|ملم|मिलीमीटर|मिमी"),
    ("cm", "length", 1e-2,
     r"cm|[cz]entim[eè]t(?:er|re)[sn]?|cent[ií]metros?|сантиметр\w*|"
     r"см|厘米|公分|センチメートル|センチ|센티미터|سنتيمتر\w*|سم|सेंटीमीटर|सेमी"),
    ("km", "length", 1e3,
     r"km|kilom[eè]t(?:er|re)[sn]?|kil[oó]metros?|quil[oôó]metros?|километр\w*|"
     r"км|公里|千米|キロメートル|キロ(?!グラム|ワット)|킬로미터|كيلومتر\w*|كيلومترا|كم|किलोमीटर|"
     r"किमी"),
    ("m", "length", 1.0,
     r"m|m[eè]t(?:er|re)[sn]?|metros?|метр\w*|м|米|公尺|メートル|미터|متر\w*|"
     r"أمتار|मीटर"),
    ("mile", "length", 1609.344,
     r"mi|miles?|Meilen?|milles|millas?|milhas?|миль|мил[яюи]|милями?|"
     r"英里|マイル|마일|ميلا?|أميال|मील"),
    ("yard", "length", 0.9144, r"yards?|yd|ярд\w*|ヤード|码|야드"),
    ("foot", "length", 0.3048,
     r"ft|foot|feet|Fuß|pieds?|pies?|pés?|фут\w*|英尺|フィート|피트|أقدام|قدما?|"
     r"फ़?ुट|फुट"),
    ("inch", "length", 0.0254,
     r"inch(?:es)?|Zoll|pouces?|pulgadas?|polegadas?|дюйм\w*|英寸|インチ|"
     r"인치|بوصات?|بوصة|इंच"),
    ("hectare", "length²", 1e4,
     r"ha|hectares?|Hektar|hect[aá]reas?|гектар\w*|公顷|公頃|ヘクタール|헥타르|هكتار\w*|"
     r"हेक्टेयर"),
    ("acre", "length²", 4046.856, r"acres?|акр\w*|英亩|英畝|エーカー|에이커|एकड़"),
    ("µg", "mass", 1e-6,
     r"[µμ]g|mcg|micrograms?|Mikrogramm|microgrammes?|microgramos?|microgramas?|"
     r"мкг|微克|マイクログラム"),
    ("mg", "mass", 1e-3,
     r"mg|milligram(?:me)?s?|Milligramm|miligram[oa]s?|миллиграмм\w*|"
     r"мг|毫克|ミリグラム|밀리그램|مليغرام\w*|ملليغرام\w*|ملغ|मिलीग्राम"),
    ("kg", "mass", 1e3,
     r"kg|kilogram(?:me)?s?|Kilogramm|kilos?|quilos?|[kq]uilogram[oa]s?|"
     r"kilogramos?|килограмм\w*|кг|公斤|千克|キログラム|킬로그램|كيلوغرام\w*|كغ|किलोग्राम|"
     r"किलो"),
    ("g", "mass", 1.0, r"g|gram(?:me)?s?|Gramm|gramos?|gramas?|грамм\w*|г|克|グラム|그램|غراما?|غ|ग्राम"),
    ("tonne", "mass", 1e6,
     r"t|tonn?es?|tons?|Tonnen?|toneladas?|тонн\w*|т|吨|公吨|噸|トン|톤|طنا?|"
     r"أطنان|टन"),
    ("pound", "mass", 453.592, r"lbs?|pounds?|livres?|libras?|фунт\w*|磅|ポンド|파운드|رطلا?|أرطال|पाउंड"),
    ("ounce", "mass", 28.3495, r"oz|ounces?|Unzen?|onces?|onzas?|onças?|унци\w*|盎司|オンス|온스"),
    ("ml", "volume", 1e-3,
     r"ml|millilit(?:er|re)[sn]?|mililitros?|миллилитр\w*|мл|毫升|ミリリットル|"
     r"밀리리터|مليلتر\w*|ملليلتر\w*|مل|मिलीलीटर"),
    ("litre", "volume", 1.0,
     r"l|lit(?:er|re)[sn]?|litros?|литр\w*|л|升|公升|リットル|리터|لترا?|لترات|"
     r"लीटर"),
    ("gallon", "volume", 3.78541,
     r"gal|gallons?|Gallonen?|galones|gal[oó]n|gal[ãõ]o?(?:es)?|галлон\w*|"
     r"加仑|ガロン|갤런|غالونا?"),
    ("second", "time", 1.0,
     r"secs?|seconds?|Sekunden?|secondes?|segundos?|секунд\w*|秒|秒間|초|"
     r"ثانية|ثوان"),
    ("minute", "time", 60.0,
     r"min|mins|minutes?|Minuten?|minutos?|минут\w*|分钟|分鐘|分間|분간|دقيقة|"
     r"دقائق|मिनट"),
    ("hour", "time", 3600.0,
     r"h|hrs?|hours?|Stunden?|heures?|horas?|час(?:а|ов)?|小时|小時|時間|시간|"
     r"ساعة|ساعات|घंटे?"),
    ("day", "time", 86400.0,
     r"days?|Tagen?|Tag|jours?|días?|dias?|дн(?:ей|я)|день|日間|天|일간|يوما?|"
     r"أيام|दिन"),
    ("week", "time", 604800.0,
     r"weeks?|Wochen?|semaines?|semanas?|недел[ьяию]|週間|周|星期|주간|أسبوعا?|"
     r"أسابيع|सप्ताह"),
    ("month", "time", 2629800.0,
     r"months?|Monaten?|Monat|mois|mes(?:es)?|mês|месяц\w*|个月|個月|[ヶかカケ]月|"
     r"개월|شهرا?|أشهر|महीने"),
    ("year", "time", 31557600.0,
     r"years?|yrs?|Jahren?|Jahr|ans?|années?|años?|anos?|лет|года?|年間|"
     r"년간|عاما?|سنة|سنوات|أعوام|साल|वर्ष"),
    ("°C", "temperature", 1.0,
     r"°\s?C|℃|(?:degrees?|Grad|degrés|grados|graus) (?:Celsius|centigrade|centígrados)|"
     r"Celsius|градус\w* Цельсия|摄氏度|攝氏度"),
    ("°F", "temperature", 5 / 9,
     r"°\s?F|℉|(?:degrees?|Grad|degrés|grados|graus) Fahrenheit|Fahrenheit|"
     r"градус\w* (?:по )?Фаренгейт\w*|华氏度|華氏度"),
    ("kWh", "energy", 1e3, r"kWh|kilowatt[- ]?hours?|Kilowattstunden?|кВт[·⋅]?ч|千瓦时"),
    ("MWh", "energy", 1e6, r"MWh|megawatt[- ]?hours?|Megawattstunden?|МВт[·⋅]?ч|兆瓦时"),
    ("GWh", "energy", 1e9, r"GWh|gigawatt[- ]?hours?|Gigawattstunden?|ГВт[·⋅]?ч|吉瓦时"),
    ("TWh", "energy", 1e12, r"TWh|terawatt[- ]?hours?|Terawattstunden?|ТВт[·⋅]?ч|太瓦时"),
    ("kW", "power", 1e3,
     r"kW|kilowatts?|Kilowatt|kilovatios?|киловатт\w*|кВт|千瓦|キロワット|킬로와트|"
     r"كيلوواط"),
    ("MW", "power", 1e6,
     r"MW|megawatts?|mégawatts?|megavatios?|мегаватт\w*|МВт|兆瓦|メガワット|"
     r"메가와트|ميغاواط"),
    ("GW", "power", 1e9, r"GW|gigawatts?|gigavatios?|гигаватт\w*|ГВт|吉瓦|ギガワット|기가와트|غيغاواط"),
    ("MB", "data", 1e6, r"MB|megabytes?|мегабайт\w*|メガバイト"),
    ("GB", "data", 1e9, r"GB|gigabytes?|гигабайт\w*|ギガバイト"),
    ("TB", "data", 1e12, r"TB|terabytes?|терабайт\w*|テラバイト"),
    ("points", "points", 1.0,
     r"percentage points?|Prozentpunkten?|Prozentpunkte?|points? de pourcentage|"
     r"puntos? porcentual(?:es)?|pontos? percentuais|процентн\w+ пункт\w*|"
     r"个百分点|個百分點|نقاط مئوية"),
    ("%", "share", 1.0,
     r"%|٪|percent|per cent|Prozent|pour cent|por ciento|por cento|процент\w*|"
     r"パーセント|퍼센트|بالمئة|بالمائة|في المئة|प्रतिशत"),
)  # fmt: skip
_DOLLARS = "USD CAD AUD NZD HKD SGD TWD"
#: Names of currencies, with the currencies that each may mean. `text.figures` keeps its own table of
#: English words and signs: it treats every dollar alike, which stored sessions depend on.
_CURRENCY_ROWS: tuple[tuple[str, str], ...] = (
    ("USD",
     r"US\$|USD|U\.?S\.?[- ]dollars?|US-Dollar|American dollars?|amerikanische[nr]? Dollar|"
     r"dollars? (?:américains|US)|dólares? (?:estadounidenses|americanos)|"
     r"美元|美金|米ドル|미국 달러|دولار أمريكي|долларов США"),
    ("CAD", r"C\$|CA\$|CAD|Canadian dollars?|kanadische[nr]? Dollar|dollars? canadiens?|加元|カナダドル"),
    ("AUD",
     r"A\$|AU\$|AUD|Australian dollars?|australische[nr]? Dollar|dollars? australiens?|"
     r"澳元|豪ドル"),
    ("NZD", r"NZ\$|NZD|New Zealand dollars?|纽元"),
    ("HKD", r"HK\$|HKD|Hong Kong dollars?|港元|港币|香港ドル"),
    ("SGD", r"S\$|SGD|Singapore dollars?|新加坡元"),
    ("TWD", r"NT\$|TWD|新台币|新臺幣"),
    (_DOLLARS, r"\$|dollars?|Dollar|d[oó]lar(?:es)?|доллар\w*|ドル|달러|دولارا?|دولارات|डॉलर"),
    ("EUR", r"€|EUR|euros?|Euro|евро|欧元|歐元|ユーロ|유로|يورو|यूरो"),
    ("GBP",
     r"£|GBP|Pfund(?: Sterling)?|pounds? sterling|British pounds?|livres? sterling|"
     r"libras? esterlinas?|英镑|英鎊|英ポンド|جنيها? إسترليني\w*"),
    ("GBP EGP", r"pounds?|libras?|livres?|фунт\w*|ポンド|파운드|جنيها?|جنيهات|पाउंड"),
    ("JPY", r"JPY|yen|Yen|yens|yenes|ienes|иен\w*|円|日元|엔|ين|येन"),
    ("JPY CNY", r"¥|￥"),
    ("CNY", r"CNY|RMB|yuan|renminbi|юан\w*|人民币|元人民币|人民元|위안|يوان"),
    ("CNY TWD HKD", r"元"),
    ("KRW", r"KRW|₩|won|вон|韩元|韓元|ウォン|원"),
    ("INR PKR", r"INR|₹|rupees?|Rupien?|roupies?|rupias?|рупи\w*|卢比|ルピー|रुपये|रुपए|روبية"),
    ("RUB", r"RUB|₽|rou?bles?|Rubel|rublos?|рубл\w*|卢布|ルーブル|روبل"),
    ("CHF", r"CHF|Swiss francs?|Schweizer Franken|Franken|francs suisses|瑞士法郎|スイスフラン"),
    ("CHF FRF", r"francs?|francos?|франк\w*|法郎|フラン"),
    ("SEK", r"SEK|Swedish kron(?:or|a)"),
    ("NOK", r"NOK|Norwegian kroner?"),
    ("DKK", r"DKK|Danish kroner?"),
    ("SEK NOK DKK CZK", r"crowns?|kron(?:or|a|en|er|e)|kr"),
    ("PLN", r"PLN|zlot(?:y|ys|ych)|zł"),
    ("BRL", r"R\$|BRL|reais"),
    ("TRY", r"TRY|₺|Turkish lira"),
    ("peso", r"pesos?|песо|比索|ペソ"),
)  # fmt: skip
#: Words for a thousand and more, in all languages.
_SCALE_ROWS: tuple[tuple[float, str], ...] = (
    (1e12, r"trillions?|tn|Billionen|billón|billones|trilh(?:ão|ões)|триллион\w*|兆|조|تريليون"),
    (1e9,
     r"billions?|bn|Milliarden?|Mrd\.?|milliards?|mil millones|bilh(?:ão|ões)|"
     r"mil milhões|миллиард\w*|млрд\.?|十亿|十億|مليارات|مليار"),
    (1e8, r"亿|億|억"),
    (1e7, r"千万|करोड़"),
    (1e6,
     r"millions?|mn|Millionen|Mio\.?|mill(?:ón|ones)|milh(?:ão|ões)|"
     r"миллион\w*|млн\.?|百万|백만|ملايين|مليون"),
    (1e5, r"लाख"),
    (1e4, r"万|萬|만"),
    (1e3, r"thousand|tausend|mille|mil|тысяч\w*|тыс\.?|千|ألف|آلاف|हज़ार|हजार"),
)  # fmt: skip
#: What a letter after an amount with a currency sign means: "$30m".
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9}
_NUMBER = re.compile(r"(?<![A-Za-z\d.,])\d[\d.,'’\u00a0\u202f٫٬]*(?<=\d)|(?<![\w.])\d")
#: The signs of currencies before an amount: "US$", "CHF".
_SIGN_BEFORE = re.compile(r"(?<![^\W_])([A-Z]{0,3}[$€£¥￥₩₹₽₺]|[A-Z]{3})\s?$")
_SQUARE_BEFORE = re.compile(
    r"(square|sq\.?|cubic|Quadrat|Kubik|平方|立方|квадратн\w+|кв\.?|кубическ\w+|куб\.?|제곱|세제곱|वर्ग)\s?",
    re.IGNORECASE,
)
_SQUARE_AFTER = re.compile(
    r"\s?(²|³|carrés?|cubes?|cuadrados?|cúbicos?|quadrados?|مربعا?|مكعبا?)|(?<=m)([23])(?!\d)"
)
_CUBIC = re.compile(r"cub|kubik|立方|куб|세제곱|³|cúb|مكعب|3", re.IGNORECASE)
_LINK = re.compile(r"(?:[\s\u00a0\u202f]*|-)(?:(?:de|of|di)\s|d['’])?")
#: What joins the two ends of a range; the unit of the second is that of both.
_RANGE = re.compile(
    r"\s?(?:[-–—~〜～]|(?:to|and|or|bis|und|à|et|a|y|e|до|и)\s|至|到|から|에서)\s?(?=[^\W\d_]{0,3}[$€£¥]?\d)"
)
#: Where a word ends. Case is not ignored: a large range holds forms of "k" (the Kelvin sign) and of
#: Cyrillic letters, which were then no letters. The small range takes less time to compile.
_WHOLE_WORDS = r"(?-i:(?!(?=[\x00-\u0dff])[^\W\d_²³]|[\u0900-\u0963]))"


#: The characters after a number in which its scale and unit are looked for.
_REACH = 48
#: What is added to an amount before it is converted, for scales with another zero.
_OFFSETS = {"°F": -32.0}

_UNITS = [
    (name, dimension, size, re.compile(f"(?:{pattern}){_WHOLE_WORDS}", re.IGNORECASE))
    for name, dimension, size, pattern in _UNIT_ROWS
]
_CURRENCIES = [
    (frozenset(names.split()), re.compile(f"(?:{pattern}){_WHOLE_WORDS}", re.IGNORECASE))
    for names, pattern in _CURRENCY_ROWS
]
_SCALES = [
    (factor, re.compile(f"(?:{pattern}){_WHOLE_WORDS}", re.IGNORECASE))
    for factor, pattern in _SCALE_ROWS
]


@dataclass(frozen=True)
class Measure:
    """An amount with what it is an amount of.

    value: the number alone, as `words.find_numbers` spells it; amount: with its scale; units: names
    of the units or currencies that it may be in; dimension: "" for a currency; size, offset: turn
    the amount into the base unit; text: as written.
    """

    value: str
    amount: float
    units: frozenset[str]
    dimension: str
    size: float
    offset: float
    text: str

    @property
    def base(self) -> float:
        """Return the amount in the base unit of its dimension."""
        return (self.amount + self.offset) * self.size

    def differs(self, other: Measure) -> bool:
        """Return whether both have the same amount of different things: 30 miles, 30 kilometres."""
        return self.amount == other.amount and not self.units & other.units

    def equals(self, other: Measure) -> bool:
        """Return whether both are one amount in two units, rounded: 30 miles, 48 kilometres."""
        if not self.dimension or self.dimension != other.dimension or self.units & other.units:
            return False
        room = max(_find_room(self), _find_room(other))
        return abs(self.base - other.base) <= room


def _find_room(measure: Measure) -> float:
    """Return how far the amount may be from an exact one, in the base unit."""
    digits = measure.value
    step = 10.0 ** -len(digits.partition(".")[2])
    if "." not in digits:
        step = 10.0 ** (len(digits) - len(digits.rstrip("0")))
    scale = measure.amount / float(digits) if float(digits) else 1.0
    half = step * scale * measure.size / 2
    if measure.offset or measure.dimension == "temperature":
        return half
    return min(half, ROUNDING * abs(measure.base))


@lru_cache(maxsize=1024)
def read_measures(text: str) -> tuple[Measure, ...]:
    """Return the amounts of a text that have a known unit or currency, in order."""
    return tuple(_iterate_measures(text))


def has_bare_amount(text: str, value: str) -> bool:
    """Return whether a text has the number also without a known unit."""
    count = sum(find_numbers(match[0]) == (value,) for match in _NUMBER.finditer(text))
    return count > sum(measure.value == value for measure in read_measures(text))


def _iterate_measures(text: str) -> Iterator[Measure]:
    """Yield the measures; the first number of a range has the scale and unit of the second."""
    following: tuple[int, float, Measure] | None = None
    found: list[Measure] = []
    for match in reversed(list(_NUMBER.finditer(text))):
        values = find_numbers(match[0])
        if len(values) != 1 or values[0].count(".") > 1:
            continue
        measure, scale = _read_measure(text, match, values[0])
        if measure is None and following is not None:
            start, scale, second = following
            link = _RANGE.match(text, match.end())
            if link is not None and start - link.end() <= len("US$ "):
                measure = Measure(
                    values[0],
                    float(values[0]) * scale,
                    second.units,
                    second.dimension,
                    second.size,
                    second.offset,
                    text[match.start() : start] + second.text,
                )
        following = None
        if measure is not None:
            following = match.start(), scale, measure
            found.append(measure)
    yield from reversed(found)


def _read_measure(text: str, number: re.Match[str], value: str) -> tuple[Measure | None, float]:
    """Return the measure at a number, and its scale."""
    after = text[number.end() : number.end() + _REACH]
    sign = _SIGN_BEFORE.search(text[max(0, number.start() - 5) : number.start()])
    currencies = _find_currencies(sign[1]) if sign is not None else frozenset[str]()
    scale, end = _find_scale(after, has_sign=bool(currencies))
    amount = float(value) * scale
    if currencies and sign is not None:
        written = f"{sign[0]}{number[0]}{after[:end]}"
        return Measure(value, amount, currencies, "", 1.0, 0.0, written), scale
    unit = _find_unit(after, end)
    if unit is None:
        return None, scale
    units, dimension, size, offset, end = unit
    return Measure(value, amount, units, dimension, size, offset, number[0] + after[:end]), scale


def _find_currencies(sign: str) -> frozenset[str]:
    """Return the currencies that a sign or code before an amount may mean."""
    for currencies, pattern in _CURRENCIES:
        if pattern.fullmatch(sign):
            return currencies
    return frozenset()


@lru_cache(maxsize=4096)
def _find_scale(after: str, *, has_sign: bool) -> tuple[float, int]:
    """Return the factor of the scale word at the beginning, and where it ends; 1.0, 0 if none."""
    start = _skip_link(after, 0)
    best, end = 1.0, 0
    for factor, pattern in _SCALES:
        match = pattern.match(after, start)
        if match is not None and match.end() > end:
            best, end = factor, match.end()
    if not end and has_sign:
        short = re.match(r"\s?([kmb])(?!\w)", after, re.IGNORECASE)
        if short is not None:
            return _SHORT_SCALES[short[1].lower()], short.end()
    return best, end


def _skip_link(after: str, start: int) -> int:
    link = _LINK.match(after, start)
    return link.end() if link is not None else start


@lru_cache(maxsize=4096)
def _find_unit(after: str, start: int) -> tuple[frozenset[str], str, float, float, int] | None:
    """Return (units, dimension, size, offset, end) of what is named after a number or scale."""
    start = _skip_link(after, start)
    before = _SQUARE_BEFORE.match(after, start)
    first = before.end() if before is not None else start
    units: frozenset[str] = frozenset()
    dimension, size, offset, end = "", 1.0, 0.0, start
    for name, kind, factor, pattern in _UNITS:
        match = pattern.match(after, first)
        if match is not None and match.end() > end:
            units, dimension, size, end = frozenset((name,)), kind, factor, match.end()
            offset = _OFFSETS.get(name, 0.0)
    for names, pattern in _CURRENCIES:
        match = pattern.match(after, start)
        if match is not None and match.end() > end:
            units, dimension, size, end = names, "", 1.0, match.end()
        elif match is not None and match.end() == end:
            units |= names  # "pounds" may be a weight or money
    if not units:
        return None
    return _raise_to_power(after, before, (units, dimension, size, offset, end))


def _raise_to_power(
    after: str,
    before: re.Match[str] | None,
    unit: tuple[frozenset[str], str, float, float, int],
) -> tuple[frozenset[str], str, float, float, int]:
    """Return the unit as an area or volume if it is called square or cubic."""
    units, dimension, size, offset, end = unit
    behind = _SQUARE_AFTER.match(after, end)
    if dimension != "length" or (before is None and behind is None):
        return unit
    written = before[0] if before is not None else (behind[0] if behind is not None else "")
    if behind is not None:
        end = behind.end()
    if _CUBIC.search(written):
        # A litre is the base unit of volumes.
        return frozenset(f"{name}³" for name in units), "volume", size**3 * 1e3, offset, end
    return frozenset(f"{name}²" for name in units), "length²", size**2, offset, end
