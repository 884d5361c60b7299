package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/population"
)

// What is done with a model in a file, or with the almanac program.
const (
	wholeRun  = "run"
	manyRuns  = "10,000 replicas"
	settingUp = "set-up"
	starting  = "start"
)

// The models, as they come with the module.
const (
	epidemic     = "sir.yaml"
	tuberculosis = "tuberculosis.yaml"
)

// The numbers of individuals.
const (
	household = 11
	town      = 100_000
	city      = 10_000_000
	country   = 60_000_000
)

// Runs lists what is timed of models in files.
func Runs() []Engine {
	return []Engine{
		{wholeRun, "from start to end; infectious periods of the epidemic are exponential, so only the engine counts"},
		{manyRuns, "many replicas of a small population"},
		{settingUp, "until everybody is there and has a scheduled event"},
		{starting, "start and end of the program"},
	}
}

// RunCells are what is measured of whole runs, plan by plan: what takes seconds, or the run of the
// paper and models of those who meet among ten million, which take minutes and 3 GB.
func RunCells(large bool) [][]Cell {
	cell := func(structure, workload string, n, cores int) Cell {
		return Cell{Kind: WholeRuns, Structure: structure, Workload: workload, N: n, Goroutines: cores}
	}
	growth := func(large int) (cells []Cell) {
		for _, model := range []string{plainEpidemic, inHouseholds, configuration, partnerships} {
			cells = append(cells, cell(model, wholeRun, village, 1), cell(model, wholeRun, large, 1))
		}
		return cells
	}
	if large {
		return [][]Cell{
			{cell(tuberculosis, wholeRun, country, 2), cell(tuberculosis, wholeRun, country, 1)},
			growth(city),
		}
	}
	return [][]Cell{
		{cell("version", starting, 0, 0), cell("check", starting, 0, 0)},
		{cell(epidemic, wholeRun, town, 1), cell(epidemic, manyRuns, household, 2)},
		{cell(tuberculosis, settingUp, city, 2), cell(tuberculosis, settingUp, city, 1)},
		{cell(oneMachine, wholeRun, town, 1), cell(threeMachines, wholeRun, town, 1),
			cell(oneMachineGamma, wholeRun, town, 1), cell(threeMachinesGamma, wholeRun, town, 1)},
		append(growth(million), cell(fullWard, wholeRun, village, 1)),
	}
}

// A runSubject is a model to be run, on so many cores.
type runSubject struct {
	Cell
	m *population.Model
}

// prepareRun reads the model, or finds the program that is to be started.
func prepareRun(c Cell, o Options, _ *Result) (subject, error) {
	if c.Workload == starting {
		return prepareStart(c, o)
	}
	changes := []population.Change{population.Size(c.N)}
	switch c.Structure {
	case epidemic:
		changes = append(changes, population.Set("stay", "{exponential: {mean: 5 days}}"))
	case tuberculosis:
		changes = append(changes, population.Until("2011"))
	}
	name, source, err := c.Structure, []byte(nil), error(nil)
	if text, ok := machineModel(c.Structure); ok {
		name, source = "machines.yaml", []byte(text)
	} else if text, ok := neighbourModel(c.Structure); ok {
		name, source = "neighbours.yaml", []byte(text)
	} else {
		source, err = examples.Files().ReadFile(c.Structure)
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(Runs(), func(e Engine) bool { return e.Name == c.Workload }) {
		return nil, fmt.Errorf("bench: nobody knows how to %s a model", c.Workload)
	}
	m, err := population.Compile(name, source, changes...)
	return &runSubject{c, m}, err
}

// repeat times one repetition: once, or again and again for as long as a repetition should last.
// The seed is the same every time, so that what happens is.
func (s *runSubject) repeat(o Options, r *Result) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.Goroutines))
	debug.FreeOSMemory() // of others: what a run takes of the system is part of it
	options := population.Options{Seed: o.Seed, Replicas: 1}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch s.Workload {
	case manyRuns:
		options.Replicas = 10_000
	case settingUp:
		options.OnRecord = func(population.Record) { cancel() } // the first row is that of the start
	}
	times := 0
	began := time.Now()
	for {
		result, err := s.m.Run(ctx, options)
		if err != nil && (s.Workload != settingUp || !errors.Is(err, context.Canceled)) {
			return err
		}
		times++
		r.Ops += int(result.Events)
		setup := result.Runs[0].Setup
		if r.Setup == 0 || setup < r.Setup {
			r.Setup = setup
		}
		if s.Workload == settingUp {
			r.Each = append(r.Each, setup)
			break
		}
		if took := time.Since(began); took >= o.Least {
			r.Each = append(r.Each, took.Seconds()/float64(times))
			break
		}
	}
	r.Rounds += times
	r.Bytes = max(r.Bytes, float64(memory.Peak()))
	return nil
}

