"""Decide which addresses Assay may reach, without opening sockets or resolving names.

A page address is checked twice: as text before each hop (`read_target`, `check_page_address`), and
by `is_public` on every address its name resolves to, when `connection.py` connects.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from requests import PreparedRequest

from research_core.errors import FetchError
from research_core.urls import is_under_domain

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

#: Ports of public web servers; other ports belong to services not meant for browsers.
PORTS = frozenset({80, 443, 8080, 8443})
DEFAULT_PORTS = {"http": 80, "https": 443}

#: Names of this machine or network, whatever a resolver answers; so is a name without a dot.
INTERNAL_NAMES = (
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "svc",
)
#: Domains of clouds; a name under them with one of the labels is one of their metadata services.
CLOUD_DOMAINS = (
    "alibabacloud.com", "aliyun.com", "aliyuncs.com", "amazonaws.com", "amazonaws.com.cn", "aws",
    "azure.com", "azure.internal", "azure.net", "baidubce.com", "cherryservers.com",
    "cloud.ibm.com", "digitalocean.com", "ec2.internal", "equinix.com", "exoscale.com", "goog",
    "google.internal", "googleapis.com", "hetzner.cloud", "hetzner.com", "huaweicloud.com",
    "ibm.com", "linode.com", "myhuaweicloud.com", "openstack.org", "oraclecloud.com",
    "oraclevcn.com", "ovh.net", "packet.net", "platformequinix.com", "scaleway.com",
    "softlayer.com", "tencent.com", "tencentcloudapi.com", "tencentyun.com", "upcloud.com",
    "volces.com", "vultr.com", "windows.net", "yandexcloud.net",
)  # fmt: skip
METADATA_LABELS = frozenset({"instance-data", "instance-metadata", "metadata"})
#: Metadata services with names of another form.
METADATA_NAMES = ("api.service.softlayer.com", "metadata.goog")


def _parse_networks(text: str) -> tuple[Network, ...]:
    return tuple(ip_network(word) for word in text.split())


# Written out from the IANA special-purpose registries: `ipaddress.is_global` answers differently
# from one patch of Python to the next.
NOT_PUBLIC_4 = _parse_networks(
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24"
    " 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24"
    " 224.0.0.0/4 240.0.0.0/4"
)
PUBLIC_6 = ip_network("2000::/3")
NOT_PUBLIC_6 = _parse_networks("2001::/23 2001:db8::/32 2002::/16 3fff::/20")
NAT64 = ip_network("64:ff9b::/96")
#: Metadata services of clouds, which hand out credentials; some are in public ranges. Closed to
#: configured endpoints too.
METADATA = _parse_networks(
    "169.254.0.0/16 100.100.100.200/32 100.96.0.96/32 192.0.0.192/32 168.63.129.16/32 fe80::/10"
    " fd00:ec2::/32 fd20:ce::254/128 fd00:42::42/128 fd00:a9fe:a9fe::/48 fd00:c1::a9fe:a9fe/128"
)


def unwrap_address(address: Address) -> tuple[Address, ...]:
    """Return the addresses a packet really ends at.

    Those are the IPv4 addresses inside a mapped, 6to4, Teredo or NAT64 address, else the address
    itself.
    """
    if isinstance(address, IPv4Address):
        return (address,)
    if address in NAT64:
        return (IPv4Address(int(address) & 0xFFFFFFFF),)
    if inner := address.ipv4_mapped or address.sixtofour:
        return (inner,)
    return address.teredo or (address,)


def is_metadata(address: Address) -> bool:
    return any(inner in network for inner in unwrap_address(address) for network in METADATA)


def is_metadata_name(host: str) -> bool:
    """Return whether a host name is that of a cloud's metadata service, whatever it resolves to."""
    name = host.lower().rstrip(".")
    if any(is_under_domain(name, known) for known in METADATA_NAMES):
        return True
    if METADATA_LABELS.isdisjoint(name.split(".")):
        return False
    return any(is_under_domain(name, domain) for domain in CLOUD_DOMAINS)


