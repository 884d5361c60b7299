//go:build !race

package relaxed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// As time goes from 0 through several octaves, in each of which a range of keys stands for twice
// the time it did in the one before, an event is moved little more than twice: into a bucket of
// level 2, and to the bottom. Without rolling it would be three times.
func TestQueueMovesTwice(t *testing.T) {
	n := testscale.Size(20_000, 100_000)
	for _, law := range []struct {
		name  string
		start float64
		most  float64
		next  func(r *rand.Rand) float64
	}{
		{"exponential", 0, 2.3, (*rand.Rand).ExpFloat64},
		{"uniform", 0, 2.3, func(r *rand.Rand) float64 { return 2 * r.Float64() }},
		// Before zero the keys of a range stand for less and less time, and around it for next to
		// none.
		{"exponential, from before zero", -3, 3, (*rand.Rand).ExpFloat64},
	} {
		for _, per := range []int{1, 2} {
			c := New[int](Concurrency(1), perProcess(per))
			r := rand.New(rand.NewPCG(3, 1))
			for i := range n {
				_, _ = c.Schedule(law.start+law.next(r), i)
			}
			for now := law.start; now < law.start+20; {
				v, at, ok := c.Next()
				if !ok || at < now {
					t.Fatalf("%s: %v, after %v", law.name, at, now)
				}
				now = at
				_, _ = c.Schedule(at+law.next(r), v)
			}
			mustCheck(t, c)
			sum, _ := c.Stats()
			moves := float64(sum.Moved) / float64(sum.Dispatched)
			t.Logf("%s, %d subqueues: each event was moved %.2f times", law.name, per, moves)
			if moves > law.most {
				t.Errorf("%s, %d subqueues: each event was moved %.2f times", law.name, per, moves)
			}
		}
	}
}

// rolling is a walk through time that a queue's first level should roll along with.
type rolling struct {
	name      string
	start     float64
	next      func(r *rand.Rand, now float64) float64
	rolls     bool // it must have rolled,
	collapses bool // and been made anew because time had doubled
}

var rollings = []rolling{
	{"exponential", 0, func(r *rand.Rand, now float64) float64 { return now + r.ExpFloat64() }, true, true},
	{"uniform", 0, func(r *rand.Rand, now float64) float64 { return now + 2*r.Float64() }, true, true},
	{"from late on", 1e9, func(r *rand.Rand, now float64) float64 { return now + r.ExpFloat64() }, true, false},
	{"negative", -1e9, func(r *rand.Rand, now float64) float64 { return now + r.ExpFloat64() }, true, false},
	{"through zero", -4, func(r *rand.Rand, now float64) float64 { return now + r.ExpFloat64() }, true, true},
	{"tiny", 0, func(r *rand.Rand, now float64) float64 { return now + 1e-315*r.ExpFloat64() }, true, false},
	{"up to the largest time", math.MaxFloat64 / 16, func(r *rand.Rand, now float64) float64 {
		return min(now+math.MaxFloat64/16*r.ExpFloat64(), math.MaxFloat64)
	}, true, false},
	{"up to the largest time, slowly", math.MaxFloat64 * (1 - 0x1p-40), func(r *rand.Rand, now float64) float64 {
		return min(now+0x1p-44*math.MaxFloat64*r.ExpFloat64(), math.MaxFloat64)
	}, true, false},
	{"ties", 0, func(r *rand.Rand, now float64) float64 { return math.Floor(now) + float64(r.IntN(4)) }, false, false},
	{"ties, far apart in keys", 1, func(r *rand.Rand, now float64) float64 { return now * float64(1+r.IntN(2)) }, false,
		false},
	{"ties among others", 0, func(r *rand.Rand, now float64) float64 {
		if r.IntN(3) == 0 {
			return math.Ceil(now + 1)
		}
		return now + 2*r.Float64()
	}, true, true},
	{"some late", 0, func(r *rand.Rand, now float64) float64 {
		if r.IntN(10) == 0 {
			return now - r.Float64()
		}
		return now + 2*r.Float64()
	}, true, true},
	{"some far ahead", 0, func(r *rand.Rand, now float64) float64 {
		if r.IntN(200) == 0 {
			return now + 1e6*r.ExpFloat64()
		}
		return now + 2*r.Float64()
	}, false, false},
}

