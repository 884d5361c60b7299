// Package lehman has the claims of Lehman, Keen and Barnes: how bins fill, that an event costs the same however many there are, what
// sorting a bin just in time takes, what cancelling takes, how much memory, and how long it took them. Their algorithms are here
// as they are printed, to be measured.
package lehman

import (
	_ "embed" // of claims.md
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/reproduce"
)

//go:embed claims.md
var text string

// Claims returns the claims of the paper, what is counted first.
func Claims() []reproduce.Claim {
	as := func(run *reproduce.Runner) *reproduce.Runner { return run }
	return reproduce.Read(text, as, map[string]func(*reproduce.Runner) reproduce.Finding{
		"lehman-5000-fold":     spaceForTime,
		"lehman-empty-bins":    emptyBins,
		"lehman-best-bins":     bestBins,
		"lehman-order-1":       order1,
		"lehman-cancel":        cancel,
		"lehman-jit-sorting":   jitSorting,
		"lehman-algorithm-5":   algorithm5,
		"lehman-increments":    increments,
		"lehman-gigabyte":      gigabyte,
		"lehman-billion":       billion,
		"lehman-timing":        timing,
		"lehman-rate":          rate,
		"lehman-sixty-million": sixtyMillion,
	})
}

// errEmpty says that a calendar ran out of events in the hold model, which keeps their number.
var errEmpty = errors.New("reproduce: the calendar is empty before its time")

// patience is how many operations are done between two looks at the context.
const patience = 1 << 18

// forEach calls do for 0 … n−1, in stretches.
func forEach(run *reproduce.Runner, n int, do func(i int) error) {
	for from := 0; from < n; from += patience {
		run.Checkpoint()
		for i := from; i < min(from+patience, n); i++ {
			run.FailOn(do(i))
		}
	}
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
