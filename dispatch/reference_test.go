package dispatch

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch/dispatchtest"
	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// A script drives a scheduler and the reference through the same operations, and compares them
// whenever all goroutines are blocked. Time is simulated (testing/synctest), and workers finish
// when the script says so.
type script struct {
	t     *testing.T
	d     *scheduler[int]
	model *dispatchtest.Reference

	items   []*item[int] // by number
	seqs    []uint64
	gates   []chan struct{} // open when an item may finish, by item
	serving map[int]int     // the item in service, by worker
	begun   chan [2]int
	ended   []string // items that were dropped or refused

	where map[int]int // the worker that has an item
}

func newScript(t *testing.T, capacity, limit int, maxWait time.Duration) *script {
	s := &script{t: t, serving: map[int]int{}, begun: make(chan [2]int, 1000)}
	s.d = newScheduler[int](&options{capacity: capacity, poolLimit: limit, maxWait: maxWait, load: defaultLoad}, 0)
	s.d.drop = func(v int, err error) { s.ended = append(s.ended, fmt.Sprint(v, " ", err)) }
	s.d.done = func(int) {}
	s.model = &dispatchtest.Reference{Capacity: capacity, PoolLimit: limit, MaxWait: int64(maxWait)}
	s.model.Choose = func(item int, workers []int) int {
		if len(workers) == 1 {
			return workers[0] // it may have been dropped since
		}
		w, ok := s.where[item]
		if !ok || !slices.Contains(workers, w) {
			t.Fatalf("item %d is at worker %d (%v), and should be at one of %v", item, w, ok, workers)
		}
		return w
	}
	return s
}

func (s *script) arrive() {
	id := len(s.items)
	s.gates = append(s.gates, make(chan struct{}))
	if s.model.Full() && !s.model.Closed {
		if _, _, _, err := s.d.enter(id, false, false); err != ErrFull {
			s.t.Fatalf("item %d: %v, want ErrFull", id, err)
		}
	}
	it, seq, _, err := s.d.enter(id, true, false)
	if s.model.Closed {
		if err != ErrClosed {
			s.t.Fatalf("item %d after the end: %v", id, err)
		}
		s.gates = s.gates[:id]
		return
	}
	s.items, s.seqs = append(s.items, it), append(s.seqs, seq)
	s.same(func(now int64) { s.model.Arrive(id, now) })
}

func (s *script) add() {
	id := s.d.lastID
	s.d.add(func(_ context.Context, item int) {
		s.begun <- [2]int{int(id), item}
		<-s.gates[item]
	})
	s.same(func(int64) { s.model.Add(int(id)) })
}

func (s *script) finish(worker int) {
	item, busy := s.serving[worker]
	if !busy {
		return
	}
	delete(s.serving, worker)
	s.gates[item] <- struct{}{}
	s.same(func(int64) { s.model.Finish(worker) })
}

func (s *script) remove(worker int) {
	known := slices.ContainsFunc(s.model.Workers, func(w *dispatchtest.Worker) bool {
		return w.ID == worker && !w.Removed
	})
	if s.d.remove(WorkerID(worker)) != known {
		s.t.Fatalf("worker %d was known: %v", worker, known)
	}
	if known {
		s.same(func(int64) { s.model.Remove(worker) })
	}
}

func (s *script) cancel(id int) {
	did := s.d.withdraw(s.items[id], s.seqs[id], accepted)
	s.same(func(int64) {
		if was := s.model.Cancel(id); did != was {
			s.t.Fatalf("item %d was taken out: %v, want %v", id, did, was)
		}
	})
}

// sleep lets time pass, from one deadline to the next.
func (s *script) sleep(d time.Duration) {
	end := s.d.now() + int64(d)
	for {
		at, ok := s.model.Deadline()
		if !ok || at > end {
			break
		}
		time.Sleep(time.Duration(at - s.d.now()))
		s.same(s.model.Expire)
	}
	time.Sleep(time.Duration(end - s.d.now()))
}

// same waits until all goroutines are blocked, applies the operation to the reference, and
// compares.
func (s *script) same(do func(now int64)) {
	s.t.Helper()
	synctest.Wait()
	for len(s.begun) > 0 {
		b := <-s.begun
		s.serving[b[0]] = b[1]
	}
	is := snapshot(s.d)
	s.where = map[int]int{}
	for _, w := range is.Workers {
		if w.Busy {
			w.Serving.ID = s.serving[w.ID]
			s.where[w.Serving.ID] = w.ID
		}
		for _, item := range w.Queue {
			s.where[item.ID] = w.ID
		}
	}
	if err := is.Check(); err != nil {
		s.t.Fatal(err)
	}
	s.d.mu.Lock()
	err := s.d.check()
	s.d.mu.Unlock()
	if err != nil {
		s.t.Fatal(err)
	}
	do(s.d.now())
	if got, want := describe(is), describe(s.model); got != want {
		s.t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func describe(d *dispatchtest.Reference) string {
	text := fmt.Sprintln("blocked", d.Blocked, "pool", d.Pool, "submitted, served, too old, canceled:",
		d.Submitted, d.Served, d.TooOld, d.Canceled,
		"returned, moved:", d.Returned, d.Moved, "attempts, refusals:", d.Attempts, d.Refusals)
	for _, w := range d.Workers {
		text += fmt.Sprint("worker ", w.ID, " removed ", w.Removed, " queue ", w.Queue)
		if w.Busy {
			text += fmt.Sprint(" serving ", w.Serving.ID)
		}
		text += "\n"
	}
	return text
}

// play decodes a script from bytes, and ends it in one of two ways.
func play(t *testing.T, capacity, limit int, maxWait time.Duration, bytes []byte) (m *dispatchtest.Reference) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, capacity, limit, maxWait)
		workers := 0
		for len(bytes) >= 2 {
			op, arg := bytes[0]%16, int(bytes[1])
			bytes = bytes[2:]
			switch {
			case op < 7:
				s.arrive()
			case op < 12 && workers > 0:
				s.finish(arg % workers)
			case op == 12 && len(s.items) > 0:
				s.cancel(arg % len(s.items))
			case op == 13 && workers < 12:
				s.add()
				workers++
			case op == 14 && workers > 0 && arg%4 == 0:
				s.remove(arg / 4 % workers)
			case op == 15:
				s.sleep(time.Duration(arg) * time.Millisecond)
			}
		}
		s.end(len(s.items)%2 == 0)
		m = s.model
	})
	return m
}

