package sim

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/sim/trace"
)

// What coroutines need of iter.Pull: next and yield change places with the caller,
// whichever goroutine calls, as long as they are called by turns. Three goroutines go on in an
// order in which none ever gives the turn back to the one that it has it from.
func TestCoroutinesSwapGoroutines(t *testing.T) {
	noLeak(t)
	const a, b, here = 0, 1, 2
	var coroutines [2]coroutine
	places := [3]*coroutine{a: &coroutines[a], b: &coroutines[b]}
	var log []int
	var relay *coroutine
	change := func(me int, at *coroutine) {
		places[me] = at
		for at.swap(); relay != nil; places[me].swap() {
			places[me], relay = relay, nil
		}
	}
	body := func(me, other int) func(func(struct{}) bool) {
		return func(yield func(struct{}) bool) {
			coroutines[me].yield = yield
			for range 3 {
				log = append(log, me)
				change(me, places[other])
			}
			log = append(log, me+10)
		}
	}
	coroutines[a].next, _ = iter.Pull(body(a, b))
	coroutines[b].next, _ = iter.Pull(body(b, here))
	for range 3 {
		log = append(log, here)
		change(here, places[a])
	}
	for _, x := range []int{a, b} { // when one ends, who stands at its own coroutine goes on
		if places[x] != &coroutines[x] {
			relay = places[x]
		}
		places[here] = &coroutines[x]
		coroutines[x].swap()
	}
	if want := []int{here, a, b, here, a, b, here, a, b, 10, 11}; !slices.Equal(log, want) {
		t.Errorf("the turns were of %v, not of %v", log, want)
	}
}

// checkCoroutines lists what must hold between two runs: nobody stands where another does.
func checkCoroutines(s *Simulation) error {
	var errs []error
	at := map[*coroutine]string{}
	stand := func(who string, place *coroutine) {
		if other, taken := at[place]; taken || place == nil {
			errs = append(errs, fmt.Errorf("%s stands at %p, as does %q", who, place, other))
		}
		at[place] = who
	}
	for _, p := range s.Live() {
		if p.state != notStarted {
			stand(p.Name(), p.co)
		}
	}
	for i, w := range s.idle {
		stand(fmt.Sprintf("idle %d", i), w.co)
	}
	if s.handed != 0 || s.relocateTo != nil || s.leaving != nil {
		errs = append(errs, fmt.Errorf("handed %d, relay %p, leaving %p are left", s.handed, s.relocateTo, s.leaving))
	}
	return errors.Join(errs...)
}

// A mill is a model in which processes and events of all kinds come between each other, and
// everything that happens is noted.
type mill struct {
	s   *Simulation
	r   *rand.Rand
	log []string
}

func newMill(seed uint64, opts ...Option) *mill {
	m := &mill{s: New(opts...), r: rand.New(rand.NewPCG(seed, 1))}
	desk := NewResource(m.s, "desk", 2)
	m.s.Every(0, 0.7, func() { m.note("event") })
	m.s.Go("source", func(p *Process) {
		for i := range 400 {
			_ = p.Wait(float64(m.r.IntN(8)) / 8) // so that many come together
			m.s.Go(fmt.Sprint("guest ", i), func(p *Process) { m.visit(p, desk) })
			if i%5 == 0 {
				m.s.After(float64(m.r.IntN(3)), func() { m.note("errand") })
			}
		}
	})
	return m
}

func (m *mill) note(what string) {
	who := "nobody"
	if p := m.s.Current(); p != nil {
		who = p.Name()
	}
	m.log = append(m.log, fmt.Sprintf("%g %s: %s", m.s.Now(), who, what))
}

func (m *mill) visit(p *Process, desk *Resource) {
	m.note("comes")
	if m.r.IntN(3) == 0 {
		return // without a wait
	}
	err := desk.Use(p, 1, func() error {
		m.note("is served")
		return p.Wait(m.r.Float64())
	}, Patience(float64(m.r.IntN(4))))
	m.note(fmt.Sprint("leaves: ", err))
	for m.r.IntN(4) > 0 {
		_ = p.Wait(0)
		m.note("lingers")
	}
}

