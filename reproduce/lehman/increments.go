package lehman

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/reproduce"
)

// incrementsModel has what section 5 lists: births and deaths, onset of disease, treatment for a
// time with a memory, vaccination, infection by contact and from abroad. It is small, and it begins
// about where it would settle: where the rate of all events rises or falls, the standard deviation
// of the increments only becomes larger.
const incrementsModel = `
name: increments
time: {unit: year, start: 0, end: 30}
population:
  size: 20_000
  start: {vaccinated: 20.5%, latent: 26.1%, ill: 1.7%, treated: 2.6%, susceptible: rest}
states:
  susceptible:
    race: [{rate: 0.05 per year, to: vaccinated}, {rate: 0.1 per year, to: latent}]
  vaccinated:
    race: [{rate: 0.1 per year, to: susceptible}]
  latent:
    race: [{rate: 0.2 per year, to: ill}]
  ill:
    race: [{after: {gamma: {mean: 4 months, shape: 2}}, to: treated}]
  treated:
    race: [{after: {uniform: {low: 5 months, high: 7 months}}, to: susceptible}]
transmission:
  - {from: ill, rate: 1 per year, to: {susceptible: latent}}
always:
  - {rate: 0.02 per year, to: out}
immigration:
  - {rate: 400 per year, enter: susceptible}
record: {every: 30 years}
`

// incrementsFrom is when measuring begins, in years: by then the numbers in each state have
// settled.
const incrementsFrom = 10

// incrementsSays is what the paper reports, in seconds, each to the nearest one.
type incrementsSays struct{ mean, deviation, longest, shortest float64 }

var paperIncrements = incrementsSays{mean: 14, deviation: 12, longest: 53, shortest: 1e-6}

// events is how many increments 30 years have.
func (s incrementsSays) events() float64 { return 30 * 365.25 * 86400 / s.mean }

// measureIncrements checks what can be checked of the paper's numbers, with a population of a size,
// so many times.
//
// They were measured in the authors' model, which is not published. No model of ours can confirm
// them. They could contradict each other: numbers from 0 to M with mean m have a standard deviation
// of √(m(M − m)) at most.
func measureIncrements(run *reproduce.Runner, says incrementsSays, size, replicas int) reproduce.Finding {
	var f reproduce.Finding
	random, _ := runIncrements(run, &f, says, size, replicas)
	controlIncrements(&f, random)
	n, most := says.events(), math.Sqrt((says.mean+0.5)*(says.longest+0.5-(says.mean+0.5)))
	necessary(&f, "standard deviation over the most that the mean and the longest allow",
		math.Max(0, (says.deviation-0.5)/most-1), 0, 0,
		"numbers from 0 to M with mean m have a standard deviation of √(m(M − m)) at most; each is rounded by half a "+
			"second")
	necessary(&f, "mean increment over the longest and under the shortest", math.Max(0, math.Max(
		says.mean-says.longest, says.shortest-says.mean)), 0, 0, "a mean lies between the least and the most")
	longest := says.mean * (random.longest + math.Log(n*random.replicas/random.n))
	f.Measured = fmt.Sprintf("The four numbers are possible: with a mean of %.0f s and a maximum of %.0f s the standard "+
		"deviation is at most %.0f s. If all events came at random, it would be %.1f s, and the longest of %s increments "+
		"about %.0f s.", says.mean, says.longest, most, says.mean*random.deviation, scientific(n), longest)
	f.Notes = append(f.Notes,
		"The paper does not say that its events come at random, and its model is not published: its numbers are neither "+
			"confirmed nor refuted. They are not those of independent events. lehman-increments-fit has an explanation.",
		fmt.Sprintf("30 years of increments of 14 s are %s events, about one for each of 60 million individuals: the mean "+
			"agrees with the size of the run. "+
			"So does the minimum: the shortest of so many random increments is 14 s/n = %.1f µs on average.", scientific(n),
			1e6*says.mean/n),
		fmt.Sprintf("A short sample would not explain them. A longest of 53 s is what about %.0f random increments have, "+
			"and these have one below a microsecond with a probability of two in a million.",
			math.Exp(says.longest/says.mean-euler)))
	return f
}

