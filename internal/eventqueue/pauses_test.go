package eventqueue_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// Buckets that are divided when they have a few dozen entries bring all that happens to large
// queues into small ones.
func TestQueueOfSmallBucketsConforms(t *testing.T) {
	calendartest.Run(t, func(start float64) calendartest.Set {
		q := eventqueue.New(eventqueue.StartAt(start))
		q.SetMost(40)
		return q
	}, calendartest.AtMost(testscale.Size(400, 2000)))
}

func FuzzQueueOfSmallBuckets(f *testing.F) {
	f.Add([]byte("schedule, cancel, peek, next"))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, negative, cold := eventqueue.New(), eventqueue.New(eventqueue.StartAt(-1e9)), eventqueue.New()
		q.SetMost(40)
		negative.SetMost(70)
		cold.SetMost(40)
		cold.SetCold()
		if err := calendartest.Replay(data, q, negative, cold); err != nil {
			t.Error(err)
		}
	})
}

// paced is a queue that notes the most that a single call did.
type paced struct {
	*eventqueue.Queue
	worst uint64
	in    string
}

func (p *paced) note(call string, before uint64) {
	if work := p.Work() - before; work > p.worst {
		p.worst, p.in = work, call
	}
}

func (p *paced) Schedule(id eventqueue.ID, at float64) error {
	defer p.note("Schedule", p.Work())
	return p.Queue.Schedule(id, at)
}

func (p *paced) Reschedule(id eventqueue.ID, at float64) error {
	defer p.note("Reschedule", p.Work())
	return p.Queue.Reschedule(id, at)
}

func (p *paced) Cancel(id eventqueue.ID) bool {
	defer p.note("Cancel", p.Work())
	return p.Queue.Cancel(id)
}

func (p *paced) Next() (eventqueue.ID, float64, bool) {
	defer p.note("Next", p.Work())
	return p.Queue.Next()
}

func (p *paced) Peek() (eventqueue.ID, float64, bool) {
	defer p.note("Peek", p.Work())
	return p.Queue.Peek()
}

// However many events there are and whatever is done with them, no single call moves or looks at
// more than a few buckets full of entries.
func TestQueuePauses(t *testing.T) {
	for _, n := range testscale.Size([]int{500, 8000}, []int{500, 1000, 4000, 8000, 12_000, 20_000, 30_000}) {
		pauses(t, n, 500)
	}
	pauses(t, 6000, 6000)
}

// bound is how many entries one call may move or look at with buckets of so many. One bucket is
// swept, and one is opened and then what comes of it, as long as nearly all of it is in one part
// again. A division looks at its entries and moves them, into at least a sixth as many parts, in a
// power of two: the keys of a part differ in so many bits fewer, of 64. Twice, before these are too
// few, nearly all may be left out of one as smaller by orders of magnitude, and are then counted
// before that can be again.
func bound(most int) uint64 {
	fewer := math.Log2(float64(most)/6) - 1
	return uint64(most * (1 + 2*(1+int(math.Ceil(64/fewer))) + 2*3))
}

// pauses does all that may take long with n events and buckets of so many.
func pauses(t *testing.T, n, most int) {
	drain := func(p *paced, to int) {
		for p.Len() > to {
			p.Next()
		}
	}
	fill := func(p *paced, time func(i int) float64) {
		for i := range n {
			must(t, p.Schedule(eventqueue.ID(i), p.Now()+time(i)))
		}
	}
	var r *rand.Rand // begins anew with every run
	times := map[string]func(i int) float64{
		"exponential": func(int) float64 { return r.ExpFloat64() },
		"ascending":   func(i int) float64 { return float64(i) },
		"descending":  func(i int) float64 { return float64(n - i) },
		"one instant": func(int) float64 { return 7 },
		"two":         func(i int) float64 { return float64(7 + i%2) },
		"scales":      func(int) float64 { return math.Pow(10, float64(r.IntN(60)-30)) },
		"outliers":    func(i int) float64 { return r.ExpFloat64() * math.Pow(1e9, float64(i%1000/999)) },
		// Of each chunk, all are of about the same order of magnitude, and all that follow of a
		// smaller one.
		"smaller scales": func(i int) float64 { return math.Pow(10, 300*(1-float64(i)/float64(n))) },
		// All but a few are in one part of one part of one.
		"closer and closer": func(i int) float64 {
			return 1 + math.Ldexp(1, -5*min(i%(n/4), 9)) + math.Ldexp(float64(i),
				-52)
		},
	}
	uses := map[string]func(p *paced, time func(i int) float64){
		"drain": func(p *paced, _ func(int) float64) { drain(p, 0) },
		"hold": func(p *paced, time func(int) float64) {
			for i := range 2 * n {
				id, at, _ := p.Next()
				must(t, p.Schedule(id, at+time(i%n)))
			}
		},
		"cancel at random": func(p *paced, _ func(int) float64) {
			for _, id := range r.Perm(n) {
				p.Cancel(eventqueue.ID(id))
			}
		},
		"cancel most, then drain": func(p *paced, _ func(int) float64) {
			for id := range n {
				if id%10 > 0 {
					p.Cancel(eventqueue.ID(id))
				}
			}
			drain(p, 0)
		},
		"move all": func(p *paced, time func(int) float64) {
			for _, id := range r.Perm(n) {
				must(t, p.Reschedule(eventqueue.ID(id), p.Now()+time(id)))
				if id%100 == 0 {
					p.Peek()
				}
			}
			drain(p, n/2)
		},
		"backwards": func(p *paced, _ func(int) float64) {
			at := 1e6
			for i := range n {
				at *= 0.9999
				must(t, p.Schedule(eventqueue.ID(n+i), at))
				if i%50 == 0 {
					p.Peek()
				}
			}
			drain(p, n)
		},
	}
	uses["hold, collected"] = uses["hold"]
	for _, use := range []string{"cancel at random", "cancel most, then drain", "move all"} {
		uses[use+", deferred"] = uses[use]
	}
	for name, time := range times {
		for use, do := range uses {
			r = rand.New(rand.NewPCG(31, 0))
			p := &paced{Queue: eventqueue.New()}
			p.SetMost(most)
			if use == "hold, collected" {
				p.SetCold()
			}
			if strings.HasSuffix(use, "deferred") {
				p.SetDeferring()
			}
			fill(p, time)
			do(p, time)
			limit := bound(most)
			if name == "one instant" || name == "two" {
				limit += uint64(n) / 4 // of ties an eighth may be stale
			}
			if p.worst > limit {
				t.Errorf("%d %s, %s: %d entries in one %s, more than %d", n, name, use, p.worst, p.in, limit)
			}
			must(t, p.Check())
		}
	}
}

