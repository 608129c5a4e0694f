"""Translate errors: why a page could not be read, a search failed, or an input was refused.

They are raised and recorded in English. Where a reader sees one, the text in the tables below that
it fills in is found, and translated with its values.
"""

from __future__ import annotations

import re
from functools import cache

from research_core.errors import ResearchError
from research_core.i18n import (
    EARLIER_ENGLISH,
    N_,
    SOURCE_LANGUAGE,
    compile_message,
    current_language,
    gettext,
    join_list,
    join_sentences,
)

#: The messages of FetchError, with their values as fields.
FETCH_FAILURES = (
    N_("The site requires a password. (HTTP {status})"),
    N_("A proxy requires a password. (HTTP {status})"),
    N_("The site requires payment. (HTTP {status})"),
    N_("The site refused to serve the page. (HTTP {status})"),
    N_("The page is withheld for legal reasons. (HTTP {status})"),
    N_("There is no such page. (HTTP {status})"),
    N_("The page has been removed. (HTTP {status})"),
    N_("The site timed out. (HTTP {status})"),
    N_("The site limits requests and asks for a pause. (HTTP {status})"),
    N_("The site did not send a page. (HTTP {status})"),
    N_("The site redirects without naming an address. (HTTP {status})"),
    N_("The site refused the request. (HTTP {status})"),
    N_("The site has a server error. (HTTP {status})"),
    N_("The site shows a robot check instead of the page. (HTTP {status})"),
    N_("The site shows a robot check instead of the page."),
    N_("The site redirects to a sign-in page."),
    N_("The site shows only a sign-in form."),
    N_("The page shows only a dialog that asks for consent to cookies."),
    N_("The page shows no text unless its scripts run."),
    N_("The page says that it does not exist (HTTP {status})."),
    N_("The page says that its site is out of order (HTTP {status})."),
    N_("The domain is for sale (HTTP {status})."),
    N_("{host} did not answer in time."),
    N_("{host} has no valid certificate for this name, or closed the secure connection."),
    N_("{host} sent compressed data that is damaged."),
    N_("{host} closed the connection or did not answer in HTTP."),
    N_("No connection to {host}."),
    N_("The name {host} could not be found."),
    N_("The site did not answer in full within {seconds} seconds."),
    N_("The site sent more data than Assay reads."),
    N_("The site redirected more than {count} times."),
    N_("The site redirects to an invalid address."),
    N_("The site answered in an encoding that was not asked for (“{encoding}”)."),
    N_("The page is larger than {size} bytes."),
    N_("The page only leads to another page."),
    N_("The page came from an address that cannot be cited: {why}."),
    N_("The page is empty."),
    N_("The file is empty."),
    N_("A header meant for {host} holds characters that HTTP cannot carry."),
    N_("{address} is not a configured service."),
    N_("{host} requires a contact e-mail address."),
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
        "The site's robots.txt could not be read (HTTP {status}), so its pages are not requested"
        " for another {seconds} s."
    ),
    N_(
        "The site limits requests: its robots.txt answered HTTP {status}, so its pages"
        " are not requested for another {seconds} s."
    ),
    N_("{name} asks for a pause of another {seconds} s."),
    N_("Too many pages of {name} are waiting; this one would wait {seconds} s."),
    N_("{name} failed recently and is not asked for another {seconds} s."),
    N_(
        "Too many calls to {name} are waiting; this one would wait {seconds} s, longer than its"
        " time limit."
    ),
    N_("This call reached its time limit."),
    N_("It may cost {cost} US dollars, more than the limit of {cap} leaves."),
    N_("The service did not issue a token in time."),
    N_("The service issued no token."),
    N_("{service} answered {status}."),
    N_("{service} sent an empty answer."),
    N_("{service} gave an answer that cannot be read: {why}."),
    N_("The archive has no copy of the page."),
    N_("The archive holds only an error page or a redirect."),
    N_("The archived copy redirects to another site."),
    N_("The archive gave an answer that cannot be read: {why}."),
    N_("Exa gave an answer that cannot be read: {why}."),
    N_("Exa could not read the page ({why})."),
    N_("The library no longer holds this document."),
    N_("Chromium cannot be sandboxed when it runs as root."),
    N_("There is no Chromium on this machine: install one, or name it in CHROME_PATH."),
    N_("Chromium could not be started from {program}: {why}."),
    N_("The page's scripts cannot be run here."),
    N_("The page's scripts did not finish within {seconds} seconds."),
    N_("The page is empty after its scripts ran."),
    N_("The browser failed on this page ({why})."),
    N_("This is not a page that a browser displays."),
    N_("Loading the page was stopped."),
    N_("This is {kind}, which Assay does not read."),
    N_("This is an image (SVG), which Assay does not read."),
    N_("The text contains NUL bytes: it is damaged, or not a text."),
    N_("This is not a web archive (WARC)."),
    N_("The web archive is damaged: {why}."),
    N_("The web archive unpacks to more than {size} bytes."),
    N_("The archive is damaged."),
    N_("The document is damaged and cannot be read."),
    N_("The archive is damaged: its parts overlap."),
    N_("The archive is encrypted and needs a password."),
    N_("The archive uses a compression that Assay does not read."),
    N_("The archive has {count} entries; the limit is {most}."),
    N_("The archive would unpack to {size} MB and is not opened."),
    N_("A part of the archive would unpack to more than {size} MB and is not opened."),
    N_("The document holds no values."),
    N_("The document holds no text."),
    N_("The document is damaged: {name} is not XML."),
    N_("The JSON is nested more than {count} levels deep."),
    N_("The XML is not well formed."),
    N_("The XML is longer than {size} MB."),
    N_("The PDF holds no text; it may be a scan."),
    N_("The PDF is encrypted and needs a password."),
    N_("The PDF is damaged."),
    N_("The PDF cannot be opened."),
    N_("The passage was not found on a page."),
    N_("No process could be started to read the document."),
    N_("The reader of this document gave an invalid answer."),
    N_("Reading the document took longer than {seconds} seconds and was stopped."),
    N_("The document could not be read: its reader failed or needed more than {size} MB."),
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
    N_("PubMed Central provides neither text nor abstract."),
    N_("The post holds no words."),
    N_("FxTwitter knows no such post or user."),
    N_("FxTwitter says {status}: {words}."),
    N_("YouTube does not know this video."),
    N_("YouTube does not show the video: {why}"),
    N_("YouTube asks for consent or a captcha before it shows the video."),
    N_("The video has no captions."),
    N_("The video has neither captions that can be read nor a description."),
    N_("The video has no freely available English captions."),
    N_("These captions need a token that only YouTube's own player has."),
    N_("The captions are empty."),
    N_("{message} Tried: {outcomes}."),
)
#: Their next steps.
FETCH_NEXT_STEPS = (
    N_("Remove the NUL bytes, or save the text again as UTF-8."),
    N_("Look for a version with recognized text (OCR)."),
    N_("Try again."),
    N_("Add it again, or leave it out."),
    N_("Use the address of that page."),
    N_("Set EDGAR_CONTACT_EMAIL in .env."),
    N_("Ask again with a higher limit."),
    N_("Try again then, or use another provider."),
    N_("Try again later, or ask for less at once."),
    N_("Ask for less at once."),
    N_("Save it as PDF, DOCX, HTML or text, or look for such a version of it."),
    N_("Open it in a browser, or set ASSAY_ROBOTS=0 to read pages that programs are asked not to."),
    N_("Try again then, or read another page that says the same."),
    N_("Look for the same text as a web page, or add a shorter part of the document to a library."),
    N_("A browser is installed now: restart Assay."),
    N_("Install it with `python3 run.py extras browser`."),
    N_(
        "Check that this program starts. Set CHROME_PATH to another one, or to `off` to do without."
    ),
    N_(
        "Run Assay as a user other than root, or set ASSAY_BROWSER_SANDBOX=0 if nothing on this"
        " machine needs protection from web pages."
    ),
    N_("It is turned off (CHROME_PATH=off)."),
    N_("The optional part `browser` is not installed."),
)
#: The messages of search engines that a session reports, with their next step.
SEARCH_FAILURES = (
    N_("{name} refused recently and is not asked for another {seconds} s."),
    N_("{name} refuses any more searches for now."),
    N_("{name} could not be reached, or broke off its answer."),
    N_("{name} asks for proof that a person is searching."),
    N_("{name} answered {status}: a test that you are human, not results."),
    N_("{name}: {message}"),
    N_("Try again later, or set SEARXNG_URL to a SearXNG server of your own."),
)
#: Why a question or an instruction is refused, with the next steps that `text/question` fills in.
INPUT_FAILURES = (
    N_("The question is too short: it has 1 character, and at least {least} are needed."),
    N_("The question is too short: it has {count} characters, and at least {least} are needed."),
    N_("The question is too long: it has {count} characters, and at most {most} can be asked."),
    N_("The instruction is empty."),
    N_("The instruction has 1 character."),
    N_("The instruction has {count} characters."),
    N_("Say what to look for in {least} to {most} characters."),
    N_(
        "“{instruction}” asks to leave something out. Assay can look for more; it does not filter"
        " by kind."
    ),
    N_(
        "Take that line out. Exclude such a source under Activity when it appears, or raise the"
        " minimum credibility."
    ),
)
#: Values of the messages that are words: types of files, and outcomes of attempts to read a page.
FETCH_VALUES = (
    N_("an image ({format})"),
    N_("an icon"),
    N_("a sound recording ({format})"),
    N_("a video ({format})"),
    N_("a sound recording or video ({format})"),
    N_("a music file ({format})"),
    N_("an archive ({format})"),
    N_("a document ({format})"),
    N_("an e-book ({format})"),
    N_("a font"),
    N_("a program"),
    N_("a program ({format})"),
    N_("a database ({format})"),
    N_("a data file ({format})"),
    N_("a spreadsheet ({format})"),
    N_("a presentation ({format})"),
    N_("a drawing ({format})"),
    N_("an e-mail ({format})"),
    N_("an encrypted Office document that needs a password"),
    N_("an old Office document"),
    N_("an iWork document"),
    N_("a file of type {media}"),
    N_("a program or another file without text"),
    N_("address refused"),
    N_("no copy"),
    N_("login"),
    N_("asked to wait"),
    N_("refused"),
    N_("not installed"),
    N_("too large"),
    N_("not readable"),
    N_("no text"),
    N_("out of order"),
    N_("left alone"),
    N_("no answer in time"),
    N_("answer not usable"),
    N_("the settings do not allow it"),
    N_("no connection"),
    N_("too much to read"),
    N_("takes too long to read"),
    N_("its reader does not start"),
)
_SENTENCE_END = re.compile(r"(?<=\.) ")
#: Values that hold no end of a sentence, so that they never begin with the sentence before theirs.
_NAMES = frozenset({"service", "host", "name"})


