package relaxed

import "runtime"

// An Option adjusts a new [Queue].
type Option func(*options)

type options struct {
	concurrency int
	seed        uint64
	capacity    int

	// Only tests set these. The defaults were chosen by BenchmarkQueueChoices.
	per, lag int // 0 means the default
}

const (
	// defaultPer is the number of subqueues of a shard. With one, others have to wait when a
	// goroutine comes to help; with three or four, a goroutine that helps has more to fetch. With a
	// concurrency of 1 none helps, and there is one subqueue, which takes 0.9 of the time that two
	// take.
	defaultPer = 2
	// defaultLag bounds how far shards drift apart: a goroutine stays with its own shard until so
	// many events of a subqueue of another come before its own next one. The rank error is
	// proportional to it; with less, goroutines get into each other's way.
	defaultLag = 16

	// maxReserved is how many bytes Capacity makes room for at most, about. A larger capacity is
	// only a promise of the caller's, and room for the rest is made when events come.
	maxReserved = 1 << 28

	maxConcurrency = 1 << 16
)

func apply(opts []Option) options {
	o := options{concurrency: min(runtime.GOMAXPROCS(0), maxConcurrency), seed: 1}
	for _, opt := range opts {
		opt(&o)
	}
	if o.per == 0 {
		o.per = defaultPer
		if o.concurrency == 1 {
			o.per = 1
		}
	}
	if o.lag == 0 {
		o.lag = defaultLag
	}
	return o
}

// Concurrency says how many goroutines run at once and remove events, not how many there are: 1 to
// 65,536. The default is GOMAXPROCS. It decides how many shards the queue has. A shard takes some
// 256 bytes, and memory for its events only when it has some; but a call that finds nothing, and
// [Queue.Len], [Queue.Peek] and [Queue.Stats], look through all of them.
func Concurrency(n int) Option {
	if n < 1 || n > maxConcurrency {
		panic("relaxed: Concurrency needs a number from 1 to 65,536")
	}
	return func(o *options) { o.concurrency = n }
}

// Seed seeds the scattering of events over the subqueues of a shard. The default is 1. With one
// goroutine the same seed gives the same statistics. The order of events with a Concurrency of 1 is
// exact whatever the seed.
func Seed(seed uint64) Option { return func(o *options) { o.seed = seed } }

// Capacity makes room for n events up front, or for as many as fit into 256 MB, which is some
// millions of small ones; room for more is made as they come. The default is none: a queue grows by
// itself, and this saves the copying.
func Capacity(n int) Option {
	if n < 0 {
		panic("relaxed: Capacity needs a number of events, not a negative one")
	}
	return func(o *options) { o.capacity = n }
}
