"""Reads JSON-stat, in which offices of statistics answer: the cells of a data set with every
coordinate, value and status of each.

Versions 1 and 2, one data set, a bundle or a collection of some, values as a list or by position.
It asks nobody, and knows no office.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from research_core.search.providers.reply import at, changed, text
from research_core.search.providers.series import MOST_DIMENSIONS, Cell, Mark, figure
from research_core.text.words import visible

TIMES = ("time", "time_period")
#: Flags of Eurostat in words, where an answer has none of its own. Several of them may stand
#: together.
FLAGS = {
    ":": "not available",
    "b": "break in time series",
    "c": "confidential",
    "d": "definition differs",
    "e": "estimated",
    "f": "forecast",
    "i": "see metadata",
    "n": "not significant",
    "p": "provisional",
    "r": "revised",
    "s": "Eurostat estimate",
    "u": "low reliability",
    "z": "not applicable",
}


Axis = tuple[Mark, ...]


@dataclass(frozen=True)
class Cube:
    """A data set. axes: the places along each dimension; time: which of them is the time; values,
    states: by position.
    """

    name: str
    title: str
    axes: tuple[Axis, ...]
    time: int | None
    values: Mapping[int, Any]
    states: Mapping[int, Mark]

    def cells(self) -> Iterator[Cell]:
        """Those that have a value or a status, in the order of their positions, the last dimension
        running fastest.

        Raises SearchError at a value that is no number.
        """
        sizes = [len(axis) for axis in self.axes]
        for position in sorted({*self.values, *self.states}):
            value, state = figure(self.name, self.values.get(position)), self.states.get(position)
            if value is None and state is None:
                continue
            here = [
                axis[step] for axis, step in zip(self.axes, _steps(position, sizes), strict=True)
            ]
            date = here.pop(self.time).code if self.time is not None else ""
            yield Cell(date, value, tuple(here), (state,) if state else ())


def cubes(name: str, answer: Any) -> tuple[Cube, ...]:
    """The data sets of an answer. Raises SearchError where there is none, or where one contradicts
    itself.
    """
    found = tuple(_cube(name, each) for each in _datasets(answer))
    if not found:
        raise changed(name, "there is no data set in it")
    return found


def _datasets(answer: Any) -> list[dict[str, Any]]:
    if not isinstance(answer, dict):
        return []
    if isinstance(answer.get("dimension"), dict):
        return [answer]
    listed = at(answer, "link", "item")
    inside = listed if isinstance(listed, list) else list(answer.values())
    return [
        each
        for each in inside
        if isinstance(each, dict) and isinstance(each.get("dimension"), dict)
    ]


def _cube(name: str, dataset: dict[str, Any]) -> Cube:
    axes = _axes(name, dataset)
    values, states = _by_position(name, dataset.get("value")), _states(name, dataset)
    whole = prod(len(axis) for axis in axes)
    if any(not 0 <= position < whole for position in (*values, *states)):
        raise changed(name, "a value stands outside of its data set")
    title = text(name, dataset, "label") or text(name, dataset, "title")
    return Cube(
        name,
        title,
        axes,
        _time(dataset, [axis[0].dimension if axis else "" for axis in axes]),
        values,
        states,
    )


def _axes(name: str, dataset: dict[str, Any]) -> tuple[Axis, ...]:
    dimensions = dataset["dimension"]
    ids, sizes = (dataset.get(part, dimensions.get(part)) for part in ("id", "size"))
    if (
        not isinstance(ids, list)
        or not isinstance(sizes, list)
        or len(ids) != len(sizes)
        or not ids
    ):
        raise changed(name, "its dimensions are not listed")
    if len(ids) > MOST_DIMENSIONS:
        raise changed(name, f"it has {len(ids)} dimensions")
    axes = tuple(
        _axis(name, each, dimensions.get(each) if isinstance(each, str) else None) for each in ids
    )
    if [str(len(axis)) for axis in axes] != [str(size) for size in sizes]:
        raise changed(name, "a dimension has another size than is said")
    return axes


def _axis(name: str, dimension: Any, told: Any) -> Axis:
    """The places along a dimension, in their order."""
    index, labels = at(told, "category", "index"), at(told, "category", "label") or {}
    if not isinstance(labels, dict) or not all(isinstance(label, str) for label in labels.values()):
        raise changed(name, f"the labels of the dimension {dimension!r} are no texts")
    if isinstance(index, dict):
        if sorted(map(str, index.values())) != sorted(map(str, range(len(index)))):
            raise changed(name, f"the order of the dimension {dimension!r} has gaps")
        index = sorted(index, key=lambda code: int(index[code]))
    codes = list(labels) if index is None else index
    if (
        not isinstance(codes, list)
        or not all(isinstance(code, str) for code in codes)
        or not isinstance(told, dict)
    ):
        raise changed(name, f"the dimension {dimension!r} cannot be read")
    return tuple(Mark(dimension, code, text(name, labels, code) or code) for code in codes)


def _time(dataset: Mapping[str, Any], dimensions: list[str]) -> int | None:
    """Which of the dimensions is the time: the one with that role, else the one of that name."""
    told = at(dataset, "role", "time") or at(dataset, "dimension", "role", "time")
    roles = [each for each in told if isinstance(each, str)] if isinstance(told, list) else []
    return next(
        (
            place
            for place, each in enumerate(dimensions)
            if each in roles[:1] or (not roles and each.lower() in TIMES)
        ),
        None,
    )


def _steps(position: int, sizes: list[int]) -> list[int]:
    """The place along each dimension of a position, of which the last dimension runs fastest."""
    steps = []
    for size in reversed(sizes):
        position, step = divmod(position, size)
        steps.append(step)
    return steps[::-1]


def _by_position(name: str, told: Any) -> dict[int, Any]:
    if isinstance(told, list):
        return dict(enumerate(told))
    if isinstance(told, dict) and all(
        key.isascii() and key.isdigit() and len(key) < 12 for key in told
    ):
        return {int(key): value for key, value in told.items()}
    raise changed(name, "its values are neither a list nor by position")


def _states(name: str, dataset: Mapping[str, Any]) -> dict[int, Mark]:
    """The status of each cell that has one, in words. A data set of one status says it of all that
    has a value.
    """
    told, words = dataset.get("status"), at(dataset, "extension", "status", "label")
    if isinstance(told, dict) and "value" in told:
        told, words = told["value"], at(told, "category", "label")
    if told is None:
        return {}
    if isinstance(told, str):
        told = {
            str(place): told
            for place, value in _by_position(name, dataset.get("value")).items()
            if value is not None
        }
    return {
        place: Mark("status", flag, _words(flag, words))
        for place, flag in _flags(name, _by_position(name, told))
    }


def _flags(name: str, values: Mapping[int, Any]) -> Iterator[tuple[int, str]]:
    for place, flag in values.items():
        if flag is not None and not isinstance(flag, str):
            raise changed(name, "a status is not text")
        if flag:
            yield place, flag


def _words(flag: str, words: Any) -> str:
    told = words.get(flag) if isinstance(words, dict) else None
    if isinstance(told, str) and told:
        return visible(told)
    return (
        ", ".join(FLAGS[each] for each in flag)
        if all(each in FLAGS for each in flag)
        else visible(flag)
    )
