"""Translate why a page could not be read.

`FetchError` and its next steps are recorded in English. Where a reader sees one, the text in the
tables below that it fills in is found, and translated with its values.
"""

from __future__ import annotations

import re
from functools import cache

from research_core.errors import ResearchError
from research_core.i18n import (
    EARLIER_ENGLISH,
    N_,
    SOURCE_LANGUAGE,
    current_language,
    gettext,
    join_sentences,
)

#: The messages of FetchError, with their values as fields.
FETCH_FAILURES = (
    N_("The site wants a password. (HTTP {status})"),
    N_("A proxy wants a password. (HTTP {status})"),
    N_("The site wants to be paid. (HTTP {status})"),
    N_("The site refused to serve the page. (HTTP {status})"),
    N_("The page is withheld for legal reasons. (HTTP {status})"),
    N_("There is no such page. (HTTP {status})"),
    N_("The page has been removed. (HTTP {status})"),
    N_("The site gave up waiting. (HTTP {status})"),
    N_("The site asks us to slow down. (HTTP {status})"),
    N_("The site answered with something that is no page. (HTTP {status})"),
    N_("The site redirects to nowhere. (HTTP {status})"),
    N_("The site refused the request. (HTTP {status})"),
    N_("The site is in trouble. (HTTP {status})"),
    N_("The site serves a check for robots in place of the page. (HTTP {status})"),
    N_("The site serves a check for robots in place of the page."),
    N_("The site leads to a login instead of the page."),
    N_("The site shows a form to sign in and nothing else in place of the page."),
    N_("The page shows only a dialog that asks for consent to cookies, in place of its text."),
    N_("The page has no text that can be seen without running its scripts."),
    N_(
        "The page says that it does not exist, though the site answered with success (HTTP"
        " {status})."
    ),
    N_(
        "The page says that the site has failed or is out of order, though it answered with"
        " success (HTTP {status})."
    ),
    N_("The address is for sale, and has no page (HTTP {status})."),
    N_("{host} did not answer in time."),
    N_(
        "{host} has no certificate for this name that can be trusted, or broke off the secure"
        " connection."
    ),
    N_("{host} sent a body that does not decompress."),
    N_("{host} broke off the connection or did not answer in HTTP."),
    N_("No connection to {host}."),
    N_("The name {host} could not be found."),
    N_("The site did not answer in full within {seconds} seconds."),
    N_("The site sent far more than can be read."),
    N_("The site redirected more than {count} times."),
    N_("The site redirects to something that is no address."),
    N_("The site answered in an encoding that was not asked for (“{encoding}”)."),
    N_("The page is larger than {size} bytes."),
    N_("The page holds nothing but the way to another one."),
    N_("The page came from an address that cannot be cited: {why}."),
    N_("The page is empty."),
    N_("The file is empty."),
    N_("A header meant for {host} holds characters that HTTP cannot carry."),
    N_("{address} is not a configured service."),
    N_("The services of {host} are asked only by those who name an e-mail address."),
    N_("Only http and https addresses can be read."),
    N_("Address refused: it is not a valid web address."),
    N_("Address refused: it carries a user name, or its host is not a valid name."),
    N_("Address refused: the site redirects a request with a body to another site."),
    N_(
        "Address refused: the configured service at {host} redirects to {address}, away from"
        " itself."
    ),
    N_(
        "Address refused: {host} leads to {address}, which lies inside a private network or"
        " is a metadata service."
    ),
    N_("Address refused: {host} is a name of a cloud's metadata service."),
    N_("Address refused: {host} is not a valid host."),
    N_("Address refused: {host} is a service this installation uses, not a page."),
    N_("Address refused: port {port} is not one that web pages use."),
    N_("Address refused: {host} is a name inside a private network."),
    N_("Address refused: {host} is not a public address."),
    N_(
        "Address refused: {host} is not among the domains this installation may read"
        " (ALLOWED_DOMAINS)."
    ),
    N_("The site's robots.txt asks programs not to read this page."),
    N_(
        "The site's server failed to give its robots.txt (HTTP {status}), so its pages are"
        " not requested for another {seconds} s."
    ),
    N_(
        "The site asks us to slow down: its robots.txt answered HTTP {status}, so its pages"
        " are not requested for another {seconds} s."
    ),
    N_("{name} asked not to be asked again for another {seconds} s."),
    N_("So many pages of {name} wait to be read that this one would wait {seconds} s."),
    N_("{name} failed a moment ago and is left alone for {seconds} s."),
    N_(
        "So many calls of {name} wait that this one's turn comes in {seconds} s, later than"
        " it has time."
    ),
    N_("The time for this call was up."),
    N_("It may cost {cost} US dollars, and the cap of {cap} leaves no room for that."),
    N_("The service took all the time of the call to give a token."),
    N_("The service answered the question for a token without one."),
    N_("{service} answered {status}."),
    N_("{service} answered with nothing."),
    N_("{service} gave an answer that cannot be read: {why}."),
    N_("The archive has no copy of the page."),
    N_("The archive has kept only an error or a redirect of the page."),
    N_("The archive's copy leads to another site."),
    N_("The archive gave an answer that cannot be read: {why}."),
    N_("Exa gave an answer that cannot be read: {why}."),
    N_("Exa could not read the page ({why})."),
    N_("The library no longer holds this document."),
    N_("Chromium's sandbox does not work for root."),
    N_("There is no Chromium on this machine: install one, or name it in CHROME_PATH."),
    N_("The page's scripts cannot be run here."),
    N_("The page's scripts did not come to an end within {seconds} seconds."),
    N_("The page's scripts left nothing of it."),
    N_("The page broke the browser ({why})."),
    N_("This is no page that a browser would draw."),
    N_("The page was left."),
    N_("This is {kind}, which is not read here."),
    N_("This is an image (SVG), which is not read here."),
    N_("This is a text that contains NUL bytes, so that it is damaged or no text."),
    N_("This is no web archive (WARC)."),
    N_("The web archive is damaged: {why}."),
    N_("The web archive unpacks to more than {size} bytes."),
    N_("The archive is broken ({why})."),
    N_("The archive is broken: its parts overlap."),
    N_("The archive is encrypted and needs a password."),
    N_("The archive is packed in a way that is not read here."),
    N_("The archive has {count} entries; {most} are the most that is read."),
    N_("The archive would unpack to {size} MB and is not opened."),
    N_("A part of the archive would unpack to more than {size} MB and is not opened."),
    N_("The document holds no values."),
    N_("The document holds no text."),
    N_("The document is broken: {name} is no XML."),
    N_("The JSON is nested more than {count} levels deep."),
    N_("The XML is not well formed."),
    N_("The XML is longer than {size} MB."),
    N_("The PDF holds no text; it may be a scan."),
    N_("The PDF is encrypted and needs a password."),
    N_("The PDF is broken."),
    N_("The PDF cannot be opened."),
    N_("The passage was not found on a page."),
    N_("No process could be started to read the document."),
    N_("What the reader of this document answered makes no sense."),
    N_("Reading the document took longer than {seconds} seconds and was stopped."),
    N_("The document breaks its reader, or takes more than {size} MB to read."),
    N_("The repository has no README that can be read."),
    N_("The gist holds no text."),
    N_("Hacker News has no story on this list."),
    N_("Hacker News has no such user."),
    N_("Hacker News has no such item."),
    N_("The item was deleted by its author."),
    N_("The item was killed by moderators or readers."),
    N_("arXiv has no such paper."),
    N_("The paper's HTML is not that of a paper."),
    N_("The paper's HTML holds no text."),
    N_("The paper's HTML cannot be read."),
    N_("A comment of the page is too long to be read."),
    N_("PubMed has no such article."),
    N_("PubMed Central has no such article."),
    N_("PubMed Central gives out neither text nor abstract."),
    N_("The post holds no words."),
    N_("FxTwitter knows no such post or user."),
    N_("FxTwitter says {status}: {words}."),
    N_("YouTube does not know this video."),
    N_("YouTube does not show the video: {why}"),
    N_("YouTube asks for consent or a captcha before it shows the video."),
    N_("The video has no captions."),
    N_("The video has neither captions that can be read nor a description."),
    N_("There are no captions in English that are given without a signature."),
    N_("These captions need a token that only YouTube's own player has."),
    N_("The captions hold no words."),
    N_("{message} Tried: {outcomes}."),
)
#: Their next steps.
FETCH_NEXT_STEPS = (
    N_("Remove the NUL bytes, or save the text again as UTF-8."),
    N_("Look for it with recognised text."),
    N_("Try again."),
    N_("Add it again, or leave it out."),
    N_("Ask for that one's address."),
    N_("Set one in .env."),
    N_("Ask again with a higher one."),
    N_("Try again then, or another provider."),
    N_("Try again later, or ask for less at once."),
    N_("Ask for less at once."),
    N_("Save it as PDF, DOCX, HTML or text, or look for such a version of it."),
    N_("Read it in a browser; with ASSAY_ROBOTS=0 Assay reads what programs are asked not to."),
    N_("Try again then, or read another page that says the same."),
    N_("Look for the same text as a web page, or add a shorter part of the document to a library."),
    N_("There is a browser by now: start Assay again."),
    N_("Install it with `python3 run.py extras browser`."),
    N_(
        "Look whether this program starts by itself; CHROME_PATH names another, and"
        " `CHROME_PATH=off` does without."
    ),
    N_(
        "Run Assay as somebody else than root, or set ASSAY_BROWSER_SANDBOX=0 where nothing"
        " on the machine is worth protecting from a page."
    ),
)
_FIELD = re.compile(r"\\{(\w+)\\}")
#: Values that hold no end of a sentence, so that they never begin with the sentence before theirs.
_NAMES = frozenset({"service", "host", "name"})


