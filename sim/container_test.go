package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// check lists what must hold of a container whenever nobody is changing it.
func (c *Container) check() error {
	if err := errors.Join(c.getters.check(), c.putters.check()); err != nil {
		return err
	}
	switch {
	case !(c.amount >= 0 && c.amount <= c.capacity):
		return fmt.Errorf("%g in a capacity of %g", c.amount, c.capacity)
	case c.getters.first != nil && c.getters.first.amount <= c.amount:
		return errors.New("the first could take out what it wants")
	case c.putters.first != nil && c.putters.first.amount+c.amount <= c.capacity:
		return errors.New("the first could put in what it has")
	case c.contents.Value() != c.amount:
		return errors.New("the statistics are not what they are of")
	}
	return nil
}

func TestContainer(t *testing.T) {
	noLeak(t)
	s := New()
	c := NewContainer(s, "tank", 10, 4)
	var log []string
	get := func(name string, at, amount float64, opts ...RequestOption) *Process {
		return s.GoAt(at, name, func(p *Process) {
			log = append(log, fmt.Sprintf("%s:%v@%g", name, c.Get(p, amount, opts...), p.Now()))
		})
	}
	get("big", 1, 8)
	get("small", 2, 1) // must wait behind big
	get("hasty", 2, 1, Patience(1))
	get("balks", 2, 1, AtMost(1))
	get("first", 3, 2, Rank(-1)) // goes ahead, and there is enough
	s.GoAt(5, "truck", func(p *Process) {
		for range 2 {
			_ = c.Put(p, 7)
			log = append(log, fmt.Sprintf("truck@%g", p.Now()))
		}
	})
	run(t, s)
	want := "balks:sim: too many were waiting@2 first:<nil>@3 hasty:sim: patience ran out before the request was " +
		"granted@3 " +
		"truck@5 truck@5 big:<nil>@5 small:<nil>@5"
	if got := strings.Join(log, " "); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if c.Amount() != 7 || c.Contents().Value() != 7 || c.Balked() != 1 || c.Reneged() != 1 || c.Waits().N() != 3 ||
		c.Capacity() != 10 {
		t.Errorf("%g is left", c.Amount())
	}
	if c.TryGet(8) || c.TryPut(4) || !c.TryGet(7) || !c.TryPut(10) || c.Getting()+c.Putting() != 0 || c.Name() != "tank" {
		t.Errorf("%g is left", c.Amount())
	}
	wantPanic(t, "capacity of 10", func() { c.TryGet(11) })
	wantPanic(t, "not possible", func() { c.TryPut(math.NaN()) })
	wantPanic(t, "not possible", func() { c.TryPut(-1) })
	wantPanic(t, "at most the capacity", func() { NewContainer(s, "x", 1, 2) })
	wantPanic(t, "a capacity above 0", func() { NewContainer(s, "x", math.NaN(), 0) })
	wantPanic(t, "a capacity above 0, not 0; with Unlimited", func() { NewContainer(s, "x", 0, 0) })
	if c := NewContainer(s, "sea", Unlimited, 5); !c.TryPut(1e9) || !math.IsInf(c.Capacity(), 1) {
		t.Error("0 is not without limit")
	}
}

func TestContainerInvariants(t *testing.T) {
	noLeak(t)
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		s := New()
		c := NewContainer(s, "c", 10, float64(rnd.IntN(11)))
		want := c.Amount()
		for i := range 10 {
			p := s.Go("p", func(p *Process) {
				for range 30 {
					_ = p.Wait(float64(rnd.IntN(5)))
					amount := float64(rnd.IntN(11))
					opts := []RequestOption{Rank(rnd.IntN(3)), Patience(float64(rnd.IntN(15)))}
					if i%2 == 0 {
						if c.Get(p, amount, opts...) == nil {
							want -= amount
						}
					} else if c.Put(p, amount, opts...) == nil {
						want += amount
					}
				}
			})
			s.At(float64(rnd.IntN(60)), func() { p.Interrupt(nil) })
		}
		for s.Step() {
			if err := c.check(); err != nil {
				t.Fatalf("seed %d at %g: %v", seed, s.Now(), err)
			}
		}
		if c.Amount() != want {
			t.Errorf("seed %d: %g is left, want %g", seed, c.Amount(), want)
		}
	}
}
