//go:build !race

package timers

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// The wheel of a shard without its clock, against a table of deadlines: every timer leaves in the
// step in which its deadline is reached, whatever the steps are.
func TestWheel(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 37))
		ts := New(Resolution(50 * time.Microsecond))
		s := &ts.ready().shards[0]
		s.running = true // keeps the runtime timer out of it
		s.wheel.now = 1
		scale := []uint64{10, 100, 5_000, 300_000, 1 << 30}[seed%5]
		type pending struct {
			id uint32
			to unit
		}
		var left []pending
		fired := map[unit]int{}
		now := unit(1)
		for step := range 2000 {
			for range r.IntN(20) {
				to := min(now+r.Uint64N(scale), never-1)
				i := len(left)
				left = append(left, pending{to: to})
				ref, ok := s.start(0, to, 0, func() { fired[left[i].to]++ })
				if !ok {
					t.Fatal("full")
				}
				left[i].id = uint32(ref & idMask)
			}
			for range r.IntN(5) { // later, as Reset does it without the lock
				if i := r.IntN(max(1, len(left))); i < len(left) && left[i].to > now {
					at := s.at(left[i].id)
					left[i].to += r.Uint64N(scale)
					at.word.Store(at.word.Load()>>genShift<<genShift | left[i].to)
				}
			}
			now += r.Uint64N(scale/4 + 2)
			ns := int64(now << ts.ready().clock.shift)
			for more := true; more; {
				more = s.advance(ns)
				for _, f := range s.due {
					f()
				}
			}
			due := 0
			for _, p := range left {
				if p.to <= now {
					due++
				}
			}
			n := 0
			for to, k := range fired {
				if n += k; to > now {
					t.Fatalf("seed %d, step %d: due at %d, fired by %d", seed, step, to, now)
				}
			}
			if n != due || s.pending != len(left)-due {
				t.Fatalf("seed %d, step %d: %d fired, %d due; %d pending of %d", seed, step, n, due, s.pending, len(left))
			}
			if step%500 == 0 {
				s.running, s.earliest, s.wake = false, 0, 0
				if err := s.check(); err != nil {
					t.Fatal(err)
				}
				s.running = true
			}
			if len(left) > 2000 {
				break
			}
		}
	}
}

// Pages are given back, and a Timer of a page that was given back is never mistaken for another.
func TestPagesAreGivenBack(t *testing.T) {
	ts := New()
	var st runtime.MemStats
	heap := func() uint64 { runtime.GC(); runtime.ReadMemStats(&st); return st.HeapAlloc }
	empty := heap()
	all := make([]Timer, 40*pageLen)
	for round := range 3 {
		for i := range all {
			all[i] = ts.AfterFunc(time.Hour, nothing)
		}
		full := heap()
		old := make([]uint64, len(all))
		for i := range all {
			old[i] = all[i].reference.Load()
			if !all[i].Stop() {
				t.Fatal("not pending")
			}
		}
		if err := ts.check(); err != nil {
			t.Fatal(err)
		}
		handles := uint64(len(all)) * 24
		stopped := heap() - uint64(len(old))*8
		if held, set := stopped-empty-handles, full-empty-handles; held > set/2 {
			t.Errorf("round %d: %d bytes are held of %d", round, held, set)
		}
		for i := range all[:1000] { // start others, and try the old references
			if all[i].Reset(time.Hour) {
				t.Fatal("was pending")
			}
		}
		for i := range all[:1000] {
			stale := Timer{shard: all[i].shard, f: nothing}
			stale.reference.Store(old[i])
			if stale.Stop() {
				t.Fatal("an old reference stopped a timer")
			}
		}
		for i := range all[:1000] {
			if !all[i].Stop() {
				t.Fatal("was not pending")
			}
		}
	}
	ts.Close()
	runtime.KeepAlive(all)
}

// A slot is not used again after its last generation.
func TestGenerationsDoNotRepeat(t *testing.T) {
	ts := New()
	tm := ts.AfterFunc(time.Hour, nothing)
	s, id := tm.shard, uint32(tm.reference.Load()&idMask)
	if !tm.Stop() {
		t.Fatal("not pending")
	}
	s.at(id).word.Store((lastGen - 1) << genShift)
	tm.Reset(time.Hour)
	if got := uint32(tm.reference.Load() & idMask); got != id {
		t.Fatalf("slot %d is used, not %d", got, id)
	}
	tm.Stop()
	for range 2 * pageLen {
		if tm.Reset(time.Hour); uint32(tm.reference.Load()&idMask) == id {
			t.Fatal("the slot is used after its last generation")
		}
		tm.Stop()
	}
	if s.at(id).f != nil {
		t.Error("it keeps a function")
	}
	if err := ts.check(); err != nil {
		t.Error(err)
	}
	ts.Close()
}

// A pending timer whose slot has no generation left for another duration gets another slot.
func TestLastGenerationOfAPendingTimer(t *testing.T) {
	ts := New()
	defer ts.Close()
	tm := ts.AfterFunc(time.Hour, nothing)
	s, id := tm.shard, uint32(tm.reference.Load()&idMask)
	word := s.at(id).word.Load()
	s.at(id).word.Store((lastGen-2)<<genShift | word&timeMask)
	tm.reference.Store((lastGen-2)<<genShift | uint64(id))
	for i, sameSlot := range []bool{true, false, false} {
		d := time.Duration(i+2) * time.Hour
		if !tm.Reset(d) || ts.Len() != 1 {
			t.Fatalf("Reset %d: was not pending, or %d are", i, ts.Len())
		}
		now := uint32(tm.reference.Load() & idMask)
		if got := s.at(now).duration.Load(); (now == id) != sameSlot || got != int64(d) {
			t.Errorf("Reset %d: slot %d, was %d; bound to %v", i, now, id, time.Duration(got))
		}
		if err := ts.check(); err != nil {
			t.Fatal(err)
		}
	}
	if !tm.Stop() || ts.Len() != 0 {
		t.Error("was not pending")
	}
}

// A pending timer takes 56 bytes with its Timer, and no more than a function is kept of one that
// was stopped.
func TestBytes(t *testing.T) {
	var st runtime.MemStats
	heap := func() float64 { runtime.GC(); runtime.GC(); runtime.ReadMemStats(&st); return float64(st.HeapAlloc) }
	const n = 300_000
	var ts Set
	ts.ready()
	before := heap()
	all := make([]Timer, n)
	for i := range all {
		all[i] = ts.AfterFunc(time.Hour, nothing)
	}
	// A page that is not full, in each shard, and tables.
	if got := (heap() - before) / n; got > 56+0.5 {
		t.Errorf("%.2f bytes a timer", got)
	}
	ts.Close()
	runtime.KeepAlive(all)
}
