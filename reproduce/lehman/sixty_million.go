package lehman

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/reproduce"
)

// countryModel is a country of the kind that section 5 describes: death and emigration, disease
// some time after an infection, transmission, vaccination of juveniles, births and immigration.
// Rates of births, deaths and migration are of the order of the United Kingdom's; the rest is
// plausible and not fitted.
const countryModel = `
name: country
time: {unit: year, start: 0, end: 30}
population:
  size: 600_000
  age: {uniform: {low: 0 years, high: 80 years}}
  start: {vaccinated: 30%, latent: 8%, ill: 0.003%, recovered: 1%, susceptible: rest}
states:
  susceptible: {}
  vaccinated: {}
  latent:
    race: [{rate: 0.001 per year, to: ill}]
  ill:
    race: [{after: {gamma: {mean: 4 months, shape: 2}}, to: recovered}, {rate: 0.15 per year, to: out}]
  recovered:
    race: [{rate: 0.001 per year, to: ill}]
transmission:
  - {from: ill, rate: 9 per year, to: {susceptible: latent}}
always:
  - {after: {hazard: {0 years: 0.001 per year, 35 years: 0.002 per year, 50 years: 0.01 per year,
     65 years: 0.04 per year, 80 years: 0.15 per year}}, to: out}
  - {after: {uniform: {low: 12 years, high: 14 years}}, from: susceptible, chance: 75%, to: vaccinated}
  - {rate: 0.002 per year, to: out}
births: {rate: 0.0123 per year, enter: susceptible}
immigration:
  - {rate: 2.5 per year, per: 1000, enter: susceptible, age: {uniform: {low: 18 years, high: 40 years}}}
  - {rate: 1 per year, per: 1000, enter: latent, age: {uniform: {low: 18 years, high: 40 years}}}
record: {every: 30 years}
`

// measureSixtyMillion runs the model at some sizes, the smallest first.
func measureSixtyMillion(run *reproduce.Runner, sizes []int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Runs over 30 years", Columns: []string{"individuals", "events", "events each",
		"seconds between events if there were 60 million", "seconds it took", "seconds of these to set up",
		"memory of the program, GB"}}
	total, done := 0.0, 0.0
	for _, n := range sizes {
		total += float64(n)
	}
	checksum := ""
	for _, n := range sizes {
		m := reproduce.Must(population.Compile("country.yaml", []byte(countryModel), population.Size(n)))
		debug.FreeOSMemory() // what was run before
		most := held()
		result := reproduce.Must(m.Run(run.Context, population.Options{Seed: run.Options.Seed,
			OnProgress: func(p population.Progress) {
				most = max(most, held())
				run.Options.ReportProgress((done + p.Fraction*float64(n)) / total)
			}}))
		most = max(most, held())
		done += float64(n)
		checksum = countsChecksum(m, &result.Runs[0])
		events := float64(result.Events)
		each := events / float64(n)
		table.Rows = append(table.Rows, []float64{float64(n), events, each, 30 * 365.25 * 86400 / (each * 60e6),
			result.Seconds, result.Runs[0].Setup, most / 1e9})
	}
	first, last := table.Rows[0], table.Rows[len(table.Rows)-1]
	for _, row := range table.Rows[1:] {
		f.For(reproduce.Control).Check(fmt.Sprintf("events for an individual, %.0f against %.0f", row[0], first[0]), row[2],
			first[2], reproduce.Sigmas*math.Sqrt(eventsVariance*first[2]/first[0]*(1+first[0]/row[0])),
			"4.5 standard errors of both; the variance is 1.5 times the mean, since births bring about further events")
	}
	f.Tables = append(f.Tables, table)
	f.Chart("seconds", sixtyChart(table))
	f.Measured = fmt.Sprintf("%s individuals over 30 years have %.2f events each, so that 60 million would have one "+
		"every %.1f simulated seconds.",
		scientific(last[0]), last[2], last[3])
	if run.Options.Full {
		f.Measured += fmt.Sprintf(" SHA-256 of the individuals in each state and the events of each kind, at the start "+
			"and at the end: %s.", checksum)
	}
	f.Timed = fmt.Sprintf("It took %.1f s and %.2f GB on this machine, %.2f µs an event.", last[4], last[6],
		1e6*last[4]/last[1])
	f.Notes = append(f.Notes,
		"The paper's 80 s for 30 years at one event every 14 s, 6.8×10⁷ events, are 1.2 µs an event, setting up "+
			"included; its 6 GB are 100 bytes an individual.",
		"The model is not the authors', of which the paper gives the kinds of events only; and the calendar is the "+
			"self-tuning Queue, which has no bins to be 75 million.")
	return f
}

// held is how many bytes of memory the program has and has not given back to the system.
func held() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys - m.HeapReleased)
}

// countsChecksum is the SHA-256, in hexadecimal, of what a run has counted: of each row that it has
// recorded the individuals in each state and how often each flow was taken, and then all events, as
// words of 8 bytes, the low byte first. It is the same on every machine.
func countsChecksum(m *population.Model, r *population.Run) string {
	var words []byte
	add := func(n uint64) { words = binary.LittleEndian.AppendUint64(words, n) }
	for row := range r.Rows() {
		for state := range m.States() {
			add(uint64(r.Count(row, state)))
		}
		for flow := range m.Flows() {
			add(r.Flow(row, flow))
		}
	}
	add(r.Events)
	return fmt.Sprintf("%x", sha256.Sum256(words))
}

// eventsVariance is how many times its mean the variance of the events is. Births and what comes of
// them make it more than Poisson's: it was 1.39 in a thousand runs with a thousand individuals.
const eventsVariance = 1.5

func sixtyChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "30 years of a country", XLabel: "individuals", YLabel: "seconds it took", LogX: true,
		LogY: true, LegendBeside: true,
		Series: []plot.Series{{Name: "this machine"}, {Name: "paper", X: []float64{6e7}, Y: []float64{80}, Triangles: true}}}
	for _, row := range t.Rows {
		c.Series[0].Add(row[0], row[4])
	}
	return c
}
