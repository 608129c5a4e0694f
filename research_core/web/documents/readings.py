"""Keep what was read of bodies, so that a process reads the same bytes once.

Reading depends on the bytes and on what was said about them, and on nothing else. What could not be
read is not kept: it may have been the time or the memory of this machine that did not suffice.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

from research_core.models import Page

#: Characters that are kept in all, and what a page counts for beside its text.
MAX_CHARACTERS, PAGE_CHARACTERS = 16_000_000, 4_000
Key = tuple[str, ...]


class PageReadings:
    """The pages read last, up to a number of characters. Thread-safe."""

    def __init__(self, max_characters: int = MAX_CHARACTERS) -> None:
        self._max_characters = max_characters
        self._lock = threading.Lock()
        self._pages: OrderedDict[Key, Page] = OrderedDict()
        self._characters = 0

    def read(self, body: bytes, said: Key, read: Callable[[], Page]) -> Page:
        """Return the page in these bytes, read now only if it was not before.

        said: everything else that the reading depends on.
        """
        key = (hashlib.sha256(body).hexdigest(), *said)
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
                return page
        page = read()
        self._keep(key, page)
        return page

    def _keep(self, key: Key, page: Page) -> None:
        with self._lock:
            if key in self._pages:
                return
            self._pages[key] = page
            self._characters += _count_characters(page)
            while self._characters > self._max_characters:
                _, oldest = self._pages.popitem(last=False)
                self._characters -= _count_characters(oldest)


def _count_characters(page: Page) -> int:
    return PAGE_CHARACTERS + len(page.text)


#: What this process has read.
SHARED_READINGS = PageReadings()
