package sim

import (
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim/internal/seed"
	"github.com/almanac-sim/almanac/sim/internal/text"
)

// Stream returns the stream of random numbers with a name. The same name returns the same object,
// so two parts of a model that use "arrivals" draw alternately from one stream.
//
// The numbers of a stream depend on the seed of the simulation and its name alone, not on which
// other streams there are or how much they are used. Give each purpose its own: arrivals, service,
// failures of machine 3. Then two variants of a model with the same seed have the same arrivals
// even where they draw other things differently (common random numbers), and their difference shows
// with far fewer replications; see Compare in package sim/replicate.
//
// A stream is a PCG of 128 bits whose state is a hash of seed and name. It takes about 3 ns a
// number, and is the same on all machines. It is also a source for gonum's distributions:
// distuv.Exponential{Rate: 2, Src: s.Stream("arrivals")}.
func (s *Simulation) Stream(name string) *rand.Rand {
	if r, ok := s.streams[name]; ok {
		return r
	}
	if s.streams == nil {
		s.streams = make(map[string]*rand.Rand)
	}
	r := newStream(s.seed, name)
	s.streams[name] = r
	return r
}

// newStream returns the stream of a seed and a name. Two of N streams of L numbers overlap with a
// probability of N²L/2¹²⁸.
func newStream(from uint64, name string) *rand.Rand {
	h := seed.Stream(from, name)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(h[0:]), binary.LittleEndian.Uint64(h[8:])))
}

// A Distribution is a probability law with a known mean and standard deviation, which draws from
// any stream. The parameters are what one knows of data, mean and standard deviation, where gonum
// has shapes and rates. Draws are the same on every machine.
//
//	service := s.Sampler("service", sim.Lognormal(5, 2))
//	p.Wait(service())
//
// A Distribution has no state, and may be used with several streams. [NewDistribution] makes one of
// a function. The functions that make one panic if there is no such law.
type Distribution struct {
	name     string // with its parameters
	mean, sd float64
	draw     func(r *rand.Rand) float64
}

// NewDistribution returns a distribution that is drawn by a function, for what this package does
// not have: a Pareto law, a truncation, a mixture. The name is what String returns. A mean or a
// standard deviation that is not known is NaN.
//
// A law that is known by its quantile function q is drawn by
//
//	func(r *rand.Rand) float64 { return q(r.Float64()) }
//
// The function must take all its randomness from r, and have no state. It panics if draw is nil, or
// if stdDev is negative.
func NewDistribution(name string, mean, stdDev float64, draw func(r *rand.Rand) float64) Distribution {
	need(draw != nil, name, "a function that draws is needed, not nil")
	need(!(stdDev < 0), name, "the standard deviation must not be negative")
	return Distribution{name, mean, stdDev, draw}
}

// Draw returns a random number from a stream.
func (d Distribution) Draw(r *rand.Rand) float64 { return d.draw(r) }

// Mean is the mean of the law.
func (d Distribution) Mean() float64 { return d.mean }

// StdDev is the standard deviation of the law.
func (d Distribution) StdDev() float64 { return d.sd }

// String returns the name with its parameters, such as "lognormal(5, 2)".
func (d Distribution) String() string { return d.name }

// Sampler returns a function that draws from a distribution with the stream of a name; see
// [Simulation.Stream].
func (s *Simulation) Sampler(stream string, d Distribution) func() float64 {
	r := s.Stream(stream)
	return func() float64 { return d.draw(r) }
}

func named(name string, args ...float64) string {
	texts := make([]string, len(args))
	for i, x := range args {
		texts[i] = fmt.Sprintf("%g", x)
	}
	return name + "(" + strings.Join(texts, ", ") + ")"
}

// need panics unless a law exists.
func need(possible bool, law, what string) {
	if !possible {
		panic("sim: " + law + ": " + what)
	}
}

// positive checks mean and standard deviation of a law of positive numbers that varies, and returns
// its name.
func positive(name string, mean, sd float64) string {
	law := named(name, mean, sd)
	need(mean > 0 && sd > 0 && finite(mean) && finite(sd), law, "mean and standard deviation must be above 0 and finite")
	// So the square of the ratio, and its inverse, are finite and above 0.
	ratio := sd / mean
	need(ratio >= 1e-150 && ratio <= 1e150, law, "the standard deviation must be from 10⁻¹⁵⁰ to 10¹⁵⁰ "+
		"times the mean")
	return law
}

// Constant is always x.
func Constant(x float64) Distribution {
	law := named("constant", x)
	need(finite(x), law, "it must be finite")
	return Distribution{law, x, 0, func(*rand.Rand) float64 { return x }}
}

