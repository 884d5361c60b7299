package spray

import (
	"runtime"
	"slices"
)

// An Option is something to be said about a [List] or a [Calendar] when it is made. [Processes], [Seed] and [Capacity] are for both;
// to give one an option that is only for the other is a bug of the caller, and panics.
type Option func(*options)

type options struct {
	processes int
	seed      uint64
	capacity  int

	walk *Walk // of a list, nil unless told

	per, lag int // of a calendar, 0 unless told
}

const (
	// defaultPer is how many queues a process has. One has the others wait when somebody comes to help; with three or four
	// there is more to fetch for one who does. See BenchmarkCalendarChoices. A single process has nobody who comes to help, and one queue,
	// which takes 0.9 of the time that two take.
	defaultPer = 2
	// defaultLag bounds how far processes drift apart. The rank error is proportional to it; with less, processes get into each other's
	// way.
	defaultLag = 16

	// maxReserved is how many bytes Capacity makes room for at most, about. A larger capacity is only a
	// promise of the caller's, and room for the rest is made when elements come.
	maxReserved = 1 << 28
	// maxPadding is that of FullSpray(65536, 1). A dummy takes 8 bytes.
	maxPadding = 1 << 24
)

func gather(opts []Option) options {
	o := options{processes: runtime.GOMAXPROCS(0), seed: 1}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// forList is what a list is told.
func forList(opts []Option) options {
	o := gather(opts)
	switch {
	case o.per != 0:
		panic("spray: PerProcess is for a Calendar; a List has no queues")
	case o.lag != 0:
		panic("spray: Sticky is for a Calendar; how far a List's sprays go is said by Processes or Spraying")
	case o.walk == nil:
		w := defaultWalk(o.processes)
		o.walk = &w
	}
	return o
}

// forCalendar is what a calendar is told.
func forCalendar(opts []Option) options {
	o := gather(opts)
	switch {
	case o.walk != nil:
		panic("spray: Spraying is for a List; how far a Calendar's processes drift apart is said by Sticky")
	case o.processes > 1<<16:
		panic("spray: a Calendar is for 1 to 65,536 processes")
	}
	if o.per == 0 {
		o.per = defaultPer
		if o.processes == 1 {
			o.per = 1
		}
	}
	if o.lag == 0 {
		o.lag = defaultLag
	}
	return o
}

// Processes says how many goroutines run at once and remove elements, not how many there are. The default is GOMAXPROCS. It decides how far a
// list's sprays go, and how many queues a calendar has, which must be for 65,536 processes at most. There a process takes some 256 bytes, and
// memory for its queues only when it has events; but who finds nothing, and [Calendar.Len], [Calendar.Peek] and [Calendar.Stats],
// look through all of them.
func Processes(p int) Option {
	if p < 1 {
		panic("spray: there must be at least 1 process")
	}
	return func(o *options) { o.processes = p }
}

// Seed says where random numbers come from. The default is 1. With one goroutine the same seed gives a list the same walks, and a
// calendar the same statistics. (The order of events is then exact in a calendar for one process, whatever the seed; if that has several queues,
// that of equal times may depend on it.)
func Seed(seed uint64) Option { return func(o *options) { o.seed = seed } }

// Capacity makes room for n elements up front, or for as many as 256 MB have room for, which is some
// millions of small ones; room for more is made as they come. The default is none: lists and
// calendars grow by themselves, and this saves them the copying.
func Capacity(n int) Option {
	if n < 0 {
		panic("spray: Capacity needs a number of elements, not a negative one")
	}
	return func(o *options) { o.capacity = n }
}

// PerProcess says how many queues a [Calendar] has for each process, 1 to 8. The default is 2, and 1 if there is one process.
func PerProcess(k int) Option {
	if k < 1 || k > maxPer {
		panic("spray: a process has 1 to 8 queues")
	}
	return func(o *options) { o.per = k }
}

// Sticky says how long a process of a [Calendar] stays with its own queues: until n events of a queue of another process come
// before its next one. The default is 16. The rank error is proportional to it, and so is how rarely processes get into each other's
// way.
func Sticky(n int) Option {
	if n < 1 {
		panic("spray: a process stays for at least 1 event")
	}
	return func(o *options) { o.lag = n }
}

// Spraying says how sprays of a [List] walk: [PerfectSpray], [BasicSpray], [FullSpray], or another walk. The default is a
// shorter one that suits the number of [Processes].
func Spraying(w Walk) Option {
	w.valid()
	w.Heights = slices.Clone(w.Heights)
	return func(o *options) { o.walk = &w }
}
