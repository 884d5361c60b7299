package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Tracing as sections of a saved state: the contacts that are remembered, and the errands as they
// lie in their heap.

// A savedLog is which contacts a saved run remembers, and for how long.
type savedLog struct {
	Name string  `json:"name"`
	Keep float64 `json:"keep"`
}

// savedLogs are those of a program.
func savedLogs(m *program.Program) (all []savedLog) {
	if m.Calls == nil {
		return nil
	}
	for i := range m.Calls.Logs {
		l := &m.Calls.Logs[i]
		kind := "contact "
		if l.Network {
			kind = "network "
		}
		all = append(all, savedLog{kind + l.Name, l.Keep})
	}
	return all
}

// logsDiffer says what a program must remember that a saved run does not; "" if nothing.
func logsDiffer(saved, now []savedLog) string {
	if len(saved) != len(now) {
		return "tracing looks for other contacts than in the saved model"
	}
	for i := range now {
		if saved[i].Name != now[i].Name {
			return "tracing looks for other contacts than in the saved model"
		}
		if now[i].Keep > saved[i].Keep {
			return fmt.Sprintf("tracing looks back %.12g, and the saved model %.12g", now[i].Keep, saved[i].Keep)
		}
	}
	return ""
}

// lawOfErrand returns where the law of an errand is: 1 + the phase, and the cell.
func lawOfErrand(m *program.Program, tracing int32, l *law.Law) (phase, cell uint64) {
	if l == nil {
		return 0, 0
	}
	for p, t := range m.Phases {
		if after := t.Tracing[tracing].After; after != nil {
			for c := range after.Values {
				if v := &after.Values[c]; v == l || v.Equal(l) {
					return uint64(p) + 1, uint64(c)
				}
			}
		}
	}
	panic("population: an errand takes the time of a law of no phase")
}

// errandWords is how many words an errand takes.
const errandWords = 11

func saveTracing(r *Run, s *saver) {
	t := r.tracing
	if t == nil {
		return
	}
	if len(t.calls) > 0 || t.caller != 0 {
		panic("population: a run is saved in the middle of an event")
	}
	for i, l := range t.logs {
		name := func(column string) string { return fmt.Sprintf("%s %d", column, i) }
		c := l.Columns(r.firstID, uint32(r.Used))
		put(s, name("first"), []uint64{c.First})
		put(s, name("times"), c.At)
		put(s, name("contacts"), c.Who)
		put(s, name("newest"), c.Newest)
		if c.From != nil {
			put(s, name("from"), c.From)
		}
	}
	var words []uint64
	for i := range t.errands {
		e := &t.errands[i]
		var phase, cell uint64
		if r.forkable { // otherwise an errand keeps its time
			phase, cell = lawOfErrand(r.Program, e.tracing, e.law)
		}
		words = append(words, math.Float64bits(e.at), math.Float64bits(e.began), e.order, phase, cell, e.number, e.by,
			uint64(e.id-r.firstID), uint64(e.bySlot-r.firstID), uint64(e.tracing), uint64(e.seed))
	}
	put(s, "errands", words)
	put(s, "begun", []uint64{t.begun, uint64(t.stream)})
}

// loadTracing comes after the individuals and the calendar.
func loadTracing(r *Run, in *loader) {
	t := r.tracing
	if t == nil {
		return
	}
	for i, l := range t.logs {
		name := func(column string) string { return fmt.Sprintf("%s %d", column, i) }
		c := store.LogColumns{
			First: get[uint64](in, name("first"), 1)[0], At: get[float64](in, name("times"), -1),
			Who: get[uint32](in, name("contacts"), -1), Newest: get[uint64](in, name("newest"), r.Used-int(r.firstID)),
		}
		if in.has(name("from")) {
			c.From = get[uint64](in, name("from"), r.Used-int(r.firstID))
		}
		if in.err != nil {
			return
		}
		if err := l.SetColumns(c, r.firstID, r.Now); err != nil {
			in.bad("%v", err)
			return
		}
	}
	words, numbers := get[uint64](in, "errands", -1), get[uint64](in, "begun", 2)
	if in.err != nil {
		return
	}
	t.begun, t.stream = numbers[0], random.Stream(numbers[1])
	if len(words)%errandWords != 0 || len(words) > 0 && r.errandsID == noID {
		in.bad("an errand is not complete, or there can be none")
		return
	}
	for ; len(words) > 0; words = words[errandWords:] {
		e, ok := in.errandFrom(r, words)
		if !ok {
			in.bad("an errand is wrong")
			return
		}
		t.errands = append(t.errands, e)
	}
	if r.errandsID != noID {
		r.scheduleErrand()
	}
	if err := r.checkTracing(); err != nil {
		in.bad("%v", err)
	}
}

// errandFrom returns an errand that was saved, and whether it can be.
func (in *loader) errandFrom(r *Run, w []uint64) (e errand, ok bool) {
	ids := uint64(r.Used - int(r.firstID))
	e = errand{
		at: math.Float64frombits(w[0]), began: math.Float64frombits(w[1]), order: w[2], number: w[5], by: w[6],
		id: uint32(w[7]) + r.firstID, bySlot: uint32(w[8]) + r.firstID, tracing: int32(w[9]), seed: contactSeed(w[10]),
	}
	if !(e.at >= r.Now) || !(e.began <= r.Now) || math.IsInf(e.began, 0) || e.order >= r.tracing.begun ||
		w[7] >= ids || w[8] >= ids || w[9] >= uint64(len(r.phase.Tracing)) || w[3] > uint64(len(in.run.Shape.Phases)) {
		return e, false
	}
	if w[3] == 0 || !in.run.Origins {
		return e, true // it keeps its time in forks
	}
	t, err := in.run.Shape.phaseOf(r.Program, int(w[3])-1)
	if err != nil {
		in.err = err
		return e, false
	}
	after := t.Tracing[e.tracing].After
	if after == nil || w[4] >= uint64(len(after.Values)) {
		return e, false
	}
	e.law = &after.Values[w[4]]
	return e, true
}
