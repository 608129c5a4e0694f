"""Define what the machine's owner configures, and read it from the environment.

Nothing else reads the environment. One table of rows serves the reader, the checks and
`.env.example`, so that the three cannot disagree.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from research_core.errors import SettingsError
from research_core.values import (
    SITES,
    parse_address,
    parse_admin_key,
    parse_count,
    parse_database_url,
    parse_ddgs_engines,
    parse_domains,
    parse_header,
    parse_issuer,
    parse_key,
    parse_language,
    parse_limit,
    parse_list,
    parse_mail,
    parse_model,
    parse_names,
    parse_origins,
    parse_pause,
    parse_retention,
    parse_routing,
    parse_seconds,
    parse_sites,
    parse_span,
    parse_switch,
    parse_truth,
)

T = TypeVar("T")
#: Search engines asked through ddgs, in order; several are asked, so that one refusal does not
#: empty a search.
DDGS_ENGINES = ("duckduckgo", "brave", "mojeek", "wikipedia")
GEMINI_MODELS = ("gemini-3.8-flash", "gemini-3.5-flash-lite")
EXA_ADDRESS = "https://api.exa.ai"

#: Timeouts in seconds. "page": Markdown and HTML share one request. "search": one call of a
#: provider. "tool": a whole tool call, whatever it asks.
TIMEOUTS_S = {
    "page": 15.0,
    "browser": 30.0,
    "archive": 15.0,
    "exa": 30.0,
    "search": 10.0,
    "tool": 60.0,
}


@dataclass(frozen=True)
class Settings:
    """The configuration of this process. Secrets stay out of `repr`, events and logs."""

    home: Path
    database_url: str = field(repr=False)  # it may hold a password
    model: str = "auto"
    writer: str = ""
    judge: str = ""
    gemini_api_key: str = field(default="", repr=False)
    gemini_base_url: str = ""
    gemini_models: tuple[str, ...] = GEMINI_MODELS
    openai_base_url: str = field(default="", repr=False)  # it may hold a password
    openai_api_key: str = field(default="", repr=False)
    openai_models: tuple[str, ...] = ()
    openai_timeout_s: float = 120.0
    openai_calls_at_once: int = 0
    ollama_context: int = 16_384
    searxng_url: str = field(default="", repr=False)  # so may this
    searxng_auth: str = field(default="", repr=False)
    ddgs_engines: tuple[str, ...] = DDGS_ENGINES
    contact: str = "+contact"
    language: str = "en"
    workers: int = 24
    busy_timeout_s: float = 30.0
    worker_only: bool = False
    semantic: bool = True
    recommendations: bool = True
    session_ttl_s: float = 14_400.0
    session_max_steps: int = 200
    retention_days: int = 0
    memory: bool = False
    memory_retention_s: float = 90 * 86_400.0
    workspaces: bool = False
    workspace_retention_s: float = 30 * 86_400.0
    analytics: bool = False
    archive_key: str = field(default="", repr=False)
    archive_secret: str = field(default="", repr=False)
    components: bool = False
    host_delay_s: float = 0.2
    robots: bool = True
    cache_encryption_key: str = field(default="", repr=False)
    cache_encryption_key_prev: str = field(default="", repr=False)
    allowed_domains: tuple[str, ...] = ()
    sites: tuple[str, ...] = SITES
    archive: bool = True
    exa_api_key: str = field(default="", repr=False)
    chrome_path: str = ""
    browser_sandbox: bool = True
    routing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    google_api_key: str = field(default="", repr=False)
    google_engine: str = ""
    brave_api_key: str = field(default="", repr=False)
    serper_api_key: str = field(default="", repr=False)
    searchapi_api_key: str = field(default="", repr=False)
    tavily_api_key: str = field(default="", repr=False)
    openalex_api_key: str = field(default="", repr=False)
    openalex_email: str = ""
    unpaywall_email: str = ""
    pubmed_api_key: str = field(default="", repr=False)
    semantic_scholar_api_key: str = field(default="", repr=False)
    epo_key: str = field(default="", repr=False)
    epo_secret: str = field(default="", repr=False)
    lens_api_token: str = field(default="", repr=False)
    uspto_api_key: str = field(default="", repr=False)
    edgar_contact_email: str = ""
    courtlistener_api_token: str = field(default="", repr=False)
    fred_api_key: str = field(default="", repr=False)
    lenses_path: str = ""
    reputation_path: str = ""
    audit_path: str = ""
    audit_queries: bool = False
    audit_max_bytes: int = 100 * 2**20
    audit_retention_days: int = 180
    tool_groups: tuple[str, ...] = ()
    compact_tools: bool = False
    issuer: str = ""
    audience: str = ""
    jwks_url: str = ""
    enforce_scopes: bool = False
    admin_key: str = field(default="", repr=False)
    admin_key_prev: str = field(default="", repr=False)
    per_minute: int = 120
    per_second: int = 1_000
    per_day: int = 5_000
    per_address: int = 0
    calls_per_day: int = 0
    cors_origins: tuple[str, ...] = ()
    public_url: str = ""
    trusted_proxies: tuple[str, ...] = ()
    metrics_tenants: bool = False

    @property
    def user_agent(self) -> str:
        return f"ResearchAgent/1.0 ({self.contact})"

    @property
    def agents(self) -> Mapping[str, str]:
        """The User-Agent by domain for sites that require an e-mail (the SEC); "" if unset."""
        email = self.edgar_contact_email
        return {"sec.gov": f"ResearchAgent/1.0 {email}" if email else ""}

    @property
    def endpoints(self) -> frozenset[str]:
        """Configured origins (scheme://host:port); only calls marked `endpoint` may use them."""
        named = (
            self.searxng_url,
            self.gemini_base_url,
            self.openai_base_url,
            EXA_ADDRESS if self.exa_api_key else "",
            self.issuer,
            self.jwks_url,
        )
        return frozenset(origin_of(url) for url in named if url)

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Third parties that may be asked for a page its own site refuses: "archive", "exa"."""
        allowed = not self.allowed_domains or any(
            ".archive.org".endswith(f".{name}") for name in self.allowed_domains
        )
        names: list[str] = []
        if self.archive and allowed:
            names.append("archive")
        if self.exa_api_key:
            names.append("exa")
        return tuple(names)

    @property
    def rules(self) -> str:
        """The settings that decide which addresses may be asked; part of every cache key."""
        return repr((sorted(self.allowed_domains), sorted(self.endpoints), self.robots))

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """Read every row of `SETTING_ROWS`.

        Raises SettingsError naming the variable and what it takes.
        """
        env = os.environ if env is None else env
        values = {row.field: row.read(env) for row in SETTING_ROWS}
        home = Path(values["home"]).expanduser().absolute()
        values["home"] = home
        values["database_url"] = values["database_url"] or f"sqlite:///{home / 'assay.db'}"
        # One e-mail address is enough for all services that ask for one.
        for name in ("unpaywall_email", "edgar_contact_email"):
            values[name] = values[name] or values["openalex_email"]
        return cls(**values)


@dataclass(frozen=True)
class SettingRow:
    """One environment variable: its field, meaning, default as text, and parser.

    hidden: an unreadable value is not shown, being most of a key.
    """

    name: str
    field: str
    meaning: str
    default: str = ""
    parse: Callable[[str], Any] = str
    hidden: bool = False

    def read(self, env: Mapping[str, str]) -> Any:
        """Parse the variable's value. Raises SettingsError."""
        text = env.get(self.name, "").strip() or self.default
        try:
            return self.parse(text)
        except ValueError as error:
            # Shown without user and password.
            shown = "…" if self.hidden else re.sub(r"//[^/]*@", "//…@", text)
            raise SettingsError(
                f"{self.name} cannot be {shown!r}: {error}.",
                next_step=f"Its meaning: {self.meaning}",
            ) from error


def is_possible_key(key: str) -> bool:
    """Return True if a key can be sent in a header: printable ASCII without spaces."""
    return key.isascii() and key.isprintable() and " " not in key


def origin_of(url: str) -> str:
    """Return scheme://host:port of an address, with the port always written."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}"


SETTING_ROWS = (
    SettingRow(
        "ASSAY_HOME",
        "home",
        "the folder where sessions, the library index and saved reports live.",
        "~/.assay",
    ),
    SettingRow(
        "ASSAY_DATABASE_URL",
        "database_url",
        "sqlite:///PATH (the default, in ASSAY_HOME) or postgresql+psycopg://…",
        "",
        parse_database_url,
    ),
    SettingRow(
        "ASSAY_MODEL",
        "model",
        "auto (Gemini when it has a key, else openai when it has an address and a model, else"
        " offline), offline, gemini, openai, or one of their models, such as openai:NAME.",
        "auto",
        parse_model,
    ),
    SettingRow(
        "ASSAY_WRITER",
        "writer",
        "the model that writes, where it is another: offline, gemini, gemini:NAME, openai:NAME.",
    ),
    SettingRow(
        "ASSAY_JUDGE",
        "judge",
        "the model that judges relevance and checks sentences, where it is another: offline, gemini,"
        " gemini:NAME, openai:NAME; with Gemini the cheapest of its models.",
    ),
    SettingRow(
        "GEMINI_API_KEY",
        "gemini_api_key",
        "the key of the Gemini API; with it the writer and the judge are Gemini.",
    ),
    SettingRow(
        "ASSAY_GEMINI_URL",
        "gemini_base_url",
        "another address of the Gemini API, or empty.",
        "",
        parse_address,
    ),
    SettingRow(
        "ASSAY_GEMINI_MODELS",
        "gemini_models",
        "Gemini models in order of preference, with commas.",
        ",".join(GEMINI_MODELS),
        parse_names,
    ),
    SettingRow(
        "ASSAY_OPENAI_BASE_URL",
        "openai_base_url",
        "the address of an OpenAI-compatible server (Ollama, LM Studio, vLLM, …; docs/models.md).",
        "",
        parse_address,
    ),
    SettingRow(
        "ASSAY_OPENAI_API_KEY",
        "openai_api_key",
        "the key of that server, where it asks for one.",
    ),
    SettingRow(
        "ASSAY_OPENAI_MODELS",
        "openai_models",
        "models of that server in order of preference, with commas.",
        "",
        parse_list,
    ),
    SettingRow(
        "ASSAY_OPENAI_TIMEOUT",
        "openai_timeout_s",
        "seconds a call of that server may take; the writing of a report, five times as long.",
        "120",
        parse_seconds,
    ),
    SettingRow(
        "ASSAY_OPENAI_CALLS",
        "openai_calls_at_once",
        "calls of that server at once; 0: two in a private network, else ten.",
        "0",
        parse_limit,
    ),
    SettingRow(
        "ASSAY_OLLAMA_CONTEXT",
        "ollama_context",
        "tokens of context (num_ctx) that an Ollama server is asked for.",
        "16384",
        parse_count,
    ),
    SettingRow(
        "SEARXNG_URL",
        "searxng_url",
        "the address of a SearXNG server that answers JSON, or empty.",
        "",
        parse_address,
    ),
    SettingRow(
        "SEARXNG_BASIC_AUTH",
        "searxng_auth",
        "name:password of that server, where it asks for them.",
    ),
    SettingRow(
        "ASSAY_DDGS_ENGINES",
        "ddgs_engines",
        "web search engines asked through ddgs, in order.",
        ",".join(DDGS_ENGINES),
        parse_ddgs_engines,
    ),
    SettingRow(
        "ASSAY_CONTACT",
        "contact",
        "how a site's owner can reach you; part of the User-Agent.",
        "+contact",
        parse_header,
    ),
    SettingRow(
        "ASSAY_LANGUAGE",
        "language",
        "the language of the screens: en, de, fr, es, pt, zh, ja or ar.",
        "en",
        parse_language,
    ),
    SettingRow(
        "ASSAY_WORKERS", "workers", "calls that may run at once in one session.", "24", parse_count
    ),
    SettingRow(
        "ASSAY_BUSY_TIMEOUT",
        "busy_timeout_s",
        "seconds to wait for a locked database.",
        "30",
        parse_seconds,
    ),
    SettingRow(
        "ASSAY_WORKER_ONLY",
        "worker_only",
        "1 when `run.py worker` processes do the research, the app only queues.",
        "",
        parse_switch,
    ),
    SettingRow(
        "ASSAY_SEMANTIC",
        "semantic",
        "0 to go by words alone: in libraries, and in choosing passages and judging.",
        "1",
        parse_switch,
    ),
    SettingRow(
        "ASSAY_HOST_DELAY",
        "host_delay_s",
        "seconds between the starts of two requests for pages of one host (0 to 60).",
        "0.2",
        parse_pause,
    ),
    SettingRow(
        "ASSAY_ROBOTS",
        "robots",
        "1 to heed robots.txt, 0 to read pages that it asks programs not to read.",
        "1",
        parse_switch,
    ),
    SettingRow(
        "CACHE_ENCRYPTION_KEY",
        "cache_encryption_key",
        "64 hexadecimal digits that seal what is stored, or empty.",
        "",
        parse_key,
        True,
    ),
    SettingRow(
        "CACHE_ENCRYPTION_KEY_PREV",
        "cache_encryption_key_prev",
        "the key before, which opens what it sealed; `assay data rotate` does away with it.",
        "",
        parse_key,
        True,
    ),
    SettingRow(
        "ALLOWED_DOMAINS",
        "allowed_domains",
        "the only domains whose pages are read, subdomains included, or empty.",
        "",
        parse_domains,
    ),
    SettingRow(
        "ASSAY_SITES",
        "sites",
        "sites read by readers of their own (x: through FxTwitter), or none.",
        ",".join(SITES),
        parse_sites,
    ),
    SettingRow(
        "ASSAY_ARCHIVE",
        "archive",
        "1 to read a page that is gone from archive.org, 0 not to ask there.",
        "1",
        parse_switch,
    ),
    SettingRow(
        "EXA_API_KEY",
        "exa_api_key",
        "the key of Exa, then paid for searches, answers and pages nothing else can read.",
    ),
    SettingRow(
        "SOURCE_RECOMMENDATIONS",
        "recommendations",
        "true: search_and_scrape names its best sources; false: not.",
        "true",
        parse_truth,
    ),
    SettingRow(
        "GENERATIVE_UI_ENABLED",
        "components",
        "true: search_and_scrape adds cards and a table made by code; false: not.",
        "false",
        parse_truth,
    ),
    SettingRow(
        "CHROME_PATH",
        "chrome_path",
        "the Chromium that runs the scripts of pages (empty: as found on the PATH), or off.",
        "",
    ),
    SettingRow(
        "SEARCH_ROUTING",
        "routing",
        "providers in order of preference, with commas, or a JSON object of such lists by kind.",
        "",
        parse_routing,
    ),
    SettingRow(
        "GOOGLE_CUSTOM_SEARCH_API_KEY", "google_api_key", "the key of Google's Custom Search API."
    ),
    SettingRow(
        "GOOGLE_CUSTOM_SEARCH_ID",
        "google_engine",
        "the id (cx) of your Programmable Search Engine.",
    ),
    SettingRow(
        "BRAVE_API_KEY",
        "brave_api_key",
        "the key of the Brave Search API: web, news, images, places.",
    ),
    SettingRow("SERPER_API_KEY", "serper_api_key", "the key of Serper: web, news, images."),
    SettingRow(
        "SEARCHAPI_API_KEY",
        "searchapi_api_key",
        "the key of SearchAPI.io: web, news, images, patents.",
    ),
    SettingRow("TAVILY_API_KEY", "tavily_api_key", "the key of Tavily: web, news."),
    SettingRow(
        "OPENALEX_API_KEY",
        "openalex_api_key",
        "the key of OpenAlex; without one it allows a few calls a day.",
    ),
    SettingRow(
        "OPENALEX_EMAIL",
        "openalex_email",
        "your e-mail address, which Crossref, Unpaywall and the SEC ask for.",
        "",
        parse_mail,
    ),
    SettingRow(
        "UNPAYWALL_EMAIL",
        "unpaywall_email",
        "an address for Unpaywall, where it is another.",
        "",
        parse_mail,
    ),
    SettingRow(
        "PUBMED_API_KEY",
        "pubmed_api_key",
        "the key of NCBI, which then counts your calls by it; three a second are made all the"
        " same.",
    ),
    SettingRow(
        "SEMANTIC_SCHOLAR_API_KEY",
        "semantic_scholar_api_key",
        "the key of Semantic Scholar, for a rate of your own.",
    ),
    SettingRow(
        "EPO_OPS_CONSUMER_KEY",
        "epo_key",
        "the key of the European Patent Office's Open Patent Services.",
    ),
    SettingRow("EPO_OPS_CONSUMER_SECRET", "epo_secret", "its secret."),
    SettingRow("LENS_API_TOKEN", "lens_api_token", "the token of Lens.org."),
    SettingRow(
        "USPTO_API_KEY", "uspto_api_key", "the key of the US patent office's Open Data Portal."
    ),
    SettingRow(
        "EDGAR_CONTACT_EMAIL",
        "edgar_contact_email",
        "an address for the SEC, where it is another.",
        "",
        parse_mail,
    ),
    SettingRow(
        "COURTLISTENER_API_TOKEN",
        "courtlistener_api_token",
        "the token of CourtListener, for more calls a day.",
    ),
    SettingRow("FRED_API_KEY", "fred_api_key", "the key of FRED, for US time series."),
    SettingRow(
        "IA_ACCESS_KEY",
        "archive_key",
        "the key of the Internet Archive, for archiving sources with an account of yours.",
    ),
    SettingRow("IA_SECRET_KEY", "archive_secret", "its secret."),
    SettingRow(
        "SESSION_TTL",
        "session_ttl_s",
        "how long tools may go on with a session nobody uses: 4h, 90m, or seconds.",
        "4h",
        parse_span,
    ),
    SettingRow(
        "SESSION_MAX_STEPS",
        "session_max_steps",
        "steps one session of sequential_search takes.",
        "200",
        parse_count,
    ),
    SettingRow(
        "ASSAY_RETENTION_DAYS",
        "retention_days",
        "days after which a session nobody touched is deleted; 0: never.",
        "0",
        parse_limit,
    ),
    SettingRow(
        "MEMORY_ENABLED",
        "memory",
        "true: memory_save and memory_recall, for users who consent.",
        "false",
        parse_truth,
    ),
    SettingRow(
        "MEMORY_RETENTION",
        "memory_retention_s",
        "how long a memory is kept: 90d, or another span.",
        "90d",
        parse_span,
    ),
    SettingRow(
        "WORKSPACES_ENABLED",
        "workspaces",
        "true: workspace_contribute and workspace_read, for members who consent.",
        "false",
        parse_truth,
    ),
    SettingRow(
        "WORKSPACE_RETENTION",
        "workspace_retention_s",
        "how long a contribution is kept: 30d, or another span.",
        "30d",
        parse_span,
    ),
    SettingRow(
        "USER_ANALYTICS_ENABLED",
        "analytics",
        "true: get_my_analytics, for users who consent.",
        "false",
        parse_truth,
    ),
    SettingRow(
        "CUSTOM_LENSES_PATH", "lenses_path", "a folder with lenses of your own, as JSON, or empty."
    ),
    SettingRow(
        "REPUTATION_PATH",
        "reputation_path",
        "a JSON file that replaces Assay's table of known hosts, or empty.",
    ),
    SettingRow(
        "AUDIT_LOG_PATH",
        "audit_path",
        "a file that gets one line of JSON per tool call, secrets masked, or empty.",
    ),
    SettingRow(
        "AUDIT_INCLUDE_REQUEST_BODY",
        "audit_queries",
        "true to write queries into that file too.",
        "false",
        parse_truth,
    ),
    SettingRow(
        "AUDIT_MAX_BYTES",
        "audit_max_bytes",
        "the size from which that file is renamed and a new one begun.",
        "104857600",
        parse_count,
    ),
    SettingRow(
        "AUDIT_RETENTION_DAYS",
        "audit_retention_days",
        "days after which a renamed one is removed (180 to 3650); 0: never.",
        "180",
        parse_retention,
    ),
    SettingRow(
        "ASSAY_TOOL_GROUPS",
        "tool_groups",
        "groups of tools that MCP offers, with commas, or empty for all.",
        "",
        parse_list,
    ),
    SettingRow(
        "ASSAY_COMPACT_TOOLS",
        "compact_tools",
        "1 to describe the tools to MCP clients in a sentence each.",
        "",
        parse_switch,
    ),
    SettingRow(
        "OAUTH_ISSUER_URL",
        "issuer",
        "who signs the tokens that MCP over HTTP asks for, as they name it (iss), or empty.",
        "",
        parse_issuer,
    ),
    SettingRow("OAUTH_AUDIENCE", "audience", "what those tokens have to be meant for (aud)."),
    SettingRow(
        "OAUTH_JWKS_URL",
        "jwks_url",
        "where the issuer's keys are, if not at /.well-known/jwks.json below it.",
        "",
        parse_issuer,
    ),
    SettingRow(
        "ENFORCE_SCOPES",
        "enforce_scopes",
        "true: a token calls the tools its scopes name (tool:NAME, tool:*, research).",
        "false",
        parse_truth,
    ),
    SettingRow(
        "ADMIN_API_KEY",
        "admin_key",
        "the key of the endpoints below /admin, at least 16 characters, or empty.",
        "",
        parse_admin_key,
        True,
    ),
    SettingRow(
        "ADMIN_API_KEY_PREV",
        "admin_key_prev",
        "the key before, which still opens them.",
        "",
        parse_admin_key,
        True,
    ),
    SettingRow(
        "RATE_LIMIT_PER_MINUTE",
        "per_minute",
        "requests a minute of one tenant over HTTP; 0: no limit.",
        "120",
        parse_limit,
    ),
    SettingRow(
        "RATE_LIMIT_GLOBAL_PER_SECOND",
        "per_second",
        "requests a second of all tenants over HTTP; 0: no limit.",
        "1000",
        parse_limit,
    ),
    SettingRow(
        "RATE_LIMIT_PER_DAY",
        "per_day",
        "calls of tools a day (UTC) of one tenant over HTTP; 0: no limit.",
        "5000",
        parse_limit,
    ),
    SettingRow(
        "RATE_LIMIT_PER_IP",
        "per_address",
        "requests a minute from one address, whoever they are of; 0: no limit.",
        "0",
        parse_limit,
    ),
    SettingRow(
        "MAX_CALLS_PER_DAY",
        "calls_per_day",
        "calls of tools a day (UTC) of one tenant over MCP at all; 0: no limit.",
        "0",
        parse_limit,
    ),
    SettingRow(
        "CORS_ALLOWED_ORIGINS",
        "cors_origins",
        "origins whose pages may use MCP over HTTP, with commas, or empty.",
        "",
        parse_origins,
    ),
    SettingRow(
        "ASSAY_PUBLIC_URL",
        "public_url",
        "the address clients know the HTTP server by, where a proxy stands before it.",
        "",
        parse_address,
    ),
    SettingRow(
        "ASSAY_TRUSTED_PROXIES",
        "trusted_proxies",
        "addresses of proxies whose X-Forwarded-For is believed, with commas.",
        "",
        parse_list,
    ),
    SettingRow(
        "METRICS_TENANTS",
        "metrics_tenants",
        "true: /metrics tells tenants apart, by name.",
        "false",
        parse_truth,
    ),
    SettingRow(
        "ASSAY_BROWSER_SANDBOX",
        "browser_sandbox",
        "0 to run Chromium without its own sandbox, which root has to.",
        "1",
        parse_switch,
    ),
)


def variable_of(field: str) -> str:
    """Return the environment variable of this field."""
    return next(row.name for row in SETTING_ROWS if row.field == field)


def read_owner_file(
    file: Path, read: Callable[[Any], T], setting: str, *, what: str, otherwise: str
) -> T:
    """Parse a JSON file of the owner's with `read`, which raises ValueError for bad content.

    setting: the setting that names the file. what: what the file should be. otherwise: what else a
    person can do. Raises SettingsError with the setting, the file and the reason.
    """
    try:
        return read(json.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        why: str | Exception = f"it cannot be read ({error.strerror})"
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        why = f"it is no JSON ({error})"
    except ValueError as error:
        why = error
    raise SettingsError(
        f"{setting}: {file} is no {what}: {why}.", next_step=f"Put it right, or {otherwise}."
    )


def format_env_example() -> str:
    """Return the text of `.env.example`: every variable, its meaning and its default."""
    return (
        "".join(f"# {row.meaning}\n#{row.name}={row.default}\n\n" for row in SETTING_ROWS).rstrip()
        + "\n"
    )
