package engine

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// A line has room for less than twice as many ids as it ever had at one time, however many have
// passed through it.
func TestLineUsesRoomAgain(t *testing.T) {
	var l line
	s := random.New(2)
	most := 8
	for i := range uint32(100_000) {
		if l.n == 0 || l.n < 1000 && s.Below(2) == 0 {
			l.put(i)
			most = max(most, l.n)
		} else {
			l.take()
		}
		if len(l.ring) >= 2*most && len(l.ring) > 8 {
			t.Fatalf("step %d: room for %d ids, of which there were %d at most", i, len(l.ring), most)
		}
	}
}

// A table of timers has room for less than three times as many pairs as it ever had at one time,
// however many came and went: the places of those that were removed are free.
func TestAsideTableUsesPlacesAgain(t *testing.T) {
	a := newAside()
	s := random.New(3)
	const ids = 5000
	here := make([]bool, ids)
	most := 0
	for i := range 200_000 {
		id := uint32(s.Below(ids))
		if here[id] {
			a.remove(id, 0)
		} else {
			a.set(id, 0, uint64(i))
		}
		here[id] = !here[id]
		most = max(most, a.count)
		if len(a.entries) > max(1<<10, 3*most) {
			t.Fatalf("step %d: room for %d pairs, of which there were %d at most", i, len(a.entries), most)
		}
	}
	used, want := 0, 0
	for _, e := range a.entries {
		if e.key != 0 {
			used++
		}
	}
	for _, h := range here {
		if h {
			want++
		}
	}
	if used != want || a.count != want {
		t.Errorf("%d places are taken, by %d pairs, want %d", used, a.count, want)
	}
}
