package sim_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/sim"
)

// Customers of all ranks come to a resource, some of whom preempt, renege, balk, are interrupted or
// change the capacity, and some leave it to an event or another process to release what they hold.
// After every event no more is in use than there is room for, nobody waits who could be served, and
// at the end nothing is missing: all units are back, and the areas under the levels are the sums of
// what the customers saw.
func TestUnitsAreConserved(t *testing.T) {
	unusual, ties := 0, 0
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := sim.New(sim.Seed(seed))
			defer s.Close()
			random := s.Stream("all")
			most := 1 + random.IntN(4)
			desk := sim.NewResource(s, "desk", most)
			desk.Keep(sim.Thinned(2 + random.IntN(400)))
			desk.KeepHoldings(1000)
			single := seed%2 == 0 // each asks for one unit, so that who waits could be served if any is free
			shrinks := seed%3 == 0
			var held, waited float64 // unit-times and times
			var got, balked, reneged, preempted int
			var grants []*sim.Grant
			for range 300 {
				units := 1
				if !single {
					units = 1 + random.IntN(most)
				}
				asking := false
				p := s.GoAt(float64(random.IntN(200)), "customer", func(p *sim.Process) {
					came := p.Now()
					asking = true
					grant, err := desk.Request(p, units, someOptions(random, true)...)
					asking = false
					waited += p.Now() - came
					switch {
					case errors.Is(err, sim.ErrBalked):
						balked++
					case errors.Is(err, sim.ErrReneged):
						reneged++
					case lostAtOnce(err):
						got++
						preempted++
					case err == nil:
						got++
						grants = append(grants, grant)
						takes, by := float64(random.IntN(5)), random.IntN(3)
						switch by {
						case 1:
							s.After(takes, grant.Release)
						case 2:
							s.GoAfter(takes, "colleague", func(*sim.Process) { grant.Release() })
						}
						err := p.Wait(takes)
						if by == 0 {
							grant.Release()
							if lost := grant.Lost() != nil; lost && !lostAtOnce(err) && !interruptedAnyhow(err) {
								t.Errorf("units are lost, and the wait returned %v", err)
							}
						}
						if lost := grant.Lost() != nil; !lost && lostAtOnce(err) {
							t.Errorf("nothing is lost, and the wait returned %v", err)
						}
					}
				})
				if random.IntN(5) == 0 {
					s.At(float64(random.IntN(220)), func() {
						s.After(0, func() { // after others have released theirs
							if asking && p.Status() == "is about to have its turn" {
								got++ // and it gives it back, without knowing
								ties++
							}
							p.Interrupt("anyhow")
						})
					})
				}
			}
			if shrinks {
				for at := 10.0; at < 300; at += 30 {
					s.At(at, func() { desk.SetCapacity(random.IntN(most + 1)) })
				}
				s.At(301, func() { desk.SetCapacity(most) })
			}
			for s.Step() {
				grants = slices.DeleteFunc(grants, func(g *sim.Grant) bool {
					if g.Held() {
						return false
					}
					if lost := g.Lost() != nil; lost {
						preempted++
					}
					held += float64(g.Units()) * (s.Now() - g.Since())
					return true
				})
				if desk.InUse() < 0 || (desk.InUse() > desk.Capacity() && !shrinks) || desk.InUse() > most {
					t.Fatalf("at %v, %d of %d units are in use", s.Now(), desk.InUse(), desk.Capacity())
				}
				if single && desk.Waiting() > 0 && desk.InUse() < desk.Capacity() {
					t.Fatalf("at %v, %d wait while %d of %d units are in use", s.Now(), desk.Waiting(), desk.InUse(), desk.Capacity())
				}
			}
			if desk.InUse() != 0 || desk.Waiting() != 0 || s.Processes() != 0 {
				t.Errorf("at the end %d units are in use, %d wait, and %d processes live", desk.InUse(), desk.Waiting(),
					s.Processes())
			}
			if desk.Balked() != balked || desk.Reneged() != reneged || desk.Preempted() != preempted || int(desk.Waits().N()) !=
				got {
				t.Errorf("%d balked, %d reneged, %d were preempted and %d granted, but customers saw %d, %d, %d and %d",
					desk.Balked(), desk.Reneged(), desk.Preempted(), desk.Waits().N(), balked, reneged, preempted, got)
			}
			for what, pair := range map[string][2]float64{
				"held":   {desk.Usage().Mean() * desk.Usage().Observed(), held},
				"waited": {desk.Queue().Mean() * desk.Queue().Observed(), waited},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-6 {
					t.Errorf("%s: the resource has %v, and customers saw %v", what, pair[0], pair[1])
				}
			}
			checkKept(t, desk, held, waited)
			unusual += min(preempted, reneged, balked)
		})
	}
	if unusual == 0 || ties == 0 {
		t.Errorf("there was never one of each: preempted, reneged and balked; and %d were interrupted when they had just "+
			"been granted something", ties)
	}
}

