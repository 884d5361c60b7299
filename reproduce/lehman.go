package reproduce

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/random"
)

const lehmanPaper = "Lehman, Keen, Barnes 2012"

// lehmanClaims are those of Lehman, Keen and Barnes, what is counted first.
func lehmanClaims() []Claim {
	return []Claim{
		lehmanEmptyBins(),
		lehmanOrderOne(),
		lehmanSorting(),
		lehmanIncrements(),
		lehmanTiming(),
	}
}

// errLehmanEmpty says that a calendar ran out of events in the hold model, which keeps their number.
var errLehmanEmpty = errors.New("reproduce: the calendar is empty before its time")

// lehmanPatience is how many operations are done between two looks at the context.
const lehmanPatience = 1 << 18

// lehmanEach calls do for 0 … n−1, in stretches, unless the context ends.
func lehmanEach(ctx context.Context, n int, do func(i int) error) error {
	for from := 0; from < n; from += lehmanPatience {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := from; i < min(from+lehmanPatience, n); i++ {
			if err := do(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// lehmanHold is the hold model with exponential jumps of mean 1. Every jump is drawn anew: the mean of a table of jumps is
// off by more than what is measured here.
func lehmanHold(ctx context.Context, s calendartest.Set, ops int, r *random.Stream) error {
	return lehmanEach(ctx, ops, func(int) error {
		id, at, ok := s.Next()
		if !ok {
			return errLehmanEmpty
		}
		return s.Schedule(id, at+r.Exp())
	})
}

// lehmanNumber writes a number of events as the paper does: 10⁴, 6×10⁷.
func lehmanNumber(n float64) string {
	digits, power, _ := strings.Cut(fmt.Sprintf("%.2g", n), "e+")
	if power == "" {
		return digits
	}
	raised, err := strconv.Atoi(power)
	if err != nil {
		panic(err) // Sprintf writes nothing else
	}
	if digits == "1" {
		return "10" + Superscript(raised)
	}
	return digits + "×10" + Superscript(raised)
}
