package engine

import (
	"context"
	"errors"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// A Past is how a run came to a time: with which seed it started, and when and with which
// seeds it was forked on the way. From there on a run that goes on with it has a seed of its own.
type Past struct {
	Seed  uint64
	Forks []Fork  // in the order of their times
	Until float64 // since the start
	// ForkSeed is the seed of the fork at that time.
	ForkSeed uint64
	// Fingerprint is that of the run at that time, before the fork; 0 if it is not known.
	Fingerprint uint64
	Saved       bool // there is no fork at that time: the state is saved there
	Place       int  // of its state, if it goes on with one that was saved
}

// A Fork is a fork of a run at a time since the start.
type Fork struct {
	At   float64
	Seed uint64
}

// ErrOtherPast is returned by a run that goes on with a past and does not come to where that came.
var ErrOtherPast = errors.New("the run is not the one that it should go on with")

// pass follows the past up to a time: it advances to each fork and makes it.
func (r *Run) pass(ctx context.Context, past *Past, done *int, at float64, progress func(float64, uint64)) error {
	for past != nil && *done <= len(past.Forks) {
		next := Fork{past.Until, past.ForkSeed}
		last := *done == len(past.Forks)
		if !last {
			next = past.Forks[*done]
		}
		if next.At > at+r.Program.TimeTolerance {
			return nil
		}
		if err := r.Advance(ctx, next.At, progress); err != nil {
			return err
		}
		if last && past.Fingerprint != 0 && past.Fingerprint != r.Fingerprint() {
			return ErrOtherPast
		}
		if !last || !past.Saved {
			r.renew(next.Seed)
		}
		*done++
	}
	return nil
}

// renew makes the run its own fork: all that is to come is drawn again. It must be forkable.
func (r *Run) renew(seed uint64) {
	r.Queue.Reset(0)
	r.Redraw(seed)
}

// Fingerprint is a hash of all that the run has counted so far. It is never 0.
func (r *Run) Fingerprint() uint64 {
	h := fingerprint(1)
	for _, n := range r.Counts {
		h.add(uint64(n))
	}
	return h.of(r.Flows, r.Named)
}

// Fingerprint is that of the run at a row.
func (rec *Recording) Fingerprint(m *program.Program, row int) uint64 {
	h := fingerprint(1)
	states, flows, names := len(m.Counted), len(m.Flows), len(m.CountedNames)
	for _, n := range rec.All.Counts[row*states : (row+1)*states] {
		h.add(uint64(n))
	}
	return h.of(rec.All.Flows[row*flows:(row+1)*flows], rec.All.Named[row*names:(row+1)*names])
}

// fingerprint is the FNV-1a hash with words in place of bytes, and a shift that brings high bits
// down.
type fingerprint uint64

func (h *fingerprint) add(x uint64) {
	y := (uint64(*h) ^ x) * 0x100000001b3
	*h = fingerprint(y ^ y>>29)
}

func (h fingerprint) of(flows, named []uint64) uint64 {
	for _, n := range flows {
		h.add(n)
	}
	for _, n := range named {
		h.add(n)
	}
	return max(1, uint64(h))
}
