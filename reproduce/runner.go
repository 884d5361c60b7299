package reproduce

import (
	"context"
	"hash/fnv"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/internal/random"
)

// A Runner counts the runs that a claim is made of, and reports its progress. It has the claim's
// random numbers, which depend on the seed and the claim's name, so that what one claim draws does
// not change another's.
type Runner struct {
	Context     context.Context
	Options     Options
	name        uint64 // of the claim, hashed
	done, total int    // runs
}

// NewRunner returns a runner for a claim of that name, with the given total number of runs.
func NewRunner(ctx context.Context, o Options, name string, total int) *Runner {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return &Runner{Context: ctx, Options: o, name: hash.Sum64(), total: total}
}

// Checked returns the Run of a claim of that name. The check may end early by [Runner.Checkpoint],
// [Runner.FailOn] and [Must], at any depth, so that the functions in between need no error results.
func Checked(name string, check func(*Runner) Finding) func(context.Context, Options) (Finding, error) {
	return func(ctx context.Context, o Options) (f Finding, err error) {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case failure:
				f, err = Finding{}, p.error
			default:
				panic(p)
			}
		}()
		f = check(NewRunner(ctx, o, name, 1))
		o.ReportProgress(1)
		return f, nil
	}
}

// A failure is what a check panics with to end.
type failure struct{ error }

// FailOn ends the check with an error, unless that is nil.
func (r *Runner) FailOn(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns x, or ends the check with err if that is not nil.
func Must[T any](x T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return x
}

// Checkpoint ends the check if the context is done.
func (r *Runner) Checkpoint() { r.FailOn(r.Context.Err()) }

// CheckpointEvery calls Checkpoint if step is a multiple of steps. It is for loops whose steps take
// less than a microsecond.
func (r *Runner) CheckpointEvery(steps, step int) {
	if step%steps == 0 {
		r.Checkpoint()
	}
}

// Runs sets the total number of runs.
func (r *Runner) Runs(total int) { r.total = total }

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

// Stream returns the random stream of these words, which may be split further. All streams are
// independent.
func (r *Runner) Stream(words ...uint64) random.Stream {
	s := random.New(r.Options.Seed, r.name)
	for _, w := range words {
		s = s.At(w)
	}
	return s
}
