"""What only says that nothing is there is no page; what is short, or writes about such answers, is
one. All words here are our own.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

from research_core.errors import FetchError
from research_core.models import Page
from research_core.web.fetch import stubs
from research_core.web.fetch.responses import read_page_reply
from tests.readers import LONG, URL, article, reply
from tests.timing import check_cpu_time

#: (kind, title, text)
REFUSED = [
    (
        "not_found",
        "404 Not Found",
        "Page not found. The page you are looking for does not exist. Try the search or the home page.",
    ),
    ("not_found", "404 – Page not found | Harbour office", "Try our search."),
    ("not_found", "Page Not Found", "Home Search Contact"),
    ("not_found", "Not Found", "The requested URL /notes was not found on this server."),
    ("not_found", "404", "We can’t find the page you’re looking for."),
    (
        "not_found",
        "Oops! - Harbour office",
        "Error 404: Page not found. The link you followed may be old.",
    ),
    ("not_found", "Seite nicht gefunden – Hafenamt Köln", "Diese Seite gibt es nicht mehr."),
    ("not_found", "Page introuvable | Le port", "Retour à l’accueil."),
    ("not_found", "ページが見つかりません", "お探しのページは移動しました。"),
    (
        "upstream_unavailable",
        "Error 500",
        "Internal Server Error. An unexpected error occurred while processing your request.",
    ),
    (
        "upstream_unavailable",
        "503 Service Unavailable",
        "No server is available to handle this request.",
    ),
    ("upstream_unavailable", "Oops!", "Something went wrong. Please try again later."),
    (
        "upstream_unavailable",
        "Site maintenance",
        "We are down for maintenance and will be back soon.",
    ),
    (
        "upstream_unavailable",
        "Harbour office › Error",
        "There has been a critical error on this website.",
    ),
    ("upstream_unavailable", "Database Error", "Error establishing a database connection"),
    (
        "not_found",
        "harbour.example.org is for sale",
        "This domain is for sale! Buy this domain now.",
    ),
    (
        "not_found",
        "harbour.example.org",
        "This domain may be for sale. Related searches: gauges, piers.",
    ),
]
READ = [
    (
        "Page not found: how the harbour lost its archive",
        "The harbour office could not find the page of 1974 that you asked for.",
    ),
    (
        "404 Not Found",
        "404 Not Found is a status code. It means that the page you requested could not be found.",
    ),
    ("404 Not Found", " ".join(LONG)),
    ("Not Found", "A film about a harbour master who could not find his ship."),
    ("Missing", "A film of 1982, shot in a harbour."),
    ("500", "500 is a natural number between 499 and 501."),
    (
        "Maintenance",
        "Maintenance of the pier takes place on Friday, and the crane is under repair.",
    ),
    ("Error", "The gauge has an error of four centimetres."),
    (
        "Harbour notes",
        "The page you are looking for may have been torn out of the log; try again later in the archive.",
    ),
    ("Domain names", "The domain harbour.example.org is for sale, its owner said on Tuesday."),
    ("The pier is for sale", "The pier is for sale. Make an offer at the harbour office."),
    (
        "404 Not Found",
        "Page not found. The page you are looking for does not exist. " + " ".join(LONG * 3),
    ),
]


@pytest.mark.parametrize(
    ("kind", "title", "text"), REFUSED, ids=[f"{title} {text[:20]}" for _, title, text in REFUSED]
)
def test_what_only_says_that_nothing_is_there_is_no_page(kind: str, title: str, text: str) -> None:
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(article(text, title=title)), URL)
    assert (caught.value.kind, caught.value.public) == (kind, True)
    assert caught.value.status == 200
    assert "(HTTP 200)" in caught.value.message


@pytest.mark.parametrize(
    ("title", "text"), READ, ids=[f"{title} {text[:20]}" for title, text in READ]
)
def test_a_short_page_and_one_about_such_answers_are_read(title: str, text: str) -> None:
    assert read_page_reply(reply(article(text, title=title)), URL).text


def test_a_document_is_what_it_is() -> None:
    assert read_page_reply(
        reply(
            '{"error": "404", "text": "The page you requested was not found"}', "application/json"
        ),
        URL,
    ).text


@pytest.mark.parametrize(
    "piece",
    ["the ", "error ", "404 - ", "page not found ", " - ", "domain is for sale ", "a-", "a."],
)
def test_no_page_takes_long_to_be_looked_at(piece: str) -> None:
    with check_cpu_time(1):
        for _ in range(20):
            with contextlib.suppress(FetchError):
                stubs.raise_for_stub(
                    Page(
                        URL,
                        URL,
                        (piece * 10_000)[:10_000],
                        (piece * 600)[: stubs.MAX_STUB_LENGTH],
                        "html",
                        "",
                    ),
                    200,
                )


# ---------------------------------------------------------------- in other languages

#: (title, text) by language: short error pages.
MISSING = {
    "de": ("Seite nicht gefunden | Hafenamt", "Die angeforderte Seite konnte leider nicht gefunden werden."
        " Vielleicht hilft die Suche weiter, oder Sie gehen zurück zur Startseite und beginnen dort von vorn."
        " Das Hafenamt bittet um Entschuldigung für die Mühe, die Ihnen damit entsteht."),
    "de, other words": ("Diese Seite existiert leider nicht mehr", "Zur Startseite"),
    "fr": ("Erreur 404 - Le port", "Cette page n’existe plus ou a été déplacée. La page que vous cherchez est introuvable."),
    "es": ("Página no encontrada", "Lo sentimos, la página que busca no existe o ha cambiado de lugar."),
    "pt": ("Página não encontrada - Porto", "A página que procura não existe."),
    "it": ("Pagina non trovata", "La pagina richiesta non è stata trovata sul nostro sito."),
    "nl": ("Pagina niet gevonden", "De pagina die u zoekt bestaat niet meer."),
    "sv": ("Sidan kunde inte hittas", "Sidan du söker finns inte längre."),
    "da": ("Siden findes ikke", "Siden du leder efter blev ikke fundet."),
    "no": ("Siden finnes ikke", "Beklager, siden ble ikke funnet."),
    "fi": ("Sivua ei löytynyt", "Etsimääsi sivua ei ole olemassa."),
    "pl": ("Nie znaleziono strony", "Strona, której szukasz, nie istnieje."),
    "cs": ("Stránka nenalezena", "Požadovaná stránka neexistuje."),
    "hu": ("Az oldal nem található", "A keresett oldal nem létezik."),
    "ro": ("Pagina nu a fost găsită", "Pagina căutată nu există."),
    "ru": ("Ошибка 404", "Страница не найдена. Возможно, она была удалена."),
    "uk": ("Сторінку не знайдено", "Такої сторінки не існує."),
    "bg": ("Страницата не е намерена", "Към началото"),
    "el": ("Η σελίδα δεν βρέθηκε", "Η σελίδα που ζητήσατε δεν υπάρχει."),
    "tr": ("Sayfa bulunamadı", "Aradığınız sayfa mevcut değil."),
    "he": ("הדף לא נמצא", "הדף שחיפשת אינו קיים."),
    "ar": ("الصفحة غير موجودة", "عذرا، لم يتم العثور على الصفحة."),
    "fa": ("صفحه یافت نشد", "صفحه مورد نظر وجود ندارد."),
    "hi": ("पृष्ठ नहीं मिला", "यह पेज उपलब्ध नहीं है।"),
    "id": ("Halaman tidak ditemukan", "Halaman yang Anda cari tidak tersedia."),
    "vi": ("Không tìm thấy trang", "Trang bạn tìm không tồn tại."),
    "th": ("ไม่พบหน้าที่คุณต้องการ", "กลับหน้าแรก"),
    "ja": ("ページが見つかりません", "お探しのページは存在しません。"),
    "zh": ("页面不存在", "抱歉，您访问的页面不存在。"),
    "zh-TW": ("找不到頁面", "您要找的網頁不存在。"),
    "is": ("Síðan fannst ekki", "Því miður fannst síðan ekki."),
    "cy": ("Heb ganfod y dudalen", "Ni chafwyd hyd i’r dudalen hon."),
    "cy, other words": ("Tudalen heb ei chanfod", "Nid yw’r dudalen hon yn bodoli."),
    "ga": ("Leathanach gan aimsiú", "Níor aimsíodh an leathanach."),
    "lt": ("Puslapis nerastas", "Toks puslapis neegzistuoja."),
    "lv": ("Lapa nav atrasta", "Meklētā lapa neeksistē."),
    "et": ("Lehte ei leitud", "Otsitavat lehekülge ei leitud."),
    "sq": ("Faqja nuk u gjet", "Faqja që kërkoni nuk ekziston."),
    "ca": ("No s’ha trobat la pàgina", "La pàgina que cerqueu no existeix."),
    "eu": ("Orria ez da aurkitu", "Bilatzen duzun orria ez da existitzen."),
    "gl": ("Páxina non atopada", "A páxina que busca non existe."),
    "mt": ("Il-paġna ma nstabitx", "Il-paġna ma teżistix."),
    "mk": ("Страницата не е пронајдена", "Страницата не постои."),
    "sr": ("Страница није пронађена", "Тражена страница не постоји."),
    "be": ("Старонка не знойдзена", "Такая старонка не існуе."),
    "kk": ("Бет табылмады", "Іздеген бет табылмады."),
    "af": ("Bladsy nie gevind nie", "Die bladsy bestaan nie meer nie."),
    "sw": ("Ukurasa haukupatikana", "Ukurasa unaotafuta haupo."),
    "tl": ("Hindi natagpuan ang pahina", "Bumalik sa simula."),
    "ms": ("Laman tidak dijumpai", "Laman yang anda cari tidak wujud."),
    "az": ("Səhifə tapılmadı", "Axtardığınız səhifə mövcud deyil."),
    "uz": ("Sahifa topilmadi", "Bunday sahifa mavjud emas."),
    "ka": ("გვერდი ვერ მოიძებნა", "ეს გვერდი არ არსებობს."),
    "hy": ("Էջը չի գտնվել", "Այս էջը գոյություն չունի։"),
    "ur": ("صفحہ نہیں ملا", "یہ صفحہ موجود نہیں۔"),
    "bn": ("পৃষ্ঠাটি পাওয়া যায়নি", "আপনার খোঁজা পৃষ্ঠা বিদ্যমান নেই।"),
    "ta": ("பக்கம் கிடைக்கவில்லை", "முகப்புக்குச் செல்க"),
    "te": ("పేజీ కనుగొనబడలేదు", "హోమ్‌కు వెళ్లండి"),
    "km": ("រកមិនឃើញទំព័រ", "ត្រឡប់ទៅទំព័រដើម"),
    "ko": ("페이지를 찾을 수 없습니다", "요청하신 페이지가 존재하지 않습니다."),
}  # fmt: skip


def assert_missing(markup: str, hops: tuple[str, ...] = (), final: str = URL) -> None:
    answer = replace(reply(markup), url=final, hops=hops)
    with pytest.raises(FetchError) as caught:
        read_page_reply(answer, URL)
    assert caught.value.kind == "not_found"


@pytest.mark.parametrize("language", MISSING)
def test_a_missing_page_in_another_language_is_none(language: str) -> None:
    title, text = MISSING[language]
    assert_missing(article(text, title=title))


#: Lines that such pages suggest, too long for a page that only says so.
SUGGESTIONS = [f"Der Pegel am Kai Nummer {n} im Jahr {1970 + n}" for n in range(30)]


@pytest.mark.parametrize("language", ["de", "fr", "es", "pl", "tr"])
def test_a_missing_page_with_suggestions_is_none(language: str) -> None:
    title, text = MISSING[language]
    assert_missing(article(f"404 {title.split(' | ')[0]}", text, *SUGGESTIONS, title=title))


@pytest.mark.parametrize(
    "address",
    ["/404", "/error404.html", "/de/seite-nicht-gefunden", "/page-introuvable", "/notfound"],
)
def test_an_address_for_missing_pages_is_a_sign(address: str) -> None:
    final = f"https://harbour.example.org{address}"
    title = "Diese Seite gibt es leider nicht"
    assert_missing(article(title, *SUGGESTIONS, title=title), (URL,), final)


#: (title, text): pages that have such words and are read.
SPEAKING = [
    ("Seite nicht gefunden: wie das Hafenamt sein Archiv verlor",
     "Die Seite des Protokolls von 1974 wurde nicht gefunden, als das Amt sie suchte."),
    ("Peugeot 404", "Die Peugeot 404 ist ein Auto der Mittelklasse, das ab 1960 gebaut wurde."),
    ("Página no encontrada", "\n\n".join(LONG * 4)),
    ("Das Hafenamt zieht um", "Die alte Seite wurde nicht gefunden, sagt das Amt; man zieht nun um."),
    ("Les pages perdues du port", "La page de 1974 est introuvable, dit le capitaine dans son journal."),
    ("第404号通知", "港湾局于星期五公布了第404号通知，规定了码头的开放时间。"),
    ("Fehler 404 – Lexikon", "# Fehler 404\n\nDer Fehler 404 ist ein Statuscode des Protokolls HTTP. Mit ihm sagt ein"
     " Server, dass er das Gewünschte nicht kennt."),
    ("Erreur 404", "# Erreur 404\n\nL’erreur 404 est un code d’état HTTP qui indique que la page est introuvable."),
    ("Error 404 - Enciclopedia", "# Error 404\n\nEl error 404 es un código de estado de HTTP: la página no existe."),
    ("Errore 404", "# Errore 404\n\nL’errore 404 è un codice di stato con cui un server dice che la pagina non esiste."),
    ("Ошибка 404", "# Ошибка 404\n\nОшибка 404 — стандартный код ответа HTTP: страница не найдена на сервере."),
    ("Błąd 404", "# Błąd 404\n\nBłąd 404 to kod odpowiedzi protokołu HTTP: strona nie istnieje na serwerze."),
    ("404 エラー", "# 404 エラー\n\n404 エラーは HTTP のステータスコードの一つで、ページが存在しませんという意味である。"),
    ("404 错误", "# 404 错误\n\n404 错误是 HTTP 的状态码之一，表示服务器上的页面不存在。"),
    ("404 오류", "# 404 오류\n\n404 오류는 HTTP 상태 코드의 하나로, 페이지를 찾을 수 없다는 뜻이다."),
    ("خطأ 404", "# خطأ 404\n\nخطأ 404 هو رمز الحالة في بروتوكول HTTP ويعني أن الصفحة غير موجودة."),
]  # fmt: skip


@pytest.mark.parametrize(("title", "text"), SPEAKING, ids=[title for title, _ in SPEAKING])
def test_a_page_that_speaks_of_missing_pages_is_read(title: str, text: str) -> None:
    assert read_page_reply(reply(article(text, title=title)), URL).text
