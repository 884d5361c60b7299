package capped

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/cappedmath"
)

// Kind is one of the allocation processes.
type Kind int

// The allocation processes.
const (
	// Capped is CAPPED(c, λ), Algorithm 1 of the paper.
	Capped Kind = iota
	// ModCapped is MODCAPPED(c, λ) of sections III and IV, by which the paper bounds CAPPED: it
	// generates balls until at least m* are thrown in every round, and divides each bin into two
	// buffers. See [Config.MinThrown].
	ModCapped
	// Greedy is GREEDY[d] with leaky bins, of Berenbrink et al. (2018): bins without a limit, and
	// no pool. A ball looks at d bins and goes to one with the least load at the beginning of the
	// round.
	Greedy
	// Threshold is THRESHOLD[T] of Adler et al. (1998) for one batch of balls that arrive in the
	// first round. In every round each ball without a place asks a bin, and each bin accepts T of
	// those that ask. Nothing is deleted: a ball counts as served when it is accepted.
	Threshold
)

// kinds are the names of the processes.
var kinds = [...]string{"capped", "modcapped", "greedy", "threshold"}

// String returns the name of the process.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kinds[k]
}

// Arrivals is the law of the number of balls that arrive in a round.
type Arrivals int

// The laws of arrivals.
const (
	// Exact is λn in every round. If λn is not an integer, the number of arrivals up to round t is
	// λn·t rounded to the nearest integer, so that each round has ⌊λn⌋ or ⌈λn⌉.
	Exact Arrivals = iota
	// Binomial has n generators, each of which generates a ball with probability λ.
	Binomial
	// Poisson has mean λn.
	Poisson
)

// arrivals are the names of the laws of arrivals.
var arrivals = [...]string{"exact", "binomial", "poisson"}

// String returns the name of the law.
func (a Arrivals) String() string {
	if a < 0 || int(a) >= len(arrivals) {
		return fmt.Sprintf("Arrivals(%d)", int(a))
	}
	return arrivals[a]
}

// Config describes a process. There may be up to 2³¹ bins (2²⁴ where an int has 32 bits), with a
// capacity, or choices, of up to 2²⁰. A process that throws its balls one by one, with ByBin or as
// ModCapped, is limited to 2²⁷ balls in a round, which take a second or two; [NewProcess] refuses
// more.
type Config struct {
	Bins     int     // n
	Capacity int     // c, or T of Threshold; ignored by Greedy, whose bins have no limit
	Rate     float64 // λ: arrivals per bin and round, or the balls per bin of the batch of Threshold
	Kind     Kind
	Choices  int // d of Greedy; ignored by the others, which make one choice
	Seed     uint64

	Arrivals Arrivals // the law of the arrivals in a round
	// ByBin keeps the load of every bin and throws every ball, instead of drawing their numbers. It
	// takes longer and has the same law; [Process.Load] needs it. ModCapped is always by bin.
	ByBin bool
	// MinThrown is the least number of balls that ModCapped throws in a round, m* by default. With
	// m* nearly every buffer is full in nearly every round; with fewer balls the invariants of
	// Lemma 6, which hold for any number, are tested.
	MinThrown int
	// Warm starts with the pool, the loads and the ages of the limit of many bins instead of an
	// empty system. It is for Capped only.
	Warm bool
}

// check returns an error if the configuration is not valid, or too large.
func (c *Config) check() error {
	switch {
	case c.Kind < 0 || int(c.Kind) >= len(kinds):
		return fmt.Errorf("capped: there is no process %d; there are Capped, ModCapped, Greedy and Threshold", int(c.Kind))
	case c.Arrivals < 0 || int(c.Arrivals) >= len(arrivals):
		return fmt.Errorf("capped: there are no arrivals %d; there are Exact, Binomial and Poisson", int(c.Arrivals))
	case c.Bins < 1 || int64(c.Bins) > mostBins:
		return fmt.Errorf("capped: the number of bins must be from 1 to %s, not %d", twoTo(mostBins), c.Bins)
	case c.Kind != Greedy && (c.Capacity < 1 || c.Capacity > mostCapacity):
		return fmt.Errorf("capped: the capacity of a bin must be from 1 to %s, not %d", twoTo(mostCapacity), c.Capacity)
	case c.Kind == Greedy && (c.Choices < 1 || c.Choices > mostChoices):
		return fmt.Errorf("capped: the number of choices of a ball must be from 1 to %s for Greedy, not %d",
			twoTo(mostChoices), c.Choices)
	case c.MinThrown < 0 || c.MinThrown > mostThrown:
		return fmt.Errorf("capped: the number of balls to throw at least must be from 0 to %s, not %d", twoTo(mostThrown),
			c.MinThrown)
	case c.MinThrown > 0 && c.Kind != ModCapped:
		return fmt.Errorf("capped: only ModCapped throws at least a number of balls, not %v", c.Kind)
	case c.Warm && c.Kind != Capped:
		return fmt.Errorf("capped: only Capped can start warm, not %v", c.Kind)
	case c.Kind == Threshold:
		return c.checkBatch()
	case !(c.Rate > 0 && c.Rate < 1):
		return fmt.Errorf("capped: the rate must be above 0 and below 1, not %v", c.Rate)
	}
	return c.checkThrown()
}

