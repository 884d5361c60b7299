package calendar

import (
	"math"
	"math/rand/v2"
	"testing"
)

// staticRef is a pending-event set that is slow and plainly right: all the events, scanned for the earliest.
type staticRef struct {
	events   []dueEvent
	now      float64
	seq      int
	capacity ID
}

type dueEvent struct {
	id  ID
	at  float64
	seq int
}

func (r *staticRef) index(id ID) int {
	for i, e := range r.events {
		if e.id == id {
			return i
		}
	}
	return -1
}

func (r *staticRef) admit(id ID, at float64) error {
	switch {
	case id >= r.capacity:
		return ErrID
	case math.IsNaN(at) || math.IsInf(at, 0):
		return ErrTime
	case at < r.now:
		return ErrPast
	}
	return nil
}

func (r *staticRef) Schedule(id ID, at float64) error {
	if err := r.admit(id, at); err != nil {
		return err
	}
	if r.index(id) >= 0 {
		return ErrScheduled
	}
	r.events = append(r.events, dueEvent{id, at, r.seq})
	r.seq++
	return nil
}

func (r *staticRef) Reschedule(id ID, at float64) error {
	if err := r.admit(id, at); err != nil {
		return err
	}
	r.Cancel(id)
	return r.Schedule(id, at)
}

func (r *staticRef) Cancel(id ID) bool {
	i := r.index(id)
	if i < 0 {
		return false
	}
	r.events[i] = r.events[len(r.events)-1]
	r.events = r.events[:len(r.events)-1]
	return true
}

func (r *staticRef) Renumber(from, to ID) error {
	if from >= r.capacity || to >= r.capacity {
		return ErrID
	}
	i := r.index(from)
	switch {
	case i < 0:
		return ErrNotScheduled
	case from == to:
		return nil
	case r.index(to) >= 0:
		return ErrScheduled
	}
	at := r.events[i].at
	r.Cancel(from)
	return r.Schedule(to, at)
}

func (r *staticRef) Peek() (ID, float64, bool) {
	if len(r.events) == 0 {
		return 0, 0, false
	}
	first := r.events[0]
	for _, e := range r.events[1:] {
		if e.at < first.at || e.at == first.at && e.seq < first.seq {
			first = e
		}
	}
	return first.id, first.at, true
}

func (r *staticRef) Next() (ID, float64, bool) {
	id, at, ok := r.Peek()
	if ok {
		r.Cancel(id)
		r.now = at
	}
	return id, at, ok
}

// staticPair does every operation on a Static and on the reference, and compares them.
type staticPair struct {
	testing.TB
	s *Static
	r staticRef
}

func newStaticPair(tb testing.TB, cfg StaticConfig) *staticPair {
	return &staticPair{tb, mustStatic(tb, cfg), staticRef{now: cfg.Start, capacity: ID(cfg.Capacity)}}
}

// do makes the operation that op names, on ids and a time as far as it needs them.
func (p *staticPair) do(op uint8, id, other ID, at float64) {
	p.Helper()
	switch op % 8 {
	case 0, 1:
		if got, want := p.s.Schedule(id, at), p.r.Schedule(id, at); got != want {
			p.Fatalf("Schedule(%d, %v): %v, want %v", id, at, got, want)
		}
	case 2:
		if got, want := p.s.Reschedule(id, at), p.r.Reschedule(id, at); got != want {
			p.Fatalf("Reschedule(%d, %v): %v, want %v", id, at, got, want)
		}
	case 3:
		if got, want := p.s.Cancel(id), p.r.Cancel(id); got != want {
			p.Fatalf("Cancel(%d): %v, want %v", id, got, want)
		}
	case 4:
		if got, want := p.s.Renumber(id, other), p.r.Renumber(id, other); got != want {
			p.Fatalf("Renumber(%d, %d): %v, want %v", id, other, got, want)
		}
	case 5:
		id, at, ok := p.s.Peek()
		if wantID, wantAt, want := p.r.Peek(); id != wantID || at != wantAt || ok != want {
			p.Fatalf("Peek: %d, %v, %v, want %d, %v, %v", id, at, ok, wantID, wantAt, want)
		}
	case 6:
		id, at, ok := p.s.Next()
		if wantID, wantAt, want := p.r.Next(); id != wantID || at != wantAt || ok != want {
			p.Fatalf("Next: %d, %v, %v, want %d, %v, %v", id, at, ok, wantID, wantAt, want)
		}
	case 7:
		left := int(other) // break off after so many
		for id, got := range p.s.Until(at) {
			if wantID, want, ok := p.r.Next(); id != wantID || got != want || !ok {
				p.Fatalf("Until(%v): %d, %v, want %d, %v", at, id, got, wantID, want)
			}
			if left--; left <= 0 {
				break
			}
		}
		if _, next, ok := p.r.Peek(); left > 0 && ok && next <= at {
			p.Fatalf("Until(%v) left %v", at, next)
		}
	}
	p.compare()
}

