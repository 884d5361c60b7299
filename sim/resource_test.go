package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// check lists what must hold of a line.
func (l *line) check() error {
	n := 0
	var ends []*rankEnd // of all ranks, in order
	for r := l.first; r != nil; r = r.next {
		n++
		switch {
		case r.line != l || r.end == nil || r.end.rank != r.rank:
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
	if err := r.line.check(); err != nil {
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
	switch q := r.line.first; {
	case held != r.inUse || r.busy:
		return fmt.Errorf("%d held, %d in use", held, r.inUse)
	case float64(r.inUse) != r.usage.Value() || float64(r.line.length) != r.line.queue.Value():
		return errors.New("the statistics are not what they are of")
	case q != nil && int(q.amount)+r.inUse <= r.capacity && (r.upkeep == nil || !r.upkeep.stops(q.rank)):
		return errors.New("the first in line could be served")
	}
	return nil
}

// checkStopped lists what must hold of work that was stopped, and of what is at work.
func (r *Resource) checkStopped() error {
	u := r.upkeep
	if u == nil {
		return nil
	}
	for g := u.stopped; g != nil; g = g.next {
		switch _, due := r.s.dueAt(g.p.slot); {
		case !g.held || !g.stopped || g.lost != nil:
			return errors.New("a grant is stopped that is not held")
		case g.p.works == g && g.p.state == waiting && due:
			return errors.New("somebody works with what is not there")
		case g.next != nil && (g.next.rank < g.rank || g.next.rank == g.rank && g.next.since < g.since):
			return errors.New("those that are stopped are not in order")
		}
	}
	if g := u.stopped; g != nil && g.n+r.inUse <= r.capacity && (r.line.first == nil || u.stops(r.line.first.rank)) {
		return errors.New("work is stopped that could go on")
	}
	for g := r.first; g != nil; g = g.next {
		at := g.p != nil && g.p.works == g && g.p.state == waiting
		if at && u.rule != Finish && u.rule != ThrowOut && r.inUse > r.capacity && g.canStop(u.rule) {
			return errors.New("somebody works with more than there is")
		}
		if _, due := r.s.dueAt(slotOf(g)); at && !due {
			return errors.New("somebody does not work who could")
		}
		if g.prev != nil && g.prev.since > g.since {
			return errors.New("grants are not in the order in which they were made")
		}
	}
	for _, d := range u.wearing {
		if d.event.Pending() != (r.inUse > 0) || d.broken || d.left < -1e-9 {
			return fmt.Errorf("a breakdown by use is pending: %t, with %d in use and %g left", d.event.Pending(), r.inUse, d.left)
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

// The reference: at each step the earliest of the next arrival, the next departure and the next loss of patience.
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
					opts = append(opts, Preempting())
				}
				err := res.Use(p, v.n, func() {
					v.granted = p.Now()
					var in *Interrupted
					if err := p.Wait(v.service); errors.As(err, &in) && math.Abs(in.Remaining-(v.granted+v.service-p.Now())) > 1e-9 {
						t.Errorf("%g remains", in.Remaining)
					}
				}, opts...)
				v.left = p.Now()
				switch lost := (Preempted{}); {
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

// The mean wait of M/M/1 is ρ/(μ−λ), here 3.2. The variance of its estimate from n customers is ρ(2+5ρ−4ρ²+ρ³)/(1−ρ)⁴/μ²/n,
// which is 0.092² for ρ = 0.8 and n = 148,000; four standard errors are allowed.
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
				_ = desk.Use(p, 1, func() { _ = p.Wait(0.8 * services.Exp()) })
			})
		}
	})
	s.WarmUp(2000)
	run(t, s)
	if got := desk.Waits().Mean(); math.Abs(got-3.2) > 4*0.092 {
		t.Errorf("a mean wait of %g, want 3.2", got)
	}
	// Little's law holds up to the edges of the period.
	if l, lw := desk.Queue().Mean(), desk.Waits().Mean()*float64(desk.Waits().N())/(s.Now()-2000); math.Abs(l-lw) > 0.01*l {
		t.Errorf("a mean queue of %g, by Little's law %g", l, lw)
	}
	// The time that 148,000 services take has a relative standard error of 1/√148,000, and so has that of the arrivals.
	if got := desk.Usage().Mean(); math.Abs(got-0.8) > 4*0.8*math.Sqrt(2./148_000) {
		t.Errorf("a utilisation of %g, want 0.8", got)
	}
}
