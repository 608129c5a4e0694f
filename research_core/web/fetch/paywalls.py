"""Recognize pages of which only the opening is free to read, and stored pages that are errors."""

from __future__ import annotations

import re

from research_core.errors import FetchError
from research_core.models import Page
from research_core.web.fetch import stubs, walls

#: Characters of the longest text that counts as an opening.
MAX_OPENING_LENGTH = 3_000
_PAYWALL = re.compile(
    r"\b(?:subscribe|sign up|register|log in|sign in|become a (?:subscriber|member))\b[^.\n]{0,40}\bto"
    r" (?:continue(?: reading|(?! [^\W\d_]+))|keep reading|read (?:on|more(?! [^\W\d_]+)|(?:more of )?(?:the (?:full|rest|whole)|this))"
    r"|unlock|access (?:this|the full) (?:article|story|text|content|page|post|report|issue|version))"
    r"|\b(?:article|content|story|page) is (?:only |exclusively )?(?:available )?(?:to|for)"
    r" (?:our )?(?:paying |premium )?(?:subscribers|members)\b"
    r"|\balready (?:a subscriber|subscribed|have a subscription)\?"
    r"|\b(?:exklusiv für abonnenten|(?:artikel|inhalt) ist (?:nur )?für abonnenten|jetzt weiterlesen"
    r"|weiterlesen mit\b|abonnieren sie,? um weiter)"
    r"|\b(?:réservé (?:aux|à nos) abonnés|abonnez-vous pour (?:lire|continuer|accéder)"
    r"|la suite est réservée)"
    r"|\b(?:exclusivo para suscriptores|solo para suscriptores|suscríbete para (?:seguir|continuar|leer))"
    r"|\b(?:exclusivo para assinantes|assine para (?:ler|continuar))"
    r"|\b(?:riservato agli abbonati|abbonati per (?:leggere|continuare))"
    r"|\b(?:alleen voor abonnees|tylko dla (?:prenumeratorów|subskrybentów)"
    r"|доступн\w+ только (?:по подписке|подписчикам)|только для подписчиков)"
    r"|订阅(?:后|以)(?:继续)?阅读|付费(?:后|才能)?阅读|この記事は(?:有料)?会員(?:限定|専用)|有料会員(?:限定|になると)",
    re.IGNORECASE,
)
#: What a stored page says that only refuses, in its title or first line.
_REFUSAL = re.compile(
    r"\W*(?:(?:error |http )?403\W*)?(?:access (?:to this page )?(?:has been |is )?denied|forbidden"
    r"|zugriff verweigert|accès (?:refusé|interdit)|acceso denegado|acesso negado|accesso negato"
    r"|доступ (?:запрещ[её]н|закрыт)|访问被拒绝|拒绝访问|アクセスが拒否されました)\W*",
    re.IGNORECASE,
)
_SIGN_IN = re.compile(
    r"\W*(?:(?:please )?(?:sign|log)[ -]?in(?: to continue| required)?|login|anmelden|anmeldung"
    r"|se connecter|connexion|iniciar sesión|iniciar sessão|accedi|inloggen|вход|войти|登录|ログイン)\W*",
    re.IGNORECASE,
)
#: Characters of the longest text of such a page.
MAX_REFUSAL_LENGTH = 600


def is_behind_paywall(page: Page) -> bool:
    """Return True if the text is short and says that the rest is for subscribers."""
    return len(page.text) <= MAX_OPENING_LENGTH and _PAYWALL.search(page.text) is not None


def raise_for_stored_error(page: Page) -> None:
    """Raise FetchError if a page of a library is an error page, a sign-in form or a bot check."""
    stubs.raise_for_stub(page, 200)
    if len(page.text) <= MAX_REFUSAL_LENGTH:
        for line in (page.title, page.text.lstrip("# ").partition("\n")[0]):
            if _REFUSAL.fullmatch(line):
                raise FetchError(walls.CHECKED, kind="blocked")
            if _SIGN_IN.fullmatch(line):
                raise FetchError(walls.SIGN_IN, kind="auth_required")
    if walls.is_stored_bot_check(page.title, page.text):
        raise FetchError(walls.CHECKED, kind="blocked")
