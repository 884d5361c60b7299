package timers

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Set is a set of timers in real (monotonic) time, for programs that have very many of them.
//
// A timer never expires early. It expires late by the resolution at most, and by what the scheduler
// adds; a Reset to a duration of 64 resolutions or more may add two resolutions (see [Timer.Reset]
// and docs/guide/timers.md). The order of timers within a resolution is not specified.
//
// AfterFunc, Stop and Reset take constant time; a Reset to a later time is one compare-and-swap. A
// pending timer takes 32 bytes in the set and 24 in its [Timer], and one of the pointers in them,
// that to its function, is its own. The memory of timers that were stopped or have expired is used
// again, and given back when most of it is not needed. A shard of the set takes about 100 kB; there
// are 2 to 4 for each processor (a power of two).
//
// It differs from the timing wheels of [VL87] in that a Reset to a later time does not move the
// timer, and that many Resets share one reading of the clock.
//
// A Set may be used from several goroutines at once, and must not be copied. The zero value is an
// empty set with a resolution of a millisecond. Close a Set that you drop: pending timers keep it
// in memory, and so does one that was stopped, until it would have expired.
//
// In a bubble of testing/synctest, use a Set of that bubble only: its first use, be it AfterFunc,
// Len or Close, must be in the bubble.
//
// A Set works for 146 years. If the process was stopped for longer than 39 days (for the smallest
// resolution; 625 days for a millisecond), timers may be early or late.
//
// [VL87]: https://doi.org/10.1145/41457.37504
type Set struct {
	state atomic.Pointer[state]
	once  sync.Once
	opts  []Option
}

// state is what a set has after its first use.
type state struct {
	clock      clock
	resolution time.Duration
	executor   func(f func())
	shards     []shard
}

// An Option adjusts a new [Set].
type Option func(*state)

// Resolution sets how much later than its deadline a timer may expire. The default is a
// millisecond. It is at least 50 microseconds, which few schedulers can keep, and at most an hour.
func Resolution(d time.Duration) Option {
	if d < 50*time.Microsecond || d > time.Hour {
		panic("timers: a resolution is from 50µs to 1h")
	}
	return func(s *state) { s.resolution = d }
}

// Executor makes the set give functions that are due to run, in place of starting a goroutine for
// each of them. The function run may call f, or hand it to other goroutines; each f must be called
// once, or Close waits forever. While run does not return, other timers are late. It may be called
// by several goroutines at once, and must not panic or end its goroutine.
func Executor(run func(f func())) Option {
	return func(s *state) { s.executor = run }
}

const tooMany = "timers: too many timers"

// New returns an empty set.
func New(opts ...Option) *Set { return &Set{opts: opts} }

// ready returns the state, which the first call makes.
func (s *Set) ready() *state {
	if st := s.state.Load(); st != nil {
		return st
	}
	s.once.Do(func() {
		st := &state{resolution: time.Millisecond}
		for _, o := range s.opts {
			o(st)
		}
		// A unit is the largest power of two within a third of the resolution: a deadline is
		// rounded up to it, and run rests for two.
		st.clock.shift = uint(bits.Len64(uint64(st.resolution)/3)) - 1
		st.clock.every, st.clock.within = st.resolution, wantedWithin
		st.clock.base = time.Now()
		st.shards = make([]shard, 2<<bits.Len(uint(runtime.GOMAXPROCS(0)-1)))
		for i := range st.shards {
			st.shards[i].init(st)
		}
		s.state.Store(st)
	})
	return s.state.Load()
}

// shares reports whether Resets to a duration may use the shared clock.
func (s *state) shares(d time.Duration) bool {
	return d >= shortest*s.resolution && s.clock.floor(int64(d)) < longest
}

// shard returns the shard of the calling goroutine, which is found by where its stack lies: the
// lock and the slots then stay in the cache of its processor.
func (s *state) shard() int {
	const golden = 0x9e3779b97f4a7c15
	var here byte
	return int(uint64(uintptr(unsafe.Pointer(&here))>>11) * golden >> 32 % uint64(len(s.shards)))
}

// AfterFunc calls f after the duration d, in a goroutine of its own unless an [Executor] was given.
// A duration that is negative counts as 0. One of 2³⁹ units or more is endless, where a unit is the
// largest power of two of nanoseconds within a third of the resolution: that is more than four
// years for a resolution of a millisecond, and 104 days for the smallest one. After Close,
// AfterFunc starts nothing.
//
// The function f must not use the Timer before it was assigned. AfterFunc returns a value, which
// the caller then copies to its place, and f may run before that. If f uses the Timer, start it
// with an endless duration, such as math.MaxInt64, and then Reset it.
//
// There can be 2²⁶ timers in each shard. AfterFunc panics if there are more.
func (s *Set) AfterFunc(d time.Duration, f func()) (t Timer) {
	if f == nil {
		panic("timers: the function is nil")
	}
	st := s.ready()
	at := st.clock.fromNow(d)
	first := st.shard()
	for i := range st.shards {
		sh := &st.shards[(first+i)%len(st.shards)]
		sh.mu.Lock()
		var reference uint64
		ok := true
		if !sh.closed {
			reference, ok = sh.start(at.now, at.to, d, f)
		}
		sh.mu.Unlock()
		if ok {
			t.shard, t.f = sh, f
			t.reference.Store(reference)
			return
		}
	}
	panic(tooMany)
}

// Len returns how many timers are pending.
func (s *Set) Len() (n int) {
	st := s.ready()
	for i := range st.shards {
		sh := &st.shards[i]
		sh.mu.Lock()
		n += sh.pending
		sh.mu.Unlock()
	}
	return n
}

// Close stops all timers, and waits until every function that was called has returned. It must not
// be called by such a function. AfterFunc and Reset then start nothing, and Reset and Stop report
// false.
func (s *Set) Close() {
	st := s.ready()
	st.clock.stop()
	for i := range st.shards {
		st.shards[i].close()
	}
	for i := range st.shards {
		st.shards[i].calls.Wait()
	}
}
