package spray

import (
	"runtime"
	"slices"
)

// An Option adjusts a new [List].
type Option func(*options)

type options struct {
	concurrency int
	seed        uint64
	capacity    int
	walk        *Walk // nil means the default
}

const (
	// maxReserved is how many bytes Capacity makes room for at most, about. A larger capacity is
	// only a promise of the caller's, and room for the rest is made when elements come.
	maxReserved = 1 << 28
	// maxPadding is that of FullSpray(65536, 1). A dummy takes 8 bytes.
	maxPadding = 1 << 24
)

func apply(opts []Option) options {
	o := options{concurrency: runtime.GOMAXPROCS(0), seed: 1}
	for _, opt := range opts {
		opt(&o)
	}
	if o.walk == nil {
		w := defaultWalk(o.concurrency)
		o.walk = &w
	}
	return o
}

// Concurrency says how many goroutines run at once and remove elements, not how many there are. The
// default is GOMAXPROCS. It decides how far sprays go.
func Concurrency(n int) Option {
	if n < 1 {
		panic("spray: Concurrency needs a number of 1 or more")
	}
	return func(o *options) { o.concurrency = n }
}

// Seed seeds the random walks. The default is 1. With one goroutine the same seed gives the same
// walks.
func Seed(seed uint64) Option { return func(o *options) { o.seed = seed } }

// Capacity makes room for n elements up front, or for as many as fit into 256 MB, which is some
// millions of small ones; room for more is made as they come. The default is none: a list grows by
// itself, and this saves the copying.
func Capacity(n int) Option {
	if n < 0 {
		panic("spray: Capacity needs a number of elements, not a negative one")
	}
	return func(o *options) { o.capacity = n }
}

// Spraying says how sprays walk: [PerfectSpray], [BasicSpray], [FullSpray], or another walk. The
// default is a shorter one that suits the [Concurrency].
func Spraying(w Walk) Option {
	w.valid()
	w.Heights = slices.Clone(w.Heights)
	return func(o *options) { o.walk = &w }
}
