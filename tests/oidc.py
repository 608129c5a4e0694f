"""A small OpenID provider on loopback, for sign-ins in a real browser.

It knows two people, the authorization code flow and RS256 ID tokens.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "assay", "a secret of the tests"
PEOPLE = {"ada": "Ada Lovelace", "grace": "Grace Hopper"}
COOKIE_SECRET = "of the tests, and long enough for its purpose"


class Provider:
    """Signs in whoever clicks on a name. said: what it refused, none in a good run."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "test", "use": "sig", "alg": "RS256"})
        self.codes: dict[str, dict[str, str]] = {}
        self.said: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def configuration(self) -> str:
        """The [auth] section a server needs for this provider. Streamlit puts the server's own port
        in.
        """
        return f"""
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "{COOKIE_SECRET}"
client_id = "{CLIENT}"
client_secret = "{SECRET}"
server_metadata_url = "{self.issuer}/.well-known/openid-configuration"
"""

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def choice(self, asked: Mapping[str, str]) -> str:
        """The page that asks who one is; each name leads back with a code of its own."""
        links = []
        for name, full in PEOPLE.items():
            code = secrets.token_urlsafe(16)
            self.codes[code] = {**asked, "sub": name}
            back = f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"
            links.append(f'<p><a href="{html.escape(back)}">{full}</a></p>')
        return f"<h1>Who are you?</h1>{''.join(links)}"

    def token(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Raises KeyError for an unknown code, ValueError where the code is not this caller's."""
        asked = self.codes.pop(form["code"])
        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
            .rstrip(b"=")
            .decode()
        )
        if challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            raise ValueError("The code was asked for by somebody else.")
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": asked["sub"],
            "aud": CLIENT,
            "iat": now,
            "exp": now + 600,
            "nonce": asked["nonce"],
        }
        claims |= {"name": PEOPLE[asked["sub"]], "email": f"{asked['sub']}@example.org"}
        signed = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self.key)
        return {
            "access_token": secrets.token_urlsafe(16),
            "token_type": "Bearer",
            "expires_in": 600,
            "id_token": signed,
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                if url.path == "/authorize":
                    self._answer(provider.choice(dict(parse_qsl(url.query))), "text/html")
                elif url.path == "/keys":
                    self._answer(json.dumps({"keys": [provider.key.as_dict(private=False)]}))
                else:
                    self._answer(json.dumps(provider.metadata()))

            def do_POST(self) -> None:
                form = dict(
                    parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode())
                )
                try:
                    self._answer(json.dumps(provider.token(form)))
                except (KeyError, ValueError) as error:
                    provider.said.append(repr(error))
                    self._answer(json.dumps({"error": "invalid_grant"}), status=400)

            def _answer(self, body: str, kind: str = "application/json", status: int = 200) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: the tests' output is for the tests."""

        return Handler


@contextmanager
def provider() -> Iterator[Provider]:
    running = Provider()
    try:
        yield running
    finally:
        running.close()