def describe_failure(error: ResearchError) -> str:
    """Return message and next step as one line, in the current language."""
    return join_sentences([translate_failure(error.message), translate_failure(error.next_step)])


def translate_failure(message: str) -> str:
    """Return the message or next step of a failure in the current language.

    A message that the tables lack stays as it is.
    """
    if current_language() in (SOURCE_LANGUAGE, EARLIER_ENGLISH):
        return message
    known = find_failure_text(message)
    if known is None:
        return _translate_sentences(message) or gettext(message)
    text, values = known
    if any(_SENTENCE_END.search(value) for value in values.values()):
        # A value may have taken in a next step that is a text of its own.
        translated = _translate_sentences(message)
        if translated:
            return translated
    if "message" in values:
        values["message"] = translate_failure(values["message"])
    if "kind" in values:
        values["kind"] = _translate_value(values["kind"])
    if "outcomes" in values:
        attempts = (attempt.partition(": ") for attempt in values["outcomes"].split(", "))
        values["outcomes"] = join_list(
            [f"{tier}{colon}{_translate_value(outcome)}" for tier, colon, outcome in attempts]
        )
    return gettext(text).format(**values)


def _translate_sentences(message: str) -> str:
    """Return texts that follow each other in the current language; "" if one is unknown."""
    for end in _SENTENCE_END.finditer(message):
        first, rest = message[: end.start()], message[end.end() :]
        if not find_failure_text(first):
            continue
        later = translate_failure(rest) if find_failure_text(rest) else _translate_sentences(rest)
        if later:
            return join_sentences([translate_failure(first), later])
    return ""