def is_public(address: Address) -> bool:
    """Return True if the address, and any inside it, is routed publicly and no metadata service."""
    return not is_metadata(address) and all(_is_routed(inner) for inner in unwrap_address(address))


def _is_routed(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    return address in PUBLIC_6 and not any(address in network for network in NOT_PUBLIC_6)


@dataclass(frozen=True)
class Origin:
    """The endpoint of a connection.

    scheme: http or https; host: lower case, without brackets and closing dot.
    """

    scheme: str
    host: str
    port: int


@dataclass(frozen=True)
class Target:
    """An address exactly as it will be requested: percent-encoded, with ASCII host names."""

    url: str
    origin: Origin


def make_refusal_error(reason: str, *, ours: bool = False) -> FetchError:
    """Return the error for a refused address. ours: a setting of this installation forbids it."""
    return FetchError(f"Address refused: {reason}.", kind="validation", ours=ours)


def make_metadata_error(host: str) -> FetchError:
    return make_refusal_error(f"{host} is a name of a cloud's metadata service")


_HOST = r"(?:\[(?P<literal>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)"
_URL = re.compile(
    rf"(?P<scheme>https?)://{_HOST}(?::(?P<port>[0-9]{{1,5}}))?(?:[/?#].*)?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_NUMERIC_HOST = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


def read_target(url: str, params: Mapping[str, str] | None = None) -> Target:
    """Parse an address exactly as requests will send it, so that what is checked is what is sent.

    Raises FetchError: `unsupported` for schemes other than http and https, `validation` for user
    names, passwords and invalid hosts.
    """
    scheme = url.strip().partition(":")[0].lower()
    if scheme not in DEFAULT_PORTS:
        raise FetchError("Only http and https addresses can be read.", kind="unsupported")
    prepared = PreparedRequest()
    try:
        prepared.prepare_url(url.strip(), dict(params or {}))
    except ValueError:  # requests' InvalidURL and urllib3's LocationParseError are kinds of it
        raise make_refusal_error("it is not a valid web address") from None
    match = _URL.fullmatch(prepared.url or "")
    if match is None:
        raise make_refusal_error("it carries a user name, or its host is not a valid name")
    host = (match["literal"] or match["name"]).lower()
    return Target(match.string, Origin(scheme, host, int(match["port"] or DEFAULT_PORTS[scheme])))


def read_address(host: str) -> Address | None:
    """Return the IP address a host denotes, or None if it is a name.

    Accepts every form connect() would (127.1, 0x7f000001, 2130706433). Raises FetchError
    (validation).
    """
    try:
        if ":" in host:
            return ip_address(host)
        if _NUMERIC_HOST.fullmatch(host.rpartition(".")[2]):
            return IPv4Address(socket.inet_aton(host))
    except (ValueError, OSError):
        raise make_refusal_error(f"{host} is not a valid host") from None
    return None


def check_page_address(
    origin: Origin, endpoints: frozenset[Origin], domains: tuple[str, ...] = ()
) -> None:
    """Check a page address as far as its text allows. Raises FetchError (`validation`).

    domains: the only ones pages may be read from, with their subdomains; () for all.
    """
    if origin in endpoints:
        raise make_refusal_error(
            f"{origin.host}:{origin.port} is a service this installation uses, not a page",
            ours=True,
        )
    if origin.port not in PORTS:
        raise make_refusal_error(f"port {origin.port} is not one that web pages use")
    address = read_address(origin.host)
    if address is None and (
        "." not in origin.host or origin.host.endswith(tuple(f".{name}" for name in INTERNAL_NAMES))
    ):
        raise make_refusal_error(f"{origin.host} is a name inside a private network")
    if address is None and is_metadata_name(origin.host):
        raise make_metadata_error(origin.host)
    if address is not None and not is_public(address):
        raise make_refusal_error(f"{origin.host} is not a public address")
    if domains and not any(is_under_domain(origin.host, domain) for domain in domains):
        raise make_refusal_error(
            f"{origin.host} is not among the domains this installation may read (ALLOWED_DOMAINS)",
            ours=True,
        )
