"""The code of the guide runs, and prints what the guide says.

With ALMANAC_UPDATE=1 in the environment the guide gets what is printed now.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import unittest
import warnings
from pathlib import Path

import almanac
from almanac import _tables

from .support import Case

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "python.md"
BLOCK = re.compile(r"```python\n(.*?)```\n(\n```text\n(.*?)```\n)?", re.DOTALL)


@unittest.skipUnless(_tables._has("pandas"), "the code of the guide uses pandas, which is not installed")
class Guide(Case):
    frames = "pandas"

    def test_code(self) -> None:
        source = GUIDE.read_text(encoding="utf-8")
        names: dict[str, object] = {}

        def run(match: re.Match[str]) -> str:
            code, shown = match[1], match[2]
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, str(GUIDE), "exec"), names)
            block = f"```python\n{code}```\n"
            if shown is None:
                self.assertEqual(printed.getvalue(), "", code)
                return block
            return f"{block}\n```text\n{printed.getvalue()}```\n"

        with warnings.catch_warnings():
            is_now = BLOCK.sub(run, source)
        if os.environ.get("ALMANAC_UPDATE"):
            GUIDE.write_text(is_now, encoding="utf-8")
            pictures = GUIDE.parents[1] / "pictures"
            shutil.copy("town.svg", pictures / "python-town.svg")
            shutil.copy("projection.svg", pictures / "python-projection.svg")
            return
        self.maxDiff = None
        self.assertEqual(is_now.splitlines(), source.splitlines())


if __name__ == "__main__":
    unittest.main()