def _translate_value(value: str) -> str:
    """Return a value in the current language; one that FETCH_VALUES lacks stays as it is."""
    known = find_value_text(value)
    return gettext(known[0]).format(**known[1]) if known else value


def find_failure_text(message: str) -> tuple[str, dict[str, str]] | None:
    """Return the text that a message or next step fills in, and its values; None if none."""
    return _find_text(
        message, (*FETCH_FAILURES, *FETCH_NEXT_STEPS, *SEARCH_FAILURES, *INPUT_FAILURES)
    )


def find_value_text(value: str) -> tuple[str, dict[str, str]] | None:
    """Return the text in FETCH_VALUES that a value fills in, and its own values; None if none."""
    return _find_text(value, FETCH_VALUES)


def _find_text(message: str, texts: tuple[str, ...]) -> tuple[str, dict[str, str]] | None:
    for text, pattern in _compile_texts(texts):
        found = pattern.fullmatch(message)
        if found:
            return text, found.groupdict()
    return None


def _build_value(field: str) -> str:
    return r"(?:(?![.!?]\s).){1,600}?" if field in _NAMES else ".{1,600}?"


@cache
def _compile_texts(texts: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each text with the pattern of its messages, the most specific first."""
    rows = [(text, compile_message(text, _build_value)) for text in texts]
    rows.sort(key=lambda row: (not row[0].startswith("{message}"), row[0].count("{"), -len(row[0])))
    return tuple(rows)