// A startSubject is a program to be started with some arguments.
type startSubject struct {
	program string
	args    []string
}

// prepareStart has a model where the program finds it, if it wants one.
func prepareStart(c Cell, o Options) (subject, error) {
	if o.Program == "" {
		return nil, errors.New("bench: no program to start")
	}
	s := &startSubject{program: o.Program, args: []string{c.Structure}}
	if c.Structure != "check" {
		return s, nil
	}
	source, err := examples.Files().ReadFile(epidemic)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "almanac-bench-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, epidemic)
	s.args = append(s.args, path)
	return s, os.WriteFile(path, source, 0o600)
}

// close removes the model.
func (s *startSubject) close() {
	if len(s.args) > 1 {
		os.RemoveAll(filepath.Dir(s.args[1]))
	}
}

// repeat starts the program ten times, and has the fastest.
func (s *startSubject) repeat(_ Options, r *Result) error {
	best := time.Duration(0)
	for range 10 {
		c := exec.Command(s.program, s.args...)
		began := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		if took := time.Since(began); best == 0 || took < best {
			best = took
		}
	}
	r.Rounds += 10
	r.Each = append(r.Each, best.Seconds())
	return nil
}

// judgeRuns compares whole runs with what is wanted.
func judgeRuns(results []Result, j *judge) {
	at := func(structure, workload string, cores int) (Result, bool) {
		i := slices.IndexFunc(results, func(r Result) bool {
			return r.Structure == structure && r.Workload == workload && r.Goroutines == cores
		})
		if i < 0 {
			return Result{}, false
		}
		return results[i], true
	}
	for _, r := range results {
		if r.Workload == starting {
			j.add(Target{What: "almanac " + r.Structure + ", milliseconds from start to end", Limit: 30, Value: 1e3 * r.Best})
		}
	}
	if r, ok := at(epidemic, wholeRun, 1); ok {
		j.add(Target{What: "an epidemic among 10⁵, one core, million events per second", Limit: 10, Least: true,
			Value: float64(r.Ops) / float64(r.Rounds) / r.Best / 1e6})
	}
	if r, ok := at(epidemic, manyRuns, 2); ok {
		j.add(Target{What: "10,000 epidemics among 11, two cores, seconds", Limit: 2, Value: r.Best})
	}
	one, have := at(tuberculosis, settingUp, 1)
	if two, has := at(tuberculosis, settingUp, 2); have && has {
		j.add(Target{What: "set-up of 10 million, two cores over one", Limit: 0.55, Value: two.Best / one.Best})
	}
	judgeMachines(at, j)
	judgeGrowth(results, j)
	two, has := at(tuberculosis, wholeRun, 2)
	one, have = at(tuberculosis, wholeRun, 1)
	if has && have {
		j.add(Target{What: "60 million over 30 years, two cores, seconds", Limit: 17, Value: two.Best})
		j.add(Target{What: "… one core, seconds", Limit: 25, Value: one.Best})
		j.add(Target{What: "… set-up, two cores over one", Limit: 0.55, Value: two.Setup / one.Setup})
		j.add(Target{What: "… memory at the peak, GB", Limit: 3.2, Value: max(one.Bytes, two.Bytes) / 1e9})
	}
}
