"""One test over a whole table of quick rows.

For tables where a test of its own for each row costs more than the row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
SHOWN = 200  # characters of a row in a failure


def over_rows(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Run the decorated test on every row and list all rows that fail.

    Takes names and rows as `pytest.mark.parametrize` does. Other arguments stay fixtures, which the
    rows share; so use it for tests that change nothing.
    """
    fields = [names] if isinstance(names, str) else list(names)
    table = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
    if not table:
        raise ValueError(f"There is no row of {names!r} to test.")

    def decorate(check: Test) -> Test:
        def test(**fixtures: Any) -> None:
            failures = []
            for row in table:
                values = dict(zip(fields, row, strict=True))
                try:
                    check(**values, **fixtures)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told at the end, with those of the other rows
                    failures.append(f"{describe_row(values)}\n{type(error).__name__}: {error}")
            if failures:
                pytest.fail(
                    f"{len(failures)} of {len(table)} rows fail.\n\n" + "\n\n".join(failures),
                    pytrace=False,
                )

        parameters = inspect.signature(check).parameters.values()
        others = [
            parameter.replace(kind=parameter.KEYWORD_ONLY)
            for parameter in parameters
            if parameter.name not in fields
        ]
        test.__name__ = check.__name__
        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        test.__signature__ = inspect.Signature(others)  # type: ignore[attr-defined]
        test.pytestmark = [*getattr(check, "pytestmark", ())]  # type: ignore[attr-defined]
        return test

    return decorate


def describe_row(values: dict[str, Any]) -> str:
    """Return "name=value" of a row, each value cut to a length that can be read."""
    texts = []
    for name, value in values.items():
        text = repr(value)
        texts.append(f"{name}={text if len(text) <= SHOWN else text[:SHOWN] + '…'}")
    return ", ".join(texts)
