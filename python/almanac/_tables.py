"""Tables of the command as data frames of pandas, polars or arrow, or as a Table of lists.

A file is read once, in one pass: Parquet where something reads it, otherwise JSON. Small tables that
the command writes as CSV only are read with the type of each column known beforehand. An empty text
is "" in all of them.
"""

from __future__ import annotations

import csv
import html
import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Callable, Optional

#: What can hold a table, in the order of preference.
FRAMES = ("pandas", "polars", "arrow", "plain")

_frames: Optional[str] = None

# What a column holds. GUESS is numbers if all of its cells are.
INT, FLOAT, TEXT, OPTIONAL_INT, GUESS = "int", "float", "text", "optional int", "guess"


def set_frames(name: Optional[str]) -> None:
    """Use these from now on; None takes the first that is installed."""
    global _frames
    if name is not None and name not in FRAMES:
        raise ValueError(f"there are no frames {name!r}; expected one of {', '.join(FRAMES)}")
    if name is not None and not _has(_MODULE[name]):
        raise ValueError(f"frames {name!r} need the package {_MODULE[name]}, which is not installed")
    _frames = name


_MODULE = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow", "plain": "csv"}


def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def frames() -> str:
    """What holds tables: pandas, polars, arrow or plain."""
    return _frames or next(name for name in FRAMES if _has(_MODULE[name]))


def file_format() -> str:
    """The format that the command should write: Parquet if it can be read here, or JSON."""
    kind = frames()
    if kind == "plain" or kind == "pandas" and not (_has("pyarrow") or _has("fastparquet")):
        return "json"
    return "parquet"


