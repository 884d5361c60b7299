package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// At the start there are a twentieth more places than individuals. Those who enter take these
// first, then those that were left, in the order of leaving; when there are none a twentieth more
// is added.
func TestSlotsInTheWrongOrder(t *testing.T) {
	m := programOf(t, "name: places\ntime: {unit: day, end: 1}\npopulation: {size: 100, start: {a: rest}}\n"+
		"states: {a: {}}\nimmigration: {rate: 0 per day, enter: a}\n")
	r := Run{sparseRule: usualSparse}
	for range 2 { // also in a replica that is used again
		if err := r.Start(context.Background(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		leave := func(id uint32) {
			r.Counts[0]--
			r.leave(id)
		}
		enter := func() uint32 { return r.admit(&program.Entry{}, random.New(uint64(r.entered)), noID) }
		if r.slotCount != 106 { // one is that of the source
			t.Errorf("%d places", r.slotCount)
		}
		for _, id := range []uint32{70, 3, 50, 51, 100, 1} {
			leave(id)
		}
		var got []uint32
		for range 13 {
			got = append(got, enter())
		}
		// 105 living and nothing in the line: a twentieth more is 6.
		if want := []uint32{101, 102, 103, 104, 105, 70, 3, 50, 51, 100, 1, 106, 107}; !slices.Equal(got, want) {
			t.Errorf("places %v, want %v", got, want)
		}
		if r.slotCount != 112 {
			t.Errorf("%d places", r.slotCount)
		}
		leave(107)
		if next := enter(); next != 108 {
			t.Errorf("place %d, before those that nobody ever had", next)
		}
		r.entered = uint64(r.Alive) // no flow was counted: by flows all were there at the start
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
	empty := programOf(t, "name: places\ntime: {unit: day, end: 1}\npopulation: {size: 0, start: {}}\nstates: {a: {}}\n")
	if err := r.Start(context.Background(), empty, 1, 0); err != nil {
		t.Fatal(err)
	}
	if r.slotCount != 0 || r.admit(&program.Entry{}, random.New(1), noID) != 0 || r.slotCount != 1 {
		t.Errorf("%d places for the first", r.slotCount)
	}
}
