"""Redirect links of search engines and others unwrapped, advertisements dropped, both counted."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import LinkCounts, SearchResult
from research_core.search.providers.reply import read_results
from research_core.search.records import Image
from research_core.search.redirectors import (
    MAX_LAYERS,
    clean_images,
    clean_links,
    is_advertisement,
    measure_first,
    unwrap_url,
)
from research_core.urls import find_host

TARGET = "https://musée.example.org/œuvres/été?page=2&q=a%2Bb"
CANONICAL = "https://xn--muse-dpa.example.org/%C5%93uvres/%C3%A9t%C3%A9?page=2&q=a%2Bb"
ENCODED = quote(TARGET, safe="")
BASE64 = urlsafe_b64encode(TARGET.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "url",
    [
        f"https://duckduckgo.com/l/?uddg={ENCODED}&rut=0a1b",
        f"https://html.duckduckgo.com/l/?kh=-1&uddg={ENCODED}",
        f"https://www.google.com/url?q={ENCODED}&sa=U&ved=2ahUKE&usg=AOvVaw",
        f"https://www.google.co.uk/url?sa=t&source=web&url={ENCODED}",
        f"https://google.de/url?esrc=s&q=&url={ENCODED}",
        f"https://www.google.fr/imgres?imgurl=https%3A%2F%2Fa.example%2Fb.png&imgrefurl={ENCODED}",
        f"https://www.bing.com/ck/a?!&&p=6f3c&ptn=3&ver=2&u=a1{BASE64}&ntb=1",
        f"https://cn.bing.com/ck/a?p=1&u=a1{BASE64}%3D%3D",
        f"http://www.bing.com/news/apiclick.aspx?ref=FexRss&url={ENCODED}&c=1",
        f"https://r.search.yahoo.com/_ylt=AwrE1/RV=2/RE=17/RO=10/RU={ENCODED}/RK=2/RS=x-",
        f"https://fr.search.yahoo.com/r/_ylt=A0/RU={ENCODED}/RK=0",
        f"https://r.search.aol.com/_ylt=A2/RV=2/RU={ENCODED}/RK=0/RS=s",
        f"http://yandex.ru/clck/jsredir?from=yandex.ru%3Bsearch&url={ENCODED}&b64e=2",
        f"https://www.yandex.com.tr/clck/jsredir?url={ENCODED}",
        f"https://www.startpage.com/do/highlight.pl?l=deutsch&u={ENCODED}",
        f"https://l.facebook.com/l.php?u={ENCODED}&h=AT0x",
        f"https://lm.facebook.com/l.php?h=AT&u={ENCODED}",
        f"https://l.instagram.com/?u={ENCODED}&e=AT",
        f"https://eur01.safelinks.protection.outlook.com/?url={ENCODED}&data=05%7C01&reserved=0",
        f"https://www.youtube.com/redirect?event=video_description&q={ENCODED}&v=x",
        f"https://www.linkedin.com/redir/redirect?url={ENCODED}&urlhash=x",
        f"https://vk.com/away.php?to={ENCODED}&cc_key=",
        f"https://out.reddit.com/t3_x?url={ENCODED}&token=t",
        f"https://t.umblr.com/redirect?z={ENCODED}&t=x",
        f"https://link.zhihu.com/?target={ENCODED}",
        "https://urldefense.proofpoint.com/v2/url?c=x&u="
        + quote(TARGET, safe="")
        .replace("%2F", "_")
        .replace("-", "-2D")
        .replace("%", "-"),
        f"HTTPS://DuckDuckGo.com/l/?uddg={quote('//' + TARGET[8:], safe='')}",
    ],
)  # fmt: skip
def test_a_redirect_link_is_unwrapped_to_its_canonical_target(url: str) -> None:
    assert unwrap_url(url) == CANONICAL
    assert not is_advertisement(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://duckduckgo.com/l/?rut=0a1b",
        "https://duckduckgo.com/l/?uddg=javascript%3Aalert(1)",
        "https://duckduckgo.com/l/?uddg=document%3A0123",
        "https://duckduckgo.com/l/?uddg=ftp%3A%2F%2Ffiles.example.org%2F",
        "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa%5C%40b.example%2F",
        "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%E9t%E9",
        "https://www.google.com/url?q=tides+of+the+bay",
        "https://www.google.com/search?q=https%3A%2F%2Fa.example%2F",
        "https://www.bing.com/ck/a?u=a1%%%",
        "https://www.bing.com/ck/a?u=a1_w",
        "https://www.bing.com/ck/a?u=b2" + BASE64,
        f"https://www.bing.com/ck/a/more?u=a1{BASE64}",
        "https://r.search.yahoo.com/_ylt=A/RU=/RK=2",
        "https://yandex.ru/clck/jsredir?from=x&text=&etext=2202.abc",
        "https://www.baidu.com/link?url=Zq8wX2opaque",
        f"https://google.com.example.org/url?q={ENCODED}",
        f"https://notgoogle.com/url?q={ENCODED}",
        f"https://news.example.org/url?q={ENCODED}",
        f"https://duckduckgo.com.example.org/l/?uddg={ENCODED}",
        f"https://www.facebook.com/museum?u={ENCODED}",
        "https://museum.example.org/l.php?u=https%3A%2F%2Fa.example%2F",
        "https://[bad/l/?uddg=https%3A%2F%2Fa.example%2F",
        "document:0123",
        "",
    ],
)
def test_an_unreadable_wrapper_and_any_other_address_stay(url: str) -> None:
    assert unwrap_url(url) == url
    assert not is_advertisement(url)


ADVERTISEMENTS = [
    "https://duckduckgo.com/y.js?ad_domain=shop.example&ad_provider=bingv7aa&u3=https%3A%2F%2Fx",
    "https://www.bing.com/aclk?ld=e8x&u=aHR0cHM6Ly9zaG9wLmV4YW1wbGU",
    "https://www.bing.com/aclick?ld=e8x",
    "https://www.google.com/aclk?sa=l&ai=DChcS&adurl=https%3A%2F%2Fshop.example",
    "https://www.google.co.jp/aclk?sa=L&ai=x",
    "https://www.googleadservices.com/pagead/aclk?sa=L&adurl=https%3A%2F%2Fshop.example",
    "https://ad.doubleclick.net/ddm/clk/1;2;x?https://shop.example",
    "https://googleads.g.doubleclick.net/pcs/click?adurl=https%3A%2F%2Fshop.example",
    "https://r.search.yahoo.com/cbclk2/dWU9x",
    "https://yabs.yandex.ru/count/WVWejI_zO?q=x",
    "https://www.baidu.com/baidu.php?url=000000x",
    "https://search.brave.com/a/redirect?click_url=https%3A%2F%2Fshop.example",
]


@pytest.mark.parametrize("url", ADVERTISEMENTS)
def test_an_advertisement_is_one_also_inside_a_redirect(url: str) -> None:
    assert is_advertisement(url)
    assert is_advertisement(f"https://duckduckgo.com/l/?uddg={quote(url, safe='')}")


@pytest.mark.parametrize(
    "url",
    [
        "https://duckduckgo.com/about",
        "https://www.bing.com/search?q=aclk",
        "https://blogs.bing.com/aclk-explained",
        "https://support.google.com/google-ads/answer/1",
        "https://museum.example.org/aclk?x",
        "https://doubleclick.net.example.org/",
        "https://yandex.ru/maps/",
    ],
)
def test_a_page_of_the_same_site_or_word_is_no_advertisement(url: str) -> None:
    assert not is_advertisement(url)


def wrap(url: str, times: int) -> str:
    for _ in range(times):
        url = f"https://duckduckgo.com/l/?uddg={quote(url, safe='')}"
    return url


@pytest.mark.parametrize("times", range(1, MAX_LAYERS + 1))
def test_wrappers_in_wrappers_are_unwrapped_up_to_a_bound(times: int) -> None:
    assert unwrap_url(wrap("https://a.example.org/", times)) == "https://a.example.org/"


def test_beyond_the_bound_a_wrapper_is_left() -> None:
    rest = unwrap_url(wrap("https://a.example.org/", MAX_LAYERS + 2))
    assert rest == wrap("https://a.example.org/", 2)


def test_different_wrappers_may_hold_each_other() -> None:
    inner = f"https://www.google.com/url?q={quote('https://a.example.org/x', safe='')}"
    outer = urlsafe_b64encode(inner.encode()).decode().rstrip("=")
    assert unwrap_url(f"https://www.bing.com/ck/a?u=a1{outer}") == "https://a.example.org/x"


def test_rows_are_unwrapped_dropped_and_counted() -> None:
    urls = [wrap("https://a.example.org/", 1), ADVERTISEMENTS[0], "https://b.example.org/#part"]
    rows, links = clean_links([SearchResult("T", url, "S") for url in urls])
    assert [row.url for row in rows] == ["https://a.example.org/", "https://b.example.org/#part"]
    assert links == LinkCounts(1, 1)
    assert links.describe() == "1 redirect link replaced by its target, 1 advertisement left out."
    assert links.as_json() == {"unwrapped": 1, "advertisements": 1}
    assert (LinkCounts().describe(), LinkCounts().as_json()) == ("", {})
    assert (
        links + links
    ).describe() == "2 redirect links replaced by their targets, 2 advertisements left out."


@given(
    st.text(max_size=60).map(lambda text: f"https://duckduckgo.com/l/?uddg={text}")
    | st.text(max_size=60).map(lambda text: f"https://www.bing.com/ck/a?u=a1{text}")
    | st.text(max_size=60).map(lambda text: f"https://r.search.yahoo.com/x/RU={text}/RK=2")
    | st.text(max_size=60)
)
def test_any_address_gives_a_web_address_or_itself(url: str) -> None:
    found = unwrap_url(url)
    assert found == url or found.startswith(("http://", "https://"))
    assert isinstance(is_advertisement(url), bool)


PAID, PAGE = ADVERTISEMENTS[0], "https://museum.example.org/"


@pytest.mark.parametrize(
    ("urls", "count", "length"),
    [
        ([PAGE] * 12, 10, 10),
        ([PAID, PAID, *[PAGE] * 12], 10, 12),
        ([PAGE] * 9 + [PAID] + [PAGE] * 3, 10, 11),
        ([PAGE] * 10 + [PAID], 10, 10),
        ([PAID] * 3, 10, 3),
        ([PAGE] * 2, 0, 0),
        ([], 10, 0),
    ],
)
def test_advertisements_take_no_place_of_a_result(urls: list[str], count: int, length: int) -> None:
    assert measure_first(urls, count) == length


def test_a_list_with_advertisements_gives_ten_results() -> None:
    rows = [{"u": PAID, "t": "Paid", "s": ""} for _ in range(3)]
    rows += [{"u": f"{PAGE}{number}", "t": "A page", "s": ""} for number in range(15)]
    kept, counts = clean_links(read_results("An engine", rows, url="u", title="t", snippet="s"))
    assert [row.url for row in kept] == [f"{PAGE}{number}" for number in range(10)]
    assert counts.advertisements == 3


@pytest.mark.parametrize(
    ("link", "target"),
    [
        (f"https://duckduckgo.com/l/?uddg={quote(PAGE, safe='')}", PAGE),
        (f"https://www.google.com/imgres?imgurl=x&imgrefurl={quote(PAGE, safe='')}", PAGE),
        (f"https://www.google.de/url?q={quote(PAGE, safe='')}&sa=U", PAGE),
        ("https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9tdXNldW0uZXhhbXBsZS5vcmcv", PAGE),
        (f"https://link.zhihu.com/?target={quote(PAGE, safe='')}", PAGE),
        ("https://www.baidu.com/link?url=abc", "https://www.baidu.com/link?url=abc"),
        (PAGE, PAGE),
        ("", ""),
    ],
)
def test_the_page_of_an_image_is_unwrapped(link: str, target: str) -> None:
    (image,), counts = clean_images(
        [Image("A gauge", f"{PAGE}gauge.png", find_host(link) if link else "", "", link)]
    )
    assert image.context_link == target
    assert image.display_link == (find_host(target) if target else "")
    assert counts.unwrapped == (link != target)
