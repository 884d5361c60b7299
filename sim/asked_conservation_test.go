package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// A market is two resources, a store and a container, and customers who ask for several things at once, of any and of all, with signals
// and limits of time among them, while others preempt, interrupt, change capacities, ask by events and cancel: all at the same
// few instants. It keeps the books that the customers would.
type market struct {
	*sim.Simulation
	t      *testing.T
	random *rand.Rand
	desks  []*sim.Resource
	store  *sim.Store[int]
	tank   *sim.Container
	bells  []*sim.Signal

	stock   int     // things put in minus things got
	amount  float64 // what should be in the tank
	held    float64 // unit-times
	open    map[*sim.Grant]bool
	granted int // to customers who know of it
	things  int // numbers of things so far
}

// A wish is something asked for, and what to do when it has come.
type wish struct {
	sim.Waitable
	came func()
}

func (m *market) wish(p *sim.Process) wish {
	opts := []sim.RequestOption{sim.Rank(m.random.IntN(4))}
	if m.random.IntN(3) == 0 {
		opts = append(opts, sim.Preempting())
	}
	switch k := m.random.IntN(8); k {
	case 0:
		m.things++
		return wish{m.store.PutRequested(p, m.things, opts...), func() { m.stock++ }}
	case 1:
		return wish{m.store.GetRequested(p, opts...), func() { m.stock-- }}
	case 2:
		return wish{m.tank.PutRequested(p, 2, opts...), func() { m.amount += 2 }}
	case 3:
		return wish{m.tank.GetRequested(p, 2, opts...), func() { m.amount -= 2 }}
	default:
		r := m.desks[k%2].Requested(p, 1, opts...)
		return wish{r, func() { m.take(r.Grant()) }}
	}
}

// take notes a grant, and has it released later by an event.
func (m *market) take(g *sim.Grant) {
	m.open[g] = true
	m.granted++
	m.After(float64(m.random.IntN(4)), g.Release)
}

func (m *market) customer(p *sim.Process) {
	for range 1 + m.random.IntN(3) {
		wishes := []wish{m.wish(p), m.wish(p), m.wish(p)}
		var w sim.Waitable
		bell := m.bells[m.random.IntN(len(m.bells))]
		switch m.random.IntN(4) {
		case 0:
			w = sim.AnyOf(wishes[0].Waitable, wishes[1].Waitable, wishes[2].Waitable, bell)
		case 1:
			w = sim.AllOf(wishes[0].Waitable, wishes[1].Waitable, wishes[2].Waitable)
		case 2:
			w = sim.AnyOf(sim.AllOf(wishes[0].Waitable, wishes[1].Waitable), wishes[2].Waitable, m.Timeout(float64(m.random.IntN(4))))
		case 3:
			w = sim.AllOf(sim.AnyOf(wishes[0].Waitable, bell), sim.AnyOf(wishes[1].Waitable, wishes[2].Waitable))
		}
		_, _ = p.WaitForWithin(w, float64(m.random.IntN(6)))
		for _, x := range wishes {
			if x.Happened() {
				x.came()
			}
		}
		_ = p.Wait(float64(m.random.IntN(2)))
	}
}

// event asks for something by an event, and may cancel it.
func (m *market) event() {
	opts := []sim.RequestOption{sim.Rank(m.random.IntN(4))}
	if m.random.IntN(2) == 0 {
		opts = append(opts, sim.Patience(float64(m.random.IntN(4))), sim.Until(m.bells[m.random.IntN(len(m.bells))]))
	}
	then := func(f func()) func(error) {
		return func(err error) {
			if err == nil {
				f()
			}
		}
	}
	var ticket sim.Ticket
	switch m.random.IntN(5) {
	case 0:
		m.things++
		ticket = m.store.PutThen(m.things, then(func() { m.stock++ }), opts...)
	case 1:
		ticket = m.store.GetThen(func(_ int, err error) { then(func() { m.stock-- })(err) }, opts...)
	case 2:
		ticket = m.tank.PutThen(2, then(func() { m.amount += 2 }), opts...)
	case 3:
		ticket = m.tank.GetThen(2, then(func() { m.amount -= 2 }), opts...)
	case 4:
		ticket = m.desks[m.random.IntN(2)].RequestThen(1, func(g *sim.Grant) {
			if g != nil {
				m.take(g)
			}
		}, opts...)
	}
	if m.random.IntN(2) == 0 {
		m.After(float64(m.random.IntN(3)), func() { ticket.Cancel() })
	}
}

