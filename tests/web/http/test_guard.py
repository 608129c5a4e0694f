"""Addresses as text: what is public, what is refused unasked, and the payload lists other people
collected.
"""

from __future__ import annotations

import json
import os
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.web.http.guard import (
    Origin,
    check_page_address,
    is_metadata,
    is_metadata_name,
    is_public,
    read_address,
    read_target,
)
from tests.local_web import get

SHARED = (
    Path(os.environ.get("ASSAY_SHARED") or Path(__file__).parents[4] / "shared")
    / "data"
    / "adversarial"
    / "ssrf"
)

PUBLIC = "8.8.8.8 1.1.1.1 93.184.216.34 172.32.0.1 100.63.255.255 192.0.1.1 2606:4700::1111 2a00:1450:4001:80b::200e".split()
PUBLIC_INSIDE = "::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2001:0:808:808::f7f7:f7f7".split()
PRIVATE = (
    "127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 172.16.0.1 172.31.255.255 192.168.1.1 192.0.0.1 192.0.2.1 192.88.99.1 "
    "198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 ::1 :: fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 "
    "2001:db8::1 2001:10::1 3fff::1 100::1 5f00::1 ::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b:1::a00:1"
).split()
PRIVATE_INSIDE = "::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 2002:7f00:1:: 2002:a00:1::1".split()
# Teredo carries two: server 8.8.8.8 with client 127.0.0.1, and server 10.0.0.1 with client 8.8.8.8
# (clients are stored inverted).
PRIVATE_TEREDO = "2001:0:808:808::80ff:fffe 2001:0:a00:1::f7f7:f7f7".split()
CLOUDS = (
    "169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 168.63.129.16 fd00:ec2::254 fd20:ce::254 fe80::a9fe:a9fe "
    "fd00:ec2::23 fd00:42::42 fd00:a9fe:a9fe::1 fd00:c1::a9fe:a9fe 100.96.0.96 169.254.42.42 169.254.170.23 "
    "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1 ::ffff:168.63.129.16"
).split()


@pytest.mark.parametrize("address", PUBLIC + PUBLIC_INSIDE)
def test_public(address):
    assert is_public(ip_address(address))
    assert not is_metadata(ip_address(address))


@pytest.mark.parametrize("address", PRIVATE + PRIVATE_INSIDE + PRIVATE_TEREDO + CLOUDS)
def test_not_public(address):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", CLOUDS)
def test_metadata(address):
    assert is_metadata(ip_address(address))


@given(st.ip_addresses(v=4))
def test_an_address_is_as_public_as_what_it_carries(address):
    number = int(address)
    carriers = [
        f"::ffff:{address}",
        ip_address((0x64FF9B << 96) | number),
        ip_address((0x2002 << 112) | (number << 80) | 1),
    ]
    assert {is_public(ip_address(str(carrier))) for carrier in carriers} == {is_public(address)}


@given(st.ip_addresses())
def test_never_more_public_than_the_standard_library_says(address):
    # The other way round our list is stricter: multicast, 6to4 relays, unassigned parts of IPv6.
    if is_public(address) and address.version == 4:
        assert address.is_global


TARGETS = {
    "http://Example.ORG": ("http://example.org/", Origin("http", "example.org", 80)),
    "  https://example.org./a b?q=ä#f ": (
        "https://example.org./a%20b?q=%C3%A4#f",
        Origin("https", "example.org", 443),
    ),
    "http://bücher.example:8080/": (
        "http://xn--bcher-kva.example:8080/",
        Origin("http", "xn--bcher-kva.example", 8080),
    ),
    "http://[::FFFF:7f00:1]/": ("http://[::ffff:7f00:1]/", Origin("http", "::ffff:7f00:1", 80)),
    "http://1.1.1.1\\@2.2.2.2/": ("http://1.1.1.1/%5C@2.2.2.2/", Origin("http", "1.1.1.1", 80)),
}


@pytest.mark.parametrize("url", TARGETS)
def test_what_is_judged_is_what_will_be_asked(url):
    target = read_target(url)
    assert (target.url, target.origin) == TARGETS[url]
    assert read_target(target.url) == target


def test_parameters_cannot_move_the_host():
    target = read_target("http://example.org/a", {"q": "@10.0.0.1/#", "x": "é"})
    assert target.origin == Origin("http", "example.org", 80)
    assert target.url == "http://example.org/a?q=%4010.0.0.1%2F%23&x=%C3%A9"


