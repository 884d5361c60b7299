package lehman

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// Algorithm 5 puts lists of up to 200 tickets in order, equal ones as they lie.
func TestAlgorithm5Sorts(t *testing.T) {
	r := random.New(1)
	for n := range 200 {
		for range 50 {
			times := make([]float64, n)
			for i := range times {
				times[i] = float64(r.Below(uint64(1 + n/2))) // some are equal
			}
			s, first := newSorter(times)
			var got []int32
			for i := s.sort(first); i > 0; i = s.links[i] {
				got = append(got, i)
			}
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(i + 1)
			}
			slices.SortStableFunc(want, func(a, b int32) int { return int(times[a-1]) - int(times[b-1]) })
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %v, want %v", times, got, want)
			}
		}
	}
}

// What the algorithm takes is known by hand for short lists, and for long ones in order and in
// reverse.
func TestAlgorithm5Comparisons(t *testing.T) {
	for _, test := range []struct {
		times []float64
		want  int
	}{
		{nil, 0}, {[]float64{1}, 0}, {[]float64{1, 2}, 1}, {[]float64{2, 1}, 1},
		{[]float64{1, 2, 3}, 2}, // one run
		{[]float64{3, 2, 1}, 5}, // two comparisons for three runs; 2 and 1 merged by one; 3 with these two by two
		{[]float64{2, 3, 1}, 3}, // two for two runs; 1 goes before 2 at the first comparison
		{ascending(10_000), 9_999},
		{reversed(ascending(10_000)), 79_007},
	} {
		if got := comparisonsOf(test.times); got != test.want {
			t.Errorf("%d tickets: %d comparisons, want %d", len(test.times), got, test.want)
		}
	}
}

// The paper's calendar does what Static does, with random events scheduled, cancelled and
// dispatched, over many cycles; and refuses what the paper refuses.
func TestPaperCalendar(t *testing.T) {
	const n, bins = 300, 128
	theirs := newPaperCalendar(n, bins, 1)
	ours, err := static.New(static.Config{Buckets: bins, Width: 1.0 / bins, Discipline: static.JustInTime,
		Capacity: n + 1})
	if err != nil {
		t.Fatal(err)
	}
	r := random.New(5)
	for range 50_000 {
		id := int32(r.Below(n)) + 1
		_, pending := ours.Due(calendar.ID(id))
		switch {
		case r.Below(3) == 0:
			got := theirs.dispatch()
			want, at, ok := ours.Next()
			if got != int32(want) || ok && at != theirs.now {
				t.Fatalf("dispatched %d at %v, want %d at %v", got, theirs.now, want, at)
			}
		case pending:
			if err := theirs.schedule(id, ours.Now()+1); err == nil {
				t.Fatal("scheduled twice")
			}
			if err := theirs.cancel(id); err != nil || !ours.Cancel(calendar.ID(id)) {
				t.Fatalf("%d was not cancelled: %v", id, err)
			}
		default:
			if err := theirs.cancel(id); err == nil {
				t.Fatal("cancelled what was not scheduled")
			}
			at := ours.Now() + 3*r.Exp()
			if theirs.schedule(id, at) != nil || ours.Schedule(calendar.ID(id), at) != nil {
				t.Fatalf("%d was not scheduled", id)
			}
		}
		if theirs.pending != ours.Len() {
			t.Fatalf("%d pending, want %d", theirs.pending, ours.Len())
		}
	}
	if err := theirs.schedule(1, theirs.now-1); err == nil {
		t.Error("scheduled in the past")
	}
}

