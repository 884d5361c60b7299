package spray

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/random"
)

// Metered is a priority queue that a [Meter] can measure: small keys first. A queue that counts how often goroutines got into each
// other's way can tell with a method Collisions() uint64.
type Metered interface {
	// Insert adds an element. The meter hands the ids out, each once.
	Insert(key float64, id uint64)
	// Remove removes an element and returns what it was inserted with. It may fail, but not while nobody else uses the queue and
	// it has elements.
	Remove() (key float64, id uint64, ok bool)
}

// A Meter puts a priority queue under load and records what it does, to be measured by [Replay] afterwards.
//
// Every goroutine writes into a log of its own and shares nothing with the others but the queue, so that the meter does not
// order what the queue does not. What it costs is the clock, read twice an operation: 40 to 80 ns on the usual machine.
type Meter struct {
	Goroutines int           // that use the queue at once, 1 unless told
	Fill       int           // elements that they insert before they begin, with exponential keys of mean 1
	Operations int           // that each goroutine makes, about; with a Duration, 0 is no limit
	Duration   time.Duration // after which goroutines stop even if they have made fewer; 0 is no limit
	Workload   Workload      // what each goroutine does: [Hold] unless told
	Drain      bool          // in the end remove all that is left, so that elements that were lost are noticed
	Seed       uint64        // of the random numbers
}

// A Workload uses a queue, from one goroutine of several, until [Recorder.More] says that it is enough.
type Workload func(r *Recorder)

// Hold removes an element and inserts one that comes an exponential time of mean 1 after it. The elements that a [Meter] fills in
// are as they are in the long run of this.
func Hold(r *Recorder) {
	for r.More() {
		if key, ok := r.Remove(); ok {
			r.Insert(key + r.ExpFloat64())
		}
	}
}

