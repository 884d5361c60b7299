package population_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/population"
)

// sir is an epidemic in a small town.
const sir = `
name: sir
time: {unit: day, start: 0, end: 60}
population:
  size: 1000
  start: {infectious: 10, susceptible: rest}
parameters:
  beta: 0.5 per day
states:
  susceptible: {}
  infectious: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission:
  - {from: infectious, rate: beta, to: {susceptible: infectious}, name: infection}
interventions:
  - {at: 12 days, set: {beta: 0.2 per day}, name: people stay at home}
record: {every: 20 days}
`

func Example() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	recovered := result.State(2)
	for row, t := range result.Times {
		fmt.Printf("day %2.0f: %3.0f ± %.0f have recovered\n", t, recovered.Mean[row], recovered.SD[row])
	}
	// Output:
	// day  0:   0 ± 0 have recovered
	// day 20: 509 ± 85 have recovered
	// day 40: 636 ± 74 have recovered
	// day 60: 639 ± 73 have recovered
}

func ExampleLoad() {
	m, err := population.Load("../examples/sir.yaml", population.Size(1_000_000), population.Until("30 days"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m)
	fmt.Println("until", m.End())
	// Output:
	// sir: 1000000 individuals, states susceptible, infectious, recovered
	// until 30
}

func ExampleCompile_problems() {
	wrong := strings.NewReplacer("0.5 per day", "0.5 per dya", "to: recovered", "to: recoverd").Replace(sir)
	_, err := population.Compile("sir.yaml", []byte(wrong))
	fmt.Println(err)
	// Output:
	// sir.yaml:8:9: parameters: beta: "0.5 per dya": there is no unit "dya"; did you mean "day"?; expected a value such as 0.5 per day, 5 days or 30%
	// sir.yaml:11:70: states: infectious: race: clock 1: to: there is no state "recoverd"; did you mean "recovered"?
}

func ExampleProblems() {
	_, err := population.Compile("empty.yaml", nil)
	if problems, ok := err.(population.Problems); ok {
		for _, p := range problems {
			fmt.Println("line", p.Line, "says:", p.Message)
		}
	}
	// Output:
	// line 1 says: the file is empty; a model is expected: name, time, population, states
}

func ExampleProblem() {
	p := population.Problem{File: "sir.yaml", Line: 3, Column: 9, Message: `there is no state "S"`}
	fmt.Println(p)
	// Output:
	// sir.yaml:3:9: there is no state "S"
}

func ExampleChange() {
	calm, err := population.Compile("sir.yaml", []byte(sir), population.Set("beta", "0 per day"),
		population.Until("1 week"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(calm.End(), calm.Unit()+"s")
	// Output:
	// 7 days
}

// Who infected whom: an event tells who brought it about.
func ExampleEvent() {
	m, err := population.Compile("sir.yaml", []byte(sir), population.Size(30), population.Until("2 days"))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Run(context.Background(), population.Options{Seed: 3, OnEvent: func(e population.Event) {
		if e.Name == "infection" {
			fmt.Printf("day %.2f: %d infected %d\n", e.Time, e.By, e.Individual)
		}
	}})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// day 0.10: 28 infected 5
	// day 0.23: 30 infected 8
	// day 0.33: 30 infected 18
	// day 0.43: 25 infected 17
	// day 1.06: 28 infected 16
	// day 1.06: 22 infected 6
	// day 1.17: 5 infected 9
	// day 1.27: 23 infected 13
	// day 1.57: 16 infected 14
}

func ExampleKind() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	count := map[population.Kind]int{}
	_, err = m.Run(context.Background(), population.Options{Seed: 1, OnEvent: func(e population.Event) {
		count[e.Kind]++
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := population.Started; k <= population.Moved; k++ {
		fmt.Println(k, count[k])
	}
	// Output:
	// start 1000
	// enter 0
	// change 1222
	// leave 0
	// move 0
}

func ExampleRecord() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Run(context.Background(), population.Options{Seed: 1, OnRecord: func(r population.Record) {
		fmt.Println(r.Time, r.Counts, r.Total)
	}})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 [990 10 0] 1000
	// 20 [409 104 487] 1000
	// 40 [384 0 616] 1000
	// 60 [384 0 616] 1000
}

func ExampleOptions() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	one, _ := m.Run(context.Background(), population.Options{Seed: 7, Replicas: 20, Workers: 1})
	four, _ := m.Run(context.Background(), population.Options{Seed: 7, Replicas: 20, Workers: 4})
	fmt.Println(one.Events == four.Events, one.State(0).Mean[3] == four.State(0).Mean[3])
	// Output:
	// true true
}

func ExampleResult() {
	m, err := population.Compile("sir.yaml", []byte(sir), population.Until("40 days"))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	var report struct {
		Model  string
		Times  []float64
		States map[string]population.Series
	}
	text, err := json.Marshal(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := json.Unmarshal(text, &report); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Model, report.Times, report.States["recovered"].Max)
	// Output:
	// sir [0 20 40] [0 526 643]
}

func ExampleRun() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range result.Runs {
		last := run.Rows() - 1
		fmt.Printf("replica %d: %d susceptible at the end, %d infections\n", run.Replica, run.Count(last, 0),
			run.Named(last, 0))
	}
	// Output:
	// replica 0: 384 susceptible at the end, 606 infections
	// replica 1: 426 susceptible at the end, 564 infections
	// replica 2: 356 susceptible at the end, 634 infections
}

func ExampleSeries() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	var s population.Series = result.State(1)
	fmt.Printf("on day %.0f between %.0f and %.0f are infectious\n", result.Times[1], s.Min[1], s.Max[1])
	q := result.StateQuantiles(1, 0.25, 0.75)
	fmt.Printf("in half of the replicas between %.0f and %.0f\n", q[0][1], q[1][1])
	// Output:
	// on day 20 between 63 and 119 are infectious
	// in half of the replicas between 83 and 100
}

func ExampleDeviations() {
	var sd population.Deviations
	if err := json.Unmarshal([]byte(`[null, 1.5]`), &sd); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sd) // the first row was recorded by one replica alone
	// Output:
	// [NaN 1.5]
}

