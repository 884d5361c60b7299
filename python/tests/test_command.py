"""The program is found, started, followed and ended; what it says becomes exceptions."""

from __future__ import annotations

import os
import signal
import threading
import unittest
import warnings
from unittest import mock

import almanac
from almanac import _command, _tables

from .support import EXAMPLES, Case, sir

POSIX = unittest.skipIf(os.name == "nt", "stands in for the program with a script")


class Finding(Case):
    def test_nothing_is_found(self) -> None:
        empty = {"PATH": str(self.directory), "HOME": str(self.directory)}
        with mock.patch.dict(os.environ, empty, clear=True), self.assertRaises(almanac.CommandNotFound) as caught:
            almanac.version()
        self.assertIn("go install", str(caught.exception))
        self.assertIsInstance(caught.exception, FileNotFoundError)

    def test_no_program(self) -> None:
        almanac.use(binary=self.directory / "none")
        with self.assertRaisesRegex(almanac.CommandNotFound, "cannot be started"):
            almanac.version()

    def test_what_is_left_out_stays(self) -> None:
        almanac.use(binary=self.directory / "none")
        almanac.use(frames="plain")
        self.assertEqual(_command.binary(), str(self.directory / "none"))
        almanac.use(binary=None)
        self.assertNotEqual(_command.binary(), str(self.directory / "none"))
        self.assertEqual(_tables.frames(), "plain")

    def test_where_go_installs(self) -> None:
        name = "almanac.exe" if os.name == "nt" else "almanac"
        (self.directory / "go" / "bin").mkdir(parents=True)
        path = self.directory / "go" / "bin" / name
        path.write_text("")
        with mock.patch.dict(os.environ, {"PATH": "", "GOPATH": str(self.directory / "go")}, clear=True):
            self.assertEqual(_command.binary(), str(path))

    @POSIX
    def test_another_program(self) -> None:
        self.program("print('I am something else')")
        with self.assertRaisesRegex(almanac.CommandNotFound, "has written no results: is it almanac?"):
            almanac.run(sir())

    def test_version(self) -> None:
        self.assertRegex(almanac.version(), r"^almanac .*go")


class Mistakes(Case):
    def test_file_line_and_column(self) -> None:
        text = (EXAMPLES / "sir.yaml").read_text(encoding="utf-8").replace("rate: beta", "rate: bta")
        (self.directory / "wrong.yaml").write_text(text, encoding="utf-8")
        line = 1 + next(i for i, each in enumerate(text.splitlines()) if "rate: bta" in each)
        for command in (almanac.run, almanac.check, almanac.compare, almanac.fit):
            with self.assertRaises(almanac.ModelError) as caught:
                command("wrong.yaml")
            err = caught.exception
            self.assertEqual((err.file, err.line, err.status), ("wrong.yaml", line, 2))
            self.assertIn('did you mean "beta"?', str(err))
            self.assertIn("bta", text.splitlines()[err.line - 1][err.column - 1:])

    def test_everything_at_once(self) -> None:
        model = sir(record={"every": "1 dya"}, parameters={"beta": "0.6 per dy"})
        with self.assertRaises(almanac.ModelError) as caught:
            almanac.run(model)
        err = caught.exception
        self.assertGreater(len(err.problems), 1)
        self.assertEqual({p.file for p in err.problems}, {"model"})
        self.assertIn('"every": "1 dya"', str(err))  # the line of the dict's text
        for p in err.problems:
            self.assertIn(str(p), str(err))

    def test_arguments(self) -> None:
        for wanted, call in (
            ('there is no parameter "bta"', lambda: almanac.run(sir(), set={"bta": 1})),
            ("no such file", lambda: almanac.run("none.yaml")),
            ("unknown flag: --tempo", lambda: almanac.run(sir(), tempo=3)),
            ("peek", lambda: almanac.sweep(sir(), {"beta": "0.3, 0.4 per day"}, output="peek(ill)", replicas=2)),
        ):
            with self.subTest(wanted), self.assertRaisesRegex(almanac.UsageError, wanted):
                call()

    def test_no_form_in_a_model(self) -> None:
        with self.assertRaisesRegex(almanac.UsageError, "the model cannot be written"):
            almanac.run(sir(parameters={"beta": float("nan")}))
        with self.assertRaisesRegex(almanac.UsageError, "has no form in a model file"):
            almanac.run(sir(parameters={"beta": object()}))


