package fit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// A Family is a family of distributions of reports, given their mean.
type Family int

// The families: two for counts, one for other measurements.
const (
	Poisson          Family = iota // variance m
	NegativeBinomial               // variance m + m²/k, where k is the law's Arg
	Gaussian                       // standard deviation Arg, or Arg times the mean
	Binomial                       // out of the law's Arg, which each row has its own of: see Problem.OutOf
)

// String returns the name of the family.
func (f Family) String() string {
	switch f {
	case Poisson:
		return "poisson"
	case NegativeBinomial:
		return "negative binomial"
	case Gaussian:
		return "normal"
	case Binomial:
		return "binomial"
	}
	return fmt.Sprintf("Family(%d)", int(f))
}

// A Law is the distribution of reports about their mean. The zero value is Poisson.
//
// Where the mean is 0, a count is 0, and so is a measurement whose error is a share of the mean.
type Law struct {
	Family   Family
	Arg      float64 // the dispersion k of a negative binomial law, the standard deviation of a normal one
	Relative bool    // the standard deviation is Arg times the mean
}

// Check returns an error if the law is not valid.
func (l Law) Check() error {
	switch {
	case l.Family < Poisson || l.Family > Binomial:
		return fmt.Errorf("an error law of an unknown family, %v", l.Family)
	case l.Family == NegativeBinomial && !(l.Arg > 0 && l.Arg <= math.MaxFloat64):
		return fmt.Errorf("a dispersion of %g: it is above 0", l.Arg)
	case l.Family == Gaussian && !(l.Arg > 0 && l.Arg <= math.MaxFloat64):
		return fmt.Errorf("a standard deviation of %g: it is above 0", l.Arg)
	}
	return nil
}

// Counts reports whether reports are whole numbers.
func (l Law) Counts() bool { return l.Family != Gaussian }

// SD is the standard deviation of reports about a mean.
func (l Law) SD(mean float64) float64 {
	switch l.Family {
	case Poisson:
		return math.Sqrt(mean)
	case NegativeBinomial:
		return math.Sqrt(mean + mean*mean/l.Arg)
	case Binomial:
		return math.Sqrt(math.Max(0, mean*(1-mean/l.Arg)))
	}
	if l.Relative {
		return l.Arg * math.Abs(mean)
	}
	return l.Arg
}

// Draw draws one report about a mean.
func (l Law) Draw(mean float64, s rand.Source) float64 {
	switch l.Family {
	case Binomial:
		return l.drawBinomial(mean, s)
	case Gaussian:
		return mean + float64(l.SD(mean)*random.Normal(s))
	case NegativeBinomial:
		// Poisson, with a mean drawn from a gamma distribution
		if mean > 0 {
			mean = random.Gamma(s, l.Arg) / (l.Arg / mean)
		}
	}
	if !(mean > 0) {
		return 0
	}
	return random.Poisson(s, mean)
}

// LogDensity is the log probability of a report y about a mean, or its log density for a normal
// law; −∞ if y is impossible.
func (l Law) LogDensity(y, mean float64) float64 {
	if l.Family == Gaussian {
		sd := l.SD(mean)
		if sd == 0 {
			return logIndicator(y == mean)
		}
		z := (y - mean) / sd
		return float64(-z*z/2) - detmath.Log(sd) - float64(detmath.Log(2*math.Pi)/2)
	}
	if !(y >= 0) || y != math.Floor(y) {
		return math.Inf(-1)
	}
	if l.Family == Binomial {
		return l.logBinomial(y, mean)
	}
	if mean == 0 {
		return logIndicator(y == 0)
	}
	if l.Family == Poisson {
		return float64(y*detmath.Log(mean)) - mean - detmath.Lgamma(y+1)
	}
	k := l.Arg
	if k < 1e4 {
		return detmath.Lgamma(y+k) - detmath.Lgamma(k) - detmath.Lgamma(y+1) - float64(k*detmath.Log1p(mean/k)) +
			float64(y*(detmath.Log(mean)-detmath.Log(k+mean)))
	}
	// log Γ(y+k) − log Γ(k) would be a small difference of large numbers. In Stirling's series the
	// large terms cancel; the truncation error is below 1/(180k³).
	rise := float64((k+y-0.5)*detmath.Log1p(y/k)) - y + (1/(k+y)-1/k)/12
	return rise - detmath.Lgamma(y+1) - float64((k+y)*detmath.Log1p(mean/k)) + float64(y*detmath.Log(mean))
}

func logIndicator(so bool) float64 {
	if so {
		return 0
	}
	return math.Inf(-1)
}

// logBinomial is LogDensity of a binomial law.
func (l Law) logBinomial(y, mean float64) float64 {
	n := l.Arg
	if !(y <= n) {
		return math.Inf(-1)
	}
	sum := detmath.Lgamma(n+1) - detmath.Lgamma(y+1) - detmath.Lgamma(n-y+1)
	if y > 0 {
		if !(mean > 0) {
			return math.Inf(-1)
		}
		sum += float64(y * detmath.Log(mean/n))
	}
	if y < n {
		if !(mean < n) {
			return math.Inf(-1)
		}
		sum += float64((n - y) * detmath.Log1p(-mean/n))
	}
	return sum
}

// drawBinomial draws how many of the law's Arg there are. Where that is not known, it is the mean.
func (l Law) drawBinomial(mean float64, s rand.Source) float64 {
	if !(l.Arg >= 1) {
		return mean
	}
	x := 0.0
	for range int(l.Arg) {
		if float64(s.Uint64()>>11)*0x1p-53 < mean/l.Arg {
			x++
		}
	}
	return x
}