// Who gives the turn to whom, and on which stack what is next is looked for, makes no difference:
// what Step and a trace have dispatched one by one, and runs that are short, or are cut off
// anywhere, is what one long run does.
func TestTurnsDoNotDependOnWhoGivesThem(t *testing.T) {
	noLeak(t)
	const end = 250
	ways := map[string]func(m *mill){
		"Step": func(m *mill) {
			for at, ok := m.s.Peek(); ok && at <= end; at, ok = m.s.Peek() {
				m.s.Step()
			}
		},
		"short runs": func(m *mill) {
			for m.s.Now() < end {
				_ = m.s.Run(background, min(end, m.s.Now()+0.3))
				if err := checkCoroutines(m.s); err != nil {
					t.Fatal(err)
				}
			}
		},
		"cut off": func(m *mill) {
			for m.s.Run(patienceOf(1), end) != nil {
				if err := checkCoroutines(m.s); err != nil {
					t.Fatal(err)
				}
			}
		},
		"both by turns": func(m *mill) {
			for at, ok := m.s.Peek(); ok && at <= end; at, ok = m.s.Peek() {
				m.s.Step()
				_ = m.s.Run(background, m.s.Now())
			}
		},
	}
	for seed := range uint64(3) {
		want := newMill(seed)
		_ = want.s.Run(background, end)
		want.s.Close()
		if len(want.log) < 1000 {
			t.Fatalf("only %d things happened", len(want.log))
		}
		for name, way := range ways {
			m := newMill(seed)
			way(m)
			if !slices.Equal(m.log, want.log) || m.s.Events() != want.s.Events() {
				t.Errorf("seed %d, %s: %d things and %d events are not what a run has, %d and %d", seed, name, len(m.log),
					m.s.Events(),
					len(want.log), want.s.Events())
			}
			m.s.Close()
		}
		traced := newMill(seed, TraceTo(func(trace.Record) {}))
		if _ = traced.s.Run(background, end); !slices.Equal(traced.log, want.log) {
			t.Errorf("seed %d: a trace changes what happens", seed)
		}
		traced.s.Close()
	}
}

// When those who stand at each other's coroutines end, by a return, a panic or runtime.Goexit, each
// time it is the goroutine that dispatches that goes on, and the others stay as they are.
func TestProcessesEndAtCoroutinesOfOthers(t *testing.T) {
	noLeak(t)
	for seed := range uint64(20) {
		s := New()
		r := rand.New(rand.NewPCG(seed, 2))
		turns, panics, exits := 0, 0, 0
		for i := range 50 {
			s.Go(fmt.Sprint(i), func(p *Process) {
				for p.Wait(r.Float64()) == nil {
					if turns++; s.Current() != p {
						t.Errorf("process %v goes on in the turn of %v", p, s.Current())
					}
					switch r.IntN(100) {
					case 0:
						panics++
						panic(i)
					case 1:
						exits++
						runtime.Goexit()
					case 2:
						return
					}
				}
			})
		}
		gotPanics, gotExits := 0, 0
		for at := 1.0; at < 20; at++ {
			for s.Now() < at {
				returned := make(chan string)
				go func() {
					how := "exit"
					defer func() {
						if v := recover(); v != nil {
							how = "panic"
						}
						returned <- how
					}()
					_ = s.Run(context.Background(), at)
					how = "return"
				}()
				switch <-returned {
				case "panic":
					gotPanics++
				case "exit":
					gotExits++
				}
				if err := checkCoroutines(s); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		if gotPanics != panics || gotExits != exits || turns < 500 {
			t.Errorf("seed %d: %d turns; %d panics and %d exits came out of Run, of %d and %d", seed, turns, gotPanics, gotExits,
				panics, exits)
		}
		if s.Close(); s.Processes() != 0 {
			t.Errorf("seed %d: %d processes are left", seed, s.Processes())
		}
	}
}

// Close reports the first of several processes that always recover, and ends those that do not.
func TestCloseReportsFirstOfSeveral(t *testing.T) {
	noLeak(t)
	s := New()
	r := rand.New(rand.NewPCG(1, 3))
	gives := false
	for i := range 20 {
		s.Go(fmt.Sprint(i), func(p *Process) {
			for !gives {
				func() {
					if i%2 == 1 {
						defer func() { _ = recover() }()
					}
					_ = p.Wait(r.Float64())
				}()
			}
		})
	}
	_ = s.Run(background, 30)
	if wantPanic(t, "cannot end process 1:", s.Close); s.Processes() != 10 {
		t.Errorf("%v are left, not the odd ones", s.Live())
	}
	gives = true
	if s.Close(); s.Processes() != 0 {
		t.Errorf("%v are left", s.Live())
	}
}

// What a process waits for with nothing but time is not in what it has of its own, and what it had
// is used again.
func TestExtrasAreUsedAgain(t *testing.T) {
	s := New()
	defer s.Close()
	signal := s.Signal("never")
	for i := range 1000 {
		p := s.GoAt(float64(i), "p", func(p *Process) {
			_ = p.Wait(0.1)
			if p.waitState != &s.noWaitState {
				t.Error("a wait for time needed more")
			}
			_ = p.WaitFor(signal)
			_ = p.Wait(0.1)
			_ = p.Wait(math.Inf(1))
		})
		s.At(float64(i)+0.2, func() { p.Interrupt("twice"); p.Interrupt("twice") })
		s.At(float64(i)+0.9, func() { p.Interrupt("the last") })
	}
	run(t, s)
	if n := s.Processes(); n != 0 || len(s.freeWaitStates) != 1 || s.noWaitState.awaits != nil ||
		s.noWaitState.interrupts != nil || s.noWaitState.sub.list != nil {
		t.Errorf("%d processes, %d extras, and %+v for those who have none", n, len(s.freeWaitStates), s.noWaitState)
	}
	if e := s.freeWaitStates[0]; e.awaits != nil || e.interrupts != nil || e.sub != (subscription{}) {
		t.Errorf("%+v is left of who had it before", e)
	}
}
