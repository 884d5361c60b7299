package population

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/engine"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// A Runner runs replicas of a model, one at a time and in any order, for those who share the replicas of a run among machines. Each is what
// [Model.Run] makes of the replica of that number: it depends on the model, the seed and the number alone.
//
// It keeps the memory of one replica for the next. It must not be used from several goroutines at once; several runners may.
type Runner struct {
	m *Model
	o Options
	r *engine.Run
	t track
}

// Runner makes a runner. Of the options, Seed, Memory, Vary, OnEvent and OnRecord are looked at, and Workers: how many runners are to be used at
// once, one if 0. As with [Model.Run], it is an error if there is not enough memory for them.
func (m *Model) Runner(o Options) (*Runner, error) {
	o.Workers = max(o.Workers, 1)
	o.Replicas = o.Workers
	e := o.engine(m)
	p := engine.NewBudget(e)
	if _, err := engine.Afford(m.program, e, p); err != nil {
		return nil, err
	}
	return &Runner{m: m, o: o, r: engine.NewRun(e, p)}, nil
}

// Run runs a replica. If it cannot come to its end, what was recorded until then is returned with the error, as [Model.Run] does.
func (r *Runner) Run(ctx context.Context, replica int) (*Run, error) {
	if replica < 0 {
		panic("population: the number of a replica cannot be negative")
	}
	run, err := simulate(ctx, r.r, r.m, &r.o, replica, &r.t)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s, replica %d: %w", r.m.program.Name, replica, err)
	}
	return run, err
}

// AtOnce is how many replicas of the model can be run at once in the memory that there is, of as many as there are cores or as the options
// say. It is an error if there is not enough for one.
func (m *Model) AtOnce(o Options) (int, error) {
	want := o.engine(m).AtOnce()
	if o.Replicas == 0 && o.Workers > 0 {
		want = o.Workers
	}
	for n := want; ; n-- {
		o.Workers, o.Replicas = n, n
		err := m.Fits(o)
		if err == nil {
			return n, nil
		}
		if n <= 1 {
			return 0, err
		}
	}
}

// Clock is a time on the model's clock, written as a model file has it: "160", "160 days", or a date if the model starts at one.
func (m *Model) Clock(text string) (float64, error) {
	list := &diag.List{}
	r := syntax.NewReader(list, "time")
	r.Zero = m.compiled.File.Zero
	x, ok := r.ClockTime(&yaml.Node{Kind: yaml.ScalarNode, Value: text}, "the time", m.compiled.File.Unit)
	if !ok {
		if problems, some := list.Err().(diag.Problems); some {
			return 0, fmt.Errorf("%s", problems[0].Message)
		}
		return 0, fmt.Errorf("%s is no time", diag.Quote(text))
	}
	return x, nil
}

// What a model takes in memory, in bytes.
const (
	textBytes  = 32  // for each byte of its text, and of the tables that it names: what was read of it
	entryBytes = 160 // for each entry of the tables that it is run by
)

// Bytes estimates how many bytes the model itself takes in memory, which every result of it holds.
func (m *Model) Bytes() uint64 {
	text := len(m.source)
	for _, table := range m.compiled.Tables {
		text += len(table)
	}
	return uint64(1<<16 + textBytes*text + entryBytes*m.compiled.Entries)
}

// Recorded estimates how many bytes the results of so many replicas take in memory.
func (m *Model) Recorded(replicas int) uint64 {
	return engine.BytesOf(float64(replicas) * (float64(float64(len(m.program.Rows))*engine.RecordedBytes(m.program)) + 512))
}
