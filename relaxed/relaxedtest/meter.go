package relaxedtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/random"
)

// Metered is a priority queue that a [Meter] can measure: small keys first. A queue that counts how
// often goroutines got into each other's way can tell with a method Collisions() uint64.
type Metered interface {
	// Insert adds an element. The meter hands the ids out, each once.
	Insert(key float64, id uint64)
	// Remove removes an element and returns what it was inserted with. It may fail, but not while
	// nobody else uses the queue and it has elements.
	Remove() (key float64, id uint64, ok bool)
}

// A Meter puts a priority queue under load and records what it does, to be measured by [Replay]
// afterwards.
//
// Every goroutine writes into a log of its own and shares nothing with the others but the queue, so
// that the meter does not order what the queue does not. What it costs is the clock, read twice an
// operation: 40 to 80 ns on the usual machine.
type Meter struct {
	Goroutines int           // that use the queue at once, at most 65,536; 0 means 1
	Fill       int           // elements that they insert before they begin, with exponential keys of mean 1
	Operations int           // that each goroutine makes, about; with a Duration, 0 is no limit
	Duration   time.Duration // after which goroutines stop even if they have made fewer; 0 is no limit

	// Workload is what each goroutine does with the queue until [Recorder.More] says that it is
	// enough: nil means [Hold].
	Workload func(r *Recorder)

	Drain bool   // in the end remove all that is left, so that elements that were lost are noticed
	Seed  uint64 // of the random numbers
}

// Hold removes an element and inserts one that comes an exponential time of mean 1 after it. The
// elements that a [Meter] fills in are as they are in the long run of this.
func Hold(r *Recorder) {
	for r.More() {
		if key, ok := r.Remove(); ok {
			r.Insert(key + r.ExpFloat64())
		}
	}
}

// Mixed inserts and removes with equal probability. What it inserts comes an exponential time of
// mean 1 after what the goroutine last removed. A goroutine that has inserted or removed most
// elements more than the opposite turns back, so that the number of elements stays about what it
// was; most is at least 1.
func Mixed(most int) func(r *Recorder) {
	if most < 1 {
		panic("relaxedtest: Mixed turns back after at least 1 element")
	}
	return func(r *Recorder) {
		now, balance := 0.0, 0
		for r.More() {
			if insert := r.Uint64()&1 == 0; balance <= -most || insert && balance < most {
				r.Insert(now + r.ExpFloat64())
				balance++
			} else if key, ok := r.Remove(); ok {
				now = key
				balance--
			}
		}
	}
}

// A Recorder is what a goroutine uses a metered queue through, and where its random numbers come
// from.
type Recorder struct {
	*rand.Rand
	source     random.Stream // of Rand; here, where no other goroutine's is in the same cache line
	q          Metered
	start      time.Time
	last       int64 // the last timestamp
	until      int64
	operations int
	log        []Operation
	id, step   uint64 // the next id, and how far apart ids are, so that goroutines need not agree on them
	_          [64]byte
}

// More reports whether the goroutine should go on.
func (r *Recorder) More() bool { return len(r.log) < r.operations && r.last < r.until }

// now is the time of a monotonic clock. Where that is so coarse that it stands still between two
// stamps, they follow each other at a nanosecond.
func (r *Recorder) now() int64 {
	r.last = max(int64(time.Since(r.start)), r.last+1)
	return r.last
}

// Insert inserts a new element.
func (r *Recorder) Insert(key float64) {
	id := r.id
	r.id += r.step
	begin := r.now()
	r.q.Insert(key, id)
	r.log = append(r.log, Operation{Begin: begin, End: r.now(), Key: key, ID: uint32(id), Kind: Insertion})
}

// Remove removes an element and returns its key.
func (r *Recorder) Remove() (key float64, ok bool) {
	begin := r.now()
	key, id, ok := r.q.Remove()
	o := Operation{Begin: begin, End: r.now(), Kind: Failure}
	if ok {
		o.Key, o.ID, o.Kind = key, uint32(min(id, unknown)), Removal
	}
	r.log = append(r.log, o)
	return key, ok
}

