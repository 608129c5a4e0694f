"""Reports that others wrote: each sentence with its sources, in the forms of known programs."""

from __future__ import annotations

import random
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.inputs import SHARED_DATA
from research_core.citations.cited_report import (
    MAX_REPORT_CHARS,
    CitedReport,
    find_identifier_url,
    read_cited_report,
)
from research_core.errors import UsageError
from tests.timing import check_cpu_time

A, B, C = "https://a.example/one", "https://b.example/two", "https://c.example/three"
LIST = f"\n\n## References\n\n1. First work. {A}\n2. Second work. {B}\n3. Third work. {C}\n"

#: Each: a report, and its claims that cite something with the addresses and unresolved marks.
FORMATS: dict[str, tuple[str, list[tuple[str, list[str]]]]] = {
    "numbers in brackets with a numbered list": (
        f"Rents rose by 4%. [1] Wages fell [2][3]. Prices [1, 3] held.{LIST}",
        [("Rents rose by 4%.", [A]), ("Wages fell.", [B, C]), ("Prices held.", [A, C])],
    ),
    "ranges": (
        f"All three agree [1-3]. Two agree [2–3].{LIST}",
        [("All three agree.", [A, B, C]), ("Two agree.", [B, C])],
    ),
    "a list of several numbers to an address, without a heading": (
        f"Rents rose. [1] Wages fell. [4]\n\n[1] [3] {A}\n\n{A}\n\n[2] [4] {B}\n\n{B}\n",
        [("Rents rose.", [A]), ("Wages fell.", [B])],
    ),
    "footnotes": (
        f"Rents rose.[^1] Wages fell.[^note]\n\n[^1]: First, {A}\n[^note]: Second, {B}\n",
        [("Rents rose.", [A]), ("Wages fell.", [B])],
    ),
    "footnotes of a search program, numbered by answer": (
        f"Rents rose[^1_1][^1_2]. Wages fell[^1_2].\n\n[^1_1]: {A}\n\n[^1_2]: {B}\n",
        [("Rents rose.", [A, B]), ("Wages fell.", [B])],
    ),
    "superscripts": (
        f"Rents rose.<sup>1</sup> Wages fell.² Prices held.<sup>1, 3</sup>{LIST}",
        [("Rents rose.", [A]), ("Wages fell.", [B]), ("Prices held.", [A, C])],
    ),
    "numbers glued to the ends of sentences": (
        "Rents rose in many cities.1 Wages fell at once.2\n\n#### Works cited\n\n"
        f"1. First, accessed on May 4, 2025, [{A}]({A})\n2. Second, accessed on May 4, 2025, {B}\n",
        [("Rents rose in many cities.", [A]), ("Wages fell at once.", [B])],
    ),
    "brackets with a dagger": (
        f"Rents rose【1†source】. Wages fell 【2†L4-L9】.{LIST}",
        [("Rents rose.", [A]), ("Wages fell.", [B])],
    ),
    "a list of numbers in brackets with a dagger": (
        f"Rents rose【1†source】. Wages fell【2】.\n\nSources:\n\n【1】 {A}\n【2†L1-L9】 Second: {B}\n",
        [("Rents rose.", [A]), ("Wages fell.", [B])],
    ),
    "a list of wide brackets without a heading": (
        f"租金上涨了【1】。工资下降了【2】。物价【3】不变。\n\n- 【1】【3】甲 {A}\n\n- 【2】乙 {B}\n",
        [("租金上涨了。", [A]), ("工资下降了。", [B]), ("物价不变。", [A])],
    ),
    "a list of other wide brackets": (
        f"家賃は上がった［1］。賃金は下がった［2］。\n\n## 参考文献\n\n［1］甲 {A}\n［2］乙 {B}\n",
        [("家賃は上がった。", [A]), ("賃金は下がった。", [B])],
    ),
    "one entry in brackets below the text": (
        f"Rents rose [1]. Wages fell [2]({B}).\n[1] {A}\n",
        [("Rents rose.", [A]), ("Wages fell.", [B])],
    ),
    "one entry in bold brackets above a rule": (
        f"Die Mieten stiegen [4].\n\n**[4]** Amt für Statistik: {A}\n\n---\n",
        [("Die Mieten stiegen.", [A])],
    ),
    "one entry in wide brackets": (
        f"家賃は上がった【1】。\n\n【1】家賃統計 {A}\n",
        [("家賃は上がった。", [A])],
    ),
    "one entry in brackets below each paragraph": (
        f"Rents rose [1].\n[1] {A}\n\nWages fell [2].\n\n[2] {B}\n\nPrices held [3].\n[3] {C}\n",
        [("Rents rose.", [A]), ("Wages fell.", [B]), ("Prices held.", [C])],
    ),
    "text below the definition of a link": (
        f"Rents rose [1].\n\n[1]: {A}\n\nWages fell, see {B}.\n\nPrices held [2].\n\n[2]: {C}\n",
        [("Rents rose.", [A]), ("Wages fell.", [B]), ("Prices held.", [C])],
    ),
    "a word that sends the reader to a source": (
        f"Los precios suben un 5 %. Véase {A}. Los salarios bajan. Ver {B}.\n\n"
        f"De huren stegen. Zie [CBS]({A}).\n\nGli affitti salgono. Vedi {B}\n\n"
        f"Аренда выросла. См. {C}. Зарплаты упали.\n\nRents rose. Cf. {A}\n\n"
        f"Los precios suben. Se [reducen]({B}) los salarios.\n",
        [
            ("Los precios suben un 5 %.", [A]),
            ("Los salarios bajan.", [B]),
            ("De huren stegen.", [A]),
            ("Gli affitti salgono.", [B]),
            ("Аренда выросла.", [C]),
            ("Rents rose.", [A]),
            ("Se reducen los salarios.", [B]),
        ],
    ),
    "superscripts with a list without a heading": (
        f"Rents rose.¹ Wages fell.² Prices held.¹\n\n¹ {A}\n² The Office, [wages]({B})\n",
        [("Rents rose.", [A]), ("Wages fell.", [B]), ("Prices held.", [A])],
    ),
    "superscript tags with a list without a heading": (
        "Die Mieten stiegen.<sup>2</sup> Die Löhne fielen<sup>3</sup>.\n\n---\n\n"
        f"<sup>2</sup> {A}\n\n<sup>3</sup> Amt: {B}\n",
        [("Die Mieten stiegen.", [A]), ("Die Löhne fielen.", [B])],
    ),
    "a superscript with its source below the paragraph": (
        f"Les loyers augmentent.¹\n\n¹{A}\n\nLes prix [baissent]({B}).\n",
        [("Les loyers augmentent.", [A]), ("Les prix baissent.", [B])],
    ),
    "a line that begins with an isotope": (
        f"¹⁴C dates the bones ({A}).\n",
        [("¹⁴C dates the bones.", [A])],
    ),
    "a label with an address behind the sentence": (
        f"Net profit doubled. Source: {A}\n\nDie Mieten stiegen. Quelle: {B} Die Löhne fielen.\n\n"
        f"Les loyers augmentent. Source : {C}\n\n- Los precios suben. **Fuente:** [La oficina]({A})\n",
        [
            ("Net profit doubled.", [A]),
            ("Die Mieten stiegen.", [B]),
            ("Les loyers augmentent.", [C]),
            ("Los precios suben.", [A]),
        ],
    ),
    "a label with a name and an address": (
        f"Rents rose. Wages fell. Sources: The Office, {A}; {B}.\n\nRents rose (Source: {C}).\n",
        [("Wages fell.", [A, B]), ("Rents rose.", [C])],
    ),
    "a label in a table and behind a dash": (
        f"| City | Rent |\n|---|---|\n| Ulm | 9 euros. Source: {A} |\n\nWages fell — Source: {B}\n",
        [("Ulm – Rent: 9 euros.", [A]), ("Wages fell —", [B])],
    ),
    "a line with a label, a name and an address": (
        f"Rents rose.\nSource: The Office, {A}\n\nWages fell. See {B} and {C}.\n",
        [("Rents rose.", [A]), ("Wages fell.", [B, C])],
    ),
    "a sentence that only begins like a label": (
        f"Rents rose. Source: [the office]({A}) says that wages fell in May.\n\n"
        f"Rents rose. Source: none so far. We asked {B} twice.\n",
        [
            ("Source: the office says that wages fell in May.", [A]),
            ("We asked twice.", [B]),
        ],
    ),
    "links on words": (
        f"[Rents rose]({A}) in May. Wages, says [the office]({B} 'Office'), fell.",
        [("Rents rose in May.", [A]), ("Wages, says the office, fell.", [B])],
    ),
    "links after the sentence, named by the site": (
        f"Rents rose in May. ([a.example]({A})) Wages fell. ([The Office]({B}), [c.example]({C}))",
        [("Rents rose in May.", [A]), ("Wages fell.", [B, C])],
    ),
    "links without words": (
        f"Rents rose in May.[]({A}) Wages fell [1]({B}).",
        [("Rents rose in May.", [A]), ("Wages fell.", [B])],
    ),
    "marks that are links": (
        f"Rents rose [[1]]({A}). Wages fell [2]({B}).{LIST}",
        [("Rents rose.", [A]), ("Wages fell.", [B])],
    ),
    "links defined below": (
        f"[Rents rose][r] in May. Wages fell [^2^][2].\n\n[r]: {A}\n[2]: {B}\n",
        [("Rents rose in May.", [A]), ("Wages fell.", [B])],
    ),
    "author and year": (
        "Rents rose (Meyer, 2020; Lee & Kim, 2021). Ösp et al. (2019) deny it.\n\n## References\n\n"
        f"- Meyer, A. (2020). Rents. {A}\n- Lee, B., & Kim, C. (2021). Wages. {B}\n"
        f"- Ösp, D., Aa, E., & Bo, F. (2019). Prices. {C}\n",
        [("Rents rose.", [A, B]), ("Ösp et al. deny it.", [C])],
    ),
    "author and year with a list of plain paragraphs": (
        "Rents rose (Meyer, 2020). Wages fell (World Bank, 2021). Lee and Kim (2019) deny it.\n\n"
        f"## References\n\nMeyer, A. (2020). *Rents are high*. {A}\n\n"
        f"World Bank. (2021, May 4). Wages. {B}\n\nLee, B., & Kim, C. (2019).\nPrices.\n{C}\n",
        [("Rents rose.", [A]), ("Wages fell.", [B]), ("Lee and Kim deny it.", [C])],
    ),
    "author and year with a German list without empty lines": (
        "Die Mieten stiegen (Müller, 2020). Die Löhne fielen (Özdemir & Weiß, 2021).\n\nLiteratur\n\n"
        f"Müller, A. (2020). Mieten. {A}\nÖzdemir, B., & Weiß, C. (2021). Löhne. {B}\n",
        [("Die Mieten stiegen.", [A]), ("Die Löhne fielen.", [B])],
    ),
    "author and year with a French list and text below it": (
        "Les loyers augmentent (Dupont, 2020).\n\n**Références**\n\n"
        f"Dupont, A. (2020). Loyers. {A}\n\n## Annexe\n\nLes prix [baissent]({B}).\n",
        [("Les loyers augmentent.", [A]), ("Les prix baissent.", [B])],
    ),
    "text below a heading of sources": (
        f"## Literatur\n\nMeyer (2020) zeigt [hohe Mieten]({A}).\n\nDie Löhne fielen 2021: {B}\n",
        [("Meyer (2020) zeigt hohe Mieten.", [A]), ("Die Löhne fielen 2021:", [B])],
    ),
    "a word of a title is no author": (
        f"Rents rose (Wages, 2020).\n\n## References\n\nMeyer, A. (2020). Wages. {A}\n",
        [],
    ),
    "bare addresses": (
        f"Rents rose {A}. Wages fell ({B}). Prices held <{C}>.",
        [("Rents rose.", [A]), ("Wages fell.", [B]), ("Prices held.", [C])],
    ),
    "several bare addresses": (
        f"- Rents rose {A}; {B}\n- Wages fell ({B}, {C})\n",
        [("Rents rose", [A, B]), ("Wages fell", [B, C])],
    ),
    "a line of sources below a paragraph": (
        f"Rents rose. Wages fell.\nSources: [one]({A}), {B}\n\nPrices held.",
        [("Rents rose.", [A, B]), ("Wages fell.", [A, B])],
    ),
    "a table": (
        f"| City | Rent | Wage |\n|---|---|---|\n| Ulm | 9 euros [1] | 20 euros [2][3] |\n{LIST}",
        [("Ulm – Rent: 9 euros", [A]), ("Ulm – Wage: 20 euros", [B, C])],
    ),
    "a table with a column of sources": (
        f"| City | Rent | Source |\n|---|---|---|\n| Ulm | 9 euros | [a.example]({A}) |\n",
        [("Ulm; 9 euros", [A])],
    ),
    "what a chat program leaves behind": (
        "Rents rose citeturn0search1turn0news2. Wages fell :contentReference[oaicite:3]{index=3}. "
        "Prices held 【oaicite:1】.",
        [
            ("Rents rose.", ["citeturn0search1turn0news2"]),
            ("Wages fell.", [":contentReference[oaicite:3]{index=3}"]),
            ("Prices held.", ["oaicite:1"]),
        ],
    ),
    "identifiers in place of addresses": (
        "Rents rose [1]. Wages fell [2].\n\n## References\n\n1. A. doi:10.1000/xyz.12\n"
        "2. [B](arXiv:2003.01293)\n",
        [
            ("Rents rose.", ["https://doi.org/10.1000/xyz.12"]),
            ("Wages fell.", ["https://arxiv.org/abs/2003.01293"]),
        ],
    ),
    "Chinese": (
        f"租金上涨了百分之四[1]。工资下降了。[2]\n\n## 参考文献\n\n[1] 甲 {A}\n[2] 乙 {B}\n",
        [("租金上涨了百分之四。", [A]), ("工资下降了。", [B])],
    ),
    "Arabic": (
        f"ارتفعت الإيجارات [1]. انخفضت الأجور [2].\n\n## المراجع\n\n1. {A}\n2. {B}\n",
        [("ارتفعت الإيجارات.", [A]), ("انخفضت الأجور.", [B])],
    ),
    "a mark without a source": (
        f"Rents rose [1]. Wages fell [9].{LIST}",
        [("Rents rose.", [A]), ("Wages fell.", ["[9]"])],
    ),
    "addresses that no browser may open": (
        "Rents rose [here](file:///etc/passwd). Wages fell [there](javascript:alert(1)).",
        [
            ("Rents rose here.", ["file:///etc/passwd"]),
            ("Wages fell there.", ["javascript:alert(1)"]),
        ],
    ),
    "defined links, as chat programs copy them": (
        "Exports rose by 4% ([Reuters][1], [World Bank][2]). Debt fell ([IMF][3]), says [Lee].\n\n"
        f'[1]: {A} "Exports rise | Reuters"\n[2]: {B}_(c) "B"\n[3]: <{C}>\n[lee]: {A}\n',
        [("Exports rose by 4%.", [A, f"{B}_(c)"]), ("Debt fell, says Lee.", [C, A])],
    ),
    "definitions in a quoted text, the first of which is no web address": (
        f"> Water boils [1]. Salt melts [2].\n>\n> [1]: file:///etc/passwd\n> [2]: {B}\n",
        [("Water boils.", [""]), ("Salt melts.", [B])],
    ),
    "addresses without a scheme": (
        "Measles fell by 30% (who.int/news/x). Deaths rose, see www.cdc.gov. Debt fell [1].\n\n"
        "## Sources\n\n1. Bank, worldbank.org/b\n",
        [
            ("Measles fell by 30%.", ["https://who.int/news/x"]),
            ("Deaths rose.", ["https://www.cdc.gov"]),
            ("Debt fell.", ["https://worldbank.org/b"]),
        ],
    ),
    "no addresses without a scheme": (
        "Write to a.b@who.int/x about main.py/x, README.md/x, 1.2/3.4, and/or, U.S./China, Inc./Ltd,"
        " node.js/express, config.yaml/x and who.int.\n",
        [],
    ),
    "one listed address without a heading, beside a picture": (
        f"Rents rose by 5% ![chart](https://img.example/c.png) [1].\n\n1. {A}\n",
        [("Rents rose by 5%.", [A])],
    ),
    "marks in two brackets that are links, without a list": (
        f'Debt fell by 3%.[[2]]({A})[[3]]({B} "Title (2020)")\n',
        [("Debt fell by 3%.", [A, B])],
    ),
    "numbers behind escaped points, years and percent signs": (
        f"The dam was built in 2014\\.1 Rents rose by 4%.2 It pays off\\.1{LIST}",
        [("The dam was built in 2014.", [A]), ("Rents rose by 4%.", [B]), ("It pays off.", [A])],
    ),
    "elements of HTML, some of which are not shown": (
        f'<img src="https://img.example/logo.png" style="height:64px"/>\n\n# 标题\n\n出口增长[^1]。\n\n'
        f'<span style="display:none">[^2]</span>\n\n<div align="center">⁂</div>\n\n[^1]: {A}\n[^2]: {B}\n',
        [("出口增长。", [A])],
    ),
    "one page with and without its scheme": (
        "Rents rose ([s](http://stat.example.de/x)). Wages fell (Quelle: stat.example.de/x).\n",
        [
            ("Rents rose.", ["http://stat.example.de/x"]),
            ("Wages fell.", ["http://stat.example.de/x"]),
        ],
    ),
    "notes on the work of the note before": (
        f"Rents rose[^1]. Wages fell[^2]. Prices held[^3].\n\n[^1]: First, {A}\n[^2]: Ibid., p. 12.\n"
        f"[^3]: Ebd., S. 14\n",
        [("Rents rose.", [A]), ("Wages fell.", [A]), ("Prices held.", [A])],
    ),
    "marks of a program's own search, which lead nowhere": (
        "Rents rose [web:2]. Wages fell 【4:0†source】. Prices held [post:1, post:3].\n",
        [
            ("Rents rose.", ["web:2"]),
            ("Wages fell.", ["4:0†source"]),
            ("Prices held.", ["post:1, post:3"]),
        ],
    ),
    "Japanese brackets and numbers": (
        f"輸出は増加した〔1〕。輸入は減少した［２］。\n\n参考文献\n\n１．第一報 {A}\n２、第二報 {B}\n",
        [("輸出は増加した。", [A]), ("輸入は減少した。", [B])],
    ),
    "Arabic digits": (
        f"ارتفعت الإيجارات [١]. انخفضت الأجور [١، ٢].\n\n## المصادر\n\n1. {A}\n2. {B}\n",
        [("ارتفعت الإيجارات.", [A]), ("انخفضت الأجور.", [A, B])],
    ),
    "superscripts of a chat program, and its list in round brackets": (
        f"Os aluguéis subiram 4%¹. Os salários caíram²³.\n\nFonte: conversa com o Copilot, 4/5/2025\n"
        f"(1) Aluguéis em alta. {A}.\n(2) Salários. {B}.\n(3) Preços. {C}.\n",
        [("Os aluguéis subiram 4%.", [A]), ("Os salários caíram.", [B, C])],
    ),
    "carets around numbers, and entries in one line": (
        "Rents rose by 4%[^1^]. Wages fell[^2^][^3^].\n\nSource: Conversation with Bing, 5/4/2023\n"
        f"(1) Rents. {A}.\n(2) Wages. {B}. (3) Prices. {C}.\n",
        [("Rents rose by 4%.", [A]), ("Wages fell.", [B, C])],
    ),
    "carets around numbers and definitions": (
        f"租金上涨了4%[^1^]。工资下降了[^2^][^3^]。\n\n参考文献：\n[^1^]: 租金 {A}\n[^2^]: 工资 {B}\n[^3^]: 物价 {C}\n",
        [("租金上涨了4%。", [A]), ("工资下降了。", [B, C])],
    ),
    "named numbers without a list, and with one": (
        "租金上涨了4%[citation:1]。工资下降了[citation:2][citation:3]。\n",
        [("租金上涨了4%。", ["[1]"]), ("工资下降了。", ["[2]", "[3]"])],
    ),
    "named numbers with a list": (
        "Die Mieten stiegen [Quelle 1]. Die Löhne fielen [Quelle 2, Quelle 3]. Die Preise [Quelle 1-3] stehen.\n\n"
        f"## Quellen\n\nQuelle 1: {A}\nQuelle 2: {B}\nQuelle 3: {C}\n",
        [
            ("Die Mieten stiegen.", [A]),
            ("Die Löhne fielen.", [B, C]),
            ("Die Preise stehen.", [A, B, C]),
        ],
    ),
    "named numbers as entries": (
        f"Rents rose by 4% [ref1]. Wages fell [ref2][ref3].\n\nReferences\n[ref1] Rents. {A}\n"
        f"[ref2] Wages. {B}\n[ref3] Prices. {C}\n",
        [("Rents rose by 4%.", [A]), ("Wages fell.", [B, C])],
    ),
    "elements of a program's screen, which lead nowhere": (
        'Les loyers ont augmenté.<grok:render card_id="a1" type="render_inline_citation">\n'
        '<argument name="citation_id">3</argument>\n</grok:render>\n\n'
        '<cite index="1-3,2-1">Les salaires ont baissé.</cite> Les prix montent [@lee2021; @kim2019].\n',
        [
            ("Les loyers ont augmenté.", ["source:3"]),
            ("Les salaires ont baissé.", ["cite: 1,3,2"]),
            ("Les prix montent.", ["@lee2021; @kim2019"]),
        ],
    ),
    "links of a chat room": (
        f"Los precios suben un 5 % (<{A}|La oficina>). Los salarios bajan <{B}|(fuente)>.\n",
        [("Los precios suben un 5 %.", [A]), ("Los salarios bajan.", [B])],
    ),
    "marks that link to anchored entries": (
        "Les loyers ont augmenté<sup>[[1](#ref1)]</sup>. Les salaires ont baissé [2](#ref2).\n\n"
        f'## Références\n\n<a id="ref1"></a>1. Loyers. {A}\n<a name="ref2"/>2. Salaires. {B}\n',
        [("Les loyers ont augmenté.", [A]), ("Les salaires ont baissé.", [B])],
    ),
    "notes of a wiki": (
        f"Аренда выросла на 4 %.<ref>{{{{cite web |title=Аренда |url={A} |access-date=2025-05-04}}}}</ref>"
        f' Зарплаты упали.<ref name="w">[{B} Зарплаты]</ref> Цены тоже.<ref name="w" />\n',
        [("Аренда выросла на 4 %.", [A]), ("Зарплаты упали.", [B]), ("Цены тоже.", [B])],
    ),
    "numbers in round brackets": (
        f"Rents rose by 4% (1). Wages fell (2,3). For (2) years prices held; so (1) they rose.{LIST}",
        [("Rents rose by 4%.", [A]), ("Wages fell.", [B, C])],
    ),
    "a table of sources": (
        "家賃は4%上がった[1]。賃金は下がった[2]。\n\n## 出典\n\n| 番号 | 資料 | URL |\n|---|---|---|\n"
        f"| 1 | 家賃統計 | {A} |\n| 2 | 賃金統計 | {B} |\n",
        [("家賃は4%上がった。", [A]), ("賃金は下がった。", [B])],
    ),
    "what only looks like these forms": (
        "The model has levels (1), (2) and (3). See figure (4). It costs 5 m². Ask [source control] for <b|c>,"
        f" or the <ref> tag.{LIST}",
        [],
    ),
    "nothing that cites": (
        "In 2020 [sic] rents (see below) rose from [0, 1] to 3.5%. Mail <x@a.example>.\n\n`[1]`\n",
        [],
    ),
}


