"""Parse SDMX-JSON, versions 1 and 2: data cells, and the dimensions of a structure message."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    read_number,
    read_rows,
    read_text,
)
from research_core.search.providers.series import (
    FREQUENCIES,
    MAX_DIMENSIONS,
    MULTIPLIERS,
    STATES,
    UNITS,
    Cell,
    Mark,
    clean_refusal,
    parse_figure,
)

TIME = "TIME_PERIOD"
#: The action of a dataset that lists deleted data.
DELETED = "Delete"
#: The code for no matching data, which is not an error.
NO_RESULTS = 100
#: Attributes read for each cell.
READ = frozenset((*UNITS, *MULTIPLIERS, *FREQUENCIES, *STATES))
#: Levels at which dimensions and attributes are attached.
LEVELS = ("dataSet", "series", "observation")
#: The dimensions of a level with their values; attributes also have their default.
Axes = list[tuple[str, list[Mark]]]
Attributes = list[tuple[str, list[Mark], Mark | None]]
#: Attributes of groups of cells: by the dimensions of a group, then by their codes.
Groups = dict[tuple[str, ...], dict[tuple[str, ...], list[Mark]]]


def read_data(name: str, answer: Any) -> tuple[str, Iterator[Cell]]:
    """Return (title, cells in the order of their series) of a data message.

    Raises SearchError; for a faulty cell, when that cell is reached.
    """
    message = answer.get("data", answer) if isinstance(answer, dict) else None
    structure = get_value(message, "structures", 0) or get_value(message, "structure")
    if not isinstance(message, dict) or not isinstance(structure, dict):
        raise changed_format_error(name, "it has no structure")
    for error in read_rows(name, answer, "errors", optional=True):
        if error.get("code") != NO_RESULTS:
            words = clean_refusal(get_value(error, "title")) or "which it does not name"
            raise changed_format_error(name, f"it tells of an error, {words}")
    readings = []
    for dataset in read_rows(name, message, "dataSets"):
        if dataset.get("action") == DELETED:
            continue
        own = get_value(message, "structures", get_value(dataset, "structure") or 0)
        readings.append(_read_cells(name, dataset, own or structure))
    return read_name(name, structure), chain.from_iterable(readings)


def read_name(name: str, row: dict[str, Any]) -> str:
    """Return the name of an artefact, in English if there are several."""
    return read_text(name, row, "names", "en") or read_text(name, row, "name")


def read_dimensions(name: str, answer: Any) -> tuple[str, ...]:
    """Return the key dimensions of a structure message in order, without time.

    Raises SearchError.
    """
    structures = read_rows(name, answer, "data", "dataStructures")
    if not structures:
        raise changed_format_error(name, "it has no data structure")
    listed = read_rows(
        name, structures[0], "dataStructureComponents", "dimensionList", "dimensions"
    )
    placed: list[tuple[float, str]] = []
    for row in listed:
        place = read_number(name, row, "position")
        dimension = read_text(name, row, "id")
        if place is None or not dimension:
            raise changed_format_error(name, "a dimension has no place or no name")
        placed.append((place, dimension))
    placed.sort(key=lambda pair: pair[0])
    return tuple(dimension for _, dimension in placed if dimension != TIME)


def _read_cells(name: str, dataset: dict[str, Any], structure: dict[str, Any]) -> Iterator[Cell]:
    """Yield each observation under its series, or under the dataset if there are none."""
    axes = {level: _read_axes(name, structure, "dimensions", level) for level in LEVELS}
    extras = {
        level: _read_attributes(name, structure, level) for level in (*LEVELS, "dimensionGroup")
    }
    groups = _read_groups(name, dataset, structure, extras["dimensionGroup"])
    attributes_here = dataset.get("attributes")
    if attributes_here is None:  # the only value of each is meant
        attributes_here = [0 if values else None for _, values, _ in extras["dataSet"]]
    everywhere = _read_cell_attributes(name, extras["dataSet"], attributes_here)
    whole = _pick_values(name, axes["dataSet"], [0] * len(axes["dataSet"]))
    series = dataset.get("series")
    listed = {"": {"observations": dataset.get("observations")}} if series is None else series
    if not isinstance(listed, dict):
        raise changed_format_error(name, "its series are no object")
    for key, each in listed.items():
        above = whole + (_split_key(name, axes["series"], key) if key else [])
        series_attributes = everywhere + _read_cell_attributes(
            name, extras["series"], get_value(each, "attributes") or []
        )
        observations = get_value(each, "observations")
        if not isinstance(observations, dict):
            raise changed_format_error(name, "a series has no observations")
        for place, values in observations.items():
            if not isinstance(values, list):
                raise changed_format_error(name, "an observation is no list")
            marks = above + _split_key(name, axes["observation"], place)
            attributes = (
                series_attributes
                + _find_group_attributes(groups, marks)
                + _read_cell_attributes(name, extras["observation"], values[1:])
            )
            yield _read_cell(name, marks, values[0] if values else None, attributes)


def _read_cell(name: str, marks: list[Mark], value: Any, attributes: list[Mark]) -> Cell:
    times = [mark.code for mark in marks if mark.dimension == TIME]
    if not times or not times[0]:
        raise changed_format_error(name, "an observation has no time")
    others = tuple(mark for mark in marks if mark.dimension != TIME)
    return Cell(times[0], parse_figure(name, value), others, tuple(attributes))


def _read_axes(name: str, structure: dict[str, Any], part: str, level: str) -> Axes:
    description = get_value(structure, part)
    if not isinstance(description, dict):
        raise changed_format_error(name, f"it has no {part}")
    listed = read_rows(name, description, level, optional=True)
    if len(listed) > MAX_DIMENSIONS:
        raise changed_format_error(name, f"it has {len(listed)} {part}")
    return [(read_text(name, each, "id"), _read_values(name, each)) for each in listed]


def _read_values(name: str, dimension: dict[str, Any]) -> list[Mark]:
    made = []
    for value in read_rows(name, dimension, "values", optional=True):
        label = read_name(name, value) or read_text(name, value, "value")
        code = read_text(name, value, "id") or label
        made.append(Mark(read_text(name, dimension, "id"), code, label or code))
    return made


def _read_attributes(name: str, structure: dict[str, Any], level: str) -> Attributes:
    axes = _read_axes(name, structure, "attributes", level)
    rows = read_rows(name, structure["attributes"], level, optional=True)
    defaults = [read_text(name, row, "default") for row in rows]
    attributes: Attributes = []
    for (attribute, values), code in zip(axes, defaults, strict=True):
        default = next((mark for mark in values if mark.code == code), None)
        attributes.append((attribute, values, default))
    return attributes


def _read_groups(
    name: str, dataset: dict[str, Any], structure: dict[str, Any], attributes: Attributes
) -> Groups:
    """Return group attributes by keys such as ::0:1, with empty parts for any value.

    {} if no attributes are needed.
    """
    if not any(each.lower() in READ for each, _, _ in attributes):
        return {}
    group_attributes = dataset.get("dimensionGroupAttributes") or {}
    listed: list[dict[str, Any]] = []
    for level in LEVELS:
        listed += read_rows(name, structure["dimensions"], level, optional=True)
    placed = sorted(listed, key=lambda each: read_number(name, each, "keyPosition") or 0)
    axes = [(read_text(name, each, "id"), _read_values(name, each)) for each in placed]
    groups: Groups = {}
    if not isinstance(group_attributes, dict) or not all(
        len(key.split(":")) == len(axes) for key in group_attributes
    ):
        raise changed_format_error(name, "a group does not fit its dimensions")
    for key, steps in group_attributes.items():
        axes_here: Axes = []
        parts: list[str] = []
        for axis, part in zip(axes, key.split(":"), strict=True):
            if part:
                axes_here.append(axis)
                parts.append(part)
        marks = _split_key(name, axes_here, ":".join(parts)) if parts else []
        group = groups.setdefault(tuple(mark.dimension for mark in marks), {})
        group[tuple(mark.code for mark in marks)] = _read_cell_attributes(name, attributes, steps)
    return groups


def _find_group_attributes(groups: Groups, marks: list[Mark]) -> list[Mark]:
    codes = {mark.dimension: mark.code for mark in marks}
    found: list[Mark] = []
    for dimensions, group in groups.items():
        key = tuple(codes.get(dimension, "") for dimension in dimensions)
        found += group.get(key, ())
    return found


def _split_key(name: str, axes: Axes, key: str) -> list[Mark]:
    """Return the coordinates of a key such as 0:3:1."""
    steps = key.split(":")
    if len(steps) != len(axes) or not all(
        step.isascii() and step.isdigit() and len(step) < 12 for step in steps
    ):
        raise changed_format_error(name, "a key does not fit its dimensions")
    return _pick_values(name, axes, [int(step) for step in steps])


def _pick_values(name: str, axes: Axes, steps: list[int]) -> list[Mark]:
    """Return the value at each of these indexes."""
    return [
        _find_value_at_step(name, values, step)
        for (_, values), step in zip(axes, steps, strict=True)
    ]


def _find_value_at_step(name: str, values: list[Mark], step: Any) -> Mark:
    if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step < len(values):
        raise changed_format_error(name, "a place does not fit its dimension")
    return values[step]


def _read_cell_attributes(name: str, attributes: Attributes, steps: Any) -> list[Mark]:
    """Return a cell's attributes from indexes or literal values.

    An attribute's default replaces null and missing ones.
    """
    if not isinstance(steps, list):
        raise changed_format_error(name, "its attributes are no list")
    made: list[Mark] = []
    missing = [None] * len(attributes)
    for (attribute, values, usual), step in zip(attributes, [*steps, *missing], strict=False):
        if step is None:
            if usual:
                made.append(usual)
        elif values:
            made.append(_find_value_at_step(name, values, step))
        else:
            written = _format_attribute(name, step)
            if written:
                made.append(Mark(attribute, written, written))
    return made


def _format_attribute(name: str, value: Any) -> str:
    """Return a literal attribute as text: a text, a number, translations, or a list."""
    if isinstance(value, list):
        return ", ".join(
            _format_attribute(name, each) for each in value if not isinstance(each, list)
        )
    if isinstance(value, dict):
        return read_text(name, value, "en") or read_text(name, value, next(iter(value), ""))
    return read_text(name, {"value": value}, "value")
