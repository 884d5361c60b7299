"""Tables are the same in all frames, and are read with their types, once."""

from __future__ import annotations

import doctest
import json
import sys
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import almanac
from almanac import _tables
from almanac._tables import FLOAT, GUESS, INT, OPTIONAL_INT, TEXT, Table

from .support import Case

CSV = '''replica,time,state,region,count,by,seed,vary
0,0.1,ill,,3,,18417551434547284394,1
0,0.30000000000000004,"a, ""b""",NA,4,7,1,2.5
'''
KINDS = {"replica": INT, "time": FLOAT, "count": INT, "by": OPTIONAL_INT, "seed": OPTIONAL_INT, "vary": GUESS}
COLUMNS = {
    "replica": [0, 0], "time": [0.1, 0.30000000000000004], "state": ["ill", 'a, "b"'], "region": ["", "NA"],
    "count": [3, 4], "by": [None, 7], "seed": [18417551434547284394, 1], "vary": [1.0, 2.5],
}


class Plain(Case):
    def read(self) -> Any:
        (self.directory / "t.csv").write_text(CSV, encoding="utf-8")
        return _tables.read(self.directory, "t", KINDS)

    def test_types(self) -> None:
        t = self.read()
        self.assertEqual(t.to_dict(), COLUMNS)
        self.assertEqual([type(v) for v in t[1].values()], [int, float, str, str, int, int, int, float])

    def test_json(self) -> None:
        # Two blocks; null is an empty text or number, and 1 is a number like 2.5.
        blocks = [{name: [None if c == "" else c] for name, c in row.items()} for row in Table(COLUMNS)]
        blocks[0]["vary"] = [1]
        (self.directory / "t.json").write_text(json.dumps(blocks), encoding="utf-8")
        t = _tables.read(self.directory, "t", KINDS)
        self.assertEqual(t.to_dict(), COLUMNS)
        self.assertEqual([type(v) for v in t[0].values()],
                         [int, float, str, str, int, type(None), int, float])

    def test_empty(self) -> None:
        (self.directory / "t.csv").write_text("replica,state\n", encoding="utf-8")
        t = _tables.read(self.directory, "t", KINDS)
        self.assertEqual((len(t), t.columns, list(t)), (0, ["replica", "state"], []))

    def test_missing(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "has no events.parquet, .json or .csv"):
            _tables.read(self.directory, "events", KINDS)

    def test_parquet_needs_a_reader(self) -> None:
        (self.directory / "t.parquet").write_bytes(b"PAR1")
        with self.assertRaisesRegex(ValueError, "needs pandas with pyarrow"):
            _tables.read(self.directory, "t", KINDS)

    def test_table(self) -> None:
        t = Table({"state": ["ill", "well", "ill"], "count": [3, 97, 5]})
        self.assertEqual(t.where(state="ill")["count"], [3, 5])
        self.assertEqual(t.where(lambda row: row["count"] > 3, state="ill")["count"], [5])
        self.assertEqual(t[1:]["count"], [97, 5])
        self.assertEqual(t[-1], {"state": "ill", "count": 5})
        with self.assertRaises(KeyError):
            t["none"]
        with self.assertRaises(ValueError):
            Table({"a": [1], "b": []})
        self.assertEqual(doctest.testmod(_tables).failed, 0)

    def test_shown(self) -> None:
        t = Table({"n": list(range(100)), "text": ["<b>"] * 100, "none": [None] * 100})
        self.assertIn("[100 rows]", repr(t))
        self.assertLess(len(repr(t).splitlines()), 15)
        self.assertIn("&lt;b&gt;", t._repr_html_())
        self.assertNotIn("<b>", t._repr_html_())
        self.assertEqual(t._repr_html_().count("<tr>"), 12)

    def test_to_csv(self) -> None:
        t = self.read()
        t.to_csv("again.csv")
        self.assertEqual(_tables.read_columns(Path("again.csv"), KINDS, TEXT), COLUMNS)

    def test_increments(self) -> None:
        flows = Table({"replica": [0, 0, 0, 0, 1], "time": [0.0, 0.0, 1.0, 1.0, 0.0], "flow": ["a", "b", "a", "b", "a"],
                       "count": [1, 0, 5, 2, 7]})
        self.assertEqual(_tables.increments(flows)["incidence"], [1, 0, 4, 2, 7])
        self.assertNotIn("count", _tables.increments(flows).columns)
        self.assertIn("count", flows.columns)  # unchanged

    def test_unknown_frames(self) -> None:
        with self.assertRaisesRegex(ValueError, "expected one of pandas, polars, arrow, plain"):
            almanac.use(frames="panda")
        with mock.patch.object(_tables, "_has", lambda module: False), self.assertRaisesRegex(ValueError, "polars"):
            almanac.use(frames="polars")


