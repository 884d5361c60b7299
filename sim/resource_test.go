package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// check lists what must hold of a line.
func (l *queue) check() error {
	n := 0
	var ends []*rankEnd // of all ranks, in order
	for r := l.first; r != nil; r = r.next {
		n++
		switch {
		case r.queue != l || r.end == nil || r.end.rank != r.rank:
			return errors.New("a request does not know its line, or its rank's end")
		case r.prev != nil && (r.prev.rank > r.rank || r.prev.next != r || (r.prev.rank == r.rank && r.prev.since > r.since)):
			return errors.New("the line is not in order")
		case r.next == nil && l.last != r:
			return errors.New("the line does not know its last")
		}
		if r.next == nil || r.next.rank != r.rank {
			if ends = append(ends, r.end); r.end.last != r {
				return errors.New("the last of a rank is not its end")
			}
		}
	}
	all, err := l.ranks.check()
	if n == 0 && len(all) == 1 && all[0].last == nil {
		all = nil // kept for the next one
	}
	if err == nil && (n != l.length || !slices.Equal(ends, all)) {
		err = fmt.Errorf("a line of %d counts %d, with %d ranks for %d", n, l.length, len(all), len(ends))
	}
	return err
}

// check lists what must hold of a resource whenever nobody is changing it.
func (r *Resource) check() error {
	if err := r.queue.check(); err != nil {
		return err
	}
	held := 0
	for g := r.first; g != nil; g = g.next {
		if !g.held || g.lost != nil || (g.next == nil) != (g == r.last) {
			return errors.New("a grant is in the list that is not held")
		}
		held += g.n
	}
	if err := r.checkStopped(); err != nil {
		return err
	}
	switch q := r.queue.first; {
	case held != r.inUse || r.busy:
		return fmt.Errorf("%d held, %d in use", held, r.inUse)
	case float64(r.inUse) != r.usage.Value() || float64(r.queue.length) != r.queue.lengths.Value():
		return errors.New("the statistics are not what they are of")
	case q != nil && int(q.amount)+r.inUse <= r.capacity && (r.availability == nil || !r.availability.blocks(q.rank)):
		return errors.New("the first in line could be served")
	case q != nil && q.preempt > Finish && r.s.due.live == 0 && (r.availability == nil || !r.availability.blocks(q.rank)) &&
		r.couldPreempt(q):
		return errors.New("the first in line could preempt")
	}
	return nil
}

// couldPreempt reports whether enough units could be taken for a request.
func (r *Resource) couldPreempt(q *request) bool {
	units := r.free()
	for h := r.first; h != nil; h = h.next {
		if h.givesWay(q.grant, q.preempt) {
			units += h.n
		}
	}
	return units >= q.grant.n
}

// checkStopped lists what must hold of work that was stopped, and of what is at work.
func (r *Resource) checkStopped() error {
	u := r.availability
	if u == nil {
		return nil
	}
	for g := u.suspended; g != nil; g = g.next {
		switch _, due := r.s.dueAt(g.p.slot); {
		case !g.held || !g.suspended || g.lost != nil:
			return errors.New("a grant is stopped that is not held")
		case g.p.works == g && g.p.state == waiting && due:
			return errors.New("somebody works with what is not there")
		case g.next != nil && (g.next.rank < g.rank || g.next.rank == g.rank && g.next.granted.before(g.granted)):
			return errors.New("those that are stopped are not in order")
		}
	}
	if g := u.suspended; g != nil && g.n+r.inUse <= r.capacity && (r.queue.first == nil || u.blocks(r.queue.first.rank)) {
		return errors.New("work is stopped that could go on")
	}
	for g := r.first; g != nil; g = g.next {
		at := g.p != nil && g.p.works == g && g.p.state == waiting
		if at && u.rule != Finish && u.rule != Interrupt && r.inUse > r.capacity && g.canStop(u.rule) {
			return errors.New("somebody works with more than there is")
		}
		if _, due := r.s.dueAt(slotOf(g)); at && !due {
			return errors.New("somebody does not work who could")
		}
		if g.prev != nil && g.granted.before(g.prev.granted) {
			return errors.New("grants are not in the order in which they were made")
		}
	}
	for _, d := range u.byUse {
		if d.event.Pending() != (r.inUse > 0) || d.broken || d.left < -1e-9 {
			return fmt.Errorf("a breakdown by use is pending: %t, with %d in use and %g left", d.event.Pending(), r.inUse,
				d.left)
		}
	}
	if want := max(0, u.base-u.down); len(u.outages) == 0 && r.capacity != want || len(u.outages) > 0 && r.capacity != 0 {
		return fmt.Errorf("there are %d units, and should be %d but for %d outages", r.capacity, want, len(u.outages))
	}
	return nil
}