// Mixed inserts and removes with equal probability. What it inserts comes an exponential time of mean 1 after what the
// goroutine last removed. A goroutine that has inserted or removed most elements more than the opposite turns back, so
// that the number of elements stays about what it was.
func Mixed(most int) Workload {
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

// A Recorder is what a goroutine uses a metered queue through, and where its random numbers come from.
type Recorder struct {
	*rand.Rand
	source     random.Stream // of Rand; here, where no other goroutine's is in the same cache line
	q          Metered
	start      time.Time
	last       int64 // time of the last stamp
	until      int64
	operations int
	log        []Operation
	id, step   uint64 // the next id, and how far apart ids are, so that goroutines need not agree on them
	_          [64]byte
}

// More reports whether the goroutine should go on.
func (r *Recorder) More() bool { return len(r.log) < r.operations && r.last < r.until }

// now is the time of a monotonic clock. Where that is so coarse that it stands still between two stamps, they follow each other
// at a nanosecond.
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

// unknown is an id that is never handed out.
const unknown = math.MaxUint32

// Run fills a queue, which must be empty, and lets goroutines use it.
func (m Meter) Run(q Metered) *Trace {
	goroutines := max(1, m.Goroutines)
	if m.Fill < 0 || m.Operations < 0 || uint64(m.Fill)+uint64(m.Operations+1)*uint64(goroutines) >= unknown {
		panic("spray: a meter makes from 0 to about 2³² insertions")
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
		r := &Recorder{source: random.New(m.Seed, uint64(g)), q: q, start: start, operations: operations, until: math.MaxInt64}
		r.Rand = rand.New(&r.source)
		recorders[g] = r
		done.Go(func() {
			// Each inserts a part of what there is before, since a queue may put together what one goroutine inserts.
			r.id, r.step = uint64(g), uint64(goroutines)
			r.log = make([]Operation, 0, m.Fill/goroutines+1)
			for r.id < uint64(m.Fill) {
				r.Insert(r.ExpFloat64())
			}
			t.Fill[g], r.log = r.log, nil
			if operations < math.MaxInt {
				r.log = make([]Operation, 0, operations+1)
			}
			r.id = uint64(m.Fill + g)
			filled.Done()
			<-ready
			work(r)
		})
	}
	filled.Wait()
	if m.Duration > 0 {
		for _, r := range recorders {
			r.until = int64(time.Since(start) + m.Duration)
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
		panic("spray: a workload made more than 2³² insertions")
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

// A Kind is what an operation did.
type Kind uint8

// The kinds of operations.
const (
	Insertion Kind = iota
	Removal
	Failure // a removal that found nothing
)

// An Operation is one of a goroutine's. Its effect took place at some moment from Begin to End.
type Operation struct {
	Begin, End int64 // nanoseconds since the trace began; read before the call and after it
	Key        float64
	ID         uint32 // of the element: they are numbered from 0
	Kind       Kind
}

// A Trace is what goroutines did to a queue. The operations of each follow one another: one begins after the one before has ended.
type Trace struct {
	Fill       [][]Operation // insertions before the goroutines began their work, by goroutine
	Logs       [][]Operation // their work, by goroutine
	Drain      []Operation   // removals after they were done, until one fails; none if the queue was left as it was
	Collisions uint64        // as the queue counted them, if it does
}

// A Summary tells how numbers are distributed.
type Summary struct {
	Mean float64 `json:"mean"`
	P50  int     `json:"p50"` // half of the numbers are no larger,
	P99  int     `json:"p99"` // and 99 in a hundred
	Max  int     `json:"max"`
}

// A Report is what [Replay] found in a trace.
type Report struct {
	Insertions int `json:"insertions"` // by the goroutines
	Removals   int `json:"removals"`
	Failures   int `json:"failures"` // removals that found nothing
	Missed     int `json:"missed"`   // failures during all of which some element was there
	Left       int `json:"left"`     // elements in the queue when the goroutines were done

	Rank       Summary `json:"rank"`         // over the removals
	RankAtMost float64 `json:"rank_at_most"` // mean, with all elements that may have been there
	Delay      Summary `json:"delay"`        // over the elements that the goroutines removed
	LeftDelay  int     `json:"left_delay"`   // the largest of an element that is left
	Collisions uint64  `json:"collisions"`
}

// Operations is how many operations succeeded.
func (r Report) Operations() int { return r.Insertions + r.Removals }

// String is the report in three lines.
func (r Report) String() string {
	return fmt.Sprintf("%d insertions, %d removals, %d failures (%d with elements there), %d left, %d collisions\n"+
		"rank error: mean %.2f to %.2f, half up to %d, 99 %% up to %d, most %d\n"+
		"delay: mean %.2f, half up to %d, 99 %% up to %d, most %d",
		r.Insertions, r.Removals, r.Failures, r.Missed, r.Left, r.Collisions,
		r.Rank.Mean, r.RankAtMost, r.Rank.P50, r.Rank.P99, r.Rank.Max,
		r.Delay.Mean, r.Delay.P50, r.Delay.P99, max(r.Delay.Max, r.LeftDelay))
}

// Replay measures how far the removals of a trace are from those of an exact queue.
//
// The rank error of a removal is the number of elements that came before the one removed and were in the queue: smaller keys,
// or the same key and inserted earlier. The delay of an element is the number of removals that overtook it: of an element
// after it, while it was in the queue. Each pair of an element and a removal that overtook it counts once in both.
//
// When an operation took effect is known only up to its stamps. Replay counts what is certain: an element was there for a
// removal if its insertion ended before the removal began, and its own removal began after that one ended. So an exact
// queue measures 0, whatever the number of goroutines, and so does a relaxed one where it may have been exact. What is missed
// are elements that others were inserting or removing meanwhile, usually fewer than one for each other processor. RankAtMost counts
// those, too, and the mean of the true rank errors is between Rank.Mean and RankAtMost; with one goroutine all three are the
// same. With more goroutines than processors RankAtMost is far too large, because one that waits for a processor has an
// operation under way all the while. (Of elements with equal keys that were inserted at the same time either may be the first, and
// neither bound counts them.)
//
// It is an error if an element was removed that had not been inserted, twice, or with another key, and if elements are missing
// after the queue was drained.
//
// Time is O(log n + p) per operation, with n elements and p goroutines, and memory about 90 bytes per element beside the trace.
func Replay(t *Trace) (Report, error) {
	p := player{Report: Report{Collisions: t.Collisions}, fills: len(t.Fill)}
	if err := p.collect(t); err != nil {
		return Report{}, err
	}
	p.sort()
	if err := p.play(t); err != nil {
		return Report{}, err
	}
	if err := p.end(t); err != nil {
		return Report{}, err
	}
	return p.Report, nil
}

// An element of a replay.
type element struct {
	key        float64
	begin, end int64 // of its insertion
	place      int32 // in the order of all elements, by key and end
	before     int32 // elements in the places below this one come before it for certain
	inserted   int64 // step of the replay at which its insertion ended
	overtaken  int32 // its delay; while it is in the queue, less those that had overtaken its place before
	known      bool  // there is an insertion of it
	begun      bool  // the insertion has begun
	removed    bool  // a removal of it has begun
	gone       bool  // and ended
}

// under is an operation under way.
type under struct {
	log     int // whose
	kind    Kind
	id      uint32
	before  int32 // as that of the element; of a failure, all places
	began   int64 // step
	certain int32 // elements before its own that were there all the time so far
	perhaps int32 // elements before its own that may have been there at some time
}

// A player replays a trace: it goes through all stamps in the order of time, and keeps count of what is in the queue.
type player struct {
	Report
	fills    int // how many of the logs are of the filling; they come first
	elements []element
	there    tree // by place: elements that are in the queue for certain, no removal of them has begun
	over     tree // by before: removals that have begun; all of them, for ever
	open     []under
	step     int64
	ranks    []int32
	delays   []int32
	atMost   int64
}

// collect lists the elements, and checks what can be checked in any order.
func (p *player) collect(t *Trace) error {
	all := slices.Concat(t.Fill, t.Logs)
	insertions := 0
	for _, log := range all {
		for _, o := range log {
			if o.Kind == Insertion {
				insertions++
			}
		}
	}
	p.elements = make([]element, insertions)
	for l, log := range all {
		last, fill := int64(math.MinInt64), l < p.fills
		for i, o := range log {
			switch {
			case o.Begin <= last || o.End < o.Begin || o.Begin < -latest || o.End > latest:
				return p.wrong(l, i, "is out of time: it takes from %d to %d, and the one before ends at %d", o.Begin, o.End, last)
			case o.Kind > Failure || fill && o.Kind != Insertion:
				return p.wrong(l, i, "is of kind %d, which has no place here", o.Kind)
			case o.Kind != Failure && int(o.ID) >= insertions:
				return p.wrong(l, i, "is about element %d, but only %d elements were inserted, and they are numbered from 0", o.ID, insertions)
			case o.Kind == Insertion && p.elements[o.ID].known:
				return p.wrong(l, i, "inserts element %d, which was inserted before", o.ID)
			case o.Kind == Insertion && math.IsNaN(o.Key):
				return p.wrong(l, i, "inserts element %d with a key that is not a number", o.ID)
			}
			last = o.End
			if o.Kind == Insertion {
				p.elements[o.ID] = element{key: o.Key, begin: o.Begin, end: o.End, known: true}
			}
		}
	}
	return nil
}

// latest is the largest time, so that twice as much is a number, too.
const latest = math.MaxInt64 / 4

// wrong says what is wrong with an operation of a log.
func (p *player) wrong(log, i int, format string, args ...any) error {
	where := "goroutine"
	if log >= p.fills {
		log -= p.fills
	} else {
		where = "the filling by goroutine"
	}
	return fmt.Errorf("spray: operation %d of %s %d %s", i, where, log, fmt.Sprintf(format, args...))
}

// sort gives the elements their places.
func (p *player) sort() {
	type item struct {
		key float64
		end int64
		id  uint32
	}
	items := make([]item, len(p.elements))
	for id, e := range p.elements {
		items[id] = item{e.key, e.end, uint32(id)}
	}
	slices.SortFunc(items, func(a, b item) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.end, b.end)
	})
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].key == items[from].key {
			to++
		}
		for i, it := range items[from:to] {
			e := &p.elements[it.id]
			// Of equal keys, those come before it whose insertions ended before its own began.
			earlier, _ := slices.BinarySearchFunc(items[from:to], e.begin, func(a item, begin int64) int { return cmp.Compare(a.end, begin) })
			e.place, e.before = int32(from+i), int32(from+earlier)
		}
		from = to
	}
	p.there = newTree(len(items))
	p.over = newTree(len(items) + 1)
}

