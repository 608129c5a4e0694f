"""XHTML, feeds and other XML are read as the XML that they are, and follow no entity and no DTD."""

from __future__ import annotations

import pytest

from research_core.errors import FetchError
from research_core.web.documents.kinds import read_body
from research_core.web.documents.markup import convert_to_html, parse_xml

XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            f"<html {XHTML}><head><title>T</title><script src='x'/></head><body><p>One<br/>two</p><div/><p>Three</p></body></html>",
            "One\ntwo\n\nThree",
        ),
        (
            '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:body><h:p>In a namespace</h:p></h:body></h:html>',
            "In a namespace",
        ),
        (
            f"<html {XHTML}><body><p>Caf&eacute;&nbsp;&hellip; &lt;b&gt; &amp;amp;</p></body></html>",
            "Café … <b> &amp;",
        ),
        (
            f"<!DOCTYPE html PUBLIC 'x' 'xhtml1.dtd'><html {XHTML}><body><p>&Auml;</p></body></html>",
            "Ä",
        ),
        (f"<html {XHTML}><body><p><![CDATA[a <b> c]]></p></body></html>", "a <b> c"),
        (f"<html {XHTML}><body><p hidden='hidden'>Gone</p><p>Seen</p></body></html>", "Seen"),
        (f"<html {XHTML}><body><p>Not <b>well formed</p></body></html>", "Not well formed"),
    ],
)
@pytest.mark.parametrize("declaration", ["", "<?xml version='1.0' encoding='utf-8'?>"])
def test_xhtml_is_read_as_xml(body: str, text: str, declaration: str) -> None:
    page = read_body((declaration + body).encode(), "https://example.org/", "application/xhtml+xml")
    assert (page.text, page.kind) == (text, "html")


def test_xhtml_in_another_encoding() -> None:
    body = f"<?xml version='1.0' encoding='iso-8859-1'?><html {XHTML}><body><p>Größe</p></body></html>".encode(
        "latin-1"
    )
    assert "Größe" in convert_to_html(body)["html"]


RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="d"><channel>
<title>News &amp; views</title><link>https://example.org/</link><description>What there is.</description><language>en-gb</language>
<lastBuildDate>Tue, 13 Feb 2024 10:00:00 GMT</lastBuildDate>
<item><title>The &lt;i&gt;first&lt;/i&gt; one</title><link>https://example.org/1</link><pubDate>Mon, 12 Feb 2024 10:00:00 GMT</pubDate>
<dc:creator>Jane Doe</dc:creator><description>Short.</description>
<content:encoded><![CDATA[<p>Long <b>text</b>.</p><p style="display:none">These words were left where nobody reads.</p>]]>
</content:encoded></item>
<item><description>Only words</description><link>javascript:alert(1)</link></item></channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title type="html">A &amp;amp; B</title><subtitle>Of both</subtitle>
<updated>2024-03-01T00:00:00Z</updated><author><name>Jane Doe</name><email>j@example.org</email></author>
<entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">An <b>entry</b></div></title><link rel="self" href="https://example.org/s"/>
<link rel="alternate" href="https://example.org/2"/><published>2024-03-02</published><summary>Less.</summary>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>In <i>content</i></p></div></content></entry></feed>"""


def test_rss_is_a_heading_for_each_entry() -> None:
    page = read_body(RSS.encode(), "https://example.org/feed", "application/rss+xml")
    assert page.text.split("\n\n") == [
        "# News & views", "What there is.", "## The first one", "2024-02-12 · Jane Doe · https://example.org/1", "Long text.",
        "## Without a title", "Only words",
    ]  # fmt: skip
    assert (page.kind, page.title, page.metadata.modified, page.metadata.language) == (
        "feed",
        "News & views",
        "2024-02-13",
        "en-gb",
    )
    assert page.hidden.total == 1


@pytest.mark.parametrize(
    "content_type", ["", "application/atom+xml", "text/xml", "text/html", "text/plain"]
)
def test_atom_is_a_heading_for_each_entry(content_type: str) -> None:
    page = read_body(ATOM.encode(), "https://example.org/feed", content_type)
    if content_type == "text/html":
        assert page.kind == "html"
    else:
        assert page.text.split("\n\n") == [
            "# A & B",
            "Of both",
            "## An entry",
            "2024-03-02 · https://example.org/2",
            "In content",
        ]
        assert (page.kind, page.metadata.authors, page.metadata.language) == (
            "feed",
            ("Jane Doe",),
            "en",
        )


def test_any_other_xml_is_its_text() -> None:
    body = b"""<?xml version="1.0"?><!DOCTYPE article SYSTEM "jats.dtd"><article xml:lang="de"><front><journal-id>x7</journal-id>
    <article-title>Of <i>tides</i></article-title></front><body><p>First <i>and</i> second.</p><sec><p>Third&#8230;</p></sec></body>
    </article>"""
    page = read_body(body, "", "application/xml")
    assert page.text == "x7\n\nOf tides\n\nFirst and second.\n\nThird…"
    assert (page.kind, page.title, page.metadata.language) == ("xml", "Of tides", "de")


LAUGHS = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol">{LAUGHS}]><l>&j;</l>', "unsupported"),
        (
            '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r><a>&x;</a></r>',
            "content_empty",
        ),
        ('<?xml version="1.0"?><r><a></r>', "unsupported"),
        ('<?xml version="1.0"?><r/>', "content_empty"),
        ("<?xml version='1.0'?>" + "<a>" * 10_000 + "x" + "</a>" * 10_000, "unsupported"),
        ("<svg xmlns='http://www.w3.org/2000/svg'><text>Words</text></svg>", "unsupported"),
    ],
    ids=["laughs", "elsewhere", "not well formed", "empty", "deep", "image"],
)
def test_xml_that_gives_no_text_says_why(body: str, kind: str) -> None:
    with pytest.raises(FetchError) as failure:
        parse_xml(body.encode())
    assert failure.value.kind == kind
