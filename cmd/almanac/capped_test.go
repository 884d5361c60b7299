package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/cappedmath"
)

// runCapped runs the command, which must succeed, and returns what it prints.
func runCapped(t *testing.T, args ...string) string {
	t.Helper()
	speed := regexp.MustCompile(`^\n[0-9,]+ balls thrown in .*\n$`) // which --json has on standard error
	var out, errs bytes.Buffer
	if status := run(context.Background(), append([]string{"capped"}, args...), &out, &errs); status != cli.ExitDone ||
		errs.Len() > 0 && !speed.MatchString(errs.String()) {
		t.Fatalf("%v: status %d, %s", args, status, errs.String())
	}
	return out.String()
}

// What --json prints is what capped.Measure gives and what the functions of the theory say, to the
// last digit.
func TestCappedJSON(t *testing.T) {
	for _, test := range []struct {
		args   string
		config capped.Config
		plan   capped.Plan
	}{
		{"--bins 1000 --rounds 2000", capped.Config{Bins: 1000, Capacity: 2, Rate: 0.99, Seed: 1}, capped.Plan{Rounds: 2000}},
		{"--bins 2^8 --capacity 1 --rate 1-2^-5 --seed 7 --by-bin --arrivals binomial",
			capped.Config{Bins: 256, Capacity: 1, Rate: 1 - 1.0/32, Seed: 7, ByBin: true, Arrivals: capped.Binomial},
			capped.Plan{}},
		{"--bins 500 --capacity 3 --rate 1-1/100 --warm --arrivals poisson --rounds 3000",
			capped.Config{Bins: 500, Capacity: 3, Rate: 0.99, Seed: 1, Warm: true, Arrivals: capped.Poisson},
			capped.Plan{Rounds: 3000}},
		{"--bins 400 --burn-in 0 --rounds 50", capped.Config{Bins: 400, Capacity: 2, Rate: 0.99, Seed: 1},
			capped.Plan{BurnIn: -1, Rounds: 50}},
		{"--bins 20 --burn-in 7 --rounds 50", capped.Config{Bins: 20, Capacity: 2, Rate: 0.99, Seed: 1},
			capped.Plan{BurnIn: 7, Rounds: 50}},
		{"--process modcapped --bins 64 --rate 0.5", capped.Config{Kind: capped.ModCapped, Bins: 64, Capacity: 2, Rate: 0.5,
			Seed: 1}, capped.Plan{}},
		{"--process greedy --bins 1000 --choices 3 --rounds 2000",
			capped.Config{Kind: capped.Greedy, Bins: 1000, Choices: 3, Rate: 0.99, Seed: 1}, capped.Plan{Rounds: 2000}},
	} {
		text := runCapped(t, append(strings.Fields(test.args), "--json")...)
		var got cappedReport
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", test.args, err)
		}
		want, err := capped.Measure(context.Background(), test.config, test.plan)
		if err != nil {
			t.Fatal(err)
		}
		c, n := test.config, float64(test.config.Bins)
		least := c.MinThrown
		if c.Kind == capped.ModCapped && least == 0 {
			least = int(cappedmath.MinThrown(c.Bins, c.Capacity, c.Rate))
		}
		if got.Process != c.Kind.String() || got.Bins != c.Bins || got.Capacity != c.Capacity || got.Choices != c.Choices ||
			got.Rate != c.Rate ||
			got.Arrivals != c.Arrivals.String() || got.Warm != c.Warm || got.Seed != c.Seed || got.Least != least {
			t.Errorf("%s: the process is %+v", test.args, got.Point)
		}
		if got.BurnIn != want.BurnIn || got.Rounds != want.Rounds || got.Reached != want.BurnIn+want.Rounds ||
			*got.Relaxation != want.Relaxation {
			t.Errorf("%s: burn-in %d, rounds %d, relaxation %v, want %d, %d, %v", test.args, got.BurnIn, got.Rounds,
				*got.Relaxation,
				want.BurnIn, want.Rounds, want.Relaxation)
		}
		m := got.Measured
		equal := func(what string, got, want float64) {
			if got != want {
				t.Errorf("%s: %s is %v, want %v", test.args, what, got, want)
			}
		}
		equal("pool", m.Pool.Mean, want.Pool.Mean/n)
		equal("error of pool", *m.Pool.Error, want.Pool.Error/n)
		equal("thrown", m.Thrown.Mean, want.Thrown.Mean/n)
		equal("wait", m.Wait.Mean, want.Wait.Mean)
		equal("error of wait", *m.Wait.Error, want.Wait.Error)
		equal("longest", m.Longest.Mean, want.Longest.Mean)
		equal("longest of all", float64(m.WaitMax), float64(want.WaitMax))
		equal("largest pool", m.PoolMax, float64(want.PoolMax)/n)
		equal("waits", float64(len(m.Waits)), float64(len(want.Waits)))
		for w, balls := range want.Waits {
			equal("waits", float64(m.Waits[w]), float64(balls))
		}
		for load, share := range want.Loads {
			equal("loads", m.Loads[load], share)
		}
		if c.Kind == capped.Greedy {
			equal("limit", *got.Limit.Wait, capped.GreedyLimit(c.Choices, c.Rate).Wait)
			if got.Bound != nil || got.Estimate != nil {
				t.Errorf("%s: greedy has a bound or an estimate", test.args)
			}
			continue
		}
		if c.Rate <= 1-1/n {
			equal("bound", *got.Bound.Pool, capped.PoolBound(c.Bins, c.Capacity, c.Rate)/n)
		} else if got.Bound != nil {
			t.Errorf("%s: there is a bound", test.args)
		}
		if c.Kind == capped.ModCapped {
			if got.Limit != nil || got.Estimate != nil || got.Bound.Longest != nil {
				t.Errorf("%s: modcapped has more than a bound of the pool", test.args)
			}
			continue
		}
		pool, wait := capped.MeanField(c.Capacity, c.Rate)
		equal("limit of the pool", *got.Limit.Pool, pool)
		equal("limit of the wait", *got.Limit.Wait, wait)
		equal("estimate", *got.Estimate.Pool, cappedmath.PoolEstimate(c.Bins, c.Capacity, c.Rate)/n)
		equal("estimate of the wait", *got.Estimate.Longest, cappedmath.WaitEstimate(c.Bins, c.Capacity, c.Rate))
		equal("sweet spot", float64(got.Sweet.Capacity), float64(capped.SweetSpot(c.Rate)))
		if got.Bound != nil {
			equal("bound of the wait", *got.Bound.Longest, capped.WaitBound(c.Bins, c.Capacity, c.Rate))
		}
		if (got.Tenths != nil) != c.Warm {
			t.Errorf("%s: tenths %+v", test.args, got.Tenths)
		}
	}
}