def cited(report: CitedReport) -> list[tuple[str, list[str]]]:
    urls = {work.key: work.url for work in report.works}
    return [
        (claim.text, [*(urls[key] for key in claim.works), *claim.unresolved])
        for claim in report.claims
        if claim.works or claim.unresolved
    ]


#: Each: a sentence with links, and its words that are compared with the sources.
LINK_WORDS = [
    ("Rents rose by 5% [Reuters](https://www.reuters.com/a).", "Rents rose by 5%."),
    ("Exports fell by 3% [World Bank, 2023](https://worldbank.org/b) and debt rose.",
     "Exports fell by 3% and debt rose."),
    ("Die Miete stieg stark [Bericht](https://a.example.de/x).", "Die Miete stieg stark."),
    ("Der Umsatz fiel [Quelle: Bericht 2023](https://a.example.de/y).", "Der Umsatz fiel."),
    ("Los precios subieron un 5 % [El País](https://elpais.com/x).", "Los precios subieron un 5 %."),
    ("Экспорт вырос на 4% [отчёт](https://a.example.ru/x).", "Экспорт вырос на 4%."),
    ("2023年出口增长4%[报告](https://a.example.cn/x)。", "2023年出口增长4%。"),
    ("Rents rose by 5%. [Rents rise again - Reuters](https://r.example/a)", "Rents rose by 5%."),
    ("Rents rose by 5% (see [Smith 2020](https://a.example/x)).", "Rents rose by 5%."),
    ("Die Mieten stiegen um 5,2 Prozent [Statistik](https://a.example.de/x).",
     "Die Mieten stiegen um 5,2 Prozent."),
    ("The firm bought [Twitter](https://twitter.com/x).", "The firm bought Twitter."),
    ("Rents rose in [Berlin](https://berlin.de/x).", "Rents rose in Berlin."),
    ("Debt fell, says [Reuters](https://www.reuters.com/a).", "Debt fell, says Reuters."),
    ("Laut [dem Bericht](https://a.example.de/x) sank der Zins.", "Laut dem Bericht sank der Zins."),
    ("They published [a report](https://a.example/x).", "They published a report."),
    ("[Smith 2020](https://a.example/x) found that debt fell.", "Smith 2020 found that debt fell."),
    ("In [May 2020](https://a.example/x) debt fell.", "In May 2020 debt fell."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "claim"), LINK_WORDS)
