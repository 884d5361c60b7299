"""What the tests share: a small model, and a stand-in for the program."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any

import almanac
from almanac import _tables

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def sir(**changes: Any) -> dict[str, Any]:
    """A small epidemic in two regions, over twenty days that begin at a date.

    It records nothing by region, since the pictures of regions take most of the time of a run.
    """
    model: dict[str, Any] = {
        "name": "small",
        "time": {"unit": "day", "start": "2020-03-01", "end": "2020-03-21"},
        "population": {"size": 400, "start": {"ill": 10, "well": "rest"}},
        "parameters": {"beta": "0.6 per day"},
        "attributes": {"region": {"north": "60%", "south": "rest"}},
        "states": {"well": {}, "ill": {"race": [{"rate": "0.2 per day", "to": "immune"}]}, "immune": {}},
        "transmission": [{"from": "ill", "rate": "beta", "to": {"well": "ill"}}],
        "record": {"every": "1 day"},
        "scenarios": {"usual": {}, "fewer contacts": {"beta": "0.3 per day"}},
    }
    model.update(changes)
    return model


class Case(unittest.TestCase):
    """A test in a directory of its own, with plain tables unless it says otherwise."""

    frames = "plain"

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        before = os.getcwd()
        os.chdir(self.directory)
        self.addCleanup(os.chdir, before)
        _tables.set_frames(self.frames)
        self.addCleanup(almanac.use)

    def program(self, text: str) -> None:
        """Takes a Python program in place of the command."""
        path = self.directory / "stand-in"
        path.write_text(f"#!{sys.executable}\n" + textwrap.dedent(text), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        almanac._api.set_binary(path)
