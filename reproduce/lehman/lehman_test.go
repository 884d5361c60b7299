package lehman

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population"
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
		return measureAlgorithm5(run, says, []int{1000, 20_000}, []int{100, 400})
	}
}

func smallStable(sort sorting) check {
	return func(run *reproduce.Runner) reproduce.Finding { return measureStable(run, sort, 5) }
}

func smallRenumber(renumber renumbering) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureRenumber(run, renumber, 100, []int{2, 10}, 5000)
	}
}

func smallSequence(says sequenceSays) check {
	return func(run *reproduce.Runner) reproduce.Finding { return measureSequence(run, says, 5000) }
}

func smallAdjacent(says adjacentSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureAdjacent(run, says, []int{100, 5_000_000})
	}
}

func smallWidth(says widthSays) check {
	return func(run *reproduce.Runner) reproduce.Finding { return measureWidth(run, says, 300, 20) }
}

func smallWithholding(says withholdingSays) check {
	return func(run *reproduce.Runner) reproduce.Finding { return measureWithholding(run, says, 1000, 20_000) }
}

func smallOrders(says ordersSays) check {
	return func(run *reproduce.Runner) reproduce.Finding { return measureOrders(run, says, []int{100, 1000}) }
}

func smallIncrements(says incrementsSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureIncrements(run, says, 2000, 10)
	}
}

func smallIncrementsFit(says incrementsSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureIncrementsFit(run, says, 5000, 10)
	}
}

func smallGigabyte(says memorySays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureGigabyte(run, says, 500_000)
	}
}

func smallBillion(says billionSays) check {
	return func(run *reproduce.Runner) reproduce.Finding {
		return measureBillion(run, says, 6000, 100_000)
	}
}

