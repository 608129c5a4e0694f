"""A company's site for tests of brand research: a homepage and brand pages.

At every other place that is asked for there is nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.tools.brand.addresses import list_candidates

DOMAIN = "acme.com"
HOME, PORTAL = "https://acme.com/", "https://acme.com/brand"
HTML = {"content-type": "text/html; charset=utf-8"}
NODE = """{"@context": "https://schema.org", "@type": "Organization", "name": "Acme Rockets", "slogan": "Up and away",
"description": "Acme makes rockets for everybody.", "foundingDate": "1949-09-17", "industry": "Aerospace",
"logo": {"@type": "ImageObject", "url": "/img/logo.svg", "width": "240", "height": 60},
"address": {"@type": "PostalAddress", "addressLocality": "Fairfield", "addressCountry": "us"},
"sameAs": ["https://twitter.com/acme", "https://www.linkedin.com/company/acme/", "javascript:alert(1)"]}"""
FRONT = f"""<!doctype html><html lang=en><head><title>Acme</title><meta name=description content="Rockets.">
<meta property=og:site_name content=Acme><meta property=og:image content=/img/card.png><meta name=theme-color content=#FF3300>
<link rel=icon href=/favicon.ico sizes=32x32><link rel=apple-touch-icon href=/img/touch.png sizes=180x180>
<script type="application/ld+json">{NODE}</script></head><body><main><p>We make rockets.</p>
<a href=https://github.com/acme>Code</a> <a href="https://twitter.com/intent/tweet?text=x">Share</a></main></body></html>"""
BRAND = """<!doctype html><html><head><title>Acme Brand Guidelines</title></head><body>
<nav><a href=/brand/colour>Colour</a><a href=/brand/voice>Voice</a><a href=/about>About</a><a href=https://other.example/logo>Logo</a></nav>
<main><h1>Brand guidelines</h1><p>Everything that makes Acme look like Acme, for all who work with us and for the press.</p>
<h2>Logo</h2><img alt="Acme logo" src=/brand/logo.svg width=300 height=90><img alt="Acme logo on dark ground" src=/brand/logo-white.png>
<p>Download the logos and use them with care: leave room around them and never stretch, rotate or recolour them.</p>
<h2>Typography</h2><p>Headings: Rocket Sans Bold.</p><p>Use Inter for body text, in weights 400 and 600.</p>
<p>Get it from <a href="https://fonts.google.com/specimen/Inter">Google Fonts</a>.</p>
<table><tr><th>Style</th><th>Size</th><th>Line height</th><th>Weight</th></tr>
<tr><td>H1</td><td>48px</td><td>56px</td><td>Bold</td></tr><tr><td>Body</td><td>1rem</td><td>1.5</td><td>400</td></tr></table>
</main></body></html>"""
COLOUR = """<!doctype html><html><head><title>Acme colours</title></head><body><main><h1>Colour</h1>
<h2>Primary palette</h2><div><h3>Fuse Red</h3><p>HEX #FF3B00</p><p>RGB 255 59 0</p><p>CMYK 0 88 100 0</p><p>PANTONE 172 C</p></div>
<h2>Secondary palette</h2><div><h3>Smoke</h3><p>#445566</p></div>
<p>Our accent colour is Sky (#00aaff), which is used for links and for nothing else at all in what we publish.</p></main></body></html>"""
VOICE = """<!doctype html><html><head><title>Acme voice</title></head><body><main><h1>Voice and tone</h1>
<p>We sound like a friend who happens to know a lot about rockets and who never talks down to anybody.</p>
<ul><li>Plain – short words first</li><li>Warm</li></ul>
<h2>Do</h2><ul><li>Say what happens next.</li></ul><h2>Don't</h2><ul><li>Shout.</li></ul></main></body></html>"""
SITE = {
    HOME: FRONT,
    PORTAL: BRAND,
    "https://acme.com/brand/colour": COLOUR,
    "https://acme.com/brand/voice": VOICE,
}
ABSENT = FetchError("The name could not be found.", kind="network", absent=True)


def site(pages: Mapping[str, Any] = SITE, **more: Any) -> dict[str, Any]:
    """Answers by address: of these pages, and of the other candidates that there is no such host or
    page. more: by a candidate's name.
    """
    nobody = {
        url: ABSENT
        if "acme.com/" not in url.removeprefix("https://") or url.endswith(".com/")
        else (404, "")
        for url in list_candidates(DOMAIN)
    }
    named = {
        next(url for url in list_candidates(DOMAIN) if name in url): said
        for name, said in more.items()
    }
    return {url: answer(url, said) for url, said in {**nobody, **pages, **named}.items()}


def answer(url: str, said: Any) -> Any:
    """A page of HTML, any other answer as it is."""
    return HttpReply(url, 200, HTML, said.encode()) if isinstance(said, str) else said
