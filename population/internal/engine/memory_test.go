//go:build !race

package engine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// The same without the system, of arrays alone: what is allocated is what is in use and the room
// for half as many again.
func TestMemoryOfArrays(t *testing.T) {
	for _, c := range []struct {
		model  string
		listen bool
	}{{"tuberculosis", true}, {"seir-regions", false}} {
		const size = 200_000
		m := example(t, c.model, size)
		o := Options{Replicas: 1}
		r := Run{sparseRule: usualSparse}
		if c.listen {
			o.OnEvent = func(*Event) {}
			r.OnEvent = o.OnEvent
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := r.Start(context.Background(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		arrays := 8*r.stride + len(m.Attributes) + recordBytes
		if c.listen {
			arrays += numberBytes
		}
		want := newDemand(m, &o).each/overhead*size + float64(arrays)/usualSpare*size
		got := float64(after.HeapAlloc - before.HeapAlloc)
		// chunks of the calendar that are not full come on top, and a slab that is not
		if math.Abs(got-want) > 0.03*want+3e6 {
			t.Errorf("%+v: %.1f MB are allocated, %.1f expected", c, got/1e6, want/1e6)
		}
		t.Logf("%+v: %.1f MB are allocated, %.1f expected", c, got/1e6, want/1e6)
		if own := float64(r.bytes()); math.Abs(own-want+float64(arrays)/usualSpare*size) > 0.02*want {
			t.Errorf("%+v: a replica takes %.1f MB by its own account", c, own/1e6)
		}
		runtime.KeepAlive(&r)
	}
}

// What is estimated of an individual, and what a replica counts of it, is to less than a byte what
// its arrays have for it, also where its state is kept in a byte of its own.
func TestMemoryOfOne(t *testing.T) {
	for _, o := range []Options{{Replicas: 1}, {Replicas: 1, OnEvent: func(*Event) {}}, {Replicas: 1, Forks: true}} {
		m := example(t, "sir", 10_000)
		r := Run{sparseRule: usualSparse, forkable: o.Forks, OnEvent: o.OnEvent}
		if o.Forks {
			r.sparseRule.least = math.MaxInt
		}
		if err := r.Start(t.Context(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		if !r.caching {
			t.Fatal("the states are not kept in bytes of their own")
		}
		arrays := 8*len(r.words) + len(r.stateCache) + numberBytes*len(r.numbers) + originBytes*len(r.origins)
		want := float64(arrays)/float64(r.capacity) + float64(columnBytes(m)) + recordBytes
		estimated := newDemand(m, &o).each/overhead - eventBytes
		counted := (float64(r.bytes()) - eventBytes*float64(r.Queue.Len())) / float64(r.Used)
		if math.Abs(estimated-want) > 0.5 || math.Abs(counted-want) > 0.5 {
			t.Errorf("%.2f bytes are estimated and %.2f counted, of %.2f", estimated, counted, want)
		}
	}
}

// If nobody asked for a number of workers there are as many as there is memory for.
func TestMemoryDecidesWorkers(t *testing.T) {
	m := crowdOf(t, 300_000)
	_, most := Estimate(m, &Options{Replicas: 40, Workers: 1})
	for want := 1; want <= 4; want++ {
		o := Options{Replicas: 40, Memory: uint64(want)*most + most/10}
		p := NewBudget(&o)
		got, err := Afford(m, &o, p)
		if want := min(want, runtime.GOMAXPROCS(0)); err != nil || got != want {
			t.Errorf("%d workers, %v, want %d", got, err, want)
		}
	}
}

// Where timers no longer are sparse the words are copied, which is not begun without memory for it.
func TestMemoryForTimers(t *testing.T) {
	m := crowdOf(t, 40_000)
	p := &Budget{limit: 1 << 40, workers: 1}
	left := uint64(1 << 40)
	p.room = func() memory.Room { return roomOf(left, 0) }
	r := Run{sparseRule: sparseRule{1, 100, 0}, budget: p}
	p.spare, p.each = usualSpare, 100
	if err := r.Start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	r.sparseRule.share = 0.01
	left = 1000
	p.limit = 1000
	if err := r.housekeep(context.Background(), 0); !errors.Is(err, ErrMemory) {
		t.Errorf("%v", err)
	}
	left, p.limit = 1<<40, 1<<40
	if err := r.housekeep(context.Background(), 0); err != nil || r.sparseTimers != nil {
		t.Errorf("%v, the timers are sparse: %v", err, r.sparseTimers != nil)
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

// What runs that are over have left is given back before a run is refused for want of memory, or
// has fewer workers.
func TestMemoryOfRunsThatAreOver(t *testing.T) {
	m := crowdOf(t, 4_000_000)
	start, most := Estimate(m, &Options{Replicas: 2, Workers: 2})
	left := start / 2
	p := NewBudget(&Options{})
	p.room = func() memory.Room { return memory.Room{Pages: left, Address: memory.Unknown} }
	given := 0
	p.release = func() { given++; left = 2 * most }
	if _, err := Afford(m, &Options{Replicas: 2, Workers: 2}, p); err != nil || given != 1 {
		t.Errorf("%v, given back %d times", err, given)
	}
	if _, err := Afford(m, &Options{Replicas: 2, Workers: 2}, p); err != nil || given != 1 {
		t.Errorf("%v, given back %d times, though there is enough", err, given)
	}
	p.release = func() {}
	left = start / 2
	if _, err := Afford(m, &Options{Replicas: 2, Workers: 2}, p); !errors.Is(err, ErrMemory) {
		t.Errorf("in use by others: %v", err)
	}
}

// Where nothing says how much memory there is, everything is run.
func TestMemoryUnknown(t *testing.T) {
	p := &Budget{workers: 1, spare: usualSpare, release: func() {}, room: func() memory.Room {
		return memory.Room{Pages: memory.Unknown, Address: memory.Unknown}
	}}
	if !p.has(1<<50, 1<<50) {
		t.Error("there is nothing that forbids it")
	}
	o := Options{}
	if _, err := Afford(crowdOf(t, syntax.MaxIndividuals), &o, p); err != nil {
		t.Error(err)
	}
	// Address space is another matter than memory in use.
	p.room = func() memory.Room { return memory.Room{Pages: memory.Unknown, Address: 1 << 30} }
	if p.has(0, 2<<30) || !p.has(0, 1<<29) {
		t.Error("address space does not count")
	}
	if _, err := Afford(crowdOf(t, syntax.MaxIndividuals), &o, p); !errors.Is(err, ErrMemory) ||
		!strings.Contains(err.Error(), "1.07 GB are available; with a size of ") {
		t.Error(err)
	}
	m := crowdOf(t, 15_000_000)
	if _, err := Afford(m, &o, p); err != nil || p.spare != leastSpare {
		t.Errorf("%v, spare %d", err, p.spare)
	}
}