class Format(unittest.TestCase):
    """Parquet is asked for if something here reads it."""

    def test_first_installed(self) -> None:
        for installed, frames, wanted in (
            ({"pandas", "pyarrow", "polars"}, "pandas", "parquet"), ({"pandas"}, "pandas", "json"),
            ({"pandas", "fastparquet"}, "pandas", "parquet"), ({"polars"}, "polars", "parquet"),
            ({"pyarrow"}, "arrow", "parquet"), (set(), "plain", "json"),
        ):
            with mock.patch.object(_tables, "_has", lambda m, have=installed | {"csv"}: m in have):
                self.assertEqual((_tables.frames(), _tables.file_format()), (frames, wanted))


@unittest.skipUnless(_tables._has("pandas"), "pandas is not installed")
class Pandas(Case):
    frames = "pandas"

    def test_types(self) -> None:
        (self.directory / "t.csv").write_text(CSV, encoding="utf-8")
        frame = _tables.read(self.directory, "t", KINDS)
        wanted = {"replica": "int64", "time": "float64", "count": "int64", "by": "UInt64", "seed": "UInt64",
                  "vary": "float64"}
        self.assertEqual({name: str(frame[name].dtype) for name in wanted}, wanted)
        self.assertTrue(frame["by"].isna()[0])
        for name, column in COLUMNS.items():
            rows = slice(1, None) if name == "by" else slice(None)
            self.assertEqual(frame[name].tolist()[rows], column[rows])

    def test_json(self) -> None:
        (self.directory / "t.csv").write_text(CSV, encoding="utf-8")
        frame = _tables.read(self.directory, "t", KINDS)
        blocks = [{name: [None if c == "" else c] for name, c in row.items()} for row in Table(COLUMNS)]
        (self.directory / "t.json").write_text(json.dumps(blocks), encoding="utf-8")
        same = _tables.read(self.directory, "t", KINDS)
        self.assertTrue(same.equals(frame), f"{same.dtypes} {frame.dtypes}")

    def test_dates(self) -> None:
        for day, kind in (("2020-03-01T06:00:00", "datetime64"), ("1400-01-01", "")):
            (self.directory / "t.csv").write_text(f"replica,date\n0,{day}\n", encoding="utf-8")
            self.assertIn(kind, str(_tables.read(self.directory, "t", KINDS)["date"].dtype))

    def test_increments(self) -> None:
        import pandas
        flows = pandas.DataFrame({"replica": [0, 0, 0, 0, 1], "time": [0.0, 0.0, 1.0, 1.0, 0.0],
                                  "flow": ["a", "b", "a", "b", "a"], "count": [1, 0, 5, 2, 7]})
        self.assertEqual(_tables.increments(flows)["incidence"].tolist(), [1, 0, 4, 2, 7])
        self.assertEqual(str(_tables.increments(flows)["incidence"].dtype), "int64")


class StandIns(Case):
    """How polars and arrow are called, where they are not installed."""

    def with_module(self, name: str, **content: Any) -> None:
        module = types.ModuleType(name)
        for key, value in content.items():
            setattr(module, key, value)
        patch = mock.patch.dict(sys.modules, {name: module})
        patch.start()
        self.addCleanup(patch.stop)

    def test_polars(self) -> None:
        class Frame:
            def __init__(self, columns: Any) -> None:
                self.held = columns

            def to_dict(self, as_series: bool) -> Any:
                assert not as_series
                return self.held

        self.with_module("polars", DataFrame=Frame)
        with mock.patch.object(_tables, "frames", lambda: "polars"):
            frame = _tables.make({"replica": [0, 0], "time": [0.0, 1.0], "count": [1, 4]})
            self.assertEqual(_tables.increments(frame).held,
                             {"replica": [0, 0], "time": [0.0, 1.0], "incidence": [1, 3]})

    def test_arrow(self) -> None:
        class Held(dict):  # type: ignore[type-arg]
            def to_pydict(self) -> Any:
                return dict(self)

        self.with_module("pyarrow", table=Held)
        with mock.patch.object(_tables, "frames", lambda: "arrow"):
            frame = _tables.make({"replica": [0, 0], "time": [0.0, 1.0], "count": [1, 4]})
            self.assertEqual(_tables.increments(frame), {"replica": [0, 0], "time": [0.0, 1.0], "incidence": [1, 3]})


if __name__ == "__main__":
    unittest.main()
