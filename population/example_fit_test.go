package population_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/population"
)

// vanishing is a model in which individuals leave at a rate that is not known.
const vanishing = `
name: vanishing
time: {unit: day, end: 10}
population: {size: 1000, start: {here: rest}}
parameters: {rate: 0.1 per day, seen: 50%}
states: {here: {race: [{rate: rate, to: out}]}}
fit:
  data: left.csv
  unknown:
    rate: {uniform: {low: 0.01 per day, high: 1 per day}}
    seen: {beta: {a: 2, b: 2}}
  match:
    - {column: left, incidence: here->out, observed: seen, error: poisson}
`

// What is unknown, what it can be, and what is compared with what.
func ExampleFit() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{Unknown: []string{"rate=normal 0.1 sd 0.05 per day"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, u := range f.Unknowns {
		fmt.Println(u.Name, u.Family, u.Args, u.Unit, "from", u.Low, "to", u.High)
	}
	for _, match := range f.Matches {
		fmt.Println(match.Column, "is", match.Kind, match.Of, match.Error)
	}
	// Output:
	// rate normal [0.1 0.05] per day from 0 to +Inf
	// seen beta [2 2]  from 0 to 1
	// left is incidence here->out poisson
}

// A value of an unknown, as a file and the command line write it.
func ExampleUnknown_Value() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Unknowns[0].Value(0.25))
	fmt.Println(f.Unknowns[1].Value(0.25))
	// Output:
	// 0.25 per day
	// 25%
}

// Data have gaps, and that is said.
func ExampleObservations() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := f.Read("left.csv", []byte("time,left\n2,90\n4,NA\n6,71\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Times, d.Columns)
	fmt.Println(d.Notes[0])
	_, err = f.Read("left.csv", []byte("time,left\n2,90\n4,-3\n"))
	fmt.Println(err)
	// Output:
	// [2 4 6] [[90 NaN 71]]
	// left.csv: column left has 1 gap in line 3, which has no say
	// left.csv:3:3: left: -3 is negative; its error is poisson, which is of counts: whole numbers from 0 on
}

// What would be seen with some values, on average over who is seen: about half of those who left
// since the time before.
func ExampleTrials() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		log.Fatal(err)
	}
	trials := f.Trials([]float64{2, 4, 6}, population.Options{})
	trial, err := trials.Run(context.Background(), []float64{0.1, 0.5}, 1)
	if err != nil {
		log.Fatal(err)
	}
	for i, x := range trial.Means[0] {
		fmt.Println(x > 50, x < 130, i)
	}
	fmt.Printf("%+v\n", trial.Seen[0])
	// Output:
	// true true 0
	// true true 1
	// true true 2
	// {Observed:0.5 Error:poisson Arg:0 Share:false}
}

// The same model with other values, without reading its file again, and its text with them.
func ExampleModel_With() {
	m, err := population.Compile("vanishing.yaml", []byte("name: m\ntime: {unit: day, end: 10}\n"+
		"population: {size: 5, start: {here: rest}}\n"+
		"parameters: {rate: 0.1 per day} # why\nstates: {here: {race: [{rate: rate, to: out}]}}\n"))
	if err != nil {
		log.Fatal(err)
	}
	value := population.Parameter{Name: "rate", Value: "0.3 per day"}
	other, err := m.With(value)
	if err != nil {
		log.Fatal(err)
	}
	text, err := m.Rewrite(value)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Parameters()[0].Value, other.Parameters()[0].Value)
	fmt.Printf("%s", text)
	// Output:
	// 0.1 per day 0.3 per day
	// name: m
	// time: {unit: day, end: 10}
	// population: {size: 5, start: {here: rest}}
	// parameters: {rate: 0.3 per day} # why
	// states: {here: {race: [{rate: rate, to: out}]}}
}

// A run that stops at each time of the data, and a fork of it with the same past.
func ExampleFollowed() {
	ctx := context.Background()
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{Match: []string{"left = flow here->out poisson"}})
	if err != nil {
		log.Fatal(err)
	}
	run, err := f.Follow(ctx, []float64{2, 4}, []float64{0.1, 0.5}, population.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	first, err := run.Step(ctx)
	if err != nil {
		log.Fatal(err)
	}
	past := first[0]
	fork, err := run.Fork(1)
	if err != nil {
		log.Fatal(err)
	}
	defer fork.Close()
	second, err := run.Step(ctx)
	if err != nil {
		log.Fatal(err)
	}
	other, err := fork.Step(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second[0] > past, other[0] > past)
	// Output: true true
}