// checkKept compares what a resource has kept with what customers saw, in unit-times and times.
func checkKept(t *testing.T, desk *sim.Resource, held, waited float64) {
	t.Helper()
	usage, _ := desk.Usage().TimeSeries()
	queue, _ := desk.Queue().TimeSeries()
	waits, _ := desk.Waits().Observations()
	sum, waitSum := 0.0, 0.0
	holdings, missed := desk.Holdings()
	lost := 0
	for _, h := range holdings {
		sum += float64(h.Units) * (h.To - h.From)
		if h.TakenAway {
			lost++
		}
	}
	for _, o := range waits.Entries {
		waitSum += o.Mean * float64(o.N)
	}
	for what, pair := range map[string][2]float64{
		"held, by the course":         {usage.Integral(usage.Start, usage.End), held},
		"held, by holdings":           {sum, held},
		"waited, by the course":       {queue.Integral(queue.Start, queue.End), waited},
		"granted, by holdings":        {float64(len(holdings)), float64(waits.N)},
		"lost, by holdings":           {float64(lost), float64(desk.Preempted())},
		"missed":                      {float64(missed), 0},
		"waited, of those who got it": {waitSum, desk.Waits().Sum()},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-6 {
			t.Errorf("%s: %v was kept, and should be %v", what, pair[0], pair[1])
		}
	}
}

// someOptions of a request, often none.
func someOptions(random *rand.Rand, preempting bool) (opts []sim.RequestOption) {
	opts = append(opts, sim.Rank(random.IntN(4)))
	if random.IntN(3) == 0 && preempting {
		opts = append(opts, sim.Preempting(sim.Interrupt))
	}
	if random.IntN(4) == 0 {
		opts = append(opts, sim.Patience(float64(random.IntN(20))))
	}
	if random.IntN(6) == 0 {
		opts = append(opts, sim.AtMost(random.IntN(6)))
	}
	return opts
}

// Things that are put into a store come out once each or stay, and nobody waits for what is there.
func TestThingsAreConserved(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := sim.New(sim.Seed(seed))
			defer s.Close()
			random := s.Stream("all")
			capacity := []int{0, 1, 2, 3, sim.Unlimited}[random.IntN(5)]
			store := sim.NewStore[int](s, "store", capacity)
			choosy := seed%2 == 0
			put, out := map[int]bool{}, map[int]bool{}
			for i := range 300 {
				putter := s.GoAt(float64(random.IntN(100)), "putter", func(p *sim.Process) {
					put[i] = store.Put(p, i, someOptions(random, false)...) == nil
				})
				getter := s.GoAt(float64(random.IntN(100)), "getter", func(p *sim.Process) {
					var wanted func(int) bool
					if choosy && random.IntN(2) == 0 {
						wanted = func(x int) bool { return x%3 == i%3 }
					}
					x, err := store.GetWhere(p, wanted, someOptions(random, false)...)
					switch {
					case err != nil:
					case out[x]:
						t.Errorf("%d came out twice", x)
					case wanted != nil && !wanted(x):
						t.Errorf("%d came out, and was not wanted", x)
					default:
						out[x] = true
					}
				})
				if random.IntN(8) == 0 {
					s.At(float64(random.IntN(120)), func() { putter.Interrupt("anyhow"); getter.Interrupt("anyhow") })
				}
			}
			for s.Step() {
				if capacity > 0 && (store.Len() > capacity || store.Putting() > 0 && store.Len() < capacity) {
					t.Fatalf("at %v, %d of %d are in the store, and %d wait for room", s.Now(), store.Len(), capacity, store.Putting())
				}
				if !choosy && store.Getting() > 0 && store.Len() > 0 {
					t.Fatalf("at %v, %d wait for one of %d things", s.Now(), store.Getting(), store.Len())
				}
			}
			for _, x := range store.Items() {
				if out[x] {
					t.Errorf("%d came out, and is still there", x)
				}
				out[x] = true
			}
			for i, there := range put {
				if there != out[i] {
					t.Errorf("%d: put %v, out or still there %v", i, there, out[i])
				}
			}
		})
	}
}