// play goes through the stamps of all logs. At equal times beginnings come before ends: neither operation was over when the other one
// began.
func (p *player) play(t *Trace) error {
	var m merge
	for l, log := range slices.Concat(t.Fill, t.Logs) {
		m.add(l, log)
	}
	for len(m) > 0 {
		p.step++
		c := &m[0]
		o := &c.ops[0]
		if c.ended {
			if err := p.finish(c.log, c.index, o); err != nil {
				return err
			}
		} else if err := p.begin(c.log, c.index, o); err != nil {
			return err
		}
		m.next()
	}
	return nil
}

func (p *player) begin(log, i int, o *Operation) error {
	u := under{log: log, kind: o.Kind, id: o.ID, began: p.step}
	switch o.Kind {
	case Insertion:
		e := &p.elements[o.ID]
		e.begun = true
		for k := range p.open {
			if r := &p.open[k]; r.kind == Removal && e.place < r.before {
				r.perhaps++
			}
		}
	case Removal:
		e := &p.elements[o.ID]
		switch {
		case e.removed:
			return p.wrong(log, i, "removes element %d, which was removed before", o.ID)
		case e.key != o.Key:
			return p.wrong(log, i, "removes element %d with key %v, but it was inserted with key %v", o.ID, o.Key, e.key)
		}
		e.removed = true
		if e.inserted > 0 {
			p.take(e)
		}
		u.before = e.before
		u.certain = p.there.below(e.before)
		u.perhaps = u.certain + p.doubtful(e.before)
		p.over.add(e.before, 1)
	case Failure:
		u.before = int32(len(p.elements))
		u.certain = p.there.sum
	}
	p.open = append(p.open, u)
	return nil
}

