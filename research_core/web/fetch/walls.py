"""Detect pages that stand in for the real one: logins, bot checks and empty script shells.

Decided by structure (redirects, forms, scripts, little text), never by one phrase, so that pages
about such walls are read like any other. Nothing here circumvents one; a login in a language that
is not listed is not detected.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.urls import find_host

CHECKED = "The site serves a check for robots in place of the page."
LOGIN = "The site leads to a login instead of the page."
SIGN_IN = "The site shows a form to sign in and nothing else in place of the page."

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
#: Phrases of such pages. Two are required, or one beside a captcha box.
_PHRASES = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        r"<title>\s*(?:just a moment|attention required|one moment, please|access denied|access to"
        r" this page has been denied|robot check"
        r"|ddos-guard|security check|verifying (?:you are human|your browser)|are you (?:a"
        r" )?(?:human|robot))",
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
    said = sum(bool(phrase.search(source)) for phrase in _PHRASES)
    return said >= 2 or (said == 1 and bool(_BOXES.search(body)))


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
