package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// check lists what must hold of a store whenever nobody is changing it.
func (st *Store[T]) check() error {
	if err := errors.Join(st.getters.check(), st.putters.check()); err != nil {
		return err
	}
	switch {
	case st.capacity > 0 && st.items.len() > st.capacity:
		return errors.New("more than it has room for")
	case st.putters.first != nil && !st.full():
		return errors.New("somebody waits for room, of which there is some")
	case float64(st.items.len()) != st.contents.Value():
		return errors.New("the statistics are not what they are of")
	}
	for r := st.getters.first; r != nil; r = r.next {
		for _, v := range st.Items() {
			if o := r.order.(*order[T]); o.where == nil || o.where(v) {
				return fmt.Errorf("somebody waits for %v, which is there", v)
			}
		}
	}
	return nil
}

func TestStore(t *testing.T) {
	noLeak(t)
	s := New()
	st := NewStore[string](s, "shelf", 2)
	var log []string
	note := func(p *Process, format string, args ...any) {
		log = append(log, fmt.Sprintf("%s@%g:", p, p.Now())+fmt.Sprintf(format, args...))
	}
	s.Go("maker", func(p *Process) {
		for _, v := range []string{"red", "blue", "green", "white"} {
			_ = st.Put(p, v)
			note(p, "%s", v)
		}
	})
	s.GoAt(1, "picky", func(p *Process) {
		v, err := st.GetWhere(p, func(v string) bool { return v == "white" })
		note(p, "%s,%v", v, err)
	})
	s.GoAt(2, "hasty", func(p *Process) {
		_, err := st.GetWhere(p, func(string) bool { return false }, Patience(1))
		note(p, "%t", errors.Is(err, ErrReneged))
		_, err = st.GetWhere(p, func(string) bool { return false }, AtMost(1))
		note(p, "%t", errors.Is(err, ErrBalked))
		err = st.Put(p, "black", AtMost(1))
		note(p, "%t", errors.Is(err, ErrBalked))
	})
	s.GoAt(5, "user", func(p *Process) {
		for range 2 {
			v, _ := st.Get(p)
			note(p, "%s", v)
			_ = p.Wait(1)
		}
	})
	run(t, s)
	want := "maker@0:red maker@0:blue hasty@3:true hasty@3:true hasty@3:true " +
		"user@5:red maker@5:green user@6:blue maker@6:white picky@6:white,<nil>"
	if got := strings.Join(log, " "); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if st.Len() != 1 || !slices.Equal(st.Items(), []string{"green"}) || st.Balked() != 2 || st.Reneged() != 1 ||
		st.Waits().N() != 3 {
		t.Errorf("%v is left, %d balked, %d reneged, %d got", st.Items(), st.Balked(), st.Reneged(), st.Waits().N())
	}
	if v, ok := st.TryGet(); !ok || v != "green" {
		t.Errorf("%s, %t", v, ok)
	}
	if _, ok := st.TryGet(); ok || !st.TryPut("a") || !st.TryPut("b") || st.TryPut("c") || st.Capacity() != 2 ||
		st.Name() != "shelf" {
		t.Error("the store has not two places")
	}
	wantPanic(t, "needs a capacity of 0 or more, not -1", func() { NewStore[int](s, "x", -1) })
}

// Random puts and gets: nothing is lost, nothing comes twice, what is alike comes in order, and
// nobody waits for what is there.
func TestStoreInvariants(t *testing.T) {
	noLeak(t)
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		s := New()
		st := NewStore[int](s, "store", rnd.IntN(4))
		put, got := 0, map[int]bool{}
		given := map[int]bool{}
		for range 10 {
			s.Go("putter", func(p *Process) {
				for range 30 {
					_ = p.Wait(float64(rnd.IntN(6)))
					put++
					v := put
					if err := st.Put(p, v, Rank(rnd.IntN(2)), Patience(float64(rnd.IntN(8)))); err == nil {
						given[v] = true
					}
				}
			})
			q := s.Go("getter", func(p *Process) {
				for range 20 {
					_ = p.Wait(float64(rnd.IntN(6)))
					var where func(int) bool
					if k := rnd.IntN(4); k < 3 {
						where = func(v int) bool { return v%3 == k }
					}
					if v, err := st.GetWhere(p, where, Rank(rnd.IntN(3)), Patience(float64(rnd.IntN(20)))); err == nil {
						if got[v] || (where != nil && !where(v)) {
							t.Errorf("seed %d: got %d", seed, v)
						}
						got[v] = true
					}
				}
			})
			s.At(float64(rnd.IntN(60)), func() { q.Interrupt(nil) })
		}
		for s.Step() {
			if err := st.check(); err != nil {
				t.Fatalf("seed %d at %g: %v", seed, s.Now(), err)
			}
		}
		for _, v := range st.Items() {
			if got[v] {
				t.Errorf("seed %d: %d is still there", seed, v)
			}
			got[v] = true
		}
		if len(got) != len(given) {
			t.Errorf("seed %d: %d given, %d got", seed, len(given), len(got))
		}
	}
}

// A store without filters is a queue.
func TestStoreIsFirstInFirstOut(t *testing.T) {
	noLeak(t)
	s := New()
	st := NewStore[int](s, "store", 5)
	s.Go("putter", func(p *Process) {
		for i := range 1000 {
			_ = st.Put(p, i)
			_ = p.Wait(float64(i * 7 % 5))
		}
	})
	s.Go("getter", func(p *Process) {
		for i := range 1000 {
			if v, err := st.Get(p); v != i || err != nil {
				t.Fatalf("got %d, %v, want %d", v, err, i)
			}
			_ = p.Wait(float64(i * 11 % 5))
		}
	})
	run(t, s)
}