func (p *staticPair) compare() {
	p.Helper()
	if p.s.Len() != len(p.r.events) || p.s.Now() != p.r.now {
		p.Fatalf("Len %d, Now %v, want %d, %v", p.s.Len(), p.s.Now(), len(p.r.events), p.r.now)
	}
	for id := range p.r.capacity + 1 {
		at, ok := p.s.At(id)
		i := p.r.index(id)
		if ok != (i >= 0) || ok && at != p.r.events[i].at {
			p.Fatalf("At(%d): %v, %v", id, at, ok)
		}
	}
	if err := p.s.check(); err != nil {
		p.Fatal(err)
	}
}

// hostileTime turns two small numbers into a time that is likely to hurt: ties, edges of days, their neighbours in floating
// point, whole years, gaps beyond all days, the past, and what is no time at all.
func hostileTime(kind, size uint8, now, width float64, buckets int) float64 {
	x := float64(size)
	edge := (math.Floor(now/width) + x) * width
	switch kind % 16 {
	case 0:
		return now
	case 1:
		return now + width*x/64
	case 2:
		return now + width*x
	case 3:
		return edge
	case 4:
		return math.Nextafter(edge, math.Inf(1))
	case 5:
		return math.Nextafter(edge, math.Inf(-1))
	case 6:
		return now + width*float64(buckets)*x
	case 7:
		return now + width*float64(buckets)*x/4
	case 8:
		return math.Nextafter(now, math.Inf(1))
	case 9:
		return now - width*x
	case 10:
		return x
	case 11:
		return math.Ldexp(1+x/256, int(size)*4)
	case 12:
		return -math.Ldexp(1+x/256, int(size)*4)
	case 13:
		return []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), 1e300, -1e300}[size%5]
	case 14:
		return []float64{math.NaN(), math.Inf(1), math.Inf(-1), -math.MaxFloat64}[size%4]
	}
	return now + width*math.Exp(x/16-8)
}

var (
	hostileWidths = []float64{1, 0.1, 1e-3, 1. / 3, 10, 1e6, math.SmallestNonzeroFloat64, 1e-300, 1e300, math.MaxFloat64}
	hostileStarts = []float64{0, 30, -5, -1e300, 1e15, -math.MaxFloat64, math.Copysign(0, -1), 1 << 53}
)

// gentle is a kind of time for hostileTime that does not end the simulation by taking the clock to the end of time.
func gentle(rng *rand.Rand) uint8 {
	return []uint8{0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15}[rng.IntN(14)]
}

func TestStaticAgainstReference(t *testing.T) {
	const capacity, operations = 24, 400
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	for _, d := range disciplines {
		t.Run(d.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, uint64(d)))
			for round := range rounds {
				cfg := StaticConfig{
					Buckets:    1 + rng.IntN(20),
					Width:      hostileWidths[rng.IntN(len(hostileWidths))],
					Discipline: d,
					Capacity:   capacity,
					Start:      hostileStarts[rng.IntN(len(hostileStarts))],
				}
				p := newStaticPair(t, cfg)
				for range operations {
					kind := gentle(rng)
					if round%4 == 0 {
						kind = uint8(rng.Uint32())
					}
					at := hostileTime(kind, uint8(rng.IntN(256)), p.r.now, cfg.Width, cfg.Buckets)
					p.do(uint8(rng.Uint32()), ID(rng.IntN(capacity+1)), ID(rng.IntN(capacity+1)), at)
				}
				for len(p.r.events) > 0 {
					p.do(6, 0, 0, 0)
				}
			}
		})
	}
}

// FuzzStatic decodes a calendar and operations on it from bytes, and compares with the reference after each.
func FuzzStatic(f *testing.F) {
	f.Add([]byte{0, 9, 4, 1, 0, 0, 0, 3, 0, 1, 0, 3, 6, 0, 0, 0})
	f.Add([]byte{1, 0, 6, 0, 0, 1, 13, 0, 0, 2, 13, 3, 5, 0, 0, 0, 0, 3, 0, 0, 6, 0, 0, 0})
	f.Add([]byte{2, 3, 2, 3, 0, 1, 0, 0, 0, 2, 0, 0, 5, 0, 0, 0, 0, 3, 0, 0, 4, 0x21, 0, 0, 6, 0, 0, 0, 3, 2, 0, 0, 6, 0, 0, 0})
	f.Add([]byte{2, 0, 0, 0, 0, 1, 1, 9, 0, 2, 1, 7, 0, 3, 1, 8, 0, 4, 1, 8, 5, 0, 0, 0, 0, 5, 1, 8, 7, 15, 2, 200})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 || len(data) > 4000 {
			return
		}
		cfg := StaticConfig{
			Discipline: disciplines[data[0]%3],
			Buckets:    1 + int(data[1]%32),
			Width:      hostileWidths[int(data[2])%len(hostileWidths)],
			Start:      hostileStarts[int(data[3])%len(hostileStarts)],
			Capacity:   15,
		}
		p := newStaticPair(t, cfg)
		for data = data[4:]; len(data) >= 4; data = data[4:] {
			at := hostileTime(data[2], data[3], p.r.now, cfg.Width, cfg.Buckets)
			p.do(data[0], ID(data[1]%16), ID(data[1]/16), at)
		}
		for len(p.r.events) > 0 {
			p.do(6, 0, 0, 0)
		}
	})
}