def test_words_of_a_link_that_only_name_its_source_are_left_out(text: str, claim: str) -> None:
    (found,) = read_cited_report(text).claims
    assert (found.text, len(found.works)) == (claim, 1)


def test_a_picture_is_no_source() -> None:
    report = read_cited_report(f"A ![chart](https://img.example/c.png) rose [x]({A}).")
    assert [work.url for work in report.works] == [A]


@pytest.mark.parametrize("name", FORMATS)
def test_each_claim_has_its_sources(name: str) -> None:
    text, expected = FORMATS[name]
    assert cited(read_cited_report(text)) == expected


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "The turbine was switched off after eleven years of operation, and the\nseals came back."
            " Nobody saw\nthem before.\n",
            [
                (1, "The turbine was switched off after eleven years of operation, and the seals came back."),
                (2, "Nobody saw them before."),
            ],
        ),
        (
            "- Die Mieten stiegen in den meisten Städten des Landes stärker als die\n  Löhne.\n- Zweiter Punkt\n",
            [
                (1, "Die Mieten stiegen in den meisten Städten des Landes stärker als die Löhne."),
                (3, "Zweiter Punkt"),
            ],
        ),
        (
            "> Les loyers ont augmenté dans la plupart des villes du pays, mais pas\n> partout.\n",
            [(1, "Les loyers ont augmenté dans la plupart des villes du pays, mais pas partout.")],
        ),
        (
            "Die Löhne sind mit den Jahren gestiegen, und das ist nicht überall so.\n\n"
            "Seit 1. Januar 2023 leitet Per Olsson en bloc das Werk.\n\n"
            "The plan was part of the 1. Wages rose.\n\nVolvo AB de la Gardie: Start am 3. März.\n",
            [
                (1, "Die Löhne sind mit den Jahren gestiegen, und das ist nicht überall so."),
                (3, "Seit 1. Januar 2023 leitet Per Olsson en bloc das Werk."),
                (5, "The plan was part of the 1."),
                (5, "Wages rose."),
                (7, "Volvo AB de la Gardie: Start am 3. März."),
            ],
        ),
        (
            "Der Lohn gilt seit dem\n1. Januar 2023 überall.\n\n1. Januar und Mai\n2. Juni\n3. Mai 2024\n4. Mai 2024\n\n"
            "31. Dezember 2022 war der Stichtag.\n",
            [
                (1, "Der Lohn gilt seit dem 1. Januar 2023 überall."),
                (4, "Januar und Mai"),
                (5, "Juni"),
                (6, "3. Mai 2024"),
                (7, "4. Mai 2024"),
                (9, "31. Dezember 2022 war der Stichtag."),
            ],
        ),
        ("Key finding\nThe dam was built in 1999.\n", [(1, "Key finding"), (2, "The dam was built in 1999.")]),
        ("First line  \nsecond line\n", [(1, "First line"), (2, "second line")]),
        (
            "## A heading of some length that nobody would ever wrap, yet it is long\nrents rose.\n",
            [(2, "rents rose.")],
        ),
    ],
)  # fmt: skip
def test_a_sentence_goes_on_in_the_next_line(text: str, claims: list[tuple[int, str]]) -> None:
    assert [(claim.line, claim.text) for claim in read_cited_report(text).claims] == claims