// Names in JSON are in snake case, whatever is printed; and a process that does not settle has no
// standard errors, but JSON all the same.
func TestCappedJSONNames(t *testing.T) {
	name := regexp.MustCompile(`"([^"]*)":`)
	snake := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	for _, args := range []string{
		"--bins 100 --rounds 200",
		"--process threshold --bins 100",
		"--sweep capacity=1,2 --bins 100 --rounds 200",
		"--process greedy --choices 100 --rate 1-2^-40 --bins 100 --rounds 20 --burn-in 0",
		"--rate 1e-20 --bins 10",
	} {
		text := runCapped(t, append(strings.Fields(args), "--json")...)
		if !json.Valid([]byte(text)) {
			t.Errorf("%s: no JSON", args)
		}
		for _, found := range name.FindAllStringSubmatch(text, -1) {
			if !snake.MatchString(found[1]) {
				t.Errorf("%s: %q is not in snake case", args, found[1])
			}
		}
		if strings.Contains(text, "null") {
			t.Errorf("%s: has null", args)
		}
	}
}

// The points of a sweep are what the command gives for each of them alone.
func TestCappedSweepJSON(t *testing.T) {
	var sweep sweepReport
	if err := json.Unmarshal([]byte(runCapped(t, "--bins", "300", "--rounds", "500", "--sweep", "capacity=1..4",
		"--json")), &sweep); err != nil {
		t.Fatal(err)
	}
	if sweep.Sweep != "capacity" || sweep.Best != 2 || len(sweep.Points) != 4 {
		t.Fatalf("got %s, best %d, %d points", sweep.Sweep, sweep.Best, len(sweep.Points))
	}
	for i, p := range sweep.Points {
		var alone cappedReport
		text := runCapped(t, "--bins", "300", "--rounds", "500", "--capacity", strconv.Itoa(i+1), "--json")
		if err := json.Unmarshal([]byte(text), &alone); err != nil {
			t.Fatal(err)
		}
		if p.Capacity != i+1 || p.Measured.Pool.Mean != alone.Measured.Pool.Mean || p.Measured.Wait.Mean !=
			alone.Measured.Wait.Mean || p.Thrown != alone.Thrown {
			t.Errorf("capacity %d: %+v, alone %+v", i+1, p.Measured, alone.Measured)
		}
	}
}

