"""Reads SDMX-JSON, versions 1 and 2: the cells of a data message, and the dimensions that a structure message lists.

Of SDMX in XML it reads nothing, nor of groups of dimensions. It asks nobody, and knows no office.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from research_core.providers.reply import at, changed, number, rows, text
from research_core.providers.series import MOST_DIMENSIONS, Cell, Mark, figure

TIME = "TIME_PERIOD"
#: Parts of a message that say what is no longer there.
DELETED = "Delete"
#: The dimensions and the attributes of one level, each with its values.
Axes = list[tuple[str, list[Mark]]]


def data(name: str, answer: Any) -> tuple[str, Iterator[Cell]]:
    """(title of the data set, its cells in the order of their series) of a data message.

    Raises SearchError, for what is wrong with a cell where that is asked for.
    """
    message = answer.get("data", answer) if isinstance(answer, dict) else None
    structure = at(message, "structures", 0) or at(message, "structure")
    if not isinstance(message, dict) or not isinstance(structure, dict):
        raise changed(name, "it has no structure")
    there = [each for each in rows(name, message, "dataSets") if each.get("action") != DELETED]
    return named(name, structure), (cell for dataset in there for cell in _cells(name, dataset, structure))


def named(name: str, row: dict[str, Any]) -> str:
    """The name of an artefact, in English where it has several."""
    return text(name, row, "names", "en") or text(name, row, "name")


def dimensions(name: str, answer: Any) -> tuple[str, ...]:
    """The dimensions of the key of a data set, in its order, without the time, of a structure message. Raises SearchError."""
    structures = rows(name, answer, "data", "dataStructures")
    if not structures:
        raise changed(name, "it has no data structure")
    listed = rows(name, structures[0], "dataStructureComponents", "dimensionList", "dimensions")
    placed = [(number(name, each, "position"), text(name, each, "id")) for each in listed]
    if any(place is None or not each for place, each in placed):
        raise changed(name, "a dimension has no place or no name")
    return tuple(each for _, each in sorted(placed, key=lambda pair: pair[0] or 0) if each != TIME)


def _cells(name: str, dataset: dict[str, Any], structure: dict[str, Any]) -> Iterator[Cell]:
    """Each observation under its series; where there are none of these, under the whole data set."""
    axes = {level: _axes(name, structure, "dimensions", level) for level in ("dataSet", "series", "observation")}
    extras = {level: _axes(name, structure, "attributes", level) for level in ("series", "observation")}
    whole = [mark for dimension, values in axes["dataSet"] for mark in _chosen(name, [(dimension, values)], [0])]
    series = dataset.get("series")
    listed = {"": {"observations": dataset.get("observations")}} if series is None else series
    if not isinstance(listed, dict):
        raise changed(name, "its series are no object")
    for key, each in listed.items():
        above = whole + (_keyed(name, axes["series"], key) if key else [])
        told = _chosen(name, extras["series"], at(each, "attributes") or [])
        observations = at(each, "observations")
        if not isinstance(observations, dict):
            raise changed(name, "a series has no observations")
        for place, said in observations.items():
            if not isinstance(said, list):
                raise changed(name, "an observation is no list")
            marks = above + _keyed(name, axes["observation"], place)
            attributes = told + _chosen(name, extras["observation"], said[1:])
            yield _cell(name, marks, said[0] if said else None, attributes)


def _cell(name: str, marks: list[Mark], value: Any, told: list[Mark]) -> Cell:
    period = next((mark.code for mark in marks if mark.dimension == TIME), "")
    if not period:
        raise changed(name, "an observation has no time")
    return Cell(period, figure(name, value), tuple(mark for mark in marks if mark.dimension != TIME), tuple(told))


def _axes(name: str, structure: dict[str, Any], part: str, level: str) -> Axes:
    told = at(structure, part)
    if not isinstance(told, dict):
        raise changed(name, f"it has no {part}")
    listed = rows(name, told, level, optional=True)
    if len(listed) > MOST_DIMENSIONS:
        raise changed(name, f"it has {len(listed)} {part}")
    return [(text(name, each, "id"), _values(name, each)) for each in listed]


def _values(name: str, dimension: dict[str, Any]) -> list[Mark]:
    made = []
    for value in rows(name, dimension, "values", optional=True):
        label = named(name, value) or text(name, value, "value")
        code = text(name, value, "id") or label
        made.append(Mark(text(name, dimension, "id"), code, label or code))
    return made


def _keyed(name: str, axes: Axes, key: str) -> list[Mark]:
    """The coordinates of a key such as 0:3:1."""
    steps = key.split(":")
    if len(steps) != len(axes) or not all(step.isascii() and step.isdigit() and len(step) < 12 for step in steps):
        raise changed(name, "a key does not fit its dimensions")
    return _chosen(name, axes, [int(step) for step in steps])


def _chosen(name: str, axes: Axes, steps: Any) -> list[Mark]:
    """The value at each of these places; none where a place is null, or there are fewer places than dimensions."""
    if not isinstance(steps, list):
        raise changed(name, "its attributes are no list")
    made = []
    for (_, values), step in zip(axes, steps, strict=False):
        if step is None:
            continue
        if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step < len(values):
            raise changed(name, "a place does not fit its dimension")
        made.append(values[step])
    return made