// take takes an element out of those that are certainly there, because its removal begins.
func (p *player) take(e *element) {
	p.there.add(e.place, -1)
	e.overtaken += p.over.sum - p.over.below(e.place+1)
	for k := range p.open {
		// Removals under way do not overtake it for certain, and it may have been gone when they took effect.
		if r := &p.open[k]; r.kind != Insertion && e.place < r.before && e.inserted < r.began {
			r.certain--
			if r.kind == Removal {
				e.overtaken--
			}
		}
	}
}

// doubtful counts the elements in places below one that others are inserting or removing.
func (p *player) doubtful(before int32) (n int32) {
	for k := range p.open {
		u := &p.open[k]
		if u.kind == Failure {
			continue
		}
		// One that is being inserted and removed at once is counted with its insertion.
		if e := &p.elements[u.id]; e.place < before && !e.gone && (u.kind == Insertion || e.inserted > 0) {
			n++
		}
	}
	return n
}

func (p *player) finish(log, i int, o *Operation) error {
	at := slices.IndexFunc(p.open, func(u under) bool { return u.log == log })
	u := p.open[at]
	p.open[at] = p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	switch o.Kind {
	case Insertion:
		if log >= p.fills {
			p.Insertions++
		}
		e := &p.elements[o.ID]
		e.inserted = p.step
		if !e.removed {
			p.there.add(e.place, 1)
			e.overtaken = p.over.below(e.place+1) - p.over.sum
		}
	case Removal:
		e := &p.elements[o.ID]
		if !e.begun {
			return p.wrong(log, i, "removes element %d, the insertion of which had not begun", o.ID)
		}
		e.gone = true
		p.Removals++
		p.ranks = append(p.ranks, u.certain)
		p.delays = append(p.delays, e.overtaken)
		p.atMost += int64(u.perhaps)
	case Failure:
		p.Failures++
		if u.certain > 0 {
			p.Missed++
		}
	}
	return nil
}

