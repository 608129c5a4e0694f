"""What stands in a page's place: logins, checks for robots, shells. Pages that only speak of such
things are read like any other.

The walls are written here after what these products serve, reduced to what tells them apart; where
the extraction sets are at hand, no article of theirs may be taken for one.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.web.fetch import walls
from research_core.web.fetch.responses import read_page_reply
from research_core.web.html import read_html
from tests.everyday import mark_nth_everyday
from tests.readers import LONG, PAGE, SHELL, URL, article, reply
from tests.timing import check_cpu_time

SETS = Path(__file__).parents[4] / "shared" / "data" / "extraction"


def html(body: str, title: str = "x", head: str = "") -> str:
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    )


CHECKS: dict[str, str] = {
    "cloudflare": html(
        '<noscript><div class="h2"><span id="challenge-error-text">Enable JavaScript and cookies to continue</span></div></noscript>'
        "<script>(function(){window._cf_chl_opt = {cvId: '3', cType: 'managed'};"
        "var a = document.createElement('script');a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1';}());</script>",
        "Just a moment...",
    ),
    "cloudflare, older": html(
        '<form id="challenge-form" action="/?__cf_chl_f_tk=1"></form><p>Checking your browser.</p>'
    ),
    "incapsula": '<html><head><META NAME="robots" CONTENT="noindex"></head><body><iframe id="main-iframe" '
    'src="/_Incapsula_Resource?CWUDNSAI=9&xinfo=1">Request unsuccessful. Incapsula incident ID: 1</iframe></body></html>',
    "datadome": html(
        '<p id="cmsg">Please enable JS and disable any ad blocker</p><script src="https://geo.captcha-delivery.com/c.js"></script>'
    ),
    "perimeterx": html(
        '<p>Press &amp; Hold to confirm you are a human</p><div id="px-captcha"></div>',
        "Access to this page has been denied",
    ),
    "akamai": html(
        '<script src="/_sec/cp_challenge/sec-4-4.js"></script><div id="sec-if-cpt-container"></div>'
    ),
    "aws": html(
        "<script>window.gokuProps = {key: 'x'}</script><noscript><h1>JavaScript is disabled</h1></noscript>"
    ),
    "anubis": html(
        '<p>Making sure you are not a bot!</p><script id="anubis_challenge" type="application/json">{}</script>'
    ),
    "vercel": html(
        '<p>We are verifying your browser</p><script src="/.well-known/vercel/security/static/challenge.v2.min.js"></script>'
    ),
    "by words alone": html(
        "<h1>Unusual traffic from your computer network</h1><p>Verify you are a human to go on.</p><p>Reference ID: 0.1a2b3c4d5e</p>"
    ),
    "by a box": html(
        '<p>Verify that you are human</p><div class="g-recaptcha"></div><script src="https://www.google.com/recaptcha/api.js"></script>'
    ),
}


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("status", [200, 403, 429, 503])
def test_a_check_for_robots_in_the_page_s_place_is_no_page(name: str, status: int) -> None:
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(CHECKS[name], status=status), URL)
    assert (caught.value.kind, caught.value.status, caught.value.public) == (
        "blocked",
        status,
        True,
    )


def test_what_the_server_itself_calls_a_challenge_is_one() -> None:
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(article("A moment."), cf_mitigated="challenge"), URL)
    assert caught.value.kind == "blocked"


NOINDEX = '<meta name="robots" content="noindex,nofollow"><meta http-equiv="refresh" content="360">'
#: (title, text) of checks without the marks of a product, by language.
FOREIGN_CHECKS = {
    "de": ("Nur einen Moment…", "Sicherheitsüberprüfung wird durchgeführt. Diese Website prüft, ob Sie kein Bot sind."),
    "fr": ("Un instant…", "Vérifiez que vous êtes humain en cochant la case."),
    "es": ("Un momento…", "Comprobando su navegador. Habilite JavaScript y cookies para continuar."),
    "pt": ("Um momento…", "Confirme que é humano para prosseguir."),
    "it": ("Un momento…", "Verifica di essere un essere umano."),
    "nl": ("Een ogenblik geduld…", "Verifieer dat u een mens bent."),
    "sv": ("Ett ögonblick…", "Bekräfta att du är människa."),
    "pl": ("Chwileczkę…", "Potwierdź, że jesteś człowiekiem."),
    "cs": ("Okamžik…", "Ověřte, že jste člověk."),
    "ru": ("Один момент…", "Подтвердите, что вы человек. Проверка безопасности."),
    "uk": ("Зачекайте…", "Підтвердіть, що ви людина."),
    "el": ("Μια στιγμή…", "Επαληθεύστε ότι είστε άνθρωπος."),
    "tr": ("Bir dakika lütfen…", "İnsan olduğunuzu doğrulayın."),
    "ar": ("لحظة…", "يرجى التحقق من أنك إنسان."),
    "he": ("רק רגע…", "יש לוודא שאתה אנושי."),
    "id": ("Tunggu sebentar…", "Pastikan Anda bukan robot."),
    "vi": ("Chờ một chút…", "Xác minh bạn là con người."),
    "th": ("รอสักครู่…", "ยืนยันว่าคุณเป็นมนุษย์"),
    "ja": ("しばらくお待ちください…", "人間であることを確認します。"),
    "zh": ("请稍候…", "请完成以下操作，验证您是真人。"),
    "ko": ("잠시만 기다리십시오…", "사람인지 확인하는 중입니다."),
}  # fmt: skip


@pytest.mark.parametrize("language", FOREIGN_CHECKS)
def test_a_check_in_another_language_is_no_page(language: str) -> None:
    title, text = FOREIGN_CHECKS[language]
    for head, more in ((NOINDEX, ""), ("", '<div class="cf-turnstile"></div>')):
        with pytest.raises(FetchError) as caught:
            read_page_reply(reply(html(f"<p>{text}</p>{more}", title, head)), URL)
        assert caught.value.kind == "blocked"


def test_a_check_without_scripts_is_read_from_its_fallback() -> None:
    body = html(
        "<noscript>Aktivieren Sie JavaScript und Cookies, um fortzufahren.</noscript>"
        "<p>Ray ID: 8f2a</p>",
        "Nur einen Moment…",
        NOINDEX,
    )
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(body), URL)
    assert caught.value.kind == "blocked"


#: (title, text): short pages that are not to be indexed and have such words.
FOREIGN_PAGES = [
    ("Mensch und Maschine", "Woran erkennt man, ob Sie ein Mensch sind? Ein Essay über den Turing-Test."),
    ("Un moment d’histoire du port", "Le port fut fondé en 1900, et son phare date de la même année."),
    ("Один момент из истории порта", "Порт был основан в 1900 году, и маяк построен тогда же."),
    ("Cookies im Browser", "JavaScript und Cookies sind zwei Dinge, die ein Browser von Seiten annimmt."),
    ("Moment", "Das Drehmoment des Krans am Nordkai beträgt vier Kilonewtonmeter."),
    ("安全检查", "港口的安全检查在每个星期五进行，由港务局负责。"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "text"), FOREIGN_PAGES, ids=[row[0] for row in FOREIGN_PAGES])
def test_a_short_page_in_another_language_is_read(title: str, text: str) -> None:
    assert read_page_reply(reply(html(f"<p>{text}</p>", title, NOINDEX)), URL).text


SPEAKING_OF = (
    "When Cloudflare shows “Just a moment...”, it is checking your browser: you are asked to verify you are human, and to enable "
    "JavaScript and cookies to continue. The page sets window._cf_chl_opt and loads /cdn-cgi/challenge-platform/h/b/orchestrate/chl_page. "
)
PAGES: dict[str, str] = {
    "an article about them": article(
        *LONG,
        *(f"{n}. {words}" for n in range(5) for words in LONG),
        SPEAKING_OF,
        title="Just a moment...",
    ),
    "a short note about them": article(f"window._cf_chl_opt belongs to a check. {LONG[0]}"),
    "a short page on a guarded site": article(
        *LONG, head='<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'
    ),
    "another": article(
        *LONG,
        head='<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script>',
    ),
    "a form with a box": article(
        *LONG, head='<script src="https://www.google.com/recaptcha/api.js"></script>'
    ),
    "one that names a ray": article(
        "The manta ray id: a guide to telling mantas apart by the spots on their bellies."
    ),
    "one word of it": article(
        "Access denied: how the harbour office lost its archive.", title="Access denied"
    ),
    "plain": PAGE,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_only_speaks_of_checks_or_is_guarded_by_them_is_read(name: str) -> None:
    assert read_page_reply(reply(PAGES[name]), URL).text


@pytest.mark.parametrize("status", [401, 404, 410])
def test_what_a_status_says_for_good_no_wall_says_otherwise(status: int) -> None:
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(CHECKS["cloudflare"], status=status), URL)
    assert caught.value.kind == {401: "auth_required"}.get(status, "not_found")


# ---------------------------------------------------------------- logins

FORM = html(
    '<form><input name="user"><input type="password" name="pass"><button>Go</button></form><p>Welcome to the harbour.</p>'
)


@pytest.mark.parametrize(
    ("asked", "led", "body"),
    [
        (URL, "https://harbour.example.org/login?next=%2Fnotes", FORM),
        (URL, "https://harbour.example.org/users/sign_in", FORM),
        (
            URL,
            "https://harbour.example.org/Account/LogOn.aspx?x=1",
            html("<p>Loading …</p><script src=/app.js></script>"),
        ),
        (URL, "https://sso.example.org/adfs/ls/?wa=wsignin1.0", FORM),
        (URL, "https://accounts.example.com/v3/pick?continue=x", FORM),
        (URL, "https://login2.example.com/", FORM),
    ],
)
def test_a_redirect_to_where_one_signs_in_is_a_login(asked: str, led: str, body: str) -> None:
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(body, url=led, hops=asked), asked)
    assert (caught.value.kind, caught.value.public) == ("auth_required", True)


@pytest.mark.parametrize(
    ("asked", "led", "hops", "body"),
    [
        (
            "https://harbour.example.org/login",
            "https://harbour.example.org/login",
            "",
            FORM,
        ),  # which is what was asked for
        (
            "https://harbour.example.org/login",
            "https://harbour.example.org/en/login",
            "https://harbour.example.org/login",
            FORM,
        ),
        (
            URL,
            "https://harbour.example.org/docs/sign-in",
            URL,
            article(*LONG * 10),
        ),  # an article, long enough for one
        (URL, "https://login.example.com/blog", URL, article(*LONG)),  # no field for a password
        (URL, "https://harbour.example.org/catalogin/notes", URL, article(*LONG)),
        (URL, "https://harbour.example.org/moved", URL, PAGE),
    ],
)
def test_no_other_redirect_is_one(asked: str, led: str, hops: str, body: str) -> None:
    assert read_page_reply(reply(body, url=led, hops=hops), asked).text


FIELDS = (
    "<form><label>Username</label><input name=u><label>Password</label><input type=password name=p><label><input type=checkbox> Remember me"
    "</label><a href=/f>Forgot password?</a><button>Sign in</button></form>"
)


@pytest.mark.parametrize(
    "body",
    [
        html(
            "<form><input type=password name=p></form><p>Please sign in to continue</p>", "Sign in"
        ),
        html(f"<h1>Sign in</h1><p>Please sign in to continue.</p>{FIELDS}"),
        html(f"<h1>Harbour Portal</h1><p>You must be logged in to view this page.</p>{FIELDS}"),
        html(FIELDS, "Sign in - Harbour"),
        html(f"<h1>Anmelden</h1>{FIELDS}"),
        html(f"<p>Veuillez vous connecter pour lire la suite.</p>{FIELDS}"),
        html(f"<p>请先登录</p>{FIELDS}"),
        html(f"<p>ログインしてください</p>{FIELDS}"),
    ],
)
@pytest.mark.parametrize("url", [URL, "https://harbour.example.org/login"])
def test_a_page_that_is_a_form_to_sign_in_and_nothing_else_is_a_login(body: str, url: str) -> None:
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(body, url=url), url)
    assert (caught.value.kind, caught.value.message) == ("auth_required", walls.SIGN_IN)


@pytest.mark.parametrize(
    "body",
    [
        html(
            f"<header>{FIELDS}</header><main><article><p>The gauge reads high, says Bob.</p><p>Log in to reply.</p></article></main>"
        ),
        html(f"{FIELDS}<p>High tide.</p><p>Log in to reply</p>"),  # a post of two words
        html(
            f"{FIELDS}<h1>How to sign in</h1><p>Please sign in at the gate.</p><p>The gate of the harbour closes at ten.</p>"
        ),
        html("<h1>Sign in</h1><p>Please sign in to continue</p>"),  # no field for a password
        html(f"<p>The harbour office opens at ten.</p>{FIELDS}"),
        article(*LONG, head=FIELDS),
    ],
)
def test_a_page_with_something_to_read_beside_a_form_is_read(body: str) -> None:
    assert read_page_reply(reply(body), URL).text


# ---------------------------------------------------------------- shells


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (SHELL, ""),
        (html("<p>Loading …</p><script src=/a.js></script>"), "Loading …"),
        (html('<script type="module" src="/a.js"></script>'), ""),
        (html("<p>Twenty words</p>" + f"<script>{'x = 1;' * 5000}</script>"), "Twenty words " * 20),
    ],
)
def test_a_page_that_its_scripts_would_fill_is_a_shell(body: str, text: str) -> None:
    assert walls.is_shell(body.encode(), text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (html("<p>Short.</p>"), "Short."),  # it has no script
        (
            html('<p>Short.</p><script type="application/ld+json">{}</script>'),
            "Short.",
        ),  # none that does anything
        (html("<script src=/a.js></script>"), " ".join(LONG) * 3),  # it has its text
        (
            html(f"<script src=/a.js></script><p>{'much to see ' * 300}</p>{'<i></i>' * 5000}"),
            "A caption of a hundred and more characters. " * 5,
        ),
        ("%PDF-1.4 <script>app.alert(1)</script>", ""),
        (
            html("<p>話剧</p><script src=/a.js></script>"),
            "一个约定，信守十五年。" * 40,
        ),  # few words to who counts spaces
    ],
)
def test_a_page_that_is_as_short_as_it_is_is_none(body: str, text: str) -> None:
    assert not walls.is_shell(body.encode(), text)


PIECES = [
    "<script",
    "<script>",
    "</script>",
    "<!--",
    "<",
    "<input ",
    "<style>x",
    '<script type="',
    "<title>",
    "<noscript>",
    f"<noscript>{'cookie' * 330}</noscript>",
    f"<noscript>{'javascript' * 190}</noscript>",
    f"<noscript>{'проверка ' * 200}</noscript>",
    f"<noscript>{'<b>' * 300}</noscript>",
    "/aes.js'",
    "\x00<p>",
    "x",
]


@pytest.mark.parametrize("piece", mark_nth_everyday(PIECES, 6))
def test_no_page_takes_longer_to_be_looked_at_than_its_length(piece: str) -> None:
    repeats = min(200_000, 2_000_000 // len(piece))
    answer = HttpReply(
        URL,
        200,
        {"content-type": "text/html"},
        ("<!doctype html><script>1</script>" + piece * repeats).encode(),
        ("x",),
    )
    with check_cpu_time(3.0):
        walls.is_shell(answer.body, "x" * 120)
        walls.is_shell(answer.body, "x " * 60)
        walls.is_bot_check(answer, "x")
        walls.is_login_redirect(answer, URL, "x")
        walls.is_login_form(answer, "x " * 300)


def articles() -> Iterator[tuple[str, bytes]]:
    """What real sites serve to readers: (address, bytes)."""
    for name in ("scrapinghub", "trafilatura"):
        truth = json.loads((SETS / f"{name}_truth.json").read_text(encoding="utf-8"))
        with zipfile.ZipFile(SETS / f"{name}_pages.zip") as pages:
            known = {row["url"]: row for row in truth} if isinstance(truth, list) else truth
            for member in sorted(pages.namelist())[:250]:
                yield member, pages.read(member)
    assert known


@pytest.mark.full
@pytest.mark.timeout(300)
def test_no_article_is_taken_for_a_check_and_few_for_shells() -> None:
    if not SETS.exists():
        pytest.skip("The shared data sets are not here.")
    read = checked = shells = logins = 0
    for _, body in articles():
        try:
            text = read_html(body, URL).text
        except FetchError:
            continue
        read += 1
        checked += len(text) <= walls.WALL_TEXT and walls.is_bot_check(reply(body), text)
        logins += walls.is_login_form(reply(b"<input type=password>" + body), text)
        shells += walls.is_shell(body, text)
    assert read > 300
    assert checked == logins == 0
    assert shells / read <= 0.02


# ---------------------------------------------------------------- dialogs that ask for consent

#: (heading, text, button) of walls without a mark of their own, by language.
CONSENT_WALLS = {
    "en": ("We value your privacy",
        "We and our 31 partners use cookies to store and access information on your device. "
        "Accept all or reject all.", "Accept all"),
    "de": ("Ihre Privatsphäre ist uns wichtig",
        "Mit 31 Partnern setzen wir Cookies ein, um Daten auf Ihrem Gerät zu speichern und "
        "Werbung zu zeigen. Ohne Werbung lesen Sie im Abo.", "Alle akzeptieren"),
    "fr": ("Votre vie privée",
        "Avec nos 31 partenaires, nous utilisons des cookies pour stocker des informations sur "
        "votre appareil et afficher de la publicité.", "Tout accepter"),
    "es": ("Su privacidad",
        "Nosotros y nuestros 31 socios utilizamos cookies en su dispositivo para mostrar "
        "publicidad.", "Aceptar todo"),
    "pt": ("A sua privacidade",
        "Nós e os nossos 31 parceiros usamos cookies no seu dispositivo para mostrar "
        "publicidade.", "Aceitar"),
    "it": ("La tua privacy",
        "Noi e i nostri 31 partner usiamo cookie sul tuo dispositivo per mostrare "
        "pubblicità.", "Accetta tutto"),
    "nl": ("Uw privacy",
        "Wij en onze 31 partners gebruiken cookies op uw apparaat voor "
        "advertenties.", "Alles accepteren"),
    "sv": ("Din integritet",
        "Vi och våra 31 partner använder cookies på din enhet för att visa "
        "annonser.", "Godkänn alla"),
    "da": ("Dit privatliv",
        "Vi og vores 31 partnere bruger cookies på din enhed til at vise "
        "annoncer.", "Tillad alle"),
    "fi": ("Yksityisyytesi",
        "Me ja 31 kumppaniamme käytämme evästeitä laitteellasi mainosten "
        "näyttämiseen.", "Hyväksy kaikki"),
    "pl": ("Twoja prywatność",
        "My i nasi partnerzy (31) używamy plików cookies na Twoim urządzeniu, aby wyświetlać "
        "reklamy.", "Akceptuję wszystko"),
    "cs": ("Vaše soukromí",
        "My a našich 31 partnerů ukládáme cookies ve vašem zařízení a zobrazujeme "
        "reklamu.", "Souhlasím"),
    "hu": ("Az Ön magánszférája",
        "Mi és 31 partnerünk sütiket tárolunk az eszközén, és hirdetéseket jelenítünk "
        "meg.", "Elfogadom"),
    "ru": ("Ваша конфиденциальность",
        "Мы и 31 партнёр храним файлы куки на вашем устройстве, чтобы показывать "
        "рекламу.", "Принять все"),
    "el": ("Το απόρρητό σας",
        "Εμείς και οι 31 συνεργάτες μας χρησιμοποιούμε cookies στη συσκευή σας για "
        "διαφημίσεις.", "Αποδοχή όλων"),
    "tr": ("Gizliliğiniz",
        "Biz ve 31 iş ortağımız cihazınızda çerezler kullanarak reklam "
        "gösteriyoruz.", "Tümünü kabul et"),
    "ja": ("プライバシー", "当社と31社のパートナーは、広告を表示するためにお使いのデバイスでクッキーを使用します。", "すべて同意する"),
    "zh": ("您的隐私", "我们和31个合作伙伴在您的设备上使用 cookies 来展示广告。", "全部接受"),
}  # fmt: skip


@pytest.mark.parametrize("language", CONSENT_WALLS)
@pytest.mark.parametrize("box", ["<div>{}</div>", '<div role="dialog">{}</div>', "<main>{}</main>"])
def test_a_page_that_only_asks_for_consent_has_no_text(language: str, box: str) -> None:
    heading, text, button = CONSENT_WALLS[language]
    inner = f"<h1>{heading}</h1><p>{text}</p><button>{button}</button>"
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(html(box.format(inner), heading)), URL)
    assert caught.value.kind == "content_empty"
    assert "asks for consent to cookies" in caught.value.message


#: Pages that speak of cookies, or ask for consent beside a text of their own.
CONSENT_READ = {
    "an article about it": "<article><h1>Was Cookies sind</h1><p>Cookies speichern Daten auf dem Gerät. Werbung nutzt sie.</p></article>",
    "a text beside the box": "<div><h1>Pegel</h1>"
    "<p>Der Pegel am Hafen stand am Morgen bei vier Metern, und die Fähre blieb liegen.</p></div>"
    "<div><p>Wir und unsere Partner verwenden Cookies auf Ihrem Gerät.</p><button>Akzeptieren</button></div>",
    "a box with a heading beside a text": "<div><h1>Cookies</h1><p>Wir und 3 Partner zeigen Werbung.</p><button>Akzeptieren</button></div>"
    "<p>Die Fähre nach Ribe fährt im Winter nur zweimal am Tag, und im Sommer jede Stunde, sagt das Hafenamt.</p>",
    "biscuits": "<h1>Oat cookies</h1><p>Mix the oats. Bake them. Share them with your partner.</p><button>Accept all</button>",
    "no button": "<h1>Privacy</h1><p>We and our partners use cookies on your device to show advertising.</p>",
}


@pytest.mark.parametrize("name", CONSENT_READ)
def test_a_page_with_a_text_beside_the_question_is_read(name: str) -> None:
    assert read_page_reply(reply(html(CONSENT_READ[name])), URL).text


def test_a_page_without_text_and_without_a_dialog_speaks_of_scripts() -> None:
    with pytest.raises(FetchError, match="unless its scripts run"):
        read_page_reply(reply(html('<div id="root"></div>')), URL)