func slotOf(g *Grant) uint32 {
	if g.p == nil {
		return 0
	}
	return g.p.slot
}

// A visit is a customer of the test of resources, and what becomes of it.
type visit struct {
	at, service, patience float64
	n, rank, most         int
	preempting            bool

	outcome string
	granted float64
	left    float64
}

// The reference: at each step the earliest of the next arrival, the next departure and the next
// loss of patience.
func referenceResource(capacity int, visits []visit) {
	var line, inside []*visit
	free := capacity
	serve := func(now float64) {
		for len(line) > 0 {
			v := line[0]
			for free < v.n && v.preempting {
				// All that could be taken, the first to lose it first.
				var losers []*visit
				available := free
				for i := len(inside) - 1; i >= 0; i-- {
					if inside[i].rank > v.rank {
						losers = append(losers, inside[i])
						available += inside[i].n
					}
				}
				if available < v.n {
					break
				}
				slices.SortStableFunc(losers, func(a, b *visit) int { return b.rank - a.rank })
				loser := losers[0]
				loser.outcome, loser.left = "preempted", now
				free += loser.n
				inside = slices.DeleteFunc(inside, func(w *visit) bool { return w == loser })
			}
			if free < v.n {
				return
			}
			line = line[1:]
			free -= v.n
			v.outcome, v.granted, v.left = "served", now, now+v.service
			inside = append(inside, v)
		}
	}
	next := 0
	for next < len(visits) || len(inside) > 0 {
		at, what, who := math.Inf(1), "", (*visit)(nil)
		if next < len(visits) {
			at, what, who = visits[next].at, "arrives", &visits[next]
		}
		for _, v := range inside {
			if v.left < at {
				at, what, who = v.left, "leaves", v
			}
		}
		for _, v := range line {
			if v.at+v.patience < at {
				at, what, who = v.at+v.patience, "reneges", v
			}
		}
		isWho := func(v *visit) bool { return v == who }
		switch what {
		case "arrives":
			next++
			waiting := len(line)
			i := slices.IndexFunc(line, func(v *visit) bool { return v.rank > who.rank })
			if i < 0 {
				i = len(line)
			}
			line = slices.Insert(line, i, who)
			serve(at)
			if slices.ContainsFunc(line, isWho) && waiting >= who.most {
				line = slices.DeleteFunc(line, isWho)
				who.outcome, who.left = "balked", at
			}
		case "leaves":
			free += who.n
			inside = slices.DeleteFunc(inside, isWho)
			serve(at)
		case "reneges":
			who.outcome, who.left = "reneged", at
			line = slices.DeleteFunc(line, isWho)
			serve(at)
		}
	}
}

