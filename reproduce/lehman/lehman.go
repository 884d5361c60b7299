// Package lehman has the claims of Lehman, Keen and Barnes: in which order events leave, how bins
// fill, that an event costs the same however many there are, what sorting a bin just in time and
// cancelling an event take, how much memory, and how long it took them. Algorithms 1 to 5 are in
// algorithms.go as they are printed, to be measured.
//
//	results, err := reproduce.Run(ctx, lehman.Claims(), reproduce.Options{Seed: 1}, nil)
//
// # Files
//
// The calendar:
//
//	order1.go            steps for an event, by the number of events
//	empty_bins.go        how bins fill
//	best_bins.go         the best number of bins
//	cycle_width.go       the width of a cycle
//	adjacent_bins.go     whether an event is in its bin or beside it
//	sequence.go          the order in which events leave
//	space_for_time.go    footnote 2: an array with a slot for every key, against lists
//	many_orders.go       section 7: speed over other methods
//
// Its algorithms:
//
//	algorithms.go        Algorithms 1 to 5
//	cancel.go            Algorithm 2: cancelling
//	renumber.go          Algorithm 4: renumbering
//	algorithm5_claim.go  Algorithm 5: comparisons
//	stable.go            Algorithm 5: ties
//	jit_sorting.go       sorting a bin just in time
//
// Models, memory and time:
//
//	withholding.go       section 3: one event of each individual in the calendar
//	increments.go        section 5: the times from one event to the next
//	gigabyte.go          section 7: memory for 60 million individuals
//	billion.go           from 60 million individuals to 10⁹
//	timing.go            times, and the rate of events
//	sixty_million.go     a country
//	hold.go              the hold model, shared by several claims
package lehman

import (
	_ "embed" // of claims.md
	"errors"
	"fmt"
	"math"
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
		"lehman-5000-fold": func(run *reproduce.Runner) reproduce.Finding {
			return measureSpaceForTime(run, paperSpace, size(run, 10_000, 100_000))
		},
		"lehman-empty-bins": func(run *reproduce.Runner) reproduce.Finding {
			return measureEmptyBins(run, paperBins, size(run, 1_000_000, 60_000_000))
		},
		"lehman-best-bins": func(run *reproduce.Runner) reproduce.Finding {
			return measureBestBins(run, paperBins, paperSteps, size(run, 40_000, 1_000_000))
		},
		"lehman-order-1": func(run *reproduce.Runner) reproduce.Finding {
			return measureOrder1(run, paperOrder, sizes(run, []int{100, 1_000, 10_000, 100_000}, 1_000_000), 20)
		},
		"lehman-cancel": func(run *reproduce.Runner) reproduce.Finding {
			return measureCancel(run, paperCancel, size(run, 200_000, 2_000_000),
				sizes(run, []int{1, 10, 100, 1_000}, 10_000))
		},
		"lehman-jit-sorting": func(run *reproduce.Runner) reproduce.Finding {
			return measureSorting(run, paperSorting, sizes(run, []int{2, 10, 100, 1_000, 10_000}, 30_000),
				size(run, 200_000, 10_000_000))
		},
		"lehman-algorithm-5": func(run *reproduce.Runner) reproduce.Finding {
			return measureAlgorithm5(run, paperAlgorithm5, sizes(run, []int{1_000, 10_000, 100_000}, 1_000_000),
				sizes(run, []int{100, 300, 1_000}, 3_000))
		},
		"lehman-algorithm-5-stable": func(run *reproduce.Runner) reproduce.Finding {
			return measureStable(run, paperStable, size(run, 7, 8))
		},
		"lehman-algorithm-4": func(run *reproduce.Runner) reproduce.Finding {
			return measureRenumber(run, paperRenumbering, 100, []int{2, 10, 100}, size(run, 100_000, 1_000_000))
		},
		"lehman-in-sequence": func(run *reproduce.Runner) reproduce.Finding {
			return measureSequence(run, paperSequence, size(run, 50_000, 1_000_000))
		},
		"lehman-adjacent-bins": func(run *reproduce.Runner) reproduce.Finding {
			return measureAdjacent(run, paperAdjacent, sizes(run, []int{1_000, 100_000, 10_000_000}, 100_000_000))
		},
		"lehman-width": func(run *reproduce.Runner) reproduce.Finding {
			return measureWidth(run, paperWidth, size(run, 1_000, 10_000), 20)
		},
		"lehman-withholding": func(run *reproduce.Runner) reproduce.Finding {
			return measureWithholding(run, paperWithholding, size(run, 10_000, 100_000), size(run, 200_000, 2_000_000))
		},
		"lehman-many-orders": func(run *reproduce.Runner) reproduce.Finding {
			return measureOrders(run, paperOrders, sizes(run, []int{1_000, 10_000, 100_000}, 1_000_000))
		},
		"lehman-increments": func(run *reproduce.Runner) reproduce.Finding {
			return measureIncrements(run, paperIncrements, size(run, 20_000, 1_000_000), 20)
		},
		"lehman-increments-fit": func(run *reproduce.Runner) reproduce.Finding {
			return measureIncrementsFit(run, paperIncrements, size(run, 20_000, 1_000_000), 20)
		},
		"lehman-gigabyte": func(run *reproduce.Runner) reproduce.Finding {
			return measureGigabyte(run, paperMemory, size(run, 600_000, 60_000_000))
		},
		"lehman-billion": func(run *reproduce.Runner) reproduce.Finding {
			less, more := billionSizes(run)
			return measureBillion(run, paperBillion, less, more)
		},
		"lehman-timing": func(run *reproduce.Runner) reproduce.Finding {
			return measureTiming(run, sizes(run, []int{10_000, 100_000, 1_000_000}, 10_000_000, 60_000_000), 300_000)
		},
		"lehman-rate": func(run *reproduce.Runner) reproduce.Finding {
			return measureRate(run, sizes(run, []int{10_000, 100_000, 1_000_000}, 10_000_000, 60_000_000), 200_000)
		},
		"lehman-sixty-million": func(run *reproduce.Runner) reproduce.Finding {
			return measureSixtyMillion(run, sizes(run, []int{60_000, 600_000}, 60_000_000))
		},
	})
}

// size is a number of something, usually and at the paper's size.
func size(run *reproduce.Runner, usual, full int) int {
	if run.Options.Full {
		return full
	}
	return usual
}

// sizes are several, with those that are added at the paper's size.
func sizes(run *reproduce.Runner, usual []int, full ...int) []int {
	if run.Options.Full {
		return append(usual, full...)
	}
	return usual
}

// necessary adds a condition without which the claim is false. That it is met decides nothing: it
// is a control then, and the claim stays undecided.
func necessary(f *reproduce.Finding, what string, measured, expected, tolerance float64, because string) {
	kind := reproduce.Control
	if !(math.Abs(measured-expected) <= tolerance) {
		kind = reproduce.Printed
	}
	f.For(kind).Check(what, measured, expected, tolerance, because)
}

// errEmpty says that a calendar ran out of events in the hold model, which keeps their number.
var errEmpty = errors.New("reproduce: the calendar is empty before its time")

// patience is how many operations are done between two looks at the context.
const patience = 1 << 18

// forEach calls do for 0 … n−1, with a checkpoint before every patience of them.
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
