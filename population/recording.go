package population

import "context"

// A recording is what was counted at the times that are recorded, row by row: of all, and of each group by itself.
type recording struct {
	rows   int
	all    rowCounts
	groups []rowCounts // as the program lists the groups
}

// rowCounts are how many were in each state, went each way, and how often each name happened, for one row after the other.
type rowCounts struct {
	counts []uint32
	flows  []uint64
	named  []uint64
}

// newRecording has room for all rows of a program, so that others may read those that are there while the next is added.
func newRecording(m *program) recording {
	n := len(m.rows)
	room := func() rowCounts {
		return rowCounts{make([]uint32, 0, n*len(m.states)), make([]uint64, 0, n*len(m.flows)), make([]uint64, 0, n*len(m.names))}
	}
	rec := recording{all: room(), groups: make([]rowCounts, len(m.groups))}
	for g := range rec.groups {
		rec.groups[g] = room()
	}
	return rec
}

// add adds a row.
func (rec *recording) add(r *replica) {
	rec.all.add(r.counts, r.flows, r.named)
	for g := range rec.groups {
		by := &r.by.groups[g]
		rec.groups[g].add(by.counts, by.flows, by.named)
	}
	rec.rows++
}

func (t *rowCounts) add(counts []int, flows, named []uint64) {
	for _, c := range counts {
		t.counts = append(t.counts, uint32(c))
	}
	t.flows = append(t.flows, flows...)
	t.named = append(t.named, named...)
}

// upTo is the first rows.
func (t *rowCounts) upTo(m *program, rows int) rowCounts {
	return rowCounts{t.counts[:rows*len(m.states)], t.flows[:rows*len(m.flows)], t.named[:rows*len(m.names)]}
}

// hooks are called while a replica is run from its start to its end.
type hooks struct {
	begun    func()                           // everybody is there, and nothing has happened
	recorded func(row int)                    // a row has been added
	progress func(now float64, events uint64) // now and then
}

// simulate runs a replica from start to end, and records it.
func (r *replica) simulate(ctx context.Context, m *program, seed uint64, index int, rec *recording, h hooks) error {
	if err := r.start(ctx, m, seed, index); err != nil {
		return err
	}
	h.begun()
	if err := r.settle(ctx); err != nil {
		return err
	}
	for row, at := range m.rows {
		if err := r.advance(ctx, at, h.progress); err != nil {
			return err
		}
		rec.add(r)
		h.recorded(row)
		h.progress(at, r.events)
		if err := ctx.Err(); err != nil && row+1 < len(m.rows) {
			return err
		}
	}
	return nil
}

// personTime is how long individuals have lived until now, all together, in the unit of the model.
func (r *replica) personTime() float64 {
	r.population(0)
	return r.lived.time()
}