// end drains or aborts the scheduler, and checks that everything ends.
func (s *script) end(drain bool) {
	t := s.t
	closed := make(chan error, 1)
	if drain {
		go func() { closed <- s.d.close(t.Context()) }()
		s.same(func(int64) { s.model.Close() })
		if len(s.d.byID) == 0 && len(s.model.Pool) > 0 {
			s.add()
		}
		s.arrive()
	} else {
		got := s.d.abort()
		s.same(func(int64) {
			var want []int
			for _, item := range s.model.Abort() {
				want = append(want, item.ID)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("Abort returned %v, want %v", got, want)
			}
		})
		go func() { closed <- s.d.close(t.Context()) }()
	}
	for len(s.serving) > 0 {
		s.finish(slices.Min(slices.Collect(maps.Keys(s.serving))))
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if st := s.d.stats(); st.Submitted != st.Served+st.TooOld+st.Canceled+st.Aborted ||
		len(st.Workers) > 0 || st.Pool+st.Accepted+st.InService+st.Blocked > 0 {
		t.Fatalf("at the end: %+v", st)
	}
}

// The scheduler does what the reference does, step by step, and both keep the guarantees.
func TestDispatcherAgainstReference(t *testing.T) {
	var moved, old, returned, refusals int
	seeds := stress.FewerRaced(testscale.Size(40, 100), 10)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 1))
		bytes := make([]byte, 400)
		for i := range bytes {
			bytes[i] = byte(r.Uint32())
		}
		bytes = append([]byte{13, 0, 13, 0, 13, 0}, bytes...)
		limit := []int{0, 1, 5, 1000}[r.IntN(4)]
		maxWait := []time.Duration{0, 300 * time.Millisecond}[r.IntN(2)]
		m := play(t, 1+r.IntN(4), limit, maxWait, bytes)
		moved, old, returned, refusals = moved+m.Moved, old+m.TooOld, returned+m.Returned, refusals+m.Refusals
	}
	if min(moved, old, returned, refusals) < seeds/2 {
		t.Errorf("%d moved, %d too old, %d returned, %d refusals: the scripts do not cover everything",
			moved, old, returned, refusals)
	}
}

func FuzzDispatcher(f *testing.F) {
	f.Add(uint8(1), uint8(0), uint8(0), []byte{13, 0, 13, 0, 0, 0, 0, 0, 0, 0, 7, 0, 14, 4})
	f.Add(uint8(2), uint8(3), uint8(1), []byte{13, 0, 0, 0, 0, 0, 0, 0, 13, 0, 15, 200, 7, 0, 14, 0, 12, 1, 7, 1})
	f.Fuzz(func(t *testing.T, capacity, limit, maxWait uint8, bytes []byte) {
		if len(bytes) > 1000 {
			t.Skip("long scripts are short ones that follow each other")
		}
		play(t, 1+int(capacity%5), int(limit%20), time.Duration(maxWait)*time.Millisecond, bytes)
	})
}

// One pick on arrival and then only pulls leaves items waiting while workers are idle; the whole
// rule does not.
func TestOnlyPullStrands(t *testing.T) {
	for _, onlyPull := range []bool{false, true} {
		stranded := 0
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 2))
			d := &dispatchtest.Reference{Capacity: 1 + r.IntN(3), PoolLimit: 1000, OnlyPull: onlyPull}
			d.Choose = func(_ int, workers []int) int { return workers[r.IntN(len(workers))] }
			for id := range 4 {
				d.Add(id)
			}
			for i := range 50 {
				if w := d.Workers[r.IntN(4)]; r.IntN(2) == 0 && w.Busy {
					d.Finish(w.ID)
				} else {
					d.Arrive(i, 0)
				}
				if d.Check() != nil {
					stranded++
					break
				}
			}
		}
		if want := map[bool]int{false: 0, true: 100}[onlyPull]; stranded != want {
			t.Errorf("only pull %v: %d of 100 runs left an item waiting, want %d", onlyPull, stranded, want)
		}
	}
}

// A context that ends just after the item was admitted is too late: the dispatcher owns the item.
func TestDispatcherLetInBeforeItGaveUp(t *testing.T) {
	d := NewDispatcher([]func(context.Context, int){}, PoolLimit(0))
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- d.Submit(ctx, 1) }()
	for d.Stats().Blocked == 0 {
		time.Sleep(time.Millisecond)
	}
	d.scheduler.mu.Lock() // Submit now sees that ctx has ended
	cancel()
	d.scheduler.limit = 1
	d.scheduler.fillSlots()
	d.scheduler.mu.Unlock()
	if err := <-result; err != nil {
		t.Error(err)
	}
	if got := d.Abort(); !slices.Equal(got, []int{1}) {
		t.Errorf("Abort returned %v", got)
	}
	for _, w := range d.scheduler.waiters {
		if len(w.done) > 0 {
			t.Error("a result is left for the next waiter")
		}
	}
}
