"""Compress the bodies of events and blobs in the database, with a dictionary of what they repeat.

Columns of the type `CompressedBinary` hold what no key encrypts; `store` compresses the rest before
it is encrypted. Bodies written in clear by earlier versions are read as they are.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from research_core.errors import StoreError
from research_core.journal.encryption import SEAL_MAGIC

#: Begins a compressed body; the digit names the dictionary. No JSON and no text begins so.
COMPRESSED = b"\x1dz1"
#: Shorter bodies gain nothing, in bytes.
MIN_COMPRESSED = 100


class CompressedBinary(sa.LargeBinary):
    """A column of bytes, compressed in the database and plain outside it."""

    def bind_processor(self, dialect: sa.Dialect) -> Any:
        convert = super().bind_processor(dialect)  # type: ignore[no-untyped-call]

        def process(value: bytes | None) -> Any:
            if value is not None and not value.startswith(SEAL_MAGIC):
                value = compress(value)
            return convert(value) if convert else value

        return process

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Any:
        convert = super().result_processor(dialect, coltype)  # type: ignore[no-untyped-call]

        def process(value: Any) -> bytes | None:
            plain = convert(value) if convert else value
            return None if plain is None else decompress(bytes(plain))

        return process


@cache
def _read_dictionary() -> bytes:
    """Return what most events consist of. Stored bodies need it: never change the file."""
    return Path(__file__).with_name("event_dictionary.txt").read_bytes()


def compress(body: bytes) -> bytes:
    """Return the body compressed, unless it is shorter as it is."""
    is_marked = body.startswith(COMPRESSED)
    if len(body) < MIN_COMPRESSED and not is_marked:
        return body
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_read_dictionary())
    packed = COMPRESSED + packer.compress(body) + packer.flush()
    return packed if is_marked or len(packed) < len(body) else body


def decompress(body: bytes) -> bytes:
    """Reverse `compress`. Raises StoreError for a damaged body."""
    if not body.startswith(COMPRESSED):
        return body
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_read_dictionary())
    try:
        plain = unpacker.decompress(body[len(COMPRESSED) :])
    except zlib.error as error:
        raise _make_damage_error() from error
    if not unpacker.eof:
        raise _make_damage_error()
    return plain


def _make_damage_error() -> StoreError:
    return StoreError(
        "A row of the database is damaged: it cannot be decompressed.",
        next_step="Put back a copy of the database from before; other rows are not affected.",
    )
