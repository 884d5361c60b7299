package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/almanac-sim/almanac/internal/random"
)

// Arrivals is a source of arrival times. Every source of this package is for one
// [Simulation.Arrive]: it has a state, or draws from a stream.
type Arrivals interface {
	// Next is the time of the next arrival, which is not before the given one, that of the arrival
	// before. It reports false after the last arrival.
	Next(after float64) (at float64, ok bool)
}

// Arrive calls f at each arrival. Canceling the event ends it, also from within f: the next call is
// already scheduled then. After the last arrival the event is over; if there is none at all it is
// the zero [Event].
func (s *Simulation) Arrive(arrivals Arrivals, f func(), opts ...EventOption) Event {
	needFunction(f) // before anything is drawn
	next := func() (float64, bool) {
		at, ok := arrivals.Next(s.now)
		if ok && !(at >= s.now && at <= maxTime) {
			panic(fmt.Sprintf("sim: somebody arrives at %g, and it is %g already", at, s.now))
		}
		return at, ok
	}
	if at, ok := next(); ok {
		return s.recur(at, next, f, opts)
	}
	return Event{}
}

// An arrivalFunc is Arrivals by a function.
type arrivalFunc func(after float64) (float64, bool)

func (f arrivalFunc) Next(after float64) (float64, bool) { return f(after) }

// Poisson returns arrivals at a constant rate, the mean number in a unit of time. With a rate of 0
// there are none. It panics if the rate is negative or not finite.
func Poisson(r *rand.Rand, rate float64) Arrivals {
	if !(rate >= 0 && finite(rate)) {
		panic(fmt.Sprintf("sim: Poisson(%g): the rate must be finite, and not negative", rate))
	}
	return arrivalFunc(func(after float64) (float64, bool) {
		at := after + random.Exponential(r)/rate
		return at, at <= maxTime
	})
}

// mostRejected is how many candidates in a row may be rejected. At a rate of one in a million of
// the largest, it is ten times the expected number.
const mostRejected = 10_000_000

// VaryingPoisson returns arrivals at a rate that changes with time, and is never above most. There
// are none after the time until, which may be +∞. It is exact, by thinning [LS79]: candidates come
// at the rate most, and one at t is accepted with probability rate(t)/most. So the closer most is
// to the largest rate, the fewer candidates are rejected. For a rate by the hour there is
// [RateTable].
//
// It panics if most is not positive and finite, when the rate is negative, NaN or above most at a
// candidate, and if ten million candidates in a row are rejected.
//
// [LS79]: https://doi.org/10.1002/nav.3800260304
func VaryingPoisson(r *rand.Rand, rate func(t float64) float64, most, until float64) Arrivals {
	if !(most > 0 && finite(most)) || math.IsNaN(until) {
		panic(fmt.Sprintf("sim: VaryingPoisson(…, %g, %g): the largest rate must be above 0 and finite, and the end a time",
			most, until))
	}
	return arrivalFunc(func(at float64) (float64, bool) {
		for range mostRejected {
			if at += random.Exponential(r) / most; !(at <= min(until, maxTime)) {
				return 0, false
			}
			now := rate(at)
			if !(now >= 0 && now <= most) {
				panic(fmt.Sprintf("sim: VaryingPoisson: the rate at %g is %g; it must be from 0 to %g, the largest that was told",
					at, now, most))
			}
			if float64(r.Float64()*most) < now {
				return at, true
			}
		}
		panic(fmt.Sprintf("sim: VaryingPoisson: nobody has come by %g; tell after which time nobody does, or a smaller "+
			"largest rate", at))
	})
}

// Renewal returns arrivals whose gaps are independent and have a distribution. With [Empirical] it
// is the bootstrap of recorded [Gaps].
func Renewal(r *rand.Rand, between Distribution) Arrivals {
	return arrivalFunc(func(after float64) (float64, bool) {
		d := between.Draw(r)
		if !(d >= 0) {
			panic(fmt.Sprintf("sim: Renewal: %v has given a distance of %g, which must not be negative", between, d))
		}
		return after + d, true
	})
}