@pytest.mark.parametrize("name", FORMATS)
def test_line_ends_make_no_difference(name: str) -> None:
    text, expected = FORMATS[name]
    assert cited(read_cited_report(text.replace("\n", "\r\n"))) == expected


def test_a_claim_knows_its_heading_and_line_and_uncited_ones_are_kept() -> None:
    report = read_cited_report(f"# Rents\n\nRents rose [1].\n\n## Wages\n\nWages **fell**.{LIST}")
    assert [(claim.heading, claim.line, claim.text) for claim in report.claims] == [
        ("Rents", 3, "Rents rose."),
        ("Wages", 7, "Wages fell."),
    ]
    assert [work.url for work in report.uncited_works] == [B, C]


def test_the_number_of_a_link_is_a_mark_of_its_source() -> None:
    report = read_cited_report(
        f"Rents rose [1]. Wages fell [7]({B}). Prices held ([[2]]({C})). They rose [2]({A}/2).\n\n"
        f"[1] {A}\n"
    )
    marks = {work.key: work.marks for work in report.works}
    assert marks == {A: ("1",), B: ("7",), C: ("2",), f"{A}/2": ("2",)}


def test_one_address_under_two_numbers_is_one_work() -> None:
    report = read_cited_report(
        f"Rents rose [1]. Wages fell [2].\n\n## Sources\n\n[1] A {A}\n[2] A again {A}#top\n"
    )
    assert [(work.url, work.marks) for work in report.works] == [(f"{A}#top", ("1", "2"))]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("Meyer. doi:10.1234/ab(c)1. 2020", "https://doi.org/10.1234/ab(c)1"),
        ("arXiv:2003.01293v2", "https://arxiv.org/abs/2003.01293v2"),
        ("arXiv hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"),
        ("PMID: 1234567", "https://pubmed.ncbi.nlm.nih.gov/1234567"),
        ("see PMC7654321.", "https://pmc.ncbi.nlm.nih.gov/articles/PMC7654321"),
        ("10.5 of 2003.01", ""),
    ],
)
def test_identifiers_are_addresses(text: str, url: str) -> None:
    assert find_identifier_url(text) == url