// Exponential has the given mean, which is also its standard deviation.
func Exponential(mean float64) Distribution {
	law := named("exponential", mean)
	need(mean > 0 && finite(mean), law, "the mean must be above 0 and finite")
	return Distribution{law, mean, mean, func(r *rand.Rand) float64 { return mean * random.Exponential(r) }}
}

// Normal may be negative: for a time, [Gamma] or [Lognormal] is often a better choice.
func Normal(mean, sd float64) Distribution {
	law := named("normal", mean, sd)
	need(finite(mean) && sd >= 0 && finite(sd), law, "the mean must be finite, and the standard deviation not negative")
	return Distribution{law, mean, sd, func(r *rand.Rand) float64 { return mean + float64(sd*random.Normal(r)) }}
}

// Uniform is any number from low to high.
func Uniform(low, high float64) Distribution {
	law := named("uniform", low, high)
	need(low <= high && finite(high-low), law, "it must go from a number to one that is not smaller")
	width := high - low
	return Distribution{law, low + float64(width/2), width / math.Sqrt(12), func(r *rand.Rand) float64 {
		return low + float64(width*r.Float64())
	}}
}

// Triangular goes from low to high, with mode the most likely: a guess without data.
func Triangular(low, mode, high float64) Distribution {
	law := named("triangular", low, mode, high)
	need(low <= mode && mode <= high && low < high && finite(high-low), law,
		"the mode must be between the ends, which differ")
	left, right := mode-low, high-mode
	width := high - low
	// The variance is (left² + left·right + right²)/18.
	variance := (float64(left*left) + float64(left*right) + float64(right*right)) / 18
	return Distribution{law, (low + mode + high) / 3, math.Sqrt(variance), func(r *rand.Rand) float64 {
		u := float64(r.Float64())
		if u < left/width {
			return low + math.Sqrt(u*width*left)
		}
		return high - math.Sqrt((1-u)*width*right)
	}}
}

// Gamma is for times that are sums of many small ones. If the standard deviation equals the mean,
// it is the exponential law.
func Gamma(mean, sd float64) Distribution {
	law := positive("gamma", mean, sd)
	shape, rate := mean/sd*(mean/sd), mean/sd/sd
	need(rate > 0, law, "the standard deviation is so large that its square over the mean is not finite")
	return Distribution{law, mean, sd, func(r *rand.Rand) float64 { return random.Gamma(r, shape) / rate }}
}

// Erlang is the sum of k exponential times, with the given mean of the sum.
func Erlang(k int, mean float64) Distribution {
	law := named("erlang", float64(k), mean)
	need(k >= 1 && mean > 0 && finite(mean), law, "there must be a phase, and a mean above 0")
	d := Gamma(mean, mean/math.Sqrt(float64(k)))
	d.name = law
	return d
}

// Lognormal is for times that are products of many factors: most are short, and a few are very
// long.
func Lognormal(mean, sd float64) Distribution {
	law := positive("lognormal", mean, sd)
	variance := detmath.Log1p(sd / mean * (sd / mean)) // of the logarithm
	mu, sigma := detmath.Log(mean)-float64(variance/2), math.Sqrt(variance)
	return Distribution{law, mean, sd, func(r *rand.Rand) float64 {
		return detmath.Exp(float64(random.Normal(r)*sigma) +
			mu)
	}}
}

// Weibull is for lifetimes of parts. The standard deviation must be from a thousandth of the mean
// to a thousand times the mean.
func Weibull(mean, sd float64) Distribution {
	law := positive("weibull", mean, sd)
	need(sd >= mean/1000 && sd <= 1000*mean, law, "the standard deviation must be from mean/1000 to 1000·mean")
	// The square of the relative deviation is Γ(1+2/k)/Γ(1+1/k)² − 1, which falls with the shape k.
	low, high := detmath.Log(0.05), detmath.Log(5000.)
	for range 200 {
		middle := (low + high) / 2
		if weibullVariation(detmath.Exp(middle)) > sd/mean {
			low = middle
		} else {
			high = middle
		}
	}
	k := detmath.Exp((low + high) / 2)
	scale := mean / detmath.Gamma(1+1/k)
	return Distribution{law, mean, sd, func(r *rand.Rand) float64 {
		return scale * detmath.Pow(-detmath.Log1p(-r.Float64()), 1/k)
	}}
}

// weibullVariation is the standard deviation over the mean of a Weibull law of shape k.
func weibullVariation(k float64) float64 {
	one := detmath.Lgamma(1 + 1/k)
	two := detmath.Lgamma(1 + 2/k)
	return math.Sqrt(detmath.Expm1(two - float64(2*one)))
}