func TestResourceAgainstReference(t *testing.T) {
	noLeak(t)
	outcomes := map[string]int{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		capacity := 1 + r.IntN(5)
		visits := make([]visit, 200)
		now := 0.0
		for i := range visits {
			now += r.ExpFloat64() / float64(capacity)
			v := visit{at: now, service: 1.5 * r.ExpFloat64(), patience: math.Inf(1), n: 1 + r.IntN(capacity), most: math.MaxInt}
			if r.IntN(2) == 0 {
				v.rank = r.IntN(5) - 2
				v.preempting = r.IntN(3) == 0
			}
			if r.IntN(3) == 0 {
				v.patience = 10 * r.ExpFloat64()
			}
			if r.IntN(4) == 0 {
				v.most = r.IntN(10)
			}
			visits[i] = v
		}
		want := slices.Clone(visits)
		referenceResource(capacity, want)

		s := New()
		res := NewResource(s, "resource", capacity)
		counts := map[string]int{}
		for i := range visits {
			v := &visits[i]
			s.GoAt(v.at, fmt.Sprint(i), func(p *Process) {
				opts := []RequestOption{Rank(v.rank), Patience(v.patience), AtMost(v.most)}
				if v.preempting {
					opts = append(opts, Preempting(Interrupt))
				}
				err := res.Use(p, v.n, func() error {
					v.granted = p.Now()
					var in *Interrupted
					if err := p.Wait(v.service); errors.As(err, &in) && math.Abs(in.Remaining-(v.granted+v.service-p.Now())) > 1e-9 {
						t.Errorf("%g remains", in.Remaining)
					}
					return nil
				}, opts...)
				v.left = p.Now()
				switch lost := (*Preempted)(nil); {
				case err == nil:
					v.outcome = "served"
				case errors.Is(err, ErrBalked):
					v.outcome = "balked"
				case errors.Is(err, ErrReneged):
					v.outcome = "reneged"
				case errors.As(err, &lost) && lost.Since == v.granted && lost.Resource == res:
					v.outcome = "preempted"
				default:
					t.Errorf("seed %d: %v", seed, err)
				}
				counts[v.outcome]++
			})
		}
		for s.Step() {
			if err := res.check(); err != nil {
				t.Fatalf("seed %d at %g: %v", seed, s.Now(), err)
			}
		}
		if !slices.Equal(visits, want) {
			for i := range visits {
				if visits[i] != want[i] {
					t.Fatalf("seed %d: customer %d\n%+v, want\n%+v", seed, i, visits[i], want[i])
				}
			}
		}
		if res.Balked() != counts["balked"] || res.Reneged() != counts["reneged"] || res.Preempted() != counts["preempted"] ||
			int(res.Waits().N()) != counts["served"]+counts["preempted"] {
			t.Errorf("seed %d: the resource counts otherwise than %v", seed, counts)
		}
		for k, n := range counts {
			outcomes[k] += n
		}
	}
	if len(outcomes) != 4 {
		t.Errorf("only %v, so that this tests little", outcomes)
	}
}

// The mean wait of M/M/1 is ρ/(μ−λ), here 3.2. The variance of its estimate from n customers is
// ρ(2+5ρ−4ρ²+ρ³)/(1−ρ)⁴/μ²/n, which is 0.092² for ρ = 0.8 and n = 148,000; four standard errors are
// allowed.
func TestMM1(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	arrivals, services := random.New(1), random.New(2)
	desk := NewResource(s, "desk", 1)
	s.Go("source", func(p *Process) {
		for range 150_000 {
			_ = p.Wait(arrivals.Exp())
			s.Go("customer", func(p *Process) {
				_ = desk.Use(p, 1, func() error { return p.Wait(0.8 * services.Exp()) })
			})
		}
	})
	s.WarmUp(2000)
	run(t, s)
	if got := desk.Waits().Mean(); math.Abs(got-3.2) > 4*0.092 {
		t.Errorf("a mean wait of %g, want 3.2", got)
	}
	// Little's law holds up to the edges of the period.
	if l, lw := desk.Queue().Mean(), desk.Waits().Mean()*float64(desk.Waits().N())/(s.Now()-2000); math.Abs(l-lw) >
		0.01*l {
		t.Errorf("a mean queue of %g, by Little's law %g", l, lw)
	}
	// The time that 148,000 services take has a relative standard error of 1/√148,000, and so has
	// that of the arrivals.
	if got := desk.Usage().Mean(); math.Abs(got-0.8) > 4*0.8*math.Sqrt(2./148_000) {
		t.Errorf("a utilisation of %g, want 0.8", got)
	}
}

func TestResourceHeadIsNotOvertaken(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 3)
	var log []string
	ask := func(name string, n, rank int, hold float64) {
		s.Go(name, func(p *Process) {
			_ = r.Use(p, n, func() error {
				log = append(log, fmt.Sprintf("%s%g", name, p.Now()))
				return p.Wait(hold)
			}, Rank(rank))
		})
	}
	ask("a", 2, 0, 10)
	ask("big", 3, 0, 1)
	ask("small", 1, 0, 1)   // one unit is free, but big stands in front
	ask("urgent", 1, -1, 1) // goes to the head, and is served
	run(t, s)
	if got := strings.Join(log, " "); got != "a0 urgent0 big10 small11" {
		t.Error(got)
	}
}

