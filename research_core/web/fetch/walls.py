"""Detect pages that stand in for the real one: logins, bot checks and empty script shells.

Decided by structure (redirects, forms, scripts, little text), never by one phrase, so that pages
about such walls are read like any other. Nothing here circumvents one; a login or a check without
marks in a language that is not listed is not detected.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.urls import find_host

CHECKED = "The site shows a robot check instead of the page."
LOGIN = "The site redirects to a sign-in page."
SIGN_IN = "The site shows only a sign-in form."

#: Longest text of a wall, in characters.
WALL_TEXT, PHRASED_TEXT = 1_500, 700
#: A script shell has at most this much text; or a bit more of few words; or more within much
#: more markup and with little visible in all. The specification's rule (2,048 bytes, 20 times
#: the markup) matches a quarter of 653 ordinary articles, this 1%.
THIN_TEXT = 100
FEW_WORDS, FEW_WORDS_TEXT = 30, 300
SHELL_TEXT, SHELL_MARKUP, SHELL_VISIBLE = 500, 20, 1_500
LOOKED_AT = 300_000  # bytes of a body
#: Limits of the labels of a sign-in form ("User name", "Remember me"): words and characters of
#: one, words of all.
LABEL_WORDS, LABEL_LENGTH, LABELS_WORDS = 3, 30, 10

#: Marks that bot-check products put into the page of the check only; one is enough.
_MARKS = re.compile(
    rb"/cdn-cgi/challenge-platform/h/\w/orchestrate/|window\._cf_chl_opt"
    rb"|id=[\"']?(?:challenge-(?:form|error-text|running)|cf-challenge)"
    rb"|_Incapsula_Resource\?(?:CWUDNSAI|SWUDNSAI)|/_sec/cp_challenge/|\bbm-verify\b"
    rb"|sec-if-cpt-container|geo\.captcha-delivery\.com"
    rb"|id=[\"']?px-captcha|awsWafCookieDomainList|gokuProps|/\.well-known/(?:vercel/security"
    rb"|sgcaptcha|ddos-guard)|sucuri_cloudproxy_js"
    rb"|anubis_challenge|/\.within\.website/x/cmd/anubis|/aes\.js[\"'].{0,400}toNumbers\("
    rb"|_guard/(?:auto|slide|click)\.js|wsidchk",
    re.DOTALL,
)
#: Captcha boxes; on a page with little text they are the page.
_BOXES = re.compile(
    rb"challenges\.cloudflare\.com/turnstile|hcaptcha\.com/1/api\.js|recaptcha/(?:api"
    rb"|enterprise)\.js|class=[\"'](?:g-recaptcha|h-captcha)"
)
#: Phrases of such pages, in the title and anywhere. Two are required, or one beside a captcha box.
_CHECK_TITLE = re.compile(
    r"\s*(?:just a moment|attention required|one moment, please|access denied|access to"
    r" this page has been denied|robot check"
    r"|ddos-guard|security check|verifying (?:you are human|your browser)|are you (?:a"
    r" )?(?:human|robot))",
    re.IGNORECASE,
)
_CHECK_TITLE_ELEMENT = re.compile(f"<title>{_CHECK_TITLE.pattern}", re.IGNORECASE)
_PHRASES = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        (
            r"checking (?:if the site connection is secure|your browser)|verif(?:y|ying) (?:that"
            r" )?you are (?:a )?human|not a (?:ro)?bot\b"
        ),
        (
            r"(?:enable|turn on) (?:javascript and cookies|cookies and javascript|js and"
            r" cookies)|javascript and cookies (?:are|to be) enabled"
        ),
        (
            r"unusual (?:traffic|activity) from your|automated"
            r" (?:access|queries|requests|traffic)|you have been blocked"
        ),
        r"ray id:|reference (?:id|#):?\s*[\w.]{8,}|incident (?:id|number):|request unsuccessful",
    )
)
#: The same in other languages, of the title and of the text: what the page is for, that the reader
#: is to be known for a human, and what it needs. Three are required, or two beside a structural
#: sign.
_WAIT_TITLE = re.compile(
    r"(?:nur )?einen moment|einen augenblick|un (?:instant|momento)|um momento|(?:een )?(?:ogenblik|moment)"
    r"(?: geduld)?|ett ögonblick|(?:et )?øyeblikk|et øjeblik|hetkinen|odota hetki|chwileczkę|momencik"
    r"|okamžik|moment prosím|egy pillanat|o clipă|un moment|(?:ещё )?(?:один|одну) (?:момент|минут\w+)"
    r"|подождите|один момент|зачекайте|един момент|μια στιγμή|(?:bir )?(?:dakika|saniye) lütfen|bir dakika"
    r"|lütfen bekleyin|רק רגע|لحظة|يرجى الانتظار|لحظه‌?ای صبر|कृपया प्रतीक्षा|(?:tunggu|mohon tunggu)"
    r"|(?:vui lòng )?(?:chờ|đợi)(?: một)?|รอสักครู่|しばらくお待ちください|少々お待ちください|请稍[候等]|請稍候"
    r"|잠시만 기다|잠시 기다",
    re.IGNORECASE,
)
_FOREIGN_PHRASES = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        r"(?:dass|ob) sie (?:ein mensch|kein (?:ro)?bot)|mensch sind|êtes (?:bien )?(?:un )?humain"
        r"|n['’]êtes pas un robot|(?:es|eres) (?:un ser )?humano|no (?:es|eres) un robot|(?:é|és) humano"
        r"|não (?:é|és) um rob[ôo]|(?:di )?essere (?:un essere )?umano|non sei un robot|u een mens bent"
        r"|geen robot|(?:att )?du är (?:en )?människa|inte (?:är )?en robot|du er (?:et )?menneske"
        r"|ikke (?:er )?en robot|olet ihminen|jesteś człowiekiem|nie jesteś robotem|jste člověk|ste človek"
        r"|nejste robot|ön ember|nem robot|sunteți om|nu sunteți robot|что вы (?:не робот|человек)"
        r"|що ви (?:не робот|людина)|че сте човек|είστε άνθρωπος|δεν είστε ρομπότ|insan olduğunuzu"
        r"|robot olmadığınızı|אנושי|אינך רובוט|أنك (?:إنسان|لست روبوت)|انسان هستید|ربات نیستید"
        r"|मानव हैं|रोबोट नहीं|bukan robot|anda manusia|(?:bạn )?(?:là con người|không phải (?:là )?robot)"
        r"|ว่าคุณเป็นมนุษย์|ไม่ใช่(?:หุ่นยนต์|บอท)|人間であることを|ロボットではない|(?:是|为)真人|是人类|不是机器人"
        r"|真人|不是機器人|사람인지|로봇이 아닙",
        r"sicherheitsüberprüfung|überprüfung (?:der sicherheit|ihres browsers|läuft)|browser(?:s)? wird überprüft"
        r"|vérification (?:de (?:la )?sécurité|de votre navigateur)|comprobando (?:su|tu|si)|verificación de"
        r" seguridad|verificando (?:se|su|seu|a segurança)|verifica(?:zione)? (?:di|della) sicurezza"
        r"|beveiligingscontrole|säkerhetskontroll|sikkerhets?(?:kontrol|sjekk|tjek)\w*|turvatarkistus"
        r"|weryfikacj\w+ (?:bezpieczeństwa|przeglądarki)|kontrola zabezpečení|biztonsági ellenőrzés"
        r"|verificare de securitate|проверк\w+ (?:безопасности|браузера)|перевірк\w+ (?:безпеки|браузера)"
        r"|проверка на сигурността|έλεγχος ασφαλείας|güvenlik (?:doğrulaması|kontrolü)|בדיקת אבטחה"
        r"|التحقق من (?:الأمان|أمان)|بررسی امنیت|सुरक्षा जाँच|(?:pemeriksaan|verifikasi) keamanan"
        r"|(?:kiểm tra|xác minh) (?:bảo mật|an ninh)|ตรวจสอบความปลอดภัย|セキュリティ(?:検証|チェック|確認)"
        r"|安全(?:检查|验证|檢查|驗證)|보안 (?:확인|검사)",
        r"javascript\W{0,3}(?:\w{1,20}\W{1,3}){0,3}(?:\w{1,20}-)?cookies?"
        r"|cookies?\W{0,3}(?:\w{1,20}\W{1,3}){0,3}javascript"
        r"|javascript.{1,12}(?:куки|クッキー|쿠키|ملفات تعريف الارتباط|עוגיות)",
        r"ungewöhnliche\w* (?:datenverkehr|aktivität|zugriffe)|automatisierte\w* (?:anfragen|zugriffe)"
        r"|trafic (?:inhabituel|anormal)|requêtes automatisées|tráfico inusual|solicitudes automatizadas"
        r"|tráfego incomum|traffico (?:insolito|anomalo)|ongebruikelijk verkeer|nietypowy ruch"
        r"|необычн\w+ (?:трафик|активность)|автоматические запросы|olağandışı trafik|通常と異なるトラフィック"
        r"|异常流量|異常流量|비정상적인 트래픽|حركة مرور غير",
        r"\bray[- ]id\b",
    )
)
#: Structural signs of a check: it is not to be indexed, loads itself again, or is signed.
_CHECK_SIGNS = re.compile(
    rb"<meta[^>]{0,80}http-equiv=[\"']?refresh[\"']?\s[^>]{0,20}content=[\"']?\d{1,4}[\"']?\s*/?>"
    rb"|utm_source=challenge|class=[\"']ray-id|cf-turnstile|\bcf-wrapper\b"
    rb"|<meta[^>]{0,80}content=[\"']?noindex",
    re.IGNORECASE,
)
#: What a reader without scripts sees, of at most 100 tags.
_NOSCRIPT = re.compile(
    r"<noscript\b[^>]{0,200}>([^<]*+(?:<(?!/?noscript)[^<]*+){0,100})</noscript", re.IGNORECASE
)
_SCRIPT = re.compile(
    rb"<script\b(?![^>]{0,300}?type\s*=\s*[\"']?(?:application/(?:ld\+)?json|text/template"
    rb"|speculationrules))",
    re.IGNORECASE,
)
_BLANK = b"\xef\xbb\xbf \t\r\n"
_UNSEEN = re.compile(rb"<(/?)(script|style|noscript|svg|template)\b", re.IGNORECASE)
_TAG = re.compile(rb"<[^<>]*+>")
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|div)[\s>/]", re.IGNORECASE)
_PASSWORD = re.compile(rb"<input\b[^>]{0,400}?\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
_TITLE = re.compile(rb"<title\b[^>]{0,200}>([^<]{0,300})", re.IGNORECASE)
_SENTENCES = re.compile(r"[\n|·•–—]|(?<=[.!?:。！？])\s*")
#: Labels beside the fields of a sign-in form.
_FIELDS = re.compile(
    r"\b(?:forgot(?:ten)?(?: your)? password|remember me|keep me (?:signed|logged) in|stay"
    r" (?:signed|logged) in|create (?:an )?account"
    r"|e-?mail(?: address)?|user ?name|user(?: ?id)?|password|register|sign ?up|show|passwort"
    r" vergessen|angemeldet bleiben|benutzername"
    r"|passwort|kennwort|registrieren|mot de passe(?: oublié)?|identifiant|contraseña|usuario|nome"
    r" utente|wachtwoord|senha|логин|пароль)\b"
    r"|用户名|密码|ユーザー名|パスワード",
    re.IGNORECASE,
)
#: The end of a sentence that asks to sign in before reading; a few words may precede it.
_ASKS = re.compile(
    r"(?:\S+ ){0,4}?(?:(?:please|must|need to|have to) )?(?:be )?(?:sign|log)(?:ged)?[ -]?in"
    r"(?: (?:here|now|first|below))?(?: (?:(?:in order )?to|with|using|for|before|and)\b.{0,80})?"
    r"|(?:login|sign-?in|authentication|authorization|password|subscription)(?: is)?"
    r" required.{0,40}|members only.{0,40}"
    r"|(?:bitte )?(?:(?:melden sie sich|melde dich|loggen sie sich|logge"
    r" dich)\b.{0,60}|anmelden|einloggen|anmeldung|login)"
    r"|(?:veuillez )?(?:(?:vous connecter|connectez-vous|identifiez-vous|vous"
    r" identifier)\b.{0,60}|se connecter|connexion)"
    r"|(?:por favor,? )?(?:inici(?:a|e|ar) sesión|acceder?|identifícate|fa(?:ça|zer) login|iniciar"
    r" sessão)\b.{0,60}"
    r"|(?:accedi|effettua (?:il login|l[’']accesso))\b.{0,60}|(?:inloggen|aanmelden|meld je"
    r" aan)\b.{0,60}"
    r"|(?:пожалуйста,?"
    r" )?(?:войдите|авторизуйтесь)\b.{0,60}|(?:вход|войти|авторизация)|[请請]?先?(?:登[录錄入]"
    r"|登陆)(?:[后才].{0,20})?"
    r"|ログイン(?:してください|が必要です)?",
    re.IGNORECASE,
)
#: Invitations to sign in below a text that can be read.
_BENEATH = re.compile(
    r"\b(?:in|up|register) to"
    r" (?:reply|comment|post|vote|join|follow|like|leave|add|rate|share|save|write|answer|ask)\b"
    r"|um zu (?:antworten|kommentieren)|(?:pour|para) (?:répondre|commenter|responder|comentar)|om"
    r" te reageren",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?:log|sign)[_-]?(?:in|on)|sso|adfs", re.IGNORECASE)
_LOGIN_HOST = re.compile(r"(?:login|signin|sso|auth|accounts?|idp|id|identity|passport)\d*")


def raise_for_wall(reply: HttpReply, url: str, text: str) -> None:
    """Raise FetchError if the answer is a login (auth_required) or a bot check (blocked)."""
    if is_login_redirect(reply, url, text):
        raise FetchError(LOGIN, kind="auth_required", status=reply.status)
    if is_login_form(reply, text):
        raise FetchError(SIGN_IN, kind="auth_required", status=reply.status)
    if len(text) <= WALL_TEXT and is_bot_check(reply, text):
        raise FetchError(CHECKED, kind="blocked", status=reply.status)


def is_bot_check(reply: HttpReply, text: str = "") -> bool:
    """Return whether a page with so little text is there to keep programs out.

    text: the readable text; "" if it is not known.
    """
    if "challenge" in reply.headers.get("cf-mitigated", ""):
        return True
    body = reply.body[:LOOKED_AT]
    if not _HTML.search(body[:4096]) or (not text and len(body) == LOOKED_AT):
        return False
    found = _MARKS.search(body)
    if found and found[0].decode("utf-8", "replace") not in text:  # a page may speak of it
        return True
    source = body.decode("utf-8", "replace") if len(text) <= PHRASED_TEXT else ""
    said = _count_phrases(source) + bool(_CHECK_TITLE_ELEMENT.search(source))
    if said >= 2 or (said == 1 and bool(_BOXES.search(body))):
        return True
    return bool(source) and _is_foreign_check(body, source, text)


def _is_foreign_check(body: bytes, source: str, text: str) -> bool:
    """Return whether a page with little text is a bot check in another language than English.

    Only what a reader sees counts, with or without scripts.
    """
    match = _TITLE.search(body)
    title = match[1].decode("utf-8", "replace") if match else ""
    phrases = _count_foreign_phrases(title, "\n".join((text, *_NOSCRIPT.findall(source))))
    has_sign = _CHECK_SIGNS.search(body) is not None or _BOXES.search(body) is not None
    return phrases >= 3 or (phrases == 2 and has_sign)


def is_stored_bot_check(title: str, text: str) -> bool:
    """Return whether a page is a bot check, by the title and text that are stored of it."""
    if len(text) > PHRASED_TEXT:
        return False
    said = _count_phrases(f"{title}\n{text}") + bool(_CHECK_TITLE.match(title))
    return said >= 2 or _count_foreign_phrases(title, text) >= 3


def _count_phrases(source: str) -> int:
    return sum(bool(phrase.search(source)) for phrase in _PHRASES)


def _count_foreign_phrases(title: str, text: str) -> int:
    title = title.strip(" \t\r\n.…!")
    asks_to_wait = len(title) <= LABEL_LENGTH and _WAIT_TITLE.match(title) is not None
    return asks_to_wait + sum(bool(phrase.search(text)) for phrase in _FOREIGN_PHRASES)


def is_login_redirect(reply: HttpReply, url: str, text: str) -> bool:
    """Return whether a redirect led from the page to a sign-in page.

    Either the path says so and there is little text or a password field, or the host does and there
    is a password field.
    """
    if not reply.hops:
        return False
    has_password_field = bool(_PASSWORD.search(reply.body[:LOOKED_AT]))
    if _names_login(urlsplit(reply.url).path) and not _names_login(urlsplit(url).path):
        return has_password_field or len(text) <= WALL_TEXT
    here = find_host(reply.url)
    is_login_host = bool(_LOGIN_HOST.fullmatch(here.partition(".")[0]))
    return has_password_field and is_login_host and here != find_host(url)


def is_login_form(reply: HttpReply, text: str) -> bool:
    """Return whether a page is nothing but a sign-in form.

    It has a password field, a sentence that asks to sign in, and otherwise only labels.
    """
    if len(text) > PHRASED_TEXT or _BENEATH.search(text):
        return False
    if not _PASSWORD.search(reply.body[:LOOKED_AT]):
        return False
    title = _TITLE.search(reply.body[:LOOKED_AT])
    title_sentences = _split_sentences(title[1].decode("utf-8", "replace")) if title else []
    said = _split_sentences(_FIELDS.sub("\n", text))
    if not any(map(_asks_to_sign_in, said or title_sentences)):
        return False
    rest = [each for each in said if not _asks_to_sign_in(each) and each not in title_sentences]
    return all(map(_is_label, rest)) and sum(len(each.split()) for each in rest) <= LABELS_WORDS


def _split_sentences(text: str) -> list[str]:
    return [
        plain
        for each in _SENTENCES.split(text)
        if (plain := " ".join(each.strip(" #*_-.!?:。！？[]").split()))
    ]


def _asks_to_sign_in(sentence: str) -> bool:
    return bool(_ASKS.fullmatch(sentence))


def _is_label(sentence: str) -> bool:
    return len(sentence.split()) <= LABEL_WORDS and len(sentence) <= LABEL_LENGTH


def _names_login(path: str) -> bool:
    return any(
        _LOGIN.fullmatch(segment.partition(".")[0]) for segment in path.split("/") if segment
    )


def is_shell(body: bytes, text: str) -> bool:
    """Return whether an HTML page with this text may hold more once its scripts have run.

    It has scripts, and little text for its size.
    """
    if (
        len(text) > SHELL_TEXT
        or body.lstrip(_BLANK)[:1] != b"<"
        or not _SCRIPT.search(body[:LOOKED_AT])
    ):
        return False
    if len(text) < THIN_TEXT or (len(text) < FEW_WORDS_TEXT and len(text.split()) < FEW_WORDS):
        return True
    return (
        len(body) >= SHELL_MARKUP * len(text.encode())
        and _count_visible_characters(body) <= SHELL_VISIBLE
    )


def _count_visible_characters(body: bytes) -> int:
    """Count the characters of a page outside its markup, scripts and styles."""
    before, *parts = _UNSEEN.split(body[:LOOKED_AT])
    outside = [before]
    within = b""  # the element that is open and not displayed
    for closes, name, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if not within:
            within = b"" if closes else name.lower()
        elif closes and name.lower() == within:
            within = b""
        if not within:
            outside.append(text.partition(b">")[2])
    words = _TAG.sub(b" ", b"".join(outside)).split()
    return len(b" ".join(words).decode("utf-8", "replace"))