// Whatever is asked for together: nobody waits who could be served, all units come back, the areas under the levels are what customers
// held, and what is in the store and the container is what was put in and not taken out.
func TestWhatIsAskedForTogetherIsConserved(t *testing.T) {
	preempted, withdrawn, reneged := 0, 0, 0
	for seed := range uint64(60) {
		s := sim.New(sim.Seed(seed))
		m := &market{Simulation: s, t: t, random: s.Stream("all"), open: map[*sim.Grant]bool{}, amount: 4}
		m.desks = []*sim.Resource{sim.NewResource(s, "desk", 1), sim.NewResource(s, "counter", 2)}
		m.store, m.tank = sim.NewStore[int](s, "store", 2), sim.NewContainer(s, "tank", 8, 4)
		m.bells = []*sim.Signal{s.Signal("bell"), s.Signal("bell")}
		s.Every(3, 5, func() {
			i := m.random.IntN(len(m.bells))
			m.bells[i].Trigger()
			m.bells[i] = s.Signal("bell")
			m.desks[1].SetCapacity(m.random.IntN(3))
		})
		for range 80 {
			p := s.GoAt(float64(m.random.IntN(50)), "customer", m.customer)
			if m.random.IntN(3) == 0 {
				s.At(float64(m.random.IntN(55)), func() { p.Interrupt("anyhow") })
			}
			s.At(float64(m.random.IntN(50)), m.event)
		}
		for s.Now() < 200 && s.Step() {
			for g := range m.open {
				if !g.Held() {
					m.held += float64(g.Units()) * (s.Now() - g.Since())
					delete(m.open, g)
				}
			}
			m.check(seed)
		}
		m.finish(seed)
		for _, r := range m.desks {
			preempted, withdrawn, reneged = preempted+r.Preempted(), withdrawn+r.Withdrawn(), reneged+r.Reneged()
		}
		s.Close()
	}
	if min(preempted, withdrawn, reneged) < 100 {
		t.Errorf("only %d were preempted, %d withdrawn, %d reneged: this tests little", preempted, withdrawn, reneged)
	}
}

// check looks for those who wait and could be served.
func (m *market) check(seed uint64) {
	for _, r := range m.desks {
		if r.Waiting() > 0 && r.InUse() < r.Capacity() {
			m.t.Fatalf("seed %d: at %v, %d wait while %d of %d units are in use", seed, m.Now(), r.Waiting(), r.InUse(), r.Capacity())
		}
	}
	if m.store.Getting() > 0 && m.store.Len() > 0 || m.store.Putting() > 0 && m.store.Len() < 2 {
		m.t.Fatalf("seed %d: at %v, with %d things %d wait to get one and %d to put one", seed, m.Now(), m.store.Len(), m.store.Getting(), m.store.Putting())
	}
	if m.tank.Getting() > 0 && m.tank.Amount() >= 2 || m.tank.Putting() > 0 && m.tank.Amount() <= 6 {
		m.t.Fatalf("seed %d: at %v, with %v in the tank %d wait to get and %d to put", seed, m.Now(), m.tank.Amount(), m.tank.Getting(), m.tank.Putting())
	}
}

// finish balances the books. What is in line still are requests by events without an end.
func (m *market) finish(seed uint64) {
	name := fmt.Sprint("seed ", seed)
	if m.Processes() != 0 {
		m.t.Errorf("%s: %d processes are left", name, m.Processes())
	}
	area, n := 0.0, 0
	for _, r := range m.desks {
		area += r.Usage().Mean() * r.Usage().Observed()
		n += int(r.Waits().N())
		if r.InUse() != 0 {
			m.t.Errorf("%s: %d units of %s are in use", name, r.InUse(), r.Name())
		}
	}
	if math.Abs(area-m.held) > 1e-9 && n == m.granted || area < m.held-1e-9 {
		m.t.Errorf("%s: units were in use for %v, and customers held them for %v", name, area, m.held)
	}
	if m.store.Len() != m.stock || m.tank.Amount() != m.amount {
		m.t.Errorf("%s: there are %d things and %v in the tank; it should be %d and %v", name, m.store.Len(), m.tank.Amount(), m.stock, m.amount)
	}
}
