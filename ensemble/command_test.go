//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/format"
)

// walkers is a program with one model: a walk of so many steps, which drifts.
func walkers(calls *int) *Registry {
	g := new(Registry)
	g.Register("walk", func(_ context.Context, p Params, r Replica) (Outputs, error) {
		if calls != nil {
			*calls++
		}
		if p["steps"] < 0 {
			return nil, fmt.Errorf("%g steps", p["steps"])
		}
		random, x := r.Rand(), 0.0
		for range int(p["steps"]) {
			x += random.NormFloat64() + p["drift"]
		}
		return Outputs{"end": x, "square": x * x}, nil
	}, Parameter{"steps", 10, "how many"}, Parameter{"drift", 0, "of a step"})
	return g
}

func command(t *testing.T, g *Registry, ctx context.Context, args ...string) (status int, out, errs string) {
	t.Helper()
	return commandOf(t, "bin/walkers", g, ctx, args...)
}

func commandOf(t *testing.T, file string, g *Registry, ctx context.Context, args ...string) (status int, out,
	errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = g.Command(ctx, append([]string{file}, args...), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// A sweep gives what a loop over its points and replicas gives; with the same command it is not run
// again.
func TestCommandSweep(t *testing.T) {
	dir := filepath.Join(quickDir(t), "out")
	calls := 0
	args := []string{"sweep", "walk", "--vary", "drift=0..1 by 0.5", "--vary", "steps=4,9", "--replicas", "20", "--seed",
		"7", "--out", dir, "--workers", "1"}
	status, out, errs := command(t, walkers(&calls), t.Context(), args...)
	if status != 0 || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	table, err := os.ReadFile(filepath.Join(dir, "points.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")
	if len(lines) != 1+6*2 || lines[0] != "drift,steps,replicas,output,mean,sd,low,high" {
		t.Errorf("points.csv:\n%s", table)
	}
	kind := walkers(nil)
	k, _ := kind.kind("walk")
	m, err := k.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	run, err := m.At(Point{Set: map[string]string{"drift": "0.5", "steps": "9"}})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range 20 {
		v, err := run(t.Context(), NewReplica(7, i))
		if err != nil {
			t.Fatal(err)
		}
		sum += v.Numbers[0]
	}
	var mean float64
	if _, err := fmt.Sscanf(lines[1+3*2], "0.5,9,20,end,%g,", &mean); err != nil || math.Abs(mean-sum/20) > 1e-12 {
		t.Errorf("%s; want a mean of %v", lines[1+3*2], sum/20)
	}
	if calls != 6*20 {
		t.Errorf("%d calls", calls)
	}
	for _, name := range []string{"command.txt", "over-drift.svg", "over-steps.png", "map-end.svg", ".state"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	status, again, errs := command(t, walkers(&calls), t.Context(), args...)
	if status != 0 || again != out || !strings.Contains(errs, "was done before") || calls != 6*20 {
		t.Errorf("status %d, %d calls: %s", status, calls, errs)
	}
}

// A comparison pairs replicas: without noise in the difference, its interval is a point.
func TestCommandCompare(t *testing.T) {
	dir := filepath.Join(quickDir(t), "out")
	status, out, errs := command(t, walkers(nil), t.Context(), "compare", "--scenario", "still=", "--scenario",
		"wind=drift=2", "--set", "steps=5", "--replicas", "30", "--out", dir)
	if status != 0 || !strings.Contains(out, "   least to most of 30 paired runs\n") {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	table, err := os.ReadFile(filepath.Join(dir, "differences.csv"))
	var difference, sd, low, high, least, most float64
	if _, scan := fmt.Sscanf(string(table), "scenario,output,pairs,mean_difference,sd,mean_ci_low,mean_ci_high,runs_low,"+
		"runs_high\nwind,end,30,%g,%g,%g,%g,%g,%g", &difference, &sd, &low, &high, &least, &most); err != nil || scan != nil {
		t.Fatalf("%v, %v:\n%s", err, scan, table)
	}
	if math.Abs(difference-10) > 1e-9 || sd > 1e-9 || high-low > 1e-9 || math.Abs(least-10)+math.Abs(most-10) > 1e-9 {
		t.Errorf("5 steps with a drift of 2 make a difference of %v, %v to %v, %v to %v", difference, low, high, least, most)
	}
	pairs, err := os.ReadFile(filepath.Join(dir, "pairs.csv"))
	if rows := strings.Split(strings.TrimSpace(string(pairs)), "\n"); err != nil || len(rows) != 1+2*30 ||
		rows[0] != "scenario,replica,output,baseline,value,difference" || !strings.HasPrefix(rows[1], "wind,0,end,") {
		t.Errorf("%v: %s", err, pairs)
	}
	for _, name := range []string{"forest.svg", "forest.png", "comparison.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// An interrupted sweep goes on, and ends with what an undisturbed one gives.
func TestCommandGoesOn(t *testing.T) {
	root := quickDir(t)
	args := func(dir string) []string {
		return []string{"sweep", "--vary", "steps=1..40 by 1", "--replicas", "25", "--out", filepath.Join(root, dir)}
	}
	if status, _, errs := command(t, walkers(nil), t.Context(), args("whole")...); status != 0 {
		t.Fatal(errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	g := new(Registry)
	g.Register("walk", func(c context.Context, p Params, r Replica) (Outputs, error) {
		if p["steps"] == 20 {
			cancel()
		}
		k, _ := walkers(nil).kind("walk")
		m, err := k.Open(nil)
		if err != nil {
			return nil, err
		}
		run, err := m.At(Point{Set: map[string]string{"steps": fmt.Sprint(p["steps"])}})
		if err != nil {
			return nil, err
		}
		v, err := run(c, r)
		return Outputs{"end": v.Numbers[0], "square": v.Numbers[1]}, err
	}, Parameter{"steps", 10, ""}, Parameter{"drift", 0, ""})
	status, _, errs := command(t, g, ctx, args("cut")...)
	if status != 1 || !strings.Contains(errs, "the same command goes on") ||
		!strings.Contains(errs, "walkers: interrupted") {
		t.Fatalf("status %d: %s", status, errs)
	}
	// Another command is not let in.
	status, _, errs = command(t, walkers(nil), t.Context(), append(args("cut"), "--seed", "2")...)
	if status != 2 || !strings.Contains(errs, "a study that is not done") ||
		!strings.Contains(errs, "sweep walk --vary 'steps=1..40 by 1'") {
		t.Fatalf("status %d: %s", status, errs)
	}
	status, _, errs = command(t, walkers(nil), t.Context(), args("cut")...)
	if status != 0 || !strings.Contains(errs, "going on with this study") {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, name := range []string{"points.csv", "over-steps.svg"} {
		want, err := os.ReadFile(filepath.Join(root, "whole", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(root, "cut", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another: %v", name, err)
		}
	}
}

// Whatever the program's file and the directory are called, an interrupted study goes on, and the
// command that is told to go on with it does.
func TestCommandGoesOnWithAnyName(t *testing.T) {
	dir := filepath.Join(quickDir(t), "It's out")
	const file = "bin/my sweep's study"
	args := []string{"sweep", "--vary", "steps=1..5 by 1", "--replicas", "2", "--out", dir}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, _, errs := commandOf(t, file, walkers(nil), ctx, args...); status != 1 ||
		!strings.Contains(errs, "the same command goes on") {
		t.Fatalf("status %d: %s", status, errs)
	}
	status, _, errs := commandOf(t, file, walkers(nil), t.Context(), "compare", "--scenario", "a=steps=1", "--scenario",
		"b=steps=2", "--out", dir)
	_, told, _ := strings.Cut(errs, ":\n  ")
	told, _, _ = strings.Cut(told, "\n")
	words := format.Words(told)
	if status != 2 || len(words) == 0 || words[0] != "my sweep's study" {
		t.Fatalf("status %d: %s", status, errs)
	}
	if status, _, errs := commandOf(t, file, walkers(nil), t.Context(), words[1:]...); status != 0 ||
		!strings.Contains(errs, "going on with this study") {
		t.Errorf("status %d: %s", status, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "points.csv")); err != nil {
		t.Error(err)
	}
}

// A sweep that failed is not in the way of the corrected one; what is refused makes no directory.
func TestCommandAfterFailure(t *testing.T) {
	dir := filepath.Join(quickDir(t), "new", "out")
	if status, _, errs := command(t, walkers(nil), t.Context(), "sweep", "walk", "--vary", "stps=1,2", "--out",
		dir); status != 2 {
		t.Errorf("status %d: %s", status, errs)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("there is a directory: %v", err)
	}
	if status, _, errs := command(t, walkers(nil), t.Context(), "sweep", "walk", "--vary", "steps=-1,2", "--replicas", "2",
		"--out", dir); status != 1 || !strings.Contains(errs, "-1 steps") {
		t.Errorf("status %d: %s", status, errs)
	}
	if status, _, errs := command(t, walkers(nil), t.Context(), "sweep", "walk", "--vary", "steps=1,2", "--replicas", "2",
		"--out", dir); status != 0 || errs != "" {
		t.Errorf("status %d: %s", status, errs)
	}
}

// Help that is asked for is no error: it goes to standard output, and names commands, models and
// parameters.
func TestCommandHelp(t *testing.T) {
	t.Parallel()
	g := new(Registry)
	g.Register("walk", walk, Parameter{Name: "steps", Value: 3, About: "how many there are"})
	for _, c := range []struct {
		args string
		has  []string
	}{
		{"--help", []string{"sweep   [MODEL]", "compare [MODEL]", "worker  --hub"}},
		{"-help", []string{"sweep   [MODEL]"}},
		{"-h", []string{"sweep   [MODEL]"}},
		{"help", []string{"sweep   [MODEL]"}},
		{"help sweep", []string{"-vary"}},
		{"sweep --help", []string{"-vary"}},
		{"sweep walk -h", []string{"-vary"}},
		{"compare --help", []string{"-scenario"}},
		{"worker --help", []string{"-hub"}},
	} {
		status, out, errs := command(t, g, t.Context(), strings.Fields(c.args)...)
		if status != 0 || errs != "" {
			t.Errorf("%s: status %d, %q", c.args, status, errs)
		}
		for _, text := range append(c.has, "The model walk:", "steps", "how many there are (default 3)") {
			if !strings.Contains(out, text) {
				t.Errorf("%s: no %q in\n%s", c.args, text, out)
			}
		}
	}
	if status, out, errs := command(t, g, t.Context(), "help", "stroll"); status != 2 || out != "" ||
		!strings.Contains(errs, `there is no "stroll"`) {
		t.Errorf("help stroll: status %d, %q, %q", status, out, errs)
	}
}

func TestCommandWrong(t *testing.T) {
	two := walkers(nil)
	two.Register("run", func(context.Context, Params, Replica) (Outputs, error) { return nil, nil })
	busy := quickDir(t)
	if err := os.WriteFile(filepath.Join(busy, "points.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, want string
		registry   *Registry
		status     int
	}{
		{"", "expected sweep, compare or worker", nil, 2},
		{"fly", `there is no "fly"`, nil, 2},
		{"sweep", "sweep over what?", nil, 2},
		{"sweep --vary", "flag needs an argument", nil, 2},
		{"sweep --very a=1", "flag provided but not defined: -very", nil, 2},
		{"sweep walk run --vary steps=1,2", "one model at a time", nil, 2},
		{"sweep fly --vary steps=1,2", `there is no model "fly"; there are walk`, nil, 2},
		{"sweep --vary steps=1,2", "which model? There are run, walk", two, 2},
		{"sweep --vary steps=1,2", "has registered no model", new(Registry), 2},
		{"sweep --vary speed=1,2", `walk has no parameter "speed"; it has steps, drift`, nil, 2},
		{"sweep --vary steps=1..2", "is a range: say in which steps", nil, 2},
		{"sweep --vary steps=1..2_days --sample 3", "these are in", nil, 2},
		{"sweep --vary steps=one,two", "no number", nil, 2},
		{"sweep --vary steps=1,2 --set steps=3", "leave out one of the two", nil, 2},
		{"sweep --vary steps=1,2 --set drift", "expected clerks=3", nil, 2},
		{"sweep --vary steps=1,2 --set drift=1 --set drift=2", "drift is set twice", nil, 2},
		{"sweep --vary steps=1,2 --replicas 1", "at least two", nil, 2},
		{"sweep --vary steps=1,2 --workers -1", "--workers -1", nil, 2},
		{"sweep --vary steps=1,2 --workers 2 --hub x", "with --hub, workers are other processes", nil, 2},
		{"sweep --vary steps=1,2 --precision 2", "a precision of 2", nil, 2},
		{"sweep --vary steps=1..5 --sample 3 --design cube", `there is no design "cube"`, nil, 2},
		{"sweep --vary steps=1..5 --sample -3", "at least one point", nil, 2},
		{"sweep --vary steps=1,2 --out " + busy, "that this command did not write", nil, 2},
		{"sweep --vary steps=1,-1 --replicas 2", "point 1 (steps = -1), replica 0: -1 steps", nil, 1},
		{"sweep --vary steps=1,2 --hub nats://127.0.0.1:1", "no hub at nats://127.0.0.1:1", nil, 1},
		{"compare --scenario a=", "at least two scenarios", nil, 2},
		{"compare --scenario a= --scenario a=", "expected a name of its own", nil, 2},
		{"compare --scenario a= --scenario b=speed=1", "--scenario b: walk has no parameter", nil, 2},
		{"compare --scenario a= --scenario b=drift=much", "no number", nil, 2},
		{"worker now", "did not expect now", nil, 2},
	} {
		g := c.registry
		if g == nil {
			g = walkers(nil)
		}
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		if strings.Contains(c.args, busy) {
			args[len(args)-1] = busy
		}
		status, out, errs := command(t, g, t.Context(), args...)
		if status != c.status || out != "" || !strings.Contains(errs, c.want) || !strings.HasPrefix(errs, "walkers: ") {
			t.Errorf("%s: status %d, %q, %q; want %d and %q", c.args, status, out, errs, c.status, c.want)
		}
	}
	if entries, err := os.ReadDir(busy); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
