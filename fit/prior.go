package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/fit/internal/distribution"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/priors"
)

// A shape is a family of priors: its index in priors.Families, plus 1.
type shape int

const (
	noShape shape = iota
	uniform
	logUniform
	normal
	lognormal
	gamma
	beta
	exponential
	weibull
)

// A Prior is the distribution of a parameter before the data are seen, truncated to a range if
// [Prior.Within] was called. Make one with [Uniform] or another of the functions that return one;
// the zero value is not valid.
type Prior struct {
	shape     shape
	a, b      float64 // the arguments of the function that made it
	low, high float64 // the range to which it is truncated
	whole     bool
}

func newPrior(s shape, a, b float64) Prior {
	return Prior{shape: s, a: a, b: b, low: math.Inf(-1), high: math.Inf(1)}
}

// NewPrior returns a prior of the family with that name: "log-uniform" with two arguments is the
// same as [LogUniform]. It panics if there is no such family, or if the number of arguments is
// wrong.
func NewPrior(family string, args ...float64) Prior {
	i := priors.Index(family)
	if i < 0 || len(args) != len(priors.Families[i].Args) {
		panic(fmt.Sprintf("fit: there is no prior %q with %d arguments", family, len(args)))
	}
	p := newPrior(shape(i+1), args[0], 0)
	if len(args) > 1 {
		p.b = args[1]
	}
	return p
}

// Uniform has constant density between low and high.
func Uniform(low, high float64) Prior { return newPrior(uniform, low, high) }

// LogUniform has a uniform logarithm: each factor of ten between low and high has the same
// probability.
func LogUniform(low, high float64) Prior { return newPrior(logUniform, low, high) }

// Normal has a mean and a standard deviation.
func Normal(mean, sd float64) Prior { return newPrior(normal, mean, sd) }

// Lognormal has a normal logarithm. The mean and the standard deviation are those of the number
// itself, not of its logarithm.
func Lognormal(mean, sd float64) Prior { return newPrior(lognormal, mean, sd) }

// GammaShape is the gamma law, with density ∝ x^(shape−1)·exp(−x·shape/mean).
func GammaShape(mean, shape float64) Prior { return newPrior(gamma, mean, shape) }

// Beta has density ∝ x^(a−1)·(1−x)^(b−1) between 0 and 1.
func Beta(a, b float64) Prior { return newPrior(beta, a, b) }

// Exponential has density exp(−x/mean)/mean.
func Exponential(mean float64) Prior { return newPrior(exponential, mean, 0) }

// WeibullShape is the Weibull law: it exceeds x with probability exp(−(x/scale)^shape).
func WeibullShape(scale, shape float64) Prior { return newPrior(weibull, scale, shape) }

// Within is the prior truncated to [low, high], which may be infinite: a rate is not negative, a
// probability is at most 1.
func (p Prior) Within(low, high float64) Prior {
	p.low, p.high = math.Max(p.low, low), math.Min(p.high, high)
	return p
}

// Whole is the prior of a whole number: k has the probability of all numbers that round to k.
// Uniform from 1 to 6, made whole, is a die: the ends of a range are included.
func (p Prior) Whole() Prior {
	p.whole = true
	return p
}

// IsWhole reports whether the prior is of whole numbers.
func (p Prior) IsWhole() bool { return p.whole }