const (
	maxGoroutines = 1 << 16
	// maxReserved is for how many operations, 40 bytes each, there is room in the logs of all
	// goroutines before they begin. Beyond it logs grow.
	maxReserved = 1 << 22
)

// unknown is an id that is never handed out.
const unknown = math.MaxUint32

// Run fills a queue, which must be empty, and lets goroutines use it.
func (m Meter) Run(q Metered) *Trace {
	goroutines := max(1, m.Goroutines)
	if goroutines > maxGoroutines {
		panic("relaxedtest: a meter has at most 65,536 goroutines")
	}
	if m.Fill < 0 || m.Operations < 0 || float64(m.Fill)+(float64(m.Operations)+1)*float64(goroutines) >= unknown {
		panic("relaxedtest: a meter makes from 0 to about 2³² insertions")
	}
	work := m.Workload
	if work == nil {
		work = Hold
	}
	operations := m.Operations
	if operations == 0 && m.Duration > 0 {
		operations = math.MaxInt
	}
	before := collisionsOf(q)
	recorders := make([]*Recorder, goroutines)
	t := &Trace{Fill: make([][]Operation, goroutines)}
	start := time.Now()
	ready := make(chan struct{})
	var filled, done sync.WaitGroup
	filled.Add(goroutines)
	for g := range recorders {
		r := &Recorder{source: random.New(m.Seed, uint64(g)), q: q, start: start, operations: operations,
			until: math.MaxInt64}
		r.Rand = rand.New(&r.source)
		recorders[g] = r
		done.Go(func() {
			// Each inserts a part of what there is before, since a queue may put together what one
			// goroutine inserts.
			r.id, r.step = uint64(g), uint64(goroutines)
			r.log = make([]Operation, 0, min(m.Fill, maxReserved)/goroutines+1)
			for r.id < uint64(m.Fill) {
				r.Insert(r.ExpFloat64())
			}
			t.Fill[g], r.log = r.log, nil
			if operations < math.MaxInt {
				r.log = make([]Operation, 0, min(operations, maxReserved/goroutines)+1)
			}
			r.id = uint64(m.Fill + g)
			filled.Done()
			<-ready
			work(r)
		})
	}
	filled.Wait()
	if m.Duration > 0 {
		filled := time.Since(start)
		until := filled + min(m.Duration, math.MaxInt64-filled)
		for _, r := range recorders {
			r.until = int64(until)
		}
	}
	close(ready)
	done.Wait()

	t.Collisions = collisionsOf(q) - before
	for _, r := range recorders {
		t.Logs = append(t.Logs, r.log)
	}
	if m.Drain {
		r := &Recorder{q: q, start: start}
		for ok := true; ok; _, ok = r.Remove() {
		}
		t.Drain = r.log
	}
	t.renumber(uint64(m.Fill), recorders)
	return t
}

func collisionsOf(q Metered) uint64 {
	if q, ok := q.(interface{ Collisions() uint64 }); ok {
		return q.Collisions()
	}
	return 0
}

// renumber gives the elements the ids 0, 1, 2, ….
func (t *Trace) renumber(fill uint64, recorders []*Recorder) {
	goroutines := uint64(len(recorders))
	first := make([]uint64, goroutines) // the new id of the first element of each goroutine
	handedOut := make([]uint64, goroutines)
	next := fill
	for g, r := range recorders {
		first[g], handedOut[g] = next, (r.id-fill)/goroutines
		next += handedOut[g]
	}
	if next >= unknown {
		panic("relaxedtest: a workload made more than 2³² insertions")
	}
	for _, log := range append(slices.Clip(t.Logs), t.Drain) {
		for i := range log {
			if id := uint64(log[i].ID); id >= fill && log[i].Kind != Failure {
				g, k := (id-fill)%goroutines, (id-fill)/goroutines
				log[i].ID = unknown
				if k < handedOut[g] {
					log[i].ID = uint32(first[g] + k)
				}
			}
		}
	}
}
