"""Read the country, the indicator and the years from the words of a question about statistics."""

from __future__ import annotations

import re
from dataclasses import dataclass

from research_core.text.words import strip_invisible

#: ISO 3166 codes (two and three letters) of each country, and the names people write, in lower
#: case.
COUNTRIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("AR", "ARG", ("argentina",)), ("AU", "AUS", ("australia",)),
    ("AT", "AUT", ("austria", "österreich")), ("BE", "BEL", ("belgium", "belgique", "belgië")),
    ("BR", "BRA", ("brazil", "brasil")), ("BG", "BGR", ("bulgaria",)), ("CA", "CAN", ("canada",)),
    ("CL", "CHL", ("chile",)), ("CN", "CHN", ("china",)), ("CO", "COL", ("colombia",)),
    ("HR", "HRV", ("croatia", "hrvatska")), ("CY", "CYP", ("cyprus",)),
    ("CZ", "CZE", ("czech republic", "czechia")), ("DK", "DNK", ("denmark", "danmark")),
    ("EG", "EGY", ("egypt",)), ("EE", "EST", ("estonia",)), ("FI", "FIN", ("finland", "suomi")),
    ("FR", "FRA", ("france", "frankreich", "francia")),
    ("DE", "DEU", ("germany", "deutschland", "allemagne", "alemania")),
    ("GR", "GRC", ("greece",)), ("HU", "HUN", ("hungary",)), ("IS", "ISL", ("iceland",)),
    ("IN", "IND", ("india",)), ("ID", "IDN", ("indonesia",)), ("IE", "IRL", ("ireland",)),
    ("IL", "ISR", ("israel",)), ("IT", "ITA", ("italy", "italia", "italien")),
    ("JP", "JPN", ("japan",)), ("KE", "KEN", ("kenya",)),
    ("KR", "KOR", ("south korea", "republic of korea", "korea")), ("LV", "LVA", ("latvia",)),
    ("LT", "LTU", ("lithuania",)), ("LU", "LUX", ("luxembourg",)), ("MT", "MLT", ("malta",)),
    ("MX", "MEX", ("mexico", "méxico")), ("MA", "MAR", ("morocco",)),
    ("NL", "NLD", ("netherlands", "holland", "nederland")), ("NZ", "NZL", ("new zealand",)),
    ("NG", "NGA", ("nigeria",)), ("NO", "NOR", ("norway", "norge")), ("PK", "PAK", ("pakistan",)),
    ("PE", "PER", ("peru",)), ("PH", "PHL", ("philippines",)), ("PL", "POL", ("poland", "polska")),
    ("PT", "PRT", ("portugal",)), ("RO", "ROU", ("romania",)),
    ("RU", "RUS", ("russia", "russian federation")), ("SA", "SAU", ("saudi arabia",)),
    ("RS", "SRB", ("serbia",)), ("SK", "SVK", ("slovakia",)), ("SI", "SVN", ("slovenia",)),
    ("ZA", "ZAF", ("south africa",)), ("ES", "ESP", ("spain", "españa", "spanien")),
    ("SE", "SWE", ("sweden", "sverige", "schweden")),
    ("CH", "CHE", ("switzerland", "schweiz", "suisse")), ("TH", "THA", ("thailand",)),
    ("TR", "TUR", ("turkey", "türkiye")), ("UA", "UKR", ("ukraine",)),
    ("GB", "GBR", ("united kingdom", "great britain", "uk", "britain")),
    ("US", "USA", ("united states of america", "united states", "usa", "u.s.")),
    ("VN", "VNM", ("vietnam", "viet nam")),
)  # fmt: skip
#: Codes of Eurostat that are not those of ISO 3166.
EUROSTAT_CODES = {"GR": "EL", "GB": "UK"}
#: Ids of the common indicators, by provider; a longer name is tried before the shorter one in it.
INDICATORS: dict[tuple[str, ...], dict[str, str]] = {
    ("gdp growth", "economic growth", "wirtschaftswachstum"): {
        "worldbank": "NY.GDP.MKTP.KD.ZG"},
    ("gdp per capita", "bip pro kopf", "pib par habitant"): {"worldbank": "NY.GDP.PCAP.CD"},
    ("gdp", "gross domestic product", "bip", "bruttoinlandsprodukt", "pib"): {
        "worldbank": "NY.GDP.MKTP.CD", "eurostat": "nama_10_gdp", "fred": "GDP"},
    ("unemployment rate", "unemployment", "arbeitslosenquote", "arbeitslosigkeit", "chômage"): {
        "worldbank": "SL.UEM.TOTL.ZS", "eurostat": "une_rt_a", "fred": "UNRATE",
        "oecd": "OECD.SDD.TPS,DSD_LFS@DF_IALFS_UNE_M"},
    ("inflation rate", "inflation", "consumer prices", "inflación"): {
        "worldbank": "FP.CPI.TOTL.ZG", "eurostat": "prc_hicp_aind", "fred": "CPIAUCSL",
        "oecd": "OECD.SDD.TPS,DSD_PRICES@DF_PRICES_ALL"},
    ("population", "bevölkerung", "población", "einwohner"): {
        "worldbank": "SP.POP.TOTL", "eurostat": "demo_pjan", "fred": "POPTHM"},
    ("life expectancy", "lebenserwartung"): {
        "worldbank": "SP.DYN.LE00.IN", "eurostat": "demo_mlexpec"},
    ("exports",): {"worldbank": "NE.EXP.GNFS.CD"},
    ("imports",): {"worldbank": "NE.IMP.GNFS.CD"},
}  # fmt: skip
#: Words that name no series.
_FILLERS = frozenset(
    "what is was the of in for from to since until between and how high data figures annual von der"
    " die das des in für de la le du en del von bis zwischen seit depuis entre desde dal".split()
)
_YEAR = r"((?:19|20)[0-9]{2})"
_YEARS = re.compile(
    rf"\b(?:(since|seit|depuis|desde|dal)\s)?{_YEAR}"
    rf"(?:\s?(?:-|–|—|to|until|through|and|bis|und|à|et|a|y|e|al)\s?{_YEAR})?\b"
)