func TestInterruptedRequestMakesWay(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 3)
	g, ok := r.TryRequest(2)
	if !ok {
		t.Fatal("not granted")
	}
	big := s.Go("big", func(p *Process) {
		var in *Interrupted
		if _, err := r.Request(p, 3); !errors.As(err, &in) || in.Cause != "closed" || p.Now() != 4 {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	small := s.Go("small", func(p *Process) {
		if g, err := r.Request(p, 1); err != nil || p.Now() != 4 || g.Units() != 1 || g.Since() != 4 || !g.Held() {
			t.Errorf("%v at %g", err, p.Now())
		}
	})
	s.At(4, func() { big.Interrupt("closed") })
	s.At(5, func() {
		g.Release()
		wantPanic(t, "released twice", g.Release)
	})
	run(t, s)
	if !small.Happened() || r.InUse() != 1 || r.Capacity() != 3 || r.Waiting() != 0 || r.Name() != "r" {
		t.Errorf("%d in use", r.InUse())
	}
	wantPanic(t, "can never be granted: its capacity is 3", func() { r.TryRequest(4) })
	wantPanic(t, "can never be granted", func() { r.TryRequest(0) })
	wantPanic(t, "needs a capacity of 0 or more, not -1", func() { NewResource(s, "x", -1) })
	wantPanic(t, "needs a capacity of 0 or more, not -1", func() { r.SetCapacity(-1) })
	wantPanic(t, "negative", func() { Patience(-1) })
	wantPanic(t, "negative", func() { AtMost(-1) })
}

func TestSetCapacity(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "shift", 0) // begins at night
	var log []string
	for i := range 4 {
		s.Go(fmt.Sprint(i), func(p *Process) {
			_ = r.Use(p, 1, func() error {
				log = append(log, fmt.Sprintf("%s@%g", p, p.Now()))
				return p.Wait(10)
			})
		})
	}
	s.At(5, func() { r.SetCapacity(3) })
	s.At(6, func() { r.SetCapacity(0) }) // nobody is sent away
	s.At(14, func() { r.TryRequest(1) })
	s.At(20, func() {
		if r.InUse() != 0 || r.Waiting() != 1 {
			t.Errorf("%d in use", r.InUse())
		}
		r.SetCapacity(1)
	})
	run(t, s)
	if got := strings.Join(log, " "); got != "0@5 1@5 2@5 3@20" {
		t.Error(got)
	}
}

func TestRequestThen(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 1)
	var log []string
	ask := func(name string, opts ...RequestOption) {
		at := false
		r.RequestThen(1, func(g *Grant, err error) {
			if !at {
				t.Error("called at once")
			}
			log = append(log, fmt.Sprintf("%s@%g:%v", name, s.Now(), err))
			if g != nil {
				s.After(4, g.Release)
			}
		}, opts...)
		at = true
	}
	s.At(1, func() {
		ask("a")
		ask("b")
		ask("c", Patience(5))
		ask("balks", AtMost(2))
		ask("d", Rank(-1), Patience(10))
		ask("e", Patience(100))
		ask("f", Until(s.Timeout(9)))
	})
	run(t, s)
	want := fmt.Sprintf("a@1:<nil> balks@1:%v d@5:<nil> c@6:%v b@9:<nil> f@10:%v e@13:<nil>", ErrBalked, ErrReneged,
		ErrWithdrawn)
	if got := strings.Join(log, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.Now() != 17 || r.Balked() != 1 || r.Reneged() != 1 || r.Withdrawn() != 1 || s.PendingEvents() != 0 {
		t.Errorf("%d balked, %d reneged until %g", r.Balked(), r.Reneged(), s.Now())
	}
}

// Long queues of different ranks keep their order when requests leave from anywhere.
func TestQueueAgainstDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		s := New()
		l := queue{s: s, lengths: s.timeWeighted(0)}
		var all []*request
		for step := range 300 {
			if rnd.IntN(5) < 3 || len(all) == 0 {
				r := &request{rank: rnd.IntN(6) - 3, since: float64(step)}
				l.join(r)
				all = append(all, r)
			} else {
				i := rnd.IntN(len(all))
				l.remove(all[i])
				all = append(all[:i], all[i+1:]...)
			}
			if err := l.check(); err != nil || l.length != len(all) {
				t.Fatalf("%v, a length of %d for %d", err, l.length, len(all))
			}
		}
	}
}

// Use gives its units back when its function panics.
func TestUseReleasesAfterPanic(t *testing.T) {
	noLeak(t)
	s := New()
	r := NewResource(s, "r", 1)
	s.Go("p", func(p *Process) {
		defer func() { _ = recover() }()
		_ = r.Use(p, 1, func() error { panic("no") })
	})
	q := s.Go("q", func(p *Process) { _ = r.Use(p, 1, func() error { return nil }) })
	run(t, s)
	if r.InUse() != 0 || !q.Happened() {
		t.Errorf("%d in use", r.InUse())
	}
}

