"""Dialogs that ask for consent and boxes that offer a newsletter are not read as text."""

from __future__ import annotations

import contextlib

import pytest

from research_core.errors import FetchError
from research_core.web.html import parse
from tests.timing import check_cpu_time

ARTICLE = [
    f"In the year {1970 + n} the gauge on the {place} pier read high by {n + 4} centimetres, as the"
    " pier had settled since it was put up."
    for n, place in enumerate(["north", "south", "west", "east", "old", "new"])
]
PARAGRAPHS = "".join(f"<p>{text}</p>" for text in ARTICLE)

#: (what it is, the box): prompts in several languages, marked in several ways or not at all.
PROMPTS = {
    "English dialog": '<div class="css-1ab" role="dialog" aria-modal="true"><h2>We value your'
    " privacy</h2><p>We and our 842 partners store and access information on a device, such as"
    " unique identifiers, to show advertisements chosen for you.</p><p>You may change your mind at"
    " any time by the link at the end of every page of this site.</p><button>Accept all</button>"
    "<button>Reject all</button></div>",
    "German, unmarked": "<div class='sc-1x'><div><p>Wir verwenden Cookies, um Inhalte und Anzeigen"
    " auf unserer Seite an Ihre Interessen anzupassen.</p></div><div><button>Alle akzeptieren"
    "</button></div></div>",
    "French, by its name": '<section id="cookie-banner"><p>Nous utilisons des cookies pour mesurer'
    " l’audience et vous proposer des contenus adaptés à vos centres d’intérêt.</p><a href='#'>Tout"
    " accepter</a></section>",
    "Spanish, open dialog": "<dialog open><h1>Tu privacidad</h1><p>Usamos cookies propias y de"
    " terceros para analizar nuestros servicios y mostrarte publicidad según tus hábitos.</p>"
    "<button>Aceptar</button><button>Rechazar</button></dialog>",
    "Japanese, unmarked": "<div><p>当サイトでは、利便性の向上と利用状況の分析のためにクッキーを使用しています。"
    "引き続き閲覧される場合は、クッキーの使用に同意いただいたものとみなします。詳しくはこちらをご覧ください。</p>"
    "<button>同意する</button></div>",
    "Russian, unmarked": "<div><p>Мы используем файлы cookie, чтобы сайт работал лучше, и передаём"
    " данные о посещениях службам статистики.</p><a role='button'>Принять</a></div>",
    "Polish, a button of a form": "<form><p>Ta strona używa plików cookie, aby dopasować treści do"
    " zainteresowań osób, które ją odwiedzają, oraz do statystyk.</p><input type=submit"
    " value='Zgadzam się'></form>",
    "Turkish, of a product": '<div id="onetrust-banner-sdk"><p>Sitemizde sizlere daha iyi hizmet'
    " sunabilmek ve ziyaretleri ölçebilmek için teknolojiler kullanıyoruz.</p></div>",
    "Arabic, unmarked": "<div dir=rtl><p>نستخدم ملفات تعريف الارتباط لتحسين تجربتك على موقعنا ولقياس"
    " عدد الزيارات وعرض إعلانات تناسب اهتماماتك.</p><button>موافق</button></div>",
    "newsletter, English": "<div class=x><p>Sign up for our newsletter to get the latest stories of"
    " the harbour in your inbox every morning.</p><form><input type=email><button>Go</button></form>"
    "</div>",
    "newsletter, German": "<section class='newsletter-box'><h3>Newsletter</h3><p>Jeden Freitag das"
    " Wichtigste aus dem Hafen: Abonnieren Sie kostenlos unseren Newsletter für Leser.</p><input"
    " name='mail'></section>",
    "newsletter, Dutch": "<div><p>Blijf op de hoogte: schrijf je in voor onze nieuwsbrief en ontvang"
    " elke week de beste verhalen uit de haven.</p><form><input type='email'></form></div>",
}


