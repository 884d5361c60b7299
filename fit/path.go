package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/random"
)

// A Path identifies a run of the model up to the last observation by its random numbers. Of a whole
// run it is the seed. Of a particle it is the seed with which its first ancestor started, and the
// seeds of the forks by which it descends from it: the ancestral path. [Simulator.Simulate], or
// [Filtered.Start] and [Particle.Fork], with the same values and these seeds, give the run again.
type Path struct {
	Seed  uint64 `json:"seed"`
	Forks []Fork `json:"forks,omitempty"` // in the order of their rows
	// Check is what the simulator says of the run at the last observation; see [Trajectory]. It is 0
	// if the simulator says nothing.
	Check uint64 `json:"check,omitempty"`
}

// A Fork is a fork of a particle after it has advanced to a row of the data.
type Fork struct {
	Row  int    `json:"row"`
	Seed uint64 `json:"seed"`
}

// A lineage is the ancestral path of a particle while it grows. Particles share those of their
// common ancestors.
type lineage struct {
	parent *lineage // nil for the start
	fork   Fork     // of the start, its seed
}

// path returns the lineage as a path.
func (l *lineage) path(check uint64) *Path {
	p := &Path{Check: check}
	for ; l.parent != nil; l = l.parent {
		p.Forks = append(p.Forks, l.fork)
	}
	p.Seed = l.fork.Seed
	slices.Reverse(p.Forks)
	return p
}

// pathStream separates the choice of a particle from the other streams of an estimate.
const pathStream = 1<<63 + 1

// pick chooses one of the runs of an estimate in proportion to its weight. It reports false if none
// has weight.
func pick(logs []float64, seed uint64) (k int, ok bool) {
	s := random.New(seed, pathStream)
	copies := weight.Systematic(logs, 1, s.Float64())
	k = slices.Index(copies, 1)
	return k, k >= 0 && !math.IsInf(logs[k], -1)
}

// halves returns an integer as two numbers, each of which a float64 can hold.
func halves(x uint64) (high, low float64) { return float64(x >> 32), float64(x & math.MaxUint32) }

func whole(high, low float64) uint64 { return uint64(high)<<32 | uint64(low) }

// pack appends a path to the numbers of an output: the number of forks, or −1 for no path; then
// seed, check and forks.
func (p *Path) pack(numbers []float64) []float64 {
	if p == nil {
		return append(numbers, -1)
	}
	s1, s2 := halves(p.Seed)
	c1, c2 := halves(p.Check)
	numbers = append(numbers, float64(len(p.Forks)), s1, s2, c1, c2)
	for _, f := range p.Forks {
		f1, f2 := halves(f.Seed)
		numbers = append(numbers, float64(f.Row), f1, f2)
	}
	return numbers
}

// unpackPath reads a path that pack wrote, and returns the numbers behind it.
func unpackPath(numbers []float64) (*Path, []float64, error) {
	truncated := errors.New("fit: an output is truncated")
	if len(numbers) < 1 {
		return nil, nil, truncated
	}
	n := int(numbers[0])
	if n < 0 {
		return nil, numbers[1:], nil
	}
	if n > len(numbers) || len(numbers) < 5+3*n {
		return nil, nil, truncated
	}
	p := &Path{Seed: whole(numbers[1], numbers[2]), Check: whole(numbers[3], numbers[4])}
	numbers = numbers[5:]
	for range n {
		p.Forks = append(p.Forks, Fork{int(numbers[0]), whole(numbers[1], numbers[2])})
		numbers = numbers[3:]
	}
	return p, numbers, nil
}

// The columns of a path in a table.
const (
	seedName  = "run.seed"
	forksName = "run.forks"
	checkName = "run.check"
)

var pathNames = []string{seedName, forksName, checkName}

// PathColumns returns the names of the columns in which [Posterior.WriteCSV] writes paths: seed,
// forks and check.
func PathColumns() []string { return slices.Clone(pathNames) }

// record returns the path as the cells of a table. Forks are written as ROW:SEED, rows from 1.
func (p *Path) record() []string {
	forks := make([]string, len(p.Forks))
	for i, f := range p.Forks {
		forks[i] = fmt.Sprintf("%d:%d", f.Row+1, f.Seed)
	}
	return []string{strconv.FormatUint(p.Seed, 10), strings.Join(forks, " "), strconv.FormatUint(p.Check, 10)}
}

// set reads a cell of a table that record wrote.
func (p *Path) set(column, cell string) (err error) {
	switch cell = strings.TrimSpace(cell); column {
	case seedName:
		p.Seed, err = strconv.ParseUint(cell, 10, 64)
	case checkName:
		p.Check, err = strconv.ParseUint(cell, 10, 64)
	case forksName:
		before := 0
		for word := range strings.FieldsSeq(cell) {
			row, seed, _ := strings.Cut(word, ":")
			f := Fork{}
			if f.Seed, err = strconv.ParseUint(seed, 10, 64); err == nil {
				f.Row, err = strconv.Atoi(row)
			}
			if err != nil || f.Row <= before {
				return fmt.Errorf("%s is %q: expected ROW:SEED for each fork, in the order of the rows", column, cell)
			}
			before = f.Row
			f.Row--
			p.Forks = append(p.Forks, f)
		}
	}
	if err != nil {
		return fmt.Errorf("%s is %q, expected a whole number as almanac fit wrote it", column, cell)
	}
	return nil
}
