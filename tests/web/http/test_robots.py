"""robots.txt: which rules are ours, which of them counts, and that no bytes upset the reader."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.settings import Settings
from research_core.web.http.client import USER_AGENT
from research_core.web.http.robots import LIMIT, TOKEN, Rules, read_robots
from tests.timing import check_cpu_time


def allows(robots: str, path: str) -> bool:
    return read_robots(robots.encode()).allows(path)


def test_our_name_is_the_one_we_give() -> None:
    assert USER_AGENT.startswith(f"{TOKEN}/")
    assert Settings.from_env({}).user_agent.startswith(f"{TOKEN}/")


ALL = "User-agent: *\nDisallow: /\n"
GROUPS = {
    "nothing": ("", True),
    "everybody": (ALL, False),
    "another": ("User-agent: OtherBot\nDisallow: /", True),
    "us": ("User-agent: researchagent\nDisallow: /", False),
    "us, with a version": ("User-agent: ResearchAgent/2.0\nDisallow: /", False),
    "a longer name than ours": ("User-agent: ResearchAgentX\nDisallow: /", True),
    "a part of our name": ("User-agent: Research\nDisallow: /", True),
    "we rather than everybody": (f"{ALL}\nUser-agent: ResearchAgent\nDisallow: /private", True),
    "we rather than everybody, the other way round": (
        f"User-agent: ResearchAgent\nAllow: /\n\n{ALL}",
        True,
    ),
    "we may read all": (f"User-agent: ResearchAgent\nDisallow:\n\n{ALL}", True),
    "several names": ("User-agent: OtherBot\nUser-agent: ResearchAgent\nDisallow: /", False),
    "several names with a line between": (
        "User-agent: OtherBot\n\nUser-agent: ResearchAgent\nDisallow: /",
        False,
    ),
    "rules end a list of names": (
        "User-agent: ResearchAgent\nAllow: /x\nUser-agent: OtherBot\nDisallow: /",
        True,
    ),
    "so does a delay": ("User-agent: *\nCrawl-delay: 9\nUser-agent: OtherBot\nDisallow: /", True),
    "a sitemap does not": (
        "User-agent: ResearchAgent\nSitemap: https://x/s.xml\nUser-agent: OtherBot\nDisallow: /",
        False,
    ),
    "groups of one name are one": (
        "User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /page",
        False,
    ),
    "rules before any name": ("Disallow: /\nUser-agent: *\nAllow: /", True),
    "comments and spaces": ("  # all\n\tUSER-AGENT : * # us\n  disallow\t:  /   # pages", False),
    "a byte order mark": ("\ufeff" + ALL, False),
    "lines of old Macs": (ALL.replace("\n", "\r"), False),
    "lines of Windows": (ALL.replace("\n", "\r\n"), False),
    "a line separator that is none": ("User-agent: *\u2028Disallow: /", True),
    "a page in its place": (
        "<!doctype html><html><p>User-agent: *</p><p>Disallow: /</p></html>",
        True,
    ),
    "an unknown word": ("User-agent: *\nNoindex: /page\nDisalow: /page", True),
}


@pytest.mark.parametrize("name", GROUPS)
def test_which_group_is_meant_for_us(name: str) -> None:
    robots, allowed = GROUPS[name]
    assert allows(robots, "/page") is allowed


#: rule, path, whether the rule fits. The first ones are the tables of RFC 9309 and of Google's
#: documentation.
FITS = [
    ("/", "/any", True),
    ("/*", "/any", True),
    ("/fish", "/fish.html", True),
    ("/fish", "/fishheads/yummy.html", True),
    ("/fish", "/Fish.asp", False),
    ("/fish", "/catfish", False),
    ("/fish*", "/fish.php?id=anything", True),
    ("/fish/", "/fish", False),
    ("/fish/", "/fish/?id=1", True),
    ("/*.php", "/folder/filename.php?parameters", True),
    ("/*.php", "/windows.PHP", False),
    ("/*.php$", "/folder/filename.php", True),
    ("/*.php$", "/filename.php?parameters", False),
    ("/*.php$", "/filename.php/", False),
    ("/*.php$", "/filename.php5", False),
    ("/fish*.php", "/fishheads/catfish.php?parameters", True),
    ("/fish*.php", "/Fish.PHP", False),
    ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
    ("/path/file-with-a-%2A.html", "/path/file-with-a-b.html", False),
    ("/path/foo-%24", "/path/foo-$", True),
    ("/path/foo-%24", "/path/foo-$bar", True),
    (
        "/foo/bar?baz=https://foo.bar",
        "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
        False,
    ),  # a reserved sign and its escape are two things
    ("/foo/bar/U+E38384", "/foo/bar/%E3%83%84", False),
    ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
    ("/foo/bar/%E3%83%84", "/foo/bar/ツ", True),
    ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
    ("/%7ejoe", "/~joe/index.html", True),
    ("/a%3cd.html", "/a%3Cd.html", True),
    ("/a%2fb", "/a/b", False),
    ("/$", "/", True),
    ("/$", "/page", False),
    ("/a$b", "/a$b", True),
    ("/a$b", "/a", False),
    ("/*$", "/anything", True),
    ("*", "/anything", True),
    ("*/private", "/a/private", True),
    ("/a*a", "/a", False),
    ("/a*a", "/aa", True),
    ("/a*a$", "/aba", True),
    ("/a*ba$", "/aba", True),
    (
        "/ab*ba$",
        "/aba",
        False,
    ),  # what stands before an asterisk and what stands behind it do not share a letter
    ("/**", "/x", True),
    ("page", "/page", False),
    ("?q=", "/page?q=", False),
    ("/*?q=", "/page?q=x", True),
]


@pytest.mark.parametrize(("rule", "path", "fits"), FITS)
def test_which_paths_a_rule_fits(rule: str, path: str, fits: bool) -> None:
    assert allows(f"User-agent: *\nDisallow: {rule}", path) is not fits
    assert (
        allows(f"User-agent: *\nDisallow: /\nDisallow: *\nAllow: {rule}****", path) is fits
        or "$" in rule
    )


LONGEST = [
    ("Allow: /p\nDisallow: /", "/page", True),
    ("Disallow: /\nAllow: /p", "/page", True),
    ("Allow: /folder\nDisallow: /folder", "/folder/page", True),
    ("Disallow: /folder\nAllow: /folder", "/folder/page", True),
    ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
    ("Allow: /page\nDisallow: /*.ph", "/page.php5", True),
    ("Allow: /$\nDisallow: /", "/", True),
    ("Allow: /$\nDisallow: /", "/page.htm", False),
    ("Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c", "/a/b/c/d", False),
    ("Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c", "/a/b/x", True),
    ("Disallow:\nAllow:", "/page", True),
    ("Disallow: /", "/robots.txt", True),
]


@pytest.mark.parametrize(("rules", "path", "allowed"), LONGEST)
def test_the_longest_rule_counts_and_of_two_the_friendlier(
    rules: str, path: str, allowed: bool
) -> None:
    assert allows(f"User-agent: *\n{rules}", path) is allowed


#: What Protego decides otherwise than the RFC does to the letter: rules, path, whether it may be
#: read.
OTHERWISE = [
    ("Disallow: /page$", "/page$more", False),  # a dollar at the end is also read as itself
    (
        "Disallow: /\nAllow: /index.html",
        "/",
        True,
    ),  # who allows the file of a folder allows the folder
    (
        "Disallow: /a:b",
        "/a%3Ab",
        False,
    ),  # a reserved sign and its escape are one, but for the slash
    ("Disallow: /%E9", "/%E8", False),  # escapes that are not UTF-8 are all the same
]


@pytest.mark.parametrize(("rules", "path", "allowed"), OTHERWISE)
def test_what_the_library_decides_otherwise(rules: str, path: str, allowed: bool) -> None:
    assert allows(f"User-agent: *\n{rules}", path) is allowed


@pytest.mark.parametrize(
    ("robots", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 10\nDisallow:", 10.0),
        ("User-agent: *\nCrawl-Delay: 0.5", 0.5),
        (
            "User-agent: ResearchAgent\nCrawl-delay: 1\nCrawl-delay: 3\nUser-agent: *\nCrawl-delay: 30",
            3.0,
        ),
        ("User-agent: *\nCrawl-delay: soon", None),
        ("User-agent: *\nCrawl-delay: nan", None),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: *\nCrawl-delay: ٣", None),
        ("User-agent: *\nCrawl-delay: 99999999999999", None),
        ("User-agent: OtherBot\nCrawl-delay: 10", None),
        ("Crawl-delay: 10", None),
    ],
)
def test_the_pace_a_site_asks_for(robots: str, delay: float | None) -> None:
    assert read_robots(robots.encode()).delay_s == delay


def test_so_much_of_a_file_is_read_and_no_rule_is_cut_in_two() -> None:
    head = b"User-agent: *\nDisallow: /private\n"
    line = b"Disallow: /" + b"x" * 50 + b"/\n"
    body = (head + line * (LIMIT // len(line) + 1))[
        : LIMIT - 12
    ] + b"\nDisallow: /public/but/not/this\n"
    assert len(body) > LIMIT
    rules = read_robots(body)
    assert (rules.allows("/private"), rules.allows("/public")) == (False, True)
    assert read_robots(body[: LIMIT - 5]).allows("/public/but")


# ---------------------------------------------------------------- whatever comes

PIECES = st.sampled_from(
    [
        "/",
        "a",
        "b",
        "*",
        "$",
        "%",
        "%2A",
        "%2f",
        "%41",
        "?",
        "ツ",
        ".",
        "é",
        " ",
        "#",
        "//",
        "%3a",
        ":",
        "=",
    ]
)
PATHS = st.lists(PIECES, max_size=12).map(
    lambda parts: "/" + "".join(parts).replace("#", "").replace(" ", "")
)
PATTERNS = st.lists(PIECES, max_size=8).map(
    lambda parts: "/" + "".join(parts).replace("#", "").replace(" ", "")
)


def normal(text: str) -> str:
    """The oracle's own way: bytes first, then one spelling of each."""
    out = ""
    for token in re.findall(r"%[0-9A-Fa-f]{2}|.", text, re.DOTALL):
        byte = bytes([int(token[1:], 16)]) if len(token) == 3 and token[0] == "%" else b""
        if byte and re.fullmatch(rb"[A-Za-z0-9._~=-]", byte):
            out += byte.decode()
        elif byte:
            out += token.upper()
        else:
            out += (
                token
                if re.fullmatch(r"[A-Za-z0-9._~=/%*-]", token)
                else "".join(f"%{b:02X}" for b in token.encode())
            )
    return out