// checkBatch is check for the batch of Threshold.
func (c *Config) checkBatch() error {
	switch {
	case !(c.Rate > 0 && c.Rate*float64(c.Bins) <= mostBalls):
		return fmt.Errorf("capped: the batch must have more than 0 balls per bin and at most %s altogether, not %v per bin",
			twoTo(mostBalls), c.Rate)
	case c.Rate > mostPerBin && !c.ByBin:
		return fmt.Errorf("capped: the batch must have at most %s balls per bin, not %v; "+
			"with ByBin there may be more, and %s altogether",
			twoTo(mostPerBin), c.Rate, twoTo(mostThrown))
	case c.Arrivals == Binomial && c.Rate > 1:
		return fmt.Errorf("capped: a binomial batch has at most 1 ball per bin, not %v", c.Rate)
	}
	return c.checkThrown()
}

// checkThrown refuses configurations that keep too many bins, or throw too many balls one by one.
func (c *Config) checkThrown() error {
	switch {
	case c.Kind == ModCapped && c.least() > mostThrown:
		return fmt.Errorf("capped: ModCapped throws its balls one by one and would throw at least %.3g in a round; "+
			"at most %s can be thrown, which with a capacity of %d are those of %d bins at this rate; "+
			"take fewer bins or a smaller capacity, or set MinThrown",
			c.least(), twoTo(mostThrown), c.Capacity, int(float64(c.Bins)*(mostThrown/c.least())))
	case !c.ByBin && c.Kind != ModCapped || c.thrown() <= mostThrown && c.Bins <= mostThrown:
		return nil
	case c.Kind == ModCapped:
		return fmt.Errorf("capped: ModCapped keeps every bin and throws its balls one by one, "+
			"up to about %.3g in a round with %d bins; at most %s can be thrown, and as many bins be kept; take fewer bins",
			c.thrown(), c.Bins, twoTo(mostThrown))
	}
	return fmt.Errorf("capped: by bin every ball is thrown, with all its choices, "+
		"up to about %.3g in a round with %d bins; at most %s can be, and as many bins be kept; take fewer bins, or leave "+
		"ByBin out, which has the same law", c.thrown(), c.Bins,
		twoTo(mostThrown))
}

// thrown returns about the largest number of choices in a round, if all balls are thrown.
func (c *Config) thrown() float64 {
	n := float64(c.Bins)
	switch c.Kind {
	case Threshold:
		return n * c.Rate
	case Greedy:
		return n * c.Rate * float64(c.Choices)
	}
	// Including the pool, which is ln(1/(1−λ)) per bin for c = 1, and less than
	// cappedmath.PoolEstimate for larger c.
	return n * min(cappedmath.Pressure(c.Rate), cappedmath.Pressure(c.Rate)/float64(c.Capacity)+2)
}

// minThrown returns the least number of balls that ModCapped throws in a round: MinThrown, or m* if
// that is 0. It returns 0 for the other processes.
func (c *Config) minThrown() int {
	if c.Kind != ModCapped {
		return 0
	}
	return int(min(c.least(), math.MaxInt/2)) // more is refused
}

// least is minThrown as a number that may be too large for an int.
func (c *Config) least() float64 {
	if c.MinThrown > 0 {
		return float64(c.MinThrown)
	}
	return cappedmath.MinThrown(c.Bins, c.Capacity, c.Rate)
}