// Cycles without an event pass as in Algorithm 3: the same edges, and the same bins.
func TestPass(t *testing.T) {
	const cycles = 1000
	run := reproduce.NewRunner(t.Context(), reproduce.Options{}, "test", 1)
	all, shortcut := newPaperCalendar(1, 10, 0.1), newPaperCalendar(1, 10, 0.1)
	for _, c := range []*paperCalendar{all, shortcut} {
		if err := c.schedule(1, (cycles+0.5)*0.1); err != nil {
			t.Fatal(err)
		}
	}
	if all.dispatch() != 1 {
		t.Fatal("the event did not leave")
	}
	shortcut.pass(run, cycles)
	if all.from != shortcut.from || all.to != shortcut.to {
		t.Errorf("from %v to %v, want from %v to %v", shortcut.from, shortcut.to, all.from, all.to)
	}
	if shortcut.dispatch() != 1 || shortcut.bin != all.bin {
		t.Errorf("it leaves from bin %d, want %d", shortcut.bin, all.bin)
	}
	for _, width := range paperAdjacent.saved {
		sum, product := newPaperCalendar(1, 10, width), newPaperCalendar(1, 10, width)
		sum.pass(run, 1_000_000)
		product.jump(run, 1_000_000)
		if sum.from != product.from || sum.to != product.to {
			t.Errorf("Qw = %v: from %v to %v, want from %v to %v", width, product.from, product.to, sum.from, sum.to)
		}
	}
}

// An event at the time of the last one may lie in a bin that is passed; with a power of two it does
// not.
func TestSameTime(t *testing.T) {
	for _, test := range []struct {
		shape
		first, second float64
		late          int
	}{{shape{20, 100}, 20.2, 25, 1}, {shape{49, 49}, 50, 60, 1}, {shape{20, 128}, 20.2, 25, 0},
		{shape{49, 64}, 50, 60, 0}} {
		c := newPaperCalendar(2, test.bins, test.width)
		if c.schedule(1, test.first) != nil || c.schedule(2, test.second) != nil || c.dispatch() != 1 ||
			c.schedule(1, c.now) != nil {
			t.Fatalf("%v: not scheduled or dispatched", test.shape)
		}
		if got := drainBackwards(c, c.now); got != test.late {
			t.Errorf("%v: %d late, want %d", test.shape, got, test.late)
		}
	}
}

// realBin is the bin of a time in real numbers.
func realBin(at, width float64, bins int) int {
	q := new(big.Rat).Quo(new(big.Rat).SetFloat64(at), new(big.Rat).SetFloat64(width))
	q.Mul(q, new(big.Rat).SetInt64(int64(bins)))
	whole := new(big.Int).Quo(q.Num(), q.Denom())
	return int(whole.Mod(whole, big.NewInt(int64(bins))).Int64())
}

// What the proof in sequence.go says of rounding: the product of the largest phase stays below Qn,
// and with exact edges an earlier time is not in a later bin, from whatever cycles both are
// scheduled. With a power of two the bin is that of real numbers.
func TestBinOf(t *testing.T) {
	for bins := 1; bins <= 1_000_000; bins++ {
		if largest := math.Nextafter(1, 0); int(largest*float64(bins)) >= bins {
			t.Fatalf("with %d bins the last is %d", bins, int(largest*float64(bins)))
		}
	}
	for _, saved := range paperSequence.saved {
		width := saved.width
		for _, bins := range []int{3, 7, 10, 60, 100, 1, 2, 16, 128} {
			c := newPaperCalendar(1, bins, width)
			for cycle := range 20 {
				for i := range bins {
					before := -1
					at := (float64(cycle) + float64(i)/float64(bins)) * width
					for range 3 {
						at = math.Nextafter(at, 0)
					}
					for range 7 {
						least, most := bins, -1
						for from := range cycle + 1 {
							c.from = float64(from) * width
							if at >= float64(cycle)*width {
								least, most = min(least, c.binOf(at)), max(most, c.binOf(at))
							}
						}
						if want := realBin(at, width, bins); bins&(bins-1) == 0 && most >= 0 && (least != want || most != want) {
							t.Fatalf("Qw = %v, Qn = %d: %v is in bins %d to %d, want %d", width, bins, at, least, most, want)
						}
						if least < before {
							t.Fatalf("Qw = %v, Qn = %d: %v is in bin %d, an earlier time in %d", width, bins, at, least, before)
						}
						before = most
						at = math.Nextafter(at, math.Inf(1))
					}
				}
			}
		}
	}
	c := newPaperCalendar(1, 10, 20)
	early := c.binOf(46)
	if c.from = 40; early != 2 || c.binOf(46) != 3 {
		t.Errorf("46 is in bin %d and then in %d, want 2 and 3", early, c.binOf(46))
	}
}