def expected(rules: list[tuple[bool, str]], path: str) -> bool:
    """By regular expressions, as the RFC words it; a dollar at the end also stands for itself."""
    path = normal(path).replace("*", "%2A")
    best = (-1, True)
    for allow, rule in [
        *rules,
        *((allow, f"{rule[:-1]}%24") for allow, rule in rules if rule.endswith("$")),
    ]:
        end = rule.endswith("$")
        pattern = re.sub(r"\*+", "*", normal(rule[:-1] if end else rule))
        regex = "".join(".*" if sign == "*" else re.escape(sign) for sign in pattern) + (
            r"\Z" if end else ""
        )
        if re.match(regex, path, re.DOTALL):
            best = max(best, (len(pattern) + end, allow))
    return best[1]


@given(rules=st.lists(st.tuples(st.booleans(), PATTERNS), max_size=6), path=PATHS)
@example(rules=[(False, "/a*ab$")], path="/aab")
@example(rules=[(False, "/*a*a$"), (True, "/a")], path="/aa")
def test_it_agrees_with_regular_expressions(rules: list[tuple[bool, str]], path: str) -> None:
    text = "User-agent: *\n" + "".join(
        f"{'Allow' if allow else 'Disallow'}: {rule}\n" for allow, rule in rules
    )
    assert allows(text, path) is (path == "/robots.txt" or expected(rules, path))


