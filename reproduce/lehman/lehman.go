// Package lehman has the claims of Lehman, Keen and Barnes: how bins fill, that an event costs the same however many there are, what
// sorting a bin just in time takes, what cancelling takes, how much memory, and how long it took them. Their algorithms are here
// as they are printed, to be measured.
package lehman

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/reproduce"
)

const paper = "Lehman, Keen, Barnes 2012"

// Claims returns the claims of the paper, what is counted first.
func Claims() []reproduce.Claim {
	return []reproduce.Claim{
		spaceForTime(),
		emptyBins(),
		bestBins(),
		order1(),
		cancel(),
		jitSorting(),
		algorithm5(),
		increments(),
		gigabyte(),
		billion(),
		timing(),
		rate(),
		sixtyMillion(),
	}
}

// errEmpty says that a calendar ran out of events in the hold model, which keeps their number.
var errEmpty = errors.New("reproduce: the calendar is empty before its time")

// patience is how many operations are done between two looks at the context.
const patience = 1 << 18

// forEach calls do for 0 … n−1, in stretches, unless the context ends.
func forEach(ctx context.Context, n int, do func(i int) error) error {
	for from := 0; from < n; from += patience {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := from; i < min(from+patience, n); i++ {
			if err := do(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// scientific writes a number of events as the paper does: 10⁴, 6×10⁷.
func scientific(n float64) string {
	digits, power, _ := strings.Cut(fmt.Sprintf("%.2g", n), "e+")
	if power == "" {
		return digits
	}
	raised, err := strconv.Atoi(power)
	if err != nil {
		panic(err) // Sprintf writes nothing else
	}
	if digits == "1" {
		return "10" + reproduce.Superscript(raised)
	}
	return digits + "×10" + reproduce.Superscript(raised)
}
