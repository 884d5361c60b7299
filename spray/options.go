package spray

import "runtime"

// An Option is something to be said about a list when it is made.
type Option func(*options)

type options struct {
	processes int
	shape     *Walk
	seed      uint64
}

func defaults() options { return options{processes: runtime.GOMAXPROCS(0), seed: 1} }

func (o *options) walk() Walk {
	if o.shape != nil {
		return *o.shape
	}
	return usual(o.processes)
}

// Processes says how many goroutines will remove at once, unless told as many as may run at once. It decides how far sprays go.
func Processes(p int) Option {
	if p < 1 {
		panic("spray: there must be at least 1 process")
	}
	return func(o *options) { o.processes = p }
}

// mostPadding is that of FullSpray(65536, 1). A dummy takes 8 bytes.
const mostPadding = 1 << 24

// Spraying says how sprays walk: [PerfectSpray], [BasicSpray], [FullSpray], or another walk.
func Spraying(w Walk) Option {
	switch {
	case w.Start < 1 || w.Start > maxHeight:
		panic("spray: a walk begins at a height from 1 to 32")
	case w.Least < 0 || w.Most < w.Least:
		panic("spray: a walk makes from Least to Most steps, where 0 ≤ Least ≤ Most")
	case w.Padding < 0 || w.Exact < 0 || w.Descend < 0 || w.Final < 0:
		panic("spray: what a walk is told must not be negative")
	case w.Padding > mostPadding:
		panic("spray: a walk has at most 16,777,216 dummy elements before it")
	}
	return func(o *options) { o.shape = &w }
}

// Seed says where random numbers come from. With one goroutine the same seed gives the same walks.
func Seed(seed uint64) Option { return func(o *options) { o.seed = seed } }