// Check returns an error if the prior is not valid.
func (p Prior) Check() error {
	bad := func(what string) error { return fmt.Errorf("%s: %s", p, what) }
	finite := func(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
	positive := func(x float64) bool { return x > 0 && finite(x) }
	switch p.shape {
	case noShape:
		return fmt.Errorf("there is none")
	case uniform:
		if !(finite(p.a) && finite(p.b) && p.a < p.b && finite(p.b-p.a)) {
			return bad("its ends are finite, and the low one is below the high one")
		}
	case logUniform:
		if !(positive(p.a) && positive(p.b) && p.a < p.b) {
			return bad("its ends are above 0 and finite, and the low one is below the high one")
		}
	case normal:
		if !(finite(p.a) && positive(p.b)) {
			return bad("the mean is finite, and the standard deviation above 0")
		}
	case lognormal, gamma, beta, weibull:
		if !(positive(p.a) && positive(p.b)) {
			return bad("both numbers are above 0 and finite")
		}
	case exponential:
		if !positive(p.a) {
			return bad("the mean is above 0 and finite")
		}
	}
	if low, high := p.Support(); p.whole && low > high || !p.whole && !(low < high) {
		return bad("nothing lies within that range")
	}
	if f, g := p.cutShares(); !(g-f > 1e-9) {
		return bad("next to nothing of the law lies within that range; one that is centred there says what is meant")
	}
	return nil
}

// base is the distribution before truncation and rounding.
func (p Prior) base() distribution.Distribution {
	switch p.shape {
	case uniform:
		a, b := p.a, p.b
		if p.whole {
			a, b = math.Ceil(a)-0.5, math.Floor(b)+0.5
		}
		return distribution.Uniform{Low: a, High: b}
	case logUniform:
		a, b := p.a, p.b
		if p.whole {
			a, b = math.Max(math.Ceil(a)-0.5, a/2), math.Floor(b)+0.5
		}
		return distribution.LogUniform{Low: a, High: b}
	case normal:
		return distribution.Normal{Mean: p.a, Sd: p.b}
	case lognormal:
		// The logarithm has variance log(1 + (sd/mean)²), and the mean is exp(μ + σ²/2).
		v := detmath.Log1p(p.b / p.a * (p.b / p.a))
		return distribution.Lognormal{Normal: distribution.Normal{Mean: detmath.Log(p.a) - float64(v/2), Sd: math.Sqrt(v)}}
	case gamma:
		return distribution.Gamma{Shape: p.b, Rate: p.b / p.a}
	case beta:
		return distribution.Beta{A: p.a, B: p.b}
	case exponential:
		return distribution.Weibull{Scale: p.a, Shape: 1}
	case weibull:
		return distribution.Weibull{Scale: p.a, Shape: p.b}
	}
	panic("fit: there is no prior")
}

// Support is the range of possible values.
func (p Prior) Support() (low, high float64) {
	low, high = 0, math.Inf(1)
	switch p.shape {
	case uniform, logUniform:
		low, high = p.a, p.b
	case normal:
		low = math.Inf(-1)
	case beta:
		high = 1
	}
	low, high = math.Max(low, p.low), math.Min(high, p.high)
	if p.whole {
		low, high = math.Ceil(low), math.Floor(high)
	}
	return low, high
}

// cutRange is the range to which the base distribution is truncated before rounding.
func (p Prior) cutRange() (low, high float64) {
	low, high = p.Support()
	if p.whole {
		low, high = low-0.5, high+0.5
	}
	return low, high
}

// baseCDF is the distribution function of the base distribution.
func (p Prior) baseCDF(x float64) float64 {
	switch base := p.base(); {
	case math.IsInf(x, -1):
		return 0
	case math.IsInf(x, 1):
		return 1
	case p.shape != normal && p.shape != uniform && x <= 0:
		return 0
	case p.shape == beta && x >= 1:
		return 1
	default:
		return base.CDF(x)
	}
}

// cutShares are the values of baseCDF at the ends of the range.
func (p Prior) cutShares() (low, high float64) {
	a, b := p.cutRange()
	return p.baseCDF(a), p.baseCDF(b)
}

// CDF is the distribution function.
func (p Prior) CDF(x float64) float64 {
	low, high := p.Support()
	switch {
	case math.IsNaN(x):
		return x
	case x < low:
		return 0
	case x >= high:
		return 1
	}
	if p.whole {
		x = math.Floor(x) + 0.5
	}
	f, g := p.cutShares()
	return math.Min(math.Max((p.baseCDF(x)-f)/(g-f), 0), 1)
}

// LogDensity is the log density at x, or the log probability of a whole number; −∞ outside the
// support.
func (p Prior) LogDensity(x float64) float64 {
	low, high := p.Support()
	if !(x >= low && x <= high) || p.whole && x != math.Floor(x) {
		return math.Inf(-1)
	}
	f, g := p.cutShares()
	if p.whole {
		return detmath.Log((p.baseCDF(x+0.5) - p.baseCDF(x-0.5)) / (g - f))
	}
	return p.base().LogProb(x) - detmath.Log(g-f)
}

// Quantile is the inverse of the distribution function; for whole numbers, the least one whose
// distribution function is at least share.
func (p Prior) Quantile(share float64) float64 {
	if !(share >= 0 && share <= 1) {
		panic("fit: the share of a quantile is between 0 and 1")
	}
	low, high := p.Support()
	f, g := p.cutShares()
	x := p.base().Quantile(math.Min(f+float64(share*(g-f)), 1))
	if p.whole {
		x = math.Floor(x + 0.5)
	}
	return math.Min(math.Max(x, low), high)
}

// Draw draws a number.
func (p Prior) Draw(s rand.Source) float64 {
	// The midpoint of one of 2⁵³ intervals, so that an infinite end is never drawn.
	return p.Quantile(float64(float64(s.Uint64()>>11)*0x1p-53) + 0x1p-54)
}

// String formats a prior as [ParsePrior] reads it: "uniform 0.1..1", "gamma mean 5 shape 2 within
// 0..10".
func (p Prior) String() string {
	if p.shape == noShape {
		return "no prior"
	}
	f := &priors.Families[p.shape-1]
	s := f.Name
	if f.Range() {
		s += fmt.Sprintf(" %v..%v", p.a, p.b)
	} else {
		for i, name := range f.Args {
			s += fmt.Sprintf(" %s %v", name, [...]float64{p.a, p.b}[i])
		}
	}
	if !math.IsInf(p.low, -1) || !math.IsInf(p.high, 1) {
		s += " within " + strings.TrimPrefix(fmt.Sprint(p.low), "-Inf") + ".." + strings.TrimPrefix(fmt.Sprint(p.high),
			"+Inf")
	}
	if p.whole {
		s += " whole"
	}
	return s
}

// ParsePrior parses a prior in the form of [Prior.String].
func ParsePrior(text string) (p Prior, err error) {
	wrong := func() (Prior, error) {
		return Prior{}, fmt.Errorf("fit: %q is not a prior; expected one such as uniform 0.1..1 or gamma mean 5 shape 2 "+
			"within 0..10", text)
	}
	rest, whole := strings.CutSuffix(text, " whole")
	rest, within, bounded := strings.Cut(rest, " within ")
	words := strings.Fields(rest)
	if len(words) < 2 {
		return wrong()
	}
	f := priors.Named(words[0])
	if f == nil {
		return wrong()
	}
	if f.Range() {
		low, high, ok := strings.Cut(words[1], "..")
		if !ok || len(words) != 2 {
			return wrong()
		}
		words = []string{words[0], "low", low, "high", high}
	}
	if len(words) != 1+2*len(f.Args) {
		return wrong()
	}
	args := make([]float64, len(f.Args))
	for i, name := range f.Args {
		args[i], err = strconv.ParseFloat(words[2+2*i], 64)
		if err != nil || words[1+2*i] != name || math.IsNaN(args[i]) || math.IsInf(args[i], 0) {
			return wrong()
		}
	}
	p = NewPrior(f.Name, args...)
	if bounded {
		from, to, ok := strings.Cut(within, "..")
		low, high := math.Inf(-1), math.Inf(1)
		if from != "" && err == nil {
			low, err = strconv.ParseFloat(from, 64)
		}
		if to != "" && err == nil {
			high, err = strconv.ParseFloat(to, 64)
		}
		if !ok || err != nil {
			return wrong()
		}
		p = p.Within(low, high)
	}
	if whole {
		p = p.Whole()
	}
	if err := p.Check(); err != nil {
		return Prior{}, fmt.Errorf("%w; it is written %q", err, text)
	}
	return p, nil
}

// maxZ bounds the normal scale: the distribution function is 1 there within rounding.
const maxZ = 8.0

// fromZ is the value at a point z of the normal scale, on which the prior is standard normal.
func (p Prior) fromZ(z float64) float64 {
	return p.Quantile(detmath.NormalCDF(math.Min(math.Max(z, -maxZ), maxZ)))
}

// z is the point of the normal scale at x; for a whole number, the middle of its interval in
// probability.
func (p Prior) z(x float64) float64 {
	share := p.CDF(x)
	if p.whole {
		share = (share + p.CDF(x-1)) / 2
	}
	return math.Min(math.Max(detmath.NormalQuantile(share), -maxZ), maxZ)
}

// varianceZ is the prior's variance on the normal scale: 1, and less for whole numbers, which are
// at the middles of intervals.
func (p Prior) varianceZ() float64 {
	if !p.whole {
		return 1
	}
	const n = 1000
	sum := 0.0
	for i := range n {
		z := p.z(p.Quantile((float64(i) + 0.5) / n))
		sum += z * z / n
	}
	return math.Max(sum, 1e-9) // it is 0 if there is only one number
}