// A call that applies deferred invalidations sweeps no more than the buckets of these eight, and
// one that need not know no more than one.
func TestQueuePausesOfDeferredInvalidations(t *testing.T) {
	const most, each, deferred = 500, 480, 8
	calls := []struct {
		name   string
		do     func(q *eventqueue.Queue, id eventqueue.ID)
		sweeps int
	}{
		{"Len", func(q *eventqueue.Queue, _ eventqueue.ID) { q.Len() }, deferred},
		{"Stats", func(q *eventqueue.Queue, _ eventqueue.ID) { q.Stats() }, deferred},
		{"Due", func(q *eventqueue.Queue, id eventqueue.ID) { q.Due(id) }, deferred},
		{"Schedule", func(q *eventqueue.Queue, id eventqueue.ID) { _ = q.Schedule(id, 7) }, deferred},
		{"Peek", func(q *eventqueue.Queue, _ eventqueue.ID) { q.Peek() }, deferred},
		{"Next", func(q *eventqueue.Queue, _ eventqueue.ID) { q.Next() }, deferred},
		{"Reschedule", func(q *eventqueue.Queue, id eventqueue.ID) { must(t, q.Reschedule(id, 8)) }, 1},
		{"Cancel", func(q *eventqueue.Queue, id eventqueue.ID) { q.Cancel(id) }, 1},
		{"Cancel for nothing", func(q *eventqueue.Queue, _ eventqueue.ID) { q.Cancel(9999) }, 0},
		{"Schedule of another", func(q *eventqueue.Queue, _ eventqueue.ID) { must(t, q.Schedule(9999, 50)) }, 0},
	}
	for _, call := range calls {
		q := eventqueue.New()
		q.SetMost(most)
		q.SetDeferring()
		must(t, q.Schedule(10_000, 0.5))
		at := func(bucket, i int) eventqueue.ID { return eventqueue.ID(bucket*each + i) }
		for i := range each {
			for bucket := range 12 {
				must(t, q.Schedule(at(bucket, i), float64(1+bucket)+float64(i)/1e9))
			}
		}
		q.Next() // divides them
		for bucket := range deferred {
			for i := range each / 2 {
				q.Cancel(at(2+bucket, i))
			}
		}
		q.Len()
		for bucket := range deferred - 1 { // one more of each is one too many
			q.Cancel(at(2+bucket, each-1))
		}
		last := at(1+deferred, each-1)
		must(t, q.Reschedule(last, 0.7)) // which is the first to leave now
		if q.Deferred() != deferred {
			t.Fatalf("%d invalidations are deferred", q.Deferred())
		}
		before := q.Work()
		call.do(q, last)
		if work := int(q.Work() - before); work > call.sweeps*each+1 || work < call.sweeps*each {
			t.Errorf("%s: %d entries in one call, want those of %d buckets, %d", call.name, work, call.sweeps, call.sweeps*each)
		}
		must(t, q.Check())
	}
}

// What single calls do with as many events and buckets as there are.
func TestQueuePausesOfAMillion(t *testing.T) {
	const n = 1_000_000
	exponential, _ := calendartest.ByName("exponential")
	j := calendartest.NewJumps(exponential, n, 33)
	p := &paced{Queue: eventqueue.New()}
	must(t, calendartest.Fill(p, n, j))
	must(t, calendartest.Hold(p, 10, j))
	for id := range eventqueue.ID(n) {
		if id%4 > 0 {
			p.Cancel(id)
		}
	}
	must(t, calendartest.Hold(p, 10, j))
	if p.worst > 4*eventqueue.Most {
		t.Errorf("%d entries in one %s", p.worst, p.in)
	}
}
