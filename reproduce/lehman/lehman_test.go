package lehman

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
)

// A check checks a claim.
type check = func(*reproduce.Runner) reproduce.Finding

// The claims with a reduced budget, as far as they depend on what the paper says.
func smallSpace(says spaceSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureSpaceForTime(run, says, 500)
	}
}

func smallBins(says binsSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureEmptyBins(run, says, 100_000)
	}
}

func smallBest(says binsSays, law stepsLaw) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureBestBins(run, says, law, 20_000)
	}
}

func smallOrder(says orderSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureOrder1(run, says, []int{100, 1000, 10_000}, 10)
	}
}

func smallCancel(says cancelSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureCancel(run, says, 20_000, []int{1, 10, 100})
	}
}

func smallSorting(says sortingSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureSorting(run, says, []int{2, 100, 1000}, 20_000)
	}
}

func smallAlgorithm5(says algorithm5Says) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureAlgorithm5(run, says, []int{1000, 20_000})
	}
}

func smallIncrements(says incrementsSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureIncrements(run, says, 5000, 10)
	}
}

func smallGigabyte(says memorySays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureGigabyte(run, says, 200_000)
	}
}

func smallBillion(says billionSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureBillion(run, says, 6000, 100_000)
	}
}

// small are the claims with a reduced budget.
var small = map[string]check{
	"lehman-5000-fold":   smallSpace(paperSpace),
	"lehman-empty-bins":  smallBins(paperBins),
	"lehman-best-bins":   smallBest(paperBins, paperSteps),
	"lehman-order-1":     smallOrder(paperOrder),
	"lehman-cancel":      smallCancel(paperCancel),
	"lehman-jit-sorting": smallSorting(paperSorting),
	"lehman-algorithm-5": smallAlgorithm5(paperAlgorithm5),
	"lehman-increments":  smallIncrements(paperIncrements),
	"lehman-gigabyte":    smallGigabyte(paperMemory),
	"lehman-billion":     smallBillion(paperBillion),
	"lehman-timing": func(run *reproduce.Runner) reproduce.Finding {
		return measureTiming(run, []int{100, 1000}, 1000)
	},
	"lehman-rate": func(run *reproduce.Runner) reproduce.Finding {
		return measureRate(run, []int{100, 1000}, 1000)
	},
	"lehman-sixty-million": func(run *reproduce.Runner) reproduce.Finding {
		return measureSixtyMillion(run, []int{1000, 10_000})
	},
}

// smallClaims are the claims of the paper, with their budgets reduced.
func smallClaims(t *testing.T) []reproduce.Claim {
	t.Helper()
	claims := Claims()
	if len(claims) != len(small) {
		t.Fatalf("%d claims, %d small versions", len(claims), len(small))
	}
	for i := range claims {
		run, ok := small[claims[i].Name]
		if !ok {
			t.Fatalf("%s has no small version", claims[i].Name)
		}
		claims[i].Run = reproduce.Checked(claims[i].Name, run)
	}
	return claims
}

func TestClaims(t *testing.T) {
	for _, c := range smallClaims(t) {
		t.Run(c.Name, func(t *testing.T) {
			reproducetest.Illustrated(t, reproducetest.Verdict(t, c, 1))
			if c.Paper != "Lehman, Keen, Barnes 2012" {
				t.Errorf("it is of %s", c.Paper)
			}
		})
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, smallClaims(t)) }

// What is timed decides nothing: these claims have no check of what is printed, whatever the clock
// says.
func TestTimeDecidesNothing(t *testing.T) {
	for _, c := range smallClaims(t) {
		if c.Found != reproduce.Undecided {
			continue
		}
		for _, k := range reproducetest.Run(t, c, reproduce.Options{Seed: 2}).Checks {
			if k.Kind != reproduce.Control {
				t.Errorf("%s: %s is %s", c.Name, k.What, k.Kind)
			}
		}
	}
}