@given(
    body=st.binary(max_size=2000)
    | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")),
    path=st.text(max_size=50),
)
def test_no_bytes_upset_it(body: bytes, path: str) -> None:
    rules = read_robots(b"User-agent: *\n" + body)
    assert isinstance(rules, Rules)
    assert rules.allows(path) in (True, False)
    assert rules.delay_s is None or 0 <= rules.delay_s < 1e6


@given(
    lines=st.lists(
        st.sampled_from(
            [
                "User-agent: *",
                "User-agent: x",
                "Disallow: /a",
                "Allow: /a/b",
                "Crawl-delay: 1",
                "",
                "junk",
            ]
        ),
        max_size=8,
    )
)
def test_what_is_no_rule_changes_nothing(lines: list[str]) -> None:
    plain = read_robots("\n".join(lines).encode())
    noisy = read_robots(
        "\n".join(
            part
            for line in lines
            for part in ("# note", line + "  # note", "Sitemap: x", "what: ever")
        ).encode()
    )
    assert noisy == plain


@pytest.mark.parametrize(
    "line",
    [
        b"Disallow: /*a*a*a*a*a*a*a*a*a*b\n",
        b"Disallow: /" + b"*a" * 5000 + b"\n",
        b"Disallow: /x\n",
        b"User-agent: *\n",
        b"a:",
        b"%",
        b"Disallow: /$\n",
    ],
    ids=["backtracking", "asterisks", "rules", "names", "colons", "percents", "dollars"],
)
def test_a_hostile_file_takes_no_time(line: bytes) -> None:
    with check_cpu_time(3.0):
        rules = read_robots(b"User-agent: *\n" + line * (LIMIT // len(line)))
        rules.allows("/" + "a" * 2000)
    assert rules.size <= 300 * LIMIT


def test_many_names_do_not_multiply_with_many_rules() -> None:
    names = b"".join(b"User-agent: bot%d\n" % number for number in range(12_000))
    rules = b"".join(b"Disallow: /%d\n" % number for number in range(15_000))
    with check_cpu_time(3.0):
        read = read_robots(names + b"User-agent: *\n" + rules)
        assert not read.allows("/14999")
    assert read.size < 20_000_000
