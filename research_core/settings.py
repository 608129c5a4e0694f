"""Define what the machine's owner configures, and read it from the environment.

Nothing else reads the environment. One table of rows serves the reader, the checks and
`.env.example`, so that the three cannot disagree.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from research_core.errors import SettingsError
from research_core.i18n import N_, SOURCE_LANGUAGE
from research_core.values import (
    MODEL_FAMILY_NAMES,
    NAMED_FAMILIES,
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
    parse_log_format,
    parse_mail,
    parse_model,
    parse_names,
    parse_origins,
    parse_pause,
    parse_port,
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

#: The fields that name a model.
MODEL_FIELDS = ("model", "writer", "judge")

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
    sessions_at_once: int = 4
    busy_timeout_s: float = 30.0
    worker_only: bool = False
    published_locally: bool = False
    semantic: bool = True
    entailment_model: str = ""
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
    metrics_port: int = 0
    metrics_host: str = "127.0.0.1"
    log_format: str = "text"

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
        values = {row.field: row.read(env) for row in SETTING_ROWS if row.field not in MODEL_FIELDS}
        home = Path(values["home"]).expanduser().absolute()
        values["home"] = home
        values["database_url"] = values["database_url"] or f"sqlite:///{home / 'assay.db'}"
        # One e-mail address is enough for all services that ask for one.
        for name in ("unpaywall_email", "edgar_contact_email"):
            values[name] = values[name] or values["openalex_email"]
        settings = cls(**values)
        # A bare name of a model needs the lists of models to be read.
        models = {}
        for field_name in MODEL_FIELDS:
            name = variable_of(field_name)
            models[field_name] = parse_value(name, settings.add_family(env.get(name, "").strip()))
        return replace(settings, **models)

    def add_family(self, name: str) -> str:
        """Return a bare name of a model with the one family that lists it, else unchanged."""
        if name.partition(":")[0] in MODEL_FAMILY_NAMES:
            return name
        families = [family for family in NAMED_FAMILIES if name in self.list_models(family)]
        return f"{families[0]}:{name}" if len(families) == 1 else name

    def list_models(self, family: str) -> tuple[str, ...]:
        """Return the models that the settings list of a family, () if it is not named so."""
        models: tuple[str, ...] = ()
        if family in NAMED_FAMILIES:
            models = getattr(self, f"{family}_models")
        return models


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
    """Return True if a key can be sent in a header: printable ASCII without spaces and quotes."""
    return key.isascii() and key.isprintable() and not set(key) & set(" \"'`")


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
        N_("folder for sessions, the library index and saved reports."),
        "~/.assay",
    ),
    SettingRow(
        "ASSAY_DATABASE_URL",
        "database_url",
        N_("sqlite:///PATH (the default, in ASSAY_HOME) or postgresql+psycopg://…"),
        "",
        parse_database_url,
    ),
    SettingRow(
        "ASSAY_MODEL",
        "model",
        N_(
            "auto (Gemini if it has a key, else openai if it has an address and a model, else"
            " offline), offline, gemini, openai, or one model: openai:NAME, or NAME alone if one"
            " provider lists it."
        ),
        "auto",
        parse_model,
    ),
    SettingRow(
        "ASSAY_WRITER",
        "writer",
        N_(
            "model that writes reports, if not ASSAY_MODEL: offline, gemini, gemini:NAME, openai:NAME."
        ),
    ),
    SettingRow(
        "ASSAY_JUDGE",
        "judge",
        N_(
            "model that scores relevance and checks sentences, if not ASSAY_MODEL: offline, gemini,"
            " gemini:NAME, openai:NAME. With Gemini, its cheapest model is the default."
        ),
    ),
    SettingRow(
        "GEMINI_API_KEY",
        "gemini_api_key",
        N_("key of the Gemini API. With it, Gemini plans, judges and writes."),
    ),
    SettingRow(
        "ASSAY_GEMINI_URL",
        "gemini_base_url",
        N_("address of the Gemini API, or empty for the usual one."),
        "",
        parse_address,
    ),
    SettingRow(
        "ASSAY_GEMINI_MODELS",
        "gemini_models",
        N_("Gemini models in order of preference, separated by commas."),
        ",".join(GEMINI_MODELS),
        parse_names,
    ),
    SettingRow(
        "ASSAY_OPENAI_BASE_URL",
        "openai_base_url",
        N_(
            "address of an OpenAI-compatible server (Ollama, LM Studio, vLLM, …; see docs/models.md)."
        ),
        "",
        parse_address,
    ),
    SettingRow(
        "ASSAY_OPENAI_API_KEY",
        "openai_api_key",
        N_("key of that server, if it needs one."),
    ),
    SettingRow(
        "ASSAY_OPENAI_MODELS",
        "openai_models",
        N_("models of that server in order of preference, separated by commas."),
        "",
        parse_list,
    ),
    SettingRow(
        "ASSAY_OPENAI_TIMEOUT",
        "openai_timeout_s",
        N_(
            "time limit of a call to that server in seconds; five times as long for writing a report."
        ),
        "120",
        parse_seconds,
    ),
    SettingRow(
        "ASSAY_OPENAI_CALLS",
        "openai_calls_at_once",
        N_("concurrent calls to that server; 0: two in a private network, else ten."),
        "0",
        parse_limit,
    ),
    SettingRow(
        "ASSAY_OLLAMA_CONTEXT",
        "ollama_context",
        N_("context size (num_ctx) requested from an Ollama server, in tokens."),
        "16384",
        parse_count,
    ),
    SettingRow(
        "SEARXNG_URL",
        "searxng_url",
        N_("address of a SearXNG server with JSON output, or empty."),
        "",
        parse_address,
    ),
    SettingRow(
        "SEARXNG_BASIC_AUTH",
        "searxng_auth",
        N_("name:password for that server, if it needs them."),
    ),
    SettingRow(
        "ASSAY_DDGS_ENGINES",
        "ddgs_engines",
        N_("web search engines used through ddgs, in order."),
        ",".join(DDGS_ENGINES),
        parse_ddgs_engines,
    ),
    SettingRow(
        "ASSAY_CONTACT",
        "contact",
        N_("your contact for site owners; part of the User-Agent."),
        "+contact",
        parse_header,
    ),
    SettingRow(
        "ASSAY_LANGUAGE",
        "language",
        N_("language of the screens: en, de, fr, es, pt, zh, ja or ar."),
        "en",
        parse_language,
    ),
    SettingRow(
        "ASSAY_WORKERS", "workers", N_("concurrent calls in one session."), "24", parse_count
    ),
    SettingRow(
        "ASSAY_SESSIONS_AT_ONCE",
        "sessions_at_once",
        N_("sessions that the app or a worker runs at once."),
        "4",
        parse_count,
    ),
    SettingRow(
        "ASSAY_BUSY_TIMEOUT",
        "busy_timeout_s",
        N_("seconds to wait for a locked database."),
        "30",
        parse_seconds,
    ),
    SettingRow(
        "ASSAY_WORKER_ONLY",
        "worker_only",
        N_("1 if `run.py worker` processes do the research and the app only queues it."),
        "",
        parse_switch,
    ),
    SettingRow(
        "ASSAY_PUBLISHED_LOCALLY",
        "published_locally",
        "1 in a container whose port is published on 127.0.0.1 of its host only: the app may then"
        " listen on all addresses of the container without sign-in.",
        "",
        parse_switch,
    ),
    SettingRow(
        "ASSAY_SEMANTIC",
        "semantic",
        N_("0 to compare words only, not meaning, in libraries, passages and relevance."),
        "1",
        parse_switch,
    ),
    SettingRow(
        "ASSAY_ENTAILMENT_MODEL",
        "entailment_model",
        "path of an ONNX entailment model, its tokenizer.json and config.json beside it, that helps"
        " to check the claims of a report.",
    ),
    SettingRow(
        "ASSAY_HOST_DELAY",
        "host_delay_s",
        N_("seconds between two page requests to one host (0 to 60)."),
        "0.2",
        parse_pause,
    ),
    SettingRow(
        "ASSAY_ROBOTS",
        "robots",
        N_("1 to obey robots.txt, 0 to ignore it."),
        "1",
        parse_switch,
    ),
    SettingRow(
        "CACHE_ENCRYPTION_KEY",
        "cache_encryption_key",
        N_("key that encrypts stored data: 64 hexadecimal digits, or empty."),
        "",
        parse_key,
        True,
    ),
    SettingRow(
        "CACHE_ENCRYPTION_KEY_PREV",
        "cache_encryption_key_prev",
        N_("previous encryption key; no longer needed after `assay data rotate`."),
        "",
        parse_key,
        True,
    ),
    SettingRow(
        "ALLOWED_DOMAINS",
        "allowed_domains",
        N_("read pages of these domains and their subdomains only, or empty for all."),
        "",
        parse_domains,
    ),
    SettingRow(
        "ASSAY_SITES",
        "sites",
        N_("sites with special readers (x: through FxTwitter), or none."),
        ",".join(SITES),
        parse_sites,
    ),
    SettingRow(
        "ASSAY_ARCHIVE",
        "archive",
        N_("1 to read pages that are gone from archive.org instead, 0 not to."),
        "1",
        parse_switch,
    ),
    SettingRow(
        "EXA_API_KEY",
        "exa_api_key",
        N_("key of Exa (paid): searches, answers, and pages nothing else can read."),
    ),
    SettingRow(
        "SOURCE_RECOMMENDATIONS",
        "recommendations",
        N_("true: search_and_scrape recommends its best sources."),
        "true",
        parse_truth,
    ),
    SettingRow(
        "GENERATIVE_UI_ENABLED",
        "components",
        N_("true: search_and_scrape adds cards and a table."),
        "false",
        parse_truth,
    ),
    SettingRow(
        "CHROME_PATH",
        "chrome_path",
        N_("path of Chromium, for pages that need JavaScript (empty: found on the PATH), or off."),
        "",
    ),
    SettingRow(
        "SEARCH_ROUTING",
        "routing",
        N_(
            "providers in order of preference, separated by commas, or a JSON object with a list by kind."
        ),
        "",
        parse_routing,
    ),
    SettingRow(
        "GOOGLE_CUSTOM_SEARCH_API_KEY", "google_api_key", N_("key of Google's Custom Search API.")
    ),
    SettingRow(
        "GOOGLE_CUSTOM_SEARCH_ID",
        "google_engine",
        N_("ID (cx) of your Programmable Search Engine."),
    ),
    SettingRow(
        "BRAVE_API_KEY",
        "brave_api_key",
        N_("key of the Brave Search API: web, news, images, places."),
    ),
    SettingRow("SERPER_API_KEY", "serper_api_key", N_("key of Serper: web, news, images.")),
    SettingRow(
        "SEARCHAPI_API_KEY",
        "searchapi_api_key",
        N_("key of SearchAPI.io: web, news, images, patents."),
    ),
    SettingRow("TAVILY_API_KEY", "tavily_api_key", N_("key of Tavily: web, news.")),
    SettingRow(
        "OPENALEX_API_KEY",
        "openalex_api_key",
        N_("key of OpenAlex; without one, a few calls a day."),
    ),
    SettingRow(
        "OPENALEX_EMAIL",
        "openalex_email",
        N_("your e-mail address, requested by Crossref, Unpaywall and the SEC."),
        "",
        parse_mail,
    ),
    SettingRow(
        "UNPAYWALL_EMAIL",
        "unpaywall_email",
        N_("e-mail address for Unpaywall, if different."),
        "",
        parse_mail,
    ),
    SettingRow(
        "PUBMED_API_KEY",
        "pubmed_api_key",
        N_("key of NCBI, which then counts your calls by it; at most three a second are sent."),
    ),
    SettingRow(
        "SEMANTIC_SCHOLAR_API_KEY",
        "semantic_scholar_api_key",
        N_("key of Semantic Scholar, for your own rate limit."),
    ),
    SettingRow(
        "EPO_OPS_CONSUMER_KEY",
        "epo_key",
        N_("key of the European Patent Office's Open Patent Services."),
    ),
    SettingRow("EPO_OPS_CONSUMER_SECRET", "epo_secret", N_("secret for that key.")),
    SettingRow("LENS_API_TOKEN", "lens_api_token", N_("token of Lens.org.")),
    SettingRow(
        "USPTO_API_KEY", "uspto_api_key", N_("key of the US patent office's Open Data Portal.")
    ),
    SettingRow(
        "EDGAR_CONTACT_EMAIL",
        "edgar_contact_email",
        N_("e-mail address for the SEC, if different."),
        "",
        parse_mail,
    ),
    SettingRow(
        "COURTLISTENER_API_TOKEN",
        "courtlistener_api_token",
        N_("token of CourtListener, for more calls a day."),
    ),
    SettingRow("FRED_API_KEY", "fred_api_key", N_("key of FRED, for US time series.")),
    SettingRow(
        "IA_ACCESS_KEY",
        "archive_key",
        N_("key of your Internet Archive account, for archiving sources."),
    ),
    SettingRow("IA_SECRET_KEY", "archive_secret", N_("secret for that key.")),
    SettingRow(
        "SESSION_TTL",
        "session_ttl_s",
        N_("how long tools can continue an idle session: 4h, 90m, or seconds."),
        "4h",
        parse_span,
    ),
    SettingRow(
        "SESSION_MAX_STEPS",
        "session_max_steps",
        N_("maximum steps of a sequential_search session."),
        "200",
        parse_count,
    ),
    SettingRow(
        "ASSAY_RETENTION_DAYS",
        "retention_days",
        N_("days after which unused sessions are deleted; 0: never."),
        "0",
        parse_limit,
    ),
    SettingRow(
        "MEMORY_ENABLED",
        "memory",
        N_("true: offer memory_save and memory_recall to users who consent."),
        "false",
        parse_truth,
    ),
    SettingRow(
        "MEMORY_RETENTION",
        "memory_retention_s",
        N_("how long memories are kept, such as 90d."),
        "90d",
        parse_span,
    ),
    SettingRow(
        "WORKSPACES_ENABLED",
        "workspaces",
        N_("true: offer workspace_contribute and workspace_read to members who consent."),
        "false",
        parse_truth,
    ),
    SettingRow(
        "WORKSPACE_RETENTION",
        "workspace_retention_s",
        N_("how long contributions are kept, such as 30d."),
        "30d",
        parse_span,
    ),
    SettingRow(
        "USER_ANALYTICS_ENABLED",
        "analytics",
        N_("true: offer get_my_analytics to users who consent."),
        "false",
        parse_truth,
    ),
    SettingRow(
        "CUSTOM_LENSES_PATH", "lenses_path", N_("folder with your own lenses as JSON, or empty.")
    ),
    SettingRow(
        "REPUTATION_PATH",
        "reputation_path",
        N_("JSON file that replaces Assay's table of known hosts, or empty."),
    ),
    SettingRow(
        "AUDIT_LOG_PATH",
        "audit_path",
        N_("audit log: file with one JSON line per tool call, secrets masked, or empty."),
    ),
    SettingRow(
        "AUDIT_INCLUDE_REQUEST_BODY",
        "audit_queries",
        N_("true to log queries too."),
        "false",
        parse_truth,
    ),
    SettingRow(
        "AUDIT_MAX_BYTES",
        "audit_max_bytes",
        N_("size in bytes at which the audit log is rotated."),
        "104857600",
        parse_count,
    ),
    SettingRow(
        "AUDIT_RETENTION_DAYS",
        "audit_retention_days",
        N_("days after which rotated audit logs are removed (180 to 3650); 0: never."),
        "180",
        parse_retention,
    ),
    SettingRow(
        "ASSAY_TOOL_GROUPS",
        "tool_groups",
        N_("tool groups offered over MCP, separated by commas, or empty for all."),
        "",
        parse_list,
    ),
    SettingRow(
        "ASSAY_COMPACT_TOOLS",
        "compact_tools",
        N_("1 to describe each tool to MCP clients in one sentence."),
        "",
        parse_switch,
    ),
    SettingRow(
        "OAUTH_ISSUER_URL",
        "issuer",
        N_("issuer (iss) of the access tokens for MCP over HTTP, or empty."),
        "",
        parse_issuer,
    ),
    SettingRow("OAUTH_AUDIENCE", "audience", N_("required audience (aud) of these tokens.")),
    SettingRow(
        "OAUTH_JWKS_URL",
        "jwks_url",
        N_("address of the issuer's keys, if not /.well-known/jwks.json below the issuer."),
        "",
        parse_issuer,
    ),
    SettingRow(
        "ENFORCE_SCOPES",
        "enforce_scopes",
        N_("true: limit tokens to the tools in their scopes (tool:NAME, tool:*, research)."),
        "false",
        parse_truth,
    ),
    SettingRow(
        "ADMIN_API_KEY",
        "admin_key",
        N_("key of the endpoints below /admin, at least 16 characters, or empty."),
        "",
        parse_admin_key,
        True,
    ),
    SettingRow(
        "ADMIN_API_KEY_PREV",
        "admin_key_prev",
        N_("previous admin key, still accepted."),
        "",
        parse_admin_key,
        True,
    ),
    SettingRow(
        "RATE_LIMIT_PER_MINUTE",
        "per_minute",
        N_("HTTP requests per minute and tenant; 0: no limit."),
        "120",
        parse_limit,
    ),
    SettingRow(
        "RATE_LIMIT_GLOBAL_PER_SECOND",
        "per_second",
        N_("HTTP requests per second from all tenants; 0: no limit."),
        "1000",
        parse_limit,
    ),
    SettingRow(
        "RATE_LIMIT_PER_DAY",
        "per_day",
        N_("tool calls over HTTP per day (UTC) and tenant; 0: no limit."),
        "5000",
        parse_limit,
    ),
    SettingRow(
        "RATE_LIMIT_PER_IP",
        "per_address",
        N_("HTTP requests per minute and IP address; 0: no limit."),
        "0",
        parse_limit,
    ),
    SettingRow(
        "MAX_CALLS_PER_DAY",
        "calls_per_day",
        N_("tool calls over MCP per day (UTC) and tenant, by any transport; 0: no limit."),
        "0",
        parse_limit,
    ),
    SettingRow(
        "CORS_ALLOWED_ORIGINS",
        "cors_origins",
        N_("web origins allowed to use MCP over HTTP, separated by commas, or empty."),
        "",
        parse_origins,
    ),
    SettingRow(
        "ASSAY_PUBLIC_URL",
        "public_url",
        N_("public address of the HTTP server, if it is behind a proxy."),
        "",
        parse_address,
    ),
    SettingRow(
        "ASSAY_TRUSTED_PROXIES",
        "trusted_proxies",
        N_("addresses of trusted proxies (X-Forwarded-For), separated by commas."),
        "",
        parse_list,
    ),
    SettingRow(
        "METRICS_TENANTS",
        "metrics_tenants",
        N_("true: /metrics counts by tenant name."),
        "false",
        parse_truth,
    ),
    SettingRow(
        "ASSAY_METRICS_PORT",
        "metrics_port",
        N_("port at which the app or a worker serves Prometheus metrics; 0: none."),
        "0",
        parse_port,
    ),
    SettingRow(
        "ASSAY_METRICS_HOST",
        "metrics_host",
        N_("address of this machine at which it serves them."),
        "127.0.0.1",
    ),
    SettingRow(
        "ASSAY_LOG_FORMAT",
        "log_format",
        N_("text, or json: the log of servers has an object of JSON on each line."),
        "text",
        parse_log_format,
    ),
    SettingRow(
        "ASSAY_BROWSER_SANDBOX",
        "browser_sandbox",
        N_("0 to run Chromium without its sandbox, as root requires."),
        "1",
        parse_switch,
    ),
)


def find_env_file(env: Mapping[str, str] | None = None) -> tuple[Path, frozenset[str]] | None:
    """Return the file `.env` that `run.py` read, which need not exist, and what overrides it.

    The latter are the variables that the environment set itself. None if `run.py` did not start
    this process.
    """
    env = os.environ if env is None else env
    path = env.get("ASSAY_ENV_FILE", "")
    if not path:
        return None
    from_file = env.get("ASSAY_ENV_FILE_NAMES", "").split(",")
    own = [row.name for row in SETTING_ROWS if row.name in env and row.name not in from_file]
    return Path(path), frozenset(own)


def parse_value(name: str, text: str) -> Any:
    """Parse the value of a variable. Raises SettingsError naming it and what it takes."""
    row = next(row for row in SETTING_ROWS if row.name == name)
    return row.read({name: text})


def read_language(env: Mapping[str, str] | None = None) -> str:
    """Return the language of the screens; English if the variable names none."""
    try:
        env = os.environ if env is None else env
        return str(parse_value("ASSAY_LANGUAGE", env.get("ASSAY_LANGUAGE", "")))
    except SettingsError:
        return SOURCE_LANGUAGE


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
        why = f"it is not JSON ({error})"
    except ValueError as error:
        why = error
    raise SettingsError(
        f"{setting}: {file} is not a {what}: {why}.", next_step=f"Correct it, or {otherwise}."
    )


def format_env_example() -> str:
    """Return the text of `.env.example`: every variable, its meaning and its default."""
    return (
        "".join(f"# {row.meaning}\n#{row.name}={row.default}\n\n" for row in SETTING_ROWS).rstrip()
        + "\n"
    )
