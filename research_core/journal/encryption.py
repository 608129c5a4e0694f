"""Seal stored data with AES-256-GCM once a key is set; without a key, store it unchanged.

A sealed body names its key and is bound to its place (tenant, table, row; of an event also its
session): it opens nowhere else. What was written before a key was set stays readable, as does what
the previous key sealed while that key is known. Without a key, `cryptography` is not imported.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from research_core.errors import SettingsError, StoreError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

#: The first bytes of a body that is not stored unchanged. No UTF-8 text begins so; bytes of a page
#: that do are marked as plain.
SEAL_MAGIC = b"\x93ASSAY\x1a"
PLAIN_MARK, SEALED_MARK = b"\x00", b"\x01"
HEAD_BYTES, KEY_ID_BYTES, NONCE_BYTES = len(SEAL_MAGIC) + 1, 4, 12
#: The first character of a hashed name.
BLIND_PREFIX = "="


@dataclass(frozen=True)
class EncryptionKey:
    """One key of 32 bytes.

    id: identifies the key without revealing it. names: a derived key for `Cipher.names`.
    """

    id: bytes
    aes: AESGCM = field(repr=False)
    names: bytes = field(repr=False)

    @classmethod
    def read(cls, text: str) -> EncryptionKey:
        """Build a key from 64 hexadecimal digits."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = bytes.fromhex(text)
        return cls(
            hmac.digest(key, b"assay: id", "sha256")[:KEY_ID_BYTES],
            AESGCM(key),
            hmac.digest(key, b"assay: names", "sha256"),
        )


class Cipher:
    """The keys of one database, each 64 hexadecimal digits or "".

    key: seals and opens. previous: only opens.
    """

    def __init__(self, key: str = "", previous: str = "") -> None:
        self._writes = EncryptionKey.read(key) if key else None
        self._keys: dict[bytes, EncryptionKey] = {}
        for text in (key, previous):
            if text:
                known = EncryptionKey.read(text)
                self._keys[known.id] = known

    @property
    def on(self) -> bool:
        """Whether new data is sealed."""
        return self._writes is not None

    @property
    def has_keys(self) -> bool:
        """Whether any sealed data can be opened."""
        return bool(self._keys)

    @property
    def head(self) -> bytes:
        """The first bytes of every body sealed from now on; b"" if none is."""
        return SEAL_MAGIC + SEALED_MARK + self._writes.id if self._writes else b""

    @property
    def previous_head(self) -> bytes:
        """The first bytes of every body the previous key sealed; b"" if it is the same or unset."""
        for id in self._keys:
            if self._writes is None or id != self._writes.id:
                return SEAL_MAGIC + SEALED_MARK + id
        return b""

    def seal(self, body: bytes, *place: str) -> bytes:
        """Return the stored form of a body for this place."""
        if self._writes is None:
            return SEAL_MAGIC + PLAIN_MARK + body if body.startswith(SEAL_MAGIC) else body
        nonce = os.urandom(NONCE_BYTES)
        return b"".join(
            (self.head, nonce, self._writes.aes.encrypt(nonce, body, _encode_place(place)))
        )

    def unseal(self, body: bytes, *place: str) -> bytes:
        """Reverse `seal`.

        Raises SettingsError without the key, StoreError if the body does not belong in this place.
        """
        if not body.startswith(SEAL_MAGIC):
            return body
        if body[HEAD_BYTES - 1 : HEAD_BYTES] == PLAIN_MARK:
            return body[HEAD_BYTES:]
        from cryptography.exceptions import InvalidTag

        key, nonce = (
            self._key(body),
            body[HEAD_BYTES + KEY_ID_BYTES : HEAD_BYTES + KEY_ID_BYTES + NONCE_BYTES],
        )
        try:
            return key.aes.decrypt(
                nonce, body[HEAD_BYTES + KEY_ID_BYTES + NONCE_BYTES :], _encode_place(place)
            )
        except (InvalidTag, ValueError):
            raise StoreError(
                "A sealed row of the database cannot be opened: it was changed, or moved from"
                " another place.",
                next_step=(
                    "Put back a copy of the database from before; what other rows hold is not"
                    " affected."
                ),
            ) from None

    def check(self, body: bytes) -> None:
        """Raise SettingsError if this body needs an unknown key."""
        if body.startswith(SEAL_MAGIC) and body[HEAD_BYTES - 1 : HEAD_BYTES] != PLAIN_MARK:
            self._key(body)

    def _key(self, body: bytes) -> EncryptionKey:
        key = self._keys.get(body[HEAD_BYTES : HEAD_BYTES + KEY_ID_BYTES])
        if key is None:
            what = (
                "another key than the one that is set" if self._keys else "a key, and none is set"
            )
            step = (
                "Set CACHE_ENCRYPTION_KEY to that key; if you have changed it, put the old one into"
                " CACHE_ENCRYPTION_KEY_PREV."
            )
            raise SettingsError(f"What this database holds was sealed with {what}.", next_step=step)
        return key

    def names(self, tenant: str, name: str) -> tuple[str, ...]:
        """Return every spelling a name may have in a searched column, the one to write first.

        A kind that stands before it ("fetched:") stays, what follows is replaced by a keyed hash:
        equal names stay equal in a tenant.
        """
        kind, colon, rest = name.partition(":")
        about = f"{tenant}\0{rest}".encode("utf-8", "surrogatepass")
        blind = [
            f"{kind}{colon}{BLIND_PREFIX}{hmac.new(key.names, about, hashlib.sha256).hexdigest()}"
            for key in self._keys.values()
        ]
        return tuple([*blind, name] if self.on else [name, *blind])


def _encode_place(place: tuple[str, ...]) -> bytes:
    """Encode a place unambiguously as bytes."""
    return "".join(f"{len(part)}:{part}" for part in place).encode("utf-8", "surrogatepass")
