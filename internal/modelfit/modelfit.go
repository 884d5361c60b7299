// Package modelfit is what the packages of this module know of a fit of a model file, and users of
// package population do not: how a column is observed, runs with values of the unknowns, and where
// values come from that differ between replicas.
//
// Package population implements it. Package study, which makes a problem of package fit of it, is
// not below population and cannot import a population/internal package; this one imports neither.
package modelfit

import (
	"context"
	"errors"
)

// A Match is a column of the data and what it is compared with.
type Match struct {
	Column string
	// Kind is incidence or seen: since the row before; flow: since the start; state, survey or value:
	// at the time of the row.
	Kind   string
	Of     string              // a flow, a name, a state, an observation or a value
	Tested string              // of a survey: the column of how many were tested
	Where  map[string][]string // the values that attributes have in the group that is counted; nil means everybody
	Error  string              // the law of the observation: poisson, negative binomial, normal or binomial
}

// An Observation is how a column is observed, with some values of the unknowns.
type Observation struct {
	Observed float64 // the probability that an individual is observed
	Error    string  // as in [Match]
	Arg      float64 // dispersion, or standard deviation
	Relative bool    // the standard deviation is a share of the expected value
}

// A Fit runs a model with values of its unknowns, in the order and the units of the fit. It may be
// used from several goroutines at once.
type Fit interface {
	// Matches are the columns of the data. The slice must not be changed.
	Matches() []Match

	// Observed returns how the columns are observed in a *population.Model: that of the fit with
	// other values of its parameters.
	Observed(model any) ([]Observation, error)

	// Trials returns trials that observe the model at ascending times on its clock; a run ends with
	// the last. The section record of the file is ignored.
	Trials(times []float64) Trials

	// Follow begins a run that stops at ascending times on the model's clock. Without forks it is the
	// run of Trials with the same values and seed. If there is no model with these values, the error
	// is of type population.Problems.
	Follow(ctx context.Context, times, x []float64, seed uint64) (Followed, error)
}

// Trials run a model with values of the unknowns and return what would be observed at given times,
// on average. They reuse the memory of one run for the next. They must not be used from several
// goroutines at once; several Trials may.
type Trials interface {
	// Run runs the model once. The trial depends on the values and the seed alone: it is the first
	// replica of a run with that seed. If there is no model with these values, the error is of type
	// population.Problems.
	Run(ctx context.Context, x []float64, seed uint64) (Trial, error)
}

// A Trial is the outcome of one run.
type Trial struct {
	Means        [][]float64   // by column and time: the probability of being observed times the count
	Observations []Observation // by column
	Events       uint64

	// Fingerprint returns a hash of all that the run has counted up to a row. It is never 0.
	Fingerprint func(row int) uint64
}

// A Followed is a run with values of the unknowns that advances from one time of the data to the
// next and can be forked at each, as a particle filter needs it. It must not be used from several
// goroutines at once; several may.
type Followed interface {
	// Step advances to the next time and returns the expected observation of each column: the
	// probability of being observed times the count. The slice is valid until the next step.
	Step(ctx context.Context) ([]float64, error)

	// Fork returns a second run with the same past and another future, as population.Process.Fork
	// does.
	Fork(seed uint64) (Followed, error)

	// Observations are how the columns are observed.
	Observations() []Observation

	// Events is the number of events since the start, before a fork included.
	Events() uint64

	// Fingerprint is that of a [Trial], at the present time.
	Fingerprint() uint64

	// Close releases the memory of the run. It may be called more than once.
	Close()
}

// A Past is how a run came to a time. A replica that goes on with it is the same run up to that
// time, byte for byte; from there on all that is to come is drawn again, as by a fork.
type Past struct {
	Seed        uint64
	Forks       []Fork  // in the order of their times
	Until       float64 // on the model's clock
	Luck        uint64  // of the fork at that time
	Fingerprint uint64  // of the run at that time; 0 if it is not known
	Saved       bool    // there is no fork at that time: the state is saved there
	Place       int     // of its state among those of SetStates
}

// ErrOtherPast says that a run is not the one that it should go on with.
var ErrOtherPast = errors.New("it does not come to where the run of the fit was at the last data point: the model, a " +
	"table or the program is another one since; run the model.yaml of the fit, fit again, or use --parameters-only")

// A Fork is a fork on the way.
type Fork struct {
	Time float64 // on the model's clock
	Luck uint64
}

// Drawn says where the values come from that differ between replicas.
type Drawn struct {
	From       string   `json:"from"` // the path of a table
	Rows       int      `json:"rows"`
	Effective  float64  `json:"effective"`  // the effective sample size
	Parameters []string `json:"parameters"` // whose values are drawn
	// Last is the time of the last data point, up to which replicas are runs of the fit; nil if they
	// start afresh.
	Last *float64 `json:"last,omitempty"`
}

// Package population sets these variables when it is initialised, and nothing changes them later.
// Their arguments are any because this package cannot import population.
var (
	// Of returns how a *population.Fit is run.
	Of func(fit any) Fit

	// SetDrawn records in a *population.Result where values come from that differ between replicas.
	// All replicas have the same if d is nil.
	SetDrawn func(result any, d *Drawn)

	// SetPast makes the replicas of a run go on with a past: options is a *population.Options. The
	// error of a replica that does not come to where its past came is an ErrOtherPast.
	SetPast func(options any, past func(replica int) Past)

	// Passed says which interventions of a *population.Model were before the time of population.After,
	// or at it, so that its changes come too late for them, or undo them.
	Passed func(model any) []string

	// SetSaved says what the states are that a run saves: options is a *population.Options. Rows are
	// those of a sample, with their weights.
	SetSaved func(options any, rows []int, weights []float64)

	// SetStates makes the replicas of SetPast go on with saved states, in place of running up to them:
	// state is a *population.State.
	SetStates func(options, state any)

	// KeepRows returns a population.Change: up to the time of population.After, rows are those of the
	// saved run.
	KeepRows func() any

	// SameModel returns an error if a *population.Model is another than that of a *population.State.
	SameModel func(model, state any) error

	// Delayed reports whether an observation of a *population.Model counts after a delay.
	Delayed func(model any, observation int) bool

	// DrawnOf returns what SetDrawn recorded in a *population.Result.
	DrawnOf func(result any) *Drawn
)