@dataclass(frozen=True)
class SeriesQuestion:
    """What the words of a question say.

    indicators: the ids by provider, {} for none known; country: (two letters, three letters);
    years: first and last, "" for none or no end; rest: the other words.
    """

    indicators: dict[str, str]
    country: tuple[str, str]
    years: tuple[str, str]
    rest: str

    def find_country(self, provider: str) -> str:
        """Return the code of the country as a provider names it."""
        if provider == "eurostat":
            return EUROSTAT_CODES.get(self.country[0], self.country[0])
        return self.country[1]


def parse_question(text: str) -> SeriesQuestion:
    """Read a question in words. The names of a country and an indicator are whole words."""
    # In lower case "us" is a pronoun.
    spelled = re.sub(r"\bUS\b", "USA", strip_invisible(text))
    words = " ".join(spelled.casefold().split()).strip("?")
    years, words = split_years(words)
    country = ("", "")
    names = [(name, row[:2]) for row in COUNTRIES for name in row[2]]
    for name, codes in sorted(names, key=lambda pair: -len(pair[0])):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words):
            country = codes
            words = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)(?:'s|’s)?", " ", words)
            break
    rest = " ".join(word for word in words.split() if word not in _FILLERS)
    indicators: dict[str, str] = {}
    for aliases, ids in INDICATORS.items():
        if rest in aliases:
            indicators = ids
    return SeriesQuestion(indicators, country, years, rest)


def split_years(words: str) -> tuple[tuple[str, str], str]:
    """Return the first and last year of lower-case words, and the words without them.

    A year is "" if none is named; "since 2015" has no last one.
    """
    match = _YEARS.search(words)
    if not match:
        return ("", ""), words
    since, first, last = match.groups()
    end = last or ("" if since else first)
    return (first, end), words.replace(match[0], " ", 1)