// THRESHOLD[T] ends when all balls have a place, and its numbers add up.
func TestCappedThreshold(t *testing.T) {
	var r thresholdReport
	if err := json.Unmarshal([]byte(runCapped(t, "--process", "threshold", "--capacity", "1", "--rate", "4", "--bins",
		"1e4", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	accepted, bins, placed := 0, 0, 0
	for _, n := range r.Waits {
		accepted += n
	}
	for load, n := range r.Loads {
		bins += n
		placed += load * n
	}
	if r.Balls != 40_000 || accepted != r.Balls || placed != r.Balls || bins != r.Bins || r.Left != 0 || r.Rounds !=
		len(r.Waits) || r.Largest != len(r.Loads)-1 {
		t.Errorf("got %+v", r)
	}
	if math.Abs(*r.LnLn-2.2203) > 1e-4 || math.Abs(*r.LogLog-3.7320) > 1e-4 {
		t.Errorf("ln ln n is %v, log₂log₂ n is %v", *r.LnLn, *r.LogLog)
	}
}

// rounds.csv has every round, and what is in one follows from what was in the one before; of very
// many it has every k-th.
func TestCappedRounds(t *testing.T) {
	read := func(args ...string) [][]int {
		dir := t.TempDir()
		runCapped(t, append(args, "--out", dir)...)
		file, err := os.Open(filepath.Join(dir, "rounds.csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines, err := csv.NewReader(file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]int
		for _, line := range lines[1:] {
			var row []int
			for _, field := range line {
				x, err := strconv.Atoi(field)
				if err != nil {
					t.Fatal(err)
				}
				row = append(row, x)
			}
			rows = append(rows, row)
		}
		return rows
	}
	all := read("--bins", "100", "--rounds", "300", "--burn-in", "50", "--arrivals", "poisson")
	pool := 0
	for i, row := range all {
		number, arrived, thrown, accepted := row[0], row[1], row[2], row[3]
		if number != i+1 || thrown != pool+arrived || row[5] != thrown-accepted {
			t.Fatalf("line %d is %v after a pool of %d", i+1, row, pool)
		}
		pool = row[5]
	}
	if len(all) != 350 {
		t.Errorf("%d rounds, want 350", len(all))
	}
	some := read("--bins", "1", "--rate", "0.5", "--burn-in", "0", "--rounds", "210_000")
	if len(some) != 70_000 || some[0][0] != 3 || some[len(some)-1][0] != 210_000 {
		t.Errorf("%d rounds from %d to %d, want every third of 210,000", len(some), some[0][0], some[len(some)-1][0])
	}
}

// An interrupted run ends cleanly: what there is of it is reported and written, and marked as
// incomplete.
func TestInterruptedCapped(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--bins 1e6 --rate 1-2^-13", "INCOMPLETE: interrupted after round "},
		{"--bins 1e6 --sweep rate=0.5,1-2^-13", "INCOMPLETE: interrupted; "},
		{"--bins 1 --process threshold --rate 1e7 --capacity 1 --by-bin", "INCOMPLETE: interrupted after "},
	} {
		for _, after := range []time.Duration{0, 200 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			defer cancel()
			dir := t.TempDir()
			var out, errs bytes.Buffer
			args := append(append([]string{"capped"}, strings.Fields(test.args)...), "--out", dir)
			if status := run(ctx, args, &out, &errs); status != cli.ExitWork {
				t.Errorf("%s: status %d: %s", test.args, status, errs.String())
			}
			if !strings.Contains(out.String(), test.want) || errs.String() != "almanac: interrupted\n" {
				t.Errorf("%s: printed %q and %q", test.args, out.String(), errs.String())
			}
			summary, err := os.ReadFile(filepath.Join(dir, "capped.json"))
			if err != nil || !bytes.Contains(summary, []byte(`"incomplete": true`)) {
				t.Errorf("%s: capped.json is not marked as incomplete: %v", test.args, err)
			}
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{
		"0.99": 0.99, "1-2^-10": 1023.0 / 1024, "1-1/1024": 1023.0 / 1024, "1-1e-3": 0.999, "1-0.25": 0.75, "1/2": 0.5,
		"2^-1": 0.5, "1−2^−3": 0.875,
		"1-2^-53": 1 - 0x1p-53, " 0.5 ": 0.5, "1-1/1_000": 0.999,
	} {
		if got, err := cli.ParseRate("--rate", text, capped.Capped); err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]float64{"1": 1, "8": 8, "2^3": 8, "1/4": 0.25, "1-1/4": 0.75} {
		if got, err := cli.ParseRate("--rate", text, capped.Threshold); err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "1-", "1-x", "1-2^-10^2", "1//2", "Inf", "1-Inf", "-1", "0", "1", "1.0000001",
		"1-1", "1-2"} {
		if got, err := cli.ParseRate("--rate", text, capped.Capped); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestParseSweep(t *testing.T) {
	none := func(string) bool { return false }
	for text, want := range map[string]string{
		"capacity=1..3":         "1 2 3",
		"capacity=4,2^0,2,2":    "1 2 4",
		"rate=1-2^-2..1-2^-4":   "1-2^-2 1-2^-3 1-2^-4",
		"rate=0.9, 0.5,1-1/10":  "0.5 0.9",
		"rate=1-10^-1..1-10^-2": "1-10^-1 1-10^-2",
	} {
		s, err := parseSweep(text, capped.Config{}, none)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var names []string
		for _, v := range s.Values {
			names = append(names, v.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