// Utilization is the share of unit-times, also when the capacity changes, and from the last reset
// on.
func TestUtilization(t *testing.T) {
	s := New()
	r := NewResource(s, "desk", 2)
	if got := r.Utilization(); got != 0 {
		t.Errorf("%v before any time has passed", got)
	}
	g, _ := r.TryRequest(1)
	_ = s.Run(background, 10)
	if got := r.Utilization(); got != 0.5 {
		t.Errorf("1 of 2 is in use, and the share is %v", got)
	}
	r.SetCapacity(4)
	_ = s.Run(background, 20)
	if got, mean := r.Utilization(), r.Usage().Mean(); math.Abs(got-1./3) > 1e-15 || mean != 1 { // 20 of 20 + 40
		t.Errorf("the share is %v, of %v units", got, mean)
	}
	s.ResetStatistics()
	_ = s.Run(background, 30)
	if got := r.Utilization(); got != 0.25 {
		t.Errorf("the share is %v after a reset", got)
	}
	g.Release()
	if none := NewResource(s, "none", 0); !math.IsNaN(none.Utilization()) {
		t.Errorf("a share of nothing is %v", none.Utilization())
	}
	if row, ok := s.Report().Row("desk utilisation"); !ok || row.Mean != 0.25 || !row.TimeWeighted || row.Time != 10 {
		t.Errorf("the report has %+v for the share of 1 of 4 in 10 units of time", row)
	}
	if rows := len(s.Report().Rows); rows != 8 {
		t.Errorf("%d rows in the report of two resources", rows)
	}
}

// An interrupt of a wait inside Use comes out of it, and so does any other error; that of the
// request is told from it.
func TestUseReturnsTheErrorOfItsFunction(t *testing.T) {
	s := New()
	desk := NewResource(s, "desk", 1)
	odd := errors.New("odd")
	p := s.Go("p", func(p *Process) {
		err := desk.Use(p, 1, func() error { return p.Wait(10) })
		if i, ok := errors.AsType[*Interrupted](err); !ok || i.Remaining != 7 || p.Now() != 3 {
			t.Errorf("the wait was interrupted at 3, and Use returned %v at %g", err, p.Now())
		}
		if err := desk.Use(p, 1, func() error { return odd }); !errors.Is(err, odd) {
			t.Errorf("the function returned an error, and Use %v", err)
		}
		if desk.InUse() != 0 {
			t.Error("the units are still held")
		}
	})
	s.At(3, func() { p.Interrupt("fire") })
	run(t, s)
}

// Units that are taken away are told of by the wait that it ended, with what was left, or else by
// Use itself.
func TestUseTellsOfPreemption(t *testing.T) {
	for name, f := range map[string]func(p *Process) error{
		"the wait is returned": func(p *Process) error { return p.Wait(10) },
		"the wait is ignored":  func(p *Process) error { _ = p.Wait(10); return nil },
	} {
		s := New()
		desk := NewResource(s, "desk", 1)
		s.Go("low", func(p *Process) {
			err := desk.Use(p, 1, func() error { return f(p) }, Rank(1))
			if lost, ok := errors.AsType[*Preempted](err); !ok || lost.By.Name() != "high" {
				t.Errorf("%s: %v", name, err)
			}
			if left := Remaining(err); left != 0 && name == "the wait is ignored" || left != 6 &&
				name == "the wait is returned" {
				t.Errorf("%s: %g is left", name, left)
			}
		})
		s.GoAt(4, "high", func(p *Process) { _ = desk.Use(p, 1, func() error { return p.Wait(1) }, Preempting(Interrupt)) })
		run(t, s)
	}
}

func TestShortestQueue(t *testing.T) {
	s := New()
	defer s.Close()
	a, b, c := NewResource(s, "a", 1), NewResource(s, "b", 2), NewResource(s, "c", 1)
	hold := func(r *Resource, n int) {
		for range n {
			s.Go("holder", func(p *Process) { _ = r.Use(p, 1, func() error { return p.Wait(100) }) })
		}
		_ = s.Run(background, s.Now())
	}
	for i, want := range []*Resource{b, a, b, c, a} {
		if got := ShortestQueue(a, b, c); got != want {
			t.Errorf("step %d: %s, want %s", i, got.Name(), want.Name())
		}
		hold(want, 1)
	}
	hold(b, 2) // now one waits at a, and two at b
	if got := ShortestQueue(a, b, c); got != c {
		t.Errorf("%s, where %d wait", got.Name(), got.Waiting())
	}
	wantPanic(t, "at least one", func() { ShortestQueue() })
}
