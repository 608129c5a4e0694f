"""Find the XBRL concepts that the words of a question about a company's figures mean.

Common figures are known by name in several languages; any other words are compared with the names,
labels and descriptions of the concepts that the company itself uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from research_core.search.providers.edgar_files import NAME
from research_core.search.providers.reply import changed_format_error, get_value, read_text
from research_core.search.providers.series_words import split_years
from research_core.text.words import stem, strip_invisible

US, IFRS, COVER = "us-gaap", "ifrs-full", "dei"
#: (taxonomy, name) of a concept.
Concept = tuple[str, str]
REVENUE: tuple[Concept, ...] = (
    (US, "RevenueFromContractWithCustomerExcludingAssessedTax"),
    (US, "Revenues"),
    (US, "RevenueFromContractWithCustomerIncludingAssessedTax"),
    (US, "SalesRevenueNet"),
    (IFRS, "Revenue"),
)
NET_INCOME: tuple[Concept, ...] = ((US, "NetIncomeLoss"), (US, "ProfitLoss"), (IFRS, "ProfitLoss"))
EARNINGS_PER_SHARE: tuple[Concept, ...] = (
    (US, "EarningsPerShareDiluted"),
    (IFRS, "DilutedEarningsLossPerShare"),
)
ASSETS: tuple[Concept, ...] = ((US, "Assets"), (IFRS, "Assets"))
EQUITY: tuple[Concept, ...] = (
    (US, "StockholdersEquity"),
    (US, "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"),
    (IFRS, "Equity"),
)
LIABILITIES: tuple[Concept, ...] = ((US, "Liabilities"), (IFRS, "Liabilities"))
OPERATING_INCOME: tuple[Concept, ...] = (
    (US, "OperatingIncomeLoss"),
    (IFRS, "ProfitLossFromOperatingActivities"),
)
CASH: tuple[Concept, ...] = (
    (US, "CashAndCashEquivalentsAtCarryingValue"),
    (IFRS, "CashAndCashEquivalents"),
)
OPERATING_CASH_FLOW: tuple[Concept, ...] = (
    (US, "NetCashProvidedByUsedInOperatingActivities"),
    (IFRS, "CashFlowsFromUsedInOperatingActivities"),
)
SHARES: tuple[Concept, ...] = ((COVER, "EntityCommonStockSharesOutstanding"),)
#: Names of common figures, without articles, and the concepts that state each, the usual one first.
FIGURES: tuple[tuple[tuple[str, ...], tuple[Concept, ...]], ...] = (
    (("revenue", "revenues", "total revenue", "net revenue", "sales", "net sales", "total sales",
      "turnover", "umsatz", "umsätze", "umsatzerlöse", "gesamtumsatz", "chiffre d'affaires",
      "chiffre d’affaires", "ventes", "ingresos", "ventas", "ricavi", "fatturato", "omzet",
      "receita", "売上高", "营业收入", "выручка"), REVENUE),
    (("net income", "net profit", "profit", "profits", "earnings", "earn", "net earnings",
      "net loss", "gewinn", "nettogewinn", "jahresüberschuss", "reingewinn", "verlust",
      "konzerngewinn", "bénéfice", "bénéfice net", "résultat net", "beneficio", "beneficio neto",
      "beneficios", "utile", "utile netto", "nettowinst", "winst", "lucro", "純利益", "净利润",
      "прибыль"), NET_INCOME),
    (("earnings per share", "eps", "diluted eps", "diluted earnings per share", "gewinn je aktie",
      "ergebnis je aktie", "gewinn pro aktie", "bénéfice par action", "beneficio por acción"),
     EARNINGS_PER_SHARE),
    (("assets", "total assets", "bilanzsumme", "vermögen", "vermögenswerte", "aktiva", "actif",
      "total actif", "activos", "activo total", "attività"), ASSETS),
    (("equity", "shareholders equity", "stockholders equity", "shareholders' equity",
      "stockholders' equity", "eigenkapital", "capitaux propres", "patrimonio neto"), EQUITY),
    (("liabilities", "total liabilities", "verbindlichkeiten", "passifs", "pasivos"), LIABILITIES),
    (("operating income", "operating profit", "operating loss", "betriebsergebnis",
      "betriebsgewinn", "operatives ergebnis", "résultat opérationnel", "résultat d'exploitation",
      "resultado operativo", "resultado explotación"), OPERATING_INCOME),
    (("cash", "cash and cash equivalents", "cash on hand", "zahlungsmittel", "liquide mittel",
      "barmittel", "trésorerie", "efectivo"), CASH),
    (("operating cash flow", "cash flow from operations", "cash flow", "operativer cashflow",
      "cashflow", "flux trésorerie opérationnel", "flujo caja operativo"), OPERATING_CASH_FLOW),
    (("shares outstanding", "outstanding shares", "number of shares", "ausstehende aktien",
      "actions en circulation", "acciones en circulación"), SHARES),
    (("research and development", "research and development expense", "research & development",
      "research development", "research", "r&d", "rd", "r and d", "forschung und entwicklung",
      "forschung & entwicklung", "forschung", "forschungsausgaben", "recherche et développement",
      "recherche", "r&amp;d", "investigación y desarrollo", "investigación", "ricerca e sviluppo"),
     ((US, "ResearchAndDevelopmentExpense"),
      (US, "ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost"),
      (IFRS, "ResearchAndDevelopmentExpense"))),
    (("cost of revenue", "cost of sales", "cost of goods sold", "cogs", "umsatzkosten",
      "herstellungskosten", "coût des ventes", "costo de ventas"),
     ((US, "CostOfRevenue"), (US, "CostOfGoodsAndServicesSold"), (IFRS, "CostOfSales"))),
    (("gross profit", "bruttogewinn", "bruttoergebnis", "marge brute", "beneficio bruto"),
     ((US, "GrossProfit"), (IFRS, "GrossProfit"))),
    (("capital expenditure", "capital expenditures", "capex", "investitionen", "sachinvestitionen",
      "investissements"),
     ((US, "PaymentsToAcquirePropertyPlantAndEquipment"),
      (US, "PaymentsToAcquireProductiveAssets"),
      (IFRS, "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities"))),
    (("income tax", "income taxes", "taxes", "tax", "ertragsteuern", "steuern", "impôts",
      "impuestos"),
     ((US, "IncomeTaxExpenseBenefit"), (IFRS, "IncomeTaxExpenseContinuingOperations"))),
    (("dividends", "dividends paid", "dividend", "dividenden", "dividende", "dividendes",
      "dividendos"),
     ((US, "PaymentsOfDividendsCommonStock"), (US, "PaymentsOfDividends"),
      (IFRS, "DividendsPaidClassifiedAsFinancingActivities"))),
    (("inventory", "inventories", "vorräte", "stocks", "inventario", "existencias"),
     ((US, "InventoryNet"), (IFRS, "Inventories"))),
    (("debt", "long-term debt", "long term debt", "schulden", "finanzschulden", "dette", "deuda"),
     ((US, "LongTermDebt"), (US, "LongTermDebtNoncurrent"), (IFRS, "Borrowings"))),
    (("share buybacks", "buybacks", "share repurchases", "stock buybacks", "aktienrückkäufe",
      "rachats d'actions"),
     ((US, "PaymentsForRepurchaseOfCommonStock"),
      (IFRS, "PaymentsToAcquireOrRedeemEntitysShares"))),
)  # fmt: skip
#: Words of a question that name no figure.
FILLERS = frozenset(
    "what what's which was were is are the a an of in for from to since until between and how much"
    " many did do does has have had it its it's they their them this that by on at as with per show"
    " give tell me us please find get spend spent spending pay paid make made report reported"
    " company company's firm fiscal year years fy annual yearly latest last recent total value"
    " figure figures big high large over during"
    " wie viel viele hoch groß war waren ist sind der die das den dem des ein eine einen von vom im"
    " in für und bis seit hat haben hatte gab gibt es machte macht erzielte ausgegeben gezahlt"
    " unternehmen firma geschäftsjahr jahr jahre jahren zwischen auf aus bei mit zeige welche"
    " welchen welcher betrug ihr ihre sein seine"
    " combien quel quelle quels était est a t il elle le la les l du de d et en au aux pour dépensé"
    " réalisé fait entre exercice année années société sur son sa ses"
    " cuál cuáles cuánto cuánta fue fueron es el los las y del al para por gastó ganó tuvo entre"
    " ejercicio año años empresa su sus"
    " qual quanto è stato il lo gli di e ha nel dal tra".split()
)
#: Joins the figures of a question that asks for several.
_JOINTS = re.compile(r"\s*(?:[,;]|\b(?:and|und|et|y|e)\b)\s*")
#: A word of the name of a concept: "NetIncomeLoss" has three, "IPOCosts" two.
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORD = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*")
#: The share of a question's words that a concept must have, and the concepts taken and suggested.
MIN_SHARE, MAX_TAKEN, MAX_SUGGESTED = 0.5, 3, 8


@dataclass(frozen=True)
class FactQuestion:
    """What the words of a question say.

    text: what is left of it, in lower case; years: first and last, "" for none or no end.
    """

    text: str
    years: tuple[str, str]


@dataclass(frozen=True)
class ConceptMatch:
    """The concepts that the words of a question mean.

    groups: each a figure by the concepts that may state it; others: similar concepts, the best
    first; unmatched: the words that none of the groups has.
    """

    groups: tuple[tuple[Concept, ...], ...] = ()
    others: tuple[Concept, ...] = ()
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Rated:
    """A concept and the words of the question in its name or label, and in its description."""

    concept: Concept
    in_title: frozenset[str]
    in_text: frozenset[str]
    length: int

    @property
    def order(self) -> tuple[int, int, int, Concept]:
        return -len(self.in_title), -len(self.in_text), self.length, self.concept


def parse_fact_question(text: str) -> FactQuestion:
    """Read the years from a question, and return it without them."""
    words = " ".join(strip_invisible(text).casefold().split()).strip("?!. ")
    words = re.sub(r"\bfy\s?'?(?=(?:19|20)\d\d\b)", " ", words)
    years, rest = split_years(words)
    return FactQuestion(" ".join(rest.split()), years)


def has_figure_words(text: str) -> bool:
    """Return whether any word of a text is not a filler."""
    return bool(_list_words(text))


def is_figure_word(word: str) -> bool:
    """Return whether a lower-case word is a filler or part of the name of a common figure."""
    return word in FILLERS or any(word in name.split() for name in _index_figures())


def find_concepts(text: str, facts: Mapping[str, Any]) -> ConceptMatch:
    """Return the concepts of a company that lower-case words mean.

    facts: the concepts by taxonomy, as the reply has them. Exact names come first, then the names
    of common figures, then concepts that have every word, then a common figure among the words,
    then concepts that have at least half of the words. Raises SearchError.
    """
    present = _list_concepts(facts)
    exact = _find_exact(text, present)
    if exact:
        return ConceptMatch((exact,))
    words = _list_words(text)
    if not words:
        return ConceptMatch()
    groups: list[tuple[Concept, ...]] = []
    others: list[Concept] = []
    unmatched: list[str] = []
    for part in _split_parts(text):
        match = _find_part(_list_words(part), facts, present)
        groups += [group for group in match.groups if group not in groups]
        others += match.others
        unmatched += match.unmatched
    chosen = {concept for group in groups for concept in group}
    rest = [concept for concept in dict.fromkeys(others) if concept not in chosen]
    return ConceptMatch(tuple(groups), tuple(rest[:MAX_SUGGESTED]), tuple(unmatched))


def _split_parts(text: str) -> list[str]:
    """Split a question for several figures; "research and development" stays whole."""
    if _normalize(text) in _index_figures():
        return [text]
    parts = [part for part in _JOINTS.split(text) if _list_words(part)]
    joined: list[str] = []
    for part in parts:
        whole = f"{joined[-1]} {part}" if joined else ""
        if joined and _normalize(whole) in _index_figures():
            joined[-1] = whole
        else:
            joined.append(part)
    return joined


def _find_part(
    words: tuple[str, ...], facts: Mapping[str, Any], present: list[Concept]
) -> ConceptMatch:
    """Return the concepts that the words for one figure mean."""
    ranked = _rank(words, facts, present)
    similar = tuple(each.concept for each in ranked)
    figures = _index_figures()
    group = figures.get(" ".join(words), ())
    if group:
        return ConceptMatch((group,), similar)
    best = ranked[0] if ranked else None
    if best and len(best.in_title | best.in_text) == len(set(words)) and best.in_title:
        return ConceptMatch(_take_best(ranked), similar)
    group, rest = _find_figure_within(words)
    if group:
        return ConceptMatch((group,), similar, rest)
    if best and best.in_title and len(best.in_title | best.in_text) / len(set(words)) >= MIN_SHARE:
        missing = [word for word in words if word not in best.in_title | best.in_text]
        return ConceptMatch(_take_best(ranked), similar, tuple(missing))
    return ConceptMatch((), similar, words)


def _take_best(ranked: list[_Rated]) -> tuple[tuple[Concept, ...], ...]:
    """Return the concepts that have as many of the words as the first one."""
    best = ranked[0]
    equals = [
        (each.concept,)
        for each in ranked
        if (len(each.in_title), len(each.in_text)) == (len(best.in_title), len(best.in_text))
    ]
    return tuple(equals[:MAX_TAKEN])


def _find_figure_within(words: tuple[str, ...]) -> tuple[tuple[Concept, ...], tuple[str, ...]]:
    """Return the longest common figure that is named among words, and the other words."""
    figures = _index_figures()
    for length in range(len(words) - 1, 0, -1):
        for start in range(len(words) - length + 1):
            group = figures.get(" ".join(words[start : start + length]))
            if group:
                return group, words[:start] + words[start + length :]
    return (), words


def _rank(
    words: tuple[str, ...], facts: Mapping[str, Any], present: Iterable[Concept]
) -> list[_Rated]:
    """Return the concepts with any of the words, those with most in their names first."""
    by_stem = {stem(word): word for word in words}
    rated = []
    for taxonomy, name in present:
        fact = facts[taxonomy][name]
        title = {stem(part.lower()) for part in _NAME_PART.findall(name)}
        title |= _stem_words(read_text(NAME, fact, "label"))
        described = _stem_words(read_text(NAME, fact, "description"))
        in_title = frozenset(word for root, word in by_stem.items() if root in title)
        in_text = frozenset(word for root, word in by_stem.items() if root in described) - in_title
        if in_title or in_text:
            rated.append(_Rated((taxonomy, name), in_title, in_text, len(title)))
    return sorted(rated, key=lambda each: each.order)


def _stem_words(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(text.lower())}


def _list_concepts(facts: Mapping[str, Any]) -> list[Concept]:
    concepts = []
    for taxonomy in facts:
        members = get_value(facts, taxonomy)
        if not isinstance(members, dict):
            raise changed_format_error(NAME, f"there are no concepts of {taxonomy!r} in it")
        for name, fact in members.items():
            if not isinstance(fact, dict):
                raise changed_format_error(NAME, f"the concept {name!r} is no object")
            concepts.append((taxonomy, name))
    return concepts


def _find_exact(text: str, present: Iterable[Concept]) -> tuple[Concept, ...]:
    """Return the concepts of this name, with or without their taxonomy."""
    found = []
    for taxonomy, name in present:
        # One-word names are words of a question as well, such as "Revenues".
        spellings = {f"{taxonomy}:{name}", f"{taxonomy}/{name}"}
        if len(_NAME_PART.findall(name)) > 1:
            spellings.add(name)
        if text in {spelling.casefold() for spelling in spellings}:
            found.append((taxonomy, name))
    return tuple(found)


def _list_words(text: str) -> tuple[str, ...]:
    return tuple(word for word in _WORD.findall(text) if word not in FILLERS)


def _normalize(text: str) -> str:
    return " ".join(_list_words(text))


@cache
def _index_figures() -> dict[str, tuple[Concept, ...]]:
    """Return the concepts of each common figure by its name without fillers."""
    return {_normalize(name): concepts for names, concepts in FIGURES for name in names}
