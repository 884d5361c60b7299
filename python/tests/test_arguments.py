"""Values of Python as the command takes them."""

from __future__ import annotations

import datetime
import json
import unittest
from pathlib import Path

from almanac import UsageError
from almanac import _arguments as arguments


class Number:
    """A number as numpy has them."""

    def __init__(self, value: object) -> None:
        self.value = value

    def tolist(self) -> object:
        return self.value


class Arguments(unittest.TestCase):
    def test_text(self) -> None:
        for value, wanted in (
            ("0.4 per day", "0.4 per day"), (3, "3"), (3.0, "3"), (0.25, "0.25"), (1e-7, "1e-07"), (True, "true"),
            (datetime.date(2020, 3, 1), "2020-03-01"), (Path("a.csv"), "a.csv"), (Number(0.5), "0.5"),
            ({"gamma": {"mean": "5 days", "shape": 2}}, '{"gamma": {"mean": "5 days", "shape": 2}}'),
        ):
            with self.subTest(value=value):
                self.assertEqual(arguments.text(value), wanted)

    def test_values(self) -> None:
        self.assertEqual(arguments.values("0.2..0.6 per day by 0.1"), "0.2..0.6 per day by 0.1")
        self.assertEqual(arguments.values(["0.2 per day", "0.3 per day"]), "0.2 per day, 0.3 per day")
        self.assertEqual(arguments.values([Number(1), 2.5]), "1, 2.5")
        self.assertEqual(arguments.values(range(1, 4)), "1, 2, 3")

    def test_options(self) -> None:
        given = {"limit_time": "10m", "series": False, "log": True, "hub": None, "output": ["a", "b"], "per": 1000}
        self.assertEqual(arguments.options(given), ["--limit-time=10m", "--series=false", "--log", "--output", "a",
                                                    "--output", "b", "--per=1000"])

    def test_models(self) -> None:
        self.assertEqual(arguments.model_argument("sir.yaml"), (["sir.yaml"], None))
        self.assertEqual(arguments.model_argument(Path("sir.yaml")), (["sir.yaml"], None))
        self.assertEqual(arguments.model_argument(None), ([], None))
        self.assertEqual(Path(arguments.model_argument("-")[0][0]), Path("-"))
        self.assertNotEqual(arguments.model_argument("-")[0], ["-"])
        name, text = arguments.model_argument({"n": Number([1, 2]), "day": datetime.date(2020, 3, 1), "é": (1,)})
        self.assertEqual(name, ["-"])
        assert text is not None
        self.assertEqual(json.loads(text), {"n": [1, 2], "day": "2020-03-01", "é": [1]})
        self.assertIn("é", text)

    def test_what_cannot_be_said(self) -> None:
        circular: dict[str, object] = {}
        circular["itself"] = circular
        for wrong in (lambda: arguments.model_argument(5), lambda: arguments.model_argument([{"name": "x"}]),
                      lambda: arguments.model_argument(circular),
                      lambda: arguments.model_argument({"end": float("nan")}),
                      lambda: arguments.model_argument({"name": object()}), lambda: arguments.text(float("inf")),
                      lambda: arguments.pairs("--set", "beta=1"), lambda: arguments.pairs("--set", [("beta", 1)])):
            with self.assertRaises(UsageError):
                wrong()
        self.assertEqual(arguments.model_argument("é.yaml".encode()), (["é.yaml"], None))


if __name__ == "__main__":
    unittest.main()