func TestSortedStore(t *testing.T) {
	type job struct{ urgency, number int }
	rnd := rand.New(rand.NewPCG(9, 9))
	s := New()
	st := NewSortedStore(s, "jobs", Unlimited, func(a, b job) int { return a.urgency - b.urgency })
	var want []job
	for i := range 3000 {
		if rnd.IntN(5) < 3 {
			j := job{rnd.IntN(10), i}
			st.TryPut(j)
			want = append(want, j)
			slices.SortStableFunc(want, func(a, b job) int { return a.urgency - b.urgency })
		} else if j, ok := st.TryGet(); ok != (len(want) > 0) || (ok && j != want[0]) {
			t.Fatalf("got %v, %t", j, ok)
		} else if ok {
			want = want[1:]
		}
		if !slices.Equal(st.Items(), want) {
			t.Fatalf("%v, want %v", st.Items(), want)
		}
	}
	if st.Getting()+st.Putting() != 0 || st.Contents().Value() != float64(len(want)) {
		t.Error("somebody waits")
	}
}

func TestFifoAgainstSlice(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	var q fifo[int]
	var want []int
	for i := range 20_000 {
		if rnd.IntN(2) == 0 || len(want) == 0 {
			q.push(i)
			want = append(want, i)
		} else {
			j := rnd.IntN(len(want))
			if v := q.remove(j); v != want[j] {
				t.Fatalf("removed %d, want %d", v, want[j])
			}
			want = slices.Delete(want, j, j+1)
		}
		if q.len() != len(want) || (len(want) > 0 && q.at(len(want)-1) != want[len(want)-1]) {
			t.Fatalf("%d things, want %d", q.len(), len(want))
		}
	}
}

// A store without room is a rendezvous: who puts waits for who gets, and the other way round, and
// nothing is ever in it.
func TestStoreOfCapacityZero(t *testing.T) {
	s := New()
	defer s.Close()
	st := NewStore[int](s, "handover", 0)
	var log []string
	note := func(p *Process, what any) { log = append(log, fmt.Sprint(p.Now(), " ", p, " ", what)) }
	put := func(at float64, name string, v int) {
		s.GoAt(at, name, func(p *Process) { note(p, st.Put(p, v)) })
	}
	get := func(at float64, name string, wanted func(int) bool) {
		s.GoAt(at, name, func(p *Process) {
			v, _ := st.GetWhere(p, wanted)
			note(p, v)
		})
	}
	s.At(0, func() {
		if st.TryPut(9) {
			t.Error("nobody is there to take it")
		}
	})
	put(1, "ann", 1) // waits for bob
	put(2, "cas", 2)
	get(3, "bob", nil)
	get(4, "dee", func(v int) bool { return v > 2 }) // does not want what cas has
	put(5, "eve", 3)                                 // goes to dee
	s.At(6, func() {
		if v, ok := st.TryGet(); v != 2 || !ok {
			t.Errorf("%d, %t: cas has 2 to give", v, ok)
		}
		if _, ok := st.TryGet(); ok {
			t.Error("there is nobody else")
		}
	})
	get(7, "fay", nil)
	s.At(8, func() {
		if !st.TryPut(4) {
			t.Error("fay waits for it")
		}
		if st.TryPut(5) {
			t.Error("nobody waits any more")
		}
	})
	run(t, s)
	if got, want := strings.Join(log, ", "), "3 bob 1, 3 ann <nil>, 5 eve <nil>, 5 dee 3, 6 cas <nil>, 8 fay 4"; got !=
		want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if st.Contents().Max() != 0 || st.Capacity() != 0 || st.Putters().Max() != 2 || st.Waits().N() != 4 {
		t.Errorf("%v in it, %d waits", st.Contents(), st.Waits().N())
	}
	if free := NewStore[int](s, "", Unlimited); !free.TryPut(1) || free.Capacity() != Unlimited {
		t.Error("an unlimited store is never full")
	}
}

// Batches are full and in order, wait for room, and come apart again.
func TestBatchAndSeparate(t *testing.T) {
	s := New()
	defer s.Close()
	parts, pallets, out := NewStore[int](s, "parts", Unlimited), NewStore[[]int](s, "pallets", 1),
		NewStore[int](s, "out", Unlimited)
	batches := Batch(parts, 3, pallets)
	for i := range 8 {
		s.At(float64(i), func() { parts.TryPut(i) })
	}
	_ = s.Run(background, 10)
	if got := fmt.Sprint(pallets.Items(), parts.Len(), pallets.Putting()); got != "[[0 1 2]] 2 1" {
		t.Errorf("with room for one pallet: %s", got)
	}
	separate := Separate(pallets, out)
	_ = s.Run(background, 20)
	if got := fmt.Sprint(out.Items()); got != "[0 1 2 3 4 5]" || parts.Len() != 0 {
		t.Errorf("%s, and %d parts are left", got, parts.Len())
	}
	batches.Interrupt("the shift ends") // with two parts of the next pallet
	_ = s.Run(background, 30)
	if got := fmt.Sprint(out.Items(), parts.Items()); got != "[0 1 2 3 4 5] [6 7]" || !batches.Happened() {
		t.Error(got)
	}
	separate.Interrupt("likewise")
	_ = s.Run(background, 40)
	if !separate.Happened() {
		t.Error("it goes on")
	}
	narrow := NewStore[int](s, "narrow", 1)
	separate = Separate(pallets, narrow)
	pallets.TryPut([]int{1, 2, 3})
	_ = s.Run(background, 50)
	separate.Interrupt("in the middle")
	_ = s.Run(background, 60)
	if got := fmt.Sprint(narrow.Items(), pallets.Items()); got != "[1] [[2 3]]" {
		t.Error(got)
	}
	wantPanic(t, "at least 1", func() { Batch(parts, 0, pallets) })
}