// A level that rolls or is made anew keeps the order, loses nothing and breaks no invariant,
// wherever time is, with ties, with cancelled events among the others, and when all is taken in
// the end.
func TestQueueRolls(t *testing.T) {
	for _, way := range rollings {
		for _, cancel := range []bool{false, true} {
			name := way.name
			if cancel {
				name += ", some cancelled"
			}
			t.Run(name, func(t *testing.T) { roll(t, way, cancel) })
		}
	}
}

func roll(t *testing.T, way rolling, cancel bool) {
	r := rand.New(rand.NewPCG(11, 0))
	c := New[int](Concurrency(1), perProcess(1))
	s := c.open(0)
	var d diary
	value := 0
	schedule := func(now float64) {
		at := way.next(r, now)
		e, err := c.Schedule(at, value)
		if err != nil {
			t.Fatal(err)
		}
		d.add(diaryEntry{at, value, e})
		value++
	}
	take := func() float64 {
		v, at, ok := c.Next()
		if want := d.remove(0); !ok || v != want.value || at != want.at {
			t.Fatalf("Next is %d at %v, %v, want %d at %v", v, at, ok, want.value, want.at)
		}
		return at
	}
	const n = 800
	for range n {
		schedule(way.start)
	}
	rolls, collapses := 0, 0
	for i := range testscale.Size(25, 40) * n {
		before, deep := firstLevel(s)
		schedule(take())
		if after, still := firstLevel(s); deep && still && (before.base != after.base || before.shift != after.shift) {
			// It rolled if it was not made again; and was made again before its time, if there was
			// something in it.
			if before.coarse == after.coarse {
				rolls++
			} else if before.held > 0 {
				collapses++
			}
			mustCheck(t, c)
		}
		if cancel && i%2 == 0 {
			// Among the first as often as anywhere.
			k := r.IntN(len(d))
			if i%4 == 0 {
				k = r.IntN(10)
			}
			e := d.remove(k)
			if !c.Cancel(e.event) || c.Cancel(e.event) {
				t.Fatalf("%+v could not be cancelled, or twice", e)
			}
			schedule(max(way.start, d[0].at))
		}
		if i%1000 == 0 {
			mustCheck(t, c)
		}
	}
	if way.rolls && rolls == 0 || way.collapses && collapses == 0 {
		t.Errorf("it rolled %d times, and was made anew %d times", rolls, collapses)
	}
	t.Logf("it rolled %d times, and was made anew %d times", rolls, collapses)
	for len(d) > 0 {
		take()
	}
	if _, _, ok := c.Next(); ok {
		t.Error("something is left")
	}
	mustCheck(t, c)
}

// firstTier is what the level below level 0 is like, if there is one.
func firstLevel(s *subqueue[int]) (level, bool) {
	if len(s.levels) < 2 {
		return level{}, false
	}
	return s.levels[1], true
}

// Events that come early, and so many that the bottom spills, when the events that had been there
// are all cancelled and swept out: nothing that is left lies near them, and what comes later may
// fall between them and the level above.
func TestQueueSpillsFarBefore(t *testing.T) {
	for seed := range testscale.Size[uint64](10, 20) {
		r := rand.New(rand.NewPCG(13, seed))
		c := New[int](Concurrency(1), perProcess(1))
		var d diary
		schedule := func(at float64) {
			e, _ := c.Schedule(at, int(c.open(0).dispatched)+len(d)+int(c.open(0).cancelled))
			d.add(diaryEntry{at, int(c.open(0).dispatched) + len(d) + int(c.open(0).cancelled), e})
		}
		take := func() {
			v, at, ok := c.Next()
			if want := d.remove(0); !ok || v != want.value || at != want.at {
				t.Fatalf("Next is %d at %v, %v, want %+v", v, at, ok, want)
			}
		}
		for range 4000 {
			schedule(100 + 100*r.Float64())
		}
		for range 50 + r.IntN(1500) {
			take()
		}
		for range 20 {
			schedule(50 + r.Float64())
		}
		for range 7 * len(d) / 10 { // the earliest of the others
			if !c.Cancel(d.remove(20).event) {
				t.Fatal("an event is gone")
			}
		}
		mustCheck(t, c)
		for range 100 {
			schedule(50 + r.Float64())
		}
		mustCheck(t, c)
		for range 500 {
			schedule(40 + 160*r.Float64())
		}
		mustCheck(t, c)
		for len(d) > 0 {
			take()
		}
		mustCheck(t, c)
	}
}

