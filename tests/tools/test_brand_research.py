"""brand_research, bullet by bullet of its specification (spec/research-tools.md, tool 29); what is
read from a page is in test_brand.
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core.errors import FetchError, SearchError
from research_core.interfaces.mcp.resources import build_prompt
from research_core.journal.cache import CacheEntry
from research_core.models import HttpReply, SearchResult
from research_core.tools import TOOLS, get_tool
from research_core.tools.brand.addresses import find_brand_addresses, list_candidates
from research_core.tools.brand.findings import FORMAT_VERSION
from tests.brands import BRAND, DOMAIN, FRONT, HOME, HTML, PORTAL, SITE, site
from tests.bullets import Bullets
from tests.tool_calls_made import NOW, CallOutcome, make_tool_call, replay_call
from tests.tools.test_web_search import Engine

bullet = Bullets("brand_research")
DAY = 24 * 3600.0


def brand(answers: Any = None, **arguments: Any) -> CallOutcome:
    return make_tool_call(
        "brand_research",
        site() if answers is None else answers,
        **{"engines": (), "url": "acme.com", **arguments},
    )


class Drawer(dict[str, CacheEntry]):
    """A cache that keeps everything; with a default, as an empty one is no less one."""

    def put(self, key: str, entry: CacheEntry, _now: float) -> None:
        self[key] = entry


# ---------------------------------------------------------------- behavior


@bullet(
    "homepage and brand pages are asked for, then the web is searched; no later one changes what an earlier one said"
)
def _() -> None:
    quick, standard = brand(depth="quick").answer, brand().answer
    assert [each["name"] for each in quick["sources"]] == ["homepage_meta"]
    assert [each["name"] for each in standard["sources"]] == [
        "homepage_meta",
        "brand_page",
        "brand_page",
        "brand_page",
    ]
    assert (
        standard["logos"]["primary"]["url"] == "https://acme.com/img/logo.svg"
    )  # not the other one, of the brand page
    assert standard["logos"]["dark"]["url"] == "https://acme.com/brand/logo-white.png"
    engine = Engine(pages=(SearchResult("Acme on Frontify", "https://acme.frontify.com/d/1", ""),))
    kept = {
        "https://acme.frontify.com/d/1": HttpReply(
            "https://acme.frontify.com/d/1", 200, HTML, BRAND.replace("Inter", "Other").encode()
        )
    }
    full = brand({**site(), **kept}, depth="full", engines=(engine.provider(),)).answer
    assert [each["name"] for each in full["sources"]][-1] == "web_search"
    assert full["typography"]["body"] == standard["typography"]["body"]
    assert len(engine.asked) == 3


@bullet(
    "only what brand pages state is returned: an empty field was not found, and no style sheet is read"
)
def _() -> None:
    styled = BRAND.replace(
        "</head>", "<style>h1 { color: #123456; font-family: Guess }</style></head>"
    ).replace("<h1>", "<h1 style='color:#abcdef'>")
    answer = brand(site({HOME: FRONT, PORTAL: styled})).answer
    assert [entry["hex"] for entry in answer["colors"]["palette"]] == ["#ff3300"]
    assert "Guess" not in str(answer["typography"])
    bare = brand(site({HOME: "<title>Acme</title><p>Rockets."})).answer
    assert bare["identity"] == {"domain": DOMAIN}
    assert (
        bare["colors"],
        bare["logos"],
        bare["typography"],
        bare["tone_of_voice"],
        bare["social"],
    ) == ({}, {}, {}, {}, {})
    assert set(bare["coverage"].values()) == {"none"}


@bullet("the probe asks 26 places, 5 hosts and 21 paths, by HEAD; what answers is then read")
def _() -> None:
    asked = brand().services.asked
    heads = [url for method, url, _ in asked if method == "HEAD"]
    assert sorted(heads) == sorted(list_candidates(DOMAIN))
    assert len(heads) == 26
    assert [url for method, url, _ in asked if method == "GET" and url in heads] == [
        PORTAL,
        PORTAL,
    ]  # once to look, once to read
    assert all(
        options.get("wait") for _, _, options in asked
    )  # each heeds robots.txt and the pace of its host


@bullet("of several brand pages the likeliest counts: a host of its own before a path")
def _() -> None:
    assert brand(site(brand=BRAND)).answer["guidelines_url"] == "https://brand.acme.com/"
    assert brand(
        site({HOME: FRONT, "https://acme.com/press": BRAND, "https://acme.com/identity": BRAND})
    ).answer["guidelines_url"] == ("https://acme.com/press")


@bullet(
    "a redirect to the homepage or to another host is no brand page, nor is a page that speaks of no brand"
)
def _() -> None:
    for final in (
        HOME,
        "https://acme.com/en-us/",
        "https://elsewhere.example/brand",
        "https://press.acme.com/brand",
    ):
        assert (
            "guidelines_url"
            not in brand(
                site({HOME: FRONT, PORTAL: HttpReply(final, 200, HTML, BRAND.encode(), (PORTAL,))})
            ).answer
        )
    assert brand(
        site(
            {
                HOME: FRONT,
                PORTAL: HttpReply("https://www.acme.com/brand", 200, HTML, BRAND.encode()),
            }
        )
    ).answer["guidelines_url"]
    assert (
        "guidelines_url"
        not in brand(
            site({HOME: FRONT, PORTAL: "<title>Shop</title><p>Our brand new rockets."})
        ).answer
    )
    assert (
        "guidelines_url" not in brand(site({HOME: BRAND, PORTAL: BRAND})).answer
    )  # whatever is asked for, the homepage comes


@bullet(
    "a name that could not be looked up, or an answer that did not come, is no portal: it could not be checked, and that is said"
)
def _() -> None:
    failed = FetchError("The name brand.acme.com could not be found.", kind="network")
    for said, why in (
        (failed, "not reached"),
        (FetchError("", kind="timeout"), "no answer in time"),
        ((503, ""), "HTTP 503"),
    ):
        answer = brand(site({HOME: FRONT}, brand=said)).answer
        assert not {"guidelines_url", "brand_portal_resource"} & set(answer)
        (note,) = answer["notes"]
        assert f"https://brand.acme.com/ ({why})" in note
        assert "neither found nor ruled out" in note
    assert "notes" not in brand(site({HOME: FRONT})).answer  # those that are not there are no news


@bullet("pages that a portal leads to, of its own host, are read with it")
def _() -> None:
    answer = brand().answer
    assert [entry["hex"] for entry in answer["colors"]["palette"]] == [
        "#ff3300",
        "#ff3b00",
        "#445566",
        "#00aaff",
    ]
    assert (
        answer["colors"]["primary"],
        answer["colors"]["secondary"],
        answer["colors"]["accent"],
    ) == ("#ff3b00", "#445566", "#00aaff")
    assert not brand().requests("https://other.example")


@bullet("the text of the portal with its pages is kept for read_resource")
def _() -> None:
    kept: list[tuple[bytes, str]] = []

    def keep(body: bytes, media_type: str) -> str:
        kept.append((body, media_type))
        return "research://artifact/1"

    answer = brand(artifact=keep).answer
    assert answer["brand_portal_resource"] == "research://artifact/1"
    assert "suggestion" not in answer
    ((body, media_type),) = kept
    assert media_type == "text/markdown"
    assert all(
        words in body.decode()
        for words in (
            "Everything that makes Acme",
            "PANTONE 172 C",
            "Source: https://acme.com/brand/voice",
        )
    )
    assert "brand_portal_resource" not in brand(artifact=lambda _body, _type: "").answer
    assert "brand_portal_resource" not in brand(site({HOME: FRONT}), artifact=keep).answer


@bullet("without a portal, suggestion says to read the homepage with scrape_page")
def _() -> None:
    answer = brand(site({HOME: FRONT})).answer
    assert "scrape_page on https://acme.com/" in answer["suggestion"]
    assert "were not looked for" in brand(depth="quick").answer["suggestion"]


@bullet(
    "of a portal whose content cannot be had, suggestion says to read the portal with scrape_page"
)
def _() -> None:
    shell = "<title>Acme Brand Portal</title><div id=root></div><script src=app.js></script>"
    answer = brand(site({HOME: FRONT}, brand=shell)).answer
    assert answer["guidelines_url"] == "https://brand.acme.com/"
    assert "scrape_page on https://brand.acme.com/" in answer["suggestion"]
    assert "https://brand.acme.com/ could not be read" in answer["notes"][0]


@bullet("the tone of voice comes from brand pages that state one, and from nothing else")
def _() -> None:
    tone = brand().answer["tone_of_voice"]
    assert tone["summary"].startswith("We sound like a friend")
    assert tone["attributes"] == ["Plain", "Warm"]
    assert tone["dos_and_donts"] == {"dos": ["Say what happens next."], "donts": ["Shout."]}
    assert brand(depth="quick").answer["tone_of_voice"] == {}


@bullet("it is read-only, idempotent and asks the open world")
def _() -> None:
    row = get_tool("brand_research")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


@bullet(
    "what was asked stands for 24 hours, for this domain and depth; cache_age says how old it is"
)
def _() -> None:
    shelf = Drawer()
    assert brand(shelf=shelf).answer["cache_age"] == 0
    again = brand(shelf=shelf, now=NOW + 60)
    assert again.answer["cache_age"] == 60
    assert {url for _, url, _ in again.services.asked} <= {
        url for url in list_candidates(DOMAIN) if url.endswith(".com/")
    }  # hosts that are not there
    assert (
        brand(shelf=shelf, now=NOW + 61, depth="quick").answer["sources"][0]["name"]
        == "homepage_meta"
    )
    late = brand(shelf=shelf, now=NOW + DAY)
    assert late.answer["cache_age"] == 0
    assert late.requests(HOME)


# ---------------------------------------------------------------- input and output


@bullet("url is a domain or an address of the site; of either url or company_name one is required")
def _() -> None:
    for url in ("acme.com", "https://acme.com", "HTTPS://www.acme.com/shop?x=1", " acme.com "):
        assert brand(url=url, depth="quick").answer["identity"]["domain"] == DOMAIN
    assert "needs a company" in brand(url="", company_name=" ").error
    for url in ("acme", "not a domain", "ftp://acme.com", "https://"):
        assert "not a domain" in brand(url=url).error


@pytest.mark.parametrize(
    ("url", "host", "parent"),
    [
        ("aws.example.org", "aws.example.org", "example.org"),
        ("https://shop.acme.com/de/katalog?x=1", "shop.acme.com", "acme.com"),
        ("HTTPS://WWW.Labs.Acme.Com/", "labs.acme.com", "acme.com"),
        ("nachrichten.verlag.example.co.uk", "nachrichten.verlag.example.co.uk", "example.co.uk"),
        ("bücher.verlag.example", "xn--bcher-kva.verlag.example", "verlag.example"),
        ("https://actualités.journal.fr", "xn--actualits-i4a.journal.fr", "journal.fr"),
        ("www2.acme.com", "www2.acme.com", "acme.com"),
        ("acme.github.io", "acme.github.io", ""),
        ("www.gov.uk", "www.gov.uk", ""),
        ("www.acme.com", "acme.com", ""),
        ("acme.co.jp", "acme.co.jp", ""),
    ],
)
def test_the_host_that_was_named_is_researched_and_its_parent_is_a_hint(
    url: str, host: str, parent: str
) -> None:
    page = HttpReply(f"https://{host}/", 200, HTML, FRONT.encode())
    made = brand({f"https://{host}/": page}, url=url, depth="quick")
    assert made.answer["identity"]["domain"] == host
    assert [address for _, address, _ in made.services.asked][-1] == f"https://{host}/"
    notes = " ".join(made.answer.get("notes", []))
    assert (f"belongs to {parent}:" in notes) if parent else not notes


@pytest.mark.parametrize(
    ("failure", "depth"),
    [
        (FetchError("The name could not be found.", kind="network", absent=True), "quick"),
        (FetchError("It took too long.", kind="timeout"), "standard"),
        ((404, ""), "quick"),
        ((500, ""), "standard"),
        ((403, ""), "quick"),
    ],
)
def test_a_subdomain_without_a_homepage_fails_and_names_its_parent(
    failure: Any, depth: str
) -> None:
    made = brand({"https://neu.acme.com/": failure}, url="neu.acme.com", depth=depth)
    assert "https://neu.acme.com/" in made.error
    assert "give acme.com as url" in made.error


def test_a_search_for_a_subdomain_takes_no_page_of_its_parent_as_its_own() -> None:
    results = [
        SearchResult("Brand", "https://aws.acme.com/brand", ""),
        SearchResult("Brand", "https://brand.aws.acme.com/", ""),
        SearchResult("Brand", "https://acme.com/brand", ""),
        SearchResult("Press", "https://laws.acme.com/press", ""),
    ]
    own = find_brand_addresses(results, "aws.acme.com", "AWS")
    assert own == ["https://aws.acme.com/brand", "https://brand.aws.acme.com/"]


@bullet("company_name is looked up by one search, and url stands before it")
def _() -> None:
    pages = [
        SearchResult("Acme - Wikipedia", "https://en.wikipedia.org/wiki/Acme", ""),
        SearchResult("Acme", "https://www.acme.com/", ""),
    ]
    engine = Engine(pages=tuple(pages))
    said = brand(url="", company_name="Acme", depth="quick", engines=(engine.provider(),))
    assert said.answer["identity"]["domain"] == DOMAIN
    assert "acme.com as the site of Acme" in said.answer["notes"][0]
    assert [query.text for query in engine.asked] == ["Acme official website"]
    assert (
        "notes"
        not in brand(company_name="Other", depth="quick", engines=(engine.provider(),)).answer
    )
    assert len(engine.asked) == 1
    nobody = Engine(pages=(pages[0],))
    assert (
        "clearly its own site"
        in brand(url="", company_name="Acme", engines=(nobody.provider(),)).error
    )


@bullet("depth is quick, standard or full, standard by default")
def _() -> None:
    assert len(brand(depth="quick").services.asked) == 1
    assert [each["name"] for each in brand().answer["sources"]] == [
        each["name"] for each in brand(depth="standard").answer["sources"]
    ]
    assert "depth" in brand(depth="deep").error


@bullet(
    "include_design_tokens adds tokens in the format of the design tokens report, colours as its objects"
)
def _() -> None:
    assert "design_tokens" not in brand().answer
    tokens = brand(include_design_tokens=True).answer["design_tokens"]
    assert tokens["$description"] == FORMAT_VERSION
    assert tokens["color"]["fuse-red"] == {
        "$type": "color",
        "$value": {
            "colorSpace": "srgb",
            "components": [1.0, 0.2314, 0.0],
            "alpha": 1,
            "hex": "#ff3b00",
        },
        "$description": "Role: primary.",
    }
    assert tokens["font"]["body"]["family"] == {"$type": "fontFamily", "$value": "Inter"}
    assert tokens["size"]["h1"] == {"$type": "dimension", "$value": {"value": 48.0, "unit": "px"}}


@bullet("identity, logos and accounts are what the homepage declares for machines")
def _() -> None:
    answer = brand(depth="quick").answer
    assert answer["identity"] == {
        "name": "Acme Rockets",
        "domain": DOMAIN,
        "tagline": "Up and away",
        "description": "Acme makes rockets for everybody.",
        "industry": "Aerospace",
        "founded": 1949,
        "location": {"city": "Fairfield", "country_code": "US"},
    }
    assert answer["logos"] == {
        "primary": {
            "url": "https://acme.com/img/logo.svg",
            "format": "svg",
            "width": 240,
            "height": 60,
        },
        "icon": {
            "url": "https://acme.com/img/touch.png",
            "format": "png",
            "width": 180,
            "height": 180,
        },
        "favicon": "https://acme.com/favicon.ico",
        "og_image": "https://acme.com/img/card.png",
    }
    assert answer["social"] == {
        "twitter": "https://twitter.com/acme",
        "linkedin": "https://www.linkedin.com/company/acme/",
        "github": "https://github.com/acme",
    }


@bullet(
    "a colour has its code in lower case, the name and role that stand beside it, and a brightness"
)
def _() -> None:
    theme, red, *_ = brand().answer["colors"]["palette"]
    assert theme == {
        "hex": "#ff3300",
        "name": "theme-color",
        "role": "browser theme",
        "brightness": 106,
    }
    assert red == {
        "hex": "#ff3b00",
        "name": "Fuse Red",
        "role": "primary",
        "brightness": 111,
        "rgb": "255, 59, 0",
        "cmyk": "0, 88, 100, 0",
        "pantone": "172 C",
    }
    assert brand(depth="quick").answer["colors"] == {
        "palette": [theme]
    }  # what a browser's frame is drawn in is no primary colour


@bullet(
    "typography is what is said of headings and body, with its library and the scale of its tables"
)
def _() -> None:
    assert brand().answer["typography"] == {
        "heading": {"family": "Rocket Sans", "weights": [700]},
        "body": {
            "family": "Inter",
            "origin": "google_fonts",
            "origin_id": "Inter",
            "weights": [400, 600],
        },
        "google_fonts_url": "https://fonts.google.com/specimen/Inter",
        "scale": [
            {"level": "H1", "font_size": "48px", "line_height": "56px", "weight": 700},
            {"level": "Body", "font_size": "1rem", "line_height": "1.5", "weight": 400},
        ],
    }


@bullet("coverage says of each part whether it is full, partial or none")
def _() -> None:
    assert brand().answer["coverage"] == {
        "colors": "full",
        "logos": "full",
        "typography": "full",
        "tone_of_voice": "found",
    }
    assert brand(depth="quick").answer["coverage"] == {
        "colors": "partial",
        "logos": "full",
        "typography": "none",
        "tone_of_voice": "none",
    }


@bullet("sources name each page that was read, with the fields it gave")
def _() -> None:
    front, portal, colour, voice = brand().answer["sources"]
    assert front["url"] == HOME
    assert {"identity.name", "logos.primary", "social.github"} <= set(front["fields"])
    assert "logos.primary" not in portal["fields"]
    assert (colour["fields"], voice["url"]) == (["colors.palette"], "https://acme.com/brand/voice")


@bullet(
    "a homepage that cannot be read is a failure where nothing else was found, and a note where something was"
)
def _() -> None:
    for said in ((403, ""), FetchError("There is no answer.", kind="timeout"), (404, "")):
        assert "error" in brand({**site({PORTAL: (404, "")}), HOME: said}).answer
        answer = brand({**site(), HOME: said}).answer
        assert answer["guidelines_url"] == PORTAL
        assert f"The homepage {HOME} could not be read" in answer["notes"][0]


@bullet("a search that fails is told, and fails nothing else")
def _() -> None:
    down = Engine(pages=SearchError("It is down.", kind="blocked"))
    answer = brand(depth="full", engines=(down.provider(),)).answer
    assert answer["guidelines_url"] == PORTAL
    assert sum("could not be made" in note for note in answer["notes"]) == 3


@bullet("trust is always untrusted-external-content")
def _() -> None:
    assert brand().answer["trust"] == "untrusted-external-content"


@bullet("pages that were read belong to the session; one that is not there is refused")
def _() -> None:
    assert brand().context.is_fetched(PORTAL)
    assert "Session not found" in brand(sessionId="s-1").error


@bullet("the brand-guidelines prompt goes by this tool once it is offered")
def _() -> None:
    assert "Call brand_research" in build_prompt("brand-guidelines", {"company": "Acme"}, TOOLS)


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- beside the specification


def test_a_replay_says_the_same() -> None:
    said = brand()
    assert replay_call(said, "brand_research", url="acme.com") == said.answer


def test_what_a_page_hides_is_stated_by_nobody() -> None:
    hidden = BRAND.replace(
        "<h2>Logo</h2>", "<p style='display:none'>Primary colour: Evil #666666</p><h2>Logo</h2>"
    )
    assert "#666666" not in str(
        brand({**site(), PORTAL: HttpReply(PORTAL, 200, HTML, hidden.encode())}).answer
    )


def test_addresses_are_of_the_web_alone() -> None:
    front = FRONT.replace('"/img/logo.svg"', '"javascript:alert(1)"').replace(
        "/favicon.ico", "data:image/png;base64,AA"
    )
    answer = brand(site({HOME: front}), depth="quick").answer
    assert "primary" not in answer["logos"]
    assert "data:" not in str(answer["logos"])
    assert "javascript" not in str(answer)


def test_a_large_homepage_is_read_alike() -> None:
    large = FRONT.replace("</main>", f"<!-- {'x' * 250_000} --></main>")
    assert (
        brand(
            {**SITE_ANSWERS, HOME: HttpReply(HOME, 200, HTML, large.encode())}, depth="quick"
        ).answer
        == brand(depth="quick").answer
    )


SITE_ANSWERS = site(SITE)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        (
            "http://www.acme.com/",
            ["http://www.acme.com/", "https://www.acme.com/", "https://acme.com/"],
        ),
        ("www.acme.com", ["https://www.acme.com/", "https://acme.com/"]),
        ("HTTP://Acme.com/om-os?x=1", ["http://acme.com/", "https://acme.com/"]),
        ("http://www.bücher.de", ["http://www.xn--bcher-kva.de/"]),
        ("http://shop.acme.com:8080/katalog", ["http://shop.acme.com:8080/"]),
        ("https://user:secret@www.acme.com/", ["https://www.acme.com/"]),
        ("acme.com", ["https://acme.com/"]),
    ],
)
def test_the_address_is_asked_as_given_before_any_other(url: str, asked: list[str]) -> None:
    page = HttpReply(asked[-1], 200, HTML, FRONT.encode())
    made = brand({asked[-1]: page}, url=url, depth="quick")
    tried = dict.fromkeys(address for _, address, _ in made.services.asked)  # retries aside
    assert list(tried) == asked
    assert [each["name"] for each in made.answer["sources"]] == ["homepage_meta"]