// end looks at what is left, and adds up.
func (p *player) end(t *Trace) error {
	for id := range p.elements {
		if e := &p.elements[id]; !e.removed {
			p.Left++
			p.LeftDelay = max(p.LeftDelay, int(e.overtaken+p.over.sum-p.over.below(e.place+1)))
		}
	}
	for i, o := range t.Drain {
		if o.Kind == Failure {
			continue
		}
		switch {
		case o.Kind != Removal:
			return fmt.Errorf("spray: operation %d of the draining is not a removal", i)
		case int(o.ID) >= len(p.elements):
			return fmt.Errorf("spray: element %d was left, which had not been inserted", o.ID)
		case p.elements[o.ID].removed:
			return fmt.Errorf("spray: element %d was left, which had been removed before", o.ID)
		case p.elements[o.ID].key != o.Key:
			return fmt.Errorf("spray: element %d was left with key %v, but it was inserted with key %v", o.ID, o.Key, p.elements[o.ID].key)
		}
		p.elements[o.ID].removed = true
	}
	if len(t.Drain) > 0 {
		lost, first := 0, 0
		for id := range p.elements {
			if !p.elements[id].removed {
				if lost++; lost == 1 {
					first = id
				}
			}
		}
		if lost > 0 {
			return fmt.Errorf("spray: %d of %d elements were lost; the first is %d, with key %v",
				lost, len(p.elements), first, p.elements[first].key)
		}
	}
	p.Rank, p.Delay = summarize(p.ranks), summarize(p.delays)
	if p.Removals > 0 {
		p.RankAtMost = float64(p.atMost) / float64(p.Removals)
	}
	return nil
}

// summarize sorts numbers and summarizes them.
func summarize(x []int32) Summary {
	if len(x) == 0 {
		return Summary{}
	}
	slices.Sort(x)
	sum := 0.0
	for _, y := range x {
		sum += float64(y)
	}
	quantile := func(percent int) int { return int(x[(percent*len(x)+99)/100-1]) }
	return Summary{Mean: sum / float64(len(x)), P50: quantile(50), P99: quantile(99), Max: int(x[len(x)-1])}
}

// A tree holds numbers in places, and tells the sum of those below one: a Fenwick tree.
type tree struct {
	sums []int32
	sum  int32 // of all
}

func newTree(places int) tree { return tree{sums: make([]int32, places+1)} }

func (t *tree) add(place, x int32) {
	t.sum += x
	for i := int(place) + 1; i < len(t.sums); i += i & -i {
		t.sums[i] += x
	}
}

func (t *tree) below(place int32) (sum int32) {
	for i := place; i > 0; i &= i - 1 {
		sum += t.sums[i]
	}
	return sum
}

// A merge is a heap of logs, ordered by the next stamp of each.
type merge []cursor

type cursor struct {
	due   int64 // twice the time, and 1 more for an end
	log   int
	index int
	ended bool // the next stamp is the end of ops[0]
	ops   []Operation
}

func (m *merge) add(log int, ops []Operation) {
	if len(ops) == 0 {
		return
	}
	*m = append(*m, cursor{due: 2 * ops[0].Begin, log: log, ops: ops})
	for i := len(*m) - 1; i > 0; i = (i - 1) / 2 {
		if a, b := &(*m)[i], &(*m)[(i-1)/2]; a.due < b.due {
			*a, *b = *b, *a
		}
	}
}