UNREADABLE = {
    "file:///etc/passwd": "unsupported",
    "gopher://example.org/": "unsupported",
    "ftp://example.org/": "unsupported",
    "jar:http://example.org!/": "unsupported",
    "data:text/html,x": "unsupported",
    "ht\ttp://example.org": "unsupported",
    "example.org": "unsupported",
    "": "unsupported",
    "http:": "validation",
    "http://": "validation",
    "http:127.0.0.1/": "validation",
    "http://user@example.org/": "validation",
    "http://user:pass@example.org/": "validation",
    "http://:@example.org/": "validation",
    "http://a&@b#@c/": "validation",
    "http://①②⑦.0.0.1/": "validation",
    "http://169。254。169。254/": "validation",
    "http://exa mple.org/": "validation",
    "http://127.0.0.1%2f@example.org": "validation",
    "http://example.org%00.example.com/": "validation",
    "http://[fe80::1%25eth0]/": "validation",
    "http://[::1": "validation",
    "http://a..b/": "validation",
    "http://${NAME}/": "validation",
    "http://example.org:99999/": "validation",
    "http://\ud800.example/": "validation",
}


@pytest.mark.parametrize("url", UNREADABLE)
def test_unreadable(url):
    with pytest.raises(FetchError) as caught:
        read_target(url)
    assert caught.value.kind == UNREADABLE[url]


@pytest.mark.parametrize(
    "host", ["127.1", "0177.0.0.1", "0x7f.1", "0x7f000001", "2130706433", "0", "017700000001"]
)
def test_numbers_are_addresses(host):
    address = read_address(host)
    assert address is not None
    assert not is_public(address)


@pytest.mark.parametrize(
    "host", ["256.1.1.1", "1.2.3.4.5", "08.1.1.1", "example.1", "4294967296", "0x", "1::2::3"]
)
def test_what_ends_in_a_number_and_is_no_address_is_refused(host):
    with pytest.raises(FetchError, match="not a valid host"):
        read_address(host)


ADMITTED = [
    "http://example.org",
    "https://example.org",
    "http://example.org:8080",
    "https://example.org:8443",
    "http://8.8.8.8",
    "http://1.0x5",
]
REFUSED = {
    "http://example.org:22": "port 22",
    "http://example.org:6379": "port 6379",
    "http://intranet": "private network",
    "http://localhost": "private network",
    "http://db.localhost": "private network",
    "http://printer.local": "private network",
    "http://metadata.google.internal": "private network",
    "http://nas.home.arpa.": "private network",
    "http://10.0.0.1": "not a public address",
    "https://search.example.org": "a service this installation uses",
    "https://SEARCH.example.org.:443/page": "a service this installation uses",
}


@pytest.mark.parametrize("url", ADMITTED)
def test_admitted(url):
    check_page_address(read_target(url).origin, frozenset())


@pytest.mark.parametrize("url", REFUSED)
def test_refused_with_the_reason(url):
    endpoints = frozenset({Origin("https", "search.example.org", 443)})
    with pytest.raises(FetchError, match=REFUSED[url]) as caught:
        check_page_address(read_target(url).origin, endpoints)
    assert caught.value.kind == "validation"


#: Names of metadata services, and how else they can be spelt.
METADATA_HOSTS = [
    "metadata.tencentyun.com", "METADATA.TencentYun.com", "metadata.tencentyun.com.",
    "metadata.packet.net", "metadata.platformequinix.com", "v1.metadata.packet.net", "metadata.goog",
    "api.metadata.cloud.ibm.com", "api.service.softlayer.com", "metadata.azure.com",
    "instance-data.eu-west-1.amazonaws.com", "metadata.hetzner.cloud", "metadata.digitalocean.com",
    "metadata.aliyuncs.com", "metadata.oraclecloud.com", "metadata.exoscale.com",
]  # fmt: skip


@pytest.mark.parametrize("host", METADATA_HOSTS)
@pytest.mark.parametrize("rest", ["", ":8080/latest/meta-data/"])
def test_metadata_services_are_refused_by_name(host, rest):
    with pytest.raises(FetchError, match="metadata service") as caught:
        check_page_address(read_target(f"http://{host}{rest}").origin, frozenset())
    assert caught.value.kind == "validation"


@pytest.mark.parametrize(
    "host",
    ["metadata.google.internal", "METADATA.Google.Internal.", "instance-data.ec2.internal",
     "metadata.azure.internal", "v1.metadata.google.internal", "metadata.tencentyun.com"],
)  # fmt: skip
def test_a_metadata_service_is_known_by_name_also_as_an_endpoint(host):
    assert is_metadata_name(host)