def test_a_report_beyond_the_bounds_is_refused() -> None:
    with pytest.raises(UsageError, match="characters"):
        read_cited_report("x" * (MAX_REPORT_CHARS + 1))
    with pytest.raises(UsageError, match="sources"):
        read_cited_report("".join(f"x https://a.example/{n} \n" for n in range(10_001)))
    listed = "".join(f"{n}. https://a.example/{n}\n" for n in range(1, 10_002))
    with pytest.raises(UsageError, match="10,001 sources"):
        read_cited_report(f"Rents rose [1].\n\n## Sources\n\n{listed}")


PIECES = [
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "|",
    "\n",
    "*",
    "`",
    "^",
    "†",
    "【",
    "】",
    "1",
    ",",
    "-",
    "http",
]


@given(
    st.lists(
        st.sampled_from([*PIECES, A, "rose. ", "word ", "turn0search", "## ", "¹"]), max_size=60
    )
)
def test_any_text_is_read(pieces: list[str]) -> None:
    report = read_cited_report("".join(pieces))
    keys = {work.key for work in report.works}
    assert all(keys.issuperset(claim.works) for claim in report.claims)


@pytest.mark.full
def test_mutated_reports_are_read() -> None:
    choose = random.Random(5)
    texts = [text for text, _ in FORMATS.values()]
    for _ in range(10_000):
        text = choose.choice(texts)
        for _ in range(choose.randint(1, 6)):
            at = choose.randrange(len(text))
            text = (
                text[:at]
                + choose.choice([*PIECES, "", text[at : at + 40]])
                + text[at + choose.randint(0, 3) :]
            )
        read_cited_report(text)


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[1]",
        "[a](",
        "(",
        "[^",
        "<",
        "|",
        "【",
        "turn0search1",
        "Aa (2020",
        "[a][",
        "x.1 ",
        f"{A} ",
        f"[a]({A}) ",
        "- ",
        " ",
        "\t(",
        "## References\nAa, B. (2020). ",
        "## Sources\n[1][1]",
        "Aa, B. (2020).\n\n",
        "References\n\n",
        f"Source: {A} ",
        "Rose. Source: ",
        "¹ doi\n",
        f"They sang [1-40].\n[1] {A}\n",
        f"Sources: [1] {A} [2] {A}\n",
        f"[1]({A}) [1]\n1: {A}\n",
        "Sources: [1] [2] ",
        f"1. They grew - 海豹 ({A}).\n",
        f"[1] reports - ([海豹]({A})).\n",
        f"They sang [1].\n\n[1]: {A}\n\n",
        "<ref>",
        "<ref name='a'>b ",
        "[ref1]",
        "<a:render b>",
        f"<{A}|",
        "Rose (1-99).\n",
        "[@a;",
        '<cite index="1">a ',
        f"(1) {A} ",
    ],
)
def test_time_is_linear_in_the_length(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    with check_cpu_time(3.0):
        read_cited_report(text)
        read_cited_report(f"({text}")
        read_cited_report(f"{text}x")


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="needs the shared data")
def test_stored_reports_of_two_programs_lose_no_listed_address() -> None:
    for path in sorted((SHARED_DATA / "audit" / "reports").glob("fp-openai_*.md")):
        report = read_cited_report(path.read_text(encoding="utf-8"))
        assert report.uncited_works == ()
        assert not any(claim.unresolved for claim in report.claims)