def describe_failure(error: ResearchError) -> str:
    """Return message and next step as one line, in the current language."""
    return join_sentences([translate_failure(error.message), translate_failure(error.next_step)])


def translate_failure(message: str) -> str:
    """Return the message or next step of a failure in the current language.

    A message that FETCH_FAILURES lacks stays as it is.
    """
    if current_language() in (SOURCE_LANGUAGE, EARLIER_ENGLISH):
        return message
    known = find_failure_text(message)
    if known is None:
        return gettext(message)
    text, values = known
    if "message" in values:
        values["message"] = translate_failure(values["message"])
    return gettext(text).format(**values)


def find_failure_text(message: str) -> tuple[str, dict[str, str]] | None:
    """Return the text in FETCH_FAILURES that a message fills in, and its values; None if none."""
    for text, pattern in _compile_failures():
        found = pattern.fullmatch(message)
        if found:
            return text, found.groupdict()
    return None


def _make_group(field: re.Match[str]) -> str:
    value = r"(?:(?![.!?]\s).){1,600}?" if field[1] in _NAMES else ".{1,600}?"
    return f"(?P<{field[1]}>{value})"


@cache
def _compile_failures() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each text with the pattern of its messages, the most specific first."""
    rows: list[tuple[str, re.Pattern[str]]] = []
    for text in (*FETCH_FAILURES, *FETCH_NEXT_STEPS):
        pattern = _FIELD.sub(_make_group, re.escape(text))
        rows.append((text, re.compile(pattern, re.DOTALL)))
    rows.sort(key=lambda row: (not row[0].startswith("{message}"), row[0].count("{"), -len(row[0])))
    return tuple(rows)
