package bench

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every kind of run can be timed, here of few individuals, and what is measured makes sense; a
// set-up ends before anything happens.
func TestWholeRuns(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var cells []Cell
	for _, large := range []bool{false, true} {
		for _, plan := range RunCells(large) {
			for _, c := range plan {
				if c.N > 2000 {
					c.N = 2000
				}
				if c.Workload == starting {
					c.Structure = "-test.run=^$" // there is no other program here that does something and ends
				}
				if !slices.Contains(cells, c) { // some differ in a size that is above
					cells = append(cells, c)
				}
			}
		}
	}
	results, err := Run(context.Background(), cells, Options{Repetitions: 2, Least: time.Millisecond, Seed: 1,
		Program: self})
	if err != nil {
		t.Fatal(err)
	}
	events := map[string]int{}
	for _, r := range results {
		if len(r.Each) != 2 || !(r.Best > 0) || !(r.Spread >= 1) || r.Rounds < 2 {
			t.Errorf("%+v", r)
		}
		if r.Workload == starting {
			continue
		}
		if !(r.Setup > 0 && r.Setup <= r.Best) || (r.Ops == 0) != (r.Workload == settingUp) || r.Bytes < 1<<20 {
			t.Errorf("%+v", r)
		}
		each := r.Ops / r.Rounds
		if before, ok := events[r.Structure+r.Workload]; ok && before != each || each*r.Rounds != r.Ops {
			t.Errorf("%v: %d events, and %d on another number of cores", r.Cell, each, before)
		}
		events[r.Structure+r.Workload] = each
		if data, err := json.Marshal(r); err != nil || !strings.Contains(string(data), `"setup_s":`) {
			t.Errorf("%s, %v", data, err)
		}
	}
}

func TestWholeRunsRefuse(t *testing.T) {
	for _, c := range []Cell{
		{Kind: WholeRuns, Structure: "version", Workload: starting},
		{Kind: WholeRuns, Structure: "none.yaml", Workload: wholeRun, N: 10},
		{Kind: WholeRuns, Structure: epidemic, Workload: "walk", N: 10},
		{Kind: EventSets, Structure: "by hand", Workload: fill, Distribution: "exponential", N: 10},
	} {
		if _, err := Run(context.Background(), []Cell{c}, quick); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
}

// A model that was written for a program to check is gone afterwards.
func TestStartTidiesUp(t *testing.T) {
	s, err := prepareStart(Cell{Structure: "check", Workload: starting}, Options{Program: "almanac"})
	if err != nil {
		t.Fatal(err)
	}
	start := s.(*startSubject)
	if _, err := os.Stat(start.args[1]); err != nil {
		t.Error(err)
	}
	start.close()
	if _, err := os.Stat(start.args[1]); !os.IsNotExist(err) {
		t.Errorf("the model is still there: %v", err)
	}
}

// What is wanted of runs is found in the results of each plan, and what is better or worse than
// wanted is told apart.
func TestJudgeRuns(t *testing.T) {
	for _, good := range []bool{true, false} {
		var targets []Target
		for _, large := range []bool{false, true} {
			for _, plan := range RunCells(large) {
				var results []Result
				for _, c := range plan {
					r := Result{Cell: c, Best: 0.001, Setup: 0.2, Bytes: 3.1e9, Rounds: 2, Ops: 2 * 10_100}
					switch {
					case c.Goroutines == 1 && c.Workload != settingUp && good:
						r.Setup = 0.4
					case c.Goroutines == 1 && c.Workload == settingUp && good:
						r.Best = 0.002
					case !good:
						r.Best, r.Bytes = 26, 3.3e9
						if c.Structure == threeMachines || c.Structure == threeMachinesGamma ||
							(c.N == million || c.N == city) && c.Workload == wholeRun && c.Structure != plainEpidemic {
							r.Best *= 2
						}
					}
					results = append(results, r)
				}
				targets = append(targets, Judge(results)...)
			}
		}
		if len(targets) != 17 {
			t.Errorf("%d targets", len(targets))
		}
		for _, target := range targets {
			if target.Met != good {
				t.Errorf("good %v: %+v (%s)", good, target, target.Wanted())
			}
		}
	}
}

// Both ways to fill a queue fill it with the same.
func TestFill(t *testing.T) {
	var cells []Cell
	for _, how := range []string{oneByOne, atOnce} {
		cells = append(cells, Cell{Kind: EventSets, Structure: how, Workload: fill, Distribution: "exponential", N: 100_000})
	}
	results, err := Run(context.Background(), cells, quick)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Ops != 2*r.N || len(r.Each) != 2 || r.Fill != r.Best || !(r.Bytes > 12) {
			t.Errorf("%+v", r)
		}
	}
}