// next moves the first log on.
func (m *merge) next() {
	h := *m
	c := &h[0]
	if !c.ended {
		c.ended = true
		c.due = 2*c.ops[0].End + 1
	} else {
		c.ended = false
		c.ops = c.ops[1:]
		c.index++
		if len(c.ops) > 0 {
			c.due = 2 * c.ops[0].Begin
		} else {
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
			*m = h
		}
	}
	for i := 0; ; {
		least := 2*i + 1
		if least >= len(h) {
			break
		}
		if least+1 < len(h) && h[least+1].due < h[least].due {
			least++
		}
		if h[i].due <= h[least].due {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// The form of a saved trace: the magic, numbers as varints, keys as 8 bytes, and in the end a checksum of all before.
const magic = "spray trace 1\n"

// WriteTo saves a trace, in 10 to 20 bytes per operation.
func (t *Trace) WriteTo(w io.Writer) (n int64, err error) {
	sum := crc32.NewIEEE()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	var b []byte
	put := func() {
		n += int64(len(b))
		if err == nil {
			_, err = out.Write(b)
		}
		b = b[:0]
	}
	b = append(b, magic...)
	b = binary.AppendUvarint(b, t.Collisions)
	b = binary.AppendUvarint(b, uint64(len(t.Fill)))
	b = binary.AppendUvarint(b, uint64(len(t.Logs)))
	for _, log := range slices.Concat(t.Fill, t.Logs, [][]Operation{t.Drain}) {
		b = binary.AppendUvarint(b, uint64(len(log)))
		last := int64(0)
		for _, o := range log {
			b = append(b, byte(o.Kind))
			b = binary.AppendVarint(b, o.Begin-last)
			b = binary.AppendVarint(b, o.End-o.Begin)
			last = o.End
			if o.Kind != Failure {
				b = binary.AppendUvarint(b, uint64(o.ID))
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(o.Key))
			}
			put()
		}
	}
	put()
	if err == nil {
		err = out.Flush()
	}
	b = binary.LittleEndian.AppendUint32(b, sum.Sum32())
	n += int64(len(b))
	if err == nil {
		_, err = w.Write(b)
	}
	return n, err
}

// ReadTrace reads a trace that was saved.
func ReadTrace(r io.Reader) (*Trace, error) {
	in := &traceReader{in: bufio.NewReader(r)}
	head := make([]byte, len(magic))
	in.full(head)
	if in.err == nil && string(head) != magic {
		return nil, errors.New("spray: this is not a trace")
	}
	t := &Trace{Collisions: in.unsigned()}
	fills, logs := in.unsigned(), in.unsigned()
	t.Fill, t.Logs = in.logs(fills), in.logs(logs)
	t.Drain = in.operations()
	sum := in.sum
	var want [4]byte
	in.full(want[:])
	if in.err == nil && sum != binary.LittleEndian.Uint32(want[:]) {
		in.err = errors.New("its checksum is wrong")
	}
	if in.err != nil {
		return nil, fmt.Errorf("spray: the trace is damaged: %w", in.err)
	}
	return t, nil
}

// A traceReader reads numbers until there is an error, and is told to the end as if there was none.
type traceReader struct {
	in  *bufio.Reader
	sum uint32
	err error
}

func (r *traceReader) full(b []byte) {
	if r.err != nil {
		return
	}
	if _, err := io.ReadFull(r.in, b); err != nil {
		r.err = io.ErrUnexpectedEOF
		return
	}
	r.sum = crc32.Update(r.sum, crc32.IEEETable, b)
}

// ReadByte makes the reader one that varints can be read from.
func (r *traceReader) ReadByte() (byte, error) {
	var b [1]byte
	r.full(b[:])
	return b[0], r.err
}

func (r *traceReader) unsigned() uint64 {
	x, err := binary.ReadUvarint(r)
	r.err = cmp.Or(r.err, err)
	return x
}

func (r *traceReader) signed() int64 {
	x, err := binary.ReadVarint(r)
	r.err = cmp.Or(r.err, err)
	return x
}

func (r *traceReader) logs(n uint64) (logs [][]Operation) {
	for ; n > 0 && r.err == nil; n-- {
		logs = append(logs, r.operations())
	}
	return logs
}

func (r *traceReader) operations() (log []Operation) {
	last := int64(0)
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		kind, _ := r.ReadByte()
		o := Operation{Kind: Kind(kind)}
		o.Begin = last + r.signed()
		o.End = o.Begin + r.signed()
		last = o.End
		if o.Kind != Failure {
			o.ID = uint32(r.unsigned())
			var b [8]byte
			r.full(b[:])
			o.Key = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
		}
		if r.err == nil {
			log = append(log, o)
		}
	}
	return log
}
