package engine

import (
	"context"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// A Recording holds the recorded rows of a run: of all individuals, and of each group.
type Recording struct {
	Rows   int
	All    RowCounts
	Groups []RowCounts // in the order of Program.Groups
}

// RowCounts are counts, flows and names, one row after the other.
type RowCounts struct {
	Counts []uint32
	Flows  []uint64
	Named  []uint64
}

// NewRecording has room for all rows of a program, so that rows can be read while the next one is
// added.
func NewRecording(m *program.Program) Recording {
	n := len(m.RecordTimes)
	room := func() RowCounts {
		return RowCounts{
			make([]uint32, 0, n*len(m.States)),
			make([]uint64, 0, n*len(m.Flows)),
			make([]uint64, 0, n*len(m.CountedNames)),
		}
	}
	rec := Recording{All: room(), Groups: make([]RowCounts, len(m.Groups))}
	for g := range rec.Groups {
		rec.Groups[g] = room()
	}
	return rec
}

// add adds a row.
func (rec *Recording) add(r *Run) {
	rec.All.add(r.Counts, r.Flows, r.Named)
	for g := range rec.Groups {
		by := &r.ByGroup.Groups[g]
		rec.Groups[g].add(by.Counts, by.Flows, by.Named)
	}
	rec.Rows++
}

func (t *RowCounts) add(counts []int, flows, named []uint64) {
	for _, c := range counts {
		t.Counts = append(t.Counts, uint32(c))
	}
	t.Flows = append(t.Flows, flows...)
	t.Named = append(t.Named, named...)
}

// UpTo returns the first rows.
func (t *RowCounts) UpTo(m *program.Program, rows int) RowCounts {
	return RowCounts{t.Counts[:rows*len(m.States)], t.Flows[:rows*len(m.Flows)], t.Named[:rows*len(m.CountedNames)]}
}

// Hooks are called by Simulate.
type Hooks struct {
	Begun    func()                           // after Start, before the first event
	Recorded func(row int)                    // after each row
	Progress func(now float64, events uint64) // at every housekeepingInterval, and after each row
}

// Simulate runs a program from start to end and records it.
func (r *Run) Simulate(ctx context.Context, m *program.Program, seed uint64, index int, rec *Recording, h Hooks) error {
	if err := r.Start(ctx, m, seed, index); err != nil {
		return err
	}
	h.Begun()
	if err := r.Settle(ctx); err != nil {
		return err
	}
	for row, at := range m.RecordTimes {
		if err := r.Advance(ctx, at, h.Progress); err != nil {
			return err
		}
		rec.add(r)
		h.Recorded(row)
		h.Progress(at, r.Events)
		if err := ctx.Err(); err != nil && row+1 < len(m.RecordTimes) {
			return err
		}
	}
	return nil
}

// PersonTime is the time that all individuals together have lived until now, in the unit of the
// model.
func (r *Run) PersonTime() float64 {
	r.countAlive(0)
	return r.personTime.Time()
}
