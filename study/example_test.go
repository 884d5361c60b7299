package study_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// leaving is a model whose individuals leave at a rate.
const leaving = `
name: leaving
time: {unit: day, end: 10}
population: {size: 1000, start: {here: rest}}
parameters: {rate: 0.1 per day, seen: 50%}
states: {here: {race: [{rate: rate, to: out}]}}
fit:
  data: left.csv
  unknown: {rate: {uniform: {low: 0.01 per day, high: 1 per day}}}
  match: [{column: left, incidence: here->out, observed: seen, error: poisson}]
`

// written writes the model and data into a directory, and returns the path of the model.
func written() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "leaving.yaml")
	if err := os.WriteFile(path, []byte(leaving), 0o666); err != nil {
		log.Fatal(err)
	}
	data := []byte("time,left\n2,90\n4,81\n6,71\n")
	if err := os.WriteFile(filepath.Join(dir, "left.csv"), data, 0o666); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

// open reads the model of a request, and compiles it.
func open(r *study.Request) *study.Study {
	if err := r.ReadModel(nil); err != nil {
		log.Fatal(err)
	}
	s, err := r.Open()
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// A sweep over two values, run in memory.
func ExampleStudy() {
	path, remove := written()
	defer remove()
	s := open(&study.Request{Kind: study.Sweep, Model: path, Vary: []string{"rate=0.1 per day,0.2 per day"}, Replicas: 20,
		Seed: 1})
	job, err := s.Job()
	if err != nil {
		log.Fatal(err)
	}
	outcome, err := ensemble.InMemory{}.Run(context.Background(), job, ensemble.RunOptions{Registry: study.Registry(),
		Point: func(p ensemble.PointResult) error {
			fmt.Println(s.Values(p.Point), p.Replicas)
			return nil
		}})
	fmt.Println(outcome.Replicas, err)
	// Output:
	// [0.1 per day] 20
	// [0.2 per day] 20
	// 40 <nil>
}

// What a study is of, as study.json has it, and the command that repeats it.
func ExampleRequest() {
	r := &study.Request{Kind: study.Run, Model: "sir.yaml", Until: "60 days", Replicas: 10, Seed: 7,
		Set: []population.Parameter{{Name: "beta", Value: "0.4 per day"}}}
	fmt.Println(r.Command())
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		log.Fatal(err)
	}
	again, err := study.ReadJSON(text.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Until, again.Set)
	// Output:
	// almanac run sir.yaml --seed 7 --replicas 10 --until '60 days' --set 'beta=0.4 per day'
	// 60 days [{beta 0.4 per day}]
}

// A duration is written as people write it.
func ExampleDuration() {
	d := study.Duration(10 * time.Minute)
	text, err := d.MarshalText()
	fmt.Println(string(text), err)
	err = d.UnmarshalText([]byte("90s"))
	fmt.Println(time.Duration(d), err)
	// Output:
	// 10m0s <nil>
	// 1m30s <nil>
}

// All that is told over time of a model.
func ExampleColumn() {
	m, err := population.Compile("leaving.yaml", []byte(leaving))
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range study.Columns(m) {
		fmt.Println(c.Kind, c.Name)
	}
	// Output:
	// state here
	// total total
	// flow here->out
}

// A sample, of which each replica draws a row, by weight.
func ExampleFrom() {
	m, err := population.Compile("leaving.yaml", []byte(leaving))
	if err != nil {
		log.Fatal(err)
	}
	from, err := study.ParseFrom("posterior.csv", []byte("rate,weight\n0.1,1\n0.2,0\n"), nil, m)
	if err != nil {
		log.Fatal(err)
	}
	own, err := from.Vary(m, 1)(0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(from.Row(1, 0), own.Parameters()[0])
	// Output:
	// [0.1] {rate 0.1 per day}
}

// The changes of a model that a fit was made with, as flags.
func ExampleFitted() {
	f := study.Fitted{Size: "300", Scenario: "worse", Set: []population.Parameter{{Name: "rate", Value: "0.1 per day"}}}
	fmt.Println(f.String())
	// Output:
	// --size 300, --scenario worse, --set rate=0.1 per day
}

// A fit of a model file: the data are read, and the problem is that of package fit.
func ExampleOpenedFit() {
	path, remove := written()
	defer remove()
	o, err := open(&study.Request{Kind: study.Fit, Model: path, Seed: 1}).OpenFit()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Problem.Unknowns[0].Name, o.Problem.Unknowns[0].Prior, o.Data.Times)
	course, err := o.Simulator.Simulate(context.Background(), []float64{0.1}, 1)
	fmt.Println(len(course.Columns[0].Mean), err)
	// Output:
	// rate uniform 0.01..1 [2 4 6]
	// 3 <nil>
}

// Of two scenarios, three numbers of each column and time are recorded: one of each scenario, and
// the difference.
func ExampleCourse() {
	m, err := population.Compile("leaving.yaml", []byte(leaving))
	if err != nil {
		log.Fatal(err)
	}
	course, err := study.NewCourse(m, 2, 1, []string{"here", "here->out"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Run(context.Background(), population.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	numbers := course.Of(m)(&r.Runs[0])
	fmt.Println(len(m.Times()), "times:", numbers[:4], "…")
	// Output: 101 times: [1000 0 990 10] …
}

// projected fits the model, and returns it with a sample whose runs replicas go on with.
func projected() (*population.Model, *study.From) {
	path, remove := written()
	defer remove()
	asked := &study.Request{Kind: study.Fit, Model: path, Seed: 1}
	o, err := open(asked).OpenFit()
	if err != nil {
		log.Fatal(err)
	}
	result, err := fit.RunLocal(context.Background(), o.Problem, o.Simulator, fit.Options{Seed: 1, Budget: 1000})
	if err != nil {
		log.Fatal(err)
	}
	from := &study.From{Posterior: result.Posterior,
		Past: &study.Past{Times: o.Problem.Times, Last: o.Problem.LastRow(), Columns: o.Problem.Columns}}
	run := &study.Request{Kind: study.Run, Model: path, Source: asked.Source, Files: asked.Files, Posterior: from}
	m, err := run.Compile()
	if err != nil {
		log.Fatal(err)
	}
	return m, from
}

// Replicas go on with runs that a fit accepted: after the last data point they differ, even if they
// draw the same row.
func ExamplePast() {
	m, from := projected()
	o := population.Options{Seed: 1, Replicas: 3}
	if err := from.Use(m, &o); err != nil {
		log.Fatal(err)
	}
	result, err := m.Run(context.Background(), o)
	fmt.Println(from.Past.Time(), result.Done, err)
	// Output: 6 3 <nil>
}

// What would be reported: at the times of the data, and then every two days up to day 10.
func ExampleProjection() {
	m, from := projected()
	p, err := from.Project(context.Background(), m, 1, 0, 50)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Times, p.Last, p.Runs, p.Columns[0].Name, p.Shares)
	// Output: [2 4 6 8 10] 2 50 left [0.05 0.25 0.5 0.75 0.95]
}

// The column of a projection has the data, where there are any, and quantiles.
func ExampleProjectedColumn() {
	m, from := projected()
	p, err := from.Project(context.Background(), m, 1, 0, 50)
	if err != nil {
		log.Fatal(err)
	}
	c := p.Columns[0]
	fmt.Println(c.Data, len(c.Quantiles), len(c.Quantiles[0]))
	// Output: [90 81 71 NaN NaN] 5 5
}