// measureIncrementsFit checks that one regular stream among random events has the paper's numbers.
func measureIncrementsFit(run *reproduce.Runner, says incrementsSays, size, replicas int) reproduce.Finding {
	var f reproduce.Finding
	random, mixed := runIncrements(run, &f, says, size, replicas)
	controlIncrements(&f, random)
	compareIncrements(&f, says, mixed)
	return f
}

// runIncrements runs the model, and returns the increments of its events, and those with a regular
// stream among them.
func runIncrements(run *reproduce.Runner, f *reproduce.Finding, says incrementsSays, size, replicas int) (random,
	mixed summary) {
	// Those who come in are as many as those who die.
	source := fmt.Sprintf("rate: %g per year", 0.02*float64(size))
	text := strings.Replace(incrementsModel, "rate: 400 per year", source, 1)
	m := reproduce.Must(population.Compile("increments.yaml", []byte(text), population.Size(size)))
	all := make([]stream, replicas)
	for i := range all {
		all[i] = newStream(says.longest / says.mean)
	}
	_, err := m.Run(run.Context, population.Options{Seed: run.Options.Seed, Replicas: replicas,
		OnEvent: func(e population.Event) {
			if e.Kind != population.Started {
				all[e.Replica].add(e.Time)
			}
		},
		OnProgress: func(p population.Progress) { run.Options.ReportProgress(p.Fraction) }})
	run.FailOn(err)
	var own, both []*steps
	for i := range all {
		own, both = append(own, &all[i].random), append(both, &all[i].mixed)
	}
	tabulateTail(f, says, own, both)
	return summarize(own), summarize(both)
}

// A summary is what the increments of all replicas have, in units of their mean.
type summary struct {
	n, replicas                  float64 // increments in all
	deviation, longest, shortest float64 // averages of replicas; the shortest times n
	expected                     float64 // the longest, by Gumbel's law
}

func summarize(all []*steps) summary {
	s := summary{replicas: float64(len(all))}
	for _, one := range all {
		mean := one.sum / one.n
		s.n += one.n
		s.deviation += math.Sqrt(one.sum2/one.n-mean*mean) / mean / s.replicas
		s.longest += one.most / mean / s.replicas
		s.shortest += one.least / mean * one.n / s.replicas
		s.expected += (math.Log(one.n) + euler) / s.replicas
	}
	return s
}

const (
	euler = 0.5772156649
	// incrementsDrift is for a rate of events that wanders: a mixture of exponential laws whose
	// rates have a relative standard deviation v has a standard deviation of 1 + v² means, and v is
	// up to 2 % here, the numbers in each state being random.
	incrementsDrift = 0.0004
)

// controlIncrements compares what is simulated with its law.
//
// Random events: increments are exponential, so the standard deviation is the mean, and the longest
// of n is ln n + 0.577 means on average, with a standard deviation of π/√6 means (Gumbel). A rate
// that changes in the course of the run makes the standard deviation larger only.
func controlIncrements(f *reproduce.Finding, random summary) {
	control := f.For(reproduce.Control)
	control.Check("events at random: standard deviation over mean", random.deviation, 1,
		reproduce.Sigmas/math.Sqrt(random.n)+incrementsDrift,
		"4.5 standard errors, which are 1/√n for n exponential increments; and 0.0004, which a rate of events that "+
			"wanders by 2 % adds, as it may by chance")
	control.Check("events at random: longest increment over mean, mean of replicas", random.longest, random.expected,
		reproduce.Sigmas*math.Pi/math.Sqrt(6*random.replicas),
		"ln n + 0.577, the mean of Gumbel's law; 4.5 standard errors, of which one is π/√6 over the root of the replicas")
	control.Check("events at random: shortest increment times n over mean, mean of replicas", random.shortest, 1,
		reproduce.Sigmas/math.Sqrt(random.replicas),
		"exponential with mean 1; 4.5 standard errors, of which one is 1 over the root of the replicas")
}