func ExamplePeak() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := m.Run(context.Background(), population.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	var p population.Peak = result.Runs[0].Peaks[1]
	fmt.Printf("%d were infectious on day %.2f\n", p.Count, p.Time)
	// Output:
	// 300 were infectious on day 12.06
}

func ExampleFlow() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range m.Flows() {
		fmt.Println(f)
	}
	// Output:
	// susceptible->infectious
	// infectious->recovered
}

func ExampleProgress() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	// Called ten times a second, so not at all for a run as short as this one.
	show := func(p population.Progress) { fmt.Printf("%.0f%%, %d events\n", 100*p.Fraction, p.Events) }
	result, err := m.Run(context.Background(), population.Options{Seed: 1, OnProgress: show})
	fmt.Println(result.Events > 0, err)
	// Output:
	// true <nil>
}

func ExampleModel_Explain() {
	m, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(m.Explain())
	// Output:
	// sir: 1,000 individuals from day 0 to day 60, recorded 4 times.
	//
	// States
	//   susceptible: 990 at the start
	//   infectious: 10 at the start
	//     becomes recovered after a time that is gamma with mean 5 days and shape 2
	//   recovered: 0 at the start
	//
	// Contacts
	//   each individual that is infectious meets others at 0.5 per day (beta) [infection]
	//     whoever is met and is susceptible becomes infectious
	//     anybody else may be met, all with the same probability
	//
	// Interventions
	//   day 12 [people stay at home]
	//     beta becomes 0.2 per day
	//
	// Parameters (--set changes them)
	//   beta: 0.5 per day
}

// A model may name tables. Load looks for them beside the model file; Compile reads them as it is
// told.
func ExampleFiles() {
	const model = `name: sir
time: {unit: day, start: 2020-03-01, end: 2020-03-05}
population: {size: 100, start: {infectious: 10, susceptible: rest}}
parameters:
  beta: {steps: {file: beta.csv, column: beta, unit: per day}}
states: {susceptible: {}, infectious: {}}
record: {every: 1 day}
`
	m, err := population.Compile("sir.yaml", []byte(model), population.Files(func(name string) ([]byte, error) {
		return []byte("date,beta\n2020-03-01,0.5\n2020-03-03,0.2\n"), nil
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Dates())
	for name, content := range m.Files() {
		fmt.Printf("%s: %d bytes\n", name, len(content))
	}
	// Output:
	// [2020-03-01 2020-03-02 2020-03-03 2020-03-04 2020-03-05]
	// beta.csv: 40 bytes
}