@pytest.mark.parametrize(
    "host", ["metadata.search.internal", "google.internal", "docs.ec2.internal"]
)
def test_other_names_inside_may_be_endpoints(host):
    assert not is_metadata_name(host)


@pytest.mark.parametrize(
    "host",
    [
        "metadata", "metadata.", "METADATA.Google.Internal.", "metadata.google.internal",
        "instance-data", "instance-data.ec2.internal", "metadata.azure.internal",
        "rancher-metadata", "data-server", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
        "[fd00:ec2::254]", "[FD00:EC2:0:0::254]", "168.63.129.16", "0xa8.0x3f.0x81.0x10",
        "169.254.169.254", "2852039166", "0251.0376.0251.0376", "100.100.100.200", "1684300744",
        "192.0.0.192", "[::ffff:169.254.169.254]",
    ],
)  # fmt: skip
def test_metadata_services_are_refused_as_inside_or_not_public(host):
    with pytest.raises(FetchError, match=r"private network|not a public address"):
        check_page_address(read_target(f"http://{host}/").origin, frozenset())


@pytest.mark.parametrize(
    "host",
    [
        "\uff4detadata.tencentyun.com", "metadata\u3002tencentyun\uff0ecom", "meta\u00addata.packet.net",
        "metadata%2etencentyun.com", "metadata.tencentyun.com..", "\uff11\uff16\uff19.254.169.254",
    ],
)  # fmt: skip
def test_names_that_only_a_resolver_would_fold_are_refused(host):
    assert not admitted(f"http://{host}/")


@pytest.mark.parametrize(
    "host",
    ["metadata.example.org", "metadatatencentyun.com", "tencentyun.com", "www.ibm.com", "metadata.un.org",
     "docs.aws.amazon.com", "metadata-standards.org", "packet.net", "cloud.google.com"],
)  # fmt: skip
def test_pages_about_metadata_and_of_clouds_stay_open(host):
    check_page_address(read_target(f"https://{host}/metadata").origin, frozenset())


HOSTILE = st.text(
    alphabet=st.sampled_from("ht:/\\@#?[].%0123x7faeé①。\t\n 中"), max_size=40
) | st.text(max_size=40)


@given(HOSTILE.map("http://{}".format) | HOSTILE)
def test_any_text_is_read_the_same_way_twice_or_refused(text):
    try:
        target = read_target(text)
    except FetchError:
        return
    assert read_target(target.url) == target
    assert target.url.isascii()


# ---------------------------------------------------------------- other people's lists


def shared(name: str) -> str:
    if not (SHARED / name).exists():
        pytest.skip(
            f"{name} is not here; set ASSAY_SHARED to the folder that holds data/adversarial."
        )
    return (SHARED / name).read_text("utf-8")


def admitted(url: str) -> bool:
    try:
        check_page_address(read_target(url).origin, frozenset())
    except FetchError:
        return False
    return True


def payloads() -> list[dict[str, str]]:
    return [json.loads(line) for line in shared("urls.jsonl").splitlines()]


def test_every_collected_payload_that_text_can_tell_is_refused():
    through = [
        row["url"]
        for row in payloads()
        if row["class"] != "needs-dns-or-redirect" and admitted(row["url"])
    ]
    assert through == []


def test_every_other_payload_is_refused_once_its_name_leads_inside(client, internet):
    urls = [row["url"] for row in payloads() if admitted(row["url"])]
    internet.names.update(
        {read_target(url).origin.host: [[PUBLIC_INSIDE[0], "169.254.169.254"]] for url in urls}
    )
    for url in urls:
        with pytest.raises(FetchError, match=r"leads to 169\.254\.169\.254"):
            get(client, url)
    assert internet.dialled == []


def test_ordinary_addresses_are_admitted():
    assert [url for url in shared("benign_urls.txt").split() if not admitted(url)] == []


def test_odd_addresses_are_refused_or_public():
    """The cases of the URL standard, valid and not: none raises another error, none that is
    admitted is a private address.
    """
    cases = [
        case["input"]
        for case in json.loads(shared("whatwg_urltestdata.json"))
        if isinstance(case, dict)
    ]
    assert len(cases) > 500
    hosts = [read_target(url).origin.host for url in cases if admitted(url)]
    assert all(address is None or is_public(address) for address in map(read_address, hosts))