// compareIncrements compares with the paper's numbers, if one event comes every s seconds and
// random ones among them. No increment is longer than s. See [regularDeviation] for the standard
// deviation.
func compareIncrements(f *reproduce.Finding, says incrementsSays, mixed summary) {
	n := says.events()
	own := f.For(reproduce.Own)
	own.Check("one every 53 s: standard deviation, s", says.mean*mixed.deviation, says.deviation,
		0.5+says.rounding()+says.mean*(reproduce.Sigmas/math.Sqrt(mixed.n)+incrementsDrift),
		"half a second by which 12 is rounded, and what the roundings of 14 and 53 do in theory; and the error of the "+
			"simulation, at most that of exponential increments")
	own.Check("one every 53 s: standard deviation, s, against theory", says.mean*mixed.deviation,
		regularDeviation(says.mean, says.longest), says.mean*(reproduce.Sigmas/math.Sqrt(mixed.n)+incrementsRate),
		"the error of the simulation, at most that of exponential increments; and 1.5 %, since three quarters of the "+
			"events are random and their rate may be 2 % off what it was before measuring began")
	own.Check("one every 53 s: longest increment, s", says.mean*mixed.longest, says.longest,
		0.5+says.longest*incrementsRate,
		"half a second by which 53 is rounded; and 1.5 % as above")
	own.Between("one every 53 s: shortest of the paper's increments, µs", 1e6*says.mean*mixed.shortest/n, 0,
		1e6*says.shortest, 0,
		"“less than a microsecond”; the measured shortest, over how many more increments 30 years have")
	f.Measured = fmt.Sprintf("If one event comes every %.0f s and the rest at random, increments with a mean of %.0f s "+
		"have a standard deviation of %.1f s and a maximum of %.0f s, and the shortest of %s is %.1f µs: the paper's "+
		"numbers, within their rounding.", says.longest, says.mean, says.mean*mixed.deviation, says.mean*mixed.longest,
		scientific(n), 1e6*says.mean*mixed.shortest/n)
	f.Notes = append(f.Notes,
		fmt.Sprintf("In theory the standard deviation is %.1f s with a mean of 14 s and %.1f s with 13.5 s. "+
			"One every 53 s is %.0f thousand a year, a quarter of all events. The interval is set to the paper's maximum; "+
			"that the standard deviation then agrees is what tests it.",
			regularDeviation(14, 53), regularDeviation(13.5, 53), 365.25*86400/53/1000),
		"That the authors' model has such a stream, arrivals for instance, is inferred from these numbers; the paper does "+
			"not say so, and other explanations are possible.")
}

// incrementsRate is 2 % of three quarters: regular events are set among random ones by the rate of
// these in the five years before measuring, which the rate afterwards may differ from by so much,
// and three quarters of the events are random. The interval in units of the mean increment differs
// by that, and the standard deviation by less.
const incrementsRate = 0.015

// regularDeviation is the standard deviation of increments with some mean, if one event comes every
// s seconds and the others at random.
//
// Of the latter a = s/mean − 1 come between two regular ones on average, K by Poisson's law, and
// cut the interval into K+1 parts whose squares add up to 2s²/(K+2) on average. With E[1/(K+2)] =
// (a − 1 + e^(−a))/a², and a+1 increments in an interval, the mean square is 2s²(a − 1 +
// e^(−a))/(a²(a+1)).
func regularDeviation(mean, s float64) float64 {
	a := s/mean - 1
	return math.Sqrt(2*s*s*(a-1+math.Exp(-a))/(a*a*(a+1)) - mean*mean)
}

// rounding is how much the standard deviation changes if the mean and the longest are off by the
// half second that they are rounded by.
func (s incrementsSays) rounding() float64 {
	most, theory := 0.0, regularDeviation(s.mean, s.longest)
	for _, mean := range []float64{-0.5, 0.5} {
		for _, longest := range []float64{-0.5, 0.5} {
			most = max(most, math.Abs(regularDeviation(s.mean+mean, s.longest+longest)-theory))
		}
	}
	return most
}

