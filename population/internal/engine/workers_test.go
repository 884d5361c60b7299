package engine

import (
	"context"
	"runtime"
	"sync"
	"testing"
)

// Cores are lent as long as nobody has them, and no more of them than there are.
func TestCrewLends(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var c workerPool
	lend := func(most, want int) {
		t.Helper()
		if n := c.lend(most); n != want {
			t.Fatalf("%d of %d, want %d, with %d busy", n, most, want, c.busy.Load())
		}
	}
	c.enter()
	c.enter()
	c.enter()
	lend(3, 3)
	lend(7, 2)
	lend(7, 0)
	c.returned(3)
	c.leave()
	lend(1, 1)
	lend(-1, 0)
	lend(7, 3)
	for range 9 {
		c.enter()
	}
	lend(7, 0)
	if busy, lent := c.busy.Load(), c.lent.Load(); busy != 17 || lent != 9 {
		t.Errorf("%d busy, %d were lent", busy, lent)
	}
}

// However many take and return at once, never more are lent than there are, and none is lost.
func TestCrewAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var c workerPool
	var all sync.WaitGroup
	for range 3 {
		c.enter()
		all.Go(func() {
			defer c.leave()
			for range 1000 {
				n := c.lend(3)
				if busy := c.busy.Load(); busy > 4 {
					t.Errorf("%d of 4 cores are at work", busy)
					return
				}
				c.returned(n)
			}
		})
	}
	all.Wait()
	if busy := c.busy.Load(); busy != 0 {
		t.Errorf("%d cores were not returned", busy)
	}
}

const plainly = `
name: plain
time: {unit: year, end: 3}
population: {size: 300, start: {well: rest}}
states: {well: {race: [{rate: 1 per year, to: ill}]}, ill: {}}
`

// Runners, runs and processes that know nothing of each other share the cores when they are set up:
// one that is alone has them all, one beside another that runs has those that are left, and of two
// replicas of a run each has half.
func TestSetupCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	m := sized(t, plainly, setupFrom)
	ctx := context.Background()
	if busy := pool.busy.Load(); busy != 0 {
		t.Fatalf("%d cores are at work before", busy)
	}
	lent := func(do func()) int {
		before := pool.lent.Load()
		do()
		return int(pool.lent.Load() - before)
	}
	run := func(ctx context.Context, o Options, h Hooks) error {
		p := NewBudget(&o)
		if _, err := Afford(m, &o, p); err != nil {
			return err
		}
		rec := NewRecording(m)
		defer Working()()
		return NewRun(&o, p).Simulate(ctx, m, 0, 0, nil, &rec, h)
	}
	runs := func(o Options, h Hooks) {
		if err := run(ctx, o, h); err != nil {
			t.Error(err)
		}
	}
	beside := func(n int, do func()) { // n runners that run
		var all sync.WaitGroup
		running, stop := make(chan bool), make(chan bool)
		for range n {
			var once sync.Once
			all.Go(func() {
				h := quiet
				h.Recorded = func(int) { once.Do(func() { running <- true; <-stop }) }
				runs(Options{}, h)
			})
			<-running
		}
		do()
		close(stop)
		all.Wait()
	}
	alone := func() { runs(Options{}, quiet) }
	if n := lent(alone); n != 3 {
		t.Errorf("a runner that is alone has %d cores more", n)
	}
	beside(1, func() {
		if n := lent(alone); n != 2 {
			t.Errorf("a runner beside another has %d cores more", n)
		}
	})
	beside(4, func() {
		if n := lent(alone); n != 0 {
			t.Errorf("a runner beside four others has %d cores more", n)
		}
	})
	if n := lent(func() { runs(Options{Workers: 2, Replicas: 2}, quiet) }); n != 1 {
		t.Errorf("one of two runners has %d cores more", n)
	}
	if n := lent(func() {
		p := NewBudget(&Options{})
		p.each, p.workers = 1000, 1
		r := newForkable(p)
		defer Working()()
		if err := r.Start(ctx, m, 0, 0); err != nil {
			t.Fatal(err)
		}
		r.Retire()
	}); n != 3 {
		t.Errorf("a process has %d cores more", n)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := run(stopped, Options{}, quiet); err == nil {
		t.Error("a run that was stopped came to its end")
	}
	if busy := pool.busy.Load(); busy != 0 {
		t.Errorf("%d cores are at work afterwards", busy)
	}
}
