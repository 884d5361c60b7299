package rivals

import (
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/testscale"
)

func TestRivals(t *testing.T) {
	for _, rival := range All() {
		t.Run(rival.Name, func(t *testing.T) {
			// Without room up front, so that growing is tested too.
			calendartest.Run(t, func(start float64) calendartest.Set { return rival.New(start, 0) },
				calendartest.AtMost(testscale.Size(1_000, 10_000)))
		})
	}
}

// FuzzRivals lets the first byte choose the rival and the start: all at once would be a tenth as
// many inputs.
func FuzzRivals(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 2 * len(All()) {
		seed := make([]byte, 200)
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		seed[0] = byte(i)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		choice := int(data[0])
		rival := All()[choice/2%len(All())]
		start := []float64{0, -16}[choice%2]
		if err := calendartest.Replay(data[1:], rival.New(start, 0)); err != nil {
			t.Fatalf("%s: %v", rival.Name, err)
		}
	})
}

// TestNothingIsAllocated holds the rivals to what they are compared on. The B-tree allocates nodes.
func TestNothingIsAllocated(t *testing.T) {
	const n = 1000
	d, _ := calendartest.ByName("exponential")
	for _, rival := range All() {
		if rival.Name == "btree" {
			continue
		}
		t.Run(rival.Name, func(t *testing.T) {
			s, j := rival.New(0, n), calendartest.NewJumps(d, n, 1)
			if err := calendartest.Fill(s, n, j); err != nil {
				t.Fatal(err)
			}
			mix := func() {
				if err := calendartest.HoldCancel(s, 10*n, n, j); err != nil {
					t.Fatal(err)
				}
			}
			for range 20 { // warm: buckets reach the size they need
				mix()
			}
			// The clock's exponent changes now and then, and then a bucket of the radix heap may grow.
			if allocs := testing.AllocsPerRun(5, mix); allocs > 3 {
				t.Errorf("%v allocations in %d operations", allocs, 10*n)
			}
		})
	}
}

// TestDeadEntriesAreReclaimed cancels far more than there is at any time.
func TestDeadEntriesAreReclaimed(t *testing.T) {
	for _, rival := range All() {
		s := rival.New(0, 0)
		for i := range 100_000 {
			id := calendar.ID(i % 100)
			if err := s.Reschedule(id, 1+float64(i%1000)); err != nil {
				t.Fatal(err)
			}
		}
		entries := 0
		switch q := s.(type) {
		case *Quaternary:
			entries = len(q.heap)
		case *Radix:
			for b := range q.buckets {
				entries += len(q.entries(b))
			}
		}
		if limit := 2*100 + slack + 1; entries > limit {
			t.Errorf("%s: %d entries for 100 events, want at most %d", rival.Name, entries, limit)
		}
	}
}

func BenchmarkHold(b *testing.B) {
	const n = 10_000
	d, _ := calendartest.ByName("exponential")
	for _, rival := range All() {
		b.Run(rival.Name, func(b *testing.B) {
			b.ReportAllocs()
			s, j := rival.New(0, n), calendartest.NewJumps(d, n, 1)
			if err := calendartest.Fill(s, n, j); err != nil {
				b.Fatal(err)
			}
			if err := calendartest.Hold(s, 4*n, j); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			if err := calendartest.Hold(s, b.N, j); err != nil {
				b.Fatal(err)
			}
		})
	}
}