PARAGRAPHS = f"""# Seals

The turbine was switched off in the year 2019, and the seals of the lough
came back [1]. They kept 200 metres away. Die Anlage wurde im Jahr 2019 nach elf Jahren
abgeschaltet [1].
Short line.

- An item of the list.
- Another item of it that is long enough to have been wrapped by a program
  and goes on [1].

| Place | Seals |
|---|---|
| Lough | 40 [1] |
| Sound | 50 [1] |

## Sources

1. {A}
"""


def test_sentences_keep_their_line_and_their_paragraph() -> None:
    claims = read_cited_report(PARAGRAPHS).claims
    assert [(claim.line, claim.text.split()[-1]) for claim in claims] == [
        (3, "back."),
        (4, "away."),
        (4, "abgeschaltet."),
        (6, "line."),
        (8, "list."),
        (9, "on."),
        (14, "40"),
        (15, "50"),
    ]
    groups = [len(list(group)) for _, group in groupby(claims, lambda claim: claim.paragraph)]
    assert groups == [4, 1, 1, 1, 1]


# ---------------------------------------------------------------- marks of several kinds in one text

ONE, TWO, THREE = (
    f"https://{name}/page" for name in ("one.example", "two.example", "three.example")
)
SAID = f"Seals kept away [1]. They sang [2]({TWO})."
MORE = "## Next\n\nMore text follows here.\n"
LISTED = f"## Sources\n\n1. Review. {ONE}\n"
#: Texts with what each sentence cites, and the marks of the works.
MIXED: dict[str, tuple[str, list[list[str]], dict[str, tuple[str, ...]]]] = {
    name: (text, cited, marks)
    for name, text, cited, marks in [
        ("a list, and a link with a number",
         f"{SAID}\n\n## Sources\n\n1. Review. {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("an entry below its paragraph, and more text",
         f"{SAID}\n[1] Review. {ONE}\n\n## Next\n\nMore text [1].\n",
         [[ONE], [TWO], [ONE]], {ONE: ("1",), TWO: ("2",)}),
        ("an entry within a paragraph",
         f"{SAID}\n[1] Review of the lough, final report. {ONE}\nThe next sentence begins here.\n",
         [[ONE], [TWO], []], {ONE: ("1",), TWO: ("2",)}),
        ("a list below each paragraph",
         f"Seals kept away [1].\n[1] {ONE}\n\nThey sang [1].\n[1] {TWO}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("1",)}),
        ("a number with a colon", f"{SAID}\n1: {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("a number with a dash", f"{SAID}\n1 – Review {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("German, named",
         f"Die Robben blieben fern [1]. Sie sangen [2]({TWO}).\nQuelle 1: {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("German, several in one line",
         f"Die Robben blieben fern [1]. Sie sangen [2]. Sie schliefen [3]({THREE}).\n"
         f"**Quellen:** [1] {ONE}; [2] Gesang {TWO}\n",
         [[ONE], [TWO], [THREE]], {ONE: ("1",), TWO: ("2",), THREE: ("3",)}),
        ("Chinese, named", f"海豹保持200米距离[1]。它们唱歌[2]({TWO})。\n来源：[1] {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("Chinese, wide brackets", f"海豹保持200米距离【1】。它们唱歌[2]({TWO})。\n【1】报告：{ONE}\n\n完。\n",
         [[ONE], [TWO], []], {ONE: ("1",), TWO: ("2",)}),
        ("Japanese", f"アザラシは離れていた[1]。夜に歌った[2]({TWO})。\n出典：[1] 報告書 {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("a footnote without a colon", f"Seals kept away[^1]. They sang [2]({TWO}).\n[^1] Review {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("a footnote and a link of one number",
         f"Seals kept away[^1]. They sang [1]({TWO}).\n\n[^1]: Review. {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("1",)}),
        ("a linked number once more", f"They slept [2]. Seals kept away [1]({ONE}) and sang [2]({TWO}).\n",
         [[TWO], [ONE, TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("linked numbers together", f"Seals kept away [1]({ONE}) [2]({TWO}). Both agree [1, 2].\n",
         [[ONE, TWO], [ONE, TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("a numbered list of sentences",
         f"Seals kept away [1].\n1. They grew by 24 % ({TWO}).\n2. They ate more fish ({THREE}).\n\n{LISTED}",
         [[ONE], [TWO], [THREE]], {ONE: ("1",), TWO: (), THREE: ()}),
        ("a numbered list with marks",
         f"Seals kept away [1] and sang [2].\n1. Seals of the lough, see {THREE} [2]\n\n{LISTED}2. Songs. {TWO}\n",
         [[ONE, TWO], [THREE, TWO]], {ONE: ("1",), TWO: ("2",), THREE: ()}),
        ("a numbered list in German",
         f"Die Robben blieben fern [1].\n\n1) Sie blieben 200 Meter fern ({TWO}).\n"
         f"2) Die Zahl wuchs um 24 %. {THREE}\n\n## Quellen\n\n1. Bericht. {ONE}\n",
         [[ONE], [TWO], [THREE]], {ONE: ("1",), TWO: (), THREE: ()}),
        ("a numbered list in French",
         f"Les phoques restaient loin [1].\n1. Ils restaient à 200 mètres ([étude]({TWO})).\n\n"
         f"## Sources\n\n1. Rapport. {ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ()}),
        ("a numbered list in Chinese",
         f"海豹保持200米距离[1]。\n1. 海豹的数量增长了24%（{TWO}）。\n\n## 来源\n\n1. 报告：{ONE}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ()}),
        ("a sentence that goes on behind its mark",
         f"Seals kept away [1].\n[1] reports that seals sing at night ({TWO}).\n\n{LISTED}",
         [[ONE], [ONE, TWO]], {ONE: ("1",), TWO: ()}),
        ("two sentences that go on behind their marks",
         f"Seals kept away [1], and sang [2].\n[1] shows that they sing ({TWO}); [2] finds none ({THREE}).\n\n"
         f"{LISTED}2. Songs. {TWO}\n",
         [[ONE, TWO], [ONE, TWO, THREE]], {ONE: ("1",), TWO: ("2",), THREE: ()}),
        ("a numbered source below its paragraph",
         f"Seals kept away [1] and sang [2].\n1. Seals of the lough, final report. {ONE}\n"
         f"2) Smith, J. (2020). Seals have come back. {TWO}\n",
         [[ONE, TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("a numbered title below its paragraph",
         f"Seals kept away [1] and sang [2].\n1. [Seals have grown by 24 %]({ONE})\n"
         f"2. Seals are singing - BBC News {TWO}\n",
         [[ONE, TWO]], {ONE: ("1",), TWO: ("2",)}),
        ("a title behind its mark", f"Seals kept away [1].\n[1] Seals are growing fast. {ONE}\n",
         [[ONE]], {ONE: ("1",)}),
        ("a link to another site than the list", f"They sang [2]({TWO}). They slept [1].\n\n"
         f"## Sources\n\n1. Review. {ONE}\n2. Other. {THREE}\n",
         [[TWO], [ONE]], {ONE: ("1",), THREE: ("2",), TWO: ("2",)}),
        ("a link to another host of the same site",
         f"They sang [1]({ONE.replace('one', 'www.one')}). They slept [2]({TWO.replace('two', 'm.two')}).\n"
         "They ate [3](https://news.bbc.co.uk/seals?p=1) and dived [4](https://three.example/dive).\n\n"
         f"## Sources\n\n1. Review. {ONE}\n2. Other. {TWO}\n3. News. https://www.bbc.co.uk/seals?p=1\n"
         "4. Dive. https://docs.google.com/dive\n",
         [[ONE], [TWO], ["https://www.bbc.co.uk/seals?p=1", "https://three.example/dive"]],
         {ONE: ("1",), TWO: ("2",), "https://www.bbc.co.uk/seals?p=1": ("3",),
          "https://docs.google.com/dive": ("4",), "https://three.example/dive": ("4",)}),
        ("two links with one number", f"Seals kept away [1]({ONE}). They sang [1]({TWO}).\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("1",)}),
        ("two links with one number, and a list",
         f"Die Robben blieben fern [1]({ONE}). Sie sangen [1]({TWO}).\n\n{LISTED}",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("1",)}),
        ("a link to another entry than that of its number",
         f"Les phoques restaient loin [2]({ONE}). Ils chantaient [2]({TWO.replace('two', 'one')}s).\n\n"
         f"{LISTED}2. Chants. {TWO.replace('two', 'one')}s\n",
         [[ONE], [TWO.replace("two", "one") + "s"]],
         {ONE: ("1", "2"), TWO.replace("two", "one") + "s": ("2",)}),
        ("links of one number to redirects",
         f"They sang [1]({THREE}?to=a). They slept [1]({THREE}?to=b).\n\n"
         f"## Sources\n\n1. Songs. {THREE}/songs\n",
         [[f"{THREE}/songs"], [f"{THREE}/songs"]],
         {f"{THREE}/songs": ("1",), f"{THREE}?to=a": ("1",), f"{THREE}?to=b": ("1",)}),
        ("chapters with lists of their own",
         f"# Eins\n\nRobben blieben fern [1]. Sie sangen [2].\n\n### Quellen\n1. Bericht. {ONE}\n"
         f"2. Gesang. {TWO}\n\n# Zwei\n\nSie schliefen [1].\n\n### Quellen\n1. Schlaf. {THREE}\n",
         [[ONE], [TWO], [THREE]], {ONE: ("1",), TWO: ("2",), THREE: ("1",)}),
        ("answers of a conversation, each with definitions",
         f"海豹保持200米距离 [报告][1]。\n\n[1]: {ONE} \"报告\"\n\n它们在夜里唱歌 [歌声][1]。\n\n[1]: {TWO}\n",
         [[ONE], [TWO]], {ONE: ("1",), TWO: ("1",)}),
        ("a list of further reading that starts at 1",
         f"Seals sang [1] and slept [2].\n\n{LISTED}2. Sleep. {TWO}\n\n## Annex\n\nSeals ate [2].\n\n"
         f"## Further reading\n\n1. Food. {THREE}\n",
         [[ONE, TWO], [TWO]], {ONE: ("1",), TWO: ("2",), THREE: ("1",)}),
        ("a link to the page of a DOI", f"They sang [1]({TWO}).\n\n## Sources\n\n"
         "1. Songs. https://doi.org/10.1000/xyz\n",
         [["https://doi.org/10.1000/xyz"]], {"https://doi.org/10.1000/xyz": ("1",), TWO: ("1",)}),
    ]
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_marks_of_several_kinds_in_one_text(name: str) -> None:
    text, cited, marks = MIXED[name]
    report = read_cited_report(text)
    assert [claim.unresolved for claim in report.claims] == [()] * len(report.claims)
    assert [list(claim.works) for claim in report.claims] == cited
    assert {work.key: work.marks for work in report.works} == marks


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        # Two links have the number.
        (f"Seals kept away [1]({ONE}). They sang [1]({TWO}). They slept [1].\n", ["[1]"]),
        # Nothing cites the number of the line, so that it is a sentence.
        (f"Seals kept away [7].\n[1] They sang {ONE}\n", ["[7]", "[1]"]),
        (f"In 2019 seals sang.\n2019 – a good year {ONE}\nThey slept [4].\n", ["[4]"]),
        ("Seals kept away [1].\n[1] They sang all night.\n", ["[1]", "[1]"]),
        # A sentence in a numbered list, or behind a mark.
        (f"Seals kept away [1].\n1. They grew by 24 % ({ONE}).\n\n{MORE}", ["[1]"]),
        (f"Seals kept away [1].\n[1] argues that they sing ({ONE}).\n\n{MORE}", ["[1]", "[1]"]),
    ],
)
def test_a_line_that_defines_no_mark_stays_text(text: str, lost: list[str]) -> None:
    report = read_cited_report(text)
    assert [mark for claim in report.claims for mark in claim.unresolved] == lost