// Hyperexponential is one of two exponential laws, with balanced means: for times that vary more
// than exponential ones.
func Hyperexponential(mean, sd float64) Distribution {
	law := positive("hyperexponential", mean, sd)
	need(sd >= mean, law, "the standard deviation must not be below the mean")
	c2 := float64(sd / mean * (sd / mean))
	p := (1 + math.Sqrt((c2-1)/(c2+1))) / 2 // each part has half of the mean
	return Distribution{law, mean, sd, func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return mean / (2 * p) * random.Exponential(r)
		}
		return mean / (2 * (1 - p)) * random.Exponential(r)
	}}
}

// byMoments are the laws that mean and standard deviation determine, by name.
var byMoments = []struct {
	name string
	make func(mean, sd float64) Distribution
}{
	{"gamma", Gamma}, {"hyperexponential", Hyperexponential}, {"lognormal", Lognormal}, {"normal", Normal},
	{"uniform", func(mean, sd float64) Distribution {
		return Uniform(mean-float64(sd*math.Sqrt(3)), mean+float64(sd*math.Sqrt(3)))
	}},
	{"weibull", Weibull},
}

// DistributionNamed returns the law of a name with a mean and a standard deviation: gamma,
// hyperexponential, lognormal, normal, uniform or weibull. It is for names from a file or a flag,
// and returns an error where the functions would panic.
func DistributionNamed(name string, mean, sd float64) (d Distribution, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	names := make([]string, len(byMoments))
	for i, law := range byMoments {
		if names[i] = law.name; law.name == name {
			return law.make(mean, sd), nil
		}
	}
	slices.Sort(names)
	return d, fmt.Errorf("sim: there is no distribution %q that mean and standard deviation tell; there are %s", name,
		strings.Join(names, ", "))
}

// Empirical draws from data: each value with the same probability (the bootstrap). It panics if
// there is no value, or one that is not finite.
func Empirical(data []float64) Distribution {
	data = checkData("empirical", data, 1)
	var t Tally
	for _, x := range data {
		t.Add(x)
	}
	return Distribution{
		fmt.Sprintf("empirical(%d values)", len(data)), t.Mean(), math.Sqrt(t.squares / float64(t.n)),
		func(r *rand.Rand) float64 { return data[r.IntN(len(data))] },
	}
}

// Interpolated draws from data with linear interpolation: its distribution function rises linearly,
// by the same probability, from each value to the next larger one. It panics if there are fewer
// than two values, or one that is not finite.
func Interpolated(data []float64) Distribution {
	data = checkData("interpolated", data, 2)
	slices.Sort(data)
	var mean, square Tally
	for i, x := range data[1:] {
		mean.Add((data[i] + x) / 2)
	}
	for i, x := range data[1:] { // about the mean, so that a large offset does no harm
		a, b := data[i]-mean.Mean(), x-mean.Mean()
		square.Add((float64(a*a) + float64(a*b) + float64(b*b)) / 3)
	}
	return Distribution{
		fmt.Sprintf("interpolated(%d values)", len(data)), mean.Mean(), math.Sqrt(square.Mean()),
		func(r *rand.Rand) float64 {
			i := r.IntN(len(data) - 1)
			return data[i] + float64(r.Float64()*(data[i+1]-data[i]))
		},
	}
}

// checkData returns a copy of valid data.
func checkData(name string, data []float64, least int) []float64 {
	if len(data) < least {
		panic(fmt.Sprintf("sim: %s(%d values): there must be at least %d", name, len(data), least))
	}
	for _, x := range data {
		if !finite(x) {
			panic(fmt.Sprintf("sim: %s: %v is among the values; they must be finite", name, x))
		}
	}
	return slices.Clone(data)
}

// Gaps returns the differences of successive times.
func Gaps(times []float64) []float64 {
	var all []float64
	for i := 1; i < len(times); i++ {
		all = append(all, times[i]-times[i-1])
	}
	return all
}

// ReadColumn reads the numbers in one column of a CSV table, by the name in its first line: times
// of arrivals, durations of service. Errors have the line.
func ReadColumn(from io.Reader, column string) ([]float64, error) {
	table := csv.NewReader(from)
	table.TrimLeadingSpace = true
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("sim: the table is empty; its first line should have the names of the columns")
	} else if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // which some programs put first
	k := slices.IndexFunc(header, func(name string) bool { return strings.TrimSpace(name) == column })
	if k < 0 {
		return nil, fmt.Errorf("sim: line 1: there is no column %q; there is %s", column, text.Quoted(header))
	}
	var all []float64
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(row[k]), 64)
		if err != nil || !finite(x) {
			line, at := table.FieldPos(k)
			return nil, fmt.Errorf("sim: line %d, column %d: %q should be a finite number", line, at, row[k])
		}
		all = append(all, x)
	}
}