def read(body: str) -> str:
    page = f"<html><head><title>Gauges</title></head><body>{body}</body></html>"
    return str(parse(page.encode(), "https://example.org/notes")["text"])


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_on_an_empty_page_is_no_text(name: str) -> None:
    with pytest.raises(FetchError) as caught:
        read(f"<div id=root></div>{PROMPTS[name]}<script src=/app.js></script>")
    assert caught.value.kind == "content_empty"


LAYOUTS = {
    "main": f"<main><h1>Gauges</h1>{PARAGRAPHS}</main>",
    "aside": f"<div><aside class='main-col'><h1>Gauges</h1>{PARAGRAPHS}</aside></div>",
    "aside in a sidebar's name": f"<aside id=sidebar-left><h1>Gauges</h1>{PARAGRAPHS}</aside>",
    "form around all": f"<form id=aspnetForm><div><h1>Gauges</h1>{PARAGRAPHS}</div></form>",
    "header": f"<header class=hero-banner><h1>Gauges</h1>{PARAGRAPHS}</header>",
    "modal": f"<div class=modal-overlay><h1>Gauges</h1>{PARAGRAPHS}</div>",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["English dialog", "German, unmarked", "newsletter, English"])
def test_the_article_beside_a_prompt_is_read(layout: str, name: str) -> None:
    text = read(f"{PROMPTS[name]}{LAYOUTS[layout]}")
    assert [part for part in ARTICLE if part not in text] == []
    assert not any(word in text for word in ("privacy", "Cookies", "newsletter"))


#: What only looks like a prompt: (body, what must be read).
ARTICLES = [
    (
        "<div class='cookie-recipe'><h1>Oat cookies</h1><p>Bake the cookies for twelve minutes, and"
        " let them cool on a rack for an hour before you serve them.</p><button>Print</button></div>",
        "Bake the cookies",
    ),
    (
        "<main><h1>Cookie policy</h1><p>We set three cookies: one for the language, one for the"
        " login and one that counts the visits to each page.</p><button>Accept all</button></main>",
        "one for the language",
    ),
    (
        f"<div class='has-cookie-banner page-wrapper'><div>{PARAGRAPHS}</div><p>This site uses"
        " cookies.</p><button>OK</button></div>",
        ARTICLE[3],
    ),
    (
        f"<div class=cookie-container><h2>Gauges</h2>{PARAGRAPHS}<div>We use cookies."
        "<button>Allow</button></div></div>",
        ARTICLE[3],
    ),
    (
        f"<div class='newsletter-issue'><h1>Newsletter 42</h1>{PARAGRAPHS}<form><input type=email>"
        "</form></div>",
        ARTICLE[3],
    ),
    (
        f"<div><p>{ARTICLE[0]}</p><p>{ARTICLE[1]}</p><form>Subscribe <input type=email></form></div>",
        ARTICLE[1],
    ),
]


@pytest.mark.parametrize(("body", "text"), ARTICLES, ids=range(len(ARTICLES)))
def test_an_article_that_looks_like_a_prompt_is_read(body: str, text: str) -> None:
    assert text in read(body)


HOSTILE = {
    "buttons": "<button>Accept</button>" * 20_000,
    "nested": "<div class=cookie-banner>" * 200 + "<p>cookies <button>Accept</button>" * 500,
    "labels": f"<button>{'accept ' * 50_000}</button>" * 3,
    "fields": "<div>newsletter<input type=email></div>" * 5_000,
    "a class of letters": f"<div class='newsletter{'a' * 60}!'>Text</div>",
    "a class of underscores": f"<div class='cookie-banner{'_' * 60}!'>Text</div>",
    "an id of words": f"<div id='nyhetsbrev{'-ab' * 30}.'>Text</div>",
    "a class of names": f"<div class='{'newsletter-' * 2_000}!'>Text</div>",
    "a class of hyphens": f"<div class='gdpr{'-' * 5_000}bar{'-_' * 5_000}.'>Text</div>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_takes_the_time_of_its_length(name: str) -> None:
    with check_cpu_time(15), contextlib.suppress(FetchError):
        read(HOSTILE[name])
