package calendartest

import (
	"errors"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

// backwards is a set that hands out its events in the wrong order.
type backwards struct{ *Reference }

func (b backwards) Next() (calendar.ID, float64, bool) {
	id, at, ok := b.Reference.Next()
	return id, -at, ok
}

func TestWorkloadsReportWhatIsWrong(t *testing.T) {
	j := NewJumps(Distributions()[0], 10, 1)
	if err := Hold(NewReference(0), 1, j); !errors.Is(err, ErrEmpty) {
		t.Errorf("hold on an empty set: %v, want %v", err, ErrEmpty)
	}
	if err := cancels(NewReference(0), 1, 10, j); !errors.Is(err, errMissing) {
		t.Errorf("cancels on an empty set: %v, want %v", err, errMissing)
	}
	s := NewReference(0)
	if err := Fill(s, 10, j); err != nil {
		t.Fatal(err)
	}
	if err := Fill(s, 10, j); !errors.Is(err, calendar.ErrScheduled) {
		t.Errorf("fill twice: %v, want %v", err, calendar.ErrScheduled)
	}
	if err := Hold(backwards{s}, 10, j); !errors.Is(err, errOrder) {
		t.Errorf("hold on a set that goes backwards: %v, want %v", err, errOrder)
	}
}

func TestGrowShrinkCanBeRepeated(t *testing.T) {
	j := NewJumps(Distributions()[0], 10, 1)
	s := NewReference(0)
	for range 3 {
		if err := GrowShrink(s, 10, 100, j); err != nil {
			t.Fatal(err)
		}
		if s.Len() != 10 {
			t.Fatalf("%d pending, want 10", s.Len())
		}
	}
}

// TestMeanAdvance checks the hold model itself: in its steady state n events advance the clock by
// the mean jump in n holds.
func TestMeanAdvance(t *testing.T) {
	const n, rounds = 500, 40
	for _, d := range Distributions() {
		if d.regime || d.Name == "pareto" {
			continue // no steady state, or no variance to derive a tolerance from
		}
		s, j := NewReference(0), NewJumps(d, n, 2)
		if err := errors.Join(Fill(s, n, j), Hold(s, rounds*n, j)); err != nil {
			t.Fatal(err)
		}
		// The jumps of one id are a renewal process: after time t it has had t/mean of them. The
		// bimodal has the largest deviation, 2.9; over all ids that is 2.9·√(rounds/n), and the
		// start adds up to one round.
		if got, want := s.Now(), rounds*d.Mean; got < want-3 || got > want+3 {
			t.Errorf("%s: the clock stands at %v after %d rounds, want %v ± 3", d.Name, got, rounds, want)
		}
	}
}
