"""What is stored compressed comes back as it was given, and what was stored before does too."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import StoreError
from research_core.journal import tables
from research_core.journal.store import EventRow, Store
from research_core.journal.tables import COMPRESSED, compress, decompress, open_database
from tests.logs import ANN, new_session

#: Of the dictionary that bodies marked with z1 need. It may never change; a new one gets a new mark.
DICTIONARY = "db23130fd58247180178ba319a8544b015986898d46efc4409a92cfc353ae74f"


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_every_body_comes_back(body: bytes) -> None:
    for plain in (body, body * 50, COMPRESSED + body, b"\x1d" + body):
        assert decompress(compress(plain)) == plain


def test_the_dictionary_is_the_one_that_stored_bodies_need() -> None:
    file = Path(tables.__file__).with_name("event_dictionary.txt")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == DICTIONARY


@pytest.mark.parametrize("end", [-1, 8])
def test_a_damaged_body_is_an_error_and_no_other_text(end: int) -> None:
    with pytest.raises(StoreError, match="damaged"):
        decompress(compress(b"a sentence that is repeated. " * 20)[:end])
    with pytest.raises(StoreError, match="damaged"):
        decompress(COMPRESSED + b"\xff" * 40)


def test_rows_written_in_clear_before_are_read_beside_compressed_ones(tmp_path: Path) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    log = Store(db, ANN, new_session(db))
    data = json.dumps({"text": "The tide comes in twice a day. " * 30})
    log.append([EventRow("delta", data)], {"a" * 64: b"page " * 300}, 1.0)
    written = [(event.seq, event.data) for event in log.read()]
    with closing(sqlite3.connect(tmp_path / "assay.db")) as raw, raw:
        (stored,) = raw.execute("SELECT data FROM event").fetchone()
        assert stored.startswith(COMPRESSED)
        assert len(stored) < len(data) / 4
        raw.execute("UPDATE event SET data = ?", (data.encode(),))
        raw.execute("UPDATE blob SET body = ?", (b"page " * 300,))
    assert [(event.seq, event.data) for event in log.read()] == written
    assert log.blob("a" * 64) == b"page " * 300
    db.close()