// What is put into a container is what comes out and what is left, and nobody waits who could go
// on.
func TestAmountsAreConserved(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := sim.New(sim.Seed(seed))
			defer s.Close()
			random := s.Stream("all")
			capacity := float64(5 + random.IntN(5))
			tank := sim.NewContainer(s, "tank", capacity, 3)
			same := seed%2 == 0 // all amounts are 2, so that it can be told who could go on
			balance := 3.0
			for i := range 400 {
				amount := 2.0
				if !same {
					amount = float64(random.IntN(6))
				}
				p := s.GoAt(float64(random.IntN(100)), "user", func(p *sim.Process) {
					if i%2 == 0 {
						if tank.Put(p, amount, someOptions(random, false)...) == nil {
							balance += amount
						}
					} else if tank.Get(p, amount, someOptions(random, false)...) == nil {
						balance -= amount
					}
				})
				if random.IntN(8) == 0 {
					s.At(float64(random.IntN(120)), func() { p.Interrupt("anyhow") })
				}
			}
			for s.Step() {
				if !(tank.Amount() >= 0 && tank.Amount() <= capacity) {
					t.Fatalf("at %v, there is %v in the tank", s.Now(), tank.Amount())
				}
				if same && (tank.Getting() > 0 && tank.Amount() >= 2 || tank.Putting() > 0 && tank.Amount()+2 <= capacity) {
					t.Fatalf("at %v, with %v in the tank %d wait to get and %d to put", s.Now(), tank.Amount(), tank.Getting(),
						tank.Putting())
				}
			}
			if balance != tank.Amount() {
				t.Errorf("%v is left, but should be %v", tank.Amount(), balance)
			}
		})
	}
}

// lostAtOnce tells whether a request was granted, and the units taken away again in the same
// instant.
func lostAtOnce(err error) bool {
	_, lost := errors.AsType[*sim.Preempted](err)
	return lost
}

// interruptedAnyhow tells whether a wait was interrupted for another reason than a loss.
func interruptedAnyhow(err error) bool {
	i, ok := errors.AsType[*sim.Interrupted](err)
	return ok && i.Cause == "anyhow"
}

// A market is two resources, a store and a container, and customers who ask for several things at
// once, of any and of all, with signals and limits of time among them, while others preempt,
// interrupt, change capacities, ask by events and cancel: all at the same few instants. It keeps
// the books that the customers would.
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

// A wish is a request, and what to do when it has come.
type wish struct {
	sim.Waitable
	came func()
}

func (m *market) wish(p *sim.Process) wish {
	opts := []sim.RankOption{sim.Rank(m.random.IntN(4))}
	if m.random.IntN(3) == 0 {
		opts = append(opts, sim.Preempting(sim.Interrupt))
	}
	switch k := m.random.IntN(8); k {
	case 0:
		m.things++
		return wish{m.store.NewPutRequest(p, m.things, opts[0]), func() { m.stock++ }}
	case 1:
		return wish{m.store.NewGetRequest(p, opts[0]), func() { m.stock-- }}
	case 2:
		return wish{m.tank.NewPutRequest(p, 2, opts[0]), func() { m.amount += 2 }}
	case 3:
		return wish{m.tank.NewGetRequest(p, 2, opts[0]), func() { m.amount -= 2 }}
	default:
		r := m.desks[k%2].NewRequest(p, 1, opts...)
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
			w = sim.AnyOf(sim.AllOf(wishes[0].Waitable, wishes[1].Waitable), wishes[2].Waitable,
				m.Timeout(float64(m.random.IntN(4))))
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
		ticket = m.desks[m.random.IntN(2)].RequestThen(1, func(g *sim.Grant, _ error) {
			if g != nil {
				m.take(g)
			}
		}, opts...)
	}
	if m.random.IntN(2) == 0 {
		m.After(float64(m.random.IntN(3)), func() { ticket.Cancel() })
	}
}

// Whatever is requested together: nobody waits who could be served, all units come back, the areas
// under the levels are what customers held, or more where some went back because the rest did not
// come, and what is in the store and the container is what was put in and not taken out.
func TestJointRequestsAreConserved(t *testing.T) {
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
			m.t.Fatalf("seed %d: at %v, %d wait while %d of %d units are in use", seed, m.Now(), r.Waiting(), r.InUse(),
				r.Capacity())
		}
	}
	if m.store.Getting() > 0 && m.store.Len() > 0 || m.store.Putting() > 0 && m.store.Len() < 2 {
		m.t.Fatalf("seed %d: at %v, with %d things %d wait to get one and %d to put one", seed, m.Now(), m.store.Len(),
			m.store.Getting(), m.store.Putting())
	}
	if m.tank.Getting() > 0 && m.tank.Amount() >= 2 || m.tank.Putting() > 0 && m.tank.Amount() <= 6 {
		m.t.Fatalf("seed %d: at %v, with %v in the tank %d wait to get and %d to put", seed, m.Now(), m.tank.Amount(),
			m.tank.Getting(), m.tank.Putting())
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
		m.t.Errorf("%s: there are %d things and %v in the tank; it should be %d and %v", name, m.store.Len(), m.tank.Amount(),
			m.stock, m.amount)
	}
}