// A paper that says otherwise, or a theory that is wrong, has another verdict.
func TestNotices(t *testing.T) {
	logarithm := func(n float64) float64 { return math.Log2(n) }
	spoiled := func(name string, run check) (c reproduce.Claim) {
		c = reproducetest.Named(t, Claims(), name)
		c.Run = reproduce.Checked(name, run)
		return c
	}
	before := map[string]reproduce.Result{}
	for _, test := range []struct {
		claim, name string
		want        reproduce.Verdict
		wrong       check
		checks      []string
	}{
		{"lehman-5000-fold", "10,000 fold", reproduce.DoesNotHold, smallSpace(spaceSays{10_000, 1_000_000, 10_000, 10_000}),
			[]string{"random order over"}},
		{"lehman-5000-fold", "N and a quarter to add", reproduce.DoesNotHold,
			smallSpace(spaceSays{10_000, 1_000_000, 5000, 12_500}), []string{"to add", "to delete"}},
		{"lehman-empty-bins", "a third empty", reproduce.DoesNotHold, smallBins(binsSays{0.33, 1.5}),
			[]string{"share of empty bins"}},
		{"lehman-empty-bins", "1.6 in a bin", reproduce.DoesNotHold, smallBins(binsSays{0.37, 1.6}),
			[]string{"non-empty bin"}},
		{"lehman-best-bins", "a quarter empty is best", reproduce.Holds, smallBest(binsSays{empty: 0.24}, paperSteps),
			[]string{"schedule and dispatch", "schedule, cancel and dispatch"}},
		{"lehman-best-bins", "a third empty is best", reproduce.DoesNotHold, smallBest(binsSays{empty: 0.33}, paperSteps),
			[]string{"best, schedule, cancel and dispatch"}},
		{"lehman-best-bins", "all tickets of a bin flipped through", reproduce.DoesNotHold,
			smallBest(paperBins, func(load, each float64) float64 { return dispatchSteps(load, each) + 1 + load }),
			[]string{"off the law at most, schedule, cancel"}},
		{"lehman-order-1", "Order log N", reproduce.DoesNotHold, smallOrder(orderSays{logarithm, paperOrder.cancel}),
			[]string{"finding the next", "cancelling"}},
		{"lehman-order-1", "1.5 entries to cancel in the hold model", reproduce.Undecided,
			smallOrder(orderSays{paperOrder.growth, 1.5}), []string{"entries to cancel"}},
		{"lehman-cancel", "two tickets", reproduce.Holds, smallCancel(cancelSays{2, paperCancel.average}),
			[]string{"tickets in the bin"}},
		{"lehman-cancel", "half of the tickets, without itself", reproduce.DoesNotHold,
			smallCancel(cancelSays{1, func(k float64) float64 { return k / 2 }}), []string{"looked at, 1 event",
				"for one of 10"}},
		{"lehman-jit-sorting", "half an operation", reproduce.DoesNotHold, smallSorting(sortingSays{0.5, 10}),
			[]string{"for a ticket"}},
		{"lehman-jit-sorting", "a hundred times", reproduce.DoesNotHold, smallSorting(sortingSays{2, 100}),
			[]string{"at random", "in order of time"}},
		{"lehman-algorithm-5", "N log N if partly sorted", reproduce.Holds,
			smallAlgorithm5(algorithm5Says{func(n float64) float64 { return n * math.Log2(n) }, paperAlgorithm5.worst,
				paperAlgorithm5.runs}), []string{"half new"}},
		{"lehman-algorithm-5", "N log₂ N − N at worst", reproduce.DoesNotHold,
			smallAlgorithm5(algorithm5Says{paperAlgorithm5.partly, func(n float64) float64 { return n*math.Log2(n) - n },
				paperAlgorithm5.runs}), []string{"all orders"}},
		{"lehman-algorithm-5", "N for any number of runs", reproduce.DoesNotHold,
			smallAlgorithm5(algorithm5Says{paperAlgorithm5.partly, paperAlgorithm5.worst, func(n, _ float64) float64 {
				return 2 * n
			}}), []string{"in reverse, by runs", "half new, by runs"}},
		{"lehman-increments", "14 s and 260 s", reproduce.Holds, smallIncrements(incrementsSays{14, 14, 260, 1e-6}),
			[]string{"random: standard deviation, s", "random: longest of"}},
		{"lehman-increments", "a deviation of 10 s", reproduce.DoesNotHold, smallIncrements(incrementsSays{14, 10, 53, 1e-6}),
			[]string{"53 s: standard deviation, s"}},
		{"lehman-increments", "a longest of 90 s", reproduce.DoesNotHold, smallIncrements(incrementsSays{14, 12, 90, 1e-6}),
			[]string{"53 s: standard deviation, s"}},
		{"lehman-increments", "a shortest of a nanosecond", reproduce.DoesNotHold,
			smallIncrements(incrementsSays{14, 12, 53, 1e-9}), []string{"random: shortest of", "53 s: shortest of"}},
		{"lehman-gigabyte", "less than 0.9 GB", reproduce.DoesNotHold, smallGigabyte(memorySays{0.9e9, 60e6, 75e6, 8, 4}),
			[]string{"as many bins", "the program grows, for"}},
		{"lehman-gigabyte", "integers of 8 bytes", reproduce.DoesNotHold, smallGigabyte(memorySays{1e9, 60e6, 75e6, 8, 8}),
			[]string{"as many bins"}},
		{"lehman-billion", "Order log N", reproduce.DoesNotHold, smallBillion(billionSays{logarithm, 1}),
			[]string{"schedule in sequence", "cancel at random", "dispatch at random"}},
		{"lehman-billion", "three times the steps at random", reproduce.DoesNotHold,
			smallBillion(billionSays{paperBillion.growth, 3}), []string{"scheduling"}},
	} {
		t.Run(strings.TrimPrefix(test.claim, "lehman-")+", "+test.name, func(t *testing.T) {
			if _, ok := before[test.claim]; !ok {
				before[test.claim] = reproducetest.Run(t, spoiled(test.claim, small[test.claim]), reproduce.Options{Seed: 1})
			}
			var got reproduce.Verdict
			reproducetest.Notices(t, before[test.claim], spoiled(test.claim, func(run *reproduce.Runner) reproduce.Finding {
				f := test.wrong(run)
				got = f.Verdict()
				return f
			}), 1, test.checks...)
			if got != test.want {
				t.Errorf("the verdict is %q, want %q", got, test.want)
			}
		})
	}
}

// What is drained is what was put in: bins with 0, 1, 2 … events, counted from outside.
func TestDrainBins(t *testing.T) {
	const n, m = 5000, 4000
	seed := random.New(3)
	run := reproduce.NewRunner(t.Context(), reproduce.Options{}, "test", 1)
	s := binsOf(run, seed, n, m)
	lengths := make([]int, m)
	for range n {
		lengths[int(seed.Float64()*m)]++
	}
	var want []float64
	for _, k := range lengths {
		for len(want) <= k {
			want = append(want, 0)
		}
		want[k]++
	}
	if got := drainBins(run, s, n, m); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Numbers of events are written as the paper does.
func TestScientific(t *testing.T) {
	for n, want := range map[float64]string{42: "42", 1e4: "10⁴", 6e7: "6×10⁷", 6.76e7: "6.8×10⁷",
		1e10: "10¹⁰"} {
		if got := scientific(n); got != want {
			t.Errorf("%v is %q, want %q", n, got, want)
		}
	}
}
