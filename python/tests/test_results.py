"""Runs and studies of the real program: its numbers come out, in frames and pictures."""

from __future__ import annotations

import functools
import gc
import json
import os
import shutil
import subprocess
import sys
import unittest
import warnings
from pathlib import Path
from typing import Any

import almanac
from almanac import _command, _tables

from .support import EXAMPLES, Case, sir


def columns(frame: Any) -> dict[str, list[Any]]:
    """The columns of any frame, with dates as texts."""
    if isinstance(frame, almanac.Table) or hasattr(frame, "to_pydict") or hasattr(frame, "with_columns"):
        return _tables._to_columns(frame)
    frame = frame.copy()
    if "date" in frame:
        frame["date"] = frame["date"].dt.strftime("%Y-%m-%d")
    return {name: frame[name].tolist() for name in frame}


BY_REGION = {"every": "1 day", "by": ["region"]}


@functools.lru_cache(None)
def made(name: str, format: str) -> Any:
    """A result of the program, which is made once for all kinds of frames."""
    recorded = sir(record={**BY_REGION, "incidence": True})
    outbreak = EXAMPLES / "outbreak.yaml"
    if name == "run":
        return almanac.run(sir(record=BY_REGION), set={"beta": "0.5 per day"}, replicas=3, seed=3, events=True,
                           format=format)
    if name == "recorded":
        return almanac.run(recorded, set={"beta": "0.5 per day"}, replicas=3, seed=3, format=format)
    if name == "sweep":
        return almanac.sweep(sir(), {"beta": ["0.3 per day", "0.6 per day"]}, replicas=10,
                             output=["peak(ill)", "final(immune)"], format=format)
    if name == "compare":
        return almanac.compare(sir(), replicas=10, output="final(immune)", draw="ill")
    if name == "fit":
        return almanac.fit(outbreak, budget=120, size=500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", almanac.AlmanacWarning)  # from when on the runs of the fit go on
        return almanac.run(outbreak, from_fit=made("fit", "csv"), until=40, replicas=4, format=format)


class Plain(Case):
    """The same tests for each kind of frame, below."""

    def result(self, name: str) -> Any:
        """The result, not yet read."""
        r = made(name, _tables.file_format() if name in ("run", "recorded", "sweep", "projection") else "csv")
        return type(r)(r.directory, r.text, r._scratch)

    def test_run(self) -> None:
        r = self.result("run")
        states = columns(r.states)
        self.assertEqual(list(states), ["replica", "time", "date", "state", "region", "count"])
        self.assertEqual(len(states["count"]), 3 * 21 * 3 * 3)
        self.assertEqual(str(states["date"][-1])[:10], "2020-03-21")
        self.assertEqual(r.parameters["beta"], "0.5 per day")
        self.assertFalse(r.incomplete)
        # The rows are those behind the summary of the command.
        for state in ("well", "ill", "immune"):
            counts = [n for s, t, g, n in zip(states["state"], states["time"], states["region"], states["count"])
                      if (s, t, g) == (state, 20, "")]
            self.assertEqual(len(counts), 3)
            self.assertAlmostEqual(sum(counts) / 3, r.summary["states"][state]["mean"][20])
    def test_table_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(almanac.UsageError, "only of a model with record: tree"):
            almanac.run(sir()).tree

    def test_incidence(self) -> None:
        alone, recorded = columns(self.result("run").incidence), self.result("recorded")
        self.assertEqual(columns(recorded.incidence), alone)
        self.assertEqual(list(alone), ["replica", "time", "date", "kind", "flow", "region", "incidence"])
        flows = columns(recorded.flows)
        total = sum(n for t, n in zip(flows["time"], flows["count"]) if t == 20)
        self.assertEqual(sum(alone["incidence"]), total)
        self.assertGreater(total, 0)

    def test_events(self) -> None:
        r = self.result("run")
        events = columns(r.events)
        flows = columns(r.flows)
        infections = sum(n for f, g, t, n in zip(flows["flow"], flows["region"], flows["time"], flows["count"])
                         if (f, g, t) == ("well->ill", "", 20))
        self.assertEqual(sum((a, b) == ("well", "ill") for a, b in zip(events["from"], events["to"])), infections)
        self.assertEqual(len(set(events["individual"])), 400)

    def test_sweep(self) -> None:
        s = self.result("sweep")
        points = columns(s.points)
        self.assertEqual(points["beta"], [0.3, 0.3, 0.6, 0.6])
        self.assertEqual(points["output"], ["peak(ill)", "final(immune)"] * 2)
        self.assertEqual(points["replicas"], [10] * 4)
        self.assertLess(points["mean"][0], points["mean"][2])
        self.assertTrue(all(a <= m <= b for a, m, b in zip(points["low"], points["mean"], points["high"])))
        series = columns(s.series)
        self.assertEqual(set(series["beta"]), {0.3, 0.6})
        self.assertIn("<svg", s.plot().svg)

    def test_compare(self) -> None:
        c = self.result("compare")
        d, p = columns(c.differences), columns(c.pairs)
        self.assertEqual((d["scenario"], d["pairs"]), (["fewer contacts"], [10]))
        difference = [x for s, x in zip(p["scenario"], p["difference"]) if s == "fewer contacts"]
        self.assertAlmostEqual(sum(difference) / 10, d["mean_difference"][0])
        self.assertLess(d["mean_difference"][0], 0)
        self.assertEqual(columns(c.scenarios)["scenario"], ["usual", "fewer contacts"])
        self.assertIn("<svg", c.plot().svg)
        self.assertTrue(columns(c.series)["mean"])
        self.assertTrue(columns(c.series_differences)["mean_difference"])

    def test_fit(self) -> None:
        f = self.result("fit")
        posterior = columns(f.posterior)
        self.assertEqual(list(posterior)[:4], ["beta", "seeds", "rho", "weight"])
        self.assertAlmostEqual(sum(posterior["weight"]), 1)
        mean = sum(b * w for b, w in zip(posterior["beta"], posterior["weight"]))
        unknowns = columns(f.unknowns)
        self.assertEqual(unknowns["name"], ["beta", "seeds", "rho"])
        self.assertAlmostEqual(unknowns["mean"][0], mean)
        self.assertEqual([n for n in unknowns if n.startswith("q")], ["q2.5", "q05", "q25", "q75", "q95", "q97.5"])
        self.assertEqual(list(f.best), ["beta", "seeds", "rho"])
        self.assertEqual(f.notes, f.summary["notes"])
        self.assertIn("<svg", f.plot().svg)
        on = self.result("projection")
        self.assertEqual(len(columns(on.draws)["beta"]), 4)
        self.assertEqual(max(columns(on.projection)["time"]), 39)


@unittest.skipUnless(_tables._has("pandas"), "pandas is not installed")
class Pandas(Plain):
    frames = "pandas"


@unittest.skipUnless(_tables._has("polars"), "polars is not installed")
class Polars(Plain):
    frames = "polars"


@unittest.skipUnless(_tables._has("pyarrow"), "pyarrow is not installed")
class Arrow(Plain):
    frames = "arrow"


class Arguments(Case):
    """What is said in Python reaches the program."""

    def test_same_tables_in_csv_and_json(self) -> None:
        for name in ("run", "recorded", "sweep"):
            one, other = made(name, "csv"), made(name, "json")
            for table in ("states", "flows") if name != "sweep" else ("series", "points"):
                self.assertEqual(getattr(one, table).to_dict(), getattr(other, table).to_dict())
        self.assertEqual(made("run", "csv").events.to_dict(), made("run", "json").events.to_dict())

    def test_same_numbers_as_the_command(self) -> None:
        r = made("run", "json")
        args = ["run", "-", "--set", "beta=0.5 per day", "--replicas", "3", "--seed", "3", "--json"]
        out = _command.call(args, almanac._arguments.model_argument(sir(record=BY_REGION))[1], False)
        self.assertEqual(json.loads(out.stdout), r.summary)

    def test_best_point_of_a_fit(self) -> None:
        best = made("fit", "csv").best
        text = str(almanac.check(EXAMPLES / "outbreak.yaml", set=best, size=500))
        self.assertIn(f"beta: {float(best['beta'].split()[0]):.4f}"[:11], text)

    def test_fit_of_a_model_without_a_section_fit(self) -> None:
        (self.directory / "ill.csv").write_text("time,ill\n5,40\n10,90\n", encoding="utf-8")
        f = almanac.fit(sir(), data="ill.csv", unknown={"beta": "uniform 0.1..1 per day"},
                        match="ill = state ill poisson", budget=60)
        self.assertEqual(f.unknowns["name"], ["beta"])
        self.assertEqual(f.unknowns["prior"], ["uniform 0.1..1"])
        self.assertTrue(0.1 <= f.unknowns["mean"][0] <= 1)
        self.assertEqual(f.summary["data"]["columns"][0]["values"], [40, 90])

    def test_scenarios_in_order(self) -> None:
        with self.assertRaisesRegex(almanac.UsageError, "usual"):
            almanac.compare(sir(), scenarios=["fewer contacts", "unusual"])

    def test_size_until_and_scenario(self) -> None:
        c = almanac.check(sir(), size=777, until="2020-03-11", scenario="fewer contacts")
        self.assertIn("small: 777 individuals", str(c))
        self.assertIn("2020-03-11", str(c))
        self.assertIn("beta: 0.3 per day", str(c))


class Economics(Case):
    def test_outcomes_and_icer(self) -> None:
        model = sir(outcomes={"cost": {"time": "50 per day", "events": {"well->ill": 10}},
                              "days": {"time": "1 per day"}})
        r = almanac.run(model, until="2020-03-06")
        last = r.outcomes.where(time=5.0)
        self.assertEqual(last["outcome"], ["cost", "days"])
        self.assertAlmostEqual(last["value"][1], 400 * 5)
        c = almanac.compare(model, until="2020-03-06", replicas=3, output="final(ill)", draw="ill", icer="cost/days")
        self.assertEqual(c.icer["scenario"], ["fewer contacts"])
        self.assertEqual(set(c.acceptability["scenario"]), {"usual", "fewer contacts"})


class Observed(Case):
    def test_tables(self) -> None:
        model = sir(transmission=[{"from": "ill", "rate": "beta", "to": {"well": "ill"}, "name": "infection"}],
                    observe={"reports": {"of": "infection", "chance": "50%", "after": "2 days"},
                             "survey": {"at": "2020-03-11", "count": 20, "chance": "30%"}},
                    record={"every": "5 days", "values": {"share": "count(ill) / total"}, "tree": {"of": "infection"},
                            "people": {"times": ["infection", "reports"]}})
        for format in ("json", "csv"):
            r = almanac.run(model, seed=2, format=format)
            tested = r.observed.where(name="survey", what="tested")["count"]
            self.assertEqual(tested, [0, 0, 20, 20, 20])
            infections = sum(1 for x in r.people["time of infection"] if x is not None)
            self.assertEqual(len(r.people), 400)
            self.assertEqual(len(r.tree), infections)
            self.assertGreater(infections, 50)
            first = r.tree[0]
            self.assertIsInstance(first["infected"], int)
            self.assertGreater(first["by"], 0)
            self.assertIsNone(first["by time"])
            self.assertEqual(first["generation"], 1)
            by_number = {p["number"]: p for p in r.people}
            self.assertEqual(by_number[first["infected"]]["time of infection"], first["time"])
            seen = r.observed.where(name="reports", what="seen")["count"][-1]
            self.assertEqual(seen, sum(1 for x in r.people["time of reports"] if x is not None))
            self.assertEqual(r.values["value"][0], 10 / 400)


class States(Case):
    def test_go_on(self) -> None:
        # Nothing that is said of a state is a warning, which would be an error here.
        first = almanac.run(sir(), replicas=3, seed=5, save_at="2020-03-08", as_="calm.almanac")
        self.assertEqual(first.states["time"][-1], 7)
        whole = almanac.run(sir(), replicas=3, seed=5)
        on = almanac.run(from_state="calm.almanac")
        self.assertEqual(on.states.to_dict(), whole.states.to_dict())
        self.assertEqual(on.flows.to_dict(), whole.flows.to_dict())
        more = almanac.run({**sir(), "interventions": [{"at": "2020-03-10", "set": {"beta": "0 per day"}}]},
                           from_state="calm.almanac")
        rows = len(whole.flows.where(lambda row: row["time"] <= 9))
        self.assertGreater(rows, 0)
        self.assertEqual(more.flows.where(lambda row: row["time"] <= 9).to_dict(),
                         whole.flows.where(lambda row: row["time"] <= 9).to_dict())
        self.assertNotEqual(more.flows.to_dict(), whole.flows.to_dict())
        c = almanac.compare(from_state=Path("calm.almanac"), output=["final(immune)", "at(immune, 2020-03-08)"])
        self.assertEqual(c.scenarios["replicas"], [3] * 4)
        self.assertEqual(c.differences["mean_difference"][1], 0)
        self.assertLess(c.differences["mean_difference"][0], 0)
        s = almanac.sweep(None, {"beta": ["0.6 per day"]}, from_state="calm.almanac", output="final(immune)")
        self.assertEqual(s.points["mean"][0], c.scenarios["mean"][0])

    def test_mistakes(self) -> None:
        almanac.run(sir(), save_at="2020-03-08", as_="calm.almanac")
        with self.assertWarnsRegex(almanac.AlmanacWarning, "drawn again, since the seed is not that"):
            almanac.run(from_state="calm.almanac", seed=2)
        for wrong, why in (({"from_state": "none.almanac"}, "no such file"),
                           ({"save_at": "2020-03-08"}, "to which file"),
                           ({"from_state": "model.yaml"}, "not a state"), ({}, "which model"),
                           ({"from_state": "calm.almanac", "size": 3}, "the run has begun")):
            (self.directory / "model.yaml").write_text("name: x")
            model = sir() if "save_at" in wrong else None
            with self.assertRaisesRegex(almanac.UsageError, why):
                almanac.run(model, **wrong)

    def test_of_a_fit(self) -> None:
        (self.directory / "data.csv").write_text("time,ill\n2,14\n4,19\n6,30\n")
        model = sir(time={"unit": "day", "end": 20}, fit={
            "data": "data.csv", "unknown": {"beta": {"uniform": {"low": "0.1 per day", "high": "1 per day"}}},
            "match": [{"column": "ill", "state": "ill", "error": "poisson"}]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", almanac.AlmanacWarning)
            f = almanac.fit(model, budget=150, states=20)
            p = almanac.run(model, from_fit=f, from_state=True, replicas=4)
        self.assertEqual(len(p.draws), 4)
        self.assertEqual(p.states["time"][-1], 20)


class Alone(Case):
    def test_standard_library_only(self) -> None:
        # Without site packages there is nothing but the standard library.
        program = ("import sys, almanac; r = almanac.run(sys.argv[1], size=200, until=5); "
                   "print(type(r.states).__name__, len(r.states), 'pandas' in sys.modules)")
        environment = {**os.environ, "PYTHONPATH": str(Path(almanac.__file__).parents[1])}
        done = subprocess.run([sys.executable, "-S", "-c", program, str(EXAMPLES / "sir.yaml")], env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.stderr), ("Table 18 False\n", ""))


class Files(Case):
    def test_read_once(self) -> None:
        r = almanac.run(sir(), out="read")
        states, flows, incidence, summary = r.states, r.flows, r.incidence, r.summary
        shutil.rmtree("read")
        self.assertIs(r.states, states)
        self.assertIs(r.flows, flows)
        self.assertIs(r.incidence, incidence)
        self.assertIs(r.summary, summary)

    def test_read_again(self) -> None:
        r = made("sweep", "json")
        again = almanac.read(r.directory)
        self.assertIsInstance(again, almanac.Sweep)
        self.assertEqual(again.points.to_dict(), r.points.to_dict())
        with self.assertRaisesRegex(almanac.UsageError, "no results"):
            almanac.read(self.directory)

    def test_temporary_directory(self) -> None:
        r = almanac.run(sir())
        directory, picture = r.directory, r.plot()
        self.assertTrue(directory.is_dir())
        del r
        gc.collect()
        self.assertIn("<svg", picture.svg)  # the picture keeps it
        del picture
        gc.collect()
        self.assertFalse(directory.exists())

    def test_tables_of_a_dict_are_found_from_here(self) -> None:
        model = sir(parameters={"beta": {"steps": {"file": "beta.csv", "column": "beta", "unit": "per day"}}},
                    scenarios={})
        del model["scenarios"]
        with self.assertRaisesRegex(almanac.ModelError, "beta.csv"):
            almanac.check(model)
        (self.directory / "beta.csv").write_text("time,beta\n0,0.5\n10,0.1\n", encoding="utf-8")
        self.assertIn("0.1 per day", str(almanac.check(model)))

    def test_examples(self) -> None:
        self.assertIn(Path("models/sir.yaml"), almanac.examples("models"))


class Pictures(Case):
    def test_plot(self) -> None:
        r = made("run", "json")
        self.assertEqual(r.plot()._repr_svg_(), (r.directory / "states.svg").read_text(encoding="utf-8"))
        self.assertIn("incidence", r.pictures)
        self.assertNotEqual(r.plot("incidence").svg, r.plot().svg)
        with self.assertRaisesRegex(ValueError, "expected one of .*states"):
            r.plot("none")

    def test_what_is_shown(self) -> None:
        r = almanac.run(sir(), replicas=3, show=["ill"], per=100_000, log=True, title="only the ill")
        self.assertEqual(r.plot().path.name, "picture.svg")
        self.assertNotEqual(r.plot().svg, r.plot("states").svg)

    def test_save(self) -> None:
        picture = made("run", "json").plot()
        picture.save("a.svg")
        picture.save(Path("a.png"))
        self.assertEqual(Path("a.svg").read_text(encoding="utf-8"), picture.svg)
        self.assertEqual(Path("a.png").read_bytes()[:4], b"\x89PNG")
        with self.assertRaisesRegex(ValueError, ".svg or .png"):
            picture.save("a.pdf")

    def test_a_notebook_shows_it(self) -> None:
        r = made("run", "json")
        shown = r._repr_html_()
        self.assertIn("<svg", shown)
        self.assertNotIn("<?xml", shown)
        self.assertIn("3 replicas", shown)
        self.assertTrue(str(r).startswith("small: 400 individuals"))
        self.assertIn("small: 400 individuals", repr(r))

    def test_check(self) -> None:
        c = almanac.check(sir())
        self.assertIn("each individual that is ill", str(c))
        self.assertIn("<svg", c.plot().svg)


class Partial(Case):
    def test_what_was_recorded_before_the_failure(self) -> None:
        # A stand-in that runs the program, and then fails.
        self.program(f"""
            import subprocess, sys
            subprocess.run([{_command.binary()!r}, *sys.argv[1:]])
            print("almanac: replica 0: the clock stands still", file=sys.stderr)
            sys.exit(1)
        """)
        with self.assertRaisesRegex(almanac.RunError, "the clock stands still") as caught:
            almanac.run(sir())
        self.assertEqual(len(caught.exception.result.states), 21 * 3)


if __name__ == "__main__":
    unittest.main()