class Table:
    """A table of columns, where no package for data frames is installed.

    >>> t = Table({"state": ["ill", "well"], "count": [3, 97]})
    >>> len(t), t.columns, t["count"]
    (2, ['state', 'count'], [3, 97])
    >>> t.where(state="ill")[0]
    {'state': 'ill', 'count': 3}
    >>> [row["count"] for row in t]
    [3, 97]
    """

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        self._columns = dict(columns)
        if len({len(c) for c in self._columns.values()}) > 1:
            raise ValueError("the columns of a table have the same length")

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, a row as a dict by its number, or a part of the rows by a slice."""
        if isinstance(key, str):
            return self._columns[key]
        if isinstance(key, slice):
            return Table({name: column[key] for name, column in self._columns.items()})
        return {name: column[key] for name, column in self._columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        for cells in zip(*self._columns.values()):
            yield dict(zip(names, cells))

    def where(self, condition: Optional[Callable[[dict[str, Any]], bool]] = None, **values: Any) -> "Table":
        """The rows with these values, or those for which the condition is true."""
        wanted = [(self._columns[name], value) for name, value in values.items()]
        keep = [i for i in range(len(self)) if all(column[i] == value for column, value in wanted)
                and (condition is None or condition(self[i]))]
        return Table({name: [column[i] for i in keep] for name, column in self._columns.items()})

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns: what the constructors of data frames take."""
        return dict(self._columns)

    def to_csv(self, path: Any) -> None:
        """Writes a CSV file, with empty cells for None."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(self.columns)
            out.writerows(zip(*self._columns.values()))

    def _shown(self, most: int = 10) -> tuple[list[list[str]], int]:
        """Some rows as texts, and how many are left out after the first half of them."""
        n = len(self)
        rows = range(n) if n <= most else [*range(most // 2), *range(n - most // 2, n)]
        cells = [["" if c[i] is None else f"{c[i]:g}" if isinstance(c[i], float) else str(c[i])
                  for c in self._columns.values()] for i in rows]
        return cells, max(0, n - most)

    def __repr__(self) -> str:
        cells, left = self._shown()
        widths = [max(len(r[j]) for r in [self.columns, *cells]) for j in range(len(self.columns))]
        lines = ["  ".join(v.rjust(w) for v, w in zip(row, widths)).rstrip() for row in [self.columns, *cells]]
        if left:
            lines.insert(1 + len(cells) // 2, "...")
        return "\n".join([*lines, f"[{len(self)} rows]"])

    def _repr_html_(self) -> str:
        def row(tag: str, texts: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(t)}</{tag}>" for t in texts) + "</tr>"

        cells, left = self._shown()
        body = [row("td", r) for r in cells]
        if left:
            body.insert(len(body) // 2, row("td", ["…"] * len(self.columns)))
        return (f"<table><thead>{row('th', self.columns)}</thead><tbody>{''.join(body)}</tbody></table>"
                f"<p>{len(self)} rows</p>")


def make(columns: Mapping[str, list[Any]]) -> Any:
    """A frame of columns."""
    kind = frames()
    if kind == "pandas":
        import pandas
        return pandas.DataFrame(dict(columns))
    if kind == "polars":
        import polars
        return polars.DataFrame({name: polars.Series(name, c, dtype=polars.UInt64) if _wide(c) else c
                                 for name, c in columns.items()})
    if kind == "arrow":
        import pyarrow
        return pyarrow.table({name: pyarrow.array(c, type=pyarrow.uint64()) if _wide(c) else c
                              for name, c in columns.items()})
    return Table(columns)


def _wide(column: list[Any]) -> bool:
    """Whether some number needs 64 bits without a sign, as seeds do."""
    return any(isinstance(v, int) and v >= 1 << 63 for v in column)


def read(directory: Path, name: str, kinds: Mapping[str, str], other: str = TEXT) -> Any:
    """The table NAME.parquet, .json or .csv of a directory. Columns without a kind are of the other."""
    path = directory / (name + ".parquet")
    if path.exists():
        return _read_parquet(path)
    path = directory / (name + ".json")
    if path.exists():
        return _read_json(path, kinds, other)
    path = directory / (name + ".csv")
    if not path.exists():
        raise FileNotFoundError(f"{directory} has no {name}.parquet, .json or .csv")
    if frames() == "pandas":
        return _dated(_read_csv_pandas(path, kinds, other))
    return make(read_columns(path, kinds, other))


def _dated(frame: Any) -> Any:
    """A frame of pandas with its column `date` as dates; years that pandas has not stay texts."""
    if "date" in frame:
        import pandas
        try:
            frame["date"] = pandas.to_datetime(frame["date"])
        except (ValueError, OverflowError):
            pass
    return frame


def _read_parquet(path: Path) -> Any:
    kind = frames()
    if kind == "pandas":
        import pandas
        frame = pandas.read_parquet(path)
        texts = list(frame.select_dtypes(["object", "string"]).columns)
        return _dated(frame.fillna({name: "" for name in texts}) if texts else frame)
    if kind == "polars":
        import polars
        return polars.read_parquet(path).with_columns(polars.col(polars.Utf8).fill_null(""))
    if kind == "arrow":
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
        table = pyarrow.parquet.read_table(path)
        for i, field in enumerate(table.schema):
            if pyarrow.types.is_string(field.type):
                table = table.set_column(i, field.name, pyarrow.compute.fill_null(table.column(i), ""))
        return table
    raise ValueError(f"{path} is Parquet, which needs pandas with pyarrow, polars or pyarrow")


def _read_json(path: Path, kinds: Mapping[str, str], other: str) -> Any:
    """A table in JSON: a list of blocks of rows, each an object with a list for each column."""
    with open(path, encoding="utf-8") as file:
        blocks = json.load(file)
    columns: dict[str, list[Any]] = blocks[0]
    for block in blocks[1:]:
        for name, cells in block.items():
            columns[name] += cells
    for name, cells in columns.items():
        kind = kinds.get(name, other)
        if kind == TEXT:
            columns[name] = ["" if c is None else c for c in cells]
        elif kind == FLOAT or kind == GUESS and not any(isinstance(c, str) for c in cells):
            columns[name] = [None if c is None else float(c) for c in cells]
    if frames() != "pandas":
        return make(columns)
    import pandas
    return _dated(pandas.DataFrame({name: _series(cells, kinds.get(name, other)) for name, cells in columns.items()}))


def _series(cells: list[Any], kind: str) -> Any:
    """A column of pandas. Large numbers do not go through floating point, as they would by UInt64."""
    import pandas
    if kind != OPTIONAL_INT:
        return pandas.Series(cells, dtype=_PANDAS.get(kind))
    series = pandas.Series([c or 0 for c in cells], dtype="uint64").astype("UInt64")
    series[[c is None for c in cells]] = pandas.NA
    return series


# The types of pandas. UInt64 has missing values, and room for seeds.
_PANDAS = {INT: "int64", FLOAT: "float64", TEXT: "object", OPTIONAL_INT: "UInt64"}


def _read_csv_pandas(path: Path, kinds: Mapping[str, str], other: str) -> Any:
    import pandas
    types = {**_PANDAS, TEXT: "str"}
    with open(path, newline="", encoding="utf-8") as file:
        header: list[str] = next(csv.reader(file), [])
    by_name = {name: kinds.get(name, other) for name in header}
    missing = {name: [""] for name, kind in by_name.items() if kind in (FLOAT, OPTIONAL_INT)}
    # keep_default_na: a group may be called NA. round_trip: the number that was written, to the last bit.
    return pandas.read_csv(path, dtype={name: types[kind] for name, kind in by_name.items() if kind in types},
                           keep_default_na=False, na_values=missing, float_precision="round_trip")


def read_columns(path: Path, kinds: Mapping[str, str], other: str) -> dict[str, list[Any]]:
    """The columns of a CSV file as lists; None for an empty number."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header: list[str] = next(rows, [])
        texts = list(zip(*rows)) or [() for _ in header]
    return {name: _column(cells, kinds.get(name, other)) for name, cells in zip(header, texts)}


def _column(cells: tuple[str, ...], kind: str) -> list[Any]:
    if kind == INT:
        return list(map(int, cells))
    if kind == FLOAT:
        return [float(c) if c else None for c in cells]
    if kind == OPTIONAL_INT:
        return [int(c) if c else None for c in cells]
    if kind == GUESS:
        try:
            return list(map(float, cells))
        except ValueError:
            pass
    return list(cells)


def increments(frame: Any) -> Any:
    """The frame of flows with `incidence`, the events since the row before, in place of `count`,
    the events since the start. If the command wrote them they are taken as they are."""
    kind = frames()
    if kind == "pandas":
        frame = frame.copy()
        if "incidence" not in frame:
            keys = [c for c in frame.columns if c not in ("time", "date", "count")]
            step = frame.groupby(keys, sort=False)["count"].diff()
            frame["incidence"] = step.fillna(frame["count"]).astype("int64")
        return frame.drop(columns="count")
    columns = _to_columns(frame)
    if "incidence" not in columns:
        last: dict[Any, int] = {}
        step = []
        groups = zip(*(c for name, c in columns.items() if name not in ("time", "date", "count")))
        for key, count in zip(groups, columns["count"]):
            step.append(count - last.get(key, 0))
            last[key] = count
        columns["incidence"] = step
    del columns["count"]
    return make(columns)


def _to_columns(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, Table):
        return frame.to_dict()
    if hasattr(frame, "to_pydict"):  # arrow
        return dict(frame.to_pydict())
    return dict(frame.to_dict(as_series=False))  # polars
