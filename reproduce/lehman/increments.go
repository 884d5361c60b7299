package lehman

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/reproduce"
)

// incrementsModel has what section 5 lists: births and deaths, onset of disease, treatment for a time with a memory, vaccination,
// infection by contact and from abroad. It is small, and it begins about where it would settle: where the rate of all events rises or falls, the
// standard deviation of the increments only becomes larger.
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

// incrementsFrom is when measuring begins, in years: by then the numbers in each state have settled.
const incrementsFrom = 10

func increments() reproduce.Claim {
	return reproduce.Claim{
		Name:  "lehman-increments",
		Paper: paper,
		Place: "section 5",
		Says: "In the model of tuberculosis, the average time increment between scheduled events was 14 simulated seconds, with a standard " +
			"deviation of 12; the minimum was less than a microsecond, and the maximum 53 seconds.",
		How: "A model with events of the kinds that the paper lists is run, and the increments between one event and the next are measured in units of " +
			"their mean. The events of many individuals that hardly depend on each other make increments that are exponential: the checks compare " +
			"with that law. The paper's standard deviation and maximum do not agree with it.",
		Found: reproduce.DoesNotHold,
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			size := 20_000
			if o.Full {
				size = 1_000_000
			}
			return measureIncrements(ctx, o, size, 20)
		},
	}
}

// A steps is what is known of the increments of one replica.
type steps struct {
	last         float64
	n, sum, sum2 float64
	least, most  float64
	beyond       [incrementsBeyond]float64 // more than so many of its means: needs the mean of an earlier stretch
	scale        float64
}

// incrementsBeyond is how many means are looked at in the tail, 0 included.
const incrementsBeyond = 13

// add counts an event. The tail is counted in means of the five years before measuring began.
func (s *steps) add(at float64) {
	if at < incrementsFrom {
		if at >= incrementsFrom-5 {
			s.scale += 1.0 / 5
		}
		s.last = at
		return
	}
	d := at - s.last
	s.last = at
	s.n++
	s.sum += d
	s.sum2 += d * d
	s.least, s.most = min(s.least, d), max(s.most, d)
	for k := 0; k < incrementsBeyond && d*s.scale > float64(k); k++ {
		s.beyond[k]++
	}
}

// measureIncrements checks the claim with a population of a size, so many times.
func measureIncrements(ctx context.Context, o reproduce.Options, size, replicas int) (reproduce.Finding, error) {
	var f reproduce.Finding
	// Those who come in are as many as those who die.
	source := fmt.Sprintf("rate: %g per year", 0.02*float64(size))
	m, err := population.Compile("increments.yaml", []byte(strings.Replace(incrementsModel, "rate: 400 per year", source, 1)), population.Size(size))
	if err != nil {
		return f, err
	}
	all := make([]steps, replicas)
	for i := range all {
		all[i].least = math.Inf(1)
	}
	_, err = m.Run(ctx, population.Options{Seed: o.Seed, Replicas: replicas,
		OnEvent: func(e population.Event) {
			if e.Kind != population.Started {
				all[e.Replica].add(e.Time)
			}
		},
		OnProgress: func(p population.Progress) { o.ReportProgress(p.Fraction) }})
	if err != nil {
		return f, err
	}
	compareIncrements(&f, all)
	tabulateTail(&f, all)
	o.ReportProgress(1) // the last that the population reports may be from before its end
	return f, nil
}

// compareIncrements compares with the exponential law, in units of the mean increment.
func compareIncrements(f *reproduce.Finding, all []steps) {
	var n, deviation, longest, shortest, want float64
	replicas := float64(len(all))
	for _, s := range all {
		mean := s.sum / s.n
		n += s.n
		deviation += math.Sqrt(s.sum2/s.n-mean*mean) / mean / replicas
		longest += s.most / mean / replicas
		shortest += s.least / mean * s.n / replicas
		want += (math.Log(s.n) + euler) / replicas
	}
	f.Check("standard deviation over mean", deviation, 1, reproduce.Sigmas/math.Sqrt(n)+incrementsDrift,
		"4.5 standard errors, which are 1/√n for n exponential increments; and 0.0004, which a rate of events that wanders by 2 % adds, as it may by chance")
	f.Check("longest increment over mean, mean of replicas", longest, want, reproduce.Sigmas*math.Pi/math.Sqrt(6*replicas),
		"ln n + 0.577, the mean of Gumbel's law; 4.5 standard errors, of which one is π/√6 over the root of the replicas")
	f.Check("shortest increment times n over mean, mean of replicas", shortest, 1, reproduce.Sigmas/math.Sqrt(replicas),
		"exponential with mean 1; 4.5 standard errors, of which one is 1 over the root of the replicas")
	noteIncrements(f, n/replicas, deviation, longest)
}

const (
	euler = 0.5772156649
	// incrementsDrift is for a rate of events that wanders: a mixture of exponential laws whose rates have a relative standard
	// deviation v has a standard deviation of 1 + v² means, and v is up to 2 % here, the numbers in each state being random.
	incrementsDrift = 0.0004
)

// noteIncrements says what follows for the paper's run.
func noteIncrements(f *reproduce.Finding, each, deviation, longest float64) {
	const mean, year = 14, 365.25 * 86400
	events := 30 * year / mean
	f.Notes = append(f.Notes,
		fmt.Sprintf("30 years of increments of 14 s are %s events, about one for each of 60 million individuals: the mean agrees with the size of the run. "+
			"So does the minimum: the shortest of so many exponential increments is 14 s/n = %.1f µs on average.", scientific(events), 1e6*mean/events),
		fmt.Sprintf("The standard deviation of 12 s and the maximum of 53 s were not reproduced. Here the standard deviation is %.3f means, which would be %.1f s, and the longest of about %s "+
			"increments is %.1f means; the longest of %s would be about ln n + 0.577 = %.1f means, or %.0f s.",
			deviation, mean*deviation, scientific(each), longest, scientific(events), math.Log(events)+euler, mean*(math.Log(events)+euler)),
		fmt.Sprintf("If the events are independent, a rate that changes in the course of the run makes the standard deviation larger than the mean and never smaller. "+
			"A longest increment of 53/14 = 3.8 means is what about %.0f increments have, not %s: it may be that of a short sample.", math.Exp(53.0/mean-euler), scientific(events)))
}

// tabulateTail shows the law itself: how many increments are longer than 0, 1, 2 … means.
func tabulateTail(f *reproduce.Finding, all []steps) {
	t := reproduce.Table{Name: "Share of increments longer than k means", Columns: []string{"k", "measured", "e^-k"}}
	measured, law := plot.Series{Name: "measured"}, plot.Series{Name: "exponential law"}
	for k := range incrementsBeyond {
		var n, beyond float64
		for _, s := range all {
			n += s.n
			beyond += s.beyond[k]
		}
		share, want := beyond/n, math.Exp(-float64(k))
		t.Rows = append(t.Rows, []float64{float64(k), share, want})
		measured.Add(float64(k), share)
		law.Add(float64(k), want)
	}
	f.Tables = append(f.Tables, t)
	f.Chart("tail", plot.Chart{Title: "Increments between events", XLabel: "longer than so many means", YLabel: "share", LogY: true,
		Series: []plot.Series{measured, law}})
}