// Algorithm 4 keeps the time, frees the old number, and refuses what the paper refuses.
func TestRenumber(t *testing.T) {
	c := newPaperCalendar(3, 4, 1)
	if c.schedule(1, 0.5) != nil || c.schedule(2, 0.25) != nil {
		t.Fatal("not scheduled")
	}
	if err := c.renumber(3, 1); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][2]int32{{0, 2}, {4, 2}, {1, 0}, {2, 4}} {
		if c.renumber(wrong[0], wrong[1]) == nil {
			t.Errorf("%d became %d", wrong[1], wrong[0])
		}
	}
	if c.renumber(1, 1) != nil || c.links[1] != unscheduled || c.pending != 2 {
		t.Errorf("1 is %d, %d pending", c.links[1], c.pending)
	}
	for _, want := range []int32{2, 3, 0} {
		if got := c.dispatch(); got != want {
			t.Errorf("%d leaves, want %d", got, want)
		}
	}
	if c.now != 0.5 {
		t.Errorf("it left at %v", c.now)
	}
}

// The calendar is given the earliest event of each individual, and no other.
func TestAgenda(t *testing.T) {
	run := reproduce.NewRunner(t.Context(), reproduce.Options{Seed: 3}, "test", 1)
	a, _ := live(run, epidemic, 200, 5000, true)
	for n := range a.scheduled {
		if got, want := a.calendar.at[n+1], slices.Min(a.due[n*lifeKinds:][:lifeKinds]); got != want {
			t.Fatalf("%d is scheduled at %v, want %v", n, got, want)
		}
	}
}

// Lists are what they are called.
func TestListings(t *testing.T) {
	for _, l := range listings {
		r := random.New(1)
		times := l.times(1024, &r)
		if len(times) != 1024 {
			t.Fatalf("%s: %d tickets", l.name, len(times))
		}
		want := map[string][2]int{"in order": {1, 1}, "1 new on the rest in order": {2, 2}, "7 new on the rest in order": {
			8, 8}, "half new": {200, 300},
			"neighbours swapped": {512, 513}, "in reverse": {1024, 1024}, "at random": {450, 580}, "runs broken up": {
				512, 513}}[l.name]
		if runs := runsOf(times); runs < want[0] || runs > want[1] {
			t.Errorf("%s: %d runs, want from %d to %d", l.name, runs, want[0], want[1])
		}
	}
}

// Regular events among random ones, in a simulation of its own: the standard deviation and the tail
// are the theory's.
func TestRegularDeviation(t *testing.T) {
	const gap, n = 53.0 / 14, 400_000
	r := random.New(9)
	s := newStream(gap)
	at := float64(incrementsFrom - 5)
	for at < incrementsFrom { // the rate before measuring begins is what the stream goes by
		at += 0.0001 // exactly
		s.add(at)
	}
	for range n {
		at += 0.0001 * r.Exp()
		s.add(at)
	}
	got := summarize([]*steps{&s.mixed})
	if want := regularDeviation(14, 53) / 14; got.deviation < want-0.005 || got.deviation > want+0.005 {
		t.Errorf("standard deviation of %v means, want %v", got.deviation, want)
	}
	if got.longest < gap-0.02 || got.longest > gap+0.02 {
		t.Errorf("longest of %v means, want %v", got.longest, gap)
	}
	for i := range 15 {
		if got, want := share([]*steps{&s.mixed}, i), regularTail(gap, tailStep*float64(i)); got < want-0.004 ||
			got > want+0.004 {
			t.Errorf("%v are longer than %v means, want %v", got, tailStep*float64(i), want)
		}
	}
}