// tabulateTail shows the laws themselves: how many increments are longer than so many means.
func tabulateTail(f *reproduce.Finding, says incrementsSays, random, mixed []*steps) {
	t := reproduce.Table{Name: "Share of increments longer than k means", Columns: []string{"k", "all at random", "e^-k",
		"one every 53 s", "theory"}}
	chart := plot.Chart{Title: "Increments longer than k means, against exponential ones", XLabel: "k",
		YLabel: "share over e^(-k)", FromZero: true, LegendBeside: true,
		Series: []plot.Series{{Name: "all at random"}, {Name: "theory", Same: true, Dashed: true}, {Name: "one every 53 s"},
			{Name: "theory", Same: true, Dashed: true}}}
	for i := range tailSteps {
		k := tailStep * float64(i)
		row := []float64{k, share(random, i), math.Exp(-k), share(mixed, i), regularTail(says.longest/says.mean, k)}
		t.Rows = append(t.Rows, row)
		for j, y := range row[1:] {
			chart.Series[j].Add(k, y/math.Exp(-k))
		}
	}
	f.Tables = append(f.Tables, t)
	f.Chart("tail", chart)
}

// share is that of the increments that are longer than i steps of the table.
func share(all []*steps, i int) float64 {
	var n, beyond float64
	for _, s := range all {
		n += s.n
		beyond += s.beyond[i]
	}
	return beyond / n
}

// regularTail is the share of increments longer than y if one event comes every s, in means: of K+1
// parts of an interval each is longer than y with probability z^K, z = 1 − y/s, and E[(K+1)z^K] =
// (1 + az)·e^(−a(1−z)).
func regularTail(s, y float64) float64 {
	a, z := s-1, 1-y/s
	if z <= 0 {
		return 0
	}
	return (1 + a*z) * math.Exp(-a*(1-z)) / (1 + a)
}

// A steps is what is known of increments: their number, sum, squares and extremes, and how many are
// longer than so many means.
type steps struct {
	last         float64
	n, sum, sum2 float64
	least, most  float64
	beyond       [tailSteps]float64
}

// The tail is looked at from 0 to 6 means.
const (
	tailStep  = 0.25
	tailSteps = 25
)

// add counts an event; scale is how many events there are in a unit of time.
func (s *steps) add(at, scale float64) {
	d := at - s.last
	s.last = at
	s.n++
	s.sum += d
	s.sum2 += d * d
	s.least, s.most = min(s.least, d), max(s.most, d)
	for k := 0; k < tailSteps && d*scale > tailStep*float64(k); k++ {
		s.beyond[k]++
	}
}

// A stream is the events of one replica: as they come, and with regular ones among them.
type stream struct {
	random, mixed steps
	rate          float64 // of the random events, a year, in the five years before measuring begins
	gap           float64 // between regular events, in means of all increments
	regular       int     // how many of these there were
}

// newStream has regular events with a gap of so many means of all increments.
func newStream(gap float64) stream {
	s := stream{gap: gap}
	s.random.least, s.mixed.least = math.Inf(1), math.Inf(1)
	return s
}

// add counts an event of the model, and the regular ones that come before it.
func (s *stream) add(at float64) {
	if at < incrementsFrom {
		if at >= incrementsFrom-5 {
			s.rate += 1.0 / 5
		}
		s.random.last, s.mixed.last = at, incrementsFrom // a regular event, after which measuring begins
		return
	}
	s.random.add(at, s.rate)
	// A gap of g means of all increments has g events, one of them regular: g−1 at random. So it is
	// (g−1)/rate years, and all events have the rate g/(g−1) of the random ones.
	years, all := (s.gap-1)/s.rate, s.rate*s.gap/(s.gap-1)
	for {
		next := incrementsFrom + float64(s.regular+1)*years
		if next > at {
			break
		}
		s.regular++
		s.mixed.add(next, all)
	}
	s.mixed.add(at, all)
}
