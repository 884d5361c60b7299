package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/fit/internal/proposal"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// A likelihoodStage asks for likelihood estimates at points of the normal scale, with Runs runs
// each: task k is at point k mod the number of points, and each task has its own seed.
type likelihoodStage struct {
	Points [][]float64 `json:"points"`
	Runs   int         `json:"runs"`
	Seed   uint64      `json:"seed"`
}

// The numbers of its outputs: the logarithm, 1 if there is no model, 1 if it is by a filter.
const (
	answerLog = iota
	answerImpossible
	answerFiltered
)

func openLikelihoods(o model, s *likelihoodStage) (task, error) {
	if err := o.problem.checkPoints(s.Points); err != nil {
		return nil, err
	}
	if s.Runs < 1 {
		return nil, fmt.Errorf("fit: a likelihood of %d runs", s.Runs)
	}
	_, filtered := o.sim.(Filtered)
	return func(ctx context.Context, k int) (output, error) {
		e, err := o.likelihood(ctx, o.problem.values(s.Points[k%len(s.Points)]), s.Runs, runSeed(s.Seed, k))
		return output{[]float64{e.log, indicator(e.impossible), indicator(filtered)}, e.runs, e.events}, err
	}, nil
}

// A chainStage asks for a block of steps of each chain: task k continues chain k. The target is the
// prior times the likelihood to the power of Beta, which is 1 except in the warm-up.
type chainStage struct {
	States [][]float64   `json:"states"` // the state of each chain
	Logs   []float64     `json:"logs"`   // its log likelihood estimate; if empty, it is estimated first
	Beta   float64       `json:"beta"`
	Steps  int           `json:"steps"`
	Runs   int           `json:"runs"` // for each estimate
	Kernel proposal.Walk `json:"kernel"`

	// Jumps are proposals independent of the state. Steps and jumps are chosen at random,
	// independently of the state, and each leaves the target invariant, so the mixture does, too
	// [Tierney94]. A chain that is stuck, because its likelihood was overestimated or because it is
	// far out, leaves sooner by a jump than by steps.
	//
	// [Tierney94]: https://doi.org/10.1214/aos/1176325750
	Jumps     *proposal.Mixture `json:"jumps,omitempty"`
	JumpShare float64           `json:"jumpShare,omitempty"` // of the proposals
	Seed      uint64            `json:"seed"`
}

// Its outputs begin with the number of accepted steps and the number of proposals without a model.
// The states after each step follow, with their log likelihoods and paths; a step that was not
// accepted has no path: it is the one before.
const (
	chainAccepted = iota
	chainImpossible
	chainHead
)

func openChains(o model, s *chainStage) (task, error) {
	if err := o.problem.checkPoints(s.States); err != nil {
		return nil, err
	}
	if d := len(o.problem.Unknowns); s.Runs < 1 || s.Steps < 1 || len(s.Kernel.Lower) != d*d || len(s.Logs) != 0 &&
		len(s.Logs) != len(s.States) {
		return nil, fmt.Errorf("fit: a stage of chains is incomplete")
	}
	if s.Jumps != nil {
		if err := s.Jumps.Prepare(len(o.problem.Unknowns)); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, k int) (output, error) { return o.chain(ctx, s, k) }, nil
}

// chain takes steps of particle marginal Metropolis–Hastings [ADH10]: the estimate that a state was
// accepted with is kept with it and never renewed, which is what leaves the posterior invariant.
//
// [ADH10]: https://doi.org/10.1111/j.1467-9868.2009.00736.x
func (o model) chain(ctx context.Context, s *chainStage, k int) (output, error) {
	if k >= len(s.States) {
		return output{}, fmt.Errorf("fit: chain %d of %d", k, len(s.States))
	}
	stream := random.New(s.Seed, uint64(k))
	z := s.States[k]
	a := output{numbers: make([]float64, chainHead, chainHead+s.Steps*(len(z)+1))}
	estimate := func(z []float64) (float64, *Path, error) {
		e, err := o.likelihood(ctx, o.problem.values(z), s.Runs, stream.Uint64())
		a.runs += e.runs
		a.events += e.events
		a.numbers[chainImpossible] += indicator(e.impossible)
		return e.log, e.path, err
	}
	var now float64
	var path *Path // of the state, if it is new
	if len(s.Logs) > 0 {
		now = s.Logs[k]
	} else {
		var err error
		if now, path, err = estimate(z); err != nil {
			return a, err
		}
	}
	for range s.Steps {
		var next []float64
		back := 0.0 // log ratio of the proposal densities back and forth
		if s.Jumps != nil && stream.Float64() < s.JumpShare {
			next = s.Jumps.Draw(len(z), &stream)
			back = s.Jumps.LogDensity(z) - s.Jumps.LogDensity(next)
		} else {
			next = s.Kernel.Propose(z, &stream)
		}
		bar := detmath.Log(stream.Positive())
		there, itsPath, err := estimate(next)
		if err != nil {
			return a, err
		}
		// A chain may start where its first estimate is 0; it then accepts any point where it is not.
		if ratio := float64(s.Beta*(there-now)) + proposal.LogPrior(next) - proposal.LogPrior(z) + back; !math.IsInf(there,
			-1) &&
			(math.IsInf(now, -1) || bar < ratio) {
			z, now, path = next, there, itsPath
			a.numbers[chainAccepted]++
		}
		a.numbers = path.pack(append(append(a.numbers, z...), now))
		path = nil
	}
	return a, nil
}
