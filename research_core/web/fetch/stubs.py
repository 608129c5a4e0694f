"""Detect error and for-sale pages that are served with a success status.

Decided by title, text, address and length together, with no rules for single sites. A short page,
or one about such answers, is read like any other: if only title or text says so, only unmistakable
pages are refused. A longer page is refused only if several signs agree and it has no prose.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.models import Page

#: Limits in characters: text of an error page, text of one recognised by title alone, and a
#: title; and words of a site's name.
MAX_STUB_LENGTH, MAX_TITLED_LENGTH, MAX_TITLE_LENGTH, MAX_NAME_WORDS = 600, 200, 80, 4
#: Characters of an error page with suggestions and of its longest line, which is no prose; and the
#: signs that such a page needs.
MAX_LISTING_LENGTH, MAX_LISTING_LINE, LISTING_SIGNS = 3_000, 250, 3
#: Other words of a title that says that a page is missing.
MAX_OTHER_WORDS = 3
KINDS = frozenset({"html", "markdown", "text"})


class StubKind(NamedTuple):
    """A kind of error page.

    codes: statuses a title may name; sure, unsure: titles as words, that need no confirmation by
    the text or do; text: what the text then says.
    """

    kind: str
    sentence: str
    codes: frozenset[str]
    sure: frozenset[str]
    unsure: frozenset[str]
    text: re.Pattern[str]


#: Words of a title that are ignored.
_FILLER_WORDS = frozenset(
    "error errors http oops whoops sorry uh oh the this that your requested status code fehler"
    " erreur errore erro die der".split()
)
#: Words for an error, of titles that hold only such a word and a status ("Ошибка 404").
_ERROR_WORDS = frozenset(
    """
    error fehler fehlerseite erreur errore erro fout fel feil fejl virhe błąd chyba hiba eroare грешка
    greška napaka ошибка помилка σφάλμα hata שגיאה خطأ خطای त्रुटि ralat kesalahan lỗi ข้อผิดพลาด
    エラー 错误 錯誤 오류 klaida kļūda viga
    """.split()
)


def _build_title_phrases(phrases: str) -> frozenset[str]:
    return frozenset(
        " ".join(_list_significant_words(phrase))
        for phrase in phrases.replace("\n", "|").split("|")
        if phrase.strip()
    )


def _list_significant_words(title: str) -> list[str]:
    """Return the words of a title in lower case, without filler words."""
    return [
        word
        for word in re.findall(r"[^\W_]+", title.lower().replace("'", "").replace("’", ""))
        if word not in _FILLER_WORDS
    ]


def _compile_alternatives(lines: str) -> re.Pattern[str]:
    """Compile alternatives, one row a line; a blank stands for any white space."""
    rows = [line.strip().replace(" ", r"\s+") for line in lines.splitlines()]
    return re.compile("|".join(filter(None, rows)), re.IGNORECASE)


STUBS = (
    StubKind(
        "not_found",
        "The page says that it does not exist",
        frozenset({"404", "410"}),
        _build_title_phrases("""
            page not found|page was not found|page is not found|page could not be found
            page cannot be found|page cant be found
            page does not exist|page doesnt exist|page no longer exists|file not found
            document not found|url not found|404 not found
            seite nicht gefunden|seite wurde nicht gefunden|seite existiert nicht|page introuvable
            page non trouvée|cette page nexiste pas
            página no encontrada|página não encontrada|pagina non trovata|pagina niet gevonden
            pagina nu a fost găsită|oldal nem található
            sidan hittades inte|sidan kunde inte hittas|siden blev ikke fundet|siden ble ikke funnet
            sivua ei löytynyt|stránka nenalezena
            nie znaleziono strony|strona nie została znaleziona|strona nie istnieje|sayfa bulunamadı
            halaman tidak ditemukan
            страница не найдена|страницы не существует|сторінку не знайдено|页面不存在|找不到页面|页面未找到|找不到網頁
            頁面不存在
            ページが見つかりません|お探しのページは見つかりませんでした|페이지를 찾을 수 없습니다|الصفحة غير موجودة
            """),
        _build_title_phrases("""
            not found|nothing found|missing page|page missing|page unavailable|page not available
            page is not available
            page removed|page gone|article not found|story not found|content not found
            content unavailable
            resource not found|object not found|item not found
            product not found|no longer available|page no longer available
            page is no longer available|gone|nicht gefunden|introuvable
            we cant find page|we couldnt find page|we could not find page|page has been removed
            page you are looking for cannot be found
            """),
        _compile_alternatives(r"""
            \b(?:page|url|address|file|document) (?:that )?you(?:['’][rv]e| are| were| have)?\b
            \b(?:article|resource|content|link|site) (?:that )?you(?:['’][rv]e| are| were| have)?\b
            \b(?:what|something) you(?:'re|’re| are| were) looking for\b
            \brequested (?:page|url|address|file|document|article|resource|content)\b
            \bcan(?:no|'|’)t (?:seem to )?(?:find|locate) (?:the|that|this|your|what)\b
            \bunable to (?:seem to )?(?:find|locate) (?:the|that|this|your|what)\b
            \bcould(?:n'|n’| no)t (?:seem to )?(?:find|locate) (?:the|that|this|your|what)\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:doesn.t|does not|was not)\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:is )?no longer\b
            \b(?:this|that|the) (?:page|url|article|document|link) is(?: not|n.t) available\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:cannot|could not) be(?:en)?\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:may|might) have be(?:en)?\b
            \b(?:this|that|the) (?:page|url|article|document|link) has be(?:en)?\b
            \bnot found on this server\b
            """),
    ),
    StubKind(
        "upstream_unavailable",
        "The page says that its site is out of order",
        frozenset({"500", "501", "502", "503", "504", "520", "521", "522", "523", "524"}),
        _build_title_phrases(
            "500 internal server|internal server|502 bad gateway|503 service unavailable|504"
            " gateway timeout"
        ),
        _build_title_phrases("""
            server error|internal server error|server error in application|service unavailable
            service temporarily unavailable|bad gateway
            gateway timeout|gateway time out|application error|database error|fatal error
            runtime error|unexpected error|system error
            error establishing a database connection|something went wrong|an error occurred
            an error has occurred|error occurred
            temporarily unavailable|site temporarily unavailable|site unavailable
            website unavailable|site offline|site is down|we are down
            maintenance|maintenance mode|down for maintenance|under maintenance
            site under maintenance
            site maintenance|scheduled maintenance|web server is down|connection timed out|error
            problem loading page
            """),
        _compile_alternatives(r"""
            \b(?:internal server|unexpected|technical|critical) (?:error|problem)\b
            \b(?:unhandled|application|fatal) (?:error|problem)\b
            \berror (?:has )?occurred\b
            \berror (?:while )?processing your request\b
            \bencountered an? (?:\w+ )?(?:error|problem)\b
            \berror establishing a database connection\b
            \btry (?:your request )?again (?:later|in (?:a|few|some|\d+))\b
            \btemporarily (?:unavailable|unable|offline|down)\b
            \b(?:down|closed|offline) for (?:\w+ )?maintenance\b
            \bundergoing (?:\w+ )?maintenance\b
            \bunable to (?:service|complete|process|handle) your request\b
            \bcontact (?:the|your|our) (?:server|site|web|system) ?(?:administrator|master|owner)\b
            \bdid not (?:respond|receive a (?:timely|valid) response)\b
            """),
    ),
)
#: Phrases of domains for sale. Two are required, as an article may use one.
_FOR_SALE = _compile_alternatives(r"""
    \b(?:domain(?: name)?|web ?site|web ?page|site) (?:is|may be|might be) (?:for sale|parked)\b
    \b(?:domain(?: name)?|web ?site|web ?page|site) (?:is|may be|might be) available for purchase\b
    \b[\w-]{1,63}(?:\.[\w-]{1,63}){1,5} (?:is|may be|might be) (?:for sale|parked)\b
    \b[\w-]{1,63}(?:\.[\w-]{1,63}){1,5} (?:is|may be|might be) available for purchase\b
    \bbuy (?:this|the) domain\b
    \bmake (?:an|your) offer\b
    \bdomain (?:name )?(?:has been registered|has expired|is parked|parking)\b
    \bparked (?:free|domain)\b
    \brelated (?:searches|links):
    \b(?:inquire|enquire) (?:about|now)\b
    \bowner of .{1,60}? (?:is offering|offers) it for sale\b
    \bdomain (?:steht zum verkauf|ist zu verkaufen|zu verkaufen)\b
    \bget (?:this domain|a price)\b
    """)
#: Phrases of a text that discusses such error pages: mainly, what its language calls a status code.
_ABOUT_ERRORS = _compile_alternatives(r"""
    \b(?:status|response|http|error) codes?\b
    \b(?:status|statusz|stav|tila|állapot)(?:-|\s)?[ck]o[dt]\w*\b
    \bcodes? (?:d['’](?:état|erreur)|de statut|http)
    \bc[óo]digos? de (?:estado|status|resposta|respuesta)\b
    \bcodic[ei] di (?:stato|risposta)\b
    \b(?:cod|codul|coduri) de (?:stare|status|răspuns)\b
    \bkod\w* (?:odpowiedzi|stanu|statusu)\b
    \b(?:stavov|návratov)\w+ kód
    \bкод\w* (?:\w+ )?(?:состояния|ответа|стану|відповіді|състояние|статуса)
    \bκωδικ\w+ κατάστασης
    \bdurum kod
    \bkode (?:status|respons)
    \bmã trạng thái
    קוד (?:ה)?(?:סטטוס|מצב)
    (?:رمز|رموز|کد) (?:ال)?(?:حالة|استجابة|وضعیت)
    ステータス\s?コード|状态码|狀態碼|상태\s?코드|รหัสสถานะ|स्थिति कोड
    \b(?:means|stands for|refers to)\b
    \bwebmasters?\b
    """)
#: Statements that a page is missing, a row or two by language: what is missing, the most characters
#: in between, and what is said of it.
_MISSING_STATEMENTS = (
    (
        "page|url|address|document", 0,
        r" (?:you\S* .{0,30})?(?:was |is |could |can)?(?:not |n.t )(?:be )?found\b",
    ),
    (
        "seite|adresse|url|datei|dokument|artikel|inhalt", 40,
        r"\bnicht (?:mehr )?(?:gefunden|vorhanden|verfügbar|auffindbar|erreichbar|finden)",
    ),
    ("seite|adresse|url|artikel", 30, r"\b(?:existiert|gibt es)\b.{0,20}\b(?:nicht|leider)\b"),
    (
        "page|adresse|document|article|contenu", 50,
        r"introuvable|n['’](?:existe|est) (?:pas|plus)"
        r"|n['’]a (?:pas|pu) (?:pu )?être trouvée?|(?:pas|non) (?:été )?trouvée?",
    ),
    (
        "página|pagina|dirección|documento|artículo|contenido|url", 40,
        r"\bno (?:se (?:ha |pudo )?encontr\w+|encontrad[ao]|existe|está disponible"
        r"|ha sido encontrad[ao])",
    ),
    (
        "página|endereço|conteúdo|documento|artigo", 40,
        r"\bnão (?:foi )?(?:encontrad[ao]|existe|pôde ser encontrad[ao]|está disponível)",
    ),
    (
        "pagina|indirizzo|documento|articolo|contenuto", 40,
        r"\bnon (?:è (?:stat[ao] )?|e )?(?:trovat[ao]|esiste|disponibile|più disponibile)",
    ),
    (
        "pagina|adres|artikel", 40,
        r"\b(?:niet (?:meer )?(?:gevonden|vinden|beschikbaar)|bestaat niet)",
    ),
    (
        "sidan|adressen|artikeln", 40,
        r"\b(?:hittades inte|kunde inte hittas|finns inte|inte hittas)",
    ),
    (
        "siden|adressen|artikkelen|artiklen", 40,
        r"\b(?:ikke (?:funnet|fundet|finnes|findes|blev fundet)|(?:finnes|findes|eksisterer) ikke"
        r"|kunne ikke (?:finnes|findes)|ble ikke funnet)",
    ),
    ("sivua|sivu|osoitetta", 30, r"\bei (?:löyt\w+|ole olemassa|voitu löytää)"),
    (
        r"stron\w+|adres\w*|dokument\w*|artyku\w+", 40,
        r"\bnie (?:została? |można |udało się )?(?:znale\w+|istnieje|odnale\w+)",
    ),
    (
        r"stránk\w+|adres\w+|článek|článok", 40,
        r"\bne(?:byla |bola )?(?:nalezena|nájdená|nájdena|existuje|našla)",
    ),
    ("oldal|lap|cím", 40, r"\bnem (?:található|létezik|találtuk)"),
    (
        "pagin[aă]|adresa|articolul", 40,
        r"\b(?:nu (?:a fost găsită?|exist\w*|poate fi găsit\w*|este disponibil\w*)|negăsită)",
    ),
    (
        r"страниц\w+|адрес\w*|документ\w*|стать\w+", 40,
        r"\bне (?:была? |был )?(?:найден\w*|существует|найти|обнаружен\w*)",
    ),
    (r"сторінк\w+|адрес\w*", 40, r"\bне (?:було |була )?(?:знайден\w*|існує)"),
    (
        "страницата|страница|адресът", 40,
        r"\bне (?:е |беше |може да бъде )?(?:намерена?|открита?|съществува)",
    ),
    (
        "stranica|strana|stran", 40,
        r"\b(?:nije (?:pronađena|nađena)|ne postoji|ni (?:bila )?najdena|ne obstaja)",
    ),
    (
        "(?:η )?σελίδα", 40,
        r"\b(?:δεν (?:βρέθηκε|υπάρχει|μπόρεσε)|που (?:ζητήσατε|αναζητάτε) δεν)",
    ),
    ("sayfa|sayfayı|adres", 40, r"\b(?:bulunamadı|bulunamıyor|mevcut değil|bulamadık)"),
    ("halaman|laman", 40, r"\btidak (?:dapat )?(?:ditemukan|ditemui|tersedia|wujud|ada)\b"),
    ("trang", 40, r"\bkhông (?:tồn tại|tìm thấy|được tìm thấy|có sẵn)"),
)  # fmt: skip
#: The same in languages that put the noun last, that join words to it, or that write no spaces.
_OTHER_STATEMENTS = r"""
    \bnie (?:znaleziono|odnaleziono|ma takiej) (?:\w+ )?stron
    \b(?:страницы|адреса) (?:\w+ )?не существует
    \bkhông tìm thấy trang
    (?:ה)?(?:דף|עמוד).{0,30}(?:לא (?:נמצא|קיים|נמצאה)|אינו (?:קיים|נמצא))
    (?:ال)?صفحة.{0,40}(?:غير (?:موجودة|متوفرة|متاحة)|لم (?:يتم )?(?:العثور|نعثر))
    لم يتم العثور على (?:ال)?صفحة
    صفحه.{0,40}(?:یافت نشد|پیدا نشد|وجود ندارد)
    (?:पृष्ठ|पेज).{0,30}(?:नहीं मिला|मौजूद नहीं|उपलब्ध नहीं)
    \b(?:halaman|laman)\b.{0,40}\btidak (?:dapat )?(?:ditemukan|ditemui|dijumpai|tersedia|wujud|ada)\b
    \btrang\b.{0,40}\b(?:không (?:tồn tại|tìm thấy|được tìm thấy|có sẵn))|\bkhông tìm thấy trang
    \bsíð(?:a|an|una|unnar)\b.{0,40}\b(?:fannst ekki|finnst ekki|er ekki til|ekki fundist)
    \bfannst síðan ekki
    \b[dt]udalen\b.{0,30}\b(?:heb ei (?:chanfod|ganfod)|yn bodoli|ddim ar gael)
    \b(?:heb ganfod|heb ddod o hyd i|methu dod o hyd i|ni chafwyd hyd i)['’ ].{0,10}[dt]udalen
    \bleathanach\b.{0,30}\b(?:gan aimsiú|ar iarraidh)
    \bníor (?:aimsíodh|thángthas ar) an leathanach
    \bpuslapis\b.{0,30}\b(?:nerastas|neegzistuoja|nebuvo rastas)
    \b(?:lapa|lappuse)\b.{0,30}\b(?:nav atrasta|netika atrasta|neeksistē)
    \b(?:lehte|lehekülge|leht|lehekülg)\b.{0,30}\bei (?:leitud|leia|eksisteeri)
    \bfaqja\b.{0,30}\bnuk (?:u gjet|ekziston|është gjetur)
    \bpàgina\b.{0,40}\bno (?:s['’]ha trobat|trobada|existeix|es troba)
    \bno s['’]ha (?:trobat|pogut trobar) la pàgina
    \borri(?:a|ak|rik)?\b.{0,30}\bez da (?:aurkitu|existitzen)
    \bpáxina\b.{0,40}\bnon (?:foi |se )?(?:atopada|atopou|encontrada|existe)
    \bpaġna\b.{0,20}\bma (?:nstabitx|tinstabx|teżistix)
    \bстраницата\b.{0,40}\bне (?:е |беше )?(?:пронајдена|постои)
    \bстран(?:а|ица)\b.{0,40}\b(?:није (?:пронађена|нађена)|не постоји)
    \bстаронк\w*\b.{0,30}\bне (?:знойдзен\w*|існуе)
    \bбет\b.{0,20}\bтабылмады
    \bbladsy\b.{0,30}\b(?:nie gevind|nie beskikbaar|bestaan nie)
    \bukurasa\b.{0,30}\b(?:haukupatikana|haujapatikana|haupatikani|haupo)
    \bhindi (?:natagpuan|nahanap|mahanap|makita) ang (?:pahina|page)
    \bsəhifə\w*\b.{0,30}\b(?:tapılmadı|mövcud deyil)
    \bsahifa\w*\b.{0,20}\b(?:topilmadi|mavjud emas)
    გვერდი.{0,20}(?:ვერ მოიძებნა|არ მოიძებნა|არ არსებობს)
    էջը.{0,20}(?:չի գտնվել|չգտնվեց|գոյություն չունի)
    صفحہ.{0,20}(?:نہیں ملا|موجود نہیں|دستیاب نہیں)
    (?:পৃষ্ঠা|পাতা|পেজ).{0,20}(?:পাও.{1,2}া যা.{1,2}নি|বিদ্যমান নেই)
    பக்கம்.{0,20}(?:கிடைக்கவில்லை|காணப்படவில்லை|கண்டறியப்படவில்லை)
    పేజీ.{0,20}(?:కనుగొనబడలేదు|దొరకలేదు)
    រកមិនឃើញ.{0,10}ទំព័រ|ទំព័រ.{0,20}រកមិនឃើញ
    ไม่พบหน้า|หน้า.{0,30}(?:ไม่พบ|ไม่มีอยู่)
    (?:ページ|記事).{0,20}(?:見つかりません|存在しません|ありません)
    (?:页面|頁面|网页|網頁|文章).{0,15}(?:不存在|未找到|找不到|无法找到|無法找到|已(?:被)?(?:删除|刪除))
    (?:找不到|未找到|没有找到|沒有找到).{0,10}(?:页面|頁面|网页|網頁)
    (?:페이지|문서).{0,20}(?:찾을 수 없|존재하지 않|없습니다)
    """


def _build_statement(nouns: str, gap: int, predicates: str) -> str:
    between = rf"\b.{{0,{gap}}}" if gap else ""
    return rf"\b(?:{nouns}){between}(?:{predicates})"


_MISSING = _compile_alternatives(
    "\n".join((*(_build_statement(*row) for row in _MISSING_STATEMENTS), _OTHER_STATEMENTS))
)
#: Segments of an address that a site redirects to for lack of a page.
_MISSING_ADDRESS = re.compile(
    r"(?:error[-_]?|page[-_]?|http[-_]?)?(?:404|410)(?:[-_]?(?:error|page|not[-_]?found))?"
    r"|(?:page|seite|pagina)?[-_]?not[-_]?found|(?:seite[-_])?nicht[-_]gefunden|page[-_]introuvable"
    r"|pagina[-_]no[-_]encontrada|pagina[-_]nao[-_]encontrada|pagina[-_]non[-_]trovata",
    re.IGNORECASE,
)
_MISSING_CODE = re.compile(r"(?<![\w.,-])4(?:04|10)(?![\w.,])")
_TITLE_SEPARATOR = re.compile(r"\s[|–—·»«›:-]\s|[|»›]")


def raise_for_stub(page: Page, status: int) -> None:
    """Raise FetchError for an error page or a domain for sale served as a success.

    status: of the answer. Kinds: not_found (no such page, or only the address for sale) and
    upstream_unavailable (the server failed).
    """
    if page.kind not in KINDS or len(page.text) > MAX_LISTING_LENGTH:
        return
    if _ABOUT_ERRORS.search(page.text):
        return
    if _is_missing(page):
        raise _build_error(STUBS[0].kind, STUBS[0].sentence, status)
    if len(page.text) > MAX_STUB_LENGTH:
        return
    words = f"{page.title[:MAX_STUB_LENGTH]}\n{page.text}"
    if len({found.lower() for found in _FOR_SALE.findall(words)}) > 1:
        raise _build_error("not_found", "The domain is for sale", status)
    line = _find_first_line(page.text)
    sentence = re.split(r"[.!?]\s", line)[0]
    for stub in STUBS:
        for title in (page.title, line, sentence):
            if _matches_stub(stub, title, page.text):
                raise _build_error(stub.kind, stub.sentence, status)


def _build_error(kind: str, sentence: str, status: int) -> FetchError:
    return FetchError(f"{sentence} (HTTP {status}).", kind=kind, status=status)


def _find_first_line(text: str) -> str:
    return text.lstrip("# ").partition("\n")[0]


def _is_missing(page: Page) -> bool:
    """Return whether a page in any language says that there is no such page.

    One sign in its title or first line, and, unless there is next to no text, others. A page with
    suggestions needs more of them.
    """
    text = page.text
    line = _find_first_line(text)
    is_titled, is_headed = _names_missing(page.title), _names_missing(line)
    if not is_titled and not is_headed:
        return False
    rest = text.lstrip("# ").removeprefix(line) if is_headed else text
    signs = (
        is_titled,
        is_headed,
        _MISSING.search(rest) is not None,
        _has_code(page.title) or _has_code(line),
        _leads_to_missing(page),
    )
    if len(text) <= MAX_STUB_LENGTH:
        return sum(signs) > 1 or (is_titled and len(text) <= MAX_TITLED_LENGTH)
    has_prose = any(len(each) > MAX_LISTING_LINE for each in text.split("\n"))
    return sum(signs) >= LISTING_SIGNS and not has_prose


def _names_missing(title: str) -> bool:
    """Return whether a title is a sentence of a missing page, or an error word with its status."""
    if len(title) > 2 * MAX_TITLE_LENGTH:
        return False
    parts = [part.strip() for part in _TITLE_SEPARATOR.split(title)]
    if not all(_is_missing_sentence(part) or _is_name(part) for part in parts):
        return False
    return any(map(_is_missing_sentence, parts))


def _is_name(part: str) -> bool:
    return len(part.split()) <= MAX_NAME_WORDS


def _is_missing_sentence(part: str) -> bool:
    """Return whether a part of a title says only that a page is missing, or an error's status."""
    if len(part) > MAX_TITLE_LENGTH:
        return False
    statement = _MISSING.search(part)
    if statement:
        rest = f"{part[: statement.start()]} {part[statement.end() :]}".lower().split()
        others = [word for word in rest if any(map(str.isalpha, word))]
        return len([word for word in others if word not in _FILLER_WORDS]) <= MAX_OTHER_WORDS
    words = {word.strip("!.:#()") for word in _MISSING_CODE.sub(" ", part.lower()).split()} - {""}
    return _has_code(part) and bool(words) and words <= _ERROR_WORDS


def _has_code(title: str) -> bool:
    return len(title) <= 2 * MAX_TITLE_LENGTH and _MISSING_CODE.search(title) is not None


def _leads_to_missing(page: Page) -> bool:
    """Return whether the page was redirected to an address for missing pages."""
    asked, final = urlsplit(page.url).path, urlsplit(page.final_url).path
    if asked.rstrip("/") == final.rstrip("/"):
        return False
    segments = [segment.rpartition(".")[0] or segment for segment in final.split("/")]
    return any(map(_MISSING_ADDRESS.fullmatch, segments))


def _matches_stub(stub: StubKind, title: str, text: str) -> bool:
    """Return whether a page with this title, first line or first sentence is such an error page."""
    if len(title) > MAX_TITLE_LENGTH:
        return False
    parts = [title, *_TITLE_SEPARATOR.split(title)]
    sure = [part for part in parts if _title_names_stub(part, stub) in stub.sure]
    if sure and len(text) <= MAX_TITLED_LENGTH:
        rest = [part for part in parts[1:] if part not in sure]
        if all(len(part.split()) <= MAX_NAME_WORDS for part in rest):
            return True
    if not sure and not any(_title_may_name_stub(part, stub) for part in parts):
        return False
    return bool(stub.text.search(text))


def _title_names_stub(title: str, stub: StubKind) -> str:
    words = _list_significant_words(title)
    kept = [word for word in words if word not in stub.codes]
    return " ".join(words if " ".join(words) in stub.sure else kept)


def _title_may_name_stub(title: str, stub: StubKind) -> bool:
    words = _title_names_stub(title, stub)
    if words:
        return words in stub.unsure
    if any(code in title for code in stub.codes):
        return True
    return "" in stub.unsure and "error" in title.lower()