// Recorded returns arrivals at recorded times. Those before the beginning are left out. It panics
// if the times are not finite and in order.
func Recorded(times []float64) Arrivals {
	for i, t := range times {
		if !finite(t) || i > 0 && !(t >= times[i-1]) {
			panic(fmt.Sprintf("sim: Recorded: time %d is %g; times must be finite, and none before the one that "+
				"stands before it", i, t))
		}
	}
	times = slices.Clone(times)
	return arrivalFunc(func(after float64) (float64, bool) {
		times = times[sort.SearchFloat64s(times, after):]
		if len(times) == 0 {
			return 0, false
		}
		at := times[0]
		times = times[1:]
		return at, true
	})
}

// Batches makes several arrivals of each one: size returns how many, and is called anew each time.
// It panics if that is below 1.
func Batches(arrivals Arrivals, size func() int) Arrivals {
	left, at := 0, 0.0
	return arrivalFunc(func(after float64) (float64, bool) {
		if left == 0 || after != at { // the others have been moved away from their time
			var ok bool
			if at, ok = arrivals.Next(after); !ok {
				return 0, false
			}
			if left = size(); left < 1 {
				panic(fmt.Sprintf("sim: a batch of %d; there must be at least 1", left))
			}
		}
		left--
		return at, true
	})
}

// An Appointment is one that is kept.
type Appointment struct {
	Number  int // in the list of times
	Due, At float64
}

// Appointments draws arrivals for appointments at the given times: each is missed with probability
// noShow, and the others come late, or early if that is negative, by a distribution. They are
// returned in the order of arrival; none arrives before time 0. It panics if noShow is not a
// probability, or if a time is not finite.
//
//	for _, a := range sim.Appointments(s.Stream("patients"), slots, 0.1, sim.Normal(0, 3)) {
//		s.GoAt(a.At, "patient", visit)
//	}
func Appointments(r *rand.Rand, times []float64, noShow float64, late Distribution) []Appointment {
	if !(noShow >= 0 && noShow <= 1) {
		panic(fmt.Sprintf("sim: Appointments: %g stay away; it must be a share, from 0 to 1", noShow))
	}
	var all []Appointment
	for i, due := range times {
		if !finite(due) {
			panic(fmt.Sprintf("sim: Appointments: time %d is %g; it must be finite", i, due))
		}
		// both are drawn always, so that a no-show does not change the others
		comes, by := r.Float64() >= noShow, late.Draw(r)
		if comes {
			all = append(all, Appointment{i, due, max(0, due+by)})
		}
	}
	slices.SortStableFunc(all, func(a, b Appointment) int { return cmp.Compare(a.At, b.At) })
	return all
}

// A RateTable is a rate that changes at given times: one rate from eight to nine, another from nine
// to ten.
//
//	table, err := sim.NewRateTable([]float64{0, 8, 12, 18}, []float64{0, 20, 35, 0}, 24)
//	s.Arrive(table.Poisson(s.Stream("customers")), arrive)
type RateTable struct {
	from   []float64
	rates  []float64
	period float64   // +∞ if it does not repeat itself
	before []float64 // the integral of the rate up to each time, and up to the period
}