// A level that rolls ends where one of its buckets does, and what is due at that very key belongs
// behind it. Here there is an event at every place where it may end.
func TestQueueRollsUpToABin(t *testing.T) {
	c := New[int](Concurrency(1), perProcess(1))
	r := rand.New(rand.NewPCG(8, 0))
	const n = 50_000
	for i := range n {
		_, _ = c.Schedule(1000+r.ExpFloat64(), i)
	}
	s := c.open(0)
	now, boundaries, rolled := 0.0, 0, false
	for range 40 * n {
		v, at, ok := c.Next()
		if !ok || at < now {
			t.Fatalf("%v after %v", at, now)
		}
		now = at
		if v >= 0 {
			_, _ = c.Schedule(at+r.ExpFloat64(), v)
		} else {
			boundaries--
		}
		if len(s.levels) < 2 {
			continue
		}
		t1 := s.levels[1]
		if boundaries == 0 && t1.count > 100 && s.levels[0].end == t1.ceiling(t1.count-1) && t1.open < t1.count/2 {
			for k := range uint64(t1.count) {
				_, _ = c.Schedule(timekey.Time((t1.base+uint64(t1.count)+k)<<t1.shift), -1)
				boundaries++
			}
			base := t1.base
			for s.levels[1].base == base && len(s.levels) > 1 { // until it has rolled, or is made anew
				v, at, _ := c.Next()
				if at < now {
					t.Fatalf("%v after %v", at, now)
				}
				now = at
				if v >= 0 {
					_, _ = c.Schedule(at+r.ExpFloat64(), v)
				} else {
					boundaries--
				}
			}
			rolled = rolled || len(s.levels) > 1 && s.levels[1].base > base && s.levels[1].shift == t1.shift
			mustCheck(t, c)
			if rolled {
				return
			}
		}
	}
	t.Error("no level rolled, so that this tests nothing")
}

// Of ties that are in several levels when they are taken up into one, those further down were
// scheduled first, and stay first.
func TestQueueTakesUpTies(t *testing.T) {
	c := New[int](Concurrency(1), perProcess(1))
	s := c.open(0)
	next := 0
	schedule := func(at float64, n int) {
		for range n {
			_, _ = c.Schedule(at, next)
			next++
		}
	}
	schedule(5, 1)
	schedule(10, 180)
	c.Next() // some of the ties go to the bottom, and the others stay in level 1
	for at := 4.0; len(s.levels) < 3; at /= 2 {
		schedule(at, 1) // until the bottom spills into level 2
		if at == 0 {
			t.Fatal("nothing spills")
		}
	}
	small := len(s.levels)
	for at := 1e-30; len(s.levels) >= small; at /= 2 {
		schedule(at, 1) // until both are taken up
		if at == 0 {
			t.Fatal("nothing is taken up")
		}
	}
	mustCheck(t, c)
	last, ties := -1, 0
	for {
		v, at, ok := c.Next()
		if !ok {
			break
		}
		if at == 10 {
			if v < last {
				t.Fatalf("of ties, %d comes after %d", v, last)
			}
			last = v
			ties++
		}
	}
	if ties != 180 {
		t.Errorf("%d of 180 came", ties)
	}
}