// small are the claims with a reduced budget.
var small = map[string]check{
	"lehman-5000-fold":          smallSpace(paperSpace),
	"lehman-empty-bins":         smallBins(paperBins),
	"lehman-best-bins":          smallBest(paperBins, paperSteps),
	"lehman-order-1":            smallOrder(paperOrder),
	"lehman-cancel":             smallCancel(paperCancel),
	"lehman-adjacent-bins":      smallAdjacent(paperAdjacent),
	"lehman-in-sequence":        smallSequence(paperSequence),
	"lehman-jit-sorting":        smallSorting(paperSorting),
	"lehman-algorithm-4":        smallRenumber(paperRenumbering),
	"lehman-algorithm-5":        smallAlgorithm5(paperAlgorithm5),
	"lehman-algorithm-5-stable": smallStable(paperStable),
	"lehman-width":              smallWidth(paperWidth),
	"lehman-withholding":        smallWithholding(paperWithholding),
	"lehman-many-orders":        smallOrders(paperOrders),
	"lehman-increments":         smallIncrements(paperIncrements),
	"lehman-increments-fit":     smallIncrementsFit(paperIncrements),
	"lehman-gigabyte":           smallGigabyte(paperMemory),
	"lehman-billion":            smallBillion(paperBillion),
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

// found are the results of the small claims, by name, once they are known.
var found sync.Map

func TestClaims(t *testing.T) {
	for _, c := range smallClaims(t) {
		t.Run(c.Name, func(t *testing.T) {
			f := reproducetest.Verdict(t, c, 1)
			reproducetest.Illustrated(t, f)
			found.Store(c.Name, reproduce.Result{Name: c.Name, Verdict: f.Verdict(), Checks: f.Checks, Finding: f})
			if c.Paper != "Lehman, Keen, Barnes 2012" {
				t.Errorf("it is of %s", c.Paper)
			}
		})
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, smallClaims(t)) }

// Time decides nothing, nor does a model of ours about the authors' model: undecided claims have no
// check of what is printed, whatever the clock says.
func TestUndecided(t *testing.T) {
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

// threshold is one of a test.
func threshold(value float64) reproduce.Threshold {
	return reproduce.Threshold{Name: "Test", Value: value, Why: "of a test"}
}

// turned is Algorithm 5 for a list that was turned round before: equal entries come out in reverse.
func turned(s *sorter, first int32) int32 {
	var before int32
	for i := first; i > 0; {
		next := s.links[i]
		s.links[i] = before
		before, i = i, next
	}
	return s.sort(before)
}

// sequence is what is said of the sequence, changed.
func sequence(change func(*sequenceSays)) sequenceSays {
	s := paperSequence
	change(&s)
	return s
}

// A paper that says otherwise, or a theory that is wrong, has another verdict.
func TestNotices(t *testing.T) {
	logarithm := func(n float64) float64 { return math.Log2(n) }
	spoiled := func(name string, run check) (c reproduce.Claim) {
		c = reproducetest.Named(t, Claims(), name)
		c.Run = reproduce.Checked(name, run)
		return c
	}
	before := func(name string) reproduce.Result {
		if r, ok := found.Load(name); ok {
			return r.(reproduce.Result)
		}
		r := reproducetest.Run(t, spoiled(name, small[name]), reproduce.Options{Seed: 1})
		found.Store(name, r)
		return r
	}
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
		{"lehman-best-bins", "a third empty is best", reproduce.DoesNotHold, smallBest(binsSays{empty: 0.33}, paperSteps),
			[]string{"best, schedule, cancel and dispatch"}},
		{"lehman-best-bins", "all tickets of a bin flipped through", reproduce.Undecided,
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
		{"lehman-jit-sorting", "half an operation", reproduce.DoesNotHold,
			smallSorting(sortingSays{0.5, paperSorting.faster}), []string{"for a ticket"}},
		{"lehman-jit-sorting", "a hundred times", reproduce.DoesNotHold, smallSorting(sortingSays{2, threshold(0.01)}),
			[]string{"at random", "in order of time"}},
		{"lehman-algorithm-5", "N log N for lists that remain", reproduce.DoesNotHold,
			smallAlgorithm5(algorithm5Says{func(n float64) float64 { return n * math.Log2(n) }, paperAlgorithm5.worst,
				paperAlgorithm5.runs}), []string{"remaining lists: comparisons with"}},
		{"lehman-algorithm-5", "N log₂ N − N at worst", reproduce.DoesNotHold,
			smallAlgorithm5(algorithm5Says{paperAlgorithm5.partly, func(n float64) float64 { return n*math.Log2(n) - n },
				paperAlgorithm5.runs}), []string{"all orders"}},
		{"lehman-algorithm-5", "N for any number of runs", reproduce.DoesNotHold,
			smallAlgorithm5(algorithm5Says{paperAlgorithm5.partly, paperAlgorithm5.worst, func(n, _ float64) float64 {
				return 2 * n
			}}), []string{"in reverse, by runs", "half new, by runs"}},
		{"lehman-algorithm-5-stable", "equal entries turned round", reproduce.DoesNotHold, smallStable(turned),
			[]string{"equal ones are not"}},
		{"lehman-algorithm-4", "the new number is due at once", reproduce.DoesNotHold,
			smallRenumber(func(c *paperCalendar, n, m int32) error {
				if err := c.cancel(m); err != nil {
					return err
				}
				return c.schedule(n, c.now)
			}), []string{"time of the old number", "not the earliest"}},
		{"lehman-algorithm-4", "the old number stays", reproduce.DoesNotHold,
			smallRenumber(func(c *paperCalendar, n, m int32) error { return c.schedule(n, c.at[m]) }),
			[]string{"not free"}},
		{"lehman-in-sequence", "few digits and powers of two only", reproduce.Holds,
			smallSequence(sequence(func(s *sequenceSays) {
				s.example, s.again = shape{20, 128}, shape{20, 128}
				s.printed, s.printedSameTime = s.saved, s.savedSameTime
			})), []string{"0.7999999999999999", "20.2 again"}},
		{"lehman-in-sequence", "0.7 saves it", reproduce.DoesNotHold, smallSequence(sequence(func(s *sequenceSays) {
			s.saved = []shape{{0.125, 10}, {0.7, 10}}
		})), nil},
		{"lehman-in-sequence", "nothing is needed of Qn", reproduce.DoesNotHold,
			smallSequence(sequence(func(s *sequenceSays) { s.savedSameTime = []shape{{20, 100}} })), nil},
		{"lehman-in-sequence", "a power of two saves 0.1", reproduce.DoesNotHold,
			smallSequence(sequence(func(s *sequenceSays) { s.savedSameTime = []shape{{0.1, 16}} })), nil},
		{"lehman-adjacent-bins", "whole numbers and not too far ahead", reproduce.Holds,
			smallAdjacent(adjacentSays{[]float64{20}, paperAdjacent.saved, 1e15, 1 << 52}), []string{"many cycles ahead"}},
		{"lehman-adjacent-bins", "0.3 saves it", reproduce.DoesNotHold,
			smallAdjacent(adjacentSays{paperAdjacent.printed, []float64{0.125, 0.3}, 1e17, 1 << 52}), nil},
		{"lehman-adjacent-bins", "whole numbers at any distance", reproduce.DoesNotHold,
			smallAdjacent(adjacentSays{paperAdjacent.printed, paperAdjacent.saved, 1e17, 1 << 57}),
			[]string{"as the condition allows"}},
		{"lehman-width", "large is small", reproduce.DoesNotHold,
			smallWidth(widthSays{paperWidth.small, paperWidth.large, 1, paperWidth.law}),
			[]string{"much too large: share", "much too small: share"}},
		{"lehman-width", "even over all bins", reproduce.Undecided, smallWidth(widthSays{100, 0.01, 1, widthLaw{
			near: func(float64) float64 { return 0.1 }, later: paperWidth.law.later}}),
			[]string{"tenth of the bins, width 100"}},
		{"lehman-withholding", "fewer than a fifth", reproduce.DoesNotHold,
			smallWithholding(withholdingSays{threshold(0.2), 1, 1}), []string{"events in the calendar, the earliest"}},
		{"lehman-withholding", "a hundredth of the cancels", reproduce.DoesNotHold,
			smallWithholding(withholdingSays{paperWithholding.events, 0.01, 1}), []string{"cancelled"}},
		{"lehman-withholding", "two events an individual", reproduce.DoesNotHold,
			smallWithholding(withholdingSays{paperWithholding.events, 1, 2}), []string{"fewest", "most"}},
		{"lehman-many-orders", "ten times", reproduce.Holds, smallOrders(ordersSays{threshold(1), 6e7, 30}),
			[]string{"heap of 60 million"}},
		{"lehman-many-orders", "with a thousand individuals", reproduce.DoesNotHold,
			smallOrders(ordersSays{paperOrders.many, 1000, 30}), []string{"list of 60 million"}},
		{"lehman-increments", "a deviation of 30 s", reproduce.DoesNotHold,
			smallIncrements(incrementsSays{14, 30, 53, 1e-6}), []string{"standard deviation over the most"}},
		{"lehman-increments-fit", "a deviation of 10 s", reproduce.Undecided,
			smallIncrementsFit(incrementsSays{14, 10, 53, 1e-6}), []string{"53 s: standard deviation, s"}},
		{"lehman-increments-fit", "a longest of 90 s", reproduce.Undecided,
			smallIncrementsFit(incrementsSays{14, 12, 90, 1e-6}), []string{"53 s: standard deviation, s"}},
		{"lehman-increments-fit", "a shortest of a nanosecond", reproduce.Undecided,
			smallIncrementsFit(incrementsSays{14, 12, 53, 1e-9}), []string{"53 s: shortest of"}},
		{"lehman-gigabyte", "less than 0.9 GB", reproduce.DoesNotHold, smallGigabyte(memorySays{0.9e9, 60e6, 75e6, 8, 4}),
			[]string{"as many bins", "the program grows, for"}},
		{"lehman-gigabyte", "a gigabyte of 2³⁰ bytes", reproduce.Holds,
			smallGigabyte(memorySays{1 << 30, 60e6, 75e6, 8, 4}),
			[]string{"75 million bins"}},
		{"lehman-gigabyte", "integers of 8 bytes", reproduce.DoesNotHold, smallGigabyte(memorySays{1e9, 60e6, 75e6, 8, 8}),
			[]string{"as many bins"}},
		{"lehman-billion", "Order log N", reproduce.DoesNotHold, smallBillion(billionSays{logarithm, 1}),
			[]string{"schedule in sequence", "cancel at random", "dispatch at random"}},
		{"lehman-billion", "three times the steps at random", reproduce.DoesNotHold,
			smallBillion(billionSays{paperBillion.growth, 3}), []string{"scheduling"}},
	} {
		t.Run(strings.TrimPrefix(test.claim, "lehman-")+", "+test.name, func(t *testing.T) {
			var got reproduce.Verdict
			reproducetest.Notices(t, before(test.claim), spoiled(test.claim, func(run *reproduce.Runner) reproduce.Finding {
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

// At the papers' sizes, what is counted has a checksum: the same for a seed, and another for
// another.
func TestChecksums(t *testing.T) {
	sum := regexp.MustCompile(`SHA-256 .*: ([0-9a-f]{64})\.`)
	for _, name := range []string{"lehman-billion", "lehman-sixty-million"} {
		c := reproducetest.Named(t, smallClaims(t), name)
		var got []string
		for _, seed := range []uint64{1, 1, 2} {
			words := reproducetest.Run(t, c, reproduce.Options{Seed: seed, Full: true}).Measured
			found := sum.FindStringSubmatch(words)
			if found == nil {
				t.Fatalf("%s has no checksum: %s", name, words)
			}
			got = append(got, found[1])
		}
		if got[0] != got[1] || got[0] == got[2] {
			t.Errorf("%s: seeds 1, 1, 2 give %v", name, got)
		}
	}
}

// The checksums are of what they are said to be of: all events in the order in which they leave,
// and all states and flows of all rows.
func TestChecksummed(t *testing.T) {
	const n = patience + 1000 // more than a block
	run := reproduce.NewRunner(t.Context(), reproduce.Options{Seed: 1}, "test", 1)
	got, want := sha256.New(), sha256.New()
	performAll(run, n, false, got, func(float64) {})
	for i := range uint32(n) {
		want.Write([]byte{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24)})
	}
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Error("not the checksum of events in sequence")
	}
	m, err := population.Compile("country.yaml", []byte(countryModel), population.Size(1000))
	if err != nil {
		t.Fatal(err)
	}
	result, err := m.Run(t.Context(), population.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var words []uint64
	flows := make([]uint64, len(m.Flows()))
	for row := range result.Times {
		for state := range m.States() {
			words = append(words, uint64(result.State(state).Mean[row])) // of one replica
		}
		for flow := range flows {
			flows[flow] += result.Runs[0].Incidence(row, flow)
		}
		words = append(words, flows...)
	}
	words = append(words, result.Events)
	want.Reset()
	if err := binary.Write(want, binary.LittleEndian, words); err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", want.Sum(nil)); countsChecksum(m, &result.Runs[0]) != sum {
		t.Errorf("the checksum is %s, want %s", countsChecksum(m, &result.Runs[0]), sum)
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
