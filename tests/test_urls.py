"""Canonical addresses, hosts and registered domains."""

from __future__ import annotations

import json
from ipaddress import IPv6Address
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.urls import (
    TRACKING_NAMES,
    canonical_url,
    find_doi,
    find_host,
    has_public_suffix,
    is_own_document,
    is_under_domain,
    registered_domain,
)
from tests.timing import check_cpu_time

SHARED = Path(__file__).parents[2] / "shared" / "data" / "adversarial" / "ssrf"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://EN.Wikipedia.ORG:443/wiki/QEC", "https://en.wikipedia.org/wiki/QEC"),
        ("http://example.com:80", "http://example.com/"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("https://example.com/a#part", "https://example.com/a"),
        (
            "https://example.com/a?utm_source=x&id=1&UTM_Medium=y&fbclid=z&gclid=",
            "https://example.com/a?id=1",
        ),
        ("https://example.com/a?utm_source=x", "https://example.com/a"),
        ("https://example.com/a?b=2&a=1&&b=3", "https://example.com/a?b=2&a=1&b=3"),
        ("https://example.com/a?q=x&ref=y&si=z", "https://example.com/a?q=x&ref=y&si=z"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://user:secret@example.com/", "https://example.com/"),
        ("https://arxiv.org@evil.com/", "https://evil.com/"),
        ("https://example.com/a/../b/./c/..", "https://example.com/b/"),
        ("https://example.com/../../a", "https://example.com/a"),
        ("https://example.com/%2e%2e/a", "https://example.com/a"),
        ("https://example.com/a//b", "https://example.com/a//b"),
        ("https://example.com/%7efoo/%3c/%C3%bc", "https://example.com/~foo/%3C/%C3%BC"),
        ("https://example.com/a%2fb", "https://example.com/a%2Fb"),
        ("https://example.com/ü b", "https://example.com/%C3%BC%20b"),
        ("https://example.com/100%", "https://example.com/100%"),
        ("https://münchen.example/", "https://xn--mnchen-3ya.example/"),
        ("https://EXAMPLE.com./", "https://example.com/"),
        ("https://my_host.example.com/", "https://my_host.example.com/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]/"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/"),
        ("  https://example.com/  ", "https://example.com/"),
        ("https://example.com/a\\b", "https://example.com/a%5Cb"),
        ("https://example.com/a;p=1?x=a/b:c@d", "https://example.com/a;p=1?x=a/b:c@d"),
        ("document:0a1b2c", "document:0a1b2c"),
    ],
)
def test_canonical(url: str, expected: str) -> None:
    assert canonical_url(url) == expected
    assert canonical_url(expected) == expected


@pytest.mark.parametrize("name", sorted(TRACKING_NAMES))
def test_tracking_parameters_go(name: str) -> None:
    assert (
        canonical_url(f"https://example.com/?keep=1&{name.upper()}=x")
        == "https://example.com/?keep=1"
    )


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "not a web address"),
        ("example.com/a", "not a web address"),
        ("//example.com/a", "not a web address"),
        ("ftp://example.com/", "not a web address"),
        ("javascript:alert(1)", "not a web address"),
        ("file:///etc/passwd", "not a web address"),
        ("https://", "names no host"),
        ("https:///path", "names no host"),
        ("https://exa mple.com/", "no host name"),
        ("https://example..com/", "no host name"),
        ("https://-example.com/", "no host name"),
        ("https://ex%61mple.com/", "no host name"),
        (f"https://{'a' * 64}.com/", "no host name"),
        (f"https://{'a.' * 130}com/", "no host name"),
        ("https://127.1/", "no host name"),
        ("https://2130706433/", "no host name"),
        ("https://0x7f.0.0.0x1/", "no host name"),
        ("https://256.256.256.256/", "no host name"),
        ("https://[fe80::1%25eth0]/", "no host name"),
        ("https://[::1/", "Invalid IPv6"),
        ("https://good.example\\@evil.example/", "backslash"),
        ("https://example.com:0/", "port 0"),
        ("https://example.com:99999/", "[Pp]ort"),
        ("https://example.com:x/", "[Pp]ort"),
        ("https://example.com/\na", "no address can hold"),
        ("https://exam\tple.com/", "no address can hold"),
        ("https://example.com/\ud800", "no address can hold"),
        ("https://\u2024.example/", "."),
        ("document:", "own document"),
        ("document:../x", "own document"),
    ],
)
def test_an_unusable_address_says_why(url: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        canonical_url(url)


@pytest.mark.parametrize(
    ("url", "name", "domain"),
    [
        ("https://www.BBC.co.uk:8443/news", "www.bbc.co.uk", "bbc.co.uk"),
        ("https://arxiv.org@evil.com/", "evil.com", "evil.com"),
        ("https://user.github.io/x", "user.github.io", "user.github.io"),
        ("https://a.b.example.com", "a.b.example.com", "example.com"),
        ("https://www.gov.uk/", "www.gov.uk", "www.gov.uk"),
        ("https://gov.uk/", "gov.uk", "gov.uk"),
        ("https://localhost/", "localhost", "localhost"),
        ("http://192.0.2.7/", "192.0.2.7", "192.0.2.7"),
        ("http://[2001:db8::1]/", "2001:db8::1", "2001:db8::1"),
        ("https://www.münchen.de/", "www.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("document:0a1b", "", ""),
    ],
)
def test_host_and_registered_domain(url: str, name: str, domain: str) -> None:
    assert find_host(url) == name
    assert registered_domain(url) == domain


@pytest.mark.parametrize("read", [find_host, registered_domain])
def test_an_unusable_address_has_no_host(read: object) -> None:
    assert callable(read)
    with pytest.raises(ValueError, match="not a web address"):
        read("nature.com/article")


@pytest.mark.parametrize(
    ("name", "domain", "is_under"),
    [
        ("x.com", "x.com", True),
        ("mobile.x.com", "x.com", True),
        ("netflix.com", "x.com", False),
        ("x.com.evil.com", "x.com", False),
        ("conscience.org", "science.org", False),
        ("mit.edu", "edu", True),
        ("edu", "edu", True),
        ("", "com", False),
    ],
)
def test_under_counts_whole_labels(name: str, domain: str, is_under: bool) -> None:
    assert is_under_domain(name, domain) is is_under


@pytest.mark.parametrize(
    ("url", "own"),
    [("document:ab", True), ("https://document.example/", False), ("Document:ab", False)],
)
def test_own_documents(url: str, own: bool) -> None:
    assert is_own_document(url) is own


URLS = st.builds(
    "{}://{}{}{}/{}?{}#{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["", "user@", "a:b@"]),
    st.sampled_from(["example.com", "EXAMPLE.com.", "bücher.example", "192.0.2.1", "[::1]"]),
    st.sampled_from(["", ":80", ":443", ":8080"]),
    st.text(st.characters(exclude_characters="?#")),
    st.text(st.characters(exclude_characters="#")),
    st.text(),
)


@given(URLS | st.text() | st.text(st.sampled_from("htps:/.@[]\\%#?&=a1 \n")))
def test_canonical_is_stable_or_a_value_error(url: str) -> None:
    try:
        one = canonical_url(url)
    except ValueError:
        return
    assert canonical_url(one) == one
    assert one.isascii()
    assert not any(c.isspace() for c in one)
    assert "#" not in one
    if not is_own_document(one):
        assert find_host(one) == find_host(url)
        assert urlsplit(one).username is None


@given(st.ip_addresses(v=6).map(IPv6Address))
def test_an_ipv6_address_has_one_spelling(address: IPv6Address) -> None:
    assert canonical_url(f"http://[{address.exploded}]/") == f"http://[{address.compressed}]/"


def test_shared_addresses_agree_with_the_browsers() -> None:
    """Where we accept an address that the WHATWG cases know, host and port are theirs; real
    addresses are all accepted.
    """
    if not SHARED.exists():
        pytest.skip("The shared address lists are not in this checkout.")
    cases = [
        case
        for case in json.loads((SHARED / "whatwg_urltestdata.json").read_text())
        if isinstance(case, dict) and case.get("base") is None
    ]
    agreed = 0
    for case in cases:
        try:
            ours = urlsplit(canonical_url(case["input"]))
        except ValueError:
            continue
        if (
            "xn--" not in case["input"].lower()
        ):  # whether an A-label decodes is the resolver's question
            assert not case.get("failure"), case["input"]
            assert (ours.hostname, str(ours.port or "")) == (
                case["hostname"].strip("[]").removesuffix("."),
                case["port"],
            ), case["input"]
            agreed += 1
    assert agreed > 50
    for url in (SHARED / "benign_urls.txt").read_text().split():
        assert registered_domain(canonical_url(url))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("https://doi.org/10.1038/nature12373", "10.1038/nature12373"),
        ("http://dx.doi.org/10.1000/182", "10.1000/182"),
        ("doi:10.1000/182", "10.1000/182"),
        ("10.1000/182", "10.1000/182"),
        ("https://arxiv.org/abs/1706.03762", "10.48550/arXiv.1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v5.pdf", "10.48550/arXiv.1706.03762"),
        ("https://arxiv.org/abs/hep-th/9901001", "10.48550/arXiv.hep-th/9901001"),
        ("https://arxiv.org/list/cs.CL/recent", ""),
        (
            "https://onlinelibrary.example.com/doi/full/10.1002/adma.201900001",
            "10.1002/adma.201900001",
        ),
        (
            "https://www.frontiersin.example/articles/10.3389/fpsyg.2013.00863/full",
            "10.3389/fpsyg.2013.00863",
        ),
        (
            "https://journals.example.org/plosone/article?id=10.1371/journal.pone.0000001",
            "10.1371/journal.pone.0000001",
        ),
        (
            "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v1.full",
            "10.1101/2020.01.01.123456",
        ),
        ("https://example.org/10.10/x", ""),
        ("https://example.org/page", ""),
        ("http://[x", ""),
        ("", ""),
    ],
)
def test_doi_is_read_off_the_address(text: str, bare: str) -> None:
    assert find_doi(text) == bare


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("10.1000/a" + ")" * 300_000, "10.1000/a"),
        ("10.1000/(a)" + ")." * 100_000, "10.1000/(a)"),
        ("10.1000/[a]" + "]}" * 100_000, "10.1000/[a]"),
        ("10.1000/a" + "(" * 1_000 + ")" * 200_000, "10.1000/a" + "(" * 1_000 + ")" * 1_000),
        ("10.1000/a" + "'’*_/" * 50_000, "10.1000/a"),
    ],
    ids=["brackets", "brackets and dots", "several brackets", "nested brackets", "marks"],
)
def test_what_stands_behind_a_doi_takes_the_time_of_its_length(text: str, bare: str) -> None:
    with check_cpu_time(3.0):
        assert find_doi(text) == bare


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.who.int/", True),
        ("https://b.co.uk/x", True),
        ("http://wiki.local/", False),
        ("http://intranet/", False),
        ("http://127.0.0.1/", False),
        ("document:abc", False),
        ("https://-.int/", False),
        ("https://a..org/", False),
        ("ftp://who.int/", False),
        ("who.int", False),
    ],
)
def test_a_public_suffix_is_that_of_a_valid_host(url: str, expected: bool) -> None:
    assert has_public_suffix(url) is expected
