"""Translate errors: why a page could not be read, a search failed, or a command was refused.

They are raised and recorded in English. Where a reader sees one, the text in the tables below that
it fills in is found, and translated with its values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
from research_core.models import SESSION_STATES

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
#: What is said of services that are searched by name, of lenses and routing, with the next steps.
PROVIDER_FAILURES = (
    N_("Every provider failed."),
    N_("Every provider failed. {message}"),
    N_("No provider of {kind} is configured."),
    N_("Set {needs} in .env."),
    N_("The provider {name} needs {needs}."),
    N_("Set {needs} in .env (see .env.example), or leave {name} out."),
    N_("SEARCH_ROUTING: there is no kind {place}."),
    N_("SEARCH_ROUTING: there is no provider {name} for {place}."),
    N_("ASSAY_DDGS_ENGINES: {message}"),
    N_("The installed ddgs has no engine {name}."),
    N_("Take it out of ASSAY_DDGS_ENGINES."),
    N_("Unknown lens {name}."),
    N_("{setting}: the folder {folder} cannot be read ({reason})."),
    N_("Name a folder with lenses as JSON files, or leave it empty."),
    N_("{name} says that it found something, and lists nothing."),
    N_("{name} looks up citations only for those with a token."),
    N_("{name} takes at most {most} characters at once."),
    N_("{name} did not look up {citation}, as it was asked for too many."),
    N_("{name} could not search all filings in time."),
    N_("{name}: none of this company's newest filings, in {count} lists, is one of these."),
    N_("{name} found {total} results, and none of the first {count} is one of these."),
    N_("{name} found {total} papers, and none of the first {count} is one of these."),
    N_("{name} found {total} works, and none of the first {count} is one of these."),
    N_("{name} found {total} places, and none of the first {count} is one of these."),
    N_("{name} found {total} documents, and none of the first {count} is one of these."),
    N_("{name} found {total} documents or more, and none of the first {count} is one of these."),
    N_(
        "{name} does not say how many results it found, and none of the first {count} is one of"
        " these."
    ),
    N_(
        "{name} does not say how many papers it found, and none of the first {count} is one of"
        " these."
    ),
    N_(
        "{name} does not say how many works it found, and none of the first {count} is one of"
        " these."
    ),
    N_(
        "{name} does not say how many places it found, and none of the first {count} is one of"
        " these."
    ),
    N_(
        "{name} does not say how many documents it found, and none of the first {count} is one of"
        " these."
    ),
    N_("{name} reads {most} words of a query, too few for this one and its 1 site."),
    N_("{name} reads {most} words of a query, too few for this one and its {count} sites."),
    N_("{name} holds no work {work}."),
    N_("{name} failed ({reason})."),
    N_("{name} found nothing, but these of its engines did not answer: {engines}."),
    N_("{name} may not pass on the citations of this work, at its publisher's wish."),
    N_("{name} may not pass on the references of this work, at its publisher's wish."),
    N_("{name} has no series of this form: {id}."),
    N_("{name} has no dataset of this form: {id}."),
    N_("{name} has no dataflow of this form: {id}."),
    N_("{name} has no indicator of this form: {id}."),
    N_("{name} has no country of this form: {id}."),
    N_("{name} cannot tell which of its works are of the source {source}."),
    N_("{name} refused: {reason}."),
    N_("Exa has no category {category}."),
    N_("Exa cannot go by this schema: {why}."),
    N_(
        "Give an object with 1 to {most} properties, each of the type string, number, integer,"
        " boolean, or an array whose items are of one of these."
    ),
    N_("Try again in a moment."),
    N_("Try again in a moment, or set PUBMED_API_KEY."),
    N_(
        "Try again in a moment: SEMANTIC_SCHOLAR_API_KEY allows so many calls a second, and no"
        " more."
    ),
    N_(
        "Without a key all its users share one rate: set SEMANTIC_SCHOLAR_API_KEY, or try again"
        " in a moment."
    ),
    N_(
        "The day's budget of OPENALEX_API_KEY may be used up: try again tomorrow, or another"
        " provider."
    ),
    N_(
        "The small budget of those without a key may be used up for today: set OPENALEX_API_KEY,"
        " which is free."
    ),
    N_(
        "The SEC refuses programs whose e-mail address it does not like: look at"
        " EDGAR_CONTACT_EMAIL."
    ),
    N_("The OECD answers some 60 calls an hour; wait, or ask another provider."),
    N_("It looks up 60 citations a minute: wait, or send fewer."),
    N_(
        "Wait some minutes, ask another provider, or set SEARXNG_URL to a SearXNG server of your"
        " own."
    ),
    N_("Wait a minute, or ask another provider."),
    N_("Wait 60 seconds, or ask another provider."),
    N_("Wait 60 seconds and try again, or ask another provider."),
    N_("Wait 60 seconds, or until tomorrow for the free 100, or ask another provider."),
    N_("Wait an hour, or until the week is over, or ask another provider."),
    N_("Wait a while, or switch off the limiter in the server's settings.yml."),
    N_("Look at COURTLISTENER_API_TOKEN."),
    N_("Set COURTLISTENER_API_TOKEN in .env."),
    N_("Set COURTLISTENER_API_TOKEN in .env for more calls a day, or wait."),
    N_("Check {key}."),
    N_(
        "Check {key} in .env (see .env.example), and the key's plan and credit in Brave's"
        " dashboard."
    ),
    N_(
        "Check {key} in .env (see .env.example), and the credits that are left, or ask another"
        " provider."
    ),
    N_(
        "Check {key} in .env (see .env.example), and the searches that are left, or ask another"
        " provider."
    ),
    N_("Check {key} in .env, and the searches that are left, or ask another provider."),
    N_("Check {key} in .env, and that its plan covers patents and has not run out."),
    N_("Check {key} in .env and the credits left at dashboard.exa.ai, or ask another provider."),
    N_("Check {key} in .env: a key of data.uspto.gov."),
    N_("Check {key}; a key is free at fred.stlouisfed.org."),
    N_("Check EPO_OPS_CONSUMER_KEY and EPO_OPS_CONSUMER_SECRET in .env."),
    N_(
        "Check GOOGLE_CUSTOM_SEARCH_API_KEY and GOOGLE_CUSTOM_SEARCH_ID in .env (see"
        " .env.example); Google gives no access to new customers, so ask another provider."
    ),
    N_("Check that SEARXNG_URL is the address of a SearXNG server and that it is running."),
    N_("Let the server answer in JSON: in its settings.yml, search.formats must list json."),
    N_("If it asks for a name and a password, set SEARXNG_BASIC_AUTH."),
    N_("Look at the engines in the server's preferences, or try again later."),
    N_("Send it in parts."),
    N_("Say with date_from and date_to when it was filed."),
    N_("Ask in fewer words, or another provider."),
    N_("Ask with more words, or with fewer days."),
    N_("Ask for less: with more words, or fewer years."),
    N_("Ask for less: in other words, with a name of the place, or with another radius."),
    N_("Ask another provider, or for the other direction alone."),
    N_("Ask for one country."),
    N_("Leave country out."),
    N_("Leave source out, or ask another provider."),
    N_("Check the DOI or the title, or ask another provider."),
    N_("Search with query for the id of a series."),
    N_("Search with query for the id of a dataflow."),
    N_("Search with query for the code of a dataset."),
    N_("Search with query for the id of an indicator; a country is an ISO code such as DEU."),
    N_("Give a country, or a later date_from."),
    N_("A country is a code of Eurostat, such as DE or EU27_2020."),
    N_("Put that right; status is one that the register knows, such as RECRUITING or COMPLETED."),
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
#: What is said of sessions, their commands and their plans, with the next steps.
SESSION_FAILURES = (
    N_("There is no session {session}."),
    N_("`assay sessions` lists those there are."),
    N_("Session {session} has no report to replay."),
    N_("`assay rewrite {session}` researches its question and writes a report."),
    N_("`assay approve {session}` starts the research."),
    N_("`assay resume {session}` finishes it."),
    N_("The plan of session {session} is already approved; the first approval counts."),
    N_("To search for something else, start a new session."),
    N_("Session {session} has no plan to approve: it is {state}."),
    N_("`assay resume {session}` continues it."),
    N_("`assay sessions` lists the waiting sessions."),
    N_("Session {session} is no longer running: it is {state}."),
    N_("Resume it first, or rewrite it."),
    N_("Rewrite it afterwards with your changes."),
    N_("The plan of session {session} is waiting for your approval."),
    N_("`assay approve {session}` starts the research; `assay cancel {session}` cancels it."),
    N_("The report of session {session} is already being written."),
    N_("Session {session} is already {state}."),
    N_("Session {session} belongs to a client that calls tools step by step."),
    N_("Rewrite it: a new session then researches the same question and writes a report."),
    N_("No tool call of session {session} is waiting for an answer."),
    N_("No tool call of session {session} is waiting for an answer under {place}."),
    N_("`assay show {session}` shows its status."),
    N_("Unknown command {command}."),
    N_("Use one of: {names}."),
    N_("{count} instructions were given; a run takes at most {most}."),
    N_("A session takes at most {most} tags, not {count}."),
    N_("Leave some out."),
    N_("The title has {count} characters; at most {most} are allowed."),
    N_("The tag has {count} characters; at most {most} are allowed."),
    N_("Shorten it."),
    N_("{address} is not the address of a source: {why}."),
    N_("Give the address as shown in the list of sources."),
    N_("{url} is both included and excluded."),
    N_("Choose one of the two."),
    N_("Only the agentic strategy can call tools."),
    N_("Choose the agentic strategy, or no tools."),
    N_("{name} is not available here."),
    N_("`assay tools list` shows what it needs."),
    N_("The agentic strategy needs a language model."),
    N_("Choose the planned strategy, or another model."),
    N_("Nothing to search is selected."),
    N_("Select a search engine or a library."),
    N_("Web search is unavailable: no internet connection."),
    N_("Use SearXNG alone, search a library, or retry when you are online."),
    N_("Search a library, or retry when you are online."),
    N_("The library {library} is empty or does not exist."),
    N_("Choose another library, or add documents to it."),
    N_("There is no library or folder {library}."),
    N_(
        "`assay library add FOLDER --name {library}` creates it; `assay library list` lists the"
        " libraries."
    ),
    N_("No library is named."),
    N_("Name the one that has the cited pages."),
    N_("Library {library} has no such document."),
    N_("`assay library list {library}` names those it has."),
    N_("The report cites nothing that could be checked."),
    N_("Copy it with its links, footnotes or list of sources."),
    N_("{url} cannot be read: {message}"),
    N_("Save the report as a file and check that."),
    N_("A mistake in Assay ended this run: {kind}: {error}."),
    N_("{path} cannot be written: {reason}."),
    N_("The report is stored; `assay export {session}` writes it elsewhere."),
    N_("{path} is of a session deleted long ago and cannot be removed: {reason}."),
    N_("Remove it by hand."),
    N_("What this call found could not be added to the session: {message}"),
    N_("A call could not be counted: {message}"),
)
#: What is said of libraries and of the files that are added to them, with the next steps.
LIBRARY_FAILURES = (
    N_("There is no library {library}."),
    N_("`assay library list` and the app's Library screen show the libraries there are."),
    N_("Choose one, and ask again."),
    N_("There is already a library {library}."),
    N_("Choose it, or another name."),
    N_(
        "Restore it under another name: type one on the Library screen, or add `--as NAME` to the"
        " command."
    ),
    N_("The library {library} belongs to another user, who alone can change it."),
    N_("Use a library of your own."),
    N_("Another user shares a library called {library}."),
    N_("Share one that has another name."),
    N_("The library {library} was removed meanwhile."),
    N_("Add the documents to another one."),
    N_("This library was restored or deleted for good meanwhile."),
    N_("No library {library} was removed recently."),
    N_(
        "`assay library restore` without a name, and the app's Library screen, list those that can"
        " be restored."
    ),
    N_("{count} removed libraries match {library}: {names}."),
    N_("Give the id of one of them instead, as in `assay library restore {id}`."),
    N_(
        "The name of a library has 1 to {most} characters, all of them UTF-8; this one has {count}."
    ),
    N_("The name of a library holds no / or \\ or ~, unless it is the whole path of a folder."),
    N_("The name of a library does not begin with {prefix}, which marks those of other users."),
    N_("The sample library cannot be changed."),
    N_("Choose another name."),
    N_("The library {library} has no document {document}."),
    N_(
        "Give an address, a title or a file name; `assay library list --name {library}` shows them."
    ),
    N_("{count} documents of the library {library} are called {document}: {names}."),
    N_("Give the address of one of them."),
    N_("The search index failed: {reason}."),
    N_("Free some space for temporary files."),
    N_("{path} cannot be opened: {reason}."),
    N_("Check the path, and who may read it."),
    N_("{path} leads nowhere."),
    N_("There is no file or folder at {path}."),
    N_("Check the path."),
    N_("{path} holds no documents: the system shows its own state there."),
    N_("Name another folder."),
    N_("The file cannot be opened: {reason}."),
    N_("The folder cannot be opened: {reason}."),
    N_("The file is larger than {size} MB."),
    N_("It is a link to a file outside the folder."),
    N_("Add the file itself, or copy it into the folder."),
    N_("It lies outside the archive."),
    N_("{file} lies outside the folder."),
    N_("There is no file {file}."),
    N_("This is not JSON."),
    N_('It needs {{"file": "a name", …}}.'),
    N_("Its manifest gives an invalid address: {why}."),
    N_("Its address is longer than {count} characters."),
    N_("{url} is also the address of {file}, which is kept; the two texts differ."),
    N_("The archive has a name that is not UTF-8 although it says so, so it cannot be listed."),
    N_("The archive is damaged, or is not a ZIP archive."),
    N_("The archive cannot be opened: {reason}."),
    N_("The archive is larger than {size} MB."),
    N_("The archive is refused: it would unpack to {size} MB, far more than text does."),
    N_(
        "The archive is refused: it would unpack to {count} times its size, far more than text"
        " does."
    ),
    N_("An archive in an archive is not opened."),
    N_("It has more than {count} members."),
    N_("It is encrypted."),
    N_("It is a link, not a file."),
    N_("It uses a compression that Assay does not read."),
    N_("It is damaged and cannot be unpacked."),
    N_("It cannot be read: {why}."),
    N_("Unpack it, and add the folder."),
    N_("Unpack it, and add it by itself."),
    N_("Unpack the archive with its password, and add the folder."),
    N_("The web archive cannot be opened: {reason}."),
    N_("The web archive has changed while it was read."),
    N_("Add it again."),
    N_("There are {count} addresses; 1 to {most} can be added at once."),
    N_("Give them one a line."),
    N_("Add them in several steps."),
    N_("This is not the address of a web page."),
    N_("This is not the address of a web page: {why}."),
    N_("It begins with https:// or http://."),
    N_("Check the address, and whether this machine has a network; then add it again."),
    N_("Add it again later."),
    N_("Check the address."),
    N_("Save the page from your browser, and drop the file here."),
    N_("Save the page from your browser once it has loaded, and drop the file here."),
    N_(
        "Only pages of the public web are read; save this one from your browser, and drop the file"
        " here."
    ),
)
#: What is said of a user's own ratings, links and consent, with the next steps.
USER_DATA_FAILURES = (
    N_(
        "{host} is not a site but a suffix of many people's sites, and your rating would count for"
        " all of them."
    ),
    N_("Name one site, such as example.{host}."),
    N_("The reason has {count} characters; at most {most} are allowed."),
    N_("A link cannot last {count} days."),
    N_("Choose 1, 7 or 30."),
    N_("This session has {count} links."),
    N_("Revoke one of them first."),
    N_("There is no purpose {name}."),
    N_("Choose among: {names}."),
)
#: What is said of calls of tools, with the next steps.
TOOL_FAILURES = (
    N_("There is no tool {name}."),
    N_("Unknown tool: {name}"),
    N_("{tool} cannot run: {why}."),
    N_("{tool} cannot run: {why}, which no text may."),
    N_("Send it without, as UTF-8."),
    N_("It takes: {names}."),
    N_("{tool} needs something to search for."),
    N_("{tool} needs something to look for."),
    N_("{tool} needs something to check."),
    N_("answer needs a question to answer."),
    N_("brand_research needs a company."),
    N_("citation_graph needs a paper to start from."),
    N_("filing_search needs a company or words to search for."),
    N_("format_bibliography needs sources to list."),
    N_("verify_citation needs a citation."),
    N_("verify_recommendation needs recommendations."),
    N_("Give a query."),
    N_("Give one."),
    N_("Give query, condition, intervention or sponsor."),
    N_("Give query or series_id."),
    N_("Give query or ticker."),
    N_("Give query, assignee or inventor."),
    N_("Give a topic, the name of a case or a citation."),
    N_("Give entries, a bibliography, or a sessionId."),
    N_("Give url, such as example.com, or company_name."),
    N_("Give its DOI or its exact title."),
    N_(
        "Give sources, each with its url or doi, or the sessionId of a session of"
        " sequential_search."
    ),
    N_("Give a DOI, an address or a reference in words."),
    N_("Give at least one, with its title."),
    N_("Nothing of the bibliography could be read. {why}"),
    N_("format_bibliography takes a session or sources, not both."),
    N_("Leave sessionId or sources out."),
    N_("There is no style {name}."),
    N_("There is no format {name}."),
    N_("Choose one of: {names}."),
    N_("Use markdown or json."),
    N_("year_from ({start}) is after year_to ({end})."),
    N_("Swap them."),
    N_("year_from is after year_to."),
    N_("Give the earlier year as year_from."),
    N_("{parameter} is not a date: {date}."),
    N_("Write it as YYYY-MM-DD or YYYY."),
    N_("Write it as 2024-05-31."),
    N_("date_to, {end}, is before date_from, {start}."),
    N_("{domain} is not a domain."),
    N_("{domain} is not a domain: {why}."),
    N_("news_source {domain} is not a domain: {why}."),
    N_("Give a domain such as example.com, or company_name."),
    N_("Give a domain such as reuters.com."),
    N_("{site} is not a site: {why}."),
    N_("Give a domain such as example.org, or example.org/path."),
    N_("site and lens cannot be combined."),
    N_("Give one of them: a lens is a list of sites itself."),
    N_("The lens {lens} names no domains, only {kind}, which {name} cannot search."),
    N_("The lens {lens} names no domains, only {kind}, which needs a key."),
    N_("Leave provider out, or choose another lens."),
    N_("Set {names} in .env (.env.example), or choose another lens."),
    N_("{name} cannot be held to the sites of a lens, and listed none of them."),
    N_("Unknown provider {name} for {kind}."),
    N_("Choose among: {names}, or for a search of {kind} {others}."),
    N_("No result of a search for {company} is clearly its own site ({count} looked at)."),
    N_("Give its domain as url."),
    N_("No court is known by the name {court}."),
    N_(
        "Give its id, such as scotus, ca9, nysd or cal, as courtlistener.com lists them, or leave"
        " jurisdiction out."
    ),
    N_("latitude and longitude have to be given together."),
    N_("Give both, or near in their place."),
    N_("This is not a web address: {why}."),
    N_("Give the whole address, or the reference."),
    N_("verify_recommendation takes at most {most} recommendations, not {count}."),
    N_("Give them in several calls."),
    N_("Recommendation {number} has no title."),
    N_("Give what is recommended."),
    N_("The search failed (no search engine is configured)."),
    N_("The search failed ({message})."),
    N_("Set SEARXNG_URL."),
    N_("Try again later."),
    N_("Try again later, or set SEARXNG_URL."),
    N_("Session not found: {session}."),
    N_("Leave sessionId out."),
    N_("searchStep is empty."),
    N_("Say what this step does or found."),
    N_("Step {number} needs its session."),
    N_(
        "Pass the sessionId that step 1 returned, recover it with get_research_session, or start"
        " again at step 1."
    ),
    N_("There is no step {number} in this session."),
    N_("There is no step {number} to revise."),
    N_("There is no step {number} to branch from."),
    N_("It has none yet."),
    N_("It has steps 1 to {number}."),
    N_(
        "Give references, one a line, or an export of a reference manager: BibTeX, RIS or CSL-JSON."
    ),
    N_("URL rejected for {url}: {message} Provide a valid public http(s) URL."),
    N_("Network error on {url}: {message} Check connectivity."),
    N_(
        "Blocked: {url} does not let programs read it. Try an alternative source — its content"
        " can't be read directly. {message}"
    ),
    N_("Blocked: {url} is not for programs to read. Try an alternative source. {message}"),
    N_("Not found: {url} returned 404/410 — the page does not exist. Check the URL. {message}"),
    N_("Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome. {message}"),
    N_("No content extracted from {url}. May need browser rendering. {message}"),
    N_("No content extracted from {url}: {message}"),
    N_("Auth required: {url} is behind a login wall. {message}"),
    N_("Rate limited on {url}. Retry in {wait}. {message}"),
    N_("The site of {url} did not give it: {message}"),
    N_("{url} was not asked: {message}"),
    N_("The site of {url} gave an answer that cannot be read: {message}"),
    N_("{url} could not be read: {message}"),
    N_("Not found: {url} does not exist. Check the URL. {message}"),
    N_("Wait a minute, then try again."),
    N_("Check that this machine reaches the internet, then try again."),
    N_("Try again in a moment, or ask for less at once."),
    N_("The trouble is the service's own: try again in a few minutes."),
    N_("Try again then, or ask another provider."),
    N_("Check its key in .env; .env.example lists every variable."),
    N_("Ask another provider; .env.example lists what each needs."),
    N_("Ask in other words, or for something else."),
    N_("Check the name or number that was asked for."),
    N_("Ask for less at once: fewer results, or a narrower query."),
    N_("Install Chromium, and `python3 run.py extras browser`."),
    N_("Try again later; if it stays so, the service has changed, and Assay has to follow."),
    N_(
        "Check what .env says of the service; if that is right, it has moved, and Assay has to"
        " follow."
    ),
    N_("Try again then."),
    N_("The service turns this machine away, and no other has what it has."),
    N_("No other provider can be asked."),
    N_("Read another page that says the same."),
    N_("Read a page that says the same as text; of files, PDF, Word and PowerPoint are read."),
    N_(
        "max_length changes nothing in that: read a part that has an address of its own, or"
        " another page that says the same."
    ),
    N_("Try again in a few minutes, or read another page that says the same."),
    N_("The service turns this machine away."),
)
#: What is said of models, their servers and the caps of a run, with the next steps.
MODEL_FAILURES = (
    N_("{count} requests were made."),
    N_("The provider asked to wait {seconds} s, longer than this step may wait."),
    N_("Unknown model {name}."),
    N_("Choose one of: {names}, or leave it out."),
    N_("The Gemini model needs a key."),
    N_("Set GEMINI_API_KEY, or choose to use no language model."),
    N_("GEMINI_API_KEY holds characters that no key has."),
    N_("No Gemini model is named."),
    N_("Set ASSAY_GEMINI_MODELS, or leave it out."),
    N_("The address of the Gemini API cannot be used."),
    N_("The openai model needs the address of a server."),
    N_("Set ASSAY_OPENAI_BASE_URL, such as http://localhost:11434/v1."),
    N_("No model of the OpenAI-compatible server is named."),
    N_("Set ASSAY_OPENAI_MODELS; Settings lists the models found at the address."),
    N_("ASSAY_OPENAI_API_KEY holds characters that no key has."),
    N_("Set it again, or leave it out."),
    N_("ASSAY_OPENAI_BASE_URL cannot be used."),
    N_("{model} could not be reached ({why})."),
    N_("See ASSAY_GEMINI_URL."),
    N_("See ASSAY_OPENAI_BASE_URL."),
    N_("Use the name that is in the certificate, or http:// for a local server."),
    N_("Does its address begin with http:// instead of https://?"),
    N_("Is the name spelled correctly?"),
    N_("In a container, localhost is the container."),
    N_("Did it run out of memory, or end?"),
    N_("Is the server at ASSAY_OPENAI_BASE_URL running? For Ollama: `ollama serve`."),
    N_("Try again: it may be busy, or still starting."),
    N_("Raise ASSAY_OPENAI_TIMEOUT, or choose a smaller model."),
    N_("{model} answered {status}: {words}"),
    N_("{model} answered with an error: {words}"),
    N_("{model} answered something that is not an answer: {why}."),
    N_("{model} answered something that is no answer of a model: {why}."),
    N_("{model} answered in a shape its documentation does not promise."),
    N_("Check the address of the model in .env, or choose another model."),
    N_("{model} refused to answer."),
    N_("{model} refused to answer ({reason})."),
    N_("{model} called no tool."),
    N_("{model} answered nothing."),
    N_("{model} answered nothing ({reason})."),
    N_("{model} answered nothing but its thoughts."),
    N_("Turn its thinking off, or choose another model."),
    N_("The answer of {model} broke off in the middle, before its end arrived."),
    N_("Try again, or choose another model."),
    N_("{model} used up its tokens before it answered (it may think at length)."),
    N_("{model} broke off with an error."),
    N_("{model} broke off with an unusable tool call ({reason})."),
    N_("{model} was cut off in the middle of its answer."),
    N_("{model} repeated itself in the middle of its answer."),
    N_("{model} was asked twice for JSON and gave none that can be used: {reason}."),
    N_("Choose a model that follows a schema better."),
    N_("{model} rejects every form of the request."),
    N_("{model} answered too late."),
    N_("There is no other model to ask."),
    N_("The answer of the model is far too long."),
    N_(
        "The request has about {count} tokens and its answer needs {answer}, and {model} has room"
        " for {most} together."
    ),
    N_("Raise ASSAY_OLLAMA_CONTEXT (the model and the memory must allow it)."),
    N_(
        "Raise ASSAY_OLLAMA_CONTEXT (the model and the memory must allow it), or choose the quick"
        " mode."
    ),
    N_("The offline model cannot answer {kind}."),
    N_(
        "Choose the planned strategy, or set GEMINI_API_KEY or ASSAY_OPENAI_BASE_URL and"
        " choose that"
        " model."
    ),
    N_("The passages hold no sentence that can be quoted."),
    N_("The judge is refused: {message}"),
    N_("The writer is refused: {message}"),
    N_("This provider does not serve the place you are in."),
    N_("Other models that are configured: {names}."),
    N_("Models at this address: {names}."),
    N_("Choose one of them (ASSAY_OPENAI_MODELS)."),
    N_("Choose one of them."),
    N_("Choose another model."),
    N_("Check the name of the model."),
    N_("To download it: `ollama pull {name}`."),
    N_("Choose a model that calls tools, or the planned strategy."),
    N_("Choose a model that answers in text; this one is for other tasks."),
    N_("Set ASSAY_OPENAI_API_KEY, or choose another model."),
    N_("Subscribe at the provider, or choose another model."),
    N_("Check ASSAY_OPENAI_API_KEY."),
    N_("Check ASSAY_OPENAI_BASE_URL (it mostly ends in /v1) and ASSAY_OPENAI_MODELS."),
    N_("Check the name of the model (ASSAY_OPENAI_MODELS)."),
    N_("Ask in other words, or choose another model."),
    N_("Wait, or choose another model."),
    N_("Choose the quick mode, or a model or server with a longer context."),
    N_("Choose a model or server with a longer context."),
    N_("Add credit at the provider (account of ASSAY_OPENAI_API_KEY), or choose another model."),
    N_("Use a key with billing or another model, or choose to use no language model."),
    N_("Use a key with billing, or choose another model."),
    N_("Check GEMINI_API_KEY, or choose another model."),
    N_("Check ASSAY_GEMINI_MODELS and ASSAY_GEMINI_URL, or choose another model."),
    N_("Wait, use another key, or choose another model."),
    N_("Check GEMINI_API_KEY, or choose to use no language model."),
    N_("Check ASSAY_GEMINI_MODELS and ASSAY_GEMINI_URL, or choose to use no language model."),
    N_("Check ASSAY_GEMINI_MODELS: this model does not exist or is no longer served."),
    N_("Ask in other words, or choose to use no language model."),
    N_("Wait, use another key, or choose to use no language model."),
    N_("Add credit or billing to the project of GEMINI_API_KEY, or choose another model."),
    N_("The model takes no requests for another {seconds} s, and the run has no time to wait."),
    N_("Ask again with a longer limit on the time."),
    N_("The run was stopped; no further calls are made."),
    N_("The cap of 1 model call was reached."),
    N_("The cap of {count} model calls was reached."),
    N_("The cap of 1 token was reached."),
    N_("The cap of {count} tokens was reached."),
    N_("The cap of {count} US dollars was reached."),
    N_("The cap of {count} seconds was reached."),
    N_("One call would cost about {cost} US dollars, more than the cap of {cap} US dollars."),
    N_("One call would cost about {cost} US dollars; the cap of {cap} US dollars leaves {count}."),
    N_("Ask again with a higher limit; what was gathered stays in the log."),
)
#: The same in sessions of earlier versions.
EARLIER_MODEL_FAILURES = (
    N_("The request has about {count} tokens, and {model} reads {most} at once."),
    N_("The model is rate limited for another {seconds} s, and the run has no time to wait."),
    N_("Set GEMINI_API_KEY, or choose the offline model."),
    N_("Use a key with billing, another model, or the offline model."),
    N_("Check GEMINI_API_KEY, or choose the offline model."),
    N_("Check ASSAY_GEMINI_MODELS and ASSAY_GEMINI_URL, or choose the offline model."),
    N_("Ask in other words, or choose the offline model."),
    N_("Wait, use another key, or choose the offline model."),
)
#: What is said of the database and the page cache, with the next steps.
STORE_FAILURES = (
    N_("The database is locked by another process."),
    N_("Close the other program, then try again; nothing recorded is lost."),
    N_("The disk is full."),
    N_("The disk refused a write (full, over a quota, or failing)."),
    N_("Free some space, then try again; nothing recorded is lost."),
    N_("The database file is damaged."),
    N_("Start again: it will be set aside, not overwritten, and a new one made."),
    N_("The database cannot be written to."),
    N_("Check the permissions of ASSAY_HOME."),
    N_("The database file cannot be opened."),
    N_("Check that ASSAY_HOME exists and may be written to."),
    N_("The database server does not answer."),
    N_("Check ASSAY_DATABASE_URL and that the server runs."),
    N_("The database refused: {reason}."),
    N_("Check ASSAY_DATABASE_URL and the disk."),
    N_("A name or text holds a NUL character or half a character, which cannot be stored."),
    N_("Give it without, as UTF-8."),
    N_(
        "The database is of an earlier version, and cannot be written to, so it cannot be"
        " brought up"
        " to date."
    ),
    N_("Copy it to a folder you may write to, and set ASSAY_HOME to that folder."),
    N_("The folder {folder} cannot be made: {reason}."),
    N_("Set ASSAY_HOME to a folder you may write to."),
    N_("{path} is not a database of Assay's; it was left as it is."),
    N_("Check ASSAY_DATABASE_URL and ASSAY_HOME."),
    N_("The database {path} cannot be read: {reason}."),
    N_("Check its permissions."),
    N_("The database {path} is damaged. It has been set aside as {name}."),
    N_("Start again: a new one will be made. `assay data salvage` then recovers what can be read."),
    N_(
        "A sealed row of the database cannot be opened: it was changed, or moved from another"
        " place."
    ),
    N_("Put back a copy of the database from before; what other rows hold is not affected."),
    N_("A row of the database is damaged: it cannot be decompressed."),
    N_("Put back a copy of the database from before; other rows are not affected."),
    N_("What this database holds was sealed with another key than the one that is set."),
    N_("What this database holds was sealed with a key, and none is set."),
    N_(
        "Set CACHE_ENCRYPTION_KEY to that key; if you have changed it, put the old one into"
        " CACHE_ENCRYPTION_KEY_PREV."
    ),
    N_("There is already a session {id}."),
    N_("No more than 1 call of tools may be made a day (UTC)."),
    N_("No more than {count} calls of tools may be made a day (UTC)."),
    N_("Try again tomorrow, or have the limit of calls a day raised."),
    N_("The page cache could not be used. {message}"),
)
#: What is said of settings of a run, plans, reports and lists to check.
OTHER_FAILURES = (
    N_("A question has {count} characters; the limit is {most}: “{start}…”."),
    N_("A query has {count} characters; the limit is {most}: “{start}…”."),
    N_("Remove some."),
    N_("{name} must be between 0 and 1, not {value}."),
    N_("Change it and try again."),
    N_("Change it, or leave it out."),
    N_("The cap on {name} must be 0 or more, not {value}."),
    N_("The agentic strategy makes no plan to approve."),
    N_("Choose the planned strategy, or turn off plan approval."),
    N_("The exhaustive mode reads {least} to {most} sources, not {count}."),
    N_("Choose a number in between, or another mode for fewer."),
    N_("{name} is larger than {size} MB."),
    N_("Give the report alone."),
    N_("The report cannot be read: {message}"),
    N_("“{file}” cannot be read: {message}"),
    N_("Save it as Markdown, HTML, DOCX or PDF."),
    N_("The report has {count} characters; at most {most} are read."),
    N_("The report names {count} sources; at most {most} are checked."),
    N_("Split it and check the parts."),
    N_("None of it could be read. {why}"),
    N_("Give references, one a line, or an export."),
    N_("This session lists no source on the web yet."),
    N_("Wait for its report, or choose another session."),
    N_("Unknown mode {name}."),
    N_("{mode} mode: {why}."),
    N_("Change the threshold and try again."),
    N_("The {mode} mode has a fixed number of sources."),
    N_("Choose the {mode} mode, or leave the number out."),
    N_("Unknown strategy {name}."),
    N_("Unknown length {name}."),
    N_("Nothing is known of a host by {name}."),
    N_("The credibility policy has no tiers."),
    N_("Keep at least one; the last is for every other host."),
    N_("No search engine is chosen."),
    N_("Choose the library, a web engine, or both."),
    N_("{name} cannot be {value}: {why}."),
    N_("Its meaning: {meaning}"),
)
#: What is said of bibliographies, reports to check and snapshots, with the next steps.
CITATION_FAILURES = (
    N_("The bibliography is empty."),
    N_("Give the text of a BibTeX, RIS or CSL-JSON file."),
    N_("Line 1: this is no text but a file's bytes, or text in another encoding."),
    N_("Save the file as UTF-8."),
    N_("Line 1: there is no entry in this, read as {format}."),
    N_("Line {line}: this is {format}, which Assay does not read."),
    N_(
        "Export the references as BibTeX, RIS or CSL-JSON, as Zotero, EndNote, Mendeley and most"
        " databases do, and give that."
    ),
    N_("“{name}” is a folder."),
    N_("Give one report in it."),
    N_("Give a report as a file or web address, or - for standard input."),
    N_("Give a report in Markdown, or - for standard input."),
    N_("There is no file “{name}”."),
    N_("This session holds no report to check."),
    N_("Start it with `assay audit FILE`."),
    N_(
        "Address refused: it holds a key, a token or a signature, and a snapshot would make it"
        " public."
    ),
    N_("Address refused: {why}."),
    N_("Give the address of a page that this installation may read."),
    N_("Give the address of a public web page, http or https."),
    N_("Give the address without it."),
    N_("{name} is not set, and the other of the pair is."),
    N_("Set both of them, or neither."),
)
#: What is said of plans and of writing a report, with the next steps.
WRITING_FAILURES = (
    N_("No plan was made: {message}"),
    N_("The model made no plan, so rules made it: {message}"),
    N_("The model could not choose tools, so the run was planned: {message}"),
    N_("The model chose nothing to search or read."),
    N_("The model chose what to search and read, in 1 round."),
    N_("The model chose what to search and read, in {count} rounds."),
    N_("It could not go on: {message}"),
    N_("A run has at most {count} rounds."),
    N_("1 tool call of the model failed: {message}"),
    N_("{count} tool calls of the model failed: {message}"),
    N_("1 more tool call of the model failed for other reasons."),
    N_("{count} more tool calls of the model failed for other reasons."),
    N_("Gaps were not looked for: {message}"),
    N_("the model's answer could not be read."),
    N_("Rules made the plan: {message}"),
    N_(
        "Only the first {count} questions were searched for. Ask the others separately: {questions}"
    ),
    N_("Approved, but without a place in {mode} mode: {queries}."),
    N_("The report could not be written: {message}"),
    N_("No source has a passage that could be cited."),
    N_("Widen the search, or lower the thresholds."),
    N_("The model wrote no report."),
    N_("Resume the session: what was gathered is kept."),
    N_("The plan has {count} queries; this mode uses at most {most}."),
    N_("The plan has {count} sub-questions; this mode uses at most {most}."),
    N_("A sub-question has {count} characters; the limit is {most}: “{start}…”."),
)
#: What is said of settings, of the owner's files and of models on this machine.
SETTING_FAILURES = (
    N_("{setting}: {file} is not a table of hosts: {why}."),
    N_("{setting}: {file} is not a lens: {why}."),
    N_("Correct it, or leave {setting} empty for Assay's own table."),
    N_("Correct it, or take it out of the folder that {setting} names."),
    N_("{address} cannot be used as the address of a service. {message}"),
    N_("The embedding model is not installed."),
    N_("The embedding model is not the file that was checked, so it is not used."),
    N_("The embedding model cannot be read: {reason}."),
    N_("The embedding model cannot run here: {reason}."),
    N_("Install Assay again: remove the folder .venv and run `python3 run.py`."),
    N_("Set ASSAY_SEMANTIC=0 to go by words alone."),
    N_("There is no file {path}."),
    N_("{file} has no label “entailment”."),
    N_("{file} is no tokenizer that is understood."),
    N_("The entailment model {path} cannot be loaded."),
    N_("The entailment model cannot run here: {reason}."),
    N_("The entailment model asks for unknown inputs: {names}."),
    N_("The entailment model has {count} outputs; its config.json names more."),
    N_("The labels of the entailment model cannot be read from {file}."),
    N_("The tokenizer of the entailment model cannot be read: {file}."),
    N_("Correct ASSAY_ENTAILMENT_MODEL, or remove it to do without the model."),
    N_("Use a model whose tokenizer.json is of the kind Unigram or WordPiece."),
)
#: What is said of commands of the command line, with the next steps.
COMMAND_FAILURES = (
    N_("`assay resume {session}` continues from here."),
    N_("`assay resume {session}` continues from here, or with `--model NAME` with another model."),
    N_("`assay resume {session}` continues from here, or with `--judge NAME` with another judge."),
    N_(
        "`assay resume {session}` continues from here, or with `--writer NAME` with another writer."
    ),
    N_("--engine and --no-web cannot be combined."),
    N_("Omit one of them."),
    N_("The library name is empty."),
    N_("Give a name or a path after --library, or omit it."),
    N_("Set GEMINI_API_KEY or ASSAY_OPENAI_BASE_URL, or choose the planned strategy."),
    N_("Session {session} is still running in another process."),
    N_("To stop it, use `assay cancel {session}`."),
    N_("Only one report can be checked at a time."),
    N_("Name one file."),
    N_("The report is at a web address, and --no-web asks nothing on the web."),
    N_("Save the report as a file and check that, or leave --no-web out."),
    N_("Session {session} is no check of a report."),
    N_("Session {session} has no report yet."),
    N_("Session {session} read no page from the web."),
    N_("The evidence pack (`--format zip`) contains the texts it read."),
    N_("{format} cannot be shown in a terminal."),
    N_("Add `--out {file}`, or redirect the output to a file."),
    N_("A check has no format for files that end in {ending}."),
    N_("End the name in {endings}, or add --format."),
    N_("Argument {number} ({argument}) contains {what}, which is not allowed."),
    N_("Remove it, or rename the file if it is part of a file name."),
    N_("The operating system reported an error: {reason}."),
    N_("No damaged database was set aside, and the one in use is sound."),
    N_("Give the FILE, if it is elsewhere."),
    N_("The database is not an SQLite file."),
    N_("Restore a backup."),
    N_("This permanently deletes your sessions, memories, contributions and consents."),
    N_(
        "This permanently deletes your sessions, memories, contributions and consents, and"
        " {libraries}"
    ),
    N_("To confirm, run `assay data erase --yes`."),
    N_("You are not a member of {name}."),
    N_("`assay data show` lists your workspaces."),
    N_("One of the paths or addresses is empty."),
    N_("For the current folder, use `.`."),
    N_("Two libraries are given."),
    N_("No library is given."),
    N_(
        "`assay library remove NAME` removes a whole library, `assay library remove NAME"
        " DOCUMENT` one document; `assay library list` lists the libraries."
    ),
    N_(
        "`assay library add FOLDER --name {library}` adds to it; `assay library list` lists the"
        " libraries."
    ),
    N_("--out and --json both name {path}."),
    N_("Give each a file of its own."),
    N_("The result would replace {path}, which is read."),
    N_("Give another file."),
    N_("{path} cannot be written: it is a folder."),
    N_("{path} cannot be written: there is no folder {folder}."),
    N_("Give a file in an existing folder."),
    N_("The report is stored; `assay export {session}` writes it to another file."),
    N_("{host} is not a host: {why}."),
    N_("{host} is not a web host."),
    N_("Give one such as example.org."),
    N_("The reason is empty."),
    N_("Say in a few words why you rate the host so."),
    N_("{name} is not text, or its encoding is unknown."),
    N_("Save the report as Markdown in UTF-8."),
    N_("This installation of Assay has no screens."),
    N_("Install the wheel assay-research, or use a checkout."),
    N_("--host and --port need --http."),
    N_("Add --http."),
    N_("--json is not JSON: {reason}."),
    N_('Give an object, such as --json \'{{"query": "tea"}}\'.'),
    N_("There is no audit log to check."),
    N_("Give a file, or set AUDIT_LOG_PATH."),
    N_("--expect is not a hash."),
    N_("Give the 64 digits that an earlier `assay audit-log verify` printed last."),
)
#: What is said of lists of ratings, with the next steps.
RATING_FAILURES = (
    N_("The list has {count} bytes; {most} are read."),
    N_("{path} is larger than {most} bytes."),
    N_("Leave out columns that are not needed."),
    N_("The list has more than {most} rows."),
    N_("Leave out hosts that you will not meet."),
    N_("There is no row in this list."),
    N_("No row of this list can be read ({reason})."),
    N_("The list is no text."),
    N_("The list is no text ({reason} at byte {place})."),
    N_("The list is no table ({reason})."),
    N_("The list is no JSON ({reason})."),
    N_("Give a CSV, TSV or JSON file with a host and a rating in each row."),
    N_("No column of this list is known to hold the host; it has {names}."),
    N_("No column of this list is known to hold the rating; it has {names}."),
    N_("There is no column {name}; it has {names}."),
    N_("Name the column with --domain."),
    N_("Name the column with --value."),
    N_("Download the file and add it as a file."),
    N_("Download the file, look at it, and add it as a file."),
    N_(
        "What is at the address of {address} is not the edition that was checked (SHA-256"
        " {digest}…, expected {expected}…). Nothing was imported."
    ),
    N_("{name} is no name for a list."),
    N_("Use up to 40 letters, digits, dots and hyphens."),
    N_("{name} is the name of a published list, and this is not its edition."),
    N_("Give it another with --name."),
    N_("The scale has no length."),
    N_("Give the lowest rating first, then the highest."),
    N_("Give a file, an address, or one of: {names}."),
    N_(
        "The ratings go from {low} to {high}, and no usual scale (0 to 1, 5, 10 or 100) holds them."
    ),
    N_("Say which it is, the worst first: --scale LOW-HIGH, such as --scale 1-7 or --scale=-5-5."),
    N_("There is no list of ratings called {name}."),
    N_("`assay ratings list` names those there are."),
    N_("{path} cannot be read: {reason}."),
)
#: All messages and next steps.
FAILURES = (
    *FETCH_FAILURES,
    *FETCH_NEXT_STEPS,
    *SEARCH_FAILURES,
    *PROVIDER_FAILURES,
    *INPUT_FAILURES,
    *SESSION_FAILURES,
    *LIBRARY_FAILURES,
    *USER_DATA_FAILURES,
    *TOOL_FAILURES,
    *MODEL_FAILURES,
    *EARLIER_MODEL_FAILURES,
    *STORE_FAILURES,
    *OTHER_FAILURES,
    *CITATION_FAILURES,
    *WRITING_FAILURES,
    *SETTING_FAILURES,
    *COMMAND_FAILURES,
    *RATING_FAILURES,
)
#: Values of the messages that are words: types of files, outcomes of attempts to read a page, what
#: a library leaves out, states of sessions, what is searched for, and what is wrong with an
#: address, a mode or an answer.
VALUES = (
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
    N_("a link to a folder, which is not followed"),
    N_("a link that leads nowhere"),
    N_("no plain file"),
    N_("it cannot be looked at: {reason}"),
    N_("what a page is drawn with"),
    N_("answered with status {status}"),
    N_("no page"),
    *(state.word for state in SESSION_STATES.values()),
    N_("closed"),
    N_("the address holds characters that no address can hold"),
    N_("not a web address: it must start with http:// or https://, not {start}"),
    N_("a backslash in the host part"),
    N_("the address names no host"),
    N_("port 0 cannot be reached"),
    N_("{name} is no host name"),
    N_("its certificate is not accepted"),
    N_("it does not speak TLS"),
    N_("the name in its address could not be found"),
    N_("it closed the connection before it had answered"),
    N_("the connection was refused"),
    N_("the connection failed"),
    N_("it is nested too deeply"),
    N_("it is no JSON"),
    N_("it has another shape than the documented one"),
    N_("web pages"),
    N_("news"),
    N_("images"),
    N_("scholarly works"),
    N_("citations of works"),
    N_("patents"),
    N_("company filings"),
    N_("court opinions"),
    N_("economic series"),
    N_("clinical trials"),
    N_("places"),
    N_("answers"),
    N_("structured results"),
    N_("it is not JSON"),
    N_("it is not XML"),
    N_("it is no JSON object with fields"),
    N_("it is no page"),
    N_("it is no whole page"),
    N_("it is no list of objects"),
    N_("its results are no list of objects"),
    N_("there are no results in it"),
    N_("no result has an address"),
    N_("no result has the field {name}"),
    N_("a field of a result is not text"),
    N_("it holds no results and does not say that there are none"),
    N_("its layout is not the one ddgs knows"),
    N_("there is no {path} in it"),
    N_("{path} is no list of objects"),
    N_("{path} is no list of texts"),
    N_("{path} is not text"),
    N_("{path} is not a number"),
    N_("{path} is not a whole number"),
    N_("{path} is neither true nor false"),
    N_("it is no JSON, or too deep"),
    N_("its root is no object with properties"),
    N_("it has {count} properties"),
    N_("the property {name} is neither simple nor a list of simple values"),
    N_("it cannot be read ({reason})"),
    N_("it is not JSON ({reason})"),
    N_('there is no object "domains" in it'),
    N_('it has to say its "version" and its "basis"'),
    N_("{name} is no host: {why}"),
    N_("{name} is no host in lower case, without scheme and path"),
    N_("the tier of {name} is none of {names}"),
    N_("the note of {name} is no text"),
    N_("it is no object"),
    N_("{name} is no field of a lens"),
    N_("its {name} is no text"),
    N_("its name has to be of lower-case letters, digits, - and _"),
    N_("it has no description"),
    N_("its domains are no list of texts"),
    N_("its cx {id} is no id of an engine at Google"),
    N_("its goggle {address} is no https address"),
    N_("it has neither domains nor a cx nor a goggle"),
    N_("the domain {name} has a scheme; it has to be a host or host/path"),
    N_("the domain {name} cannot be used: {why}"),
    N_("a place is a host or a host with a path, and nothing else"),
    N_("it names nothing"),
    N_("{name} is not one of the models: {names}"),
    N_("{name} is not one of the languages: {names}"),
    N_("{name} is not one of the engines: {names}"),
    N_("{name} is not one of the sites: {names}"),
    N_("{name} is not one of the formats: {names}"),
    N_("{name} is not one of the kinds: {names}"),
    N_("{name} is not one of the providers: {names}"),
    N_("{name} is not one of the providers of {purpose}: {names}"),
    N_("only gemini and openai can be followed by a colon and the name of a model"),
    N_("{name} is no domain"),
    N_("it must start with http:// or https://"),
    N_("it names no host or no usable port"),
    N_("it must end before its “?” or “#”"),
    N_("it must start with sqlite:/// or postgresql+psycopg://"),
    N_("it must be a number"),
    N_("it must be a whole number"),
    N_("it must be above 0 and finite"),
    N_("it must be from 0 to 60"),
    N_("it has {count} characters, and needs 64 hexadecimal digits"),
    N_("it must be at least 1"),
    N_("it has {count} characters; it needs at least 16, all of printable ASCII"),
    N_("it must start with https://, unless it is on this machine"),
    N_("it is an address without a query, a fragment and a user"),
    N_("{name} is no origin, such as https://app.example.org"),
    N_("it must be 0 or more"),
    N_("it must be from 0 to 65535"),
    N_("it must be 0, or from 180 to 3650"),
    N_("it must be 1, 0 or empty"),
    N_("it must be true or false"),
    N_("a header holds only printable ASCII"),
    N_("it is no e-mail address"),
    N_('the JSON must be an object such as {{"web": ["brave", "searxng"]}}'),
    N_("{name} takes a list of providers"),
    N_("a NUL character"),
    N_("bytes that are not UTF-8"),
    N_("half a character"),
    N_("relevance_cutoff must be between 1 and 5"),
    N_("min_sources_short_report must be at least 1"),
    N_("min_sources_short_report must be ≤ min_sources_full_report"),
    N_("min_sources_full_report must be ≤ max_sources"),
    N_("the shares of the queries exceed max_sources"),
)
_FIELD = re.compile(r"\{\w+\}")
_SENTENCE_END = re.compile(r"(?<=[.?]) ")
#: Values that hold no end of a sentence, so that they never begin with the sentence before theirs.
_NAMES = frozenset({"service", "host", "name", "session", "model"})


def describe_failure(error: ResearchError) -> str:
    """Return message and next step as one line, in the current language."""
    return join_sentences([translate_failure(error.message), translate_failure(error.next_step)])


def translate_failure(message: str) -> str:
    """Return the message or next step of a failure in the current language.

    A message that the tables lack stays as it is.
    """
    if current_language() in (SOURCE_LANGUAGE, EARLIER_ENGLISH):
        return message
    known = find_failure_text(message) or find_value_text(message)
    if known is None:
        return _translate_sentences(message) or gettext(message)
    text, values = known
    if any(_SENTENCE_END.search(value) for value in values.values()):
        # A value may have taken in a next step that is a text of its own.
        translated = _translate_sentences(message)
        if translated:
            return translated
    for field, translate in _TRANSLATE_VALUE.items():
        if field in values:
            values[field] = translate(values[field])
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
    """Return a value in the current language; one that VALUES lacks stays as it is."""
    known = find_value_text(value)
    return gettext(known[0]).format(**known[1]) if known else value


def _translate_outcomes(outcomes: str) -> str:
    """Return the outcomes of attempts to read a page, "tier: outcome, …", in the language."""
    attempts = (attempt.partition(": ") for attempt in outcomes.split(", "))
    return join_list(
        [f"{tier}{colon}{_translate_value(outcome)}" for tier, colon, outcome in attempts]
    )


#: The fields whose values are texts themselves.
_TRANSLATE_VALUE: dict[str, Callable[[str], str]] = {
    "message": translate_failure,
    "kind": _translate_value,
    "state": _translate_value,
    "why": _translate_value,
    "what": _translate_value,
    "meaning": gettext,
    "outcomes": _translate_outcomes,
}


def find_failure_text(message: str) -> tuple[str, dict[str, str]] | None:
    """Return the text that a message or next step fills in, and its values; None if none."""
    return _find_text(message, FAILURES)


def find_value_text(value: str) -> tuple[str, dict[str, str]] | None:
    """Return the text in VALUES that a value fills in, and its own values; None if none."""
    return _find_text(value, VALUES)


def _find_text(message: str, texts: tuple[str, ...]) -> tuple[str, dict[str, str]] | None:
    for text, pattern in _compile_texts(texts):
        found = pattern.fullmatch(message)
        if found:
            return text, found.groupdict()
    return None


def _build_value(field: str) -> str:
    if field == "url":
        return r"\S{1,2048}?"
    if field == "key":  # the name of a setting
        return "[A-Z][A-Z_]{1,60}"
    return r"(?:(?![.!?]\s).){1,600}?" if field in _NAMES else ".{1,600}?"


@cache
def _compile_texts(texts: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each text with the pattern of its messages, the most specific first."""
    rows = [(text, compile_message(text, _build_value)) for text in texts]
    rows.sort(key=lambda row: (not row[0].startswith("{message}"), -len(_FIELD.sub("", row[0]))))
    return tuple(rows)
