// Package erickson has the claims of Erickson, Ladner and LaMarca about static calendar queues:
// what an event costs by the width and the number of buckets, and how little the shape of the jumps
// matters.
//
//	results, err := reproduce.Run(ctx, erickson.Claims(), reproduce.Options{Seed: 1}, nil)
//
// # Files
//
// The conference paper:
//
//	width.go          cost by the width: Figure 1, Theorems 2.1 and 2.2
//	buckets.go        cost by the number of buckets: Figures 2 and 3, Theorems 3.1 and 3.2
//	cache.go          section 4: the calendar with caches
//	ordered_lists.go  the open question of section 4
//	markov_chain.go   section 2: the model without a calendar
//	invariant.go      sections A.1 and A.3: the invariant distribution
//	occupancy.go      sections A.3 and A.4: what a bucket holds
//	independence.go   appendix B
//
// The journal version:
//
//	journal.go        the cost at any width, and the best width
//	calibration.go    calibration
//	self_tuning.go    the open problem of the conclusion
//
// Shared by several claims:
//
//	formulas.go       the papers' formulas
//	exact.go          formulas of our own, which are exact
//	jumps.go          distributions of jumps
//	hold.go           the hold model, measured
package erickson

import (
	_ "embed" // of claims.md

	"github.com/almanac-sim/almanac/reproduce"
)

//go:embed claims.md
var text string

// Claims returns the claims of the paper, in its order, and then those that only the journal
// version has.
func Claims() []reproduce.Claim {
	return claims(effort{scale: 1, formulas: paperFormulas()})
}

// claims are those of the paper, checked with some effort.
func claims(e effort) []reproduce.Claim {
	with := func(r *reproduce.Runner) *runner { return &runner{r, e} }
	return reproduce.Read(text, with, map[string]func(*runner) reproduce.Finding{
		"figure-1":                   figure1,
		"figure-2":                   figure2,
		"markov-chain":               markovChain,
		"theorem-2.1-orders":         theorem21Orders,
		"shape-independence":         shapeIndependence,
		"atom-near-zero":             atomNearZero,
		"empty-share":                emptyShare,
		"equation-13":                equation13,
		"equations-15-and-16":        equations15and16,
		"recurrence":                 recurrence,
		"product-measure":            productMeasure,
		"uniform-g":                  uniformG,
		"appendix-b-independence":    appendixB,
		"theorem-3.1":                theorem31,
		"theorem-3.2":                theorem32,
		"corollary-3.1":              corollary31,
		"corollary-3.2-and-3.3":      corollary32,
		"figure-3":                   figure3,
		"cache-effects":              cacheEffects,
		"ordered-lists":              orderedLists,
		"journal-any-width":          journalAnyWidth,
		"journal-global-minimum":     journalMinimum,
		"journal-calibration-counts": calibrationCounts,
		"journal-self-tuning":        selfTuning,
		"journal-calibration":        journalCalibration,
	})
}

// An effort says how many events are simulated, relative to the usual, and what they are compared
// with. Tests spend less, and try theories that are wrong.
type effort struct {
	scale float64
	formulas
}

// A runner runs holds for a claim.
type runner struct {
	*reproduce.Runner
	effort
}

// events is how many events to simulate where usual is the usual number. Ten times as many divide a
// standard error by three.
func (r *runner) events(usual int) int {
	if r.Options.Full {
		usual *= 10
	}
	return max(100*batches, int(r.scale*float64(usual)))
}