// NewRateTable returns the table in which each rate holds from its time to the next, and the last
// one up to the period, when the table repeats. With a period of 0 it does not repeat: the last
// rate holds forever, and before the first time the rate is 0. With a period the first time must be
// 0.
func NewRateTable(from, rates []float64, period float64) (*RateTable, error) {
	if len(from) == 0 || len(from) != len(rates) {
		return nil, fmt.Errorf("sim: a table of %d times and %d rates; there must be as many of both, and at least one",
			len(from), len(rates))
	}
	for i := range from {
		if !finite(from[i]) || i > 0 && !(from[i] > from[i-1]) {
			return nil, fmt.Errorf("sim: time %d of the table is %g; times must be finite, and each after the one before", i,
				from[i])
		}
		if !(rates[i] >= 0 && finite(rates[i])) {
			return nil, fmt.Errorf("sim: the rate from %g on is %g; it must be finite, and not negative", from[i], rates[i])
		}
	}
	t := &RateTable{from: slices.Clone(from), rates: slices.Clone(rates), period: math.Inf(1)}
	if period != 0 {
		if last := from[len(from)-1]; !(period > last) || !finite(period) || from[0] != 0 {
			return nil, fmt.Errorf("sim: a table from %g to %g with a period of %g; it must begin at 0, and end before the "+
				"period does",
				from[0], last, period)
		}
		t.period = period
	}
	sum := 0.0
	for i := range from {
		t.before = append(t.before, sum)
		if end := t.end(i); !math.IsInf(end, 1) {
			sum += float64(rates[i] * (end - from[i]))
		}
	}
	t.before = append(t.before, sum)
	return t, nil
}

// end is when the i-th rate ends.
func (t *RateTable) end(i int) float64 {
	if i+1 < len(t.from) {
		return t.from[i+1]
	}
	return t.period
}

// piece returns the number of the rate that holds at a time, −1 before the first, and when the
// table last began.
func (t *RateTable) piece(at float64) (i int, base float64) {
	if !math.IsInf(t.period, 1) {
		k := math.Floor(at / t.period)
		if base = k * t.period; base > at { // the quotient was rounded up
			base = (k - 1) * t.period
		} else if next := (k + 1) * t.period; next <= at { // or down
			base = next
		}
	}
	i = sort.Search(len(t.from), func(i int) bool { return base+t.from[i] > at }) - 1
	return i, base
}

// Rate is the rate at a time.
func (t *RateTable) Rate(at float64) float64 {
	if i, _ := t.piece(at); i >= 0 {
		return t.rates[i]
	}
	return 0
}

// Expected is the mean number of arrivals from one time to a later one.
func (t *RateTable) Expected(from, to float64) float64 { return t.integral(to) - t.integral(from) }

// integral is that of the rate up to a time, from 0 if there is a period, and from the first time
// otherwise.
func (t *RateTable) integral(at float64) float64 {
	i, base := t.piece(at)
	if i < 0 {
		return 0
	}
	sum := t.before[i] + float64(t.rates[i]*(at-base-t.from[i]))
	if base != 0 {
		sum += float64(math.Round(base/t.period) * t.before[len(t.from)])
	}
	return sum
}

// Poisson returns arrivals at the rate of the table. It is exact: the integral of the rate between
// two arrivals is exponential with mean 1.
func (t *RateTable) Poisson(r *rand.Rand) Arrivals {
	return arrivalFunc(func(after float64) (float64, bool) {
		left := random.Exponential(r)
		i, base := t.piece(after)
		at := after
		if i < 0 {
			i, at = 0, t.from[0]
		}
		for whole := t.before[len(t.from)]; ; {
			end := base + t.end(i)
			if gain := float64(t.rates[i] * (end - at)); t.rates[i] > 0 && left <= gain {
				return max(after, min(at+left/t.rates[i], end)), true
			} else if math.IsInf(end, 1) {
				return 0, false // the last rate is 0
			} else if gain > 0 {
				left -= gain
			}
			at = end
			if i++; i < len(t.from) {
				continue
			}
			if whole == 0 {
				return 0, false
			}
			before := base
			i, base = 0, base+t.period
			if rounds := math.Floor(left / whole); rounds > 0 { // no arrival in so many periods
				base += float64(rounds * t.period)
				left -= float64(rounds * whole)
			}
			if at = base; at > maxTime {
				return 0, false
			}
			if !(base > before) {
				panic(fmt.Sprintf("sim: RateTable with a period of %g does not move the clock at %g", t.period, after))
			}
		}
	})
}
