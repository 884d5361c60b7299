package reproduce

import (
	"context"
	"hash/fnv"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/internal/random"
)

// A Runner counts the runs that a claim is made of, and reports its progress. It has the claim's random numbers, which depend on
// the seed and the claim's name, so that what one claim draws does not change another's.
type Runner struct {
	Context     context.Context
	Options     Options
	name        uint64 // of the claim, hashed
	done, total int    // runs
}

// NewRunner returns a runner for a claim of that name, with so many runs in all.
func NewRunner(ctx context.Context, o Options, name string, total int) *Runner {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return &Runner{Context: ctx, Options: o, name: hash.Sum64(), total: total}
}

// Ran reports that another run is done.
func (r *Runner) Ran() {
	r.done++
	r.Options.ReportProgress(min(1, float64(r.done)/float64(r.total)))
}

// Done returns how many runs are done.
func (r *Runner) Done() int { return r.done }

// Random returns the generator of a stream.
func (r *Runner) Random(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(r.Options.Seed, r.name+stream))
}

// Stream returns the stream of those words, which may be split further. All streams are independent.
func (r *Runner) Stream(words ...uint64) random.Stream {
	s := random.New(r.Options.Seed, r.name)
	for _, w := range words {
		s = s.At(w)
	}
	return s
}