@POSIX
class Following(Case):
    def test_progress_is_passed_on(self) -> None:
        self.program("""
            import sys
            print('{"progress":0.25,"text":"a quarter"}', file=sys.stderr)
            print('almanac: something to say', file=sys.stderr)
            print('{"progress":1,"text":"all"}', file=sys.stderr)
            print("result")
        """)
        steps: list[tuple[float, str]] = []
        out = _command.call([], progress=lambda done, text: steps.append((done, text)))
        self.assertEqual(steps, [(0.25, "a quarter"), (1, "all")])
        self.assertEqual((out.status, out.stdout, out.stderr), (0, "result\n", "almanac: something to say\n"))

    def test_what_it_says_is_a_warning(self) -> None:
        self.program("import sys; print('almanac: every second time', file=sys.stderr); print('ok')")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(almanac.version(), "ok")
        self.assertEqual([(w.category, str(w.message)) for w in caught],
                         [(almanac.AlmanacWarning, "every second time")])

    def test_failed_work(self) -> None:
        self.program("import sys; print('almanac: not enough memory', file=sys.stderr); sys.exit(1)")
        with self.assertRaisesRegex(almanac.RunError, "^not enough memory$") as caught:
            almanac.run(sir())
        self.assertEqual(caught.exception.status, 1)
        self.assertIsNone(caught.exception.result)

    # The stand-in ends by an interrupt only, and leaves a file: so it got one.
    WAITING = """
        import os, signal, sys, time
        def end(*_):
            open("ended", "w").close()
            sys.exit(1)
        signal.signal(signal.SIGINT, end)
        print('{"progress":0,"text":"begun"}', file=sys.stderr, flush=True)
        while True:
            time.sleep(0.05)  # Python does not look for a signal that came just before a sleep
    """

    def test_an_interrupt_ends_the_run(self) -> None:
        # Where the tests run in the background of a shell, interrupts are ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        self.program(self.WAITING)

        def interrupt(done: float, text: str) -> None:
            threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()

        with self.assertRaises(KeyboardInterrupt):
            _command.call([], progress=interrupt)
        self.assertTrue((self.directory / "ended").exists())

    def test_an_error_of_the_callback_ends_the_run(self) -> None:
        self.program(self.WAITING)
        with self.assertRaises(ZeroDivisionError):
            _command.call([], progress=lambda done, text: print(1 / 0))
        self.assertTrue((self.directory / "ended").exists())

    def test_a_deaf_program_is_killed(self) -> None:
        self.program("""
            import os, signal, sys, time
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            open("pid", "w").write(str(os.getpid()))
            print('{"progress":0,"text":"begun"}', file=sys.stderr, flush=True)
            time.sleep(600)
        """)
        with mock.patch.object(_command, "_GRACE", 0.1), self.assertRaises(ZeroDivisionError):
            _command.call([], progress=lambda done, text: print(1 / 0))
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.directory / "pid").read_text()), 0)

    def test_a_real_run_is_interrupted(self) -> None:
        almanac.use()
        # A run of hours, that has begun.
        model = sir(time={"unit": "day", "end": 1e9}, record={"every": "1e8 days"})
        model["states"]["immune"] = {"race": [{"rate": "1 per day", "to": "well"}]}
        model["states"]["well"] = {"race": [{"rate": "0.1 per day", "to": "ill"}]}
        steps: list[tuple[float, str]] = []

        def interrupt(done: float, text: str) -> None:
            steps.append((done, text))
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            almanac.run(model, out="out", progress=interrupt)
        self.assertEqual(len(steps), 1)
        self.assertTrue(0 <= steps[0][0] < 0.1)
        self.assertIn("day", steps[0][1])
        self.assertTrue((self.directory / "out" / "summary.json").exists())  # ended cleanly, not killed
        self.assertIn('"incomplete":true', (self.directory / "out" / "summary.json").read_text().replace(" ", ""))


if __name__ == "__main__":
    unittest.main()
